"""``cltheory diagnose``: whether embeddings in a file have collapsed, and their gradients."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click

from .diagnose_loss import compare, of_loss
from .numeric_options import COLDEST, HOTTEST, Number, need_torch
from .parameters import short
from .progress import counting
from .writing import FORCE, check_writable, formats, write

if TYPE_CHECKING:
    from ..numeric.band.diagnose import Array, Diagnosis, Taken
    from ..numeric.problems.departure import Departure
    from .array_files import Arrays
    from .label_files import Classes

FILE = click.Path(dir_okay=False)
LAYOUTS = ("pairs", "halves")


@click.command(
    "diagnose",
    epilog="""\b
Examples:
  cltheory diagnose embeddings.npz --labels labels.csv
  cltheory diagnose embeddings.npz --labels y --loss supcl --alpha 0.8 --tau 0.1
  cltheory diagnose towers.npz --arrays image,text --loss siglip --t 10 --b -10
  cltheory diagnose embeddings.npy --positives halves --normalise
  cltheory diagnose embeddings.csv --labels digit --format json --out found.json
  cltheory diagnose run.safetensors --arrays query,key --format html --out found.html
""",
)
@click.argument("file", type=FILE)
@click.option("--arrays", help="Array, or two views, to read: NAME or NAME,NAME.")
@click.option("--labels", help="Classes: array or column of FILE, or a CSV or .npy file.")
@click.option("--column", help="Column of the --labels file, by name or number.")
@click.option(
    "--positives",
    type=click.Choice(LAYOUTS),
    help="Positives: rows 0 and 1, 2 and 3, ... are pairs, or the second of two halves holds the "
    "second views.",
)
@click.option("--tau", type=Number(), default=0.1, help="Temperature, also in --loss.")
@click.option("--normalise", is_flag=True, help="Scale every row to unit length.")
@click.option(
    "--batch",
    type=click.IntRange(4, 8192),
    help="Embeddings per batch, as in training (default: all, but at most 2048).",
)
@click.option("--loss", help="Loss that was trained: a name of the catalogue, or a file .toml.")
@click.option("--alpha", help="Value of alpha in --loss, such as 0.8 or 4/5.")
@click.option("--t", help="Value of t (logit scale) in --loss.")
@click.option("--b", help="Value of b (bias) in --loss.")
@click.option(
    "--set",
    "others",
    multiple=True,
    metavar="NAME=VALUE",
    help="Value of another parameter of --loss.",
)
@click.option(
    "--dim", type=click.IntRange(1), help="Dimension of the optimum (default: that of FILE)."
)
@click.option("--classifier", help="Weights (C, d) of a linear classifier, for NC3: array or file.")
@click.option(
    "--batches", type=click.IntRange(1, 10**4), default=8, help="Maximum number of batches."
)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, help="Seed of the batches.")
@formats("text", "json", "html")
@click.option("--out", type=FILE, help="Write the report to this file.")
@FORCE
def diagnose_command(**options: Any) -> int:
    """Say whether FILE of embeddings has collapsed: npz, npy, CSV, parquet or safetensors.

    The report begins with a verdict (total, class or dimensional collapse, or none) and the
    variances within and between classes, neural collapse, ranks, alignment and uniformity behind
    it. With --loss it compares the loss with its predicted optimum. It ends with the squared
    InfoNCE gradient and its proved bounds.

    The positive of an embedding is its other view if FILE has two arrays of the same shape (or one
    of shape (n, 2, d)); with labels, the next embedding of its class; otherwise its neighbour:
    rows 0 and 1 are a pair. The report names the choice.
    """
    chosen = Options(**options)
    chosen.check()
    from ..numeric.band.diagnose import Settings, diagnose

    asked = of_loss(chosen)
    try:
        taken, classifier = take(chosen)
        settings = Settings(
            *(chosen.tau, chosen.normalise, chosen.batch, chosen.batches, chosen.seed), classifier
        )
        with counting("diagnosing") as show:
            found = diagnose(taken, settings, lambda done, whole: show(done, whole, ""))
        compared = None if asked is None else compare(chosen, asked, taken, settings)
    except ValueError as refusal:
        if type(refusal) is not ValueError:
            raise
        said = str(refusal).replace("normalise=True", "--normalise")
        raise click.UsageError(f"{short(chosen.file)}: {said}") from None
    text = chosen.rendered(found, compared)
    if chosen.out is None:
        click.echo(text)
    else:
        write({chosen.out: f"{text}\n"})
        click.echo(f"wrote {chosen.out}")
    return 0


class Options(SimpleNamespace):
    """The options, by their names."""

    def check(self) -> None:
        """Refuse what does not go together, before any file is read."""
        need_torch()
        if self.labels is not None and self.positives is not None:
            raise click.UsageError("--labels and --positives both say which rows are positives")
        if self.column is not None and self.labels is None:
            raise click.UsageError("--column needs --labels")
        if not COLDEST <= self.tau <= HOTTEST:
            raise click.UsageError(
                f"--tau must be from {COLDEST:g} to {HOTTEST:g}, not {self.tau:g}"
            )
        if self.style == "html" and find_spec("matplotlib") is None:
            raise click.UsageError("--format html needs matplotlib: pip install 'cltheory[plot]'")
        if self.out is not None:
            reads = (self.file, self.labels, self.classifier, self.loss)
            check_writable(self.out, force=self.force, reads=reads)

    def rendered(self, found: Diagnosis, compared: Departure | None) -> str:
        """The report in the format that was asked for."""
        from . import diagnose_report

        if self.style == "json":
            return diagnose_report.as_json(self.file, found, compared)
        if self.style == "html":
            from .diagnose_page import page

            return page(self.file, found, compared)
        return diagnose_report.as_text(self.file, found, compared)


# --- which rows are positives ------------------------------------------------------------------
def take(options: Options) -> tuple[Taken, Array | None]:
    """Embeddings of a file, which is the positive of which, and a classifier if one is given.

    Raises
    ------
    click.UsageError
        If that cannot be told.
    ValueError
        If what is told does not fit.
    """
    import numpy as np

    from ..numeric.band.diagnose import halves, of_classes, pairs_in_a_row, two_views
    from . import label_files
    from .array_files import arrays

    found = arrays(options.file, options.labels)
    classifier = None
    if options.classifier is not None:
        classifier = found.get(options.classifier)
        if classifier is None:
            classifier = label_files.vectors(options.classifier, "weights")
    names = _embeddings(options, found)
    label = _labels(options, found, names[0])
    classes = None if label is None else _classes(options, found, label)
    labelled = (None, ()) if classes is None else (np.array(classes.of_sample, int), classes.names)
    z = found[names[0]]
    if len(names) == 2 or z.ndim == 3:
        first, second = (f"{short(names[0])}[:, {k}]" for k in (0, 1)) if z.ndim == 3 else names
        if options.positives is not None:
            raise click.UsageError(
                f"{first} and {second} are two views: --positives needs one array; choose it with "
                "--arrays NAME"
            )
        one, other = (z[:, 0], z[:, 1]) if z.ndim == 3 else (z, found[second])
        how = f"{first} and {second} are two views of each sample"
        return two_views(one, other, how, *labelled), classifier
    if labelled[0] is not None:
        how = f"the positive is the next of the same class, by {short(str(label))}"
        return of_classes(z, labelled[0], how, labelled[1]), classifier
    if options.positives == "halves":
        return halves(z, "the second half are second views of the first"), classifier
    return pairs_in_a_row(z, "rows 0 and 1 are a pair, 2 and 3, and so on"), classifier


def _embeddings(options: Options, found: Arrays) -> tuple[str, ...]:
    """The name of the embeddings, or of two views."""
    if options.arrays is not None:
        names = tuple(part.strip() for part in options.arrays.split(","))
        for name in names:
            if name not in found:
                raise click.UsageError(
                    f"{short(options.file)} has no array {short(name)!r}: there are "
                    f"{short(', '.join(found))}"
                )
            if found[name].ndim not in (2, 3) or (len(names) == 2 and found[name].ndim != 2):
                raise click.UsageError(
                    f"{short(name)} has shape {found[name].shape}: embeddings have shape (n, d)"
                )
        if len(names) > 2:
            raise click.UsageError(f"--arrays takes one array or two, not {len(names)}")
        if len(set(names)) < len(names):
            raise click.UsageError(f"--arrays names {short(names[0])} twice")
        return names
    none = (options.classifier, options.labels)
    might = [name for name, array in found.items() if _might_be(array) and name not in none]
    if not might:
        shapes = ", ".join(f"{name} {array.dtype}{array.shape}" for name, array in found.items())
        raise click.UsageError(
            f"{short(options.file)} has no embeddings (n, d), but {short(shapes)}"
        )
    if len(might) == 1:
        return (might[0],)
    if len(might) == 2 and found[might[0]].shape == found[might[1]].shape:
        return might[0], might[1]
    raise click.UsageError(
        f"{short(options.file)} has {len(might)} arrays that may be embeddings "
        f"({short(', '.join(might))}): say which with --arrays NAME, or NAME,NAME for two views"
    )


def _might_be(array: Array) -> bool:
    if array.dtype.kind not in "fiu":
        return False
    return array.ndim == 2 or (array.ndim == 3 and array.shape[1] == 2)


def _labels(options: Options, found: Arrays, embeddings: str) -> str | None:
    """The array of labels, or their file: what is asked for, or the one of a usual name."""
    from .array_files import LABELS

    if options.labels is not None or options.positives is not None:
        return str(options.labels) if options.labels is not None else None
    usual = [name for name in (*LABELS, "y") if name in found and name != embeddings]
    rows = [name for name in usual if found[name].ndim == 1]
    return rows[0] if len(rows) == 1 else None


def _classes(options: Options, found: Arrays, label: str) -> Classes:
    from . import label_files

    if label not in found:
        if not Path(label).is_file():
            raise click.UsageError(
                f"{short(options.file)} has no labels {short(label)!r}, and no such file exists: "
                f"choose among {short(', '.join(found))}"
            )
        return label_files.classes(label, options.column)
    return label_files.classes_of(label, found[label], options.column)

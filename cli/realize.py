"""``cltheory realize``."""

from __future__ import annotations

from dataclasses import asdict
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

import click

from ..derive.files import replacing
from .numeric_options import SEEDS, Number, class_sizes, text
from .parameters import short
from .progress import telling
from .realize_options import (
    CLASSES,
    MOST_DIMENSIONS,
    VECTORS,
    Asked,
    Case,
    case_of,
    embeddings,
    in_batches,
)
from .tables import WIDTH, labelled
from .writing import FORCE, formats, json_text

if TYPE_CHECKING:
    from ..derive.decide.evidence import Grade
    from ..numeric.realize.pairs import Array, Tell
    from ..numeric.realize.trained import Distance
    from ..numeric.realize.verdict import Verdict

#: Classes and points whose matrices are printed, and written.
PRINTED, WRITTEN = 8, 5000
#: Classes of which the exact engine finds the optimum in seconds.
FEW = 4
#: Part of the loss that a certified gap may be for a loss to be called the least.
PROVED = 1e-9
#: The lower bound that is no certificate, but rests on a lemma.
UNIFORM = "uniform bound"
#: An eigenvalue that is printed as 0, relative to the largest.
ROUNDING = 1e-12

FILE = click.Path(dir_okay=False)


@click.command(
    "realize",
    epilog="""\b
Examples:
  cltheory realize --scheme supcon --labels labels.csv --dim 128 --tau 0.1
  cltheory realize --scheme supcon --sizes 5000,500,50 --dim 128 --tau 0.1 --output optimum.npz
  cltheory realize --scheme soft-supcon --sizes 50,50,20 --epsilon 0.01 --dim 16 --tau 0.2
  cltheory realize --scheme y-aware --labels age.csv --dim 128 --tau 0.1
  cltheory realize --scheme x-clr --labels captions.npy --dim 512 --tau 0.1 --tau-prime 0.1
  cltheory realize --weights W.npy --dim 64 --tau 0.1 --output optimum.npz
  cltheory realize --scheme supcon --labels labels.csv --embeddings Z.npy --tau 0.1
""",
)
@click.option("--scheme", type=click.Choice([*CLASSES, *VECTORS]), help="Weighting scheme.")
@click.option("--labels", type=FILE, help="File with a class or a vector per sample: CSV or .npy.")
@text("--sizes", None, "Samples per class, instead of --labels: 500,100,20.", class_sizes)
@click.option("--weights", type=FILE, help="File of the weight matrix W: .npy or CSV.")
@click.option("--column", help="Column of the classes, by name or number.")
@click.option(
    "--dim",
    "q",
    type=click.IntRange(1, MOST_DIMENSIONS),
    help="Dimension of the embedding (default: that of --embeddings).",
)
@click.option("--tau", type=Number(), help="Temperature of the cosine similarity.")
@click.option("--tau-prime", type=Number(), help="Temperature of the labels, for x-clr.")
@click.option("--epsilon", type=Number(), help="Weight of a pair across classes, for soft-supcon.")
@click.option(
    "--similarity",
    type=click.Choice(["cosine", "euclidean"]),
    help="Similarity: cosine(z, z') / tau, or -|z - z'|^2 (default: that of the scheme).",
)
@click.option("--batch", type=click.IntRange(3), help="Samples in a batch: say what holds there.")
@click.option("--embeddings", type=FILE, help="File of trained embeddings to compare: .npy or CSV.")
@click.option("--search", is_flag=True, help="Search for the optimum also beyond 50 points.")
@SEEDS
@click.option(
    "--tolerance",
    type=click.FloatRange(1e-14, 1e-2),
    help="Relative tolerance below which an eigenvalue is zero (default: 1e-8).",
)
@click.option("--output", type=FILE, help="Write the optimal embedding to this .npz file.")
@FORCE
@formats("text", "json")
def realize_command(**options: Any) -> int:
    """Decide before training whether the geometry prescribed by the weights can be realised.

    The weighted InfoNCE loss is at least its entropic bound. The target is realisable if some
    embeddings attain the bound, inconsistent if none do, and degenerate if zero weights require
    similarities of minus infinity. The report gives the deciding condition with its numbers,
    changes that make the target realisable, the minimum of the loss, and how far --embeddings
    are from the optimum.

    CSV files may have a header. Class labels may be text.
    """
    asked = Asked(**options)
    asked.check()
    from ..numeric.realize.pairs import Unfit

    try:
        with telling("reading") as tell:
            z = None if asked.embeddings is None else embeddings(asked)
            if z is not None:
                asked.q = z.shape[1]
            case = case_of(asked)
            verdict = case.decide(tell)
            if asked.batch is not None:
                verdict.notes.append(in_batches(asked.batch, case))
            far = None if z is None else _far(asked, case, verdict, z, tell)
    except Unfit as refusal:
        raise click.UsageError(f"{short(asked.source)}: {refusal}") from None
    written = _written(asked, case, verdict)
    if asked.style == "json":
        click.echo(json_text(_json(asked, case, verdict, far)))
    else:
        click.echo("\n".join([*_text(asked, case, verdict), *_far_lines(asked, far), *written]))
    return 0


# --- after training --------------------------------------------------------------------------
def _far(asked: Asked, case: Case, verdict: Verdict, z: Array, tell: Tell) -> Distance:
    from ..numeric.realize.pairs import Unfit
    from ..numeric.realize.trained import distance, module

    if len(z) != case.samples:
        raise click.UsageError(
            f"{short(asked.embeddings or '')} has {len(z)} embeddings of {case.samples} samples"
        )
    loss = module(
        asked.scheme, asked.measure, asked.tau, epsilon=asked.epsilon, tau_prime=asked.tau_prime
    )
    index = case.index if case.sizes else None
    try:
        return distance(loss, z, case.labels, verdict, index, tell)
    except Unfit as refusal:
        raise click.UsageError(f"{short(asked.embeddings or '')}: {refusal}") from None


def _far_lines(asked: Asked, far: Distance | None) -> list[str]:
    if far is None:
        return []
    rows = {
        "loss": far.loss,
        "loss gap": far.loss_gap,
        "above the loss of the optimum": far.above,
        "similarity r2": far.similarity_r2,
        "procrustes r2": far.procrustes_r2,
    }
    lines = ["", f"  embeddings {asked.embeddings}"]
    if far.above is not None and abs(far.above) < ROUNDING * far.loss:
        rows["above the loss of the optimum"] = 0.0
    lines += [f"    {name}: {value:.6g}" for name, value in rows.items() if value is not None]
    return [*lines, *(f"    {note}" for note in far.notes)]


# --- what is said ----------------------------------------------------------------------------
def _title(asked: Asked, case: Case) -> str:
    classes = f"{len(case.sizes)} classes, " if case.sizes else ""
    given = [f"dimension {asked.q}"]
    for name in ("tau", "tau_prime", "epsilon"):
        if getattr(asked, name) is not None:
            given.append(f"{name.replace('_', '-')} {_said(getattr(asked, name))}")
    if asked.similarity is not None:
        given.append(f"{asked.measure} similarity")
    return f"{asked.scheme or 'weights'}: {classes}{case.samples} samples, {', '.join(given)}"


def _said(x: float) -> str:
    """All digits of a number that was given."""
    return repr(x).removesuffix(".0")


def _text(asked: Asked, case: Case, verdict: Verdict) -> list[str]:
    import textwrap

    from ..numeric.realize.verdict import at_most

    lines = [_title(asked, case), ""]
    lines += labelled("verdict", f"{verdict.word}  [{verdict.evidence}]", 15)
    lines += labelled("because", verdict.reason, 15)
    for k, remedy in enumerate(verdict.remedies):
        lines += labelled("realisable by" if k == 0 else "or", remedy, 15)
    lines.append("")
    for name, value in verdict.certificate.items():
        lines += [f"  {name}: {_shown(value)}"]
    if verdict.bound is not None:
        lines.append(f"  entropic bound: {verdict.bound:.10g}")
    if verdict.loss is not None:
        assert verdict.excess is not None and verdict.gap is not None
        by = f"  [{verdict.found}]" if verdict.found else ""
        is_least = verdict.gap <= PROVED * verdict.loss
        lines.append(
            f"  {'minimum of the loss' if is_least else 'loss found'}: {verdict.loss:.10g}{by}"
        )
        lines.append(f"  above the bound: {verdict.excess:.6g}{_part(verdict)}")
        lines.append(f"  certified gap: {_gap(verdict)}")
    found = _least(asked, case, verdict)
    is_open = verdict.gap is None or verdict.gap > PROVED * (verdict.loss or 0.0)
    if is_open and found is not None and found[1] != "entropic bound":
        known = _grade(found[1])
        said = f", {known.text}" if known else ""
        lines.append(f"  no loss below: {at_most(found[0])}  [{found[1]}{said}]")
    lines += _cosine_lines(case, verdict)
    for note in verdict.notes:
        lines += textwrap.wrap(note, WIDTH, initial_indent="  ", subsequent_indent="    ")
    return [*lines, *_elsewhere(asked, case, verdict)]


def _elsewhere(asked: Asked, case: Case, verdict: Verdict) -> list[str]:
    """The command that derives the optimum of few classes, in dimensions enough."""
    if asked.measure != "cosine" or not 2 <= len(case.sizes) <= FEW or asked.tau is None:
        return []
    id = "supcon-imbalanced" if asked.scheme == "supcon" else "soft-supcon"
    more = "" if asked.epsilon is None else f" --epsilon {_said(asked.epsilon)}"
    given = f"--sizes {','.join(map(str, case.sizes))}{more} --tau {_said(asked.tau)}"
    where = "in dimensions enough, " if verdict.is_limited else ""
    return [f"  {where}to any precision: cltheory derive {id} {given}"]


def _grade(bound: str) -> Grade | None:
    """How the bound that rests on a lemma is known, from that lemma; None of the others."""
    from ..derive.proof.sphere import WITHOUT_ANCHOR

    return WITHOUT_ANCHOR.evidence.grade if bound == UNIFORM else None


def _least(asked: Asked, case: Case, verdict: Verdict) -> tuple[float, str] | None:
    """The best lower bound on the loss in the dimension that is asked for, and which it is."""
    found = {} if verdict.bound is None else {"entropic bound": verdict.bound}
    if verdict.loss is not None and verdict.gap is not None:
        found["certified gap"] = verdict.loss - verdict.gap
    is_supcon = asked.scheme == "supcon" and asked.measure == "cosine"
    if is_supcon and asked.tau is not None and min(case.sizes) > 1:
        from sympy import Integer, Rational

        from ..derive.optimum.dimension import d
        from ..derive.optimum.uniform import of_groups

        bound = of_groups(case.sizes, Rational(str(asked.tau))).xreplace({d: Integer(asked.q)})
        found[UNIFORM] = float(bound.evalf(20))
    return max(((v, k) for k, v in found.items()), default=None)


def _part(verdict: Verdict) -> str:
    if not verdict.bound or not verdict.excess:
        return ""
    return f" ({verdict.excess / verdict.bound:.4g} of it)"


def _gap(verdict: Verdict) -> str:
    """The gap; where it is next to the excess as small as rounding, that."""
    assert verdict.gap is not None and verdict.excess is not None
    if verdict.gap == 0:
        return "0"
    small = PROVED * verdict.excess
    said = f"{verdict.gap:.2g}" if verdict.gap > small else "at most 1e-9 of that"
    return said if verdict.stop in ("", "converged") else f"{said} ({verdict.stop})"


def _shown(value: Any) -> str:
    """A number, or the ends of a list."""
    if isinstance(value, float):
        return "oo" if value == inf else f"{value:.10g}"
    if hasattr(value, "tolist"):
        largest = max(map(abs, value.tolist()), default=0.0)
        numbers = [f"{0 if abs(x) < ROUNDING * largest else x:.6g}" for x in value.tolist()]
        if len(numbers) > PRINTED:
            numbers = [*numbers[:4], "...", *numbers[-3:]]
        return ", ".join(numbers)
    return str(value)


def _cosine_lines(case: Case, verdict: Verdict) -> list[str]:
    if verdict.cosines is None or not case.sizes:
        return []
    import numpy as np

    k = len(case.sizes)
    if k <= PRINTED:
        wide = max(9, *(min(len(name), 16) for name in case.names)) + 1
        names = [name if len(name) <= 16 else name[:13] + "..." for name in case.names]
        head = "".join(f"{name:>{wide}}" for name in names)
        lines = ["  cosines of the prototypes", f"  {'':>{wide}} {'size':>9}{head}"]
        for name, size, values in zip(names, case.sizes, verdict.cosines, strict=True):
            cells = "".join(f"{x:>{wide}.6f}" for x in values)
            lines.append(f"  {name:>{wide}} {size:>9}{cells}")
        return lines
    order = np.argsort(case.sizes, kind="stable")
    off = verdict.cosines[~np.eye(k, dtype=bool)]
    small, large = (int(order[0]), int(order[1])), (int(order[-1]), int(order[-2]))
    return [
        f"  cosines of the prototypes: {off.min():.6f} to {off.max():.6f}",
        f"    of the two largest classes ({case.sizes[large[0]]} and {case.sizes[large[1]]}): "
        f"{verdict.cosines[large]:.6f}",
        f"    of the two smallest ({case.sizes[small[0]]} and {case.sizes[small[1]]}): "
        f"{verdict.cosines[small]:.6f}",
    ]


def _json(
    asked: Asked, case: Case, verdict: Verdict, far: Distance | None = None
) -> dict[str, Any]:
    def plain(value: Any) -> Any:
        if hasattr(value, "tolist"):
            return plain(value.tolist())
        if isinstance(value, list):
            return [plain(x) for x in value]
        if isinstance(value, float) and not isfinite(value):
            return "oo" if value > 0 else "-oo"
        return value

    least = _least(asked, case, verdict)
    known = _grade(least[1]) if least else None
    found = {
        "scheme": asked.scheme or "weights",
        "similarity": asked.measure,
        "samples": case.samples,
        "dimension": asked.q,
        "parameters": {
            k: getattr(asked, k)
            for k in ("tau", "tau_prime", "epsilon")
            if getattr(asked, k) is not None
        },
        "verdict": verdict.word,
        "evidence": verdict.evidence,
        "found": verdict.found or None,
        "reason": verdict.reason,
        "certificate": {k.replace(" ", "_"): v for k, v in verdict.certificate.items()},
        "realisable_by": verdict.remedies,
        "notes": verdict.notes,
        "bound": verdict.bound,
        "loss": verdict.loss,
        "excess": verdict.excess,
        "gap": verdict.gap,
        "loss_at_least": least and least[0],
        "loss_at_least_by": least and least[1],
        **({"loss_at_least_evidence": str(known)} if known else {}),
        "stop": verdict.stop or None,
    }
    if case.sizes:
        found["classes"] = list(case.names)
        found["sizes"] = list(case.sizes)
        found["cosines"] = verdict.cosines
    if far is not None:
        found["embeddings"] = asdict(far)
    return {
        k: {name: plain(x) for name, x in v.items()} if isinstance(v, dict) else plain(v)
        for k, v in found.items()
    }


# --- what is written -------------------------------------------------------------------------
def _written(asked: Asked, case: Case, verdict: Verdict) -> list[str]:
    """Write the embedding; what was written, in words."""
    if asked.output is None:
        return []
    if verdict.vectors is None:
        raise click.UsageError(
            "cannot write an optimal embedding: " + "; ".join([verdict.reason, *verdict.notes])
        )
    with replacing(asked.output) as file:
        _arrays(file, asked, case, verdict)
    return [f"  wrote {asked.output}"]


def _similarity(asked: Asked, z: Array) -> Array:
    """Similarities of the rows of the embedding: cosines, or squared distances."""
    import numpy as np

    gram = z @ z.T
    if asked.measure == "cosine":
        return gram
    squares = np.diag(gram)
    distances: Array = np.maximum(squares[:, None] + squares[None, :] - 2 * gram, 0)
    return distances


def _arrays(file: Any, asked: Asked, case: Case, verdict: Verdict) -> None:
    import numpy as np

    z = verdict.vectors
    assert z is not None
    arrays: dict[str, Any] = {}
    arrays["prototypes" if case.sizes else "embedding"] = z
    if case.sizes:
        arrays["classes"] = np.array(list(case.names), dtype=np.str_)
        arrays["sizes"] = np.array(case.sizes)
    if len(case.index):
        arrays["index"] = np.array(case.index)
    if len(z) <= WRITTEN:
        arrays["similarity"] = _similarity(asked, z)
    arrays["verdict"] = np.array(json_text(_json(asked, case, verdict)))
    np.savez_compressed(file, **arrays)

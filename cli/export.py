"""``cltheory export``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..derive.decide.spelling import did_you_mean
from .parameters import OWN_LOSS, ResultCommand, ResultId, pairs, short
from .progress import track
from .writing import COLUMNS, RENAME, NewFile, RocqFile, check_different, check_writable, write

if TYPE_CHECKING:
    from ..derive.theorem.result import Result

FILE = NewFile(dir_okay=False, allow_dash=True, path_type=str)
ROCQ = RocqFile(dir_okay=False, allow_dash=True, path_type=str)


class IdOrValue(ResultId):
    """An id, or the value of a parameter after its name."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Leave ``--m=10`` as it is."""
        return str(value) if value[:2] == "--" else super().convert(value, param, ctx)


@click.command(
    "export",
    cls=ResultCommand,
    context_settings={"ignore_unknown_options": True},
    epilog="""\b
Examples:
  cltheory export --latex theory.tex
  cltheory export --latex - supcl-threshold --rename 'tau=T' --rename 'm=\\tilde{m}'
  cltheory export --proofs appendix.tex --bib refs.bib ssem supcl-threshold
  cltheory export --latex theory.tex supcl-threshold --m 10
  cltheory export --proofs appendix.tex --columns 2 ssem supcl-threshold
  cltheory export --python thresholds.py supcl-threshold --rename tau=T
  cltheory export --javascript thresholds.mjs supcl-threshold sigmoid-threshold
  cltheory export --rocq theory.v supcl-threshold simclr
  cltheory export --latex mine.tex --loss mine.toml
""",
)
@click.argument("words", metavar="[IDS]...", nargs=-1, type=IdOrValue())
@click.option(
    "--latex",
    type=FILE,
    help="Write LaTeX macros, theorem statements, and a .bib file of the sources.",
)
@click.option("--proofs", type=FILE, help="Write each result as a LaTeX theorem with its proof.")
@click.option("--standalone", is_flag=True, help="With --proofs: write a document for pdflatex.")
@COLUMNS
@click.option("--bib", type=FILE, help="Write the sources as BibTeX entries.")
@click.option("--python", type=FILE, help="Write a Python module of NumPy functions.")
@click.option("--javascript", type=FILE, help="Write a JavaScript module of functions.")
@click.option("--rocq", type=ROCQ, help="Write theorems for Rocq (NAME.v) and their proofs.")
@RENAME
@OWN_LOSS
@click.option("--force", is_flag=True, help="Replace files that cltheory did not write.")
def export_command(
    words: tuple[str, ...],
    standalone: bool,
    columns: str,
    rename: tuple[str, ...],
    losses: tuple[str, ...],
    force: bool,
    **wanted: str | None,
) -> int:
    """Write the results IDS (default: all) for use in a paper, in NumPy code or in a web page.

    Values of parameters, as --m 10, are put into theorems with --proofs, and give further macros
    with --latex, such as \\clSupclThresholdAlphaMinAt. Each result takes those that it has.

    The FILE - is standard output. The same results always give the same text. A file that cltheory
    did not write is replaced only with --force.
    """
    files = {what: name for what, name in wanted.items() if name is not None}
    if not files:
        raise click.UsageError(
            f"say what to write: {', '.join(f'--{what}' for what in wanted)} FILE"
        )
    if files.get("latex", "-") != "-":
        files.setdefault("bib", str(Path(files["latex"]).with_suffix(".bib")))
    check_different(files)
    if rename and files.keys() <= {"bib", "rocq"}:
        raise click.UsageError("--rename needs --latex, --proofs, --python or --javascript")
    if standalone and "proofs" not in files:
        raise click.UsageError("--standalone needs --proofs")
    from ..derive.results import results
    from ..derive.write import export

    def allowed(names: Iterable[str]) -> None:
        for name in names:
            if name != "-":
                check_writable(name, reads=losses, force=force, mark=export.MADE_BY)

    allowed(name for what, name in files.items() if what != "rocq")
    ids = [word for word in words if word[:2] != "--"]
    chosen = [results[id] for id in dict.fromkeys((*ids, *losses) or results)]
    values = pairs([word for word in words if word[:2] == "--"], check=_known(chosen))
    if values and not files.keys() & {"latex", "proofs"}:
        raise click.UsageError("values of parameters need --latex or --proofs")
    for result in track(chosen, "deriving"):
        _ = result.quantities  # kept, and so written at once below
    renamed = export.rename(rename, chosen)
    is_code = files.keys() & {"python", "javascript"}
    spelled = export.rename_plainly(rename, chosen) if is_code else {}
    make = {
        "latex": lambda: export.to_latex(chosen, renamed, values, export.room_of(int(columns))),
        "proofs": lambda: export.to_proofs(
            track(chosen, "proving"),
            renamed,
            values=values,
            standalone=standalone,
            columns=int(columns),
        ),
        "bib": export.bibtex,
        "python": lambda: export.to_python(chosen, spelled),
        "javascript": lambda: export.to_javascript(chosen, spelled),
    }
    texts = {name: make[what]() for what, name in files.items() if what != "rocq"}
    texts |= _for_rocq(files["rocq"], chosen) if "rocq" in files else {}
    allowed(texts)  # with those for Rocq, whose names are known only now
    write({name: text for name, text in texts.items() if name != "-"})
    for name, text in texts.items():
        if name == "-":
            click.echo(text, nl=False)
        elif sys.stderr.isatty():
            click.echo(f"wrote {name}", err=True)
    return 0


def _for_rocq(name: str, chosen: list[Result]) -> dict[str, str]:
    """The files of some results for Rocq; on standard output the statements alone."""
    from ..derive.write.rocq.document import files, written

    told = [written(result) for result in track(chosen, "writing")]
    stem = "statements" if name == "-" else Path(name).stem
    texts = files(stem, told)
    if name == "-":
        return {name: texts[f"{stem}.v"]}
    return {str(Path(name).with_name(file)): text for file, text in texts.items()}


def _known(chosen: Sequence[Result]) -> Callable[[str], None]:
    """What refuses a name that is a parameter of none of the results."""
    known = list(dict.fromkeys(s.name for result in chosen for s in result.parameters))

    def check(name: str) -> None:
        if name not in known:
            near = did_you_mean(name, known)
            raise click.UsageError(
                f"no chosen result has a parameter {short(name)}{near}; they have "
                f"{', '.join(known)}"
            )

    return check

"""``cltheory check``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from .guard import Limits, Spent, cores, each, limit_memory, options
from .parameters import short
from .progress import track
from .writing import FORCE, check_writable, formats, write

MAX_MEMORY = 4  #: GB of what reads the files, beside those that --memory gives an equation

if TYPE_CHECKING:
    from .checking import Report


@click.command(
    "check",
    epilog="""\b
Examples:
  cltheory check paper.tex
  cltheory check . --format sarif --output cltheory.sarif
  cltheory check paper.tex notebooks --frozen cltheory.lock
In paper.tex, above a display, or before a row inside one:
  % cltheory: supcl-threshold.alpha_min
  % cltheory: supcl-threshold.tau_max [T -> tau, k -> m - 1] (n = oo)
""",
)
@click.argument("paths", nargs=-1, type=click.Path())
@formats(
    "text",
    "json",
    "sarif",
    "github",
    says="Output format; github: workflow commands, shown at the lines of a pull request.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False),
    help="Write the report there; the terminal gets it as text.",
)
@click.option(
    "--allow-sampled", is_flag=True, help="Accept agreement at sampled points for every equation."
)
@click.option(
    "--follow-outside",
    is_flag=True,
    help="Also read files that a paper inputs from outside the folders of PATHS (../, links).",
)
@click.option(
    "--frozen",
    metavar="LOCK",
    type=click.Path(exists=True, dir_okay=False),
    help="Also compare the derived formulas with those that cltheory freeze wrote.",
)
@FORCE
@options(time=5, memory=1, work="an equation")
@click.option("--require", is_flag=True, help="Exit 1 if no equation is marked (in CI).")
def check_command(
    paths: tuple[str, ...],
    style: str,
    output: str | None,
    force: bool,
    allow_sampled: bool,
    follow_outside: bool,
    frozen: str | None,
    seconds: float,
    gigabytes: float,
    require: bool,
) -> int:
    """Check that marked equations in PATHS say what was derived.

    PATHS are .tex, .md and .ipynb files, and folders of them (hidden and build folders are
    skipped). A comment "cltheory: RESULT.QUANTITY" marks the display under it; in Markdown
    it is <!-- cltheory: ... -->.

    Exit code: 0 all are equal; 1 one differs, is undecided, or agrees at sampled points only,
    or --require is given and none is marked;
    2 something could not be checked at all (a file, a directive, an equation that cannot be
    read), whatever else there is. Everything that can be checked is.
    """
    from .checking import check_papers
    from .papers import files_of, read_papers

    if not paths and frozen is None:
        raise click.UsageError("give a .tex, .md or .ipynb file, or a folder")
    if output is not None:
        check_writable(output, reads=(*paths, frozen), force=force)
    files, unreadable = files_of(paths)
    limits = Limits(seconds, gigabytes)
    limit_memory(MAX_MEMORY)
    folders = [p if os.path.isdir(p) else os.path.dirname(p) or "." for p in paths]
    papers = read_papers(files, None if follow_outside else folders)
    if output is not None:  # it may be in a folder that is checked, or be input by a paper
        check_writable(output, reads=[paper.path for paper in papers], force=force)
    report = check_papers(
        papers,
        allow_sampled=allow_sampled,
        track=lambda todo: track(todo, "checking"),
        limits=limits,
    )
    report.problems[:0] = unreadable
    if frozen is not None:
        report = _with_lock(report, frozen, limits)
    _show(report, style, output)
    if require and not report.marked:
        click.echo("cltheory: no equation is marked, and --require asks for one", err=True)
        return report.code or 1
    return report.code


def _with_lock(report: Report, path: str, limits: Limits) -> Report:
    from contextlib import closing
    from dataclasses import replace

    from ..derive.tex.text.document import decode
    from ..derive.write.lock import Entry, Equivalent, compare_lock, equivalent

    def decide(entries: Sequence[Entry]) -> Iterator[Equivalent]:
        def work(entry: Entry, _: object) -> Equivalent:
            return equivalent(entry)

        with closing(each(work, entries, limits, workers=cores())) as outcomes:
            for outcome in outcomes:
                yield f"decided: {outcome.why}" if isinstance(outcome, Spent) else outcome

    if not os.path.isfile(path):
        raise click.UsageError(f"{short(path)} is not a file")
    try:
        with open(path, "rb") as file:
            found = compare_lock(decode(file.read()), decide, os.path.dirname(path))
    except ValueError as error:
        raise click.UsageError(f"{path}: {error}") from None
    return replace(report, changes=found, lock=path)


def _show(report: Report, style: str, output: str | None) -> None:
    from .outputs import render, summary

    if output is None:
        click.echo(render(report, style))
        return
    write({output: render(report, style) + "\n"})
    click.echo(summary(report) if style == "text" else render(report, "text"))

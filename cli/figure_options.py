"""What the figures share: their options, and how they are measured, drawn and written."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from importlib import import_module
from importlib.util import find_spec
from inspect import cleandoc
from math import inf
from pathlib import Path
from typing import Any

import click

from .guard import Amount
from .numeric_options import (
    DEVICE,
    DTYPE,
    SCHEDULER,
    WORKERS,
    Decorator,
    need_torch,
    parse_dtype,
    parse_workers,
    seeds_of,
    text,
)
from .parameters import short
from .progress import counting
from .writing import FORCE, NewFile, check_different, check_writable, write

#: What is typed after the name of each figure, for the help texts; filled as figures are declared.
EXAMPLES: dict[str, tuple[str, ...]] = {}


def examples(*names: str, each: int | None = None) -> str:
    """What to type for figures, for the end of a help text; at most so many lines ``each``."""
    lines = [
        f"  cltheory figure {name} {words}" for name in names for words in EXAMPLES[name][:each]
    ]
    return "\b\nExamples:\n" + "\n".join(lines)


#: The cells of a figure, of its module and the options.
Cells = Callable[..., Any]


def _inches(option: str, text: str) -> float:
    """The width of a column of a paper, or inches."""
    from ..numeric.figures.look import NARROWEST, WIDEST, WIDTHS

    try:
        inches = WIDTHS.get(text) or float(text)
    except ValueError:
        inches = inf
    if not NARROWEST <= inches <= WIDEST:
        raise click.UsageError(
            f"{short(text)!r} is not a width: use {', '.join(WIDTHS)}, or {NARROWEST:g} to "
            f"{WIDEST:g} inches"
        )
    return inches


def together(*options: Decorator) -> Decorator:
    """Several options as one decorator."""
    return lambda command: reduce(lambda found, option: option(found), reversed(options), command)


def choice(name: str, values: str, says: str) -> Decorator:
    """An option that is one of some words, by default the first."""
    words = values.split()
    return click.option(name, type=click.Choice(words), default=words[0], help=says)


def whole(names: str, low: int, high: int | None, default: int | None, says: str) -> Decorator:
    """An option that is an integer."""
    kind = click.IntRange(low, high)
    return click.option(*names.split(), type=kind, default=default, help=says)


def real(names: str, default: float | None, says: str, **ends: Any) -> Decorator:
    """An option that is a number."""
    return click.option(*names.split(), type=Amount(**ends), default=default, help=says)


def declared(
    group: click.Group,
    name: str,
    says: str,
    *options: Decorator,
    cells: Cells = lambda on, **options: on.Grid(**options),
    shown: tuple[str, ...],
    needs: str = "",
    settings: dict[str, Any] | None = None,
    **shared: Any,
) -> None:
    """Declare a figure: its name, what its help says, its options, and examples.

    Its module has the same name. ``cells`` makes the experiment of the module and the options,
    which by default are the fields of its ``Grid``; options that were not given and have no
    default are left out. ``shared`` is as in `common`.
    """
    EXAMPLES[name] = shown

    def command(**options: Any) -> int:
        common_ones = {k: options.pop(k) for k in SHARED if k in options}
        own = {k: v for k, v in options.items() if v is not None}
        return made(name, lambda on, seeds: cells(on, **own, seeds=seeds), needs, **common_ones)

    command.__doc__ = cleandoc(says) + (f" {needs}: {SKLEARN}." if needs else "")
    decorated = together(*options, common(**shared))(command)
    group.command(name, epilog=examples(name), context_settings=settings or {})(decorated)


#: The options that all figures have, or some of them.
SHARED = (
    *("seeds", "dtype", "device", "tolerance", "out", "table", "width", "style", "svg_text"),
    *("caption", "force", "workers", "scheduler"),
)
#: What figures are written as.
FIGURES = (".pdf", ".svg", ".png", ".eps")
#: What a figure may need scikit-learn for.
DIGITS = "The digits are those of scikit-learn"
SKLEARN = "pip install 'cltheory[digits]'"


def common(
    seeds: str,
    of_seeds: str,
    tolerance: str = "",
    width: str = "two-column",
    *,
    dtype: bool = True,
) -> Decorator:
    """The options of all figures, and ``--tolerance`` if it is said what it is by default.

    Without ``dtype`` the precision is no matter of choice.
    """
    limit = click.option(
        "--tolerance",
        type=Amount(0, 1, min_open=True),
        help=f"Gradient norm at which a cell has converged (default: {tolerance}).",
    )
    path = NewFile(dir_okay=False, path_type=Path)
    kept = "CSV file of finished cells, from which a run resumes (default: OUT with .csv)."
    return together(
        text("--seeds", seeds, of_seeds, seeds_of),
        *([DTYPE] if dtype else []),
        DEVICE,
        *([limit] if tolerance else []),
        click.option("--out", type=path, help="PNG, PDF, SVG or EPS file (default: NAME.png)."),
        click.option("--table", type=path, help=kept),
        WORKERS,
        SCHEDULER,
        text(
            "--width",
            width,
            "Width of the figure: one-column is 3.25 inches, two-column is 6.75 inches.",
            _inches,
            metavar="one-column|two-column|INCHES",
        ),
        click.option(
            "--style",
            default="",
            show_default=False,
            help="Matplotlib style: a name or an .mplstyle file.",
        ),
        click.option(
            "--svg-text",
            type=click.Choice(["paths", "text"]),
            default="paths",
            help="Text in SVG files: outlines (paths), or text that needs the font installed.",
        ),
        click.option("--caption", type=path, help="Write a LaTeX caption to this file."),
        FORCE,
    )


def made(
    name: str,
    grid: Callable[[Any, tuple[int, ...]], Any],
    needs: str = "",
    *,
    seeds: list[int],
    device: str,
    out: Path | None,
    table: Path | None,
    width: float,
    style: str,
    svg_text: str,
    caption: Path | None,
    force: bool,
    workers: int,
    scheduler: str | None,
    dtype: str | None = None,
    **options: Any,
) -> int:
    """Measure and draw what ``grid`` makes of the figure's module and the seeds.

    The keywords are the options that figures share; ``needs`` says what scikit-learn is for, and
    all others go to the figure.
    """
    need_torch()
    if needs and find_spec("sklearn") is None:
        raise click.UsageError(f"this figure needs scikit-learn: {SKLEARN}")
    if find_spec("matplotlib") is None:
        raise click.UsageError("this command needs matplotlib: pip install 'cltheory[plot]'")
    options |= {"device": device, "workers": parse_workers(workers, scheduler)}
    if dtype is not None:
        options |= {"dtype": parse_dtype(dtype)}
    out = out or Path(f"{name}.png")
    table = table or out.with_suffix(".csv")
    files = {"out": out, "table": table, **({"caption": caption} if caption else {})}
    from ..numeric.figures.look import MARK, Look

    typed = [v for v in click.get_current_context().params.values() if isinstance(v, str)]
    for kind, path in files.items():  # a table is resumed, not replaced
        check_writable(path, reads=typed, force=force or kind == "table", mark=MARK)
    check_different(files)
    if out.suffix.lower() not in FIGURES:
        raise click.UsageError(
            f"cannot write {out}: its name must end in one of {', '.join(FIGURES)}"
        )
    look = Look(width, style, svg_text == "text")
    if style:
        look.tried()
    far = "before a cell was finished"

    def advance(done: int, whole: int) -> None:
        nonlocal far
        far = f"after {done} of {whole} cells, which are in {table}"
        show(done, whole, "")

    try:
        figure: Any = import_module(f"..numeric.figures.{name.replace('-', '_')}", __package__)
        cells = grid(figure, tuple(seeds))
        with counting(f"drawing {name}") as show:
            drawing = cells.draw(table, look=look, progress=advance, **options)
    except ValueError as refusal:
        if type(refusal) is not ValueError:  # ours, and the same for every command
            raise
        raise click.UsageError(str(refusal)) from None
    except KeyboardInterrupt:
        click.echo(
            f"cltheory: interrupted {far}; those being searched are lost, and the same command "
            "goes on with them",
            err=True,
        )
        return 130
    try:
        drawing.save(out)
        if caption is not None:
            write({caption: f"{drawing.caption}\n% {MARK}\n"})
    except (OSError, ValueError, RuntimeError) as refusal:
        why = getattr(refusal, "strerror", None) or refusal
        path = getattr(refusal, "filename", None) or out
        raise click.UsageError(f"cannot write {path}: {why}") from None
    stopped = f", {drawing.stopped} did not reach the tolerance" if drawing.stopped else ""
    click.echo(f"{out}: {len(drawing.rows)} cells in {table}, {drawing.says}{stopped}")
    return 0

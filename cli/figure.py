"""``cltheory figure``: one subcommand for each figure."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from importlib.util import find_spec
from itertools import combinations
from math import inf, isfinite, isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from ..derive.decide.spelling import did_you_mean
from .numeric_options import (
    DEVICE,
    DTYPE,
    is_count,
    need_torch,
    parse_device,
    parse_dtype,
    parse_seeds,
)
from .parameters import FilePath, pairs, short

if TYPE_CHECKING:
    from ..numeric.figures.drawing import Drawing


#: What to type for each figure.
EXAMPLES = {
    "ssem-fig2": (
        "--out fig2.pdf",
        "--d 50 --out fig-b1.pdf --width one-column",
        "--m 4 --n 5 --grid 8x10 --seeds 0,1,2 --caption fig2.tex",
        "--out fig2.svg --svg-text text --style my.mplstyle",
    ),
    "ccem-fig2": (
        "--N 4,8,16,32 --t 0.1:5:50 --out fig2.pdf",
        "--bias 0 --t 0.5,1,2,4",
    ),
    "ccem-fig3": ("--N 4,10 --t 0.5:3:6 --out fig3.pdf",),
    "phases": (
        "--loss supcl-exclusive --x alpha --y tau --m 3 --n 3 --p 2 --out phases.pdf",
        "--loss siglip --N 16 --x b --y t --x-range=-3:3 --points 6x6",
        "--loss my-loss.toml --x tau --y beta --alpha 1/2 --style grayscale",
    ),
}


def _examples(*names: str) -> str:
    lines = [f"  cltheory figure {name} {words}" for name in names for words in EXAMPLES[name]]
    return "\b\nExamples:\n" + "\n".join(lines)


class _Figures(click.Group):
    """The figures by name; an unknown one is refused with those that there are."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if not ctx.resilient_parsing and args[0] not in self.commands and args[0][:1] != "-":
            near = did_you_mean(args[0], self.commands)
            names = ", ".join(self.commands)
            ctx.fail(f"there is no figure {short(args[0])!r}{near}; there are {names}")
        return super().resolve_command(ctx, args)


@click.group(
    "figure",
    cls=_Figures,
    epilog=_examples("ssem-fig2", "ccem-fig2", "ccem-fig3", "phases"),
)
def figure_command() -> None:
    """Draw a figure: theory, and optimised embeddings (or encoders) beside or beneath it.

    Every finished cell is kept in a CSV table. A run that is interrupted goes on from it
    when the same command is given again.

    OUT is PDF, SVG, EPS or PNG by its name. Text is 8 pt at the width of the figure, fonts are
    embedded as TrueType, and the same cells give the same file.
    """


# --- what all of them share ---------------------------------------------------------------------
Decorator = Callable[[Any], Any]
#: What measures and draws: of the table, the seeds, and options of a sweep.
Draw = Callable[..., "Drawing"]


def _number(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    if value is not None and isnan(value):
        raise click.BadParameter("nan is not a number")
    return value


class _Width(click.ParamType):
    """The width of a column of a paper, or inches."""

    name = "width"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Inches."""
        from ..numeric.figures.look import NARROWEST, WIDEST, WIDTHS

        if isinstance(value, str) and value in WIDTHS:
            return WIDTHS[value]
        try:
            inches = float(value)
        except ValueError:
            inches = inf
        if not NARROWEST <= inches <= WIDEST:
            self.fail(
                f"{short(str(value))!r} is no width: {', '.join(WIDTHS)}, or {NARROWEST:g} to "
                f"{WIDEST:g} inches",
                param,
                ctx,
            )
        return inches

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The names of widths."""
        from ..numeric.figures.look import WIDTHS

        return [CompletionItem(name) for name in WIDTHS if name.startswith(incomplete)]


class _Style(click.ParamType):
    """A style of matplotlib by name, or a file of settings."""

    name = "style"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The names that matplotlib knows, then files."""
        if find_spec("matplotlib") is None:
            return []
        from matplotlib.style import available

        found = [CompletionItem(name) for name in available if name.startswith(incomplete)]
        return [*found, CompletionItem(incomplete, type="file")]


def _together(*options: Decorator) -> Decorator:
    return lambda command: reduce(lambda found, option: option(found), reversed(options), command)


def _shared(seeds: str, of_seeds: str, tolerance: str = "", width: str = "two-column") -> Decorator:
    """The options of all figures, and ``--tolerance`` if it is said what it is by default."""
    limit = click.option(
        "--tolerance",
        type=click.FloatRange(0, 1, min_open=True),
        callback=_number,
        help=f"Gradient norm at which a cell is done; by default {tolerance}.",
    )
    path = FilePath(dir_okay=False, path_type=Path)
    kept = "CSV that the cells are kept in, and resumed from; by default OUT with .csv."
    return _together(
        click.option("--seeds", default=seeds, show_default=True, help=of_seeds),
        DTYPE,
        DEVICE,
        *([limit] if tolerance else []),
        click.option("--out", type=path, help="NAME.png by default; .pdf, .svg and .eps as well."),
        click.option("--table", type=path, help=kept),
        click.option(
            "--width",
            type=_Width(),
            default=width,
            show_default=True,
            metavar="one-column|two-column|INCHES",
            help="Of the figure: 3.25 and 6.75 inches, or your own.",
        ),
        click.option(
            "--style",
            type=_Style(),
            default="",
            help="A style of matplotlib by name, or a file of its settings (.mplstyle).",
        ),
        click.option(
            "--svg-text",
            type=click.Choice(["paths", "text"]),
            default="paths",
            show_default=True,
            help="Text in SVG as outlines, or as text for who has the font.",
        ),
        click.option("--caption", type=path, help="Write a caption as well, as LaTeX."),
    )


def _drawn(
    name: str,
    draw: Draw,
    *,
    seeds: str,
    dtype: str,
    device: str,
    out: Path | None,
    table: Path | None,
    width: float,
    style: str,
    svg_text: str,
    caption: Path | None,
    **options: Any,
) -> int:
    """Measure and draw; the keywords are the options that figures share."""
    chosen = tuple(parse_seeds(seeds))
    need_torch()
    if find_spec("matplotlib") is None:
        raise click.UsageError("this command needs matplotlib: pip install 'cltheory[plot]'")
    options |= {"dtype": parse_dtype(dtype), "device": parse_device(device)}
    out = out or Path(f"{name}.png")
    table = table or out.with_suffix(".csv")
    files = {"figure": out, "table": table, **({"caption": caption} if caption else {})}
    for path in files.values():
        _check_writable(path)
    for first, second in combinations(files, 2):
        if files[first].resolve() == files[second].resolve():
            raise click.UsageError(
                f"the {first} would replace its {second} {files[second]}: give another --{second}"
            )
    _check_format(out)
    from ..numeric.figures.look import Look, StyleError

    look = Look(width, style, svg_text == "text")
    try:
        if style:
            look.tried()
    except StyleError as refusal:
        raise click.UsageError(str(refusal)) from None
    from ..numeric.table import TableError

    try:
        drawing = draw(table, chosen, look=look, **options, progress=sys.stderr.isatty())
    except ValueError as refusal:
        if type(refusal) not in (ValueError, TableError):  # ours, and the same for every command
            raise
        raise click.UsageError(str(refusal)) from None
    except KeyboardInterrupt:
        click.echo(
            f"cltheory: interrupted; the finished cells are in {table}, and the same command "
            "goes on from there",
            err=True,
        )
        return 130
    try:
        drawing.save(out)
        if caption is not None:
            caption.write_text(drawing.caption + "\n", encoding="utf-8")
    except (OSError, ValueError, RuntimeError) as refusal:  # .pgf without LaTeX is the last
        why = getattr(refusal, "strerror", None) or refusal
        path = getattr(refusal, "filename", None) or out
        raise click.UsageError(f"cannot write {path}: {why}") from None
    stopped = f", {drawing.stopped} did not reach the tolerance" if drawing.stopped else ""
    click.echo(f"{out}: {len(drawing.rows)} cells in {table}, {drawing.says}{stopped}")
    return 0


# --- lee2025ssem --------------------------------------------------------------------------------
@figure_command.command("ssem-fig2", epilog=_examples("ssem-fig2"))
@click.option("--m", type=click.IntRange(min=2), default=10, show_default=True, help="Classes.")
@click.option("--n", type=click.IntRange(min=2), default=10, show_default=True, help="Instances.")
@click.option("--p", type=click.IntRange(min=1), default=2, show_default=True, help="Views.")
@click.option("--d", type=click.IntRange(min=1), help="Embedding dimension; by default m n.")
@click.option("--grid", default="20x20", show_default=True, help="Cells: ALPHASxTAUS, or one.")
@click.option("--cold", is_flag=True, help="Start every cell from its seed, not a neighbour.")
@_shared("0", "Seeds 0,1,2, which are averaged over.", "1e-12, or 1e-5 for d < m n - 1")
def ssem_fig2(m: int, n: int, p: int, d: int | None, grid: str, cold: bool, **shared: Any) -> int:
    """Figure 2 of lee2025ssem: within-class variance, derived and optimised.

    The derived threshold is upon both maps, as alpha_min and as tau_max.
    """
    alphas, taus = _axes(grid)

    def drawn(table: Path, seeds: tuple[int, ...], **options: Any) -> Drawing:
        from ..numeric.figures.ssem_fig2 import Grid, draw

        return draw(Grid(m, n, p, d or m * n, alphas, taus, seeds), table, cold=cold, **options)

    return _drawn("ssem-fig2", drawn, **shared)


# --- lee2024sigmoid -----------------------------------------------------------------------------
_TOWERS = _together(
    click.option("--N", "items", metavar="LIST", help="Numbers of items, 4,8,16."),
    click.option(
        "--t", "temperatures", metavar="LIST", help="Temperatures, 0.5,1,2 or LOW:HIGH:COUNT."
    ),
    click.option("--bias", type=float, callback=_number, help="One bias b; by default b = t."),
)
_OF_LEAST = "Seeds 0,1,2, of which the least loss is taken."


@figure_command.command("ccem-fig2", epilog=_examples("ccem-fig2"))
@_TOWERS
@_shared("0,1,2,3", _OF_LEAST, "1e-12, or 1e-5 for d = N/2")
def ccem_fig2(**given: Any) -> int:
    """Figure 2 of lee2024sigmoid: similarity of positives, derived, and for d = N and d = N/2."""
    return _of_towers("ccem-fig2", **given)


@figure_command.command("ccem-fig3", epilog=_examples("ccem-fig3"))
@_TOWERS
@_shared("0", _OF_LEAST)
def ccem_fig3(**given: Any) -> int:
    """Figure 3 of lee2024sigmoid: similarity of positives, derived, and for trained encoders."""
    return _of_towers("ccem-fig3", **given)


def _of_towers(
    name: str, items: str | None, temperatures: str | None, bias: float | None, **shared: Any
) -> int:
    counts = None if items is None else _counts(items)
    points = None if temperatures is None else _temperatures(temperatures)

    def drawn(table: Path, seeds: tuple[int, ...], **options: Any) -> Drawing:
        from ..numeric.figures import ccem_fig2, ccem_fig3

        figure: Any = {"ccem-fig2": ccem_fig2, "ccem-fig3": ccem_fig3}[name]
        change = {"items": counts, "temperatures": points}
        grid = replace(
            figure.GRID, **{k: v for k, v in change.items() if v}, bias=bias, seeds=seeds
        )
        found: Drawing = figure.draw(grid, table, **options)
        return found

    return _drawn(name, drawn, **shared)


# --- any loss -----------------------------------------------------------------------------------
@figure_command.command(
    "phases", context_settings={"ignore_unknown_options": True}, epilog=_examples("phases")
)
@click.argument("parameters", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--loss", default="supcl", show_default=True, help="A name of the catalogue, or a TOML file."
)
@click.option("--x", help="Parameter of the horizontal axis; by default the first.")
@click.option("--y", help="Parameter of the vertical axis; by default the next.")
@click.option("--x-range", metavar="LOW:HIGH", help="What is drawn of it.")
@click.option("--y-range", metavar="LOW:HIGH", help="What is drawn of it.")
@click.option("--points", default="8x8", show_default=True, help="Optimised embeddings: XxY.")
@click.option("--d", type=click.IntRange(min=1), help="Dimension; by default 2 more than needed.")
@_shared("0", "Seeds 0,1,2: each is a point.", "1e-12", width="one-column")
def phases(
    parameters: tuple[str, ...],
    loss: str,
    x: str | None,
    y: str | None,
    x_range: str | None,
    y_range: str | None,
    points: str,
    d: int | None,
    **shared: Any,
) -> int:
    """Which structure is optimal over two parameters of a loss, and optimised embeddings.

    PARAMETERS are --name value pairs of the loss and its structure; what is not given takes
    small defaults. Points have the colour and shape of the structure that was measured; curves
    are the derived borders, put back into the conditions that they come from.
    """
    given = pairs(parameters)
    counts = _counted("--points", points)
    limits = {"x": _range("--x-range", x_range), "y": _range("--y-range", y_range)}

    def drawn(table: Path, seeds: tuple[int, ...], **options: Any) -> Drawing:
        from ..derive.problems.catalogue import named
        from ..numeric.figures.phases import draw
        from ..numeric.figures.plane import plane

        on = plane(named(loss), given, x, y, limits, points=counts, seeds=seeds, given_d=d)
        return draw(on, table, **options)

    return _drawn("phases", drawn, **shared)


def _range(option: str, text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        low, high = (float(part) for part in text.split(":"))
    except ValueError:
        low, high = inf, inf
    if not (isfinite(low) and isfinite(high) and low < high):
        raise click.UsageError(f"{option} takes two numbers such as 0.1:2, not {short(text)!r}")
    return low, high


# --- lists --------------------------------------------------------------------------------------
def _counts(text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")]
    if not all(is_count(part) and len(part) < 5 and int(part) >= 2 for part in parts):
        raise click.UsageError(
            f"--N takes numbers of items from 2 on, such as 4,8, not {short(text)!r}"
        )
    found = tuple(sorted({int(part) for part in parts}))
    if len(found) < 2:
        raise click.UsageError("--N takes at least two different numbers of items")
    return found


def _temperatures(text: str) -> tuple[float, ...]:
    wrong = click.UsageError(
        f"--t takes two or more positive numbers such as 0.5,1,2 or 0.1:5:50, not {short(text)!r}"
    )
    try:
        if ":" in text:
            low, high, count = text.split(":")
            steps = int(count) - 1
            if not (0 < steps < 1000 and float(low) < float(high)):
                raise wrong
            found = [float(low) + (float(high) - float(low)) * k / steps for k in range(steps + 1)]
        else:
            found = [float(part) for part in text.split(",")]
    except ValueError:
        raise wrong from None
    distinct = tuple(sorted({round(t, 12) for t in found}))
    if len(distinct) < 2 or not all(0 < t < inf for t in distinct):
        raise wrong
    return distinct


def _check_writable(path: Path) -> None:
    """Refuse what cannot be written before the cells are computed."""
    folder = path.resolve().parent
    if not folder.is_dir():
        raise click.UsageError(f"there is no folder {path.parent}")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise click.UsageError(f"cannot write {path}: permission denied")


def _check_format(out: Path) -> None:
    """Refuse a format that cannot be written before the cells are computed."""
    from matplotlib.backend_bases import FigureCanvasBase

    known = sorted(FigureCanvasBase.get_supported_filetypes())
    if out.suffix[1:].lower() not in known:
        raise click.UsageError(
            f"cannot write {out}: its name must end in one of {', '.join(known)}"
        )


def _counted(option: str, text: str) -> tuple[int, int]:
    """Two counts from 2 on, or one for both."""
    parts = text.lower().split("x")
    if len(parts) == 1:
        parts *= 2
    fine = all(is_count(p) and len(p) < 5 and 2 <= int(p) <= 1000 for p in parts)
    if len(parts) != 2 or not fine:
        raise click.UsageError(f"{option} takes two counts such as 20x20, not {short(text)!r}")
    return int(parts[0]), int(parts[1])


def _axes(text: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
    a, t = _counted("--grid", text)
    return (
        tuple(round(k / (a - 1), 12) for k in range(a)),
        tuple(round((k + 1) / t, 12) for k in range(t)),
    )

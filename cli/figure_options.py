"""What the figures share: their options, and how they are measured, drawn and written."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import reduce
from importlib import import_module
from importlib.util import find_spec
from itertools import combinations
from math import inf, isnan
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from .numeric_options import DEVICE, DTYPE, need_torch, parse_device, parse_dtype, parse_seeds
from .parameters import FilePath, short
from .writing import FORCE, check_writable, write

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
    "imbalance-fig4": (
        "--out fig4.pdf",
        "--sizes 4,4,4 --sizes 2,2,8 --sizes 2,4,6 --tau 0.2 --seeds 0,1",
    ),
    "soft-supcon-fig2": ("--out fig2.pdf", "--q 7:12 --seeds 0,1,2,3,4", "--q 2,8,9 --steps 100"),
    "y-aware-fig5": ("--out fig5.pdf", "--seeds 0 --steps 2000 --style grayscale"),
    "band-fig1": (
        "--out fig1.pdf",
        "--seeds 0,1,2,3,4,5,6,7 --batches 1250",
        "--tau 0.1,0.2 --lambda1 0.3 --n 64 --d 128",
    ),
    "band-fig2": (
        "--out fig2.pdf",
        "--seeds 0,1,2,3 --batches 1250",
        "--lambda1 0.42 --cosine 0.9",
    ),
    "band-correlated": ("--out a4.pdf", "--N 62,254 --alpha 0,0.02,0.1 --seeds 0,1,2"),
    "band-anisotropy": ("--out a10.pdf", "--deviation 0,6,30,100,300 --d 128 --n 512"),
    "band-whitening": ("--out whitening.pdf", "--tau 0.1 --lambda1 0.6 --batches 200"),
    "diversity-digits": (
        "--out digits.pdf",
        "--methods random,P2,greedy-16 --steps 600 --seeds 0,1,2,3,4",
    ),
    "spectral-fig3": (
        "--out fig3.pdf",
        "--d 2,5 --seeds 0,1,2,3,4 --negatives batch",
        "--p 0.5 --q 0.1 --n 4 --k 30 --kernel exponential --gamma 1 --sphere",
    ),
    "kernels-digits": (
        "--out kernels.pdf",
        "--gamma 0.5,1,3 --mixtures none --tau 0.05,0.1,0.2 --seeds 0,1,2",
    ),
    "phases": (
        "--loss supcl-exclusive --x alpha --y tau --m 3 --n 3 --p 2 --out phases.pdf",
        "--loss siglip --N 16 --x b --y t --x-range=-3:3 --points 6x6",
        "--loss my-loss.toml --x tau --y beta --alpha 1/2 --style grayscale",
    ),
}


def examples(*names: str) -> str:
    """What to type for figures, for the end of a help text."""
    lines = [f"  cltheory figure {name} {words}" for name in names for words in EXAMPLES[name]]
    return "\b\nExamples:\n" + "\n".join(lines)


Decorator = Callable[[Any], Any]
#: The cells of a figure, of its module and the seeds.
Cells = Callable[[Any, tuple[int, ...]], Any]


def a_number(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Refuse nan."""
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
                f"{short(str(value))!r} is not a width: use {', '.join(WIDTHS)}, or {NARROWEST:g} "
                f"to {WIDEST:g} inches",
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


def together(*options: Decorator) -> Decorator:
    """Several options as one decorator."""
    return lambda command: reduce(lambda found, option: option(found), reversed(options), command)


def training(steps: int) -> Decorator:
    """How encoders of digits are trained."""
    return together(
        click.option(
            "--steps", type=click.IntRange(1, 10**6), default=steps, help="Encoder training steps."
        ),
        click.option(
            "--batch", type=click.IntRange(4, 256), default=64, help="Images per batch (two views)."
        ),
    )


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
        type=click.FloatRange(0, 1, min_open=True),
        callback=a_number,
        help=f"Gradient norm at which a cell has converged (default: {tolerance}).",
    )
    path = FilePath(dir_okay=False, path_type=Path)
    kept = "CSV file of finished cells, from which a run resumes (default: OUT with .csv)."
    return together(
        click.option("--seeds", default=seeds, help=of_seeds),
        *([DTYPE] if dtype else []),
        DEVICE,
        *([limit] if tolerance else []),
        click.option("--out", type=path, help="PNG, PDF, SVG or EPS file (default: NAME.png)."),
        click.option("--table", type=path, help=kept),
        click.option(
            "--width",
            type=_Width(),
            default=width,
            metavar="one-column|two-column|INCHES",
            help="Width of the figure: one-column is 3.25 inches, two-column is 6.75 inches.",
        ),
        click.option(
            "--style",
            type=_Style(),
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
    grid: Cells,
    *,
    seeds: str,
    device: str,
    out: Path | None,
    table: Path | None,
    width: float,
    style: str,
    svg_text: str,
    caption: Path | None,
    force: bool,
    dtype: str | None = None,
    digits: bool = False,
    **options: Any,
) -> int:
    """Measure and draw what ``grid`` makes of the figure's module and the seeds.

    The keywords are the options that figures share; ``digits`` tells whether encoders are trained
    on those of scikit-learn, and all others go to the figure.
    """
    chosen = tuple(parse_seeds(seeds))
    need_torch()
    if digits and find_spec("sklearn") is None:
        raise click.UsageError("the digits need scikit-learn: pip install 'cltheory[digits]'")
    if find_spec("matplotlib") is None:
        raise click.UsageError("this command needs matplotlib: pip install 'cltheory[plot]'")
    options |= {"device": parse_device(device)}
    if dtype is not None:
        options |= {"dtype": parse_dtype(dtype)}
    out = out or Path(f"{name}.png")
    table = table or out.with_suffix(".csv")
    files = {"figure": out, "table": table, **({"caption": caption} if caption else {})}
    from ..numeric.figures.look import MARK, Look, StyleError

    for kind, path in files.items():  # a table is resumed, not replaced
        check_writable(path, force=force or kind == "table", mark=MARK)
    for first, second in combinations(files, 2):
        if files[first].resolve() == files[second].resolve():
            raise click.UsageError(
                f"the {first} would replace its {second} {files[second]}: give another --{second}"
            )
    _check_format(out)
    look = Look(width, style, svg_text == "text")
    try:
        if style:
            look.tried()
    except StyleError as refusal:
        raise click.UsageError(str(refusal)) from None
    from ..numeric.running.table import TableError

    try:
        figure: Any = import_module(f"..numeric.figures.{name.replace('-', '_')}", __package__)
        cells, progress = grid(figure, chosen), sys.stderr.isatty()
        drawing = figure.draw(cells, table, look=look, **options, progress=progress)
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
            write({caption: f"{drawing.caption}\n% {MARK}\n"})
    except (OSError, ValueError, RuntimeError) as refusal:  # .pgf without LaTeX is the last
        why = getattr(refusal, "strerror", None) or refusal
        path = getattr(refusal, "filename", None) or out
        raise click.UsageError(f"cannot write {path}: {why}") from None
    stopped = f", {drawing.stopped} did not reach the tolerance" if drawing.stopped else ""
    click.echo(f"{out}: {len(drawing.rows)} cells in {table}, {drawing.says}{stopped}")
    return 0


def _check_format(out: Path) -> None:
    """Refuse a format that cannot be written before the cells are computed."""
    from matplotlib.backend_bases import FigureCanvasBase

    known = sorted(FigureCanvasBase.get_supported_filetypes())
    if out.suffix[1:].lower() not in known:
        raise click.UsageError(
            f"cannot write {out}: its name must end in one of {', '.join(known)}"
        )

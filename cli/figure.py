"""``cltheory figure``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import find_spec
from math import inf, isnan
from pathlib import Path
from typing import Any, NamedTuple

import click
from click.core import ParameterSource

from .numeric_options import DEVICE, DTYPE, need_torch, parse_device, parse_dtype, parse_seeds
from .parameters import FilePath

FIGURES = ("ssem-fig2", "ccem-fig2", "ccem-fig3")
# Options that mean something to some figures only.
_OWN = {
    "ssem-fig2": ("m", "n", "p", "d", "grid", "cold"),
    "ccem-fig2": ("items", "temperatures", "bias"),
    "ccem-fig3": ("items", "temperatures", "bias"),
}


def _number(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    if value is not None and isnan(value):
        raise click.BadParameter("nan is not a number")
    return value


@click.command(
    "figure",
    epilog="""\b
Examples:
  cltheory figure ssem-fig2
  cltheory figure ssem-fig2 --d 50 --out fig-b1.pdf
  cltheory figure ssem-fig2 --m 4 --n 5 --grid 8x10 --seeds 0,1,2
  cltheory figure ccem-fig2 --N 4,8,16,32 --t 0.1:5:50
  cltheory figure ccem-fig2 --bias 0 --t 0.5,1,2,4
  cltheory figure ccem-fig3 --N 4,10 --t 0.5:3:6
""",
)
@click.argument("name", type=click.Choice(FIGURES))
@click.option("--m", type=click.IntRange(min=2), default=10, show_default=True, help="Classes.")
@click.option("--n", type=click.IntRange(min=2), default=10, show_default=True, help="Instances.")
@click.option("--p", type=click.IntRange(min=1), default=2, show_default=True, help="Views.")
@click.option("--d", type=click.IntRange(min=1), help="Embedding dimension; by default m n.")
@click.option("--grid", default="20x20", show_default=True, help="Cells: ALPHASxTAUS, or one.")
@click.option(
    "--N", "items", metavar="LIST", help="ccem: numbers of items, 4,8,16. With d = N and d = N/2."
)
@click.option(
    "--t", "temperatures", metavar="LIST", help="ccem: temperatures, 0.5,1,2 or LOW:HIGH:COUNT."
)
@click.option("--bias", type=float, callback=_number, help="ccem: one bias b; by default b = t.")
@click.option(
    "--seeds",
    default="0",
    show_default=True,
    help="Seeds 0,1,2: averaged over in ssem-fig2, the least loss taken in ccem (0,1,2,3 in fig2).",
)
@DTYPE
@DEVICE
@click.option("--cold", is_flag=True, help="Start every cell from its seed, not a neighbour.")
@click.option(
    "--tolerance",
    type=click.FloatRange(0, 1, min_open=True),
    callback=_number,
    help="Gradient norm at which a cell is done; by default 1e-12, or 1e-5 for d < m n - 1.",
)
@click.option("--out", type=FilePath(dir_okay=False, path_type=Path), help="NAME.png by default.")
@click.option(
    "--table",
    type=FilePath(dir_okay=False, path_type=Path),
    help="CSV that the cells are kept in, and resumed from; by default OUT with .csv.",
)
@click.pass_context
def figure_command(
    ctx: click.Context,
    name: str,
    m: int,
    n: int,
    p: int,
    d: int | None,
    grid: str,
    items: str | None,
    temperatures: str | None,
    bias: float | None,
    seeds: str,
    dtype: str,
    device: str,
    cold: bool,
    tolerance: float | None,
    out: Path | None,
    table: Path | None,
) -> int:
    """Draw the figure NAME: theory above, optimised embeddings (or encoders) below.

    Every finished cell is kept in a CSV table. A run that is interrupted goes on from it
    when the same command is given again.
    """
    given = {k for k in ctx.params if ctx.get_parameter_source(k) is not ParameterSource.DEFAULT}
    _check_options(ctx, name, given)
    alphas, taus = _axes(grid)
    chosen = tuple(parse_seeds(seeds))
    counts = None if items is None else _counts(items)
    points = None if temperatures is None else _temperatures(temperatures)
    need_torch()
    if find_spec("matplotlib") is None:
        raise click.UsageError("this command needs matplotlib: pip install 'cltheory[plot]'")
    options: dict[str, Any] = {
        "dtype": parse_dtype(dtype),
        "device": parse_device(device),
        "progress": sys.stderr.isatty(),
    }
    out = out or Path(f"{name}.png")
    table = table or out.with_suffix(".csv")
    for path in (out, table):
        if not path.resolve().parent.is_dir():
            raise click.UsageError(f"there is no folder {path.parent}")
    _check_format(out)
    from ..numeric.table import TableError

    try:
        if name == "ssem-fig2":
            options |= {"cold": cold, "tolerance": tolerance}
            drawing = _ssem(m, n, p, d or m * n, alphas, taus, chosen, table, options)
        else:
            if name == "ccem-fig2":
                options["tolerance"] = tolerance
            chosen = chosen if "seeds" in given else ()
            drawing = _ccem(name, counts, points, bias, chosen, table, options)
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
        drawing.figure().savefig(out, dpi=150)
    except (OSError, ValueError) as refusal:
        raise click.UsageError(f"cannot write {out}: {refusal}") from None
    click.echo(
        f"{out}: {drawing.cells} cells in {table}, {drawing.says}"
        + (f", {drawing.stopped} did not reach the tolerance" if drawing.stopped else "")
    )
    return 0


class _Drawing(NamedTuple):
    """A figure to be drawn, and what to say of its cells."""

    figure: Callable[[], Any]
    cells: int
    says: str
    stopped: int


def _ssem(
    m: int,
    n: int,
    p: int,
    d: int,
    alphas: tuple[float, ...],
    taus: tuple[float, ...],
    seeds: tuple[int, ...],
    table: Path,
    options: dict[str, Any],
) -> _Drawing:
    from ..numeric.figures import Grid, measure, measured, predicted, ssem_fig2

    cells = Grid(m, n, p, d, alphas, taus, seeds)
    rows = measure(cells, table, **options)
    worst = float(abs(measured(cells, rows) - predicted(cells)).max())
    return _Drawing(
        lambda: ssem_fig2(cells, rows),
        len(rows),
        f"largest difference from theory {worst:.2g}, "
        f"largest certified gap {max(r.gap for r in rows):.2g}",
        sum(r.stop != "converged" for r in rows),
    )


def _ccem(
    name: str,
    items: tuple[int, ...] | None,
    temperatures: tuple[float, ...] | None,
    bias: float | None,
    seeds: tuple[int, ...],
    table: Path,
    options: dict[str, Any],
) -> _Drawing:
    from ..numeric import tower_figures as f

    default = f.TowerGrid() if name == "ccem-fig2" else f.ENCODER_GRID
    grid = f.TowerGrid(
        items or default.items,
        temperatures or default.temperatures,
        bias,
        seeds or default.seeds,
    )
    theory = f.predicted_similarity(grid)
    if name == "ccem-fig2":
        rows = f.measure_towers(grid, table, **options)
        wide = abs(f.measured_similarity(grid, rows) - theory).max()
        tight = abs(f.measured_similarity(grid, rows, half_dimension=True) - theory).max()
        return _Drawing(
            lambda: f.ccem_fig2(grid, rows),
            len(rows),
            f"largest difference of s from theory {wide:.2g} for d = N (certified gap "
            f"{max(r.gap for r in rows if r.d == r.N):.2g}) and {tight:.2g} for d = N/2",
            sum(r.stop != "converged" for r in rows),
        )
    trained = f.measure_encoders(grid, table, **options)
    parts = []
    for encoder in dict.fromkeys(r.encoder for r in trained):
        off = abs(f.encoder_similarity(grid, trained, encoder) - theory).max()
        dead = sum(r.dead > 0 for r in trained if r.encoder == encoder)
        parts.append(f"{off:.2g} for {encoder}" + (f" ({dead} with dead outputs)" if dead else ""))
    return _Drawing(
        lambda: f.ccem_fig3(grid, trained),
        len(trained),
        "largest difference of s from theory " + ", ".join(parts),
        sum(r.stop != "converged" for r in trained),
    )


def _check_options(ctx: click.Context, name: str, given: set[str]) -> None:
    """Refuse options that the figure has no use for."""
    others = {option for figure in _OWN.values() for option in figure} - set(_OWN[name])
    if name == "ccem-fig3":
        others.add("tolerance")
    for parameter in ctx.command.params:
        if parameter.name in given & others:
            raise click.UsageError(f"{name} takes no {parameter.opts[0]}")


def _counts(text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdigit() and len(part) < 5 and int(part) >= 2 for part in parts):
        raise click.UsageError(f"--N takes numbers of items from 2 on, such as 4,8, not {text!r}")
    found = tuple(sorted({int(part) for part in parts}))
    if len(found) < 2:
        raise click.UsageError("--N takes at least two different numbers of items")
    return found


def _temperatures(text: str) -> tuple[float, ...]:
    wrong = click.UsageError(
        f"--t takes two or more positive numbers such as 0.5,1,2 or 0.1:5:50, not {text!r}"
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


def _check_format(out: Path) -> None:
    """Refuse a format that cannot be written before the cells are computed."""
    from matplotlib.backend_bases import FigureCanvasBase

    known = sorted(FigureCanvasBase.get_supported_filetypes())
    if out.suffix[1:].lower() not in known:
        raise click.UsageError(
            f"cannot write {out}: its name must end in one of {', '.join(known)}"
        )


def _axes(text: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
    parts = text.lower().split("x")
    if len(parts) == 1:
        parts *= 2
    if len(parts) != 2 or not all(p.isdigit() and 2 <= int(p) <= 1000 for p in parts):
        raise click.UsageError(f"--grid takes two counts such as 20x20, not {text!r}")
    a, t = int(parts[0]), int(parts[1])
    return (
        tuple(round(k / (a - 1), 12) for k in range(a)),
        tuple(round((k + 1) / t, 12) for k in range(t)),
    )

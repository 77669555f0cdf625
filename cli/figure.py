"""``cltheory figure``."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from math import isnan
from pathlib import Path

import click

from .numeric_options import DEVICE, DTYPE, need_torch, parse_device, parse_dtype, parse_seeds

FIGURES = ("ssem-fig2",)


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
""",
)
@click.argument("name", type=click.Choice(FIGURES))
@click.option("--m", type=click.IntRange(min=2), default=10, show_default=True, help="Classes.")
@click.option("--n", type=click.IntRange(min=2), default=10, show_default=True, help="Instances.")
@click.option("--p", type=click.IntRange(min=1), default=2, show_default=True, help="Views.")
@click.option("--d", type=click.IntRange(min=1), help="Embedding dimension; by default m n.")
@click.option("--grid", default="20x20", show_default=True, help="Cells: ALPHASxTAUS, or one.")
@click.option("--seeds", default="0", show_default=True, help="Seeds, averaged over: 0,1,2.")
@DTYPE
@DEVICE
@click.option("--cold", is_flag=True, help="Start every cell from its seed, not a neighbour.")
@click.option(
    "--tolerance",
    type=click.FloatRange(0, 1, min_open=True),
    callback=_number,
    help="Gradient norm at which a cell is done; by default 1e-12, or 1e-5 for d < m n - 1.",
)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="NAME.png by default.")
@click.option(
    "--table",
    type=click.Path(dir_okay=False, path_type=Path),
    help="CSV that the cells are kept in, and resumed from; by default OUT with .csv.",
)
def figure_command(
    name: str,
    m: int,
    n: int,
    p: int,
    d: int | None,
    grid: str,
    seeds: str,
    dtype: str,
    device: str,
    cold: bool,
    tolerance: float | None,
    out: Path | None,
    table: Path | None,
) -> int:
    """Draw the figure NAME: theory above, optimised embeddings below.

    Every finished cell is kept in a CSV table. A run that is interrupted goes on from it
    when the same command is given again.
    """
    alphas, taus = _axes(grid)
    chosen = parse_seeds(seeds)
    need_torch()
    if find_spec("matplotlib") is None:
        raise click.UsageError("this command needs matplotlib: pip install 'cltheory[plot]'")
    where = parse_device(device)
    out = out or Path(f"{name}.png")
    table = table or out.with_suffix(".csv")
    for path in (out, table):
        if not path.resolve().parent.is_dir():
            raise click.UsageError(f"there is no folder {path.parent}")
    _check_format(out)
    from ..numeric.figures import Grid, measure, predicted, ssem_fig2
    from ..numeric.figures import measured as collect
    from ..numeric.table import TableError

    cells = Grid(m, n, p, d or m * n, alphas, taus, tuple(chosen))
    try:
        rows = measure(
            cells,
            table,
            dtype=parse_dtype(dtype),
            device=where,
            cold=cold,
            tolerance=tolerance,
            progress=sys.stderr.isatty(),
        )
    except (TableError, ValueError) as refusal:
        raise click.UsageError(str(refusal)) from None
    except KeyboardInterrupt:
        click.echo(
            f"cltheory: interrupted; the finished cells are in {table}, and the same command "
            "goes on from there",
            err=True,
        )
        return 130
    try:
        ssem_fig2(cells, rows).savefig(out, dpi=150)
    except (OSError, ValueError) as refusal:
        raise click.UsageError(f"cannot write {out}: {refusal}") from None
    worst = float(abs(collect(cells, rows) - predicted(cells)).max())
    stopped = sum(r.stop != "converged" for r in rows)
    click.echo(
        f"{out}: {len(rows)} cells in {table}, largest difference from theory {worst:.2g}, "
        f"largest certified gap {max(r.gap for r in rows):.2g}"
        + (f", {stopped} did not reach the tolerance" if stopped else "")
    )
    return 0


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

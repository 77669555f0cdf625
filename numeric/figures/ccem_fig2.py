"""Figure 2 of lee2024sigmoid: theory, towers with d = N, towers with d = N/2."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from ...derive.results import results
from ...derive.structures.arrangement import Arrangement
from ...derive.structures.towers import NEGATIVE, POSITIVE
from ..measure import inner_products, spreads
from ..sweep import SEARCHED, key, sweep
from ..table import Row, layout
from .drawing import LOOSE, Drawing, asked, dtype_name, in_table, largest_gap
from .towers import PLACE, TowerGrid, best, draw_panels, predicted_similarity

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MEASURED = ("similarity", "positive", "negative", "positive_spread", "negative_spread")
COLUMNS = layout((*PLACE, "seed", *MEASURED, *SEARCHED, "dtype", "device", "tolerance"), "N")
#: Where d is too small for the structure some starts end in local minima, hence four seeds.
GRID = TowerGrid()


def half(N: int) -> int:
    """The paper's smaller dimension."""
    return -(-N // 2)


def aligned(arrangement: Arrangement, u: Tensor) -> dict[str, Tensor]:
    """The columns :data:`MEASURED`; the similarity is the paper's s."""
    means, off = inner_products(arrangement, u), spreads(arrangement, u)
    return {
        "similarity": (1 + means[POSITIVE]) / 2,
        "positive": means[POSITIVE],
        "negative": means[NEGATIVE],
        "positive_spread": off[POSITIVE],
        "negative_spread": off[NEGATIVE],
    }


def measure(
    grid: TowerGrid,
    path: Path,
    *,
    dtype: torch.dtype = torch.float64,
    tolerance: float | None = None,
    **options: Any,
) -> list[Row]:
    """Optimise every cell that the table lacks; ``options`` are those of a sweep."""
    problem = results["sigmoid-optimum"].problem
    assert problem is not None

    def cells(small: bool) -> list[dict[str, float | int]]:
        return [
            {"N": N, "d": half(N) if small else N, "t": t, "b": b, "seed": seed}
            for N in grid.items
            for seed in grid.seeds
            for t, b in grid.points
        ]

    def solve(rows: list[Row]) -> Iterator[Row]:
        # Where d is too small the optima are flat in many directions; see LOOSE.
        for small, limit in ((False, tolerance), (True, tolerance or LOOSE)):
            yield from sweep(
                problem,
                cells(small),
                measured=aligned,
                done=rows,
                tolerance=limit,
                dtype=dtype,
                **options,
            )

    setup = {"dtype": dtype_name(dtype), "tolerance": asked(tolerance)}
    return in_table(path, setup, COLUMNS, cells(False) + cells(True), solve)


def measured_similarity(
    grid: TowerGrid, rows: Sequence[Row], half_dimension: bool = False
) -> np.ndarray:
    """Measured s of the seed with the least loss, ``(temperatures, items)``."""
    found = best(rows)

    def at(N: int, t: float, b: float) -> float:
        cell = {"N": N, "d": half(N) if half_dimension else N, "t": t, "b": b}
        return float(found[key(cell, PLACE)]["similarity"])

    return np.array([[at(N, t, b) for N in grid.items] for t, b in grid.points])


def draw(grid: TowerGrid, path: Path, **options: Any) -> Drawing:
    """Measure what is missing; what there is to draw, and to say of it."""
    rows = measure(grid, path, **options)
    theory = predicted_similarity(grid)
    wide = abs(measured_similarity(grid, rows) - theory).max()
    tight = abs(measured_similarity(grid, rows, half_dimension=True) - theory).max()
    return Drawing(
        lambda: figure(grid, rows),
        rows,
        f"largest difference of s from theory {wide:.2g} for d = N (certified gap "
        f"{_gap(rows):.2g}) and {tight:.2g} for d = N/2",
    )


def _gap(rows: Sequence[Row]) -> float:
    return largest_gap(row for row in rows if row["d"] == row["N"])


def figure(grid: TowerGrid, rows: Sequence[Row]) -> Figure:
    """Theory, towers with d = N, towers with d = N/2."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 9.6), layout="constrained")
    axes = figure.subplots(3, 1, sharex=True, sharey=True)
    panels = {
        "derived (d >= N)": predicted_similarity(grid),
        f"optimised, d = N, largest certified gap {_gap(rows):.1g}": measured_similarity(
            grid, rows
        ),
        "optimised, d = N/2": measured_similarity(grid, rows, half_dimension=True),
    }
    draw_panels(figure, list(axes), grid, panels)
    return figure

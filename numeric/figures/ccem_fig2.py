"""Figure 2 of lee2024sigmoid: theory, towers with d = N, towers with d = N/2."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from ...derive.structures.arrangement import Arrangement
from ...derive.structures.towers import NEGATIVE, POSITIVE
from ..problems.measure import inner_products, spreads
from ..running.table import Row, layout
from ..search.sweep import SEARCHED, sweep
from .drawing import LOOSE, Drawing, asked, by_seeds, in_table, largest_gap, number, problem_of
from .look import PLAIN, Look
from .towers import (
    TowerGrid,
    about,
    draw_panels,
    half,
    measured_similarity,
    predicted_similarity,
    told,
)

MEASURED = ("similarity", "positive", "negative", "positive_spread", "negative_spread")
COLUMNS = layout(
    ("N", "d", "t", "b", "seed", *MEASURED, *SEARCHED, "dtype", "device", "tolerance"), "N"
)
#: Where d is too small for the structure some starts end in local minima, hence four seeds.
GRID = TowerGrid()


def aligned(arrangement: Arrangement, u: Tensor) -> dict[str, Tensor]:
    """The columns :data:`MEASURED`; the similarity is the paper's s."""
    means, off = inner_products(arrangement, u), spreads(arrangement, u)
    similarity = (1 + means[POSITIVE]) / 2
    found = (similarity, means[POSITIVE], means[NEGATIVE], off[POSITIVE], off[NEGATIVE])
    return dict(zip(MEASURED, found, strict=True))


def measure(
    grid: TowerGrid,
    path: Path,
    *,
    dtype: torch.dtype = torch.float64,
    tolerance: float | None = None,
    **options: Any,
) -> list[Row]:
    """Optimise every cell that the table lacks; ``options`` are those of a sweep."""
    problem = problem_of("sigmoid-optimum")
    cells = [
        {"N": N, "d": -(-N // 2) if small else N, "t": t, "b": b, "seed": seed}
        for small in (False, True)
        for N in grid.items
        for seed in grid.seeds
        for t, b in grid.points
    ]

    def solve(todo: list[dict[str, Any]]) -> Iterator[Row]:
        # Where d is too small the optima are flat in many directions; see LOOSE.
        for small, limit in ((False, tolerance), (True, tolerance or LOOSE)):
            some = [cell for cell in todo if (cell["d"] < cell["N"]) == small]
            if some:
                more = {"tolerance": limit, "dtype": dtype, **options}
                yield from sweep(problem, some, measured=aligned, **more)

    return in_table(path, COLUMNS, cells, solve, dtype, tolerance=asked(tolerance))


def draw(grid: TowerGrid, path: Path, *, look: Look = PLAIN, **options: Any) -> Drawing:
    """Measure what is missing, and draw it: theory, towers with d = N, towers with d = N/2."""
    rows = measure(grid, path, **options)
    full = [row for row in rows if row["d"] == row["N"]]
    theory, wide = predicted_similarity(grid), measured_similarity(grid, full)
    tight = measured_similarity(grid, [row for row in rows if row["d"] != row["N"]])
    gap, off, short = largest_gap(full), abs(wide - theory).max(), abs(tight - theory).max()
    panels = {
        r"derived, $d \geq N$": theory,
        "optimised, $d = N$": wide,
        f"optimised, {half(grid)}": tight,
    }
    return Drawing(
        draw_panels(grid, panels, look),
        look,
        rows,
        f"largest difference of s from theory {off:.2g} for d = N (certified gap {gap:.2g}) and "
        f"{short:.2g} for d = N/2",
        f"Normalised similarity $s$ of positive pairs at the optimum of the {about(grid)}. "
        rf"(a) Derived, for $d \geq N$. (b) Measured on embeddings in $d = N$ dimensions, "
        f"optimised {by_seeds(grid.seeds, 'of which the least loss is shown')}; the largest "
        f"difference from (a) is {number(off)}, and every loss is certified to be within "
        f"{number(gap)} of the "
        f"least one. (c) The same for {half(grid)}, of which (a) says nothing; they differ by "
        f"up to {number(short)}.{told(grid)}",
    )

"""Figure 3 of lee2024sigmoid: theory, and encoders with d = N."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from ..encoder import ENCODERS, train_encoders
from ..table import Row, layout
from .drawing import Drawing, in_table, problem_of
from .towers import TowerGrid, draw_panels, measured_similarity, predicted_similarity

TOLD = ("encoder", "N", "d", "t", "b", "seed")
MEASURED = ("similarity", "positive", "negative", "loss", "gap", "dead")
TRAINED = ("gradient_norm", "evaluations", "stop", "dtype", "device")
COLUMNS = layout((*TOLD, *MEASURED, *TRAINED), "N")
#: Encoders take a second each, so there are fewer of them than of free embeddings.
GRID = TowerGrid(
    items=(4, 6, 8, 10, 16),
    temperatures=tuple(round(0.4 * k, 12) for k in range(1, 11)),
    seeds=(0,),
)


def measure(
    grid: TowerGrid, path: Path, *, dtype: torch.dtype = torch.float64, **options: Any
) -> list[Row]:
    """Train the encoder of every cell that the table lacks, for d = N."""
    problem = problem_of("sigmoid-optimum")
    cells: list[dict[str, Any]] = [
        {"encoder": encoder.name, "N": N, "d": N, "t": t, "b": b, "seed": seed}
        for encoder in ENCODERS
        for N in grid.items
        for seed in grid.seeds
        for t, b in grid.points
    ]

    def solve(todo: list[dict[str, Any]]) -> Iterator[Row]:
        return train_encoders(problem, todo, dtype=dtype, **options)

    return in_table(path, COLUMNS, cells, solve, dtype)


def draw(grid: TowerGrid, path: Path, **options: Any) -> Drawing:
    """Train what is missing, and draw it: theory, and a panel for each encoder."""
    rows = measure(grid, path, **options)
    theory = predicted_similarity(grid)
    panels, parts = {"derived": theory}, []
    for name in dict.fromkeys(str(row["encoder"]) for row in rows):
        own = [row for row in rows if row["encoder"] == name]
        values = measured_similarity(grid, own)
        kind, _, hidden = name.partition("-")
        panels[f"{kind} output, {hidden} hidden units, s >= {values.min():.2g}"] = values
        dead = sum(int(row["dead"]) > 0 for row in own)
        off = f"{abs(values - theory).max():.2g} for {name}"
        parts.append(off + (f" ({dead} with dead outputs)" if dead else ""))
    says = "largest difference of s from theory " + ", ".join(parts)
    return Drawing(draw_panels(grid, panels), rows, says)

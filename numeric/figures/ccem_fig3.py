"""Figure 3 of lee2024sigmoid: theory, and encoders with d = N."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import numpy as np
import torch

from ..running.table import Row, layout
from .drawing import Drawing, by_seeds, in_table, number, problem_of
from .encoder import ENCODERS, train_encoders
from .look import PLAIN, Look
from .towers import TowerGrid, about, draw_panels, measured_similarity, predicted_similarity, told

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


def draw(grid: TowerGrid, path: Path, *, look: Look = PLAIN, **options: Any) -> Drawing:
    """Train what is missing, and draw it: theory, and a panel for each encoder."""
    rows = measure(grid, path, **options)
    theory = predicted_similarity(grid)
    panels: dict[str, np.ndarray] = {"derived": theory}
    parts, letters = [], []
    names = dict.fromkeys(str(row["encoder"]) for row in rows)
    for letter, name in zip(ascii_lowercase[1:], names, strict=False):
        own = [row for row in rows if row["encoder"] == name]
        values = measured_similarity(grid, own)
        kind, _, hidden = name.partition("-")
        output = {"relu": "ReLU"}.get(kind, kind)
        panels[f"{output} output, ${hidden}$ hidden units"] = values
        dead = sum(int(row["dead"]) > 0 for row in own)
        off = abs(values - theory).max()
        parts.append(f"{off:.2g} for {name}" + (f" ({dead} with dead outputs)" if dead else ""))
        letters.append(f"{number(off)} in ({letter})")
    return Drawing(
        draw_panels(grid, panels, look),
        look,
        rows,
        "largest difference of s from theory " + ", ".join(parts),
        f"Normalised similarity $s$ of positive pairs at the optimum of the {about(grid)}. "
        "(a) Derived. Other panels: measured on the outputs of trained encoders with $d = N$, "
        f"{by_seeds(grid.seeds, 'of which the least loss is shown')}; the largest difference "
        f"from (a) is {', '.join(letters)}. A ReLU output has no negative entry, so that $s$ is at "
        f"least $1/2$.{told(grid)}",
    )

"""Figure 3 of lee2024sigmoid: theory, and encoders with d = N."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from ...derive.results import results
from ..encoder import ENCODERS, Encoder, EncoderRow, encoder_key, train_encoders
from ..sweep import key
from ..table import Row, layout
from .drawing import Drawing, dtype_name, in_table
from .towers import PLACE, TowerGrid, best, draw_panels, predicted_similarity

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = layout([f.name for f in fields(EncoderRow)], "N")
#: Encoders take a second each, so there are fewer of them than of free embeddings.
GRID = TowerGrid(
    items=(4, 6, 8, 10, 16),
    temperatures=tuple(round(0.4 * k, 12) for k in range(1, 11)),
    seeds=(0,),
)


def measure(
    grid: TowerGrid,
    path: Path,
    *,
    encoders: Sequence[Encoder] = ENCODERS,
    dtype: torch.dtype = torch.float64,
    **options: Any,
) -> list[Row]:
    """Train the encoder of every cell that the table lacks, for d = N."""
    problem = results["sigmoid-optimum"].problem
    assert problem is not None
    told = ("encoder", *PLACE, "seed")

    def solve(rows: list[Row]) -> Iterator[Row]:
        done = [encoder_key(*(row[name] for name in told)) for row in rows]  # type: ignore[arg-type]
        for row in train_encoders(
            problem,
            shapes=[(N, N) for N in grid.items],
            points=grid.points,
            seeds=grid.seeds,
            encoders=encoders,
            done=done,
            dtype=dtype,
            **options,
        ):
            yield row.as_dict()

    cells: list[dict[str, Any]] = [
        {"encoder": encoder.name, "N": N, "d": N, "t": t, "b": b, "seed": seed}
        for encoder in encoders
        for N in grid.items
        for t, b in grid.points
        for seed in grid.seeds
    ]
    return in_table(path, {"dtype": dtype_name(dtype)}, COLUMNS, cells, solve)


def encoder_similarity(grid: TowerGrid, rows: Sequence[Row], name: str) -> np.ndarray:
    """Measured s of an encoder, of the seed with the least loss, ``(temperatures, items)``."""
    found = best(rows, ("encoder", *PLACE))

    def at(N: int, t: float, b: float) -> float:
        cell = {"encoder": name, "N": N, "d": N, "t": t, "b": b}
        return float(found[key(cell, ("encoder", *PLACE))]["similarity"])

    return np.array([[at(N, t, b) for N in grid.items] for t, b in grid.points])


def draw(grid: TowerGrid, path: Path, **options: Any) -> Drawing:
    """Train what is missing; what there is to draw, and to say of it."""
    rows = measure(grid, path, **options)
    theory = predicted_similarity(grid)
    parts = []
    for name in dict.fromkeys(str(row["encoder"]) for row in rows):
        off = abs(encoder_similarity(grid, rows, name) - theory).max()
        dead = sum(int(row["dead"]) > 0 for row in rows if row["encoder"] == name)
        parts.append(f"{off:.2g} for {name}" + (f" ({dead} with dead outputs)" if dead else ""))
    says = "largest difference of s from theory " + ", ".join(parts)
    return Drawing(lambda: figure(grid, rows), rows, says)


def figure(grid: TowerGrid, rows: Sequence[Row]) -> Figure:
    """Theory, and a panel for each encoder."""
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(str(row["encoder"]) for row in rows))
    figure = Figure(figsize=(6.4, 3.2 * (1 + len(names))), layout="constrained")
    axes = figure.subplots(1 + len(names), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    panels = {"derived": predicted_similarity(grid)}
    for name in names:
        kind, _, hidden = name.partition("-")
        values = encoder_similarity(grid, rows, name)
        panels[f"{kind} output, {hidden} hidden units, s >= {values.min():.2g}"] = values
    draw_panels(figure, list(axes), grid, panels)
    return figure

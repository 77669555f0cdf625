"""Batches chosen by their spectrum against random ones, trained on the digits of scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from ..digits.batches import MEASURED, METHODS, RANDOM, Setup, compare, runs
from ..running.device import resolve_device
from ..running.progress import Report, reporting
from ..running.table import Row, layout
from .drawing import Drawing, in_table
from .look import MARKERS, PLAIN, Look
from .panels import side_by_side

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: What is shown, by its title.
SHOWN = {
    "rank": "effective rank of batches",
    "sigma": r"$\hat\sigma$ of batches",
    "loss_area": "training loss, mean",
    "reference_area": "loss on fixed batches, mean",
    "knn": "accuracy of neighbours",
    "probe": "accuracy of a linear fit",
}
#: Of a paired t-test, for what is told apart.
LEVEL = 0.05
COLUMNS = {
    **layout(
        ("method", "seed", "steps", "batch", *MEASURED, "dtype", "device"), ("steps", "batch")
    ),
    "method": str,
}


@dataclass(frozen=True)
class Grid:
    """Methods and seeds, and how long each encoder is trained."""

    methods: tuple[str, ...] = METHODS
    steps: int = 200
    batch: int = 64
    seeds: tuple[int, ...] = (0, 1, 2)

    def __post_init__(self) -> None:
        if RANDOM not in self.methods:
            raise ValueError("the other methods are compared with random batches: name them too")
        if len(set(self.methods)) != len(self.methods):
            raise ValueError("a method is named twice")

    @property
    def setup(self) -> Setup:
        """What the methods share."""
        return Setup(batch=self.batch, steps=self.steps, pool=10 * self.batch)

    def cells(self) -> list[dict[str, Any]]:
        """All cells."""
        return [{"method": method, "seed": seed} for seed in self.seeds for method in self.methods]


def measure(
    grid: Grid,
    path: Path,
    *,
    device: str | torch.device = "auto",
    progress: bool | Report = False,
) -> list[Row]:
    """Train the encoder of every cell that the table lacks."""
    where = resolve_device(device)

    def solve(todo: list[dict[str, Any]]) -> Iterator[Row]:
        with reporting(progress, len(todo), "run") as advance:
            for cell in todo:
                one = runs([cell["method"]], [cell["seed"]], grid.setup, device=where)
                yield {**next(one).row, "device": str(where)}
                advance(1)

    setup = {"steps": grid.steps, "batch": grid.batch}
    return in_table(path, COLUMNS, grid.cells(), solve, torch.float32, **setup)


def draw(grid: Grid, path: Path, *, look: Look = PLAIN, **options: Any) -> Drawing:
    """Measure what is missing, and draw it: a panel for each measure."""
    rows = measure(grid, path, **options)
    told = compare(rows)
    by = {(str(row["method"]), str(row["measure"])): row for row in told}
    compared = [
        by[method, name]
        for name in ("rank", "reference_area", "knn", "probe")
        for method in grid.methods
        if method != RANDOM
    ]
    apart = [
        f"{row['method']} {row['measure']} {float(row['difference']):+.3g}"
        for row in compared
        if float(row["p"]) < LEVEL
    ]
    found = (
        f"other than random at p < {LEVEL:g} in {len(apart)} of {len(compared)} comparisons"
        f"{': ' if apart else ''}{', '.join(apart)}"
        if len(grid.seeds) > 1
        else "one seed, which tells no differences"
    )
    caption = (
        f"An encoder of the digits of scikit-learn, trained by InfoNCE for {grid.steps} steps on "
        f"batches of {grid.batch} images in two views. Batches are random, chosen out of ten by a "
        "policy (P1, P2, P3), or built with so many candidates a step (greedy). Small: a seed, of "
        f"{len(grid.seeds)}; large: the mean with its standard error. All is measured; derived is "
        "only the trace update that greedy batches are built by. By paired t-tests: "
        f"{found.replace('_', ' ').replace('p < ', '$p$ < ')}."
    )
    return Drawing(_drawn(grid, rows, told, look), look, rows, found, caption)


def _drawn(grid: Grid, rows: Sequence[Row], told: Sequence[Row], look: Look) -> Figure:
    colours = look.palette()
    with look.applied():
        figure, axes = side_by_side(look, len(SHOWN), 0.75, 0.2)
        for letter, ax, (name, title) in zip("abcdef", axes, SHOWN.items(), strict=False):
            for k, method in enumerate(grid.methods):
                mine = [float(row[name]) for row in rows if row["method"] == method]
                (mean,) = (r for r in told if (r["method"], r["measure"]) == (method, name))
                style = {"color": colours[k % len(colours)], "marker": MARKERS[k % len(MARKERS)]}
                ax.plot([k] * len(mine), mine, linestyle="", markersize=1.5, alpha=0.7, **style)
                ax.errorbar(k, float(mean["mean"]), float(mean["error"]), capsize=2, **style)
            ax.set_title(f"({letter}) {title}", loc="left")
            ax.set_xticks(range(len(grid.methods)), grid.methods, rotation=45, ha="right")
            ax.set_xlim(-0.5, len(grid.methods) - 0.5)
    return figure

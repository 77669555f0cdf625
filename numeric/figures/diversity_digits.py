"""Batches chosen by their spectrum against random ones, trained on the digits of scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from ..digits.batches import MEASURED, METHODS, RANDOM, Setup, compare, runs
from ..running.table import Row, layout
from .drawing import Experiment, Run
from .look import Look
from .panels import compared, plotted

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
class Grid(Experiment):
    """Methods and seeds, and how long each encoder is trained."""

    methods: tuple[str, ...] = METHODS
    steps: int = 200
    batch: int = 64
    seeds: tuple[int, ...] = (0, 1, 2)

    part = "run"
    dtype = torch.float32
    columns = COLUMNS

    def __post_init__(self) -> None:
        if RANDOM not in self.methods:
            raise ValueError(
                "the other methods are compared with random batches: add random to the methods"
            )
        if len(set(self.methods)) != len(self.methods):
            raise ValueError("a method is repeated")

    @property
    def shared(self) -> Setup:
        """What the methods share."""
        return Setup(batch=self.batch, steps=self.steps, pool=10 * self.batch)

    def cells(self) -> list[dict[str, Any]]:
        """All cells."""
        return [{"method": method, "seed": seed} for seed in self.seeds for method in self.methods]

    def setup(self, run: Run) -> dict[str, float | str]:
        """How long encoders are trained, on how many images."""
        return {"steps": self.steps, "batch": self.batch}

    def measured(self, cell: dict[str, Any], run: Run) -> Row:
        """One training."""
        return next(runs([cell["method"]], [cell["seed"]], self.shared, device=run.device)).row

    def drawn(self, rows: list[Row], look: Look) -> tuple[Figure, str, str]:
        """A panel for each measure."""
        told = compare(rows)
        by = {(str(row["method"]), str(row["measure"])): row for row in told}
        compared = [
            by[method, name]
            for name in ("rank", "reference_area", "knn", "probe")
            for method in self.methods
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
            if len(self.seeds) > 1
            else "one seed, which tells no differences"
        )
        caption = (
            f"An encoder of the digits of scikit-learn, trained by InfoNCE for {self.steps} steps "
            f"on batches of {self.batch} images in two views. Batches are random, chosen out of "
            "ten by a policy (P1, P2, P3), or built with so many candidates a step (greedy). "
            f"Small: a seed, of {len(self.seeds)}; large: the mean with its standard error. All "
            "is measured; derived is only the trace update that greedy batches are built by. By "
            f"paired t-tests: {found.replace('_', ' ').replace('p < ', '$p$ < ')}."
        )
        return _drawn(self, rows, told, look), found, caption


def _drawn(grid: Grid, rows: Sequence[Row], told: Sequence[Row], look: Look) -> Figure:
    panels = []
    for name, title in SHOWN.items():
        of = {
            method: [float(row[name]) for row in rows if row["method"] == method]
            for method in grid.methods
        }
        means = {str(r["method"]): r for r in told if r["measure"] == name}
        at = [(of[k], float(means[k]["mean"]), float(means[k]["error"])) for k in grid.methods]
        panels.append(compared(look, title, "", at, grid.methods))
    return plotted(look, panels, 0.75, 0.2)

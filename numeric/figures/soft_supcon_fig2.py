"""Figure 2 of vock2026unified: Soft SupCon with distances on digits, over the latent dimension."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from torch.nn.functional import one_hot

from ...derive.results import results
from ...derive.theorem.number import as_float
from ..digits import CLASSES, STEPS, embedded, load
from ..losses import EuclideanWInfoNCE
from ..metrics import loss_gap, procrustes_r2, similarity_r2
from ..running.table import Row, layout
from .drawing import Experiment, Run, by_seeds
from .look import DASHES, Look
from .panels import Panel, Series, mark, plotted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PARTS = {"train": "trained on", "test": "held out"}
METRICS = {
    "similarity_r2": "coefficient of similarity",
    "procrustes_r2": "Procrustes similarity",
}
MEASURED = tuple(f"{part}_{name}" for part in PARTS for name in ("loss_gap", *METRICS))
#: Coefficients of similarity have no lower bound; what is below this is not drawn.
FLOOR = -1.0
#: With labels that are unit vectors, |y_i - y_j|^2 = 2 across classes, and weights are exp(-1).
GAMMA, TAU = 0.5, 1.0


@dataclass(frozen=True)
class Grid(Experiment):
    """The cells: dimensions and seeds; and how long each encoder is trained."""

    dimensions: tuple[int, ...] = tuple(range(2, 13))
    seeds: tuple[int, ...] = (0, 1, 2)
    steps: int = STEPS

    columns = layout(("d", "seed", "steps", *MEASURED, "dtype", "device"), ("steps",))

    def cells(self) -> list[dict[str, Any]]:
        """All cells."""
        return [{"d": d, "seed": seed} for d in self.dimensions for seed in self.seeds]

    def setup(self, run: Run) -> dict[str, float | str]:
        """How long encoders are trained."""
        return {"steps": self.steps}

    def measured(self, cell: dict[str, Any], run: Run) -> Row:
        """The metrics of a trained encoder."""
        digits = load(run.dtype)
        labels = one_hot(digits.classes, CLASSES).to(run.dtype)
        loss = EuclideanWInfoNCE(TAU, gamma=GAMMA)
        # Where the loss is least: |z_i - z_j|^2 = -tau log w_ij.
        target = labels.double() * (GAMMA * TAU) ** 0.5
        options: dict[str, Any] = {"steps": self.steps, "device": run.device}
        found = embedded(digits, loss, labels, cell["d"], cell["seed"], **options)
        row: Row = {}
        for part, which in found.parts():
            z, z_star = found.embeddings[which], target[which]
            row[f"{part}_loss_gap"] = loss_gap(loss, z, labels[which])
            row[f"{part}_similarity_r2"] = similarity_r2(z, z_star)
            row[f"{part}_procrustes_r2"] = procrustes_r2(z, z_star)
        return row

    def drawn(self, rows: list[Row], look: Look) -> tuple[Figure, str, str]:
        """Both metrics over the dimension."""
        q = least_dimension()
        told = []
        for name, title in METRICS.items():
            mean, _ = averaged(self, rows, f"train_{name}")
            ends = {d: f"{mean[self.dimensions.index(d)]:.2f} for q = {d}" for d in self.dimensions}
            near = [ends[d] for d in (q - 1, q) if d in ends] or [ends[self.dimensions[-1]]]
            told.append(f"{title} {', '.join(near)}")
        values = [averaged(self, rows, f"{part}_similarity_r2")[0].min() for part in PARTS]
        below = (
            f" Below ${FLOOR:g}$ nothing is drawn; the least mean is ${min(values):.1f}$."
            if min(values) < FLOOR
            else ""
        )
        return (
            _drawn(self, rows, q, look),
            "; ".join(told),
            "Embeddings of the digits of scikit-learn by an encoder trained with Soft SupCon with "
            rf"Euclidean similarities, $\varepsilon = e^{{-1}}$, {by_seeds(self.seeds, 'with')} "
            f"{'standard deviations' if len(self.seeds) > 1 else ''}".rstrip()
            + f", over the latent dimension $q$. (a) {METRICS['similarity_r2'].capitalize()} and "
            f"(b) {METRICS['procrustes_r2']} to the regular simplex of {CLASSES} classes, "
            f"measured on images that were trained on, and on those that were held out. Dotted: "
            f"$q = {q}$, from which the simplex is attained, as derived.{below}",
        )


def least_dimension() -> int:
    """The dimension from which the target geometry is attained, as derived.

    It is that of two samples of each class, 0 from each other and 1 from others: more change
    nothing, and of one alone the distances might all be 0.
    """
    classes = [k // 2 for k in range(2 * CLASSES)]
    apart = [[int(a != b) for b in classes] for a in classes]
    return int(as_float(results["dgp-euclidean"].value("dimension", D=apart)))


def averaged(grid: Grid, rows: Sequence[Row], column: str) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation over the seeds, by dimension."""
    found = [[float(row[column]) for row in rows if row["d"] == d] for d in grid.dimensions]
    return np.mean(found, axis=1), np.std(found, axis=1)


def _drawn(grid: Grid, rows: Sequence[Row], q: int, look: Look) -> Figure:
    panels: list[Panel] = []
    for name, title in METRICS.items():
        bars, lowest = [], 0.0
        for k, (part, says) in enumerate(PARTS.items()):
            mean, off = averaged(grid, rows, f"{part}_{name}")
            style = mark(look, k, linestyle=DASHES[k], capsize=2)
            bars.append(Series(grid.dimensions, mean, says if not panels else "", off, style))
            lowest = min(lowest, float((mean - off).min()))
        axes = {"xlabel": "latent dimension $q$", "ylim": (max(FLOOR, 1.08 * lowest), 1.05)}
        panels.append(Panel(title, "$r^2$", bars, axes, 0.4, q, whole=True))
    about = rf"$q = {q}$: derived least dimension of the simplex"
    return plotted(look, panels, 0.62, 0.4, about)

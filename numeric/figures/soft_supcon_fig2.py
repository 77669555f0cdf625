"""Figure 2 of vock2026unified: Soft SupCon with distances on digits, over the latent dimension."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.nn.functional import one_hot

from ...derive.results import results
from ..digits import CLASSES, STEPS, embedded, load
from ..losses import EuclideanWInfoNCE
from ..metrics import loss_gap, procrustes_r2, similarity_r2
from ..running.device import resolve_device
from ..running.progress import Report, reporting
from ..running.table import Row, layout
from .drawing import Drawing, by_seeds, in_table
from .look import DASHES, MARKERS, PLAIN, Look
from .panels import beneath, side_by_side

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PARTS = {"train": "trained on", "test": "held out"}
METRICS = {
    "similarity_r2": "coefficient of similarity",
    "procrustes_r2": "Procrustes similarity",
}
MEASURED = tuple(f"{part}_{name}" for part in PARTS for name in ("loss_gap", *METRICS))
COLUMNS = layout(("d", "seed", "steps", *MEASURED, "dtype", "device"), ("steps",))
#: Coefficients of similarity have no lower bound; what is below this is not drawn.
FLOOR = -1.0
#: With labels that are unit vectors, |y_i - y_j|^2 = 2 across classes, and weights are exp(-1).
GAMMA, TAU = 0.5, 1.0


@dataclass(frozen=True)
class Grid:
    """The cells: dimensions and seeds; and how long each encoder is trained."""

    dimensions: tuple[int, ...] = tuple(range(2, 13))
    seeds: tuple[int, ...] = (0, 1, 2)
    steps: int = STEPS

    def cells(self) -> list[dict[str, Any]]:
        """All cells."""
        return [{"d": d, "seed": seed} for d in self.dimensions for seed in self.seeds]


def least_dimension() -> int:
    """The dimension from which the target geometry is attained, as derived.

    It is that of two samples of each class, 0 from each other and 1 from others: more change
    nothing, and of one alone the distances might all be 0.
    """
    classes = [k // 2 for k in range(2 * CLASSES)]
    apart = [[int(a != b) for b in classes] for a in classes]
    return int(results["dgp-euclidean"].value("dimension", D=apart))


def measure(
    grid: Grid,
    path: Path,
    *,
    dtype: torch.dtype = torch.float64,
    device: str | torch.device = "auto",
    progress: bool | Report = False,
) -> list[Row]:
    """Train the encoder of every cell that the table lacks."""

    def solve(todo: list[dict[str, Any]]) -> Iterator[Row]:
        digits = load(dtype)
        labels = one_hot(digits.classes, CLASSES).to(dtype)
        loss = EuclideanWInfoNCE(TAU, gamma=GAMMA)
        # Where the loss is least: |z_i - z_j|^2 = -tau log w_ij.
        target = labels.double() * (GAMMA * TAU) ** 0.5
        with reporting(progress, len(todo), "cell") as advance:
            for cell in todo:
                found = embedded(
                    digits, loss, labels, cell["d"], cell["seed"], steps=grid.steps, device=device
                )
                row: Row = {**cell, "device": str(resolve_device(device))}
                for part, which in found.parts():
                    z, z_star = found.embeddings[which], target[which]
                    row[f"{part}_loss_gap"] = loss_gap(loss, z, labels[which])
                    row[f"{part}_similarity_r2"] = similarity_r2(z, z_star)
                    row[f"{part}_procrustes_r2"] = procrustes_r2(z, z_star)
                yield row
                advance(1)

    return in_table(path, COLUMNS, grid.cells(), solve, dtype, steps=grid.steps)


def averaged(grid: Grid, rows: Sequence[Row], column: str) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation over the seeds, by dimension."""
    found = [[float(row[column]) for row in rows if row["d"] == d] for d in grid.dimensions]
    return np.mean(found, axis=1), np.std(found, axis=1)


def draw(grid: Grid, path: Path, *, look: Look = PLAIN, **options: Any) -> Drawing:
    """Measure what is missing, and draw it: both metrics over the dimension."""
    rows = measure(grid, path, **options)
    q = least_dimension()
    told = []
    for name, title in METRICS.items():
        mean, _ = averaged(grid, rows, f"train_{name}")
        ends = {d: f"{mean[grid.dimensions.index(d)]:.2f} for q = {d}" for d in grid.dimensions}
        near = [ends[d] for d in (q - 1, q) if d in ends] or [ends[grid.dimensions[-1]]]
        told.append(f"{title} {', '.join(near)}")
    values = [averaged(grid, rows, f"{part}_similarity_r2")[0].min() for part in PARTS]
    below = (
        f" Below ${FLOOR:g}$ nothing is drawn; the least mean is ${min(values):.1f}$."
        if min(values) < FLOOR
        else ""
    )
    return Drawing(
        _drawn(grid, rows, q, look),
        look,
        rows,
        "; ".join(told),
        "Embeddings of the digits of scikit-learn by an encoder trained with Soft SupCon with "
        rf"Euclidean similarities, $\varepsilon = e^{{-1}}$, {by_seeds(grid.seeds, 'with')} "
        f"{'standard deviations' if len(grid.seeds) > 1 else ''}".rstrip()
        + f", over the latent dimension $q$. (a) {METRICS['similarity_r2'].capitalize()} and (b) "
        f"{METRICS['procrustes_r2']} to the regular simplex of {CLASSES} classes, measured on "
        f"images that were trained on, and on those that were held out. Dotted: $q = {q}$, from "
        f"which the simplex is attained, as derived.{below}",
    )


def _drawn(grid: Grid, rows: Sequence[Row], q: int, look: Look) -> Figure:
    with look.applied():
        figure, axes = side_by_side(look, len(METRICS), 0.62, 0.4)
        for letter, ax, (name, title) in zip("ab", axes, METRICS.items(), strict=True):
            bars, lowest = [], 0.0
            for k, (part, says) in enumerate(PARTS.items()):
                mean, off = averaged(grid, rows, f"{part}_{name}")
                style = {"color": look.palette()[k], "marker": MARKERS[k], "linestyle": DASHES[k]}
                bar = ax.errorbar(grid.dimensions, mean, off, capsize=2, **style)
                bars.append((bar, says))
                lowest = min(lowest, float((mean - off).min()))
            ax.axvline(q, color="black", linestyle=":", linewidth=0.8)
            ax.axhline(1, color="black", linewidth=0.4)
            ax.set_title(f"({letter}) {title}", loc="left")
            ax.set(xlabel="latent dimension $q$", ylabel="$r^2$")
            ax.set_ylim(max(FLOOR, 1.08 * lowest), 1.05)
            ax.locator_params(axis="x", integer=True)
        beneath(figure, bars, rf"$q = {q}$: derived least dimension of the simplex", 2)
    return figure

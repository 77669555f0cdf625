r"""Containment over the anisotropy, as in appendix A.10 of ochieng2025diversity.

The deviation :math:`\delta = 100 \sqrt d\, |\Sigma - I/d|` of a batch of n < d vectors is never
less than :math:`100 \sqrt{d/n - 1}`, as its second moment has rank n at most. That of the law may
be anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from ..running.table import Row, layout
from .band_synthetic import (
    COVERAGE,
    INSIDE,
    LOOSENESS,
    UPPERS,
    Found,
    bars,
    gaussian,
    over_batches,
    over_seeds,
    positives,
    setup_of,
)
from .drawing import Drawing
from .look import MARKERS, PLAIN, Look
from .panels import beneath, side_by_side

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Deviations of the law in percent, before vectors are normalised.
DEVIATIONS = (0.0, 3.0, 6.0, 12.0, 30.0, 100.0, 300.0, 1000.0, 2000.0, 3000.0)
MEASURED = ("deviation", "sigma", *COVERAGE, *LOOSENESS)
COLUMNS = layout(
    (
        *("deviation_of_law", "seed", "tau", "n", "d", "cosine", "batches"),
        *(*MEASURED, "dtype", "device"),
    ),
    ("n", "batches"),
)


@dataclass(frozen=True)
class Grid:
    """How far the law is from an isotropic one."""

    deviations: tuple[float, ...] = DEVIATIONS
    tau: float = 0.1
    cosine: float = 0.75
    n: int = 256
    d: int = 1024
    batches: int = 3
    seeds: tuple[int, ...] = (0, 1, 2)

    def __post_init__(self) -> None:
        if self.n < 3 or self.d < 2 or self.batches < 1:
            raise ValueError("a cell needs n > 2, d > 1 and a batch")
        if not all(0 <= delta <= self.most for delta in self.deviations):
            raise ValueError(f"a deviation in {self.d} dimensions is from 0 to {self.most:.1f} %")

    @property
    def most(self) -> float:
        """The deviation of vectors on a line."""
        return 100 * sqrt(self.d - 1)

    def top(self, delta: float) -> float:
        """The largest of d eigenvalues, of which the others are equal, by the deviation."""
        return (1 + delta / 100 * sqrt(self.d - 1)) / self.d

    @property
    def floor(self) -> float:
        """The least deviation that a batch may have."""
        return 100 * sqrt(max(self.d / self.n - 1, 0.0))

    def cells(self) -> list[dict[str, Any]]:
        """All cells."""
        return [
            {"deviation_of_law": delta, "seed": seed, "tau": self.tau}
            for delta in self.deviations
            for seed in self.seeds
        ]


def measure(grid: Grid, path: Path, **options: Any) -> list[Row]:
    """Measure every cell that the table lacks."""

    def make(cell: dict[str, Any], random: torch.Generator) -> tuple[Tensor, Tensor]:
        top = min(grid.top(cell["deviation_of_law"]), 1.0)
        z = gaussian(grid.n, grid.d, top, random)
        return z, positives(z, grid.cosine, random)

    def tell(cell: dict[str, Any], facts: Mapping[str, float], found: Found) -> Row:
        return {
            "deviation": facts["deviation"],
            "sigma": facts["sigma"],
            **found.coverage,
            **found.looseness,
        }

    same, setup = ("deviation_of_law", "seed"), setup_of(grid, "n", "d", "cosine", "tau")
    return over_batches(grid, path, COLUMNS, same, make, tell, setup, **options)


def draw(grid: Grid, path: Path, *, look: Look = PLAIN, **options: Any) -> Drawing:
    """Measure what is missing, and draw it: what is outside of the bands, and their looseness."""
    rows = measure(grid, path, **options)
    shown = over_seeds(grid.cells(), rows, ("deviation_of_law",), MEASURED)
    out = {
        "printed band, rho of each anchor": 1 - min(row["inside_printed"] for row in shown),
        "printed band, mean of rho": 1 - min(row["inside_plugged"] for row in shown),
        "proved band": 1 - min(row["inside_proved"] for row in shown),
    }
    told = ", ".join(f"{100 * part:.1f} % ({name})" for name, part in out.items())
    least = min(row["deviation"] for row in shown)
    says = f"outside at most {told}; deviations of batches from {least:.0f} % on"
    count = len(grid.seeds) * grid.batches
    caption = (
        rf"Batches of $n = {grid.n}$ vectors in $d = {grid.d}$ dimensions, $\tau = {grid.tau:g}$, "
        f"positives at the cosine {grid.cosine:g}, {count} of each law. (a) Part of the anchors "
        rf"outside of a band, over the deviation $\delta$ of the batch; at most "
        + told.replace(" %", r"\%")
        + rf". Dotted: $\delta = {grid.floor:.0f}\%$, below which no batch of {grid.n} vectors in "
        rf"{grid.d} dimensions is. (b) Median of upper bound, printed or derived, over "
        r"measured, with the range from 5 to 95\%."
    )
    return Drawing(_drawn(grid, shown, look), look, rows, says, caption)


def _drawn(grid: Grid, shown: Sequence[Mapping[str, float]], look: Look) -> Figure:
    x = np.array([row["deviation"] for row in shown])
    ends = (0.9 * x.min(), 1.1 * x.max())
    ticks = [t * 10**k for k in range(6) for t in (1, 2, 5) if ends[0] <= t * 10**k <= ends[1]]
    colours, entries = look.palette(), []
    with look.applied():
        figure, axes = side_by_side(look, 2, 0.7, 0.8)
        left, right = axes
        for k, (name, says) in enumerate(INSIDE.items()):
            y = [100 * (1 - row[name]) for row in shown]
            (line,) = left.plot(x, y, color=colours[k + 5], marker=MARKERS[k + 3], linewidth=0.6)
            entries.append((line, says))
        left.set(ylabel="outside, %", ylim=(-5, 105))
        left.set_title("(a) anchors outside of the band", loc="left")
        for k, (name, says) in enumerate(UPPERS.items()):
            style = {"color": colours[k], "marker": MARKERS[k], "linewidth": 0.6}
            entries.append((bars(right, x, shown, name, **style), says))
        right.set(ylabel="upper / measured", yscale="log")
        right.set_title("(b) looseness of upper bounds", loc="left")
        right.axhline(1, color="black", linewidth=0.5)
        for ax in axes:
            ax.set(xscale="log", xlabel=r"deviation $\delta$ of the batch, %")
            ax.minorticks_off()
            ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
            if grid.floor:
                ax.axvline(grid.floor, color="black", linestyle=":", linewidth=0.8)
        beneath(figure, entries, "bands (a) and upper bounds (b)", max(1, look.columns(4, 1.6)))
    return figure

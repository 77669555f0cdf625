r"""Containment over the anisotropy, as in appendix A.10 of ochieng2025diversity.

The deviation :math:`\delta = 100 \sqrt d\, |\Sigma - I/d|` of a batch of n < d vectors is never
less than :math:`100 \sqrt{d/n - 1}`, as its second moment has rank n at most. That of the law may
be anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from ..running.table import Row
from .band_synthetic import (
    COVERAGE,
    INSIDE,
    LOOSENESS,
    UPPERS,
    Law,
    bars,
    gaussian,
    needs,
    over_seeds,
)
from .look import Look
from .panels import Panel, Series, labelled, mark, plotted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Deviations of the law in percent, before vectors are normalised.
DEVIATIONS = (0.0, 3.0, 6.0, 12.0, 30.0, 100.0, 300.0, 1000.0, 2000.0, 3000.0)


@dataclass(frozen=True)
class Grid(Law):
    """How far the law is from an isotropic one."""

    deviations: tuple[float, ...] = DEVIATIONS
    tau: float = 0.1
    cosine: float = 0.75
    n: int = 256
    d: int = 1024
    batches: int = 3
    seeds: tuple[int, ...] = (0, 1, 2)

    measures = ("deviation", "sigma", *COVERAGE, *LOOSENESS)
    same = ("deviation_of_law", "seed")

    def __post_init__(self) -> None:
        needs(
            self.n > 2 and self.d > 1 and self.batches > 0, "a cell needs n > 2, d > 1 and a batch"
        )
        most = 100 * sqrt(self.d - 1)  # of vectors on a line
        needs(
            all(0 <= delta <= most for delta in self.deviations),
            f"a deviation in {self.d} dimensions is from 0 to {most:.1f} %",
        )

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

    def vectors(self, cell: dict[str, Any], random: torch.Generator) -> Tensor:
        """Of a Gaussian law with this deviation."""
        return gaussian(self.n, self.d, min(self.top(cell["deviation_of_law"]), 1.0), random)

    def drawn(self, rows: list[Row], look: Look) -> tuple[Figure, str, str]:
        """What is outside of the bands, and their looseness."""
        shown = over_seeds(self.cells(), rows, ("deviation_of_law",), self.measures)
        out = {
            "printed band, rho of each anchor": 1 - min(row["inside_printed"] for row in shown),
            "printed band, mean of rho": 1 - min(row["inside_plugged"] for row in shown),
            "proved band": 1 - min(row["inside_proved"] for row in shown),
        }
        told = ", ".join(f"{100 * part:.1f} % ({name})" for name, part in out.items())
        least = min(row["deviation"] for row in shown)
        says = f"outside at most {told}; deviations of batches from {least:.0f} % on"
        count = len(self.seeds) * self.batches
        caption = (
            rf"Batches of $n = {self.n}$ vectors in $d = {self.d}$ dimensions, "
            rf"$\tau = {self.tau:g}$, positives at the cosine {self.cosine:g}, {count} of each law."
            r" (a) Part of the anchors outside of a band, over the deviation $\delta$ of the "
            "batch; at most "
            + told.replace(" %", r"\%")
            + rf". Dotted: $\delta = {self.floor:.0f}\%$, "
            rf"below which no batch of {self.n} vectors in {self.d} dimensions is. (b) Median of "
            r"upper bound, printed or derived, over measured, with the range from 5 to 95\%."
        )
        x = np.array([row["deviation"] for row in shown])
        low, high = 0.9 * x.min(), 1.1 * x.max()
        ticks = [t * 10**k for k in range(6) for t in (1, 2, 5) if low <= t * 10**k <= high]
        axes: dict[str, Any] = {
            "xscale": "log",
            "xlabel": r"deviation $\delta$ of the batch, %",
        }
        outside = [
            Series(
                x,
                [100 * (1 - row[name]) for row in shown],
                title,
                style=mark(look, k + 5, k + 3, linewidth=0.6),
            )
            for k, (name, title) in enumerate(INSIDE.items())
        ]
        upper = [
            bars(x, shown, name, title, **mark(look, k), linewidth=0.6)
            for k, (name, title) in enumerate(UPPERS.items())
        ]
        at: dict[str, Any] = {"dotted": self.floor or None, "ticks": labelled(ticks)}
        panels = [
            Panel(
                "anchors outside of the band",
                "outside, %",
                outside,
                axes | {"ylim": (-5, 105)},
                **at,
            ),
            Panel(
                "looseness of upper bounds",
                "upper / measured",
                upper,
                axes | {"yscale": "log"},
                0.5,
                **at,
            ),
        ]
        about = "bands (a) and upper bounds (b)"
        return plotted(look, panels, 0.7, 0.8, about, 1.6), says, caption

r"""Negatives with a common part, as in appendix A.4 of ochieng2025diversity.

Vectors are :math:`\sqrt\alpha\, u + \sqrt{1 - \alpha}\, \xi_j`, scaled to unit length. As printed,
:math:`\xi_j` is Gaussian with the identity as covariance: it has a length near :math:`\sqrt d`
beside the unit vector u, and the correlation is about :math:`\alpha/d`. What the appendix says of
it, :math:`\mu \approx \alpha`, is so for the covariance I/d, which is taken here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from ...derive.results import results
from ..running.table import Row
from .band_synthetic import COVERAGE, LOOSENESS, Found, Law, needs, over_seeds, unit
from .drawing import number
from .look import DASHES, Look
from .panels import Panel, Series, mark, plotted

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Grid(Law):
    """Numbers of negatives, and how much they have in common; by default those of the paper."""

    sizes: tuple[int, ...] = (62, 254, 1022)
    alphas: tuple[float, ...] = (0.0, 0.005, 0.01, 0.02, 0.05, 0.1)
    tau: float = 0.1
    cosine: float = 0.75
    d: int = 256
    batches: int = 2
    seeds: tuple[int, ...] = (0, 1)

    measures = ("correlation", "sampling", "above_sampling", "sigma", *COVERAGE, *LOOSENESS)
    same = ("N", "alpha", "seed")

    def __post_init__(self) -> None:
        is_met = min(self.sizes) > 1 < self.d and self.batches > 0
        needs(is_met, "a cell needs two negatives, d > 1 and a batch")

    def cells(self) -> list[dict[str, Any]]:
        """All cells."""
        return [
            {"N": N, "alpha": alpha, "seed": seed, "tau": self.tau}
            for N in self.sizes
            for alpha in self.alphas
            for seed in self.seeds
        ]

    def vectors(self, cell: dict[str, Any], random: torch.Generator) -> Tensor:
        """A common part, and one of each."""
        n, alpha = cell["N"] + 1, cell["alpha"]
        own = torch.randn(n, self.d, dtype=torch.float64, generator=random) / sqrt(self.d)
        common = unit(torch.randn(self.d, dtype=torch.float64, generator=random))
        return unit(sqrt(alpha) * common + sqrt(1 - alpha) * own)

    def tell(self, found: Found, facts: Mapping[str, float]) -> Row:
        """The mean of the negatives as well."""
        squared, N = found.mean_norm.square(), found.mean_norm.shape[-1] - 1
        own = {
            "sampling": float(squared.mean()),
            "above_sampling": float((squared > 1 / N).double().mean()),
        }
        return {**super().tell(found, facts), **own}

    def drawn(self, rows: list[Row], look: Look) -> tuple[Figure, str, str]:
        """The mean of the negatives, and the bands."""
        shown = over_seeds(self.cells(), rows, ("N", "alpha"), self.measures)
        off = max(abs(row["sampling"] / lemma(row["N"], row["correlation"]) - 1) for row in shown)
        inside = {
            name: 100 * min(row[f"inside_{name}"] for row in shown)
            for name in ("plugged", "printed", "proved")
        }
        most, common = max(row["sampling"] * row["N"] for row in shown), max(self.alphas)
        above = 100 * min(row["above_sampling"] for row in shown if row["alpha"] == common)
        told = (
            f"the printed band holds {inside['printed']:.1f} % of the anchors or more with "
            f"their own rho ({inside['plugged']:.1f} % with the mean), the proved one "
            f"{inside['proved']:.1f} %"
        )
        says = (
            f"square of the mean of the negatives up to {most:.3g} times 1/N, as in Lemma A.2; "
            + told
        )
        caption = (
            rf"Vectors with a common part, $d = {self.d}$, $\tau = {self.tau:g}$, positives at the "
            f"cosine {self.cosine:g}; {len(self.seeds) * self.batches} batches of each. (a) The "
            "mean squared norm of the mean of the negatives, over $1/N$: measured, and as derived, "
            rf"Lemma A.2 (curves; an identity, off by {number(off)} at most). At $\alpha = "
            rf"{common:g}$ {above:.0f}\% of the anchors or more are above the "
            "sampling term $1/N$. (b) Median of upper bound over measured, printed (filled) and "
            "closest of the proved ones (open). The other terms leave the printed band so "
            "wide that this does not break it: " + told.replace(" %", r"\%") + "."
        )
        left: list[Series] = []
        right: list[Series] = []
        for k, N in enumerate(self.sizes):
            here = sorted((row for row in shown if row["N"] == N), key=lambda row: row["alpha"])
            x, style = np.array([row["correlation"] for row in here]), mark(look, k)
            inflation = [row["sampling"] * N for row in here]
            left.append(Series(x, inflation, f"$N = {N}$", style={"linestyle": "", **style}))
            fine = np.linspace(min(0.0, float(x.min())), float(x.max()), 60)
            derived = [lemma(N, mu) * N for mu in fine]
            thin = {"color": style["color"], "linewidth": 0.8}
            left.append(Series(fine, derived, style=thin))
            for name, fill in (("printed", "full"), ("closest", "none")):
                more = {"fillstyle": fill, "linestyle": DASHES[k], "linewidth": 0.6, **style}
                right.append(Series(x, [row[f"{name}_median"] for row in here], style=more))
        axes = {"yscale": "log", "xlabel": r"measured correlation $\mu_{\mathrm{corr}}$"}
        panels = [
            Panel("sampling term", r"$N\,\|\bar z^-\|^2$, mean", left, axes, 0.5),
            Panel("looseness", "upper / measured", right, axes, 0.5),
        ]
        return plotted(look, panels, 0.7, 0.6), says, caption


def lemma(N: float, correlation: float) -> float:
    """The mean squared norm of the mean of N unit vectors of a mean inner product, as derived."""
    of = results["gradient-variance"]
    return float(of.function("sampling_mean")(n=N + 2, mu_corr=correlation))

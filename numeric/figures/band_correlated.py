r"""Negatives with a common part, as in appendix A.4 of ochieng2025diversity.

Vectors are :math:`\sqrt\alpha\, u + \sqrt{1 - \alpha}\, \xi_j`, scaled to unit length. As printed,
:math:`\xi_j` is Gaussian with the identity as covariance: it has a length near :math:`\sqrt d`
beside the unit vector u, and the correlation is about :math:`\alpha/d`. What the appendix says of
it, :math:`\mu \approx \alpha`, is so for the covariance I/d, which is taken here.
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
    LOOSENESS,
    Found,
    over_batches,
    over_seeds,
    positives,
    setup_of,
    unit,
)
from .drawing import Drawing, number
from .look import DASHES, MARKERS, PLAIN, Look
from .panels import beneath, side_by_side

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Of the paper.
SIZES, ALPHAS = (62, 254, 1022), (0.0, 0.005, 0.01, 0.02, 0.05, 0.1)
MEASURED = ("correlation", "sampling", "above_sampling", "sigma", *COVERAGE, *LOOSENESS)
COLUMNS = layout(
    ("N", "alpha", "seed", "tau", "d", "cosine", "batches", *MEASURED, "dtype", "device"),
    ("N", "batches"),
)


@dataclass(frozen=True)
class Grid:
    """Numbers of negatives, and how much they have in common."""

    sizes: tuple[int, ...] = SIZES
    alphas: tuple[float, ...] = ALPHAS
    tau: float = 0.1
    cosine: float = 0.75
    d: int = 256
    batches: int = 2
    seeds: tuple[int, ...] = (0, 1)

    def __post_init__(self) -> None:
        if min(self.sizes) < 2 or self.d < 2 or self.batches < 1:
            raise ValueError("a cell needs two negatives, d > 1 and a batch")

    @property
    def n(self) -> int:
        """The most negatives."""
        return max(self.sizes)

    def cells(self) -> list[dict[str, Any]]:
        """All cells."""
        return [
            {"N": N, "alpha": alpha, "seed": seed, "tau": self.tau}
            for N in self.sizes
            for alpha in self.alphas
            for seed in self.seeds
        ]


def measure(grid: Grid, path: Path, **options: Any) -> list[Row]:
    """Measure every cell that the table lacks."""

    def make(cell: dict[str, Any], random: torch.Generator) -> tuple[Tensor, Tensor]:
        n, alpha = cell["N"] + 1, cell["alpha"]
        own = torch.randn(n, grid.d, dtype=torch.float64, generator=random) / sqrt(grid.d)
        common = unit(torch.randn(grid.d, dtype=torch.float64, generator=random))
        z = unit(sqrt(alpha) * common + sqrt(1 - alpha) * own)
        return z, positives(z, grid.cosine, random)

    def tell(cell: dict[str, Any], facts: Mapping[str, float], found: Found) -> Row:
        return {
            "correlation": facts["correlation"],
            "sampling": float(found.mean_norm.square().mean()),
            "above_sampling": float((found.mean_norm.square() > 1 / cell["N"]).double().mean()),
            "sigma": facts["sigma"],
            **found.coverage,
            **found.looseness,
        }

    same, setup = ("N", "alpha", "seed"), setup_of(grid, "d", "cosine", "tau")
    return over_batches(grid, path, COLUMNS, same, make, tell, setup, **options)


def draw(grid: Grid, path: Path, *, look: Look = PLAIN, **options: Any) -> Drawing:
    """Measure what is missing, and draw it: the mean of the negatives, and the bands."""
    rows = measure(grid, path, **options)
    shown = over_seeds(grid.cells(), rows, ("N", "alpha"), MEASURED)
    off = max(abs(row["sampling"] / _lemma(row["N"], row["correlation"]) - 1) for row in shown)
    inside = {
        name: 100 * min(row[name] for row in shown)
        for name in ("inside_plugged", "inside_printed", "inside_proved")
    }
    most = max(row["sampling"] * row["N"] for row in shown)
    above = 100 * min(row["above_sampling"] for row in shown if row["alpha"] == max(grid.alphas))
    told = (
        f"the printed band holds {inside['inside_printed']:.1f} % of the anchors or more with "
        f"their own rho ({inside['inside_plugged']:.1f} % with the mean), the proved one "
        f"{inside['inside_proved']:.1f} %"
    )
    says = (
        f"square of the mean of the negatives up to {most:.3g} times 1/N, as in Lemma A.2; {told}"
    )
    caption = (
        rf"Vectors with a common part, $d = {grid.d}$, $\tau = {grid.tau:g}$, positives at the "
        f"cosine {grid.cosine:g}; {len(grid.seeds) * grid.batches} batches of each. (a) The mean "
        "squared norm of the mean of the negatives, over $1/N$: measured, and as derived, Lemma "
        rf"A.2 (curves; an identity, off by {number(off)} at most). At $\alpha = "
        rf"{max(grid.alphas):g}$ {above:.0f}\% of the anchors or more are above the "
        "sampling term $1/N$. (b) Median of upper bound over measured, printed (filled) and "
        "closest of the proved ones (open). The other terms leave the printed band so "
        "wide that this does not break it: " + told.replace(" %", r"\%") + "."
    )
    return Drawing(_drawn(grid, shown, look), look, rows, says, caption)


def _lemma(N: float, correlation: float) -> float:
    """The mean squared norm of the mean of N unit vectors of a mean inner product, as derived."""
    from ...derive.results import results

    of = results["gradient-variance"]
    return float(of.function("sampling_mean")(n=N + 2, mu_corr=correlation))


def _drawn(grid: Grid, shown: Sequence[Mapping[str, float]], look: Look) -> Figure:
    colours, entries = look.palette(), []
    with look.applied():
        figure, axes = side_by_side(look, 2, 0.7, 0.6)
        left, right = axes
        for k, N in enumerate(grid.sizes):
            here = sorted((row for row in shown if row["N"] == N), key=lambda row: row["alpha"])
            x = np.array([row["correlation"] for row in here])
            style = {"color": colours[k], "marker": MARKERS[k]}
            inflation = [row["sampling"] * N for row in here]
            (line,) = left.plot(x, inflation, linestyle="", **style)
            fine = np.linspace(min(0.0, float(x.min())), float(x.max()), 60)
            left.plot(fine, [_lemma(N, mu) * N for mu in fine], color=colours[k], linewidth=0.8)
            for name, fill in (("printed", "full"), ("closest", "none")):
                y = [row[f"{name}_median"] for row in here]
                right.plot(x, y, fillstyle=fill, linestyle=DASHES[k], linewidth=0.6, **style)
            entries.append((line, f"$N = {N}$"))
        left.set(ylabel=r"$N\,\|\bar z^-\|^2$, mean", yscale="log")
        left.set_title("(a) sampling term", loc="left")
        right.set(ylabel="upper / measured", yscale="log")
        right.set_title("(b) looseness", loc="left")
        for ax in axes:
            ax.axhline(1, color="black", linewidth=0.5)
            ax.set_xlabel(r"measured correlation $\mu_{\mathrm{corr}}$")
        beneath(figure, entries, "", len(entries))
    return figure

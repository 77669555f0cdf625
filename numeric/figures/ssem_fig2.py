"""Figure 2 of lee2025ssem: theory above, optimised embeddings below, and the threshold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...derive.results import results
from ...derive.structures.arrangement import Arrangement
from ..measure import Variances, variances
from ..sweep import SEARCHED, Cell, Chains, alike, cells, key, sweep
from ..table import Row, layout
from .drawing import LOOSE, Drawing, asked, heat, in_table, largest_gap, problem_of

COLUMNS = layout(
    ("alpha", "tau", "seed", *Variances._fields, *SEARCHED, "m", "n", "p", "d", "dtype", "device")
    + ("tolerance",),
    "mnp",
)
#: Chains of cells begin at an optimum that is the same for all temperatures, where it is easy to
#: find. (From random starts, temperatures of 0.05 and less are hard for every method: classes
#: barely feel each other, and the loss becomes a narrow bent valley.)
CHAINS = Chains("alpha", {"alpha": 1.0, "tau": 0.5})


@dataclass(frozen=True)
class Grid:
    """The cells of a figure and the sizes of its embeddings."""

    m: int = 10
    n: int = 10
    p: int = 2
    d: int = 100
    alphas: tuple[float, ...] = tuple(k / 19 for k in range(20))
    taus: tuple[float, ...] = tuple(0.05 * k for k in range(1, 21))
    seeds: tuple[int, ...] = (0,)

    @property
    def sizes(self) -> dict[str, int]:
        """Sizes and dimension."""
        return {"m": self.m, "n": self.n, "p": self.p, "d": self.d}

    def cells(self) -> list[dict[str, float | int]]:
        """All cells; the largest temperature, which is easiest, comes first."""
        falling = sorted(self.taus, reverse=True)
        return cells(tau=falling, seed=self.seeds, alpha=self.alphas, **self.sizes)


def spread(arrangement: Arrangement, u: Tensor) -> dict[str, Tensor]:
    """What is measured, by column."""
    return variances(arrangement, u)._asdict()


def measure(
    grid: Grid,
    path: Path,
    *,
    dtype: torch.dtype = torch.float64,
    cold: bool = False,
    tolerance: float | None = None,
    **options: Any,
) -> list[Row]:
    """Optimise every cell that the table lacks; ``options`` are those of a sweep."""
    setup = {**grid.sizes, "tolerance": asked(tolerance)}
    if tolerance is None and grid.d < grid.m * grid.n - 1:
        tolerance = LOOSE
    options |= {"chains": None if cold else CHAINS, "tolerance": tolerance, "dtype": dtype}
    problem = problem_of("supcl-optimum")

    def solve(todo: list[Cell]) -> Iterator[Row]:
        return sweep(problem, todo, measured=spread, **options)

    return in_table(path, COLUMNS, grid.cells(), solve, dtype, **setup)


def predicted(grid: Grid) -> np.ndarray:
    """Derived within-class variance, ``(taus, alphas)``."""
    f = results["supcl-optimum"].function("within_class_variance")
    alpha, tau = np.array(grid.alphas)[None, :], np.array(grid.taus)[:, None]
    return np.asarray(f(m=grid.m, n=grid.n, alpha=alpha, tau=tau))


def measured(grid: Grid, rows: Sequence[Row]) -> np.ndarray:
    """Measured within-class variance averaged over seeds, ``(taus, alphas)``."""
    place = ("tau", "alpha")
    found = {
        key(same[0], place): np.mean([float(row["within"]) for row in same])
        for same in alike(rows, place)
    }
    return np.array(
        [[found[key({"alpha": a, "tau": t}, place)] for a in grid.alphas] for t in grid.taus]
    )


def draw(grid: Grid, path: Path, **options: Any) -> Drawing:
    """Measure what is missing, and draw it: theory above, embeddings below, the threshold."""
    from matplotlib.figure import Figure

    rows = measure(grid, path, **options)
    above, below, gap = predicted(grid), measured(grid, rows), largest_gap(rows)
    figure = Figure(figsize=(6.4, 7.2), layout="constrained")
    axes = figure.subplots(2, 1, sharex=True, sharey=True)
    threshold = results["supcl-threshold"].function("alpha_min")
    fine = np.linspace(min(grid.taus), max(grid.taus), 400)
    panels = {
        "derived (red: alpha_min)": above,
        f"optimised, d = {grid.d}, largest certified gap {gap:.1g}": below,
    }
    for ax, (title, values) in zip(axes, panels.items(), strict=True):
        mesh = heat(ax, grid.alphas, grid.taus, values, title)
        ax.plot(threshold(m=grid.m, n=grid.n, tau=fine), fine, color="red", linestyle="--")
        ax.set_ylabel(r"$\tau$")
    axes[1].set_xlabel(r"$\alpha$")
    figure.colorbar(mesh, ax=axes, label="within-class variance")
    figure.suptitle(f"SupCL, m = {grid.m}, n = {grid.n}, p = {grid.p}")
    worst = float(abs(below - above).max())
    says = f"largest difference from theory {worst:.2g}, largest certified gap {gap:.2g}"
    return Drawing(figure, rows, says)

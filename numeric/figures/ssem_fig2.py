"""Figure 2 of lee2025ssem: theory above, optimised embeddings below, and the threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from ...derive.results import results
from ...derive.structures.arrangement import Arrangement
from ..measure import variances
from ..sweep import SEARCHED, Chains, cells, key, sweep
from ..table import Row, layout
from .drawing import LOOSE, Drawing, asked, dtype_name, in_table, largest_gap

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MEASURED = ("within", "between", "centroid_norm")
COLUMNS = layout(
    ("alpha", "tau", "seed", *MEASURED, *SEARCHED)
    + ("m", "n", "p", "d", "dtype", "device", "tolerance"),
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
    """The columns :data:`MEASURED`."""
    found = variances(arrangement, u)
    return {name: getattr(found, name) for name in MEASURED}


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
    setup = {**grid.sizes, "dtype": dtype_name(dtype), "tolerance": asked(tolerance)}
    if tolerance is None and grid.d < grid.m * grid.n - 1:
        tolerance = LOOSE
    problem = results["supcl-optimum"].problem
    assert problem is not None
    return in_table(
        path,
        setup,
        COLUMNS,
        grid.cells(),
        lambda rows: sweep(
            problem,
            grid.cells(),
            measured=spread,
            chains=None if cold else CHAINS,
            done=rows,
            tolerance=tolerance,
            dtype=dtype,
            **options,
        ),
    )


def predicted(grid: Grid) -> np.ndarray:
    """Derived within-class variance, ``(taus, alphas)``."""
    f = results["supcl-optimum"].function("within_class_variance")
    alpha, tau = np.array(grid.alphas)[None, :], np.array(grid.taus)[:, None]
    return np.asarray(f(m=grid.m, n=grid.n, alpha=alpha, tau=tau))


def measured(grid: Grid, rows: Sequence[Row]) -> np.ndarray:
    """Measured within-class variance averaged over seeds, ``(taus, alphas)``."""
    place = ("alpha", "tau")
    found: dict[object, list[float]] = {}
    for row in rows:
        found.setdefault(key(row, place), []).append(float(row["within"]))
    return np.array(
        [
            [np.mean(found[key({"alpha": a, "tau": t}, place)]) for a in grid.alphas]
            for t in grid.taus
        ]
    )


def draw(grid: Grid, path: Path, **options: Any) -> Drawing:
    """Measure what is missing; what there is to draw, and to say of it."""
    rows = measure(grid, path, **options)
    worst = float(abs(measured(grid, rows) - predicted(grid)).max())
    return Drawing(
        lambda: figure(grid, rows),
        rows,
        f"largest difference from theory {worst:.2g}, largest certified gap "
        f"{largest_gap(rows):.2g}",
    )


def figure(grid: Grid, rows: Sequence[Row]) -> Figure:
    """Theory above, optimised embeddings below, and the threshold in both."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 7.2), layout="constrained")
    axes = figure.subplots(2, 1, sharex=True, sharey=True)
    above, below = predicted(grid), measured(grid, rows)
    f = results["supcl-threshold"].function("alpha_min")
    fine = np.linspace(min(grid.taus), max(grid.taus), 400)
    titles = (
        "derived (red: alpha_min)",
        f"optimised, d = {grid.d}, largest certified gap {largest_gap(rows):.1g}",
    )
    for ax, values, title in zip(axes, (above, below), titles, strict=True):
        mesh = ax.pcolormesh(
            grid.alphas, grid.taus, values, vmin=0, vmax=1, shading="nearest", cmap="viridis"
        )
        ax.plot(f(m=grid.m, n=grid.n, tau=fine), fine, color="red", linestyle="--")
        ax.set_ylabel(r"$\tau$")
        ax.set_title(title)
    axes[1].set_xlabel(r"$\alpha$")
    figure.colorbar(mesh, ax=axes, label="within-class variance")
    figure.suptitle(f"SupCL, m = {grid.m}, n = {grid.n}, p = {grid.p}")
    return figure

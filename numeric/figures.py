"""Figures that set theory beside optimised embeddings, as the papers do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from ..derive.losses.supcl import SUPCL
from ..derive.results import results
from .progress import Report
from .sweep import Row, key, sweep
from .table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


#: Tolerance on the gradient where d is too small for the structure to exist. The optima are
#: then flat in many directions and slow to pin down, and the certified gap, 1e-2 and more
#: there, is what the missing dimensions cost; a gradient of 1e-5 changes it by far less.
LOOSE = 1e-5


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

    def setup(self, dtype: torch.dtype) -> dict[str, int | str]:
        """What tells the table of this figure from another's."""
        name = str(dtype).removeprefix("torch.")
        return {"m": self.m, "n": self.n, "p": self.p, "d": self.d, "dtype": name}


def measure(
    grid: Grid,
    path: Path,
    *,
    dtype: torch.dtype = torch.float64,
    device: str = "auto",
    cold: bool = False,
    tolerance: float | None = None,
    progress: bool | Report = False,
) -> list[Row]:
    """Optimise every cell that the table lacks; every finished row is on disk at once.

    Raises
    ------
    TableError
        If the table belongs to another set-up.
    KeyboardInterrupt
        On Ctrl-C; what was finished is in the table, and the next call goes on from there.
    """
    table = Table(path, grid.setup(dtype), Row)
    if tolerance is None and grid.d < grid.m * grid.n - 1:
        tolerance = LOOSE
    rows = sweep(
        SUPCL,
        alphas=grid.alphas,
        taus=grid.taus,
        seeds=grid.seeds,
        m=grid.m,
        n=grid.n,
        p=grid.p,
        d=grid.d,
        cold=cold,
        tolerance=tolerance,
        done=[r.key for r in table.rows],
        dtype=dtype,
        device=device,
        progress=progress,
    )
    for row in rows:
        table.append([row])
    wanted = {key(a, t, s) for a in grid.alphas for t in grid.taus for s in grid.seeds}
    return [r for r in table.rows if r.key in wanted]


def predicted(grid: Grid) -> np.ndarray:
    """Derived within-class variance, ``(taus, alphas)``."""
    f = results["supcl-optimum"].function("within_class_variance")
    alpha, tau = np.array(grid.alphas)[None, :], np.array(grid.taus)[:, None]
    return np.asarray(f(m=grid.m, n=grid.n, alpha=alpha, tau=tau))


def measured(grid: Grid, rows: Sequence[Row]) -> np.ndarray:
    """Measured within-class variance averaged over seeds, ``(taus, alphas)``."""
    found: dict[tuple[float, float], list[float]] = {}
    for row in rows:
        found.setdefault(row.key[:2], []).append(row.within)
    return np.array([[np.mean(found[key(a, t, 0)[:2]]) for a in grid.alphas] for t in grid.taus])


def ssem_fig2(grid: Grid, rows: Sequence[Row]) -> Figure:
    """Figure 2 of lee2025ssem: theory above, optimised embeddings below, and the threshold."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 7.2), layout="constrained")
    axes = figure.subplots(2, 1, sharex=True, sharey=True)
    above, below = predicted(grid), measured(grid, rows)
    f = results["supcl-threshold"].function("alpha_min")
    fine = np.linspace(min(grid.taus), max(grid.taus), 400)
    largest = max(r.gap for r in rows)
    titles = (
        "derived (red: alpha_min)",
        f"optimised, d = {grid.d}, largest certified gap {largest:.1g}",
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

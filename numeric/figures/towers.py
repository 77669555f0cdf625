"""What the figures of lee2024sigmoid share: the grid, the derived values, the panels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...derive.results import results
from ..sweep import key
from ..table import Row
from .drawing import heat

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: What tells one place of a panel from another.
PLACE = ("N", "t", "b")


@dataclass(frozen=True)
class TowerGrid:
    """The cells of a figure: numbers of items, temperatures, and the bias (None for b = t)."""

    items: tuple[int, ...] = (4, 6, 8, 10, 16, 24, 32, 48, 64)
    temperatures: tuple[float, ...] = tuple(round(0.25 * k, 12) for k in range(1, 21))
    bias: float | None = None
    seeds: tuple[int, ...] = (0, 1, 2, 3)

    @property
    def points(self) -> list[tuple[float, float]]:
        """Pairs (t, b)."""
        return [(t, t if self.bias is None else self.bias) for t in self.temperatures]


def predicted_similarity(grid: TowerGrid) -> np.ndarray:
    """Derived s for d >= N, ``(temperatures, items)``."""
    f = results["sigmoid-optimum"].function("positive_similarity")
    t, b = (np.array(column)[:, None] for column in zip(*grid.points, strict=True))
    return np.asarray(f(N=np.array(grid.items)[None, :], t=t, b=b))


def measured_similarity(grid: TowerGrid, rows: Sequence[Row]) -> np.ndarray:
    """Measured s of the seed with the least loss, ``(temperatures, items)``."""
    worst_first = sorted(rows, key=lambda row: float(row["loss"]), reverse=True)
    best = {key(row, PLACE): float(row["similarity"]) for row in worst_first}
    places = [[{"N": N, "t": t, "b": b} for N in grid.items] for t, b in grid.points]
    return np.array([[best[key(place, PLACE)] for place in line] for line in places])


def draw_panels(grid: TowerGrid, panels: Mapping[str, np.ndarray]) -> Figure:
    """One map of s for each title, with the two thresholds in all of them."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.2 * len(panels)), layout="constrained")
    axes = list(figure.subplots(len(panels), 1, sharex=True, sharey=True))
    for ax, (title, values) in zip(axes, panels.items(), strict=True):
        mesh = heat(ax, grid.items, grid.temperatures, values, title)
        _thresholds(ax, grid)
        ax.set_xscale("log")
        ax.set_xticks(grid.items, [str(N) for N in grid.items])
        ax.minorticks_off()
        ax.set_ylabel("t = b" if grid.bias is None else "t")
    axes[-1].set_xlabel("N")
    figure.colorbar(mesh, ax=axes, label="normalised similarity s")
    bias = "" if grid.bias is None else f", b = {grid.bias:g}"
    figure.suptitle(f"sigmoid loss{bias}: simplex above the blue line, antipodal below the red")
    return figure


def _thresholds(ax: Axes, grid: TowerGrid) -> None:
    """The two lines; at b = t they are functions of N, else level lines of b's thresholds."""
    r = results["sigmoid-threshold"]
    # Numbers of items are integers; elsewhere the thresholds are nan.
    items = np.unique(np.geomspace(max(4, min(grid.items)), max(grid.items), 400).round())
    low, high = min(grid.temperatures), max(grid.temperatures)
    if items[0] >= items[-1]:
        return  # no line for N = 2 and 3 alone
    t = np.linspace(low, high, 400)
    for name, colour in (("simplex", "blue"), ("antipodal", "red")):
        with np.errstate(divide="ignore", invalid="ignore"):
            if grid.bias is None:
                line = r.function(f"t_{name}")(N=items)
                ax.plot(items, line, color=colour, linestyle="--")
            else:
                edge = r.function(f"b_{name}")(N=items[None, :], t=t[:, None]) - grid.bias
                if edge.min() < 0 < edge.max():
                    ax.contour(items, t, edge, levels=[0.0], colors=colour, linestyles="--")
    ax.set_ylim(low, high)

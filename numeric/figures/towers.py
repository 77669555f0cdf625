"""What the figures of lee2024sigmoid share: the grid, the derived values, the panels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...derive.results import results
from ..running.table import Row, key
from .curves import Curve, Frame, axis, solved
from .drawing import Experiment
from .look import Look
from .panels import Scale, drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: What tells one place of a panel from another.
PLACE = ("N", "t", "b")
#: The loss and its bias.
ABOUT = "sigmoid loss, $b = t$"


@dataclass(frozen=True)
class Towers(Experiment):
    """The cells of a figure: numbers of items, and temperatures; the bias is b = t."""

    items: tuple[int, ...] = (4, 6, 8, 10, 16, 24, 32, 48, 64)
    temperatures: tuple[float, ...] = tuple(round(0.25 * k, 12) for k in range(1, 21))
    seeds: tuple[int, ...] = (0, 1, 2, 3)

    def __post_init__(self) -> None:
        if len(self.items) < 2 or len(self.temperatures) < 2:
            raise ValueError("a map needs two or more numbers of items, and of temperatures")

    @property
    def points(self) -> list[tuple[float, float]]:
        """Pairs (t, b)."""
        return [(t, t) for t in self.temperatures]


def predicted_similarity(grid: Towers) -> np.ndarray:
    """Derived s for d >= N, ``(temperatures, items)``."""
    f = results["sigmoid-optimum"].function("positive_similarity")
    t, b = (np.array(column)[:, None] for column in zip(*grid.points, strict=True))
    return np.asarray(f(N=np.array(grid.items)[None, :], t=t, b=b))


def measured_similarity(grid: Towers, rows: Sequence[Row]) -> np.ndarray:
    """Measured s of the seed with the least loss, ``(temperatures, items)``."""
    worst_first = sorted(rows, key=lambda row: float(row["loss"]), reverse=True)
    best = {key(row, PLACE): float(row["similarity"]) for row in worst_first}
    places = [[{"N": N, "t": t, "b": b} for N in grid.items] for t, b in grid.points]
    return np.array([[best[key(place, PLACE)] for place in line] for line in places])


def scales(grid: Towers) -> tuple[Scale, Scale]:
    """The axes: numbers of items, and temperatures."""
    result = results["sigmoid-optimum"]
    times = f"{axis('t', result)}, bias $b = t$"
    return Scale(grid.items, "items $N$", 2, log=True), Scale(grid.temperatures, times, 0)


def borders(grid: Towers) -> list[Curve]:
    """The two thresholds in t, as far as they are in the plane."""
    x, y = scales(grid)
    on = Frame("N", "t", x.ends, y.ends, {})
    low, high = np.ceil(x.ends[0]), np.floor(x.ends[1])
    # Numbers of items are integers; elsewhere the thresholds are nan.
    items = np.unique([*grid.items, *np.geomspace(low, high, 400).round()])
    result = results["sigmoid-threshold"]
    return [solved(result, name, on, items) for name in ("t_simplex", "t_antipodal")]


def draw_panels(grid: Towers, panels: Mapping[str, np.ndarray], look: Look) -> Figure:
    """One map of s for each title, with the two thresholds in all of them."""
    x, y = scales(grid)
    sides = {"<=": "below", ">=": "above"}
    result = results["sigmoid-threshold"]
    lines = []
    for curve in borders(grid):
        bound = result.quantity(curve.name).bound
        assert bound is not None
        structure = curve.name.split("_")[1]
        lines.append((curve, f"derived {curve.label}: {structure} {sides[bound[1]]}"))
    return drawn(look, x, y, panels, lines, ABOUT, "similarity of positives $s$")


def told(grid: Towers) -> str:
    """What a caption says of the curves."""
    curves = [c for c in borders(grid) if c.seen]
    names = " and ".join(c.label for c in curves)
    return f" Curves: the derived thresholds {names}." if curves else ""


def half(grid: Towers) -> str:
    """The dimension that is too small, as mathematics."""
    return r"$d = \lceil N/2 \rceil$" if any(N % 2 for N in grid.items) else "$d = N/2$"

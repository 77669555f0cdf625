"""What every figure has: cells that are measured into a table, and a drawing of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from ...derive.problems.problem import Problem
from ...derive.results import results
from ..sweep import Cell, key, lacking
from ..table import Layout, Row, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.figure import Figure

#: Tolerance on the gradient where d is too small for the structure to exist. The optima are
#: then flat in many directions and slow to pin down, and the certified gap, 1e-2 and more
#: there, is what the missing dimensions cost; a gradient of 1e-5 changes it by far less.
LOOSE = 1e-5


@dataclass(frozen=True)
class Drawing:
    """A figure, the cells it shows, and what to say of them."""

    figure: Figure
    rows: Sequence[Row]
    says: str

    @property
    def stopped(self) -> int:
        """Cells that did not reach the tolerance."""
        return sum(row["stop"] != "converged" for row in self.rows)


def problem_of(id: str) -> Problem:
    """What a result is about."""
    found = results[id].problem
    assert found is not None
    return found


def in_table(
    path: Path,
    columns: Layout,
    grid: Sequence[Cell],
    solve: Callable[[list[Any]], Iterable[Row]],
    dtype: torch.dtype,
    **setup: float | str,
) -> list[Row]:
    """Rows of all cells of a grid: those of a table, and what it lacks, solved.

    ``solve`` takes the cells that are lacking, and yields their rows; every one is on disk at
    once. A table belongs to one ``dtype`` and one ``setup``: columns that are the same in all
    rows.

    Raises
    ------
    TableError
        If the table belongs to another set-up.
    KeyboardInterrupt
        On Ctrl-C; what was finished is in the table, and the next call goes on from there.
    """
    table = Table(path, {**setup, "dtype": str(dtype).removeprefix("torch.")}, columns)
    todo = lacking(grid, table.rows)
    for row in solve(todo) if todo else ():
        table.append([row])
    told = (*grid[0],)
    wanted = {key(cell, told) for cell in grid}
    found: dict[tuple[Hashable, ...], Row] = {}
    for row in table.rows:  # another run may have filled the table at the same time
        found.setdefault(key(row, told), row)
    return [row for place, row in found.items() if place in wanted]


def asked(tolerance: float | None) -> str:
    """The column ``tolerance``: cells of one figure are all as exact as was asked for."""
    return "default" if tolerance is None else f"{tolerance:g}"


def largest_gap(rows: Iterable[Row]) -> float:
    """The largest certified gap; nan if one is."""
    return float(np.max([float(row["gap"]) for row in rows]))


def heat(ax: Axes, x: Sequence[float], y: Sequence[float], values: Any, title: str) -> QuadMesh:
    """A map of numbers from 0 to 1."""
    ax.set_title(title)
    return ax.pcolormesh(x, y, values, vmin=0, vmax=1, shading="nearest", cmap="viridis")

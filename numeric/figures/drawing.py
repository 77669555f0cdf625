"""What every figure has: cells that are measured into a table, and a drawing of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from ..sweep import Cell, key
from ..table import Layout, Row, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Tolerance on the gradient where d is too small for the structure to exist. The optima are
#: then flat in many directions and slow to pin down, and the certified gap, 1e-2 and more
#: there, is what the missing dimensions cost; a gradient of 1e-5 changes it by far less.
LOOSE = 1e-5


@dataclass(frozen=True)
class Drawing:
    """A figure to be drawn, and what to say of its cells."""

    figure: Callable[[], Figure]
    rows: Sequence[Row]
    says: str

    @property
    def stopped(self) -> int:
        """Cells that did not reach the tolerance."""
        return sum(row["stop"] != "converged" for row in self.rows)


def in_table(
    path: Path,
    setup: Mapping[str, float | int | str],
    columns: Layout,
    grid: Sequence[Cell],
    solve: Callable[[list[Row]], Iterable[Row]],
) -> list[Row]:
    """Rows of all cells of a grid: those of a table, and what it lacks, solved.

    ``solve`` takes the rows that there are, and yields others; every one is on disk at once.

    Raises
    ------
    TableError
        If the table belongs to another set-up.
    KeyboardInterrupt
        On Ctrl-C; what was finished is in the table, and the next call goes on from there.
    """
    table = Table(path, setup, columns)
    for row in solve(list(table.rows)):
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


def dtype_name(dtype: torch.dtype) -> str:
    """``float64``, without the name of the package."""
    return str(dtype).removeprefix("torch.")

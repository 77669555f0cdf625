"""What every figure has: cells that are measured into a table, and a drawing of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from sympy import Symbol, latex

from ...derive.problems.problem import Problem
from ...derive.results import results
from ..running.table import Layout, Row, Table
from ..search.sweep import Cell, key, lacking
from .look import Look, write

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Tolerance on the gradient where d is too small for the structure to exist. The optima are
#: then flat in many directions and slow to pin down, and the certified gap, 1e-2 and more
#: there, is what the missing dimensions cost; a gradient of 1e-5 changes it by far less.
LOOSE = 1e-5


@dataclass(frozen=True)
class Drawing:
    """A figure, the cells it shows, and what to say of them.

    Attributes
    ----------
    figure, look
        What was drawn, and how.
    rows
        Cells that were measured.
    says
        What came out, for one line of a terminal.
    caption
        What is derived and what is measured, for LaTeX and Markdown alike.
    """

    figure: Figure
    look: Look
    rows: Sequence[Row]
    says: str
    caption: str

    def save(self, path: Path) -> None:
        """Write it in the format that the name tells; see :func:`look.write` for the errors."""
        with self.look.applied():
            write(self.figure, path)

    @property
    def stopped(self) -> int:
        """Cells that did not reach the tolerance, where there is one."""
        return sum(row.get("stop", "converged") != "converged" for row in self.rows)


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
        If the table belongs to another set-up, or another process is filling it.
    KeyboardInterrupt
        On Ctrl-C; what was finished is in the table, and the next call goes on from there.
    """
    table = Table(path, {**setup, "dtype": str(dtype).removeprefix("torch.")}, columns)
    if lacking(grid, table.rows):
        with table.alone():
            for row in solve(lacking(grid, table.rows)):
                table.append([row])
    told = (*grid[0],)
    wanted = {key(cell, told) for cell in grid}
    found: dict[tuple[Hashable, ...], Row] = {}
    for row in table.rows:  # a table may hold a cell twice, of times before there was a lock
        found.setdefault(key(row, told), row)
    return [row for place, row in found.items() if place in wanted]


def asked(tolerance: float | None) -> str:
    """The column ``tolerance``: cells of one figure are all as exact as was asked for."""
    return "default" if tolerance is None else f"{tolerance:g}"


def largest_gap(rows: Iterable[Row]) -> float:
    """The largest certified gap; nan if one is."""
    return float(np.max([float(row["gap"]) for row in rows]))


def number(value: float) -> str:
    """Two digits as mathematics: ``$2.3 \\times 10^{-13}$``."""
    mantissa, _, power = f"{value:.1e}".partition("e")
    if not power or -3 < int(power) < 3:
        return f"${value:.2g}$"
    factor = "" if mantissa == "1.0" else rf"{mantissa} \times "
    return rf"${factor}10^{{{int(power)}}}$"


def sizes(of: Mapping[str, Any]) -> str:
    """Values by name, as mathematics."""
    return ", ".join(f"${latex(Symbol(k))} = {v:g}$" for k, v in of.items())


def by_seeds(seeds: Sequence[int], of_several: str) -> str:
    """From which seeds something was found, and what was done with several."""
    if len(seeds) == 1:
        return f"from seed {seeds[0]}"
    return f"from {len(seeds)} seeds, {of_several}"

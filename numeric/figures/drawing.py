"""What every figure has: cells that are measured into a table, and a drawing of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import torch
from sympy import Symbol, latex
from torch import Tensor

from ...derive.problems.problem import Problem
from ...derive.results import results
from ..running.device import resolve_device
from ..running.progress import Progress, unheard
from ..running.table import Row, Table, alike, key, lacking
from ..running.workers import Workers
from .look import PLAIN, Look, write

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


@dataclass(frozen=True)
class Run:
    """How cells are measured.

    Attributes
    ----------
    dtype, tolerance
        Precision, and the gradient norm at which a cell has converged; None for the default.
    device
        As in :func:`~cltheory.numeric.search.minimise`.
    """

    dtype: torch.dtype = torch.float64
    tolerance: float | None = None
    device: str | torch.device = "auto"

    @property
    def where(self) -> torch.device:
        """The device that is meant."""
        return resolve_device(self.device)

    @property
    def limit(self) -> str:
        """The column ``tolerance``: cells of one figure are all as exact as was asked for."""
        return "default" if self.tolerance is None else f"{self.tolerance:g}"


class Experiment(ABC):
    """The cells that a figure shows: how they are measured, drawn and described.

    Attributes
    ----------
    dtype
        The precision where it is no matter of choice.
    columns
        The layout of the table.
    joint
        Columns in which cells agree that share work, so that one process does them.
    """

    dtype: ClassVar[torch.dtype | None] = None
    columns: Any
    joint: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def cells(self) -> list[dict[str, Any]]:
        """All cells."""

    def parts(self, todo: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
        """Cells for one process each: those that agree in what is ``joint``, or every one alone."""
        return alike(todo, self.joint or tuple(todo[0]))

    def setup(self, run: Run) -> dict[str, float | str]:
        """What all rows of a table have in common, beside the precision."""
        return {}

    def measured(self, cell: dict[str, Any], run: Run) -> Row:
        """What is measured in one cell."""
        raise NotImplementedError

    def solve(self, todo: list[dict[str, Any]], run: Run) -> Iterator[Row]:
        """The rows of some cells, each as soon as it is finished."""
        for cell in todo:
            yield {**cell, **self.measured(cell, run), "device": str(run.where)}

    @abstractmethod
    def drawn(self, rows: list[Row], look: Look) -> tuple[Figure, str, str]:
        """The figure; what came out, in a line; and the caption."""

    def solve_in(self, workers: Workers, todo: list[dict[str, Any]], run: Run) -> Iterator[Row]:
        """The same rows, found by workers, a part at a time."""
        if workers.is_here:
            yield from self.solve(todo, run)
            return
        for _, rows in workers.each(partial(_solved, self, run), self.parts(todo)):
            yield from rows

    def measure(
        self,
        path: Path,
        *,
        workers: Workers = Workers(),
        progress: Progress = unheard,
        **options: Any,
    ) -> list[Row]:
        """Rows of all cells: those of a table, and what it lacks; ``options`` are those of `Run`.

        Every row is on disk at once, and ``progress`` is told how many are of how many. A table
        belongs to one precision and one set-up.

        Raises
        ------
        TableError
            If the table belongs to another set-up, or another process is filling it.
        WorkersError
            If there are no such workers.
        KeyboardInterrupt
            On Ctrl-C; what was finished is in the table, and the next call goes on from there.
        """
        run, grid = Run(**options), self.cells()
        dtype = str(self.dtype or run.dtype).removeprefix("torch.")
        table = Table(path, {**self.setup(run), "dtype": dtype}, self.columns)
        if lacking(grid, table.rows):
            with table.alone():
                todo = lacking(grid, table.rows)
                for done, row in enumerate(self.solve_in(workers, todo, run), 1):
                    table.append([row])
                    progress(done, len(todo))
        told = (*grid[0],)
        wanted = {key(cell, told) for cell in grid}
        found: dict[tuple[Hashable, ...], Row] = {}
        for row in table.rows:  # a table may hold a cell twice, of times before there was a lock
            found.setdefault(key(row, told), row)
        return [row for place, row in found.items() if place in wanted]

    def draw(self, path: Path, *, look: Look = PLAIN, **options: Any) -> Drawing:
        """Measure what is missing, and draw it."""
        rows = self.measure(path, **options)
        with look.applied():
            figure, says, caption = self.drawn(rows, look)
        return Drawing(figure, look, rows, says, caption)


def _solved(experiment: Experiment, run: Run, part: list[dict[str, Any]]) -> list[Row]:
    """The rows of a part, in a process of its own."""
    return list(experiment.solve(part, run))


def largest_gap(rows: Iterable[Row]) -> float:
    """The largest certified gap; nan if one is."""
    return float(np.max([float(row["gap"]) for row in rows]))


#: A certified gap from which on an embedding is called no optimum.
SHORT = 1e-3


def certified(gap: float) -> str:
    """The largest certified gap in words, and what to do where it is large."""
    short = "; a search ended at no optimum: try other --seeds" * (not gap < SHORT)
    return f"largest certified gap {gap:.2g}{short}"


def number(value: float) -> str:
    """Two digits as mathematics: ``$2.3 \\times 10^{-13}$``."""
    mantissa, _, power = f"{value:.1e}".partition("e")
    if not power or -3 < int(power) < 3:
        return f"${value:.2g}$"
    factor = "" if mantissa == "1.0" else rf"{mantissa} \times "
    return rf"${factor}10^{{{int(power)}}}$"


def sizes(values: Mapping[str, Any], known: Iterable[Symbol] = ()) -> str:
    """Values by name, as mathematics; symbols that are ``known`` as they are written."""
    written = {s.name: s for s in known}
    return ", ".join(f"${latex(written.get(k, Symbol(k)))} = {v:g}$" for k, v in values.items())


def spelled(points: Tensor) -> str:
    """Points as a text in a table, ``x y;x y``, with five digits."""
    return ";".join(" ".join(f"{v:.5g}" for v in point) for point in points.tolist())


def points(row: Row, name: str = "points") -> np.ndarray:
    """The points of a column, ``(n, d)``."""
    return np.array([point.split() for point in str(row[name]).split(";")], dtype=np.float64)


def by_seeds(seeds: Sequence[int], of_several: str) -> str:
    """From which seeds something was found, and what was done with several."""
    if len(seeds) == 1:
        return f"from seed {seeds[0]}"
    return f"from {len(seeds)} seeds, {of_several}"

"""A declared loss at many sizes, parameters and seeds; cells may start from their neighbours.

A certificate does not ask where a search started, so neighbouring cells may share their
work. The order matters. SupCL, at alpha = 1, has the same optimum for every tau, and as alpha
falls the spread within classes shrinks continuously, at last into collapse. Collapse is
a saddle where it is not the optimum, and a symmetric search does not leave it: so
every chain of cells runs from the largest value of one parameter down, with all others fixed,
and begins at an anchor: the optimum at parameters that make it easy to find, from a random
start.

What a cell starts from is harmless, since every cell is certified on its own: where
the certified gap is not zero to rounding, seeded noise is added and the search goes on,
so that a saddle is left along its negative curvature. (Where d is too small for the gap
to close, this costs a second search and changes nothing.)
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import isfinite
from typing import Any
from zlib import crc32

import torch
from sympy import Rational
from torch import Tensor

from ..derive.problems.problem import Problem
from ..derive.structures.arrangement import Arrangement, arrange
from .device import resolve_device, threads_for
from .embeddings import perturb, random_embeddings
from .measure import inner_products
from .problems import parameter_names
from .problems.parameters import size_names
from .progress import Report, reporting
from .search import Optimum, StopCode, default_chunk, minimise
from .table import Row

#: What tells one cell from another: its sizes, dimension, parameters and seed.
Cell = Mapping[str, float | int]
#: What is measured on embeddings ``(B, *shape, d)``: columns, ``(B,)`` each.
Measured = Callable[[Arrangement, Tensor], dict[str, Tensor]]

# Noise added where a cell is not certified, in radians per vector: large enough to leave a
# saddle within a few steps, small enough to stay near an optimum that is only uncertified.
PERTURBATION = 1e-3
#: What every search leaves in a row, in the order of tables.
SEARCHED = (
    "loss",
    "gap",
    "lambda_min",
    "gradient_norm",
    "iterations",
    "evaluations",
    "hessian_products",
    "stop",
    "start",
)


@dataclass(frozen=True)
class Chains:
    """Cells that start from each other.

    Attributes
    ----------
    along
        The parameter that falls from one cell of a chain to the next.
    anchor
        Parameters of the optimum that a chain begins with.
    """

    along: str
    anchor: Mapping[str, float]


def cells(**axes: float | Sequence[float]) -> list[dict[str, float | int]]:
    """All combinations of values; a single number is the same in every cell.

    Raises
    ------
    ValueError
        If an axis is empty or repeats a value.
    """
    lists: dict[str, list[float]] = {}
    for name, values in axes.items():
        lists[name] = [values] if isinstance(values, (int, float)) else list(values)
        if not lists[name] or len(set(lists[name])) != len(lists[name]):
            raise ValueError(f"{name} must be given, and without repetitions")
    return [dict(zip(lists, chosen, strict=True)) for chosen in product(*lists.values())]


def key(cell: Mapping[str, Any], names: Iterable[str]) -> tuple[Hashable, ...]:
    """What tells a cell from others, proof against numbers that lost a digit in a table."""
    return tuple(_plain(cell[name]) for name in names)


def _plain(value: Any) -> Hashable:
    return float(f"{value:.12g}") if isinstance(value, (int, float)) else str(value)


def sweep(
    problem: Problem,
    grid: Sequence[Cell],
    *,
    measured: Measured = inner_products,
    chains: Chains | None = None,
    done: Iterable[Mapping[str, Any]] = (),
    perturbation: float = PERTURBATION,
    tolerance: float | None = None,
    max_iterations: int = 1000,
    dtype: torch.dtype = torch.float64,
    device: str | torch.device = "auto",
    chunk: int | None = None,
    progress: bool | Report = False,
) -> Iterator[Row]:
    """Minimise a loss in every cell; rows come as they are finished.

    Parameters
    ----------
    problem
        A declared loss on a structure.
    grid
        Cells, each with the sizes of the structure, ``d``, the parameters of the loss (others
        are kept in the row) and ``seed``, in any order and without repetitions.
    measured
        What is measured on the embeddings.
    chains
        How cells start from each other; without, every cell starts from its seed.
    done
        Cells (or their rows) to skip.
    perturbation
        Size of the noise added to what is not certified; 0 to leave it as it is.
    tolerance, max_iterations, dtype, device, progress
        As in :func:`~cltheory.numeric.search.minimise`.
    chunk
        Cells (or chains) worked on at a time.

    Yields
    ------
    Row
        The cell, what was measured, and how the search went; not in the order of the grid.
        Rows whose ``stop`` is not ``"converged"`` are yielded as well. The cost is of this cell
        alone; ``start`` is ``"seed"``, ``"neighbour"`` or, where noise was needed, ``"perturbed"``.

    Raises
    ------
    DomainError
        For a cell outside the domain of the problem.
    KeyboardInterrupt
        On Ctrl-C, after the finished rows of the cells being worked on were yielded.
    """
    where = resolve_device(device)
    sizes, names = size_names(problem), parameter_names(problem)
    _check(problem, grid, (*sizes, *names, "d", "seed"))
    if chains is not None and chains.along not in names:
        chains = None  # all cells of a chain would be the same
    told = (*grid[0],)
    skip = {key(k, told) for k in done}
    todo = [cell for cell in grid if key(cell, told) not in skip]
    with reporting(progress, len(todo), "cell") as advance:
        for group in _alike(todo, (*sizes, "d")):
            shape = arrange(problem.structure, {k: int(group[0][k]) for k in sizes})
            job = _Job(
                problem,
                names,
                shape,
                int(group[0]["d"]),
                told,
                measured,
                {
                    "tolerance": tolerance,
                    "max_iterations": max_iterations,
                    "dtype": dtype,
                    "device": where,
                },
                perturbation,
            )
            size = chunk or default_chunk(shape.size, where)
            if chains is None:
                found = _cold(job, group, size)
            else:
                found = _chained(job, group, size, chains)
            for rows, interrupted in found:
                for row in rows:
                    advance(1)
                    yield row
                if interrupted:
                    raise KeyboardInterrupt


def _check(problem: Problem, grid: Sequence[Cell], names: Sequence[str]) -> None:
    """Refuse cells that lack something, repeat, or lie outside the domain."""
    if not grid:
        raise ValueError("there are no cells to sweep over")
    for cell in grid:
        missing = [name for name in names if name not in cell]
        if missing:
            raise ValueError(f"a cell of {problem.loss.name!r} needs {', '.join(missing)}")
    if len({key(cell, (*grid[0],)) for cell in grid}) != len(grid):
        raise ValueError("cells must be given without repetitions")
    symbols = {s.name: s for s in problem.domain.ranges}
    seen = {tuple((k, v) for k, v in cell.items() if k in symbols) for cell in grid}
    for values in seen:
        # Exactly, as a float 0.0 is not the end 0 of a range to SymPy; infinity is refused later.
        problem.domain.check({symbols[k]: Rational(v) for k, v in values if isfinite(v)})


def _alike(todo: Sequence[Cell], names: Sequence[str]) -> list[list[Cell]]:
    """Cells with the same sizes and dimension, whose embeddings make one batch."""
    groups: dict[tuple[Hashable, ...], list[Cell]] = {}
    for cell in todo:
        groups.setdefault(key(cell, names), []).append(cell)
    return list(groups.values())


@dataclass(frozen=True)
class _Job:
    """What all cells of a batch have in common."""

    problem: Problem
    names: tuple[str, ...]
    arrangement: Arrangement
    d: int
    told: tuple[str, ...]
    measured: Measured
    options: Mapping[str, Any]
    perturbation: float

    def solve(self, some: Sequence[Cell], start: Tensor) -> Optimum:
        values: dict[str, Any] = dict(self.arrangement.sizes)
        for name in self.names:
            values[name] = torch.tensor([cell[name] for cell in some], dtype=torch.float64)
        with threads_for(self.arrangement.size, self.d):
            return minimise(self.problem, values, d=self.d, start=start, **self.options)

    def finish(self, some: Sequence[Cell], found: Optimum, start: str) -> list[str]:
        """Go on, from noise added, where a cell is not certified; how each one started."""
        starts = [start] * len(some)
        again = found.uncertified() if self.perturbation > 0 else []
        if again:
            noise = [crc32(repr(key(some[i], self.told)).encode()) for i in again]
            begin = perturb(found.embeddings[again], noise, self.perturbation)
            found.update(again, self.solve([some[i] for i in again], begin))
            for i in again:
                starts[i] = "perturbed"
        return starts

    def random(self, seeds: Sequence[int]) -> Tensor:
        dtype, device = self.options["dtype"], self.options["device"]
        return random_embeddings(self.arrangement, seeds, d=self.d, dtype=dtype, device=device)

    def rows(
        self, some: Sequence[Cell], found: Optimum, starts: Sequence[str]
    ) -> tuple[list[Row], bool]:
        """Rows of the cells that were finished, and whether some were not."""
        columns = found.rows(self.measured(self.arrangement, found.embeddings))
        rows: list[Row] = [
            {**cell, **column, "start": starts[i]}
            for i, (cell, column) in enumerate(zip(some, columns, strict=True))
            if found.stop[i] is not StopCode.INTERRUPTED
        ]
        return rows, len(rows) < len(some)


def _cold(job: _Job, todo: Sequence[Cell], size: int) -> Iterator[tuple[list[Row], bool]]:
    for first in range(0, len(todo), size):
        some = todo[first : first + size]
        found = job.solve(some, job.random([int(cell["seed"]) for cell in some]))
        yield job.rows(some, found, job.finish(some, found, "seed"))


def _chained(
    job: _Job, todo: Sequence[Cell], size: int, chains: Chains
) -> Iterator[tuple[list[Row], bool]]:
    apart = [name for name in job.told if name != chains.along]
    found: dict[tuple[Hashable, ...], list[Cell]] = {}
    for cell in sorted(todo, key=lambda cell: -cell[chains.along]):
        found.setdefault(key(cell, apart), []).append(cell)
    lines = list(found.values())
    anchors: dict[int, Tensor] = {}
    for first in range(0, len(lines), size):
        group = lines[first : first + size]
        for seed in sorted({int(line[0]["seed"]) for line in group} - set(anchors)):
            anchor = job.solve([{**chains.anchor}], job.random([seed]))
            if anchor.stop[0] is StopCode.INTERRUPTED:
                yield [], True
            anchors[seed] = anchor.embeddings[0]
        latest = [anchors[int(line[0]["seed"])] for line in group]
        for step in range(max(len(line) for line in group)):
            live = [i for i, line in enumerate(group) if step < len(line)]
            some = [group[i][step] for i in live]
            solved = job.solve(some, torch.stack([latest[i] for i in live]))
            starts = job.finish(some, solved, "neighbour")
            for i, u in zip(live, solved.embeddings, strict=True):
                latest[i] = u
            yield job.rows(some, solved, starts)

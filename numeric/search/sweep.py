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

Chains also begin with equal views where an anchor counts itself as one more view of its sample.
Then a gradient keeps them equal and one of them is searched for all (:func:`one_view`), which the
certificate, over all unit vectors, does not take on trust; noise moves them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import isfinite, log
from typing import Any
from zlib import crc32

import torch
from sympy import Expr, Rational, S
from torch import Tensor

from ...derive.losses.softmax import SoftmaxLoss
from ...derive.problems.problem import Problem
from ...derive.structures.arrangement import Arrangement, arrange
from ..problems import parameter_names
from ..problems.embeddings import perturb, random_embeddings
from ..problems.measure import inner_products
from ..problems.parameters import size_names
from ..running.device import resolve_device, threads_for
from ..running.table import Row, alike, key
from .optimiser import Optimum, default_chunk, minimise

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
            raise ValueError(f"{name} must have at least one value, without repetitions")
    return [dict(zip(lists, chosen, strict=True)) for chosen in product(*lists.values())]


def sweep(
    problem: Problem,
    grid: Sequence[Cell],
    *,
    measured: Measured = inner_products,
    chains: Chains | None = None,
    tolerance: float | None = None,
    dtype: torch.dtype = torch.float64,
    device: str | torch.device = "auto",
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
    tolerance, dtype, device
        As in :func:`~cltheory.numeric.search.minimise`.

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
    """
    where = resolve_device(device)
    sizes, names = size_names(problem), parameter_names(problem)
    _check(problem, grid, (*sizes, *names, "d", "seed"))
    if chains is not None and chains.along not in names:
        chains = None  # all cells of a chain would be the same
    told = (*grid[0],)
    options = {"tolerance": tolerance, "dtype": dtype, "device": where}
    for group in alike(grid, (*sizes, "d")):
        shape = arrange(problem.structure, {k: int(group[0][k]) for k in sizes})
        job = _Job(
            problem,
            shape,
            int(group[0]["d"]),
            told,
            measured,
            chains,
            options,
        )
        yield from job.rows(group, default_chunk(job.single.size, where))


def _check(problem: Problem, grid: Sequence[Cell], names: Sequence[str]) -> None:
    """Refuse cells that lack something, repeat, or lie outside the domain."""
    if not grid:
        raise ValueError("a sweep needs at least one cell")
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


def one_view(problem: Problem, arrangement: Arrangement) -> Arrangement:
    """The structure with one view for all that are equal, if the loss is the same there.

    Up to the logarithm of their number it is where all views of a sample, itself among them, are
    positives alike and stand in denominators alike. Else the structure itself.
    """
    loss, views = problem.loss, arrangement.scheme.axes[-1]
    apart = (*[True] * (len(arrangement.shape) - 1), False)
    own = {"self", *(r for r, seen in arrangement.agreements.items() if seen == {apart})}
    if len(own) < 2 or not views.is_Symbol or not isinstance(loss, SoftmaxLoss):
        return arrangement
    for t in loss.terms:
        positive = {t.weight(r) for r in own}
        below = {t.in_denominator(r) for r in own}
        numbers = (loss.temperature, t.coefficient, *t.weights, *t.denominator_weights)
        if t.own_positive or len(positive) + len(below) > 2 or any(e.has(views) for e in numbers):
            return arrangement
    return arrange(problem.structure, {**arrangement.sizes, views.name: 1})


@dataclass(frozen=True)
class _Job:
    """What all cells of one size and dimension have in common: their embeddings make a batch."""

    problem: Problem
    arrangement: Arrangement
    d: int
    told: tuple[str, ...]
    measured: Measured
    chains: Chains | None
    options: Mapping[str, Any]

    @cached_property
    def single(self) -> Arrangement:
        """What chains are searched on."""
        return self.arrangement if self.chains is None else one_view(self.problem, self.arrangement)

    @property
    def views(self) -> int:
        """How many equal views one of them stands for."""
        return self.arrangement.size // self.single.size

    def rows(self, todo: Sequence[Cell], size: int) -> Iterator[Row]:
        """Rows of all cells: ``size`` chains at a time, one cell of each after the other."""
        lines = [[cell] for cell in todo]
        if self.chains is not None:
            along = self.chains.along
            falling = sorted(todo, key=lambda cell: -cell[along])
            lines = alike(falling, [name for name in self.told if name != along])
        anchors: dict[int, Tensor] = {}
        for first in range(0, len(lines), size):
            group = lines[first : first + size]
            latest = list(self._starts([int(line[0]["seed"]) for line in group], anchors))
            for step in range(max(map(len, group))):
                live = [i for i, line in enumerate(group) if step < len(line)]
                some = [group[i][step] for i in live]
                found, starts = self._solved(some, torch.stack([latest[i] for i in live]))
                for i, u in zip(live, found.embeddings, strict=True):
                    latest[i] = u
                columns = found.rows(self.measured(self.arrangement, found.embeddings))
                for i, cell in enumerate(some):
                    yield {**cell, **columns[i], "start": starts[i]}

    def _starts(self, seeds: Sequence[int], anchors: dict[int, Tensor]) -> Tensor:
        """Where chains begin: at an anchor for each seed, found once; cells alone at random."""
        if self.chains is None:
            return self.random(seeds)
        for seed in sorted({*seeds} - {*anchors}):
            anchor = self._minimise([self.chains.anchor], self._one(self.random([seed])))
            anchors[seed] = anchor.embeddings[0]
        return torch.stack([anchors[seed] for seed in seeds])

    def _solved(self, some: Sequence[Cell], start: Tensor) -> tuple[Optimum, list[str]]:
        """Optima, from noise added where a cell is not certified; and how each one started."""
        found = self._minimise(some, self._one(start))
        if self.views > 1:
            found = self._unfolded(some, found)
        starts = ["seed" if self.chains is None else "neighbour"] * len(some)
        again = found.uncertified()
        if again:
            noise = [crc32(repr(key(some[i], self.told)).encode()) for i in again]
            begin = perturb(found.embeddings[again], noise, PERTURBATION)
            found.update(again, self._minimise([some[i] for i in again], begin))
            for i in again:
                starts[i] = "perturbed"
        return found, starts

    def _one(self, u: Tensor) -> Tensor:
        """The first of views that are equal."""
        return u[..., :1, :] if self.views > 1 else u

    def _unfolded(self, some: Sequence[Cell], found: Optimum) -> Optimum:
        """All views, and the loss of them."""
        assert isinstance(self.problem.loss, SoftmaxLoss)
        total: Expr = sum((t.coefficient for t in self.problem.loss.terms), S.Zero)
        sizes = [{s: cell[s.name] for s in total.free_symbols} for cell in some]
        more = log(self.views) * found.loss.new_tensor([float(total.xreplace(at)) for at in sizes])
        certificate = replace(found.certificate, loss=found.certificate.loss + more)
        u = found.embeddings.repeat_interleave(self.views, dim=-2)
        return replace(found, embeddings=u, loss=found.loss + more, certificate=certificate)

    def _minimise(self, some: Sequence[Cell], start: Tensor) -> Optimum:
        same = start.shape[1:-1] == self.arrangement.shape
        values: dict[str, Any] = dict((self.arrangement if same else self.single).sizes)
        for name in parameter_names(self.problem):
            values[name] = torch.tensor([cell[name] for cell in some], dtype=torch.float64)
        with threads_for(self.arrangement.size, self.d):
            views = 1 if same else self.views
            return minimise(
                self.problem, values, d=self.d, start=start, views=views, **self.options
            )

    def random(self, seeds: Sequence[int]) -> Tensor:
        """Starts from these seeds."""
        dtype, device = self.options["dtype"], self.options["device"]
        return random_embeddings(self.arrangement, seeds, d=self.d, dtype=dtype, device=device)

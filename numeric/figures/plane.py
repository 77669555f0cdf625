"""Two parameters of a loss as a plane: what is fixed, its cells, and the points upon it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sympy import Expr, Symbol

from ...derive.decide.domain import DomainError, Range
from ...derive.decide.exact import exact
from ...derive.problems.problem import Problem
from ...derive.structures.arrangement import Arrangement, arrange
from ..problems import parameter_names
from ..problems.parameters import size_names
from ..problems.reduced import InvariantLoss, Optima
from ..running.table import Row
from ..running.workers import Sent
from ..verify.points import base_values, typical_sizes

Values = Sequence[float] | np.ndarray
#: Names of the occupied eigenspaces.
Face = tuple[str, ...]

#: A share of the trace that counts as occupied in optimised embeddings: right at a border they
#: are found to 1e-7 only (see TOLERANCE of the search), and elsewhere much better.
OCCUPIED = 1e-5


@dataclass(frozen=True)
class Plane(Sent):
    """Two parameters of a loss, with everything else fixed.

    Attributes
    ----------
    problem
        The loss.
    values
        Sizes and parameters by name, exact; those of ``x`` and ``y`` play no part.
    x, y
        Names of the parameters, and their ranges.
    points
        How many values of each have embeddings optimised.
    fine
        How many cells the map has in each direction.
    seeds
        Seeds of the embeddings.
    d
        Their dimension; by default two more than all structures need.
    """

    problem: Problem
    values: Mapping[str, Any]
    x: str
    y: str
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    points: tuple[int, int] = (8, 8)
    fine: int = 120
    seeds: tuple[int, ...] = (0,)
    dimension: int | None = None

    @cached_property
    def arrangement(self) -> Arrangement:
        """The structure at its sizes."""
        sizes = {k: int(exact(self.values[k])) for k in size_names(self.problem)}
        return arrange(self.problem.structure, sizes)

    @cached_property
    def loss(self) -> InvariantLoss:
        """The loss over shares."""
        return InvariantLoss(self.problem, self.arrangement)

    @property
    def fixed(self) -> dict[str, float]:
        """Parameters that are the same everywhere."""
        names = parameter_names(self.problem)
        return {k: float(exact(self.values[k])) for k in names if k not in (self.x, self.y)}

    def least(self, xs: Values, ys: Values) -> Optima:
        """The optimum at pairs of values."""
        return self.loss.least(**self.fixed, **{self.x: np.asarray(xs), self.y: np.asarray(ys)})

    def faces(self, xs: Values, ys: Values) -> list[Face]:
        """The optimal face at pairs of values."""
        return self.least(xs, ys).faces()

    def axes(self, counts: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        """Values in the middle of cells, so that no end of a range is reached."""
        (a, b), (c, d), (m, n) = self.x_range, self.y_range, counts
        i, j = (np.arange(m) + 0.5) / m, (np.arange(n) + 0.5) / n
        return a + (b - a) * i, c + (d - c) * j

    @cached_property
    def coarse(self) -> tuple[np.ndarray, np.ndarray, Optima]:
        """Middles of the cells of the map, row by row from the lowest y, and the optimum there."""
        x, y = (a.ravel() for a in np.meshgrid(*self.axes((self.fine, self.fine))))
        return x, y, self.least(x, y)

    @cached_property
    def map(self) -> list[Face]:
        """The optimal faces of the cells."""
        return self.coarse[2].faces()

    @property
    def d(self) -> int:
        """Dimension of the embeddings."""
        optimal = set().union(*self.map)
        rank = sum(k for e, k in self.arrangement.dimensions.items() if e in optimal)
        return self.dimension or max(rank + 2, 3)

    def cells(self) -> list[dict[str, Any]]:
        """Where embeddings are optimised."""
        xs, ys = self.axes(self.points)
        return [
            {**self.arrangement.sizes, **self.fixed, self.x: float(f"{x:.12g}")}
            | {self.y: float(f"{y:.12g}"), "d": self.d, "seed": seed}
            for y in ys
            for x in xs
            for seed in self.seeds
        ]


def plane(
    problem: Problem,
    fixed: Mapping[str, Any],
    x: str | None = None,
    y: str | None = None,
    ranges: Mapping[str, tuple[float, float] | None] | None = None,
    **more: Any,
) -> Plane:
    """The plane of two parameters of a loss; what is not given takes small defaults.

    ``ranges`` has those of the axes ``x`` and ``y``.

    Raises
    ------
    DomainError
        For a name that the loss does not have, or a value that it does not take; one line.
    """
    sizes, names = size_names(problem), parameter_names(problem)
    symbols = {s.name: s for s in problem.domain.ranges}
    for name in fixed:
        if name not in (*sizes, *names):
            takes = ", ".join((*sizes, *names))
            raise DomainError(f"{problem.loss.name} has no parameter {name}; it takes {takes}")
    free = [name for name in names if name not in fixed]
    chosen = [name for name in (x, y) if name is not None]
    for name in chosen:
        if name not in names:
            raise DomainError(
                f"{problem.loss.name} cannot be drawn over {name}; its parameters are "
                f"{', '.join(names) or 'none'}"
            )
    chosen += [name for name in free if name not in chosen][: 2 - len(chosen)]
    for name in chosen:
        if name in fixed:
            raise DomainError(f"{name} is on an axis of the map and cannot have a fixed value")
    if len(chosen) < 2 or chosen[0] == chosen[1]:
        raise DomainError(
            f"a map needs two parameters of {problem.loss.name}; there are "
            f"{', '.join(names) or 'none'}"
        )
    *_, (typical, _) = typical_sizes(sizes, fixed, problem.domain)
    values = {**typical, **base_values([symbols[k] for k in names], problem.domain, fixed)}
    at = {symbols[k]: exact(v) for k, v in values.items() if k in symbols}
    problem.domain.check(at)
    for symbol, v in at.items():
        if not v.is_finite:
            raise DomainError(f"embeddings are optimised at finite values: {symbol} cannot be {v}")
    limits = []
    for axis, name in zip("xy", chosen, strict=True):
        ends = _ends(problem.domain.ranges[symbols[name]], at, chosen)
        if ends.low.free_symbols | ends.high.free_symbols:
            raise DomainError(
                f"{name} must be {ends}: {' and '.join(chosen)} depend on each other, so they "
                "cannot be the axes of a map"
            )
        low, high = (ranges or {}).get(axis) or _range(ends, problem.domain.witness[symbols[name]])
        if not (ends.low <= low < high <= ends.high):
            raise DomainError(f"{name} must be {ends}, which {low:g}:{high:g} is not")
        limits.append((low, high))
    return Plane(problem, values, chosen[0], chosen[1], limits[0], limits[1], **more)


def _ends(r: Range, at: Mapping[Symbol, Expr], chosen: Sequence[str]) -> Range:
    """A range with its ends at what is fixed."""
    fixed = {s: v for s, v in at.items() if s.name not in chosen}
    return replace(r, low=r.low.xreplace(fixed), high=r.high.xreplace(fixed))


def _range(ends: Range, witness: Expr) -> tuple[float, float]:
    """What of a parameter is drawn when nothing is said."""
    low, high = float(ends.low), float(ends.high)
    if np.isfinite(high) or not np.isfinite(low):
        return (low, high) if np.isfinite([low, high]).all() else (-5.0, 5.0)
    return low, low + 2 * (float(witness) - low)


def face_of(row: Row) -> Face:
    """The eigenspaces that are occupied in a row."""
    parts = {k.removeprefix("share_"): v for k, v in row.items() if k.startswith("share_")}
    return tuple(e for e, share in parts.items() if float(share) > OCCUPIED)

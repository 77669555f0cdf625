"""A declared loss over invariant Gram matrices, in floats: thousands of them at a time.

An invariant Gram matrix is a point of a simplex, one share of the trace for each eigenspace,
and a convex loss is least there as it is over all embeddings. A few numbers are left to find,
by a primal-dual interior-point method that treats a whole grid of parameters as one batch.
That is an independent route to the optimum: neither segments nor embeddings are used.

Where there are several orbits of points some shares form small matrices, and the optimum is that of
:mod:`cltheory.derive.optimum.blocks`, point by point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from sympy import Abs, Dummy, Max, Min, Rational, Symbol, lambdify

from ...derive.decide.calculus import derivative
from ...derive.decide.digits import rounded
from ...derive.decide.domain import DomainError
from ...derive.decide.evidence import Undecided
from ...derive.losses.pairwise import PairwiseLoss, c
from ...derive.losses.softmax import SoftmaxLoss
from ...derive.optimum.blocks import BlockOptima, ReducedOnOrbits
from ...derive.optimum.reduce import ReducedLoss, ReducedPairwise
from ...derive.problems.problem import Problem
from ...derive.structures.arrangement import Arrangement
from ...derive.structures.configuration import Configuration
from . import parameter_names
from .parameters import expressions

Array = npt.NDArray[np.float64]

#: Functions with kinks, where there is no second derivative to go by.
KINKS = (Max, Min, Abs)

# The method ends when shares times excess of their eigenvalue are this small, in units of the
# pulls, or after so many steps. A share of 1e-7 next to a border is then still told from none.
_GAP = 1e-15
_STEPS = 100
# A rise of the loss that cannot be told from none, in units of itself and the pulls.
_FELT = 1e-13
# Newton steps after that: two would do, as the method before it leaves 1e-8 at most.
_POLISH = 3
# Part of the way to the nearest bound that a step may go, and how much it lowers the gap.
_SHORT_OF, _CENTRE = 0.995, 0.2
_HALVINGS = 12
# Shares below this are called empty, and those of an optimum at a border are: both the share
# and the excess are of the order of the root of the gap there.
OCCUPIED = 1e-6


@dataclass(frozen=True)
class Optima:
    """Optimal shares for a batch of parameters, and what they were found with.

    Attributes
    ----------
    shares, excess
        ``(B, eigenspaces)``: parts of the trace, and how far the eigenvalue of the gradient is
        above the least one.
    loss
        ``(B,)``.
    inner
        Inner products by relation, ``(B,)`` each; nan for a relation without pairs.
    error
        ``(B,)``. What the optimality conditions are off by, in units of the pulls.
    traces
        For each orbit, 1 at the shares that add up to one.
    """

    names: tuple[str, ...]
    shares: Array
    excess: Array
    loss: Array
    inner: dict[str, Array]
    error: Array
    traces: Array

    @property
    def occupied(self) -> npt.NDArray[np.bool_]:
        """Which eigenspaces have a share, ``(B, eigenspaces)``."""
        size = np.abs(self.shares)  # entries of a block beside its diagonal have a sign
        return (size > OCCUPIED) & (size > self.excess)

    @property
    def kept(self) -> Array:
        """Shares, those of empty eigenspaces exactly zero."""
        kept = np.where(self.occupied, self.shares, 0.0)
        total: Array = (kept @ self.traces.T).mean(axis=1, keepdims=True)
        with np.errstate(invalid="ignore"):  # where there is none
            return kept / total

    def faces(self) -> list[tuple[str, ...]]:
        """Names of the occupied eigenspaces, for each set of parameters."""
        names = [name.partition("[")[0] for name in self.names]  # an entry is called means[1, 2]
        return [
            tuple(
                dict.fromkeys(name for name, occupied in zip(names, row, strict=True) if occupied)
            )
            for row in self.occupied.tolist()
        ]


class InvariantLoss:
    """A loss as a function of shares, at concrete sizes, for any values of its parameters."""

    def __init__(self, problem: Problem, arrangement: Arrangement) -> None:
        self.problem, self.loss, self.arrangement = problem, problem.loss, arrangement
        self.names = tuple(arrangement.table)
        self.relations = [r for r, k in arrangement.counts.items() if k]
        self.parameters = parameter_names(problem)
        #: inner product of each relation where an eigenspace has everything
        self.corners = arrangement.corners
        self.traces = arrangement.traces

    def within(self, names: Sequence[str]) -> InvariantLoss:
        """The same loss on the face of some eigenspaces."""
        part = copy(self)
        part.names = tuple(names)
        kept = [self.names.index(name) for name in names]
        part.corners, part.traces = self.corners[:, kept], self.traces[:, kept]
        return part

    def pure(self, shares: Array) -> Array:
        """All share in one eigenspace; of several orbits, what one of them has of given shares."""
        found = []
        for own, others in zip(self.traces, self.traces.sum(axis=0) - self.traces, strict=True):
            for e in own.nonzero()[0]:
                found.append(np.where(others, shares, 0.0))
                found[-1][e] = 1.0
        return np.array(found)

    @property
    def tried(self) -> int:
        """How many values of a parameter are few enough to find the optimum at all of them."""
        return 121 if len(self.traces) == 1 else 5

    @property
    def smooth(self) -> bool:
        """Whether no function has kinks."""
        terms = self.loss.terms if isinstance(self.loss, PairwiseLoss) else ()
        return not any(term.function.has(*KINKS) for term in terms)

    @cached_property
    def _compiled(self) -> Any:
        scheme = self.arrangement.scheme
        g = {r.name: Symbol(f"g_{r.name}", real=True) for r in scheme.relations}
        if isinstance(scheme, Configuration):
            value = self._on_orbits.reduced.function.value
        elif isinstance(self.loss, SoftmaxLoss):
            value = ReducedLoss(self.loss, scheme).value(g)
        else:
            value = ReducedPairwise(self.loss, scheme, Undecided("not asked for")).value(g)
        sizes = {
            s: self.arrangement.sizes[s.name]
            for s in value.free_symbols
            if s.name in self.arrangement.sizes
        }
        value = value.xreplace(sizes)
        seen = [g[r] for r in self.relations]
        empty = {g[r.name]: 0 for r in scheme.relations if r.name not in self.relations}
        value = value.xreplace(empty)
        slopes = [derivative(value, x) for x in seen]
        bends = [derivative(s, x) for i, s in enumerate(slopes) for x in seen[: i + 1]]
        order = {s.name: s for s in value.free_symbols}
        parameters = [order.get(name, Dummy(name)) for name in self.parameters]
        return lambdify([*seen, *parameters], [value, *slopes, *bends], "numpy", cse=True)

    def expand(self, shares: Array, values: Mapping[str, Any]) -> tuple[Array, Array, Array]:
        """Loss ``(B,)`` with gradient and Hessian in the shares."""
        batch, count = len(shares), len(self.relations)
        inner = shares @ self.corners.T
        # Only differences count for a softmax, and of numbers <= 0 no exponential overflows.
        shift = 1.0 if isinstance(self.loss, SoftmaxLoss) else 0.0
        found = self._compiled(*(inner.T - shift), *(values[k] for k in self.parameters))
        value, *rest = (np.broadcast_to(np.asarray(x, dtype=float), (batch,)) for x in found)
        slopes = np.stack(rest[:count], axis=-1)
        bends = np.empty((batch, count, count))
        below = iter(rest[count:])
        for i in range(count):
            for j in range(i + 1):
                bends[:, i, j] = bends[:, j, i] = next(below)
        hessian = self.corners.T @ bends @ self.corners
        return value, slopes @ self.corners, hessian

    def least(self, **values: Any) -> Optima:
        """Optimal shares for parameters that are numbers, or arrays of one length."""
        arrays = {k: np.asarray(values[k], dtype=float) for k in self.parameters}
        batch = max([1, *(v.size for v in arrays.values())])
        arrays = {k: np.broadcast_to(v.reshape(-1), (batch,)) for k, v in arrays.items()}
        if len(self.traces) > 1:
            return self._of_blocks(batch, arrays)
        with np.errstate(all="ignore"):
            return self._interior(batch, arrays)

    @cached_property
    def _on_orbits(self) -> BlockOptima:
        scheme = self.arrangement.scheme
        assert isinstance(scheme, Configuration) and isinstance(self.loss, SoftmaxLoss)
        free = {s for e in (*scheme.axes, *expressions(self.problem)) for s in e.free_symbols}
        return BlockOptima(ReducedOnOrbits(self.loss, scheme), tuple(sorted(free - {c}, key=str)))

    def _of_blocks(self, batch: int, values: Mapping[str, Array]) -> Optima:
        """The same on several orbits; nan where the optimum is not decided."""
        optima = self._on_orbits
        s = np.full((batch, len(self.names)), np.nan)
        for k in range(batch):
            at = {**self.arrangement.sizes, **{name: float(v[k]) for name, v in values.items()}}
            try:
                found = optima.at({x: Rational(at[x.name]) for x in optima.parameters})
            except DomainError:
                continue
            s[k] = [float(rounded(found.shares[name], 17)[0]) for name in self.names]
        return self._measured(s, np.zeros_like(s), values)

    def _interior(self, batch: int, values: Mapping[str, Array]) -> Optima:
        k = len(self.names)
        s = np.full((batch, k), 1 / k)
        _, slope, _ = self.expand(s, values)
        unit = np.maximum(np.abs(slope - slope.mean(axis=1, keepdims=True)).max(axis=1), 1e-300)
        y = (slope / unit[:, None]).min(axis=1) - 1.0
        z = slope / unit[:, None] - y[:, None]
        live = np.arange(batch)
        for _ in range(_STEPS):
            if not len(live):
                break
            at = {name: v[live] for name, v in values.items()}
            moved = self._step(s[live], y[live], z[live], unit[live], at)
            s[live], y[live], z[live], done = moved
            live = live[~done]
        s = self._polished(self._sparse(s, unit, values), unit, values)
        _, slope, _ = self.expand(s, values)
        excess = (slope - (s * slope).sum(axis=1, keepdims=True)) / unit[:, None]
        return self._measured(s, excess, values)

    def _measured(self, s: Array, excess: Array, values: Mapping[str, Array]) -> Optima:
        error = np.where(s > 0, np.abs(excess), np.maximum(-excess, 0.0)).max(axis=1)
        inner = dict.fromkeys(self.arrangement.counts, np.full(len(s), np.nan))
        inner |= dict(zip(self.relations, self.corners @ s.T, strict=True))
        loss = self.expand(s, values)[0]
        return Optima(self.names, s, excess, loss, inner, error, self.traces)

    def _sparse(self, s: Array, unit: Array, values: Mapping[str, Array]) -> Array:
        """Shares moved together as far as the loss cannot tell: fewer occupied eigenspaces.

        At small temperatures some eigenvalues of the gradient exceed the least one by 1e-20, and
        a share there is as good as one elsewhere.
        """
        s = s.copy()
        loss = self.expand(s, values)[0]
        enough = loss + _FELT * (unit + np.abs(loss))
        largest = np.argsort(-s, axis=1)
        rows = np.arange(len(s))
        for kept in range(s.shape[1] - 1, 0, -1):  # all but the largest few
            moved = s.copy()
            rest = largest[:, kept:]
            np.put_along_axis(moved, rest, 0.0, axis=1)
            moved[rows, largest[:, 0]] += np.take_along_axis(s, rest, axis=1).sum(axis=1)
            take = self.expand(moved, values)[0] <= enough
            s[take] = moved[take]
        for e in np.argsort(s.mean(axis=0)):  # one into another
            for f in range(s.shape[1]):
                moved = s.copy()
                moved[:, f] += moved[:, e]
                moved[:, e] = 0.0
                as_good = self.expand(moved, values)[0] <= enough
                take = as_good & (s[:, f] > OCCUPIED) & (f != e)
                s[take] = moved[take]
        return s

    def _polished(self, s: Array, unit: Array, values: Mapping[str, Array]) -> Array:
        """Newton steps on the conditions of the occupied eigenspaces; the others stay empty."""
        k = s.shape[1]
        empty = s == 0
        for _ in range(_POLISH):
            _, slope, hessian = self.expand(s, values)
            left = np.zeros((len(s), k + 1, k + 1))
            left[:, :k, :k] = hessian / unit[:, None, None]
            left[:, :k, k] = left[:, k, :k] = 1.0
            held = np.concatenate([empty, np.zeros((len(s), 1), dtype=bool)], axis=1)
            left[held] = 0.0
            left.swapaxes(1, 2)[held] = 0.0
            left[:, range(k), range(k)] += np.where(empty, 1.0, 0.0)
            right = np.concatenate(
                [-slope / unit[:, None], 1 - s.sum(axis=1, keepdims=True)], axis=1
            )
            right[held] = 0.0
            sound = np.isfinite(left).all(axis=(1, 2)) & np.isfinite(right).all(axis=1)
            sound &= np.abs(np.linalg.det(np.where(np.isfinite(left), left, 0.0))) > 1e-12
            step = np.zeros_like(s)
            step[sound] = np.linalg.solve(left[sound], right[sound][..., None])[:, :k, 0]
            take = sound & (np.abs(step) <= s / 2 + empty).all(axis=1)
            s = np.where(take[:, None], s + step, s)
        return s / s.sum(axis=1, keepdims=True)

    def _step(
        self, s: Array, y: Array, z: Array, unit: Array, values: Mapping[str, Array]
    ) -> tuple[Array, Array, Array, npt.NDArray[np.bool_]]:
        """One Newton step on the perturbed conditions, shortened so that it does not overshoot."""
        batch, k = s.shape
        _, slope, hessian = self.expand(s, values)
        dual = slope / unit[:, None] - y[:, None] - z
        target = _CENTRE * (s * z).mean(axis=1, keepdims=True)
        left = np.zeros((batch, k + 1, k + 1))
        left[:, :k, :k] = hessian / unit[:, None, None]
        left[:, range(k), range(k)] += z / s
        left[:, :k, k], left[:, k, :k] = -1.0, 1.0
        right = np.concatenate([-dual + target / s - z, 1 - s.sum(axis=1, keepdims=True)], axis=1)
        bad = ~(np.isfinite(left).all(axis=(1, 2)) & np.isfinite(right).all(axis=1))
        left[bad], right[bad] = np.eye(k + 1), 0.0
        step = np.linalg.solve(left, right[..., None])[..., 0]
        ds, dy = step[:, :k], step[:, k]
        dz = target / s - z - z / s * ds
        length = np.ones(batch)
        for x, dx in ((s, ds), (z, dz)):
            room = np.where(dx < 0, -x / dx, np.inf).min(axis=1)
            length = np.minimum(length, _SHORT_OF * room)
        before = np.abs(dual).max(axis=1) + (s * z).max(axis=1)
        for _ in range(_HALVINGS):
            t = length[:, None]
            _, slope, _ = self.expand(s + t * ds, values)
            after = slope / unit[:, None] - (y + length * dy)[:, None] - (z + t * dz)
            size = np.abs(after).max(axis=1) + ((s + t * ds) * (z + t * dz)).max(axis=1)
            worse = ~(size <= 1.05 * before + 1e-15)
            if not worse.any():
                break
            length = np.where(worse, length / 2, length)
        t = length[:, None]
        s, y, z = s + t * ds, y + length * dy, z + t * dz
        return s / s.sum(axis=1, keepdims=True), y, z, bad | ((s * z).max(axis=1) < _GAP)

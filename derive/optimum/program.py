"""A declared loss as a convex program in the shares of a structure, at concrete numbers.

The shares of all blocks are positive semidefinite matrices (numbers, on a scheme), the diagonal
ones of each orbit add up to one, and the loss is a smooth convex function of inner products that
are linear in them. Here it is evaluated, with its derivatives, in balls.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Any

from sympy import Expr, S, Symbol

from ..decide.ball import Enclosures, enclosure, precision
from ..decide.calculus import Derivatives
from ..decide.domain import DomainError
from ..decide.normal import vanishes
from ..frozen import Frozen, FrozenValue
from ..structures.configuration import Block, Configuration, Pairs


def entry(relation: str) -> Symbol:
    """The symbol of the inner product of a relation."""
    return Symbol(f"g_{relation}", real=True)


class Smooth(Frozen):
    """A convex function of the inner products of a structure, with its derivatives.

    Attributes
    ----------
    value
        In the symbols :func:`entry` and parameters.
    slopes
        Its derivative in each inner product.
    scale
        By how much theta exceeds the derivative in a share.
    """

    configuration: Configuration
    value: Expr
    slopes: Mapping[str, Expr]
    scale: Expr = S.One

    @cached_property
    def bends(self) -> dict[tuple[str, str], Expr]:
        """Second derivatives that are not zero, each pair of relations once."""
        names = [r for r, slope in self.slopes.items() if slope != 0]
        places = {entry(s): (k, s) for k, s in enumerate(names)}
        rates = {s: Derivatives(entry(s)) for s in names}
        found = {}
        for i, r in enumerate(names):
            felt = (places[g] for g in self.slopes[r].free_symbols & places.keys())
            for s in (s for k, s in sorted(felt) if k >= i):
                bend = rates[s](self.slopes[r])
                if bend != 0:
                    found[r, s] = bend
        return found

    @cached_property
    def groups(self) -> list[tuple[str, ...]]:
        """Relations that are felt, those together that a second derivative joins."""
        groups = [{r} for r, slope in self.slopes.items() if slope != 0]
        for r, s in self.bends:
            one = next(g for g in groups if r in g)
            other = next(g for g in groups if s in g)
            if one is not other:
                groups.remove(other)
                one |= other
        return [tuple(r for r in self.slopes if r in g) for g in groups]

    @cached_property
    def _constant(self) -> dict[tuple[str, ...], bool]:
        """Whether the slope is constant where all inner products of a group move alike."""
        found = {}
        for group in self.groups:
            totals: dict[str, Expr] = {}
            for (r, s), bend in self.bends.items():
                if r in group:
                    totals[r] = totals.get(r, S.Zero) + bend
                    if r != s:
                        totals[s] = totals.get(s, S.Zero) + bend
            found[group] = all(map(vanishes, totals.values()))
        return found

    def rate(self, group: tuple[str, ...], program: Program) -> Expr | None:
        """That slope, if it is constant and a rational number; else None."""
        if not self._constant[group]:
            return None
        zero = {entry(r): S.Zero for r in self.slopes}
        total = sum((self.slopes[r].xreplace(zero).xreplace(program.point) for r in group), S.Zero)
        total = total.simplify()
        return total if total.is_Rational else None


class Slot(FrozenValue):
    """A variable of the program: an entry of a block, on or above its diagonal."""

    block: int
    i: int
    j: int


class Program:
    """The least value of a :class:`Smooth` function over shares, with all symbols given.

    Relations without pairs and blocks of multiplicity zero (or named ``without``) are dropped.

    Raises
    ------
    DomainError
        If a size is not a number.
    """

    def __init__(
        self, function: Smooth, point: Mapping[Symbol, Expr], without: Collection[str] = ()
    ):
        self.function, self.point = function, dict(point)
        whole = function.configuration
        self.blocks: list[Block] = [
            b for b in whole.blocks if self._size(b.multiplicity) > 0 and b.name not in without
        ]
        self.relations: list[Pairs] = [r for r in whole.relations if self._size(r.count) > 0]
        self.orbits = [o.name for o in whole.orbits if self._size(o.size) > 0]
        self.slots = [Slot(b, i, j) for b, e in enumerate(self.blocks) for i, j in e.slots()]
        #: slots by block
        self.by_block: list[list[int]] = [
            [k for k, s in enumerate(self.slots) if s.block == b] for b in range(len(self.blocks))
        ]
        #: inner product of each relation per unit of each slot
        self.weights: list[dict[int, Expr]] = [self._weights(r, whole) for r in self.relations]
        #: the orbit whose trace each diagonal slot counts for
        self.trace = {
            k: self.orbits.index(self.blocks[s.block].orbits[s.i])
            for k, s in enumerate(self.slots)
            if s.i == s.j
        }

    def without(self, names: Collection[str]) -> Program:
        """The same with blocks left out."""
        return Program(self.function, self.point, names)

    def _number(self, e: Expr) -> Expr:
        value = e.xreplace(self.point)
        if not value.is_Rational:
            left = ", ".join(sorted(s.name for s in value.free_symbols))
            raise DomainError(
                f"a face is computed for numerical values: give {left}"
                if left
                else f"{value} is not a size"
            )
        return value

    def _size(self, e: Expr) -> Expr:
        value = self._number(e)
        if value < 0 or value.q != 1:
            raise DomainError(f"{value} is not a size")
        return value

    def _weights(self, r: Pairs, whole: Configuration) -> dict[int, Expr]:
        found = {}
        for b, e in enumerate(self.blocks):
            place = whole.place(e, r)
            if place is None:
                continue
            weight = self._number(whole.table[e.name][r.name] / r.count)
            if weight != 0:
                own = self.by_block[b]
                slot = next(k for k in own if (self.slots[k].i, self.slots[k].j) == place)
                found[slot] = weight
        return found

    def constant(self, relation: str, occupied: Collection[int]) -> Expr | None:
        """An inner product that is the same whatever the shares of the occupied blocks are.

        It is if all shares of its orbit count for it alike: they add up to one.
        """
        k = next(k for k, r in enumerate(self.relations) if r.name == relation)
        row, r = self.weights[k], self.relations[k]
        orbit = self.orbits.index(r.left)
        own = [s for s, o in self.trace.items() if o == orbit]
        weights = {row.get(s, S.Zero) for s in own if self.slots[s].block in occupied}
        return weights.pop() if r.left == r.right and len(weights) == 1 else None

    def matrix(self, b: int, entries: Mapping[int, Any] | Sequence[Any]) -> list[list[Any]]:
        """A block as rows, of entries by slot."""
        e = self.blocks[b]
        rows: list[list[Any]] = [[None] * e.size for _ in range(e.size)]
        for (i, j), k in zip(e.slots(), self.by_block[b], strict=True):
            rows[i][j] = rows[j][i] = entries[k]
        return rows

    def halved(self, v: Sequence[Any]) -> list[Any]:
        """Entries of the matrices that slacks in slots stand for."""
        return [a if s.i == s.j else a / 2 for a, s in zip(v, self.slots, strict=True)]

    def start(self) -> list[Expr]:
        """The shares of G = I, which is inside: every block has full rank."""
        found: list[Expr] = []
        for s in self.slots:
            e = self.blocks[s.block]
            size = self.function.configuration.orbit(e.orbits[s.i]).size
            own = self._number(e.multiplicity) / self._number(size)
            found.append(own if s.i == s.j else S.Zero)
        for a in range(len(self.orbits)):  # where blocks are left out, the others share the trace
            own = [k for k, o in self.trace.items() if o == a]
            total = sum((found[k] for k in own), S.Zero)
            for k in own:
                found[k] /= total
        return found

    # --- in balls ------------------------------------------------------------------------
    def inner(self, z: Sequence[Any]) -> list[Any]:
        """Inner products of the relations, of balls (or numbers) in the slots."""
        return [sum((_times(z[k], w) for k, w in row.items()), 0 * z[0]) for row in self.weights]

    def evaluate(self, z: Sequence[Any], bits: int, order: int = 2) -> tuple[Any, Any, Any]:
        """Value, (order 1) slopes in the slots, and (2) second derivatives as rows, in balls."""
        with precision(bits):
            zero = 0 * z[0]
            # An inner product without pairs has no value, and counts for nothing.
            known = {entry(r.name): zero for r in self.function.configuration.relations}
            g = self.inner(z)
            known |= {entry(r.name): v for r, v in zip(self.relations, g, strict=True)}
            known |= {s: enclosure(v, bits) for s, v in self.point.items()}
            value, *found = map(Enclosures(bits, known), self._functions(order))
            if order < 1:
                return value, None, None
            slopes, bends = found[: len(self.relations)], found[len(self.relations) :]
            down = [zero] * len(self.slots)
            for row, slope in zip(self.weights, slopes, strict=True):
                for k, w in row.items():
                    down[k] = down[k] + _times(slope, w)
            if order < 2:
                return value, down, None
            half: list[dict[int, Any]] = [{} for _ in self.relations]  # relations by slots
            for (a, b, _), ball in zip(self._bends, bends, strict=True):
                for one, other in ((a, b), (b, a)) if a != b else ((a, b),):
                    for k, w in self.weights[other].items():
                        half[one][k] = half[one].get(k, zero) + _times(ball, w)
            curved = [[zero] * len(self.slots) for _ in self.slots]
            for a, row in enumerate(self.weights):
                for k, w in row.items():
                    for q, h in half[a].items():
                        curved[k][q] = curved[k][q] + _times(h, w)
            return value, down, curved

    def _functions(self, order: int) -> list[Expr]:
        """Value, slopes and (order 2) second derivatives, with sizes put in.

        What they are divided by may be a number of pairs: without pairs there is no such term.
        """
        if order not in self._with_sizes:
            wanted = [self.function.value]
            if order > 0:
                wanted += [self.function.slopes[r.name] for r in self.relations]
            if order > 1:
                wanted += [bend for _, _, bend in self._bends]
            sizes = {s: v for s, v in self.point.items() if s.is_integer}
            self._with_sizes[order] = [e.xreplace(sizes) for e in wanted]
        return self._with_sizes[order]

    @cached_property
    def _with_sizes(self) -> dict[int, list[Expr]]:
        return {}

    @cached_property
    def _bends(self) -> list[tuple[int, int, Expr]]:
        """Second derivatives by places of relations, of those that have pairs."""
        places = {r.name: a for a, r in enumerate(self.relations)}
        return [
            (places[r], places[s], bend)
            for (r, s), bend in self.function.bends.items()
            if r in places and s in places
        ]

    def check_parameters(self) -> None:
        """Refuse a function that is not defined there, or has symbols left.

        Raises
        ------
        DomainError
            One line.
        """
        known = {entry(r.name) for r in self.function.configuration.relations}
        for e in (self.function.value, *self.function.slopes.values()):
            left = sorted(s.name for s in e.free_symbols - known - self.point.keys())
            if left:
                raise DomainError(
                    f"a face is computed for numerical values: give {', '.join(left)}"
                )


def _times(ball: Any, w: Expr) -> Any:
    """A ball times a rational number."""
    if w is S.One:
        return ball
    found = ball * int(w.p)
    return found if w.q == 1 else found / int(w.q)

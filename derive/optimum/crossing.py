"""Where a third eigenspace enters an edge: the border between an edge and a larger face.

With one parameter s free the root x of the edge moves, and its border is where the condition of
another eigenspace vanishes there: two equations in x and s. They have no closed form. A change of
sign is looked for along s, Newton's method goes to it, and Krawczyk's test proves that there is one
root in a tiny box; over all of the box the other conditions hold, and the root is inside the edge.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

from sympy import Expr, Integer, Rational, S, Symbol, Tuple, oo
from sympy.core.symbol import Str

from ..decide.ball import NotEnclosed, enclosure, precision
from ..decide.calculus import derivative
from ..decide.domain import Range
from ..decide.evidence import Evidence, Grade, Holds, Outcome, Refuted, Undecided
from ..decide.root import ClampedRoot
from ..proof.lemmas import CERTIFICATE
from ..proof.relations import eq
from ..proof.statement import Statement
from .condition import Condition
from .edge import Edge
from .interior import Rows
from .newton import NotProved, System
from .segment_facts import assignments
from .value import Digits, Handle

#: Bits with which signs are looked for, and of the first proof.
LOOKED, BITS = 128, 256
#: Values that are tried inside a range: so many between two ends; else powers of two up to this,
#: with so many between two of them. A change of sign is halved so many times.
TRIED, FARTHEST, BETWEEN, HALVINGS = 48, 8, 6, 24


@dataclass(frozen=True, eq=False)
class Crossing:
    """A value of a parameter at which a third eigenspace enters an edge.

    Attributes
    ----------
    other
        The eigenspace.
    parameter
        What is free.
    low, high
        Values with opposite signs of the condition; the border is between them.
    rises
        Whether the edge keeps the optimum above the border, and not below.
    """

    edge: Edge
    other: str
    parameter: Symbol
    low: Rational
    high: Rational
    rises: bool
    _boxes: list[tuple[int, list[Any]]] = field(default_factory=list, repr=False)

    @cached_property
    def value(self) -> Expr:
        """The parameter at the border, to any precision."""
        return Digits(Handle(self, f"{self.parameter} at the border"), Str("border"), Str("s"))

    @cached_property
    def place(self) -> Expr:
        """The position on the edge there."""
        return Digits(Handle(self, f"{self.parameter} at the border"), Str("border"), Str("x"))

    @property
    def condition(self) -> Expr:
        """The condition at the root of the edge, as a function of the parameter."""
        return self.edge.along[self.other].expression.xreplace({self.edge.x: self.edge.position})

    def ball(self, kind: str, name: str, bits: int) -> Any:
        """A ball around the parameter ``s`` or the place ``x``."""
        return self.box(bits)["xs".index(name)]

    def box(self, bits: int) -> list[Any]:
        """Balls around x and the parameter that hold one root of the two equations.

        Raises
        ------
        NotEnclosed
            If that is not proved.
        """
        if not self._boxes or self._boxes[-1][0] < bits:
            system = _Meeting(self, max(bits + 64, BITS))
            try:
                found = system.root(self._start())
                self._check(found, system.bits)
            except NotProved as error:
                raise NotEnclosed(str(error)) from None
            self._boxes[:] = [(bits, found)]
        return self._boxes[-1][1]

    def _start(self) -> list[Any]:
        if self._boxes:
            return self._boxes[-1][1]
        middle = (self.low + self.high) / 2
        root = self.edge.position.xreplace({self.parameter: middle})
        return [enclosure(root, LOOKED), enclosure(middle, LOOKED)]

    def _check(self, box: Sequence[Any], bits: int) -> None:
        """The root is inside the edge and between the two values, and other conditions hold."""
        with precision(bits):
            at = dict(zip((self.edge.x, self.parameter), box, strict=True))
            length = enclosure(self.edge.segment.length, bits, at)
            low, high = (enclosure(e, bits) for e in (self.low, self.high))
            if not (0 < box[0] and box[0] < length and low < box[1] and box[1] < high):
                raise NotProved("the root is not where it was looked for")
            for e, c in self.edge.along.items():
                if e != self.other and c.verdict not in ("strict", "holds"):
                    if not enclosure(c.expression, bits, at) > 0:
                        raise NotProved(f"the edge is left towards {e} there")


class _Meeting(System):
    """The slope along the edge, and the condition: both vanish at the border."""

    what = "the border"

    def __init__(self, crossing: Crossing, bits: int):
        edge = crossing.edge
        self.bits = bits
        self.unknowns = (edge.x, crossing.parameter)
        self.parts = (edge.slope, edge.along[crossing.other].expression)
        self.slopes = [[derivative(e, s) for s in self.unknowns] for e in self.parts]

    def equations(self, u: Sequence[Any]) -> list[Any]:
        at = dict(zip(self.unknowns, u, strict=True))
        return [enclosure(e, self.bits, at) for e in self.parts]

    def jacobian(self, u: Sequence[Any]) -> Rows:
        at = dict(zip(self.unknowns, u, strict=True))
        return [[enclosure(e, self.bits, at) for e in row] for row in self.slopes]


# --- looking for them -----------------------------------------------------------------------------
def crossings(edge: Edge, other: str) -> Iterator[Crossing]:
    """The borders at which an eigenspace enters an edge, as far as they are found and proved.

    There are none unless one parameter is free, and no whole number. Others are not excluded.
    """
    condition = edge.along[other]
    free = set(condition.domain.ranges) - {edge.x}
    if len(free) != 1 or not isinstance(edge.position, ClampedRoot):
        return
    (s,) = free
    if condition.domain.ranges[s].integer or s not in condition.expression.free_symbols:
        return
    signs = [(v, _sign_at(edge, condition, s, v)) for v in _tried(condition.domain.ranges[s])]
    told = [(v, sign) for v, sign in signs if sign]
    for (low, below), (high, above) in pairwise(told):
        if below == above:
            continue
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            sign = _sign_at(edge, condition, s, middle)
            low, high = (middle, high) if sign == below else (low, middle)
            if not sign:
                break
        found = Crossing(edge, other, s, *_wider(low, high), above > 0)
        try:
            found.box(LOOKED)
        except NotEnclosed:
            continue
        yield found


def _wider(low: Rational, high: Rational) -> tuple[Rational, Rational]:
    return low - (high - low), high + (high - low)


def _sign_at(edge: Edge, condition: Condition, s: Symbol, value: Rational) -> int:
    """The sign of the condition at the root there, or 0 where it is not told or at an end."""
    try:
        place = enclosure(edge.position.xreplace({s: value}), LOOKED)
        with precision(LOOKED):
            at = {edge.x: place, s: enclosure(value, LOOKED)}
            found = enclosure(condition.expression, LOOKED, at)
            if not (place > 0 and place < enclosure(edge.segment.length, LOOKED, at)):
                return 0
    except NotEnclosed:
        return 0
    return 1 if found > 0 else -1 if found < 0 else 0


def _tried(r: Range) -> list[Rational]:
    """Values inside a range, the lowest first."""
    low, high = r.low, r.high
    if low.is_Rational and high.is_Rational:
        return [low + (high - low) * Rational(k, TRIED) for k in range(1, TRIED)]
    powers = [
        Integer(2) ** k * (1 + Rational(j, BETWEEN))
        for k in range(-FARTHEST, FARTHEST)
        for j in range(BETWEEN)
    ]
    if low.is_Rational and high is oo:
        return [low + v for v in powers]
    if high.is_Rational and low is -oo:
        return [high - v for v in reversed(powers)]
    return [*(-v for v in reversed(powers)), S.Zero, *powers] if low is -oo and high is oo else []


# --- what is stated -------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class AtCrossing(Statement):
    """``s = ..., x_star = ...``: on an edge, where a third eigenvalue of the gradient is y too."""

    crossing: Crossing

    @classmethod
    def of(cls, crossing: Crossing) -> AtCrossing:
        """The statement about a border that was found."""
        shown = Tuple(eq(crossing.parameter, crossing.value), eq(Symbol("x_star"), crossing.place))
        domain = crossing.edge.along[crossing.other].domain
        return cls(shown, domain, crossing, lemma=CERTIFICATE)

    def decide(self) -> Outcome:
        """Whether both equations have one root around these values, which is such a border."""
        shown = assignments(self.shown)
        names = (Symbol("x_star"), self.crossing.parameter)
        if set(shown) != set(names) or any(shown[s].free_symbols for s in names):
            return Undecided("not one value for the parameter and one for the place")
        try:
            box = self.crossing.box(BITS)
            with precision(BITS):
                off = [enclosure(shown[s], BITS) - b for s, b in zip(names, box, strict=True)]
        except NotEnclosed as error:
            return Undecided(str(error))
        if not all(gap.contains(0) for gap in off):
            return Refuted(note="the two equations do not vanish there")
        return Holds(
            Evidence(
                Grade.INTERVAL,
                "Krawczyk's test in balls: one root of both equations; over its box the other "
                "conditions hold",
            )
        )

"""Whether a statement may hold, at a few points in floating point: fast, and no proof."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice, product

from sympy import Eq, Expr, Rational, Symbol

from ...decide.domain import Range
from ...language.statement import Bounds, Statement
from ...language.symbolic import compiled
from ..judge.lookup import Meant

#: Relative difference of floating point values that still counts as agreement.
NEAR = 1e-9
#: Points that are used, and how many more where a case of its own begins.
POINTS, EDGES = 4, 4

Point = Mapping[Symbol, float]


#: How Python says that there is none, or that it cannot be written as a function.
_NO_VALUE = (
    ArithmeticError,
    LookupError,
    NameError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
)


def value(e: Expr, point: Point) -> float | None:
    """A floating point value; None where there is none or a function is not known."""
    try:
        function, symbols = compiled(e, "math")
        return float(function(*(point[s] for s in symbols)))
    except _NO_VALUE:
        return None


def near(one: float, other: float) -> bool:
    """Whether two values agree."""
    return abs(one - other) <= NEAR * (1 + abs(other))


@lru_cache(maxsize=64)
def screen(meant: Meant) -> Screen:
    """The points for what a directive names."""
    return Screen(meant)


class Screen:
    """The points, and what the quantities are there."""

    def __init__(self, meant: Meant):
        self.meant = meant
        given = {s: float(v) for s, v in meant.point.items() if v.is_finite}
        self.points: list[dict[Symbol, float]] = []
        self.derived: list[tuple[float, ...]] = []
        for place in _places(meant):
            here = {**{s: float(v) for s, v in place.items()}, **given}
            found = [_exact(e, place) for e in meant.derived]
            values = tuple(v for v in found if v is not None)
            if len(values) < len(found):
                continue
            here |= dict(zip(meant.own, values, strict=True))
            for s, e in {**meant.others, **meant.exported}.items():
                if (other := value(e, here)) is not None:
                    here[s] = other
            self.points.append(here)
            self.derived.append(values)

    def allows(
        self, statement: Statement, probe: Symbol | None = None, meant: Expr | None = None
    ) -> bool:
        """Whether a statement may hold, with something put in for a further symbol."""
        rows = (statement, *statement.rest)
        single = len(rows) == len(self.meant.quantities)
        for point, derived in zip(self.points, self.derived, strict=True):
            here = point
            if probe is not None and meant is not None:
                put = value(meant, point)
                if put is None:
                    return False
                here = {**point, probe: put}
            for k, row in enumerate(rows):
                if not self._row(row, here, derived[k : k + 1] if single else derived):
                    return False
        return True

    def _row(self, row: Statement, here: Point, derived: Sequence[float]) -> bool:
        bounds = [q.bound for q in self.meant.quantities if q.bound]
        if set(row.relations) <= {"="}:
            values = [v for side in row.sides for v in _values(side, here)]
            if not row.relations:
                return all(near(v, d) for v in values for d in derived[:1])
            # What is no expression is a name: it stands for the quantity.
            values += [d for d in derived if len(values) < len(row.sides)]
            return all(v is not None and near(v, values[-1]) for v in values)
        found = []
        for d in derived:
            place = {**here, **{b[0]: d for b in bounds if b is not None}}
            gaps = list(_gaps(row, place))
            if any(is_equation and not same for is_equation, same in gaps):
                return False
            found.append(any(same for is_equation, same in gaps if not is_equation))
        return all(found)


def _gaps(row: Statement, here: Point) -> Iterator[tuple[bool, bool]]:
    """For every relation whether it is ``=``, and whether its sides agree."""
    for one, relation, other in zip(row.sides[:-1], row.relations, row.sides[1:], strict=True):
        pairs = product(_values(one, here), _values(other, here))
        yield relation == "=", any(near(a, b) for a, b in pairs)


def _values(side: object, here: Point) -> list[float]:
    ends = (side.low, side.high) if isinstance(side, Bounds) else (side,)
    if not all(isinstance(e, Expr) for e in ends):
        return []
    found = [value(e, here) for e in ends if isinstance(e, Expr) and e.is_infinite is not True]
    return [float("nan") if v is None else v for v in found]


def _ends(r: Range, place: Mapping[Symbol, Expr]) -> tuple[Expr, Expr]:
    return r.low.xreplace(dict(place)), r.high.xreplace(dict(place))


def _exact(e: Expr, place: Mapping[Symbol, Expr]) -> float | None:
    found = value(e, {s: float(v) for s, v in place.items()})
    if found is None:
        try:  # what has no closed form is evaluated by SymPy, once
            found = float(e.xreplace(dict(place)).evalf(20))
        except (TypeError, ValueError, ArithmeticError):
            return None
    return found if math.isfinite(found) else None


def _places(meant: Meant) -> list[dict[Symbol, Expr]]:
    """Points inside the domain with nothing special about them, and those where a case begins."""
    ranges = meant.domain.ranges.items()
    good = (
        dict(place)
        for place in islice(meant.domain.points(100), 2, None, 5)
        if all(r.integer or place[s] not in _ends(r, place) for s, r in ranges)
        and meant.domain.contains(place)
    )
    found = list(islice(good, POINTS)) or [dict(meant.domain.witness)]
    # Values of a function that is not given may be any numbers.
    known = {*meant.domain.ranges, *meant.point}
    free = sorted({s for e in meant.derived for s in e.free_symbols} - known, key=str)
    for k, place in enumerate(found, 2):
        place |= {s: Rational(i + k, 7 * k) for i, s in enumerate(free)}
    edges: list[dict[Symbol, Expr]] = []
    for equation in {a for e in meant.derived for a in e.atoms(Eq)}:
        if isinstance(equation.lhs, Symbol):
            edges += [{**p, equation.lhs: equation.rhs.xreplace(p)} for p in found[:2]]
    return found + edges[:EDGES]

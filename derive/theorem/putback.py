"""Every number is put back into the condition that defines it, before it is handed out.

A root must change the sign of its function, a threshold that of its condition, and a limit
must be approached. Roots are put back by mpmath's intervals into the function as it was
derived, with the parameters beside it, so that neither the balls that found the root nor
what putting the values in simplified is trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache, reduce
from typing import Any

import mpmath
from mpmath import iv
from sympy import Abs, Expr, Integer, Max, Min, Piecewise, Rational, S, Symbol, exp, log, oo
from sympy.core.relational import Relational

from ..decide.ball import NotEnclosed, TooWide, enclosure, precision
from ..decide.digits import LAST_BITS, NotKnown, rounded
from ..decide.domain import Domain, DomainError, Range
from ..decide.errors import InternalError
from ..decide.root import ClampedRoot
from ..optimum.duality import Certificate
from ..optimum.endpoint import Threshold
from ..optimum.face import FaceValue
from ..optimum.program import Program, entry
from .quantity import Quantity

#: Signs are looked for with ever more digits, up to so many.
LAST_DIGITS = int(LAST_BITS * 0.301)
#: Exponentials of more are only bounded.
LARGEST = 2**4096
#: A limit is compared with the values at these powers of ten, each a square of the one before.
FAR = (10, 20, 40)
#: Roots are only found nearer by in no time.
FAR_FOR_ROOTS = (2, 4, 8)
#: From one to the next the distance falls at least by this, even for a limit like 1/log log n.
SLOWEST = Rational(9, 10)
#: A rise of what grows without bound is seen if it is known so well.
SEEN = 1e-3
#: How far out the sign of a condition that never changes is looked at, as powers of ten.
FAR_OUT = (2, 4, 8)


class Inconsistent(InternalError):
    """A number does not satisfy the condition that defines it."""


class NotPutBack(DomainError):
    """Whether a number satisfies the condition that defines it was not decided; one line."""


def put_back(
    name: str,
    quantity: Quantity,
    expression: Expr,
    point: Mapping[Symbol, Expr],
    domain: Domain,
    value: Any,
    digits: int,
) -> None:
    """Check a number, which is ``expression`` at ``point``, to ``digits`` digits.

    Raises
    ------
    Inconsistent
        If it is not what its condition asks for.
    NotPutBack
        If that is not known.
    """
    shown = f"{name} = {mpmath.nstr(value, min(digits, 20))}"
    far = [s for s, v in point.items() if v is oo]
    source, given = (expression, {}) if far else (quantity.expression, dict(point))
    for root in source.atoms(ClampedRoot):
        if root.free_symbols <= set(given):
            try:
                found = value if root == source else rounded(root.xreplace(given), digits)[0]
                right = _is_root(root, tuple(given.items()), found, digits)
            except (NotEnclosed, NotKnown, _NoInterval):
                right = None
            if right is None:
                raise NotPutBack(f"{shown} could not be put back into its condition")
            if not right:
                raise Inconsistent(f"{shown} is not where its condition changes sign")
    for least in quantity.expression.atoms(FaceValue) if not far else ():
        if least.free_symbols <= set(given):
            _check_least(shown, least.xreplace(given), digits)
    if quantity.threshold is not None and not far:
        inside = quantity.domain or domain
        _check_threshold(shown, quantity.threshold, point, inside, value, digits)
    if quantity.limit_of is not None and not far:
        of, symbol, where = quantity.limit_of
        _check_limit(shown, of, symbol, where, point, value, digits)
    if len(far) == 1 and far[0] not in quantity.at_oo:
        _check_limit(shown, quantity.expression, far[0], oo, point, value, digits)


# --- roots -----------------------------------------------------------------------------------
@lru_cache(maxsize=512)
def _is_root(
    root: ClampedRoot, point: tuple[tuple[Symbol, Expr], ...], value: Any, digits: int
) -> bool | None:
    """Whether h < 0 before the value and not after, or the value is the end that h points at.

    None if the sign before it is not known.
    """
    (h, x), given = root.equation(), dict(point)
    small = max(0, -int(mpmath.floor(mpmath.log10(abs(value))))) if value else 0
    start = digits + small + 15

    def number(e: Expr) -> Any:
        return Intervals(given)(e)

    def sign(place: Callable[[], Any], most: int) -> int | None:
        return _sign(lambda: Intervals({**given, x: place()})(h), start, most)

    with mpmath.workdps(start):
        step = abs(value) * mpmath.mpf(10) ** -digits
    ends = [e.xreplace(given) for e in (root.low, root.high)]
    settled = root.xreplace(given).settled()
    if settled in ends:  # zero there is allowed, and not looked for
        end = root.args[1 + ends.index(settled)]
        with _interval_digits(start):
            near = bool(abs(number(end) - iv.mpf(value)).a <= step)
        return near and sign(lambda: number(end), 2 * start) != (-1 if settled == ends[0] else 1)

    def beside(side: int) -> Any:
        at = iv.mpf(value) + side * iv.mpf(step)
        end = None if root.args[1 + (side > 0)] is oo else number(root.args[1 + (side > 0)])
        beyond = end is not None and (side * (at - end)).b > 0
        return end if beyond else at

    # After a jump the function may stay at zero, so that it is not below is all one can ask.
    before, after = sign(lambda: beside(-1), LAST_DIGITS), sign(lambda: beside(1), 2 * start)
    if before == 1 or after == -1:
        return False
    return True if before == -1 else None


def _sign(value: Callable[[], Any], start: int, most: int) -> int | None:
    """The sign that intervals prove, with more and more digits, or None."""
    digits = start
    while digits <= max(start, most):
        with _interval_digits(digits):
            try:
                found = value()
            except _NoInterval:
                found = None
            if found is not None and (found.a > 0 or found.b < 0):
                return 1 if found.a > 0 else -1
        digits *= 2
    return None


class _NoInterval(ValueError):
    """An operation is not defined on an interval."""


@contextmanager
def _interval_digits(digits: int) -> Iterator[None]:
    before, iv.dps = iv.dps, digits
    try:
        yield
    finally:
        iv.dps = before


class Intervals:
    """Values in mpmath's intervals, with no help from the balls that found a number."""

    def __init__(self, at: Mapping[Symbol, Any]):
        self.at = at

    def __call__(self, e: Expr) -> Any:
        if e in self.at:
            found = self.at[e]
            return self(found) if isinstance(found, Expr) else found
        if e.is_Rational:
            return iv.mpf(int(e.p)) / iv.mpf(int(e.q))
        if isinstance(e, Piecewise):
            return self._cases(e)
        if e is S.Pi:
            return iv.pi
        if e is S.Exp1:
            return iv.e
        if not e.args:
            raise _NoInterval(str(e))
        return self._apply(e, [self(a) for a in e.args])

    def _apply(self, e: Expr, args: list[Any]) -> Any:
        if e.is_Add:
            return sum(args[1:], args[0])
        if e.is_Mul:
            return reduce(lambda a, b: a * b, args)
        if isinstance(e, exp):
            return _exp(args[0])
        if isinstance(e, (Max, Min)):
            choose = max if isinstance(e, Max) else min
            return iv.mpf([choose(a.a for a in args).a, choose(a.b for a in args).b])
        if isinstance(e, Abs):
            return abs(args[0])
        if isinstance(e, log) and args[0].a > 0:
            return iv.log(args[0])
        if e.is_Pow:
            return self._power(args[0], e.exp, args[1])
        raise _NoInterval(str(e))

    def _power(self, base: Any, power: Expr, value: Any) -> Any:
        if power.is_Integer:
            if power < 0 and base.a <= 0 <= base.b:
                raise _NoInterval(str(power))
            return base ** int(power)
        if base.a < 0 or (base.a <= 0 and not value.a > 0):
            raise _NoInterval(str(power))
        if base.a <= 0:
            return iv.mpf([0, self._power(iv.mpf(base.b), power, value).b if base.b > 0 else 0])
        return iv.sqrt(base) if power == S.Half else _exp(value * iv.log(base))

    def _cases(self, e: Piecewise) -> Any:
        for value, condition in e.args:
            if condition == True:  # noqa: E712
                return self(value)
            if not isinstance(condition, Relational):
                break
            sign = self._sign(condition.lhs - condition.rhs)
            if sign is None:
                break
            if condition.func(sign, 0):
                return self(value)
        raise _NoInterval(str(e))

    def _sign(self, gap: Expr) -> int | None:
        exact = gap.xreplace({s: v for s, v in self.at.items() if isinstance(v, Expr)})
        if exact.is_Rational:
            return (exact.p > 0) - (exact.p < 0)
        found = self(gap)
        return 1 if found.a > 0 else -1 if found.b < 0 else None


def _exp(power: Any) -> Any:
    low, high = power.a, power.b
    low = -iv.inf if low < -LARGEST else min(low, iv.mpf(LARGEST))
    high = iv.inf if high > LARGEST else max(high, iv.mpf(-LARGEST))
    return iv.exp(iv.mpf([low.a, high.b]))


# --- optima ----------------------------------------------------------------------------------
def _check_least(shown: str, least: FaceValue, digits: int) -> None:
    """The optimum as rationals: its gap by duality in intervals, and the number beside it."""
    kind, name = least.args[1].name, least.args[2].name
    bits = int(3.33 * digits) + 160
    try:
        program, certificate = least.optimum.written(bits)
        with _interval_digits(2 * digits + 60):
            gap, value, inner = _duality(program, certificate)
            number = {"loss": value, "inner": inner.get(name)}.get(kind)
            near = number is None or abs(_interval(least, digits) - number).a <= gap.b + _off(
                digits
            )
            small = gap.b <= _off(digits)
    except (NotEnclosed, NotKnown, _NoInterval):
        raise NotPutBack(f"{shown} could not be put back into its condition") from None
    if not near or not small:
        raise Inconsistent(f"{shown} is not where the loss is least")


def _off(digits: int) -> Any:
    return iv.mpf(10).a ** -digits


def _interval(least: FaceValue, digits: int) -> Any:
    return iv.mpf(rounded(least, digits + 5)[0])


def _duality(program: Program, certificate: Certificate) -> tuple[Any, Any, dict[str, Any]]:
    """Gap, loss and inner products of rational shares, the parameters beside the function."""
    shares, function = certificate.shares, program.function
    inner = {r.name: S.Zero for r in function.configuration.relations}
    for r, row in zip(program.relations, program.weights, strict=True):
        inner[r.name] = sum((w * shares[k] for k, w in row.items()), S.Zero)
    number = Intervals({**program.point, **{entry(r): g for r, g in inner.items()}})
    slopes = {r.name: number(function.slopes[r.name]) for r in program.relations}
    down = [iv.mpf(0)] * len(shares)
    for r, row in zip(program.relations, program.weights, strict=True):
        for k, w in row.items():
            down[k] += slopes[r.name] * number(w)
    y = [number(v) for v in certificate.multipliers]
    gap = sum((d * number(z) for d, z in zip(down, shares, strict=True)), -sum(y, iv.mpf(0)))
    shift = max(
        _shift([down[k] for k in slots], [y[program.trace[k]] for k in slots if k in program.trace])
        for slots in program.of
    )
    gap += len(program.orbits) * shift
    return gap, number(function.value), {r: number(g) for r, g in inner.items()}


def _shift(down: list[Any], y: list[Any]) -> Any:
    """So much added to the diagonal makes a block of the slacks positive definite."""
    size = len(y)
    places = [(i, j) for i in range(size) for j in range(i, size)]
    rows = [[iv.mpf(0)] * size for _ in range(size)]
    for (i, j), d in zip(places, down, strict=True):
        rows[i][j] = rows[j][i] = d - y[i] if i == j else d / 2
    shift = iv.mpf(10) ** -iv.dps
    while True:
        left = [
            [v + shift if i == j else v for j, v in enumerate(row)] for i, row in enumerate(rows)
        ]
        if _is_definite(left):
            return shift.b
        shift *= 16
        if shift.a > 32 + 16 * max(abs(v).b for row in rows for v in row) * size:
            raise _NoInterval("no multiple of the identity is large enough")


def _is_definite(rows: list[list[Any]]) -> bool:
    for k, row in enumerate(rows):
        if not row[k].a > 0:
            return False
        for i in range(k + 1, len(rows)):
            ratio = rows[i][k] / row[k]
            for j in range(k + 1, len(rows)):
                rows[i][j] -= ratio * row[j]
    return True


# --- thresholds ------------------------------------------------------------------------------
def _check_threshold(
    shown: str,
    threshold: Threshold,
    point: Mapping[Symbol, Expr],
    domain: Domain,
    value: Any,
    digits: int,
) -> None:
    """The condition is negative on the stated side of the value and positive on the other."""
    parameter = threshold.parameter
    others = {s: v for s, v in domain.witness.items() if s is not parameter} | {
        s: v for s, v in point.items() if s is not parameter
    }
    condition = threshold.condition.xreplace(others)
    checked = False
    for at, above in _places(value, digits, domain.ranges.get(parameter), others):
        expected = -1 if above == (threshold.side == ">") else 1
        found = _sign_at(condition, parameter, at, digits)
        if found == -expected:
            raise Inconsistent(f"{shown} is not where its condition changes sign")
        checked |= found == expected
    if not checked:
        raise NotPutBack(f"{shown} could not be put back into its condition")


def _places(
    value: Any, digits: int, allowed: Range | None, others: Mapping[Symbol, Expr]
) -> list[tuple[Rational, bool]]:
    """Points beside a threshold where the parameter may be, and whether they lie above it."""
    low, high = -oo, oo
    if allowed is not None:
        low, high = (e.xreplace(dict(others)) for e in (allowed.low, allowed.high))
    small = Rational(1, 10**digits)
    if mpmath.isinf(value):
        below = value > 0
        end = low if below else high
        start = S.Zero if end in (oo, -oo) else Rational(str(end.evalf(30)))
        outward = [start + (1 if below else -1) * Integer(10) ** k for k in FAR_OUT]
        return [(at, not below) for at in outward]
    exact = _fraction(value)
    step = abs(exact) * small if exact else small
    beside = [(exact - step, False), (exact + step, True)]
    inside = [(at, above) for at, above in beside if low <= at <= high]
    if inside:
        return inside
    # The parameter never reaches the value: its whole range is on one side.
    above = bool(low > exact)
    end = low if above else high
    near = Rational(str(end.evalf(digits + 5)))
    inward = 1 if above else -1
    return [(near + inward * max(small, abs(near) * small), above)]


def _fraction(value: Any) -> Rational:
    negative, man, power, _ = value._mpf_
    return (-1) ** int(negative) * Rational(int(man)) * Integer(2) ** int(power)


def _sign_at(condition: Expr, parameter: Symbol, at: Rational, digits: int) -> int | None:
    """Sign of the condition at a point by balls, or None if it has none or was not decided."""
    bits = int(3.33 * digits) + 80
    while bits <= max(LAST_BITS, 4 * int(3.33 * digits)):
        try:
            with precision(bits):
                ball = enclosure(condition, bits, {parameter: enclosure(at, bits)})
            if ball > 0 or ball < 0:
                return 1 if ball > 0 else -1
        except TooWide:
            pass
        except NotEnclosed:
            return None
        bits *= 2
    return None


# --- limits ----------------------------------------------------------------------------------
def _check_limit(
    shown: str,
    expression: Expr,
    symbol: Symbol,
    where: Expr,
    point: Mapping[Symbol, Expr],
    value: Any,
    digits: int,
) -> None:
    """The expression comes nearer and nearer to the value; nothing is said if it has no balls."""
    expression = expression.xreplace({s: v for s, v in point.items() if s is not symbol})
    if expression.free_symbols - {symbol}:
        return
    powers = FAR_FOR_ROOTS if expression.has(ClampedRoot) else FAR
    bits = int(3.33 * (digits + 2 * powers[-1])) + 64
    try:
        with precision(bits):
            balls = [
                enclosure(expression.xreplace({symbol: _toward(where, k)}), bits) for k in powers
            ]
            slowest = enclosure(SLOWEST, bits)
            if mpmath.isinf(value):
                first, second, third = balls if value > 0 else [-b for b in balls]
                if (third - second).rad() > SEEN:  # beside a large number no rise is seen
                    return
                # Even log log n rises as much from each to the next; from where does not matter.
                if not third - second > slowest * (second - first) > 0:
                    raise Inconsistent(f"{shown} is not what far values grow to")
                return
            target = enclosure(_fraction(value), bits)
            gaps = [abs(b - target) for b in balls]
            close = enclosure(Rational(1, 10 ** (digits + 2)), bits) * (1 + abs(target))
    except NotEnclosed:
        return
    with precision(bits):
        if gaps[-1] > close and gaps[-1] > slowest * gaps[-2]:
            raise Inconsistent(f"{shown} is not what far values approach")


def _toward(where: Expr, k: int) -> Expr:
    if where in (oo, -oo):
        return (1 if where is oo else -1) * Integer(10) ** k
    return where + Rational(1, 10**k)

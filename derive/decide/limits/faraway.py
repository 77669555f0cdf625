"""Values far out, enclosed by interval arithmetic: do they approach what is said to be a limit?

An expression in exp, log and powers is monotone from some point on, so the distances to its
limit fall in the end. Along 10^k, with k four times as large each time, the next steps are
extrapolated from the last two. If all that can still come does not cover the distance that is
left, the value is wrong. That refutes, and otherwise supports; it never proves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import mpmath
from mpmath import iv
from sympy import (
    Expr,
    Max,
    Min,
    NumberSymbol,
    Piecewise,
    Rational,
    Symbol,
    exp,
    log,
    oo,
)
from sympy.core.relational import Relational

from ..evidence import Outcome, Refuted, Undecided
from ..root import ClampedRoot

#: Powers of 10 that are tried, each RATIO times the one before ...
RATIO = 4
FIRST, LAST = 1, RATIO**8
#: ... or, where values so far out cannot be had, with half steps between the last ones.
#: With a root in the expression every value takes long, and they go less far.
LAST_WITH_ROOTS = RATIO**2
#: Bits at which values are computed: the first, and the most where terms cancel.
BITS, MOST_BITS = 128, 2**12
#: Exponents larger than this are not reduced modulo log 2.
LARGEST = mpmath.mpf(2) ** 400
#: A distance so small has arrived.
TINY = mpmath.mpf(10) ** -25
#: What may still come, by extrapolation, is allowed to be off by this factor. For the slowest
#: functions of interest, 1/log(log(x)) and its logarithm, it is off by 3 and by 6.
SLACK = 10
#: Values that a comparison needs.
FEWEST = 3


@dataclass(frozen=True)
class Supported(Undecided):
    """Values far out approach it. That speaks for it, and proves nothing by itself."""


class _NotReal(ArithmeticError):
    """There is no real value there."""


class _TooWide(ArithmeticError):
    """The enclosure tells nothing at this precision."""


class _TooFar(ArithmeticError):
    """No precision in reach gives a value."""


def compared(expression: Expr, x: Symbol, value: Expr) -> Outcome:
    """Compare an expression in ``x`` alone with its limit for x -> oo, which may be oo or -oo."""
    last = LAST_WITH_ROOTS if expression.has(ClampedRoot) else LAST
    powers = _ladder(Fraction(FIRST), Fraction(RATIO), last)
    found = _distances(expression, x, value, powers)
    if len(found) < FEWEST + 1:
        top = max(found, default=Fraction(FIRST))
        between = [top / 2**i for i in range(4, -1, -1)]
        found |= _distances(expression, x, value, (k for k in between if k not in found))
        found = {k: d for k, d in found.items() if k in between}
    steps = sorted(found)
    if len(steps) < FEWEST:
        return Undecided("too few values far out can be computed")
    return _verdict([found[k] for k in steps], x, steps[-1])


def _verdict(distances: list[Any], x: Symbol, power: Fraction) -> Outcome:
    where = {x.name: f"10^{power}"}
    a, b, c = distances[-3:]
    if c is None:
        return Refuted(where, "there is no real value there, or it has the other sign")
    if c <= TINY:
        return Supported(f"values out to 10^{power} approach it")
    if a is None or b is None:
        return Undecided("values far out do not settle yet")
    if c >= b:
        return Refuted(where, f"the distance grows, from {_n(b)} to {_n(c)}")
    before, step = a - b, b - c
    if step >= before:
        return Undecided("values far out do not settle yet")
    to_come = step * step / (before - step)
    if c > SLACK * to_come:
        return Refuted(where, f"the distance stays about {_n(c)}")
    return Supported(f"values out to 10^{power} approach it")


def _n(value: Any) -> str:
    return str(mpmath.nstr(value, 3))


def _ladder(first: Fraction, ratio: Fraction, last: int) -> Iterator[Fraction]:
    while first <= last:
        yield first
        first *= ratio


def _distances(
    expression: Expr, x: Symbol, value: Expr, powers: Iterator[Fraction]
) -> dict[Fraction, Any]:
    """Distances by power of 10, as far out as can be; None where there is no value to compare."""
    found: dict[Fraction, Any] = {}
    for power in powers:
        try:
            found[power] = _distance(expression, x, value, power)
        except _NotReal:
            found[power] = None
        except _TooFar:
            break
    return found


def _distance(expression: Expr, x: Symbol, value: Expr, power: Fraction) -> Any:
    bits = BITS
    before = iv.prec
    try:
        while bits <= MOST_BITS:
            iv.prec = bits
            try:
                return _distance_now(expression, x, value, power, bits)
            except _TooWide:
                bits *= 4
    finally:
        iv.prec = before
    raise _TooFar


def _distance_now(expression: Expr, x: Symbol, value: Expr, power: Fraction, bits: int) -> Any:
    at = iv.mpf(10) ** _fraction(Rational(power.numerator, power.denominator))
    found = _Enclosures({x: at}, bits)(expression)
    if value in (oo, -oo):
        if found.a <= 0 <= found.b:
            raise _TooWide
        if (found.a > 0) is not (value is oo):
            raise _NotReal
        gap = 1 / found
    else:
        goal = _Enclosures({}, bits)(value)
        gap = found - goal
        # Relative to values that are large.
        gap = gap / max(mpmath.mpf(1), abs(mpmath.mpf(goal.mid)))
    low, high = _ends(abs(gap))
    if high <= TINY:
        return high
    if low <= 0 or high > low * (1 + mpmath.mpf(2) ** -20):
        raise _TooWide
    return (low + high) / 2


def _ends(box: Any) -> tuple[Any, Any]:
    return mpmath.mpf(box.a), mpmath.mpf(box.b)


def _fraction(value: Rational) -> Any:
    return iv.mpf(int(value.p)) / iv.mpf(int(value.q))


class _Enclosures:
    """Intervals that contain the values of expressions."""

    def __init__(self, at: Mapping[Symbol, Any], bits: int):
        self.known: dict[Expr, Any] = dict(at)
        self.at, self.bits = dict(at), bits

    def __call__(self, e: Expr) -> Any:
        if e not in self.known:
            self.known[e] = self._of(e)
        return self.known[e]

    def _of(self, e: Expr) -> Any:
        if e.is_Rational:
            return _fraction(e)
        if e.is_Add:
            return sum((self(a) for a in e.args[1:]), self(e.args[0]))
        if e.is_Mul:
            total = self(e.args[0])
            for a in e.args[1:]:
                total = total * self(a)
            return total
        if isinstance(e, exp):
            return self._exp(self(e.args[0]))
        if isinstance(e, log):
            return self._log(self(e.args[0]))
        if e.is_Pow:
            return self._power(self(e.base), e.exp)
        if isinstance(e, (Max, Min)):
            return self._largest(e)
        if isinstance(e, Piecewise):
            return self._case(e)
        if isinstance(e, (ClampedRoot, NumberSymbol)):
            return self._by_evalf(e)
        raise _TooFar  # a function that is not known here

    def _exp(self, a: Any) -> Any:
        low, high = _ends(a)
        if high < -LARGEST:
            return iv.mpf([0, mpmath.ldexp(1, -(2**200))])
        if high > LARGEST:
            raise _TooFar
        if high - low > 1:
            raise _TooWide
        return iv.exp(a)

    def _log(self, a: Any) -> Any:
        if a.b <= 0:
            raise _NotReal
        if a.a <= 0:
            raise _TooWide
        return iv.log(a)

    def _power(self, base: Any, power: Expr) -> Any:
        if power.is_Integer:
            if power < 0:
                if base.a == 0 == base.b:
                    raise _NotReal
                if base.a <= 0 <= base.b:
                    raise _TooWide
            return base ** int(power)
        if base.a == 0 == base.b and power.is_positive:
            return base
        return self._exp(self._log(base) * self(power))

    def _largest(self, e: Expr) -> Any:
        boxes = [_ends(self(a)) for a in e.args]
        pick = max if isinstance(e, Max) else min
        return iv.mpf([pick(a for a, _ in boxes), pick(b for _, b in boxes)])

    def _case(self, e: Expr) -> Any:
        for value, condition in e.args:
            if self._holds(condition):
                return self(value)
        raise _NotReal

    def _holds(self, condition: Any) -> bool:
        if condition in (True, False):
            return bool(condition)
        if not isinstance(condition, Relational):
            raise _TooFar
        gap = self(condition.lhs - condition.rhs)
        if gap.a <= 0 <= gap.b:
            raise _TooWide
        return bool(condition.func(1 if gap.a > 0 else -1, 0))

    def _by_evalf(self, e: Expr) -> Any:
        digits = int(self.bits * 0.3)
        if isinstance(e, ClampedRoot):
            # A bracket of half the digits is more than a comparison needs.
            digits = min(digits // 2 + 10, 100)
            rules = {s: Rational(*_as_fraction(v)) for s, v in self.at.items()}
            e = _settled(e.xreplace(rules))
            if not isinstance(e, ClampedRoot):
                return self(e)
        value = _digits_of(e, digits)
        if not value.is_real or not value.is_finite:
            raise _TooFar
        if value == 0:
            return iv.mpf(0)
        near = iv.mpf(1) + iv.mpf([-1, 1]) * iv.mpf(10) ** (5 - digits)
        return iv.make_mpf((value._mpf_, value._mpf_)) * near


# The quantities of a result share their roots, so the same ones are asked for again.
@lru_cache(maxsize=256)
def _settled(root: ClampedRoot) -> Expr:
    return root.settled()


@lru_cache(maxsize=256)
def _digits_of(e: Expr, digits: int) -> Expr:
    return e.evalf(digits)


def _as_fraction(box: Any) -> tuple[int, int]:
    """The middle of a narrow interval, exactly."""
    sign, mantissa, exponent, _ = mpmath.mpf(box.a)._mpf_
    p = -int(mantissa) if sign else int(mantissa)
    return (p << exponent, 1) if exponent >= 0 else (p, 1 << -exponent)

"""Values far out, enclosed by balls: do they approach what is said to be a limit?

An expression in exp, log and powers is monotone from some point on, so the distances to its
limit fall in the end. Along 10^k, with k four times as large each time, the next steps are
extrapolated from the last two. If all that can still come does not cover the distance that is
left, the value is wrong. That refutes, and otherwise supports; it never proves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import mpmath
from mpmath import libmp
from sympy import Expr, Integer, Rational, Symbol, oo

from ..ball import Enclosed, Enclosures, NotEnclosed, NoValue, TooWide, Unknown, precision
from ..evidence import Outcome, Refuted, Undecided

#: Powers of 10 that are tried, each RATIO times the one before ...
RATIO = 4
FIRST, LAST = 1, RATIO**8
#: ... or, where values so far out cannot be had, with half steps between the last ones.
#: With a root or a mean in the expression every value takes long, and they go less far.
LAST_WITH_ROOTS = RATIO**2
#: Where they do not approach it there, a constant such as exp(1/tau) may be larger than they are:
#: then they are tried as far as these.
FARTHEST, FARTHEST_WITH_ROOTS = RATIO**30, RATIO**6
NEAR = RATIO
#: Bits at which values are computed: the first, and the most where terms cancel.
BITS, MOST_BITS = 128, 2**12
#: A distance so small has arrived.
TINY = mpmath.mpf(10) ** -25
#: What may still come, by extrapolation, is allowed to be off by this factor. For the slowest
#: functions of interest, 1/log(log(x)) and its logarithm, it is off by 3 and by 6.
SLACK = 10
#: Values that a comparison needs.
FEWEST = 3


class Supported(Undecided):
    """Values far out approach it. That speaks for it, and proves nothing by itself."""


class _NotReal(ArithmeticError):
    """There is no real value there."""


class _TooFar(ArithmeticError):
    """No precision in reach gives a value."""


#: What is compared, and where: rational values of all symbols but ``x``.
Parameters = Mapping[Symbol, Expr]


def compared(
    expression: Expr,
    x: Symbol,
    value: Expr,
    at: Parameters | None = None,
    tiny: mpmath.mpf = TINY,
) -> Outcome:
    """Compare an expression with its limit for x -> oo, which may be oo or -oo.

    ``at`` gives the other symbols. They are put beside the two, not into them. A distance of
    ``tiny`` has arrived.
    """
    slow = expression.has(Enclosed)
    last, most = (LAST_WITH_ROOTS, FARTHEST_WITH_ROOTS) if slow else (LAST, FARTHEST)
    # What has arrived far out needs no nearer values to go by.
    farthest = _distances(expression, x, value, iter([Fraction(last)]), at or {})
    if any(d is not None and d <= tiny for d in farthest.values()):
        return Supported(f"values out to 10^{last} approach it")
    ladder = found = _distances(expression, x, value, _ladder(Fraction(FIRST), last), at or {})
    if len(found) < FEWEST + 1:
        top = max(found, default=Fraction(FIRST))
        between = [top / 2**i for i in range(4, -1, -1)]
        missing = (k for k in between if k not in found)
        found = found | _distances(expression, x, value, missing, at or {})
        found = {k: d for k, d in found.items() if k in between}
    outcome = _verdict(found, x, tiny)
    if isinstance(outcome, Supported) or Fraction(last) not in ladder:
        return outcome
    further = _ladder(Fraction(RATIO * last), most)
    return _verdict(ladder | _distances(expression, x, value, further, at or {}), x, tiny)


def _verdict(found: dict[Fraction, Any], x: Symbol, tiny: mpmath.mpf) -> Outcome:
    steps = sorted(found)
    if len(steps) < FEWEST:
        return Undecided("too few values far out can be computed")
    distances, power = [found[k] for k in steps], steps[-1]
    where = {x.name: f"10^{power}"}
    a, b, c = distances[-3:]
    if c is None:
        return Refuted(where, "there is no real value there, or it has the other sign")
    if c <= tiny:
        return Supported(f"values out to 10^{power} approach it")
    if a is None or b is None:
        return Undecided("values at large arguments do not settle")
    if c >= b:
        return Refuted(where, f"the distance grows, from {_n(b)} to {_n(c)}")
    before, step = a - b, b - c
    if step >= before:
        return Undecided("values at large arguments do not settle")
    to_come = step * step / (before - step)
    if c > SLACK * to_come:
        return Refuted(where, f"the distance stays about {_n(c)}")
    return Supported(f"values out to 10^{power} approach it")


def _n(value: Any) -> str:
    return str(mpmath.nstr(value, 3))


def _ladder(first: Fraction, last: int) -> Iterator[Fraction]:
    while first <= last:
        yield first
        first *= RATIO


def _distances(
    expression: Expr, x: Symbol, value: Expr, powers: Iterator[Fraction], at: Parameters
) -> dict[Fraction, Any]:
    """Distances by power of 10, as far out as can be; None where there is no value to compare."""
    found: dict[Fraction, Any] = {}
    for power in powers:
        try:
            found[power] = _distance(expression, x, value, power, at)
        except _NotReal:
            found[power] = None
        except _TooFar:  # or it is a pole, which lies near
            if found or power > NEAR:
                break
    return found


def _distance(expression: Expr, x: Symbol, value: Expr, power: Fraction, at: Parameters) -> Any:
    bits = BITS
    while bits <= MOST_BITS:
        with precision(bits):
            try:
                return _distance_now(_FarOut(x, power, at, bits), expression, value)
            except TooWide:
                bits *= 4
            except Unknown:  # a function that is not known here
                break
            except NoValue:
                raise _NotReal from None
    raise _TooFar


def _distance_now(ball_of: _FarOut, expression: Expr, value: Expr) -> Any:
    found = ball_of(expression)
    if value in (oo, -oo):
        if found.contains(0):
            raise TooWide("the sign is not known")
        if (found > 0) is not (value is oo):
            raise NoValue("it has the other sign")
        gap = 1 / found
    else:
        try:
            goal = ball_of(value)
        except NoValue:
            raise Unknown("the limit has no value") from None
        # Relative to values that are large.
        gap = (found - goal) / abs(goal.mid()).max(1)
    low, high = _mpf(gap.abs_lower()), _mpf(gap.abs_upper())
    if high <= TINY:
        return high
    if low <= 0 or high > low * (1 + mpmath.mpf(2) ** -20):
        raise TooWide("the distance is not known")
    return (low + high) / 2


def _mpf(end: Any) -> Any:
    man, power = end.man_exp()
    return mpmath.make_mpf(libmp.from_man_exp(int(man), int(power)))


class _FarOut(Enclosures):
    """Balls at x = 10**power, and at the values of the other symbols."""

    def __init__(self, x: Symbol, power: Fraction, at: Parameters, bits: int):
        super().__init__(bits, {})
        arb, fmpq = self.flint.arb, self.flint.fmpq
        self.known[x] = arb(10) ** arb(fmpq(power.numerator, power.denominator))
        self.known |= {s: self(v) for s, v in at.items()}
        self.x, self.at = x, at

    def _evaluate(self, e: Expr) -> Any:
        if not isinstance(e, Enclosed):
            return super()._evaluate(e)
        man, exponent = (int(k) for k in self.known[self.x].mid().man_exp())
        near = Rational(man) * Integer(2) ** exponent
        found = e.xreplace({**self.at, self.x: near}).settled()
        if not isinstance(found, Enclosed):
            return self(found)
        # A bracket of half the bits is more than a comparison needs.
        try:
            return found.enclosure(min(self.bits // 2 + 33, 333))
        except NotEnclosed as error:
            raise TooWide(str(error)) from None

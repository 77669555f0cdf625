"""Signs and values of numbers: enclosures prove, digits that are vouched for refute."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import mpmath
from mpmath.libmp import from_man_exp
from sympy import Expr, Float, Symbol
from sympy.core.evalf import PrecisionExhausted

from .ball import Enclosures, NotEnclosed, NoValue, TooWide, enclosure, precision

#: Values are computed to this many digits when a statement is to be refuted.
DIGITS = 50
#: Precisions (in bits) at which the sign of a number is looked for, one after the other.
LADDER = (64, 256, 1024)
#: Precisions through which a value is followed where much of it cancels.
FOLLOWED = (256, 1024, 4096, 2**14)
BITS = 4 * DIGITS  #: more than :data:`DIGITS` decimals have


@lru_cache(maxsize=4096)
def sign(number: Expr) -> int | None:
    """1, -1 or 0 where that is proved, else None; a number that is not real has no sign."""
    if number.is_Rational:
        return (number.p > 0) - (number.p < 0)
    for bits in LADDER:
        try:
            found = enclosure(number, bits)
        except TooWide:
            continue
        except NotEnclosed:
            return None
        if found > 0 or found < 0:
            return 1 if found > 0 else -1
    return None


def digits(number: Expr) -> Expr:
    """A number, real or not, to :data:`DIGITS` right digits, or with that many after the point.

    Raises
    ------
    PrecisionExhausted
        If more cancels than the last of the precisions :data:`FOLLOWED` has digits for.
    """
    if number.is_Rational:
        return number
    try:
        return _in_balls(number)
    except NoValue:  # not real, or a function that has no ball
        return _evaluated(number)


def agree(one: Expr, other: Expr, digits: int) -> bool | None:
    """Whether two real numbers agree to so many digits; False only where they differ.

    Balls are narrowed until they are apart, or the difference is that small beside the
    numbers, however much cancels on the way. None if neither is seen: nothing then rests on
    digits that are not there.

    Raises
    ------
    NoValue
        If one of them is not real, or has a function that has no ball.
    """
    for bits in FOLLOWED:
        with precision(bits):
            balls = Enclosures(bits, {})
            try:
                left, right = balls(one), balls(other)
            except TooWide:
                continue
            gap = left - right
            if not gap.contains(0):
                return False
            size = min(left.abs_lower(), right.abs_lower())
            if gap.is_zero() or gap.abs_upper() <= size * _ten() ** -digits:
                return True
    return None


def _in_balls(number: Expr) -> Expr:
    for bits in FOLLOWED:
        with precision(bits):
            try:
                ball = Enclosures(bits, {})(number)
            except TooWide:
                continue
            if ball.contains(0):
                if ball.abs_upper() < _ten() ** -DIGITS:
                    return Float(0, DIGITS)
            elif ball.rel_accuracy_bits() > BITS:
                man, power = ball.mid().man_exp()
                return Float(mpmath.mp.make_mpf(from_man_exp(int(man), int(power), BITS)), DIGITS)
    raise PrecisionExhausted


def _ten() -> Any:
    from flint import arb

    return arb(10)


def value_at(expression: Expr, point: Mapping[Symbol, Expr]) -> Expr | None:
    """The finite real value at a point: exactly, or to :data:`DIGITS` right digits; else None.

    What cancels to zero without showing it has no right digits, and so no value here.
    """
    try:
        there = expression.xreplace(dict(point))
        value = there if there.is_Rational else _evaluated(there)
    except (PrecisionExhausted, TypeError, ValueError, ArithmeticError, RecursionError):
        return None
    return value if (value.is_Rational or value.is_Float) and value.is_finite else None


def _evaluated(number: Expr) -> Expr:
    return number.evalf(DIGITS, maxn=4 * DIGITS, strict=True)

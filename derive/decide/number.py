"""Signs and values of numbers: enclosures prove, digits that are vouched for refute.

Exponents are bounded before anything is evaluated without balls: mpmath would take as many bits
as an exponent has, and there are exponents with more than fit into a machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from sympy import Expr, Float, Rational, S, Symbol, exp, postorder_traversal
from sympy.core.evalf import PrecisionExhausted, dps_to_prec

from .ball import Enclosures, NotEnclosed, NoValue, TooWide, as_float, enclosure, precision

#: Values are computed to this many digits when a statement is to be refuted.
DIGITS = 50
#: Precisions (in bits) at which the sign of a number is looked for, one after the other.
LADDER = (64, 256, 1024)
#: Precisions through which a value is followed where much of it cancels.
FOLLOWED = (256, 1024, 4096, 2**14)
#: Exponents have at most so many bits, those of values and those that mpmath evaluates.
EXPONENT_BITS = 100
#: A value is written as a quotient where it has at most so many bits before or after the point.
LARGEST_POWER = 2**14


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
    return _digits(number, FOLLOWED)


def _digits(number: Expr, ladder: tuple[int, ...]) -> Expr:
    try:
        return _in_balls(number, ladder)
    except NoValue:  # not real, or a function that has no ball
        return _without_balls(number)


def agree(one: Expr, other: Expr, digits: int | None = None) -> bool | None:
    """Whether two real numbers agree to so many digits, or all; False only where they differ.

    Balls are narrowed until they are apart, or the difference is that small beside the
    numbers, however much cancels on the way. None if neither is seen: nothing then rests on
    digits that are not there.

    Raises
    ------
    NoValue
        If one of them is not real, or has a function that has no ball.
    """
    for bits in FOLLOWED:
        try:
            left, right = enclosure(one, bits), enclosure(other, bits)
        except TooWide:
            continue
        with precision(bits):
            gap = left - right
            if not gap.contains(0):
                return False
            size = 0 if digits is None else min(left.abs_lower(), right.abs_lower())
            if gap.is_zero() or gap.abs_upper() <= size * ten() ** -(digits or 0):
                return True
    return None


def value_at(expression: Expr, point: Mapping[Symbol, Expr]) -> Expr | None:
    """The finite real value at a point: exactly, or to :data:`DIGITS` right digits; else None.

    What cancels to zero without showing it has no right digits, and so no value here.
    """
    try:
        at_point = expression.xreplace(dict(point))
        value = at_point if at_point.is_Rational else _digits(at_point, LADDER)
    except (PrecisionExhausted, TypeError, ValueError, ArithmeticError, RecursionError):
        return None
    known = value.is_Rational or (value.is_Float and not value.is_zero)
    return value if known and value.is_finite else None


def near_value(expression: Expr, point: Mapping[Symbol, Expr]) -> Rational | None:
    """A rational number within 10**-:data:`DIGITS` of the value at a rational point, relatively.

    None where balls do not tell that. The point is put beside the expression, not into it:
    SymPy would work on what comes of that.
    """
    for more in LADDER:
        bits = int(dps_to_prec(DIGITS)) + more
        try:
            with precision(bits):
                ball = Enclosures(bits, {s: _rounded(v) for s, v in point.items()})(expression)
        except TooWide:
            continue
        except NotEnclosed:
            return None
        if ball.is_zero() or ball.rel_accuracy_bits() > bits - more:
            man, power = (int(k) for k in ball.mid().man_exp())
            if abs(power) > LARGEST_POWER:
                return None
            return Rational(man << power) if power >= 0 else Rational(man, 1 << -power)
    return None


def _rounded(value: Rational) -> Any:
    """A ball around a number, at the precision in force."""
    from flint import arb, fmpq

    return arb(fmpq(int(value.p), int(value.q)))


def _in_balls(number: Expr, ladder: tuple[int, ...]) -> Expr:
    bits = int(dps_to_prec(DIGITS))
    for more in ladder:
        try:
            ball = enclosure(number, bits + more)
        except TooWide:
            continue
        if ball.is_zero():
            return S.Zero
        if ball.rel_accuracy_bits() > bits:
            if abs(int(ball.mid().man_exp()[1])).bit_length() > EXPONENT_BITS:
                break
            return as_float(ball, bits)
        with precision(bits + more):
            if ball.contains(0) and ball.abs_upper() < ten() ** -DIGITS:
                return Float(0, DIGITS)
    raise PrecisionExhausted


def ten() -> Any:
    """A ball that is ten."""
    from flint import arb

    return arb(10)


def _without_balls(number: Expr) -> Expr:
    if not _has_small_exponents(number):
        raise PrecisionExhausted("an exponent is too large")
    return number.evalf(DIGITS, maxn=4 * DIGITS, strict=True)


def _has_small_exponents(number: Expr) -> bool:
    """From the inside out, so that nothing is evaluated that is too large."""
    for part in postorder_traversal(number):
        if not (isinstance(part, exp) or part.is_Pow):
            continue
        try:
            ball = enclosure(part.exp, LADDER[0])
        except TooWide:
            return False
        except NotEnclosed:  # it is not real
            continue
        with precision(LADDER[0]):
            if not ball.abs_upper() < 2**EXPONENT_BITS:
                return False
    return True

"""Signs and values of numbers: enclosures prove, digits that are vouched for refute.

Exponents are bounded before anything is evaluated without balls: mpmath would take as many bits
as an exponent has, and there are exponents with more than fit into a machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from mpmath import libmp
from sympy import Expr, Float, S, Symbol, exp, postorder_traversal
from sympy.core.evalf import PrecisionExhausted, dps_to_prec

from .ball import NotEnclosed, TooWide, enclosure, precision

#: Values are computed to this many digits when a statement is to be refuted.
DIGITS = 50
#: Precisions (in bits) at which the sign of a number is looked for, one after the other.
LADDER = (64, 256, 1024)
#: Exponents have at most so many bits where numbers are evaluated without balls.
EXPONENT_BITS = 100


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
        If too much cancels for that.
    """
    if number.is_Rational:
        return number
    try:
        return _evaluated(number)
    except PrecisionExhausted:  # zero, or nearly: against one it need not be told from zero
        return _evaluated(number + 1) - 1


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
    found = _from_balls(number)
    if found is not None:
        return found
    if not _has_small_exponents(number):
        raise PrecisionExhausted("an exponent is too large")
    return number.evalf(DIGITS, maxn=4 * DIGITS, strict=True)


def _from_balls(number: Expr) -> Expr | None:
    """The value of a real number to :data:`DIGITS` digits, if balls tell."""
    bits = int(dps_to_prec(DIGITS))
    for more in LADDER:
        try:
            ball = enclosure(number, bits + more)
        except TooWide:
            continue
        except NotEnclosed:
            return None
        if ball.is_zero():
            return S.Zero
        if ball.rel_accuracy_bits() > bits:
            man, power = ball.mid().man_exp()
            return Float._new(libmp.from_man_exp(int(man), int(power), bits, "n"), bits)
    return None


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

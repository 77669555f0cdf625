"""The sign and the decimal digits of an exact number, proved by balls.

A ball that contains zero proves nothing, however small: that a number is zero is decided by
algebra, or not at all.
"""

from __future__ import annotations

from typing import Any

import mpmath
from mpmath import libmp
from sympy import Expr, Rational

from .ball import TooWide, enclosure, precision
from .decide import zero
from .domain import Domain
from .evidence import Holds
from .number import ten

#: Precision starts here and doubles; after so many bits a number is tried by algebra, and
#: with so many one gives up: about 39,000 digits (and four times what was asked for).
FIRST_BITS = 64
ALGEBRA_BITS = 512
LAST_BITS = 2**17
#: Kept beyond the digits that are shown, as in the floats of mpmath.
GUARD_DIGITS = 5
#: Decimal exponents have at most so many digits.
EXPONENT_DIGITS = 30
#: Of a number that is tried for lying halfway between two decimals.
LARGEST_EXPONENT = 10**5


class NotKnown(ValueError):
    """The digits could not be proved; the message says how many are known."""


def sign(e: Expr) -> int | None:
    """1, 0 or -1 with a proof, or None if it was not decided.

    Raises
    ------
    NoValue
        If the expression has no real value.
    """
    if e.is_Rational:
        return (e.p > 0) - (e.p < 0)
    bits = FIRST_BITS
    while bits <= LAST_BITS:
        try:
            ball = enclosure(e, bits)
        except TooWide:
            ball = None
        if ball is not None and (ball > 0 or ball < 0 or ball.is_zero()):
            return int(ball > 0) - int(ball < 0)
        if bits == ALGEBRA_BITS and is_zero(e):
            return 0
        bits *= 2
    return None


def is_zero(e: Expr) -> bool:
    """Whether a number is proved to be zero."""
    return isinstance(zero(e, Domain({})), Holds)


def rounded(e: Expr, digits: int) -> tuple[Any, str]:
    """An mpmath float, right to a few digits more, and the decimal rounded to ``digits``.

    Raises
    ------
    NotKnown
        If the digits were not proved.
    NoValue
        If the expression has no real value.
    """
    if e.is_Rational and e.p == 0:
        return mpmath.mpf(0), _text(0, 0, digits)
    bits = int(3.33 * (digits + GUARD_DIGITS)) + 16
    last, known, tried, was_near = max(LAST_BITS, 4 * bits), "no digit", False, False
    while bits <= last:
        try:
            ball = enclosure(e, bits)
        except TooWide as error:
            known, lacking = str(error), bits
        else:
            if ball.is_zero():
                return mpmath.mpf(0), _text(0, 0, digits)
            accuracy = ball.rel_accuracy_bits()
            lacking = int(3.33 * (digits + GUARD_DIGITS)) + 4 - accuracy
            if lacking <= 0:
                found = _integer(e, ball, digits, bits)
                if found is not None:
                    return _float(ball, digits), _text(*found, digits)
                known = "it is too near to halfway between two decimals to be rounded"
            else:
                known = _known(ball)
        if bits >= ALGEBRA_BITS and not tried:
            tried = True
            if is_zero(e):
                return mpmath.mpf(0), _text(0, 0, digits)
        # What lacks little is near, but once only: digits may lack however many bits there are.
        was_near = 0 < lacking < bits and not was_near
        bits += min(bits, max(lacking, 32)) if was_near else bits
    raise NotKnown(f"{known}; the {digits} digits asked for could not be proved")


def _known(ball: Any) -> str:
    """What a ball tells, in words."""
    if ball.contains(0):
        with precision(64):
            power = (ball.abs_upper().log() / ten().log()).ceil().unique_fmpz()
            power = -(10**EXPONENT_DIGITS) if power is None else int(power)
            return f"it is smaller than 1e{power} in size"
    return f"{max(0, int(ball.rel_accuracy_bits() * 0.301))} digits are known"


def _integer(e: Expr, ball: Any, digits: int, bits: int) -> tuple[int, int] | None:
    """Integers n, k so that the number rounds to n 10^k and n has ``digits`` digits, if certain.

    What lies halfway between two decimals is rounded away from zero; only exact numbers do.
    """
    with precision(bits + 64):
        size = abs(ball)
        if abs(size.log()) > ten() ** EXPONENT_DIGITS:
            raise NotKnown(f"its exponent has more than {EXPONENT_DIGITS} digits")
        k = int((size.log() / ten().log()).mid().floor().unique_fmpz()) - digits + 1
        for exponent in (k, k + 1):
            scaled = size * _power_of_ten(-exponent) + ten() / 20
            n = scaled.floor().unique_fmpz()
            if n is None:
                n = _halfway(e, scaled, exponent, ball > 0)
            if n is None:
                return None
            if 10 ** (digits - 1) <= int(n) < 10**digits:
                return (int(n) if ball > 0 else -int(n)), exponent
    return None


def _halfway(e: Expr, scaled: Any, exponent: int, positive: bool) -> int | None:
    """The integer in the ball of |number| + 1/2, if the number is proved to be halfway."""
    if abs(exponent) > LARGEST_EXPONENT:
        return None
    n = int(scaled.upper().floor().unique_fmpz())
    middle = Rational(2 * n - 1 if positive else 1 - 2 * n, 2) * Rational(10) ** exponent
    return n if is_zero(e - middle) else None


def _power_of_ten(k: int) -> Any:
    return ten() ** k if k >= 0 else 1 / ten() ** -k


def _float(ball: Any, digits: int) -> Any:
    man, power = ball.mid().man_exp()
    with mpmath.workdps(digits + GUARD_DIGITS):
        return +mpmath.mp.make_mpf(libmp.from_man_exp(int(man), int(power)))


def _text(n: int, exponent: int, digits: int) -> str:
    with mpmath.workdps(digits + GUARD_DIGITS):
        value = mpmath.mpf(n) * mpmath.mpf(10) ** exponent
        return str(mpmath.nstr(value, digits, strip_zeros=False))

"""Numbers made by arithmetic and roots are zero where they are smaller than any that is not.

Let U/L be one, with algebraic integers U and L of a field of degree D whose conjugates are at most
u and l. If it is not zero, the norm of U is a nonzero integer, so U/L is at least
1/(l u^(D - 1)) in size (Burnikel, Funke, Mehlhorn, Schirra and Schmitt 2001).
"""

from __future__ import annotations

from functools import lru_cache
from math import prod

from sympy import Expr, Pow

from .ball import NotEnclosed, enclosure

#: Bits at which most numbers are seen not to be zero, and the most that are looked at.
FIRST_BITS, LAST_BITS = 64, 1 << 14


class _Other(ValueError):
    """A number that is not made by arithmetic and roots alone."""


@lru_cache(maxsize=1024)
def is_zero(e: Expr) -> bool:
    """Whether a number is proved to be zero: if it is, unless it has very many or high roots."""
    try:
        least = _least_bits(e)
        if not enclosure(e, FIRST_BITS).contains(0) or least > LAST_BITS:
            return False
        ball = enclosure(e, 2 * least + FIRST_BITS)
    except (_Other, NotEnclosed):
        return False
    return bool(ball.abs_upper() * 2**least < 1)


def _least_bits(e: Expr) -> int:
    """A number n, so that the number is zero or at least 2**-n in size."""
    above, below = _bits(e)
    roots = [*{(a.base, a.exp.q) for a in e.atoms(Pow)}]
    return below + above * (prod(int(q) for _, q in roots) - 1)


def _bits(e: Expr) -> tuple[int, int]:
    """Bits of u and l: bounds on the conjugates above and below the line."""
    if e.is_Rational:
        return int(e.p).bit_length(), (int(e.q) - 1).bit_length()
    if e.is_Add or e.is_Mul:
        (above, below), *others = map(_bits, e.args)
        for u, v in others:
            above = above + u if e.is_Mul else max(above + v, u + below) + 1
            below += v
        return above, below
    if not (e.is_Pow and e.exp.is_Rational):
        raise _Other
    above, below = _bits(e.base)
    q, p = int(e.exp.q), int(e.exp.p)
    above = -(-(above + (q - 1) * below) // q)
    return (p * above, p * below) if p > 0 else (-p * below, -p * above)

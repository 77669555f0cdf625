"""Signs and values of numbers: enclosures prove, digits that are vouched for refute."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from mpmath import iv
from sympy import Expr, S, Symbol, exp, log
from sympy.core.evalf import PrecisionExhausted

#: Values are computed to this many digits when a statement is to be refuted.
DIGITS = 50
#: Precisions (in digits) at which the sign of a number is looked for, one after the other.
LADDER = (20, 80, 320)


@lru_cache(maxsize=4096)
def sign(number: Expr) -> int | None:
    """1, -1 or 0 where that is proved, else None; a number that is not real has no sign."""
    if number.is_Rational:
        return (number.p > 0) - (number.p < 0)
    before = iv.dps
    try:
        for iv.dps in LADDER:
            found = _enclosed(number)
            if found is None:
                return None
            if found.a > 0 or found.b < 0:
                return 1 if found.a > 0 else -1
    finally:
        iv.dps = before
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
    return number.evalf(DIGITS, maxn=4 * DIGITS, strict=True)


def _enclosed(e: Expr) -> Any:
    """An interval, rounded outward, that holds a number; None where it may not be defined."""
    if e.is_Rational:
        return iv.mpf(int(e.p)) / int(e.q)
    if e is S.Pi or e is S.Exp1:
        return iv.pi if e is S.Pi else iv.exp(1)
    args = [_enclosed(a) for a in e.args]
    if not args or any(a is None for a in args):
        return None
    if e.is_Add:
        return sum(args[1:], args[0])
    if e.is_Mul:
        total = args[0]
        for a in args[1:]:
            total = total * a
        return total
    if isinstance(e, exp):
        return iv.exp(args[0])
    if isinstance(e, log) and len(args) == 1:
        return iv.log(args[0]) if args[0].a > 0 else None
    if e.is_Pow and e.exp.is_Integer:
        whole = args[0] ** abs(int(e.exp))
        if e.exp > 0:
            return whole
        return None if whole.a <= 0 <= whole.b else 1 / whole
    if e.is_Pow and args[0].a > 0:
        return iv.exp(iv.log(args[0]) * args[1])
    return None

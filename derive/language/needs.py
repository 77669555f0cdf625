"""What a formula needs for a value.

SymPy simplifies as it builds: of 0/0, or of log(x) - log(x), nothing is left that a check of
the result could find. So each divisor, root and logarithm is noted before it is built, and
each name, since what it stands for may have no value either.
"""

from __future__ import annotations

from sympy import Expr, Pow, log

from ..decide.defined import Condition


def of_power(base: Expr, exponent: Expr) -> list[Condition]:
    """What a power needs: a root what is >= 0, and zero has no power <= 0."""
    if base.is_number and (base.is_positive or (base.is_Rational and exponent.is_number)):
        return []  # what is wrong with a rational number is refused where it is built
    if base.is_Rational and not base.is_zero and exponent.is_integer:
        return []
    if not exponent.is_Integer:
        weak = exponent.is_Rational and exponent.is_positive
        return [Condition(Pow(base, exponent), ">= 0" if weak else "> 0", base)]
    if exponent <= 0:
        return [Condition(Pow(base, exponent, evaluate=False), "!= 0", base)]
    return []


def of_log(argument: Expr) -> list[Condition]:
    """What a logarithm needs."""
    return [] if argument.is_number else [Condition(log(argument), "> 0", argument)]


def of_name(meaning: Expr) -> Condition:
    """What a name needs."""
    return Condition(meaning, "known", meaning)

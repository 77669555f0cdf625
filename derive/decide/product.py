"""Products and powers that SymPy is not asked about.

SymPy would find out whether exponents can be zero and parts of sums infinite, for as long as a
proof takes. What is made here is what it makes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cmp_to_key

from sympy import Basic, Expr, Max, Min, Mul, Pow, S, exp, log

from .symbols import symbols_of

#: Of exponents; with 54^(a/b) SymPy would write out 2^a 3^(3a - b), which may take all memory.
LONGEST = 1000


def times(*factors: Expr) -> Expr:
    """A product; SymPy makes it where exponents that are no integers meet, or a number a sum."""
    number = S.One
    powers: dict[Expr, Expr] = {}
    made: dict[Expr, Expr] = {}
    for part in (a for f in factors for a in Mul.make_args(f)):
        if part.is_Rational:
            number *= part
            continue
        base, e = (S.Exp1, part.args[0]) if isinstance(part, exp) else part.as_base_exp()
        if base in powers and not (e.is_Integer and powers[base].is_Integer and base != S.Exp1):
            return Mul(*factors)
        made[base] = Pow(base, powers[base] + e, evaluate=False) if base in powers else part
        powers[base] = powers.get(base, S.Zero) + e
    if number is S.Zero or any(base.is_number for base in powers.keys() - {S.Exp1}):
        return Mul(*factors)
    parts = [base if e == 1 else made[base] for base, e in powers.items() if e != 0]
    if number is not S.One and len(parts) == 1 and parts[0].is_Add:
        return number * parts[0]
    parts.sort(key=_IN_A_PRODUCT)
    return Mul._from_args(parts if number is S.One else [number, *parts])


def power(base: Expr, exponent: Expr) -> Expr:
    """A power of a sum, or of a number to a long fraction; SymPy makes all others."""
    if base.is_Rational and exponent.is_Rational and exponent.q > LONGEST:
        return Pow(base, exponent, evaluate=base in (0, 1))
    plain = base.is_Add and exponent.is_Integer and not _INFINITE & set(base.args)
    return Pow(base, exponent, evaluate=not plain or not symbols_of(base) or exponent in (0, 1))


def over(one: Expr, other: Expr) -> Expr:
    """A quotient."""
    return times(one, power(other, S.NegativeOne))


def exponential(exponent: Expr) -> Expr:
    """An exponential, of logarithms and numbers as SymPy makes it."""
    plain = symbols_of(exponent) and not exponent.has(log, S.ImaginaryUnit, *_INFINITE)
    return exp(exponent, evaluate=not plain)


def extreme(kind: type[Max] | type[Min], *args: Expr) -> Expr:
    """A maximum or minimum, left as it is where SymPy has too few digits to compare numbers."""
    try:
        return kind(*args)
    except ValueError:
        if not all(a.is_extended_real for a in args):
            raise
        return kind(*args, evaluate=False)


def again(e: Expr, args: Sequence[Expr]) -> Expr:
    """An expression with other arguments."""
    if isinstance(e, (Max, Min)):
        return extreme(e.func, *args)
    own = exponential if isinstance(e, exp) else e.func
    found: Expr = (times if e.is_Mul else power if e.is_Pow else own)(*args)
    return found


def replaced(e: Expr, values: Mapping[Expr, Expr]) -> Expr:
    """As ``e.xreplace(values)``."""
    if e in values:
        return values[e]
    args = [replaced(a, values) for a in e.args]
    same = all(new is old for new, old in zip(args, e.args, strict=True))
    return e if same else again(e, args)


_INFINITE = {S.Infinity, S.NegativeInfinity, S.ComplexInfinity}
_IN_A_PRODUCT = cmp_to_key(Basic.compare)

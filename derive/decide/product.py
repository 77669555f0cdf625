"""Products that SymPy is not asked about."""

from __future__ import annotations

from functools import cmp_to_key

from sympy import Basic, Expr, Mul, S, exp


def times(one: Expr, other: Expr) -> Expr:
    """A product as SymPy writes it, where no two factors have the same base.

    SymPy is not asked, who would find out whether exponents can be zero, for as long as a proof
    takes.
    """
    if one == 1 or other == 1:
        return one * other
    parts = [*Mul.make_args(one), *Mul.make_args(other)]
    bases = {S.Exp1 if isinstance(a, exp) else a.base if a.is_Pow else a for a in parts}
    numbers = sum(base.is_number for base in bases)  # that of an exponential is one
    plain = numbers == 0 or (numbers == 1 and (len(parts) > 2 or S.Exp1 in bases))
    if len(bases) < len(parts) or not plain or 0 in bases:
        return one * other
    return Mul._from_args(sorted(parts, key=_IN_A_PRODUCT))


_IN_A_PRODUCT = cmp_to_key(Basic.compare)

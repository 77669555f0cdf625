"""Bring expressions into the form a reader expects, without changing their value."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from sympy import Expr, Integer, Lambda, Mul, Pow, S, Symbol, exp, log

from .calculus import derivative
from .normal import ExpField, NotInField
from .product import again, exponential, over, replaced, times
from .ratio import Ratio
from .symbols import symbols_of

#: Exponents without a common measure make polynomials of high degree, which are not cancelled: this
#: is the most that degree times number of terms may be.
LARGEST = 20_000


@lru_cache(maxsize=2048)
def tidy(expression: Expr) -> Expr:
    """Cancelled, with numerator and denominator factored over Q; as it is if that fails."""
    if not symbols_of(expression):
        return expression
    try:
        field = ExpField([expression])
        ratio = field.ratio(expression)
    except NotInField:
        return expression
    return expression if _is_large(ratio) else field.factored(ratio.cancelled())


def as_count(expression: Expr) -> Expr:
    """The same without a minus sign in front, which is moved into a sum: ``p*(B - K - 1)``."""
    found = tidy(expression)
    sums = [e for e in Mul.make_args(found) if e.is_Add]
    if not found.is_Mul or not sums or not found.could_extract_minus_sign():
        return found
    return Mul(-found / sums[-1], -sums[-1])


def _is_large(ratio: Ratio) -> bool:
    return max(ratio.numer.degrees(), default=0) * len(ratio.numer) > LARGEST


def affine(expression: Expr, x: Symbol) -> Expr:
    """``c0 + c1 x`` with both coefficients factored; the factored whole if it is not affine."""
    if x not in expression.free_symbols:
        return tidy(expression)
    slope, start = tidy(derivative(expression, x)), replaced(expression, {x: S.Zero})
    if x in slope.free_symbols or start.has(S.NaN, S.ComplexInfinity):
        return tidy(expression)
    return tidy(start) + slope * x


def put_in(expression: Expr, values: Mapping[Symbol, Expr]) -> Expr:
    """Put values in; logarithms that keep symbols are not simplified, which takes long."""
    if isinstance(expression, log):
        inside = put_in(expression.args[0], values)
        return log(inside, evaluate=not inside.free_symbols)
    if not expression.has(log, Pow, exp) or expression.has(Lambda):  # a bound name stays as it is
        return expression.xreplace(values)
    args = [put_in(a, values) for a in expression.args]
    if all(new is old for new, old in zip(args, expression.args, strict=True)):
        return expression
    return again(expression, args)


def solve_linear(expression: Expr, x: Symbol) -> Expr:
    """Zero of an expression that is affine in ``x``."""
    return -expression.xreplace({x: S.Zero}) / derivative(expression, x)


def collected(expression: Expr, x: Symbol) -> Expr:
    """A sum of exponentials with factored coefficients, exponents affine in ``x``.

    Falls back to the factored form when exponentials are left in the denominator, and to the
    expression itself when it has no normal form, or one that is too large.
    """
    try:
        field = ExpField([expression])
        ratio = field.ratio(expression)
    except NotInField:
        return expression
    if _is_large(ratio):
        return expression
    element = ratio.cancelled()
    below = field.by_atoms(element.denom)
    if len(below) != 1:
        whole = field.factored(element)
        return whole.xreplace({e: exp(affine(e.args[0], x)) for e in whole.atoms(exp)})
    ((shift, plain),) = below.items()
    atoms = [s for s in element.numer.ring.symbols if s in field.atoms]
    total = S.Zero
    groups = field.by_atoms(element.numer)
    for key in sorted(groups):
        exponent, factor = S.Zero, S.One
        for atom, above, under in zip(atoms, key, shift, strict=True):
            if above == under:
                continue
            if atom in field.exponents:
                exponent += times(Integer(above - under), field.exponents[atom])
            else:
                factor = times(factor, field.atoms[atom] ** (above - under))
        if exponent != 0:
            factor = times(factor, exponential(affine(exponent, x)))
        total += times(tidy(over(groups[key].as_expr(), plain.as_expr())), factor)
    return total

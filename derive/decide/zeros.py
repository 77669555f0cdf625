"""All zeros of a function of one variable on an interval, exactly: where two sides cross.

The function is a polynomial in one thing that varies (the variable, an exponential, a
logarithm or a root), whose values are found and then undone; or it is proved to keep its sign.
"""

from __future__ import annotations

from typing import Any

from sympy import Dummy, Expr, Poly, Rational, S, Symbol, exp, log, sqrt
from sympy.polys.polyerrors import PolynomialError

from .calculus import derivative
from .evidence import Holds
from .interval import NoSign, in_order, non_negative, order, sign
from .normal import ExpField, NotInField
from .present import tidy

#: How far into an interval one looks at a sign to know which is to be proved.
SHARES = (Rational(1, 2), Rational(1, 3), Rational(4, 5))


class NotSolved(ValueError):
    """The zeros have no closed form that is found here."""


def zeros(function: Expr, x: Symbol, a: Expr, b: Expr) -> list[Expr]:
    """Points inside (a, b), in order, between which a function does not change sign.

    All zeros are among them, but for those where it only touches zero.

    Raises
    ------
    NotSolved
        If they are not found; one line.
    """
    found = _exact(function, x, a, b)
    if found is None:
        sign_between(function, x, a, b)  # or it is not proved that there are none
    return found or []


def _exact(function: Expr, x: Symbol, a: Expr, b: Expr) -> list[Expr] | None:
    """The zeros in closed form; None where they have none that is found."""
    try:
        try:
            found = _solutions(function, x)
        except NotInField:  # an exponent with a number that the normal form does not know
            found = _solutions(function, x, name_numbers=True)
        return in_order({v for v in found if order(a, v) < 0 and order(v, b) < 0})
    except (NotSolved, NotInField, PolynomialError):
        return None


def _solutions(function: Expr, x: Symbol, *, name_numbers: bool = False) -> set[Expr]:
    numbers: dict[Expr, Expr] = {}
    named = _named(function, numbers) if name_numbers else function
    back_to = {name: number for number, name in numbers.items()}
    field = ExpField([named])
    numer = _without_exponentials(field.ratio(named).numer, field)
    moving = [y for y, meaning in field.atoms.items() if x in meaning.free_symbols]
    moving = [y for y in moving if numer.degree(numer.ring.symbols.index(y)) > 0]
    plain = x in numer.ring.symbols and numer.degree(numer.ring.symbols.index(x)) > 0
    still = {y: m for y, m in field.atoms.items() if y not in moving}
    whole = numer.as_expr().xreplace(still).xreplace(back_to)
    if not moving:
        return _values(whole, x)
    if len(moving) > 1:
        raise NotSolved("several parts vary at once")
    (y,) = moving
    meaning = field.atoms[y].xreplace(back_to)
    if not plain:
        found = (_undone(meaning, value) for value in _values(whole, y))
        inner = (e for e in found if e is not None)
        return set().union(*(_solutions(e, x, name_numbers=name_numbers) for e in inner))
    if not meaning.is_Pow or x in derivative(meaning.base, x).free_symbols:
        raise NotSolved("the variable occurs inside and outside of a function")
    back = (y**meaning.exp.q - meaning.base.xreplace({x: S.Zero})) / derivative(meaning.base, x)
    values = _values(whole.xreplace({x: back}).expand(), y)
    return {back.xreplace({y: v}).expand() for v in values if sign(v) >= 0}


def _without_exponentials(numer: Any, field: ExpField) -> Any:
    """The same without the exponentials that every term has: they never vanish."""
    if not numer:
        return numer
    common = tuple(
        numer.lowest(i) if y in field.exponents else 0 for i, y in enumerate(numer.ring.symbols)
    )
    return numer.over(numer.ring.from_dict({common: 1}))


def _named(e: Expr, numbers: dict[Expr, Expr]) -> Expr:
    """The same with a name for every number in it that is not rational."""
    if e.is_Rational or e.is_Symbol:
        return e
    if e.is_number:
        return numbers.setdefault(e, Dummy("number", real=True))
    return e.func(*(_named(a, numbers) for a in e.args))


def _undone(meaning: Expr, value: Expr) -> Expr | None:
    """What vanishes where an exponential, a logarithm or a root has a value."""
    if isinstance(meaning, log):
        return meaning.args[0] - exp(value)
    if isinstance(meaning, exp):
        return meaning.args[0] - log(value) if sign(value) > 0 else None
    return meaning.base - value**meaning.exp.q if sign(value) >= 0 else None


def _values(polynomial: Expr, y: Symbol) -> set[Expr]:
    """Real roots of a polynomial, as far as square roots and pure powers go."""
    poly = Poly(polynomial, y)
    if poly.is_zero:
        return set()
    rational = all(c.is_Rational for c in poly.all_coeffs())
    found: set[Expr] = set()
    for factor, _ in poly.factor_list()[1] if rational else [(poly, 1)]:
        found |= _of_factor(factor)
    return found


def _of_factor(factor: Poly) -> set[Expr]:
    degree = factor.degree()
    if degree == 0:
        return set()
    if degree == 1:
        slope, offset = factor.all_coeffs()
        return {-offset / slope}
    if degree == 2:
        a, b, c = factor.all_coeffs()
        inside = (b**2 - 4 * a * c).expand()
        if sign(inside) < 0:
            return set()
        return {(-b + side * sqrt(inside)) / (2 * a) for side in (1, -1)}
    y, (leading, second) = factor.gen, factor.all_coeffs()[:2]
    shift = -second / (degree * leading)
    power = factor.compose(Poly(y + shift, y))
    if len(power.terms()) == 2 and power.TC() != 0:
        return {shift + root for root in _roots(-power.TC() / leading, degree)}
    if all(c.is_Rational for c in factor.all_coeffs()) and factor.count_roots() == 0:
        return set()
    raise NotSolved("a polynomial of degree three or more")


def _roots(value: Expr, degree: int) -> set[Expr]:
    """All real numbers whose power of this degree is a value that is not zero."""
    side = sign(value)
    if degree % 2:
        return {side * (side * value) ** Rational(1, degree)}
    return {s * value ** Rational(1, degree) for s in (1, -1)} if side > 0 else set()


def sign_between(function: Expr, x: Symbol, a: Expr, b: Expr) -> int:
    """1 or -1 as a function is proved to be >= 0 or <= 0 on all of (a, b); 0 if it vanishes.

    Raises
    ------
    NotSolved
        If neither is proved. The sign at one point, which may be a zero, says nothing.
    """
    for share in SHARES:
        inside = function.xreplace({x: a + (b - a) * share})
        try:
            side = sign(inside)
        except NoSign:
            continue
        if side and isinstance(non_negative(side * function, x, a, b), Holds):
            return side
        if side:
            raise NotSolved("it has no closed form that is found here")
    if tidy(function) == 0:
        return 0
    raise NotSolved("it has no closed form that is found here")

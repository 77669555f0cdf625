"""Thresholds: the first-order condition at a point of a segment, solved for a parameter."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

from sympy import Expr, S, Symbol, exp, log, sqrt
from sympy.polys.fields import FracElement
from sympy.polys.rings import PolyElement

from .calculus import derivative
from .decide import is_proved_positive, positive, proof_of_positive, zero
from .derivation import Derivation
from .domain import Domain
from .evidence import Outcome
from .normal import ExpField, factor_list, in_order
from .present import tidy
from .relations import eq, gt, lt


class NoClosedForm(ValueError):
    """The condition cannot be solved for this parameter in closed form."""


@dataclass(frozen=True, eq=False)
class Threshold:
    """``parameter > value`` (or ``<``) is equivalent to "the slope there is negative"."""

    parameter: Symbol
    value: Expr
    side: Literal[">", "<"]


def threshold(
    condition: Expr, parameter: Symbol, domain: Domain, proof: Derivation, *, meaning: str
) -> Threshold:
    """Solve the condition for a parameter, and prove on which side it is negative.

    ``domain`` is where the solution is meant; ``meaning`` says in words what a negative
    slope at the point brings about.
    """
    factor = essential(condition, parameter, domain)
    value = solve(factor, parameter, domain)
    rate, rises, outcome = _rate(factor, parameter, domain)
    proof.add(
        f"The condition {'rises' if rises else 'falls'} with {parameter}",
        (gt if rises else lt)(tidy(rate), 0),
        "so it changes sign once (factors of one sign are left out)",
        outcome,
    )
    side: Literal[">", "<"] = "<" if rises else ">"
    proof.add(
        f"{meaning} iff {parameter} {side} the value at which the slope vanishes",
        eq(parameter, value),
        f"the slope is a polynomial in {parameter} or in an exponential of it; put back, it "
        "vanishes",
        zero(_split_exponents(condition, parameter).xreplace({parameter: value}), domain),
    )
    return Threshold(parameter, value, side)


def essential(condition: Expr, parameter: Symbol, domain: Domain) -> Expr:
    """The one factor of a condition that gives it its sign as the parameter varies.

    All other factors, above and below, are proved to have one sign on the domain.

    Raises
    ------
    NoClosedForm
        If several factors may change sign.
    """
    split = _split_exponents(condition, parameter)
    field = ExpField([split])
    ratio = field.ratio(split)
    related = [y for y, e in field.exponents.items() if parameter in e.free_symbols]
    if parameter in ratio.numer.ring.symbols:
        related.append(parameter)
    degrees = [ratio.numer.degree(_index(ratio.numer, y)) for y in related]
    if sum(max(d, 0) for d in degrees) == 1:  # linear: factors of one sign do no harm
        content, factors = 1, [(ratio.numer, 1)]
    else:
        content, factors = factor_list(ratio.numer)
    sign = 1 if content > 0 else -1
    parts = [(field.back(f), power) for f, power in (*factors, *ratio.denom.items())]
    varying = [e for e, _ in parts if parameter in e.free_symbols]
    left = []
    for expression, power in parts:
        if varying == [expression]:  # nothing else can carry the change of sign
            left.append(expression)
            continue
        fixed = [s for s in (1, -1) if is_proved_positive(s * expression, domain)]
        if fixed:
            sign *= fixed[0] ** power
        else:
            left.append(expression)
    if len(left) != 1 or parameter not in left[0].free_symbols:
        raise NoClosedForm(f"{len(left)} factors of the condition may change sign")
    return sign * left[0]


def concave_form(factor: Expr, parameter: Symbol, domain: Domain, proof: Derivation) -> Expr:
    """Divide a sum of exponentials by one of them so that it is concave in the parameter.

    It is then >= 0 on an interval, whose ends are bracketed by its largest value.

    Raises
    ------
    NoClosedForm
        If none of the quotients is proved concave.
    """
    ys = in_order(e for e in factor.atoms(exp) if parameter in e.free_symbols)
    for divisor in (S.One, *ys):
        candidate = (factor / divisor).expand()
        bend = derivative(derivative(candidate, parameter), parameter)
        if is_proved_positive(-bend, domain):
            proof.add(
                f"Up to a positive factor the condition is concave in {parameter}",
                lt(bend, 0),
                "so it is >= 0 on one interval of it, which may be empty",
                positive(-bend, domain),
            )
            return candidate
    raise NoClosedForm(f"the condition is not known to be concave in {parameter}")


def solve(factor: Expr, parameter: Symbol, domain: Domain) -> Expr:
    """Solve ``factor = 0``, with ``factor`` from :func:`essential`.

    It must be linear or quadratic in the parameter or in one exponential of it; of a
    quadratic whose roots have opposite signs the positive one is meant.

    Raises
    ------
    NoClosedForm
        If the parameter enters in another way.
    """
    field = ExpField([factor])
    poly = field.ratio(factor).numer
    inside = [y for y, e in field.exponents.items() if parameter in e.free_symbols]
    if not inside:
        return _root(field, poly, parameter, domain)
    if parameter in poly.ring.symbols and poly.degree(_index(poly, parameter)) > 0:
        raise NoClosedForm(f"{parameter} is both inside and outside an exponential")
    if len(inside) != 1:
        raise NoClosedForm(f"{parameter} is in {len(inside)} independent exponentials")
    (y,) = inside
    level = _root(field, poly, y, domain)
    # exp(E) = level, and E is a ratio of polynomials in the parameter. The logarithm that
    # is positive for the larger number is the one to show.
    falls = is_proved_positive(-field.exponents[y], domain)
    target = Symbol("_level", real=True)
    equation = field.exponents[y] + (target if falls else -target)
    inner = ExpField([equation])
    linear = inner.ratio(equation).numer
    root = _linear_root(linear, parameter)
    value = log(tidy(1 / level) if falls else level, evaluate=False)
    return tidy(inner.back(root)).xreplace({target: value})


def _rate(factor: Expr, parameter: Symbol, domain: Domain) -> tuple[Expr, bool, Outcome]:
    """A derivative of one sign, whether it is positive, and the proof.

    A quadratic a y^2 + b y - c need not be monotone in y = exp(E), but over y it is.
    """
    ys = in_order(e for e in factor.atoms(exp) if parameter in e.free_symbols)
    for form in chain((factor,), ((factor / y).expand() for y in ys)):
        rate = derivative(form, parameter)
        for rises in (True, False):
            outcome = proof_of_positive(rate if rises else -rate, domain)
            if outcome is not None:
                return rate, rises, outcome
    raise NoClosedForm(f"the condition is not known to be monotone in {parameter}")


def _split_exponents(condition: Expr, parameter: Symbol) -> Expr:
    """Write exp(A + k q) as exp(A) exp(k q), so that q is in as few exponentials as can be."""
    rules = {}
    for e in condition.atoms(exp):
        exponent = e.args[0]
        if parameter not in exponent.free_symbols:
            continue
        slope = derivative(exponent, parameter)
        if parameter in slope.free_symbols:
            continue
        rest = exponent.xreplace({parameter: S.Zero})
        if rest != 0:
            rules[e] = exp(tidy(rest)) * exp(tidy(slope) * parameter)
    return condition.xreplace(rules)


def _index(poly: PolyElement, symbol: Symbol) -> int:
    return list(poly.ring.symbols).index(symbol)


def _root(field: ExpField, poly: PolyElement, y: Symbol, domain: Domain) -> Expr:
    """Root of a polynomial that is linear or quadratic in one generator."""
    degree = poly.degree(_index(poly, y))
    if degree == 1:
        return tidy(field.back(_linear_root(poly, y)))
    if degree != 2:
        raise NoClosedForm(f"the condition has degree {degree} in {y}")
    c0, c1, c2 = (field.back(part) for part in _coefficients(poly, y, 2))
    for sign in (1, -1):
        ends = (sign * c2, -sign * c0)
        if all(is_proved_positive(end, domain) for end in ends):
            c0, c1, c2 = sign * c0, sign * c1, sign * c2
            return tidy(-c1 / (2 * c2)) + sqrt(tidy(c1**2 - 4 * c2 * c0)) / tidy(2 * c2)
    raise NoClosedForm("a quadratic whose roots are not known to be of opposite sign")


def _linear_root(poly: PolyElement, y: Symbol) -> FracElement:
    """-c0/c1 for a polynomial c0 + c1 * generator."""
    c0, c1 = _coefficients(poly, y, 1)
    if not c1:
        raise NoClosedForm(f"the condition does not depend on {y}")
    return poly.ring.to_field().new(-c0, c1)


def _coefficients(poly: PolyElement, y: Symbol, degree: int) -> list[PolyElement]:
    index = _index(poly, y)
    parts: list[dict[Any, Any]] = [{} for _ in range(degree + 1)]
    for monom, k in poly.terms():
        if monom[index] > degree:
            raise NoClosedForm(f"the condition has degree {monom[index]} in {y}")
        parts[monom[index]][tuple(0 if i == index else d for i, d in enumerate(monom))] = k
    return [poly.ring.from_dict(part) for part in parts]

"""Thresholds: the first-order condition at a point of a segment, solved for a parameter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from sympy import Expr, Symbol, log
from sympy.polys.fields import FracElement
from sympy.polys.rings import PolyElement

from .calculus import derivative
from .decide import positive, zero
from .derivation import Derivation
from .domain import Domain
from .evidence import Holds
from .normal import ExpField
from .present import tidy
from .relations import eq, gt, lt


class NoClosedForm(ValueError):
    """The condition cannot be solved for this parameter in closed form."""


@dataclass(frozen=True)
class Threshold:
    """``parameter > value`` (or ``<``) is equivalent to "the slope there is negative"."""

    parameter: Symbol
    value: Expr
    side: Literal[">", "<"]


def solve_condition(condition: Expr, parameter: Symbol) -> Expr:
    """Solve ``condition = 0`` for a parameter that enters linearly, or through one exponential.

    Raises
    ------
    NoClosedForm
        If the parameter enters in another way.
    """
    field = ExpField([condition])
    numer = field.ratio(condition).numer
    inside = [y for y, e in field.exponents.items() if parameter in e.free_symbols]
    ring = numer.ring
    names = list(ring.symbols)
    if not inside:
        return tidy(field.back(_linear_root(numer, names.index(parameter), parameter)))
    if parameter in names and any(monom[names.index(parameter)] for monom in numer.monoms()):
        raise NoClosedForm(f"{parameter} is both inside and outside an exponential")
    if len(inside) != 1:
        raise NoClosedForm(f"{parameter} is in {len(inside)} independent exponentials")
    (y,) = inside
    level = tidy(field.back(_linear_root(numer, names.index(y), y)))
    # exp(E) = level; E = -log(1/level), and E is a ratio of polynomials in the parameter.
    target = Symbol("_level", real=True)
    equation = field.exponents[y] + target
    inner = ExpField([equation])
    poly = inner.ratio(equation).numer
    root = _linear_root(poly, list(poly.ring.symbols).index(parameter), parameter)
    return tidy(inner.back(root)).xreplace({target: log(tidy(1 / level), evaluate=False)})


def threshold(
    condition: Expr, parameter: Symbol, domain: Domain, proof: Derivation, *, meaning: str
) -> Threshold:
    """Solve the condition for a parameter, and prove on which side it is negative.

    ``domain`` is where the solution is meant; ``meaning`` says in words what a negative
    slope at the point brings about.
    """
    value = solve_condition(condition, parameter)
    rate = derivative(condition, parameter)
    outcome = positive(rate, domain)
    rises = isinstance(outcome, Holds)
    proof.add(
        f"The condition {'rises' if rises else 'falls'} with {parameter}",
        (gt if rises else lt)(tidy(rate), 0),
        "so it changes sign once",
        outcome if rises else positive(-rate, domain),
    )
    side: Literal[">", "<"] = "<" if rises else ">"
    proof.add(
        f"{meaning} iff {parameter} {side} the value at which the slope vanishes",
        eq(parameter, value),
        f"the slope is linear in {parameter} or in an exponential of it; put back, it vanishes",
        zero(condition.xreplace({parameter: value}), domain),
    )
    return Threshold(parameter, value, side)


def _linear_root(poly: PolyElement, index: int, name: Symbol) -> FracElement:
    """-c0/c1 for a polynomial c0 + c1 * generator."""
    constant: dict[Any, Any] = {}
    linear: dict[Any, Any] = {}
    for monom, c in poly.terms():
        if monom[index] > 1:
            raise NoClosedForm(f"the condition is not linear in {name}")
        rest = tuple(0 if i == index else k for i, k in enumerate(monom))
        (linear if monom[index] else constant)[rest] = c
    if not linear:
        raise NoClosedForm(f"the condition does not depend on {name}")
    ring = poly.ring
    field = ring.to_field()
    return field.new(-ring.from_dict(constant), ring.from_dict(linear))

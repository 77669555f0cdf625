"""Maxima and case distinctions of which it is decided far out which side they take."""

from __future__ import annotations

from sympy import And, Expr, Max, Min, Piecewise, Symbol, ordered
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from ..domain import Domain
from ..root import ClampedRoot
from .growth import Growth
from .signs import NoLimit, Signs, neat

_CASES = (Piecewise, Max, Min)
_PARTS = (ClampedRoot, *_CASES)


def with_cases_decided(e: Expr, x: Symbol, domain: Domain) -> Expr:
    """Without case distinctions and maxima that are decided from some ``x`` on.

    Raises
    ------
    NoLimit
        If a case distinction is not.
    """
    if x not in e.free_symbols or isinstance(e, ClampedRoot) or not e.args:
        return e
    if isinstance(e, Piecewise):
        return with_cases_decided(_case(e, x, domain), x, domain)
    if e.has(*_CASES):
        e = e.func(*(with_cases_decided(a, x, domain) for a in e.args))
    return _winner(e, x, domain) if isinstance(e, (Max, Min)) else e


def _sign(e: Expr, x: Symbol, domain: Domain) -> int:
    e = with_cases_decided(e, x, domain)
    if e.has(ClampedRoot):
        raise NoLimit("a comparison depends on a root")
    if e.has(*_CASES):
        raise NoLimit("which of several values is the least or the largest is not known")
    return Growth(x, Signs(domain)).sign(neat(e))


def _case(e: Piecewise, x: Symbol, domain: Domain) -> Expr:
    for value, condition in e.args:
        if condition == True:  # noqa: E712
            return value
        if _holds(condition, x, domain):
            return value
    raise NoLimit("no case applies far out")


def _holds(condition: Boolean, x: Symbol, domain: Domain) -> bool:
    """Whether a comparison, or all of several, holds from some ``x`` on."""
    if isinstance(condition, And):
        return all(_holds(k, x, domain) for k in ordered(condition.args))
    if not isinstance(condition, Relational):
        raise NoLimit(f"the case {condition} is not decided far out")
    sign = _sign(condition.lhs - condition.rhs, x, domain)
    return bool(condition.func(sign, 0))


def _winner(e: Expr, x: Symbol, domain: Domain) -> Expr:
    best, *rest = e.args
    try:
        for a in rest:
            sign = _sign(a - best, x, domain)
            best = a if (sign > 0) is isinstance(e, Max) and sign else best
    except NoLimit:
        return e  # it is continuous: the limits of its arguments will do
    return best

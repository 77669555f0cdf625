"""Lay a formula out for reading: the shortest of its forms, proved equal to it.

Whatever :mod:`.forms` comes up with is compared with what was derived, on its domain and
exactly; if that is not proved, the formula is shown as it was derived, in order. Numbers that
were put in are simplified on the way, since every form is made from polynomials.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import lru_cache

from sympy import Basic, Expr, Float, Indexed, Lambda, Piecewise, S, Symbol, oo

from ...decide.coefficients import closure
from ...decide.domain import Domain, Range
from ...decide.equal import is_proved_equal
from .arrange import looked_at
from .forms import as_derived, ordered
from .tree import Node, Other

Ranges = tuple[tuple[Symbol, Range], ...]
Witness = tuple[tuple[Symbol, Expr], ...]
Point = tuple[tuple[str, float], ...]

TRIED = 6  #: forms of which equality is tried to be proved, the shortest first


def layout(expression: Basic, domain: Domain | None = None) -> Node:
    """The form in which an expression is read most easily; its parts if it is no formula.

    Parameters
    ----------
    domain
        Where the two forms are proved equal; without one, for all values of the symbols.
    """
    if expression.is_Atom:
        return as_derived(expression)
    if domain is None:
        return _layout(expression, (), (), ())
    ranges = tuple(domain.ranges.items())
    point = _typical(ranges)
    # What else there is in the domain is left out, so that what is known of a formula is found.
    domain = domain.restricted(closure(expression.free_symbols, domain))
    own = tuple(domain.ranges.items())
    values = tuple((s.name, point[s.name]) for s in domain.ranges if s.name in point)
    return _layout(expression, own, tuple(domain.witness.items()), values)


@lru_cache(maxsize=4096)
def _layout(expression: Basic, ranges: Ranges, witness: Witness, point: Point) -> Node:
    domain = Domain(dict(ranges), dict(witness))
    if not isinstance(expression, Expr) or isinstance(expression, Piecewise):
        with looked_at(dict(point)):
            found = {part: _formula(part, domain) for part in _formulas(expression)}
        return Other(expression, tuple(found.items()))
    with looked_at(dict(point)):
        return _formula(expression, domain)


def _formula(expression: Expr, domain: Domain) -> Node:
    for node in ordered(expression)[:TRIED]:
        if is_same(node, expression, domain):
            return node
    return as_derived(expression)


def throughout(expression: Basic, domain: Domain | None = None) -> Node:
    """The same, with what is in means, sums over indices and case distinctions laid out too."""

    def within(node: Node) -> Node:
        if isinstance(node, Other) and not node.parts and not isinstance(node.value, Indexed):
            parts = {part: throughout(part, domain) for part in _formulas(node.value)}
            return Other(node.value, tuple(parts.items()))
        return node.rebuilt(within)

    return within(layout(expression, domain))


def is_same(node: Node, expression: Expr, domain: Domain) -> bool:
    """Whether a form is proved equal to an expression wherever that has a value."""
    meaning = node.meaning
    if not isinstance(meaning, Expr):
        return False
    if meaning == expression:
        return True
    missing = (meaning.free_symbols | expression.free_symbols) - set(domain.ranges)
    for s in sorted(missing, key=str):
        domain = domain.with_range(s, *_told_of(s))
    return is_proved_equal(meaning, expression, domain)


def _told_of(s: Symbol) -> tuple[Range, Expr]:
    """What SymPy is told of a symbol without a range, and a value."""
    whole = bool(s.is_integer)
    if s.is_nonnegative:
        least = S.One if whole and s.is_positive else S.Zero
        return Range(least, oo, bool(s.is_positive) and not whole, True, whole), S.One
    if s.is_nonpositive:
        return Range(-oo, S.Zero, True, bool(s.is_negative), whole), -S.One
    return Range(-oo, oo, True, True, whole), S.One


def _formulas(expression: Basic) -> Iterator[Expr]:
    for part in expression.args:
        if isinstance(part, Expr) and not isinstance(part, (Lambda, Piecewise)):
            if not part.is_Atom:
                yield part
        else:
            yield from _formulas(part)


def typical(domain: Domain) -> Mapping[str, float]:
    """A point with nothing special about it, at which signs of factors are looked up."""
    return _typical(tuple(domain.ranges.items()))


@lru_cache(maxsize=256)
def _typical(ranges: Ranges) -> Mapping[str, float]:
    found: dict[str, float] = {}
    put: dict[Symbol, Expr] = {}
    for k, (s, r) in enumerate(ranges):
        low, high = (end.xreplace(put) for end in (r.low, r.high))
        try:
            a, b = float(low), float(high)
        except TypeError:
            continue
        if math.isinf(a):
            value = 0.3 if math.isinf(b) else b - 1
        elif math.isinf(b):
            value = a + (5 + 2 * k if r.integer else 1.37)
        else:
            value = a + 0.71 * (b - a)
        value = float(round(value)) if r.integer else value
        found[s.name] = value
        put[s] = Float(value)
    return found

"""What is zero, or has a sign, laid out: a positive factor may be left out of it."""

from __future__ import annotations

from functools import lru_cache

from sympy import Expr, Symbol, oo

from ...decide.decide import is_proved_positive
from ...decide.domain import Domain, Range
from ...decide.normal import ExpField, NotInField, factor_list
from ...decide.root import ClampedRoot
from .arrange import looked_at
from .forms import best, over_exponential
from .layout import Ranges, Witness, layout, typical
from .tree import Node

LARGEST = 24  #: terms of a numerator that is looked at


def equation(root: ClampedRoot, h: Expr, name: Symbol, domain: Domain) -> Node:
    """What changes sign from below at a root, in terms of its name, up to a positive factor.

    Parameters
    ----------
    h
        The function of the root, its variable called by the name.
    domain
        Of the parameters.
    """
    if root.low.free_symbols | root.high.free_symbols <= set(domain.ranges):
        low = domain.witness_of(root.low)
        middle = low + 1 if root.high is oo else (low + domain.witness_of(root.high)) / 2
        domain = domain.with_range(name, Range(root.low, root.high, True, True), middle)
    return sign_of(h, domain)


def sign_of(h: Expr, domain: Domain) -> Node:
    """What has the sign of an expression everywhere on a domain, and is short."""
    return _sign_of(h, tuple(domain.ranges.items()), tuple(domain.witness.items()))


@lru_cache(maxsize=512)
def _sign_of(h: Expr, ranges: Ranges, witness: Witness) -> Node:
    domain = Domain(dict(ranges), dict(witness))
    plain = layout(h, domain)
    with looked_at(typical(domain)):
        shorter = sorted(
            ((best(e), e) for e in _multiples(h, domain)), key=lambda pair: pair[0].cost
        )
    for node, e in shorter:
        if node.cost < plain.cost and has_same_sign(node.meaning, h, domain):
            return layout(e, domain)
    return plain


def has_same_sign(one: Expr, other: Expr, domain: Domain) -> bool:
    """Whether it is proved that two expressions differ by a positive factor."""
    try:
        ring = ExpField([one, other])
        quotient = ring.factored(ring(one) / ring(other))
    except (NotInField, ZeroDivisionError):
        return False
    return is_proved_positive(quotient, domain)


def _multiples(h: Expr, domain: Domain) -> list[Expr]:
    """The numerator without its positive factors, divided by the exponential of each term."""
    try:
        ring = ExpField([h])
        element = ring(h)
    except (NotInField, ZeroDivisionError):
        return []
    if len(element.numer) > LARGEST:
        return []
    content, factors = factor_list(element.numer)
    rest = element.numer.ring.number(1 if content > 0 else -1)
    for factor, k in factors:
        e = ring.back(factor)
        if is_proved_positive(e, domain):
            continue
        if is_proved_positive(-e, domain):
            rest = -rest if k % 2 else rest
            continue
        rest = rest * factor ** (k if k % 2 else 2)
    gens = list(rest.ring.symbols)
    places = [(gens.index(y), exponent) for y, exponent in ring.exponents.items()]
    keys = sorted({tuple(m[i] for i, _ in places) for m in rest.monoms()})
    whole = ring.back(rest)
    found = []
    for key in keys:
        exponent = sum((k * E for k, (_, E) in zip(key, places, strict=True)), start=0 * h)
        found.append(over_exponential(whole, exponent))
    return found

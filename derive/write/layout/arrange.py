"""The order in which terms and factors are written, and where a sign goes.

Sizes come first in a sum, by falling degree, then parameters by rising degree, then functions:
``m n - 1 - alpha (m - 1) n``, ``1 - delta^2``, ``m - 1 + e^..``; a positive term leads, if there
is one. In a product coefficients such as alpha come before sizes, temperatures after them, and
exponentials last: ``alpha n (m - 1)``, ``n (m - 1) tau``, ``(N - 2) e^..``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from sympy import Integer, Rational, Symbol

from .tree import ONE, ZERO, Node, Number, Power, Product, Sum

Signed = tuple[bool, Node]

#: A point at which the signs of factors are looked up: (m - 1), but (1 - alpha). That is taste.
_LOOKED_AT: ContextVar[Mapping[str, float] | None] = ContextVar("point", default=None)


@contextmanager
def looked_at(point: Mapping[str, float]) -> Iterator[None]:
    """Factors are written so that they are positive at this point."""
    token = _LOOKED_AT.set(point)
    try:
        yield
    finally:
        _LOOKED_AT.reset(token)


def where(symbols: Iterable[Symbol]) -> frozenset[tuple[str, float | None]]:
    """The point that factors are looked at, as far as some symbols go."""
    point = _LOOKED_AT.get() or {}
    return frozenset((s.name, point.get(s.name)) for s in symbols)


# --- order -----------------------------------------------------------------------------------
def _factor_key(node: Node) -> tuple[object, ...]:
    compound = isinstance(node, Sum) or (isinstance(node, Power) and isinstance(node.base, Sum))
    return (node.kind, compound != (node.kind == 5), node.key)


def _term_key(node: Node) -> tuple[object, ...]:
    if node.kind in (0, 2):
        return (0, -node.degree, node.key)
    return (node.kind, node.degree, node.key)


# --- sums ------------------------------------------------------------------------------------
def total(terms: Iterable[Signed]) -> Node:
    """A sum in order, a positive term first."""
    flat: list[Signed] = []
    for minus, node in terms:
        parts = node.terms if isinstance(node, Sum) else ((False, node),)
        for other, part in parts:
            if isinstance(part, Product) and any(isinstance(f, Sum) for f in part.above):
                turned_back, part = quotient(part.above, part.below)
                other ^= turned_back
            if not (isinstance(part, Number) and part.value == 0):
                flat.append((minus != other, part))
    if not flat:
        return ZERO
    flat.sort(key=lambda t: _term_key(t[1]))
    lead = next((k for k, (minus, _) in enumerate(flat) if not minus), 0)
    flat.insert(0, flat.pop(lead))
    if len(flat) == 1:
        return alone(flat[0])
    first = alone(flat[0])
    if not isinstance(first, Sum):
        flat[0] = False, first
    return Sum(tuple(flat))


def natural(node: Node) -> Signed:
    """A sum as a factor: so that it is positive where formulas are looked at, or else first."""
    if not isinstance(node, Sum):
        return False, node
    value = node.value_at(_LOOKED_AT.get() or {})
    if value:
        return (True, turned(node)) if value < 0 else (False, node)
    first = min(node.terms, key=lambda t: (t[1].kind != 4, _term_key(t[1])))
    if not first[0]:
        return False, node
    return True, turned(node)


def turned(node: Node) -> Node:
    """Minus a node."""
    if isinstance(node, Sum):
        return total((not minus, part) for minus, part in node.terms)
    return alone((True, node))


def signed(node: Node) -> Signed:
    """A node as a term: its sign, if it is one term, and the rest."""
    if isinstance(node, Sum) and len(node.terms) == 1:
        return node.terms[0]
    return False, node


def alone(term: Signed) -> Node:
    """A term that stands by itself: minus goes into a factor that is a sum, if there is one."""
    minus, node = term
    if not minus:
        return node
    if isinstance(node, Sum):
        return turned(node)
    if isinstance(node, Product):
        for k, factor in enumerate(node.above):
            if isinstance(factor, Sum) and any(m for m, _ in factor.terms):
                above = (*node.above[:k], turned(factor), *node.above[k + 1 :])
                return Product(above, node.below)
    return Sum(((True, node),))


# --- products --------------------------------------------------------------------------------
def quotient(above: Iterable[Node], below: Iterable[Node] = ()) -> Signed:
    """A product over a product, flat and in order, with the sign taken out."""
    minus = False
    up: list[Node] = []
    down: list[Node] = []

    def put(node: Node, here: list[Node], opposite: list[Node]) -> None:
        nonlocal minus
        other, node = natural(node)
        minus ^= other
        if isinstance(node, Sum) and len(node.terms) == 1:
            other, node = node.terms[0]
            minus ^= other
        if isinstance(node, Product):
            for f in node.above:
                put(f, here, opposite)
            for f in node.below:
                put(f, opposite, here)
        elif not (isinstance(node, Number) and node.value == 1):
            here.append(node)

    for node in above:
        put(node, up, down)
    for node in below:
        put(node, down, up)
    if any(isinstance(f, Number) and f.value == 0 for f in up):
        return False, ZERO
    up, down = _numbers(up, down)
    one, other = _ordered(up), _ordered(down)
    if not other and len(one) < 2:
        return minus, one[0] if one else ONE
    return minus, Product(tuple(one), tuple(other))


def _numbers(up: list[Node], down: list[Node]) -> tuple[list[Node], list[Node]]:
    """Rational numbers multiplied, and in lowest terms."""
    value = Rational(1)
    for here, way in ((up, 1), (down, -1)):
        for node in here:
            if isinstance(node, Number) and node.value.is_Rational:
                value *= node.value**way
    rest = [
        [f for f in here if not (isinstance(f, Number) and f.value.is_Rational)]
        for here in (up, down)
    ]
    for here, size in zip(rest, (value.p, value.q), strict=True):
        if size != 1:
            here.append(Number(Integer(size)))
    return rest[0], rest[1]


def _ordered(factors: Sequence[Node]) -> list[Node]:
    """Factors in order, equal ones as a power."""
    powers: dict[str, tuple[Node, int]] = {}
    for f in factors:
        base, k = f, 1
        if isinstance(f, Power) and isinstance(f.exponent, Number) and f.exponent.value.is_Integer:
            base, k = f.base, int(f.exponent.value)
        powers[base.key] = base, powers.get(base.key, (base, 0))[1] + k
    return sorted((power(f, k) for f, k in powers.values()), key=_factor_key)


def power(base: Node, k: int) -> Node:
    """A positive integer power; a power of an exponential stays as it is."""
    if k == 1:
        return base
    return Power(base, Number(Integer(k)))

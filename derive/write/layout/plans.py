"""The shortest form of a polynomial: expanded, factored, or collected by some of its variables.

What a form would cost is computed from exponents and coefficients; only the shortest is made.
A form is given up as soon as what it has so far, with the least that the rest can cost, is more
than the shortest form costs that is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from math import gcd
from operator import mul
from typing import NamedTuple

from sympy import Integer

from ...decide.normal import factor_list
from ...decide.polynomial import Monomial, Poly, Ring
from .arrange import Signed, alone, power, quotient, signed, total
from .tree import (
    CALL,
    DIGIT,
    HELD,
    MIXED,
    NESTED,
    SIGN,
    SYMBOL,
    Node,
    Number,
    Product,
    Sum,
    number,
)

PAIRS = 10  #: terms of a polynomial that is collected by two symbols at once
TRIES = 160  #: polynomials in one quotient that are collected

#: Exponents and whole coefficients, the leading term first.
Terms = tuple[tuple[Monomial, int], ...]
#: Powers of exponentials that terms are divided by.
Shift = tuple[int, ...]
NONE: Shift = ()

#: Kinds of nodes as bits: of parameters, of sizes.
PARAMETERS, SIZES = 0b1010, 0b100


class Plan(NamedTuple):
    """A form that is not made yet: only the shortest one is.

    Attributes
    ----------
    cost
        What there is to read, without a minus sign in front, and the numbers in it.
    kinds
        Kinds of its terms, a bit for each.
    minus
        Whether it is one term with a minus sign, or a sum of such terms.
    depth
        Pairs of parentheses in it, one inside the other.
    is_sum
        Whether it is a sum.
    """

    cost: tuple[int, int]
    kinds: int
    minus: bool
    depth: int
    is_sum: bool
    make: Callable[[], Node]


def added(plans: Sequence[Plan]) -> Plan:
    """A sum."""
    flat, numbers, kinds, depth, minus = SIGN * (len(plans) - 1), 0, 0, 0, True
    for p in plans:
        flat += p.cost[0]
        numbers += p.cost[1]
        kinds |= p.kinds
        minus &= p.minus
        depth = max(depth, p.depth)
    make: Callable[[], Node] = lambda: total(signed(p.make()) for p in plans)  # noqa: E731
    return Plan((flat, numbers), kinds, minus, depth + 1, True, make)


def multiplied(c: int, plans: Sequence[tuple[Plan, int]]) -> Plan:
    """A product of powers, and a whole number; a factor 1 counts, so that fewer are made."""
    cost = numbers = kinds = depth = 0
    minus = c < 0
    is_held = len(plans) > 1 or abs(c) != 1 or plans[0][1] > 1
    for p, k in plans:
        cost += p.cost[0]
        numbers += p.cost[1]
        if k > 1:
            cost += DIGIT
            numbers += k
        if p.is_sum and is_held:
            inner = NESTED * (p.depth - 1)
            has_parameters = bool(p.kinds & PARAMETERS)
            cost += (HELD + inner) * has_parameters + inner
            cost += MIXED * (has_parameters and bool(p.kinds & SIZES))
        kinds |= p.kinds
        depth = max(depth, p.depth)
        minus ^= p.minus and k % 2 == 1
    if abs(c) != 1:
        cost += DIGIT * len(str(abs(c)))
        numbers += abs(c)

    def make() -> Node:
        return alone(quotient([number(c), *(power(p.make(), k) for p, k in plans)]))

    return Plan((cost, numbers), 1 << kind_of(kinds), minus, depth, False, make)


def kind_of(kinds: int) -> int:
    """The kind of a product; see :attr:`.tree.Node.kind`."""
    highest = max(kinds.bit_length() - 1, 0)
    return 1 if highest == 2 and kinds & 0b10 else highest


def numbers_in(node: Node) -> int:
    """The sum of all numbers in a formula."""
    if isinstance(node, Number):
        return int(node.value) if isinstance(node.value, Integer) else 0
    return sum(map(numbers_in, node.children))


class _Letter(NamedTuple):
    """What is needed of a factor to know what a term costs."""

    cost: int
    numbers: int
    kind: int
    depth: int


def _letter(node: Node) -> _Letter | None:
    """None if it does not stand in a product as it is."""
    if isinstance(node, (Sum, Product, Number)):
        return None
    return _Letter(node.cost, numbers_in(node), node.kind, node.depth)


class Search:
    """Shortest forms of polynomials in some variables.

    Parameters
    ----------
    ring
        The polynomials.
    names
        How each variable is written.
    places
        Where those are that are exponentials.
    roots
        Where those are that are square roots.
    exponential
        How a product of powers of exponentials is written.
    term
        How a term is written.
    """

    def __init__(
        self,
        ring: Ring,
        names: Sequence[Node],
        places: tuple[int, ...],
        roots: Iterable[int],
        exponential: Callable[[Shift], Node],
        term: Callable[[Monomial, int, Shift], Signed],
    ):
        self._ring, self._places, self._roots = ring, places, frozenset(roots)
        self._exponential, self._term = exponential, term
        self._kinds = [node.kind for node in names]
        self._letters = [_letter(node) for node in names]
        self._least = [letter.cost if letter else 0 for letter in self._letters]
        for i in (*places, *(self._roots if places else ())):
            self._least[i] = 0
        self._exponentials: dict[Shift, _Letter | None] = {}
        self._known: dict[tuple[Terms, Shift], Plan] = {}
        self._tried = 0

    def plan(self, terms: Terms, shift: Shift = NONE) -> Plan:
        """The shortest form of a polynomial, its exponentials divided by those of ``shift``."""
        found = self._known.get((terms, shift))
        if found is None:
            found = self._several(terms, shift) if len(terms) > 1 else self._one(terms, shift)
            self._known[terms, shift] = found
        return found

    # --- one term ------------------------------------------------------------------------------
    def _one(self, terms: Terms, shift: Shift) -> Plan:
        if not terms:
            return Plan((DIGIT, 0), 1, False, 0, False, lambda: number(0))
        ((monom, c),) = terms
        powers = tuple(monom[i] for i in self._places)
        if shift:
            powers = tuple(a - b for a, b in zip(powers, shift, strict=True))
        factors = [(i, k) for i, k in enumerate(monom) if k and i not in self._places]
        letters = [(self._letters[i], k) for i, k in factors]
        if any(powers):
            letters.append((self._exponential_of(powers), 1))
            if not self._roots.isdisjoint(i for i, _ in factors):
                return self._made(monom, c, shift)
        cost = numbers = kinds = depth = 0
        for letter, k in letters:
            if letter is None:
                return self._made(monom, c, shift)
            cost += letter.cost
            numbers += letter.numbers
            if k > 1:
                cost += DIGIT
                numbers += k
            kinds |= 1 << letter.kind
            depth = max(depth, letter.depth)
        if abs(c) != 1 or not letters:
            cost += DIGIT * len(str(abs(c)))
            numbers += abs(c)
        make: Callable[[], Node] = lambda: alone(self._term(monom, c, shift))  # noqa: E731
        return Plan((cost, numbers), 1 << kind_of(kinds), c < 0, depth, False, make)

    def _made(self, monom: Monomial, c: int, shift: Shift) -> Plan:
        """A term of which only the formula tells what it costs."""
        minus, node = self._term(monom, c, shift)
        cost = (node.cost, numbers_in(node))
        return Plan(cost, 1 << node.kind, minus, node.depth, False, lambda: alone((minus, node)))

    def _exponential_of(self, powers: Shift) -> _Letter | None:
        if powers not in self._exponentials:
            self._exponentials[powers] = _letter(self._exponential(powers))
        return self._exponentials[powers]

    # --- several -------------------------------------------------------------------------------
    def _several(self, terms: Terms, shift: Shift) -> Plan:
        self._tried += 1
        plans = []
        if not shift:
            content, factors = self._factors(terms)
            if len(factors) > 1 or factors[0][1] > 1 or abs(content) != 1:
                plans.append(multiplied(content, [(self.plan(f), k) for f, k in factors]))
        plans.append(added([self.plan((term,), shift) for term in terms]))
        best = min(plans, key=lambda plan: plan.cost)
        if len(plans) == 2 and len(factors) == 1:  # a number in front; the rest was tried
            return best
        if len(terms) == 2 and not shift:
            return best
        if best.cost[0] <= self._least_of(terms, shift):
            return best
        ways = [
            way for group in self._groups(terms, shift) if (way := self._way(terms, group, shift))
        ]
        ways.sort(key=lambda way: way[0])
        for low, parts in ways:
            if low > best.cost[0] or self._tried >= TRIES:
                break
            plan = self._collected(low, parts, best.cost[0])
            if plan is not None and plan.cost < best.cost:
                best = plan
        return best

    def _groups(self, terms: Terms, shift: Shift) -> Iterable[tuple[int, ...]]:
        """Variables that a polynomial may be collected by."""
        used = self._used(terms)
        others = tuple(i for i in used if self._kinds[i] in (1, 3))
        several = len(others) > 2  # they are the terms then, and sizes their coefficients
        if several and not shift and all(sum(m[i] for i in others) <= 1 for m, _ in terms):
            return [others]
        groups: list[tuple[int, ...]] = [
            (i,) for i in used if not (several and self._kinds[i] == 2)
        ]
        if 4 <= len(terms) <= PAIRS:
            groups += combinations([i for i in used if self._kinds[i] != 2], 2)
        if several:
            groups.append(others)
        block = {i for i in used if i in self._places}
        if len(block) > 1:
            groups.append(tuple(block))
        if shift:  # all exponentials of a term stay together
            groups = [g for g in groups if block <= set(g) or block.isdisjoint(g)]
        return dict.fromkeys(groups)

    def _way(
        self, terms: Terms, group: tuple[int, ...], shift: Shift
    ) -> tuple[int, list[tuple[int, _Part, _Part]]] | None:
        """Products of a polynomial in some variables and one in the others; their least cost."""
        inside = [int(i in group) for i in range(len(terms[0][0]))]
        outside = [1 - k for k in inside]
        by: dict[Monomial, list[tuple[Monomial, int]]] = {}
        for m, c in terms:
            by.setdefault(tuple(map(mul, m, inside)), []).append((tuple(map(mul, m, outside)), c))
        merged: dict[Terms, list[tuple[Monomial, int]]] = {}
        for key, rest in by.items():
            content = gcd(*(c for _, c in rest))
            if rest[0][1] < 0:
                content = -content
            plain = tuple((m, c // content) for m, c in rest)
            merged.setdefault(plain, []).append((key, content))
        if len(merged) >= len(terms) or (len(merged) == 1 and terms in merged):
            return None
        used_places = set(self._places).intersection(self._used(terms))
        inner = bool(used_places.intersection(group)) or not used_places
        one, other = (shift, NONE) if inner else (NONE, shift)
        low = SIGN * (len(merged) - 1)
        parts = []
        for plain, keys in merged.items():
            key_terms = tuple(sorted(keys, reverse=True))
            if key_terms == terms:
                return None
            least = self._bound(key_terms, one) + self._bound(plain, other)
            parts.append((least, (key_terms, one), (plain, other)))
            low += least
        return low, parts

    def _collected(
        self, low: int, parts: Sequence[tuple[int, _Part, _Part]], limit: int
    ) -> Plan | None:
        """The sum, unless it costs more than the limit."""
        plans = []
        for least, key, plain in parts:
            plans.append(multiplied(1, [(self.plan(*key), 1), (self.plan(*plain), 1)]))
            low += plans[-1].cost[0] - least
            if low > limit:
                return None
        return added(plans)

    def _bound(self, terms: Terms, shift: Shift) -> int:
        """What a polynomial costs at least."""
        if len(terms) == 1:
            return self.plan(terms, shift).cost[0]
        known = self._known.get((terms, shift))
        return known.cost[0] if known is not None else self._least_of(terms, shift)

    def _least_of(self, terms: Terms, shift: Shift) -> int:
        """What a sum costs at least: each of its variables is written once."""
        used = self._used(terms)
        cost = SIGN + sum(self._least[i] for i in used)
        if not shift and any(i in self._places for i in used):
            cost += CALL + SYMBOL
        return cost

    def _factors(self, terms: Terms) -> tuple[int, list[tuple[Terms, int]]]:
        content, factors = factor_list(self._ring.from_dict(dict(terms)))
        return int(content.p), [(terms_of(f), k) for f, k in factors]

    def _used(self, terms: Terms) -> list[int]:
        return [i for i, ks in enumerate(zip(*(m for m, _ in terms), strict=True)) if any(ks)]


_Part = tuple[Terms, Shift]


def terms_of(poly: Poly) -> Terms:
    """A polynomial with whole coefficients as its terms."""
    return tuple((m, int(c.p)) for m, c in poly.terms())


def without(terms: Terms, places: Sequence[int]) -> Terms:
    """With exponent 0 at some places."""
    put: Mapping[int, int] = dict.fromkeys(places, 0)
    return tuple((tuple(put.get(i, k) for i, k in enumerate(m)), c) for m, c in terms)

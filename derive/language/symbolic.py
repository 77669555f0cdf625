"""A statement's nodes as expressions in symbols, so that they can be differentiated and proved.

What an expression needs for a value is noted while it is built (see
:mod:`cltheory.derive.language.needs`): SymPy simplifies as it builds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import sympy
from sympy import Abs, Add, E, Expr, Max, Min, Mul, Rational, S, Symbol, exp, lambdify, oo, pi
from sympy import Derivative as Unknown

from ..decide.calculus import derivative
from ..decide.defined import Condition
from ..decide.domain import Domain, Range, at_least
from ..decide.limits.limit import NoLimit, limit
from ..frozen import FrozenValue
from . import needs, nodes
from .nodes import EULER, INFINITY, PI, Node

Definitions = Mapping[str, tuple[tuple[str, ...], Node]]
Values = Mapping[str, Expr]
_NONE: Values = MappingProxyType({})


class NotClosed(LookupError):
    """A part of a statement is no closed form in the known letters; the message names it."""


class Writer(FrozenValue):
    """Writes expressions.

    Parameters
    ----------
    symbols
        The symbol of each letter.
    defined
        What the record defines.
    names
        Letters for derived quantities.
    domain
        Where a limit is taken; without it none is.
    needs
        Takes what the expressions need for a value.
    known
        What the names of a display mean; what they stand for is needed too.
    """

    symbols: Mapping[str, Symbol]
    defined: Definitions = field(default_factory=dict)
    names: Values = field(default_factory=dict)
    domain: Domain | None = None
    needs: list[Condition] = field(default_factory=list)
    known: Values = field(default_factory=dict)

    def expression(self, node: Node, env: Values = _NONE) -> Expr:
        """The expression that a node stands for, where some letters have values.

        Raises
        ------
        NotClosed
            If it is none.
        """
        rule = _RULES.get(type(node))
        if rule is None:
            raise NotClosed(f"{node} is not a closed form")
        return rule(self, node, env)

    # -- what expressions are built by ------------------------------------------------------
    def added(self, terms: list[Expr], at: int) -> Expr:
        """A sum; ``at`` is where it stands in the source."""
        return Add(*terms)

    def multiplied(self, factors: list[Expr], at: int) -> Expr:
        """A product."""
        return Mul(*factors)

    def power(self, base: Expr, exponent: Expr, at: int) -> Expr:
        """A power, with what it needs."""
        self.needs.extend(needs.of_power(base, exponent))
        return base**exponent

    def applied(self, name: str, argument: Expr, at: int) -> Expr:
        """A function, with what it needs."""
        if name == "log":
            self.needs.extend(needs.of_log(argument))
        return _FUNCTIONS[name](argument)

    def extremum(self, what: str, parts: list[Expr], at: int) -> Expr:
        """The least or the largest of some."""
        return (Max if what == "max" else Min)(*parts)

    def distinction(self, node: nodes.Cases) -> Expr:
        """A distinction of cases."""
        raise NotClosed(f"{node} is not a closed form")

    # -- what nodes stand for ---------------------------------------------------------------
    def _word(self, node: nodes.Word, env: Values) -> Expr:
        return {INFINITY: oo, PI: pi, EULER: E}[node]

    def _sum(self, node: nodes.Sum, env: Values) -> Expr:
        terms = [
            self.multiplied([S.NegativeOne, *self._factors(term, env)], term.at)
            if sign == "-"
            else self.expression(term, env)
            for sign, term in node.terms
        ]
        return self.added(terms, node.at)

    def _factors(self, node: Node, env: Values) -> list[Expr]:
        if not isinstance(node, nodes.Product):
            return [self.expression(node, env)]
        found = [(sign, self.expression(part, env), part.at) for sign, part in node.factors]
        return [f if sign == "*" else self.power(f, S.NegativeOne, at) for sign, f, at in found]

    def _product(self, node: nodes.Product, env: Values) -> Expr:
        return self.multiplied(self._factors(node, env), node.at)

    def _quotient(self, node: nodes.Quotient, env: Values) -> Expr:
        above, below = self.expression(node.above, env), self.expression(node.below, env)
        return self.multiplied([above, self.power(below, S.NegativeOne, node.below.at)], node.at)

    def _applied(self, node: nodes.Applied, env: Values) -> Expr:
        if node.function not in (*_FUNCTIONS, "sqrt"):
            raise NotClosed(f"{node} is not a closed form")
        argument = self.expression(node.argument, env)
        if node.function == "sqrt":
            return self.power(argument, S.Half, node.at)
        return self.applied(node.function, argument, node.at)

    def _extremum(self, node: nodes.Extremum, env: Values) -> Expr:
        return self.extremum(node.what, [self.expression(e, env) for e in node.values], node.at)

    def _derivative(self, node: nodes.Derivative, env: Values) -> Expr:
        found = self.expression(node.body, _without(env, [node.letter]))
        for _ in range(node.order):
            found = derivative(found, self._symbol(node.letter))
        if found.has(Unknown):
            raise NotClosed(f"{node} has no closed form")
        return found

    def _limit(self, node: nodes.Limit, env: Values) -> Expr:
        before = len(self.needs)
        found = self.expression(node.body, _without(env, [node.letter]))
        place = self.expression(node.end, env)
        return self._put(found, [(self._symbol(node.letter), place)], before, limits=True)

    def _at(self, node: nodes.At, env: Values) -> Expr:
        before = len(self.needs)
        found = self.expression(node.body, _without(env, dict(node.values)))
        values = [(self._symbol(k), self.expression(where, env)) for k, where in node.values]
        return self._put(found, values, before)

    def _name(self, node: nodes.Name, env: Values) -> Expr:
        if node.base in self.known:
            self.needs.append(needs.of_name(self.known[node.base]))
            return self.known[node.base]
        if node.base in env and not node.subs:
            return env[node.base]
        for key in (node.full, node.base):
            plain = key == node.full or not node.subs
            if plain and key in self.defined and not self.defined[key][0]:
                return self.expression(self.defined[key][1])
        if node.full in self.names:
            return self.names[node.full]
        if node.full in self.symbols and not node.mark:
            return self.symbols[node.full]
        raise NotClosed(f"{node} is not a number")

    def _call(self, node: nodes.Call, env: Values) -> Expr:
        if not node.arguments and node.base in self.names:
            return self.names[node.base]
        if node.base not in self.defined:
            raise NotClosed(f"the function {node.base} is not defined")
        letters, body = self.defined[node.base]
        if len(letters) != len(node.arguments):
            raise NotClosed(f"{node} has {len(node.arguments)} arguments, not {len(letters)}")
        values = dict(zip(letters, (self.expression(a, env) for a in node.arguments), strict=True))
        far = [k for k, v in values.items() if v in (oo, -oo)]
        before = len(self.needs)
        found = self.expression(body, _without(values, far))
        return self._put(found, [(self._symbol(k), values[k]) for k in far], before)

    def _symbol(self, name: str) -> Symbol:
        if name not in self.symbols:
            raise NotClosed(f"{name} is not a known letter")
        return self.symbols[name]

    def _put(
        self, found: Expr, values: list[tuple[Symbol, Expr]], before: int, *, limits: bool = False
    ) -> Expr:
        """Put values in, also in what was needed since; what a limit needs, it proves."""
        for letter, place in values:
            inside = [c for c in self.needs[before:] if letter in c.argument.free_symbols]
            kept = [c for c in self.needs[before:] if c not in inside]
            if limits or place in (oo, -oo):
                found = self._at_limit(found, letter, place)
            else:
                found = found.subs(letter, place)
                kept += [replace(c, argument=c.argument.subs(letter, place)) for c in inside]
            self.needs[before:] = kept
        return found

    def _at_limit(self, found: Expr, letter: Symbol, place: Expr) -> Expr:
        domain = self.domain
        if domain is None:
            raise NotClosed("no domain is given in which to take the limit")
        if letter not in domain.ranges:
            whole = at_least(1) if letter.is_integer else Range(low_open=bool(letter.is_positive))
            domain = domain.with_range(letter, whole, 1)
        try:
            return limit(found, letter, place, domain)
        except NoLimit as error:
            raise NotClosed(str(error)) from None

    def _raised(self, node: nodes.Power, env: Values) -> Expr:
        known = {*env, *self.known, *self.defined, *self.names, *self.symbols}
        exponent = self.expression(node.exponent, env)
        if node.base == nodes.Name("e") and "e" not in known:
            return exp(exponent)
        return self.power(self.expression(node.base, env), exponent, node.at)


_FUNCTIONS: dict[str, Callable[[Expr], Expr]] = {
    **{name: getattr(sympy, name) for name in ("log", "exp", "tanh", "cosh", "sinh")},
    "abs": Abs,
}
_RULES: dict[type[Node], Callable[[Writer, Any, Values], Expr]] = {
    nodes.Number: lambda writer, node, env: Rational(node.value.numerator, node.value.denominator),
    nodes.Word: Writer._word,
    nodes.Name: Writer._name,
    nodes.Call: Writer._call,
    nodes.Sum: Writer._sum,
    nodes.Product: Writer._product,
    nodes.Quotient: Writer._quotient,
    nodes.Power: Writer._raised,
    nodes.Applied: Writer._applied,
    nodes.Extremum: Writer._extremum,
    nodes.Derivative: Writer._derivative,
    nodes.Limit: Writer._limit,
    nodes.At: Writer._at,
    nodes.Cases: lambda writer, node, env: writer.distinction(node),
}


def _without(values: Values, letters: Any) -> dict[str, Expr]:
    return {k: v for k, v in values.items() if k not in letters}


@lru_cache(maxsize=4096)
def compiled(expression: Expr, modules: str = "mpmath") -> tuple[Callable[..., Any], list[Symbol]]:
    """A function of the letters of an expression, and these."""
    letters = sorted(expression.free_symbols, key=str)
    return lambdify(letters, expression, modules=modules), letters


def fixed(domain: Domain) -> tuple[dict[Symbol, Expr], Domain]:
    """Letters that have one value only (``N in 3..3``, ``b in [t, t]``), and the domain without."""
    only: dict[Symbol, Expr] = {}
    for s, r in domain.ranges.items():
        if r.low == r.high and not (r.low_open or r.high_open):
            only[s] = r.low.xreplace(only)
    if not only:
        return {}, domain
    ranges = {
        s: replace(r, low=r.low.xreplace(only), high=r.high.xreplace(only))
        for s, r in domain.ranges.items()
        if s not in only
    }
    return only, Domain(ranges, {s: v for s, v in domain.witness.items() if s not in only})

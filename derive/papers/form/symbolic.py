"""A tree as an expression in symbols, so that it can be differentiated and proved.

What the expression needs for a value is noted while it is built, as by the reader of LaTeX (see
:mod:`cltheory.derive.tex.formula.needs`): SymPy simplifies as it builds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from sympy import Derivative, Expr, Rational, S, Symbol, exp, lambdify, log, oo, pi, tanh

from ...decide.calculus import derivative
from ...decide.defined import Condition
from ...decide.domain import Domain, Range, at_least
from ...decide.limits.limit import NoLimit, limit
from ...language.needs import note_log, note_power, taken
from .hypotheses import SYMBOLS
from .reader import Tree, indexed, spell

Definitions = Mapping[str, tuple[tuple[str, ...], Tree]]


class NotClosed(LookupError):
    """A part of the tree is no closed form in the known letters; the message names it."""


def symbolic(
    tree: Tree,
    defined: Definitions,
    names: Mapping[str, Expr] | None = None,
    domain: Domain | None = None,
    needs: list[Condition] | None = None,
) -> Expr:
    """The expression that a tree stands for.

    Parameters
    ----------
    defined
        What the record defines.
    names
        Letters for derived quantities.
    domain
        Where a limit is taken; without it none is.
    needs
        Takes what the expression needs for a value.

    Raises
    ------
    NotClosed
        If it is none.
    """
    writer = _Writer(defined, names or {}, domain)
    found = writer.write(tree, {})
    if needs is not None:
        needs += writer.needs
    return found


class _Writer:
    def __init__(self, defined: Definitions, names: Mapping[str, Expr], domain: Domain | None):
        self.defined, self.names, self.domain = defined, names, domain
        self.needs: list[Condition] = []

    def write(self, tree: Tree, env: Mapping[str, Expr]) -> Expr:
        kind = tree[0]
        if kind == "num":
            return Rational(tree[1].numerator, tree[1].denominator)
        if kind == "inf":
            return oo
        if kind == "pi":
            return pi
        if kind == "name":
            return self._name(tree, env)
        if kind == "call":
            return self._call(tree, env)
        if kind == "add":
            return sum(
                ((-1 if sign == "-" else 1) * self.write(part, env) for sign, part in tree[1]),
                S.Zero,
            )
        if kind == "mul":
            found: Expr = S.One
            for operation, part in tree[1]:
                factor = self.write(part, env)
                found = found * (factor if operation == "*" else self._power(factor, S.NegativeOne))
            return found
        if kind == "frac":
            return self.write(tree[1], env) * self._power(self.write(tree[2], env), S.NegativeOne)
        if kind == "pow":
            return self._power(self.write(tree[1], env), self.write(tree[2], env))
        if kind == "sqrt":
            return self._power(self.write(tree[1], env), S.Half)
        if kind == "fun":
            argument = self.write(tree[2], env)
            if tree[1] == "log":
                self._note(note_log, argument)
            return {"log": log, "exp": exp, "tanh": tanh}[tree[1]](argument)
        if kind == "diff":
            found = self.write(tree[3], {k: v for k, v in env.items() if k != tree[1]})
            for _ in range(tree[2]):
                found = derivative(found, self._letter(tree[1]))
            if found.has(Derivative):
                raise NotClosed(f"{spell(tree)} has no closed form")
            return found
        if kind == "lim":
            before = len(self.needs)
            found = self.write(tree[3], {k: v for k, v in env.items() if k != tree[1]})
            place = self.write(tree[2], env)
            return self._at(found, [(self._letter(tree[1]), place)], before, limits=True)
        if kind == "at":
            inner = {k: v for k, v in env.items() if k not in dict(tree[2])}
            before = len(self.needs)
            found = self.write(tree[1], inner)
            values = [(self._letter(name), self.write(where, env)) for name, where in tree[2]]
            return self._at(found, values, before)
        raise NotClosed(f"{spell(tree)} is no closed form")

    def _letter(self, name: str) -> Symbol:
        if name not in SYMBOLS:
            raise NotClosed(f"{name} is no letter")
        return SYMBOLS[name]

    def _name(self, tree: Tree, env: Mapping[str, Expr]) -> Expr:
        _, base, subs, mark = tree
        if base in env and not subs:
            return env[base]
        full = indexed(base, subs)
        for key in (full, base):
            if key in self.defined and not self.defined[key][0] and (key == full or not subs):
                return self.write(self.defined[key][1], {})
        if full in self.names:
            return self.names[full]
        if full in SYMBOLS and not mark:
            return SYMBOLS[full]
        raise NotClosed(f"{spell(tree)} is no number")

    def _call(self, tree: Tree, env: Mapping[str, Expr]) -> Expr:
        _, base, _, _, arguments = tree
        if not arguments and base in self.names:
            return self.names[base]
        if base not in self.defined:
            raise NotClosed(f"the function {base} is not defined")
        letters, body = self.defined[base]
        if len(letters) != len(arguments):
            raise NotClosed(f"{spell(tree)} has {len(arguments)} arguments, not {len(letters)}")
        values = {n: self.write(a, env) for n, a in zip(letters, arguments, strict=True)}
        far = [n for n, v in values.items() if v in (oo, -oo)]
        before = len(self.needs)
        found = self.write(body, {n: v for n, v in values.items() if n not in far})
        return self._at(found, [(self._letter(n), values[n]) for n in far], before)

    def _at(
        self,
        found: Expr,
        values: list[tuple[Symbol, Expr]],
        before: int,
        *,
        limits: bool = False,
    ) -> Expr:
        """Put values in, also in what was needed since; what a limit needs, it proves."""
        for letter, place in values:
            inside = [c for c in self.needs[before:] if letter in c.argument.free_symbols]
            kept = [c for c in self.needs[before:] if c not in inside]
            if limits or place in (oo, -oo):
                found = self._limit(found, letter, place)
            else:
                found = found.subs(letter, place)
                kept += [replace(c, argument=c.argument.subs(letter, place)) for c in inside]
            self.needs[before:] = kept
        return found

    def _limit(self, found: Expr, letter: Symbol, place: Expr) -> Expr:
        if self.domain is None:
            raise NotClosed("a limit")
        domain = self.domain
        if letter not in domain.ranges:
            whole = at_least(1) if letter.is_integer else Range(low_open=bool(letter.is_positive))
            domain = domain.with_range(letter, whole, 1)
        try:
            return limit(found, letter, place, domain)
        except NoLimit as error:
            raise NotClosed(str(error)) from None

    def _power(self, base: Expr, exponent: Expr) -> Expr:
        self._note(note_power, base, exponent)
        return base**exponent

    def _note(self, of: Callable[..., None], *parts: Expr) -> None:
        taken()
        of(*parts)
        self.needs += taken()[0]


@lru_cache(maxsize=256)
def compiled(expression: Expr) -> tuple[Callable[..., Any], tuple[str, ...]]:
    """A function of the letters of an expression, and their names."""
    letters = sorted(expression.free_symbols, key=lambda s: s.name)
    return lambdify(letters, expression, modules="mpmath"), tuple(s.name for s in letters)


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

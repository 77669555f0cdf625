"""A declared loss for Rocq, and its gradient at one inner product per relation.

A relation is a pattern of which indices of two points agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from math import prod
from typing import Any, ClassVar

from sympy import Expr, S, Symbol, exp

from ...frozen import FrozenValue
from ...optimum.reduce import Reduced
from ...problems.problem import Problem
from ...structures.scheme import Scheme
from .terms import NotWritten, agreeing, name, term

#: Axes on which a projection takes the mean, or what is left.
MEAN, CONTRAST, ALL = "Mean", "Contrast", "All"
Kinds = tuple[str, ...]


class Defined(FrozenValue):
    """A loss on a structure, and inner products by relation: their definitions.

    Attributes
    ----------
    called
        What names in Rocq begin with.
    problem
        The loss and the structure.
    inner
        Inner products by relation.
    at
        Values that are put in for symbols.
    """

    called: str
    problem: Problem
    inner: Mapping[str, Expr]
    at: Mapping[Symbol, Expr] = field(default_factory=dict)

    #: The types of a term and of what says how two points are related, and the fields of a term.
    kind: ClassVar[str]
    related: ClassVar[str] = "list bool"
    fields: ClassVar[str]

    def put(self, e: Expr) -> Expr:
        """An expression with the values."""
        return e.xreplace(dict(self.at))

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms of the loss."""
        raise NotImplementedError

    def by_pattern(self, values: Mapping[Any, Expr]) -> str:
        """A function of how two points are related."""
        raise NotImplementedError

    @property
    def products(self) -> Mapping[Any, Expr]:
        """The inner products by what such functions distinguish."""
        return self.inner

    @property
    def inner_name(self) -> str:
        """What the inner products are called."""
        return f"{self.called}_inner"

    def definitions(self, symbols: tuple[Symbol, ...] = ()) -> str:
        """The loss and the inner products."""
        given = _arguments(symbols)
        return (
            f"{self.defined_terms(symbols)}\n"
            f"Definition {self.inner_name}{given} : {self.related} -> R :=\n"
            f"  {self.by_pattern(self.products)}."
        )

    def defined_terms(self, symbols: tuple[Symbol, ...]) -> str:
        """The loss."""
        every = ";\n    ".join(self.terms)
        given = _arguments(symbols)
        return f"Definition {self.called}_terms{given} : list {self.kind} :=\n  [ {every} ]."


def _arguments(symbols: tuple[Symbol, ...]) -> str:
    return f" ({' '.join(map(name, symbols))} : R)" if symbols else ""


class Declared(Defined):
    """One on points that are all alike; subclasses say which losses.

    Attributes
    ----------
    sides
        By term, how much of the slope beyond its kink is taken on it.
    """

    sides: Sequence[str | None] = ()

    #: What is unfolded in a goal.
    unfolded: ClassVar[tuple[str, ...]]
    #: Lines that make what is unfolded smaller, where that is worth the time.
    cleared: ClassVar[tuple[str, ...]] = ()
    #: What is decided of numbers before they are compared.
    decided: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.problem.structure, Scheme):
            raise NotWritten("it has points of several kinds")

    # --- the declaration -------------------------------------------------------------------
    @property
    def scheme(self) -> Scheme:
        """The relations and eigenspaces."""
        return self.problem.scheme

    @cached_property
    def axes(self) -> tuple[Expr, ...]:
        """How many points there are along each index."""
        return tuple(map(self.put, self.scheme.axes))

    @cached_property
    def counts(self) -> dict[str, Expr]:
        """Partners of a point, by relation."""
        return {r.name: self.put(r.count) for r in self.scheme.relations}

    # --- at the inner products ----------------------------------------------------------------
    @property
    def reduced(self) -> Reduced:
        """The loss of one anchor for all."""
        raise NotImplementedError

    @cached_property
    def gradient(self) -> Mapping[str, Expr]:
        """The derivative in the entry of a pair, by relation, up to a positive factor."""
        gradient = self.reduced.pair_gradient(self.inner)
        return {r: at_numbers(e, self.at) for r, e in gradient.items()}

    @property
    def value(self) -> Expr:
        """The loss of the inner products."""
        return at_numbers(self.reduced.value(self.inner), self.at)

    @cached_property
    def level(self) -> Expr:
        """The product of the gradient with the inner products, by row."""
        parts = (k * self.gradient[r] * self.inner[r] for r, k in self.counts.items())
        return sum(parts, S.Zero)

    def eigenvalues(self, kinds: Kinds) -> dict[str, Expr]:
        """The eigenvalue of each relation on a product of means and contrasts."""
        found = dict.fromkeys(self.counts, S.Zero)
        for pattern, r in self.scheme.pattern.items():
            along = zip(pattern, self.axes, kinds, strict=True)
            other = {MEAN: lambda size: size - 1, CONTRAST: lambda size: -S.One}
            found[r] += prod((S.One if s else other[k](a) for s, a, k in along), start=S.One)
        return found

    def eigenvalue(self, kinds: Kinds) -> Expr:
        """The eigenvalue of the gradient on such a product."""
        values = self.eigenvalues(kinds)
        return sum((values[r] * g for r, g in self.gradient.items()), S.Zero)

    # --- text ------------------------------------------------------------------------------------
    @property
    def numbers(self) -> str:
        """The axes as natural numbers."""
        texts = (f"{a}%nat" if a.is_Integer else term(a) for a in self.axes)
        return f"[{'; '.join(texts)}]"

    @property
    def sizes(self) -> str:
        """The axes as real numbers."""
        return f"[{'; '.join(map(term, self.axes))}]"

    def by_pattern(self, values: Mapping[Any, Expr]) -> str:
        """A function of which indices agree."""
        return self.matched({r: term(v) for r, v in values.items() if v != 0})

    def matched(self, values: Mapping[str, str], otherwise: str = "0") -> str:
        """The same of what is written already."""
        patterns = self.scheme.pattern.items()
        cases = [f"{agreeing(p)} => {values[r]}" for p, r in patterns if r in values]
        return f"fun a => match a with {' | '.join([*cases, f'_ => {otherwise}'])} end"

    @property
    def all_unfolded(self) -> str:
        """What is unfolded in a goal about eigenvalues, with the definitions."""
        return ", ".join(["level", *self.unfolded, f"{self.called}_terms", self.inner_name])

    #: Lemmas that are needed before it is said that the loss is convex.
    before: ClassVar[tuple[str, ...]] = ()

    #: The loss in the library, and its gradient by relation.
    library: ClassVar[tuple[str, str]]

    def given(self, sizes: str) -> str:
        """What the loss is given before its terms."""
        return sizes

    def loss_of(self, terms: str) -> str:
        """The loss with these terms, a function of a matrix, for sizes that are natural numbers."""
        return f"({self.library[0]} {self.given(self.numbers)} {terms})"

    def gradient_of(self, sizes: str, terms: str, inner: str) -> str:
        """Its gradient by relation, for sizes that are real numbers."""
        return f"({self.library[1]} {self.given(sizes)} {terms} {inner})"

    @property
    def spelled(self) -> dict[str, Expr]:
        """Exponentials as they stand in the goals."""
        raise NotImplementedError

    # --- at numbers -----------------------------------------------------------------------------
    #: The value of the loss at the inner products in the library.
    valued: ClassVar[str]

    @property
    def scale(self) -> str:
        """What the gradient is to be multiplied by."""
        return "1"

    # --- convexity ----------------------------------------------------------------------------
    @property
    def weights(self) -> list[Expr]:
        """What is not negative, because of which the loss is convex."""
        return []

    def convex(self, sizes: str, terms: str, inner: str) -> str:
        """What is to be known of them."""
        raise NotImplementedError

    def convex_proof(self, known: str, partition: str) -> list[str]:
        """Its proof, with a tactic that knows the signs, and one for those of denominators."""
        raise NotImplementedError

    def prepared(self, terms: str, inner: str) -> list[str]:
        """Lines before the loss is compared, where it has to be brought into the form of a mean."""
        return []

    #: A theorem from it: that the loss has this gradient, and lies above its tangent. It may be
    #: about {sizes} and {inner}.
    smooth: ClassVar[str]

    def tangent(self, inner: str) -> str:
        """That the loss lies above its tangent."""
        return f"smooth_tangent _ _ _ _ _ ({self.smooth.format(sizes=self.numbers, inner=inner)})"


def at_numbers(e: Expr, at: Mapping[Symbol, Expr]) -> Expr:
    """An expression with values, and its exponentials evaluated."""
    found = e.xreplace(dict(at))
    return found.xreplace({a: exp(a.args[0]) for a in found.atoms(exp)})


def listed(terms: Iterable[str]) -> str:
    """Terms as a list of Rocq."""
    return f"[{'; '.join(terms)}]"

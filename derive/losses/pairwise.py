"""Pairwise losses as declarations: a sum of scalar functions of single inner products."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace

from sympy import Add, Expr, Max, S, Symbol

from ..frozen import FrozenValue
from .precondition import Precondition

#: The inner product, the argument of a pairwise loss.
c = Symbol("c", real=True)


class PairTerm(FrozenValue):
    """A function of the inner product ``c``, summed over the pairs of a relation.

    Parameters
    ----------
    relation
        Name of the relation.
    function
        Expression in the symbol ``c``.
    weight
        Factor of each pair, per anchor; not negative.
    """

    relation: str
    function: Expr
    weight: Expr

    def at(self, value: Expr) -> Expr:
        """The function at an inner product."""
        return self.function.xreplace({c: value})

    def by_kinks(self) -> Iterator[PairTerm]:
        """Terms that add up to this one, in which each max(0, .) or its square stands alone."""
        kinked = [e for e in Add.make_args(self.function) if e.has(Max)]
        if smooth := self.function - Add(*kinked):
            yield replace(self, function=smooth)
        for e in kinked:
            factor, _ = e.as_independent(c, as_Add=False)
            taken = factor if factor.is_nonnegative else S.One
            yield replace(self, function=e / taken, weight=taken * self.weight)


class PairwiseLoss(FrozenValue):
    """A sum of pair terms, mean over the N items; ``meanings`` says what its symbols are."""

    name: str
    title: str
    terms: tuple[PairTerm, ...]
    source: str
    meanings: Mapping[Symbol, str] = field(default_factory=dict, compare=False)

    def preconditions(self) -> Iterator[Precondition]:
        """What must hold before anything is proved from the declaration."""
        for term in self.terms:
            says = f"the weight {term.weight} of the term on {term.relation!r}"
            yield Precondition(term.weight, False, says)

    def by_kinks(self) -> PairwiseLoss:
        """The same loss with terms that are smooth, or a kink alone."""
        return replace(self, terms=tuple(part for k in self.terms for part in k.by_kinks()))

    def total(self, relation: str) -> Expr:
        """All terms of a relation as one function of the inner product ``c``."""
        return sum((k.weight * k.function for k in self.terms if k.relation == relation), S.Zero)

"""Pairwise losses as declarations: a sum of scalar functions of single inner products."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr

from ..symbols import c


@dataclass(frozen=True)
class PairTerm:
    """A function of the inner product ``c``, summed over the pairs of a relation.

    Parameters
    ----------
    relation
        Name of the relation.
    function
        Expression in the symbol ``c``.
    weight
        Factor of each pair, per anchor.
    """

    relation: str
    function: Expr
    weight: Expr

    def at(self, value: Expr) -> Expr:
        """The function at an inner product."""
        return self.function.xreplace({c: value})


@dataclass(frozen=True)
class PairwiseLoss:
    """A sum of pair terms, mean over the N items."""

    name: str
    title: str
    terms: tuple[PairTerm, ...]
    source: str

"""What results share on class collapse in m - 1 dimensions, where m classes just fit.

In m dimensions collapse is left along a dimension that is orthogonal to all class means. Where
there is none, points of a class that move apart, and class means that bend their simplex, change
the inner products with other classes. What that costs to second order is added to the condition.
"""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Expr, Ge, Symbol

from ...decide.domain import Domain, DomainError, at_least
from ...losses.setting import Setting
from ...losses.softmax import SoftmaxLoss
from ...losses.written import Plain, write
from ...optimum.condition import without_positive_factors
from ...optimum.reduce import ReducedLoss
from ...optimum.tangent import (
    BEND,
    IN_ITS_SPAN,
    TO_ONE,
    VARIATION,
    Bends,
    SecondVariation,
    bending,
    second_variation,
)
from ...optimum.threshold import Criterion
from ...optimum.vertex import Vertex
from ...proof.derivation import Derivation
from ...proof.relations import Iff, eq, ge
from ...proof.same_sign import SameSign
from ...structures.hierarchy import m
from ._supcl import SYMMETRY

THREE = at_least(3, "for m = 2 and d = 1 vectors cannot move, and classes collapse always")
SEVERAL = at_least(2, "an instance of one view has none that separate")


class Written(Setting):
    """The loss as it is declared, in m - 1 dimensions; ``more`` is what to ask in more of them."""

    declared: SoftmaxLoss | None = None
    more: str = ""
    dimension: str = "d = m - 1"

    @property
    def kind_of_loss(self) -> str:
        """What loss it is, of which no convention is read."""
        assert self.declared is not None
        return f"{self.declared.title} in m - 1 dimensions, in the terms of its paper only"

    def in_dimension(self, id: str, point: Mapping[Symbol, Expr], dimension: int) -> str:
        """What holds if the dimension is m - 1; a line on what to ask otherwise."""
        classes = point.get(m, m)
        if classes == m and dimension >= 2:
            return f"all of this is about d = m - 1: with d = {dimension} about m = {dimension + 1}"
        if classes - 1 == dimension:
            return f"d = {dimension} is m - 1, the dimension that all of this is about"
        other = (
            f"more than {classes - 1}: ask {self.more}"
            if (dimension - classes).is_nonnegative
            else f"less than {classes - 1}, so the simplex of classes does not exist"
        )
        raise DomainError(f"{id} is about d = m - 1 alone, and {dimension} is {other}")

    def written(self, style: Plain) -> tuple[str, tuple[str, ...]]:
        """The formula of the loss, and what its letters are."""
        assert self.declared is not None
        found = write(self.declared, SYMMETRY, style)
        return found.formula, found.notes


def in_three(domain: Domain) -> Domain:
    """A domain of sizes with three classes or more."""
    return domain.with_range(m, THREE, 3)


def curves_up(collapse: Vertex, e: str, proof: Derivation, domain: Domain) -> Criterion:
    """No motion of coinciding points along an eigenspace has a negative second variation."""
    loss, inner = collapse.reduced, collapse.inner
    assert isinstance(loss, ReducedLoss)
    value = second_variation(loss, inner, "classes", e)
    says = SecondVariation(
        eq(VARIATION, value), domain, loss, inner, "classes", e, lemma=IN_ITS_SPAN
    )
    proof.add(
        f"The second variation along contrasts of {e} in m - 1 dimensions",
        says,
        "it is tau times that, over the mean squared length",
    )
    return _not_negative(VARIATION, value, f"along {e}", loss.clearing(inner), proof, domain)


def keeps_simplex(collapse: Vertex, proof: Derivation, domain: Domain) -> Criterion:
    """No motion of whole classes has a negative second variation."""
    loss, inner = collapse.reduced, collapse.inner
    assert isinstance(loss, ReducedLoss)
    value = bending(loss, inner)
    proof.add(
        "How the loss changes where all class means move towards one of them",
        Bends(eq(BEND, value), domain, loss, inner, "classes", lemma=TO_ONE),
        "it is tau times the second derivative in their inner products with that one",
    )
    return _not_negative(BEND, value, "there", loss.clearing(inner) ** 2, proof, domain)


def _not_negative(
    name: Symbol, value: Expr, where: str, clearing: Expr, proof: Derivation, domain: Domain
) -> Criterion:
    gap, over = without_positive_factors(clearing * value, domain)
    claim = Iff(ge(name, 0), ge(gap, 0))
    proof.add(
        f"It is not negative {where} iff this is not negative",
        SameSign(claim, domain, over, clearing, names={name: value}),
        "positive factors are omitted",
    )
    words = "in m - 1 dimensions no motion lowers the loss of collapse to second order"
    return Criterion(words, Ge(gap, 0, evaluate=False))

"""What results share whose optimum is one pure structure for all values of the parameters."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from sympy import Expr

from ..optimum.segment import Segment, cut_segment
from ..optimum.vertex import UniqueGram, Vertex, vertex
from ..problems.catalogue import CATALOGUE
from ..problems.problem import Problem
from ..proof.derivation import Derivation, StepFailed
from ..structures.scheme import Scheme
from ..theorem.quantity import Quantity
from ..theorem.result import Result
from ..theorem.subject import Symmetric

#: Inner products by relation: how they are written, and with whom.
INNER = {
    "same_instance": (r"u^\top u'", "with another view of the instance"),
    "same_class": (r"u^\top v", "with another instance of the class"),
    "same_superclass": (r"u^\top s", "with another class of the superclass"),
    "cross_class": (r"u^\top w", "with another class"),
    "cross_superclass": (r"u^\top w", "with another superclass"),
    "negative": (r"u^\top w", "with another instance"),
}


def inner_quantities(inner: Mapping[str, Expr]) -> dict[str, Quantity]:
    """The inner products of an optimum, by relation."""
    return {
        r: Quantity(e, INNER[r][0], f"inner product {INNER[r][1]}")
        for r, e in inner.items()
        if r != "self"
    }


def least_loss(value: Expr) -> Quantity:
    """The loss of an optimum."""
    return Quantity(
        value, r"\mathcal{L}^\star", "minimum of the loss", spellings=(r"\mathcal{L}^*",)
    )


def pure_optimum(problem: Problem, name: str, proof: Derivation) -> dict[str, Quantity]:
    """Prove that a pure structure is the only optimum everywhere, and what it is.

    Raises
    ------
    StepFailed
        If that is not proved.
    """
    found = vertex(problem, name, proof)
    state_only_optimum(found, proof)
    return {**inner_quantities(found.inner), "loss": least_loss(found.loss)}


def state_only_optimum(found: Vertex, proof: Derivation) -> None:
    """Record that there is no other optimum, the conditions being strict everywhere.

    Raises
    ------
    StepFailed
        If they are not, or the loss does not settle every inner product.
    """
    if found.verdict != "strict":
        raise StepFailed(f"{found.name} is not proved to be optimal everywhere: {found.verdict}")
    ones = [r for r, value in found.inner.items() if value == 1 and r != "self"]
    proof.add(
        f"The optimal Gram matrix is unique: {' = '.join([*ones, '1'])}",
        UniqueGram.from_loss(found.reduced, found.domain, found.inner),
        "all other eigenvalues of the gradient are larger, so every optimum has its "
        "whole trace on this eigenspace; inner products of mean 1 are 1, as none is "
        "larger",
    )


def segment_from(scheme: Scheme, start: str, end: str, coordinate: str) -> Segment:
    """The edge that leaves one pure structure (x = 0) for another."""
    active = tuple(e.name for e in scheme.eigenspaces if e.name not in (start, end))
    return cut_segment(scheme, active, end, coordinate)


def pure_result(id: str, pure: str, edge: tuple[str, str], **described: Any) -> Result:
    """The result on a loss of the catalogue that has one pure structure for its optimum.

    Parameters
    ----------
    id
        Of the result and of the problem.
    pure
        The eigenspace that has the whole trace.
    edge
        The other one of an edge that leaves it, and the relation whose inner product falls.
    **described
        The title and the source of the result.
    """
    problem = CATALOGUE[id]
    return Result(
        id,
        build=partial(pure_optimum, problem, pure),
        subject=Symmetric(problem, segment=partial(segment_from, problem.scheme, pure, *edge)),
        **described,
    )

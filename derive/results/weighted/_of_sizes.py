"""Classes of given sizes, one vector per sample: the problem, and its optimum at numbers.

Cosines are between classes, in the order in which the sizes were given: the optimum has one number
for each pair of sizes, and every class is one point.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sympy import Expr, Integer, S, Symbol

from ...decide.domain import Domain, DomainError, at_least
from ...losses.softmax import SoftmaxLoss
from ...optimum.blocks import BlockOptima, ReducedOnOrbits
from ...optimum.value import FaceValue
from ...problems.problem import Problem
from ...structures.classes import classes_of_sizes
from ...structures.configuration import Configuration
from ...structures.hierarchy import n
from ...structures.scheme import Relation, Scheme
from ...theorem.listed import ListOf
from ...theorem.measure import Entries, Rank, product
from ...theorem.quantity import Quantity
from ...theorem.subject import Symmetric
from .._for_data import Data
from .._pure import least_loss
from ._labels import ALONE, ONE_CLASS

Sizes = tuple[int, ...]

SIZES = ListOf("sizes", at_least(2, ALONE), "samples in each class")


def seen(size: Expr) -> Scheme:
    """What an anchor sees, among ``size`` vectors; its class has n samples."""
    relations = (
        Relation("self", S.One),
        Relation("same_class", n - 1),
        Relation("cross_class", size - n),
    )
    return Scheme(
        size, relations, (), {}, (), {}, {n: "the number of samples in the class of the anchor"}
    )


def checked(data: Data) -> dict[str, Sizes]:
    """Sizes as integers, of two classes at least.

    Raises
    ------
    DomainError
        If there is one class; one line.
    """
    sizes = tuple(map(int, data["sizes"]))
    if len(sizes) < 2:
        raise DomainError(f"sizes: give two classes or more ({ONE_CLASS})")
    return {"sizes": sizes}


def relation(sizes: Sizes, i: int, j: int) -> str:
    """The relation between samples of two classes, by the sizes of the classes."""
    if i == j:
        return f"same_class_{sizes[i]}"
    low, high = sorted((sizes[i], sizes[j]))
    return f"cross_class_{low}" if low == high else f"cross_class_{low}_{high}"


def table(sizes: Sizes, number: Callable[[str], Expr], *, inside: bool = False) -> list[list[Expr]]:
    """A number for each pair of classes, by the relation of their samples; one with itself.

    ``inside`` is whether two samples of a class, where there are two, have a number of their own.
    """
    k = range(len(sizes))

    def entry(i: int, j: int) -> Expr:
        alone = i == j and not (inside and sizes[i] > 1)
        return S.One if alone else number(relation(sizes, i, j))

    return [[entry(i, j) for j in k] for i in k]


def cosines(
    sizes: Sizes,
    cosine: Callable[[str], Expr],
    domain: Domain | None = None,
    measured: Callable[[str], Expr] = product,
) -> Quantity:
    """The cosines of classes, in the order of their sizes; ``measured`` is how they are found."""
    return Quantity(
        table(sizes, cosine),
        r"\cos(\mu_c, \mu_{c'})",
        "cosines of the points to which the classes collapse, in the order in which "
        "the sizes are given",
        domain,
        measured=Entries(tuple(tuple(row) for row in table(sizes, measured, inside=True))),
    )


def about(loss: SoftmaxLoss, domain: Domain, data: Data) -> dict[str, Any]:
    """What a result for classes of given sizes is about, as arguments of a result."""
    sizes: Sizes = data["sizes"]
    problem = Problem(loss, classes_of_sizes(sizes, None), domain)
    return {"subject": Symmetric(problem, structure=seen(Integer(sum(sizes)))), "meanings": {}}


def optima(loss: SoftmaxLoss, sizes: Sizes, domain: Domain) -> BlockOptima:
    """The optima for classes of these sizes, as a function of the symbols of a domain."""
    structure: Configuration = classes_of_sizes(sizes, None)
    return BlockOptima(ReducedOnOrbits(loss, structure), domain.symbols())


def rank(value: Expr) -> Quantity:
    """The dimensions of an optimum."""
    meaning = (
        "rank of the Gram matrix of the optimum: the least dimension in which the optimum exists"
    )
    return Quantity(value, "q", meaning)


def numbers(found: BlockOptima, sizes: Sizes, fixed: Mapping[Symbol, Expr]) -> dict[str, Quantity]:
    """The quantities of an optimum where all parameters are given."""

    def number(kind: str, *name: str) -> Expr:
        return FaceValue.from_optima(found, kind, *name).xreplace(dict(fixed))

    return {
        "cosines": cosines(sizes, lambda r: number("inner", r)),
        "loss": least_loss(number("loss")),
        "rank": replace(rank(number("rank")), measured=Rank()),
        "gap": Quantity(
            number("gap"),
            r"\mathrm{gap}",
            "proved upper bound on the loss of the certificate minus the minimum",
        ),
    }

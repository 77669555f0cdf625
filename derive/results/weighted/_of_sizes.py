"""Classes of given sizes, one vector per sample: the problem, and its optimum at numbers.

Cosines are between classes, in the order in which the sizes were given: the optimum has one number
for each pair of sizes, and every class is one point.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sympy import Expr, Integer, S, Symbol

from ...decide.domain import Domain, DomainError, at_least
from ...losses.softmax import SoftmaxLoss
from ...optimum.blocks import BlockOptima, ReducedOnOrbits
from ...optimum.value import FaceValue
from ...problems.problem import Problem
from ...proof.derivation import Derivation
from ...structures.classes import classes_of_sizes
from ...structures.configuration import Configuration
from ...structures.hierarchy import n
from ...structures.scheme import Relation, Scheme
from ...theorem.at_numbers import AtNumbers
from ...theorem.listed import ListOf
from ...theorem.measure import Entries, Rank, product
from ...theorem.quantity import Quantity
from ...theorem.subject import Symmetric
from ._labels import ALONE, ONE_CLASS

Sizes = tuple[int, ...]
#: What is derived for sizes, at values of the parameters.
OfSizes = Callable[[Sizes, Mapping[Symbol, Expr], Derivation], dict[str, Quantity]]

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


def checked(sizes: Sequence[Expr]) -> Sizes:
    """Sizes as integers, of two classes at least.

    Raises
    ------
    DomainError
        If there is one class; one line.
    """
    if len(sizes) < 2:
        raise DomainError(f"sizes: give two classes or more ({ONE_CLASS})")
    return tuple(map(int, sizes))


def relation(sizes: Sizes, i: int, j: int) -> str:
    """The relation between samples of two classes, by the sizes of the classes."""
    if i == j:
        return f"same_class_{sizes[i]}"
    low, high = sorted((sizes[i], sizes[j]))
    return f"cross_class_{low}" if low == high else f"cross_class_{low}_{high}"


def table(sizes: Sizes, of: Callable[[str], Expr], *, inside: bool = False) -> list[list[Expr]]:
    """A number for each pair of classes, by the relation of their samples; one with itself.

    ``inside`` is whether two samples of a class, where there are two, have a number of their own.
    """
    k = range(len(sizes))

    def entry(i: int, j: int) -> Expr:
        alone = i == j and not (inside and sizes[i] > 1)
        return S.One if alone else of(relation(sizes, i, j))

    return [[entry(i, j) for j in k] for i in k]


def cosines(
    sizes: Sizes,
    of: Callable[[str], Expr],
    domain: Domain | None = None,
    measured: Callable[[str], Expr] = product,
) -> Quantity:
    """The cosines of classes, in the order of their sizes; ``measured`` is how they are found."""
    return Quantity(
        table(sizes, of),
        r"\cos(\mu_c, \mu_{c'})",
        "cosines of the points of two classes, in the order of sizes; each class is one point",
        domain,
        measured=Entries(tuple(tuple(row) for row in table(sizes, measured, inside=True))),
    )


class Imbalanced(AtNumbers):
    """An optimum for a list of sizes; with all parameters given, found at these numbers.

    Parameters
    ----------
    id, title, source
        As of any result.
    loss
        The declaration.
    domain
        Of the parameters of the loss.
    sizes
        The classes.
    derive
        What is derived for them.
    taken, check
        How other sizes are given, and what is refused of them.
    at
        Values that are put in before anything is derived.
    """

    def __init__(
        self,
        id: str,
        *,
        title: str,
        source: str,
        loss: SoftmaxLoss,
        domain: Domain,
        sizes: Sizes,
        derive: OfSizes,
        taken: ListOf = SIZES,
        check: Callable[[tuple[Expr, ...]], Sizes] = checked,
        at: Mapping[Symbol, Expr] | None = None,
    ):
        structure = classes_of_sizes(sizes, None)
        super().__init__(
            id,
            title=title,
            source=source,
            parameters=domain.symbols(),
            domain=domain,
            build=lambda proof: derive(self.sizes, self.fixed, proof),
            subject=Symmetric(
                Problem(loss, structure, domain), structure=seen(Integer(sum(sizes)))
            ),
            lists=(taken,),
            read=lambda sizes, at=None: self._again(check(sizes), at or {}),
        )
        self._made: dict[str, Any] = {
            "title": title,
            "source": source,
            "loss": loss,
            "domain": domain,
            "derive": derive,
            "taken": taken,
            "check": check,
        }
        self.sizes, self.fixed = sizes, dict(at or {})

    def made_at(self, fixed: Mapping[Symbol, Expr]) -> Imbalanced:
        """The same with these values put in."""
        return self._again(self.sizes, fixed)

    def found_at_numbers(self, name: str) -> bool:
        """Whether a number is that of the optimum."""
        return name in FOUND

    def _again(self, sizes: Sizes, at: Mapping[Symbol, Expr]) -> Imbalanced:
        made = Imbalanced(self.id, sizes=sizes, at=at, **self._made)
        made.made_for = {SIZES.name: ",".join(map(str, sizes))}
        return made


#: What is found at numbers, for any sizes.
FOUND = ("cosines", "loss", "rank", "gap")


def optima(loss: SoftmaxLoss, sizes: Sizes, domain: Domain) -> BlockOptima:
    """The optima for classes of these sizes, as a function of the symbols of a domain."""
    structure: Configuration = classes_of_sizes(sizes, None)
    return BlockOptima(ReducedOnOrbits(loss, structure), domain.symbols())


def numbers(found: BlockOptima, sizes: Sizes, fixed: Mapping[Symbol, Expr]) -> dict[str, Quantity]:
    """The quantities of an optimum where all parameters are given."""

    def number(kind: str, *name: str) -> Expr:
        return FaceValue.of(found, kind, *name).xreplace(dict(fixed))

    return {
        "cosines": cosines(sizes, lambda r: number("inner", r)),
        "loss": Quantity(number("loss"), r"\mathcal{L}^\star", "least loss"),
        "rank": Quantity(
            number("rank"),
            "q",
            "dimensions that the optimum spans, and the fewest in which it exists",
            measured=Rank(),
        ),
        "gap": Quantity(
            number("gap"),
            r"\mathrm{gap}",
            "proved bound on how far the loss of the certificate is from the least",
        ),
    }

"""What the results about classes of two sizes share: structure, domain, and the quantities.

There is no closed form: every number is that of an optimum found at its point, proved by balls.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from sympy import Expr, Rational, S, Symbol

from ...decide.domain import POSITIVE, Domain, at_least
from ...losses.conventions import CONVENTIONS
from ...losses.softmax import SoftmaxLoss, tau
from ...optimum.blocks import BlockOptima, ReducedOnOrbits, state_certificate, state_reduction
from ...optimum.value import FaceValue
from ...problems.problem import Problem
from ...proof.derivation import Derivation
from ...structures.classes import MEANINGS, m1, m2, n1, n2, two_sizes
from ...structures.hierarchy import n, p
from ...structures.scheme import Relation, Scheme
from ...theorem.at_numbers import AtNumbers
from ...theorem.measure import Measure, Rank, Reading, product
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric

STRUCTURE = two_sizes()
SIZES = Domain(
    {
        m1: at_least(1),
        n1: at_least(2),
        m2: at_least(1),
        n2: at_least(2),
        p: at_least(1),
        tau: POSITIVE,
    },
    {m1: 3, n1: 4, m2: 2, n2: 2, p: 1, tau: Rational(1, 2)},
)

#: What an anchor sees: its class has n instances, n being n1 or n2.
SEEN = Scheme(
    STRUCTURE.size,
    (
        Relation("self", S.One),
        Relation("same_instance", p - 1),
        Relation("same_class", p * (n - 1)),
        Relation("cross_class", STRUCTURE.size - n * p),
    ),
    (),
    {},
    (),
    {},
    {**MEANINGS, n: "the number of instances in the class of the anchor"},
)

#: Inner products by kind of relation: how they are written, and between what.
INNER = {
    "same_instance": (r"u_{}^\top u_{}'", "views of an instance"),
    "same_class": (r"u_{}^\top v_{}", "instances of a class"),
    "cross_class": (r"u_{}^\top w_{}", "classes"),
}


class TwoSizes(AtNumbers):
    """The optimum where all parameters are given; until then, what holds for all sizes.

    Parameters
    ----------
    id, title, source
        As of any result.
    loss
        The declaration.
    domain
        Of the sizes and the parameters of the loss.
    at
        Values that are put in before anything is derived.
    convention
        The library in whose terms it is; its parameters are the same.
    """

    def __init__(
        self,
        id: str,
        *,
        title: str,
        source: str,
        loss: SoftmaxLoss,
        domain: Domain,
        at: Mapping[Symbol, Expr] | None = None,
        convention: str = "",
    ):
        reading = CONVENTIONS[convention].reading(loss) if convention else None
        super().__init__(
            id,
            title=f"{title}, in the terms of {convention}" if convention else title,
            source=source,
            parameters=domain.symbols(),
            domain=domain,
            build=self._derive,
            subject=Symmetric(
                Problem(reading.of_loss(loss) if reading else loss, STRUCTURE, domain),
                structure=SEEN,
                convention=convention,
                reading=reading,
            ),
        )
        self._made = partial(TwoSizes, id, title=title, source=source, loss=loss, domain=domain)
        self.fixed = dict(at or {})
        self.optima = BlockOptima(ReducedOnOrbits(loss, STRUCTURE), domain.symbols())

    def in_convention(self, convention: str) -> Result:
        """The same in the terms of a library, if its parameters are ours.

        Raises
        ------
        DomainError
            If there is no such convention, or its loss is another one; one line.
        """
        known = CONVENTIONS.get(convention)
        reading = known.reading(self.declared) if known is not None else None
        if reading is None or reading.ours:
            return super().in_convention(convention)
        return self._again(self.fixed, convention)

    def made_at(self, fixed: Mapping[Symbol, Expr]) -> TwoSizes:
        """The same with these values put in."""
        return self._again(fixed, self.convention)

    def found_at_numbers(self, name: str) -> bool:
        """Whether a number is that of the optimum."""
        return name in KNOWN

    def _again(self, fixed: Mapping[Symbol, Expr], convention: str) -> TwoSizes:
        made = self._made(at=fixed, convention=convention)
        made.optima = self.optima
        return made

    def _derive(self, proof: Derivation) -> dict[str, Quantity]:
        domain = self.domain
        state_reduction(self.optima.reduced, domain, proof)
        if set(self.fixed) != set(self.parameters):
            return {
                "vectors": Quantity(
                    STRUCTURE.size,
                    "N",
                    "number of vectors; all other quantities need numerical values",
                )
            }
        state_certificate(self.optima, Domain(domain.ranges, self.fixed), proof)
        found = self.optima.at(self.fixed)
        factor = self.reading.factor.xreplace(self.fixed) if self.reading else S.One

        def value(kind: str, *name: str) -> Expr:
            number = FaceValue.from_optima(self.optima, kind, *name).xreplace(self.fixed)
            return factor * number if kind in ("loss", "gap") else number

        return {
            name: replace(quantity, expression=value(*of))
            for name, (of, quantity) in KNOWN.items()
            if of[0] != "inner" or of[1] in found.inner
        }


def _known() -> dict[str, tuple[tuple[str, ...], Quantity]]:
    """Quantities by name: what of the optimum, and how it is written, at no value yet."""
    found: dict[str, tuple[tuple[str, ...], Quantity]] = {}

    def add(name: str, at: tuple[str, ...], symbol: str, meaning: str, how: Measure | None) -> None:
        found[name] = at, Quantity(S.NaN, symbol, meaning, measured=how)

    add("loss", ("loss",), r"\mathcal{L}^\star", "minimum of the loss", None)
    for r in STRUCTURE.relations:
        if r.kind != "self":
            written, between = INNER[r.kind]
            where = f"in group {r.left}" if r.left == r.right else "of the two groups"
            symbol = written.format(r.left, r.right)
            meaning = f"inner product of {between} {where}"
            add(r.name, ("inner", r.name), symbol, meaning, Reading(product(r.name)))
    add("rank", ("rank",), "d", "rank of the Gram matrix", Rank())
    means = "rank of the block of the means of the groups"
    add("rank_of_means", ("rank", "means"), r"\operatorname{rank} M", means, None)
    gap = "proved upper bound on the loss of the certificate minus the minimum"
    add("gap", ("gap",), r"\mathrm{gap}", gap, None)
    return found


KNOWN = _known()

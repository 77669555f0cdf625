"""SupCon where one class has another size than all the others: an equation for one cosine.

Every class is one point. With xi the cosine of the one and any other, and eta that of two others,
the Gram matrix is positive semidefinite iff a determinant is not negative, and the loss rises with
both: so eta is as small as xi lets it be. That is convex in xi, hence so is the loss, and the
optimum is where its slope vanishes. At xi = -1 all others are one point.
"""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Expr, Integer, Lambda, Rational, S, Symbol

from ...decide.calculus import derivative
from ...decide.domain import POSITIVE, Domain, at_least, between
from ...decide.present import tidy
from ...decide.root import ClampedRoot
from ...losses.labels import HARD_SUPCON
from ...losses.softmax import tau
from ...losses.supcl import CROSS_CLASS, SAME_CLASS
from ...optimum.blocks import ReducedOnOrbits, state_reduction
from ...optimum.condition import without_positive_factors
from ...optimum.program import entry
from ...optimum.segment_facts import with_reals
from ...problems.problem import Problem
from ...proof.derivation import Derivation
from ...proof.lemmas import COMPOSED
from ...proof.relations import eq, gt, le, lt
from ...proof.statement import Relations
from ...structures.classes import groups_of_classes, n1, n2
from ...structures.configuration import Configuration
from ._labels import ALONE, C

DOMAIN = Domain(
    {
        C: at_least(3, "two classes of any sizes are opposite; for these, give the sizes"),
        n1: at_least(2, ALONE),
        n2: at_least(2, ALONE),
        tau: POSITIVE,
    },
    {C: 3, n1: 4, n2: 2, tau: Rational(1, 2)},
)
MEANINGS = {
    C: "number of classes",
    n1: "samples in the first class",
    n2: "samples in each other class",
}
#: The one class is orbit 1.
STRUCTURE = groups_of_classes([("1", Integer(1), n1), ("2", C - 1, n2)], None)
PROBLEM = Problem(HARD_SUPCON, STRUCTURE, DOMAIN)
#: The two cosines in steps, and one more than the first, which is not negative.
across, among = Symbol("xi", real=True), Symbol("eta", real=True)
beyond = Symbol("t", nonnegative=True)


def state_points(reduced: ReducedOnOrbits, domain: Domain, proof: Derivation) -> None:
    """Record that classes are points, and that the loss rises with every cosine of two."""
    slopes = reduced.function.slopes
    felt = {
        r: Symbol(f"d_{r.name}") for r in reduced.configuration.relations if slopes[r.name] != 0
    }
    proof.holds(
        "The loss decreases with inner products within a class and increases with "
        "those across classes, so every class collapses to a point",
        [lt(d, 0) if r.kind == SAME_CLASS else gt(d, 0) for r, d in felt.items()],
        "raising the inner products within a class to 1 keeps the Gram matrix "
        "positive semidefinite: a diagonal entry of its block of class means grows, "
        "and the eigenvalue on contrasts within the class becomes zero",
        with_reals(domain, (entry(r.name) for r in felt)),
        names={d: slopes[r.name] for r, d in felt.items()},
    )


def determinant(structure: Configuration, inner: Mapping[Symbol, Expr]) -> Expr:
    """Of the block of the means of two groups, at inner products."""
    means = structure.block("means")
    entries = dict.fromkeys(means.slots(), S.Zero)
    for r in structure.relations:
        place = structure.place(means, r)
        if place is not None:
            entries[place] += structure.table["means"][r.name] * inner[entry(r.name)]
    first, second = (structure.orbit(o).size for o in means.orbits)
    return entries[0, 0] * entries[1, 1] - entries[0, 1] ** 2 * first / second


class OneApart:
    """The optimum for one class of n1 samples and C - 1 of n2, every step recorded.

    Attributes
    ----------
    x, y
        The cosine of the one class and another, and that of two others.
    loss
        The least loss.
    """

    def __init__(self, proof: Derivation):
        self.proof = proof
        self.reduced = ReducedOnOrbits(HARD_SUPCON, STRUCTURE)
        state_reduction(self.reduced, DOMAIN, proof)
        state_points(self.reduced, DOMAIN, proof)
        self.lowest = self._lowest()
        slope = self._slope()
        root = ClampedRoot(Lambda(beyond, slope), S.Zero, S.One)
        self.x = root - 1
        self.y = self.lowest.xreplace({across: self.x})
        self.loss = self._at(self.reduced.function.value).xreplace({across: self.x, among: self.y})

    def _at(self, e: Expr) -> Expr:
        """An expression in inner products, where classes are points."""
        found = {}
        for r in STRUCTURE.relations:
            between_two = among if r.left == r.right else across
            found[entry(r.name)] = between_two if r.kind == CROSS_CLASS else S.One
        return e.xreplace(found)

    def _lowest(self) -> Expr:
        """Record which cosines points have, and return the least y for an x."""
        points = {entry(r.name): self._at(entry(r.name)) for r in STRUCTURE.relations}
        both = determinant(STRUCTURE, points)
        short = tidy(both / (n1 * n2))
        rate = tidy(derivative(short, among))
        lowest = tidy(among - short / rate)
        reals = with_reals(DOMAIN, (across, among))
        name, least = Symbol("D"), Symbol("eta_min")
        self.proof.holds(
            "Unit vectors with the cosines xi and eta exist iff both are at most 1 and D "
            "is not negative, that is, eta >= eta_min",
            [eq(name, short), eq(name, rate * (among - least)), gt(rate, 0)],
            "D is a positive multiple of the determinant of the block of class means, "
            "whose first entry is positive",
            reals,
            names={name: both / (n1 * n2), least: lowest},
        )
        self.proof.holds(
            "eta_min is convex in xi, and at most 1",
            [
                gt(derivative(derivative(lowest, across), across), 0),
                le(lowest.xreplace({across: beyond - 1}), 1),
            ],
            "its second derivative is positive, and t = xi + 1 runs from 0 to 2 as xi "
            "runs from -1 to 1",
            DOMAIN.with_range(beyond, between(0, 2), 1),
        )
        return lowest

    def _slope(self) -> Expr:
        """Record that the optimum is where a slope vanishes, and return it in x + 1."""
        slopes = {r: self._at(e) for r, e in self.reduced.function.slopes.items()}
        rate = derivative(self.lowest, across)
        along = slopes["cross_class_1_2"] + slopes["cross_class_2"] * rate
        slope = along.xreplace({among: self.lowest}).xreplace({across: beyond - 1})
        inside = DOMAIN.with_range(beyond, between(0, 1), Rational(1, 2))
        short, over = without_positive_factors(slope, inside)
        h = Symbol("slope_apart")
        self.proof.add(
            "Along eta = eta_min the loss is convex in xi, and its derivative has the sign of "
            "slope_apart, with t = xi + 1",
            Relations(
                eq(h, short),
                inside,
                names={h: slope / over},
                premises=(
                    Relations(gt(over, 0), inside),
                    Relations(gt(derivative(rate, across), 0), DOMAIN),
                ),
                lemma=COMPOSED,
            ),
            "",
        )
        self.proof.holds(
            "At xi = 0 the loss increases with xi",
            gt(short.xreplace({beyond: S.One}), 0),
            "the derivative is positive there; by convexity the minimum lies at a xi < 0, "
            "where the derivative vanishes, or at xi = -1",
            DOMAIN,
        )
        return short

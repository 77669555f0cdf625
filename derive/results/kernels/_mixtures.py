"""Sums of kernels: their logarithm is convex and rises in the inner product where both do."""

from __future__ import annotations

from sympy import S, Symbol, exp, log

from ...decide.calculus import derivative
from ...decide.domain import Domain, Range, between
from ...proof.derivation import Derivation
from ...proof.relations import eq, ge

#: Along the inner product: its change; of the sum, the share of the first kernel; slopes and bends.
t, share = Symbol("t", real=True), Symbol("w", positive=True)
slope1, gap = Symbol("a_1", nonnegative=True), Symbol("g", nonnegative=True)
#: The second kernel is the one that rises faster.
slopes = [slope1, slope1 + gap]
bends = [Symbol(f"b_{i}", nonnegative=True) for i in (1, 2)]


def state_sum(proof: Derivation) -> None:
    """The similarity of a sum of kernels, by the shares that each has of the sum."""
    parts = [a * t + b * t**2 / 2 for a, b in zip(slopes, bends, strict=True)]
    whole = log(share * exp(parts[0]) + (1 - share) * exp(parts[1]))
    first = derivative(whole, t)
    slope, bend = (e.xreplace({t: S.Zero}) for e in (first, derivative(first, t)))
    nonnegative = Range(low_open=False)
    where = Domain(
        {share: between(0, 1, "()"), **dict.fromkeys((slope1, gap, *bends), nonnegative)},
        {share: "1/2", **dict.fromkeys((slope1, gap, *bends), 1)},
    )
    rest = 1 - share
    proof.holds(
        "A sum of two kernels: slope and curvature of its logarithm",
        [
            eq("slope", slope1 + rest * gap),
            eq("bend", share * bends[0] + rest * bends[1] + share * rest * gap**2),
            ge("slope", 0),
            ge("bend", 0),
        ],
        "w is the share that the first kernel has of the sum, a_1 the slope of its logarithm and "
        "a_1 + g that of the other, b_1 and b_2 are their curvatures; so it rises and is "
        "convex where both do, and what follows holds for a sum of kernels up to the "
        "Gaussian, as for one of them. A convex combination of two losses is least where both are: "
        "at the simplex as well",
        where,
        names={Symbol("slope"): slope, Symbol("bend"): bend},
    )

"""The sigmoid loss beyond the paper: K towers, several positives, any weight of negatives.

The same symmetry with two more numbers (K towers, all pairs of which are used; p vectors of
each item in every tower, positives of those it has in the other towers), the same loss with one
more factor, the same two endpoint conditions. Vectors of an item in one tower are not in the loss:
that they coincide is derived. The far end is where all items of a tower coincide
and the K towers form a (K-1)-simplex: for K = 2 the antipodal structure of lee2024sigmoid.
"""

from dataclasses import replace

from sympy import S

from ..engine.calculus import derivative
from ..engine.derivation import Derivation, by_construction
from ..engine.domain import POSITIVE, Range, at_least
from ..engine.endpoint import threshold
from ..engine.present import collected, tidy
from ..engine.reduce import ReducedPairwise
from ..engine.relations import eq, ge, le
from ..engine.result import Quantity, Result, argmin
from ..engine.segment import LossOnSegment
from ..losses.clip import SIGMOID
from ..structures.towers import NEGATIVE, SIBLING, TWIN, towers_of_views
from ..structures.towers import POSITIVE as ALIGNED
from ..symbols import K, N, b, p, t, w, x
from ._ccem import BIASED, LOW, shape_of

_ATTRACT, _REPEL = SIGMOID.terms
#: The loss (2) with a weight on every negative pair, and all vectors of an item as positives.
WEIGHTED = replace(
    SIGMOID,
    name="weighted-sigmoid",
    title="sigmoid loss with weight w on negatives",
    terms=(_ATTRACT, replace(_ATTRACT, relation=SIBLING), replace(_REPEL, weight=w)),
)

DOMAIN = (
    BIASED.with_range(K, at_least(2), 2).with_range(p, at_least(1), 1).with_range(w, POSITIVE, 1)
)
#: With no more items than towers the negatives never pull the towers apart.
MANY = DOMAIN.with_range(
    N,
    Range(K + 1, S.Infinity, low_open=False, integer=True, why="for N <= K it is the simplex"),
    4,
)
# N refers to K, so K has to come first.
MANY = replace(
    MANY, ranges={K: MANY.ranges[K], **{s: r for s, r in MANY.ranges.items() if s is not K}}
)


def build(proof: Derivation) -> dict[str, Quantity]:
    problem = LossOnSegment(
        ReducedPairwise(WEIGHTED, towers_of_views(K, p), shape_of(SIGMOID, BIASED)),
        coordinate=ALIGNED,
        low=LOW,
        domain=DOMAIN,
        proof=proof,
    )
    segment = problem.segment
    start = proof.add(
        "The simplex with agreeing towers is optimal iff the loss does not fall at x = 0",
        ge(tidy(problem.slope_at(S.Zero) / p), 0),
        "the loss is convex along the segment",
        by_construction("the slope at x = 0"),
    ).lhs
    end = proof.add(
        "The simplex of towers is optimal iff the loss does not rise at the far end",
        le(tidy(problem.slope_at(segment.length) / p), 0),
        "there all items of a tower coincide",
        by_construction("the slope at the far end"),
    ).lhs
    found = {}
    for name, condition, parameter, sign, says in (
        ("b_simplex", start, b, ">=", "agreeing towers are optimal iff b >= b_simplex"),
        ("b_antipodal", end, b, "<=", "the simplex of towers is optimal iff b <= b_antipodal"),
        ("w_simplex", start, w, "<=", "agreeing towers are optimal iff w <= w_simplex"),
        ("w_antipodal", end, w, ">=", "the simplex of towers is optimal iff w >= w_antipodal"),
    ):
        what = "Agreeing towers are not optimal" if condition is start else "They are optimal"
        value = threshold(condition, parameter, MANY, proof, meaning=what).value
        found[name] = Quantity(
            value, rf"{name[0]}_{{\mathrm{{{name[2:]}}}}}", says, MANY, bound=(parameter, sign)
        )
    proof.zero(
        "The vectors of an item coincide, and their number does not enter the conditions",
        [segment.inner[TWIN] - 1, derivative(start, p), derivative(end, p)],
        "all of them are positives, and each meets the same negatives",
        DOMAIN,
        eq("g_twin", segment.inner[TWIN]),
    )
    position = argmin(collected(problem.slope / p, x), x, S.Zero, segment.length)
    at = {x: position}
    found["x_star"] = Quantity(position, r"x^\star", "position on the Gram segment")
    for name, relation in (("positive", ALIGNED), ("negative", NEGATIVE)):
        found[name] = Quantity(
            segment.inner[relation].xreplace(at), rf"c_{{{name}}}", f"of a {name} pair"
        )
    found["loss"] = Quantity(
        problem.value.xreplace(at), r"\mathcal{L}^\star", "least loss, a mean over the anchors"
    )
    return found


RESULT = Result(
    "towers-threshold",
    title="The sigmoid loss on K towers, several positives, weighted negatives",
    source="beyond lee2024sigmoid, Theorem 2",
    parameters=(N, K, p, t, b, w),
    domain=DOMAIN,
    build=build,
)

"""The sigmoid loss beyond the paper: K towers, all pairs of them, and any weight of negatives.

The same symmetry with one more number, the same loss with one more factor, the same two
endpoint conditions. The far end is where all items of a tower coincide and the K towers
form a (K-1)-simplex: for K = 2 the antipodal structure of lee2024sigmoid.
"""

from dataclasses import replace

from sympy import S

from ..engine.derivation import Derivation, by_construction
from ..engine.domain import POSITIVE, Range, at_least
from ..engine.endpoint import threshold
from ..engine.reduce import ReducedPairwise
from ..engine.relations import ge, le
from ..engine.result import Quantity, Result, argmin
from ..engine.segment import LossOnSegment
from ..losses.clip import SIGMOID
from ..structures.towers import NEGATIVE, towers
from ..structures.towers import POSITIVE as ALIGNED
from ..symbols import K, N, b, t, w, x
from ._ccem import BIASED, LOW, shape_of

#: The loss (2) with a weight on every negative pair.
WEIGHTED = replace(
    SIGMOID,
    name="weighted-sigmoid",
    title="sigmoid loss with weight w on negatives",
    terms=tuple(
        replace(term, weight=w) if term.relation == NEGATIVE else term for term in SIGMOID.terms
    ),
)

DOMAIN = BIASED.with_range(K, at_least(2), 2).with_range(w, POSITIVE, 1)
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
        ReducedPairwise(WEIGHTED, towers(K), shape_of(SIGMOID, BIASED)),
        coordinate=ALIGNED,
        low=LOW,
        domain=DOMAIN,
        proof=proof,
    )
    segment = problem.segment
    start = proof.add(
        "The simplex with agreeing towers is optimal iff the loss does not fall at x = 0",
        ge(problem.slope_at(S.Zero), 0),
        "the loss is convex along the segment",
        by_construction("the slope at x = 0"),
    ).lhs
    end = proof.add(
        "The simplex of towers is optimal iff the loss does not rise at the far end",
        le(problem.slope_at(segment.length), 0),
        "there all items of a tower coincide",
        by_construction("the slope at the far end"),
    ).lhs
    found = {}
    for name, condition, parameter, says in (
        ("b_simplex", start, b, "agreeing towers are optimal iff b >= b_simplex"),
        ("b_antipodal", end, b, "the simplex of towers is optimal iff b <= b_antipodal"),
        ("w_simplex", start, w, "agreeing towers are optimal iff w <= w_simplex"),
        ("w_antipodal", end, w, "the simplex of towers is optimal iff w >= w_antipodal"),
    ):
        what = "Agreeing towers are not optimal" if condition is start else "They are optimal"
        value = threshold(condition, parameter, MANY, proof, meaning=what).value
        found[name] = Quantity(value, rf"{name[0]}_{{\mathrm{{{name[2:]}}}}}", says, MANY)
    position = argmin(problem.slope, x, S.Zero, segment.length)
    at = {x: position}
    found["x_star"] = Quantity(position, r"x^\star", "position on the Gram segment")
    for name, relation in (("positive", ALIGNED), ("negative", NEGATIVE)):
        found[name] = Quantity(
            segment.inner[relation].xreplace(at), rf"c_{{{name}}}", f"of a {name} pair"
        )
    return found


RESULT = Result(
    "towers-threshold",
    title="The sigmoid loss on K towers with weighted negatives",
    source="beyond lee2024sigmoid, Theorem 2",
    parameters=(N, K, t, b, w),
    domain=DOMAIN,
    build=build,
)

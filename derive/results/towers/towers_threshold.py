"""The sigmoid loss beyond the paper: K towers, several positives, any weight of negatives.

The same symmetry with two more numbers (K towers, all pairs of which are used; p vectors of
each item in every tower, positives of those it has in the other towers), the same loss with one
more factor, the same two endpoint conditions. Vectors of an item in one tower are not in the loss:
that they coincide is derived. The far end is where all items of a tower coincide
and the K towers form a (K-1)-simplex: for K = 2 the antipodal structure of lee2024sigmoid.
"""

from dataclasses import replace

from sympy import Ge, Le, S, Symbol

from ...decide.calculus import derivative
from ...decide.domain import POSITIVE, Range, at_least
from ...decide.present import collected
from ...decide.root import argmin
from ...losses.clip import SIGMOID, WEIGHT, b, t, w
from ...optimum.on_segment import LossOnSegment
from ...optimum.reduce import ReducedPairwise
from ...optimum.segment import Segment, x
from ...optimum.threshold import threshold
from ...problems.domains import BIASED
from ...problems.problem import Problem
from ...proof.derivation import Derivation
from ...proof.relations import eq
from ...structures.hierarchy import p
from ...structures.towers import NEGATIVE, SIBLING, TWIN, K, N, towers_of_views
from ...structures.towers import POSITIVE as ALIGNED
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from .._pure import segment_from
from ._ccem import LOW, POSITION, shape_of

_ATTRACT, _REPEL = SIGMOID.terms
#: The loss (2) with a weight on every negative pair, and all vectors of an item as positives.
WEIGHTED = replace(
    SIGMOID,
    name="weighted-sigmoid",
    title="sigmoid loss with weight w on negatives",
    terms=(_ATTRACT, replace(_ATTRACT, relation=SIBLING), replace(_REPEL, weight=w)),
    meanings={**SIGMOID.meanings, **WEIGHT},
)

SYMMETRY = towers_of_views(K, p)
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
    reduced = ReducedPairwise(WEIGHTED, SYMMETRY, shape_of(SIGMOID, BIASED))
    segment = segment_of_towers()
    problem = LossOnSegment(reduced, segment, DOMAIN, proof)
    start = problem.criterion(
        "agreeing towers are optimal",
        Ge,
        S.Zero,
        "x = 0 is the simplex with agreeing towers",
        over=p,
    )
    end = problem.criterion(
        "the simplex of towers is optimal",
        Le,
        segment.length,
        "there all items of a tower coincide",
        over=p,
    )
    found = {}
    for name, criterion, parameter in (
        ("b_simplex", start, b),
        ("b_antipodal", end, b),
        ("w_simplex", start, w),
        ("w_antipodal", end, w),
    ):
        solved = threshold(criterion, parameter, MANY, proof)
        found[name] = Quantity.from_threshold(solved, name, rf"{name[0]}_{{\mathrm{{{name[2:]}}}}}")
    twin, rates = Symbol("g_twin"), [Symbol(f"dh_{end_}_dp") for end_ in ("start", "far")]
    proof.holds(
        "The vectors of an item coincide, and their number does not enter the conditions",
        [eq(twin, S.One), *(eq(rate, S.Zero) for rate in rates)],
        "each meets the same positives and the same negatives",
        DOMAIN,
        names={twin: segment.inner[TWIN]}
        | {r: derivative(k.condition, p) for r, k in zip(rates, (start, end), strict=True)},
    )
    position = argmin(collected(problem.slope / p, x), x, S.Zero, segment.length)
    at = {x: position}
    found["x_star"] = Quantity(
        position,
        r"x^\star",
        "position on the Gram segment",
        spellings=(r"x^*",),
        measured=POSITION,
    )
    for name, relation in (("positive", ALIGNED), ("negative", NEGATIVE)):
        found[name] = Quantity(
            segment.inner[relation].xreplace(at),
            rf"c_{{{name}}}",
            f"inner product of a {name} pair",
        )
    found["loss"] = Quantity(
        problem.value.xreplace(at),
        r"\mathcal{L}^\star",
        "minimum of the loss, a mean over the anchors",
        spellings=(r"\mathcal{L}^*",),
    )
    return found


def segment_of_towers() -> Segment:
    """The segment that is left: from agreeing towers to a simplex of towers."""
    return segment_from(SYMMETRY, "shared_contrasts", LOW, ALIGNED)


KEYWORDS = "hard negatives, multimodal"
RESULT = Result(
    "towers-threshold",
    title="The sigmoid loss on K towers, several positives, weighted negatives",
    source="beyond lee2024sigmoid, Theorem 2",
    parameters=(N, K, p, t, b, w),
    build=build,
    subject=Symmetric(Problem(WEIGHTED, SYMMETRY, DOMAIN), segment=segment_of_towers),
)

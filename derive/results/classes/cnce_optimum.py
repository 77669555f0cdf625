"""An optimum of the class-conditional InfoNCE loss (lee2025ssem, Proposition A.6).

The loss does not see how classes lie to each other. Within a class it is strictly
convex and falls all along the segment, so it is least at the far end, where class
means vanish and every class is an (n-1)-simplex by itself. Classes may then share dimensions.
"""

from dataclasses import replace

from sympy import S, Symbol

from ...losses.supcl import CNCE, SAME_CLASS
from ...optimum.dimension import Dimension, state_dimension
from ...optimum.on_segment import LossOnSegment
from ...optimum.reduce import ReducedLoss, inner_products
from ...optimum.segment import x
from ...optimum.segment_facts import AtEnd
from ...problems.domains import TEMPERED
from ...problems.problem import Problem
from ...proof.derivation import Derivation
from ...proof.lemmas import NOT_FELT
from ...proof.relations import eq, lt
from ...structures.hierarchy import VIEWS, hierarchy, n
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from ._supcl import (
    SYMMETRY,
    on_segment,
    optimum,
    ssem_segment,
    state_delta,
)


def build(proof: Derivation) -> dict[str, Quantity]:
    problem = on_segment(CNCE, TEMPERED, proof)
    segment = problem.segment
    state_delta(proof, segment, TEMPERED)
    proof.holds(
        "The loss decreases along the whole segment",
        lt(problem.slope, S.Zero),
        "its derivative is negative everywhere",
        problem.domain,
    )
    proof.add(
        "The loss is minimal at the far end of the segment, where delta_star > 1",
        AtEnd.from_segment(problem.reduced, problem.segment, segment.length, problem.domain),
        "",
    )
    entry = Symbol("a_cross_class")
    proof.holds(
        "The inner products across classes are not unique",
        eq(entry, S.Zero),
        NOT_FELT,
        problem.domain,
        names={entry: problem.reduced.pair_gradient(segment.inner)["cross_class"]},
    )
    found = optimum(segment, segment.length, problem.value, TEMPERED)
    room = _state_one_class(problem, proof)
    own = {k: replace(found[k], room=room) for k in (SAME_CLASS, "loss")}
    return {**{k: found[k] for k in ("delta_star", "same_class", "cross_class", "loss")}, **own}


def _state_one_class(problem: LossOnSegment, proof: Derivation) -> Dimension | None:
    """Record in how many dimensions each class is a simplex, wherever the others are."""
    alone = ReducedLoss(CNCE, hierarchy(VIEWS, (n, SAME_CLASS, "instances")))
    g, value = inner_products(alone.scheme), Symbol("L")
    proof.holds(
        "The loss is that of one class alone, the same for all classes",
        eq(value, alone.value(g)),
        "an anchor is compared with vectors of its class only; so classes may share dimensions",
        problem.domain,
        names={value: problem.reduced.value(inner_products(problem.segment.scheme))},
    )
    inner = {r: problem.segment.inner[r].xreplace({x: problem.segment.length}) for r in g}
    stays = dict.fromkeys(inner, S.Zero)
    return state_dimension(alone, inner, stays, {}, TEMPERED, proof)


RESULT = Result(
    "cnce-optimum",
    title="An optimum of the class-conditional InfoNCE loss, on the SSEM segment",
    source="lee2025ssem, Remark 1 and Proposition A.6",
    build=build,
    subject=Symmetric(Problem(CNCE, SYMMETRY, TEMPERED), segment=ssem_segment),
)

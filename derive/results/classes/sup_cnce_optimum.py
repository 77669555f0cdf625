"""The combination (1-alpha) L_Sup + alpha L_cNCE that lee2025ssem, Remark 1 warns of.

Its optimum can pass the (mn-1)-simplex, where same-class and cross-class inner products
agree, and then instances of one class are further apart than instances of two. By
convexity it does so iff the loss still falls at that point: one more endpoint condition.
"""

from sympy import Le, Lt, S

from ...decide.calculus import derivative
from ...decide.root import argmin
from ...losses.softmax import tau
from ...losses.supcl import SUP_CNCE, alpha
from ...optimum.segment import x
from ...optimum.threshold import threshold
from ...problems.domains import COMBINED
from ...problems.problem import Problem
from ...proof.derivation import Derivation
from ...proof.relations import gt
from ...structures.hierarchy import m, n, p
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from ._supcl import (
    SYMMETRY,
    on_segment,
    optimum,
    simplex_position,
    ssem_segment,
    state_delta,
)


def build(proof: Derivation) -> dict[str, Quantity]:
    problem = on_segment(SUP_CNCE, COMBINED, proof)
    segment = problem.segment
    state_delta(proof, segment, COMBINED)
    curvature = tau * derivative(derivative(problem.value, x), x)
    proof.holds(
        "The loss is strictly convex along the segment",
        gt(curvature, S.Zero),
        "a strictly convex function has one minimiser",
        problem.domain,
    )
    marks = {
        "alpha_min": ("classes do not collapse", Lt, S.Zero, "x = 0 is collapse"),
        "alpha_inversion": (
            "same-class pairs are further apart than cross-class ones",
            Lt,
            simplex_position(segment),
            "at that point all distinct instances have the same inner product",
        ),
        "alpha_merge": (
            "class means coincide",
            Le,
            segment.length,
            "the far end is where class means coincide",
        ),
    }
    found = optimum(
        segment, argmin(problem.slope, x, S.Zero, segment.length), problem.value, COMBINED
    )
    for name, mark in marks.items():
        solved = threshold(problem.criterion(*mark), alpha, COMBINED, proof)
        label = name.removeprefix("alpha_")
        found[name] = Quantity.from_threshold(
            solved, name, rf"\alpha_{{\mathrm{{{label}}}}}", domain=None
        )
    return found


RESULT = Result(
    "sup-cnce-optimum",
    title="The optimum of L_Sup combined with class-conditional InfoNCE",
    source="lee2025ssem, Remark 1",
    parameters=(m, n, p, alpha, tau),
    build=build,
    subject=Symmetric(Problem(SUP_CNCE, SYMMETRY, COMBINED), segment=ssem_segment),
)

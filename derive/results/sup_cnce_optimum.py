"""The combination (1-alpha) L_Sup + alpha L_cNCE that lee2025ssem, Remark 1 warns of.

Its optimum can pass the (mn-1)-simplex, where same-class and cross-class inner products
agree, and then instances of one class are further apart than instances of two. By
convexity it does so iff the loss still falls at that point: one more endpoint condition.
"""

from sympy import S

from ..engine.calculus import derivative
from ..engine.derivation import Derivation
from ..engine.endpoint import threshold
from ..engine.relations import gt
from ..engine.result import Quantity, Result, argmin
from ..losses.supcl import SUP_CNCE
from ..symbols import alpha, m, n, p, tau, x
from ._supcl import COMBINED, on_segment, optimum, simplex_position, ssem_segment, state_delta


def build(proof: Derivation) -> dict[str, Quantity]:
    problem = on_segment(SUP_CNCE, COMBINED, proof)
    segment = problem.segment
    state_delta(proof, segment, COMBINED)
    curvature = tau * derivative(derivative(problem.value, x), x)
    proof.positive(
        "The loss is strictly convex along the segment",
        [curvature],
        "so its minimiser is unique, and lies beyond a point iff the loss falls there",
        problem.domain,
        gt(curvature, S.Zero),
    )
    marks = {
        "alpha_min": (S.Zero, "Classes do not collapse", "classes do not collapse iff alpha > it"),
        "alpha_inversion": (
            simplex_position(segment),
            "Same-class pairs are further apart than cross-class pairs",
            "same-class pairs are further apart than cross-class ones iff alpha > it",
        ),
        "alpha_merge": (
            segment.length,
            "The class means still move together at the far end",
            "class means coincide iff alpha >= it",
        ),
    }
    found = optimum(
        segment, argmin(problem.slope, x, S.Zero, segment.length), problem.value, COMBINED
    )
    for name, (point, says, meaning) in marks.items():
        condition = problem.slope_at(point)
        value = threshold(condition, alpha, COMBINED, proof, meaning=says).value
        label = name.removeprefix("alpha_")
        found[name] = Quantity(
            value,
            rf"\alpha_{{\mathrm{{{label}}}}}",
            meaning,
            bound=(alpha, ">" if point != segment.length else ">="),
        )
    return found


RESULT = Result(
    "sup-cnce-optimum",
    title="The optimum of L_Sup combined with class-conditional InfoNCE",
    source="lee2025ssem, Remark 1",
    parameters=(m, n, p, alpha, tau),
    domain=COMBINED,
    build=build,
    loss=SUP_CNCE,
    segment=ssem_segment,
)

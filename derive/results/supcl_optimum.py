"""Where the SupCL loss is least (lee2025ssem, Theorem A.2).

Along the segment the derivative of the loss has the sign of an increasing function h
that is >= 0 at the (mn-1)-simplex. Its zero, or collapse if it has none, is the optimum.
"""

from sympy import S, Tuple

from ..engine.calculus import derivative
from ..engine.derivation import Derivation
from ..engine.relations import eq, ge, gt
from ..engine.result import Quantity, Result, argmin
from ..losses.supcl import SUPCL
from ..symbols import alpha, m, n, p, tau, x
from ._supcl import (
    COMBINED,
    on_segment,
    optimum,
    simplex_position,
    state_delta,
    variances,
)


def build(proof: Derivation) -> dict[str, Quantity]:
    problem = on_segment(SUPCL, COMBINED, proof)
    segment, h = problem.segment, problem.slope
    state_delta(proof, segment, COMBINED)
    proof.positive(
        "h is increasing",
        [derivative(h, x)],
        "so the loss is strictly convex along the segment: delta_star is unique",
        problem.domain,
        gt(derivative(h, x), S.Zero),
    )
    end = simplex_position(segment)
    proof.positive(
        "h >= 0 at the (mn-1)-simplex, so x_star lies in [0, mn/(mn-1)]",
        [h.xreplace({x: end})],
        "h is zero there only for alpha = 1",
        COMBINED,
        ge(h.xreplace({x: end}), S.Zero),
        strict=False,
    )
    share = variances(segment)
    proof.zero(
        "Every optimum has the largest total variance",
        [share["within"] + share["between"] - 1],
        "the mean is active, so the centroid is zero and the trace is all variance",
        problem.domain,
        Tuple(eq("V_W", share["within"]), eq("V_B", share["between"])),
    )
    return optimum(segment, argmin(h, x, S.Zero, end), problem.value, COMBINED)


RESULT = Result(
    "supcl-optimum",
    title="The optimum of the SupCL loss",
    source="lee2025ssem, Theorems 1 and A.2",
    parameters=(m, n, p, alpha, tau),
    domain=COMBINED,
    build=build,
)

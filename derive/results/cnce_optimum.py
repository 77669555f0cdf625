"""An optimum of the class-conditional InfoNCE loss (lee2025ssem, Proposition A.6).

The loss does not see how classes lie to each other. Within a class it is strictly
convex and falls all along the segment, so it is least at the far end, where class
means vanish and every class is an (n-1)-simplex by itself.
"""

from sympy import S, Symbol, Tuple

from ..engine.derivation import Derivation
from ..engine.relations import eq, lt
from ..engine.result import Quantity, Result
from ..losses.supcl import CNCE
from ..symbols import m, n, p, tau
from ._supcl import TEMPERED, on_segment, optimum, ssem_segment, state_delta


def build(proof: Derivation) -> dict[str, Quantity]:
    problem = on_segment(CNCE, TEMPERED, proof)
    segment = problem.segment
    state_delta(proof, segment, TEMPERED)
    proof.positive(
        "The loss falls all along the segment",
        [-problem.slope],
        "so x_star is the far end, delta_star > 1",
        problem.domain,
        lt(problem.slope, S.Zero),
    )
    entries = problem.reduced.pair_gradient(segment.inner)
    proof.zero(
        "Unique: the inner products within a class. Not unique: those across classes",
        [entries["cross_class"]],
        "no term contains a cross-class pair; within a class log-sum-exp is strictly convex "
        "up to a constant, which the unit diagonal fixes. Any cross-class products that leave "
        "the Gram matrix PSD are optimal too",
        problem.domain,
        Tuple(eq("a_cross_class", S.Zero), eq(Symbol("x_star"), segment.length)),
    )
    found = optimum(segment, segment.length, problem.value, TEMPERED)
    return {k: found[k] for k in ("delta_star", "same_class", "cross_class", "loss")}


RESULT = Result(
    "cnce-optimum",
    title="An optimum of the class-conditional InfoNCE loss, on the SSEM segment",
    source="lee2025ssem, Remark 1 and Proposition A.6",
    parameters=(m, n, p, tau),
    domain=TEMPERED,
    build=build,
    loss=CNCE,
    segment=ssem_segment,
)

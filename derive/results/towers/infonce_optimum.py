"""The optimum of the two-sided InfoNCE loss (lee2024sigmoid, Corollaries 1 and 3).

The loss rises all along the CCEM segment, so it is least at its start: the simplex with
u_i = v_i, whatever the temperature (which divides here).
"""

from sympy import S

from ...losses.clip import INFONCE
from ...optimum.reduce import ReducedLoss
from ...optimum.segment_facts import AtEnd
from ...problems.domains import WARM
from ...problems.problem import Problem
from ...proof.derivation import Derivation
from ...proof.relations import gt
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from ._ccem import (
    SYMMETRY,
    ccem_segment,
    on_ccem,
    optimum,
    state_delta,
)


def build(proof: Derivation) -> dict[str, Quantity]:
    problem = on_ccem(ReducedLoss(INFONCE, SYMMETRY), WARM, proof)
    state_delta(proof, problem.segment, WARM)
    proof.holds(
        "The loss increases along the whole segment",
        gt(problem.slope, S.Zero),
        "its derivative is positive everywhere",
        problem.domain,
    )
    proof.add(
        "So the simplex is optimal, and the only optimum on the segment",
        AtEnd.from_segment(problem.reduced, problem.segment, S.Zero, problem.domain),
        "",
    )
    found = optimum(problem.segment, S.Zero, problem.value, WARM)
    return {k: found[k] for k in ("delta_star", "positive", "negative", "loss")}


KEYWORDS = "two-tower, multimodal"
RESULT = Result(
    "infonce-optimum",
    title="The optimum of the two-sided InfoNCE loss",
    source="lee2024sigmoid, Corollaries 1 and 3",
    build=build,
    subject=Symmetric(Problem(INFONCE, SYMMETRY, WARM), segment=ccem_segment),
)

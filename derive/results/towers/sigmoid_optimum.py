"""Where the sigmoid loss is least, for any temperature and bias (lee2024sigmoid, Theorem 2).

The loss is strictly convex along the CCEM segment, so its minimiser is unique: the
simplex if the loss does not fall there, the antipodal structure if it still falls there,
and in between the zero of the derivative.
"""

from sympy import Ge, Le, Piecewise, S, Symbol

from ...decide.calculus import derivative
from ...decide.root import argmin
from ...losses.clip import SIGMOID
from ...optimum.reduce import ReducedPairwise
from ...optimum.segment import x
from ...problems.domains import BIASED
from ...problems.problem import Problem
from ...proof.derivation import Derivation
from ...proof.relations import gt
from ...theorem.measure import Face
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from ._ccem import (
    SYMMETRY,
    ccem_segment,
    on_ccem,
    optimum,
    shape_of,
    state_delta,
)


def build(proof: Derivation) -> dict[str, Quantity]:
    reduced = ReducedPairwise(SIGMOID, SYMMETRY, shape_of(SIGMOID, BIASED))
    problem = on_ccem(reduced, BIASED, proof)
    segment, slope = problem.segment, problem.slope
    state_delta(proof, segment, BIASED)
    curvature = derivative(derivative(problem.value, x), x)
    proof.holds(
        "The loss is strictly convex along the segment",
        gt(curvature, S.Zero),
        "the minimiser of a strictly convex function is unique",
        problem.domain,
    )
    simplex = problem.criterion("the simplex is optimal", Ge, S.Zero, "x = 0 is the simplex")
    antipodal = problem.criterion(
        "the antipodal structure is optimal", Le, segment.length, "there u_i = -v_j for all i, j"
    )
    found = optimum(segment, argmin(slope, x, S.Zero, segment.length), problem.value, BIASED)
    found["regime"] = Quantity(
        Piecewise(
            (Symbol("simplex"), simplex.relation),
            (Symbol("antipodal"), antipodal.relation),
            (Symbol("between"), True),
        ),
        r"\mathrm{regime}",
        "which structure is optimal; the simplex and the antipodal structure include "
        "their thresholds",
        measured=Face(
            {
                "simplex": (segment.high,),
                "antipodal": (segment.low,),
                "between": (segment.low, segment.high),
            }
        ),
    )
    return found


RESULT = Result(
    "sigmoid-optimum",
    title="The optimum of the sigmoid loss",
    source="lee2024sigmoid, Corollary 2 and Theorem 2",
    build=build,
    subject=Symmetric(Problem(SIGMOID, SYMMETRY, BIASED), segment=ccem_segment),
)

"""Where the SupCL loss is least (lee2025ssem, Theorem A.2).

Along the segment the derivative of the loss has the sign of an increasing function h
that is >= 0 at the (mn-1)-simplex. Its zero, or collapse if it has none, is the optimum.
"""

from sympy import Rational, S, oo

from ...decide.calculus import derivative
from ...decide.convexity import log_sum_exp_is_convex
from ...decide.domain import between
from ...decide.root import argmin
from ...losses.softmax import tau
from ...losses.supcl import SUPCL, alpha
from ...optimum.reduce import Pool, ReducedLoss
from ...optimum.segment import x
from ...problems.domains import COMBINED
from ...problems.problem import Problem
from ...proof.derivation import Derivation
from ...proof.lemmas import ONLY_ONE
from ...proof.limiting import take_limit
from ...proof.relations import ge, gt
from ...structures.hierarchy import m, n, p
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from ._supcl import (
    SYMMETRY,
    by_name,
    on_segment,
    optimum,
    simplex_position,
    ssem_segment,
    state_delta,
    sums_to_one,
    variances,
)

#: For alpha = 0 classes collapse; the closed form divides by alpha.
SELF_WEIGHTED = COMBINED.with_range(alpha, between(0, 1, "(]"), Rational(1, 2))


def build(proof: Derivation) -> dict[str, Quantity]:
    problem = on_segment(SUPCL, COMBINED, proof)
    segment, h = problem.segment, problem.slope
    state_delta(proof, segment, COMBINED)
    proof.holds(
        "h, which has the sign of the derivative of the loss, is increasing",
        gt(derivative(h, x), S.Zero),
        "its derivative is positive; the loss is strictly convex along the segment, and "
        "delta_star is unique",
        problem.domain,
    )
    end = simplex_position(segment)
    proof.holds(
        "h >= 0 at the (mn-1)-simplex, so x_star lies in [0, mn/(mn-1)]",
        ge(problem.slope_at(end), S.Zero),
        "h is zero there only for alpha = 1",
        COMBINED,
    )
    share = variances(segment.inner)
    proof.holds(
        "Every optimum has the largest total variance",
        sums_to_one(),
        "the eigenvalue of mean vanishes, so c2, the squared norm of the centroid, is zero",
        problem.domain,
        names=by_name(share),
    )
    everything = tuple(r.name for r in problem.scheme.relations)
    weight = ReducedLoss(SUPCL, problem.scheme).denominators.get(Pool(everything), S.Zero)
    proof.holds(
        "The optimal Gram matrix is unique, so every optimum lies on the SSEM",
        gt(weight, S.Zero),
        ONLY_ONE,
        COMBINED,
        premises=[log_sum_exp_is_convex(len(everything))],
    )
    found = optimum(segment, argmin(h, x, S.Zero, end), problem.value, COMBINED)
    within = found["within_class_variance"].expression
    found["within_class_variance_n_oo"] = Quantity(
        take_limit("V_W", within, n, oo, SELF_WEIGHTED, proof),
        r"\lim_{n\to\infty}\mathrm{Var}[U_i]",
        "within-class variance for many instances per class: linear in tau",
        SELF_WEIGHTED,
        limit_of=(within, n, oo),
    )
    return found


RESULT = Result(
    "supcl-optimum",
    title="The optimum of the SupCL loss",
    source="lee2025ssem, Theorems 1 and A.2",
    parameters=(m, n, p, alpha, tau),
    build=build,
    subject=Symmetric(Problem(SUPCL, SYMMETRY, COMBINED), segment=ssem_segment),
)

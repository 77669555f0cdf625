"""When the sigmoid loss gives the simplex, and when the antipodal structure.

The loss is convex along the CCEM segment, so the simplex (x = 0) is optimal iff the loss
does not fall there, and the antipodal structure (the far end) iff it does not rise
there: the same first-order conditions at the ends that gave alpha_min of SupCL
(lee2024sigmoid, Theorem 2, has them for b = t).
"""

from dataclasses import replace

from sympy import Expr, S, Symbol, oo

from ..engine.calculus import derivative
from ..engine.derivation import Derivation, by_construction
from ..engine.domain import at_least
from ..engine.endpoint import concave_form, essential, threshold
from ..engine.reduce import ReducedPairwise
from ..engine.relations import ge, le
from ..engine.result import Quantity, Result, argmin
from ..losses.clip import SIGMOID
from ..symbols import N, b, t
from ._ccem import BIASED, SYMMETRY, WARM, on_ccem, shape_of

FOUR = WARM.with_range(
    N, at_least(4, "for N = 2 and 3 with b = t the simplex is optimal at every t"), 5
)
THREE = BIASED.with_range(N, at_least(3, "for N = 2 the simplex is optimal at every bias"), 4)

FIXED = BIASED.with_range(
    N, at_least(4, "for N = 2 the simplex is optimal at every t; for N = 3 use b_simplex"), 5
)


def build(proof: Derivation) -> dict[str, Quantity]:
    reduced = ReducedPairwise(SIGMOID, SYMMETRY, shape_of(SIGMOID, BIASED))
    problem = on_ccem(reduced, BIASED, proof)
    start = proof.add(
        "The simplex is optimal iff the convex loss does not fall at x = 0",
        ge(problem.slope_at(S.Zero), 0),
        "x = 0 is the simplex with u_i = v_i",
        by_construction("the slope at x = 0"),
    ).lhs
    end = proof.add(
        "The antipodal structure is optimal iff the loss does not rise at the far end",
        le(problem.slope_at(problem.segment.length), 0),
        "there u_i = -v_j for all i and j",
        by_construction("the slope at the far end"),
    ).lhs
    equal = {b: t}
    not_simplex, not_antipodal = "The simplex is not optimal", "The antipodal structure is optimal"
    at_equal, free = "at b = t", "for any bias"
    quantities = {
        "t_simplex": threshold(
            start.xreplace(equal), t, FOUR, proof, meaning=f"{not_simplex} {at_equal}"
        ),
        "t_antipodal": threshold(
            end.xreplace(equal), t, FOUR, proof, meaning=f"{not_antipodal} {at_equal}"
        ),
        "b_simplex": threshold(start, b, THREE, proof, meaning=f"{not_simplex} {free}"),
        "b_antipodal": threshold(end, b, THREE, proof, meaning=f"{not_antipodal} {free}"),
    }
    never = "The antipodal structure is optimal at this bias"
    quantities["t_antipodal_max"] = threshold(end, t, THREE, proof, meaning=never)
    meaning = {
        "t_simplex": "with b = t the simplex is optimal iff t >= t_simplex",
        "t_antipodal": "with b = t the antipodal structure is optimal iff t <= t_antipodal",
        "b_simplex": "the simplex is optimal iff b >= b_simplex",
        "b_antipodal": "the antipodal structure is optimal iff b <= b_antipodal",
        "t_antipodal_max": "at a fixed b the antipodal structure is optimal iff t <= this",
    }
    domains = {"t_simplex": FOUR, "t_antipodal": FOUR}
    found = {
        name: Quantity(
            one.value,
            rf"{name[0]}_{{\mathrm{{{name[2:].replace('_', ' ')}}}}}",
            meaning[name],
            domains.get(name, THREE),
        )
        for name, one in quantities.items()
    }
    largest = found["t_antipodal_max"].expression
    found["t_antipodal_max"] = replace(
        found["t_antipodal_max"],
        needs=(largest, "the antipodal structure is optimal at no temperature at this bias"),
    )
    return found | _fixed_bias(essential(start, t, FIXED), proof)


def _fixed_bias(condition: Expr, proof: Derivation) -> dict[str, Quantity]:
    """The temperatures at which the simplex is optimal for a given bias: an interval."""
    # The roots bind a temperature of their own, since t may be given a value.
    bound = Symbol("t_", positive=True)
    f = concave_form(condition, t, FIXED, proof).xreplace({t: bound})
    best = argmin(-derivative(f, bound), bound, S.Zero, oo)
    needs = (f.xreplace({bound: best}), "the simplex is optimal at no temperature at this bias")
    says = "at a fixed b the simplex is optimal iff t_simplex_min <= t <= t_simplex_max"
    return {
        "t_simplex_min": Quantity(
            argmin(f, bound, S.Zero, best), r"t_{\mathrm{simplex\,min}}", says, FIXED, needs=needs
        ),
        "t_simplex_max": Quantity(
            argmin(-f, bound, best, oo), r"t_{\mathrm{simplex\,max}}", says, FIXED, needs=needs
        ),
    }


RESULT = Result(
    "sigmoid-threshold",
    title="When the sigmoid loss gives the simplex or the antipodal structure",
    source="lee2024sigmoid, Theorem 2",
    parameters=(N, t, b),
    domain=BIASED,
    build=build,
)

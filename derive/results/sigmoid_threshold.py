"""When the sigmoid loss gives the simplex, and when the antipodal structure.

The loss is convex along the CCEM segment, so the simplex (x = 0) is optimal iff the loss
does not fall there, and the antipodal structure (the far end) iff it does not rise
there: the same first-order conditions at the ends that gave alpha_min of SupCL
(lee2024sigmoid, Theorem 2, has them for b = t).
"""

from dataclasses import replace

from sympy import Expr, Integer, S, Symbol, oo

from ..engine.calculus import derivative
from ..engine.derivation import Derivation, by_construction
from ..engine.domain import Domain, Range, at_least
from ..engine.endpoint import concave_form, essential, threshold
from ..engine.reduce import ReducedPairwise
from ..engine.relations import ge, le, lt
from ..engine.result import Quantity, Result, argmin
from ..losses.clip import SIGMOID
from ..symbols import N, b, t
from ._ccem import BIASED, SYMMETRY, WARM, ccem_segment, on_ccem, shape_of

FOUR = WARM.with_range(
    N, at_least(4, "for N = 2 and 3 with b = t the simplex is optimal at every t"), 5
)
THREE = BIASED.with_range(N, at_least(3, "for N = 2 the simplex is optimal at every bias"), 4)

FIXED = BIASED.with_range(N, at_least(4), 5)


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
            bound=(one.parameter, ">=" if name.endswith("simplex") else "<="),
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
    """The temperatures at which the simplex is optimal for a given bias: (0, t_simplex_max]."""
    f = concave_form(condition, t, FIXED, proof)
    rate = derivative(f, t)
    three = {N: Integer(3)}
    proof.positive(
        "For N = 3 it falls",
        [-rate.xreplace(three)],
        "so it is >= 0 up to one temperature, or nowhere",
        BIASED.restricted([t, b]),
        lt(rate.xreplace(three), 0),
    )
    # A temperature is positive by assumption; its end 0 needs a symbol that is not.
    first = f.xreplace({t: S.Zero})
    low = threshold(first, b, THREE, proof, meaning="At small t the simplex is not optimal").value
    below = Symbol("below", nonnegative=True)
    proof.positive(
        "From there it falls: a simplex that is not optimal at small t never is",
        [-rate.xreplace({t: S.Zero}).xreplace({b: low - below})],
        "a concave function that is <= 0 and falls stays below 0",
        Domain({N: at_least(4), below: Range(low_open=False)}, {N: Integer(5), below: S.One}),
        lt(rate.xreplace({t: S.Zero}), 0),
    )
    # The root binds a temperature of its own, since t may be given a value.
    bound = Symbol("t_", positive=True)
    return {
        "b_simplex_min": Quantity(
            low,
            r"b_{\mathrm{simplex\,min}}",
            "at a fixed b the simplex is optimal at some t iff b > b_simplex_min",
            THREE,
            bound=(b, ">"),
        ),
        "t_simplex_max": Quantity(
            argmin(-f.xreplace({t: bound}), bound, S.Zero, oo),
            r"t_{\mathrm{simplex\,max}}",
            "at a fixed b > b_simplex_min the simplex is optimal iff t <= t_simplex_max",
            THREE,
            needs=(b - low, "the simplex is optimal at no temperature at this bias"),
            bound=(t, "<="),
        ),
    }


RESULT = Result(
    "sigmoid-threshold",
    title="When the sigmoid loss gives the simplex or the antipodal structure",
    source="lee2024sigmoid, Theorem 2",
    parameters=(N, t, b),
    domain=BIASED,
    build=build,
    loss=SIGMOID,
    segment=ccem_segment,
)

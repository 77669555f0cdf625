"""When the sigmoid loss gives the simplex, and when the antipodal structure.

The loss is convex along the CCEM segment, so the simplex (x = 0) is optimal iff the loss
does not fall there, and the antipodal structure (the far end) iff it does not rise
there: the same first-order conditions at the ends that gave alpha_min of SupCL
(lee2024sigmoid, Theorem 2, has them for b = t).
"""

from dataclasses import replace

from sympy import Ge, Gt, Integer, Le, S, Symbol, oo

from ...decide.calculus import derivative
from ...decide.domain import Domain, Range, at_least
from ...decide.root import argmin
from ...losses.clip import SIGMOID, b, t
from ...optimum.dimension import Dimension
from ...optimum.reduce import ReducedPairwise
from ...optimum.threshold import Criterion, Threshold, UpToARoot, concave_form, essential, threshold
from ...problems.domains import BIASED, WARM
from ...problems.problem import Problem
from ...proof.derivation import Derivation
from ...proof.lemmas import CONCAVE
from ...proof.relations import Iff, lt
from ...structures.towers import N
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from ._ccem import (
    SYMMETRY,
    ccem_segment,
    on_ccem,
    shape_of,
)

FOUR = WARM.with_range(
    N, at_least(4, "for N = 2 and 3 with b = t the simplex is optimal at every t"), 5
)
THREE = BIASED.with_range(N, at_least(3, "for N = 2 the simplex is optimal at every bias"), 4)

FIXED = BIASED.with_range(N, at_least(4), 5)


def build(proof: Derivation) -> dict[str, Quantity]:
    reduced = ReducedPairwise(SIGMOID, SYMMETRY, shape_of(SIGMOID, BIASED))
    problem = on_ccem(reduced, BIASED, proof)
    start = problem.criterion(
        "the simplex is optimal", Ge, S.Zero, "x = 0 is the simplex with u_i = v_i"
    )
    end = problem.criterion(
        "the antipodal structure is optimal",
        Le,
        problem.segment.length,
        "there u_i = -v_j for all i and j",
    )
    equal = {b: t}
    solved = {
        "t_simplex": threshold(start.at(equal, "at b = t"), t, FOUR, proof),
        "t_antipodal": threshold(end.at(equal, "at b = t"), t, FOUR, proof),
        "b_simplex": threshold(start, b, THREE, proof),
        "b_antipodal": threshold(end, b, THREE, proof),
        "t_antipodal_max": threshold(end.at({}, "at a fixed b"), t, THREE, proof),
    }
    found = {
        name: Quantity.from_threshold(
            one, name, rf"{name[0]}_{{\mathrm{{{name[2:].replace('_', ' ')}}}}}"
        )
        for name, one in solved.items()
    }
    found["t_antipodal_max"] = replace(
        found["t_antipodal_max"],
        needs=(
            solved["t_antipodal_max"].value,
            "the antipodal structure is optimal at no temperature at this bias",
        ),
    )
    return found | _fixed_bias(start, solved["t_simplex"].dimension, proof)


def _fixed_bias(start: Criterion, room: Dimension | None, proof: Derivation) -> dict[str, Quantity]:
    """The temperatures at which the simplex is optimal for a given bias: (0, t_simplex_max]."""
    f = concave_form(essential(start.condition, t, FIXED), t, FIXED, proof)
    rate = derivative(f, t)
    three = {N: Integer(3)}
    proof.holds(
        "For N = 3 the condition decreases with t",
        lt(rate.xreplace(three), 0),
        "a decreasing function is >= 0 up to one temperature, or nowhere",
        BIASED.restricted([t, b]),
    )
    # A temperature is positive by assumption; its end 0 needs a symbol that is not.
    first = Criterion(
        "at a fixed b the simplex is optimal at some t", Gt(f.xreplace({t: S.Zero}), 0)
    )
    low = threshold(first, b, THREE, proof)
    below = Symbol("below", nonnegative=True)
    proof.holds(
        "For b at most b_simplex_min the condition decreases from t = 0: if the "
        "simplex is not optimal at small t, it is at no t",
        lt(rate.xreplace({t: S.Zero}).xreplace({b: low.value - below}), 0),
        CONCAVE,
        Domain({N: at_least(4), below: Range(low_open=False)}, {N: Integer(5), below: S.One}),
    )
    # The root binds a temperature of its own, since t may be given a value.
    bound = Symbol("t_", positive=True)
    root = argmin(-f.xreplace({t: bound}), bound, S.Zero, oo)
    some = Criterion("the simplex is optimal at a fixed b > b_simplex_min", Ge(f, 0), start.place)
    up_to = Le(t, root, evaluate=False)
    for values, where, domain in (
        ({}, "N >= 4", FIXED),
        (three, "N = 3", BIASED.restricted([t, b])),
    ):
        relations = (
            type(r)(*(e.xreplace(values) for e in r.args), evaluate=False)
            for r in (up_to, some.relation)
        )
        proof.add(
            f"For {where} the condition is >= 0 up to one temperature, provided that it is "
            "positive at t = 0",
            UpToARoot(Iff(*relations), domain, first.at(values, "")),
            CONCAVE,
        )
    last = Threshold(-f, t, root, "<", up_to, some, THREE, room)
    return {
        "b_simplex_min": Quantity.from_threshold(
            low, "b_simplex_min", r"b_{\mathrm{simplex\,min}}"
        ),
        "t_simplex_max": Quantity.from_threshold(
            last,
            "t_simplex_max",
            r"t_{\mathrm{simplex\,max}}",
            needs=(b - low.value, "the simplex is optimal at no temperature at this bias"),
        ),
    }


RESULT = Result(
    "sigmoid-threshold",
    title="When the sigmoid loss gives the simplex or the antipodal structure",
    source="lee2024sigmoid, Theorem 2",
    build=build,
    subject=Symmetric(Problem(SIGMOID, SYMMETRY, BIASED), segment=ccem_segment),
)

"""When the SupCL loss collapses classes (lee2025ssem, Theorem 2).

The optimum lies on a segment that starts at collapse, x = 0, and the loss is convex
along it. So classes collapse iff the loss does not fall at x = 0: a first-order
condition, linear in alpha and in exp(-m/((m-1) tau)).
"""

from sympy import Rational, S, oo

from ..engine.calculus import derivative
from ..engine.derivation import Derivation, by_construction
from ..engine.domain import between
from ..engine.endpoint import threshold
from ..engine.limits import take_limit
from ..engine.relations import lt
from ..engine.result import Quantity, Result
from ..losses.supcl import SUPCL
from ..symbols import alpha, m, n, tau
from ._supcl import COMBINED, on_segment, ssem_segment

#: Below 1/n even tau -> 0 collapses, so no temperature can prevent it.
SAVED = COMBINED.with_range(
    alpha, between(1 / n, 1, "(]", "for alpha <= 1/n classes collapse at every tau"), Rational(3, 4)
)
NO_COLLAPSE = "Classes do not collapse"


def build(proof: Derivation) -> dict[str, Quantity]:
    problem = on_segment(SUPCL, COMBINED, proof)
    collapse = proof.add(
        "Classes do not collapse iff the convex loss falls at x = 0",
        lt(problem.slope_at(S.Zero), 0),
        "x is the within-class variance up to a factor, so it is zero at collapse only",
        by_construction("the slope at x = 0"),
    ).lhs
    alpha_min = threshold(collapse, alpha, COMBINED, proof, meaning=NO_COLLAPSE).value
    tau_max = threshold(collapse, tau, SAVED, proof, meaning=NO_COLLAPSE).value
    sizes = COMBINED.restricted((m, n, tau))
    proof.positive(
        "alpha_min rises with tau",
        [derivative(alpha_min, tau)],
        "a hotter softmax collapses more",
        sizes,
        lt(0, derivative(alpha_min, tau)),
    )
    proof.positive(
        "1/n < alpha_min < 1",
        [alpha_min - 1 / n, 1 - alpha_min],
        "the self-supervised loss alone never collapses",
        sizes,
        lt(1 / n, alpha_min),
    )
    limits = {
        "alpha_min_n_oo": (alpha_min, n, oo, r"\lim_{n\to\infty}\alpha_{\min}"),
        "alpha_min_tau_0": (alpha_min, tau, S.Zero, r"\lim_{\tau\to 0}\alpha_{\min}"),
        "alpha_min_tau_oo": (alpha_min, tau, oo, r"\lim_{\tau\to\infty}\alpha_{\min}"),
        "tau_max_n_oo": (tau_max, n, oo, r"\lim_{n\to\infty}\tau_{\max}"),
    }
    found = {}
    for name, (of, symbol, end, written) in limits.items():
        found[name] = (take_limit(name, of, symbol, end, COMBINED, proof), written)
    meaning = {
        "alpha_min_n_oo": "alpha_min for many instances per class",
        "alpha_min_tau_0": "alpha_min as the temperature goes to 0",
        "alpha_min_tau_oo": "alpha_min as the temperature grows",
        "tau_max_n_oo": "tau_max for many instances per class",
    }
    positive = COMBINED.with_range(alpha, between(0, 1, "(]"), Rational(1, 2))
    return {
        "alpha_min": Quantity(
            alpha_min,
            r"\alpha_{\min}",
            "classes do not collapse iff alpha > alpha_min",
            bound=(alpha, ">"),
        ),
        "tau_max": Quantity(
            tau_max,
            r"\tau_{\max}",
            "classes do not collapse iff tau < tau_max",
            SAVED,
            bound=(tau, "<"),
        ),
        **{
            name: Quantity(
                value, symbol, meaning[name], positive if name == "tau_max_n_oo" else None
            )
            for name, (value, symbol) in found.items()
        },
    }


RESULT = Result(
    "supcl-threshold",
    title="When the SupCL loss collapses classes",
    source="lee2025ssem, Theorem 2",
    parameters=(m, n, alpha, tau),
    domain=COMBINED,
    build=build,
    loss=SUPCL,
    segment=ssem_segment,
)

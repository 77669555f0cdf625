"""When the SupCL loss collapses classes (lee2025ssem, Theorem 2).

The optimum lies on a segment that starts at collapse, x = 0, and the loss is convex
along it. So classes collapse iff the loss does not fall at x = 0: a first-order
condition, linear in alpha and in exp(-m/((m-1) tau)).
"""

from typing import Any

from sympy import Expr, Lt, Rational, S, Symbol, latex, oo

from ...decide.domain import between
from ...losses.softmax import tau
from ...losses.supcl import SUPCL, alpha
from ...optimum.threshold import threshold
from ...problems.domains import COMBINED, TEMPERED
from ...problems.problem import Problem
from ...proof.derivation import Derivation
from ...proof.limiting import take_limit
from ...proof.monotone import Monotone
from ...proof.relations import lt
from ...structures.hierarchy import m, n
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from ._supcl import SYMMETRY, on_segment, ssem_segment

WHY = "for alpha <= 1/n classes collapse at every tau"
#: Below 1/n even tau -> 0 collapses, so no temperature can prevent it; at 1 none brings it about.
SAVED = COMBINED.with_range(alpha, between(1 / n, 1, "()", WHY), Rational(3, 4))
SAVED_OR_ONE = COMBINED.with_range(alpha, between(1 / n, 1, "(]", WHY), Rational(3, 4))
#: The same for n -> oo.
MANY = COMBINED.with_range(alpha, between(0, 1, "()"), Rational(1, 2))
MANY_OR_ONE = COMBINED.with_range(alpha, between(0, 1, "(]"), Rational(1, 2))


def build(proof: Derivation) -> dict[str, Quantity]:
    problem = on_segment(SUPCL, COMBINED, proof)
    collapse = problem.criterion(
        "classes do not collapse",
        Lt,
        S.Zero,
        "x is the within-class variance up to a factor, so it is zero at collapse only",
    )
    alpha_min = threshold(collapse, alpha, COMBINED, proof)
    tau_max = threshold(collapse, tau, SAVED, proof)
    never = collapse.at({alpha: S.One}, "at alpha = 1")
    proof.holds(
        "At alpha = 1 classes do not collapse at any tau",
        never.relation,
        "the self-supervised loss alone never collapses",
        TEMPERED,
    )
    sizes = COMBINED.restricted((m, n, tau))
    proof.add(
        "alpha_min increases with tau",
        Monotone.says(alpha_min.value, tau, sizes, rises=True),
        "its derivative is positive",
    )
    proof.holds(
        "1/n < alpha_min < 1",
        [lt(1 / n, alpha_min.value), lt(alpha_min.value, 1)],
        "it increases from its limit 1/n as tau -> 0 to its limit 1 as tau -> oo, and "
        "attains neither",
        sizes,
    )
    found = {
        "alpha_min": Quantity.from_threshold(alpha_min, "alpha_min", r"\alpha_{\min}", domain=None),
        "tau_max": Quantity.from_threshold(tau_max, "tau_max", r"\tau_{\max}", domain=SAVED_OR_ONE),
    }

    def at(name: str, symbol: Symbol, end: Expr, **more: Any) -> Quantity:
        whole, to = found[name], r"\infty" if end is oo else f" {end}"
        inside = more.pop("inside", sizes)
        return Quantity(
            take_limit(name, whole.expression, symbol, end, inside, proof),
            rf"\lim_{{{latex(symbol)}\to{to}}}{whole.symbol}",
            f"limit of {name} as {symbol} -> {end}",
            limit_of=(whole.expression, symbol, end),
            **more,
        )

    found["alpha_min_n_oo"] = at("alpha_min", n, oo)
    found["alpha_min_tau_0"] = at("alpha_min", tau, S.Zero)
    found["alpha_min_tau_oo"] = at("alpha_min", tau, oo)
    found["tau_max_n_oo"] = at("tau_max", n, oo, inside=MANY, domain=MANY_OR_ONE)
    return found


KEYWORDS = "class collapse, neural collapse, supervised contrastive"
RESULT = Result(
    "supcl-threshold",
    title="When the SupCL loss collapses classes",
    source="lee2025ssem, Theorem 2",
    parameters=(m, n, alpha, tau),
    build=build,
    subject=Symmetric(Problem(SUPCL, SYMMETRY, COMBINED), segment=ssem_segment),
)

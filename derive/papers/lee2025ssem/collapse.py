"""Appendix A.4: Theorem A.3."""

from __future__ import annotations

from fractions import Fraction

from sympy import Expr, S, exp, log

from ...engine.domain import between
from ...engine.limits import limit
from ...losses.supcl import SUPCL
from ...results import results
from ...symbols import alpha, m, n, tau, x
from ..checks import (
    all_equal,
    both,
    decided,
    equal,
    holds_positive,
    needs_condition,
    undefined_at,
)
from ..evaluate import value
from ..ledger import Verdict
from . import LEDGER
from .optimality import (
    LOSS,
    PRINTED_H,
    SIZES,
    slope,
)
from .sums import (
    sign_patterns,
)

HOT = exp(m / (m - 1) / tau)
COLD = exp(-m / (m - 1) / tau)
#: Where the condition on tau is stated, and the same without alpha = 1.
SAVED = LOSS.with_range(alpha, between(1 / n, 1, "(]"), S(3) / 4)
SAVED_BELOW_ONE = LOSS.with_range(alpha, between(1 / n, 1, "()"), S(3) / 4)

# --- Theorem A.3 -------------------------------------------------------------------------------
PRINTED_ALPHA = (m * n - 1 + HOT) / (m * n - n + n * HOT)
RATIO = (m * n - 1 - alpha * (m - 1) * n) / (alpha * n - 1)


@LEDGER.claim(
    "Theorem A.3",
    r"no collapse iff \alpha \in (\frac{mn-1+e^{\frac{m}{m-1}/\tau}}{mn-n+n "
    r"e^{\frac{m}{m-1}/\tau}}, 1]",
    result="supcl-threshold",
)
def theorem_a3(printed: Expr = PRINTED_ALPHA) -> Verdict:
    return equal(printed, results["supcl-threshold"].alpha_min, LOSS, "for d >= mn - 1")


@LEDGER.claim(
    "Theorem A.3: temperature",
    r"for \alpha \in (1/n, 1], no collapse iff \tau \in (0, \frac{1}{(1-\frac1m) "
    r"\log(\frac{mn-1-\alpha(m-1)n}{\alpha n-1})})",
    result="supcl-threshold",
)
def theorem_a3_tau(printed: Expr = 1 / ((1 - 1 / m) * log(RATIO))) -> Verdict:
    return _below_one(printed, results["supcl-threshold"].tau_max)


def _below_one(printed: Expr, derived: Expr) -> Verdict:
    point = {"m": 2, "n": 2, "alpha": 1}
    within = equal(printed, derived, SAVED_BELOW_ONE)
    if within.word != "agrees":
        return within
    without = undefined_at(point, lambda: printed.subs({m: 2, n: 2}).subs(alpha, 1))
    return needs_condition(
        "alpha < 1",
        within,
        without,
        "at alpha = 1 the end is 1/log(1): every tau prevents collapse",
    )


@LEDGER.claim(
    "Theorem A.3: dimension",
    "the condition is necessary and sufficient whatever d, for no assumption on d is printed",
)
def theorem_a3_dimension() -> Verdict:
    # m = n = 2, p = 1, tau = 1, alpha = 3/4 in R^1, where there are 16 embedding sets.
    weight, t = Fraction(3, 4), Fraction(1)
    losses = [(value(SUPCL, u, alpha=weight, tau=t), u) for u in sign_patterns(2, 2, 1)]
    least = min(v for v, _ in losses)
    optimal = [u for v, u in losses if v == least]
    collapsed = all(u.variance(u.of_class(i)) == 0 for u in optimal for i in range(2))
    point = {m: 2, n: 2, tau: 1}
    end = PRINTED_ALPHA.subs(point)
    predicted_collapse = bool(end >= S(3) / 4)
    without = decided(
        collapsed == predicted_collapse,
        "all 16 embedding sets of R^1",
        witness={
            "point": {"m": "2", "n": "2", "p": "1", "d": "1", "tau": "1", "alpha": "3/4"},
            "printed": f"no collapse, since 3/4 > {end.n(6)}",
            "derived": f"the optimum is {optimal[0].note}: both classes collapse",
        },
    )
    return needs_condition(
        "d >= mn - 1, m >= 2 and n >= 2",
        theorem_a3(),
        without,
        "the hypotheses of Theorem A.2, on which the proof rests, are not repeated",
    )


@LEDGER.claim(
    "Theorem A.3, proof: condition",
    r"collapse is prevented iff h(0) < 0, with h as in Theorem A.2",
    result="supcl-optimum",
)
def condition(h: Expr = PRINTED_H) -> Verdict:
    # h(0) is linear in alpha and falls, so it is negative exactly above its zero.
    zero_at = results["supcl-threshold"].alpha_min
    start = h.subs(x, 0)
    return both(
        equal(start.subs(alpha, zero_at), S.Zero, LOSS), holds_positive(-start.diff(alpha), LOSS)
    )


@LEDGER.claim(
    "Theorem A.3, proof: h",
    r"h(x; m, n, \tau, \alpha) = (1-\alpha) - \alpha(n-1) e^{-x/\tau} + (mn-1-\alpha(m-1)n) "
    r"e^{(-\frac{m}{m-1} + x\frac{n-1}{(m-1)n})/\tau}",
    result="supcl-optimum",
)
def h_again(printed: Expr = PRINTED_H) -> Verdict:
    return equal(printed, slope(), LOSS.with_range(x, between(0, n / (n - 1)), 1))


PRINTED_A59 = (
    (1 - alpha) - alpha * (n - 1) * exp(S.Zero) + (m * n - 1 - alpha * (m - 1) * n) * COLD,
    1 - alpha * n + (m * n - 1 - alpha * (m - 1) * n) * COLD,
    -alpha * n * (1 + (m - 1) * COLD) + 1 + (m * n - 1) * COLD,
)


@LEDGER.claim(
    "(A.59)",
    r"0 > h(0) = (1-\alpha) - \alpha(n-1) e^0 + (mn-1-\alpha(m-1)n) e^{-\frac{m}{m-1}/\tau} = "
    r"\dots "
    r"= -\alpha n (1 + (m-1) e^{-\frac{m}{m-1}/\tau}) + 1 + (mn-1) e^{-\frac{m}{m-1}/\tau}",
    result="supcl-optimum",
)
def a59(printed: tuple[Expr, ...] = PRINTED_A59) -> Verdict:
    h = results["supcl-optimum"].x_star.function
    return all_equal(printed, h(S.Zero), LOSS)


@LEDGER.claim(
    "Theorem A.3, proof: display after (A.59)",
    r"\alpha > \frac{1+(mn-1)e^{-\frac{m}{m-1}/\tau}}{n(1+(m-1)e^{-\frac{m}{m-1}/\tau})} = "
    r"\frac{mn-1+e^{\frac{m}{m-1}/\tau}}{mn-n+n e^{\frac{m}{m-1}/\tau}}",
    result="supcl-threshold",
)
def after_a59(
    first: Expr = (1 + (m * n - 1) * COLD) / (n * (1 + (m - 1) * COLD)),
) -> Verdict:
    return all_equal((first, PRINTED_ALPHA), results["supcl-threshold"].alpha_min, LOSS)


@LEDGER.claim(
    "(A.60)",
    r"or equivalently \alpha n - 1 > (mn-1-\alpha(m-1)n) e^{-\frac{m}{m-1}/\tau}",
    result="supcl-optimum",
)
def a60(
    left: Expr = alpha * n - 1, right: Expr = (m * n - 1 - alpha * (m - 1) * n) * COLD
) -> Verdict:
    # left > right is h(0) < 0: their difference is -h(0).
    h = results["supcl-optimum"].x_star.function
    return equal(left - right, -h(S.Zero), LOSS)


@LEDGER.claim(
    "Theorem A.3, proof: display after (A.60)",
    r"\frac{mn-1}{mn-n} \ge \frac{mn-1}{mn-1} = 1 \ge \alpha, which implies mn-1-\alpha(m-1)n \ge "
    r"0",
)
def after_a60() -> Verdict:
    return both(
        holds_positive((m * n - 1) / (m * n - n) - 1, SIZES, strict=False),
        holds_positive(m * n - 1 - alpha * (m - 1) * n, LOSS, strict=False),
    ).with_note("for m >= 2, which the threshold takes for granted")


@LEDGER.claim(
    "Theorem A.3, proof: ratio",
    r"\frac{\alpha n-1}{mn-1-\alpha(m-1)n} = \frac{\alpha n-1}{\alpha n-1+mn(1-\alpha)} "
    r"\le \frac{\alpha n-1}{\alpha n-1} = 1",
)
def ratio(middle: Expr = (alpha * n - 1) / (alpha * n - 1 + m * n * (1 - alpha))) -> Verdict:
    return both(
        equal(middle, 1 / RATIO, SAVED), holds_positive(1 - middle, SAVED, strict=False)
    ).with_note("for alpha > 1/n, as in the theorem; at alpha = 1/n the middle term is 0/0")


@LEDGER.claim(
    "Theorem A.3, proof: equivalent conditions",
    r"\frac{\alpha n-1}{mn-1-\alpha(m-1)n} > e^{-\frac{m}{m-1}/\tau} iff \log(\frac{\alpha n-1}"
    r"{mn-1-\alpha(m-1)n}) > -\frac{m}{m-1}/\tau iff \tau < \frac{m}{(m-1) "
    r"\log(\frac{mn-1-\alpha(m-1)n}{\alpha n-1})}",
    result="supcl-threshold",
)
def equivalents(printed: Expr = m / ((m - 1) * log(RATIO))) -> Verdict:
    return _below_one(printed, results["supcl-threshold"].tau_max)


@LEDGER.claim(
    "Theorem A.3, proof: upper end",
    r"\tau < \frac{m}{(m-1)\log(\dots)} = (0, \frac{1}{(1-\frac1m)\log(\dots)})",
    result="supcl-threshold",
)
def upper_end(end: Expr = 1 / ((1 - 1 / m) * log(RATIO))) -> Verdict:
    verdict = _below_one(end, m / ((m - 1) * log(RATIO)))
    return verdict.with_note(verdict.note + "; a number is equated with the interval that it ends")


@LEDGER.claim(
    "Theorem A.3, proof: least alpha",
    r"the minimum range of \alpha is \frac1n = \lim_{\tau \to 0} "
    r"\frac{mn-1+e^{\frac{m}{m-1}/\tau}}{mn-n+n e^{\frac{m}{m-1}/\tau}}",
    result="supcl-threshold",
)
def least_alpha(printed: Expr = 1 / n) -> Verdict:
    sizes = LOSS.restricted((m, n, tau))
    threshold = results["supcl-threshold"]
    return both(
        equal(printed, limit(PRINTED_ALPHA, tau, S.Zero, sizes), sizes),
        equal(printed, threshold.alpha_min_tau_0, sizes),
        holds_positive(threshold.alpha_min - printed, sizes),
    )

"""Appendix A.4: Theorem A.3."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

from sympy import Expr, S, exp, log

from ...decide.domain import between
from ...losses.softmax import tau
from ...losses.supcl import alpha
from ...optimum.segment import x
from ...results import results
from ...structures.hierarchy import m, n
from ..checks import Formula, all_equal, both, equal, holds_positive
from ..verdict import Verdict
from . import LEDGER
from ._domains import LOSS, SHAPE
from ._loss import printed_slope, slope
from ._thresholds import (
    alpha_min_limit,
    in_every_dimension,
    is_alpha_min,
    is_below_alpha_min,
    is_tau_max,
    prevents_collapse,
    printed_15,
    printed_16,
    printed_ratio,
)

#: Where the condition on tau is stated.
SAVED = LOSS.with_range(alpha, between(1 / n, 1, "(]"), S(3) / 4)


@cache
def cold() -> Expr:
    """exp(-m/(m-1)/tau)."""
    return exp(-m / (m - 1) / tau)


@cache
def pull() -> Expr:
    """mn - 1 - alpha (m-1) n, the weight of the cross-class pairs."""
    return m * n - 1 - alpha * (m - 1) * n


@LEDGER.claim(
    "Theorem A.3",
    r"no collapse iff \alpha \in (\frac{mn-1+e^{\frac{m}{m-1}/\tau}}{mn-n+n "
    r"e^{\frac{m}{m-1}/\tau}}, 1]",
    result="supcl-threshold",
)
def theorem_a3(printed: Formula = printed_15) -> Verdict:
    return prevents_collapse(printed())


@LEDGER.claim(
    "Theorem A.3: temperature",
    r"for \alpha \in (1/n, 1], no collapse iff \tau \in (0, \frac{1}{(1-\frac1m) "
    r"\log(\frac{mn-1-\alpha(m-1)n}{\alpha n-1})})",
    result="supcl-threshold",
)
def theorem_a3_tau(printed: Formula = printed_16) -> Verdict:
    return is_tau_max(printed())


@LEDGER.claim(
    "Theorem A.3: dimension",
    "the condition is necessary and sufficient whatever d, for no assumption on d is printed",
)
def theorem_a3_dimension(weight: Fraction = Fraction(9, 10)) -> Verdict:
    return in_every_dimension(
        weight, "the hypotheses of Theorem A.2, on which the proof rests, are not repeated"
    )


@LEDGER.claim(
    "Theorem A.3, proof: condition",
    r"collapse is prevented iff h(0) < 0, with h as in Theorem A.2",
    result="supcl-optimum",
)
def condition(h: Formula = printed_slope) -> Verdict:
    # h(0) is linear in alpha and falls, so it is negative exactly above its zero.
    zero_at = results["supcl-threshold"].alpha_min
    start = h().subs(x, 0)
    return both(
        equal(start.subs(alpha, zero_at), S.Zero, LOSS), holds_positive(-start.diff(alpha), LOSS)
    )


@LEDGER.claim(
    "Theorem A.3, proof: h",
    r"h(x; m, n, \tau, \alpha) = (1-\alpha) - \alpha(n-1) e^{-x/\tau} + (mn-1-\alpha(m-1)n) "
    r"e^{(-\frac{m}{m-1} + x\frac{n-1}{(m-1)n})/\tau}",
    result="supcl-optimum",
)
def h_again(printed: Formula = printed_slope) -> Verdict:
    return equal(printed(), slope(), LOSS.with_range(x, between(0, n / (n - 1)), 1))


def printed_a59() -> tuple[Expr, ...]:
    """The lines of (A.59)."""
    return (
        (1 - alpha) - alpha * (n - 1) * exp(S.Zero) + pull() * cold(),
        1 - alpha * n + pull() * cold(),
        -alpha * n * (1 + (m - 1) * cold()) + 1 + (m * n - 1) * cold(),
    )


@LEDGER.claim(
    "(A.59)",
    r"0 > h(0) = (1-\alpha) - \alpha(n-1) e^0 + (mn-1-\alpha(m-1)n) e^{-\frac{m}{m-1}/\tau} = "
    r"\dots "
    r"= -\alpha n (1 + (m-1) e^{-\frac{m}{m-1}/\tau}) + 1 + (mn-1) e^{-\frac{m}{m-1}/\tau}",
    result="supcl-optimum",
)
def a59(printed: Callable[[], tuple[Expr, ...]] = printed_a59) -> Verdict:
    h = results["supcl-optimum"].x_star.function
    return all_equal(printed(), h(S.Zero), LOSS)


@LEDGER.claim(
    "Theorem A.3, proof: display after (A.59)",
    r"\alpha > \frac{1+(mn-1)e^{-\frac{m}{m-1}/\tau}}{n(1+(m-1)e^{-\frac{m}{m-1}/\tau})} = "
    r"\frac{mn-1+e^{\frac{m}{m-1}/\tau}}{mn-n+n e^{\frac{m}{m-1}/\tau}}",
    result="supcl-threshold",
)
def after_a59(
    first: Formula = lambda: (1 + (m * n - 1) * cold()) / (n * (1 + (m - 1) * cold())),
) -> Verdict:
    return both(is_alpha_min(first()), is_alpha_min(printed_15()))


@LEDGER.claim(
    "(A.60)",
    r"or equivalently \alpha n - 1 > (mn-1-\alpha(m-1)n) e^{-\frac{m}{m-1}/\tau}",
    result="supcl-optimum",
)
def a60(left: Formula = lambda: alpha * n - 1, right: Formula = lambda: pull() * cold()) -> Verdict:
    # left > right is h(0) < 0: their difference is -h(0).
    h = results["supcl-optimum"].x_star.function
    return equal(left() - right(), -h(S.Zero), LOSS)


@LEDGER.claim(
    "Theorem A.3, proof: display after (A.60)",
    r"\frac{mn-1}{mn-n} \ge \frac{mn-1}{mn-1} = 1 \ge \alpha, which implies mn-1-\alpha(m-1)n \ge "
    r"0",
)
def after_a60() -> Verdict:
    return both(
        holds_positive((m * n - 1) / (m * n - n) - 1, SHAPE, strict=False),
        holds_positive(m * n - 1 - alpha * (m - 1) * n, LOSS, strict=False),
    ).with_note("for m >= 2, which the threshold takes for granted")


@LEDGER.claim(
    "Theorem A.3, proof: ratio",
    r"\frac{\alpha n-1}{mn-1-\alpha(m-1)n} = \frac{\alpha n-1}{\alpha n-1+mn(1-\alpha)} "
    r"\le \frac{\alpha n-1}{\alpha n-1} = 1",
)
def ratio(
    middle: Formula = lambda: (alpha * n - 1) / (alpha * n - 1 + m * n * (1 - alpha)),
) -> Verdict:
    return both(
        equal(middle(), 1 / printed_ratio(), SAVED),
        holds_positive(1 - middle(), SAVED, strict=False),
    ).with_note("for alpha > 1/n, as in the theorem; at alpha = 1/n the middle term is 0/0")


@LEDGER.claim(
    "Theorem A.3, proof: equivalent conditions",
    r"\frac{\alpha n-1}{mn-1-\alpha(m-1)n} > e^{-\frac{m}{m-1}/\tau} iff \log(\frac{\alpha n-1}"
    r"{mn-1-\alpha(m-1)n}) > -\frac{m}{m-1}/\tau iff \tau < \frac{m}{(m-1) "
    r"\log(\frac{mn-1-\alpha(m-1)n}{\alpha n-1})}",
    result="supcl-threshold",
)
def equivalents(
    printed: Formula = lambda: m / ((m - 1) * log(printed_ratio(), evaluate=False)),
) -> Verdict:
    return is_tau_max(printed())


@LEDGER.claim(
    "Theorem A.3, proof: upper end",
    r"\tau < \frac{m}{(m-1)\log(\dots)} = (0, \frac{1}{(1-\frac1m)\log(\dots)})",
    result="supcl-threshold",
)
def upper_end(end: Formula = printed_16) -> Verdict:
    verdict = is_tau_max(end())
    return verdict.with_note(verdict.note + "; a number is equated with the interval that it ends")


@LEDGER.claim(
    "Theorem A.3, proof: least alpha",
    r"the minimum range of \alpha is \frac1n = \lim_{\tau \to 0} "
    r"\frac{mn-1+e^{\frac{m}{m-1}/\tau}}{mn-n+n e^{\frac{m}{m-1}/\tau}}",
    result="supcl-threshold",
)
def least_alpha(printed: Formula = lambda: 1 / n) -> Verdict:
    # The limit is that of alpha_min, which the formula printed here equals.
    return both(alpha_min_limit(printed), is_alpha_min(printed_15()), is_below_alpha_min(printed()))

"""Appendix A.3, last part: the proof of Theorem A.2 on the SSEM, from (A.56) to its end."""

from __future__ import annotations

from sympy import Expr, S, diff, exp, log

from ...decide.domain import between
from ...losses.softmax import tau
from ...losses.supcl import EVERYTHING, SUPCL, alpha
from ...optimum.reduce import ReducedLoss
from ...optimum.segment import delta, x
from ...results import results
from ...structures.hierarchy import hierarchy, m, n, p
from ..checks import Formula, all_equal, both, decided, equal, holds_positive, needs_condition
from ..verdict import Verdict
from . import LEDGER
from ._domains import LOSS, ON_SEGMENT, ON_SSEM, SHAPE
from ._loss import X_OF_DELTA, at_x, inner, loss_on_ssem, printed_slope, same_loss, slope
from .appendix_a3_theorem_a2 import h_function, optimal_delta, theorem

PRINTED_G = (
    p * exp(1 / tau)
    + (n - 1) * p * exp((1 - delta**2 * m * n / (m * n - 1)) / tau)
    + (m - 1) * n * p * exp((-1 / (m - 1) + delta**2 * m * (n - 1) / ((m - 1) * (m * n - 1))) / tau)
)


@LEDGER.claim(
    "(A.56)",
    r"\sum_w e^{u^\top w/\tau} = p e^{1/\tau} + (n-1)p e^{(1 - \delta^2\frac{mn}{mn-1})/\tau} + "
    r"(m-1)np e^{(-\frac{1}{m-1} + \delta^2\frac{m(n-1)}{(m-1)(mn-1)})/\tau} =: g, for any u",
    result="supcl-optimum",
)
def a56(printed: Expr = PRINTED_G) -> Verdict:
    found = ReducedLoss(SUPCL, hierarchy()).partition(EVERYTHING, inner())
    return equal(printed, found, ON_SSEM)


@LEDGER.claim(
    "Theorem A.2, proof: L_Sup on SSEM",
    r"L_{Sup}(U^\delta) = \log\frac{g}{\exp((1 - \delta^2\frac{mn}{mn-1})/\tau)}",
    result="supcl-optimum",
)
def sup_on_ssem(printed: Expr = log(PRINTED_G) - (1 - X_OF_DELTA) / tau) -> Verdict:
    return same_loss(printed, loss_on_ssem(S.Zero), ON_SSEM)


@LEDGER.claim(
    "Theorem A.2, proof: L_Self on SSEM",
    r"L_{Self}(U^\delta) = \log\frac{g}{\exp(1/\tau)}",
    result="supcl-optimum",
)
def self_on_ssem(printed: Expr = log(PRINTED_G) - 1 / tau) -> Verdict:
    return same_loss(printed, loss_on_ssem(S.One), ON_SSEM)


PRINTED_SUM = (
    1
    + (n - 1) * exp(-x / tau)
    + (m - 1) * n * exp((-m / (m - 1) + x * (n - 1) / ((m - 1) * n)) / tau)
)


@LEDGER.claim(
    "Theorem A.2, proof: L on SSEM",
    r"L(U^\delta) = (1-\alpha) \log\frac{g}{\exp((1 - \delta^2\frac{mn}{mn-1})/\tau)} + "
    r"\alpha \log\frac{g}{\exp(1/\tau)} = \log g - (1-\alpha)(1 - \delta^2\frac{mn}{mn-1})/\tau "
    r"- \alpha/\tau = \dots",
    result="supcl-optimum",
)
def on_ssem() -> Verdict:
    log_g, pull = log(PRINTED_G), (1 - X_OF_DELTA) / tau
    lines = (
        (1 - alpha) * (log_g - pull) + alpha * (log_g - 1 / tau),
        log_g - (1 - alpha) * pull - alpha / tau,
    )
    return both(*(same_loss(line, loss_on_ssem(), ON_SSEM) for line in lines))


@LEDGER.claim(
    "(A.57)",
    r"\dots = \log(1 + (n-1) e^{-\tilde\delta/\tau} + (m-1)n e^{(-\frac{m}{m-1} + \tilde\delta"
    r"\frac{n-1}{(m-1)n})/\tau}) + \log(p e^{1/\tau}) - (1-\alpha)(1-\tilde\delta)/\tau - "
    r"\alpha/\tau",
    result="supcl-optimum",
)
def a57(
    printed: Expr = log(PRINTED_SUM)
    + log(p * exp(1 / tau))
    - (1 - alpha) * (1 - x) / tau
    - alpha / tau,
) -> Verdict:
    return same_loss(printed, at_x(loss_on_ssem()), ON_SEGMENT)


@LEDGER.claim(
    "(A.57), next line",
    r"\dots = \log(1 + (n-1) e^{-\tilde\delta/\tau} + (m-1)n e^{(-\frac{m}{m-1} + \tilde\delta"
    r"\frac{n-1}{(m-1)n})/\tau}) + \log p + (1-\alpha)\tilde\delta/\tau",
    result="supcl-optimum",
)
def a57_next(printed: Expr = log(PRINTED_SUM) + log(p) + (1 - alpha) * x / tau) -> Verdict:
    return same_loss(printed, at_x(loss_on_ssem()), ON_SEGMENT)


@LEDGER.claim(
    "Theorem A.2, proof: range of delta-tilde",
    r"\tilde\delta = \delta^2\frac{mn}{mn-1} \in [0, \frac{n}{n-1}] increases with \delta \in "
    r"[0, \sqrt{\frac{mn-1}{m(n-1)}}]",
    result="ssem",
)
def range_of_x(printed_end: Expr = n / (n - 1)) -> Verdict:
    return both(
        equal(printed_end, X_OF_DELTA.subs(delta, results["ssem"].delta_max), SHAPE),
        holds_positive(X_OF_DELTA / delta**2, SHAPE),
    )


PRINTED_PUSH = exp((-m / (m - 1) + x * (n - 1) / ((m - 1) * n)) / tau)


@LEDGER.claim(
    "(A.58)",
    r"\frac{\partial}{\partial\tilde\delta} L = \frac{-\frac{n-1}{\tau} e^{-\tilde\delta/\tau} + "
    r"\frac{n-1}{\tau} e^{(\dots)/\tau}}{1 + \dots} + (1-\alpha)/\tau = \dots = \frac1\tau "
    r"\frac{h(\tilde\delta; m, n, \tau, \alpha)}{1 + (n-1) e^{-\tilde\delta/\tau} + (m-1)n "
    r"e^{\dots}}",
    result="supcl-optimum",
)
def a58(h: Formula = printed_slope) -> Verdict:
    difference = -(n - 1) * exp(-x / tau) + (n - 1) * PRINTED_PUSH
    lines = (
        difference / tau / PRINTED_SUM + (1 - alpha) / tau,
        difference / PRINTED_SUM / tau + (1 - alpha) / tau,
        h() / PRINTED_SUM / tau,
    )
    return all_equal(lines, diff(at_x(loss_on_ssem()), x), ON_SEGMENT)


@LEDGER.claim(
    "Theorem A.2, proof: h",
    r"h(\tilde\delta; m, n, \tau, \alpha) = (1-\alpha) - \alpha(n-1) e^{-\tilde\delta/\tau} + "
    r"(mn-1-\alpha(m-1)n) e^{(-\frac{m}{m-1} + \tilde\delta\frac{n-1}{(m-1)n})/\tau}",
    result="supcl-optimum",
)
def h_in_proof() -> Verdict:
    return h_function()


@LEDGER.claim(
    "Theorem A.2, proof: denominator of (A.58)", "the denominator in (A.58) is always positive"
)
def denominator() -> Verdict:
    return holds_positive(PRINTED_SUM, ON_SEGMENT)


@LEDGER.claim(
    "Theorem A.2, proof: h increases",
    r"h is monotonically increasing in \tilde\delta \in [0, \frac{n}{n-1}]",
    result="supcl-optimum",
)
def h_increases(h: Formula = printed_slope) -> Verdict:
    return holds_positive(diff(h(), x), ON_SEGMENT)


@LEDGER.claim(
    "Theorem A.2, proof: value of h at mn/(mn-1)",
    r"h(\frac{mn}{mn-1}) = \dots = (1-\alpha) - \alpha(n-1) e^{-\frac{mn}{mn-1}/\tau} + "
    r"(mn-1-\alpha(m-1)n) e^{-\frac{mn}{mn-1}/\tau} = (1-\alpha) + (mn-1)(1-\alpha) "
    r"e^{-\frac{mn}{mn-1}/\tau} \ge 0",
    result="supcl-optimum",
)
def h_at_simplex(
    last: Expr = (1 - alpha) + (m * n - 1) * (1 - alpha) * exp(-m * n / (m * n - 1) / tau),
) -> Verdict:
    at = exp(-m * n / (m * n - 1) / tau)
    turned = exp((-m / (m - 1) + m * (n - 1) / ((m - 1) * (m * n - 1))) / tau)
    weight = m * n - 1 - alpha * (m - 1) * n
    lines = (
        (1 - alpha) - alpha * (n - 1) * at + weight * turned,
        (1 - alpha) - alpha * (n - 1) * at + weight * at,
        last,
    )
    return both(
        all_equal(lines, slope().subs(x, m * n / (m * n - 1)), LOSS),
        holds_positive(last, LOSS, strict=False),
    )


@LEDGER.claim(
    "Theorem A.2, proof: optimal delta-tilde",
    r"\tilde\delta^* = 0 if h(0) \ge 0, otherwise the \tilde\delta \in (0, \frac{mn}{mn-1}) with "
    r"h(\tilde\delta) = 0",
    result="supcl-optimum",
)
def open_interval() -> Verdict:
    end = m * n / (m * n - 1)
    below_one = LOSS.with_range(alpha, between(0, 1, "[)"), S.Half)
    within = both(optimal_delta(), holds_positive(slope().subs(x, end), below_one))
    # At alpha = 1 the root is the end itself, which the open interval leaves out.
    at_one = printed_slope().subs({alpha: 1, m: 2, n: 2, tau: 1})
    root = S(4) / 3
    without = decided(
        not (at_one.subs(x, 0) < 0 and at_one.subs(x, root) == 0),
        "h at both ends",
        witness={
            "point": {"m": "2", "n": "2", "tau": "1", "alpha": "1"},
            "printed": "root inside (0, 4/3)",
            "derived": "h(0) < 0 and h increases to h(4/3) = 0",
        },
    )
    return needs_condition(
        "alpha < 1", within, without, "the right end belongs to the interval, as (0, 1] has it"
    )


@LEDGER.claim(
    "Theorem A.2, proof: optimal delta",
    r"\delta^* = 0 if h(0) \ge 0, otherwise the \delta \in (0, 1] with "
    r"h(\delta^2\frac{mn}{mn-1}) = 0",
    result="supcl-optimum",
)
def delta_in_proof() -> Verdict:
    return optimal_delta()


@LEDGER.claim(
    "Theorem A.2, proof: conclusion",
    r"as a result, all U^* that minimize L(U) are in the SSEM, with \delta unique by the "
    "monotonicity of h",
    result="supcl-optimum",
)
def conclusion() -> Verdict:
    verdict = theorem()
    return verdict.with_note(
        verdict.note + "; the proof shows that SSEM attains the minimum, that nothing else does "
        "follows from strict convexity"
    )

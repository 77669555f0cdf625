"""Appendices A.4 (Theorem A.3), A.5 (Proposition A.6) and B."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
from sympy import Expr, Integer, S, exp, log, sqrt

from ...engine.domain import POSITIVE, Domain, between
from ...engine.evidence import Evidence, Grade
from ...engine.limits import limit
from ...engine.reduce import ReducedLoss
from ...losses.supcl import CNCE, SUPCL
from ...results import results
from ...structures.hierarchy import hierarchy
from ...symbols import alpha, delta, m, n, p, tau, x
from ..checks import (
    all_equal,
    both,
    decided,
    equal,
    holds_positive,
    needs_condition,
    undefined_at,
)
from ..embeddings import Embeddings, Index
from ..evaluate import value
from ..ledger import Verdict
from . import LEDGER
from .optimality import (
    GROUPS,
    LOSS,
    ON_SSEM,
    PRINTED_H,
    SIZES,
    X_OF_DELTA,
    constant,
    inner,
    same_loss,
    slope,
)
from .sums import (
    all_sets,
    anchors,
    at_temperature,
    chain,
    log_mean,
    own,
    random_sets,
    same,
    sign_patterns,
    spread,
    ssem_matching,
    ssem_sets,
    temperature,
)
from .sums import exp as e_to

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
    r"no collapse iff \alpha \in (\frac{mn-1+e^{\frac{m}{m-1}/\tau}}{mn-n+n e^{\frac{m}{m-1}/\tau}}, 1]",
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
        "alpha < 1", within, without, "at alpha = 1 the end is 1/log(1): every tau prevents collapse"
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
    r"0 > h(0) = (1-\alpha) - \alpha(n-1) e^0 + (mn-1-\alpha(m-1)n) e^{-\frac{m}{m-1}/\tau} = \dots "
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
    r"\frac{mn-1}{mn-n} \ge \frac{mn-1}{mn-1} = 1 \ge \alpha, which implies mn-1-\alpha(m-1)n \ge 0",
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


# --- Proposition A.6 -----------------------------------------------------------------------------
def _cnce(u: Embeddings) -> Any:
    return value(CNCE, u, tau=temperature(u))


def _pairs(u: Embeddings) -> list[tuple[Index, Index]]:
    return [(a, b) for a, views, _, _ in anchors(u) for b in views]


def _inside(u: Embeddings, a: Index, b: Index) -> Any:
    """Sum over w in U_i of exp(u.(w - v)/tau)."""
    t = temperature(u)
    return mpmath.fsum(e_to((u.ip(a, w) - u.ip(a, b)) / t) for w in u.of_class(a[0]))


def _printed_cnce(u: Embeddings) -> Any:
    t = temperature(u)
    logs = []
    for a, b in _pairs(u):
        pool = mpmath.fsum(e_to(u.ip(a, w) / t) for w in u.of_class(a[0]))
        logs.append(mpmath.log(e_to(u.ip(a, b) / t) / pool))
    return -mpmath.fsum(logs) / (u.m * u.n * u.p**2)


def widest(m: int, n: int, p: int) -> Embeddings:
    """SSEM at delta = sqrt((mn-1)/(m(n-1)))."""
    return Embeddings.ssem(m, n, p, Fraction(m * n - 1, m * (n - 1)))


def _cnce_minimum() -> Verdict:
    cases = (
        *all_sets(),
        Embeddings.random(1, 3, 2, 2, seed=1),
        Embeddings.random(1, 2, 1, 1, seed=2),
    )
    within = both(
        at_temperature(lambda u: (_cnce(u), _cnce(widest(u.m, u.n, u.p))), ">=", cases),
        Verdict("agrees", results["cnce-optimum"].evidence),
        equal(
            sqrt((m * n - 1) / (m * (n - 1))) ** 2, results["cnce-optimum"].delta_star ** 2, SIZES
        ),
    )
    without = undefined_at({"m": 2, "n": 1}, lambda: widest(2, 1, 1))
    return needs_condition("n >= 2 (not only mn >= 2)", within, without)


@LEDGER.claim(
    "Proposition A.6",
    r"for d \ge mn-1 and mn \ge 2: L_{cNCE}(U) \ge L_{cNCE}(U^\delta) for any U, with "
    r"\delta = \sqrt{\frac{mn-1}{m(n-1)}}",
    result="cnce-optimum",
)
def proposition_a6() -> Verdict:
    return _cnce_minimum()


@LEDGER.claim(
    "Proposition A.6: L_cNCE",
    r"L_{cNCE}(U) = -\frac{1}{mnp^2} \sum_{i,j} \sum_{u,v \in U_{ij}} \log\frac{e^{u^\top v/\tau}}"
    r"{\sum_{w \in U_i} e^{u^\top w/\tau}}",
)
def cnce_loss(printed: Callable[[Embeddings], Any] = _printed_cnce) -> Verdict:
    return at_temperature(lambda u: (printed(u), _cnce(u)), "=", all_sets())


def _jensen_inside(u: Embeddings, a: Index, b: Index) -> Any:
    """What (A.61) puts inside the logarithm for u = a and v = b."""
    t, n, p = temperature(u), u.n, u.p
    pull = u.ip(a, b) / t
    rest = u.sum_ip([a], u.others_in_class(*a[:2])) / ((n - 1) * p) / t
    views = u.sum_ip([a], u.of_instance(*a[:2])) / p / t
    return (n - 1) * p * e_to(rest - pull) + p * e_to(views - pull)


@LEDGER.claim(
    "(A.61)",
    r"L_{cNCE}(U) = \frac{1}{mnp^2} \sum \log(\sum_{w \in U_i} e^{u^\top(w-v)/\tau}) \ge "
    r"\frac{1}{mnp^2} \sum \log((n-1)p \exp(\dots) + p \exp(\dots))",
)
def a61() -> Verdict:
    return chain(
        lambda u: [
            _cnce(u),
            log_mean(_inside(u, a, b) for a, b in _pairs(u)),
            log_mean(_jensen_inside(u, a, b) for a, b in _pairs(u)),
        ],
        ("=", ">="),
        all_sets(),
    )


def _a64_lines(u: Embeddings) -> list[Any]:
    t, m, n, p = temperature(u), u.m, u.n, u.p
    exponent = same(u) / (m * n * (n - 1) * p**2) / t - own(u) / (m * n * p**2) / t
    return [
        mpmath.log((n - 1) * p * e_to(exponent) + p),
        mpmath.log((n - 1) * p * e_to(-spread(u) / (2 * m * n * (n - 1)) / t) + p),
    ]


def _tight() -> Verdict:
    return chain(
        lambda u: [_cnce(u), log_mean(_jensen_inside(u, a, b) for a, b in _pairs(u)), _a64_lines(u)[0]],
        ("=", "="),
        ssem_sets(),
        where=lambda u: constant(u, _pairs(u), *GROUPS[1:]),
        note="sufficient, as printed",
    )


@LEDGER.claim(
    "(A.62)", r"with (A.63): u^\top(w-v) = c_1 for w \in U_i \setminus U_{ij} gives equality"
)
def a62() -> Verdict:
    return _tight()


@LEDGER.claim("(A.63)", r"with (A.62): u^\top(w-v) = c_2 for w \in U_{ij} gives equality")
def a63() -> Verdict:
    return _tight()


@LEDGER.claim(
    "(A.64)",
    r"L_{cNCE}(U) \ge \log((n-1)p \exp(\frac{1}{mn(n-1)p^2} \sum \dots - \frac{1}{mnp^2} \sum \dots) + p) "
    r"= \log((n-1)p \exp(-\frac{1}{2mn(n-1)} \sum_{i, j \neq j'} \|E[U_{ij}] - E[U_{ij'}]\|^2/\tau) + p)",
)
def a64(printed: Callable[[Embeddings], list[Any]] = _a64_lines) -> Verdict:
    return chain(lambda u: [_cnce(u), *printed(u)], (">=", "="), all_sets())


@LEDGER.claim(
    "(A.64): equality condition", "equality in (A.64) holds if (A.62) and (A.63) are satisfied"
)
def a64_equality() -> Verdict:
    return _tight()


@LEDGER.claim(
    "Proposition A.6, proof: SSEM satisfies the equality conditions",
    "SSEM satisfies (A.62) and (A.63)",
)
def cnce_ssem_equality() -> Verdict:
    return at_temperature(
        lambda u: (int(constant(u, _pairs(u), *GROUPS[1:])), 1), "=", ssem_sets()
    )


@LEDGER.claim(
    "Proposition A.6, proof: SSEM attains every spread",
    r"SSEM attains all possible values of \sum_{i, j \neq j'} \|E[U_{ij}] - E[U_{ij'}]\|^2, so "
    r"L_{cNCE}(U) \ge \min_\delta L_{cNCE}(U^\delta)",
)
def cnce_least() -> Verdict:
    return both(
        at_temperature(
            lambda u: (_cnce(u), _cnce(ssem_matching(u, spread))), ">=", random_sets()
        ),
        at_temperature(
            lambda u: (spread(ssem_matching(u, spread)), spread(u)), "=", random_sets()
        ),
    )


def _cnce_on_ssem() -> Expr:
    return ReducedLoss(CNCE, hierarchy()).value(inner())


PRINTED_CNCE = log((n - 1) * p * exp(-X_OF_DELTA / tau) + p)


@LEDGER.claim(
    "Proposition A.6, proof: L_cNCE on SSEM",
    r"L_{cNCE}(U^\delta) = \dots = \log((n-1)p e^{(1-\delta^2\frac{mn}{mn-1})/\tau - 1/\tau} + p) "
    r"= \log((n-1)p e^{-\delta^2\frac{mn}{mn-1}/\tau} + p)",
    result="cnce-optimum",
)
def cnce_on_ssem(printed: Expr = PRINTED_CNCE) -> Verdict:
    before = log((n - 1) * p * exp((1 - X_OF_DELTA) / tau - 1 / tau) + p)
    found = both(*(same_loss(e, _cnce_on_ssem(), ON_SSEM) for e in (before, printed)))
    sums = chain(lambda u: [_cnce(u), _a64_lines(u)[0]], ("=",), ssem_sets())
    return both(found, sums)


@LEDGER.claim(
    "Proposition A.6, proof: the loss decreases",
    r"L_{cNCE}(U^\delta) is a monotonic decreasing function of \delta",
    result="cnce-optimum",
)
def cnce_decreases(printed: Expr = PRINTED_CNCE) -> Verdict:
    return holds_positive(-printed.diff(delta), LOSS.with_range(delta, POSITIVE, 1))


@LEDGER.claim(
    "Proposition A.6, proof: where the minimum is attained",
    r"the minimum loss is attained when \delta = \frac{mn-1}{m(n-1)}",
    result="cnce-optimum",
)
def cnce_at(printed: Expr = (m * n - 1) / (m * (n - 1))) -> Verdict:
    return equal(
        printed,
        results["cnce-optimum"].delta_star,
        SIZES,
        "the square root is missing, as the line after has it; the value printed is outside "
        "the interval of delta",
    )


@LEDGER.claim(
    "Proposition A.6, proof: conclusion",
    r"for any U, L_{cNCE}(U) \ge L_{cNCE}(U^\delta) holds for \delta = \sqrt{\frac{mn-1}{m(n-1)}}",
    result="cnce-optimum",
)
def cnce_conclusion() -> Verdict:
    return _cnce_minimum()


# --- Appendix B ----------------------------------------------------------------------------------
B_SIZES = {m: Integer(10), n: Integer(10)}
B_DIMENSION = 50


@LEDGER.claim("Appendix B: dimension", "50 = d < mn-1 = 99 for m = n = 10")
def b_dimension(printed: int = 99) -> Verdict:
    return equal(Integer(printed), (m * n - 1).subs(B_SIZES), Domain({}, {}))


@LEDGER.claim(
    "Appendix B: existence",
    "for d = 50 the optimal embedding set of SSEM cannot exist, by Proposition 1",
    result="ssem",
)
def b_existence() -> Verdict:
    least = results["ssem"].min_dimension.subs(B_SIZES)
    end = results["ssem"].delta_max.subs(B_SIZES)
    inside = [least.subs(delta, d) for d in (S.Half, S.One, end)]
    within = decided(
        all(d > B_DIMENSION for d in inside), "rank of SSEM inside and at the upper end",
        witness={"printed": "d > 50", "derived": str(inside)},
    )
    collapsed = least.subs(delta, 0)
    without = decided(
        bool(collapsed > B_DIMENSION),
        "rank of SSEM at delta = 0",
        witness={
            "point": {"m": "10", "n": "10", "d": "50", "delta": "0"},
            "printed": "does not exist",
            "derived": f"exists in dimension {collapsed}",
        },
    )
    return needs_condition(
        "delta* > 0",
        within,
        without,
        "when classes collapse, delta* = 0, the optimum exists; Proposition 1 says where SSEM "
        "exists, not where it does not: that is the rank of its Gram matrix",
    )


@LEDGER.claim(
    "Appendix B: variance",
    "for d = 50 the within-class variance of learned embeddings aligns with the theory, as "
    "Figure B.1 shows",
)
def b_variance() -> Verdict:
    return Verdict(
        "undecided",
        Evidence(Grade.SAMPLED, "nothing was run: a statement about trained embeddings"),
        "a matter of measurement; no theorem covers d < mn - 1, and in R^1 the threshold fails "
        "(Theorem A.3: dimension)",
    )

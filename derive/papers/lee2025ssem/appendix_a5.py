"""Appendix A.5: Proposition A.6."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
from sympy import Expr, exp, log

from ...decide.domain import POSITIVE
from ...losses.softmax import tau
from ...losses.supcl import CNCE
from ...optimum.reduce import ReducedLoss
from ...optimum.segment import delta
from ...results import results
from ...structures.hierarchy import hierarchy, m, n, p
from ...vectors.embeddings import Embeddings, Index
from ..checks import both, equal, holds_positive, needs_condition, undefined_at
from ..evaluate import value
from ..verdict import Verdict
from . import LEDGER
from ._domains import LOSS, ON_SSEM, SHAPE
from ._loss import X_OF_DELTA, inner, same_loss
from ._ssem import exact_ssem
from ._sums import (
    all_sets,
    anchors,
    at_temperature,
    chain,
    log_mean,
    own,
    random_sets,
    same,
    sharp_chain,
    spread,
    ssem_matching,
    ssem_sets,
    symmetric_sets,
    temperature,
)
from ._sums import exp as e_to
from .appendix_a3_bound_sup import GROUPS, constant


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


def end_of_interval(m: int, n: int) -> Fraction:
    """The square of sqrt((mn-1)/(m(n-1)))."""
    return Fraction(m * n - 1, m * (n - 1))


@cache
def cnce_minimum(end: Callable[[int, int], Fraction] = end_of_interval) -> Verdict:
    """No set has a smaller loss than the SSEM with delta^2 = ``end``; Remark 1 says it as well."""

    def widest(m: int, n: int, p: int) -> Embeddings:
        return Embeddings.ssem(m, n, p, end(m, n))

    cases = (
        *all_sets(),
        *exact_ssem(),
        Embeddings.random(1, 3, 2, 2, seed=1),
        Embeddings.random(1, 2, 1, 1, seed=2),
    )
    within = both(
        at_temperature(lambda u: (_cnce(u), _cnce(widest(u.m, u.n, u.p))), ">=", cases),
        Verdict("agrees", results["cnce-optimum"].evidence),
    )
    return needs_condition(
        "n >= 2 (not only mn >= 2)",
        within,
        lambda: undefined_at({"m": 2, "n": 1}, lambda: widest(2, 1, 1)),
    )


@LEDGER.claim(
    "Proposition A.6",
    r"for d \ge mn-1 and mn \ge 2: L_{cNCE}(U) \ge L_{cNCE}(U^\delta) for any U, with "
    r"\delta = \sqrt{\frac{mn-1}{m(n-1)}}",
    result="cnce-optimum",
)
def proposition_a6(end: Callable[[int, int], Fraction] = end_of_interval) -> Verdict:
    return cnce_minimum(end)


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
        lambda u: [
            _cnce(u),
            log_mean(_jensen_inside(u, a, b) for a, b in _pairs(u)),
            _a64_lines(u)[0],
        ],
        ("=", "="),
        symmetric_sets(),
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
    r"L_{cNCE}(U) \ge \log((n-1)p \exp(\frac{1}{mn(n-1)p^2} \sum \dots - \frac{1}{mnp^2} \sum "
    r"\dots) + p) "
    r"= \log((n-1)p \exp(-\frac{1}{2mn(n-1)} \sum_{i, j \neq j'} \|E[U_{ij}] - "
    r"E[U_{ij'}]\|^2/\tau) + p)",
)
def a64(printed: Callable[[Embeddings], list[Any]] = _a64_lines) -> Verdict:
    return sharp_chain(lambda u: [_cnce(u), *printed(u)], (">=", "="))


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
    return at_temperature(lambda u: (int(constant(u, _pairs(u), *GROUPS[1:])), 1), "=", ssem_sets())


@LEDGER.claim(
    "Proposition A.6, proof: SSEM attains every spread",
    r"SSEM attains all possible values of \sum_{i, j \neq j'} \|E[U_{ij}] - E[U_{ij'}]\|^2, so "
    r"L_{cNCE}(U) \ge \min_\delta L_{cNCE}(U^\delta)",
)
def cnce_least() -> Verdict:
    return both(
        at_temperature(lambda u: (_cnce(u), _cnce(ssem_matching(u, spread))), ">=", random_sets()),
        at_temperature(lambda u: (spread(ssem_matching(u, spread)), spread(u)), "=", random_sets()),
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
        SHAPE,
        "the square root is missing, as the line after has it; the value printed is outside "
        "the interval of delta",
    )


@LEDGER.claim(
    "Proposition A.6, proof: conclusion",
    r"for any U, L_{cNCE}(U) \ge L_{cNCE}(U^\delta) holds for \delta = \sqrt{\frac{mn-1}{m(n-1)}}",
    result="cnce-optimum",
)
def cnce_conclusion(end: Callable[[int, int], Fraction] = end_of_interval) -> Verdict:
    return cnce_minimum(end)

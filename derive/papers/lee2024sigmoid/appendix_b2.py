"""Appendix B.2: the proof of Corollary 3."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from math import inf
from typing import Any

import mpmath
from sympy import Expr, S, exp, log

from ...decide.domain import Range
from ...losses.clip import INFONCE, t
from ...losses.pairwise import c
from ...structures.towers import N
from ..checks import Formula, Relation, decided, holds_positive, needs_condition, on_embeddings
from ..evaluate import mpf
from ..towers import Towers, assorted, ccems, softmax_value
from ..verdict import Verdict
from . import LEDGER
from ._domains import WARM
from ._kept import T, corollary_3, equation_9, lemma_bound, simplex_towers
from ._loss import chain, least_negatives, position

ZERO = Fraction(0)
H = Callable[[int, Fraction], Fraction]
Lines = Callable[[Towers], Sequence[Any]]


@LEDGER.claim(
    "Appendix B.2: Corollary 3",
    r"\min_{U, V} L^{InfoNCE}(U, V) = \min_{\delta \ge 0} L^{InfoNCE}(U(\delta), V(\delta))",
    result="infonce-optimum",
)
def corollary_3_again(best: Callable[[int], Towers] = simplex_towers) -> Verdict:
    return corollary_3(best)


@LEDGER.claim(
    "Corollary 3, proof: h",
    r"h(c) := \min_{\frac1N \sum_i u_i^\top v_i = c} \sum_i \sum_{j \ne i} u_i^\top v_j",
)
def h_again(least: H = least_negatives) -> Verdict:
    return lemma_bound(least)


@cache
def printed_l() -> Expr:
    """l(x) of the proof, with c for x."""
    return log(1 + (N - 1) * exp(c / (t * N * (N - 1))))


@LEDGER.claim(
    "Corollary 3, proof: l",
    r"l(x) = \log(1 + (N-1) \exp(\frac{1}{tN(N-1)} x)) is convex for any N \ge 3 and t > 0",
)
def l_is_convex(l: Formula = printed_l) -> Verdict:  # noqa: E741
    where = WARM.with_range(c, Range(-S.Infinity), 0)
    return holds_positive(l().diff(c, 2), where, "for N >= 2, and strictly")


@LEDGER.claim("Corollary 3, proof: l increases", "l is an increasing function")
def l_increases(l: Formula = printed_l) -> Verdict:  # noqa: E741
    where = WARM.with_range(c, Range(-S.Infinity), 0)
    return holds_positive(l().diff(c), where)


def l_at(value: Fraction, items: int) -> Any:
    """l(x) in mpmath, at t = T."""
    return mpmath.log(1 + (items - 1) * mpmath.exp(mpf(value / (T * items * (items - 1)))))


def forth(w: Towers, i: int) -> list[Fraction]:
    """u_i . (v_j - v_i) over j != i."""
    return [w.uv(i, j) - w.uv(i, i) for j in w.negatives_of(i)]


def back(w: Towers, i: int) -> list[Fraction]:
    """(u_j - u_i) . v_i over j != i."""
    return [w.uv(j, i) - w.uv(i, i) for j in w.negatives_of(i)]


Gaps = Callable[[Towers, int], list[Fraction]]


def row(w: Towers, i: int, gaps: Gaps) -> Any:
    """log(1 + sum of exponentials of the gaps)."""
    return mpmath.log(1 + mpmath.fsum(mpmath.exp(mpf(g / T)) for g in gaps(w, i)))


def row_mean(w: Towers, i: int, gaps: Gaps) -> Any:
    """log(1 + (N-1) exp of the mean gap)."""
    g = sum(gaps(w, i), ZERO) / (w.N - 1)
    return mpmath.log(1 + (w.N - 1) * mpmath.exp(mpf(g / T)))


def all_mean(w: Towers, gaps: Gaps) -> Any:
    """log(1 + (N-1) exp of the mean of all gaps)."""
    g = sum((sum(gaps(w, i), ZERO) for i in range(w.N)), ZERO) / (w.N * (w.N - 1))
    return mpmath.log(1 + (w.N - 1) * mpmath.exp(mpf(g / T)))


def printed_chain(w: Towers, factor: int = 2) -> Sequence[Any]:
    """The lines of the chain for InfoNCE. The second has its two sums in the other order."""
    every, n = range(w.N), w.N
    near, negatives = sum(w.positives(), ZERO), sum(w.negatives(), ZERO)
    return (
        mpmath.fsum(row(w, i, forth) for i in every) / n
        + mpmath.fsum(row(w, i, back) for i in every) / n,
        mpmath.fsum(row_mean(w, i, back) for i in every) / n
        + mpmath.fsum(all_mean(w, forth) for _ in every) / n,
        all_mean(w, forth) + all_mean(w, back),
        factor * l_at(negatives - (n - 1) * near, n),
        factor * l_at(least_negatives(n, near / n) - (n - 1) * near, n),
    )


@LEDGER.claim(
    "Corollary 3, proof: Jensen",
    r"L^{InfoNCE} = \frac1N \sum_i \log(1 + \sum_{j \ne i} \exp(u_i^\top (v_j - v_i)/t)) + "
    r"\frac1N \sum_i \log(1 + \sum_{j \ne i} \exp((u_j - u_i)^\top v_i/t)) \ge \dots \ge "
    r"2 l(\sum_i \sum_{j \ne i} u_i^\top v_j - (N-1) \sum_i u_i^\top v_i) \ge "
    r"2 l(h(\frac1N \sum_i u_i^\top v_i) - (N-1) \sum_i u_i^\top v_i)",
    result="infonce-optimum",
)
def jensen(
    lines: Lines = printed_chain, relations: tuple[Relation, ...] = ("=", ">=", ">=", "=", ">=")
) -> Verdict:
    return chain(lambda w: (softmax_value(INFONCE, w, t=T), *lines(w)), relations).with_note(
        "in its second line the two sums are swapped, and one has been averaged over i already, "
        "with i used twice; each inequality is true as it stands"
    )


def printed_conditions(w: Towers) -> bool:
    """u_i . (v_j - v_i) = c_1 and (u_j - u_i) . v_i = c_2 for all i != j."""
    return all(len({g for i in range(w.N) for g in gaps(w, i)}) == 1 for gaps in (forth, back))


@LEDGER.claim(
    "Corollary 3, proof: equality",
    r"the equality conditions of Jensen's inequalities are u_i^\top (v_j - v_i) = c_1 and "
    r"(u_j - u_i)^\top v_i = c_2 for all i \ne j",
)
def equality(printed: Callable[[Towers], bool] = printed_conditions) -> Verdict:
    def sides(w: Towers) -> tuple[int, int]:
        first, _, third, *_ = printed_chain(w)
        return int(abs(first - third) < mpmath.mpf(10) ** -40), int(printed(w))

    return on_embeddings(sides, "=", assorted(), note="iff, as both functions are strictly convex")


@LEDGER.claim(
    "Corollary 3, proof: delta(c)",
    r"for every c \in [-1, 1], by Lemma 1, there is a unique \delta(c) \ge 0",
)
def delta_of_c(least: H = least_negatives) -> Verdict:
    return needs_condition(
        "c > -1, or delta = oo admitted",
        lemma_bound(least),
        decided(
            position(Fraction(-1)) != inf,
            "the delta with (1 - delta^2)/(1 + delta^2) = -1",
            witness={"point": {"c": "-1"}, "printed": "delta >= 0", "derived": "delta = oo"},
        ),
        "as in Lemma 1; harmless here, for the minimum is at c = 1",
    )


@LEDGER.claim(
    "Corollary 3, proof: h on the CCEM",
    r"\sum_i \sum_{j \ne i} (u_i^\delta)^\top v_j^\delta = h(\frac1N \sum_i (u_i^\delta)^\top "
    r"v_i^\delta)",
)
def h_on_ccem(
    h: H = lambda k, g: Fraction(k) * ((k - 2) * g - k) / 2,
) -> Verdict:
    return equation_9(h)


@LEDGER.claim(
    "Corollary 3, proof: loss on the CCEM",
    r"L^{InfoNCE}(U(\delta), V(\delta)) = 2 l(h(\frac1N \sum_i (u_i^\delta)^\top v_i^\delta) - "
    r"(N-1) \sum_i (u_i^\delta)^\top v_i^\delta)",
    result="infonce-optimum",
)
def loss_on_ccem(factor: int = 2) -> Verdict:
    return on_embeddings(
        lambda w: (printed_chain(w, factor)[-1], softmax_value(INFONCE, w, t=T)),
        "=",
        ccems(),
        note="the CCEM meets the equality conditions",
    )


@LEDGER.claim(
    "Corollary 3, proof: last display",
    r"L^{InfoNCE} \ge 2 l(\dots) \ge 2 \min_{\frac1N \sum_i u_i^\top v_i} l(\dots) = "
    r"2 \min_{\delta \ge 0} l(\dots) = \min_{\delta \ge 0} L^{InfoNCE}(U(\delta), V(\delta))",
    result="infonce-optimum",
)
def last_display(best: Callable[[int], Towers] = simplex_towers) -> Verdict:
    def lines(w: Towers) -> Sequence[Any]:
        b = best(w.N)
        return (
            softmax_value(INFONCE, w, t=T),
            printed_chain(w)[-1],
            printed_chain(b)[-1],
            softmax_value(INFONCE, b, t=T),
        )

    return chain(lines, (">=", ">=", "="))

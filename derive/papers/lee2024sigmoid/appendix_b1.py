"""Appendix B.1: the proof of Lemma 1."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

from sympy import Expr, S, sqrt

from ...decide.domain import between
from ...losses.pairwise import c
from ...optimum.segment import delta
from ...results import results
from ...structures.towers import N
from ...vectors.embeddings import combine, mean
from ..checks import (
    Formula,
    Relation,
    all_equal,
    both,
    equal,
    holds_positive,
    needs_condition,
    on_embeddings,
    undefined_at,
)
from ..towers import Towers, assorted, ccems
from ..verdict import Verdict
from . import LEDGER
from ._domains import ON_CCEM, TWO
from ._kept import lemma_1
from ._loss import chain, least_negatives

ZERO = Fraction(0)
H = Callable[[int, Fraction], Fraction]
Lines = Callable[[Towers], Sequence[Any]]


def steps(w: Towers) -> Fraction:
    """Sum of |u_i - v_i|^2."""
    return sum((w.dot(w.step(i), w.step(i)) for i in range(w.N)), ZERO)


def mean_step(w: Towers, sign: int) -> Fraction:
    """Squared norm of the mean of u_i + v_i (1) or of u_i - v_i (-1)."""
    both = combine((1, mean(w.u())), (sign, mean(w.v())))
    return w.dot(both, both)


def far(w: Towers) -> Fraction:
    """1/N^2 times the sum over the negatives."""
    return sum(w.negatives(), ZERO) / w.N**2


@LEDGER.claim(
    "(11)",
    r"Lemma 1 again: (U(\delta), V(\delta)) = \arg\min_{\frac1N \sum_i u_i^\top v_i = c} "
    r"\sum_i \sum_{j \ne i} u_i^\top v_j for every c \in [-1, 1] and a unique \delta \ge 0",
    result="ccem",
)
def equation_11(least: H = least_negatives) -> Verdict:
    return lemma_1(least)


def printed_first(w: Towers) -> Sequence[Any]:
    """The lines of the first display of the proof."""
    n = w.N
    return (
        steps(w),
        n * mean_step(w, -1),
        n * mean_step(w, 1) - 4 * n * w.centroids(),
        -4 * n * w.centroids(),
    )


@LEDGER.claim(
    "Lemma 1, proof: first display",
    r"\sum_i |u_i - v_i|^2 \ge N |\frac1N \sum_i (u_i - v_i)|^2 = N |\frac1N \sum_i (u_i + v_i)|^2 "
    r"- 4N (\frac1N \sum_i u_i)^\top (\frac1N \sum_i v_i) \ge -4N (\frac1N \sum_i u_i)^\top "
    r"(\frac1N \sum_i v_i)",
)
def first_display(
    lines: Lines = printed_first, relations: tuple[Relation, ...] = (">=", "=", ">=")
) -> Verdict:
    return chain(lines, relations)


def printed_12(w: Towers) -> tuple[bool, bool]:
    """The two equality conditions."""
    return w.steps_are_equal(), w.sum_vanishes()


@LEDGER.claim(
    "(12)",
    r"the equality conditions are u_i - v_i = c' for all i, and \frac1N \sum_i u_i + "
    r"\frac1N \sum_i v_i = 0",
)
def equation_12(printed: Callable[[Towers], tuple[bool, bool]] = printed_12) -> Verdict:
    def sides(w: Towers) -> tuple[int, int]:
        first, second, third, last = printed_first(w)
        equalities = (first == second, third == last)
        return int(equalities == printed(w)), 1

    return on_embeddings(sides, "=", assorted(), note="each for its own inequality, iff")


@LEDGER.claim(
    "(13)",
    r"(\frac1N \sum_i u_i)^\top (\frac1N \sum_i v_i) \ge -\frac{1}{4N} \sum_i |u_i - v_i|^2",
)
def equation_13(
    printed: Callable[[Towers], Fraction] = lambda w: -Fraction(1, 4 * w.N) * steps(w),
) -> Verdict:
    def lines(w: Towers) -> Sequence[Any]:
        return w.centroids(), printed(w)

    return both(chain(lines, (">=",)), chain(lines, ("=",), ccems()))


@LEDGER.claim(
    "Lemma 1, proof: centroids",
    r"(\frac1N \sum_i u_i)^\top (\frac1N \sum_j v_j) = \frac{1}{N^2} \sum_i u_i^\top v_i + "
    r"\frac{1}{N^2} \sum_i \sum_{j \ne i} u_i^\top v_j",
)
def centroids(power: int = 2) -> Verdict:
    return chain(
        lambda w: (w.centroids(), (sum(w.positives(), ZERO) / w.N**power) + far(w)), ("=",)
    )


@LEDGER.claim("Lemma 1, proof: norms", r"|u_i - v_i|^2 = 2 - 2 u_i^\top v_i for all i")
def norms(factor: int = 2) -> Verdict:
    def sides(w: Towers) -> tuple[int, int]:
        return sum(w.dot(w.step(i), w.step(i)) == 2 - factor * w.uv(i, i) for i in range(w.N)), w.N

    return on_embeddings(sides, "=", assorted())


def printed_15(w: Towers) -> Sequence[Any]:
    """The lines of the display with (14) and (15)."""
    n = w.N
    return (
        far(w),
        w.centroids() - sum(w.positives(), ZERO) / n**2,
        w.centroids() + steps(w) / (2 * n**2) - Fraction(1, n),
        -steps(w) / (4 * n) + steps(w) / (2 * n**2) - Fraction(1, n),
        Fraction(n - 2, 2 * n**2) * sum(w.positives(), ZERO) - Fraction(1, 2),
    )


@LEDGER.claim(
    "(14)",
    r"\frac{1}{N^2} \sum_i \sum_{j \ne i} u_i^\top v_j = (\dots)^\top (\dots) - \frac{1}{N^2} "
    r"\sum_i u_i^\top v_i = (\dots)^\top (\dots) + \frac{1}{2N^2} \sum_i |u_i - v_i|^2 - \frac1N "
    r"\ge -\frac{1}{4N} \sum_i |u_i - v_i|^2 + \frac{1}{2N^2} \sum_i |u_i - v_i|^2 - \frac1N",
)
def equation_14(lines: Lines = printed_15) -> Verdict:
    return chain(lambda w: lines(w)[:4], ("=", "=", ">="))


@LEDGER.claim(
    "(15)",
    r"-\frac{1}{4N} \sum_i |u_i - v_i|^2 + \frac{1}{2N^2} \sum_i |u_i - v_i|^2 - \frac1N = "
    r"\frac{N-2}{2N^2} \sum_i u_i^\top v_i - \frac12",
)
def equation_15(lines: Lines = printed_15) -> Verdict:
    return chain(lambda w: lines(w)[3:], ("=",))


@LEDGER.claim(
    "Lemma 1, proof: optimality",
    "the necessary and sufficient condition for achieving the optimum is the equality condition "
    "of (14), which is (12)",
    result="ccem",
)
def optimality(
    printed: Callable[[Towers], bool] = lambda w: all(printed_12(w)),
    cases: Callable[[], Iterable[Towers]] = assorted,
) -> Verdict:
    def sides(w: Towers) -> tuple[int, int]:
        least = least_negatives(w.N, w.alignment())
        return int(sum(w.negatives(), ZERO) == least), int(printed(w))

    return on_embeddings(
        sides,
        "=",
        cases(),
        note="for d >= N, where the bound is attained (in lower d it may be too)",
    )


def printed_on_ccem() -> tuple[Expr, ...]:
    """The lines of the display on the CCEM, after the first."""
    positive = (1 - delta**2) / (1 + delta**2)
    return (
        -(1 / N + (N - 1) / N * delta**2) / (1 + delta**2),
        (N - 2) / (2 * N**2) * N * positive - S.Half,
    )


@LEDGER.claim(
    "Lemma 1, proof: on the CCEM",
    r"\frac{1}{N^2} \sum_i \sum_{j \ne i} (u_i^\delta)^\top v_j^\delta = "
    r"-\frac{\frac1N + \frac{N-1}{N} \delta^2}{1 + \delta^2} = \frac{N-2}{2N^2} \sum_i "
    r"(u_i^\delta)^\top v_i^\delta - \frac12",
    result="ccem",
)
def on_ccem(lines: Callable[[], tuple[Expr, ...]] = printed_on_ccem) -> Verdict:
    derived = N * (N - 1) * results["ccem"].negative / N**2
    return all_equal(lines(), derived, ON_CCEM)


@LEDGER.claim(
    "Lemma 1, proof: equality on the CCEM",
    "the construction of the CCEM fulfills (12)",
    result="ccem",
)
def ccem_is_equality(cases: Callable[[], Iterable[Towers]] = ccems) -> Verdict:
    return on_embeddings(lambda w: (int(all(printed_12(w))), 1), "=", cases())


@LEDGER.claim(
    "Lemma 1, proof: delta",
    r"\delta = \sqrt{\frac{1-c}{1+c}} when \frac1N \sum_i u_i^\top v_i = c",
    result="ccem",
)
def delta_of_c(printed: Formula = lambda: sqrt((1 - c) / (1 + c))) -> Verdict:
    positive = results["ccem"].positive.expand()
    inside = TWO.with_range(c, between(-1, 1, "(]"), S.Half)
    return needs_condition(
        "c > -1",
        equal(positive.xreplace({delta**2: (printed() ** 2).expand(power_base=True)}), c, inside),
        lambda: undefined_at({"c": -1}, lambda: printed().xreplace({c: S.NegativeOne})),
        "at c = -1 it is oo, the antipodal structure",
    )


@LEDGER.claim(
    "Lemma 1, proof: uniqueness",
    r"\sqrt{\frac{1-c}{1+c}} is a strictly decreasing function with respect to c \in [-1, 1]",
    result="ccem",
)
def uniqueness(square: Formula = lambda: (1 - c) / (1 + c)) -> Verdict:
    # The root is increasing.
    inside = TWO.with_range(c, between(-1, 1, "(]"), S.Half)
    return needs_condition(
        "c > -1",
        holds_positive(-square().diff(c), inside),
        lambda: undefined_at({"c": -1}, lambda: square().xreplace({c: S.NegativeOne})),
    )

"""Section 4.2: the proof of Theorem 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from math import inf
from typing import Any

from ...decide.evidence import Grade
from ..checks import Relation, both, decided, needs_condition, on_embeddings
from ..towers import Towers, assorted, ccem, ccems, lifted, square
from ..verdict import Verdict
from . import LEDGER
from ._kept import best_for_squares, lemma_bound
from ._loss import (
    LINES,
    PAIRS,
    SQUARES,
    Function,
    Lines,
    chain,
    least_negatives,
    position,
    total_loss,
)

Pair = tuple[Function, Function]
H = Callable[[int, Fraction], Fraction]


def printed_l(x: Fraction, y: Fraction, items: int, pair: Pair) -> Any:
    """l(x, y) as printed."""
    positive, negative = pair
    return positive(x / items) + (items - 1) * negative(y / (items * (items - 1)))


L = Callable[[Fraction, Fraction, int, Pair], Any]


@LEDGER.claim(
    "Theorem 1, proof: h",
    r"h(c) := \min_{\frac1N \sum_i u_i^\top v_i = c} \sum_i \sum_{j \ne i} u_i^\top v_j is the "
    r"minimum summation of the off-diagonal terms of M with diagonal sum Nc",
    result="ccem",
)
def definition_of_h(least: H = least_negatives) -> Verdict:
    return lemma_bound(least).with_note("h(c) = N((N - 2)c - N)/2")


@LEDGER.claim(
    "Theorem 1, proof: l",
    r"l(x, y) := l_p(\frac{x}{N}) + (N-1) l_n(\frac{y}{N(N-1)})",
    result="pairwise-threshold",
)
def definition_of_l(l: L = printed_l) -> Verdict:  # noqa: E741
    # On double-constant embeddings it is the loss per item.
    def sides(w: Towers, pair: Pair) -> tuple[Any, Any]:
        near, far = sum(w.positives(), Fraction(0)), sum(w.negatives(), Fraction(0))
        return l(near, far, w.N, pair), total_loss(w, pair) / w.N

    return both(*(on_embeddings(partial(sides, pair=pair), "=", ccems()) for pair in PAIRS))


def printed_7(w: Towers, pair: Pair, l: L = printed_l) -> Sequence[Any]:  # noqa: E741
    """The lines of (7)."""
    positive, negative = pair
    near, far = sum(w.positives(), Fraction(0)), sum(w.negatives(), Fraction(0))
    items = Fraction(w.N)
    return (
        total_loss(w, pair) / items,
        positive(near / items) + sum(map(negative, w.negatives()), Fraction(0)) / items,
        positive(near / items) + (items - 1) * negative(far / (items * (items - 1))),
        l(near, far, w.N, pair),
        l(near, least_negatives(w.N, near / items), w.N, pair),
    )


@LEDGER.claim(
    "(7)",
    r"\frac1N L \ge l_p(\frac1N \sum_i u_i^\top v_i) + \frac1N \sum_i \sum_{j \ne i} "
    r"l_n(u_i^\top v_j) \ge \dots + (N-1) l_n(\frac{1}{N(N-1)} \sum_i \sum_{j \ne i} "
    r"u_i^\top v_j) = l(\sum_i u_i^\top v_i, \sum_i \sum_{j \ne i} u_i^\top v_j) \ge "
    r"l(\sum_i u_i^\top v_i, h(\frac1N \sum_i u_i^\top v_i))",
    result="pairwise-threshold",
)
def equation_7(
    lines: Callable[[Towers, Pair], Sequence[Any]] = printed_7,
    relations: tuple[Relation, ...] = (">=", ">=", "=", ">="),
) -> Verdict:
    def with_pair(pair: Pair) -> Lines:
        return lambda w: lines(w, pair)

    return both(*(chain(with_pair(pair), relations) for pair in PAIRS))


@LEDGER.claim(
    "(8)",
    r"the equality conditions of Jensen's inequalities are u_i^\top v_i = c_1 for all i and "
    r"u_i^\top v_j = c_2 for all i \ne j",
    result="pairwise-threshold",
)
def equation_8(pair: Pair = SQUARES) -> Verdict:
    def sides(w: Towers) -> tuple[int, int]:
        first, _, third, *_ = printed_7(w, pair)
        return int(first == third), int(w.is_double_constant())

    w = lifted(square(), Fraction(0))
    flat = printed_7(w, LINES)
    return needs_condition(
        "l_p and l_n strictly convex",
        on_embeddings(sides, "=", assorted()),
        decided(
            flat[0] != flat[2] or w.is_double_constant(),
            "both sides for linear functions",
            witness={
                "point": {"N": "4", "l_p": "-y", "l_n": "y", "u = v": "+-e_1, +-e_2"},
                "printed": "strict inequality, as u_1.v_2 = -1 and u_1.v_3 = 0",
                "derived": f"equality at {flat[0]}",
            },
        ),
        "otherwise the conditions are sufficient, which is what the proof uses",
    )


@LEDGER.claim(
    "Theorem 1, proof: l increases",
    "the last inequality holds since l(x, y) is an increasing function with respect to y",
    result="pairwise-threshold",
)
def l_increases(l: L = printed_l, sign: int = 1) -> Verdict:  # noqa: E741
    steps = [Fraction(k, 4) for k in range(-12, 13)]
    values = [[sign * l(Fraction(1), y, 4, pair) for y in steps] for pair in PAIRS]
    return decided(
        all(row == sorted(row) for row in values),
        "N = 4, three pairs of functions, y from -3 to 3",
        "because l_n is; strictly where l_n is strictly increasing",
        grade=Grade.SAMPLED,
        witness={"derived": [str(row[-1] - row[0]) for row in values]},
    )


@LEDGER.claim(
    "Theorem 1, proof: display after (8)",
    r"for every c \in [-1, 1] there is a unique \delta = \delta(c) \ge 0 with (U(\delta), "
    r"V(\delta)) = \arg\min_{S_{(c)}} \sum_i \sum_{j \ne i} u_i^\top v_j",
    result="ccem",
)
def unique_delta(least: H = least_negatives) -> Verdict:
    return needs_condition(
        "c > -1, or delta = oo admitted",
        lemma_bound(least),
        decided(
            position(Fraction(-1)) != inf,
            "the delta with (1 - delta^2)/(1 + delta^2) = -1",
            witness={"point": {"c": "-1"}, "printed": "delta >= 0", "derived": "delta = oo"},
        ),
        "as in Lemma 1",
    )


@LEDGER.claim(
    "(9)",
    r"\sum_i \sum_{j \ne i} (u_i^\delta)^\top v_j^\delta = h(\frac1N \sum_i (u_i^\delta)^\top "
    r"v_i^\delta)",
    result="ccem",
)
def equation_9(h: H = lambda k, g: Fraction(k) * ((k - 2) * g - k) / 2) -> Verdict:
    # h in closed form, as (15) gives it.
    return both(
        on_embeddings(
            lambda w: (sum(w.negatives(), Fraction(0)), h(w.N, w.alignment())), "=", ccems()
        ),
        on_embeddings(
            lambda w: (sum(w.negatives(), Fraction(0)), h(w.N, w.alignment())), ">=", assorted()
        ),
    )


@LEDGER.claim(
    "(10)",
    r"L(U(\delta), V(\delta)) = N \cdot l(\sum_i (u_i^\delta)^\top v_i^\delta, h(\frac1N \sum_i "
    r"(u_i^\delta)^\top v_i^\delta))",
    result="pairwise-threshold",
)
def equation_10(factor: Callable[[int], int] = lambda items: items) -> Verdict:
    def sides(w: Towers, pair: Pair) -> tuple[Any, Any]:
        last = printed_7(w, pair)[-1]
        return factor(w.N) * last, total_loss(w, pair)

    return both(*(on_embeddings(partial(sides, pair=pair), "=", ccems()) for pair in PAIRS))


@LEDGER.claim(
    "Theorem 1, proof: last display",
    r"L \ge N l(\sum_i u_i^\top v_i, h(\cdot)) \ge N \min_{\frac1N \sum_i u_i^\top v_i} l(\dots) "
    r"= N \min_{\delta \ge 0} l(\dots) = \min_{\delta \ge 0} L(U(\delta), V(\delta))",
    result="pairwise-threshold",
)
def last_display(pair: Pair = SQUARES) -> Verdict:
    def lines(w: Towers) -> Sequence[Any]:
        best = ccem(w.N, best_for_squares(w.N))
        return (
            total_loss(w, pair),
            w.N * printed_7(w, pair)[-1],
            w.N * printed_7(best, pair)[-1],
            total_loss(best, pair),
        )

    far = total_loss(ccem(5, inf), LINES)
    finite = [total_loss(ccem(5, q), LINES) for q in (Fraction(1), Fraction(100))]
    return needs_condition(
        "delta = oo admitted",
        chain(lines, (">=", ">=", "=")),
        decided(
            not finite[0] > finite[1] > far,
            "the loss at delta^2 = 1, 100 and oo",
            witness={
                "point": {"N": "5", "l_p": "-y", "l_n": "y"},
                "printed": "a minimum over delta >= 0",
                "derived": f"an infimum {far}, attained by the antipodal structure",
            },
        ),
    )

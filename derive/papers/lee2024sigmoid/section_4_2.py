"""Section 4.2: optimal embeddings are in the CCEM."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf
from typing import Any

import mpmath
from sympy import Expr, S, exp, log

from ...decide.calculus import derivative
from ...decide.evidence import Evidence, Grade
from ...losses.clip import INFONCE, SIGMOID, b, t
from ...losses.pairwise import c
from ...results import results
from ...structures.towers import NEGATIVE, POSITIVE
from ..checks import Formula, both, decided, equal, holds_positive, needs_condition, on_embeddings
from ..evaluate import mpf
from ..towers import Towers, assorted, ccem, ccems, lifted, pairwise_value, softmax_value, square
from ..verdict import Verdict
from . import LEDGER
from ._domains import HALF, QUARTER, SCALAR, WARM
from ._loss import (
    LINES,
    SQUARES,
    Function,
    backed_by,
    certificate,
    least_negatives,
    least_sigmoid,
    position,
    sign_at,
    total_loss,
)
from .section_3 import B, T, simplex_towers

Pair = tuple[Function, Function]


def best_for_squares(items: int) -> Fraction:
    """delta^2 of the CCEM on which (1 - y)^2 and (1 + y)^2 cost least.

    With s the share of the way it is the minimum of 4 s^2 + (N-2)^2 (1-s)^2/(N-1).
    """
    return Fraction((items - 2) ** 2, 4 * (items - 1))


def squares_are_least(pair: Pair = SQUARES) -> Verdict:
    """The best CCEM costs no more than any embeddings, and as much as nothing but itself."""

    def sides(w: Towers) -> tuple[Any, Any]:
        best = ccem(w.N, best_for_squares(w.N))
        return total_loss(w, pair), total_loss(best, pair)

    def is_best(w: Towers) -> bool:
        return w.same_gram(ccem(w.N, best_for_squares(w.N)))

    optima = [ccem(k, best_for_squares(k)) for k in (2, 3, 4, 5)]
    return both(
        on_embeddings(sides, ">", assorted(), where=lambda w: not is_best(w)),
        on_embeddings(sides, "=", optima, where=is_best),
    )


def printed_5(w: Towers, near: Function, far: Function) -> Any:
    """The loss of the form (5), as printed."""
    total = mpmath.mpf(0)
    for i in range(w.N):
        total += near(mpf(w.uv(i, i)))
        for j in w.negatives_of(i):
            total += far(mpf(w.uv(i, j)))
    return total


def mp_functions(warmth: Fraction = T, bias: Fraction = B) -> Pair:
    """l_p and l_n as the proof of Corollary 2 prints them, in mpmath."""
    # Converted inside, at the precision of the caller.
    return (
        lambda y: mpmath.log(1 + mpmath.exp(-mpf(warmth) * y + mpf(bias))),
        lambda y: mpmath.log(1 + mpmath.exp(mpf(warmth) * y - mpf(bias))),
    )


@LEDGER.claim(
    "(5)",
    r"L(U, V) = \sum_i l_p(u_i^\top v_i) + \sum_i \sum_{j \ne i} l_n(u_i^\top v_j)",
    result="pairwise-threshold",
)
def equation_5(printed: Callable[[Towers, Function, Function], Any] = printed_5) -> Verdict:
    functions = mp_functions()
    return on_embeddings(
        lambda w: (printed(w, *functions), w.N * pairwise_value(SIGMOID, w, t=T, b=B)),
        "=",
        assorted(),
        note="a definition: plain sums, so N times a loss declared with a mean over the items",
    )


@LEDGER.claim(
    "Theorem 1",
    r"l_p convex decreasing, l_n convex increasing: \exists! \delta^* \ge 0 such that "
    r"(U(\delta^*), V(\delta^*)) = \arg\min_{U, V} L(U, V)",
    result="pairwise-threshold",
)
def theorem_1(within: Callable[[], Verdict] = squares_are_least, pair: Pair = LINES) -> Verdict:
    # Three equal values of a convex function: it is constant between the outer two.
    values = [total_loss(ccem(4, q), pair) for q in (Fraction(0), Fraction(1), inf)]
    return needs_condition(
        "l_p strictly convex, or l_n strictly convex and N >= 3",
        within(),
        lambda: decided(
            len(set(values)) > 1,
            "three CCEMs for linear functions",
            witness={
                "point": {"N": "4", "l_p": "-y", "l_n": "y"},
                "printed": "one delta",
                "derived": f"loss {values[0]} at delta = 0, 1 and oo: all delta are optimal",
            },
        ),
        "for N >= 2, d >= N and functions continuous on [-1, 1] the least loss is attained in the "
        "CCEM; delta is unique under the condition. That l_p decreases is not used",
    )


@LEDGER.claim(
    "Theorem 1: delta_star is finite",
    r"the optimum is found for some \delta^* \ge 0 (by which Definition 3 means a real number)",
    result="pairwise-threshold",
)
def theorem_1_finite(items: int = 5, pair: Pair = LINES) -> Verdict:
    shares = [Fraction(k) for k in (0, 1, 9, 100)]
    losses = [total_loss(ccem(items, q), pair) for q in shares]
    far = total_loss(ccem(items, inf), pair)
    return needs_condition(
        "delta* = oo admitted",
        squares_are_least(),
        decided(
            not (far < min(losses) and losses == sorted(losses, reverse=True)),
            "the loss at delta^2 = 0, 1, 9, 100 and oo",
            witness={
                "point": {"N": str(items), "l_p": "-y", "l_n": "y"},
                "printed": "a delta >= 0",
                "derived": f"the loss falls all the way to {far} of the antipodal structure",
            },
        ),
        "so it is for the sigmoid loss whenever t + b <= log((N - 2)/2)",
    )


def jump(y: Fraction) -> Fraction:
    """Convex and decreasing on [-1, 1], and not continuous at -1."""
    return Fraction(2) if y == -1 else -y


@LEDGER.claim(
    "Theorem 1: an optimum exists",
    r"l_p is an arbitrary convex decreasing function: (U^*, V^*) = \arg\min_{U, V} L(U, V)",
    result="pairwise-threshold",
)
def theorem_1_exists(near: Function = jump) -> Verdict:
    # The values at delta^2 = 1, 9, 99, 9999, which tend to -15, and at oo.
    pair = (near, LINES[1])
    found = [total_loss(ccem(5, Fraction(q)), pair) for q in (1, 9, 99, 9999)]
    far = total_loss(ccem(5, inf), pair)
    return needs_condition(
        "l_p continuous at -1, as it is if convex on the real line",
        squares_are_least(),
        lambda: decided(
            not (found == sorted(found, reverse=True) and found[-1] + 15 < 0.001 and far > -14),
            "the loss along the CCEM and at its end",
            witness={
                "point": {"N": "5", "l_p": "-y for y > -1, 2 at y = -1", "l_n": "y"},
                "printed": "a minimum",
                "derived": f"the infimum -15 is approached as delta goes to oo, where the loss is "
                f"{far}",
            },
        ),
    )


@LEDGER.claim(
    "Theorem 1: the optimum is a CCEM",
    r"(U(\delta^*), V(\delta^*)) = (U^*, V^*)",
    result="pairwise-threshold",
)
def theorem_1_equal(pair: Pair = (SQUARES[0], LINES[1])) -> Verdict:
    # (1 - y)^2 and y: on the CCEM the loss per item is 4 s^2 - 1 - 2 s, least at s = 1/4.
    best, other = ccem(4, Fraction(1, 3)), lifted(square(), Fraction(1, 3))

    def outside() -> Verdict:
        same = total_loss(best, pair) == total_loss(other, pair) and not best.same_gram(other)
        return decided(
            not same,
            "the CCEM for N = 4, delta^2 = 1/3, and (w_i, +-delta) with w_i = +-e_1, +-e_2",
            witness={
                "point": {"N": "4", "l_p": "(1-y)^2", "l_n": "y", "delta^2": "1/3"},
                "printed": "the CCEM alone",
                "derived": f"both have loss {total_loss(best, pair)}",
            },
        )

    return needs_condition(
        "both functions strictly convex, and equality up to rotation",
        squares_are_least(),
        outside,
        "then the Gram matrix of the optimum is unique; otherwise only the least value is",
    )


def on_all(bias: Fraction, warmth: Fraction) -> Verdict:
    """No embeddings have less sigmoid loss than the best CCEM."""
    return on_embeddings(
        lambda w: (
            pairwise_value(SIGMOID, w, t=warmth, b=bias),
            least_sigmoid(w.N, warmth, bias),
        ),
        ">=",
        assorted(),
    )


def not_attained(bias: Fraction, warmth: Fraction) -> Verdict:
    """For N = 6 no CCEM with a real delta has the least loss, if the optimum is antipodal."""
    far = results["sigmoid-optimum"].value("positive", N=6, t=warmth, b=bias)
    return decided(
        not (sign_at(1, 6, warmth, bias) == -1 and far == -1),
        "the slope at the antipodal structure",
        witness={
            "point": {"N": "6", "t": str(warmth), "b": str(bias)},
            "printed": "a minimum over delta >= 0",
            "derived": "the loss falls strictly as delta goes to oo: no minimum, an infimum",
        },
    )


@LEDGER.claim(
    "Corollary 2",
    r"\min_{U, V} L^{sig}(U, V) = \min_{\delta \ge 0} L^{sig}(U(\delta), V(\delta))",
    result="sigmoid-optimum",
)
def corollary_2(bias: Fraction = QUARTER, warmth: Fraction = QUARTER) -> Verdict:
    return needs_condition(
        "delta = oo admitted, or t + b > log((N - 2)/2)",
        backed_by(
            "sigmoid-optimum",
            both(on_all(Fraction(1), Fraction(1)), on_all(Fraction(0), Fraction(2))),
        ),
        lambda: not_attained(bias, warmth),
        "for every real b; with oo, or read as an infimum, it holds for all t > 0 and N >= 2",
    )


@LEDGER.claim(
    "Corollary 2, proof",
    r"L^{sig} is (5) with l_p(x) = \log(1 + \exp(-tx + b)), l_n(x) = \log(1 + \exp(tx - b))",
)
def corollary_2_proof(
    functions: Callable[[], Pair] = mp_functions,
    factor: Callable[[int], Fraction] = lambda items: Fraction(1),
) -> Verdict:
    def compared(of_items: Callable[[int], Fraction]) -> Verdict:
        return on_embeddings(
            lambda w: (
                pairwise_value(SIGMOID, w, t=T, b=B),
                mpf(of_items(w.N)) * printed_5(w, *functions()),
            ),
            "=",
            [ccem(2, Fraction(0)), *assorted()],
        )

    found = compared(factor)
    if found.word == "agrees":
        return found
    up_to_a_factor = compared(lambda items: Fraction(1, items))
    if up_to_a_factor.word != "agrees":
        return up_to_a_factor
    return found.with_note(
        "(5) is N times the loss (2), which has a factor 1/N; this moves no minimiser"
    )


@LEDGER.claim(
    "Corollary 2, proof: convexity",
    r"l_p(x) = \log(1 + \exp(-tx + b)) is convex decreasing and l_n(x) = \log(1 + \exp(tx - b)) "
    r"convex increasing",
    result="sigmoid-optimum",
)
def sigmoid_is_convex(
    near: Formula = lambda: log(1 + exp(-t * c + b)),
    far: Formula = lambda: log(1 + exp(t * c - b)),
) -> Verdict:
    declared = {term.relation: term.function for term in SIGMOID.terms}

    def slopes(f: Expr, g: Expr) -> Verdict:
        return equal(derivative(f, c), derivative(g, c), SCALAR)

    return both(
        slopes(near(), declared[POSITIVE]),
        slopes(far(), declared[NEGATIVE]),
        holds_positive(-derivative(near(), c), SCALAR),
        holds_positive(derivative(far(), c), SCALAR),
        holds_positive(derivative(derivative(near(), c), c), SCALAR),
        holds_positive(derivative(derivative(far(), c), c), SCALAR),
    ).with_note("strictly, and for every real b")


def lemma_bound(least: Callable[[int, Fraction], Fraction] = least_negatives) -> Verdict:
    """The sum over the negatives is at least that of the CCEM with the same alignment."""

    def sides(w: Towers) -> tuple[Fraction, Fraction]:
        return sum(w.negatives(), Fraction(0)), least(w.N, w.alignment())

    # Attained on the CCEM: a lower bound that is merely true is not the minimum.
    tried = both(on_embeddings(sides, ">=", assorted()), on_embeddings(sides, "=", ccems()))
    proved = certificate()
    if tried.word != "agrees" or proved.word != "agrees":
        return both(tried, proved)
    how = f"the difference is a sum of squares, identically; also {tried.evidence.how}"
    return tried._replace(evidence=Evidence(Grade.EXACT, how))


@LEDGER.claim(
    "Lemma 1",
    r"for every c \in [-1, 1] there exists unique \delta \ge 0 such that (6)",
    result="ccem",
)
def lemma_1(least: Callable[[int, Fraction], Fraction] = least_negatives) -> Verdict:
    finite = [ccem(3, q).alignment() for q in (Fraction(0), Fraction(1), Fraction(10**6))]
    return needs_condition(
        "c > -1, or delta = oo admitted",
        lemma_bound(least),
        decided(
            position(Fraction(-1)) != inf or -1 in finite,
            "c = -1 asks for the antipodal structure, as (1 - delta^2)/(1 + delta^2) = -1 does",
            witness={
                "point": {"c": "-1", "N": "3"},
                "printed": "a delta >= 0",
                "derived": "delta = oo",
            },
        ),
        "delta = sqrt((1 - c)/(1 + c)); for N >= 2",
    )


@LEDGER.claim(
    "Lemma 1: distinct vectors",
    r"let \{u_i, v_i\} be 2N distinct vectors",
    result="ccem",
)
def lemma_1_distinct(items: int = 3, share: Fraction = Fraction(0)) -> Verdict:
    w = ccem(items, share)
    return decided(
        w.distinct() == 2 * items,
        "the CCEM that Lemma 1 gives for c = 1",
        "to be left out: mean u_i.v_i = 1 forces u_i = v_i, so for c = 1 no distinct vectors are "
        "in S_(c); nor are they distinct in the antipodal structure. The proof does not use it",
        witness={
            "point": {"N": str(items), "c": "1"},
            "printed": f"{2 * items} vectors",
            "derived": f"{w.distinct()}",
        },
    )


@LEDGER.claim(
    "(6)",
    r"(U(\delta), V(\delta)) = \arg\min_{(U, V) \in S_{(c)}} \sum_i \sum_{j \ne i} u_i^\top v_j, "
    r"S_{(c)} = \{\frac1N \sum_i u_i^\top v_i = c\}",
    result="ccem",
)
def equation_6(least: Callable[[int, Fraction], Fraction] = least_negatives) -> Verdict:
    return lemma_bound(least).with_note("a minimiser, not the only one, as the text goes on to say")


@LEDGER.claim(
    "Lemma 1: other minimisers",
    "there could be other embedding vectors that satisfy the minimization of (6)",
    result="ccem",
)
def other_minimisers(
    least: Callable[[int, Fraction], Fraction] = least_negatives,
) -> Verdict:
    w = lifted(square(), Fraction(1))
    found = sum(w.negatives(), Fraction(0)), least(4, w.alignment())
    return decided(
        found[0] == found[1] and not w.is_double_constant(),
        "(w_i, +-1)/sqrt(2) with w_i = +-e_1, +-e_2, for N = 4 and c = 0",
        "they need not be double-constant, nor R^N",
        witness={"point": {"N": "4", "c": "0"}, "derived": str(found)},
    )


@LEDGER.claim(
    "Corollary 3",
    r"\min_{U, V} L^{InfoNCE}(U, V) = \min_{\delta \ge 0} L^{InfoNCE}(U(\delta), V(\delta))",
    result="infonce-optimum",
)
def corollary_3(best: Callable[[int], Towers] = simplex_towers) -> Verdict:
    def sides(w: Towers) -> tuple[Any, Any]:
        return softmax_value(INFONCE, w, t=HALF), softmax_value(INFONCE, best(w.N), t=HALF)

    attained = equal(results["infonce-optimum"].delta_star, S.Zero, WARM)
    tried = both(on_embeddings(sides, ">=", assorted()), attained)
    return backed_by("infonce-optimum", tried).with_note(
        "unlike in Corollary 2 the minimum is attained, at delta = 0 (so not over delta > 0, as "
        "the extracted text has it here and not in Appendix B.2)"
    )


@LEDGER.claim(
    "Remark 2",
    "the CCEM can be utilized for many other losses, e.g. InfoNCE, whose optima are in the CCEM",
    result="infonce-optimum",
)
def remark_2(best: Callable[[int], Towers] = simplex_towers) -> Verdict:
    return corollary_3(best)

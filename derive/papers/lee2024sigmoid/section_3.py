"""Section 3: the losses, the simplex and the antipodal structure."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf
from typing import Any

import mpmath
from sympy import Expr, S

from ...decide.domain import Range
from ...decide.evidence import Grade
from ...losses.clip import INFONCE, SIGMOID
from ...optimum.segment import delta, x
from ...results import results
from ...structures.towers import N
from ...vectors.embeddings import Embeddings
from ..checks import (
    both,
    decided,
    equal,
    holds_positive,
    needs_condition,
    on_embeddings,
    undefined_at,
)
from ..evaluate import mpf
from ..towers import Towers, aligned, assorted, ccem, of_vectors, pairwise_value, softmax_value
from ..verdict import Verdict
from . import LEDGER
from ._domains import HALF, TWO, WARM
from ._loss import backed_by, in_share, infonce

Sum = Callable[[Towers], Any]
T, B = Fraction(2, 3), Fraction(1, 5)


def printed_infonce(w: Towers, warmth: Fraction = T) -> Any:
    """InfoNCE as printed in (1)."""

    def share(i: int, pool: list[Fraction]) -> Any:
        below = mpmath.fsum(mpmath.exp(mpf(g / warmth)) for g in pool)
        return mpmath.log(mpmath.exp(mpf(w.uv(i, i) / warmth)) / below)

    every = range(w.N)
    forth = mpmath.fsum(share(i, [w.uv(i, j) for j in every]) for i in every)
    back = mpmath.fsum(share(i, [w.uv(j, i) for j in every]) for i in every)
    return -forth / w.N - back / w.N


def printed_sigmoid(w: Towers, warmth: Fraction = T, bias: Fraction = B) -> Any:
    """The sigmoid loss as printed in (2)."""

    def term(exponent: Fraction) -> Any:
        return mpmath.log(1 / (1 + mpmath.exp(mpf(exponent))))

    near = mpmath.fsum(term(-warmth * g + bias) for g in w.positives())
    far = mpmath.fsum(term(warmth * g - bias) for g in w.negatives())
    return -near / w.N - far / w.N


@LEDGER.claim(
    "(1)",
    r"L^{InfoNCE}(U, V) := -\frac1N \sum_i \log\frac{\exp(u_i^\top v_i/t)}"
    r"{\sum_j \exp(u_i^\top v_j/t)} -\frac1N \sum_i \log\frac{\exp(u_i^\top v_i/t)}"
    r"{\sum_j \exp(u_j^\top v_i/t)}",
)
def equation_1(printed: Sum = printed_infonce) -> Verdict:
    return on_embeddings(
        lambda w: (printed(w), softmax_value(INFONCE, w, t=T)),
        "=",
        assorted(),
        note="the sum of both directions, not their mean; t divides here and multiplies in (2)",
    )


@LEDGER.claim(
    "(2)",
    r"L^{sig}(U, V) := -\frac1N \sum_i \log\frac{1}{1 + \exp(-t u_i^\top v_i + b)} "
    r"-\frac1N \sum_i \sum_{j \ne i} \log\frac{1}{1 + \exp(t u_i^\top v_j - b)}",
)
def equation_2(printed: Sum = printed_sigmoid) -> Verdict:
    return on_embeddings(
        lambda w: (printed(w), pairwise_value(SIGMOID, w, t=T, b=B)),
        "=",
        assorted(),
        note="b >= 0 is stated with it, and used nowhere: any real bias will do",
    )


@LEDGER.claim(
    "Section 3: optimal embeddings",
    r"(U^*, V^*) := \arg\min_{U, V} L(U, V)",
)
def optimal_embeddings() -> Verdict:
    u, v = [[1, 0], [0, 1], [-1, 0]], [[0, 1], [1, 0], [0, -1]]

    def turned(vectors: list[list[int]]) -> list[list[Fraction]]:
        return [[Fraction(3 * a - 4 * b, 5), Fraction(4 * a + 3 * b, 5)] for a, b in vectors]

    def losses(w: Towers) -> list[str]:
        found = (softmax_value(INFONCE, w, t=T), pairwise_value(SIGMOID, w, t=T, b=B))
        return [mpmath.nstr(a, 40) for a in found]

    before, after = losses(of_vectors(u, v)), losses(of_vectors(turned(u), turned(v)))
    return decided(
        before == after,
        "a rotation of both towers has the same losses",
        "a definition; minimisers come in families closed under rotation, so U*, V* are any of "
        "them",
        grade=Grade.SAMPLED,
        witness={"losses": [before, after]},
    )


@LEDGER.claim(
    "Definition 1",
    r"for d \ge N - 1: w_i^\top w_i = 1, w_i^\top w_j = -\frac{1}{N-1} for i \ne j",
)
def definition_1(apart: Callable[[int], Fraction] = lambda k: Fraction(-1, k - 1)) -> Verdict:
    def simplex(k: int) -> Embeddings:
        return Embeddings.hierarchical(k, 1, 1, Fraction(1), Fraction(1), apart(k))

    within = decided(
        all(simplex(k).rank == k - 1 and simplex(k).is_unit for k in range(2, 7)),
        "the Gram matrices for N = 2 to 6 are PSD of rank N - 1",
        grade=Grade.SAMPLED,
        witness={"ranks": {str(k): simplex(k).rank for k in range(2, 7)}},
    )
    return needs_condition("N >= 2", within, lambda: undefined_at({"N": 1}, lambda: simplex(1)))


def simplex_towers(items: int) -> Towers:
    """u_i = v_i, the vertices of a simplex: R^(N-1) holds them."""
    return aligned(Embeddings.simplex(items), "simplex, u = v")


@LEDGER.claim(
    "Corollary 1",
    r"for d \ge N - 1, \{u_i^*\} forms a (N-1)-simplex ETF and u_i^* = v_i^* for all i",
    result="infonce-optimum",
)
def corollary_1(best: Callable[[int], Towers] = simplex_towers) -> Verdict:
    optimum = results["infonce-optimum"]

    def sides(w: Towers) -> tuple[Any, Any]:
        return softmax_value(INFONCE, w, t=T), softmax_value(INFONCE, best(w.N), t=T)

    def same(w: Towers) -> bool:
        return w.same_gram(simplex_towers(w.N))

    tried = both(
        equal(optimum.delta_star, S.Zero, WARM),
        equal(optimum.negative, -1 / (N - 1), WARM),
        decided(
            all(simplex_towers(k).rank == k - 1 for k in (2, 3, 4)),
            "ranks of the simplex",
            grade=Grade.SAMPLED,
        ),
        on_embeddings(sides, ">", assorted(), where=lambda w: not same(w)),
        on_embeddings(sides, "=", assorted(), where=same),
    )
    return backed_by("infonce-optimum", tried).with_note(
        "for N >= 2; the proof through the CCEM asks for d >= N, but its bound holds in every "
        "dimension and the simplex attains it in R^(N-1); unique up to rotation"
    )


@LEDGER.claim(
    "Section 3.1: any temperature",
    "even with a temperature parameter t in the InfoNCE loss, the result remains unchanged",
    result="infonce-optimum",
)
def any_temperature(sign: int = 1) -> Verdict:
    rise = in_share(infonce()).diff(x)
    inside = WARM.with_range(x, Range(S.Zero, S.One), HALF)
    return holds_positive(sign * rise, inside, "the loss rises all along the CCEM, for every t")


@LEDGER.claim("Definition 2", r"u_i = -v_j for all i, j \in [N]", result="ccem")
def definition_2(apart: Expr = S.NegativeOne) -> Verdict:
    model = results["ccem"]
    return both(
        equal(model.positive_delta_oo, apart, TWO),
        equal(model.negative_delta_oo, apart, TWO),
        equal(model.within_modality_delta_oo, S.One, TWO),
        decided(
            all(ccem(k, inf).rank == 1 for k in (2, 3, 5)), "it lies on a line", grade=Grade.SAMPLED
        ),
    ).with_note("it follows that all u_i are equal, and all v_j")


@LEDGER.claim(
    "Definition 2: negative pairs",
    "in the antipodal structure the positive pairs are heading to the opposite direction, "
    "while the negative pairs are aligned",
    result="ccem",
)
def aligned_negatives(w: Towers | None = None) -> Verdict:
    far = ccem(2, inf) if w is None else w
    return decided(
        far.uv(0, 1) == 1,
        "u_1.v_2 in the antipodal structure",
        "the negative pairs (u_i, v_j) of both losses are opposite too, as far apart as can be; "
        "it is embeddings of one tower that are aligned",
        witness={
            "point": {"N": "2", "u_1": "(1)", "u_2": "(1)", "v_1": "(-1)", "v_2": "(-1)"},
            "printed": "u_1.v_2 = 1",
            "derived": f"u_1.v_2 = {far.uv(0, 1)}",
        },
    )


@LEDGER.claim(
    "Remark 1",
    r"d \ge N is asked for because for d < N - 1 there is no simplex ETF",
    result="ccem",
)
def remark_1(least: Expr = N - 1) -> Verdict:
    dimension = results["ccem"].min_dimension
    return both(
        equal(dimension.subs(delta, 0), least, TWO),
        equal(dimension.subs(delta, 1), N, TWO),
        decided(
            all(simplex_towers(k).rank == k - 1 and ccem(k, 1).rank == k for k in (2, 3, 4)),
            "exact ranks for N = 2, 3 and 4",
            grade=Grade.SAMPLED,
        ),
    ).with_note(
        "d = N - 1 is left out: the simplex fits and no CCEM with 0 < delta < oo does; what "
        "makes the simplex or the antipodal structure optimal holds there too"
    )

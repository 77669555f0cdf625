"""What sections in the older form still use of those that are data by now."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf
from typing import Any

from sympy import S

from ...decide.evidence import Evidence, Grade
from ...losses.clip import INFONCE
from ...results import results
from ...structures.towers import N
from ...vectors.embeddings import Embeddings
from ..checks import both, decided, equal, needs_condition, on_embeddings
from ..towers import Towers, aligned, assorted, ccem, ccems, position, softmax_value
from ..verdict import Verdict
from ._domains import HALF, WARM
from ._loss import SQUARES, Function, backed_by, certificate, least_negatives, sign_at, total_loss

Pair = tuple[Function, Function]
H = Callable[[int, Fraction], Fraction]
T, B = Fraction(2, 3), Fraction(1, 5)


def simplex_towers(items: int) -> Towers:
    """u_i = v_i, the vertices of a simplex: R^(N-1) holds them."""
    return aligned(Embeddings.simplex(items), "simplex, u = v")


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


def corollary_3(best: Callable[[int], Towers] = simplex_towers) -> Verdict:
    def sides(w: Towers) -> tuple[Any, Any]:
        return softmax_value(INFONCE, w, t=HALF), softmax_value(INFONCE, best(w.N), t=HALF)

    attained = equal(results["infonce-optimum"].delta_star, S.Zero, WARM)
    tried = both(on_embeddings(sides, ">=", assorted()), attained)
    return backed_by("infonce-optimum", tried).with_note(
        "unlike in Corollary 2 the minimum is attained, at delta = 0 (so not over delta > 0, as "
        "the extracted text has it here and not in Appendix B.2)"
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

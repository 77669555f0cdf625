"""Section 4.1: from the simplex ETF to the SSEM."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from sympy import Expr, S, diff

from ...losses.supcl import SUPCL, alpha
from ...optimum.segment import delta, x
from ...results import results
from ...structures.hierarchy import m, n
from ...vectors.embeddings import Embeddings, assorted
from ..checks import both, equal, first_difference, holds_positive, needs_condition, on_embeddings
from ..evaluate import value
from ..ledger import Verdict
from . import LEDGER
from ._domains import HALF, POSITIVE_DELTA, SHAPE, TEMPERED
from ._loss import derived_h
from ._ssem import (
    exact_ssem,
    existence,
    interval,
    on_ssem,
    printed_cross,
    printed_h,
    printed_interval,
    printed_same,
)
from ._sums import several


@LEDGER.claim(
    "Definition 1",
    r"(n-1)-simplex ETF: n unit vectors with u \cdot v = -\frac{1}{n-1} for u \ne v",
)
def definition_1(apart: Callable[[int], Fraction] = lambda k: Fraction(-1, k - 1)) -> Verdict:
    def sides(u: Embeddings) -> tuple[Fraction, Fraction]:
        return first_difference([apart(u.m), *(u.ip(a, b) for a, b in u.pairs())])

    cases = [Embeddings.simplex(k) for k in range(2, 7)]
    return on_embeddings(
        sides, "=", cases, where=lambda u: u.is_unit, note="n = 1 is one vector, with no pairs"
    )


@LEDGER.claim("Section 4.1: existence of simplex ETF", "exists when d >= n - 1")
def etf_exists(least: Callable[[int], int] = lambda k: k - 1) -> Verdict:
    def check(sizes: Iterable[int]) -> Verdict:
        return on_embeddings(
            lambda u: (least(u.m), u.rank), "=", [Embeddings.simplex(k) for k in sizes]
        )

    within = check(range(2, 8))
    return needs_condition(
        "n >= 2",
        within,
        check([1]),
        "n - 1 is its rank, so it exists only then; a single unit vector needs d >= 1",
    )


def minimised(weight: int, best: Fraction, exact: Verdict) -> Verdict:
    """An exact verdict, if no random set or SSEM beats the SSEM with delta**2 = best."""
    ends = [Embeddings.ssem(u.m, u.n, u.p, Fraction(k)) for u in exact_ssem()[::4] for k in (0, 1)]

    def sides(u: Embeddings) -> tuple[Any, Any]:
        least = Embeddings.ssem(u.m, u.n, u.p, best)
        losses = [value(SUPCL, v, alpha=weight, tau=HALF) for v in (u, least)]
        return losses[0], losses[1]

    found = on_embeddings(sides, ">=", [*assorted(), *ends], where=several)
    return exact if found.word == "agrees" else found


@LEDGER.claim(
    "Section 4.1: alpha = 1",
    "L_Self is minimised by the (mn-1)-simplex ETF",
    result="supcl-optimum",
)
def alpha_one(best: Fraction = Fraction(1)) -> Verdict:
    h, simplex = derived_h()
    return minimised(1, best, equal(S.Zero, h.subs({alpha: 1, x: simplex}), TEMPERED))


@LEDGER.claim(
    "Section 4.1: alpha = 0",
    "L_Sup is minimised by class collapse to the (m-1)-simplex ETF",
    result="supcl-optimum",
)
def alpha_zero(best: Fraction = Fraction(0)) -> Verdict:
    h, _ = derived_h()
    return minimised(0, best, holds_positive(h.subs({alpha: 0, x: 0}), TEMPERED))


@LEDGER.claim(
    "Section 4.1: transition",
    r"SSEM leads from the (m-1)-simplex ETF (\delta = 0) to the (mn-1)-simplex ETF (\delta = 1)",
    result="ssem",
)
def transition(far: Expr = -1 / (m * n - 1), near: Expr = -1 / (m - 1)) -> Verdict:
    own, other = results["ssem"].same_class, results["ssem"].cross_class
    return both(
        equal(far, own.subs(delta, 1), SHAPE),
        equal(far, other.subs(delta, 1), SHAPE),
        equal(S.One, own.subs(delta, 0), SHAPE),
        equal(near, other.subs(delta, 0), SHAPE),
    )


@LEDGER.claim(
    "Definition 2",
    r"SSEM for positive integers m, n and \delta \in [0, \sqrt{\frac{mn-1}{m(n-1)}}]",
    result="ssem",
)
def definition_2(printed: Expr = printed_interval) -> Verdict:
    return interval(printed)


@LEDGER.claim("(7)", r"U^\delta = \{u_{i,j}^\delta\}, a set of mn vectors", result="ssem")
def equation_7() -> Verdict:
    return on_embeddings(
        lambda u: (len(u.everything), u.m * u.n),
        "=",
        exact_ssem(),
        where=lambda u: u.p == 1,
        note="a family: at delta = 0 only m of the vectors are distinct",
    )


@LEDGER.claim("(8)", r"\|u^\delta\|^2 = 1", result="ssem")
def equation_8(printed: Fraction = Fraction(1)) -> Verdict:
    return on_embeddings(
        lambda u: first_difference([printed] + [u.ip(a, a) for a in u.everything]),
        "=",
        exact_ssem(),
    )


@LEDGER.claim(
    "(9)",
    r"u \cdot v = 1 - \delta^2\frac{mn}{mn-1} for u \in U_{i,j}, v \in U_{i,j'}",
    result="ssem",
)
def equation_9(printed: Expr = printed_same) -> Verdict:
    return on_ssem(printed, results["ssem"].same_class)


@LEDGER.claim(
    "(10)",
    r"u \cdot v = -\frac{1}{m-1} + \delta^2\frac{m(n-1)}{(m-1)(mn-1)} "
    r"for u \in U_i, v \in U_{i'}",
    result="ssem",
)
def equation_10(printed: Expr = printed_cross) -> Verdict:
    return on_ssem(printed, results["ssem"].cross_class)


@LEDGER.claim(
    "Section 4.1: monotonicity",
    r"(9) falls and (10) rises as \delta increases",
    result="ssem",
)
def monotonicity(signs: tuple[int, int] = (-1, 1)) -> Verdict:
    return both(
        holds_positive(signs[0] * diff(results["ssem"].same_class, delta), POSITIVE_DELTA),
        holds_positive(signs[1] * diff(results["ssem"].cross_class, delta), POSITIVE_DELTA),
    )


@LEDGER.claim(
    "Proposition 1",
    r"mn \ge 2, d \ge mn-1, w_{i,j} an (mn-1)-simplex ETF, "
    r"h = -\frac{\delta}{n} \pm \frac{1}{n}\sqrt{\frac{\delta^2 m(1-n) + (mn-1)}{m-1}}: "
    r"\delta w_{i,j} + h(\delta)\sum_{j'} w_{i,j'} is an SSEM",
    result="ssem",
)
def proposition_1(printed: Callable[[int], Expr] = printed_h) -> Verdict:
    within = existence(printed)
    one_class = Embeddings.ssem(1, 2, 1, HALF)
    return needs_condition(
        "m >= 2 (mn >= 2 is not enough)",
        within,
        on_embeddings(lambda u: (u.m * u.n - 1, u.rank), ">=", [one_class]),
        "for one class h divides by zero, and an SSEM with 0 < delta < 1 spans n dimensions, "
        "not n - 1; both signs of the root will do, the same one throughout",
    )


@LEDGER.claim(
    "Section 4.1: d >= mn - 1 is necessary",
    "d >= mn - 1 is necessary for SSEM",
    result="ssem",
)
def dimension(least: Callable[[Embeddings], int] = lambda u: u.m * u.n - 1) -> Verdict:
    inside = [u for k, u in enumerate(exact_ssem()) if k % 4 in (1, 2)]
    ends = [u for k, u in enumerate(exact_ssem()) if k % 4 in (0, 3)]

    def sides(u: Embeddings) -> tuple[int, int]:
        return least(u), u.rank

    within = on_embeddings(sides, "=", inside)
    return needs_condition(
        "0 < delta < delta_max (or to start from a simplex ETF, as Proposition 1 does)",
        within,
        on_embeddings(sides, "=", ends),
        "at the ends SSEM fits into m - 1 and m(n - 1) dimensions",
    )

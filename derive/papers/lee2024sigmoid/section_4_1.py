"""Section 4.1: the CCEM."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf
from typing import Any

from sympy import Expr, S, acos, pi

from ...decide.calculus import derivative
from ...decide.domain import POSITIVE
from ...losses.clip import SIGMOID
from ...losses.pairwise import c
from ...optimum.segment import delta
from ...results import results
from ...structures.towers import N
from ..checks import Formula, both, decided, equal, holds_positive, on_embeddings
from ..ledger import Verdict
from ..towers import Towers, ccem, ccems
from . import LEDGER
from ._domains import ON_CCEM, SCALAR, THREE, TWO


@LEDGER.claim(
    "(3)",
    r"u_i^\top v_i = c_1 for all i, u_i^\top v_j = c_2 for all i \ne j",
    result="ccem",
)
def equation_3(sets: Callable[[], tuple[Towers, ...]] = ccems) -> Verdict:
    def sides(w: Towers) -> tuple[int, int]:
        return int(w.is_double_constant()), 1

    return on_embeddings(
        sides,
        "=",
        sets(),
        note="a definition, which the CCEM meets; v_j is read for the second v_i",
    )


@LEDGER.claim(
    "Section 4: optima are double-constant",
    "the optimal embedding minimizing the sigmoid loss satisfies (3), as shown in Corollary 2",
    result="sigmoid-optimum",
)
def optima_double_constant(sign: int = 1) -> Verdict:
    bends = [sign * derivative(derivative(term.function, c), c) for term in SIGMOID.terms]
    return both(*(holds_positive(bend, SCALAR) for bend in bends)).with_note(
        "Corollary 2 says only that some optimum does; all do because both functions are "
        "strictly convex, so that Jensen's inequality is strict elsewhere"
    )


@LEDGER.claim(
    "Definition 3",
    r"u_i^\delta, v_i^\delta := (\frac{1}{\sqrt{1+\delta^2}} w_i, \pm\frac{1}{\sqrt{1+\delta^2}}"
    r"\delta) \in R^d, d \ge N, w a simplex in R^{d-1}",
    result="ccem",
)
def definition_3(height: Expr = delta) -> Verdict:
    # Inner products of the printed vectors, given those of the simplex.
    factor = 1 / (1 + delta**2)
    apart = -1 / (N - 1)
    model = results["ccem"]
    return both(
        equal(factor * (1 + height**2), S.One, ON_CCEM),
        equal(factor * (1 - height**2), model.positive, ON_CCEM),
        equal(factor * (apart - height**2), model.negative, ON_CCEM),
        equal(factor * (apart + height**2), model.within_modality, ON_CCEM),
        on_embeddings(
            lambda w: (w.rank, w.N),
            "=",
            [ccem(k, q) for k in (2, 3, 4) for q in (Fraction(1, 9), 1, 16)],
        ),
    ).with_note("unit vectors; they need R^N for 0 < delta < oo, R^(N-1) at 0 and R^1 at oo")


@LEDGER.claim(
    "(4)",
    r"u_i^\top v_i = \frac{1-\delta^2}{1+\delta^2}, "
    r"u_i^\top v_j = -\frac{\frac{1}{N-1} + \delta^2}{1+\delta^2} for i \ne j",
    result="ccem",
)
def equation_4(
    positive: Formula = lambda: (1 - delta**2) / (1 + delta**2),
    negative: Formula = lambda: -(1 / (N - 1) + delta**2) / (1 + delta**2),
) -> Verdict:
    model = results["ccem"]
    return both(
        equal(positive(), model.positive, ON_CCEM), equal(negative(), model.negative, ON_CCEM)
    )


@LEDGER.claim(
    "Proposition 1",
    r"the inner products are (4), so that (3) holds",
    result="ccem",
)
def proposition_1(least: int = 2) -> Verdict:
    def values(w: Towers) -> tuple[Any, Any]:
        # The two lines of (4), delta eliminated.
        share = (1 - w.alignment()) / 2
        return w.negatives()[0], -(1 - share) / (w.N - 1) - share

    return both(
        equation_4(), on_embeddings(values, "=", ccems(), where=lambda w: w.N >= least)
    ).with_note("for N >= 2")


@LEDGER.claim(
    "Proposition 1: delta = 0",
    r"at \delta = 0 the u_i form a simplex ETF and u_i = v_i",
    result="ccem",
)
def at_zero(apart: Formula = lambda: -1 / (N - 1)) -> Verdict:
    model = results["ccem"]
    return both(
        equal(model.positive_delta_0, S.One, TWO),
        equal(model.within_modality_delta_0, apart(), TWO),
        equal(model.negative_delta_0, apart(), TWO),
    )


@LEDGER.claim(
    "Proposition 1: delta = oo",
    r"at \delta = \infty, u_i = -v_j for all i, j: antipodal",
    result="ccem",
)
def at_infinity(apart: Expr = S.NegativeOne) -> Verdict:
    model = results["ccem"]
    return both(
        equal(model.positive_delta_oo, apart, TWO),
        equal(model.negative_delta_oo, apart, TWO),
        decided(ccem(3, inf).rank == 1, "its rank is 1", witness={"rank": ccem(3, inf).rank}),
    ).with_note("a limit: the parameter of Definition 3 is a real number; v_j is read for v_i")


@LEDGER.claim(
    "Figure 1",
    r"N = d = 3: the angle between u_i and v_i is 0, \frac{\pi}{2}, \pi at "
    r"\delta = 0, 1, \infty",
    result="ccem",
)
def figure_1(angles: tuple[Expr, Expr, Expr] = (S.Zero, pi / 2, pi)) -> Verdict:
    model = results["ccem"]
    cosines = (model.positive_delta_0, model.positive.subs(delta, 1), model.positive_delta_oo)
    found = tuple(acos(g) for g in cosines)
    return decided(
        found == angles and ccem(3, 1).rank == 3,
        "the angles, and the rank for N = 3",
        witness={"printed": str(angles), "derived": str(found)},
    )


@LEDGER.claim(
    "Example 1",
    r"N = 3: as \delta increases, the angle between positive pairs increases and the distance "
    r"between negative pairs also increases",
    result="ccem",
)
def example_1(signs: tuple[int, int] = (-1, -1)) -> Verdict:
    model = results["ccem"]
    inside = THREE.with_range(delta, POSITIVE, 1)
    parts = zip(signs, (model.positive, model.negative), strict=True)
    return both(*(holds_positive(s * g.diff(delta), inside) for s, g in parts)).with_note(
        "for every N >= 3; for N = 2 the negatives are opposite at every delta"
    )


@LEDGER.claim(
    "Example 1: delta = oo",
    r"at \delta = \infty, u_i = -v_j for all i, j",
    result="ccem",
)
def example_1_far(value: int = -1) -> Verdict:
    far = ccem(3, inf)
    found = {far.uv(i, j) for i in range(3) for j in range(3)}
    return decided(found == {value}, "all nine u_i.v_j", witness={"derived": str(found)})

"""Section 3: the losses."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath

from ...losses.supcl import OWN_CLASS, SUPCL
from ...vectors.embeddings import Embeddings, Index, assorted
from ..checks import decided, needs_condition, on_embeddings, undefined_at
from ..evaluate import mpf, value
from ..ledger import Verdict
from . import LEDGER
from ._domains import HALF, THIRD
from ._sums import several


@LEDGER.claim("Section 3: sizes", r"|U| = mnp and |U_i| = np")
def sizes() -> Verdict:
    def sides(u: Embeddings) -> tuple[int, int]:
        return u.m * u.n * u.p, u.distinct()

    def apart(u: Embeddings) -> bool:
        return all(u.mean_sq_dist([a], [b]) != 0 for a, b in u.pairs())

    return needs_condition(
        "the sets read as families indexed by (i, j, k), or no two embeddings equal",
        on_embeddings(sides, "=", assorted(), where=apart),
        on_embeddings(sides, "=", [Embeddings.ssem(2, 2, 1, Fraction(0))]),
        "as sets, collapsed embeddings have fewer elements",
    )


def share(u: Embeddings, a: Index, b: Index, t: Fraction) -> Any:
    """log of exp(u.v / tau) over the sum of exp(u.w / tau), for tau = t."""
    pool = mpmath.fsum(mpmath.exp(mpf(u.ip(a, w) / t)) for w in u.everything)
    return mpmath.log(mpmath.exp(mpf(u.ip(a, b) / t)) / pool)


def printed_sup(u: Embeddings, t: Fraction) -> Any:
    """L_Sup as printed in (2)."""
    terms = [
        share(u, a, b, t)
        for i, j, k in u.ordered_instance_pairs()
        for a in u.of_instance(i, j)
        for b in u.of_instance(i, k)
    ]
    return -mpmath.fsum(terms) * mpf(Fraction(1, u.m * u.n * (u.n - 1) * u.p**2))


def printed_self(u: Embeddings, t: Fraction) -> Any:
    """L_Self as printed in (3)."""
    terms = [
        share(u, a, b, t)
        for i, j in product(range(u.m), range(u.n))
        for a in u.of_instance(i, j)
        for b in u.of_instance(i, j)
    ]
    return -mpmath.fsum(terms) / (u.m * u.n * u.p**2)


def printed_sup_one_view(u: Embeddings, t: Fraction) -> Any:
    """L_Sup as printed in (4)."""
    terms = [share(u, (i, j, 0), (i, k, 0), t) for i, j, k in u.ordered_instance_pairs()]
    return -mpmath.fsum(terms) / (u.m * u.n * (u.n - 1))


def printed_self_one_view(u: Embeddings, t: Fraction) -> Any:
    """L_Self as printed in (5)."""
    terms = [share(u, a, a, t) for a in u.everything]
    return -mpmath.fsum(terms) / (u.m * u.n)


Sum = Callable[[Embeddings, Fraction], Any]


def against(printed: Sum, weight: int, where: Callable[[Embeddings], bool]) -> Verdict:
    """Compare a printed sum with the declared loss at alpha = weight."""
    return on_embeddings(
        lambda u: (printed(u, HALF), value(SUPCL, u, alpha=weight, tau=HALF)),
        "=",
        assorted(),
        where=where,
    )


@LEDGER.claim("(1)", r"L(U) := (1-\alpha) L_{Sup}(U) + \alpha L_{Self}(U)")
def equation_1(weights: tuple[int, int] = (1, -1)) -> Verdict:
    def sides(u: Embeddings) -> tuple[Any, Any]:
        a = THIRD
        mixed = mpf(weights[0] + weights[1] * a) * printed_sup(u, HALF)
        return mixed + mpf(a) * printed_self(u, HALF), value(SUPCL, u, alpha=a, tau=HALF)

    return on_embeddings(sides, "=", assorted(), where=several)


@LEDGER.claim(
    "(2)",
    r"L_{Sup}(U) = -\frac{1}{mn(n-1)p^2}\sum_{i, j \ne j'}\sum_{u \in U_{i,j}}"
    r"\sum_{v \in U_{i,j'}}\log\frac{\exp(u \cdot v/\tau)}{\sum_{w \in U}\exp(u \cdot w/\tau)}",
)
def equation_2(printed: Sum = printed_sup) -> Verdict:
    within = against(printed, 0, several)
    one = Embeddings.simplex(2, 1)
    return needs_condition(
        "n >= 2",
        within,
        lambda: undefined_at({"m": 2, "n": 1}, lambda: printed(one, HALF)),
        "an instance alone in its class has no supervised positives",
    )


@LEDGER.claim(
    "(3)",
    r"L_{Self}(U) = -\frac{1}{mnp^2}\sum_{i, j}\sum_{u \in U_{i,j}}\sum_{v \in U_{i,j}}"
    r"\log\frac{\exp(u \cdot v/\tau)}{\sum_{w \in U}\exp(u \cdot w/\tau)}",
)
def equation_3(printed: Sum = printed_self) -> Verdict:
    return against(printed, 1, lambda _: True)


@LEDGER.claim(
    "Section 3: positives",
    "positive pairs of L_Sup and L_Self do not overlap (u = v counts in L_Self)",
)
def positives() -> Verdict:
    sup, own = (set(t.positives) for t in SUPCL.terms)
    return decided(
        not sup & own and sup | own == set(OWN_CLASS),
        "the declared relations are disjoint and together make up the class",
        witness={"overlap": sorted(sup & own)},
    )


@LEDGER.claim(
    "(4)",
    r"L_{Sup}(U) = -\frac{1}{mn(n-1)}\sum_{i, j \ne j'}"
    r"\log\frac{\exp(u_{i,j} \cdot u_{i,j'}/\tau)}{\sum_w \exp(u_{i,j} \cdot w/\tau)} for p = 1",
)
def equation_4(printed: Sum = printed_sup_one_view) -> Verdict:
    return against(printed, 0, lambda u: several(u) and u.p == 1)


@LEDGER.claim(
    "(5)",
    r"L_{Self}(U) = -\frac{1}{mn}\sum_{i, j}"
    r"\log\frac{\exp(u_{i,j} \cdot u_{i,j}/\tau)}{\sum_w \exp(u_{i,j} \cdot w/\tau)} for p = 1",
)
def equation_5(printed: Sum = printed_self_one_view) -> Verdict:
    return against(printed, 1, lambda u: u.p == 1)


@LEDGER.claim("(6)", r"U^* := \arg\min_U L(U)")
def equation_6() -> Verdict:
    square = [[1, 0], [0, 1], [-1, 0], [0, -1]]
    turned = [[Fraction(3 * a - 4 * b, 5), Fraction(4 * a + 3 * b, 5)] for a, b in square]
    losses = {
        mpmath.nstr(value(SUPCL, Embeddings.from_vectors(2, 2, 1, v), alpha=HALF, tau=HALF), 40)
        for v in (square, turned)
    }
    return decided(
        len(losses) == 1,
        "a rotation of a set has the same loss",
        "a definition; the minimisers come in families closed under rotation, "
        "so U* is any one of them",
        witness={"losses": sorted(losses)},
    )

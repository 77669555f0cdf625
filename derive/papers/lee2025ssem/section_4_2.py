"""Section 4.2: every minimiser is an SSEM, and same-class embeddings are closer."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import Expr, Rational, S, diff

from ...decide.domain import between
from ...losses.supcl import CNCE, SUP_CNCE
from ...optimum.segment import delta
from ...results import results
from ...structures.hierarchy import m, n
from ...vectors.embeddings import Embeddings, Index
from ..checks import (
    both,
    decided,
    equal,
    equal_roots,
    holds_positive,
    needs_condition,
    on_embeddings,
)
from ..evaluate import value
from ..ledger import Verdict
from . import LEDGER
from ._domains import HALF, POSITIVE_DELTA, SHAPE
from ._loss import derived_h
from ._ssem import order, printed_interval
from .appendix_a3_theorem_a2 import theorem
from .appendix_a5 import cnce_minimum, end_of_interval


@LEDGER.claim(
    "Theorem 1",
    r"mn \ge 2 and d \ge mn-1: every minimiser of L is an SSEM",
    result="supcl-optimum",
)
def theorem_1() -> Verdict:
    return theorem()


@LEDGER.claim(
    "(11)",
    r"\forall U^* \in \arg\min L, \exists! \delta \in [0, 1]: U^\delta = U^*",
    result="supcl-optimum",
)
def equation_11(edge: Expr = S.One) -> Verdict:
    own = results["ssem"].same_class
    _, furthest = derived_h()
    within = both(
        equal(1 - own.subs(delta, edge), furthest, SHAPE),
        holds_positive(-diff(own, delta), POSITIVE_DELTA),
    )
    collapsed, simplex = (Embeddings.ssem(2, 1, 1, Fraction(k)) for k in (0, 1))
    return needs_condition(
        "m >= 2 and n >= 2",
        within,
        decided(
            any(collapsed.ip(a, b) != simplex.ip(a, b) for a, b in simplex.pairs()),
            "both are the pair u, -u",
            witness={"point": "m = 2, n = 1", "printed": "one delta", "derived": "0 and 1"},
        ),
        "delta is unique as (9) is strictly monotone; with n = 1 all delta give the same set",
    )


@LEDGER.claim(
    "Section 4.2: range of delta*",
    r"[0, 1] is a subset of [0, \sqrt{\frac{mn-1}{m(n-1)}}]",
    result="ssem",
)
def range_of_optimum(printed: Expr = printed_interval) -> Verdict:
    return both(
        equal_roots(printed, results["ssem"].delta_max ** 2, SHAPE),
        holds_positive(printed**2 - 1, SHAPE, strict=False),
    )


@LEDGER.claim(
    "Proposition 2",
    r"u \cdot v \ge u \cdot w for all i \ne i', u, v \in U_i, w \in U_{i'} iff \delta \in [0, 1]",
    result="ssem",
)
def proposition_2(edge: Expr = S.One) -> Verdict:
    return order(edge)


@LEDGER.claim(
    "Section 4.2: same class is closer",
    "at the optimum, instances of one class are always closer than those of different classes",
    result="supcl-optimum",
)
def closer() -> Verdict:
    difference = results["ssem"].same_class - results["ssem"].cross_class
    first: Index = (0, 0, 0)

    def sides(u: Embeddings) -> tuple[Fraction, Fraction]:
        return u.ip(first, (0, 1, 0)), u.ip(first, (1, 0, 0))

    return needs_condition(
        "alpha < 1",
        holds_positive(difference, SHAPE.with_range(delta, between(0, 1, "[)"), Rational(1, 2))),
        on_embeddings(sides, ">", [Embeddings.simplex(2, 2)]),
        "at alpha = 1 the optimum is delta = 1, where all are equally close",
    )


@LEDGER.claim(
    "Remark 1",
    r"SSEM with \delta = \sqrt{\frac{mn-1}{m(n-1)}} minimises L_{cNCE}",
    result="cnce-optimum",
)
def remark_1(end: Callable[[int, int], Fraction] = end_of_interval) -> Verdict:
    return cnce_minimum(end)


@LEDGER.claim("Remark 1: delta > 1", r"\sqrt{\frac{mn-1}{m(n-1)}} > 1", result="ssem")
def remark_1_delta(printed: Expr = printed_interval) -> Verdict:
    within = both(
        equal_roots(printed, results["ssem"].delta_max ** 2, SHAPE),
        holds_positive(printed**2 - 1, SHAPE),
    )
    one_class = printed.subs({m: 1, n: 2})
    return needs_condition(
        "m >= 2",
        within,
        decided(
            one_class > 1,
            "the square root for one class",
            witness={"point": {"m": "1", "n": "2"}, "printed": "> 1", "derived": str(one_class)},
        ),
    )


def same_pair_for_both() -> Embeddings:
    """Two classes that share the pair e, -e in R^3: m = n = 2."""
    return Embeddings.from_vectors(2, 2, 1, [[1, 0, 0], [-1, 0, 0]] * 2)


@LEDGER.claim(
    "Remark 1: all minimisers",
    r"embeddings minimising L_{cNCE} satisfy u \cdot v < u \cdot w "
    r"for all i \ne i', u, v \in U_i, w \in U_{i'}",
    result="cnce-optimum",
)
def remark_1_minimisers(minimiser: Callable[[], Embeddings] = same_pair_for_both) -> Verdict:
    pairs = minimiser()
    ssem = Embeddings.ssem(2, 2, 1, Fraction(3, 2))
    best = on_embeddings(
        lambda u: (value(CNCE, u, tau=HALF), value(CNCE, ssem, tau=HALF)), "=", [pairs]
    )
    left, right = pairs.ip((0, 0, 0), (0, 1, 0)), pairs.ip((0, 0, 0), (1, 1, 0))
    if best.word != "agrees":
        raise ValueError("the set shown is no minimiser")
    return decided(
        left < right,
        "both classes {e, -e}: as small a loss as that of the SSEM, and no strict inequality",
        "L_cNCE does not see how classes lie to each other, so it has many more minimisers; for "
        "the SSEM itself the inequality holds for u, v of different instances (never for u = v), "
        "and the w printed in U_i is one of another class",
        witness={
            "point": "U_1 = U_2 = {e, -e}, u = e, v = w = -e",
            "printed": f"{left} < {right}",
            "derived": f"{left} >= {right}",
        },
    )


@LEDGER.claim(
    "Remark 1: combined loss",
    r"(1-\alpha) L_{Sup} + \alpha L_{cNCE} may put embeddings of different classes closer "
    "to each other than those of one class",
    result="sup-cnce-optimum",
)
def remark_1_combined(step: Fraction = Fraction(1, 8)) -> Verdict:
    # Convex along delta**2, so a fall just beyond delta = 1 puts the minimum beyond it.
    simplex, beyond = (Embeddings.ssem(2, 2, 1, 1 + s) for s in (Fraction(0), step))
    mixed: dict[str, Any] = {"alpha": Fraction(9, 10), "tau": Fraction(1)}
    return on_embeddings(
        lambda u: (value(SUP_CNCE, u, **mixed), value(SUP_CNCE, simplex, **mixed)),
        "<",
        [beyond],
        note="for instance at m = n = 2, alpha = 9/10, tau = 1",
    )

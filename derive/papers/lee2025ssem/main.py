"""Sections 3 to 6 and Figure 1: the losses, the SSEM, variances, and when classes collapse."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import isqrt
from typing import Any

import mpmath
from sympy import Expr, Integer, Poly, Rational, S, diff, exp, expand, fraction, log, sqrt, together

from ...engine.domain import Domain, at_least, between
from ...engine.evidence import Grade
from ...losses.supcl import CNCE, OWN_CLASS, SAME_CLASS, SUP_CNCE, SUPCL
from ...results import results
from ...symbols import alpha, delta, m, n, p, tau
from ..checks import (
    all_equal,
    both,
    decided,
    differs_at,
    equal,
    first_difference,
    holds_positive,
    needs_condition,
    on_embeddings,
    undefined_at,
)
from ..embeddings import Embeddings, Index, Vector, assorted, combine, mean, total
from ..evaluate import mpf, relation, value
from ..ledger import Verdict
from . import LEDGER

SHAPE = Domain({m: at_least(2), n: at_least(2), p: at_least(1)}, {m: 2, n: 2, p: 1})
HALF = Fraction(1, 2)
THIRD = Fraction(1, 3)

Set = Sequence[Index]
Sum = Callable[[Embeddings, Fraction], Any]


# --- Section 3: the problem --------------------------------------------------------------------
def distinct(u: Embeddings) -> int:
    """Number of different vectors."""
    kept: list[Index] = []
    for a in u.everything:
        if all(u.mean_sq_dist([a], [b]) != 0 for b in kept):
            kept.append(a)
    return len(kept)


@LEDGER.claim("Section 3: sizes", r"|U| = mnp and |U_i| = np")
def sizes() -> Verdict:
    def sides(u: Embeddings) -> tuple[int, int]:
        return distinct(u), u.m * u.n * u.p

    def apart(u: Embeddings) -> bool:
        return all(u.mean_sq_dist([a], [b]) != 0 for a, b in product(u.everything, repeat=2) if a < b)

    return needs_condition(
        "the sets read as families indexed by (i, j, k), or no two embeddings equal",
        on_embeddings(sides, "=", assorted(), where=apart),
        on_embeddings(sides, "=", [Embeddings.ssem(2, 2, 1, Fraction(0))]),
        "as sets, collapsed embeddings have fewer elements",
    )


def share(u: Embeddings, a: Index, b: Index, tau: Fraction) -> Any:
    """log of exp(u.v / tau) over the sum of exp(u.w / tau)."""
    t = mpf(tau)
    pool = mpmath.fsum(mpmath.exp(mpf(u.ip(a, w)) / t) for w in u.everything)
    return mpmath.log(mpmath.exp(mpf(u.ip(a, b)) / t) / pool)


def printed_sup(u: Embeddings, tau: Fraction) -> Any:
    """L_Sup as printed in (2)."""
    terms = [
        share(u, a, b, tau)
        for i, j, k in u.ordered_instance_pairs()
        for a in u.of_instance(i, j)
        for b in u.of_instance(i, k)
    ]
    return -mpmath.fsum(terms) * Fraction(1, u.m * u.n * (u.n - 1) * u.p**2)


def printed_self(u: Embeddings, tau: Fraction) -> Any:
    """L_Self as printed in (3)."""
    terms = [
        share(u, a, b, tau)
        for i, j in product(range(u.m), range(u.n))
        for a in u.of_instance(i, j)
        for b in u.of_instance(i, j)
    ]
    return -mpmath.fsum(terms) / (u.m * u.n * u.p**2)


def printed_sup_one_view(u: Embeddings, tau: Fraction) -> Any:
    """L_Sup as printed in (4)."""
    terms = [share(u, (i, j, 0), (i, k, 0), tau) for i, j, k in u.ordered_instance_pairs()]
    return -mpmath.fsum(terms) / (u.m * u.n * (u.n - 1))


def printed_self_one_view(u: Embeddings, tau: Fraction) -> Any:
    """L_Self as printed in (5)."""
    terms = [share(u, a, a, tau) for a in u.everything]
    return -mpmath.fsum(terms) / (u.m * u.n)


def several(u: Embeddings) -> bool:
    """At least two instances per class."""
    return u.n >= 2


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
    if within.word != "agrees":
        return within
    one = Embeddings.simplex(2, 1)
    return needs_condition(
        "n >= 2",
        within,
        undefined_at({"m": 2, "n": 1}, lambda: printed(one, HALF)),
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


# --- Figure 1 ------------------------------------------------------------------------------------
def is_simplex(u: Embeddings, vectors: int) -> tuple[int, int]:
    """Rank, and rank of a simplex ETF of so many vectors if u is one (else 0)."""
    apart = Fraction(-1, vectors - 1)
    entries = {u.ip(a, b) for a in u.everything for b in u.everything}
    return u.rank, vectors - 1 if distinct(u) == vectors and entries == {Fraction(1), apart} else 0


def simplex_verdict(delta_squared: Fraction, vectors: int) -> Verdict:
    """The SSEM with m = n = 2 is a simplex ETF of so many distinct vectors."""
    return on_embeddings(
        lambda u: is_simplex(u, vectors), "=", [Embeddings.ssem(2, 2, 1, delta_squared)]
    )


@LEDGER.claim(
    "Figure 1: (a)", r"m = n = 2, \delta = 0: 1-simplex ETF, class collapse", result="ssem"
)
def figure_1a(vectors: int = 2) -> Verdict:
    return simplex_verdict(Fraction(0), vectors)


@LEDGER.claim(
    "Figure 1: (b)", r"m = n = 2, \delta = 1: 3-simplex ETF, all equidistant", result="ssem"
)
def figure_1b(vectors: int = 4) -> Verdict:
    return simplex_verdict(Fraction(1), vectors)


@LEDGER.claim("Figure 1: (c)", r"m = n = 2: \delta in [0, \sqrt{1.5}], d = 3", result="ssem")
def figure_1c(end: Expr = sqrt(Rational(3, 2))) -> Verdict:
    longest = results["ssem"].delta_max.subs({m: 2, n: 2})
    room = max(Embeddings.ssem(2, 2, 1, Fraction(k, 4)).rank for k in range(7))
    return decided(
        longest**2 == end**2 and room == 3,
        "the upper end of the interval and the largest rank",
        witness={"printed": str(end), "derived": str(longest), "rank": room},
    )


# --- Section 4.1: simplex ETF and SSEM -----------------------------------------------------------
@LEDGER.claim(
    "Definition 1",
    r"(n-1)-simplex ETF: n unit vectors with u \cdot v = -\frac{1}{n-1} for u \ne v",
)
def definition_1(apart: Callable[[int], Fraction] = lambda k: Fraction(-1, k - 1)) -> Verdict:
    def sides(u: Embeddings) -> tuple[Fraction, Fraction]:
        a, b = u.everything[:2]
        # Equal spacing with the centroid at the origin: the vectors sum to zero.
        return 1 + (u.m - 1) * apart(u.m), u.sum_ip([a], u.everything) + 0 * u.ip(a, b)

    cases = [Embeddings.simplex(k) for k in range(2, 7)]
    return on_embeddings(sides, "=", cases, note="n = 1 is one vector, with no pairs")


@LEDGER.claim("Section 4.1: existence of simplex ETF", "exists when d >= n - 1")
def etf_exists(least: Callable[[int], int] = lambda k: k - 1) -> Verdict:
    cases = [Embeddings.simplex(k) for k in range(1, 8)]
    return on_embeddings(
        lambda u: (least(u.m), u.rank), "=", cases, note="and only then: n - 1 is its rank"
    )


@LEDGER.claim(
    "Section 4.1: alpha = 1",
    "L_Self is minimised by the (mn-1)-simplex ETF",
    result="supcl-optimum",
)
def alpha_one(best: Callable[[Embeddings], Fraction] = lambda _: Fraction(1)) -> Verdict:
    return minimised(1, best)


@LEDGER.claim(
    "Section 4.1: alpha = 0",
    "L_Sup is minimised by class collapse to the (m-1)-simplex ETF",
    result="supcl-optimum",
)
def alpha_zero(best: Callable[[Embeddings], Fraction] = lambda _: Fraction(0)) -> Verdict:
    return minimised(0, best)


def minimised(weight: int, best: Callable[[Embeddings], Fraction]) -> Verdict:
    """No random set, and no SSEM, has a smaller loss than the SSEM with delta**2 = best."""
    ends = [Embeddings.ssem(u.m, u.n, u.p, Fraction(k)) for u in exact_ssem() for k in (0, 1)]

    def sides(u: Embeddings) -> tuple[Any, Any]:
        least = Embeddings.ssem(u.m, u.n, u.p, best(u))
        return value(SUPCL, u, alpha=weight, tau=HALF), value(
            SUPCL, least, alpha=weight, tau=HALF
        )

    return on_embeddings(sides, ">=", [*assorted(), *ends], where=several)


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


printed_interval = sqrt((m * n - 1) / (m * (n - 1)))
printed_same = 1 - delta**2 * m * n / (m * n - 1)
printed_cross = -1 / (m - 1) + delta**2 * m * (n - 1) / ((m - 1) * (m * n - 1))


@cache
def exact_ssem() -> tuple[Embeddings, ...]:
    """Exact SSEMs, the ends of the interval among them."""
    shapes = [(2, 2, 1), (2, 2, 2), (3, 2, 1), (2, 3, 1)]
    ends = {s: Fraction(s[0] * s[1] - 1, s[0] * (s[1] - 1)) for s in shapes}
    return tuple(
        Embeddings.ssem(*s, d) for s in shapes for d in (Fraction(0), HALF, Fraction(1), ends[s])
    )


def ssem_domain() -> Domain:
    """m, n >= 2 and delta in its interval."""
    return SHAPE.with_range(delta, between(0, results["ssem"].delta_max), 1)


def interval(printed: Expr = printed_interval) -> Verdict:
    """Whether delta may be as large as printed, and where that says nothing."""
    within = equal(printed**2, results["ssem"].delta_max ** 2, SHAPE)
    if within.word != "agrees":
        return within
    return needs_condition(
        "n >= 2",
        within,
        undefined_at({"m": 2, "n": 1}, lambda: printed.subs({m: 2, n: 1})),
        "for n = 1 all delta give the same set",
    )


def on_ssem(printed: Expr, derived: Expr) -> Verdict:
    """Compare expressions in delta on its interval."""
    return equal(printed, derived, ssem_domain())


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
    moving = SHAPE.with_range(delta, Range(), 1)
    return both(
        holds_positive(signs[0] * diff(results["ssem"].same_class, delta), moving),
        holds_positive(signs[1] * diff(results["ssem"].cross_class, delta), moving),
    )


# --- Proposition 1 -------------------------------------------------------------------------------
SIGNS = (1, -1)


def printed_h(sign: int) -> Expr:
    """h(delta) as printed in Proposition 1."""
    root = sqrt((delta**2 * m * (1 - n) + (m * n - 1)) / (m - 1))
    return -delta / n + sign * root / n


def etf_products() -> dict[str, Expr]:
    """Inner products of w_ij and v_i = sum_j w_ij in a simplex ETF, by counting."""
    apart = results["ssem"].same_class.subs(delta, 1)
    return {
        "w.w'": apart,
        "w.v": 1 + (n - 1) * apart,
        "v.v": n * (1 + (n - 1) * apart),
        "w.v'": n * apart,
        "v.v'": n * n * apart,
    }


def products(h: Expr) -> dict[str, Expr]:
    """Inner products of the vectors delta w_ij + h v_i, by relation."""
    e = etf_products()
    inside = h**2 * e["v.v"] + 2 * delta * h * e["w.v"]
    return {
        "same_instance": delta**2 + inside,
        "same_class": delta**2 * e["w.w'"] + inside,
        "cross_class": delta**2 * e["w.w'"] + h**2 * e["v.v'"] + 2 * delta * h * e["w.v'"],
    }


def existence(
    printed: Callable[[int], Expr], at: Mapping[str, Any] | None = None, note: str = ""
) -> Verdict:
    """Whether delta w_ij + h v_i is an SSEM, for both signs of the root in h."""
    wanted = {
        "same_instance": S.One,
        "same_class": results["ssem"].same_class,
        "cross_class": results["ssem"].cross_class,
    }
    found = [
        equal(expand(products(printed(sign))[r]), wanted[r], SHAPE_DELTA, note, at=at)
        for sign in SIGNS
        for r in wanted
    ]
    return both(*found)


@LEDGER.claim(
    "Proposition 1",
    r"mn \ge 2, d \ge mn-1, w_{i,j} an (mn-1)-simplex ETF, "
    r"h = -\frac{\delta}{n} \pm \frac{1}{n}\sqrt{\frac{\delta^2 m(1-n) + (mn-1)}{m-1}}: "
    r"\delta w_{i,j} + h(\delta)\sum_{j'} w_{i,j'} is an SSEM",
    result="ssem",
)
def proposition_1(printed: Callable[[int], Expr] = printed_h) -> Verdict:
    within = existence(printed)
    if within.word != "agrees":
        return within
    one_class = Embeddings.ssem(1, 2, 1, HALF)
    return needs_condition(
        "m >= 2 (mn >= 2 is not enough)",
        within,
        on_embeddings(lambda u: (u.rank, u.m * u.n - 1), "<=", [one_class]),
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
    sides: Sides = lambda u: (least(u), u.rank)  # noqa: E731
    within = on_embeddings(sides, "=", inside)
    if within.word != "agrees":
        return within
    return needs_condition(
        "0 < delta < delta_max (or to start from a simplex ETF, as Proposition 1 does)",
        within,
        on_embeddings(sides, "=", ends),
        "at the ends SSEM fits into m - 1 and m(n - 1) dimensions",
    )


# --- Section 4.2 -----------------------------------------------------------------------------------
def plane_of_three() -> Embeddings:
    """Three unit vectors in the plane, one class."""
    a, b = Fraction(3, 5), Fraction(4, 5)
    return Embeddings.from_vectors(1, 3, 1, [[a, b], [1, 0], [a, -b]])


@LEDGER.claim(
    "Theorem 1",
    r"mn \ge 2 and d \ge mn-1: every minimiser of L is an SSEM",
    result="supcl-optimum",
)
def theorem_1() -> Verdict:
    proved = results["supcl-optimum"]
    within = decided(True, f"derivation of {proved.id}", grade=proved.evidence.grade)

    def sides(u: Embeddings) -> tuple[Any, Any]:
        # The SSEMs that fit into the plane: delta = 0 and delta = 1.
        fitting = [Embeddings.ssem(1, 3, 1, Fraction(k)) for k in (0, 1)]
        losses = [value(SUPCL, s, alpha=HALF, tau=Fraction(1)) for s in fitting]
        return min(losses), value(SUPCL, u, alpha=HALF, tau=Fraction(1))

    return needs_condition(
        "m >= 2 and n >= 2 (mn >= 2 is not enough)",
        within,
        on_embeddings(sides, "<=", [plane_of_three()]),
        "at m = 1, alpha = 1/2, tau = 1 three vectors (3/5, 4/5), (1, 0), (3/5, -4/5) have a "
        "smaller loss than every SSEM in R^(mn-1); with n = 1 the loss (2) does not exist",
    )


@LEDGER.claim(
    "(11)",
    r"\forall U^* \in \arg\min L, \exists! \delta \in [0, 1]: U^\delta = U^*",
    result="supcl-optimum",
)
def equation_11(edge: Expr = S.One) -> Verdict:
    # Unique: (9) is strictly monotone.
    own = results["ssem"].same_class
    within = both(optimum_range(edge), holds_positive(-diff(own, delta), SHAPE.with_range(delta, Range(), 1)))
    if within.word != "agrees":
        return within
    collapsed, simplex = (Embeddings.ssem(2, 1, 1, Fraction(k)) for k in (0, 1))
    same = collapsed.ip((0, 0, 0), (1, 0, 0)) == simplex.ip((0, 0, 0), (1, 0, 0))
    return needs_condition(
        "m >= 2 and n >= 2",
        within,
        decided(
            not same,
            "both are the pair u, -u",
            witness={"point": "m = 2, n = 1", "printed": "one delta", "derived": "0 and 1"},
        ),
        "with one instance per class all delta give the same set",
    )


@LEDGER.claim(
    "Section 4.2: range of delta*",
    r"[0, 1] is a subset of [0, \sqrt{\frac{mn-1}{m(n-1)}}]",
    result="ssem",
)
def range_of_optimum(printed: Expr = printed_interval) -> Verdict:
    return holds_positive(printed**2 - 1, SHAPE, strict=False)


def order(edge: Expr) -> Verdict:
    """Same-class similarity minus cross-class similarity has the sign of edge - delta."""
    gap = results["ssem"].same_class - results["ssem"].cross_class
    return holds_positive(
        gap / (edge**2 - delta**2),
        SHAPE_DELTA,
        "for all pairs at once; a single pair u = v never fails",
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
    gap = results["ssem"].same_class - results["ssem"].cross_class
    first: Index = (0, 0, 0)

    def sides(u: Embeddings) -> tuple[Fraction, Fraction]:
        return u.ip(first, (0, 1, 0)), u.ip(first, (1, 0, 0))

    return needs_condition(
        "alpha < 1",
        holds_positive(gap, SHAPE.with_range(delta, between(0, 1, "[)"), Rational(1, 2))),
        on_embeddings(sides, ">", [Embeddings.simplex(2, 2)]),
        "at alpha = 1 the optimum is delta = 1, where all are equally close",
    )


@LEDGER.claim(
    "Remark 1", r"SSEM with \delta = \sqrt{\frac{mn-1}{m(n-1)}} minimises L_{cNCE}",
    result="cnce-optimum",
)
def remark_1(end: Callable[[int, int], Fraction] = lambda m, n: Fraction(m * n - 1, m * (n - 1))) -> Verdict:
    def sides(u: Embeddings) -> tuple[Any, Any]:
        best = Embeddings.ssem(u.m, u.n, u.p, end(u.m, u.n))
        return value(CNCE, u, tau=HALF), value(CNCE, best, tau=HALF)

    return on_embeddings(sides, ">=", [*assorted(), *exact_ssem()], where=several)


@LEDGER.claim("Remark 1: delta > 1", r"\sqrt{\frac{mn-1}{m(n-1)}} > 1", result="ssem")
def remark_1_delta(printed: Expr = printed_interval) -> Verdict:
    within = holds_positive(printed**2 - 1, SHAPE)
    if within.word != "agrees":
        return within
    return needs_condition(
        "m >= 2",
        within,
        differs_at({"m": 1, "n": 2}, printed**2, 1 + S.One / 10**9, "")
        if printed.subs({m: 1, n: 2}) != 1
        else decided(
            False,
            "the square root at m = 1",
            witness={"point": {"m": "1", "n": "2"}, "printed": "> 1", "derived": "1"},
        ),
    )

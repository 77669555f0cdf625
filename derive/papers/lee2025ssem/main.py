"""Sections 3 to 6 and Figure 1: the losses, the SSEM, variances, and when classes collapse."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Any

import mpmath
from sympy import Dummy, Expr, Integer, Rational, S, diff, exp, expand, log, sqrt

from ...engine.domain import Domain, Range, at_least, between
from ...engine.evidence import Grade
from ...engine.present import tidy
from ...losses.supcl import CNCE, OWN_CLASS, SUP_CNCE, SUPCL
from ...results import results
from ...symbols import alpha, delta, m, n, p, radius, tau, x
from ..checks import (
    both,
    decided,
    equal,
    first_difference,
    holds_positive,
    needs_condition,
    on_embeddings,
    undefined_at,
)
from ..embeddings import Embeddings, Index, Vector, assorted, combine, mean, total
from ..evaluate import mpf, value
from ..ledger import Verdict
from . import LEDGER
from .sums import sign_patterns

SHAPE = Domain({m: at_least(2), n: at_least(2), p: at_least(1)}, {m: 2, n: 2, p: 1})
HALF = Fraction(1, 2)
THIRD = Fraction(1, 3)

TEMPERED = SHAPE.with_range(tau, Range(), HALF)
SHAPE_DELTA = SHAPE.with_range(delta, Range(low_open=False), 1)
POSITIVE_DELTA = SHAPE.with_range(delta, Range(), 1)

Sides = Callable[[Embeddings], tuple[Any, Any]]
Sum = Callable[[Embeddings, Fraction], Any]


# --- Section 3: the problem ------------------------------------------------------------------
def pairs_of(u: Embeddings) -> list[tuple[Index, Index]]:
    """Unordered pairs of different indices."""
    return list(combinations(u.everything, 2))


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
        return u.m * u.n * u.p, distinct(u)

    def apart(u: Embeddings) -> bool:
        return all(u.mean_sq_dist([a], [b]) != 0 for a, b in pairs_of(u))

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


# --- Figure 1 --------------------------------------------------------------------------------
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


printed_end = sqrt(Rational(3, 2))


@LEDGER.claim("Figure 1: (c)", r"m = n = 2: \delta in [0, \sqrt{1.5}], d = 3", result="ssem")
def figure_1c(end: Expr = printed_end) -> Verdict:
    longest = results["ssem"].delta_max.subs({m: 2, n: 2})
    room = max(Embeddings.ssem(2, 2, 1, Fraction(k, 4)).rank for k in range(7))
    return decided(
        longest**2 == end**2 and room == 3,
        "the upper end of the interval and the largest rank",
        witness={"printed": str(end), "derived": str(longest), "rank": room},
    )


# --- Section 4.1: simplex ETF and SSEM -------------------------------------------------------
@LEDGER.claim(
    "Definition 1",
    r"(n-1)-simplex ETF: n unit vectors with u \cdot v = -\frac{1}{n-1} for u \ne v",
)
def definition_1(apart: Callable[[int], Fraction] = lambda k: Fraction(-1, k - 1)) -> Verdict:
    def sides(u: Embeddings) -> tuple[Fraction, Fraction]:
        return first_difference([apart(u.m), *(u.ip(a, b) for a, b in pairs_of(u))])

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
    if within.word != "agrees":
        return within
    return needs_condition(
        "n >= 2",
        within,
        check([1]),
        "n - 1 is its rank, so it exists only then; a single unit vector needs d >= 1",
    )


def slope() -> tuple[Expr, Expr]:
    """What has the sign of the derivative of the loss in x, and the x of the (mn-1)-simplex."""
    root = results["supcl-optimum"].x_star
    return root.function(x), root.high


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
    h, simplex = slope()
    return minimised(1, best, equal(S.Zero, h.subs({alpha: 1, x: simplex}), TEMPERED))


@LEDGER.claim(
    "Section 4.1: alpha = 0",
    "L_Sup is minimised by class collapse to the (m-1)-simplex ETF",
    result="supcl-optimum",
)
def alpha_zero(best: Fraction = Fraction(0)) -> Verdict:
    h, _ = slope()
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
    return both(
        holds_positive(signs[0] * diff(results["ssem"].same_class, delta), POSITIVE_DELTA),
        holds_positive(signs[1] * diff(results["ssem"].cross_class, delta), POSITIVE_DELTA),
    )


# --- Proposition 1 ---------------------------------------------------------------------------
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
    if within.word != "agrees":
        return within
    return needs_condition(
        "0 < delta < delta_max (or to start from a simplex ETF, as Proposition 1 does)",
        within,
        on_embeddings(sides, "=", ends),
        "at the ends SSEM fits into m - 1 and m(n - 1) dimensions",
    )


# --- Section 4.2 -----------------------------------------------------------------------------
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
    own = results["ssem"].same_class
    _, furthest = slope()
    within = both(
        equal(1 - own.subs(delta, edge), furthest, SHAPE),
        holds_positive(-diff(own, delta), POSITIVE_DELTA),
    )
    if within.word != "agrees":
        return within
    collapsed, simplex = (Embeddings.ssem(2, 1, 1, Fraction(k)) for k in (0, 1))
    return needs_condition(
        "m >= 2 and n >= 2",
        within,
        decided(
            any(collapsed.ip(a, b) != simplex.ip(a, b) for a, b in pairs_of(simplex)),
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
    return holds_positive(printed**2 - 1, SHAPE, strict=False)


def order(edge: Expr) -> Verdict:
    """Same-class similarity minus cross-class similarity has the sign of edge - delta."""
    difference = results["ssem"].same_class - results["ssem"].cross_class
    within = holds_positive(tidy(difference / (edge**2 - delta**2)), SHAPE_DELTA)
    if within.word != "agrees":
        return within
    antipodal = Embeddings.ssem(2, 1, 1, Fraction(4))

    def sides(u: Embeddings) -> tuple[int, int]:
        ordered = u.ip((0, 0, 0), (0, 0, 0)) >= u.ip((0, 0, 0), (1, 0, 0))
        return int(ordered), int(bool(edge >= 2))

    return needs_condition(
        "n >= 2",
        within,
        on_embeddings(sides, "=", [antipodal]),
        "with n = 1 the inequality holds for every delta (here 2, were it allowed); "
        "it is meant for all pairs at once, as u = v never fails it",
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
def remark_1(
    end: Callable[[int, int], Fraction] = lambda m, n: Fraction(m * n - 1, m * (n - 1)),
) -> Verdict:
    def sides(u: Embeddings) -> tuple[Any, Any]:
        best = Embeddings.ssem(u.m, u.n, u.p, end(u.m, u.n))
        return value(CNCE, u, tau=HALF), value(CNCE, best, tau=HALF)

    return on_embeddings(sides, ">=", [*assorted(), *exact_ssem()], where=several)


@LEDGER.claim("Remark 1: delta > 1", r"\sqrt{\frac{mn-1}{m(n-1)}} > 1", result="ssem")
def remark_1_delta(printed: Expr = printed_interval) -> Verdict:
    within = holds_positive(printed**2 - 1, SHAPE)
    if within.word != "agrees":
        return within
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
def remark_1_minimisers() -> Verdict:
    pairs = same_pair_for_both()
    ssem = Embeddings.ssem(2, 2, 1, Fraction(3, 2))
    best = on_embeddings(
        lambda u: (value(CNCE, u, tau=HALF), value(CNCE, ssem, tau=HALF)), "=", [pairs]
    )
    left, right = pairs.ip((0, 0, 0), (0, 1, 0)), pairs.ip((0, 0, 0), (1, 1, 0))
    return decided(
        best.word != "agrees" or left < right,
        "both classes {e, -e}: as small a loss as that of the SSEM, and no strict inequality",
        "L_cNCE does not see how classes lie to each other, so it has many more minimisers; for "
        "the SSEM itself the inequality holds for u, v of different instances (never for u = v), "
        "and the w printed in U_i is one of another class",
        witness={
            "point": "U_1 = U_2 = {e, -e}, u = e, v = w = -e",
            "printed": f"{left} < {right}",
            "derived": f"{left} = {right}",
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
    mixed = {"alpha": Fraction(9, 10), "tau": Fraction(1)}
    return on_embeddings(
        lambda u: (value(SUP_CNCE, u, **mixed), value(SUP_CNCE, simplex, **mixed)),
        "<",
        [beyond],
        note="for instance at m = n = 2, alpha = 9/10, tau = 1",
    )


# --- Section 5.1: variances ------------------------------------------------------------------
def squared(u: Embeddings, left: Vector, right: Vector) -> Fraction:
    """Squared distance of two combinations of embeddings."""
    step = combine((1, left), (-1, right))
    return u.dot(step, step)


def printed_within(u: Embeddings, i: int) -> Fraction:
    """Var[U_i] as printed in (12)."""
    own = u.of_class(i)
    centre = combine((Fraction(1, u.n), total(own)))
    return Fraction(1, u.n) * sum(squared(u, {a: Fraction(1)}, centre) for a in own)


def printed_between(u: Embeddings) -> Fraction:
    """Var^Btwn[U] as printed in (13)."""
    centres = [combine((Fraction(1, u.n), total(u.of_class(i)))) for i in range(u.m)]
    return Fraction(1, u.m) * sum((squared(u, c, mean(u.everything)) for c in centres), Fraction(0))


def one_view(u: Embeddings) -> bool:
    """p = 1, as in the main text."""
    return u.p == 1


@LEDGER.claim(
    "Definition 3", r"\text{Var}[U_i] and \text{Var}^{Btwn}[U] of (12) and (13), for mn embeddings"
)
def definition_3() -> Verdict:
    return both(equation_12(), equation_13())


@LEDGER.claim("(12)", r"\text{Var}[U_i] := \frac{1}{n}\sum_{u \in U_i}\|u - E[U_i]\|^2")
def equation_12(printed: Callable[[Embeddings, int], Fraction] = printed_within) -> Verdict:
    return on_embeddings(
        lambda u: (printed(u, u.m - 1), u.variance(u.of_class(u.m - 1))),
        "=",
        assorted(),
        where=one_view,
    )


@LEDGER.claim("(13)", r"\text{Var}^{Btwn}[U] := \frac{1}{m}\sum_i\|E[U_i] - E[U]\|^2")
def equation_13(printed: Callable[[Embeddings], Fraction] = printed_between) -> Verdict:
    return on_embeddings(
        lambda u: (printed(u), u.between_variance()), "=", assorted(), where=one_view
    )


@LEDGER.claim(
    "Section 5.1: class collapse", r"\text{Var}[U_i] = 0: the instances of class i coincide"
)
def zero_within() -> Verdict:
    def sides(u: Embeddings) -> tuple[int, int]:
        own = u.of_class(0)
        merged = all(u.mean_sq_dist([a], [b]) == 0 for a in own for b in own)
        return int(u.variance(own) == 0), int(merged)

    return on_embeddings(sides, "=", [*assorted(), *exact_ssem()])


@LEDGER.claim(
    "Section 5.1: zero between-class variance",
    r"\text{Var}^{Btwn}[U] = 0: different classes cannot be separated",
)
def zero_between() -> Verdict:
    # U_1 = {e1, -e1}, U_2 = {e2, -e2}: disjoint, and the origin is in both convex hulls.
    crossed = Embeddings.from_vectors(2, 2, 1, [[1, 0], [-1, 0], [0, 1], [0, -1]])
    shared = squared(crossed, mean(crossed.of_class(0)), mean(crossed.of_class(1)))
    return decided(
        crossed.between_variance() == shared == 0 and distinct(crossed) == 4,
        "equal class means are a common point of the convex hulls",
        "true of separation by hyperplanes; the classes {e1, -e1} and {e2, -e2} are still disjoint",
        witness={"shared": str(shared)},
    )


def average_variance(u: Embeddings) -> Fraction:
    """The left-hand side of (14)."""
    within = sum((u.variance(u.of_class(i)) for i in range(u.m)), Fraction(0))
    return within / u.m + u.between_variance()


@LEDGER.claim("Section 5.1: total variance", "the left-hand side of (14) is the total variance")
def total_variance() -> Verdict:
    return on_embeddings(lambda u: (average_variance(u), u.variance(u.everything)), "=", assorted())


@LEDGER.claim(
    "(14)",
    r"\frac{1}{m}\sum_i \text{Var}[U_i] + \text{Var}^{Btwn}[U] \le 1",
    result="variance-bound",
)
def equation_14(bound: int = 1) -> Verdict:
    tried = on_embeddings(
        lambda u: (average_variance(u), Fraction(bound)), "<=", [*assorted(), *exact_ssem()]
    )
    if tried.word != "agrees":
        return tried
    return equal(Integer(bound), results["variance-bound"].bound.subs(radius, 1), SHAPE)


@LEDGER.claim(
    "Proposition 3",
    "the variances add up to at most 1, and to 1 when E[U] = 0",
    result="variance-bound",
)
def proposition_3(bound: int = 1) -> Verdict:
    def sides(u: Embeddings) -> tuple[int, int]:
        return int(average_variance(u) == bound), int(u.mean_ip(u.everything, u.everything) == 0)

    return on_embeddings(
        sides,
        "=",
        [*assorted(), *exact_ssem()],
        note="and only then; no set has E[U] = 0 when mnp = 1, or when d = 1 and mnp is odd",
    )


printed_variances = (
    delta**2 * m * (n - 1) / (m * n - 1),
    1 - delta**2 * m * (n - 1) / (m * n - 1),
)


def variances_of_ssem(printed: tuple[Expr, Expr]) -> Verdict:
    """Both variances of the SSEM, and their sum."""
    within = both(
        on_ssem(printed[0], results["ssem"].within_class_variance),
        on_ssem(printed[1], results["ssem"].between_class_variance),
        on_ssem(printed[0] + printed[1], S.One),
    )
    if within.word != "agrees":
        return within

    def sides(u: Embeddings) -> tuple[Fraction, Fraction]:
        here = printed[1].subs({m: u.m, n: u.n, delta: 0})
        return Fraction(int(here.p), int(here.q)), u.between_variance()

    return needs_condition(
        "m >= 2",
        within,
        on_embeddings(sides, "=", [Embeddings.ssem(1, 2, 1, Fraction(0))]),
        "one class has no between-class variance, so the sum is delta**2 for m = 1",
    )


@LEDGER.claim(
    "Proposition 4",
    r"\text{Var}[U_i^\delta] = \delta^2\frac{m(n-1)}{mn-1}, "
    r"\text{Var}^{Btwn}[U^\delta] = 1 - \delta^2\frac{m(n-1)}{mn-1}, which add up to 1",
    result="ssem",
)
def proposition_4(printed: tuple[Expr, Expr] = printed_variances) -> Verdict:
    return variances_of_ssem(printed)


@LEDGER.claim(
    "Remark 2",
    "every minimiser of the SupCL loss attains the maximum variance in (14)",
    result="supcl-optimum",
)
def remark_2() -> Verdict:
    proved = results["supcl-optimum"]
    centred = on_ssem(
        results["ssem"].within_class_variance + results["ssem"].between_class_variance, S.One
    )
    # At alpha = 0 one class collapses: its loss is log n, and that of any other set is larger.
    others = [u for u in sign_patterns(1, 2, 1) if u.variance(u.everything) > 0]
    merged = Embeddings.ssem(1, 2, 1, Fraction(0))
    least = on_embeddings(
        lambda u: (value(SUPCL, u, alpha=0, tau=HALF), value(SUPCL, merged, alpha=0, tau=HALF)),
        ">",
        others,
    )
    return needs_condition(
        "m >= 2",
        both(decided(True, f"derivation of {proved.id}", grade=proved.evidence.grade), centred),
        both(least, on_embeddings(lambda u: (Fraction(1), average_variance(u)), "=", [merged])),
        "one class with alpha <= 1/n collapses to a point: variance 0",
    )


# --- Section 5.2: preventing class collapse --------------------------------------------------
@LEDGER.claim(
    "Section 5.2: collapse at delta = 0",
    r"class collapse occurs when \delta = 0",
    result="ssem",
)
def collapse_at_zero() -> Verdict:
    variance = results["ssem"].within_class_variance
    return both(
        equal(S.Zero, variance.subs(delta, 0), SHAPE),
        holds_positive(variance, POSITIVE_DELTA, "and only then"),
    )


MIXED = TEMPERED.with_range(alpha, between(1 / n, 1, "()"), Rational(3, 4))
HOT = exp(m / (m - 1) / tau)

printed_15 = (m * n - 1 + HOT) / (m * n - n + n * HOT)
printed_16 = 1 / ((1 - 1 / m) * log((m * n - 1 - alpha * (m - 1) * n) / (alpha * n - 1)))


@LEDGER.claim(
    "Theorem 2",
    "classes do not collapse iff (15), equivalently iff (16)",
    result="supcl-threshold",
)
def theorem_2(printed: Expr = printed_15) -> Verdict:
    within = equation_15(printed)
    if within.word != "agrees":
        return within
    point = {m: S.One, n: S(2)}
    return needs_condition(
        "m >= 2",
        within,
        undefined_at({"m": 1, "n": 2}, lambda: printed.xreplace(point)),
        "m/(m - 1) does not exist for one class, whose threshold is 1/n at every tau",
    )


@LEDGER.claim(
    "Theorem 2: dimension",
    "Theorem 2 is stated without d >= mn - 1",
)
def theorem_2_dimension(least: Fraction = Fraction(9, 10)) -> Verdict:
    proved = results["supcl-threshold"]
    threshold = printed_15.subs({m: 2, n: 2, tau: HALF})
    losses = {u: value(SUPCL, u, alpha=least, tau=HALF) for u in sign_patterns(2, 2, 1)}
    best = [
        u for u, loss in losses.items() if loss - min(losses.values()) < mpf(Fraction(1, 10**30))
    ]
    collapsed = all(u.variance(u.of_class(i)) == 0 for u in best for i in (0, 1))
    return needs_condition(
        "d >= mn - 1",
        decided(True, f"derivation of {proved.id}", grade=proved.evidence.grade),
        decided(
            not (collapsed and threshold < Rational(least)),
            "all 16 embeddings of two classes of two in R^1",
            witness={
                "point": {"m": "2", "n": "2", "d": "1", "alpha": str(least), "tau": "1/2"},
                "printed": f"no collapse, as alpha > {threshold.evalf(6)}",
                "derived": "every minimiser collapses",
            },
        ),
        "asked for in the text of Section 4.1 for all that follows, and not in the theorem",
    )


@LEDGER.claim(
    "(15)",
    r"\alpha \in (\frac{mn - 1 + \exp(\frac{m}{m-1}/\tau)}"
    r"{mn - n + n\exp(\frac{m}{m-1}/\tau)}, 1]",
    result="supcl-threshold",
)
def equation_15(printed: Expr = printed_15) -> Verdict:
    return equal(printed, results["supcl-threshold"].alpha_min, TEMPERED)


@LEDGER.claim(
    "(16)",
    r"\tau \in (0, \frac{1}{(1 - \frac{1}{m})\log(\frac{mn-1-\alpha(m-1)n}{\alpha n - 1})}) "
    r"for \alpha \in (\frac{1}{n}, 1]",
    result="supcl-threshold",
)
def equation_16(printed: Expr = printed_16) -> Verdict:
    within = equal(printed, results["supcl-threshold"].tau_max, MIXED)
    if within.word != "agrees":
        return within
    point = {m: S(2), n: S(2), alpha: S.One}
    return needs_condition(
        "alpha < 1",
        within,
        undefined_at({s.name: v for s, v in point.items()}, lambda: printed.xreplace(point)),
        "at alpha = 1 the logarithm is 0 and every tau will do",
    )


@LEDGER.claim(
    "Section 5.2: alpha_min rises with tau",
    r"the minimum value of \alpha increases monotonically with respect to \tau > 0, "
    r"so a smaller \tau allows a wider range of \alpha",
    result="supcl-threshold",
)
def alpha_min_rises(sign: int = 1) -> Verdict:
    least = results["supcl-threshold"].alpha_min
    (heat,) = least.atoms(exp)
    y = Dummy("y", positive=True)
    # Through y = exp(-c/tau), c = m/(m-1) > 0, which rises with tau.
    return both(
        holds_positive(sign * diff(least.xreplace({heat: y}), y), SHAPE.with_range(y, Range(), 1)),
        holds_positive(-tidy(heat.args[0] * tau), SHAPE),
    ).with_note("an infimum: the interval is open at alpha_min")


def many_instances(temperature: Fraction) -> Expr:
    """alpha_min for m = 10 and n to infinity."""
    return results["supcl-threshold"].alpha_min_n_oo.subs({m: 10, tau: Rational(temperature)}).n()


@LEDGER.claim(
    "Section 5.2: alpha at tau = 0.5",
    r"m = 10, \tau = 0.5, n large: no collapse for \alpha \in [0.549, 1]",
    result="supcl-threshold",
)
def alpha_at_half(printed: Fraction = Fraction(549, 1000)) -> Verdict:
    least = many_instances(HALF)
    return decided(
        0 < Rational(printed) - least < Rational(1, 2000),
        f"the limit is {least.n(6)}, from above",
        witness={"printed": str(printed), "derived": str(least.n(8))},
    )


@LEDGER.claim(
    "Section 5.2: alpha at tau = 0.9",
    r"m = 10, \tau = 0.9, n large: no collapse for \alpha \in [0.804, 1]",
    result="supcl-threshold",
)
def alpha_at_nine_tenths(printed: Fraction = Fraction(804, 1000)) -> Verdict:
    least = many_instances(Fraction(9, 10))
    rounded = decided(
        abs(Rational(printed) - least) < Rational(1, 2000),
        f"the limit is {least.n(6)}",
        witness={"printed": str(printed), "derived": str(least.n(8))},
    )
    if rounded.word != "agrees":
        return rounded
    return needs_condition(
        "0.804 read as a value rounded to three digits",
        rounded,
        decided(
            Rational(printed) > least,
            "alpha_min falls to its limit as n grows",
            witness={
                "point": {"m": "10", "tau": "9/10", "alpha": "0.804", "n": "any"},
                "printed": "no collapse",
                "derived": f"alpha_min > {least.n(6)}",
            },
        ),
        "0.804 itself is below alpha_min for every n; 0.805 is safe",
    )


@LEDGER.claim(
    "Section 5.2: limit of alpha_min",
    r"the minimum \alpha converges to \frac{1}{n} as \tau \to 0",
    result="supcl-threshold",
)
def alpha_min_limit(printed: Expr = 1 / n) -> Verdict:
    return equal(printed, results["supcl-threshold"].alpha_min_tau_0, SHAPE)


@LEDGER.claim(
    "Section 5.2: alpha > 1/n",
    r"\alpha must always be greater than \frac{1}{n}; in particular \alpha \ge \frac{1}{n}",
    result="supcl-threshold",
)
def alpha_above(printed: Expr = 1 / n) -> Verdict:
    return holds_positive(results["supcl-threshold"].alpha_min - printed, TEMPERED)


printed_limit = 1 / ((1 - 1 / m) * log(1 + (1 - alpha) / alpha * m))
printed_rule = 1 / log(m)


@LEDGER.claim(
    "Section 5.2: limit of tau_max",
    r"the maximum \tau converges to ((1 - \frac{1}{m})\log(1 + \frac{1-\alpha}{\alpha}m))^{-1}",
    result="supcl-threshold",
)
def tau_max_limit(printed: Expr = printed_limit) -> Verdict:
    return equal(printed, results["supcl-threshold"].tau_max_n_oo, MIXED)


def half_and_half(classes: int) -> Expr:
    """tau_max for alpha = 1/2 and n to infinity."""
    return results["supcl-threshold"].tau_max_n_oo.subs({alpha: Rational(1, 2), m: classes}).n()


@LEDGER.claim(
    "Section 5.2: alpha = 0.5",
    r"at \alpha = 0.5 the condition reduces to \tau \lesssim \frac{1}{\log m}",
    result="supcl-threshold",
)
def alpha_half(printed: Callable[[int], Expr] = lambda k: 1 / log(Integer(k))) -> Verdict:
    # The exact 1/((1 - 1/m) log(1 + m)) is above 1/log m by a factor below 1 + 1/(m - 1).
    ratios = {k: (half_and_half(k) / printed(k)).n() for k in (10, 10**6)}
    wrong = {k: r for k, r in ratios.items() if not 1 < r < 1 + Rational(1, k - 1)}
    return decided(
        not wrong,
        "the ratio of the two at m = 10 and m = 10^6",
        "leading order for many classes; the bound is 1/((1 - 1/m) log(1 + m)), a little more",
        grade=Grade.SAMPLED,
        witness={"ratio": {str(k): str(r.n(6)) for k, r in wrong.items()}},
    )


@LEDGER.claim(
    "Section 5.2: tau = 0.1",
    r"\tau = 0.1 is a reasonable choice unless m \ge \exp(10)",
    result="supcl-threshold",
)
def tau_one_tenth(printed: int = 22026) -> Verdict:
    # floor(exp(10)) = 22026: the last number of classes that the text calls safe.
    largest = {k: half_and_half(k) for k in (printed, 22035, 22036)}
    tenth = Rational(1, 10)
    return decided(
        bool(printed < exp(10) < printed + 1)
        and bool(min(largest[printed], largest[22035]) > tenth > largest[22036]),
        "alpha = 1/2 and n to infinity, at m = 22026, 22035 and 22036",
        "for n to infinity tau = 0.1 is still safe up to m = 22035",
        witness={"printed": str(printed), "derived": str(largest[printed])},
    )


@LEDGER.claim(
    "Section 5.2: tau <= 1/log(m) is necessary",
    r"to avoid class collapse it is necessary that \alpha \ge \frac{1}{n} "
    r"and \tau \le \frac{1}{\log m}",
    result="supcl-threshold",
)
def tau_necessary(printed: Expr = printed_rule) -> Verdict:
    point = {m: S(2), n: S(2), alpha: Rational(9, 10)}
    largest = results["supcl-threshold"].tau_max.xreplace(point).n(12)
    bound = printed.xreplace(point).n(12)
    return decided(
        bool(largest <= bound),
        "the largest tau without collapse, at m = 2, n = 2, alpha = 9/10",
        "tau may be up to tau_max, which is larger here, and arbitrarily large as alpha goes to 1; "
        "for alpha = 1/2 and n to infinity tau <= 1/log(m) is sufficient, not necessary",
        witness={
            "point": {s.name: str(v) for s, v in point.items()},
            "printed": str(bound),
            "derived": str(largest),
        },
    )


# --- Section 6: experiments ------------------------------------------------------------------
@LEDGER.claim(
    "Section 6.1: sizes", r"|U| = mnp = 200 for m = 10, n = 10, p = 2; d = 100 \ge mn - 1"
)
def experiment_sizes(size: int = 200, d: int = 100) -> Verdict:
    least = results["ssem"].min_dimension.subs({m: 10, n: 10, delta: Rational(1, 2)})
    return decided(
        size == 10 * 10 * 2 and d >= least,
        "arithmetic",
        witness={"size": str(size), "least dimension": str(least)},
    )


@LEDGER.claim(
    "Section 6.2: batch sizes", r"m\tilde{n} = 100, 500, 2000 for \tilde{n} = 10, 50, 200"
)
def batch_sizes(sizes: tuple[int, ...] = (100, 500, 2000)) -> Verdict:
    return decided(
        tuple(10 * k for k in (10, 50, 200)) == sizes,
        "arithmetic",
        "d = 128 is then below mn - 1 for the two larger ones",
        witness={"sizes": str(sizes)},
    )

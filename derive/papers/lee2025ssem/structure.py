"""Appendix A.2: the SSEM for p views, its order of similarities, variances and existence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache

from sympy import Dummy, Expr, S, expand, oo, sqrt

from ...engine.domain import Range, between
from ...losses.supcl import EVERYTHING, OWN_CLASS
from ...results import results
from ...structures.hierarchy import hierarchy
from ...symbols import delta, m, n, p
from ..checks import (
    all_equal,
    both,
    decided,
    equal,
    first_difference,
    holds_positive,
    needs_condition,
    on_embeddings,
)
from ..embeddings import Embeddings, Vector, combine, total
from ..ledger import Verdict
from . import LEDGER
from .main import (
    SHAPE,
    SHAPE_DELTA,
    SIGNS,
    etf_products,
    exact_ssem,
    existence,
    interval,
    on_ssem,
    order,
    printed_cross,
    printed_h,
    printed_interval,
    printed_same,
    printed_variances,
    products,
    ssem_domain,
    variances_of_ssem,
)

H = Dummy("h", real=True)  #: a value of h(delta) of which nothing is assumed
ANY_H = SHAPE_DELTA.with_range(H, Range(-oo, oo), 1)
UP_TO_ONE = SHAPE.with_range(delta, between(0, 1), 1)
#: A point at which the root in h(delta) is rational: h = 2/3 with the upper sign.
SMALL = {"m": 2, "n": 2, "delta": S(1) / 3}


# --- Definition A.2 --------------------------------------------------------------------------
@LEDGER.claim(
    "Definition A.2",
    r"SSEM for positive integers m, n, p and \delta \in [0, \sqrt{\frac{mn-1}{m(n-1)}}]",
    result="ssem",
)
def definition_a2(printed: Expr = printed_interval) -> Verdict:
    return interval(printed)


@LEDGER.claim("(A.2)", r"u \cdot v = 1 for u, v \in U_{i,j}", result="ssem")
def equation_a2(printed: Fraction = Fraction(1)) -> Verdict:
    def sides(u: Embeddings) -> tuple[Fraction, Fraction]:
        views = u.of_instance(0, 0)
        return first_difference([printed, *(u.ip(a, b) for a in views for b in views)])

    return on_embeddings(
        sides, "=", exact_ssem(), note="views coincide: at most mn of the mnp vectors are distinct"
    )


@LEDGER.claim(
    "(A.3)",
    r"u \cdot v = 1 - \delta^2\frac{mn}{mn-1} for u \in U_{i,j}, v \in U_{i,j'}",
    result="ssem",
)
def equation_a3(printed: Expr = printed_same) -> Verdict:
    return on_ssem(printed, results["ssem"].same_class)


@LEDGER.claim(
    "(A.4)",
    r"u \cdot v = -\frac{1}{m-1} + \delta^2\frac{m(n-1)}{(m-1)(mn-1)} "
    r"for u \in U_i, v \in U_{i'}",
    result="ssem",
)
def equation_a4(printed: Expr = printed_cross) -> Verdict:
    return on_ssem(printed, results["ssem"].cross_class)


# --- Proposition A.3 -------------------------------------------------------------------------
@LEDGER.claim(
    "Proposition A.3",
    r"(A.5) for all i \ne i', u, v \in U_i, w \in U_{i'} iff \delta \in [0, 1]",
    result="ssem",
)
def proposition_a3(edge: Expr = S.One) -> Verdict:
    return order(edge)


@LEDGER.claim("(A.5)", r"u \cdot v \ge u \cdot w, for \delta \in [0, 1]", result="ssem")
def equation_a5(sign: int = 1) -> Verdict:
    own, other = results["ssem"].same_class, results["ssem"].cross_class
    return both(
        holds_positive(sign * (own - other), UP_TO_ONE, strict=False),
        holds_positive(sign * (1 - other), UP_TO_ONE),
    )


@LEDGER.claim(
    "Proposition A.3, proof: cases",
    r"u \cdot v \ge \min(1, 1 - \delta^2\frac{mn}{mn-1}) = 1 - \delta^2\frac{mn}{mn-1}, "
    r"u \cdot w = -\frac{1}{m-1} + \delta^2\frac{m(n-1)}{(m-1)(mn-1)}",
    result="ssem",
)
def proposition_a3_cases(own: Expr = printed_same, other: Expr = printed_cross) -> Verdict:
    return both(
        on_ssem(own, results["ssem"].same_class),
        on_ssem(other, results["ssem"].cross_class),
        holds_positive(1 - own, SHAPE_DELTA, strict=False),
    )


@LEDGER.claim(
    "Proposition A.3, proof: difference",
    r"1 - \delta^2\frac{mn}{mn-1} + \frac{1}{m-1} - \delta^2\frac{m(n-1)}{(m-1)(mn-1)} "
    r"= \frac{m}{m-1} - \delta^2\frac{m}{m-1} = \frac{m}{m-1}(1 - \delta^2)",
    result="ssem",
)
def proposition_a3_difference(
    printed: Sequence[Expr] = (
        printed_same - printed_cross,
        m / (m - 1) - delta**2 * m / (m - 1),
        m / (m - 1) * (1 - delta**2),
    ),
) -> Verdict:
    gap = results["ssem"].same_class - results["ssem"].cross_class
    note = "'only if' needs equality, which u and v of different instances give"
    return all_equal(printed, gap, ssem_domain(), note)


# --- Proposition A.4 -------------------------------------------------------------------------
@LEDGER.claim(
    "Proposition A.4",
    r"\text{Var}[U_i^\delta] = \delta^2\frac{m(n-1)}{mn-1}, "
    r"\text{Var}^{Btwn}[U^\delta] = 1 - \delta^2\frac{m(n-1)}{mn-1}, which add up to 1",
    result="ssem",
)
def proposition_a4(printed: tuple[Expr, Expr] = printed_variances) -> Verdict:
    return variances_of_ssem(printed)


def counted(relations: Sequence[str]) -> Expr:
    """Sum of u.v over u in a class and v in the given relations to u, on the SSEM."""
    inner = {
        "self": S.One,
        "same_instance": S.One,
        "same_class": results["ssem"].same_class,
        "cross_class": results["ssem"].cross_class,
    }
    scheme = hierarchy()
    return n * p * sum((scheme.relation(r).count * inner[r] for r in relations), S.Zero)


printed_class_norm = (
    n * p**2 + n * (n - 1) * p**2 * printed_same,
    n**2 * p**2 - delta**2 * m * n**2 * (n - 1) * p**2 / (m * n - 1),
)


@LEDGER.claim(
    "Proposition A.4, proof: class sums",
    r"\|\sum_{u \in U_i} u\|^2 = np^2 + n(n-1)p^2(1 - \delta^2\frac{mn}{mn-1}) "
    r"= n^2p^2 - \delta^2\frac{mn^2(n-1)p^2}{mn-1}",
    result="ssem",
)
def class_sums(printed: Sequence[Expr] = printed_class_norm) -> Verdict:
    return all_equal(printed, counted(OWN_CLASS), ssem_domain())


def one_class_sum(wanted: Fraction) -> Verdict:
    """The sum of a single collapsed class against what is printed for it."""
    return on_embeddings(
        lambda u: (wanted, u.sum_ip(u.of_class(0), u.everything)),
        "=",
        [Embeddings.ssem(1, 2, 1, Fraction(0))],
    )


@LEDGER.claim(
    "Proposition A.4, proof: class sum times total sum",
    r"\sum_{u \in U_i} u \cdot \sum_{u \in U} u = np^2 + n(n-1)p^2(1 - \delta^2\frac{mn}{mn-1}) "
    r"+ (m-1)n^2p^2(-\frac{1}{m-1} + \delta^2\frac{m(n-1)}{(m-1)(mn-1)}) = 0",
    result="ssem",
)
def class_times_total(
    printed: Sequence[Expr] = (
        printed_class_norm[0] + (m - 1) * n**2 * p**2 * printed_cross,
        S.Zero,
    ),
) -> Verdict:
    within = all_equal(printed, counted(EVERYTHING), ssem_domain())
    if within.word != "agrees":
        return within
    return needs_condition(
        "m >= 2", within, one_class_sum(Fraction(0)), "for m = 1 the sum is n^2p^2(1 - delta^2)"
    )


@LEDGER.claim(
    "Proposition A.4, proof: centroid",
    r"\sum_{u \in U} u \cdot \sum_{u \in U} u = \sum_i (\dots) = 0, so E[U^\delta] = 0",
    result="ssem",
)
def centroid(printed: Expr = S.Zero) -> Verdict:
    within = on_ssem(printed, m * counted(EVERYTHING))
    if within.word != "agrees":
        return within
    return needs_condition("m >= 2", within, one_class_sum(Fraction(0)))


@LEDGER.claim(
    "Proposition A.4, proof: between-class variance",
    r"\text{Var}^{Btwn} = \frac{1}{m}\sum_i\|\frac{1}{np}\sum_{u \in U_i} u\|^2 = \dots "
    r"= 1 - \delta^2\frac{m(n-1)}{mn-1}",
    result="ssem",
)
def between_variance(
    printed: Sequence[Expr] = (
        printed_class_norm[1] / (n**2 * p**2),
        printed_variances[1],
    ),
) -> Verdict:
    within = all_equal(printed, results["ssem"].between_class_variance, ssem_domain())
    if within.word != "agrees":
        return within
    merged = Embeddings.ssem(1, 2, 1, Fraction(0))
    return needs_condition(
        "m >= 2",
        within,
        on_embeddings(
            lambda u: (u.mean_ip(u.everything, u.everything), u.between_variance()), "=", [merged]
        ),
        "the first step uses E[U] = 0",
    )


@LEDGER.claim(
    "Proposition A.4, proof: within-class variance",
    r"\text{Var}[U_i] = 1 - \frac{1}{n^2p^2}\|\sum_{u \in U_i} u\|^2 = \dots "
    r"= \delta^2\frac{m(n-1)}{mn-1}",
    result="ssem",
)
def within_variance(
    printed: Sequence[Expr] = (
        1 - printed_class_norm[1] / (n**2 * p**2),
        printed_variances[0],
    ),
) -> Verdict:
    return all_equal(printed, results["ssem"].within_class_variance, ssem_domain())


@LEDGER.claim(
    "Proposition A.4, proof: sum",
    r"1 - \delta^2\frac{m(n-1)}{mn-1} + \delta^2\frac{m(n-1)}{mn-1} = 1",
    result="ssem",
)
def sum_of_variances(printed: Expr = printed_variances[1] + printed_variances[0]) -> Verdict:
    whole = results["ssem"].within_class_variance + results["ssem"].between_class_variance
    return both(on_ssem(printed, whole), on_ssem(S.One, whole))


# --- Theorem A.1 -----------------------------------------------------------------------------
def printed_h_a1(sign: int) -> Expr:
    """h(delta) as printed in Theorem A.1."""
    return -delta / n + sign * sqrt(delta**2 * m * (1 - n) + (m * n - 1)) / n


@LEDGER.claim(
    "Theorem A.1",
    r"h = -\frac{\delta}{n} \pm \frac{1}{n}\sqrt{\delta^2 m(1-n) + (mn-1)}: "
    r"\delta w_{i,j} + h(\delta)\sum_j w_{i,j} is an SSEM",
    result="ssem",
)
def theorem_a1(printed: Callable[[int], Expr] = printed_h_a1) -> Verdict:
    return existence(
        printed,
        {"m": 3, "n": 2, "delta": 0},
        "the root lacks the division by m - 1 that Proposition 1 has; m >= 2 is needed as there",
    )


@cache
def shifted() -> dict[Embeddings, tuple[Embeddings, Fraction, Fraction]]:
    """Vectors delta w_ij + h v_i for arbitrary delta and h, with the w they are made of."""
    found = {}
    rows = [
        (2, 2, 2, "1/3", "2/3"),
        (3, 2, 1, "1", "-1/2"),
        (2, 3, 1, "0", "3/5"),
        (1, 2, 2, "2", "1"),
    ]
    for classes, instances, views, a, b in rows:
        w, d, h = Embeddings.simplex(classes, instances), Fraction(a), Fraction(b)
        made: dict[tuple[int, int], Vector] = {
            (i, j): combine((d, {(i, j, 0): Fraction(1)}), (h, total(w.of_class(i))))
            for i in range(classes)
            for j in range(instances)
        }
        u = Embeddings(
            classes,
            instances,
            views,
            lambda s, t, w=w, made=made: w.dot(made[s[:2]], made[t[:2]]),  # type: ignore[misc]
            note=f"delta = {a}, h = {b}",
        )
        found[u] = (w, d, h)
    return found


Lines = Callable[[Embeddings, Fraction, Fraction], list[Fraction]]


def on_shifted(
    left: Callable[[Embeddings], Fraction], lines: Lines, where: Callable[[Embeddings], bool]
) -> Verdict:
    """Compare an inner product of the vectors made with lines in the w they are made of."""
    return on_embeddings(
        lambda u: first_difference([left(u), *lines(*shifted()[u])]), "=", shifted(), where=where
    )


def everywhere(_: Embeddings) -> bool:
    """No hypothesis."""
    return True


def w_(i: int, j: int) -> Vector:
    """w_{i,j}."""
    return {(i, j, 0): Fraction(1)}


@LEDGER.claim(
    "(A.6)",
    r"u_{i,j,k} := \delta w_{i,j} + h(\delta)\sum_{j \in [n]} w_{i,j}",
    result="ssem",
)
def equation_a6(printed: Callable[[int], Expr] = printed_h) -> Verdict:
    return existence(printed).with_note(
        "the summation index j is another one than that of w_{i,j}, as printed in Proposition 1; "
        "checked with the h of Proposition 1"
    )


@LEDGER.claim(
    "Theorem A.1, proof: v_i",
    r"v_i := \sum_j w_{i,j}, so that u_{i,j,k} = \delta w_{i,j} + h(\delta) v_i",
)
def v_i() -> Verdict:
    def lines(w: Embeddings, d: Fraction, h: Fraction) -> list[Fraction]:
        v = total(w.of_class(0))
        u = combine((d, w_(0, 0)), (h, v))
        return [w.dot(u, u)]

    return on_shifted(lambda u: u.ip((0, 0, 0), (0, 0, 0)), lines, everywhere)


def of_simplex(printed: Sequence[Expr], which: str, sign: int) -> Verdict:
    """Compare printed products of w and v with those counted, and their printed sign."""
    derived = etf_products()[which]
    return both(all_equal(printed, derived, SHAPE), holds_positive(sign * derived, SHAPE))


def vanishing(which: str, within: Verdict) -> Verdict:
    """The printed (> 0) fails for one class, where v_i is zero."""
    if within.word != "agrees":
        return within
    w = Embeddings.simplex(1, 2)
    v = total(w.of_class(0))
    found = w.dot(v, v) if which == "v.v" else w.dot(w_(0, 0), v)
    return needs_condition(
        "m >= 2",
        within,
        decided(
            found > 0,
            "the 1-simplex with m = 1, n = 2",
            witness={"point": {"m": "1", "n": "2"}, "printed": "> 0", "derived": str(found)},
        ),
        "for one class v_i = 0",
    )


@LEDGER.claim(
    "(A.7)",
    r"v_i \cdot v_i = n - n(n-1)\frac{1}{mn-1} = \frac{(m-1)n^2}{mn-1} (> 0)",
    result="ssem",
)
def equation_a7(
    printed: Sequence[Expr] = (
        n - n * (n - 1) / (m * n - 1),
        (m - 1) * n**2 / (m * n - 1),
    ),
) -> Verdict:
    return vanishing("v.v", of_simplex(printed, "v.v", 1))


@LEDGER.claim(
    "(A.8)",
    r"v_i \cdot v_{i'} = -n^2\frac{1}{mn-1} = -\frac{n^2}{mn-1} (< 0)",
    result="ssem",
)
def equation_a8(printed: Expr = -(n**2) / (m * n - 1)) -> Verdict:
    return of_simplex([printed], "v.v'", -1)


@LEDGER.claim(
    "(A.9)",
    r"w_{i,j} \cdot v_i = 1 - (n-1)\frac{1}{mn-1} = \frac{(m-1)n}{mn-1} (> 0)",
    result="ssem",
)
def equation_a9(
    printed: Sequence[Expr] = (
        1 - (n - 1) / (m * n - 1),
        (m - 1) * n / (m * n - 1),
    ),
) -> Verdict:
    return vanishing("w.v", of_simplex(printed, "w.v", 1))


@LEDGER.claim(
    "(A.10)",
    r"w_{i,j} \cdot v_{i'} = -n\frac{1}{mn-1} = -\frac{n}{mn-1} (< 0)",
    result="ssem",
)
def equation_a10(printed: Expr = -n / (m * n - 1)) -> Verdict:
    return of_simplex([printed], "w.v'", -1)


# --- condition of (A.2)
@LEDGER.claim(
    "(A.11)",
    r"u_{i,j,k} \cdot u_{i,j,k'} = \delta^2 w_{i,j} \cdot w_{i,j} + h(\delta)^2 v_i \cdot v_i "
    r"+ 2\delta h(\delta) w_{i,j} \cdot v_i",
)
def equation_a11(factor: int = 2) -> Verdict:
    def lines(w: Embeddings, d: Fraction, h: Fraction) -> list[Fraction]:
        a, v = w_(0, 0), total(w.of_class(0))
        return [d**2 * w.dot(a, a) + h**2 * w.dot(v, v) + factor * d * h * w.dot(a, v)]

    return on_shifted(lambda u: u.ip((0, 0, 0), (0, 0, u.p - 1)), lines, everywhere)


printed_a12 = (
    delta**2 + H**2 * (m - 1) * n**2 / (m * n - 1) + 2 * delta * H * (m - 1) * n / (m * n - 1)
)


@LEDGER.claim(
    "(A.12)",
    r"= \delta^2 + h(\delta)^2\frac{(m-1)n^2}{mn-1} + 2\delta h(\delta)\frac{(m-1)n}{mn-1}",
    result="ssem",
)
def equation_a12(printed: Expr = printed_a12) -> Verdict:
    return equal(printed, products(H)["same_instance"], ANY_H)


def with_h(lines: Sequence[Expr], derived: Expr) -> Verdict:
    """Compare lines in h with an expression, h being that of Proposition 1 with either sign."""
    found = [
        all_equal([expand(line.subs(H, printed_h(sign))) for line in lines], derived, SHAPE_DELTA)
        for sign in SIGNS
    ]
    return both(*found)


@LEDGER.claim(
    "(A.13)",
    r"= \delta^2 + \frac{(m-1)n}{mn-1}(h(\delta)^2 n + 2\delta h(\delta)) "
    r"= \delta^2 + \frac{(m-1)n}{mn-1}\frac{mn-1}{(m-1)n}(1 - \delta^2) = 1",
    result="ssem",
)
def equation_a13(
    printed: Sequence[Expr] = (
        delta**2 + (m - 1) * n / (m * n - 1) * (H**2 * n + 2 * delta * H),
        delta**2 + (m - 1) * n / (m * n - 1) * (m * n - 1) / ((m - 1) * n) * (1 - delta**2),
    ),
) -> Verdict:
    return with_h(printed, S.One).with_note("with the h of Proposition 1, not that of Theorem A.1")


def root_lines(sign: int) -> list[Expr]:
    """The first five lines of the display for h(delta)^2 n, in order, and the last."""
    inside = delta**2 * m * (1 - n) + (m * n - 1)
    root = sqrt(inside / (m - 1))
    square = delta**2 * (2 * m - m * n - 1) / ((m - 1) * n**2)
    rest = (m * n - 1) / ((m - 1) * n**2)
    return [
        (-delta / n + sign * root / n) ** 2 * n,
        (delta**2 / n**2 + inside / ((m - 1) * n**2) - sign * 2 * delta / n**2 * root) * n,
        (square + rest - sign * 2 * delta / n**2 * root) * n,
        square * n - sign * 2 * delta / n * root + rest * n,
        square * n - 2 * delta**2 / n - 2 * delta * H + rest * n,
        -2 * delta * H + rest * n * (1 - delta**2),
    ]


@LEDGER.claim(
    "Theorem A.1, proof: h(delta)^2 n",
    r"h(\delta)^2 n = (\dots)^2 n = \dots = -2\delta h(\delta) + \frac{mn-1}{(m-1)n}(1 - \delta^2)",
    result="ssem",
)
def square_of_h(lines: Callable[[int], Sequence[Expr]] = root_lines) -> Verdict:
    found = [
        all_equal(
            [expand(line.subs(H, printed_h(sign))) for line in lines(sign)],
            expand(printed_h(sign) ** 2 * n),
            SHAPE_DELTA,
            "all lines but the sixth",
        )
        for sign in SIGNS
    ]
    return both(*found)


@LEDGER.claim(
    "Theorem A.1, proof: h(delta)^2 n, sixth line",
    r"h(\delta)^2 n = -2\delta h(\delta) - \frac{\delta(mn-1)}{(m-1)n} + \frac{mn-1}{(m-1)n}",
    result="ssem",
)
def sixth_line(
    printed: Expr = -2 * delta * H
    - delta * (m * n - 1) / ((m - 1) * n)
    + (m * n - 1) / ((m - 1) * n),
) -> Verdict:
    h = printed_h(1)
    return equal(
        expand(printed.subs(H, h)),
        expand(h**2 * n),
        SHAPE_DELTA,
        "the second term should have delta squared, as the line after it does",
        at=SMALL,
    )


# --- condition of (A.3)
def lines_a14(w: Embeddings, d: Fraction, h: Fraction) -> list[Fraction]:
    """The first three lines of the condition of (A.3)."""
    a, b, v = w_(0, 0), w_(0, 1), total(w.of_class(0))
    start = d**2 * w.dot(a, b) + h**2 * w.dot(v, v)
    u = combine((d, a), (h, v))
    return [
        start + d * h * w.dot(a, v) + d * h * w.dot(b, v),
        start + 2 * d * h * w.dot(a, v),
        d**2 * w.dot(a, b) + w.dot(u, u) - d**2 * w.dot(a, a),
    ]


@LEDGER.claim(
    "(A.14)",
    r"u_{i,j,k} \cdot u_{i,j',k'} = \dots "
    r"= \delta^2 w_{i,j} \cdot w_{i,j'} + u_{i,j,k} \cdot u_{i,j,k'} "
    r"- \delta^2 w_{i,j} \cdot w_{i,j}",
)
def equation_a14(printed: Lines = lines_a14) -> Verdict:
    return on_shifted(lambda u: u.ip((0, 0, 0), (0, 1, u.p - 1)), printed, everywhere)


@LEDGER.claim(
    "(A.15)",
    r"= -\delta^2\frac{1}{mn-1} + 1 - \delta^2 = 1 - \delta^2\frac{mn}{mn-1}",
    result="ssem",
)
def equation_a15(
    printed: Sequence[Expr] = (-(delta**2) / (m * n - 1) + 1 - delta**2, printed_same),
) -> Verdict:
    return all_equal(printed, results["ssem"].same_class, ssem_domain())


# --- condition of (A.4)
def lines_a16(w: Embeddings, d: Fraction, h: Fraction) -> list[Fraction]:
    """The first two lines of the condition of (A.4)."""
    a, b = w_(0, 0), w_(1, 1)
    v, other = total(w.of_class(0)), total(w.of_class(1))
    start = d**2 * w.dot(a, b) + h**2 * w.dot(v, other)
    return [
        start + d * h * w.dot(a, other) + d * h * w.dot(b, v),
        start + 2 * d * h * w.dot(a, other),
    ]


@LEDGER.claim(
    "Theorem A.1, proof: products across classes",
    r"u_{i,j,k} \cdot u_{i',j',k'} = \delta^2 w_{i,j} \cdot w_{i',j'} + h^2 v_i \cdot v_{i'} "
    r"+ \delta h w_{i,j} \cdot v_{i'} + \delta h w_{i',j'} \cdot v_i "
    r"= \dots + 2\delta h w_{i,j} \cdot v_{i'}",
)
def across_classes(printed: Lines = lines_a16) -> Verdict:
    return on_shifted(lambda u: u.ip((0, 0, 0), (1, 1, 0)), printed, lambda u: u.m >= 2)


@LEDGER.claim(
    "(A.16)",
    r"= -\delta^2\frac{1}{mn-1} - h(\delta)^2\frac{n^2}{mn-1} - 2\delta h(\delta)\frac{n}{mn-1}",
    result="ssem",
)
def equation_a16(
    printed: Expr = -(delta**2) / (m * n - 1)
    - H**2 * n**2 / (m * n - 1)
    - 2 * delta * H * n / (m * n - 1),
) -> Verdict:
    return equal(printed, products(H)["cross_class"], ANY_H)


@LEDGER.claim(
    "Theorem A.1, proof: line after (A.16)",
    r"= -\delta^2\frac{1}{mn-1} - \frac{1}{m-1}(h(\delta)^2\frac{(m-1)n^2}{mn-1} "
    r"- 2\delta h(\delta)\frac{(m-1)n}{mn-1})",
    result="ssem",
)
def after_a16(
    printed: Expr = -(delta**2) / (m * n - 1)
    - (H**2 * (m - 1) * n**2 / (m * n - 1) - 2 * delta * H * (m - 1) * n / (m * n - 1)) / (m - 1),
) -> Verdict:
    h = printed_h(1)
    return equal(
        expand(printed.subs(H, h)),
        results["ssem"].cross_class,
        SHAPE_DELTA,
        "the sign inside the bracket should be +, as in (A.12)",
        at=SMALL,
    )


@LEDGER.claim(
    "(A.17)",
    r"= -\delta^2\frac{1}{mn-1} - \frac{1}{m-1}(1 - \delta^2) "
    r"= -\frac{1}{m-1} + \delta^2\frac{m(n-1)}{(m-1)(mn-1)}",
    result="ssem",
)
def equation_a17(
    printed: Sequence[Expr] = (
        -(delta**2) / (m * n - 1) - (1 - delta**2) / (m - 1),
        printed_cross,
    ),
) -> Verdict:
    return all_equal(printed, results["ssem"].cross_class, ssem_domain())

"""Appendix A.2: Theorem A.1, the SSEM made from a simplex ETF."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache

from sympy import Dummy, Expr, S, expand, oo, sqrt

from ...decide.domain import Range
from ...optimum.segment import delta
from ...results import results
from ...structures.hierarchy import m, n
from ...vectors.embeddings import Embeddings, Vector, combine, total
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
from ..verdict import Verdict
from . import LEDGER
from ._domains import SHAPE, SHAPE_DELTA
from ._ssem import (
    SIGNS,
    etf_products,
    existence,
    printed_cross,
    printed_h,
    printed_same,
    products,
    ssem_domain,
)

H = Dummy("h", real=True)  #: a value of h(delta) of which nothing is assumed
ANY_H = SHAPE_DELTA.with_range(H, Range(-oo, oo), 1)
#: A point at which the root in h(delta) is rational: h = 2/3 with the upper sign.
SMALL = {"m": 2, "n": 2, "delta": S(1) / 3}


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

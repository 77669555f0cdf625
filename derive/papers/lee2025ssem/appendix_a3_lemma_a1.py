"""Appendix A.3: Lemma A.1."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from sympy import Expr, S, expand, sqrt

from ...decide.domain import between
from ...optimum.segment import delta
from ...results import results
from ...structures.hierarchy import m, n, p
from ...vectors.embeddings import Embeddings
from ..checks import both, equal, equal_roots, holds_positive, needs_condition, on_embeddings
from ..verdict import Verdict
from . import LEDGER
from ._domains import SHAPE
from ._lemmas import (
    AT,
    LEMMA_1,
    ROOM,
    at_constraint_1,
    best_on_ssem,
    c,
    not_attained,
    not_reached,
    widest,
)
from ._sums import (
    all_sets,
    chain,
    cross,
    means,
    own,
    random_sets,
    same,
    sharp_chain,
    ssem_sets,
    total,
)


@LEDGER.claim(
    "Lemma A.1",
    r"for every c \in [-mn, mn(n-1)] there is a unique \delta^*(c) \in [0, "
    r"\sqrt{\frac{mn-1}{m(n-1)}}] with U^{\delta^*(c)} \in \arg\min\{\sum_{i} \sum_{u \in U_i} "
    r"\sum_{v \in U \setminus U_i} u^\top v \mid \sum_{i, j \neq j'} E[U_{ij}]^\top E[U_{ij'}] = "
    r"c\}",
)
def lemma_1() -> Verdict:
    return needs_condition(
        ROOM,
        best_on_ssem(cross, means, "<="),
        not_attained(means, Fraction(1), "minimum"),
        "no condition on d is printed, and for n = 1 the ends of the interval divide by zero",
    )


#: delta*(c), in the lemma and in (A.25).
PRINTED_DELTA = sqrt((m * n - 1) / (m * n) - (m * n - 1) / (m**2 * n**2 * (n - 1)) * c)


@LEDGER.claim(
    "Lemma A.1: delta*(c)",
    r"\delta^*(c) = \sqrt{\frac{mn-1}{mn} - \frac{mn-1}{m^2 n^2 (n-1)} c}",
    result="ssem",
)
def delta_star_1(printed: Expr = PRINTED_DELTA) -> Verdict:
    return equal_roots(printed, at_constraint_1(), LEMMA_1)


@LEDGER.claim(
    "Lemma A.1, proof: range of c",
    r"the possible values of c lie in [-mn, mn(n-1)], the maximum is attained when all u are "
    "equal, and the minimum is -mn",
)
def range_1() -> Verdict:
    bounded = chain(
        lambda u: (-u.m * u.n, means(u), u.m * u.n * (u.n - 1)), ("<=", "<="), all_sets()
    )
    ends = chain(
        lambda u: (
            means(Embeddings.hierarchical(u.m, u.n, u.p, *[Fraction(1)] * 3)),
            u.m * u.n * (u.n - 1),
            u.m * u.n * (u.n - 1),
        ),
        ("=", "="),
        random_sets(),
    )
    lowest = on_embeddings(lambda u: (means(widest(u)), -u.m * u.n), "=", random_sets())
    return needs_condition(
        "n >= 2, and d >= 2 or n even, for the minimum",
        both(bounded, ends, lowest),
        not_reached(means, Fraction(-3), 0, "minimum"),
    )


@LEDGER.claim(
    "(A.20)",
    r"c = \frac{1}{p^2} \sum_{i, j \neq j'} \sum_u \sum_v u^\top v = \dots = \frac{1}{p^2} \sum_i "
    r"\|\sum_{u \in U_i} u\|^2 - \frac{1}{p^2} \sum_{i,j} \|\sum_{u \in U_{ij}} u\|^2 \ge 0 - mn",
)
def a20() -> Verdict:
    def lines(u: Embeddings) -> list[Fraction | int]:
        squared = Fraction(1, u.p**2)
        classes = sum(u.sum_ip(u.of_class(i), u.of_class(i)) for i in range(u.m))
        return [
            means(u),
            squared * same(u),
            squared * classes - squared * own(u),
            -u.m * u.n,
        ]

    return chain(lines, ("=", "=", ">="), all_sets())


@LEDGER.claim(
    "Lemma A.1, proof: display before (A.21)",
    r"\|\sum_{u} u\|^2 = \sum_{u,v} u^\top v = \sum_{i,j} \sum_{u,v \in U_{ij}} u^\top v + "
    r"\sum_{i, j \neq j'} \sum_u \sum_v u^\top v + \sum_i \sum_{u \in U_i} "
    r"\sum_{v \in U \setminus U_i} u^\top v",
)
def split() -> Verdict:
    return on_embeddings(lambda u: (total(u), own(u) + same(u) + cross(u)), "=", all_sets())


@LEDGER.claim(
    "(A.21)",
    r"\sum_i \sum_{u \in U_i} \sum_{v \in U \setminus U_i} u^\top v = \|\sum u\|^2 - \dots \ge "
    r"0 - \sum_{i,j} \sum_{u,v \in U_{ij}} 1 - \sum_{i, j \neq j'} \sum_u \sum_v u^\top v",
)
def a21(
    printed: Callable[[Embeddings], Fraction] = lambda u: -u.m * u.n * u.p**2 - same(u),
) -> Verdict:
    return sharp_chain(lambda u: (cross(u), total(u) - own(u) - same(u), printed(u)), ("=", ">="))


@LEDGER.claim("(A.22)", r"the right-hand side of (A.21) is -mnp^2 - p^2 c")
def a22(
    printed: Callable[[Embeddings], Fraction] = lambda u: -u.m * u.n * u.p**2 - u.p**2 * means(u),
) -> Verdict:
    return on_embeddings(lambda u: (0 - u.m * u.n * u.p**2 - same(u), printed(u)), "=", all_sets())


def _with_zero_sum() -> list[Embeddings]:
    """Sets whose sum is zero, with views of an instance that do and do not coincide."""
    pair = [[1], [-1]]
    return [
        Embeddings.from_vectors(2, 2, 2, pair * 4, note="views 1 and -1"),
        Embeddings.from_vectors(2, 2, 1, pair * 2, note="instances 1 and -1"),
    ]


@LEDGER.claim("(A.23)", r"equality in (A.21) holds iff \sum_u u = 0 together with (A.24)")
def a23() -> Verdict:
    def sides(u: Embeddings) -> tuple[int, int]:
        tight = cross(u) == -u.m * u.n * u.p**2 - same(u)
        merged = all(u.ip(a, b) == 1 for a in u.everything for b in u.everything if a[:2] == b[:2])
        return int(tight), int(total(u) == 0 and merged)

    return on_embeddings(sides, "=", (*all_sets(), *_with_zero_sum()))


@LEDGER.claim(
    "(A.24)",
    r"equality in (A.21) holds iff (A.23) together with u^\top v = 1 for all u, v \in U_{ij}",
)
def a24() -> Verdict:
    return a23()


@LEDGER.claim(
    "Lemma A.1, proof: SSEM sums to zero",
    r"\|\sum u^\delta\|^2 = mnp^2 + mn(n-1)p^2 (1 - \delta^2 \frac{mn}{mn-1}) + m(m-1)n^2p^2 "
    r"(-\frac{1}{m-1} + \delta^2 \frac{m(n-1)}{(m-1)(mn-1)}) = 0 for any \delta",
    result="ssem",
)
def zero_sum(
    middle: Expr = m * n * p**2
    + m * n * (n - 1) * p**2 * (1 - delta**2 * m * n / (m * n - 1))
    + m * (m - 1) * n**2 * p**2 * (-1 / (m - 1) + delta**2 * m * (n - 1) / ((m - 1) * (m * n - 1))),
) -> Verdict:
    ssem = results["ssem"]
    counted = (
        m * n * p**2
        + m * n * (n - 1) * p**2 * ssem.same_class
        + m * (m - 1) * n**2 * p**2 * ssem.cross_class
    )
    interval = SHAPE.with_range(delta, between(0, 1), 1)
    within = both(equal(middle, counted, interval), equal(middle, S.Zero, interval))
    one_class = on_embeddings(
        lambda u: (total(u), Fraction(0)), "=", [Embeddings.ssem(1, 2, 1, Fraction(0))]
    )
    return needs_condition("m >= 2", within, one_class, "Definition A.2 admits m = 1")


@LEDGER.claim(
    "Lemma A.1, proof: SSEM satisfies (A.23) and (A.24)",
    r"for any \delta, SSEM fulfils \sum u = 0 and u^\top v = 1 within instances",
)
def ssem_is_tight() -> Verdict:
    return chain(
        lambda u: (total(u), Fraction(0), own(u) - u.m * u.n * u.p**2),
        ("=", "="),
        ssem_sets(),
        note="for m >= 2, as above",
    )


@LEDGER.claim(
    "Lemma A.1, proof: display before (A.25), first line",
    r"-mnp^2 - p^2 = \sum_i \sum_{u \in U_i^\delta} \sum_{v \in U^\delta \setminus U_i^\delta} "
    r"u^\top v",
    result="ssem",
)
def before_a25(printed: Expr = -m * n * p**2 - p**2) -> Verdict:
    on_ssem = m * (m - 1) * n**2 * p**2 * results["ssem"].cross_class
    on = on_ssem.subs(delta, sqrt(at_constraint_1()))
    return equal(printed, on, LEMMA_1, "the factor c is missing: -mnp^2 - p^2 c", at=AT)


@LEDGER.claim(
    "Lemma A.1, proof: display before (A.25), other lines",
    r"\sum_i \sum_u \sum_v u^\top v = m(m-1)n^2p^2 (-\frac{1}{m-1} + \delta^2 "
    r"\frac{m(n-1)}{(m-1)(mn-1)}) = -mn^2p^2 + \delta^2 \frac{m^2n^2(n-1)p^2}{mn-1}",
    result="ssem",
)
def before_a25_rest(
    printed: Expr = -m * n**2 * p**2 + delta**2 * m**2 * n**2 * (n - 1) * p**2 / (m * n - 1),
) -> Verdict:
    on_ssem = m * (m - 1) * n**2 * p**2 * results["ssem"].cross_class
    return equal(printed, on_ssem, SHAPE.with_range(delta, between(0, 1), 1))


@LEDGER.claim(
    "(A.25), first line",
    r"\delta = \sqrt{\frac{mn-1}{m^2n^2(n-1)p^2} (mn(n-1)p^2 - p^2)}",
    result="ssem",
)
def a25_first(
    printed: Expr = sqrt(
        (m * n - 1) / (m**2 * n**2 * (n - 1) * p**2) * (m * n * (n - 1) * p**2 - p**2)
    ),
) -> Verdict:
    return equal_roots(
        printed,
        at_constraint_1(),
        LEMMA_1,
        "the factor c is missing: mn(n-1)p^2 - p^2 c (squares compared)",
        at=AT,
    )


@LEDGER.claim(
    "(A.25)",
    r"\dots = \sqrt{\frac{mn-1}{mn} - \frac{mn-1}{m^2 n^2 (n-1)} c}",
    result="ssem",
)
def a25(printed: Expr = PRINTED_DELTA) -> Verdict:
    return delta_star_1(printed)


@LEDGER.claim(
    "Lemma A.1, proof: uniqueness",
    r"(A.25) is a strictly decreasing function of c \in [-mn, mn(n-1)]",
    result="ssem",
)
def decreasing(printed: Expr = PRINTED_DELTA) -> Verdict:
    # The root is increasing, and positive.
    return both(delta_star_1(printed), holds_positive(-expand(printed**2).diff(c), SHAPE))

"""Appendix A.3, second part: Lemmas A.1 and A.2."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from sympy import Expr, S, Symbol, sqrt

from ...engine.domain import Domain, at_least, between
from ...results import results
from ...symbols import delta, m, n, p
from ..checks import (
    both,
    decided,
    equal,
    holds_positive,
    needs_condition,
    on_embeddings,
)
from ..embeddings import Embeddings
from ..ledger import Verdict
from . import LEDGER
from .sums import (
    all_sets,
    chain,
    cross,
    means,
    norms,
    own,
    random_sets,
    same,
    sign_patterns,
    spread,
    ssem_matching,
    ssem_sets,
    total,
)

c = Symbol("c", real=True)  #: the value at which the lemmas hold their constraint
COUNTS = Domain({m: at_least(2), n: at_least(2), p: at_least(1)}, {m: 2, n: 2, p: 1})
LEMMA_1 = COUNTS.with_range(c, between(-m * n, m * n * (n - 1)), 1)
LEMMA_2 = COUNTS.with_range(c, between(0, 2 * m * n**2), 1)
ROOM = "m >= 2, n >= 2 and d >= mn - 1"
#: Where the lines that lost c are shown to differ.
AT = {"m": 2, "n": 2, "p": 1, "c": 2}


# --- Lemma A.1 ---------------------------------------------------------------------------
def _delta_squared(functional: Callable[[Expr], Expr], value: Expr) -> Expr:
    """Where on SSEM a functional of its same-class inner product, affine in delta**2, has a "
    "value."""
    low, high = (functional(results["ssem"].same_class.subs(delta, e)) for e in (0, 1))
    return (value - low) / (high - low)


def _at_constraint_1() -> Expr:
    return _delta_squared(lambda inner: m * n * (n - 1) * inner, c)


def _at_constraint_2() -> Expr:
    return _delta_squared(lambda inner: m * n * (n - 1) * 2 * (1 - inner), c)


def _values_in_r1(functional: Callable[[Embeddings], Fraction], m: int, n: int) -> list[Fraction]:
    """All values that a functional takes on embeddings in R^1."""
    return sorted({functional(u) for u in sign_patterns(m, n, 1)})


@LEDGER.claim(
    "Lemma A.1",
    r"for every c \in [-mn, mn(n-1)] there is a unique \delta^*(c) \in [0, "
    r"\sqrt{\frac{mn-1}{m(n-1)}}] with U^{\delta^*(c)} \in \arg\min\{\sum_{i} \sum_{u \in U_i} "
    r"\sum_{v \in U \setminus U_i} u^\top v \mid \sum_{i, j \neq j'} E[U_{ij}]^\top E[U_{ij'}] = "
    r"c\}",
)
def lemma_1() -> Verdict:
    def lines(u: Embeddings) -> tuple[Fraction, Fraction, Fraction, Fraction]:
        best = ssem_matching(u, means)
        return cross(best), cross(u), means(best), means(u)

    within = on_embeddings(lambda u: lines(u)[:2], "<=", random_sets())
    meets = on_embeddings(lambda u: lines(u)[2:], "=", random_sets())
    values = _values_in_r1(means, 2, 2)
    without = decided(
        Fraction(1) in values,
        "all 16 embedding sets",
        witness={
            "point": {"m": "2", "n": "2", "p": "1", "d": "1", "c": "1"},
            "printed": "U^delta attains the minimum",
            "derived": f"no U has this c; the values of c are {', '.join(map(str, values))}",
        },
    )
    return needs_condition(
        ROOM,
        both(within, meets),
        without,
        "no condition on d is printed, and for n = 1 the ends of the interval divide by zero",
    )


@LEDGER.claim(
    "Lemma A.1: delta*(c)",
    r"\delta^*(c) = \sqrt{\frac{mn-1}{mn} - \frac{mn-1}{m^2 n^2 (n-1)} c}",
    result="ssem",
)
def delta_star_1(
    printed: Expr = sqrt((m * n - 1) / (m * n) - (m * n - 1) / (m**2 * n**2 * (n - 1)) * c),
) -> Verdict:
    return equal(printed**2, _at_constraint_1(), LEMMA_1)


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
    lowest = on_embeddings(lambda u: (means(_widest(u)), -u.m * u.n), "=", random_sets())
    values = _values_in_r1(means, 1, 3)
    without = decided(
        values[0] == -3,
        "all 8 embedding sets",
        witness={
            "point": {"m": "1", "n": "3", "p": "1", "d": "1"},
            "printed": "minimum -3",
            "derived": f"minimum {values[0]}",
        },
    )
    return needs_condition(
        "n >= 2, and d >= 2 or n even, for the minimum", both(bounded, ends, lowest), without
    )


def _widest(u: Embeddings) -> Embeddings:
    """SSEM with the same counts at the upper end, where same-class embeddings form a simplex."""
    return Embeddings.ssem(u.m, u.n, u.p, Fraction(u.m * u.n - 1, u.m * (u.n - 1)))


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
    return chain(
        lambda u: (cross(u), total(u) - own(u) - same(u), printed(u)), ("=", ">="), all_sets()
    )


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
    interval = COUNTS.with_range(delta, between(0, 1), 1)
    within = both(equal(middle, counted, interval), equal(middle, S.Zero, interval))
    if within.word == "differs":
        return within
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
    on = on_ssem.subs(delta, sqrt(_at_constraint_1()))
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
    return equal(printed, on_ssem, COUNTS.with_range(delta, between(0, 1), 1))


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
    return equal(
        printed**2,
        _at_constraint_1(),
        LEMMA_1,
        "the factor c is missing: mn(n-1)p^2 - p^2 c (squares compared)",
        at=AT,
    )


@LEDGER.claim(
    "(A.25)",
    r"\dots = \sqrt{\frac{mn-1}{mn} - \frac{mn-1}{m^2 n^2 (n-1)} c}",
    result="ssem",
)
def a25() -> Verdict:
    return delta_star_1()


@LEDGER.claim(
    "Lemma A.1, proof: uniqueness",
    r"(A.25) is a strictly decreasing function of c \in [-mn, mn(n-1)]",
    result="ssem",
)
def decreasing() -> Verdict:
    return holds_positive(-_at_constraint_1().diff(c), COUNTS)


# --- Lemma A.2 ---------------------------------------------------------------------------
@LEDGER.claim(
    "Lemma A.2",
    r"for every c \in [0, 2mn^2] there is a unique \delta^*(c) \in "
    r"[0, \sqrt{\frac{mn-1}{mn(n-1)}}] with (A.26)",
    result="ssem",
)
def lemma_2(printed_end: Expr = sqrt((m * n - 1) / (m * n * (n - 1)))) -> Verdict:
    # delta grows with c, so the interval must reach the delta of the largest c.
    needed = _at_constraint_2().subs(c, 2 * m * n**2)
    return equal(
        printed_end**2,
        needed,
        COUNTS,
        "c = 2mn^2 needs delta^2 = (mn-1)/(m(n-1)), outside the interval printed here; its end "
        "should be sqrt((mn-1)/(m(n-1))), as in Lemma A.1 and in the proof (squares compared)",
    )


@LEDGER.claim(
    "(A.26)",
    r"U^{\delta^*(c)} \in \arg\max\{\sum_{i, j \neq j'} E[U_{ij}]^\top E[U_{ij'}] \mid "
    r"\sum_{i, j \neq j'} \|E[U_{ij}] - E[U_{ij'}]\|^2 = c\} for a unique \delta^*(c) \in "
    r"[0, \sqrt{\frac{mn-1}{m(n-1)}}]",
)
def a26() -> Verdict:
    def lines(u: Embeddings) -> tuple[Fraction, Fraction, Fraction, Fraction]:
        best = ssem_matching(u, spread)
        return means(best), means(u), spread(best), spread(u)

    within = on_embeddings(lambda u: lines(u)[:2], ">=", random_sets())
    meets = on_embeddings(lambda u: lines(u)[2:], "=", random_sets())
    values = _values_in_r1(spread, 2, 2)
    without = decided(
        Fraction(4) in values,
        "all 16 embedding sets",
        witness={
            "point": {"m": "2", "n": "2", "p": "1", "d": "1", "c": "4"},
            "printed": "U^delta attains the maximum",
            "derived": f"no U has this c; the values of c are {', '.join(map(str, values))}",
        },
    )
    return needs_condition(
        ROOM,
        both(within, meets),
        without,
        "with delta up to the end of Lemma A.1's interval; no condition on d is printed",
    )


OUTSIDE_THE_ROOT = "the factor c belongs under the root (squares compared)"


@LEDGER.claim(
    "Lemma A.2: delta*(c)",
    r"\delta^*(c) = \sqrt{\frac{mn-1}{2m^2n^2(n-1)}} \cdot c",
    result="ssem",
)
def delta_star_2(
    printed: Expr = sqrt((m * n - 1) / (2 * m**2 * n**2 * (n - 1))) * c,
) -> Verdict:
    return equal(printed**2, _at_constraint_2(), LEMMA_2, OUTSIDE_THE_ROOT)


@LEDGER.claim(
    "Lemma A.2, proof: range of c",
    "the possible values of c lie in [0, 2mn^2], and the maximum 2mn^2 is attained",
)
def range_2() -> Verdict:
    bounded = chain(lambda u: (0, spread(u), 2 * u.m * u.n**2), ("<=", "<="), all_sets())
    highest = on_embeddings(lambda u: (spread(_widest(u)), 2 * u.m * u.n**2), "=", random_sets())
    values = _values_in_r1(spread, 1, 3)
    without = decided(
        values[-1] == 18,
        "all 8 embedding sets",
        witness={
            "point": {"m": "1", "n": "3", "p": "1", "d": "1"},
            "printed": "maximum 18",
            "derived": f"maximum {values[-1]}",
        },
    )
    return needs_condition(
        "n >= 2, and d >= 2 or n even, for the maximum", both(bounded, highest), without
    )


@LEDGER.claim(
    "(A.27)",
    r"c = 2(n-1) \sum_{i,j} \|E[U_{ij}]\|^2 - 2 \sum_{i, j \neq j'} E[U_{ij}]^\top E[U_{ij'}] "
    r"= \dots = 2n \sum_{i,j} \|E[U_{ij}]\|^2 - 2 \sum_i \|\sum_j E[U_{ij}]\|^2 \le 2mn^2",
)
def a27() -> Verdict:
    def lines(u: Embeddings) -> list[Fraction | int]:
        # sum_j E[U_ij] is the sum over U_i divided by p
        classes = sum(
            (u.sum_ip(u.of_class(i), u.of_class(i)) / u.p**2 for i in range(u.m)), Fraction(0)
        )
        return [
            spread(u),
            2 * (u.n - 1) * norms(u) - 2 * means(u),
            2 * (u.n - 1) * norms(u) - 2 * (classes - norms(u)),
            2 * u.n * norms(u) - 2 * classes,
            2 * u.n * (u.m * u.n) - 0,
            2 * u.m * u.n**2,
        ]

    return chain(lines, ("=", "=", "=", "<=", "="), all_sets())


@LEDGER.claim(
    "Lemma A.2, proof: norm of a mean",
    r"\|E[U_{ij}]\|^2 = \|\frac1p \sum_u u\|^2 \le \frac1p \sum_u \|u\|^2 = 1",
)
def mean_norm() -> Verdict:
    def largest(u: Embeddings) -> Fraction:
        sets = [u.of_instance(i, j) for i in range(u.m) for j in range(u.n)]
        return max(u.mean_ip(s, s) for s in sets)

    return on_embeddings(lambda u: (largest(u), 1), "<=", all_sets())


@LEDGER.claim(
    "(A.28)",
    r"c = 2(n-1) \sum_{i,j} \|E[U_{ij}]\|^2 - 2 \sum E[U_{ij}]^\top E[U_{ij'}] "
    r"\le 2mn(n-1) - 2 \sum_{i, j \neq j'} E[U_{ij}]^\top E[U_{ij'}]",
)
def a28() -> Verdict:
    return chain(
        lambda u: (
            spread(u),
            2 * (u.n - 1) * norms(u) - 2 * means(u),
            2 * u.m * u.n * (u.n - 1) - 2 * means(u),
        ),
        ("=", "<="),
        all_sets(),
    )


@LEDGER.claim("(A.29)", r"\sum_{i, j \neq j'} E[U_{ij}]^\top E[U_{ij'}] \le mn(n-1) - \frac{c}{2}")
def a29(
    printed: Callable[[Embeddings], Fraction] = lambda u: u.m * u.n * (u.n - 1) - spread(u) / 2,
) -> Verdict:
    return on_embeddings(lambda u: (means(u), printed(u)), "<=", all_sets())


@LEDGER.claim(
    "(A.28): equality condition", r"equality in (A.28) holds iff \|E[U_{ij}]\|^2 = 1 for all i, j"
)
def a28_equality() -> Verdict:
    def sides(u: Embeddings) -> tuple[int, int]:
        tight = spread(u) == 2 * u.m * u.n * (u.n - 1) - 2 * means(u)
        return int(tight), int(norms(u) == u.m * u.n)

    within = on_embeddings(sides, "=", all_sets())
    single = Embeddings.from_vectors(2, 1, 2, [[1], [-1]] * 2, note="views 1 and -1")
    return needs_condition("n >= 2", within, on_embeddings(sides, "=", [single]))


@LEDGER.claim(
    "Lemma A.2, proof: SSEM has means of norm one",
    r"\|E[U_{ij}^\delta]\|^2 = \frac{1}{p^2} \sum_{u,v \in U_{ij}^\delta} u^\top v = 1",
)
def ssem_means() -> Verdict:
    return on_embeddings(lambda u: (norms(u), Fraction(u.m * u.n)), "=", ssem_sets())


@LEDGER.claim(
    "Lemma A.2, proof: display before (A.30)",
    r"mn(n-1)p^2 - \frac{cp^2}{2} = \dots = mn(n-1)p^2 (1 - \delta^2 \frac{mn}{mn-1}) "
    r"= mn(n-1)p^2 - \delta^2 \frac{m^2n^2(n-1)p^2}{mn-1}",
    result="ssem",
)
def before_a30(
    first: Expr = m * n * (n - 1) * p**2 - c * p**2 / 2,
    last: Expr = m * n * (n - 1) * p**2 - delta**2 * m**2 * n**2 * (n - 1) * p**2 / (m * n - 1),
) -> Verdict:
    on_ssem = m * n * (n - 1) * p**2 * results["ssem"].same_class
    at = {delta: sqrt(_at_constraint_2())}
    return both(
        equal(first, on_ssem.subs(at), LEMMA_2),
        equal(last, on_ssem, COUNTS.with_range(delta, between(0, 1), 1)),
    )


@LEDGER.claim("(A.30)", r"\delta = \sqrt{\frac{mn-1}{2m^2n^2(n-1)}} \cdot c", result="ssem")
def a30() -> Verdict:
    return delta_star_2()


@LEDGER.claim(
    "Lemma A.2, proof: uniqueness",
    r"(A.30) is a strictly increasing function of c \in [0, 2mn^2]",
    result="ssem",
)
def increasing() -> Verdict:
    return holds_positive(_at_constraint_2().diff(c), COUNTS, "with c under the root or outside it")

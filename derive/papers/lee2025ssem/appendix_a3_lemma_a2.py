"""Appendix A.3: Lemma A.2."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from sympy import Expr, sqrt

from ...decide.domain import Range, between
from ...optimum.segment import delta
from ...results import results
from ...structures.hierarchy import m, n, p
from ...vectors.embeddings import Embeddings
from ..checks import both, equal, equal_roots, holds_positive, needs_condition, on_embeddings
from ..verdict import Verdict
from . import LEDGER
from ._domains import SHAPE
from ._lemmas import (
    LEMMA_2,
    ROOM,
    at_constraint_2,
    best_on_ssem,
    c,
    not_attained,
    not_reached,
    widest,
)
from ._sums import all_sets, chain, means, norms, random_sets, sharp_chain, spread, ssem_sets


@LEDGER.claim(
    "Lemma A.2",
    r"for every c \in [0, 2mn^2] there is a unique \delta^*(c) \in "
    r"[0, \sqrt{\frac{mn-1}{mn(n-1)}}] with (A.26)",
    result="ssem",
)
def lemma_2(printed_end: Expr = sqrt((m * n - 1) / (m * n * (n - 1)))) -> Verdict:
    # delta grows with c, so the interval must reach the delta of the largest c.
    needed = at_constraint_2().subs(c, 2 * m * n**2)
    return equal_roots(
        printed_end,
        needed,
        SHAPE,
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
    return needs_condition(
        ROOM,
        best_on_ssem(means, spread, ">="),
        not_attained(spread, Fraction(4), "maximum"),
        "with delta up to the end of Lemma A.1's interval; no condition on d is printed",
    )


OUTSIDE_THE_ROOT = "the factor c belongs under the root (squares compared)"


#: delta*(c), in the lemma and in (A.30).
PRINTED_DELTA = sqrt((m * n - 1) / (2 * m**2 * n**2 * (n - 1))) * c


@LEDGER.claim(
    "Lemma A.2: delta*(c)",
    r"\delta^*(c) = \sqrt{\frac{mn-1}{2m^2n^2(n-1)}} \cdot c",
    result="ssem",
)
def delta_star_2(printed: Expr = PRINTED_DELTA) -> Verdict:
    return equal_roots(printed, at_constraint_2(), LEMMA_2, OUTSIDE_THE_ROOT)


@LEDGER.claim(
    "Lemma A.2, proof: range of c",
    "the possible values of c lie in [0, 2mn^2], and the maximum 2mn^2 is attained",
)
def range_2() -> Verdict:
    bounded = chain(lambda u: (0, spread(u), 2 * u.m * u.n**2), ("<=", "<="), all_sets())
    highest = on_embeddings(lambda u: (spread(widest(u)), 2 * u.m * u.n**2), "=", random_sets())
    return needs_condition(
        "n >= 2, and d >= 2 or n even, for the maximum",
        both(bounded, highest),
        not_reached(spread, Fraction(18), -1, "maximum"),
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
    return sharp_chain(lambda u: (means(u), printed(u)), ("<=",))


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
    at = {delta: sqrt(at_constraint_2())}
    return both(
        equal(first, on_ssem.subs(at), LEMMA_2),
        equal(last, on_ssem, SHAPE.with_range(delta, between(0, 1), 1)),
    )


@LEDGER.claim("(A.30)", r"\delta = \sqrt{\frac{mn-1}{2m^2n^2(n-1)}} \cdot c", result="ssem")
def a30(printed: Expr = PRINTED_DELTA) -> Verdict:
    return delta_star_2(printed)


@LEDGER.claim(
    "Lemma A.2, proof: uniqueness",
    r"(A.30) is a strictly increasing function of c \in [0, 2mn^2]",
    result="ssem",
)
def increasing(printed: Expr = PRINTED_DELTA) -> Verdict:
    # Of something positive, the square increases iff it does.
    where = LEMMA_2.with_range(c, Range(), 1)
    return both(
        *(holds_positive((root**2).diff(c), where) for root in (printed, sqrt(at_constraint_2())))
    ).with_note("with c under the root or outside it")

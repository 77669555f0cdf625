"""Appendix A.2: the SSEM for p views, its order of similarities and its variances."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from sympy import Expr, S

from ...decide.domain import between
from ...losses.supcl import EVERYTHING, OWN_CLASS
from ...optimum.segment import delta
from ...results import results
from ...structures.hierarchy import hierarchy, m, n, p
from ...vectors.embeddings import Embeddings
from ..checks import (
    all_equal,
    both,
    first_difference,
    holds_positive,
    needs_condition,
    on_embeddings,
)
from ..verdict import Verdict
from . import LEDGER
from ._domains import SHAPE, SHAPE_DELTA
from ._ssem import (
    exact_ssem,
    interval,
    on_ssem,
    order,
    printed_cross,
    printed_interval,
    printed_same,
    printed_variances,
    ssem_domain,
    variances_of_ssem,
)

UP_TO_ONE = SHAPE.with_range(delta, between(0, 1), 1)


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

"""Section 5.1: the variances of the SSEM."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from sympy import Expr, Integer, S

from ...losses.supcl import SUPCL
from ...results import results
from ...results.classes.variance_bound import radius
from ...vectors.embeddings import Embeddings, assorted, combine, mean, total
from ..checks import both, decided, equal, needs_condition, on_embeddings
from ..evaluate import value
from ..ledger import Verdict
from . import LEDGER
from ._domains import HALF, SHAPE
from ._ssem import exact_ssem, on_ssem, printed_variances, variances_of_ssem
from ._sums import sign_patterns


def printed_within(u: Embeddings, i: int) -> Fraction:
    """Var[U_i] as printed in (12)."""
    own = u.of_class(i)
    centre = combine((Fraction(1, u.n), total(own)))
    return Fraction(1, u.n) * sum(u.sq_dist({a: Fraction(1)}, centre) for a in own)


def printed_between(u: Embeddings) -> Fraction:
    """Var^Btwn[U] as printed in (13)."""
    centres = [combine((Fraction(1, u.n), total(u.of_class(i)))) for i in range(u.m)]
    return Fraction(1, u.m) * sum((u.sq_dist(c, mean(u.everything)) for c in centres), Fraction(0))


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
    shared = crossed.sq_dist(mean(crossed.of_class(0)), mean(crossed.of_class(1)))
    return decided(
        crossed.between_variance() == shared == 0 and crossed.distinct() == 4,
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

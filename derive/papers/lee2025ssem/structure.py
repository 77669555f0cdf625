"""Appendix A.2: the SSEM for p views, its order of similarities, variances and existence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache

from sympy import Dummy, Expr, Integer, S, expand, oo, sqrt

from ...engine.domain import Range
from ...losses.supcl import EVERYTHING, OWN_CLASS
from ...results import results
from ...structures.hierarchy import hierarchy
from ...symbols import delta, m, n, p
from ..checks import (
    all_equal,
    both,
    differs_at,
    equal,
    first_difference,
    holds_positive,
    needs_condition,
    on_embeddings,
)
from ..embeddings import Embeddings, total
from ..ledger import Verdict
from . import LEDGER
from .main import (
    ETF,
    SIGNS,
    built,
    exact_ssem,
    interval,
    on_ssem,
    order,
    printed_cross,
    printed_h,
    printed_same,
    products,
    variances_of_ssem,
)

#: A value of h(delta) that nothing is assumed of.
H = Dummy("h", real=True)


# --- Definition A.2 --------------------------------------------------------------------------
@LEDGER.claim(
    "Definition A.2",
    r"SSEM for positive integers m, n, p and "
    r"\delta \in [0, \sqrt{\frac{mn-1}{m(n-1)}}], as a set of mnp vectors",
    result="ssem",
)
def definition_a2() -> Verdict:
    return interval()


@LEDGER.claim("(A.2)", r"u \cdot v = 1 for u, v \in U_{i,j}", result="ssem")
def equation_a2(printed: Fraction = Fraction(1)) -> Verdict:
    def sides(u: Embeddings) -> tuple[Fraction, Fraction]:
        views = u.of_instance(0, 0)
        return first_difference([printed] + [u.ip(a, b) for a in views for b in views])

    return on_embeddings(
        sides, "=", exact_ssem(), note="the views coincide: at most mn of the mnp are distinct"
    )


@LEDGER.claim(
    "(A.3)",
    r"u \cdot v = 1 - \delta^2 \frac{mn}{mn-1} for u \in U_{i,j}, v \in U_{i,j'}",
    result="ssem",
)
def equation_a3(printed: Expr = printed_same) -> Verdict:
    return on_ssem(printed, results["ssem"].same_class)


@LEDGER.claim(
    "(A.4)",
    r"u \cdot v = -\frac{1}{m-1} + \delta^2 \frac{m(n-1)}{(m-1)(mn-1)} "
    r"for u \in U_i, v \in U_{i'}",
    result="ssem",
)
def equation_a4(printed: Expr = printed_cross) -> Verdict:
    return on_ssem(printed, results["ssem"].cross_class)


# --- Proposition A.3 -------------------------------------------------------------------------
@LEDGER.claim(
    "Proposition A.3",
    r"for all i \ne i', u, v \in U_i, w \in U_{i'}: (A.5) holds iff \delta \in [0, 1]",
    result="ssem",
)
def proposition_a3(edge: Expr = S.One) -> Verdict:
    return order(edge)


@LEDGER.claim("(A.5)", r"u \cdot v \ge u \cdot w when \delta \in [0, 1]", result="ssem")
def equation_a5() -> Verdict:
    own, other = results["ssem"].same_class, results["ssem"].cross_class
    close = interval_domain_to_one()
    return both(
        holds_positive(own - other, close, strict=False),
        holds_positive(1 - other, close, strict=False),
    )


def interval_domain_to_one():  # type: ignore[no-untyped-def]
    """0 <= delta <= 1."""
    from ...engine.domain import between
    from .main import SHAPE

    return SHAPE.with_range(delta, between(0, 1), 1)


@LEDGER.claim(
    "Proposition A.3, proof: cases",
    r"u \cdot v \in \{1, 1 - \delta^2\frac{mn}{mn-1}\} \ge 1 - \delta^2\frac{mn}{mn-1}, "
    r"u \cdot w = -\frac{1}{m-1} + \delta^2\frac{m(n-1)}{(m-1)(mn-1)}",
    result="ssem",
)
def proposition_a3_cases(own: Expr = printed_same, other: Expr = printed_cross) -> Verdict:
    return both(
        on_ssem(own, results["ssem"].same_class),
        on_ssem(other, results["ssem"].cross_class),
        on_ssem(own, results["ssem"].same_class, at_most=S.One),
    )

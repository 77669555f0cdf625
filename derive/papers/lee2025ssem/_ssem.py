"""The SSEM as printed, and the questions that the main text and the appendix both put to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from sympy import Expr, S, expand, sqrt

from ...decide.domain import Domain, between
from ...decide.present import tidy
from ...optimum.segment import delta
from ...results import results
from ...structures.hierarchy import m, n
from ...vectors.embeddings import Embeddings
from ..checks import (
    both,
    equal,
    equal_roots,
    holds_positive,
    needs_condition,
    on_embeddings,
    undefined_at,
)
from ..verdict import Verdict
from ._domains import HALF, SHAPE, SHAPE_DELTA

printed_interval = sqrt((m * n - 1) / (m * (n - 1)))
printed_same = 1 - delta**2 * m * n / (m * n - 1)
printed_cross = -1 / (m - 1) + delta**2 * m * (n - 1) / ((m - 1) * (m * n - 1))
printed_variances = (
    delta**2 * m * (n - 1) / (m * n - 1),
    1 - delta**2 * m * (n - 1) / (m * n - 1),
)


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


def on_ssem(printed: Expr, derived: Expr) -> Verdict:
    """Compare expressions in delta on its interval."""
    return equal(printed, derived, ssem_domain())


def interval(printed: Expr = printed_interval) -> Verdict:
    """Whether delta may be as large as printed, and where that says nothing."""
    within = equal_roots(printed, results["ssem"].delta_max ** 2, SHAPE)
    return needs_condition(
        "n >= 2",
        within,
        lambda: undefined_at({"m": 2, "n": 1}, lambda: printed.subs({m: 2, n: 1})),
        "for n = 1 all delta give the same set",
    )


def order(edge: Expr) -> Verdict:
    """Same-class similarity minus cross-class similarity has the sign of edge - delta."""
    difference = results["ssem"].same_class - results["ssem"].cross_class
    within = holds_positive(tidy(difference / (edge**2 - delta**2)), SHAPE_DELTA)
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


def variances_of_ssem(printed: tuple[Expr, Expr]) -> Verdict:
    """Both variances of the SSEM, and their sum."""
    within = both(
        on_ssem(printed[0], results["ssem"].within_class_variance),
        on_ssem(printed[1], results["ssem"].between_class_variance),
        on_ssem(printed[0] + printed[1], S.One),
    )

    def sides(u: Embeddings) -> tuple[Fraction, Fraction]:
        here = printed[1].subs({m: u.m, n: u.n, delta: 0})
        return Fraction(int(here.p), int(here.q)), u.between_variance()

    return needs_condition(
        "m >= 2",
        within,
        on_embeddings(sides, "=", [Embeddings.ssem(1, 2, 1, Fraction(0))]),
        "one class has no between-class variance, so the sum is delta**2 for m = 1",
    )


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

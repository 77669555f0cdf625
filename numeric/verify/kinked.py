"""Checks of a loss with kinks, where Newton's method has no second derivative to go by.

Averaging over the symmetries of the problem does not raise a convex loss, so its least value
over all unit embeddings is that over invariant Gram matrices. Those are mixtures of one
projection per eigenspace, with shares that are >= 0 and sum to one; as the loss sees two
inner products alone, what is left is a sum of two convex functions on a polygon. Its least value is
found by comparing values, at kinks too: neither slopes nor the segment that the theory finds are
used. It must be the derived loss, and the loss of the derived inner products.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

from mpmath import mp, mpf
from sympy import Add, Expr, lambdify

from ...derive.decide.domain import DomainError
from ...derive.decide.exact import exact
from ...derive.losses.pairwise import PairwiseLoss, c
from ...derive.theorem.number import as_float
from .case import Case
from .checks import CLOSE_LOSS, Check

#: A function of an inner product, of and to mpmath numbers.
Function = Callable[[Any], Any]
#: The two inner products of a corner of the polygon.
Corner = tuple[Any, Any]

#: Digits of values, and thirds that an interval is cut down by: to less than these digits.
DIGITS, THIRDS = 30, 200


def checks(case: Case) -> Iterator[Check]:
    """Compare what was derived with the least loss, kinks or not."""
    (result,) = case.predictions(case.base)
    known = case.known(result, case.base)
    where, stop = case.where(case.base), "over invariant Gram matrices"
    counts, functions = case.arrangement.counts, _functions(case)
    with mp.workdps(DIGITS):
        corners = [
            tuple(mpf(row[r]) / counts[r] for r in functions)
            for row in case.arrangement.table.values()
        ]
        first, second = functions.values()
        least = float(least_of(first, second, corners))
        products = [f(mpf(result.value(r, **known))) for r, f in functions.items()]
    for what, predicted in (
        ("loss", as_float(result.value("loss", **known))),
        ("loss of the derived inner products", float(sum(products))),
    ):
        yield Check(what, where, predicted, least, CLOSE_LOSS, stop=stop)


def _functions(case: Case) -> dict[str, Function]:
    """What the loss is of the inner product of each relation, of which there are two."""
    loss, counts = case.problem.loss, case.arrangement.counts
    assert isinstance(loss, PairwiseLoss)
    at = {**case.arrangement.sizes, **case.base}
    terms: dict[str, list[Expr]] = {}
    for k in loss.terms:
        if counts[k.relation]:
            e = counts[k.relation] * k.weight * k.function
            put = {s: exact(at[s.name]) for s in e.free_symbols - {c}}
            terms.setdefault(k.relation, []).append(e.xreplace(put))
    if len(terms) != 2:
        raise DomainError(
            "a loss with kinks is checked only if it depends on two relations, not on "
            f"{', '.join(terms) or 'none'}"
        )
    return {r: lambdify([c], Add(*parts), "mpmath") for r, parts in terms.items()}


def least_of(first: Function, second: Function, corners: Sequence[Corner]) -> Any:
    """The least value of ``first(g) + second(h)``, convex, over a polygon with these corners."""
    lowest, highest = (end(h for _, h in corners) for end in (min, max))
    wanted = lowest_at(second, lowest, highest)

    def best(g: Any) -> Any:
        """Least beside a first inner product: with the second one as near as it may be."""
        low, high = _slice(corners, g)
        return first(g) + second(min(max(wanted, low), high))

    return best(lowest_at(best, min(g for g, _ in corners), max(g for g, _ in corners)))


def _slice(corners: Sequence[Corner], g: Any) -> Corner:
    """Ends of the polygon's slice: each is on a line between two corners."""
    found = []
    for (p, n), (q, m) in combinations(corners, 2):
        if p == q == g:
            found += [n, m]
        elif p != q and min(p, q) <= g <= max(p, q):
            found.append(n + (m - n) * (g - p) / (q - p))
    return min(found), max(found)


def lowest_at(f: Function, low: Any, high: Any) -> Any:
    """Where a convex function is least on an interval; an end if that is no worse."""
    a, b = low, high
    for _ in range(THIRDS):
        third = (b - a) / 3
        a, b = (a, b - third) if f(a + third) <= f(b - third) else (a + third, b)
    return min((low, high, (a + b) / 2), key=f)

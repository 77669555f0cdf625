"""Checks of a loss with kinks, where Newton's method has no second derivative to go by.

Averaging over the symmetries of the problem does not raise a convex loss, so its least value
over all unit embeddings is that over invariant Gram matrices. Those are mixtures of one
projection per eigenspace, with shares that are >= 0 and sum to one; as the loss sees two
inner products alone, what is left is a sum of two convex functions on a polygon. Golden sections
find its minimum, at kinks too, from values alone: neither slopes nor the segment that the
theory finds are used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

import mpmath
from sympy import Add, Expr, Integer, lambdify

from ...derive.decide.domain import DomainError
from ...derive.decide.exact import exact
from ...derive.losses.pairwise import PairwiseLoss, c
from ...derive.problems.problem import Problem
from ...derive.structures.arrangement import Arrangement
from ...derive.theorem.measure import LOSS, Reading, product
from .case import Case
from .checks import CLOSE, CLOSE_LOSS, Check
from .readings import evaluate, is_readable

#: A function of an inner product, of and to mpmath numbers.
Function = Callable[[Any], Any]
#: The two inner products of a corner of the polygon, exactly.
Corner = tuple[Fraction, Fraction]

# Losses this close to the least one count as least: a curvature of k then leaves inner
# products open by sqrt(2e-30/k), and a plateau shows as what it is.
_LEAST = "1e-30"
# Golden sections end at this width, so that what they miss is far less than that.
_WIDTH = "1e-34"
# The ends of a plateau are located to this.
_ENDS = "1e-12"


class InvariantOptimum(NamedTuple):
    """The least loss of invariant Gram matrices, and the inner products that attain it.

    ``first`` and ``first_last`` are the largest and the least inner product, in the first
    relation, of an optimum; ``second`` is the least one in the second relation, of an optimum
    with the largest first one.
    """

    loss: float
    first: float
    first_last: float
    second: float
    relations: tuple[str, str]


def checks(of: Case) -> list[Check]:
    """Compare what was derived with the least loss, kinks or not.

    Where several positions are optimal, the prediction is meant to be the one nearest to the
    start of the segment, and a reading that says so the last one; without such a reading it
    claims to be the only one.
    """
    (result,) = of.predictions(of.base)
    known = of.known(result, of.base)
    predicted = {
        name: (float(result.value(name, **known)), measure)
        for name, measure in result.measures().items()
        if isinstance(measure, Reading) and measure.through is None
    }
    found = least(of.problem, of.arrangement, of.base)
    return compared(found, predicted, of.arrangement, of.where(of.base))


def compared(
    found: InvariantOptimum,
    predicted: Mapping[str, tuple[float, Reading]],
    arrangement: Arrangement,
    where: str,
) -> list[Check]:
    """A check for every reading, and one that there is no other optimum than those derived."""
    first, second = (product(r) for r in found.relations)
    numbers = {**arrangement.sizes, LOSS.name: found.loss, second.name: found.second}
    numbers, last = ({**numbers, first.name: x} for x in (found.first, found.first_last))
    seen = [
        (name, value, evaluate(of.of, last if of.last else numbers)[0], of.of.has(LOSS))
        for name, (value, of) in predicted.items()
        if is_readable(of.of, numbers)
    ]
    if not any(of.last for _, of in predicted.values()):
        own = next(value for value, of in predicted.values() if of.of == first)
        seen.append((f"{found.relations[0]}, that of every optimum", own, found.first_last, False))
    stop = "over invariant Gram matrices"
    return [
        Check(name, where, value, float(x), CLOSE_LOSS if of_loss else CLOSE, stop=stop)
        for name, value, x, of_loss in seen
    ]


def least(
    problem: Problem, arrangement: Arrangement, values: Mapping[str, Any]
) -> InvariantOptimum:
    """The least loss of a pairwise loss that feels at most two relations.

    Raises
    ------
    DomainError
        If it feels more of them.
    """
    loss, counts = problem.loss, arrangement.counts
    assert isinstance(loss, PairwiseLoss)
    put_in = {
        s: exact(values[s.name]) if s.name in values else Integer(arrangement.sizes[s.name])
        for k in loss.terms
        for s in (k.function.free_symbols | k.weight.free_symbols) - {c}
    }
    felt = [r for r in dict.fromkeys(k.relation for k in loss.terms) if counts[r]]
    if len(felt) != 2:
        raise DomainError(
            "a loss with kinks is checked only if it depends on two relations, not on "
            f"{', '.join(felt) or 'none'}"
        )

    def function(relation: str) -> Function:
        terms: list[Expr] = [
            counts[relation] * (k.weight * k.function).xreplace(put_in)
            for k in loss.terms
            if k.relation == relation
        ]
        compiled: Function = lambdify([c], Add(*terms), "mpmath")
        return compiled

    first, second = felt
    corners = [
        (Fraction(row[first], counts[first]), Fraction(row[second], counts[second]))
        for row in arrangement.table.values()
    ]
    return least_invariant(function(first), function(second), corners, (first, second))


def least_invariant(
    first: Function,
    second: Function,
    polygon: Sequence[Corner],
    relations: tuple[str, str] = ("first", "second"),
) -> InvariantOptimum:
    """Minimise ``first(g) + second(h)`` over a polygon, given its corners ``(g, h)``.

    The functions are convex on [-1, 1], smooth or not; corners are where one eigenspace has
    everything.
    """
    scale = max([1.0, *(abs(first(g) + second(h)) for g, h in _numbers(polygon))])
    digits = int(mpmath.ceil(mpmath.log10(scale))) if mpmath.isfinite(scale) else 0
    with mpmath.workdps(48 + digits):
        corners = _numbers(polygon)
        width = mpmath.mpf(_WIDTH) / mpmath.mpf(10) ** digits
        (bottom, top), (lowest, highest) = ((min(x), max(x)) for x in zip(*corners, strict=True))
        wanted = golden(second, lowest, highest, width)

        def partner(g: Any) -> Any:
            """The second inner product that is best beside a first one: the nearest possible."""
            low, high = _slice(corners, g)
            return min(max(wanted, low), high)

        def best(g: Any) -> Any:
            """Least loss with this first inner product."""
            return first(g) + second(partner(g))

        found = golden(best, bottom, top, width)
        value = best(found)
        enough = value + mpmath.mpf(_LEAST) * max(1, abs(value))
        near, far = (_last(lambda g: best(g) <= enough, found, end) for end in (top, bottom))
        limit = second(partner(near)) + enough - value
        last = _last(lambda h: second(h) <= limit, partner(near), _slice(corners, near)[0])
        return InvariantOptimum(float(value), float(near), float(far), float(last), relations)


def _numbers(polygon: Sequence[Corner]) -> list[tuple[Any, Any]]:
    return [
        (mpmath.mpf(g.numerator) / g.denominator, mpmath.mpf(h.numerator) / h.denominator)
        for g, h in polygon
    ]


def _slice(corners: Sequence[tuple[Any, Any]], positive: Any) -> tuple[Any, Any]:
    """Ends of the polygon's slice: each is on a line between two corners."""
    found = []
    for (p, n), (q, m) in combinations(corners, 2):
        if p == q == positive:
            found += [n, m]
        elif p != q and min(p, q) <= positive <= max(p, q):
            found.append(n + (m - n) * (positive - p) / (q - p))
    return min(found), max(found)


def golden(f: Function, low: Any, high: Any, width: Any) -> Any:
    """Where a convex function is least on an interval, to a width; an end if that is no worse."""
    ratio = (mpmath.sqrt(5) - 1) / 2
    a, b = low, high
    c, d = b - ratio * (b - a), a + ratio * (b - a)
    fc, fd = f(c), f(d)
    while b - a > width:
        if fc < fd:
            b, d, fd = d, c, fc
            c = b - ratio * (b - a)
            fc = f(c)
        else:
            a, c, fc = c, d, fd
            d = a + ratio * (b - a)
            fd = f(d)
    return min((low, high, (a + b) / 2), key=f)


def _last(holds: Callable[[Any], bool], inside: Any, end: Any) -> Any:
    """Farthest point towards ``end`` where what holds ``inside`` still does, by bisection."""
    if holds(end):
        return end
    outside = end
    while abs(outside - inside) > mpmath.mpf(_ENDS):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return inside

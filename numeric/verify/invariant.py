"""Least pairwise loss over all invariant Gram matrices, without derivatives.

Averaging over the symmetries of the problem does not raise a convex loss, so its least value
over all unit embeddings is that over invariant Gram matrices. Those are mixtures of one
projection per eigenspace, with shares that are >= 0 and sum to one; as the loss sees two
inner products alone, what is left is a convex function on a polygon. Nested golden sections
find its minimum, at kinks too, from values alone: neither slopes nor the segment that the
theory finds are used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import mpmath

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


@dataclass(frozen=True)
class InvariantOptimum:
    """The least loss of invariant Gram matrices, and the inner products that attain it.

    Attributes
    ----------
    loss
        The least loss.
    first, first_last
        Largest and least inner product, in the first relation, of an optimum; equal when it is
        unique.
    second
        Least inner product, in the second one, of an optimum with the largest first one.
    relations
        Their names.
    """

    loss: float
    first: float
    first_last: float
    second: float
    relations: tuple[str, str]


def least_invariant(
    first: Function,
    second: Function,
    polygon: Sequence[Corner],
    relations: tuple[str, str] = ("first", "second"),
) -> InvariantOptimum:
    """Minimise ``first(g) + second(h)`` over a polygon, given its corners ``(g, h)``.

    Parameters
    ----------
    first, second
        Convex functions on [-1, 1], smooth or not, of mpmath numbers.
    polygon
        The inner products where one eigenspace has everything.
    relations
        What the two inner products are those of.
    """
    scale = max([1.0, *(abs(first(g) + second(h)) for g, h in _numbers(polygon))])
    digits = int(mpmath.ceil(mpmath.log10(scale))) if mpmath.isfinite(scale) else 0
    with mpmath.workdps(48 + digits):
        corners = _numbers(polygon)
        width = mpmath.mpf(_WIDTH) / mpmath.mpf(10) ** digits

        def best(g: Any) -> Any:
            """Least loss with this first inner product."""
            return first(g) + second(_golden_or_end(second, *_slice(corners, g), width))

        top, bottom = max(g for g, _ in corners), min(g for g, _ in corners)
        found = golden(best, bottom, top, width)
        least = best(found)
        enough = least + mpmath.mpf(_LEAST) * max(1, abs(least))
        near = _last(lambda g: best(g) <= enough, found, top)
        far = _last(lambda g: best(g) <= enough, found, bottom)
        low, high = _slice(corners, near)
        middle = _golden_or_end(second, low, high, width)
        slack = enough - least
        last = _last(lambda h: second(h) <= second(middle) + slack, middle, low)
        return InvariantOptimum(float(least), float(near), float(far), float(last), relations)


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


def _golden_or_end(f: Function, low: Any, high: Any, width: Any) -> Any:
    """The same for a function without errors of its own: ends are recognised at once."""
    for end, inwards in ((low, width), (high, -width)):
        # A convex function that does not fall next to an end is least there.
        if high - low <= width or f(end) <= f(end + inwards):
            return end
    return golden(f, low, high, width)


def _last(holds: Callable[[Any], bool], inside: Any, end: Any) -> Any:
    """Farthest point towards ``end`` where what holds ``inside`` still does, by bisection."""
    if holds(end):
        return end
    outside = end
    while abs(outside - inside) > mpmath.mpf(_ENDS):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return inside

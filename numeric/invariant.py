"""Least pairwise loss over all invariant Gram matrices of two towers, without derivatives.

Averaging over the symmetries of the problem does not raise a convex loss, so its least value
over all unit embeddings is that over invariant Gram matrices. Those are mixtures of one
projection per eigenspace, with shares that are >= 0 and sum to one; as the loss sees the
positive and the negative inner product alone, what is left is a convex function on a polygon.
Nested golden sections find its minimum, at kinks too, from values alone: neither slopes nor
the segment that the theory finds are used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import mpmath
from sympy import Integer

from ..derive.structures.towers import NEGATIVE, POSITIVE, towers
from ..derive.structures.towers import N as ITEMS

#: A function of an inner product, of and to mpmath numbers.
Function = Callable[[Any], Any]

# Losses this close to the least one count as least: a curvature of k then leaves inner
# products open by sqrt(2e-30/k), and a plateau shows as what it is.
_LEAST = "1e-30"
# Golden sections end at this width, so that what they miss is far less than that.
_WIDTH = "1e-34"
# The ends of a plateau are located to this.
_ENDS = "1e-12"


@dataclass(frozen=True)
class InvariantOptimum:
    """The least loss of invariant Gram matrices, and the positives that attain it.

    Attributes
    ----------
    loss
        The least loss.
    positive, positive_last
        Largest and least positive inner product of an optimum; equal when it is unique.
    negative
        Least negative inner product of an optimum with the largest positive one.
    """

    loss: float
    positive: float
    positive_last: float
    negative: float


def least_invariant(lp: Function, ln: Function, N: int) -> InvariantOptimum:
    """Minimise ``lp(positive) + (N - 1) ln(negative)`` over invariant Gram matrices.

    Parameters
    ----------
    lp, ln
        Convex functions on [-1, 1], smooth or not, of mpmath numbers.
    N
        Items, at least 2.
    """
    scale = max([1.0, *(abs(_loss(lp, ln, N, *corner)) for corner in _polygon(N))])
    digits = int(mpmath.ceil(mpmath.log10(scale))) if mpmath.isfinite(scale) else 0
    with mpmath.workdps(48 + digits):
        corners = _polygon(N)
        width = mpmath.mpf(_WIDTH) / mpmath.mpf(10) ** digits

        def best(positive: Any) -> Any:
            """Least loss of this positive."""
            low, high = _range_of_negatives(corners, positive)
            return lp(positive) + (N - 1) * ln(_golden_or_end(ln, low, high, width))

        one = mpmath.mpf(1)
        found = golden(best, -one, one, width)
        least = best(found)
        enough = least + mpmath.mpf(_LEAST) * max(1, abs(least))
        first = _last(lambda p: best(p) <= enough, found, one)
        last = _last(lambda p: best(p) <= enough, found, -one)
        low, high = _range_of_negatives(corners, first)
        middle = _golden_or_end(ln, low, high, width)
        slack = (enough - least) / (N - 1)
        negative = _last(lambda n: ln(n) <= ln(middle) + slack, middle, low)
        return InvariantOptimum(float(least), float(first), float(last), float(negative))


def _loss(lp: Function, ln: Function, N: int, positive: Any, negative: Any) -> Any:
    return lp(positive) + (N - 1) * ln(negative)


def _polygon(N: int) -> list[tuple[Any, Any]]:
    """Positive and negative inner product of the projection of each eigenspace, times 2N."""
    scheme = towers(2)
    return [
        tuple(  # type: ignore[misc]
            _rational(
                (scheme.table[e.name][r] / scheme.relation(r).count).xreplace({ITEMS: Integer(N)})
            )
            for r in (POSITIVE, NEGATIVE)
        )
        for e in scheme.eigenspaces
    ]


def _rational(value: Any) -> Any:
    return mpmath.mpf(int(value.p)) / int(value.q)


def _range_of_negatives(corners: list[tuple[Any, Any]], positive: Any) -> tuple[Any, Any]:
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

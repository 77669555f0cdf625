"""Checks of Theorem A.2, which the section that draws its conclusion runs too."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import mpmath
from sympy import Expr, S

from ...losses.supcl import SUPCL
from ...optimum.segment import delta, x
from ...results import results
from ...vectors.embeddings import Embeddings
from ..checks import Formula, both, decided, equal, holds_positive, needs_condition
from ..evaluate import value
from ..verdict import Verdict
from ._domains import LOSS, ON_SEGMENT, SHAPE
from ._loss import X_OF_DELTA, printed_slope, slope
from ._sums import at_temperature, loss, random_sets, spread, ssem_matching, total


def _one_class_in_the_plane() -> Verdict:
    """m = 1, n = 3, d = 2: three vectors with a lower loss than every SSEM of the plane."""
    half, one = Fraction(1, 2), Fraction(1)
    collapsed, simplex = (Embeddings.ssem(1, 3, 1, Fraction(e)) for e in (0, 1))
    # Equal inner products s have determinant (1 - s)^2 (1 + 2s): rank 2 or less at the ends only.
    between_them = Embeddings.ssem(1, 3, 1, half)
    assert max(collapsed.rank, simplex.rank) <= 2 < between_them.rank
    better = Embeddings.from_vectors(1, 3, 1, [[1, 0], [1, 0], [0, 1]])
    losses = [value(SUPCL, u, alpha=half, tau=one) for u in (collapsed, simplex, better)]
    shown = [mpmath.nstr(v, 8) for v in losses]
    return decided(
        losses[2] >= min(losses[:2]),
        "three losses computed",
        witness={
            "point": {"m": "1", "n": "3", "p": "1", "d": "2", "alpha": "1/2", "tau": "1"},
            "printed": f"minimum on SSEM, which has loss {shown[0]} or {shown[1]} here",
            "derived": f"loss {shown[2]} at (1, 0), (1, 0), (0, 1)",
        },
    )


@cache
def theorem() -> Verdict:
    """Theorem 1, and A.2: the SSEM has the least loss of all sets with the same spread."""
    within = [
        at_temperature(
            lambda u, a=a: (loss(u, a), loss(ssem_matching(u, spread), a)),  # type: ignore[misc]
            ">",
            random_sets(),
            where=lambda u: u.p > 1 or total(u) != 0,
        )
        for a in (Fraction(0), Fraction(1, 2), Fraction(1))
    ]
    return needs_condition(
        "m >= 2 and n >= 2 (not only mn >= 2)",
        both(*within, results_support(), optimal_delta()),
        _one_class_in_the_plane(),
        "for n = 1 the loss divides by zero and, at alpha = 1, every delta gives the same "
        "embeddings; for p > 1, Definition A.2 is meant for Definition 2",
    )


def results_support() -> Verdict:
    """The derivation that every optimum lies on the segment."""
    return Verdict("agrees", results["supcl-optimum"].evidence)


def optimal_delta(printed: Formula = printed_slope, end: Expr = S.One) -> Verdict:
    # The result is the root of an increasing function, clamped to an interval of x.
    h_printed = printed()
    h, low, high = results["supcl-optimum"].x_star.args
    return both(
        equal(h_printed, h(x), ON_SEGMENT),
        equal(S.Zero, low, SHAPE),
        equal(X_OF_DELTA.subs(delta, end), high, SHAPE),
        holds_positive(h_printed.diff(x), ON_SEGMENT),
        holds_positive(h_printed.subs(x, high), LOSS, strict=False),
    )


def h_function(printed: Formula = printed_slope) -> Verdict:
    return equal(printed(), slope(), ON_SEGMENT, "the slope of the loss times something positive")

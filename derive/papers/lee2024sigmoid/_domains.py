"""Where the statements are meant."""

from __future__ import annotations

from fractions import Fraction

from sympy import S, oo

from ...decide.domain import POSITIVE, Domain, Range, at_least, between
from ...losses.clip import b, t
from ...losses.pairwise import c
from ...optimum.segment import delta, x
from ...structures.towers import N

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)


def items(least: int) -> Domain:
    """N from some least number on."""
    return Domain({N: at_least(least)}, {N: max(least, 4)})


TWO, THREE, FOUR = items(2), items(3), items(4)
ON_CCEM = TWO.with_range(delta, Range(low_open=False), 1)
WARM = TWO.with_range(t, POSITIVE, 1)
WARM_THREE = THREE.with_range(t, POSITIVE, 1)
WARM_FOUR = FOUR.with_range(t, POSITIVE, 1)
INSIDE = WARM_THREE.with_range(delta, POSITIVE, 1)
WARM_CCEM = WARM.with_range(delta, Range(low_open=False), 1)
BIASED = WARM.with_range(b, Range(-oo), S.Half)
SHARED = BIASED.with_range(x, between(0, 1), S.Half)
SCALAR = Domain({c: Range(-oo), t: POSITIVE, b: Range(-oo)}, {c: 0, t: 1, b: 1})

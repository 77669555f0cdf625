"""What the proof of Proposition A.5 says of one vector."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath

from ...language.quantities import mp, text
from ..form.run import Answer, named_check


@named_check("both terms are zero")
def both_terms_are_zero(n: int, d: int, *, a: Any) -> Answer:
    """Where all elements of a are ``a``, a^T exp(w_i) and a^T exp(mean of w_i) are zero."""
    points = [[Fraction(i * k - 3, k + 1) for k in range(d)] for i in range(n)]
    mean = [sum(column, Fraction(0)) / n for column in zip(*points, strict=True)]
    for w in (*points, mean):
        found = mp(a) * mpmath.fsum(mpmath.exp(mp(c)) for c in w)
        if found != 0:
            return Answer(False, f"one of them is {text(found)}")
    return Answer(True)

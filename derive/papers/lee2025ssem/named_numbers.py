"""Numbers that are printed rounded."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ...language.quantities import compare, mp, text
from ..form.run import Answer, named_check

#: Half of the last digit of what is printed with two digits after the point.
HALF_A_DIGIT = Fraction(1, 200)


@named_check("zero to two digits")
def zero_to_two_digits(*, given: Mapping[str, Any]) -> Answer:
    """Each of the differences given is zero, but for rounding to two digits after the point."""
    for name, gap in given.items():
        if not compare(abs(mp(gap)), HALF_A_DIGIT, "<="):
            return Answer(False, f"{name}: off by {text(gap)}")
    return Answer(True)

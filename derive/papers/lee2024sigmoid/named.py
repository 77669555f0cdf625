"""What the paper says of two towers that no formula says: optima, and ranks."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import mpmath

from ...language.quantities import as_number, compare, text
from ...losses.clip import SIGMOID
from ...results import results
from ..form.families import ccem, in_space
from ..form.run import Answer, Point, named_check
from ..towers import Towers, pairwise_value

Given = Mapping[str, Any]
#: Losses have some 48 digits after the point, the derived least loss forty.
CLOSE = mpmath.mpf(10) ** -35


@named_check("optima are double-constant")
def double_constant(at: Point, N: int, d: int, *, power: Any) -> Answer:
    """No set in R^d has less sigmoid loss than the best CCEM, to the ``power`` of the bias 1, and
    none with the same loss has different positives or different negatives."""
    known = {k: as_number(at[k]) for k in ("t", "b")}
    if N == 1:
        return Answer(True)  # one pair
    stands = {"t": at["t"], "b": at["b"] * int(power)}
    least = results["sigmoid-optimum"].value("loss", 40, N=at["N"], **stands)
    for e in in_space(N, d):
        assert isinstance(e, Towers)
        found = pairwise_value(SIGMOID, e, **known)
        if found < least - CLOSE:
            return Answer(False, f"its loss is {text(found)}, the least {text(least)}", e)
        if abs(found - least) <= CLOSE and not e.is_double_constant():
            return Answer(False, f"its loss is the least, {text(least)}", e)
    return Answer(True)


@named_check("ccem rank")
def rank(N: int, *, given: Given) -> Answer:
    """The CCEM needs ``rank`` dimensions, for all delta together."""
    e = max((ccem(N, Fraction(q)) for q in (0, 1, 4)), key=lambda found: found.rank)
    return Answer(compare(Fraction(e.rank), given["rank"], "="), f"its rank is {e.rank}", e)

"""What the paper says of the class-conditional InfoNCE loss on all sets and on the SSEM."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ...language.quantities import NoValue, text
from ...losses.supcl import CNCE
from ..form.families import sets_in, ssem
from ..form.family import size
from ..form.run import Answer, Point, named_check
from .named import CLOSE, ZERO, longest, numbers, squared
from .sets import declared_value

Given = Mapping[str, Any]


@named_check("cNCE is least on the SSEM")
def least_on_ssem(at: Point, *, given: Given, to: Any) -> Answer:
    """No set in R^d has a smaller L_cNCE than all SSEM, which have ``from`` <= delta <= ``to``.

    The least one on these is sought on a grid of delta^2 with both ends.
    """
    m, n, p, d = (size(at, k, 1) for k in "mnpd")
    low, high = squared(given["from"]), squared(to)
    if n == 1:
        raise NoValue("the range of delta has no end")
    if (low, high) != (ZERO, longest(m, n)):
        says = f"there are SSEM for delta^2 in 0 .. {longest(m, n)}, not {low} .. {high}"
        return Answer(False, says)
    grid = [ssem(m, n, p, low + (high - low) * Fraction(k, 6)) for k in range(7)]
    least = min(declared_value(CNCE, e, **numbers(at)) for e in grid)
    for e in sets_in(m, n, p, d):
        found = declared_value(CNCE, e, **numbers(at))
        if found < least - CLOSE:
            return Answer(False, f"its loss is {text(found)}, the least on SSEM {text(least)}", e)
    return Answer(True)

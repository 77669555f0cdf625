"""The bounds that were derived, as code on readings."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import torch
from torch import Tensor

from ...derive.results import results
from ...derive.theorem.bounds import About, Bounds
from .expressions import Compiled, Lookup, compile_expression

#: The results that are proved, and the paper's.
PROVED, PROJECTED, PRINTED = "spectral-band", "projected-spectrum", "spectral-band-printed"
#: How far rounding may put a bound on the wrong side of what it bounds, in times the trivial bound:
#: a few thousand roundings of a float64, as sums over thousands of negatives collect. Numbers of
#: that size are added and subtracted in a bound, however small the gradient is.
ROUNDING = 1e-12


class With:
    """Readings of which some are replaced."""

    def __init__(self, reading: Callable[[str], Tensor], **other: Tensor) -> None:
        self.reading, self.other = reading, other

    def __getitem__(self, name: str) -> Tensor:
        return self.other[name] if name in self.other else self.reading(name)


def home(name: str) -> str:
    """The result that has a bound that is proved."""
    return PROVED if name in results[PROVED].quantities else PROJECTED


@cache
def bound(name: str, result: str = PROVED) -> Compiled:
    """A bound as a function of readings, derived and compiled at the first call.

    What ``spectral-band`` lacks is one of ``projected-spectrum``.

    Raises
    ------
    KeyError
        If the result has no such bound.
    """
    found = results[home(name) if result == PROVED else result].quantities
    if name not in found:
        raise KeyError(f"{result} has no bound {name!r}, but: {', '.join(found)}")
    return compile_expression(found[name].expression)


@cache
def names(side: str) -> tuple[str, ...]:
    """Bounds of one side that are proved of the squared gradient of an anchor."""
    return tuple(
        name
        for name, q in results[PROVED].quantities.items()
        if isinstance(q, Bounds)
        and (q.bounded, q.about, q.side) == ("squared_gradient", About.ANCHOR, side)
    )


def proved(name: str, readings: Lookup) -> Tensor:
    """A bound of anchors that rounding alone does not put on the wrong side of what it bounds.

    Where the float64 is there, but by no more than `ROUNDING`, the bound is met in all digits that
    it has, and what it bounds is returned. A bound that is further off is returned as it is.
    """
    found, q = bound(name)(readings), results[home(name)].quantities[name]
    return _settled(found, q, readings) if isinstance(q, Bounds) else found


def closest(side: str, readings: Lookup) -> Tensor:
    """The largest of all lower bounds, or the least of all upper ones."""
    found = torch.stack([proved(name, readings) for name in names(side)])
    return found.amax(0) if side == "lower" else found.amin(0)


def _settled(found: Tensor, q: Bounds, readings: Lookup) -> Tensor:
    value = readings[q.bounded]
    scale = torch.maximum(found.abs(), value.abs())
    if q.bounded == "squared_gradient":
        scale = bound("upper_trivial")(readings)
    excess = value - found if q.side == "upper" else found - value
    return torch.where((excess > 0) & (excess <= ROUNDING * scale), value, found)

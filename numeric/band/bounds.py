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


class With:
    """Readings of which some are replaced."""

    def __init__(self, reading: Callable[[str], Tensor], **other: Tensor) -> None:
        self.reading, self.other = reading, other

    def __getitem__(self, name: str) -> Tensor:
        return self.other[name] if name in self.other else self.reading(name)


@cache
def bound(name: str, result: str = PROVED) -> Compiled:
    """A bound as a function of readings, derived and compiled at the first call.

    What ``spectral-band`` lacks is looked up in ``projected-spectrum``.

    Raises
    ------
    KeyError
        If the result has no such bound.
    """
    if result == PROVED and name not in results[PROVED].quantities:
        result = PROJECTED
    found = results[result].quantities
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


def closest(side: str, readings: Lookup) -> Tensor:
    """The largest of all lower bounds, or the least of all upper ones."""
    found = torch.stack([bound(name)(readings) for name in names(side)])
    return found.amax(0) if side == "lower" else found.amin(0)

"""A quantity over one parameter, as curves; needs matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sympy import latex

from ..decide.domain import DomainError, Range
from ..theorem.result import Result

POINTS = 400
#: Where a range has no end: from just above it, and by how many whole numbers on.
NEAR, FAR, WHOLE = 0.02, 2.0, 50


def plot(
    result: Result,
    name: str,
    over: str,
    between: tuple[float, float] | None,
    ax: Any,
    values: Mapping[str, Any],
) -> Any:
    """Draw a quantity over a parameter, a curve for each entry of a value that is a list.

    See :meth:`~cltheory.derive.theorem.result.Result.plot`.
    """
    import matplotlib.pyplot as plt

    lists = {k: v for k, v in values.items() if isinstance(v, Sequence) and not isinstance(v, str)}
    if len(lists) > 1:
        raise DomainError(f"one value may be a list, not {' and '.join(lists)}")
    if (of := result.quantity(name).parameter) is not None:
        raise DomainError(f"{name} is a set, not a number: draw the ends of its values of {of}")
    known = {s.name: s for s in result.parameters}
    takes = {s.name for s in result.quantity(name).expression.free_symbols}
    free = [k for k in known if k in takes - values.keys()]
    over = over or (free[0] if len(free) == 1 else "")
    if over not in known or over in values:
        which = ", ".join(free) or f"{name} depends on none"
        raise DomainError(f"over must be a parameter of {result.id} without a value: {which}")
    symbol = known[over]
    if missing := sorted(takes - {over, *values}):
        raise DomainError(f"{name} depends on {', '.join(missing)}: give a value of each")
    x = _points(result.domain.ranges[symbol], between)
    function = result.function(name)
    ((key, entries),) = lists.items() or [("", [None])]
    ax = ax or plt.subplots()[1]
    for entry in entries:
        label = f"${latex(known[key])} = {entry}$" if key in known else None
        point = result.point(**{**values, **({key: entry} if key else {})})
        floats = {s.name: float(v) for s, v in point.items() if s.name in takes}
        ax.plot(x, function(**floats, **{over: x}), label=label)
    ax.set_xlabel(f"${latex(symbol)}$")
    ax.set_ylabel(f"${result.quantity(name).symbol}$")
    if key:
        ax.legend()
    return ax


def _points(r: Range, between: tuple[float, float] | None) -> Any:
    """Where it is drawn: the range, or the part of it where most happens."""
    low, high = (float(end) for end in (r.low, r.high))
    if between is not None:
        low, high = between
    elif r.integer:
        low, high = (low, min(high, low + WHOLE)) if np.isfinite(low) else (1.0, WHOLE)
    else:
        low = low + NEAR if np.isfinite(low) else -FAR
        high = high if np.isfinite(high) else low + FAR
    return np.arange(low, high + 1) if r.integer else np.linspace(low, high, POINTS)

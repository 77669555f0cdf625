"""At which values a result is checked: in every regime that there is, near borders and at ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from sympy import Expr, Integer, Symbol, oo

from ...derive.decide.domain import Domain, Range
from ...derive.decide.exact import exact
from ..problems.reduced import InvariantLoss

#: Sizes of structures when not given: small, and yet with all regimes well apart.
TYPICAL = {"m": "3", "n": "3", "p": "2", "N": "10", "K": "3"}
TYPICAL |= {"m1": "3", "n1": "4", "m2": "2", "n2": "2"}
#: One large class among small ones, which then share one point for all of them.
_MERGED = {"m1": "1", "n1": "24", "m2": "2", "n2": "2", "p": "1"}
#: Items when the number of towers is free as well: the least with all regimes well apart.
_ITEMS_OF_TOWERS = "6"
# How far parameters are looked at: times the base where they are positive, else from zero.
# Beyond, some eigenvalues of the gradient differ by less than floats can tell.
_FACTOR, _RANGE = 4.0, 20.0
# Points next to a border: part of the way to the next one, or, on the outside, of the value
# itself or this far on a line.
_PART, _BELOW, _ABOVE, _STEP = 0.1, 0.8, 1.25, 0.5

#: Exact values by name, as text or SymPy.
Values = dict[str, Any]


def typical_sizes(
    names: Sequence[str], fixed: Mapping[str, Any], domain: Domain
) -> Iterator[tuple[Values, bool]]:
    """Sizes to check at: those given and typical ones; where there are views, once with one view.

    With each goes whether to be thorough there.
    """
    defaults = TYPICAL | ({"N": _ITEMS_OF_TOWERS} if "K" in names else {})
    sizes = {k: fixed.get(k, defaults.get(k, "3")) for k in names}
    if "m2" in names and not fixed.keys() & names:
        yield _MERGED, False
    elif "p" in names and "p" not in fixed:
        single = {**sizes, "p": "1"}
        if domain.contains({s: exact(single[s.name]) for s in domain.ranges if s.name in names}):
            yield single, False
    yield sizes, True


def base_values(symbols: Sequence[Symbol], domain: Domain, fixed: Mapping[str, Any]) -> Values:
    """Parameters where they are not varied: as given, else in the middle of their domain."""
    return {s.name: fixed.get(s.name, str(domain.witness[s])) for s in symbols}


def regimes(
    loss: InvariantLoss, symbol: Symbol, domain: Domain, base: Mapping[str, Any]
) -> list[str]:
    """Values of one parameter in every regime of the optimum, the others at their base.

    Which eigenspaces are occupied is found by minimising over shares, so that no derived
    threshold is needed to know where to look.
    """
    bounds = domain.ranges[symbol]
    grid = _grid(symbol, bounds, base, loss.tried)
    fixed = {k: float(exact(base[k])) for k in loss.parameters if k != symbol.name}
    faces = loss.least(**fixed, **{symbol.name: grid}).faces()
    borders = [
        _border(loss, symbol, fixed, grid[k - 1], grid[k], faces[k - 1])
        for k in range(1, len(grid))
        if faces[k] != faces[k - 1]
    ]
    if not borders:
        return _spread(bounds)
    edges = pairwise([None, *borders, None])
    found = [x for low, high in edges for x in _inside(low, high, bounds)]
    return list(dict.fromkeys(f"{x:.6g}" for x in found))


def elsewhere(
    symbols: Sequence[Symbol], domain: Domain, base: Mapping[str, Any]
) -> Iterator[Values]:
    """Other values of one parameter at a time, where what is looked for is not at the base."""
    for symbol in symbols:
        low, high = _ends(domain.ranges[symbol])
        middle = float(exact(base[symbol.name]))
        if low == -np.inf:
            tried = [1.0, -1.0, 2.0, -2.0, 4.0, -4.0]
        elif high == np.inf:
            tried = [low + (middle - low) * k for k in (2.0, 0.5, 4.0, 0.25)]
        else:
            tried = [(middle + high) / 2, (low + middle) / 2]
        for value in tried:
            yield {**base, symbol.name: f"{value:.6g}"}


def sides(value: float, bounds: Range) -> list[str]:
    """A value below and one above a border, as far as the range allows."""
    low, high = _ends(bounds)
    below = _BELOW * value if value > 0 else value - _STEP
    above = _ABOVE * value if value > 0 else value + _STEP
    if high < np.inf:
        above = value + _PART * (high - value)
    if low == -np.inf:
        below, above = value - _STEP, value + _STEP
    return [f"{x:.6g}" for x in (below, above) if low < x < high]


def _grid(symbol: Symbol, bounds: Range, base: Mapping[str, Any], tried: int) -> Any:
    low, high = _ends(bounds)
    if high < np.inf and low > -np.inf:
        inside = np.linspace(low, high, tried)
        return inside[1 if bounds.low_open else 0 : -1 if bounds.high_open else None]
    if low > -np.inf:
        middle = float(exact(base[symbol.name])) - low
        return low + middle * np.geomspace(1 / _FACTOR, _FACTOR, tried)
    return np.linspace(-_RANGE, _RANGE, tried)


def _ends(bounds: Range) -> tuple[float, float]:
    """The ends as numbers; one that depends on something is none."""
    low = -np.inf if bounds.low.free_symbols else float(bounds.low)
    return low, np.inf if bounds.high.free_symbols else float(bounds.high)


def _border(
    loss: InvariantLoss,
    symbol: Symbol,
    fixed: Mapping[str, float],
    low: float,
    high: float,
    face: tuple[str, ...],
) -> float:
    """Where a face stops being optimal, to a part of 1e-4 of the bracket."""
    for _ in range(2):
        inside = np.linspace(low, high, loss.tried)
        faces = loss.least(**fixed, **{symbol.name: inside}).faces()
        first = next((k for k, found in enumerate(faces) if found != face), len(inside) - 1)
        low, high = inside[max(first - 1, 0)], inside[first]
    return float((low + high) / 2)


def _spread(bounds: Range) -> list[str]:
    """A few values of a parameter with one regime only."""
    low, high = _ends(bounds)
    if high < np.inf and low > -np.inf:
        chosen = [0.75 * low + 0.25 * high, 0.25 * low + 0.75 * high]
        chosen += [] if bounds.high_open else [high]
    else:
        chosen = [low + x for x in (0.1, 0.5, 2.0)] if low > -np.inf else [-1.0, 1.0]
    return [f"{x:.6g}" for x in chosen]


def _inside(low: float | None, high: float | None, bounds: Range) -> list[float]:
    """Next to both borders of a regime and in its middle; at a closed end of the range."""
    first, last = _ends(bounds)
    if low is None:
        assert high is not None
        return [high - _STEP if first == -np.inf else first + _BELOW * (high - first)]
    if high is None:
        if last == np.inf:
            return [_ABOVE * low if first > -np.inf and low > 0 else low + _STEP]
        near = low + _PART * (last - low)
        return [near, (near + last) / 2] + ([] if bounds.high_open else [last])
    if high - low < 1e-9 * max(1.0, abs(low)):
        return []
    return [low + _PART * (high - low), (low + high) / 2]


def along_range(symbol: Symbol, domain: Domain, point: Mapping[Symbol, Expr]) -> list[Expr]:
    """Values of the position of an explicit structure: both ends of its range, and inside."""
    bounds = domain.ranges[symbol]
    low, high = (e.xreplace(dict(point)) for e in (bounds.low, bounds.high))
    inside = [v for v in (exact("1/2"), Integer(1), Integer(3)) if low < v and bool(v < high)]
    ends = [e for e, is_open in ((low, bounds.low_open), (high, bounds.high_open)) if not is_open]
    return [*ends[:1], *inside, *([oo] if high is oo else ends[1:])]

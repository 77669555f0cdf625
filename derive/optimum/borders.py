"""Several conditions solved for one parameter: the set where all of them hold."""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Expr, Ge, Gt, Interval, Lt, Max, Min, S, Set, Symbol

from ..decide.decide import is_proved_positive
from ..decide.domain import Domain
from .threshold import Threshold


def together(found: Iterable[Threshold], parameter: Symbol, domain: Domain) -> Set:
    """Where all of several solved criteria hold, inside the range of the parameter.

    It is an interval, its ends open or closed as they are.
    """
    lower: list[Threshold] = []
    upper: list[Threshold] = []
    for t in found:
        (lower if type(t.relation) in (Ge, Gt) else upper).append(t)
    r = domain.ranges[parameter]
    low, low_open = _end(_kept(lower, domain, 1), Max, r.low, r.low_open, domain, 1)
    high, high_open = _end(_kept(upper, domain, -1), Min, r.high, r.high_open, domain, -1)
    return Interval(low, high, low_open, high_open)


def _kept(found: list[Threshold], domain: Domain, sign: int) -> list[Threshold]:
    """Those that another is not proved to be sharper than."""
    kept: list[Threshold] = []
    for t in found:
        if any(_sharper(k, t, domain, sign) for k in kept):
            continue
        kept = [k for k in kept if not _sharper(t, k, domain, sign)] + [t]
    return kept


def _sharper(a: Threshold, b: Threshold, domain: Domain, sign: int) -> bool:
    gap = sign * (a.value - b.value)
    if type(a.relation) is not type(b.relation):  # at equal values it counts which is strict
        return is_proved_positive(gap, domain)
    return gap == 0 or is_proved_positive(gap, domain, strict=False)


def _end(
    found: list[Threshold],
    choose: type,
    end: Expr,
    end_open: bool,
    domain: Domain,
    sign: int,
) -> tuple[Expr, bool]:
    """The sharpest of the thresholds and the end of the range, and whether it is excluded."""
    values = [(t.value, type(t.relation) in (Gt, Lt)) for t in found]
    others = domain.restricted(set().union(*(v.free_symbols for v, _ in values)))
    infinite = end in (S.Infinity, S.NegativeInfinity)
    inside = infinite or any(
        is_proved_positive(sign * (v - end), others, strict=not end_open) for v, _ in values
    )
    if not values or not inside:
        values = [(end, end_open), *values]
    if len(values) == 1:
        return values[0]
    strict = {is_open for _, is_open in values}
    # Where strict and weak ones meet, which of them is the end is not known.
    return choose(*(v for v, _ in values), evaluate=False), strict == {True}

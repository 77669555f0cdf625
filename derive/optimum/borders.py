"""Several conditions solved for one parameter: the set where all of them hold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sympy import EmptySet, Expr, Ge, Gt, Interval, Lt, Max, Min, S, Set, Symbol

from ..decide.decide import is_proved_positive
from ..decide.domain import Domain, Range
from ..proof.derivation import Derivation
from .threshold import Criterion, NoThreshold, Threshold, threshold


@dataclass(frozen=True, eq=False)
class Borders:
    """Where in one parameter several criteria hold: an interval, perhaps empty.

    Attributes
    ----------
    parameter
        Which one.
    lower, upper
        The thresholds that bound it, those first that are proved to be the sharpest; more than one
        where which is sharper depends on other symbols.
    range
        What the parameter may be at all.
    set
        The interval inside that range, with both ends, open or closed as they are.
    """

    parameter: Symbol
    lower: tuple[Threshold, ...]
    upper: tuple[Threshold, ...]
    range: Range
    set: Set

    @property
    def low(self) -> Expr | None:
        """The lower border; None where only the range of the parameter bounds it."""
        return _sharpest(self.lower, Max)

    @property
    def high(self) -> Expr | None:
        """The upper border; None where only the range of the parameter bounds it."""
        return _sharpest(self.upper, Min)


def borders(
    criteria: Iterable[tuple[Criterion, Domain]],
    parameter: Symbol,
    domain: Domain,
    proof: Derivation,
    *,
    never: bool = False,
) -> Borders:
    """Solve every criterion, where it is meant, for a parameter and put the answers together.

    Raises
    ------
    NoClosedForm
        If one cannot be solved for it.
    """
    found: list[Threshold] = []
    for criterion, where in criteria:
        try:
            found.append(threshold(criterion, parameter, where, proof))
        except NoThreshold as error:
            never |= "at no " in str(error)
    return together(found, parameter, domain, never=never)


def together(
    found: Iterable[Threshold], parameter: Symbol, domain: Domain, *, never: bool = False
) -> Borders:
    """Where all of several solved criteria hold."""
    lower: list[Threshold] = []
    upper: list[Threshold] = []
    for t in found:
        (lower if type(t.relation) in (Ge, Gt) else upper).append(t)
    r = domain.ranges[parameter]
    low, high = _kept(lower, domain, 1), _kept(upper, domain, -1)
    inside = EmptySet if never else _interval(low, high, r, domain)
    return Borders(parameter, low, high, r, inside)


def _kept(found: list[Threshold], domain: Domain, sign: int) -> tuple[Threshold, ...]:
    """Those that another is not proved to be sharper than."""
    kept: list[Threshold] = []
    for t in found:
        if any(_sharper(k, t, domain, sign) for k in kept):
            continue
        kept = [k for k in kept if not _sharper(t, k, domain, sign)] + [t]
    return tuple(kept)


def _sharper(a: Threshold, b: Threshold, domain: Domain, sign: int) -> bool:
    gap = sign * (a.value - b.value)
    if type(a.relation) is not type(b.relation):  # at equal values it counts which is strict
        return is_proved_positive(gap, domain)
    return gap == 0 or is_proved_positive(gap, domain, strict=False)


def _sharpest(found: tuple[Threshold, ...], choose: type) -> Expr | None:
    if not found:
        return None
    values = [t.value for t in found]
    return values[0] if len(values) == 1 else choose(*values, evaluate=False)


def _interval(
    lower: tuple[Threshold, ...], upper: tuple[Threshold, ...], r: Range, domain: Domain
) -> Set:
    low, low_open = _end(lower, Max, r.low, r.low_open, domain, 1)
    high, high_open = _end(upper, Min, r.high, r.high_open, domain, -1)
    if low.free_symbols or high.free_symbols:
        # SymPy would compare the ends again, which takes long; they are real.
        return Interval(low, high, low_open, high_open)
    return Interval(low, high, low_open, high_open)


def _end(
    found: tuple[Threshold, ...],
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

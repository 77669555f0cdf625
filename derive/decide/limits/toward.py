"""Where a limit is taken: how the symbol goes there, and what that does to the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sympy import Dummy, Expr, Symbol, oo

from ..domain import Domain, DomainError, Range, in_order, refuse_outside
from .foregone import with_cases_decided
from .growth import Growth
from .signs import NoLimit, Signs, with_assumed


def image_of(x: Symbol, symbol: Symbol, point: Expr, domain: Domain) -> Expr:
    """The symbol, where x -> oo takes it to the point from inside its range."""
    r = domain.ranges.get(symbol, Range(-oo, oo))
    if point in (oo, -oo):
        if (r.high if point is oo else r.low) is not point:
            raise NoLimit(f"{symbol} is {r} and does not go to {point}")
        return x if point is oo else -x
    if r.integer or symbol in point.free_symbols:
        raise NoLimit(f"{symbol} is {r} and comes no closer to {point}")
    if point == r.high:
        return point - 1 / x
    if point != r.low and not (point == 0 and r.low.is_nonpositive and r.high.is_nonnegative):
        raise NoLimit(f"limits are taken at oo, 0 and the ends of a range, and {symbol} is {r}")
    return point + 1 / x


def others_of(domain: Domain, symbol: Symbol, point: Expr, used: set[Symbol]) -> Domain:
    """The other symbols, within ranges in which any fixed value is admissible in the end."""
    wanted = set[Symbol]()
    todo = used - {symbol}
    while todo:
        s = todo.pop()
        wanted.add(s)
        r = domain.ranges.get(s, Range(-oo, oo))
        todo |= (r.low.free_symbols | r.high.free_symbols) - wanted - {symbol}
    found = domain.restricted(wanted - {symbol})
    changed = dict[Symbol, Range]()
    for s, r in found.ranges.items():
        if symbol not in r.low.free_symbols | r.high.free_symbols:
            continue
        low, low_open = end_of(r.low, r.low_open, 1, symbol, point, domain)
        high, high_open = end_of(r.high, r.high_open, -1, symbol, point, domain)
        if oo in (low, -high):
            raise NoLimit(f"{s} must be {r}, and no fixed value is")
        changed[s] = replace(r, low=low, high=high, low_open=low_open, high_open=high_open)
    return with_assumed(with_ranges(found, changed), wanted)


def with_range(domain: Domain, s: Symbol, r: Range) -> Domain:
    """The domain with another range of a symbol, and a witness inside."""
    return with_ranges(domain, {s: r})


def with_ranges(domain: Domain, changed: Mapping[Symbol, Range]) -> Domain:
    """The same for several at once, which may refer to one another."""
    if not changed:
        return domain
    ranges = in_order({**domain.ranges, **changed})
    witness = dict(domain.witness)
    for s in (s for s in ranges if s in changed):
        witness[s] = _inside(s, changed[s], witness)
    try:
        return Domain(ranges, witness)
    except DomainError as error:
        raise NoLimit(f"no point was found: {error}") from None


def _inside(s: Symbol, r: Range, witness: Mapping[Symbol, Expr]) -> Expr:
    """A value of a symbol in its range, where others have those of the witness."""
    at = dict(witness)
    low, high = r.low.xreplace(at), r.high.xreplace(at)
    for value in (at[s], low + 1, (low + high) / 2):
        try:
            refuse_outside(s.name, r, value, low, high)
        except (DomainError, TypeError):
            continue
        if value.is_finite:
            return value
    raise NoLimit(f"no point was found with {s} {r}")


def end_of(
    end: Expr, is_open: bool, side: int, symbol: Symbol, point: Expr, domain: Domain
) -> tuple[Expr, bool]:
    """Where an end of a range goes; open if it stays inside of where it goes."""
    if symbol not in end.free_symbols:
        return end, is_open
    x = Dummy("x", positive=True)
    others = domain.restricted(end.free_symbols - {symbol})
    growth = Growth(x, Signs(others))
    end = with_cases_decided(end.xreplace({symbol: image_of(x, symbol, point, domain)}), x, others)
    goal = growth.limit(end)
    inside = goal in (oo, -oo) or side * growth.sign(end - goal) > 0
    return goal, inside

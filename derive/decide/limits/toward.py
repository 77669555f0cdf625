"""Where a limit is taken: how the symbol goes there, and what that does to the others."""

from __future__ import annotations

from dataclasses import replace

from sympy import Dummy, Expr, Symbol, oo

from ..domain import Domain, DomainError, Range
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
    for s, r in found.ranges.items():
        if symbol not in r.low.free_symbols | r.high.free_symbols:
            continue
        low, low_open = end_of(r.low, r.low_open, 1, symbol, point, domain)
        high, high_open = end_of(r.high, r.high_open, -1, symbol, point, domain)
        if oo in (low, -high):
            raise NoLimit(f"{s} must be {r}, and no fixed value is")
        found = with_range(
            found, s, replace(r, low=low, high=high, low_open=low_open, high_open=high_open)
        )
    return with_assumed(found, wanted)


def with_range(domain: Domain, s: Symbol, r: Range) -> Domain:
    for value in (domain.witness[s], r.low + 1, (r.low + r.high) / 2):
        try:
            return domain.with_range(s, r, domain.witness_of(value))
        except (DomainError, TypeError):
            continue
    raise NoLimit(f"no point was found with {s} {r}")


def end_of(
    end: Expr, is_open: bool, side: int, symbol: Symbol, point: Expr, domain: Domain
) -> tuple[Expr, bool]:
    """Where an end of a range goes; open if it stays inside of where it goes."""
    if symbol not in end.free_symbols:
        return end, is_open
    x = Dummy("x", positive=True)
    growth = Growth(x, Signs(domain.restricted(end.free_symbols - {symbol})))
    end = end.xreplace({symbol: image_of(x, symbol, point, domain)})
    goal = growth.limit(end)
    inside = goal in (oo, -oo) or side * growth.sign(end - goal) > 0
    return goal, inside

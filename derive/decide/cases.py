"""Case distinctions: cut a domain along their conditions, and decide maxima on each part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from sympy import Abs, And, Basic, Dummy, Expr, Max, Min, Piecewise, S, Symbol, log, oo
from sympy.core.relational import (
    GreaterThan,
    LessThan,
    Relational,
    StrictGreaterThan,
    StrictLessThan,
)

from .decide import is_proved_positive
from .defined import defined
from .domain import Domain, DomainError
from .evidence import Holds
from .factors import proves_positive
from .normal import canonical, in_order
from .root import ClampedRoot

#: Points that are looked through for one in a part.
POINTS = 60


class NotSplit(ValueError):
    """The domain could not be cut along a condition."""


def regions(
    told: list[Expr], domain: Domain, closed: Domain, printed: frozenset[Expr] = frozenset()
) -> list[Domain]:
    """Parts that cover the domain, on each of which one case of each distinction applies.

    Of ``printed`` ones no two cases may apply: a reader takes neither before the other. That
    two meet at a bound is allowed where the other distinctions have no jump there.

    ``closed`` is the domain with its ends. What is proved inside holds at an end by continuity
    only if the end belongs to a part: a case that is met at an end alone is not left out.
    """
    parts = [domain]
    for distinction in told:
        split: list[Domain] = []
        rest = parts
        for _, condition in distinction.args:
            if distinction in printed and condition != True:  # noqa: E712
                inner = _strict(condition) if set(told) <= printed else condition
                if any(_cut(part, inner, closed)[0] for part in split):
                    raise NotSplit("two cases apply at once")
            cuts = [_cut(part, condition, closed) for part in rest]
            inside = [region for part, _ in cuts for region in part]
            if distinction in printed and not inside:
                raise NotSplit("a case is met nowhere on the domain")
            split += inside
            rest = [region for _, outside in cuts for region in outside]
        if rest:
            raise NotSplit("the cases do not cover the domain")
        parts = split
    return parts


def _strict(condition: Basic) -> Basic:
    """Without the bounds themselves."""
    weak = {LessThan: StrictLessThan, GreaterThan: StrictGreaterThan}
    if isinstance(condition, And):
        return And(*map(_strict, condition.args))
    return weak[condition.func](*condition.args) if condition.func in weak else condition


def _cut(domain: Domain, condition: object, closed: Domain) -> tuple[list[Domain], list[Domain]]:
    """Parts where a condition holds, and parts where it does not."""
    if condition == True:  # noqa: E712
        return [domain], []
    if isinstance(condition, And):
        inside, outside = [domain], list[Domain]()
        for part in condition.args:
            cuts = [_cut(d, part, closed) for d in inside]
            inside = [d for yes, _ in cuts for d in yes]
            outside += [d for _, no in cuts for d in no]
        return inside, outside
    for s, bound, holds_above in _bounds(condition):
        if s in domain.ranges and s not in bound.free_symbols:
            weak = isinstance(condition, (LessThan, GreaterThan))
            above = _part(domain, s, bound, closed, above=True, is_open=weak is not holds_above)
            below = _part(domain, s, bound, closed, above=False, is_open=weak is holds_above)
            return (above, below) if holds_above else (below, above)
    raise NotSplit(f"{condition} is not a bound on one symbol")


def _bounds(condition: object) -> Iterator[tuple[Symbol, Expr, bool]]:
    """The ways to read a relation as a bound: the symbol, the bound, and on which side."""
    if isinstance(condition, (GreaterThan, StrictGreaterThan, LessThan, StrictLessThan)):
        above = isinstance(condition, (GreaterThan, StrictGreaterThan))
        if condition.lhs.is_Symbol:
            yield condition.lhs, condition.rhs, above
        if condition.rhs.is_Symbol:
            yield condition.rhs, condition.lhs, not above


def _part(
    domain: Domain, s: Symbol, bound: Expr, closed: Domain, *, above: bool, is_open: bool
) -> list[Domain]:
    """The domain on one side of a bound: one part, or none if that is proved to be empty."""
    r = domain.ranges[s]
    ends = closed.ranges.get(s, r)
    others = {k: v for k, v in domain.ranges.items() if k is not s}
    if any(s in v.low.free_symbols | v.high.free_symbols for v in others.values()):
        raise NotSplit(f"the range of another symbol depends on {s}")
    if above:
        is_open = is_open or (bound == r.low and r.low_open)
        cut = replace(r, low=bound, low_open=is_open)
        is_end = r.high == ends.high and not ends.high_open
        beyond, touches = bound - r.high, not is_open and (is_end or not r.high_open)
    else:
        is_open = is_open or (bound == r.high and r.high_open)
        cut = replace(r, high=bound, high_open=is_open)
        is_end = r.low == ends.low and not ends.low_open
        beyond, touches = r.low - bound, not is_open and (is_end or not r.low_open)
    for point in [dict(domain.witness), *domain.points(POINTS)]:
        low, high = (e.xreplace(point) for e in (cut.low, cut.high))
        if any(e.is_extended_real is not True for e in (low, high)):
            continue
        for value in (point[s], low, high, _between(low, high)):
            where = {**point, s: value}
            if value.is_finite and domain.contains(where):
                try:
                    return [Domain({**others, s: cut}, where)]
                except DomainError:
                    continue
    if beyond not in (oo, -oo) and is_proved_positive(beyond, domain, strict=touches):
        return []
    raise NotSplit(f"no point was found with {s} {'above' if above else 'below'} {bound}")


def _between(low: Expr, high: Expr) -> Expr:
    if -oo < low and high < oo:
        return (low + high) / 2
    return low + 1 if low > -oo else high - 1 if high < oo else S.Zero


def opened(domain: Domain) -> Domain:
    """Without the ends of intervals, at which a value may only exist as a limit."""
    ranges = {
        s: r if r.integer or r.high_open else replace(r, low_open=True, high_open=True)
        for s, r in domain.ranges.items()
    }
    inside = Domain.of_ranges(ranges)
    for point in chain([domain.witness], inside.points(POINTS)):
        if inside.contains(point):
            return Domain(ranges, point)
    return domain  # of one point only


def with_signed_logs(expressions: list[Expr], domain: Domain) -> tuple[list[Expr], Domain]:
    """Write an unknown > 0 for log(A) where A > 1 is proved, and minus one where A < 1 is."""
    known: dict[Expr, Expr] = {}
    for atom in in_order(set().union(*(e.atoms(log) for e in expressions))):
        argument = atom.args[0]
        if not argument.free_symbols or argument.has(log, Abs, Max, Min, ClampedRoot, Piecewise):
            continue
        forms = [canonical(argument), canonical(1 / argument)]
        value = next(
            (s * known[f] for f, s in zip(forms, (1, -1), strict=True) if f in known), None
        )
        if value is None:
            signs = [s for s in (1, -1) if surely_positive(s * (argument - 1), domain)]
            if not signs:
                continue
            size = Dummy("log", positive=True)
            domain = domain.with_positive([size])
            value = known[forms[0]] = signs[0] * size
        expressions = [e.xreplace({atom: value}) for e in expressions]
    return expressions, domain


def surely_positive(e: Expr, domain: Domain) -> bool:
    """Whether e > 0 is proved, of a surd by its square."""
    if is_proved_positive(e, domain):
        return True
    return proves_positive(e, domain) and isinstance(defined(e, domain), Holds)


def resolved(e: Expr, region: Domain) -> Expr:
    """Decide case distinctions, maxima and absolute values, as far as can be proved."""
    while True:
        rules = {p: _case(p, region) for p in e.atoms(Piecewise)}
        rules |= {m: _winner(m, region) for m in e.atoms(Max, Min) if not m.has(Piecewise)}
        rules |= {a: _unsigned(a, region) for a in e.atoms(Abs) if not a.has(Piecewise)}
        # What stays as it is must not hide what changes inside it.
        rules = {old: new for old, new in rules.items() if old != new}
        if not rules:
            return e
        e = e.xreplace(rules)


def _case(p: Expr, region: Domain) -> Expr:
    for value, condition in p.args:
        if condition == True:  # noqa: E712
            return value
        if not isinstance(condition, Relational):
            return p
        gap = condition.gts - condition.lts if hasattr(condition, "gts") else None
        if gap is None:
            return p
        strict = "=" not in condition.rel_op
        if is_proved_positive(gap, region, strict=strict):
            return value
        if not is_proved_positive(-gap, region, strict=not strict):
            return p
    return p


def _winner(m: Expr, region: Domain) -> Expr:
    sign = 1 if isinstance(m, Max) else -1
    for a in m.args:
        if all(a is b or is_proved_positive(sign * (a - b), region, strict=False) for b in m.args):
            return a
    return m


def _unsigned(a: Abs, region: Domain) -> Expr:
    """An absolute value without its bars, where the sign is proved."""
    for side in (a.args[0], -a.args[0]):
        if is_proved_positive(side, region, strict=False):
            return side
    return a

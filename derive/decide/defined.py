"""Where an expression has a value: a finite real number, with nothing infinite on the way.

A logarithm needs something positive, a root something that is not negative, and what stands
below a line must not vanish. Each such condition is proved, from the inside out, or else a
point is looked for at which it fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Literal

from sympy import Abs, Expr, Max, Min, Piecewise, Symbol, cos, cosh, exp, log, oo, sin, sinh, tanh
from sympy.core.relational import Relational

from ..frozen import FrozenValue
from .coefficients import closure, proves
from .domain import POSITIVE, Domain, Range
from .evidence import Evidence, Grade, Holds, Outcome, Refuted, Undecided
from .factors import proves_different_from_zero, proves_positive
from .logarithms import spellings, with_prime_logs
from .number import value_at
from .symbols import symbols_of

#: Functions with a finite real value wherever their arguments have one.
_ENTIRE = (exp, sin, cos, sinh, cosh, tanh, Max, Min, Abs)

Need = Literal["> 0", ">= 0", "!= 0", "known"]


class Condition(FrozenValue):
    """What ``argument`` must satisfy for ``part`` to have a value, once its arguments do."""

    part: Expr
    need: Need
    argument: Expr


def conditions(expression: Expr) -> Iterator[Condition]:
    """What an expression needs in order to have a value, inner parts first."""
    seen: set[object] = set()

    def visit(e: Expr) -> Iterator[Condition]:
        if e in seen:
            return
        seen.add(e)
        for a in _arguments(e):
            yield from visit(a)
        yield from _own(e)

    yield from visit(expression)


def defined(expression: Expr, domain: Domain) -> Outcome:
    """Decide whether an expression has a finite real value everywhere on a domain.

    Symbols without a range stand for any real number that they may be.
    """
    needed = domain.restricted(closure(symbols_of(expression), domain))
    return _defined(expression, tuple(needed.ranges.items()))


@lru_cache(maxsize=4096)
def _defined(expression: Expr, ranges: tuple[tuple[Symbol, Range], ...]) -> Outcome:
    domain = _with_all(Domain.of_ranges(dict(ranges)), symbols_of(expression))
    for condition in conditions(expression):
        if not is_met(condition, domain):
            part = condition.part
            point = _failing(condition, domain)
            if point is not None:
                return Refuted.at(point, f"{part} has no value there")
            return Undecided(f"that {part} has a value everywhere was not proved")
    return Holds(Evidence(Grade.EXACT, "every logarithm, root and quotient has a value"))


def _arguments(e: Expr) -> Iterable[Expr]:
    if isinstance(e, Piecewise):
        return [
            side
            for value, condition in e.args
            for side in (value, *(s for r in condition.atoms(Relational) for s in r.args))
        ]
    return [a for a in e.args if isinstance(a, Expr)]


def _own(e: Expr) -> Iterator[Condition]:
    """The condition that comes with the outermost operation."""
    if e.is_Pow and not isinstance(e, exp):
        if e.exp.is_Integer:
            if e.exp < 0:
                yield Condition(e, "!= 0", e.base)
        else:
            weak = e.exp.is_Rational and e.exp > 0
            yield Condition(e, ">= 0" if weak else "> 0", e.base)
    elif isinstance(e, log):
        yield Condition(e, "> 0", e.args[0])
    elif e.is_Symbol:
        if e.is_extended_real is False or e.is_finite is False:
            yield Condition(e, "known", e)
    elif isinstance(e, Piecewise):
        if e.args[-1].cond != True:  # noqa: E712
            yield Condition(e, "known", e)
    elif not (e.is_Rational or e.is_NumberSymbol or e.is_Add or e.is_Mul or isinstance(e, _ENTIRE)):
        yield Condition(e, "known", e)


def is_met(condition: Condition, domain: Domain) -> bool:
    """Whether a condition is proved everywhere on a domain, given those before it."""
    either = spellings([condition.argument])
    return any(_is_met(condition.need, argument, domain) for (argument,) in either)


def _is_met(need: Need, argument: Expr, domain: Domain) -> bool:
    match need:
        case "> 0":
            return proves_positive(argument, domain)
        case ">= 0":
            return proves(argument, domain, strict=False) or proves_positive(argument, domain)
        case "!= 0":
            return proves_different_from_zero(argument, domain)
        case _:
            return False


def _failing(condition: Condition, domain: Domain) -> dict[Symbol, Expr] | None:
    """A point at which a condition fails, if one is found."""
    argument = with_prime_logs(condition.argument)
    for point in domain.restricted(closure(argument.free_symbols, domain)).points():
        value = value_at(argument, point)
        if value is not None and fails(condition.need, value):
            return {s: point[s] for s in argument.free_symbols}
    return None


def fails(need: Need, value: Expr) -> bool:
    """Whether a value does not satisfy a need."""
    match need:
        case "> 0":
            return bool(value <= 0)
        case ">= 0":
            return bool(value < 0)
        case "!= 0":
            return bool(value == 0)
        case _:
            return False


def _with_all(domain: Domain, symbols: Iterable[Symbol]) -> Domain:
    """The domain with a range for symbols that have none: as far as they may reach."""
    free = {s: _widest(s) for s in symbols if s not in domain.ranges}
    return Domain.of_ranges({**free, **domain.ranges}) if free else domain


def _widest(s: Symbol) -> Range:
    if s.is_positive:
        return POSITIVE
    return Range(low_open=False) if s.is_nonnegative else Range(-oo)

"""Functions with kinks: where they bend, the pieces between, and one-sided slopes.

A kink is where a maximum of two changes over. Their difference must be affine in the
variable, so there is one such place and on each side one of the two is the maximum.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product

from sympy import Abs, Dummy, Expr, Gt, Max, Min, Piecewise, S, Symbol
from sympy.functions.elementary.miscellaneous import MinMaxBase

from .calculus import derivative
from .decide import is_proved_positive
from .domain import Domain
from .present import affine, tidy

#: Which side of each kink a piece lies on: True above it.
Pattern = Mapping[Expr, bool]


class NotBent(ValueError):
    """The kinks of a function cannot be read; the message says why."""


@dataclass(frozen=True, eq=False)
class Kink:
    """A place, and which of two expressions is larger below and above it."""

    at: Expr
    below: Expr
    above: Expr


def has_kinks(function: Expr) -> bool:
    """Whether a maximum, minimum or absolute value occurs."""
    return bool(function.has(MinMaxBase, Abs))


class Bent:
    """A function of one variable, smooth but for the kinks of its maxima.

    Raises
    ------
    NotBent
        If a maximum is not of two, or their difference is not affine in the variable with a
        slope of known sign.
    """

    def __init__(self, function: Expr, variable: Symbol, domain: Domain):
        self.variable = variable
        self.function = function.replace(
            lambda e: isinstance(e, Abs), lambda e: Max(e.args[0], -e.args[0])
        ).replace(lambda e: isinstance(e, Min), lambda e: -Max(*(-a for a in e.args)))
        self.kinks = {m: self._kink(m, domain) for m in sorted(self.function.atoms(Max), key=str)}

    def _kink(self, maximum: Expr, domain: Domain) -> Kink:
        x = self.variable
        if len(maximum.args) != 2 or any(a.has(Max) for a in maximum.args):
            raise NotBent("a max must be one of two expressions without a max")
        one, other = maximum.args
        rate = tidy(derivative(one - other, x))
        if x in rate.free_symbols or rate == 0:
            raise NotBent(
                f"the two sides of {in_x(maximum, x)} must differ by something affine in x"
            )
        at = tidy(-(one - other).xreplace({x: S.Zero}) / rate)
        if is_proved_positive(rate, domain) or rate.is_positive:
            return Kink(at, other, one)
        if is_proved_positive(-rate, domain) or rate.is_negative:
            return Kink(at, one, other)
        raise NotBent(f"which side of {in_x(maximum, x)} is larger depends on the sign of {rate}")

    @property
    def located(self) -> bool:
        """Whether all kinks are at numbers."""
        return not any(k.at.free_symbols for k in self.kinks.values())

    def patterns(self) -> Iterator[Pattern]:
        """Every choice of sides; with kinks at numbers only those that occur."""
        for sides in product((False, True), repeat=len(self.kinks)):
            chosen = dict(zip(self.kinks, sides, strict=True))
            if not self.located or self._ends(chosen) is not None:
                yield chosen

    def piece(self, pattern: Pattern) -> Expr:
        """The smooth function that it is on one choice of sides."""
        return self.function.xreplace(
            {m: k.above if pattern[m] else k.below for m, k in self.kinks.items()}
        )

    def ends(self, pattern: Pattern, low: Expr, high: Expr) -> tuple[Expr, Expr] | None:
        """The part of [low, high] on which a piece applies, or None if it has no inside."""
        found = self._ends(pattern)
        if found is None:
            return None
        a, b = max([low, *found[0]]), min([high, *found[1]])
        return (a, b) if a < b else None

    def _ends(self, pattern: Pattern) -> tuple[list[Expr], list[Expr]] | None:
        lows = [k.at for m, k in self.kinks.items() if pattern[m]]
        highs = [k.at for m, k in self.kinks.items() if not pattern[m]]
        empty = lows and highs and max(lows) > min(highs)
        return None if empty else (lows, highs)

    def jumps(self) -> Iterator[tuple[Kink, Expr]]:
        """How much the slope rises at each kink, for every choice of sides of the others."""
        for m, kink in self.kinks.items():
            for pattern in self.patterns():
                if not pattern[m] and (not self.located or self._touches(pattern, m)):
                    sides = ({**pattern, m: True}, pattern)
                    above, below = (derivative(self.piece(p), self.variable) for p in sides)
                    yield kink, tidy((above - below).xreplace({self.variable: kink.at}))

    def _touches(self, pattern: Pattern, maximum: Expr) -> bool:
        at = self.kinks[maximum].at
        return all(
            other is maximum or (k.at <= at if pattern[other] else k.at >= at)
            for other, k in self.kinks.items()
        )

    @cached_property
    def _parts(self) -> tuple[Expr, dict[Expr, Dummy]]:
        stand_ins = {m: Dummy("max", real=True) for m in self.kinks}
        return self.function.xreplace(stand_ins), stand_ins

    def slope(self, side: int) -> Expr:
        """Derivative from the right (1) or from the left (-1)."""
        smooth, stand_ins = self._parts
        total = derivative(smooth, self.variable)
        for m, kink in self.kinks.items():
            above, below = (derivative(e, self.variable) for e in (kink.above, kink.below))
            x, at = self.variable, kink.at
            step = Piecewise((above, x >= at if side > 0 else Gt(x, at)), (below, True))
            total += derivative(smooth, stand_ins[m]) * step
        return total.xreplace({d: m for m, d in stand_ins.items()})


def in_x(expression: Expr, variable: Symbol) -> Expr:
    """As a user writes it: in x, the inner product."""
    return expression.xreplace({variable: Symbol("x")})


def pieces_of_slope(h: Expr, x: Symbol, low: Expr, high: Expr) -> list[tuple[Expr, Expr, Expr]]:
    """Cut [low, high] where a number of branches change, into (start, end, smooth expression).

    ``h`` has no other symbols; its conditions and maxima are affine in ``x``.
    """
    changes = [c.lhs - c.rhs for p in h.atoms(Piecewise) for _, c in p.args if c.has(x)]
    changes += [m.args[0] - m.args[1] for m in h.atoms(Max)]
    inside = set()
    for change in changes:
        rate = derivative(change, x)
        if rate != 0:
            at = -change.xreplace({x: S.Zero}) / rate
            if low < at < high:
                inside.add(at)
    points = [low, *sorted(inside), high]
    return [(a, b, _branch(h, x, (a + b) / 2)) for a, b in pairwise(points)]


def _branch(h: Expr, x: Symbol, at: Expr) -> Expr:
    """The smooth expression that applies around a point."""
    rules: dict[Expr, Expr] = {}
    for p in h.atoms(Piecewise):
        rules[p] = next(e for e, c in p.args if c.xreplace({x: at}) == True)  # noqa: E712
    for m in h.atoms(Max):
        rules[m] = max(m.args, key=lambda a: a.xreplace({x: at}))
    return affine(h.xreplace(rules).xreplace(rules), x)

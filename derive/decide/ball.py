"""Enclosures of numbers, and of functions on intervals, in Arb's ball arithmetic.

A ball is a midpoint and a radius; every operation returns one that holds every value that
its arguments allow. So a ball above zero proves a sign, and a narrow one proves digits. An
exponential too large for a machine is never formed: it is bounded, or refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import reduce
from typing import Any

from mpmath import libmp
from sympy import (
    Abs,
    And,
    Expr,
    Float,
    Max,
    Min,
    Not,
    Or,
    Piecewise,
    Rational,
    S,
    Symbol,
    cos,
    exp,
    log,
)
from sympy.core.relational import Eq, Ge, Gt, Le, Lt, Ne

from .evidence import Boxes, Evidence, Grade, Holds, Outcome, Undecided

#: Bits of the proofs on boxes, and the smallest box: 2**-DEPTH of the interval.
BITS = 100
DEPTH = 12
#: Arb takes exponentials of up to 2**EXPONENT at any precision (and of 2**bits at more bits).
EXPONENT = 100
#: Bits beyond those of a float that is asked for.
GUARD_BITS = 40
#: No power is taken by more multiplications than twice this.
POWER_BITS = 256


class NotEnclosed(ValueError):
    """An expression has no ball; the message says which part and why."""


class NoValue(NotEnclosed):
    """It is not a real number there, to whatever precision."""


class Unknown(NoValue):
    """There may be one, but no ball of such a function is known."""


class TooWide(NotEnclosed):
    """The balls of its parts do not tell; narrower ones may."""


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Work with so many bits."""
    from flint import ctx

    before, ctx.prec = ctx.prec, bits
    try:
        yield
    finally:
        ctx.prec = before


def enclosure(e: Expr, bits: int, at: Mapping[Symbol, Any] | None = None) -> Any:
    """A ball that contains the value, computed with ``bits`` bits; symbols are balls in ``at``.

    Raises
    ------
    NoValue, TooWide
        If there is no such ball, ever or at this precision.
    """
    with precision(bits):
        return Enclosures(bits, at or {})(e)


def as_float(ball: Any, bits: int) -> Float:
    """The middle of a ball, rounded to so many bits."""
    man, power = (int(k) for k in ball.mid().man_exp())
    return Float._new(libmp.from_man_exp(man, power, bits, "n"), bits)


class Enclosed(Expr):
    """A number that finds balls around itself, once its symbols are given."""

    is_commutative = True
    is_extended_real = True

    def enclosure(self, bits: int) -> Any:
        """A ball around the number.

        Raises
        ------
        NotEnclosed
            If symbols are left, or none is found.
        """
        raise NotImplementedError

    def settled(self) -> Expr:
        """The number exactly, where it is known so; itself while symbols are left."""
        return self

    def _eval_evalf(self, prec: int) -> Expr | None:
        try:
            return None if self.free_symbols else as_float(self.enclosure(prec + GUARD_BITS), prec)
        except NotEnclosed:
            return None


class Enclosures:
    """Balls of an expression and its parts, each evaluated once, at the precision in force."""

    def __init__(self, bits: int, at: Mapping[Symbol, Any]):
        import flint

        self.flint, self.bits = flint, bits
        self.known: dict[Expr, Any] = dict(at)

    def __call__(self, e: Expr) -> Any:
        found = self.known.get(e)
        if found is None:
            found = self._evaluate(e)
            if not found.is_finite():
                raise TooWide(f"{e} is not bounded")
            self.known[e] = found
        return found

    def _evaluate(self, e: Expr) -> Any:
        arb = self.flint.arb
        if e.is_Rational:
            return arb(int(e.p)) if e.q == 1 else arb(self.flint.fmpq(int(e.p), int(e.q)))
        if e.is_Add:
            return reduce(lambda a, b: a + b, map(self, e.args))
        if e.is_Mul:
            return reduce(lambda a, b: a * b, map(self, e.args))
        if isinstance(e, exp):
            return self._exp(self(e.args[0]))
        if isinstance(e, log):
            return self._log(self(e.args[0]), e)
        if e.is_Pow:
            return self._pow(e)
        if isinstance(e, (Max, Min)):
            least = isinstance(e, Min)
            return reduce(lambda a, b: a.min(b) if least else a.max(b), map(self, e.args))
        if isinstance(e, Abs):
            return abs(self(e.args[0]))
        if isinstance(e, Piecewise):
            return self._cases(e)
        if isinstance(e, cos):
            return self(e.args[0]).cos()
        if e is S.Pi:
            return arb.pi()
        if e is S.Exp1:
            return arb(1).exp()
        if e.is_Float:
            return self(Rational(e))  # the binary number that it is
        if hasattr(e, "in_balls"):  # a function that knows how
            return e.in_balls(*map(self, e.args))
        if hasattr(e, "enclosure"):  # a number with a solver of its own
            return e.enclosure(self.bits)
        raise Unknown(f"{e} is not evaluated with a proof")

    def _exp(self, x: Any) -> Any:
        arb = self.flint.arb
        limit = arb(2) ** max(EXPONENT, self.bits)
        if x.abs_upper() < limit:
            return x.exp()
        if x < 0:
            return arb(0).union((-limit).exp())
        raise TooWide("an exponential is too large")

    def _log(self, x: Any, e: Expr) -> Any:
        if x > 0:
            return x.log()
        raise (NoValue if x <= 0 else TooWide)(f"{e} is not defined")

    def _not_zero(self, x: Any, e: Expr) -> None:
        if not (x > 0 or x < 0):
            raise (NoValue if x.is_zero() else TooWide)(f"{e} is not defined")

    def _pow(self, e: Expr) -> Any:
        base, power = self(e.base), e.exp
        arb = self.flint.arb
        if power.is_Integer:
            if abs(int(power)).bit_length() > POWER_BITS:
                raise TooWide(f"{e} is too large")
            if power < 0:
                self._not_zero(base, e)
            return _integer_power(base, int(power), arb)
        if base > 0:
            if power.is_Rational and power.q == 2:
                return _integer_power(base.sqrt(), int(power.p), arb)
            return self._exp(base.log() * self(power))
        if base.is_zero() and power.is_positive:
            return arb(0)
        raise (NoValue if base <= 0 else TooWide)(f"{e} is not defined")

    def _cases(self, e: Piecewise) -> Any:
        """The value of the case that applies, or a ball around those that may."""
        possible = []
        for value, condition in e.args:
            holds = self._holds(condition)
            if holds is not False:
                possible.append(self(value))
            if holds:
                return reduce(lambda a, b: a.union(b), possible)
        raise (TooWide if possible else NoValue)(f"no case of {e} applies")

    def _holds(self, condition: Any) -> bool | None:
        """Whether a condition is true, or None where the balls do not tell."""
        if condition in (S.true, S.false):
            return bool(condition)
        if isinstance(condition, Not):
            found = self._holds(condition.args[0])
            return None if found is None else not found
        if isinstance(condition, (And, Or)):
            parts = [self._holds(c) for c in condition.args]
            decisive = isinstance(condition, Or)
            return decisive if decisive in parts else None if None in parts else not decisive
        if not isinstance(condition, (Eq, Ne, Gt, Ge, Lt, Le)):
            raise Unknown(f"{condition} is not a comparison")
        gap = self(condition.lhs) - self(condition.rhs)
        if not (gap > 0 or gap < 0 or gap.is_zero()):
            return None
        return bool(condition.func(int(gap > 0) - int(gap < 0), 0))


def _integer_power(base: Any, power: int, arb: Any) -> Any:
    if power < 0:
        return 1 / _integer_power(base, -power, arb)
    total = arb(1)
    while power:
        if power & 1:
            total = total * base
        base = base * base
        power >>= 1
    return total


# --- signs on an interval --------------------------------------------------------------------
def non_negative(expression: Expr, c: Symbol, low: Rational, high: Rational) -> Outcome:
    """Whether an expression in ``c`` alone is >= 0 on [low, high], by bisection of boxes.

    The boxes are kept, for any other interval library to check again.
    """
    if expression.free_symbols - {c}:
        return Undecided("interval arithmetic needs numbers for the parameters")
    boxes: list[tuple[str, str]] = []
    todo = [(low, high, 0)]
    with precision(BITS):
        while todo:
            a, b, depth = todo.pop()
            if _Box(c, a, b).non_negative(expression):
                boxes.append((str(a), str(b)))
                continue
            if depth == DEPTH:
                return Undecided(f"no sign was found on [{a}, {b}]")
            middle = (a + b) / 2
            todo += [(middle, b, depth + 1), (a, middle, depth + 1)]  # from left to right
    how = f"ball arithmetic on {len(boxes)} boxes that cover [{low}, {high}]"
    record = Boxes(str(expression), c.name, tuple(boxes))
    return Holds(Evidence(Grade.INTERVAL, how, (record,)))


class _Box(Enclosures):
    """Balls over a box; a ball that only touches zero is looked into, since radii are rounded."""

    def __init__(self, c: Symbol, low: Rational, high: Rational):
        super().__init__(BITS, {})
        self.c, self.ends = c, (low, high)
        self.known[c] = self(low).union(self(high))

    def non_negative(self, e: Expr) -> bool:
        return self._from_ball(e) or self._from_parts(e)

    def _from_ball(self, e: Expr, least: float = 0) -> bool:
        try:
            return bool(self(e) >= least)
        except NotEnclosed:
            return False

    def _from_parts(self, e: Expr) -> bool:
        """Sums and products of what is >= 0, powers, exponentials, and what is affine."""
        if e == self.c or (e.is_Add and e.is_polynomial(self.c) and e.diff(self.c, 2) == 0):
            return all((e.xreplace({self.c: end}) >= 0) == True for end in self.ends)  # noqa: E712
        if e.is_Add:
            return all(map(self.non_negative, e.args))
        if e.is_Mul:
            falls = [a for a in e.args if not self.non_negative(a)]
            return len(falls) % 2 == 0 and all(-a != e and self.non_negative(-a) for a in falls)
        if e.is_Pow and e.exp.is_Rational and e.exp > 0:
            even = e.exp.is_Integer and e.exp % 2 == 0
            return (even and self._from_ball(e.base, -math.inf)) or self.non_negative(e.base)
        if isinstance(e, exp):  # of a real number, also where its ball is too wide
            return True
        return isinstance(e, log) and self.non_negative(e.args[0] - 1)

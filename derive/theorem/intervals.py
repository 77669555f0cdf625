"""Values in mpmath's intervals, with no help from the balls that found a number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import reduce
from typing import Any

from mpmath import iv, mp
from sympy import Abs, Expr, Max, Min, Piecewise, S, Symbol, exp, log
from sympy.core.relational import Relational

from ..decide.root import ClampedRoot

#: Exponentials of more are only bounded.
LARGEST = 2**4096


class NoInterval(ValueError):
    """An operation is not defined on an interval."""


@contextmanager
def interval_digits(digits: int) -> Iterator[None]:
    before, iv.dps = iv.dps, digits
    try:
        yield
    finally:
        iv.dps = before


class Intervals:
    """Values in mpmath's intervals, with no help from the balls that found a number."""

    def __init__(self, at: Mapping[Symbol, Any]):
        self.at = at

    def __call__(self, e: Expr) -> Any:
        if e in self.at:
            found = self.at[e]
            return self(found) if isinstance(found, Expr) else found
        if e.is_Rational:
            return iv.mpf(int(e.p)) / iv.mpf(int(e.q))
        if isinstance(e, Piecewise):
            return self._cases(e)
        if isinstance(e, ClampedRoot):
            return self._root(e)
        if e is S.Pi:
            return iv.pi
        if e is S.Exp1:
            return iv.e
        if not e.args:
            raise NoInterval(str(e))
        return self._apply(e, [self(a) for a in e.args])

    def _apply(self, e: Expr, args: list[Any]) -> Any:
        if e.is_Add:
            return sum(args[1:], args[0])
        if e.is_Mul:
            return reduce(lambda a, b: a * b, args)
        if isinstance(e, exp):
            return _exp(args[0])
        if isinstance(e, (Max, Min)):
            choose = max if isinstance(e, Max) else min
            return iv.mpf([choose(a.a for a in args).a, choose(a.b for a in args).b])
        if isinstance(e, Abs):
            return abs(args[0])
        if isinstance(e, log) and args[0].a > 0:
            return iv.log(args[0])
        if e.is_Pow:
            return self._power(args[0], e.exp, args[1])
        raise NoInterval(str(e))

    def _power(self, base: Any, power: Expr, value: Any) -> Any:
        if power.is_Integer:
            if power < 0 and base.a <= 0 <= base.b:
                raise NoInterval(str(power))
            return base ** int(power)
        if base.a < 0 or (base.a <= 0 and not value.a > 0):
            raise NoInterval(str(power))
        if base.a <= 0:
            return iv.mpf([0, self._power(iv.mpf(base.b), power, value).b if base.b > 0 else 0])
        return iv.sqrt(base) if power == S.Half else _exp(value * iv.log(base))

    def _cases(self, e: Piecewise) -> Any:
        for value, condition in e.args:
            if condition == True:  # noqa: E712
                return self(value)
            if not isinstance(condition, Relational):
                break
            sign = self._sign(condition.lhs - condition.rhs)
            if sign is None:
                break
            if condition.func(sign, 0):
                return self(value)
        raise NoInterval(str(e))

    def _root(self, e: ClampedRoot) -> Any:
        """Around its digits, if the function changes sign there."""
        (h, x), digits = e.equation(), e.evalf(iv.dps)
        if not digits.is_Float:
            raise NoInterval(str(e))
        near = iv.mpf(mp.make_mpf(digits._mpf_))
        step = abs(near) * iv.mpf(10) ** (3 - iv.dps)
        before, after = (Intervals({**self.at, x: near + side * step})(h) for side in (-1, 1))
        if not before.b < 0 < after.a:
            raise NoInterval(str(e))
        return iv.mpf([(near - step).a, (near + step).b])

    def _sign(self, gap: Expr) -> int | None:
        exact = gap.xreplace({s: v for s, v in self.at.items() if isinstance(v, Expr)})
        if exact.is_Rational:
            return (exact.p > 0) - (exact.p < 0)
        found = self(gap)
        return 1 if found.a > 0 else -1 if found.b < 0 else None


def _exp(power: Any) -> Any:
    low, high = power.a, power.b
    low = -iv.inf if low < -LARGEST else min(low, iv.mpf(LARGEST))
    high = iv.inf if high > LARGEST else max(high, iv.mpf(-LARGEST))
    return iv.exp(iv.mpf([low.a, high.b]))

"""Signs on an interval by interval arithmetic, where algebra does not decide.

Every operation is rounded outward, so a lower bound above zero on boxes that cover the
interval is a proof. The boxes are kept, for any other interval library to check again.
"""

from __future__ import annotations

from typing import Any

from mpmath import iv
from sympy import Expr, Rational, Symbol, exp, log

from .evidence import Boxes, Evidence, Grade, Holds, Outcome, Undecided

#: Digits of the interval arithmetic, and the smallest box: 2**-DEPTH of the interval.
DIGITS = 30
DEPTH = 12


def non_negative(expression: Expr, c: Symbol, low: Rational, high: Rational) -> Outcome:
    """Whether an expression in ``c`` alone is >= 0 on [low, high], by bisection of boxes."""
    if expression.free_symbols - {c}:
        return Undecided("interval arithmetic needs numbers for the parameters")
    boxes: list[tuple[str, str]] = []
    todo = [(low, high, 0)]
    with _precision(DIGITS):
        while todo:
            a, b, depth = todo.pop()
            bound = _evaluate(expression, {c: _box(a, b)})
            if bound is not None and bound.a >= 0:
                boxes.append((str(a), str(b)))
                continue
            if depth == DEPTH:
                return Undecided(f"no sign was found on [{a}, {b}]")
            middle = (a + b) / 2
            todo += [(middle, b, depth + 1), (a, middle, depth + 1)]  # from left to right
    how = f"interval arithmetic on {len(boxes)} boxes that cover [{low}, {high}]"
    record = Boxes(str(expression), c.name, tuple(boxes))
    return Holds(Evidence(Grade.INTERVAL, how, (record,)))


class _precision:
    def __init__(self, digits: int):
        self.digits = digits

    def __enter__(self) -> None:
        self.before, iv.dps = iv.dps, self.digits

    def __exit__(self, *_: object) -> None:
        iv.dps = self.before


def _box(a: Rational, b: Rational) -> Any:
    return iv.mpf([_ratio(a).a, _ratio(b).b])


def _ratio(value: Rational) -> Any:
    return iv.mpf(int(value.p)) / iv.mpf(int(value.q))


def _evaluate(e: Expr, at: dict[Symbol, Any]) -> Any:
    """An enclosure of the values, or None where an operation is not defined."""
    if e in at:
        return at[e]
    if e.is_Rational:
        return _ratio(e)
    args = [_evaluate(a, at) for a in e.args]
    if any(a is None for a in args):
        return None
    if e.is_Add:
        return sum(args[1:], args[0])
    if e.is_Mul:
        total = args[0]
        for a in args[1:]:
            total = total * a
        return total
    if isinstance(e, exp):
        return iv.exp(args[0])
    if isinstance(e, log):
        return iv.log(args[0]) if args[0].a > 0 else None
    if e.is_Pow and e.exp.is_Integer:
        k = int(e.exp)
        if k < 0 and args[0].a <= 0 <= args[0].b:
            return None
        return args[0] ** k
    if e.is_Pow and e.exp.is_Rational and args[0].a > 0:
        return iv.exp(iv.log(args[0]) * _ratio(e.exp))
    return None

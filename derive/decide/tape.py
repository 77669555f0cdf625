"""Expressions that are evaluated in balls again and again, their common parts once each time.

The parts are found when the tape is made; to run it compares no expressions. What each operation
does, and when it has no value, is as in :class:`~.ball.Enclosures`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import add, mul
from typing import Any

from sympy import Expr, Symbol, exp, log

from .ball import Enclosures, TooWide

#: From the operations of an enclosure and the balls of the parts so far to a ball.
Operation = Callable[[Enclosures, list[Any]], Any]


class Tape:
    """Expressions as a list of operations, in symbols that are given as balls at each run."""

    def __init__(self, expressions: Sequence[Expr]):
        self._places: dict[Expr, int] = {}
        self._parts: list[Expr] = []
        self._operations: list[Operation | None] = []
        self._results = [self._place(e) for e in expressions]

    def run(self, bits: int, at: Mapping[Symbol, Any]) -> list[Any]:
        """A ball for each expression, at the precision in force.

        Raises
        ------
        NoValue, TooWide
            If there is none, ever or at this precision.
        """
        balls = Enclosures(bits, at)
        found: list[Any] = []
        for part, operation in zip(self._parts, self._operations, strict=True):
            ball = balls(part) if operation is None else operation(balls, found)
            if not ball.is_finite():
                raise TooWide(f"{part} is not bounded")
            found.append(ball)
        return [found[k] for k in self._results]

    def _place(self, e: Expr) -> int:
        """Where the ball of an expression will stand."""
        if e in self._places:
            return self._places[e]
        operation = self._operation(e)
        self._places[e] = len(self._parts)
        self._parts.append(e)
        self._operations.append(operation)
        return self._places[e]

    def _operation(self, e: Expr) -> Operation | None:
        """What makes the ball from those of the parts; None if it is looked up or done whole."""
        if e.is_Add or e.is_Mul:
            places = [self._place(a) for a in e.args]
            return _joined(add if e.is_Add else mul, places)
        if isinstance(e, (exp, log)):
            k = self._place(e.args[0])
            if isinstance(e, exp):
                return lambda balls, found: balls.exp(found[k])
            return lambda balls, found: balls.log(found[k], e)
        if e.is_Pow and e.exp == -1:
            k = self._place(e.base)
            return lambda balls, found: balls.inverse(found[k], e)
        return None


def _joined(operation: Callable[[Any, Any], Any], places: Sequence[int]) -> Operation:
    return lambda balls, found: reduce(operation, [found[k] for k in places])

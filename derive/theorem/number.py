"""Values as they are handed out: numbers to the digits asked for, all of them proved."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from math import prod
from numbers import Integral
from typing import TypeAlias, TypeVar

import mpmath
from sympy import Basic, Expr, FiniteSet, S, Symbol, oo, zoo
from sympy.core.symbol import Str
from sympy.sets.sets import Set

from ..decide.ball import NotEnclosed, NoValue
from ..decide.digits import GUARD_DIGITS, NotKnown, rounded
from ..decide.domain import DomainError
from ..frozen import FrozenValue
from .kinds import pieces

T = TypeVar("T")
#: Entries of an array, as nested lists.
Nested: TypeAlias = "T | list[Nested[T]]"


def number(expression: Expr, name: str, digits: int, *, extended: bool = False) -> mpmath.mpf:
    """Evaluate an expression without free symbols; extended ones may be infinite.

    Raises
    ------
    DomainError
        If symbols are left, the value is not real, or that is not a number of digits.
    """
    if not isinstance(digits, Integral) or isinstance(digits, bool) or digits < 1:
        raise DomainError(f"digits must be an integer from 1 on, not {digits!r}")
    if expression.free_symbols:
        left = ", ".join(sorted(s.name for s in expression.free_symbols))
        raise DomainError(f"{name} still depends on {left}: give a value")
    if expression in (oo, -oo):
        return mpmath.inf if expression is oo else -mpmath.inf
    if extended and expression is zoo:
        return mpmath.inf
    try:
        value, text = rounded(expression, digits)
    except NoValue:
        raise DomainError(f"{name} has no real value there") from None
    except (NotEnclosed, NotKnown) as error:
        raise DomainError(f"{name}: {error}") from None
    with mpmath.workdps(digits + GUARD_DIGITS):
        found = _Number(value)
    found.text = text
    return found


class _Number(mpmath.mpf):
    """An mpmath float that prints the digits that were asked for, all of them proved."""

    text = ""

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


def decided(expression: Basic, name: str, names: Collection[Basic] = ()) -> bool | str:
    """Whether a condition holds, or what a name is, perhaps one of those that cases lead to.

    Raises
    ------
    DomainError
        If that depends on symbols that are left.
    """
    if isinstance(expression, Str):
        return str(expression.name)
    if expression in (S.true, S.false):
        return bool(expression)
    if expression in names:
        return str(expression)
    left = ", ".join(sorted(s.name for s in expression.free_symbols - set(names)))
    raise DomainError(f"{name} still depends on {left}: give a value")


def nested(flat: Sequence[T], shape: Sequence[int]) -> Nested[T]:
    """Entries as nested lists."""
    if not shape:
        return flat[0]
    step = prod(shape[1:])
    return [nested(flat[k * step : (k + 1) * step], shape[1:]) for k in range(shape[0])]


# --- sets ------------------------------------------------------------------------------------
class Between(FrozenValue):
    """An interval of numbers, or one number; or how its ends are written."""

    low: mpmath.mpf
    high: mpmath.mpf
    low_open: bool = False
    high_open: bool = False

    def __contains__(self, value: float | mpmath.mpf) -> bool:
        above = value > self.low if self.low_open else value >= self.low
        below = value < self.high if self.high_open else value <= self.high
        return bool(above and below)

    def __str__(self) -> str:
        if self.low is self.high:
            return f"{{{_end(self.low)}}}"
        left, right = "(" if self.low_open else "[", ")" if self.high_open else "]"
        return f"{left}{_end(self.low)}, {_end(self.high)}{right}"

    __repr__ = __str__


class Numbers(FrozenValue):
    """The values that a parameter may have: intervals, from the lowest on."""

    parameter: str
    parts: tuple[Between, ...]

    def __contains__(self, value: float | mpmath.mpf) -> bool:
        return any(value in part for part in self.parts)

    def __str__(self) -> str:
        """``alpha in [0.1, 0.3) or in [0.5, 1]``."""
        parts = [str(part) for part in self.parts]
        if parts in ([], ["(-oo, oo)"]):
            return f"{'every' if parts else 'no'} {self.parameter}"
        return f"{self.parameter} {' or '.join(f'in {part}' for part in parts)}"

    __repr__ = __str__


def _end(value: mpmath.mpf) -> str:
    if isinstance(value, str):
        return value
    return str(decimal(value)) if value else "0"


def numbers(parameter: Symbol, values: Set, end: Callable[[Expr], mpmath.mpf]) -> Numbers:
    """A set whose ends are numbers, or texts, each of which ``end`` makes."""
    found: list[Between] = []
    for part in pieces(values):
        if isinstance(part, FiniteSet):
            found += [Between(e, e) for e in map(end, part.args)]
            continue
        low, high = (
            mpmath.inf * (1 if e is oo else -1) if e in (oo, -oo) else end(e)
            for e in (part.inf, part.sup)
        )
        found.append(Between(low, high, bool(part.left_open), bool(part.right_open)))
    return Numbers(parameter.name, tuple(found))


#: A number, nested lists of them, a set of them, whether a condition holds, or a name.
Value: TypeAlias = "mpmath.mpf | list[Nested[mpmath.mpf]] | Numbers | bool | str"


# --- text ------------------------------------------------------------------------------------
def as_float(value: Value) -> float:
    """A number that was handed out, in float64; of a condition 1 or 0.

    Raises
    ------
    TypeError
        If it is no number, but an array, a set or a name.
    """
    if isinstance(value, (str, list, Numbers)):
        raise TypeError(f"{value} is not a number")
    return float(value)


def decimal(value: Value) -> Nested[str]:
    """The decimal string of a number, ``oo`` for infinity; nested lists of them for an array."""
    if isinstance(value, list):
        return [decimal(v) for v in value]
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (str, Numbers)):
        return str(value)
    if mpmath.isinf(value):
        return "oo" if value > 0 else "-oo"
    return str(value)

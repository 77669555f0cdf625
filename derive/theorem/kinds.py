"""What a quantity may be: a number, an array, a set of a parameter's values, a condition, a name.

All of them are made of numbers, which are put in and proved one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TypeAlias

from sympy import (
    And,
    Basic,
    Expr,
    FiniteSet,
    ImmutableDenseNDimArray,
    Interval,
    Not,
    Or,
    Piecewise,
    S,
    Union,
    oo,
    sympify,
)
from sympy.core.relational import Relational
from sympy.core.symbol import Str
from sympy.logic.boolalg import Boolean, BooleanAtom
from sympy.matrices import MatrixBase
from sympy.sets.sets import Set
from sympy.tensor.array import NDimArray

from ..decide.decide import is_proved_positive
from ..decide.digits import sign
from ..decide.domain import Domain, DomainError

#: What a quantity may be: a number, an array, a set of values, a condition, a name.
Expression: TypeAlias = Expr | ImmutableDenseNDimArray | Set | Boolean | Str


class Kind(Enum):
    """What an expression is."""

    NUMBER = "number"
    ARRAY = "array"
    SET = "set"
    CONDITION = "condition"
    NAME = "name"


def as_basic(value: object) -> Basic:
    """One form for each kind: nested lists and matrices are arrays, text is a name."""
    if isinstance(value, str):
        return Str(value)
    if isinstance(value, (list, tuple, MatrixBase, NDimArray)):
        return ImmutableDenseNDimArray(value)
    found = sympify(value, strict=True)
    kind_of(found)
    return found


def kind_of(value: Basic) -> Kind:
    """What an expression is.

    Raises
    ------
    TypeError
        If it is none of the kinds.
    """
    if isinstance(value, Expr):
        return Kind.NUMBER
    if isinstance(value, ImmutableDenseNDimArray):
        return Kind.ARRAY
    if isinstance(value, Set) and _is_of_intervals(value):
        return Kind.SET
    if isinstance(value, Boolean) and _is_of_relations(value):
        return Kind.CONDITION
    if isinstance(value, Str):
        return Kind.NAME
    raise TypeError(f"a {type(value).__name__} is not a quantity")


def _is_of_intervals(value: Set) -> bool:
    if isinstance(value, Union):
        return all(map(_is_of_intervals, value.args))
    return value in (S.EmptySet, S.Reals) or isinstance(value, (Interval, FiniteSet))


def _is_of_relations(value: Basic) -> bool:
    if isinstance(value, (And, Or, Not)):
        return all(map(_is_of_relations, value.args))
    return isinstance(value, (Relational, BooleanAtom))


def numbers_in(value: Basic) -> list[Expr]:
    """The numbers that it is made of: itself, entries, ends, or both sides of relations."""
    found: list[Expr] = []

    def note(e: Expr) -> Expr:
        found.append(e)
        return e

    rebuilt(value, note)
    return found


def rebuilt(value: Basic, put: Callable[[Expr], Expr]) -> Basic:
    """The same with another number in the place of each; what can be decided then is.

    Raises
    ------
    DomainError
        If two numbers are not told apart.
    """
    kind = kind_of(value)
    if kind is Kind.NUMBER:
        return put(value)
    if kind is Kind.ARRAY:
        return value.applyfunc(put)
    if kind is Kind.SET:
        return _set(value, put)
    return _condition(value, put) if kind is Kind.CONDITION else value


def first_case(value: Piecewise) -> Expr:
    """The first name whose condition is proved to hold; itself where symbols are left.

    Raises
    ------
    DomainError
        If two numbers are not told apart.
    """
    for name, condition in value.args:
        held = rebuilt(condition, lambda e: e)
        if held == True:  # noqa: E712
            return name
        if held != False:  # noqa: E712
            break
    return value


def _set(value: Set, put: Callable[[Expr], Expr]) -> Set:
    if isinstance(value, Union):
        return _union([_set(part, put) for part in value.args])
    if isinstance(value, FiniteSet):
        return FiniteSet(*map(put, value.args))
    if isinstance(value, Interval):
        low, high = (e if e in (oo, -oo) else put(e) for e in (value.start, value.end))
        return interval(low, high, bool(value.left_open), bool(value.right_open))
    return value


def interval(low: Expr, high: Expr, low_open: bool = False, high_open: bool = False) -> Set:
    """An interval, or the point or nothing that is left of it, which is proved of numbers."""
    order = _order(low, high)
    if order == 1 or (order == 0 and (low_open or high_open)):
        return S.EmptySet
    return FiniteSet(low) if order == 0 else Interval(low, high, low_open, high_open)


def _order(one: Expr, other: Expr) -> int | None:
    """-1, 0 or 1 as one number is less, equal or greater; None if symbols are left."""
    if one == other:
        return 0
    if one in (oo, -oo) or other in (oo, -oo):
        return -1 if one is -oo or other is oo else 1
    if one.free_symbols or other.free_symbols:
        return None
    found = sign(one - other)
    if found is None:
        raise DomainError(f"which of {one} and {other} is larger was not decided")
    return found


def _union(parts: list[Set]) -> Set:
    """Side by side, from the lowest on where that is known; SymPy would compare by floats."""
    kept = [p for p in parts if p is not S.EmptySet]
    if len(kept) < 2:
        return kept[0] if kept else S.EmptySet
    return Union(*kept, evaluate=False)


def pieces(value: Set) -> list[Set]:
    """The intervals and points of a set, those between numbers from the lowest on."""
    if value is S.EmptySet:
        return []
    found = list(value.args) if isinstance(value, Union) else [value]
    ends = [p.inf if p is not S.Reals else -oo for p in found]
    if any(e.free_symbols for e in ends):
        return found
    for k in range(1, len(found)):  # by insertion: the order is proved
        while k and _order(ends[k], ends[k - 1]) == -1:
            found[k - 1 : k + 1] = found[k], found[k - 1]
            ends[k - 1 : k + 1] = ends[k], ends[k - 1]
            k -= 1
    return found


def without_empty(value: Set, domain: Domain) -> Set:
    """A set without the intervals whose ends are proved to stand in the wrong order."""
    return _union([p for p in pieces(value) if not _exceeds(p.inf, p.sup, domain, strict=True)])


def may_be_empty(value: Set, domain: Domain) -> bool:
    """Whether the ends of some interval are not proved to stand in their order."""
    return any(not _exceeds(p.sup, p.inf, domain, strict=False) for p in pieces(value))


def _exceeds(one: Expr, other: Expr, domain: Domain, *, strict: bool) -> bool:
    if one is oo or other is -oo:
        return True
    return other is not oo and is_proved_positive(one - other, domain, strict=strict)


def _condition(value: Boolean, put: Callable[[Expr], Expr]) -> Boolean:
    if isinstance(value, BooleanAtom):
        return value
    if isinstance(value, (And, Or, Not)):
        return value.func(*(_condition(part, put) for part in value.args))
    left, right = put(value.lhs), put(value.rhs)
    order = _order(left, right)
    if order is None:
        return value.func(left, right, evaluate=False)
    return S.true if value.func(order, 0) == True else S.false  # noqa: E712

"""What a display says: expressions joined by relations, an interval, a case distinction."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from sympy import Expr


class TexError(ValueError):
    """The text could not be read, or could be read in two ways; the message is one line.

    Attributes
    ----------
    position
        Offset into the text that was read, in characters.
    """

    def __init__(self, message: str, position: int = 0):
        super().__init__(message)
        self.position = position


Relation = Literal["=", "<", "<=", ">", ">=", "!=", "in"]


@dataclass(frozen=True)
class Unread:
    """The name of what an equation defines: left of the first ``=``, and not compared.

    ``of_vectors`` tells an inner product or a norm, whose scripts are no powers of a name.
    """

    text: str
    of_vectors: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class Bounds:
    """An interval, right of ``in``."""

    low: Expr
    high: Expr
    low_open: bool
    high_open: bool


#: One side of a relation. A case distinction is a SymPy Piecewise.
Side: TypeAlias = Expr | Unread | Bounds


@dataclass(frozen=True)
class Statement:
    """Sides joined by relations, as they stand: ``a = b <= c`` has three sides.

    A display of several rows is one statement: a row that starts with a relation goes on
    with the last side of the row before (``a &= b \\\\ &= c``). Rows that do not are further
    statements, in ``rest``.
    """

    sides: tuple[Side, ...]
    relations: tuple[Relation, ...] = ()
    rest: tuple[Statement, ...] = ()

"""Parameters that are lists: sizes of classes, say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import SupportsFloat, TypeAlias

from sympy import Expr

from ..decide.domain import DomainError, Range, refuse_outside
from ..decide.exact import exact_list
from ..frozen import FrozenValue

#: A number of any kind, or as text, as it is given.
Given: TypeAlias = "str | SupportsFloat | Sequence[Given]"
#: Numbers as they are read, or lists of them.
Exact: TypeAlias = "tuple[Expr, ...] | tuple[tuple[Expr, ...], ...]"


class ListOf(FrozenValue):
    """A list of numbers that a result takes.

    Attributes
    ----------
    name
        Of the parameter.
    range
        What each number may be.
    meaning
        What it is, for a reader who types its name.
    rows
        Whether it is a list of lists of one length: a matrix.
    """

    name: str
    range: Range
    meaning: str = ""
    rows: bool = False

    def read(self, value: object) -> Exact:
        """The numbers, exactly.

        Raises
        ------
        DomainError
            If they are not accepted; one line.
        """
        try:
            found = exact_list(value, rows=self.rows)
        except ValueError as error:
            raise DomainError(f"{self.name}: {error}") from None
        for entry in (e for row in found for e in row) if self.rows else found:
            refuse_outside(f"each of {self.name}", self.range, entry)
            if not entry.is_finite:
                raise DomainError(f"each of {self.name} must be finite, not {entry}")
        return found

    @property
    def takes(self) -> str:
        """What may be given, in words."""
        shape = "rows such as 0,1;1,0" if self.rows else "a list such as 2,2,4"
        return f"{shape}, or a file; each entry {self.range}"

    def text(self, value: Exact) -> str:
        """The numbers, as they are typed."""
        rows: Sequence[Sequence[Expr]] = value if self.rows else [value]
        return ";".join(",".join(map(str, row)) for row in rows)

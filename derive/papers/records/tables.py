"""Sets that a printed statement is tried on and that are tables of numbers: weights, similarities,
dissimilarities, and points by their coordinates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from sympy import Expr, sympify

from ...language.matrices import Matrix
from ...language.quantities import NoValue, Unknown, as_number
from ...vectors.embeddings import Embeddings, Index

#: Rows of exact numbers, as fractions or closed forms.
Table = Sequence[Sequence[Any]]


class Tables(Embeddings):
    """Matrices by letter, and points by letter, whose coordinates are rational.

    Parameters
    ----------
    entries
        Matrices; their entries are exact, as fractions or closed forms.
    points
        Points, one a row; those of shorter rows have zeros for the rest.
    """

    def __init__(
        self,
        entries: Mapping[str, Table],
        points: Mapping[str, Table] = {},
        note: str = "",
    ):
        self.entries = {k: tuple(map(tuple, rows)) for k, rows in entries.items()}
        self.points = {
            k: tuple(tuple(map(Fraction, row)) for row in rows) for k, rows in points.items()
        }
        self.letters = list(self.points)
        most = max(map(len, self.points.values()), default=0)
        order = [(g, i, 0) for g, k in enumerate(self.letters) for i in range(len(self.points[k]))]
        super().__init__(len(self.letters), most, 1, self._inner, note=note, only=order)

    def _inner(self, a: Index, b: Index) -> Fraction:
        one, other = (self.points[self.letters[k[0]]][k[1]] for k in (a, b))
        return sum((s * t for s, t in zip(one, other, strict=False)), Fraction(0))

    def _rank(self) -> int:
        rows = [row for k in self.letters for row in self.points[k]]
        most = max(map(len, rows), default=0)
        return Matrix.from_rows([[*r, *([Fraction(0)] * (most - len(r)))] for r in rows]).rank()

    @cached_property
    def numbers(self) -> dict[str, Matrix]:
        """The matrices, their entries as numbers."""
        return {
            k: Matrix.from_rows([[number(v) for v in r] for r in t])
            for k, t in self.entries.items()
        }

    # --- by letter --------------------------------------------------------------------------
    def entry(self, letter: str) -> Callable[..., Any]:
        """What ``w_{ij}`` stands for."""

        def found(*indices: int, mark: str = "") -> Any:
            rows = self.numbers[letter].rows
            if len(indices) != 2:
                raise Unknown(f"{letter} has two indices")
            if any(not 1 <= k <= len(rows) for k in indices):
                raise NoValue("the index is out of range")
            return rows[indices[0] - 1][indices[1] - 1]

        return found

    def point(self, letter: str) -> Callable[..., Any]:
        """What ``z_i`` stands for; of a letter with one point, the letter itself."""
        rows, g = self.points[letter], self.letters.index(letter)

        def found(*indices: int, mark: str = "") -> Any:
            (k,) = indices or ((1,) if len(rows) == 1 else (0,))
            if not 1 <= k <= len(rows):
                raise NoValue("the index is out of range")
            return {(g, k - 1, 0): Fraction(1)}

        return found

    def named(self) -> dict[str, Callable[..., Any]]:
        """Entries, points, and matrices by their capital letters."""
        found: dict[str, Callable[..., Any]] = {k: self.entry(k) for k in self.entries}
        found |= {k: self.point(k) for k in self.points}
        for k in self.entries:
            found[k.upper()] = lambda *_, name=k, mark="": self.numbers[name]
        for k in self.points:
            found[k.upper()] = lambda *_, name=k, mark="": Matrix.from_rows(self.points[name])
        return found

    # --- as text ----------------------------------------------------------------------------
    def written(self) -> dict[str, tuple[tuple[str, ...], ...]]:
        """All tables as text, from which they can be read again."""
        return {k: texts(rows) for k, rows in {**self.entries, **self.points}.items()}

    @classmethod
    def read(
        cls,
        tables: Mapping[str, Sequence[Sequence[str]]],
        points: Sequence[str],
        exact: Callable[[str], Expr],
    ) -> Tables:
        """Tables from text; ``points`` says which letters are points."""
        entries = {
            k: [[exact(v) for v in row] for row in t] for k, t in tables.items() if k not in points
        }
        return cls(entries, {k: fractions(t) for k, t in tables.items() if k in points})

    @property
    def length(self) -> tuple[int, int]:
        """How much there is to write down: numbers, and their digits."""
        every = [v for t in self.written().values() for row in t for v in row]
        return len(every), sum(map(len, every))


def texts(rows: Table) -> tuple[tuple[str, ...], ...]:
    """A table as text."""
    return tuple(tuple(map(str, row)) for row in rows)


def fractions(rows: Table) -> list[list[Fraction]]:
    """A table of fractions from its text."""
    return [[Fraction(v) for v in row] for row in rows]


def number(v: Any) -> Any:
    """An exact entry as a number."""
    if isinstance(v, (int, Fraction)):
        return Fraction(v)
    return as_number(sympify(v))

"""Matrices as values of printed statements: exact where their entries are.

Ranks and signs of what is not rational are those to forty digits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import mpmath

from ..frozen import FrozenValue
from .digits import CLOSE

Rows = tuple[tuple[Any, ...], ...]


class Matrix(FrozenValue):
    """A matrix by rows; its entries are fractions or 50-digit numbers."""

    rows: Rows

    @classmethod
    def from_rows(cls, rows: Sequence[Sequence[Any]]) -> Matrix:
        """A matrix of these rows."""
        return cls(tuple(map(tuple, rows)))

    @classmethod
    def by(cls, n: int, entry: Callable[[int, int], Any]) -> Matrix:
        """A square matrix by what it has at each place, counted from 0."""
        return cls.from_rows([[entry(i, j) for j in range(n)] for i in range(n)])

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.rows), len(self.rows[0]) if self.rows else 0

    @property
    def transposed(self) -> Matrix:
        """With rows and columns exchanged."""
        return Matrix.from_rows(list(zip(*self.rows, strict=True)))

    def map(self, function: Callable[[Any], Any]) -> Matrix:
        """A function of every entry."""
        return Matrix.from_rows([[function(v) for v in row] for row in self.rows])

    def plus(self, other: Matrix, factor: int = 1) -> Matrix | None:
        """A sum or difference; none if they are not of one shape."""
        if self.shape != other.shape:
            return None
        pairs = zip(self.rows, other.rows, strict=True)
        return Matrix.from_rows(
            [[total([a, _product(factor, b)]) for a, b in zip(*two, strict=True)] for two in pairs]
        )

    def times(self, other: Matrix) -> Matrix | None:
        """A product; none if they do not fit."""
        if self.shape[1] != other.shape[0]:
            return None
        columns = other.transposed.rows
        return Matrix.from_rows([[_inner(row, column) for column in columns] for row in self.rows])

    def equals(self, other: Matrix) -> bool:
        """Whether all entries are the same, to forty digits."""
        gap = self.plus(other, -1)
        return gap is not None and all(is_zero(v, 1) for row in gap.rows for v in row)

    @property
    def alike(self) -> Matrix:
        """The same with entries of one kind: all exact, or all numbers of the working precision."""
        if all(isinstance(v, Fraction) for row in self.rows for v in row):
            return self
        return self.map(mpf)

    @property
    def hollow(self) -> bool:
        """Whether the diagonal is zero."""
        return all(row[k] == 0 for k, row in enumerate(self.rows))

    @property
    def scale(self) -> Any:
        """The largest entry."""
        return max((abs(mpf(v)) for row in self.rows for v in row), default=mpmath.mpf(0))

    def rank(self) -> int:
        """Rank, by elimination with the largest pivot."""
        return len(self._eliminated(self.alike.rows)[0])

    def _eliminated(self, rows: Sequence[Sequence[Any]]) -> tuple[dict[int, list[Any]], Any]:
        """These rows, of which others are taken until each column has one entry: those with a
        pivot by its column, and the rest. What the rows have beyond the columns goes along."""
        left, done = [list(row) for row in rows], dict[int, list[Any]]()
        scale, free = self.scale, set(range(self.shape[1]))
        while (at := _largest(left, free, scale)) is not None:
            i, j = at
            pivot = left.pop(i)
            free.discard(j)
            left = [_reduced(row, pivot, j) for row in left]
            done = {k: _reduced(row, pivot, j) for k, row in done.items()} | {j: pivot}
        return done, left

    def is_psd(self) -> bool:
        """Whether it is symmetric and no form of it is negative, by elimination on the diagonal."""
        if not self.equals(self.transposed):
            return False
        scale, left = self.scale, list(range(len(self.rows)))
        rows = [list(row) for row in self.alike.rows]
        while left:
            k = max(left, key=lambda i: rows[i][i])
            if is_zero(rows[k][k], scale):
                return all(is_zero(rows[i][j], scale) for i in left for j in left)
            if rows[k][k] < 0:
                return False
            left.remove(k)
            for i in left:
                factor = rows[i][k] / rows[k][k]
                for j in left:
                    rows[i][j] = rows[i][j] - factor * rows[k][j]
        return True

    def solved(self, right: Sequence[Any]) -> list[Any] | None:
        """Some x with Ax = b, for a square matrix; none if there is none."""
        rows = [[*row, b] for row, b in zip(self.rows, right, strict=True)]
        done, left = self._eliminated(rows)
        if any(not is_zero(row[-1], 1) for row in left):
            return None
        found = {j: row[-1] / row[j] for j, row in done.items()}
        return [found.get(j, Fraction(0)) for j in range(len(self.rows))]


def ones(n: int) -> Matrix:
    """The matrix whose entries are all 1."""
    return Matrix.by(n, lambda i, j: Fraction(1))


def identity(n: int) -> Matrix:
    """The identity."""
    return Matrix.by(n, lambda i, j: Fraction(int(i == j)))


def centring(n: int) -> Matrix:
    """I - E/n, which takes means away."""
    return Matrix.by(n, lambda i, j: Fraction(int(i == j)) - Fraction(1, n))


# --- distances -----------------------------------------------------------------------------
def gram(d: Matrix) -> Matrix | None:
    """Inner products of points with these squared distances, the first of them at 0."""
    if not d.hollow:
        return None
    first = d.rows[0]
    return Matrix.by(
        len(d.rows), lambda i, j: total([first[i], first[j], _product(-1, d.rows[i][j])]) / 2
    )


def dimension(d: Matrix) -> Any:
    """The embedding dimension of a Euclidean distance matrix; oo for what is none."""
    found = gram(d)
    return Fraction(found.rank()) if found is not None and found.is_psd() else mpmath.inf


def squared_radius(d: Matrix) -> Any:
    """The squared radius of the sphere through points with these squared distances, whose centre
    lies in their span and has the inner product ``|z_i|^2 / 2`` with each z_i. oo for what
    has none, 0 where all points are equal."""
    found = gram(d)
    if found is None or not found.is_psd():
        return mpmath.inf
    half = [_product(Fraction(1, 2), row[i]) for i, row in enumerate(found.rows)]
    centre = found.solved(half)
    return mpmath.inf if centre is None else _inner(centre, half)


# --- entries ---------------------------------------------------------------------------------
def mpf(v: Any) -> Any:
    """An entry at the working precision."""
    return mpmath.mpf(v.numerator) / v.denominator if isinstance(v, Fraction) else mpmath.mpf(v)


def is_zero(v: Any, scale: Any) -> bool:
    """Whether an entry is zero: exactly, or against the size of others."""
    return bool(v == 0) if isinstance(v, Fraction) else bool(abs(v) <= CLOSE * (1 + mpf(scale)))


def _product(a: Any, b: Any) -> Any:
    if isinstance(a, (int, Fraction)) and isinstance(b, (int, Fraction)):
        return a * b
    return mpf(a) * mpf(b)


def total(values: Sequence[Any]) -> Any:
    """A sum, exact if all are."""
    if all(isinstance(v, Fraction) for v in values):
        return sum(values, Fraction(0))
    return mpmath.fsum(map(mpf, values))


def _inner(row: Sequence[Any], column: Sequence[Any]) -> Any:
    return total([_product(a, b) for a, b in zip(row, column, strict=True) if a != 0 and b != 0])


def _largest(rows: Sequence[list[Any]], columns: set[int], scale: Any) -> tuple[int, int] | None:
    """Where the largest entry in some columns is; none if they are zero."""
    places = ((i, j) for i in range(len(rows)) for j in columns)
    at = max(places, key=lambda at: _size(rows, at), default=None)
    return None if at is None or is_zero(rows[at[0]][at[1]], scale) else at


def _size(rows: Sequence[list[Any]], at: tuple[int, int]) -> Any:
    return abs(rows[at[0]][at[1]])


def _reduced(row: list[Any], pivot: list[Any], column: int) -> list[Any]:
    """A row with so much of the pivot's taken away that it is zero in its column."""
    factor = row[column] / pivot[column]
    return row if factor == 0 else [a - factor * b for a, b in zip(row, pivot, strict=True)]

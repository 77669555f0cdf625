"""Vectors with a given Gram matrix, exact or to any number of digits, and put back into it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from flint import arb, arb_poly, fmpq_poly
from sympy import Expr, Matrix, S, sqrt
from sympy.core.symbol import Str

from ..decide.ball import Enclosures, TooWide, precision
from ..decide.digits import FIRST_BITS, LAST_BITS, is_zero
from ..errors import InternalError
from ..optimum.value import Digits, Handle
from .algebraic import Algebraic, Root, as_digits, doubled

Rows = tuple[tuple[Expr, ...], ...]
#: Coordinates are proved to be zero by algebra after so many others.
MINOR = 4


def in_field(gram: Sequence[Sequence[fmpq_poly]], root: Root, rank: int) -> Rows:
    """Rows of coordinates with these inner products, polynomials in a root; none is in doubt.

    By elimination with the largest pivots: a column is a number times the square root of one.

    Raises
    ------
    InternalError
        If the rank is another one: a fault of this program.
    """
    size, modulus = len(gram), fmpq_poly(root.polynomial)
    rest = [[e % modulus for e in row] for row in gram]
    columns: list[tuple[Algebraic, list[Algebraic]]] = []
    for _ in range(rank):
        k = max(range(size), key=lambda i: float(_near(rest[i][i], root)))
        pivot = Algebraic(root, rest[k][k])
        if pivot.sign() != 1:
            raise InternalError("the Gram matrix does not have the rank that was derived")
        _, inverse, _ = rest[k][k].xgcd(modulus)
        column = [rest[i][k] * inverse % modulus for i in range(size)]
        columns.append((pivot, [Algebraic(root, at) for at in column]))
        across = rest[k]
        rest = [
            [(e - at * o) % modulus for e, o in zip(row, across, strict=True)]
            for row, at in zip(rest, column, strict=True)
        ]
    if not all(Algebraic(root, e).is_zero() for row in rest for e in row):
        raise InternalError("the vectors do not have the inner products they were built for")
    return tuple(tuple(_coordinate(c[i], p) for p, c in columns) for i in range(size))


def _near(e: fmpq_poly, root: Root) -> Any:
    with precision(FIRST_BITS):
        return arb_poly(e)(root.ball(FIRST_BITS)).mid()


def _coordinate(times: Algebraic, pivot: Algebraic) -> Expr:
    if times.is_zero():
        return S.Zero
    return as_digits(times.expression * sqrt(pivot.expression))


def in_balls(gram: Rows, rank: int) -> Rows:
    """Rows of coordinates with these inner products, to any number of digits.

    The rank is known to be right.
    """
    made = _Cholesky(gram, rank)
    handle = Handle(made, "coordinates")
    return tuple(
        tuple(
            S.Zero if made.vanishes(i, k) else Digits(handle, Str(str(i)), Str(str(k)))
            for k in range(rank)
        )
        for i in range(len(gram))
    )


def padded(rows: Rows, dimension: int, factor: Expr = S.One) -> Rows:
    """The rows in a space of more dimensions, times a factor."""
    return tuple(
        (*(as_digits(factor * e) for e in row), *[S.Zero] * (dimension - len(row))) for row in rows
    )


class _Cholesky:
    """Coordinates in balls: pivots are chosen once, and what is left over must hold zero."""

    def __init__(self, gram: Rows, rank: int):
        self.gram, self.rank, self.size = gram, rank, len(gram)
        self.known: tuple[int, list[list[Any]]] = (0, [])

    def ball(self, i: str, k: str, bits: int) -> Any:
        """A coordinate."""
        with precision(bits):
            floor = arb(2) ** -bits
        for work in doubled(bits + FIRST_BITS, 64 * (bits + LAST_BITS)):
            found = self._within(work)
            if found is not None:
                at = found[int(i)][int(k)]
                if at.rel_accuracy_bits() >= bits or at.abs_upper() < floor * floor:
                    return at
        raise TooWide(f"coordinate {k} of point {i} is not found to {bits} bits")

    @cached_property
    def pivots(self) -> tuple[int, ...]:
        """The points eliminated, in order: the farthest from the span of those before."""
        for bits in doubled():
            order: list[int] = []
            if self._eliminated(bits, order) is not None:
                return tuple(order)
        raise TooWide("the Gram matrix could not be eliminated")

    def vanishes(self, i: int, k: int) -> bool:
        """Whether a coordinate is proved to be zero, which no ball around it can tell."""
        before, pivot = self.pivots[:k], self.pivots[k]
        if i in before:
            return True
        found = self._within(FIRST_BITS)
        if found is None or not found[i][k].contains(0):
            return False
        if any(self.gram[i] == self.gram[j] for j in before):
            return True
        if len(before) > MINOR:
            return False
        # Over another one that is not zero, it is a minor.
        rows, columns = (*before, i), (*before, pivot)
        minor = Matrix([[self.gram[a][b] for b in columns] for a in rows])
        return is_zero(minor.det(method="berkowitz").expand())

    def _within(self, bits: int) -> list[list[Any]] | None:
        if self.known[0] < bits:
            found = self._eliminated(bits, list(self.pivots))
            if found is None:
                return None
            self.known = (bits, found)
        return self.known[1]

    def _eliminated(self, bits: int, order: list[int]) -> list[list[Any]] | None:
        """Rows of coordinates; ``order`` is followed, or filled in where it is empty."""
        choose = not order
        with precision(bits):
            of = Enclosures(bits, {})
            try:
                rest = [[of(e) for e in row] for row in self.gram]
            except TooWide:
                return None
            found: list[list[Any]] = [[] for _ in rest]
            for step in range(self.rank):
                k = _farthest(rest) if choose else order[step]
                if not rest[k][k] > 0:
                    return None
                if choose:
                    order.append(k)
                root = rest[k][k].sqrt()
                column = [rest[i][k] / root for i in range(self.size)]
                for i, at in enumerate(column):
                    found[i].append(at if i not in order[:step] else arb(0))
                for i in range(self.size):
                    for j in range(self.size):
                        rest[i][j] -= found[i][-1] * found[j][-1]
            if not all(e.contains(0) for row in rest for e in row):
                raise InternalError("the Gram matrix does not have the rank that was derived")
        return found


def _farthest(rest: Sequence[Sequence[Any]]) -> int:
    """Where the diagonal is largest, by its middle; any choice is as right."""
    return max(range(len(rest)), key=lambda i: float(rest[i][i].mid()))


def inertia(matrix: Sequence[Sequence[Any]]) -> tuple[int, int, int]:
    """How many eigenvalues of a symmetric matrix of fractions are > 0, < 0 and 0: by elimination.

    Where the diagonal is zero, a row and its column are added to others, which changes no count.
    """
    rest = [list(row) for row in matrix]
    counts = [0, 0, 0]
    while rest:
        n = range(len(rest))
        k = next((i for i in n if rest[i][i] != 0), None)
        pair = next(((i, j) for i in n for j in range(i) if rest[i][j] != 0), None)
        if k is not None:
            counts[0 if rest[k][k] > 0 else 1] += 1
            pivot = rest[k]
            rest = [[row[j] - row[k] * pivot[j] / pivot[k] for j in n if j != k] for row in rest]
            del rest[k]
        elif pair is not None:
            i, j = pair
            rest[i] = [a + b for a, b in zip(rest[i], rest[j], strict=True)]
            for row in rest:
                row[i] += row[j]
        else:
            counts[2] += len(rest)
            break
    return counts[0], counts[1], counts[2]

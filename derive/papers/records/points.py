"""Points with rational coordinates, and the matrices of their second moments."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from math import prod
from typing import Any

import mpmath

from ...language.digits import DIGITS
from ...language.matrices import Matrix, mpf, total
from ...language.quantities import NoValue, Unknown, mp
from ...vectors.embeddings import unit_vectors

ZERO, ONE = Fraction(0), Fraction(1)
Row = Sequence[Fraction | int]
Rows = list[list[Any]]


# --- numbers of any kind -------------------------------------------------------------------------
def times(*values: Any) -> Any:
    """A product, exact if all are."""
    if all(isinstance(v, Fraction) for v in values):
        return prod(values, start=ONE)
    return mpmath.fprod(map(mp, values))


# --- points --------------------------------------------------------------------------------------
def axis(d: int, k: int = 0, sign: Fraction | int = 1) -> list[Fraction]:
    """A unit vector along an axis of R^d, counted on from the first after the last, or against."""
    return [Fraction(sign) if i == k % d else ZERO for i in range(d)]


def unit_axes(d: int) -> Rows:
    """The unit vectors along the axes."""
    return [axis(d, k) for k in range(d)]


def minus(x: Row) -> list[Fraction]:
    """The opposite vector."""
    return [Fraction(-v) for v in x]


def random_points(n: int, d: int, seed: int) -> Rows:
    """Integer points, all different on their first axis, spanning what they can."""
    rng = random.Random(100 * n + 10 * d + seed)
    firsts = rng.sample(range(-n, n + 1), n)
    rest = [[Fraction(rng.randint(-3, 3)) for _ in range(d - 1)] for _ in range(n)]
    return [[Fraction(first), *others] for first, others in zip(firsts, rest, strict=True)]


def directions(n: int, d: int, seed: int) -> Rows:
    """Rational unit vectors."""
    return unit_vectors(n, d, random.Random(1000 * n + 10 * d + seed), 4, 2)


def gap(x: Row, y: Row) -> Any:
    """The squared distance of two points."""
    return sum(((a - b) ** 2 for a, b in zip(x, y, strict=True)), ZERO)


def gaps(points: Sequence[Row]) -> Rows:
    """The squared distances of all pairs."""
    return [[gap(x, y) for y in points] for x in points]


# --- matrices ------------------------------------------------------------------------------------
def a_matrix(found: Any) -> Matrix:
    """What must be a matrix."""
    if not isinstance(found, Matrix):
        raise Unknown("expected a matrix, and found a number or a vector")
    return found


def moment(rows: Sequence[Sequence[Any]]) -> Matrix:
    """The mean of z z^T."""
    if not rows:
        raise NoValue("the mean over nothing")
    count, d = Fraction(len(rows)), len(rows[0])
    return Matrix.by(d, lambda i, j: sum((x[i] * x[j] for x in rows), ZERO) / count)


def eigenvalues(matrix: Matrix) -> list[Any]:
    """Of a symmetric matrix, the largest first; exact where it is diagonal."""
    rows = matrix.rows
    if all(v == 0 for i, row in enumerate(rows) for j, v in enumerate(row) if i != j):
        return sorted((row[i] for i, row in enumerate(rows)), reverse=True)
    with mpmath.workdps(DIGITS + 10):
        found = mpmath.eigsy(mpmath.matrix([[mpf(v) for v in row] for row in rows]), True)
    return sorted(found, reverse=True)


@cache
def top_eigenvalue(matrix: Matrix) -> Any:
    """The largest eigenvalue of a symmetric matrix."""
    return eigenvalues(matrix)[0]


def trace(matrix: Any) -> Any:
    """The trace of a square matrix."""
    return total([row[k] for k, row in enumerate(a_matrix(matrix).rows)])


#: Functions of matrices, as families name them.
OF_MATRICES: dict[str, Callable[..., Any]] = {
    "tr": lambda scene, a: trace(a),
    "lambda_max": lambda scene, a: top_eigenvalue(a_matrix(a)),
    "psd": lambda scene, a: Fraction(int(a_matrix(a).is_psd())),
    "rank": lambda scene, a: Fraction(a_matrix(a).rank()),
}

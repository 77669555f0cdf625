r"""Subgraphs of out-degree one, their laws, and the quadratic form of a graph.

A subgraph W of out-degree one has an edge i -> j, j \neq i, for every i. Its law under a table of
weights is found by going through all of them, as Definition 2.2 of the paper has it, and by
nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache, lru_cache
from itertools import product
from math import prod
from typing import Any

import mpmath

from ...language.digits import DIGITS
from ...language.matrices import Matrix, total
from ...language.quantities import NoValue, Unknown, mp, over
from ..records.points import ONE, ZERO, a_matrix, gap, times, trace

Rows = tuple[tuple[Any, ...], ...]
Target = tuple[int, ...]  #: of every node the one that its edge goes to, counted from 0
MOST = 5  #: nodes of a complete graph whose subgraphs are gone through


@cache
def every_subgraph(n: int) -> tuple[Rows, ...]:
    """All W in {0, 1}^(n x n) with a zero diagonal."""
    places = [(i, j) for i in range(n) for j in range(n) if i != j]
    found = []
    for bits in product((ZERO, ONE), repeat=len(places)):
        at = dict(zip(places, bits, strict=True))
        found.append(tuple(tuple(at.get((i, j), ZERO) for j in range(n)) for i in range(n)))
    return tuple(found)


def as_matrix(target: Target) -> Matrix:
    """The adjacency matrix of a subgraph."""
    return Matrix.by(len(target), lambda i, j: Fraction(int(target[i] == j)))


@lru_cache(maxsize=512)
def weights_of(rows: Rows) -> tuple[tuple[Target, Any], ...]:
    """The subgraphs with one edge out of every node, each of a weight, with their products."""
    edges = [[j for j, v in enumerate(row) if j != i and v != 0] for i, row in enumerate(rows)]
    if prod(map(len, edges)) > (MOST - 1) ** MOST:
        raise Unknown(f"subgraphs are listed only for n <= {MOST}")
    return tuple(
        (target, times(*(rows[i][j] for i, j in enumerate(target)))) for target in product(*edges)
    )


def partition(rows: Rows) -> Any:
    """The sum of all of these."""
    return total([w for _, w in weights_of(rows)])


@lru_cache(maxsize=512)
def law(rows: Rows) -> tuple[tuple[Target, Any], ...]:
    """The law of the subgraph under a table of weights."""
    with mpmath.workdps(DIGITS):
        whole = partition(rows)
        if whole == 0:
            raise NoValue("every subgraph of out-degree one has the weight zero")
        return tuple((target, over(w, whole)) for target, w in weights_of(rows))


@lru_cache(maxsize=512)
def marginals(rows: Rows) -> Matrix:
    """The mean of W."""
    found = law(rows)
    return Matrix.by(
        len(rows), lambda i, j: total([p for target, p in found if target[i] == j] or [ZERO])
    )


@lru_cache(maxsize=512)
def cross_entropy(rows: Rows, kernel: Rows) -> Any:
    """The mean under the one law of minus the logarithm of the other."""
    other = dict(law(kernel))
    if any(target not in other for target, _ in law(rows)):
        return mpmath.inf
    with mpmath.workdps(DIGITS):
        return mpmath.fsum(-mp(p) * mpmath.log(mp(other[target])) for target, p in law(rows))


@lru_cache(maxsize=512)
def gaussian(points: Rows, tau: Any) -> Rows:
    """exp(-|x - y|^2 / (2 tau)) of all pairs, 1 on the diagonal."""

    def one(x: Sequence[Fraction], y: Sequence[Fraction]) -> Any:
        square = gap(x, y)
        return ONE if square == 0 else mpmath.exp(-mp(square) / (2 * mp(tau)))

    with mpmath.workdps(DIGITS):
        return tuple(tuple(one(x, y) for y in points) for x in points)


def laplacian(w: Any) -> Matrix:
    """Minus the weights off the diagonal; on it the sums of the rows, as Definition 2.6 has it."""
    rows = a_matrix(w).rows
    return Matrix.by(len(rows), lambda i, j: total(rows[i]) if i == j else -1 * rows[i][j])


def attraction(weights: Rows, points: Sequence[Sequence[Any]]) -> Any:
    """tr(Z^T L Z)."""
    z = Matrix.from_rows(points)
    inner = laplacian(Matrix.from_rows(weights)).times(z)
    assert inner is not None
    return trace(z.transposed.times(inner))

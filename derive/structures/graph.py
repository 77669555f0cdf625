"""A weighted directed graph, and its subgraphs in which every vertex has one edge out.

Row i of the weights is where anchor i draws its positive from. No vertex has an edge to itself:
the diagonal is zero, or is left out by :meth:`Graph.without_loops`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod

from sympy import Expr, ImmutableMatrix, Integer, Matrix, S, diag, sympify

from ..decide.digits import sign
from ..decide.domain import DomainError


class Graph:
    """A graph on n vertices, its weights exact numbers or symbols that are known to be >= 0.

    Parameters
    ----------
    weights
        n rows of n weights each, n at least 2; a list, a tuple or a matrix.
    name
        What the matrix is called in a refusal.

    Raises
    ------
    DomainError
        If it is not square, a weight is negative or not known not to be, an entry of the diagonal
        is not zero, or a row has no weight; one line, rows counted from 1.
    """

    def __init__(self, weights: Sequence[Sequence[Expr]] | Matrix, name: str = "pi"):
        rows = _rows(weights, name)
        for i, row in enumerate(rows):
            for j, e in enumerate(row):
                if not _is_nonnegative(e):
                    place = f"({i + 1}, {j + 1})"
                    raise DomainError(f"{name}: weight {place} is {e}, and must be >= 0")
            if row[i] != 0:
                raise DomainError(
                    f"{name}: row {i + 1} has a self-loop, {row[i]} on the diagonal; an object is "
                    "not its own positive: put 0 there"
                )
            if all(e == 0 for e in row):
                raise DomainError(
                    f"{name}: row {i + 1} is all zero, so that vertex has no edge to draw"
                )
        self.name, self.size = name, len(rows)
        self.weights = ImmutableMatrix(rows)

    @classmethod
    def without_loops(cls, weights: Sequence[Sequence[Expr]] | Matrix, name: str = "pi") -> Graph:
        """The graph of a matrix whose diagonal is left out, such as that of a kernel."""
        rows = _rows(weights, name)
        return cls(
            [[S.Zero if i == j else e for j, e in enumerate(row)] for i, row in enumerate(rows)],
            name,
        )

    # --- degrees ------------------------------------------------------------------------------
    @cached_property
    def out_degrees(self) -> tuple[Expr, ...]:
        """Sums of rows."""
        return tuple(sum(self.weights.row(i), S.Zero) for i in range(self.size))

    @cached_property
    def transitions(self) -> Graph:
        """Weights over the sum of their row: where an anchor draws its positive from."""
        n = range(self.size)
        return Graph([[self.weights[i, j] / self.out_degrees[i] for j in n] for i in n], self.name)

    @cached_property
    def symmetrised(self) -> Graph:
        """The mean of both directions."""
        return Graph((self.weights + self.weights.T) / 2, self.name)

    # --- Laplacians ---------------------------------------------------------------------------
    @cached_property
    def laplacian(self) -> ImmutableMatrix:
        """Out-degrees less weights (tan2024spectral, Definition 2.6).

        Where weights are not symmetric neither is this, and it need not be positive semidefinite.
        """
        return ImmutableMatrix(diag(*self.out_degrees) - self.weights)

    # --- subgraphs of out-degree one ----------------------------------------------------------
    @cached_property
    def count(self) -> Expr:
        """How many subgraphs of out-degree one there are, those of probability zero as well."""
        return Integer(self.size - 1) ** self.size

    @cached_property
    def partition(self) -> Expr:
        """The product of the row sums: the sum over all of them of the product of their weights."""
        return prod(self.out_degrees, start=S.One)


def blocks(sizes: Sequence[int], inside: Expr | int = 1, across: Expr | int = 0) -> Graph:
    """Clusters of so many vertices, with one weight inside and one across."""
    cluster = [c for c, size in enumerate(sizes) for _ in range(size)]
    n = range(len(cluster))
    p, q = sympify(inside, strict=True), sympify(across, strict=True)
    return Graph(
        [[S.Zero if i == j else p if cluster[i] == cluster[j] else q for j in n] for i in n]
    )


def _rows(weights: Sequence[Sequence[Expr]] | Matrix, name: str) -> list[list[Expr]]:
    rows = weights.tolist() if hasattr(weights, "tolist") else [list(row) for row in weights]
    if not rows or any(len(row) != len(rows) for row in rows):
        shape = f"{len(rows)} x {len(rows[0]) if rows else 0}"
        raise DomainError(f"{name} is {shape}, and must be square")
    if len(rows) < 2:
        raise DomainError(f"{name} is for one object: give two rows or more")
    return [[sympify(e, strict=True) for e in row] for row in rows]


def _is_nonnegative(e: Expr) -> bool:
    """Whether it is known to be a finite number >= 0."""
    if e.is_finite is not True and not e.free_symbols:
        return False
    if e.free_symbols:
        return e.is_nonnegative is True
    found = sign(e) if e.is_real else None
    return found is not None and found >= 0

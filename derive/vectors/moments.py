"""Second moments of unit vectors, for any number of them in any dimension.

Symmetric matrices are vectors with the inner product tr(A B) of Frobenius, and what is said here of
moments needs no more than these products of the parts that they are sums of: no number of vectors,
nor of coordinates, is put in. Means over independent vectors are sums over indices, and each sum
over the ways in which indices coincide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sympy import Expr, Poly, S, Symbol, expand

from ..frozen import FrozenValue
from .combination import Combination, Gram, inner, plus

Block = tuple[int, ...]


# --- one batch ---------------------------------------------------------------------------------
def joined(b: Expr, t: Expr, q: Expr) -> tuple[Expr, Expr]:
    """What one vector ``z`` more makes of a batch of ``b`` with the second moment ``S``.

    With ``t`` for the trace of ``S^2`` and ``q`` for ``z' S z``: the trace of the square of the
    moment of all ``b + 1``, and the squared Frobenius norm of ``S - z z'``.
    """
    before, z = {"S": S.One}, {"zz'": S.One}
    gram: Gram = {("S", "S"): t, ("S", "zz'"): q, ("zz'", "zz'"): S.One}
    after, apart = plus((b / (b + 1), before), (1 / (b + 1), z)), plus((1, before), (-1, z))
    return inner(after, after, gram), inner(apart, apart, gram)


def gram_and_moment() -> tuple[Expr, Expr]:
    """The squared Frobenius norms of ``Z Z'`` and of ``Z' Z``, as numbers with names."""
    return trace_of("Z Z' Z Z'"), trace_of("Z' Z Z' Z")


def trace_of(product: str) -> Expr:
    """The trace of a product of matrices, by one name for all that are rotations of another."""
    factors = product.split()
    rotated = (factors[k:] + factors[:k] for k in range(len(factors)))
    return Symbol(f"tr({' '.join(min(rotated))})")


def from_isotropy(d: Expr, t: Expr, trace: Expr = S.One) -> Expr:
    """The squared Frobenius norm of ``S - I/d``, from the traces of ``S^2`` and ``S``."""
    apart: Combination = {"S": S.One, "I": -1 / d}
    return inner(apart, apart, {("S", "S"): t, ("S", "I"): trace, ("I", "I"): d})


# --- means of numbers of which some moments are known --------------------------------------------
def mean(polynomial: Expr, x: Symbol, moments: dict[int, Expr]) -> Expr:
    """The mean of a polynomial in a number ``x`` whose powers have these means."""
    terms = Poly(polynomial, x).terms()
    return sum((c * (moments[k] if k else S.One) for (k,), c in terms), S.Zero)


# --- means over independent vectors --------------------------------------------------------------
def partitions(indices: Sequence[int]) -> Iterator[list[Block]]:
    """All ways in which indices coincide: those in a block are equal, blocks are not."""
    if not indices:
        yield []
        return
    first, *rest = indices
    for blocks in partitions(rest):
        yield [(first,), *blocks]
        for k, block in enumerate(blocks):
            yield [*blocks[:k], (first, *block), *blocks[k + 1 :]]


def mean_of_sum(size: Expr, indices: int, mean: Callable[[list[Block]], Expr]) -> Expr:
    """A sum over all tuples of indices from 1 to ``size``, the mean of each term being known.

    The term depends on which indices coincide alone; ``size (size - 1) ..`` tuples have a pattern
    with so many blocks. That is so for every size, as a pattern with more blocks has none.
    """
    patterns = partitions(range(indices))
    return expand(sum((_falling(size, len(p)) * mean(p) for p in patterns), S.Zero))


def _falling(size: Expr, blocks: int) -> Expr:
    found: Expr = S.One
    for k in range(blocks):
        found *= size - k
    return found


class UnitLaw(FrozenValue):
    """Independent unit vectors of one law with mean zero.

    Attributes
    ----------
    t
        The trace of the square of their second moment, the mean of ``<x, y>^2`` over two of them.
    """

    t: Expr

    def product(self, pattern: list[Block], pairs: Sequence[tuple[int, int]]) -> Expr:
        """The mean of a product of inner products of the vectors with these indices.

        One or two inner products are asked for, and each vector with an index of its own has mean
        zero and stands once, so the mean is zero.
        """
        where = {i: k for k, block in enumerate(pattern) for i in block}
        between = [(where[i], where[j]) for i, j in pairs]
        apart = [tuple(sorted(p)) for p in between if p[0] != p[1]]  # others are squared norms
        if not apart:
            return S.One
        if len(apart) == 2 and apart[0] == apart[1]:
            return self.t
        return S.Zero

    def squared_mean(self, size: Expr) -> Expr:
        """The mean of ``|mean of the vectors|^2``."""
        return mean_of_sum(size, 2, lambda p: self.product(p, [(0, 1)])) / size**2

    def fourth_mean(self, size: Expr) -> Expr:
        """The mean of ``|mean of the vectors|^4``."""
        return mean_of_sum(size, 4, lambda p: self.product(p, [(0, 1), (2, 3)])) / size**4

    def variance(self, size: Expr) -> Expr:
        """The variance of ``|mean of the vectors|^2``."""
        return self.fourth_mean(size) - self.squared_mean(size) ** 2


def correlated(size: Expr, correlation: Expr) -> Expr:
    """The mean of ``|mean|^2`` of unit vectors, two different ones with this mean inner product."""

    def inner(pattern: list[Block]) -> Expr:
        return S.One if len(pattern) == 1 else correlation

    return mean_of_sum(size, 2, inner) / size**2

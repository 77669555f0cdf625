"""Second moments of unit vectors, for any number of them in any dimension.

Matrices are letters (:mod:`.words`): what is said of ``n`` vectors is said of the sum of those that
are not named, so that no number of vectors is put in. Means over independent vectors are sums over
indices, and each sum over the ways in which indices coincide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from sympy import Expr, Poly, S, Symbol, expand

from .words import Alphabet, Words, form, outer

Block = tuple[int, ...]
REST, X, Y = Symbol("rest", nonnegative=True), Symbol("x", real=True), Symbol("y", real=True)


# --- one batch ---------------------------------------------------------------------------------
@dataclass(frozen=True)
class Parts:
    """``n`` unit vectors, of which the anchor ``z`` and its positive ``y`` have names.

    Attributes
    ----------
    n
        How many there are.
    rest, x, y
        What numbers are called: ``u' T u``, ``T`` being the sum of the others' ``v v'``, and the
        inner products of any vector ``u`` with anchor and positive.
    """

    n: Expr
    rest: Symbol = REST
    x: Symbol = X
    y: Symbol = Y

    @cached_property
    def alphabet(self) -> Alphabet:
        """The letters, and what their numbers are called."""
        numbers = {"z z": 1, "y y": 1, "T": self.n - 2}
        named = {"u T u": self.rest, "u z": self.x, "u y": self.y}
        return Alphabet.of("T", "z y u", {**numbers, **named})

    def _letter(self, name: str) -> Words:
        return self.alphabet.letter(name)

    @property
    def all(self) -> Words:
        """The second moment of the batch."""
        return (self._letter("T") + outer(self._letter("z")) + outer(self._letter("y"))) / self.n

    @property
    def others(self) -> Words:
        """That of all but the anchor."""
        return (self._letter("T") + outer(self._letter("y"))) / (self.n - 1)

    @property
    def negatives(self) -> Words:
        """That of all but the anchor and its positive."""
        return self._letter("T") / (self.n - 2)

    @property
    def anchor(self) -> Words:
        """``z z'``."""
        return outer(self._letter("z"))

    @property
    def positive(self) -> Words:
        """``y y'``."""
        return outer(self._letter("y"))

    def along(self, moment: Words) -> Expr:
        """``u' A u`` for any vector ``u``."""
        return form(self._letter("u"), moment)


@dataclass(frozen=True)
class Joined:
    """A batch of ``b`` vectors with second moment ``S``, and a candidate ``z``.

    Attributes
    ----------
    b, t, q
        How many unit vectors; the trace of ``S^2``; ``z' S z``.
    """

    b: Expr
    t: Expr
    q: Expr

    @cached_property
    def alphabet(self) -> Alphabet:
        """The letters, and what their numbers are called."""
        numbers = {"S S": self.t, "z S z": self.q, "z z": S.One, "S": S.One}
        return Alphabet.of("S", "z", numbers)

    @property
    def moment(self) -> Words:
        """The second moment of the batch with the candidate."""
        before, z = self.alphabet.letters("S z")
        return (self.b * before + outer(z)) / (self.b + 1)

    @property
    def squared(self) -> Expr:
        """The trace of its square."""
        return (self.moment @ self.moment).trace

    @property
    def apart(self) -> Expr:
        """The squared Frobenius norm of ``S - z z'``."""
        before, z = self.alphabet.letters("S z")
        gap = before - outer(z)
        return (gap @ gap).trace


def gram_and_moment() -> tuple[Expr, Expr]:
    """The squared Frobenius norms of ``Z Z'`` and of ``Z' Z``, as numbers with names."""
    alphabet = Alphabet.of("", "", {})
    z = alphabet.letter("Z")
    gram, moment = z @ z.transposed, z.transposed @ z
    return (gram @ gram.transposed).trace, (moment @ moment).trace


def from_isotropy(d: Expr, t: Expr, trace: Expr = S.One) -> Expr:
    """The squared Frobenius norm of ``S - I/d``, from the traces of ``S^2`` and ``S``."""
    return t - 2 * trace / d + d / d**2


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


def mean_of_sum(size: Expr, indices: int, of: Callable[[list[Block]], Expr]) -> Expr:
    """A sum over all tuples of indices from 1 to ``size``, the mean of each term being known.

    The term depends on which indices coincide alone; ``size (size - 1) ..`` tuples have a pattern
    with so many blocks. That is so for every size, as a pattern with more blocks has none.
    """
    return expand(sum((_falling(size, len(p)) * of(p) for p in partitions(range(indices))), S.Zero))


def _falling(size: Expr, blocks: int) -> Expr:
    found: Expr = S.One
    for k in range(blocks):
        found *= size - k
    return found


@dataclass(frozen=True)
class UnitLaw:
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

    def of(pattern: list[Block]) -> Expr:
        return S.One if len(pattern) == 1 else correlation

    return mean_of_sum(size, 2, of) / size**2

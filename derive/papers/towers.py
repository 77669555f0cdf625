"""Exact embedding sets of two towers, u_1..u_N and v_1..v_N, kept as their joint Gram matrix.

An item is a class with one instance and two views: view 0 is u_i, view 1 is v_i. So the
sets are :class:`~cltheory.derive.vectors.embeddings.Embeddings` with words of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
from sympy import Expr, lambdify

from ..language.digits import DIGITS
from ..language.matrices import mpf
from ..losses.pairwise import PairwiseLoss, c
from ..losses.softmax import SoftmaxLoss
from ..structures.towers import NEGATIVE, POSITIVE, WITHIN
from ..vectors.embeddings import Embeddings, Index
from . import evaluate

ZERO, ONE = Fraction(0), Fraction(1)


class Towers(Embeddings):
    """Two towers of N vectors with exact rational inner products."""

    @property
    def N(self) -> int:
        """Number of items."""
        return self.m

    def uv(self, i: int, j: int) -> Fraction:
        """u_i . v_j."""
        return self.ip((i, 0, 0), (j, 0, 1))

    def positives(self) -> list[Fraction]:
        """All u_i . v_i."""
        return [self.uv(i, i) for i in range(self.N)]

    def negatives(self) -> list[Fraction]:
        """All u_i . v_j with i != j, in order of i and then of j."""
        return [self.uv(i, j) for i in range(self.N) for j in range(self.N) if j != i]

    def alignment(self) -> Fraction:
        """Mean inner product of the positive pairs."""
        return sum(self.positives(), ZERO) / self.N

    def is_double_constant(self) -> bool:
        """Whether all positives are equal, and all negatives."""
        return len(set(self.positives())) == 1 and len(set(self.negatives())) <= 1

    def same_gram(self, other: Towers) -> bool:
        """Whether two sets are equal up to a rotation."""
        if other.N != self.N:
            return False
        return all(
            self.ip(a, b) == other.ip(a, b) for a in self.everything for b in self.everything
        )


# --- making them -------------------------------------------------------------------------
def of_vectors(
    u: Sequence[Sequence[Fraction | int]], v: Sequence[Sequence[Fraction | int]], note: str = ""
) -> Towers:
    """Towers given as two lists of rational vectors."""
    joint = [w for pair in zip(u, v, strict=True) for w in pair]
    return like(Embeddings.from_vectors(len(u), 1, 2, joint), note)


def random(items: int, d: int, seed: int) -> Towers:
    """Random rational unit vectors in R^d."""
    return like(Embeddings.random(items, 1, 2, d, seed), f"seed {seed}")


def aligned(w: Embeddings, note: str = "") -> Towers:
    """u_i = v_i = w_i for the vectors of a set with one view."""

    def inner(a: Index, b: Index) -> Fraction:
        return w.ip(w.everything[a[0]], w.everything[b[0]])

    return Towers(len(w.everything), 1, 2, inner, dimension=w.dimension, note=note)


def lifted(w: Embeddings, delta_squared: Fraction | float, note: str = "") -> Towers:
    """u_i and v_i = (w_i, +-delta)/sqrt(1 + delta^2); ``math.inf`` gives (0, +-1)."""
    far = delta_squared == math.inf
    share = ONE if far else Fraction(delta_squared) / (1 + Fraction(delta_squared))

    def inner(a: Index, b: Index) -> Fraction:
        sign = 1 if a[2] == b[2] else -1
        return (1 - share) * w.ip(w.everything[a[0]], w.everything[b[0]]) + sign * share

    return Towers(len(w.everything), 1, 2, inner, note=note)


def ccem(items: int, delta_squared: Fraction | float) -> Towers:
    """The CCEM of Definition 3 of lee2024sigmoid, for rational delta^2 or ``math.inf``."""
    return lifted(Embeddings.simplex(items), delta_squared, f"CCEM, delta^2 = {delta_squared}")


def position(alignment: Fraction) -> Fraction | float:
    """delta^2 of the CCEM with a given mean inner product of positives."""
    return math.inf if alignment == -1 else (1 - alignment) / (1 + alignment)


def like(e: Embeddings, note: str) -> Towers:
    """Any set of items with two views, as towers."""
    return Towers(e.m, 1, 2, e.ip, dimension=e.dimension, note=note)


@cache
def square() -> Embeddings:
    """Four vectors +-e_1, +-e_2 of the plane: they sum to zero and are not a simplex."""
    return Embeddings.from_vectors(4, 1, 1, [[1, 0], [-1, 0], [0, 1], [0, -1]])


# --- losses on them ----------------------------------------------------------------------
def relation(a: Index, b: Index) -> str:
    """Name of the relation of an ordered pair, as the losses of two towers use it."""
    if a == b:
        return "self"
    if a[0] == b[0]:
        return POSITIVE
    return WITHIN if a[2] == b[2] else NEGATIVE


def softmax_value(loss: SoftmaxLoss, w: Towers, **parameters: Fraction | int) -> Any:
    """Evaluate a softmax loss straight from its declaration."""
    return evaluate.value(loss, w, relation=relation, **parameters)


def pairwise_value(loss: PairwiseLoss, w: Towers, **parameters: Fraction | int) -> Any:
    """Evaluate a pairwise loss straight from its declaration: 1/N times the sum over pairs."""
    pairs = {POSITIVE: w.positives(), NEGATIVE: w.negatives()}
    with mpmath.workdps(DIGITS):
        return summed(loss, pairs, **parameters) / w.N


def summed(
    loss: PairwiseLoss, pairs: Mapping[str, Sequence[Fraction]], **parameters: Fraction | int
) -> Any:
    """A pairwise loss summed over the inner products of its relations."""
    with mpmath.workdps(DIGITS):
        found = mpmath.mpf(0)
        for term in loss.terms:
            function, names = _compiled(term.weight * term.function)
            values = [mpf(parameters[name]) for name in names]
            found += mpmath.fsum(function(mpf(g), *values) for g in pairs[term.relation])
        return found


@cache
def _compiled(function: Expr) -> tuple[Callable[..., Any], tuple[str, ...]]:
    """A function of the inner product ``c`` and of the other symbols, by name."""
    others = sorted(function.free_symbols - {c}, key=lambda s: s.name)
    return lambdify([c, *others], function, modules="mpmath"), tuple(s.name for s in others)

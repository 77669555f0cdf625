"""Exact embedding sets u_{i,j,k} (class i, instance j, view k), kept as a Gram matrix.

Every statement of the papers about embeddings is one about inner products, so a
set of embeddings is held as the exact rational Gram matrix of its vectors. Sums
and means over sets stay exact; exponentials are taken in mpmath at 50 digits.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product

from flint import fmpq

from .combination import inner, plus
from .coordinates import inertia

Index = tuple[int, int, int]
Number = Fraction
#: A linear combination of embeddings, by coefficient.
Vector = Mapping[Index, Fraction]


def total(subset: Iterable[Index]) -> Vector:
    """Sum of the embeddings of a set."""
    return {a: Fraction(1) for a in subset}


def mean(subset: Sequence[Index]) -> Vector:
    """Mean of the embeddings of a set."""
    return {a: Fraction(1, len(subset)) for a in subset}


def unit_vectors(
    count: int, d: int, rng: random.Random, above: int, below: int
) -> list[list[Fraction]]:
    """Rational unit vectors in R^d, drawn by numbers up to ``above`` over up to ``below``."""

    def unit() -> list[Fraction]:
        if d == 1:
            return [Fraction(rng.choice((-1, 1)))]
        t = [Fraction(rng.randint(-above, above), rng.randint(1, below)) for _ in range(d - 1)]
        square = sum((s * s for s in t), Fraction(0))
        return [2 * s / (square + 1) for s in t] + [(square - 1) / (square + 1)]

    return [unit() for _ in range(count)]


class Embeddings:
    """A labelled set of m*n*p vectors with exact rational inner products.

    Parameters
    ----------
    m, n, p
        Classes, instances per class, views per instance.
    inner
        Function of two indices ``(i, j, k)`` giving their exact inner product.
    dimension
        Dimension of the space the vectors are in, when it is known.
    only
        The indices that there are, if not all: classes may then be of different sizes.

    Raises
    ------
    ValueError
        If the Gram matrix is not symmetric positive semidefinite.
    """

    def __init__(
        self,
        m: int,
        n: int,
        p: int,
        inner: Callable[[Index, Index], Fraction],
        *,
        dimension: int | None = None,
        note: str = "",
        only: Sequence[Index] | None = None,
    ):
        self.m, self.n, self.p = m, n, p
        every = product(range(m), range(n), range(p))
        self.everything: list[Index] = list(every if only is None else only)
        self._gram = {
            (a, b): Fraction(inner(a, b)) for a in self.everything for b in self.everything
        }
        self.note = note
        self.rank = self._rank()
        self.dimension = self.rank if dimension is None else dimension

    # --- sets -------------------------------------------------------------------
    def of_instance(self, i: int, j: int) -> list[Index]:
        """Indices of U_{i,j}, the views of one instance."""
        return [(i, j, k) for k in range(self.p)]

    def of_class(self, i: int) -> list[Index]:
        """Indices of U_i."""
        return [a for a in self.everything if a[0] == i]

    def outside_class(self, i: int) -> list[Index]:
        r"""Indices of U \ U_i."""
        return [a for a in self.everything if a[0] != i]

    def ordered_instance_pairs(self) -> list[tuple[int, int, int]]:
        """All (i, j, j') with j != j'."""
        return [
            (i, j, k) for i in range(self.m) for j in range(self.n) for k in range(self.n) if j != k
        ]

    def pairs(self) -> list[tuple[Index, Index]]:
        """Unordered pairs of different indices."""
        return list(combinations(self.everything, 2))

    # --- inner products ----------------------------------------------------------
    def ip(self, a: Index, b: Index) -> Fraction:
        """Inner product of two embeddings."""
        return self._gram[a, b]

    def dot(self, left: Vector, right: Vector) -> Fraction:
        """Inner product of two linear combinations of embeddings."""
        return Fraction(inner(left, right, self._gram))

    def sum_ip(self, left: Iterable[Index], right: Iterable[Index]) -> Fraction:
        """Inner product of the sum over ``left`` with the sum over ``right``."""
        right = list(right)
        return sum((self._gram[a, b] for a in left for b in right), Fraction(0))

    def mean_ip(self, left: Sequence[Index], right: Sequence[Index]) -> Fraction:
        """Inner product of the mean of ``left`` with the mean of ``right``."""
        return self.sum_ip(left, right) / (len(left) * len(right))

    def mean_sq_dist(self, left: Sequence[Index], right: Sequence[Index]) -> Fraction:
        """Squared distance between the mean of ``left`` and the mean of ``right``."""
        return self.mean_ip(left, left) + self.mean_ip(right, right) - 2 * self.mean_ip(left, right)

    def sq_dist(self, left: Vector, right: Vector) -> Fraction:
        """Squared distance of two linear combinations of embeddings."""
        step = plus((1, left), (-1, right))
        return self.dot(step, step)

    def distinct(self) -> int:
        """Number of different vectors."""
        kept: list[Index] = []
        for a in self.everything:
            if all(self.mean_sq_dist([a], [b]) != 0 for b in kept):
                kept.append(a)
        return len(kept)

    def variance(self, subset: Sequence[Index]) -> Fraction:
        """Mean squared distance of ``subset`` to its own mean (Definition A.1)."""
        return sum((self.mean_sq_dist([a], subset) for a in subset), Fraction(0)) / len(subset)

    def between_variance(self) -> Fraction:
        """Between-class variance (Definition A.1)."""
        total = self.everything
        return sum(
            (
                Fraction(len(c), len(total)) * self.mean_sq_dist(c, total)
                for c in map(self.of_class, range(self.m))
            ),
            Fraction(0),
        )

    @property
    def is_unit(self) -> bool:
        """Whether every vector has unit norm."""
        return all(self._gram[a, a] == 1 for a in self.everything)

    def _rank(self) -> int:
        """Rank of the Gram matrix; checks that it is symmetric and PSD on the way."""
        gram = {pair: fmpq(e.numerator, e.denominator) for pair, e in self._gram.items()}
        rows = [[gram[a, b] for b in self.everything] for a in self.everything]
        if rows != [list(column) for column in zip(*rows, strict=True)]:
            raise ValueError("the inner products are not symmetric")
        rank, negative, _ = inertia(rows)
        if negative:
            raise ValueError("the inner products are not positive semidefinite")
        return rank

    # --- constructors -------------------------------------------------------------
    @classmethod
    def from_vectors(
        cls, m: int, n: int, p: int, vectors: Sequence[Sequence[Fraction | int]], note: str = ""
    ) -> Embeddings:
        """Embeddings given as m*n*p rational vectors, ordered by (class, instance, view)."""
        order = dict(zip(product(range(m), range(n), range(p)), vectors, strict=True))
        return cls(
            m,
            n,
            p,
            lambda a, b: sum(
                (Fraction(s) * Fraction(t) for s, t in zip(order[a], order[b], strict=True)),
                Fraction(0),
            ),
            dimension=len(vectors[0]),
            note=note,
        )

    @classmethod
    def random(cls, m: int, n: int, p: int, d: int, seed: int) -> Embeddings:
        """Random rational unit vectors in R^d (inverse stereographic projection)."""
        rows = unit_vectors(m * n * p, d, random.Random(seed), 9, 5)
        return cls.from_vectors(m, n, p, rows, note=f"seed {seed}")

    @classmethod
    def hierarchical(
        cls, m: int, n: int, p: int, same_instance: Fraction, same_class: Fraction, cross: Fraction
    ) -> Embeddings:
        """Unit vectors whose inner products depend only on the relation of the pair."""

        def inner(a: Index, b: Index) -> Fraction:
            if a == b:
                return Fraction(1)
            if a[:2] == b[:2]:
                return Fraction(same_instance)
            return Fraction(same_class) if a[0] == b[0] else Fraction(cross)

        return cls(m, n, p, inner)

    @classmethod
    def ssem(cls, m: int, n: int, p: int, delta_squared: Fraction) -> Embeddings:
        """The (m, n, p, delta)-SSEM of Definition A.2, for rational delta**2."""
        t = Fraction(delta_squared) * Fraction(m * n, m * n - 1)
        cross = Fraction(0) if m == 1 else Fraction(-1, m - 1) + t * Fraction(n - 1, n * (m - 1))
        return cls.hierarchical(m, n, p, Fraction(1), 1 - t, cross)

    @classmethod
    def simplex(cls, m: int, n: int = 1) -> Embeddings:
        """The (mn - 1)-simplex ETF of Definition 1, its vectors labelled by (class, instance)."""
        apart = Fraction(-1, m * n - 1) if m * n > 1 else Fraction(0)
        return cls.hierarchical(m, n, 1, Fraction(1), apart, apart)

    def restricted(self, only: Sequence[Index], note: str = "") -> Embeddings:
        """Those of the vectors that have one of the indices."""
        note = f"{self.note}, {note}".strip(", ")
        return Embeddings(self.m, self.n, self.p, self.ip, note=note, only=only)

    def scaled(self, radius: Fraction | int) -> Embeddings:
        """The same vectors, all multiplied by a factor."""
        square = Fraction(radius) ** 2
        return Embeddings(
            self.m,
            self.n,
            self.p,
            lambda a, b: square * self._gram[a, b],
            dimension=self.dimension,
            note=f"{self.note}, radius {radius}".lstrip(", "),
            only=self.everything,
        )

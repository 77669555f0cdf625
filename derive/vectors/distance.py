"""Distance geometry, exactly: which constant makes numbers the squared distances of points.

For a symmetric D with zero diagonal, D + c (off the diagonal) has the centred Gram matrix
B + (c/2) J, where B = -J D J/2 and J projects off the vector of ones. With mu_1 <= ... <= mu_{n-1}
the eigenvalues of B beside that vector, D + c holds the squared distances of points in q dimensions
iff c >= -2 mu_1 and, of the n - 1 numbers mu_k + c/2, at most q are not zero. Hence

- q >= n - 1: for every c >= -2 mu_1;
- q < n - 1: for c = -2 mu_1 only, and iff mu_1 has a multiplicity of at least n - 1 - q.

All of it is decided for fractions, and for fractions times one number, by exact linear algebra;
other entries are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any

from flint import fmpq, fmpq_mat
from sympy import Expr, FiniteSet, Interval, Rational, S, oo, sqrt
from sympy.sets.sets import Set

from ..decide.ball import Enclosures, NotEnclosed, enclosure, precision
from ..decide.digits import NotKnown, is_zero, rounded
from ..decide.domain import DomainError
from ..decide.exact import exact_list
from .algebraic import (
    Algebraic,
    Eigenvalue,
    as_digits,
    as_flint,
    as_sympy,
    eigenvalues,
    exact_fraction,
)
from .coordinates import Rows, in_balls, in_field, padded

#: At these bits a ratio of entries is guessed, and eigenvalues that meet are held for equal.
GUESS_BITS = 256
#: Denominators of a guessed ratio are at most this.
LARGEST = 10**6
#: Points are found exactly in a number field up to so many, in balls beyond.
IN_FIELD = 16
#: Significant digits of numbers in a line of words.
SHOWN = 4


class Dissimilarity:
    """A symmetric matrix of numbers off the diagonal, read exactly; the diagonal is left out.

    Parameters
    ----------
    rows
        Rows of numbers, as :func:`~..decide.exact.exact` takes them.

    Raises
    ------
    DomainError
        If it is not square, not symmetric, too small or not finite; one line.
    """

    def __init__(self, rows: object):
        try:
            given = exact_list(rows, rows=True)
        except ValueError as error:
            raise DomainError(f"D: {error}") from None
        self.size = len(given)
        check_square(given, "D")
        check_symmetric(given, "D")
        self.entries: Rows = tuple(
            tuple(S.Zero if i == j else given[min(i, j)][max(i, j)] for j in range(self.size))
            for i in range(self.size)
        )

    @cached_property
    def pairs(self) -> tuple[Expr, ...]:
        """The entries above the diagonal."""
        return tuple(self.entries[i][j] for i, j in combinations(range(self.size), 2))

    # --- fractions -------------------------------------------------------------------------
    @cached_property
    def _shares(self) -> tuple[Expr, dict[Expr, Expr]] | None:
        """A positive number, and what entries are over it, if all are found to be fractions."""
        if all(e.is_Rational for e in self.pairs):
            return S.One, {e: e for e in self.pairs}
        unit = next(e for e in self.pairs if not zero(e))
        unit = unit if enclosure(unit, GUESS_BITS) > 0 else -unit
        found = {e: fraction_of(e, unit) for e in set(self.pairs)}
        known = {e: share for e, share in found.items() if share is not None}
        return (unit, known) if len(known) == len(found) else None

    @property
    def scale(self) -> Expr:
        """A positive number of which all entries are fractions.

        Raises
        ------
        DomainError
            If none is found; one line.
        """
        if self._shares is None:
            raise DomainError(
                "D: the entries are not rational multiples of one number, so equality "
                "of eigenvalues cannot be decided; use fractions or decimals"
            )
        return self._shares[0]

    @cached_property
    def fractions(self) -> fmpq_mat:
        """The entries over the scale."""
        known = {S.Zero: S.Zero} | (self._shares[1] if self.scale and self._shares else {})
        flat = [as_flint(known[e]) for row in self.entries for e in row]
        return fmpq_mat(self.size, self.size, flat)

    # --- the centred Gram matrix -----------------------------------------------------------
    @cached_property
    def centred_fractions(self) -> list[list[Any]]:
        """-J D J/2 over the scale."""
        return centred(self.fractions.tolist())

    @cached_property
    def spectrum(self) -> tuple[Eigenvalue, ...]:
        """Different eigenvalues of the centred Gram matrix over the scale, ones left out."""
        return eigenvalues(self._beside_ones)

    @property
    def _beside_ones(self) -> fmpq_mat:
        """The matrix over the scale where it acts beside ones, in the basis e_i - e_n."""
        b, n = self.centred_fractions, self.size
        return fmpq_mat(
            n - 1, n - 1, [b[i][j] - b[i][n - 1] for i in range(n - 1) for j in range(n - 1)]
        )

    @cached_property
    def least_constant(self) -> Algebraic:
        """-2 mu_1 over the scale, as a root of its own."""
        return eigenvalues(self._beside_ones * fmpq(-2))[-1].number

    @cached_property
    def eigenvalues(self) -> tuple[Expr, ...]:
        """The n - 1 eigenvalues of the centred Gram matrix beside ones, from the least on."""
        return tuple(
            as_digits(self.scale * e.number.expression)
            for e in self.spectrum
            for _ in range(e.multiplicity)
        )

    @cached_property
    def least(self) -> Expr:
        """mu_1, the least eigenvalue."""
        return self.eigenvalues[0]

    @property
    def multiplicity(self) -> int:
        """How often it is one."""
        return self.spectrum[0].multiplicity

    @property
    def is_edm(self) -> bool:
        """Whether the entries are squared distances of points, with no constant."""
        return self.spectrum[0].number.sign() >= 0

    @cached_property
    def constant(self) -> Expr:
        """-2 mu_1, the least constant."""
        return as_digits(self.scale * self.least_constant.expression)

    def with_constant(self, c: Expr) -> Rows:
        """D + c, off the diagonal."""
        return tuple(
            tuple(e if i == j else e + c for j, e in enumerate(row))
            for i, row in enumerate(self.entries)
        )

    def points(self, c: Expr, rank: int) -> Rows:
        """Points with the squared distances D + c, centred at zero; their dimension is ``rank``.

        The constant is 0 or the least.
        """
        n, exact, scale = self.size, self.centred_fractions, self.scale
        parts = [[fmpq((i == j) * n - 1, 2 * n) for j in range(n)] for i in range(n)]
        if n > IN_FIELD:
            gram = tuple(
                tuple(
                    scale * as_sympy(e) + c * as_sympy(part) for e, part in zip(*rows, strict=True)
                )
                for rows in zip(exact, parts, strict=True)
            )
            return in_balls(gram, rank)
        constant = Algebraic.rational(0) if c == 0 else self.least_constant
        in_root = [
            [constant.at * part + e for e, part in zip(*rows, strict=True)]
            for rows in zip(exact, parts, strict=True)
        ]
        return padded(in_field(in_root, constant.root, rank), rank, sqrt(scale))

    def dimension_with(self, c: Expr) -> int:
        """The dimension of points whose squared distances are D + c.

        ``c`` is not below the least constant.
        """
        at_least = c == self.constant or zero(c - self.constant)
        return self.size - 1 - (self.multiplicity if at_least else 0)


# --- the verdict -----------------------------------------------------------------------------
class Euclidean:
    """Whether D + c holds the squared distances of points in q dimensions, for some c.

    Parameters
    ----------
    dissimilarity
        D.
    q
        Dimensions that there are.
    """

    def __init__(self, dissimilarity: Dissimilarity, q: int):
        self.distances, self.q = dissimilarity, q
        self.free = q >= dissimilarity.size - 1  #: whether any constant from the least on will do

    @property
    def attained(self) -> bool:
        """Whether there are such a constant and points."""
        return self.free or self.dimension <= self.q

    @property
    def unique(self) -> bool | None:
        """Whether the points are the only ones, up to isometry: then so is the constant."""
        return (not self.free) if self.attained else None

    @cached_property
    def constants(self) -> Set:
        """All constants that will do."""
        if not self.attained:
            return S.EmptySet
        c = self.distances.constant
        return Interval(c, oo, False, True) if self.free else FiniteSet(c)

    @cached_property
    def c(self) -> Expr | None:
        """The constant: 0 where that will do, else the least."""
        if not self.attained:
            return None
        return S.Zero if self.free and self.distances.is_edm else self.distances.constant

    @property
    def dimension(self) -> int:
        """The least number of dimensions in which it is attained."""
        return self.distances.size - 1 - self.distances.multiplicity

    @cached_property
    def defect(self) -> Expr:
        """How far the centred Gram matrix is from one that is attained, in the spectral norm.

        Half of mu_{n-1-q} - mu_1: by Weyl no smaller change makes so many eigenvalues equal, and
        moving them to the middle does.
        """
        if self.attained:
            return S.Zero
        values = self.distances.eigenvalues
        return as_digits((values[self.distances.size - 2 - self.q] - values[0]) / 2)

    @cached_property
    def embedding(self) -> Rows | None:
        """Points, as rows of q coordinates, centred at zero."""
        if self.c is None:
            return None
        return padded(self.distances.points(self.c, self.distances.dimension_with(self.c)), self.q)

    @property
    def reason(self) -> str:
        """The verdict in a line."""
        D, q, n = self.distances, self.q, self.distances.size
        if self.free:
            return (
                f"any D is attained in n - 1 = {n - 1} or more dimensions, with every "
                f"constant c >= {short(D.constant)}"
            )
        if self.attained and zero(D.constant):
            return f"D is a Euclidean distance matrix of dimension {self.dimension}"
        needs = f"needs {plural(self.dimension, 'dimension')}, q is {q}"
        if self.attained:
            return (
                f"{not_euclidean(D)}with the constant c = {short(D.constant)}, and no other, it is "
                f"one of dimension {self.dimension}"
            )
        if zero(D.constant):
            return needs
        return (
            f"{not_euclidean(D)}with c = {short(D.constant)}, the only constant that lowers it, it "
            f"{needs}"
        )


def not_euclidean(D: Dissimilarity) -> str:
    """Words where D is no Euclidean distance matrix, else none."""
    if D.is_edm:
        return ""
    return (
        f"not a Euclidean distance matrix: eigenvalue {short(D.least)} of the centred Gram matrix; "
    )


def euclidean(D: object, q: int) -> Euclidean:
    """The verdict on a matrix of dissimilarities; ``D`` is read by :class:`Dissimilarity`."""
    return Euclidean(D if isinstance(D, Dissimilarity) else Dissimilarity(D), q)


def centred(d: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """-J D J/2 of a symmetric matrix."""
    means = [sum(row[1:], row[0]) / len(d) for row in d]
    mean = sum(means[1:], means[0]) / len(d)
    return [
        [-(e - means[i] - means[j] + mean) / 2 for j, e in enumerate(row)]
        for i, row in enumerate(d)
    ]


# --- reading and words -----------------------------------------------------------------------
def check_square(rows: Sequence[Sequence[Expr]], name: str) -> None:
    """Refuse what is not a square of finite numbers for two points or more.

    Raises
    ------
    DomainError
        One line.
    """
    if len(rows) != len(rows[0]):
        raise DomainError(f"{name} is {len(rows)} x {len(rows[0])}, and must be square")
    if len(rows) < 2:
        raise DomainError(f"{name} is for {len(rows)} point; it must be for at least two")
    for i, row in enumerate(rows, 1):
        for j, e in enumerate(row, 1):
            if not e.is_finite:
                raise DomainError(f"{name} must be finite, and entry ({i}, {j}) is {e}")


def check_symmetric(rows: Sequence[Sequence[Expr]], name: str) -> None:
    """Refuse a matrix that is not symmetric, with the first entries that differ.

    Raises
    ------
    DomainError
        One line.
    """
    for i, j in combinations(range(len(rows)), 2):
        if rows[i][j] != rows[j][i] and not zero(rows[i][j] - rows[j][i]):
            raise DomainError(
                f"{name} is not symmetric: entry ({i + 1}, {j + 1}) is {rows[i][j]} and "
                f"({j + 1}, {i + 1}) is {rows[j][i]}"
            )


def zero(e: Expr) -> bool:
    """Whether a number is proved to be zero; balls are asked first."""
    if e.is_Rational:
        return bool(e == 0)
    try:
        with precision(GUESS_BITS):
            if not Enclosures(GUESS_BITS, {})(e).contains(0):
                return False
    except NotEnclosed:
        return False
    return is_zero(e)


def fraction_of(e: Expr, unit: Expr) -> Expr | None:
    """A number over another, if that is a fraction: guessed from a ball, and proved."""
    if e == 0:
        return S.Zero
    if e == unit:
        return S.One
    if (e / unit).is_Rational:
        return e / unit
    with precision(GUESS_BITS):
        of = Enclosures(GUESS_BITS, {})
        try:
            ball = of(e) / of(unit)
        except NotEnclosed:
            return None
        if not ball.is_finite():
            return None
        at = exact_fraction(ball.mid())
        guess = Fraction(int(at.p), int(at.q)).limit_denominator(LARGEST)
        near = Rational(guess.numerator, guess.denominator)
        if not (ball - of(near)).contains(0):
            return None
    return near if is_zero(e - near * unit) else None


def short(e: Expr) -> str:
    """A number in words."""
    if e.is_Integer:
        return str(e)
    try:
        return rounded(e, SHOWN)[1]
    except (NotEnclosed, NotKnown):
        return str(e)


def plural(count: int, word: str) -> str:
    """``1 dimension``, ``3 dimensions``."""
    return f"{count} {word}{'' if count == 1 else 's'}"

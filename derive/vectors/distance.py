"""Distance geometry, exactly: which constant makes numbers the squared distances of points.

For a symmetric D with zero diagonal, D + c (off the diagonal) has the centred Gram matrix
B + (c/2) J, where B = -J D J/2 and J projects off the vector of ones. With mu_1 <= ... <= mu_{n-1}
the eigenvalues of B beside that vector, D + c holds the squared distances of points in q dimensions
iff c >= -2 mu_1 and, of the n - 1 numbers mu_k + c/2, at most q are not zero. Hence

- q >= n - 1: for every c >= -2 mu_1;
- q < n - 1: for c = -2 mu_1 only, and iff mu_1 has a multiplicity of at least n - 1 - q.

All of it is decided for fractions, and for fractions times one number, by exact linear algebra.
Other entries are taken as balls: equal eigenvalues are told where they are zero, or not at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from flint import acb_mat, fmpq, fmpq_mat, fmpq_poly, fmpz_poly
from sympy import Expr, FiniteSet, Interval, Rational, S, log, oo, sqrt
from sympy.core.symbol import Str
from sympy.sets.sets import Set

from ..decide.ball import Enclosures, NotEnclosed, TooWide, enclosure, precision
from ..decide.digits import NotKnown, is_zero, rounded
from ..decide.domain import DomainError
from ..decide.exact import exact_list
from ..optimum.value import Digits, Handle
from .algebraic import (
    FAR_BITS,
    Algebraic,
    Eigenvalue,
    Root,
    as_digits,
    as_flint,
    doubled,
    eigenvalues,
    exact_fraction,
    middle,
)
from .coordinates import Rows, in_balls, in_field, inertia, padded

#: At these bits a ratio of entries is guessed, and eigenvalues that meet are held for equal.
GUESS_BITS, CLUSTER_BITS = 256, 512
#: Denominators of a guessed ratio are at most this.
LARGEST = 10**6
#: Points are found exactly in a number field up to so many, in balls beyond.
IN_FIELD = 16
#: What is missing is called rounding below this part of the largest eigenvalue.
ROUNDING = 1e-12
#: Significant digits of numbers in a line of words.
SHOWN = 4


class Dissimilarity:
    """A symmetric matrix of numbers off the diagonal, read exactly; the diagonal is left out.

    Parameters
    ----------
    rows
        Rows of numbers, as :func:`~..decide.exact.exact` takes them.
    name
        What messages call it.

    Raises
    ------
    DomainError
        If it is not square, not symmetric, too small or not finite; one line.
    """

    def __init__(self, rows: object, name: str = "D"):
        self.name = name
        try:
            given = exact_list(rows, rows=True)
        except ValueError as error:
            raise DomainError(f"{name}: {error}") from None
        self.size = len(given)
        check_square(given, name)
        check_symmetric(given, name)
        self.entries: Rows = tuple(
            tuple(S.Zero if i == j else given[min(i, j)][max(i, j)] for j in range(self.size))
            for i in range(self.size)
        )

    @cached_property
    def pairs(self) -> tuple[Expr, ...]:
        """The entries above the diagonal."""
        return tuple(self.entries[i][j] for i in range(self.size) for j in range(i + 1, self.size))

    def log_weights(self) -> Rows:
        """Logarithms of the weights exp(-d_ij)."""
        return tuple(tuple(-e for e in row) for row in self.entries)

    # --- fractions -------------------------------------------------------------------------
    @cached_property
    def scale(self) -> Expr | None:
        """A positive number of which all entries are fractions, if one is found."""
        if all(e.is_Rational for e in self.pairs):
            return S.One
        unit = next(e for e in self.pairs if not zero(e))
        found = {e: fraction_of(e, unit) for e in set(self.pairs)}
        if any(r is None for r in found.values()):
            return None
        return unit if enclosure(unit, GUESS_BITS) > 0 else -unit

    @cached_property
    def fractions(self) -> fmpq_mat | None:
        """The entries over the scale."""
        if self.scale is None:
            return None
        unit = self.scale
        known = {e: e if unit == 1 else fraction_of(e, unit) for e in set(self.pairs)} | {
            S.Zero: S.Zero
        }
        flat = [as_flint(known[e]) for row in self.entries for e in row]
        return fmpq_mat(self.size, self.size, flat)

    # --- the centred Gram matrix -----------------------------------------------------------
    @cached_property
    def centred_gram(self) -> Rows:
        """-J D J/2."""
        return tuple(tuple(row) for row in centred(self.entries))

    @cached_property
    def centred_fractions(self) -> list[list[Any]] | None:
        """The same over the scale."""
        if self.fractions is None:
            return None
        return centred(self.fractions.tolist())

    @cached_property
    def spectrum(self) -> tuple[Eigenvalue, ...] | None:
        """Different eigenvalues of the centred Gram matrix over the scale, ones left out."""
        return None if self.fractions is None else eigenvalues(self._beside_ones)

    @property
    def _beside_ones(self) -> fmpq_mat:
        """The matrix over the scale where it acts beside ones, in the basis e_i - e_n."""
        b, n = self.centred_fractions, self.size
        assert b is not None
        return fmpq_mat(
            n - 1, n - 1, [b[i][j] - b[i][n - 1] for i in range(n - 1) for j in range(n - 1)]
        )

    @cached_property
    def least_constant(self) -> Algebraic | None:
        """-2 mu_1 over the scale, as a root of its own."""
        if self.fractions is None:
            return None
        return eigenvalues(self._beside_ones * fmpq(-2))[-1].number

    @cached_property
    def eigenvalues(self) -> tuple[Expr, ...]:
        """The n - 1 eigenvalues of the centred Gram matrix beside ones, from the least on."""
        if self.spectrum is not None and self.scale is not None:
            unit = self.scale
            return tuple(
                as_digits(unit * e.number.expression)
                for e in self.spectrum
                for _ in range(e.multiplicity)
            )
        if self._nullity is not None:  # then the least are zero
            below = self._nullity
            return (S.Zero,) * below + tuple(self._in_balls(k) for k in range(below, self.size - 1))
        return tuple(self._in_balls(k) for k in range(self.size - 1))

    def _in_balls(self, k: int) -> Expr:
        return Digits(Handle(self, "centred Gram matrix"), Str("eigenvalue"), Str(str(k)))

    def ball(self, kind: str, name: str, bits: int) -> Any:
        """A ball around an eigenvalue."""
        for work in doubled(
            bits + 64, 4 * bits + FAR_BITS
        ):  # one that is zero has no relative accuracy at all
            with precision(work):
                found = self._balls(work)[int(name)]
                if found.rel_accuracy_bits() >= bits:
                    return found
        raise TooWide(f"eigenvalue {name} is not found to {bits} bits")

    def _balls(self, bits: int) -> list[Any]:
        """Balls around all eigenvalues, from the least on; those of equal ones may meet."""
        n = self.size
        of = Enclosures(bits, {})
        b = self.centred_gram
        flat = [of(b[i][j]) - of(b[i][n - 1]) for j in range(n - 1) for i in range(n - 1)]
        found = acb_mat(n - 1, n - 1, flat).eig(multiple=True)
        return sorted((e.real for e in found), key=middle)

    @cached_property
    def _nullity(self) -> int | None:
        """How often the least eigenvalue is zero, where that is so and is proved."""
        last = self.size - 1
        d = self.entries
        at_last = tuple(
            tuple((d[i][last] + d[j][last] - d[i][j]) / 2 for j in range(last)) for i in range(last)
        )
        found = inertia(at_last)  # as that of B beside ones
        return found[2] if found is not None and not found[1] and found[2] else None

    @cached_property
    def least(self) -> Expr:
        """mu_1, the least eigenvalue."""
        return self.eigenvalues[0]

    @cached_property
    def multiplicity(self) -> tuple[int, int]:
        """How often it is one, as least and most; the same where it is decided."""
        if self.spectrum is not None:
            k = self.spectrum[0].multiplicity
            return k, k
        if self._nullity is not None:
            return self._nullity, self._nullity
        with precision(CLUSTER_BITS):
            balls = self._balls(CLUSTER_BITS)
            k = 1
            while k < len(balls) and not balls[k] > balls[k - 1]:
                k += 1
        return 1, k

    @cached_property
    def sign_of_least(self) -> int | None:
        """1, 0 or -1 as mu_1 is, None if it is not decided."""
        if self.spectrum is not None:
            return self.spectrum[0].number.sign()
        if self._nullity is not None:
            return 0
        try:
            ball = enclosure(self.least, 64)
        except NotEnclosed:
            return None
        return 1 if ball > 0 else -1 if ball < 0 else None

    @property
    def is_edm(self) -> bool | None:
        """Whether the entries are squared distances of points, with no constant."""
        return None if self.sign_of_least is None else self.sign_of_least >= 0

    @cached_property
    def constant(self) -> Expr:
        """-2 mu_1, the least constant."""
        if self.least_constant is not None and self.scale is not None:
            return as_digits(self.scale * self.least_constant.expression)
        return as_digits(-2 * self.least)

    def with_constant(self, c: Expr) -> Rows:
        """D + c, off the diagonal."""
        return tuple(
            tuple(e if i == j else e + c for j, e in enumerate(row))
            for i, row in enumerate(self.entries)
        )

    def at(self, c: Expr) -> tuple[Root, fmpq_poly] | None:
        """A constant over the scale, as a polynomial in a root, if it is 0 or the least."""
        if self.spectrum is None:
            return None
        if c == 0:
            return Root(fmpz_poly([0, 1]), 0), fmpq_poly([])
        least = self.least_constant
        return (least.root, least.at) if least is not None and c == self.constant else None

    def points(self, c: Expr, rank: int) -> Rows:
        """Points with the squared distances D + c, centred at zero; their dimension is ``rank``."""
        n, at, exact = self.size, self.at(c), self.centred_fractions
        parts = [[Rational((i == j) * n - 1, 2 * n) for j in range(n)] for i in range(n)]
        if at is None or exact is None or self.scale is None or n > IN_FIELD:
            b = self.centred_gram
            gram = tuple(tuple(b[i][j] + c * parts[i][j] for j in range(n)) for i in range(n))
            return in_balls(gram, rank)
        root, constant = at
        in_root = [
            [constant * as_flint(parts[i][j]) + exact[i][j] for j in range(n)] for i in range(n)
        ]
        return padded(in_field(in_root, root, rank), rank, sqrt(self.scale))

    def dimension_with(self, c: Expr) -> int | None:
        """The dimension of points whose squared distances are D + c; None if not decided.

        ``c`` is not below the least constant.
        """
        low, high = self.multiplicity
        if c == self.constant or zero(c - self.constant):
            return self.size - 1 - low if low == high else None
        return self.size - 1


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
        self.of, self.q = dissimilarity, q
        self.free = q >= dissimilarity.size - 1  #: whether any constant from the least on will do

    @cached_property
    def attained(self) -> bool | None:
        """Whether there are such a constant and points; None if it is not decided."""
        if self.free:
            return True
        need, (low, high) = self.of.size - 1 - self.q, self.of.multiplicity
        return True if low >= need else False if high < need else None

    @property
    def unique(self) -> bool | None:
        """Whether the points are the only ones, up to isometry: then so is the constant."""
        return (not self.free) if self.attained else None

    @cached_property
    def constants(self) -> Set:
        """All constants that will do."""
        if not self.attained:
            return S.EmptySet
        c = self.of.constant
        return Interval(c, oo, False, True) if self.free else FiniteSet(c)

    @cached_property
    def c(self) -> Expr | None:
        """The constant: 0 where that will do, else the least."""
        if not self.attained:
            return None
        return S.Zero if self.free and self.of.is_edm else self.of.constant

    @cached_property
    def dimension(self) -> int | None:
        """The least number of dimensions in which it is attained."""
        low, high = self.of.multiplicity
        return self.of.size - 1 - low if low == high else None

    @cached_property
    def defect(self) -> Expr:
        """How far the centred Gram matrix is from one that is attained, in the spectral norm.

        Half of mu_{n-1-q} - mu_1: by Weyl no smaller change makes so many eigenvalues equal, and
        moving them to the middle does.
        """
        if self.attained:
            return S.Zero
        values = self.of.eigenvalues
        return as_digits((values[self.of.size - 2 - self.q] - values[0]) / 2)

    @cached_property
    def embedding(self) -> Rows | None:
        """Points, as rows of q coordinates, centred at zero."""
        if self.c is None:
            return None
        rank = self.of.dimension_with(self.c)
        if rank is None:
            return None
        return padded(self.of.points(self.c, rank), self.q)

    def _is_near(self) -> bool:
        """Whether what is missing is as small as the rounding of floats."""
        largest = max(abs(self.of.eigenvalues[0]), abs(self.of.eigenvalues[-1]), key=float)
        return float(self.defect) < ROUNDING * float(largest)

    @property
    def reason(self) -> str:
        """The verdict in a line."""
        D, q, n = self.of, self.q, self.of.size
        if self.attained is None:
            return (
                f"undecided: whether {n - 1 - q} eigenvalues of the centred Gram matrix near "
                f"{short(D.least)} are equal"
            )
        if self.free:
            return (
                f"any {D.name} is attained in n - 1 = {n - 1} or more dimensions, with every "
                f"constant c >= {short(D.constant)}"
            )
        if self.attained and zero(D.constant):
            return f"{D.name} is a Euclidean distance matrix of dimension {self.dimension}"
        needs = f"needs {plural(self.dimension, 'dimension')}, q is {q}"
        if self.attained:
            return (
                f"{not_euclidean(D)}with the constant c = {short(D.constant)}, and no other, it is "
                f"one of dimension {self.dimension}"
            )
        if self._is_near():
            return (
                f"not exactly: {D.name} changed by {short(self.defect)} would be, so to within "
                "rounding it is"
            )
        if D.sign_of_least == 0:
            return needs
        at_best = f"with c = {short(D.constant)}, the only constant that lowers it, it {needs}"
        return not_euclidean(D) + (at_best if self.dimension is not None else f"q is {q}")


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
    found = asymmetry(rows)
    if found is not None:
        i, j = found
        raise DomainError(
            f"{name} is not symmetric: entry ({i + 1}, {j + 1}) is {rows[i][j]} and "
            f"({j + 1}, {i + 1}) is {rows[j][i]}"
        )


def asymmetry(rows: Sequence[Sequence[Expr]]) -> tuple[int, int] | None:
    """The first place where a matrix is not proved to be symmetric."""
    for i in range(len(rows)):
        for j in range(i + 1, len(rows)):
            if rows[i][j] != rows[j][i] and not zero(rows[i][j] - rows[j][i]):
                return i, j
    return None


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
    return near if is_zero(by_primes(e) - near * by_primes(unit)) else None


def by_primes(e: Expr) -> Expr:
    """Logarithms of fractions as those of primes, between which there are no relations."""
    logs = [of for of in e.atoms(log) if of.args[0].is_Rational and of.args[0] > 0]
    primes = {of: of.args[0].factors(limit=LARGEST) for of in logs}
    return e.xreplace(
        {of: sum((k * log(p) for p, k in found.items()), S.Zero) for of, found in primes.items()}
    ).expand()


def short(e: Expr) -> str:
    """A number in words."""
    if e.is_Integer:
        return str(e)
    try:
        return rounded(e, SHOWN)[1]
    except (NotEnclosed, NotKnown):
        return str(e)


def plural(count: int | None, word: str) -> str:
    """``1 dimension``, ``3 dimensions``."""
    return f"{count} {word}{'' if count == 1 else 's'}"

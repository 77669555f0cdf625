"""Real algebraic numbers, and the eigenvalues of rational matrices where they are real.

A number is a polynomial in a root of an irreducible polynomial, of a lower degree than that: so it
is zero iff the polynomial is. Its sign and its digits are found by balls; every ball of a root is
put back into the polynomial, whose sign it must change, before it leaves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

from flint import arb, arb_poly, fmpq, fmpq_mat, fmpq_poly, fmpz_poly
from sympy import Expr, Rational, sqrt
from sympy.core.symbol import Str

from ..decide.ball import TooWide, enclosure, precision
from ..decide.digits import FIRST_BITS, LAST_BITS
from ..errors import InternalError
from ..frozen import Frozen
from ..optimum.value import Digits, Handle

#: Kept beyond the bits asked for.
GUARD = 32
#: How many bits beyond four times those asked for are tried where no algebra tells zero.
FAR_BITS = 1 << 12


def doubled(start: int = FIRST_BITS, last: int = LAST_BITS) -> Iterator[int]:
    """Precisions in bits, each twice the one before."""
    while start <= last:
        yield start
        start *= 2


class Root(Frozen):
    """A real root of an irreducible polynomial with integer coefficients.

    Attributes
    ----------
    polynomial
        Whose root it is.
    index
        Which of the real ones, from the least on.
    """

    polynomial: fmpz_poly
    index: int

    def ball(self, bits: int) -> Any:
        """A ball around it, at the sides of which the polynomial has different signs."""
        p = self.polynomial
        if p.degree() == 1:
            with precision(bits):
                return arb(-fmpq(p[0], p[1]))
        for work in doubled(bits + GUARD, 64 * (bits + LAST_BITS)):
            at = real_roots(p, work)[self.index]
            if at.rel_accuracy_bits() >= bits or at.is_zero():
                self._put_back(at)
                return at
        raise TooWide(f"a root of {p} is not found to {bits} bits")

    def _put_back(self, at: Any) -> None:
        low, high = (exact_fraction(end) for end in (at.lower(), at.upper()))
        p = fmpq_poly(self.polynomial)
        if p(low) * p(high) > 0:
            raise InternalError(f"{at} is not where {self.polynomial} changes sign")


def real_roots(p: fmpz_poly, bits: int) -> list[Any]:
    """Balls that do not meet, each with one of the real roots, in order."""
    return list(_real_roots(tuple(int(c) for c in p.coeffs()), bits))


@lru_cache(maxsize=64)
def _real_roots(coefficients: tuple[int, ...], bits: int) -> tuple[Any, ...]:
    with precision(bits):
        # Those that are real are exactly so.
        found: Any = fmpz_poly(list(coefficients)).complex_roots()
        return tuple(sorted((r.real for r, _ in found if r.imag.is_zero()), key=middle))


def middle(at: Any) -> Any:
    """What balls that do not meet are sorted by: their midpoints, exactly."""
    return exact_fraction(at.mid())


def exact_fraction(point: Any) -> Any:
    """A ball without radius, as a fraction."""
    man, power = point.man_exp()
    return fmpq(man) * fmpq(2) ** int(power)


class Algebraic:
    """A real number: a polynomial with rational coefficients at a root.

    Parameters
    ----------
    root
        The root.
    at
        The polynomial; the root itself without.
    """

    def __init__(self, root: Root, at: fmpq_poly | None = None):
        self.root = root
        modulus = fmpq_poly(root.polynomial)
        self.at = (fmpq_poly([0, 1]) if at is None else at) % modulus

    @classmethod
    def rational(cls, value: Any) -> Algebraic:
        """A fraction."""
        return cls(Root(fmpz_poly([0, 1]), 0), fmpq_poly([fmpq(value)]))

    def element(self, numer: fmpq_poly, denom: fmpq_poly | None = None) -> Algebraic:
        """A rational function of the root, the denominator of which is not zero there."""
        if denom is None:
            return Algebraic(self.root, numer)
        modulus = fmpq_poly(self.root.polynomial)
        _, inverse, _ = (denom % modulus).xgcd(modulus)
        return Algebraic(self.root, numer * inverse)

    def ball(self, kind: str, name: str, bits: int) -> Any:
        """A ball around it, of a relative radius below ``2**-bits``."""
        if self.is_zero():
            return arb(0)
        for work in doubled(bits + GUARD, 64 * (bits + LAST_BITS)):
            with precision(work):
                found = arb_poly(self.at)(self.root.ball(work))
                if found.rel_accuracy_bits() >= bits:
                    return found
        raise TooWide(f"{self.at} is not found to {bits} bits")

    def is_zero(self) -> bool:
        """Whether it is zero: exactly."""
        return bool(self.at == 0)

    def sign(self) -> int:
        """1, 0 or -1: exactly."""
        if self.is_zero():
            return 0
        for bits in doubled():
            with precision(bits):
                found = arb_poly(self.at)(self.root.ball(bits))
                if found > 0 or found < 0:
                    return 1 if found > 0 else -1
        raise TooWide(f"the sign of {self.at} is not found")

    def __add__(self, other: Any) -> Algebraic:
        return Algebraic(self.root, self.at + fmpq_poly([fmpq(other)]))

    def __mul__(self, other: Any) -> Algebraic:
        return Algebraic(self.root, self.at * fmpq(other))

    def __neg__(self) -> Algebraic:
        return self * -1

    def __sub__(self, other: Any) -> Algebraic:
        return self + (-fmpq(other))

    @cached_property
    def expression(self) -> Expr:
        """A fraction, or with a square root, or else a number with any number of digits."""
        if self.at.degree() <= 0:
            return as_sympy(self.at[0])
        p = self.root.polynomial
        if p.degree() == 2:
            a, b, c = (fmpq(p[k]) for k in (2, 1, 0))
            one, slope = self.at[0], self.at[1]
            half = slope / (2 * a)
            side = (1 if self.root.index else -1) * (1 if a > 0 else -1)
            return as_sympy(one - half * b) + side * as_sympy(half) * sqrt(
                as_sympy(b * b - 4 * a * c)
            )
        return Digits(Handle(self, "root"), Str("root"), Str(""))


def as_digits(e: Expr) -> Expr:
    """An expression with numbers that are only known by their digits, as one such number."""
    if not e.has(Digits) or isinstance(e, Digits):
        return e
    return Digits(Handle(_Evaluated(e), "number"), Str("number"), Str(""))


class _Evaluated:
    """Balls of an expression."""

    def __init__(self, expression: Expr):
        self.expression = expression

    def ball(self, kind: str, name: str, bits: int) -> Any:
        """One of a relative radius below ``2**-bits``."""
        for work in doubled(bits + GUARD, 4 * bits + FAR_BITS):
            try:
                found = enclosure(self.expression, work)
            except TooWide:
                found = None
            if found is not None and (found.rel_accuracy_bits() >= bits or found.is_zero()):
                return found
        raise TooWide(f"a number is not found to {bits} bits")


def as_sympy(value: Any) -> Rational:
    """A fraction of flint as one of SymPy."""
    q = fmpq(value)
    return Rational(int(q.p), int(q.q))


def as_flint(value: Expr) -> Any:
    """A fraction of SymPy as one of flint."""
    return fmpq(int(value.p), int(value.q))


# --- eigenvalues -----------------------------------------------------------------------------
class Eigenvalue(Frozen):
    """An eigenvalue with its multiplicity."""

    number: Algebraic
    multiplicity: int


def roots(polynomial: fmpq_poly) -> list[tuple[Algebraic, int]]:
    """The real roots of a polynomial, from the least on, with multiplicities."""
    factors = fmpz_poly(polynomial.numer()).factor()[1]
    return in_order(
        [
            (Algebraic(Root(factor, k)), int(multiplicity))
            for factor, multiplicity in factors
            for k in range(len(real_roots(factor, FIRST_BITS)))
        ]
    )


def in_order(found: Sequence[tuple[Algebraic, int]]) -> list[tuple[Algebraic, int]]:
    """Different numbers from the least on."""
    for bits in doubled():
        with precision(bits):
            balls = [(number.ball("", "", bits), number, k) for number, k in found]
            balls.sort(key=lambda ball: middle(ball[0]))
            if all(a[0] < b[0] for a, b in pairwise(balls)):
                return [(number, k) for _, number, k in balls]
    raise TooWide("two eigenvalues could not be distinguished")


def eigenvalues(matrix: fmpq_mat) -> tuple[Eigenvalue, ...]:
    """The eigenvalues of a rational matrix that has real ones only, from the least on."""
    found = tuple(Eigenvalue(number, k) for number, k in roots(matrix.charpoly()))
    if sum(e.multiplicity for e in found) != matrix.nrows():
        raise InternalError("a matrix has eigenvalues that are not real")
    return found

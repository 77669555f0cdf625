"""What parts of a statement come to: numbers, vectors, matrices, intervals; and how they compare.

Rational numbers stay fractions and are compared exactly; all others are 50-digit numbers. A
division by zero, a root or logarithm of what has none, is an answer too: no value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from math import isqrt
from typing import Any, Protocol, TypeAlias

import mpmath
from sympy import oo

from ..frozen import FrozenValue
from .digits import CLOSE, DIGITS
from .matrices import Matrix

Index: TypeAlias = "tuple[int, int, int]"
#: A linear combination of the vectors of a set.
Vector = dict[Index, Any]


class NoValue(ArithmeticError):
    """The expression has no value there; the message says which part."""


class Unknown(LookupError):
    """A name that nothing defines, or a value that is not known there."""


class Vectors(Protocol):
    """A set of vectors, known by their inner products."""

    def ip(self, a: Index, b: Index) -> Any:
        """The inner product of two of them."""

    def mean_sq_dist(self, left: Sequence[Index], right: Sequence[Index]) -> Any:
        """The mean squared distance of two subsets."""

    def between_variance(self) -> Any:
        """The variance of the means of the classes."""

    def variance(self, subset: Sequence[Index]) -> Any:
        """The variance of a subset."""


class Constant:
    """A constant that is said to exist: the first equation for it says what it is."""

    def __init__(self, name: str):
        self.name = name
        self.value: Any = None


class Moved(FrozenValue):
    """A constant, or its negative, with something added to it."""

    constant: Constant
    sign: int
    by: Any


class Row(FrozenValue):
    """A transposed vector."""

    vector: Vector


class Interval(FrozenValue):
    """An interval where a number may stand; it is equal to an interval with the same ends only."""

    low: Any
    high: Any
    low_open: bool
    high_open: bool

    def __str__(self) -> str:
        ends = "[("[self.low_open], "])"[self.high_open]
        return f"the interval {ends[0]}{text(self.low)}, {text(self.high)}{ends[1]}"

    def same(self, other: Interval) -> bool:
        """Whether the other one is the same interval."""
        ends = (self.low_open, self.high_open) == (other.low_open, other.high_open)
        pairs = ((self.low, other.low), (self.high, other.high))
        return ends and all(compare(a, b, "=") for a, b in pairs)


# --- numbers -------------------------------------------------------------------------------
def mp(found: Any) -> Any:
    """A number at the working precision."""
    if isinstance(found, Fraction):
        return mpmath.mpf(found.numerator) / found.denominator
    if isinstance(found, (dict, list, Row, Interval, Matrix)):
        raise Unknown("a vector, matrix or set where a number was expected")
    if isinstance(found, (Constant, Moved)):
        raise unsettled(found if isinstance(found, Constant) else found.constant)
    if isinstance(found, mpmath.mpc):
        raise NoValue("no real number")
    return mpmath.mpf(found)


def unsettled(constant: Constant) -> Unknown:
    """The error for a constant that no equation settles."""
    return Unknown(f"nothing says what {constant.name} is")


def text(found: Any) -> str:
    """A value as a witness shows it: exact, or to twelve digits."""
    if isinstance(found, (int, Fraction, Interval)):
        return str(found)
    if isinstance(found, (dict, list)):
        return "a vector"
    if isinstance(found, Matrix):
        return "a matrix"
    if isinstance(found, mpmath.mpf) and abs(found) <= CLOSE:  # it is compared as zero
        return "0.0"
    return str(mpmath.nstr(found, 12))


@cache
def as_number(value: Any) -> Any:
    """A SymPy number as a fraction or, if irrational, as a 50-digit number."""
    if value in (oo, -oo):
        return mpmath.inf if value is oo else -mpmath.inf
    if value.is_Rational:
        return Fraction(int(value.p), int(value.q))
    with mpmath.workdps(DIGITS):
        return mpmath.mpf(value.evalf(DIGITS + 5))


#: Whether a relation holds, by the gap of its sides and what of a gap does not count.
HOLDS: dict[str, Callable[[Any, Any], Any]] = {
    "=": lambda gap, slack: abs(gap) <= slack,
    "!=": lambda gap, slack: abs(gap) > slack,
    "<=": lambda gap, slack: gap <= slack,
    ">=": lambda gap, slack: gap >= -slack,
    "<": lambda gap, slack: gap < -slack,
    ">": lambda gap, slack: gap > slack,
}


def compare(left: Any, right: Any, relation: str) -> bool:
    """Compare numbers: fractions exactly, others to forty digits."""
    slack: Any = 0
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        gap: Any = (left > right) - (left < right)
    else:
        left, right = mp(left), mp(right)
        if mpmath.isinf(left) or mpmath.isinf(right):
            gap = (left > right) - (left < right)
        else:
            gap, slack = left - right, CLOSE * (1 + abs(right))
    return bool(HOLDS[relation](gap, slack))


def related(left: Any, right: Any, relation: str, vectors: Vectors | None) -> bool:
    """Whether a relation holds of numbers, vectors, matrices or intervals."""
    pair = (left, right)
    if any(isinstance(v, Interval) for v in pair):
        if relation not in ("=", "!="):
            raise Unknown("intervals can only be compared for equality")
        same = all(isinstance(v, Interval) for v in pair) and left.same(right)
        return bool(same == (relation == "="))
    if any(isinstance(v, Matrix) for v in pair):
        if relation in ("<", ">", "->") or not isinstance(left, type(right)):
            raise Unknown("matrices are compared for equality or in the Loewner order")
        if relation in ("<=", ">="):
            gap = plus(*(pair[::-1] if relation == "<=" else pair), -1)
            return bool(gap.is_psd())
        return bool(left.equals(right)) == (relation == "=")
    if any(isinstance(v, dict) for v in pair):
        if relation not in ("=", "!="):
            raise Unknown("vectors can only be compared for equality")
        gap = plus(vector(left), vector(right), -1)
        same = compare(dot(gap, gap, vectors), Fraction(0), "=")
        return same == (relation == "=")
    return compare(left, right, relation)


# --- sums and products -----------------------------------------------------------------------
def plus(left: Any, right: Any, factor: int = 1) -> Any:
    """A sum, or a difference where the factor is -1."""
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left + right if factor == 1 else left - right
    if isinstance(left, Matrix) and isinstance(right, Matrix):
        return _fitting(left.plus(right, factor), "matrices of different shapes cannot be added")
    numbers = (int, Fraction, mpmath.mpf)
    if isinstance(left, Matrix) != isinstance(right, Matrix) and not (
        isinstance(left, numbers) or isinstance(right, numbers)
    ):
        raise NoValue("a matrix and a vector are added")
    if isinstance(left, Row) or isinstance(right, Row):
        raise NoValue("a transposed vector cannot be added")
    if isinstance(left, dict) or isinstance(right, dict):
        found = dict(vector(left))
        for a, c in vector(right).items():
            found[a] = plus(found.get(a, Fraction(0)), c, factor)
        return found
    return mp(left) + factor * mp(right)


def _fitting(found: Matrix | None, why: str) -> Matrix:
    if found is None:
        raise NoValue(why)
    return found


def vector(found: Any) -> Vector:
    """A value as a vector, of which the zero one is written 0."""
    if isinstance(found, dict):
        return found
    if isinstance(found, Constant):
        raise unsettled(found)
    if found == 0:
        return {}
    raise Unknown("a number where a vector was expected")


def times(left: Any, right: Any) -> Any:
    """A product, one of whose factors is a number."""
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left * right
    if isinstance(right, Row):
        return Row(times(left, right.vector))
    if isinstance(left, Row):
        raise Unknown("a transposed vector must be multiplied by a vector")
    if isinstance(left, dict) and isinstance(right, dict):
        raise Unknown("the product of two vectors is their inner product, and is written so")
    if isinstance(left, Matrix):
        return left.map(lambda v: times(v, right))
    if isinstance(right, Matrix):
        return right.map(lambda v: times(left, v))
    if isinstance(right, dict):
        return {a: times(left, c) for a, c in right.items()}
    if isinstance(left, dict):
        return {a: times(c, right) for a, c in left.items()}
    found = mp(left) * mp(right)
    if mpmath.isnan(found):
        raise NoValue("0 times infinity has no value")
    return found


def multiplied(left: Any, right: Any, vectors: Vectors | None, axes: Axes) -> Any:
    r"""A product as it is printed: of matrices, of a vector and its transpose, ``u \cdot v``."""
    if isinstance(left, Matrix) and isinstance(right, Matrix):
        return _fitting(left.times(right), "the shapes of the matrices do not allow a product")
    if isinstance(left, Row) and isinstance(right, Matrix):
        return Row(_applied(right.transposed, left.vector, vectors, axes))
    if isinstance(left, Matrix) and isinstance(right, dict):
        return _applied(left, right, vectors, axes)
    if isinstance(left, dict) and isinstance(right, Row):
        rows, columns = (_coordinates(v, vectors, axes) for v in (left, right.vector))
        return Matrix.from_rows([[times(a, b) for b in columns] for a in rows])
    if isinstance(left, Row):
        return dot(left.vector, vector(right), vectors)
    if isinstance(left, dict) and isinstance(right, dict):
        return dot(left, right, vectors)
    return times(left, right)


#: The axes that the vectors of a family have coordinates on, if it has such.
Axes = Callable[[], Sequence[Index]] | None


def _coordinates(v: Vector, vectors: Vectors | None, axes: Axes) -> list[Any]:
    if axes is None:
        raise Unknown("these vectors have no coordinates")
    return [dot(v, {a: Fraction(1)}, vectors) for a in axes()]


def _applied(matrix: Matrix, v: Vector, vectors: Vectors | None, axes: Axes) -> Vector:
    """A matrix times a vector, by coordinates."""
    column = Matrix.from_rows([[c] for c in _coordinates(v, vectors, axes)])
    found = _fitting(
        matrix.times(column), "the shapes of the matrix and the vector do not allow a product"
    )
    assert axes is not None
    return {a: row[0] for a, row in zip(axes(), found.rows, strict=True)}


def dot(left: Vector, right: Vector, vectors: Vectors | None) -> Any:
    """The inner product of two linear combinations."""
    e = known(vectors)
    total: Any = Fraction(0)
    for a, s in left.items():
        for b, t in right.items():
            inner = e.ip(a, b)
            if inner != 0:
                total = plus(total, times(times(s, t), inner))
    return total


def known(vectors: Vectors | None) -> Vectors:
    """The set of vectors.

    Raises
    ------
    Unknown
        If there is none.
    """
    if vectors is None:
        raise Unknown("the statement is not about a set of vectors")
    return vectors


# --- division, roots and exponentials ----------------------------------------------------------
def over(above: Any, below: Any, part: object = "a quotient") -> Any:
    """A quotient; the message for a division by zero names the part of the statement."""
    below = below if isinstance(below, (int, Fraction)) else mp(below)
    if below == 0:
        raise NoValue(f"division by zero in {short(part)}")
    if not isinstance(below, Fraction) and mpmath.isinf(below):
        return Fraction(0)
    return times(above, 1 / below)


def short(part: object) -> str:
    """A part of a statement for a message."""
    found = str(part)
    return found if len(found) <= 60 else found[:57] + "..."


def root(found: Any, part: object = "the root") -> Any:
    """A square root, exact where it can be."""
    if found < 0:
        if not isinstance(found, Fraction) and found > -CLOSE:
            return mpmath.mpf(0)
        raise NoValue(f"the root of a negative number in {short(part)}")
    if isinstance(found, Fraction):
        above, below = isqrt(found.numerator), isqrt(found.denominator)
        if above**2 == found.numerator and below**2 == found.denominator:
            return Fraction(above, below)
    return mpmath.sqrt(mp(found))


def power(found: Any, exponent: Any, part: object) -> Any:
    """A power of a number, or the square of a matrix."""
    if isinstance(found, Matrix) and exponent == 2:
        return _fitting(found.times(found), "only a square matrix can be squared")
    if isinstance(found, (dict, Matrix)):
        raise Unknown("a vector cannot be raised to a power")
    if isinstance(found, Fraction) and isinstance(exponent, Fraction) and exponent.denominator == 1:
        if found == 0 and exponent < 0:
            raise NoValue(f"division by zero in {short(part)}")
        return found**exponent
    a, p = mp(found), mp(exponent)
    if (a < 0 and not mpmath.isint(p)) or (a == 0 and p < 0):
        raise NoValue(f"{short(part)} has no value")
    return a**p


@lru_cache(maxsize=4096)
def exponential(argument: Any) -> Any:
    """The exponential of a number."""
    return Fraction(1) if argument == 0 else mpmath.exp(mp(argument))

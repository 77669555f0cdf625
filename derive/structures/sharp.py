"""Sharp configurations: points on a sphere with m inner products that are a (2m - 1)-design.

Each is given by its inner products with their multiplicities, the same for every point. Where -1 is
among them a design of strength 2m - 2 is enough (H. Cohn and A. Kumar, Universally optimal
distribution of points on spheres, 2007). The 24-cell is not sharp, as it has four inner products
and is a 5-design only, and is not optimal for every energy (Cohn, Conway, Elkies and Kumar 2007);
nor is the cube.
"""

from __future__ import annotations

from collections.abc import Mapping

from sympy import And, Eq, Expr, Integer, Le, Rational, S, Symbol, cos, pi, sqrt
from sympy.logic.boolalg import Boolean

from ..decide.present import tidy
from ..frozen import Frozen


class Configuration(Frozen):
    """Points by their inner products with one of them.

    Attributes
    ----------
    size, dimension
        Numbers, or expressions in a dimension.
    products
        Inner products from the smallest on, with how many other points have each.
    """

    name: str
    size: Expr
    dimension: Expr
    products: Mapping[Expr, Expr]

    @property
    def twice(self) -> list[bool]:
        """At which inner products an interpolant has the slope as well: all but -1."""
        return [u != -1 for u in self.products]

    @property
    def strength(self) -> int:
        """The degree of that interpolant, and the strength of the design that it asks for."""
        return len(self.products) + sum(self.twice) - 1

    def sits(self, size: Expr, d: Expr) -> Boolean:
        """When it is sharp as so many points in d dimensions: designs depend on the dimension.

        Only a sum of vectors that is zero is so in larger spaces too.
        """
        room = Le(self.dimension, d) if self.strength <= 1 else Eq(d, self.dimension)
        return And(Eq(size, self.size), room)

    def moment(self, degree: int) -> Expr:
        """The sum of P_k over all points, of their inner product with one of them."""
        total = S.One
        for u, count in self.products.items():
            older, last = S.One, u
            for k in range(1, degree):
                d = self.dimension
                older, last = last, ((2 * k + d - 2) * u * last - k * older) / (k + d - 2)
            total += count * last
        return tidy(total)

    def energy(self, f: Expr, u: Symbol) -> Expr:
        """The mean of a function of the inner product over pairs of different points."""
        total = sum((count * f.xreplace({u: x}) for x, count in self.products.items()), S.Zero)
        return total / (self.size - 1)


def simplex(size: Expr) -> Configuration:
    """As many points as dimensions and one more."""
    return Configuration("simplex", size, size - 1, {-1 / (size - 1): size - 1})


def orthoplex(d: Expr) -> Configuration:
    """The unit vectors of an orthonormal basis and their negatives."""
    return Configuration("orthoplex", 2 * d, d, {S.NegativeOne: S.One, S.Zero: 2 * d - 2})


def polygon(size: int) -> Configuration:
    """The corners of a regular polygon; the moments of their cosines are not found by algebra."""
    angles = [(k, 2 * pi * k / size) for k in range(size // 2, 0, -1)]
    products = {cos(x): Integer(1 if 2 * k == size else 2) for k, x in angles}
    return Configuration("polygon", Integer(size), Integer(2), products)


def _named(name: str, d: int, products: Mapping[Expr | int, int]) -> Configuration:
    counts = {Rational(u) if isinstance(u, int) else u: Integer(k) for u, k in products.items()}
    return Configuration(name, 1 + sum(counts.values(), S.Zero), Integer(d), counts)


_FIFTH = 1 / sqrt(5)
#: The named ones that are neither a simplex nor an orthoplex.
SHARP = (
    _named("icosahedron", 3, {-1: 1, -_FIFTH: 5, _FIFTH: 5}),
    _named("Clebsch", 5, {Rational(-3, 5): 5, Rational(1, 5): 10}),
    _named("Schlaefli", 6, {Rational(-1, 2): 10, Rational(1, 4): 16}),
    _named("Gosset", 7, {-1: 1, Rational(-1, 3): 27, Rational(1, 3): 27}),
    _named("E8", 8, {-1: 1, -S.Half: 56, 0: 126, S.Half: 56}),
    _named(
        "Leech",
        24,
        {-1: 1, -S.Half: 4600, -S.Half / 2: 47104, 0: 93150, S.Half / 2: 47104, S.Half: 4600},
    ),
    _named("McLaughlin first", 21, {Rational(-1, 3): 30, Rational(1, 9): 81}),
    _named("McLaughlin second", 21, {Rational(-2, 7): 56, Rational(1, 7): 105}),
    _named("Higman Sims", 22, {Rational(-4, 11): 22, Rational(1, 11): 77}),
    _named("McLaughlin", 22, {Rational(-1, 4): 112, Rational(1, 6): 162}),
    _named("Leech 891", 22, {-S.Half: 42, Rational(-1, 8): 512, S.Half / 2: 336}),
    _named("equiangular", 23, {-1: 1, Rational(-1, 5): 275, Rational(1, 5): 275}),
    _named("Leech 4600", 23, {-1: 1, Rational(-1, 3): 891, 0: 2816, Rational(1, 3): 891}),
)
#: A regular polygon is taken up to so many corners: its interpolant has as many conditions.
CORNERS = 100
CELL_24 = _named("24-cell", 4, {-1: 1, -S.Half: 8, 0: 6, S.Half: 8})
CUBE = _named("cube", 3, {-1: 1, Rational(-1, 3): 3, Rational(1, 3): 3})


def known(size: Expr, d: Expr) -> tuple[Configuration, ...]:
    """All sharp configurations that may be so many points in d dimensions."""
    return simplex(size), orthoplex(d), *SHARP


def sharp(size: int, d: int) -> Configuration | None:
    """The sharp configuration of so many points in so many dimensions, if a known one has both."""
    at = Integer(size), Integer(d)
    found = next((one for one in known(*at) if one.sits(*at) == True), None)  # noqa: E712
    return polygon(size) if found is None and d == 2 and size <= CORNERS else found

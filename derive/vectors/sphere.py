"""Distance geometry on a sphere, exactly: which constant makes c' - tau d_ij cosines.

With gamma = (1 - c')/tau the matrix of these numbers, with ones on the diagonal, is

    E - tau D_gamma,    D_gamma = D + gamma off the diagonal, E all ones.

It is positive semidefinite iff D_gamma holds squared distances of points on a sphere of a radius
rho with beta = 2 rho^2 <= 1/tau; its rank is the dimension r of these points, plus one if beta <
1/tau. Above its least value, -2 mu_1, gamma gives n points that no plane of dimension n - 2 holds:

    beta(gamma) = det D_gamma / 1^T adj(D_gamma) 1,

a rational function, convex, which grows without bound. At the least gamma the points lie on a
sphere iff it has no pole there. Hence, with r the dimension there and beta its value there:

- q < n - 1: gamma is the least; attained iff r <= q, the points lie on a sphere, and tau <= 1/beta,
  or tau = 1/beta if r = q;
- q >= n: attained iff tau <= 1/min beta, for all gamma of an interval;
- q = n - 1: attained for the same tau, for the ends of this interval.
"""

from __future__ import annotations

from functools import cached_property

from flint import fmpq, fmpq_mat, fmpq_poly
from sympy import Expr, FiniteSet, Interval, Rational, S, oo, sqrt
from sympy.sets.sets import Set

from ..decide.ball import NotEnclosed
from ..decide.digits import sign
from ..frozen import Frozen
from .algebraic import Algebraic, as_digits, as_flint, in_order, roots
from .coordinates import Rows, in_balls, in_field, padded
from .distance import (
    IN_FIELD,
    Dissimilarity,
    fraction_of,
    not_euclidean,
    plural,
    short,
    zero,
)


class Choice(Frozen):
    """A constant gamma, with the rank of the cosines that it gives.

    Attributes
    ----------
    gamma
        The constant.
    rank
        Of the matrix of cosines.
    exact
        gamma over the scale as a number of a field.
    """

    gamma: Expr
    rank: int
    exact: Algebraic


class Circumscribed:
    """The spheres through the points with the squared distances D + gamma, for all gamma."""

    def __init__(self, dissimilarity: Dissimilarity):
        self.distances = dissimilarity
        self.scale = dissimilarity.scale

    # --- fractions -------------------------------------------------------------------------
    @cached_property
    def ratio(self) -> tuple[fmpq_poly, fmpq_poly]:
        """beta as a fraction of polynomials in gamma, both over the scale, in lowest terms."""
        d, n = self.distances.fractions, self.distances.size
        inverse = fmpq_mat(  # of E - I
            n, n, [fmpq(1, n - 1) - (i == j) for i in range(n) for j in range(n)]
        )
        ones = fmpq_mat(n, n, [fmpq(1)] * (n * n))
        numer = (inverse * d * fmpq(-1)).charpoly()  # det D_gamma/det(E - I)
        denom = numer - (inverse * (d - ones) * fmpq(-1)).charpoly()
        common = numer.gcd(denom)
        return numer / common, denom / common

    def beta(self, gamma: Algebraic) -> Algebraic | None:
        """Its value over the scale; None at a pole, where the points lie on no sphere."""
        if gamma.element(self.ratio[1]).is_zero():
            return None
        return gamma.element(*self.ratio)

    def scaled(self, over: Algebraic) -> Expr:
        """A number over the scale, times it."""
        return as_digits(self.scale * over.expression)

    @cached_property
    def slope(self) -> fmpq_poly:
        """What has the sign of the slope of beta."""
        numer, denom = self.ratio
        return numer.derivative() * denom - numer * denom.derivative()

    @cached_property
    def lowest(self) -> Algebraic:
        """beta where it is least, over the scale."""
        start = self.distances.least_constant
        at = start
        if self.beta(start) is None or start.element(self.slope).sign() < 0:
            at = next(x for x, _ in roots(self.slope) if is_above(x, start))
        found = self.beta(at)
        assert found is not None
        return found

    def reached(self, heat: Rational) -> list[Algebraic]:
        """Where beta is 1/heat, both over the scale; from the least gamma on, which may be one."""
        numer, denom = self.ratio
        start, at_start = self.distances.least_constant, self.at_least
        touches = at_start is not None and (at_start * as_flint(heat) - 1).is_zero()
        found = [x for x, _ in roots(numer * as_flint(heat) - denom)]
        beyond = [x for x in found if not (touches and equal(x, start)) and is_above(x, start)]
        return [start, *beyond] if touches else beyond

    @cached_property
    def dimension(self) -> int:
        """Of the points of the least constant."""
        return self.distances.size - 1 - self.distances.multiplicity

    @cached_property
    def at_least(self) -> Algebraic | None:
        """beta at the least constant over the scale, if the points lie on a sphere."""
        return self.beta(self.distances.least_constant)

    @cached_property
    def radius(self) -> Expr | None:
        """Of D itself, as distances of points on a sphere; None if it is none."""
        beta = self.beta(Algebraic.rational(0)) if self.distances.is_edm else None
        return None if beta is None else as_digits(sqrt(self.scaled(beta) / 2))


class Spherical:
    """Whether c' - tau d_ij are the cosines of points in q dimensions, for some c'.

    Parameters
    ----------
    dissimilarity
        D.
    q
        Dimensions that there are.
    tau
        The temperature; without it, only the set of temperatures is known.
    """

    def __init__(self, dissimilarity: Dissimilarity, q: int, tau: Expr | None = None):
        self.distances, self.q, self.tau = dissimilarity, q, tau
        self.spheres = Circumscribed(dissimilarity)
        self._known: dict[Expr, Expr] = {}
        self.free = q >= dissimilarity.size - 1  #: whether other constants than the least may do

    # --- temperatures ----------------------------------------------------------------------
    @cached_property
    def temperatures(self) -> Set:
        """All temperatures for which it is attained."""
        spheres = self.spheres
        if self.free:
            return up_to(spheres.scaled(spheres.lowest))
        if spheres.dimension > self.q or spheres.at_least is None:
            return S.EmptySet
        beta = spheres.scaled(spheres.at_least)
        return FiniteSet(as_digits(1 / beta)) if spheres.dimension == self.q else up_to(beta)

    @cached_property
    def heat(self) -> Rational | None:
        """tau times the scale, if that is a fraction."""
        if self.tau is None:
            return None
        return fraction_of(self.tau * self.spheres.scale, S.One)

    def room(self, beta: Algebraic) -> int | None:
        """The sign of 1/tau - beta: whether the sphere is larger than the points need."""
        if self.heat is not None:
            return (-(beta * as_flint(self.heat)) + 1).sign()
        assert self.tau is not None
        gap = 1 - self.tau * self.spheres.scaled(beta)
        try:
            return 0 if zero(gap) else sign(gap)
        except NotEnclosed:
            return None

    # --- the constant ----------------------------------------------------------------------
    @cached_property
    def at_least(self) -> Choice | None:
        """The least constant, if the cosines that it gives are those of points."""
        spheres = self.spheres
        room = None if spheres.at_least is None else self.room(spheres.at_least)
        if room is None or room < 0:
            return None
        return Choice(
            self.distances.constant, spheres.dimension + room, self.distances.least_constant
        )

    @cached_property
    def ends(self) -> tuple[Choice, ...] | None:
        """The ends of the interval of constants that are right in any dimension."""
        if self.heat is None:
            return None
        found = [
            Choice(self.spheres.scaled(x), self.distances.size - 1, x)
            for x in self.spheres.reached(self.heat)
            if not (self.at_least is not None and x is self.at_least.exact)
        ]
        return tuple(found if self.at_least is None else [self.at_least, *found])

    @cached_property
    def attained(self) -> bool | None:
        """Whether there are such a constant and points; None if it is not decided."""
        if self.tau is None:
            return None
        if self.temperatures is S.EmptySet:
            return False
        beta = self.spheres.lowest if self.free else self.spheres.at_least
        assert beta is not None
        room = self.room(beta)
        if room is None:
            return None
        return room == 0 if not self.free and self.spheres.dimension == self.q else room >= 0

    @cached_property
    def choice(self) -> Choice | None:
        """The constant that is shown: c' = 1 if that will do, else the largest c'."""
        if not self.attained:
            return None
        if not self.free:
            return self.at_least
        if self.ends is None:
            return None
        if self._one_is_inside():
            return Choice(S.Zero, self.distances.size, Algebraic.rational(0))
        return next((e for e in self.ends if zero(e.gamma)), self.ends[0])

    def _one_is_inside(self) -> bool:
        """Whether gamma = 0 lies between the ends, and there are dimensions for it."""
        if self.q < self.distances.size or not self.ends:
            return False
        signs = [sign(e.gamma) for e in (self.ends[0], self.ends[-1])]
        return signs[0] == -1 and signs[1] == 1

    @cached_property
    def c_prime(self) -> Expr | None:
        """The constant c'."""
        if self.choice is None or self.tau is None:
            return None
        return self._cosine_of(self.choice.gamma)

    def _cosine_of(self, gamma: Expr) -> Expr:
        """C' of a constant gamma; the same object for the same one."""
        assert self.tau is not None
        if gamma not in self._known:
            self._known[gamma] = as_digits((1 - self.tau * gamma).expand())
        return self._known[gamma]

    @cached_property
    def constants(self) -> Set | None:
        """All c' that will do; None if they are not decided."""
        if self.attained is False:
            return S.EmptySet
        if self.choice is None:
            return None
        if not self.free:
            return FiniteSet(self.c_prime)
        if self.ends is None:
            return None
        values = [self._cosine_of(e.gamma) for e in self.ends]
        if self.q < self.distances.size or len(values) == 1:
            return FiniteSet(*values)
        return Interval(values[-1], values[0])

    @cached_property
    def unique(self) -> bool | None:
        """Whether the cosines are the only ones: then so are the points, up to isometry."""
        if not self.attained:
            return None
        return True if not self.free else None if self.ends is None else len(self.ends) == 1

    @cached_property
    def dimension(self) -> int | None:
        """The least number of dimensions in which it is attained at tau; None if in none."""
        if self.tau is None:
            return None
        if self.at_least is not None:
            return self.at_least.rank
        freely = Spherical(self.distances, self.distances.size, self.tau)
        return self.distances.size - 1 if freely.attained and freely.ends is not None else None

    # --- points ----------------------------------------------------------------------------
    def cosines_of(self, gamma: Expr) -> Rows:
        """1 - tau (d_ij + gamma), with ones on the diagonal."""
        assert self.tau is not None
        return tuple(
            tuple(S.One if i == j else 1 - self.tau * e for j, e in enumerate(row))
            for i, row in enumerate(self.distances.with_constant(gamma))
        )

    @cached_property
    def cosines(self) -> Rows | None:
        """The matrix of cosines."""
        if self.choice is None:
            return None
        found = self.cosines_of(self.choice.gamma)
        return tuple(tuple(as_digits(e.expand()) for e in row) for row in found)

    @cached_property
    def embedding(self) -> Rows | None:
        """Unit vectors, as rows of q coordinates."""
        choice = self.choice
        if choice is None or self.tau is None:
            return None
        n, d, exact = self.distances.size, self.distances.fractions, choice.exact
        beta = self.spheres.beta(exact)
        if n > IN_FIELD or beta is None or beta.root is not exact.root:
            return padded(in_balls(self.cosines_of(choice.gamma), choice.rank), self.q)
        # Points on their sphere about zero, scaled to its radius in the unit sphere; one more
        # coordinate, the same for all, where that is less than one.
        gram = [
            [beta.at - (exact.at + d[i, j] if i != j else 0) for j in range(n)] for i in range(n)
        ]
        room = self.room(beta) or 0
        scale, rank = self.spheres.scale, choice.rank - room
        on = padded(in_field(gram, exact.root, rank), rank, sqrt(self.tau * scale))
        if room:
            height = as_digits(sqrt(1 - self.tau * self.spheres.scaled(beta)))
            on = tuple((*row, height) for row in on)
        return padded(on, self.q)

    # --- words -----------------------------------------------------------------------------
    @property
    def reason(self) -> str:
        """The verdict in a line."""
        D, q, spheres = self.distances, self.q, self.spheres
        if self.tau is None:
            return "tau is not given"
        if self.attained is None:
            return "undecided: tau times the entries is irrational, and too near a border"
        if self.attained:
            return self._attained_words()
        room = 1 / sqrt(2 * self.tau)
        beta = spheres.lowest if self.free else spheres.at_least
        shift = "no constant will do: " if self.free else not_euclidean(D)
        if not self.free and not zero(D.constant):
            shift += f"with the constant {short(self._cosine_of(D.constant))} for c', "
        if not self.free and spheres.dimension > q:
            return f"{shift}needs {plural(spheres.dimension, 'dimension')}, q is {q}"
        if beta is None:
            return f"{shift}not on a sphere"
        rho, last = sqrt(spheres.scaled(beta) / 2), as_digits(1 / spheres.scaled(beta))
        radius = f"{shift}radius {short(as_digits(rho))}"
        if self.free or self.at_least is None:
            return f"{radius} exceeds 1/sqrt(2 tau) = {short(room)}: tau at most {short(last)}"
        return (
            f"{radius} is below 1/sqrt(2 tau) = {short(room)}, which needs {q + 1} dimensions, q "
            f"is {q}; or tau = {short(last)}"
        )

    def _attained_words(self) -> str:
        D = self.distances
        if self.free:
            if self.unique or self.constants is None:
                return "attained for one constant c'" if self.unique else "attained"
            many = "an interval of constants" if self.q >= D.size else "two constants"
            return f"attained for {many} c'"
        if zero(D.constant):
            radius = short(as_digits(self.spheres.radius))
            return f"D lies on a sphere of radius {radius}: attained with c' = 1"
        return f"{not_euclidean(D)}attained with c' = {short(self.c_prime)}, and no other"


def spherical(D: object, tau: Expr | None, q: int) -> Spherical:
    """The verdict on a matrix of dissimilarities; ``D`` is read by :class:`Dissimilarity`."""
    return Spherical(D if isinstance(D, Dissimilarity) else Dissimilarity(D), q, tau)


def up_to(beta: Expr) -> Set:
    """Temperatures up to 1/beta."""
    if zero(beta):
        return Interval.open(0, oo)
    return Interval(0, as_digits(1 / beta), True, False)


# --- order -----------------------------------------------------------------------------------
def is_above(one: Algebraic, other: Algebraic) -> bool:
    """Whether one number is larger than another; they are not equal, or have the same root."""
    if one is other or equal(one, other):
        return False
    return in_order([(one, 1), (other, 1)])[1][0] is one


def equal(one: Algebraic, other: Algebraic) -> bool:
    """Whether two roots, or fractions, are the same number."""
    if one.at != other.at:
        return False
    a, b = one.root, other.root
    return one.at.degree() <= 0 or (a.polynomial == b.polynomial and a.index == b.index)

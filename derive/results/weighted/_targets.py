"""Target cosines of dissimilarities: in which dimensions there are vectors that have them.

With the constant c' = 1 the cosines are 1 - tau d, those of points on a sphere of radius at most
1/sqrt(2 tau) with the squared distances d. In q <= n - 2 dimensions no other constant will do,
unless the dissimilarities span n - 1.
"""

from __future__ import annotations

from functools import cache, cached_property, partial

from sympy import Basic, Expr, Integer, S, Symbol, oo

from ...decide.digits import sign
from ...proof.derivation import Derivation
from ...proof.relations import eq, ge, gt, le, lt
from ...vectors.coordinates import Rows, inertia, padded
from ...vectors.coordinates import in_balls as vectors
from ...vectors.distance import Dissimilarity
from ...vectors.sphere import Spherical
from .._for_data import NUMBERS
from ._weights import MOST_POINTS

TOO_LARGE = "the matrix of the cosines is not positive semidefinite"
TOO_SMALL = "the matrix of the cosines has this rank"
NO_SPHERE = (
    "the constant c' = 1 needs labels on a sphere; if r <= n - 2, the rank of D "
    "is r + 1 for labels on a sphere, and r + 2 for others"
)


class TargetCosines:
    """The cosines wanted at a temperature, and in which dimensions they exist.

    Parameters
    ----------
    D
        Squared distances of points.
    dimension
        Dimension that the points span.
    tau_max
        Up to which they fit on the unit sphere with c' = 1; None if they lie on no sphere.
    heat
        The temperature.
    """

    def __init__(self, D: Dissimilarity, dimension: int, tau_max: Expr | None, heat: Expr):
        self.D, self.size = D, D.size
        self.dimension, self.tau_max, self.heat = dimension, tau_max, heat
        self.verdict = cache(partial(Spherical, D, tau=heat))

    @cached_property
    def room(self) -> int | None:
        """The sign of tau_max - tau; negative without a sphere, None if not decided."""
        if self.tau_max is None:
            return -1
        return 1 if self.tau_max is oo else sign(self.tau_max - self.heat)

    @property
    def rank(self) -> int | None:
        """Dimensions that are needed with c' = 1; None if in none."""
        if self.room is None or self.room < 0:
            return None
        return self.dimension + self.room

    def rigid(self, size: int) -> bool:
        """Whether c' = 1 is the only constant to be tried in so many dimensions."""
        return max(size, self.dimension) <= self.size - 2

    @cached_property
    def exact(self) -> bool:
        """Whether the dissimilarities are fractions of one number: then all is decided."""
        if all(e.is_Rational for e in self.D.pairs):
            return True
        return self.size <= MOST_POINTS and self.D.is_exact

    def natural(self, size: int) -> bool:
        """Whether c' = 1 will do there."""
        return self.rank is not None and self.rank <= size

    def in_dimensions(self, size: int) -> bool | None:
        """Whether the bound is attained there."""
        if self.natural(size):
            return True
        if self.rigid(size):
            return None if self.room is None else False
        return self.verdict(size).attained if self.exact else None

    @cached_property
    def least_dimension(self) -> int | None:
        """The fewest dimensions in which it is attained; None if in none, or not decided."""
        n = self.size
        if self.rank is not None and self.rank <= n - 2 and self.dimension <= n - 2:
            return self.rank
        if not self.exact:
            return None
        tried = range(1, n + 1) if self.dimension == n - 1 else (n - 1, n)
        return next((k for k in tried if self.in_dimensions(k)), None)

    def constant(self, size: int) -> Expr | None:
        """The constant c' there."""
        if self.natural(size):
            return S.One
        return self.verdict(size).c_prime if self.exact else None

    def cosines(self, size: int) -> list[list[Expr]] | None:
        """The cosines, where they exist."""
        constant = self.constant(size)
        return None if constant is None else self.matrix(constant)

    def matrix(self, constant: Expr) -> list[list[Expr]]:
        """The matrix of the cosines with a constant."""
        return [
            [S.One if i == j else constant - self.heat * e for j, e in enumerate(row)]
            for i, row in enumerate(self.D.entries)
        ]

    def embedding(self, size: int) -> Rows | None:
        """Unit vectors with these cosines."""
        if self.exact:
            return self.verdict(size).embedding
        if self.rank is None or self.rank > size:
            return None
        return padded(vectors(tuple(map(tuple, self.matrix(S.One))), self.rank), size)


# --- the verdict ---------------------------------------------------------------------------------
def state_verdict(
    targets: TargetCosines, size: int | None, attained: bool, proof: Derivation
) -> None:
    """Record whether the bound is attained, and why."""
    needed, room = Symbol("q"), Symbol("sign_of_tau_max_minus_tau")
    names: dict[Symbol, Expr] = {needed: Integer(size or targets.size)}
    if targets.room is not None:
        names[room] = Integer(targets.room)
    # Eigenvalues of the matrix of the cosines, by elimination.
    gram = targets.matrix(S.One)
    rational = all(e.is_Rational for row in gram for e in row)
    signs = inertia(tuple(map(tuple, gram))) if rational else None
    negative = Symbol("negative_eigenvalues")
    if signs is not None:
        names[negative] = Integer(signs[1])
    shown: list[Basic] = []
    if attained and targets.rank is not None and (size is None or targets.rank <= size):
        shown.append(ge(room, 0))
        shown += [le(targets.rank, needed)] if size is not None else []
        shown += [eq(negative, 0)] if signs is not None else []
        title = "The bound is attained: the sphere of the labels fits into the unit sphere"
        why = (
            "the labels, seen from the centre of their sphere and with one more "
            "coordinate where that sphere is smaller, have the optimal cosines"
        )
    elif size is None or targets.rigid(size):
        if targets.tau_max is None:
            title, why = "The bound is not attained: the labels do not lie on a sphere", NO_SPHERE
            rank = targets.dimension + 2
            names[Symbol("rank_D")] = Integer(targets.D.fractions.rank())
            shown.append(eq("rank_D", rank))
        elif targets.room == -1:
            title, why = (
                "The bound is not attained: the sphere of the labels is too large",
                TOO_LARGE,
            )
            shown.append(lt(room, 0))
            shown += [gt(negative, 0)] if signs is not None else []
        else:
            title, why = "The bound is not attained: the dimension is too small", TOO_SMALL
            shown.append(lt(needed, targets.rank or 0))
    else:
        title, why = (
            f"In q = {size} dimensions: {targets.verdict(size).reason}",
            "all constants c' are considered",
        )
        shown.append((gt if attained else eq)("constants", 0))
        names[Symbol("constants")] = Integer(attained)
    proof.holds(title, shown, why, NUMBERS, names=names)

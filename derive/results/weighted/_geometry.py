"""What the results about labels share: inferences in words, and the sphere that labels lie on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from flint import fmpq_mat
from sympy import Expr, Rational, S, Symbol, oo, sqrt

from ...decide.digits import sign
from ...decide.domain import Domain, DomainError, Range, between
from ...decide.present import solve_linear, tidy
from ...losses.softmax import tau
from ...proof.derivation import Derivation
from ...proof.relations import eq, ge, lt
from ...proof.statement import Lemma
from ...vectors.algebraic import as_flint, as_sympy

GIBBS = Lemma(
    "entropic bound",
    "the loss minus the entropy of the normalised weights is a mean of divergences, so it is zero "
    "iff similarities are log-weights plus a constant, the same for every pair if both are "
    "symmetric",
    statement=r"Weighted InfoNCE minus the mean over rows of the entropy of $p_{ij} = "
    r"w_{ij}/\sum_{k \ne i} w_{ik}$ is the mean over rows of the divergence of $p_{i\cdot}$ from "
    r"the softmax of $s_{i\cdot}$. So it is at least $0$, and $0$ iff $s_{ij} = \log w_{ij} + "
    r"c_i$ for all $i \ne j$. If $w$ and $s$ are symmetric and all $w_{ij} > 0$, the constants "
    r"$c_i$ are one.",
    proof=r"Gibbs' inequality for each row: $p\log(p/s) \ge p - s$, with equality iff $p = s$. By "
    r"symmetry $c_i = s_{ij} - \log w_{ij} = c_j$.",
)
RIGID = Lemma(
    "rigid constant",
    "on vectors of sum zero the Gram matrix is that of the labels plus d I, where "
    "d is the diagonal entry minus what the formula for the other entries gives "
    "there; if d > 0 the rank is n - 1 or more; if d < 0 the matrix is not "
    "positive semidefinite, unless the labels span n - 1 dimensions; so in n - 2 "
    "dimensions or fewer d = 0",
    statement=r"Let $B + c E + d I$ be the Gram matrix of $n$ points, where $E$ is the matrix of "
    r"ones and $B$ a positive multiple of the Gram matrix of $n$ labels, or a negative one of the "
    r"matrix of their squared distances. If $d > 0$ the points have $n - 1$ dimensions or more, "
    r"and if $d < 0$ the affine hull of the labels has $n - 1$. So if neither has so many, $d = "
    r"0$.",
    proof=r"On vectors whose entries add up to zero $E$ vanishes, and $B$ is positive "
    r"semidefinite; it vanishes on some of them unless the affine hull of the labels has $n - 1$ "
    r"dimensions, and there $d I$ is left.",
)

h2 = Symbol("h2", real=True)
#: The cosine of two labels, as seen from the centre of the sphere that they lie on.
gamma = Symbol("gamma", real=True)


def square_of_extra(wanted: Expr, inner: Symbol) -> Expr:
    """The square of one more coordinate, the same for all, of unit vectors.

    With it, and normalised, those with this inner product have the one that is wanted.
    """
    return tidy(solve_linear(inner + h2 - wanted * (1 + h2), h2)).expand()


def largest(square: Expr) -> Expr:
    """The temperature at which a square that decreases with it is zero."""
    return tidy(solve_linear((square * tau).expand(), tau))


def state_sphere(
    cosine: Expr,
    label: Symbol,
    same: Expr,
    c_prime: Expr,
    of_gamma: Expr,
    domain: Domain,
    proof: Derivation,
    seen: str,
    centre: str,
) -> Domain:
    """Record up to which temperature labels on a sphere have target cosines; return where.

    Parameters
    ----------
    cosine
        The target, in what compares two labels.
    same, c_prime
        What compares a label with itself, and the constant in the target.
    of_gamma
        What compares two labels on the sphere, in their cosine from its centre; the centre
        itself is at the cosine 0 from every label on average.
    seen, centre
        The title of the step, and why the matrix is not positive semidefinite beyond.
    """
    target = cosine.xreplace({label: of_gamma})
    square = square_of_extra(target, gamma)
    tau_max = largest(square)
    inside = domain.with_range(tau, between(0, tau_max, "(]"), domain.witness[tau])
    proof.holds(
        seen,
        [eq((gamma + h2) / (1 + h2), target), ge(square, 0)],
        "gamma is the cosine of two labels as seen from the centre of their sphere; "
        "unit vectors with inner product gamma and one more coordinate h, normalised, "
        "have the cosine (gamma + h^2)/(1 + h^2), and h is real for tau <= tau_max",
        inside.with_range(gamma, between(-1, 1), 0),
        names={h2: square},
    )
    proof.holds(
        "For tau > tau_max the matrix of these cosines is not positive semidefinite",
        lt(target.xreplace({gamma: S.Zero}), 0),
        "this negative number is its quadratic form at the weights, of sum 1, with "
        f"which the labels average to the centre: {centre}",
        domain.with_range(tau, between(tau_max, 2 * tau_max, "(]"), domain.witness_of(2 * tau_max)),
    )
    other = Symbol("c", real=True)
    proof.equal(
        "With another constant c the diagonal exceeds what the formula gives for two "
        "equal labels by d = c' - c",
        {"d": (1 - (cosine.xreplace({label: same}) + other - c_prime), c_prime - other)},
        RIGID,
        domain.restricted(set(domain.ranges) - {label}).with_range(other, Range(-oo), 0),
    )
    return inside


# --- labels of which only the direction counts --------------------------------------------------
class Directions:
    """Labels, each divided by its norm.

    Parameters
    ----------
    rows
        A label in each row.

    Raises
    ------
    DomainError
        If a label is zero, or an inner product is no fraction; one line.
    """

    def __init__(self, rows: Sequence[Sequence[Expr]]):
        self.size = len(rows)
        self.inner = [[_inner(a, b) for b in rows] for a in rows]
        for i in range(self.size):
            if self.inner[i][i] == 0:
                raise DomainError(f"Y: label {i + 1} is zero, and has no cosine with the others")
        self.norms = [sqrt(self.inner[i][i]) for i in range(self.size)]

    @cached_property
    def cosines(self) -> list[list[Expr]]:
        """Cosines of all pairs."""
        k = range(self.size)
        return [[S.One if i == j else self.inner[i][j] / self._norms(i, j) for j in k] for i in k]

    def _norms(self, i: int, j: int) -> Expr:
        """The product of two norms."""
        return sqrt(self.inner[i][i] * self.inner[j][j])

    @cached_property
    def _reduced(self) -> tuple[list[int], list[dict[int, Rational]]]:
        """Labels that span all, and for each label what it is of these."""
        flat = [as_flint(e) for row in self.inner for e in row]
        reduced, rank = fmpq_mat(self.size, self.size, flat).rref()
        found: list[int] = []
        for row in range(rank):
            found.append(next(k for k in range(self.size) if reduced[row, k] != 0))
        of = [
            {b: as_sympy(reduced[row, k]) for row, b in enumerate(found) if reduced[row, k] != 0}
            for k in range(self.size)
        ]
        return found, of

    @property
    def span(self) -> int:
        """Dimension of the span of the labels."""
        return len(self._reduced[0])

    @cached_property
    def is_on_plane(self) -> bool:
        """Whether the labels of unit norm lie on a plane that misses the origin.

        That is whether one vector has the inner product one with all of them: it is found on those
        that span, and the others must agree.
        """
        basis, of = self._reduced
        return all(
            _vanishes(self.norms[k] - self._sum(of[k])) for k in range(self.size) if k not in basis
        )

    def _sum(self, coefficients: Mapping[int, Rational]) -> Expr:
        """A sum of multiples of norms."""
        return sum((c * self.norms[i] for i, c in coefficients.items()), S.Zero)

    @cached_property
    def dimension(self) -> int:
        """Dimension r of the affine hull of the labels of unit norm."""
        return self.span - 1 if self.is_on_plane else self.span

    @cached_property
    def _inverse(self) -> dict[tuple[int, int], Rational]:
        """The inverse of the inner products of those that span."""
        basis, _ = self._reduced
        flat = [self.inner[i][j] for i in basis for j in basis]
        size = len(basis)
        found = fmpq_mat(size, size, list(map(as_flint, flat))).inv()
        return {
            (i, j): as_sympy(found[a, b]) for a, i in enumerate(basis) for b, j in enumerate(basis)
        }

    @cached_property
    def square_of_normal(self) -> Expr | None:
        """The squared norm of the shortest vector with the inner product one with all of them.

        None if there is no such vector. One over it is the squared distance of the plane.
        """
        if not self.is_on_plane:
            return None
        pairs = self._inverse.items()
        return sum((c * self._norms(i, j) for (i, j), c in pairs if c), S.Zero)

    @cached_property
    def square_of_radius(self) -> Expr:
        """rho^2, of the sphere in the affine hull through the labels of unit norm."""
        square = self.square_of_normal
        if square is None:
            return S.One
        return S.Zero if self.dimension == 0 else 1 - 1 / square

    def off_plane(self) -> int:
        """How many labels do not have the inner product one with that vector, put back.

        With label k, times its norm, it is a sum of norms with fractions as coefficients.
        """
        basis, _ = self._reduced
        found = 0
        for k in range(self.size):
            left = {
                j: sum((self._inverse[b, j] * self.inner[b][k] for b in basis), S.Zero)
                for j in basis
            }
            found += not _vanishes(self._sum(left) - self.norms[k])
        return found


def _vanishes(e: Expr) -> bool:
    found = sign(e)
    if found is None:
        raise DomainError(f"Y: it was not decided whether {e}, a sum of norms of labels, is zero")
    return found == 0


def _inner(a: Sequence[Expr], b: Sequence[Expr]) -> Rational:
    found = sum((x * y for x, y in zip(a, b, strict=True)), S.Zero)
    found = found if found.is_Rational else found.expand()
    if not found.is_Rational:
        raise DomainError(
            f"Y: the inner product {found} of two labels is irrational; use fractions or decimals"
        )
    return found

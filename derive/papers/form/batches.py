r"""Unit vectors of which each has a partner, and what the softmax of a temperature makes of them.

Of an anchor z_i the partner is the positive, and all others are its negatives. Readings of an
anchor: similarities ``s_{ij}``, weights ``p_{ij}`` over the positive and the negatives, ``q_{ij}``
over the negatives alone, ``\epsilon_i = 1 - p_{ii^+}``, the mean ``M_i``, the gradient of its loss.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

import mpmath

from ..digits import DIGITS
from .matrices import Matrix, mpf
from .tables import Tables
from .values import AXES, PARTNER, NoValue, OfScene, Scene, Unknown, Vector, mp

ONE, ZERO = Fraction(1), Fraction(0)
Row = Sequence[Fraction | int]


class Batch(Tables):
    """Unit vectors in R^d, each with a partner.

    Parameters
    ----------
    rows
        The vectors, by rational coordinates.
    partners
        Of each the partner, counted from 1.
    """

    def __init__(self, rows: Sequence[Row], partners: Sequence[int], note: str = ""):
        d = len(rows[0])
        super().__init__({}, {"z": rows, "e": unit_axes(d)}, note)
        self.rows = self.points["z"]
        self.partners = tuple(partners)
        self.kept: dict[Any, Any] = {}

    @property
    def size(self) -> int:
        """How many vectors there are."""
        return len(self.rows)

    def partner(self, i: int) -> int:
        """The index of the positive of an anchor."""
        if not 1 <= i <= self.size:
            raise NoValue("there is no such index")
        return self.partners[i - 1]

    def negatives(self, i: int) -> list[int]:
        """The indices of the negatives of an anchor."""
        return [j for j in range(1, self.size + 1) if j not in (i, self.partner(i))]

    def similarity(self, i: int, j: int) -> Fraction:
        """The inner product of two."""
        if not (1 <= i <= self.size and 1 <= j <= self.size):
            raise NoValue("there is no such index")
        return self.ip((0, i - 1, 0), (0, j - 1, 0))

    @cached_property
    def is_ahead(self) -> bool:
        """Whether every anchor is more similar to its positive than to any negative."""
        return all(
            self.similarity(i, self.partner(i)) > self.similarity(i, j)
            for i in range(1, self.size + 1)
            for j in self.negatives(i)
        )

    # --- at a temperature -------------------------------------------------------------------
    def weights(self, i: int, tau: Any) -> dict[int, Any]:
        """The softmax over the positive and the negatives of an anchor."""
        if (i, tau) not in self.kept:
            others = [j for j in range(1, self.size + 1) if j != i]
            logits = [mp(self.similarity(i, j)) / mp(tau) for j in others]
            top = max(logits)
            heat = [mpmath.exp(v - top) for v in logits]
            total = mpmath.fsum(heat)
            even = all(v == top for v in logits)
            shares = [Fraction(1, len(others)) if even else h / total for h in heat]
            self.kept[i, tau] = dict(zip(others, shares, strict=True))
        found: dict[int, Any] = self.kept[i, tau]
        return found

    def missed(self, i: int, tau: Any) -> Any:
        """What the positive lacks to 1, summed and not subtracted."""
        shares = self.weights(i, tau)
        return _sum([shares[j] for j in self.negatives(i)])

    def mean(self, i: int, tau: Any) -> Vector:
        """The softmax mean of an anchor."""
        return {(0, j - 1, 0): w for j, w in self.weights(i, tau).items()}

    def gradient(self, i: int, tau: Any) -> Vector:
        """The gradient of the loss of an anchor in the anchor."""
        own = self.partner(i)
        found = {(0, j - 1, 0): over(w, tau) for j, w in self.weights(i, tau).items() if j != own}
        return {**found, (0, own - 1, 0): over(-self.missed(i, tau), tau)}

    # --- second moments ---------------------------------------------------------------------
    def moment(self, indices: Sequence[int]) -> Matrix:
        """The mean of z z^T over some."""
        return moment([self.rows[j - 1] for j in indices])

    def top(self, indices: Sequence[int]) -> Any:
        """The largest eigenvalue of the mean of z z^T over some."""
        key = ("top", tuple(indices))
        if key not in self.kept:
            self.kept[key] = top_eigenvalue(self.moment(indices))
        return self.kept[key]

    # --- by letter --------------------------------------------------------------------------
    def named(self) -> dict[str, Any]:
        """What letters stand for, with an index t for the step where the paper has one."""
        every = list(range(1, self.size + 1))
        count = self.size - 2

        def others(i: int) -> list[int]:
            return [j for j in every if j != i]

        def vector(*indices: Any, mark: str = "") -> Vector:
            if len(indices) != 1 or mark not in ("", "+"):
                raise Unknown("z has one index")
            k = self.partner(indices[0]) if mark else indices[0]
            if not 1 <= k <= self.size:
                raise NoValue("there is no such index")
            return {(0, k - 1, 0): ONE}

        def similarity(i: int, j: int, mark: str = "") -> Fraction:
            return self.similarity(i, self.partner(j) if mark == "+" else j)

        def weight(scene: Scene, i: int, j: int, mark: str = "") -> Any:
            found = self.weights(i, scene.numbers["tau"])
            k = self.partner(j) if mark == "+" else j
            if k not in found:
                raise NoValue("an anchor has no weight")
            return found[k]

        def share(scene: Scene, i: int, j: int, mark: str = "") -> Any:
            tau = scene.numbers["tau"]
            if j not in self.negatives(i):
                raise NoValue("q is over the negatives")
            return over(self.weights(i, tau)[j], self.missed(i, tau))

        def negatives(*indices: int, mark: str = "") -> Any:
            return self.negatives(*indices) if indices else Fraction(count)

        def mean_of_negatives(i: int, t: int = 0, mark: str = "") -> Vector:
            some = self.negatives(i)
            return {(0, j - 1, 0): Fraction(1, len(some)) for j in some}

        def mean_similarity(i: int, mark: str = "") -> Fraction:
            some = self.negatives(i)
            return sum((self.similarity(i, j) for j in some), ZERO) / len(some)

        def of_some(i: int, mark: str = "") -> Matrix:
            return self.moment(self.negatives(i) if mark == "-" else others(i))

        def top_of_some(*indices: Any, mark: str = "") -> Any:
            if indices[0] == "*":
                return self.top(self.negatives(indices[1]))
            return self.top(others(indices[0]))

        def eigenvalue(k: int, mark: str = "") -> Any:
            found = eigenvalues(self.moment(every))
            return found[k - 1] if k <= len(found) else ZERO

        def alignment(scene: Scene, i: int, t: int = 0, mark: str = "") -> Any:
            own = {(0, self.partner(i) - 1, 0): ONE}
            return self.dot_any(self.mean(i, scene.numbers["tau"]), own)

        def squared(scene: Scene, i: int, t: int = 0, mark: str = "") -> Any:
            found = self.gradient(i, scene.numbers["tau"])
            return self.dot_any(found, found)

        return {
            AXES: lambda: [(1, k, 0) for k in range(len(self.points["e"]))],
            PARTNER: self.partner,
            "n": lambda mark="": Fraction(self.size),
            "z": vector,
            "s": similarity,
            "s~bar": mean_similarity,
            "p": OfScene(weight),
            "q": OfScene(share),
            "epsilon": OfScene(lambda scene, i, t=0, mark="": self.missed(i, scene.numbers["tau"])),
            "M": OfScene(lambda scene, i, mark="": self.mean(i, scene.numbers["tau"])),
            "nabla": OfScene(lambda scene, i, mark="": self.gradient(i, scene.numbers["tau"])),
            "g": OfScene(lambda scene, i, t=0, mark="": self.gradient(i, scene.numbers["tau"])),
            "gamma": OfScene(squared),
            "rho": OfScene(alignment),
            "N": negatives,
            "S": lambda i, mark="": others(i),
            "z~bar": mean_of_negatives,
            "Sigma~hat": lambda t=0, mark="": self.moment(every),
            "Sigma~tilde": of_some,
            "sigma~hat": lambda t=0, mark="": self.top(every),
            "sigma": top_of_some,
            "lambda": eigenvalue,
            **OF_MATRICES,
        }

    def dot_any(self, left: Vector, right: Vector) -> Any:
        """An inner product with coefficients of any kind."""
        pairs = ((s, t, self.ip(a, b)) for a, s in left.items() for b, t in right.items())
        return _sum([times(times(s, t), g) for s, t, g in pairs if g != 0])

    # --- as text ----------------------------------------------------------------------------
    def written(self) -> dict[str, tuple[tuple[str, ...], ...]]:
        """The vectors and the partners."""
        rows = tuple(tuple(str(v) for v in row) for row in self.rows)
        return {"z": rows, PARTNER: (tuple(map(str, self.partners)),)}


def read_batch(tables: Mapping[str, Sequence[Sequence[str]]]) -> Batch:
    """A batch from its text."""
    rows = [[Fraction(v) for v in row] for row in tables["z"]]
    return Batch(rows, [int(v) for v in tables[PARTNER][0]])


# --- matrices ------------------------------------------------------------------------------------
def axis(d: int, k: int = 0, sign: int = 1) -> list[Fraction]:
    """A unit vector along an axis, or against it."""
    return [Fraction(sign) if i == k else ZERO for i in range(d)]


def unit_axes(d: int) -> list[list[Fraction]]:
    """The unit vectors along the axes."""
    return [axis(d, k) for k in range(d)]


def moment(rows: Sequence[Sequence[Any]]) -> Matrix:
    """The mean of z z^T."""
    if not rows:
        raise NoValue("the mean over nothing")
    count, d = Fraction(len(rows)), len(rows[0])
    return Matrix.by(d, lambda i, j: sum((x[i] * x[j] for x in rows), ZERO) / count)


def eigenvalues(matrix: Matrix) -> list[Any]:
    """Of a symmetric matrix, the largest first; exact where it is diagonal."""
    rows = matrix.rows
    if all(v == 0 for i, row in enumerate(rows) for j, v in enumerate(row) if i != j):
        return sorted((row[i] for i, row in enumerate(rows)), reverse=True)
    with mpmath.workdps(DIGITS + 10):
        found = mpmath.eigsy(mpmath.matrix([[mpf(v) for v in row] for row in rows]), True)
    return sorted(found, reverse=True)


@cache
def top_eigenvalue(matrix: Matrix) -> Any:
    """The largest eigenvalue of a symmetric matrix."""
    return eigenvalues(matrix)[0]


def trace(matrix: Any) -> Any:
    """The trace of a square matrix."""
    return _sum([row[k] for k, row in enumerate(_matrix(matrix).rows)])


def _matrix(found: Any) -> Matrix:
    if not isinstance(found, Matrix):
        raise Unknown("this is said of matrices")
    return found


def _sum(values: Sequence[Any]) -> Any:
    if all(isinstance(v, Fraction) for v in values):
        return sum(values, ZERO)
    return mpmath.fsum(map(mp, values))


#: Functions of matrices.
OF_MATRICES: dict[str, Callable[..., Any]] = {
    "tr": lambda scene, a: trace(a),
    "lambda_max": lambda scene, a: top_eigenvalue(_matrix(a)),
}
FUNCTIONS = frozenset(OF_MATRICES)


# --- numbers of any kind -------------------------------------------------------------------------
def times(a: Any, b: Any) -> Any:
    """A product, exact if both are."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a * b
    return mp(a) * mp(b)


def over(a: Any, b: Any) -> Any:
    """A quotient, exact if both are."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a / b
    return mp(a) / mp(b)

"""One anchor with its positive and negatives, and a batch in pairs: their readings.

A configuration is an anchor z, its positive z+ and negatives z_1 .. z_N, unit vectors, at a
temperature tau. The softmax of the similarities over tau gives epsilon to the negatives together,
and q_j of that to each; m = sum_j q_j z_j is their softmax mean, M = (1 - epsilon) z+ + epsilon m
that of all, and (M - z+)/tau the gradient of InfoNCE. Bounds on it are functions of the readings
named here. They are found exactly, by SymPy, or by mpmath to the digits at work; the code is one.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

import mpmath
from flint import fmpq_mat
from sympy import Expr, Integer, Matrix, S, exp, real_roots, simplify, sqrt
from sympy.polys.polyerrors import PolynomialError

from ..decide.exact import exact
from .algebraic import as_flint, eigenvalues

#: Readings of an anchor, by name, and what they are.
READINGS = {
    "tau": "temperature",
    "n": "N + 2",
    "N": "number of negatives",
    "epsilon": "what the softmax gives to the negatives",
    "rho": "<M, z+>",
    "one_minus_rho": "1 - rho",
    "mu": "|m|",
    "sigma": "largest eigenvalue of (1/N) sum_j z_j z_j^T",
    "sigma_positive": "the same with the parts w_j of the negatives orthogonal to z+",
    "squared_gradient": "|M - z+|^2/tau^2",
    "squared_tangential": "the same of the part of the gradient tangent to the sphere at z",
    "participation": "sum_j q_j^2",
    "q_max": "largest q_j",
    "mean_norm": "|mean of the negatives|",
    "similarity": "<z, m>",
    "alignment": "<z, z+>",
    "variance": "variance of <z, z_j>, all j alike",
    "softmax_variance": "variance of <z, z_j> under q",
    "squared_sampling": "|epsilon mean|^2, the part B of M - z+ = A + B + C",
    "squared_fluctuation": "|C|^2, C = epsilon sum_j (q_j - 1/N) z_j",
    "squared_linear": "|C^(1)|^2, C^(1) = epsilon sum_j (s_j - mean s)/(N tau) z_j",
    "squared_remainder": "|C - C^(1)|^2",
}
#: Readings of a batch beside the means, ``mean_`` and a product of readings or their squares.
BATCH = {
    "tau": "temperature",
    "n": "number of vectors",
    "N": "n - 2",
    "sigma_hat": "largest eigenvalue of (1/n) sum_i z_i z_i^T",
    "effective_rank": "1/tr(Sigma^2) of the same matrix",
}
_FACTOR = re.compile(rf"({'|'.join(sorted(READINGS, key=len, reverse=True))})(_squared)?(?:_|$)")

Vector = Sequence[Any]


class Arithmetic(ABC):
    """What readings need of numbers."""

    @abstractmethod
    def number(self, x: object) -> Any:
        """A number that was given."""

    @abstractmethod
    def exp(self, x: Any) -> Any:
        """The exponential."""

    @abstractmethod
    def sqrt(self, x: Any) -> Any:
        """The square root."""

    @abstractmethod
    def tidy(self, x: Any) -> Any:
        """The same number, told from zero where it is zero."""

    @abstractmethod
    def unit(self, v: Vector) -> list[Any]:
        """A vector of length one, or the direction of one that is not.

        Raises
        ------
        ValueError
            If it is not taken.
        """

    @abstractmethod
    def largest_eigenvalue(self, matrix: list[list[Any]]) -> Any:
        """Of a symmetric matrix."""

    @abstractmethod
    def most(self, values: Iterable[Any]) -> Any:
        """The largest of numbers."""


class Exact(Arithmetic):
    """SymPy's numbers; vectors have to be of length one."""

    def number(self, x: object) -> Expr:
        return exact(x)

    def exp(self, x: Expr) -> Expr:
        return exp(x)

    def sqrt(self, x: Expr) -> Expr:
        return sqrt(x)

    def tidy(self, x: Expr) -> Expr:
        # Sums of exponentials are left as they are: nothing cancels in them.
        return x if x.is_Rational or x.has(exp) else simplify(x)

    def unit(self, v: Vector) -> list[Expr]:
        found = [self.number(x) for x in v]
        if self.tidy(sum((x * x for x in found), S.Zero)) != 1:
            raise ValueError(f"a vector is not of length 1: {', '.join(map(str, found))}"[:200])
        return found

    def largest_eigenvalue(self, matrix: list[list[Expr]]) -> Expr:
        if all(x.is_Rational for row in matrix for x in row):
            size = len(matrix)
            flat = [as_flint(x) for row in matrix for x in row]
            return eigenvalues(fmpq_mat(size, size, flat))[-1].number.expression
        try:
            found = real_roots(Matrix(matrix).charpoly().as_expr())
        except (PolynomialError, NotImplementedError):
            found = [self.tidy(e) for e in Matrix(matrix).eigenvals()]
        return max(found, key=lambda e: e.n(60))

    def most(self, values: Iterable[Expr]) -> Expr:
        return max(values, key=lambda e: e.n(60))


class Decimal(Arithmetic):
    """mpmath's numbers, to the digits at work; vectors are normalised."""

    def number(self, x: object) -> Any:
        return mpmath.mpf(x) if not isinstance(x, Expr) else mpmath.mpmathify(x.n(mpmath.mp.dps))

    def exp(self, x: Any) -> Any:
        return mpmath.exp(x)

    def sqrt(self, x: Any) -> Any:
        return mpmath.sqrt(max(x, mpmath.mpf(0)))

    def tidy(self, x: Any) -> Any:
        return x

    def unit(self, v: Vector) -> list[Any]:
        found = [self.number(x) for x in v]
        length = mpmath.sqrt(mpmath.fsum(x * x for x in found))
        if not length:
            raise ValueError("a vector is zero, and has no direction")
        return [x / length for x in found]

    def largest_eigenvalue(self, matrix: list[list[Any]]) -> Any:
        return max(mpmath.eigsy(mpmath.matrix(matrix), eigvals_only=True))

    def most(self, values: Iterable[Any]) -> Any:
        return max(values)


EXACT, DECIMAL = Exact(), Decimal()


class Readable(ABC):
    """What has readings by name."""

    @abstractmethod
    def __getitem__(self, name: str) -> Any:
        """The reading of that name.

        Raises
        ------
        KeyError
            If there is none.
        """

    def readings(self, names: Iterable[str]) -> dict[str, Any]:
        """Several of them."""
        return {name: self[name] for name in names}


class Anchor(Readable):
    """One anchor, its positive and its negatives.

    Parameters
    ----------
    anchor, positive
        Vectors of length 1; by ``DECIMAL`` they are normalised.
    negatives
        At least one.
    tau
        Temperature.
    by
        ``EXACT`` or ``DECIMAL``.

    Raises
    ------
    ValueError
        If vectors have different numbers of coordinates or not length 1, there is no negative, or
        the temperature is not positive; one line.
    """

    def __init__(
        self,
        anchor: Vector,
        positive: Vector,
        negatives: Sequence[Vector],
        tau: object,
        by: Arithmetic = EXACT,
    ):
        if not negatives:
            raise ValueError("there is no negative")
        if len({len(v) for v in (anchor, positive, *negatives)}) > 1:
            raise ValueError("vectors have different numbers of coordinates")
        self.by = by
        self.anchor, self.positive = by.unit(anchor), by.unit(positive)
        self.negatives = [by.unit(v) for v in negatives]
        self._values: dict[str, Any] = {"tau": by.number(tau)}
        if not self._values["tau"] > 0:
            raise ValueError(f"tau must be > 0, not {tau}")

    @classmethod
    def read(cls, vectors: Mapping[str, Any], tau: object, by: Arithmetic = DECIMAL) -> Anchor:
        """The configuration that is stored under these names."""
        return cls(vectors["anchor"], vectors["positive"], vectors["negatives"], tau, by)

    def __getitem__(self, name: str) -> Any:
        if name not in READINGS:
            raise KeyError(f"an anchor has no reading {name!r}, but: {', '.join(READINGS)}")
        if name not in self._values:
            self._values[name] = self.by.tidy(getattr(self, f"_{name}"))
        return self._values[name]

    # --- vectors -----------------------------------------------------------------------------
    @cached_property
    def similarities(self) -> list[Any]:
        """<z, z_j>."""
        return [self.by.tidy(_dot(self.anchor, v)) for v in self.negatives]

    @cached_property
    def _weights(self) -> list[Any]:
        """The exponentials of the negatives over that of the positive."""
        gap = [(s - self["alignment"]) / self["tau"] for s in self.similarities]
        return [self.by.exp(x) for x in gap]

    @cached_property
    def q(self) -> list[Any]:
        """How the softmax divides among the negatives."""
        # Relative to the largest, which keeps the digits of all that counts.
        top = self.by.most(self.similarities)
        found = [self.by.exp((s - top) / self["tau"]) for s in self.similarities]
        total = sum(found)
        return [self.by.tidy(x / total) for x in found]

    @cached_property
    def m(self) -> list[Any]:
        """The softmax mean of the negatives."""
        return _combined(self.q, self.negatives)

    @cached_property
    def direction(self) -> list[Any]:
        """m - z+: the gradient times tau/epsilon."""
        apart = [_minus(v, self.positive) for v in self.negatives]
        return _combined(self.q, apart)

    @cached_property
    def gradient(self) -> list[Any]:
        """With respect to the anchor, taken as free."""
        return [self["epsilon"] * x / self["tau"] for x in self.direction]

    @cached_property
    def mean(self) -> list[Any]:
        """Mean of the negatives."""
        return _combined(
            [self.by.number(1) / len(self.negatives)] * len(self.negatives), self.negatives
        )

    @cached_property
    def linear(self) -> list[Any]:
        """The part C^(1) of the decomposition: the softmax to first order around equal logits."""
        share = self["epsilon"] / (len(self.negatives) * self["tau"])
        middle = sum(self.similarities) / len(self.similarities)
        return _combined([share * (s - middle) for s in self.similarities], self.negatives)

    @cached_property
    def fluctuation(self) -> list[Any]:
        """The part C of the decomposition."""
        return [self["epsilon"] * (x - y) for x, y in zip(self.m, self.mean, strict=True)]

    # --- readings ----------------------------------------------------------------------------
    @property
    def _N(self) -> Any:
        return Integer(len(self.negatives)) if self.by is EXACT else len(self.negatives)

    @property
    def _n(self) -> Any:
        return self["N"] + 2

    @property
    def _epsilon(self) -> Any:
        total = sum(self._weights)
        return total / (1 + total)

    @property
    def _one_minus_rho(self) -> Any:
        return -self["epsilon"] * _dot(self.direction, self.positive)

    @property
    def _rho(self) -> Any:
        return 1 - self["one_minus_rho"]

    @property
    def _mu(self) -> Any:
        return self.by.sqrt(self.by.tidy(_dot(self.m, self.m)))

    @property
    def _sigma(self) -> Any:
        return _top(self.negatives, self.by) / len(self.negatives)

    @property
    def _sigma_positive(self) -> Any:
        axis = self.positive
        shares = [self.by.tidy(_dot(v, axis)) for v in self.negatives]
        rows = [
            [self.by.tidy(x - share * y) for x, y in zip(v, axis, strict=True)]
            for v, share in zip(self.negatives, shares, strict=True)
        ]
        return _top(rows, self.by) / len(self.negatives)

    @property
    def _squared_gradient(self) -> Any:
        return _dot(self.gradient, self.gradient)

    @property
    def _squared_tangential(self) -> Any:
        along = _dot(self.gradient, self.anchor)
        return self["squared_gradient"] - along**2

    @property
    def _participation(self) -> Any:
        return sum(x**2 for x in self.q)

    @property
    def _q_max(self) -> Any:
        return self.by.most(self.q)

    @property
    def _mean_norm(self) -> Any:
        return self.by.sqrt(self.by.tidy(_dot(self.mean, self.mean)))

    @property
    def _similarity(self) -> Any:
        return _dot(self.anchor, self.m)

    @property
    def _alignment(self) -> Any:
        return _dot(self.anchor, self.positive)

    @property
    def _variance(self) -> Any:
        size = len(self.similarities)
        middle = sum(self.similarities) / size
        return sum((s - middle) ** 2 for s in self.similarities) / size

    @property
    def _softmax_variance(self) -> Any:
        pairs = zip(self.q, self.similarities, strict=True)
        return sum(x * (s - self["similarity"]) ** 2 for x, s in pairs)

    @property
    def _squared_sampling(self) -> Any:
        return self["epsilon"] ** 2 * _dot(self.mean, self.mean)

    @property
    def _squared_fluctuation(self) -> Any:
        return _dot(self.fluctuation, self.fluctuation)

    @property
    def _squared_linear(self) -> Any:
        return _dot(self.linear, self.linear)

    @property
    def _squared_remainder(self) -> Any:
        left = _minus(self.fluctuation, self.linear)
        return _dot(left, left)


class Batch(Readable):
    """n vectors in pairs, each an anchor whose positive is its partner.

    Parameters
    ----------
    z
        Vectors of length 1, four or more; by ``DECIMAL`` they are normalised.
    tau
        Temperature.
    positive
        The index of the partner of each; 0 and 1 are a pair, 2 and 3, and so on, by default.
    by
        ``EXACT`` or ``DECIMAL``.

    Raises
    ------
    ValueError
        If there are too few vectors, partners are none, or as of an anchor; one line.
    """

    def __init__(
        self,
        z: Sequence[Vector],
        tau: object,
        positive: Sequence[int] | None = None,
        by: Arithmetic = EXACT,
    ):
        size = len(z)
        partner = [i ^ 1 for i in range(size)] if positive is None else list(positive)
        if size < 3:
            raise ValueError(f"a batch has 3 vectors or more, not {size}")
        if len(partner) != size or any(
            p not in range(size) or p == i for i, p in enumerate(partner)
        ):
            raise ValueError("every vector has another one as its positive")
        self.by, self.tau = by, by.number(tau)
        self.z = [by.unit(v) for v in z]
        self.anchors = [
            Anchor(
                self.z[i],
                self.z[p],
                [v for j, v in enumerate(self.z) if j not in (i, p)],
                self.tau,
                by,
            )
            for i, p in enumerate(partner)
        ]

    @classmethod
    def read(cls, vectors: Mapping[str, Any], tau: object, by: Arithmetic = DECIMAL) -> Batch:
        """The configuration that is stored under this name."""
        return cls(vectors["z"], tau, by=by)

    def __getitem__(self, name: str) -> Any:
        size = len(self.z)
        if name == "tau":
            return self.tau
        if name in ("n", "N"):
            return self.by.number(size - 2 * (name == "N"))
        if name == "sigma_hat":
            return self.by.tidy(_top(self.z, self.by) / size)
        if name == "effective_rank":
            return self.by.tidy(size**2 / sum(_dot(u, v) ** 2 for u in self.z for v in self.z))
        factors = factors_of(name.removeprefix("mean_")) if name.startswith("mean_") else None
        if factors is None:
            raise KeyError(
                f"a batch has no reading {name!r}, but: {', '.join(BATCH)}, and mean_ of a product "
                "of readings of an anchor, each perhaps _squared"
            )
        total = self.by.number(0)
        for a in self.anchors:
            term = self.by.number(1)
            for reading, power in factors:
                term *= a[reading] ** power
            total += term
        return self.by.tidy(total / size)


def factors_of(name: str) -> list[tuple[str, int]] | None:
    """``epsilon_squared_sigma`` is epsilon squared times sigma; None if it is no product."""
    found, at = [], 0
    while at < len(name):
        part = _FACTOR.match(name, at)
        if part is None:
            return None
        found.append((part[1], 2 if part[2] else 1))
        at = part.end()
    return found or None


# --- vectors ---------------------------------------------------------------------------------
def _dot(u: Vector, v: Vector) -> Any:
    return sum(x * y for x, y in zip(u, v, strict=True))


def _minus(u: Vector, v: Vector) -> list[Any]:
    return [x - y for x, y in zip(u, v, strict=True)]


def _combined(weights: Sequence[Any], rows: Sequence[Vector]) -> list[Any]:
    return [
        sum(w * x for w, x in zip(weights, column, strict=True))
        for column in zip(*rows, strict=True)
    ]


def _top(rows: Sequence[Vector], by: Arithmetic) -> Any:
    """Largest eigenvalue of the sum of v v^T, by the smaller of two matrices."""
    vectors = list(zip(*rows, strict=True)) if len(rows) > len(rows[0]) else rows
    gram = [[by.number(0)] * len(vectors) for _ in vectors]
    for i, u in enumerate(vectors):
        gram[i][i] = by.tidy(_dot(u, u))
    for (i, u), (j, v) in combinations(enumerate(vectors), 2):
        gram[i][j] = gram[j][i] = by.tidy(_dot(u, v))
    return by.largest_eigenvalue(gram)

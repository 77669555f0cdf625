"""One anchor with its positive and negatives, and a batch in pairs: their readings.

A configuration is an anchor z, its positive z+ and negatives z_1 .. z_N, unit vectors, at a
temperature tau. The softmax of the similarities over tau gives epsilon to the negatives together,
and q_j of that to each; m = sum_j q_j z_j is their softmax mean, M = (1 - epsilon) z+ + epsilon m
that of all, and (M - z+)/tau the gradient of InfoNCE. Bounds on it are functions of the readings
named here. They are found by mpmath, to the digits at work.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import mpmath
from sympy import Expr

Vector = Sequence[Any]


# --- vectors ---------------------------------------------------------------------------------
def number(x: object) -> Any:
    """A number that was given: a number, text, or an expression."""
    return mpmath.mpf(x) if not isinstance(x, Expr) else mpmath.mpmathify(x.n(mpmath.mp.dps))


def unit(v: Vector) -> list[Any]:
    """The direction of a vector.

    Raises
    ------
    ValueError
        If it is zero; one line.
    """
    found = [number(x) for x in v]
    size = length(found)
    if not size:
        raise ValueError("a vector is zero and has no direction")
    return [x / size for x in found]


def dot(u: Vector, v: Vector) -> Any:
    """Inner product."""
    return mpmath.fdot(zip(u, v, strict=True))


def length(v: Vector) -> Any:
    """Euclidean norm."""
    return mpmath.sqrt(dot(v, v))


def minus(u: Vector, v: Vector) -> list[Any]:
    """The difference of two vectors."""
    return [x - y for x, y in zip(u, v, strict=True)]


def combined(weights: Vector, rows: Sequence[Vector]) -> list[Any]:
    """The linear combination of vectors with these weights."""
    return [dot(weights, column) for column in zip(*rows, strict=True)]


def middle(values: Vector) -> Any:
    """The mean of numbers."""
    return mpmath.fsum(values) / len(values)


def largest_eigenvalue(rows: Sequence[Vector]) -> Any:
    """Largest eigenvalue of the second moment, by the smaller of two matrices."""
    vectors = list(zip(*rows, strict=True)) if len(rows) > len(rows[0]) else rows
    gram = mpmath.matrix([[dot(u, v) for v in vectors] for u in vectors])
    return max(mpmath.eigsy(gram, eigvals_only=True)) / len(rows)


# --- one anchor ------------------------------------------------------------------------------
class Anchor:
    """One anchor, its positive and its negatives.

    Parameters
    ----------
    anchor, positive
        Vectors; they are normalised.
    negatives
        At least one.
    tau
        Temperature.

    Raises
    ------
    ValueError
        If vectors have different numbers of coordinates or are zero, there is no negative, or the
        temperature is not positive; one line.
    """

    def __init__(self, anchor: Vector, positive: Vector, negatives: Sequence[Vector], tau: object):
        if not negatives:
            raise ValueError("at least one negative is needed")
        if len({len(v) for v in (anchor, positive, *negatives)}) > 1:
            raise ValueError("vectors have different numbers of coordinates")
        self.anchor, self.positive = unit(anchor), unit(positive)
        self.negatives = [unit(v) for v in negatives]
        self._values: dict[str, Any] = {"tau": number(tau)}
        if not self._values["tau"] > 0:
            raise ValueError(f"tau must be > 0, not {tau}")

    @classmethod
    def read(cls, vectors: Mapping[str, Any], tau: object) -> Anchor:
        """The configuration that is stored under these names."""
        return cls(vectors["anchor"], vectors["positive"], vectors["negatives"], tau)

    def __getitem__(self, name: str) -> Any:
        if name not in READINGS:
            raise KeyError(f"an anchor has no reading {name!r}; it has {', '.join(READINGS)}")
        if name not in self._values:
            self._values[name] = READINGS[name](self)
        return self._values[name]

    @cached_property
    def similarities(self) -> list[Any]:
        """<z, z_j>."""
        return [dot(self.anchor, v) for v in self.negatives]

    @cached_property
    def weight(self) -> Any:
        """The exponentials of the negatives over that of the positive, added up."""
        gaps = [(s - self["alignment"]) / self["tau"] for s in self.similarities]
        return mpmath.fsum(map(mpmath.exp, gaps))

    @cached_property
    def q(self) -> list[Any]:
        """How the softmax divides among the negatives."""
        # Relative to the largest, which keeps the digits of all that counts.
        top = max(self.similarities)
        found = [mpmath.exp((s - top) / self["tau"]) for s in self.similarities]
        return [x / mpmath.fsum(found) for x in found]

    @cached_property
    def m(self) -> list[Any]:
        """The softmax mean of the negatives."""
        return combined(self.q, self.negatives)

    @cached_property
    def direction(self) -> list[Any]:
        """m - z+: the gradient times tau/epsilon."""
        return combined(self.q, [minus(v, self.positive) for v in self.negatives])

    @cached_property
    def gradient(self) -> list[Any]:
        """With respect to the anchor, taken as free."""
        return [self["epsilon"] * x / self["tau"] for x in self.direction]

    @cached_property
    def mean(self) -> list[Any]:
        """Mean of the negatives."""
        return [middle(column) for column in zip(*self.negatives, strict=True)]

    @cached_property
    def orthogonal(self) -> list[list[Any]]:
        """The parts w_j of the negatives orthogonal to z+."""
        y = self.positive
        return [minus(v, [dot(v, y) * x for x in y]) for v in self.negatives]

    @cached_property
    def linear(self) -> list[Any]:
        """The part C^(1) of the decomposition: the softmax to first order around equal logits."""
        share = self["epsilon"] / (self["N"] * self["tau"])
        mean = middle(self.similarities)
        return combined([share * (s - mean) for s in self.similarities], self.negatives)

    @cached_property
    def fluctuation(self) -> list[Any]:
        """The part C of the decomposition."""
        return [self["epsilon"] * x for x in minus(self.m, self.mean)]


def _square(v: Vector) -> Any:
    return dot(v, v)


def _variance(a: Anchor, weights: Vector) -> Any:
    """The variance of the similarities with these weights."""
    mean = dot(weights, a.similarities)
    return dot(weights, [(s - mean) ** 2 for s in a.similarities])


#: Readings of an anchor, by name.
READINGS: dict[str, Callable[[Anchor], Any]] = {
    "tau": lambda a: a["tau"],
    "n": lambda a: a["N"] + 2,
    "N": lambda a: len(a.negatives),
    "epsilon": lambda a: a.weight / (1 + a.weight),
    "rho": lambda a: 1 - a["one_minus_rho"],  # <M, z+>
    "one_minus_rho": lambda a: -a["epsilon"] * dot(a.direction, a.positive),
    "mu": lambda a: length(a.m),
    "sigma": lambda a: largest_eigenvalue(a.negatives),
    "sigma_positive": lambda a: largest_eigenvalue(a.orthogonal),
    "squared_gradient": lambda a: _square(a.gradient),
    # of the part tangent to the sphere at z
    "squared_tangential": lambda a: a["squared_gradient"] - dot(a.gradient, a.anchor) ** 2,
    "participation": lambda a: _square(a.q),
    "q_max": lambda a: max(a.q),
    "mean_norm": lambda a: length(a.mean),
    "similarity": lambda a: dot(a.anchor, a.m),
    "alignment": lambda a: dot(a.anchor, a.positive),
    "variance": lambda a: _variance(a, [mpmath.mpf(1) / a["N"]] * a["N"]),
    "softmax_variance": lambda a: _variance(a, a.q),
    # the parts B, C, C^(1) and C^(2) of M - z+ = A + B + C
    "squared_sampling": lambda a: a["epsilon"] ** 2 * _square(a.mean),
    "squared_fluctuation": lambda a: _square(a.fluctuation),
    "squared_linear": lambda a: _square(a.linear),
    "squared_remainder": lambda a: _square(minus(a.fluctuation, a.linear)),
}
_FACTOR = re.compile(rf"({'|'.join(sorted(READINGS, key=len, reverse=True))})(_squared)?(?:_|$)")


# --- a batch ---------------------------------------------------------------------------------
class Batch:
    """Unit vectors in pairs, each an anchor whose positive is its partner.

    Parameters
    ----------
    z
        An even number of vectors, four or more: 0 and 1 are a pair, 2 and 3, and so on. They are
        normalised.
    tau
        Temperature.

    Raises
    ------
    ValueError
        If there are too few vectors or an odd number of them, or as of an anchor; one line.
    """

    def __init__(self, z: Sequence[Vector], tau: object):
        if len(z) < 4 or len(z) % 2:
            raise ValueError(f"a batch has an even number of vectors, 4 or more, not {len(z)}")
        self.z = [unit(v) for v in z]
        self.anchors = [
            Anchor(v, self.z[i ^ 1], [w for j, w in enumerate(self.z) if j not in (i, i ^ 1)], tau)
            for i, v in enumerate(self.z)
        ]

    @classmethod
    def read(cls, vectors: Mapping[str, Any], tau: object) -> Batch:
        """The configuration that is stored under this name."""
        return cls(vectors["z"], tau)

    def __getitem__(self, name: str) -> Any:
        if name in BATCH:
            return BATCH[name](self)
        factors = factors_of(name.removeprefix("mean_")) if name.startswith("mean_") else None
        if factors is None:
            raise KeyError(
                f"a batch has no reading {name!r}; it has {', '.join(BATCH)}, and mean_ with a "
                "product of readings of an anchor, each perhaps _squared"
            )
        return middle([mpmath.fprod(a[k] ** power for k, power in factors) for a in self.anchors])


#: Readings of a batch beside the means, ``mean_`` and a product of readings or their squares.
BATCH: dict[str, Callable[[Batch], Any]] = {
    "tau": lambda b: b.anchors[0]["tau"],
    "n": lambda b: len(b.z),
    "N": lambda b: len(b.z) - 2,
    "sigma_hat": lambda b: largest_eigenvalue(b.z),
    "effective_rank": lambda b: (
        len(b.z) ** 2 / mpmath.fsum(dot(u, v) ** 2 for u in b.z for v in b.z)
    ),
}


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

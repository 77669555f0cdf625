"""Labels that are vectors: B is P P^T, and its eigenvalues are found from n x l."""

from __future__ import annotations

from fractions import Fraction
from math import ulp
from typing import Any

import numpy as np

from .distances import AtForced, of_distances, verdict_at
from .pairs import Array, Unfit, unit
from .search import bound_of, filled, squared
from .verdict import DENSE, Verdict, Wanted, dimensions

#: Coordinates of labels, beyond which their squares overflow (below its inverse they vanish), and
#: the rounding of their mean.
FARTHEST, ROUNDING = 1e100, 1e-15
#: Points on whose labels exact arithmetic tries to come to the same verdict.
PROVABLE = 40
#: Digits of a number that is taken for the fraction next to it: 0.1 is 1/10.
_DENOMINATOR = 10**6


def of_points(points: Array, wanted: Wanted) -> Verdict:
    """Weights exp(-|p_i - p_j|^2): B is P P^T, and its eigenvalues are found from n x l."""
    n, q, tolerance = len(points), wanted.q, wanted.tolerance
    size = float(np.abs(points).max(initial=0.0))
    if size > FARTHEST:
        raise Unfit(f"labels reach {size:g}: float64 cannot represent their distances")
    if 0 < size < 1 / FARTHEST:
        raise Unfit(f"labels are at most {size:g}: float64 cannot represent their distances")
    p = points - points.mean(axis=0)
    left, sigma, right = np.linalg.svd(p, full_matrices=False)
    # Beside the largest, rounding of labels that are all the same.
    least = max(tolerance * sigma.max(initial=0.0), ROUNDING * np.sqrt(p.size) * size)
    rank = int(np.sum(sigma > least))
    if q >= n - 1 or rank >= n - 1:
        if n > DENSE:
            raise Unfit(f"{n} points in {dimensions(q)}: at most {DENSE} where q >= n - 1")
        return of_distances(squared(p), wanted)
    left, sigma = left[:, :rank], sigma[:rank]
    certificate: dict[str, Any] = {
        "rank": rank,
        "eigenvalues": sigma**2,
    }
    if wanted.similarity == "euclidean":
        verdict = _flat(p, right[:rank], q, rank, certificate)
    else:
        verdict = _on_sphere(p, left, sigma, wanted, certificate)
    return filled(verdict, bound_of(p, wanted.tell), lambda: squared(p), wanted)


def directions(y: Array, tau_prime: float) -> Array:
    """Points whose weights exp(-|p_i - p_j|^2) are those of cosines over tau_prime.

    Raises
    ------
    Unfit
        If a label is zero, and so has no direction.
    """
    size = np.abs(y).max(axis=1, keepdims=True)  # no square vanishes or overflows beside it
    if not size.all():
        raise Unfit(f"the label of sample {int(np.argmin(size)) + 1} is zero: it has no cosine")
    scaled = y / size
    length = np.linalg.norm(scaled, axis=1, keepdims=True)
    found: Array = scaled / length / np.sqrt(2 * tau_prime)
    return found


def _flat(p: Array, axes: Array, q: int, rank: int, certificate: dict[str, Any]) -> Verdict:
    if rank <= q:
        z = p @ axes.T
        return Verdict(
            "realisable",
            f"the labels span {dimensions(rank)}, q is {q}: they are the embedding, up to an "
            "isometry",
            certificate,
            vectors=np.pad(z, ((0, 0), (0, q - rank))),
        )
    return Verdict(
        "inconsistent",
        f"the labels need {dimensions(rank)}, q is {q}",
        certificate,
        [f"dimension >= {rank}"],
    )


def _on_sphere(
    p: Array, left: Array, sigma: Array, wanted: Wanted, certificate: dict[str, Any]
) -> Verdict:
    """The least eigenvalue is 0, so that the constant is 1: a sphere is found by its centre."""
    squares = np.sum(p * p, axis=1)
    along = left.T @ squares
    centre = along / (2 * sigma)
    radius2 = float(squares.mean() + centre @ centre)
    off = float(np.abs(squares - squares.mean() - left @ along).max(initial=0.0))
    at = AtForced(
        0.0,
        len(sigma),
        off / radius2 if radius2 else 0.0,
        off <= wanted.tolerance * radius2,
        1 / (2 * radius2) if radius2 else np.inf,
    )

    def vectors(_: float) -> Array:
        rise = np.sqrt(max(0.0, 1 - 2 * wanted.heat * radius2))
        z = np.column_stack(
            [np.sqrt(2 * wanted.heat) * (left * sigma - centre), np.full(len(p), rise)]
        )
        z = unit(z[:, : certificate["dimensions needed"]])
        return np.pad(z, ((0, 0), (0, wanted.q - z.shape[1])))

    normal = "labels on a sphere: normalise them, or add a coordinate that makes all norms equal"
    return verdict_at(at, certificate, wanted, "the labels are", normal, vectors)


def fraction(x: float) -> Fraction | None:
    """The short fraction that a float64 stands for, if there is one, and no other near it."""
    found = Fraction(x).limit_denominator(_DENOMINATOR)
    is_alone = ulp(x) * found.denominator * _DENOMINATOR < 1
    return found if float(found) == x and is_alone else None


def proved(verdict: Verdict, points: Array, wanted: Wanted) -> bool:
    """Whether exact arithmetic on the labels as fractions comes to the same verdict."""
    from sympy import Rational

    from ...derive.vectors.distance import euclidean
    from ...derive.vectors.sphere import spherical

    entries = [[fraction(float(x)) for x in row] for row in points]
    t = None if wanted.tau is None else fraction(wanted.tau)
    if any(x is None for row in entries for x in row) or (t is None) != (wanted.tau is None):
        return False
    y = [[Rational(x.numerator, x.denominator) for x in row if x is not None] for row in entries]
    d = [[sum((a - b) ** 2 for a, b in zip(u, v, strict=True)) for v in y] for u in y]
    attained: bool | None
    if wanted.similarity == "euclidean":
        attained = euclidean(d, wanted.q).attained
    else:
        assert t is not None
        attained = spherical(d, Rational(t.numerator, t.denominator), wanted.q).attained
    return attained is not None and bool(attained) == (verdict.word == "realisable")

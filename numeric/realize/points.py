"""Labels that are vectors: B is P P^T, and its eigenvalues are found from n x l."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from .distances import of_distances
from .pairs import Array, Unfit, unit
from .search import bound_of, filled, squared
from .verdict import DENSE, Verdict, Wanted, at_most, beside, cooler, dimensions, exactly

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
    rank, q, tau, tolerance = len(sigma), wanted.q, wanted.heat, wanted.tolerance
    squares = np.sum(p * p, axis=1)
    along = left.T @ squares
    centre = along / (2 * sigma)
    radius2 = float(squares.mean() + centre @ centre)
    off = float(np.abs(squares - squares.mean() - left @ along).max(initial=0.0))
    certificate["off the sphere"] = off / radius2 if radius2 else 0.0
    if off > tolerance * radius2:
        certificate["nearest radius"] = float(np.sqrt(radius2))
        return Verdict(
            "inconsistent",
            f"the labels are not on a sphere (squared distances from the best centre differ by up "
            f"to {off:.6g} from their mean {radius2:.6g}), so no temperature is right "
            f"in {dimensions(q)}",
            certificate,
            [
                f"Euclidean similarities (--scheme euclidean) in {dimensions(rank)}",
                "labels on a sphere: normalise them, or add a coordinate that makes all norms "
                "equal",
            ],
        )
    critical = np.inf if radius2 == 0 else 1 / (2 * radius2)
    certificate |= {"radius": float(np.sqrt(radius2)), "tau_critical": critical}
    if tau > critical * (1 + tolerance):
        radius, largest = beside(np.sqrt(radius2), 1 / np.sqrt(2 * tau))
        wider = "" if q > rank else f", in {dimensions(rank + 1)}"
        return Verdict(
            "inconsistent",
            f"the labels are on a sphere, but its radius {radius} exceeds 1/sqrt(2 tau) = "
            f"{largest}",
            certificate,
            [
                *cooler(critical, rank, q),
                f"labels times at most {at_most(np.sqrt(critical / tau))}{wider}",
            ],
        )
    is_equal = tau >= critical * (1 - tolerance)
    needed = rank if is_equal else rank + 1
    certificate["dimensions needed"] = needed
    if needed > q:
        return Verdict(
            "inconsistent",
            f"the labels are on a sphere, but the cosines need {dimensions(needed)}, q is {q}",
            certificate,
            [f"dimension >= {needed}"]
            + ([f"tau = {exactly(critical)}, which needs {rank}"] if rank <= q else []),
        )
    flat = left * sigma - centre
    columns = [np.sqrt(2 * tau) * flat]
    if not is_equal:
        columns.append(np.full((len(p), 1), np.sqrt(max(0.0, 1 - 2 * tau * radius2))))
    z = unit(np.hstack(columns))
    return Verdict(
        "realisable",
        f"the labels are on a sphere of radius {np.sqrt(radius2):.6g}, at most 1/sqrt(2 tau) = "
        f"{1 / np.sqrt(2 * tau):.6g}; the cosines 1 - tau d need {dimensions(needed)}, q is {q}",
        certificate,
        vectors=np.pad(z, ((0, 0), (0, q - needed))),
    )


def fraction(x: float) -> Fraction | None:
    """The short fraction that a float64 stands for, if there is one."""
    found = Fraction(x).limit_denominator(_DENOMINATOR)
    return found if float(found) == x else None


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
    if wanted.similarity == "euclidean":
        attained = euclidean(d, wanted.q).attained
    else:
        assert t is not None
        attained = spherical(d, Rational(t.numerator, t.denominator), wanted.q).attained
    return attained is not None and bool(attained) == (verdict.word == "realisable")

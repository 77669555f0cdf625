r"""Whether the geometry that weights ask for can be realised, decided before any training.

Weights w_ij = exp(-d_ij) with similarities s_ij ask for s_ij = -d_ij + const (the entropic bound
is attained exactly there). Let B = -J D J / 2 be the centred Gram matrix of D, with eigenvalues
lambda_1 >= ... >= lambda_(n-1) apart from the one of the constant vector, and let b be the
coefficients of -tau D e, e the unit constant vector, in its eigenvectors.

*Euclidean* similarity asks for |z_i - z_j|^2 = d_ij + c. The Gram matrix of such points has the
eigenvalues lambda_k + c/2. In q < n - 1 dimensions one of them is 0, so c = -2 lambda_(n-1), and
the dimension is the number of the others. In q >= n - 1 dimensions some c always works.

*Cosine* similarity asks for cos(z_i, z_j) = c - tau d_ij. That Gram matrix is
(1 - c) I + 2 tau B off the constant vector, and positive semidefinite iff its Schur complement

.. math:: f(c) = 1 + (n - 1) c - \tau\, e^T D e - \sum_k \frac{b_k^2}{1 - c + 2\tau\lambda_k}

is not negative (and b_k = 0 where the denominator is). In q < n - 1 dimensions the matrix is
singular off the constant vector, so c = 1 + 2 tau lambda_(n-1): then f is linear in tau, and its
zero is the critical temperature. Where D is Euclidean, c = 1; b_k = 0 says that the points are on
a sphere; and f >= 0 says that its radius is at most 1/sqrt(2 tau). In q >= n - 1 dimensions c is
free, and f, which is concave, decides by its maximum.

No hypothesis on n and q is needed, and one eigendecomposition decides everything. It is done in
float64: the tolerances below say what counts as zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .pairs import Array, unit
from .search import filled, lowered, pairs_of
from .verdict import TOLERANCE, Verdict, Wanted, at_most, beside, cooler, dimensions, exactly


def of_distances(distances: Array, wanted: Wanted) -> Verdict:
    """Weights exp(-d_ij) of all pairs, by one eigendecomposition."""
    n = len(distances)
    if wanted.tell is not None:
        wanted.tell(f"eigenvalues of {n} x {n}")
    values, vectors, cross, corner = decomposed(distances)
    if wanted.similarity == "euclidean":
        verdict = flat_of(values, vectors, wanted.q, wanted.tolerance)
    else:
        verdict = _cosines_of(distances, values, cross, corner, wanted)
    bound = pairs_of(np.exp(-lowered(distances)), 1.0).bound
    return filled(verdict, bound, lambda: distances, wanted)


def decomposed(d: Array) -> tuple[Array, Array, Array, float]:
    """Eigenvalues (rising) and vectors of B off the constant vector, V^T D e and e^T D e."""
    n = len(d)
    e = np.full(n, 1 / np.sqrt(n))
    # The reflection that takes e to an axis; its other columns are a basis off e.
    h = e.copy()
    h[0] += 1.0
    h /= np.linalg.norm(h)
    turned = d - 2 * np.outer(h, h @ d)
    turned -= 2 * np.outer(turned @ h, h)
    values, small = np.linalg.eigh(-turned[1:, 1:] / 2)
    wide = np.vstack([np.zeros(n - 1), small])
    vectors = wide - 2 * np.outer(h, h @ wide)
    de = d @ e
    return values, vectors, vectors.T @ de, float(e @ de)


def _not_euclidean(least: float) -> str:
    return (
        f"D is not a Euclidean distance matrix: eigenvalue {least:.6g} of the centred Gram matrix; "
    )


def flat_of(values: Array, vectors: Array, q: int, tolerance: float) -> Verdict:
    n = len(values) + 1
    scale = float(np.abs(values).max(initial=0.0))
    least = float(values[0])
    is_euclidean = least >= -tolerance * scale
    certificate: dict[str, Any] = {"eigenvalues": values[::-1], "least eigenvalue": least}
    if q >= n - 1:
        shift = 0.0 if is_euclidean else -2 * least
    else:
        shift = 0.0 if abs(least) <= tolerance * scale else -2 * least
    shifted = values + shift / 2
    kept = shifted > tolerance * max(scale, float(shifted.max(initial=0.0)))
    rank = int(kept.sum())
    certificate |= {"c": shift, "rank": rank}
    what = "" if is_euclidean else _not_euclidean(least)
    if shift:
        what += f"with the constant c = {shift:.6g} "
    if rank > q:
        return Verdict(
            "inconsistent",
            f"{what}D needs {dimensions(rank)}, q is {q}",
            certificate,
            [f"dimension >= {rank}"],
        )
    z = vectors[:, kept] * np.sqrt(shifted[kept])
    free = "; a larger constant would do as well" if q >= n - 1 else ""
    return Verdict(
        "realisable",
        f"{what}D is a Euclidean distance matrix of dimension {rank}, q is {q}{free}",
        certificate,
        vectors=np.pad(z[:, ::-1], ((0, 0), (0, q - rank))),
    )


def _cosines_of(d: Array, values: Array, cross: Array, corner: float, wanted: Wanted) -> Verdict:
    n, q, tau, tolerance = len(values) + 1, wanted.q, wanted.heat, wanted.tolerance
    scale = float(np.abs(values).max(initial=0.0))
    least = 0.0 if abs(values[0]) <= tolerance * scale else float(values[0])
    certificate: dict[str, Any] = {
        "eigenvalues": values[::-1],
        "least eigenvalue": float(values[0]),
    }
    forced = _at_forced(values, cross, corner, least, tolerance)
    if q < n - 1 or forced.allows(tau, tolerance):
        wider = f"dimension >= {n - 1}, where the constant is free"
        if not forced.is_spherical:
            free = _free_critical(values, cross, corner, n)
            wider += f", and tau <= {at_most(free)}" if np.isfinite(free) else ""

        def vectors_at(constant: float) -> Array:
            return factor(_cosines(d, constant, tau), q, tolerance)

        return verdict_at(forced, certificate, wanted, "D is", wider, vectors_at)
    # All constants up to the forced one.
    best, value = _highest(values, cross, corner, n, tau)
    critical = _free_critical(values, cross, corner, n)
    certificate |= {"tau_critical": critical, "c_prime": best, "schur complement": value}
    if value < -tolerance * n:
        return Verdict(
            "inconsistent",
            f"no constant will do: for none are the numbers c' - tau d cosines (their Schur "
            f"complement is at most {value:.6g})",
            certificate,
            [f"tau <= {at_most(critical)}"],
        )
    constant = best if q >= n else _root(values, cross, corner, n, tau, best)
    certificate["c_prime"] = constant
    gram = _cosines(d, constant, tau)
    return Verdict(
        "realisable",
        f"{n} points in {dimensions(q)} leave the constant free, and {constant:.6g} - tau d are "
        "cosines",
        certificate,
        vectors=factor(gram, q, tolerance),
        notes=["the optimum is not unique: other constants do as well"],
    )


@dataclass(frozen=True)
class AtForced:
    """The cosines at the constant that the least eigenvalue forces.

    Attributes
    ----------
    least
        That eigenvalue; 0 within the tolerance.
    rank
        Of the centred part.
    off, is_spherical
        What keeps the Schur complement from being finite, and whether that counts as zero.
    critical
        The temperature at which the Schur complement is 0.
    """

    least: float
    rank: int
    off: float
    is_spherical: bool
    critical: float

    def allows(self, tau: float, tolerance: float) -> bool:
        """Whether the cosines are positive semidefinite at a temperature."""
        return self.is_spherical and tau <= self.critical * (1 + tolerance)


def _at_forced(
    values: Array, cross: Array, corner: float, least: float, tolerance: float
) -> AtForced:
    n = len(values) + 1
    scale = float(np.abs(values).max(initial=0.0))
    lowest = values <= least + tolerance * scale
    rest = ~lowest
    # f = n - tau * slope there.
    lean = float(np.sum(cross[rest] ** 2 / (2 * (values[rest] - least))))
    slope = corner + lean - 2 * least * (n - 1)
    size = abs(corner) + lean + 2 * abs(least) * (n - 1)
    off = float(np.linalg.norm(cross[lowest]))
    is_spherical = off <= tolerance * max(float(np.linalg.norm(cross)), np.sqrt(n) * scale)
    critical = float(n / slope) if slope > tolerance * size else np.inf
    return AtForced(least, int(rest.sum()), off, is_spherical, critical)


def verdict_at(
    at: AtForced,
    certificate: dict[str, Any],
    wanted: Wanted,
    subject: str,
    otherwise: str,
    vectors: Callable[[float], Array],
) -> Verdict:
    """The verdict where the constant is the forced one.

    Parameters
    ----------
    subject, otherwise
        What is on a sphere or not, with its verb; and what else helps if it is not.
    vectors
        The optimal embedding, of the constant.
    """
    least, critical = at.least, at.critical
    q, tau, tolerance = wanted.q, wanted.heat, wanted.tolerance
    constant = 1 + 2 * tau * least
    certificate |= {"c_prime": constant, "rank": at.rank}
    what = _not_euclidean(least) if least < 0 else ""
    if least:
        what += f"with the constant c' = {constant:.6g}, which is forced, "
    if not at.is_spherical:
        certificate["off the sphere"] = at.off
        return Verdict(
            "inconsistent",
            f"{what}{subject} not on a sphere (off by {at.off:.6g}), so no temperature is right in "
            f"{dimensions(q)}",
            certificate,
            [f"Euclidean similarities in {dimensions(at.rank)}", otherwise],
        )
    certificate["tau_critical"] = critical
    if least == 0 and np.isfinite(critical):
        certificate["radius"] = float(np.sqrt(1 / (2 * critical)))
    if not at.allows(tau, tolerance):
        radius, largest = beside(np.sqrt(1 / (2 * critical)), 1 / np.sqrt(2 * tau))
        return Verdict(
            "inconsistent",
            f"{what}{subject} on a sphere, but its radius {radius} exceeds 1/sqrt(2 tau) = "
            f"{largest}",
            certificate,
            cooler(critical, at.rank, q),
        )
    needed = at.rank + (tau < critical * (1 - tolerance))
    certificate["dimensions needed"] = needed
    if needed > q:
        return Verdict(
            "inconsistent",
            f"{what}{subject} on a sphere, but the cosines need {dimensions(needed)}, q is {q}",
            certificate,
            [f"dimension >= {needed}"]
            + ([f"tau = {exactly(critical)}, which needs {at.rank}"] if at.rank <= q else []),
        )
    return Verdict(
        "realisable",
        f"{what}{subject} on a sphere, and the cosines {constant:.6g} - tau d need "
        f"{dimensions(needed)}, q is {q}",
        certificate,
        vectors=vectors(constant),
    )


def _cosines(d: Array, constant: float, tau: float) -> Array:
    gram = constant - tau * d
    np.fill_diagonal(gram, 1.0)
    return gram


def factor(gram: Array, q: int, tolerance: float = TOLERANCE) -> Array:
    """Unit vectors ``(n, q)`` with these cosines, in their principal axes."""
    values, axes = np.linalg.eigh(gram)
    values, axes = values[::-1][:q], axes[:, ::-1][:, :q]
    kept = values > tolerance * values[0]
    z = unit(axes[:, kept] * np.sqrt(values[kept]))
    return np.pad(z, ((0, 0), (0, q - z.shape[1])))


def _schur(values: Array, cross: Array, corner: float, n: int, tau: float, c: float) -> float:
    return (
        1
        + (n - 1) * c
        - tau * corner
        - float(np.sum((tau * cross) ** 2 / (1 - c + 2 * tau * values)))
    )


def _highest(values: Array, cross: Array, corner: float, n: int, tau: float) -> tuple[float, float]:
    """The constant below the forced one at which the concave f is highest, and f there."""
    edge = 1 + 2 * tau * float(values[0])
    reach = 1 + tau * (abs(corner) + float(np.abs(values).max()) + float(np.linalg.norm(cross)))

    def at(exponent: float) -> float:
        return _schur(values, cross, corner, n, tau, edge - reach * 10.0**exponent)

    # By the distance from the edge, on a logarithmic scale: f is concave in c, hence unimodal.
    low, high = -14.0, 2.0
    for _ in range(85):
        third = (high - low) / 3
        if at(low + third) > at(high - third):
            high -= third
        else:
            low += third
    middle = (low + high) / 2
    return edge - reach * 10.0**middle, at(middle)


def _free_critical(values: Array, cross: Array, corner: float, n: int) -> float:
    """The temperature up to which some constant works: what works stays so at lower ones."""
    low, high = 1e-12, 1e12
    if _highest(values, cross, corner, n, high)[1] >= 0:
        return np.inf
    while high / low - 1 > 1e-11:
        middle = float(np.sqrt(low * high))
        is_fine = _highest(values, cross, corner, n, middle)[1] >= 0
        low, high = (middle, high) if is_fine else (low, middle)
    return low


def _root(values: Array, cross: Array, corner: float, n: int, tau: float, best: float) -> float:
    """The constant below the best one at which f is 0, so that a dimension is saved."""
    step = 1.0
    while _schur(values, cross, corner, n, tau, best - step) > 0:
        step *= 2
    low, high = best - step, best
    for _ in range(200):
        middle = (low + high) / 2
        is_above = _schur(values, cross, corner, n, tau, middle) > 0
        low, high = (low, middle) if is_above else (middle, high)
    return high

r"""Optimal prototypes of SupCon and Soft SupCon for classes of any sizes, by the C x C Gram matrix.

With points of a class in one place the n x n problem has C vectors: class c is an anchor of
weight l_c/n and a candidate that stands for l_c points (l_c - 1 of them for its own anchors), and
its target shares are in proportion to 1 within and epsilon across. What the collapse leaves out
is put back into the certificate: S of all n points splits into the C x C matrix of class means and
one number for the contrasts within each class, and both must be nonnegative.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...derive.results import results
from ...derive.theorem.number import as_float
from .pairs import (
    Array,
    Dual,
    Pairs,
    Point,
    Solved,
    Stop,
    Tell,
    Unfit,
    drawn,
    eigenvalues,
    rank_of,
    solve,
)

#: Below this temperature e^(-2/tau) leaves float64.
LEAST_TAU = 1 / 300


@dataclass(frozen=True)
class Prototypes:
    """Where the classes are at the optimum.

    Attributes
    ----------
    vectors
        ``(C, d)``, unit rows.
    cosines
        ``(C, C)``, in the order of the sizes.
    loss, bound, gap
        Loss, entropic bound, and how far the loss can be above the least of any n unit vectors in
        any dimension. Of d below ``rank_needed`` the gap includes what the missing dimensions
        cost, and does not prove that no better prototypes are in d dimensions.
    excess
        Loss above the bound, with all its digits.
    eigenvalues
        Of the cosines, falling.
    collapse
        For each class, by how much contrasts within it raise the loss, to first order, per
        point and relative to the multipliers; negative where the class would rather not collapse.
    stop, iterations
        How the search ended.
    is_convex
        Whether the dimension was no restriction, so that every minimum is the least.
    """

    vectors: Array
    cosines: Array
    loss: float
    bound: float
    excess: float
    gap: float
    eigenvalues: Array
    collapse: Array
    stop: Stop
    iterations: int
    is_convex: bool

    @property
    def rank(self) -> int:
        """Dimensions that the prototypes occupy."""
        return rank_of(self.eigenvalues)


def of_classes(sizes: Sequence[int], tau: float, epsilon: float = 0.0) -> Pairs:
    """The loss of collapsed classes.

    Raises
    ------
    Unfit
        For less than two classes, an empty one, one of one sample where epsilon is 0, or a
        temperature that is out of reach.
    """
    size = np.asarray(sizes, dtype=np.float64)
    if len(size) < 2 or size.min() < 1:
        raise Unfit("prototypes need two or more classes, none of them empty")
    if not (0 if epsilon else LEAST_TAU) <= tau < np.inf:
        raise Unfit(
            f"tau must be at least {LEAST_TAU:.4g}, not {tau:g}: float64 cannot represent "
            "e^(-2/tau)"
        )
    if not 0 <= epsilon <= 1:
        raise Unfit(f"epsilon must be from 0 to 1, not {epsilon:g}")
    if epsilon == 0 and size.min() < 2:
        raise Unfit("a class with a single sample has no positive pair")
    multiplicity = np.tile(size, (len(size), 1))
    np.fill_diagonal(multiplicity, size - 1)
    weight = epsilon * multiplicity
    np.fill_diagonal(weight, size - 1)
    target = weight / weight.sum(axis=1, keepdims=True)
    return Pairs(size / size.sum(), multiplicity, target, float(tau))


def simplex(k: int) -> Array:
    """The k vertices of a regular simplex about the origin, in k coordinates."""
    centred = np.eye(k) - 1 / k
    found: Array = centred / np.linalg.norm(centred, axis=1, keepdims=True)
    return found


def optimum(
    sizes: Sequence[int],
    tau: float,
    epsilon: float = 0.0,
    *,
    d: int | None = None,
    seeds: Sequence[int] = (0, 1),
    tell: Tell = None,
) -> Prototypes:
    """Find the optimal prototypes.

    Parameters
    ----------
    sizes, tau, epsilon
        Samples of each class, temperature, weight of a pair of two classes.
    d
        Dimension; by default what the optimum needs. Where it needs more than d, the best of
        what is found from its shadow in d dimensions and from random starts.
    seeds
        Of the noise that the start is perturbed with, and of the random starts.
    """
    pairs = of_classes(sizes, tau, epsilon)
    k = len(sizes)
    if 0 < epsilon and tau <= critical_temperature(k, epsilon) and (d is None or d >= k):
        return _attained(pairs, 1 + tau * float(np.log(epsilon)), d)
    # A little noise, or a search stays where symmetry holds it.
    start = simplex(k) + 0.02 / np.sqrt(k) * drawn(seeds[0], (k, k))
    return _told(sizes, pairs, solve(pairs, start, k if d is None else d, seeds, tell=tell), d)


def critical_temperature(classes: int, epsilon: float) -> float:
    """Up to which the cosine 1 + tau log(epsilon) is that of a simplex; inf for equal weights."""
    if epsilon == 1:
        return np.inf
    return classes / ((classes - 1) * -float(np.log(epsilon)))


def least_epsilon(classes: int, tau: float) -> float:
    """The weight across classes from which the target is that of a simplex."""
    return float(np.exp(-classes / ((classes - 1) * tau)))


def equiangular(k: int, cosine: float, d: int | None = None) -> Array:
    """Unit vectors ``(k, d)`` with one cosine, in their principal axes.

    The first axes are those of the simplex; the mean is on the last one.
    """
    rise = np.sqrt(max(0.0, (1 + (k - 1) * cosine) / k))
    left, values, _ = np.linalg.svd(np.eye(k) - 1 / k)
    flat = left[:, : k - 1] * values[: k - 1] * np.sqrt(max(0.0, 1 - cosine))
    found = np.column_stack([flat, np.full(k, rise)]) if rise > 1e-8 else flat
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return np.pad(found, ((0, 0), (0, max(0, (d or 0) - found.shape[1]))))


def _attained(pairs: Pairs, cosine: float, d: int | None) -> Prototypes:
    """Where the target is met, no search is needed: the bound is the least loss."""
    k = len(pairs.anchors)
    cosine = max(cosine, -1 / (k - 1))
    gram = np.full((k, k), cosine)
    np.fill_diagonal(gram, 1.0)
    bound = pairs.bound
    values = np.sort(np.append(np.full(k - 1, 1 - cosine), 1 + (k - 1) * cosine))[::-1]
    vectors = equiangular(k, cosine, d)
    return Prototypes(
        vectors, gram, bound, bound, 0.0, 0.0, values, np.zeros(k), "converged", 0, True
    )


def _told(sizes: Sequence[int], pairs: Pairs, solved: Solved, d: int | None) -> Prototypes:
    found = solved.best
    gap = solved.gap(lambda run: of_all_points(sizes, run.point, run.dual)[0])
    _, collapse = of_all_points(sizes, found.point, found.dual)
    values = eigenvalues(found.point.gram)
    bound, excess = pairs.bound, max(0.0, found.point.excess)
    return Prototypes(
        _in_axes(found.vectors, rank_of(values), d),
        found.point.gram,
        bound + excess,
        bound,
        excess,
        gap,
        values,
        collapse,
        found.stop,
        found.iterations,
        solved.is_convex,
    )


def _in_axes(u: Array, rank: int, d: int | None) -> Array:
    """The same vectors in their principal axes, in d coordinates; signs are fixed."""
    if d is not None and u.shape[1] == d < rank:
        return u
    left, values, _ = np.linalg.svd(u, full_matrices=False)
    found = left[:, :rank] * values[:rank]
    found *= np.where(found[np.abs(found).argmax(axis=0), np.arange(rank)] < 0, -1.0, 1.0)
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    wide = rank if d is None else d
    return np.pad(found, ((0, 0), (0, max(0, wide - rank))))


def of_all_points(sizes: Sequence[int], point: Point, means: Dual) -> tuple[float, Array]:
    """The gap of all n points, contrasts within classes included, and what decides on those."""
    size = np.asarray(sizes, dtype=np.float64)
    own = np.diag(point.gradient)
    # Contrasts of class c have the eigenvalue -(a + y) with a the gradient of one pair within it
    # and y the multiplier of one point; both times l_c here. A class of one sample has none.
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = np.where(size > 1, own * size / (size - 1) + means.multipliers, -np.inf)
    gap = float(np.maximum(means.loosened, needed).clip(min=0).sum())
    unit = np.abs(own) + np.abs(means.multipliers) + 1e-300
    return gap, np.where(size > 1, -needed / unit, np.inf)


def merge_temperature(sizes: Sequence[int]) -> float:
    """The temperature from which all classes but the largest share one prototype; inf if never."""
    largest = max(sizes)
    rest = sum(sizes) - largest
    if len(sizes) < 3 or largest <= rest:
        return np.inf
    return as_float(results["minority-collapse"].value("tau_merge", l1=largest, r=rest))

"""A matrix of weights: what is wrong with it, and what zeros in it mean."""

from __future__ import annotations

import numpy as np

from .distances import of_distances
from .pairs import Array, Unfit
from .search import pairs_of, searched
from .verdict import DENSE, Verdict, Wanted

#: Part of a weight by which its mirror image may differ: the rounding of float32.
SYMMETRY = 1e-6


def of_weights(weights: Array, wanted: Wanted) -> Verdict:
    """A symmetric matrix of weights; its diagonal does not count.

    Raises
    ------
    Unfit
        If the loss is not defined for it, with the entry that is wrong.
    """
    w = checked(weights)
    n = len(w)
    off = ~np.eye(n, dtype=bool)
    if bool((w[off] > 0).all()):
        distances = np.zeros_like(w)
        distances[off] = -np.log(w[off])
        return of_distances(distances, wanted)
    zeros = f"{int(np.sum(w[off] == 0) // 2)} of {n * (n - 1) // 2} pairs have weight 0"
    if wanted.similarity == "euclidean":
        return Verdict(
            "degenerate",
            f"{zeros}, for which the bound asks for an infinite distance: it is not attained, and "
            "whether it is approached in this dimension as these pairs move apart is not decided",
            remedies=["positive weights only"],
            notes=["the minimum of the loss is not searched for"],
            bound=pairs_of(w, 1.0).bound,
            evidence="exact",
        )
    verdict = Verdict(
        "degenerate",
        f"{zeros}, for which the bound asks for a cosine of -oo: on the sphere it is not attained "
        "at any temperature",
        remedies=["positive weights only"],
    )
    return searched(verdict, pairs_of(w, wanted.heat), wanted)


def checked(weights: Array) -> Array:
    """The matrix, with the diagonal taken out."""
    w = np.asarray(weights)
    if w.ndim != 2 or w.shape[0] != w.shape[1]:
        shape = " x ".join(map(str, w.shape))
        raise Unfit(f"weights must be a square matrix, not {shape or 'a number'}")
    if w.dtype.kind not in "biuf":
        raise Unfit("weights must be real numbers")
    w = w.astype(np.float64)
    n = len(w)
    if n < 2:
        raise Unfit("weights must have two rows or more")
    if n > DENSE:
        raise Unfit(f"a matrix of {n} x {n} weights is too large: at most {DENSE} x {DENSE}")
    np.fill_diagonal(w, 0.0)
    i, j = (int(x) for x in np.unravel_index(np.argmin(np.isfinite(w)), w.shape))
    if not np.isfinite(w[i, j]):
        raise Unfit(f"the weight in row {i + 1}, column {j + 1} is {w[i, j]}")
    i, j = (int(x) for x in np.unravel_index(np.argmin(w), w.shape))
    if w[i, j] < 0:
        raise Unfit(f"weights must not be negative: row {i + 1}, column {j + 1} has {w[i, j]:g}")
    apart = np.abs(w - w.T)
    i, j = (int(x) for x in np.unravel_index(np.argmax(apart), w.shape))
    if apart[i, j] > SYMMETRY * max(w[i, j], w[j, i]):
        raise Unfit(
            f"weights must be symmetric: row {i + 1}, column {j + 1} has {w[i, j]:g}, but row "
            f"{j + 1}, column {i + 1} has {w[j, i]:g}"
        )
    w = (w + w.T) / 2
    empty = np.flatnonzero(w.sum(axis=1) == 0)
    if len(empty):
        more = f" (and {len(empty) - 1} more)" if len(empty) > 1 else ""
        raise Unfit(f"row {int(empty[0]) + 1} has no positive weight off the diagonal{more}")
    return w

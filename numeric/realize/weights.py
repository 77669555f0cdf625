"""A matrix of weights: what is wrong with it, and what zeros in it mean."""

from __future__ import annotations

import numpy as np

from ..pairs import Array, Unfit
from .distances import decomposed, flat_of, of_distances
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
    if wanted.similarity == "euclidean":
        return _sparse_apart(w, wanted.q, wanted.tolerance)
    zeros = int(np.sum(w[off] == 0) // 2)
    verdict = Verdict(
        "degenerate",
        f"{zeros} of {n * (n - 1) // 2} pairs have weight 0, for which the bound asks for a cosine "
        "of -oo: on the sphere it is not attained at any temperature",
        remedies=["positive weights only"],
    )
    return searched(verdict, pairs_of(w, wanted.heat), wanted)


def checked(weights: Array) -> Array:
    """The matrix, with the diagonal taken out."""
    w = np.asarray(weights)
    if w.ndim != 2 or w.shape[0] != w.shape[1]:
        shape = " x ".join(map(str, w.shape))
        raise Unfit(f"weights are a square matrix, not {shape or 'a number'}")
    if w.dtype.kind not in "biuf":
        raise Unfit("weights are real numbers")
    w = w.astype(np.float64)
    n = len(w)
    if n < 2:
        raise Unfit("weights are of two points or more")
    if n > DENSE:
        raise Unfit(
            f"a matrix of {n} x {n} weights is more than the {DENSE} x {DENSE} that are read"
        )
    np.fill_diagonal(w, 0.0)
    i, j = (int(x) for x in np.unravel_index(np.argmin(np.isfinite(w)), w.shape))
    if not np.isfinite(w[i, j]):
        raise Unfit(f"the weight in row {i + 1}, column {j + 1} is {w[i, j]}")
    i, j = (int(x) for x in np.unravel_index(np.argmin(w), w.shape))
    if w[i, j] < 0:
        raise Unfit(f"weights are not negative: row {i + 1}, column {j + 1} has {w[i, j]:g}")
    apart = np.abs(w - w.T)
    i, j = (int(x) for x in np.unravel_index(np.argmax(apart), w.shape))
    if apart[i, j] > SYMMETRY * max(w[i, j], w[j, i]):
        raise Unfit(
            f"weights are symmetric: row {i + 1}, column {j + 1} has {w[i, j]:g}, but row {j + 1}, "
            f"column {i + 1} has {w[j, i]:g}"
        )
    w = (w + w.T) / 2
    empty = np.flatnonzero(w.sum(axis=1) == 0)
    if len(empty):
        more = f" (and {len(empty) - 1} more)" if len(empty) > 1 else ""
        raise Unfit(f"row {int(empty[0]) + 1} has no positive weight off the diagonal{more}")
    return w


def _sparse_apart(w: Array, q: int, tolerance: float) -> Verdict:
    """Pairs of weight 0 move apart without end; those of positive weight stay."""
    groups = _groups(w)
    label = np.empty(len(w), dtype=int)
    for k, group in enumerate(groups):
        label[group] = k
    broken = (w == 0) & (label[:, None] == label[None, :]) & ~np.eye(len(w), dtype=bool)
    if broken.any():
        i, j = (int(x) for x in np.unravel_index(np.argmax(broken), w.shape))
        return Verdict(
            "inconsistent",
            f"points {i + 1} and {j + 1} have weight 0 but are linked by pairs of positive weight: "
            "they cannot move apart without end while those stay, so the bound is not approached",
            remedies=["positive weights only"],
        )
    shifts = []
    for group in groups:
        if len(group) == 1:
            continue
        d = np.zeros((len(group), len(group)))
        inside = ~np.eye(len(group), dtype=bool)
        d[inside] = -np.log(w[np.ix_(group, group)][inside])
        shifts.append(flat_of(*decomposed(d)[:2], q, tolerance))
    worst = next((v for v in shifts if v.word != "realisable"), None)
    if worst is not None:
        return Verdict("inconsistent", f"within a group, {worst.reason}", worst.certificate)
    constants = [float(v.certificate["c"]) for v in shifts]
    if max(constants) - min(constants) > tolerance * max(1.0, *constants):
        return Verdict(
            "inconsistent",
            f"groups need different constants ({min(constants):.6g} and {max(constants):.6g})",
        )
    return Verdict(
        "degenerate",
        f"{len(groups)} groups with weight 0 between them: the bound is approached as they move "
        "apart without end, in any arrangement, and never attained",
        {"groups": len(groups), "c": constants[0]},
        ["positive weights only"],
    )


def _groups(w: Array) -> list[list[int]]:
    """Points that are linked by positive weights."""
    left = set(range(len(w)))
    found = []
    while left:
        group, todo = [], [left.pop()]
        while todo:
            i = todo.pop()
            group.append(i)
            near = left.intersection(np.flatnonzero(w[i]).tolist())
            left -= near
            todo += sorted(near)
        found.append(sorted(group))
    return found

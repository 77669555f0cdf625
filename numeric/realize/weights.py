r"""A matrix of weights: what is wrong with it, and what zeros in it mean.

A row of the loss feels differences of squared distances alone. So, without a sphere, the bound of
weights w = exp(-d) is approached iff there are points x(m) and, for each group that positive
weights link, numbers c(m) with

.. math:: |x_i - x_j|^2 - c \to d_{ij} \; (w_{ij} > 0), \qquad
          |x_i - x_j|^2 - c \to \infty \; (w_{ij} = 0).

Groups move apart, so each is decided by itself. Where c stays bounded a group does too: then it has
no weight of zero, and its limit attains the bound. Where c does not, points over :math:`\sqrt c`
are near a *contact arrangement*: linked pairs have distance 1, the others at least 1. On a line
these are paths. Paths and cycles have room in the plane, with any lengths near 1. In n - 2
dimensions or more there is always room: put M for d where the weight is 0. The least eigenvalue of
the centred Gram matrix is then of the order of -M, as linked points that are not all linked
pairwise are no union of cliques; and d + c, with c = -2 times that eigenvalue, are squared
distances in n - 2 dimensions. Which other graphs have contact arrangements is NP-hard in the plane
already, and is left open.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .distances import decomposed, flat_of, of_distances
from .pairs import Array, Unfit
from .search import pairs_of, searched
from .verdict import DENSE, Verdict, Wanted, dimensions

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
        return _sparse_apart(w, wanted)
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


def _sparse_apart(w: Array, wanted: Wanted) -> Verdict:
    """Pairs of weight 0 move apart without end; each linked group is decided by itself."""
    found = [_group(w, group, wanted) for group in _groups(w)]
    no = next((f for f in found if f.approached is False), None)
    unknown = next((f for f in found if f.approached is None), None)
    verdict = Verdict(
        "degenerate",
        f"pairs have weight 0: in {dimensions(wanted.q)} the bound is approached as these move "
        "apart without end, and never attained",
        {"groups": len(found)},
        ["positive weights only"],
        bound=pairs_of(w, 1.0).bound,
    )
    verdict.evidence = "exact" if all(f.evidence == "exact" for f in found) else "float64"
    if no is not None:
        verdict.word, verdict.evidence = "inconsistent", no.evidence
        verdict.reason = f"the bound is not approached: {no.why}"
    elif unknown is not None:
        verdict.word, verdict.evidence = "undecided", ""
        verdict.reason = (
            "it is not known whether the bound is approached: it is if there are points with "
            f"linked pairs at one distance and all others farther, and {unknown.why}"
        )
    if verdict.word != "degenerate":
        enough = max(f.enough for f in found)
        verdict.remedies.append(f"dimension >= {enough}, where the bound is approached")
        verdict.notes.append("the minimum of the loss is not searched for")
    return verdict


@dataclass(frozen=True)
class Found:
    """Whether the bound of a group is approached, None if that is not known, and why not.

    ``enough`` is a dimension in which it is, where it is not known to be in fewer.
    """

    approached: bool | None
    why: str = ""
    evidence: str = "exact"
    enough: int = 1


def _group(w: Array, group: list[int], wanted: Wanted) -> Found:
    """A group that positive weights link."""
    n, q, first = len(group), wanted.q, f"point {group[0] + 1}"
    own = w[np.ix_(group, group)]
    linked = own > 0
    if linked.sum() < n * (n - 1):
        degrees = linked.sum(axis=1)
        is_round = int(degrees.max()) <= 2  # a path or a cycle
        if (is_round and (q > 1 or 1 in degrees)) or 1 < n - 2 <= q:
            return Found(True)
        enough = 2 if is_round else n - 2
        if q == 1:
            why = f"on a line linked points are a path: those of {first} are not"
            return Found(False, why, enough=enough)
        return Found(None, f"this was not decided for those of {first}", enough=enough)
    d = np.zeros_like(own)
    d[linked] = -np.log(own[linked])
    if np.ptp(d[linked]) == 0:
        return Found(True)  # all in one place
    flat = flat_of(*decomposed(d)[:2], q, wanted.tolerance)
    why = f"of the points linked to {first}, {flat.reason}"
    return Found(flat.word == "realisable", why, "float64", flat.certificate["rank"])


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

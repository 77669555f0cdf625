"""Losses: the entropic bound, and the best embedding where that is out of reach."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .pairs import Array, Pairs, Tell, drawn, eigenvalues, rank_of, solve, unit
from .verdict import DENSE, Verdict, Wanted, dimensions

#: Points up to which an optimum that is no closed form is searched for unasked (``search`` is
#: None), and at all.
SEARCHED, SEARCHABLE = 50, DENSE
#: And up to which it is searched for without a limit on the dimension first, for its certificate.
RELAXED = 200
#: How long such a search is. Where the sphere cannot hold the target some directions are nearly
#: flat: what is left when steps have become slow is far below the excess, and the gap says so.
QUICK = {"max_iterations": 60, "enough": 1e-4}
LARGE = {"max_iterations": 30, "enough": 1e-2, "max_inner": 30}


#: Rows of n x n sums that are held at a time, by their numbers.
_CHUNK = 2**24


def squared(p: Array) -> Array:
    squares = np.sum(p * p, axis=1)
    found = np.maximum(squares[:, None] + squares[None, :] - 2 * p @ p.T, 0.0)
    np.fill_diagonal(found, 0.0)
    return found


def lowered(d: Array) -> Array:
    """Less the least distance of each row: weights of a row count by their ratios alone."""
    off = d + np.where(np.eye(len(d), dtype=bool), np.inf, 0.0)
    found: Array = off - off.min(axis=1, keepdims=True)
    return found


def pairs_of(w: Array, tau: float) -> Pairs:
    n = len(w)
    target = w / w.sum(axis=1, keepdims=True)
    np.fill_diagonal(target, 0.0)
    return Pairs(np.full(n, 1 / n), 1.0 - np.eye(n), target, tau)


def bound_of(p: Array, tell: Tell) -> float:
    """Entropic bound of exp(-|p_i - p_j|^2), by rows."""
    n = len(p)
    squares = np.sum(p * p, axis=1)
    rows = max(1, _CHUNK // n)
    total = 0.0
    for start in range(0, n, rows):
        if tell is not None and n > rows:
            tell(f"bound, row {start} of {n}")
        part = slice(start, min(n, start + rows))
        d = np.maximum(squares[part, None] + squares[None, :] - 2 * p[part] @ p.T, 0.0)
        d[np.arange(d.shape[0]), np.arange(part.start, part.stop)] = np.inf
        d -= d.min(axis=1, keepdims=True)
        with np.errstate(under="ignore"):
            w = np.exp(-d)
        z = w.sum(axis=1)
        mean = np.sum(w * np.where(np.isfinite(d), d, 0.0), axis=1) / z
        total += float(np.sum(np.log(z) + mean))
    return total / n


def filled(
    verdict: Verdict,
    bound: float,
    distances: Callable[[], Array],
    wanted: Wanted,
) -> Verdict:
    """The losses of a verdict; where the bound is out of reach, the best that is found."""
    verdict.bound = bound
    if verdict.word == "realisable":
        verdict.loss, verdict.excess, verdict.gap = bound, 0.0, 0.0
        return verdict
    if wanted.similarity == "euclidean":
        verdict.notes.append("the minimum of the loss is not searched for")
        return verdict
    return searched(verdict, pairs_of(np.exp(-lowered(distances())), wanted.heat), wanted)


def _shadow(pairs: Pairs, q: int) -> Array:
    """Unit vectors in q dimensions near the cosines that are asked for."""
    t = pairs.target
    with np.errstate(divide="ignore"):
        asked = pairs.tau * np.log(t / t.max(axis=1, keepdims=True))
    gram = np.clip(1 + (asked + asked.T) / 2, -1.0, 1.0)
    np.fill_diagonal(gram, 1.0)
    values, axes = np.linalg.eigh(gram)
    found: Array = axes[:, -q:] * np.sqrt(np.maximum(values[-q:], 0.0))
    return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-6)


def searched(verdict: Verdict, pairs: Pairs, wanted: Wanted) -> Verdict:
    """The verdict with the best embedding that is found, if it may be looked for."""
    n, q, search, seeds = len(pairs.anchors), wanted.q, wanted.search, wanted.seeds
    verdict.bound = pairs.bound
    if search is False:
        return verdict
    if n > (SEARCHABLE if search else SEARCHED):
        verdict.notes.append(
            f"the optimum of more than {SEARCHED} points is searched for only on request (search)"
            if not search
            else f"the optimum of more than {SEARCHABLE} points is not searched for"
        )
        return verdict
    start = _shadow(pairs, n if n <= RELAXED else min(q, n))
    noise = 0.05 * drawn(seeds[0], start.shape)
    is_small = n <= RELAXED
    solved = solve(
        pairs,
        unit(start + noise),
        min(q, n),
        seeds if is_small else (),
        relax=is_small,
        tell=wanted.tell,
        **(QUICK if is_small else LARGE),
    )
    best = solved.best
    verdict.found = "optimised"
    verdict.excess = max(0.0, best.point.excess)
    verdict.loss = pairs.bound + verdict.excess
    verdict.gap, verdict.stop = solved.gap(), best.stop
    verdict.vectors = in_dimension(best.vectors, q)
    verdict.certificate["rank of the optimum"] = rank_of(eigenvalues(best.point.gram))
    about_search(verdict, solved.is_convex, q)
    return verdict


def in_dimension(z: Array, q: int) -> Array:
    """The same vectors in q coordinates, which they fit into, by their principal axes."""
    if z.shape[1] <= q:
        return np.pad(z, ((0, 0), (0, q - z.shape[1])))
    left, sigma, _ = np.linalg.svd(z, full_matrices=False)
    return unit(left[:, :q] * sigma[:q])


def about_search(verdict: Verdict, is_convex: bool, q: int) -> None:
    verdict.is_limited = not is_convex
    if not is_convex:
        verdict.notes.append(
            f"in {dimensions(q)} the problem is not convex: this is the best that was found, and "
            "the gap counts what the missing dimensions cost"
        )

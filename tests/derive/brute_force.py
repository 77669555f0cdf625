"""Brute force for losses on the nested hierarchy, sharing no code with the engine.

Gram matrices that are invariant under relabelling are the combinations, with shares
that add up to one, of four explicit projections built from blocks of ones.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize


def projections(m: int, n: int, p: int) -> list[np.ndarray]:
    """Projections on: views in an instance, instances in a class, classes, constants."""
    size = m * n * p
    index = np.arange(size)
    instance, label = index // p, index // (n * p)

    def mean_over(block: np.ndarray) -> np.ndarray:
        same = (block[:, None] == block[None, :]).astype(float)
        return same / same.sum(axis=1, keepdims=True)

    chain = [np.eye(size), mean_over(instance), mean_over(label), np.full((size, size), 1 / size)]
    return [chain[k] - chain[k + 1] for k in range(3)] + [chain[3]]


def gram(m: int, n: int, p: int, shares: np.ndarray) -> np.ndarray:
    """The invariant Gram matrix with unit diagonal whose trace is split as ``shares``."""
    size = m * n * p
    total = np.zeros((size, size))
    for share, projection in zip(shares, projections(m, n, p), strict=True):
        rank = round(float(np.trace(projection)))
        if rank:
            total += size * share / rank * projection
    return total


def best_shares(m: int, n: int, p: int, loss: Callable[[np.ndarray], float]) -> np.ndarray:
    """Minimise over the shares of the trace; convex, so one start is enough."""
    found = minimize(
        lambda w: loss(gram(m, n, p, w)),
        np.array([0.25 if p > 1 else 0.0, 0.3, 0.25, 0.2]),
        method="SLSQP",
        bounds=[(0, 1 if p > 1 else 0), (0, 1), (0, 1), (0, 1)],
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return np.asarray(found.x)

"""Brute force for losses, on the nested hierarchy or not, sharing no code with the engine.

Gram matrices that are invariant under relabelling are the combinations, with shares
that add up to one, of four explicit projections built from blocks of ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult, minimize


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


def over_shares(
    loss: Callable[[np.ndarray], Any], start: Any, most: Any = None, **options: Any
) -> OptimizeResult:
    """Minimise over shares, each at most ``most``, that add up to one.

    Where the loss is convex, one start is enough. ``options`` are those of SciPy.
    """
    start = np.asarray(start, float)
    return minimize(
        loss,
        start / start.sum(),
        method="SLSQP",
        bounds=[(0, k) for k in (np.ones_like(start) if most is None else most)],
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1, "jac": np.ones_like},
        options={"ftol": 1e-15, "maxiter": 500},
        **options,
    )


def best_shares(m: int, n: int, p: int, loss: Callable[[np.ndarray], float]) -> np.ndarray:
    """Minimise over the shares of the trace."""
    views = float(p > 1)
    start, most = [views / 4, 0.3, 0.25, 0.2], [views, 1, 1, 1]
    return np.asarray(over_shares(lambda w: loss(gram(m, n, p, w)), start, most).x)


def over_vectors(
    loss: Callable[[np.ndarray], tuple[float, np.ndarray]],
    size: int,
    d: int,
    seed: int = 0,
    starts: int = 1,
    **options: float,
) -> tuple[float, np.ndarray]:
    """The least loss of the Gram matrix of unit vectors that L-BFGS finds, and that matrix.

    ``loss`` gives its value and its derivative in every entry.
    """

    def of_rows(flat: np.ndarray) -> tuple[float, np.ndarray]:
        rows = flat.reshape(size, d)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        u = rows / lengths
        value, gradient = loss(u @ u.T)
        pull = (gradient + gradient.T) @ u
        pull -= (pull * u).sum(1, keepdims=True) * u
        return value, (pull / lengths).ravel()

    draw = np.random.default_rng(seed)
    stop = {"maxiter": 3000, "ftol": 1e-15, "gtol": 1e-9, "maxcor": 40, **options}
    found = [
        minimize(of_rows, draw.normal(size=size * d), jac=True, method="L-BFGS-B", options=stop)
        for _ in range(starts)
    ]
    best = min(found, key=lambda f: f.fun)
    rows = best.x.reshape(size, d)
    u = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return float(best.fun), u @ u.T


def least(loss: Callable[..., Any], starts: Iterable[Any], **options: float) -> OptimizeResult:
    """What L-BFGS finds from the best of some starts, with the slopes of torch."""
    import torch

    def both(x: np.ndarray, *shape: int) -> tuple[float, np.ndarray]:
        z = torch.tensor(x.reshape(shape), requires_grad=True)
        value = loss(z)
        value.backward()
        return value.item(), z.grad.numpy().ravel()

    found = [
        minimize(both, np.ravel(z), z.shape, jac=True, method="L-BFGS-B", options=options)
        for z in starts
    ]
    return min(found, key=lambda f: f.fun)

"""The losses of the catalogue, written out pair by pair from their sources.

A Gram matrix of all embeddings, with labels, in; a number out. No code of the package is used.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from brute_force import over_vectors

Labels = tuple[np.ndarray, ...]


def labels(m: int, n: int, p: int) -> Labels:
    """Class and instance of each of m n p embeddings."""
    index = np.arange(m * n * p)
    return index // (n * p), index // p


def _log_sum(x: np.ndarray) -> float:
    top = x.max()
    return float(top + np.log(np.exp(x - top).sum()))


def _mean_over(
    g: np.ndarray,
    tau: float,
    positives: Callable[[int, int], bool],
    pool: Callable[[int, int, int], bool],
) -> float:
    """Mean over anchors and positives of -log e^{uv} over the sum of e^{uw} in a pool."""
    size, total = len(g), 0.0
    for u in range(size):
        own = [v for v in range(size) if positives(u, v)]
        for v in own:
            inside = [w for w in range(size) if pool(u, v, w)]
            total += (_log_sum(g[u, inside] / tau) - g[u, v] / tau) / len(own)
    return total / size


def simclr(g: np.ndarray, of: Labels, tau: float) -> float:
    """Chen et al. (2020), (1): the anchor is in no denominator."""
    inst = of[-1]
    return _mean_over(g, tau, lambda u, v: u != v and inst[u] == inst[v], lambda u, v, w: w != u)


def dcl(g: np.ndarray, of: Labels, tau: float) -> float:
    """Yeh et al. (2022): only other instances in the denominator."""
    inst = of[-1]
    return _mean_over(
        g, tau, lambda u, v: u != v and inst[u] == inst[v], lambda u, v, w: inst[w] != inst[u]
    )


def supcon(g: np.ndarray, of: Labels, tau: float) -> float:
    """Khosla et al. (2020), (2)."""
    label, _ = of
    return _mean_over(g, tau, lambda u, v: u != v and label[u] == label[v], lambda u, v, w: w != u)


def sincere(g: np.ndarray, of: Labels, tau: float) -> float:
    """Feeney and Hughes (2023): the positive and the other classes."""
    label, _ = of
    return _mean_over(
        g,
        tau,
        lambda u, v: u != v and label[u] == label[v],
        lambda u, v, w: w == v or label[w] != label[u],
    )


def supcl(g: np.ndarray, of: Labels, tau: float, alpha: float) -> float:
    """Lee et al. (2025), (1)-(3): the anchor is its own positive and in every denominator."""
    label, inst = of
    sup = _mean_over(
        g, tau, lambda u, v: label[u] == label[v] and inst[u] != inst[v], lambda u, v, w: True
    )
    own = _mean_over(g, tau, lambda u, v: inst[u] == inst[v], lambda u, v, w: True)
    return (1 - alpha) * sup + alpha * own


def supcl_exclusive(g: np.ndarray, of: Labels, tau: float, alpha: float) -> float:
    """The same, with the anchor in neither place."""
    label, inst = of
    sup = _mean_over(
        g, tau, lambda u, v: label[u] == label[v] and inst[u] != inst[v], lambda u, v, w: w != u
    )
    own = _mean_over(g, tau, lambda u, v: u != v and inst[u] == inst[v], lambda u, v, w: w != u)
    return (1 - alpha) * sup + alpha * own


def cnce(g: np.ndarray, of: Labels, tau: float) -> float:
    """Own views, the anchor among them, against the own class."""
    label, inst = of
    return _mean_over(g, tau, lambda u, v: inst[u] == inst[v], lambda u, v, w: label[w] == label[u])


def clip(g: np.ndarray, of: Labels, tau: float) -> float:
    """The mean of the cross-entropies of rows and columns; ``of`` is tower and item."""
    cross = g[: len(g) // 2, len(g) // 2 :] / tau
    rows = [_log_sum(cross[i]) - cross[i, i] for i in range(len(cross))]
    columns = [_log_sum(cross[:, i]) - cross[i, i] for i in range(len(cross))]
    return float(np.mean(rows) + np.mean(columns)) / 2


def siglip(g: np.ndarray, of: Labels, t: float, b: float) -> float:
    """Zhai et al. (2023), Algorithm 1."""
    size = len(g) // 2
    z = 2 * np.eye(size) - 1
    return float(np.log1p(np.exp(-z * (t * g[:size, size:] + b))).sum() / size)


# --- the same with masks, and minimised over embeddings -----------------------------------------
class Masked:
    """A sum of terms: weights of positives (N, N), a pool (N, N), and whether each adds itself."""

    def __init__(self, tau: float, *terms: tuple[float, np.ndarray, np.ndarray, bool]):
        self.tau = tau
        self.terms = [
            (weight * positive / positive.sum(1, keepdims=True) / len(positive), pool, own)
            for weight, positive, pool, own in terms
        ]

    def value_and_gradient(self, g: np.ndarray) -> tuple[float, np.ndarray]:
        """The loss at a Gram matrix, and its gradient in every entry."""
        # All exponentials over that of 1/tau, the largest there can be.
        e = np.exp((g - 1) / self.tau)
        total, gradient = 0.0, np.zeros_like(g)
        for weight, pool, own in self.terms:
            z = own * e + (pool * e).sum(1, keepdims=True)
            z = np.where(weight > 0, z, 1.0)
            total += float((weight * (np.log(z) - (g - 1) / self.tau)).sum())
            gradient += weight * (own * e / z - 1) + (weight / z).sum(1, keepdims=True) * pool * e
        return total, gradient / self.tau


def masked(name: str, sizes: tuple[int, int, int], tau: float, alpha: float = 0.0) -> Masked:
    """One of the losses above."""
    label, inst = labels(*sizes)
    same_class = (label[:, None] == label[None, :]).astype(float)
    same_instance = (inst[:, None] == inst[None, :]).astype(float)
    others = 1 - np.eye(len(label))
    far = same_class - same_instance
    terms = {
        "simclr": [(1.0, same_instance * others, others, False)],
        "dcl": [(1.0, same_instance * others, 1 - same_instance, False)],
        "supcon": [(1.0, same_class * others, others, False)],
        "sincere": [(1.0, same_class * others, 1 - same_class, True)],
    }
    if name == "supcl-exclusive":
        terms[name] = [
            (1 - alpha, far, others, False),
            (alpha, same_instance * others, others, False),
        ]
    return Masked(tau, *terms[name])


def least(loss: Masked, size: int, seed: int = 0, starts: int = 1) -> tuple[float, np.ndarray]:
    """The least loss over unit vectors in as many dimensions as there are, and a Gram matrix."""
    return over_vectors(loss.value_and_gradient, size, size, seed, starts)


def by_relation(g: np.ndarray, sizes: tuple[int, int, int]) -> dict[str, tuple[float, float]]:
    """The least and the largest inner product of each relation."""
    label, inst = labels(*sizes)
    same_class, same_instance = label[:, None] == label, inst[:, None] == inst
    masks = {
        "same_instance": same_instance & ~np.eye(len(g), dtype=bool),
        "same_class": same_class & ~same_instance,
        "cross_class": ~same_class,
    }
    return {r: (g[k].min(), g[k].max()) for r, k in masks.items() if k.any()}

"""What numeric/batches computes, without anything kept from one step to the next."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor


def plain_greedy(
    pool: Tensor, size: int, *, probe: int, seeds: int = 2, random: int = 0, tie: float = 1e-12
) -> np.ndarray:
    """Algorithm 2 without a window, O(m b d) a step: all products of m candidates with the batch.

    Draws are those of `cltheory.numeric.batches.greedy`, and so is what counts as a tie.
    """
    z = torch.nn.functional.normalize(pool, dim=1)
    draw = np.random.default_rng(random)
    left = np.arange(len(z))
    batch = z.new_empty(size, z.shape[1])
    chosen: list[int] = []
    while len(chosen) < size:
        b, count = len(chosen), len(z) - len(chosen)
        if b < seeds:
            at = int(draw.integers(count))
        else:
            drawn = draw.choice(count, probe, replace=False) if probe < count else np.arange(count)
            q = (z[left[drawn]] @ batch[:b].T).square_().sum(1).numpy()
            at = int(drawn[np.argmax(q <= q.min() + tie * b)])
        batch[b] = z[left[at]]
        chosen.append(int(left[at]))
        left[at] = left[count - 1]
    return np.array(chosen)


def plain_whitening(z: np.ndarray, eps: float) -> np.ndarray:
    """Section 2.4 as written, with unit rows."""
    z = z / np.linalg.norm(z, axis=1, keepdims=True)
    values, vectors = np.linalg.eigh(z.T @ z / len(z) + eps * np.eye(z.shape[1]))
    hat = z @ (vectors * values**-0.5) @ vectors.T
    return hat / np.linalg.norm(hat, axis=1, keepdims=True)

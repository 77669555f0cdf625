"""How well embeddings agree with eigenvectors: angles of spans, and clusters found in both."""

from __future__ import annotations

import torch
from torch import Tensor

#: Singular values below this share of the largest are rounding: directions that are not there.
RANK = 1e-9


def centred(points: Tensor) -> Tensor:
    """Points with their mean taken off, ``(n, d)``: the loss does not see where the mean is."""
    return points - points.mean(0)


def basis(columns: Tensor) -> Tensor:
    """An orthonormal basis of the span of columns, ``(n, rank)``."""
    u, s, _ = torch.linalg.svd(columns, full_matrices=False)
    return u[:, s > RANK * s[:1].clamp(min=torch.finfo(s.dtype).tiny)]


def principal_angles(a: Tensor, b: Tensor) -> Tensor:
    """Principal angles between two spans of columns, in degrees, rising.

    There are as many as the smaller span has dimensions; all are zero if it lies in the larger.
    Small angles come from sines and large ones from cosines (Björck and Golub 1973), so that each
    is exact to rounding.
    """
    one, other = basis(a), basis(b)
    if one.shape[1] > other.shape[1]:
        one, other = other, one
    inner = other.T @ one
    cosines = torch.linalg.svdvals(inner).clamp(max=1)
    sines = torch.linalg.svdvals(one - other @ inner).flip(0).clamp(max=1)
    angles = torch.where(cosines**2 < 0.5, cosines.acos(), sines.asin())
    return torch.rad2deg(angles)


def captured(points: Tensor, columns: Tensor) -> float:
    """Part of the variance of points that lies in a span of columns, from 0 to 1."""
    about = centred(points)
    return float((basis(columns).T @ about).square().sum() / about.square().sum())


def adjusted_rand(a: Tensor, b: Tensor) -> float:
    """The adjusted Rand index of two labellings: 1 if they are the same, 0 in the mean by chance.

    Of Hubert and Arabie (1985). Two labellings that each have one class only, or a class for each
    point, are the same.
    """
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(
            f"the two labellings have different lengths: {tuple(a.shape)}, {tuple(b.shape)}"
        )
    first, second = (torch.unique(labels, return_inverse=True)[1] for labels in (a, b))
    table = torch.zeros(int(first.max()) + 1, int(second.max()) + 1, dtype=torch.float64)
    table.index_put_((first.cpu(), second.cpu()), torch.ones(len(a)).double(), accumulate=True)

    def pairs(counts: Tensor) -> float:
        return float((counts * (counts - 1) / 2).sum())

    both, rows, columns = pairs(table), pairs(table.sum(1)), pairs(table.sum(0))
    chance = rows * columns / max(pairs(torch.tensor(float(len(a)))), 1.0)
    most = (rows + columns) / 2
    return 1.0 if most == chance else (both - chance) / (most - chance)


def k_means(points: Tensor, k: int, seed: int = 0, starts: int = 20) -> Tensor:
    """Labels of the best of several runs of Lloyd's algorithm from k-means++ centres, ``(n,)``."""
    if not 1 <= k <= len(points):
        raise ValueError(f"{len(points)} points can form 1 to {len(points)} clusters, not {k}")
    points, random = points.detach().cpu().double(), torch.Generator().manual_seed(seed)
    best, found = float("inf"), torch.zeros(len(points), dtype=torch.long)
    for _ in range(starts):
        labels, spread = _lloyd(points, _plus_plus(points, k, random))
        if spread < best:
            best, found = spread, labels
    return found


def _plus_plus(points: Tensor, k: int, random: torch.Generator) -> Tensor:
    """Centres among the points, each drawn by its squared distance from those before."""
    chosen = [int(torch.randint(len(points), (1,), generator=random))]
    squared = (points - points[chosen[0]]).square().sum(1)
    for _ in range(k - 1):
        weights = squared if bool(squared.sum() > 0) else torch.ones_like(squared)
        chosen.append(int(torch.multinomial(weights, 1, generator=random)))
        squared = torch.minimum(squared, (points - points[chosen[-1]]).square().sum(1))
    return points[chosen]


def _lloyd(points: Tensor, centres: Tensor) -> tuple[Tensor, float]:
    labels = torch.full((len(points),), -1)
    for _ in range(300):  # it stops by itself, after a few dozen steps at most
        squared = torch.cdist(points, centres).square()
        least, fresh = squared.min(1)
        if torch.equal(fresh, labels):
            break
        labels = fresh
        counts = torch.bincount(labels, minlength=len(centres)).to(points.dtype)
        sums = torch.zeros_like(centres).index_add_(0, labels, points)
        # A centre that lost all its points stays where it was.
        centres = torch.where(counts[:, None] > 0, sums / counts.clamp(min=1)[:, None], centres)
    return labels, float(least.sum())

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
    """The adjusted Rand index of two labellings: 1 if they are the same, about 0 by chance."""
    from sklearn.metrics import adjusted_rand_score

    return float(adjusted_rand_score(a.numpy(), b.numpy()))


def k_means(points: Tensor, k: int) -> Tensor:
    """Labels of the best of several runs of Lloyd's algorithm from k-means++ centres, ``(n,)``."""
    from sklearn.cluster import KMeans

    found = KMeans(k, n_init=20, random_state=0).fit(points.detach().cpu().double().numpy())
    return torch.as_tensor(found.labels_).long()

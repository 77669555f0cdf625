"""How embeddings spread within and between their classes."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from .losses import sizes


@dataclass(frozen=True)
class Variances:
    """Spread of embeddings; every tensor has the shape of the batch.

    Attributes
    ----------
    within
        Mean squared distance to the own class's mean, averaged over classes.
    within_each
        The same for each class, ``(*batch, m)``.
    between
        Mean squared distance of the class means to the mean of everything.
    centroid_norm
        Length of the mean of everything; for unit vectors
        ``within + between + centroid_norm**2 = 1``.
    """

    within: Tensor
    within_each: Tensor
    between: Tensor
    centroid_norm: Tensor


def variances(u: Tensor) -> Variances:
    """Measure embeddings of shape ``(*batch, m, n, p, d)``."""
    sizes(u)
    class_means = u.mean(dim=(-3, -2))
    centroid = class_means.mean(dim=-2)
    within_each = (u - class_means[..., None, None, :]).square().sum(dim=-1).mean(dim=(-2, -1))
    between = (class_means - centroid[..., None, :]).square().sum(dim=-1).mean(dim=-1)
    return Variances(within_each.mean(dim=-1), within_each, between, centroid.norm(dim=-1))

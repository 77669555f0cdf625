"""What is measured on embeddings: inner products by relation, shares, variances."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from ...derive.structures.arrangement import Arrangement


def _flat(arrangement: Arrangement, u: Tensor) -> Tensor:
    """Embeddings as rows ``(*batch, size, d)``, in float64."""
    axes = len(arrangement.shape)
    if u.ndim <= axes or tuple(u.shape[-1 - axes : -1]) != arrangement.shape:
        raise ValueError(
            f"embeddings have the shape (..., {', '.join(map(str, arrangement.shape))}, d), "
            f"got {tuple(u.shape)}"
        )
    return u.double().flatten(-1 - axes, -2)


def inner_products(arrangement: Arrangement, u: Tensor) -> dict[str, Tensor]:
    """Mean inner product of each relation, of the shape of the batch; nan where it has no pairs.

    Embeddings are ``(*batch, *shape, d)``. That of ``self`` is the mean squared length.
    """
    rows = _flat(arrangement, u)
    gram = (rows @ rows.mT).flatten(-2)
    names = list(arrangement.counts)
    number = torch.tensor(arrangement.relations, device=u.device).flatten().long()
    sums = gram.new_zeros(*gram.shape[:-1], len(names)).index_add_(-1, number, gram)
    means = sums / torch.tensor([arrangement.pairs[r] for r in names], device=u.device)
    return dict(zip(names, means.unbind(-1), strict=True))


def spreads(arrangement: Arrangement, u: Tensor) -> dict[str, Tensor]:
    """Largest deviation, in each relation that has pairs, from its mean inner product."""
    rows = _flat(arrangement, u)
    gram = rows @ rows.mT
    found = {}
    for relation, count in arrangement.counts.items():
        if count:
            entries = gram[..., torch.tensor(arrangement.mask(relation), device=u.device)]
            found[relation] = (entries - entries.mean(dim=-1, keepdim=True)).abs().amax(dim=-1)
    return found


def shares(arrangement: Arrangement, u: Tensor) -> dict[str, Tensor]:
    """Part of the squared lengths that each eigenspace carries, of the shape of the batch.

    For unit vectors they add up to one, in each orbit.
    """
    rows = _flat(arrangement, u)
    found = {}
    for name in arrangement.table:
        left, right = (torch.tensor(b, device=u.device).mT @ rows for b in arrangement.bases(name))
        found[name] = (left * right).sum(dim=(-2, -1)) / arrangement.norms[name]
    return found


class Variances(NamedTuple):
    """Spread of embeddings; every tensor has the shape of the batch.

    Attributes
    ----------
    within
        Mean squared distance to the own class's mean.
    between
        Mean squared distance of the class means to the mean of everything.
    centroid_norm
        Length of the mean of everything; for unit vectors
        ``within + between + centroid_norm**2 = 1``.
    """

    within: Tensor
    between: Tensor
    centroid_norm: Tensor


def variances(arrangement: Arrangement, u: Tensor) -> Variances:
    """Measure embeddings ``(*batch, *shape, d)``, the first axis being the classes."""
    rows = _flat(arrangement, u).unflatten(-2, (arrangement.shape[0], -1))
    means = rows.mean(dim=-2, keepdim=True)
    centroid = means.mean(dim=-3, keepdim=True)
    within, between = (
        apart.square().sum(dim=-1).mean(dim=(-2, -1)) for apart in (rows - means, means - centroid)
    )
    return Variances(within, between, centroid.norm(dim=-1)[..., 0, 0])

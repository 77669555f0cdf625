"""Two towers to start from and to compare with, and what is measured on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isinf, sqrt

import torch
from sympy import Integer
from torch import Tensor

from ..derive.structures.towers import NEGATIVE, POSITIVE, WITHIN, towers
from ..derive.structures.towers import N as ITEMS
from .embeddings import contrasts, from_eigenspaces, kron, normalise, ones, random_embeddings


def random_towers(
    seeds: int | Sequence[int],
    *,
    N: int,
    d: int,
    dtype: torch.dtype = torch.float64,
    device: torch.device | str = "cpu",
) -> Tensor:
    """Directions uniform on the sphere, one pair of towers per seed.

    Returns
    -------
    Tensor
        ``(len(seeds), 2, N, d)``, or ``(2, N, d)`` for a single seed.
    """
    return random_embeddings(seeds, m=2, n=N, p=1, d=d, dtype=dtype, device=device).squeeze(-2)


def structured_towers(
    positive: float,
    negative: float,
    within_modality: float,
    *,
    N: int,
    d: int,
    dtype: torch.dtype = torch.float64,
    device: torch.device | str = "cpu",
) -> Tensor:
    """Two towers of unit vectors whose inner products depend on the relation alone.

    Parameters
    ----------
    positive, negative, within_modality
        Inner products of an item with itself, and with another item, in the other tower;
        and with another item in its own tower.
    N, d
        Items, and the dimension; unused coordinates are zero.
    dtype, device
        Of the result; it is computed in float64.

    Returns
    -------
    Tensor
        ``(2, N, d)``

    Raises
    ------
    ValueError
        If no vectors have these inner products, or ``d`` is less than their rank.
    """
    if N < 2:
        raise ValueError(f"two towers need N >= 2 items, got N={N}")
    scheme = towers(2)
    given = {"self": 1.0, POSITIVE: positive, NEGATIVE: negative, WITHIN: within_modality}
    values = {
        e.name: sum(
            float(scheme.table[e.name][r].xreplace({ITEMS: Integer(N)})) * given[r] for r in given
        )
        for e in scheme.eigenspaces
    }
    bases = {
        "differing_contrasts": kron(contrasts(2), contrasts(N)),
        "differing_means": kron(contrasts(2), ones(N)),
        "shared_contrasts": kron(ones(2), contrasts(N)),
        "shared_mean": kron(ones(2), ones(N)),
    }
    out = from_eigenspaces(values, bases, d, (positive, negative, within_modality))
    return out.reshape(2, N, d).to(device=device, dtype=dtype)


def ccem_towers(
    delta: float,
    *,
    N: int,
    d: int,
    dtype: torch.dtype = torch.float64,
    device: torch.device | str = "cpu",
) -> Tensor:
    """The CCEM at delta, by its definition: ``(w_i, delta)`` and ``(w_i, -delta)``, scaled.

    The w_i are an (N-1)-simplex; ``delta = inf`` is the antipodal structure. (Another
    construction from the inner products is :func:`structured_towers`.)

    Returns
    -------
    Tensor
        ``(2, N, d)``

    Raises
    ------
    ValueError
        If ``delta`` is negative, or ``d`` less than 1 (for inf), N - 1 (for 0) or N.
    """
    if N < 2 or not delta >= 0:
        raise ValueError(f"the CCEM needs N >= 2 and delta >= 0, got N={N}, delta={delta:g}")
    share = 1.0 if isinf(delta) else delta / sqrt(1 + delta**2)
    simplex = sqrt((1 - share) * (1 + share)) * normalise(contrasts(N)).expand(2, N, N - 1)
    lift = torch.tensor([share, -share], dtype=torch.float64)[:, None, None].expand(2, N, 1)
    parts = ([lift] if share > 0 else []) + ([simplex] if share < 1 else [])
    vectors = torch.cat(parts, dim=-1)
    rank = vectors.shape[-1]
    if rank > d:
        raise ValueError(f"the CCEM at delta = {delta:g} needs d >= {rank}, got d={d}")
    out = torch.zeros(2, N, d, dtype=torch.float64)
    out[..., :rank] = vectors
    return normalise(out).to(device=device, dtype=dtype)


@dataclass(frozen=True)
class Alignment:
    """What is measured on two towers; tensors of the shape of the batch.

    Attributes
    ----------
    positive, negative, within_modality
        Mean inner product of the pairs in each relation.
    positive_spread, negative_spread, within_spread
        Largest deviation from that mean.
    """

    positive: Tensor
    negative: Tensor
    within_modality: Tensor
    positive_spread: Tensor
    negative_spread: Tensor
    within_spread: Tensor

    @property
    def positive_similarity(self) -> Tensor:
        """The papers' s: the mean positive inner product, mapped to [0, 1]."""
        return (1 + self.positive) / 2


def alignment(u: Tensor) -> Alignment:
    """Measure two towers ``(*batch, 2, N, d)``, in float64."""
    if u.ndim < 3 or u.shape[-3] != 2 or u.shape[-2] < 2:
        raise ValueError(f"embeddings have the shape (..., 2, N >= 2, d), got {tuple(u.shape)}")
    a, b = u.double().unbind(-3)
    items = u.shape[-2]
    other = ~torch.eye(items, dtype=torch.bool, device=u.device)
    cross = a @ b.mT
    own = cross.diagonal(dim1=-2, dim2=-1)
    within = torch.cat([(x @ x.mT)[..., other] for x in (a, b)], dim=-1)
    means, spreads = [], []
    for values in (own, cross[..., other], within):
        mean = values.mean(dim=-1)
        means.append(mean)
        spreads.append((values - mean[..., None]).abs().amax(dim=-1))
    return Alignment(*means, *spreads)

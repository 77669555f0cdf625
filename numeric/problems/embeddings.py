"""Embeddings to start from and to compare with: random ones, and given structures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod, sqrt

import torch
from torch import Tensor

from ...derive.structures.arrangement import Arrangement

#: Coordinates of embeddings, beyond which no machine holds what a search needs.
MOST = 10**11


def normalise(u: Tensor) -> Tensor:
    """Scale rows to unit length."""
    length: Tensor = torch.linalg.vector_norm(u, dim=-1, keepdim=True)
    return u / length


def random_embeddings(
    arrangement: Arrangement,
    seeds: int | Sequence[int],
    *,
    d: int,
    dtype: torch.dtype = torch.float64,
    device: torch.device | str = "cpu",
) -> Tensor:
    """Directions uniform on the sphere, one set per seed.

    Drawn on the CPU in float64, so that a seed means the same on every device.

    Returns
    -------
    Tensor
        ``(len(seeds), *shape, d)``, or ``(*shape, d)`` for a single seed.
    """
    if isinstance(seeds, int):
        return random_embeddings(arrangement, [seeds], d=d, dtype=dtype, device=device)[0]
    drawn = [normalise(_gaussian(seed, (*arrangement.shape, d))) for seed in seeds]
    return torch.stack(drawn).to(device=device, dtype=dtype)


def perturb(u: Tensor, seeds: Sequence[int], size: float) -> Tensor:
    """Move every row by about ``size`` in a random direction; one seed per set of a batch."""
    d = u.shape[-1]
    noise = torch.stack([_gaussian(seed, u.shape[1:]) for seed in seeds])
    return normalise(u + (size / sqrt(d)) * noise.to(device=u.device, dtype=u.dtype))


def _gaussian(seed: int, shape: Sequence[int]) -> Tensor:
    if prod(shape) > MOST:
        raise MemoryError(f"{prod(shape)} coordinates")
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(tuple(shape), generator=generator, dtype=torch.float64)


def structured_embeddings(
    arrangement: Arrangement, inner: Mapping[str, float], d: int | None = None
) -> Tensor:
    """Unit vectors whose inner products depend on the relation alone, ``(*shape, d)``.

    Raises
    ------
    ValueError
        As :meth:`~cltheory.derive.structures.arrangement.Arrangement.vectors` does.
    """
    return torch.tensor(arrangement.vectors(inner, d), dtype=torch.float64)

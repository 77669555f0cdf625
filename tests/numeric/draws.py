"""Vectors drawn by torch, in float64, of a seed."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import normalize


def normal(seed: int, *shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def directions(seed: int, *shape: int) -> Tensor:
    return normalize(normal(seed, *shape), dim=-1)

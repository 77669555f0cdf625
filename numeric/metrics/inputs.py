"""What measures of embeddings take; each refusal is one line."""

from __future__ import annotations

from typing import NamedTuple

import torch
from numpy.typing import ArrayLike
from torch import Tensor

#: A tensor, or what becomes one.
Points = Tensor | ArrayLike


def batch_of(z: Points, name: str = "a batch") -> Tensor:
    """Embeddings ``(..., n, d)`` of finite numbers; half precision is raised to float32.

    Raises
    ------
    ValueError
        If they have no rows or columns, or are not finite.
    """
    z = torch.as_tensor(z)
    if z.ndim < 2 or not z.shape[-2] or not z.shape[-1]:
        raise ValueError(f"{name} must be (n, d) with n, d >= 1, not {tuple(z.shape)}")
    if z.dtype not in (torch.float32, torch.float64):
        z = z.float()
    finite = z.detach().isfinite().all(-1)
    if not bool(finite.all()):
        row = int(finite.reshape(-1, finite.shape[-1]).all(0).logical_not().nonzero()[0])
        raise ValueError(f"{name}: row {row} is not finite")
    return z


class Members(NamedTuple):
    """Classes in the order of their labels: these, the class of each row, and their sizes."""

    classes: Tensor
    own: Tensor
    counts: Tensor


def members(labels: Points, z: Tensor) -> Members:
    """Who is in which class.

    Raises
    ------
    ValueError
        If there is not one whole number for each row.
    """
    labels = torch.as_tensor(labels, device=z.device)
    if labels.ndim != 1 or labels.is_floating_point() or labels.is_complex():
        raise ValueError(f"labels must be integers (n,), not {labels.dtype} {tuple(labels.shape)}")
    if len(labels) != len(z):
        raise ValueError(f"there are {len(labels)} labels of {len(z)} embeddings")
    return Members(*torch.unique(labels, return_inverse=True, return_counts=True))

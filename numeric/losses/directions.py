"""Directions and lengths of rows, at every magnitude that their precision holds."""

from __future__ import annotations

from math import inf

import torch
from torch import Tensor


def directions(z: Tensor) -> tuple[Tensor, Tensor]:
    """Rows ``(..., d)`` scaled to unit length, and their lengths ``(..., 1)``.

    The largest entry of a row is divided out first, so that no square overflows or vanishes. A
    row of zeros stays zero, without a gradient, as if it were infinitely long; what is not finite
    becomes nan.
    """
    size = z.detach().abs().amax(-1, keepdim=True)
    size = torch.where(size == 0, inf, size)
    scaled = z / size
    length = torch.linalg.vector_norm(scaled, dim=-1, keepdim=True)
    length = torch.where(length == 0, inf, length)
    return scaled / length, size * length


def check_directions(z: Tensor, what: str) -> None:
    """Refuse rows that have no direction; ``what`` is what a row is called.

    Raises
    ------
    ValueError
        If a row is not finite, or is zero.
    """
    size = z.detach().abs().amax(-1)
    if not bool(size.isfinite().all()):
        raise ValueError(f"{what}{_first(~size.isfinite())} is not finite")
    if not bool(size.all()):
        raise ValueError(f"{what}{_first(size == 0)} is zero, which has no direction")


def longest_length(z: Tensor) -> float:
    """The largest length of the rows ``(n, d)``.

    Raises
    ------
    ValueError
        If an embedding is not finite, or is so long that its square is not.
    """
    lengths = torch.linalg.vector_norm(z, dim=1)
    most = float(lengths.max())
    if not most < inf:
        row = int((~lengths.isfinite()).nonzero()[0])
        overflows = bool(z[row].isfinite().all())
        why = f"too long: its square overflows {z.dtype}" if overflows else "not finite"
        raise ValueError(f"embedding {row} is {why}")
    return most


def _first(wrong: Tensor) -> str:
    """Where the first wrong row stands; nothing if there is one row only."""
    place = ", ".join(str(k) for k in wrong.nonzero()[0].tolist())
    return f" {place}" if place else ""

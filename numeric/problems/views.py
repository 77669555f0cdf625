"""Which inner products a part of a loss looks at: blocks of the Gram matrix.

A view shows embeddings ``(B, *axes, d)`` as ``k`` square matrices ``(B, k, s, s)`` of inner
products, in which anchors are rows. What the slopes in those entries mean for the vectors
comes back through :meth:`~View.fold`, :meth:`~View.pull_back` and :meth:`~View.add_joint`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor


def wide(x: Tensor, dims: int) -> Tensor:
    """Per-problem numbers, shaped to multiply a tensor of ``dims`` dimensions."""
    return x.reshape(-1, *(1,) * (dims - 1))


class View(Protocol):
    """A way of looking at embeddings."""

    def products(self, u: Tensor, scale: Tensor | None) -> Tensor:
        """The inner products times a scale, a new tensor ``(B, k, s, s)``."""

    def along(self, u: Tensor, v: Tensor, scale: Tensor | None) -> Tensor:
        """Derivative of :meth:`products` along ``v``, a new tensor."""

    def fold(self, slopes: Tensor) -> Tensor:
        """Slopes in the entries, put together where an inner product has two entries."""

    def pull_back(self, folded: Tensor, u: Tensor) -> Tensor:
        """Gradient in the embeddings, of their shape, from folded slopes."""

    def add_joint(self, folded: Tensor, total: Tensor) -> None:
        """Add the symmetric gradient in the Gram matrix to ``(B, size, size)``."""

    def pulls(self, folded: Tensor) -> Tensor:
        """Sum of the sizes of all pulls on each vector, ``(B, size)``."""


def _scaled(u: Tensor, scale: Tensor | None) -> Tensor:
    return u if scale is None else u * wide(scale, u.ndim)


@dataclass(frozen=True)
class Blocks:
    """The Gram matrix as ``k`` diagonal blocks that no pair of the part leaves."""

    k: int

    def _rows(self, u: Tensor) -> Tensor:
        return u.reshape(u.shape[0], self.k, -1, u.shape[-1])

    def products(self, u: Tensor, scale: Tensor | None) -> Tensor:
        x = self._rows(u)
        return _scaled(x, scale) @ x.mT

    def along(self, u: Tensor, v: Tensor, scale: Tensor | None) -> Tensor:
        half = _scaled(self._rows(v), scale) @ self._rows(u).mT
        return half + half.mT

    def fold(self, slopes: Tensor) -> Tensor:
        return slopes + slopes.mT

    def pull_back(self, folded: Tensor, u: Tensor) -> Tensor:
        return (folded @ self._rows(u)).view_as(u)

    def add_joint(self, folded: Tensor, total: Tensor) -> None:
        s = folded.shape[-1]
        blocks = total.view(-1, self.k, s, self.k, s).diagonal(dim1=1, dim2=3)
        blocks.add_(folded.permute(0, 2, 3, 1), alpha=0.5)

    def pulls(self, folded: Tensor) -> Tensor:
        return folded.abs().sum(dim=-1).flatten(1)


@dataclass(frozen=True)
class Cross:
    """Inner products across the two halves of the first axis: half the entries of the Gram matrix.

    With ``sides`` 1 anchors are those of the first half alone, which is enough where every pair
    is felt the same from both, and there is one matrix, ``(B, s, s)``; with 2 the matrices are
    that cross block and its transpose.
    """

    sides: int

    @staticmethod
    def _halves(u: Tensor) -> tuple[Tensor, Tensor]:
        rows = u if u.ndim == 4 else u.reshape(u.shape[0], 2, -1, u.shape[-1])
        a, b = rows.unbind(1)
        return a, b

    def _show(self, cross: Tensor) -> Tensor:
        return cross if self.sides == 1 else torch.stack((cross, cross.mT), dim=1)

    def products(self, u: Tensor, scale: Tensor | None) -> Tensor:
        a, b = self._halves(u)
        return self._show(_scaled(a, scale) @ b.mT)

    def along(self, u: Tensor, v: Tensor, scale: Tensor | None) -> Tensor:
        (a, b), (da, db) = self._halves(u), self._halves(_scaled(v, scale))
        return self._show((da @ b.mT).baddbmm_(a, db.mT))

    def fold(self, slopes: Tensor) -> Tensor:
        return slopes if self.sides == 1 else slopes[:, 0] + slopes[:, 1].mT

    def pull_back(self, folded: Tensor, u: Tensor) -> Tensor:
        a, b = self._halves(u)
        both = torch.stack((folded @ b, folded.mT @ a), dim=1)
        return both if u.ndim == 4 else both.view_as(u)

    def add_joint(self, folded: Tensor, total: Tensor) -> None:
        s = folded.shape[-1]
        total[:, :s, s:].add_(folded, alpha=0.5)
        total[:, s:, :s].add_(folded.mT, alpha=0.5)

    def pulls(self, folded: Tensor) -> Tensor:
        size = folded.abs()
        return torch.cat((size.sum(dim=-1), size.sum(dim=-2)), dim=-1)

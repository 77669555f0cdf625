"""What the search and the certificate ask of a loss, whatever the symmetry behind it.

A *problem* is a declared loss with sizes and parameters put in, for a batch of ``B``
sets of embeddings; a *point* is such a problem at particular embeddings. Embeddings have
the shape ``(B, *vectors, d)``: the dimensions between the batch and the coordinates say
how the vectors are arranged, and matter to the problem alone.
"""

from __future__ import annotations

from typing import Protocol, Self

import torch
from torch import Tensor


class Problem(Protocol):
    """A loss, as a function of embeddings."""

    @property
    def size(self) -> int:
        """Number of vectors."""

    @property
    def convex(self) -> Tensor:
        """For each problem, whether the loss is convex in the Gram matrix."""

    def select(self, index: Tensor) -> Self:
        """The same loss for some of the problems."""

    def to(self, dtype: torch.dtype) -> Self:
        """The same loss in another precision; its parameters keep the values they have."""

    def point(self, u: Tensor) -> Point:
        """The loss at embeddings."""

    def value_and_gram_gradient(self, u: Tensor) -> tuple[Tensor, Tensor]:
        """Loss ``(B,)`` and its symmetric gradient in the Gram matrix, ``(B, size, size)``."""


class Point(Protocol):
    """Value, gradient and Hessian of a problem at one set of embeddings.

    Attributes
    ----------
    loss
        The problem.
    u, value, gradient
        Embeddings, loss ``(B,)``, and gradient (in all of R^d) of the shape of ``u``.
    unit
        ``(B,)``. What the tolerance on the gradient norm is a multiple of.
    noise
        ``(B,)``. Rounding error of the gradient norm, in units of the machine's epsilon.
    resolution
        ``(B,)``. Rounding error of the loss, in the same units.
    """

    u: Tensor
    value: Tensor
    gradient: Tensor

    @property
    def loss(self) -> Problem: ...

    @property
    def unit(self) -> Tensor: ...

    @property
    def noise(self) -> Tensor: ...

    @property
    def resolution(self) -> Tensor: ...

    def hessian(self, v: Tensor) -> Tensor:
        """Derivative of the gradient along ``v``."""

    def select(self, index: Tensor) -> Self:
        """The same point for some of the problems."""

    def mix(self, take: Tensor, other: Self) -> Self:
        """The other point where ``take`` is True, this one elsewhere."""


def wide(x: Tensor, dims: int) -> Tensor:
    """Per-problem numbers, shaped to multiply a tensor of ``dims`` dimensions."""
    return x.reshape(-1, *(1,) * (dims - 1))

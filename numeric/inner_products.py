r"""Losses that see embeddings through a matrix of inner products, and their derivatives.

A loss L of a matrix C of inner products is all there is to declare: its slopes ``dL/dC`` and
how they turn when C changes. From those follow, by the chain rule, the gradient and the
Hessian in the embeddings, and how large either would be if pulls did not balance. What C is,
and what its slopes mean for the vectors, depends on the arrangement:
:mod:`.towers` has the cross block of two towers, :mod:`.many_towers` the whole Gram matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import torch
from torch import Tensor

from .losses import Parameters, per_problem
from .problem import wide
from .scalar import Scalar

# Where slopes of a pairwise loss are compared to see whether it is convex.
_GRID = 513


class InnerProductProblem:
    """A loss of inner products with sizes and parameters put in, for ``B`` problems.

    Embeddings are ``(B, *vectors, d)``.
    """

    @property
    def size(self) -> int:
        """Number of vectors."""
        raise NotImplementedError

    @property
    def convex(self) -> Tensor:
        """For each problem, whether the loss is convex in the Gram matrix."""
        raise NotImplementedError

    def select(self, index: Tensor) -> Self:
        """The same loss for some of the problems."""
        return self._change(lambda x: x[index])

    def to(self, dtype: torch.dtype) -> Self:
        """The same loss in another precision; its parameters keep the values they have."""
        return self._change(lambda x: x.to(dtype))

    def _change(self, change: Callable[[Tensor], Tensor]) -> Self:
        raise NotImplementedError

    # --- the matrix that the loss sees ---------------------------------------------------
    def products(self, u: Tensor) -> Tensor:
        """The matrix of inner products, ``(B, rows, columns)``."""
        raise NotImplementedError

    def products_along(self, u: Tensor, v: Tensor) -> Tensor:
        """Derivative of :meth:`products` along ``v``."""
        raise NotImplementedError

    def pull_back(self, slopes: Tensor, u: Tensor) -> Tensor:
        """Gradient in the embeddings, of their shape, from that in the matrix."""
        raise NotImplementedError

    def joint(self, slopes: Tensor) -> Tensor:
        """Symmetric gradient in the Gram matrix, a new tensor, from that in the matrix."""
        raise NotImplementedError

    def pulls(self, slopes: Tensor) -> Tensor:
        """Sum of the sizes of all pulls on each vector, ``(B, size)``."""
        raise NotImplementedError

    # --- the loss as a function of it ----------------------------------------------------
    def value_at(self, products: Tensor) -> Tensor:
        """Loss as a function of the matrix; differentiable by autograd."""
        raise NotImplementedError

    def expand(
        self, products: Tensor, second: bool = True
    ) -> tuple[Tensor, Tensor, tuple[Tensor, ...]]:
        """Loss, its slopes in the matrix, and what :meth:`turn` wants to know.

        The last may be missing when ``second`` is False.
        """
        raise NotImplementedError

    def turn(self, memory: tuple[Tensor, ...], change: Tensor) -> Tensor:
        """Change of the slopes, to first order, when the matrix changes."""
        raise NotImplementedError

    def stiffness(self, slopes: Tensor, memory: tuple[Tensor, ...]) -> Tensor:
        """How much a relative error in the matrix can change its slopes, entry by entry."""
        raise NotImplementedError

    # --- what follows --------------------------------------------------------------------
    def value(self, u: Tensor) -> Tensor:
        """Loss of each problem, ``(B,)``; differentiable by autograd."""
        return self.value_at(self.products(u))

    def point(self, u: Tensor) -> InnerProductPoint:
        """The loss at embeddings."""
        return InnerProductPoint(self, u)

    def value_and_gradient(self, u: Tensor) -> tuple[Tensor, Tensor]:
        """Loss ``(B,)`` and its gradient in the embeddings (in all of R^d, not projected)."""
        value, slopes, _ = self.expand(self.products(u), second=False)
        return value, self.pull_back(slopes, u)

    def value_and_gram_gradient(self, u: Tensor) -> tuple[Tensor, Tensor]:
        """Loss ``(B,)`` and its symmetric gradient in the Gram matrix, ``(B, size, size)``."""
        value, slopes, _ = self.expand(self.products(u), second=False)
        return value, self.joint(slopes)


class InnerProductPoint:
    """Value, gradient and Hessian of a loss of inner products at ``(B, *vectors, d)``.

    Attributes are those of :class:`~cltheory.numeric.problem.Point`, the ``slopes`` in the
    matrix that the loss sees, and the ``memory`` that second derivatives are computed from.
    Pulls towards and away from other vectors balance at an optimum; ``unit`` is the root mean
    square, over vectors, of what they would add up to if they did not.
    """

    def __init__(self, loss: InnerProductProblem, u: Tensor) -> None:
        self.loss = loss
        self.u = u
        self.value, self.slopes, self.memory = loss.expand(loss.products(u))
        self.gradient = loss.pull_back(self.slopes, u)
        self.unit = self._pull(self.slopes)
        self.noise = self.unit + self._pull(loss.stiffness(self.slopes, self.memory))
        self.resolution = self.value.abs() + self.unit

    def _pull(self, slopes: Tensor) -> Tensor:
        return self.loss.pulls(slopes).square().mean(dim=-1).sqrt() * self.loss.size

    def hessian(self, v: Tensor) -> Tensor:
        """Derivative of the gradient along ``v``."""
        turned = self.loss.turn(self.memory, self.loss.products_along(self.u, v))
        return self.loss.pull_back(turned, self.u) + self.loss.pull_back(self.slopes, v)

    def select(self, index: Tensor) -> InnerProductPoint:
        """The same point for some of the problems."""
        return self._change(self.loss.select(index), lambda x: x[index])

    def mix(self, take: Tensor, other: InnerProductPoint) -> InnerProductPoint:
        """The other point where ``take`` is True, this one elsewhere."""
        theirs = iter(other._tensors())
        return self._change(self.loss, lambda x: torch.where(wide(take, x.ndim), next(theirs), x))

    def _tensors(self) -> list[Tensor]:
        return [getattr(self, name) for name in _PARTS] + list(self.memory)

    def _change(
        self, loss: InnerProductProblem, change: Callable[[Tensor], Tensor]
    ) -> InnerProductPoint:
        part = object.__new__(InnerProductPoint)
        part.loss = loss
        for name in _PARTS:
            setattr(part, name, change(getattr(self, name)))
        part.memory = tuple(change(x) for x in self.memory)
        return part


_PARTS = ("u", "value", "gradient", "slopes", "unit", "noise", "resolution")


def slopes_rise(function: Scalar, parameters: tuple[Tensor, ...], batch: Tensor) -> Tensor:
    """For each problem, whether the slopes of a function rise along a grid in [-1, 1].

    That can refute convexity, and prove it only between points of the grid; the proof for a
    declared loss belongs to the symbolic side.
    """
    x = torch.linspace(-1, 1, _GRID, dtype=batch.dtype, device=batch.device)
    x = x.expand(len(batch), -1)
    _, slope, second = function.expand(x, *(wide(v, 2) for v in parameters))
    # The slope is off by eps times itself, and its argument by eps times the curvature.
    error = 8 * torch.finfo(x.dtype).eps * (slope.abs() + second.abs())
    rising = slope.diff(dim=-1) >= -(error[:, 1:] + error[:, :-1])
    return rising.all(dim=-1) & slope.isfinite().all(dim=-1)


def read_parameters(
    loss: str,
    names: tuple[str, ...],
    params: Parameters,
    batch: int,
    dtype: torch.dtype,
    device: torch.device | str,
) -> dict[str, Tensor]:
    """Parameters of a loss, ``(batch,)`` each.

    Raises
    ------
    ValueError
        If they are missing, unknown, not finite or of the wrong shape.
    """
    if set(params) != set(names):
        raise ValueError(
            f"loss {loss!r} takes the parameters {', '.join(names) or '(none)'}; "
            f"got {', '.join(sorted(params)) or 'none'}"
        )
    return {name: per_problem(name, params[name], batch, dtype, device) for name in names}

"""A loss with sizes and parameters put in, and its derivatives at a point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from ...derive.structures.arrangement import Arrangement
from .parts import Memory, Part
from .views import View, wide


@dataclass(frozen=True)
class BoundProblem:
    """A loss with sizes and parameters put in, for ``B`` problems; see :func:`~.binding.bind`.

    Its methods take embeddings ``(B, *arrangement.shape, d)``.

    Attributes
    ----------
    arrangement
        How the vectors are related.
    scale
        ``(B,)``, what inner products are multiplied by before parts see them; None for one.
    seen
        Views, and the parts that look through each.
    absolute
        Whether the loss is a difference of larger numbers, so that its rounding errors, and
        tolerances with them, do not shrink with it.
    """

    arrangement: Arrangement
    scale: Tensor | None
    seen: tuple[tuple[View, tuple[Part, ...]], ...]
    absolute: bool
    batch: Tensor

    @property
    def size(self) -> int:
        """Number of vectors."""
        return self.arrangement.size

    @property
    def convex(self) -> Tensor:
        """For each problem, whether the loss is convex in the Gram matrix."""
        ok = torch.ones_like(self.batch, dtype=torch.bool)
        for _, parts in self.seen:
            for part in parts:
                ok = ok & part.convex
        return ok

    def select(self, index: Tensor) -> BoundProblem:
        """The same loss for some of the problems, in their order."""
        return self if len(index) == len(self.batch) else self._change(lambda x: x[index])

    def to(self, dtype: torch.dtype) -> BoundProblem:
        """The same loss in another precision; its parameters keep the values they have."""
        return self._change(lambda x: x.to(dtype))

    def _change(self, change: Callable[[Tensor], Tensor]) -> BoundProblem:
        return replace(
            self,
            scale=None if self.scale is None else change(self.scale),
            seen=tuple((view, tuple(p.change(change) for p in parts)) for view, parts in self.seen),
            batch=change(self.batch),
        )

    def point(self, u: Tensor) -> Point:
        """The loss at embeddings."""
        return Point(self, u)

    def value(self, u: Tensor) -> Tensor:
        """Loss of each problem, ``(B,)``; differentiable once by autograd."""
        if torch.is_grad_enabled() and u.requires_grad:
            found: Tensor = _Value.apply(u, self)  # type: ignore[no-untyped-call]
            return found
        return self.expand(u)[0]

    def value_and_gradient(self, u: Tensor) -> tuple[Tensor, Tensor]:
        """Loss ``(B,)`` and its gradient in the embeddings (in all of R^d, not projected)."""
        value, slopes, _ = self.expand(u)
        gradient = [
            view.pull_back(view.fold(slope), u)
            for (view, _), slope in zip(self.seen, slopes, strict=True)
        ]
        return value, _sum(gradient)

    def value_and_gram_gradient(self, u: Tensor) -> tuple[Tensor, Tensor]:
        """Loss ``(B,)`` and its symmetric gradient in the Gram matrix, ``(B, size, size)``.

        ``dL = <A, dG>``, the sum running over all ordered pairs.
        """
        value, slopes, _ = self.expand(u)
        total = u.new_zeros(u.shape[0], self.size, self.size)
        for (view, _), slope in zip(self.seen, slopes, strict=True):
            view.add_joint(view.fold(slope), total)
        return value, total

    def expand(
        self, u: Tensor, second: bool = False
    ) -> tuple[Tensor, list[Tensor], list[list[Memory]]]:
        """The loss; for each view the slopes in inner products, and the memories of its parts."""
        value = torch.zeros_like(self.batch)
        slopes, memories = [], []
        for view, parts in self.seen:
            x = view.products(u, self.scale)
            found = [part.expand(x, second) for part in parts]
            for part, _, _ in found:
                value = value + part
            slopes.append(_sum([slope for _, slope, _ in found]))
            memories.append([memory for _, _, memory in found])
        return value, slopes, memories


class _Value(torch.autograd.Function):
    """The loss for autograd, which is given the gradient written by hand."""

    @staticmethod
    def forward(ctx, u: Tensor, problem: BoundProblem) -> Tensor:  # type: ignore[no-untyped-def]
        value, gradient = problem.value_and_gradient(u)
        ctx.save_for_backward(gradient)
        return value

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx, slope: Tensor) -> tuple[Tensor, None]:  # type: ignore[no-untyped-def]
        (gradient,) = ctx.saved_tensors
        return gradient * wide(slope, gradient.ndim), None


class Point:
    """Value, gradient and Hessian of a bound loss at embeddings ``(B, *vectors, d)``.

    Pulls towards and away from other vectors balance at an optimum; where the loss has all its
    digits however small it is, ``unit`` is the root mean square, over vectors, of what they would
    add up to if they did not. Where it is a difference of larger numbers, ``unit`` is 1: entries of
    the gradient are of the order of the scale, and their rounding errors too, in units of the
    machine's epsilon.

    Attributes
    ----------
    u, value, gradient
        Embeddings, loss ``(B,)``, and gradient (in all of R^d) of the shape of ``u``.
    unit
        ``(B,)``. What the tolerance on the gradient norm is a multiple of.
    noise
        ``(B,)``. Rounding error of the gradient norm, in units of the machine's epsilon.
    resolution
        ``(B,)``. Rounding error of the loss, in the same units.
    """

    def __init__(self, loss: BoundProblem, u: Tensor) -> None:
        self.loss = loss
        self.u = u
        self.value, slopes, self.memories = loss.expand(u, second=True)
        views = [view for view, _ in loss.seen]
        self.folded = [view.fold(slope) for view, slope in zip(views, slopes, strict=True)]
        self.gradient = self._pulled_back(self.folded, u)
        if loss.absolute:
            self.unit = torch.ones_like(self.value)
            self.noise = self.unit if loss.scale is None else loss.scale
            self.resolution = self.value.abs().clamp(min=1)
        else:
            self.unit = self._pull(self.folded)
            self.noise = self.unit + self._pull(self.stiffness(slopes))
            self.resolution = self.value.abs() + self.unit

    def stiffness(self, slopes: list[Tensor]) -> list[Tensor]:
        """How much a relative error in inner products can change folded slopes, entry by entry."""
        return [
            view.fold(_sum([p.stiffness(slope, m) for p, m in zip(parts, memories, strict=True)]))
            for (view, parts), slope, memories in zip(
                self.loss.seen, slopes, self.memories, strict=True
            )
        ]

    def _pull(self, folded: list[Tensor]) -> Tensor:
        seen = zip(self.loss.seen, folded, strict=True)
        pulls = _sum([view.pulls(q) for (view, _), q in seen])
        return pulls.square().mean(dim=-1).sqrt() * self.loss.size

    def _pulled_back(self, folded: list[Tensor], v: Tensor) -> Tensor:
        """Gradient at v if folded slopes were these."""
        seen = zip(self.loss.seen, folded, strict=True)
        return _sum([view.pull_back(q, v) for (view, _), q in seen])

    def hessian(self, v: Tensor) -> Tensor:
        """Derivative of the gradient along ``v``."""
        loss, u = self.loss, self.u
        total = self._pulled_back(self.folded, v)
        for (view, parts), memories in zip(loss.seen, self.memories, strict=True):
            if not any(memories):  # linear
                continue
            change = view.along(u, v, loss.scale)
            turned = [p.turn(m, change) for p, m in zip(parts, memories, strict=True)]
            total += view.pull_back(view.fold(_sum(turned)), u)
        return total

    def select(self, index: Tensor) -> Point:
        """The same point for some of the problems."""
        return self._change(self.loss.select(index), lambda x: x[index])

    def mix(self, take: Tensor, other: Point) -> Point:
        """The other point where ``take`` is True, this one elsewhere."""
        theirs = iter(other._tensors())
        return self._change(self.loss, lambda x: torch.where(wide(take, x.ndim), next(theirs), x))

    def _tensors(self) -> list[Tensor]:
        memories = [x for memories in self.memories for memory in memories for x in memory]
        return [getattr(self, name) for name in _PARTS] + self.folded + memories

    def _change(self, loss: BoundProblem, change: Callable[[Tensor], Tensor]) -> Point:
        part = object.__new__(Point)
        part.loss = loss
        for name in _PARTS:
            setattr(part, name, change(getattr(self, name)))
        part.folded = [change(x) for x in self.folded]
        part.memories = [
            [tuple(change(x) for x in memory) for memory in memories] for memories in self.memories
        ]
        return part


_PARTS = ("u", "value", "gradient", "unit", "noise", "resolution")


def _sum(parts: list[Tensor]) -> Tensor:
    """The sum of at least one tensor; the tensor itself if it is one."""
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total

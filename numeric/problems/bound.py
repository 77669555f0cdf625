"""A loss with sizes and parameters put in, and its derivatives at a point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from ...derive.structures.arrangement import Arrangement
from ..problem import wide
from .linear import Linear
from .parts import Memory, Part
from .views import Blocks, View


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
    parts
        What is not linear in the Gram matrix, those of one view next to each other.
    linear
        What is to be subtracted from them.
    absolute
        Whether the loss is a difference of larger numbers, so that its rounding errors, and
        tolerances with them, do not shrink with it.
    """

    arrangement: Arrangement
    scale: Tensor | None
    parts: tuple[Part, ...]
    linear: Linear
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
        for part in self.parts:
            ok = ok & part.convex
        return ok

    def select(self, index: Tensor) -> BoundProblem:
        """The same loss for some of the problems."""
        return self._change(lambda x: x[index])

    def to(self, dtype: torch.dtype) -> BoundProblem:
        """The same loss in another precision; its parameters keep the values they have."""
        return self._change(lambda x: x.to(dtype))

    def _change(self, change: Callable[[Tensor], Tensor]) -> BoundProblem:
        return replace(
            self,
            scale=None if self.scale is None else change(self.scale),
            parts=tuple(part.change(change) for part in self.parts),
            linear=self.linear.change(change),
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
        return self._expand(u)[0]

    def value_and_gradient(self, u: Tensor) -> tuple[Tensor, Tensor]:
        """Loss ``(B,)`` and its gradient in the embeddings (in all of R^d, not projected)."""
        value, seen = self._expand(u)
        gradient = torch.zeros_like(u)
        for view, slopes, _ in seen:
            gradient += view.pull_back(view.fold(slopes), u)
        return value, gradient - self.linear.gradient(u) if self.linear.kept else gradient

    def value_and_gram_gradient(self, u: Tensor) -> tuple[Tensor, Tensor]:
        """Loss ``(B,)`` and its symmetric gradient in the Gram matrix, ``(B, size, size)``.

        ``dL = <A, dG>``, the sum running over all ordered pairs.
        """
        value, seen = self._expand(u)
        total = u.new_zeros(u.shape[0], self.size, self.size)
        for view, slopes, _ in seen:
            view.add_joint(view.fold(slopes), total)
        self.linear.add_to(total, -1.0)
        return value, total

    def views(self) -> list[tuple[View, list[int]]]:
        """The views, each with the numbers of the parts that look through it."""
        found: list[tuple[View, list[int]]] = []
        for k, part in enumerate(self.parts):
            if found and found[-1][0] == part.view:
                found[-1][1].append(k)
            else:
                found.append((part.view, [k]))
        return found

    def _expand(
        self, u: Tensor, second: bool = False
    ) -> tuple[Tensor, list[tuple[View, Tensor, list[Memory]]]]:
        """The loss; for each view the slopes in inner products, and the memories of its parts."""
        value = -self.linear.value(u) if self.linear.kept else torch.zeros_like(self.batch)
        seen = []
        for view, numbers in self.views():
            x = view.products(u, self.scale)
            total: Tensor | None = None
            memories = []
            for k in numbers:
                last = k == numbers[-1]
                part, slopes, memory = self.parts[k].expand(x if last else x.clone(), second)
                value = value + part
                total = slopes if total is None else total + slopes
                memories.append(memory)
            assert total is not None
            seen.append((view, total, memories))
        return value, seen


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

    Attributes are those of :class:`~cltheory.numeric.problem.Point`. Pulls towards and away
    from other vectors balance at an optimum; where the loss has all its digits however small
    it is, ``unit`` is the root mean square, over vectors, of what they would add up to if they
    did not. Where it is a difference of larger numbers, ``unit`` is 1: entries of the gradient
    are of the order of the scale, and their rounding errors too, in units of the machine's
    epsilon.
    """

    def __init__(self, loss: BoundProblem, u: Tensor) -> None:
        self.loss = loss
        self.u = u
        self.value, seen = loss._expand(u, second=True)
        self.memories = [memories for _, _, memories in seen]
        self.gradient = torch.zeros_like(u)
        # What is linear joins the first whole Gram matrix, and is left to sums of vectors
        # where there is none.
        self.sums_left = bool(loss.linear.kept)
        self.folded = []
        for view, slopes, _ in seen:
            folded = view.fold(slopes)
            if self.sums_left and view == Blocks(1):
                loss.linear.add_to(folded[:, 0], -2.0)
                self.sums_left = False
            self.gradient += view.pull_back(folded, u)
            self.folded.append(folded)
        if self.sums_left:
            self.gradient -= loss.linear.gradient(u)
        if loss.absolute:
            self.unit = torch.ones_like(self.value)
            self.noise = self.unit if loss.scale is None else loss.scale
            self.resolution = self.value.abs().clamp(min=1)
        else:
            self.unit = self._pull(self.folded)
            self.noise = self.unit + self._pull(self.stiffness(seen))
            self.resolution = self.value.abs() + self.unit

    def stiffness(self, seen: list[tuple[View, Tensor, list[Memory]]]) -> list[Tensor]:
        """How much a relative error in inner products can change folded slopes, entry by entry."""
        found = []
        for (view, slopes, memories), (_, numbers) in zip(seen, self.loss.views(), strict=True):
            total = torch.zeros_like(slopes)
            for k, memory in zip(numbers, memories, strict=True):
                total = total + self.loss.parts[k].stiffness(slopes, memory)
            found.append(view.fold(total))
        return found

    def _pull(self, folded: list[Tensor]) -> Tensor:
        views = self.loss.views()
        pulls = sum(view.pulls(q) for (view, _), q in zip(views, folded, strict=True))
        assert isinstance(pulls, Tensor)
        return pulls.square().mean(dim=-1).sqrt() * self.loss.size

    def hessian(self, v: Tensor) -> Tensor:
        """Derivative of the gradient along ``v``."""
        loss, u = self.loss, self.u
        total = -loss.linear.gradient(v) if self.sums_left else torch.zeros_like(v)
        views = loss.views()
        for (view, numbers), memories, folded in zip(
            views, self.memories, self.folded, strict=True
        ):
            change = view.along(u, v, loss.scale)
            turned: Tensor | None = None
            for k, memory in zip(numbers, memories, strict=True):
                part = loss.parts[k].turn(memory, change)
                turned = part if turned is None else turned + part
            assert turned is not None
            total += view.pull_back(view.fold(turned), u)
            total += view.pull_back(folded, v)
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
        part.sums_left = self.sums_left
        return part


_PARTS = ("u", "value", "gradient", "unit", "noise", "resolution")

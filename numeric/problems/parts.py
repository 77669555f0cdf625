r"""How a part of a loss depends on the inner products that its view shows.

With :math:`x_{ij}` the entries in the row of anchor i (inner products over the temperature,
for a softmax), the parts are

.. math:: \frac wN \sum_i \log\!\sum_{j \in D(i)} e^{x_{ij}}, \qquad
          \frac1N \sum_i \sum_{j \in P(i)} w_{ij}
              \operatorname{softplus}\Big(\log\!\sum_{k \in D(i)} e^{x_{ik}} - x_{ij}\Big), \qquad
          \frac1N \sum_i \sum_r \sum_{j \in r(i)} f_r(x_{ij}):

the denominator of a softmax (its positives are linear, `Weighted`); positives each of which
is compared with itself and a denominator, in a form that has as many digits where the loss is
1e-20 as where it is 1; and functions of single inner products.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self, TypeVar

import torch
from torch import Tensor

from .scalar import Scalar
from .views import View, wide

#: What a part remembers of a point for second derivatives; per-problem tensors.
Memory = tuple[Tensor, ...]

# Where slopes of a function are compared to see whether it is convex.
_GRID = 513


class Part(Protocol):
    """A function of the entries of a view, ``(B, k, s, s)``."""

    @property
    def view(self) -> View: ...

    @property
    def convex(self) -> Tensor:
        """For each problem, whether it is convex in the entries."""

    def change(self, change: Callable[[Tensor], Tensor]) -> Self:
        """The same part with other per-problem tensors."""

    def expand(self, x: Tensor, second: bool) -> tuple[Tensor, Tensor, Memory]:
        """Value ``(B,)``, slopes, and memory (if ``second``) at entries.

        Slopes are those in inner products, of which the entries are a multiple. They may be
        part of the memory; neither they nor the entries are to be written to.
        """

    def turn(self, memory: Memory, change: Tensor) -> Tensor:
        """Change of the slopes, to first order, when the entries change; a new tensor."""

    def stiffness(self, slopes: Tensor, memory: Memory) -> Tensor:
        """How much a relative error of inner products can change slopes, entry by entry."""


# --- softmax ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Rows:
    """What parts with a softmax in each row share.

    Attributes
    ----------
    scale
        ``(B,)``, what inner products are multiplied by to become entries.
    outside
        ``(s, s)``, True where an entry is not meant; None when all are.
    has_self
        Whether the diagonal is meant.
    logs
        ``(B, s, s)``, what is added to the entries; None for nothing.
    """

    view: View
    scale: Tensor
    outside: Tensor | None
    has_self: bool
    logs: Tensor | None

    def softmax(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Row-wise softmax of logits, and the logarithms of the sums."""
        has_self = self.has_self and self.logs is None  # else the nearest need not be the largest
        if self.logs is not None:
            x = x + self.logs[:, None]
        if self.outside is not None:
            x = x.masked_fill(self.outside, -torch.inf)
        # Nothing is nearer to a unit vector than itself, which saves looking for the largest.
        top = x.diagonal(dim1=-2, dim2=-1) if has_self else x.amax(dim=-1)
        p = (x - top[..., None]).exp_()
        z = p.sum(dim=-1)
        p /= z[..., None]
        return p, top + z.log()

    def stiffness(self, slopes: Tensor, memory: Memory) -> Tensor:
        return slopes * wide(self.scale, 4)


P = TypeVar("P", bound="_Rows | Weighted")


def _changed(part: P, change: Callable[[Tensor], Tensor], *names: str) -> P:
    """The same part with other tensors of these names."""
    found: Any = {k: change(v) for k in names if (v := getattr(part, k)) is not None}
    return replace(part, **found)


@dataclass(frozen=True)
class LogSum(_Rows):
    """A weighted log-sum-exp in each row; ``weight`` ``(B,)`` is over the number of points."""

    weight: Tensor

    @property
    def convex(self) -> Tensor:
        return self.weight >= 0

    def change(self, change: Callable[[Tensor], Tensor]) -> LogSum:
        return _changed(self, change, "weight", "scale", "logs")

    def expand(self, x: Tensor, second: bool) -> tuple[Tensor, Tensor, Memory]:
        p, log_sum = self.softmax(x)
        force = wide(self.weight * self.scale, 4)
        slopes = p * force if second else p.mul_(force)
        return self.weight * log_sum.sum(dim=(1, 2)), slopes, (p, slopes) if second else ()

    def turn(self, memory: Memory, change: Tensor) -> Tensor:
        # With P the softmax and D the change of its logits: dP = P (D - rowsum(P D)).
        p, slopes = memory
        turned = slopes * change
        return turned.addcmul_(p, turned.sum(dim=-1, keepdim=True), value=-1)


@dataclass(frozen=True)
class Joined(_Rows):
    """Positives, each against itself and the denominator of its anchor, which need not have it.

    Attributes
    ----------
    positives
        ``(s, count)``, for each anchor the columns of its positives.
    weights
        ``(B, s or 1, count)``, their weights over the number of points.
    """

    positives: Tensor
    weights: Tensor

    @property
    def convex(self) -> Tensor:
        return (self.weights >= 0).flatten(1).all(dim=-1)

    def change(self, change: Callable[[Tensor], Tensor]) -> Joined:
        return _changed(self, change, "weights", "scale", "logs")

    def _at_positives(self, x: Tensor) -> Tensor:
        return x.gather(-1, self.positives.expand(*x.shape[:2], *self.positives.shape))

    def expand(self, x: Tensor, second: bool) -> tuple[Tensor, Tensor, Memory]:
        own = self._at_positives(x)
        p, log_sum = self.softmax(x)
        ahead = log_sum[..., None] - own
        weights = self.weights[:, None]
        value = (weights * torch.logaddexp(ahead, ahead.new_zeros(()))).sum(dim=(1, 2, 3))
        push = weights * wide(self.scale, 4) * torch.sigmoid(ahead)
        slopes = self._with_positives(p * push.sum(dim=-1, keepdim=True), -push)
        if not second:
            return value, slopes, ()
        return value, slopes, (p, push, push * torch.sigmoid(-ahead))

    def _with_positives(self, slopes: Tensor, own: Tensor) -> Tensor:
        index = self.positives.expand(*slopes.shape[:2], *self.positives.shape)
        return slopes.scatter_add_(-1, index, own)

    def turn(self, memory: Memory, change: Tensor) -> Tensor:
        p, push, bend = memory
        along = p * change
        mean = along.sum(dim=-1, keepdim=True)
        turned = bend * (mean - self._at_positives(change))
        # P s with s the sum of the pushes: ds P + s dP, and dP = P D - P rowsum(P D).
        total = push.sum(dim=-1, keepdim=True)
        rest = turned.sum(dim=-1, keepdim=True) - total * mean
        return self._with_positives(along.mul_(total).addcmul_(p, rest), -turned)


# --- functions of single inner products -----------------------------------------------------


@dataclass(frozen=True)
class Acts:
    """A function of some entries.

    Attributes
    ----------
    pairs
        Where they are in the flattened entries: an index, or a slice, or None for all of them.
    function, parameters
        What it is, and its parameters, ``(B,)`` each.
    """

    pairs: Tensor | slice | None
    function: Scalar
    parameters: tuple[Tensor, ...]

    def expand(self, entries: Tensor, order: int) -> tuple[Tensor, ...]:
        some = entries if self.pairs is None else entries[:, self.pairs]
        return self.function.expand(some, *(wide(x, 2) for x in self.parameters), order=order)

    def convex(self, batch: Tensor) -> Tensor:
        """For each problem, whether the slopes rise along a grid in [-1, 1].

        That can refute convexity, and prove it only between points of the grid; the proof for
        a declared loss belongs to the symbolic side.
        """
        x = torch.linspace(-1, 1, _GRID, dtype=batch.dtype, device=batch.device)
        x = x.expand(len(batch), -1)
        _, slope, second = self.function.expand(x, *(wide(v, 2) for v in self.parameters))
        # The slope is off by eps times itself, and its argument by eps times the curvature.
        error = 8 * torch.finfo(x.dtype).eps * (slope.abs() + second.abs())
        rising = slope.diff(dim=-1) >= -(error[:, 1:] + error[:, :-1])
        return rising.all(dim=-1) & slope.isfinite().all(dim=-1)


@dataclass(frozen=True)
class Pairwise:
    """Functions of single entries, a mean over anchors of sums over partners.

    Attributes
    ----------
    acts
        The functions. A later one replaces what an earlier one says of the same entries.
    outside
        Flat positions where none acts; None when there are none of them.
    points
        By how many anchors the sum is divided.
    batch
        ``(B,)``, a tensor even where there are no parameters.
    """

    view: View
    acts: tuple[Acts, ...]
    outside: Tensor | None
    points: int
    batch: Tensor

    @property
    def convex(self) -> Tensor:
        ok = torch.ones_like(self.batch, dtype=torch.bool)
        for act in self.acts:
            ok = ok & act.convex(self.batch)
        return ok

    def change(self, change: Callable[[Tensor], Tensor]) -> Pairwise:
        acts = tuple(
            replace(act, parameters=tuple(change(x) for x in act.parameters)) for act in self.acts
        )
        return replace(self, acts=acts, batch=change(self.batch))

    def expand(self, x: Tensor, second: bool) -> tuple[Tensor, Tensor, Memory]:
        entries = x.flatten(1)
        order = 2 if second else 1
        wholes: list[Tensor] = []
        for act in self.acts:
            found = act.expand(entries, order)
            if not wholes:
                if act.pairs is None:
                    wholes = [part / self.points for part in found]
                    continue
                wholes = [torch.zeros_like(entries) for _ in found]
            for whole, part in zip(wholes, found, strict=True):
                whole[:, act.pairs] = part / self.points
        if self.outside is not None:
            for whole in wholes:
                whole[:, self.outside] = 0
        value, slopes, *memory = wholes
        return value.sum(dim=-1), slopes.view_as(x), tuple(m.view_as(x) for m in memory)

    def turn(self, memory: Memory, change: Tensor) -> Tensor:
        return memory[0] * change

    def stiffness(self, slopes: Tensor, memory: Memory) -> Tensor:
        return memory[0]


# --- linear functions -------------------------------------------------------------------------


@dataclass(frozen=True)
class Weighted:
    """A linear function of the entries.

    Attributes
    ----------
    weights, scale
        ``(B, s, s)``, what an entry counts; ``(B,)`` as of :class:`LogSum`.
    """

    view: View
    weights: Tensor
    scale: Tensor

    @property
    def convex(self) -> Tensor:
        return torch.ones(len(self.weights), dtype=torch.bool, device=self.weights.device)

    def change(self, change: Callable[[Tensor], Tensor]) -> Weighted:
        return _changed(self, change, "weights", "scale")

    def expand(self, x: Tensor, second: bool) -> tuple[Tensor, Tensor, Memory]:
        weights = self.weights[:, None]
        value = torch.linalg.vecdot(x, weights).sum(dim=(1, 2))
        return value, (weights * wide(self.scale, 4)).expand_as(x), ()

    def turn(self, memory: Memory, change: Tensor) -> Tensor:
        return torch.zeros_like(change)

    def stiffness(self, slopes: Tensor, memory: Memory) -> Tensor:
        return torch.zeros_like(slopes)

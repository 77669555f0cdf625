r"""What is pulled together, and how strongly: weights w_ij of the pairs of points.

Every kind is a linear map, sum_j w_ij v_j, that torch can differentiate: the mean of inner products
x_i . x_j under the weights is the inner product of x_i with the mean of the x_j. Classes need sums
over classes only, weights of labels that are vectors are formed some rows at a time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from .sums import blocks, half_distances, inner_products
from .tiles import LOG2E, Layout

#: Exponents of squared lengths beyond which distances are computed in float64: in float32 a
#: difference of numbers of this size is known to about 0.0005.
FAR = 2.0**11
#: Labels may leave this many numbers unused per point before they are numbered anew.
SPARSE = 4
#: Integers of which torch finds no least and largest.
_WITHOUT_ENDS = (torch.uint16, torch.uint32, torch.uint64)


class Weights(ABC):
    """Weights of pairs, given without the points."""

    @property
    def far(self) -> bool:
        """Whether float32 does not hold them."""
        return False

    @abstractmethod
    def sums(self, v: Tensor, layout: Layout) -> Tensor:
        """sum_j w_ij v_j for each point, up to a factor of its own, ``(n, k)`` of ``(n, k)``."""

    @abstractmethod
    def entropy(self, like: Tensor, layout: Layout) -> tuple[Tensor, Tensor]:
        """The entropy of the weights of each point over their sum; whether it has weights.

        ``like`` has the precision and the device.
        """


class Classes(Weights):
    """Weight 1 in the same class, and ``others`` in different ones.

    Parameters
    ----------
    labels
        An integer for each point.
    others
        epsilon of Soft SupCon; 0 for SupCon.
    """

    def __init__(self, labels: Tensor, others: float = 0.0) -> None:
        self.labels, self.others = labels, others

    def groups(self, layout: Layout) -> Groups:
        """Which points are summed over."""
        return Groups(self.others, *numbered(self.labels), layout.views)

    def sums(self, v: Tensor, layout: Layout) -> Tensor:
        """Over classes, and over all."""
        return self.groups(layout).sums(v)

    def entropy(self, like: Tensor, layout: Layout) -> tuple[Tensor, Tensor]:
        """log r less what others of weight epsilon take: of two numbers a point."""
        groups, ones = self.groups(layout), like.new_ones(like.shape[0])
        same = replace(groups, others=0.0).sums(ones)
        other = replace(groups, others=1.0).sums(ones) - same
        total, e = same + self.others * other, torch.as_tensor(self.others, dtype=like.dtype)
        has = total > 0
        total = torch.where(has, total, 1.0)
        return total.log() + other * torch.special.entr(e).to(like.device) / total, has


def numbered(labels: Tensor) -> tuple[Tensor, int]:
    """Labels from 0 on, and how many numbers that takes; while compiling, at most."""
    if torch.compiler.is_compiling():  # values are not known then, only shapes
        values, order = labels.sort()
        steps = torch.cat((labels.new_zeros(1), (values[1:] != values[:-1]).cumsum(0)))
        return torch.empty_like(steps).scatter(0, order, steps), len(labels)
    if labels.dtype not in _WITHOUT_ENDS:
        low, high = (int(end) for end in labels.aminmax())
        if high - low < SPARSE * len(labels):
            return (labels.long() - low if low else labels.long()), high - low + 1
    names, index = labels.unique(return_inverse=True)
    return index, len(names)


@dataclass(frozen=True)
class Groups:
    """Classes as sums: over the own class and over all, without what a point does not see.

    Attributes
    ----------
    others
        The weight of different classes.
    index, count
        The class of each point, and how many there are.
    views
        Runs of points that do not see themselves, as in a layout.
    """

    others: float
    index: Tensor
    count: int
    views: int = 1

    def sums(self, v: Tensor) -> Tensor:
        """sum_j w_ij v_j."""
        own = all_own = v
        if self.views > 1:
            in_view = v.unflatten(0, (self.views, -1))
            all_own = in_view.sum(1).repeat_interleave(in_view.shape[1], 0)
            view = torch.arange(self.views, device=v.device).repeat_interleave(in_view.shape[1])
            own = _grouped(v, view * self.count + self.index, self.views * self.count)
        found = _grouped(v, self.index, self.count).sub_(own)
        if not self.others:
            return found
        return found.mul_(1 - self.others).add_(v.sum(0) - all_own, alpha=self.others)


def _grouped(v: Tensor, index: Tensor, count: int) -> Tensor:
    """The sum over the group of each point."""
    sums = v.new_zeros((count, *v.shape[1:])).index_add_(0, index, v)
    return sums.index_select(0, index)


class Dense(Weights):
    """Any matrix of weights, not negative; its diagonal is not looked at.

    Parameters
    ----------
    w
        ``(n, n)``. It need not be symmetric: rows are anchors.
    """

    def __init__(self, w: Tensor) -> None:
        self.w = w

    def sums(self, v: Tensor, layout: Layout) -> Tensor:
        """A product of matrices."""
        return self._seen(v, layout) @ v

    def entropy(self, like: Tensor, layout: Layout) -> tuple[Tensor, Tensor]:
        """-sum_j p_ij log p_ij for p = w over its sums, which may be 0 log 0 = 0."""
        w = self._seen(like, layout)
        total = w.sum(1)
        has = total > 0
        return torch.special.entr(w / torch.where(has, total, 1.0)[:, None]).sum(1), has

    def _seen(self, like: Tensor, layout: Layout) -> Tensor:
        """Without the weights that do not count."""
        w = self.w.to(like.dtype, copy=True)
        return layout.own.hide(w, slice(0, layout.n), value=0.0)


class Kernel(Weights):
    """Weights exp(-gamma |y_i - y_j|^2) or exp(cos(y_i, y_j) / tau') of labels that are vectors.

    They are never formed for all pairs: they are a softmax of similarities of the labels.

    Parameters
    ----------
    y
        Labels ``(n, l)``, scaled: weights are exp(-|y_i - y_j|^2 / 2) or exp(y_i . y_j).
    euclidean
        Whether they are the former.
    """

    def __init__(self, y: Tensor, euclidean: bool) -> None:
        # In their own precision: far from zero they may differ by less than that of the points.
        self.y, self.euclidean = y - y.mean(0) if euclidean else y, euclidean

    @property
    def far(self) -> bool:
        """Whether squared distances of labels are differences of large numbers."""
        return self.euclidean and float(self.y.square().sum(1).max()) * LOG2E > FAR

    def sums(self, v: Tensor, layout: Layout) -> Tensor:
        """Means, under weights that add up to 1."""
        found: Tensor = _Means.apply(v, self.to(v.dtype), layout, False)
        return found

    def to(self, dtype: torch.dtype) -> Kernel:
        """The same in some precision."""
        return Kernel(self.y.to(dtype), self.euclidean)

    def entropy(self, like: Tensor, layout: Layout) -> tuple[Tensor, Tensor]:
        """Row by row."""
        kernel = self.to(torch.float64 if self.far else like.dtype)
        rows = torch.cat([torch.special.entr(p).sum(1) for _, p in kernel.shares(layout)])
        return rows.to(like.dtype), torch.ones_like(rows, dtype=torch.bool)

    def shares(self, layout: Layout) -> Iterator[tuple[slice, Tensor]]:
        """The weights of some rows at a time, over their sums."""
        similar = half_distances if self.euclidean else inner_products
        for rows in blocks(layout.n, layout.n):
            s = similar(self.y[rows], self.y)
            yield rows, layout.own.hide(s, rows).softmax(1)


class _Means(torch.autograd.Function):
    """Means of values under the weights of labels, or by the transpose of that matrix."""

    @staticmethod
    def forward(ctx: Any, v: Tensor, kernel: Kernel, layout: Layout, transposed: bool) -> Tensor:
        ctx.options, found = (kernel, layout, not transposed), torch.zeros_like(v)
        for rows, shares in kernel.shares(layout):
            if transposed:
                found.addmm_(shares.T, v[rows])
            else:
                torch.mm(shares, v, out=found[rows])
        return found

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, None, None, None]:
        return _Means.apply(g, *ctx.options), None, None, None  # type: ignore[no-untyped-call]

r"""What is pulled together, and how strongly: weights w_ij of the pairs of points.

Every kind says what its weighted means are, and what these pull with. Classes need sums over
classes only. The others are looked at tile by tile, beside the similarities.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from math import inf, log
from typing import Any

import torch
from torch import Tensor

from .tiles import SAFE, Buffers, Layout, Similarities, Softmax, Tile, sides

LOG2E = 1 / log(2)
#: Exponents of squared lengths beyond which distances are computed in float64: in float32 a
#: difference of numbers of this size is known to about 0.0005.
FAR = 2.0**11
#: Labels may leave this many numbers unused per point before they are numbered anew.
SPARSE = 4
#: Integers of which torch finds no least and largest.
_WITHOUT_ENDS = (torch.uint16, torch.uint32, torch.uint64)
#: Below every sum of weights that is not zero, to divide by.
_LEAST = 1e-30


class Weights(ABC):
    """Weights of pairs, given without the points."""

    @property
    def far(self) -> bool:
        """Whether float32 does not hold them."""
        return False

    @abstractmethod
    def bind(self, similarities: Similarities, layout: Layout, check: bool) -> Bound:
        """The same beside similarities; with ``check`` their values may be looked at."""

    @abstractmethod
    def entropy(self, like: Tensor, layout: Layout) -> tuple[Tensor, Tensor]:
        """The entropy of the weights of each point over their sum; whether it has weights.

        ``like`` has the precision and the device.
        """

    @abstractmethod
    def matrix(self, like: Tensor, hidden: Tensor) -> Tensor:
        """All weights, rows up to a factor, and anything where points are hidden from others."""


class Bound(ABC):
    """Weights beside the similarities of points.

    Attributes
    ----------
    tiled
        Whether tiles are to be shown to it.
    """

    tiled = False

    def see(self, s: Tensor, tile: Tile, rooms: list[Tensor]) -> None:
        """Look at a tile of similarities (0 where a point meets itself)."""
        raise NotImplementedError

    @abstractmethod
    def means(self) -> tuple[Tensor, Tensor | None]:
        """sum_j w_ij s_ij / sum_j w_ij, 0 without weights; and whether a point has weights.

        None says that all have.
        """

    def start(self, g: Tensor) -> None:
        """A gradient is wanted; g_i is that of the mean of point i, 0 without weights."""
        return None

    def release(self, h: Tensor, tile: Tile, rooms: list[Tensor]) -> None:
        """Subtract from a tile what the weights pull with."""
        raise NotImplementedError

    def gradient(self, g: Tensor, equal: bool) -> tuple[Tensor, Tensor] | None:
        """sum_j m_ij x_j and sum_j m_ij, where m_ij is what the weights pull with.

        ``equal`` says that all points with weights have the same g.
        """
        return None


class Classes(Weights):
    """Weight 1 in the same class, and ``others`` in different ones.

    Parameters
    ----------
    labels
        An integer for each point; or how many views there are, one run of points after the other,
        of samples that are all different.
    others
        epsilon of Soft SupCon; 0 for SupCon.
    """

    def __init__(self, labels: Tensor | int, others: float = 0.0) -> None:
        self.labels, self.others = labels, others

    def groups(self, layout: Layout) -> Groups:
        """Which points are summed over."""
        if isinstance(self.labels, int):
            return Groups(self.others, layout.views, self.labels)
        return Groups(self.others, layout.views, 1, *numbered(self.labels))

    def bind(self, similarities: Similarities, layout: Layout, check: bool) -> Bound:
        """Number the classes."""
        return _BoundClasses(self.groups(layout), similarities, check)

    def entropy(self, like: Tensor, layout: Layout) -> tuple[Tensor, Tensor]:
        """log r less what others of weight epsilon take: of two numbers a point."""
        groups, ones = self.groups(layout), like.new_ones(like.shape[0])
        same = replace(groups, others=0.0).sums(ones)
        other = replace(groups, others=1.0).sums(ones) - same
        total, e = same + self.others * other, torch.as_tensor(self.others, dtype=like.dtype)
        has = total > 0
        total = torch.where(has, total, 1.0)
        return total.log() + other * torch.special.entr(e).to(like.device) / total, has

    def matrix(self, like: Tensor, hidden: Tensor) -> Tensor:
        """1 and ``others``."""
        ids, n = self.labels, like.shape[0]
        if isinstance(ids, int):
            ids = torch.arange(n, device=like.device) % (n // ids)
        return (ids == ids[:, None]).to(like.dtype) * (1 - self.others) + self.others


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


class _BoundClasses(Bound):
    def __init__(self, groups: Groups, similarities: Similarities, check: bool) -> None:
        self.of, self.sums = similarities, groups.sums
        x, half = similarities.x, similarities.half
        # Where sizes are known, the points need not be looked at one by one.
        self.has: Tensor | None = None
        self.reciprocal: Any
        if groups.index is None:
            size = groups.size(x.shape[0])
            self.even, self.reciprocal = True, 1 / max(size, _LEAST)
            if size <= 0:
                self.has = torch.zeros(x.shape[0], dtype=torch.bool, device=x.device)
        else:
            sizes = self.sums(x.new_ones(x.shape[0]))
            least, most = (float(end) for end in sizes.aminmax()) if check else (0.0, inf)
            self.even = least == most or (not groups.others and groups.views == 1)
            self.reciprocal = sizes.clamp_min(_LEAST).reciprocal()
            if least <= 0:
                self.has = sizes > 0
        self.sum = self.sums(x)
        self.half_sum = None if half is None else self.sums(half)

    def means(self) -> tuple[Tensor, Tensor | None]:
        found = torch.linalg.vecdot(self.of.x, self.sum)
        if self.half_sum is None:
            return found.mul_(self.reciprocal), self.has
        assert self.of.half is not None
        found.sub_(self.half_sum).mul_(self.reciprocal).sub_(self.of.half)
        return (found if self.has is None else torch.where(self.has, found, 0.0)), self.has

    def gradient(self, g: Tensor, equal: bool) -> tuple[Tensor, Tensor] | None:
        b = g * self.reciprocal
        column = b[:, None] if b.ndim else b
        if equal and self.even:  # b is the same for all that a point attracts, and for itself
            return self.sum * (2 * column), 2 * g
        if not b.ndim:
            b = b.expand(self.of.x.shape[0])
        pulled = self.sums(self.of.x * column).addcmul_(self.sum, column)
        return pulled, self.sums(b).add_(g)


@dataclass(frozen=True)
class Groups:
    """Classes as sums: over the own class and over all, without what a point does not see.

    Attributes
    ----------
    others
        The weight of different classes.
    views
        Runs of points that do not see themselves, as in a layout.
    runs
        Runs of points in which all samples are different, if there are no labels.
    index, count
        The class of each point, and how many there are.
    """

    others: float
    views: int
    runs: int
    index: Tensor | None = None
    count: int = 0

    def size(self, n: int) -> float:
        """sum_j w_ij for all of n points, without labels."""
        seen = n - (n // self.views if self.views > 1 else 1)
        return (1 - self.others) * (self.runs - 1) + self.others * seen

    def sums(self, v: Tensor) -> Tensor:
        """sum_j w_ij v_j."""
        own = all_own = v
        if self.views > 1 and (self.others or self.index is not None):
            in_view = v.unflatten(0, (self.views, -1))
            all_own = in_view.sum(1).repeat_interleave(in_view.shape[1], 0)
        if self.index is None:
            run = v.unflatten(0, (self.runs, -1))
            found = run.flip(0) if self.runs == 2 else run.sum(0).expand_as(run).sub(run)
            found = found.view_as(v)
        else:
            if self.views > 1:
                view = torch.arange(self.views, device=v.device)
                view = view.repeat_interleave(in_view.shape[1])
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

    def bind(self, similarities: Similarities, layout: Layout, check: bool) -> Bound:
        """The same in the precision of the points."""
        return _BoundDense(self.w.to(similarities.x.dtype))

    def entropy(self, like: Tensor, layout: Layout) -> tuple[Tensor, Tensor]:
        """-sum_j p_ij log p_ij for p = w over its sums, which may be 0 log 0 = 0."""
        w, n = self.w.to(like.dtype).clone().fill_diagonal_(0.0), self.w.shape[0]
        if layout.views > 1:
            size = n // layout.views
            for i in range(0, n, size):
                w[i : i + size, i : i + size] = 0.0
        total = w.sum(1)
        has = total > 0
        return torch.special.entr(w / torch.where(has, total, 1.0)[:, None]).sum(1), has

    def matrix(self, like: Tensor, hidden: Tensor) -> Tensor:
        """As they are given."""
        return self.w.to(like.dtype)


class _BoundDense(Bound):
    tiled = True

    def __init__(self, w: Tensor) -> None:
        self.w, n = w, w.shape[0]
        self.total, self.product = w.new_zeros(n), w.new_zeros(n)

    def _side(self, tile: Tile, side: slice) -> Tensor:
        """The weights of anchors in ``side``, laid over a tile."""
        rows, columns = tile
        if side is not rows:
            return self.w[columns, rows].T
        w = self.w[rows, columns]
        return w - w.diagonal().diag_embed() if rows is columns else w

    def see(self, s: Tensor, tile: Tile, rooms: list[Tensor]) -> None:
        for side, dim in sides(tile):
            w = self._side(tile, side)
            self.total[side].add_(w.sum(dim))
            self.product[side].add_(torch.mul(w, s, out=rooms[0]).sum(dim))

    def means(self) -> tuple[Tensor, Tensor | None]:
        has = self.total > 0
        self.reciprocal = torch.where(has, self.total, 1.0).reciprocal_()
        return self.product * self.reciprocal, has

    def start(self, g: Tensor) -> None:
        self.pulled = g * self.reciprocal

    def release(self, h: Tensor, tile: Tile, rooms: list[Tensor]) -> None:
        rows, columns = tile
        w = self._side(tile, rows)
        torch.mul(w, self.pulled[rows, None], out=rooms[0])
        # On a block with itself the anchors are its rows and its columns.
        other = w.T if rows is columns else self._side(tile, columns)
        h.sub_(rooms[0]).sub_(torch.mul(other, self.pulled[columns], out=rooms[0]))


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

    def bind(self, similarities: Similarities, layout: Layout, check: bool) -> Bound:
        """The similarities of the labels beside those of the points."""
        return _BoundKernel(self._labels(similarities.x.dtype))

    def _labels(self, dtype: torch.dtype) -> Similarities:
        """Those of the labels, in base 2."""
        y = self.y.to(dtype) * LOG2E**0.5
        top = float(y.square().sum(1).max())
        return Similarities(y, self.euclidean, False, top <= SAFE[y.dtype])

    def entropy(self, like: Tensor, layout: Layout) -> tuple[Tensor, Tensor]:
        """That of a softmax: its logarithm less its mean of the similarities."""
        of = self._labels(torch.float64 if self.far else like.dtype)
        softmax, tiles = Softmax(of, weighs=True), layout.tiles(like.device)
        buffers = Buffers(of.x, tiles, 3)
        for tile in tiles:
            s, values, room = buffers.at(tile)
            values.copy_(of.tile(tile, s))
            if tile[0] is tile[1]:
                values.fill_diagonal_(0.0)  # its weight is 0
            softmax.add(s, tile, room, values)
        rows = (softmax.close() - softmax.mean()).div_(LOG2E)
        return rows.to(like.dtype), torch.ones_like(rows, dtype=torch.bool)

    def matrix(self, like: Tensor, hidden: Tensor) -> Tensor:
        """Over the largest of each row."""
        y = self.y.to(torch.float64 if self.far else like.dtype)
        s = y @ y.T
        if self.euclidean:
            s = s - (s.diagonal() + s.diagonal()[:, None]) / 2
        s = s.masked_fill(hidden, -inf)
        return (s - s.amax(1, keepdim=True)).exp().to(like.dtype)


class _BoundKernel(Bound):
    tiled = True

    def __init__(self, labels: Similarities) -> None:
        self.labels, self.softmax = labels, Softmax(labels, weighs=True)

    def see(self, s: Tensor, tile: Tile, rooms: list[Tensor]) -> None:
        label, powers = rooms
        self.softmax.add(self.labels.tile(tile, label), tile, powers, s)

    def means(self) -> tuple[Tensor, Tensor | None]:
        self.softmax.close()
        return self.softmax.mean(), None

    def start(self, g: Tensor) -> None:
        self.pulled = self.softmax.pulled(g)

    def release(self, h: Tensor, tile: Tile, rooms: list[Tensor]) -> None:
        label, room = rooms
        h.sub_(self.softmax.pull(self.labels.tile(tile, label), tile, room, self.pulled))

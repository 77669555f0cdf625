r"""Log-sum-exps over the pairs of n points, tile by tile: memory O(n d) and one tile.

A similarity is a function of two blocks of points, in plain operations. Both passes form it tile
by tile: the first adds up its exponentials, the second has torch differentiate each tile by itself
and multiplies by what the softmax pulls with. Similarities are symmetric: a tile serves its rows
and its columns, and every pair of blocks is visited once. They are in base 2, so that ``exp2``,
which is faster than ``exp``, is all that is needed.

Similarities within :data:`SAFE` of zero are raised to powers of two as they are, once for both
sides of a tile. Else (small temperatures, long vectors) each side is first shifted by its own
largest entry, and what was summed before is shifted along.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf, log
from typing import Any

import torch
from torch import Tensor

from .uncompiled import uncompiled

LN2, LOG2E = log(2), 1 / log(2)
#: Points in a block: a tile of float32 is 1 MB and stays in the cache of a core.
BLOCK = 512
#: On a CUDA device, where launching costs more than a small tile does.
BLOCK_CUDA = 4096
#: Exponents of two whose sums and quotients neither overflow nor vanish.
SAFE = {torch.float32: 60.0, torch.float64: 500.0}

#: Two blocks of points; a block with itself is the same slice twice.
Tile = tuple[slice, slice]
#: Yields the tiles that it is given, and says how many are done.
Watch = Callable[[Sequence[Tile]], Iterable[Tile]]
#: Similarities in base 2 of two blocks of points, and of what is learned. Its last operation must
#: not need its result for the gradient, since that is overwritten.
Similar = Callable[..., Tensor]


@dataclass(frozen=True)
class Unseen:
    """Which points an anchor does not see.

    Attributes
    ----------
    offset
        Anchor i is point ``offset + i`` and does not see itself; None if it does.
    ids
        Numbers of the anchors ``(n,)`` and of the points ``(N,)``: an anchor does not see points
        of its own number. None if there are none.
    """

    offset: int | None = None
    ids: tuple[Tensor, Tensor] | None = None

    def hide(
        self, s: Tensor, rows: slice, columns: slice = slice(0, None), value: float = -inf
    ) -> Tensor:
        """Put a value where anchors ``rows`` do not see a point of ``columns``."""
        if self.ids is not None:
            s = s.masked_fill_(self.ids[0][rows, None] == self.ids[1][columns], value)
        elif self.offset is not None:
            s.diagonal(self.offset + rows.start - columns.start).fill_(value)
        return s


@dataclass(frozen=True)
class Layout:
    """Which pairs of points stand in a denominator.

    Attributes
    ----------
    n
        Points.
    views
        Equal runs of points that do not see themselves: two towers for CLIP. With one run every
        point sees every other.
    unseen
        What a point does not see; with several runs those of its own.
    watch
        What the tiles of a loss pass through, for a bar of progress.
    """

    n: int
    views: int = 1
    unseen: Unseen = field(default_factory=lambda: Unseen(0))
    watch: Watch | None = None

    @classmethod
    def of_views(
        cls,
        n: int,
        views: int,
        device: torch.device,
        *,
        towers: bool = True,
        anchor: bool = False,
        watch: Watch | None = None,
    ) -> Layout:
        """Runs of points, which do not see themselves if they are towers."""
        if not towers:
            return cls(n, unseen=Unseen(None if anchor else 0), watch=watch)
        run = torch.arange(n, device=device) // (n // views)
        return cls(n, views, Unseen(ids=(run, run)), watch)

    @property
    def own(self) -> Unseen:
        """What no weight is put on: a point itself, or its run."""
        return self.unseen if self.views > 1 else Unseen(0)

    def tiles(self, device: torch.device) -> list[Tile]:
        """Pairs of blocks, each pair once."""
        size = BLOCK if device.type == "cpu" else BLOCK_CUDA
        runs = [_cut(i, self.n // self.views, size) for i in range(self.views)]
        if self.views == 1:
            return [(a, b) for i, a in enumerate(runs[0]) for b in runs[0][i:]]
        later = [(a, b) for i, a in enumerate(runs) for b in runs[i + 1 :]]
        return [(a, b) for one, other in later for a in one for b in other]

    def hide(self, s: Tensor, tile: Tile) -> Tensor:
        """Put -inf where the points of a tile do not see each other."""
        return s if self.views > 1 else self.unseen.hide(s, *tile)


def _cut(run: int, n: int, size: int) -> list[slice]:
    """Blocks of nearly the same size."""
    parts = max(1, -(-n // size))
    ends = [run * n + i * n // parts for i in range(parts + 1)]
    return [slice(a, b) for a, b in pairwise(ends)]


class Softmax:
    """The softmax of each row of similarities, its sums gathered tile by tile.

    Parameters
    ----------
    x
        The points.
    safe
        Whether all similarities are known to be within :data:`SAFE` of zero.
    """

    def __init__(self, x: Tensor, safe: bool) -> None:
        n = x.shape[0]
        self.safe, self.total = safe, x.new_zeros(n)
        lowest = torch.finfo(x.dtype).min  # of nothing seen yet; finite, so that it cancels
        self.top = None if safe else x.new_full((n,), lowest)

    def add(self, s: Tensor, tile: Tile) -> None:
        """Add a tile of similarities, which may be overwritten."""
        powers = s.exp2_() if self.safe else s
        rows, columns = tile
        for side, dim in ((rows, 1),) if rows is columns else ((rows, 1), (columns, 0)):
            if self.top is not None:
                before = self.top[side]
                top = torch.maximum(before, s.amax(dim))
                self.total[side].mul_(torch.exp2(before - top))
                self.top[side] = top
                powers = torch.sub(s, top.unsqueeze(dim)).exp2_()
            self.total[side].add_(powers.sum(dim))

    def close(self) -> Tensor:
        """All tiles have been seen: the logarithm of the sums, in base 2."""
        self.log_sum = self.total.log2()
        if self.top is not None:
            self.log_sum += self.top
        return self.log_sum

    def pulled(self, g: Tensor) -> Tensor:
        """What :meth:`pull` needs to know of the weights g of the rows; 0 without entries."""
        return torch.where(self.total > 0, g / self.total if self.safe else g, 0.0)

    def pull(self, s: Tensor, tile: Tile, pulled: Tensor) -> Tensor:
        """g_i P_ij + g_j P_ji for the softmax P; ``s`` is overwritten."""
        rows, columns = tile
        if self.safe:
            return torch.add(pulled[rows, None], pulled[columns]).mul_(s.exp2_())
        level = self.log_sum.clamp_min(torch.finfo(s.dtype).min)  # -inf less it is -inf
        found = torch.sub(s, level[rows, None]).exp2_().mul_(pulled[rows, None])
        return found.add_(s.sub_(level[columns]).exp2_().mul_(pulled[columns]))


@uncompiled
def log_sums_by_tiles(
    similar: Similar, layout: Layout, safe: bool, x: Tensor, *learned: Tensor
) -> Tensor:
    """log2 sum_j 2^s_ij over what a point sees, ``(n,)``; -inf without any.

    Parameters
    ----------
    similar
        The similarities of two blocks of points.
    layout
        Which pairs there are.
    safe
        Whether all similarities are known to be within :data:`SAFE` of zero.
    x
        Points ``(n, d)``.
    learned
        What else similarities depend on, and may have a gradient.
    """
    found: Tensor = _LogSums.apply(similar, layout, safe, x, *learned)
    return found


def log_sums_by_matrix(similar: Similar, layout: Layout, x: Tensor, *learned: Tensor) -> Tensor:
    """The same by one matrix, which can be differentiated any number of times."""
    s = layout.unseen.hide(similar(x, x, *learned), slice(0, layout.n))
    top = s.detach().amax(1).clamp_min(torch.finfo(s.dtype).min)  # -inf less it is -inf
    total = (s - top[:, None]).exp2().sum(1)
    return total.clamp_min(torch.finfo(s.dtype).tiny).log2() + top


class _LogSums(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, similar: Similar, layout: Layout, safe: bool, x: Tensor, *learned: Tensor
    ) -> Tensor:
        softmax, tiles = Softmax(x, safe), layout.tiles(x.device)
        for tile in tiles if layout.watch is None else layout.watch(tiles):
            s = similar(x[tile[0]], x[tile[1]], *learned)
            softmax.add(layout.hide(s, tile), tile)
        ctx.save_for_backward(x, *learned)
        ctx.parts = similar, layout, softmax, tiles
        return softmax.close().clone()  # itself it would keep ctx, and ctx it: never freed

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor | None, ...]:
        (x, *learned), (similar, layout, softmax, tiles) = ctx.saved_tensors, ctx.parts
        if torch.is_grad_enabled():  # the gradient is to be differentiated
            again = log_sums_by_matrix(similar, layout, x, *learned)
            return None, None, None, *differentiated(again, g, x, *learned)
        pulled = softmax.pulled(g)
        learned = [k.detach().requires_grad_() for k in learned]
        found = [torch.zeros_like(k) for k in (x, *learned)]
        for tile in tiles:
            a, b = (x[k].detach().requires_grad_() for k in tile)
            with torch.enable_grad():
                s = similar(a, b, *learned)
            h = softmax.pull(layout.hide(s.detach(), tile), tile, pulled)
            both = (a,) if tile[0] is tile[1] else (a, b)  # with itself it has each pair twice
            slopes = torch.autograd.grad(s, (*both, *learned), h)
            for side, slope in zip(tile, slopes[: len(both)], strict=False):
                found[0][side] += slope
            for total, slope in zip(found[1:], slopes[len(both) :], strict=True):
                total += slope * (len(both) / 2)
        return None, None, None, *found


def differentiated(value: Tensor, g: Tensor, *inputs: Tensor) -> tuple[Tensor | None, ...]:
    """The gradient of a value, to be differentiated once more."""
    needed = [x for x in inputs if x.requires_grad]
    found = iter(torch.autograd.grad(value, needed, g, create_graph=True, allow_unused=True))
    return tuple(next(found) if x.requires_grad else None for x in inputs)

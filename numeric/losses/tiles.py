r"""Softmaxes over the pairs of n points, tile by tile: memory O(n d) and one tile.

Similarities are kept in base 2, so that ``exp2``, which is faster than ``exp``, is all that is
needed. They are symmetric: a tile serves its rows and its columns, and every pair of blocks is
visited once.

Similarities within :data:`SAFE` of zero are raised to powers of two as they are, once for both
sides of a tile. Else (small temperatures, long vectors) each side is first shifted by its own
largest entry, and what was summed before is shifted along.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf

import torch
from torch import Tensor

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
    anchor
        Whether a point sees itself.
    block
        Points in a block; 0 for what suits the device.
    watch
        What the tiles of a loss pass through, for a bar of progress.
    """

    n: int
    views: int = 1
    anchor: bool = False
    block: int = 0
    watch: Watch | None = None

    def tiles(self, device: torch.device) -> list[Tile]:
        """Pairs of blocks, each pair once."""
        size = self.block or (BLOCK if device.type == "cpu" else BLOCK_CUDA)
        runs = [_cut(i, self.n // self.views, size) for i in range(self.views)]
        if self.views == 1:
            return [(a, b) for i, a in enumerate(runs[0]) for b in runs[0][i:]]
        later = [(a, b) for i, a in enumerate(runs) for b in runs[i + 1 :]]
        return [(a, b) for one, other in later for a in one for b in other]


def _cut(run: int, n: int, size: int) -> list[slice]:
    """Blocks of nearly the same size."""
    parts = max(1, -(-n // size))
    ends = [run * n + i * n // parts for i in range(parts + 1)]
    return [slice(a, b) for a, b in pairwise(ends)]


class Similarities:
    """Similarities of points in base 2, as tiles.

    Parameters
    ----------
    x
        Points ``(n, d)``. A similarity is their inner product, or minus half of their squared
        distance.
    euclidean
        Whether it is the latter.
    anchor
        Whether a point has a similarity with itself; else that is -inf.
    safe
        Whether all are known to be within :data:`SAFE` of zero.
    ids
        Numbers of the points; those of one number do not see each other.
    """

    def __init__(
        self,
        x: Tensor,
        euclidean: bool,
        anchor: bool,
        safe: bool,
        ids: Tensor | None = None,
    ) -> None:
        self.x, self.anchor, self.safe, self.ids = x, anchor, safe, ids
        self.half = x.square().sum(1).mul_(0.5) if euclidean else None

    def tile(self, tile: Tile, out: Tensor) -> Tensor:
        """The similarities of two blocks."""
        rows, columns = tile
        torch.mm(self.x[rows], self.x[columns].T, out=out)
        if self.half is not None:
            out.sub_(self.half[rows, None]).sub_(self.half[columns])
        if self.ids is not None:
            out.masked_fill_(self.ids[rows, None] == self.ids[columns], -inf)
        elif rows is columns and not self.anchor:
            out.fill_diagonal_(-inf)
        return out


class Buffers:
    """Room for ``count`` tiles, used again for each."""

    def __init__(self, like: Tensor, tiles: list[Tile], count: int) -> None:
        most = max(map(_area, tiles), default=0)
        self.rooms = [like.new_empty(most) for _ in range(count)]

    def at(self, tile: Tile) -> list[Tensor]:
        """One after the other, in the shape of a tile."""
        rows, columns = tile
        shape = rows.stop - rows.start, columns.stop - columns.start
        return [room[: shape[0] * shape[1]].view(shape) for room in self.rooms]


def _area(tile: Tile) -> int:
    rows, columns = tile
    return int((rows.stop - rows.start) * (columns.stop - columns.start))


class Softmax:
    """The softmax of each row of similarities, its sums gathered tile by tile.

    Parameters
    ----------
    of
        The similarities.
    weighs
        Whether means of other numbers under the softmax are wanted.
    """

    def __init__(self, of: Similarities, weighs: bool = False) -> None:
        n = of.x.shape[0]
        self.safe = of.safe
        self.total = of.x.new_zeros(n)
        self.product = of.x.new_zeros(n) if weighs else None
        lowest = torch.finfo(of.x.dtype).min  # of nothing seen yet; finite, so that it cancels
        self.top = None if self.safe else of.x.new_full((n,), lowest)

    def add(self, s: Tensor, tile: Tile, room: Tensor, values: Tensor | None = None) -> None:
        """Add a tile of similarities; in ``room`` stands 2^s afterwards, if that is safe."""
        if self.safe:
            torch.exp2(s, out=room)
        for side, dim in sides(tile):
            if self.top is not None:
                before = self.top[side]
                top = torch.maximum(before, s.amax(dim))
                shift = torch.exp2(before - top)
                self.total[side].mul_(shift)
                if self.product is not None:
                    self.product[side].mul_(shift)
                self.top[side] = top
                torch.sub(s, top.unsqueeze(dim), out=room).exp2_()
            self.total[side].add_(room.sum(dim))
            if self.product is not None and values is not None:
                self.product[side].add_((room * values).sum(dim))

    def close(self) -> Tensor:
        """All tiles have been seen: the logarithm of the sums, in base 2."""
        self.log_sum = self.total.log2()
        if self.top is not None:
            self.log_sum += self.top
        return self.log_sum

    def mean(self) -> Tensor:
        """The means of the values."""
        assert self.product is not None
        return self.product / self.total

    def pulled(self, g: Tensor) -> Tensor:
        """What :meth:`pull` needs to know of the weights g of the rows; 0 without entries."""
        return torch.where(self.total > 0, g / self.total if self.safe else g, 0.0)

    def pull(
        self, s: Tensor, tile: Tile, room: Tensor, pulled: Tensor, powers: Tensor | None = None
    ) -> Tensor:
        """g_i P_ij + g_j P_ji for the softmax P, in ``room``; ``s`` is overwritten.

        ``powers`` are 2^s where they are still known.
        """
        rows, columns = tile
        if self.safe:
            torch.add(pulled[rows, None], pulled[columns], out=room)
            return room.mul_(s.exp2_() if powers is None else powers)
        level = self.log_sum.clamp_min(torch.finfo(s.dtype).min)  # -inf less it is -inf
        torch.sub(s, level[rows, None], out=room).exp2_().mul_(pulled[rows, None])
        s.sub_(level[columns]).exp2_().mul_(pulled[columns])
        return room.add_(s)


def sides(tile: Tile) -> tuple[tuple[slice, int], ...]:
    """The blocks of a tile, one or two, with the dimension that is summed over for each."""
    rows, columns = tile
    return ((rows, 1),) if rows is columns else ((rows, 1), (columns, 0))


def differentiated(value: Tensor, g: Tensor, *of: Tensor) -> tuple[Tensor | None, ...]:
    """The gradient of a value, to be differentiated once more."""
    needed = [x for x in of if x.requires_grad]
    found = iter(torch.autograd.grad(value, needed, g, create_graph=True, allow_unused=True))
    return tuple(next(found) if x.requires_grad else None for x in of)

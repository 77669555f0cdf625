r"""InfoNCE with kernels of distances: value and gradient, tile by tile.

.. math:: L = -\frac1n \sum_i \frac{1}{V - 1} \sum_{j \in P_i}
   \log \frac{K(u_i, u_j)}{\sum_{k \ne i} K(u_i, u_k)}, \qquad
   K(u, v) = \sum_m \lambda_m e^{-\lvert u - v\rvert_m^{\gamma_m} / \tau_m}

P_i are the other V - 1 views of the sample of u_i; a term m may look at some of the features only.

A power gamma < 2 of a distance is sensitive to rounding where points are near each other, and has
no derivative where they coincide. Distances are squares and inner products of centred points, but
those of near pairs, and of positives, are formed from differences, and so is what such a pair
pulls with. Where two points coincide the gradient of their distance is taken to be zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf, log, log2
from typing import Any

import torch
from torch import Tensor

from .tiles import SAFE, Layout, Similarities, Softmax, Tile
from .weights import FAR, LOG2E

LN2 = log(2)
#: Pairs with |x - y|^2 below this part of |x|^2 + |y|^2 are near: their difference is formed. Above
#: it rounding changes a squared distance by some 32 units in its last place.
NEAR = 2.0**-5
#: Differences that are formed at once.
CHUNK = 2**15
#: Points coincide whose squared distance is below so many times the least normal number: in
#: float32 that is a distance of 1e-16. Nearer ones could overflow a slope.
COINCIDE = 2.0**20

#: Pairs in a tile, as rows and columns; None where no term asks.
Near = tuple[Tensor, Tensor] | None


@dataclass(frozen=True)
class Exponential:
    """One term of a kernel: ``weight * exp(-|x - y|^gamma / tau)``.

    Attributes
    ----------
    gamma
        The power of the distance, positive.
    tau
        Temperature; a tensor with one entry may require a gradient.
    weight
        Its share of the kernel, positive.
    part
        The features it looks at: of ``parts`` equal runs, this one; all of them with one run.
    """

    gamma: float
    tau: float | Tensor
    weight: float = 1.0
    part: int = 0

    def reach(self, longest: float, eps: float) -> float:
        """The largest exponent, in base 2, of points that are no longer than ``longest``."""
        try:
            power = (4 * longest**2 + eps**2) ** (self.gamma / 2)
        except OverflowError:
            return inf
        return power * LOG2E / float(torch.as_tensor(self.tau).detach()) + abs(log2(self.weight))


# Compilers would trace the tiles one by one.
@torch.compiler.disable  # type: ignore[untyped-decorator]
def kernel_infonce(
    z: Tensor,
    terms: Sequence[Exponential],
    views: int,
    *,
    parts: int = 1,
    eps: float = 0.0,
    normalize: bool = True,
    layout: Layout | None = None,
    each: bool = False,
    check: bool = True,
) -> Tensor:
    """The loss, of each anchor or their mean.

    Parameters
    ----------
    z
        Embeddings ``(n, d)`` in float32 or float64, view after view.
    terms
        The terms of the kernel.
    views
        Views of a sample, two or more, each a run of n / views points.
    parts
        Equal runs of features that terms may look at.
    eps
        Distances are (|x - y|^2 + eps^2)^(1/2).
    normalize
        Whether embeddings are scaled to unit length first, all features together.
    layout
        Which pairs stand in a denominator; by default all but a point with itself.
    each
        Whether the loss of each anchor is wanted, and not the mean.
    check
        Whether embeddings that are zero or not finite are refused; that waits for the device.

    Returns
    -------
    loss
        A number, or ``(n,)``.

    Raises
    ------
    ValueError
        If an embedding is not finite, or is zero and has no direction, or if distances are so
        large that their powers overflow.
    """
    longest = 1.0 if normalize else inf
    if check:
        lengths = torch.linalg.vector_norm(z.detach(), dim=1)
        least, most = (float(end) for end in lengths.aminmax())
        if not most < inf:
            row = int((~lengths.isfinite()).nonzero()[0])
            raise ValueError(f"embedding {row} is not finite")
        if normalize and least == 0:
            row = int((lengths == 0).nonzero()[0])
            raise ValueError(f"embedding {row} is zero, which has no direction")
        longest = 1.0 if normalize else most
    reach = max(term.reach(longest, eps) for term in terms)
    if check and reach == inf:
        raise ValueError(f"embeddings as long as {longest:g} have distances that overflow")
    dtype = z.dtype
    if dtype is torch.float32 and FAR < reach < inf:  # float32 does not hold such exponents
        z = z.double()
    if normalize:
        norms = torch.linalg.vector_norm(z, dim=1, keepdim=True)
        z = z / torch.where(norms == 0, inf, norms)  # a zero vector stays, without a gradient
    layout = layout or Layout(z.shape[0])
    kernel = [(term.gamma, term.weight, term.part) for term in terms]
    taus = [term.tau for term in terms]
    safe = reach <= SAFE[z.dtype]
    loss: Tensor = _KernelInfoNCE.apply(z, kernel, views, parts, eps, layout, safe, each, *taus)
    return loss.to(dtype)


class _Part:
    """Some of the features: squared distances in them, as tiles."""

    def __init__(self, u: Tensor, sharp: bool) -> None:
        self.u, self.sharp = u, sharp
        self.x = u - u.mean(0)  # distances stay, and rounding falls
        self.squares = self.x.square().sum(1)

    def tile(self, tile: Tile) -> tuple[Tensor, Near]:
        """Squared distances of two blocks; which pairs are near, if a term is sharp."""
        rows, columns = tile
        sums = self.squares[rows, None] + self.squares[columns]
        d = torch.addmm(sums, self.x[rows], self.x[columns].T, alpha=-2)
        near: Near = None
        if self.sharp:
            is_near = d <= sums.mul_(NEAR)
            if rows is columns:
                is_near.fill_diagonal_(False)
            i, j = is_near.nonzero(as_tuple=True)
            for a, b in zip(i.split(CHUNK), j.split(CHUNK), strict=True):
                d[a, b] = self.between(a + rows.start, b + columns.start).square().sum(1)
            near = i, j
        d.clamp_min_(0)
        if rows is columns:
            d.fill_diagonal_(0)
        return d, near

    def between(self, a: Tensor | slice, b: Tensor | slice) -> Tensor:
        """Differences of points."""
        return self.u[a] - self.u[b]


class _Term:
    """A term beside its part: exponents in base 2, and what they come to in a gradient."""

    def __init__(
        self, gamma: float, weight: float, part: int, tau: float | Tensor, like: Tensor
    ) -> None:
        self.gamma, self.part, self.shift = gamma, part, log2(weight)
        self.shape = tau.shape if isinstance(tau, Tensor) else None
        self.tau = tau.detach().to(like).reshape(()) if isinstance(tau, Tensor) else tau
        self.scale = LOG2E / self.tau

    def power(self, d: Tensor) -> Tensor:
        """The distance to the power gamma over tau, from its square."""
        if self.gamma == 2:
            return d * self.scale
        return (d.sqrt() if self.gamma == 1 else d.pow(self.gamma / 2)).mul_(self.scale)

    def slope(self, power: Tensor, d: Tensor) -> Tensor:
        """The derivative of the power in d, which is 0 where points coincide."""
        if self.gamma == 2:
            return torch.as_tensor(self.scale, dtype=d.dtype, device=d.device).expand_as(d)
        coincide = d < COINCIDE * torch.finfo(d.dtype).tiny
        return (power / d).mul_(self.gamma / 2).masked_fill_(coincide, 0.0)


class _Kernel:
    """The logarithm of the kernel in base 2, and its gradient; tile by tile, or pair by pair."""

    def __init__(self, parts: list[_Part], terms: list[_Term], eps: float) -> None:
        self.parts, self.terms, self.square = parts, terms, eps**2
        self.d_parts = [torch.zeros_like(part.u) for part in parts]
        self.rows = [torch.zeros_like(part.squares) for part in parts]
        self.d_taus = [parts[0].u.new_zeros(()) for _ in terms]

    def logarithm(self, squares: Sequence[Tensor]) -> Tensor:
        """The logarithm at squared distances in the parts."""
        return self._terms(squares)[0]

    def _terms(self, squares: Sequence[Tensor]) -> tuple[Tensor, list[Tensor], list[Tensor]]:
        """It; and powers and squared distances of each term."""
        d = [squares[term.part] for term in self.terms]
        if self.square:
            d = [part + self.square for part in d]
        powers = [term.power(part) for term, part in zip(self.terms, d, strict=True)]
        s = self.terms[0].shift - powers[0]
        for term, power in zip(self.terms[1:], powers[1:], strict=True):
            s = torch.logaddexp2(s, term.shift - power)
        return s, powers, d

    def slopes(self, h: Tensor, squares: Sequence[Tensor], share: float = 1.0) -> list[Tensor]:
        """What h times the logarithm comes to by squared distances, for each part.

        And by temperatures, of which only ``share`` is counted.
        """
        found = [torch.zeros_like(h) for _ in self.parts]
        s, powers, d = self._terms(squares)
        for m, term in enumerate(self.terms):
            weight = h if len(self.terms) == 1 else (term.shift - powers[m] - s).exp2_().mul_(h)
            if isinstance(term.tau, Tensor):
                self.d_taus[m] += share / term.tau * (weight * powers[m]).sum()
            found[term.part].addcmul_(weight, term.slope(powers[m], d[m]), value=-1)
        return found

    def squares(self, tile: Tile) -> tuple[list[Tensor], list[Near]]:
        """Squared distances of two blocks in each part, and the pairs that are near."""
        found = [part.tile(tile) for part in self.parts]
        return [d for d, _ in found], [near for _, near in found]

    def pull(self, h: Tensor, tile: Tile, squares: Sequence[Tensor], near: Sequence[Near]) -> None:
        """Add what h, a tile, times the logarithm comes to."""
        rows, columns = tile
        slopes = self.slopes(h, squares, 0.5 if rows is columns else 1.0)
        for p, (part, c) in enumerate(zip(self.parts, slopes, strict=True)):
            pairs = near[p]
            if pairs is not None:
                i, j = pairs
                at = c[i, j]
                c[i, j] = 0.0
                for a, b, weight in zip(
                    (i + rows.start).split(CHUNK),
                    (j + columns.start).split(CHUNK),
                    at.split(CHUNK),
                    strict=True,
                ):
                    force = part.between(a, b).mul_(2 * weight[:, None])
                    self.d_parts[p].index_add_(0, a, force)
                    if rows is not columns:
                        self.d_parts[p].index_add_(0, b, force, alpha=-1)
            self.rows[p][rows] += c.sum(1)
            self.d_parts[p][rows].addmm_(c, part.x[columns], alpha=-2)
            if rows is not columns:
                self.rows[p][columns] += c.sum(0)
                self.d_parts[p][columns].addmm_(c.T, part.x[rows], alpha=-2)

    def pull_run(self, h: Tensor, a: slice, b: slice) -> None:
        """The same of pairs, one run of points beside another."""
        differences = [part.between(a, b) for part in self.parts]
        slopes = self.slopes(h, [part.square().sum(1) for part in differences])
        for d_part, part, c in zip(self.d_parts, differences, slopes, strict=True):
            force = part.mul_(2 * c[:, None])
            d_part[a] += force
            d_part[b] -= force

    def gradient(self) -> Tensor:
        """By all features of all points."""
        for d_part, part, rows in zip(self.d_parts, self.parts, self.rows, strict=True):
            d_part.addcmul_(part.x, rows[:, None], value=2)
        return self.d_parts[0] if len(self.parts) == 1 else torch.cat(self.d_parts, 1)


class _KernelInfoNCE(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        u: Tensor,
        shapes: list[tuple[float, float, int]],
        views: int,
        parts: int,
        eps: float,
        layout: Layout,
        safe: bool,
        each: bool,
        *taus: float | Tensor,
    ) -> Tensor:
        kernel = _Kernel(
            [
                _Part(x.contiguous(), any(g < 2 for g, _, part in shapes if part == p))
                for p, x in enumerate(u.tensor_split(parts, 1))
            ],
            [_Term(*shape, tau, u) for shape, tau in zip(shapes, taus, strict=True)],
            eps,
        )
        softmax = Softmax(Similarities(u, False, layout.anchor, safe))
        tiles = layout.tiles(u.device)
        for tile in tiles if layout.watch is None else layout.watch(tiles):
            squares, near = kernel.squares(tile)
            s = _seen(kernel.logarithm(squares), tile, layout)
            softmax.add(s, tile, torch.empty_like(s))
        losses = softmax.close().clone()
        pairs = _positives(u.shape[0], views)
        for a, b in pairs:
            s = kernel.logarithm([part.between(a, b).square().sum(1) for part in kernel.parts])
            losses[a] -= s / (views - 1)
            losses[b] -= s / (views - 1)
        share = LN2 if each else LN2 / len(losses)
        # One tile is small enough to keep what was computed.
        ctx.kept = (squares, near) if len(tiles) == 1 else None
        ctx.parts = kernel, softmax, layout, tiles, pairs, share, views
        return (losses if each else losses.sum()) * share

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor | None, ...]:
        if torch.is_grad_enabled():  # else a penalty on gradients would be dropped unnoticed
            raise RuntimeError("this loss has no second derivative: create_graph=True is refused")
        kernel, softmax, layout, tiles, pairs, share, views = ctx.parts
        kernel = _Kernel(kernel.parts, kernel.terms, kernel.square**0.5)
        g = (g * share).expand_as(softmax.log_sum)
        pulled = softmax.pulled(g)
        for tile in tiles:
            squares, near = ctx.kept or kernel.squares(tile)
            s = _seen(kernel.logarithm(squares), tile, layout)
            kernel.pull(softmax.pull(s, tile, torch.empty_like(s), pulled), tile, squares, near)
        for a, b in pairs:
            kernel.pull_run((g[a] + g[b]) / (1 - views), a, b)
        d_taus = [
            None if term.shape is None else d.reshape(term.shape)
            for d, term in zip(kernel.d_taus, kernel.terms, strict=True)
        ]
        return kernel.gradient(), *[None] * 7, *d_taus


def _seen(s: Tensor, tile: Tile, layout: Layout) -> Tensor:
    """A point does not see itself, unless the layout says so."""
    return s.fill_diagonal_(-inf) if tile[0] is tile[1] and not layout.anchor else s


def _positives(n: int, views: int) -> list[tuple[slice, slice]]:
    """Runs of points beside each other: the views of the same samples, each two of them once."""
    runs = [slice(v * n // views, (v + 1) * n // views) for v in range(views)]
    return list(combinations(runs, 2))

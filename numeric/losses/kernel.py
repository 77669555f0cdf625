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

from .directions import check_directions, directions, longest_length
from .tiles import SAFE, Layout, Similarities, Softmax, Tile, differentiated
from .uncompiled import uncompiled
from .weights import FAR, LOG2E

LN2 = log(2)
#: Pairs with |x - y|^2 below this part of |x|^2 + |y|^2 are near: their difference is formed. Above
#: it rounding changes a squared distance by some 32 units in its last place.
NEAR = 2.0**-5
#: Differences that are formed at once.
CHUNK = 2**15
#: Slopes grow no further below squared distances of so many times the least normal number, else
#: they could overflow: in float32 that is a distance of 1e-16.
LEAST = 2.0**20

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


@uncompiled
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
    if check and normalize:
        check_directions(z, "embedding")
    elif check:
        longest = longest_length(z.detach())
    reach = max(term.reach(longest, eps) for term in terms)
    if check and reach == inf:
        raise ValueError(f"distances overflow for embeddings as long as {longest:g}")
    dtype = z.dtype
    if dtype is torch.float32 and FAR < reach < inf:  # float32 does not hold such exponents
        z = z.double()
    if normalize:
        z = directions(z)[0]
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
        self.least = LEAST * torch.finfo(like.dtype).tiny

    def power(self, d: Tensor) -> Tensor:
        """The distance to the power gamma over tau, from its square."""
        if self.gamma == 2:
            return d * self.scale
        if self.gamma in (1, 0.5):  # roots are quicker than powers
            root = d.sqrt()
            return (root if self.gamma == 1 else root.sqrt_()).mul_(self.scale)
        return d.pow(self.gamma / 2).mul_(self.scale)

    def slope(self, power: Tensor, d: Tensor, h: Tensor) -> Tensor:
        """h times the derivative of minus the power in d; 0 where points coincide."""
        if self.gamma == 2:
            return h * -self.scale
        # The power is 0 where d is, and so is this.
        return (power / d.clamp_min(self.least)).mul_(h).mul_(-self.gamma / 2)


@dataclass(frozen=True)
class _Found:
    """Squared distances of pairs in each part; powers and logarithms are of each term."""

    squares: list[Tensor]
    powers: list[Tensor]
    near: list[Near]


class _Kernel:
    """The logarithm of the kernel in base 2, and its gradient; tile by tile, or run by run."""

    def __init__(self, parts: list[_Part], terms: list[_Term], eps: float) -> None:
        self.parts, self.terms, self.eps = parts, terms, eps

    def tile(self, tile: Tile) -> _Found:
        """Of two blocks."""
        found = [part.tile(tile) for part in self.parts]
        return self._found([d for d, _ in found], [near for _, near in found])

    def run(self, differences: list[Tensor]) -> _Found:
        """Of pairs, from their differences in each part."""
        return self._found([part.square().sum(1) for part in differences], [])

    def differences(self, a: slice, b: slice) -> list[Tensor]:
        """In each part, one run of points beside another."""
        return [part.between(a, b) for part in self.parts]

    def _found(self, squares: list[Tensor], near: list[Near]) -> _Found:
        if self.eps:
            squares = [d + self.eps**2 for d in squares]
        powers = [term.power(squares[term.part]) for term in self.terms]
        return _Found(squares, powers, near)

    def logarithms(self, found: _Found) -> list[Tensor]:
        """Of each term."""
        return [term.shift - p for term, p in zip(self.terms, found.powers, strict=True)]

    def logarithm(self, found: _Found) -> Tensor:
        """Of their sum."""
        first, *others = self.logarithms(found)
        for other in others:
            first = torch.logaddexp2(first, other)
        return first


class _Gradient:
    """What logarithms of the kernel come to by points and by temperatures, summed up."""

    def __init__(self, kernel: _Kernel) -> None:
        self.kernel = kernel
        self.d_parts = [torch.zeros_like(part.u) for part in kernel.parts]
        self.rows = [torch.zeros_like(part.squares) for part in kernel.parts]
        self.d_taus = [kernel.parts[0].u.new_zeros(()) for _ in kernel.terms]

    def slopes(self, h: Tensor, found: _Found, share: float = 1.0) -> list[Tensor]:
        """What h times the logarithm comes to by squared distances, for each part.

        By temperatures only ``share`` of it is counted.
        """
        slopes: dict[int, Tensor] = {}
        logarithms = self.kernel.logarithms(found) if len(self.kernel.terms) > 1 else []
        for m, (term, power) in enumerate(zip(self.kernel.terms, found.powers, strict=True)):
            weight = h
            if logarithms:  # the share of this term in the kernel
                total = torch.ones_like(h)
                for k, other in enumerate(logarithms):
                    if k != m:
                        total.add_(torch.exp2(other - logarithms[m]))
                weight = total.reciprocal_().mul_(h)
            if term.shape is not None:
                self.d_taus[m] += share / term.tau * (weight * power).sum()
            slope = term.slope(power, found.squares[term.part], weight)
            before = slopes.get(term.part)
            slopes[term.part] = slope if before is None else before.add_(slope)
        return [slopes[p] for p in range(len(self.kernel.parts))]

    def pull(self, h: Tensor, tile: Tile, found: _Found) -> None:
        """Add what h, a tile, times the logarithm comes to."""
        rows, columns = tile
        slopes = self.slopes(h, found, 0.5 if rows is columns else 1.0)
        for part, near, c, d_part, row in zip(
            self.kernel.parts, found.near, slopes, self.d_parts, self.rows, strict=True
        ):
            if near is not None:
                i, j = near
                at = c[i, j]
                c[i, j] = 0.0
                for a, b, weight in zip(
                    (i + rows.start).split(CHUNK),
                    (j + columns.start).split(CHUNK),
                    at.split(CHUNK),
                    strict=True,
                ):
                    force = part.between(a, b).mul_(2 * weight[:, None])
                    d_part.index_add_(0, a, force)
                    if rows is not columns:
                        d_part.index_add_(0, b, force, alpha=-1)
            row[rows] += c.sum(1)
            d_part[rows].addmm_(c, part.x[columns], alpha=-2)
            if rows is not columns:
                row[columns] += c.sum(0)
                d_part[columns].addmm_(c.T, part.x[rows], alpha=-2)

    def pull_run(self, h: Tensor, a: slice, b: slice) -> None:
        """The same of pairs, one run of points beside another."""
        differences = self.kernel.differences(a, b)
        slopes = self.slopes(h, self.kernel.run(differences))
        for d_part, part, c in zip(self.d_parts, differences, slopes, strict=True):
            force = part.mul_(2 * c[:, None])
            d_part[a] += force
            d_part[b] -= force

    def close(self) -> list[Tensor]:
        """All has been seen: the gradient by the features of each part."""
        for d_part, part, row in zip(self.d_parts, self.kernel.parts, self.rows, strict=True):
            d_part.addcmul_(part.x, row[:, None], value=2)
        return self.d_parts


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
        ctx.given = shapes, views, parts, eps, layout, each
        ctx.fixed = [None if isinstance(tau, Tensor) else tau for tau in taus]
        ctx.save_for_backward(u, *(tau for tau in taus if isinstance(tau, Tensor)))
        features = u.tensor_split(parts, 1)
        used = sorted({part for _, _, part in shapes})
        kernel = _Kernel(
            [
                _Part(features[p].contiguous(), any(g < 2 for g, _, part in shapes if part == p))
                for p in used
            ],
            [
                _Term(gamma, weight, used.index(part), tau, u)
                for (gamma, weight, part), tau in zip(shapes, taus, strict=True)
            ],
            eps,
        )
        softmax = Softmax(Similarities(u, False, layout.anchor, safe))
        tiles = layout.tiles(u.device)
        for tile in tiles if layout.watch is None else layout.watch(tiles):
            found = kernel.tile(tile)
            s = _seen(kernel.logarithm(found), tile, layout)
            softmax.add(s, tile, room := torch.empty_like(s))
        losses = softmax.close().clone()
        pairs = _positives(u.shape[0], views)
        for a, b in pairs:
            s = kernel.logarithm(kernel.run(kernel.differences(a, b))).div_(views - 1)
            losses[a] -= s
            losses[b] -= s
        share = LN2 if each else LN2 / len(losses)
        # One tile is small enough to keep what was computed.
        ctx.kept = (found, room) if len(tiles) == 1 else None
        ctx.parts = kernel, softmax, layout, tiles, pairs, share, views
        ctx.features = used, [part.shape for part in features]
        return (losses if each else losses.sum()) * share

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor | None, ...]:
        if torch.is_grad_enabled():  # the gradient is to be differentiated
            u, *learned = ctx.saved_tensors
            rest = iter(learned)
            taus = [next(rest) if tau is None else u.new_tensor(tau) for tau in ctx.fixed]
            d_u, *d_taus = differentiated(_dense(u, taus, *ctx.given), g, u, *taus)
            return d_u, *[None] * 7, *d_taus
        kernel, softmax, layout, tiles, pairs, share, views = ctx.parts
        gradient = _Gradient(kernel)
        g = (g * share).expand_as(softmax.log_sum)
        pulled = softmax.pulled(g)
        for tile in tiles:
            seen, powers = ctx.kept or (kernel.tile(tile), None)
            if softmax.safe and powers is not None:
                h = softmax.pull(powers, tile, torch.empty_like(powers), pulled, powers)
            else:
                s = _seen(kernel.logarithm(seen), tile, layout)
                h = softmax.pull(s, tile, torch.empty_like(s), pulled)
            gradient.pull(h, tile, seen)
        for a, b in pairs:
            gradient.pull_run((g[a] + g[b]) / (1 - views), a, b)
        d_taus = [
            None if term.shape is None else d.reshape(term.shape)
            for d, term in zip(gradient.d_taus, kernel.terms, strict=True)
        ]
        found = dict(zip(ctx.features[0], gradient.close(), strict=True))
        d_parts = [
            found[p] if p in found else softmax.log_sum.new_zeros(shape)
            for p, shape in enumerate(ctx.features[1])
        ]
        return d_parts[0] if len(d_parts) == 1 else torch.cat(d_parts, 1), *[None] * 7, *d_taus


def _dense(
    u: Tensor,
    taus: Sequence[Tensor],
    shapes: list[tuple[float, float, int]],
    views: int,
    parts: int,
    eps: float,
    layout: Layout,
    each: bool,
) -> Tensor:
    """The loss by all differences, n x n x d, in the words of the formula."""
    logarithms, size = [], len(u) // views
    for (gamma, weight, part), tau in zip(shapes, taus, strict=True):
        x = u.tensor_split(parts, 1)[part]
        power = (x[:, None] - x).square().sum(2) + eps**2
        if gamma != 2:  # derivatives are taken to be zero where points coincide
            is_one = power == 0
            power = power.masked_fill(is_one, 1.0).pow(gamma / 2).masked_fill(is_one, 0.0)
        logarithms.append(log(weight) - power / tau.to(u))
    s = torch.stack(logarithms).logsumexp(0)
    places = torch.arange(len(u), device=u.device)
    own, same_run = (k[:, None] == k for k in (places, places // size))
    hidden = same_run if layout.views > 1 else own & (not layout.anchor)
    positive = (places % size == (places % size)[:, None]) & ~own
    losses = s.masked_fill(hidden, -inf).logsumexp(1) - (s * positive).sum(1) / (views - 1)
    return losses if each else losses.mean()


def _seen(s: Tensor, tile: Tile, layout: Layout) -> Tensor:
    """A point does not see itself, unless the layout says so."""
    return s.fill_diagonal_(-inf) if tile[0] is tile[1] and not layout.anchor else s


def _positives(n: int, views: int) -> list[tuple[slice, slice]]:
    """Runs of points beside each other: the views of the same samples, each two of them once."""
    runs = [slice(v * n // views, (v + 1) * n // views) for v in range(views)]
    return list(combinations(runs, 2))

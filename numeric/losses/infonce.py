r"""Weighted InfoNCE: value and gradient, for all weights and both similarities.

.. math:: L = -\frac1n \sum_i \sum_{j \ne i} \frac{w_{ij}}{\sum_{k \ne i} w_{ik}}
   \log \frac{e^{s_{ij}}}{\sum_{k \ne i} e^{s_{ik}}}

For each anchor it is the logarithm of its denominator less the mean of its similarities under
the weights. Its gradient is a symmetric matrix of coefficients, one part for each of the two,
which is formed tile by tile and multiplied onto the points: nothing of size n x n is kept. For
classes the second part is sums over classes.
"""

from __future__ import annotations

from math import inf, isfinite, log, sqrt
from typing import Any, Literal

import torch
from torch import Tensor

from .directions import check_directions, directions, longest_length
from .tiles import SAFE, Buffers, Layout, Similarities, Softmax, differentiated
from .uncompiled import uncompiled
from .weights import FAR, LOG2E, Weights

LN2 = log(2)
Reduction = Literal["none", "zero", "skip"]


@uncompiled
def weighted_infonce(
    z: Tensor,
    weights: Weights,
    tau: float | Tensor = 1.0,
    *,
    euclidean: bool = False,
    normalize: bool = True,
    layout: Layout | None = None,
    reduction: Reduction = "skip",
    check: bool = True,
) -> tuple[Tensor, Tensor | None]:
    """The loss, of each anchor or their mean.

    Parameters
    ----------
    z
        Embeddings ``(n, d)`` in float32 or float64.
    weights
        The weights of pairs.
    tau
        Similarities are cosines (inner products without ``normalize``) over tau, or minus
        squared distances over tau. A tensor with one entry may require a gradient.
    euclidean, normalize
        Whether it is distances, and whether embeddings are scaled to unit length first.
    layout
        Which pairs stand in a denominator; by default all but a point with itself.
    reduction
        ``"none"`` for the loss of each anchor, 0 for those without weights; ``"zero"`` for the mean
        of these; ``"skip"`` for the mean over anchors with weights, 0 if there are none.
    check
        Whether embeddings that are zero or not finite are refused; that waits for the device.

    Returns
    -------
    loss, has
        The loss, and whether each anchor has weights; None if all of them have.

    Raises
    ------
    ValueError
        If an embedding is not finite, or is zero and has no direction.
    """
    layout = layout or Layout(z.shape[0])
    if z.shape[0] == 1:  # no pair; what is nan stays nan
        nothing = (z * 0).sum(1) + (tau * 0 if isinstance(tau, Tensor) else 0)
        is_one = reduction == "none"
        return nothing if is_one else nothing.sum(), nothing.new_zeros(1, dtype=torch.bool)
    wide = check and z.dtype is torch.float32 and (weights.far or _far(z, tau, euclidean))
    loss, has = _WeightedInfoNCE.apply(
        z.double() if wide else z, tau, weights, layout, euclidean, normalize, reduction, check
    )
    return loss.to(z.dtype), has


def _far(z: Tensor, tau: float | Tensor, euclidean: bool) -> bool:
    """Whether float32 does not hold distances beside the lengths from their centre."""
    if not euclidean:
        return False
    z = z.detach()
    return float((z - z.mean(0)).square().sum(1).max()) * 2 * LOG2E > FAR * float(tau)


class _WeightedInfoNCE(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        z: Tensor,
        tau: float | Tensor,
        weights: Weights,
        layout: Layout,
        euclidean: bool,
        normalize: bool,
        reduction: Reduction,
        check: bool,
    ) -> tuple[Tensor, Tensor | None]:
        ctx.given = weights, layout, euclidean, normalize, reduction
        ctx.save_for_backward(z, tau if isinstance(tau, Tensor) else z.new_tensor(tau))
        scale: Any = (2 if euclidean else 1) * LOG2E / tau
        scale = scale.sqrt() if isinstance(scale, Tensor) else sqrt(scale)
        if euclidean and not normalize:
            z = z - z.mean(0)  # distances stay, and rounding falls
        if normalize:
            if check:
                check_directions(z, "embedding")
            unit, lengths = directions(z)
            longest, factor, x = 1.0, scale / lengths, unit * scale
        else:
            longest = longest_length(z) if check else inf
            factor, x = scale, z * scale
        safe = isfinite(longest) and longest**2 * float(scale) ** 2 <= SAFE[z.dtype]
        similarities = Similarities(x, euclidean, layout.anchor, safe)
        tiles = layout.tiles(z.device)
        bound = weights.bind(similarities, layout, check)
        softmax = Softmax(similarities)
        buffers = Buffers(x, tiles, 4 if bound.tiled else 2)
        for tile in tiles if layout.watch is None else layout.watch(tiles):
            s, *rooms = buffers.at(tile)
            softmax.add(similarities.tile(tile, s), tile, rooms[0])
            if bound.tiled:
                if tile[0] is tile[1]:
                    s.fill_diagonal_(0.0)  # which no weight is put on
                bound.see(s, tile, rooms[1:])
        means, has = bound.means()
        losses = softmax.close() - means
        if has is not None:
            losses = torch.where(has, losses, 0.0)
            ctx.mark_non_differentiable(has)
        # What a loss weighs, in the end: of base 2, and in a mean.
        share: Any = LN2
        if reduction != "none":
            counted: Any = losses.shape[0]
            if reduction == "skip" and has is not None:
                counted = has.sum(dtype=z.dtype).clamp_min(1)
            share = LN2 / counted
            losses = losses.sum()
        ctx.parts = similarities, softmax, bound, has, tiles, factor, scale, normalize, share
        # One tile is small enough to keep what was computed.
        ctx.powers = rooms[0] if safe and len(tiles) == 1 else None
        ctx.learned = isinstance(tau, Tensor)
        return losses * share, has

    @staticmethod
    def backward(ctx: Any, g: Tensor, _: Any) -> tuple[Tensor | None, ...]:
        if torch.is_grad_enabled():  # the gradient is to be differentiated
            both = ctx.saved_tensors
            return *differentiated(_dense(*both, *ctx.given), g, *both), *[None] * 6
        similarities, softmax, bound, has, tiles, factor, scale, normalize, share = ctx.parts
        tau = ctx.saved_tensors[1] if ctx.learned else None
        x, euclidean = similarities.x, similarities.half is not None
        g = g * share
        equal = not g.ndim
        if has is not None:
            g = torch.where(has, g, 0.0)
        pulled = softmax.pulled(g)
        bound.start(g)
        dx = torch.zeros_like(x)
        row = x.new_zeros(x.shape[0]) if euclidean else None
        buffers = Buffers(x, tiles, 4 if bound.tiled else 2)
        for tile in tiles:
            rows, columns = tile
            s, h, *rooms = buffers.at(tile)
            if ctx.powers is None:
                similarities.tile(tile, s)
            softmax.pull(s, tile, h, pulled, ctx.powers)
            if bound.tiled:
                bound.release(h, tile, rooms)
            dx[rows].addmm_(h, x[columns])
            if rows is not columns:
                dx[columns].addmm_(h.T, x[rows])
            if row is not None:
                row[rows].add_(h.sum(1))
                if rows is not columns:
                    row[columns].add_(h.sum(0))
        known = bound.gradient(g, equal)
        if known is not None:
            dx -= known[0]
            if row is not None:
                row -= known[1]
        if row is not None:
            dx.addcmul_(x, row[:, None], value=-1)
        d_tau = None
        if normalize or tau is not None:
            along = torch.linalg.vecdot(x, dx)  # similarities are of degree two in x
            if tau is not None:
                d_tau = (along.sum() / (-2 * tau)).reshape(tau.shape)
            if normalize:
                dx.addcmul_(x, (along / scale**2)[:, None], value=-1)
        return dx.mul_(factor), d_tau, None, None, None, None, None, None


def _dense(
    z: Tensor,
    tau: Tensor,
    weights: Weights,
    layout: Layout,
    euclidean: bool,
    normalize: bool,
    reduction: Reduction,
) -> Tensor:
    """The loss by n x n matrices, in the words of the formula."""
    x = directions(z)[0] if normalize else z - z.mean(0) if euclidean else z
    s = x @ x.T
    if euclidean:
        s = 2 * s - s.diagonal() - s.diagonal()[:, None]
    s = s / tau.to(s.dtype)
    own = torch.eye(len(z), dtype=torch.bool, device=z.device)
    run = torch.arange(len(z), device=z.device) // (len(z) // layout.views)
    hidden = own if layout.views == 1 else run == run[:, None]
    w = weights.matrix(z, hidden).masked_fill(hidden, 0.0)
    total = w.sum(1)
    has = total > 0
    sums = s.masked_fill(hidden & ~own if layout.anchor else hidden, -inf).logsumexp(1)
    means = (w * s).sum(1) / torch.where(has, total, 1.0)
    losses = torch.where(has, sums - means, 0.0)
    if reduction == "none":
        return losses
    return losses.sum() / (has.sum().clamp_min(1) if reduction == "skip" else len(z))

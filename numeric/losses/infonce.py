r"""Weighted InfoNCE: value and gradient, for all weights and both similarities.

.. math:: L = -\frac1n \sum_i \sum_{j \ne i} \frac{w_{ij}}{\sum_{k \ne i} w_{ik}}
   \log \frac{e^{s_{ij}}}{\sum_{k \ne i} e^{s_{ik}}}

For each anchor it is the logarithm of its denominator, which is formed tile by tile, less the mean
of its similarities under the weights, which is its inner product with a mean of points.
"""

from __future__ import annotations

from math import inf
from typing import Literal

import torch
from torch import Tensor

from .directions import check_directions, directions, longest_length
from .sums import half_distances, inner_products, log_sums_of
from .tiles import LN2, LOG2E, SAFE, Layout
from .uncompiled import uncompiled
from .weights import FAR, Weights

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
) -> tuple[Tensor, Tensor]:
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
        The loss, and whether each anchor has weights.

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
    if check and normalize:
        check_directions(z, "embedding")
    longest = 1.0 if normalize else longest_length(z.detach()) if check else inf
    wide = check and z.dtype is torch.float32 and (weights.far or _far(z, tau, euclidean))
    x = z.double() if wide else z
    if normalize:
        x = directions(x)[0]
    elif euclidean:
        x = x - x.mean(0)  # distances stay, and rounding falls
    if isinstance(tau, Tensor):
        tau = tau.reshape(()).to(x.dtype)
    scale = (2 if euclidean else 1) * LOG2E / tau
    x = x * scale**0.5
    reach = longest**2 * float(scale.detach() if isinstance(scale, Tensor) else scale)
    columns = [x, x.new_ones(len(x), 1)]
    if euclidean:
        columns.append(x.square().sum(1, keepdim=True) / 2)
    sums = weights.sums(torch.cat(columns, 1), layout)
    total = sums[:, x.shape[1]].detach()
    has = total > 0
    # Of minus half of squared distances, x_i . x_j - (x_i . x_i + x_j . x_j) / 2.
    means = torch.linalg.vecdot(x, sums[:, : x.shape[1]])
    means = (means - sums[:, -1] if euclidean else means) / torch.where(has, total, 1.0)
    means = means - columns[-1][:, 0] if euclidean else means
    similar = half_distances if euclidean else inner_products
    losses = log_sums_of(similar, layout, reach <= SAFE[x.dtype], x) - means
    losses = torch.where(has, losses, 0.0).to(z.dtype) * LN2
    if reduction == "none":
        return losses, has
    return losses.sum() / (has.sum().clamp_min(1) if reduction == "skip" else len(z)), has


def _far(z: Tensor, tau: float | Tensor, euclidean: bool) -> bool:
    """Whether float32 does not hold distances beside the lengths from their centre."""
    if not euclidean:
        return False
    z = z.detach()
    return float((z - z.mean(0)).square().sum(1).max()) * 2 * LOG2E > FAR * float(tau)

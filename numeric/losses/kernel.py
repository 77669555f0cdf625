r"""InfoNCE with kernels of distances: value and gradient, tile by tile.

.. math:: L = -\frac1n \sum_i \frac{1}{V - 1} \sum_{j \in P_i}
   \log \frac{K(u_i, u_j)}{\sum_{k \ne i} K(u_i, u_k)}, \qquad
   K(u, v) = \sum_m \lambda_m e^{-\lvert u - v\rvert_m^{\gamma_m} / \tau_m}

P_i are the other V - 1 views of the sample of u_i; a term m may look at some of the features only.

A power gamma < 2 of a distance is sensitive to rounding where points are near each other, and has
no derivative where they coincide. Distances are squares and inner products of centred points, but
those of near pairs, and of positives, are formed from differences. Where two points coincide the
gradient of their distance is taken to be zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf, log2
from typing import Any

import torch
from torch import Tensor

from .directions import check_directions, directions, longest_length
from .sums import log_sums_of
from .tiles import LN2, LOG2E, SAFE, Layout
from .uncompiled import uncompiled
from .weights import FAR

#: Pairs with |x - y|^2 below this part of |x|^2 + |y|^2 are near: their difference is formed. Above
#: it rounding changes a squared distance by some 32 units in its last place.
NEAR = 2.0**-5
#: Differences that are formed at once.
CHUNK = 2**15
#: Slopes grow no further below squared distances of so many times the least normal number, else
#: they could overflow: in float32 that is a distance of 1e-16.
LEAST = 2.0**20


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
    layout, kernel = layout or Layout(len(z)), _Kernel(terms, parts, eps, z.detach().mean(0))
    learned = [k.tau.reshape(()).to(z) for k in terms if isinstance(k.tau, Tensor)]
    losses = log_sums_of(kernel.similar, layout, reach <= SAFE[z.dtype], z, *learned)
    runs, pulls = z.chunk(views), [losses.new_zeros(())] * views
    for i, k in combinations(range(views), 2):
        s = kernel.between(runs[i], runs[k], *learned) / (views - 1)
        pulls[i], pulls[k] = pulls[i] + s, pulls[k] + s
    losses = (losses - torch.cat(pulls)).to(dtype) * LN2
    return losses if each else losses.mean()


@dataclass(frozen=True)
class _Kernel:
    """The logarithm of the kernel in base 2; ``centre`` is taken off points for inner products."""

    terms: Sequence[Exponential]
    parts: int
    eps: float
    centre: Tensor

    def similar(self, a: Tensor, b: Tensor, *learned: Tensor) -> Tensor:
        """Of two blocks of points."""
        found = {}
        for k in self._used:
            is_sharp = any(term.gamma < 2 for term in self.terms if term.part == k)
            x, y, centre = (z.tensor_split(self.parts, -1)[k] for z in (a, b, self.centre))
            found[k] = _squares(x, y, centre, is_sharp)
        return self._logarithm(found, learned)

    def between(self, a: Tensor, b: Tensor, *learned: Tensor) -> Tensor:
        """Of pairs, one run of points beside another."""
        apart = (a - b).tensor_split(self.parts, 1)
        return self._logarithm({k: apart[k].square().sum(1) for k in self._used}, learned)

    @property
    def _used(self) -> set[int]:
        return {term.part for term in self.terms}

    def _logarithm(self, squares: dict[int, Tensor], learned: Sequence[Tensor]) -> Tensor:
        """From squared distances in each part."""
        heat, found = iter(learned), []
        for term in self.terms:
            tau = next(heat) if isinstance(term.tau, Tensor) else term.tau
            d = squares[term.part] + self.eps**2 if self.eps else squares[term.part]
            power = d if term.gamma == 2 else _Power.apply(d, term.gamma)  # type: ignore
            s = power * (-LOG2E / tau)
            found.append(s + log2(term.weight) if term.weight != 1 else s)
        # logaddexp2 has no second derivative where terms are far apart.
        return found[0] if len(found) == 1 else (torch.stack(found) * LN2).logsumexp(0) * LOG2E


def _squares(a: Tensor, b: Tensor, centre: Tensor, is_sharp: bool) -> Tensor:
    """Squared distances of two blocks of points, those of near pairs from differences."""
    x, y = a - centre, b - centre  # distances stay, and rounding falls
    sums = x.square().sum(1)[:, None] + y.square().sum(1)
    d = torch.addmm(sums, x, y.T, alpha=-2)
    if is_sharp:
        i, j = (d.detach() <= NEAR * sums.detach()).nonzero(as_tuple=True)
        near = zip(i.split(CHUNK), j.split(CHUNK), strict=True)
        exact = [(a[rows] - b[columns]).square().sum(1) for rows, columns in near]
        d = d.index_put((i, j), torch.cat(exact))
    d.detach().clamp_min_(0)  # in place: below 0 is rounding, and the slope is that of 0
    return d


class _Power(torch.autograd.Function):
    """Squared distances to the power gamma / 2; the slope is 0 where points coincide."""

    @staticmethod
    def forward(ctx: Any, d: Tensor, gamma: float) -> Tensor:
        ctx.gamma = gamma
        power = d.sqrt() if gamma in (1, 0.5) else d.pow(gamma / 2)  # roots are quicker
        power = power.sqrt_() if gamma == 0.5 else power
        ctx.save_for_backward(d, power)
        return power

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, None]:
        d, power = ctx.saved_tensors
        slope = power / d.clamp_min(LEAST * torch.finfo(d.dtype).tiny)
        return slope * g * (ctx.gamma / 2), None

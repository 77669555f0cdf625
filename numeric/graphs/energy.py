"""InfoNCE of points on a graph, and its expectation over subgraphs: values and gradients by hand.

With the energy ``s_ij = -log k(z_i - z_j)`` of a kernel, an anchor i that has drawn the weights
``w_ij`` (rows that add up to 1) has the loss ``sum_j w_ij s_ij + log sum_(j != i) exp(-s_ij)``.
Its gradient in ``s_ij`` is ``w_ij - Q_ij``, with the softmax Q of the energies: attraction by what
was drawn, repulsion by what the kernel says.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import torch
from torch import Tensor

from .draw import probabilities

#: Added to squared distances, where a power of the distance has no slope at coincident points:
#: far below every distance that matters, and the slope there is then zero.
SMOOTH = 1e-12
NEGATIVES = ("all", "batch")


@dataclass(frozen=True)
class Kernel:
    """A kernel exp(-s) of the distance r between two points.

    Attributes
    ----------
    tau
        Temperature, above 0.
    gamma
        None for the Gaussian kernel, s = r^2 / (2 tau); else the exponential one,
        s = r^gamma / tau, gamma > 0.
    """

    tau: float = 0.5
    gamma: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("tau", self.tau), ("gamma", self.gamma)):
            if value is not None and not (isfinite(value) and value > 0):
                raise ValueError(f"{name} must be a positive number, not {value:g}")

    def energy(self, squared: Tensor) -> tuple[Tensor, Tensor | float]:
        """The energy at squared distances, and its slope in the squared distance, twice."""
        if self.gamma is None or self.gamma == 2:
            scale = 1 / self.tau if self.gamma else 1 / (2 * self.tau)
            return squared * scale, 2 * scale
        squared = squared + SMOOTH
        power = squared ** (self.gamma / 2)
        return power / self.tau, power / squared * (self.gamma / self.tau)


def cross_entropy(z: Tensor, pi: Tensor, kernel: Kernel) -> tuple[Tensor, Tensor]:
    """The cross-entropy of eq. (3) of tan2024spectral per vertex, and its gradient.

    The expectation of InfoNCE over all subgraphs of out-degree one, with all others as negatives,
    exactly.

    Parameters
    ----------
    z
        Points, ``(n, d)``.
    pi
        The graph, ``(n, n)``.
    kernel
        Of the points.

    Returns
    -------
    tuple
        The value, 0-dimensional; the gradient, ``(n, d)``.
    """
    return of_rows(z, probabilities(pi), kernel)


def of_rows(z: Tensor, rows: Tensor, kernel: Kernel) -> tuple[Tensor, Tensor]:
    """:func:`cross_entropy` for rows that add up to 1 already, which are not looked at again."""
    itself = torch.arange(len(z), device=z.device)
    value, left, right = _contrast(z, z, rows, itself, kernel)
    return value, left + right


def entropy(pi: Tensor) -> float:
    """The entropy per vertex of a subgraph: what no cross-entropy is below."""
    rows = probabilities(pi)
    return float(-torch.special.xlogy(rows, rows).sum(1).mean())


def infonce(
    z: Tensor, anchors: Tensor, positives: Tensor, kernel: Kernel, negatives: str = "all"
) -> tuple[Tensor, Tensor]:
    """InfoNCE of a batch of edges, in the mean over its terms, and its gradient, ``(n, d)``.

    Parameters
    ----------
    z
        Points, ``(n, d)``.
    anchors, positives
        Ends of the edges, ``(N,)``; an anchor comes once.
    kernel
        Of the points.
    negatives
        ``all``: an anchor is compared with all other points, as in the theorem. ``batch``: the
        2 N ends of the edges are the views of SimCLR (Algorithm 2), each compared with the others.
    """
    gradient = torch.zeros_like(z)
    if negatives == "all":
        value, left, right = _contrast(z[anchors], z, positives, anchors, kernel)
        return value, gradient.index_add_(0, anchors, left) + right
    views, n = torch.cat([anchors, positives]), len(anchors)
    itself = torch.arange(2 * n, device=z.device)
    value, left, right = _contrast(z[views], z[views], itself.roll(n), itself, kernel)
    return value, gradient.index_add_(0, views, left + right)


def _contrast(
    x: Tensor, y: Tensor, drawn: Tensor, itself: Tensor, kernel: Kernel
) -> tuple[Tensor, Tensor, Tensor]:
    """The mean loss of rows ``x`` among ``y``, without ``y[itself]``; gradients in x and in y.

    ``drawn`` has the weights of each row, or only the index of the one that has all.
    """
    squared = x.square().sum(1)[:, None] + y.square().sum(1)
    squared = squared.addmm_(x, y.T, alpha=-2).clamp_(min=0)
    energy, slope = kernel.energy(squared)
    energy.scatter_(1, itself[:, None], float("inf"))
    logs = torch.log_softmax(-energy, 1)
    pull = logs.exp().neg_()
    if drawn.ndim == 1:
        value = -logs.gather(1, drawn[:, None]).mean()
        one = torch.ones(len(x), 1, dtype=x.dtype, device=x.device)
        pull.scatter_add_(1, drawn[:, None], one)
    else:
        value = -(drawn * logs.scatter_(1, itself[:, None], 0.0)).sum(1).mean()
        pull += drawn
    pull *= slope / len(x)
    return (
        value,
        pull.sum(1, keepdim=True) * x - pull @ y,
        pull.sum(0)[:, None] * y - pull.T @ x,
    )

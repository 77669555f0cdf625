"""Measures of pairs: of positives, of all pairs, and of two towers. All can be differentiated."""

from __future__ import annotations

from math import log

import torch
from torch import Tensor

from .inputs import Points, batch_of


def _two(x: Points, y: Points) -> tuple[Tensor, Tensor]:
    first, second = batch_of(x), batch_of(y)
    if first.shape[-1] != second.shape[-1]:
        raise ValueError(f"dimensions {first.shape[-1]} and {second.shape[-1]} differ")
    return first, second


def alignment(x: Points, y: Points, alpha: float = 2) -> Tensor:
    r"""Mean distance of positives, :math:`\frac1n \sum_i |x_i - y_i|^\alpha`.

    Parameters
    ----------
    x, y
        ``(n, d)`` each, of unit length; row i of one is the positive of row i of the other.
    alpha
        The power, positive.

    Returns
    -------
    Tensor
        0 (positives are equal) to 2^alpha.

    Raises
    ------
    ValueError
        If the shapes differ, or a row is not finite.

    References
    ----------
    Wang, Isola: Understanding contrastive representation learning through alignment and uniformity
    on the hypersphere, ICML 2020, section 4.1.
    """
    first, second = _two(x, y)
    if first.shape != second.shape:
        raise ValueError(f"{tuple(first.shape)} and {tuple(second.shape)} do not match")
    return (first - second).square().sum(-1).pow(alpha / 2).mean()


def uniformity(z: Points, t: float = 2) -> Tensor:
    r"""Logarithm of the mean of :math:`e^{-t |z_i - z_j|^2}` over pairs i < j.

    Parameters
    ----------
    z
        ``(n, d)``, n >= 2, of unit length; n x n numbers are held.
    t
        Positive.

    Returns
    -------
    Tensor
        At most 0 (all rows are equal), and at least -4 t.

    Raises
    ------
    ValueError
        If there are fewer than two rows, or one is not finite.

    References
    ----------
    As of `alignment`.
    """
    z = batch_of(z)
    n = len(z)
    if n < 2:
        raise ValueError("uniformity needs two embeddings or more")
    squared = torch.pdist(z).square()
    return torch.logsumexp(-t * squared, 0) - log(n * (n - 1) / 2)


def modality_gap(x: Points, y: Points) -> Tensor:
    r"""Distance of the means of two towers, :math:`|\bar x - \bar y|`.

    Parameters
    ----------
    x, y
        ``(n, d)`` and ``(k, d)``, of unit length.

    Returns
    -------
    Tensor
        0 to 2.

    Raises
    ------
    ValueError
        If the dimensions differ, or a row is not finite.

    References
    ----------
    Liang, Zhang, Kwon, Yeung, Zou: Mind the gap, NeurIPS 2022, section 4.2.
    """
    first, second = _two(x, y)
    gap: Tensor = torch.linalg.vector_norm(first.mean(0) - second.mean(0))
    return gap

"""Over how many directions embeddings spread.

The effective rank of ochieng2025diversity (Lemma B.1, Algorithm 1) needs no eigenvalues: it is read
off the smaller of the two Gram matrices. RankMe and the entropy of the spectrum need them.
"""

from __future__ import annotations

import torch
from torch import Tensor

from .inputs import batch_of

#: Eigenvalues below this times the largest and the number of them, in roundings, count as zero.
ROUNDINGS = 4


def smaller_gram(z: Tensor) -> Tensor:
    """z z^T or z^T z, whichever has fewer entries; both have the same nonzero eigenvalues.

    Parameters
    ----------
    z
        ``(..., n, d)``.
    """
    return z @ z.mT if z.shape[-2] <= z.shape[-1] else z.mT @ z


def effective_rank(z: Tensor, *, check: bool = True) -> Tensor:
    r"""1 / tr(S^2) for the second moment S = z^T z / tr(z^T z) of a batch, in O(n d min(n, d)).

    Rows need not be unit vectors: they count with their squared lengths, and rows of zeros not at
    all. Differentiable; half precision is raised to float32.

    Parameters
    ----------
    z
        ``(..., n, d)``: a batch, or several at once.
    check
        Whether to refuse values without an effective rank; without it they are nan.

    Returns
    -------
    Tensor
        ``(...)``, from 1 (all rows on a line) to min(n, d).

    Raises
    ------
    ValueError
        If a batch is empty, all zeros, or not finite.
    """
    if z.ndim < 2 or not z.shape[-2] or not z.shape[-1]:
        raise ValueError(f"a batch must be (n, d) with n, d >= 1, not {tuple(z.shape)}")
    if z.dtype in (torch.float16, torch.bfloat16):
        z = z.float()
    with torch.autocast(z.device.type, enabled=False):
        gram = smaller_gram(z)
        trace = gram.diagonal(dim1=-2, dim2=-1).sum(-1)
        if check and not trace.isfinite().all():
            raise ValueError("a batch has entries that are not finite, or too large to square")
        if check and not (trace > 0).all():
            raise ValueError("a batch of zeros has no effective rank")
        rank = 1 / (gram / trace[..., None, None]).square().sum((-2, -1))
    return rank.clamp(1, min(z.shape[-2:]))  # rounding alone leads out


def spectrum(z: Tensor) -> Tensor:
    """Eigenvalues of ``z^T z``, falling, without the zeros that are there in any case.

    Parameters
    ----------
    z
        ``(..., n, d)``.

    Returns
    -------
    Tensor
        ``(..., min(n, d))``; what rounding alone makes of a zero is zero.
    """
    values = torch.linalg.eigvalsh(smaller_gram(z)).flip(-1)
    noise = ROUNDINGS * values.shape[-1] * torch.finfo(values.dtype).eps * values[..., :1]
    return torch.where(values > noise, values, 0.0)


def perplexity(weights: Tensor) -> Tensor:
    """The exponential of the entropy of weights ``(..., k)``, once they add up to one.

    From 1 (one of them alone) to k (all equal); zeros do not count, and nan if all are zero.
    """
    total = weights.sum(-1, keepdim=True)
    shares = weights / total
    occupied = torch.where(shares > 0, shares, 1.0)
    entropy = -(occupied * occupied.log()).sum(-1)
    return torch.where(total[..., 0] > 0, entropy.exp(), torch.nan)


def rankme(z: Tensor) -> Tensor:
    r"""RankMe: the exponential of the entropy of the singular values of a batch.

    With singular values :math:`\sigma_k` it is :math:`\exp(-\sum_k p_k \log p_k)`,
    :math:`p_k = \sigma_k / \sum_j \sigma_j`; the 1e-7 that is added to p_k in the paper is left
    out. Rows are not centred. Differentiable; half precision is raised to float32.

    Parameters
    ----------
    z
        ``(..., n, d)``.

    Returns
    -------
    Tensor
        ``(...)``, from 1 (all rows on a line) to min(n, d).

    Raises
    ------
    ValueError
        If a batch is empty, all zeros, or not finite.

    References
    ----------
    Garrido, Balestriero, Najman, LeCun: RankMe, ICML 2023, equation (1); the same number is called
    effective rank by Roy and Vetterli, EUSIPCO 2007.
    """
    values = spectrum(batch_of(z))
    if not (values[..., 0] > 0).all():
        raise ValueError("a batch of zeros has no rank")
    kept = torch.where(values > 0, values, 1.0).sqrt() * (values > 0)
    return perplexity(kept)

r"""In-batch whitening: a batch made isotropic before its loss is taken.

``z -> S^{-1/2} z / |S^{-1/2} z|`` with ``S = (1/n) sum_i z_i z_i^T + eps I`` of the same batch
(ochieng2025diversity, section 2.4). Nothing is learned or remembered.

The inverse root is by eigenvalues. Its derivative needs no difference of two of them: the divided
difference of ``x^{-1/2}`` is ``-1/(sqrt(a) sqrt(b) (sqrt(a) + sqrt(b)))``, so that the gradient is
exact at repeated eigenvalues, where that of an eigendecomposition is nan. Every isotropic batch is
such a point. With fewer rows than dimensions the root is taken of the n x n Gram matrix, whose root
on the left does the same as that of the second moment on the right.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from ..losses.directions import check_directions, directions


class InBatchWhitening(nn.Module):
    """Whiten the rows of a batch and scale them to unit length.

    Both views of a sample belong into one call, ``whiten(torch.cat([first, second]))``: apart they
    are turned and stretched differently.

    Parameters
    ----------
    eps
        Added to the eigenvalues of the second moment, which sum to 1. Directions of much less than
        that are left as weak as they are.
    normalise
        Whether rows are scaled to unit length first; else their lengths count, and ``eps`` is
        compared with their second moment as it is.
    check
        Whether values are looked at, to refuse bad ones in a line; a CUDA device is waited for.
    """

    def __init__(self, eps: float = 1e-5, *, normalise: bool = True, check: bool = True) -> None:
        super().__init__()
        if not 0 < eps < float("inf"):
            raise ValueError(f"eps must be a positive number, not {eps}")
        self.eps, self.normalise, self.check = eps, normalise, check

    def extra_repr(self) -> str:
        """The shift."""
        return f"eps={self.eps}"

    def forward(self, embeddings: Tensor) -> Tensor:
        """Rows of unit length in the shape and precision given.

        Parameters
        ----------
        embeddings
            ``(..., n, d)``. Lower precision than float32 is raised to it on the way.
        """
        if embeddings.ndim < 2 or not embeddings.shape[-2] or not embeddings.shape[-1]:
            raise ValueError(f"embeddings must be (n, d), not {tuple(embeddings.shape)}")
        if not embeddings.is_floating_point():
            raise ValueError(f"embeddings must be floating-point, not {embeddings.dtype}")
        with torch.autocast(embeddings.device.type, enabled=False):
            z = embeddings
            z = z.float() if z.dtype in (torch.float16, torch.bfloat16) else z
            if self.check:
                _look(z, self.normalise)
            if self.normalise:
                z = directions(z)[0]
            n, d = z.shape[-2:]
            root: Tensor
            if n < d:
                root = _InverseRoot.apply(z @ z.mT / n, self.eps)  # type: ignore[no-untyped-call]
                z = root @ z
            else:
                root = _InverseRoot.apply(z.mT @ z / n, self.eps)  # type: ignore[no-untyped-call]
                z = z @ root
            return directions(z)[0].to(embeddings.dtype)


class _InverseRoot(torch.autograd.Function):
    """(moment + eps I)^{-1/2} of symmetric matrices without negative eigenvalues."""

    @staticmethod
    def forward(ctx: Any, moment: Tensor, eps: float) -> Tensor:
        eigenvalues, vectors = torch.linalg.eigh(moment)
        roots = (eigenvalues.clamp_min(0) + eps).rsqrt()  # below 0 is rounding
        ctx.save_for_backward(roots, vectors)
        return (vectors * roots[..., None, :]) @ vectors.mT

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        roots, vectors = ctx.saved_tensors
        product = roots[..., :, None] * roots[..., None, :]
        divided = -product.square() / (roots[..., :, None] + roots[..., None, :])
        inner = vectors.mT @ ((gradient + gradient.mT) / 2) @ vectors
        return vectors @ (divided * inner) @ vectors.mT, None


def _look(z: Tensor, normalise: bool) -> None:
    check_directions(z, "embedding")
    if not normalise and not bool(torch.linalg.vector_norm(z.detach(), dim=-1).isfinite().all()):
        raise ValueError("embeddings are too large to square: normalise=True scales them")

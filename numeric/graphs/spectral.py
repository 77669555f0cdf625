"""Laplacians of a similarity graph, and their bottom eigenvectors."""

from __future__ import annotations

import torch
from torch import Tensor

from .draw import checked, probabilities

#: Laplacians by name. ``symmetrised`` is what the identity with the cross-entropy has: that of
#: (P + P^T)/2, P with rows that add up to 1. The others are D - W and I - D^(-1/2) W D^(-1/2),
#: W the symmetrised weights.
LAPLACIANS = ("symmetrised", "unnormalised", "normalised")


def laplacian(pi: Tensor, kind: str = "symmetrised") -> Tensor:
    """A graph Laplacian, ``(n, n)``, of weights that need not be symmetric.

    Raises
    ------
    ValueError
        For a kind that is not one of ``LAPLACIANS``, or a matrix that is no graph; see
        :func:`draw.checked`.
    """
    if kind not in LAPLACIANS:
        raise ValueError(f"a Laplacian is one of {', '.join(LAPLACIANS)}, not {kind!r}")
    rows = probabilities(pi) if kind == "symmetrised" else checked(pi)
    weights = (rows + rows.T) / 2
    degrees = weights.sum(1)
    if kind == "normalised":
        root = degrees.sqrt()
        return torch.eye(len(pi), dtype=pi.dtype, device=pi.device) - weights / (
            root[:, None] * root
        )
    return torch.diag(degrees) - weights


def trivial(pi: Tensor, kind: str = "symmetrised") -> Tensor:
    """The eigenvector of eigenvalue 0 that every graph has, of length one, ``(n,)``."""
    rows = checked(pi)
    weights = torch.ones_like(rows[0])
    if kind == "normalised":
        weights = ((rows + rows.T) / 2).sum(1).sqrt()
    return weights / weights.norm()


def bottom_eigenvectors(pi: Tensor, count: int, kind: str = "symmetrised") -> tuple[Tensor, Tensor]:
    """The lowest eigenvalues of a Laplacian without the trivial one, and their eigenvectors.

    The trivial eigenvector is moved to the top before the matrix is diagonalised: of a graph that
    is not connected the eigenvalue 0 is multiple, and a solver would mix it with the others.

    Returns
    -------
    tuple
        Eigenvalues, rising, ``(count,)``; orthonormal eigenvectors in columns, ``(n, count)``.
    """
    n = len(pi)
    if not 1 <= count <= n - 1:
        raise ValueError(f"there are 1 to {n - 1} nontrivial eigenvectors, not {count}")
    matrix, top = laplacian(pi, kind), trivial(pi, kind)
    # Gershgorin: no eigenvalue of a Laplacian exceeds twice the largest diagonal entry.
    over = 2 * matrix.diagonal().max() + 1
    values, vectors = torch.linalg.eigh(matrix + over * torch.outer(top, top))
    return values[:count], vectors[:, :count]

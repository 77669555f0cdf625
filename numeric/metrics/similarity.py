r"""How near embeddings are to an optimum: the three metrics of vock2026unified, section 3.9.

All are exact and cost O(n d^2) for the numbers, and no n x n matrix is formed (the loss of a loss
gap is evaluated tile by tile). The coefficient of similarity compares all n^2 pairs, but sums of
squares over pairs are traces of products of d x d moments. Once the embeddings are turned onto the
optimum (by Procrustes), those traces are sums of terms that are not negative, so that nothing
cancels, also where the two agree to fifteen digits.

Conventions, where the paper leaves a choice: pairs are [1..n]^2 as written, a point with itself
included; mean and variance divide by the number of pairs (or points); embeddings of different
dimension are padded with zeros; a variance of zero, and a loss gap whose least loss is zero, are
refused, for the quotients have no value.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import torch
from torch import Tensor

from ..losses.directions import check_directions, directions
from ..losses.modules import Labels, Loss
from .inputs import Points

Similarity = Literal["euclidean", "cosine", "dot"]

#: A variance counts as zero below this times the mean square, the rounding of a float64 squared.
NOTHING = 1e-30


def loss_gap(loss: Loss, embeddings: Tensor, labels: Labels | None = None) -> float:
    r"""The entropic loss gap, Definition 3.14: the loss over its entropic bound, less 1.

    Parameters
    ----------
    loss
        A module of `cltheory.numeric.losses`.
    embeddings, labels
        What it is given.

    Returns
    -------
    float
        Not negative. That it can be zero for embeddings is another question: for SupCon on the
        sphere it cannot.

    Raises
    ------
    ValueError
        If the bound is zero: no anchor is attracted to more than one other (classes of two
        samples in SupCon, two views of each sample).
    """
    with torch.no_grad():
        z = torch.as_tensor(embeddings).double()
        least = float(loss.entropic_bound(z, labels))
        value = float(loss(z, labels))
    if least <= 0:
        raise ValueError(
            "the entropic bound is 0, as no anchor is attracted to more than one other; "
            f"the loss gap, a quotient, is undefined (the loss is {value:.6g})"
        )
    return value / least - 1


def similarity_r2(z: Points, z_star: Points, similarity: Similarity = "euclidean") -> float:
    r"""The coefficient of similarity, Definition 3.15, in O(n d^2).

    Parameters
    ----------
    z, z_star
        Embeddings ``(n, q)`` and those that they should be like ``(n, q')``.
    similarity
        ``"euclidean"`` (minus squared distances), ``"cosine"`` or ``"dot"``.

    Returns
    -------
    float
        1 - mean (s_ij - s*_ij)^2 / var s*_ij over all pairs. At most 1.

    Raises
    ------
    ValueError
        If the similarity is another one, or all those of the targets are the same.
    """
    if similarity not in get_args(Similarity):
        raise ValueError(f"similarity must be one of {', '.join(get_args(Similarity))}")
    a, b = _pair(z, z_star)
    if similarity == "euclidean":
        a, b = a - a.mean(0), b - b.mean(0)
    elif similarity == "cosine":
        check_directions(a, "embedding")
        check_directions(b, "target")
        a, b = directions(a)[0], directions(b)[0]
    a = a @ _turn(a, b)
    n, u, v = len(a), a - b, a + b
    # a a' - b b' = (u v' + v u') / 2, and u'v is symmetric after the turn.
    cross = (v.T @ u).square().sum()
    error = ((u.T @ u) * (v.T @ v)).sum().add(cross) / 2
    if similarity == "euclidean":
        # With centred points, (e_i + e_j) and the inner products do not meet in the sum.
        e = torch.linalg.vecdot(u, v)
        error = 4 * error + 2 * n * e.square().sum() + 2 * e.sum().square()
        alpha = torch.linalg.vecdot(b, b)
        size = alpha.mean().square()
        alpha = alpha - alpha.mean()
        spread = 4 * (b.T @ b).square().sum() + 2 * n * alpha.square().sum()
    else:
        mean = b.mean(0)
        c = (b - mean).T @ (b - mean) / n
        spread = n**2 * (c.square().sum() + 2 * mean @ c @ mean)
        size = (b.T @ b / n).square().sum()
    if not spread > NOTHING * n**2 * size:
        raise ValueError(f"all targets have the same {similarity} similarity: r^2 is undefined")
    return float(1 - error / spread)


class Motion(NamedTuple):
    """z -> z @ omega + b, a Euclidean isometry."""

    omega: Tensor
    b: Tensor


def procrustes(z: Points, z_star: Points) -> Motion:
    """The isometry that brings embeddings nearest to others, without scaling.

    Parameters
    ----------
    z, z_star
        Embeddings ``(n, q)`` and ``(n, q')``; the smaller dimension is padded with zeros.

    Returns
    -------
    Motion
        The orthogonal matrix and the shift, in the larger of the dimensions.
    """
    a, b = _pair(z, z_star)
    omega = _turn(a - a.mean(0), b - b.mean(0))
    return Motion(omega, b.mean(0) - a.mean(0) @ omega)


def procrustes_r2(z: Points, z_star: Points) -> float:
    """The Procrustes similarity, Definition 3.16, in O(n d^2).

    Parameters
    ----------
    z, z_star
        Embeddings ``(n, q)`` and those that they should be like ``(n, q')``.

    Returns
    -------
    float
        1 - mean |omega z_i + b - z*_i|^2 / var z*_i for the best isometry. At most 1.

    Raises
    ------
    ValueError
        If all targets are the same point.
    """
    a, b = _pair(z, z_star)
    a, centred = a - a.mean(0), b - b.mean(0)
    error = (a @ _turn(a, centred) - centred).square().mean(0).sum()
    spread = centred.square().mean(0).sum()
    if not spread > NOTHING * b.square().mean(0).sum():
        raise ValueError("all targets are the same point: r^2 is undefined")
    return float(1 - error / spread)


def _turn(a: Tensor, b: Tensor) -> Tensor:
    """The orthogonal matrix that turns the rows of a nearest to those of b."""
    left, _, right = torch.linalg.svd(a.T @ b)
    turn: Tensor = left @ right
    return turn


def _pair(z: Points, z_star: Points) -> tuple[Tensor, Tensor]:
    """Both in float64 and in one dimension."""
    a, b = (torch.as_tensor(part).detach().double() for part in (z, z_star))
    for name, part in (("embeddings", a), ("targets", b)):
        if part.ndim != 2 or not part.numel():
            raise ValueError(f"{name} must be (n, q), not {tuple(part.shape)}")
        if not part.isfinite().all():
            raise ValueError(f"{name} are not finite")
    if len(a) != len(b):
        raise ValueError(f"there are {len(a)} embeddings and {len(b)} targets")
    b, q = b.to(a.device), max(a.shape[1], b.shape[1])
    pad = torch.nn.functional.pad
    return pad(a, (0, q - a.shape[1])), pad(b, (0, q - b.shape[1]))

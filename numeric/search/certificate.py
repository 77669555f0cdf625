r"""A bound, by convex duality, on how far embeddings are from the global minimum.

For embeddings U with Gram matrix G let A be the symmetric gradient of the loss in G,
:math:`y_i = (A U)_i \cdot U_i` and :math:`S = A - \operatorname{diag}(y)`. A loss that
is convex in the Gram matrix lies above its tangent, so for the Gram matrix G' of *any*
unit vectors, in any dimension,

.. math:: L(G') - L(G) \ge \langle A, G' - G\rangle = \langle S, G'\rangle - \langle S, G\rangle
          \ge -N \max(0, -\lambda_{\min}(S)) - \langle S, G\rangle,

because G and G' have the same diagonal and G' is positive semidefinite with trace N.
Hence ``loss - minimum <= gap``, with ``gap = N max(0, -lambda_min) + <S, G>``. How U was
found plays no part, so this is the check that no optimiser can talk its way past.

What it is not: the arithmetic is float64 and is *not* rounded outward. Rounding enters
with about N times 1e-16 relative to the entries of A, so a gap of 1e-14 means "zero as
far as float64 can see", and nothing finer. A gap that is large does not prove that U is
far from the minimum: d may be too small for any U to reach the bound.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from ...derive.problems.problem import Problem
from ..problems.binding import bind_to
from ..problems.bound import BoundProblem
from ..problems.embeddings import normalise
from ..problems.parameters import Values

# Rows are scaled to unit length before anything is computed, so the bound is about exact
# unit vectors; rows further off than float32 rounding are taken for a mistake instead.
_UNIT = 1e-4


@dataclass(frozen=True)
class Certificate:
    """What duality proves about embeddings; float64 tensors of the shape of the batch.

    Attributes
    ----------
    loss
        Loss of the embeddings, rows scaled to unit length.
    gap
        The loss exceeds the minimum over all unit vectors, in any dimension, by at most
        this; infinite where the loss is not convex in the Gram matrix, as nothing
        follows then.
    lambda_min
        Least eigenvalue of S; negative if some direction would still lower the loss.
    """

    loss: Tensor
    gap: Tensor
    lambda_min: Tensor


def certify(problem: Problem, u: Tensor, values: Values) -> Certificate:
    """Bound the distance of embeddings from the global minimum.

    Parameters
    ----------
    problem
        A declared loss on a structure.
    u
        Embeddings ``(*batch, *shape, d)``, rows of unit length.
    values
        Parameters by name, numbers or tensors of the batch's shape; the sizes are those of u.

    Raises
    ------
    ValueError
        If rows are not of unit length.
    """
    bound, flat = bind_to(problem, u.to(torch.float64), values)
    shape = u.shape[: u.ndim - 1 - len(bound.arrangement.shape)]
    found = certify_bound(bound, flat)
    return Certificate(
        found.loss.reshape(shape), found.gap.reshape(shape), found.lambda_min.reshape(shape)
    )


def certify_bound(loss: BoundProblem, u: Tensor, views: int = 1) -> Certificate:
    """:func:`certify` for a loss already bound; ``u`` is ``(B, *vectors, d)`` in float64.

    Each vector may stand for equal ``views``, of which an anchor counts itself as one more
    (:func:`~cltheory.numeric.search.sweep.one_view`). Then A is constant on views: S is that of
    single vectors and, on what tells views apart, -y, both over their number.
    """
    off = (torch.linalg.vector_norm(u, dim=-1) - 1).abs().max()
    if not bool(off < _UNIT):
        raise ValueError(f"rows must have unit length; the largest error is {float(off):.2g}")
    u = normalise(u)
    rows = u.flatten(1, -2)
    value, s = loss.value_and_gram_gradient(u)
    y = ((s @ rows) * rows).sum(dim=-1)
    s.diagonal(dim1=1, dim2=2).sub_(y)
    lambda_min = torch.linalg.eigvalsh(s)[:, 0]
    if views > 1:
        lambda_min = torch.minimum(lambda_min, -y.amax(dim=-1))
    # <S, G> is sum (A U)_i . U_i - y_i |U_i|^2: zero but for rounding, by the choice of y.
    inner = (y - y * rows.square().sum(dim=-1)).sum(dim=-1)
    gap = (loss.size * (-lambda_min).clamp(min=0) + inner).clamp(min=0)
    gap = torch.where(loss.convex, gap, torch.full_like(gap, torch.inf))
    return Certificate(value, gap, lambda_min / views)

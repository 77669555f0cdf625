r"""Straightens embeddings that a search has brought into a narrow valley.

At small temperatures vectors barely feel those that are far from them, and a search crawls:
embeddings are near an optimum in all that matters, and their last few degrees of freedom turn
under forces of :math:`e^{-1/\tau}`. But averaging a Gram matrix over the symmetries of the
problem does not raise a convex loss, and moving on from there within the invariant matrices,
which are mixtures of one projection for each eigenspace, is a convex problem in a few shares.
What comes out is made of vectors again, turned so that they are as near as possible to where
the search was. No minimum is taken on trust: the search goes on, and the certificate asks
nothing about where it has been.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

import numpy as np
import torch
from torch import Tensor

from ...derive.losses.softmax import SoftmaxLoss
from ...derive.problems.problem import Problem
from ...derive.structures.arrangement import Arrangement
from ..problems.bound import BoundProblem
from ..problems.embeddings import normalise
from ..problems.parameters import Value, Values
from ..problems.reduced import KINKS, Array, InvariantLoss, Optima
from ..problems.views import wide

# Straightened embeddings must have the least loss of invariant ones to this (and to so many
# units in the last place): more than that is missing where a share found no room.
_CLOSE, _ROUNDING = 1e-9, 16


_invariant = lru_cache(maxsize=16)(InvariantLoss)


def can_be_straightened(problem: Problem) -> bool:
    """Whether the loss is smooth: shares are found by Newton's method."""
    loss = problem.loss
    return isinstance(loss, SoftmaxLoss) or not any(t.function.has(*KINKS) for t in loss.terms)


def straighten(
    problem: Problem, bound: BoundProblem, parameters: Values, index: Tensor, u: Tensor
) -> Tensor:
    """Embeddings with the least loss among invariant ones, near those given.

    Parameters
    ----------
    problem, bound
        A problem whose loss is smooth, and its binding for embeddings ``u``, ``(B, *shape, d)``.
    parameters, index
        Its parameters for a whole batch, and where in the batch ``u`` belongs.

    Returns
    -------
    Tensor
        Like ``u``, which is kept where the loss is not convex, where no such embeddings are in
        d dimensions, and where they are no better.
    """
    values = {name: _some(value, index) for name, value in parameters.items()}
    invariant = _invariant(problem, bound.arrangement)
    found = invariant.least(**values)
    new, least = u.clone(), u.new_full((len(u),), -torch.inf)
    for i in bound.convex.nonzero().flatten().tolist():
        k = i % len(found.loss)  # without parameters one optimum serves all
        room = _fitting(invariant, found, k, {x: v[i] for x, v in values.items()}, u.shape[-1])
        if room is not None:
            new[i] = _near(room, u[i])
            least[i] = float(found.loss[k])
    with torch.no_grad():
        before, after = bound.value(u), bound.value(new)
    close = max(_CLOSE, _ROUNDING * torch.finfo(u.dtype).eps) * before.abs().clamp(min=1)
    better = (after <= before) & (after - least <= close)
    return torch.where(wide(better, u.ndim), new, u)


def _fitting(
    invariant: InvariantLoss, found: Optima, k: int, values: dict[str, float], d: int
) -> Array | None:
    """Vectors of an optimum that there is room for in d dimensions, if there may be one.

    Where an optimum is not unique, as far as floats can tell, some of them need fewer.
    """
    at = invariant.arrangement
    rows = _vectors(at, found, k, d)
    names = [
        name
        for name, is_occupied in zip(found.names, found.occupied[k], strict=True)
        if is_occupied
    ]
    if rows is not None or len(at.anchors) > 1 or not names:
        return rows
    parts = [
        invariant.within(left).least(**values)
        for left in combinations(names, len(names) - 1)
        if left and sum(at.dimensions[name] for name in left) <= d
    ]
    return _vectors(at, min(parts, key=lambda p: float(p.loss[0])), 0, d) if parts else None


def _vectors(at: Arrangement, found: Optima, k: int, d: int) -> Array | None:
    shares = dict(zip(found.names, found.kept[k].tolist(), strict=True))
    try:
        rows = at.vectors(at.inner(shares)).reshape(at.size, -1)
    except ValueError:  # no optimum was found
        return None
    return rows if rows.shape[1] <= d else None


def _some(value: Value, index: Tensor) -> np.ndarray:
    if not isinstance(value, Tensor) or value.numel() == 1:
        return np.full(len(index), float(value))
    return value.flatten().to(index.device)[index].double().cpu().numpy()


def _near(rows: Array, u: Tensor) -> Tensor:
    """Vectors turned towards others."""
    lengths = torch.as_tensor(rows, device=u.device)
    # The nearest V with orthonormal rows, of vectors M V, is the polar factor of M^T U.
    left, _, right = torch.linalg.svd(lengths.mT @ u.double().flatten(0, -2), full_matrices=False)
    return normalise(lengths @ (left @ right)).to(u.dtype).view_as(u)

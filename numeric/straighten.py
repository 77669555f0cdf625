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

from ..derive.losses.softmax import SoftmaxLoss
from ..derive.problems.problem import Problem
from ..derive.structures.arrangement import Arrangement
from .embeddings import normalise
from .problem import wide
from .problems.bound import BoundProblem
from .problems.parameters import Value, Values
from .reduced import KINKS, InvariantLoss, Optima

# Straightened embeddings must have the least loss of invariant ones to this (and to so many
# units in the last place): more than that is missing where a share found no room.
_CLOSE, _ROUNDING = 1e-9, 16


@lru_cache(maxsize=16)
def _invariant(problem: Problem, arrangement: Arrangement) -> InvariantLoss:
    return InvariantLoss(problem, arrangement)


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
            new[i] = _near(bound.arrangement, room, u[i])
            least[i] = float(found.loss[k])
    with torch.no_grad():
        before, after = bound.value(u), bound.value(new)
    close = max(_CLOSE, _ROUNDING * torch.finfo(u.dtype).eps) * before.abs().clamp(min=1)
    better = (after <= before) & (after - least <= close)
    return torch.where(wide(better, u.ndim), new, u)


def _fitting(
    invariant: InvariantLoss, found: Optima, k: int, values: dict[str, float], d: int
) -> dict[str, float] | None:
    """Shares of an optimum that there is room for in d dimensions, if there may be one.

    Where an optimum is not unique, as far as floats can tell, some of them need fewer.
    """
    dimensions = invariant.arrangement.dimensions
    names = [name for name, there in zip(found.names, found.occupied[k], strict=True) if there]
    if sum(dimensions[name] for name in names) <= d:
        shares = dict(zip(found.names, found.shares[k].tolist(), strict=True))
        return {name: shares[name] for name in names}
    best: tuple[float, dict[str, float]] | None = None
    for left in combinations(names, len(names) - 1):
        if left and sum(dimensions[name] for name in left) <= d:
            part = invariant.within(left).least(**values)
            if best is None or part.loss[0] < best[0]:
                best = float(part.loss[0]), dict(zip(left, part.shares[0].tolist(), strict=True))
    return None if best is None else best[1]


def _some(value: Value, index: Tensor) -> np.ndarray:
    if not isinstance(value, Tensor) or value.numel() == 1:
        return np.full(len(index), float(value))
    return value.flatten().to(index.device)[index].double().cpu().numpy()


def _near(arrangement: Arrangement, shares: dict[str, float], u: Tensor) -> Tensor:
    """Vectors with these shares, turned towards others."""
    rows = u.double().flatten(0, -2)
    bases = [
        torch.as_tensor(arrangement.basis(name), device=u.device)
        * (share * arrangement.size / arrangement.dimensions[name]) ** 0.5
        for name, share in shares.items()
        if share
    ]
    lengths = torch.cat(bases, dim=1)
    # The nearest V with orthonormal rows, of vectors M V, is the polar factor of M^T U.
    left, _, right = torch.linalg.svd(lengths.mT @ rows, full_matrices=False)
    return normalise(lengths @ (left @ right)).to(u.dtype).view_as(u)

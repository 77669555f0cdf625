"""Results for a matrix of dissimilarities: points that were derived, and points optimised.

The entropic bound is a lower bound whatever the points are. So points that attain it need no
certificate; where it is not attained, no search may come as near to it as rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor

from ...derive.decide.domain import DomainError
from ...derive.losses.weighted import WEIGHTED_EUCLIDEAN
from ...derive.theorem.result import Result
from ...derive.vectors.distance import Dissimilarity
from ..losses import WInfoNCE
from ..search.smooth import lowered
from .checks import Check, Run

#: Random starts of each seed, and steps of each search: matrices are small.
STARTS, STEPS = 3, 100


def checks(result: Result, values: Mapping[str, Any], run: Run) -> list[Check]:
    """Points that attain the bound have that loss; others that are optimised stay above it.

    Raises
    ------
    DomainError
        If there is no matrix, or a parameter is missing; one line.
    """
    if "D" not in result.lists:
        raise DomainError(
            f"{result.id} is not verified on embeddings: of weights only dgp-euclidean and "
            "dgp-spherical are"
        )
    if "D" not in getattr(result, "data", {}):
        raise DomainError(f"{result.id} is verified for a matrix: give D")
    D: Dissimilarity = result.data["D"]  # type: ignore[attr-defined]
    at_values = result.at_point(result.point(**values))
    attained = at_values.value("attained", **values)  # names what is missing
    n = D.size
    at = ", ".join([f"{n} points", *(f"{k}={v}" for k, v in values.items())])
    logs = -torch.tensor([[float(e) for e in row] for row in D.entries], dtype=run.dtype)
    share = logs.fill_diagonal_(-torch.inf).softmax(1)
    bound = float(torch.special.entr(share).sum() / n)

    numbers = {s.name: v for s, v in result.point(**values).items()}
    flat, shape = result.alone is WEIGHTED_EUCLIDEAN, (n, int(numbers["q"]))
    heat = 1.0 if flat else float(numbers["tau"])
    loss = partial(WInfoNCE(heat, euclidean=flat, symmetric=False), labels=share)
    close = run.close_loss
    found: list[Check] = []
    if attained:
        made = torch.tensor(at_values.value("embedding", **values), dtype=run.dtype)
        best = float(loss(made))
        found.append(Check("loss of the embedding", at, bound, best, close))
    for seed in run.seeds:
        run.tell(f"points at {at}, seed {seed}")
        least = _least(loss, shape, seed, run)
        below = max(0.0, bound - least)
        found.append(Check("how far below the bound", f"{at}, seed {seed}", 0.0, below, close))
        if not attained:
            reached = float(least - bound <= close)
            found.append(Check("attained", f"{at}, seed {seed}", 0.0, reached, 0.5))
    return found


def _least(loss: Callable[[Tensor], Tensor], shape: tuple[int, ...], seed: int, run: Run) -> float:
    """The least loss found from random starts."""
    generator = torch.Generator().manual_seed(seed)
    draws = (torch.randn(shape, generator=generator, dtype=torch.float64) for _ in range(STARTS))
    return min(float(loss(lowered(loss, x.to(run.dtype), STEPS))) for x in draws)

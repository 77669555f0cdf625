"""Minimises losses that are steepest where vectors coincide, as kernels below the Gaussian make.

Where vectors coincide such a loss has a kink, and often it is least there. So a loss is searched
whose squared distances have eps^2 added, for ever smaller eps, each from where the one before
ended. In the end what lies together is put together where the loss itself is then no larger. The
losses are not convex in the Gram matrix: what is found is optimised, and not certified.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from sympy import Symbol
from torch import Tensor

from ...derive.losses.pairwise import c
from ...derive.losses.softmax import SoftmaxLoss
from ...derive.problems.problem import Problem
from ..problems import bind
from ..problems.embeddings import normalise
from ..problems.parameters import Values
from ..search.optimiser import minimise

#: What is added to squared distances, its root.
eps = Symbol("eps_of_distance", positive=True)
WIDTHS = (1e-1, 1e-2, 1e-3)
#: Of the gradient norm: slopes of 1e6 near coincidence leave rounding errors of 1e-10. Losses err
#: by the square of it, once what coincides is put together.
TOLERANCE = 1e-8
#: Steps for each of the widths; most take some ten.
STEPS = 100
#: Vectors nearer than this may be meant to coincide.
NEAR = 1e-3


def rounded(problem: Problem) -> Problem:
    """The problem with eps^2 added to squared distances, which are 2 - 2 c."""
    loss = problem.loss
    assert isinstance(loss, SoftmaxLoss) and loss.similarity is not None
    similarity = loss.similarity.xreplace({c: c - eps**2 / 2})
    return Problem(replace(loss, similarity=similarity), problem.structure, problem.domain)


def search(
    problem: Problem,
    values: Values,
    *,
    d: int,
    seeds: Sequence[int] = (0,),
    start: Tensor | None = None,
    dtype: torch.dtype = torch.float64,
    device: str | torch.device = "auto",
) -> tuple[Tensor, Tensor]:
    """Embeddings ``(B, *shape, d)`` and their losses ``(B,)``, one for each seed or start.

    Parameters
    ----------
    problem, values
        A softmax loss with a similarity of its own; sizes and parameters, numbers.
    d, seeds, start, dtype, device
        As in :func:`~cltheory.numeric.search.minimise`.

    Raises
    ------
    ValueError
        As there.
    """
    near = rounded(problem)
    for width in WIDTHS:
        found = minimise(
            near,
            {**values, eps.name: width},
            d=d,
            seeds=seeds,
            start=start,
            tolerance=TOLERANCE if dtype is torch.float64 else None,
            max_iterations=STEPS,
            dtype=dtype,
            device=device,
        )
        start = found.embeddings
    assert start is not None
    bound = bind(problem, values, batch=len(start), dtype=dtype, device=start.device)
    together = normalise(joined(start))
    before, after = bound.value(start), bound.value(together)
    better = after <= before
    u = torch.where(better.reshape(-1, *(1,) * (start.ndim - 1)), together, start)
    return u, torch.where(better, after, before)


def joined(u: Tensor) -> Tensor:
    """Vectors, those that are near each other replaced by their mean."""
    rows = u.flatten(1, -2)
    near = torch.cdist(rows, rows, compute_mode="donot_use_mm_for_euclid_dist") < NEAR
    first = near.to(torch.uint8).argmax(dim=-1)  # of the near ones, the first
    index = first[..., None].expand_as(rows)
    total = torch.zeros_like(rows).scatter_add_(1, index, rows)
    return total.gather(1, index).view_as(u)

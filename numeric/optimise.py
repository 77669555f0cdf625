"""Kept until its callers have moved to :mod:`.search`."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from ..derive.losses.softmax import SoftmaxLoss
from .device import resolve_device
from .embeddings import random_embeddings
from .losses import Parameters, bind
from .progress import Report
from .search import (
    CERTIFIED,
    TOLERANCE,
    Optimum,
    StopCode,
    _Search,
    batch_size,
    default_chunk,
    drawn,
    search,
)

__all__ = [
    "CERTIFIED",
    "TOLERANCE",
    "Optimum",
    "StopCode",
    "_Search",
    "batch_size",
    "default_chunk",
    "drawn",
    "minimise",
    "search",
]


def minimise(
    loss: SoftmaxLoss,
    params: Parameters,
    *,
    m: int,
    n: int,
    p: int,
    d: int,
    seeds: int | Sequence[int] = 0,
    start: Tensor | None = None,
    tolerance: float | None = None,
    max_iterations: int = 1000,
    certificate: bool = True,
    dtype: torch.dtype = torch.float64,
    device: str | torch.device = "auto",
    chunk: int | None = None,
    progress: bool | Report = False,
) -> Optimum:
    """Minimise a declared loss over unit embeddings.

    The number ``B`` of problems is the common length of whatever is given per problem:
    tensors in ``params``, ``seeds``, ``start``; single values serve all problems.

    Parameters
    ----------
    loss, params
        The declaration, and a number or ``(B,)`` tensor for each of its parameters.
    m, n, p, d
        Classes, instances, views, dimension.
    seeds
        Seeds of random starts; not used when ``start`` is given.
    start
        Unit embeddings to start from, ``(m, n, p, d)`` or ``(B, m, n, p, d)``. An exact
        saddle is a stationary point: perturb symmetric starts.
    tolerance
        Stop when the gradient norm is at most this; by default :data:`TOLERANCE`.
    max_iterations
        A safeguard with a stop code of its own, not a way to stop.
    certificate
        Whether to compute the duality certificate of what is found.
    chunk
        Problems worked on at a time; by default what suits the cache or the GPU's memory.
    dtype, device
        Precision, and ``"auto"`` (CUDA if there is one), ``"cpu"`` or ``"cuda"``.
    progress
        True for a bar, or a function called with (finished, all).

    Notes
    -----
    Ctrl-C ends the search and returns what there is, with the code ``INTERRUPTED``.

    From random starts, temperatures of about 0.05 and less take hundreds of steps: classes
    barely feel each other, and the loss is a narrow bent valley. :mod:`.sweep`, also for
    a single cell, begins elsewhere and needs a few.
    """
    where = resolve_device(device)
    if min(m, n, p, d) < 1:
        raise ValueError(f"m, n, p and d must be at least 1, got {m}, {n}, {p}, {d}")
    if start is not None and start.shape[-4:] != (m, n, p, d):
        raise ValueError(f"start has the shape {tuple(start.shape)}, not (B, {m}, {n}, {p}, {d})")
    batch = batch_size(params, seeds, start, 4)
    bound = bind(loss, params, m=m, n=n, p=p, batch=batch, dtype=dtype, device=where)
    used_seeds, chosen = drawn(seeds, batch) if start is None else (None, [])
    if start is None:
        start = random_embeddings(chosen, m=m, n=n, p=p, d=d, dtype=dtype, device=where)
    return search(
        bound,
        start.reshape(-1, m, n, p, d),
        batch=batch,
        seeds=used_seeds,
        tolerance=tolerance,
        max_iterations=max_iterations,
        certificate=certificate,
        dtype=dtype,
        device=where,
        chunk=chunk,
        progress=progress,
    )

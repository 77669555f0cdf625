"""Minimises declared losses of two towers over unit embeddings, many problems as one batch.

The search is that of :mod:`.optimise`. Its tolerance is relative here: to what the pulls on
a vector would add up to if they did not balance (:class:`~.inner_products.InnerProductPoint`),
since at large temperatures a pairwise loss may be 1e-10 at its optimum, and its gradient too.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from .device import resolve_device
from .losses import Parameters
from .optimise import Optimum, batch_size, drawn, search
from .progress import Report
from .tower_embeddings import random_towers
from .towers import TowerLoss, bind_towers


def minimise_towers(
    loss: TowerLoss,
    params: Parameters,
    *,
    N: int,
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
    """Minimise a declared loss over two towers of unit embeddings.

    Parameters
    ----------
    loss, params
        The declaration, and a number or ``(B,)`` tensor for each of its parameters.
    N, d
        Items, dimension.
    seeds
        Seeds of random starts; not used when ``start`` is given.
    start
        Unit embeddings to start from, ``(2, N, d)`` or ``(B, 2, N, d)``. An exact saddle is a
        stationary point: perturb symmetric starts.
    tolerance, max_iterations, certificate, chunk, dtype, device, progress
        As in :func:`~cltheory.numeric.optimise.minimise`, but for what the tolerance is
        relative to; see above.

    Returns
    -------
    Optimum
        Its ``embeddings`` are ``(B, 2, N, d)``.
    """
    where = resolve_device(device)
    if d < 1:
        raise ValueError(f"d must be at least 1, got {d}")
    if start is not None and start.shape[-3:] != (2, N, d):
        raise ValueError(f"start has the shape {tuple(start.shape)}, not (B, 2, {N}, {d})")
    batch = batch_size(params, seeds, start, 3)
    bound = bind_towers(loss, params, N=N, batch=batch, dtype=dtype, device=where)
    used_seeds, chosen = drawn(seeds, batch) if start is None else (None, [])
    if start is None:
        start = random_towers(chosen, N=N, d=d, dtype=dtype, device=where)
    return search(
        bound,
        start.reshape(-1, 2, N, d),
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

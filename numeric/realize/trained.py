"""After training: how far embeddings are from what is known before it.

Of embeddings, the loss, its part above the entropic bound and above the least loss, and how like
their similarities and they themselves are to an optimal embedding, by the metrics of
:mod:`~.metrics`. The loss is evaluated tile by tile, so that no n x n matrix is held.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ..losses.directions import directions
from ..losses.modules import XCLR, EuclideanWInfoNCE, Loss, SoftSupCon, SupCon, WInfoNCE, YAware
from ..losses.tiles import Tile
from ..metrics import procrustes_r2, similarity_r2
from .pairs import Array, Tell, Unfit
from .verdict import Similarity, Verdict


@dataclass(frozen=True)
class Distance:
    """How far embeddings are from an optimum.

    Attributes
    ----------
    loss
        Of the embeddings.
    loss_gap
        Over the entropic bound, less 1 (Definition 3.14); None where the bound is 0.
    above
        Loss above that of the optimum; None where that was not found.
    similarity_r2, procrustes_r2
        Definitions 3.15 and 3.16 against the optimal embedding; None without one, or where it has
        no variance.
    notes
        Why something has no value.
    """

    loss: float
    loss_gap: float | None
    above: float | None
    similarity_r2: float | None
    procrustes_r2: float | None
    notes: tuple[str, ...]


def module(
    scheme: str | None,
    similarity: Similarity,
    tau: float | None,
    *,
    epsilon: float | None = None,
    tau_prime: float | None = None,
) -> Loss:
    """The loss of a scheme; None is that of a matrix of weights."""
    euclidean = similarity == "euclidean"
    t = 1.0 if tau is None else tau
    found: Loss
    match scheme:
        case "supcon" | "soft-supcon":
            found = SupCon(t) if scheme == "supcon" else SoftSupCon(epsilon or 0.0, t)
            found.euclidean, found.normalize = euclidean, not euclidean
        case "y-aware":
            found = EuclideanWInfoNCE() if euclidean else YAware(t)
        case "euclidean":
            found = EuclideanWInfoNCE()
        case "x-clr":
            found = XCLR(tau_prime or 1.0, t)
            found.euclidean, found.normalize = euclidean, not euclidean
        case _:
            found = WInfoNCE(t, euclidean=euclidean)
    return found


def _watched(tiles: Sequence[Tile], tell: Callable[[str], None]) -> Iterator[Tile]:
    for k, tile in enumerate(tiles):
        tell(f"loss of the embeddings, {k * 100 // len(tiles)}%")
        yield tile


def distance(
    loss: Loss,
    embeddings: Array,
    labels: Any,
    verdict: Verdict,
    index: Sequence[int] | None = None,
    tell: Tell = None,
) -> Distance:
    """Compare embeddings with a verdict.

    Parameters
    ----------
    loss, labels
        A loss and what it is given: classes, vectors or weights, one row a sample.
    embeddings
        ``(n, q)``.
    verdict, index
        What is known of the optimum; of classes, the row of its embedding for each sample.
    tell
        Called with how much of the loss is evaluated.

    Raises
    ------
    Unfit
        If an embedding is zero and the loss compares directions.
    """
    z = torch.as_tensor(np.asarray(embeddings, dtype=np.float64))
    zero = (z == 0).all(1)
    if not loss.euclidean and bool(zero.any()):
        raise Unfit(f"embedding {int(zero.nonzero()[0]) + 1} is zero: it has no cosine")
    y = torch.as_tensor(np.asarray(labels))
    notes: list[str] = []
    gap = r2 = turned = None
    if tell is not None:
        loss.watch = lambda tiles: _watched(tiles, tell)
    with torch.no_grad():
        value = float(loss(z, y))
    if verdict.bound:
        gap = value / verdict.bound - 1
    else:
        notes.append("the entropic bound is 0, so the loss gap is undefined")
    if verdict.vectors is None:
        notes.append("there is no optimal embedding to compare with")
    else:
        best = verdict.vectors if index is None else verdict.vectors[np.asarray(index)]
        unit = z if loss.euclidean else directions(z)[0]
        try:
            r2 = similarity_r2(unit, best, "euclidean" if loss.euclidean else "cosine")
            turned = procrustes_r2(unit, best)
        except ValueError as refusal:
            notes.append(str(refusal))
    above = None if verdict.loss is None else value - verdict.loss
    return Distance(value, gap, above, r2, turned, tuple(notes))

"""Embeddings that are free, trained with a loss module until its gradient is rounding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import normalize

from ..losses.modules import Loss
from ..running.device import resolve_device, threads_for

#: A gradient this small counts as converged; losses and cosines are of the order of 1.
TOLERANCE = 1e-12
#: Iterations of L-BFGS in a round. Rounds with a line search come first; it compares losses, and
#: so ends at the root of their rounding. The last ones trust the gradient, which goes on falling.
ROUNDS = ((True, 1000), (True, 1000), (False, 300), (False, 300))
#: The loss is multiplied by this: L-BFGS of torch forgets every step whose product with the change
#: of the gradient is below 1e-10, as all are near the optimum of a cold loss.
SCALE = 1e12


@dataclass(frozen=True)
class Fitted:
    """Embeddings, and how they were found.

    Attributes
    ----------
    embeddings
        ``(n, d)``, unit rows in float64.
    loss, gradient_norm
        There.
    evaluations
        How often the loss was evaluated.
    is_converged
        Whether the gradient is as small as was asked for.
    """

    embeddings: Tensor
    loss: float
    gradient_norm: float
    evaluations: int
    is_converged: bool


def fit(
    loss: Loss,
    labels: Tensor,
    d: int,
    seed: int,
    *,
    tolerance: float | None = None,
    dtype: torch.dtype = torch.float64,
    device: str | torch.device = "auto",
) -> Fitted:
    """Minimise a loss of unit embeddings from a random start.

    Parameters
    ----------
    loss, labels
        A module with ``normalize=True``, and what it is given beside embeddings.
    d, seed
        Dimension, and what the start is drawn from.
    tolerance
        Gradient norm at which it is done.
    dtype, device
        As in :func:`~cltheory.numeric.search.minimise`.
    """
    where = resolve_device(device)
    done = TOLERANCE if tolerance is None else tolerance
    start = torch.randn(
        len(labels), d, generator=torch.Generator().manual_seed(seed), dtype=torch.float64
    )
    z = normalize(start).to(where, dtype).requires_grad_()
    labels = labels.to(where)
    count = 0

    def closure() -> Tensor:
        nonlocal count
        count += 1
        z.grad = None
        value = SCALE * loss(z, labels)
        value.backward()
        return value

    def steepness() -> float:
        closure()
        assert z.grad is not None
        return float(z.grad.norm()) / SCALE

    with threads_for(*z.shape):
        best = (steepness(), z.detach().clone())
        for searched, iterations in ROUNDS:
            if best[0] <= done:
                break
            options: dict[str, Any] = {"line_search_fn": "strong_wolfe"} if searched else {}
            optimiser = torch.optim.LBFGS(
                [z],
                max_iter=iterations,
                history_size=50,
                tolerance_grad=0.1 * done * SCALE,
                tolerance_change=0,
                **options,
            )
            optimiser.step(closure)  # type: ignore[no-untyped-call]
            z.data = normalize(z.data)
            slope = steepness()
            if searched or slope <= best[0]:  # one without a search may go astray
                best = (slope, z.detach().clone())
            z.data = best[1].clone()
    found = normalize(best[1].double())
    with torch.no_grad():
        value = float(loss(found, labels))
    return Fitted(found.cpu(), value, best[0], count, best[0] <= done)

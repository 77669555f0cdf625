"""Points moved by InfoNCE on a graph: by SGD over drawn subgraphs, and down to an exact optimum."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite

import torch
from torch import Tensor
from torch.nn.functional import normalize

from .draw import drawn_from, probabilities
from .energy import NEGATIVES, Kernel, infonce, of_rows

#: Iterations between two looks at the exact cross-entropy, and looks that are averaged: what one
#: subgraph changes is noise, and a mean of ten is compared with the mean of the ten before.
LOOK, AVERAGED = 10, 10
#: Nats per vertex that the mean still has to fall by from one window to the next.
FALL = 5e-4
#: The gradient of the exact optimum, largest entry, at which it is done; per vertex as the loss.
EXACT = 1e-9
#: Steps of the optimiser for the exact optimum.
STEPS = 1500


@dataclass(frozen=True)
class Setup:
    """How points are trained; the defaults are those of appendix C of tan2024spectral.

    Attributes
    ----------
    kernel
        Of the points.
    lr
        Learning rate of SGD, above 0.
    batch
        Edges of the subgraph that a step has; the loss of a step is the mean over them.
    negatives
        ``all`` or ``batch``; see :func:`energy.infonce`.
    sphere
        Whether points stay on the unit sphere: each step ends by normalising them.
    most
        Iterations after which SGD stops in any case; a subgraph is drawn in each.
    """

    kernel: Kernel = field(default_factory=Kernel)
    lr: float = 1.0
    batch: int = 50
    negatives: str = "all"
    sphere: bool = False
    most: int = 3000

    def __post_init__(self) -> None:
        if not (isfinite(self.lr) and self.lr > 0):
            raise ValueError(f"the learning rate must be a positive number, not {self.lr:g}")
        if self.batch < 2 or self.most < 1:
            raise ValueError("a batch needs at least 2 edges, and SGD at least one iteration")
        if self.negatives not in NEGATIVES:
            raise ValueError(f"negatives are one of {', '.join(NEGATIVES)}, not {self.negatives!r}")


@dataclass(frozen=True)
class Trained:
    """Where SGD ended.

    Attributes
    ----------
    points
        At the end, ``(n, d)``.
    early
        After :data:`EARLY` iterations, or fewer if it stopped before.
    iterations
        Subgraphs that were drawn.
    stop
        ``converged``, or ``iterations`` if there were no more of them.
    """

    points: Tensor
    early: Tensor
    iterations: int
    stop: str


#: Iterations after which points are kept to be shown.
EARLY = 50


def start(n: int, d: int, random: torch.Generator, sphere: bool = False) -> Tensor:
    """Normal points, ``(n, d)``; on the sphere, normalised. ``random`` is on the CPU."""
    points = torch.randn(n, d, generator=random, dtype=torch.float64)
    return normalize(points) if sphere else points


def sgd(pi: Tensor, points: Tensor, setup: Setup, random: torch.Generator) -> Trained:
    """Draw a subgraph, go through its edges in batches in random order, and again.

    Parameters
    ----------
    pi, points
        The graph and the start, ``(n, n)`` and ``(n, d)``, on the device of ``random``.
    setup
        How.
    random
        Draws subgraphs and orders.

    Raises
    ------
    ValueError
        If the points left all bounds, which a smaller learning rate prevents.
    """
    rows, z = probabilities(pi), points.clone()
    sums = rows.cumsum(1)
    early, seen, before = z, [], float("inf")
    for iteration in range(1, setup.most + 1):
        positives = drawn_from(sums, random)
        order = torch.randperm(len(z), generator=random, device=z.device)
        for anchors in order.split(setup.batch):
            _, gradient = infonce(z, anchors, positives[anchors], setup.kernel, setup.negatives)
            z -= setup.lr * gradient
            if setup.sphere:
                z = normalize(z)
        if iteration <= EARLY:
            early = z.clone()
        if iteration % LOOK == 0 or iteration == setup.most:
            value = float(of_rows(z, rows, setup.kernel)[0])
            if not isfinite(value):
                raise ValueError(f"SGD diverged with learning rate {setup.lr:g}: try a smaller one")
            seen.append(value)
        if iteration % (LOOK * AVERAGED) == 0:
            now = sum(seen[-AVERAGED:]) / AVERAGED
            if before - now < FALL:
                return Trained(z, early, iteration, "converged")
            before = now
    return Trained(z, early, setup.most, "iterations")


@dataclass(frozen=True)
class Optimum:
    """Where the exact cross-entropy cannot be lowered from.

    Attributes
    ----------
    points
        ``(n, d)``.
    value
        Cross-entropy per vertex.
    gradient
        Largest entry of its gradient; on the sphere, of the tangential part.
    """

    points: Tensor
    value: float
    gradient: float


def minimised(
    pi: Tensor, points: Tensor, kernel: Kernel, sphere: bool = False, steps: int = STEPS
) -> Optimum:
    """A local minimum of the exact cross-entropy, by L-BFGS from the points given.

    On the sphere a point z is z = x / |x|, with x free. The problem is not convex in the points:
    what is found is the minimum of one valley.
    """
    rows = probabilities(pi)
    x = points.clone().requires_grad_(True)
    optimiser = torch.optim.LBFGS(
        [x],
        max_iter=steps,
        history_size=20,
        line_search_fn="strong_wolfe",
        tolerance_grad=EXACT,
        tolerance_change=0.0,
    )

    def closure() -> Tensor:
        value, x.grad = _on_surface(x.detach(), rows, kernel, sphere)
        return value

    optimiser.step(closure)  # type: ignore[arg-type]
    # At x / |x|, of length one: at x, which only grew longer, the gradient looks smaller.
    found = normalize(x.detach()) if sphere else x.detach()
    value, gradient = _on_surface(found, rows, kernel, sphere)
    return Optimum(found, float(value), float(gradient.abs().max()))


def _on_surface(x: Tensor, rows: Tensor, kernel: Kernel, sphere: bool) -> tuple[Tensor, Tensor]:
    """The cross-entropy at x, or at x / |x|, and its gradient in x."""
    if not sphere:
        return of_rows(x, rows, kernel)
    length = x.norm(dim=1, keepdim=True)
    z = x / length
    value, gradient = of_rows(z, rows, kernel)
    return value, (gradient - (gradient * z).sum(1, keepdim=True) * z) / length

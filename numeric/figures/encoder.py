r"""The encoder experiment of lee2024sigmoid (Fig. 3), trained until it stops improving.

N Gaussian pairs in R^{2d} pass through one two-layer ReLU network into R^d and are scaled to
unit length. What it can reach depends on its last layer:

* with a linear output and d >= N, every pair of towers is in reach, as 2N generic points in
  R^{2d} can be sent anywhere by the first layer, and a large bias keeps them off its kink;
* with a ReLU at the end, as in the authors' script, no inner product is negative: s >= 1/2
  always. For d >= N the best such embedding is an orthonormal basis shared by the towers,
  with s = 1 at *every* temperature, since it has the largest positives and the least
  negatives at once. Below the simplex threshold that is not the predicted s.

Being in reach is not being found: training is not convex, and a narrow hidden layer
(width d, as in the paper) gets stuck where a wider one does not. A ReLU output may also
die: an item whose output is zero has no direction. Rows count these.

Training: Adam with a falling rate for all temperatures at once, then L-BFGS in each cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import normalize

from ...derive.problems.problem import Problem
from ...derive.structures.towers import NEGATIVE, POSITIVE
from ..problems import BoundProblem, bind, parameter_names
from ..problems.measure import inner_products
from ..running.device import resolve_device, threads_for
from ..running.table import Row, alike
from ..search.certificate import certify_bound

#: A gradient this small, times the size of the weights, counts as converged.
TOLERANCE = 1e-7
#: Steps of Adam, its first learning rate, and iterations of L-BFGS at the end.
STEPS, RATE, POLISH = 3000, 0.02, 300


class Encoder(NamedTuple):
    """Shape of the network: ``width`` hidden units per output, and whether it ends in a ReLU."""

    width: int
    relu: bool


#: A wide hidden layer; the paper's width; the authors' script, with a ReLU at the end.
ENCODERS = {
    "linear-4d": Encoder(4, False),
    "linear-d": Encoder(1, False),
    "relu-d": Encoder(1, True),
}


def train_encoders(
    problem: Problem,
    cells: Sequence[Mapping[str, Any]],
    *,
    steps: int = STEPS,
    polish: int = POLISH,
    dtype: torch.dtype = torch.float64,
    device: str | torch.device = "auto",
) -> Iterator[Row]:
    """Train the encoder of every cell.

    Parameters
    ----------
    problem
        A loss on two towers whose parameters are t and b, or one of them.
    cells
        Each with the name of an ``encoder``, ``N``, ``d``, ``t``, ``b`` and a ``seed``, which
        gives the data and the first weights.
    steps, polish
        Steps of Adam, and iterations of L-BFGS at the end.
    dtype, device
        As in :func:`~cltheory.numeric.search.minimise`.

    Yields
    ------
    Row
        The cell, and what became of it: ``similarity`` is the paper's s of the outputs; ``gap``
        is their certified distance from the least loss of *any* embeddings, infinite where some
        of ``dead`` outputs are zero; ``gradient_norm`` is that of the weights, times their size.
    """
    where = resolve_device(device)
    names = parameter_names(problem)
    for group in alike(cells, ("encoder", "N", "d")):
        encoder, N, d = ENCODERS[group[0]["encoder"]], group[0]["N"], group[0]["d"]
        values = {k: torch.tensor([cell[k] for cell in group], dtype=dtype) for k in names}
        bound = bind(problem, {"N": N, **values}, batch=len(group), dtype=dtype, device=where)
        drawn = [_draw(cell["seed"], N, d, encoder) for cell in group]
        x, *weights = (torch.stack(part).to(where, dtype) for part in zip(*drawn, strict=True))
        with threads_for(2 * N, d):
            weights = _adam(bound, encoder, x, weights, steps)
        for i, cell in enumerate(group):
            one = torch.tensor([i], device=where)
            some = [w[one] for w in weights]
            with threads_for(2 * N, d):
                found = _polish(bound.select(one), encoder, x[one], some, polish)
            found["evaluations"] += steps
            yield {**cell, **found}


def _draw(seed: int, N: int, d: int, encoder: Encoder) -> tuple[Tensor, ...]:
    """Data and first weights, uniform within 1/sqrt(inputs) as is usual for linear layers."""
    generator = torch.Generator().manual_seed(seed)
    hidden = encoder.width * d
    x = torch.randn(2 * N, 2 * d, generator=generator, dtype=torch.float64)
    weights = []
    for inputs, outputs in ((2 * d, hidden), (hidden, d)):
        for shape in ((inputs, outputs), (1, outputs)):
            uniform = torch.rand(shape, generator=generator, dtype=torch.float64)
            weights.append((2 * uniform - 1) * inputs**-0.5)
    return x, *weights


def _outputs(encoder: Encoder, x: Tensor, weights: Sequence[Tensor]) -> Tensor:
    """Unit embeddings ``(B, 2, N, d)``; zero where a ReLU output is dead."""
    w1, b1, w2, b2 = weights
    out = (x @ w1 + b1).relu() @ w2 + b2
    if encoder.relu:
        out = out.relu()
    return normalize(out, dim=-1).unflatten(1, (2, -1))


def _adam(
    problem: BoundProblem, encoder: Encoder, x: Tensor, weights: list[Tensor], steps: int
) -> list[Tensor]:
    weights = [w.clone().requires_grad_() for w in weights]
    optimiser = torch.optim.Adam(weights, lr=RATE)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps, eta_min=RATE / 1000)
    for _ in range(steps):
        optimiser.zero_grad()
        problem.value(_outputs(encoder, x, weights)).sum().backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        schedule.step()
    return [w.detach() for w in weights]


def _polish(
    problem: BoundProblem, encoder: Encoder, x: Tensor, weights: list[Tensor], iterations: int
) -> dict[str, Any]:
    """Train on to the end, and measure the outputs."""
    before = weights
    weights = [w.clone().requires_grad_() for w in weights]
    optimiser = torch.optim.LBFGS(
        weights,
        max_iter=iterations,
        max_eval=2 * iterations,
        tolerance_grad=1e-2 * TOLERANCE,
        tolerance_change=0,
        history_size=30,
        line_search_fn="strong_wolfe",
    )
    count = 0

    def closure() -> Tensor:
        nonlocal count
        count += 1
        optimiser.zero_grad()
        value = problem.value(_outputs(encoder, x, weights))[0]
        value.backward()  # type: ignore[no-untyped-call]
        return value

    first = closure().item()
    optimiser.step(closure)  # type: ignore[no-untyped-call]
    if not closure().item() <= first:  # a line search that met a kink may end worse
        for w, old in zip(weights, before, strict=True):
            w.data.copy_(old)
        closure()
    slope = sum(float(w.grad.square().sum()) for w in weights if w.grad is not None)
    size = sum(float(w.detach().square().sum()) for w in weights)
    gradient = (slope * size) ** 0.5
    with torch.no_grad():
        u = _outputs(encoder, x, weights)
    dead = int((u.norm(dim=-1) < 0.5).sum())
    double = problem.to(torch.float64)
    found = None if dead else certify_bound(double, u.double())
    seen = inner_products(problem.arrangement, u)
    positive = float(seen[POSITIVE][0])
    return {
        "similarity": (1 + positive) / 2,
        "positive": positive,
        "negative": float(seen[NEGATIVE][0]),
        "loss": float(double.value(u.double())[0]),
        "gap": inf if found is None else float(found.gap[0]),
        "dead": dead,
        "gradient_norm": gradient,
        "evaluations": count,
        "stop": "converged" if gradient <= TOLERANCE else "stalled",
        "dtype": str(u.dtype).removeprefix("torch."),
        "device": str(u.device),
    }

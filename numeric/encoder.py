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

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from math import inf

import torch
from torch import Tensor
from torch.nn.functional import normalize

from ..derive.problems.problem import Problem
from ..derive.structures.towers import NEGATIVE, POSITIVE
from .certificate import certify_bound
from .device import resolve_device, threads_for
from .measure import inner_products
from .problems import BoundProblem, bind, parameter_names
from .progress import Report, reporting

#: A gradient this small, times the size of the weights, counts as converged.
TOLERANCE = 1e-7
#: Steps of Adam, its first learning rate, and iterations of L-BFGS at the end.
STEPS, RATE, POLISH = 3000, 0.02, 300

#: What tells one cell from another: (encoder, N, d, t, b, seed).
EncoderKey = tuple[str, int, int, float, float, int]


@dataclass(frozen=True)
class Encoder:
    """Shape of the network: ``width`` hidden units per output, and what it ends in."""

    width: int = 1
    relu: bool = False

    @property
    def name(self) -> str:
        """``linear-4d``, say: linear output, 4 d hidden units."""
        times = "" if self.width == 1 else str(self.width)
        return f"{'relu' if self.relu else 'linear'}-{times}d"


#: A wide hidden layer; the paper's width; the authors' script, with a ReLU at the end.
ENCODERS = (Encoder(width=4), Encoder(), Encoder(relu=True))


@dataclass(frozen=True)
class EncoderRow:
    """One trained encoder, in plain numbers, fit for a line of a table.

    ``similarity`` is the paper's s of its outputs; ``gap`` is their certified distance from
    the least loss of *any* embeddings, infinite where some of ``dead`` outputs are zero;
    ``gradient_norm`` is that of the weights, times their size.
    """

    encoder: str
    N: int
    d: int
    t: float
    b: float
    seed: int
    similarity: float
    positive: float
    negative: float
    loss: float
    gap: float
    dead: int
    gradient_norm: float
    evaluations: int
    stop: str
    dtype: str
    device: str

    @property
    def key(self) -> EncoderKey:
        """What :func:`train_encoders` takes to skip this cell."""
        return encoder_key(self.encoder, self.N, self.d, self.t, self.b, self.seed)

    def as_dict(self) -> dict[str, float | int | str]:
        """Columns by name."""
        return asdict(self)


def encoder_key(encoder: str, N: int, d: int, t: float, b: float, seed: int) -> EncoderKey:
    """Key of a cell, proof against numbers that lost a digit in a table."""
    return encoder, int(N), int(d), float(f"{t:.12g}"), float(f"{b:.12g}"), int(seed)


def train_encoders(
    problem: Problem,
    *,
    shapes: Sequence[tuple[int, int]],
    points: Sequence[tuple[float, float]],
    seeds: Sequence[int] = (0,),
    encoders: Sequence[Encoder] = ENCODERS,
    done: Iterable[EncoderKey] = (),
    steps: int = STEPS,
    polish: int = POLISH,
    dtype: torch.dtype = torch.float64,
    device: str | torch.device = "auto",
    progress: bool | Report = False,
) -> Iterator[EncoderRow]:
    """Train every encoder for every shape (N, d), point (t, b) and seed.

    Parameters
    ----------
    problem
        A loss on two towers whose parameters are t and b, or one of them.
    shapes, points, encoders
        Pairs (N, d), pairs (t, b), and the networks.
    seeds
        Each gives the data and the first weights.
    done
        Keys of cells to skip: those of rows that an earlier run has left.
    steps, polish
        Steps of Adam, and iterations of L-BFGS at the end.
    dtype, device, progress
        As in :func:`~cltheory.numeric.search.minimise`.
    """
    where = resolve_device(device)
    names = parameter_names(problem)
    if not set(names) <= {"t", "b"}:
        loss = problem.loss.name
        raise ValueError(f"encoders are trained over t and b; loss {loss!r} takes {names}")
    skip = {encoder_key(*k) for k in done}
    groups = [
        (
            encoder,
            N,
            d,
            [
                (t, b, seed)
                for seed in seeds
                for t, b in points
                if encoder_key(encoder.name, N, d, t, b, seed) not in skip
            ],
        )
        for encoder in encoders
        for N, d in shapes
    ]
    with reporting(progress, sum(len(cells) for *_, cells in groups), "cell") as advance:
        for encoder, N, d, cells in groups:
            if not cells:
                continue
            t, b, _ = zip(*cells, strict=True)
            values = {"t": torch.tensor(t), "b": torch.tensor(b)}
            params = {name: values[name].to(dtype) for name in names}
            bound = bind(problem, {"N": N, **params}, batch=len(cells), dtype=dtype, device=where)
            drawn = [_draw(seed, N, d, encoder) for *_, seed in cells]
            x, *weights = (torch.stack(part).to(where, dtype) for part in zip(*drawn, strict=True))
            with threads_for(2 * N, d):
                weights = _adam(bound, encoder, x, weights, steps)
            for i, cell in enumerate(cells):
                one = torch.tensor([i], device=where)
                some = [w[one] for w in weights]
                with threads_for(2 * N, d):
                    row = _polish(bound.select(one), encoder, x[one], some, cell, polish, steps)
                yield row
                advance(1)


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
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(
        optimiser, max(steps, 1), eta_min=RATE / 1000
    )
    for _ in range(steps):
        optimiser.zero_grad()
        problem.value(_outputs(encoder, x, weights)).sum().backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        schedule.step()
    return [w.detach() for w in weights]


def _polish(
    problem: BoundProblem,
    encoder: Encoder,
    x: Tensor,
    weights: list[Tensor],
    cell: tuple[float, float, int],
    iterations: int,
    steps: int,
) -> EncoderRow:
    before = weights
    weights = [w.clone().requires_grad_() for w in weights]
    optimiser = torch.optim.LBFGS(
        weights,
        max_iter=max(iterations, 1),
        max_eval=2 * max(iterations, 1),
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
    if iterations > 0:
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
    t, b, seed = cell
    return EncoderRow(
        encoder.name,
        u.shape[2],
        u.shape[3],
        t,
        b,
        seed,
        (1 + positive) / 2,
        positive,
        float(seen[NEGATIVE][0]),
        float(double.value(u.double())[0]),
        inf if found is None else float(found.gap[0]),
        dead,
        gradient,
        steps + count,
        "converged" if gradient <= TOLERANCE else "stalled",
        str(u.dtype).removeprefix("torch."),
        str(u.device),
    )

"""The numbers that bounds are functions of, read off configurations in torch, kind by kind.

All have the names, and at stored configurations the values, that they have to any number of digits
in :mod:`cltheory.derive.vectors`; nearly equal numbers are not subtracted where that can be helped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

import torch
from torch import Tensor
from torch.linalg import eigvalsh, vecdot, vector_norm

from ...derive.theorem.bounds import About
from ..band.bounds import Lookup
from ..band.readings import AnchorReadings, BatchReadings, largest_eigenvalue, neighbours
from ..metrics.spectrum import smaller_gram
from .spaces import KINDS

#: Where the largest centred logit is below this, the remainder is found by its series.
NEAR = 0.5


def float_readings(about: About, vectors: Mapping[str, Tensor], tau: Tensor | None) -> Lookup:
    """Readings of configurations [starts, ...] of a kind."""
    if about is About.SOFTMAX:
        return _Lazy(_of_logits(vectors["logits"]))
    if about is About.VECTORS:
        return _Lazy(_of_candidate(vectors["batch"], vectors["candidate"]))
    assert tau is not None
    if about is About.ANCHOR:
        return AnchorReadings(vectors["anchor"], vectors["positive"], vectors["negatives"], tau)
    if about is About.BATCH:
        z = vectors["z"]
        return BatchReadings(z, neighbours(z.shape[-2]), tau)
    return _Lazy(_of_law(vectors, tau))


@lru_cache(maxsize=512)
def has(about: About, name: str) -> bool:
    """Whether a configuration of a kind has a reading of this name."""
    one = torch.ones(1, dtype=torch.float64)
    vectors = {k: one.new_ones(1, *shape) for k, shape in KINDS[about].shapes(4, 1).items()}
    try:
        float_readings(about, vectors, one)[name]
    except KeyError:
        return False
    return True


# --- logits, a batch with a candidate, a law -----------------------------------------------------
Readings = dict[str, Callable[[], Tensor]]


class _Lazy:
    """Readings by name, each computed when asked for."""

    def __init__(self, known: Readings) -> None:
        self._known = known

    def __getitem__(self, name: str) -> Tensor:
        if name not in self._known:
            raise KeyError(f"unknown reading {name!r}")
        return self._known[name]()


def _of_logits(logits: Tensor) -> Readings:
    """N logits, their softmax q, and what q - 1/N differs by from the centred logits over N."""
    size, q = logits.shape[-1], torch.softmax(logits, -1)
    centred = logits - logits.mean(-1, keepdim=True)
    rest = _remainder(q, centred)
    return {
        "N": lambda: q.new_full(q.shape[:-1], size),
        "curvature": lambda: eigvalsh(torch.diag_embed(q) - q[..., None] * q[..., None, :])[
            ..., -1
        ],
        "q_max": lambda: q.amax(-1),
        "participation": lambda: q.square().sum(-1),
        "spread_2": lambda: vector_norm(centred, dim=-1),
        "spread_inf": lambda: centred.abs().amax(-1),
        "deviation": lambda: vector_norm(rest + centred / size, dim=-1),
        "remainder_2": lambda: vector_norm(rest, dim=-1),
        "remainder_inf": lambda: rest.abs().amax(-1),
        "remainder_above": lambda: rest.amax(-1),
        "remainder_below": lambda: -rest.amin(-1),
        "remainder_first": lambda: rest[..., 0].abs(),
        "offset_first": lambda: centred[..., 0].abs(),
    }


def _remainder(q: Tensor, centred: Tensor) -> Tensor:
    size = q.shape[-1]
    straight = q - 1 / size - centred / size
    # With g(x) = e^x - 1 - x, whose mean is that of e^x less 1, nothing nearly equal is left.
    x = centred.clamp(-NEAR, NEAR)
    g = torch.ones_like(x)
    for k in range(16, 2, -1):
        g = 1 + x / k * g
    g = g * x.square() / 2
    mean = g.mean(-1, keepdim=True)
    near = (g - (1 + x) * mean) / (1 + mean) / size
    return torch.where(centred.abs().amax(-1, keepdim=True) < NEAR, near, straight)


def _of_candidate(batch: Tensor, candidate: Tensor) -> Readings:
    """b unit vectors in d dimensions, and a candidate."""
    size, d = batch.shape[-2:]
    products = (batch @ candidate[..., None])[..., 0]

    def number(value: float) -> Tensor:
        return batch.new_full(batch.shape[:-2], value)

    def entropy_rank() -> Tensor:
        values = eigvalsh(batch.mT @ batch / size).clamp_min(0)
        return torch.special.entr(values.clamp_min(1e-300)).sum(-1).exp()

    return {
        **dict.fromkeys(("b", "n"), lambda: number(size)),
        "d": lambda: number(d),
        "t": lambda: _trace_of_square(batch),
        "effective_rank": lambda: 1 / _trace_of_square(batch),
        "sigma_hat": lambda: largest_eigenvalue(batch) / size,
        "entropy_rank": entropy_rank,
        "q": lambda: products.square().mean(-1),
        "centroid": lambda: products.mean(-1),
        "t_next": lambda: _trace_of_square(torch.cat([batch, candidate[..., None, :]], dim=-2)),
    }


def _trace_of_square(rows: Tensor) -> Tensor:
    return smaller_gram(rows).square().sum((-2, -1)) / rows.shape[-2] ** 2


def _of_law(vectors: Mapping[str, Tensor], tau: Tensor) -> Readings:
    """Anchors with positives and negatives, with weights, at one temperature."""
    weights, count = vectors["weights"], vectors["negatives"].shape[-2]
    heat = tau[..., None].expand(weights.shape)
    z, positive, negatives = (vectors[k] for k in ("anchor", "positive", "negatives"))
    each = AnchorReadings(z, positive, negatives, heat)

    def mean(values: Tensor) -> Tensor:
        return vecdot(weights, values)

    def variance(values: Tensor) -> Tensor:
        return mean((values - mean(values)[..., None]).square())

    return {
        "N": lambda: torch.full_like(tau, count),
        "n": lambda: torch.full_like(tau, count + 2),
        "tau": lambda: tau,
        "epsilon": lambda: mean(each["epsilon"].square()).sqrt(),
        "mean_epsilon_squared": lambda: mean(each["epsilon"].square()),
        "epsilon_max": lambda: each["epsilon"].amax(-1),
        "mean_epsilon_squared_sigma": lambda: mean(each["epsilon"].square() * each["sigma"]),
        "mean_squared_sampling": lambda: mean(each["squared_sampling"]),
        "sigma": lambda: mean(each["sigma"]),
        "mean_squared_gradient": lambda: mean(each["squared_gradient"]),
        "gradient_variance": lambda: variance(each["squared_gradient"]),
    }

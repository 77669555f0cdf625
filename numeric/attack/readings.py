"""The numbers that bounds are functions of, read off configurations in torch, kind by kind.

All have the names, and at stored configurations the values, that they have to any number of digits
in :mod:`cltheory.derive.vectors`; nearly equal numbers are not subtracted where that can be helped.
"""

from __future__ import annotations

from collections.abc import Mapping
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
        return _Lazy(_Logits(vectors["logits"]))
    if about is About.VECTORS:
        return _Lazy(_Candidate(vectors["batch"], vectors["candidate"]))
    assert tau is not None
    if about is About.ANCHOR:
        return AnchorReadings(vectors["anchor"], vectors["positive"], vectors["negatives"], tau)
    if about is About.BATCH:
        z = vectors["z"]
        return BatchReadings(z, neighbours(z.shape[-2]), tau)
    return _Lazy(_Law(vectors, tau))


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
class _Lazy:
    """Readings that are methods, each called when asked for."""

    def __init__(self, of: object) -> None:
        self._of = of

    def __getitem__(self, name: str) -> Tensor:
        if name.startswith("_") or not callable(getattr(self._of, name, None)):
            raise KeyError(f"unknown reading {name!r}")
        found: Tensor = getattr(self._of, name)()
        return found


class _Logits:
    """N logits, their softmax q, and what q - 1/N differs by from the centred logits over N."""

    def __init__(self, logits: Tensor) -> None:
        self._size = logits.shape[-1]
        self._centred = logits - logits.mean(-1, keepdim=True)
        self._q = torch.softmax(logits, -1)
        self._rest = self._remainder()

    def _remainder(self) -> Tensor:
        c = self._centred
        straight = self._q - 1 / self._size - c / self._size
        # With g(x) = e^x - 1 - x, whose mean is that of e^x less 1, nothing nearly equal is left.
        x = c.clamp(-NEAR, NEAR)
        g = torch.ones_like(x)
        for k in range(16, 2, -1):
            g = 1 + x / k * g
        g = g * x.square() / 2
        mean = g.mean(-1, keepdim=True)
        near = (g - (1 + x) * mean) / (1 + mean) / self._size
        is_near = c.abs().amax(-1, keepdim=True) < NEAR
        return torch.where(is_near, near, straight)

    def _number(self, value: float) -> Tensor:
        return self._q.new_full(self._q.shape[:-1], value)

    def N(self) -> Tensor:
        return self._number(self._size)

    def curvature(self) -> Tensor:
        return eigvalsh(torch.diag_embed(self._q) - self._q[..., None] * self._q[..., None, :])[
            ..., -1
        ]

    def q_max(self) -> Tensor:
        return self._q.amax(-1)

    def participation(self) -> Tensor:
        return self._q.square().sum(-1)

    def spread_2(self) -> Tensor:
        return vector_norm(self._centred, dim=-1)

    def spread_inf(self) -> Tensor:
        return self._centred.abs().amax(-1)

    def deviation(self) -> Tensor:
        return vector_norm(self._rest + self._centred / self._size, dim=-1)

    def remainder_2(self) -> Tensor:
        return vector_norm(self._rest, dim=-1)

    def remainder_inf(self) -> Tensor:
        return self._rest.abs().amax(-1)

    def remainder_above(self) -> Tensor:
        return self._rest.amax(-1)

    def remainder_below(self) -> Tensor:
        return -self._rest.amin(-1)

    def remainder_first(self) -> Tensor:
        return self._rest[..., 0].abs()

    def offset_first(self) -> Tensor:
        return self._centred[..., 0].abs()


class _Candidate:
    """b unit vectors in d dimensions, and a candidate."""

    def __init__(self, batch: Tensor, candidate: Tensor) -> None:
        self._batch, self._candidate = batch, candidate
        self._size, self._d = batch.shape[-2:]
        self._products = (batch @ candidate[..., None])[..., 0]

    def _number(self, value: float) -> Tensor:
        return self._batch.new_full(self._batch.shape[:-2], value)

    def b(self) -> Tensor:
        return self._number(self._size)

    n = b

    def d(self) -> Tensor:
        return self._number(self._d)

    def t(self) -> Tensor:
        return _trace_of_square(self._batch)

    def effective_rank(self) -> Tensor:
        return 1 / self.t()

    def sigma_hat(self) -> Tensor:
        return largest_eigenvalue(self._batch) / self._size

    def entropy_rank(self) -> Tensor:
        moment = self._batch.mT @ self._batch / self._size
        values = eigvalsh(moment).clamp_min(0)
        return torch.special.entr(values.clamp_min(1e-300)).sum(-1).exp()

    def q(self) -> Tensor:
        return self._products.square().mean(-1)

    def centroid(self) -> Tensor:
        return self._products.mean(-1)

    def t_next(self) -> Tensor:
        return _trace_of_square(torch.cat([self._batch, self._candidate[..., None, :]], dim=-2))


def _trace_of_square(rows: Tensor) -> Tensor:
    return smaller_gram(rows).square().sum((-2, -1)) / rows.shape[-2] ** 2


class _Law:
    """Anchors with positives and negatives, with weights, at one temperature."""

    def __init__(self, vectors: Mapping[str, Tensor], tau: Tensor) -> None:
        self._weights = vectors["weights"]
        self._tau = tau
        self._count = vectors["negatives"].shape[-2]
        heat = tau[..., None].expand(self._weights.shape)
        z, positive, negatives = (vectors[k] for k in ("anchor", "positive", "negatives"))
        self._each = AnchorReadings(z, positive, negatives, heat)

    def _mean(self, values: Tensor) -> Tensor:
        return vecdot(self._weights, values)

    def N(self) -> Tensor:
        return torch.full_like(self._tau, self._count)

    def n(self) -> Tensor:
        return torch.full_like(self._tau, self._count + 2)

    def tau(self) -> Tensor:
        return self._tau

    def epsilon(self) -> Tensor:
        return self.mean_epsilon_squared().sqrt()

    def mean_epsilon_squared(self) -> Tensor:
        return self._mean(self._each["epsilon"].square())

    def epsilon_max(self) -> Tensor:
        return self._each["epsilon"].amax(-1)

    def mean_epsilon_squared_sigma(self) -> Tensor:
        return self._mean(self._each["epsilon"].square() * self._each["sigma"])

    def mean_squared_sampling(self) -> Tensor:
        return self._mean(self._each["squared_sampling"])

    def sigma(self) -> Tensor:
        return self._mean(self._each["sigma"])

    def mean_squared_gradient(self) -> Tensor:
        return self._mean(self._each["squared_gradient"])

    def gradient_variance(self) -> Tensor:
        each = self._each["squared_gradient"]
        return self._mean((each - self._mean(each)[..., None]).square())

r"""The numbers that the bounds on the gradient of InfoNCE are functions of, in torch.

An anchor ``z`` has a positive ``z+`` and negatives ``z_1 .. z_N``, all of unit length, at a
temperature ``tau``. The softmax runs over the positive and the negatives: ``epsilon`` is what it
gives to the negatives together, ``q`` how it divides that among them, ``m = sum_j q_j z_j`` and
``M = (1 - epsilon) z+ + epsilon m``. The gradient of the loss with respect to the anchor, taken as
free (not kept on the sphere), is ``(M - z+)/tau = epsilon (m - z+)/tau``.

Nothing is subtracted that is nearly equal, so that readings keep their digits where the softmax is
all but one-hot:

* ``epsilon`` is the sigmoid of (log of the negatives' total) - (logit of the positive), not 1 - p;
* ``one_minus_rho`` is ``epsilon sum_j q_j (1 - <z_j, z+>)``, not 1 - <M, z+>; with one anchor to
  its negatives, 1 - <z_j, z+> is the half of a squared distance;
* the gradient is ``epsilon`` times a mean of differences, not a difference of means.

All is differentiable, in the dtype of the vectors, and over leading dimensions at once.
"""

from __future__ import annotations

from functools import cached_property

import torch
from torch import Tensor
from torch.linalg import vecdot, vector_norm
from torch.nn.functional import logsigmoid

from ...derive.vectors.anchor import BATCH, READINGS, factors_of
from ..metrics.spectrum import effective_rank, smaller_gram
from .sigma import largest_without

#: Readings that every anchor has, by the names that they have where they are exact.
NAMES = (
    *READINGS,
    "log_epsilon",
    "positive_gap",
    "participation_excess",
    "sine",
    "similarity_beside",
)


class Readings:
    """Readings of anchors with their positives, by name; each is computed when asked for.

    Parameters
    ----------
    anchors, positives
        ``(..., B, d)``.
    keys
        Vectors among which the negatives are, ``(..., K, d)``.
    tau
        A number, or of the leading shape.
    keep
        Which keys are negatives of which anchor, ``(B, K)``; of every anchor the same number.
        All are where it is None.
    """

    def __init__(
        self,
        anchors: Tensor,
        positives: Tensor,
        keys: Tensor,
        tau: Tensor | float,
        keep: Tensor | None = None,
    ) -> None:
        self.anchors, self.positives, self.keys, self.keep = anchors, positives, keys, keep
        self._tau = torch.as_tensor(tau, dtype=anchors.dtype, device=anchors.device)[..., None]
        self.count = keys.shape[-2] if keep is None else int(keep[0].sum())

    def each(self, name: str) -> Tensor:
        """The reading of that name, a number for each anchor.

        Raises
        ------
        KeyError
            If there is none.
        """
        if name not in NAMES:
            raise KeyError(f"an anchor has no reading {name!r}, but: {', '.join(NAMES)}")
        return self._shaped(getattr(self, name))

    def __getitem__(self, name: str) -> Tensor:
        """The same, where anchors are all that there is."""
        return self.each(name)

    def _shaped(self, reading: Tensor) -> Tensor:
        return reading.expand(self.alignment.shape)

    # --- similarities and weights -----------------------------------------------------------
    @cached_property
    def similarities(self) -> Tensor:
        """<z, z_j>, ``(..., B, K)``."""
        return self.anchors @ self.keys.mT

    @cached_property
    def alignment(self) -> Tensor:
        """<z, z+>."""
        return vecdot(self.anchors, self.positives)

    @cached_property
    def _logits(self) -> Tensor:
        logits = self.similarities / self._tau[..., None]
        return logits if self.keep is None else logits.masked_fill_(~self.keep, -torch.inf)

    @cached_property
    def log_epsilon(self) -> Tensor:
        """log epsilon, which is finite also where epsilon underflows."""
        return logsigmoid(torch.logsumexp(self._logits, -1) - self.alignment / self._tau)

    @cached_property
    def epsilon(self) -> Tensor:
        """What the softmax gives to the negatives."""
        return self.log_epsilon.exp()

    @cached_property
    def q(self) -> Tensor:
        """How the softmax divides among the negatives, ``(..., B, K)``; 0 at other keys."""
        return torch.softmax(self._logits, -1)

    # --- the softmax mean of the negatives --------------------------------------------------
    @cached_property
    def _differences(self) -> Tensor | None:
        """z_j - z+, where that takes no more room than the keys do."""
        return self.keys - self.positives if self.anchors.shape[-2] == 1 else None

    @cached_property
    def m(self) -> Tensor:
        """The softmax mean of the negatives, ``(..., B, d)``."""
        return self.q @ self.keys

    @cached_property
    def direction(self) -> Tensor:
        """m - z+, ``(..., B, d)``: the gradient times tau/epsilon."""
        if self._differences is not None:
            return self.q @ self._differences
        return self.m - self.positives

    @cached_property
    def gradient(self) -> Tensor:
        """The gradient of each anchor's loss with respect to the anchor, ``(..., B, d)``."""
        return (self.epsilon / self._tau)[..., None] * self.direction

    @property
    def _positive_similarities(self) -> Tensor:
        """<z+, z_j>, ``(..., B, K)``."""
        return self.positives @ self.keys.mT

    @cached_property
    def positive_gap(self) -> Tensor:
        """1 - <m, z+>, without cancellation."""
        if self._differences is not None:
            gaps = self._differences.square().sum(-1)[..., None, :] / 2
        else:
            gaps = (1 - self._positive_similarities).clamp_min(0)
        return vecdot(self.q, gaps)

    @cached_property
    def one_minus_rho(self) -> Tensor:
        """1 - rho, without cancellation."""
        return self.epsilon * self.positive_gap

    @cached_property
    def rho(self) -> Tensor:
        """<M, z+>."""
        return 1 - self.one_minus_rho

    @cached_property
    def mu(self) -> Tensor:
        """|m|."""
        return vector_norm(self.m, dim=-1)

    @cached_property
    def squared_gradient(self) -> Tensor:
        """|M - z+|^2/tau^2, with respect to a free anchor."""
        return self.gradient.square().sum(-1)

    @cached_property
    def squared_tangential(self) -> Tensor:
        """The same of the part tangent to the sphere, which is what passes a normalisation."""
        along = vecdot(self.gradient, self.anchors)[..., None]
        return (self.gradient - along * self.anchors).square().sum(-1)

    # --- the negatives ----------------------------------------------------------------------
    @cached_property
    def similarity(self) -> Tensor:
        """<z, m>."""
        return vecdot(self.q, self.similarities)

    @cached_property
    def _beside(self) -> Tensor:
        """z - <z, z+> z+, without cancellation where z is near z+ or opposite to it."""
        return orthogonal(self.anchors, self.positives)

    @cached_property
    def sine(self) -> Tensor:
        """sqrt(1 - <z, z+>^2)."""
        return vector_norm(self._beside, dim=-1)

    @cached_property
    def similarity_beside(self) -> Tensor:
        """<u, m>, u being the unit vector beside the positive towards the anchor; 0 without one."""
        length = torch.where(self.sine > 0, self.sine, torch.inf)
        return vecdot(self._beside / length[..., None], self.m)

    @cached_property
    def participation(self) -> Tensor:
        """sum_j q_j^2."""
        return self.q.square().sum(-1)

    @cached_property
    def participation_excess(self) -> Tensor:
        """N sum_j q_j^2 - 1, without cancellation."""
        return self.count * self._fluctuation.square().sum(-1)

    @cached_property
    def q_max(self) -> Tensor:
        """The largest weight among the negatives."""
        return self.q.amax(-1)

    @cached_property
    def _uniform(self) -> Tensor:
        """1/N at the negatives, 0 at other keys; ``(B, K)`` or ``(1, K)``."""
        if self.keep is None:
            return self.keys.new_full((1, self.count), 1 / self.count)
        return self.keep.to(self.keys.dtype) / self.count

    @cached_property
    def mean_norm(self) -> Tensor:
        """Length of the mean of the negatives."""
        return vector_norm(self._uniform @ self.keys, dim=-1)

    @cached_property
    def variance(self) -> Tensor:
        """Variance of the similarities to the negatives, all counted alike."""
        mean = (self._uniform * self.similarities).sum(-1, keepdim=True)
        return (self._uniform * (self.similarities - mean).square()).sum(-1)

    @cached_property
    def softmax_variance(self) -> Tensor:
        """The same, counted by the softmax."""
        return vecdot(self.q, (self.similarities - self.similarity[..., None]).square())

    @cached_property
    def sigma(self) -> Tensor:
        """The largest eigenvalue of (1/N) sum_j z_j z_j^T over the negatives."""
        if self.keep is None:
            return largest_eigenvalue(self.keys)[..., None] / self.count
        gram = (self.keys @ self.keys.mT)[..., None, :, :]
        kept = gram * (self.keep[:, :, None] & self.keep[:, None, :])
        return torch.linalg.eigvalsh(kept)[..., -1] / self.count

    @cached_property
    def sigma_positive(self) -> Tensor:
        """As sigma, with the parts of the negatives orthogonal to the positive."""
        rows = orthogonal(self.keys[..., None, :, :], self.positives[..., None, :])
        if self.keep is not None:
            rows = rows * self.keep[..., None]
        return largest_eigenvalue(rows) / self.count

    # --- parts of M - z+ --------------------------------------------------------------------
    @cached_property
    def _fluctuation(self) -> Tensor:
        """q_j - 1/N."""
        return self.q - self._uniform

    @cached_property
    def _linear(self) -> Tensor:
        """(s_j - mean s)/(N tau), the same to first order around equal logits."""
        mean = (self._uniform * self.similarities).sum(-1, keepdim=True)
        return self._uniform * (self.similarities - mean) / self._tau[..., None]

    def _squared(self, weights: Tensor) -> Tensor:
        return self.epsilon.square() * (weights @ self.keys).square().sum(-1)

    @cached_property
    def squared_sampling(self) -> Tensor:
        """|B|^2, B = epsilon times the mean of the negatives."""
        return (self.epsilon * self.mean_norm).square()

    @cached_property
    def squared_fluctuation(self) -> Tensor:
        """|C|^2, C = epsilon sum_j (q_j - 1/N) z_j."""
        return self._squared(self._fluctuation)

    @cached_property
    def squared_linear(self) -> Tensor:
        """|C^(1)|^2, the part of C that is linear in the similarities."""
        return self._squared(self._linear)

    @cached_property
    def squared_remainder(self) -> Tensor:
        """|C - C^(1)|^2."""
        return self._squared(self._fluctuation - self._linear)

    # --- sizes ------------------------------------------------------------------------------
    @property
    def tau(self) -> Tensor:
        """The temperature."""
        return self._tau

    @property
    def N(self) -> Tensor:
        """How many negatives an anchor has."""
        return self.anchors.new_tensor(self.count)

    @property
    def n(self) -> Tensor:
        """N + 2."""
        return self.anchors.new_tensor(self.count + 2)


class AnchorReadings(Readings):
    """Readings of one anchor, or of one in each entry of the leading dimensions.

    Parameters
    ----------
    anchor, positive
        ``(..., d)``.
    negatives
        ``(..., N, d)``.
    tau
        A number, or ``(...)``.
    """

    def __init__(
        self, anchor: Tensor, positive: Tensor, negatives: Tensor, tau: Tensor | float
    ) -> None:
        super().__init__(anchor[..., None, :], positive[..., None, :], negatives, tau)

    def _shaped(self, reading: Tensor) -> Tensor:
        return super()._shaped(reading)[..., 0]


class BatchReadings(Readings):
    """Readings of a batch, in which every vector is an anchor and all but its positive negatives.

    ``readings["sigma_hat"]`` and ``readings["effective_rank"]`` are of the batch, and
    ``readings["mean_epsilon"]``, ``readings["mean_epsilon_squared_sigma"]`` and so on are means
    over the anchors of products of readings or their squares. ``mean_norm`` is none: see `each`.

    Parameters
    ----------
    z
        ``(..., n, d)``.
    positive
        The index of the positive of each; see `neighbours` and `views`.
    tau
        A number, or ``(...)``.
    some
        The anchors to read, of which there are n if it is not given: readings of all take room
        for several matrices n x n.
    """

    def __init__(
        self, z: Tensor, positive: Tensor, tau: Tensor | float, some: slice = slice(None)
    ) -> None:
        own = torch.arange(z.shape[-2], device=z.device)[some]
        positive = positive.to(z.device)[some]
        keep = torch.ones(len(own), z.shape[-2], dtype=torch.bool, device=z.device)
        keep.scatter_(1, torch.stack([own, positive], 1), False)
        super().__init__(z[..., some, :], z[..., positive, :], z, tau, keep)
        self.own, self.positive = own, positive

    @cached_property
    def sigma(self) -> Tensor:
        """As of any anchors; all at once where a batch is one and nothing is differentiated."""
        if self.keys.ndim > 2 or self.keys.requires_grad or self.keys.dtype != torch.float64:
            return super().sigma
        return largest_without(self.keys, self.removed).value

    @property
    def _positive_similarities(self) -> Tensor:
        if len(self.own) < self.keys.shape[-2]:
            return super()._positive_similarities
        return self.similarities[..., self.positive, :]

    @cached_property
    def mean_norm(self) -> Tensor:
        """Length of the mean of the negatives: of all, less the anchor and its positive."""
        rest = self.keys.sum(-2, keepdim=True) - self.anchors - self.positives
        return vector_norm(rest, dim=-1) / self.count

    @property
    def removed(self) -> Tensor:
        """What is no negative of each: itself and its positive."""
        return torch.stack([self.own, self.positive], 1)

    def __getitem__(self, name: str) -> Tensor:
        """The reading of that name of the batch, ``(...)``."""
        if name in BATCH:
            return getattr(self, name).expand(self.alignment.shape[:-1] + (1,))[..., 0]
        factors = factors_of(name.removeprefix("mean_")) if name.startswith("mean_") else None
        if factors is None:
            raise KeyError(
                f"a batch has no reading {name!r}; it has {', '.join(BATCH)}, and means of "
                "products of readings of an anchor, such as mean_epsilon_squared"
            )
        product = torch.ones_like(self.alignment)
        for factor, power in factors:
            product = product * self.each(factor) ** power
        return product.mean(-1)

    @cached_property
    def sigma_hat(self) -> Tensor:
        """The largest eigenvalue of (1/n) sum_i z_i z_i^T, ``(..., 1)``."""
        return largest_eigenvalue(self.keys)[..., None] / self.keys.shape[-2]

    @cached_property
    def effective_rank(self) -> Tensor:
        """1/tr(Sigma^2) of the same matrix, ``(..., 1)``."""
        return effective_rank(self.keys, check=False)[..., None]


def neighbours(n: int) -> Tensor:
    """Positives where 0 and 1 are a pair, 2 and 3, and so on."""
    return torch.arange(n) ^ 1


def views(n: int) -> Tensor:
    """Positives where the second half of a batch are the second views of the first."""
    return (torch.arange(n) + n // 2) % n


def orthogonal(x: Tensor, axis: Tensor) -> Tensor:
    """x - <x, axis> axis of unit vectors, without cancellation where they are (anti)parallel."""
    side = torch.where(vecdot(x, axis) < 0, -1.0, 1.0)[..., None]
    apart = x - side * axis
    part = apart + side * apart.square().sum(-1, keepdim=True) / 2 * axis
    # Once more, as lengths are 1 up to rounding only, which may be much in so short a vector.
    return part - vecdot(part, axis)[..., None] * axis


def largest_eigenvalue(rows: Tensor) -> Tensor:
    """The largest eigenvalue of ``rows^T rows``."""
    return torch.linalg.eigvalsh(smaller_gram(rows))[..., -1]

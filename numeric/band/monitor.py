"""The band of a whole batch, for a training loop to log."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from math import nan, sqrt
from typing import Any

import torch
from torch import Tensor

from ..metrics.spectrum import spectrum as spectrum_of
from .bounds import With, closest, proved
from .inputs import constant, positives, temperature, unit, vectors
from .measured import printed
from .readings import BatchReadings, views
from .sigma import largest_without

#: Similarities that are held at a time: a batch of thousands is read some anchors at a time.
BLOCK = 2**22


@dataclass(frozen=True, eq=False)
class Report:
    """What is logged of a batch; means are over its anchors.

    Attributes
    ----------
    lower, measured, upper
        Mean squared gradient of an anchor's loss with respect to the anchor (free), between the
        means of the bounds of the result ``spectral-band``.
    closest_lower, closest_upper
        The same with the best of all bounds at each anchor, those that also measure how the
        softmax spreads over the negatives; nan unless asked for.
    upper_printed
        The paper's band: equation (9) with ``per_anchor``, else (10); nan unless asked for.
    tangential
        Mean square of the part of these gradients that is tangent to the sphere.
    epsilon, epsilon_squared, rho, mu, alignment
        Means of the readings.
    sigma_hat
        Largest eigenvalue of the second moment of the batch.
    sigma_mean, sigma_max
        Of the negatives of each anchor with ``per_anchor``; without it both are the ceiling
        min(1, n sigma_hat/(n - 2)).
    isotropy_deviation
        100 sqrt(d) |Sigma - I/d|, in percent.
    mean_norm
        Length of the mean of the batch.
    n, d, tau
        Embeddings, their dimension, temperature.
    sigma
        That of each anchor with ``per_anchor``, else None; not among the floats.
    """

    lower: float
    measured: float
    upper: float
    closest_lower: float
    closest_upper: float
    upper_printed: float
    tangential: float
    epsilon: float
    epsilon_squared: float
    rho: float
    mu: float
    alignment: float
    sigma_hat: float
    sigma_mean: float
    sigma_max: float
    isotropy_deviation: float
    mean_norm: float
    n: int
    d: int
    tau: float
    sigma: Tensor | None = field(default=None, repr=False)

    def floats(self, prefix: str = "") -> dict[str, float]:
        """All but ``sigma`` as plain floats, and not what is nan.

        Parameters
        ----------
        prefix
            Put before each name, ``"band/"`` say.
        """
        found = {f.name: float(getattr(self, f.name)) for f in fields(self) if f.name != "sigma"}
        return {prefix + name: value for name, value in found.items() if value == value}


def sigmas(z: Any, positive: Any, *, normalise: bool = False) -> Tensor:
    """The largest eigenvalue of the second moment of each embedding's negatives.

    All of them take about as long as a few eigendecompositions of the batch, and are put back to
    1e-11 of each (see `cltheory.numeric.band.sigma`).

    Parameters
    ----------
    z
        ``(n, d)``.
    positive
        The index of the positive of each.
    normalise
        Whether rows are scaled to unit length. Without it they must have it up to rounding.

    Raises
    ------
    ValueError
        If they are none; one line.
    """
    rows = _rows("embeddings", z, normalise).detach()
    index = _partners(rows, positive)
    return largest_without(rows, _removed(index)).value


def _removed(positive: Tensor) -> Tensor:
    """What is no negative of each embedding: itself and its positive."""
    return torch.stack([torch.arange(len(positive), device=positive.device), positive], 1)


def _rows(name: str, values: Any, normalise: bool) -> Tensor:
    z = vectors(name, values)
    if z.ndim != 2:
        raise ValueError(f"{name} must be (n, d), not {tuple(z.shape)}")
    return unit(name, z, normalise)


def _partners(z: Tensor, positive: Any) -> Tensor:
    if len(z) < 3:
        raise ValueError(f"there are {len(z)} embeddings, and the band needs n > 2")
    return positives(positive, len(z), z.device)


class BandMonitor:
    """Measures the band of a batch of embeddings; nothing is differentiated.

    Parameters
    ----------
    tau
        Temperature of the loss.
    normalise
        Whether rows are scaled to unit length. Without it they must have it up to rounding.
    per_anchor
        Whether the spectrum of each anchor's own negatives is taken, instead of a ceiling.
    closest
        Whether the best of all bounds is reported as well.
    c
        The constant of the paper's upper band, if that is to be reported as well.
    """

    def __init__(
        self,
        tau: float,
        *,
        normalise: bool = False,
        per_anchor: bool = False,
        closest: bool = False,
        c: float | None = None,
    ) -> None:
        self.tau = temperature(tau)
        self.normalise, self.per_anchor, self.closest = normalise, per_anchor, closest
        self.c = None if c is None else constant(c)

    @torch.no_grad()
    def __call__(self, z: Any, second: Any = None, *, positive: Any = None) -> Report:
        """The report of a batch in which every embedding is an anchor.

        Parameters
        ----------
        z
            ``(n, d)``.
        second
            Second views of the same samples, of the shape of ``z``: they are the positives, and
            anchors in their turn, 2n in all.
        positive
            Else the index of the positive of each.

        Raises
        ------
        ValueError
            If the batch is none, or has at most two embeddings; one line.
        """
        z = _rows("embeddings", z, self.normalise)
        if (second is None) == (positive is None):
            raise ValueError("give second views, or positive=, the index of each one's positive")
        if second is not None:
            other = _rows("second views", second, self.normalise)
            if other.shape != z.shape or other.device != z.device:
                raise ValueError(
                    f"second views {tuple(other.shape)} on {other.device} do not match "
                    f"embeddings {tuple(z.shape)} on {z.device}"
                )
            z = torch.cat([z, other])
        n = len(z)
        index = _partners(z, views(n) if second is not None else positive)
        spectrum, sigma = None, None
        if self.per_anchor:
            found = largest_without(z, _removed(index))
            sigma, spectrum = found.value, found.spectrum
        size = max(1, BLOCK // n)
        starts = range(0, n, size)
        reads = (BatchReadings(z, index, self.tau, slice(k, k + size)) for k in starts)
        return self._report(reads, z, spectrum, sigma)

    def _report(
        self,
        reads: Iterable[BatchReadings],
        z: Tensor,
        spectrum: Tensor | None,
        sigma: Tensor | None,
    ) -> Report:
        """Readings and bounds of anchors, some at a time."""
        n, d = z.shape
        if spectrum is None:
            spectrum = spectrum_of(z)
        spectrum = spectrum.clamp_min(0) / n
        sigma_hat = spectrum.amax()
        # Without two of n vectors; the paper does not say that no eigenvalue exceeds 1.
        loose = n / (n - 2) * sigma_hat if sigma is None else sigma
        totals: dict[str, Any] = {}
        anchors = 0
        for read in reads:
            k = len(read.alignment)
            here = loose.expand(k) if sigma is None else loose[anchors : anchors + k]
            for name, of_each in self._of_anchors(read, here).items():
                totals[name] = totals.get(name, 0) + of_each.sum()
            anchors += k
        sigma = loose.clamp_max(1)
        # One over d apart in each direction that there is, and all of it in the others.
        apart = (spectrum - 1 / d).square().sum() + (d - len(spectrum)) / d**2
        values = {
            **{name: total / anchors for name, total in totals.items()},
            "sigma_hat": sigma_hat,
            "sigma_mean": sigma.mean(),
            "sigma_max": sigma.amax(),
            "isotropy_deviation": 100 * sqrt(d) * apart.sqrt(),
            "mean_norm": torch.linalg.vector_norm(z.mean(0)),
        }
        # One transfer from a device instead of many.
        found = dict(zip(values, torch.stack(list(values.values())).tolist(), strict=True))
        return Report(
            **found,
            n=n,
            d=d,
            tau=self.tau,
            sigma=sigma if self.per_anchor else None,
        )

    def _of_anchors(self, read: BatchReadings, loose: Tensor) -> dict[str, Tensor]:
        """What is reported as a mean over anchors, of each of them."""
        at = With(read.each, sigma=loose.clamp_max(1))
        unknown = torch.full_like(read.alignment, nan)
        return {
            "lower": proved("lower", at),
            "measured": read.squared_gradient,
            "upper": proved("upper", at),
            "closest_lower": closest("lower", at) if self.closest else unknown,
            "closest_upper": closest("upper", at) if self.closest else unknown,
            "upper_printed": unknown
            if self.c is None
            else printed(With(read.each, sigma=loose), self.c),
            "tangential": read.squared_tangential,
            "epsilon": read.epsilon,
            "epsilon_squared": read.epsilon.square(),
            "rho": read.rho,
            "mu": read.mu,
            "alignment": read.alignment,
        }

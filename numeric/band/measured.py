"""The band of single anchors: what is measured, and what was proved of it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from .bounds import PRINTED, With, bound, closest, proved
from .expressions import Lookup
from .inputs import constant, is_empty, temperatures, unit, vectors
from .readings import AnchorReadings, Readings


@dataclass(frozen=True, eq=False)
class Band:
    """Readings of anchors and the bounds on their gradients, tensors of the shape of the anchors.

    Bounds are those of the result ``spectral-band``, derived at the first use.

    Attributes
    ----------
    epsilon
        What the softmax gives to the negatives.
    rho
        Inner product of the softmax mean with the positive; `one_minus_rho` has its digits where
        it is near 1.
    mu
        Length of the softmax mean of the negatives.
    sigma
        Largest eigenvalue of the second moment of the negatives.
    squared_gradient
        With respect to the anchor, taken as free.
    squared_tangential
        Of its part tangent to the sphere, which is what reaches an encoder that ends in a
        normalisation. At most `squared_gradient`, so that the upper bounds hold of it as well,
        but not the lower one.
    readings
        All other readings, by name: ``band.readings["participation"]``.
    """

    epsilon: Tensor
    rho: Tensor
    mu: Tensor
    sigma: Tensor
    squared_gradient: Tensor
    squared_tangential: Tensor
    readings: Lookup

    @cached_property
    def one_minus_rho(self) -> Tensor:
        """1 - rho, without cancellation."""
        return self.readings["one_minus_rho"]

    @cached_property
    def lower(self) -> Tensor:
        """By rho and tau."""
        return self.bound("lower")

    @cached_property
    def upper(self) -> Tensor:
        """By epsilon, rho, tau and sigma; never more than `upper_alignment`."""
        return self.bound("upper")

    @cached_property
    def upper_alignment(self) -> Tensor:
        """By epsilon, rho and tau; never more than the trivial 4 epsilon^2/tau^2."""
        return self.bound("upper_alignment")

    def bound(self, name: str) -> Tensor:
        """Any bound of ``spectral-band`` or ``projected-spectrum`` on one anchor.

        ``"upper_participation"``, say, or ``"upper_projected"``.

        Raises
        ------
        KeyError
            If there is none of that name.
        """
        return proved(name, self.readings)

    @property
    def closest_lower(self) -> Tensor:
        """The largest of the lower bounds, with whatever they measure."""
        return closest("lower", self.readings)

    @property
    def closest_upper(self) -> Tensor:
        """The least of the upper bounds, with whatever they measure."""
        return closest("upper", self.readings)

    def upper_printed(self, c: float = 0.5) -> Tensor:
        """The paper's upper band, equation (5) for one anchor, which is not proved.

        Parameters
        ----------
        c
            Its softmax-smoothness constant.
        """
        return printed(self.readings, c)


def printed(readings: Lookup, c: float) -> Tensor:
    """The paper's upper band with its constant."""
    smoothness = torch.tensor(constant(c), dtype=torch.float64)
    return bound("upper_printed", PRINTED)(With(readings.__getitem__, c=smoothness))


def measure(
    anchor: Any, positive: Any, negatives: Any, tau: Any, *, normalise: bool = False
) -> Band:
    """The band of an anchor, or of many.

    Parameters
    ----------
    anchor, positive
        ``(d,)``, or ``(..., d)``.
    negatives
        ``(N, d)``; for many anchors ``(..., N, d)``, or ``(N, d)`` for all of them.
    tau
        Temperature; a number, or one for each anchor.
    normalise
        Whether rows are scaled to unit length. Without it they must have it up to rounding.

    Returns
    -------
    Band
        In float64, on the device of the anchor; differentiable.

    Raises
    ------
    ValueError
        If the vectors or the temperature are none; one line.
    """
    if getattr(negatives, "shape", (1,))[-2:-1] == (0,) or is_empty(negatives):
        raise ValueError("n = 2 leaves no negatives: the band needs n > 2")
    z, p = vectors("anchor", anchor), vectors("positive", positive)
    others = vectors("negatives", negatives)
    if p.shape != z.shape:
        raise ValueError(f"anchor has the shape {tuple(z.shape)}, positive {tuple(p.shape)}")
    shared = others.ndim == 2 and z.ndim > 1
    if others.shape[-1] != z.shape[-1] or not (
        shared or (others.ndim == z.ndim + 1 and others.shape[:-2] == z.shape[:-1])
    ):
        raise ValueError(
            f"negatives must be (N, d), or one such for each anchor, not {tuple(others.shape)} "
            f"for anchors {tuple(z.shape)}"
        )
    if not z.device == p.device == others.device:
        raise ValueError(f"vectors are on {z.device}, {p.device} and {others.device}")
    z, p = unit("anchor", z, normalise), unit("positive", p, normalise)
    others = unit("negatives", others, normalise)
    t = temperatures(tau, z.shape[:-1], z)
    if not shared:
        read: Lookup = AnchorReadings(z, p, others, t)
    else:
        d = z.shape[-1]
        read = _Shared(z.reshape(-1, d), p.reshape(-1, d), others, t, z.shape[:-1])
    values = {f.name: read[f.name] for f in fields(Band) if f.name != "readings"}
    return Band(**values, readings=read)


class _Shared(Readings):
    """Readings of many anchors that have the same negatives."""

    def __init__(
        self, z: Tensor, positives: Tensor, keys: Tensor, tau: Tensor, shape: torch.Size
    ) -> None:
        super().__init__(z, positives, keys, tau)
        if tau.ndim:
            self._tau = tau.reshape(-1)
        self.shape = shape

    def _shaped(self, reading: Tensor) -> Tensor:
        return super()._shaped(reading).reshape(self.shape)

"""One comparison of a derived value with embeddings, and what counts as agreement."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Literal

import torch

from ...derive.decide.domain import DomainError
from ...derive.decide.exact import exact
from ...derive.theorem.result import Result

#: Measured inner products and variances must match to this. The search stops at a gradient
#: of 1e-12, which leaves at most 5e-8 in a variance right at a threshold (less elsewhere).
CLOSE = 1e-6
#: Least losses must match to this: they err by the square of the distance to the optimum.
CLOSE_LOSS = 1e-9
#: The certified gap must be below this. It is N times an eigenvalue that is zero up to the
#: gradient tolerance and rounding, for N up to a few thousand.
CLOSE_GAP = 1e-6
#: In float32, for everything that a search found: gradients are within 1e-5 there.
CLOSE_FLOAT32 = 1e-3
#: A threshold located by bisection of an eigenvalue's sign: its rounding error of 1e-15
#: over a slope that is never below 1e-4 in the ranges tried.
CLOSE_THRESHOLD = 1e-9

#: Explicit vectors, and identities of any vectors, carry rounding errors only.
CLOSE_EXPLICIT = 1e-12

Outcome = Literal["agrees", "disagrees", "not covered", "not reached"]


@dataclass(frozen=True)
class Check:
    """One comparison.

    Attributes
    ----------
    what, at
        What was compared, and at which point.
    predicted, measured
        From the derivation, and from embeddings.
    tolerance
        Largest difference that counts as agreement.
    gap
        Certified distance of the loss from its global minimum; None where nothing was
        optimised.
    stop
        How the search ended.
    covered
        Whether the result speaks of this point at all.
    close_gap
        Largest gap that counts as certified.
    reached
        Whether the search got as low as what was derived; if not, a difference refutes nothing.
    is_bound
        Whether what is predicted is a lower bound, which what is measured may exceed.
    """

    what: str
    at: str
    predicted: float
    measured: float
    tolerance: float
    gap: float | None = None
    stop: str = ""
    covered: bool = True
    close_gap: float = CLOSE_GAP
    reached: bool = True
    is_bound: bool = False

    @property
    def difference(self) -> float:
        """Measured minus predicted."""
        return self.measured - self.predicted

    @property
    def verdict(self) -> Outcome:
        """Whether the two agree within the tolerance, with a certificate below its own."""
        if not self.covered:
            return "not covered"
        off = -self.difference if self.is_bound else abs(self.difference)
        near = off <= self.tolerance
        certified = self.gap is None or self.gap <= self.close_gap
        if near and certified:
            return "agrees"
        return "disagrees" if self.reached else "not reached"


@dataclass(frozen=True)
class Run:
    """How searches are to be run; ``d`` is None where the dimension was not given."""

    d: int | None = None
    seeds: tuple[int, ...] = (0, 1)
    dtype: torch.dtype = torch.float64
    device: str = "auto"
    tell: Callable[[str], None] = lambda _: None

    @property
    def close_gap(self) -> float:
        """Largest gap that counts as certified."""
        return CLOSE_GAP if self.dtype is torch.float64 else CLOSE_FLOAT32

    @property
    def close_loss(self) -> float:
        """What least losses must match to."""
        return CLOSE_LOSS if self.dtype is torch.float64 else CLOSE_FLOAT32


def refuse_unknown(result: Result, names: Collection[str], known: Collection[str]) -> None:
    """Refuse parameters that a result has not."""
    for name in names:
        if name not in known:
            raise DomainError(
                f"{result.id} has no parameter {name}; it takes {', '.join(sorted(known))}"
            )


def refuse_infinite(values: Mapping[str, object]) -> None:
    """Refuse values that embeddings cannot have."""
    for name, value in values.items():
        if not exact(value).is_finite:
            raise DomainError(f"embeddings need finite parameters: give a finite {name} to verify")

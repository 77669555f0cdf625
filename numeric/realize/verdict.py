"""What is known before training, as data; and how its numbers are rounded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from .pairs import Array, Tell

Word: TypeAlias = Literal["realisable", "degenerate", "inconsistent"]


Similarity: TypeAlias = Literal["cosine", "euclidean"]


#: An eigenvalue, relative to the largest, that counts as zero. Eigenvalues carry rounding errors
#: of about n times 1e-16; labels that were stored as float32 carry 1e-7, and need more.
TOLERANCE = 1e-8
#: Points up to which n x n matrices are decomposed.
DENSE = 4096


@dataclass(frozen=True)
class Wanted:
    """What is wanted of an embedding, and how far it is looked for.

    Attributes
    ----------
    q, tau, similarity
        Dimensions, and how two points are compared; distances have no temperature.
    tolerance
        What counts as zero, relative to the largest.
    search
        Whether an optimum that is no closed form is searched for; None for where that is quick.
    seeds
        Of the random starts.
    tell
        Is told how far the work is.
    """

    q: int
    tau: float | None = None
    similarity: Similarity = "cosine"
    tolerance: float = TOLERANCE
    search: bool | None = None
    seeds: Sequence[int] = (0, 1)
    tell: Tell = None

    @property
    def heat(self) -> float:
        """The temperature of cosines."""
        assert self.tau is not None
        return self.tau


@dataclass
class Verdict:
    """What is known before training.

    Attributes
    ----------
    word
        ``realisable``: the entropic bound is attained. ``degenerate``: weights of zero ask for
        similarities of minus infinity, so the bound is not attained; on the sphere that decides
        what the embedding converges to, and without one points move apart without end.
        ``inconsistent``: the bound is not attained.
    reason
        The condition that decides, with its numbers.
    certificate
        Those numbers, by name.
    remedies
        What would make it realisable.
    notes
        What else is known of the optimum.
    bound, loss, excess, gap
        Entropic bound; loss of the optimum or of the best embedding found, how far it is above
        the bound, and above the least loss at most (in any dimension). None if not searched for.
    vectors, index
        Optimal embedding, one row a prototype or a point, and the row of each point.
    evidence
        Of the verdict: ``exact``, or ``float64`` where it is decided up to tolerances.
    is_limited
        Whether the dimension keeps it from the optimum that there is in more of them.
    found
        Of the loss: ``optimised`` (by a search, with a certified gap), or nothing where it is the
        bound.
    """

    word: Word
    reason: str
    certificate: dict[str, Any] = field(default_factory=dict)
    remedies: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    bound: float | None = None
    loss: float | None = None
    excess: float | None = None
    gap: float | None = None
    vectors: Array | None = None
    cosines: Array | None = None
    evidence: str = "float64"
    is_limited: bool = False
    found: str = ""
    stop: str = ""


def dimensions(q: int) -> str:
    """As many of them, in words."""
    return f"{q} dimension" + ("" if q == 1 else "s")


def exactly(x: float) -> str:
    """A number that is put in as it is printed, where it has to hold to the tolerance."""
    return f"{x:.12g}"


def beside(one: float, other: float) -> tuple[str, str]:
    """Two numbers with as many digits as it takes to tell them apart."""
    for digits in range(6, 17):
        said = f"{one:.{digits}g}", f"{other:.{digits}g}"
        if said[0] != said[1]:
            break
    return said


def cooler(critical: float, rank: int, q: int) -> list[str]:
    """Temperatures at which cosines exist, whose centred part has a rank, with the dimension.

    Below the critical temperature they take one dimension more than at it.
    """
    wider = "" if q > rank else f", in {dimensions(rank + 1)}"
    at = [f"tau = {exactly(critical)}, in {dimensions(rank)}"] if q == rank else []
    return [f"tau <= {at_most(critical)}{wider}", *at]


def at_most(x: float) -> str:
    """A bound from above that is put in as it is printed: rounded down."""
    return _rounded(x, -1)


def at_least(x: float) -> str:
    """A bound from below, rounded up."""
    return _rounded(x, 1)


def _rounded(x: float, way: int, digits: int = 6) -> str:
    said = f"{x:.{digits}g}"
    if (float(said) - x) * way < 0:
        last = 10.0 ** (np.floor(np.log10(abs(x))) - digits + 1)
        said = f"{x + way * last / 2:.{digits}g}"
    return said

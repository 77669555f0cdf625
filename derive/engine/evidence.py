"""How a statement is known, and the three possible outcomes of checking one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any


class Grade(IntEnum):
    """Strength of evidence, weakest first, so that ``min`` finds the weakest link."""

    OPTIMISED = 1  #: embeddings found by an optimiser, with its certified gap
    SAMPLED = 2  #: many admissible points at 50 digits; supports, never proves
    INTERVAL = 3  #: ball arithmetic over a stated box
    EXACT = 4  #: a residual that is identically zero, or a sign that was proved

    def __str__(self) -> str:
        return self.name.lower()


@dataclass(frozen=True)
class Evidence:
    """A grade together with a short sentence saying what was run."""

    grade: Grade
    how: str

    def __str__(self) -> str:
        return f"{self.grade}: {self.how}"


def weakest(evidence: Iterable[Evidence]) -> Evidence:
    """Return the weakest of several pieces of evidence."""
    return min(evidence, key=lambda e: e.grade)


@dataclass(frozen=True)
class Holds:
    """The statement was proved or supported, as the evidence says."""

    evidence: Evidence


@dataclass(frozen=True)
class Refuted:
    """The statement is false at a point."""

    witness: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True)
class Undecided:
    """Neither proved nor refuted. This is not the same as false."""

    reason: str


Outcome = Holds | Refuted | Undecided

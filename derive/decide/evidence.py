"""How a statement is known, and the three possible outcomes of checking one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from enum import IntEnum
from typing import Any

from ..frozen import FrozenValue


class Grade(IntEnum):
    """Strength of evidence, weakest first, so that ``min`` finds the weakest link."""

    OPTIMISED = 1  #: embeddings found by an optimiser, with its certified gap
    SAMPLED = 2  #: many admissible points at 50 digits; supports, never proves
    ARGUED = 3  #: a long proof in words that no machine checked and no journal has
    INTERVAL = 4  #: ball arithmetic over a stated box
    EXACT = 5  #: a residual that is identically zero, or a sign that was proved

    def __str__(self) -> str:
        return self.name.lower()

    @property
    def text(self) -> str:
        """The grade, with what it means where readers do not know the word."""
        return f"{self} in words, not published" if self is Grade.ARGUED else str(self)


class Boxes(FrozenValue):
    """What an interval proof rests on, so that another program can replay it.

    Attributes
    ----------
    expression, variable
        The expression, as text, is >= 0 for the variable in each box.
    boxes
        Ends, as text of fractions; together they cover the interval without a gap.
    """

    expression: str
    variable: str
    boxes: tuple[tuple[str, str], ...]


class Evidence(FrozenValue):
    """A grade together with a short sentence saying what was run."""

    grade: Grade
    how: str
    replay: tuple[Boxes, ...] = ()

    def __str__(self) -> str:
        return f"{self.grade}: {self.how}"


def weakest(evidence: Iterable[Evidence]) -> Evidence:
    """Return the weakest of several pieces of evidence, with what replays all of them."""
    every = list(evidence)
    lowest = min(every, key=lambda e: e.grade)
    replay = tuple(dict.fromkeys(boxes for e in every for boxes in e.replay))
    return lowest if replay == lowest.replay else replace(lowest, replay=replay)


class Holds(FrozenValue):
    """The statement was proved or supported, as the evidence says."""

    evidence: Evidence


class Refuted(FrozenValue):
    """The statement is false at a point."""

    witness: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""

    @classmethod
    def at(cls, point: Mapping[Any, Any], note: str = "") -> Refuted:
        """False at a point that is given by symbols."""
        return cls({s.name: value for s, value in point.items()}, note)

    def place(self, names: Mapping[str, str] | None = None) -> str:
        """The point in words, ``u = 1, v = 2``, where some names may be those of a user."""
        written = names or {}
        return ", ".join(f"{written.get(k, k)} = {value}" for k, value in self.witness.items())

    def __str__(self) -> str:
        point = self.place()
        return f"false{' at ' if point else ''}{point}{': ' if self.note else ''}{self.note}"


class Undecided(FrozenValue):
    """Neither proved nor refuted. This is not the same as false."""

    reason: str

    def __str__(self) -> str:
        return f"undecided: {self.reason}"


Outcome = Holds | Refuted | Undecided

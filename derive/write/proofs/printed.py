"""A lemma as it stands in a paper."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Printed:
    """A lemma in LaTeX."""

    title: str
    statement: str
    proof: str

    @property
    def label(self) -> str:
        """What it is referred to by."""
        return "lem:" + self.title.lower().replace(" ", "-")

"""Pairs of objects as they are typed: 1-1,2-1,3-1, or rows of two numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ...decide.domain import DomainError, at_least
from ...theorem.listed import ListOf

#: A pair, and what is between pairs.
PAIR = re.compile(r"\s*(\d{1,9})\s*-\s*(\d{1,9})\s*")
BETWEEN = re.compile(r"[,;\n]")


class Edges(ListOf):
    """A list of pairs of numbers."""

    def read(self, value: object) -> tuple[Any, ...]:
        """The pairs.

        Raises
        ------
        DomainError
            If they are not pairs of integers from 1 on; one line.
        """
        if isinstance(value, str) and "-" in value:
            parts = [PAIR.fullmatch(part) for part in BETWEEN.split(value.strip())]
            if not all(parts):
                wrong = BETWEEN.split(value.strip())[parts.index(None)].strip()
                raise DomainError(
                    f"{self.name}: {wrong[:40]!r} is not a pair; write pairs such as 2-1"
                )
            value = [part.groups() for part in parts if part is not None]
        found = super().read(value)
        if any(len(row) != 2 for row in found):
            raise DomainError(f"{self.name}: a pair has two numbers, such as 2-1")
        return found

    @property
    def takes(self) -> str:
        """What may be given, in words."""
        return "pairs such as 1-1,2-1,3-1, or a file; each number an integer >= 1"

    def text(self, value: Sequence[Any]) -> str:
        """The pairs, as they are typed."""
        return ",".join(f"{a}-{b}" for a, b in value)


EDGES = Edges(
    "edges",
    at_least(1),
    "pairs of an object of A and one of B, by their numbers; each pair once",
    rows=True,
)

"""How far up the ladder each result is exported, read without deriving anything.

``numbers``: formulas and numbers; ``thresholds``: every equivalence of the derivation; ``whole
theorem``: about the loss of unit vectors. CI writes every result of this list again, compares, and
has Rocq check it. That a result is in the list is no evidence: ``cltheory prove`` gives that.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

STORED = Path(__file__).with_name("rungs.txt")
#: A mark for each rung, and what Rocq is given there.
RUNGS = {
    "whole theorem": ("*", "a theorem about all unit vectors"),
    "thresholds": ("+", "thresholds"),
    "numbers": (".", "numbers"),
}


@cache
def rungs() -> dict[str, str]:
    """The rung of each result that has one, by its id."""
    lines = STORED.read_text(encoding="utf-8").splitlines()
    return dict(line.split(": ") for line in lines)


def exported(id: str) -> str | None:
    """The rung that a result is exported on, if it is."""
    return rungs().get(id)

"""How far up the ladder each result is exported, and why not further; nothing is derived for it.

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
def standing() -> dict[str, tuple[str, str]]:
    """The rung of each result, and why it is not on a higher one, by its id.

    Of a whole theorem the reason is what of the result it does not cover; it may be empty.
    """
    rows = (line.split(": ", 2) for line in STORED.read_text(encoding="utf-8").splitlines())
    return {id: (rung, why[0] if why else "") for id, rung, *why in rows}


def rungs() -> dict[str, str]:
    """The rung of each result, by its id."""
    return {id: rung for id, (rung, _) in standing().items()}


def exported(id: str) -> str | None:
    """The rung that a result is exported on, if it is."""
    return standing()[id][0] if id in standing() else None


def limits(id: str) -> str | None:
    """In words, what of a result its whole theorem does not cover, or why it has none."""
    rung, why = standing().get(id, ("", ""))
    said = "the theorem does not cover" if rung == "whole theorem" else "there is no whole theorem:"
    return f"{said} {why}" if why else None

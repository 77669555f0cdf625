"""What checking a statement came to."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from ..decide.evidence import Evidence

Word = Literal["agrees", "misprint", "needs-condition", "differs", "undecided", "not-mathematical"]
WORDS: tuple[Word, ...] = (
    "agrees", "misprint", "needs-condition", "differs", "undecided", "not-mathematical",
)  # fmt: skip


class Verdict(NamedTuple):
    """What running a claim's check came to.

    Attributes
    ----------
    word
        ``agrees``; ``misprint`` (the line is wrong, what it means is right);
        ``needs-condition`` (the note names it, the witness violates it); ``differs`` (with a
        witness point and both values there); ``undecided``; ``not-mathematical``.
    evidence
        What was run, and how strong that is.
    note
        One sentence for the reader: the condition, the correction, or a remark.
    witness
        For a difference: the point and both values, as exact strings.
    readings
        Where it hangs on how a loose word is read: what each reading comes to.
    """

    word: Word
    evidence: Evidence
    note: str = ""
    witness: Mapping[str, Any] = MappingProxyType({})
    readings: Mapping[str, str] = MappingProxyType({})

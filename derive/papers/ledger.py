"""A paper's ledger: its statements, by label, each with a verdict reached by running something."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from ..engine.evidence import Evidence

#: A check may have parameters with defaults (the printed formula), for tests to corrupt.
Check = TypeVar("Check", bound=Callable[..., "Verdict"])

Word = Literal["agrees", "differs", "needs-condition", "undecided"]


@dataclass(frozen=True)
class Verdict:
    """What running a claim's check came to.

    Attributes
    ----------
    word
        ``agrees``; ``differs`` (with a witness point and both values there);
        ``needs-condition`` (the note names it, the witness violates it); ``undecided``.
    evidence
        What was run, and how strong that is.
    note
        One sentence for the reader: the condition, the correction, or a remark.
    witness
        For a difference: the point and both values, as exact strings.
    """

    word: Word
    evidence: Evidence
    note: str = ""
    witness: Mapping[str, Any] = field(default_factory=dict)

    def with_note(self, note: str) -> Verdict:
        """Return the same verdict with a note for the reader."""
        return Verdict(self.word, self.evidence, note, self.witness)


@dataclass(frozen=True)
class Claim:
    """A statement as printed in a paper, and the check that reaches its verdict."""

    paper: str
    label: str
    statement: str
    check: Callable[[], Verdict]
    result: str | None = None

    def verdict(self) -> Verdict:
        """Run the check."""
        return self.check()


class Ledger:
    """The claims of one paper, in the order of its pages."""

    def __init__(self, key: str, title: str):
        self.key, self.title = key, title
        self._claims: dict[str, Claim] = {}

    def claim(
        self, label: str, statement: str, *, result: str | None = None
    ) -> Callable[[Check], Check]:
        """Register a check under the label that the paper prints.

        Parameters
        ----------
        label
            As printed, ``(A.21)`` or ``Theorem 2``; unnumbered displays are named by
            the nearest label: ``Theorem A.2, proof: reduced loss``.
        statement
            The claim in plain text with the printed formula in LaTeX.
        result
            Id of the result that settles it, where there is one.
        """

        def register(check: Check) -> Check:
            if label in self._claims:
                raise ValueError(f"{self.key} has two claims labelled {label}")
            self._claims[label] = Claim(self.key, label, statement, check, result)
            return check

        return register

    def __iter__(self) -> Iterator[Claim]:
        return iter(self._claims.values())

    def __len__(self) -> int:
        return len(self._claims)

    def __getitem__(self, label: str) -> Claim:
        return self._claims[label]

    def settled_by(self, result: str) -> list[Claim]:
        """The claims that a result settles."""
        return [c for c in self if c.result == result]

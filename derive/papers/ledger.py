"""A paper's ledger: its statements, by label, each with a verdict reached by running something."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeVar

from ..decide.evidence import Evidence

#: A check may have parameters with defaults (the printed formula), for tests to corrupt.
Check = TypeVar("Check", bound=Callable[..., "Verdict"])

Word = Literal["agrees", "differs", "needs-condition", "undecided"]


class Verdict(NamedTuple):
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
    witness: Mapping[str, Any] = MappingProxyType({})

    def with_note(self, note: str) -> Verdict:
        """Return the same verdict with a note for the reader."""
        return self._replace(note=note)


class Claim(NamedTuple):
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
    """The claims of one paper, in the order of its pages.

    Parameters
    ----------
    key, title
        Of the paper.
    package
        Where its sections are.
    sections
        Modules in the order of the pages, each with the results that settle claims in
        it. A section is loaded when its claims are asked for. Claims of other modules
        come last, when those have been imported.
    """

    def __init__(
        self, key: str, title: str, package: str = "", sections: Mapping[str, Sequence[str]] = {}
    ):
        self.key, self.title = key, title
        self.sections = dict(sections)
        self._package = package
        self._claims: dict[str, dict[str, Claim]] = {name: {} for name in self.sections}

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
            section = check.__module__.rpartition(".")[2]
            if result not in (None, *self.sections.get(section, (result,))):
                raise ValueError(f"{self.key}: {section} is not listed as settled by {result}")
            if any(label in claims for claims in self._claims.values()):
                raise ValueError(f"{self.key} has two claims labelled {label}")
            claim = Claim(self.key, label, statement, check, result)
            self._claims.setdefault(section, {})[label] = claim
            return check

        return register

    def __iter__(self) -> Iterator[Claim]:
        self._load(self.sections)
        return iter([c for claims in self._claims.values() for c in claims.values()])

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getitem__(self, label: str) -> Claim:
        for claim in self:
            if claim.label == label:
                return claim
        raise KeyError(label)

    def settled_by(self, result: str) -> list[Claim]:
        """The claims that a result settles; only their sections are loaded."""
        self._load(name for name, settles in self.sections.items() if result in settles)
        return [
            c for claims in self._claims.values() for c in claims.values() if c.result == result
        ]

    def _load(self, sections: Iterable[str]) -> None:
        for name in sections:
            import_module(f"{self._package}.{name}")

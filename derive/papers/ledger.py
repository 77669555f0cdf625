"""A paper's ledger: its statements, by label, each with a verdict reached by running something.

A section is a file of records (``section_3.toml``): data, whose verdicts are computed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from .verdict import Verdict

if TYPE_CHECKING:
    from .form.record import Record


#: (family name, given names); a single name is that of a group.
Author = tuple[str, str]


@dataclass(frozen=True)
class Source:
    """A paper: what a bibliography says about it.

    Attributes
    ----------
    key
        Of the paper in this project.
    where
        Fields of a BibTeX entry beyond title, authors and year, in their order.
    """

    key: str
    kind: str
    title: str
    authors: tuple[Author, ...]
    year: int
    where: tuple[tuple[str, str], ...]


class Claim(NamedTuple):
    """A statement as printed in a paper, and the check that reaches its verdict."""

    paper: str
    label: str
    statement: str
    check: Callable[[], Verdict]
    record: Record
    result: str | None = None

    def verdict(self) -> Verdict:
        """Run the check."""
        return self.check()

    def known_verdict(self) -> Verdict:
        """The verdict that was stored for the record as it stands, else run the check."""
        return self.record.stored() or self.check()

    def as_data(self) -> dict[str, Any]:
        """What the record says beside its verdict, for output."""
        from .form.examine import corrected

        r = self.record
        return {
            "weight": r.weight,
            "printed": " ".join(r.printed.text.split()),
            "under": " ".join(r.printed.under.split()),
            "correction": corrected(r),
            "condition": r.condition,
            "under_reading": r.under_reading,
            "origin": r.origin,
            "remark": r.remark or r.at_odds,
            "restates": r.restates,
            "used_in": list(r.used_in),
            "settled": r.settled,
        }


class Ledger:
    """The claims of one paper, in the order of its pages.

    Parameters
    ----------
    key, title
        Of the paper.
    package
        Where its sections are.
    sections
        Files in the order of the pages. A section is loaded when its claims are asked for.
    """

    def __init__(self, key: str, title: str, package: str = "", sections: Iterable[str] = ()):
        self.key, self.title = key, title
        self.sections = tuple(sections)
        self.package = package
        self._claims: dict[str, dict[str, Claim]] = {name: {} for name in self.sections}
        self._read: set[str] = set()

    def add(self, section: str, claim: Claim) -> None:
        """Add a claim to a section.

        Raises
        ------
        ValueError
            If its label is taken.
        """
        if any(claim.label in claims for claims in self._claims.values()):
            raise ValueError(f"{self.key} has two claims labelled {claim.label}")
        self._claims.setdefault(section, {})[claim.label] = claim

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
        self._load(self._naming(result))
        return [
            c for claims in self._claims.values() for c in claims.values() if c.result == result
        ]

    def count_settled(self, result: str) -> int:
        """How many claims a result settles; records are counted, and not read."""
        return sum(self._count(name, result) for name in self._naming(result))

    def _naming(self, result: str) -> list[str]:
        """The sections that name a result, by their text."""
        naming = re.compile(rf"^settled\s*=\s*[\"']{re.escape(result)}[\"']", re.MULTILINE)
        return [name for name in self.sections if naming.search(self._text(name))]

    def _text(self, section: str) -> str:
        return (files(self.package) / f"{section}.toml").read_text("utf-8")

    def _count(self, section: str, result: str) -> int:
        found = tomllib.loads(self._text(section))
        usual = found.get("defaults", {}).get("settled")
        return sum(r.get("settled", usual) == result for r in found.get("record", []))

    def records(self, section: str | None = None) -> list[Record]:
        """The records that are data, of one section or all."""
        self._load(self.sections if section is None else [section])
        names = self.sections if section is None else [section]
        return [c.record for name in names for c in self._claims[name].values()]

    def _load(self, sections: Iterable[str]) -> None:
        for name in sections:
            if name in self._read:
                continue
            self._load_records(name, self._text(name))
            self._read.add(name)

    def _load_records(self, section: str, text: str) -> None:
        from .form.record import BadRecord, read_section

        for record in read_section(self.key, section, text, self.package):
            claim = Claim(
                self.key,
                record.label,
                record.statement,
                self._run(record),
                record,
                record.settled or None,
            )
            try:
                self.add(section, claim)
            except ValueError as error:
                raise BadRecord(str(error)) from None

    def _run(self, record: Record) -> Callable[[], Verdict]:
        def run() -> Verdict:
            from .form.examine import computed

            return computed(record, self._record).verdict

        return run

    def _record(self, label: str) -> Record | None:
        return next((c.record for c in self if c.label == label), None)

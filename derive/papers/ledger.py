"""A paper's ledger: its statements, by label, each with a verdict reached by running something.

A section is a file of records (``section_3.toml``): data, whose verdicts are computed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..frozen import FrozenValue
from .verdict import Verdict

if TYPE_CHECKING:
    from .records.record import Record


#: (family name, given names); a single name is that of a group.
Author = tuple[str, str]


class Source(FrozenValue):
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

    record: Record
    check: Callable[[Record], Verdict]

    @property
    def paper(self) -> str:
        """The key of the paper."""
        return self.record.paper

    @property
    def label(self) -> str:
        """As the paper numbers it."""
        return self.record.label

    @property
    def statement(self) -> str:
        """The print with its hypotheses, on one line."""
        return self.record.statement

    def __repr__(self) -> str:
        return f"<Claim {self.label} of {self.paper}>"

    def verdict(self) -> Verdict:
        """Run the check."""
        return self.check(self.record)

    def known_verdict(self) -> Verdict:
        """The verdict that was stored for the record as it stands, else run the check."""
        return self.record.stored() or self.verdict()

    def as_data(self) -> dict[str, Any]:
        """What the record says beside its verdict, for output."""
        r = self.record
        return {
            "weight": r.weight,
            "printed": " ".join(r.printed.text.split()),
            "under": " ".join(r.printed.under.split()),
            "correction": r.corrected,
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
        Files in the order of the pages, if that is not the order of their numbers. A section is
        read when its claims are asked for.
    """

    def __init__(self, key: str, title: str, package: str = "", sections: Iterable[str] = ()):
        self.key, self.title, self.package = key, title, package
        self._given = tuple(sections)
        self._read: dict[str, list[Claim]] = {}

    @cached_property
    def sections(self) -> tuple[str, ...]:
        """Names of the files, in the order of the pages."""
        if self._given or not self.package:
            return self._given
        found = [path.stem for folder in self._folders for path in folder.glob("*.toml")]
        return tuple(sorted(found, key=_place))

    def __iter__(self) -> Iterator[Claim]:
        return iter(self._claims(self.sections))

    def __len__(self) -> int:
        return len(self._claims(self.sections))

    def __getitem__(self, label: str) -> Claim:
        for claim in self:
            if claim.label == label:
                return claim
        raise KeyError(label)

    def of_section(self, number: str) -> list[Claim]:
        """The claims of a section and its parts, such as ``4`` or ``A.3``, if there is one."""
        parts = re.compile(rf"{re.escape(_number(number))}(?!(?<=\d)\d)")
        return self._claims([name for name in self.sections if parts.match(_number(name))])

    def settled_by(self, result: str) -> list[Claim]:
        """The claims that a result settles; only their sections are read."""
        line = _settled(result)
        naming = [name for name in self.sections if line.search(self._text(name))]
        return [c for c in self._claims(naming) if c.record.settled == result]

    def count_settled(self, result: str) -> int:
        """How many claims a result settles: lines are counted, and records not read."""
        line, texts = _settled(result), map(self._text, self.sections)
        naming = [text for text in texts if result in text]
        if any(_DEFAULT.search(text) for text in naming):
            return len(self.settled_by(result))
        return sum(len(line.findall(text)) for text in naming)

    def records(self, section: str | None = None) -> list[Record]:
        """The records of one section or all."""
        names = self.sections if section is None else [section]
        return [c.record for c in self._claims(names)]

    @property
    def _folders(self) -> list[Path]:
        return [Path(one) for one in getattr(import_module(self.package), "__path__", ())]

    def _text(self, section: str) -> str:
        return (self._folders[0] / f"{section}.toml").read_text("utf-8")

    def _claims(self, sections: Iterable[str]) -> list[Claim]:
        """All claims of some sections; what is read is kept.

        Raises
        ------
        BadRecord
            If a record cannot be read, or two have one label.
        """
        return [c for name in sections for c in self._read.get(name) or self._loaded(name)]

    def _loaded(self, section: str) -> list[Claim]:
        from .records.examine import verdict_on
        from .records.record import BadRecord, read_section

        taken = {c.label for claims in self._read.values() for c in claims}
        found = read_section(self.key, section, self._text(section), self.package)
        if twice := taken & {r.label for r in found}:
            raise BadRecord(f"{self.key} has two claims labelled {min(twice)}")
        self._read[section] = [Claim(r, verdict_on) for r in found]
        return self._read[section]


#: A section whose records are settled by one result if they do not say otherwise.
_DEFAULT = re.compile(r"^\[defaults\](?:(?!^\[).)*?^settled\b", re.MULTILINE | re.DOTALL)


def _settled(result: str) -> re.Pattern[str]:
    """The line of a record that says that a result settles it."""
    return re.compile(rf"^settled\s*=\s*[\"']{re.escape(result)}[\"']", re.MULTILINE)


def _place(section: str) -> list[tuple[bool, int, str]]:
    """Where it stands: ``4_2`` before ``4_proof``, ``a9`` before ``a11``, appendices last."""
    parts = re.findall(r"[a-z]+|[0-9]+", section.removeprefix("section_"))
    return [(not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]


def number_of(section: str) -> str:
    """The number of a section as it is printed: ``4.1``, ``A.3`` for ``appendix_a3_jensen``."""
    found = re.match(r"(section|appendix)_([a-z]?\d*)_?(\d*)", section)
    if not found:
        return section.replace("_", " ")
    return ".".join(filter(None, (*re.findall(r"[A-Z]|\d+", found[2].upper()), found[3])))


def _number(section: str) -> str:
    """The number of a section as the names of files have it: ``a3`` for "Appendix A.3"."""
    name = re.sub(r"[\W_]+", "_", section.strip().lower())
    return re.sub(r"^(section|appendix)_|(?<=[a-z])_(?=\d)", "", name)

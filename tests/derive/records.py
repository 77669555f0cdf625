"""Records that tests make up: from text, on the families of any paper."""

from __future__ import annotations

import re

from cltheory.derive.papers import PAPERS, ledger_of
from cltheory.derive.papers.records.examine import examine
from cltheory.derive.papers.records.families import families_of
from cltheory.derive.papers.records.family import Family
from cltheory.derive.papers.records.record import Record, read_section

PACKAGES = tuple(ledger_of(key).package for key in PAPERS)


def package_with(*names: str) -> str:
    """The package of the paper that has some families."""
    return next((p for p in PACKAGES if {*names} <= {*families_of(p)}), "")


def family_named(name: str) -> Family:
    """A family of any paper."""
    return families_of(package_with(name))[name]


def record(text: str, label: str = "(1)") -> Record:
    """One record of a paper that is not there, from what stands below its label."""
    head = f'[[record]]\nlabel = "{label}"\nweight = "aside"\n'
    names = re.findall(r'^on = "(.+)"$', text, re.MULTILINE)
    (one,) = read_section("nobody2020", "section_1", head + text, package_with(*names))
    return one


def printed(text: str, more: str, for_all: str = "") -> Record:
    """A record of what is printed, with the range of its indices."""
    ranges = f"for_all = '''{for_all}'''\n" if for_all else ""
    return record(f"printed = '''{text}'''\n{ranges}{more}")


def verdict(text: str) -> tuple[str, tuple[str, ...]]:
    """The verdict on a record, and what is wrong with the record."""
    found = examine(record(text))
    return found.verdict.word, found.problems

"""The papers' ledgers, by key; loaded when asked for.

Other packages may register theirs under the group ``cltheory.papers``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from ..decide.spelling import did_you_mean
from ..errors import Refusal
from ..plugins import Plugins
from ..results import results

if TYPE_CHECKING:
    from .ledger import Claim, Ledger

#: The papers that come first, in this order, wherever papers are listed.
FIRST = ("lee2025ssem", "lee2024sigmoid", "vock2026unified", "ochieng2025diversity")


def found_in(folders: Iterable[str]) -> tuple[str, ...]:
    """The papers that have a folder there, named by an author, a year and a word."""
    names = {one.name for one in iter_modules(folders) if re.fullmatch(KEY, one.name)}
    return (*(k for k in FIRST if k in names), *sorted(names - set(FIRST)))


#: What a key looks like, so that it is the name of a folder too.
KEY = r"[a-z]+[0-9]{4}[a-z]*"
PAPERS = found_in(__path__)


def _wrong(key: str, found: Any) -> str:
    named = getattr(found, "key", None)
    return "" if named == key else f"must be a ledger with this key, not with {named!r}"


PLUGINS: Plugins[Ledger] = Plugins("cltheory.papers", "paper", PAPERS, _wrong)


class UnknownPaper(Refusal, KeyError):
    """No paper has this key; the message is one line."""

    def __str__(self) -> str:
        return str(self.args[0])


def ledger_of(key: str) -> Ledger:
    """The ledger of a paper.

    Raises
    ------
    UnknownPaper
        If there is no such paper; the message lists the papers.
    """
    if key not in PAPERS:
        if key in PLUGINS.names:
            return PLUGINS[key]
        known = (*PAPERS, *PLUGINS.names)
        near = did_you_mean(key, known)
        raise UnknownPaper(f"unknown paper {key!r}{near}; accepted: {', '.join(known)}")
    found: Ledger = import_module(f".{key}", __package__).LEDGER
    return found


def counts_settled_by(result: str) -> dict[str, int]:
    """How many printed claims a result settles, by paper; without reading them."""
    keys = PAPERS if results.is_own(result) else (*PAPERS, *PLUGINS.working())
    counts = {key: ledger_of(key).count_settled(result) for key in keys}
    return {key: count for key, count in counts.items() if count}


def settled_by(result: str) -> list[Claim]:
    """All printed claims that a result settles: of our own papers, for a result of our own."""
    keys = PAPERS if results.is_own(result) else (*PAPERS, *PLUGINS.working())
    return [c for key in keys for c in ledger_of(key).settled_by(result)]

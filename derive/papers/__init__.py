"""The papers' ledgers, by key; loaded when asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ..decide.spelling import did_you_mean

if TYPE_CHECKING:
    from .ledger import Claim, Ledger

PAPERS = ("lee2025ssem", "lee2024sigmoid")


class UnknownPaper(KeyError):
    """No paper has this key; the message is one line."""

    def __str__(self) -> str:
        return str(self.args[0])


def ledger_of(key: str) -> Ledger:
    """The ledger of a paper.

    Raises
    ------
    UnknownPaper
        Naming the papers there are.
    """
    if key not in PAPERS:
        near = did_you_mean(key, PAPERS)
        raise UnknownPaper(f"there is no paper {key!r}{near}; there are {', '.join(PAPERS)}")
    found: Ledger = import_module(f".{key}", __package__).LEDGER
    return found


def settled_by(result: str) -> list[Claim]:
    """All printed claims that a result settles."""
    return [c for key in PAPERS for c in ledger_of(key).settled_by(result)]

"""The papers' ledgers, by key; loaded when asked for.

Other packages may register theirs under the group ``cltheory.papers``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..decide.spelling import did_you_mean
from ..errors import Refusal
from ..plugins import Plugins
from ..results import results

if TYPE_CHECKING:
    from .ledger import Claim, Ledger

PAPERS = (
    "lee2025ssem",
    "lee2024sigmoid",
    "vock2026unified",
    "ochieng2025diversity",
    "tan2024spectral",
)


def _wrong(key: str, found: Any) -> str:
    named = getattr(found, "key", None)
    return "" if named == key else f"is no ledger with this key, but with {named!r}"


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
        Naming the papers there are.
    """
    if key not in PAPERS:
        if key in PLUGINS.names:
            return PLUGINS[key]
        known = (*PAPERS, *PLUGINS.names)
        near = did_you_mean(key, known)
        raise UnknownPaper(f"there is no paper {key!r}{near}; there are {', '.join(known)}")
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

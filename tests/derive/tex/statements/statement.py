"""A statement of the corpus: what is written, and what should come of it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

SEED = 20261121


@dataclass(frozen=True)
class Written:
    """A statement.

    Attributes
    ----------
    kind
        ``true/...`` is to be proved equal, ``false/...`` must not be.
    directive, source
        A directive and the inside of a display.
    files
        Instead of these a document, of which ``main.tex`` (or ``main.md``) is checked.
    original
        Of a false one: the true source that it was made from by one slip.
    """

    kind: str
    directive: str = ""
    source: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    original: str = ""

    @property
    def true(self) -> bool:
        """Whether it is to be accepted."""
        return self.kind.startswith("true")


#: Makes a statement from random choices, or gives up with these.
Maker = Callable[[random.Random], "Written | None"]


def made(kind: str, number: int, maker: Maker) -> Written:
    """The statement with this number of a kind; always the same one."""
    for attempt in range(60):
        found = maker(random.Random(f"{SEED} {kind} {number} {attempt}"))
        if found is not None:
            return found
    raise AssertionError(f"no statement of kind {kind} could be made")

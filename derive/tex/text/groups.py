r"""How deep in groups of TeX the text is: a definition in one is not read."""

from __future__ import annotations

from collections import Counter


class Groups:
    """The groups that are open, by what opened them."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._count: Counter[str] = Counter()
        self.unknown = False  #: whether a call has opened or closed one

    def __bool__(self) -> bool:
        return self.unknown or bool(self._open)

    @property
    def braces(self) -> int:
        """How many of them are braces."""
        return self._count["{"]

    def begin(self, name: str) -> None:
        """A group begins."""
        self._open.append(name)
        self._count[name] += 1

    def end(self, name: str) -> None:
        """A group ends, and with it those in it that were left open."""
        while self._count[name]:
            ended = self._open.pop()
            self._count[ended] -= 1
            if ended == name:
                break

r"""Groups of TeX: where definitions end, and braces that are none.

Braces around an argument make no group of their own, and whether what stands in them is ever
run is not known: of a definition there it is only known that it may be in force.
"""

from __future__ import annotations

import re
from collections import Counter

from .scope import Scope
from .source import Source

_VALUE = re.compile(r"=\s*\Z")
_MAX_GAP = 200  #: characters between a command and its argument


class Groups:
    """The groups that are open."""

    def __init__(self, scope: Scope):
        self.scope = scope
        #: what opened each, and the command whose argument it is, or branch
        self._open: list[tuple[str, str]] = []
        self._count: Counter[str] = Counter()
        self._command, self._after = "", -1
        self._arguments: list[str] = []

    @property
    def argument(self) -> str:
        """The command in whose argument this stands, if in one."""
        return self._arguments[-1] if self._arguments else ""

    def inside(self, names: frozenset[str]) -> bool:
        """Whether one of these is open."""
        return any(self._count[name] for name in names)

    def after(self, name: str, end: int) -> None:
        """A command ends here: braces that follow are its arguments, or branches of ``?NAME``."""
        plain = name in ("begingroup", "endgroup", "bgroup", "egroup", "par", "\\")
        self._command, self._after = ("", -1) if plain else (name, end)

    def begin(self, name: str, end: int = -1) -> None:
        """A group begins, not by a brace; its own arguments may follow at ``end``."""
        self._push(name, "")
        self._command, self._after = (f"begin{{{name}}}", end) if end >= 0 else ("", -1)
        self.scope.begin()

    def forget(self) -> None:
        """Another text begins: what stands there is no argument of a command before it."""
        self._command, self._after = "", -1

    def end(self, name: str) -> None:
        """A group ends, and with it those in it that were left open."""
        if not self._count[name]:
            return
        while self._pop() != name:
            pass
        self._command, self._after = "", -1

    def open_brace(self, source: Source, start: int, end: int) -> str:
        """A brace opens; returns the conditional whose branch it is."""
        command = ""
        if self._after >= 0 and self._is_argument(source.text, self._after, start):
            command = self._command
        elif _VALUE.search(source.text, max(0, start - 20), start):
            command = "="  # of a key: whether it is run is not known either
        self._push("{", command)
        self._command, self._after = "", -1
        if command[:1] == "?":
            return command[1:]
        if command:
            self._arguments.append(command)
        else:
            self.scope.begin()
        return ""

    def close_brace(self, end: int) -> bool:
        """A brace closes; returns whether it was that of a branch."""
        if not self._count["{"]:
            return False
        branch = False
        while True:
            name, command = self._open[-1]
            if name == "{":
                branch = command[:1] == "?"
                if command:
                    self._command, self._after = command, end  # another argument may follow
                else:
                    self._command, self._after = "", -1
            if self._pop() == "{":
                return branch

    def _is_argument(self, text: str, after: int, start: int) -> bool:
        if start == after:
            return True
        if not 0 < start - after <= _MAX_GAP:
            return False
        between = text[after:start].strip()
        if "\n\n" in text[after:start]:
            return False
        return between in ("", "*") or (between[0] in "[*(" and between[-1] in "])")

    def _push(self, name: str, command: str) -> None:
        self._open.append((name, command))
        self._count[name] += 1

    def _pop(self) -> str:
        name, command = self._open.pop()
        self._count[name] -= 1
        if command[:1] == "?":
            pass
        elif command:
            self._arguments.pop()
        else:
            self.scope.end()
        return name

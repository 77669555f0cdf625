r"""What a call of a macro may do to the text after it, without running it.

A macro that runs ``\def`` touches a name; one that reads a file, opens a display or begins a
conditional is seen to do so. Bodies are followed into the macros that they call, with their
arguments put in; where that gets too long, every name counts as touched.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .commands import (
    BEGINS,
    CONDITIONALS,
    DISPLAYS,
    ENDS,
    INPUTS,
    NO_CONDITIONALS,
    OTHER_DISPLAYS,
    TESTS,
)
from .definitions import Act, act
from .inputs import Wanted, wanted
from .scope import Definition, Scope
from .source import Source

MAX_CALL = 50_000  #: characters of bodies that one call may run through
MAX_ALL = 5_000_000  #: and all calls of a document
MAX_DEPTH = 25

_COMMAND = re.compile(r"\\([A-Za-z@]+|[^A-Za-z@])|\$\$", re.DOTALL)
_NAMED = re.compile(r"\s*\{([A-Za-z]+\*?)\}")


@dataclass
class Effects:
    """What may happen: names touched, files, displays, conditionals and groups."""

    names: dict[str, str] = field(default_factory=dict)  #: with what they may stand for
    prefixes: list[str] = field(default_factory=list)
    files: list[Wanted] = field(default_factory=list)
    displays: bool = False
    conditionals: int = 0  #: begun and not ended
    groups: int = 0  #: the same

    def add(self, done: Act) -> None:
        """What a defining command does."""
        for one, definition in done.defines:
            body = done.meant + " " if done.meant[:1] == "\\" else done.body
            body = definition.body if definition is not None else body
            known = self.names.setdefault(one, "")
            if body not in known:
                self.names[one] = f"{known} {body}"
        self.prefixes += [p for p in done.prefixes if p not in self.prefixes]


class Calls:
    """The calls of one document."""

    def __init__(self, scope: Scope):
        self.scope = scope
        self.spent = 0
        self._left = 0

    def call(self, source: Source, name: str, at: int) -> Effects:
        """What the call of a macro may do."""
        found = Effects()
        self._left = MAX_CALL if self.spent < MAX_ALL else 0
        self._call(source, name, at, found, ())
        self.spent += MAX_CALL - self._left
        if self._left <= 0:
            found.prefixes.append("\\")
        return found

    def _call(
        self, source: Source, name: str, at: int, found: Effects, path: tuple[str, ...]
    ) -> None:
        definition = self.scope.written("\\" + name)
        if definition is None or definition.meant:
            return
        if name in path or len(path) > MAX_DEPTH:  # how far it goes on is not known
            found.prefixes.append("\\")
            return
        arguments = _arguments(source, at, definition)
        body = definition.body.replace("##", "\\relax ")
        if len(body) + sum(len(a) * body.count(f"#{k}") for k, a in enumerate(arguments, 1)) > (
            self._left
        ):
            self._left = 0
            return
        for k, argument in enumerate(arguments, 1):
            body = _put(body, k, argument.replace("#", "\\relax "))
        self._run(body, found, (*path, name))

    def _run(self, text: str, found: Effects, path: tuple[str, ...]) -> None:
        self._left -= len(text) + 1
        if self._left <= 0:
            return
        source, at = Source(text), 0
        while self._left > 0:
            token = _COMMAND.search(text, at)
            if token is None:
                return
            at = token.end()
            name = token[1]
            if name is None:
                found.displays = True
                continue
            known = self.scope.written("\\" + name)
            if known is not None and known.meant[:1] == "\\":
                name, known = known.meant[1:], None
            if known is not None:
                self._call(source, name, at, found, path)
                continue
            at = self._builtin(source, name, at, found, path)

    def _builtin(
        self, source: Source, name: str, at: int, found: Effects, path: tuple[str, ...]
    ) -> int:
        if name in ("begin", "end"):
            named = _NAMED.match(source.text, at)
            if named is None:
                return at
            found.groups += 1 if name == "begin" else -1
            if named[1] in DISPLAYS | OTHER_DISPLAYS:
                found.displays = True
            known = self.scope.written(f"\\{name}{{{named[1]}}}")
            if known is not None and known.body and len(path) < MAX_DEPTH:
                self._run(known.body, found, (*path, named[1]))
            return named.end()
        if name in ("[", "]") or name in DISPLAYS:
            found.displays = True
            return at
        if name in INPUTS:
            asked = wanted(source, name, at) or Wanted("file", ["\\" + name], end=at)
            found.files.append(asked)
            return asked.end
        if name in TESTS:
            return at  # the branches are gone through as text
        if name in CONDITIONALS or (name.startswith("if") and name not in NO_CONDITIONALS):
            found.conditionals += 1
            return at
        if name in ("fi", "repeat"):
            found.conditionals -= 1
            return at
        if name in BEGINS | ENDS:
            found.groups += 1 if name in BEGINS else -1
            return at
        done = act(source, name, at)
        if done is None:
            return at
        if source.skip(at) >= len(source.text):  # what it takes stands after the call
            found.prefixes.append("\\")
        found.add(done)
        return max(at, done.end)


def _arguments(source: Source, at: int, definition: Definition) -> list[str]:
    arguments: list[str] = []
    if definition.default is not None:
        option = source.option(at)
        arguments.append(option[0] if option else definition.default)
        at = option[1] if option else at
    while len(arguments) < definition.arity:
        found = source.argument(at)
        if found is None:
            break
        arguments.append(source.text[found[0] : found[1]])
        at = found[2]
    return arguments


def _put(body: str, number: int, item: str) -> str:
    """A body with an argument put in, where it must not run into the command before it."""

    def put(found: re.Match[str]) -> str:
        return f"{found[1]} {item}" if found[1] else item

    return re.sub(rf"(\\[A-Za-z@]{{1,40}})?#{number}", put, body)

r"""Inputs: the part of a walk that goes from one file to another and back."""

from __future__ import annotations

import posixpath
import re

from . import commands as tables
from .displays import Found
from .inputs import BEGIN, InputError, wanted
from .source import Source
from .state import State

_IN_NAME = re.compile(r"\\([A-Za-z@]+)[ ]*")


class Following(State):
    """The part of a walk that follows inputs."""

    def _input(self, name: str, start: int, end: int) -> int:
        if self.source.markdown:
            return end
        if name == "documentclass" and len(self.files.stack) > 1 and not self.source.definitions:
            # A part of a document that can be typeset alone: its preamble is not used here.
            begins = BEGIN.search(self.source.text, end)
            return begins.end() if begins else end
        asked = wanted(self.source, name, end)
        if asked is None:
            shown = self.source.text.endswith((r"\string", r"\noexpand"), 0, start)
            needed = tables.INPUTS[name] not in ("sty", "cls", "maybe")
            if needed and not (shown or self.source.definitions):
                error = f"which file \\{name} means here is not known: what it says is not checked"
                self.problems.append(Found(start, "", self.source, error=error))
            return end
        for one in asked.names:
            self._follow(asked.kind, one, asked.folder, start, asked.end)
        return asked.end

    def _follow(self, kind: str, name: str, folder: str, start: int, end: int) -> None:
        """Read a file in place."""
        if not self.files.follows:
            return
        name, folder = self._written_out(name), self._written_out(folder)
        source = self.source
        try:
            if "\\" in name + folder or "#" in name + folder:
                raise InputError(f"which file is input by {name} is not known")
            opened = self.files.open(kind, name, folder)
            if opened is not None and self.displays.display is not None:
                raise InputError(f"{name} is input inside a display, where it is not followed")
        except ValueError as error:
            self.problems.append(Found(start, "", source, error=str(error)))
            return
        if opened is None:
            return
        self.displays.leave(start)
        only = source.definitions or kind in ("sty", "cls")
        self.files.begin(opened, definitions=only)
        self.walk(Source(opened.text, opened.path, definitions=only))
        self.files.end()
        self.displays.enter(source, end)

    def _written_out(self, name: str) -> str:
        def body(found: re.Match[str]) -> str:
            known = self.scope.written("\\" + found[1])
            plain = known is not None and not (known.problem or known.arity or known.meant)
            return known.body if known is not None and plain else found[0]

        if name.startswith("\\subfix"):  # found from the part of a document, as it is anyway
            name = name.removeprefix("\\subfix").strip().removeprefix("{").removesuffix("}")
        for _ in range(3):
            if "\\" not in name or len(name) > 500:
                break
            stem = posixpath.splitext(posixpath.basename(self.files.root))[0]
            name = _IN_NAME.sub(body, name.replace("\\jobname", stem))
        return name

    def _end_of_input(self, name: str, start: int, end: int) -> int:
        if not (self.displays.conditionals or self.groups.braces):
            self._stop = r"\endinput"
        return end

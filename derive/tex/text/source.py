"""A text with its places, and the arguments that stand in it."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import accumulate

from ...frozen import FrozenValue

MAX_OPEN = 1_000  #: groups in one another; TeX stops at 255
_BLANKS = re.compile(r"(?:[ \t]+|%(?!%*[ \t]*cltheory[ \t]*:)[^\n]*\n?|\n(?![ \t]*\n))*+")
_BRACE = re.compile(r"\\.|%[^\n]*|[{}]", re.DOTALL)
_COMMAND = re.compile(r"\\(?:[A-Za-z@]+|[^A-Za-z@])", re.DOTALL)
_OPTION = re.compile(r"\[((?:[^\[\]{}\\%]|\\.|\{[^{}]{0,400}\}){0,400}+)\]", re.DOTALL)


class Place(FrozenValue):
    """A place in a file; lines and columns count from 1.

    Attributes
    ----------
    line
        Of the file.
    column
        0 where it is not known (in a notebook, whose lines are strings of JSON).
    cell, cell_line
        Of a notebook.
    path
        The file, as far as it is known.
    """

    line: int
    column: int = 0
    cell: int | None = None
    cell_line: int | None = None
    path: str = ""

    def __str__(self) -> str:
        if self.cell is not None:
            return f"{self.line}: cell {self.cell}, line {self.cell_line}"
        return f"{self.line}:{self.column}" if self.column else str(self.line)


class Lines:
    """Where lines begin; in a notebook also which lines of the file they are."""

    def __init__(
        self, text: str, path: str = "", cell: int | None = None, raw: list[int] | None = None
    ):
        self.starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        self.path, self.cell, self.raw = path, cell, raw

    def place(self, offset: int) -> Place:
        """The place of an offset into the text."""
        line = bisect_right(self.starts, offset)
        column = offset - self.starts[line - 1] + 1
        if self.cell is None:
            return Place(line, column, path=self.path)
        raw = self.raw[min(line, len(self.raw)) - 1] if self.raw else 1
        return Place(raw, 0, self.cell, line, self.path)


class Source:
    """A text of LaTeX or Markdown, or a cell of a notebook.

    Parameters
    ----------
    text
        With ``\\n`` at the end of lines.
    path
        The file that it stands in.
    markdown
        Whether it is Markdown.
    definitions
        Whether only its definitions matter: a package, or the preamble of another file.
    """

    def __init__(
        self,
        text: str,
        path: str = "",
        *,
        markdown: bool = False,
        definitions: bool = False,
        lines: Lines | None = None,
    ):
        self.text, self.path = text, path
        self.markdown, self.definitions = markdown, definitions
        if lines is not None:
            self.lines = lines

    @cached_property
    def lines(self) -> Lines:
        """Where its lines begin."""
        return Lines(self.text, self.path)

    @property
    def is_package(self) -> bool:
        """Whether it is a package or a class."""
        return self.path.endswith((".sty", ".cls"))

    def where(self, at: int) -> str:
        """A place for a message."""
        place = self.lines.place(at)
        return f"{self.path}:{place.line}" if self.path else f"line {place.line}"

    # --- arguments -----------------------------------------------------------------------
    @cached_property
    def _braces(self) -> tuple[array[int], array[int]]:
        """Openings of groups, and where each is closed (-1: nowhere)."""
        opened, closed = array("l"), array("l")
        waiting: list[int] = []
        for brace in _BRACE.finditer(self.text):
            if brace[0] == "{":
                if len(waiting) > MAX_OPEN:
                    break
                waiting.append(len(opened))
                opened.append(brace.start())
                closed.append(-1)
            elif brace[0] == "}" and waiting:
                closed[waiting.pop()] = brace.start()
        return opened, closed

    def close(self, at: int) -> int | None:
        """Where the group is closed that the brace at this place opens."""
        opened, closed = self._braces
        k = bisect_left(opened, at)
        if k == len(opened) or opened[k] != at or closed[k] < 0:
            return None
        return closed[k]

    def skip(self, at: int) -> int:
        """The place after blanks and comments; a blank line is not passed."""
        return _BLANKS.match(self.text, at).end()  # type: ignore[union-attr]

    def argument(self, at: int) -> tuple[int, int, int] | None:
        """An argument: where its inside begins and ends, and the place after it."""
        at = self.skip(at)
        letter = self.text[at : at + 1]
        if letter == "{":
            close = self.close(at)
            return None if close is None else (at + 1, close, close + 1)
        if letter in ("", "}", "\n"):
            return None
        end = at + 1
        if letter == "\\":
            found = _COMMAND.match(self.text, at)
            end = found.end() if found else end
        elif letter == "#":
            end += 1
        return at, end, end

    def option(self, at: int) -> tuple[str, int] | None:
        """An argument in brackets, and the place after it."""
        found = _OPTION.match(self.text, self.skip(at))
        return (found[1], found.end()) if found else None

    def command(self, at: int) -> tuple[str, int] | None:
        """The command at this place, and the place after it."""
        found = _COMMAND.match(self.text, at)
        return (found[0], found.end()) if found else None

"""Marked equations of .tex, .md and .ipynb files.

A directive ``cltheory: RESULT.QUANTITY`` in a comment above a display, or before a row inside
one, marks the equation. What is wrong with one directive is an item of the list, not an
exception: the others are still found.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from json import scanner
from json.decoder import scanstring  # type: ignore[attr-defined]
from pathlib import PurePath
from typing import Any, Literal

from .directives import Directive, DirectiveError, directive
from .displays import displays

Kind = Literal["tex", "md", "ipynb"]
KINDS: dict[str, Kind] = {".tex": "tex", ".md": "md", ".ipynb": "ipynb"}

_ENCODINGS = {
    **dict.fromkeys((b"latin1", b"latin-1", b"iso-8859-1"), "latin-1"),
    **dict.fromkeys((b"latin9", b"latin-9"), "iso8859-15"),
    **dict.fromkeys((b"ansinew", b"cp1252"), "cp1252"),
}
_DECLARED = re.compile(rb"\\(?:usepackage\s{0,9}\[([\w-]{1,20})\]\s{0,9}\{inputenc\}"
                       rb"|inputencoding\{([\w-]{1,20})\})")  # fmt: skip


class DocumentError(ValueError):
    """The file is not text that could be read; the message is one line."""


@dataclass(frozen=True)
class Place:
    """A place in a file; lines and columns count from 1.

    Attributes
    ----------
    line
        Of the file.
    column
        0 where it is not known (in a notebook, whose lines are strings of JSON).
    cell, cell_line
        Of a notebook.
    """

    line: int
    column: int = 0
    cell: int | None = None
    cell_line: int | None = None

    def __str__(self) -> str:
        if self.cell is not None:
            return f"{self.line}: cell {self.cell}, line {self.cell_line}"
        return f"{self.line}:{self.column}" if self.column else str(self.line)


@dataclass(frozen=True)
class Problem:
    """A directive that marks nothing, or a file that could not be read."""

    message: str
    place: Place


@dataclass(frozen=True)
class Marked:
    """A marked equation.

    Attributes
    ----------
    directive
        What it is said to be.
    source
        The inside of the display, or a row of it; comments are spaces.
    offset
        Of the source in the text of the file, or of the cell.
    whole
        Whether the directive is about the whole display.
    directive_place
        Where the directive stands.
    """

    directive: Directive
    source: str
    offset: int
    whole: bool
    directive_place: Place
    lines: _Lines

    @property
    def place(self) -> Place:
        """Where the source begins."""
        return self.lines.place(self.offset)

    @property
    def line(self) -> int:
        """Line of the file where the source begins."""
        return self.place.line

    @property
    def column(self) -> int:
        """Column where the source begins."""
        return self.place.column

    def where(self, position: int) -> Place:
        """The place of an offset into the source."""
        return self.lines.place(self.offset + max(0, min(position, len(self.source))))


class _Lines:
    """Where lines begin; in a notebook also which lines of the file they are."""

    def __init__(self, text: str, cell: int | None = None, raw: list[int] | None = None):
        self.starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        self.cell, self.raw = cell, raw

    def place(self, offset: int) -> Place:
        line = bisect_right(self.starts, offset)
        column = offset - self.starts[line - 1] + 1
        if self.cell is None:
            return Place(line, column)
        raw = self.raw[min(line, len(self.raw)) - 1] if self.raw else 1
        return Place(raw, 0, self.cell, line)


def kind_of(path: PurePath) -> Kind | None:
    """What a file is by its name."""
    return KINDS.get(path.suffix.lower())


def decode(data: bytes) -> str:
    """Text of a file: UTF-8, or the 8-bit encoding that it declares by inputenc.

    Raises
    ------
    DocumentError
        If it is no text in these.
    """
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise DocumentError("the file is UTF-16: save it as UTF-8")
    if b"\0" in data:
        raise DocumentError("the file is binary: it has a byte 0")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        found = _DECLARED.search(data)
        name = ((found[1] or found[2]) if found else b"").lower()
        if name not in _ENCODINGS:
            line = data.count(b"\n", 0, error.start) + 1
            raise DocumentError(
                f"line {line} is not UTF-8 (byte {error.start}), and the file declares no other "
                "encoding: save it as UTF-8"
            ) from None
        text = data.decode(_ENCODINGS[name], errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def find(text: str, kind: Kind) -> list[Marked | Problem]:
    """Marked equations of a text, in order, and what is wrong with directives.

    Parameters
    ----------
    text
        The text of the file, as :func:`decode` gives it.
    kind
        What the file is: LaTeX, Markdown or a Jupyter notebook.
    """
    if "theory" not in text.lower():
        return []
    if kind == "ipynb":
        try:
            return [item for cell in _cells(text) for item in _find(*cell)]
        except DocumentError as error:
            return [Problem(str(error), Place(1))]
    return list(_find(text, kind, _Lines(text)))


def mathematics(text: str, kind: Kind) -> str:
    """The part of a text in which macros may be defined: of a notebook, its Markdown cells."""
    if kind != "ipynb":
        return text
    try:
        return "\n\n".join(cell[0] for cell in _cells(text))
    except DocumentError:
        return ""


def _find(text: str, kind: Kind, lines: _Lines) -> Iterator[Marked | Problem]:
    for found in displays(text, kind):
        place = lines.place(found.at)
        if found.error and not found.body:
            yield Problem(found.error, place)
            continue
        try:
            said = directive(found.body)
        except DirectiveError as error:
            yield Problem(str(error), place)
            continue
        if found.error:
            yield Problem(f"the directive for {said.title} marks nothing: {found.error}", place)
        else:
            yield Marked(said, found.source, found.start, found.whole, place, lines)


# --- notebooks ---------------------------------------------------------------------------------
class _Text(str):
    """A string of JSON that knows where it stands."""

    at: int


class _Decoder(json.JSONDecoder):
    """JSON whose strings know where they stand in the file."""

    def __init__(self) -> None:
        super().__init__(parse_int=lambda digits: 0, parse_constant=lambda name: None)
        self.parse_string = self._string
        self.scan_once = scanner.py_make_scanner(self)  # type: ignore[attr-defined]

    def _string(self, text: str, at: int, strict: bool = True) -> tuple[_Text, int]:
        value, end = scanstring(text, at, strict)
        found = _Text(value)
        found.at = at
        return found, end


def _cells(text: str) -> list[tuple[str, Kind, _Lines]]:
    """The Markdown cells of a notebook, numbered among all its cells."""
    try:
        notebook = _Decoder().decode(text)
    except RecursionError:
        raise DocumentError("the notebook is nested too deeply") from None
    except ValueError as error:
        raise DocumentError(f"the notebook is not JSON: {error}") from None
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise DocumentError("the notebook has no list of cells (nbformat 4)")
    file_lines = _Lines(text)
    found: list[tuple[str, Kind, _Lines]] = []
    for number, cell in enumerate(cells, 1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "markdown":
            continue
        source: Any = cell.get("source")
        pieces = source if isinstance(source, list) else [source]
        if not all(isinstance(piece, _Text) for piece in pieces):
            raise DocumentError(f"the source of cell {number} of the notebook is no text")
        raw = [file_lines.place(piece.at).line for piece in pieces for _ in _line_ends(piece)]
        joined = "".join(pieces).replace("\r\n", "\n").replace("\r", "\n")
        found.append((joined, "md", _Lines(joined, number, raw)))
    return found


def _line_ends(piece: str) -> range:
    """As many as lines begin in this piece of a cell; a list has one piece for each line."""
    return range(max(1, piece.count("\n") + (not piece.endswith("\n"))))

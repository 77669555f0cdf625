"""The Markdown cells of a Jupyter notebook, with the lines of the file that they stand on."""

from __future__ import annotations

import json
import re
from json import scanner
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from .source import Lines


class Cell(NamedTuple):
    """The text of a cell, and its lines; ``unread`` is its type if it is not Markdown."""

    text: str
    lines: Lines
    unread: str = ""


_MARK = re.compile(r"(?:%|<!--)[ \t]*cltheory[ \t]*:")


class NotebookError(ValueError):
    """The file is no notebook; the message is one line."""


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


def cells(text: str, path: str = "") -> list[Cell]:
    """The Markdown cells of a notebook, and others with directives, numbered among all cells.

    Raises
    ------
    NotebookError
        If it is none.
    """
    try:
        notebook = _Decoder().decode(text)
    except RecursionError:
        raise NotebookError("the notebook is nested too deeply") from None
    except ValueError as error:
        raise NotebookError(f"the notebook is not JSON: {error}") from None
    listed = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(listed, list):
        raise NotebookError("the notebook has no list of cells (nbformat 4)")
    file_lines = Lines(text)
    found: list[Cell] = []
    for number, cell in enumerate(listed, 1):
        if not isinstance(cell, dict) or cell.get("cell_type") == "code":
            continue
        kind = cell.get("cell_type")
        source: Any = cell.get("source")
        pieces = source if isinstance(source, list) else [source]
        if not all(isinstance(piece, _Text) for piece in pieces):
            if kind != "markdown":
                continue
            raise NotebookError(f"the source of cell {number} of the notebook is not a string")
        raw = [file_lines.place(piece.at).line for piece in pieces for _ in _line_ends(piece)]
        joined = "".join(pieces).replace("\r\n", "\n").replace("\r", "\n")
        if kind != "markdown":
            if _MARK.search(joined):
                found.append(Cell("", Lines(joined, path, number, raw), str(kind)[:40]))
            continue
        found.append(Cell(joined, Lines(joined, path, number, raw)))
    return found


def _line_ends(piece: str) -> range:
    """As many as lines begin in this piece of a cell; a list has one piece for each line."""
    return range(max(1, piece.count("\n") + (not piece.endswith("\n"))))

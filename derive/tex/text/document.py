"""Marked equations of .tex, .md and .ipynb files.

A directive ``cltheory: RESULT.QUANTITY`` in a comment above a display, or before a row inside
one, marks the equation. What is wrong with one directive is an item of the list, not an
exception: the others are still found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal

from ...frozen import FrozenValue
from ..directives import Directive, DirectiveError, directive, is_map, letters_of
from .displays import Found
from .inputs import Reader
from .near_miss import concerns
from .notebook import NotebookError, cells
from .scope import Definition
from .source import Lines, Place
from .walk import Walk

if TYPE_CHECKING:
    from .macros import Macros

__all__ = [
    "Document",
    "DocumentError",
    "Marked",
    "Place",
    "Problem",
    "decode",
    "find",
    "read_document",
]

Kind = Literal["tex", "md", "ipynb"]
KINDS: dict[str, Kind] = {".tex": "tex", ".md": "md", ".ipynb": "ipynb"}


class DocumentError(ValueError):
    """The file is not text that could be read; the message is one line."""


class Problem(FrozenValue):
    """A directive that marks nothing, or a file that could not be read."""

    message: str
    place: Place

    @property
    def path(self) -> str:
        """The file that it stands in."""
        return self.place.path


class Marked(FrozenValue):
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
    lead
        The rows before it in the same environment, if the directive is about one row.
    meanings
        What the names in it mean at its place, and those in what they stand for.
    """

    directive: Directive
    source: str
    offset: int
    whole: bool
    directive_place: Place
    lines: Lines
    lead: str = ""
    meanings: Mapping[str, Definition] = field(default_factory=dict, compare=False)

    @property
    def macros(self) -> Macros:
        """The definitions in force at its place."""
        from .macros import Macros

        return Macros(self.meanings)

    @property
    def path(self) -> str:
        """The file that it stands in."""
        return self.lines.path

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


def kind_of(path: PurePath) -> Kind | None:
    """What a file is by its name."""
    return KINDS.get(path.suffix.lower())


def decode(data: bytes) -> str:
    """Text of a file, which is UTF-8.

    Raises
    ------
    DocumentError
        If it is not.
    """
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise DocumentError("the file is UTF-16: save it as UTF-8")
    if b"\0" in data:
        raise DocumentError("the file is binary: it has a byte 0")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DocumentError(
            f"line {line} is not UTF-8 (byte {error.start}): save the file as UTF-8"
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


class Document(FrozenValue):
    """What one walk found.

    Attributes
    ----------
    items
        Marked equations, and directives that mark nothing.
    problems
        Files that could not be followed.
    reached
        Paths of all files that were read, the first among them.
    """

    items: list[Marked | Problem]
    problems: list[Problem]
    reached: list[str]


def find(text: str, kind: Kind) -> list[Marked | Problem]:
    """Marked equations of a text, in order, and what is wrong with directives.

    Files that it inputs are not looked at.

    Parameters
    ----------
    text
        The text of the file, as :func:`decode` gives it.
    kind
        What the file is: LaTeX, Markdown or a Jupyter notebook.
    """
    return read_document("", text, kind).items if concerns(text) else []


def read_document(path: str, text: str, kind: Kind, files: Reader | None = None) -> Document:
    """Walk over a document: a file, and those that it inputs.

    Parameters
    ----------
    path, text, kind
        The file that it begins with.
    files
        Gives the text of a path, None where there is no file, or a DocumentError. Without it,
        no file is followed.
    """
    walk = Walk(files, path)
    problems: list[Problem] = []
    if kind == "ipynb":
        try:
            for cell, lines, unread in cells(text, path):
                walk.markdown(cell, path, lines)
                if unread:
                    error = f"in a cell of the type {unread!r} a directive marks nothing"
                    problems.append(Problem(error, lines.place(0)))
        except NotebookError as error:
            return Document([Problem(str(error), Place(1, path=path))], [], [path])
    elif kind == "md":
        walk.markdown(text, path)
    else:
        walk.file(path, text)
    order: dict[int, int] = {}
    found = walk.finish()
    for item in found:
        order.setdefault(id(item.said_in), len(order))

    def place(item: Found) -> tuple[int, int]:
        return order[id(item.said_in)], item.at

    found = sorted(found, key=place)
    problems += [Problem(item.error, item.said_in.lines.place(item.at)) for item in walk.problems]
    maps: list[tuple[Found, Mapping[str, str]]] = []
    items: list[Marked | Problem] = []
    marking = {item.said_in.lines.path for item in found if not is_map(item.body)}
    for item in found:
        if is_map(item.body):
            try:
                maps.append((item, letters_of(item.body)))
            except DirectiveError as error:
                items.append(Problem(str(error), item.said_in.lines.place(item.at)))
    for item in found:
        if is_map(item.body):
            continue
        # Letters are in force to the end of their file; those of the main file also in the others,
        # and those of a file that marks nothing, such as one of macros, in all.
        of_main: dict[str, str] = {}
        of_file: dict[str, str] = {}
        inside = item.said_in.lines.path
        for said_at, said in maps:
            where = said_at.said_in.lines.path
            if where == path != inside or where not in marking:
                of_main |= said
            elif where == inside and place(said_at) < place(item):
                of_file |= said
        items.append(_item(item, {**of_main, **of_file}))
    return Document(items, problems, list(walk.files.reached.values()))


def _item(found: Found, letters: Mapping[str, str]) -> Marked | Problem:
    place = found.said_in.lines.place(found.at)
    if found.error and not found.body:
        return Problem(found.error, place)
    try:
        said = replace(directive(found.body), letters=letters)
    except DirectiveError as error:
        return Problem(str(error), place)
    if found.error or found.stands_in is None:
        return Problem(f"the directive for {said.title} marks nothing: {found.error}", place)
    return Marked(
        said,
        found.source,
        found.start,
        found.whole,
        place,
        found.stands_in.lines,
        found.lead,
        found.meanings,
    )

"""Papers: which files are read, and what they mark."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import lru_cache
from pathlib import Path

from ..derive.errors import Refusal
from ..derive.frozen import FrozenValue
from ..derive.problems.catalogue import is_file
from ..derive.tex.judge.explain import one_line
from ..derive.tex.text.document import (
    KINDS,
    Document,
    DocumentError,
    Marked,
    Place,
    Problem,
    decode,
    kind_of,
    read_document,
)
from ..derive.tex.text.inputs import is_root, may_input
from ..derive.tex.text.near_miss import concerns

MAX_BYTES = 50_000_000  #: of a file

#: Folders that hold what was built or installed; hidden ones are skipped too.
SKIPPED = {"build", "dist", "_build", "node_modules", "__pycache__", "site-packages", "venv"}


class PathError(Refusal):
    """A path that cannot be checked; the message is one line."""


class Paper(FrozenValue):
    """A file, the marked equations in it and what is wrong with it."""

    path: str
    marked: list[Marked] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


# --- files ---------------------------------------------------------------------------------
def files_of(paths: Sequence[str]) -> tuple[list[tuple[str, bool]], list[tuple[str, Problem]]]:
    """Files to read, with whether each was given by name, and folders that cannot be read.

    Symbolic links to folders are not followed inside folders, so there are no loops.

    Raises
    ------
    PathError
        If a path does not exist or is not of a known type.
    """
    found: dict[str, tuple[str, bool]] = {}
    problems: list[tuple[str, Problem]] = []
    for path in paths:
        if os.path.isdir(path):
            for file in _walk(path, problems):
                found.setdefault(os.path.realpath(file), (file, False))
        elif not os.path.lexists(path):
            raise PathError(f"{one_line(path) or 'a path that is empty'} does not exist")
        elif kind_of(Path(path)) is None:
            raise PathError(f"{one_line(path)} is not one of {', '.join('*' + k for k in KINDS)}")
        else:
            real = os.path.realpath(path)
            found[real] = (found.get(real, (path, True))[0], True)
    return list(found.values()), problems


def _walk(folder: str, problems: list[tuple[str, Problem]]) -> Iterator[str]:
    def unreadable(error: OSError) -> None:
        where = str(error.filename or folder)
        problems.append((where, Problem(f"cannot be read: {error.strerror}", Place(1))))

    for here, folders, files in os.walk(folder, onerror=unreadable):
        folders[:] = sorted(f for f in folders if f[0] != "." and f not in SKIPPED)
        for name in sorted(files):
            if name[0] != "." and kind_of(Path(name)) is not None:
                yield os.path.join(here, name)


class Shelf:
    """Files of LaTeX, Markdown and notebooks, each read once.

    Parameters
    ----------
    within
        Folders outside of which nothing is read that is not given by name; None for everywhere.
    """

    def __init__(self, within: Sequence[str] | None = None):
        self._within: list[Path] | None = None
        if within is not None:
            self._within = [Path(os.path.realpath(folder)) for folder in within]
        self._texts: dict[str, str | DocumentError] = {}

    def text(self, path: str) -> str | None:
        """The text of a file that another one names; None if there is none."""
        if not os.path.isfile(path):
            return None
        self._refuse_outside(path)
        key = os.path.realpath(path)
        if key not in self._texts:
            try:
                self._texts[key] = decode(_bytes(path))
            except DocumentError as error:
                self._texts[key] = DocumentError(f"{path}: {error}")
        found = self._texts[key]
        if isinstance(found, DocumentError):
            raise found
        return found

    def _refuse_outside(self, path: str) -> None:
        real = Path(os.path.realpath(path))
        if self._within is not None and not any(map(real.is_relative_to, self._within)):
            raise DocumentError(
                f"{path} is outside the folders that are checked, and is read only with "
                "--follow-outside"
            )

    def text_of(self, path: str, by_name: bool) -> str | Problem | None:
        """The text of a file to check; None if it marks nothing and inputs nothing."""
        try:
            if not by_name:
                self._refuse_outside(path)
            data = _bytes(path)
        except DocumentError as error:
            return Problem(str(error), Place(1, path=path))
        # The encoding of a file that marks nothing does not matter; of one that is no text at
        # all it is said, if it was asked for by name.
        is_text = data[:2] not in (b"\xff\xfe", b"\xfe\xff") and not (by_name and b"\0" in data)
        marks = not is_text or concerns(data.decode("latin-1"))
        escaped = b"\\u00" in data and kind_of(Path(path)) == "ipynb"  # letters of JSON
        if not (marks or escaped or may_input(data)):
            return None
        try:
            text = decode(data)
        except DocumentError as error:
            return Problem(str(error), Place(1, path=path)) if marks else None
        self._texts[os.path.realpath(path)] = text
        return text

    def with_loss(self, one: Marked | Problem) -> Marked | Problem:
        """An equation about the loss of a file, which is named as seen from the paper."""
        if isinstance(one, Problem) or not is_file(one.directive.values.get("loss", "")):
            return one
        path = os.path.join(os.path.dirname(one.path), one.directive.values["loss"])
        try:
            self._refuse_outside(path)
        except DocumentError as error:
            return Problem(str(error), one.directive_place)
        values = {**one.directive.values, "loss": path}
        return replace(one, directive=replace(one.directive, values=values))

    def walk(self, path: str, text: str) -> Document:
        """Walk over a file and those that it inputs."""
        kind = kind_of(Path(path))
        assert kind is not None
        return read_document(path, text, kind, self.text)


def read_papers(
    files: Iterable[tuple[str, bool]], within: Sequence[str] | None = None
) -> list[Paper]:
    """Read files and those that they input, and find what they mark.

    An equation is found once, however many of the files reach it, unless its macros mean
    something else there. A file that another one inputs is not read by itself.

    Parameters
    ----------
    files
        Paths, and whether each was given by name.
    within
        Folders outside of which no file is followed; None for everywhere.

    Returns
    -------
    list
        A paper for each of the files, and for each further one that has something to say.
    """
    shelf = Shelf(within)
    papers: dict[str, Paper] = {os.path.realpath(path): Paper(path) for path, _ in files}
    texts: list[tuple[str, bool, str]] = []
    found: list[tuple[bool, Document]] = []
    for path, by_name in files:
        text = shelf.text_of(path, by_name)
        if isinstance(text, str):
            texts.append((path, by_name, text))
        elif text is not None:
            found.append((True, Document([], [text], [])))
    found += _walks(shelf, texts)
    seen: set[object] = set()
    for by_name, document in found:
        problems = document.problems if by_name or document.items else []
        for one in [*map(shelf.with_loss, document.items), *problems]:
            real = os.path.realpath(one.path)
            key = (real, *_key(one))
            if key not in seen:
                seen.add(key)
                paper = papers.setdefault(real, Paper(one.path))
                (paper.marked if isinstance(one, Marked) else paper.problems).append(one)  # type: ignore[arg-type]
    return list(papers.values())


@lru_cache(maxsize=100)
def inputs_of(path: Path) -> frozenset[Path]:
    """Files that a whole document of LaTeX inputs; none of what is no document."""
    shelf = Shelf()
    text = shelf.text_of(str(path), False)
    if not isinstance(text, str) or not is_root(text):
        return frozenset()
    return frozenset(Path(other) for other in shelf.walk(str(path), text).reached)


def _key(one: Marked | Problem) -> tuple[object, ...]:
    if isinstance(one, Problem):
        return str(one.place), one.message
    letters = frozenset(one.directive.letters.items())
    return one.offset, str(one.directive_place), frozenset(one.meanings.items()), letters


def _walks(shelf: Shelf, texts: list[tuple[str, bool, str]]) -> list[tuple[bool, Document]]:
    """Walk over files, whole documents first, and over none that another one inputs."""
    order = sorted(
        texts, key=lambda file: not (kind_of(Path(file[0])) == "tex" and is_root(file[2]))
    )
    done: list[tuple[str, bool, Document, set[str]]] = []
    reached: set[str] = set()
    for path, by_name, text in order:
        real = os.path.realpath(path)
        if real not in reached:
            document = shelf.walk(path, text)
            others = {os.path.realpath(other) for other in document.reached} - {real}
            reached |= others
            done.append((real, by_name, document, others))
    kept: list[tuple[bool, Document]] = []
    for k, (real, by_name, document, others) in enumerate(done):
        later = done[k + 1 :]
        if not any(real in theirs and r not in others for r, _, _, theirs in later):
            kept.append((by_name, document))
    return kept


def _bytes(path: str) -> bytes:
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):  # a pipe would be waited for
            raise DocumentError("it is not a file")
        if status.st_size > MAX_BYTES:
            raise DocumentError(f"{status.st_size} bytes are too many (at most {MAX_BYTES})")
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise DocumentError(f"cannot be read: {error.strerror}") from None

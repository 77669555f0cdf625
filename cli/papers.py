"""Papers: which files are read, what they mark, and the macros they use."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..derive.tex.document import (
    KINDS,
    DocumentError,
    Kind,
    Marked,
    Place,
    Problem,
    decode,
    find,
    kind_of,
    mathematics,
)
from ..derive.tex.explain import one_line

if TYPE_CHECKING:
    from ..derive.tex.macros import Macros

MAX_BYTES = 50_000_000  #: of a file
MAX_MACRO_FILES = 50

#: Folders that hold what was built or installed; hidden ones are skipped too.
SKIPPED = {"build", "dist", "_build", "node_modules", "__pycache__", "site-packages", "venv"}

_MORE_MACROS = re.compile(
    r"\\(?:input|include|usepackage|RequirePackage)\s{0,9}(?:\[[^\[\]{}]{0,200}\])?"
    r"\s{0,9}\{([^{}\\\n]{1,200})\}|^%+[ \t]*!T[eE]X[ \t]+root[ \t]*=[ \t]*([^\n]{1,200})$",
    re.MULTILINE,
)


class PathError(ValueError):
    """A path that cannot be checked; the message is one line."""


@dataclass(frozen=True)
class Paper:
    """A file, the marked equations in it and what is wrong with it."""

    path: str
    marked: list[Marked] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    text: str = ""


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
            raise PathError(f"there is no {one_line(path)}")
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


def read_paper(path: str, *, by_name: bool = True) -> Paper:
    """Read a file and find what it marks; what is wrong is among the problems."""
    kind = kind_of(Path(path))
    assert kind is not None
    try:
        data = _bytes(path)
        # The encoding of a file that marks nothing does not matter; of one that is no text at
        # all it is said, if it was asked for by name.
        is_text = data[:2] not in (b"\xff\xfe", b"\xfe\xff") and not (by_name and b"\0" in data)
        if is_text and b"theory" not in data.lower():
            return Paper(path)
        text = decode(data)
    except DocumentError as error:
        return Paper(path, problems=[Problem(str(error), Place(1))])
    items = find(text, kind)
    return Paper(
        path,
        [item for item in items if isinstance(item, Marked)],
        [item for item in items if isinstance(item, Problem)],
        text,
    )


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


# --- macros --------------------------------------------------------------------------------
def macros_of(paper: Paper, more: Sequence[str] = ()) -> Macros:
    r"""Macros of a paper: its own, those of local files that it inputs, and of ``more``.

    ``\input{macros}``, ``\usepackage{macros}`` with a ``macros.sty`` beside the paper, and the
    line ``% !TEX root = main.tex`` are followed, to read definitions and nothing else.
    """
    from ..derive.tex.macros import Macros

    kind: Kind = kind_of(Path(paper.path)) or "tex"
    texts = [mathematics(paper.text, kind)]
    if kind == "tex":
        texts += _texts_of_inputs(paper)
    for path in more:
        texts.append(decode(_bytes(path)))
    return Macros.from_document("\n".join(texts))


def _texts_of_inputs(paper: Paper) -> list[str]:
    start = os.path.realpath(paper.path)
    seen, waiting, texts = {start}, [(paper.text, Path(paper.path).parent)], []
    while waiting and len(seen) <= MAX_MACRO_FILES:
        text, folder = waiting.pop(0)
        for names, root in _MORE_MACROS.findall(text):
            for file in _local(names or root, folder):
                real = os.path.realpath(file)
                if real in seen:
                    continue
                seen.add(real)
                try:
                    inside = decode(_bytes(str(file)))
                except DocumentError:  # then what it defines is unknown, and is said to be
                    continue
                texts.append(inside)
                # What a root inputs is found from the folder of the root.
                waiting.append((inside, file.parent if root else folder))
    return texts


def _local(names: str, folder: Path) -> Iterator[Path]:
    for name in names.split(","):
        for ending in ("", ".tex", ".sty"):
            file = folder / (name.strip() + ending)
            if file.suffix in (".tex", ".sty") and not Path(name.strip()).is_absolute():
                if file.is_file():
                    yield file

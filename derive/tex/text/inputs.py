r"""Which file an ``\input`` means, in a document of several files.

Files are asked for by a reader, so that nothing here touches a disk. The limits are those of a
document, whatever its files say of one another.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from pathlib import PureWindowsPath

from .commands import INPUTS, INSTALLED
from .source import Source

MAX_FILES = 500
MAX_DEPTH = 30
MAX_TOTAL = 50_000_000  #: characters of all files

#: The text of a file, None if there is none; a DocumentError if it cannot be read.
Reader = Callable[[str], "str | None"]

_BARE = re.compile(r"[ \t]*\n?[ \t]*([^\s{}\\%$#,&~]{1,300})")
_CLASS = re.compile(
    r"^[^\n%]{0,400}?\\documentclass(?![A-Za-z])(?:\s*\[[^\[\]]{0,300}\])?\s*(\{subfiles\})?",
    re.MULTILINE,
)
_MAY_INPUT = re.compile(
    rb"\\(?:@*input|include(?!g)|subfile|(?:sub)?import|InputIf|sub\w*from|documentclass)"
)
BEGIN = re.compile(r"\\begin[ \t]*\{document\}")
#: Files that need not be there: of packages, of a run before, of a drawing.
_OPTIONAL = (".fd", ".def", ".ldf", ".clo", ".bbl", ".pgf", ".pdf_tex", ".tikz")


class InputError(ValueError):
    """A file that is named cannot be followed; the message is one line."""


def wanted(source: Source, name: str, at: int) -> tuple[list[str], int] | None:
    """The files that an input command names, and the place after it."""
    kind, text = INPUTS[name], source.text
    while kind in ("sty", "cls") and (option := source.option(at)) is not None:
        at = option[1]
    at += text[at : at + 1] == "*"
    start = source.skip(at)
    if text[start : start + 1] != "{":
        bare = _BARE.match(text, at) if kind == "file" and text[at : at + 1] in " \t\n" else None
        return ([bare[1]], bare.end()) if bare else None
    found = source.argument(start)
    if found is None:
        return None
    said, at = text[found[0] : found[1]].strip(), found[2]
    if kind == "folder":
        more = source.argument(at)
        if more is None:
            return None
        return [posixpath.join(said, text[more[0] : more[1]].strip())], more[2]
    names = said.split(",") if kind == "sty" else [said]
    return [one.strip() for one in names if one.strip()], at


def may_input(data: bytes) -> bool:
    """Whether a file may input others."""
    return _MAY_INPUT.search(data) is not None


def is_root(text: str) -> bool:
    """Whether a file is a document by itself: it has a class, and is no part of another file."""
    declared = _CLASS.search(text)
    return declared is not None and not declared[1]


class Files:
    """The files of one document: of those that are being read, paths and texts."""

    def __init__(self, read: Reader | None, root: str):
        self._read = read
        self.home = posixpath.dirname(root)
        self.stack: list[tuple[str, str]] = []
        self.reached: dict[str, str] = {}  #: normal path -> path as it is shown
        self._loaded: set[str] = set()  #: packages, which are read once
        self._count = self._total = 0

    @property
    def follows(self) -> bool:
        """Whether there is a reader."""
        return self._read is not None

    def begin(self, path: str, text: str, *, definitions: bool = False) -> None:
        """A file is being read now."""
        self.stack.append((path, text))
        if not definitions:
            self.reached.setdefault(posixpath.normpath(path), path)

    def open(self, kind: str, name: str) -> tuple[str, str] | None:
        """Find a file; None for one that is not there and need not be, or was read.

        Raises
        ------
        InputError
            If it must not be followed, is not there, or is in the middle of being read.
        """
        assert self._read is not None
        name = name.strip('"')
        if "\\" in name or "#" in name:
            raise InputError(f"which file is input by {name} is not known")
        if posixpath.isabs(name) or PureWindowsPath(name).drive:
            raise InputError(f"the absolute path {name} is not followed")
        if name.startswith("|") or "\0" in name:
            raise InputError(f"{name} is not a file name")
        package = kind in ("sty", "cls")
        endings = (f".{kind}",) if package else (".tex", "")
        endings = ("", ".tex") if name.endswith(".tex") else endings
        found: dict[str, tuple[str, str]] = {}
        for folder in (self.home, posixpath.dirname(self.stack[-1][0])):
            for ending in endings:
                path = posixpath.join(folder, posixpath.normpath(name + ending))
                if (text := self._read(path)) is not None:
                    found.setdefault(posixpath.normpath(path), (path, text))
                    break
        if not found:
            if package or kind == "maybe" or name in INSTALLED or name.endswith(_OPTIONAL):
                return None
            raise InputError(f"the file {name} does not exist, so its contents are not checked")
        if len(found) > 1:
            raise InputError(f"the file {name} may be {' or '.join(found)}")
        ((key, (path, text)),) = found.items()
        if package and key in self._loaded:
            return None
        self._loaded.add(key)
        self._check(path, key, text)
        return path, text

    def _check(self, path: str, key: str, text: str) -> None:
        """Refuse a file that inputs itself, and more of them than a document has."""
        if any(posixpath.normpath(other) == key for other, _ in self.stack):
            chain = " -> ".join([*(other for other, _ in self.stack), path])
            raise InputError(f"the file inputs itself: {chain}")
        self._count += 1
        self._total += len(text)
        if len(self.stack) >= MAX_DEPTH:
            raise InputError(f"more than {MAX_DEPTH} files input one another")
        if self._count > MAX_FILES:
            raise InputError(f"more than {MAX_FILES} files are input")
        if self._total > MAX_TOTAL:
            raise InputError(f"the files have more than {MAX_TOTAL} characters")

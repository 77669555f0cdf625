r"""Which file an ``\input`` means, in a document of several files.

Files are asked for by a reader, so that nothing here touches a disk. The limits are those of a
document, whatever its files say of one another.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PureWindowsPath

from .commands import INPUTS, INSTALLED
from .source import Source

MAX_FILES = 500
MAX_DEPTH = 30
MAX_TOTAL = 50_000_000  #: characters of all files

#: The text of a file, None if there is none; a DocumentError if it cannot be read.
Reader = Callable[[str], "str | None"]

_BARE = re.compile(r"[ \t]*\n?[ \t]*([^\s{}\\%$#,&~]{1,300})")
_ROOT = re.compile(r"%+[ \t]*!T[eE]X[ \t]+root[ \t]*=[ \t]*([^\n]{1,300})")
_OF_MAIN = re.compile(
    r"[^\n%]{0,400}?\\documentclass\s{0,9}(?:\[([^\[\]]{0,300})\])?\s{0,9}\{subfiles\}"
)
_CLASS = re.compile(r"^[^\n%]{0,400}?\\documentclass(?![A-Za-z])", re.MULTILINE)
_MAY_INPUT = re.compile(
    rb"\\(?:@*input|include(?!g)|subfile|(?:sub)?import|InputIf|sub\w*from|documentclass)"
)
BEGIN = re.compile(r"\\begin[ \t]*\{document\}")
_ENDINGS = {"tex": (".tex",), "sty": (".sty",), "cls": (".cls",)}


class InputError(ValueError):
    """A file that is named cannot be followed; the message is one line."""


@dataclass
class Wanted:
    """The names that a command asks for, and how they are looked for."""

    kind: str
    names: list[str] = field(default_factory=list)
    folder: str = ""  #: said by the command
    end: int = 0


def wanted(source: Source, name: str, at: int) -> Wanted | None:
    """What an input command names, and the place after it."""
    kind = INPUTS[name]
    text = source.text
    optional = kind in ("sty", "cls") or name == "includestandalone"
    while optional and (option := source.option(at)) is not None:
        at = option[1]
    if text[at : at + 1] == "*":
        at += 1
    start = source.skip(at)
    if text[start : start + 1] != "{":
        bare = _BARE.match(text, at) if kind == "file" and text[at : at + 1] in " \t\n" else None
        return Wanted(kind, [bare[1]], end=bare.end()) if bare else None
    found = source.argument(start)
    if found is None:
        return None
    said, at = text[found[0] : found[1]], found[2]
    if kind in ("folder", "subfolder"):
        more = source.argument(at)
        if more is None:
            return None
        return Wanted(kind, [text[more[0] : more[1]].strip()], said.strip(), more[2])
    names = said.split(",") if kind == "sty" else [said]
    return Wanted(kind, [one.strip() for one in names if one.strip()], end=at)


def root_of(text: str) -> str | None:
    """The main file that a file names, by a magic comment or as its subfile."""
    for line in text[:4000].split("\n"):
        if line.strip() and not line.lstrip().startswith("%"):
            break
        found = _ROOT.search(line)
        if found:
            return found[1].strip()
    declared = _CLASS.search(text[:20_000])
    found = _OF_MAIN.match(text, declared.start()) if declared else None
    return found[1].strip() if found and found[1] else None


def may_input(data: bytes) -> bool:
    """Whether a file may input others."""
    return _MAY_INPUT.search(data) is not None


def is_root(text: str) -> bool:
    """Whether a file is a document by itself: it has a class, and is no part of another file."""
    return _CLASS.search(text) is not None and root_of(text) is None


@dataclass
class Opened:
    """A file that is being read."""

    path: str
    folder: str  #: where names in it are looked for first
    text: str


class Files:
    """The files of one document."""

    def __init__(self, read: Reader | None, root: str):
        self._read = read
        self.root = root
        self.home = posixpath.dirname(root)
        self.stack: list[Opened] = []
        self.reached: dict[str, str] = {}  #: normal path -> path as it is shown
        self._count = self._total = 0

    @property
    def follows(self) -> bool:
        """Whether there is a reader."""
        return self._read is not None

    def begin(self, opened: Opened, *, definitions: bool = False) -> None:
        """A file is being read now."""
        self.stack.append(opened)
        if not definitions:
            self.reached.setdefault(posixpath.normpath(opened.path), opened.path)

    def end(self) -> None:
        """The file that was begun last has been read."""
        self.stack.pop()

    def open(self, kind: str, name: str, said: str = "") -> Opened | None:
        """Find a file; None for one that is not there and need not be.

        Raises
        ------
        InputError
            If it must not be followed, is not there, or is in the middle of being read.
        """
        name, said = _plain(name), _plain(said)
        if posixpath.isabs(name) or posixpath.isabs(said) or PureWindowsPath(said + name).drive:
            raise InputError(f"the absolute path {name} is not followed")
        if name.startswith("|") or "\0" in name:
            raise InputError(f"{name} is not a file name")
        here = self.stack[-1] if self.stack else Opened(self.root, self.home, "")
        folders = [here.folder, self.home, posixpath.dirname(here.path)]
        if kind == "folder":
            folders = [posixpath.join(self.home, said), posixpath.join(here.folder, said)]
        if kind == "subfolder":
            folders = [posixpath.join(here.folder, said)]
        for folder in dict.fromkeys(folders):
            for ending in _endings(kind, name):
                path = posixpath.join(folder, posixpath.normpath(name + ending))
                text = self._text(path)
                if text is not None:
                    moves = kind in ("folder", "subfolder")
                    return Opened(path, folder if moves else here.folder, text)
        optional = kind in ("sty", "cls", "maybe")
        if optional or name in INSTALLED or name.endswith((".fd", ".def", ".ldf", ".clo", ".bbl")):
            return None
        raise InputError(f"the file {name} does not exist: what it says is not checked")

    def _text(self, path: str) -> str | None:
        assert self._read is not None
        key = posixpath.normpath(path)
        if any(posixpath.normpath(file.path) == key for file in self.stack):
            chain = " -> ".join([*(file.path for file in self.stack), path])
            raise InputError(f"the file inputs itself: {chain}")
        text = self._read(path)
        if text is None:
            return None
        self._count += 1
        self._total += len(text)
        if len(self.stack) >= MAX_DEPTH:
            raise InputError(f"more than {MAX_DEPTH} files input one another")
        if self._count > MAX_FILES:
            raise InputError(f"more than {MAX_FILES} files are input")
        if self._total > MAX_TOTAL:
            raise InputError(f"the files have more than {MAX_TOTAL} characters")
        return text


def _plain(name: str) -> str:
    return name.strip().strip('"')


def _endings(kind: str, name: str) -> tuple[str, ...]:
    if kind in _ENDINGS:
        return _ENDINGS[kind]
    return ("", ".tex") if name.endswith(".tex") else (".tex", "")

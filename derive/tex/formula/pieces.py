"""Runs of units with their meanings: brackets, words, and where they are cut."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ...language.spelling import Unit
from .names import Piece

ENDING = ("quad", "comma", "semicolon", "dot")


def depths(pieces: Sequence[Piece]) -> list[int]:
    """How many brackets are open at each piece, itself not counted."""
    found, depth = [], 0
    for unit, _ in pieces:
        depth -= unit.kind == "close"
        found.append(depth)
        depth += unit.kind == "open"
    return found


def at_top(pieces: Sequence[Piece], kind: str) -> list[int]:
    """The places outside brackets of units of a kind."""
    depth = depths(pieces)
    return [k for k, (u, _) in enumerate(pieces) if u.kind == kind and not depth[k]]


def split(pieces: Sequence[Piece], at: Callable[[Piece], bool]) -> list[list[Piece]]:
    """The runs between the pieces outside brackets where it is cut."""
    parts: list[list[Piece]] = [[]]
    for piece, depth in zip(pieces, depths(pieces), strict=True):
        if not depth and at(piece):
            parts.append([])
        else:
            parts[-1].append(piece)
    return parts


def sides(pieces: Sequence[Piece]) -> tuple[list[list[Piece]], list[Unit]]:
    """The sides of a chain of relations, and the relations."""
    parts = split(pieces, lambda piece: piece[0].kind == "relation")
    return parts, [pieces[k][0] for k in at_top(pieces, "relation")]


def words(piece: Piece) -> str | None:
    """The text of a piece that is text and not a known name."""
    unit, meaning = piece
    if meaning is not None:
        return None
    if unit.kind == "word" and unit.full == unit.text:
        return unit.text[len("\\operatorname{") : -1].lower()
    return unit.text if unit.kind == "text" else None


def stripped(pieces: Sequence[Piece], kinds: tuple[str, ...] = ("quad",)) -> list[Piece]:
    """Without wide spaces around it, or the punctuation at its end."""
    start, end = 0, len(pieces)
    while start < end and pieces[start][0].kind == "quad":
        start += 1
    while end > start and pieces[end - 1][0].kind in kinds:
        end -= 1
    return list(pieces[start:end])


def enclosed(pieces: Sequence[Piece]) -> bool:
    """Whether these are one bracket from its opening to its end, without a power."""
    if len(pieces) < 2 or pieces[0][0].kind != "open" or pieces[-1][0].kind != "close":
        return False
    last = pieces[-1][0]
    return last.full == last.text and all(d > 0 for d in depths(pieces)[1:-1])


def is_letter(piece: Piece) -> bool:
    """Whether a piece is an index: a small letter that is not a known name."""
    unit, meaning = piece
    small = re.fullmatch(r"[a-z]|\\ell", unit.text) and not (unit.sub or unit.sup)
    return meaning is None and unit.kind == "name" and bool(small)


def unpunctuated(piece: Piece) -> Piece:
    r"""Turn ``\text{, }`` into the mark that it prints."""
    kinds = {",": "comma", ";": "semicolon", ".": "dot", "": "quad"}
    if piece[0].kind == "text" and piece[0].text in kinds:
        return Unit(kinds[piece[0].text], piece[0].text, piece[0].at), None
    return piece

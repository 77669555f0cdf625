"""The words beside a formula and the formulas between them, as one stream of items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from ...language.statement import TexError
from ...language.tokens import show
from ...language.vocabulary import KINDS, NEUTRAL, STARTS
from .names import Piece
from .pieces import depths, words

Sort = Literal["start", "strong", "comma", "kind", "formula"]
#: ``strong`` separates for certain: a wide space, a semicolon, a full stop.
_MARKS: dict[str, Sort] = {
    "quad": "strong", "semicolon": "strong", "dot": "strong", "amp": "strong", "fence": "strong",
    "comma": "comma", "and": "comma",
}  # fmt: skip


@dataclass
class Item:
    """A word, a mark, or a formula."""

    sort: Sort
    at: int
    text: str = ""
    pieces: list[Piece] = field(default_factory=list)


def stream(pieces: Sequence[Piece]) -> list[Item]:
    """Items of a run of pieces.

    Raises
    ------
    TexError
        If there is a word that is not known: it may take back what the formula says.
    """
    out: list[Item] = []
    going = False  # whether a formula at the end may go on
    for piece, depth in zip(pieces, depths(pieces), strict=True):
        unit, text = piece[0], words(piece)
        if depth or unit.kind == "close":
            text, sort = None, None
        else:
            is_colon = unit.kind == "strange" and unit.text == ":"
            sort = _MARKS.get(unit.kind) or ("strong" if is_colon else None)
        if text is not None:
            out.extend(_said(text, unit.at))
            going = False
        elif unit.kind == "forall" and not depth:
            out.append(Item("start", unit.at))
            going = False
        elif sort is not None:
            out.append(Item(sort, unit.at))
            going = False
        else:
            if not going:
                out.append(Item("formula", unit.at))
            out[-1].pieces.append(piece)
            going = True
    return out


def _said(text: str, at: int) -> list[Item]:
    """Items of one text."""
    out: list[Item] = []
    said = [w.strip("()") for w in text.replace(",", " , ").replace(";", " ; ").split()]
    for word in filter(None, said):
        plain = word.rstrip(".") if word not in ("s.t.",) else word
        if word in (",", ";", "and"):
            out.append(Item("strong" if word == ";" else "comma", at))
        elif plain in KINDS:
            out.append(Item("kind", at, KINDS[plain]))
        elif plain in STARTS:
            out.append(Item("start", at, plain))
        elif plain and plain not in NEUTRAL:
            raise TexError(
                f"a side condition with the word {show(plain)}: write it as a formula, such as "
                "n \\ge 2",
                at,
            )
    return out

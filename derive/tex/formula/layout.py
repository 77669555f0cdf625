"""Rows of a display: which formulas stand in it, and which words and conditions beside them.

A text that starts with a word such as ``for`` or ``if`` begins a condition, which goes on to
the end of its row. Rows that start with a relation or a plus go on with the row before. Where
a row end, a quad or an ``&`` could as well stand for a product, it is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from ...language.spelling import Unit
from ...language.statement import TexError
from ...language.vocabulary import LEADS, STARTS, THEN
from .names import Piece
from .pieces import (
    ENDING,
    at_top,
    depths,
    enclosed,
    is_letter,
    split,
    stripped,
    unpunctuated,
    words,
)

_EQUATION_NUMBER = re.compile(r"[a-z]{0,2}\.?[0-9]{1,3}(\.[0-9]{1,3}){0,2}[a-z]?")
#: The number of an item, which is set before it.
_LABEL = re.compile(r"\((?:[a-z]|[ivx]{1,4})\)")


@dataclass
class Draft:
    """One formula of a display.

    Attributes
    ----------
    rows
        The rows that it stands in.
    loose
        Whether it stands after another formula of the row and no word says what it is: it may
        be a condition on that.
    joined
        Whether it is one of two statements that hold together or not at all.
    """

    pieces: list[Piece]
    rows: set[int] = field(default_factory=set)
    loose: bool = False
    joined: bool = False


@dataclass
class Beside:
    """Words and conditions of one row: before its formula, after it, or with no formula.

    ``end`` is where they end in the source, if that is not the end of the row.
    """

    pieces: list[Piece]
    row: int
    end: int | None = None
    before: bool = False
    alone: bool = False


@dataclass
class Display:
    """The formulas of a display, and the conditions beside them."""

    drafts: list[Draft] = field(default_factory=list)
    beside: list[Beside] = field(default_factory=list)
    rows: int = 0


def begins_condition(piece: Piece) -> bool:
    """Whether a piece is a word that begins a condition."""
    if piece[0].kind == "forall":
        return True
    said = (words(piece) or "").lstrip(",;( ").split()
    return bool(said) and said[0].rstrip(",") in STARTS


def lay_out(pieces: Sequence[Piece]) -> Display:
    """Divide a display into formulas and what stands beside them.

    Raises
    ------
    TexError
        If it could be divided in two ways, or nothing is there.
    """
    whole = _without_broken_brackets([unpunctuated(p) for p in pieces])
    found = Display()
    ended = False  # whether the row before ended with a mark
    defining = False  # whether the row before is only about conditions and letters
    for row in _rows(whole):
        number, found.rows = found.rows, found.rows + 1
        solid = next((k for k, (u, _) in enumerate(row) if u.kind not in ("amp", "quad")), 0)
        indented = any(u.kind == "quad" for u, _ in row[:solid])
        row, beside = _apart(_without_number(stripped(_aligned(row))), number)
        runs = split(row, lambda piece: piece[0].kind == "stated")
        parts = [part for run in runs for part in _parts(run)]
        if defining and parts and _is_sign(parts[0][0][0][0]):
            raise TexError("does the row go on with the formula or the condition?", row[0][0].at)
        found.beside += [replace(b, alone=not parts) for b in beside]
        after = any(not b.before for b in beside)
        defining = bool(beside) and not parts
        for index, (part, loose) in enumerate(parts):
            body, inside = _without_brackets(stripped(part, ENDING))
            if inside:
                found.beside.append(Beside(inside[:-1], number, inside[-1][0].at))
                after = True
            drafts = found.drafts
            if not index and drafts and _goes_on(drafts[-1], body, ended, indented):
                drafts[-1].pieces.extend(body)
                drafts[-1].rows.add(number)
            else:
                drafts.append(Draft(body, {number}, loose, len(runs) > 1))
            ended = part[-1][0].kind in ENDING or index + 1 < len(parts) or bool(after)
        if len(parts) > 1:
            for draft in found.drafts[-len(parts) :]:
                named = draft.joined and len(draft.pieces) == 1
                if not at_top(draft.pieces, "relation") and not named:
                    raise TexError(
                        "one of several formulas in a row lacks a relation", draft.pieces[0][0].at
                    )
    if not found.drafts:
        raise TexError("no formula was found")
    return found


def _is_sign(unit: Unit) -> bool:
    return unit.kind == "operator" and unit.text in "+-"


def _rows(pieces: list[Piece]) -> list[list[Piece]]:
    depth = depths(pieces)
    rows: list[list[Piece]] = [[]]
    aligned = -1  # up to here an & only aligns, as it starts a row
    for k, piece in enumerate(pieces):
        if piece[0].kind != "row":
            if piece[0].kind != "amp" or k > aligned:
                rows[-1].append(piece)
        elif not depth[k]:
            rows.append([])
        else:  # inside brackets only a sum can go on in the next row
            after = k + 1
            while after < len(pieces) and pieces[after][0].kind in ("amp", "quad"):
                after += 1
            aligned = after
            signs = [_is_sign(pieces[j][0]) for j in (k - 1, after) if 0 <= j < len(pieces)]
            if not any(signs):
                raise TexError(
                    "a row ends inside brackets: is the next one a factor or another formula?",
                    piece[0].at,
                )
    return rows


def _aligned(row: list[Piece]) -> list[Piece]:
    """Drop each ``&`` that only aligns; refuse those that set two formulas apart."""
    out: list[Piece] = []
    count = 0
    solid = [k for k, (u, _) in enumerate(row) if u.kind != "quad"]
    following = dict(pairwise(solid))
    last: Piece | None = None  # the one before that is no quad
    seconds: list[Piece | None] = [None] * (len(row) + 1)  # the next that aligns nothing
    for k in range(len(row) - 1, -1, -1):
        bare = row[k][0].kind in ("quad", "amp")
        seconds[k] = seconds[k + 1] if bare else row[k]
    for k, piece in enumerate(row):
        before, last = last, piece if piece[0].kind != "quad" else last
        if piece[0].kind != "amp":
            out.append(piece)
            continue
        count += 1
        after = row[following[k]] if k in following else None
        second = seconds[k + 1]
        if second is None or (before is not None and before[0].kind in ("relation", "stated")):
            continue
        if begins_condition(second):
            out.append((Unit("quad", "&", piece[0].at), None))
            continue
        if before is not None and out and before[0].kind in ("amp", "comma"):
            # && goes to the next column, and so does & after a mark: what stands there is apart
            out += [(Unit(kind, "&", piece[0].at), None) for kind in ("comma", "quad")]
            continue
        joins = after is not None and (
            after[0].kind in ("relation", "stated", "amp") or _is_sign(after[0])
        )
        if before is None or not out or (count % 2 and joins) or (after and after[0].kind == "amp"):
            continue
        raise TexError("& sets two formulas apart here; check them one by one", piece[0].at)
    return out


def _without_number(row: list[Piece]) -> list[Piece]:
    r"""Drop an equation number that stands as ``\quad (15)`` at the end of a row."""
    if len(row) < 4 or [p[0].kind for p in row[-4:-2]] != ["quad", "open"]:
        return row
    inside, last = row[-2][0], row[-1][0]
    number = _EQUATION_NUMBER.fullmatch(inside.text)
    plain = inside.kind in ("number", "text") and number and inside.full == inside.text
    if not plain or row[-3][0].text != "(" or last.full != ")" or last.kind != "close":
        return row
    return stripped(row[:-4])


# --- conditions in words ---------------------------------------------------------------------
def _apart(row: list[Piece], number: int) -> tuple[list[Piece], list[Beside]]:
    """The formulas of a row, and the conditions before and after them."""
    found: list[Beside] = []
    row = _without_lead(row)
    if row and begins_condition(row[0]):
        place = _formula_after(row)
        if place is None:
            return [], [Beside(_without_fence(row), number)]
        found.append(Beside(row[: place[0]], number, row[place[0]][0].at, before=True))
        row = stripped(row[place[1] :])
    depth = depths(row)
    start = next((k for k, p in enumerate(row) if not depth[k] and begins_condition(p)), len(row))
    tail = _without_fence(row[start:])
    row = _without_fences(stripped(row[:start]))
    return row, [*found, Beside(tail, number)] if tail else found


def _without_lead(row: list[Piece]) -> list[Piece]:
    r"""Drop what only leads to a formula: ``\text{Hence,}``, ``\therefore``, ``(ii)``."""
    said = (words(row[0]) or row[0][0].text).strip(",: ") if row else ""
    size = int(said in LEADS or bool(_LABEL.fullmatch(said)))
    head, _, rest = said.partition(",")
    if head in LEADS and rest:
        row = [(replace(row[0][0], text=rest.strip()), None), *row[1:]]
    while size and size < len(row) and row[size][0].kind in ("comma", "quad", "amp"):
        size += 1
    return row[size:]


def _without_fence(tail: list[Piece]) -> list[Piece]:
    return [p for p in tail if p[0].kind != "fence"]


def _formula_after(row: list[Piece]) -> tuple[int, int] | None:
    """Where the conditions at the beginning of a row end, and the formula after them begins."""
    depth = depths(row)
    top = [k for k in range(len(row)) if not depth[k]]
    for k in top:
        said = (words(row[k]) or "").strip(",;. ")
        if said in THEN or (row[k][0].kind == "strange" and row[k][0].text == ":"):
            return k, k + 1
    related = at_top(row, "relation")
    solid = [k for k in top if row[k][0].kind != "quad"]
    for k, after in pairwise(solid):
        if after == k + 1 or not related or not (related[0] < k and after < related[-1]):
            continue  # no space between them, or no relation on one side of it
        joins = (words(row[after]) or "").startswith("and")
        if not joins and not begins_condition(row[after]):
            return k + 1, after
    equalities = [k for k in related if row[k][0].text == "="]
    commas = [k for k in top if row[k][0].kind == "comma" and k < max(equalities, default=0)]
    if not commas or any(row[k][0].kind == "strange" for k in top if k > commas[-1]):
        return None  # a list of conditions, or a range of an index
    return commas[-1], commas[-1] + 1


def _without_fences(row: list[Piece]) -> list[Piece]:
    fences = [k for k, (u, _) in enumerate(row) if u.kind == "fence"]
    if not fences:
        return row
    if stripped(row[fences[0] + 1 :], (*ENDING, "fence")):
        raise TexError("a formula beside an environment", row[fences[0]][0].at)
    return row[: fences[0]]


def _without_brackets(row: list[Piece]) -> tuple[list[Piece], list[Piece]]:
    r"""Take off a condition in brackets, ``\quad (\tau > 0)``, at the end of a row.

    It is given with the bracket that closes it.
    """
    body = stripped(row, ENDING)
    if not body or body[-1][0].kind != "close":
        return row, []
    depth = depths(body)
    start = len(body) - 1
    while start > 0 and (depth[start] or body[start][0].kind != "open"):
        start -= 1
    if not start or body[start - 1][0].kind != "quad" or not enclosed(body[start:]):
        return row, []
    inside = body[start + 1 :]
    told = at_top(inside[:-1], "relation") or any(begins_condition(p) for p in inside)
    if body[start][0].text not in ("(", "[") or not told:
        return row, []
    return stripped(body[:start]), inside


# --- formulas side by side, and in several rows ------------------------------------------------
def _parts(row: list[Piece]) -> list[tuple[list[Piece], bool]]:
    r"""Split a row at ``, \quad`` and at the word ``and``; whether no word says what it is."""
    depth = depths(row)
    parts: list[tuple[list[Piece], bool]] = [([], False)]
    related = -1  # the part that the last relation stands in
    for k, piece in enumerate(row):
        before = row[k - 1][0].kind if k else ""
        word = words(piece)
        if word is not None and word.strip(",; ") == "and" and not depth[k]:
            empty = not stripped(parts[-1][0], ENDING)
            loose = parts[-2][1] if empty and len(parts) > 1 else parts[-1][1]
            parts.append(([], loose))
        elif piece[0].kind == "quad" and not depth[k] and before in ("comma", "semicolon"):
            parts.append(([], True))
        elif piece[0].kind == "quad" and not depth[k] and related == len(parts):
            # An index after a space is no factor: a condition on it begins here.
            if k + 1 < len(row) and is_letter(row[k + 1]):
                parts.append(([], True))
            else:
                parts[-1][0].append(piece)
        else:
            parts[-1][0].append(piece)
            if piece[0].kind == "relation" and not depth[k]:
                related = len(parts)
    return [p for p in parts if stripped(p[0], ENDING)]


def _goes_on(draft: Draft, row: list[Piece], ended: bool, indented: bool) -> bool:
    """Whether a row goes on with the statement before it."""
    current = draft.pieces
    first, last = row[0][0], current[-1][0]
    goes_on = first.kind in ("relation", "operator")
    if (
        goes_on
        and draft.loose
        and {current[k][0].text for k in at_top(current, "relation")} - {"="}
    ):
        raise TexError(
            "does the row go on with the formula before it, or with the condition on that?",
            first.at,
        )
    if first.kind == "relation":
        return True
    if first.kind == "operator":
        if not _is_sign(first):
            raise TexError(
                f"a row starts with {first.text}: does it multiply the whole row before or "
                "its last term?",
                first.at,
            )
        related = bool(at_top(current, "relation"))
        minus = first.text == "-" and (at_top(row, "relation") or not related)
        if ended or (minus and not indented):
            raise TexError(
                "a row starts with a sign: does it go on with the row before, or is it a "
                "formula of its own?",
                first.at,
            )
        return True
    if last.kind in ("operator", "relation"):
        return True
    if ended or (at_top(row, "relation") and at_top(current, "relation")):
        return False
    raise TexError(
        "a row without a relation: a factor of the row before, or a formula of its own?",
        first.at,
    )


def _without_broken_brackets(pieces: list[Piece]) -> list[Piece]:
    r"""Drop the ``\right.`` and ``\left.`` of brackets that go on in the next row."""
    solid = [k for k, (u, _) in enumerate(pieces) if u.kind not in ("quad", "amp")]
    dropped: set[int] = set()
    for one, row, other in zip(solid, solid[1:], solid[2:], strict=False):
        kinds = [pieces[k][0].kind for k in (one, row, other)]
        both = pieces[one][0].text, pieces[other][0].text
        if kinds == ["null", "row", "null"] and both == ("\\right", "\\left"):
            dropped |= {one, other}
    return [p for k, p in enumerate(pieces) if k not in dropped]

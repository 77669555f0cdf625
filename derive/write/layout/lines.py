"""Lines that fit: text is broken at the signs that bind least, LaTeX between terms."""

from __future__ import annotations

from collections.abc import Sequence

from .tex import Names, tex
from .tree import Node, Sum
from .width import width

#: Characters that a line is at least filled to, of those that it has room for.
FILLED = 0.45


# --- text ------------------------------------------------------------------------------------
def fold(text: str, width: int, first: int = 0, hang: int = 0) -> list[str]:
    """A formula in lines of a width, broken at blanks or behind a ``*`` as far out as can be."""
    lines: list[str] = []
    rest, indent = text, first
    while len(rest) > (room := max(width - indent, 8)):
        at = _break(rest, room)
        if at is None:
            break
        lines.append(" " * indent + rest[:at].rstrip())
        rest, indent = rest[at:].lstrip(), hang
    return [*lines, " " * indent + rest]


def _break(text: str, room: int) -> int | None:
    """Where to break: before a sign with as few parentheses open as possible, as late as can be."""
    depth = 0
    places: list[tuple[float, int]] = []
    for at, character in enumerate(text):
        if at > room and any(p <= room for _, p in places):
            break
        depth += (character in "([{") - (character in ")]}")
        if character == " " and text[at + 1 : at + 2] in ("+", "-", "=", "<", ">"):
            places.append((depth, at))
        elif character == " " and text[at + 1 : at + 2] == " ":  # between things side by side
            places.append((depth - 1, at))
        elif character == " " and not (at and text[at - 1] in "+-=<>"):
            places.append((depth, at))
        elif character == "*" and text[at + 1 : at + 2] != "*" and text[at - 1 : at] != "*":
            places.append((depth + 0.5, at + 1))
        elif character == "/":
            places.append((depth + 0.5, at))
    fitting = [p for p in places if p[1] <= room]
    late = [p for p in fitting if p[1] >= FILLED * room]
    if late:
        least = min(d for d, _ in late)
        return max(at for d, at in late if d == least)
    if fitting:
        return max(at for _, at in fitting)
    return min((at for _, at in places), default=None)


# --- LaTeX -------------------------------------------------------------------------------------
#: Points that a sign takes, with its room; and the text of an article.
OPERATOR, POINTS = 12.2, 345.0


def points(node: Node, name: Names) -> float:
    """How wide LaTeX will be, in points, at ten points."""
    return width(tex(node, name))


def stacked(written: str, room: float) -> str:
    """A case distinction with its conditions below the values, if they do not fit beside them."""
    if not written.startswith(r"\begin{cases}") or width(written) <= room:
        return written
    return written.replace(" & ", r" \\ \quad ")


def rows(node: Node, name: Names, room: float = POINTS) -> list[str]:
    """LaTeX in rows that fit, if it is a sum: each but the first begins with its sign."""
    if not isinstance(node, Sum) or points(node, name) <= room:
        return [stacked(tex(node, name), room)]
    found: list[list[tuple[bool, Node]]] = [[]]
    used = 0.0
    for term in node.terms:
        width = points(term[1], name) + OPERATOR
        if found[-1] and used + width > room:
            found.append([])
            used = OPERATOR
        found[-1].append(term)
        used += width
    return [_row(part, name, first=k == 0) for k, part in enumerate(found)]


def _row(terms: Sequence[tuple[bool, Node]], name: Names, *, first: bool) -> str:
    text = tex(Sum(tuple(terms)), name) if len(terms) > 1 or terms[0][0] else tex(terms[0][1], name)
    if first:
        return text
    return text if terms[0][0] else f"+ {text}"

"""Lines that fit: text is broken at the signs that bind least, LaTeX between terms."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .tex import Names, is_tall, tex
from .tree import Call, Limited, Name, Node, Number, Other, Power, Product, Sum

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
#: Widths in points at ten points, roughly: a letter, a digit, a sign with its room, a parenthesis.
LETTER, FIGURE, OPERATOR, PARENTHESIS, TALL = 6.0, 5.0, 12.2, 3.9, 7.0
SCRIPT = 0.72  #: of what stands up
POINTS = 345.0  #: the text of an article


def points(node: Node, name: Names) -> float:
    """How wide LaTeX will be, in points, at ten points: rather too wide than too narrow."""
    if isinstance(node, Number):
        return FIGURE * len(str(node.value))
    if isinstance(node, Name):
        return _letters(name(node.symbol))
    if isinstance(node, Sum):
        inner = sum(points(p, name) + _held(p, Sum) for _, p in node.terms)
        return inner + OPERATOR * (len(node.terms) - 1) + 8.0 * node.terms[0][0]
    if isinstance(node, Product):
        above = sum(points(f, name) + _held(f, Sum, len(node.above) > 1) for f in node.above)
        below = sum(points(f, name) + _held(f, Sum, len(node.below) > 1) for f in node.below)
        return max(above, below) + (2.5 if node.below else 0.0)
    if isinstance(node, Power):
        held = _held(node.base, (Sum, Product))
        return points(node.base, name) + held + SCRIPT * points(node.exponent, name)
    if isinstance(node, Call):
        inner = sum(points(a, name) for a in node.arguments)
        written = tex(node, name)
        if written.startswith("e^"):
            return 5.0 + SCRIPT * _slanted(node.arguments[0], name)
        if node.function == "sqrt":
            return 9.0 + inner
        tall = any(map(is_tall, node.arguments))
        return 17.0 + 2 * (TALL if tall else PARENTHESIS) + inner + 6.0 * (len(node.arguments) - 1)
    if isinstance(node, Limited):
        return points(node.of, name) + 36.0
    assert isinstance(node, Other)
    return 30.0 + max((points(p, name) for _, p in node.parts), default=0.0) + 60.0


def _slanted(node: Node, name: Names) -> float:
    if isinstance(node, Product) and node.below:
        sides = [points(Product(s), name) if s else FIGURE for s in (node.above, node.below)]
        return sum(sides) + FIGURE + 2 * PARENTHESIS
    if isinstance(node, Sum):
        return sum(_slanted(p, name) for _, p in node.terms) + OPERATOR * len(node.terms)
    return points(node, name)


def _held(node: Node, kinds: type | tuple[type, ...], several: bool = True) -> float:
    if not several or not isinstance(node, kinds):
        return 0.0
    return 2 * (TALL if is_tall(node) else PARENTHESIS + 1.5)


def _letters(written: str) -> float:
    r"""``g_{\mathrm{same\ class}}``: a letter or a word, and an index that is smaller."""
    base, _, index = written.partition("_")
    count = len(index.replace("\\mathrm", "").replace("\\text", "").strip("{}^\\ "))
    first = len(_SIGNS_OF_A_NAME.findall(_FONTS.sub("", base)))
    wide = LETTER if first < 2 or "^" in base else 5.2 * first
    return wide + SCRIPT * 5.2 * count + (3.0 if "^" in base else 0.0)


#: Fonts and accents, which take no room, and what does in a name.
_FONTS = re.compile(r"\\(?:math[a-z]+|text|operatorname|tilde|hat|bar|dot|vec|left|right)\b")
_SIGNS_OF_A_NAME = re.compile(r"\\[A-Za-z]+|\\.|[^\\{}^\s]")


def rows(node: Node, name: Names, room: float = POINTS) -> list[str]:
    """LaTeX in rows that fit, if it is a sum: each but the first begins with its sign."""
    if not isinstance(node, Sum) or points(node, name) <= room:
        return [tex(node, name)]
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

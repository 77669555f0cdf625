r"""What stands above a relation or below a brace: a label that changes nothing, or a refusal.

``\overset{(a)}{=}`` is an equation with a label. ``\overset{?}{=}`` is none, so that what a
note may be is listed here, and everything else is refused.
"""

from __future__ import annotations

import re

from .items import Items, flat
from .statement import TexError
from .tokens import Token, show
from .vocabulary import BLANKS, FONTS, QUADS, REFERENCES, RELATIONS, THIN

#: (a), (ii), 1, (3.2), A.7; a bare letter may be more than a label: d is "in distribution".
_NUMBER = r"[A-Z]?\.?[0-9]{1,3}(\.[0-9]{1,3}){0,2}[a-z]?"
_LABEL = re.compile(rf"\(([a-z]|[ivx]{{1,4}}|{_NUMBER})\)|[abc]|[ivx]{{1,4}}|{_NUMBER}", re.ASCII)
_MARKS = re.compile(r"(\*|\\ast|\\star|\\dagger|\\ddagger|\\triangle|\\Delta|\\P|\\S){1,3}")
_WORDS = set(
    "def def. by from due to using definition lemma lem lem. theorem thm thm. proposition prop "
    "prop. corollary cor cor. equation eq eq. eqn eqs and assumption remark section see".split()
)
#: Words in the label of a brace that say that the formula is not what it seems.
_TAKING_BACK = set(
    "not no never approx approximately almost nearly about roughly unless except wrong false if "
    "when for only minus times plus without ignore ignored drop dropped replaced by to small large "
    "negligible vanishes zero error bound bounds order squared inverse conjecture conjectured or "
    "unproved unproven heuristic heuristically informal informally upto numerically".split()
)
_LENGTH = re.compile(r"-([0-9]*\.?[0-9]*)(pt|em|ex|mm|cm|in|mu)")
#: Points in a unit of length, roughly; further back a sign is set over another one.
_POINTS = {"pt": 1.0, "em": 10.0, "ex": 4.5, "mm": 2.8, "cm": 28.0, "in": 72.0, "mu": 0.56}
FURTHEST = 4.0


def _printed(items: Items) -> str:
    """The text of a note without spacing, braces and fonts; a reference is a number."""
    out = ""
    waiting = False  # for the argument of a reference
    for item in items:
        text = item.token.text
        out += " " if item.blank else ""
        if item.is_group:
            out += "" if waiting else _printed(item.inside or [])
            waiting = False
        elif item.inside is not None:
            return "\\?"
        elif text in REFERENCES:
            waiting = True
            out += " 1 "
        elif text in THIN | BLANKS | QUADS:
            out += "" if text in ("\\,", "\\!") else " "
        elif text not in FONTS and text != "$":
            out += text
    return " ".join(out.split())


def check_note(items: Items, command: Token) -> None:
    """Accept a label, a reference or ``def`` above a relation.

    Raises
    ------
    TexError
        If the note may say that the relation does not hold as it stands.
    """
    text = _printed(items)
    words = [w.strip("(),;:") for w in text.replace("~", " ").split()]
    if not text or _LABEL.fullmatch(text) or _MARKS.fullmatch(text.strip("()")):
        return
    if not all(w.lower() in _WORDS or _LABEL.fullmatch(w) or not w for w in words):
        raise TexError(
            f"{show(text)} at a relation may change what it says: only labels such as (a), "
            "references and 'def' are accepted there",
            command.at,
        )


def check_overlap(items: Items, command: Token) -> None:
    """Accept a small negative space.

    Raises
    ------
    TexError
        If it may set one sign over another, or its length is not known.
    """
    length = _LENGTH.fullmatch("".join(t.text for t in flat(items) if t.kind != "space"))
    if length is None or float(length[1] or 0) * _POINTS[length[2]] > FURTHEST:
        raise TexError(f"{show(command.text)} backwards may set a sign over another", command.at)


def check_label(items: Items, command: Token) -> None:
    """Accept a name or a few words at a horizontal brace, or in place of the number.

    Raises
    ------
    TexError
        If there is a relation in it, or a word that takes the formula back.
    """
    words = _printed(items).lower().replace("(", " ").replace(")", " ").split()
    strange = {"\\approx", "\\sim", "\\to", "\\rightarrow", "\\not", "?", "!", "\\?", "\\equiv"}
    for token in flat(items):
        if token.text in strange or (token.kind == "command" and token.text in RELATIONS):
            words = ["not"]
        elif token.kind == "char" and token.text in "=<>":
            words = ["not"]
    if _TAKING_BACK & {w.strip(".,;:") for w in words}:
        raise TexError(
            f"a label in {show(command.text)} that may change what the formula says: "
            "only a name is accepted there",
            command.at,
        )

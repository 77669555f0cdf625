"""What a directive says: which quantities an equation states, in which letters, where.

    supcl-threshold.alpha_min [\\tau -> tau, N^- -> n-2] (m = 10, n = oo) allow-sampled

The text is only taken apart here. Whether the result exists, and what the letters and the
values mean, is decided where the equation is compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..frozen import FrozenValue

if TYPE_CHECKING:
    from ..language.statement import Relation

MAX_LENGTH = 4000  #: characters of a directive

ACCEPTED = (
    "accepted: [not] RESULT.QUANTITY {, RESULT.QUANTITY} [LATEX -> EXPRESSION, ...] "
    "(PARAMETER = VALUE, ...) allow-sampled allow-removable inline"
)
#: Words that may stand at the end of a directive, and the field that each one sets.
_WORDS = {
    "allow-sampled": "allow_sampled",
    "allow-removable": "allow_removable",
    "inline": "inline",
}
#: What a sign that has several meanings may be declared to mean: ``[\equiv -> =]``.
_RELATIONS: Mapping[str, Relation] = {
    "=": "=",
    ":=": "=",
    "<": "<",
    "<=": "<=",
    ">": ">",
    ">=": ">=",
}
#: One quantity, and whether a comma says that another one follows.
_QUANTITY = re.compile(r"\s*([a-z0-9]+(?:-[a-z0-9]+)*)\.([A-Za-z]\w*)(?:\s*(,)|(?=[\s\[(]|\Z))")
#: What begins a remark after a directive.
_COMMENT = re.compile(r"(?<=\s)%")
_CLOSE = {"[": "]", "(": ")", "{": "}"}
_DEPTH = {**dict.fromkeys(_CLOSE, 1), **dict.fromkeys(_CLOSE.values(), -1)}
_CHARACTER = re.compile(r"\\.|\\\Z|(.)", re.DOTALL)


class DirectiveError(ValueError):
    """The directive could not be read; the message is one line."""


class Directive(FrozenValue):
    """What stands after ``cltheory:``.

    Attributes
    ----------
    result_id, quantities
        What the equation states; two quantities are the ends of an interval.
    names
        LaTeX name -> expression in the result's symbols, as text.
    values
        Parameter -> exact value, as text.
    allow_sampled
        Whether agreement at sampled points is enough.
    negated
        Whether the equation states the complement of the condition: ``not RESULT.QUANTITY``.
    allow_removable
        Whether the formula may have no value at places where it has a limit, as
        ``(x^2 - 1)/(x - 1)`` at 1.
    inline
        Whether the equation is the next formula with a relation in the text, ``$...$``.
    relations
        LaTeX sign -> relation that it stands for: ``\\equiv -> =``.
    letters
        As ``names``, said once for a file; what means nothing for the result is passed over.
    """

    result_id: str
    quantities: tuple[str, ...]
    names: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    allow_sampled: bool = False
    negated: bool = False
    allow_removable: bool = False
    inline: bool = False
    relations: Mapping[str, Relation] = field(default_factory=dict)
    letters: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The quantities in full, as they are written."""
        names = ", ".join(f"{self.result_id}.{q}" for q in self.quantities)
        return f"not {names}" if self.negated else names


def directive(text: str) -> Directive:
    """Read what stands after ``cltheory:``.

    Raises
    ------
    DirectiveError
        If it is not a directive; the message is one line and says what is accepted.
    """
    text = _COMMENT.split(text, maxsplit=1)[0]
    if len(text) > MAX_LENGTH:
        raise DirectiveError(f"a directive of {len(text)} characters (at most {MAX_LENGTH})")
    negated = text.split(maxsplit=1)[:1] == ["not"]
    if negated:
        text = text.split(maxsplit=1)[1] if len(text.split(maxsplit=1)) > 1 else ""
    result_id, quantities, at = _quantities(text)
    names: dict[str, str] | None = None
    values: dict[str, str] | None = None
    words: dict[str, Any] = {}
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        if text[at] == "[" and names is None:
            inside, at = _bracket(text, at)
            names = _pairs(inside, "->", r"[LATEX -> EXPRESSION, ...]")
        elif text[at] == "(" and values is None:
            inside, at = _bracket(text, at)
            values = _pairs(inside, "=", "(PARAMETER = VALUE, ...)")
        else:
            word = text[at:].split(maxsplit=1)[0]
            if word not in _WORDS or _WORDS[word] in words:
                raise DirectiveError(f"unexpected {_short(word)!r} in the directive; {ACCEPTED}")
            words[_WORDS[word]], at = True, at + len(word)
    letters, signs = _apart(names or {})
    return Directive(
        result_id, quantities, letters, values or {}, negated=negated, relations=signs, **words
    )


def is_map(text: str) -> bool:
    """Whether a directive says what letters stand for, in all equations of its file."""
    return text.lstrip().startswith("[")


def letters_of(text: str) -> dict[str, str]:
    """Read ``[T -> tau, k -> m - 1]``, which stands alone.

    Raises
    ------
    DirectiveError
        If it is not that; the message is one line.
    """
    text = _COMMENT.split(text, maxsplit=1)[0].strip()
    inside, end = _bracket(text, 0)
    if text[end:].strip():
        raise DirectiveError(
            f"unexpected {_short(text[end:].strip())!r} after the letters of a file"
        )
    found, signs = _apart(_pairs(inside, "->", r"[LATEX -> EXPRESSION, ...]"))
    if signs:
        raise DirectiveError("a sign is declared for one equation: give it in its directive")
    return found


def _apart(names: Mapping[str, str]) -> tuple[dict[str, str], dict[str, Relation]]:
    """Names of quantities and letters, and signs that stand for a relation."""
    signs = {k: _RELATIONS[v] for k, v in names.items() if v in _RELATIONS}
    return {k: v for k, v in names.items() if k not in signs}, signs


def _quantities(text: str) -> tuple[str, tuple[str, ...], int]:
    ids, names, at = [], [], 0
    while True:
        found = _QUANTITY.match(text, at)
        if found is None:
            word = [*text[at:].split(maxsplit=1), ""][0]
            raise DirectiveError(
                f"{_short(word) or 'nothing'!r} is not RESULT.QUANTITY, such as "
                "supcl-threshold.alpha_min"
            )
        ids.append(found[1])
        names.append(found[2])
        at = found.end()
        if not found[3]:
            break
    if len(set(ids)) > 1:
        raise DirectiveError(
            f"the quantities of one equation must belong to one result, not to {ids}"
        )
    return ids[0], tuple(names), at


def unclosed(text: str) -> bool:
    """Whether a bracket is still open at the end, so that the directive may go on."""
    return sum(_DEPTH.get(letter, 0) for _, letter in _plain(text)) > 0


def _plain(text: str, at: int = 0) -> Iterator[tuple[int, str]]:
    """Places from ``at`` on, and the characters there, that no backslash stands before."""
    for found in _CHARACTER.finditer(text, at):
        if found[1]:
            yield found.start(), found[1]


def _bracket(text: str, at: int) -> tuple[str, int]:
    """The inside of the bracket at ``at``, and the place after it."""
    waiting: list[str] = []
    for k, letter in _plain(text, at):
        if letter in _CLOSE:
            waiting.append(_CLOSE[letter])
        elif letter in _CLOSE.values():
            if letter != waiting.pop():
                raise DirectiveError(f"unbalanced brackets in the directive; {ACCEPTED}")
            if not waiting:
                return text[at + 1 : k], k + 1
    raise DirectiveError(f"{text[at]} is not closed in the directive; {ACCEPTED}")


def _pairs(text: str, sign: str, accepted: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in _split(text):
        name, between, value = (piece.strip() for piece in part.partition(sign))
        if not (name and between and value):
            raise DirectiveError(f"{_short(part.strip())!r} is not of the form {accepted}")
        if name in found:
            raise DirectiveError(f"{_short(name)!r} is given twice in the directive")
        found[name] = value
    return found


def _split(text: str) -> list[str]:
    """Parts between commas that stand in no bracket; none for a blank text."""
    depth, cuts = 0, [-1]
    for k, letter in _plain(text):
        depth += _DEPTH.get(letter, 0)
        if letter == "," and depth == 0:
            cuts.append(k)
    parts = [text[a + 1 : b] for a, b in pairwise([*cuts, len(text)])]
    return parts if text.strip() else []


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."

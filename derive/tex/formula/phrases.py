r"""Names that are phrases: ``\|\nabla_z \mathcal{L}\|^2``, ``\mathbb{E}[\epsilon^2]``.

They are found before anything is cut into units, whatever stands in them: two
phrases are the same if they print the same. Each gives way to one item of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from sympy import Expr

from ...language import vocabulary
from ...language.items import Item, Items, tree
from ...language.plain import plain
from ...language.statement import TexError
from ...language.tokens import show, tokenise
from ...language.vocabulary import RELATIONS, STATED

_SAME = {
    **dict.fromkeys(("\\lVert", "\\rVert", "\\Vert"), "\\|"),
    **dict.fromkeys(("\\lvert", "\\rvert", "\\vert"), "|"),
    **dict.fromkeys(vocabulary.FRACTIONS, "\\frac"),
    **{"\\lbrace": "\\{", "\\rbrace": "\\}", "\\lbrack": "[", "\\rbrack": "]", "\\ast": "*"},
    **{"\\leq": "\\le", "\\geq": "\\ge", "\\neq": "\\ne", "\\intercal": "\\top", "'": "\\prime"},
}
_SIZING = vocabulary.SIZES | {"\\left", "\\right", "\\middle"}
_UNPRINTED = vocabulary.THIN | vocabulary.SILENT | vocabulary.BLANKS | _SIZING
_WITH_ARGUMENT = vocabulary.FRACTIONS | vocabulary.ACCENTS | vocabulary.KEPT_FONTS | {"\\sqrt"}
#: What ends a side of a relation, besides relations.
_ENDS = {*vocabulary.MARKS, *vocabulary.QUADS, *STATED}
#: The name of the token that stands for a phrase; no command is spelled so.
_PLACE = "\\cl@{}"


@dataclass(frozen=True)
class Atom:
    """A sign with its scripts and arguments as one text, and the items that it is.

    In a group only the first atom has the start of the items around it, and the last the end;
    ``power`` is where the superscript of a norm begins.
    """

    text: str
    start: int = -1
    end: int = -1
    power: int = -1


@dataclass(frozen=True)
class Phrase:
    """What is looked for, and what it means.

    Attributes
    ----------
    whole
        Whether it is one only as a whole side of a relation: a fraction is a name there, and
        part of a formula elsewhere.
    first
        Whether it is one only at the beginning: it means something else after that.
    """

    atoms: tuple[str, ...]
    meaning: Expr
    whole: bool = False
    first: bool = False


def phrase(text: str) -> tuple[str, ...]:
    """How a phrase is looked for."""
    return tuple(a.text for a in _atoms(plain(tree(tokenise(text)))))


def split_at_relation(atoms: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The sides of a relation that stands in no bracket."""
    at, depth = [-1], 0
    for k, atom in enumerate(atoms):
        depth += atom.startswith(("(", "[", "\\{", "\\begin{"))
        depth -= atom.startswith((")", "]", "\\}", "\\end{"))
        if atom in RELATIONS and not depth:
            at.append(k)
    return [atoms[a + 1 : b] for a, b in pairwise([*at, len(atoms)])]


def is_closed(atoms: Sequence[str]) -> bool:
    """Whether a phrase is one thing wherever it stands: nothing in it binds to what is beside it.

    It is no name that could be spelled, and begins with no number.
    """
    depth = bars = 0
    for atom in atoms:
        sign = atom[:2] if atom[:1] == "\\" else atom[:1]
        if sign == "\\|" or sign == "|":
            bars += 1
        depth += (sign in ("(", "[", "\\{")) - (sign in (")", "]", "\\}"))
        loose = atom in {"+", "-", "/", "\\cdot", "\\times"} or atom in RELATIONS or _ends(atom)
        if loose and not depth and bars % 2 == 0:
            return False
    return not depth and bars % 2 == 0 and not atoms[0][0].isdigit()


@dataclass(frozen=True)
class Phrases:
    """The phrases that are known."""

    known: tuple[Phrase, ...] = ()

    def meanings(self) -> dict[str, Expr]:
        """What each token that stands for a phrase means."""
        return {_PLACE.format(k): p.meaning for k, p in enumerate(self.known)}

    def put(self, items: Items) -> Items:
        """The items with one of its own for each phrase."""
        return self._put(items, [], outer=True) if self.known else items

    def _put(self, items: Items, before: list[Atom], *, outer: bool) -> Items:
        """The same for items that stand after atoms, if they are no group of their own."""
        found: dict[int, tuple[int, int]] = {}  # where one begins: where it ends, and which
        atoms = [*before, *_atoms(items)]
        for k in range(len(before), len(atoms)):
            which = self._at(atoms, k, outer)
            if which is not None:
                last = atoms[k + len(self.known[which].atoms) - 1]
                raised = last.text != self.known[which].atoms[-1]
                start, end = atoms[k].start, last.power if raised else last.end
                if start >= 0 and end >= 0:
                    found.setdefault(start, (end, which))
        out: Items = []
        at = 0
        while at < len(items):
            item = items[at]
            if at in found:
                at, which = found[at]
                place = replace(item.token, kind="command", text=_PLACE.format(which))
                out.append(Item(place, blank=item.blank))
                continue
            if item.is_group:
                item = replace(item, inside=self._put(item.inside or [], [], outer=False))
            elif item.inside is not None:
                around = [*before, *_atoms(items[:at]), Atom(f"\\begin{{{item.token.text}}}")]
                item = replace(item, inside=self._put(item.inside, around, outer=outer))
            out.append(item)
            at += 1
        return out

    def _at(self, atoms: Sequence[Atom], k: int, outer: bool) -> int | None:
        """Which phrase begins at an atom: the longest."""
        best: int | None = None
        for which, p in enumerate(self.known):
            size = len(p.atoms)
            if best is not None and size <= len(self.known[best].atoms):
                continue
            here = [a.text for a in atoms[k : k + size]]
            if here and atoms[k + len(here) - 1].power >= 0 and not p.whole:
                here[-1] = p.atoms[-1] if here[-1].startswith(p.atoms[-1] + "^") else here[-1]
            if tuple(here) != p.atoms:
                continue
            if p.whole:
                before = next((a.text for a in reversed(atoms[:k]) if a.text != "&"), "")
                after = next((a.text for a in atoms[k + size :] if a.text != "&"), "")
                told = [s in RELATIONS or s in STATED or s == ":" for s in (before, after)]
                bare = [not s or _ends(s) for s in (before, after)]
                if not outer or not any(told) or not all(map(max, told, bare)):
                    continue
                if p.first and any(a.text in RELATIONS for a in atoms[:k]):
                    continue
            best = which
        return best


def _atoms(items: Items) -> list[Atom]:
    """Items as atoms; what only sets the size of a bracket belongs to it."""
    out: list[Atom] = []
    start = 0
    while (k := _printed(items, start)) < len(items):
        found, after = _with_scripts(*_next(items, k), items)
        sized = [j for j in range(start, k) if items[j].token.text in _SIZING]
        if found and sized and found[0].start >= 0:
            found[0] = replace(found[0], start=sized[0])
        out += found
        start = after
    return out


def _printed(items: Items, k: int) -> int:
    """The first place from ``k`` on with something that prints."""
    while k < len(items) and items[k].token.kind == "command" and items[k].token.text in _UNPRINTED:
        k += 1
    return k


def _next(items: Items, k: int) -> tuple[list[Atom], int]:
    """The atoms of the item at ``k``, without scripts, and the place after them."""
    item = items[k]
    if item.inside is None:
        text, after = _one(items, k)
        return [Atom(text, k, after)], after
    if item.is_group:
        found = [replace(a, start=-1, end=-1, power=-1) for a in _atoms(item.inside)]
    else:
        columns = item.token.text in ("array", "alignedat")  # how they are set
        inside = _atoms(item.inside[columns:])
        ends = (Atom(f"\\{edge}{{{item.token.text}}}") for edge in ("begin", "end"))
        found = [next(ends), *(replace(a, start=-1, end=-1, power=-1) for a in inside), next(ends)]
    if found:
        found[0] = replace(found[0], start=k)
        found[-1] = replace(found[-1], end=k + 1)
    return found, k + 1


def _one(items: Items, k: int) -> tuple[str, int]:
    """The text of a token with its arguments, without scripts, and the place after it."""
    token = items[k].token
    text = token.text
    if items[k].is_script:
        raise TexError(f"{show(text)} with nothing before it", token.at)
    if text in vocabulary.FONTS:
        star = k + 1 < len(items) and items[k + 1].token.text == "*"
        letters, after = _argument(items, k + 1 + star)
        is_words = text in vocabulary.TEXT and not letters.isalnum()
        return "," if is_words else letters, after
    if text in _WITH_ARGUMENT:
        spelled, after = _SAME.get(text, text), k + 1
        for _ in range(2 if text in vocabulary.FRACTIONS else 1):
            inside, after = _argument(items, after)
            spelled += "{" + inside + "}"
        return spelled, after
    around = {i.token.text for i in items[max(k - 1, 0) : k + 2 : 2]}
    other = k + 1 + (len(around) == 1 and around <= _SIZING)
    bars = other < len(items) and items[other].token.text == text == "|"
    if bars and not any(item.blank for item in items[k + 1 : other + 1]):
        return "\\|", other + 1
    if text[1:] in vocabulary.OPERATOR_WORDS and token.kind == "command":
        return text[1:], k + 1
    return _SAME.get(text, text), k + 1


def _argument(items: Items, k: int) -> tuple[str, int]:
    """The text of the argument at ``k``, and the place after it."""
    k = _printed(items, k)
    if k >= len(items):
        raise TexError("an argument is missing", items[-1].token.at)
    if items[k].is_group:
        found, after = [a.text for a in _atoms(items[k].inside or [])], k + 1
    else:
        text, after = _one(items, k)
        found = [text]
    return "".join(
        f" {t}" if i and _runs_on(found[i - 1], t) else t for i, t in enumerate(found)
    ), after


def _with_scripts(atoms: list[Atom], k: int, items: Items) -> tuple[list[Atom], int]:
    """The atoms with the scripts that follow on the last of them, and the place after these."""
    sub, sup, power = "", "", -1
    while (at := _printed(items, k)) < len(items) and items[at].is_script:
        mark = items[at].token.text
        if mark == "'":
            sup, k = sup + "\\prime", at + 1
            continue
        inside, k = _argument(items, at + 1)
        if mark == "_":
            sub += inside
        else:
            power = at
            sup += inside
    if not (sub or sup) or not atoms:
        return atoms, k
    last = atoms[-1]
    if last.text == "\\|" and sub == "2":
        sub = ""  # the Euclidean norm, said or not
    text = last.text + (f"_{{{sub}}}" if sub else "") + (f"^{{{sup}}}" if sup else "")
    power = power if last.text in ("\\|", "|") else -1
    return [*atoms[:-1], replace(last, text=text, end=k, power=power)], k


def _ends(atom: str) -> bool:
    """Whether a formula begins or ends at this: a mark, or the edge of an environment."""
    return atom in _ENDS or atom.startswith(("\\begin{", "\\end{"))


def _runs_on(before: str, after: str) -> bool:
    """Whether a letter would run on a control word."""
    return before in vocabulary.LETTERS and after[:1].isalpha()

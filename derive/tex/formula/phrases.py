r"""Names that are phrases: ``\|\nabla_z \mathcal{L}\|^2``, ``\mathbb{E}[\epsilon^2]``.

They are found in the tokens, before anything is cut into units, whatever stands in them: two
phrases are the same if they print the same. Each gives way to one token of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from sympy import Expr

from ...language.statement import TexError
from ...language.tokens import Token, closing, show, tokenise
from ...language.vocabulary import (
    ACCENTS,
    BLANKS,
    FONTS,
    FRACTIONS,
    KEPT_FONTS,
    LETTERS,
    MARKS,
    OPERATOR_WORDS,
    QUADS,
    RELATIONS,
    SILENT,
    SIZES,
    STATED,
    TEXT,
    THIN,
)
from .plain import plain

_SAME = {
    **dict.fromkeys(("\\lVert", "\\rVert", "\\Vert"), "\\|"),
    **dict.fromkeys(("\\lvert", "\\rvert", "\\vert"), "|"),
    **dict.fromkeys(FRACTIONS, "\\frac"),
    **{"\\lbrace": "\\{", "\\rbrace": "\\}", "\\lbrack": "[", "\\rbrack": "]", "\\ast": "*"},
    **{"\\leq": "\\le", "\\geq": "\\ge", "\\neq": "\\ne", "\\intercal": "\\top", "'": "\\prime"},
}
_SIZING = SIZES | {"\\left", "\\right", "\\middle"}
_UNPRINTED = THIN | SILENT | BLANKS | _SIZING
#: What ends a side of a relation, besides relations.
_ENDS = {*MARKS, *QUADS, *STATED}
#: The name of the token that stands for a phrase; no command is spelled so.
_PLACE = "\\cl@{}"


@dataclass(frozen=True)
class Atom:
    """A sign with its scripts and arguments as one text, and the tokens that it is."""

    text: str
    start: int
    end: int
    power: int = -1  #: where the superscript of a norm begins


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
    tokens = plain(tokenise(text))
    return tuple(a.text for a in _Atoms(tokens).of(0, len(tokens)))


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

    def put(self, tokens: list[Token]) -> list[Token]:
        """The tokens with one of its own for each phrase."""
        if not self.known:
            return tokens
        tokens = plain(tokens)
        found: dict[int, tuple[int, int]] = {}  # where one begins: where it ends, and which
        reader = _Atoms(tokens)
        inner = [(a + 1, b) for a, b in reader.partner.items() if tokens[a].kind == "char"]
        for start, end in [(0, len(tokens)), *inner]:
            atoms = reader.of(start, end)
            for k in range(len(atoms)):
                which = self._at(atoms, k, outer=start == 0 and end == len(tokens))
                if which is not None:
                    atom = atoms[k + len(self.known[which].atoms) - 1]
                    raised = atom.text != self.known[which].atoms[-1]
                    first, last = atoms[k].start, atom.power if raised else atom.end
                    signs = [t.text for t in tokens[first:last] if t.kind == "char"]
                    if signs.count("{") == signs.count("}"):
                        found.setdefault(first, (last, which))
        out: list[Token] = []
        at = 0
        while at < len(tokens):
            if at in found:
                end, which = found[at]
                out.append(Token("command", _PLACE.format(which), tokens[at].at))
                at = end
            else:
                out.append(tokens[at])
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


class _Atoms:
    """Cuts tokens into atoms."""

    def __init__(self, tokens: list[Token]):
        self.tokens = tokens
        self.partner = closing(tokens)

    def of(self, start: int, end: int) -> list[Atom]:
        """The atoms of a range."""
        return list(self._atoms(start, end))

    def _atoms(self, start: int, end: int) -> Iterator[Atom]:
        k = start
        while (at := self._skip(k, end)) < end:
            sized = [j for j in range(k, at) if self.tokens[j].text in _SIZING]
            found = self._with_scripts(self._next(at, end), end)
            if found and sized:
                found[0] = replace(found[0], start=sized[0])
            yield from found
            k = self._after

    def _next(self, k: int, end: int) -> list[Atom]:
        """The atoms of the token or group at ``k``, without scripts."""
        token = self.tokens[k]
        if token.kind in ("begin", "end"):
            self._after = k + 1
            at = self._skip(k + 1, end)
            if token.kind == "begin" and token.text in ("array", "alignedat"):
                self._after = self.partner.get(at, k) + 1  # how columns are set
            return [Atom(f"\\{token.kind}{{{token.text}}}", k, self._after)]
        if token.text != "{" or token.kind != "char":
            return self._one(k, end)
        found = list(self._atoms(k + 1, self.partner[k]))
        self._after = self.partner[k] + 1
        if found:
            found[0] = replace(found[0], start=k)
            found[-1] = replace(found[-1], end=self._after)
        return found

    _after = 0  #: the place after what was cut last

    @staticmethod
    def _unprinted(token: Token) -> bool:
        return token.kind == "space" or (token.kind == "command" and token.text in _UNPRINTED)

    def _skip(self, k: int, end: int) -> int:
        while k < end and self._unprinted(self.tokens[k]):
            k += 1
        return k

    def _one(self, k: int, end: int) -> list[Atom]:
        """The atoms of a token with its arguments, without scripts."""
        token = self.tokens[k]
        text = token.text
        self._after = k + 1
        if text in ("_", "^", "'"):
            raise TexError(f"{show(text)} with nothing before it", token.at)
        if text in TEXT and not "".join(self._argument(k + 1, end)).isalnum():
            return [Atom(",", k, self._after)]  # words
        if text in FONTS:
            star = k + 1 < end and self.tokens[k + 1].text == "*"
            letters = self._argument(k + 1 + star, end)
            return [Atom("".join(letters), k, self._after)]
        if token.kind == "command" and text in FRACTIONS | ACCENTS | KEPT_FONTS | {"\\sqrt"}:
            spelled = _SAME.get(text, text)
            for _ in range(2 if text in FRACTIONS else 1):
                spelled += "{" + "".join(self._argument(self._after, end)) + "}"
            return [Atom(spelled, k, self._after)]
        around = {t.text for t in self.tokens[max(k - 1, 0) : k + 2 : 2]}
        other = k + 1 + (len(around) == 1 and around <= _SIZING)
        if text == "|" and other < end and self.tokens[other].text == "|":
            self._after = other + 1
            return [Atom("\\|", k, other + 1)]
        if text[1:] in OPERATOR_WORDS and token.kind == "command":
            return [Atom(text[1:], k, k + 1)]
        return [Atom(_SAME.get(text, text), k, k + 1)]

    def _argument(self, k: int, end: int) -> list[str]:
        """The texts of the argument at ``k``."""
        k = self._skip(k, end)
        if k >= end:
            raise TexError("an argument is missing", self.tokens[k - 1].at)
        if self.tokens[k].text == "{" and self.tokens[k].kind == "char":
            found = [a.text for a in self._atoms(k + 1, self.partner[k])]
            self._after = self.partner[k] + 1
        else:
            found = [a.text for a in self._one(k, end)]
        return [f" {t}" if i and _runs_on(found[i - 1], t) else t for i, t in enumerate(found)]

    def _with_scripts(self, atoms: list[Atom], end: int) -> list[Atom]:
        """The atoms with the scripts that follow on the last of them."""
        sub, sup, k, power = "", "", self._after, -1
        while (at := self._skip(k, end)) < end:
            mark = self.tokens[at]
            if mark.kind != "char" or mark.text not in ("_", "^", "'"):
                break
            self._after = at + 1
            if mark.text == "'":
                sup += "\\prime"
            elif mark.text == "_":
                sub += "".join(self._argument(at + 1, end))
            else:
                power = at
                sup += "".join(self._argument(at + 1, end))
            k = self._after
        self._after = k
        if not (sub or sup) or not atoms:
            return atoms
        last = atoms[-1]
        if last.text == "\\|" and sub == "2":
            sub = ""  # the Euclidean norm, said or not
        scripts = (f"_{{{sub}}}" if sub else "") + (f"^{{{sup}}}" if sup else "")
        power = power if last.text in ("\\|", "|") else -1
        return [*atoms[:-1], Atom(last.text + scripts, last.start, k, power)]


def _ends(atom: str) -> bool:
    """Whether a formula begins or ends at this: a mark, or the edge of an environment."""
    return atom in _ENDS or atom.startswith(("\\begin{", "\\end{"))


def _runs_on(before: str, after: str) -> bool:
    """Whether a letter would run on a control word."""
    return before in LETTERS and after[:1].isalpha()

r"""The names that are known, found in a formula: the longest that fits, and never a part of one.

A name may be a phrase, whatever stands in it: ``\|\nabla_z \mathcal{L}\|^2``,
``\mathbb{E}[\epsilon^2]``. Two phrases are the same if they print the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from sympy import Expr

from ...language import vocabulary
from ...language.items import Items, tree
from ...language.plain import plain
from ...language.spelling import Unit, check_spelled, joined
from ...language.statement import TexError
from ...language.tokens import show, tokenise
from ...language.units import Formula, name_units

Piece = tuple[Unit, Expr | None]  #: a unit, and what it means if it is a known name

#: Signs that print the same, or nearly so.
_SAME = {
    **dict.fromkeys(("\\lVert", "\\rVert", "\\Vert"), "\\|"),
    **dict.fromkeys(("\\lvert", "\\rvert", "\\vert"), "|"),
    **dict.fromkeys((*vocabulary.FRACTIONS, "\\over"), "\\frac"),
    **{f"\\{word}": word for word in vocabulary.OPERATOR_WORDS},
    "\\intercal": "\\top",
    "\\ast": "*",
}
_RELATIONS = {*vocabulary.RELATIONS.values()}
_MARKS = {*vocabulary.MARKS, *vocabulary.QUADS, *vocabulary.STATED}
#: Kinds of units that a formula ends before.
_ENDS = {*vocabulary.MARKS.values(), "quad", "fence"}
_NEVER_NAMES = {"relation", "operator", "comma", "row", "amp", "quad", "cases", "frac", "sqrt",
                "fence", "number", "dot", "semicolon", "close"}  # fmt: skip


@dataclass(frozen=True)
class Phrase:
    """A name that is no single sign: what its units print, and what it means.

    Attributes
    ----------
    whole
        Whether it is one only as a whole side of a relation: a fraction is a name there, and
        part of a formula elsewhere.
    first
        Whether it is one only at the beginning: it means something else after that.
    """

    units: tuple[str, ...]
    meaning: Expr
    whole: bool = False
    first: bool = False


def phrase(text: str) -> tuple[str, ...]:
    """How a phrase is looked for."""
    units = [printed(u) for u in _units(plain(tree(tokenise(text))))]
    return tuple(unit.full for unit, _ in _with_norms(units))


def _with_norms(units: Sequence[Unit]) -> Iterator[tuple[Unit, int]]:
    """Units, and how many there are up to each; two bars are those of a norm."""
    k = 0
    while k < len(units):
        two = units[k : k + 2]
        is_norm = len(two) == 2 and two[0].full == two[1].text == "|" and two[0].kind == two[1].kind
        k += 1 + is_norm
        yield (replace(two[1], text="\\|") if is_norm else two[0]), k


def _units(items: Items) -> list[Unit]:
    return [u for u in Formula(items).units(items) if u.kind != "quad"]


def printed(unit: Unit) -> Unit:
    """The unit with everything that it prints as its text and scripts."""

    def inside(items: Items | None) -> str:
        return joined(printed(u).full for u in _units(items or []))

    text = (
        unit.text.removeprefix("\\operatorname{").removesuffix("}")
        if unit.kind == "word"
        else ("," if unit.kind == "text" else _SAME.get(unit.text, unit.text))
    )
    if unit.kind != "name":
        text += "".join(f"{{{inside(part)}}}" for part in unit.parts)
    elif "\\?" in text:
        text = text.replace("\\?", inside(unit.parts[0]))
    sub = inside(unit.index) if "\\?" in unit.sub else unit.sub
    sub = "" if text == "\\|" and sub == "2" else sub  # the Euclidean norm, said or not
    sup = inside(unit.power) if "\\?" in unit.sup else unit.sup
    return replace(unit, text=text, sub=sub, sup=sup)


def split_at_relation(units: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The sides of a relation that stands in no bracket."""
    at, depth = [-1], 0
    for k, unit in enumerate(units):
        depth += unit.startswith(("(", "[", "\\{")) - unit.startswith((")", "]", "\\}"))
        if unit in _RELATIONS and not depth:
            at.append(k)
    return [units[a + 1 : b] for a, b in pairwise([*at, len(units)])]


def is_closed(units: Sequence[str]) -> bool:
    """Whether a phrase is one thing wherever it stands: nothing in it binds to what is beside it.

    It is no name that could be spelled, and begins with no number.
    """
    depth = bars = 0
    for unit in units:
        bars += unit.startswith(("\\|", "|"))
        depth += unit.startswith(("(", "[", "\\{")) - unit.startswith((")", "]", "\\}"))
        loose = unit in {*"+-/*"} or unit in _RELATIONS or unit in _MARKS
        if loose and not depth and bars % 2 == 0:
            return False
    return not depth and bars % 2 == 0 and not units[0][0].isdigit()


@lru_cache(maxsize=4096)
def _spelled(name: str) -> tuple[str, ...]:
    return tuple(u.full for u in name_units(name))


class Names:
    """The names that are known, and which of them starts at a unit: the longest."""

    def __init__(self, names: Mapping[str, Expr], phrases: Sequence[Phrase] = ()):
        self.spelled = sorted(names)
        self.starting: dict[str, list[tuple[tuple[str, ...], Expr]]] = {}
        self.phrases = sorted(phrases, key=lambda p: -len(p.units))
        self.letters: dict[str, Expr] = {}
        seen: dict[tuple[str, ...], Expr] = {}
        for text, meaning in names.items():
            units = _spelled(text)
            if seen.setdefault(units, meaning) != meaning:
                raise TexError(f"the name {show(text)} stands for two expressions")
            self.starting.setdefault(units[0], []).append((units, meaning))
        for choices in self.starting.values():
            choices.sort(key=lambda choice: -len(choice[0]))

    def define(self, letter: str, meaning: Expr) -> None:
        """Add a letter that the text itself defines."""
        self.letters[letter] = meaning
        self.starting.setdefault(letter, []).append(((letter,), meaning))

    def again(self, pieces: Sequence[Piece]) -> list[Piece]:
        """The same pieces with the letters that were defined since they were resolved."""
        out: list[Piece] = []
        for unit, meaning in pieces:
            one = self.resolve([unit])[0] if meaning is None and unit.stem in self.letters else None
            out.append(one or (unit, meaning))
        return out

    def match(self, units: Sequence[Unit], at: int) -> tuple[int, Expr, bool] | None:
        """Return how many units the name at ``at`` takes, its meaning, if a power is left."""
        first = units[at]
        found: tuple[int, Expr, bool] | None = None
        for spelling in dict.fromkeys((first.full, first.stem)):
            for parts, meaning in self.starting.get(spelling, ()):
                size = len(parts)
                if at + size > len(units) or (found is not None and size < found[0]):
                    continue
                head = tuple(u.full for u in units[at : at + size - 1])
                last = units[at + size - 1]
                if head != parts[:-1]:
                    continue
                if last.full == parts[-1]:
                    found = size, meaning, False
                elif last.stem == parts[-1] and not last.decorated:
                    if found is None or size > found[0]:
                        found = size, meaning, True
        return found

    def _phrase(self, units: Sequence[Unit], at: int, whole: bool) -> tuple[int, Expr, bool] | None:
        """The same of phrases; only of a norm a power is left."""
        here = list(_with_norms(units[at:])) if self.phrases else []
        for p in self.phrases:
            texts = [unit.full for unit, _ in here[: len(p.units)]]
            if len(texts) < len(p.units):
                continue
            last, size = here[len(texts) - 1]
            powered = last.text in ("\\|", "|") and not p.whole and texts[-1] != p.units[-1]
            texts[-1] = last.stem if powered else texts[-1]
            side = not p.whole or (whole and _is_side(units, at, at + size, p.first))
            if tuple(texts) == p.units and side:
                return size, p.meaning, powered
        return None

    def resolve(self, units: list[Unit], whole: bool = False) -> list[Piece]:
        """Put the units of each known name together; ``whole`` is whether sides may be one."""
        out: list[Piece] = []
        shown = [printed(u) for u in units] if self.phrases else units
        at = 0
        while at < len(units):
            found = self._phrase(shown, at, whole)
            if found is None and units[at].kind not in _NEVER_NAMES:
                found = self.match(units, at)
            if found is None:
                check_spelled(units[at])
                out.append((units[at], None))
                at += 1
                continue
            size, meaning, powered = found
            last = units[at + size - 1]
            texts = [u.full for u in units[at : at + size]]
            known = Unit("known", joined(texts), units[at].at)
            if powered:
                known.text = joined([*texts[:-1], last.stem])
                known.sup, known.power = last.sup, last.power
            out.append((known, meaning))
            at += size
        return out


def _is_side(units: Sequence[Unit], start: int, end: int, first: bool) -> bool:
    """Whether units are a whole side of a relation, and maybe the first one."""
    before = next((u for u in reversed(units[:start]) if u.kind != "amp"), None)
    after = next((u for u in units[end:] if u.kind != "amp"), None)
    told = [u is not None and (u.kind in ("relation", "stated") or u.text == ":")
            for u in (before, after)]  # fmt: skip
    bare = [u is None or u.kind in _ENDS for u in (before, after)]
    related = first and any(u.kind == "relation" for u in units[:start])
    return any(told) and all(map(max, told, bare)) and not related

r"""The names that are known, found in a formula: the longest that fits, and never a part of one.

A name may be a phrase, whatever stands in it: ``\|\nabla_z \mathcal{L}\|^2``,
``\mathbb{E}[\epsilon^2]``. Two phrases are the same if they print the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise, takewhile

from sympy import Expr

from ...frozen import FrozenValue
from ...language import vocabulary
from ...language.items import tree
from ...language.plain import plain
from ...language.spelling import Unit, check_spelled, joined
from ...language.statement import TexError
from ...language.tokens import show, tokenise
from ...language.units import (
    RELATIONS_PRINTED,
    name_units,
    printed,
    texts_of,
    with_norms,
    without_quads,
)

Piece = tuple[Unit, Expr | None]  #: a unit, and what it means if it is a known name

#: Kinds of units that a formula ends before.
_ENDS = {*vocabulary.MARKS.values(), "quad", "fence"}
_NEVER_NAMES = {"relation", "operator", "comma", "row", "amp", "quad", "cases", "frac", "sqrt",
                "fence", "number", "dot", "semicolon", "close"}  # fmt: skip


class Phrase(FrozenValue):
    """A name that is no single sign: what its units print, and what it means.

    Attributes
    ----------
    whole
        Whether it is one only as a whole side of a relation: a fraction is a name there, and
        part of a formula elsewhere.
    first
        Whether it is one only at the beginning: it means something else after that.
    powers
        Whether it may be raised to a power, as one sign is; a norm always may.
    """

    units: tuple[str, ...]
    meaning: Expr
    whole: bool = False
    first: bool = False
    powers: bool = False


def phrase(text: str) -> tuple[str, ...]:
    """How a phrase is looked for."""
    return texts_of(without_quads(plain(tree(tokenise(text)))))


def split_at_relation(units: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The sides of a relation that stands in no bracket."""
    at, depth = [-1], 0
    for k, unit in enumerate(units):
        depth += unit.startswith(("(", "[", "\\{")) - unit.startswith((")", "]", "\\}"))
        if unit in RELATIONS_PRINTED and not depth:
            at.append(k)
    return [units[a + 1 : b] for a, b in pairwise([*at, len(units)])]


@lru_cache(maxsize=4096)
def _spelled(name: str) -> tuple[str, ...]:
    return texts_of(name_units(name))


class Names:
    """The names that are known, and which of them starts at a unit: the longest."""

    def __init__(self, names: Mapping[str, Expr], phrases: Sequence[Phrase] = ()):
        self.spelled = sorted(names)
        self.starting: dict[str, list[Phrase]] = {}
        self.letters: dict[str, Expr] = {}
        seen: dict[tuple[str, ...], Expr] = {}
        for text, meaning in names.items():
            if seen.setdefault(_spelled(text), meaning) != meaning:
                raise TexError(f"the name {show(text)} stands for two expressions")
        every = [*phrases, *(Phrase(*entry, powers=True) for entry in seen.items())]
        for p in sorted(every, key=lambda p: -len(p.units)):
            self.starting.setdefault(p.units[0], []).append(p)
        self.longest = max((len(p.units) for p in every), default=1)

    def define(self, letter: str, meaning: Expr) -> None:
        """Add a letter that the text itself defines."""
        self.letters[letter] = meaning
        units = _spelled(letter)
        self.starting.setdefault(units[0], []).append(Phrase(units, meaning, powers=True))

    def again(self, pieces: Sequence[Piece]) -> list[Piece]:
        """The same pieces with the letters that were defined since they were resolved."""
        out: list[Piece] = []
        for unit, meaning in pieces:
            one = self.resolve([unit])[0] if meaning is None and unit.stem in self.letters else None
            out.append(one or (unit, meaning))
        return out

    def match(self, units: Sequence[Unit], at: int, whole: bool) -> tuple[int, Expr, bool] | None:
        """Return how many units the name at ``at`` takes, its meaning, if a power is left."""
        here = list(with_norms(units[at : at + 2 * self.longest]))
        first, found, best = here[0][0], None, 0
        for p in (*self.starting.get(first.full, ()), *self.starting.get(first.stem, ())):
            texts = [unit.full for unit, _ in here[: len(p.units)]]
            alone = len(p.units) == 1
            if len(texts) < len(p.units):
                continue
            last, size = here[len(texts) - 1]
            may = (p.powers and not last.decorated) or last.text in ("\\|", "|")
            powered = may and not p.whole and texts[-1] != p.units[-1]
            texts[-1] = last.stem if powered else texts[-1]
            side = not p.whole or (whole and _is_side(units, at, at + size, p.first))
            sign = alone and not p.whole and first.kind in _NEVER_NAMES
            rank = 2 * len(texts) - powered
            if tuple(texts) == p.units and side and not sign and rank > best:
                found, best = (size, p.meaning, powered), rank
        return found

    def resolve(self, units: list[Unit], whole: bool = False) -> list[Piece]:
        """Put the units of each known name together; ``whole`` is whether sides may be one."""
        out: list[Piece] = []
        shown = [printed(u) for u in units]
        at = 0
        while at < len(units):
            found = self.match(shown, at, whole)
            if found is None:
                check_spelled(units[at])
                out.append((units[at], None))
                at += 1
                continue
            size, meaning, powered = found
            last = units[at + size - 1]
            if size == 1 and last.index is not None and not last.sub:
                raise TexError("an empty subscript", last.at)
            sides = reversed(units[:at]), units[at + size :]
            beside = [u for run in sides for u in takewhile(lambda u: u.kind != "relation", run)]
            if last.text == "|" and any(u.text == "|" for u in beside):
                raise TexError("two readings: |a| |b| |c| or |a \\|b\\| c|?", last.at)
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

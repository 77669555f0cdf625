"""The names that are known, found in a formula: the longest that fits, and never a part of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from sympy import Expr

from ...language.spelling import Unit, joined
from ...language.statement import TexError
from ...language.tokens import show
from ...language.units import name_units

Piece = tuple[Unit, Expr | None]  #: a unit, and what it means if it is a known name


@lru_cache(maxsize=4096)
def _spelled(name: str) -> tuple[str, ...]:
    return tuple(u.full for u in name_units(name))


class Names:
    """The names that are known, and which of them starts at a unit: the longest."""

    def __init__(self, names: Mapping[str, Expr], places: Mapping[str, Expr] | None = None):
        self.spelled = sorted(names)
        self.starting: dict[str, list[tuple[tuple[str, ...], Expr]]] = {}
        self.letters: dict[str, Expr] = {}
        seen: dict[tuple[str, ...], Expr] = {}
        for text, meaning in names.items():
            units = _spelled(text)
            if seen.setdefault(units, meaning) != meaning:
                raise TexError(f"the name {show(text)} stands for two expressions")
            self.starting.setdefault(units[0], []).append((units, meaning))
        for choices in self.starting.values():
            choices.sort(key=lambda choice: -len(choice[0]))
        for place, meaning in (places or {}).items():  # tokens that stand for phrases
            self.starting[place] = [((place,), meaning)]

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

    def resolve(self, units: list[Unit]) -> list[tuple[Unit, Expr | None]]:
        """Put the units of each known name together."""
        out: list[tuple[Unit, Expr | None]] = []
        at = 0
        while at < len(units):
            found = self.match(units, at) if units[at].kind not in _NEVER_NAMES else None
            if found is None:
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


_NEVER_NAMES = {"relation", "operator", "comma", "row", "amp", "quad", "cases", "frac", "sqrt",
                "fence", "number", "dot", "semicolon", "close"}  # fmt: skip

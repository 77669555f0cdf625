r"""Conditions beside a formula, each as data: what a symbol satisfies, what indices run over.

``for all integers m, n \ge 2 and \tau > 0`` is a list of words, marks and formulas. A formula
with a relation is a condition, and the names before it up to a mark share it. What is not
understood is an error, since a condition that is dropped makes another statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast

from sympy import Expr, Symbol

from ...frozen import FrozenValue
from ...language.spelling import Unit
from ...language.statement import Among, Bounds, Chain, Clause, Indices, Kinds, Tends, TexError
from ...language.tokens import show
from ...language.vocabulary import DOTS
from .grammar import Grammar, check_list
from .memberships import Memberships
from .names import Piece
from .pieces import at_top, is_letter, sides
from .words import Item

MAX_CLAUSES = 40
Says = Chain | Kinds | Indices | Among | Tends


class Letter(FrozenValue):
    """A letter that the text defines, ``q := e^{-m}``."""

    name: str
    meaning: list[Piece]
    at: int


def defined_letter(pieces: Sequence[Piece]) -> Letter | None:
    """The unknown name that an equation defines, if it has that form."""
    parts, relations = sides(pieces)
    if [r.text for r in relations] != ["="] or len(parts[0]) != 1 or not parts[1]:
        return None
    unit, meaning = parts[0][0]
    if meaning is not None or unit.kind not in ("name", "word") or unit.text in ("e", "\\pi"):
        return None
    if (unit.sup and not unit.decorated) or any(u.text in DOTS for u, _ in parts[1]):
        return None
    if is_letter(parts[0][0]) and len(parts[1]) == 1 and is_letter(parts[1][0]):
        return None
    return Letter(unit.full, parts[1], unit.at)


def take_letters(items: list[Item]) -> list[Letter]:
    """Take the definitions of letters out of a stream."""
    found: list[Letter] = []
    kept: list[Item] = []
    for k, item in enumerate(items):
        letter = defined_letter(item.pieces) if item.sort == "formula" else None
        following = [i.pieces[0][0].text for i in items[k + 1 : k + 4] if i.sort == "formula"]
        if letter is None or DOTS & set(following):
            kept.append(item)
        else:
            found.append(letter)
    items[:] = kept
    return found


#: Marks and thin spaces at the end of a condition.
_ENDING = re.compile(r"(?:\\[,;:! ]|\\(?=\Z)|[ ,.;&])+\Z")


class Clauses:
    """Reads the conditions of one display."""

    def __init__(self, grammar: Grammar, source: str):
        self.grammar = grammar
        self.source = source
        self.sets = Memberships(grammar)

    def read(self, items: Sequence[Item], end: int) -> list[Clause]:
        """All conditions in a stream that ends at ``end``.

        Raises
        ------
        TexError
            If one of them cannot be read; it is named.
        """
        found: list[Clause] = []
        ends = [i.at for i in items[1:]] + [end]
        group: list[tuple[Item, int]] = []
        limit = False  # after the word `as`
        for item, after in [*zip(items, ends, strict=True), (Item("strong", end), end)]:
            if item.sort in ("start", "strong"):
                new = list(self._group(group))
                if limit and new and not all(isinstance(c.says, Tends) for c in new):
                    raise TexError("'as' is read before what tends: as \\tau \\to 0", new[0].at)
                found.extend(new)
                limit = item.text == "as" or (limit and not new)
                group = []
            else:
                group.append((item, after))
            if len(found) > MAX_CLAUSES:
                raise TexError(f"more than {MAX_CLAUSES} conditions", item.at)
        return found

    def _text(self, start: int, end: int) -> str:
        return _ENDING.sub("", " ".join(self.source[start:end].split()))

    def _group(self, group: list[tuple[Item, int]]) -> Iterator[Clause]:
        """Conditions between two words such as ``for``."""
        group = _with_dots(group)
        atoms: list[list[tuple[Item, int]]] = [[]]
        for item, after in group:
            if item.sort == "comma":
                atoms.append([])
            else:
                atoms[-1].append((item, after))
        names: list[Piece] = []  # that wait for a relation, or for the end
        about: list[Item] = []  # words that wait for what they are about
        related: list[Piece] | None = None
        loose: Item | None = None  # a name after a condition, until it has one of its own
        start = group[0][0].at if group else 0
        for atom in filter(None, atoms):
            here = [k for k, (item, _) in enumerate(atom) if item.sort == "formula"]
            end = atom[-1][1]
            if len(here) > 1:
                raise TexError(
                    "two formulas in a condition with no mark between", atom[here[1]][0].at
                )
            said = [item for item, _ in atom if item.sort != "formula"]
            if not here:
                raise TexError("the words of this condition name no symbol", atom[0][0].at)
            formula = atom[here[0]][0]
            if here[0] and names:
                raise TexError("a second list of names in one condition", atom[0][0].at)
            if not names:
                start = atom[0][0].at
            about += said
            parts, relations = sides(formula.pieces)
            if not relations:
                loose = formula if related is not None else None
                names += self._name(formula)
                if len(names) > MAX_CLAUSES:
                    raise TexError(f"more than {MAX_CLAUSES} names in a list", formula.at)
                continue
            if related is not None:
                check_list(related, formula.pieces, formula.at)
            yield from self._related(names, formula, start, end)
            if about:
                subjects = [_subject(p) for p in names] + _subjects(parts)
                yield from self._about(about, subjects, start, end)
            names, about, related, loose = [], [], formula.pieces, None
        if names:
            _check_loose(loose)
            yield from self._names(names, about, start, group[-1][1])

    def _name(self, formula: Item) -> list[Piece]:
        piece = formula.pieces[0]
        known = isinstance(piece[1], Symbol) and piece[0].power is None
        if len(formula.pieces) == 1 and (known or is_letter(piece) or self.sets.is_vector(piece)):
            return [piece]
        raise TexError(
            f"{show(self._text(formula.at, formula.at + 40))} beside the formula cannot be "
            "read as a condition",
            formula.at,
        )

    # -- names without a relation ---------------------------------------------------------

    def _names(
        self, names: list[Piece], about: list[Item], start: int, end: int
    ) -> Iterator[Clause]:
        text = self._text(start, end)
        subjects = [_subject(p) for p in names]
        if about:
            yield from self._about(about, subjects, start, end)
        known = tuple(s for s in subjects if isinstance(s, Expr))
        letters = tuple(s for s in subjects if isinstance(s, str))
        if known and not about:
            yield Clause(Kinds(known, "any"), text, start)
        if letters:
            yield Clause(Indices(letters, "any"), text, start)

    def _about(
        self, about: list[Item], subjects: list[Expr | str], start: int, end: int
    ) -> Iterator[Clause]:
        """Conditions in words on symbols: ``positive``, ``integers``."""
        text = self._text(start, end)
        known = tuple(s for s in subjects if isinstance(s, Expr))
        letters = tuple(s for s in subjects if isinstance(s, str))
        kinds = {i.text for i in about}
        if kinds >= {"positive", "integer"}:
            kinds = kinds - {"positive", "integer"} | {"positive integer"}
        if not subjects or (kinds and letters):
            raise TexError("the words of this condition name no symbol", about[0].at)
        for kind in sorted(kinds):
            yield Clause(Kinds(known, kind), text, start)

    # -- relations --------------------------------------------------------------------------

    def _related(self, names: list[Piece], formula: Item, start: int, end: int) -> Iterator[Clause]:
        text = self._text(start, end)
        for says in self._says(names, formula):
            yield Clause(says, text, start)

    def _says(self, names: list[Piece], formula: Item) -> Iterator[Says]:
        parts, relations = sides(formula.pieces)
        signs = [r.text for r in relations]
        if not all(parts):
            raise TexError("a condition lacks one of its sides", formula.at)
        if names and len(parts[0]) != 1:
            raise TexError("a list of names goes on with one more name", names[-1][0].at)
        if "->" in signs:
            found = self.grammar.sides.tends(formula.pieces, formula.at)
            for symbol in self.sets.symbols(names):
                yield replace(found, symbol=symbol)
            yield found
        elif signs == ["notin"]:
            yield from self.sets.excluded([*names, *self._listed(parts[0])], parts[1])
        elif signs[-1] == "in" and len(signs) == 1:
            yield from self.sets.says([*names, *self._listed(parts[0])], relations[0], parts[1])
        elif any(map(is_letter, [*names, *(p for part in parts for p in part)])):
            yield from self._indices(names, parts, relations)
        elif "=" in signs:
            raise TexError(
                "an equation beside a formula: is it a condition or a claim? Write values as "
                "(PARAMETER = VALUE) in the directive",
                relations[signs.index("=")].at,
            )
        else:
            read = self.grammar.condition(formula.pieces)
            sides_read = cast("tuple[Expr | Bounds, ...]", read.sides)
            for symbol in self.sets.symbols(names):
                yield Chain((symbol, *sides_read[1:]), read.relations)
            yield Chain(sides_read, read.relations)

    def _listed(self, part: list[Piece]) -> list[Piece]:
        if len(part) != 1:
            raise TexError("one name, or a list of them, is in a set", part[0][0].at)
        return part

    def _indices(
        self, names: list[Piece], parts: list[list[Piece]], relations: list[Unit]
    ) -> Iterator[Indices]:
        r"""Conditions on indices: ``i \\ne j``, ``1 \\le i < j \\le N``, ``i \\ne j \\in [N]``."""
        signs = [r.text for r in relations]
        if "in" in signs[:-1] or signs == ["in"]:
            raise TexError("only one set can follow a condition on indices", relations[0].at)
        if signs[-1] == "in":
            inside = [p for part in parts[:-1] for p in part]
            yield from self._indices(names, parts[:-1], relations[:-1])
            for says in self.sets.says(inside, relations[-1], parts[-1]):
                if isinstance(says, Indices):
                    yield says
            return
        if any(len(p) != 1 for p in parts[1:-1]) or len(parts[0]) != 1:
            raise TexError("a condition on indices that cannot be read", relations[0].at)
        if signs in (["!="], ["="]) and len(parts[1]) == 1:
            for one in [*names, parts[0][0]]:
                other = parts[1][0]
                if not (is_letter(one) and (is_letter(other) or other[0].kind == "number")):
                    raise TexError("an index compared with something else", relations[0].at)
                yield Indices((one[0].full, other[0].full), signs[0])
            return
        # 1 <= i < j <= N: an order that is strict between letters makes them different
        ends = {k for k, p in enumerate(parts) if not (len(p) == 1 and is_letter(p[0]))}
        inner = [p[0][0].full for k, p in enumerate(parts) if k not in ends]
        last = len(parts) - 1
        different = {"<", "!="} if len(inner) == 2 else {"<"}
        ordered = all(s in different for k, s in enumerate(signs) if not {k, k + 1} & ends)
        from_one = 0 not in ends or parts[0][0][0].full == "1"
        outside = names or set(signs) - {"<", "<=", "!="} or ends - {0, last}
        if outside or not from_one or not ordered:
            raise TexError("a condition on indices that cannot be read", relations[0].at)
        size = self.sets.size(parts[-1]) if last in ends else None
        if len(inner) > 1:
            yield Indices(tuple(inner), "!=")
        if ends:
            yield Indices(tuple(inner), "any", size)


def _check_loose(name: Item | None) -> None:
    if name is not None:
        raise TexError(
            "a name after a condition: does the condition hold for it too? write 'and for all'",
            name.at,
        )


def _subject(piece: Piece) -> Expr | str:
    return piece[0].full if piece[1] is None else piece[1]


def _subjects(parts: list[list[Piece]]) -> list[Expr | str]:
    """The symbols or letters that are whole sides of a condition."""
    whole = [p[0] for p in parts if len(p) == 1 and p[0][0].power is None]
    return [_subject(p) for p in whole if isinstance(p[1], Symbol) or is_letter(p)]


def _with_dots(group: list[tuple[Item, int]]) -> list[tuple[Item, int]]:
    r"""Put ``i = 1, \\dots, N`` and ``N = 4, 5, \\dots`` together: what runs over a set."""
    out = list(group)
    for d, (item, _) in reversed([*enumerate(group)]):
        if [u.text for u, _ in item.pieces] not in [[dots] for dots in DOTS]:
            continue
        starts = [k for k in range(d) if any(u.text == "=" for u, _ in group[k][0].pieces)]
        after = [i.sort for i, _ in group[d + 1 : d + 3]] == ["comma", "formula"]
        ends = after and not at_top(group[d + 2][0].pieces, "relation")
        stop = d + 3 if ends else d + 1
        first, *more = (i for i, _ in group[starts[-1] if starts else d : stop])
        parts = sides(first.pieces)[0]
        if len(parts) != 2 or not {i.sort for i in more} <= {"comma", "formula"}:
            raise TexError("dots must stand in a range such as i = 1, \\dots, N", item.at)
        marks = {t: (Unit(k, t, first.at), None) for k, t in _SET}
        listed = [p for i in more for p in i.pieces or [marks[","]]]
        pieces = [*parts[0], marks["in"], marks["\\{"], *parts[1], *listed, marks["\\}"]]
        out[starts[-1] : stop] = [(Item("formula", first.at, "", pieces), group[stop - 1][1])]
    return out


_SET = (("relation", "in"), ("open", "\\{"), ("comma", ","), ("close", "\\}"))

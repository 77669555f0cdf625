r"""Read one display of LaTeX as expressions joined by relations, with the conditions beside it.

The vocabulary is known: every name is given, or it is an error. What can be read in two ways
is an error that says which two. The stages are tokens, macros, units (letters with scripts),
layout (rows, and what is a formula), and for formulas ``grammar``, which turns them into SymPy;
for what stands beside them ``clauses``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest

from sympy import Expr, oo

from ...language.items import Items, flat, tree
from ...language.plain import plain
from ...language.statement import (
    Bounds,
    Chain,
    Clause,
    Indices,
    Relation,
    Side,
    Statement,
    Tends,
    TexError,
    Unread,
)
from ...language.tokens import MAX_TOKENS, show, tokenise
from ...language.units import Formula, canonical_name
from ...language.vocabulary import BEHIND, DECLARABLE, DOTS
from ..text.macros import Macros
from .clauses import Clauses, Letter, defined_letter, take_letters
from .grammar import Grammar
from .layout import Beside, Display, Draft, lay_out
from .names import Names, Phrase, Piece
from .pieces import at_top, sides, split
from .words import Item, stream

__all__ = ["canonical_name", "read_formula"]

MAX_LETTERS = 20
#: Operations in a side of a condition that no word introduces.
SIMPLE = 8


def read_formula(
    source: str,
    names: Mapping[str, Expr],
    macros: Macros | None = None,
    *,
    relations: Mapping[str, Relation] | None = None,
    lead: str = "",
    phrases: Sequence[Phrase] = (),
) -> Statement:
    r"""Read the inside of one display.

    Parameters
    ----------
    source
        What stands between ``\[`` and ``\]``.
    names
        What each name stands for. Names are spelled as in LaTeX; all spellings of one name
        (``t_B``, ``t_{B}``) are the same.
    macros
        Macros of the document.
    relations
        Signs that are declared to stand for a relation, such as ``\equiv``.
    lead
        The rows before, in the same environment: the left side of a source that begins with
        its relation stands there.

    phrases
        Names that are no single signs.

    Raises
    ------
    TexError
        If it cannot be read, or could be read in two ways; with the position in ``source``.
    """
    for sign in relations or {}:
        if sign.strip() not in DECLARABLE:
            raise TexError(f"{show(sign)} is not a sign that can be declared to be a relation")
    signs = {sign.strip(): relation for sign, relation in (relations or {}).items()}
    reading = partial(_Reading, names, macros, signs, phrases)
    display = reading(source)
    follows: Side | None = None
    if display.found.drafts[0].pieces[0][0].kind == "relation":
        try:
            rows = reading(lead)
            follows = rows.goes_on_with()
        except TexError:
            follows = None
        if follows is None:
            follows = Unread("")
        else:
            display.grammar.note(rows.grammar)
    return display.statement(follows)


class _Reading:
    """One display; a class to keep together what is known of it."""

    def __init__(
        self,
        names: Mapping[str, Expr],
        macros: Macros | None,
        signs: Mapping[str, Relation],
        phrases: Sequence[Phrase],
        source: str,
    ):
        tokens = tokenise(source)
        if macros is not None:
            tokens = macros.expand(tokens)
        if sum(token.kind != "space" for token in tokens) > MAX_TOKENS:
            raise TexError(f"more than {MAX_TOKENS} tokens")
        known = Names(names, phrases)
        items = plain(tree(tokens))
        self.grammar = Grammar(Formula(items, signs), known, len(source))
        self.clauses = Clauses(self.grammar, source)
        self.found: Display = lay_out(self.grammar.pieces(items, whole=True))
        self.end = len(source)
        self.row_ends = [t.at for t in flat(items) if t.text in ("\\\\", "\\cr")]

    # -- the rows before --------------------------------------------------------------------

    def goes_on_with(self) -> Side | None:
        """What a row that begins with a relation goes on with, if these are the rows before it.

        That is the first side, where there are only equalities between, and the last one where
        not. The grammar that read it knows what it needed.
        """
        last = self.found.drafts[-1]
        places = at_top(last.pieces, "relation")
        told = {last.pieces[k][0].text for k in places}
        if told - {"="}:
            if last.loose:
                return None  # it may be a condition on the formula before
            statement = self.grammar.statement(last.pieces)
            self.grammar.note(statement)
            one = statement.sides[-1]
            return None if isinstance(one, Bounds) else one
        # A relation after it lets the side be a name that is defined.
        head = last.pieces[: places[0]] if places else last.pieces
        special = self.grammar.sides.special(head, defined=True)
        return self.grammar.part(head) if special is None else special

    # -- the display ------------------------------------------------------------------------

    def statement(self, follows: Side | None) -> Statement:
        """Everything that stands in the display."""
        streams = [(stream(b.pieces), b) for b in self.found.beside]
        for items, beside in streams:
            has_one = any(item.sort == "formula" for item in items)
            if not has_one or (items[-1].sort == "start" and items[-1].text not in BEHIND):
                raise TexError(
                    "words that begin a condition, and no condition", beside.pieces[0][0].at
                )
        self._define(streams_of=[items for items, _ in streams])
        drafts = self.found.drafts
        filled = {row for draft in drafts for row in draft.rows}
        rows: list[tuple[list[Clause], set[int]]] = []  # conditions, and the rows they are about
        for items, beside in streams:
            for item in items:
                item.pieces = self.grammar.names.again(item.pieces)
            end = self._end_of_row(beside.pieces) if beside.end is None else beside.end
            told = self.clauses.read(items, end)
            rows.append((told, _about(beside, filled)))
        statements: list[tuple[Statement, Draft]] = []
        for draft, following in zip_longest(drafts, drafts[1:]):
            end = self._end_of_row(draft.pieces)
            if following is not None:
                end = min(end, following.pieces[0][0].at)
            loose = self._loose_condition(draft, end) if statements and draft.loose else None
            if loose is not None:
                rows.append((loose, draft.rows))
                continue
            left = follows if not statements else None
            if statements and draft.pieces[0][0].kind == "relation":
                raise TexError("a relation with nothing on its left", draft.pieces[0][0].at)
            statements.append((self.grammar.statement(draft.pieces, left), draft))
        done = [self._with_clauses(s, d, rows) for s, d in statements]
        return replace(done[0], rest=tuple(done[1:]))

    def _end_of_row(self, pieces: Sequence[Piece]) -> int:
        """Where the source of a condition ends: at the next row, or with the source."""
        place = bisect_right(self.row_ends, pieces[-1][0].at)
        return self.row_ends[place] if place < len(self.row_ends) else self.end

    def _with_clauses(
        self, statement: Statement, draft: Draft, rows: list[tuple[list[Clause], set[int]]]
    ) -> Statement:
        clauses = [c for told, about in rows if about & draft.rows for c in told]
        for k in at_top(draft.pieces, "relation"):
            unit = draft.pieces[k][0]
            for note in unit.parts:
                goes = self.grammar.sides.tends(self.grammar.pieces(note), unit.at)
                clauses.append(Clause(goes, "", unit.at))
        if "->" in statement.relations and not any(isinstance(c.says, Tends) for c in clauses):
            raise TexError(
                "an arrow without what tends: add \\quad \\text{as } \\tau \\to 0, for example",
                draft.pieces[0][0].at,
            )
        return replace(
            statement,
            clauses=tuple(clauses),
            joined=draft.joined,
            needs=(*statement.needs, *self.grammar.needs),
            bounds_need=(*statement.bounds_need, *self.grammar.bounds_need),
        )

    def _loose_condition(self, draft: Draft, end: int) -> list[Clause] | None:
        """Conditions after a formula that no word introduces; None if it is another formula.

        They end at ``end`` in the source.
        A relation between names and short expressions is a condition, an equation is not.
        """
        units = sides(draft.pieces)[1]
        dotted = any(u.text in DOTS for u, _ in draft.pieces)
        if any(u.text == "=" for u in units) and not dotted:
            return None
        try:
            told = self.clauses.read(stream(draft.pieces), end)
        except TexError:
            return None
        runs = split(draft.pieces, lambda piece: piece[0].kind == "comma")
        named = any(
            len(part) == 1 and part[0][1] is not None for run in runs for part in sides(run)[0]
        )
        return told if all(_simple(c, named) for c in told) else None

    # -- letters that the display defines ---------------------------------------------------

    def _define(self, streams_of: list[list[Item]]) -> None:
        """Take out definitions of letters, ``q := e^{-m}``, and put them in where they are used."""
        drafts = self.found.drafts
        told = [letter for items in streams_of for letter in take_letters(items)]
        candidates = {d: defined_letter(draft.pieces) for d, draft in enumerate(drafts)}
        uses: dict[str, int] = {}
        if told or (len(drafts) > 1 and any(candidates.values())):
            runs = [draft.pieces for draft in drafts]
            runs += [i.pieces for items in streams_of for i in items]
            runs += [letter.meaning for letter in told]
            for run in runs:
                for stem in set(self._stems(run)):
                    uses[stem] = uses.get(stem, 0) + 1
        for d, letter in candidates.items():
            if letter is not None and len(drafts) > 1 and uses.get(letter.name, 0) > 1:
                told.append(letter)
                drafts[d].pieces = []
        self.found.drafts = [draft for draft in drafts if draft.pieces]
        if len(told) > MAX_LETTERS:
            raise TexError(f"more than {MAX_LETTERS} letters are defined", told[MAX_LETTERS].at)
        if not self.found.drafts:
            raise TexError("the display holds only definitions, no formula to check")
        self._put_in(told, uses)

    def _put_in(self, told: Sequence[Letter], uses: Mapping[str, int]) -> None:
        known = self.grammar.names
        for letter in told:
            if letter.name in known.letters:
                raise TexError(f"{show(letter.name)} is defined twice", letter.at)
            if not uses.get(letter.name):
                raise TexError(
                    f"{show(letter.name)} is defined and not used: is it a condition or a claim?",
                    letter.at,
                )
            known.define(letter.name, self.grammar.part(known.again(letter.meaning)))
        for draft in self.found.drafts:
            draft.pieces = known.again(draft.pieces)

    def _stems(self, pieces: Sequence[Piece]) -> Iterator[str]:
        """All unknown names in a formula, with those inside fractions and scripts."""
        waiting = list(pieces)
        while waiting:
            unit, meaning = waiting.pop()
            if meaning is None and unit.kind in ("name", "word"):
                yield from {unit.full, unit.stem}
            for part in (*unit.parts, *((unit.power,) if unit.power else ())):
                if unit.kind != "name" or part is unit.power:
                    waiting.extend(self._inside(part))

    def _inside(self, part: Items) -> list[Piece]:
        try:
            return self.grammar.pieces(part)
        except TexError:
            return []


def _about(beside: Beside, filled: set[int]) -> set[int]:
    """The rows that a condition is about: those of its formula, or all that it begins or ends."""
    ends = beside.row >= max(filled) and not beside.before
    if ends or (beside.alone and beside.row < min(filled)):
        return filled
    return {max(r for r in filled if r < beside.row)} if beside.alone else {beside.row}


def _simple(clause: Clause, named: bool) -> bool:
    """Whether a condition is short enough to be one without a word that says so.

    ``named`` is whether one of its sides is a name as it stands.
    """
    if not isinstance(clause.says, Chain):
        return not isinstance(clause.says, Indices) or clause.says.relation != "="
    if not named:
        return False
    for side in clause.says.sides:
        ends = [side.low, side.high] if isinstance(side, Bounds) else [side]
        finite = [e for e in ends if e not in (oo, -oo)]
        if any(e.count_ops() > SIMPLE or not e.is_rational_function() for e in finite):
            return False
    return True

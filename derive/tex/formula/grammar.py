r"""Formulas of a display: the grammar of the language, refusing whatever has two readings.

    statement = side {relation side} [\in interval]
    side      = sum | cases | what sides.py reads: a name that is defined, a limit
    cases     = sum condition {row sum condition}, the last one maybe `otherwise`

Every name is known, or it is an error. A product knows how it ends, because that decides what
may follow: after ``\log a`` or ``a/b`` nothing more may be multiplied on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NoReturn

from sympy import Expr

from ...decide.defined import Condition
from ...language import nodes
from ...language.items import Items
from ...language.nodes import EULER, Node
from ...language.parser import ATOMS, BRACKETS, Parser, Word, hint, not_read
from ...language.spelling import Unit
from ...language.statement import Side, Statement, TexError
from ...language.tokens import show
from ...language.units import Formula
from ...language.vocabulary import REFUSED
from .guards import MAX_EXPONENT, Guarded
from .names import Names, Piece
from .pieces import ENDING, at_top, depths, sides, split, stripped, unpunctuated, words
from .sides import CONSTANTS, Sides

#: What a side is, by its place, if it is no formula.
Special = Callable[[Sequence[Piece], int], "Side | None"]
MAX_DIGITS = 60
MAX_CASES = 40  #: and twice as many relations in them

_SIGNS = {*"+-*/,", *BRACKETS, *BRACKETS.values()}
_IF = {"if", "for", "when", "whenever", "if and only if", "iff", "in case", "where"}
_OTHERWISE = {"otherwise", "else", "o.w", "in all other cases"}
_DECLARED = "[LATEX -> EXPRESSION] in the directive says what it stands for"
_SCRIPTED = {"known", "name", "word", "number", "function", "close", "sqrt", "frac", "bar"}


class Grammar(Parser):
    """Reads runs of pieces as statements or as expressions; ``end`` is where the source ends."""

    atoms: ClassVar[dict[str, Callable[..., Node]]] = {
        **ATOMS, "euler": lambda parser: parser.euler()
    }  # fmt: skip

    def __init__(self, formula: Formula, names: Names, end: int):
        super().__init__(formula)
        self.names = names
        self.end = end
        self.sides = Sides(formula.items, self.pieces, self.expression, self.part)
        self.meanings: dict[str, Expr] = {}
        #: What expressions needed that are put into a statement: of letters, below limits.
        self.needs: list[Condition] = []
        self.bounds_need: list[Condition] = []

    def pieces(self, items: Items, whole: bool = False) -> list[Piece]:
        """The units of items, with their meanings; ``whole`` is whether that is a display."""
        return self.names.resolve(self.formula.units(items), whole)

    def expression(self, pieces: Sequence[Piece]) -> Expr:
        """Read a formula without relations.

        Raises
        ------
        TexError
            If it is none.
        """
        return self._expression(pieces)[0]

    def part(self, pieces: Sequence[Piece]) -> Expr:
        """Read a formula that a statement is put together from; what it needs is kept."""
        side, statement = self._expression(pieces)
        self.note(statement)
        return side

    def _expression(self, pieces: Sequence[Piece]) -> tuple[Expr, Statement]:
        statement = self.condition(stripped(pieces))
        (side, *more) = statement.sides
        if more or not isinstance(side, Expr):
            at = pieces[0][0].at if pieces else self.end
            raise TexError("a formula without a relation is expected here", at)
        return side, statement

    def note(self, read: Statement | Grammar) -> None:
        """Keep what something needs that is no statement of its own."""
        self.needs += read.needs
        self.bounds_need += read.bounds_need

    def condition(self, pieces: Sequence[Piece]) -> Statement:
        """Read a condition in known names."""
        return self._read(pieces, _formula)

    def statement(self, pieces: Sequence[Piece], follows: Side | None = None) -> Statement:
        """Read a formula with its relations.

        ``follows`` stands at the left of a formula that begins with its relation.
        """
        _, relations = sides(pieces)
        first = next((k for k, r in enumerate(relations) if r.text in ("=", "->")), -1)
        equation = {r.text for r in relations} <= {"=", "->"} or relations[0].text == "="

        def special(body: Sequence[Piece], k: int) -> Side | None:
            return self.sides.special(body, k == first, equation) if body or k else follows

        return self._read(pieces, special)

    def _read(self, pieces: Sequence[Piece], special: Special) -> Statement:
        """Sides and relations; what ``special`` says of a side is no formula."""
        found, relations = self.chain(pieces, self.inner, special)
        writer = Guarded({}, known=self.meanings)
        try:
            read = [writer.side(one) if isinstance(one, Node) else one for one in found]
        except TexError:
            raise
        except (
            ArithmeticError, AttributeError, NotImplementedError, TypeError, ValueError
        ) as error:  # fmt: skip
            # SymPy refuses, for example, to compare complex numbers.
            raise TexError(f"this is not a quantity: {show(str(error))}") from None
        signs: tuple[Any, ...] = tuple(r.text for r in relations)
        needs = tuple(writer.needs), tuple(writer.bounds_need)
        return Statement(tuple(read), signs, needs=needs[0], bounds_need=needs[1])

    # -- relations --------------------------------------------------------------------------
    def chain(
        self, pieces: Sequence[Piece], what: Callable[[], Node], special: Special
    ) -> tuple[list[Node | Side], list[Unit]]:
        """The sides of a chain, and the relations between them."""
        parts, relations = sides(pieces)
        end = Unit("", "", self.end)
        found: list[Node | Side] = []
        for k, part in enumerate(parts):
            after = relations[k] if k < len(relations) else end
            if k and relations[k - 1].text == "in":
                found.append(self.run(self.checked(part), self.interval, after))
                if after is not end:
                    raise TexError(not_read(after.text, hint(after)), after.at)
                continue
            side = special(stripped(part), k)
            found.append(self.run(self.checked(part), what, after) if side is None else side)
            if after is not end:
                self.checked([(replace(after, parts=[]), None)])
        return found, relations

    def interval(self) -> nodes.Interval:
        found = super().interval()
        last = self.words[self.at - 1].unit
        if last.power is not None:
            raise TexError("'^' cannot be read here", last.at)
        return found

    # -- what has two readings ----------------------------------------------------------------
    def check_beside(self, before: str, after: str, sign: Unit | None, factor: Node) -> None:
        text = {"*": " \\cdot ", "/": "/", "": " "}[sign.text if sign else ""]
        at = sign.at if sign else factor.at
        if after == "/":
            _refuse(at, f"(a/b){text}c", f"a/(b{text}c)")
        if before == "open":
            _refuse(at, f"f(a){text}b", f"f(a{text}b)")
        if sign is not None:
            return
        if before == "called" and self.kind in ("bracket", "raised", "bars"):
            _refuse(at, "f(a) (b), written f(a) \\cdot (b),", "f((a) (b))")
        if self.kind == "number":
            _refuse(at, "a factor", "a lost script")
        of_numbers = all(self.meanings[name].is_number for name in factor.names)
        if before == "number" and self.kind == "fraction" and of_numbers:
            _refuse(at, "a product", "a mixed number")

    def check_argument(self, function: Unit) -> None:
        if self.kind == "raised":
            name = function.text
            _refuse(function.at, f"(\\{name}(a))^b, written \\{name}^b(a),", f"\\{name}((a)^b)")

    def iterated(self, function: Unit) -> Node | None:
        if function.power is None:
            return None
        found = self.group(function.power, function.at)
        whole = isinstance(found, nodes.Number) and found.value.denominator == 1
        if not (whole and 2 <= found.value <= MAX_EXPONENT):  # type: ignore[attr-defined]
            shown = f"\\{function.text}^{{{function.sup}}}"
            _refuse(function.at, f"{shown} as a power", "as an inverse or iterated function")
        return found

    # -- atoms --------------------------------------------------------------------------------
    def name(self) -> Node:
        _, unit, meaning = self.word
        self.take()
        assert meaning is not None
        name = unit.text
        while self.meanings.setdefault(name, meaning) != meaning:
            name += "'"  # a phrase may mean something else on one side than on another
        self.kind = "name"
        return nodes.Name(name, at=unit.at)

    def euler(self) -> Node:
        unit = self.take()
        if unit.power is None:
            self.kind = "name"
            return EULER
        exponent = self.group(unit.power, unit.at)
        self.powered, self.kind = self.at, "power"
        return nodes.Applied("exp", exponent, at=unit.at)

    def extremum(self) -> Node:
        if self.unit.power is not None:
            raise TexError(f"a power of \\{self.unit.text} cannot be read", self.unit.at)
        return super().extremum()

    def several(self) -> list[Node]:
        first = self.sum()
        self.expect(",")
        return [first, *self.listed(self.sum)]

    # -- case distinctions ------------------------------------------------------------------
    def inner(self) -> Node:
        return self.cases() if self.now == "cases" else self.sum()

    def cases(self) -> Node:
        unit = self.take()
        pieces = [unpunctuated(p) for p in self.pieces(unit.parts[0])]
        rows = split(pieces, lambda piece: piece[0].kind == "row")
        for inside in (u for row in rows for u, _ in row if u.kind == "row"):
            raise TexError("a case ends inside brackets", inside.at)
        if len(rows) > 1 and not stripped(rows[-1]):
            rows.pop()
        relations = sum(u.kind == "relation" for u, _ in pieces)
        if len(rows) > MAX_CASES or relations > 2 * MAX_CASES:
            raise TexError(f"more than {MAX_CASES} cases", unit.at)
        found = [self.case(row, unit, last=row is rows[-1]) for row in rows]
        conditions = [condition for _, condition in found if condition is not None]
        return nodes.Cases(tuple(value for value, _ in found), tuple(conditions))

    def case(self, row: list[Piece], cases: Unit, *, last: bool) -> tuple[Node, Node | None]:
        """A value and its condition; there is none after `otherwise`."""
        at = row[0][0].at if row else cases.at
        start = next(
            (k for k, p in enumerate(row) if p[0].kind == "amp" or words(p) is not None), None
        )
        if start is None:
            raise TexError("a case without a condition", at)
        body = self.checked(stripped(row[:start], ENDING))
        value = self.run(body, self.sum, Unit("word", "if", at))
        told = stripped(_without(row[start:], "amp"), ENDING)
        if not told:
            raise TexError("a case without a condition", at)
        word = words(told[0])
        if word is not None:
            plain, at = word.strip(",;. "), told[0][0].at
            if plain in _OTHERWISE and len(told) == 1:
                if not last:
                    raise TexError("'otherwise' before the last case", at)
                return value, None
            if plain not in _IF:
                raise TexError(f"the text {show(word)} cannot be read here", at)
            told = _without(told[1:], "amp")
        return value, nodes.And(tuple(map(self.clause, self._conditions(told))))

    @staticmethod
    def _conditions(told: list[Piece]) -> list[list[Piece]]:
        """The conditions of a case; ``, \text{and}`` is one joint, not two."""
        found: list[list[Piece]] = [[]]
        for k, (piece, depth) in enumerate(zip(told, depths(told), strict=True)):
            word = words(piece)
            joins = word is not None and word.strip(",; ") == "and"
            if depth or not (joins or piece[0].kind in ("and", "comma")):
                found[-1].append(piece)
            elif found[-1]:
                if piece[0].kind == "comma":
                    check_list(found[-1], told[k + 1 :], piece[0].at)
                found.append([])
        return found

    def clause(self, pieces: list[Piece]) -> Node:
        found, relations = self.chain(stripped(pieces), self.sum, _formula)
        if not relations:
            raise TexError("the formula ends too early", self.end)
        signs = [r.text for r in relations]
        for relation in relations:
            if relation.text == "->" or (relation.text == "in" and len(relations) > 1):
                raise TexError(not_read(relation.text, hint(relation)), relation.at)
        return nodes.Chain(tuple(found), tuple(signs))  # type: ignore[arg-type]

    # -- what pieces are to the grammar -------------------------------------------------------
    def words_of(self, items: Items) -> list[Word]:
        return self.checked(self.pieces(items))

    def checked(self, pieces: Sequence[Piece]) -> list[Word]:
        """Pieces without wide spaces; what can be read nowhere is refused."""
        out: list[Word] = []
        pieces = _with_paired_bars(pieces)
        for k, (unit, meaning) in enumerate(pieces):
            if unit.kind == "quad":
                _check_quad(pieces, k)
                continue
            if unit.kind not in _SCRIPTED and (unit.sub or unit.sup or unit.primes):
                raise TexError(f"a script that cannot be read at {_shown(unit)}", unit.at)
            if unit.kind == "function" and unit.text in ("max", "min"):
                _check_commas(pieces[k + 1 :])
            if meaning is None:
                word = self._constant(unit) if unit.kind == "name" else Word(self._sort(unit), unit)
            else:
                _check_function(pieces, k)
                word = Word("name", unit, meaning)
            if unit.kind == "frac" and unit.power is not None:
                raise TexError("a power of a fraction without brackets: (a/b)^c or a^c/b?", unit.at)
            if unit.kind not in ("known", "name") and (unit.sub or unit.primes):
                raise TexError(f"a script that cannot be read at {_shown(unit)}", unit.at)
            out.append(word)
        return out

    def _constant(self, unit: Unit) -> Word:
        """Read a name that was not given: a constant, or an error."""
        bare = not (unit.sub or unit.primes or unit.decorated)
        if bare and unit.text == "e" and (unit.power is not None or unit.parts):
            return Word("euler", unit)
        if bare and unit.text in CONSTANTS:
            return Word("name", unit, CONSTANTS[unit.text])
        raise self._unknown(unit)

    def _unknown(self, unit: Unit) -> TexError:
        known = ", ".join(self.names.spelled[:30]) or "none"
        hint = " (Euler's number is \\mathrm{e} or e^{1})" if unit.full == "e" else ""
        return TexError(f"the name {show(unit.full)} is not known{hint}; known: {known}", unit.at)

    def _sort(self, unit: Unit) -> str:
        """What a unit that is no name is to the grammar."""
        kind, text, at = unit.kind, unit.text, unit.at
        if kind == "number":
            if len(text) > MAX_DIGITS:
                raise TexError(f"a number of more than {MAX_DIGITS} digits", at)
            if len(text) > 1 and text[0] == "0" and text[1] != ".":
                raise TexError(f"the number {text} starts with 0", at)
            return kind
        if kind in ("cases", "frac", "sqrt"):
            return kind
        if kind == "function":
            if unit.sub:
                raise TexError(f"{text} with a subscript cannot be read", at)
            return "extremum" if text in ("max", "min") else "function"
        if kind == "relation":
            if text == "notin":
                raise TexError(
                    "\\notin is accepted only in conditions, before a list in braces", at
                )
            return kind
        if kind == "word":
            raise self._unknown(unit)
        if text in _SIGNS and kind in ("operator", "comma", "open", "close"):
            return text
        if text in _NORMS:
            raise TexError(
                "an inner product or a norm that is not known; a known one stands alone on a "
                f"side of an equation: {_DECLARED}",
                at,
            )
        raise TexError(not_read(text, REFUSED.get(text) or hint(unit)), at)


_NORMS = ("\\|", "\\Vert", "\\lVert", "\\rVert", "\\langle", "\\rangle")


def _formula(body: Sequence[Piece], k: int) -> None:
    """No side is anything else than a formula."""


def _refuse(at: int, one: str, other: str) -> NoReturn:
    raise TexError(f"two readings: {one} or {other}?", at)


def _without(pieces: list[Piece], kind: str) -> list[Piece]:
    """Pieces without the first one if it is of a kind."""
    return pieces[1:] if pieces and pieces[0][0].kind == kind else pieces


def _check_quad(pieces: Sequence[Piece], k: int) -> None:
    before = pieces[k - 1][0].kind if k else "open"
    after = pieces[k + 1][0].kind if k + 1 < len(pieces) else "close"
    loose = {"operator", "relation", "comma", "quad", "and", "text"}
    if before not in loose | {"open"} and after not in loose | {"close"}:
        raise TexError(
            "a wide space between two factors: a product, or two formulas? A comma before the "
            "space, or \\text{for} after it, sets a condition apart",
            pieces[k][0].at,
        )


def _check_function(pieces: Sequence[Piece], k: int) -> None:
    r"""Refuse ``\alpha_{\min}(\tau)`` inside a formula: its argument, or a factor?"""
    run = pieces[k + 1 : k + 4]
    if "_{" not in pieces[k][0].text or pieces[k][0].power is not None or len(run) < 3:
        return
    if run[0][0].text == "(" and run[1][1] is not None and run[2][0].full == ")":
        name, argument = pieces[k][0].text, run[1][0].full
        raise TexError(
            f"two readings: {name} as a function of {argument}, or a product? write \\cdot or "
            f"only {name}",
            run[0][0].at,
        )


def _with_paired_bars(pieces: Sequence[Piece]) -> Sequence[Piece]:
    """Make brackets of plain bars where there is one pair of them between two relations."""
    if not any(u.kind == "bar" for u, _ in pieces):
        return pieces
    out = list(pieces)

    def pair(bars: list[int]) -> None:
        if len(bars) != 2 or bars[1] - bars[0] < 2:
            return
        (one, _), (other, _) = (pieces[k] for k in bars)
        inside = pieces[bars[1] - 1][0].kind != "operator" and one.full == one.text
        if inside and {one.text, other.text} <= {"|", "\\vert"}:
            out[bars[0]] = replace(one, kind="open", text="\\lvert"), None
            out[bars[1]] = replace(other, kind="close", text="\\rvert"), None

    open_bars: list[list[int]] = [[]]
    for k, (unit, _) in enumerate(pieces):
        if unit.kind == "open":
            open_bars.append([])
        elif unit.kind == "close" and len(open_bars) > 1:
            pair(open_bars.pop())
        elif unit.kind in ("relation", "comma", "semicolon", "row"):
            pair(open_bars[-1])
            open_bars[-1] = []
        elif unit.kind == "bar":
            open_bars[-1].append(k)
    for bars in open_bars:
        pair(bars)
    return out


def _check_commas(pieces: Sequence[Piece]) -> None:
    """Refuse ``0,5`` in a list of more than two: a decimal comma, or two numbers?"""
    depth, commas, close = 0, 0, None
    for (before, _), (unit, _), (after, _) in zip(pieces, pieces[1:], pieces[2:], strict=False):
        depth += (before.kind == "open") - (before.kind == "close")
        if depth <= 0:
            return
        if unit.kind == "comma" and depth == 1:
            commas += 1
            near = before.kind == after.kind == "number" and after.at == unit.at + 1
            close = close or (unit if near and not before.sup else None)
        if close is not None and commas > 1:
            raise TexError("two readings: a decimal comma or two numbers?", close.at)


def check_list(before: list[Piece], after: list[Piece], at: int) -> None:
    """Refuse ``0 < a, b < 1``: one condition on a list, or two conditions?"""
    left, right = at_top(before, "relation"), at_top(after, "relation")
    if not left or not right:
        return
    bare = len(before) - left[-1] == 2 and right[0] == 1
    names = before[-1][1] is not None and after[0][1] is not None
    same = before[left[-1]][0].text[0] == after[right[0]][0].text[0]
    if bare and names and same:
        raise TexError("a < b, c < d: one condition on a list, or two? write 'and'", at)


def _shown(unit: Unit) -> str:
    return show(unit.full or unit.kind)

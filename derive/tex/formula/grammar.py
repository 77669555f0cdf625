r"""Formulas: pieces by the rules of arithmetic, turned into SymPy; what is ambiguous is refused.

    statement = side {relation side} [\in interval]
    side      = sum | cases | what sides.py reads: a name that is defined, a limit
    sum       = [sign] product {sign product}           a \cdot -b needs parentheses
    product   = factor {[\cdot | /] factor}
    factor    = function [power] factor | atom [power]
    atom      = number | name | bracket | fraction | root | max (sum, sum {, sum})
    cases     = sum condition {row sum condition}, the last one maybe `otherwise`

A product knows how it ends, because that decides what may follow: after ``\log a`` or ``a/b``
nothing more may be multiplied on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, NoReturn, TypeVar

import sympy
from sympy import Add, And, Expr, Mul, Piecewise, Rational, Rel, S, oo
from sympy.logic.boolalg import Boolean

from ...decide.defined import Condition
from ...language import needs
from ...language.items import Items
from ...language.statement import Bounds, Side, Statement, TexError
from ...language.tokens import MAX_NESTING, show
from ...language.vocabulary import REFUSED
from . import guards
from .guards import MAX_EXPONENT, sound
from .names import Names, Piece
from .pieces import ENDING, at_top, depths, sides, split, stripped, unpunctuated, words
from .sides import CONSTANTS, Sides
from .spelling import Unit
from .units import Formula

T = TypeVar("T")
Placed = tuple[Expr, int]  #: an expression, and where it stands for messages
#: What a side is, by its place, if it is no formula.
Special = Callable[[Sequence[Piece], int], "Side | None"]
MAX_DIGITS = 60
MAX_CASES = 40  #: and twice as many relations in them
MAX_COMPARED = 1_000  #: arguments of max and min times the size of them: compared pairwise

_FUNCTIONS: dict[str, Callable[[Expr], Expr]] = {
    **{name: getattr(sympy, name) for name in ("log", "exp", "tanh", "cosh", "sinh")},
    "ln": sympy.log,
}
_BRACKETS = {"(": ")", "[": "]", "\\{": "\\}", "\\lvert": "\\rvert"}
_SIGNS = {*"+-*/,", *_BRACKETS, *_BRACKETS.values()}
_IF = {"if", "for", "when", "whenever", "if and only if", "iff", "in case", "where"}
_OTHERWISE = {"otherwise", "else", "o.w", "in all other cases"}
_DECLARED = "[LATEX -> EXPRESSION] in the directive says what it stands for"
_SCRIPTED = {"known", "name", "word", "number", "function", "close", "sqrt", "frac", "bar"}
_BEGINNING = {"number", "known", "euler", "function", "extremum", "frac", "sqrt"}
_BEGINNING |= {*_BRACKETS}

Kind = Literal[
    "number", "name", "bracket", "bars", "power", "raised", "fraction", "closed", "called", "open"
]


class Factor(NamedTuple):
    r"""One factor.

    ``called`` is ``\log(a)``, ``open`` is ``\log a``, ``raised`` is ``(a)^2``, and ``power``
    the power of anything else.
    """

    expr: Expr
    at: int
    kind: Kind


class Word(NamedTuple):
    """A piece and what it is to the grammar."""

    sort: str
    unit: Unit
    meaning: Expr | None = None


class Grammar:
    """Reads runs of pieces as statements or as expressions; ``end`` is where the source ends."""

    def __init__(self, formula: Formula, names: Names, end: int):
        self.formula = formula
        self.names = names
        self.end = end
        self.sides = Sides(formula.items, self.pieces, self.expression, self.part)
        #: What expressions needed that are put into a statement: of letters, below limits.
        self.needs: list[Condition] = []
        self.bounds_need: list[Condition] = []

    def pieces(self, items: Items) -> list[Piece]:
        """The units of items, with their meanings."""
        return self.names.resolve(self.formula.units(items))

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
        statement = self.chain(stripped(pieces))
        (side, *more) = statement.sides
        if more or not isinstance(side, Expr):
            at = pieces[0][0].at if pieces else self.end
            raise TexError("a formula without a relation is expected here", at)
        return side, statement

    def note(self, read: Statement | Grammar) -> None:
        """Keep what something needs that is no statement of its own."""
        self.needs += read.needs
        self.bounds_need += read.bounds_need

    def chain(self, pieces: Sequence[Piece]) -> Statement:
        """Read a condition in known names."""
        return _Parser(self).statement(pieces, _formula)

    def statement(self, pieces: Sequence[Piece], follows: Side | None = None) -> Statement:
        """Read a formula with its relations.

        ``follows`` stands at the left of a formula that begins with its relation.
        """
        _, relations = sides(pieces)
        first = next((k for k, r in enumerate(relations) if r.text in ("=", "->")), -1)
        equation = {r.text for r in relations} <= {"=", "->"} or relations[0].text == "="

        def special(body: Sequence[Piece], k: int) -> Side | None:
            return self.sides.special(body, k == first, equation) if body or k else follows

        return _Parser(self).statement(pieces, special)


class _Parser:
    """Parses one statement, run by run; what is read needs a value is noted on the way."""

    def __init__(self, grammar: Grammar):
        self.grammar = grammar
        self.needs: list[Condition] = []
        self.bounds_need: list[Condition] = []
        self.words: list[Word] = []
        self.at = self.depth = 0

    # -- runs -----------------------------------------------------------------------------
    def run(self, pieces: Sequence[Piece], what: Callable[[], T], after: Unit | None = None) -> T:
        """What a run of pieces is as a whole; ``after`` is what follows on it."""
        outer = self.words, self.at
        self.words, self.at = self._words(pieces), 0
        self.words.append(Word("end", after or Unit("", "", self.grammar.end)))
        found = self.deeper(what, self.word.unit.at)
        if self.now != "end":
            raise self.refuse()
        self.words, self.at = outer
        return found

    def group(self, inside: Items, at: int) -> Placed:
        """What stands in the braces of a command or a script, and where."""
        return self.run(self.grammar.pieces(inside), self.sum, Unit("brace", "}", at))

    def deeper(self, what: Callable[[], T], at: int) -> T:
        """What is nested in something that begins at a place."""
        self.depth += 1
        if self.depth > MAX_NESTING + 1:
            raise TexError(f"nested more than {MAX_NESTING} deep", at)
        found = what()
        self.depth -= 1
        return found

    @property
    def word(self) -> Word:
        return self.words[self.at]

    @property
    def now(self) -> str:
        return self.word.sort

    def take(self) -> Unit:
        self.at += 1
        return self.words[self.at - 1].unit

    def expect(self, *sorts: str) -> Unit:
        if self.now not in sorts:
            raise self.refuse()
        return self.take()

    def refuse(self, unit: Unit | None = None) -> TexError:
        """The error for what stands here and cannot, or for a relation between two runs."""
        unit = unit or self.word.unit
        if not unit.kind:
            return TexError("the formula ends too early", unit.at)
        hint = _HINTS.get(unit.kind, "") if unit.text not in "*/" else ""
        return TexError(_not_read(unit.text, hint), unit.at)

    # -- statements -------------------------------------------------------------------------
    def statement(self, pieces: Sequence[Piece], special: Special) -> Statement:
        """Sides and relations; what ``special`` says of a side is no formula."""
        try:
            found, relations = self._sides(pieces, self.inner, special)
        except TexError:
            raise
        except (
            ArithmeticError, AttributeError, NotImplementedError, TypeError, ValueError
        ) as error:  # fmt: skip
            # SymPy refuses, for example, to compare complex numbers.
            raise TexError(f"this is not a quantity: {show(str(error))}") from None
        for side in found:
            if isinstance(side, Expr):
                self.open_end(side)
        signs: tuple[Any, ...] = tuple(r.text for r in relations)
        return Statement(
            tuple(found), signs, needs=tuple(self.needs), bounds_need=tuple(self.bounds_need)
        )

    def _sides(
        self, pieces: Sequence[Piece], what: Callable[[], Placed], special: Special
    ) -> tuple[list[Side], list[Unit]]:
        parts, relations = sides(pieces)
        found: list[Side] = []
        for k, part in enumerate(parts):
            after = relations[k] if k < len(relations) else None
            if k and relations[k - 1].text == "in":
                found.append(self.run(part, self.interval, after))
                if after is not None:
                    raise self.refuse(after)
                continue
            side = special(stripped(part), k)
            found.append(self.run(part, what, after)[0] if side is None else side)
            if after is not None:
                self._words([(replace(after, parts=[]), None)])
        return found, relations

    def open_end(self, end: Expr) -> None:
        """The end of an interval that does not belong to it may be infinite."""
        infinite = needs.of_name(oo)
        if end in (oo, -oo) and infinite in self.needs:
            self.needs.remove(infinite)

    def interval(self) -> Bounds:
        at = self.word.unit.at
        low_open = self.expect("(", "[").text == "("
        low, _ = self.sum()
        self.expect(",")
        high, _ = self.sum()
        last = self.expect(")", "]")
        high_open = last.text == ")"
        if last.power is not None:
            raise TexError("'^' cannot be read here", last.at)
        if (low in (oo, -oo) and not low_open) or (high in (oo, -oo) and not high_open):
            raise TexError("an interval that contains an infinite end", at + 1)
        self.open_end(low)
        self.open_end(high)
        return Bounds(low, high, low_open, high_open)

    # -- sums and products --------------------------------------------------------------------
    def inner(self) -> Placed:
        return self.cases() if self.now == "cases" else self.sum()

    def sum(self) -> Placed:
        """A sum, and where it stands for messages."""
        sign = self.take() if self.now in ("+", "-") else None
        term, at = self.product(sign)
        terms = [term]
        while self.now in ("+", "-"):
            terms.append(self.product(self.take())[0])
        at = at if sign is None else sign.at
        return sound(Add(*terms), at), at

    def product(self, sign: Unit | None) -> Placed:
        """A product, and where its last factor stands."""
        last = self.factor()
        factors = [last.expr]
        slash = False
        while self.now in ("*", "/") or self.now in _BEGINNING:
            operation = self.take() if self.now in ("*", "/") else None
            before, last = last, self.factor()
            text = {"*": " \\cdot ", "/": "/", "": " "}[operation.text if operation else ""]
            at = operation.at if operation else last.at
            if slash:
                _refuse(at, f"(a/b){text}c", f"a/(b{text}c)")
            if before.kind == "open":
                _refuse(at, f"f(a){text}b", f"f(a{text}b)")
            if operation is None:
                _check_beside(before, last)
            slash = operation is not None and operation.text == "/"
            factors.append(self.power(last.expr, S.NegativeOne, last.at) if slash else last.expr)
        negative = [S.NegativeOne] if sign is not None and sign.text == "-" else []
        return guards.product(negative + factors, last.at), last.at

    def factor(self) -> Factor:
        r"""A factor; before it functions, of which ``\log \log a`` has two."""
        functions: list[tuple[Unit, Expr | None]] = []
        while self.now == "function":
            unit = self.take()
            functions.append((unit, self.iterated(unit)))
        found = self.raised()
        for unit, exponent in reversed(functions):
            name, at = unit.text, unit.at
            if found.kind == "raised":
                _refuse(at, f"(\\{name}(a))^b, written \\{name}^b(a),", f"\\{name}((a)^b)")
            expr = self.applied(name, found.expr, at)
            expr = expr if exponent is None else self.power(expr, exponent, at)
            found = Factor(expr, at, "called" if found.kind == "bracket" else "open")
        return found

    def iterated(self, function: Unit) -> Expr | None:
        """The power of a function, if it has one."""
        if function.power is None:
            return None
        exponent, _ = self.group(function.power, function.at)
        if not (exponent.is_Integer and 2 <= int(exponent) <= MAX_EXPONENT):
            shown = f"\\{function.text}^{{{exponent}}}"
            _refuse(function.at, f"{shown} as a power", "as an inverse or iterated function")
        return exponent

    def raised(self) -> Factor:
        found = self.atom()
        last = self.words[self.at - 1]
        if last.unit.power is None:
            return found
        exponent, _ = self.group(last.unit.power, last.unit.at)
        if last.sort == "euler":
            return Factor(self.applied("exp", exponent, found.at), found.at, "power")
        kind: Kind = "raised" if found.kind == "bracket" else "power"
        return Factor(self.power(found.expr, exponent, found.at), found.at, kind)

    def power(self, base: Expr, exponent: Expr, at: int) -> Expr:
        self.needs += needs.of_power(base, exponent)
        return guards.power(base, exponent, at)

    def applied(self, name: str, argument: Expr, at: int) -> Expr:
        guards.check_height(at, argument)
        if name not in ("log", "ln"):
            guards.check_exponent(argument, at)
        elif argument.is_number and argument.is_positive is not True:
            raise TexError("a logarithm needs a positive argument", at)
        else:
            self.needs += needs.of_log(argument)
        return sound(_FUNCTIONS[name](argument), at)

    # -- atoms --------------------------------------------------------------------------------
    def atom(self) -> Factor:
        sort, unit, meaning = self.word
        if sort not in _BEGINNING or sort == "function":
            raise self.refuse()
        self.take()
        if sort == "number":
            return Factor(Rational(unit.text), unit.at, "number")
        if sort == "euler":
            return Factor(S.Exp1, unit.at, "name")
        if meaning is not None:
            self.needs.append(needs.of_name(meaning))
            return Factor(meaning, unit.at, "name")
        if sort == "extremum":
            return self.extremum(unit)
        if sort in _BRACKETS:
            return self.bracket(unit)
        parts = [self.group(part, unit.at) for part in unit.parts]
        return self.fraction(*parts) if sort == "frac" else self.root(*parts)

    def bracket(self, opening: Unit) -> Factor:
        inside, at = self.deeper(self.inner, opening.at)
        self.expect(_BRACKETS[opening.text])
        if opening.text != "\\lvert":
            return Factor(inside, at, "bracket")
        guards.check_height(at, inside)
        return Factor(sound(sympy.Abs(inside), at), at, "bars")

    def fraction(self, above: Placed, below: Placed) -> Factor:
        divisor = self.power(below[0], S.NegativeOne, below[1])
        return Factor(sound(Mul(above[0], divisor), above[1]), above[1], "fraction")

    def root(self, *parts: Placed) -> Factor:
        exponent: Expr = S.Half
        if len(parts) == 2:
            exponent = self.power(parts[0][0], S.NegativeOne, parts[0][1])
        return Factor(self.power(parts[-1][0], exponent, parts[-1][1]), parts[0][1], "closed")

    def extremum(self, of: Unit) -> Factor:
        if of.power is not None:
            raise TexError(f"a power of \\{of.text} cannot be read", of.at)
        opening = self.expect("(", "[", "\\{")
        found = [self.deeper(self.sum, opening.at)[0]]
        while self.now == "," or len(found) < 2:
            self.expect(",")
            found.append(self.deeper(self.sum, opening.at)[0])
        self.expect(_BRACKETS[opening.text])
        function = sympy.Max if of.text == "max" else sympy.Min
        parts = [arg for part in found for arg in function.make_args(part)]
        size = 0
        for part in parts:
            for _ in sympy.preorder_traversal(part):
                size += 1
                if size * len(parts) > MAX_COMPARED:
                    raise TexError(f"{of.text} of too much", of.at)
        guards.check_height(of.at, *parts)
        return Factor(sound(function(*parts), of.at), of.at, "closed")

    # -- case distinctions ------------------------------------------------------------------
    def cases(self) -> Placed:
        unit = self.take()
        pieces = [unpunctuated(p) for p in self.grammar.pieces(unit.parts[0])]
        rows = split(pieces, lambda piece: piece[0].kind == "row")
        for inside in (u for row in rows for u, _ in row if u.kind == "row"):
            raise TexError("a case ends inside brackets", inside.at)
        if len(rows) > 1 and not stripped(rows[-1]):
            rows.pop()
        relations = sum(u.kind == "relation" for u, _ in pieces)
        if len(rows) > MAX_CASES or relations > 2 * MAX_CASES:
            raise TexError(f"more than {MAX_CASES} cases", unit.at)
        found: list[tuple[Expr, Boolean]] = []
        told: Boolean = S.false
        for row in rows:
            value, condition = self.case(row, unit, last=row is rows[-1])
            if told == S.true:  # SymPy would drop such a case, right or wrong.
                raise TexError(f"the cases before {value} leave nothing for it", 0)
            told = sympy.Or(told, condition)
            found.append((value, condition))
        distinction = Piecewise(*found)
        if not isinstance(distinction, Piecewise):  # what its cases are for would be lost
            raise TexError("all cases have one value: write it without them", 0)
        return sound(distinction, 0), 0

    def case(self, row: list[Piece], cases: Unit, *, last: bool) -> tuple[Expr, Boolean]:
        at = row[0][0].at if row else cases.at
        start = next(
            (k for k, p in enumerate(row) if p[0].kind == "amp" or words(p) is not None), None
        )
        if start is None:
            raise TexError("a case without a condition", at)
        value, place = self.run(stripped(row[:start], ENDING), self.sum, Unit("word", "if", at))
        told = stripped(_without(row[start:], "amp"), ENDING)
        if not told:
            raise TexError("a case without a condition", at)
        word = words(told[0])
        if word is not None:
            plain, at = word.strip(",;. "), told[0][0].at
            if plain in _OTHERWISE and len(told) == 1:
                if not last:
                    raise TexError("'otherwise' before the last case", at)
                return value, S.true
            if plain not in _IF:
                raise TexError(f"the text {show(word)} cannot be read here", at)
            told = _without(told[1:], "amp")
        noted = len(self.needs)
        condition = And(*map(self.condition, self._conditions(told)))
        self.bounds_need += self.needs[noted:]
        del self.needs[noted:]
        if condition in (S.true, S.false):
            holds = "always" if condition == S.true else "never"
            raise TexError(f"the condition of a case {holds} holds", place)
        return value, condition

    @staticmethod
    def _conditions(told: list[Piece]) -> list[list[Piece]]:
        """The conditions of a case; ``, \\text{and}`` is one joint, not two."""
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

    def condition(self, pieces: list[Piece]) -> Boolean:
        found, relations = self._sides(stripped(pieces), self.sum, _formula)
        if not relations:
            raise TexError("the formula ends too early", self.grammar.end)
        inside, bounds = found[0], found[-1]
        if len(relations) == 1 and isinstance(bounds, Bounds):
            return And(
                Rel(bounds.low, inside, "<" if bounds.low_open else "<="),
                Rel(inside, bounds.high, "<" if bounds.high_open else "<="),
            )
        for relation in relations:
            if relation.text in ("in", "->"):
                raise self.refuse(relation)
        pairs = zip(found, relations, found[1:], strict=False)
        return And(*(Rel(a, b, "==" if r.text == "=" else r.text) for a, r, b in pairs))

    # -- what pieces are to the grammar -------------------------------------------------------
    def _words(self, pieces: Sequence[Piece]) -> list[Word]:
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
                word = Word("known", unit, meaning)
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
            return Word("known", unit, CONSTANTS[unit.text])
        raise self._unknown(unit)

    def _unknown(self, unit: Unit) -> TexError:
        known = ", ".join(self.grammar.names.spelled[:30]) or "none"
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
                raise TexError("\\notin is read in conditions, before a list in braces", at)
            return kind
        if kind == "word":
            raise self._unknown(unit)
        if text in _SIGNS and kind in ("operator", "comma", "open", "close"):
            return text
        raise TexError(_unreadable(kind, text), at)


def _unreadable(kind: str, text: str) -> str:
    """Why a unit cannot be read anywhere in a formula."""
    if text in _NORMS:
        return (
            "an inner product or a norm that is not known; a known one stands alone on a side "
            f"of an equation: {_DECLARED}"
        )
    return _not_read(text, REFUSED.get(text, _HINTS.get(kind, "")))


def _not_read(text: str, why: str) -> str:
    return f"{show(text)} cannot be read here{': ' if why else ''}{why}"


_NORMS = ("\\|", "\\Vert", "\\lVert", "\\rVert", "\\langle", "\\rangle")
_HINTS = {
    "operator": "a sign after another operator needs parentheses",
    "comma": "a comma is read in intervals, in max and min, and before a wide space",
    "relation": "a relation needs a formula on each side, and stands outside brackets",
    "bar": "write an absolute value here with \\left| and \\right|",
}


def _formula(body: Sequence[Piece], k: int) -> None:
    """No side is anything else than a formula."""


def _refuse(at: int, one: str, other: str) -> NoReturn:
    raise TexError(f"two readings: {one} or {other}?", at)


def _check_beside(before: Factor, factor: Factor) -> None:
    """Refuse what may be no product, with no sign between its factors."""
    if before.kind == "called" and factor.kind in ("bracket", "raised", "bars"):
        _refuse(factor.at, "f(a) (b), written f(a) \\cdot (b),", "f((a) (b))")
    if factor.kind == "number":
        _refuse(factor.at, "a factor", "a lost script")
    if before.kind == "number" and factor.kind == "fraction" and factor.expr.is_number:
        _refuse(factor.at, "a product", "a mixed number")


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

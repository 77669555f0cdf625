"""The parser of formulas: lexemes by the rules of ``math.lark``, turned into SymPy by ``build``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise

from lark import Lark
from lark.exceptions import UnexpectedToken
from lark.lexer import Lexer
from sympy import Expr

from ...decide.defined import Condition
from ...language.statement import Side, Statement, TexError
from ...language.tokens import show
from .build import Build
from .lexemes import Lexeme, Lexemes
from .names import Piece
from .pieces import sides, stripped
from .sides import Sides
from .spelling import Unit


class _Given(Lexer):
    """The parser's lexer: the lexemes as they are given."""

    def __init__(self, _configuration: object):
        pass

    def lex(self, lexemes: list[Lexeme]) -> Iterator[Lexeme]:  # type: ignore[override]
        return iter(lexemes)


@lru_cache(maxsize=1)
def _parser() -> Lark:
    grammar = (files(__package__) / "math.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer=_Given, transformer=Build())  # type: ignore[arg-type]


class Grammar:
    """Reads runs of pieces as statements or as expressions; ``end`` is where the source ends."""

    def __init__(self, lexemes: Lexemes, end: int):
        self.lexemes = lexemes
        self.end = end
        self.sides = Sides(lexemes, self.expression, self.part)
        #: What expressions needed that are put into a statement: of letters, below limits.
        self.needs: list[Condition] = []
        self.bounds_need: list[Condition] = []

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
        statement = self._parsed(self.lexemes.of(stripped(pieces)))
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
        return self._parsed(self.lexemes.of(pieces))

    def statement(self, pieces: Sequence[Piece], follows: Side | None = None) -> Statement:
        """Read a formula with its relations.

        ``follows`` stands at the left of a formula that begins with its relation.
        """
        parts, relations = sides(pieces)
        first = next((k for k, r in enumerate(relations) if r.text in ("=", "->")), -1)
        equation = {r.text for r in relations} <= {"=", "->"} or relations[0].text == "="
        out: list[Lexeme] = []
        for k, part in enumerate(parts):
            body = stripped(part)
            at = body[0][0].at if body else pieces[0][0].at
            side = self.sides.special(body, k == first, equation)
            if not body and k == 0 and follows is not None:
                side = follows
            if side is not None:
                out.append(Lexeme("SIDE", "", at, side))
            elif body:
                out.extend(self.lexemes.of(part))
            if k < len(relations):
                out.extend(self.lexemes.of([(_bare(relations[k]), None)]))
        return self._parsed(out)

    def _parsed(self, lexemes: list[Lexeme]) -> Statement:
        try:
            found = _parser().parse(lexemes)  # type: ignore[arg-type]
        except UnexpectedToken as unexpected:
            raise _refusal(unexpected.token, lexemes, self.end) from None
        except TexError:
            raise
        except (
            ArithmeticError,
            AttributeError,
            NotImplementedError,
            TypeError,
            ValueError,
        ) as error:
            # SymPy refuses, for example, to compare complex numbers.
            raise TexError(f"this is not a quantity: {show(str(error))}") from None
        assert isinstance(found, Statement)
        return found


def _bare(relation: Unit) -> Unit:
    """A relation without what stands above an arrow."""
    return Unit("relation", relation.text, relation.at, sup=relation.sup)


_HINTS = {
    "PLUS": "a sign after another operator needs parentheses",
    "MINUS": "a sign after another operator needs parentheses",
    "_COMMA": "a comma is read in intervals, in max and min, and before a wide space",
    "RELATION": "a relation needs a formula on each side, and stands outside brackets",
    "ARROW": "an arrow needs a formula on each side, and stands outside brackets",
    "_IN": "only an interval can follow, and nothing after that",
}


def _refusal(token: Lexeme, lexemes: list[Lexeme], end: int) -> TexError:
    if token.type == "$END":
        return TexError("the formula ends too early", end)
    before = next((a for a, b in pairwise(lexemes) if b is token), None)
    hint = _HINTS.get(token.type, "")
    if before is not None and before.type in ("FUNCTION", "EXTREMUM"):
        what = "( with two or more values" if before.type == "EXTREMUM" else "its argument"
        hint = f"\\{before.value} needs {what}"
    message = f"{show(token.value)} cannot be read here"
    return TexError(f"{message}: {hint}" if hint else message, token.start_pos)

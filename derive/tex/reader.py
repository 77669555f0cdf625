r"""Read one display of LaTeX as expressions joined by relations.

The vocabulary is known: every name is given, or it is an error. What can be read in two ways
is an error that says which two. The stages are tokens, macros, units (letters with scripts),
layout (rows, names), and the grammar of ``math.lark``, whose rules ``build`` turns into SymPy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise

from lark import Lark
from lark.exceptions import UnexpectedToken
from lark.lexer import Lexer
from sympy import Expr

from .build import Build
from .layout import Layout, Lexeme
from .macros import Macros
from .names import Names
from .needs import taken
from .statement import Statement, TexError
from .tokens import MAX_TOKENS, show, tokenise
from .units import Formula, canonical_name

__all__ = ["canonical_name", "read"]


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


def read(source: str, names: Mapping[str, Expr], macros: Macros | None = None) -> Statement:
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

    Raises
    ------
    TexError
        If it cannot be read, or could be read in two ways; with the position in ``source``.
    """
    tokens = tokenise(source)
    if macros is not None:
        tokens = macros.expand(tokens)
    if sum(token.kind != "space" for token in tokens) > MAX_TOKENS:
        raise TexError(f"more than {MAX_TOKENS} tokens")
    lexemes = Layout(Formula(tokens), Names(names)).lexemes()
    taken()  # of a formula that was given up
    try:
        statement = _parser().parse(lexemes)  # type: ignore[arg-type]
    except UnexpectedToken as unexpected:
        raise _refusal(unexpected.token, lexemes, len(source)) from None
    except TexError:
        raise
    except (ArithmeticError, AttributeError, NotImplementedError, TypeError, ValueError) as error:
        # SymPy refuses, for example, to compare complex numbers.
        raise TexError(f"this is not a quantity: {show(str(error))}") from None
    assert isinstance(statement, Statement)
    return statement


_HINTS = {
    "PLUS": "a sign after another operator needs parentheses",
    "MINUS": "a sign after another operator needs parentheses",
    "_COMMA": "a comma is read in intervals, in max and min, and before a wide space",
    "RELATION": "a relation needs a formula on each side, and stands outside brackets",
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

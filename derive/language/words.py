"""The tokens of a statement without fonts and spacing: what is left means something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from . import vocabulary
from .statement import TexError
from .tokens import Token, show

_SILENT = {
    *vocabulary.SILENT,
    *vocabulary.THIN,
    *vocabulary.BLANKS,
    *vocabulary.QUADS,
    *vocabulary.SIDED,
    *vocabulary.SIZES,
    "\\substack",
}
_WORDS = vocabulary.UPRIGHT | vocabulary.TEXT | {"\\operatorname*"}
_SILENT_WORDS = {"with", "and", "where", "such that", "holds"}
_FOR_ALL = {"for all", "for every", "for any", "for each", "for", "if", "where for all"}


@dataclass(frozen=True)
class Lexeme:
    """A word, a letter with its accent, a command or a sign."""

    text: str
    kind: str
    at: int


def lexemes(tokens: Sequence[Token]) -> list[Lexeme]:
    r"""What tokens say; ``\text{Var}`` becomes one word."""
    out: list[Lexeme] = []
    k = 0
    while k < len(tokens):
        token = tokens[k]
        text, k = token.text, k + 1
        if token.kind == "space" or text in _SILENT:
            continue
        if token.kind in ("begin", "end"):
            raise TexError(f"the environment {show(text)} cannot be read in a statement", token.at)
        if text == "\\backslash":
            out.append(Lexeme("\\setminus", "command", token.at))
        elif text == "\\\\":
            out.append(Lexeme(",", "char", token.at))
        elif text in vocabulary.ACCENTS:
            inside, k = _argument(tokens, k)
            out.append(_accented(lexemes(inside), token))
        elif text in vocabulary.FONTS | vocabulary.KEPT_FONTS:
            inside, k = _argument(tokens, k)
            out += _in_font(inside, token)
        elif text == "=" and out and out[-1].text == ":":
            out[-1] = Lexeme(":=", "char", out[-1].at)
        else:
            out.append(Lexeme(text, token.kind, token.at))
    return out


def _accented(letters: list[Lexeme], accent: Token) -> Lexeme:
    power = len(letters) == 3 and letters[1].text == "^" and letters[2].text.isdigit()
    if len(letters) != 1 and not power:
        raise TexError(f"an accent must stand over one letter: {show(accent.text)}", accent.at)
    base = "".join(one.text.removeprefix("\\") for one in letters)
    return Lexeme(f"{base}~{accent.text[1:]}", "letter", accent.at)


def _in_font(inside: Sequence[Token], font: Token) -> list[Lexeme]:
    """What stands in a font: a word, or what it would be without."""
    if font.text not in _WORDS | vocabulary.KEPT_FONTS:
        return lexemes(inside)
    word = " ".join("".join(" " if t.kind == "space" else t.text for t in inside).split())
    if font.text in _WORDS and word in _FOR_ALL:
        return [Lexeme("\\forall", "command", font.at)]
    silent = font.text in _WORDS and word in _SILENT_WORDS
    return [] if silent else [Lexeme(word, "word", font.at)]


def _argument(tokens: Sequence[Token], k: int) -> tuple[Sequence[Token], int]:
    """What stands in braces from ``k`` on, or one token; and where it ends."""
    while k < len(tokens) and tokens[k].kind == "space":
        k += 1
    if k >= len(tokens) or tokens[k].text != "{":
        return tokens[k : k + 1], k + 1
    depth, start = 0, k
    while k < len(tokens):
        depth += (tokens[k].text == "{") - (tokens[k].text == "}")
        k += 1
        if depth == 0:
            break
    return tokens[start + 1 : k - 1], k

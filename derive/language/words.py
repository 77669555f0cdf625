"""The items of a statement without fonts and spacing: what is left means something."""

from __future__ import annotations

from dataclasses import dataclass

from . import vocabulary
from .items import Items, flat
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


def lexemes(items: Items) -> list[Lexeme]:
    r"""What items say; ``\text{Var}`` becomes one word."""
    out: list[Lexeme] = []
    k = 0
    while k < len(items):
        item, token = items[k], items[k].token
        text, k = token.text, k + 1
        if text in vocabulary.ACCENTS | vocabulary.FONTS | vocabulary.KEPT_FONTS:
            inside = items[k : k + 1]
            if inside and inside[0].is_group:
                inside = inside[0].inside or []
            out += (
                _accented(inside, token) if text in vocabulary.ACCENTS else _in_font(inside, token)
            )
            k += 1
        elif item.inside is not None:
            if item.end is None or not item.is_group:
                raise TexError(
                    f"the environment {show(text)} cannot be read in a statement", token.at
                )
            edges = (Lexeme(edge.text, "char", edge.at) for edge in (token, item.end))
            out += [next(edges), *lexemes(item.inside), next(edges)]
        elif text == "\\backslash":
            out.append(Lexeme("\\setminus", "command", token.at))
        elif text == "\\\\":
            out.append(Lexeme(",", "char", token.at))
        elif text == "=" and out and out[-1].text == ":":
            out[-1] = Lexeme(":=", "char", out[-1].at)
        elif text not in _SILENT:
            out.append(Lexeme(text, token.kind, token.at))
    return out


def _accented(items: Items, accent: Token) -> list[Lexeme]:
    letters = lexemes(items)
    power = len(letters) == 3 and letters[1].text == "^" and letters[2].text.isdigit()
    if len(letters) != 1 and not power:
        raise TexError(f"an accent must stand over one letter: {show(accent.text)}", accent.at)
    base = "".join(one.text.removeprefix("\\") for one in letters)
    return [Lexeme(f"{base}~{accent.text[1:]}", "letter", accent.at)]


def _in_font(inside: Items, font: Token) -> list[Lexeme]:
    """What stands in a font: a word, or what it would be without."""
    if font.text not in _WORDS | vocabulary.KEPT_FONTS:
        return lexemes(inside)
    word = " ".join("".join(t.text for t in flat(inside)).split())
    if font.text in _WORDS and word in _FOR_ALL:
        return [Lexeme("\\forall", "command", font.at)]
    silent = font.text in _WORDS and word in _SILENT_WORDS
    return [] if silent else [Lexeme(word, "word", font.at)]

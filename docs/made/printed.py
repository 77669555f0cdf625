"""What a paper prints, words with LaTeX between them, for a page that typesets formulas."""

from __future__ import annotations

import re

from cltheory.derive.write.wording import inert

#: One letter is a symbol, unless it is a word of the language.
_SYMBOL = re.compile(r"[A-Za-z]'*|mn|np|mnp")
_WORDS = ("a", "A", "I")
#: A word of some length; several symbols beside each other are none.
_NAME = re.compile(r"(?!mnp)[A-Za-z]{3,}")
_LABEL = re.compile(r"\(([A-Z]\.)?\d+\)")
_SIGNS = set("\\^_=<>+/{}|[]*") | set("0123456789")
_RELATIONS = ("=", "<", ">", "\\le", "\\ge", "\\ne", "\\in", "\\to")
#: Punctuation at the end; a space of TeX, as "\,", is none.
_POINTS = re.compile(r"(?<!\\)[.,;:]+$")
_OPEN, _CLOSE = re.compile(r"\\left(?![a-z])|\\begin"), re.compile(r"\\right(?![a-z])|\\end")


def typeset(text: str) -> str:
    """Markdown of a printed text: a formula between dollar signs, its words beside them."""
    pieces = _pieces(" ".join(text.split()))
    if not any(_is_sentence(p) for p in pieces):
        return f"$\\displaystyle {text.strip()}$"
    is_math = [_is_math(p) for p in pieces]
    for k in range(len(pieces) - 1):  # "a" before a relation is the letter
        if pieces[k] in _WORDS and pieces[k + 1].startswith(_RELATIONS):
            is_math[k] = True
    out: list[str] = []
    row: list[str] = []
    for piece, math in zip(pieces, is_math, strict=True):
        if math or (_is_open(row) and _closes(piece)):
            stem = _POINTS.sub("", piece)
            row.append(stem)
            if stem != piece and _is_open(row):  # a comma in brackets
                row[-1] = piece
            elif stem != piece:
                out.append(f"${' '.join(row)}${piece[len(stem) :]}")
                row = []
        else:
            if row:
                out.append(f"${' '.join(row)}$")
                row = []
            out.append(escaped(piece))
    if row:
        out.append(f"${' '.join(row)}$")
    return " ".join(out)


def _pieces(text: str) -> list[str]:
    """Parts between spaces that are in no braces."""
    found, depth, now = [], 0, ""
    for word in text.split(" "):
        now = f"{now} {word}" if now else word
        bare = word.replace("\\{", "").replace("\\}", "")
        depth += bare.count("{") - bare.count("}")
        depth += len(_OPEN.findall(word)) - len(_CLOSE.findall(word))
        if depth <= 0:
            found.append(now)
            now, depth = "", 0
    return [*found, now] if now else found


def _is_open(row: list[str]) -> bool:
    """Whether there is a bracket without its mate; intervals may be half open."""
    text = " ".join(row)
    return sum(map(text.count, "([")) > sum(map(text.count, ")]"))


def _closes(piece: str) -> bool:
    return sum(map(piece.count, ")]")) > sum(map(piece.count, "(["))


def _is_math(piece: str) -> bool:
    stem = _POINTS.sub("", piece)
    if _LABEL.fullmatch(stem) or stem in _WORDS or "$" in stem:
        return False
    if re.fullmatch(r"[A-Z]\.\d+", stem):  # A.3, a label
        return False
    if _NAME.search(stem) and not set(stem) & set("\\^_=<>{"):  # CIFAR-100, (N-1)-simplex
        return False
    return bool(set(stem) & _SIGNS) or bool(_SYMBOL.fullmatch(stem.strip("()"))) or stem == "-"


def _is_sentence(piece: str) -> bool:
    return bool(re.fullmatch(r"[A-Za-z][a-z'-]{2,}[.,;:]?", piece)) and not _is_math(piece)


def escaped(text: object) -> str:
    """Text on one line, with nothing in it that Markdown or MathJax would read."""
    return inert(" ".join(str(text).split()))

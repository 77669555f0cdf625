r"""Spelling: letters with their scripts, in one canonical form for all ways to write them.

Here it is decided what a name is. ``N^-`` is one, ``N^2`` is a power of ``N``. Fonts are
dropped except ``\mathcal``, ``\mathbb``, ``\mathscr`` and ``\mathfrak``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ...language.statement import Relation, TexError
from ...language.tokens import Token, closing, show
from ...language.vocabulary import (
    ACCENTS,
    BLANKS,
    DECORATING,
    FONTS,
    FRACTIONS,
    IN_NAMES,
    KEPT_FONTS,
    LETTERS,
    OPERATOR_WORDS,
    QUADS,
    RELATIONS,
    TEXT,
    THIN,
    UPRIGHT,
)
from .plain import plain

Range = tuple[int, int]  #: indices of tokens, the second one not included


@dataclass(slots=True)
class Unit:
    """One unit.

    Attributes
    ----------
    kind
        ``name number function word text open close bar operator relation and comma semicolon
        dot amp row quad forall frac sqrt binom cases fence limit null strange``.
    text
        Canonical spelling without scripts.
    at
        Offset into the source.
    sub, primes, sup
        Canonical spelling of the scripts; ``sup`` is empty if there is none.
    power, index
        The tokens of the superscript and of the subscript.
    parts
        The tokens of the arguments, where there are some.
    """

    kind: str
    text: str
    at: int
    sub: str = ""
    primes: int = 0
    sup: str = ""
    decorated: bool = False
    power: Range | None = None
    index: Range | None = None
    parts: list[Range] = field(default_factory=list)

    @property
    def stem(self) -> str:
        """The spelling up to a power."""
        sub = f"_{{{self.sub}}}" if self.sub else ""
        return self.text + sub + ("^{" + "\\prime" * self.primes + "}" if self.primes else "")

    @property
    def full(self) -> str:
        """The spelling with everything."""
        if not self.sup:
            return self.stem
        if self.primes and self.decorated:
            return self.stem[:-1] + self.sup + "}"
        return f"{self.stem}^{{{self.sup}}}"


def joined(texts: Iterable[str]) -> str:
    r"""Put canonical spellings side by side: ``\alpha`` before a letter needs a blank."""
    out = ""
    for text in texts:
        word = out[out.rfind("\\") + 1 :] if "\\" in out else ""
        out += " " + text if word.isalpha() and text[:1].isalpha() else text
    return out


class Spelling:
    r"""The tokens of a display, and how names and scripts in them are spelled.

    ``signs`` are further relations: ``\equiv`` where it is declared to be one.
    """

    def __init__(self, tokens: list[Token], signs: Mapping[str, Relation] | None = None):
        self.tokens = plain(tokens)
        self.relations: Mapping[str, str] = {**RELATIONS, **(signs or {})}
        self.partner = closing(self.tokens)
        self.over = self._fractions_by_over()

    def _fractions_by_over(self) -> dict[int, int]:
        r"""Where each brace group (by its opening; -1 for the whole) has its ``\over``."""
        found: dict[int, int] = {}
        opened, fenced = [-1], [0]
        for k, token in enumerate(self.tokens):
            if k in self.partner:
                opened.append(k)
                fenced.append(0)
            elif token.kind == "end" or (token.kind == "char" and token.text == "}"):
                opened.pop()
                fenced.pop()
            elif token.text == "\\left":
                fenced[-1] += 1
            elif token.text == "\\right":
                fenced[-1] -= 1
            elif token.text == "\\over":
                if opened[-1] in found or fenced[-1] or self._kind(opened[-1]) == "begin":
                    raise TexError("\\over here needs braces around its fraction", token.at)
                found[opened[-1]] = k
        return found

    def _kind(self, index: int) -> str:
        return self.tokens[index].kind if 0 <= index < len(self.tokens) else ""

    def _is(self, index: int, text: str) -> bool:
        """Whether the token at ``index`` is this character."""
        return self._kind(index) == "char" and self.tokens[index].text == text

    def _skip(self, index: int, end: int) -> int:
        while index < end and self._kind(index) == "space":
            index += 1
        return index

    # -- spelling of names --------------------------------------------------------------

    def spelling(self, start: int, end: int) -> str:
        """Canonical spelling of what stands in a script or under an accent."""
        pieces: list[str] = []
        closers: dict[int, str] = {}  # what to write where a group or a wrapped token ends
        takes = ""  # the command that waits for its argument
        k = start
        while k < end:
            token = self.tokens[k]
            text = token.text
            if token.kind == "space" or text in THIN | BLANKS | QUADS:
                k += 1
                continue
            if k in self.partner:
                if token.kind == "begin":
                    raise TexError("an environment in a name", token.at)
                closers[self.partner[k]] = "}" if takes else ""
                pieces.append("{" if takes else "")
                takes = ""
            elif token.kind == "char" and text == "}":
                pieces.append(closers.get(k, ""))
            elif text in FONTS:
                pass  # its argument stands as it is
            elif text in ("_", "^") or text in ACCENTS | KEPT_FONTS:
                pieces.append(("{" if takes else "") + text)
                if takes:  # `x_\hat y`: the inner command takes one more token
                    raise TexError(f"{show(takes)} needs braces around {show(text)}", token.at)
                takes = text
                k += 1
                continue
            else:
                text = {"\\ast": "*", "'": "^{\\prime}"}.get(text, text)
                text = text[1:] if text[1:] in OPERATOR_WORDS else text
                text = {"\\leq": "\\le", "\\geq": "\\ge", "\\neq": "\\ne"}.get(text, text)
                plain = text in LETTERS | DECORATING | IN_NAMES or text == "^{\\prime}"
                if not (plain or text.isalnum()):
                    raise TexError(f"{show(text)} in a name", token.at)
                pieces.append(f"{{{text}}}" if takes else text)
                takes = ""
            k += 1
        if takes:
            raise TexError(f"{show(takes)} lacks its argument", self.tokens[start].at)
        return joined(p for p in pieces if p)

    def _one_token(self, k: int, end: int, command: Token, last: bool = True) -> Range:
        """Return the argument at ``k``: a group, or one token that cannot be mistaken."""
        k = self._skip(k, end)
        what = show(command.text)
        if k >= end:
            raise TexError(f"{what} lacks an argument", command.at)
        token = self.tokens[k]
        foreign = token.chunk not in (0, command.chunk)
        if self._is(k, "{") and not foreign:
            return k, self.partner[k] + 1
        plain = (token.kind == "char" and token.text.isalnum()) or token.text in LETTERS
        if not plain or foreign:
            raise TexError(f"{what} needs braces around its argument", token.at)
        if last and k + 1 < end:
            after = self.tokens[k + 1]
            digits = token.text.isdigit() and after.kind == "char" and after.text.isdigit()
            script = after.kind == "char" and after.text in ("_", "^", "'")
            if digits or script or (token.text.isdigit() and after.text == "."):
                raise TexError(
                    f"{what} takes one token, {show(token.text)}, and not what follows it too: "
                    "braces are needed to tell which is meant",
                    token.at,
                )
        return k, k + 1

    def _inside(self, span: Range) -> Range:
        start, end = span
        return (start + 1, end - 1) if self._is(start, "{") and start in self.partner else span

    def _script(self, k: int, end: int) -> tuple[Range, int]:
        """Return the inside of the script whose ``_`` or ``^`` is at ``k``, and what is next."""
        mark = self.tokens[k]
        k = self._skip(k + 1, end)
        if k >= end:
            raise TexError(f"{show(mark.text)} with nothing after it", mark.at)
        token = self.tokens[k]
        if self._is(k, "{"):
            return (k + 1, self.partner[k]), self.partner[k] + 1
        if token.text in FONTS | KEPT_FONTS and token.kind == "command":
            k2 = self._skip(k + 1, end)
            if k2 < end and self._is(k2, "{"):
                return (k, self.partner[k2] + 1), self.partner[k2] + 1
            return (k, self._one_token(k + 1, end, token)[1]), k2 + 1
        if token.text in FRACTIONS | {"\\sqrt"} and token.kind == "command":
            after = k + 1
            for _ in range(2 if token.text in FRACTIONS else 1):
                after = self._skip(after, end)
                if not self._is(after, "{"):
                    raise TexError(
                        f"{show(mark.text)} needs braces around {show(token.text)}", token.at
                    )
                after = self.partner[after] + 1
            return (k, after), after
        word = token.text[1:] in OPERATOR_WORDS or token.text in LETTERS | DECORATING
        if token.kind == "char" and (token.text.isalnum() or token.text in "*+-"):
            following = self.tokens[k + 1] if k + 1 < end else None
            if token.text.isdigit() and following is not None and following.kind == "char":
                if following.text.isdigit() or (
                    following.text == "." and k + 2 < end and self.tokens[k + 2].text.isdigit()
                ):
                    raise TexError(
                        f"{mark.text}{token.text}{following.text} prints only {token.text} as the "
                        "script: put the script in braces",
                        mark.at,
                    )
        elif not word and token.text != "\\ast":
            raise TexError(f"{show(mark.text)} needs braces around {show(token.text)}", token.at)
        return (k, k + 1), k + 1

    def _scripts(self, unit: Unit, k: int, end: int) -> int:
        """Read the scripts that stand at ``k`` into the unit; return what is next."""
        while (k := self._skip(k, end)) < end:
            mark = self.tokens[k]
            if mark.text in ("\\limits", "\\nolimits"):
                k += 1
                continue
            if mark.kind != "char":
                break
            if mark.text == "'":
                if unit.sup:
                    raise TexError("a prime after a superscript", mark.at)
                unit.primes += 1
                k += 1
            elif mark.text == "_":
                if unit.sub:
                    raise TexError("two subscripts: a_{b_c} or {a_b}_c?", mark.at)
                inside, k = self._script(k, end)
                unit.index = inside
                unit.sub = (
                    self._spelled_or_not(inside) if unit.kind == "limit" else self.spelling(*inside)
                )
                if not unit.sub:
                    raise TexError("an empty subscript", mark.at)
            elif mark.text == "^":
                if unit.sup:
                    raise TexError("two superscripts: a^{b^c} or (a^b)^c?", mark.at)
                inside, k = self._script(k, end)
                self._superscript(unit, inside, mark)
            else:
                break
        return k

    def _superscript(self, unit: Unit, inside: Range, mark: Token) -> None:
        texts = [
            t.text
            for t in self.tokens[inside[0] : inside[1]]
            if t.kind != "space" and t.text not in THIN | BLANKS and not self._brace(t)
        ]
        if not texts:
            raise TexError("an empty superscript", mark.at)
        if set(texts) == {"\\prime"} and not unit.primes:
            unit.primes = len(texts)
            return
        unit.power = inside
        unit.sup = self._spelled_or_not(inside)
        # Letters in an upright superscript must not be taken for a product in the exponent.
        upright = texts[0] in UPRIGHT | TEXT and inside[1] == self._end_of_font(inside)
        if upright or (len(texts) == 1 and texts[0][1:] in OPERATOR_WORDS):
            unit.sup = f"\\mathrm{{{unit.sup}}}"
            unit.decorated = True
        elif set(texts) <= DECORATING | {"\\ast"}:
            unit.decorated = True
        elif texts[0] == "(" and texts[-1] == ")" and texts.count("(") == 1:
            unit.decorated = True

    def _spelled_or_not(self, inside: Range) -> str:
        try:
            return self.spelling(*inside)
        except TexError:
            return "\\?"  # a script that is no part of any name

    @staticmethod
    def _brace(token: Token) -> bool:
        return token.kind == "char" and token.text in "{}"

    def _end_of_font(self, inside: Range) -> int:
        """Where the argument of the font command at the start of ``inside`` ends."""
        k = inside[0]
        while k < inside[1] and self._kind(k) in ("space", "command"):
            k += 1
        k = self.partner[k] + 1 if k in self.partner else k + 1
        return self._skip(k, inside[1])

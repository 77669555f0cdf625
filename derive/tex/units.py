r"""Units of a formula: a letter with its scripts, a bracket, a relation, a fraction.

Here it is decided what a name is. ``N^-`` is one, ``N^2`` is a power of ``N``. Fonts are
dropped except ``\mathcal``, ``\mathbb``, ``\mathscr`` and ``\mathfrak``. An upright word of
several letters is one name, never a product of letters. Braces around a part of a formula do
not print, so they do not group.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .statement import TexError
from .tokens import Token, closing, show, tokenise
from .vocabulary import (
    ACCENTS,
    AND,
    ANNOTATED,
    BARS,
    BLANKS,
    CASES,
    CLOSING,
    DECORATING,
    FONTS,
    FRACTIONS,
    FUNCTIONS,
    IN_NAMES,
    KEPT_FONTS,
    LETTERS,
    MARKS,
    OPENING,
    OPERATOR_WORDS,
    OPERATORS,
    QUADS,
    QUADS_OF,
    RELATIONS,
    SIDED,
    SILENT,
    SILENT_OF,
    SIZES,
    TEXT,
    THIN,
    TRANSPARENT,
    UPRIGHT,
)

Range = tuple[int, int]  #: indices of tokens, the second one not included


@dataclass(slots=True)
class Unit:
    """One unit.

    Attributes
    ----------
    kind
        ``name number function word text open close bar operator relation and comma semicolon
        dot amp row quad forall frac sqrt binom cases fence``.
    text
        Canonical spelling without scripts.
    at
        Offset into the source.
    sub, primes, sup
        Canonical spelling of the scripts; ``sup`` is empty if there is none.
    power
        The tokens of the superscript.
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


class Formula:
    """The tokens of a display and how to cut ranges of them into units."""

    def __init__(self, tokens: list[Token]):
        self.tokens = tokens
        self.partner = closing(tokens)
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
        while (k := self._skip(k, end)) < end and self.tokens[k].kind == "char":
            mark = self.tokens[k]
            if mark.text == "'":
                if unit.sup:
                    raise TexError("a prime after a superscript", mark.at)
                unit.primes += 1
                k += 1
            elif mark.text == "_":
                if unit.sub:
                    raise TexError("two subscripts: a_{b_c} or {a_b}_c?", mark.at)
                inside, k = self._script(k, end)
                unit.sub = self.spelling(*inside)
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
        try:
            unit.sup = self.spelling(*inside)
        except TexError:
            unit.sup = "\\?"  # a power that is no part of any name
        # Letters in an upright superscript must not be taken for a product in the exponent.
        upright = texts[0] in UPRIGHT | TEXT and inside[1] == self._end_of_font(inside)
        if upright or (len(texts) == 1 and texts[0][1:] in OPERATOR_WORDS):
            unit.sup = f"\\mathrm{{{unit.sup}}}"
            unit.decorated = True
        elif set(texts) <= DECORATING | {"\\ast"}:
            unit.decorated = True
        elif texts[0] == "(" and texts[-1] == ")" and texts.count("(") == 1:
            unit.decorated = True

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

    # -- units --------------------------------------------------------------------------

    def units(self, start: int, end: int) -> list[Unit]:
        """Cut a range of tokens into units."""
        opener = start - 1 if start and self.partner.get(start - 1) == end else -1
        if opener in self.over and (opener >= 0 or (start, end) == (0, len(self.tokens))):
            middle = self.over[opener]
            at = self.tokens[middle].at
            return [Unit("frac", "\\over", at, parts=[(start, middle), (middle + 1, end)])]
        return _Cutter(self, start, end).cut()


class _Cutter:
    """Cuts one range; a class only to keep its state together."""

    def __init__(self, formula: Formula, start: int, end: int):
        self.f = formula
        self.k, self.end = start, end
        self.out: list[Unit] = []
        self.groups: list[tuple[int, int, bool]] = []  # its end, units before it, horizontal brace
        self.texts: list[int] = []  # where a \text with mathematics in it ends

    def cut(self) -> list[Unit]:
        while self.k < self.end:
            token = self.f.tokens[self.k]
            if token.kind == "space":
                self.k += 1
            elif token.kind == "begin":
                self._environment(token)
            elif token.kind == "end":
                self._fence(token)
            elif token.kind == "command":
                self._command(token)
            else:
                self._char(token)
        return self.out

    def _add(self, unit: Unit, width: int = 1) -> None:
        """Add a unit without scripts."""
        self.out.append(unit)
        self.k += width

    def _with_scripts(self, unit: Unit, after: int) -> None:
        self.out.append(unit)
        self.k = self.f._scripts(unit, after, self.end)

    # -- characters ---------------------------------------------------------------------

    def _char(self, token: Token) -> None:
        text = token.text
        if text.isdigit() or (text == "." and self._digit_at(self.k + 1)):
            self._number(token)
        elif text.isalpha():
            self._with_scripts(Unit("name", text, token.at), self.k + 1)
        elif text == "{":
            self._open_group()
        elif text == "}":
            self._close_group(token)
        elif text == "$" and self.texts:
            self.k += 1
            self._words(token)
        elif text == ":" and self.f._is(self.f._skip(self.k + 1, self.end), "="):
            self.k = self.f._skip(self.k + 1, self.end)
            self._add(Unit("relation", "=", token.at))
        elif text == "~":
            self._blank(token)
        elif text in OPENING:
            self._add(Unit("open", text, token.at))
        elif text in CLOSING:
            self._with_scripts(Unit("close", text, token.at), self.k + 1)
        else:
            self._symbol(token)

    def _symbol(self, token: Token) -> None:
        """Read an operator, a relation or a mark, written as a character or a command."""
        text = token.text
        if text in RELATIONS:
            self._add(Unit("relation", RELATIONS[text], token.at))
        elif text in OPERATORS:
            self._add(Unit("operator", OPERATORS[text], token.at))
        elif text in MARKS:
            self._add(Unit(MARKS[text], text, token.at))
            if text == "\\\\":
                self._row_options()
        elif text in BARS:
            self._with_scripts(Unit("bar", text, token.at), self.k + 1)
        elif text in ("_", "^", "'"):
            raise TexError(f"{show(text)} with nothing before it that it could belong to", token.at)
        else:  # an error, unless it is in a side condition
            self._with_scripts(Unit("strange", text, token.at), self.k + 1)

    def _row_options(self) -> None:
        r"""Pass over the ``*`` and ``[2pt]`` of a ``\\``."""
        k = self.k
        if self.f._is(k, "*"):
            k += 1
        close = k
        while close < min(self.end, k + 10) and not self.f._is(close, "]"):
            close += 1
        inside = "".join(t.text for t in self.f.tokens[k + 1 : close])
        if self.f._is(k, "[") and self.f._is(close, "]") and inside.endswith(_LENGTHS):
            k = close + 1
        self.k = k

    def _digit_at(self, k: int) -> bool:
        return k < self.end and self.f._kind(k) == "char" and self.f.tokens[k].text.isdigit()

    def _number(self, token: Token) -> None:
        k = self.k
        while self._digit_at(k):
            k += 1
        if self.f._is(k, ".") and self._digit_at(k + 1):
            k += 1
            while self._digit_at(k):
                k += 1
        text = "".join(t.text for t in self.f.tokens[self.k : k])
        if self.out and self.out[-1].kind == "number" and not self.out[-1].sup:
            raise TexError(
                f"{self.out[-1].text} {text}: one number or a product? (a blank does not print)",
                token.at,
            )
        self._with_scripts(Unit("number", text, token.at), k)

    # -- braces that do not print -------------------------------------------------------

    def _open_group(self) -> None:
        close = self.f.partner[self.k]
        if self.k in self.f.over:
            middle, start = self.f.over[self.k], self.k
            unit = Unit("frac", "\\over", self.f.tokens[start].at)
            unit.parts = [(start + 1, middle), (middle + 1, close)]
            self._with_scripts(unit, close + 1)
            return
        self.groups.append((close, len(self.out), False))
        self.k += 1

    def _braced(self, token: Token) -> None:
        r"""Enter the argument of ``\underbrace``, which prints as if it were not there."""
        start, _ = self.f._one_token(self.k + 1, self.end, token)
        if not self.f._is(start, "{"):
            raise TexError(f"{show(token.text)} needs braces", token.at)
        self.groups.append((self.f.partner[start], len(self.out), True))
        self.k = start + 1

    def _label(self, inside: list[Unit], token: Token) -> None:
        """Pass over the label of a horizontal brace."""
        depth = 0
        for unit in inside:
            depth += (unit.kind == "open") - (unit.kind == "close")
            if not depth and unit.kind in ("operator", "relation", "function") and unit.text != "*":
                raise TexError(
                    "a horizontal brace around more than a product: does it group?", unit.at
                )
        k = self.f._skip(self.k, self.end)
        if k < self.end and self.f.tokens[k].text in ("_", "^"):
            _, self.k = self.f._script(k, self.end)

    def _close_group(self, token: Token) -> None:
        self.k += 1
        if self.texts and self.texts[-1] == self.k - 1:
            self.texts.pop()
            return
        _, before, braced = self.groups.pop()
        inside = self.out[before:]
        if braced:
            self._label(inside, token)
            return
        if len(inside) == 1 and inside[0].kind == "comma":
            raise TexError("{,}: a decimal comma or thousands? write the number plainly", token.at)
        after = self.f._skip(self.k, self.end)
        if after >= self.end or not (
            self.f._kind(after) == "char" and self.f.tokens[after].text in ("_", "^", "'")
        ):
            return
        unit = inside[-1] if inside else None
        if len(inside) == 1 and unit is not None and unit.decorated:
            # {N^-}^2: what is in the braces is a name, and this is its power.
            self.out[-1] = Unit(unit.kind, unit.full, unit.at)
            self.k = self.f._scripts(self.out[-1], after, self.end)
            return
        whole = len(inside) == 1 or (unit is not None and unit.kind == "close" and _one(inside))
        if unit is None or not whole or unit.kind in _BARE or unit.sup or unit.primes:
            raise TexError(
                "a script after braces: braces do not print, so it seems to belong to the last "
                "sign in them only; use parentheses",
                self.f.tokens[after].at,
            )
        self.k = self.f._scripts(unit, after, self.end)

    # -- commands -----------------------------------------------------------------------

    def _command(self, token: Token) -> None:
        text = token.text
        if text in FONTS | KEPT_FONTS:
            self._font(token)
        elif text in THIN | SILENT:
            self.k += 1
        elif text in BLANKS:
            self._blank(token)
        elif text in QUADS:
            self._add(Unit("quad", text, token.at))
        elif text in QUADS_OF | SILENT_OF:
            star = self.f._is(self.k + 1, "*")
            _, self.k = self.f._one_token(self.k + 1 + star, self.end, token)
            if text in QUADS_OF:
                self.out.append(Unit("quad", text, token.at))
        elif text in LETTERS:
            self._with_scripts(Unit("name", text, token.at), self.k + 1)
        elif text in ACCENTS:
            span = self.f._one_token(self.k + 1, self.end, token, last=False)
            spelled = f"{text}{{{self.f.spelling(*self.f._inside(span))}}}"
            self._with_scripts(Unit("name", spelled, token.at), span[1])
        elif text[1:] in FUNCTIONS:
            self._with_scripts(Unit("function", text[1:], token.at), self.k + 1)
        elif text in FRACTIONS:
            self._arguments(token, "frac", 2)
        elif text in ("\\binom", "\\dbinom", "\\tbinom"):
            self._arguments(token, "binom", 2)
        elif text == "\\sqrt":
            self._root(token)
        elif text in SIDED or text in SIZES:
            self._delimiter(token)
        elif text in OPENING:
            self._add(Unit("open", OPENING[text], token.at))
        elif text in CLOSING:
            self._with_scripts(Unit("close", CLOSING[text], token.at), self.k + 1)
        elif text in AND:
            self._add(Unit("and", text, token.at))
        elif text == "\\forall":
            self._add(Unit("forall", text, token.at))
        elif text in ANNOTATED:
            self._annotated(token)
        elif text in ("\\underbrace", "\\overbrace"):
            self._braced(token)
        else:
            self._symbol(token)

    def _blank(self, token: Token) -> None:
        r"""Read ``\ `` or ``~``: two in a row set formulas apart, as a quad does."""
        self.k += 1
        k = self.f._skip(self.k, self.end)
        if k < self.end and self.f.tokens[k].text in BLANKS:
            self._add(Unit("quad", token.text, token.at), k + 1 - self.k)

    def _arguments(self, token: Token, kind: str, count: int) -> None:
        unit = Unit(kind, token.text, token.at)
        after = self.k + 1
        for k in range(count):
            span = self.f._one_token(after, self.end, token, last=k == count - 1)
            unit.parts.append(self.f._inside(span))
            after = span[1]
        self._with_scripts(unit, after)

    def _root(self, token: Token) -> None:
        unit = Unit("sqrt", token.text, token.at)
        after = self.f._skip(self.k + 1, self.end)
        if after < self.end and self.f._is(after, "["):
            start, depth = after + 1, 0
            while True:
                after = self.f.partner.get(after, after) + 1
                if after >= self.end:
                    raise TexError("the index of a root is not closed", token.at)
                depth += self.f._is(after, "[") - self.f._is(after, "]")
                if depth < 0:
                    break
            unit.parts.append((start, after))
            after += 1
        span = self.f._one_token(after, self.end, token)
        unit.parts.append(self.f._inside(span))
        self._with_scripts(unit, span[1])

    def _delimiter(self, token: Token) -> None:
        side = SIDED.get(token.text, "")
        self.k = self.f._skip(self.k + 1, self.end)
        if self.k >= self.end:
            raise TexError(f"{show(token.text)} lacks its delimiter", token.at)
        text = self.f.tokens[self.k].text
        if text == "." and side:
            self._add(Unit("null", token.text, token.at))
        elif side and text in BARS:
            spelled = f"\\{side[0].replace('o', 'l').replace('c', 'r')}{BARS[text]}"
            self._with_scripts(Unit(side, spelled, token.at), self.k + 1)
        elif text in OPENING and side != "close":
            self._add(Unit("open", OPENING[text], token.at))
        elif text in CLOSING and side != "open":
            self._with_scripts(Unit("close", CLOSING[text], token.at), self.k + 1)
        elif text in BARS:
            self._with_scripts(Unit("bar", text, token.at), self.k + 1)
        else:
            raise TexError(f"{show(token.text + text)} cannot be read", token.at)

    def _annotated(self, token: Token) -> None:
        r"""Read ``\overset{(a)}{=}``: the relation."""
        note = self.f._one_token(self.k + 1, self.end, token, last=False)
        k = self.f._skip(note[1], self.end)
        inside = [t for t in self.f.tokens[k : self.f.partner.get(k, k) + 1] if t.kind != "space"]
        marks = [t.text for t in inside if not self.f._brace(t)]
        relation = RELATIONS.get("".join(marks)) if marks != [":", "="] else "="
        if token.text == "\\underset":
            relation = None
        if relation is None or relation == "in":
            raise TexError(f"{show(token.text)} cannot be read except above a relation", token.at)
        self.out.append(Unit("relation", relation, token.at))
        self.k = self.f.partner.get(k, k) + 1

    # -- fonts and text -----------------------------------------------------------------

    def _font(self, token: Token) -> None:
        after = self.k + 1 + self.f._is(self.k + 1, "*")
        span = self.f._one_token(after, self.end, token, last=False)
        inside = self.f._inside(span)
        parts = [t for t in self.f.tokens[inside[0] : inside[1]] if t.kind != "space"]
        letters = "".join(t.text for t in parts if t.kind == "char")
        if token.text in KEPT_FONTS:
            spelled = f"{token.text}{{{self.f.spelling(*inside)}}}"
            self._with_scripts(Unit("name", spelled, token.at), span[1])
        elif len(parts) == 1 and letters.isalpha():
            kind = "upright" if letters == "e" and token.text in UPRIGHT else ""
            unit = Unit("name", letters, token.at)
            unit.parts = [inside] if kind else []
            self._with_scripts(unit, span[1])
        elif token.text in TEXT and not (
            letters.isalpha() and len(parts) == len(letters) and len(parts) == inside[1] - inside[0]
        ):
            self.texts.append(span[1] - 1)
            self.k = inside[0]
            self._words(token)
        elif parts and letters.isalpha() and len(parts) == len(letters):
            unit = Unit("word", f"\\operatorname{{{letters}}}", token.at)
            if letters in FUNCTIONS:
                unit = Unit("function", letters, token.at)
            self._with_scripts(unit, span[1])
        elif token.text not in TEXT and parts and parts[0].text in LETTERS | ACCENTS | KEPT_FONTS:
            spelled = self.f.spelling(*inside)
            if parts[0].text in LETTERS and len(parts) > 1:
                raise TexError("a font around more than one letter", token.at)
            self._with_scripts(Unit("name", spelled, token.at), span[1])
        else:
            raise TexError(f"{show(token.text)} around something that is not a name", token.at)

    def _words(self, token: Token) -> None:
        """Read the words of a text up to a ``$`` or its end."""
        end, words = self.texts[-1], ""
        while self.k < end and not self.f._is(self.k, "$"):
            piece = self.f.tokens[self.k]
            if piece.kind in ("begin", "end") or piece.text in ("_", "^", "&", "\\\\"):
                raise TexError(f"{show(piece.text)} in a text", piece.at)
            words += " " if piece.text in BLANKS | QUADS else piece.text
            self.k += 1
        self.out.append(Unit("text", " ".join(words.lower().split()), token.at))
        if self.k < end:
            self.k += 1  # into the mathematics
        elif self.k == end:
            self.texts.pop()
            self.k += 1

    # -- environments -------------------------------------------------------------------

    def _environment(self, token: Token) -> None:
        close = self.f.partner[self.k]
        if token.text in CASES:
            unit = Unit("cases", "\\begin{cases}", token.at, parts=[(self.k + 1, close)])
            self._with_scripts(unit, close + 1)
            return
        if token.text not in TRANSPARENT or self.groups or self.texts:
            raise TexError(f"the environment {show(token.text)} cannot be read here", token.at)
        if self.out and self.out[-1].kind not in ("relation", "quad"):
            raise TexError(f"{show(token.text)} cannot be read after {show('...')}", token.at)
        self.k += 1
        if token.text == "alignedat":
            _, self.k = self.f._one_token(self.k, self.end, token)
        elif self.f._is(self.k, "["):
            self.k += 3

    def _fence(self, token: Token) -> None:
        """Mark the end of an environment that is read as if it were not there."""
        self._add(Unit("fence", token.text, token.at))


_LENGTHS = ("pt", "em", "ex", "mm", "cm", "in", "mu")
_BARE = {"operator", "relation", "comma", "semicolon", "dot", "amp", "row", "quad", "open", "text",
         "frac", "and", "forall", "fence", "bar"}  # fmt: skip

_IN_NAMES_KINDS = {"name", "word", "number", "function", "open", "close", "bar", "operator",
                   "comma", "semicolon", "dot", "strange"}  # fmt: skip


def _one(units: list[Unit]) -> bool:
    """Whether these are one bracket from its opening to its end."""
    depth = 0
    for place, unit in enumerate(units):
        depth += (unit.kind == "open") - (unit.kind == "close")
        if depth <= 0:
            return place == len(units) - 1
    return False


def name_units(text: str) -> list[Unit]:
    """Cut the spelling of a name into units.

    Raises
    ------
    TexError
        If it cannot be read.
    """
    tokens = tokenise(text)
    units = [u for u in Formula(tokens).units(0, len(tokens)) if u.kind != "quad"]
    for unit in units:
        if (unit.parts and unit.kind != "name") or unit.kind not in _IN_NAMES_KINDS:
            raise TexError(f"{show(text)} is not a name", unit.at)
    if not units:
        raise TexError("an empty name")
    return units


def canonical_name(text: str) -> str:
    r"""One spelling for all the ways to write a name.

    ``\tilde \delta`` is ``\tilde{\delta}``, ``t_B`` is ``t_{B}``, ``\alpha_{\mathrm{min}}`` is
    ``\alpha_{min}``, ``x'`` is ``x^{\prime}``.

    Raises
    ------
    TexError
        If it is not the spelling of a name.
    """
    return joined(u.full for u in name_units(text))

r"""Units of a formula: a letter with its scripts, a bracket, a relation, a fraction.

An upright word of several letters is one name, never a product of letters. Braces around a
part of a formula do not print, so they do not group.
"""

from __future__ import annotations

from ...language.statement import TexError
from ...language.tokens import Token, show, tokenise
from ...language.vocabulary import (
    ACCENTS,
    AND,
    ANNOTATED,
    BARS,
    BLANKS,
    CASES,
    CLOSING,
    FONTS,
    FRACTIONS,
    FUNCTIONS,
    KEPT_FONTS,
    LETTERS,
    OPENING,
    QUADS,
    QUADS_OF,
    SIDED,
    SILENT,
    SILENT_OF,
    SIZES,
    STATED,
    TEXT,
    THIN,
    TRANSPARENT,
    UPRIGHT,
)
from .characters import Characters
from .notes import check_label, check_note, check_overlap
from .spelling import Range, Spelling, Unit, joined


class Formula(Spelling):
    """The tokens of a display and how to cut ranges of them into units."""

    # -- units --------------------------------------------------------------------------

    def units(self, start: int, end: int) -> list[Unit]:
        """Cut a range of tokens into units."""
        opener = start - 1 if start and self.partner.get(start - 1) == end else -1
        if opener in self.over and (opener >= 0 or (start, end) == (0, len(self.tokens))):
            middle = self.over[opener]
            at = self.tokens[middle].at
            return [Unit("frac", "\\over", at, parts=[(start, middle), (middle + 1, end)])]
        return _Cutter(self, start, end).cut()


class _Cutter(Characters):
    """Cuts one range: what commands and environments stand for."""

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

    # -- commands -----------------------------------------------------------------------

    def _command(self, token: Token) -> None:
        text = token.text
        if text in FONTS | KEPT_FONTS:
            self._font(token)
        elif text in THIN | SILENT:
            self.k += 1
            # Two of them set formulas apart, as a quad does.
            after = self.f._skip(self.k, self.end)
            if text == "\\;" and after < self.end and self.f.tokens[after].text == text:
                self._add(Unit("quad", text, token.at), after + 1 - self.k)
        elif text in BLANKS:
            self._blank(token)
        elif text in QUADS:
            self._add(Unit("quad", text, token.at))
        elif text in QUADS_OF | SILENT_OF:
            star = self.f._is(self.k + 1, "*")
            span, self.k = self._argument(self.k + 1 + star, token)
            inside = self.f.tokens[slice(*span)]
            if text == "\\tag":
                check_label(inside, token)
            if text in ("\\hspace", "\\mspace") and any(t.text == "-" for t in inside):
                check_overlap(inside, token)
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
        elif text in SIDED or text in SIZES or text == "\\middle":
            self._delimiter(token)
        elif text in OPENING:
            self._add(Unit("open", OPENING[text], token.at))
        elif text in CLOSING:
            self._with_scripts(Unit("close", CLOSING[text], token.at), self.k + 1)
        elif text in STATED:
            self._add(Unit("stated", text, token.at))
        elif text in AND:
            self._add(Unit("and", text, token.at))
        elif text == "\\forall":
            self._add(Unit("forall", text, token.at))
        elif text in ANNOTATED:
            self._annotated(token)
        elif text == "\\xrightarrow":
            self._arrow(token)
        elif text == "\\lim":
            self._with_scripts(Unit("limit", text, token.at), self.k + 1)
        elif text in ("\\underbrace", "\\overbrace", "\\boxed"):
            self._braced(token)
        else:
            self._symbol(token)

    def _arguments(self, token: Token, kind: str, count: int) -> None:
        unit = Unit(kind, token.text, token.at)
        after = self.k + 1
        for k in range(count):
            span = self.f._one_token(after, self.end, token, last=k == count - 1)
            unit.parts.append(self.f._inside(span))
            after = span[1]
        self._with_scripts(unit, after)

    def _argument(self, k: int, token: Token) -> tuple[Range, int]:
        """The inside of the argument at ``k``, and the place after it."""
        span = self.f._one_token(k, self.end, token)
        return self.f._inside(span), span[1]

    def _root(self, token: Token) -> None:
        unit = Unit("sqrt", token.text, token.at)
        after = self.f._skip(self.k + 1, self.end)
        if after < self.end and self.f._is(after, "["):
            after, index = self._bracket(after, token)
            unit.parts.append(index)
        span = self.f._one_token(after, self.end, token)
        unit.parts.append(self.f._inside(span))
        self._with_scripts(unit, span[1])

    def _delimiter(self, token: Token) -> None:
        side = SIDED.get(token.text, "")
        self.k = self.f._skip(self.k + 1, self.end)
        if self.k >= self.end:
            raise TexError(f"{show(token.text)} lacks its delimiter", token.at)
        text = self.f.tokens[self.k].text
        if text == "." and token.text == "\\left" and (close := self._unseen(self.k)) is not None:
            self.unseen.add(close)
            self.k += 1
        elif text == "." and side and self.k in self.unseen:
            self.k += 1
        elif text == "." and side:
            self._add(Unit("null", token.text, token.at))
        elif side and text in BARS:
            spelled = f"\\{side[0].replace('o', 'l').replace('c', 'r')}{BARS[text]}"
            self._with_scripts(Unit(side, spelled, token.at), self.k + 1)
        elif text in OPENING and side != "close":
            if token.text != "\\left" or not self._system(token):
                self._add(Unit("open", OPENING[text], token.at))
        elif text in CLOSING and side != "open":
            self._with_scripts(Unit("close", CLOSING[text], token.at), self.k + 1)
        elif text in BARS:
            self._with_scripts(Unit("bar", text, token.at), self.k + 1)
        elif text == "/" and self._is_alone():
            self._add(Unit("operator", text, token.at))
        else:
            raise TexError(f"{show(token.text + text)} cannot be read", token.at)

    def _is_alone(self) -> bool:
        """Whether no sum stands beside the tall sign here, which may divide it or a term of it."""
        for step in (-1, 1):
            depth, k = 0, self.k + step
            while 0 <= k < self.end and depth >= 0:
                text = self.f.tokens[k].text
                opened = (text in OPENING or text == "{") - (text in CLOSING or text == "}")
                depth, k = depth + step * opened, k + step
                if not depth and text in self.f.relations:
                    break
                if not depth and text in ("+", "-"):
                    return False
        return True

    def _unseen(self, k: int) -> int | None:
        r"""The point of the ``\right.`` that goes with the ``\left.`` at ``k``: nothing prints."""
        depth = 1
        for j in range(k + 1, self.end):
            depth += {"\\left": 1, "\\right": -1}.get(self.f.tokens[j].text, 0)
            if not depth:
                point = self.f._skip(j + 1, self.end)
                after = self.f._skip(point + 1, self.end)
                scripts = after < self.end and self.f.tokens[after].text in ("^", "_", "'")
                plain = point < self.end and self.f._is(point, ".") and not scripts
                return point if plain else None
        return None

    def _annotated(self, token: Token) -> None:
        r"""Read ``\overset{(a)}{=}``: the relation. Below an arrow stands what tends."""
        span = self.f._one_token(self.k + 1, self.end, token, last=False)
        note, k = self.f._inside(span), self.f._skip(span[1], self.end)
        close = self.f.partner.get(k, k)
        inside = [t for t in self.f.tokens[k : close + 1] if t.kind != "space"]
        marks = [t.text for t in inside if not self.f._brace(t)]
        relation = self.f.relations.get("".join(marks)) if marks != [":", "="] else "="
        if marks == ["\\lim"] and token.text == "\\underset":
            self._with_scripts(Unit("limit", "\\lim", token.at, index=note), close + 1)
            return
        if relation is None or relation == "in":
            raise TexError(f"{show(token.text)} cannot be read except at a relation", token.at)
        self.out.append(Unit("relation", relation, token.at))
        if relation == "->" and note[0] < note[1]:
            self.out[-1].parts = [note]
        else:
            check_note(self.f.tokens[slice(*note)], token)
        self.k = close + 1

    def _arrow(self, token: Token) -> None:
        r"""Read ``\xrightarrow[below]{above}``: what tends stands at one of the places."""
        unit = Unit("relation", "->", token.at)
        k = self.f._skip(self.k + 1, self.end)
        if k < self.end and self.f._is(k, "["):
            k, below = self._bracket(k, token)
            unit.parts.append(below)
        span = self.f._one_token(k, self.end, token, last=False)
        unit.parts.append(self.f._inside(span))
        unit.parts = [p for p in unit.parts if self.f._skip(*p) < p[1]]
        self._add(unit)
        self.k = span[1]

    def _bracket(self, k: int, token: Token) -> tuple[int, Range]:
        """What stands in the square brackets at ``k``, and the place after them."""
        start, depth, k = k + 1, 0, k + 1
        while k < self.end:
            depth += self.f._is(k, "[") - self.f._is(k, "]")
            if depth < 0:
                return k + 1, (start, k)
            k = self.f.partner.get(k, k) + 1
        raise TexError(f"[ is not closed at {show(token.text)}", token.at)

    # -- fonts and text -----------------------------------------------------------------

    def _font(self, token: Token) -> None:
        after = self.k + 1 + self.f._is(self.k + 1, "*")
        span = self.f._one_token(after, self.end, token, last=False)
        inside = self.f._inside(span)
        parts = [t for t in self.f.tokens[inside[0] : inside[1]] if t.kind != "space"]
        together = [t for t in parts if t.text != "\\ "]
        letters = "".join(t.text for t in together)
        if token.text in UPRIGHT and len(together) < len(parts) and letters.isalnum():
            # The words of one name, such as \mathrm{mean\ norm}.
            unit = Unit("word", f"\\operatorname{{{letters}}}", token.at)
            self._with_scripts(unit, span[1])
            return
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
        elif letters.isalnum() and letters[0].isalpha() and len(parts) == len(letters):
            unit = Unit("word", f"\\operatorname{{{letters}}}", token.at)
            if letters == "lim":
                unit = Unit("limit", "\\lim", token.at)
            elif letters in FUNCTIONS:
                unit = Unit("function", letters, token.at)
            self._with_scripts(unit, span[1])
        elif token.text not in TEXT and parts and parts[0].text in LETTERS | ACCENTS | KEPT_FONTS:
            spelled = self.f.spelling(*inside)
            if parts[0].text in LETTERS and len(parts) > 1:
                raise TexError("a font around more than one letter", token.at)
            self._with_scripts(Unit("name", spelled, token.at), span[1])
        else:
            raise TexError(f"{show(token.text)} around something that is not a name", token.at)

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
        if token.text in ("alignedat", "array"):
            _, self.k = self.f._one_token(self.k, self.end, token)
        elif self.f._is(self.k, "["):
            self.k += 3

    def _system(self, token: Token) -> bool:
        r"""Read ``\left\{ \begin{array}{ll} .. \end{array} \right.``: cases, as they once were."""
        start = self.f._skip(self.k + 1, self.end)
        close = self.f.partner.get(start, self.end)
        if self.f._kind(start) != "begin" or self.f.tokens[start].text not in ("array", "aligned"):
            return False
        right = self.f._skip(close + 1, self.end)
        point = self.f._skip(right + 1, self.end)
        if point >= self.end or self.f.tokens[right].text != "\\right":
            return False
        if self.f.tokens[self.k].text not in ("\\{", "\\lbrace") or not self.f._is(point, "."):
            return False
        inside = start + 1
        if self.f.tokens[start].text == "array":
            _, inside = self.f._one_token(inside, close, token)
        unit = Unit("cases", "\\begin{cases}", token.at, parts=[(inside, close)])
        self._with_scripts(unit, point + 1)
        return True

    def _fence(self, token: Token) -> None:
        """Mark the end of an environment that is read as if it were not there."""
        self._add(Unit("fence", token.text, token.at))


_IN_NAMES_KINDS = {"name", "word", "number", "function", "open", "close", "bar", "operator",
                   "comma", "semicolon", "dot", "strange"}  # fmt: skip


def name_units(text: str) -> list[Unit]:
    """Cut the spelling of a name into units.

    Raises
    ------
    TexError
        If it cannot be read.
    """
    formula = Formula(tokenise(text))
    units = [u for u in formula.units(0, len(formula.tokens)) if u.kind != "quad"]
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

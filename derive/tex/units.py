r"""Units of a formula: a letter with its scripts, a bracket, a relation, a fraction.

An upright word of several letters is one name, never a product of letters. Braces around a
part of a formula do not print, so they do not group.
"""

from __future__ import annotations

from collections.abc import Mapping

from .notes import check_label, check_note
from .plain import plain
from .spelling import Range, Spelling, Unit, joined
from .statement import Relation, TexError
from .tokens import Token, show, tokenise
from .vocabulary import (
    ACCENTS,
    AND,
    ANNOTATED,
    BARS,
    BLANKS,
    CASES,
    CLOSING,
    FONTS,
    FRACTIONS,
    FROM_SIDE,
    FUNCTIONS,
    KEPT_FONTS,
    LETTERS,
    MARKS,
    OPENING,
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


class Formula(Spelling):
    r"""The tokens of a display and how to cut ranges of them into units.

    ``signs`` are further relations: ``\equiv`` where it is declared to be one.
    """

    def __init__(self, tokens: list[Token], signs: Mapping[str, Relation] | None = None):
        super().__init__(plain(tokens))
        self.relations: Mapping[str, str] = {**RELATIONS, **(signs or {})}

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
        self.groups: list[tuple[int, int, Token | None]] = []  # end, units before, brace or box
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
        elif text in ":=" and self._other(token):
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

    def _other(self, token: Token) -> bool:
        """Whether ``:=`` or ``=:`` begins here."""
        after = self.f._skip(self.k + 1, self.end)
        return self.f._is(after, {":": "=", "=": ":"}[token.text])

    def _symbol(self, token: Token) -> None:
        """Read an operator, a relation or a mark, written as a character or a command."""
        text = token.text
        if text in self.f.relations:
            self._add(
                Unit("relation", self.f.relations[text], token.at, sup=FROM_SIDE.get(text, ""))
            )
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
        self.groups.append((close, len(self.out), None))
        self.k += 1

    def _braced(self, token: Token) -> None:
        r"""Enter the argument of ``\underbrace`` or ``\boxed``, read as if it stood alone."""
        start, _ = self.f._one_token(self.k + 1, self.end, token)
        if not self.f._is(start, "{"):
            raise TexError(f"{show(token.text)} needs braces", token.at)
        self.groups.append((self.f.partner[start], len(self.out), token))
        self.k = start + 1

    def _label(self, before: int, token: Token) -> None:
        """Leave a horizontal brace or a box: it may seem to group what is in it."""
        k = self.f._skip(self.k, self.end)
        if k < self.end and self.f.tokens[k].text in ("_", "^"):
            if token.text == "\\boxed":
                raise TexError("a script at a box", self.f.tokens[k].at)
            span, self.k = self.f._script(k, self.end)
            check_label(self.f.tokens[slice(*span)], token)
            k = self.k
        while k < self.end and (self.f._kind(k) == "space" or self.f.tokens[k].text in THIN):
            k += 1
        left = before == 0 or self.out[before - 1].kind in _ENDS
        if left and (k >= self.end or self._ends_a_side(self.f.tokens[k])):
            return
        depth = 0
        for unit in self.out[before:]:
            depth += (unit.kind == "open") - (unit.kind == "close")
            if not depth and unit.kind in ("operator", "relation", "function") and unit.text != "*":
                raise TexError(
                    f"{show(token.text)} around more than a product: does it group?", unit.at
                )

    def _ends_a_side(self, token: Token) -> bool:
        return token.text in SILENT_OF | QUADS | set(MARKS) | set(self.f.relations) | {"$"}

    def _close_group(self, token: Token) -> None:
        self.k += 1
        if self.texts and self.texts[-1] == self.k - 1:
            self.texts.pop()
            return
        _, before, brace = self.groups.pop()
        inside = self.out[before:]
        if brace is not None:
            self._label(before, brace)
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
        elif text == "\\xrightarrow":
            self._arrow(token)
        elif text == "\\lim":
            self._with_scripts(Unit("limit", text, token.at), self.k + 1)
        elif text in ("\\underbrace", "\\overbrace", "\\boxed"):
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
        if text == "." and side:
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
        else:
            raise TexError(f"{show(token.text + text)} cannot be read", token.at)

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


#: What a side of a relation can begin after.
_ENDS = {"relation", "quad", "comma", "semicolon", "amp", "row", "and"}
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

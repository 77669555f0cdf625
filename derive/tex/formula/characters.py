r"""Units that are written in characters: letters, numbers, signs, braces, texts.

Braces around a part of a formula do not print, so they do not group. A box or a horizontal
brace may seem to, and is read where that makes no difference.
"""

from __future__ import annotations

from ...language.statement import TexError
from ...language.tokens import Token, show
from ...language.vocabulary import (
    BARS,
    BLANKS,
    CLOSING,
    FROM_SIDE,
    MARKS,
    OPENING,
    OPERATORS,
    QUADS,
    SILENT,
    SILENT_OF,
    TEXT,
    THIN,
)
from .notes import check_label
from .spelling import Spelling, Unit

#: What a side of a relation can begin after.
_ENDS = {"relation", "quad", "comma", "semicolon", "amp", "row", "and"}
_LENGTHS = ("pt", "em", "ex", "mm", "cm", "in", "mu")
_BARE = {"operator", "relation", "comma", "semicolon", "dot", "amp", "row", "quad", "open", "text",
         "frac", "and", "forall", "fence", "bar"}  # fmt: skip


class Characters:
    """Cuts what is written in characters; a class to keep the state of cutting together."""

    def __init__(self, formula: Spelling, start: int, end: int):
        self.f = formula
        self.k, self.end = start, end
        self.out: list[Unit] = []
        self.groups: list[tuple[int, int, Token | None]] = []  # end, units before, brace or box
        self.texts: list[int] = []  # where a \text with mathematics in it ends
        self.unseen: set[int] = set()  # points of each \right. that goes with a \left.

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

    def _blank(self, token: Token) -> None:
        r"""Read ``\ `` or ``~``: two in a row set formulas apart, as a quad does."""
        self.k += 1
        k = self.f._skip(self.k, self.end)
        if k < self.end and self.f.tokens[k].text in BLANKS:
            self._add(Unit("quad", token.text, token.at), k + 1 - self.k)

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
        while k < self.end and (
            self.f._kind(k) == "space" or self.f.tokens[k].text in THIN | SILENT
        ):
            k += 1
        left = before == 0 or self.out[before - 1].kind in _ENDS
        if left and (k >= self.end or self._ends_a_side(k)):
            return
        depth = 0
        for unit in self.out[before:]:
            depth += (unit.kind == "open") - (unit.kind == "close")
            if not depth and unit.kind in ("operator", "relation", "function") and unit.text != "*":
                raise TexError(
                    f"{show(token.text)} around more than a product: does it group?", unit.at
                )

    def _ends_a_side(self, k: int) -> bool:
        token = self.f.tokens[k]
        if token.text in TEXT and k + 2 < self.end:  # a text that is no letter of the formula
            inside = self.f.tokens[k + 2]
            return self.f._is(k + 1, "{") and not inside.text[-1].isalnum()
        return token.text in SILENT_OF | QUADS | set(MARKS) | set(self.f.relations) | {"$"}

    def _close_group(self, token: Token) -> None:
        self.k += 1
        if self.texts and self.texts[-1] == self.k - 1:
            self.texts.pop()
            return
        if not self.groups:
            raise TexError("a brace that closes nothing, in a text with formulas", token.at)
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


def _one(units: list[Unit]) -> bool:
    """Whether these are one bracket from its opening to its end."""
    depth = 0
    for place, unit in enumerate(units):
        depth += (unit.kind == "open") - (unit.kind == "close")
        if depth <= 0:
            return place == len(units) - 1
    return False

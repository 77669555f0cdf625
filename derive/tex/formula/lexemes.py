"""From units to the tokens of the grammar: names, numbers, brackets, case distinctions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sympy import Expr, oo, pi

from ...language.statement import TexError
from ...language.tokens import MAX_NESTING, show
from ...language.vocabulary import REFUSED
from .names import Names, Piece
from .pieces import ENDING, at_top, depths, stripped, unpunctuated, words
from .spelling import Range, Unit
from .units import Formula

_DECLARED = "[LATEX -> EXPRESSION] in the directive says what it stands for"
MAX_DIGITS = 60
MAX_CASES = 40  #: and twice as many relations in them

_IF = {"if", "for", "when", "whenever", "if and only if", "iff", "in case", "where"}
_OTHERWISE = {"otherwise", "else", "o.w", "in all other cases"}
CONSTANTS: Mapping[str, Expr] = {"\\pi": pi, "\\infty": oo}


@dataclass
class Lexeme:
    """A token for the parser; ``meaning`` is the expression or the relation it stands for."""

    type: str
    value: str
    start_pos: int
    meaning: Any = None
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    end_pos: int = 0


class Lexemes:
    """Turns runs of pieces into lexemes."""

    def __init__(self, formula: Formula, names: Names):
        self.formula = formula
        self.names = names

    def pieces(self, start: int, end: int) -> list[Piece]:
        """The units of a range of tokens, with their meanings."""
        return self.names.resolve(self.formula.units(start, end))

    def of(self, pieces: Sequence[Piece]) -> list[Lexeme]:
        """All lexemes of a run of pieces, in order."""
        out: list[Lexeme] = []
        depth = 0
        waiting: list[Lexeme | Range] = [*reversed(self._emit(pieces))]
        while waiting:
            item = waiting.pop()
            if isinstance(item, Lexeme):
                depth += item.type in _OPENS
                depth -= item.type in _CLOSES
                if depth > MAX_NESTING:
                    raise TexError(f"nested more than {MAX_NESTING} deep", item.start_pos)
                out.append(item)
            else:
                waiting.extend(reversed(self._emit(self.pieces(*item))))
        return out

    def _emit(self, pieces: Sequence[Piece]) -> list[Lexeme | Range]:
        """Lexemes of a run of pieces; the tokens of arguments are left as ranges."""
        out: list[Lexeme | Range] = []
        pieces = _with_paired_bars(pieces)
        for k, (unit, meaning) in enumerate(pieces):
            if unit.kind == "quad":
                self._check_quad(pieces, k)
                continue
            if unit.kind not in _SCRIPTED and (unit.sub or unit.sup or unit.primes):
                raise TexError(f"a script that cannot be read at {_shown(unit)}", unit.at)
            if unit.kind == "function" and unit.text in ("max", "min"):
                _check_commas(pieces[k + 1 :])
            if meaning is not None:
                _check_function(pieces, k)
                out.append(Lexeme("NAME", unit.text, unit.at, meaning))
            elif unit.kind == "name":
                out.append(self._constant(unit))
            elif unit.kind == "cases":
                out.extend(self._cases(unit))
                continue
            elif unit.kind in ("frac", "sqrt", "binom"):
                types = {"frac": "_FRACTION", "sqrt": "_ROOT", "binom": "_BINOMIAL"}
                out.append(Lexeme(types[unit.kind], unit.kind, unit.at))
                for part in unit.parts:
                    out.extend(_group(part, unit.at))
            else:
                out.append(self._plain(unit))
            if unit.power is not None:
                if unit.kind == "frac":
                    raise TexError(
                        "a power of a fraction without brackets: (a/b)^c or a^c/b?", unit.at
                    )
                if unit.sub or unit.primes:
                    raise TexError(f"a script that cannot be read at {_shown(unit)}", unit.at)
                out.append(Lexeme("_POWER", "^", unit.at))
                out.extend(_group(unit.power, unit.at))
            elif unit.kind not in ("known", "name") and (unit.sub or unit.primes):
                raise TexError(f"a script that cannot be read at {_shown(unit)}", unit.at)
        return out

    @staticmethod
    def _check_quad(pieces: Sequence[Piece], k: int) -> None:
        before = pieces[k - 1][0].kind if k else "open"
        after = pieces[k + 1][0].kind if k + 1 < len(pieces) else "close"
        loose = {"operator", "relation", "comma", "quad", "and", "text"}
        if before not in loose | {"open"} and after not in loose | {"close"}:
            raise TexError(
                "a wide space between two factors: a product, or two formulas? A comma before the "
                "space, or \\text{for} after it, sets a condition apart",
                pieces[k][0].at,
            )

    def _constant(self, unit: Unit) -> Lexeme:
        """Read a name that was not given: a constant, or an error."""
        bare = not (unit.sub or unit.primes or unit.decorated)
        if bare and unit.text == "e" and (unit.power is not None or unit.parts):
            return Lexeme("EULER", "e", unit.at)
        if bare and unit.text in CONSTANTS:
            return Lexeme("NAME", unit.text, unit.at, CONSTANTS[unit.text])
        raise self._unknown(unit)

    def _unknown(self, unit: Unit) -> TexError:
        known = ", ".join(self.names.spelled[:30]) or "none"
        hint = ""
        if unit.text == "e" and unit.full == "e":
            hint = " (Euler's number is \\mathrm{e} or e^{1})"
        elif unit.decorated and unit.stem in self.names.starting:
            hint = f" (it is not taken for {show(unit.stem)})"
        elif unit.text in self.names.starting and unit.text != unit.full:
            hint = f" (it is not taken for {show(unit.text)})"
        return TexError(f"the name {show(unit.full)} is not known{hint}; known: {known}", unit.at)

    def _plain(self, unit: Unit) -> Lexeme:
        """Lexeme of a unit without arguments."""
        kind, text, at = unit.kind, unit.text, unit.at
        if kind == "number":
            if len(text) > MAX_DIGITS:
                raise TexError(f"a number of more than {MAX_DIGITS} digits", at)
            if len(text) > 1 and text[0] == "0" and text[1] != ".":
                raise TexError(f"the number {text} starts with 0", at)
            return Lexeme("NUMBER", text, at)
        if kind == "function":
            if unit.sub:
                raise TexError(f"{text} with a subscript cannot be read", at)
            return Lexeme("EXTREMUM" if text in ("max", "min") else "FUNCTION", text, at)
        if kind == "relation":
            types = {"in": "_IN", "->": "ARROW"}
            if text == "notin":
                raise TexError("\\notin is read in conditions, before a list in braces", at)
            if unit.sup:
                raise TexError("a slanted arrow stands only between a symbol and a point", at)
            return Lexeme(types.get(text, "RELATION"), text, at)
        if kind == "strange":
            why = REFUSED.get(text, "")
            raise TexError(f"{show(text)} cannot be read{': ' if why else ''}{why}", at)
        if kind == "null":
            raise TexError(f"{show(text + '.')} cannot be read here", at)
        if kind == "bar" and text in ("\\|", "\\Vert"):
            raise TexError(f"a norm that is not known: {_DECLARED}", at)
        if kind == "bar":
            raise TexError("bars: write an absolute value here with \\left| and \\right|", at)
        if kind == "limit":
            raise TexError(f"{text} cannot be read here: {REFUSED[text]}", at)
        if kind in ("word", "text"):
            if kind == "word":
                raise self._unknown(unit)
            raise TexError(f"the text {show(text)} cannot be read here", at)
        if kind in ("amp", "row", "fence", "forall", "and", "dot", "semicolon"):
            raise TexError(f"{show(text)} cannot be read here", at)
        lexeme = _LEXEMES.get(text)
        if text in ("\\langle", "\\rangle", "\\lVert", "\\rVert"):
            raise TexError(
                "an inner product or a norm that is not known; a known one stands alone on a side "
                f"of an equation: {_DECLARED}",
                at,
            )
        if lexeme is None:
            raise TexError(f"{show(text)} cannot be read; the brackets are ( ) [ ] \\{{ \\}}", at)
        return Lexeme(lexeme, text, at)

    # -- case distinctions --------------------------------------------------------------

    def _cases(self, unit: Unit) -> list[Lexeme | Range]:
        pieces = [unpunctuated(p) for p in self.pieces(*unit.parts[0])]
        rows: list[list[Piece]] = [[]]
        depth = depths(pieces)
        for k, piece in enumerate(pieces):
            if piece[0].kind == "row":
                if depth[k]:
                    raise TexError("a case ends inside brackets", piece[0].at)
                rows.append([])
            else:
                rows[-1].append(piece)
        if len(rows) > 1 and not stripped(rows[-1]):
            rows.pop()
        relations = sum(u.kind == "relation" for u, _ in pieces)
        if len(rows) > MAX_CASES or relations > 2 * MAX_CASES:
            raise TexError(f"more than {MAX_CASES} cases", unit.at)
        out: list[Lexeme | Range] = [Lexeme("_CASES", "cases", unit.at)]
        for index, row in enumerate(rows):
            at = row[0][0].at if row else unit.at
            if index:
                out.append(Lexeme("_ROW", "\\\\", at))
            split = next(
                (k for k, p in enumerate(row) if p[0].kind == "amp" or words(p) is not None), None
            )
            if split is None:
                raise TexError("a case without a condition", at)
            value = stripped(row[:split], ENDING)
            out.extend(self._emit(value))
            out.extend(self._conditions(row[split:], at, last=index == len(rows) - 1))
        out.append(Lexeme("_ENDCASES", "cases", unit.at))
        return out

    def _conditions(self, pieces: list[Piece], at: int, last: bool) -> list[Lexeme | Range]:
        if pieces[0][0].kind == "amp":
            pieces = pieces[1:]
        pieces = stripped(pieces, ENDING)
        if not pieces:
            raise TexError("a case without a condition", at)
        word = words(pieces[0])
        if word is not None:
            plain = word.strip(",;. ")
            if plain in _OTHERWISE and len(pieces) == 1:
                if not last:
                    raise TexError("'otherwise' before the last case", pieces[0][0].at)
                return [Lexeme("_OTHERWISE", plain, pieces[0][0].at)]
            if plain not in _IF:
                raise TexError(f"the text {show(word)} cannot be read here", pieces[0][0].at)
            pieces = pieces[1:]
            if pieces and pieces[0][0].kind == "amp":
                pieces = pieces[1:]
        depth = depths(pieces)
        out: list[Lexeme | Range] = [Lexeme("_WHEN", "if", at)]
        part: list[Piece] = []
        for k, piece in enumerate(pieces):
            word = words(piece)
            joins = piece[0].kind in ("and", "comma") or (
                word is not None and word.strip(",; ") == "and"
            )
            if not joins or depth[k]:
                part.append(piece)
            elif part:  # `, \text{and}` is one joint, not two
                if piece[0].kind == "comma":
                    check_list(part, pieces[k + 1 :], piece[0].at)
                out.extend(self._emit(stripped(part)))
                out.append(Lexeme("_AND", "and", piece[0].at))
                part = []
        out.extend(self._emit(stripped(part)))
        return out


def _check_function(pieces: Sequence[Piece], k: int) -> None:
    r"""Refuse ``\alpha_{\min}(\tau)`` inside a formula: its argument, or a factor?"""
    run = pieces[k + 1 : k + 4]
    if "_{" not in pieces[k][0].text or pieces[k][0].power is not None or len(run) < 3:
        return
    if run[0][0].text == "(" and run[1][1] is not None and run[2][0].full == ")":
        name, argument = pieces[k][0].text, run[1][0].full
        raise TexError(
            f"two readings: {name} as a function of {argument}, or a product? write \\cdot or "
            f"only {name}",
            run[0][0].at,
        )


def _with_paired_bars(pieces: Sequence[Piece]) -> Sequence[Piece]:
    """Make brackets of plain bars where there is one pair of them between two relations."""
    if not any(u.kind == "bar" for u, _ in pieces):
        return pieces
    out = list(pieces)

    def pair(bars: list[int]) -> None:
        if len(bars) != 2 or bars[1] - bars[0] < 2:
            return
        (one, _), (other, _) = (pieces[k] for k in bars)
        inside = pieces[bars[1] - 1][0].kind != "operator" and one.full == one.text
        if inside and {one.text, other.text} <= {"|", "\\vert"}:
            out[bars[0]] = replace(one, kind="open", text="\\lvert"), None
            out[bars[1]] = replace(other, kind="close", text="\\rvert"), None

    open_bars: list[list[int]] = [[]]
    for k, (unit, _) in enumerate(pieces):
        if unit.kind == "open":
            open_bars.append([])
        elif unit.kind == "close" and len(open_bars) > 1:
            pair(open_bars.pop())
        elif unit.kind in ("relation", "comma", "semicolon", "row"):
            pair(open_bars[-1])
            open_bars[-1] = []
        elif unit.kind == "bar":
            open_bars[-1].append(k)
    for bars in open_bars:
        pair(bars)
    return out


def _check_commas(pieces: Sequence[Piece]) -> None:
    """Refuse ``0,5`` in a list of more than two: a decimal comma, or two numbers?"""
    depth, commas, close = 0, 0, None
    for (before, _), (unit, _), (after, _) in zip(pieces, pieces[1:], pieces[2:], strict=False):
        depth += (before.kind == "open") - (before.kind == "close")
        if depth <= 0:
            return
        if unit.kind == "comma" and depth == 1:
            commas += 1
            near = before.kind == after.kind == "number" and after.at == unit.at + 1
            close = close or (unit if near and not before.sup else None)
        if close is not None and commas > 1:
            raise TexError("two readings: a decimal comma or two numbers?", close.at)


def check_list(before: list[Piece], after: list[Piece], at: int) -> None:
    """Refuse ``0 < a, b < 1``: one condition on a list, or two conditions?"""
    left, right = at_top(before, "relation"), at_top(after, "relation")
    if not left or not right:
        return
    bare = len(before) - left[-1] == 2 and right[0] == 1
    names = before[-1][1] is not None and after[0][1] is not None
    same = before[left[-1]][0].text[0] == after[right[0]][0].text[0]
    if bare and names and same:
        raise TexError("a < b, c < d: one condition on a list, or two? write 'and'", at)


def _group(span: Range, at: int) -> list[Lexeme | Range]:
    return [Lexeme("_BEGIN", "{", at), span, Lexeme("_END", "}", at)]


def _shown(unit: Unit) -> str:
    return show(unit.full or unit.kind)


_SCRIPTED = {"known", "name", "word", "number", "function", "close", "sqrt", "binom", "frac", "bar"}
_LEXEMES = {
    "+": "PLUS", "-": "MINUS", "*": "TIMES", "/": "OVER", ",": "_COMMA",
    "(": "_LPAR", ")": "_RPAR", "[": "_LBRACKET", "]": "_RBRACKET",
    "\\{": "_LBRACE", "\\}": "_RBRACE", "\\lvert": "_LBAR", "\\rvert": "_RBAR",
}  # fmt: skip
_OPENS = {"_LPAR", "_LBRACKET", "_LBRACE", "_LBAR", "_BEGIN", "_CASES"}
_CLOSES = {"_RPAR", "_RBRACKET", "_RBRACE", "_RBAR", "_END", "_ENDCASES"}

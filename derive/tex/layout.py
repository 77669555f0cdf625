"""From the units of a display to the tokens of the grammar: names, rows, side conditions.

A text that starts with a word such as ``for`` or ``if`` begins a side condition, which ends
with its row and is not compared. Rows that start with a relation or a plus go on with the row
before. Where a row end, a quad or an ``&`` could as well stand for a product, it is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sympy import Expr, oo, pi

from .names import Names, Piece
from .statement import TexError, Unread
from .tokens import MAX_NESTING, show
from .units import Formula, Range, Unit, joined
from .vocabulary import CONDITION_WORDS, OTHER_FUNCTIONS, REFUSED

MAX_DIGITS = 60
MAX_CASES = 40  #: and twice as many relations in them

_TAIL_WORDS = {"for", "where", "if", "with", "when", "whenever", "provided", "assuming", "w.p."}
_IF = {"if", "for", "when", "whenever", "if and only if", "iff", "in case", "where"}
_OTHERWISE = {"otherwise", "else", "o.w", "in all other cases"}
_EQUATION_NUMBER = re.compile(r"[a-z]{0,2}\.?[0-9]{1,3}(\.[0-9]{1,3}){0,2}[a-z]?")
#: A text that is rather a mathematical expression, such as a number or a set.
_NOT_WORDS = re.compile(r"^[^A-Za-z]*$")
_CONSTANTS: Mapping[str, Expr] = {"\\pi": pi, "\\infty": oo}


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


def _depths(pieces: Sequence[Piece]) -> list[int]:
    """How many brackets are open at each piece, itself not counted."""
    depths, depth = [], 0
    for unit, _ in pieces:
        depth -= unit.kind == "close"
        depths.append(depth)
        depth += unit.kind == "open"
    return depths


def _at_top(pieces: Sequence[Piece], kind: str) -> list[int]:
    depths = _depths(pieces)
    return [k for k, (u, _) in enumerate(pieces) if u.kind == kind and not depths[k]]


def _is_sign(unit: Unit) -> bool:
    return unit.kind == "operator" and unit.text in "+-"


def _words(piece: Piece) -> str | None:
    """The text of a piece that is text and not a known name."""
    unit, meaning = piece
    if meaning is not None:
        return None
    if unit.kind == "word" and unit.full == unit.text:
        return unit.text[len("\\operatorname{") : -1].lower()
    return unit.text if unit.kind == "text" else None


def _is_of_vectors(left: Sequence[Piece]) -> bool:
    """Whether a side is one inner product or one norm: a scalar that vectors define."""
    units = [u for u, _ in left]
    first, last = units[0], units[-1]
    if first.text == "\\|" and last.text == "\\|":
        return sum(u.kind == "bar" for u in units) == 2 < len(units)
    depths = _depths(left)
    if first.text in ("\\langle", "\\lVert") and last.kind == "close":
        return len(units) > 2 and all(d > 0 for d in depths[1:-1])
    # (u_i)^\top v_j: two vectors, the first transposed, each in brackets or not
    vectors: list[list[Unit]] = [[]]
    for unit in units:
        if unit.kind != "name" and unit.text not in ("(", ")"):
            return False
        vectors[-1].append(unit)
        if unit.kind == "close" or (unit.kind == "name" and vectors[-1][0].kind == "name"):
            vectors.append([])
    if len(vectors) != 3 or vectors[2] or any(len(v) not in (1, 3) for v in vectors[:2]):
        return False
    unknown = all(meaning is None for _, meaning in left)
    return unknown and vectors[0][-1].full.endswith(_TRANSPOSED)


_TRANSPOSED = ("^{\\top}", "^{T}", "^{\\intercal}", "^{\\mathsf{T}}")


def _stripped(pieces: Sequence[Piece], kinds: tuple[str, ...] = ("quad",)) -> list[Piece]:
    start, end = 0, len(pieces)
    while start < end and pieces[start][0].kind == "quad":
        start += 1
    while end > start and pieces[end - 1][0].kind in kinds:
        end -= 1
    return list(pieces[start:end])


_ENDING = ("quad", "comma", "semicolon", "dot")


class Layout:
    """Turns one display into lexemes."""

    def __init__(self, formula: Formula, names: Names):
        self.formula = formula
        self.names = names

    def lexemes(self) -> list[Lexeme]:
        """All lexemes of the display, in order."""
        out: list[Lexeme] = []
        depth = 0
        waiting: list[Lexeme | Range] = [*reversed(self._display())]
        while waiting:
            item = waiting.pop()
            if isinstance(item, Lexeme):
                depth += item.type in _OPENS
                depth -= item.type in _CLOSES
                if depth > MAX_NESTING:
                    raise TexError(f"nested more than {MAX_NESTING} deep", item.start_pos)
                out.append(item)
            else:
                waiting.extend(reversed(self._emit(self._pieces(*item))))
        return out

    def _pieces(self, start: int, end: int) -> list[Piece]:
        return self.names.resolve(self.formula.units(start, end))

    # -- rows and statements ------------------------------------------------------------

    def _display(self) -> list[Lexeme | Range]:
        pieces = [self._unpunctuated(p) for p in self._pieces(0, len(self.formula.tokens))]
        pieces = _without_broken_brackets(pieces)
        statements: list[list[Piece]] = []
        ended = False  # whether the row before ended with a mark
        for row in self._rows(pieces):
            solid = next((k for k, (u, _) in enumerate(row) if u.kind not in ("amp", "quad")), 0)
            indented = any(u.kind == "quad" for u, _ in row[:solid])
            row = self._without_tail(self._aligned(row))
            parts = self._parts(row)
            for index, part in enumerate(parts):
                ending = part[-1][0].kind in _ENDING if part else False
                body = _stripped(part, _ENDING)
                if not body:
                    continue
                if (
                    index == 0
                    and statements
                    and self._goes_on(statements[-1], body, ended, indented)
                ):
                    statements[-1].extend(body)
                else:
                    statements.append(body)
                ended = ending or index + 1 < len(parts)
            if len(parts) > 1:
                for statement in statements[-len(parts) :]:
                    if not _at_top(statement, "relation"):
                        raise TexError(
                            "one of several formulas in a row lacks a relation",
                            statement[0][0].at,
                        )
        if not statements:
            raise TexError("there is no formula here")
        out: list[Lexeme | Range] = []
        for index, statement in enumerate(statements):
            if index:
                out.append(Lexeme("_NEXT", "", statement[0][0].at))
            unread, rest = self._defined(statement, first=index == 0)
            out.extend(unread)
            out.extend(self._emit(rest))
        return out

    @staticmethod
    def _unpunctuated(piece: Piece) -> Piece:
        r"""Turn ``\text{, }`` into the mark that it prints."""
        kinds = {",": "comma", ";": "semicolon", ".": "dot", "": "quad"}
        if piece[0].kind == "text" and piece[0].text in kinds:
            return Unit(kinds[piece[0].text], piece[0].text, piece[0].at), None
        return piece

    def _rows(self, pieces: list[Piece]) -> list[list[Piece]]:
        depths = _depths(pieces)
        rows: list[list[Piece]] = [[]]
        aligned = -1  # up to here an & only aligns, as it starts a row
        for k, piece in enumerate(pieces):
            if piece[0].kind != "row":
                if piece[0].kind != "amp" or k > aligned:
                    rows[-1].append(piece)
            elif not depths[k]:
                rows.append([])
            else:  # inside brackets only a sum can go on in the next row
                after = k + 1
                while after < len(pieces) and pieces[after][0].kind in ("amp", "quad"):
                    after += 1
                before, aligned = k - 1, after
                while before >= 0 and pieces[before][0].kind == "quad":
                    before -= 1
                signs = [_is_sign(pieces[j][0]) for j in (before, after) if 0 <= j < len(pieces)]
                if not any(signs):
                    raise TexError(
                        "a row ends inside brackets: is the next one a factor or another formula?",
                        piece[0].at,
                    )
        return rows

    @staticmethod
    def _aligned(row: list[Piece]) -> list[Piece]:
        """Drop each ``&`` that only aligns; refuse those that set two formulas apart."""
        out: list[Piece] = []
        count = 0
        for k, piece in enumerate(row):
            if piece[0].kind != "amp":
                out.append(piece)
                continue
            count += 1
            before = next((p for p in reversed(row[:k]) if p[0].kind != "quad"), None)
            after = next((p for p in row[k + 1 :] if p[0].kind != "quad"), None)
            second = next((p for p in row[k + 1 :] if p[0].kind not in ("quad", "amp")), None)
            if second is None or (before is not None and before[0].kind == "relation"):
                continue
            word = _words(second)
            if second[0].kind == "forall" or (word or "").split()[:1] in [[w] for w in _TAIL_WORDS]:
                out.append((Unit("quad", "&", piece[0].at), None))
                continue
            joins = after is not None and (after[0].kind == "relation" or _is_sign(after[0]))
            if before is None or (count == 1 and joins):
                continue
            if count == 1 and before[0].kind == "operator":
                continue
            raise TexError("& sets two formulas apart here; check them one by one", piece[0].at)
        return out

    def _without_tail(self, row: list[Piece]) -> list[Piece]:
        """Drop an equation number and the side condition at the end of a row."""
        row = self._without_number(_stripped(row))
        depths = _depths(row)
        for k, piece in enumerate(row):
            word = _words(piece)
            starts = word is not None and word.lstrip(",; ").split()[:1]
            if depths[k] or not (
                piece[0].kind == "forall" or (starts and starts[0] in _TAIL_WORDS)
            ):
                continue
            for j, (unit, meaning) in enumerate(row[k:], k):
                said = _words((unit, meaning)) or ""
                other = [
                    w for w in said.lower().split() if w.strip(".,;:()") not in CONDITION_WORDS
                ]
                if other and not _NOT_WORDS.search(said):
                    raise TexError(f"a side condition with the word {show(other[0])}", unit.at)
                if unit.kind == "operator" and row[j - 1][0].kind in ("comma", "quad", "text"):
                    raise TexError("a formula goes on after a side condition", unit.at)
                if unit.kind == "relation" and unit.text == "=":
                    raise TexError(
                        "an equation after words: is it a condition or a claim?", unit.at
                    )
                if unit.kind in ("cases", "fence") or unit.text in REFUSED:
                    raise TexError("this cannot be read in a side condition", unit.at)
            row = _stripped(row[:k])
            break
        fences = [k for k, (u, _) in enumerate(row) if u.kind == "fence"]
        if fences:
            if _stripped(row[fences[0] + 1 :], (*_ENDING, "fence")):
                raise TexError("a formula beside an environment", row[fences[0]][0].at)
            row = row[: fences[0]]
        return row

    @staticmethod
    def _without_number(row: list[Piece]) -> list[Piece]:
        r"""Drop an equation number that stands as ``\quad (15)`` at the end of a row."""
        if len(row) < 4 or [p[0].kind for p in row[-4:-2]] != ["quad", "open"]:
            return row
        inside, last = row[-2][0], row[-1][0]
        number = _EQUATION_NUMBER.fullmatch(inside.text)
        plain = inside.kind in ("number", "text") and number and inside.full == inside.text
        if not plain or row[-3][0].text != "(" or last.full != ")" or last.kind != "close":
            return row
        return _stripped(row[:-4])

    @staticmethod
    def _parts(row: list[Piece]) -> list[list[Piece]]:
        r"""Split a row at ``, \quad`` and at the word ``and``."""
        depths = _depths(row)
        parts: list[list[Piece]] = [[]]
        for k, piece in enumerate(row):
            before = row[k - 1][0].kind if k else ""
            word = _words(piece)
            if word is not None and word.strip(",; ") == "and" and not depths[k]:
                parts.append([])
            elif piece[0].kind == "quad" and before in ("comma", "semicolon") and not depths[k]:
                parts.append([])
            else:
                parts[-1].append(piece)
        return [p for p in parts if _stripped(p, _ENDING)]

    @staticmethod
    def _goes_on(current: list[Piece], row: list[Piece], ended: bool, indented: bool) -> bool:
        """Whether a row goes on with the statement before it."""
        first, last = row[0][0], current[-1][0]
        if first.kind == "relation":
            return True
        if first.kind == "operator":
            if not _is_sign(first):
                raise TexError(
                    f"a row starts with {first.text}: does it multiply the whole row before or "
                    "its last term?",
                    first.at,
                )
            related = bool(_at_top(current, "relation"))
            minus = first.text == "-" and (_at_top(row, "relation") or not related)
            if ended or (minus and not indented):
                raise TexError(
                    "a row starts with a sign: does it go on with the row before, or is it a "
                    "formula of its own?",
                    first.at,
                )
            return True
        if last.kind in ("operator", "relation"):
            return True
        if ended or (_at_top(row, "relation") and _at_top(current, "relation")):
            return False
        raise TexError(
            "a row without a relation: a factor of the row before, or a formula of its own?",
            first.at,
        )

    def _defined(
        self, statement: list[Piece], first: bool
    ) -> tuple[list[Lexeme | Range], list[Piece]]:
        """Take off the unknown name at the left that an equation defines."""
        relations = _at_top(statement, "relation")
        if not relations or statement[relations[0]][0].text != "=":
            return [], statement
        left = _stripped(statement[: relations[0]])
        at = statement[0][0].at
        if not left:
            if not first:
                raise TexError("a relation with nothing on its left", at)
            return [Lexeme("UNREAD", "", at, Unread(""))], statement
        head, meaning = left[0]
        if _is_of_vectors(left):
            return [self._unread(left, of_vectors=True)], statement[relations[0] :]
        constant = head.stem == "e" or head.stem in _CONSTANTS
        if meaning is not None and self._is_function_of_names(left):
            return [], [left[0], *statement[relations[0] :]]
        if meaning is not None or head.kind not in ("name", "word") or constant:
            return [], statement
        if len(left) > 1 and (_words(left[0]) or head.stem.lstrip("\\")) in OTHER_FUNCTIONS:
            raise TexError(f"the function {show(head.full)} is not read", head.at)
        if len(left) > 1:
            depths = _depths(left)
            whole = left[1][0].text in ("(", "[") and left[-1][0].kind == "close"
            if not whole or any(d == 0 for d in depths[2:-1]):
                return [], statement
        return [self._unread(left)], statement[relations[0] :]

    def _unread(self, left: Sequence[Piece], of_vectors: bool = False) -> Lexeme:
        text = joined(self._spelled(u) for u, _ in left)
        return Lexeme("UNREAD", text, left[0][0].at, Unread(text, of_vectors))

    @staticmethod
    def _is_function_of_names(left: Sequence[Piece]) -> bool:
        r"""Whether a side is a known name with names in brackets: \alpha_{\min}(m, n, \tau).

        With one name in the brackets it may be a product, unless the name has a subscript.
        """
        units = [u for u, _ in left]
        if len(units) < 4 or units[1].text != "(" or units[-1].text != ")" or units[-1].full != ")":
            return False
        inside = units[2:-1]
        names, marks = inside[::2], inside[1::2]
        if any(u.kind not in ("known", "name") or u.power is not None for u in names):
            return False
        if len(inside) % 2 == 0 or any(u.kind not in ("comma", "semicolon") for u in marks):
            return False
        return bool(marks) or "_{" in units[0].text + units[0].full

    def _spelled(self, unit: Unit) -> str:
        """Spell a unit with its arguments, as well as it goes."""
        if not unit.parts or unit.kind == "name":
            return unit.full
        try:
            return unit.text + "".join(f"{{{self.formula.spelling(*p)}}}" for p in unit.parts)
        except TexError:
            return unit.text + "{...}"

    # -- lexemes ------------------------------------------------------------------------

    def _emit(self, pieces: Sequence[Piece]) -> list[Lexeme | Range]:
        """Lexemes of a run of pieces; the tokens of arguments are left as ranges."""
        out: list[Lexeme | Range] = []
        for k, (unit, meaning) in enumerate(pieces):
            if unit.kind == "quad":
                self._check_quad(pieces, k)
                continue
            if unit.kind not in _SCRIPTED and (unit.sub or unit.sup or unit.primes):
                raise TexError(f"a script that cannot be read at {_shown(unit)}", unit.at)
            if unit.kind == "function" and unit.text in ("max", "min"):
                _check_commas(pieces[k + 1 :])
            if meaning is not None:
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
                "a wide space between two factors: a product, or two formulas?", pieces[k][0].at
            )

    def _constant(self, unit: Unit) -> Lexeme:
        """Read a name that was not given: a constant, or an error."""
        bare = not (unit.sub or unit.primes or unit.decorated)
        if bare and unit.text == "e" and (unit.power is not None or unit.parts):
            return Lexeme("EULER", "e", unit.at)
        if bare and unit.text in _CONSTANTS:
            return Lexeme("NAME", unit.text, unit.at, _CONSTANTS[unit.text])
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
            return Lexeme("_IN" if text == "in" else "RELATION", text, at)
        if kind == "strange":
            why = REFUSED.get(text, "")
            raise TexError(f"{show(text)} cannot be read{': ' if why else ''}{why}", at)
        if kind == "null":
            raise TexError(f"{show(text + '.')} cannot be read here", at)
        if kind == "bar":
            raise TexError("bars: an absolute value needs \\left| and \\right|, or \\lvert", at)
        if kind in ("word", "text"):
            if kind == "word":
                raise self._unknown(unit)
            raise TexError(f"the text {show(text)} cannot be read here", at)
        if kind in ("amp", "row", "fence", "forall", "and", "dot", "semicolon"):
            raise TexError(f"{show(text)} cannot be read here", at)
        lexeme = _LEXEMES.get(text)
        if lexeme is None:
            raise TexError(f"{show(text)} cannot be read; the brackets are ( ) [ ] \\{{ \\}}", at)
        return Lexeme(lexeme, text, at)

    # -- case distinctions --------------------------------------------------------------

    def _cases(self, unit: Unit) -> list[Lexeme | Range]:
        pieces = [self._unpunctuated(p) for p in self._pieces(*unit.parts[0])]
        rows: list[list[Piece]] = [[]]
        depths = _depths(pieces)
        for k, piece in enumerate(pieces):
            if piece[0].kind == "row":
                if depths[k]:
                    raise TexError("a case ends inside brackets", piece[0].at)
                rows.append([])
            else:
                rows[-1].append(piece)
        if len(rows) > 1 and not _stripped(rows[-1]):
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
                (k for k, p in enumerate(row) if p[0].kind == "amp" or _words(p) is not None), None
            )
            if split is None:
                raise TexError("a case without a condition", at)
            value = _stripped(row[:split], _ENDING)
            out.extend(self._emit(value))
            out.extend(self._conditions(row[split:], at, last=index == len(rows) - 1))
        out.append(Lexeme("_ENDCASES", "cases", unit.at))
        return out

    def _conditions(self, pieces: list[Piece], at: int, last: bool) -> list[Lexeme | Range]:
        if pieces[0][0].kind == "amp":
            pieces = pieces[1:]
        pieces = _stripped(pieces, _ENDING)
        if not pieces:
            raise TexError("a case without a condition", at)
        word = _words(pieces[0])
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
        depths = _depths(pieces)
        out: list[Lexeme | Range] = [Lexeme("_WHEN", "if", at)]
        part: list[Piece] = []
        for k, piece in enumerate(pieces):
            word = _words(piece)
            joins = piece[0].kind in ("and", "comma") or (
                word is not None and word.strip(",; ") == "and"
            )
            if not joins or depths[k]:
                part.append(piece)
            elif part:  # `, \text{and}` is one joint, not two
                if piece[0].kind == "comma":
                    _check_list(part, pieces[k + 1 :], piece[0].at)
                out.extend(self._emit(_stripped(part)))
                out.append(Lexeme("_AND", "and", piece[0].at))
                part = []
        out.extend(self._emit(_stripped(part)))
        return out


def _without_broken_brackets(pieces: list[Piece]) -> list[Piece]:
    r"""Drop the ``\right.`` and ``\left.`` of brackets that go on in the next row."""
    solid = [k for k, (u, _) in enumerate(pieces) if u.kind not in ("quad", "amp")]
    dropped: set[int] = set()
    for one, row, other in zip(solid, solid[1:], solid[2:], strict=False):
        kinds = [pieces[k][0].kind for k in (one, row, other)]
        sides = pieces[one][0].text, pieces[other][0].text
        if kinds == ["null", "row", "null"] and sides == ("\\right", "\\left"):
            dropped |= {one, other}
    return [p for k, p in enumerate(pieces) if k not in dropped]


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


def _check_list(before: list[Piece], after: list[Piece], at: int) -> None:
    """Refuse ``0 < a, b < 1``: one condition on a list, or two conditions?"""
    left, right = _at_top(before, "relation"), _at_top(after, "relation")
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

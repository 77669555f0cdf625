"""Small changes of a source at one place, each with its size in tokens.

A change of value names a probe: the source with a letter at the place, and what the letter
would be worth after the change. Changes that share a probe need one reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from sympy import Expr, Integer, Rational, Symbol, exp, latex, log, sqrt

from ...language.statement import Statement
from ...language.tokens import Token, tokenise
from ...language.vocabulary import CASES, FRACTIONS
from ..judge.lookup import Meant

#: Relations that one may take for another, by the way they are written.
FAMILIES: tuple[tuple[str, ...], ...] = (("<", r"\le", ">", r"\ge"), ("<", r"\leq", ">", r"\geq"),
            ("<", r"\leqslant", ">", r"\geqslant"), (r"\lt", r"\le", r"\gt", r"\ge"))  # fmt: skip
RELATIONS = {"=", r"\in", r"\coloneqq", r"\triangleq"} | {r for f in FAMILIES for r in f}
_OTHER_BRACKET = {"(": "[", "[": "(", ")": "]", "]": ")"}
_OPEN = {"(": ")", "[": "]", "{": "}"}
_SIZED = re.compile(r"\\(left|right|[bB]igg?[lr]?)")
_FUNCTIONS = {r"\log", r"\ln", r"\exp", r"\sqrt"}
_STARTS = {*FRACTIONS, *_FUNCTIONS, r"\left", r"\bigl", r"\Bigl", r"\max", r"\min", r"\nicefrac"}
_ENDS = {"}", ")", "]", "+", "-", "&", "\\\\", ".", ",", ";", r"\quad", r"\qquad", r"\;", r"\,",
         r"\over"} | RELATIONS  # fmt: skip
LABELS = {r"\text", r"\label", r"\tag", r"\mathrm", r"\mathbf", r"\operatorname"}
_WITH_ARGUMENT = {"^", "_", *LABELS, *FRACTIONS, *_FUNCTIONS, r"\nicefrac"}


@dataclass(frozen=True)
class Change:
    """A change of ``source[start:end]`` to ``new``.

    Attributes
    ----------
    size
        Tokens that are put in, taken out or replaced.
    words
        What it is, for the author.
    rank
        Among changes of one size the likelier ones are tried first.
    probe, value
        A source with a letter in it, and what it stands for with this change; None if only
        reading the changed source can tell.
    """

    start: int
    end: int
    new: str
    size: int
    words: str
    rank: int = 0
    probe: str | None = None
    value: Expr | None = None

    def applied(self, source: str) -> str:
        """The source after the change."""
        return joined(source, self.start, self.end, self.new)


def joined(source: str, start: int, end: int, new: str) -> str:
    """The source with a piece replaced; a command and a letter must not run together."""
    before, after = source[:start], source[end:]
    if re.search(r"\\[A-Za-z]+\Z", new) and after[:1].isalpha():
        new += " "
    if re.search(r"\\[A-Za-z]+\Z", before) and new[:1].isalpha():
        new = " " + new
    if before[-1:].isdigit() and new[:1].isdigit():
        new = r" \cdot " + new
    if new[-1:].isdigit() and after[:1].isdigit():
        new += r" \cdot "
    return before + new + after


def spelled(meant: Meant) -> Mapping[Symbol, str]:
    """How the paper, or else the tool, writes the symbols that the derived value may contain."""
    used = set().union(*(e.free_symbols for e in meant.derived))
    used |= {q.bound[0] for q in meant.quantities if q.bound}
    return {e: name for name, e in meant.names.items() if e in used and isinstance(e, Symbol)}


class Changes:
    """Every small change of a source."""

    def __init__(self, source: str, meant: Meant, statement: Statement, probe: str):
        self.source, self.meant, self.probe = source, meant, probe
        self.tokens = [t for t in tokenise(source) if t.kind != "space"]
        names = spelled(meant)
        self.names = {n: s for s, n in names.items() if re.fullmatch(r"\\?[A-Za-z]+", n)}
        # More letters may be declared: all that stand for a symbol are known.
        self.letters = self.names | {
            n: e for n, e in meant.names.items()
            if isinstance(e, Symbol) and re.fullmatch(r"\\?[A-Za-z]+", n)
        }  # fmt: skip
        first = statement.sides[0]
        bounds = {q.bound[0] for q in meant.quantities if q.bound}
        self.subscripts = self._subscripts()
        self.cases = any(t.kind == "begin" and t.text in CASES for t in self.tokens)
        is_name = not isinstance(first, Expr) or first in {*meant.own, *meant.others, *bounds}
        self.start = self._relation() if is_name else 0

    def _subscripts(self) -> set[int]:
        """Tokens that belong to names, and are not changed alone."""
        found: set[int] = set()
        for i, t in enumerate(self.tokens):
            if t.text == "_":
                found |= {i - 1, i, *range(i + 1, (self._braces(i + 1) or i + 1) + 1)}
        return found

    def _relation(self) -> int:
        """Index of the first relation; what stands before it is a name, and is kept."""
        for i, t in enumerate(self.tokens):
            if t.text in RELATIONS:
                return i
        return 0

    def _where(self, i: int) -> str:
        at = self.tokens[i].at if i < len(self.tokens) else len(self.source)
        line = self.source.count("\n", 0, at)
        column = at - (self.source.rfind("\n", 0, at) + 1) + 1
        return f"at column {column}" + (f" of line {line + 1} of the display" if line else "")

    def _end(self, i: int) -> int:
        return self.tokens[i].at + len(self.tokens[i].text)

    # --- what values do not show ------------------------------------------------------------
    def of_shape(self) -> list[Change]:
        """Other relations, brackets of intervals and names at the left."""
        return [*self._relations(), *self._brackets(), *self._left()]

    def _relations(self) -> Iterator[Change]:
        for i, t in enumerate(self.tokens):
            families: list[tuple[str, ...]] = [f for f in FAMILIES if t.text in f][:1]
            if self.cases and i > self._relation():  # a case may be one value of a symbol
                known = families or t.text in ("=", r"\ne", r"\neq")
                families = [(*(families or FAMILIES)[0], "=")] if known else []
            for new in dict.fromkeys(r for f in families for r in f if r != t.text):
                words = f"write {new} for {t.text} {self._where(i)}"
                yield Change(t.at, self._end(i), new, 1, words)

    def _brackets(self) -> Iterator[Change]:
        inside = False
        for i, t in enumerate(self.tokens):
            inside = inside or t.text == r"\in"
            if inside and t.text in _OTHER_BRACKET:
                new = _OTHER_BRACKET[t.text]
                words = f"write {new} for {t.text} {self._where(i)}"
                yield Change(t.at, self._end(i), new, 1, words, 1)

    def _left(self) -> Iterator[Change]:
        """The quantity's own name at the left."""
        i = self._relation()
        if not i or len(self.meant.quantities) != 1:
            return
        start, end = self.tokens[0].at, self._end(i - 1)
        name, old = self.meant.quantities[0].symbol, self.source[start:end]
        size = distance(self.tokens[:i], [t for t in tokenise(name) if t.kind != "space"])
        yield Change(start, end, name, size, f"write {name} for {old} {self._where(0)}", 3)

    # --- values -----------------------------------------------------------------------------
    def of_value(self) -> list[Change]:
        """Other signs, symbols, numbers, factors, terms, powers, functions and fractions."""
        kinds = (self._signs, self._functions, self._fractions, self._groups, self._atoms,
                 self._factors, self._terms, self._powers)  # fmt: skip
        kept = {self.tokens[i].at for i in self.subscripts}
        return [change for kind in kinds for change in kind() if change.start not in kept]

    def _probed(self, start: int, end: int, text: str) -> str:
        return joined(self.source, start, end, text.replace("PROBE", f"{self.probe} "))

    def _signs(self) -> Iterator[Change]:
        swapped = {"+": "-", "-": "+", r"\max": r"\min", r"\min": r"\max"}
        for i in range(self.start, len(self.tokens)):
            t = self.tokens[i]
            before = self.tokens[i - 1].text if i else "="
            if t.text in swapped:
                new = swapped[t.text]
                words = f"write {new} for {t.text} {self._where(i)}"
                yield Change(t.at, self._end(i), new, 1, words)
            opened = before in "{([=" or before in RELATIONS or before == "&"
            if opened and t.text == "-":
                yield Change(t.at, self._end(i), "", 1, f"delete - {self._where(i)}")
            elif opened and self._begins(i):
                words = f"insert - before {t.text} {self._where(i)}"
                yield Change(t.at, t.at, "-", 1, words)

    def _functions(self) -> Iterator[Change]:
        for i in range(self.start, len(self.tokens)):
            t = self.tokens[i]
            if t.text in _FUNCTIONS:
                words = f"delete {t.text} {self._where(i)}"
                yield Change(t.at, self._end(i), "", 1, words, 2)
            close = self._braces(i)
            if close and i and self.tokens[i - 1].text not in ("_", *LABELS, r"\sqrt"):
                inside = self.source[self._end(i) : self.tokens[close].at]
                start, end = self._end(i), self.tokens[close].at
                wrapped = (
                    ("root", rf"\sqrt{{{inside}}}", 3),
                    ("logarithm", rf"\log\left({inside}\right)", 5),
                )
                for what, new, size in wrapped:
                    words = f"take the {what} of what stands in the braces {self._where(i)}"
                    yield Change(start, end, new, size, words, 4)
            sized = _SIZED.fullmatch(t.text) and t.text[-1] != "r" and t.text != r"\right"
            after_function = i and self.tokens[i - 1].text in _WITH_ARGUMENT
            if (sized or t.text == "(") and not after_function and not self._is_sized(i):
                words = f"insert \\log before the bracket {self._where(i)}"
                yield Change(t.at, t.at, r"\log", 1, words, 4)
                group = self._bracket(i)
                if group is not None:
                    inside = self.source[self._end(group[0]) : self.tokens[group[1]].at]
                    words = f"write \\sqrt for the bracket {self._where(i)}"
                    end = self._end(group[2])
                    yield Change(t.at, end, rf"\sqrt{{{inside}}}", 3, words, 4)

    def _is_sized(self, i: int) -> bool:
        return i > 0 and _SIZED.fullmatch(self.tokens[i - 1].text) is not None

    def _fractions(self) -> Iterator[Change]:
        for i in range(self.start, len(self.tokens)):
            t = self.tokens[i]
            if t.text not in FRACTIONS and t.text != r"\nicefrac":
                continue
            above = self._braces(i + 1)
            below = self._braces(above + 1) if above else None
            if above and below:
                one = self.source[self.tokens[i + 1].at : self._end(above)]
                other = self.source[self.tokens[above + 1].at : self._end(below)]
                words = f"turn the fraction {self._where(i)} upside down"
                yield Change(self.tokens[i + 1].at, self._end(below), other + one, 2, words, 1)

    def _groups(self) -> Iterator[Change]:
        """A factor in brackets, left out."""
        for i in range(self.start, len(self.tokens)):
            group = self._bracket(i) if not self._is_sized(i) else None
            before = self.tokens[i - 1].text if i else ""
            if group is None or before in _WITH_ARGUMENT or group[2] - i > 12:
                continue
            end = group[2]
            if end + 1 < len(self.tokens) and self.tokens[end + 1].text == "^":
                end = self._braces(end + 2) or end + 2
            text = self.source[self.tokens[i].at : self._end(end)]
            words = f"delete {text} {self._where(i)}"
            yield Change(self.tokens[i].at, self._end(end), "", end + 1 - i, words, 2)

    def _atoms(self) -> Iterator[Change]:
        """Another symbol or number, or none, for one that stands there."""
        for i, last in self._runs():
            start, end = self.tokens[i].at, self._end(last)
            text = self.source[start:end]
            before = self.tokens[i - 1].text if i else ""
            after = self.tokens[last + 1].text if last + 1 < len(self.tokens) else ""
            probe = self._probed(start, end, "PROBE")
            where = self._where(i)
            for new, value, size, rank in self._instead(text, bool(after == "^")):
                if before == "^" and new == "1":
                    continue
                words = f"write {new} for {text} {where}"
                yield Change(start, end, new, size, words, rank, probe, value)
            words = f"delete {text} {where}"
            yield Change(start, end, "", 1 + last - i, words, 0, probe, Integer(1))
            if before in ("+", "-"):
                words = f"delete {before}{text} {where}"
                begin = self.tokens[i - 1].at
                yield Change(begin, end, "", 2 + last - i, words, 2, probe, Integer(0))
            if after in ("+",) and before in "{([&=":
                words = f"delete {text}{after} {where}"
                yield Change(start, self._end(last + 1), "", 2, words, 2, probe, Integer(0))
            if before == "^" or (before == "{" and i > 1 and self.tokens[i - 2].text == "^"):
                first, close = (i - 1, last) if before == "^" else (i - 2, last + 1)
                if before == "^" or after == "}":
                    words = f"delete the power {where}"
                    yield Change(self.tokens[first].at, self._end(close), "", 1 + close - first,
                                 words, 0, probe, Integer(1))  # fmt: skip

    def _runs(self) -> Iterator[tuple[int, int]]:
        """First and last token of every symbol and number."""
        i = self.start
        while i < len(self.tokens):
            text, last = self.tokens[i].text, i
            if text.isdigit():
                while (last + 1 < len(self.tokens) and self.tokens[last + 1].text.isdigit()
                       and self.tokens[last + 1].at == self._end(last)):  # fmt: skip
                    last += 1
                yield i, last
            elif text in self.letters:
                yield i, i
            i = last + 1

    def _instead(self, text: str, powered: bool) -> Iterator[tuple[str, Expr, int, int]]:
        for name, symbol in self.names.items():
            if name != text:
                yield name, symbol, 1, 0 if text in self.letters else 3
        if text.isdigit():
            number = int(text)
            for k in dict.fromkeys((number + 1, number - 1, *range(1, 5))):
                if k >= 0 and k != number:
                    far = 0 if abs(k - number) == 1 and k != 1 else 3  # a 1 is rather left out
                    yield str(k), Integer(k), 1, far
            return
        symbol = self.letters[text]
        for k in (1, 2):
            yield str(k), Integer(k), 1, 3
        yield f"({text}-1)", symbol - 1, 4, 0
        yield f"({text}+1)", symbol + 1, 4, 1
        if not powered:
            yield f"{text}^2", symbol**2, 2, 2
            yield rf"\sqrt{{{text}}}", sqrt(symbol), 3, 2
            yield rf"\frac{{1}}{{{text}}}", 1 / symbol, 6, 2
        for name, other in self.names.items():
            if name != text:
                yield f"({text}+{name})", symbol + other, 4, 3
                yield f"({text}-{name})", symbol - other, 4, 3

    def _factors(self) -> Iterator[Change]:
        """One factor more."""
        for i in range(self.start, len(self.tokens)):
            if not self._begins(i):
                continue
            t = self.tokens[i]
            probe = self._probed(t.at, t.at, "PROBE")
            for new, value, size, rank in self._pieces:
                words = f"insert {new} before {t.text} {self._where(i)}"
                yield Change(t.at, t.at, f"{new} ", size, words, rank, probe, value)

    def _terms(self) -> Iterator[Change]:
        """One term more."""
        for i in range(self.start + 1, len(self.tokens) + 1):
            before = self.tokens[i - 1].text
            opened = before in _OPEN or before in RELATIONS or before in ("&", r"\over", "\\\\")
            opened = opened or self.tokens[i - 1].kind == "begin"
            if opened and i < len(self.tokens) and self.tokens[i].text == "-":
                at = self.tokens[i].at
                probe = self._probed(at, at, "PROBE")
                for new, value, size, rank in self._pieces:
                    words = f"insert {new} {self._where(i)}"
                    yield Change(at, at, f"{new} ", size, words, rank, probe, value)
            outside = self._ended(i - 1) and before not in ("}", ")", "]")
            if opened or outside or not self._ended(i):
                continue
            at = self._end(i - 1)
            probe = self._probed(at, at, " + PROBE")
            for new, value, size, rank in self._pieces:
                for sign, turned in (("+", value), ("-", -value)):
                    words = f"insert {sign} {new} {self._where(i)}"
                    yield Change(at, at, f" {sign} {new}", size + 1, words, rank, probe, turned)

    def _ended(self, i: int) -> bool:
        """Whether a term may end before a token."""
        texts = [t.text for t in self.tokens[i : i + 2]]
        closing = len(texts) == 2 and _SIZED.fullmatch(texts[0]) and texts[1] in ")]"
        return not texts or bool(closing) or texts[0] in _ENDS

    def _powers(self) -> Iterator[Change]:
        for i in range(self.start, len(self.tokens)):
            t = self.tokens[i]
            after = self.tokens[i + 1].text if i + 1 < len(self.tokens) else ""
            if (t.text in self.letters or t.text in ")]}") and after not in ("^", "_"):
                at = self._end(i)
                probe = self._probed(at, at, "^{PROBE}")
                for new, value, size in (("^2", Integer(2), 2), ("^{-1}", Integer(-1), 5),
                                         ("^3", Integer(3), 2),
                                         (r"^{\frac12}", Rational(1, 2), 6)):  # fmt: skip
                    words = f"insert {new} after {t.text} {self._where(i)}"
                    yield Change(at, at, new, size, words, 2, probe, value)

    # --- pieces -----------------------------------------------------------------------------
    @cached_property
    def _pieces(self) -> list[tuple[str, Expr, int, int]]:
        """What may be missing: LaTeX, value, size in tokens, rank."""
        return list(self._make_pieces())

    def _make_pieces(self) -> Iterator[tuple[str, Expr, int, int]]:
        yield "1", Integer(1), 1, 0
        yield "2", Integer(2), 1, 1
        names = list(self.names.items())
        for name, s in names:
            yield name, s, 1, 0
            yield f"{name}^2", s**2, 3, 2
            yield f"({name}-1)", s - 1, 5, 1
            yield f"({name}+1)", s + 1, 5, 2
            yield rf"\frac{{1}}{{{name}}}", 1 / s, 7, 2
            yield f"2 {name}", 2 * s, 2, 2
            for other, r in names:
                if other > name:
                    yield f"{name} {other}", s * r, 2, 1
                    yield f"({name} {other}-1)", s * r - 1, 6, 2
                    yield f"({name}+{other})", s + r, 5, 3
                if other != name:
                    yield f"({name}-{other})", s - r, 5, 3
                    yield rf"\frac{{{name}}}{{{other}}}", s / r, 7, 3
        yield r"\frac{1}{2}", Rational(1, 2), 7, 2
        yield from self._parts_of_the_value()

    def _parts_of_the_value(self) -> Iterator[tuple[str, Expr, int, int]]:
        """Exponentials, logarithms, factors and terms of the derived value."""
        symbol_names = spelled(self.meant)
        parts: set[Expr] = set()
        for e in self.meant.derived:
            parts |= e.atoms(exp, log)
            for inside in (a for a in _formulas(e) if a.is_Add or a.is_Mul):
                parts |= {a for a in inside.args if not a.is_Number}
        for part in sorted(parts, key=str):
            if part.is_Symbol or part.count_ops() > 12:
                continue
            for new in (part, 1 / part):
                text = latex(new, symbol_names=symbol_names)
                text = rf"\left({text}\right)" if new.is_Add else text
                size = sum(t.kind != "space" for t in tokenise(text))
                yield text, new, size, 4

    # --- brackets ---------------------------------------------------------------------------
    def _begins(self, i: int) -> bool:
        """Whether a factor begins with a token, and another could stand before it."""
        t, before = self.tokens[i], self.tokens[i - 1].text if i else ""
        if before in _WITH_ARGUMENT or self._is_sized(i):
            return False
        if t.kind == "command":
            return t.text in self.letters or t.text in _STARTS
        number = t.text.isdigit() and not before.isdigit()
        return t.kind == "char" and (t.text.isalpha() or number or t.text in "([")

    def _braces(self, i: int) -> int | None:
        """The closing brace of a group that starts at ``i``."""
        if i >= len(self.tokens) or self.tokens[i].text != "{":
            return None
        depth = 0
        for j in range(i, len(self.tokens)):
            depth += {"{": 1, "}": -1}.get(self.tokens[j].text, 0)
            if depth == 0:
                return j
        return None

    def _bracket(self, i: int) -> tuple[int, int, int] | None:
        """The opening bracket at ``i`` or behind a size there, the last token inside, the end."""
        first = i + 1 if _SIZED.fullmatch(self.tokens[i].text) else i
        if first >= len(self.tokens) or self.tokens[first].text not in ("(", "["):
            return None
        close, depth = _OPEN[self.tokens[first].text], 0
        for j in range(first, len(self.tokens)):
            text = self.tokens[j].text
            depth += (text == self.tokens[first].text) - (text == close)
            if depth == 0:
                return first, j - (first > i), j
        return None


def _formulas(e: Expr) -> Iterator[Expr]:
    yield e
    for a in e.args:
        if isinstance(a, Expr):
            yield from _formulas(a)


def distance(one: list[Token], other: list[Token]) -> int:
    """How many tokens must be put in, taken out or replaced."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1,
                                           previous + (a.text != b.text))  # fmt: skip
    return row[-1]

"""Small changes of a source at one place: a slip of the pen, taken back.

Another sign, relation or bracket, another symbol or number, a factor, a term or a power more or
less, a fraction upside down. A change of value names a probe: the source with a letter at the
place, and what the letter would be worth after the change. Changes that share a probe need one
reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from sympy import Expr, Integer, Rational, Symbol

from ...frozen import FrozenValue
from ...language.statement import Statement
from ...language.tokens import closing, tokenise
from ...language.vocabulary import CASES, FRACTIONS
from ..judge.lookup import Meant

#: Relations that one may take for another, by the way they are written.
FAMILIES: tuple[tuple[str, ...], ...] = (("<", r"\le", ">", r"\ge"), ("<", r"\leq", ">", r"\geq"),
            ("<", r"\leqslant", ">", r"\geqslant"), (r"\lt", r"\le", r"\gt", r"\ge"))  # fmt: skip
RELATIONS = {"=", r"\in", r"\coloneqq", r"\triangleq"} | {r for f in FAMILIES for r in f}
_OTHER_BRACKET = {"(": "[", "[": "(", ")": "]", "]": ")"}
_OTHER_SIGN = {"+": "-", "-": "+", r"\max": r"\min", r"\min": r"\max"}
_SIZED = re.compile(r"\\(left|right|[bB]igg?[lr]?)")
_FUNCTIONS = {r"\log", r"\ln", r"\exp", r"\sqrt"}
_STARTS = {*FRACTIONS, *_FUNCTIONS, r"\left", r"\bigl", r"\Bigl", r"\max", r"\min"}
#: Signs that a sum, or the first factor of a product, begins after.
_OPENING = {*"([{&", r"\over", "\\\\"} | RELATIONS
_ENDING = {*"})]+-&.,;", "\\\\", r"\quad", r"\qquad", r"\;", r"\,", r"\over"} | RELATIONS
_WITH_ARGUMENT = {"^", "_", r"\text", r"\mathrm", r"\operatorname", *FRACTIONS, *_FUNCTIONS}


class Change(FrozenValue):
    """A change of ``source[start:end]`` to ``new``.

    Attributes
    ----------
    words
        What it is, for the author.
    rank
        The likelier ones, of fewer tokens, are tried first.
    probe, value
        A source with a letter in it, and what it stands for with this change; None if only
        reading the changed source can tell.
    """

    start: int
    end: int
    new: str
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
    return {s: name for name, s in meant.names.items() if s in used and isinstance(s, Symbol)}


class Changes:
    """Every small change of a source."""

    def __init__(self, source: str, meant: Meant, statement: Statement, probe: str):
        self.source, self.meant, self.probe = source, meant, probe
        self.tokens = [t for t in tokenise(source) if t.kind != "space"]
        self.texts = [t.text for t in self.tokens]
        self.closing = closing(self.tokens)  # of what opens a group or an environment
        # More letters than are put in may be declared: all that stand for a symbol are known.
        self.letters = {
            n: s for n, s in meant.names.items()
            if isinstance(s, Symbol) and re.fullmatch(r"\\?[A-Za-z]+", n)
        }  # fmt: skip
        self.names = {n: s for s, n in spelled(meant).items() if n in self.letters}
        relations = (i for i, text in enumerate(self.texts) if text in RELATIONS)
        self.relation = next(relations, 0)
        self.in_names = self._subscripts()
        # What stands before the first relation is a name, and is kept.
        first, bounds = statement.sides[0], {q.bound[0] for q in meant.quantities if q.bound}
        is_name = not isinstance(first, Expr) or first in {*meant.own, *meant.others, *bounds}
        self.start = self.relation if is_name else 0

    def _subscripts(self) -> set[int]:
        """Tokens that belong to names, and are not changed alone."""
        found: set[int] = set()
        for i, text in enumerate(self.texts):
            if text == "_":
                found |= {i - 1, i, *range(i + 1, (self.closing.get(i + 1, i + 1)) + 1)}
        return found

    def _opened(self, i: int) -> bool:
        """Whether a sum begins with a token."""
        return i == 0 or self.texts[i - 1] in _OPENING

    # --- one change -------------------------------------------------------------------------
    def _at(self, i: int) -> int:
        return self.tokens[i].at if i < len(self.tokens) else len(self.source)

    def _end(self, i: int) -> int:
        return self.tokens[i].at + len(self.texts[i])

    def _text(self, i: int) -> str:
        """The text of a token, none beyond the ends."""
        return self.texts[i] if 0 <= i < len(self.texts) else ""

    def _where(self, i: int) -> str:
        at = self._at(i)
        line = self.source.count("\n", 0, at)
        column = at - (self.source.rfind("\n", 0, at) + 1) + 1
        return f"at column {column}" + (f" of line {line + 1} of the display" if line else "")

    def _replaced(self, i: int, new: str, rank: int = 0) -> Change:
        words = f"write {new} for {self.texts[i]} {self._where(i)}"
        return Change(self._at(i), self._end(i), new, words, rank)

    def _deleted(
        self, i: int, last: int, rank: int = 0, probe: str | None = None, value: int = 1
    ) -> Change:
        start, end = self._at(i), self._end(last)
        words = f"delete {self.source[start:end]} {self._where(i)}"
        return Change(start, end, "", words, rank, probe, Integer(value))

    def _probed(self, start: int, end: int, text: str = "PROBE") -> str:
        return joined(self.source, start, end, text.replace("PROBE", f"{self.probe} "))

    # --- what values do not show ------------------------------------------------------------
    def of_shape(self) -> Iterator[Change]:
        """Other relations, and brackets of intervals."""
        cases = any(t.kind == "begin" and t.text in CASES for t in self.tokens)
        inside = False
        for i, text in enumerate(self.texts):
            others = next((f for f in FAMILIES if text in f), ())
            if cases and i > self.relation and (others or text in ("=", r"\ne", r"\neq")):
                others = (*(others or FAMILIES[0]), "=")  # a case may be one value of a symbol
            inside = inside or text == r"\in"
            if inside and text in _OTHER_BRACKET:
                others = (_OTHER_BRACKET[text],)
            yield from (self._replaced(i, new) for new in others if new != text)

    # --- values -----------------------------------------------------------------------------
    def of_value(self) -> Iterator[Change]:
        """Other signs, symbols, numbers, factors, terms, powers, functions and fractions."""
        for i in range(self.start, len(self.tokens)):
            if i not in self.in_names:
                yield from self._sign(i)
                yield from self._fraction(i)
                yield from self._atom(i)
                yield from self._factor(i)
                yield from self._power(i)
        for i in range(self.start + 1, len(self.tokens) + 1):
            yield from self._term(i)

    def _sign(self, i: int) -> Iterator[Change]:
        text = self.texts[i]
        if text in _OTHER_SIGN:
            yield self._replaced(i, _OTHER_SIGN[text])
        if text in _FUNCTIONS or (text == "-" and self._opened(i)):
            yield Change(self._at(i), self._end(i), "", f"delete {text} {self._where(i)}")
        elif self._opened(i) and self._begins(i):
            at = self._at(i)
            yield Change(at, at, "-", f"insert - before {text} {self._where(i)}")

    def _fraction(self, i: int) -> Iterator[Change]:
        above = self.closing.get(i + 1) if self.texts[i] in FRACTIONS else None
        below = self.closing.get(above + 1) if above else None
        if above and below:
            one = self.source[self._at(i + 1) : self._end(above)]
            other = self.source[self._at(above + 1) : self._end(below)]
            words = f"turn the fraction {self._where(i)} upside down"
            yield Change(self._at(i + 1), self._end(below), other + one, words, 1)

    def _atom(self, i: int) -> Iterator[Change]:
        """Another symbol or number, or none, for one that stands there."""
        text, last, before = self.texts[i], i, self._text(i - 1)
        if text.isdigit() and not (before.isdigit() and self._end(i - 1) == self._at(i)):
            while self._text(last + 1).isdigit() and self._at(last + 1) == self._end(last):
                last += 1
        elif text not in self.letters:
            return
        start, end, after = self._at(i), self._end(last), self._text(last + 1)
        text, probe = self.source[start:end], self._probed(self._at(i), self._end(last))
        is_first = self._opened(i) and after in ("+", "-")
        for new, value, rank in self._instead(text):
            if new == "0" and (before in ("+", "-") or is_first):
                continue  # C - 0 is written C, which is a change of its own
            if (before, new) != ("^", "1") and not (after == "^" and new.endswith("^2")):
                words = f"write {new} for {text} {self._where(i)}"
                yield Change(start, end, new, words, rank, probe, value)
        yield self._deleted(i, last, 0, probe)
        if before in ("+", "-"):
            yield self._deleted(i - 1, last, 1, probe, 0)
        if is_first:
            yield self._deleted(i, last + (after == "+"), 1, probe, 0)
        if before == "^":
            yield self._deleted(i - 1, last, 0, probe)
        elif self._text(i - 2) == "^" and (before, after) == ("{", "}"):
            yield self._deleted(i - 2, last + 1, 0, probe)

    def _instead(self, text: str) -> Iterator[tuple[str, Expr, int]]:
        """What may stand for a symbol or a number: LaTeX, value, rank."""
        if text.isdigit():
            yield from ((str(k), Integer(k), 0) for k in (int(text) + 1, abs(int(text) - 1)))
            yield from ((name, symbol, 2) for name, symbol in self.names.items())
            return
        symbol = self.letters[text]
        yield from ((name, s, 0) for name, s in self.names.items() if name != text)
        yield from ((str(k), Integer(k), 2) for k in (1, 2))
        yield f"({text}-1)", symbol - 1, 3
        yield f"({text}+1)", symbol + 1, 3
        yield f"{text}^2", symbol**2, 2

    @cached_property
    def _pieces(self) -> list[tuple[str, Expr, int]]:
        """What may be missing: LaTeX, value, rank."""
        return [
            *((name, s, 0) for name, s in self.names.items()),
            *((str(k), Integer(k), k) for k in (1, 2)),
            *((f"({name}-1)", s - 1, 3) for name, s in self.names.items()),
            (r"\frac{1}{2}", Rational(1, 2), 3),
        ]

    def _factor(self, i: int) -> Iterator[Change]:
        """One factor more."""
        if self._begins(i):
            at = self._at(i)
            probe = self._probed(at, at)
            for new, value, rank in self._pieces:
                words = f"insert {new} before {self.texts[i]} {self._where(i)}"
                yield Change(at, at, f"{new} ", words, rank, probe, value)

    def _term(self, i: int) -> Iterator[Change]:
        """One term more, before a token or at the end."""
        before, after = self._text(i - 1), self._text(i)
        if self._opened(i) and after == "-":
            at = self._at(i)
            probe = self._probed(at, at)
            for new, value, rank in self._pieces:
                words = f"insert {new} {self._where(i)}"
                yield Change(at, at, f"{new} ", words, rank, probe, value)
        sized = _SIZED.fullmatch(after) and self._text(i + 1) in (")", "]")
        ends = not after or after in _ENDING or sized
        inside = before in _ENDING and before not in ("}", ")", "]")
        if self._opened(i) or inside or not ends:
            return
        at = self._end(i - 1)
        probe = self._probed(at, at, " + PROBE")
        for new, value, rank in self._pieces:
            for sign, turned in (("+", value), ("-", -value)):
                words = f"insert {sign} {new} {self._where(i)}"
                yield Change(at, at, f" {sign} {new}", words, 1 + rank, probe, turned)

    def _power(self, i: int) -> Iterator[Change]:
        text = self.texts[i]
        if (text in self.letters or text in (")", "]", "}")) and self._text(i + 1) not in (
            "^",
            "_",
        ):
            at = self._end(i)
            words = f"insert ^2 after {text} {self._where(i)}"
            yield Change(at, at, "^2", words, 1, self._probed(at, at, "^{PROBE}"), Integer(2))

    def _begins(self, i: int) -> bool:
        """Whether a factor begins with a token, and another could stand before it."""
        t, before = self.tokens[i], self._text(i - 1)
        if before in _WITH_ARGUMENT or _SIZED.fullmatch(before):
            return False
        if t.kind == "command":
            return t.text in self.letters or t.text in _STARTS
        number = t.text.isdigit() and not before.isdigit()
        return t.kind == "char" and (t.text.isalpha() or number or t.text in "([")

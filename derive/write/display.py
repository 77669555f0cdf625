r"""How results are written for people: LaTeX of quantities, ranges and roots; Jupyter output.

A root that no closed form exists for is written by a name, that of the quantity it is or
else :math:`x^\star`, and the equation that the name stands for is written beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING

from sympy import Basic, Expr, Piecewise, Symbol, oo
from sympy.core.symbol import Str

from ..decide.root import ClampedRoot
from ..theorem.kinds import Kind
from ..theorem.quantity import Quantity
from ..theorem.result import Result
from ..theorem.written import Name, root_names, written
from .layout.displays import shown
from .layout.equations import equation
from .layout.layout import layout
from .layout.lines import POINTS, rows
from .layout.statement import without_evident
from .layout.tex import Names, spoken
from .layout.tex import tex as tex_of
from .layout.tree import Node
from .layout.width import width
from .wording import with_math

if TYPE_CHECKING:
    from ..decide.domain import Domain, Range


# --- names -----------------------------------------------------------------------------------
#: Letters that are no words.
GREEK = ("alpha", "delta", "epsilon", "mu", "rho", "sigma", "tau")
#: An index: a letter, a control word, or a group with groups in it.
_INDEX = r"\{(?:[^{}]|\{[^{}]*\})*\}|\\[A-Za-z]+|[^\\{}]"


def _with_index(letter: str, index: str | None) -> str:
    """A letter with an index, if there is one, after its own if it has one: two are no LaTeX."""
    own = re.search(rf"_({_INDEX})(?:\^(?:{_INDEX}))?\Z", letter)
    if index is None or own is None:
        put = letter if re.fullmatch(r"[A-Za-z]|\\[A-Za-z]+", letter) else f"{{{letter}}}"
        return put if index is None else f"{put}_{index}"
    both = ", ".join(re.sub(r"\A\{(.*)\}\Z", r"\1", part) for part in (own[1], index))
    return f"{letter[: own.start()]}_{{{both}}}{letter[own.end(1) :]}"


def words(expression: Expr) -> set[Symbol]:
    """Symbols that are words: the value of a case, such as ``simplex``, and nothing else."""
    cases = expression.atoms(Piecewise)
    values = {value for case in cases for value, _ in case.args if value.is_Symbol}
    return {v for v in values if len(v.name) > 2 and v == Symbol(v.name)}


def typeset(expression: Basic, name: Names = written, domain: Domain | None = None) -> str:
    """LaTeX of an expression of any kind, laid out for reading; a name is text."""
    if isinstance(expression, Str):
        return spoken(expression.name)
    return tex_of(layout(expression, domain), name)


# --- formulas --------------------------------------------------------------------------------
class Writer:
    """LaTeX of one result, with some of its symbols written otherwise.

    Parameters
    ----------
    renamed
        Name of a symbol -> the LaTeX to write for it.
    """

    line = inf  #: points of a formula in a line of words that is not broken

    def __init__(self, result: Result, renamed: Mapping[str, str] | None = None):
        self.result = result
        self.renamed = dict(renamed or {})

    @cached_property
    def roots(self) -> dict[ClampedRoot, Name]:
        """Names of the roots."""
        return {
            root: Name(name.symbol, self.symbol_text(name.tex))
            for root, name in root_names(self.result).items()
        }

    @cached_property
    def _stand_ins(self) -> dict[ClampedRoot, Symbol]:
        return {root: name.symbol for root, name in self.roots.items()}

    @cached_property
    def _called(self) -> dict[Symbol, str]:
        return {name.symbol: name.tex for name in self.roots.values()}

    def symbol(self, s: Symbol) -> str:
        """LaTeX of a symbol; of a root its name."""
        if s in self._called:
            return self._called[s]
        return self.renamed.get(s.name) or written(s)

    def symbol_text(self, tex: str) -> str:
        """The LaTeX name of a quantity, with the symbols in it renamed."""
        names = {*self.renamed, *(s.name for s in self.result.domain.ranges)}
        new = {written(Symbol(name)): self.renamed.get(name) for name in names}
        # A letter with an index may be a symbol: it comes before the letter alone.
        letters = "|".join(map(re.escape, sorted(new, key=lambda letter: (-len(letter), letter))))

        def put(found: re.Match[str]) -> str:
            letter = new[found[1]]
            return found[0] if letter is None else _with_index(letter, found[2])

        if self.renamed:
            tex = re.sub(
                rf"(?<!\\)(?:(?<![A-Za-z])|(?=\\))({letters})(?![A-Za-z])(?:_({_INDEX}))?", put, tex
            )
        # TeX drops a space there.
        return re.sub(r"(?<=\\mathrm\{)[A-Za-z ]+", lambda m: m[0].replace(" ", r"\ "), tex)

    def shown(self, expression: Expr) -> Expr:
        """The expression with the names of its roots put in."""
        return expression.xreplace(self._stand_ins)

    def expression(self, expression: Expr, domain: Domain | None = None) -> str:
        """LaTeX of an expression, its roots by name."""
        shown = self.shown(expression)
        return typeset(shown, self.symbol, domain or self.result.domain)

    def quantity(self, q: Quantity) -> str:
        """``name = expression``, or what defines the name."""
        if q.expression in self.roots:
            return self.where(q.expression)
        name = self.symbol_text(q.symbol)
        value = self.expression(q.expression, q.domain)
        if value == re.sub(r"\^(\d)\Z", r"^{\1}", name):
            return value
        return f"{self.head(q)}{value}"

    def head(self, q: Quantity) -> str:
        r"""What stands before the value of a quantity: ``name = ``, of a set ``\alpha \in ``."""
        if q.kind is Kind.SET and q.parameter is not None:
            return rf"{self.symbol(q.parameter)} \in "
        return f"{self.symbol_text(q.symbol)}{joint(q)}"

    def bracket(self, root: ClampedRoot) -> str:
        """The interval that a root lies in."""
        close = r"\right)" if root.high is oo else r"\right]"
        return rf"\left[{self.expression(root.low)}, {self.expression(root.high)}{close}"

    def equation(self, root: ClampedRoot) -> Node:
        """What changes sign from below at the root, in terms of its name."""
        h, x = root.equation()
        name = self.roots[root].symbol
        return equation(root, self.shown(h.xreplace({x: name})), name, self.result.domain)

    def where(self, root: ClampedRoot) -> str:
        """``x in [low, high], h(x) = 0``."""
        name = self.roots[root].tex
        (shown,) = rows(self.equation(root), self.symbol, inf)
        return rf"{name} \in {self.bracket(root)}, \quad {shown} = 0"

    # --- conditions ------------------------------------------------------------------------
    def range(self, s: Symbol, r: Range) -> str:
        """A range as mathematics; that of an integer does not say that it is one."""
        name, low, high = self.symbol(s), self.expression(r.low), self.expression(r.high)
        if r.low == -oo and r.high == oo:
            return rf"{name} \in \mathbb{{{'Z' if r.integer else 'R'}}}"
        if r.high == oo:
            sign = ">" if r.low_open else r"\ge"
            return f"{name} {sign} {low}"
        left, right = "(" if r.low_open else "[", ")" if r.high_open else "]"
        whole = rf"{name} \in \left{left}{low}, {high}\right{right}"
        if width(whole, 1) <= self.line:
            return whole
        return rf"{name} \in \bigl{left}{low},\allowbreak {high}\bigr{right}"

    def ranges_beyond(self, q: Quantity) -> Iterator[str]:
        """Ranges of a quantity that are not those of its result."""
        for s, r in q.domain.ranges.items() if q.domain is not None else ():
            if r != self.result.domain.ranges.get(s):
                yield self.range(s, r)

    def beyond(self, q: Quantity) -> list[str]:
        """Conditions of a quantity that its result does not have."""
        found = list(self.ranges_beyond(q))
        if q.needed is not None:
            e, sign = q.needed
            found.append(self.expression(e) + (r" \ge 0" if sign == ">=" else f" {sign} 0"))
        return found

    def assumptions(self, symbols: Iterable[Symbol], domain: Domain) -> tuple[list[str], list[str]]:
        """Ranges of some symbols and of those in their ends: of the integers, and the others."""
        wanted = set(symbols)
        for s in reversed(domain.ranges):
            if s in wanted:
                wanted |= domain.ranges[s].low.free_symbols | domain.ranges[s].high.free_symbols
        order = dict.fromkeys((*self.result.parameters, *domain.ranges))
        shown = [(s, domain.ranges[s]) for s in order if s in wanted and s in domain.ranges]
        return (
            [self.range(s, r) for s, r in shown if r.integer],
            [self.range(s, r) for s, r in shown if not r.integer],
        )

    # --- words -------------------------------------------------------------------------------
    def meaning(self, name: str, escape: Callable[[str], str]) -> str:
        """What a quantity means, as a sentence that does not call it by a pronoun."""
        text = self.result.quantity(name).meaning
        return self.prose(re.sub(r"(?<=[<>=] )(it|this)\b", name, sentence(text)), escape)

    def prose(self, text: str, escape: Callable[[str], str]) -> str:
        """A sentence with what is mathematics in it between dollars, the rest escaped."""
        known = {letter: rf"\{letter}" for letter in GREEK}  # also where it is no parameter
        known |= {s.name: self.symbol(s) for s in self.result.domain.ranges}
        known |= {name: self.symbol_text(q.symbol) for name, q in self.result.quantities.items()}
        # A name of a quantity that is an ordinary word means the word.
        known = {k: v for k, v in known.items() if "_" in k or len(k) < 6 or k in GREEK}
        known = {k: v for k, v in known.items() if k not in ("loss", "bound", "lower", "upper")}
        known |= {"oo": r"\infty", "exp": r"\exp", "log": r"\log"}
        return with_math(text, known, escape)


#: What a root is where there is no zero.
CLAMPED = (
    "or the lower end of the interval where that is nowhere negative, and the upper end where "
    "it is nowhere positive."
)


def sentence(text: str) -> str:
    """The text with a capital first letter, unless it begins with the name of something."""
    first = text.split(maxsplit=1)[0] if text.strip() else ""
    plain = first == "a" or (len(first) > 1 and first.replace("-", "").isalpha())
    return text[0].upper() + text[1:] if plain else text


# --- values and statements ---------------------------------------------------------------------
def joint(q: Quantity, align: str = "") -> str:
    r"""What stands between the name of a quantity and its value: ``=``, nothing after ``\le``."""
    if q.symbol.endswith((r"\le", r"\ge")):
        return f" {{}} {align} " if align else " "
    return rf" {align}\iff " if q.kind is Kind.CONDITION else f" {align}= "


def value_latex(result: Result, name: str) -> str:
    """LaTeX of the value of a quantity."""
    q = result.quantity(name)
    return typeset(q.expression, domain=q.domain or result.domain)


def stated(statement: Basic, domain: Domain | None, name: Names = written) -> list[str]:
    """What a statement says as rows of LaTeX, without what is evident; there may be none."""
    told = without_evident(statement, domain)
    if told is None:
        return []
    display = shown(told, domain, name, room=POINTS - 50)
    found = [*display.rows]
    for part in display.where:
        found += [rf"\text{{where }} {part[0]}", *part[1:]]
    return found

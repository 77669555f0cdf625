r"""Read printed mathematics into typed nodes: one grammar, with a policy for what is ambiguous.

A ledger says what a print means: here are sums over sets, inner products and norms, in the LaTeX
of the paper. Of the displays of a document nobody says what they mean: they are read by the same
rules with :class:`cltheory.derive.tex.formula.grammar.Grammar`, which refuses whatever has two
readings.

    statement = joined { \iff joined | \Rightarrow joined }
    joined    = [\exists names :] said { \wedge said }
    said      = relation | (relation \forall binders) | (statement)
    relation  = side { (= | < | \le | \ge | ...) side }   |   sum \in interval
    side      = sum | interval | cases
    sum       = [sign] product { sign product }
    product   = factor { [\cdot | \times | /] factor } [ |_{name = sum, name \to \infty} ]
    factor    = function [power] factor | atom [^ power | ^\top]
    atom      = number | name | bracket | \frac | \sqrt | \max(sum, sum) | |sum| | \|sum\|
              | \sum_{binders} product (also \prod) | \mathbb{I}_{relation}
              | |set| | \mathbb{E}[set] | \text{Var}[set] | name(sum; sum)
              | \lim_{name \to sum} product
              | \frac{\partial}{\partial name} product    (also \partial^2, and \partial f above)
              | \cos(sum, sum) | \langle sum, sum \rangle | \delta_{i \ne j}
              | \mathbb{E}[sum] | \mathbb{E} factor | \operatorname{Var}(sum) | \|sum\|_F
              | \nabla_{z_i} \mathcal{L}_i
    binders   = i, j \ne j' \in [n], u \in U_i \setminus U_{i,j}, i \in [1..n], ...

An index that nothing says where it runs, as in ``\sum_{k \ne i}``, runs over [n] in families that
have such indices, unless it is bound outside. ``i^+`` is the partner of an index, and ``N^-``,
``\tilde{\Sigma}_i^-``, ``\sigma_*^{(i)}`` are names with marks and indices. A big sum extends over
the product after it, as it is read aloud; so does a derivative.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import field, replace
from fractions import Fraction
from typing import ClassVar, NamedTuple, TypeVar

from sympy import Expr

from ..frozen import FrozenValue
from . import nodes
from .items import Items, flat, tree
from .nodes import INFINITY, ONE, PI, Node
from .plain import plain
from .spelling import Unit
from .statement import Relation, TexError
from .tokens import MAX_NESTING, show, tokenise
from .units import Formula
from .vocabulary import ACCENTS, AND, FONTS, KEPT_FONTS, STATED

T = TypeVar("T")

_CONNECTIVES = {**dict.fromkeys(STATED, "iff"), "\\implies": "implies"}
_CONNECTIVES |= {"\\Rightarrow": "implies", "\\Longrightarrow": "implies"}
_FUNCTIONS = {name: name for name in ("log", "exp", "tanh", "cosh", "sinh")} | {"ln": "log"}
#: One letter under several names.
_SAME = {"varepsilon": "epsilon", "tau'": "tau_prime"}
BRACKETS = {"(": ")", "[": "]", "\\{": "\\}", "\\lvert": "\\rvert"}
#: Units that are known by what they are and not by their text.
_SORTS = {"word": "name", "text": "name", "row": ",", "limit": "\\lim", "stated": "stated"}
_SORTS |= {"figure": "number"} | {
    kind: kind for kind in ("number", "name", "function", "frac", "sqrt", "cases")
}
_SILENT = {"quad", "amp", "fence", "null"}
_SILENT_WORDS = {"with", "and", "where", "such that", "holds"}
_FOR_ALL = {"for all", "for every", "for any", "for each", "for", "if", "where for all"}
_LOEWNER: dict[str, Relation] = {"\\preceq": "<=", "\\succeq": ">="}
_LETTER = re.compile(
    rf"\\(?P<accent>{'|'.join(a[1:] for a in sorted(ACCENTS))})\{{(?P<below>.*)\}}"
    rf"|\\(?P<font>{'|'.join(f[1:] for f in sorted(KEPT_FONTS))}|operatorname)\{{(?P<word>.*)\}}"
)
_ONE_LETTER = re.compile(r"(\\[A-Za-z]+|\w)(\^\{?\d\}?)?")
_HINTS = {
    "operator": "a sign after another operator needs parentheses",
    "comma": "a comma is read in intervals, in max and min, and before a wide space",
    "relation": "a relation needs a formula on each side, and stands outside brackets",
    "bar": "write an absolute value here with \\left| and \\right|",
    "figure": "in this font it may be a vector",
}


class Word(NamedTuple):
    """A unit, what it is to the grammar, and what it means if that is known."""

    sort: str
    unit: Unit
    meaning: Expr | None = None


class Letters(FrozenValue):
    """Which letters are vectors, which are sets of them, and which names are functions.

    On those letters a superscript is a mark, as in ``u^\\delta``, and never a power.
    """

    vectors: Collection[str] = frozenset("uvw")
    sets: Collection[str] = frozenset("UVWS")
    functions: Collection[str] = field(default_factory=frozenset)  #: with indices: ``l_p``
    entries: Collection[str] = frozenset()  #: of tables, whose superscripts are marks as well
    over: str = ""  #: up to what indices run of which that is not said
    subsets: Collection[str] = frozenset()  #: sets that stand as an index

    @property
    def everything(self) -> nodes.Range:
        """What an index runs over of which that is not said."""
        return nodes.Range(ONE, nodes.Name(self.over), free=True)


LETTERS_OF_SETS = Letters()
NOTHING = nodes.Bound()


class Read(FrozenValue):
    """A statement that was read: what it says, and what it quantifies over itself."""

    tree: Node
    bound: nodes.Bound = NOTHING

    @property
    def relations(self) -> tuple[str, ...]:
        """Those of a single chain."""
        return self.tree.relations if isinstance(self.tree, nodes.Chain) else ()


def parse(text: str, letters: Letters = LETTERS_OF_SETS) -> Read:
    r"""Read a statement, with what it is said ``\\forall`` at its end.

    Raises
    ------
    TexError
        If it is not one; the message is one line.
    """

    def whole(parser: Printed) -> Read:
        tree, bound = parser.statement(), NOTHING
        while parser.took(",", "\\forall"):
            if parser.now not in ("end", ",", "\\forall"):
                bound = together(bound, parser.binders("end", "\\forall", "."))
        return Read(tree, bound)

    return _parsed(text, letters, whole)


def together(one: nodes.Bound, other: nodes.Bound) -> nodes.Bound:
    """Quantify over both."""
    return nodes.Bound(one.over + other.over, one.apart + other.apart)


def binders(text: str, letters: Letters = LETTERS_OF_SETS) -> nodes.Bound:
    """Read what is quantified over: ``i \\ne i' \\in [m], u \\in U_i``."""
    return _parsed(text, letters, lambda parser: parser.binders("end"))


def expression(text: str, letters: Letters = LETTERS_OF_SETS) -> Node:
    """Read one side."""
    return _parsed(text, letters, Printed.sum)


def _parsed(text: str, letters: Letters, what: Callable[[Printed], T]) -> T:
    formula = Formula(plain(tree(tokenise(" ".join(text.split())))), _LOEWNER)
    parser = Printed(formula, letters)

    def whole() -> T:
        found = what(parser)
        while parser.took(".", ","):
            pass
        return found

    return parser.run(parser.words_of(formula.items), whole, Unit("", "", len(text)))


def unused(bound: nodes.Bound, *bodies: Node) -> list[str]:
    """Letters that are quantified over and then not used, which is a slip of the pen."""
    used = set[str]().union(*(part.names for part in (*bodies, *dict(bound.over).values())))
    return [name for name, _ in bound.over if name not in used]


class Parser:
    """The grammar of formulas; a policy says what words and names are, and what is refused."""

    atoms: ClassVar[Mapping[str, Callable[..., Node]]]

    def __init__(self, formula: Formula):
        self.formula = formula
        self.words: list[Word] = []
        self.at = self.depth = 0
        self.powered = -1  #: after which word the power has been read
        self.kind = ""  #: what the last factor was, for what may stand beside it

    # -- the policy -----------------------------------------------------------------------
    def words_of(self, items: Items) -> list[Word]:
        """What items are to the grammar."""
        raise NotImplementedError

    def name(self) -> Node:
        """What a name stands for."""
        raise NotImplementedError

    def iterated(self, function: Unit) -> Node | None:
        """The power of a function, if it has one and that is read."""
        raise NotImplementedError

    def check_beside(self, before: str, after: str, sign: Unit | None, factor: Node) -> None:
        """Refuse two factors beside each other; ``after`` is the sign before the first one."""

    def check_argument(self, function: Unit) -> None:
        """Refuse what may be no argument of a function."""

    # -- words ----------------------------------------------------------------------------
    def run(self, words: Iterable[Word], what: Callable[[], T], end: Unit) -> T:
        """What a run of words is as a whole; ``end`` is what follows on it."""
        outer = self.words, self.at, self.powered
        self.words, self.at, self.powered = [*words, Word("end", end)], 0, -1
        try:
            found = self.deeper(what, self.unit.at)
            if self.now != "end":
                raise self.refuse()
            return found
        finally:
            self.words, self.at, self.powered = outer

    def inside(self, items: Items, at: int, what: Callable[[], T]) -> T:
        """What stands in the braces of a command or a script."""
        return self.run(self.words_of(items), what, Unit("brace", "}", at))

    def group(self, items: Items, at: int) -> Node:
        """The same of a formula."""
        return self.inside(items, at, self.sum)

    def deeper(self, what: Callable[[], T], at: int) -> T:
        """What is nested in something that begins at a place."""
        self.depth += 1
        try:
            if self.depth > MAX_NESTING + 1:
                raise TexError(f"nested more than {MAX_NESTING} deep", at)
            return what()
        finally:
            self.depth -= 1

    @property
    def word(self) -> Word:
        return self.words[self.at]

    @property
    def unit(self) -> Unit:
        return self.words[self.at].unit

    @property
    def now(self) -> str:
        return self.words[self.at].sort

    def comes(self, *sorts: str) -> bool:
        """Whether these come next, one after the other."""
        here = self.words[self.at : self.at + len(sorts)]
        return [word.sort for word in here] == [*sorts]

    def take(self, count: int = 1) -> Unit:
        """The first of what comes next, all of which is taken."""
        self.at += count
        return self.words[self.at - count].unit

    def expect(self, *sorts: str) -> Unit:
        if self.now not in sorts:
            raise self.refuse()
        return self.take()

    def took(self, *sorts: str) -> bool:
        """Whether one of these came next, which is then taken."""
        found = self.now in sorts
        self.at += found
        return found

    def within(self, opening: str, what: Callable[[], T], closing: str = "") -> T:
        """What stands between two signs, such as brackets."""
        at = self.expect(opening).at
        found = self.deeper(what, at)
        self.expect(closing or BRACKETS[opening])
        return found

    def listed(self, what: Callable[[], T], *separators: str) -> list[T]:
        """One or more with commas, or other separators, between."""
        found = [what()]
        while self.took(*(separators or (",",))):
            found.append(what())
        return found

    def refuse(self, why: str = "") -> TexError:
        """The error for what stands here and cannot."""
        unit = self.unit
        if why:
            return TexError(f"{why}, found {show(unit.text) if unit.text else 'the end'}", unit.at)
        if not unit.kind:
            return TexError("the formula ends too early", unit.at)
        return TexError(not_read(unit.text, hint(unit)), unit.at)

    # -- sums and products ------------------------------------------------------------------
    def sum(self) -> Node:
        sign = self.take() if self.now in ("+", "-") else None
        terms = [(sign.text if sign else "+", self.product())]
        while self.now in ("+", "-"):
            terms.append((self.take().text, self.product()))
        if len(terms) == 1 and terms[0][0] == "+":
            return terms[0][1]
        return nodes.Sum(tuple(terms), at=sign.at if sign else terms[0][1].at)

    def product(self) -> Node:
        return self.factors()

    def begins(self) -> bool:
        """Whether a factor begins here."""
        return self.now in self.atoms or self.now == "function"

    def factors(self) -> Node:
        parts = [("*", self.factor())]
        while self.now in ("*", "/") or self.begins():
            sign = self.take() if self.now in ("*", "/") else None
            before, factor = self.kind, self.factor()
            self.check_beside(before, parts[-1][0], sign, factor)
            parts.append((sign.text if sign else "*", factor))
        return parts[0][1] if len(parts) == 1 else nodes.Product(tuple(parts), at=parts[-1][1].at)

    def factor(self) -> Node:
        r"""A factor; before it functions, of which ``\log \log a`` has two."""
        functions: list[tuple[Unit, Node | None]] = []
        while self.now == "function":
            unit = self.take()
            functions.append((unit, self.iterated(unit)))
        found = self.raised()
        for unit, exponent in reversed(functions):
            self.check_argument(unit)
            found = nodes.Applied(_FUNCTIONS[unit.text], found, at=unit.at)
            if exponent is not None:
                found = nodes.Power(found, exponent, at=unit.at)
            self.kind = "called" if self.kind == "bracket" else "open"
        return found

    def raised(self) -> Node:
        """An atom with its power, which stands at the last word of it."""
        found = self.atom()
        last = self.words[self.at - 1].unit
        if last.power is None or self.powered == self.at:
            return found
        self.powered = self.at
        kind = "raised" if self.kind == "bracket" else "power"
        found = self.power(found, last)
        self.kind = kind
        return found

    def power(self, base: Node, unit: Unit) -> Node:
        assert unit.power is not None
        return nodes.Power(base, self.group(unit.power, unit.at), at=base.at)

    # -- atoms ------------------------------------------------------------------------------
    def atom(self) -> Node:
        rule = self.atoms.get(self.now)
        if rule is None:
            raise self.refuse()
        self.kind = "closed"
        return rule(self)

    def number(self) -> Node:
        unit = self.take()
        self.kind = "number"
        return nodes.Number(Fraction(unit.text), at=unit.at)

    def bracket(self) -> Node:
        opening = self.unit
        found = self.within(opening.text, self.inner)
        self.kind = "bracket"
        return found

    def inner(self) -> Node:
        """What may stand in a bracket."""
        return self.sum()

    def bars(self) -> Node:
        at = self.unit.at
        found = nodes.Applied("abs", self.within("\\lvert", self.inner), at=at)
        self.kind = "bars"
        return found

    def fraction(self) -> Node:
        unit = self.take()
        above, below = [self.group(part, unit.at) for part in unit.parts]
        self.kind = "fraction"
        return nodes.Quotient(above, below, at=above.at)

    def root(self) -> Node:
        unit = self.take()
        *index, inside = [self.group(part, unit.at) for part in unit.parts]
        self.kind = "closed"
        if not index:
            return nodes.Applied("sqrt", inside, at=inside.at)
        return nodes.Power(inside, nodes.Quotient(ONE, index[0], at=index[0].at), at=inside.at)

    def extremum(self) -> Node:
        of = self.take()
        opening = self.now if self.now in ("[", "\\{") else "("
        found = self.within(opening, self.several)
        self.kind = "closed"
        return nodes.Extremum(of.text, tuple(found), at=of.at)

    def several(self) -> list[Node]:
        """What the least of is taken, for example."""
        return self.listed(self.sum)

    # -- relations ----------------------------------------------------------------------------
    def interval(self) -> nodes.Interval:
        opening = self.expect("[", "(")
        low, high = self.two()
        return nodes.Interval(
            low, high, opening.text == "(", self.expect("]", ")").text == ")", at=opening.at
        )

    def two(self) -> tuple[Node, Node]:
        """Two sides with a comma between."""
        one = self.sum()
        self.expect(",")
        return one, self.sum()


def hint(unit: Unit) -> str:
    """Why a unit cannot be read where it stands, if that is known."""
    return _HINTS.get(unit.kind, "") if unit.text not in "*/" else ""


def not_read(text: str, why: str) -> str:
    """The message for what cannot be read."""
    return f"{show(text)} cannot be read here{': ' if why else ''}{why}"


class Printed(Parser):
    """Statements of a ledger, of which the letters say what they mean."""

    def __init__(self, formula: Formula, letters: Letters):
        super().__init__(formula)
        self.letters = letters
        self.norms = 0  #: that are open

    # -- words ----------------------------------------------------------------------------
    def words_of(self, items: Items) -> list[Word]:
        out: list[Word] = []
        for unit in self.formula.units(items):
            said = _spoken(unit)
            if unit.kind in _SILENT or said in _SILENT_WORDS or unit.text == "\\substack":
                continue
            sort = _SORTS.get(unit.kind, unit.text)
            if unit.kind == "function" and unit.text in ("max", "min"):
                sort = "extremum"
            sort = "\\setminus" if sort == "\\backslash" else sort
            out.append(Word("\\forall" if said in _FOR_ALL else sort, unit))
        return out

    @property
    def text(self) -> str:
        """The letter of a name, and of anything else how it is written."""
        return _letter(self.unit)[0] if self.now == "name" else self.unit.text

    @property
    def is_word(self) -> bool:
        return self.now == "name" and _letter(self.unit)[1]

    @property
    def is_relation(self) -> bool:
        return self.unit.kind == "relation" and self.now not in ("in", "notin")

    def attempt(self, what: Callable[[], T]) -> T | None:
        """What can be read as this; nothing is taken if it cannot."""
        before = self.at, self.powered, self.norms
        try:
            return what()
        except TexError:
            self.at, self.powered, self.norms = before
            return None

    # -- statements -----------------------------------------------------------------------
    def statement(self) -> Node:
        left = self.joined()
        while self.unit.text in _CONNECTIVES:
            how = _CONNECTIVES[self.take().text]
            left = nodes.Connected(left, how, self.joined())
        return left

    def joined(self) -> Node:
        r"""Chain that hold together, maybe of constants: ``\exists c: (w = c \forall ...)``."""
        if self.took("\\exists"):
            names = tuple(name.full for name in self.listed(self.name))
            self.expect(":")
            return nodes.Exists(names, self.joined())
        parts = self.listed(self.said, *AND)
        return parts[0] if len(parts) == 1 else nodes.And(tuple(parts))

    def said(self) -> Node:
        r"""A relation, ``\forall`` inside brackets allowed: ``(u = v \ \forall u \in U)``."""
        if self.now == "(":
            for what in (self.quantified, self.bracketed):
                found = self.attempt(lambda what=what: self.within("(", what))  # type: ignore[misc]
                if found is not None:
                    return found
        return self.relation()

    def quantified(self) -> Node:
        inside = self.relation()
        self.expect("\\forall")
        return nodes.ForAll(self.binders(")"), inside)

    def bracketed(self) -> Node:
        inside = self.statement()
        if isinstance(inside, nodes.Chain):
            raise self.refuse("a single relation does not stand in brackets")
        return inside

    def relation(self) -> Node:
        sides, relations = [self.side()], []
        while self.is_relation:
            relations.append(self.take().text)
            sides.append(self.side())
        if not relations and self.took("in"):
            found = self.interval()
            return nodes.Within(sides[0], found.low, found.high, found.low_open, found.high_open)
        if not relations:
            raise self.refuse("a statement needs a relation")
        return nodes.Chain(tuple(sides), tuple(relations))

    def side(self) -> Node:
        return (self.attempt(self.interval) if self.now in ("(", "[") else None) or self.sum()

    # -- products and powers ----------------------------------------------------------------
    def begins(self) -> bool:
        r"""Whether a factor begins; a ``\\|`` closes a norm where one is open."""
        return super().begins() and self.now != "|" and (self.now != "\\|" or not self.norms)

    def product(self) -> Node:
        found = self.factors()
        while self.now == "|" and self.unit.index is not None:
            found = nodes.At(found, tuple(self.below(lambda: self.listed(self.value_of_letter))))
        return found

    def value_of_letter(self) -> tuple[str, Node]:
        r"""``\delta = 0``, or ``\delta \to \infty``."""
        name = self.letter()
        self.expect("=", "->")
        return name, self.sum()

    def power(self, base: Node, unit: Unit) -> Node:
        if [t.text for t in flat(unit.power or []) if t.text not in "{}"] in (["\\top"], ["T"]):
            return nodes.Applied("T", base)
        return super().power(base, unit)

    def iterated(self, function: Unit) -> Node | None:
        if function.power is not None:
            raise self.refuse("write a power of a function with brackets")
        return None

    # -- atoms ------------------------------------------------------------------------------
    def fraction(self) -> Node:
        above, below = self.unit.parts
        if above and above[0].token.text == "\\partial":
            return self.differentiated(above, below)
        return super().fraction()

    def differentiated(self, above: Items, below: Items) -> Node:
        r"""``\frac{\partial^2}{\partial\delta^2} f``, or with the f above."""

        def upper() -> tuple[int, Node | None]:
            order = self.order(self.take())
            return order, None if self.now == "end" else self.factor()

        def lower() -> tuple[str, int]:
            self.expect("\\partial")
            unit = self.unit
            return self.letter(), self.order(unit)

        at = self.take().at
        (order, body), (name, times) = self.inside(above, at, upper), self.inside(below, at, lower)
        if times != order:
            raise self.refuse("the orders above and below the fraction bar differ")
        return nodes.Derivative(name, order, self.factors() if body is None else body)

    def below(self, what: Callable[[], T]) -> T:
        """What stands below a sign, which is taken."""
        unit = self.take()
        return self.inside(unit.index or [], unit.at, what)

    def order(self, unit: Unit) -> int:
        found = ONE if unit.power is None else self.group(unit.power, unit.at)
        if not isinstance(found, nodes.Number) or found.value.denominator != 1:
            raise self.refuse("the order of a derivative must be a whole number")
        return int(found.value)

    def ceiling(self) -> Node:
        return nodes.Applied("ceil", self.within("\\lceil", self.sum, "\\rceil"))

    def norm(self) -> Node:
        opening = self.take()
        self.norms += opening.text == "\\|"
        inside = self.sum()
        self.norms -= opening.text == "\\|"
        last = self.expect("\\|" if opening.text == "\\|" else "\\rVert")
        if last.sub not in ("", "2", "F"):
            raise self.refuse("only the Euclidean and the Frobenius norm are known")
        return nodes.Applied("frobenius" if last.sub == "F" else "norm", inside)

    def bars(self) -> Node:
        opening = self.take()
        of_set = self.text in self.letters.sets or self.now in ("[", "\\{")
        inside = self.set() if of_set else self.sum()
        self.expect("|" if opening.text == "|" else "\\rvert")
        return nodes.Applied("size" if of_set else "abs", inside)

    def cosine(self) -> Node:
        self.take()
        return nodes.Cosine(*self.within("(", self.two))

    def inner_product(self) -> Node:
        one, other = self.within("\\langle", self.two, "\\rangle")
        return nodes.Product((("*", one), ("*", other)))

    def gradient(self) -> Node:
        r"""``\nabla_{z_i} \mathcal{L}_i``, of the loss of an anchor in the anchor."""
        anchor, loss = self.below(self.name), self.name()
        if not isinstance(loss, nodes.Call) or loss.base != "L" or loss.subs != anchor.subs:
            raise self.refuse(
                "only the gradient of the loss of an anchor with respect to that anchor can be read"
            )
        return nodes.Name("nabla", anchor.subs)

    def extremum(self) -> Node:
        return self.big() if self.unit.index is not None else super().extremum()

    def big(self) -> Node:
        unit = self.unit
        bound = self.below(lambda: self.binders("end"))
        self.powered = self.at
        if unit.power is not None:
            bound = _with_upper_end(bound, self.group(unit.power, unit.at))
        return nodes.Big(unit.text.removeprefix("\\"), bound, self.product())

    def limit(self) -> Node:
        name, end = self.below(self.value_of_letter)
        return nodes.Limit(name, end, self.product())

    def moment(self) -> Node:
        """A mean or variance over a set, or under the law of a family."""
        word, unit = self.text, self.take()
        self.powered = self.at
        mark = _label(unit.power)
        under_law = bool(self.letters.over) and not mark
        law, over_set = ("expect", "mean") if word == "E" else ("spread", f"var{mark}")
        if under_law and self.now not in ("[", "("):
            return nodes.Applied(law, self.factor())
        opening = self.now
        if opening not in ("[", "("):
            self.expect("[", "(")
        if not under_law:
            return nodes.Applied(over_set, self.within(opening, self.set))
        found = self.attempt(lambda: nodes.Applied(over_set, self.within(opening, self.set)))
        return found or nodes.Applied(law, self.within(opening, self.sum))

    # -- names ----------------------------------------------------------------------------
    def named(self) -> Node:
        """A name, or what a letter is that has a meaning of its own."""
        text, unit = self.text, self.unit
        if text == "infty" or (text == "pi" and "pi" not in self.letters.entries):
            self.take()
            return PI if text == "pi" else INFINITY
        if self.is_word and text in ("E", "Var"):
            return self.moment()
        if self.is_word and text == "I" and unit.index is not None:
            return nodes.Indicator(self.below(self.relation))
        if text == "delta" and {"\\ne", "\\neq"} & {t.text for t in flat(unit.index or [])}:
            return nodes.Indicator(self.below(self.unlike))
        return self.name()

    def unlike(self) -> Node:
        one = self.index()
        self.expect("!=")
        return nodes.Chain((one, self.index()), ("!=",))

    def letter(self) -> str:
        """A letter with its primes."""
        if self.now != "name":
            raise self.refuse("expected a name")
        found, unit = self.text, self.take()
        found += "'" * unit.primes
        return _SAME.get(found, found)

    def name(self) -> nodes.Name:
        letters, is_word, unit = self.letters, self.is_word, self.unit
        base = self.letter()
        alone = len(base.rstrip("'")) == 1
        marked = is_word or base == "L"
        marked |= alone and base[0] in {*letters.vectors, *letters.sets, *letters.entries}
        subs = () if unit.index is None else self.inside(unit.index, unit.at, self.subscript)
        mark, above = "", _label(unit.power)
        if unit.power is not None and above not in ("\\top",):
            numbered = above[:1] == "(" and above[-1:] == ")" and len(above) > 2
            if above not in ("+", "-") and numbered and ((subs and letters.over) or marked):
                subs += (self.inside(unit.power[1:-1], unit.at, self.index),)
                self.powered = self.at
            elif above in ("+", "-") or marked:
                mark = above
                self.powered = self.at
        if base == "lambda" and not subs:  # a weight or a multiplier; with an index, an eigenvalue
            base = "lam"
        found = nodes.Name(base, subs, mark)
        if unit.power is not None and self.powered != self.at:
            return found
        if self.now == "(" and (base == "L" or {found.full, base} & {*letters.functions}):
            arguments = self.within("(", lambda: self.listed(self.argument, ",", ";"))
            return nodes.Call(base, subs, mark, tuple(arguments))
        if base == "L" and is_word:
            return nodes.Call(base, subs, mark)
        if base in letters.sets and self.now == "(":  # U(\\delta), of its parameter
            return replace(found, mark=f"{mark}({self.within('(', self.sum)})")
        return found

    def argument(self) -> Node:
        return self.set() if self.text in self.letters.sets else self.sum()

    def subscript(self) -> tuple[Node, ...]:
        """Indices, which commas or nothing separate, a word, or a sign: ``v_+``."""
        found: list[Node] = []
        while self.now != "end":
            if self.took(","):
                continue
            if self.text in self.letters.subsets and self.now == "name":
                of = self.set()
                found.append(nodes.Subset(str(of), of))
            elif self.is_word:
                found.append(nodes.Word(self.letter()))
            elif self.now in ("+", "-", "*"):
                found.append(nodes.Word(self.take().text))
            elif self.now == "number":
                found += [nodes.Number(Fraction(digit)) for digit in self.take().text]
            else:
                found.append(self.partner())
        return tuple(found)

    def partner(self) -> Node:
        """The index, or its partner, which is marked: ``i^+``, or ``i+``."""
        unit = self.unit
        index = self.index()
        if isinstance(index, nodes.Name) and (_label(unit.power) == "+" or self.took("+")):
            return replace(index, mark="+")
        return index

    def index(self) -> Node:
        if self.now == "number":
            return nodes.Number(Fraction(self.take().text))
        if self.now == "extremum":
            return nodes.Word(self.take().text)
        return nodes.Name(self.letter())

    # -- sets and binders -----------------------------------------------------------------
    def set(self) -> Node:
        found = self.set_atom()
        while self.now in ("\\setminus", "\\cup"):
            what = self.now[1:]
            self.take()
            found = nodes.Combined(found, what, self.set_atom())
        return found

    def set_atom(self) -> Node:
        if self.took("["):
            if self.unit.text == "1" and self.comes("number", "."):
                self.take(2)
                if not self.took("."):  # of 1..2, what is left is .2
                    whole = replace(self.unit, text=self.unit.text[1:])
                    self.words[self.at] = Word("number", whole)
            high = self.sum()
            self.expect("]")
            return nodes.Range(ONE, high)
        if self.now == "\\{":
            return nodes.Members(tuple(self.within("\\{", lambda: self.listed(self.name))))
        if self.text not in self.letters.sets:
            raise self.refuse("expected a set")
        return self.name()

    def binders(self, *ends: str) -> nodes.Bound:
        """Names and where they run; ``i \\ne j`` says that two of them differ."""
        bound: list[tuple[str, Node]] = []
        apart: list[tuple[str, str]] = []
        waiting: list[str] = []
        while self.now not in ends:
            if self.took("\\forall"):
                continue
            name = self.name()
            if name.subs and name.base[0] not in self.letters.vectors:
                raise self.refuse("a bound variable cannot have an index")
            waiting.append(name.base)
            if not self.took(",") and self.took("!="):
                apart.append((waiting[-1], self.name().base))
                waiting.append(apart[-1][1])
                self.took(",")
            if self.took("="):
                low = self.sum()
                bound.append((waiting.pop(), nodes.Range(low, INFINITY)))
                self.took(",")
            elif self.took("in"):
                where = self.set()
                bound += [(one, where) for one in dict.fromkeys(waiting)]
                waiting = []
                self.took(",", ";")
        loose = [one for one in dict.fromkeys(waiting) if one not in dict(bound)]
        if loose and not self.letters.over:
            raise self.refuse(f"the range of {loose[0]} is not given")
        bound += [(one, self.letters.everything) for one in loose]
        return nodes.Bound(tuple(bound), tuple(apart))


#: What every formula is built of.
ATOMS: dict[str, Callable[..., Node]] = {
    "number": lambda parser: parser.number(),
    **dict.fromkeys(("(", "[", "\\{"), lambda parser: parser.bracket()),
    "\\lvert": lambda parser: parser.bars(),
    "frac": lambda parser: parser.fraction(),
    "sqrt": lambda parser: parser.root(),
    "extremum": lambda parser: parser.extremum(),
    "name": lambda parser: parser.name(),
}
Parser.atoms = ATOMS
Printed.atoms = {
    **ATOMS,
    "name": Printed.named,
    **dict.fromkeys(("\\sum", "\\prod"), Printed.big),
    **dict.fromkeys(("\\|", "\\lVert"), Printed.norm),
    "|": Printed.bars,
    "\\lceil": Printed.ceiling,
    "\\cos": Printed.cosine,
    "\\langle": Printed.inner_product,
    "\\nabla": Printed.gradient,
    "\\lim": Printed.limit,
}


def _spoken(unit: Unit) -> str:
    """The text of a unit that is words."""
    if unit.kind == "word" and unit.full == unit.text:
        return unit.text[len("\\operatorname{") : -1]
    return unit.text if unit.kind == "text" else ""


def _letter(unit: Unit) -> tuple[str, bool]:
    """The letter of a name without fonts and scripts, and whether it is a word."""
    found = _LETTER.fullmatch(unit.text)
    if found is None:
        return unit.text.removeprefix("\\"), unit.kind != "name" or bool(unit.parts)
    if found["word"] is not None:
        return found["word"], True
    if not _ONE_LETTER.fullmatch(found["below"]):
        raise TexError(f"an accent must stand over one letter: {show(unit.text)}", unit.at)
    return f"{re.sub(r'[{}]', '', found['below']).removeprefix(chr(92))}~{found['accent']}", False


def _label(items: Items | None) -> str:
    """A superscript that is a word or a sign."""
    unseen = FONTS | KEPT_FONTS | {"{", "}"}
    return "".join(t.text for t in flat(items or []) if t.kind != "space" and t.text not in unseen)


def _with_upper_end(bound: nodes.Bound, high: Node) -> nodes.Bound:
    """Put the end above a big sum to the binder that has a beginning only."""
    found = tuple(
        (name, replace(where, high=high))
        if isinstance(where, nodes.Range) and where.high == INFINITY
        else (name, where)
        for name, where in bound.over
    )
    return replace(bound, over=found)

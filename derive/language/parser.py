r"""Read a printed statement about numbers and vectors into nodes that can be run and changed.

The reader of displays in :mod:`cltheory.derive.tex.formula` refuses whatever has two readings,
since it judges a print. A ledger says what a print means: here are sums over sets, inner products
and norms, in the LaTeX of the paper:

    statement = joined { \iff joined | \Rightarrow joined }
    joined    = [\exists names :] said { \wedge said }
    said      = relation | (relation \forall binders) | (statement)
    relation  = side { (= | < | \le | \ge | ...) side }   |   sum \in interval
    side      = sum | interval
    sum       = [-] product { (+ | -) product }
    product   = factor { [\cdot | \times | /] factor } [ |_{name = sum, name \to \infty} ]
    factor    = atom [^ power | ^\top]
    atom      = number | name | \frac | \sqrt | \log factor | \exp factor | ( sum ) | \|sum\|
              | \sum_{binders} product (also \prod) | \mathbb{I}_{relation} |
              | |set| | \mathbb{E}[set] | \text{Var}[set] | name(sum; sum)
              | \lim_{name \to sum} product
              | \frac{\partial}{\partial name} product    (also \partial^2, and \partial f above)
              | \cos(sum, sum) | \langle sum, sum \rangle | \delta_{i \ne j} | |sum|
              | \mathbb{E}[sum] | \mathbb{E} factor | \operatorname{Var}(sum) | \|sum\|_F
              | \nabla_{z_i} \mathcal{L}_i
    binders   = i, j \ne j' \in [n], u \in U_i \setminus U_{i,j}, i \in [1..n], ...

An index that nothing says where it runs, as in ``\sum_{k \ne i}``, runs over [n] in families that
have such indices, unless it is bound outside; there ``\sum_i`` needs no braces. ``i^+`` is the
partner of an index, and ``N^-``, ``\tilde{\Sigma}_i^-``, ``\sigma_*^{(i)}`` are names with marks
and indices. A big sum extends over the product after it, as it is read aloud; so does a derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeVar

from . import nodes
from .items import tree
from .nodes import INFINITY, ONE, PI, Node
from .statement import TexError
from .tokens import show, tokenise
from .vocabulary import AND, FRACTIONS, LETTERS
from .vocabulary import RELATIONS as SIGNS
from .words import Lexeme, lexemes

T = TypeVar("T")

_RELATIONS = {k: v for k, v in SIGNS.items() if v not in ("in", "notin")}
_RELATIONS |= {":=": "=", "\\preceq": "<=", "\\succeq": ">="}
_CONNECTIVES = {"\\iff": "iff", "\\Leftrightarrow": "iff"}
_CONNECTIVES |= {"\\implies": "implies", "\\Rightarrow": "implies", "\\Longrightarrow": "implies"}
_GREEK = LETTERS - {"\\infty"}
_FUNCTIONS = {"\\log": "log", "\\ln": "log", "\\exp": "exp"}
#: One letter under several names.
_SAME = {"varepsilon": "epsilon", "tau'": "tau_prime"}
_BRACKETS = {"{": "}", "(": ")", "[": "]"}
_ENDS = {*", ) ] } | + - = < > := / ; .".split(), "", *AND, *_RELATIONS, *_CONNECTIVES}
_ENDS |= {f"\\{name}" for name in ("}", "|", "in", "rceil", "setminus", "cup", "forall", "rangle")}


@dataclass(frozen=True)
class Letters:
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


@dataclass(frozen=True)
class Read:
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

    def whole(parser: _Parser) -> Read:
        tree, bound = parser.statement(), NOTHING
        while parser.took(",", "\\forall"):
            if parser.now not in ("", ",", "\\forall"):
                bound = together(bound, parser.binders("", "\\forall", "."))
        return Read(tree, bound)

    return _parsed(text, letters, whole)


def together(one: nodes.Bound, other: nodes.Bound) -> nodes.Bound:
    """Quantify over both."""
    return nodes.Bound(one.over + other.over, one.apart + other.apart)


def binders(text: str, letters: Letters = LETTERS_OF_SETS) -> nodes.Bound:
    """Read what is quantified over: ``i \\ne i' \\in [m], u \\in U_i``."""
    return _parsed(text, letters, lambda parser: parser.binders(""))


def expression(text: str, letters: Letters = LETTERS_OF_SETS) -> Node:
    """Read one side."""
    return _parsed(text, letters, _Parser.sum)


def _parsed(text: str, letters: Letters, what: Callable[[_Parser], T]) -> T:
    parser = _Parser(text, letters)
    found = what(parser)
    parser.finish()
    return found


def unused(bound: nodes.Bound, *bodies: Node) -> list[str]:
    """Letters that are quantified over and then not used, which is a slip of the pen."""
    used = set[str]().union(*(part.names for part in (*bodies, *dict(bound.over).values())))
    return [name for name, _ in bound.over if name not in used]


class _Parser:
    def __init__(self, text: str, letters: Letters):
        self.words = lexemes(tree(tokenise(" ".join(text.split()))))
        self.letters = letters
        self.at = 0
        self.norms = 0  #: that are open

    # -- tokens ---------------------------------------------------------------------------
    @property
    def now(self) -> str:
        return self.peek(0)

    @property
    def is_word(self) -> bool:
        return self.word is not None and self.word.kind == "word"

    @property
    def word(self) -> Lexeme | None:
        return self.words[self.at] if self.at < len(self.words) else None

    def peek(self, ahead: int = 1) -> str:
        return self.words[self.at + ahead].text if self.at + ahead < len(self.words) else ""

    def comes(self, *texts: str) -> bool:
        """Whether these come next, one after the other; of the empty one anything will do."""
        return all(text in ("", self.peek(k)) for k, text in enumerate(texts))

    def take(self, count: int = 1) -> str:
        """The first of what comes next, all of which is taken."""
        found = self.now
        self.at += count
        return found

    def expect(self, *texts: str) -> str:
        if self.now not in texts:
            raise self.refuse(f"expected {' or '.join(map(show, texts))}")
        return self.take()

    def took(self, *texts: str) -> bool:
        """Whether one of these came next, which is then taken."""
        found = bool(self.now) and self.now in texts
        self.at += found
        return found

    def within(self, opening: str, what: Callable[[], T], closing: str = "") -> T:
        """What stands between two texts, such as brackets."""
        self.expect(opening)
        found = what()
        self.expect(closing or _BRACKETS[opening])
        return found

    def listed(self, what: Callable[[], T], *separators: str) -> list[T]:
        """One or more with commas, or other separators, between."""
        found = [what()]
        while self.took(*(separators or (",",))):
            found.append(what())
        return found

    def attempt(self, what: Callable[[], T]) -> T | None:
        """What can be read as this; nothing is taken if it cannot."""
        before = self.at, self.norms
        try:
            return what()
        except TexError:
            self.at, self.norms = before
            return None

    def refuse(self, why: str) -> TexError:
        at = self.word.at if self.word else 0
        return TexError(f"{why}, found {show(self.now) if self.now else 'the end'}", at)

    def finish(self) -> None:
        while self.took(".", ","):
            pass
        if self.now:
            raise self.refuse("the statement should end here")

    # -- statements -----------------------------------------------------------------------
    def statement(self) -> Node:
        left = self.joined()
        while self.now in _CONNECTIVES:
            how = _CONNECTIVES[self.take()]
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
        r"""A relation, which may be said \forall inside brackets: ``(u = v \ \forall u \in U)``."""
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
        while self.now in _RELATIONS:
            relations.append(_RELATIONS[self.take()])
            sides.append(self.side())
        if not relations and self.took("\\in"):
            found = self.interval()
            return nodes.Within(sides[0], found.low, found.high, found.low_open, found.high_open)
        if not relations:
            raise self.refuse("a statement needs a relation")
        return nodes.Chain(tuple(sides), tuple(relations))

    def side(self) -> Node:
        return (self.attempt(self.interval) if self.now in ("(", "[") else None) or self.sum()

    def interval(self) -> nodes.Interval:
        opening = self.expect("[", "(")
        low, high = self.two()
        return nodes.Interval(low, high, opening == "(", self.expect("]", ")") == ")")

    # -- expressions ----------------------------------------------------------------------
    def sum(self) -> Node:
        sign = self.take() if self.now in ("+", "-") else "+"
        terms = [(sign, self.product())]
        while self.now in ("+", "-"):
            terms.append((self.take(), self.product()))
        return terms[0][1] if len(terms) == 1 and sign == "+" else nodes.Sum(tuple(terms))

    def product(self) -> Node:
        found = self.factors()
        while self.comes("|", "_"):
            self.take(2)
            found = nodes.At(
                found, tuple(self.within("{", lambda: self.listed(self.value_of_letter)))
            )
        return found

    def value_of_letter(self) -> tuple[str, Node]:
        r"""``\delta = 0``, or ``\delta \to \infty``."""
        name = self.letter()
        self.expect("=", "\\to")
        return name, self.sum()

    def ends(self) -> bool:
        r"""Whether a product is over; a ``\\|`` closes a norm only where one is open."""
        return self.now in _ENDS and (self.now != "\\|" or self.norms > 0)

    def factors(self) -> Node:
        parts = [("*", self.factor())]
        while True:
            if self.took("/"):
                parts.append(("/", self.factor()))
            elif self.took("\\cdot", "\\times") or not self.ends():
                parts.append(("*", self.factor()))
            else:
                return parts[0][1] if len(parts) == 1 else nodes.Product(tuple(parts))

    def factor(self) -> Node:
        found = self.atom()
        while self.took("^"):
            if self.now == "\\top" or (self.now == "T" and not self.is_word):
                self.take()
                found = nodes.Applied("T", found)
            elif self.peek() in ("\\top", "T") and self.comes("{", "", "}"):
                self.take(3)
                found = nodes.Applied("T", found)
            else:
                found = nodes.Power(found, self.group())
        return found

    def group(self) -> Node:
        """What stands in braces, or one digit, or one atom."""
        if self.now == "{":
            return self.within("{", self.sum)
        return nodes.Number(Fraction(self.take())) if self.now.isdigit() else self.atom()

    def atom(self) -> Node:
        now = self.now
        if now.isdigit():
            return self.number()
        if now in _BRACKETS:
            return self.within(now, self.sum)
        if "pi" not in self.letters.entries and self.took("\\pi"):
            return PI
        if self.is_word and now in ("E", "Var"):
            return self.moment()
        if self.is_word and self.comes("I", "_", "{"):
            self.take(2)
            return nodes.Indicator(self.within("{", self.relation))
        if now in _ATOMS and not (now == "\\delta" and self.peek(4) not in ("\\neq", "\\ne")):
            return _ATOMS[now](self, self.take())
        return self.name()

    def number(self) -> Node:
        digits = self.take()
        while self.now.isdigit() or (self.now == "." and self.peek().isdigit()):
            digits += self.take()
        if digits.count(".") > 1:
            raise self.refuse(f"{digits} has two decimal points")
        return nodes.Number(Fraction(digits))

    def fraction(self, _: str) -> Node:
        if self.comes("{", "\\partial"):
            return self.differentiated()
        above = self.group()
        return nodes.Quotient(above, self.group())

    def differentiated(self) -> Node:
        r"""``\frac{\partial^2}{\partial\delta^2} f``, or with the f above."""
        self.take(2)
        order = self.order()
        above = self.factor() if self.now != "}" else None
        self.expect("}")
        self.expect("{")
        self.expect("\\partial")
        name = self.letter()
        if self.order() != order:
            raise self.refuse("the orders above and below the fraction bar differ")
        self.expect("}")
        return nodes.Derivative(name, order, self.factors() if above is None else above)

    def order(self) -> int:
        found = self.group() if self.took("^") else ONE
        if not isinstance(found, nodes.Number) or found.value.denominator != 1:
            raise self.refuse("the order of a derivative must be a whole number")
        return int(found.value)

    def root(self, _: str) -> Node:
        return nodes.Applied("sqrt", self.group())

    def ceiling(self, _: str) -> Node:
        inside = self.sum()
        self.expect("\\rceil")
        return nodes.Applied("ceil", inside)

    def norm(self, _: str) -> Node:
        self.norms += 1
        inside = self.sum()
        self.norms -= 1
        self.expect("\\|")
        which = self.group() if self.took("_") else nodes.Number(Fraction(2))
        if which not in (nodes.Name("F"), nodes.Number(Fraction(2))):
            raise self.refuse("only the Euclidean and the Frobenius norm are known")
        return nodes.Applied("frobenius" if which == nodes.Name("F") else "norm", inside)

    def bars(self, _: str) -> Node:
        of_set = self.now in self.letters.sets or self.now in ("[", "\\{")
        inside = self.set() if of_set else self.sum()
        self.expect("|")
        return nodes.Applied("size" if of_set else "abs", inside)

    def cosine(self, _: str) -> Node:
        return nodes.Cosine(*self.within("(", self.two))

    def inner(self, _: str) -> Node:
        one, other = self.two()
        self.expect("\\rangle")
        return nodes.Product((("*", one), ("*", other)))

    def two(self) -> tuple[Node, Node]:
        """Two sides with a comma between."""
        one = self.sum()
        self.expect(",")
        return one, self.sum()

    def unlike(self, _: str) -> Node:
        self.expect("_")
        self.expect("{")
        one = self.index()
        self.take()
        other = self.index()
        self.expect("}")
        return nodes.Indicator(nodes.Chain((one, other), ("!=",)))

    def function(self, name: str) -> Node:
        if self.now == "^":
            raise self.refuse("write a power of a function with brackets")
        return nodes.Applied(_FUNCTIONS[name], self.factor())

    def gradient(self, _: str) -> Node:
        r"""``\nabla_{z_i} \mathcal{L}_i``, of the loss of an anchor in the anchor."""
        self.expect("_")
        anchor, loss = self.within("{", self.name), self.name()
        if not isinstance(loss, nodes.Call) or loss.base != "L" or loss.subs != anchor.subs:
            raise self.refuse(
                "a gradient is read only of the loss of an anchor, with respect to that anchor"
            )
        return nodes.Name("nabla", anchor.subs)

    def big(self, command: str) -> Node:
        what = command[1:]
        if self.now == "(" and what in ("max", "min"):
            return nodes.Extremum(what, tuple(self.within("(", lambda: self.listed(self.sum))))
        self.expect("_")
        if self.now != "{":
            name = self.letter()
            if not self.letters.over:
                raise self.refuse("a sum needs braces that say what it runs over")
            return nodes.Big(what, nodes.Bound(((name, self.letters.everything),)), self.product())
        self.take()
        of_substack = self.took("{")
        bound = self.binders("}")
        self.take(of_substack)
        self.expect("}")
        if self.took("^"):
            bound = _with_upper_end(bound, self.group())
        return nodes.Big(what, bound, self.product())

    def limit(self, _: str) -> Node:
        self.expect("_")
        self.expect("{")
        name = self.letter()
        self.expect("\\to", "\\rightarrow")
        end = self.sum()
        self.expect("}")
        return nodes.Limit(name, end, self.product())

    def moment(self) -> Node:
        """A mean or variance over a set, or under the law of a family."""
        word = self.take()
        mark = self.label() if self.took("^") else ""
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

    def label(self) -> str:
        """A superscript or subscript that is a word."""
        if not self.took("{"):
            return self.take()
        found = ""
        while not self.took("}"):
            if not self.now:
                raise self.refuse("a brace is not closed")
            found += self.take()
        return found

    # -- names ----------------------------------------------------------------------------
    def letter(self) -> str:
        """A letter with its primes."""
        now, kind = self.now, self.word.kind if self.word else ""
        if kind not in ("word", "letter") and now not in _GREEK:
            if not (len(now) == 1 and now.isalpha()):
                raise self.refuse("expected a name")
        found = self.take().removeprefix("\\")
        while self.now == "'" or self.comes("^", "\\prime") or self.comes("^", "{", "\\prime"):
            if self.take() == "^" and self.take() == "{":
                self.take()
                self.expect("}")
            found += "'"
        return _SAME.get(found, found)

    def name(self) -> nodes.Name:
        letters, is_word = self.letters, self.is_word
        base = self.letter()
        marked = is_word or (
            len(base.rstrip("'")) == 1
            and base[0] in {*letters.vectors, *letters.sets, *letters.entries}
        )
        subs: tuple[Node, ...] = ()
        mark = ""
        while self.now in ("_", "^"):
            numbered = self.comes("^", "{", "(", "", ")")
            if self.took("_"):
                subs += self.subscript()
            elif self.comes("^", "\\top") or self.comes("^", "{", "\\top"):
                break
            elif self.sign_above():
                self.take()
                mark += self.label()
            elif numbered and ((subs and letters.over) or marked or base == "L"):
                self.take()
                subs += (self.within("{", lambda: self.within("(", self.index)),)
            elif marked or base == "L":
                self.take()
                mark += self.label()
            else:
                break
            while self.took("'"):
                base += "'"
        if base == "lambda" and not subs:  # a weight or a multiplier; with an index, an eigenvalue
            base = "lam"
        found = nodes.Name(base, subs, mark)
        if self.now == "(" and (base == "L" or {found.full, base} & {*letters.functions}):
            arguments = self.within("(", lambda: self.listed(self.argument, ",", ";"))
            return nodes.Call(base, subs, mark, tuple(arguments))
        if base == "L" and is_word:
            return nodes.Call(base, subs, mark)
        if base in letters.sets and self.now == "(":  # U(\\delta), of its parameter
            return replace(found, mark=f"{mark}({self.within('(', self.sum)})")
        return found

    def argument(self) -> Node:
        return self.set() if self.now in self.letters.sets else self.sum()

    def sign_above(self) -> bool:
        """Whether a plus or minus alone stands above what comes before."""
        signs = ("+", "-")
        return self.now == "^" and (
            self.peek() in signs or (self.peek(2) in signs and self.comes("^", "{", "", "}"))
        )

    def subscript(self) -> tuple[Node, ...]:
        """Indices, which commas or nothing separate, a word, or a sign: ``v_+``."""
        if self.now in self.letters.subsets:  # alone, so that q_B(z) has an argument
            name = self.take()
            return (nodes.Subset(name, nodes.Name(name)),)
        if self.is_word or self.now in ("+", "-", "*"):
            return (nodes.Word(self.take()),)
        if self.now != "{":
            return (self.index(),)
        self.take()
        if self.now in ("+", "-") and self.peek() == "}":
            return (nodes.Word(self.take(2)),)
        found: list[Node] = []
        while not self.took("}"):
            if self.took(","):
                continue
            if self.now in self.letters.subsets:
                of = self.set()
                found.append(nodes.Subset(str(of), of))
            elif self.is_word or self.now == "*":
                found.append(nodes.Word(self.take()))
            else:
                found.append(self.partner(self.index()))
        return tuple(found)

    def partner(self, index: Node) -> Node:
        """The index, or its partner, which is marked: ``i^+``, or ``i+``."""
        marked = self.comes("^", "+") or self.comes("^", "{", "+")
        if not isinstance(index, nodes.Name) or not (marked or self.now == "+"):
            return index
        self.take(marked)
        self.label()
        return replace(index, mark="+")

    def index(self) -> Node:
        if self.now.isdigit():
            return nodes.Number(Fraction(self.take()))
        if self.now in ("\\min", "\\max"):
            return nodes.Word(self.take()[1:])
        return nodes.Name(self.letter())

    # -- sets and binders -----------------------------------------------------------------
    def set(self) -> Node:
        found = self.set_atom()
        while self.now in ("\\setminus", "\\cup"):
            what = self.take()[1:]
            found = nodes.Combined(found, what, self.set_atom())
        return found

    def set_atom(self) -> Node:
        if self.took("["):
            self.take(3 * self.comes("1", ".", "."))
            high = self.sum()
            self.expect("]")
            return nodes.Range(ONE, high)
        if self.now == "\\{":
            return nodes.Members(tuple(self.within("\\{", lambda: self.listed(self.name), "\\}")))
        if self.now not in self.letters.sets:
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
            if not self.took(",") and self.took("\\ne", "\\neq"):
                apart.append((waiting[-1], self.name().base))
                waiting.append(apart[-1][1])
                self.took(",")
            if self.took("="):
                low = self.sum()
                bound.append((waiting.pop(), nodes.Range(low, INFINITY)))
                self.took(",")
            elif self.took("\\in"):
                where = self.set()
                bound += [(one, where) for one in dict.fromkeys(waiting)]
                waiting = []
                self.took(",", ";")
        loose = [one for one in dict.fromkeys(waiting) if one not in dict(bound)]
        if loose and not self.letters.over:
            raise self.refuse(f"the range of {loose[0]} is not given")
        bound += [(one, self.letters.everything) for one in loose]
        return nodes.Bound(tuple(bound), tuple(apart))


_ATOMS: dict[str, Callable[[_Parser, str], Node]] = {
    **dict.fromkeys(FRACTIONS, _Parser.fraction),
    **dict.fromkeys(_FUNCTIONS, _Parser.function),
    **dict.fromkeys(("\\sum", "\\prod", "\\max", "\\min"), _Parser.big),
    "\\sqrt": _Parser.root,
    "\\lceil": _Parser.ceiling,
    "\\infty": lambda parser, _: INFINITY,
    "\\|": _Parser.norm,
    "|": _Parser.bars,
    "\\cos": _Parser.cosine,
    "\\langle": _Parser.inner,
    "\\delta": _Parser.unlike,
    "\\nabla": _Parser.gradient,
    "\\lim": _Parser.limit,
}


def _with_upper_end(bound: nodes.Bound, high: Node) -> nodes.Bound:
    """Put the end above a big sum to the binder that has a beginning only."""
    found = tuple(
        (name, replace(where, high=high))
        if isinstance(where, nodes.Range) and where.high == INFINITY
        else (name, where)
        for name, where in bound.over
    )
    return replace(bound, over=found)

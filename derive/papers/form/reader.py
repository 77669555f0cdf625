r"""Read a printed statement about numbers and vectors into a tree that can be run and mutated.

The reader of :mod:`cltheory.derive.tex` reads closed forms, so that they can be proved. What
papers print about embeddings has sums over sets in it, inner products and norms; those are read
here, in the LaTeX of the paper, to be evaluated on exact sets of vectors at exact points:

    statement = joined { \iff joined | \Rightarrow joined }
    joined    = [\exists names :] said { \wedge said }
    said      = relation | (relation \forall binders)
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

A statement may stand in brackets, ``A \Rightarrow (B \iff C)``. An index that nothing says where it
runs, as in ``\sum_{k \ne i}``, runs over [n] in families that have such indices, unless it is bound
outside; there ``\sum_i`` needs no braces. ``i^+`` is the partner of an index, and ``N^-``,
``\tilde{\Sigma}_i^-``, ``\sigma_*^{(i)}`` are names with marks and indices.

A big sum extends over the product after it, as it is read aloud; so does a derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ...language.statement import TexError
from ...language.tokens import Token, show, tokenise

#: A tree: what it is, then its parts, which are trees, texts, numbers or tuples of these.
Tree = tuple[Any, ...]

_FONTS = set(
    "mathbf boldsymbol bm mathrm mathit mathsf text textrm textit mathbb mathcal operatorname "
    "operatorname* textstyle".split()
)
_WORDS = {"text", "textrm", "mathrm", "operatorname", "operatorname*", "mathsf", "textit"}
_SILENT = set(
    "left right big Big bigg Bigg bigl bigr Bigl Bigr limits nolimits displaystyle , ; : ! quad "
    "qquad nonumber".split()
)
_SILENT_WORDS = {"with", "and", "where", "such that", "holds"}
_FOR_ALL = {"for all", "for every", "for any", "for each", "for", "if", "where for all"}
_RELATIONS = {
    "=": "=", ":=": "=", "<": "<", ">": ">", "\\le": "<=", "\\leq": "<=", "\\ge": ">=",
    "\\geq": ">=", "\\ne": "!=", "\\neq": "!=", "\\leqslant": "<=", "\\geqslant": ">=",
    "\\to": "->", "\\rightarrow": "->", "\\coloneqq": "=", "\\preceq": "<=", "\\succeq": ">=",
}  # fmt: skip
_CONNECTIVES = {"\\iff": "iff", "\\Leftrightarrow": "iff"}
_CONNECTIVES |= {"\\implies": "implies", "\\Rightarrow": "implies", "\\Longrightarrow": "implies"}
_AND = ("\\wedge", "\\land")
_GREEK = set(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta kappa lambda mu nu xi pi rho sigma "
    "tau phi varphi chi psi omega Delta Gamma Sigma Phi Psi Omega ell".split()
)
_FUNCTIONS = {"log", "exp", "ln", "tanh"}
#: One letter under several names.
_SAME = {"varepsilon": "epsilon", "tau'": "tau_prime"}
_ACCENTS = set("tilde widetilde hat widehat bar overline".split())
_BRACKETS = {"{": "}", "(": ")", "[": "]"}
_ENDS = set(", ) ] } | + - = < > := / ; .".split()) | {""}
_ENDS |= {f"\\{name}" for name in ("}", "|", "in", "rceil", "setminus", "cup", "forall", "rangle")}
_ENDS |= set(_AND)


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


LETTERS = Letters()


NOTHING: Tree = ("bind", (), ())


@dataclass(frozen=True)
class Read:
    """A statement that was read.

    Attributes
    ----------
    tree
        What it says.
    bound
        What it quantifies over itself.
    sides, relations
        The texts of the sides of a single chain, for the reader of closed forms.
    """

    tree: Tree
    bound: Tree = NOTHING
    sides: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()


def read(text: str, letters: Letters = LETTERS) -> Read:
    r"""Read a statement, with what it is said ``\\forall`` at its end.

    Raises
    ------
    TexError
        If it is not one; the message is one line.
    """
    reader = _Reader(text, letters)
    tree = reader.statement()
    over = reader.words[reader.at].at if reader.at < len(reader.words) else len(reader.text)
    bound = NOTHING
    while reader.now in (",", "\\forall"):
        reader.take()
        if reader.now not in ("", ",", "\\forall"):
            bound = together(bound, reader.binders(("", "\\forall", ".")))
    reader.finish()
    if tree[0] != "rel":
        return Read(tree, bound)
    ends = [*reader.cuts, (over, over)]
    starts = [0, *(after for _, after in reader.cuts)]
    sides = tuple(
        reader.text[start:end].strip(" ,") for start, (end, _) in zip(starts, ends, strict=True)
    )
    return Read(tree, bound, sides, tree[2])


def together(one: Tree, other: Tree) -> Tree:
    """Quantify over both."""
    return ("bind", one[1] + other[1], one[2] + other[2])


def statement(text: str, letters: Letters = LETTERS) -> Tree:
    """The tree of a statement."""
    return read(text, letters).tree


def binders(text: str, letters: Letters = LETTERS) -> Tree:
    """Read what is quantified over: ``i \\ne i' \\in [m], u \\in U_i``."""
    reader = _Reader(text, letters)
    found = reader.binders(("",))
    reader.finish()
    return found


def expression(text: str, letters: Letters = LETTERS) -> Tree:
    """Read one side."""
    reader = _Reader(text, letters)
    found = reader.sum()
    reader.finish()
    return found


@dataclass(frozen=True)
class _Word:
    """A token after fonts are gone."""

    text: str
    kind: str
    at: int


def _flat(tokens: Sequence[Token]) -> list[_Word]:
    """Take fonts and what only sets things off; ``\\text{Var}`` becomes one word."""
    out: list[_Word] = []
    k = 0
    while k < len(tokens):
        token = tokens[k]
        name = token.text[1:] if token.kind == "command" else ""
        if token.kind == "space" or name in _SILENT:
            k += 1
        elif token.kind in ("begin", "end"):
            raise TexError(f"the environment {show(token.text)} is not read here", token.at)
        elif name == "backslash":
            out.append(_Word("\\setminus", "command", token.at))
            k += 1
        elif name == "substack":
            k += 1
        elif name in _ACCENTS:
            inside, k = _argument(tokens, k + 1)
            letters = _flat(inside)
            is_power = len(letters) == 3 and letters[1].text == "^" and letters[2].text.isdigit()
            if len(letters) != 1 and not is_power:
                raise TexError(f"an accent is read over one letter: {show(token.text)}", token.at)
            base = "".join(word.text.removeprefix("\\") for word in letters)
            out.append(_Word(f"{base}~{name}", "letter", token.at))
        elif name == "\\":
            out.append(_Word(",", "char", token.at))
            k += 1
        elif name in _FONTS:
            inside, k = _argument(tokens, k + 1)
            word = "".join(" " if t.kind == "space" else t.text for t in inside).strip()
            if name in _WORDS:
                word = " ".join(word.split())
                if word in _FOR_ALL:
                    out.append(_Word("\\forall", "command", token.at))
                elif word not in _SILENT_WORDS:
                    out.append(_Word(word, "word", token.at))
            elif name in ("mathbb", "mathcal"):
                out.append(_Word({"E": "E", "L": "L"}.get(word, word), "word", token.at))
            else:
                out += _flat(inside)
        else:
            if token.text == "=" and out and out[-1].text == ":":
                out[-1] = _Word(":=", "char", out[-1].at)
            else:
                out.append(_Word(token.text, token.kind, token.at))
            k += 1
    return out


def _argument(tokens: Sequence[Token], k: int) -> tuple[Sequence[Token], int]:
    """What stands in braces from ``k`` on, or one token; and where it ends."""
    while k < len(tokens) and tokens[k].kind == "space":
        k += 1
    if k >= len(tokens) or tokens[k].text != "{":
        return tokens[k : k + 1], k + 1
    depth, start = 0, k
    while k < len(tokens):
        depth += (tokens[k].text == "{") - (tokens[k].text == "}")
        k += 1
        if depth == 0:
            break
    return tokens[start + 1 : k - 1], k


class _Reader:
    def __init__(self, text: str, letters: Letters):
        self.text = " ".join(text.split())
        self.words = _flat(tokenise(self.text))
        self.letters = letters
        self.at = 0
        self.norms = 0  #: that are open
        self.cuts: list[tuple[int, int]] = []  #: of relations at the top: before and after

    # -- tokens ---------------------------------------------------------------------------
    @property
    def now(self) -> str:
        return self.words[self.at].text if self.at < len(self.words) else ""

    @property
    def kind(self) -> str:
        return self.words[self.at].kind if self.at < len(self.words) else "end"

    def peek(self, ahead: int = 1) -> str:
        return self.words[self.at + ahead].text if self.at + ahead < len(self.words) else ""

    def take(self) -> str:
        found = self.now
        self.at += 1
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

    def within(self, opening: str, what: Callable[[], Any], closing: str) -> Any:
        """What stands between two texts."""
        self.expect(opening)
        found = what()
        self.expect(closing)
        return found

    def listed(self, what: Callable[[], Any], *separators: str) -> list[Any]:
        """One or more with commas, or other separators, between."""
        found = [what()]
        while self.took(*(separators or (",",))):
            found.append(what())
        return found

    def refuse(self, why: str) -> TexError:
        at = self.words[self.at].at if self.at < len(self.words) else 0
        return TexError(f"{why}, found {show(self.now) if self.now else 'the end'}", at)

    def finish(self) -> None:
        while self.took(".", ","):
            pass
        if self.now:
            raise self.refuse("the statement is over")

    # -- statements -----------------------------------------------------------------------
    def statement(self) -> Tree:
        left = self.joined()
        while self.now in _CONNECTIVES:
            kind = _CONNECTIVES[self.take()]
            left = (kind, left, self.joined())
        return left

    def joined(self) -> Tree:
        r"""Relations that hold together, maybe of constants: ``\exists c: (w = c \forall ...)``."""
        if self.took("\\exists"):
            names = tuple(map(_full_name, self.listed(self.name)))
            self.expect(":")
            return ("exists", names, self.joined())
        parts = self.listed(self.quantified, *_AND)
        return parts[0] if len(parts) == 1 else ("and", *parts)

    def quantified(self) -> Tree:
        r"""A relation, which may be said \forall inside brackets: ``(u = v \ \forall u \in U)``."""
        start = self.at
        if self.now == "(":
            self.take()
            try:
                inside = self.relation()
                if self.took("\\forall"):
                    bound = self.binders((")",))
                    self.expect(")")
                    return ("all", bound, inside)
            except TexError:
                pass
            self.at = start
            try:
                self.take()
                inside = self.statement()
                if inside[0] != "rel" and self.took(")"):
                    return inside
            except TexError:
                pass
            self.at = start
            self.cuts.clear()
        return self.relation()

    def relation(self) -> Tree:
        sides, relations = [self.side()], []
        while self.now in _RELATIONS:
            start = self.words[self.at].at
            relations.append(_RELATIONS[self.take()])
            self.cuts.append(
                (
                    start
                    - (
                        relations[-1] == "="
                        and self.text[start] == "="
                        and self.text[start - 1 : start] == ":"
                    ),
                    self.start(),
                )
            )
            sides.append(self.side())
        if not relations and self.took("\\in"):
            return ("in", sides[0], *self.interval())
        if not relations:
            raise self.refuse("a statement needs a relation")
        return ("rel", tuple(sides), tuple(relations))

    def start(self) -> int:
        """Where what comes next begins in the text, fonts included."""
        before = self.words[self.at - 1]
        length = 2 if before.text == ":=" else len(before.text)
        return before.at + length - (before.text == ":=")

    def side(self) -> Tree:
        """One side; also an interval, of which a number may wrongly be said to be equal."""
        start = self.at
        if self.now in ("(", "["):
            try:
                return ("interval", *self.interval())
            except TexError:
                self.at = start
        return self.sum()

    def interval(self) -> tuple[Any, ...]:
        opening = self.expect("[", "(")
        low = self.sum()
        self.expect(",")
        high = self.sum()
        closing = self.expect("]", ")")
        return low, high, opening == "(", closing == ")"

    # -- expressions ----------------------------------------------------------------------
    def sum(self) -> Tree:
        parts: list[tuple[str, Tree]] = []
        sign = "+"
        if self.now in ("+", "-"):
            sign = self.take()
        parts.append((sign, self.product()))
        while self.now in ("+", "-"):
            sign = self.take()
            parts.append((sign, self.product()))
        if len(parts) == 1 and parts[0][0] == "+":
            return parts[0][1]
        return ("add", tuple(parts))

    def product(self) -> Tree:
        found = self.factors()
        while self.now == "|" and self.peek() == "_":
            self.take(), self.take()
            found = ("at", found, self.within("{", self.values, "}"))
        return found

    def values(self) -> tuple[tuple[str, Tree], ...]:
        r"""Values of letters: ``\delta = 0, N = 3``, or ``\delta \to \infty``."""
        return tuple(self.listed(self.value_of_letter))

    def value_of_letter(self) -> tuple[str, Tree]:
        name = self.take_name()
        self.expect("=", "\\to")
        return name, self.sum()

    def differentiated(self) -> Tree:
        r"""``\frac{\partial^2}{\partial\delta^2} f``, or with the f above."""
        self.take(), self.take()
        self.expect("\\partial")
        order = self.order()
        above = self.factor() if self.now != "}" else None
        self.expect("}")
        self.expect("{")
        self.expect("\\partial")
        name = self.take_name()
        if self.order() != order:
            raise self.refuse("a derivative has one order")
        self.expect("}")
        return ("diff", name, order, self.factors() if above is None else above)

    def order(self) -> int:
        if not self.took("^"):
            return 1
        found = self.group()
        if found[0] != "num" or found[1].denominator != 1:
            raise self.refuse("the order of a derivative is a number")
        return int(found[1])

    def ends(self) -> bool:
        r"""Whether a product is over; a ``\\|`` closes a norm only where one is open."""
        if self.now == "\\|" and not self.norms:
            return False
        return self.now in _ENDS or self.now in _RELATIONS or self.now in _CONNECTIVES

    def factors(self) -> Tree:
        parts: list[tuple[str, Tree]] = [("*", self.factor())]
        while True:
            if self.took("/"):
                parts.append(("/", self.factor()))
            elif self.took("\\cdot", "\\times") or not self.ends():
                parts.append(("*", self.factor()))
            else:
                break
        return parts[0][1] if len(parts) == 1 else ("mul", tuple(parts))

    def factor(self) -> Tree:
        found = self.atom()
        while self.took("^"):
            if self.now == "\\top" or (self.kind == "char" and self.now == "T"):
                self.take()
                found = ("T", found)
            elif self.now == "{" and self.peek() in ("\\top", "T") and self.peek(2) == "}":
                self.take(), self.take()
                self.expect("}")
                found = ("T", found)
            else:
                found = ("pow", found, self.group())
        return found

    def group(self) -> Tree:
        """What stands in braces, or one atom."""
        if self.now == "{":
            return self.braced()
        return self.one()

    def braced(self) -> Tree:
        return self.within("{", self.sum, "}")

    def one(self) -> Tree:
        """An argument without braces: one digit or one letter."""
        if self.now.isdigit():
            return ("num", Fraction(self.take()))
        return self.atom()

    def atom(self) -> Tree:
        now = self.now
        if now.isdigit():
            digits = self.take()
            while self.now.isdigit() or (self.now == "." and self.peek().isdigit()):
                digits += self.take()
            return ("num", Fraction(digits))
        if now in _BRACKETS:
            return self.within(now, self.sum, _BRACKETS[now])
        if now in ("\\frac", "\\tfrac", "\\dfrac"):
            if self.peek() == "{" and self.peek(2) == "\\partial":
                return self.differentiated()
            self.take()
            above = self.group()
            return ("frac", above, self.group())
        if now == "\\sqrt":
            self.take()
            return ("sqrt", self.group())
        if now == "\\lceil":
            return ("ceil", self.within(now, self.sum, "\\rceil"))
        if self.took("\\infty"):
            return ("inf",)
        if "pi" not in self.letters.entries and self.took("\\pi"):
            return ("pi",)
        if now == "\\|":
            self.take()
            self.norms += 1
            inside = self.sum()
            self.norms -= 1
            self.expect("\\|")
            if self.took("_"):
                which = self.group()
                if which == ("name", "F", (), ""):
                    return ("frobenius", inside)
                if which != ("num", Fraction(2)):
                    raise self.refuse("only the norms of Euclid and Frobenius are known")
            return ("norm", inside)
        if now == "|":
            self.take()
            if self.now in self.letters.sets or self.now in ("[", "\\{"):
                inside = self.set()
                self.expect("|")
                return ("size", inside)
            inside = self.sum()
            self.expect("|")
            return ("abs", inside)
        if now == "\\cos":
            self.take()
            return ("cos", *self.within("(", self.two, ")"))
        if now == "\\langle":
            one, other = self.within(now, self.two, "\\rangle")
            return ("mul", (("*", one), ("*", other)))
        if now == "\\delta" and self.peek() == "_" and self.peek(4) in ("\\neq", "\\ne"):
            self.take(), self.take(), self.take()
            one = self.one_index()
            self.take()
            other = self.one_index()
            self.expect("}")
            return ("unlike", one, other)
        if now == "\\nabla":
            return self.gradient()
        if now in ("\\max", "\\min") and self.peek() == "(":
            return self.least()
        if now in ("\\sum", "\\prod", "\\max", "\\min"):
            return self.big(self.take()[1:])
        if now == "I" and self.kind == "word" and self.peek() == "_" and self.peek(2) == "{":
            self.take(), self.take()
            return ("holds", self.within("{", self.relation, "}"))
        if now == "\\lim":
            return self.limit()
        if now.startswith("\\") and now[1:] in _FUNCTIONS:
            self.take()
            return ("fun", "log" if now == "\\ln" else now[1:], self.argument())
        if now in ("E", "Var") and self.kind == "word":
            return self.functional()
        return self.name()

    def argument(self) -> Tree:
        if self.now == "^":
            raise self.refuse("a power of a function is written with brackets")
        return self.factor()

    def two(self) -> tuple[Tree, Tree]:
        """Two sides with a comma between."""
        one = self.sum()
        self.expect(",")
        return one, self.sum()

    def least(self) -> Tree:
        r"""The least or the largest of some: ``\\min(a, b)``."""
        what = self.take()[1:]
        found = self.within("(", lambda: self.listed(self.sum), ")")
        return ("least", what, tuple(found))

    def gradient(self) -> Tree:
        r"""``\nabla_{z_i} \mathcal{L}_i``, of the loss of an anchor in the anchor."""
        self.take(), self.expect("_")
        anchor = self.within("{", self.name, "}")
        loss = self.name()
        if loss[:2] != ("call", "L") or loss[2] != anchor[2]:
            raise self.refuse("a gradient is that of the loss of an anchor in the anchor")
        return ("name", "nabla", anchor[2], "")

    def big(self, what: str) -> Tree:
        self.expect("_")
        if self.now != "{" and self.letters.over:
            return ("big", what, self.alone(), self.product())
        if self.now != "{":
            self.take_name()
            raise self.refuse("a big sum needs braces that say what it runs over")
        self.take()
        of_substack = self.took("{")
        bound = self.binders(("}",))
        if of_substack:
            self.expect("}")
        self.expect("}")
        if self.took("^"):
            bound = _with_upper_end(bound, self.group())
        return ("big", what, bound, self.product())

    def alone(self) -> Tree:
        r"""The one letter of ``\sum_i``, which runs over all there are."""
        everything = ("range", ("num", Fraction(1)), ("name", self.letters.over, (), ""))
        return ("bind", ((self.take_name(), ("free", everything)),), ())

    def limit(self) -> Tree:
        self.take(), self.expect("_"), self.expect("{")
        name = self.take_name()
        self.expect("\\to", "\\rightarrow")
        end = self.sum()
        self.expect("}")
        return ("lim", name, end, self.product())

    def functional(self) -> Tree:
        word = self.take()
        mark = self.label() if self.took("^") else ""
        kind = "expect" if word == "E" else "spread"
        if self.now not in ("[", "(") and not mark and self.letters.over:
            return (kind, self.factor())
        closing = _BRACKETS[self.expect("[", "(")]
        start = self.at
        try:
            inside = self.set()
            self.expect(closing)
            return ("mean" if word == "E" else f"var{mark}", inside)
        except TexError:
            if mark or not self.letters.over:
                raise
        self.at = start
        inside = self.sum()
        self.expect(closing)
        return (kind, inside)

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
    def take_name(self) -> str:
        """A letter with its primes."""
        now = self.now
        is_name = self.kind in ("word", "letter") or (now.startswith("\\") and now[1:] in _GREEK)
        if not is_name and not (len(now) == 1 and now.isalpha()):
            raise self.refuse("expected a name")
        found = self.take().removeprefix("\\")
        while self.now == "'" or (self.now == "^" and "\\prime" in (self.peek(), self.peek(2))):
            if self.take() == "^" and self.take() == "{":
                self.take(), self.expect("}")
            found += "'"
        return _SAME.get(found, found)

    def name(self) -> Tree:
        is_word = self.kind == "word"
        base = self.take_name()
        marked = is_word or (
            len(base.rstrip("'")) == 1
            and base[0] in {*self.letters.vectors, *self.letters.sets, *self.letters.entries}
        )
        subs: tuple[Tree, ...] = ()
        mark = ""
        while self.now in ("_", "^"):
            if self.took("_"):
                subs += self.subscript()
            elif self.peek() == "\\top" or (self.peek() == "{" and self.peek(2) == "\\top"):
                break
            elif self.peek() in ("+", "-") or (
                self.peek() == "{" and self.peek(2) in ("+", "-") and self.peek(3) == "}"
            ):
                self.take()
                mark += self.label()
            elif subs and self.letters.over and self.is_numbered():
                self.take()
                subs += self.numbered()
            elif marked or base == "L":
                self.take()
                if self.now == "{" and self.peek() == "(" and self.peek(3) == ")":
                    subs += self.numbered()
                else:
                    mark += self.label()
            else:
                break
            while self.took("'"):
                base += "'"
        if base == "lambda" and not subs:  # a weight or a multiplier; with an index, an eigenvalue
            base = "lam"
        full = indexed(base, subs)
        is_function = full in self.letters.functions or base in self.letters.functions
        if (is_function or base == "L") and self.now == "(":
            arguments = self.within("(", lambda: self.listed(self.call_argument, ",", ";"), ")")
            return ("call", base, subs, mark, tuple(arguments))
        if base == "L" and is_word:
            return ("call", base, subs, mark, ())
        if base in self.letters.sets and self.now == "(":  # U(\\delta), of its parameter
            mark += f"({spell(self.within('(', self.sum, ')'))})"
        return ("name", base, subs, mark)

    def call_argument(self) -> Tree:
        return self.set() if self.now in self.letters.sets else self.sum()

    def is_numbered(self) -> bool:
        """Whether an index above, in brackets, comes next."""
        return self.peek() == "{" and self.peek(2) == "(" and self.peek(4) == ")"

    def numbered(self) -> tuple[Tree, ...]:
        """An index above, in brackets: ``v_-^{(j)}``."""
        self.expect("{"), self.expect("(")
        found = self.one_index()
        self.expect(")"), self.expect("}")
        return (found,)

    def subscript(self) -> tuple[Tree, ...]:
        """Indices, which commas or nothing separate, a word, or a sign: ``v_+``."""
        if self.now in self.letters.subsets:  # alone, so that q_B(z) has an argument
            name = self.take()
            return (("set", name, ("name", name, (), "")),)
        if self.kind == "word" or self.now in ("+", "-", "*"):
            return (("word", self.take()),)
        if self.now == "{" and self.peek() in ("+", "-") and self.peek(2) == "}":
            self.take()
            sign = self.take()
            self.take()
            return (("word", sign),)
        if self.now != "{":
            return (self.one_index(),)
        self.take()
        found: list[Tree] = []
        while not self.took("}"):
            if self.took(","):
                continue
            if self.now in self.letters.subsets:
                found.append(self.subset())
            elif self.kind == "word" or self.now == "*":
                found.append(("word", self.take()))
            else:
                found.append(self.partner(self.one_index()))
        return tuple(found)

    def subset(self) -> Tree:
        """A set that stands as an index, under the name by which it is defined."""
        found = self.set()
        return ("set", spell(found), found)

    def partner(self, index: Tree) -> Tree:
        """The index, or its partner, which is marked: ``i^+``, or ``i+``."""
        marked = self.now == "^" and (
            self.peek() == "+" or (self.peek() == "{" and self.peek(2) == "+")
        )
        if index[0] != "name" or not (marked or self.now == "+"):
            return index
        if marked:
            self.take()
        self.label()
        return (*index[:3], "+")

    def one_index(self) -> Tree:
        if self.now.isdigit():
            return ("num", Fraction(self.take()))
        if self.now in ("\\min", "\\max"):
            return ("word", self.take()[1:])
        return ("name", self.take_name(), (), "")

    # -- sets and binders -----------------------------------------------------------------
    def set(self) -> Tree:
        found = self.set_atom()
        while self.now in ("\\setminus", "\\cup"):
            what = self.take()[1:]
            found = (what, found, self.set_atom())
        return found

    def set_atom(self) -> Tree:
        if self.took("["):
            low: Tree = ("num", Fraction(1))
            if self.now == "1" and self.peek() == self.peek(2) == ".":
                self.take(), self.take(), self.take()
            high = self.sum()
            self.expect("]")
            return ("range", low, high)
        if self.now == "\\{":
            members = self.within("\\{", lambda: self.listed(self.name), "\\}")
            return ("these", tuple(members))
        if self.now not in self.letters.sets:
            raise self.refuse("expected a set")
        return self.name()

    def binders(self, ends: tuple[str, ...]) -> Tree:
        """Names and where they run; ``i \\ne j`` says that two of them differ."""
        bound: list[tuple[str, Tree]] = []
        apart: list[tuple[str, str]] = []
        waiting: list[str] = []
        while self.now not in ends:
            if self.took("\\forall"):
                continue
            name = self.name()
            if name[2] and name[1][0] not in self.letters.vectors:
                raise self.refuse("a bound name has no index")
            waiting.append(_bound_name(name))
            if not self.took(",") and self.took("\\ne", "\\neq"):
                apart.append((waiting[-1], _bound_name(self.name())))
                waiting.append(apart[-1][1])
                self.took(",")
            if self.took("="):
                low = self.sum()
                bound.append((waiting.pop(), ("range", low, ("inf",))))
                self.took(",")
            elif self.took("\\in"):
                where = self.set()
                bound += [(n, where) for n in dict.fromkeys(waiting)]
                waiting = []
                self.took(",", ";")
        known = {n for n, _ in bound}
        loose = [n for n in waiting if n not in known]
        if loose and not self.letters.over:
            raise self.refuse(f"nothing says what {loose[0]} runs over")
        everything = ("range", ("num", Fraction(1)), ("name", self.letters.over, (), ""))
        bound += [(n, ("free", everything)) for n in dict.fromkeys(loose)]
        return ("bind", tuple(bound), tuple(apart))


def _bound_name(tree: Tree) -> str:
    return str(tree[1])


def indexed(base: str, subs: Sequence[Tree]) -> str:
    """A name with its indices: ``l_p``."""
    return base + "".join(f"_{s[1]}" for s in subs)


def _full_name(tree: Tree) -> str:
    """A name with its indices: ``c_1``."""
    return indexed(str(tree[1]), tree[2])


def _with_upper_end(bound: Tree, high: Tree) -> Tree:
    """Put the end above a big sum to the binder that has a beginning only."""
    found = tuple(
        (n, ("range", where[1], high) if where[0] == "range" and where[2] == ("inf",) else where)
        for n, where in bound[1]
    )
    return ("bind", found, bound[2])


# --- what a tree says ------------------------------------------------------------------------
def names_in(tree: Any) -> set[str]:
    """Every name that a tree uses."""
    if not isinstance(tree, tuple):
        return set()
    found = {tree[1]} if tree and tree[0] in ("name", "call") else set()
    for part in tree:
        found |= names_in(part)
    return found


def unused(bound: Tree, *bodies: Tree) -> list[str]:
    """Letters that are quantified over and then not used, which is a slip of the pen."""
    used = set().union(*(names_in(b) for b in bodies), *(names_in(w) for _, w in bound[1]))
    return [n for n, _ in bound[1] if n not in used]


_CALLED = ("sqrt", "ceil", "norm", "frobenius", "size", "mean", "expect", "spread")
#: Parts that say their parts and nothing else of their own.
_FORMS = {
    "frac": "({})/({})",
    "pow": "({})^({})",
    "T": "{}^T",
    "range": "{}..{}",
    "free": "{}",
    "cos": "cos({}, {})",
    "unlike": "[{} != {}]",
    "abs": "|{}|",
    "holds": "[{}]",
    "iff": "{} iff {}",
    "implies": "{} implies {}",
    "setminus": "{} setminus {}",
    "cup": "{} cup {}",
}


def spell(tree: Any) -> str:
    """A tree in plain text, for reports."""
    kind, *rest = tree
    if kind in _FORMS:
        return _FORMS[kind].format(*map(spell, rest))
    if kind in ("num", "word", "set"):
        return str(rest[0])
    if kind in ("inf", "pi"):
        return {"inf": "oo", "pi": "pi"}[kind]
    if kind in ("name", "call"):
        subs = ",".join(spell(s) for s in rest[1])
        text = f"{rest[0]}{'_' + subs if subs else ''}{'^' + rest[2] if rest[2] else ''}"
        return f"{text}({', '.join(spell(a) for a in rest[3])})" if kind == "call" else text
    if kind == "diff":
        times = f"^{rest[1]}" if rest[1] > 1 else ""
        return f"d{times}/d{rest[0]}{times} {spell(rest[2])}"
    if kind == "at":
        values = ", ".join(f"{name} = {spell(where)}" for name, where in rest[1])
        return f"{spell(rest[0])} at {values}"
    if kind == "add":
        text = "".join(f" {s} {spell(t)}" for s, t in rest[0]).strip()
        return f"({text.removeprefix('+ ')})"
    if kind == "mul":
        text = "".join(f" {o} {spell(t)}" for o, t in rest[0])
        return f"{text.removeprefix(' * ').removeprefix(' / ')}"
    if kind == "fun":
        return f"{rest[0]}({spell(rest[1])})"
    if kind in _CALLED or kind.startswith("var"):
        return f"{kind}({spell(rest[0])})"
    if kind == "least":
        return f"{rest[0]}({', '.join(map(spell, rest[1]))})"
    if kind == "big":
        return f"{rest[0]}[{spell(rest[1])}] {spell(rest[2])}"
    if kind == "bind":
        text = ", ".join(f"{n} in {spell(w)}" for n, w in rest[0])
        return text + "".join(f", {a} != {b}" for a, b in rest[1])
    if kind == "lim":
        return f"lim[{rest[0]} -> {spell(rest[1])}] {spell(rest[2])}"
    if kind == "interval":
        return _spell_interval(*rest)
    if kind == "these":
        return "{" + ", ".join(spell(t) for t in rest[0]) + "}"
    if kind == "rel":
        text = spell(rest[0][0])
        return text + "".join(f" {r} {spell(s)}" for r, s in zip(rest[1], rest[0][1:], strict=True))
    if kind == "in":
        return f"{spell(rest[0])} in {_spell_interval(*rest[1:])}"
    if kind == "all":
        return f"({spell(rest[1])} for all {spell(rest[0])})"
    if kind == "exists":
        return f"exists {', '.join(rest[0])}: {spell(rest[1])}"
    if kind == "and":
        return " and ".join(map(spell, rest))
    raise ValueError(f"no such part of a statement: {kind}")


def _spell_interval(low: Tree, high: Tree, low_open: bool, high_open: bool) -> str:
    return f"{'[('[low_open]}{spell(low)}, {spell(high)}{'])'[high_open]}"

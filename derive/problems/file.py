r"""A problem from a TOML file: structure, terms, parameters with their ranges.

    name = "supcl-exclusive"             # optional, as are title and source
    temperature = "tau"                  # of softmax terms; it divides

    [structure]                          # levels from finest to coarsest ...
    levels = [
      { name = "views", size = "p", relation = "same_instance" },
      { name = "instances", size = "n", relation = "same_class" },
      { name = "classes", size = 10, relation = "cross_class" },
    ]
    # ... or towers = 2, items = "N" and perhaps views = "p"

    [[terms]]                            # -weight mean log softmax ...
    weight = "1 - alpha"                 # 1 if it is left out
    positives = ["same_instance", "same_class"]
    targets = { same_instance = 2 }      # what a pair weighs among the positives; 1 each
    denominator = "others"               # or "all", or a list of relations
    denominator_weights = { cross_class = 2 }  # of their exponentials; 1 each
    own_positive = false                 # true: each positive joins its denominator alone

    # ... or a sum of a function of the inner product x over the pairs of a relation
    [[terms]]
    relation = "negative"
    function = "softplus(t*x - b)"
    weight = "1/(N - 1)"

    [parameters]
    alpha = { from = 0, to = 1 }         # closed ends; above and below are open ones
    n = { from = 2, integer = true, at = 3 }
    lam = { above = 0, latex = '\lambda' }

Everything is read by the strict grammar of :mod:`~cltheory.derive.decide.exact`; nothing is
evaluated as code. Whatever is not expected is refused in one line that names the file and the key.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from keyword import kwlist
from pathlib import Path
from stat import S_ISREG

from sympy import Expr, Integer, Rational, S, Symbol, latex, oo

from ..decide.domain import Domain, DomainError, Range, in_order
from ..decide.exact import FUNCTIONS, NotANumber, expression, unknown_words
from ..language.letters import letter
from ..losses.clip import b, t, w
from ..losses.pairwise import PairTerm, PairwiseLoss, c
from ..losses.softmax import SoftmaxLoss, SoftmaxTerm, tau
from ..losses.supcl import alpha, beta
from ..structures.hierarchy import M, hierarchy, m, n, p
from ..structures.scheme import Scheme
from ..structures.towers import K, N, towers, towers_of_views
from .problem import Loss, Problem

MAX_BYTES = 2**16
MAX_LEVELS, MAX_TERMS, MAX_PARAMETERS = 8, 32, 16
MAX_SIZE = 10**6
MAX_DOTS = 200
#: Names of relations, levels and parameters.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,29}")
#: Ranges of symbols that need not be given; sizes are integers from 2 on.
_DEFAULTS: dict[Symbol, Range] = {
    tau: Range(),
    t: Range(),
    w: Range(),
    b: Range(-oo),
    alpha: Range(S.Zero, S.One, low_open=False, high_open=False),
}
_SIZE = Range(Integer(2), oo, low_open=False, integer=True)
#: Shared symbols by name; x is the inner product, which has another symbol.
_SHARED = {s.name: s for s in (M, m, n, p, N, K, alpha, beta, tau, t, b, w)}
#: Those of options of the command line, and of what formulas and losses are written in.
_TAKEN = (
    "all brief claims convention digits format help loss memory np proof standalone steps time "
    "d i j u v L"
)
_RESERVED = {
    *FUNCTIONS,
    *kwlist,
    *_TAKEN.split(),
    "x",
    "c",
    "self",
    "oo",
    "inf",
    "nan",
    "pi",
    "E",
    "I",
    "delta",
    "r",
}


class Letter(Symbol):
    """A symbol with LaTeX of its own."""

    __slots__ = ("tex",)

    def __new__(cls, name: str, tex: str, **assumptions: bool) -> Letter:
        found: Letter = Symbol.__xnew__(cls, name, **assumptions)
        found.tex = tex
        return found

    def __getnewargs_ex__(self) -> tuple[tuple[str, str], dict[str, bool]]:
        return (self.name, self.tex), self._assumptions_orig

    def _hashable_content(self) -> tuple[object, ...]:
        return (*super()._hashable_content(), self.tex)

    def _latex(self, printer: object) -> str:
        return str(self.tex)


class _Decimal(str):
    """A number with a point, as it is written: 0.1 is 1/10."""


def read_file(path: str) -> Problem:
    """Read a problem from a file.

    Raises
    ------
    DomainError
        Naming the file, the key, and what is wrong with it; one line.
    """
    try:
        return read_text(_text_of(path), default=Path(path).stem)
    except DomainError as refusal:
        raise DomainError(f"{_shown(path)}: {refusal}") from None


@lru_cache(maxsize=64)
def read_text(text: str, default: str = "given") -> Problem:
    """Read a problem from the text of a file; ``default`` is its name if it has none.

    The same text is the same problem, and what is derived of it is kept.

    Raises
    ------
    DomainError
        Naming the key, and what is wrong with it; one line.
    """
    return _Reader(_parsed(text), default).problem()


def _text_of(path: str) -> str:
    file = Path(path)
    try:
        if not S_ISREG(file.stat().st_mode):  # reading a pipe would wait
            raise DomainError("it is not a file")
        if file.stat().st_size > MAX_BYTES:
            raise DomainError(f"it is longer than {MAX_BYTES} bytes")
        return file.read_text("utf-8")
    except DomainError:
        raise
    except UnicodeDecodeError:
        raise DomainError("it is not UTF-8") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "no such name is possible"
        raise DomainError(f"it cannot be read: {why}") from None


def _parsed(text: str) -> dict[str, object]:
    # Every dot of a key is another level, and the parser takes each from the top.
    if any(line.count(".") > MAX_DOTS for line in text.splitlines()):
        raise DomainError(f"a line has more than {MAX_DOTS} dots")
    try:
        return tomllib.loads(text, parse_float=_Decimal)
    except tomllib.TOMLDecodeError as error:
        raise DomainError(f"it is not TOML: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise DomainError("it is too deeply nested") from None
    except ValueError:  # an integer of thousands of digits
        raise DomainError("it has a number that is too large") from None


def _mend(name: str) -> str:
    return f"{name} is not declared; declare it under [parameters], as {name} = {{ above = 0 }}"


def _shown(value: object) -> str:
    text = repr(str(value))[1:-1]
    return text if len(text) <= 60 else f"{text[:28]}...{text[-28:]}"


class _Node:
    """A value of a file, and the key that it stands at."""

    def __init__(self, value: object, key: str = ""):
        self.value, self.key = value, key

    def refusal(self, says: str) -> DomainError:
        """What is wrong with it, after its key."""
        return DomainError(f"{self.key}: {says}" if self.key else says)

    def table(self, allowed: Iterable[str] | None = None, needed: Iterable[str] = ()) -> _Table:
        """Its values by name, of which only some may be there, and some must be."""
        if not isinstance(self.value, dict):
            raise self.refusal("it must be a table")
        names = list(self.value if allowed is None else allowed)
        for name in self.value:
            if name not in names:
                raise self.refusal(f"unknown key {_shown(name)}; there are {', '.join(names)}")
        for name in needed:
            if name not in self.value:
                raise self.refusal(f"the key {name} is missing")
        before = f"{self.key}." if self.key else ""
        return {k: _Node(v, f"{before}{_shown(k)}") for k, v in self.value.items()}

    def list(self, most: int | None = None) -> list[_Node]:
        """Its values in order: any number of them, or 1 to ``most``."""
        if not isinstance(self.value, list):
            raise self.refusal("it must be a list")
        if most is not None and not 1 <= len(self.value) <= most:
            raise self.refusal(f"there must be 1 to {most} of them")
        return [_Node(v, f"{self.key}[{k}]") for k, v in enumerate(self.value, 1)]

    def flag(self) -> bool:
        """Whether it is true."""
        if not isinstance(self.value, bool):
            raise self.refusal("it must be true or false")
        return self.value

    def text(self) -> str:
        """It, as one line of words."""
        if not isinstance(self.value, str) or isinstance(self.value, _Decimal):
            raise self.refusal("it must be text")
        if len(self.value) > 200 or not self.value.isprintable():
            raise self.refusal("it must be one line of at most 200 characters")
        return self.value

    def tex(self) -> str:
        """It, as LaTeX of a letter."""
        found = letter(self.text())
        if found is None:
            raise self.refusal("it must be a letter in LaTeX, such as '\\lambda'")
        return found

    def name(self) -> str:
        """It, as a name."""
        if not isinstance(self.value, str) or not _NAME.fullmatch(self.value):
            raise self.refusal("a name is letters, digits and _, and begins with a letter")
        return self.value

    def number(self) -> Expr | None:
        """It, where it is a number."""
        try:
            return self.expression({})
        except DomainError:
            return None

    def expression(self, names: Mapping[str, Symbol]) -> Expr:
        """It, as a number or an expression in these symbols."""
        value = self.value
        if isinstance(value, bool) or not isinstance(value, (int, str)):
            raise self.refusal("it must be a number or an expression in quotes")
        if isinstance(value, int) and abs(value) > 10**30:
            raise self.refusal("the number is too large")
        try:
            found = expression(str(value), names)
        except NotANumber as error:
            raise self.refusal(str(error)) from None
        if found.has(oo, -oo):
            raise self.refusal("it must be finite")
        return found


_Table = dict[str, _Node]


class _Reader:
    """One file: its tables in turn, and the symbols that they use."""

    def __init__(self, data: Mapping[str, object], default: str):
        top = ("name", "title", "source", "temperature", "structure", "terms", "parameters")
        self.data = _Node(data).table(top, needed=("structure", "terms"))
        self.default = default
        self.symbols: dict[str, Symbol] = {}
        self.sizes: list[Symbol] = []
        self.used: set[Symbol] = set()

    def problem(self) -> Problem:
        """The problem that the file describes."""
        parameters = self.data.get("parameters", _Node({}, "parameters"))
        keys = ("from", "to", "above", "below", "integer", "at", "latex")
        ranges = {name: node.table(keys) for name, node in parameters.table().items()}
        if len(ranges) > MAX_PARAMETERS:
            raise parameters.refusal(f"there are more than {MAX_PARAMETERS}")
        for name, table in ranges.items():
            self._declare(name, table)
        scheme = self._structure()
        return Problem(self._loss(scheme), scheme, self._domain(ranges))

    # --- parameters ----------------------------------------------------------------------------
    def _declare(self, name: str, table: _Table) -> None:
        """Make the symbol of a parameter; its range is read when all symbols are known."""
        if not _NAME.fullmatch(name) or name in _RESERVED:
            raise DomainError(f"parameters.{_shown(name)}: this cannot be the name of a parameter")
        if name in _SHARED:
            usual = latex(_SHARED[name])
            if "latex" in table and table["latex"].tex() != usual:
                says = f"{name} has a LaTeX of its own, {usual}: omit this"
                raise table["latex"].refusal(f"{says}, or write --rename {name}=LATEX")
            self.symbols[name] = _SHARED[name]
            return
        # Of an end that refers to other parameters nothing is assumed.
        low = table.get("from", table.get("above"))
        number = low.number() if low is not None else None
        assumed = {"integer": True} if "integer" in table and table["integer"].flag() else {}
        if number is None or number < 0:
            sign = "real"
        else:
            sign = "positive" if number > 0 or "above" in table else "nonnegative"
        assumed[sign] = True
        tex = table["latex"].tex() if "latex" in table else ""
        self.symbols[name] = Letter(name, tex, **assumed) if tex else Symbol(name, **assumed)

    def _range(self, name: str, table: _Table) -> Range:
        for one, other in (("from", "above"), ("to", "below")):
            if one in table and other in table:
                raise DomainError(f"parameters.{name}: give one of {one} and {other}")
        others = {k: s for k, s in self.symbols.items() if k != name}

        def end(closed: str, opened: str, default: Expr) -> tuple[Expr, bool]:
            node = table.get(closed, table.get(opened))
            if node is None:
                return default, True
            return self._expression(node, others), opened in table

        low, low_open = end("from", "above", -oo)
        high, high_open = end("to", "below", oo)
        own = self.symbols[name].is_integer
        integer = table["integer"].flag() if "integer" in table else bool(own)
        if integer and (low is -oo or low_open or not low.is_Integer or high is not oo):
            raise DomainError(f"parameters.{name}: an integer range needs an integer 'from' only")
        return Range(low, high, low_open, high_open, integer)

    def _domain(self, tables: Mapping[str, _Table]) -> Domain:
        ranges: dict[Symbol, Range] = {}
        defaults = {**_DEFAULTS, **dict.fromkeys(self.sizes, _SIZE)}
        for symbol in [*self.sizes, *sorted(self.used - set(self.sizes), key=str)]:
            if symbol in defaults and not tables.get(symbol.name, {}).keys() - {"at", "latex"}:
                ranges[symbol] = defaults[symbol]
            elif symbol.name in tables:
                ranges[symbol] = self._range(symbol.name, tables[symbol.name])
            else:
                raise DomainError(f"parameters: {_mend(symbol.name)}")
            r = ranges[symbol]
            if symbol in self.sizes and not (r.integer and r.low.is_Integer and r.low >= 1):
                raise DomainError(
                    f"parameters.{symbol}: it is a size: give from >= 1 and integer = true"
                )
        for r in ranges.values():
            for other in sorted((r.low.free_symbols | r.high.free_symbols) - set(ranges), key=str):
                raise DomainError(f"parameters: a range refers to {other}, which is not used")
        written = [latex(s) for s in ranges]
        if twice := [tex for tex in written if written.count(tex) > 1]:
            raise DomainError(f"parameters: two letters are written {twice[0]}")
        for name in tables:
            if self.symbols[name] not in ranges:
                raise DomainError(f"parameters.{name}: nothing depends on it")
        try:
            ordered = in_order(ranges)
            return Domain(ordered, self._witness(ordered, tables))
        except DomainError as refusal:
            raise DomainError(f"parameters: {refusal}") from None

    def _witness(
        self, ranges: Mapping[Symbol, Range], tables: Mapping[str, _Table]
    ) -> dict[Symbol, Expr]:
        point: dict[Symbol, Expr] = {}
        for symbol, r in ranges.items():
            at = tables.get(symbol.name, {}).get("at")
            low, high = (e.xreplace(point) for e in (r.low, r.high))
            if at is not None:
                point[symbol] = _Node(at.value, f"{symbol}.at").expression({})
            elif low is -oo:
                point[symbol] = Rational(1, 2) if high is oo else high - Rational(1, 2)
            elif high is oo:
                point[symbol] = low + (1 if r.integer else Rational(1, 2))
            else:
                point[symbol] = (low + high) / 2
        return point

    # --- structure -----------------------------------------------------------------------------
    def _structure(self) -> Scheme:
        node = self.data["structure"]
        table = node.table(("levels", "towers", "items", "views"))
        if "levels" in table:
            if len(table) > 1:
                raise node.refusal("give either levels or towers and items")
            return self._levels(table["levels"].list(MAX_LEVELS))
        node.table(("towers", "items", "views"), needed=("towers", "items"))
        modalities, items = self._size(table["towers"]), self._size(table["items"])
        views = table.get("views")
        if views is None or (views.value == 1 and views.value is not True):
            return towers(modalities, items)
        return towers_of_views(modalities, self._size(views), items)

    def _levels(self, levels: list[_Node]) -> Scheme:
        found: list[tuple[Expr | int, str, str]] = []
        named = ("structure", "loss", "position", "elsewhere")  # quantities
        taken = [set[str](("self", "mean", *named)), set[str](("self", "mean"))]
        for level in levels:
            keys = ("name", "size", "relation")
            table = level.table(keys, keys)
            size = self._size(table["size"])
            relation, name = table["relation"].name(), table["name"].name()
            for other, names in zip((relation, name), taken, strict=True):
                if other in names:
                    raise level.refusal(f"the name {other} is taken")
                names.add(other)
            found.append((size, relation, name))
        self.sizes.reverse()  # the coarsest first, as sizes are listed elsewhere
        return hierarchy(*found)

    def _size(self, node: _Node) -> Expr:
        if isinstance(node.value, int) and not isinstance(node.value, bool):
            if 2 <= node.value <= MAX_SIZE:
                return Integer(node.value)
        elif isinstance(node.value, str) and not isinstance(node.value, _Decimal):
            return self._size_symbol(node)
        raise node.refusal(f"a size is a symbol or an integer from 2 to {MAX_SIZE}")

    def _size_symbol(self, node: _Node) -> Symbol:
        name = node.name()
        symbol = self.symbols.get(name) or _SHARED.get(name)
        if symbol is None and name not in _RESERVED:
            symbol = Symbol(name, integer=True, positive=True)
        if symbol is None or not symbol.is_integer:
            raise node.refusal(f"{name} is not an integer")
        if symbol in self.sizes:
            raise node.refusal(f"{name} is a size already")
        self.symbols[name] = symbol
        self.sizes.append(symbol)
        return symbol

    # --- the loss ------------------------------------------------------------------------------
    def _loss(self, scheme: Scheme) -> Loss:
        terms = self.data["terms"]
        rows = terms.list(MAX_TERMS)
        of_functions = {bool({"function", "relation"} & row.table().keys()) for row in rows}
        if len(of_functions) > 1:
            raise terms.refusal("functions and softmax terms do not mix")
        name, title, source = (
            self.data[k].text() if k in self.data else default
            for k, default in (("name", self.default), ("title", ""), ("source", "given"))
        )
        known = [r.name for r in scheme.relations]
        heat = self.data.get("temperature")
        if of_functions == {True}:
            if heat is not None:
                raise heat.refusal("functions have none; put it into them")
            pairs = tuple(self._pair(row, known) for row in rows)
            return PairwiseLoss(name, title or name, pairs, source)
        if heat is None:
            raise DomainError("temperature: softmax terms need one")
        temperature = self._expression(heat)
        softmax = tuple(self._softmax(row, known) for row in rows)
        if w in self.used:
            says = "w runs over denominators, and cannot be a parameter of softmax terms"
            raise terms.refusal(f"{says}: choose another name")
        return SoftmaxLoss(name, title or name, softmax, temperature, source)

    def _pair(self, row: _Node, known: list[str]) -> PairTerm:
        table = row.table(("relation", "function", "weight"), ("relation", "function"))
        relation = table["relation"]
        (of,) = self._relations(_Node([relation.value], relation.key), known)
        return PairTerm(of, self._expression(table["function"], inner=True), self._weight(table))

    def _softmax(self, row: _Node, known: list[str]) -> SoftmaxTerm:
        allowed = (
            "weight",
            "positives",
            "targets",
            "denominator",
            "denominator_weights",
            "own_positive",
        )
        table = row.table(allowed, ("positives", "denominator"))
        positives = self._relations(table["positives"], known)
        below = table["denominator"]
        if below.value in ("all", "others"):
            denominator = tuple(known if below.value == "all" else known[1:])
        elif isinstance(below.value, str):
            raise below.refusal('it is "all", "others" or a list of relations')
        else:
            denominator = self._relations(below, known)
        own = "own_positive" in table and table["own_positive"].flag()
        both = [r for r in positives if r in denominator]
        if own and both:
            raise table["own_positive"].refusal(f"{', '.join(both)} is in the denominator already")
        weights = self._weights(table, "targets", positives)
        factors = self._weights(table, "denominator_weights", denominator)
        return SoftmaxTerm(self._weight(table), positives, denominator, weights, own, factors)

    def _weights(self, table: _Table, key: str, relations: tuple[str, ...]) -> tuple[Expr, ...]:
        """What pairs of some relations weigh, 1 where nothing is said; empty without the key."""
        if key not in table:
            return ()
        given = table[key].table(relations)
        return tuple(self._expression(given[r]) if r in given else S.One for r in relations)

    def _weight(self, table: _Table) -> Expr:
        return self._expression(table["weight"]) if "weight" in table else S.One

    def _relations(self, node: _Node, known: list[str]) -> tuple[str, ...]:
        found: list[str] = []
        for name in (row.value for row in node.list()):
            if not isinstance(name, str) or name not in known:
                says = f"{_shown(name)} is not a relation; there are {', '.join(known)}"
                raise node.refusal(says)
            if name in found:
                raise node.refusal(f"{name} is listed twice")
            found.append(name)
        if not found:
            raise node.refusal("it is empty")
        return tuple(found)

    def _expression(
        self, node: _Node, symbols: Mapping[str, Symbol] | None = None, inner: bool = False
    ) -> Expr:
        """A number or an expression in the parameters; ``inner`` allows x."""
        names = _SHARED | self.symbols if symbols is None else dict(symbols)
        try:
            found = node.expression({**names, "x": c} if inner else names)
        except DomainError:
            # A letter that is nothing: the mend helps more than what else there is.
            text = node.value if isinstance(node.value, str) else ""
            for name in unknown_words(text, names):
                if _NAME.fullmatch(name) and name not in _RESERVED:
                    raise node.refusal(_mend(name)) from None
            raise
        symbols_of = found.free_symbols - {c}
        self.used |= symbols_of
        self.symbols |= {s.name: s for s in symbols_of}
        return found

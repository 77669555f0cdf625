"""A problem from a TOML file: structure, terms, parameters with their ranges.

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
    own_positive = false                 # true: each positive joins its denominator alone

    # ... or a sum of a function of the inner product x over the pairs of a relation
    [[terms]]
    relation = "negative"
    function = "softplus(t*x - b)"
    weight = "1/(N - 1)"

    [parameters]
    alpha = { from = 0, to = 1 }         # closed ends; above and below are open ones
    n = { from = 2, integer = true, at = 3 }

Everything is read by the strict grammar of :mod:`~cltheory.derive.decide.exact`; nothing is
evaluated as code. Whatever is not expected is refused in one line that names the file and the key.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from stat import S_ISREG

from sympy import Expr, Integer, Rational, S, Symbol, oo

from ..decide.domain import Domain, DomainError, Range, in_order
from ..decide.exact import FUNCTIONS, NotANumber, expression
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
_RESERVED = {*FUNCTIONS, "x", "c", "self", "oo", "inf", "pi", "E", "I", "delta", "r"}


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


def read_text(text: str, default: str = "given") -> Problem:
    """Read a problem from the text of a file; ``default`` is its name if it has none.

    Raises
    ------
    DomainError
        Naming the key, and what is wrong with it; one line.
    """
    return _Reader(_parsed(text), default).problem()


def _text_of(path: str) -> str:
    try:
        # Without blocking, for what is no file at all.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            if not S_ISREG(os.fstat(file.fileno()).st_mode):
                raise DomainError("it is not a file")
            raw = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, DomainError):
            raise
        why = getattr(error, "strerror", None) or "no such name is possible"
        raise DomainError(f"it cannot be read: {why}") from None
    if len(raw) > MAX_BYTES:
        raise DomainError(f"it is longer than {MAX_BYTES} bytes")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise DomainError("it is not UTF-8") from None


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


def _shown(value: object) -> str:
    text = repr(str(value))[1:-1]
    return text if len(text) <= 60 else f"{text[:28]}...{text[-28:]}"


class _Reader:
    """One file: its tables in turn, with the key that is being read."""

    def __init__(self, data: Mapping[str, object], default: str):
        self.data, self.default = data, default
        self.symbols: dict[str, Symbol] = {}
        self.sizes: list[Symbol] = []
        self.used: set[Symbol] = set()

    # --- the whole -----------------------------------------------------------------------------
    def problem(self) -> Problem:
        """The problem that the file describes."""
        top = ("name", "title", "source", "temperature", "structure", "terms", "parameters")
        self._keys(self.data, "", top, needed=("structure", "terms"))
        ranges = self._table(self.data.get("parameters", {}), "parameters")
        if len(ranges) > MAX_PARAMETERS:
            raise DomainError(f"parameters: there are more than {MAX_PARAMETERS}")
        for name, value in ranges.items():
            self._declare(name, self._table(value, f"parameters.{_shown(name)}"))
        scheme = self._structure()
        loss = self._loss(scheme)
        domain = self._domain(ranges)
        return Problem(loss, scheme, domain)

    # --- parameters ----------------------------------------------------------------------------
    def _declare(self, name: str, given: Mapping[str, object]) -> None:
        """Make the symbol of a parameter; its range is read when all symbols are known."""
        key = f"parameters.{_shown(name)}"
        if not _NAME.fullmatch(name) or name in _RESERVED:
            raise DomainError(f"{key}: this cannot be the name of a parameter")
        self._keys(given, key, ("from", "to", "above", "below", "integer", "at"))
        if name in _SHARED:
            self.symbols[name] = _SHARED[name]
            return
        integer = self._flag(given.get("integer", False), f"{key}.integer")
        low = given.get("from", given.get("above"))
        # Of an end that refers to other parameters nothing is assumed.
        number = _number_or_none(low)
        positive = number is not None and (number > 0 or (number == 0 and "above" in given))
        assumed = {"positive": True} if positive else {}
        if not positive and number is not None and number >= 0:
            assumed = {"nonnegative": True}
        if not assumed:
            assumed = {"real": True}
        self.symbols[name] = Symbol(name, **assumed, **({"integer": True} if integer else {}))

    def _range(self, name: str, given: Mapping[str, object]) -> Range:
        key = f"parameters.{name}"
        for one, other in (("from", "above"), ("to", "below")):
            if one in given and other in given:
                raise DomainError(f"{key}: give one of {one} and {other}")
        integer = self._flag(given.get("integer", self.symbols[name].is_integer), f"{key}.integer")

        def end(closed: str, opened: str, default: Expr) -> tuple[Expr, bool]:
            for word, is_open in ((closed, False), (opened, True)):
                if word in given:
                    at = f"{key}.{word}"
                    others = {k: s for k, s in self.symbols.items() if k != name}
                    return self._finite(self._expression(given[word], at, others), at), is_open
            return default, True

        low, low_open = end("from", "above", -oo)
        high, high_open = end("to", "below", oo)
        found = Range(low, high, low_open, high_open, bool(integer))
        if found.integer and (low is -oo or low_open or not low.is_Integer or high is not oo):
            raise DomainError(f"{key}: integers go from a number on: give from, and no other end")
        return found

    def _domain(self, given: Mapping[str, object]) -> Domain:
        ranges: dict[Symbol, Range] = {}
        for symbol in [*self.sizes, *sorted(self.used - set(self.sizes), key=str)]:
            if symbol.name in given:
                table = self._table(given[symbol.name], f"parameters.{symbol.name}")
                ranges[symbol] = self._range(symbol.name, table)
            elif symbol in self.sizes:
                ranges[symbol] = _SIZE
            elif symbol in _DEFAULTS:
                ranges[symbol] = _DEFAULTS[symbol]
            else:
                raise DomainError(f"parameters: {symbol} is used and has no range")
            if symbol in self.sizes:
                r = ranges[symbol]
                if not (r.integer and r.low.is_Integer and r.low >= 1):
                    raise DomainError(
                        f"parameters.{symbol}: it is a size: give from >= 1 and integer = true"
                    )
        for r in ranges.values():
            for other in sorted((r.low.free_symbols | r.high.free_symbols) - set(ranges), key=str):
                raise DomainError(f"parameters: a range refers to {other}, which is not used")
        for name in given:
            if self.symbols[name] not in ranges:
                raise DomainError(f"parameters.{name}: nothing depends on it")
        try:
            ordered = in_order(ranges)
            return Domain(ordered, self._witness(ordered, given))
        except DomainError as refusal:
            raise DomainError(f"parameters: {refusal}") from None

    def _witness(
        self, ranges: Mapping[Symbol, Range], given: Mapping[str, object]
    ) -> dict[Symbol, Expr]:
        point: dict[Symbol, Expr] = {}
        for symbol, r in ranges.items():
            table = self._table(given.get(symbol.name, {}), f"parameters.{symbol}")
            if "at" in table:
                key = f"{symbol}.at"
                point[symbol] = self._finite(self._expression(table["at"], key, {}), key)
                continue
            low, high = (e.xreplace(point) for e in (r.low, r.high))
            if low is -oo:
                point[symbol] = Rational(1, 2) if high is oo else high - Rational(1, 2)
            elif high is oo:
                point[symbol] = low + (1 if r.integer else Rational(1, 2))
            else:
                point[symbol] = (low + high) / 2
        return point

    # --- structure -----------------------------------------------------------------------------
    def _structure(self) -> Scheme:
        table = self._table(self.data["structure"], "structure")
        self._keys(table, "structure", ("levels", "towers", "items", "views"))
        if "levels" in table:
            if len(table) > 1:
                raise DomainError("structure: give either levels or towers and items")
            return self._levels(self._list(table["levels"], "structure.levels"))
        self._keys(table, "structure", ("towers", "items", "views"), needed=("towers", "items"))
        modalities = self._size(table["towers"], "structure.towers")
        items = self._size(table["items"], "structure.items")
        views = table.get("views", 1)
        one = views == 1 and not isinstance(views, bool)
        if one:
            return towers(modalities, items)
        return towers_of_views(modalities, self._size(views, "structure.views"), items)

    def _levels(self, levels: list[object]) -> Scheme:
        if not 1 <= len(levels) <= MAX_LEVELS:
            raise DomainError(f"structure.levels: there must be 1 to {MAX_LEVELS} of them")
        found: list[tuple[Expr | int, str, str]] = []
        for k, level in enumerate(levels):
            key = f"structure.levels[{k + 1}]"
            table = self._table(level, key)
            self._keys(table, key, ("name", "size", "relation"), ("name", "size", "relation"))
            size = self._size(table["size"], f"{key}.size")
            relation = self._name(table["relation"], f"{key}.relation")
            name = self._name(table["name"], f"{key}.name")
            for other, kind in ((relation, 1), (name, 2)):
                if other in [row[kind] for row in found] or other in ("self", "mean"):
                    raise DomainError(f"{key}: the name {other} is taken")
            found.append((size, relation, name))
        self.sizes.reverse()  # the coarsest first, as sizes are listed elsewhere
        return hierarchy(*found)

    def _size(self, value: object, key: str) -> Expr:
        if isinstance(value, int) and not isinstance(value, bool):
            if not 2 <= value <= MAX_SIZE:
                raise DomainError(f"{key}: a size is a symbol or an integer from 2 to {MAX_SIZE}")
            return Integer(value)
        if not isinstance(value, str) or isinstance(value, _Decimal):
            raise DomainError(f"{key}: a size is a symbol or an integer from 2 to {MAX_SIZE}")
        name = self._name(value, key)
        symbol = self.symbols.get(name) or _SHARED.get(name)
        if symbol is None and name not in _RESERVED:
            symbol = Symbol(name, integer=True, positive=True)
        if symbol is None or not symbol.is_integer:
            raise DomainError(f"{key}: {name} is not an integer")
        if symbol in self.sizes:
            raise DomainError(f"{key}: {name} is a size already")
        self.symbols[name] = symbol
        self.sizes.append(symbol)
        return symbol

    # --- the loss ------------------------------------------------------------------------------
    def _loss(self, scheme: Scheme) -> Loss:
        rows = self._list(self.data["terms"], "terms")
        if not 1 <= len(rows) <= MAX_TERMS:
            raise DomainError(f"terms: there must be 1 to {MAX_TERMS} of them")
        tables = [self._table(row, f"terms[{k + 1}]") for k, row in enumerate(rows)]
        kinds = {"function" in table or "relation" in table for table in tables}
        if len(kinds) > 1:
            raise DomainError("terms: functions and softmax terms do not mix")
        words = {
            k: self._text(self.data.get(k, d), k)
            for k, d in (("name", self.default), ("title", ""), ("source", "given"))
        }
        words["title"] = words["title"] or words["name"]
        known = [r.name for r in scheme.relations]
        if kinds == {True}:
            if "temperature" in self.data:
                raise DomainError("temperature: functions have none; put it into them")
            pairs = tuple(self._pair(row, f"terms[{k + 1}]", known) for k, row in enumerate(tables))
            return PairwiseLoss(words["name"], words["title"], pairs, words["source"])
        if "temperature" not in self.data:
            raise DomainError("temperature: softmax terms need one")
        heat = self._finite(
            self._expression(self.data["temperature"], "temperature"), "temperature"
        )
        terms = tuple(self._softmax(row, f"terms[{k + 1}]", known) for k, row in enumerate(tables))
        return SoftmaxLoss(words["name"], words["title"], terms, heat, words["source"])

    def _pair(self, table: Mapping[str, object], key: str, known: list[str]) -> PairTerm:
        self._keys(table, key, ("relation", "function", "weight"), ("relation", "function"))
        (relation,) = self._relations([table["relation"]], f"{key}.relation", known)
        at = f"{key}.function"
        function = self._finite(self._expression(table["function"], at, inner=True), at)
        return PairTerm(relation, function, self._weight(table, key))

    def _softmax(self, table: Mapping[str, object], key: str, known: list[str]) -> SoftmaxTerm:
        allowed = ("weight", "positives", "targets", "denominator", "own_positive")
        self._keys(table, key, allowed, ("positives", "denominator"))
        listed = self._list(table["positives"], f"{key}.positives")
        positives = self._relations(listed, f"{key}.positives", known)
        below = table["denominator"]
        if below == "all" or below == "others":
            denominator = tuple(known if below == "all" else known[1:])
        elif isinstance(below, str):
            raise DomainError(f'{key}.denominator: it is "all", "others" or a list of relations')
        else:
            listed = self._list(below, f"{key}.denominator")
            denominator = self._relations(listed, f"{key}.denominator", known)
        own = self._flag(table.get("own_positive", False), f"{key}.own_positive")
        both = [r for r in positives if r in denominator]
        if own and both:
            raise DomainError(
                f"{key}.own_positive: {', '.join(both)} is in the denominator already"
            )
        weights = self._targets(table.get("targets"), f"{key}.targets", positives)
        return SoftmaxTerm(self._weight(table, key), positives, denominator, weights, own)

    def _targets(self, given: object, key: str, positives: tuple[str, ...]) -> tuple[Expr, ...]:
        if given is None:
            return ()
        table = self._table(given, key)
        self._keys(table, key, positives)
        return tuple(
            self._finite(self._expression(table[r], f"{key}.{r}"), f"{key}.{r}")
            if r in table
            else S.One
            for r in positives
        )

    def _weight(self, table: Mapping[str, object], key: str) -> Expr:
        key = f"{key}.weight"
        return self._finite(self._expression(table.get("weight", 1), key), key)

    def _relations(self, names: Iterable[object], key: str, known: list[str]) -> tuple[str, ...]:
        found: list[str] = []
        for name in names:
            if not isinstance(name, str) or name not in known:
                raise DomainError(
                    f"{key}: {_shown(name)} is no relation; there are {', '.join(known)}"
                )
            if name in found:
                raise DomainError(f"{key}: {name} is there twice")
            found.append(name)
        if not found:
            raise DomainError(f"{key}: it is empty")
        return tuple(found)

    # --- values --------------------------------------------------------------------------------
    def _expression(
        self,
        value: object,
        key: str,
        symbols: Mapping[str, Symbol] | None = None,
        inner: bool = False,
    ) -> Expr:
        """A number or an expression in the parameters; ``inner`` allows x."""
        if isinstance(value, bool) or not isinstance(value, (int, str)):
            raise DomainError(f"{key}: it must be a number or an expression in quotes")
        if isinstance(value, int) and abs(value) > 10**30:
            raise DomainError(f"{key}: the number is too large")
        names = _SHARED | self.symbols if symbols is None else dict(symbols)
        try:
            found = expression(str(value), {**names, "x": c} if inner else names)
        except NotANumber as error:
            raise DomainError(f"{key}: {error}") from None
        self.used |= found.free_symbols - {c}
        self.symbols |= {s.name: s for s in found.free_symbols - {c}}
        return found

    @staticmethod
    def _finite(value: Expr, key: str) -> Expr:
        if value.has(oo, -oo):
            raise DomainError(f"{key}: it must be finite")
        return value

    @staticmethod
    def _keys(
        table: Mapping[str, object], key: str, allowed: Iterable[str], needed: Iterable[str] = ()
    ) -> None:
        names, where = list(allowed), f"{key}: " if key else ""
        for name in table:
            if name not in names:
                raise DomainError(
                    f"{where}unknown key {_shown(name)}; there are {', '.join(names)}"
                )
        for name in needed:
            if name not in table:
                raise DomainError(f"{where}the key {name} is missing")

    @staticmethod
    def _table(value: object, key: str) -> Mapping[str, object]:
        if not isinstance(value, dict):
            raise DomainError(f"{key}: it must be a table")
        return value

    @staticmethod
    def _list(value: object, key: str) -> list[object]:
        if not isinstance(value, list):
            raise DomainError(f"{key}: it must be a list")
        return value

    @staticmethod
    def _flag(value: object, key: str) -> bool:
        if not isinstance(value, bool) and value is not None:
            raise DomainError(f"{key}: it must be true or false")
        return bool(value)

    @staticmethod
    def _text(value: object, key: str) -> str:
        if not isinstance(value, str) or isinstance(value, _Decimal):
            raise DomainError(f"{key}: it must be text")
        if len(value) > 200 or not value.isprintable():
            raise DomainError(f"{key}: it must be one line of at most 200 characters")
        return value

    @staticmethod
    def _name(value: object, key: str) -> str:
        if not isinstance(value, str) or not _NAME.fullmatch(value):
            raise DomainError(f"{key}: a name is letters, digits and _, and begins with a letter")
        return value


def _number_or_none(value: object) -> Expr | None:
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        return None
    try:
        return expression(str(value), {})
    except NotANumber:
        return None

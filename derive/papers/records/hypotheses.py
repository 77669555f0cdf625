"""Hypotheses and conditions in one strict grammar, their corners, and domains for the engine.

    under      = clause {, clause}
    clause     = NAME in LOW..[HIGH]          integers
               | NAME in [LOW, HIGH]          reals; ( and ) leave the end out, oo is allowed
               | two of NAME                  two different indices up to NAME are quantified over
               | l_p convex decreasing        any such function; convex increasing as well
               | relation                     holds as well
               | PREDICATE(U)                 a set of vectors has it, such as distinct(U)
               | relation with rank(D)        a matrix has it
    relation   = expression (= | != | < | <= | > | >=) expression {...}
    condition  = conjunction {or conjunction}
    conjunction = relation {and relation}     relation, or a predicate on sets such as distinct(U),
                                              or on functions such as strict(l_p)

Expressions are those of :mod:`cltheory.derive.decide.exact`. What is not of this form is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from sympy import Expr, Integer, Rational, S, Symbol, nan, oo, zoo

from ...decide.domain import Domain, DomainError, Range
from ...decide.exact import NotANumber, expression
from ...decide.number import sign
from ...frozen import FrozenValue
from ...language.quantities import HOLDS
from ...losses.clip import b, t
from ...losses.pairwise import c
from ...losses.softmax import tau
from ...losses.supcl import alpha
from ...optimum.segment import delta, x
from ...structures.hierarchy import m, n, p
from ...structures.towers import N
from .functions import KINDS, SHAPES
from .predicates import TABLES, rank

d = Symbol("d", integer=True, positive=True)
r = Symbol("r", positive=True)
#: Of weighted losses: latent dimension, classes, dimension of labels; the weight between classes,
#: the temperature of the labels, the radius of a sphere.
q, C, ell = (Symbol(name, integer=True, positive=True) for name in ("q", "C", "ell"))
epsilon, tau_prime, rho = (Symbol(name, positive=True) for name in ("epsilon", "tau_prime", "rho"))
#: Every letter that hypotheses may use, with the assumptions that the results make.
SYMBOLS: dict[str, Symbol] = {s.name: s for s in (m, n, p, N, d, alpha, tau, delta, x, t, b, c, r)}
beta = Symbol("beta", real=True)
SYMBOLS |= {s.name: s for s in (q, C, ell, epsilon, tau_prime, rho, beta)}
#: Of kernel losses: the exponent, the weight of a mixture, its temperatures.
gamma, tau_1, tau_2 = (Symbol(name, positive=True) for name in ("gamma", "tau_1", "tau_2"))
lam = Symbol("lam", real=True)
SYMBOLS |= {s.name: s for s in (gamma, lam, tau_1, tau_2)}

Point = Mapping[str, Any]  #: values of letters, and functions


def letters_at(point: Point) -> dict[Symbol, Expr]:
    """The values of the letters of a point, by symbol."""
    return {SYMBOLS[k]: v for k, v in point.items() if k in SYMBOLS}


class BadClause(ValueError):
    """A hypothesis or condition that is not one; the message is one line."""


class Assumption(FrozenValue):
    """``left < middle <= right``, or a predicate on sets by name."""

    sides: tuple[Expr, ...] = ()
    relations: tuple[str, ...] = ()
    predicate: str = ""
    function: str = ""  #: a function, where the predicate is on one
    text: str = ""

    @property
    def on_tables(self) -> bool:
        """Whether it says something of a table."""
        known = {s for s, _ in QUANTITIES.values()}
        return any(side.free_symbols & known for side in self.sides)

    def holds(self, point: Point, vectors: Any = None) -> bool | None:
        """Whether it holds at a point; None where a side has no value."""
        if self.on_tables and vectors is None:
            return None
        if self.function:
            return SHAPES[self.predicate](point[self.function]) if self.function in point else None
        if self.predicate:
            return None if vectors is None else PREDICATES[self.predicate](vectors)
        at = letters_at(point)
        if self.on_tables:
            at = {**at, **{s: Integer(of(vectors)) for s, of in QUANTITIES.values()}}
        values = [put_in(side, at) for side in self.sides]
        if any(v is None for v in values):
            return None
        return all(
            _compare(a, r, z) for a, r, z in zip(values, self.relations, values[1:], strict=False)
        )


#: What a condition may say of a set of vectors, and whether one has it. The weights a come first in
#: their family.
PREDICATES = {
    "distinct(U)": lambda e: e.distinct() == len(e.everything),
    "unit(U)": lambda e: e.is_unit,
    "nonzero(a)": lambda e: e.ip(e.everything[0], e.everything[0]) != 0,
    **TABLES,
}


#: What relations may say of tables, by name.
QUANTITIES = {"rank(D)": (Symbol("rank_D"), rank)}


class Condition(FrozenValue):
    """A disjunction of conjunctions."""

    parts: tuple[tuple[Assumption, ...], ...]
    text: str

    def holds(self, point: Point, vectors: Any = None) -> bool:
        """Whether one of the conjunctions holds."""
        return any(all(r.holds(point, vectors) is True for r in part) for part in self.parts)


class Hypotheses(FrozenValue):
    """Ranges of the letters in their order, and what else must hold."""

    ranges: Mapping[str, Range]
    more: tuple[Assumption, ...] = ()
    text: str = ""
    specials: Mapping[str, tuple[Expr, ...]] = field(default_factory=dict)
    functions: Mapping[str, str] = field(default_factory=dict)  #: name -> kind
    also: tuple[Mapping[str, str], ...] = ()  #: places that are tried besides, and first
    of_sets: tuple[Assumption, ...] = ()  #: what sets of vectors have

    def points(
        self, limit: int = 150, *, wide: bool = False
    ) -> Iterator[tuple[dict[str, Expr], str]]:
        """Corners and points between, with what is wrong with a range there (else empty).

        ``wide`` adds a larger size, where no set of that size has to be made.
        """
        kept: list[tuple[int, int, dict[str, Any], str]] = []
        names = [*self.ranges, *self.functions]
        for k, (point, far, wrong) in enumerate(self._walk(names, {}, 0, wide)):
            if any(all(str(point.get(n)) == v for n, v in one.items()) for one in self.also):
                far = -1
            if wrong or all(r.holds(point) is True for r in self.more):
                kept.append((far, k, point, wrong))
        # Those with the fewest unusual values first, so that a witness is simple; all of the
        # corners of few letters, and of many those where at most two are at a corner at once.
        kept.sort(key=lambda row: row[:2])
        for _, _, point, wrong in _spread(kept, limit):
            yield point, wrong

    def refuses(self, point: Point) -> str:
        """Why a point is outside, or nothing."""
        for name, r in self.ranges.items():
            if name not in point:
                return ""
            at = letters_at(point)
            low, high = put_in(r.low, at), put_in(r.high, at)
            if low is None or high is None:
                return ""
            if (r.integer and not point[name].is_Integer) or not _inside(point[name], r, low, high):
                return f"{name} = {point[name]} is not {r}"
        left = next((r.text for r in self.more if r.holds(point) is not True), "")
        return f"{left} does not hold" if left else ""

    def refuses_set(self, vectors: Any, point: Point) -> str:
        """Why a set of vectors is outside at a point, or nothing."""
        left = next((r.text for r in self.of_sets if r.holds(point, vectors) is False), "")
        return f"{left} does not hold" if left else ""

    def no_end(self, point: Point, name: str) -> str:
        """What is said where the range of a letter has no value at a point."""
        at = letters_at(point)
        for end in (self.ranges[name].low, self.ranges[name].high):
            if put_in(end, at) is None:
                return f"the end {end} of the range of {name} has no value"
        return ""

    def _walk(
        self, left: list[str], point: dict[str, Expr], far: int, wide: bool
    ) -> Iterator[tuple[dict[str, Expr], int, str]]:
        if not left:
            yield dict(point), far, ""
            return
        name, rest = left[0], left[1:]
        if name in self.functions:
            # Functions count as one unusual thing, however many they are.
            first = name == next(iter(self.functions))
            for k, one in enumerate(KINDS[self.functions[name]]):
                more = int(k > 0) * (1 if first else 1 - self._is_unusual(point))
                yield from self._walk(rest, {**point, name: one}, far + more, wide)
            return
        r = self.ranges[name]
        at = letters_at(point)
        low, high = put_in(r.low, at), put_in(r.high, at)
        if low is None or high is None:
            end = r.low if low is None else r.high
            # Said once for the sizes, whatever the letters after it are.
            if self._allowed(point):
                yield dict(point), far, f"the end {end} of the range of {name} has no value"
            return
        for value, unusual in self._values(name, r, low, high, point, wide):
            # Sizes at corners count as one unusual thing, however many they are.
            more = unusual if not r.integer else unusual * (far == 0)
            yield from self._walk(rest, {**point, name: value}, far + more, wide)

    def _is_unusual(self, point: Point) -> bool:
        """Whether a function of a point is not the first of its kind."""
        return any(
            point[n] is not KINDS[kind][0] for n, kind in self.functions.items() if n in point
        )

    def _allowed(self, point: Mapping[str, Expr]) -> bool:
        known = set(letters_at(point))
        return all(
            r.holds(point) is True
            for r in self.more
            if set().union(*(e.free_symbols for e in r.sides)) <= known
        )

    def _values(
        self, name: str, r: Range, low: Expr, high: Expr, point: Point, wide: bool
    ) -> list[tuple[Expr, int]]:
        if r.integer:
            first = max(low, Integer(1)) if name in SYMBOLS and SYMBOLS[name].is_positive else low
            found = [first, first + 1, first + 2]
            if name != "d":
                found = found[:2] if name == "p" else [first + 1, first, first + 2]
            found += [first + 6] if wide else []
            found += [Integer(v) for one in self.also for n, v in one.items() if n == name]
            return [(v, int(k > 0)) for k, v in enumerate(dict.fromkeys(found)) if low <= v <= high]
        return [(v, int(k > 0)) for k, v in enumerate(_reals(self, name, r, low, high, point))]

    def domains(self, condition: Condition | None = None) -> list[Domain]:
        """The hypotheses (and a condition) as domains of the engine, one for each alternative.

        A relation that is no bound of one letter is left out, and what is said of a set, which
        makes the domain larger.

        Raises
        ------
        DomainError
            If no point inside is found.
        """
        parts = condition.parts if condition is not None else ((),)
        return [self._domain((*self.more, *part)) for part in parts]

    def _domain(self, relations: tuple[Assumption, ...]) -> Domain:
        ranges = dict(self.ranges)
        for chain in relations:
            for left, r, right in zip(chain.sides, chain.relations, chain.sides[1:], strict=False):
                _tighten(ranges, left, r, right)
        inside = Condition((tuple(r for r in relations if r.function or not r.predicate),), "")
        for point, wrong in self.points(400):
            if wrong or not inside.holds(point) or any(v in (oo, -oo) for v in point.values()):
                continue
            try:
                return Domain(
                    {SYMBOLS[k]: r for k, r in ranges.items()},
                    letters_at(point),
                )
            except DomainError:
                continue
        raise DomainError("no point inside was found")


def _tighten(ranges: dict[str, Range], left: Expr, r: str, right: Expr) -> None:
    """Put ``letter relation bound`` into the range of the letter."""
    flipped = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}[r]
    for one, relation, other in ((left, r, right), (right, flipped, left)):
        name = one.name if isinstance(one, Symbol) else ""
        if name not in ranges or (other.free_symbols and not _comes_before(other, name, ranges)):
            continue
        old = ranges[name]
        if relation in (">", ">=", "=") and _is_more(other, old.low):
            ranges[name] = old = Range(
                other, old.high, relation == ">" and not old.integer, old.high_open, old.integer
            )
            if relation == ">" and old.integer:
                ranges[name] = old = Range(other + 1, old.high, False, old.high_open, True)
        elif relation == ">" and other == old.low and not old.integer:
            ranges[name] = old = Range(old.low, old.high, True, old.high_open)
        if relation in ("<", "<=") and (old.high is oo or _is_more(old.high, other)):
            ranges[name] = Range(old.low, other, old.low_open, relation == "<", old.integer)
        elif relation == "<" and other == old.high:
            ranges[name] = Range(old.low, old.high, old.low_open, True, old.integer)


def _comes_before(other: Expr, name: str, ranges: Mapping[str, Range]) -> bool:
    before = list(ranges)[: list(ranges).index(name)]
    return all(s.name in before for s in other.free_symbols)


def _is_more(one: Expr, other: Expr) -> bool:
    """Whether a bound is stricter, as far as numbers tell; one in letters is taken."""
    if one.free_symbols:
        return True
    return other is -oo or (not other.free_symbols and bool(one > other))


def _reals(
    hyps: Hypotheses, name: str, r: Range, low: Expr, high: Expr, point: Point
) -> list[Expr]:
    """Values to try: first two that are not special, then the ends and what is special."""
    if low == high:
        return [low] if not (r.low_open or r.high_open) else []
    at = letters_at(point)
    named = (put_in(end, at) for end in hyps.specials.get(name, ()))
    specials: list[Expr] = [end for end in named if end is not None]
    specials += [_expression(one[name], {}) for one in hyps.also if name in one]
    if "n" in point:
        specials.append(1 / point["n"])
    specials += [S.Zero, S.One]
    if low is -oo and high is oo:
        found = [Rational(3, 4), Rational(-2, 3), Integer(-50), Integer(50), *specials]
    elif high is oo:
        found = [low + Rational(2, 3), low + Rational(7, 2), low + Integer(50)]
        found += [low + Rational(1, 50)] if r.low_open else [low]
        found += specials
    elif low is -oo:
        found = [high - Rational(2, 3), high - 50, high - Rational(1, 50) if r.high_open else high]
        found += specials
    else:
        width = high - low
        found = [low + width * Rational(3, 7), low + width * Rational(5, 6)]
        found += [low + width * Rational(1, 50) if r.low_open else low]
        found += [high - width * Rational(1, 50) if r.high_open else high]
        found += specials
    if not r.high_open and high is oo:
        found.append(oo)
    inside: list[Expr] = []
    for v in found:
        if v not in inside and _inside(v, r, low, high):
            inside.append(v)
    return inside


def _inside(v: Expr, r: Range, low: Expr, high: Expr) -> bool:
    above = _compare(v, ">" if r.low_open else ">=", low)
    return above and _compare(v, "<" if r.high_open and high is not oo else "<=", high)


def _spread(rows: list[Any], limit: int) -> list[Any]:
    if len(rows) <= limit:
        return rows
    near = [row for row in rows if row[0] <= 1][:limit]
    rest = [row for row in rows if row[0] > 1]
    step = max(1, -(-len(rest) // max(1, limit - len(near))))
    return near + rest[::step]


def put_in(e: Expr, at: Mapping[Symbol, Expr]) -> Expr | None:
    """A value, or None if there is none."""
    found = e.xreplace(dict(at))
    if found.has(nan, zoo) or found.free_symbols or not found.is_extended_real:
        return None
    return found


def _compare(a: Expr, relation: str, z: Expr) -> bool:
    if a in (oo, -oo) or z in (oo, -oo):
        gap = 0 if a == z else (1 if a is oo or z is -oo else -1)
    else:
        found = sign(a - z)
        if found is None:  # so close that no digits tell
            found = 0
        gap = found
    return bool(HOLDS[relation](gap, 0))


# --- reading -------------------------------------------------------------------------------
_RELATION = re.compile(r"(<=|>=|!=|<|>|=)")
_MEMBER = re.compile(r"^([A-Za-z]\w*)\s+in\s+(.+)$")
_INTEGERS = re.compile(r"^(.+?)\.\.(.*)$")
_INTERVAL = re.compile(r"^([\[(])(.*),(.*?)([\])])$")
_TWO = re.compile(r"^two of ([A-Za-z]\w*)$")
_PREDICATE = re.compile(r"^([a-z]+\((?:[A-Za-z]|pi)\))$")
_SHAPED = re.compile(r"^([A-Za-z]_[A-Za-z])\s+(convex \w+)$")
_SHAPE = re.compile(r"^([a-z]+)\(([A-Za-z]_[A-Za-z])\)$")


def read_under(text: str) -> Hypotheses:
    """Read hypotheses.

    Raises
    ------
    BadClause
        With one line that says what is not one.
    """
    ranges: dict[str, Range] = {}
    more: list[Assumption] = []
    functions: dict[str, str] = {}
    of_sets: list[Assumption] = []
    for part in _clauses(text):
        member, two, shaped = _MEMBER.match(part), _TWO.match(part), _SHAPED.match(part)
        predicate = _PREDICATE.match(part)
        if predicate:
            of_sets.append(_predicate(predicate[1]))
        elif shaped:
            if shaped[2] not in KINDS:
                raise BadClause(
                    f"unknown kind of function {shaped[2]!r}; accepted: {', '.join(KINDS)}"
                )
            functions[shaped[1]] = shaped[2]
        elif member:
            name = member[1]
            if name not in SYMBOLS:
                raise BadClause(f"unknown letter {name!r}; accepted: {', '.join(SYMBOLS)}")
            if name in ranges:
                raise BadClause(f"{name} has two ranges; keep one")
            ranges[name] = _range(member[2].strip(), ranges)
        elif two:
            if two[1] not in ranges:
                raise BadClause(f"'two of {two[1]}' needs a range of {two[1]} before it")
            more.append(_relation(f"{two[1]} >= 2", ranges))
        else:
            found = _relation(part, ranges)
            (of_sets if found.on_tables else more).append(found)
    return Hypotheses(ranges, tuple(more), text, functions=functions, of_sets=tuple(of_sets))


def _predicate(name: str) -> Assumption:
    if name not in PREDICATES:
        raise BadClause(f"unknown predicate {name!r}; accepted: " + ", ".join(PREDICATES))
    return Assumption(predicate=name, text=name)


def read_place(text: str, hypotheses: Hypotheses) -> dict[str, str]:
    """Read a place that is tried besides: ``N = 4, l_p = -y``.

    Raises
    ------
    BadClause
        If it is none.
    """
    found: dict[str, str] = {}
    for part in _clauses(text):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise BadClause(f"{part!r} is not a place; write e.g. N = 4, l_p = -y")
        if name in hypotheses.functions:
            kind = hypotheses.functions[name]
            if value not in [str(f) for f in KINDS[kind]]:
                raise BadClause(
                    f"unknown function {value!r}; accepted: {'; '.join(map(str, KINDS[kind]))}"
                )
        elif name not in hypotheses.ranges:
            raise BadClause(f"{name} has no range in 'under'")
        elif hypotheses.ranges[name].integer and not value.isdigit():
            raise BadClause(f"{value!r} is not a size; use an integer")
        elif not hypotheses.ranges[name].integer:
            value = str(_expression(value, {}))
        found[name] = value
    return found


def read_condition(
    text: str,
    letters: Mapping[str, Any],
    *,
    on_sets: bool = False,
    functions: Mapping[str, str] | None = None,
) -> Condition:
    """Read a condition in letters that the hypotheses bound.

    Raises
    ------
    BadClause
        If a part is no relation between expressions in them.
    """
    if not text.strip():
        raise BadClause("the condition is empty")
    parts = []
    for alternative in re.split(r"\s+or\s+", text.strip()):
        found = []
        for one in re.split(r"\s+and\s+|,(?![^(]*\))", alternative):
            predicate, shape = _PREDICATE.match(one.strip()), _SHAPE.match(one.strip())
            if shape:
                if shape[1] not in SHAPES or shape[2] not in (functions or {}):
                    known = ", ".join(f"{s}({f})" for s in SHAPES for f in functions or {})
                    raise BadClause(
                        f"unknown predicate {one.strip()!r}; accepted: {known or 'none'}"
                    )
                found.append(Assumption(predicate=shape[1], function=shape[2], text=one.strip()))
            elif predicate:
                found.append(_predicate(predicate[1]))
                if not on_sets:
                    raise BadClause(f"{one.strip()!r} needs a record with 'on', about vectors")
            else:
                found.append(_relation(one.strip(), letters))
        parts.append(tuple(found))
    return Condition(tuple(parts), " ".join(text.split()))


def _clauses(text: str) -> list[str]:
    """Parts between commas that stand in no bracket; an interval's may not match."""
    parts, depth, start = [], 0, 0
    for k, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append(text[start:k])
            start = k + 1
    found = [" ".join(part.split()) for part in [*parts, text[start:]]]
    if not all(found):
        raise BadClause("a clause is empty")
    return found


def _range(text: str, known: Mapping[str, Any]) -> Range:
    interval, integers = _INTERVAL.match(text), _INTEGERS.match(text)
    if interval:
        low, high = (_expression(e, known, infinite=True) for e in interval.group(2, 3))
        return Range(low, high, interval[1] == "(", interval[4] == ")")
    if integers:
        low = _expression(integers[1], known)
        high = _expression(integers[2], known) if integers[2].strip() else oo
        return Range(low, high, False, high is oo, True)
    raise BadClause(f"{text!r} is not a range; write e.g. 1.., 2..5, [0, 1], (0, oo)")


def _relation(text: str, known: Mapping[str, Any]) -> Assumption:
    parts = _RELATION.split(text)
    if len(parts) < 3:
        raise BadClause(f"{text!r} is not a relation; write e.g. m >= 2, 0 < delta < 1, m = n")
    sides = tuple(_expression(e, known) for e in parts[::2])
    return Assumption(sides, tuple(parts[1::2]), text=text)


def _expression(text: str, known: Mapping[str, Any], *, infinite: bool = False) -> Expr:
    text = text.strip()
    if infinite and text in ("oo", "-oo"):
        return oo if text == "oo" else -oo
    letters = {k: SYMBOLS[k] for k in known}
    for name, (symbol, _) in QUANTITIES.items():
        if name in text:
            text, letters = text.replace(name, symbol.name), {**letters, symbol.name: symbol}
    try:
        return expression(text, letters)
    except NotANumber as error:
        raise BadClause(str(error)) from None

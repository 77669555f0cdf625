"""Where a statement is meant: a range for every symbol, and a point inside."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import field, replace
from functools import lru_cache
from itertools import product

from sympy import Dummy, Expr, Integer, Max, Min, Rational, S, Symbol, ceiling, floor, oo, sympify

from ..errors import Refusal
from ..frozen import Frozen, FrozenValue
from .logarithms import with_prime_logs
from .number import sign


class DomainError(Refusal, ValueError):
    """A value lies outside the domain; the message is one line and says what is accepted."""


class Range(FrozenValue):
    """An interval; its ends may be expressions in other symbols of the domain."""

    low: Expr = S.Zero
    high: Expr = oo
    low_open: bool = True
    high_open: bool = True
    integer: bool = False
    why: str = ""  #: said after the refusal, where the bare inequality would puzzle a reader
    #: how far outside an end that belongs to it a number that was measured in float64 may lie, and
    #: then counts as that end; 0 where numbers are not measured
    rounding: Expr = S.Zero

    def __str__(self) -> str:
        if self.integer and self.high is oo:
            return f"an integer >= {self.low}"
        if self.low is -oo and self.high is oo:
            return "a real number"
        if self.high is oo:
            return f"{'>' if self.low_open else '>='} {self.low}"
        left, right = "(" if self.low_open else "[", ")" if self.high_open else "]"
        return f"{'an integer ' * self.integer}in {left}{self.low}, {self.high}{right}"

    def at(self, point: Mapping[Symbol, Expr]) -> Range:
        """With values put into its ends; at ``oo`` their limits, where SymPy knows them."""

        def end(e: Expr) -> Expr:
            e = e.xreplace({s: v for s, v in point.items() if v is not oo})
            for s in (s for s, v in point.items() if v is oo and s in e.free_symbols):
                try:
                    e = e.limit(s, oo)
                except (TypeError, ValueError, NotImplementedError):  # of max and min
                    continue
            return e

        return replace(self, low=end(self.low), high=end(self.high))


def at_least(low: int, why: str = "") -> Range:
    """Integers from ``low`` on."""
    return Range(Integer(low), oo, low_open=False, integer=True, why=why)


def between(low: object, high: object, ends: str = "[]", why: str = "") -> Range:
    """An interval; ``ends`` is one of ``[]``, ``()``, ``[)``, ``(]``."""
    return Range(sympify(low), sympify(high), ends[0] == "(", ends[1] == ")", why=why)


#: Numbers that are > 0, that are >= 0, and all.
POSITIVE, FREE, LINE = Range(), Range(low_open=False), Range(-oo)


class Case(Frozen):
    """A parametrisation of (part of) a domain by variables that are >= 0.

    ``substitution`` writes each symbol through the variables; those in ``strict``
    are > 0, the others may vanish.
    """

    substitution: Mapping[Symbol, Expr]
    strict: frozenset[Symbol]
    variables: tuple[Symbol, ...]


class Domain(Frozen):
    """Ranges of symbols, with a stored witness so that it is never empty.

    A symbol comes after those that its range refers to; else the order is as given.

    Raises
    ------
    DomainError
        On construction, if the witness is not a finite point inside, if a range refers to a
        symbol without one, or allows what the symbol itself excludes (SymPy has then used it
        already: it writes x for sqrt(x**2) when x is declared positive).
    """

    ranges: Mapping[Symbol, Range]
    witness: Mapping[Symbol, Expr] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ranges", in_order(self.ranges))
        object.__setattr__(self, "witness", {s: sympify(v) for s, v in self.witness.items()})
        missing = [s.name for s in self.ranges if s not in self.witness]
        if missing:
            raise DomainError(f"the domain has no witness value for {', '.join(missing)}")
        self.check(self.witness)
        for s, r in self.ranges.items():
            low, high = (_put_in(e, self.witness) for e in (r.low, r.high))
            at_ends = Range(low, high, r.low_open)
            if not self.witness[s].is_finite:
                raise DomainError(f"the witness value of {s} must be finite")
            if (s.is_integer and not r.integer) or not _keeps_sign(s, at_ends, r.high_open):
                kinds = ("integer", "positive", "negative", "nonnegative", "nonpositive")
                kind = next((k for k in kinds if s.assumptions0.get(k)), "not real")
                raise DomainError(f"{s} is always {kind}: it cannot be {r}, another name can")

    def __repr__(self) -> str:
        return f"<Domain: {', '.join(f'{s} {r}' for s, r in self.ranges.items())}>"

    @classmethod
    def of_ranges(cls, ranges: Mapping[Symbol, Range]) -> Domain:
        """Ranges that were checked before, as part of another domain; there is no witness."""
        part = object.__new__(cls)
        object.__setattr__(part, "ranges", dict(ranges))
        object.__setattr__(part, "witness", {})
        return part

    def symbols(self) -> tuple[Symbol, ...]:
        """Symbols that the domain bounds."""
        return tuple(self.ranges)

    def with_range(self, symbol: Symbol, new: Range, witness: object) -> Domain:
        """Return the domain with one range replaced or added."""
        return Domain({**self.ranges, symbol: new}, {**self.witness, symbol: sympify(witness)})

    def with_positive(self, symbols: Iterable[Symbol]) -> Domain:
        """Return the domain with further symbols that are only known to be positive."""
        more = list(symbols)
        if not more:
            return self
        return Domain(
            {**self.ranges, **dict.fromkeys(more, POSITIVE)},
            {**self.witness, **dict.fromkeys(more, S.One)},
        )

    def witness_of(self, expression: Expr) -> Expr:
        """Value of an expression at the witness."""
        return expression.xreplace(dict(self.witness))

    def restricted(self, symbols: Iterable[Symbol]) -> Domain:
        """The domain of a few of its symbols."""
        wanted = set(symbols)
        if wanted >= set(self.ranges):
            return self
        part = Domain.of_ranges({s: r for s, r in self.ranges.items() if s in wanted})
        object.__setattr__(part, "witness", {s: v for s, v in self.witness.items() if s in wanted})
        return part

    def check(self, point: Mapping[Symbol, Expr]) -> None:
        """Refuse a point (which may give only some of the symbols) outside the domain.

        Raises
        ------
        DomainError
            Naming the symbol, its range and the value.
        """
        for symbol, r in self.ranges.items():
            if symbol not in point:
                continue
            low, high = _put_in(r.low, point), _put_in(r.high, point)
            refuse_outside(symbol.name, r, point[symbol], low, high)

    def settled(
        self, point: Mapping[Symbol, Expr], floats: Collection[Symbol] = ()
    ) -> dict[Symbol, Expr]:
        """A point with measured numbers that rounding put outside of their ranges at the ends.

        Of ``floats``, one at an end that does not belong to its range was rounded to it, and counts
        as next to it.
        """
        found = dict(point)
        for symbol, r in self.ranges.items():
            value = found.get(symbol)
            if value is None or r.rounding == 0 or not value.is_number or not value.is_finite:
                continue
            # Where others are outside by more, a root of them in an end is not real.
            with suppress(ValueError):
                found[symbol] = _nearest(value, r, found, symbol in floats)
        return found

    def forced(self, point: Mapping[Symbol, Expr]) -> dict[Symbol, Expr]:
        """A point of some of the symbols with those that it leaves a single value."""
        found = dict(point)
        for symbol, r in self.ranges.items():
            if symbol in found or r.low_open or r.high_open:
                continue
            low, high = _put_in(r.low, found), _put_in(r.high, found)
            if low == high and low.is_number and low.is_finite:
                found[symbol] = low
        return found

    def contains(self, point: Mapping[Symbol, Expr]) -> bool:
        """Whether the point passes :meth:`check`."""
        try:
            self.check(point)
        except DomainError:
            return False
        return True

    def cases(self) -> Iterator[Case]:
        """Cover the domain by parametrisations with non-negative variables.

        ``[low, oo)`` becomes low + u, ``(-oo, high]`` becomes high - u, the line both u and -u,
        and ``[low, high]`` becomes (low + high u)/(1 + u) together with the end ``high`` by
        itself when it belongs to the interval. Integers are covered by the reals around them.
        """
        for choice in product(*(_images(s, r) for s, r in self.ranges.items())):
            substitution: dict[Symbol, Expr] = {}
            for symbol, image, _, _ in choice:
                substitution[symbol] = image.xreplace(substitution)
            yield Case(
                substitution,
                frozenset(u for _, _, u, strict in choice if u is not None and strict),
                tuple(u for _, _, u, _ in choice if u is not None),
            )

    def points(self, count: int = 24) -> Iterator[dict[Symbol, Expr]]:
        """Small admissible rational points, edges first; the same ones every time."""
        steps = (
            [S.Zero, S.One, Rational(1, 2), S(2), Rational(1, 3), S(3), Rational(1, 7), S(5)],
            [S.One, Rational(1, 2), S.Zero, S(3), S(2), Rational(1, 4), S(4), Rational(2, 3)],
            [Rational(1, 2), S(2), S.One, Rational(1, 5), S.Zero, S(4), Rational(5, 3), S(3)],
        )
        for k in range(count):
            point: dict[Symbol, Expr] = {}
            for i, (symbol, r) in enumerate(self.ranges.items()):
                u = steps[i % 3][(k + i * (k // 8 + 1)) % 8]
                low, high = (e.xreplace(point) for e in (r.low, r.high))
                if r.integer:
                    point[symbol] = _integer(low, high, k * (i + 1) % 4, r)
                    continue
                if u == 0 and (r.low_open if low is not -oo else r.high_open):
                    u = Rational(1, 10)  # next to the end that u is counted from
                if low is -oo:
                    point[symbol] = u - 2 if high is oo else high - u
                elif high is oo:
                    point[symbol] = low + u
                elif k % 8 == 7 and not r.high_open:
                    point[symbol] = high
                else:
                    point[symbol] = (low + high * u) / (1 + u)
            if self.contains(point):
                yield point

    def generic_points(self, count: int = 24) -> Iterator[dict[Symbol, Expr]]:
        """Admissible points with nothing special about them: no two symbols alike."""
        for k in range(count):
            point: dict[Symbol, Expr] = {}
            for i, (symbol, r) in enumerate(self.ranges.items()):
                low, high = (e.xreplace(point) for e in (r.low, r.high))
                u = Rational(_PRIMES[(5 * k + 3 * i) % 17], _PRIMES[(k + 7 * i + 4) % 17])
                if r.integer and k % 3:
                    point[symbol] = _integer(low, high, (2 * k + 3 * i + k * i) % 11, r)
                elif r.integer:  # and large ones, past what a polynomial could pass through
                    point[symbol] = _integer(low, high, 10 * _PRIMES[(k + 5 * i + 2) % 17] + k, r)
                elif low is -oo and high is oo:
                    point[symbol] = u - 1 if k % 2 else -u
                elif low is -oo:
                    point[symbol] = high - u
                elif high is oo:
                    point[symbol] = low + u
                else:
                    point[symbol] = (low + high * u) / (1 + u)
            if self.contains(point):
                yield point


@lru_cache(maxsize=1024)
def _images(symbol: Symbol, r: Range) -> list[tuple[Symbol, Expr, Symbol | None, bool]]:
    """The images of a symbol in the parametrisations of its range.

    They are the same each time, so that what is known of them is looked up in the next proof.
    """
    u = Dummy(f"u_{symbol.name}", nonnegative=True)
    if r.low is -oo and r.high is oo:
        return [(symbol, u, u, False), (symbol, -u, u, False)]
    if r.high is oo:
        return [(symbol, r.low + u, u, r.low_open)]
    if r.low is -oo:
        return [(symbol, r.high - u, u, r.high_open)]
    row: list[tuple[Symbol, Expr, Symbol | None, bool]] = [
        (symbol, (r.low + r.high * u) / (1 + u), u, r.low_open)
    ]
    return row if r.high_open else [*row, (symbol, r.high, None, False)]


def refuse_outside(
    name: str, r: Range, value: Expr, low: Expr | None = None, high: Expr | None = None
) -> None:
    """Refuse a value outside a range, whose ends may be given as they are there.

    Raises
    ------
    DomainError
        Naming the range and the value; an end in symbols refuses nothing.
    """
    low, high = r.low if low is None else low, r.high if high is None else high
    not_real = not value.is_Rational and value.is_number and value.is_extended_real is not True
    if not_real or (r.integer and value is not oo and not value.is_Integer):
        raise DomainError(f"{name} must be {r}, not {value}")
    if any(e.is_number and e.is_extended_real is False for e in (low, high)):
        raise DomainError(f"{name} must be {r}, which has no real end there")
    below, above = _compared(value, low), _compared(value, high)
    too_low = below is not None and (below < 0 or (r.low_open and below == 0))
    too_high = above is not None and (above > 0 or (r.high_open and above == 0 and value is not oo))
    if too_low or too_high:
        because = f" ({r.why})" if r.why else ""
        end, here = (r.low, low) if too_low else (r.high, high)
        if end.free_symbols:
            because = f": the end is {here if here.is_Rational else here.n(6)} here{because}"
        raise DomainError(f"{name} must be {r}, not {value}{because}")


def _compared(value: Expr, end: Expr) -> int | None:
    """-1, 0 or 1 as a value is less than an end of a range, equal or more; None for symbols."""
    if value.is_Rational and end.is_Rational:  # as nearly always, and SymPy takes long
        gap = value.p * end.q - end.p * value.q
        return int(gap > 0) - int(gap < 0)
    if end in (oo, -oo) and value not in (oo, -oo):
        return -1 if end is oo else 1
    if end.free_symbols:
        return None
    gap = with_prime_logs(value - end)
    if known := sign(gap):
        return known
    if value == end or gap == 0:
        return 0
    if not gap.is_number:  # of a root SymPy knows no more than its digits
        return -1 if gap.evalf(40) < 0 else 1
    less, more = gap < 0, gap > 0
    if less not in (True, False) or more not in (True, False):
        raise DomainError(f"it is not known whether {value} is more than {end}")
    return int(bool(more)) - int(bool(less))


_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59)


def region(ranges: Mapping[Symbol, Range]) -> Domain:
    """A domain of which any point will do as the witness: in the middle, or 1 from an end."""
    witness: dict[Symbol, Expr] = {}
    for s, r in in_order(ranges).items():
        low, high = (_put_in(end, witness) for end in (r.low, r.high))
        if r.integer:
            witness[s] = low + int(r.low_open)
        elif high.is_finite:
            witness[s] = (low + high) / 2 if low.is_finite else high - 1
        else:
            witness[s] = low + 1 if low.is_finite else S.Zero
    return Domain(ranges, witness)


def in_order(ranges: Mapping[Symbol, Range]) -> dict[Symbol, Range]:
    """Every symbol after those that its range refers to.

    Raises
    ------
    DomainError
        If there is no such order.
    """
    left, found = dict(ranges), dict[Symbol, Range]()
    while left:
        ready = next((s for s, r in left.items() if _refers(r) <= set(found)), None)
        if ready is None:
            unknown = set().union(*map(_refers, left.values())) - set(ranges)
            if unknown:
                raise DomainError(f"a range refers to {min(map(str, unknown))}, which has none")
            raise DomainError("ranges refer to each other in a circle")
        found[ready] = left.pop(ready)
    return found


def _integer(low: Expr, high: Expr, steps: int, r: Range) -> Expr:
    """An integer a few steps from an end; of finitely many, counted round."""
    first = floor(low) + 1 if r.low_open and low.is_integer else ceiling(low)
    if high is oo:
        return first + steps if low is not -oo else Integer(steps * (-1) ** steps)
    last = ceiling(high) - 1 if r.high_open else floor(high)
    if low is -oo:
        return last - steps
    return first + steps % max(1, int(last - first) + 1)


def _keeps_sign(s: Symbol, r: Range, high_open: bool) -> bool:
    """Whether an interval between numbers has the sign that a symbol is declared with."""
    if s.is_real is False:
        return False
    if s.is_positive and not (r.low > 0 or (r.low == 0 and r.low_open)):
        return False
    if s.is_negative and not (r.high < 0 or (r.high == 0 and high_open)):
        return False
    return not (s.is_nonnegative and r.low < 0) and not (s.is_nonpositive and r.high > 0)


def _refers(r: Range) -> set[Symbol]:
    return r.low.free_symbols | r.high.free_symbols


def _nearest(value: Expr, r: Range, point: Mapping[Symbol, Expr], is_float: bool) -> Expr:
    """The end of a range that a number lies beyond by rounding; else the number."""
    room = _put_in(r.rounding, point)
    for end, is_open, side in ((r.low, r.low_open, -1), (r.high, r.high_open, 1)):
        end = _put_in(end, point)
        out = side * (value - end)
        known = all(e.is_number and e.is_extended_real for e in (room, out))
        if known and (is_float if is_open else out > 0) and 0 <= out <= room:
            return end - side * room / 64 if is_open else end
    return value


def _put_in(end: Expr, point: Mapping[Symbol, Expr]) -> Expr:
    """An end of a range at a point, where a symbol at oo means the limit."""
    if end.is_number:
        return end
    finite = {s: v for s, v in point.items() if v is not oo}
    end = end.xreplace(finite)
    for symbol in point:
        if symbol in end.free_symbols:
            end = _far(end, symbol)
    return end


def _far(end: Expr, symbol: Symbol) -> Expr:
    """Where an end of a range goes as a symbol goes to oo; SymPy takes no series of maxima."""
    if isinstance(end, (Max, Min)):
        return end.func(*(_far(a, symbol) for a in end.args))
    parts = (a for a in end.atoms(Max, Min) if symbol in a.free_symbols)
    for part, goal in {a: _far(a, symbol) for a in parts}.items():
        if goal is oo and symbol in end.xreplace({part: S.One}).free_symbols:
            raise DomainError(f"the limit of {end} as {symbol} -> oo is not known")
        end = end.xreplace({part: symbol if goal is oo else goal})
    return end.limit(symbol, oo)

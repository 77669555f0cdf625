"""Where a statement claims to hold: the domain of the quantity, cut by what stands beside it.

A condition that reaches beyond the domain makes the claim a wider one than was derived, and
is refused. One that stays inside is a narrower claim: it is noted, and the comparison is only
asked there. One that cannot be held against the domain makes the statement unread.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import pairwise

from sympy import (
    And,
    Basic,
    Eq,
    Expr,
    Integer,
    Not,
    Piecewise,
    S,
    Symbol,
    ceiling,
    floor,
    oo,
    solve,
)
from sympy.core.relational import Relational

from ...decide.cases import opened, with_signed_logs
from ...decide.decide import is_proved_positive, zero
from ...decide.defined import defined
from ...decide.domain import Domain, DomainError, Range, in_order
from ...decide.evidence import Holds
from ...decide.number import sign
from ...frozen import Frozen
from ...language.statement import (
    Among,
    Bounds,
    Chain,
    Clause,
    Indices,
    Inner,
    Kinds,
    Limit,
    Relation,
    Side,
    Statement,
    Tends,
    TexError,
)
from ...proof.relations import TURNED
from ..formula.reader import canonical_name
from .lookup import Meant
from .printed import plain
from .subject import is_limit_at

#: Ends that a range has by what its symbol is: a weight, a temperature, a cosine.
_NATURAL = {"low": (S.Zero, S.NegativeOne, -oo), "high": (S.One, oo)}
_RELATIONS: dict[str, Relation] = {
    "<": "<", "<=": "<=", ">": ">", ">=": ">=", "==": "=", "!=": "!=",
}  # fmt: skip


class Wider(ValueError):
    """The statement claims more than was derived; the message is one line."""


class Claim(Frozen):
    """What is asked: with which values, on which domain, and whether of a limit.

    Attributes
    ----------
    at_limit
        Whether a condition says the limit that the quantity is.
    notes
        How the conditions were taken, a line each.
    """

    meant: Meant
    at_limit: bool = False
    notes: tuple[str, ...] = ()


def claimed(statement: Statement, meant: Meant) -> Claim:
    """Read the conditions beside a statement.

    Raises
    ------
    Wider
        If one reaches beyond the domain.
    TexError
        If one cannot be held against the domain.
    """
    reading = _Reading(statement, meant)
    for clause in statement.clauses:
        reading.read(clause)
    reading.end()
    sides = [side for side in statement.sides if isinstance(side, Expr)]
    for told in set().union(*(side.atoms(Piecewise) for side in sides)):
        for case in _cases(told):
            reading.in_case(case)
    if reading.gone and reading.gone != meant.gone:
        names = " and ".join(sorted(map(str, meant.gone)))
        raise TexError(f"the directive is about the limit {names} -> oo")
    return Claim(reading.meant, reading.at_limit, tuple(dict.fromkeys(reading.notes)))


def check_order(sides: Sequence[Side], relations: Sequence[str], meant: Meant) -> None:
    """Refuse what a value is said to lie above, below or in, unless it is proved."""
    names = {**meant.substitution, **dict(zip(meant.own, meant.derived, strict=True))}
    for left, relation, right in links(Chain(tuple(sides), tuple(relations))):  # type: ignore[arg-type]
        one, other = (plain(e).xreplace(names) for e in (left, right))
        larger, less = (one, other) if relation[0] == ">" else (other, one)
        strict = "=" not in relation
        if relation not in TURNED or not _is_larger(larger, less, meant.domain, strict):
            raise TexError(
                f"this is a second claim, which was not proved: {one} {relation} {other}"
            )


def _is_larger(one: Expr, other: Expr, domain: Domain, strict: bool) -> bool:
    """Whether it is proved that one value is larger, or of two that are not negative the square."""
    if one is oo:
        return isinstance(defined(other, domain), Holds)
    return is_proved_positive(one - other, domain, strict=strict) or (
        is_proved_positive(one, domain)
        and is_proved_positive(other, domain, strict=False)
        and is_proved_positive(one**2 - other**2, domain, strict=strict)
    )


class _Reading:
    """The claim as it is after the conditions read so far."""

    def __init__(self, statement: Statement, meant: Meant):
        self.statement, self.meant = statement, meant
        self.whole = meant.domain  # what every condition is held against
        self.at_limit = False
        self.gone: set[Expr] = set()  # what is said to go to infinity, as the directive has it
        self.notes: list[str] = []
        #: the ends that were said of each symbol
        self.ends: dict[Symbol, set[str]] = {}
        #: ends that must be said: the only value that is excluded, or in symbols of a condition
        self.beyond: set[tuple[Expr, str]] = set()
        #: symbols with a range of their own among the conditions
        self.said = {s for c in statement.clauses for s in _ranged(c)}
        #: what the statement itself bounds, if it is a condition
        bounds = {q.bound[0] for q in meant.quantities if q.bound}
        self.bounded = bounds if set(statement.relations) - {"=", "->"} else set()

    def read(self, clause: Clause) -> None:
        match clause.says:
            case Tends():
                self._tends(clause.says)
            case Kinds():
                for s in clause.says.symbols:
                    self._kind(s, clause.says.kind, clause)
            case Indices():
                self._indices(clause.says, clause)
            case Among():
                if not self._has_vectors():
                    raise TexError(
                        f"a condition on vectors that the statement does not have: {clause.text}",
                        clause.at,
                    )
            case Chain():
                self._left_open(clause)
                for left, relation, right in links(clause.says):
                    if (left.free_symbols | right.free_symbols) & set(self.meant.own):
                        # Of the quantity itself it is no condition but a second claim.
                        whole = replace(self.meant, domain=self.whole)
                        check_order((left, right), (relation,), whole)
                    else:
                        self._link(self._value(left), self._value(right), relation, clause)

    def in_case(self, clauses: list[Clause]) -> None:
        """Read what one case is for: that is no more than was derived either."""
        inner = copy(self)
        inner.notes, inner.beyond = [], {*self.beyond}
        inner.ends = {s: {*said} for s, said in self.ends.items()}
        for clause in clauses:
            if clause.says.relations == ("=",):  # type: ignore[union-attr]
                inner._at_value(clause)
            else:
                inner.read(clause)
        inner.end()

    def _at_value(self, clause: Clause) -> None:
        """A case for one value of a symbol, which must be one that it may have."""
        assert isinstance(clause.says, Chain)
        one, other = (self._value(e) for e in clause.says.sides if isinstance(e, Expr))
        for s, value in ((one, other), (other, one)):
            r = self.whole.ranges.get(s)
            if isinstance(s, Symbol) and r is not None and _inside(s, value, r, self.whole):
                return
        raise TexError(f"it was not proved that {clause.text} occurs on the domain")

    def end(self) -> None:
        """Refuse ends that nothing is said of, and that do not come with what the symbol is.

        For all alpha <= 1 is wider than for all alpha in (1/n, 1].
        """
        for s in self.ends.keys() & self.whole.ranges.keys():
            own = self.whole.ranges[s]
            usual = self.meant.result.domain.ranges.get(s, own)
            for side in _NATURAL.keys() - self.ends[s]:
                end, other = getattr(own, side), getattr(usual, side)
                is_open = getattr(own, f"{side}_open")
                closed = is_open and not getattr(usual, f"{side}_open")
                narrower = other.is_number and (end != other or closed)
                natural = end in _NATURAL[side] and not (end == 1 and is_open)
                # N <= 5 is also for N = 1; where no end is said, the paper has said what N is.
                up_to = side == "low" and self.ends[s] and own.integer and end.is_number and end > 1
                unsaid = (own.integer or natural) and (s, side) not in self.beyond
                if narrower or up_to or not unsaid:
                    raise Wider(
                        f"the conditions leave open how {'small' if side == 'low' else 'large'} "
                        f"{s} is, and it was derived for {s} {own}"
                    )

    def _leave_open(self, e: Expr) -> None:
        """What is said of an expression says no end of its symbols."""
        for s in e.free_symbols:
            self.ends.setdefault(s, set())  # type: ignore[arg-type]

    def _value(self, e: Expr) -> Expr:
        names = dict(zip(self.meant.own, self.meant.derived, strict=True))
        return e.xreplace(self.meant.substitution).xreplace(names)

    def _left_open(self, clause: Clause) -> None:
        """A condition on what the directive gives a value says that it may have others."""
        assert isinstance(clause.says, Chain)
        if set(clause.says.relations) == {"="}:
            return
        sides = [e for s in clause.says.sides for e in _ends_of(s)]
        for s in sorted(set().union(*(e.free_symbols for e in sides)), key=str):
            if s in self.meant.point and s not in self.meant.gone:
                raise Wider(
                    f"the condition {clause.text} leaves {s} open, and the directive says "
                    f"{s} = {self.meant.point[s]}"
                )

    def _known(self, used: set[Symbol], clause: Clause) -> None:
        for s in sorted(used - set(self.meant.domain.ranges), key=str):
            why = "the directive takes to oo" if s in self.meant.gone else "is not a symbol"
            why += "" if s in self.meant.gone else f" of {self.meant.result.id}"
            raise TexError(f"the condition {clause.text} is about {s}, which {why}", clause.at)

    # --- limits and indices -----------------------------------------------------------------
    def _tends(self, says: Tends) -> None:
        if says.symbol in self.meant.gone and says.point is oo:
            self.gone.add(says.symbol)
            return
        if not all(
            is_limit_at(q, says.symbol, says.point, says.side) for q in self.meant.quantities
        ):
            raise TexError(
                f"the statement is for {says.symbol} tending to {says.point}, and the quantity is "
                "not that limit: name the limit in the directive, or (PARAMETER = oo)"
            )
        self.at_limit = True

    def _indices(self, says: Indices, clause: Clause) -> None:
        """Those of inner products are checked with the vectors; else they may only range."""
        if self._has_vectors():
            return
        named = "".join(q.symbol for q in self.meant.quantities)
        told = {f"_{{{i}}}" for i in says.letters}
        if says.relation == "=" or not all(i in canonical_name(named) for i in told):
            raise TexError(
                f"a condition on indices that the statement does not have: {clause.text}", clause.at
            )
        apart = any(getattr(c.says, "relation", "") == "!=" for c in self.statement.clauses)
        if len(says.letters) > 1 and says.relation == "any" and not apart:
            names = " = ".join(says.letters)
            raise TexError(f"{clause.text} includes {names}, where it is another quantity")

    def _has_vectors(self) -> bool:
        sides = self.statement.sides
        return any(isinstance(s.expression if isinstance(s, Limit) else s, Inner) for s in sides)

    # --- kinds of numbers ---------------------------------------------------------------------
    def _kind(self, s: Expr, kind: str, clause: Clause) -> None:
        if not isinstance(s, Symbol):
            raise TexError(f"{clause.text} must be said of a symbol", clause.at)
        value = self.meant.point.get(s)
        if value is not None and value is not oo:
            raise Wider(
                f"the statement claims this for {clause.text}, and the directive says {s} = {value}"
            )
        self._known({s}, clause)
        r = self.whole.ranges[s]
        if kind.endswith(" real") and r.integer:
            raise Wider(f"the statement claims this for every {kind} {s}, and {s} is {r}")
        kind = kind.removesuffix(" real")
        # What is said of the sort of number leaves where it starts to the paper, which is
        # where the result does.
        usual = self.meant.result.domain.ranges.get(s, r)
        of_a_sort = kind not in ("real", "positive", "negative")
        if r != usual and of_a_sort and s not in self.said:
            raise Wider(
                f"the statement claims this for every {s} ({usual}), and it was derived for {s} {r}"
            )
        if kind == "any":
            return
        if r.integer:
            if kind not in ("integer", "natural", "positive integer", "positive", "nonnegative"):
                raise Wider(f"the statement claims this for every {kind} {s}, and {s} is {r}")
            start = {"natural": 1, "positive integer": 1, "positive": 1, "nonnegative": 0}
            if r.low != start.get(kind, -oo):
                self.notes.append(f"{clause.text} is taken for the kind of number: {s} is {r}")
        elif "integer" in kind or kind == "natural":
            self.notes.append(f"claimed for integers {s} only, and asked for all real ones")
            if kind == "natural" or kind == "positive integer":
                self._at_end(s, ">=", Integer(1), clause)
        elif kind == "real":
            if r.low is not -oo or r.high is not oo:
                raise Wider(
                    f"the statement claims this for every real {s}, and it was derived for {s} {r}"
                )
        else:
            zero = Integer(0)
            self._at_end(
                s, {"positive": ">", "nonnegative": ">=", "negative": "<"}[kind], zero, clause
            )

    # --- bounds -----------------------------------------------------------------------------
    def _link(self, left: Expr, right: Expr, relation: str, clause: Clause) -> None:
        self._known({*left.free_symbols, *right.free_symbols}, clause)  # type: ignore[arg-type]
        if relation == "!=" and ((left - right).free_symbols or sign(left - right)):
            self._leave_open(left - right)  # all values but one
            self._around(left, right)
            self._around(right, left)
            self.beyond |= {(s, "low") for s in self._linked(left - right)}
            self.notes.append(f"asked also where {clause.text} does not hold")
            return
        if left in (oo, -oo) or right in (oo, -oo):
            self._to_infinity(left, right, relation, clause)
        elif not (left - right).free_symbols:
            self._of_numbers(left, right, relation, clause)
        elif relation in TURNED and (linked := self._linked(left - right)):
            for s in linked:
                self._at_link(s, left - right, relation, clause)
        elif relation in TURNED and (found := _alone(left, relation, right, self.whole)):
            self._at_end(*found, clause)
        else:
            raise TexError(
                f"the condition {clause.text} cannot be compared with the domain", clause.at
            )

    def _linked(self, gap: Expr) -> list[Symbol]:
        """The symbols whose range refers to another one of these."""
        used = gap.free_symbols
        ranges = {s: self.whole.ranges[s] for s in used}  # type: ignore[index]
        return [s for s, r in ranges.items() if (r.low.free_symbols | r.high.free_symbols) & used]

    def _at_link(self, s: Symbol, gap: Expr, relation: str, clause: Clause) -> None:
        """A condition on a symbol and one that its range refers to, whichever it is solved for.

        An end that it does not bound must be said too: ``N <= 2 K`` is also for ``N <= K``.
        """
        r, gap = self.whole.ranges[s], gap if relation[0] == ">" else -gap
        if is_proved_positive(-gap, self.whole, strict="=" in relation):
            raise Wider(f"{clause.text} holds nowhere on the domain")
        is_size = is_proved_positive(s, self.whole, strict=False)
        free = Range(S.Zero if is_size else -oo, integer=r.integer)
        rest = Domain.of_ranges(in_order({**self.whole.ranges, s: free}))
        solved = _solved(gap, s, rest)
        if solved is None:
            raise TexError(f"the condition {clause.text} is not compared with {s} {r}", clause.at)
        bound, is_low = solved
        if (r.high if is_low else r.low).free_symbols:
            self.beyond.add((s, "high" if is_low else "low"))
        self._at_end(s, (">" if is_low else "<") + relation[1:], bound, clause)

    def _around(self, s: Expr, value: Expr) -> None:
        """All values but the end of a range are those beyond it too, unless that is excluded."""
        r = None if not isinstance(s, Symbol) else self.whole.ranges.get(s)
        if r is not None and not r.integer:
            ends = {"low": (r.low, r.low_open), "high": (r.high, r.high_open)}
            self.beyond |= {(s, side) for side, end in ends.items() if end == (value, True)}

    def _to_infinity(self, left: Expr, right: Expr, relation: str, clause: Clause) -> None:
        """An end that is infinite, which every symbol is below: it does not belong to it."""
        below = left if relation[0] == "<" else right
        above = right if relation[0] == "<" else left
        symbol = above if below == -oo else below
        if "=" in relation or not symbol.is_Symbol or (below != -oo and above is not oo):
            raise TexError(
                f"the condition {clause.text} cannot be compared with the domain", clause.at
            )
        r = self.whole.ranges[symbol]
        self.ends.setdefault(symbol, set()).add("low" if below == -oo else "high")
        end = r.low if below == -oo else r.high
        if end not in (oo, -oo):
            raise Wider(
                f"the statement claims this for {left} {relation} {right}, and {symbol} is {r}"
            )

    def _of_numbers(self, left: Expr, right: Expr, relation: str, clause: Clause) -> None:
        found = sign(left - right)
        if found is None and left != right:
            raise TexError(f"the condition {clause.text} could not be decided", clause.at)
        holds = {"=": (0,), "!=": (1, -1), "<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (1, 0)}[
            relation
        ]
        if (found or 0) not in holds:
            raise Wider(f"the condition {clause.text} does not hold with the values that are given")

    def _at_end(self, s: Expr, relation: str, value: Expr, clause: Clause) -> None:
        """A bound on one symbol, held against the end of its range."""
        assert isinstance(s, Symbol)
        r = self.whole.ranges[s]
        is_low, is_open = relation[0] == ">", "=" not in relation
        self.ends.setdefault(s, set()).add("low" if is_low else "high")
        if r.integer and (value.is_number or value.is_integer):
            value, is_open = _next_integer(value, is_low, is_open), False
        end, end_open = (r.low, r.low_open) if is_low else (r.high, r.high_open)
        said = f"{s} {relation[0]}{'' if is_open else '='} {value}"
        derived = f"{s} {relation[0]}{'' if end_open else '='} {end}"
        if value in (oo, -oo) and value == end:
            return
        compared = self._compare(value, end, is_low)
        if compared == 0 and (is_open == end_open or (is_open and end in (oo, -oo))):
            return
        if s in self.bounded:
            raise TexError(f"a second condition on {s}: {clause.text}", clause.at)
        if compared is None:
            raise TexError(
                f"the condition {clause.text} could not be compared with {derived}", clause.at
            )
        if compared < 0 or (compared == 0 and not is_open):
            raise Wider(f"the statement claims this for {said}, and it was derived for {derived}")
        self._narrow(s, value, is_low, is_open, clause)

    def _compare(self, value: Expr, end: Expr, is_low: bool) -> int | None:
        """1 if a bound lies inside the end of a range, -1 if beyond, 0 if it is the same."""
        inward = value - end if is_low else end - value
        if value == end:
            return 0
        if end in (oo, -oo) or value in (oo, -oo):
            return 1 if end in (oo, -oo) else -1
        if isinstance(zero(inward, self.whole), Holds):
            return 0
        if _is_larger(*((value, end) if is_low else (end, value)), self.whole, strict=False):
            return 1
        (inside,), inner = with_signed_logs([inward], opened(self.whole))
        if is_proved_positive(inside, inner):  # at an end by continuity, or it is infinite there
            return 1
        # Somewhere beyond is beyond.
        points = [self.whole.witness, *self.whole.points(60)]
        if any(sign(inward.xreplace(dict(p))) == -1 for p in points):
            return -1
        return None

    def _narrow(self, s: Symbol, value: Expr, is_low: bool, is_open: bool, clause: Clause) -> None:
        self.notes.append(f"claimed for {clause.text} only")
        self.ends.setdefault(s, set()).add("low" if is_low else "high")
        domain = self.meant.domain
        now = domain.ranges[s]
        new = (
            replace(now, low=value, low_open=is_open)
            if is_low
            else replace(now, high=value, high_open=is_open)
        )
        old = now.low if is_low else now.high
        further = value - old if is_low else old - value
        if old not in (oo, -oo) and not is_proved_positive(further, domain, strict=False):
            return  # an earlier condition goes as far: the larger domain is asked
        ranges = {**domain.ranges, s: new}
        self.meant = replace(self.meant, domain=_with_point(ranges, domain, clause))


def _cases(told: Basic) -> Iterator[list[Clause]]:
    """What each case of a distinction is for; of the rest of two it is the complement."""
    for _, condition in told.args:
        first = told.args[0].args[1]
        if condition == True and len(told.args) == 2 and not isinstance(first, Eq):  # noqa: E712
            condition = Not(first)
        parts = condition.args if isinstance(condition, And) else (condition,)
        chains = [p for p in parts if isinstance(p, Relational)]
        yield [Clause(Chain((p.lhs, p.rhs), (_RELATIONS[p.rel_op],)), str(p)) for p in chains]


def links(chain: Chain) -> Iterator[tuple[Expr, str, Expr]]:
    """The relations of a chain one by one, an interval as its two ends."""
    for left, relation, right in zip(
        chain.sides[:-1], chain.relations, chain.sides[1:], strict=True
    ):
        if isinstance(left, Bounds):
            raise TexError("an interval stands where a value is expected")
        if not isinstance(right, Bounds):
            yield left, relation, right
            continue
        yield left, ">" if right.low_open else ">=", right.low
        yield left, "<" if right.high_open else "<=", right.high


def _solved(gap: Expr, s: Symbol, domain: Domain) -> tuple[Expr, bool] | None:
    """What bounds a symbol where a gap is positive, and whether it does so from below."""
    slope = gap.diff(s)
    way = next((k for k in (1, -1) if is_proved_positive(k * slope, domain)), 0)
    try:
        ends = solve(gap, s) if way and slope.has(s) else [s - gap / slope]
    except NotImplementedError:
        return None
    return (ends[0].simplify(), way > 0) if way and len(ends) == 1 else None


def _alone(left: Expr, relation: str, right: Expr, domain: Domain) -> tuple[Expr, str, Expr] | None:
    """The bound on a symbol alone on its side, or on the only one: ``2 m >= 4``."""
    if left.is_Symbol and left not in right.free_symbols:
        return left, relation, right
    if right.is_Symbol and right not in left.free_symbols:
        return right, TURNED[relation], left
    gap = left - right if relation[0] == ">" else right - left
    (s, *more) = gap.free_symbols
    if more or s in gap.diff(s).free_symbols or not (solved := _solved(gap, s, domain)):
        return None
    return s, (">" if solved[1] else "<") + relation[1:], solved[0]


def _ends_of(side: Expr | Bounds) -> tuple[Expr, ...]:
    return (side.low, side.high) if isinstance(side, Bounds) else (side,)


def _ranged(clause: Clause) -> Iterator[Expr]:
    """The symbols that a condition is about one by one: ``m, n >= 2``."""
    if isinstance(clause.says, Chain):
        sides = clause.says.sides
        for one, other in pairwise(sides):
            for symbol, end in ((one, other), (other, one)):
                alone = not any(e.free_symbols for e in _ends_of(end))
                if isinstance(symbol, Symbol) and alone:
                    yield symbol


def _next_integer(value: Expr, is_low: bool, is_open: bool) -> Expr:
    """The first integer that a bound leaves."""
    if value in (oo, -oo):
        return value
    if is_low:
        return floor(value) + 1 if is_open else ceiling(value)
    return ceiling(value) - 1 if is_open else floor(value)


def _inside(s: Symbol, value: Expr, r: Range, domain: Domain) -> bool:
    """Whether a number is in a range wherever the other symbols are."""
    low, high = value - r.low, r.high - value
    return all(
        end in (oo, -oo) or is_proved_positive(gap, domain, strict=is_open)
        for gap, end, is_open in ((low, r.low, r.low_open), (high, r.high, r.high_open))
    )


def _with_point(ranges: Mapping[Symbol, Range], domain: Domain, clause: Clause) -> Domain:
    """The domain of these ranges, with a point inside."""
    try:
        return Domain(ranges, domain.witness)
    except DomainError:
        pass
    try:
        # In order: a range may refer to symbols that come later now.
        free = Domain.of_ranges(in_order(ranges))
    except DomainError:
        raise TexError(
            f"the condition {clause.text} could not be combined with the others"
        ) from None
    for point in (*free.points(60), *free.generic_points()):
        try:
            return Domain(ranges, point)
        except DomainError:
            continue
    raise TexError(f"no point of the domain was found at which {clause.text}", clause.at)

"""The quantities that statements are made of, and random points of their domains."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

import mpmath
from cltheory.derive.decide.root import ClampedRoot
from cltheory.derive.results import results
from cltheory.derive.tex.directives import directive
from cltheory.derive.tex.judge.lookup import BadTarget, Meant, look_up
from sympy import Expr, Integer, Piecewise, Rational, Symbol, nan, oo, re, zoo

from .printed import DIGITS, ZERO, Node, Point, Undefined, printed, value

#: Relative difference of two values that are the same, at 60 digits.
SAME = mpmath.mpf(10) ** -40


@dataclass(frozen=True)
class Target:
    """A quantity, maybe with values put in, that has a closed form."""

    id: str
    name: str
    values: str = ""

    @property
    def text(self) -> str:
        """What stands in a directive."""
        return f"{self.id}.{self.name}"

    def directive(self, names: str = "", words: str = "") -> str:
        """A whole directive."""
        parts = [self.text, f"[{names}]" if names else "", self.values and f"({self.values})"]
        return " ".join(p for p in (*parts, words) if p)

    @property
    def meant(self) -> Meant:
        return _meant(self.directive())

    @property
    def derived(self) -> Expr:
        return self.meant.derived[0]

    @property
    def symbol(self) -> str:
        """The quantity's name in LaTeX."""
        symbol: str = results[self.id].quantity(self.name).symbol
        return symbol

    @property
    def bound(self) -> tuple[Symbol, str] | None:
        return self.meant.quantities[0].bound


@cache
def _meant(text: str) -> Meant:
    return look_up(directive(text))


#: Results that statements are about. Further ones would draw another corpus, and not a better one.
IDS = (
    "ccem",
    "cnce-optimum",
    "infonce-optimum",
    "pairwise-threshold",
    "sigmoid-optimum",
    "sigmoid-threshold",
    "ssem",
    "sup-cnce-optimum",
    "supcl-optimum",
    "supcl-threshold",
    "towers-threshold",
    "variance-bound",
)


def _all() -> Iterator[Target]:
    for id in IDS:
        for name, q in results[id].quantities.items():
            words = any(s.name in ("simplex", "between") for s in q.expression.free_symbols)
            if q.is_number and not q.expression.has(ClampedRoot) and not words:
                yield Target(id, name)


class Targets(Sequence[Target]):
    """Targets that are chosen when one is asked for: nothing is derived at collection."""

    def __init__(self, choose: Callable[[], Iterable[Target]]) -> None:
        self.choose = choose

    @cached_property
    def chosen(self) -> list[Target]:
        return list(self.choose())

    def __len__(self) -> int:
        return len(self.chosen)

    def __getitem__(self, k: Any) -> Any:
        return self.chosen[k]


TARGETS = Targets(lambda: sorted(_all(), key=lambda t: t.text))
CASES = Targets(lambda: (t for t in TARGETS if t.derived.has(Piecewise)))
FORMULAS = Targets(lambda: (t for t in TARGETS if t not in CASES))
#: Of the formulas, those that are no numbers.
VARYING = Targets(lambda: (t for t in FORMULAS if t.derived.free_symbols))
THRESHOLDS = Targets(lambda: (t for t in FORMULAS if t.bound))


def given(target: Target, chance: random.Random) -> Target | None:
    """The same quantity with a value or a limit put in; None if there is none."""
    symbols = sorted(target.derived.free_symbols, key=str)
    if not symbols:
        return None
    s = chance.choice(symbols)
    point = draw(target, chance)
    number = "oo" if chance.random() < 0.2 else str(point[s])
    found = Target(target.id, target.name, f"{s} = {number}")
    try:
        derived = found.derived
        points(found, chance, 1)
    except (BadTarget, NotImplementedError):
        return None
    return None if derived.has(oo, -oo, nan, zoo) else found


# --- points ---------------------------------------------------------------------------------
def draw(target: Target, chance: random.Random) -> dict[Symbol, Expr]:
    """A random admissible point, of small rational numbers."""
    ranges = target.meant.domain.ranges
    for _ in range(200):
        found: dict[Symbol, Expr] = {}
        for s, r in ranges.items():
            found[s] = _number(r.low.xreplace(found), r.high.xreplace(found), r.integer, chance)
        if target.meant.domain.contains(found):
            break
    else:
        found = dict(target.meant.domain.witness)
    # Values of a function that is not given may be any numbers.
    free = sorted(target.derived.free_symbols - set(ranges), key=str)
    return found | {s: _number(-oo, oo, False, chance) for s in free}


def _number(low: Expr, high: Expr, integer: bool, chance: random.Random) -> Expr:
    if integer:
        return Integer(low + chance.randint(0, 7))
    u = Fraction(chance.randint(1, 96), 97)
    start = Fraction(str(low.n(12))) if low.is_finite else Fraction(-2)
    end = Fraction(str(re(high).n(12))) if high.is_finite else start + 4
    x = (start + u * (end - start)).limit_denominator(500)
    return Rational(x.numerator, x.denominator)


def points(target: Target, chance: random.Random, count: int = 4) -> list[dict[Symbol, Expr]]:
    return [draw(target, chance) for _ in range(count)]


@cache
def spread(target: Target) -> tuple[Point, ...]:
    """Points all over the domain, and those on its edges that belong to it."""
    chance = random.Random(f"spread {target.directive()}")
    domain = target.meant.domain
    found = points(target, chance, 24)
    for p in found[:6]:
        for chosen in (*([s] for s in domain.ranges), list(domain.ranges)):
            for end in ("low", "high"):
                there = dict(p)
                for s in chosen:
                    edge = getattr(domain.ranges[s], end).xreplace(there)
                    there[s] = edge if edge.is_finite else there[s]
                if domain.contains({s: there[s] for s in domain.ranges}):
                    found.append(there)
    with mpmath.workdps(DIGITS):
        return tuple({k.name: mpmath.mpf(str(v.evalf(DIGITS))) for k, v in p.items()}
                     for p in found)  # fmt: skip


def sign_of(node: Node, target: Target) -> int:
    """1 or -1 if a formula has this sign wherever it is tried, on the edges too; else 0.

    What changes its sign vanishes somewhere between, whether or not such a point is drawn.
    """
    with mpmath.workdps(DIGITS):
        try:
            found = {_sign(value(node, p)) for p in spread(target)}
        except (Undefined, OverflowError):
            return 0
    return found.pop() if len(found) == 1 else 0


def has_gap(node: Node, target: Target) -> bool:
    """Whether a formula has no value at one of the points tried where the quantity has one."""
    whole = printed(target.derived)
    with mpmath.workdps(DIGITS):
        return any(_has_value(whole, p) and not _has_value(node, p) for p in spread(target))


def _has_value(node: Node, point: Point) -> bool:
    try:
        value(node, point)
    except Undefined:
        return False
    return True


def _sign(x: mpmath.mpf) -> int:
    return 0 if abs(x) < ZERO else 1 if x > 0 else -1


def plain(point: Mapping[Symbol, Expr]) -> Point:
    """The point as the printed formula takes it."""
    return {s.name: mpmath.mpf(v.p) / v.q for s, v in point.items()}


def reference(target: Target, point: Mapping[Symbol, Expr]) -> mpmath.mpf:
    """The derived value at a point, by SymPy."""
    return mpmath.mpf(str(target.derived.xreplace(dict(point)).evalf(DIGITS)))


def same(one: mpmath.mpf, other: mpmath.mpf) -> bool:
    return abs(one - other) <= SAME * (1 + abs(other))


def states(node: Node, target: Target, chance: random.Random, digits: int = DIGITS) -> bool:
    """Whether a printed formula has the derived value at random points, and is defined there."""
    with mpmath.workdps(digits):
        try:
            return all(
                same(value(node, plain(p)), reference(target, p)) for p in points(target, chance)
            )
        except (Undefined, OverflowError):
            return False


def misstates(node: Node, target: Target, chance: random.Random) -> bool:
    """Whether a printed formula has another value, or none, at an admissible point.

    Drawn until one is found: a formula that is wrong at one place only may pass for true.
    """
    with mpmath.workdps(DIGITS):
        for p in points(target, chance, 12):
            try:
                if not same(value(node, plain(p)), reference(target, p)):
                    return True
            except Undefined:
                return True
            except (OverflowError, KeyError):
                continue
    return False

"""Random statements against values: what is decided must never be contradicted.

Expressions are drawn at random, with logarithms, roots, quotients and exponentials inside each
other, on small domains with ends of every kind. Where a sign, a zero or an equality is said to
hold, it is evaluated at many admissible points, some very near the ends, by an evaluator of real
numbers that shares nothing with the engine. Where it is refuted, the witness must refute it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import mpmath
import pytest
from cltheory.derive.decide.decide import any_positive, positive, zero
from cltheory.derive.decide.defined import defined
from cltheory.derive.decide.domain import Domain, Range, at_least, between
from cltheory.derive.decide.equal import equal
from cltheory.derive.decide.evidence import Grade, Holds, Outcome, Refuted
from sympy import Abs, Expr, Rational, S, Symbol, exp, expand, log, oo, sqrt

U, V = Symbol("u", real=True), Symbol("v", real=True)
K = Symbol("k", integer=True)
Point = dict[Symbol, Rational]

SEED, FEW, MANY, PARTS = 20, 60, 4000, 20
#: Digits of the evaluation, and the largest exponent. exp(300) has 130 digits, and an expression
#: multiplies two or three such terms that may cancel.
DIGITS, REACH = 500, 300
#: Two values that are equal differ by rounding alone.
CLOSE = mpmath.mpf(10) ** -40


class NoValue(ArithmeticError):
    """There is no finite real value."""


class TooLarge(ArithmeticError):
    """The value is out of the reach of the evaluator, which says nothing."""


def evaluate(e: Expr, point: Point) -> mpmath.mpf:
    """The real value of an expression, part by part, or NoValue."""
    if e.is_Symbol:
        e = point[e]
    if e.is_Rational:
        return mpmath.mpf(int(e.p)) / int(e.q)
    if e is S.Exp1:
        return mpmath.e()
    args = [evaluate(a, point) for a in e.args]
    if e.is_Add:
        return mpmath.fsum(args)
    if e.is_Mul:
        return mpmath.fprod(args)
    if isinstance(e, exp):
        if abs(args[0]) > REACH:
            raise TooLarge
        return mpmath.exp(args[0])
    if isinstance(e, Abs):
        return abs(args[0])
    if isinstance(e, log):
        if args[0] <= 0:
            raise NoValue
        return mpmath.log(args[0])
    if e.is_Pow and e.exp.is_Rational:
        base, power = args[0], e.exp
        # 25/31 - 56/31 + 1 is zero, but not in any number of digits.
        vanishes = base == 0 or e.base.xreplace(point) == 0
        if (power.q > 1 and base < 0) or (power < 0 and vanishes):
            raise NoValue
        return base ** int(power) if power.q == 1 else mpmath.root(base, int(power.q)) ** power.p
    raise NoValue(f"{type(e)} is not real")


# --- drawing -----------------------------------------------------------------------------
def ranges(r: random.Random) -> dict[Symbol, Range]:
    ends = r.choice(["[]", "()", "[)", "(]"])
    first = r.choice(
        [
            between(*r.choice([(0, 2), (-1, 1), (Rational(1, 2), 1), (1, 3)]), ends),
            Range(S(r.choice([0, 1, -1])), oo, low_open=r.random() < 0.5),
            Range(-oo, S(r.choice([0, 1])), high_open=r.random() < 0.5),
            Range(-oo),
        ]
    )
    found = {U: first}
    if r.random() < 0.6:
        # Sometimes with ends that depend on the other: [0, u^2], [u, u + 1), (u, oo) ...
        low, high = r.choice([(S.Zero, U**2), (U, U + 1), (S.One, S(2)), (U, oo), (S.Zero, oo)])
        found[V] = Range(low, high, r.random() < 0.5, high is oo or r.random() < 0.5)
    if r.random() < 0.4:
        few = Range(S.One, S(4), low_open=False, high_open=False, integer=True)
        found[K] = few if r.random() < 0.3 else at_least(r.choice([1, 2]))
    return found


def draw_point(found: dict[Symbol, Range], r: random.Random) -> Point | None:
    """A random admissible point, often at or very near an end; None if that has none."""
    point: Point = {}
    for s, q in found.items():
        low, high = q.low.xreplace(point), q.high.xreplace(point)
        tiny = Rational(1, 10 ** r.choice([1, 2, 6, 20]))
        if q.integer:
            point[s] = low + r.choice([0, 0, 1, 2, 3, 3 if high is not oo else 40])
            continue
        if low is -oo and high is oo:
            size = r.choice([S.Zero, tiny, S(7), Rational(r.randint(1, 99), 31)])
            point[s] = r.choice([-1, 1]) * size
            continue
        width = high - low if low > -oo and high < oo else S(r.choice([1, 20]))
        if width < 0 or (width == 0 and (q.low_open or q.high_open)):
            return None
        part = r.choice([tiny, 1 - tiny, Rational(r.randint(1, 30), 31), S.Zero, S.One])
        part = tiny if part == 0 and (q.low_open or low is -oo) and low > -oo else part
        if high is not oo and part == 1 and q.high_open:
            part = 1 - tiny
        point[s] = low + part * width if low > -oo else high - part * width
        if low is -oo and q.high_open and part == 0:
            point[s] = high - tiny
    return point


def domain_of(found: dict[Symbol, Range], r: random.Random) -> Domain:
    point = next(p for _ in iter(int, 1) if (p := draw_point(found, r)) is not None)
    return Domain(found, point)


def draw(r: random.Random, symbols: list[Symbol], depth: int) -> Expr:
    def part() -> Expr:
        return draw(r, symbols, depth - 1)

    if depth == 0 or r.random() < 0.1:
        number = Rational(r.randint(-3, 4), r.choice([1, 1, 2, 3]))
        return r.choice([r.choice(symbols), r.choice(symbols), number])
    makers: list[Callable[[], Expr]] = [
        lambda: part() + part(),
        lambda: part() + part(),
        lambda: part() * part(),
        lambda: part() - part(),
        lambda: part() / (part() + r.choice([0, 1, 2])),
        lambda: part() ** r.choice([2, 3, -1, -2]),
        lambda: exp(part()),
        lambda: exp(-part()),
        lambda: log(part() + r.choice([0, 1, 2])),
        lambda: sqrt(part() + r.choice([0, 1])),
        lambda: part() ** r.choice([Rational(1, 3), Rational(-1, 2), Rational(3, 2)]),
        lambda: 1 + part() ** 2,
    ]
    return r.choice(makers)()


def fine(e: Expr) -> bool:
    """Whether SymPy kept it as a finite real expression of bounded size."""
    bad = e.has(S.ComplexInfinity, S.NaN, S.ImaginaryUnit, S.Pi, oo, -oo)  # pi: of log(-1)
    return not bad and e.count_ops() < 40 and len(str(e)) < 400


def rewritten(e: Expr, r: random.Random, symbols: list[Symbol]) -> Expr:
    """The same where both have a value: multiplied out, or with something that cancels."""
    a = r.choice(symbols) + r.choice([-2, -1, 0, 1, 3])
    b = draw(r, symbols, 1)
    return r.choice(
        [
            lambda: expand(e),
            lambda: e * (a**2 - b**2) / (a - b) / (a + b),
            lambda: e + log(a) * (a + 1) - a * log(a) - log(a),
            lambda: e * sqrt(a + 2) ** 3 / (sqrt(a + 2) * (a + 2)),
            lambda: e * exp(a * b) / exp(a) ** b if b.is_Integer else e + a * (b + 1) - a * b - a,
            lambda: expand((e + 1) ** 2) - expand(e**2) - e - 1,
        ]
    )()


# --- judging ------------------------------------------------------------------------------
def holding(outcome: Outcome) -> bool:
    return isinstance(outcome, Holds) and outcome.evidence.grade is Grade.EXACT


def values(e: list[Expr], found: dict[Symbol, Range], r: random.Random) -> Iterator[list]:
    for _ in range(40):
        point = draw_point(found, r)
        if point is None:
            continue
        try:
            yield [evaluate(a, point) for a in e]
        except TooLarge:
            continue


def check_witness(
    outcome: Outcome, domain: Domain, e: list[Expr], bad: Callable[..., bool]
) -> None:
    if not isinstance(outcome, Refuted):
        return
    point = {s: outcome.witness[s.name] for s in domain.ranges if s.name in outcome.witness}
    assert domain.restricted(point).contains(point)
    used = set().union(*(a.free_symbols for a in e))
    if not used <= set(point):  # the part that has no value, and its symbols alone
        assert "has no value" in outcome.note
        return
    try:
        there = [evaluate(a, point) for a in e]
    except (NoValue, TooLarge):
        return
    assert bad(*there), (e, outcome)


def attack(seed: int) -> set[str]:
    """One random domain and a few statements on it; which kinds of them were said to hold."""
    r = random.Random(seed)
    found = ranges(r)
    domain = domain_of(found, r)
    symbols = list(found)
    e, other = (draw(r, symbols, r.choice([2, 2, 3])) for _ in range(2))
    if not fine(e) or not fine(other):
        return set()
    held = set()

    if holding(defined(e, domain)):
        held.add("defined")
        for _ in values([e], found, r):
            pass
    for strict in (True, False):
        outcome = positive(e, domain, strict=strict)
        check_witness(outcome, domain, [e], lambda v, s=strict: v <= 0 if s else v < 0)
        if holding(outcome):
            held.add("positive")
            for (v,) in values([e], found, r):
                assert v > 0 if strict else v >= 0, (e, found)
    outcome = any_positive([e, other], domain)
    check_witness(outcome, domain, [e, other], lambda v, w: max(v, w) <= 0)
    if holding(outcome):
        held.add("any_positive")
        for v, w in values([e, other], found, r):
            assert max(v, w) > 0, (e, other, found)

    same = rewritten(e, r, symbols)
    if not fine(same):
        return held
    outcome = zero(same - e, domain)
    check_witness(outcome, domain, [same - e], lambda v: abs(v) > CLOSE)
    if holding(outcome):
        held.add("zero")
        terms = list((same - e).args) if (same - e).is_Add else [same - e]
        for there in values(terms, found, r):
            assert abs(mpmath.fsum(there)) <= CLOSE * (1 + max(map(abs, there))), (same - e, found)
    if holding(equal(same, e, domain)):
        held.add("equal")
        for _ in range(20):
            point = draw_point(found, r)
            if point is None:
                continue
            try:
                expected = evaluate(e, point)
            except ArithmeticError:
                continue
            try:
                v = evaluate(same, point)
            except (NoValue, TooLarge):
                # A quotient may lack a value here and there (it is taken for a limit).
                assert isolated(same, point), (same, e, point)
                continue
            assert abs(v - expected) <= CLOSE * (1 + abs(expected)), (same, e, point)
    return held


def isolated(e: Expr, point: Point) -> bool:
    """Whether an expression has a value next to a point at which it has none."""
    for k in (1, -1):
        near = {s: v + Rational(k, 10**9) * (3 * i + 1) for i, (s, v) in enumerate(point.items())}
        try:
            evaluate(e, near)
            return True
        except TooLarge:
            return True
        except NoValue:
            continue
    return False


def run(seeds: range) -> dict[str, int]:
    count = dict.fromkeys(("defined", "positive", "any_positive", "zero", "equal"), 0)
    with mpmath.workdps(DIGITS):
        for seed in seeds:
            for kind in attack(seed):
                count[kind] += 1
    return count


def test_no_random_statement_is_decided_wrongly() -> None:
    held = run(range(SEED * 1000, SEED * 1000 + FEW))
    assert min(held.values()) >= 5, held  # or nothing was tested


@pytest.mark.slow
@pytest.mark.net
@pytest.mark.parametrize("part", range(PARTS))
def test_no_random_statement_is_decided_wrongly_in_thousands(part: int) -> None:
    held = run(range(part, MANY, PARTS))
    assert min(held.values()) >= MANY // (25 * PARTS), held


def test_the_evaluator_knows_what_has_no_value() -> None:
    for e in (log(U), sqrt(U - 1), 1 / U, U ** Rational(-1, 2), exp(1 / U)):
        with pytest.raises(NoValue):
            evaluate(e, {U: S.Zero})
    assert evaluate(sqrt(U) + exp(U), {U: S.Zero}) == 1

"""Balls hold what they should, refuse what is undefined, and survive what is huge."""

from __future__ import annotations

from dataclasses import asdict

import mpmath
import pytest
from cltheory.derive.decide.ball import NotEnclosed, NoValue, TooWide, enclosure, non_negative
from cltheory.derive.decide.evidence import Holds, Undecided
from cltheory.derive.decide.root import ClampedRoot
from cltheory.derive.losses.pairwise import c
from cltheory.derive.optimum.segment import x
from sympy import (
    Abs,
    And,
    E,
    Expr,
    Float,
    Lambda,
    Max,
    Min,
    Not,
    Or,
    Piecewise,
    Pow,
    Rational,
    S,
    Symbol,
    erf,
    exp,
    log,
    oo,
    pi,
    sqrt,
    zoo,
)

from ..replay import replays


def between(ball, value: object) -> bool:
    """Whether a ball is narrow and holds a value that mpmath computed to 100 digits."""
    with mpmath.workdps(40):
        return abs(mpmath.mpf(ball.mid().str(60, radius=False)) - value) < mpmath.mpf(10) ** -35


@pytest.mark.parametrize(
    "expression, value",
    [
        (Rational(1, 3) + pi * E - sqrt(2), lambda m: m.mpf(1) / 3 + m.pi * m.e - m.sqrt(2)),
        (Pow(pi, Rational(-3, 2)), lambda m: m.pi ** (-1.5)),
        (Pow(pi, Rational(2, 7)), lambda m: m.pi ** (m.mpf(2) / 7)),
        (Pow(E, sqrt(2)) * log(pi), lambda m: m.exp(m.sqrt(2)) * m.log(m.pi)),
        (Max(pi, 3 * sqrt(2)) - Min(E, exp(2)), lambda m: 3 * m.sqrt(2) - m.e),
        (Abs(pi - 4), lambda m: 4 - m.pi),
        (Float(0.1), lambda m: m.mpf(0.1)),
        (Piecewise((pi, x > E), (E, True)).subs(x, pi), lambda m: m.pi),
        (ClampedRoot(Lambda(x, x**3 - 2), 0, 2) ** 2, lambda m: m.mpf(4) ** (m.mpf(1) / 3)),
    ],
)
def test_values_lie_in_their_balls(expression: Expr, value) -> None:
    with mpmath.workdps(100):
        exact = value(mpmath.mp)
    ball = enclosure(expression, 200)
    assert between(ball, exact)
    with mpmath.workdps(100):
        assert not between(ball, exact + mpmath.mpf(10) ** -30)
    # With few bits the ball is wide, and holds the value all the same.
    wide = enclosure(expression, 20)
    assert wide.contains(ball.mid()) and wide.rel_accuracy_bits() < 25


@pytest.mark.parametrize(
    "undefined",
    [log(-pi), log(S(0)), 1 / (sqrt(4) - 2), sqrt(-pi), zoo, oo, S.NaN, erf(1), Symbol("y")],
)
def test_what_has_no_value_has_no_ball(undefined: Expr) -> None:
    with pytest.raises(NoValue):
        enclosure(undefined, 100)


def test_powers_of_zero_and_of_a_ball_around_it() -> None:
    zero, around = enclosure(S(0), 60), enclosure(S(0), 60).union(enclosure(S(1), 60))
    root = Pow(x, Rational(1, 3))
    assert enclosure(root, 60, {x: zero}) == 0
    for e, at in ((1 / sqrt(x), zero), (1 / x, zero), (root, around), (1 / x, around)):
        with pytest.raises(NoValue if at is zero else TooWide):
            enclosure(e, 60, {x: at})


def test_conditions_that_are_not_decided() -> None:
    y = Symbol("y")
    near, big = enclosure(S(0), 60).union(enclosure(S(1), 60)), enclosure(S(7), 60)
    half = Rational(1, 2)
    both, either = And(y < half, y < 9), Or(y < half, y > 9)
    for condition in (y < half, both, either, Not(both), Not(either)):
        ball = enclosure(Piecewise((2, condition), (3, True)), 60, {y: near})
        assert ball.contains(2) and ball.contains(3)
    for condition, value in ((And(y < half, y < -9), 3), (Or(y < half, y < 9), 2)):
        assert enclosure(Piecewise((2, condition), (3, True)), 60, {y: near}) == value
        assert enclosure(Piecewise((2, Not(condition)), (3, True)), 60, {y: near}) == 5 - value
    assert enclosure(Piecewise((2, And(y > half, y < 9)), (3, True)), 60, {y: big}) == 2


def test_what_may_be_undefined_has_no_ball_at_this_precision() -> None:
    tiny = 1 - pi / (pi + Rational(1, 10**60))
    for e in (log(tiny), 1 / tiny, sqrt(tiny)):
        with pytest.raises(TooWide):
            enclosure(e, 100)
        assert enclosure(e, 400).is_finite()


def test_cases_that_are_not_decided_give_a_ball_around_all() -> None:
    close = log(8) / log(2) - 3 - Rational(1, 10**40)
    y = Symbol("y")
    step = Piecewise((-1, y < 0), (1, True))
    found = enclosure(step, 60, {y: enclosure(close, 60)})
    assert found.contains(-1) and found.contains(1)
    assert enclosure(step, 400, {y: enclosure(close, 400)}) == -1
    either = Piecewise((2, Or(y < 0, y > 5)), (3, True))
    assert enclosure(either, 60, {y: enclosure(S(7), 60)}) == 2
    with pytest.raises(NoValue):
        enclosure(Piecewise((1, y < 0)), 60, {y: enclosure(S(1), 60)})


def test_huge_exponents_are_bounded_before_they_are_formed() -> None:
    huge = Pow(10, 10**6, evaluate=False)
    low = enclosure(exp(-huge), 100)
    assert low.contains(0) and low < Rational(1, 10**9) and low > -Rational(1, 10**9)
    assert not low.is_zero()  # it is positive
    with pytest.raises(TooWide):
        enclosure(exp(huge), 100)
    with pytest.raises(TooWide):
        enclosure(Pow(pi, 10**100), 100)
    assert between(enclosure(1 + exp(-exp(exp(S(20)))), 200), 1)
    assert enclosure(log(1 + exp(S(10) ** 20)), 200).overlaps(enclosure(S(10) ** 20, 200))


def test_an_evaluation_leaves_the_precision_as_it_was() -> None:
    from flint import ctx

    before = ctx.prec
    enclosure(pi, 777)
    with pytest.raises(NotEnclosed):
        enclosure(log(-pi), 777)
    assert ctx.prec == before


TRUE = [
    (1 - c) * log(3 + c),
    c**2 * exp(c) * log(2 + c),
    (1 + c) ** Rational(3, 2) * exp(c),
    (c - 1) * log((3 - c) / 5),
    c**4 - c**2 + Rational(26, 100),
    (c - S.Half) ** 2 * (1 - c) * (1 + c),
    sqrt(1 - c),
]
FALSE = [c, -(c**2), 1 / c, 1 / c**2, log(c), log(1 + c), sqrt(c), c**4 - c**2 + Rational(24, 100)]


@pytest.mark.parametrize("expression", TRUE)
def test_signs_on_an_interval_are_proved_and_replayed(expression: Expr) -> None:
    outcome = non_negative(expression, c, S(-1), S(1))
    assert isinstance(outcome, Holds)
    (record,) = outcome.evidence.replay
    assert replays(asdict(record), -1, 1)
    assert not replays({**asdict(record), "expression": f"{expression} - 1/50"}, -1, 1)


@pytest.mark.parametrize("expression", FALSE)
def test_no_sign_is_proved_where_there_is_none(expression: Expr) -> None:
    assert isinstance(non_negative(expression, c, S(-1), S(1)), Undecided)

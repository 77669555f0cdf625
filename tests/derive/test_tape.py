"""Expressions on a tape have the balls that they have one by one."""

from __future__ import annotations

import pytest
from cltheory.derive.decide.ball import Enclosures, NoValue, TooWide, precision
from cltheory.derive.decide.tape import Tape
from sympy import Abs, Integer, Max, Rational, Symbol, exp, log, pi, sqrt

x, y = Symbol("x", real=True), Symbol("y", positive=True)
EXPRESSIONS = [
    x,
    Integer(3),
    Rational(1, 3) * x - y,
    exp(x / y) / (1 + exp(x / y) + 2 * exp(-x)),
    log(exp(x) + y) * pi,
    x**2 / y**3 + sqrt(y) + Max(x, y) - Abs(x),
]


def balls(a: object, b: object) -> dict:
    from flint import arb

    return {x: arb(a), y: arb(b)}


@pytest.mark.parametrize("at", [(2, 3), ("-1.5", "0.25"), (0, 7)])
def test_the_balls_are_those_of_the_expressions(at: tuple) -> None:
    tape = Tape(EXPRESSIONS)
    for bits in (64, 300):
        with precision(bits):
            known = balls(*at)
            one_by_one = Enclosures(bits, known)
            for e, found in zip(EXPRESSIONS, tape.run(bits, known), strict=True):
                assert found.overlaps(one_by_one(e))
                assert found.rad() <= 2 * one_by_one(e).rad() + 0.5 ** (bits - 20)


def test_what_has_no_value_is_refused() -> None:
    from flint import arb

    with precision(64):
        for e, at, error in (
            (1 / x, 0, NoValue),
            (1 / x, arb(0, 1), TooWide),
            (log(x), -1, NoValue),
            (log(x), arb(0, 1), TooWide),
            (exp(exp(exp(x))), 100, TooWide),
            (x * y, arb("+inf"), TooWide),
        ):
            with pytest.raises(error):
                Tape([e + y]).run(64, balls(at, 1))
        with pytest.raises(Exception, match="not evaluated"):
            Tape([x]).run(64, {})

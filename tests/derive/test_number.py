"""Values to fifty digits: by balls where they tell, and never of an exponent that is too large."""

from __future__ import annotations

import pytest
from cltheory.derive.decide.number import digits, sign, value_at
from cltheory.derive.structures.hierarchy import m
from sympy import Expr, I, Integer, Rational, S, exp, log, pi, sqrt
from sympy.core.evalf import PrecisionExhausted

BIG = Integer(10) ** 600


@pytest.mark.parametrize(
    "number",
    [exp(1), pi - 3, sqrt(2), log(3) / 7, exp(-1000), exp(500) + 1, -exp(exp(3)), 1 / log(2)],
    ids=str,
)
def test_values_are_those_of_mpmath(number: Expr) -> None:
    right = number.evalf(60)
    assert abs(digits(number) - right) <= abs(right) * Rational(1, 10**49)
    assert digits(number)._prec == number.evalf(50)._prec


def test_what_is_not_real_has_a_value_too() -> None:
    assert abs(digits(log(-2)) - (log(2) + I * pi).evalf(60)) < 1e-45
    assert value_at(log(-m), {m: Integer(2)}) is None


@pytest.mark.parametrize(
    "number",
    [exp(BIG), exp(exp(BIG)) + 1, exp(exp(exp(Integer(10) ** 6))), 3 ** (sqrt(2) * BIG)],
    ids=["power", "tower", "higher tower", "root"],
)
def test_a_number_that_is_too_large_has_none(number: Expr) -> None:
    with pytest.raises(PrecisionExhausted):
        digits(number)
    assert value_at(number, {}) is None


@pytest.mark.parametrize("small", [exp(-BIG), exp(-exp(exp(Integer(100))))], ids=["power", "tower"])
def test_beside_what_is_too_small_there_is_one(small: Expr) -> None:
    assert abs(digits(small + sqrt(2)) - sqrt(2).evalf(60)) < 1e-45
    assert digits(S.One + small - sqrt(2)).is_Float


def test_a_million_as_an_exponent_is_small() -> None:
    assert digits(exp(-(10**6))) > 0
    assert sign(exp(Integer(-(10**6)))) == 1

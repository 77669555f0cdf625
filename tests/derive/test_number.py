"""Values to fifty digits: by balls where they tell, and never of an exponent that is too large."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from cltheory.derive.decide.number import digits, sign, value_at
from cltheory.derive.results import results
from cltheory.derive.structures.hierarchy import m
from hypothesis import given
from hypothesis import strategies as st
from sympy import Expr, I, Integer, Max, Min, Rational, S, exp, log, pi, sqrt
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


@given(small=st.fractions(-1, 1, max_denominator=1000).filter(bool), power=st.integers(1, 90))
def test_logarithms_next_to_zero_have_their_digits(small: Fraction, power: int) -> None:
    beyond = Rational(small.numerator, small.denominator) / 10**power
    with mpmath.workdps(120):
        right = mpmath.log1p(mpmath.mpf(int(beyond.p)) / int(beyond.q))
        for few in (2, 5, 15):
            found = mpmath.mpf(log(1 + beyond).evalf(few)._mpf_)
            assert abs(found - right) <= abs(right) * mpmath.mpf(10) ** (1 - few)
    # So that SymPy keeps the right side of a maximum.
    if beyond > 0:
        assert Min(1, 1 - beyond**3 + log(1 + beyond)) == 1
        assert Max(0, log(1 + beyond) - beyond / 2) != 0


def test_a_bound_of_one_is_kept_where_a_logarithm_is_next_to_zero() -> None:
    near = Rational(2**53 - 1, 2**53)
    assert results["sample-spectrum"].value("most", N=40, sigma_law=near, delta=near) == 1

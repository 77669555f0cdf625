"""The grammar of exact numbers: what it reads, and that nothing else gets through."""

from __future__ import annotations

from fractions import Fraction

import pytest
from cltheory.derive.decide.exact import NotANumber, exact, expression
from hypothesis import given
from hypothesis import strategies as st
from sympy import Expr, Integer, Rational, Symbol, exp, log, oo, pi, sqrt


@pytest.mark.parametrize(
    "text, value",
    [
        ("10", Integer(10)),
        ("0.1", Rational(1, 10)),
        (".5", Rational(1, 2)),
        ("1e-3", Rational(1, 1000)),
        ("2.5E2", Integer(250)),
        ("1/3", Rational(1, 3)),
        ("-2", Integer(-2)),
        ("exp(-1)", exp(-1)),
        ("sqrt(2)", sqrt(2)),
        ("1/log(10)", 1 / log(10)),
        ("2*(3+4)^2", Integer(98)),
        ("2**-1", Rational(1, 2)),
        ("-2^2", Integer(-4)),
        ("pi/4", pi / 4),
        ("oo", oo),
        (" 7 ", Integer(7)),
    ],
)
def test_reads(text: str, value: Expr) -> None:
    assert exact(text) == value


def test_python_numbers_are_taken_as_they_print() -> None:
    import numpy as np

    assert exact(0.1) == Rational(1, 10)
    assert exact(3) == 3 and exact(Fraction(1, 3)) == Rational(1, 3)
    assert exact(np.float64(0.2)) == Rational(1, 5) and exact(np.int64(4)) == 4


HOSTILE = [
    "",
    "nan",
    "abc",
    "__import__('os').system('ls')",
    "1;2",
    "10**10**10",
    "9^9^9^9",
    "1e999999999",
    "1/0",
    "0^-1",
    "log(-2)",
    "(" * 500 + "1" + ")" * 500,
    "(" * 50 + "1" + ")" * 50,
    "1" * 10_000,
    "m",
    "0x10",
    "1_000",
    "oo-oo",
    "log(0)",
    "(-8)^(1/3)",
    "exp(-10^5)",
    "exp(exp(10))",
    "1e60*" * 39 + "1e60^9",
    "1/(exp(10000)*exp(10000))",
    "exp",
    "é",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_refuses_in_one_line(text: str) -> None:
    with pytest.raises(NotANumber) as refusal:
        exact(text)
    assert "\n" not in str(refusal.value) and len(str(refusal.value)) < 300


@pytest.mark.parametrize("value", [None, True, [1], {"a": 1}, b"1", object()])
def test_refuses_other_types(value: object) -> None:
    with pytest.raises(NotANumber):
        exact(value)


@given(st.text(alphabet="0123456789.+-*/^()eoxplgsqrt _,'\"[]{}\\", max_size=40))
def test_any_text_ends_in_a_number_or_a_refusal(text: str) -> None:
    try:
        value = exact(text)
    except NotANumber:
        return
    assert isinstance(value, Expr) and not value.free_symbols


@given(st.fractions())
def test_fractions_round_trip(value: Fraction) -> None:
    try:
        assert exact(str(value)) == Rational(value.numerator, value.denominator)
    except NotANumber:
        assert len(str(value)) > 40


X = {"x": Symbol("x", real=True)}


@pytest.mark.parametrize(
    "text",
    ["((x^20)^20)^20", "x^20*x^20*x^20*x^20", "((1+x)^20)^20", "x/(log(1))", "x*oo", "sqrt(-1)*x"]
    + [
        "x^x",
        "x+exp(9000)*exp(9000)",
        "x^sqrt(2)",
        "exp(oo)*x",
        "x*exp(9000)*exp(9000)",
        "max(x, oo-oo)",
    ],
)
def test_an_expression_that_is_too_large_or_not_real_is_refused(text: str) -> None:
    with pytest.raises(NotANumber) as refusal:
        expression(text, X)
    assert len(str(refusal.value)) < 300


def test_a_sign_by_parity_is_read_and_no_other_power_of_a_symbol() -> None:
    n = Symbol("n", integer=True, positive=True)
    assert expression("(-1)^n/4", {"n": n}) == (-1) ** n / 4
    for text in ("(-1)^x", "(-2)^n", "(-1)^(n/2)", "2^n"):
        with pytest.raises(NotANumber):
            expression(text, {"n": n, **X})

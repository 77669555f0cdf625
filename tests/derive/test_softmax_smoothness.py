"""The softmax near equal logits: bounds on logits of all kinds, and where they are attained."""

from __future__ import annotations

from typing import Any

import mpmath
import pytest
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.results import results
from cltheory.derive.theorem.bounds import About
from cltheory.derive.vectors.measured import of_logits
from sympy import Rational
from test_bounds import CLOSE, DIGITS, compared, configurations

RESULT = results["softmax-smoothness"]


def ratio(name: str, row: list[Any]) -> Any:
    """What is bounded over an upper bound, or a lower bound over it."""
    with mpmath.workdps(DIGITS):
        less, more = compared(RESULT.quantities[name], of_logits(row, DIGITS))
        return less / more


@pytest.mark.parametrize(
    ("name", "row"), [("curvature_by_weight", [3, 0]), ("curvature_least", [5, 1])]
)
def test_other_cases_of_equality(name: str, row: list[Any]) -> None:
    assert abs(ratio(name, row) - 1) < CLOSE


@pytest.mark.parametrize("size", [3, 5, 7])
def test_what_is_below_is_approached_for_odd_numbers(size: int) -> None:
    """With a factor of 0.999 the constant would be too small."""
    half = (size - 1) // 2
    a = Rational(1, 100)
    assert ratio("remainder_below", [0, *[a] * half, *[-a] * half]) > 0.999


def test_the_lipschitz_constant_is_approached() -> None:
    assert ratio("deviation", [Rational(1, 1000), 0]) > 1 - 1e-6


def test_the_printed_norm_bound_holds_from_three_logits_on() -> None:
    q = RESULT.quantities["remainder_printed_inf"]
    with mpmath.workdps(DIGITS):
        for of in configurations(About.SOFTMAX):
            if of["N"] > 2:
                less, more = compared(q, of)
                assert less - more <= CLOSE


@pytest.mark.parametrize("N", [2, 3, 4, 5, 6, 17])
def test_constants_at_numbers(N: int) -> None:
    above = RESULT.value("above_constant", N=N, digits=20)
    below = RESULT.value("below_constant", N=N, digits=20)
    assert float(above) == pytest.approx(3**0.5 / 36 * (N / (N - 1)) ** 2, rel=1e-14)
    assert float(below) == pytest.approx((N // 2) / N**2, rel=1e-14)


def test_one_logit_is_refused_with_a_reason() -> None:
    with pytest.raises(DomainError, match="the softmax of one logit is constant") as refusal:
        RESULT.value("above_constant", N=1)
    assert "\n" not in str(refusal.value)
    with pytest.raises(DomainError, match="q_max must be in"):
        RESULT.value("curvature_by_weight", N=4, q_max="1/5")

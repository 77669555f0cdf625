"""Witnesses by hand of Lemmas A.1 and A.2 of lee2025ssem, and what their checks refuse."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import pytest
from cltheory.derive.language.digits import DIGITS
from cltheory.derive.language.quantities import root
from cltheory.derive.papers.form.family import load
from cltheory.derive.papers.form.run import CHECKS
from cltheory.derive.papers.lee2025ssem import LEDGER
from cltheory.derive.papers.lee2025ssem.named_lemmas import balanced, spread, within
from sympy import Integer

load(LEDGER.package)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_two_dimensions_reach_the_ends(n: int) -> None:
    u = balanced(2, n, 2, 2)
    assert u is not None
    assert u.rank <= 2
    assert (within(u), spread(u)) == (-2 * n, 4 * n**2)


def answer(check: str, d: int = 3, **given: Any) -> bool | None:
    at = {"m": Integer(2), "n": Integer(2), "p": Integer(1), "d": Integer(d)}
    with mpmath.workdps(DIGITS):
        return CHECKS[check](at, given).holds


def test_the_checks_refuse_what_is_wrong() -> None:
    low, high = Fraction(-4), Fraction(4)
    with mpmath.workdps(DIGITS):
        end = root(Fraction(3, 2))
    for check, least, most in (("Lemma A.1", low, high), ("Lemma A.2", Fraction(0), 4 * high)):
        assert answer(check, low=least, high=most, end=end) is True
        assert answer(check, low=least, high=most, end=end, d=1) is False
        assert answer(check, low=least, high=most, end=Fraction(5, 4)) is False  # there is none
        assert answer(check, low=least, high=most, end=Fraction(1)) is False  # it is beyond
        assert answer(check, low=least + 1, high=most, end=end) is False
    assert answer("least c of Lemma A.1", least=low) is True
    assert answer("least c of Lemma A.1", least=low - 1) is False
    assert answer("greatest c of Lemma A.2", greatest=4 * high) is True
    assert answer("greatest c of Lemma A.2", greatest=4 * high + 1) is False

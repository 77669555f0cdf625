"""Families of similarities, queries, pair graphs and views, and the named checks of kernels: each
against a recomputation with NumPy, and each check on wrong input."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from cltheory.derive.language.evaluate import Scene, value
from cltheory.derive.language.parser import expression
from cltheory.derive.language.quantities import NoValue
from cltheory.derive.papers.records.family import load
from cltheory.derive.papers.records.hypotheses import SYMBOLS
from cltheory.derive.papers.tan2024spectral.sets import (
    largest_entropy,
    largest_sum,
)

load("cltheory.derive.papers.tan2024spectral")
PSI = [
    (Fraction(1), Fraction(2), Fraction(0)),
    (Fraction(2), Fraction(1), Fraction(1, 2)),
    (Fraction(0), Fraction(1), Fraction(3)),
    (Fraction(1), Fraction(1), Fraction(1)),
    (Fraction(2), Fraction(2), Fraction(-1)),
]


def simplex(n: int, steps: int) -> np.ndarray:
    """All distributions on n points whose entries are multiples of 1 / steps."""
    every = [a for a in product(range(steps + 1), repeat=n) if sum(a) == steps]
    return np.array(every) / steps


def entropies(alpha: np.ndarray) -> np.ndarray:
    return -np.where(alpha > 0, alpha * np.log(np.where(alpha > 0, alpha, 1)), 0).sum(1)


@pytest.mark.parametrize("psi", PSI)
def test_the_programs_have_the_values_of_a_grid(psi: tuple[Fraction, ...]) -> None:
    # A grid of step 1/200 is within 0.01 of the largest value of either program.
    alpha, numbers = simplex(3, 200), np.array([float(v) for v in psi])
    inside = alpha[alpha @ numbers >= numbers[0] - 1e-12]
    best = entropies(inside).max()
    assert best - 1e-12 <= float(largest_entropy(psi)) <= best + 0.01
    for tau in (0.3, 2.0):
        best = (tau * entropies(alpha) + alpha @ numbers - numbers[0]).max()
        assert best - 1e-12 <= float(largest_sum(psi, mpmath.mpf(tau))) <= best + 0.01


def test_a_derivative_that_is_not_real_has_no_value() -> None:
    # The rules give log(x - 1) at x = 1/2, which is a complex number.
    tree = expression(r"\frac{\partial}{\partial x} ((x - 1) \log (x - 1))")
    with pytest.raises(NoValue, match="no real number"):
        value(tree, Scene({"x": Fraction(1, 2)}, symbols=SYMBOLS))
    assert value(tree, Scene({"x": Fraction(2)}, symbols=SYMBOLS)) == 1

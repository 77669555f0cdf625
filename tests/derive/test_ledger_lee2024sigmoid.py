"""The ledger of lee2024sigmoid: the verdict of every claim, and witnesses by hand."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import exp, inf, isclose, log1p
from typing import Any

import pytest
from cltheory.derive.decide.calculus import derivative
from cltheory.derive.decide.decide import positive
from cltheory.derive.decide.domain import between
from cltheory.derive.decide.evidence import Holds
from cltheory.derive.losses.clip import t
from cltheory.derive.optimum.segment import x
from cltheory.derive.papers.lee2024sigmoid.checks import SLOPE
from cltheory.derive.papers.lee2024sigmoid.checks_dimension import on_the_line
from cltheory.derive.papers.lee2024sigmoid.checks_optimum import best_for, total_loss
from cltheory.derive.papers.records.functions import KINDS
from cltheory.derive.papers.records.hypotheses import read_under
from cltheory.derive.papers.records.run import PROOFS
from cltheory.derive.papers.towers import (
    ccem,
    of_vectors,
)
from mpmath import mpf


def test_the_ccem_is_its_definition() -> None:
    # N = 2, delta = 3/4: w = +-1, 1/sqrt(1 + delta^2) = 4/5.
    u = [[Fraction(4, 5), Fraction(3, 5)], [Fraction(-4, 5), Fraction(3, 5)]]
    v = [[Fraction(4, 5), Fraction(-3, 5)], [Fraction(-4, 5), Fraction(-3, 5)]]
    assert ccem(2, Fraction(9, 16)).same_gram(of_vectors(u, v))
    assert ccem(4, inf).rank == 1
    assert ccem(4, Fraction(0)).rank == 3
    assert ccem(4, Fraction(1, 10)).rank == 4
    assert not ccem(4, 1).same_gram(ccem(4, 2))


# --- witnesses, redone by other means ----------------------------------------------------------
Pair = tuple[Callable[[Any], Any], Callable[[Any], Any]]
SQUARES: Pair = (lambda y: (1 - y) ** 2, lambda y: (1 + y) ** 2)


def test_on_the_line_misaligned_vectors_win() -> None:
    # Counting against the Gram matrix, for all 4^4 embeddings of four items.
    for signs in product(product((1, -1), repeat=2), repeat=4):
        w = of_vectors([[p] for p, _ in signs], [[q] for _, q in signs])
        plus, minus, up, down = (signs.count(k) for k in ((1, 1), (-1, -1), (1, -1), (-1, 1)))
        counts = (plus, minus, up, down)
        direct = sum(log1p(exp(0.5 - 0.5 * float(g))) for g in w.positives())
        direct += sum(log1p(exp(0.5 * float(g) - 0.5)) for g in w.negatives())
        found = dict(on_the_line(4, mpf("0.5")))[counts]
        assert isclose(float(found), direct / 4)


def test_a_ccem_of_squares_is_a_minimum() -> None:
    near, far = (KINDS[f"convex {way}"][0] for way in ("decreasing", "increasing"))
    for items in (2, 3, 4, 5):
        # With x the share of the way it is the minimum of 4 x^2 + (N-2)^2 (1-x)^2/(N-1).
        squared = Fraction((items - 2) ** 2, 4 * (items - 1))
        found = best_for(items, near, far)
        assert isclose(float(found.first), float(squared / (1 + squared)), abs_tol=1e-15)
        least = total_loss(ccem(items, squared), *SQUARES)
        assert isclose(float(found.loss), float(least))
        beside = [squared + Fraction(k, 50) for k in (-1, 1) if squared + Fraction(k, 50) >= 0]
        assert all(float(total_loss(ccem(items, q), *SQUARES) - least) > 0 for q in beside)


# --- named checks and proofs, on what is wrong ---------------------------------------------------
@pytest.mark.parametrize(("items", "proved"), [("2..4", True), ("3..3", True), ("5..5", False)])
def test_the_simplex_is_proved_where_it_is_optimal_at_every_temperature(
    items: str, proved: bool
) -> None:
    (domain,) = read_under(f"N in {items}, t in (0, oo), b in [t, t]").domains()
    assert isinstance(PROOFS["the simplex at t = b"](domain), Holds) == proved


def test_a_slope_that_falls_is_not_said_to_rise() -> None:
    (domain,) = read_under("N in 3.., t in (0, oo)").domains()
    assert isinstance(PROOFS["delta_star falls with t = b"](domain), Holds)
    falling = -derivative(SLOPE.expression() / t, t)
    assert not isinstance(positive(falling, domain.with_range(x, between(0, 2), 1)), Holds)

"""The named checks of lee2024sigmoid, on right and on wrong inputs, and witnesses by hand."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from math import exp, inf, isclose, log1p
from typing import Any

import mpmath
import pytest
from cltheory.derive.decide.calculus import derivative
from cltheory.derive.decide.decide import positive
from cltheory.derive.decide.domain import between
from cltheory.derive.decide.evidence import Holds, Refuted, Undecided
from cltheory.derive.losses.clip import t
from cltheory.derive.optimum.segment import x
from cltheory.derive.papers.lee2024sigmoid.checks import SLOPE
from cltheory.derive.papers.lee2024sigmoid.checks_dimension import on_the_line
from cltheory.derive.papers.lee2024sigmoid.checks_optimum import best_for, best_sigmoid, total_loss
from cltheory.derive.papers.records.family import load
from cltheory.derive.papers.records.functions import KINDS, Function, function_named
from cltheory.derive.papers.records.hypotheses import read_under
from cltheory.derive.papers.records.run import PROOFS
from cltheory.derive.papers.towers import ccem, of_vectors
from mpmath import mpf

load("cltheory.derive.papers.lee2024sigmoid")


def down(text: str) -> Function:
    return function_named("convex decreasing", text)


def up(text: str) -> Function:
    return function_named("convex increasing", text)


@pytest.mark.parametrize("kind", list(KINDS))
def test_functions_have_the_shape_they_say(kind: str) -> None:
    places = [Fraction(k, 8) for k in range(-8, 9)]
    for f in KINDS[kind]:
        values = [mpmath.mpf(str(float(f.at(y)))) for y in places]
        steps = [b - a for a, b in pairwise(values)]
        sign = 1 if kind.endswith("increasing") else -1
        assert all(sign * step >= 0 for step in steps)
        bends = [b - a for a, b in pairwise(steps)]
        # Float values: a bend of a straight piece is zero to some 1e-15.
        assert all(bend >= -1e-12 for bend in bends)
        assert all(bend > 1e-4 for bend in bends) == f.strict
        assert (abs(steps[0]) > 3 * abs(steps[1])) == (not f.continuous)


def test_the_best_ccem_is_found() -> None:
    flat = best_for(3, down("-y"), up("2 y"))
    assert (flat.first, flat.last) == (0, 1)
    jump = best_for(3, down("(1 - y)^2 with 5 at y = -1"), up("(9 + y)^2"))
    assert not jump.attained
    far = best_sigmoid(6, Fraction(1, 4), Fraction(0))
    assert far.first == far.last == 1
    # All positives -1, all negatives -1.
    direct = 6 * log1p(exp(0.25)) + 30 * log1p(exp(-0.25))
    assert isclose(float(far.loss), direct)


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


# --- proofs, where they hold and where not -------------------------------------------------------
SCALARS = "c in (-oo, oo), t in (0, oo), b in [0, oo)"


@pytest.mark.parametrize(
    ("name", "under", "kind"),
    [
        ("least negatives", "N in 1.., c in [-1, 1]", Holds),
        ("delta of the mean", "c in (-1, 1]", Holds),
        ("delta of the mean", "c in [-1, 1]", Undecided),
        ("sigmoid functions", SCALARS, Holds),
        ("the simplex at t = b", "N in 2..4, t in (0, oo), b in [t, t]", Holds),
        ("the simplex at t = b", "N in 5..5, t in (0, oo), b in [t, t]", Refuted),
        ("delta_star falls with t = b", "N in 3.., t in (0, oo)", Holds),
    ],
)
def test_a_proof_holds_where_it_is_asked_or_says_so(name: str, under: str, kind: type) -> None:
    (domain,) = read_under(under).domains()
    assert isinstance(PROOFS[name](domain), kind)


def test_a_slope_that_falls_is_not_said_to_rise() -> None:
    (domain,) = read_under("N in 3.., t in (0, oo)").domains()
    falling = -derivative(SLOPE.expression() / t, t)
    assert not isinstance(positive(falling, domain.with_range(x, between(0, 2), 1)), Holds)

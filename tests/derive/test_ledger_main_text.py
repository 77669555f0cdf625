"""Sections 3 to 6 and Appendices A.1 and A.2: witnesses by hand, and what checks refuse."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import exp, log

import pytest
from cltheory.derive.losses.supcl import CNCE, SUPCL
from cltheory.derive.papers.evaluate import value
from cltheory.derive.vectors.embeddings import Embeddings, mean, total

HALF = Fraction(1, 2)


def sign_patterns() -> list[Embeddings]:
    """Every set of two classes of two in R^1."""
    every = product((1, -1), repeat=4)
    return [Embeddings.from_vectors(2, 2, 1, [[s] for s in signs]) for signs in every]


# --- witnesses, redone by other means --------------------------------------------------------
def supcl(g: list[list[float]], classes: list[int], a: float, t: float) -> float:
    """The loss for one view, written out for a Gram matrix of floats."""
    size = len(g)
    found = 0.0
    for i in range(size):
        pool = log(sum(exp(s / t) for s in g[i]))
        others = [j for j in range(size) if classes[j] == classes[i] and j != i]
        sup = sum(pool - g[i][j] / t for j in others) / len(others)
        found += ((1 - a) * sup + a * (pool - g[i][i] / t)) / size
    return found


def test_theorem_1_witness_beats_every_ssem_in_the_plane() -> None:
    points = [(0.6, 0.8), (1.0, 0.0), (0.6, -0.8)]
    gram = [[a * c + b * d for c, d in points] for a, b in points]
    merged = [[1.0] * 3] * 3
    simplex = [[1.0 if i == j else -0.5 for j in range(3)] for i in range(3)]
    one = [0, 0, 0]
    assert supcl(gram, one, 0.5, 1) < min(supcl(g, one, 0.5, 1) for g in (merged, simplex)) - 0.02
    inside = [Embeddings.ssem(1, 3, 1, Fraction(k, 10)).rank for k in range(1, 10)]
    assert set(inside) == {3}


def test_theorem_2_fails_on_the_line() -> None:
    losses = {
        u: supcl(
            [[float(u.ip(a, b)) for b in u.everything] for a in u.everything],
            [a[0] for a in u.everything],
            0.9,
            0.5,
        )
        for u in sign_patterns()
    }
    best = min(losses.values())
    within = {u: [u.variance(u.of_class(i)) for i in (0, 1)] for u in losses}
    collapsed = [loss for u, loss in losses.items() if within[u] == [0, 0]]
    spread = [loss for u, loss in losses.items() if all(within[u])]
    assert min(collapsed) == pytest.approx(best, abs=1e-12)  # rounding of sums of four terms
    assert min(spread) > best + 0.1
    assert (3 + exp(4)) / (2 + 2 * exp(4)) < 0.9


@pytest.mark.parametrize(("a", "collapses"), [("2/5", True), ("1/2", True), ("3/5", False)])
def test_the_threshold_of_one_class_is_one_over_n(a: str, collapses: bool) -> None:
    merged, apart = (Embeddings.ssem(1, 2, 1, e) for e in (Fraction(0), Fraction(1, 100)))
    losses = [value(SUPCL, u, alpha=Fraction(a), tau=HALF) for u in (merged, apart)]
    assert (losses[0] < losses[1]) == collapses


def test_tau_may_exceed_one_over_log_m() -> None:
    assert log(2) * 2 > 1  # tau = 2 is above 1/log(2)
    merged, apart = (Embeddings.ssem(2, 2, 1, e) for e in (Fraction(0), Fraction(1, 10)))
    losses = [value(SUPCL, u, alpha=Fraction(9, 10), tau=2) for u in (merged, apart)]
    assert losses[1] < losses[0]


def test_0804_collapses_for_every_n() -> None:
    heat = exp(10 / 9 / 0.9)
    infima = [(10 * k - 1 + heat) / (10 * k - k + k * heat) for k in (2, 10**3, 10**9)]
    assert infima == sorted(infima, reverse=True)
    assert infima[-1] > 0.80405


def test_theorem_a1_root_lacks_a_factor() -> None:
    w = Embeddings.simplex(3, 2)
    v = total(w.of_class(0))
    square = Fraction(3 * 2 - 1, 2**2)  # h(0)**2 as printed in Theorem A.1
    assert square * w.dot(v, v) == 2
    assert square / (3 - 1) * w.dot(v, v) == 1  # as printed in Proposition 1


def test_the_two_wrong_lines_of_theorem_a1() -> None:
    # m = n = 2, delta = 1/3: the root is 5/3 and h = 2/3.
    d, h = Fraction(1, 3), Fraction(2, 3)
    assert -d / 2 + Fraction(1, 2) * Fraction(5, 3) == h
    assert Fraction(25, 9) == (d**2 * 2 * (1 - 2) + 3) / (2 - 1)
    square = h**2 * 2
    assert square != -2 * d * h - d * Fraction(3, 2) + Fraction(3, 2)
    assert square == -2 * d * h - d**2 * Fraction(3, 2) + Fraction(3, 2)
    cross = Embeddings.ssem(2, 2, 1, d**2).ip((0, 0, 0), (1, 0, 0))
    bracket = {sign: h**2 * Fraction(4, 3) + sign * 2 * d * h * Fraction(2, 3) for sign in (1, -1)}
    assert -(d**2) / 3 - bracket[-1] != cross
    assert -(d**2) / 3 - bracket[1] == cross


def test_one_class_has_no_between_class_variance() -> None:
    u = Embeddings.ssem(1, 2, 1, HALF)
    assert u.between_variance() == 0
    assert u.variance(u.everything) == HALF
    assert u.dot(mean(u.everything), mean(u.everything)) == HALF
    assert u.rank == 2  # and mn - 1 = 1


def test_classes_that_share_a_pair_minimise_cnce() -> None:
    shared = Embeddings.from_vectors(2, 2, 1, [[1, 0, 0], [-1, 0, 0]] * 2)
    least = float(value(CNCE, shared, tau=HALF))
    others = sign_patterns() + [Embeddings.random(2, 2, 1, 3, seed) for seed in range(6)]
    # 1e-12: rounding to float64
    assert all(float(value(CNCE, u, tau=HALF)) > least - 1e-12 for u in others)
    assert shared.ip((0, 0, 0), (0, 1, 0)) == shared.ip((0, 0, 0), (1, 1, 0)) == -1


def test_a_loss_without_positives_has_no_value() -> None:
    with pytest.raises(ZeroDivisionError):
        value(SUPCL, Embeddings.simplex(2, 1), alpha=HALF, tau=HALF)

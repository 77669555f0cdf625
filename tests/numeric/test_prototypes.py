"""Optimal prototypes against the exact engine, and their certificate against wrong prototypes."""

from __future__ import annotations

import numpy as np
import pytest
from cltheory.derive.losses.softmax import tau as TAU
from cltheory.derive.optimum.blocks import BlockOptima, ReducedOnOrbits
from cltheory.derive.results import results
from cltheory.derive.structures.classes import classes_of_sizes
from cltheory.numeric.realize.pairs import Pairs, dual
from cltheory.numeric.realize.prototypes import (
    critical_temperature,
    least_epsilon,
    of_all_points,
    of_classes,
    optimum,
    simplex,
)
from sympy import Rational

#: 100 classes from 5000 samples down to 5.
TAIL = [round(5000 * 1000 ** (-k / 99)) for k in range(100)]


def exact_cosines(sizes: list[int], tau: Rational) -> dict[tuple[int, int], float]:
    """Cosines of the exact engine, by pairs of sizes."""
    loss = results["supcon-two-sizes"].declared
    found = BlockOptima(ReducedOnOrbits(loss, classes_of_sizes(sizes)), [TAU]).at({TAU: tau})
    assert found is not None
    return {name: float(value) for name, value in found.inner.items() if "cross" in name}


@pytest.mark.parametrize("tau", ["1/10", "1", "5"])
@pytest.mark.parametrize("sizes", [[2, 3], [2, 2, 4], [2, 3, 12]])
def test_cosines_are_those_of_the_exact_engine(sizes: list[int], tau: str) -> None:
    found = optimum(sizes, float(Rational(tau)))
    off = found.cosines[np.triu_indices(len(sizes), 1)]
    exact = sorted(exact_cosines(sizes, Rational(tau)).values())
    # Every derived cosine occurs, and no other: 1e-9 as both are far better than that.
    for value in exact:
        assert np.abs(off - value).min() < 1e-9
    for value in off:
        assert min(abs(value - x) for x in exact) < 1e-9


@pytest.mark.parametrize("tau", [0.01, 0.05, 0.1, 1.0, 10.0])
@pytest.mark.parametrize("sizes", [[7] * 10, list(range(10, 101, 10)), TAIL])
def test_long_tails_are_certified_relative_to_the_excess(sizes: list[int], tau: float) -> None:
    found = optimum(sizes, tau)
    assert found.stop == "converged"
    # At tau = 0.01 a cosine's rounding of 1e-16 is 1e-14 of the excess, for each of 1e4 pairs.
    assert found.gap <= 1e-8 * found.excess
    assert (found.collapse > 0).all()
    assert np.allclose(found.vectors @ found.vectors.T, found.cosines, atol=1e-7)


# --- Soft SupCon --------------------------------------------------------------------------------
def test_soft_targets_are_met_up_to_the_critical_temperature() -> None:
    sizes, epsilon = [3, 9, 40], 0.2
    critical = critical_temperature(3, epsilon)
    below, above = optimum(sizes, 0.9 * critical, epsilon), optimum(sizes, 1.1 * critical, epsilon)
    assert below.excess == 0.0
    assert below.cosines[0, 1] == pytest.approx(1 + 0.9 * critical * np.log(epsilon))
    point = of_classes(sizes, 0.9 * critical, epsilon).at(below.cosines)
    assert point.excess == pytest.approx(0, abs=1e-15)
    assert above.excess > 1e-5
    assert above.gap < 1e-12
    assert least_epsilon(3, critical) == pytest.approx(epsilon)


# --- few dimensions -----------------------------------------------------------------------------
# --- the checker, checked ------------------------------------------------------------------------
def explicit_loss(z: np.ndarray, labels: np.ndarray, tau: float, epsilon: float) -> float:
    """The loss of all points, as it is defined."""
    w = np.where(labels[:, None] == labels[None, :], 1.0, epsilon)
    np.fill_diagonal(w, 0.0)
    s = z @ z.T / tau
    np.fill_diagonal(s, -np.inf)
    log_share = s - np.logaddexp.reduce(s, axis=1, keepdims=True)
    terms = np.where(w > 0, w / w.sum(axis=1, keepdims=True) * np.where(w > 0, log_share, 0), 0)
    return float(-terms.sum(axis=1).mean())


@pytest.mark.parametrize("epsilon", [0.0, 0.05])
def test_the_loss_is_that_of_all_points_and_the_gap_bounds_any_other(epsilon: float) -> None:
    sizes, tau = [2, 3, 5], 2.0
    labels = np.repeat(range(3), sizes)
    found = optimum(sizes, tau, epsilon)
    loss = explicit_loss(found.vectors[labels], labels, tau, epsilon)
    assert loss == pytest.approx(found.loss, abs=1e-13)
    rng = np.random.default_rng(5)
    for k in range(300):
        z = found.vectors[labels] + 10.0 ** -(k % 7) * rng.standard_normal((10, found.rank))
        z /= np.linalg.norm(z, axis=1, keepdims=True)
        assert explicit_loss(z, labels, tau, epsilon) >= found.loss - found.gap - 1e-14


def test_wrong_prototypes_have_a_gap() -> None:
    sizes, tau = [3, 4, 30], 0.5
    pairs, best = of_classes(sizes, tau), optimum(sizes, tau)
    point = pairs.at(simplex(3) @ simplex(3).T)
    gap, _ = of_all_points(sizes, point, dual(point))
    assert gap >= point.excess - best.excess > 1e-3


def test_a_class_that_would_rather_spread_is_noticed() -> None:
    """Prototypes that are too far apart: classes gain by spreading, and the gap must say so."""
    sizes, tau, epsilon = [4, 4], 0.2, 0.5
    gram = np.array([[1.0, -0.5], [-0.5, 1.0]])
    point = of_classes(sizes, tau, epsilon).at(gram)
    gap, collapse = of_all_points(sizes, point, dual(point))
    assert (collapse < 0).all()
    assert gap >= point.excess > 0


def test_gradient_and_hessian_are_derivatives() -> None:
    rng = np.random.default_rng(1)
    sizes, tau = [2, 5, 9, 4], 0.4
    z = rng.standard_normal((4, 3))
    z /= np.linalg.norm(z, axis=1, keepdims=True)
    along = rng.standard_normal((4, 4))
    along = along + along.T
    np.fill_diagonal(along, 0.0)
    for epsilon in (0.0, 0.3):
        pairs = of_classes(sizes, tau, epsilon)
        gram, h = z @ z.T, 1e-5
        up, down = pairs.at(gram + h * along), pairs.at(gram - h * along)
        here = pairs.at(gram)
        slope = (up.excess - down.excess) / (2 * h)
        # Central differences are off by h^2 times a third derivative, 1e-10 times some 1/tau^3.
        assert slope == pytest.approx(float(np.sum(here.gradient * along)), rel=1e-6)
        curved = (up.off_diagonal - down.off_diagonal) / (2 * h)
        assert np.allclose(curved, here.hessian(along), rtol=1e-5, atol=1e-8)


def test_far_exponents_do_not_overflow() -> None:
    target = np.array([[0.0, 1.0], [1.0, 0.0]])
    far = Pairs(np.array([0.5, 0.5]), np.ones((2, 2)), target, 1e-3)
    assert far.at(np.array([[1.0, -1.0], [-1.0, 1.0]])).excess == pytest.approx(2000.0)


# --- what has no prototypes ----------------------------------------------------------------------
@pytest.mark.parametrize(
    "sizes, tau, epsilon, why",
    [
        ([5], 1.0, 0.0, "two or more"),
        ([5, 0], 1.0, 0.0, "empty"),
        ([5, 1], 1.0, 0.0, "single sample"),
        ([5, 5], 1e-4, 0.0, "tau"),
        ([5, 5], 1.0, 2.0, "epsilon"),
    ],
)
def test_bad_input(sizes: list[int], tau: float, epsilon: float, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        of_classes(sizes, tau, epsilon)

"""Variances, effective rank, the trace update, whitening: against numbers that share no code."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.results import results
from cltheory.derive.vectors.measured import of_batch, of_law, of_logits
from cltheory.derive.vectors.moments import UnitLaw
from sympy import Rational, S

DIGITS = 40
CLOSE = mpmath.mpf(10) ** -30


# --- vectors ---------------------------------------------------------------------------------
def test_the_moment_of_negatives_from_below() -> None:
    """On batches of pairs of all kinds, against numpy."""
    rng = np.random.default_rng(4)
    bound = results["effective-rank"].function("mean_sigma_lower")
    for _ in range(200):
        n, d = 2 * int(rng.integers(2, 6)), int(rng.integers(1, 5))
        z = rng.standard_normal((n, d)) + rng.uniform(0, 3) * rng.standard_normal(d)
        z /= np.linalg.norm(z, axis=1, keepdims=True)
        tops = []
        for i in range(0, n, 2):
            rest = np.delete(z, [i, i + 1], axis=0)
            tops.append(np.linalg.eigvalsh(rest.T @ rest / (n - 2))[-1])
        top = min(1.0, np.linalg.eigvalsh(z.T @ z / n)[-1])
        assert min(tops) >= float(bound(n=n, sigma_hat=top)) - 1e-12


def test_the_top_eigenvalue_of_random_spectra() -> None:
    """Between the two values that the effective rank and the dimension give."""
    rng = np.random.default_rng(7)
    r = results["effective-rank"]
    most, least = r.function("sigma_hat_most"), r.function("sigma_hat_least")
    for d in (2, 3, 6):
        spectra = rng.dirichlet([0.5] * d, 500)
        R = 1 / (spectra**2).sum(1)
        top = spectra.max(1)
        assert (top <= most(d=d, effective_rank=R) + 1e-12).all()
        assert (top >= least(k=np.floor(R).astype(int), effective_rank=R) - 1e-12).all()


# --- one vector more -----------------------------------------------------------------------------


def test_what_the_expansion_leaves_is_of_second_order() -> None:
    rng = np.random.default_rng(3)
    scaled = results["trace-update"].function("scaled_remainder")
    for _ in range(200):
        b, d = int(rng.integers(1, 40)), int(rng.integers(1, 6))
        rows = rng.standard_normal((b + 1, d))
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        moment = rows[:b].T @ rows[:b] / b
        after = rows.T @ rows / (b + 1)
        t, q = np.trace(moment @ moment), rows[b] @ moment @ rows[b]
        left = np.trace(after @ after) - t - 2 * (q - t) / b
        at = float(scaled(b=b, t=min(t, 1.0), q=min(q, 1.0)))
        assert at == pytest.approx(left * b**2, abs=1e-9)
        assert -b / (3 * b + 2) - 1e-9 <= at < 4


# --- the variance of the gradient ----------------------------------------------------------------
def test_the_smallest_law_that_breaks_the_printed_bound() -> None:
    r = results["gradient-variance"]
    q = r.quantities["variance_printed"]
    found = of_law(**q.violated["vectors"], tau=q.violated["tau"], digits=DIGITS)
    excess = r.value("excess_one_negative", tau=1, digits=25)
    with mpmath.workdps(DIGITS):
        printed = 2 * found["mean_epsilon_squared"]
        assert abs(found["gradient_variance"] - printed - excess) < mpmath.mpf(10) ** -24
        assert found["gradient_variance"] > 2 * printed


@pytest.mark.parametrize(("negatives", "tau"), [(1, "1/5"), (2, "1/4")])
def test_the_law_on_axes(negatives: int, tau: str) -> None:
    """All choices of the negatives, and of the side of the positive, one atom each."""
    axes = negatives**2
    unit = [
        [0, *(s * int(i == k) for i in range(axes))] for k in range(axes) for s in (1, -1)
    ]  # at right angles to the anchor
    anchor = [1] + [0] * axes
    atoms = list(product((1, -1), product(unit, repeat=negatives)))
    found = of_law(
        [1] * len(atoms),
        [anchor] * len(atoms),
        [[s * x for x in anchor] for s, _ in atoms],
        [list(rows) for _, rows in atoms],
        tau,
        20,
    )
    r = results["gradient-variance"]
    A = r.value("A", n=negatives + 2, tau=tau)
    bound = A * found["sigma"] + (1 + mpmath.mpf(1) / negatives) * found["mean_epsilon_squared"]
    scaled = (found["gradient_variance"] - bound) * mpmath.mpf(float(Rational(tau))) ** 4
    least = r.value("excess_on_axes", n=negatives + 2, tau=tau)
    assert scaled >= least - 1e-12 and least > 0
    if negatives == 1:  # one negative has sigma 1, as the bound on it says
        assert scaled == pytest.approx(float(least), rel=1e-10)


@pytest.mark.parametrize(("tau", "more"), [(0.2, True), (5.0, False)])
def test_the_sampling_term_is_no_product_of_means(tau: float, more: bool) -> None:
    """By enumeration in numpy: the anchor and its positive at (1, 0), negatives at +-(3/5, 4/5)."""
    anchor, line = np.array([1.0, 0.0]), np.array([0.6, 0.8])
    sampled, squares = [], []
    for signs in product((1, -1), repeat=2):
        keys = np.array([s * line for s in signs])
        weights = np.exp((keys @ anchor - 1) / tau)
        epsilon = weights.sum() / (1 + weights.sum())
        squares.append(epsilon**2)
        sampled.append(epsilon**2 * (keys.mean(0) ** 2).sum())
    direct = np.mean(sampled) - np.mean(squares) / 2
    found = results["gradient-variance"].value("excess_of_sampling", tau=tau)
    assert float(found) == pytest.approx(direct, rel=1e-10)
    assert (found > 0) is more


def enumerated(size: int, axes: int, power: int) -> Fraction:
    """The mean of |mean|^power over all choices of vectors on both sides of some axes."""
    atoms = [(k, s) for k in range(axes) for s in (1, -1)]
    total = Fraction(0)
    for chosen in product(atoms, repeat=size):
        coordinates = [sum(s for k, s in chosen if k == axis) for axis in range(axes)]
        total += Fraction(sum(c * c for c in coordinates), size**2) ** (power // 2)
    return total / len(atoms) ** size


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_the_variance_of_a_mean_by_enumeration(size: int, axes: int) -> None:
    law = UnitLaw(Rational(1, axes))
    second, fourth = enumerated(size, axes, 2), enumerated(size, axes, 4)
    assert law.squared_mean(S(size)) == Rational(second.numerator, second.denominator)
    assert law.fourth_mean(S(size)) == Rational(fourth.numerator, fourth.denominator)
    spread = fourth - second**2
    assert law.variance(S(size)) == Rational(spread.numerator, spread.denominator)


# --- whitening -----------------------------------------------------------------------------------
def test_the_printed_numbers() -> None:
    r = results["whitening-gain"]
    assert round(float(r.value("printed_A")), 2) == 7.33
    assert round(float(r.value("printed_gain"))) == 151
    assert float(r.value("largest_gain", A="7.33", B="0.02", d=256)) == pytest.approx(
        7.35 / (7.33 / 256 + 0.02)
    )
    assert r.value("gain", A=3, B=2, d=4, sigma="1/4") == 1
    assert r.value("largest_gain", A=3, B=2, d="oo") == r.value("gain_in_any_dimension", A=3, B=2)
    with pytest.raises(DomainError, match="sigma must be in"):
        r.value("gain", A=3, B=2, d=4, sigma="1/5")


# --- what no unit vectors have --------------------------------------------------------------------
@pytest.mark.parametrize(
    ("id", "name", "given", "refused"),
    [
        ("trace-update", "t_next", {"b": 10, "t": "1/2", "q": 1}, "q"),
        ("trace-update", "t_next_upper", {"b": 9, "t": "1/2", "sigma_hat": 1}, "sigma_hat"),
        ("trace-update", "q_gain", {"b": 2, "t": "1/3"}, "t"),
        ("gradient-variance", "sampling_mean", {"n": 10, "mu_corr": -1}, "mu_corr"),
        ("effective-rank", "effective_rank", {"n": 8, "d": 2, "gram": 8}, "gram"),
    ],
)
def test_numbers_at_odds_are_refused(
    id: str, name: str, given: dict[str, Any], refused: str
) -> None:
    with pytest.raises(DomainError, match=f"{refused} must be"):
        results[id].value(name, **given)


def test_the_ends_of_what_a_batch_has_are_accepted() -> None:
    r = results["trace-update"]
    for b in (1, 2, 3, 7):  # orthonormal, and all on one line
        assert r.value("t_next", b=b, t=Fraction(1, b), q=Fraction(1, b)) > 0
        assert r.value("t_next", b=b, t=1, q=1) == 1
    assert r.value("q_gain", b=1) == 1
    least = results["gradient-variance"].value("sampling_mean", n=10, mu_corr="-1/7")
    assert least == 0


def test_vectors_and_decimals_are_read_exactly() -> None:
    with pytest.raises(ValueError, match="a vector is zero"):
        of_batch([[0, 0]], [1, 0])
    found = of_logits(["0.1", "1/3"], 40)
    with mpmath.workdps(50):
        offset = (mpmath.mpf(1) / 3 - mpmath.mpf(1) / 10) / 2
        assert abs(found["spread_inf"] - offset) < mpmath.mpf(10) ** -40

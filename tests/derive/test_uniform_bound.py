"""log 0F1 by balls and in floats against mpmath, and the steps of the uniform bound."""

from __future__ import annotations

import warnings
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from cltheory.derive.decide.digits import rounded
from cltheory.derive.decide.evidence import Holds
from cltheory.derive.decide.hypergeometric import Log0F1
from cltheory.derive.optimum.uniform import Counted
from cltheory.derive.problems.catalogue import CATALOGUE
from cltheory.derive.proof.relations import eq
from cltheory.derive.results import results
from cltheory.derive.results.instances.uniform_bound import DOMAIN
from cltheory.derive.structures.hierarchy import n, p
from cltheory.derive.theorem.floats import Careful, Fast, Wide, log_0f1
from sympy import Expr, Integer, Rational, Symbol, diff, expand, oo, symbols

BOUND = results["uniform-bound"]


def by_mpmath(d: int, k: float) -> float:
    with mpmath.workdps(40):
        nu, k = mpmath.mpf(d) / 2 - 1, mpmath.mpf(k)
        scaled = mpmath.besseli(nu, k) * (2 / k) ** nu * mpmath.gamma(nu + 1)
        return float(mpmath.log(scaled))


POINTS = [(d, k) for d in (1, 2, 3, 5, 16, 128, 1024) for k in (1e-3, 0.3, 2.0, 14.3, 100.0, 1e3)]


def test_balls_agree_with_bessel_functions() -> None:
    for d, k in POINTS:
        value, _ = rounded(Log0F1(Rational(d, 2), Rational(k) ** 2 / 4), 20)
        assert float(value) == pytest.approx(by_mpmath(d, k), rel=1e-12)


@pytest.mark.parametrize("kind", [Fast, Careful, Wide])
def test_floats_are_as_exact_as_they_say(kind: type) -> None:
    points = [*POINTS, (2, 300.0), (2, 1e6), (10**6, 50.0)]
    d, k = np.array(points, float).T
    exact = np.array([by_mpmath(int(d), k) for d, k in points])
    z = kind.lift(k) * k / 4
    found = log_0f1(kind.lift(d) / 2, z)
    v, error = found.rounded()
    stated = error * np.abs(v)
    assert (np.abs(v - exact) <= stated).all()
    # The error of z and the rounding of the bound are in it, and it is not merely infinite.
    assert (stated <= 2.0**-45 * (1 + k)).all()


def test_what_is_beyond_its_range_is_nan() -> None:
    f = BOUND.function("loss_at_least")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert np.isnan(f(N=100, d=3, tau=1e-9))
    assert told


def test_the_function_is_the_number() -> None:
    for name in ("loss_at_least", "loss_at_least_best"):
        tau = np.array([0.01, 0.07, 0.5, 3.0])
        values = BOUND.function(name)(N=65536, d=128, tau=tau)
        exact = [float(BOUND.value(name, N=65536, d=128, tau=str(t))) for t in tau]
        np.testing.assert_allclose(values, exact, rtol=1e-9)


def test_the_better_of_two_bounds_is_named() -> None:
    for tau, regime in (("1/2", "uniform"), ("1/100", "simplex")):
        assert BOUND.value("regime", N=100, d=3, tau=tau) == regime


def test_limits() -> None:
    for at in ({"d": oo, "tau": "1/2"}, {"tau": oo, "d": 3}):
        value = BOUND.value("loss_at_least", N=100, **at)
        hot = 0 if at["tau"] is oo else 2
        assert float(value) == pytest.approx(np.log(100) - hot)


def test_its_derivative_is_that_of_the_series() -> None:
    z = Symbol("z", positive=True)
    slope = diff(Log0F1(Rational(3, 2), z), z).subs(z, 2.0).evalf()
    step = Rational(1, 10**6)
    ends = (Log0F1(Rational(3, 2), 2 + side * step).evalf(30) for side in (1, -1))
    assert float(slope) == pytest.approx(float((next(ends) - next(ends)) / (2 * step)), rel=1e-9)


def test_too_many_vectors_are_refused() -> None:
    problem = CATALOGUE["simclr"]
    says = Counted.from_term(problem.loss.terms[0], problem.scheme, DOMAIN)
    assert isinstance(says.decide(), Holds) and says.shown.args[1] - n * (p - 1) == 0
    for wrong in (2 * n - 1, n * p - 1, n * p, n * (p - 1) + 1):
        assert not isinstance(says.saying(eq(says.shown.args[0], wrong)).decide(), Holds)
    with pytest.raises(ValueError, match="no bound is known"):
        Counted.from_term(CATALOGUE["dcl"].loss.terms[0], problem.scheme, DOMAIN)


@pytest.mark.parametrize("d", [2, 5])
@pytest.mark.parametrize("kappa", [2.0, 20.0])
def test_the_affinity_lemma_in_numbers(d: int, kappa: float) -> None:
    """Q_u and Q_v by their expansions in zonal functions; the mean is over random directions."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((1500, d))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    nu = d / 2 - 1

    def root(y: np.ndarray) -> np.ndarray:
        total = np.zeros_like(y)
        for degree in range(60):
            ratio = mpmath.besseli(nu + degree, kappa) / mpmath.besseli(nu, kappa)
            total += float(mpmath.sqrt(ratio)) * zonal(degree, d, y)
        return total

    for angle in (0.5, 1.5, 3.0):
        u, v = np.eye(d)[0], np.cos(angle) * np.eye(d)[0] + np.sin(angle) * np.eye(d)[1]
        density = root(x @ u), root(x @ v)
        means = np.sqrt(np.maximum(density[0] * density[1], 0)).mean()
        spread = np.sqrt(np.maximum(density[0] * density[1], 0)).std() / 1500**0.5
        assert (means + 4 * spread) ** 2 >= np.exp(-kappa * (1 - np.cos(angle)))


def test_the_heat_equation_of_the_affinity_lemma() -> None:
    """The equation of Z, with b and its derivatives at a point as letters."""
    n, y = symbols("n y")
    letters = symbols("b0:7")  # b and its derivatives in y

    def slope(e: Expr) -> Expr:
        return diff(e, y) + sum(diff(e, u) * v for u, v in pairwise(letters))

    def laplacian(m: Expr, e: Expr) -> Expr:
        return (1 - y**2) * slope(slope(e)) - m * y * slope(e)

    b, rise = letters[:2]
    # log p_t solves psi_t = (L_n psi + (1 - y^2) b^2)/2, and b is its derivative in y.
    flow = slope((1 - y**2) * rise - n * y * b + (1 - y**2) * b**2) / 2
    z = -slope((1 - y**2) * rise - n * y * b) - Rational(2, 3) * (n - 1) * b
    changes = [flow]
    for _ in range(3):
        changes.append(slope(changes[-1]))
    change = sum(diff(z, u) * e for u, e in zip(letters, changes, strict=False))
    bend = -y * b + (1 - y**2) * rise
    said = (laplacian(n + 2, z) - n * z) / 2 + slope((1 - y**2) * b * z) + 2 * bend * z
    source = 2 * (n - 1) * (1 - y**2) * -rise * (b + y * rise)
    assert expand(change - said - source) == 0
    assert expand(change - said + source) != 0


def zonal(degree: int, d: int, y: np.ndarray) -> np.ndarray:
    """The reproducing kernel of spherical harmonics of a degree, for the uniform probability."""
    from scipy.special import eval_chebyt, eval_gegenbauer

    if d == 2:
        return (1 if degree == 0 else 2) * eval_chebyt(degree, y)
    nu = d / 2 - 1
    return (degree / nu + 1) * eval_gegenbauer(degree, nu, y)


def test_sympy_is_told_that_it_is_real_and_not_negative() -> None:
    e = Log0F1(Symbol("b", positive=True), Symbol("z", positive=True))
    assert e.is_real is not False and e.is_extended_nonnegative
    assert Log0F1(Integer(3), Integer(0)) == 0
    assert str(e) == "log(hyper((), (b,), z))"

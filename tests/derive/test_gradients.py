"""Bounds on the gradient of InfoNCE: at configurations random and special, and where met."""

from functools import cache

import mpmath
import numpy as np
import pytest
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.results import results
from cltheory.derive.theorem import bounds
from cltheory.derive.theorem.bounds import About, Bounds
from cltheory.derive.vectors.anchor import Anchor, Batch
from sympy import Integer, Rational
from test_bounds import BOUNDS, CLOSE, DIGITS, configurations, value

IDENTITY, BAND = results["gradient-identity"], results["spectral-band"]
PROJECTED = results["projected-spectrum"]


def test_the_identity_holds():
    with mpmath.mp.workdps(DIGITS):
        for a in configurations(About.ANCHOR):
            for name in ("squared_gradient", "squared_tangential"):
                gap = abs(value(IDENTITY.quantity(name).expression, a) - a[name])
                assert gap < CLOSE * (1 + abs(a[name])), name


def test_no_upper_bound_of_the_gradient_is_weaker_than_the_trivial_one():
    of_gradient = [
        q for q in BOUNDS.values() if q.bounded == "squared_gradient" and q.side == "upper"
    ]
    with mpmath.mp.workdps(DIGITS):
        for of in configurations(About.ANCHOR):
            trivial = 4 * of["epsilon"] ** 2 / of["tau"] ** 2
            for q in of_gradient:
                if not q.printed:
                    assert value(q.expression, of) <= trivial * (1 + CLOSE)


@pytest.mark.parametrize(("tau", "factor"), [("1/25", 10**17), ("1", 2), ("5", 1)])
def test_by_the_projected_spectrum_parallel_negatives_are_exact(tau, factor):
    """The bounds by sigma are off by a factor without limit there, as sigma is 1."""
    positive = ["3/5", "4/5"]
    with mpmath.mp.workdps(DIGITS):
        for anchor in (positive, ["24/25", "-7/25"]):
            a = Anchor(anchor, positive, [positive, ["-3/5", "-4/5"]], tau)
            assert abs(a["sigma"] - 1) < CLOSE and abs(a["sigma_positive"]) < CLOSE
            for name in ("upper_projected", "upper_projected_spectrum"):
                assert (
                    abs(value(PROJECTED.quantity(name).expression, a) / a["squared_gradient"] - 1)
                    < CLOSE
                )
            off = value(BAND.quantity("upper").expression, a) / a["squared_gradient"]
            assert anchor != positive or off > factor
            # Both bounds by alignment and by sigma are 2 epsilon/(1 - rho) times too large.
            assert abs(off / (2 * a["epsilon"] / a["one_minus_rho"]) - 1) < CLOSE


def test_participation_is_bounded_for_any_similarities():
    """The bound uses no more of the negatives than the mean square of N numbers in [-1, 1]."""
    rng = np.random.default_rng(5)
    most = BAND.function("participation_most")
    for N in (1, 2, 3, 5, 17, 200):
        for tau in (0.03, 0.1, 0.3, 1.0, 5.0):
            s = rng.uniform(-1, 1, (60, N)) * rng.uniform(0, 1, (60, 1))
            for k in range(30):  # a few at one value, the others at another
                s[k] = rng.uniform(-1, 1)
                s[k, : rng.integers(1, N + 1)] = rng.uniform(0, 1) if k % 2 else 1.0
            sigma = np.clip((s**2).mean(1), 1 / N, 1)
            weights = np.exp((s - s.max(1, keepdims=True)) / tau)
            q = weights / weights.sum(1, keepdims=True)
            bound = most(n=N + 2, tau=tau, sigma=sigma)
            assert ((q**2).sum(1) <= bound * (1 + 1e-12)).all(), (N, tau)


# --- values that there are none of -------------------------------------------------------------
@pytest.mark.parametrize(
    "id, values",
    [
        ("spectral-band", {"rho": 2}),
        ("spectral-band", {"epsilon": "1/4", "rho": "1/3"}),
        ("spectral-band", {"n": 12, "sigma": "1/11"}),
        ("spectral-band", {"sigma": "1/4", "mean_norm": "2/3"}),
        ("spectral-band", {"mean_epsilon_squared": "1/16", "mean_rho": "1/3"}),
        ("gradient-identity", {"epsilon": "1/2", "rho": "1/3", "mu": "1/4"}),
    ],
)
def test_impossible_readings_are_refused_in_a_line(id, values):
    with pytest.raises(DomainError) as refusal:
        results[id].point(**values)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("similarity, alignment", [("1", "-1"), ("1/2", "-3/4"), ("-3/4", "0")])
def test_a_similarity_that_the_mean_cannot_have_is_refused(similarity, alignment):
    at = {"tau": 1, "epsilon": "1/2", "rho": "1/2", "mu": "1/2", "alignment": alignment}
    with pytest.raises(DomainError, match="similarity must be in"):
        IDENTITY.value("squared_tangential", similarity=similarity, **at)


@pytest.mark.parametrize(
    "vectors, tau, said",
    [
        (([1, 0], [0, 0], [[0, 1]]), 1, "no direction"),
        (([1, 0], [1, 0], []), 1, "one negative"),
        (([1, 0], [1, 0], [[1]]), 1, "coordinates"),
        (([1, 0], [1, 0], [[0, 1]]), 0, "tau must be > 0"),
    ],
)
def test_what_is_no_configuration_is_refused(vectors, tau, said):
    with pytest.raises(ValueError, match=said):
        Anchor(*vectors, tau)
    with pytest.raises(ValueError, match="even number"):
        Batch([[1]] * 5, 1)


def measured_at(rng, size, tau):
    """Readings on a line in float64 by their definitions, each rounded on its own."""
    z, positive, *rows = rng.choice([-1.0, 1.0], (size + 2, 1)) * (1 + rng.normal(size=(1, 1)) / 4)
    z, positive, rows = (v / np.linalg.norm(v, axis=-1, keepdims=True) for v in (z, positive, rows))
    e = np.exp(np.append(z @ positive, rows @ z) / tau)
    p = e / e.sum()
    epsilon, m, M = 1 - p[0], p[1:] @ rows / (1 - p[0]), p[0] * positive + p[1:] @ rows
    g = (M - positive) / tau
    return {
        "epsilon": epsilon,
        "rho": M @ positive,
        "mu": np.linalg.norm(m),
        "similarity": z @ m,
        "alignment": z @ positive,
        "squared_gradient": g @ g,
        "squared_tangential": g @ g - (g @ z) ** 2,
    }


def test_readings_outside_by_rounding_count_as_the_end():
    rng, outside = np.random.default_rng(5), 0
    names = ("epsilon", "rho", "mu", "similarity", "alignment")
    for k in range(18):
        tau = (0.2, 1.0, 5.0)[k % 3]
        found = measured_at(rng, (1, 2, 30)[k // 3 % 3], tau)
        at = {name: float(found[name]) for name in names} | {"tau": str(tau)}
        if 1 - at["rho"] < 1e-8:
            continue
        exact = {s: Rational(at[s.name]) for s in IDENTITY.parameters}
        outside += not IDENTITY.domain.contains(exact)
        size = 4 * at["epsilon"] ** 2 / tau**2
        for name in ("squared_gradient", "squared_tangential"):
            assert abs(float(IDENTITY.value(name, **at)) - found[name]) < 1e-7 * size
    assert outside > 3  # it is not the rounding that is kind here
    for given, refused in (
        ({"epsilon": "1/2", "rho": "1", "mu": "1.00000001"}, "mu"),
        ({"epsilon": "1e-12", "rho": "1", "mu": "0.9999"}, "mu"),
        ({"epsilon": "1.00001"}, "epsilon"),
        # The room for rounding of the similarity is not real there.
        ({"epsilon": "-3/32", "rho": "1", "mu": "1", "similarity": "1/8"}, "epsilon"),
    ):
        with pytest.raises(DomainError, match=f"{refused} must be in"):
            IDENTITY.point(**given)
    assert 1 in IDENTITY.point(epsilon="1/2", rho="1", mu=1 + 2**-52).values()
    assert set(BAND.point(sigma=1 + 2**-52, mean_norm=1 + 2**-51).values()) == {1}


# --- as printed --------------------------------------------------------------------------------
PRINTED = results["spectral-band-printed"]


def test_the_printed_band_holds_with_three_negatives_or_fewer():
    with mpmath.mp.workdps(DIGITS):
        for a in configurations(About.ANCHOR):
            point = {s: 0 for s in PRINTED.parameters if s.name == "c"}
            e = PRINTED.quantity("upper_printed").expression.xreplace(point)
            if a["N"] <= 3:
                assert a["squared_gradient"] <= value(e, a) * (1 + CLOSE)


@cache
def axes_in_opposite_pairs(n, tau):
    """Readings of a batch with two vectors at either end of each axis, positives opposite."""
    d = n // 4
    z = np.repeat(np.eye(d), 4, axis=0)
    z[1::2] *= -1
    e = np.exp(z[1:] @ z[0] / tau)  # every anchor is like the first
    epsilon, m = e[1:].sum() / e.sum(), e[1:] @ z[2:] / e[1:].sum()
    mean = z[2:].mean(0)
    linear = (z[2:] @ z[0] - z[0] @ mean) @ z[2:] / (n - 2) / tau
    gradient = epsilon**2 * (m - z[1]) @ (m - z[1]) / tau**2
    sigma = np.linalg.eigvalsh(z[2:].T @ z[2:])[-1] / (n - 2)
    return {
        "n": n,
        "tau": tau,
        "epsilon": epsilon,
        "sigma": sigma,
        "mean_norm": np.linalg.norm(mean),
        "sigma_hat": 4 / n,
        "squared_gradient": gradient,
        "mean_squared_gradient": gradient,
        "squared_remainder": epsilon**2 * (m - mean - linear) @ (m - mean - linear),
        "mean_epsilon_squared": epsilon**2,
        "mean_epsilon_squared_sigma": epsilon**2 * sigma,
        "mean_epsilon_squared_sigma_squared": (epsilon * sigma) ** 2,
    }


def test_what_is_printed_and_false_is_shown_with_a_ratio_above_one():
    """By numbers that the vectors have: put in by a step, or reached by an attack."""
    shown = 0
    for name, q in PRINTED.quantities.items():
        if not getattr(q, "is_false", False):
            continue
        said = bounds.in_words(name, bounds.as_data(q, PRINTED.id, name, {}))
        assert "false in general" in said[0]
        assert all(float(s.split()[-1]) > 1 for s in said if "ratio" in s) and "ratio" in said[-1]
        if q.fails_at:
            shown += 1
            point = {s.name: float(e) for s, e in q.fails_at.items()}
            found = axes_in_opposite_pairs(int(point["n"]), point["tau"])
            for reading in point.keys() - {"c"}:
                wanted = pytest.approx(point[reading], rel=1e-9, abs=1e-12)
                assert found[reading] == wanted, (name, reading)
    assert shown == 4


def test_where_the_printed_band_is_idle():
    for c in (0.0, 1e-14, 1e-6, 0.125, 0.5, 1.0):  # no difference of numbers that are nearly equal
        x = PRINTED.function("ratio_idle")(n=256, c=c)
        assert abs(3 * (1 + 1 / 254 + x + c * x**2) - 4) < 1e-14
    assert PRINTED.value("proved_if", n=256, tau="1/10", sigma="1/10", c="1/2") is True
    assert PRINTED.value("proved_if", n=402, tau="28/250", sigma="1/400", c="1/2") is False


# --- showing -----------------------------------------------------------------------------------
def test_a_bound_has_a_side():
    with pytest.raises(ValueError, match="upper or a lower"):
        Bounds(Integer(1), "x", "one", side="left")


# --- what no unit vectors have --------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 4, 8, 9, 20])
def test_the_largest_participation_on_a_line_while_it_is_cold(size):
    """At temperature 1 with no more than 1 + e^2 negatives, as it is said."""
    with mpmath.mp.workdps(DIGITS):
        a = Anchor([1], [1], [[1], *[[-1]] * (size - 1)], 1)
        most = value(BAND.quantity("participation_most").expression, a)
        assert (most - a["participation"] < CLOSE) is (size <= 1 + mpmath.exp(2))

"""The mean gradient over random negatives, and the spectrum of a sample, against enumeration.

Laws are finite, and all draws are gone through in numpy; no code is shared with the results.
"""

import functools
import itertools
import math

import numpy as np
import pytest
from cltheory.derive.results import results
from cltheory.numeric.attack import attack

EXPECTED, SAMPLE = results["expected-gradient"], results["sample-spectrum"]
#: Rounding of float64 in sums of a few hundred terms.
CLOSE = 1e-11


def unit(v):
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def laws(count, seed):
    """Atoms and their probabilities, an anchor and its positive: spread out, narrow, on axes."""
    rng = np.random.default_rng(seed)
    for k in range(count):
        d, size = rng.integers(1, 5), rng.integers(2, 5)
        atoms = rng.normal(size=(size, d))
        if k % 3 == 1:
            atoms = np.eye(size, d) + np.eye(size, d, -d)
        if k % 3 == 2:
            atoms = atoms / 10 + rng.choice([-1, 1], (size, 1)) * rng.normal(size=d)
        atoms = unit(np.where(np.abs(atoms).sum(1, keepdims=True) > 0, atoms, 1.0))
        shares = rng.dirichlet(np.full(size, 10 ** rng.uniform(-1, 1)))
        anchor = unit(atoms[0] + rng.choice([0, 1]) * rng.normal(size=d))
        positive = unit(rng.choice([-1, 1]) * anchor + rng.choice([0, 0.1, 3]) * rng.normal(size=d))
        yield atoms, shares, anchor, positive, int(rng.integers(1, 6)), 10 ** rng.uniform(-0.8, 1.5)


def draws(shares, N):
    """What N draws may be without order, with their probabilities."""
    for draw in itertools.combinations_with_replacement(range(len(shares)), N):
        counts = [draw.count(j) for j in range(len(shares))]
        ways = math.factorial(N) // math.prod(map(math.factorial, counts))
        yield list(draw), ways * float(np.prod(shares ** np.array(counts)))


def enumerated(atoms, shares, anchor, positive, N, tau):
    """The means that the bounds are of."""
    rows = []
    for draw, chance in draws(shares, N):
        v = atoms[draw]
        e = np.exp((v @ anchor - anchor @ positive) / tau)
        epsilon, q = e.sum() / (1 + e.sum()), e / e.sum()
        sigma = np.linalg.norm(v, 2) ** 2 / N
        gradient = epsilon**2 * ((q @ v - positive) ** 2).sum() / tau**2
        mean = v.mean(0) @ v.mean(0)
        rows.append((chance, epsilon, gradient, sigma, mean, ((q @ v) ** 2).sum()))
    chance, epsilon, gradient, sigma, mean, m = np.array(rows).T
    square, largest = chance @ epsilon**2, np.linalg.norm(np.sqrt(shares)[:, None] * atoms, 2) ** 2
    return {
        "n": N + 2,
        "tau": tau,
        # Rounding may leave the ranges that readings have.
        "mean_epsilon_squared": square,
        "mean_epsilon_squared_sigma": min(chance @ (epsilon**2 * sigma), square),
        "mean_squared_sampling": min(chance @ (epsilon**2 * mean), square),
        "epsilon_max": max(epsilon.max(), math.sqrt(square)),
        "sigma_law": min(largest, 1.0),
        "gradient": chance @ gradient,
        "softmax_mean": chance @ m,
    }


@functools.cache
def function(result, name):
    return results[result].function(name)


def evaluated(name, readings):
    """A quantity in numpy, from its expression."""
    of = EXPECTED.quantity(name).expression.free_symbols
    return function("expected-gradient", name)(**{s.name: readings[s.name] for s in of})


@pytest.mark.parametrize("count, seed", [(20, 0), pytest.param(1500, 1, marks=pytest.mark.slow)])
def test_no_law_exceeds_a_bound(count, seed):
    for law in laws(count, seed):
        found = enumerated(*law)
        gradient, scale = found["gradient"], 4 * found["mean_epsilon_squared"] / law[-1] ** 2
        for name in EXPECTED.quantities:
            assert gradient - evaluated(name, found) <= CLOSE * scale, (name, law)
        kappa = math.cosh(1 / law[-1]) ** 2
        assert found["softmax_mean"] <= kappa * (found["sigma_law"] + 3 / law[-2]) * (1 + CLOSE)


def test_corrupted_bounds_in_expectation_are_broken():
    """Each change of a formula is broken by one of the laws."""
    changes = {
        "law of half the size": lambda r: 0.9 * evaluated("upper_law", r),
        "any without the sample": lambda r: evaluated(
            "upper_any", r | {"mean_squared_sampling": 0.0}
        ),
    }
    found = [enumerated(*law) for law in laws(60, 2)]
    for what, change in changes.items():
        assert any(r["gradient"] > change(r) + 1e-6 * r["gradient"] for r in found), what


@pytest.mark.slow
def test_the_bound_for_any_law_is_attacked():
    done = attack("expected-gradient", "upper_any", n=(4,), d=(2,), seeds=(0,), starts=8, steps=15)
    assert not done.is_violated and done.ratio > 0.9


# --- the spectrum of a sample --------------------------------------------------------------------
def eigenvalues(atoms, shares, N):
    """The largest eigenvalue of all samples, largest first, with their probabilities."""
    found = [(np.linalg.norm(atoms[d], 2) ** 2 / N, c) for d, c in draws(shares, N)]
    return [(min(value, 1.0), chance) for value, chance in sorted(found, reverse=True)]


@pytest.mark.parametrize("count, seed", [(20, 6), pytest.param(1500, 7, marks=pytest.mark.slow)])
def test_no_law_exceeds_the_bounds_on_its_spectrum(count, seed):
    tail, most, law_most, apart = (function("sample-spectrum", k) for k in SAMPLE.quantities)
    for atoms, shares, _, _, N, _ in laws(count, seed):
        sigma = np.linalg.norm(np.sqrt(shares)[:, None] * atoms, 2) ** 2
        if not 1e-9 < sigma < 1 - 1e-9:
            continue
        of = eigenvalues(atoms, shares, N)
        mean = (atoms * shares[:, None]).T @ atoms
        norms = [
            (np.linalg.norm(atoms[k].T @ atoms[k] / N - mean, 2), c) for k, c in draws(shares, N)
        ]
        above = 0.0
        for value, chance in of:
            above += chance
            if sigma < value < 1:
                assert above <= tail(N=N, sigma_law=sigma, t=value) * (1 + 1e-6)
        for delta in (0.5, 0.1, 0.01):
            limit = most(N=N, sigma_law=sigma, delta=delta)
            assert sum(c for v, c in of if v > limit + CLOSE) <= delta
            missed = sum(
                c for v, c in of if sigma > law_most(N=N, sigma_hat=max(v, 1 / N), delta=delta)
            )
            assert missed <= delta
            limit = apart(N=N, sigma_law=sigma, delta=delta, d=atoms.shape[1])
            assert sum(c for norm, c in norms if norm > limit + CLOSE) <= delta


def test_equality_on_axes():
    """As t goes to 1, all N vectors have to be on one of d axes: d^(1 - N)."""
    for d, N in [(2, 1), (3, 4), (5, 3)]:
        bound = SAMPLE.value("tail", N=N, sigma_law=f"1/{d}", t="1 - 10^-30", digits=20)
        assert abs(float(bound) * d ** (N - 1) - 1) < 1e-12

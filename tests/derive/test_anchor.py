"""Readings of an anchor and of a batch, against plain numpy that shares no code with them."""

import numpy as np
import pytest
from cltheory.derive.vectors.anchor import BATCH, READINGS, Anchor, Batch, factors_of


def plain(z, positive, negatives, tau):
    """The readings by definition, in float64."""
    z, positive, rows = (np.array(v, float) for v in (z, positive, negatives))
    s = rows @ z
    e = np.exp(np.append(z @ positive, s) / tau)
    p = e / e.sum()
    epsilon, N = 1 - p[0], len(rows)
    q, mean = p[1:] / epsilon, rows.mean(0)
    m, M = q @ rows, p[0] * positive + p[1:] @ rows
    g = (M - positive) / tau
    C = epsilon * (m - mean)
    linear = epsilon / (N * tau) * (s - s.mean()) @ rows
    return {
        "tau": tau,
        "n": N + 2,
        "N": N,
        "epsilon": epsilon,
        "rho": M @ positive,
        "one_minus_rho": 1 - M @ positive,
        "mu": np.linalg.norm(m),
        "sigma": np.linalg.eigvalsh(rows.T @ rows / N)[-1],
        "sigma_positive": projected(rows, positive),
        "squared_gradient": g @ g,
        "squared_tangential": g @ g - (g @ z) ** 2,
        "participation": q @ q,
        "q_max": q.max(),
        "mean_norm": np.linalg.norm(mean),
        "similarity": z @ m,
        "alignment": z @ positive,
        "variance": s.var(),
        "softmax_variance": q @ (s - q @ s) ** 2,
        "squared_sampling": epsilon**2 * mean @ mean,
        "squared_fluctuation": C @ C,
        "squared_linear": linear @ linear,
        "squared_remainder": (C - linear) @ (C - linear),
    }


def projected(rows, *axes):
    """The largest eigenvalue of the second moment beside some axes."""
    basis, sizes, _ = np.linalg.svd(np.stack(axes, 1), full_matrices=False)
    basis = basis[:, sizes > 1e-9]
    left = rows - rows @ basis @ basis.T
    return np.linalg.norm(left, 2) ** 2 / len(rows)


def unit(rng, *shape):
    v = rng.normal(size=shape)
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


@pytest.mark.parametrize("N, d", [(1, 1), (1, 2), (3, 1), (2, 3), (7, 2), (5, 8)])
def test_readings_are_those_of_the_definitions(N, d):
    rng = np.random.default_rng(10 * N + d)
    for tau in (0.2, 1.0, 5.0):
        z, positive, rows = unit(rng, d), unit(rng, d), unit(rng, N, d)
        found = Anchor(z.tolist(), positive.tolist(), rows.tolist(), tau)
        expected = plain(z, positive, rows, tau)
        assert set(expected) == set(READINGS)
        for name, value in expected.items():
            # Rounding of float64; a square root of a number near 0 halves the digits.
            assert abs(float(found[name]) - value) < 1e-7, name


def test_of_a_batch_they_are_means_over_anchors():
    rng = np.random.default_rng(3)
    z = unit(rng, 6, 3)
    found = Batch(z.tolist(), 0.5)
    each = [plain(z[i], z[i ^ 1], np.delete(z, [i, i ^ 1], axis=0), 0.5) for i in range(6)]
    for name in ("epsilon", "rho", "squared_gradient", "sigma"):
        assert abs(float(found[f"mean_{name}"]) - np.mean([e[name] for e in each])) < 1e-12
    product = np.mean([e["epsilon"] ** 2 * e["sigma"] ** 2 for e in each])
    assert abs(float(found["mean_epsilon_squared_sigma_squared"]) - product) < 1e-12
    moment = z.T @ z / 6
    assert abs(float(found["sigma_hat"]) - np.linalg.eigvalsh(moment)[-1]) < 1e-12
    assert abs(float(found["effective_rank"]) - 1 / np.trace(moment @ moment)) < 1e-12
    assert [found[k] for k in ("n", "N")] == [6, 4]


def test_names_of_products():
    assert factors_of("epsilon_squared_sigma") == [("epsilon", 2), ("sigma", 1)]
    assert factors_of("squared_gradient") == [("squared_gradient", 1)]
    assert factors_of("one_minus_rho_squared") == [("one_minus_rho", 2)]
    assert factors_of("epsilon_foo") is None


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


@pytest.mark.parametrize("size", [0, 2, 5])
def test_a_batch_is_of_pairs(size):
    with pytest.raises(ValueError, match="even number"):
        Batch([[1]] * size, 1)


def test_unknown_readings_name_those_there_are():
    anchor = Anchor([1], [1], [[-1]], 1)
    with pytest.raises(KeyError, match="epsilon"):
        anchor["nothing"]
    batch = Batch([[1], [1], [-1], [1]], 1)
    with pytest.raises(KeyError, match="sigma_hat"):
        batch["epsilon"]
    assert set(BATCH) == {"tau", "n", "N", "sigma_hat", "effective_rank"}

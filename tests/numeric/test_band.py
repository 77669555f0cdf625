"""Readings of anchors and batches against plain loops, autograd and mpmath."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import torch
from cltheory.derive.vectors.anchor import READINGS
from cltheory.numeric.band.measured import measure
from cltheory.numeric.band.readings import (
    NAMES,
    AnchorReadings,
    BatchReadings,
    neighbours,
    views,
)
from draws import directions

SHAPES = [(1, 1), (1, 3), (2, 1), (4, 2), (7, 5)]


def unit(v: np.ndarray) -> np.ndarray:
    """Its direction; 0 where it is 0 but for rounding."""
    length = np.linalg.norm(v)
    return v / length if length > 1e-14 else 0 * v


def projected(rows: np.ndarray, *axes: np.ndarray) -> float:
    """The largest eigenvalue of the second moment orthogonal to some axes, by least squares."""
    span = np.stack(axes, 1)
    left = [v - span @ np.linalg.lstsq(span, v, rcond=None)[0] for v in rows]
    return np.linalg.norm(np.stack(left), 2) ** 2 / len(rows)


def plain(z: np.ndarray, positive: np.ndarray, negatives: np.ndarray, tau: float) -> dict:
    """The definitions, in loops, by the softmax over positive and negatives."""
    weights = [np.exp(z @ positive / tau)] + [np.exp(z @ v / tau) for v in negatives]
    p = [w / sum(weights) for w in weights]
    total = sum(p[1:])
    q = [w / total for w in p[1:]]
    mean = sum(a * v for a, v in zip(q, negatives, strict=True))
    softmax_mean = p[0] * positive + sum(a * v for a, v in zip(p[1:], negatives, strict=True))
    gradient = (softmax_mean - positive) / tau
    similarities = [z @ v for v in negatives]
    size = len(negatives)
    linear = [(s - np.mean(similarities)) / (size * tau) for s in similarities]

    def part(weights: list) -> float:
        return sum((total * sum(w * v for w, v in zip(weights, negatives, strict=True))) ** 2)

    moment = sum(np.outer(v, v) for v in negatives) / size
    return {
        "tau": tau,
        "n": size + 2,
        "N": size,
        "epsilon": total,
        "log_epsilon": np.log(total),
        "rho": softmax_mean @ positive,
        "one_minus_rho": 1 - softmax_mean @ positive,
        "mu": np.linalg.norm(mean),
        "sigma": np.linalg.eigvalsh(moment)[-1],
        "sigma_positive": projected(negatives, positive),
        "squared_gradient": gradient @ gradient,
        "squared_tangential": gradient @ gradient - (gradient @ z) ** 2,
        "positive_gap": 1 - mean @ positive,
        "participation": sum(a * a for a in q),
        "participation_excess": size * sum(a * a for a in q) - 1,
        "q_max": max(q),
        "mean_norm": np.linalg.norm(sum(negatives) / size),
        "similarity": z @ mean,
        "alignment": z @ positive,
        "sine": np.linalg.norm(z - (z @ positive) * positive),
        "similarity_beside": unit(z - (z @ positive) * positive) @ mean,
        "variance": np.var(similarities),
        "softmax_variance": sum(
            w * (s - z @ mean) ** 2 for w, s in zip(q, similarities, strict=True)
        ),
        "squared_sampling": part([1 / size] * size),
        "squared_fluctuation": part([w - 1 / size for w in q]),
        "squared_linear": part(linear),
        "squared_remainder": part([w - 1 / size - x for w, x in zip(q, linear, strict=True)]),
    }


@pytest.mark.parametrize("size, d", SHAPES)
def test_readings_of_an_anchor_are_the_definitions(size: int, d: int) -> None:
    z, positive, negatives = directions(1, 3, d), directions(2, 3, d), directions(3, 3, size, d)
    tau = torch.tensor([0.3, 1.0, 5.0], dtype=torch.float64)
    read = AnchorReadings(z, positive, negatives, tau)
    for i in range(3):
        expected = plain(z[i].numpy(), positive[i].numpy(), negatives[i].numpy(), float(tau[i]))
        assert set(expected) == set(NAMES)
        for name, value in expected.items():
            assert read[name].shape == (3,)
            assert float(read[name][i]) == pytest.approx(value, rel=1e-12, abs=1e-14), name


@pytest.mark.parametrize("pairs", [neighbours, views])
def test_readings_of_a_batch_are_those_of_its_anchors(pairs) -> None:
    n, d, tau = 6, 3, 0.4
    z, positive = directions(5, n, d), pairs(n)
    assert (positive[positive] == torch.arange(n)).all() and (positive != torch.arange(n)).all()
    read = BatchReadings(z, positive, tau)
    rows = []
    for i in range(n):
        others = [j for j in range(n) if j not in (i, int(positive[i]))]
        rows.append(plain(z[i].numpy(), z[positive[i]].numpy(), z[others].numpy(), tau))
    for name in NAMES:
        found = read.each(name)
        assert found.numpy() == pytest.approx([row[name] for row in rows], rel=1e-12, abs=1e-14)
        if name in READINGS:
            assert float(read["mean_" + name]) == pytest.approx(np.mean([r[name] for r in rows]))
    products = [row["epsilon"] ** 2 * row["sigma"] for row in rows]
    assert float(read["mean_epsilon_squared_sigma"]) == pytest.approx(np.mean(products))
    eigenvalues = np.linalg.eigvalsh(z.numpy().T @ z.numpy() / n)
    assert float(read["sigma_hat"]) == pytest.approx(eigenvalues[-1])
    assert float(read["effective_rank"]) == pytest.approx(1 / (eigenvalues**2).sum())


@pytest.mark.parametrize("tau", [0.02, 0.3, 3.0])
def test_the_gradient_is_that_of_autograd(tau: float) -> None:
    n, d = 8, 4
    z = directions(7, n, d)
    read = BatchReadings(z, views(n), tau)
    for i in range(n):
        anchor = z[i].clone().requires_grad_()
        logits = torch.stack([anchor @ z[j] for j in range(n) if j != i]) / tau
        at = int(views(n)[i]) - int(views(n)[i] > i)
        loss = torch.nn.functional.cross_entropy(logits, torch.tensor(at))
        (gradient,) = torch.autograd.grad(loss, anchor)
        assert torch.allclose(gradient, read.gradient[i], rtol=1e-9, atol=1e-12)
        raw = (2 * z[i]).clone().requires_grad_()
        unit = raw / raw.norm()
        logits = torch.stack([unit @ z[j] for j in range(n) if j != i]) / tau
        loss = torch.nn.functional.cross_entropy(logits, torch.tensor(at))
        (through,) = torch.autograd.grad(loss, raw)
        assert float((2 * through).square().sum()) == pytest.approx(
            float(read.squared_tangential[i]), rel=1e-9, abs=1e-12
        )


@pytest.mark.parametrize("tau", ["0.05", "0.001"])
def test_nothing_cancels_at_small_temperatures(tau: str) -> None:
    """Against 60 digits: a positive next to the anchor, and negatives near both and far off."""
    with mpmath.workdps(60):
        t = mpmath.mpf(float(tau))
        angles = [0, 1e-3, 0.3, 0.31, 2.0]
        rows = torch.tensor([[np.cos(a), np.sin(a)] for a in angles], dtype=torch.float64)
        z, positive, *negatives = ([mpmath.mpf(float(x)) for x in row] for row in rows)

        def dot(a: list, b: list) -> mpmath.mpf:
            return mpmath.fsum(x * y for x, y in zip(a, b, strict=True))

        weights = [mpmath.exp((dot(z, v) - dot(z, positive)) / t) for v in negatives]
        total = mpmath.fsum(weights)
        epsilon = total / (1 + total)
        mean = [
            mpmath.fsum(w * v[k] for w, v in zip(weights, negatives, strict=True)) / total
            for k in range(2)
        ]
        square = epsilon**2 * sum((a - b) ** 2 for a, b in zip(mean, positive, strict=True)) / t**2
        missing = epsilon * (1 - dot(mean, positive))
        read = AnchorReadings(rows[0], rows[1], rows[2:], float(tau))
        for name, value in (
            ("epsilon", epsilon),
            ("squared_gradient", square),
            ("one_minus_rho", missing),
        ):
            # An error of 1e-16 in a similarity is one of 1e-16/tau in a logit.
            assert float(read[name]) == pytest.approx(float(value), rel=2e-15 / float(tau))
        assert float(read["log_epsilon"]) == pytest.approx(float(mpmath.log(epsilon)), rel=1e-14)


def test_parallel_negatives_have_an_exact_bound_in_float64() -> None:
    """Where the bound by sigma is 10^17 times the squared gradient."""
    z = torch.tensor([0.6, 0.8], dtype=torch.float64)
    band = measure(z, z, torch.stack([z, -z, -z]), tau=0.04)
    assert float(band.upper / band.squared_gradient) > 1e17
    for name in ("upper_projected", "upper_projected_spectrum"):
        assert float(band.bound(name) / band.squared_gradient) == pytest.approx(1, rel=1e-12)

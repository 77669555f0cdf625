"""The metrics against their definitions, pair by pair."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import torch
from cltheory.numeric.losses import EuclideanWInfoNCE, SupCon, WInfoNCE
from cltheory.numeric.metrics import (
    effective_rank,
    loss_gap,
    procrustes,
    procrustes_r2,
    similarity_r2,
)

SEEDS = range(4)
SIMILARITIES = ("euclidean", "cosine", "dot")


def drawn(seed: int, n: int = 17, q: int = 3, at: float = 0.0) -> np.ndarray:
    return at + np.random.default_rng(seed).normal(size=(n, q))


def pairwise(z: Any, name: str) -> np.ndarray:
    """Definition 3.15's s over [1..n]^2."""
    if name == "euclidean":
        return -((z[:, None] - z[None]) ** 2).sum(-1)
    unit = z / np.linalg.norm(z, axis=1, keepdims=True) if name == "cosine" else z
    return unit @ unit.T


def naive_similarity(z: Any, z_star: Any, name: str) -> float:
    s, s_star = pairwise(z, name), pairwise(z_star, name)
    return float(1 - ((s - s_star) ** 2).mean() / s_star.var())


def turned(seed: int, z: np.ndarray) -> np.ndarray:
    omega, _ = np.linalg.qr(drawn(seed, z.shape[1], z.shape[1]))
    return z @ omega


# --- the coefficient of similarity ----------------------------------------------------------------
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", SIMILARITIES)
@pytest.mark.parametrize("at", [0.0, 3.0])
def test_similarity_is_that_of_all_pairs(seed: int, name: str, at: float) -> None:
    z_star = drawn(seed, at=at)
    for z in (drawn(seed + 10, at=at), z_star + 0.1 * drawn(seed + 20), 2 * z_star):
        expected = naive_similarity(z, z_star, name)
        assert similarity_r2(z, z_star, name) == pytest.approx(expected, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("name", SIMILARITIES)
def test_nothing_cancels_near_one(name: str) -> None:
    """1 - r^2 falls with the square of a disturbance, down to the rounding of 1 - x."""
    z, noise = drawn(3), drawn(4)
    lost = [1 - similarity_r2(turned(5, z + e * noise), z, name) for e in (1e-3, 1e-5, 1e-7)]
    assert lost[1] == pytest.approx(1e-4 * lost[0], rel=0.05)
    assert lost[2] == pytest.approx(1e-8 * lost[0], rel=0.2)


# --- Procrustes -----------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", SEEDS)
def test_procrustes_is_that_of_the_best_isometry(seed: int) -> None:
    """Against scipy's turn, which scales nothing, and against other isometries."""
    linalg = pytest.importorskip("scipy.linalg", reason="needs scipy")
    z, z_star = drawn(seed), drawn(seed) @ np.diag([1, 0.5, -1]) + 0.3 * drawn(seed + 5)
    a, b = z - z.mean(0), z_star - z_star.mean(0)
    omega, _ = linalg.orthogonal_procrustes(a, b)
    expected = 1 - ((a @ omega - b) ** 2).sum(1).mean() / b.var(0).sum()
    found = procrustes_r2(z, z_star)
    assert found == pytest.approx(expected, rel=1e-12)
    motion = procrustes(z, z_star)
    moved = z @ motion.omega.numpy() + motion.b.numpy()
    assert 1 - ((moved - z_star) ** 2).sum(1).mean() / b.var(0).sum() == pytest.approx(found)
    for other in range(20):
        worse = turned(other, a)
        assert found >= 1 - ((worse - b) ** 2).sum(1).mean() / b.var(0).sum()


# --- the loss gap ---------------------------------------------------------------------------------
def test_the_gap_is_zero_at_an_optimum() -> None:
    """w = exp(-|y - y'|^2) is attained by z = y, moved as one likes."""
    y = drawn(1)
    moved = torch.tensor(turned(2, y) + 1.0)
    assert loss_gap(EuclideanWInfoNCE(), moved, torch.tensor(y)) == pytest.approx(0, abs=1e-12)
    assert loss_gap(EuclideanWInfoNCE(), 1.5 * moved, torch.tensor(y)) > 0.01


def test_the_gap_without_a_matrix_is_that_with_one() -> None:
    labels = torch.arange(17) % 4
    z, w = torch.tensor(drawn(3)), (labels[:, None] == labels).double()
    gap = loss_gap(SupCon(0.2), z, labels)
    assert gap == pytest.approx(loss_gap(WInfoNCE(0.2), z, w), rel=1e-12)
    assert gap == pytest.approx(loss_gap(SupCon(0.2), z.float(), labels), rel=1e-5)


def test_the_gap_of_pairs_has_no_value() -> None:
    z, labels = torch.tensor(drawn(3, n=6)), torch.tensor([0, 0, 1, 1, 2, 2])
    with pytest.raises(ValueError, match="the entropic bound is 0"):
        loss_gap(SupCon(), z, labels)


# --- bad input ------------------------------------------------------------------------------------
def test_targets_without_variance_are_refused() -> None:
    z, same = drawn(1), np.full((17, 3), 0.1)
    for name in SIMILARITIES:
        with pytest.raises(ValueError, match="have the same"):
            similarity_r2(z, same, name)
    with pytest.raises(ValueError, match="all targets are the same point"):
        procrustes_r2(z, same)
    with pytest.raises(ValueError, match="have the same"):  # one ray has one cosine
        similarity_r2(z, np.outer(np.arange(1, 18), [1.0, 2.0]), "cosine")


@pytest.mark.parametrize(
    ("z", "z_star", "says"),
    [
        (drawn(1), drawn(1, n=4), "17 embeddings and 4 targets"),
        (drawn(1)[0], drawn(1), r"embeddings must be \(n, q\)"),
        (drawn(1), np.full((17, 3), np.nan), "targets are not finite"),
    ],
)
def test_bad_input_is_refused(z: Any, z_star: Any, says: str) -> None:
    for metric in (similarity_r2, procrustes_r2, procrustes):
        with pytest.raises(ValueError, match=says):
            metric(z, z_star)


def test_zero_vectors_have_no_cosine() -> None:
    z = drawn(1)
    z[2] = 0
    with pytest.raises(ValueError, match="embedding 2 is zero"):
        similarity_r2(z, drawn(1), "cosine")
    with pytest.raises(ValueError, match="similarity must be one of"):
        similarity_r2(z, z, "angle")  # type: ignore[arg-type]


# --- the effective rank ---------------------------------------------------------------------------
def spectrum_rank(z: np.ndarray) -> float:
    """By the eigenvalues of the second moment, of trace one."""
    shares = np.linalg.eigvalsh(z.T @ z / np.trace(z.T @ z))
    return 1 / (shares**2).sum()


@pytest.mark.parametrize("n, d", [(1, 1), (1, 5), (7, 1), (5, 9), (9, 5), (6, 6)])
def test_effective_rank_is_that_of_the_spectrum(n: int, d: int) -> None:
    batches = np.stack([drawn(seed, n, d, at=0.3) for seed in SEEDS])
    found = effective_rank(torch.as_tensor(batches))
    assert found.tolist() == pytest.approx([spectrum_rank(z) for z in batches], rel=1e-12)
    scaled = effective_rank(1e6 * torch.as_tensor(batches))
    assert scaled.tolist() == pytest.approx(found.tolist(), rel=1e-12)


def test_effective_rank_has_a_gradient() -> None:
    z = torch.as_tensor(drawn(1, 5, 3)).requires_grad_()
    assert torch.autograd.gradcheck(effective_rank, (z,))


@pytest.mark.parametrize(
    "z, says",
    [
        (torch.zeros(3, 2), "zeros"),
        (torch.full((3, 2), torch.nan), "not finite"),
        (torch.ones(3), "must be (n, d)"),
        (torch.ones(0, 2), "must be (n, d)"),
    ],
)
def test_no_effective_rank(z: torch.Tensor, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        effective_rank(z)

"""Graphs in numbers: against loops, enumeration, autograd and other packages."""

from __future__ import annotations

from itertools import product
from math import log

import numpy as np
import pytest
import torch
from cltheory.numeric.graphs.agreement import (
    adjusted_rand,
    captured,
    centred,
    k_means,
    principal_angles,
)
from cltheory.numeric.graphs.draw import (
    drawn_from,
    planted_labels,
    planted_partition,
    probabilities,
)
from cltheory.numeric.graphs.energy import Kernel, cross_entropy, entropy, infonce
from cltheory.numeric.graphs.spectral import LAPLACIANS, bottom_eigenvectors, laplacian, trivial
from cltheory.numeric.graphs.train import Setup, minimised, sgd, start
from torch import Tensor

KERNELS = [Kernel(0.5), Kernel(0.3, 1.0), Kernel(0.7, 0.5), Kernel(0.4, 2.0)]


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def weights(n: int, seed: int = 0) -> Tensor:
    """A dense graph that is not symmetric."""
    pi = torch.rand(n, n, generator=generator(seed), dtype=torch.float64)
    return pi.fill_diagonal_(0)


def points(n: int, d: int, seed: int = 0) -> Tensor:
    return torch.randn(n, d, generator=generator(seed), dtype=torch.float64)


# --- drawing -------------------------------------------------------------------------------------
def test_a_planted_partition_has_its_frequencies() -> None:
    pi = planted_partition(4, 60, 0.7, 0.1, generator())
    label = planted_labels(4, 60)
    assert torch.equal(pi, pi.T) and not pi.diagonal().any() and set(pi.unique().tolist()) == {0, 1}
    same = (label[:, None] == label).triu(1)
    across = (label[:, None] != label).triu(1)
    # Four standard deviations of a mean of so many draws.
    for part, p in ((same, 0.7), (across, 0.1)):
        off = 4 * (p * (1 - p) / int(part.sum())) ** 0.5
        assert float(pi[part].mean()) == pytest.approx(p, abs=off)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ((2, 3, 1.5, 0), "p is a probability"),
        ((2, 3, 1, -0.1), "q is a probability"),
        ((2, 3, float("nan"), 0), "p is a probability"),
        ((2, 1, 1, 0), "at least 2 vertices"),
        ((2, 3, 0, 0), "vertex 0 has no edge.*5 more"),
    ],
)
def test_no_graph_without_its_numbers(given: tuple[int, int, float, float], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        planted_partition(*given, generator())


def chi_square(pi: Tensor, expected: Tensor, draws: int) -> float:
    """Of the ends of edges that were drawn from one graph, against what another expects."""
    random, counts, sums = generator(), torch.zeros_like(pi), pi.cumsum(1)
    for _ in range(draws):
        ends = drawn_from(sums, random)
        assert ends.shape == (len(pi),) and bool((pi[torch.arange(len(pi)), ends] > 0).all())
        counts[torch.arange(len(pi)), ends] += 1
    mean = draws * probabilities(expected)
    there = mean > 0
    return float(((counts - mean)[there] ** 2 / mean[there]).sum())


def test_subgraphs_have_out_degree_one_and_the_odds_of_the_graph() -> None:
    """A chi-square with 20 * 18 degrees of freedom, at five standard deviations."""
    pi = weights(20)
    pi[:, 3] = 0  # no edge ends there
    pi[3, 5] = 0.4
    free = int((pi > 0).sum()) - 20
    assert abs(chi_square(pi, pi, 3000) - free) < 5 * (2 * free) ** 0.5
    wrong = pi.clone()
    wrong[pi > 0] = 1.0
    assert chi_square(pi, wrong, 3000) > free + 50 * (2 * free) ** 0.5
    assert chi_square(pi, pi.T * (pi > 0) + 1e-3 * (pi > 0), 300) > free + 20 * (2 * free) ** 0.5


# --- Laplacians ----------------------------------------------------------------------------------
def by_hand(pi: np.ndarray, kind: str) -> np.ndarray:
    n = len(pi)
    rows = [[pi[i, j] / sum(pi[i]) for j in range(n)] for i in range(n)]
    w = np.array(rows) if kind == "symmetrised" else pi
    w = np.array([[(w[i, j] + w[j, i]) / 2 for j in range(n)] for i in range(n)])
    found = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i == j:
                found[i, i] = sum(w[i])
            else:
                found[i, j] = -w[i, j]
    if kind == "normalised":
        found /= np.sqrt(np.outer(w.sum(1), w.sum(1)))
    return found


@pytest.mark.parametrize("kind", LAPLACIANS)
def test_laplacians_and_eigenvectors(kind: str) -> None:
    pi = weights(9)
    expected = by_hand(pi.numpy(), kind)
    matrix, zero = laplacian(pi, kind), trivial(pi, kind)
    assert matrix.numpy() == pytest.approx(expected, abs=1e-14)
    assert (matrix @ zero).numpy() == pytest.approx(0, abs=1e-14)
    values, vectors = bottom_eigenvectors(pi, 8, kind)
    assert values.numpy() == pytest.approx(np.linalg.eigvalsh(expected)[1:], abs=1e-12)
    assert (matrix @ vectors).numpy() == pytest.approx((vectors * values).numpy(), abs=1e-12)
    assert (vectors.T @ vectors).numpy() == pytest.approx(np.eye(8), abs=1e-12)
    assert (zero @ vectors).numpy() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("kind", LAPLACIANS)
def test_of_a_graph_in_pieces_the_constant_is_not_mixed_in(kind: str) -> None:
    pi = planted_partition(4, 5, 1, 0, generator())
    values, vectors = bottom_eigenvectors(pi, 4, kind)
    assert values[:3].numpy() == pytest.approx(0, abs=1e-12) and values[3] > 0.5
    means = vectors[:, :3].reshape(4, 5, 3)
    assert (means - means.mean(1, keepdim=True)).abs().max() < 1e-12
    assert vectors[:, :3].sum(0).numpy() == pytest.approx(0, abs=1e-12)


# --- agreement -----------------------------------------------------------------------------------


def test_angles_against_scipy() -> None:
    linalg = pytest.importorskip("scipy.linalg")
    for d, e in ((2, 2), (2, 5), (5, 3)):
        a, b = points(12, d, 1), points(12, e, 2)
        expected = np.rad2deg(linalg.subspace_angles(a.numpy(), b.numpy()))[::-1]
        assert principal_angles(a, b).numpy() == pytest.approx(expected, abs=1e-9)


def test_the_part_of_the_variance() -> None:
    columns = torch.eye(6, dtype=torch.float64)[:, :2]
    z = torch.zeros(6, 1, dtype=torch.float64)
    z[:3, 0] = torch.tensor([2.0, -1.0, -1.0])  # its mean is zero
    assert captured(z, columns) == pytest.approx(5 / 6)
    assert captured(z + 7, 3 * columns) == pytest.approx(5 / 6)


# --- losses --------------------------------------------------------------------------------------
def energy(x: Tensor, y: Tensor, kernel: Kernel) -> Tensor:
    r = (x - y).norm()
    return r**2 / (2 * kernel.tau) if kernel.gamma is None else r**kernel.gamma / kernel.tau


def plain(z: Tensor, anchor: int, positive: int, among: list[int], kernel: Kernel) -> Tensor:
    """One anchor, by a loop."""
    scores = torch.stack([-energy(z[anchor], z[j], kernel) for j in among])
    return energy(z[anchor], z[positive], kernel) + torch.logsumexp(scores, 0)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("negatives", ["all", "batch"])
def test_infonce_against_a_loop_and_autograd(kernel: Kernel, negatives: str) -> None:
    z = points(8, 3).requires_grad_(True)
    anchors, positives = torch.tensor([1, 4, 6]), torch.tensor([0, 7, 0])
    if negatives == "all":
        terms = [
            plain(z, int(i), int(j), [k for k in range(8) if k != i], kernel)
            for i, j in zip(anchors, positives, strict=True)
        ]
    else:  # the six ends as views of their own, vertex 0 twice
        views = z[torch.cat([anchors, positives])] + 0
        # A view that coincides with another has no slope of its own for a power of the distance:
        # the two are the same variable, and their distance is constant.
        terms = []
        for i in range(6):
            scores = []
            for j in (j for j in range(6) if j != i):
                same = torch.equal(views[i], views[j])
                scores.append(-(0 * z.sum() if same else energy(views[i], views[j], kernel)))
            j = (i + 3) % 6
            terms.append(
                energy(views[i], views[j], kernel) + torch.logsumexp(torch.stack(scores), 0)
            )
    mean = torch.stack(terms).mean()
    (slope,) = torch.autograd.grad(mean, z)
    expected = float(mean.detach())
    value, gradient = infonce(z.detach(), anchors, positives, kernel, negatives)
    # Distances of a power below 2 are smoothed by 1e-12 in their square: exp(-(1e-6)^gamma / tau)
    # for two views that coincide.
    off = 1e-2 if negatives == "batch" and kernel.gamma == 0.5 else 1e-5
    assert float(value) == pytest.approx(expected, rel=off if negatives == "batch" else 1e-9)
    assert gradient.numpy() == pytest.approx(slope.numpy(), abs=off)
    if negatives == "all":
        assert gradient.numpy() == pytest.approx(slope.numpy(), abs=1e-9)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_the_cross_entropy_is_the_mean_over_all_subgraphs(kernel: Kernel) -> None:
    """Every subgraph of out-degree one of four vertices, with its probability (Lemma 2.3)."""
    pi, z, n = weights(4), points(4, 2), 4
    rows, mean, slope = probabilities(pi), 0.0, torch.zeros_like(z)
    for ends in product(range(n), repeat=n):
        odds = float(torch.stack([rows[i, j] for i, j in enumerate(ends)]).prod())
        if odds:
            value, gradient = infonce(z, torch.arange(n), torch.tensor(ends), kernel)
            mean, slope = mean + odds * float(value), slope + odds * gradient
    value, gradient = cross_entropy(z, pi, kernel)
    assert float(value) == pytest.approx(mean, rel=1e-12)
    assert gradient.numpy() == pytest.approx(slope.numpy(), abs=1e-12)


# --- what the theory says ------------------------------------------------------------------------
def test_small_embeddings_see_the_laplacian() -> None:
    """n H = n log(n - 1) + (tr Z^T L Z - n/(n - 1) tr Z^T Z)/tau + O(|Z|^4) for centred Z.

    With the symmetrised Laplacian, and with no other. What is left out is of relative size 1e-6.
    """
    n, tau, pi = 9, 0.4, weights(9)
    z = 1e-3 * centred(points(n, 3))
    value, _ = cross_entropy(z, pi, Kernel(tau))
    above = n * (float(value) - log(n - 1))

    def quadratic(kind: str) -> float:
        inner = (z.T @ laplacian(pi, kind) @ z).trace() - n / (n - 1) * z.square().sum()
        return float(inner) / tau

    assert above == pytest.approx(quadratic("symmetrised"), rel=1e-4)
    assert above != pytest.approx(quadratic("unnormalised"), rel=1e-2)
    assert above != pytest.approx(quadratic("normalised"), rel=1e-2)


def simplex(clusters: int, k: int, squared: float) -> Tensor:
    """Clusters collapsed to the vertices of a regular simplex of this squared side."""
    corners = torch.eye(clusters, dtype=torch.float64) * (squared / 2) ** 0.5
    return corners.repeat_interleave(k, 0)


def test_the_optimum_of_the_mean_graph_is_a_simplex() -> None:
    """Weights p inside and q across: squared sides of 2 tau log(p/q) attain the entropy.

    Then the softmax of the kernel is the law of the graph, which no cross-entropy is below, and
    the span is that of the lowest eigenvectors exactly.
    """
    clusters, k, p, q, tau = 4, 5, 0.75, 0.2, 0.5
    label = planted_labels(clusters, k)
    pi = (q + (p - q) * (label[:, None] == label).double()).fill_diagonal_(0)
    z = simplex(clusters, k, 2 * tau * log(p / q))
    value, gradient = cross_entropy(z, pi, Kernel(tau))
    assert float(value) == pytest.approx(entropy(pi), abs=1e-13)
    assert gradient.abs().max() < 1e-13
    _, vectors = bottom_eigenvectors(pi, clusters - 1)
    assert principal_angles(centred(z), vectors).max() < 1e-6
    for off in (0.9, 1.1):
        wrong, slope = cross_entropy(off * z, pi, Kernel(tau))
        assert float(wrong) > entropy(pi) + 1e-4 and slope.abs().max() > 1e-4
    found = minimised(pi, points(20, 3), Kernel(tau))
    assert found.value == pytest.approx(entropy(pi), abs=1e-12)
    sides = torch.cdist(found.points, found.points)[:k, k:] ** 2
    assert sides.numpy() == pytest.approx(2 * tau * log(p / q), abs=1e-4)


# --- training ------------------------------------------------------------------------------------
def test_sgd_finds_the_clusters_and_says_how_it_ended() -> None:
    pi, label = planted_partition(3, 10, 1, 0, generator()), planted_labels(3, 10)
    first = start(30, 2, generator(1))
    for negatives in ("all", "batch"):
        setup = Setup(batch=10, negatives=negatives)
        found = sgd(pi, first, setup, generator(2))
        again = sgd(pi, first, setup, generator(2))
        assert torch.equal(found.points, again.points)
        assert found.stop == "converged" and found.iterations % 100 == 0
        assert adjusted_rand(k_means(found.points, 3), label) == 1
        assert cross_entropy(found.points, pi, Kernel())[0] < cross_entropy(first, pi, Kernel())[0]
    few = sgd(pi, first, Setup(batch=10, most=7), generator(2))
    assert (few.stop, few.iterations) == ("iterations", 7) and torch.equal(few.early, few.points)


def test_points_stay_on_the_sphere() -> None:
    pi, first = planted_partition(3, 8, 0.9, 0.1, generator()), start(24, 3, generator(1), True)
    trained = sgd(pi, first, Setup(sphere=True, most=20), generator(2)).points
    best = minimised(pi, trained, Kernel(), sphere=True)
    for z in (first, trained, best.points):
        assert z.norm(dim=1).numpy() == pytest.approx(1, abs=1e-12)
    _, slope = cross_entropy(best.points, pi, Kernel())
    tangential = slope - (slope * best.points).sum(1, keepdim=True) * best.points
    assert tangential.abs().max() < 1e-7 and slope.abs().max() > 1e-4
    # Of few steps, so that it is no rounding: the gradient of x / |x| in x is less than that.
    early = minimised(pi, 0.1 * first, Kernel(), sphere=True, steps=3)
    _, slope = cross_entropy(early.points, pi, Kernel())
    tangential = slope - (slope * early.points).sum(1, keepdim=True) * early.points
    assert early.gradient == pytest.approx(float(tangential.abs().max()), rel=1e-9)

"""Noise against losses written out again, and a minimiser over embeddings."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import exp, log
from pathlib import Path

import numpy as np
import pytest
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.decide.evidence import Holds
from cltheory.derive.proof.derivation import Derivation, StepFailed
from cltheory.derive.results import results
from cltheory.derive.results._noise import with_noise
from cltheory.derive.results.classes.supcon_noise import PROBLEM
from cltheory.derive.structures.towers import N
from scipy.optimize import brentq, minimize
from sympy import Integer

PAIRS, LABELS = results["infonce-noise"], results["supcon-noise"]


def pairs_loss(z: np.ndarray, rho: float, tau: float) -> float:
    """Cross-entropy of both directions against targets 1 - rho and rho/(N - 1)."""
    u, v = z / np.linalg.norm(z, axis=-1, keepdims=True)
    size = len(u)
    targets = np.where(np.eye(size, dtype=bool), 1 - rho, rho / (size - 1))
    logits = u @ v.T / tau
    both = [x - np.logaddexp.reduce(x, axis=1, keepdims=True) for x in (logits, logits.T)]
    return -float(sum((targets * x).sum() for x in both)) / (2 * size)


def least(rho: float, tau: float, size: int, d: int) -> float:
    rng = np.random.default_rng(0)
    best = np.inf
    for _ in range(4):
        start = rng.standard_normal(2 * size * d)
        found = minimize(
            lambda z: pairs_loss(z.reshape(2, size, d), rho, tau), start, options={"gtol": 1e-9}
        )
        best = min(best, found.fun)
    return best


@pytest.mark.parametrize(("rho", "tau"), [(0.05, 0.2), (0.05, 0.6), (0.3, 0.5), (0.3, 2.0)])
def test_the_least_loss_is_found_by_search(rho: float, tau: float) -> None:
    size = 3
    at = {"N": size, "rho": str(rho), "tau": str(tau)}
    cold = tau < float(PAIRS.value("tau_min", **at))
    derived = float(PAIRS.value("loss_below" if cold else "loss", **at))
    assert least(rho, tau, size, size) == pytest.approx(derived, abs=1e-7)
    with pytest.raises(DomainError):
        PAIRS.value("loss" if cold else "loss_below", **at)


def test_below_the_threshold_the_temperature_does_not_show() -> None:
    """So a temperature that is learned is not identified: any small enough one attains it."""
    for result in (PAIRS, LABELS):
        assert "tau" not in {s.name for s in result.quantity("loss_below").expression.free_symbols}
    entropy = -(0.9 * log(0.9) + 0.1 * log(0.1 / 7))
    assert float(PAIRS.value("loss_below", N=8, rho="0.1", tau="0.01")) == pytest.approx(entropy)


def test_targets_are_met_in_the_cone() -> None:
    m, n, p, rho, tau = 4, 3, 2, 0.2, 0.1
    at = {"m": m, "n": n, "p": p, "rho": str(rho), "tau": str(tau)}
    c = float(LABELS.value("cosine_below", **at))
    near, far = (n * p - 1) * exp(1 / tau), n * p * (m - 1) * exp(c / tau)
    assert far / (near + far) == pytest.approx(rho, rel=1e-12)
    assert -1 / (m - 1) < c < 1


def test_m_dimensions_have_room_for_the_cone() -> None:
    """Its loss, written out for vectors of rank m: no embeddings have less than the entropy."""
    m, n, p, rho, tau = 3, 2, 2, 0.2, 0.1
    at = {"m": m, "n": n, "p": p, "rho": str(rho), "tau": str(tau)}
    c = float(LABELS.value("cosine_below", **at))
    classes = np.linalg.cholesky((1 - c) * np.eye(m) + c)
    z = np.repeat(classes, n * p, axis=0)
    logits = z @ z.T / tau - np.diag(np.full(len(z), np.inf))
    softmax = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
    same = np.kron(np.eye(m, dtype=bool), np.ones((n * p, n * p), dtype=bool))
    np.fill_diagonal(same, False)
    far = np.kron(~np.eye(m, dtype=bool), np.ones((n * p, n * p), dtype=bool))
    value = -(1 - rho) * softmax[same].mean() - rho * softmax[far].mean()
    assert float(LABELS.value("loss_below", **at)) == pytest.approx(value, rel=1e-12)
    for result, least in ((PAIRS, "N"), (LABELS, "m")):
        room = result.quantity("cosine_below").room
        assert room is not None and str(room.least) == least
        for step in result.derivation:
            if step.title.startswith("The cone exists"):
                wrong = step.says.shown.func(step.says.shown.lhs, step.says.shown.rhs - 1)
                assert not isinstance(step.says.saying(wrong).decide(), Holds)
                break
        else:
            raise AssertionError("it is not stated")


@pytest.mark.parametrize("size", [4, 5, 6])
def test_from_four_items_on_towers_attain_the_entropy_without_room_for_the_cone(size: int) -> None:
    """Circulant towers in N - 1 dimensions; with three items they are the simplex."""
    rho, tau = 0.1, 0.6 * float(PAIRS.value("tau_min", N=size, rho="0.1"))
    gap = 1 - float(PAIRS.value("cosine_below", N=size, rho="0.1", tau=str(tau)))
    modes = np.fft.fft(np.eye(size), norm="ortho")
    frequency = np.minimum(np.arange(size), size - np.arange(size))

    def powers(spread: float) -> np.ndarray:
        found = np.where(frequency == 1, np.exp(spread), 1.0) * (frequency > 0)
        return found * size / found.sum()

    def misses(spread: float) -> float:
        return gap**2 * (1 / powers(spread)[1:]).sum() - size

    spread = brentq(misses, 0, 20)
    both = [powers(spread), np.append(0, gap**2 / powers(spread)[1:])]
    z = np.array([((modes * np.sqrt(x)) @ modes.conj().T).real for x in both])
    assert np.linalg.matrix_rank(np.vstack(z), tol=1e-6) == size - 1
    assert np.linalg.norm(z, axis=-1) == pytest.approx(1, abs=1e-9)
    least = float(PAIRS.value("loss_below", N=size, rho="0.1", tau=str(tau)))
    assert pairs_loss(z, rho, tau) == pytest.approx(least, abs=1e-9)
    room = PAIRS.quantity("loss_below").room.least
    assert [room.xreplace({N: Integer(k)}) for k in (2, 3, size)] == [2, 3, size - 1]


def test_the_cone_begins_where_the_simplex_ends() -> None:
    at = {"N": 6, "rho": "1/10"}
    start = str(PAIRS.value("tau_min", digits=60, **at))[:50]
    c = PAIRS.value("cosine_below", tau=start, digits=30, **at)
    assert abs(float(c) + 1 / 5) < 1e-25


def test_a_structure_that_does_not_coincide_is_refused() -> None:
    """Views as classes: the conditions differ, and nothing is said."""
    with pytest.raises((StepFailed, DomainError, ValueError)):
        with_noise(PROBLEM, "instances", ("same_instance",), "it is optimal", Derivation())


def test_captions_from_outside_the_batch_do_not_close_the_simplex() -> None:
    """Batches of two of five images, a share of captions of any other image, all cases summed."""
    images, rho = range(5), 0.3
    tau = 0.9 * float(PAIRS.value("tau_min", N=2, rho="0.3"))

    def loss(cosine: float) -> float:
        total = 0.0
        for *batch, one, two in product(images, repeat=4):
            captions = (one, two)
            if batch[0] != batch[1]:
                of = [1 - rho if batch[i] == captions[i] else rho / 4 for i in (0, 1)]
                s = [[1.0 if c == image else cosine for c in captions] for image in batch]
                each = [log(1 + exp((s[i][1 - i] - s[i][i]) / tau)) for i in (0, 1)]
                total += of[0] * of[1] * sum(each) / 2
        return total / 20

    assert all(loss(c) > loss(-1 / 4) for c in (-0.2, 0, 0.2, 0.5))
    # With the other caption of the batch a cone is better there, with the gap 1.8 and not 2.
    simplex, cone = (np.array([[1, 0], [c, np.sqrt(1 - c * c)]]) for c in (-1, -0.8))
    assert pairs_loss(np.stack([cone] * 2), rho, tau) < pairs_loss(
        np.stack([simplex] * 2), rho, tau
    )


@pytest.mark.parametrize(
    ("alpha", "tau", "end"), [("1/2", "1/2", "instances"), ("1/10", "1/2", "mean")]
)
def test_how_supcl_leaves_collapse_with_flipped_labels(alpha: str, tau: str, end: str) -> None:
    """The smallest end is where the dual condition fails, on embeddings, and towards what."""
    m, n, p = 3, 2, 2
    size, heat, weight = m * n * p, float(Fraction(tau)), float(Fraction(alpha))
    file = str(Path(__file__).parents[2] / "docs/problems/flipped-labels.toml")
    at = {"m": m, "n": n, "p": p, "tau": tau, "alpha": alpha}
    made = results[file].with_inputs(at=at)
    names = {k: f"rho_classes_{k}" for k in ("instances", "mean")}
    ends = {k: float(made.value(v, **at)) for k, v in names.items() if v in made.quantities}
    rho = min(ends.values())
    assert min(ends, key=ends.__getitem__) == end
    c, i, _ = (np.array(x) for x in zip(*product(range(m), range(n), range(p)), strict=True))
    own = (c[:, None] == c) & (i[:, None] == i)
    mates = (c[:, None] == c) & ~own
    far = c[:, None] != c
    gram = np.where(far, -1 / (m - 1), 1.0)
    softmax = np.exp(gram / heat) / np.exp(gram / heat).sum(1, keepdims=True)

    def slack(rho: float) -> np.ndarray:
        pulls = (1 - weight) * ((1 - rho) * mates / mates.sum(1) + rho * far / far.sum(1))
        slope = softmax - pulls - weight * own / own.sum(1)
        return slope - np.diag((slope @ gram).diagonal())

    assert np.linalg.eigvalsh(slack(rho - 1e-6)).min() > -1e-12
    contrast = np.where(c == 0, np.where(i == 0, 1.0, -1.0), 0.0)
    towards = {"mean": np.ones(size), "instances": contrast}[end]
    assert towards @ slack(rho + 1e-6) @ towards < 0 < towards @ slack(rho - 1e-6) @ towards


def test_a_cone_of_collapsed_classes_is_found_though_slacks_beside_it_are_zero() -> None:
    """Beyond rho_classes_mean; there the softmax is the targets, so no eigenvalue tells more."""
    m, n, p, heat, weight, rho = 3, 2, 2, 0.3, 0.1, 0.1
    file = str(Path(__file__).parents[2] / "docs/problems/flipped-labels.toml")
    at = {"m": m, "n": n, "p": p, "tau": "3/10", "alpha": "1/10", "rho": "1/10"}
    assert results[file].value("rho_classes_mean", **at) < rho
    assert results[file].value("structure", **at) == "classes+mean"
    far = float(results[file].value("cross_class", **at))
    others = (m - 1) * n * p
    softmax = others * np.exp(far / heat) / (others * np.exp(far / heat) + n * p * np.exp(1 / heat))
    assert softmax == pytest.approx((1 - weight) * rho, rel=1e-12)
    assert [results[file].value(r, **at) for r in ("same_instance", "same_class")] == [1, 1]

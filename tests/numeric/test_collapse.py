"""Measures of collapse against plain numpy, and verdicts on embeddings made to collapse."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from cltheory.numeric.band.monitor import sigmas
from cltheory.numeric.metrics import (
    CollapseMonitor,
    Limits,
    alignment,
    class_variances,
    effective_rank,
    modality_gap,
    neural_collapse,
    rankme,
    simplex_distance,
    uniformity,
)

SEEDS = range(3)


def drawn(seed: int, n: int = 30, d: int = 7) -> np.ndarray:
    z = np.random.default_rng(seed).normal(size=(n, d))
    return z / np.linalg.norm(z, axis=1, keepdims=True)


def turn(seed: int, d: int = 7) -> np.ndarray:
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(d, d)))[0]


def labels_of(seed: int, n: int = 30, m: int = 4) -> np.ndarray:
    """Of different sizes, none below 2, and not numbered from 0 on."""
    rest = np.random.default_rng(seed).integers(0, m, n - 2 * m)
    return 3 * np.concatenate([np.arange(2 * m) % m, rest]) + 5


# --- against the definitions ----------------------------------------------------------------------
@pytest.mark.parametrize("seed", SEEDS)
def test_classes_as_printed(seed: int) -> None:
    z, labels = drawn(seed), labels_of(seed)
    classes = np.unique(labels)
    means = np.array([z[labels == c].mean(0) for c in classes])
    own = means[np.searchsorted(classes, labels)]
    found = class_variances(z, labels)
    assert float(found.within) == pytest.approx(((z - own) ** 2).sum(1).mean(), rel=1e-12)
    assert float(found.between) == pytest.approx(((own - z.mean(0)) ** 2).sum(1).mean(), rel=1e-12)
    assert float(found.within + found.between) == pytest.approx(z.var(0).sum(), rel=1e-12)
    assert found.of_class.tolist() == pytest.approx([z[labels == c].var(0).sum() for c in classes])
    centred = means - means.mean(0)
    sigma_w = (z - own).T @ (z - own) / len(z)
    sigma_b = centred.T @ centred / len(classes)
    weights = np.random.default_rng(seed).normal(size=means.shape)
    nc = neural_collapse(z, labels, weights)
    # The pseudoinverse of numpy needs to be told where rounding begins.
    inverse = np.linalg.pinv(sigma_b, rcond=1e-10)
    assert float(nc.nc1) == pytest.approx(np.trace(sigma_w @ inverse) / len(classes), rel=1e-9)
    norms = np.linalg.norm(centred, axis=1)
    assert float(nc.nc2_equinorm) == pytest.approx(norms.std() / norms.mean())
    unit = centred / norms[:, None]
    apart = (unit @ unit.T)[~np.eye(len(classes), dtype=bool)]
    assert float(nc.nc2_equiangular) == pytest.approx(apart.std())
    assert float(nc.nc2_maximal) == pytest.approx(abs(apart + 1 / (len(classes) - 1)).mean())
    dual = weights / np.linalg.norm(weights) - centred / np.linalg.norm(centred)
    assert nc.nc3 is not None and float(nc.nc3) == pytest.approx((dual**2).sum())


@pytest.mark.parametrize("n, d", [(30, 7), (5, 9)])
def test_rankme_as_printed(n: int, d: int) -> None:
    z = drawn(n, n, d)
    s = np.linalg.svd(z, compute_uv=False)
    p = s / s.sum()
    assert float(rankme(z)) == pytest.approx(np.exp(-(p * np.log(p)).sum()), rel=1e-12)
    # Directions without anything in them do not count.
    wide = np.concatenate([z, np.zeros((n, 3))], 1) @ turn(1, d + 3)
    assert float(rankme(wide)) == pytest.approx(float(rankme(z)), rel=1e-6)


def test_pairs_as_printed() -> None:
    x, y = drawn(0), drawn(1)
    squared = ((x[:, None] - x[None]) ** 2).sum(-1)[np.triu_indices(len(x), 1)]
    assert float(uniformity(x)) == pytest.approx(np.log(np.exp(-2 * squared).mean()), rel=1e-12)
    lengths = np.linalg.norm(x - y, axis=1)
    assert float(alignment(x, y)) == pytest.approx((lengths**2).mean(), rel=1e-12)
    assert float(alignment(x, y, 1)) == pytest.approx(lengths.mean(), rel=1e-12)
    assert float(modality_gap(x, y)) == pytest.approx(np.linalg.norm(x.mean(0) - y.mean(0)))


def simplex(m: int, d: int) -> np.ndarray:
    rows = np.eye(m, d) - np.eye(m, d).mean(0)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_distance_to_the_simplex() -> None:
    assert float(simplex_distance(simplex(4, 7) @ turn(0))) == pytest.approx(0, abs=1e-7)
    assert float(simplex_distance(np.zeros((4, 7)))) == pytest.approx(1)
    assert float(simplex_distance(np.tile(drawn(0, 1), (4, 1)))) == pytest.approx(2**0.5)
    # No turn of the simplex is nearer than the best, and a random one is farther.
    means, best = 0.7 * drawn(2, 4), float(simplex_distance(0.7 * drawn(2, 4)))
    for seed in range(20):
        apart = means - simplex(4, 7) @ turn(seed)
        assert np.sqrt((apart**2).sum(1).mean()) > best
    assert float(simplex_distance(simplex(4, 4) @ np.eye(4, 2))) > 0.3


# --- properties -----------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_depends_on_a_turn_or_on_the_order(seed: int) -> None:
    z, labels = drawn(seed), labels_of(seed)
    order = np.random.default_rng(seed).permutation(len(z))
    monitor = CollapseMonitor()
    before = monitor(z, labels=labels).floats()
    assert "tensor" not in repr(monitor(z, labels=labels))
    after = monitor((z @ turn(seed))[order], labels=labels[order]).floats()
    assert before.keys() == after.keys()
    for name, value in before.items():
        assert after[name] == pytest.approx(value, rel=1e-8, abs=1e-9), name


def measures(z: torch.Tensor, labels: torch.Tensor) -> tuple[torch.Tensor, ...]:
    found, nc = class_variances(z, labels), neural_collapse(z, labels)
    return (
        *(found.within, found.between, simplex_distance(found.means), nc.nc1),
        *(nc.nc2_equinorm, nc.nc2_equiangular, rankme(z), effective_rank(z)),
        *(alignment(z, z.roll(1, 0)), uniformity(z), modality_gap(z[:6], z[6:])),
    )


def test_everything_is_differentiable() -> None:
    z = torch.tensor(drawn(0, 12, 5), requires_grad=True)
    assert torch.autograd.gradcheck(partial(measures, labels=torch.arange(12) % 3), (z,))


def test_every_device_has_the_measures_of_the_cpu(device: str) -> None:
    z, labels = torch.tensor(drawn(0)), torch.arange(30) % 4
    found, expected = measures(z.to(device), labels.to(device)), measures(z, labels)
    for value, right in zip(found, expected, strict=True):
        assert value.device.type == device
        assert float(value) == pytest.approx(float(right), rel=1e-10)
    monitored = CollapseMonitor()(z.to(device), labels=labels.to(device)).floats()
    assert monitored == pytest.approx(CollapseMonitor()(z, labels=labels).floats(), rel=1e-10)
    positive = torch.arange(30).roll(1)
    largest = sigmas(z.to(device), positive.to(device), normalise=True)
    assert largest.device.type == device
    torch.testing.assert_close(largest.cpu(), sigmas(z, positive, normalise=True))


def test_mixed_precision_does_not_reach_the_measures() -> None:
    z, labels = torch.tensor(drawn(0)), labels_of(0)
    before = CollapseMonitor()(z.float(), labels=labels).floats()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        inside = CollapseMonitor()(z.float(), labels=labels).floats()
    exact = CollapseMonitor()(z, labels=labels).floats()
    assert inside == before
    for name, value in exact.items():
        assert before[name] == pytest.approx(value, rel=1e-4, abs=1e-5), name


# --- verdicts -------------------------------------------------------------------------------------
def test_the_first_that_holds() -> None:
    """Collapsed classes are of low rank, and total collapse is a collapse of classes."""
    labels = torch.arange(40) % 4
    monitor = CollapseMonitor()
    point = torch.tensor(np.tile(drawn(0, 1, 16), (40, 1)))
    assert monitor(point, labels=labels).collapse == "total"
    classes = torch.tensor(simplex(4, 16))[labels]
    assert monitor(classes, labels=labels).collapse == "classes"
    assert monitor(classes).collapse == "dimensional"
    assert monitor(torch.tensor(drawn(0, 200, 16))).collapse == "none"
    instances = torch.tensor(simplex(40, 40))
    assert monitor(instances, instances, labels=labels).collapse == "none"


def test_the_optimum_that_prevents_collapse_is_none() -> None:
    """Classes with a fifth of the variance within them, as low as their rank is."""
    simplices = np.sqrt(0.8) * np.repeat(simplex(5, 100), 20, 0)
    for c in range(5):
        simplices[20 * c : 20 * c + 20, 10 + 18 * c : 28 + 18 * c] += np.sqrt(0.2) * drawn(
            c, 20, 18
        )
    labels = np.arange(100) // 20
    assert CollapseMonitor()(simplices, labels=labels).collapse == "none"


@pytest.mark.parametrize("share, kind", [(0.09, "classes"), (0.11, "none")])
def test_limits(share: float, kind: str) -> None:
    noise = torch.tensor(drawn(0, 4000, 6))
    labels = torch.arange(4000) % 3
    means = torch.nn.functional.pad(torch.tensor(simplex(3, 3)), (0, 6))[labels]
    z = (1 - share) ** 0.5 * means + share**0.5 * torch.nn.functional.pad(noise, (3, 0))
    found = CollapseMonitor()(z, labels=labels)
    assert found.numbers["within"] / found.numbers["variance"] == pytest.approx(share, rel=0.01)
    assert found.collapse == kind
    moved = CollapseMonitor(limits=Limits(classes=0.2))(z, labels=labels)
    assert moved.collapse == "classes" and len(moved.collapsed_classes) == 3


def test_classes_of_one_sample_say_nothing() -> None:
    z = drawn(0, 12)
    alone = CollapseMonitor()(z, labels=np.arange(12))
    assert alone.collapse == "none" and "within" not in alone.numbers
    some = CollapseMonitor()(z, labels=np.array([0] * 6 + list(range(1, 7))))
    own = class_variances(z[:6], np.zeros(6, dtype=int))
    assert some.numbers["within"] == pytest.approx(float(own.within)) and not some.collapsed_classes
    # They are in the variance, which is then no whole of which classes have a part.
    apart = CollapseMonitor()(np.eye(3)[[0, 1, 2, 2, 2, 2]], labels=np.array([0, 0, 1, 2, 3, 4]))
    assert apart.numbers["within"] > 0.9 * apart.numbers["variance"]
    assert "within classes of two samples or more the variance is" in apart.says
    assert "lies within" not in apart.says


def test_what_is_logged_is_numbers() -> None:
    found = CollapseMonitor()(drawn(0), drawn(1), labels=labels_of(0)).floats("c/")
    assert all(isinstance(value, float) and value == value for value in found.values())
    assert {"c/within", "c/nc1", "c/is_classes", "c/modality_gap"} <= found.keys()
    assert "c/within" not in CollapseMonitor()(drawn(0)).floats("c/")


# --- refusals -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "call, says",
    [
        (lambda z: class_variances(z, [0, 1]), "2 labels of 30"),
        (lambda z: class_variances(z, np.zeros(30)), "integers"),
        (lambda z: class_variances(z[0], [0]), "must be"),
        (lambda z: neural_collapse(z, [0] * 30), "two classes"),
        (lambda z: neural_collapse(z, labels_of(0), z), "classifier must be"),
        (lambda z: simplex_distance(z[:1]), "two classes"),
        (lambda z: rankme(0 * z), "zeros"),
        (lambda z: uniformity(z[:1]), "two embeddings"),
        (lambda z: alignment(z, z[:3]), "do not match"),
        (lambda z: modality_gap(z, z[:, :3]), "dimensions 7 and 3"),
        (lambda z: CollapseMonitor()(z, z[:3]), "do not match"),
        (lambda z: CollapseMonitor()(np.where(z == z[3, 0], np.nan, z)), "row 3 is not finite"),
    ],
)
def test_refusals(call: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says) as refusal:
        call(drawn(0))
    assert "\n" not in str(refusal.value)


# --- the page -------------------------------------------------------------------------------------
def test_the_lines_of_the_page_log() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "diagnose.md"
    lines, _ = re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)
    space: dict[str, Any] = {}
    exec(lines, space)
    logged: list[tuple[int, dict[str, float]]] = []
    space["log_collapse"](3, drawn(0), labels_of(0), lambda *entry: logged.append(entry))
    assert logged[0][0] == 3 and {"collapse/within", "collapse/is_total"} <= logged[0][1].keys()


def test_collapsed_classes_that_share_a_mean_are_told_from_a_simplex() -> None:
    labels = torch.arange(60) % 3
    for means, merged in ((torch.eye(3), False), (torch.eye(3)[[0, 1, 1]], True)):
        report = CollapseMonitor()(means.double()[labels], labels=labels)
        assert report.collapse == "classes" and ("same mean" in report.says) is merged


def test_an_encoder_of_zeros_has_collapsed() -> None:
    for labels in (None, torch.arange(8) % 2):
        report = CollapseMonitor()(torch.zeros(8, 4), labels=labels)
        assert report.collapse == "total" and "rankme" not in report.numbers
        assert all(value == value for value in report.floats().values())


def test_nc1_of_more_classes_than_dimensions() -> None:
    z = torch.randn(60, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    means = z.unflatten(0, (15, 4)).mean(1)
    w, m = z - means.repeat_interleave(4, 0), means - means.mean(0)
    trace = torch.trace(w.T @ w / 60 @ torch.linalg.pinv(m.T @ m / 15))
    nc1 = neural_collapse(z, torch.arange(60) // 4).nc1
    assert float(nc1) == pytest.approx(float(trace) / 15, rel=1e-9)

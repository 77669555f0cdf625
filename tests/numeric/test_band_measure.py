"""The band of anchors and batches: what is measured lies within what was proved."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from cltheory.numeric.band import (
    Band,
    BandMonitor,
    Report,
    bounds,
    measure,
    neighbours,
    sigmas,
    views,
)
from cltheory.numeric.band.bounds import With, bound, names
from cltheory.numeric.band.readings import BatchReadings
from draws import directions
from torch import Tensor
from torch.nn.functional import normalize

#: What rounding may do to a bound that is met, in times the largest possible gradient 4/tau^2 too:
#: an error of 1e-16 in a similarity is one of 1e-16/tau in epsilon.
MARGIN = 1e-12


def corner(name: str, size: int, d: int, seed: int) -> tuple[Tensor, Tensor, Tensor]:
    """An anchor, its positive, and negatives where bounds are met or nearly so."""
    z, positive, negatives = (
        directions(seed, d),
        directions(seed + 1, d),
        directions(seed + 2, size, d),
    )
    if name == "coincident":
        negatives = negatives[:1].repeat(size, 1)
    elif name == "antipodal":
        negatives = torch.where(torch.arange(size)[:, None] % 2 == 0, z, -z)
    elif name == "negatives at the positive":
        negatives = positive.repeat(size, 1)
    elif name == "positive at the anchor":
        positive = z.clone()
    elif name == "positive opposite":
        positive = -z
    elif name == "on the line of the positive":
        negatives = torch.where(torch.arange(size)[:, None] % 3 == 0, positive, -positive)
    elif name == "one outlier":
        negatives = torch.cat([negatives[:1], z.repeat(size - 1, 1)])
    elif name == "positive next to the anchor":
        positive = normalize(z + 0.5 * 10.0 ** -(seed % 9) * positive, dim=-1)
    elif name == "positive nearly opposite":
        positive = normalize(-z + 0.5 * 10.0 ** -(seed % 9) * positive, dim=-1)
    elif name == "close":
        negatives = normalize(positive + 1e-6 * negatives, dim=-1)
    return z, positive, negatives


CORNERS = (
    "random",
    "coincident",
    "antipodal",
    "negatives at the positive",
    "positive at the anchor",
    "positive opposite",
    "positive next to the anchor",
    "positive nearly opposite",
    "on the line of the positive",
    "one outlier",
    "close",
)


def within(band: Band) -> bool:
    """lower <= measured <= upper <= upper_alignment <= 4 epsilon^2/tau^2, but for rounding."""
    tau = band.readings["tau"]
    trivial = 4 * (band.epsilon / tau) ** 2
    slack = MARGIN * trivial / tau.clamp(max=1)
    chains = [
        [band.lower, band.squared_gradient, band.upper, band.upper_alignment, trivial],
        [band.lower, band.closest_lower, band.squared_gradient, band.closest_upper, band.upper],
    ]
    steps = [step for chain in chains for step in pairwise(chain)]
    return all(bool((a <= b * (1 + MARGIN) + slack).all()) for a, b in steps)


@pytest.mark.parametrize("name", CORNERS)
@pytest.mark.parametrize("tau", [0.01, 0.1, 1.0, 100.0])
def test_what_is_measured_is_within(name: str, tau: float) -> None:
    for size, d in ((1, 1), (1, 2), (2, 2), (5, 1), (5, 3), (30, 2), (8, 20)):
        drawn_ones = [corner(name, size, d, 7 * seed) for seed in range(9)]
        assert within(measure(*map(torch.stack, zip(*drawn_ones, strict=True)), tau)), (size, d)


@pytest.mark.parametrize("quantity, factor", [("upper", 0.999), ("lower", 1.001)])
def test_a_bound_that_is_too_good_is_noticed(
    quantity: str, factor: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of sharp bounds: all negatives at one point; all on the line of the positive."""
    true = bound

    def corrupted(name: str) -> Callable[[Any], Tensor]:
        known = true(name)
        return (lambda readings: factor * known(readings)) if name == quantity else known

    name = "coincident" if quantity == "upper" else "on the line of the positive"
    configuration = corner(name, 5, 3, 4)
    assert within(measure(*configuration, 0.5))
    monkeypatch.setattr(bounds, "bound", corrupted)
    assert not within(measure(*configuration, 0.5))


@pytest.mark.parametrize("spread", [0.0, 1e-9])
def test_rounding_alone_puts_no_bound_on_the_wrong_side(spread: float) -> None:
    """On a line the gradient is up to 1e-16 of the numbers that bounds add and subtract."""
    sides = torch.where(directions(3, 8, 256) > 0, 1.0, -1.0)[..., None]
    z = normalize(sides * directions(4, 8, 1, 20) + spread * directions(5, 8, 256, 20), dim=-1)
    wrong = 0
    for tau in (0.05, 0.1, 0.3):
        band = measure(z[:, 0], z[:, 0], z[:, 1:], tau)
        for side in ("upper", "lower"):
            for name in names(side):
                rounded, shown = bound(name)(band.readings), band.bound(name)
                low, high = (band.squared_gradient, shown)[:: 1 if side == "upper" else -1]
                assert (low <= high).all(), (name, tau)
                wrong += int((rounded != shown).sum())
    assert wrong > 20  # it is not the rounding that is kind here


def test_the_upper_bound_can_be_minimised() -> None:
    z, positive, negatives = (v.requires_grad_() for v in corner("random", 5, 3, 1))
    band = measure(z, positive, negatives, 0.3)
    for value in (band.lower, band.upper, band.upper_printed()):
        for gradient in torch.autograd.grad(value, (z, positive, negatives), retain_graph=True):
            assert gradient.isfinite().all() and gradient.abs().sum() > 0


# --- anchors, many at once --------------------------------------------------------------------
NAMES = ("epsilon", "rho", "mu", "sigma", "squared_gradient", "squared_tangential",
         "one_minus_rho", "lower", "upper", "upper_alignment")  # fmt: skip


def test_many_anchors_are_each_alone() -> None:
    z, positive, own, shared = (
        directions(1, 2, 3, 4),
        directions(2, 2, 3, 4),
        directions(3, 2, 3, 6, 4),
        directions(4, 6, 4),
    )
    tau = torch.rand(2, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(5)) + 0.1
    for negatives in (own, shared):
        for t in (tau, 0.4):
            band = measure(z, positive, negatives, t)
            for i in range(2):
                for j in range(3):
                    others = negatives if negatives is shared else own[i, j]
                    at = float(t[i, j]) if t is tau else t
                    alone = measure(z[i, j], positive[i, j], others, at)
                    for name in NAMES:
                        assert getattr(band, name).shape == (2, 3), name
                        assert float(getattr(band, name)[i, j]) == pytest.approx(
                            float(getattr(alone, name)), rel=1e-11
                        ), name
                    assert float(band.upper_printed(0.1)[i, j]) == pytest.approx(
                        float(alone.upper_printed(0.1))
                    )


# --- batches ------------------------------------------------------------------------------------
def of_anchors(z: Tensor, positive: Tensor, tau: float) -> list[Band]:
    n = len(z)
    found = []
    for i in range(n):
        p = int(positive[i])
        found.append(measure(z[i], z[p], z[[j for j in range(n) if j not in (i, p)]], tau))
    return found


def mean(bands: list[Band], name: str) -> float:
    return float(np.mean([float(getattr(b, name)) for b in bands]))


def rises(*rising: float) -> None:
    """In this order, but for the rounding of sums: in one dimension a bound is the value itself."""
    for low, high in pairwise(rising):
        assert low <= high + 1e-13 * abs(high)


def agrees(report: Report, bands: list[Band], spectra: bool = True) -> None:
    pairs = {"measured": "squared_gradient", "tangential": "squared_tangential"}
    names = ["lower", "measured", "tangential", "epsilon", "rho", "mu"]
    if report.closest_upper == report.closest_upper:
        names += ["closest_lower", "closest_upper"] * spectra
        rises(report.lower, report.closest_lower, report.measured)
        rises(report.measured, report.closest_upper, report.upper)
    for name in names + ["upper"] * spectra:
        expected = mean(bands, pairs.get(name, name))
        assert getattr(report, name) == pytest.approx(expected, rel=1e-11), name
    assert report.epsilon_squared == pytest.approx(np.mean([float(b.epsilon) ** 2 for b in bands]))
    rises(report.lower, report.measured, report.upper)


@pytest.mark.parametrize("n, d", [(8, 3), (6, 20), (12, 1)])
def test_a_batch_is_its_anchors(n: int, d: int) -> None:
    z, tau = directions(3, n, d), 0.3
    bands = of_anchors(z, views(n), tau)
    report = BandMonitor(tau, per_anchor=True, closest=True, c=0.25)(z[: n // 2], z[n // 2 :])
    agrees(report, bands)
    assert report.sigma is not None
    assert report.sigma.tolist() == pytest.approx([float(b.sigma) for b in bands])
    assert torch.equal(sigmas(2 * z, views(n), normalise=True), report.sigma)
    assert report.sigma_mean == pytest.approx(mean(bands, "sigma"))
    assert report.sigma_max == pytest.approx(max(float(b.sigma) for b in bands))
    assert report.upper_printed == pytest.approx(
        np.mean([float(b.upper_printed(0.25)) for b in bands])
    )
    assert (report.n, report.d, report.tau) == (n, d, tau)


@pytest.mark.parametrize("n, d", [(8, 3), (6, 20)])
def test_without_spectra_of_anchors_a_ceiling_is_used(n: int, d: int) -> None:
    z, tau = directions(3, n, d), 0.3
    bands = of_anchors(z, neighbours(n), tau)
    report = BandMonitor(tau, closest=True, c=0.25)(z, positive=neighbours(n))
    agrees(report, bands, spectra=False)
    assert report.sigma is None
    ceiling = n / (n - 2) * float(torch.linalg.eigvalsh(z.T @ z / n)[-1])
    assert report.sigma_max == pytest.approx(min(1, ceiling)) == report.sigma_mean
    assert all(float(b.sigma) <= ceiling + 1e-12 for b in bands)
    e2 = report.epsilon_squared
    terms = e2 * (1 + 1 / (n - 2)), e2 * ceiling, 0.25 * e2 * ceiling**2
    printed = 3 * sum(t / tau ** (2 * k) for k, t in enumerate(terms, 1))
    assert report.upper_printed == pytest.approx(printed)
    sharper = BandMonitor(tau, c=0.25, per_anchor=True)(z, positive=neighbours(n))
    assert sharper.upper <= report.upper * (1 + 1e-12)
    assert sharper.upper_printed <= report.upper_printed


#: Batches of 24 points in 5 dimensions.
BATCHES = {
    "random": directions(1, 24, 5),
    "a point": directions(2, 1, 5).expand(24, 5),
    "nearly a point": normalize(directions(2, 1, 5) + 1e-5 * directions(3, 24, 5), dim=1),
    "antipodes": directions(2, 1, 5) * torch.tensor([1.0, -1.0]).repeat(12)[:, None],
    "opposite pairs": directions(2, 1, 5) * torch.tensor([1.0, 1, -1, -1]).repeat(6)[:, None],
    "an axis each": torch.eye(5, dtype=torch.float64)[torch.arange(24) % 5],
    "classes": torch.eye(5, dtype=torch.float64)[torch.arange(24) // 8],
    "one outlier": torch.cat([directions(3, 1, 5), directions(2, 1, 5).expand(23, 5)]),
}


@pytest.mark.parametrize("name", BATCHES)
@pytest.mark.parametrize("tau", [0.02, 0.2, 5.0])
def test_batches_are_within(name: str, tau: float) -> None:
    z = BATCHES[name]
    for pairs in (neighbours(24), views(24)):
        for per_anchor in (False, True):
            report = BandMonitor(tau, per_anchor=per_anchor, closest=True)(z, positive=pairs)
            slack = 1e-13 * report.epsilon_squared / tau**3
            assert report.lower <= report.measured * (1 + 1e-12) + slack
            assert report.measured <= report.upper * (1 + 1e-12) + slack
            assert report.measured <= report.closest_upper * (1 + 1e-12) + slack
            assert report.closest_lower <= report.measured * (1 + 1e-12) + slack


@pytest.mark.parametrize("side", ["lower", "upper"])
def test_a_larger_sigma_gives_a_wider_band(side: str) -> None:
    """So that a ceiling may stand for it."""
    for tau in (0.05, 0.3, 2.0):
        read = BatchReadings(directions(4, 30, 6), views(30), tau)
        for name in names(side):
            before = None
            for factor in (1, 1.01, 1.3, 2, 6):
                sigma = (factor * read.each("sigma")).clamp(max=1)
                value = bound(name)(With(read.each, sigma=sigma))
                if before is not None:
                    wider = value <= before if side == "lower" else value >= before
                    assert (wider | torch.isclose(value, before, rtol=1e-13)).all(), name
                before = value


# --- extremes -----------------------------------------------------------------------------------
@pytest.mark.parametrize("tau", [1e-6, 1e-4])
def test_where_epsilon_underflows_there_are_bounds_still(tau: float) -> None:
    z, others = directions(3, 4), directions(4, 5, 4)
    band = measure(z, z, others, tau)
    assert band.epsilon == band.closest_lower == band.closest_upper == 0
    report = BandMonitor(tau, closest=True)(directions(5, 6, 4), directions(5, 6, 4))
    assert report.closest_lower <= report.measured <= report.closest_upper


@pytest.mark.parametrize("tau", [1e2, 1e4, 1e6])
def test_bounds_that_are_met_at_high_temperatures(tau: float) -> None:
    """Where N times the participation is next to 1, all but 1e-16 of the bound is there."""
    z = torch.ones(1, dtype=torch.float64)
    others = torch.tensor([1.0, 1, -1, -1, -1, 1, 1], dtype=torch.float64)[:, None]
    band = measure(z, -z, others, tau)
    for name in ("lower_mean", "upper_mean", "lower_measured", "upper_measured"):
        assert float(band.bound(name) / band.squared_gradient) == pytest.approx(1, rel=2e-15), name

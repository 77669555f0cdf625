"""Figures of the synthetic experiments with the band: against plain loops, and what they show."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from cltheory.numeric.figures import (
    band_fig1,
    band_fig2,
)
from cltheory.numeric.figures.band_synthetic import Batch, Found, gaussian, positives
from cltheory.numeric.running.table import TableError

FIG1 = band_fig1.Grid((0.1, 0.3), tops=(None, 0.6, 1.0), n=12, d=16, batches=2, seeds=(0, 1))
FIG2 = band_fig2.Grid(n=12, d=16, batches=2, seeds=(0,))


@pytest.fixture
def batch() -> Batch:
    random = torch.Generator().manual_seed(0)
    z = gaussian(10, 7, 0.4, random)
    return Batch(z, positives(z, 0.7, random), "cpu")


# --- the construction ----------------------------------------------------------------------------
def test_vectors_and_positives(batch: Batch) -> None:
    assert batch.z.norm(dim=1) == pytest.approx(torch.ones(10).numpy(), abs=1e-12)
    assert batch.own.norm(dim=1) == pytest.approx(torch.ones(10).numpy(), abs=1e-12)
    assert (batch.z * batch.own).sum(1) == pytest.approx([0.7] * 10, abs=1e-12)


def test_the_spectrum_is_not_that_of_the_law() -> None:
    """As the vectors are normalised; with lambda_1 = 1 they lie on a line."""
    z = gaussian(4000, 64, 0.3, torch.Generator().manual_seed(0))
    assert 0.2 < float(z[:, 0].square().mean()) < 0.25
    line = gaussian(5, 4, 1.0, torch.Generator().manual_seed(0))
    assert line.abs()[:, 0].tolist() == [1.0] * 5


def test_numbers_against_a_plain_loop(batch: Batch) -> None:
    tau = 0.25
    found = batch.at(tau)
    z, own = batch.z.numpy(), batch.own.numpy()
    for i in range(len(batch.z)):
        others = np.array([z[j] for j in range(len(batch.z)) if j != i])
        logits = np.array([z[i] @ own[i], *(others @ z[i])]) / tau
        p = np.exp(logits - logits.max())
        p /= p.sum()
        mean = p @ np.vstack([own[i], others])
        error, rho = 1 - p[0], mean @ own[i]
        sigma = np.linalg.eigvalsh(others.T @ others / len(others))[-1]
        squared = ((mean - own[i]) ** 2).sum() / tau**2
        terms = 1 + 1 / len(others) + sigma / tau**2 + 0.5 * sigma**2 / tau**4
        assert float(found.measured[i]) == pytest.approx(squared, rel=1e-9)
        assert float(found.epsilon[i]) == pytest.approx(error, rel=1e-9)
        assert float(found.lowers["lower"][i]) == pytest.approx((1 - rho) ** 2 / tau**2, rel=1e-9)
        assert float(found.uppers["printed"][i]) == pytest.approx(3 * error**2 / tau**2 * terms)
        assert float(found.uppers["trivial"][i]) == pytest.approx(4 * error**2 / tau**2)
        assert float(batch.sigma[i]) == pytest.approx(sigma, rel=1e-9)
    assert batch.sigma_hat == pytest.approx(np.linalg.eigvalsh(z.T @ z / len(z))[-1])
    rho = 1 - found.one_minus_rho.mean()
    assert float(found.plugged_in[0]) == pytest.approx(float((1 - rho) ** 2 / tau**2))


def test_what_is_outside_is_seen(batch: Batch) -> None:
    """Both sides, where a bound is wrong by a part in a million."""
    found = Found.together([batch.at(0.2)])
    assert found.coverage["inside_proved"] == found.coverage["inside_printed"] == 1
    assert found.coverage["mean_printed"] == 1
    low, high = found.measured * (1 + 1e-6), found.measured * (1 - 1e-6)
    assert not found.above(low).any() and not found.below(high).any()
    assert found.above(found.measured).all() and found.below(found.measured).all()
    wrong = Found(**{**vars(found), "uppers": {**found.uppers, "printed": high}})
    assert wrong.coverage["inside_printed"] == 0 and wrong.coverage["over_printed"] == 1
    assert wrong.coverage["mean_printed"] == 0 and wrong.coverage["inside_proved"] == 1


# --- the figures --------------------------------------------------------------------------------
def test_figure_1(tmp_path: Path) -> None:
    rows = FIG1.measure(tmp_path / "t.csv", device="cpu")
    assert len(rows) == 12
    assert all(row["inside_proved"] == row["inside_printed"] == 1 for row in rows)
    # The lower bound by the mean of rho is of the mean, not of every anchor.
    assert min(float(row["inside_plugged"]) for row in rows) < 0.9
    assert all(row["mean_printed"] == 1 for row in rows)
    shown = FIG1.settings(rows)
    assert [(row["lambda_1"], row["tau"]) for row in shown[:2]] == [(1 / 16, 0.1), (1 / 16, 0.3)]
    for row in shown:
        if row["lambda_1"] < 1:
            assert 1 <= row["closest_median"] <= row["spectrum_median"] <= row["alignment_median"]
            assert row["alignment_median"] <= row["trivial_median"]
    before = (tmp_path / "t.csv").read_bytes()
    FIG1.measure(tmp_path / "t.csv", device="cpu")
    assert (tmp_path / "t.csv").read_bytes() == before
    with pytest.raises(TableError, match="n = 12, not 13"):
        band_fig1.Grid(n=13, d=16).measure(tmp_path / "t.csv", device="cpu")


@pytest.mark.parametrize("slope", [2.0, -0.5])
def test_the_slope_of_a_power(slope: float) -> None:
    taus = np.array(FIG2.taus)
    fit = band_fig2.fitted(taus, 3 * (1 / taus) ** slope)
    assert (fit.slope, fit.error, fit.r2) == pytest.approx((slope, 0, 1), abs=1e-7)
    assert np.exp(fit.constant) == pytest.approx(3)


def test_figure_2(tmp_path: Path) -> None:
    rows = FIG2.measure(tmp_path / "t.csv", device="cpu")
    for row in rows:
        assert row["lower"] <= row["mean_squared"] <= row["upper"] <= row["upper_printed"]
    # Epsilon falls with the temperature, so that the gradient is no power of it.
    error = [float(row["mean_epsilon"]) for row in sorted(rows, key=lambda row: row["tau"])]
    assert error == sorted(error) and error[0] < 0.5 * error[-1]


# --- the commands -------------------------------------------------------------------------------
SMALL = {
    "band-fig1": ("--n", "8", "--d", "9", "--batches", "1", "--tau", "0.2", "--lambda1", "1/d,1"),
    "band-fig2": ("--n", "8", "--d", "9", "--batches", "1", "--tau", "0.1,0.2,0.4"),
}


QUICK = ("band-fig1",)


@pytest.mark.parametrize(
    "name", [pytest.param(k, marks=[] if k in QUICK else pytest.mark.slow) for k in SMALL]
)
def test_commands(name: str, drawn: Any, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    out = ("--out", str(tmp_path / "a.svg"), "--seeds", "0")
    code, said, err = drawn(name, *SMALL[name], *out)
    assert (code, err) == (0, "")
    with (tmp_path / "a.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert f"{len(rows)} cells" in said
    before = (tmp_path / "a.csv").read_bytes()
    assert drawn(name, *SMALL[name], *out)[1] == said
    assert (tmp_path / "a.csv").read_bytes() == before

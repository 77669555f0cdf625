"""Kernels compared on digits: short trainings, and choices on rows that are made up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import isnan
from pathlib import Path
from typing import Any

import pytest
import torch
from cltheory.cli.main import run as command_line
from cltheory.numeric.digits import kernels as kernel_digits
from cltheory.numeric.digits import load
from cltheory.numeric.digits.kernels import (
    GAUSSIAN,
    LAYERS,
    MEASURED,
    MIXTURES,
    UNTRAINED,
    Setup,
    Split,
    chosen,
    compare,
    gamma_of,
    loss_of,
    run,
)
from cltheory.numeric.figures import kernels_digits
from cltheory.numeric.losses import SupCon
from cltheory.numeric.running.table import Row, TableError

pytest.importorskip("sklearn")
pytest.importorskip("scipy")
CPU = torch.device("cpu")
SHORT = Setup(steps=2, batch=8, d=8)
SMALL = kernels_digits.Grid((2.0, 1.0), ("kernel-sum",), (0.1, 0.4), (0, 1), steps=2, batch=8)
KERNELS = (GAUSSIAN, "gamma-1", "gamma-0.5", *MIXTURES)


# --- the losses -----------------------------------------------------------------------------------
def _plain(kernel: str, z: torch.Tensor, tau: float) -> torch.Tensor:
    """From the definitions, with the kernel of every pair written out."""
    u = torch.nn.functional.normalize(torch.cat([z[:, 0], z[:, 1]]), dim=1)
    n, half = len(z), u.shape[1] // 2

    def kernel_of(x: torch.Tensor, gamma: float) -> torch.Tensor:
        return torch.exp(-((x[:, None] - x[None]).norm(dim=2) ** gamma) / tau)

    def loss(of: torch.Tensor) -> torch.Tensor:
        others = of - torch.diag(of.diag())
        positives = torch.cat([of.diagonal(n), of.diagonal(-n)])
        return -(positives / others.sum(1)).log().mean()

    name, _, how = kernel.partition("-")
    if name == "gamma":
        return loss(kernel_of(u, float(how)))
    first, second = (u, u) if how == "sum" else (u[:, :half], u[:, half:])
    one, two = kernel_of(first, 1), kernel_of(second, 2)
    return loss(one + two) if name == "kernel" else (loss(one) + loss(two)) / 2


@pytest.mark.parametrize("kernel", KERNELS)
def test_losses_are_those_of_their_names(kernel: str) -> None:
    z = torch.randn(6, 2, 8, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    assert float(loss_of(kernel, 0.3)(z)) == pytest.approx(float(_plain(kernel, z, 0.3)), rel=1e-10)


def test_the_gaussian_kernel_is_simclr_at_half_the_temperature() -> None:
    z = torch.randn(6, 2, 8, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    assert float(loss_of(GAUSSIAN, 0.3)(z)) == pytest.approx(float(SupCon(0.15)(z)), rel=1e-10)


def test_no_such_kernel() -> None:
    assert gamma_of("gamma-0.5") == 0.5
    assert gamma_of("loss-sum") is gamma_of("gamma-x") is gamma_of("gamma-") is None
    for name in ("gamma-", "gamma-x", "sum", ""):
        with pytest.raises(ValueError, match="kernel must be gamma-G"):
            loss_of(name, 0.1)
    for name in ("gamma-0", "gamma--1", "gamma-nan", "gamma-inf"):
        with pytest.raises(ValueError, match="gamma must be positive"):
            loss_of(name, 0.1)
    with pytest.raises(ValueError, match="tau must be positive"):
        loss_of(GAUSSIAN, 0)


# --- one training ---------------------------------------------------------------------------------
@pytest.mark.parametrize("kernel", [UNTRAINED, "gamma-0.5", "loss-concatenation"])
def test_a_run(kernel: str) -> None:
    digits = load(torch.float32)
    one, again = (run(kernel, 0.2, 3, SHORT, digits, CPU) for _ in range(2))
    assert set(one) == {"loss", *MEASURED}
    assert {k: one[k] for k in MEASURED} == {k: again[k] for k in MEASURED}
    assert all(0 <= float(one[name]) <= 1 for name in MEASURED)
    assert isnan(float(one["loss"])) is (kernel == UNTRAINED)


def test_the_parts_have_no_image_in_common() -> None:
    split = Split.drawn(1797, torch.Generator().manual_seed(0))
    parts = [set(part.tolist()) for part in (split.train, split.validation, split.test)]
    assert [len(part) for part in parts] == [1100, 300, 397]
    assert len(set.union(*parts)) == 1797
    other = Split.drawn(1797, torch.Generator().manual_seed(1))
    assert set(other.test.tolist()) != parts[2]


def test_training_sees_neither_validation_nor_test_images(monkeypatch: Any) -> None:
    """With those images replaced by noise the encoder comes out the same."""
    digits = load(torch.float32)
    split = Split.drawn(len(digits.images), torch.Generator().manual_seed(3))
    seen: list[torch.Tensor] = []

    def accuracy(z: torch.Tensor, *rest: Any) -> float:
        seen.append(z[split.train])
        return 0.5

    monkeypatch.setattr(kernel_digits, "linear_accuracy", accuracy)
    run(GAUSSIAN, 0.2, 3, SHORT, digits, CPU)
    images = digits.images.clone()
    images[split.validation], images[split.test] = 7.0, -3.0
    changed = type(digits)(images, digits.classes, digits.ink)
    run(GAUSSIAN, 0.2, 3, SHORT, changed, CPU)
    half = len(seen) // 2
    assert all(torch.allclose(a, b) for a, b in zip(seen[:half], seen[half:], strict=True))
    images[split.train[1:]] = images[
        split.train[0]
    ].clone()  # and what it is trained on does matter
    run(GAUSSIAN, 0.2, 3, SHORT, changed, CPU)
    assert not torch.allclose(seen[0][0], seen[2 * half][0])


# --- the choice -----------------------------------------------------------------------------------
def _row(kernel: str, seed: int, tau: float, validation: float, test: float) -> Row:
    both = {f"validation_{layer}": validation for layer in LAYERS}
    return {"kernel": kernel, "seed": seed, "tau": tau, **both} | {
        f"test_{layer}": test for layer in LAYERS
    }


def test_temperatures_are_chosen_on_validation_images() -> None:
    rows = [_row("a", 0, 0.1, 0.8, 1.0), _row("a", 0, 0.2, 0.9, 0.7), _row("a", 0, 0.4, 0.9, 0.5)]
    assert chosen(rows, "hidden") == (pytest.approx(0.6), [0.2, 0.4])  # not the best on test images
    assert chosen(rows[:2], "hidden") == (0.7, [0.2])


def test_a_comparison() -> None:
    rows = []
    for seed in range(4):
        rows += [_row(GAUSSIAN, seed, tau, tau, 0.5 + 0.1 * seed) for tau in (0.1, 0.2)]
        rows += [_row("gamma-1", seed, tau, -tau, 0.6 + 0.11 * seed) for tau in (0.2, 0.1)]
        rows += [_row("loss-sum", seed, 0.1, 1, 0.5 + 0.1 * seed + (-1) ** seed / 10)]
        rows += [_row(UNTRAINED, seed, 0, 1, 0.1)]
    told = {one.kernel: one for one in compare(rows, "embedding", 1797)}
    better, same = told["gamma-1"], told["loss-sum"]
    assert (better.mean, better.difference) == (pytest.approx(0.765), pytest.approx(0.115))
    assert (better.above, better.below) == (4, 0)
    assert (better.taus, told[GAUSSIAN].taus) == ({0.1: 4}, {0.2: 4})
    assert 0 < better.p < better.p_resampled < better.p_holm == 2 * better.p_resampled
    assert (same.above, same.below, same.p) == (2, 2, pytest.approx(1))
    assert isnan(told[UNTRAINED].p_holm) and isnan(told[GAUSSIAN].p_holm)
    with pytest.raises(ValueError, match="not run with the same seeds"):
        compare(rows[:-2], "embedding", 1797)
    with pytest.raises(ValueError, match="no runs found of 'gamma-2'"):
        compare([row for row in rows if row["kernel"] != GAUSSIAN], "hidden", 1797)


# --- the figure -----------------------------------------------------------------------------------
def test_cells() -> None:
    cells = SMALL.cells()
    assert SMALL.kernels == (GAUSSIAN, "gamma-1", "kernel-sum")
    # As many tries for each kernel and seed, and one encoder that is not trained.
    count = {(c["kernel"], c["seed"]): 0 for c in cells}
    for cell in cells:
        count[cell["kernel"], cell["seed"]] += 1
    assert {n for (kernel, _), n in count.items() if kernel != UNTRAINED} == {2}
    assert count[UNTRAINED, 0] == 1
    near = kernels_digits.Grid(gammas=(1.0, 1.0000001, 0.3), mixtures=())
    assert near.kernels == (GAUSSIAN, "gamma-1", "gamma-1.0000001", "gamma-0.3")
    for wrong, says in (
        ({"gammas": (1.0, 1.0)}, "an exponent is repeated"),
        ({"mixtures": ("loss-sum",) * 2}, "a mixture is repeated"),
        ({"taus": ()}, "needs at least one"),
        ({"taus": (0.1, -1.0)}, "tau must be positive"),
        ({"gammas": (0.0,)}, "gamma must be positive"),
        ({"mixtures": ("sum",)}, "kernel must be gamma-G"),
    ):
        with pytest.raises(ValueError, match=says):
            kernels_digits.Grid(**wrong)


def test_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path, told = tmp_path / "t.csv", []
    drawing = SMALL.draw(
        path, device="cpu", progress=lambda done, whole: told.append((done, whole))
    )
    assert told[-1] == (14, 14)
    assert len(drawing.figure.axes) == 3 and len(drawing.rows) == 14
    caption = drawing.caption
    assert "%" not in caption and caption.isprintable() and caption.count("$") % 2 == 0
    assert "easured" in caption and "erived" in caption and caption.endswith(".")
    assert "of 4 comparisons" in drawing.says and "ixture" in caption
    of_one = replace(SMALL, mixtures=())
    without = of_one.draw(tmp_path / "one.csv", device="cpu").caption
    assert "ixture" not in without
    # What is there is not trained again, and what a killed run lacks is.
    whole = path.read_text()
    path.write_text("".join(whole.splitlines(keepends=True)[:9]) + "gamma-1,0.1")
    told.clear()
    again = SMALL.measure(path, device="cpu", progress=lambda done, _: told.append((done, 0)))
    assert len(told) == 6 and path.read_text() == whole
    first = [{k: row[k] for k in MEASURED} for row in drawing.rows]
    assert [{k: row[k] for k in MEASURED} for row in again] == first
    with pytest.raises(TableError, match="made with steps = 2, not 3"):
        kernels_digits.Grid(steps=3, batch=8).measure(path)


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def call(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = command_line(["figure", "kernels-digits", *words])
        found = capsys.readouterr()
        return code, found.out, found.err

    return call


@pytest.mark.parametrize(
    "args, says",
    [
        (("--gamma", "0"), "--gamma takes numbers above 0"),
        (("--gamma", "-1"), "--gamma takes numbers"),
        (("--gamma", "nan"), "--gamma takes numbers"),
        (("--gamma", "1,1"), "--gamma repeats"),
        (("--gamma", "__import__('os')"), "--gamma takes numbers"),
        (("--tau", "0"), "--tau takes numbers"),
        (("--tau", ""), "--tau takes numbers"),
        (("--tau", "1e-9"), "--tau takes numbers"),
        (("--seeds", "-1"), "--seeds takes whole numbers"),
        (("--seeds", "1,1"), "--seeds repeats"),
        (("--steps", "0"), "range"),
        (("--batch", "1"), "range"),
        (("--mixtures", "sum"), "kernel must be gamma-G"),
        (("--mixtures", "loss-sum,loss-sum"), "repeated"),
    ],
)
def test_refusals(args: Any, says: str, command: Any, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    code, said, err = command(*args, "--out", str(tmp_path / "a.png"))
    assert (code, said) == (2, "")
    assert err.startswith("cltheory: ") and err.count("\n") == 1 and says in err
    assert not (tmp_path / "a.png").exists() and not (tmp_path / "a.csv").exists()

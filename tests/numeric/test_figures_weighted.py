"""Figures of weighted InfoNCE: what they measure, their tables, and the commands that draw them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from cltheory.numeric import digits
from cltheory.numeric.figures import drawing, imbalance_fig4, soft_supcon_fig2, y_aware_fig5
from cltheory.numeric.figures.drawing import certified
from cltheory.numeric.figures.imbalance_fig4 import HARD, SOFT
from cltheory.numeric.losses import SupCon
from cltheory.numeric.metrics import procrustes_r2
from cltheory.numeric.running.table import TableError
from sympy import Rational

SMALL = imbalance_fig4.Grid(sizes=((2, 2, 2), (2, 6, 3)), tau=Rational(1, 2))


# --- imbalance-fig4 -----------------------------------------------------------------------------
@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table of SMALL."""
    path = tmp_path_factory.mktemp("unequal") / "t.csv"
    SMALL.measure(path, device="cpu")
    return path


def test_unequal_classes_against_theory(measured: Path) -> None:
    rows = SMALL.measure(measured, device="cpu")
    assert [(row["scheme"], row["sizes"]) for row in rows] == [
        (scheme, sizes) for scheme in (HARD, SOFT) for sizes in ("2:2:2", "2:6:3")
    ]
    assert {row["stop"] for row in rows} == {"converged"}
    for row in rows:
        assert row["gap"] < 1e-9  # of losses of order 1, at a gradient of 1e-12
        assert row["difference"] < 1e-6 and row["spread"] < 1e-6
    regular, uneven = (imbalance_fig4.blocks(SMALL, row) for row in rows[:2])
    assert regular == pytest.approx(1.5 * np.eye(3) - 0.5, abs=1e-6)
    assert uneven[0, 2] > -0.45 > -0.55 > uneven[0, 1]  # the small ones are close to each other
    assert imbalance_fig4.blocks(SMALL, rows[3]) == pytest.approx(1.5 * np.eye(3) - 0.5, abs=1e-6)
    assert rows[3]["tau"] == 1.5  # C / (C - 1) at epsilon = 1/e, and not its reciprocal


@pytest.mark.parametrize("gap, is_told", [(1e-9, False), (30.0, True), (float("nan"), True)])
def test_a_search_that_ended_at_no_optimum_is_told(gap: float, is_told: bool) -> None:
    assert ("try other --seeds" in certified(gap)) == is_told


def test_another_theory_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imbalance_fig4, "derived", lambda *cell: 1.6 * np.eye(3) - 0.6)
    rows = SMALL.measure(tmp_path / "t.csv", device="cpu")
    assert min(float(row["difference"]) for row in rows) > 0.09


def test_the_command_draws_unequal_classes(drawn: Any, measured: Path, tmp_path: Path) -> None:
    (tmp_path / "imbalance-fig4.csv").write_bytes(measured.read_bytes())
    words = ("--sizes", "2,2,2", "--sizes", "2,6,3", "--tau", "1/2")
    code, out, err = drawn("imbalance-fig4", *words, "--caption", str(tmp_path / "a.tex"))
    assert (code, err) == (0, "")
    assert "4 cells in" in out and "for Soft SupCon, largest certified gap" in out
    assert (tmp_path / "imbalance-fig4.png").read_bytes().startswith(b"\x89PNG")
    assert r"\varepsilon = e^{-1}" in (tmp_path / "a.tex").read_text()
    assert (tmp_path / "imbalance-fig4.csv").read_bytes() == measured.read_bytes()


# --- digits -------------------------------------------------------------------------------------
@pytest.fixture
def sklearn() -> None:
    """For where the digits are there."""
    pytest.importorskip("sklearn")


def test_digits_are_split_by_the_seed(sklearn: None) -> None:
    of = digits.load()
    assert of.images.shape == (1797, 64) and of.images.max() == 1
    assert float(of.ink.mean()) == pytest.approx(0, abs=1e-12)
    assert float(of.ink.square().mean()) == pytest.approx(1)
    one, again, other = (
        digits.embedded(of, SupCon(), of.classes, 2, seed, steps=1, device="cpu")
        for seed in (0, 0, 1)
    )
    assert torch.equal(one.embeddings, again.embeddings)
    assert not torch.equal(one.held_out, other.held_out)
    both = torch.cat([one.trained_on, one.held_out])
    assert torch.equal(both.sort().values, torch.arange(1797))
    assert one.embeddings.shape == (1797, 2)


def test_the_simplex_needs_nine_dimensions(sklearn: None, tmp_path: Path) -> None:
    assert soft_supcon_fig2.least_dimension() == 9
    grid = soft_supcon_fig2.Grid((2, 9), seeds=(0,), steps=40)
    few, enough = grid.measure(tmp_path / "t.csv", device="cpu")
    # After some steps; in two dimensions no ten points are near a simplex.
    for part in ("train", "test"):
        assert 0 < enough[f"{part}_loss_gap"] < few[f"{part}_loss_gap"]
        assert few[f"{part}_procrustes_r2"] < 0.3 < 0.5 < enough[f"{part}_procrustes_r2"] <= 1
        assert few[f"{part}_similarity_r2"] < -2 < enough[f"{part}_similarity_r2"] <= 1
    mean, off = soft_supcon_fig2.averaged(grid, [few, enough], "train_procrustes_r2")
    assert mean == pytest.approx([few["train_procrustes_r2"], enough["train_procrustes_r2"]])
    assert off == pytest.approx([0, 0])
    assert grid.measure(tmp_path / "t.csv", device="cpu") == [few, enough]
    longer = soft_supcon_fig2.Grid((2, 9), seeds=(0,), steps=41)
    with pytest.raises(TableError, match="was made with steps = 40"):
        longer.measure(tmp_path / "t.csv", device="cpu")


def test_a_line_is_no_arc(sklearn: None, tmp_path: Path) -> None:
    grid = y_aware_fig5.Grid(seeds=(0,), steps=40)
    cosine, euclidean = grid.measure(tmp_path / "t.csv", device="cpu")
    assert cosine["test_r2"] < euclidean["test_r2"] <= 1
    assert euclidean["test_r2"] > 0.8
    for row in (cosine, euclidean):  # what is drawn is what was measured, to five digits
        at = drawing.points(row)
        target = y_aware_fig5.geometry(str(row["scheme"]), torch.as_tensor(at[:, 0]))
        assert len(at) == digits.HELD_OUT
        assert procrustes_r2(at[:, 1:], target) == pytest.approx(row["test_r2"], abs=1e-3)
    # Turned onto the line and moved, embeddings of cosines are on a circle of radius 1.
    x = drawing.points(cosine)[:, 1:]
    centre = np.linalg.lstsq(np.c_[2 * x, np.ones(len(x))], (x**2).sum(1), rcond=None)[0][:2]
    assert np.linalg.norm(x - centre, axis=1) == pytest.approx(np.ones(len(x)), abs=1e-3)
    assert grid.measure(tmp_path / "t.csv", device="cpu") == [cosine, euclidean]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("soft-supcon-fig2", "--q", "2,9"), "Procrustes similarity"),
        (("y-aware-fig5",), "for y-Aware, Euclidean"),
    ],
)
def test_the_commands_draw_digits(
    sklearn: None, drawn: Any, tmp_path: Path, words: tuple[str, ...], says: str
) -> None:
    more = ("--steps", "3", "--seeds", "0", "--caption", str(tmp_path / "a.tex"))
    code, out, err = drawn(*words, *more)
    assert (code, err) == (0, "")
    assert "2 cells in" in out and says in out and "tolerance" not in out
    assert (tmp_path / f"{words[0]}.png").read_bytes().startswith(b"\x89PNG")
    assert "derived" in (tmp_path / "a.tex").read_text()


def test_without_scikit_learn_one_line_says_how_to_get_it(
    drawn: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cltheory.cli.figure_options.find_spec", lambda name: None)
    for name in ("soft-supcon-fig2", "y-aware-fig5"):
        code, out, err = drawn(name)
        assert (code, out) == (2, "")
        assert "cltheory[digits]" in err and err.count("\n") == 1

"""Figures of two towers: their tables, what they show, and the commands that draw them."""

from __future__ import annotations

import csv
from functools import partial

import numpy as np
import pytest
from cltheory.numeric.figures import ccem_fig2, ccem_fig3
from cltheory.numeric.figures.encoder import train_encoders
from cltheory.numeric.figures.towers import measured_similarity, predicted_similarity

GRID = ccem_fig2.Grid(items=(4, 8), temperatures=(0.3, 1.0, 3.0), seeds=(0, 1))


def half_and_full(rows):
    """Rows with d = N/2, and with d = N."""
    return [[row for row in rows if (row["d"] == row["N"]) == full] for full in (False, True)]


def test_figure_2_against_theory(tmp_path):
    rows = GRID.measure(tmp_path / "t.csv", device="cpu")
    assert len(rows) == 2 * 2 * 3 * 2
    theory = predicted_similarity(GRID)
    assert theory.shape == (3, 2)
    assert theory[:, 1] == pytest.approx([0, 0.759368118, 1], abs=1e-8)
    half, full = (measured_similarity(GRID, some) for some in half_and_full(rows))
    assert full == pytest.approx(theory, abs=1e-6)
    assert half[0, 1] == pytest.approx(0, abs=1e-6)  # fits in one dimension
    assert abs(half[1, 1] - theory[1, 1]) > 0.01
    again = GRID.measure(tmp_path / "t.csv", device="cpu")
    assert again == rows
    pytest.importorskip("matplotlib")
    figure = GRID.draw(tmp_path / "t.csv", device="cpu").figure
    assert len(figure.axes) == 4  # three panels and a colour bar
    assert all(len(ax.lines) == 2 for ax in figure.axes[:3])
    drawn = [np.asarray(ax.collections[0].get_array()) for ax in figure.axes[:3]]
    assert drawn[0] == pytest.approx(theory)
    assert drawn[2] == pytest.approx(half)


@pytest.fixture
def quick(monkeypatch):
    """Encoders trained for a tenth of the time; how well is the subject of other tests."""
    short = partial(train_encoders, steps=300, polish=100)
    monkeypatch.setattr(ccem_fig3, "train_encoders", short)


def test_figure_3_against_theory(tmp_path, quick):
    grid = ccem_fig3.Grid((4, 8), (0.3, 3.0), seeds=(0,))
    rows = grid.measure(tmp_path / "e.csv", device="cpu")
    assert len(rows) == 3 * 2 * 2
    wide, script = (
        measured_similarity(grid, [row for row in rows if row["encoder"] == name])
        for name in ("linear-4d", "relu-d")
    )
    assert wide == pytest.approx(predicted_similarity(grid), abs=1e-4)
    assert script.min() >= 0.5
    pytest.importorskip("matplotlib")
    assert len(grid.draw(tmp_path / "e.csv", device="cpu").figure.axes) == 5


# --- the command ------------------------------------------------------------------------------


def test_the_command_draws_and_resumes(drawn, tmp_path):
    words = ("ccem-fig2", "--N", "4,8", "--t", "0.5:3:2", "--seeds", "0")
    code, out, err = drawn(*words)
    assert (code, err) == (0, "")
    assert "8 cells in ccem-fig2.csv" in out
    assert (tmp_path / "ccem-fig2.png").read_bytes().startswith(b"\x89PNG")
    before = (tmp_path / "ccem-fig2.csv").read_bytes()
    with (tmp_path / "ccem-fig2.csv").open(newline="") as file:
        assert {float(row["t"]) for row in csv.DictReader(file)} == {0.5, 3.0}
    assert drawn(*words)[0] == 0
    assert (tmp_path / "ccem-fig2.csv").read_bytes() == before
    assert "for d = N/2" in out

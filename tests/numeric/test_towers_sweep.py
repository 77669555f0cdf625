"""Sweeps and figures of two towers: right in every cell, resumable, and drawn."""

from __future__ import annotations

import csv
from functools import partial

import numpy as np
import pytest
import torch
from cltheory.cli.main import run
from cltheory.derive.losses.clip import INFONCE, SIGMOID
from cltheory.numeric import tower_figures, tower_sweep
from cltheory.numeric.encoder import train_encoders
from cltheory.numeric.optimise import _Search
from cltheory.numeric.table import Table, TableError
from cltheory.numeric.tower_embeddings import ccem_towers
from cltheory.numeric.tower_figures import (
    TowerGrid,
    ccem_fig2,
    ccem_fig3,
    encoder_similarity,
    measure_encoders,
    measure_towers,
    measured_similarity,
    predicted_similarity,
)
from cltheory.numeric.tower_sweep import TowerRow, sweep_towers, tower_key

# Simplex, between and antipodal for both numbers of items.
POINTS = [(0.2, 0.2), (0.8, 0.8), (1.0, 1.0), (3.0, 3.0)]
SWEEP = {"shapes": [(6, 6), (8, 8)], "points": POINTS, "seeds": [0, 7], "device": "cpu"}
CELLS = {tower_key(n, d, t, b, s) for n, d in SWEEP["shapes"] for t, b in POINTS for s in (0, 7)}
GRID = TowerGrid(items=(4, 8), temperatures=(0.3, 1.0, 3.0), seeds=(0, 1))


def check(rows):
    for row in rows:
        expected = predicted_similarity(TowerGrid((row.N,), (row.t,), row.b))[0, 0]
        assert row.stop == "converged"
        assert row.gap < 1e-9
        assert row.similarity == pytest.approx(expected, abs=1e-6)
        assert row.similarity == pytest.approx((1 + row.positive) / 2, abs=1e-15)


def test_every_cell_is_right(device):
    rows = list(sweep_towers(SIGMOID, **{**SWEEP, "device": device}))
    assert [row.key for row in rows] == list(dict.fromkeys(row.key for row in rows))
    assert {row.key for row in rows} == CELLS
    check(rows)
    assert {row.start for row in rows} == {"seed"}
    for name, value in rows[0].as_dict().items():
        assert type(value) in (int, float, str), name


def test_a_sweep_left_early_is_resumed():
    rows = []
    for row in sweep_towers(SIGMOID, **SWEEP, chunk=1):
        rows.append(row)
        if len(rows) == 5:
            break
    rest = list(sweep_towers(SIGMOID, **SWEEP, done=[row.key for row in rows]))
    assert len(rest) == len(CELLS) - 5
    assert {row.key for row in rows + rest} == CELLS
    check(rest)


def test_an_interrupted_sweep_gives_up_only_unfinished_cells(monkeypatch):
    step, calls = _Search._step, 0

    def interrupted(self, state):
        nonlocal calls
        calls += 1
        if calls == 30:
            raise KeyboardInterrupt
        return step(self, state)

    monkeypatch.setattr(_Search, "_step", interrupted)
    rows = []
    unfinished = sweep_towers(SIGMOID, **SWEEP, chunk=3)
    with pytest.raises(KeyboardInterrupt):
        rows.extend(unfinished)
    assert 0 < len(rows) < len(CELLS)
    check(rows)
    rest = list(sweep_towers(SIGMOID, **SWEEP, done=[row.key for row in rows]))
    assert {row.key for row in rest} == CELLS - {row.key for row in rows}


def test_a_saddle_is_noticed_and_left(monkeypatch):
    """The simplex is stationary at every temperature; where it is not optimal, noise shows it."""
    monkeypatch.setattr(
        tower_sweep,
        "random_towers",
        lambda seeds, *, N, d: ccem_towers(0, N=N, d=d).expand(len(seeds), 2, N, d),
    )
    few = {"shapes": [(8, 8)], "points": [(0.2, 0.2), (1.0, 1.0)], "device": "cpu"}
    stuck = list(sweep_towers(SIGMOID, **few, perturbation=0))
    assert all(row.similarity > 1 - 1e-9 and row.gap > 0.01 for row in stuck)
    freed = list(sweep_towers(SIGMOID, **few))
    check(freed)
    assert {row.start for row in freed} == {"perturbed"}


def test_a_loss_without_bias():
    rows = list(sweep_towers(INFONCE, shapes=[(5, 5)], points=[(0.1, 0), (1, 0)], device="cpu"))
    assert [row.similarity for row in rows] == pytest.approx([1, 1], abs=1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"points": [(1.0, 1.0)] * 2}, "without repetitions"),
        ({"shapes": []}, "shapes must be given"),
        ({"shapes": [(1, 3)]}, "N >= 2"),
    ],
)
def test_bad_grids_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        list(sweep_towers(SIGMOID, **{**SWEEP, **change}))


# --- figures ----------------------------------------------------------------------------------


def test_figure_2_against_theory(tmp_path):
    rows = measure_towers(GRID, tmp_path / "t.csv", device="cpu")
    assert len(rows) == 2 * 2 * 3 * 2
    theory = predicted_similarity(GRID)
    assert theory.shape == (3, 2)
    assert theory[:, 1] == pytest.approx([0, 0.759368118, 1], abs=1e-8)
    assert measured_similarity(GRID, rows) == pytest.approx(theory, abs=1e-6)
    half = measured_similarity(GRID, rows, half_dimension=True)
    assert half[0, 1] == pytest.approx(0, abs=1e-6)  # fits in one dimension
    assert abs(half[1, 1] - theory[1, 1]) > 0.01
    again = measure_towers(GRID, tmp_path / "t.csv", device="cpu")
    assert {r.key: r for r in again} == {r.key: r for r in rows}
    pytest.importorskip("matplotlib")
    figure = ccem_fig2(GRID, rows)
    assert len(figure.axes) == 4  # three panels and a colour bar
    assert all(len(ax.lines) == 2 for ax in figure.axes[:3])
    drawn = [np.asarray(ax.collections[0].get_array()) for ax in figure.axes[:3]]
    assert drawn[0] == pytest.approx(theory)
    assert drawn[2] == pytest.approx(half)
    # At a fixed bias the lines are level lines.
    grid = TowerGrid((4, 8), (0.5, 3.0), bias=1.0)
    fixed = measure_towers(grid, tmp_path / "b.csv", device="cpu")
    assert measured_similarity(grid, fixed) == pytest.approx(predicted_similarity(grid), abs=1e-6)
    assert len(ccem_fig2(grid, fixed).axes[0].collections) > 1


def test_a_table_is_resumed_and_kept_apart(tmp_path):
    path = tmp_path / "t.csv"
    few = TowerGrid((4, 8), (0.3, 3.0), seeds=(0,))
    measure_towers(few, path, device="cpu")
    before = path.read_text()
    lines = before.splitlines(keepends=True)
    path.write_text("".join(lines[:4]) + lines[4][:20])  # killed in the middle of a line
    measure_towers(few, path, device="cpu")
    assert path.read_text() == before
    measure_towers(GRID, path, device="cpu")
    assert path.read_text().startswith(before)
    with pytest.raises(TableError, match="dtype = float64, not float32"):
        measure_towers(few, path, device="cpu", dtype=torch.float32)
    with pytest.raises(TableError, match="not a table"):
        measure_encoders(few, path, device="cpu")
    rows = Table(path, {}, TowerRow).rows
    assert rows[0].similarity == pytest.approx(1, abs=1e-9)


@pytest.fixture
def quick(monkeypatch):
    """Encoders trained for a tenth of the time; how well is the subject of other tests."""
    short = partial(train_encoders, steps=300, polish=100)
    monkeypatch.setattr(tower_figures, "train_encoders", short)


def test_figure_3_against_theory(tmp_path, quick):
    grid = TowerGrid((4, 8), (0.3, 3.0), seeds=(0,))
    rows = measure_encoders(grid, tmp_path / "e.csv", device="cpu")
    assert len(rows) == 3 * 2 * 2
    wide = encoder_similarity(grid, rows, "linear-4d")
    assert wide == pytest.approx(predicted_similarity(grid), abs=1e-4)
    assert encoder_similarity(grid, rows, "relu-d").min() >= 0.5
    pytest.importorskip("matplotlib")
    assert len(ccem_fig3(grid, rows).axes) == 5


# --- the command ------------------------------------------------------------------------------


@pytest.fixture
def figure(tmp_path, capsys, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)

    def command(*words):
        capsys.readouterr()
        code = run(["figure", *words, "--device", "cpu"])
        return code, *capsys.readouterr()

    return command


def test_the_command_draws_and_resumes(figure, tmp_path):
    words = ("ccem-fig2", "--N", "4,8", "--t", "0.5:3:2", "--seeds", "0")
    code, out, err = figure(*words)
    assert (code, err) == (0, "")
    assert "8 cells in ccem-fig2.csv" in out
    assert (tmp_path / "ccem-fig2.png").read_bytes().startswith(b"\x89PNG")
    before = (tmp_path / "ccem-fig2.csv").read_bytes()
    with (tmp_path / "ccem-fig2.csv").open(newline="") as file:
        assert {float(row["t"]) for row in csv.DictReader(file)} == {0.5, 3.0}
    assert figure(*words)[0] == 0
    assert (tmp_path / "ccem-fig2.csv").read_bytes() == before
    code, out, _ = figure("ccem-fig2", "--N", "4,8", "--t", "1,2", "--bias", "0", "--seeds", "1")
    assert code == 0
    assert "for d = N/2" in out


def test_the_command_trains_encoders(figure, quick):
    code, out, err = figure("ccem-fig3", "--N", "3,4", "--t", "1,2")
    assert (code, err) == (0, "")
    assert "linear-4d" in out
    assert "relu-d" in out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("ccem-fig2", "--m", "3"), "ccem-fig2 takes no --m"),
        (("ccem-fig3", "--tolerance", "0.1"), "ccem-fig3 takes no --tolerance"),
        (("ssem-fig2", "--N", "3,4"), "ssem-fig2 takes no --N"),
        (("ssem-fig2", "--bias", "1"), "ssem-fig2 takes no --bias"),
        (("ccem-fig2", "--N", "4"), "two different numbers"),
        (("ccem-fig2", "--N", "1,4"), "from 2 on"),
        (("ccem-fig2", "--t", "0,1"), "positive numbers"),
        (("ccem-fig2", "--t", "1:0:5"), "positive numbers"),
        (("ccem-fig2", "--t", "x"), "positive numbers"),
        (("ccem-fig2", "--t", "1,inf"), "positive numbers"),
        (("ccem-fig2", "--N", "4,5", "--t", "1,2", "--bias", "inf"), "finite"),
    ],
)
def test_bad_options_are_refused_in_one_line(figure, words, says):
    code, out, err = figure(*words)
    assert (code, out) == (2, "")
    assert err.startswith("cltheory: ")
    assert err.count("\n") == 1
    assert says in err

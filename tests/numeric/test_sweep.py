"""Sweeps: right in every cell, resumable, and the same whichever way they run."""

from __future__ import annotations

import pytest
import torch
from cltheory.derive.losses.supcl import CNCE, SUPCL
from cltheory.numeric.embeddings import structured_embeddings
from cltheory.numeric.optimise import _Search
from cltheory.numeric.sweep import Row, _Job, key, sweep

GRID = {
    "alphas": [0.0, 0.3, 0.6, 0.9, 1.0],
    "taus": [0.2, 0.5, 1.0],
    "seeds": [0, 7],
    "m": 3,
    "n": 3,
    "p": 2,
    "d": 9,
}
SHAPE = (3, 3, 2, 9)
CELLS = {key(a, t, s) for a in GRID["alphas"] for t in GRID["taus"] for s in GRID["seeds"]}


def check(rows: list[Row], predicted_variance, error=1e-7):
    for row in rows:
        assert row.stop == "converged"
        assert row.gap < 1e-9
        expected = predicted_variance(row.m, row.n, row.alpha, row.tau)
        assert row.within == pytest.approx(expected, abs=error)
        assert row.within + row.between == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("cold", [False, True], ids=["continued", "cold"])
def test_every_cell_is_right(predicted_variance, cold, device):
    rows = list(sweep(SUPCL, **GRID, cold=cold, device=device))
    assert {row.key for row in rows} == CELLS
    assert len(rows) == len(CELLS)
    check(rows, predicted_variance)
    assert {row.start for row in rows} == {"seed" if cold else "neighbour"}


def test_neither_order_nor_chunks_matter():
    first = {row.key: row for row in sweep(SUPCL, **GRID, device="cpu", chunk=1)}
    turned = {**GRID, "alphas": GRID["alphas"][::-1], "taus": GRID["taus"][::-1]}
    second = {row.key: row for row in sweep(SUPCL, **turned, device="cpu", chunk=4)}
    for cell, row in first.items():
        assert row.loss == pytest.approx(second[cell].loss, abs=1e-12)
        assert row.within == pytest.approx(second[cell].within, abs=1e-7)


def test_a_sweep_left_early_is_resumed(predicted_variance):
    rows = []
    for row in sweep(SUPCL, **GRID, device="cpu", chunk=1):
        rows.append(row)
        if len(rows) == 13:
            break
    # As after a trip through a table: numbers with fewer digits still name their cell.
    done = [(float(f"{r.alpha:.14f}"), float(f"{r.tau:.14f}"), r.seed) for r in rows]
    rest = list(sweep(SUPCL, **GRID, device="cpu", chunk=1, done=done))
    assert len(rest) == len(CELLS) - 13
    assert {row.key for row in rows + rest} == CELLS
    check(rest, predicted_variance)
    assert not list(sweep(SUPCL, **GRID, device="cpu", done=CELLS))


@pytest.mark.parametrize("cold", [False, True], ids=["continued", "cold"])
def test_an_interrupted_sweep_gives_up_only_unfinished_cells(monkeypatch, cold, predicted_variance):
    calls = 0
    step = _Search._step

    def interrupted(self, state):
        nonlocal calls
        calls += 1
        if calls == 40:
            raise KeyboardInterrupt
        return step(self, state)

    monkeypatch.setattr(_Search, "_step", interrupted)
    rows = []
    unfinished = sweep(SUPCL, **GRID, cold=cold, device="cpu", chunk=3)
    with pytest.raises(KeyboardInterrupt):
        rows.extend(unfinished)
    assert 0 < len(rows) < len(CELLS)
    check(rows, predicted_variance)
    rest = list(sweep(SUPCL, **GRID, cold=cold, device="cpu", done=[row.key for row in rows]))
    assert {row.key for row in rest} == CELLS - {row.key for row in rows}


def test_a_saddle_is_noticed_and_left(monkeypatch, predicted_variance):
    """Chains that begin in collapse, where it is no optimum, must not stay there."""
    collapsed = structured_embeddings(1, 1, -1 / 2, m=3, n=3, p=2, d=9)
    monkeypatch.setattr(_Job, "random", lambda self, seeds: collapsed.expand(len(seeds), *SHAPE))
    alphas = [0.6, 0.9]
    grid = {**GRID, "alphas": alphas, "taus": [0.2], "seeds": [0], "device": "cpu"}
    stuck = list(sweep(SUPCL, **grid, perturbation=0))
    assert all(row.within < 1e-9 and row.gap > 0.01 for row in stuck)
    freed = list(sweep(SUPCL, **grid))
    check(freed, predicted_variance)
    assert freed[0].start == "perturbed"


def test_too_small_a_dimension_shows_in_every_row():
    rows = list(sweep(SUPCL, **{**GRID, "d": 3, "alphas": [0.9, 1.0], "seeds": [0]}, device="cpu"))
    assert all(row.gap > 1e-3 and row.start == "perturbed" for row in rows)


def test_a_loss_without_alpha():
    rows = list(sweep(CNCE, alphas=[0.0], taus=[0.3, 1.0], m=2, n=3, p=2, d=6, device="cpu"))
    # L_cNCE spreads each class to a simplex of its own, whatever the temperature.
    assert [row.within for row in rows] == pytest.approx([1, 1], abs=1e-9)


def test_rows_are_plain_numbers():
    (row,) = sweep(SUPCL, alphas=[0.5], taus=[0.1], m=2, n=2, p=1, d=4, device="cpu")
    for name, value in row.as_dict().items():
        assert type(value) in (int, float, str), name
    assert (row.dtype, row.device, row.start) == ("float64", "cpu", "neighbour")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alphas": [0.5, 0.5]}, "without repetitions"),
        ({"taus": []}, "taus must be given"),
        ({"alphas": [1.5]}, r"in \[0, 1\]"),
        ({"taus": [0.0]}, "temperature must be positive"),
    ],
)
def test_bad_grids_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        list(sweep(SUPCL, **{**GRID, **change}, device="cpu"))


@pytest.mark.slow
def test_the_grid_of_the_paper(predicted_variance, device):
    """m = n = 10, p = 2, d = 100: 400 cells, 212 of them collapsed, one next to threshold."""
    steps = torch.linspace(0, 1, 20, dtype=torch.float64)
    rows = list(
        sweep(
            SUPCL,
            alphas=steps.tolist(),
            taus=(0.05 + 0.95 * steps).tolist(),
            m=10,
            n=10,
            p=2,
            d=100,
            device=device,
        )
    )
    assert len(rows) == 400
    # 1e-7 is what the default tolerance guarantees at the threshold itself; see TOLERANCE.
    check(rows, predicted_variance, error=1e-7)
    assert sum(row.within < 1e-7 for row in rows) == 212

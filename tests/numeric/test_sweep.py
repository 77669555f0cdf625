"""Sweeps: right in every cell, resumable, and the same whichever way they run."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.results import results
from cltheory.derive.structures.arrangement import arrange
from cltheory.numeric.figures.ssem_fig2 import CHAINS, spread
from cltheory.numeric.problems import bind
from cltheory.numeric.problems.embeddings import random_embeddings, structured_embeddings
from cltheory.numeric.running.table import Row, key, lacking
from cltheory.numeric.search import sweep as _sweep
from cltheory.numeric.search.certificate import certify, certify_bound
from cltheory.numeric.search.sweep import _Job, cells, one_view, sweep

SUPCL = results["supcl-optimum"].problem
CNCE = results["cnce-optimum"].problem
SIZES = {"m": 3, "n": 3, "p": 2, "d": 9}
GRID = {
    "alpha": [0.0, 0.3, 0.6, 0.9, 1.0],
    "tau": [0.2, 0.5, 1.0],
    "seed": [0, 7],
    **SIZES,
}
ALL = cells(**GRID)
NAMES = tuple(ALL[0])
AT = ("m", "n", "p", "alpha", "tau")
SUPCL_LOSS = results["supcl-optimum"].function("loss")
CELLS = {key(cell, NAMES) for cell in ALL}


def keys(rows):
    return {key(row, NAMES) for row in rows}


@pytest.fixture
def chunked(monkeypatch):
    """Sets how many cells, or chains, are worked on at a time."""
    return lambda chunk: monkeypatch.setattr(_sweep, "default_chunk", lambda size, where: chunk)


def swept(grid=None, chains=CHAINS, **options):
    options = {"device": "cpu", "measured": spread, "chains": chains, **options}
    return sweep(SUPCL, ALL if grid is None else grid, **options)


def check(rows: list[Row], predicted_variance, error=1e-7):
    for row in rows:
        assert row["stop"] == "converged"
        assert row["gap"] < 1e-9
        expected = predicted_variance(row["m"], row["n"], row["alpha"], row["tau"])
        assert row["within"] == pytest.approx(expected, abs=error)
        assert row["within"] + row["between"] == pytest.approx(1, abs=1e-9)


either_way = pytest.mark.parametrize("chains", [CHAINS, None], ids=["continued", "cold"])


@either_way
def test_every_cell_is_right(predicted_variance, chains, device):
    rows = list(swept(chains=chains, device=device))
    assert keys(rows) == CELLS
    assert len(rows) == len(CELLS)
    check(rows, predicted_variance)
    assert {row["start"] for row in rows} == {"seed" if chains is None else "neighbour"}
    for row in rows[:3]:  # the loss of all views
        assert row["loss"] == pytest.approx(float(SUPCL_LOSS(**{k: row[k] for k in AT})), abs=1e-9)


def test_neither_order_nor_chunks_matter(chunked):
    chunked(1)
    first = {key(row, NAMES): row for row in swept()}
    turned = cells(**{**GRID, "alpha": GRID["alpha"][::-1], "tau": GRID["tau"][::-1]})
    chunked(4)
    second = {key(row, NAMES): row for row in swept(turned)}
    for cell, row in first.items():
        assert row["loss"] == pytest.approx(second[cell]["loss"], abs=1e-12)
        assert row["within"] == pytest.approx(second[cell]["within"], abs=1e-7)


def test_a_sweep_left_early_is_resumed(chunked, predicted_variance):
    chunked(1)
    rows = []
    for row in swept():
        rows.append(row)
        if len(rows) == 13:
            break
    # As after a trip through a table: numbers with fewer digits still name their cell.
    done = [{**r, "alpha": float(f"{r['alpha']:.14f}")} for r in rows]
    rest = list(swept(lacking(ALL, done)))
    assert len(rest) == len(CELLS) - 13
    assert keys(rows + rest) == CELLS
    check(rest, predicted_variance)
    assert not lacking(ALL, ALL)


def test_a_saddle_is_noticed_and_left(monkeypatch, predicted_variance):
    """Chains that begin in collapse, where it is no optimum, must not stay there."""
    shape = arrange(SUPCL.structure, {"m": 3, "n": 3, "p": 2})
    inner = {"same_instance": 1.0, "same_class": 1.0, "cross_class": -1 / 2}
    collapsed = structured_embeddings(shape, inner, 9)
    monkeypatch.setattr(
        _Job, "random", lambda self, seeds: collapsed.expand(len(seeds), *collapsed.shape)
    )
    grid = cells(alpha=[0.6, 0.9], tau=0.2, seed=0, **SIZES)
    with monkeypatch.context() as patch:
        patch.setattr(_sweep, "PERTURBATION", 0.0)
        stuck = list(swept(grid))
    assert all(row["within"] < 1e-9 and row["gap"] > 0.01 for row in stuck)
    freed = list(swept(grid))
    check(freed, predicted_variance)
    assert freed[0]["start"] == "perturbed"


def test_the_certificate_of_one_view_is_that_of_all():
    """Also far from an optimum, and where it is views moving apart that lowers the loss most."""
    whole, single = (arrange(SUPCL.structure, {"m": 2, "n": 3, "p": p}) for p in (3, 1))
    assert one_view(SUPCL, whole) is single
    values = {"alpha": 0.0, "tau": 0.1}
    bound, u = (
        bind(SUPCL, single.sizes | values, batch=3),
        random_embeddings(single, [0, 1, 71], d=3),
    )
    found, alone = certify_bound(bound, u, views=3), certify_bound(bound, u)
    of_all = certify(SUPCL, u.expand(-1, -1, -1, 3, -1), values)
    torch.testing.assert_close(found.gap, of_all.gap, rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(found.lambda_min, of_all.lambda_min, rtol=1e-12, atol=1e-12)
    assert float(found.lambda_min[2]) < float(alone.lambda_min[2]) / 3 - 0.1


def test_where_one_view_does_not_stand_for_all():
    """Where an anchor does not count itself, or a weight depends on the number of views."""
    exclusive = results["supcl-exclusive"].problem
    by_views = replace(SUPCL.loss.terms[0], coefficient=SUPCL.structure.axes[-1])
    weighted = replace(SUPCL, loss=replace(SUPCL.loss, terms=(by_views,)))
    hot = SUPCL.loss.temperature * SUPCL.structure.axes[-1]
    heated = replace(SUPCL, loss=replace(SUPCL.loss, temperature=hot))
    for problem in (exclusive, weighted, heated):
        shape = arrange(problem.structure, {"m": 3, "n": 3, "p": 2})
        assert one_view(problem, shape) is shape


def test_a_loss_without_the_parameter_of_the_chains():
    grid = cells(tau=[0.3, 1.0], seed=0, m=2, n=3, p=2, d=6)
    rows = list(sweep(CNCE, grid, measured=spread, chains=CHAINS, device="cpu"))
    # L_cNCE spreads each class to a simplex of its own, whatever the temperature.
    assert [row["within"] for row in rows] == pytest.approx([1, 1], abs=1e-9)
    assert {row["start"] for row in rows} == {"seed"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alpha": [0.5, 0.5]}, "without repetitions"),
        ({"tau": []}, "tau must have at least one value"),
        ({"alpha": [1.5]}, r"alpha must be in \[0, 1\]"),
        ({"tau": [0.0]}, "tau must be"),
        ({"m": 1}, "m must be"),
    ],
)
def test_bad_grids_are_refused(change, message):
    with pytest.raises((ValueError, DomainError), match=message):
        list(swept(cells(**{**GRID, **change})))


def test_a_cell_that_lacks_something_is_refused():
    with pytest.raises(ValueError, match="needs tau"):
        list(swept(cells(alpha=0.5, seed=0, **SIZES)))
    with pytest.raises(ValueError, match="without repetitions"):
        list(swept(ALL[:1] * 2))
    with pytest.raises(ValueError, match="at least one cell"):
        list(swept([]))


# --- two towers: several sizes, one parameter tied to another ---------------------------------

# Simplex, between and antipodal for both numbers of items.


@pytest.mark.slow
def test_the_grid_of_the_paper(predicted_variance, device):
    """m = n = 10, p = 2, d = 100: 400 cells, 212 of them collapsed, one next to threshold."""
    steps = torch.linspace(0, 1, 20, dtype=torch.float64)
    grid = cells(
        tau=(0.05 + 0.95 * steps).tolist(), seed=0, alpha=steps.tolist(), m=10, n=10, p=2, d=100
    )
    rows = list(swept(grid, device=device))
    assert len(rows) == 400
    # 1e-7 is what the default tolerance guarantees at the threshold itself; see TOLERANCE.
    check(rows, predicted_variance, error=1e-7)
    assert sum(row["within"] < 1e-7 for row in rows) == 212

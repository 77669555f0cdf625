"""Figure 3 of tan2024spectral: its numbers, its command, and what it refuses."""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from cltheory.numeric.figures import spectral_fig3
from cltheory.numeric.figures.drawing import points
from cltheory.numeric.graphs.agreement import adjusted_rand, captured, k_means
from cltheory.numeric.graphs.draw import planted_labels
from cltheory.numeric.graphs.energy import Kernel, cross_entropy, entropy
from cltheory.numeric.graphs.spectral import bottom_eigenvectors
from cltheory.numeric.graphs.train import Setup, sgd
from cltheory.numeric.running.table import TableError

pytest.importorskip("sklearn")
SMALL = Setup(batch=10, most=100)
GRID = spectral_fig3.Grid(((1.0, 0.0), (0.9, 0.1)), 3, 12, (2, 3), SMALL, seeds=(0, 1))
ONE = spectral_fig3.Grid(((0.9, 0.1),), 3, 12, (2,), SMALL, seeds=(0,))


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("fig3") / "t.csv"
    GRID.measure(path, device="cpu")
    return path


def test_rows_against_the_points_that_are_kept(table: Path) -> None:
    rows = GRID.measure(table, device="cpu")
    assert len(rows) == 8
    label = planted_labels(3, 12)
    for row in rows:
        pi, _ = GRID.graph(float(row["p"]), float(row["q"]), int(row["seed"]))
        values, vectors = bottom_eigenvectors(pi, 3)
        assert row["entropy"] == pytest.approx(entropy(pi))
        assert row["eigenvalue_last"] == pytest.approx(float(values[1]), abs=1e-12)
        assert row["eigenvalue_next"] == pytest.approx(float(values[2]))
        assert row["entropy"] <= row["optimum_loss"] <= row["sgd_loss"]
        assert row["optimum_gradient"] < 1e-6 < row["sgd_gradient"]
        for part in spectral_fig3.PARTS:
            least, most = (float(row[f"{part}_angle_{k}"]) for k in ("least", "most"))
            assert 0 <= least <= most <= 90
            if row["d"] != 2:
                continue
            # Points are kept with five digits.
            z = torch.as_tensor(points(row, f"{part}_points"))
            assert row[f"{part}_captured"] == pytest.approx(captured(z, vectors[:, :2]), abs=1e-3)
            value = float(cross_entropy(z, pi, Kernel())[0])
            assert row[f"{part}_loss"] == pytest.approx(value, abs=1e-3)
            found = adjusted_rand(k_means(z, 3), label)
            assert row[f"{part}_ari_planted"] == pytest.approx(found)


def test_clusters_of_a_graph_in_pieces_are_its_eigenvectors(table: Path) -> None:
    """q = 0: the minimum is at infinity, and clusters collapse on the way: the span is exact."""
    for row in GRID.measure(table, device="cpu"):
        if row["q"] == 0:
            assert row["optimum_loss"] == pytest.approx(float(row["entropy"]), abs=1e-6)
            assert row["optimum_captured"] > 0.999
            assert row["optimum_ari_spectral"] == row["optimum_ari_planted"] == 1


def test_a_table_is_resumed_and_belongs_to_its_setup(table: Path, tmp_path: Path) -> None:
    before = table.read_bytes()
    (alone,) = ONE.measure(tmp_path / "one.csv", device="cpu")
    assert alone in GRID.measure(table, device="cpu")
    assert table.read_bytes() == before
    other = spectral_fig3.Grid(ONE.pairs, 3, 12, (2,), Setup(Kernel(0.4), batch=10, most=100))
    with pytest.raises(TableError, match=r"tau = 0\.5, not 0\.4"):
        other.measure(table, device="cpu")


def test_positives_are_not_drawn_by_the_numbers_of_the_graph(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One stream for both would tie what a vertex draws to which edges there are."""
    seen: list[torch.Tensor] = []

    def spied(pi: torch.Tensor, first: Any, setup: Any, random: Any) -> Any:
        clone = torch.Generator().set_state(random.get_state())
        seen.append(torch.rand(len(pi), generator=clone, dtype=torch.float64))
        return sgd(pi, first, setup, random)

    monkeypatch.setattr(spectral_fig3, "sgd", spied)
    ONE.measure(tmp_path / "t.csv", device="cpu")
    of_graph = torch.rand(36**2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    assert len(seen) == 1 and not torch.isin(seen[0], of_graph).any()


# --- the command ---------------------------------------------------------------------------------
@pytest.fixture
def figure(drawn: Callable[..., Any]) -> Callable[..., Any]:
    """The command on a small graph."""
    small = ("--n", "2", "--k", "5", "--p", "0.9", "--q", "0.2", "--iterations", "20")
    return partial(drawn, "spectral-fig3", *small, "--seeds", "0", "--out", "f.png")


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "more",
    [
        (),
        ("--sphere", "--negatives", "batch", "--batch", "4"),
        ("--gamma", "1.5", "--d", "1,3"),
        ("--laplacian", "normalised", "--seeds", "0,1", "--width", "one-column"),
        ("--style", "grayscale", "--p", "1,0.9", "--q", "0,0.1"),
    ],
    ids=" ".join,
)
def test_the_command(figure: Any, tmp_path: Path, more: tuple[str, ...]) -> None:
    caption = tmp_path / "f.tex"
    code, out, err = figure("--caption", str(caption), *more)
    assert (code, err) == (0, "")
    assert "angle" in out and (tmp_path / "f.png").stat().st_size > 5000
    told = caption.read_text()
    assert told.count("$") % 2 == 0 and "all that is shown is measured" in told
    assert ("sphere" in told) == ("--sphere" in more)
    with (tmp_path / "f.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["stop"] for row in rows} == {"iterations"}
    before = (tmp_path / "f.png").read_bytes()
    assert figure(*more)[0] == 0 and (tmp_path / "f.png").read_bytes() == before

"""Training beside predictions: a tiny run, and the table, tables of the page and figure in docs."""

from __future__ import annotations

import csv
import importlib.util
from math import isnan
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sklearn")

from cltheory.numeric.digits.studies import STUDIES, WAYS, Imbalance
from cltheory.numeric.figures.real_training import Grid, worst
from cltheory.numeric.running.table import Table, lacking

DOCS = Path(__file__).resolve().parents[2] / "docs"
SPEC = importlib.util.spec_from_file_location("make_real_training", DOCS / "make_real_training.py")
assert SPEC is not None and SPEC.loader is not None
made = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(made)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> Grid:
    """Three classes, one of them large, in three ways of training."""
    monkeypatch.setitem(STUDIES, "sizes", Imbalance("", (8,), 1.0))
    return Grid(("sizes",), ("free", "fixed", "fresh"), steps=150)


def test_training_comes_to_what_is_predicted(tiny: Grid, tmp_path: Path) -> None:
    rows = {str(r["by"]): r for r in tiny.measure(tmp_path / "t.csv", device="cpu")}
    for row in rows.values():
        assert float(row["loss"]) >= float(row["least"]) - 1e-9
    # A quarter of the steps of the page: cosines and losses to two digits.
    for by in ("free", "fixed", "fresh"):
        assert rows[by]["measured"] == pytest.approx(rows[by]["predicted"], abs=0.02)
        assert rows[by]["loss"] == pytest.approx(rows[by]["least"], abs=0.01)
    assert isnan(float(rows["free"]["held_out"])) and not isnan(float(rows["fresh"]["held_out"]))


def test_another_prediction_is_noticed(tiny: Grid, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(Imbalance, "predicted", lambda self, cell: (0.0, -0.5, 0.0))
    rows = Grid(("sizes",), ("free",), steps=150).measure(tmp_path / "t.csv", device="cpu")
    assert worst(rows, "free") > 0.2


# --- the docs ----------------------------------------------------------------------------------
def stored() -> Table:
    setup = {"steps": Grid().steps, "dtype": "float64"}
    return Table(DOCS / "real-training.csv", setup, Grid().columns)


def test_no_loss_of_the_table_is_below_the_least() -> None:
    rows = stored().rows
    assert {str(row["by"]) for row in rows} == set(WAYS)
    for row in rows:  # such a loss would refute the theorem; 1e-9 is for rounding
        assert isnan(float(row["least"])) or float(row["loss"]) > float(row["least"]) - 1e-9


@pytest.mark.slow
def test_the_table_has_the_cells_and_predictions_that_are_derived() -> None:
    rows, cells = stored().rows, Grid().cells()
    assert not lacking(cells, rows) and len(rows) == len(cells)
    derived: dict[Any, Any] = {}
    for row in rows:
        study = STUDIES[str(row["study"])]
        cell = {k: row[k] for k in ("alpha", "tau", "B", "d", "sizes")}
        place = (row["study"], *cell.values())
        if place not in derived:
            derived[place] = pytest.approx(study.predicted(cell), rel=1e-12, nan_ok=True)
        assert (row["threshold"], row["predicted"], row["least"]) == derived[place]


def test_the_page_is_up_to_date() -> None:
    text = (DOCS / "real-training.md").read_text(encoding="utf-8")
    assert text == made.page(), "python docs/make_real_training.py --write"


def test_a_changed_measurement_changes_the_page() -> None:
    rows = made.rows()
    before = made.section(rows)
    rows[5]["measured"] = repr(float(rows[5]["measured"]) + 0.1)
    assert made.section(rows) != before


def test_the_page_has_the_studies_of_the_figure() -> None:
    assert list(made.STUDIES) == list(STUDIES)


def test_the_command_draws_the_table_that_is_there(drawn: Any, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes((DOCS / "real-training.csv").read_bytes())
    code, out, err = drawn("real-training", "--table", "t.csv", "--caption", "c.tex")
    assert (code, err) == (0, "")
    with (tmp_path / "t.csv").open(newline="") as file:
        assert f"{len(list(csv.DictReader(file)))} cells in t.csv" in out
    caption = (DOCS / "figures/real-training.tex").read_text()
    assert (tmp_path / "real-training.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "c.tex").read_text() == f"{caption}% cltheory\n"

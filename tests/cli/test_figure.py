"""``cltheory figure``: a tiny grid, resumed, repaired, interrupted, and kept apart from others."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("matplotlib")

from cltheory.numeric.figures import ssem_fig2
from cltheory.numeric.running.workers import Workers, WorkersError

CELLS = 6
PNG = b"\x89PNG"


@pytest.fixture
def figure(cltheory: Any, tmp_path: Path) -> Any:
    """Draw two classes of two on a grid of three alphas and two temperatures."""

    def draw(*more: str) -> Any:
        size = ("--m", "2", "--n", "2", "--p", "1", "--grid", "3x2", "--device", "cpu")
        return cltheory("figure", "ssem-fig2", *size, "--out", str(tmp_path / "fig.png"), *more)

    return draw


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_figure_and_its_table(figure: Any, tmp_path: Path) -> None:
    code, out, err = figure()
    assert (code, err) == (0, "")
    assert (tmp_path / "fig.png").read_bytes().startswith(PNG)
    found = rows(tmp_path / "fig.csv")
    assert len(found) == CELLS
    assert {row["stop"] for row in found} == {"converged"}
    assert f"{CELLS} cells" in out
    # alpha = 1 gives the simplex: within-class variance m(n-1)/(mn-1) = 2/3
    ends = [float(row["within"]) for row in found if float(row["alpha"]) == 1]
    assert ends == pytest.approx([2 / 3] * 2, abs=1e-6)


@pytest.mark.parametrize("kept", [1, 60, 500, 900])
def test_a_table_cut_in_a_line_is_repaired_and_completed(
    figure: Any, tmp_path: Path, kept: int
) -> None:
    figure()
    table = tmp_path / "fig.csv"
    whole, before = table.read_bytes(), rows(table)
    table.write_bytes(whole[:kept])
    assert figure().code == 0
    assert len(rows(table)) == CELLS
    lines = whole[:kept].count(b"\n")
    assert table.read_bytes().splitlines()[:lines] == whole.splitlines()[:lines]
    # Cells that start from another neighbour end within rounding of where they did.
    old = {(r["alpha"], r["tau"]): float(r["within"]) for r in before}
    new = {(r["alpha"], r["tau"]): float(r["within"]) for r in rows(table)}
    assert new == pytest.approx(old, abs=1e-7)


@pytest.mark.parametrize(
    "other", [("--m", "3"), ("--n", "3"), ("--p", "2"), ("--d", "7"), ("--dtype", "float32")]
)
def test_a_table_of_another_set_up_is_left_alone(
    figure: Any, refused: Any, tmp_path: Path, other: tuple[str, str]
) -> None:
    figure()
    before = (tmp_path / "fig.csv").read_bytes()
    size = {"--m": "2", "--n": "2", "--p": "1", "--grid": "3x2", other[0]: other[1]}
    args = [word for pair in size.items() for word in pair]
    line = refused("figure", "ssem-fig2", *args, "--out", str(tmp_path / "fig.png"))
    assert "was made with" in line
    assert (tmp_path / "fig.csv").read_bytes() == before


@pytest.mark.parametrize(
    "junk", [b"a,b\n1,2\n", b"\xff\xfe\x00\n", b"just words\n", b"alpha,tau\n0,1\n\n\n"]
)
def test_junk_is_left_alone(figure: Any, tmp_path: Path, junk: bytes) -> None:
    (tmp_path / "fig.csv").write_bytes(junk)
    code, out, err = figure()
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert (tmp_path / "fig.csv").read_bytes() == junk
    assert not (tmp_path / "fig.png").exists()


def test_an_interrupt_keeps_the_finished_cells(
    figure: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sweep = ssem_fig2.sweep

    def interrupted(*args: Any, **kwargs: Any) -> Iterator[Any]:
        for k, row in enumerate(sweep(*args, **kwargs)):
            if k == 3:
                raise KeyboardInterrupt
            yield row

    with monkeypatch.context() as patch:
        patch.setattr(ssem_fig2, "sweep", interrupted)
        code, out, err = figure()
    assert (code, out) == (130, "")
    assert err.count("\n") == 1
    assert f"interrupted after 3 of {CELLS} cells, which are in " in err and "are lost" in err
    before = (tmp_path / "fig.csv").read_text()
    assert len(rows(tmp_path / "fig.csv")) == 3
    assert not (tmp_path / "fig.png").exists()
    assert figure().code == 0
    assert (tmp_path / "fig.csv").read_text().startswith(before)
    assert len(rows(tmp_path / "fig.csv")) == CELLS


def test_processes_that_are_not_there_are_refused_in_one_line(
    figure: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def each(self: Workers, work: Any, parts: Any) -> Iterator[Any]:
        assert self == Workers(2)
        raise WorkersError("no scheduler answers")
        yield

    monkeypatch.setattr(Workers, "each", each)
    assert figure("--workers", "2") == (2, "", "cltheory: no scheduler answers\n")
    assert figure("--workers", "2", "--scheduler", "tcp://a:1").code == 2


@pytest.mark.parametrize("damage", [b",cpu,default\n", b",cpu,default,more\n"])
def test_a_row_with_other_columns_is_named(figure: Any, tmp_path: Path, damage: bytes) -> None:
    figure()
    table = tmp_path / "fig.csv"
    whole = table.read_bytes()
    damaged = b",default\n" if damage.count(b",") == 2 else damage
    table.write_bytes(whole.rstrip(b"\r\n").removesuffix(b",cpu,default") + damaged)
    code, _, err = figure()
    assert code == 2
    assert f"line {CELLS + 1} is not a row" in err


@pytest.mark.parametrize("size", [("--d", "1" * 20), ("--m", "1" * 20)])
def test_what_no_machine_holds_is_refused(figure: Any, size: tuple[str, str]) -> None:
    code, out, err = figure(*size)
    assert (code, out) == (1, "")
    assert err.count("\n") == 1
    assert "more memory" in err


@pytest.mark.parametrize(
    ("width", "inches"), [("one-column", 3.25), ("two-column", 6.75), ("5.5", 5.5)]
)
def test_a_figure_has_the_width_of_a_column(
    figure: Any, tmp_path: Path, width: str, inches: float
) -> None:
    out = tmp_path / "fig.pdf"
    assert figure("--out", str(out), "--width", width).code == 0
    (box,) = re.findall(rb"/MediaBox \[ 0 0 ([0-9.]+) ", out.read_bytes())
    assert float(box) == pytest.approx(72 * inches, abs=0.01)


def test_a_caption_says_what_is_derived_and_what_is_measured(figure: Any, tmp_path: Path) -> None:
    path = tmp_path / "fig.tex"
    assert figure("--caption", str(path), "--seeds", "0,1").code == 0
    text = path.read_text()
    assert text.count("$") % 2 == 0 and text.endswith(".\n% cltheory\n")
    assert "(a) Derived" in text and "(b) Measured" in text and "seeds differ by at most" in text


def test_the_help_has_examples_that_the_figures_take(cltheory: Any) -> None:
    from cltheory.cli.figure import figure_command
    from cltheory.cli.figure_options import EXAMPLES

    assert set(EXAMPLES) == set(figure_command.commands)
    assert cltheory("figure", "--help").out.count("\n    cltheory figure ") == 5
    for name, lines in EXAMPLES.items():
        told = cltheory("figure", name, "--help").out
        for line in lines:
            assert f"cltheory figure {name} {line}" in told
            figure_command.commands[name].make_context(name, line.split())


# --- the phases of a loss -----------------------------------------------------------------------


@pytest.fixture
def phases(cltheory: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Draw a map of few cells, with four points."""
    from cltheory.numeric.figures import plane as module

    monkeypatch.setattr(module, "plane", partial(module.plane, fine=24))

    def draw(*more: str) -> Any:
        out = ("--out", str(tmp_path / "map.png"))
        return cltheory("figure", "phases", "--points", "2", "--device", "cpu", *out, *more)

    return draw


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("loss", "words", "faces"),
    [
        (
            "supcl-exclusive",
            ("--x", "alpha", "--y", "tau", "--m", "2", "--n", "2", "--p", "2"),
            {"classes", "instances+classes", "views+classes"},
        ),
        ("siglip", ("--N", "4"), {"shared_contrasts", "differing_means"}),
    ],
)
def test_a_map_of_phases(
    phases: Any, tmp_path: Path, loss: str, words: tuple[str, ...], faces: set[str]
) -> None:
    code, out, err = phases("--loss", loss, *words)
    assert (code, err) == (0, "")
    assert (tmp_path / "map.png").read_bytes().startswith(PNG)
    assert "4 cells" in out
    assert " 0 with another structure than the map" in out
    assert "exact answer agrees with the map at 4 of 4" in out
    found = rows(tmp_path / "map.csv")
    assert len(found) == 4
    assert {float(row["gap"]) < 1e-9 for row in found} == {True}
    before = (tmp_path / "map.csv").read_bytes()
    assert phases("--loss", loss, *words).code == 0
    assert (tmp_path / "map.csv").read_bytes() == before


def test_a_table_of_another_loss_is_left_alone(phases: Any, tmp_path: Path) -> None:
    words = ("--m", "2", "--n", "2", "--p", "2", "--d", "8")
    assert phases("--loss", "supcl", *words).code == 0
    before = (tmp_path / "map.csv").read_bytes()
    code, _, err = phases("--loss", "supcl-exclusive", *words)
    assert code == 2
    assert "was made with problem = supcl" in err
    assert (tmp_path / "map.csv").read_bytes() == before


def test_targets_of_positives_are_parameters(phases: Any) -> None:
    sizes = ("--m", "2", "--n", "2", "--p", "2")
    code, out, _ = phases("--loss", "docs/problems/soft-targets.toml", *sizes)
    assert code == 0
    assert " 0 with another structure than the map" in out


def test_where_the_exact_answer_is_open_a_map_is_drawn(
    phases: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cltheory.derive.decide.domain import DomainError
    from cltheory.numeric.figures import phases as module

    class Undecided:
        def with_inputs(self, **given: Any) -> Undecided:
            return self

        def value(self, *args: Any, **values: Any) -> Any:
            raise DomainError("not decided")

    monkeypatch.setattr(module, "results", {"phases": Undecided()})
    code, out, _ = phases("--loss", "supcl", "--m", "2", "--n", "2", "--p", "2")
    assert code == 0
    assert "at 0 of 4 places, and undecided at 4" in out


def test_a_wrong_map_is_noticed(phases: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from cltheory.numeric.problems.reduced import Optima

    faces = Optima.faces
    monkeypatch.setattr(
        Optima, "faces", lambda self: [("views",) if "classes" in f else f for f in faces(self)]
    )
    code, out, _ = phases("--loss", "supcl", "--m", "2", "--n", "2", "--p", "2")
    assert code == 0
    assert "4 with another structure than the map" in out
    assert "at 0 of 4" in out

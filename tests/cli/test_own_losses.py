"""A file that declares a loss stands wherever the id of a result does, also in a paper."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from cltheory import problem
from cltheory.derive.results import results
from cltheory.derive.tex import assert_equation
from cltheory.derive.tex.judge.lookup import BadTarget

FILE = Path(__file__).parents[2] / "docs/problems/supcl-exclusive.toml"
AT = ("--m", "3", "--n", "2", "--p", "2", "--tau", "1", "--alpha", "0.3")
#: Where classes collapse without the anchor, as printed; the quantity is a set of alpha.
E = r"e^{m/((m-1)\tau)}"
LOW = rf"\max\left(0, \frac{{(1-p)(mnp - {E})}}{{np(m-1) + (np-1){E}}}\right)"
HIGH = rf"\frac{{p(mn-1)+(p-1){E}}}{{np(m-1) + (np-1){E}}}"
SET = rf"{LOW} \le \alpha \le {HIGH}"

SMALL = """
temperature = "tau"
structure = { towers = 2, items = "N" }
terms = [{ positives = ["positive"], denominator = ["positive", "negative"] }]
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a loss of one's own, and in it."""
    (tmp_path / "paper").mkdir()
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copy(FILE, tmp_path / "paper" / "Mine 1.toml"))


def test_an_equation_about_a_loss_of_ones_own(cltheory: Any, mine: Path) -> None:
    """The file is named as seen from the paper, and a set is compared with its ends."""

    def check(equation: str, loss: str = "Mine 1.toml") -> tuple[int, str]:
        paper = mine.with_name("paper.tex")
        paper.write_text(
            f"% cltheory: phases.classes_for_alpha (loss = {loss})\n\\[ {equation} \\]\n"
        )
        code, out, _ = cltheory("check", str(paper))
        return code, out

    assert check(SET) == (0, "1 marked equation in 1 file: 1 equal (1 exact)\n")
    assert "differs" in check(SET.replace("np-1", "np+1"))[1]
    assert "an end belongs to one" in check(SET.replace(r"\le \alpha", r"< \alpha", 1))[1]
    assert "gone.toml: it cannot be read" in check(SET, "gone.toml")[1]
    code, out = check(SET, "../outside.toml")
    assert code == 2 and "is outside the folders that are checked" in out


def test_an_assertion_about_a_loss_of_ones_own(mine: Path) -> None:
    assert assert_equation(SET, f"phases.classes_for_alpha (loss = {mine})").ok
    with pytest.raises(AssertionError, match="differs"):
        assert_equation(SET.replace("mnp", "mn"), f"phases.classes_for_alpha (loss = {mine})")
    with pytest.raises(AssertionError, match="'not' applies to an inequality"):
        assert_equation(SET, f"not phases.classes_for_alpha (loss = {mine})")
    with pytest.raises(BadTarget, match=r"no classes_for_beta \(did you mean 'classes_for_alpha'"):
        assert_equation(SET, f"phases.classes_for_beta (loss = {mine})")
    with pytest.raises(BadTarget, match=r"of a loss of your own write phases\.loss"):
        assert_equation(SET, f"mine-1.loss (loss = {mine})")
    with pytest.raises(BadTarget, match="cannot be read"):
        assert_equation(SET, "phases.classes_for_alpha (loss = gone.toml)")


@pytest.mark.slow  # the export derives everything
def test_a_file_stands_where_an_id_does(cltheory: Any, mine: Path) -> None:
    file = str(mine)
    out = cltheory("derive", file, *AT, "--brief").out
    assert out.startswith("mine-1: ") and "  structure = classes\n" in out
    named = cltheory("derive", f"--loss={file}", *AT, "--brief").out
    assert named.splitlines()[1:] == out.splitlines()[1:]
    assert "above its minimum" in cltheory("certify", file, *AT).out
    text = cltheory("export", "--latex", "-", "--loss", file).out
    assert r"\newcommand{\clMineOneClassesForAlphaEq}" in text
    assert "def mine_1_classes_views(" in cltheory("export", "--python", "-", file).out


@pytest.mark.slow
def test_weights_in_a_denominator_against_embeddings(cltheory: Any, refused: Any) -> None:
    """Borders in the weight among them; what certificates have no room for is refused."""
    file = str(FILE.with_name("hard-negatives.toml"))
    out = cltheory("verify", file, "--m", "3", "--n", "2", "--p", "2", "--tau", "1/2").out
    assert "h_views_classes" in out and " 0 disagree" in out
    assert "weights in a denominator" in refused("certify", file, *AT, "--h", "2")


def test_where_nothing_is_optimal_is_said(cltheory: Any) -> None:
    file = str(FILE.with_name("hard-negatives.toml"))
    out = cltheory("derive", "phases", "--loss", file, "--tau", "oo", "--h", "2").out
    assert "instances_for_alpha: no alpha\n" in out and "EmptySet" not in out


def test_a_lock_of_a_loss_of_ones_own(cltheory: Any, mine: Path) -> None:
    mine.write_text(SMALL)
    lock = Path("mine.lock")
    lock.write_text(cltheory("freeze", "--loss", str(mine)).out)
    assert list(json.loads(lock.read_text())["quantities"]) == [str(mine)]
    assert cltheory("check", "--frozen", str(lock)).code == 0
    mine.write_text(SMALL.replace('"tau"', '"2*tau"'))
    code, out, _ = cltheory("check", "--frozen", str(lock))
    assert code == 1 and "loss was" in out


def test_the_same_text_is_derived_once_and_another_anew(mine: Path) -> None:
    before = results[str(mine)]
    assert results[str(mine)] is before
    mine.write_text(mine.read_text().replace("1 - alpha", "2 - 2*alpha"))
    assert results[str(mine)] is not before


def test_from_python(mine: Path) -> None:
    r = problem(str(mine))
    assert r.id == "mine-1" and results[str(mine)].classes_for_alpha == r.classes_for_alpha
    assert str(mine) not in list(results)
    assert problem("dcl").id == "phases"


@pytest.mark.parametrize(
    "more", [("--brief",), ("--format", "json"), ("--digits", "5", "--format", "text")]
)
def test_a_loss_alone_asks_for_its_phases(cltheory: Any, more: tuple[str, ...]) -> None:
    """Whatever options stand beside it, values of theirs among them."""
    assert (
        '"phases"' in (out := cltheory("derive", "--loss", "dcl", *more).out) or "phases: " in out
    )

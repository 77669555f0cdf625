"""``cltheory attack``: what it says and keeps, what it replays, and what it refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from cltheory.cli.numeric_options import different, seeds_of
from cltheory.derive.results import Registry
from cltheory.numeric.attack import load
from toy_bounds import ALL

Command = Callable[..., Any]
Refused = Callable[..., str]

#: An id that there is, which the toys stand in for.
ID = "softmax-smoothness"
SHORT = ("--n", "4", "--d", "2", "--seeds", "0", "--starts", "9")


pytestmark = pytest.mark.usefixtures("here")


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bounds of the tests instead of those of a result."""
    monkeypatch.setattr(Registry, "__getitem__", lambda self, id: ALL)


def attacked(cltheory: Command, *options: str, code: int = 0) -> dict[str, Any]:
    found = cltheory("attack", ID, *SHORT, *options, "--format", "json")
    assert found.code == code and found.err == ""
    row: dict[str, Any] = json.loads(found.out)
    return row


# --- what it says --------------------------------------------------------------------------------
def test_a_result_of_the_registry(cltheory: Command) -> None:
    code, out, err = cltheory("attack", ID, "--quantity", "curvature_printed", *SHORT)
    assert (code, err) == (0, "")
    assert "the closest an adversary came" in out
    assert "violated as printed" in out and "does not hold as printed: N = 2" in out
    assert out.splitlines()[0].endswith("as printed)")


@pytest.mark.usefixtures("toys")
def test_a_bound_that_holds(cltheory: Command) -> None:
    code, out, err = cltheory("attack", ID, "--quantity", "upper", *SHORT)
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "1 bound attacked, 0 violated"
    assert "squared_gradient <=" in out and "not violated" in out


@pytest.mark.usefixtures("toys")
def test_a_bound_that_is_violated(cltheory: Command) -> None:
    code, out, err = cltheory("attack", ID, "--quantity", "barely", *SHORT)
    assert (code, err) == (1, "")
    assert "1 + 1.0e-9" in out
    assert "barely is violated: n = 4, d = 2" in out
    for line in ("anchor (", "positive (", "negatives ((", "tau "):
        assert f"\n    {line}" in out


@pytest.mark.usefixtures("toys")
def test_a_printed_bound_that_is_violated_is_the_finding(cltheory: Command) -> None:
    code, out, _ = cltheory("attack", ID, "--quantity", "printed", *SHORT)
    assert code == 0
    assert "printed does not hold as printed: n = 4, d = 2" in out
    assert out.splitlines()[0] == "1 bound attacked, 1 violated (1 as printed)"


@pytest.mark.usefixtures("toys")
def test_json(cltheory: Command) -> None:
    row = attacked(cltheory, "--quantity", "upper", "--quantity", "short", code=1)
    assert row["violated"] == ["short"]
    upper, short = row["attacks"]
    assert (upper["side"], upper["bounded"], upper["about"]) == (
        "upper",
        "squared_gradient",
        "ANCHOR",
    )
    assert not upper["violated"] and upper["smallest"] is None
    assert upper["sizes"] == [{"n": 4, "d": 2, "ratio": "1.0", "violated": False}]
    assert (upper["seeds"], upper["ended"], upper["dtype"]) == ([0], "finished", "float64")
    assert short["violated"] and short["smallest"]["ratio"].startswith("1.0101010101")
    assert short["configuration"]["about"] == "ANCHOR"


@pytest.mark.usefixtures("toys")
def test_numbers_that_no_configuration_tells(cltheory: Command, refused: Refused) -> None:
    options = ("attack", ID, "--quantity", "constant", *SHORT)
    assert "give c=VALUE" in refused(*options)
    assert cltheory(*options, "--set", "c=4").code == 0
    assert cltheory(*options, "--set", "c=3.99").code == 1
    assert "c must be > 0" in refused(*options, "--set", "c=-1")
    assert "no bound of toy has a parameter x" in refused(*options, "--set", "x=1")
    for word in ("c", "c=", "=1", "c d=1"):
        assert "NAME=VALUE" in refused(*options, "--set", word)


@pytest.mark.usefixtures("toys")
def test_an_interruption_tells_what_was_found(
    cltheory: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    import cltheory.numeric.attack.adversary as adversary

    visit, visited = adversary._Search.visit, []

    def once(self: Any, seed: int, there: Any) -> None:
        if visited:
            raise KeyboardInterrupt
        visited.append(there)
        return visit(self, seed, there)

    monkeypatch.setattr(adversary._Search, "visit", once)
    options = ("--quantity", "upper", "--quantity", "lower", "--n", "3,4", "--out", "best.json")
    code, out, err = cltheory("attack", ID, "--seeds", "0", *options)
    assert code == 130 and err == "cltheory: interrupted; what was found until then is above\n"
    assert "1 bound attacked, 0 violated; wrote best.json" in out
    assert len(load(Path("best.json").read_text())) == 1


# --- files ---------------------------------------------------------------------------------------
@pytest.mark.usefixtures("toys")
def test_what_was_reached_is_written_and_replayed(cltheory: Command, refused: Refused) -> None:
    options = ("attack", ID, "--quantity", "upper", "--quantity", "short", *SHORT)
    assert cltheory(*options, "--out", "best.json").code == 1
    assert [r.quantity for r in load(Path("best.json").read_text())] == ["upper", "short"]
    assert "--force" in refused(*options, "--out", "best.json")
    assert cltheory(*options, "--out", "best.json", "--force").code == 1
    code, out, err = cltheory("attack", ID, "--replay", "best.json")
    assert (code, err) == (1, "")
    assert "the bound holds there" in out and "the bound is violated there" in out
    ratio = next(line for line in out.splitlines()[::-1] if line.startswith("  ratio"))
    assert ratio.split()[1].startswith("1.01010101010101010101010101010101010101")
    rows = json.loads(cltheory("attack", ID, "--replay", "best.json", "--format", "json").out)
    assert [row["violated"] for row in rows] == [False, True]
    names = {"epsilon", "rho", "one_minus_rho", "tau", "squared_gradient"}
    assert set(rows[0]["readings"]) == names
    few = cltheory("attack", ID, "--replay", "best.json", "--digits", "20").out
    assert len(few) < len(out)


GOOD = {
    "result": "toy",
    "quantity": "upper",
    "about": "ANCHOR",
    "vectors": {"anchor": ["1"], "positive": ["1"], "negatives": [["-1"]]},
    "tau": "1",
}


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize(
    "text, why",
    [
        ("", "it is not JSON"),
        ("[]", "it is an empty list"),
        (json.dumps({**GOOD, "result": "ssem"}), "the record belongs to 'ssem', not to 'toy'"),
        (json.dumps({**GOOD, "quantity": "nothing"}), "toy has no nothing"),
        (json.dumps({**GOOD, "quantity": "constant"}), "depends on c"),
        (json.dumps({**GOOD, "quantity": "constant", "given": {"c": "exec(1)"}}), "c: "),
        (json.dumps({**GOOD, "about": "BATCH"}), "of the kind ANCHOR, not BATCH"),
        (json.dumps({**GOOD, "tau": ["1"]}), "'tau' must be a decimal number"),
        (json.dumps({**GOOD, "tau": "__import__('os').abort()"}), "not a decimal number"),
    ],
)
def test_a_file_that_is_no_record(refused: Refused, text: str, why: str) -> None:
    Path("bad.json").write_text(text)
    said = refused("attack", ID, "--replay", "bad.json")
    assert "bad.json: " in said and why in said


def test_a_file_that_cannot_be_read(refused: Refused) -> None:
    Path("image.json").write_bytes(b"\xff\xfe\x00")
    assert "image.json is not a UTF-8 text file" in refused("attack", ID, "--replay", "image.json")


# --- what it refuses -----------------------------------------------------------------------------
@pytest.mark.usefixtures("toys")
def test_a_table_that_is_none_is_left_alone(cltheory: Command, refused: Refused) -> None:
    options = ("attack", ID, "--quantity", "upper", *SHORT, "--table", "t.csv")
    assert cltheory(*options).code == 0
    lines = Path("t.csv").read_text().splitlines()
    assert len(lines) == 2
    assert "starts = 9, not 8" in refused(*options, "--starts", "8")
    whole, wrong = "\n".join(lines), "the table is not that of its configuration"
    for text, why in (
        ("a,b\n1,2", "not a table of a sweep"),
        (whole.replace("[[", "[[open(1),"), "it is not JSON"),
        (whole.replace("ANCHOR", "BATCH"), "of the kind ANCHOR, not BATCH"),
        (whole.replace('""ratio"":""1', '""ratio"":""2'), wrong),
        (whole.replace('""ratio"":""', '""ratio"":""x'), wrong),
        (re.sub('"({""result.*)",$', r'"\1","\1"', whole), wrong),  # as a violation
    ):
        Path("t.csv").write_text(f"{text}\n")
        assert why in refused(*options)
        assert Path("t.csv").read_text() == f"{text}\n"


def test_a_cluster_needs_its_package(refused: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    from cltheory.cli import numeric_options

    monkeypatch.setattr(numeric_options, "find_spec", lambda name: None)
    said = refused("attack", ID, "--scheduler", "tcp://a:1")
    assert said.endswith("--scheduler needs distributed: pip install 'cltheory[cluster]'\n")


def test_ranges_of_numbers() -> None:
    assert seeds_of("--seeds", "0-4") == [0, 1, 2, 3, 4]
    assert different("--n", "3, 5-6,9", 2, 9) == [3, 5, 6, 9]

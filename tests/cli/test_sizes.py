"""Lists of sizes on the command line, in every format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

ARGS = ("derive", "supcon-imbalanced", "--sizes", "2,2,4", "--tau", "1/10")


def test_json_has_nested_lists(cltheory: Any) -> None:
    code, out, err = cltheory(*ARGS, "--format", "json", "--digits", "30")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["parameters"] == {"sizes": "2,2,4", "tau": "1/10"}
    rows = found["quantities"]["cosines"]["value"]
    assert [len(row) for row in rows] == [3, 3, 3]
    assert rows[0][1] == rows[1][0] == "-0.481949953520565543680866045063"
    assert float(rows[0][2]) == pytest.approx(-0.508945010035188, abs=1e-14)
    assert found["evidence"] == "interval"
    assert found["quantities"]["rank"]["value"].startswith("2.0")


@pytest.mark.parametrize(
    "style, tau",
    [("text", ()), ("latex", ()), ("markdown", ("--tau", "1/2")), ("python", ("--tau", "1/2"))],
)
def test_every_format_is_written(cltheory: Any, style: str, tau: tuple[str, ...]) -> None:
    code, out, err = cltheory(
        "derive", "supcon-imbalanced", "--sizes", "4,2,2", *tau, "--format", style
    )
    assert (code, err) == (0, "")
    assert "cosines" in out or "mu" in out


def test_sizes_are_read_from_a_file(cltheory: Any, tmp_path: Path) -> None:
    path = tmp_path / "sizes.csv"
    path.write_text("2,2\n4\n")
    _, typed, _ = cltheory(*ARGS, "--brief")
    code, out, _ = cltheory(
        "derive", "supcon-imbalanced", "--sizes", str(path), "--tau", "1/10", "--brief"
    )
    assert (code, out) == (0, typed)


@pytest.mark.parametrize(
    "args, said",
    [
        (("supcon-imbalanced", "--sizes", "2,1", "--tau", "1"), "a sample alone in its class"),
        (("supcon-imbalanced", "--sizes", "3", "--tau", "1"), "two classes or more"),
        (("supcon-imbalanced", "--sizes", "2,3/2"), "must be an integer"),
        (("supcon-imbalanced", "--sizes", "2,3", "--tau", "0"), "tau must be > 0"),
        (("supcon-imbalanced", "--C", "2"), "two classes of any sizes are opposite"),
        (("supcon-balanced", "--C", "1"), "with one class"),
        (("soft-supcon", "--sizes", "1,1"), "two samples"),
        (("soft-supcon", "--C", "3", "--epsilon", "1"), "all pairs weigh the same"),
    ],
)
def test_bad_input_is_one_line(cltheory: Any, args: tuple[str, ...], said: str) -> None:
    code, out, err = cltheory("derive", *args)
    assert (code, out) == (2, "")
    assert said in err and err.strip().count("\n") == 0


def test_lists_are_shown(cltheory: Any) -> None:
    _, out, _ = cltheory("show", "supcon-imbalanced")
    assert "--sizes" in out and "each entry an integer >= 2" in out
    _, out, _ = cltheory("list", "--format", "json")
    (row,) = (r for r in json.loads(out) if r["id"] == "soft-supcon")
    assert row["parameters"] == ["sizes", "C", "n", "epsilon", "tau"]


def test_embeddings_agree(cltheory: Any) -> None:
    pytest.importorskip("torch")
    code, out, _ = cltheory("verify", "supcon-imbalanced", "--sizes", "2,3", "--tau", "1/2")
    assert code == 0 and "0 disagree" in out and "cosines[1][2]" in out

"""Lists and matrices on the command line: typed or in a file, in every format, and refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from cltheory.cli.parameters import from_file
from cltheory.derive.decide.exact import exact_list

PI, Z = "0,1,1;1,0,1;1,1,0", "1,0;0,1;-1,0"
D = "0,1,5,3;1,0,1,2;5,1,0,7;3,2,7,0"
SQUARE = "0,1,2,1;1,0,1,2;2,1,0,1;1,2,1,0"
SIZES = ("supcon-imbalanced", "--sizes", "2,2,4", "--tau", "1/10")


@pytest.mark.sample(12)
@pytest.mark.parametrize("style", ["text", "json", "latex", "markdown", "python"])
@pytest.mark.parametrize(
    "words",
    [
        SIZES,
        ("dgp-euclidean", "--D", D, "--q", "2"),
        ("dgp-euclidean", "--D", D, "--q", "1"),
        ("dgp-spherical", "--D", SQUARE, "--q", "3", "--tau", "1/3"),
        ("dgp-spherical", "--D", SQUARE),
        ("mrf", "--pi", PI),
        ("spectral-clustering", "--pi", PI),
        ("spectral-clustering", "--pi", PI, "--Z", Z),
        ("spectral-clustering", "--pi", PI, "--Z", Z, "--tau", "1/2"),
        ("clip-pair-graph", "--edges", "1,1;1,2;2,2"),
    ],
)
def test_every_display(cltheory: Any, style: str, words: tuple[str, ...]) -> None:
    code, out, err = cltheory("derive", *words, "--format", style)
    assert (code, err) == (0, "") and out
    if style == "text":
        assert all(len(line) <= 100 for line in out.splitlines()[1:])


def test_json_has_nested_lists(cltheory: Any) -> None:
    found = json.loads(cltheory("derive", *SIZES, "--format", "json", "--digits", "30").out)
    assert found["parameters"] == {"sizes": "2,2,4", "tau": "1/10"}
    rows = found["quantities"]["cosines"]["value"]
    assert [len(row) for row in rows] == [3, 3, 3]
    assert rows[0][1] == rows[1][0] == "-0.481949953520565543680866045063"
    assert float(rows[0][2]) == pytest.approx(-0.508945010035188, abs=1e-14)
    assert found["evidence"] == "interval"


@pytest.mark.parametrize(
    "words, option, text",
    [
        (SIZES, "--sizes", "2,2\n4\n"),
        (SIZES, "--sizes", "\ufeff2,2\n4\n"),  # as spreadsheets write it
        (("spectral-clustering", "--pi", PI, "--Z", Z, "--tau", "1/2"), "--Z", "1,0\n0,1\n-1,0\n"),
        (("dgp-euclidean", "--D", "0,1,4;1,0,1;4,1,0"), "--D", "0,1,4\n1,0,1\n4,1,0\n"),
    ],
)
def test_a_list_in_a_file_is_the_same(
    tmp_path: Path, cltheory: Any, words: tuple[str, ...], option: str, text: str
) -> None:
    (tmp_path / "list.csv").write_text(text, encoding="utf-8")
    place = words.index(option) + 1
    of_file = (*words[:place], str(tmp_path / "list.csv"), *words[place + 1 :])
    typed, found = (cltheory("derive", *w, "--brief").out.splitlines() for w in (words, of_file))
    assert typed[1:] == found[1:] and len(typed) > 2


def test_an_array_in_a_file(tmp_path: Path, cltheory: Any, refused: Any) -> None:
    path = tmp_path / "D.npy"
    np.save(path, np.array([[0, 1, 4.0], [1, 0, 1], [4, 1, 0]]))
    out = cltheory("derive", "dgp-euclidean", "--D", str(path), "--q", "1", "--brief").out
    assert "attained = True" in out
    np.save(path, np.array([[0, "a"], [None, 0]], dtype=object), allow_pickle=True)
    assert "not unpickled" in refused("derive", "dgp-euclidean", "--D", str(path))


def test_files_that_cannot_be_read_are_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "binary.txt").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "large.txt").write_text("1," * 1_000_001)
    (tmp_path / "pi.json").write_text("[[0, 1], [1, 0]]")
    for name, said in (
        ("nowhere.txt", "does not exist"),
        ("binary.txt", "not a UTF-8 text file"),
        ("large.txt", "more than"),
        ("pi.json", "is not a .txt, .csv or .npy file"),
        ("a\0b.txt", "does not exist|cannot be read"),
    ):
        with pytest.raises(click.UsageError, match=said) as refused:
            from_file("sizes", str(tmp_path / name))
        assert "\n" not in str(refused.value)
    assert exact_list(from_file("sizes", "2,2,4")) == (2, 2, 4)

"""Results for a matrix: given as text or a file, in every format, and refused in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

SQUARE = "0,1,2,1;1,0,1,2;2,1,0,1;1,2,1,0"


def test_a_matrix_in_a_file(tmp_path: Path, cltheory: Any) -> None:
    path = tmp_path / "D.csv"
    path.write_text("0,1,4\n1,0,1\n4,1,0\n", encoding="utf-8")
    found = json.loads(
        cltheory("derive", "dgp-euclidean", "--D", str(path), "--q", "1", "--format", "json").out
    )
    assert found["quantities"]["attained"]["value"] == "true"
    assert found["quantities"]["embedding"]["value"] == [
        ["1.00000000000000"],
        ["0.0"],
        ["-1.00000000000000"],
    ]
    assert found["evidence"] == "exact"


def test_an_array_in_a_file(tmp_path: Path, cltheory: Any, refused: Any) -> None:
    rows = np.array([[0, 1, 4.0], [1, 0, 1], [4, 1, 0]])
    path = tmp_path / "D.npy"
    np.save(path, rows)
    out = cltheory("derive", "dgp-euclidean", "--D", str(path), "--q", "1", "--brief").out
    assert "attained = True" in out
    np.save(path, np.array([[0, "a"], [None, 0]], dtype=object), allow_pickle=True)
    assert "not unpickled" in refused("derive", "dgp-euclidean", "--D", str(path))


@pytest.mark.parametrize("style", ["text", "json", "latex", "markdown", "python"])
@pytest.mark.parametrize(
    "words",
    [
        ("dgp-euclidean", "--D", "0,1,5,3;1,0,1,2;5,1,0,7;3,2,7,0", "--q", "2"),
        ("dgp-euclidean", "--D", "0,1,5,3;1,0,1,2;5,1,0,7;3,2,7,0", "--q", "1"),
        ("dgp-spherical", "--D", SQUARE, "--q", "3", "--tau", "1/3"),
        ("dgp-spherical", "--D", SQUARE),
        ("entropic-bound", "--W", "0,1,0;1,0,2;0,2,0", "--tau", "1/2"),
    ],
)
def test_every_display(cltheory: Any, style: str, words: tuple[str, ...]) -> None:
    out = cltheory("derive", *words, "--format", style).out
    assert out and "Traceback" not in out
    if style == "text":
        assert all(len(line) <= 100 for line in out.splitlines()[1:])


@pytest.mark.parametrize(
    "words, says",
    [
        (("dgp-euclidean", "--D", "0,1;2,0", "--q", "1"), "D is not symmetric"),
        (("dgp-euclidean", "--D", "0,1;1,0", "--q", "0"), "q must be an integer >= 1, not 0"),
        (("entropic-bound", "--W", "0,-1;-1,0"), "each of W must be >= 0, not -1"),
        (("entropic-bound", "--W", "0,0,0;0,0,1;0,1,0"), "W: row 1 is isolated"),
        (("entropic-bound", "--W", "0,1,2;1,0,1"), "W is 2 x 3, and must be square"),
        (("dgp-spherical", "--D", "no-such.csv"), "does not exist"),
    ],
)
def test_bad_input_is_one_line(refused: Any, words: tuple[str, ...], says: str) -> None:
    assert says in refused("derive", *words)


def test_show_and_help_say_which_lists_are_matrices(cltheory: Any) -> None:
    for words in (["show", "x-clr"], ["derive", "x-clr", "--help"]):
        shown = " ".join(cltheory(*words)[1].split())
        assert "--Y rows such as 0,1;1,0, or a file; each entry a real number" in shown
    shown = cltheory("show", "supcon-imbalanced")[1]
    assert "a list such as 2,2,4, or a file; each entry an integer >= 2" in shown

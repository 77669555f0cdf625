"""Graphs on the command line: rows or a file, every display, and what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

PI, Z = "0,1,1;1,0,1;1,1,0", "1,0;0,1;-1,0"


@pytest.mark.sample(6)
@pytest.mark.parametrize("style", ["text", "json", "latex", "markdown", "python"])
@pytest.mark.parametrize(
    "words",
    [
        ("mrf", "--pi", PI, "--K", "1,2,3;2,1,1;3,1,1", "--W", "0,1,0;0,0,1;1,0,0"),
        ("spectral-clustering", "--pi", PI),
        ("spectral-clustering", "--pi", PI, "--Z", Z),
        ("spectral-clustering", "--pi", PI, "--Z", Z, "--tau", "1/2"),
    ],
)
def test_every_display(cltheory: Any, style: str, words: tuple[str, ...]) -> None:
    out = cltheory("derive", *words, "--format", style).out
    assert out and "Traceback" not in out
    if style == "text":
        assert all(len(line) <= 100 for line in out.splitlines()[1:])


def test_matrices_in_files(tmp_path: Path, cltheory: Any) -> None:
    np.save(tmp_path / "pi.npy", np.array([[0, 1.0, 1], [1, 0, 1], [1, 1, 0]]))
    (tmp_path / "Z.csv").write_text("1,0\n0,1\n-1,0\n")
    words = ["derive", "spectral-clustering", "--tau", "1/2", "--brief"]
    typed = cltheory(*words, "--pi", PI, "--Z", Z).out
    files = ("--pi", str(tmp_path / "pi.npy"), "--Z", str(tmp_path / "Z.csv"))
    assert "cross_entropy = 2.94700320264589" in typed
    assert cltheory(*words, *files).out.splitlines()[1:] == typed.splitlines()[1:]


@pytest.mark.parametrize(
    "words, says",
    [
        (("mrf", "--pi", "0,1;0,0"), "row 2 is all zero"),
        (("mrf", "--pi", "0,1;1,1"), "row 2 has a self-loop"),
        (("mrf", "--pi", "0,-1;1,0"), "each of pi must be >= 0, not -1"),
        (("mrf", "--pi", "0,1;1,0", "--n", "2"), "has no parameter n"),
        (("spectral-clustering", "--pi", "0,1,1;1,0,1"), "pi is 2 x 3, and must be square"),
        (("spectral-clustering", "--pi", PI, "--Z", "1;1"), "Z has 2 rows, and pi is for 3"),
        (("spectral-clustering", "--pi", PI, "--tau", "0"), "tau must be > 0, not 0"),
        (("spectral-clustering", "--Z", Z), "give pi as well"),
    ],
)
def test_bad_input_is_one_line(refused: Any, words: tuple[str, ...], says: str) -> None:
    assert says in refused("derive", *words)


def test_files_of_other_kinds_are_refused(tmp_path: Path, refused: Any) -> None:
    other = tmp_path / "pi.json"
    other.write_text("[[0, 1], [1, 0]]")
    says = refused("derive", "mrf", "--pi", str(other))
    assert "is not a .txt, .csv or .npy file" in says
    # What is typed may be longer than a name of a file.
    long = refused("derive", "mrf", "--pi", "0," * 5000 + "0;1")
    assert "the rows have different lengths" in long

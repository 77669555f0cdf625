"""Parameters that are lists, on the command line: typed, or in a file."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from cltheory.cli.parameters import from_file
from cltheory.derive.decide.exact import exact_list


def test_a_list_is_typed_or_in_a_file(tmp_path: Path) -> None:
    assert from_file("sizes", "2,2,4") == "2,2,4"
    path = tmp_path / "sizes.csv"
    path.write_text("2,2\n4\n")
    assert exact_list(from_file("sizes", str(path))) == (2, 2, 4)
    path.write_text("2,2\n4\n", encoding="utf-8-sig")  # as spreadsheets write it
    assert exact_list(from_file("sizes", str(path))) == (2, 2, 4)


def test_files_that_cannot_be_read_are_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "binary.txt").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "large.txt").write_text("1," * 1_000_001)
    for name, said in (
        ("nowhere.txt", "does not exist"),
        ("binary.txt", "not a UTF-8 text file"),
        ("large.txt", "more than"),
        ("a\0b.txt", "does not exist|cannot be read"),
    ):
        with pytest.raises(click.UsageError, match=said) as refused:
            from_file("sizes", str(tmp_path / name))
        assert "\n" not in str(refused.value)

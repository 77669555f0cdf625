"""Tables keep every digit, however narrow the terminal is."""

from __future__ import annotations

import re
import sys

import pytest
from cltheory.cli.tables import Column, show_table

COLUMNS = (
    Column("quantity"),
    Column("value", number=True),
    Column("gap", number=True),
    Column("tolerance", number=True),
    Column("verdict", styles={"agrees": "green"}),
)
ROWS = [
    ("within-class variance of all of the classes", "0.123456789", "1.2e-16", "1e-07", "agrees"),
    ("loss", "-1234.123456789", "3.4e-12 (stalled)", "1e-09", "disagrees"),
]
NUMBERS = {cell for row in ROWS for cell in row[1:4]}


def shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: int | None
) -> str:
    if columns is not None:
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    show_table("a title", COLUMNS, ROWS)
    return plain(capsys.readouterr().out)


def plain(text: str) -> str:
    """Text without its colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


@pytest.mark.parametrize("columns", [20, 40, 60, 80, 100, 140])
def test_no_digit_is_cut(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: int
) -> None:
    out = shown(monkeypatch, capsys, columns)
    assert all(number in out for number in NUMBERS)
    assert "…" not in out
    for word in ("within-class", "variance", "agrees", "disagrees"):
        assert word in out
    if columns >= 100:
        assert all(len(line) <= columns for line in out.splitlines())


def test_a_pipe_has_no_width(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = shown(monkeypatch, capsys, None)
    assert all(cell in out for row in ROWS for cell in row)
    assert len([line for line in out.splitlines() if "variance" in line]) == 1

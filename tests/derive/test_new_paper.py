"""A new paper is a folder and nothing outside it: records, families and checks of its own."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest
from cltheory.derive import papers
from cltheory.derive.papers.records.record import BadRecord, read_section

KEY = "doe2030spheres"
INIT = f"""
from cltheory.derive.papers.ledger import Ledger

LEDGER = Ledger({KEY!r}, "Spheres", __name__, ["section_1"])
"""
SETS = """
from cltheory.derive.papers.records.family import family
from cltheory.derive.papers.records.families import sets_in, unit_vector
from cltheory.derive.papers.records.run import named_check


def named(e):
    return {"u": lambda k, mark="": unit_vector(k - 1, 0, 0)}


@family("doe's points", named)
def points(n: int):
    return sets_in(n, 1, 1, 2)


@named_check("doe's count")
def count(n: int, *, many):
    yield n == many, f"there are {n}"
"""
RECORDS = """
[[record]]
label = "(1)"
weight = "aside"
printed = '''\\|u_i\\|^2 = 1'''
for_all = '''i \\in [n]'''
under = "n in 1.."
on = "doe's points"

[[record]]
label = "(2)"
weight = "aside"
printed = 'there are many'
check = "doe's count"
given = { many = "n" }
under = "n in 1.."
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    room = tmp_path / KEY
    room.mkdir()
    for name, text in (("__init__.py", INIT), ("sets.py", SETS), ("section_1.toml", RECORDS)):
        (room / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(papers, "__path__", [*papers.__path__, str(tmp_path)])
    importlib.invalidate_caches()
    return room


def test_a_paper_is_found_by_its_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {*papers.found_in(papers.__path__)} == {*papers.PAPERS, KEY}
    monkeypatch.setattr(papers, "PAPERS", papers.found_in(papers.__path__))
    ledger = papers.ledger_of(KEY)
    assert [c.verdict().word for c in ledger] == ["agrees", "agrees"]
    wrong = RECORDS.replace('many = "n"', 'many = "n + 1"').replace("^2 = 1", "^2 = 2")
    (folder / "section_1.toml").write_text(wrong, encoding="utf-8")
    sys.modules.pop(ledger.package, None)
    assert [c.verdict().word for c in papers.ledger_of(KEY)] == ["differs", "differs"]


def test_a_family_serves_the_paper_of_its_folder_alone() -> None:
    with pytest.raises(BadRecord, match=r"unknown family \"doe's points\"; accepted: one simplex"):
        read_section("nobody2020", "section_1", RECORDS)

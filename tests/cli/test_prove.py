"""``cltheory prove`` and the files for Rocq: what is said with and without ``coqc``."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from cltheory.derive.results import results
from cltheory.derive.write.rocq import check
from cltheory.derive.write.rocq.check import Checked


def test_without_rocq_one_line_says_how_to_get_it(
    refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert "apt-get install coq" in refused("prove", "dcl")


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (Checked("", ("ClassicalDedekindReals.sig_not_dec",), 1.0), 0),
        (Checked("mine_proofs.v: no applicable tactic", (), 1.0), 1),
        (Checked("", ("mine",), 1.0), 1),
    ],
    ids=["accepted", "refused", "an axiom"],
)
def test_kernel_is_said_only_of_what_was_accepted(
    cltheory: Callable[..., tuple[int, str, str]],
    monkeypatch: pytest.MonkeyPatch,
    said: Checked,
    code: int,
) -> None:
    monkeypatch.setattr(check, "installed", lambda: "8.16.1")
    monkeypatch.setattr(check, "check", lambda texts: said)
    found = cltheory("prove", "dcl")
    assert found[0] == code
    assert ("[kernel]" in found[1]) is (code == 0)
    assert bool(found[2]) is (code == 1)
    data = json.loads(cltheory("prove", "dcl", "--format", "json")[1])
    assert data["evidence"] == ("kernel" if code == 0 else None)
    assert data["kernel"] == ("whole theorem" if code == 0 else None)


def test_export_writes_statements_apart_from_proofs(
    cltheory: Callable[..., tuple[int, str, str]], here: Path
) -> None:
    assert cltheory("export", "--rocq", "mine.v", "dcl")[0] == 0
    written = {path.name for path in here.iterdir()}
    assert {"mine.v", "mine_proofs.v", "cltheory_loss.v"} <= written
    assert "Qed" not in Path("mine.v").read_text(encoding="utf-8")
    assert cltheory("export", "--rocq", "mine.v", "dcl")[0] == 0  # its own files are replaced
    Path("mine_proofs.v").write_text("mine", encoding="utf-8")
    assert cltheory("export", "--rocq", "mine.v", "dcl")[0] == 2


def test_lists_and_show_say_the_rung(cltheory: Callable[..., tuple[int, str, str]]) -> None:
    assert "whole theorem, exported" in cltheory("show", "dcl")[1]
    assert "  dcl * " in cltheory("list", "dcl")[1]
    rows = json.loads(cltheory("list", "dcl", "--format", "json")[1])
    assert {row["id"]: row["kernel"] for row in rows}["dcl"] == "whole theorem"


def test_the_rung_is_not_that_of_a_loss_or_sizes_of_the_user(
    cltheory: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    for id, given in (
        ("soft-supcon", {"sizes": "2,2"}),
        ("pairwise-threshold", {"loss": "focal"}),
        ("phases", {"loss": "dcl", "at": {"n": 3}}),
    ):
        assert results[id].is_listed
        assert not results[id].with_inputs(**given).is_listed
    for rung in ("whole theorem", None):
        found = cltheory("derive", "dcl", "--brief", "--format", "json")[1]
        assert json.loads(found)["kernel"] == rung
        monkeypatch.setattr(results["dcl"], "is_listed", False)


#: What another ``coqc`` on the path does when it compiles a file, and what is said of it.
BROKEN = {
    "kill -9 $$": "cltheory_loss.v: coqc was ended by signal 9",
    "printf '\\377' >&2; exit 1": "does not compile the library of proofs: \ufffd",
    "echo 'Cannot find a physical path' >&2; exit 1": "lacks a package: apt-get install coq",
}


@pytest.mark.parametrize("does", BROKEN)
def test_a_broken_rocq_is_told_in_a_line(
    refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, does: str
) -> None:
    _another_rocq(tmp_path, monkeypatch, f"case $1 in --print*) echo 8;; *) {does};; esac")
    check.compiled_library.cache_clear()
    assert BROKEN[does] in refused("prove", "dcl")


def test_nothing_is_proved_by_a_rocq_that_says_nothing(
    cltheory: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _another_rocq(tmp_path, monkeypatch, "printf '\\377'")
    found = cltheory("prove", "dcl")
    assert found[:2] == (1, "") and "not proved by Rocq" in found[2]
    check.compiled_library.cache_clear()


def _another_rocq(folder: Path, monkeypatch: pytest.MonkeyPatch, does: str) -> None:
    path = folder / "coqc"
    path.write_text(f"#!/bin/sh\n{does}\n", encoding="utf-8")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)

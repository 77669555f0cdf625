"""Long work shows progress: a bar on a terminal, and elsewhere a line now and then."""

from __future__ import annotations

import sys
from time import sleep
from typing import Any

import pytest
from cltheory.cli.progress import counting, telling, track

COMMANDS = [
    ["verify", "ssem"],
    ["verify", "infonce-optimum", "--N", "3", "--seeds", "0"],
    ["verify", "towers-threshold", "--N", "3", "--p", "1", "--w", "1", "--b", "1", "--seeds", "0"],
    ["certify", "infonce-optimum", "--N", "3", "--t", "1"],
    ["freeze", "ssem", "ccem"],
    ["export", "--python", "-", "ssem", "ccem"],
]


def watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)


@pytest.mark.parametrize("args", COMMANDS, ids=" ".join)
def test_it_is_on_standard_error_only(
    cltheory: Any, monkeypatch: pytest.MonkeyPatch, args: list[str]
) -> None:
    if args[0] == "verify":
        pytest.importorskip("torch")
    quiet = cltheory(*args)
    assert (quiet.code, quiet.err) == (0, "")
    watched(monkeypatch)
    loud = cltheory(*args)
    assert (loud.code, loud.out) == (0, quiet.out)
    assert any(word in loud.err for word in ("verifying", "deriving", "checking", "certifying"))


def test_without_a_terminal_there_is_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = iter([0, 4, 11, 11, 20, 22, 22])  # looked at again after a line
    monkeypatch.setattr("cltheory.cli.progress.monotonic", lambda: next(seconds))
    assert list(track("abcd", "checking")) == list("abcd")
    assert capsys.readouterr().err == "checking: 1 of 4 done\nchecking: 3 of 4 done\n"


def test_work_that_says_how_it_goes_says_so_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = iter([0, 4, 11, 11])
    monkeypatch.setattr("cltheory.cli.progress.monotonic", lambda: next(seconds))
    with counting("attacking upper") as count:
        count(1, 4, "ratio 0.5")
        count(2, 4, "ratio 0.6")
    assert capsys.readouterr().err == "attacking upper: 2 of 4 done, ratio 0.6\n"


def test_work_of_unknown_length_says_that_it_goes_on(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cltheory.cli.progress.PATIENCE", 0.01)
    with telling("proving ssem") as tell:
        sleep(0.025)  # as in native code
        tell("2 theorems")
        sleep(0.025)
    lines = capsys.readouterr().err.splitlines()
    assert (lines[0], lines[-1]) == ("proving ssem: 0 s", "proving ssem: 2 theorems, 0 s")
    monkeypatch.setattr("cltheory.cli.progress.PATIENCE", 60)
    with telling("proving ssem"):
        pass
    assert capsys.readouterr().err == ""


def test_what_is_tracked_is_all_there(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(track([1, 2, 3], "counting")) == [1, 2, 3]
    watched(monkeypatch)
    assert list(track([1, 2, 3], "counting")) == [1, 2, 3]
    with telling("working") as tell:
        tell("on [this]")  # no markup

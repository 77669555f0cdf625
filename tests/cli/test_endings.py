"""How commands end: a theorem that is not proved, an interrupt, a reader who leaves, odd words."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cltheory.cli import main as cli_main
from cltheory.derive.decide.evidence import Undecided
from cltheory.derive.proof.derivation import StepFailed
from cltheory.derive.results import results
from cltheory.derive.theorem.result import Result
from cltheory.derive.write.display import Writer

FAILED = StepFailed(f"the slope is positive: {Undecided('no sign was found')}")


@pytest.fixture
def unproved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every derivation stop at a step that does not hold."""

    def fail(self: Result) -> Any:
        raise FAILED

    monkeypatch.setattr(Result, "_built", property(fail))


def one_line(outcome: Any, code: int) -> str:
    assert outcome.code == code, outcome
    assert outcome.out == ""
    assert outcome.err.startswith("cltheory: ")
    assert outcome.err.count("\n") == 1
    assert "Traceback" not in outcome.err
    return str(outcome.err)


# --- a theorem that cannot be proved -------------------------------------------------------------
@pytest.mark.usefixtures("unproved")
@pytest.mark.parametrize(
    "args",
    [
        ["derive", "pairwise-threshold", "--lp", "-x", "--ln", "exp(x)"],
        *(
            ["derive", "ssem", "--format", f]
            for f in ("text", "json", "latex", "markdown", "python")
        ),
        ["show", "ssem"],
        ["freeze", "ssem"],
        ["export", "--python", "-", "ssem"],
        ["export", "--latex", "-", "ssem"],
        ["verify", "ssem"],
    ],
    ids=" ".join,
)
def test_a_step_that_fails_is_told_in_one_line(cltheory: Any, args: list[str]) -> None:
    if args[0] == "verify":
        pytest.importorskip("torch")
    line = one_line(cltheory(*args), 1)
    assert "the slope is positive: undecided: no sign was found" in line
    assert "try" in line


def test_a_bug_is_not_hidden(cltheory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for bug in (TypeError("a bug"), AssertionError("a bug"), ValueError("a bug")):
        monkeypatch.setattr(
            Result, "_built", property(lambda self, e=bug: (_ for _ in ()).throw(e))
        )
        with pytest.raises(type(bug), match="a bug"):
            cltheory("derive", "ssem")


# --- quantities answer by themselves -------------------------------------------------------------
#: A point at which some quantities of a result have a value and others have none, and why.
PARTLY = {
    "sigmoid-threshold": (["--N", "8", "--b", "5"], "optimal at no temperature at this bias"),
    "towers-threshold": (["--N", "4", "--K", "5"], "K + 1, not 4"),
    "sigmoid-optimum": (
        ["--N", "8", "--b", "1", "--t", "oo"],
        "has no known limit at N = 8",
    ),
}


@pytest.mark.sample(5)
@pytest.mark.parametrize("id", PARTLY)
@pytest.mark.parametrize("style", ["text", "json", "latex", "markdown", "python"])
def test_one_quantity_without_a_value_does_not_silence_the_others(
    cltheory: Any, id: str, style: str
) -> None:
    point, why = PARTLY[id]
    code, out, err = cltheory("derive", id, *point, "--brief", "--format", style)
    assert (code, err) == (0, "")
    assert why in out
    if style == "latex":
        writer = Writer(results[id])
        names = [writer.symbol_text(q.symbol) for q in results[id].quantities.values()]
    else:
        names = list(results[id].quantities)
    assert all(name in out for name in names)


def test_a_quantity_without_a_value_is_null(cltheory: Any) -> None:
    import json

    point, why = PARTLY["sigmoid-threshold"]
    out = cltheory("derive", "sigmoid-threshold", *point, "--format", "json").out
    found = json.loads(out)["quantities"]
    assert found["t_antipodal_max"]["value"] is None
    assert why in found["t_antipodal_max"]["refused"]
    assert found["t_simplex"]["value"].startswith("1.408")
    assert "refused" not in found["t_simplex"]


# --- interrupts and pipes ------------------------------------------------------------------------
@pytest.mark.parametrize("command", ["verify", "freeze", "export", "claims", "check", "derive"])
def test_an_interrupt_ends_in_one_line(
    cltheory: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str
) -> None:
    def stop(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    paper = tmp_path / "paper.tex"
    paper.write_text("% cltheory: ssem.delta_max\n\\[ \\delta_{\\max} = 1 \\]\n")
    args = {
        "verify": ["ssem"],
        "export": ["--python", "-"],
        "claims": ["lee2025ssem"],
        "check": [str(paper)],
        "derive": ["ssem"],
    }
    if command == "verify":
        pytest.importorskip("torch")
        monkeypatch.setattr("cltheory.numeric.verify.verify", stop)
    elif command == "claims":
        monkeypatch.setattr("cltheory.derive.papers.ledger_of", stop)
    else:
        monkeypatch.setattr(Result, "_built", property(stop))
    line = one_line(cltheory(command, *args.get(command, [])), 130)
    assert line == "cltheory: interrupted\n"


def test_what_a_command_leaves_to_its_end_is_done_then() -> None:
    """As folders are removed that `prove` and others made."""
    text = (
        "import atexit, os; from cltheory.cli.main import main; "
        "atexit.register(os.write, 1, b'removed'); main(['--version'])"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "removed")


def piped(*args: str, lines: int = 1) -> tuple[int, str]:
    """Exit code and errors of a command whose reader leaves after some lines."""
    with subprocess.Popen(
        [sys.executable, "-m", "cltheory.cli.main", *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as command:
        assert command.stdout is not None
        assert command.stderr is not None
        for _ in range(lines):
            command.stdout.readline()
        command.stdout.close()
        errors = command.stderr.read().decode()
        return command.wait(), errors


@pytest.mark.parametrize("args", [["derive", "ssem"], ["list"], ["--help"]], ids=" ".join)
def test_a_reader_may_leave(args: list[str]) -> None:
    assert piped(*args) == (0, "")


def test_a_failed_check_is_not_hidden_by_a_closed_pipe(tmp_path: Path) -> None:
    paper = tmp_path / "paper.tex"
    paper.write_text("% cltheory: ssem.delta_max\n\\[ \\delta_{\\max} = 1 \\]\n")
    assert piped("check", str(paper), lines=0) == (1, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_told() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "cltheory.cli.main", "list"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 2
    assert done.stderr.startswith("cltheory: ")
    assert done.stderr.count("\n") == 1


def test_a_narrow_encoding_gets_escapes(process: Callable[..., Any]) -> None:
    done = process("completion", "bash", PYTHONIOENCODING="ascii")
    assert (done.code, done.err) == (0, "")
    import io

    stream = io.TextIOWrapper(open(os.devnull, "wb"), encoding="ascii")
    with cli_main._Patient.over(stream) as patient:
        assert patient.errors == "backslashreplace"
        patient.write("α ≤ 1")


# --- odd words ------------------------------------------------------------------------------------
ODD = [
    "",
    " ",
    "\0",
    "a\0b",
    "-",
    "--",
    "---",
    "💥",
    "a" * 10_000,
    "../nope",
    "\n",
    "\x1b[31m",
    "%s",
]
PLACES: list[list[str]] = [
    ["{}"],
    ["derive", "{}"],
    ["derive", "ssem", "{}"],
    ["derive", "ssem", "--m={}"],
    ["derive", "ssem", "--{}=1"],
    ["derive", "pairwise-threshold", "--loss={}"],
    ["derive", "pairwise-threshold", "--lp=x", "--ln={}"],
    ["show", "{}"],
    ["claims", "{}"],
    ["verify", "{}"],
    ["verify", "ssem", "--seeds={}"],
    ["verify", "ssem", "--device={}"],
    ["verify", "ssem", "--n={}"],
    ["figure", "{}"],
    ["figure", "ssem-fig2", "--grid={}"],
    ["export", "--python", "-", "ssem", "{}"],
    ["export", "--latex", "-", "ssem", "--rename={}"],
    ["export", "--latex", "-", "ssem", "--rename=m={}"],
    ["export", "--bib={}/x/y"],
    ["freeze", "{}"],
    ["check", "{}"],
    ["check", "--frozen={}"],
    ["completion", "{}"],
]


@pytest.mark.sample(10)
@pytest.mark.parametrize("place", PLACES, ids=" ".join)
def test_odd_words_are_refused_in_one_line(
    cltheory: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, place: list[str]
) -> None:
    if place[0] in ("verify", "figure"):
        pytest.importorskip("torch")
        pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    for odd in ODD:
        outcome = cltheory(*(word.replace("{}", odd) for word in place))
        assert outcome.code in (0, 2), (odd, outcome)
        if outcome.code == 2 and not outcome.out:
            assert outcome.err.count("\n") == 1, (odd, outcome)
        assert "Traceback" not in outcome.err
        assert len(outcome.err) < 1_500, (odd[:20], len(outcome.err))
        assert "\x1b" not in outcome.err, odd

"""Hostile and unlucky input ends in a code and a line, whatever it is; nothing is evaluated."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import pytest
from cltheory.numeric.figures.ssem_fig2 import COLUMNS
from cltheory.numeric.running.table import Table, TableError
from harness import CANARY, Input, Outcome, faults, run
from hypothesis import given, settings
from inputs import KINDS, tables

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs the limits of Linux")

QUICK, LONG = 4, 60
#: Inputs that ended badly once: the words of a command, the files that it found.
FOUND = json.loads((Path(__file__).parent / "found.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module", autouse=True)
def _derived() -> None:
    """Derive once what every copy would derive."""
    from cltheory.derive.results import results

    for id in results:
        _ = results[id].quantities


def check(given_input: Input) -> None:
    assert faults(given_input, run(given_input)) == []


@pytest.mark.parametrize("found", FOUND, ids=lambda f: f["why"])
def test_what_was_found_once_ends_well(found: dict[str, object]) -> None:
    files = {
        str(k): str(v).encode("utf-8", "surrogatepass") for k, v in dict(found["files"]).items()
    }  # type: ignore[call-overload]
    check(Input(tuple(map(str, list(found["args"]))), files))  # type: ignore[call-overload]


@pytest.mark.parametrize("kind", KINDS)
def test_any_input_ends_well(kind: str) -> None:
    settings(max_examples=QUICK)(given(KINDS[kind])(check))()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_many_inputs_end_well(kind: str) -> None:
    settings(max_examples=LONG)(given(KINDS[kind])(check))()


@settings(max_examples=40)
@given(tables())
def test_a_table_is_read_or_refused(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cells.csv"
        path.write_bytes(data)
        said = ""
        try:
            Table(path, {}, COLUMNS)
        except TableError as refusal:
            said = str(refusal)
        assert "\n" not in said
        assert [p.name for p in Path(folder).iterdir()] == ["cells.csv"]


# --- the fuzzer is itself tested on what is wrong ------------------------------------------------
GOOD = Outcome(2, "", "cltheory: refused\n", frozenset())


@pytest.mark.parametrize(
    ("outcome", "says"),
    [
        (GOOD, ""),
        (
            GOOD._replace(code=70, err="Traceback (most recent call last)\nTypeError: a\n"),
            "TypeErr",
        ),
        (GOOD._replace(code=3), "exit code 3"),
        (GOOD._replace(code=-27), "it ran on"),
        (GOOD._replace(code=-8), "died of SIGFPE"),
        (GOOD._replace(err="one\ntwo\n"), "more than one line"),
        (GOOD._replace(err=""), "nothing is said"),
        (GOOD._replace(out="the check failed, which is a defect: TypeError: a"), "a defect"),
        (GOOD._replace(there=frozenset({"a.tex", CANARY})), "it wrote ['canary']"),
    ],
)
def test_a_bad_end_is_noticed(outcome: Outcome, says: str) -> None:
    found = faults(Input((), {"a.tex": b""}), outcome)
    assert says in "; ".join(found) if says else not found


def test_what_runs_on_or_takes_too_much_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    def command(args: list[str]) -> int:
        if args == ["loop"]:
            while True:
                pass
        if args == ["take"]:
            return len(bytearray(2**31))
        Path(CANARY).touch()
        return 0

    monkeypatch.setattr("harness.SECONDS", 0.2)
    monkeypatch.setattr("cltheory.cli.main.run", command)
    ends = {word: faults(Input((word,)), run(Input((word,)))) for word in ("loop", "take", "write")}
    assert ends["loop"] == ["it ran on"]
    assert any("MemoryError" in fault for fault in ends["take"])
    assert ends["write"] == [f"it wrote ['{CANARY}']"]

"""Run the command line as a user does, in this process unless a test says otherwise."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from cltheory.cli import progress
from cltheory.cli.main import run


class Outcome(NamedTuple):
    """What a user sees of a command."""

    code: int
    out: str
    err: str


Command = Callable[..., Outcome]


@pytest.fixture
def cltheory(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """The command, in this process, without lines about progress, which a busy machine has."""
    monkeypatch.setattr(progress, "PATIENCE", 10**6)

    def command(*args: str) -> Outcome:
        capsys.readouterr()
        code = run(list(args))
        return Outcome(code, *capsys.readouterr())

    return command


@pytest.fixture
def refused(cltheory: Command) -> Callable[..., str]:
    """Run a command that must end in one line on stderr, exit 2 and nothing on stdout."""

    def command(*args: str) -> str:
        code, out, err = cltheory(*args)
        assert code == 2, (out, err)
        assert out == ""
        assert err.startswith("cltheory: ")
        assert err.endswith("\n")
        assert err.count("\n") == 1
        assert "Traceback" not in err
        return err

    return command


@pytest.fixture(scope="session")
def process() -> Callable[..., Outcome]:
    """The command in a process of its own."""

    def command(*args: str, **env: str) -> Outcome:
        done = subprocess.run(
            [sys.executable, "-m", "cltheory.cli.main", *args],
            env={**os.environ, **env},
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    return command


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path

"""Which members of a family of tests are run: by default, all of them, and a share."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = """
import pytest

@pytest.mark.sample(3)
@pytest.mark.parametrize("k", range(10))
def test_sampled(k): pass

@pytest.mark.sample(3)
@pytest.mark.parametrize("k", range(2))
def test_few(k): pass

@pytest.mark.slow
@pytest.mark.net
@pytest.mark.parametrize("k", range(10))
def test_many(k): pass

@pytest.mark.slow
@pytest.mark.net(2)
@pytest.mark.parametrize("k", range(5))
def test_often(k): pass

def test_alone(): pass
"""
FEW = {"test_few[0]", "test_few[1]"}
QUICK = {"test_sampled[0]", "test_sampled[3]", "test_sampled[6]", "test_alone"} | FEW
SAMPLED = {f"test_sampled[{k}]" for k in range(10)}
MANY = {f"test_many[{k}]" for k in range(10)} | {f"test_often[{k}]" for k in range(5)}
#: Twice a share of 4/5 is one in two, from the second.
OFTEN = {"test_often[1]", "test_often[3]"}


@pytest.mark.parametrize(
    "words, share, expected",
    [
        ((), "1/1", QUICK),
        (("-m", "slow"), "1/1", MANY | SAMPLED - QUICK),
        (("-m", "slow"), "4/5", {"test_many[3]", "test_many[8]"} | OFTEN | SAMPLED - QUICK),
        (("--whole",), "1/1", SAMPLED | FEW | {"test_alone"}),
    ],
    ids=["quick", "slow", "a share", "whole families"],
)
def test_which_are_run(
    tmp_path: Path, words: tuple[str, ...], share: str, expected: set[str]
) -> None:
    (tmp_path / "conftest.py").write_text((HERE / "conftest.py").read_text("utf-8"), "utf-8")
    (tmp_path / "test_made.py").write_text(TESTS, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "-c", str(HERE.parent / "pyproject.toml"), "--rootdir", ".", *words, "."],
        cwd=tmp_path,
        env={**os.environ, "CLTHEORY_SHARE": share, "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(re.findall(r"::(test_\S+)", done.stdout)) == expected


def test_shards_are_all_of_it_once(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text((HERE / "conftest.py").read_text("utf-8"), "utf-8")
    (tmp_path / "test_made.py").write_text(TESTS, "utf-8")
    found: list[str] = []
    for shard in ("1/2", "2/2"):
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider"]
            + ["-c", str(HERE.parent / "pyproject.toml"), "--rootdir", ".", "-m", "slow", "."],
            cwd=tmp_path,
            env={
                **os.environ,
                "CLTHEORY_SHARD": shard,
                "CLTHEORY_SHARE": "1/1",
                "PYTEST_ADDOPTS": "",
            },
            capture_output=True,
            text=True,
            check=True,
        )
        found += re.findall(r"::(test_\S+)", done.stdout)
    assert sorted(found) == sorted(MANY | SAMPLED - QUICK)

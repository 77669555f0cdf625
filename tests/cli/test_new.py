"""``cltheory new-theorem`` and ``new-paper``: what they write runs, and says what is missing."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def package(tmp_path: Path, cltheory: Any) -> Path:
    """A package of somebody's with a theorem and a paper in it."""
    folder = tmp_path / "my-theory"
    for args in (("new-theorem", "my-threshold"), ("new-paper", "doe2030spheres")):
        code, out, err = cltheory(*args, "--to", str(folder))
        assert (code, err) == (0, "")
        assert "\nNext:\n  1. pip install -e " in out
    return folder


def pytest_in(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": f"{folder / 'src'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )


def test_a_package_registers_what_is_in_it(package: Path) -> None:
    project = tomllib.loads((package / "pyproject.toml").read_text())["project"]
    assert project["name"] == "my-theory"
    assert project["entry-points"] == {
        "cltheory.results": {"my-threshold": "my_theory.my_threshold:RESULT"},
        "cltheory.papers": {"doe2030spheres": "my_theory.doe2030spheres:LEDGER"},
    }


def test_what_is_written_runs_and_says_what_is_missing(package: Path) -> None:
    done = pytest_in(package)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "3 failed, 3 passed" in done.stdout
    for part in ("my_threshold.py:1: ", "my_threshold.py:35: ", "section_1.toml:1: "):
        assert part in done.stdout
    assert "compare RESULT.value(...) with a computation" in done.stdout


def test_a_record_that_is_kinder_than_the_print_fails_its_test(package: Path) -> None:
    path = package / "src" / "my_theory" / "doe2030spheres" / "section_1.toml"
    path.write_text(path.read_text().replace("mn - 1 +", "mn - 2 +"))
    done = pytest_in(package, "-k", "has_a_verdict")
    assert done.returncode == 1
    assert "it differs and has no correction" in done.stdout


def clone_in(folder: Path) -> Path:
    clone = folder / "clone"
    (clone / "derive" / "results" / "classes").mkdir(parents=True)
    (clone / "pyproject.toml").write_text('[project]\nname = "cltheory"\n')
    return clone


def test_in_a_clone_the_files_go_where_the_others_are(tmp_path: Path, cltheory: Any) -> None:
    clone = clone_in(tmp_path)
    code, out, _ = cltheory("new-theorem", "my-threshold", "--to", str(clone), "--family", "towers")
    assert code == 0
    code, more, _ = cltheory("new-paper", "doe2030spheres", "--to", str(clone))
    assert code == 0
    written = sorted(str(p.relative_to(clone)) for p in clone.rglob("*.*") if p.parent != clone)
    assert written == [
        "derive/papers/doe2030spheres/__init__.py",
        "derive/papers/doe2030spheres/section_1.toml",
        "derive/results/towers/my_threshold.py",
        "tests/derive/test_doe2030spheres.py",
        "tests/derive/test_my_threshold.py",
    ]
    test = (clone / "tests/derive/test_my_threshold.py").read_text()
    assert "from cltheory.derive.results.towers.my_threshold import RESULT\n" in test
    assert "docs/theory.md" in out and "pyproject.toml" not in more
    assert (clone / "pyproject.toml").read_text() == '[project]\nname = "cltheory"\n'


def test_nothing_is_written_over(package: Path, refused: Callable[..., str]) -> None:
    before = {p: p.read_bytes() for p in package.rglob("*") if p.is_file()}
    assert "already exists; nothing" in refused("new-theorem", "my-threshold", "--to", str(package))
    assert {p: p.read_bytes() for p in package.rglob("*") if p.is_file()} == before

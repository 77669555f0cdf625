"""The pytest plugin, and the files with which papers are checked elsewhere."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from cltheory.cli.check import check_command
from cltheory.derive.tex import assert_equation
from cltheory.derive.tex.judge.lookup import BadTarget

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[2]
MARK = "% cltheory: supcl-threshold.alpha_min_tau_0"
RIGHT = f"{MARK}\n\\[ 1/n = \\frac{{1}}{{n}} \\]\n"
WRONG = f"{MARK}\n\\[ 1/n = \\frac{{2}}{{n}} \\]\n"
ALPHA_MIN = (
    r"\alpha_{\min} = \frac{mn - 1 + e^{\frac{m}{(m-1)\tau}}}{n(m - 1) + n e^{\frac{m}{(m-1)\tau}}}"
)


# --- assert_equation ------------------------------------------------------------------------
@pytest.mark.parametrize(
    "around",
    ["{}", "$${}$$", "${}$", r"\[{}\]", "\\begin{{align*}}\n{}\n\\end{{align*}}", "\n  {}.\n"],
)
def test_an_equation_that_holds(around: str) -> None:
    assert (
        assert_equation(around.format(ALPHA_MIN), "supcl-threshold.alpha_min").evidence == "exact"
    )


@pytest.mark.parametrize(
    ("old", "new"), [("mn - 1", "mn + 1"), (r"\tau", "t"), ("n(m - 1)", "n"), (r"\min", r"\max")]
)
def test_an_equation_that_does_not(old: str, new: str) -> None:
    wrong = ALPHA_MIN.replace(old, new)
    with pytest.raises(AssertionError) as failure:
        assert_equation(wrong, "supcl-threshold.alpha_min")
    text = str(failure.value)
    if old in (r"\tau", r"\min"):  # nobody says what alpha_max is
        assert text.startswith("not read: ")
    else:
        assert text.startswith("differs from supcl-threshold.alpha_min\n  printed  ")
        assert re.search("\n  at       m = .*: printed .*, derived ", text)


def test_names_values_and_macros_of_an_assertion() -> None:
    text = r"\alpha_{\min} = \frac{10 \w}{1 + 9 \w}"
    options: dict[str, Any] = {
        "names": {"T": "tau"},
        "values": {"m": 10, "n": "oo"},
        "macros": r"\newcommand{\w}{e^{-\frac{10}{9T}}}",
    }
    assert_equation(text, "supcl-threshold.alpha_min", **options)
    assert_equation(
        text,
        "supcl-threshold.alpha_min [T -> tau] (m = 10, n = oo)",
        macros=options["macros"],
    )
    with pytest.raises(AssertionError):
        assert_equation(
            text, "supcl-threshold.alpha_min", **options | {"values": {"m": 9, "n": "oo"}}
        )


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("nope", "RESULT.QUANTITY"),
        ("nope.x", "no result is called"),
        ("ssem.x", "delta_max"),
        ("ssem.delta_max (m = 1)", "m"),
    ],
)
def test_an_assertion_about_nothing_is_an_error(target: str, says: str) -> None:
    with pytest.raises(BadTarget, match=says) as refusal:
        assert_equation("x = 1", target)
    assert len(refusal.traceback) == 2 and refusal.value.__cause__ is None  # this line and its own
    assert refusal.value.__suppress_context__


def test_importing_the_assertion_is_light() -> None:
    code = (
        "import sys, cltheory.derive.tex as t; assert 'sympy' not in sys.modules; t.assert_equation"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(ImportError):
        exec("from cltheory.derive.tex import nothing")


# --- the plugin -----------------------------------------------------------------------------
@pytest.fixture
def run(
    pytester: pytest.Pytester, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> Any:
    """pytest on a folder of its own, with the plugin even where it is not installed."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    options = ["-p", "no:cacheprovider", "-p", "no:xdist"]
    if not pytestconfig.pluginmanager.has_plugin("cltheory"):
        options += ["-p", "cltheory.cli.pytest_plugin"]
    return lambda *args: pytester.runpytest_inprocess(*options, *args)


def test_papers_are_collected_when_asked_for(pytester: pytest.Pytester, run: Any) -> None:
    pytester.path.joinpath("paper.tex").write_text(RIGHT + WRONG + f"{MARK}\nend\n")
    pytester.path.joinpath("other.tex").write_text("nothing is marked")
    pytester.path.joinpath("notes.md").write_text(
        f"<!-- {MARK[2:]} -->\n$$ 1/n = 1/n $$\n\n```\n<!-- {MARK[2:]} -->\n```\n"
    )
    cell = {"cell_type": "markdown", "source": [f"<!-- {MARK[2:]} -->\n", "$$ 1/n = 1/n $$"]}
    pytester.path.joinpath("book.ipynb").write_text(json.dumps({"cells": [cell, cell]}))
    pytester.makepyfile("def test_code(): pass")
    run().assert_outcomes(passed=1)
    found = run("--cltheory", "-v")
    found.assert_outcomes(passed=5, failed=2)
    found.stdout.fnmatch_lines(
        [
            "book.ipynb::cell1:2 supcl-threshold.alpha_min_tau_0 PASSED*",
            "notes.md::L2 supcl-threshold.alpha_min_tau_0 PASSED*",
            "paper.tex::L5 directive FAILED*",
            "paper.tex::L2 supcl-threshold.alpha_min_tau_0 PASSED*",
            "paper.tex::L4 supcl-threshold.alpha_min_tau_0 FAILED*",
            "paper.tex:5:1: the directive for supcl-threshold.alpha_min_tau_0 marks nothing: *",
            "paper.tex:4:4: differs from supcl-threshold.alpha_min_tau_0",
            "    printed  2/n",
            "    derived  1/n",
        ]
    )
    assert "pytest_plugin.py" not in found.stdout.str()


@pytest.mark.parametrize(
    ("patterns", "passed"), [("*.tex", 2), ("a.tex", 1), ("sub/*.tex", 1), ("*.md", 0), ("*", 2)]
)
def test_patterns(pytester: pytest.Pytester, run: Any, patterns: str, passed: int) -> None:
    pytester.makeini(f"[pytest]\naddopts = --cltheory\ncltheory_files = {patterns}\n")
    pytester.path.joinpath("a.tex").write_text(RIGHT)
    pytester.mkdir("sub").joinpath("b.tex").write_text(RIGHT)
    run().assert_outcomes(passed=passed)


def test_a_paper_that_cannot_be_read(pytester: pytest.Pytester, run: Any) -> None:
    pytester.path.joinpath("a.tex").write_bytes(RIGHT.encode() + b"\xff")
    pytester.path.joinpath("b.tex").write_text(r"\[" + MARK[2:] + r"\newcommand{")
    pytester.path.joinpath("c.tex").write_bytes(b"\xff\0")
    pytester.path.joinpath("d.tex").write_text(RIGHT.replace("frac", "grac"))
    pytester.path.joinpath("e.tex").write_text(RIGHT.replace("tau_0", "tau_1"))
    found = run("--cltheory")
    found.assert_outcomes(failed=3)
    found.stdout.fnmatch_lines(
        [
            "a.tex:1: line 3 is not UTF-8*",
            "d.tex:2:*: not read: *",
            "e.tex:1:1: supcl-threshold has no *",
        ]
    )


def test_the_plugin_costs_nothing_until_used(tmp_path: Path) -> None:
    code = (
        "import sys, pytest; before = set(sys.modules);"
        "import cltheory.cli.pytest_plugin;"
        "new = {m for m in set(sys.modules) - before if not m.startswith('cltheory')};"
        "print(sorted(new - {'__editable___cltheory_0_1_0_finder'}),"
        " sorted(m for m in sys.modules if m.startswith('cltheory.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] ['cltheory.cli', 'cltheory.cli.pytest_plugin']"


def test_collecting_needs_no_sympy(pytester: pytest.Pytester, run: Any) -> None:
    pytester.path.joinpath("a.tex").write_text(RIGHT)
    code = (
        "import sys, pytest; from importlib.metadata import distributions;"
        "there = [p for d in distributions() for p in d.entry_points if p.group == 'pytest11'];"
        "known = 'cltheory' in {p.name for p in there};"
        "more = [] if known else ['-p', 'cltheory.cli.pytest_plugin'];"
        "code = pytest.main(['--cltheory', '--collect-only', '-q', *more]);"
        "print(int(code), 'sympy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=pytester.path
    )
    assert done.stdout.splitlines()[-1] == "0 False", done.stdout + done.stderr


# --- pyproject, the pre-commit hook, the action -----------------------------------------------
def in_checkout(name: str) -> str:
    if not (ROOT / name).is_file():
        pytest.skip("not run from a checkout")
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_plugin_is_registered() -> None:
    project = tomllib.loads(in_checkout("pyproject.toml"))["project"]
    assert project["entry-points"]["pytest11"] == {"cltheory": "cltheory.cli.pytest_plugin"}


def options(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text))


KNOWN = {name for parameter in check_command.params for name in parameter.opts}


def test_the_pre_commit_hook() -> None:
    yaml = pytest.importorskip("yaml")
    (hook,) = yaml.safe_load(in_checkout(".pre-commit-hooks.yaml"))
    assert (hook["id"], hook["language"]) == ("cltheory-check", "python")
    assert hook["entry"].split()[:2] == ["cltheory", "check"]
    assert options(hook["entry"]) <= KNOWN
    files = re.compile(hook["files"])
    assert all(files.search(name) for name in ("a.tex", "b/c.md", "d.ipynb"))
    assert not any(files.search(name) for name in ("a.text", "atex", "a.py", "a.tex.bak"))


@pytest.mark.parametrize(
    ("env", "args"),
    [
        ({"PATHS": "."}, ["."]),
        ({"PATHS": "a.tex b.md"}, ["a.tex", "b.md"]),
        ({"PATHS": "a b.tex\nc.md\n"}, ["a b.tex", "c.md"]),
        ({"PATHS": "$(touch x) `touch x`;touch x"}, ["$(touch", "x)", "`touch", "x`;touch", "x"]),
        ({"PATHS": "--require"}, ["--require"]),
    ],
)
@pytest.mark.parametrize(
    ("more", "flags"),
    [
        ({}, []),
        ({"REQUIRE": "true"}, ["--require"]),
        ({"ALLOW_SAMPLED": "true", "FROZEN": "a lock"}, ["--allow-sampled", "--frozen", "a lock"]),
    ],
)
def test_the_script_of_the_action(
    tmp_path: Path, env: dict[str, str], args: list[str], more: dict[str, str], flags: list[str]
) -> None:
    yaml = pytest.importorskip("yaml")
    step = yaml.safe_load(in_checkout("action.yml"))["runs"]["steps"][-1]
    command = tmp_path / "cltheory" / "bin" / "cltheory"
    command.parent.mkdir(parents=True)
    command.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    command.chmod(0o755)
    given = {"PATH": "/usr/bin:/bin", "RUNNER_TEMP": str(tmp_path), "ALLOW_SAMPLED": "false"}
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        env=given | {"FROZEN": "", "REQUIRE": "false"} | env | more,
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["check", "--format", "github", *flags, "--", *args]
    assert not (tmp_path / "x").exists()

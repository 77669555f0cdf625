"""What is packaged is the tree; what is said about the package is so."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import cltheory
import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
TOP = ROOT / "derive" / "top-level"
EXTRAS = PROJECT["project"]["optional-dependencies"]


def test_every_folder_with_code_is_packaged(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("setuptools")
    found: dict[str, list[str]] = {}
    monkeypatch.setattr("setuptools.setup", lambda **given: found.update(given))
    monkeypatch.chdir(ROOT)
    runpy.run_path("setup.py")
    folders = {
        "cltheory." + ".".join(f.parent.relative_to(ROOT).parts)
        for top in ("derive", "numeric", "cli")
        for f in (ROOT / top).rglob("__init__.py")
        if f.parent != TOP
    }
    assert sorted(found["packages"]) == sorted(folders | {"cltheory"})
    assert ROOT / PROJECT["tool"]["setuptools"]["package-dir"]["cltheory"] == TOP


def test_all_of_it_is_typed() -> None:
    assert "py.typed" in PROJECT["tool"]["setuptools"]["package-data"]["*"]
    for package, folder in PROJECT["tool"]["setuptools"]["package-dir"].items():
        assert (ROOT / folder / "py.typed").is_file(), package


# --- import cltheory ----------------------------------------------------------------------------
def answers(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_importing_it_imports_nothing_else() -> None:
    heavy = "sorted({'sympy', 'torch', 'numpy', 'cltheory.derive'} & set(sys.modules))"
    assert answers(f"import sys, cltheory; print({heavy})") == "[]"
    assert answers(f"import sys, cltheory; cltheory.results; print({heavy})") == (
        "['cltheory.derive']"
    )


def test_it_has_the_results_and_the_version() -> None:
    from cltheory.derive import results

    assert cltheory.results is results
    assert cltheory.__version__ == PROJECT["project"]["version"]
    assert {"results", "__version__"} <= set(dir(cltheory))
    with pytest.raises(AttributeError, match="module 'cltheory' has no attribute 'reslts'"):
        cltheory.reslts  # noqa: B018
    assert answers("from cltheory import *; print(len(results) > 10, __version__)").startswith("Tr")


def test_its_folder_cannot_be_imported() -> None:
    """The file has one name; `cltheory` does not reach the tests or the pages either."""
    assert not TOP.name.isidentifier()
    for name in ("cltheory.tests", "cltheory.docs", "cltheory.pyproject"):
        with pytest.raises(ModuleNotFoundError):
            __import__(name)


# --- what is said -------------------------------------------------------------------------------
def test_the_versions_of_python_are_those_that_are_tested() -> None:
    said = {
        found[1]
        for line in PROJECT["project"]["classifiers"]
        if (found := re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", line))
    }
    workflow = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    lists = re.findall(r"^ +python(?:-version)?: (\[.*\]|\".*\")$", workflow, re.MULTILINE)
    assert said == {version for text in lists for version in re.findall(r'"([\d.]+)"', text)}
    assert min(said, key=lambda v: int(v[2:])) == PROJECT["project"]["requires-python"][2:]


def test_lint_and_pages_need_no_torch() -> None:
    for extra in ("lint", "docs", "plot"):
        named = [d for d in EXTRAS[extra] if not d.startswith("cltheory[")]
        inside = [d for d in EXTRAS[extra] if d.startswith("cltheory[")]
        assert not any(d.startswith("torch") for d in named)
        assert inside in ([], ["cltheory[plot]"])


def test_symbolic_tests_are_collected_without_torch() -> None:
    # .ci/run wheel runs them where only what it installs is there.
    installs = re.search(r"tests = \{(.*)\}", (ROOT / ".ci/run").read_text("utf-8"))
    assert installs
    there = {
        *re.findall(r"[\w-]+", installs[1]),
        *sys.stdlib_module_names,
        "cltheory",
        "flint",
        "sympy",
    }
    there |= {"mpmath", "numpy", "click", "rich"}
    there |= {path.stem for path in (ROOT / "tests").rglob("*")}  # files and folders of tests
    for path in (ROOT / "tests" / "derive").rglob("*.py"):
        names = re.findall(r"^(?:from|import) (\w+)", path.read_text("utf-8"), re.MULTILINE)
        assert set(names) <= there, path


def test_every_dependency_has_one_pinned_version() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()[1:]
    pins = dict(line.split("==") for line in lines)
    assert len(pins) == len(lines)
    known = {name.lower().replace("_", "-") for name in pins}
    needed = [*PROJECT["project"]["dependencies"], *(d for e in EXTRAS.values() for d in e)]
    for dependency in needed:
        name = re.match(r"[\w-]+", dependency)
        assert name and (name[0] == "cltheory" or name[0].lower() in known), dependency


def test_citations_say_the_same() -> None:
    from cltheory.derive.papers.sources import SOURCES, bibtex, project

    cff = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    own = project()
    assert f"\nversion: {PROJECT['project']['version']}\n" in cff
    assert f'title: "{own.title}"' in cff
    for source in SOURCES.values():
        assert f'title: "{source.title}"\n    year: {source.year}\n' in cff
    entry = re.search(r"^@misc\{cltheory,\n.*?^\}\n", bibtex(), re.MULTILINE | re.DOTALL)
    assert entry and "year" in entry[0]
    assert f"```bibtex\n{entry[0]}```" in readme

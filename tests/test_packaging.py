"""What is packaged is the tree; what is said about the package is so."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import cltheory
import pytest
import yaml

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
    assert cltheory.__version__ == version("cltheory")
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
    text = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    assert said == set(re.findall(r'python(?:-version)?: "([\d.]+)"', text))
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


def test_public_modules_are_there_and_strictly_typed() -> None:
    page = (ROOT / "docs/versions.md").read_text(encoding="utf-8").partition("## Public modules")[2]
    public = re.findall(r"^\| `(cltheory[\w.]*)`", page, re.MULTILINE)
    modules = {f"cltheory.{name}" for name in ("losses", "metrics")}
    assert {"cltheory", *modules} <= set(public)
    strict = next(o["module"] for o in PROJECT["tool"]["mypy"]["overrides"] if "extra_checks" in o)
    for name in public:
        assert find_spec(name), name
        assert name == "cltheory.derive.tex" or name in strict or f"{name}.*" in strict, name
    with pytest.raises(ModuleNotFoundError):
        import_module("cltheory.none")


# --- workflows, which only GitHub runs -----------------------------------------------------------
WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in (ROOT / ".github/workflows").glob("*.yml")
}
RUN = (ROOT / ".ci/run").read_text(encoding="utf-8")


def jobs() -> list[tuple[str, dict]]:
    return [(f"{w}.{n}", j) for w, file in WORKFLOWS.items() for n, j in file["jobs"].items()]


@pytest.mark.parametrize(
    "name, job", jobs(), ids=lambda given: given if str(given) == given else ""
)
def test_a_job_ends_may_do_little_and_runs_what_is_there(name: str, job: dict) -> None:
    assert "timeout-minutes" in job, "a job that hangs runs for six hours"
    assert WORKFLOWS[name.partition(".")[0]]["permissions"] == {"contents": "read"}
    for step in job["steps"]:
        assert ("uses" in step) != ("run" in step)
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False
        for script, words in re.findall(r"(\.ci/\w+(?:\.py)?)([ \w-]*)", step.get("run", "")):
            assert (ROOT / script).is_file()
            if script == ".ci/run":
                assert all(f"step_{word}() {{" in RUN for word in words.split())


#: An action by its commit, with the release it is of: what is run cannot change below a tag.
#: The publisher follows what PyPI accepts, as its authors ask for.
PINNED = re.compile(
    r"\S+@[0-9a-f]{40} # v\d+\.\d+\.\d+|pypa/gh-action-pypi-publish@release/v1 # .*"
)


def not_pinned(text: str) -> list[str]:
    uses = re.findall(r"^ *(?:- )?uses: (.*)$", text, re.MULTILINE)
    return [one for one in uses if not PINNED.fullmatch(one)]


def test_actions_are_pinned_to_commits() -> None:
    files = [*(ROOT / ".github/workflows").glob("*.yml"), ROOT / "action.yml"]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    assert text.count("uses: ") > 20 and not_pinned(text) == []
    assert not_pinned("  - uses: actions/checkout@v4\n") == ["actions/checkout@v4"]


def test_every_step_of_the_checks_is_a_job_with_a_limit() -> None:
    (steps,) = re.findall(r'^all="(.*)"$', RUN, re.MULTILINE)
    matrix = WORKFLOWS["ci"]["jobs"]["steps"]["strategy"]["matrix"]["include"]
    assert {row["step"] for row in matrix} == set(steps.split())
    assert all(row["minutes"] <= 45 for row in matrix)
    shards = [row["shard"] for row in matrix if row["step"] == "slow"]
    assert shards == [f"{k}/{len(shards)}" for k in range(1, len(shards) + 1)]
    assert ".ci/run nets" in str(WORKFLOWS["nightly"])
    systems = WORKFLOWS["ci"]["jobs"]["systems"]["strategy"]["matrix"]["os"]
    assert systems == ["windows-latest", "macos-latest"]


def test_only_what_was_built_and_tried_is_published() -> None:
    release = WORKFLOWS["release"]["jobs"]
    assert release["publish"]["needs"] == ["build", "try"]
    assert release["publish"]["permissions"]["id-token"] == "write"
    assert "password" not in str(release) and "secrets." not in str(WORKFLOWS)
    assert WORKFLOWS["release"][True] == {"push": {"tags": ["v*"]}}  # YAML 1.1 reads "on" as true


@pytest.mark.parametrize("path", sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml")))
def test_a_form_of_an_issue_asks_for_what_is_needed(path: Path) -> None:
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert form["name"] and form["description"]
    ids = [field["id"] for field in form["body"]]
    assert len(ids) == len(set(ids))
    assert all(field["attributes"]["label"] for field in form["body"])
    assert any(field.get("validations", {}).get("required") for field in form["body"])


# --- the address, and the version ----------------------------------------------------------------
@pytest.fixture
def release(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    return SimpleNamespace(**runpy.run_path(str(ROOT / ".ci" / "release.py")))


def test_address_and_version_are_the_same_everywhere(release: SimpleNamespace) -> None:
    made = release.files(release.address())
    for path, text in made.items():
        assert (ROOT / path).read_text("utf-8") == text, "python .ci/release.py --write"


def test_the_address_reaches_all_that_is_copied(release: SimpleNamespace) -> None:
    url = "https://forge.test/people/cltheory"
    made = release.files(url)
    assert all(url in made[path] for path in ("CITATION.cff", "README.md", ".zenodo.json"))
    assert f"repo: {url}\n    rev: v" in made["docs/papers.md"]
    assert "uses: people/cltheory@v" in made["docs/papers.md"]
    assert yaml.safe_load(made["CITATION.cff"])["repository-code"] == url


def test_a_tag_that_is_not_ready_is_refused(release: SimpleNamespace) -> None:
    faults = release.not_ready("v99.0.0", "")
    assert len(faults) == 3 and "v99.0.0" in faults[0] and "[99.0.0]" in faults[1]


def test_nothing_that_is_copied_is_a_placeholder(release: SimpleNamespace) -> None:
    copied = [ROOT / name for name in ("README.md", "SECURITY.md", "CITATION.cff", "action.yml")]
    copied += [*ROOT.glob("docs/*.md"), *ROOT.glob(".github/**/*.yml"), ROOT / ".zenodo.json"]
    for path in copied:
        assert not release.PLACEHOLDER.search(path.read_text(encoding="utf-8")), path
    for text in ("uses: OWNER/x@COMMIT", "repo: URL-OF-THIS-REPOSITORY", "git clone <url>"):
        assert release.PLACEHOLDER.search(text)


def test_citations_say_the_same() -> None:
    from cltheory.derive.papers.sources import SOURCES, bibtex, project

    cff = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    own = project()
    assert f'title: "{own.title}"' in cff
    for source in SOURCES.values():
        assert f'title: "{source.title}"\n    year: {source.year}\n' in cff
    entry = re.search(r"^@misc\{cltheory,\n.*?^\}\n", bibtex(), re.MULTILINE | re.DOTALL)
    assert entry and "year" in entry[0]
    # README.md has the version of the last release, a clone that of the commit.
    (released,) = re.findall(r"^version: (.*)$", cff, re.MULTILINE)
    text = entry[0].replace(f"Version {version('cltheory')}", f"Version {released}")
    assert f"```bibtex\n{text}```" in readme

"""The pages show what the tool prints; their code runs."""

from __future__ import annotations

import doctest
import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import pytest
from cltheory.cli.main import cli
from cltheory.derive.papers import PAPERS
from cltheory.derive.results import results

ROOT = Path(__file__).resolve().parent.parent


def load(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


pages = load(ROOT / "docs" / "examples.py", "docs_examples")
claims = load(ROOT / "docs" / "make_claims.py", "docs_make_claims")
formulas = load(ROOT / "docs" / "make_formulas.py", "docs_make_formulas")
dimensions = load(ROOT / "docs" / "make_dimensions.py", "docs_make_dimensions")
bounds = load(ROOT / "docs" / "make_bounds.py", "docs_make_bounds")
losses = load(ROOT / "docs" / "make_losses.py", "docs_make_losses")
TEXTS = {page.name: page.read_text(encoding="utf-8") for page in pages.PAGES}
EXAMPLES = [e for name, text in TEXTS.items() for e in pages.examples(text, name) if e.exact]
FORMULAS = [f for text in TEXTS.values() for f in pages.FORMULA.finditer(text)]
#: Pages that are made when the site is built, which follows its links itself.
MADE = ("results/", "explorer.html", "figures/", "reference/", "notebooks/theory.md")
#: Pages whose code needs torch.
NEED_TORCH = (
    "README.md", "band.md", "batches.md", "kernels.md", "modules.md", "numeric.md", "train.md",
)  # fmt: skip
MKDOCS = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def kept(path: str) -> str:
    return (ROOT / "docs" / path).read_text(encoding="utf-8")


def blocks(name: str, language: str) -> list[str]:
    return [body for found, body in FENCE.findall(TEXTS[name]) if found == language]


# --- outputs and formulas -----------------------------------------------------------------
@pytest.mark.sample(12)
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: f"{e.page} {e.command}")
def test_examples_print_what_the_page_shows(example) -> None:
    printed = pages.output(example.command)
    assert pages.agrees(example.shown, printed), "\n".join(printed)


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda f: f"{f['id']} {f['name']}")
def test_formulas_are_those_of_the_engine(formula) -> None:
    assert formula["tex"] == pages.latex(formula["id"], formula["name"])


def test_no_example_or_formula_is_overlooked() -> None:
    shown = sum(text.count("\n$ cltheory") for text in TEXTS.values())
    found = [e for name, text in TEXTS.items() for e in pages.examples(text, name)]
    assert len(found) == shown > 10
    assert len(FORMULAS) > 10
    assert not [mark[0] for text in TEXTS.values() for mark in pages.bare_marks(text)]


def test_a_mark_without_its_formula_is_noticed() -> None:
    mark = "<!-- formula: ssem delta_max -->"
    assert [found[0] for found in pages.bare_marks(f"a\n\n{mark}\n\nb\n")] == [mark]
    assert not pages.bare_marks(f"```markdown\n{mark}\n```\n")
    assert not pages.bare_marks(f"{mark}{pages.display('ssem', 'delta_max')}\n")


@pytest.mark.parametrize(
    "shown, printed, same",
    [
        (("a", "b"), ("a", "b"), True),
        (("a", "..."), ("a", "b", "c"), True),
        (("a", "...", "c"), ("a", "b", "b", "c"), True),
        (("a", "...", "c"), ("a", "b"), False),
        (("a",), ("a", "b"), False),
        (("x = 1",), ("x = 2",), False),
    ],
)
def test_the_comparison_can_fail(shown, printed, same) -> None:
    assert pages.agrees(shown, printed) is same


@pytest.mark.sample(2)
@pytest.mark.parametrize("command", re.findall(r"\| `(cltheory .*?)`", TEXTS["which.md"]))
def test_a_question_is_answered(command: str) -> None:
    if command.startswith("cltheory claims "):  # two minutes, and each verdict has a test
        command += " --stored"
    assert not pages.output(command)[0].startswith("cltheory: ")


# --- code -----------------------------------------------------------------------------------
@pytest.mark.parametrize("name", [n for n in TEXTS if "```pycon\n" in TEXTS[n]])
def test_python_sessions(name: str) -> None:
    if name in NEED_TORCH:
        pytest.importorskip("torch")
    session = "\n".join(blocks(name, "pycon"))
    test = doctest.DocTestParser().get_doctest(session, {}, name, name, 0)
    report: list[str] = []
    failed = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(
        test, out=report.append
    )
    assert test.examples
    assert not failed.failed, "".join(report)


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The files of docs/add-a-theorem.md, written and imported as the page says."""
    result, test = blocks("add-a-theorem.md", "python")
    name = "cltheory.derive.results.classes.supcl_orthogonal"
    (tmp_path / "supcl_orthogonal.py").write_text(result, encoding="utf-8")
    (tmp_path / "the_test.py").write_text(test, encoding="utf-8")
    found = dict(results._modules)
    found["supcl-orthogonal"] = ".classes.supcl_orthogonal"
    monkeypatch.setattr(results, "_modules", found)
    load(tmp_path / "supcl_orthogonal.py", name)
    yield load(tmp_path / "the_test.py", "the_test")
    del sys.modules[name], sys.modules["the_test"]


def test_the_example_theorem(example: ModuleType) -> None:
    ran = 0
    for name in dir(example):
        if name.startswith("test_"):
            test = getattr(example, name)
            (mark,) = test.pytestmark
            for value in mark.args[1]:
                test(value)
                ran += 1
    assert ran == 3
    assert results["supcl-orthogonal"].evidence.grade.name == "EXACT"


def test_the_example_record(example: ModuleType) -> None:
    from cltheory.derive.papers.records.examine import examine
    from cltheory.derive.papers.records.mutate import holes
    from cltheory.derive.papers.records.record import read_section

    (text,) = blocks("add-a-theorem.md", "toml")
    (record,) = read_section("nobody2020", "section_1", text)
    found = examine(record)
    assert (found.verdict.word, str(found.verdict.evidence.grade)) == ("agrees", "exact")
    assert not found.problems
    assert not holes(record).survivors
    (wrong,) = read_section("nobody2020", "section_1", text.replace("mn - 1 + h", "mn + h"))
    assert examine(wrong).verdict.word == "differs"


# --- the rest -------------------------------------------------------------------------------
def test_the_pages_of_claims_are_up_to_date() -> None:
    made = claims.pages()
    assert made == {path: kept(path) for path in made}, "python docs/make_claims.py --write"
    there = {
        p.relative_to(ROOT / "docs").as_posix() for p in (ROOT / "docs").rglob("claims/**/*.md")
    }
    assert there | {"claims.md"} == set(made)


@pytest.mark.parametrize("paper", PAPERS)
def test_the_contents_of_a_paper_lead_to_its_sections(paper: str) -> None:
    path = f"claims/{paper}.md"
    links = re.findall(r"^\| \[.*?\]\((\w+)/(\w+)\.md\)", kept(path), re.M)
    sections = import_module(f"cltheory.derive.papers.{paper}").LEDGER.sections
    assert links == [(paper, name) for name in sections]
    assert f"]({path})" in TEXTS["claims.md"]


def test_a_record_is_folded_so_that_no_page_of_claims_is_long() -> None:
    """Some 40 pixels for a line that is there before anything is opened: 3,000 in all."""
    for page in (ROOT / "docs" / "claims").rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        folded = re.sub(r"</summary>.*?</details>", "", text.replace("<details", "\n"), flags=re.S)
        # What is in a fold of a fold is folded too: it ends where the outer one does.
        lines = [line for line in folded.splitlines() if line.strip()]
        assert len(lines) <= 70, page


def test_the_page_of_losses_is_up_to_date() -> None:
    assert TEXTS["losses.md"] == losses.page(), "python docs/make_losses.py --write"


def test_the_page_of_formulas_is_up_to_date() -> None:
    assert TEXTS["formulas.md"] == formulas.page(), "python docs/make_formulas.py --write"


def test_the_table_of_dimensions_is_up_to_date() -> None:
    assert TEXTS["theory.md"] == dimensions.page(), "python docs/make_dimensions.py --write"


def test_the_tables_of_bounds_are_up_to_date() -> None:
    assert TEXTS["dimension.md"] == bounds.page(), "python docs/make_bounds.py --write"


@pytest.mark.parametrize("id", list(results))
def test_every_result_is_told(id: str) -> None:
    told, _, table = TEXTS["theory.md"].partition(dimensions.START)
    assert f"`{id}`" in told and f"`{id}`" in table


def test_the_readme_is_read_in_two_minutes() -> None:
    assert len(TEXTS["README.md"].encode()) <= 8000


def test_the_rate_of_reading_is_that_of_the_corpus() -> None:
    corpus = (ROOT / "tests/derive/tex/corpus/README.md").read_text(encoding="utf-8")
    found = re.search(r"^\| all \| (\d+) \| (.*?) \| (.*?) \|", corpus, re.MULTILINE)
    assert found is not None
    displays, whole, parts = found.groups()
    page = TEXTS["papers.md"]
    assert f"All {displays} displays" in page
    assert f"| {whole} | 0 |" in page and f"| {parts} | 0 |" in page


def test_the_tutorial_on_a_loss_of_ones_own_shows_its_file() -> None:
    (shown,) = blocks("tutorial-own-loss.md", "toml")
    assert shown == kept("problems/hard-negatives.toml")


@pytest.mark.parametrize("name", [name for name in TEXTS if name.startswith("tutorial-")])
def test_a_tutorial_takes_ten_minutes_and_says_what_is_next(name: str) -> None:
    text = TEXTS[name]
    assert len(FENCE.sub("", text).split()) < 500 and text.count("$ cltheory") >= 2
    assert "](" in text.partition("## What to read next\n")[2]
    assert f"]({name})" in TEXTS["index.md"] and name in MKDOCS


@pytest.mark.slow
@pytest.mark.parametrize("name", ["check", "into-a-paper", "own-loss"])
def test_what_a_tutorial_has_one_copy_runs(name: str, tmp_path: Path) -> None:
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    scripts, modules = (blocks(f"tutorial-{name}.md", kind) for kind in ("sh", "python"))
    assert scripts or modules
    for script in scripts:
        command = ["bash", "-euo", "pipefail", "-c", script]
        subprocess.run(command, cwd=tmp_path, env={**os.environ, "PATH": path}, check=True)
    for module in modules:
        names: dict[str, Any] = {}
        exec(module, names)
        for test in [one for name, one in names.items() if name.startswith("test_")]:
            test()


def test_links_between_pages_lead_somewhere() -> None:
    for name, text in TEXTS.items():
        folder = ROOT if name == "README.md" else ROOT / "docs"
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
            if "://" not in target and not target.startswith(MADE):
                assert (folder / target).is_file(), f"{name}: {target}"


def options(command: click.Command) -> Iterator[tuple[str, str]]:
    """Every long option of a command and of what stands under it, with the command."""
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            found = command.get_command(click.Context(command), name)
            assert found is not None
            yield from options(found)
    for p in command.params:
        yield from ((str(command.name), o) for o in p.opts if o.startswith("--"))


def unnamed(command: click.Command, text: str) -> list[tuple[str, str]]:
    named = set(re.findall(r"(?<![\w-])--[\w-]+", text))
    return [at for at in options(command) if at[1] not in named]


def test_every_option_is_named_on_a_page() -> None:
    text = "".join(TEXTS.values())
    assert unnamed(cli, text) == [("cli", "--version")]
    assert ("phases", "--x-range") in unnamed(cli, text.replace("--x-range", "--x-ranges"))


def test_pages_name_no_place_of_one_machine() -> None:
    for name, text in TEXTS.items():
        assert not re.search(r"(?<![\w.])/(work|root|home|tmp|Users|opt)/", text), name


def test_the_two_commands_are_where_ci_looks_for_them() -> None:
    for marker in ("main command", "test command"):
        assert re.search(f"^<!-- {marker} -->\n```sh\n[^\n]+\n```$", TEXTS["README.md"], re.M)


def test_no_formula_of_the_claims_is_cut() -> None:
    """No TeX outside dollar signs, and none of these escaped; a reader would see it as text."""
    code = re.compile(r"`[^`]*`|<code>.*?</code>|```.*?```", re.S)
    made = (p.read_text(encoding="utf-8") for p in (ROOT / "docs/claims").rglob("*.md"))
    for line in code.sub("", "\n".join(made)).splitlines():
        outside = line.split("$")[::2]
        assert "\\$" not in line and not any("\\" in part for part in outside), line

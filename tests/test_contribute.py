"""The pages for contributors, followed in a clone step by step."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("derive", "numeric", "cli")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

pytestmark = pytest.mark.slow


class Clone:
    """A copy of the tree that is imported instead of the tree."""

    def __init__(self, folder: Path):
        self.folder = folder / "clone"
        kept_apart = ("build", "*.egg-info", "site", ".git", ".venv", ".hypothesis", ".*_cache")
        ignored = shutil.ignore_patterns("__pycache__", *kept_apart)
        shutil.copytree(ROOT, self.folder, ignore=ignored)
        package = folder / "path" / "cltheory"
        package.mkdir(parents=True)
        for room in ROOMS:
            (package / room).symlink_to(self.folder / room)
        for file in (self.folder / "derive" / "top-level").iterdir():
            (package / file.name).symlink_to(file)
        self.path = package.parent

    def python(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *words],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(self.path)},
            capture_output=True,
            text=True,
            check=False,
            timeout=500,
        )

    def passes(self, *words: str) -> str:
        done = self.python(*words)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def is_formatted(self, checked: tuple[str, ...], formatted: tuple[str, ...]) -> None:
        """Ruff says so; it comes with the extra ``lint``, which CONTRIBUTING.md asks for."""
        if importlib.util.find_spec("ruff") is None:
            pytest.skip("all but ruff passed: it needs the extra lint")
        self.passes("-m", "ruff", "check", "--no-cache", *checked)
        self.passes("-m", "ruff", "format", "--check", "--no-cache", *formatted)

    def page(self, name: str) -> str:
        return (self.folder / "docs" / name).read_text(encoding="utf-8")


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path)


def blocks(text: str, language: str) -> list[str]:
    return [body for found, body in BLOCK.findall(text) if found == language]


def commands(text: str) -> list[list[str]]:
    """The lines of Python among the commands of a page."""
    lines = (
        line.partition("#")[0].split() for body in blocks(text, "sh") for line in body.splitlines()
    )
    return [words[1:] for words in lines if words[:1] == ["python"]]


def follow_theorem(clone: Clone, change: Callable[[str], str] = lambda text: text) -> None:
    """Write what docs/add-a-theorem.md says where it says; ``change`` alters the result."""
    page = clone.page("add-a-theorem.md")
    result, test = blocks(page, "python")
    (paragraph,) = blocks(page, "markdown")
    for path, text in zip(
        re.findall(r"^`(\S+\.py)`\.", page, re.MULTILINE), (change(result), test), strict=True
    ):
        assert not (clone.folder / path).exists()
        (clone.folder / path).write_text(text, encoding="utf-8")
    theory = clone.folder / "docs" / "theory.md"
    told, table, limits = clone.page("theory.md").partition("## Dimensions and limits\n")
    theory.write_text(f"{told}{paragraph}\n{table}{limits}", encoding="utf-8")


WRITE = [[f"docs/{name}.py", "--write"] for name in ("examples", "make_dimensions")]
#: What asks something of every result, whatever it is about.
OF_EVERY_RESULT = ("tests/test_docs.py", "tests/cli/test_export.py", "tests/cli/test_start_up.py")


def test_the_theorem_of_the_page_passes_what_every_result_passes(clone: Clone) -> None:
    follow_theorem(clone)
    for words in WRITE:
        assert words in commands(clone.page("add-a-theorem.md"))
        clone.passes(*words)
    assert "\\alpha_\\perp =\n" in clone.page("theory.md")
    shown = clone.passes("-m", "cltheory.cli.main", "derive", "supcl-orthogonal", "--m", "10")
    assert "iff alpha > alpha_orthogonal" in shown
    pytest_ = ("-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider")
    files = [Path(file).stem for file in OF_EVERY_RESULT]  # in one process: each result once
    clone.passes(
        *pytest_, "tests", "-k", " or ".join(["supcl-orthogonal", "supcl_orthogonal", *files])
    )
    clone.is_formatted(("derive/results", "tests/derive"), ("derive/results/classes",))


def test_a_theorem_without_its_paragraph_or_source_is_noticed(clone: Clone) -> None:
    follow_theorem(clone, lambda text: text.replace("the loss is that of lee2025ssem", "no paper"))
    (clone.folder / "docs" / "theory.md").write_text("", encoding="utf-8")
    done = clone.python(
        "-m", "pytest", "-q", "-n", "0", "-k", "told or sources", *OF_EVERY_RESULT[:2]
    )
    assert "test_every_result_is_told[supcl-orthogonal]" in done.stdout
    assert "test_the_sources_are_those_of_the_project" in done.stdout


# --- a loss --------------------------------------------------------------------------------------
def follow_loss(clone: Clone) -> None:
    """Write and apply what docs/add-a-loss.md says."""
    page = clone.page("add-a-loss.md")
    declaration, by_hand = blocks(page, "python")
    (path,) = re.findall(r"^`(\S+\.py)`\.", page, re.MULTILINE)
    (clone.folder / path).write_text(declaration, encoding="utf-8")
    (patch,) = blocks(page, "diff")
    subprocess.run(
        ["git", "apply", "--unidiff-zero", "-"],
        cwd=clone.folder,
        input=patch,
        text=True,
        check=True,
    )
    hand = clone.folder / "tests" / "derive" / "losses_by_hand.py"
    hand.write_text(f"{hand.read_text(encoding='utf-8')}\n\n{by_hand}", encoding="utf-8")


def test_the_loss_of_the_page_is_one_of_the_catalogue(clone: Clone) -> None:
    follow_loss(clone)
    first, *others = commands(clone.page("add-a-loss.md"))
    assert "structure = classes" in clone.passes(*first)
    for words in others:
        clone.passes(*words)
    clone.is_formatted(("derive", "tests/derive"), ("derive/losses", "tests/derive"))


def test_a_loss_that_is_not_written_by_hand_is_noticed(clone: Clone) -> None:
    follow_loss(clone)
    hand = clone.folder / "tests" / "derive" / "losses_by_hand.py"
    text = hand.read_text(encoding="utf-8")
    test = ["-m", "pytest", "-q", "-n", "0", "tests/derive/test_catalogue.py"]
    hand.write_text(text.replace("label[w] != label[u]", "w != u"), encoding="utf-8")
    assert "supdcl" in clone.python(*test).stdout
    hand.write_text(text.partition("def supdcl")[0], encoding="utf-8")
    assert "has no attribute 'supdcl'" in clone.python(*test).stdout

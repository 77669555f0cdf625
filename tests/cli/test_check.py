"""``cltheory check``: papers that are right, papers that are not, and files that are no papers."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cltheory.cli import papers as papers_module
from cltheory.cli.papers import files_of
from cltheory.derive.tex import check as of_tex
from cltheory.derive.tex.judge.finding import Finding

DATA = Path(__file__).resolve().parent.parent / "data"
MARK = "% cltheory: supcl-threshold.alpha_min_tau_0\n"
RIGHT = MARK + "\\[ 1/n = \\frac{1}{n} \\]\n"
WRONG = MARK + "\\[ 1/n = \\frac{2}{n} \\]\n"
UNREAD = MARK + "\\[ 1/n = \\foo{n} \\]\n"


@pytest.fixture
def paper(here: Path) -> Path:
    """A copy of the example paper, and what it inputs."""
    for name in ("paper.tex", "macros.tex"):
        shutil.copy(DATA / name, here / name)
    return here / "paper.tex"


def broken(paper: Path, old: str, new: str) -> int:
    """Break the paper at its only occurrence of a text; returns the line."""
    text = paper.read_text(encoding="utf-8")
    assert text.count(old) == 1, old
    paper.write_text(text.replace(old, new), encoding="utf-8")
    return text[: text.index(old)].count("\n") + 1


# --- an example paper ---------------------------------------------------------------------
def test_a_paper_that_is_right(cltheory: Any, paper: Path) -> None:
    code, out, err = cltheory("check", "paper.tex")
    assert (code, err) == (0, "")
    assert out == "9 marked equations in 1 file: 9 equal (9 exact)\n"


def test_a_flipped_sign_is_found_with_a_point_and_the_edit(cltheory: Any, paper: Path) -> None:
    line = broken(paper, r"\frac{mn - 1 + \heat}{n \left", r"\frac{mn + 1 + \heat}{n \left")
    code, out, err = cltheory("check", "paper.tex")
    assert (code, err) == (1, "")
    lines = out.splitlines()
    assert lines[0].startswith(f"paper.tex:{line - 1}:")
    assert lines[0].endswith("differs from supcl-threshold.alpha_min")
    assert lines[1].startswith("    printed  ") and "m*n" in lines[1]
    assert lines[2].startswith("    derived  ") and "m*n - 1" in lines[2]
    assert lines[3].startswith("    at       m = 2, n = 2, tau = 1: printed 0.738405844")
    assert ", derived 0.619202922" in lines[3]
    assert lines[4].startswith("    edit     ")
    assert lines[5].startswith("    giving   ")
    assert r"\amin = \frac{mn - 1 + \heat}{n" in lines[5]
    assert lines[-1] == "9 marked equations in 1 file: 8 equal (8 exact), 1 different"


@pytest.mark.parametrize(
    ("old", "new", "title"),
    [
        (r"\heat}, 1 \Bigr]", r"\heat}, 2 \Bigr]", "supcl-threshold.alpha_min"),
        (r"\alpha \le ", r"\alpha \ge ", "not supcl-threshold.alpha_min"),
        ("k -> m - 1", "k -> m + 1", "supcl-threshold.tau_max"),
        (r"\log (N - 3)", r"\log (N - 2)", "sigmoid-threshold.t_simplex"),
        (r"N, & \text{otherwise}", r"N + 1, & \text{otherwise}", "ccem.min_dimension"),
    ],
)
def test_every_equation_of_the_paper_can_fail(
    cltheory: Any, paper: Path, old: str, new: str, title: str
) -> None:
    line = broken(paper, old, new)
    code, out, _ = cltheory("check", "paper.tex")
    assert code == 1
    (head,) = [row for row in out.splitlines() if row.startswith("paper.tex:")]
    assert f" differs from {title}" in head
    assert abs(int(head.split(":")[1]) - line) <= 3
    assert out.splitlines()[-1].endswith("8 equal (8 exact), 1 different")


def test_a_macro_of_another_file_matters(cltheory: Any, paper: Path) -> None:
    macros = paper.parent / "macros.tex"
    macros.write_text(macros.read_text().replace("(#1 - 1)", "(#1 + 1)"))
    code, out, _ = cltheory("check", "paper.tex")
    assert code == 1
    assert "2 different" in out
    macros.unlink()
    code, out, _ = cltheory("check", "paper.tex")
    assert code == 2
    assert r"\heat" in out


# --- exit codes -------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("no mark", 0, "no marked equation in 1 file; '% cltheory: RESULT.QUANTITY'"),
        (RIGHT, 0, "1 marked equation in 1 file: 1 equal (1 exact)"),
        (RIGHT + WRONG, 1, "1 equal (1 exact), 1 different"),
        (RIGHT + UNREAD, 2, "a.tex:4:10: not read: "),
        (RIGHT + "% cltheory: a.b\n$$x$$", 2, "a.tex:3:1: no result is called 'a'"),
        (RIGHT + "% cltheory: ssem.b\n$$x$$", 2, "a.tex:3:1: ssem has no b"),
        (RIGHT + MARK[:-1] + " (q = 1)\n$$x$$", 2, "a.tex:3:1: supcl-threshold has no parameter q"),
        (RIGHT + MARK[:-1] + " (m = 1)\n$$x$$", 2, "a.tex:3:1: "),
        (RIGHT + MARK[:-1] + " [q -> $]\n$$x$$", 2, "a.tex:3:1: q -> $"),
        (RIGHT + MARK, 2, "a.tex:3:1: the directive for supcl-threshold.alpha_min_tau_0 marks"),
        (WRONG + UNREAD + MARK, 2, "in 1 file: 1 different, 1 not read; 1 problem"),
    ],
)  # fmt: skip
def test_exit_codes(cltheory: Any, here: Path, text: str, code: int, says: str) -> None:
    """2 wins over 1: something was not checked at all."""
    (here / "a.tex").write_text(text)
    found = cltheory("check", "a.tex")
    assert found.code == code
    assert found.err == ""
    assert says in found.out
    assert "Traceback" not in found.out


def test_agreement_at_samples_is_not_enough(
    cltheory: Any, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(source: str, target: Any, *_: Any, **__: Any) -> Finding:
        return Finding(
            "equal" if target.allow_sampled else "undecided",
            target.allow_sampled,
            "sampled",
            "300 points",
            printed="p",
        )

    monkeypatch.setattr(of_tex, "check_equation", answer)
    (here / "a.tex").write_text(RIGHT)
    code, out, _ = cltheory("check", "a.tex")
    assert code == 1
    assert "agrees with supcl-threshold.alpha_min_tau_0 at sampled points only" in out
    assert "1 agreeing at sampled points only" in out
    code, out, _ = cltheory("check", "--allow-sampled", "a.tex")
    assert (code, out) == (0, "1 marked equation in 1 file: 1 equal (1 sampled)\n")
    (here / "a.tex").write_text(RIGHT.replace("tau_0", "tau_0 allow-sampled"))
    assert cltheory("check", "a.tex").code == 0


def test_a_defect_in_one_check_does_not_hide_the_others(
    cltheory: Any, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    true_check = of_tex.check_equation

    def fails(source: str, *rest: Any, **more: Any) -> Finding:
        if "2" in source:
            raise RuntimeError("lost\nit")
        return true_check(source, *rest, **more)

    monkeypatch.setattr(of_tex, "check_equation", fails)
    (here / "a.tex").write_text(WRONG + RIGHT)
    code, out, _ = cltheory("check", "a.tex")
    assert code == 2
    assert "the check failed, which is a defect: RuntimeError: lost it\n" in out
    assert "1 equal" in out


# --- Markdown and notebooks ---------------------------------------------------------------
def test_markdown_and_notebooks(cltheory: Any, here: Path) -> None:
    mark = "<!-- cltheory: supcl-threshold.alpha_min_tau_0 -->\n"
    math = "$$\n\\newcommand{\\one}{1}\n1/n = \\one / n\n$$"
    wrong = mark + "$$1/n =\n \\frac{n}{1}$$"
    (here / "a.md").write_text(mark + "```math\n1/n = 1/n\n```\n" + wrong)
    cell = {"cell_type": "markdown", "metadata": {}, "source": wrong.splitlines(keepends=True)}
    (here / "b.ipynb").write_text(json.dumps({"cells": [cell, cell]}, indent=1))
    assert math
    code, out, _ = cltheory("check", ".")
    assert code == 1
    heads = [line.split(": differs")[0] for line in out.splitlines() if ": differs" in line]
    assert heads == ["./a.md:6:3", "./b.ipynb:8: cell 1, line 2", "./b.ipynb:17: cell 2, line 2"]
    assert out.endswith("4 marked equations in 2 files: 1 equal (1 exact), 3 different\n")


# --- files and folders -------------------------------------------------------------------------
def test_folders(cltheory: Any, here: Path) -> None:
    kept = ["a.tex", "b/c.MD", "b/d/e.ipynb", "b/build.tex"]
    skipped = [".git/a.tex", "build/a.tex", "b/node_modules/a.tex", ".a.tex", "a.txt", "b/.x/a.md"]
    for name in [*kept, *skipped]:
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text(RIGHT)
    found, problems = files_of(["."])
    assert sorted(Path(file).as_posix() for file, _ in found) == sorted(kept)
    assert not problems
    # Given by name it is read, and once.
    found, _ = files_of(["build", "a.tex", "./a.tex", "."])
    assert found[:2] == [("build/a.tex", False), ("a.tex", True)]
    assert sorted(file for file, _ in found[2:]) == ["./b/build.tex", "./b/c.MD", "./b/d/e.ipynb"]


def test_links_make_no_loop(here: Path) -> None:
    (here / "a.tex").write_text(RIGHT)
    (here / "folder").mkdir()
    (here / "folder" / "up").symlink_to(here, target_is_directory=True)
    (here / "folder" / "self").symlink_to(here / "folder", target_is_directory=True)
    (here / "again.tex").symlink_to(here / "a.tex")
    found, _ = files_of(["."])
    assert [file for file, _ in found] == ["./a.tex"]
    found, _ = files_of(["folder/up"])
    assert len(found) == 1


def test_a_folder_without_permission(
    cltheory: Any, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "a.tex").write_text(RIGHT)
    (here / "closed").mkdir()
    true_scandir = os.scandir

    def scandir(path: Any) -> Any:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return true_scandir(path)

    monkeypatch.setattr(os, "scandir", scandir)
    code, out, _ = cltheory("check", ".")
    assert code == 2
    assert "./closed:1: cannot be read: Permission denied" in out
    assert "1 equal" in out


def test_files_that_are_no_text(cltheory: Any, here: Path) -> None:
    (here / "elf.tex").write_bytes(b"\x7fELF\0\0\xff")
    (here / "latin.tex").write_bytes(RIGHT.encode() + "é".encode("latin-1"))
    (here / "utf16.md").write_bytes(RIGHT.encode("utf-16"))
    (here / "quiet.tex").write_bytes("é".encode("latin-1"))
    (here / "a.tex").write_text(RIGHT)
    os.mkfifo(here / "pipe.tex")
    code, out, _ = cltheory("check", ".")
    assert code == 2
    assert "./latin.tex:1: line 3 is not UTF-8" in out
    assert "./utf16.md:1: the file is UTF-16" in out
    assert "./pipe.tex:1: it is not a file" in out
    # What marks nothing is nobody's concern, unless it was asked for by name and is no text.
    assert "elf" not in out and "quiet" not in out
    assert "1 equal" in out
    assert cltheory("check", "quiet.tex").code == 0
    code, out, _ = cltheory("check", "elf.tex")
    assert code == 2
    assert "elf.tex:1: the file is binary" in out
    for name in ("pipe.tex", "/dev/zero"):
        assert cltheory("check", "--frozen", name).err == f"cltheory: {name} is not a file\n"


def test_a_file_that_is_too_large(
    cltheory: Any, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(papers_module, "MAX_BYTES", 10)
    (here / "a.tex").write_text(RIGHT)
    code, out, _ = cltheory("check", "a.tex")
    assert code == 2
    assert "bytes are too many (at most 10)" in out


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ([], "give a .tex, .md or .ipynb file"),
        (["nope.tex"], "nope.tex does not exist"),
        (["a.pdf"], "a.pdf is not one of *.tex, *.md, *.ipynb"),
        (["a.tex", "--format", "yaml"], "sarif"),
        (["a.tex", "--output", "no/such/file"], "the folder no/such does not exist"),
        (["a.tex", "--output", "a.pdf"], "a.pdf exists; --force replaces it"),
        (["a.tex", "--output", "a.tex", "--force"], "a.tex is an input of this command"),
    ],
)
def test_bad_arguments(refused: Callable[..., str], here: Path, args: list[str], says: str) -> None:
    (here / "a.tex").write_text(RIGHT)
    (here / "a.pdf").write_text("x")
    assert says in refused("check", *args)


# --- options ------------------------------------------------------------------------------------
def test_output_goes_to_a_file_and_text_to_the_terminal(cltheory: Any, here: Path) -> None:
    (here / "a.tex").write_text(WRONG)
    code, out, _ = cltheory("check", "a.tex", "--format", "json", "--output", "report.json")
    assert code == 1
    assert out.startswith("a.tex:2:4: differs")
    assert json.loads((here / "report.json").read_text())["code"] == 1
    code, out, _ = cltheory("check", "a.tex", "--output", "report.txt")
    assert (code, out) == (1, "1 marked equation in 1 file: 1 different\n")
    assert (here / "report.txt").read_text().startswith("a.tex:2:4: differs")


def test_a_lock(cltheory: Any, here: Path) -> None:
    (here / "a.tex").write_text(RIGHT)
    lock = here / "cltheory.lock"
    lock.write_text(cltheory("freeze", "supcl-threshold", "ssem").out)
    code, out, err = cltheory("check", "a.tex", "--frozen", "cltheory.lock")
    assert (code, err) == (0, "")
    assert out == "1 marked equation in 1 file: 1 equal (1 exact); 0 changes to cltheory.lock\n"
    assert cltheory("check", "--frozen", "cltheory.lock").out == "0 changes to cltheory.lock\n"


def test_a_lock_that_no_longer_holds(
    cltheory: Any, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cltheory.derive.write import lock

    changes = [
        lock.Change("ssem", "delta_max", "changed", "ssem.delta_max was\n1, is 2", False),
        lock.Change("ssem", "old", "missing", "ssem.old is gone"),
    ]
    monkeypatch.setattr(lock, "compare_lock", lambda *_, **__: changes)
    (here / "a.tex").write_text(RIGHT)
    (here / "c.lock").write_text("{}")
    code, out, _ = cltheory("check", "a.tex", "--frozen", "c.lock")
    assert code == 1
    assert out.splitlines()[:2] == [
        "c.lock: ssem.delta_max was 1, is 2",
        "c.lock: ssem.old is gone",
    ]
    assert out.endswith("; 2 changes to c.lock\n")
    found = json.loads(cltheory("check", "--frozen", "c.lock", "--format", "json").out)
    assert found["code"] == 1
    assert [c["kind"] for c in found["changes"]] == ["changed", "missing"]
    assert found["changes"][0]["equivalent"] is False
    for style in ("sarif", "github"):
        code, out, _ = cltheory("check", "--frozen", "c.lock", "--format", style)
        assert code == 1
        assert "ssem.old is gone" in out


@pytest.mark.parametrize("text", [b"", b"{}", b"\xff", b"\0", b"[" * 100_000])
def test_a_bad_lock(refused: Callable[..., str], here: Path, text: bytes) -> None:
    (here / "c.lock").write_bytes(text)
    assert "c.lock: " in refused("check", "--frozen", "c.lock")


def test_a_lock_names_files_from_its_own_folder(
    cltheory: Any, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paper = here / "paper"
    paper.mkdir()
    (paper / "mine.toml").write_text(
        'title = "SupCon"\ntemperature = "tau"\n[structure]\nlevels = [\n'
        '{ name = "instances", size = "n", relation = "same_class" },\n'
        '{ name = "classes", size = "m", relation = "cross_class" },\n]\n'
        '[[terms]]\nweight = "1"\npositives = ["same_class"]\ndenominator = "others"\n'
    )
    monkeypatch.chdir(paper)
    (paper / "c.lock").write_text(cltheory("freeze", "--loss", "mine.toml").out)
    monkeypatch.chdir(here)
    assert cltheory("check", "--frozen", "paper/c.lock").code == 0
    (paper / "mine.toml").unlink()
    code, _, err = cltheory("check", "--frozen", "paper/c.lock")
    assert code == 2 and "paper/mine.toml" in err


def test_require(cltheory: Any, here: Path) -> None:
    (here / "a.tex").write_text("nothing")
    code, out, err = cltheory("check", "a.tex", "--require")
    assert code == 1
    assert "no marked equation" in out
    assert "--require" in err
    (here / "a.tex").write_text("% cltheory: nope.nothing")  # what cannot be checked outweighs it
    assert cltheory("check", "a.tex", "--require").code == 2
    (here / "a.tex").write_text(RIGHT)
    assert cltheory("check", "a.tex", "--require").code == 0


def test_more_than_is_checked_ends_in_one_line(
    cltheory: Any, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "a.tex").write_text(3 * RIGHT + "{" * 99)
    monkeypatch.setattr("cltheory.cli.checking.MAX_MARKED", 2)
    code, out, _ = cltheory("check", "a.tex")
    assert code == 2 and "3 equations are marked, and the first 2 are checked" in out
    monkeypatch.setattr("cltheory.derive.tex.text.walk.MAX_TOKENS", 60)
    code, out, _ = cltheory("check", "a.tex")
    assert code == 2 and "what stands after 60 commands, braces and comments is not checked" in out

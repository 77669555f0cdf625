r"""``cltheory check`` on documents of several files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cltheory.cli.papers import read_papers

MARK = "% cltheory: supcl-threshold.alpha_min_tau_0\n"
RIGHT = MARK + "\\[ 1/n = \\frac{1}{n} \\]\n"
WRONG = MARK + "\\[ 1/n = \\frac{2}{n} \\]\n"
ROOT = "\\documentclass{article}\n\\newcommand{\\x}{n}\n\\begin{document}\n"
END = "\\end{document}\n"
WITH_MACRO = MARK + "\\[ 1/n = \\frac{1}{\\x} \\]\n"


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.tex").write_text(text)


def marks(*paths: str) -> list[str]:
    """Where equations are marked, of what is read from these files."""
    papers = read_papers([(path, True) for path in paths])
    return [f"{paper.path}:{one.line}" for paper in papers for one in paper.marked]


@pytest.mark.parametrize(
    "command", [r"\input{sec}", r"\input sec", r"\include{sec}", r"\subfile{sec}"]
)
def test_a_false_equation_in_an_included_file(cltheory: Any, here: Path, command: str) -> None:
    write(here, main=ROOT + RIGHT + command + "\n" + END, sec="text\n" + WRONG)
    code, out, err = cltheory("check", "main.tex")
    assert (code, err) == (1, "")
    assert out.startswith("sec.tex:3:4: differs from supcl-threshold.alpha_min_tau_0\n")
    assert out.endswith("2 marked equations in 2 files: 1 equal (1 exact), 1 different\n")
    for style in ("json", "sarif", "github"):
        code, out, _ = cltheory("check", "--format", style, "main.tex")
        assert code == 1
        assert "sec.tex" in out


@pytest.mark.parametrize(
    "command",
    [
        r"\input{../defs}",
        r"\input{sub/../../defs}",
        r"\import{../}{defs}",
        r"\input{link}",
        r"\input{folder/defs}",
        r"\usepackage{../defs}",
    ],
)
def test_nothing_is_read_from_outside_the_folder(here: Path, command: str) -> None:
    paper = here / "paper"
    (paper / "sub").mkdir(parents=True)
    for name in ("defs.tex", "defs.sty"):
        (here / name).write_text(r"\newcommand{\x}{n}")
    (paper / "link.tex").symlink_to(here / "defs.tex")
    (paper / "folder").symlink_to(here)
    write(paper, main=command + "\n" + WITH_MACRO)
    for within, refused in ((["paper"], True), (None, False), (["."], False)):
        (found,) = read_papers([("paper/main.tex", True)], within=within)
        assert [p.message.split(" is ")[1][:30] for p in found.problems] == (
            ["outside the folders that are c"] if refused else []
        )
        assert ("\\x" in found.marked[0].macros.known) is not refused


def test_every_equation_is_checked_once(cltheory: Any, here: Path) -> None:
    write(here, a=RIGHT, main=ROOT + r"\input{a}\input{a}\input{b}" + END, b=r"\input{c}", c=RIGHT)
    for paths in (["."], ["main.tex", "a.tex"], ["a.tex", "b.tex", "c.tex", "main.tex"]):
        code, out, _ = cltheory("check", *paths)
        assert (code, out.split(" in ")[0]) == (0, "2 marked equations")
    assert marks("a.tex", "c.tex") == ["a.tex:2", "c.tex:2"]
    assert marks("c.tex", "b.tex") == ["c.tex:2"]
    # Other macros make it another equation.
    write(here, a=WITH_MACRO, main=ROOT + r"\input{a}\def\x{m}\input{a}\def\x{n}\input{a}" + END)
    code, out, _ = cltheory("check", "main.tex")
    assert code == 1
    assert out.endswith("2 marked equations in 2 files: 1 equal (1 exact), 1 different\n")


def test_a_part_has_the_macros_of_what_inputs_it(cltheory: Any, here: Path) -> None:
    write(here, main=ROOT + r"\input{a}" + END, a=WITH_MACRO)
    assert cltheory("check", ".").code == 0
    assert cltheory("check", "a.tex", "main.tex").code == 0
    code, out, _ = cltheory("check", "a.tex")
    assert code == 2
    assert r"a.tex:2:" in out and r"\x" in out


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            r"\input{none}",
            "main.tex:4:1: the file none does not exist, so its contents are not checked",
        ),
        (r"\input{main}", "main.tex:4:1: the file inputs itself: main.tex -> main.tex"),
        (r"\input{bad}", "main.tex:4:1: bad.tex: line 1 is not UTF-8"),
        (r"\input{/etc/hostname}", "main.tex:4:1: the absolute path /etc/hostname is not followed"),
    ],
)
def test_a_file_that_cannot_be_followed(cltheory: Any, here: Path, text: str, says: str) -> None:
    (here / "bad.tex").write_bytes(b"\xff\xfa")
    write(here, main=ROOT + text + "\n" + RIGHT + END)
    for path in ("main.tex", "."):
        code, out, _ = cltheory("check", path)
        assert code == 2
        assert says in out.replace("./", "") and "1 equal" in out
    # What marks nothing is nobody's concern, unless it was asked for by name.
    write(here, main=ROOT + text + "\n" + END)
    assert cltheory("check", ".").code == 0
    assert cltheory("check", "main.tex").code == 2


@pytest.mark.parametrize(
    "text",
    [
        r"\renewcommand{\frac}[2]{#2}",
        r"\expandafter\def\csname frac\endcsname{}",
        r"\makeatletter\@namedef{frac}{x}",
        r"\AtBeginDocument{\let\frac\dfrac}",
        r"\input extra",
        r"\usepackage{extra}",
        r"\import{./}{extra}",
    ],
)
def test_a_redefinition_is_not_overlooked(cltheory: Any, here: Path, text: str) -> None:
    (here / "extra.sty").write_text(r"\def\frac#1#2{#2/#1}")
    write(here, extra=r"\def\frac#1#2{#2/#1}", a=text + "\n" + RIGHT)
    code, out, _ = cltheory("check", "a.tex")
    assert code != 0, out

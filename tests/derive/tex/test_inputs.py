r"""Documents of several files: what is read, in which order, and with which macros."""

from __future__ import annotations

import posixpath

import pytest
from cltheory.derive.language.statement import TexError
from cltheory.derive.language.tokens import tokenise
from cltheory.derive.tex.text.document import (
    Document,
    DocumentError,
    Marked,
    Problem,
    read_document,
)
from cltheory.derive.tex.text.inputs import MAX_FILES, is_root, may_input

MARK = "% cltheory: a.x\n"
EQ = MARK + "\\[ x = \\a \\]\n"


def document(files: dict[str, str], root: str = "main.tex") -> Document:
    return read_document(root, files[root], "tex", lambda path: files.get(posixpath.normpath(path)))


def checked(files: dict[str, str], root: str = "main.tex") -> list[str]:
    """``file:line: what it prints`` of every marked equation and every problem."""
    found = document(files, root)
    rows: list[str] = []
    for one in found.items:
        if isinstance(one, Problem):
            rows.append(f"{one.path}:{one.place.line}: {one.message}")
            continue
        assert isinstance(one, Marked)
        try:
            tokens = one.macros.expand(tokenise(one.source))
            says = "".join(token.text for token in tokens if token.kind != "space")
        except TexError as error:
            says = str(error)
        rows.append(f"{one.path}:{one.line}: {says}")
    return rows + [f"{p.path}:{p.place.line}: {p.message}" for p in found.problems]


# --- where files are found --------------------------------------------------------------------
@pytest.mark.parametrize(
    ("command", "path"),
    [
        (r"\input{sec}", "sec.tex"),
        (r"\input sec", "sec.tex"),
        ("\\input sec.tex\n", "sec.tex"),
        ('\\input{"sec"}', "sec.tex"),
        (r"\input{sec.v2}", "sec.v2.tex"),
        (r"\input{parts/sec}", "parts/sec.tex"),
        (r"\subfile{parts/sec}", "parts/sec.tex"),
        (r"\import{parts/}{sec}", "parts/sec.tex"),
        (r"\InputIfFileExists{sec}{}{}", "sec.tex"),
        (r"\let\oldinput\input \oldinput{sec}", "sec.tex"),
    ],
)
def test_a_file_is_read_in_place(command: str, path: str) -> None:
    files = {"main.tex": r"\def\a{1}" + f"{command}\n{EQ}", path: "\n" + EQ + r"\def\a{2}"}
    line = 3 + command.count("\n")
    assert set(checked(files)) == {f"{path}:3: x=1", f"main.tex:{line}: x=2"}


def test_definitions_of_packages_and_classes_beside_the_paper() -> None:
    files = {
        "main.tex": "\\documentclass[a4]{mine}\n\\usepackage{amsmath, my,else}\n" + EQ,
        "mine.cls": r"\LoadClass{article}\newcommand{\a}{\b}",
        "my.sty": r"\RequirePackage[x]{other}$$\[ \begin{align}",
        "other.sty": r"\newcommand{\b}{1}",
    }
    assert checked(files) == ["main.tex:4: x=1"]


def test_a_directive_goes_on_into_the_file_that_is_input() -> None:
    files = {"main.tex": MARK + "\\input{eq}\n\\[ y \\]", "eq.tex": "text\n\n\\[ z \\]\n\\[ w \\]"}
    assert checked(files) == ["eq.tex:3: z"]
    files = {"main.tex": "\\input{eq}\n\\[ y \\]", "eq.tex": MARK}
    assert checked(files) == ["main.tex:2: y"]
    files = {"main.tex": MARK + "text\n" * 6 + "\\input{eq}\n\\[ y \\]", "eq.tex": "text\n" * 6}
    (row,) = checked(files)
    assert row.startswith("main.tex:1: ") and "10 lines" in row


# --- parts of a document ----------------------------------------------------------------------
PART = "\\documentclass[../main.tex]{subfiles}\n\\def\\a{7}\n\\begin{document}\n"


def test_a_subfile_uses_the_preamble_of_its_document() -> None:
    files = {
        "main.tex": "\\documentclass{article}\\def\\a{1}\n\\begin{document}\n"
        + r"\subfile{s/one}\def\a{5}"
        + f"\n{EQ}\\end{{document}}",
        "s/one.tex": PART + EQ + "\\end{document}\n",
    }
    assert checked(files) == ["s/one.tex:5: x=1", "main.tex:5: x=5"]
    assert checked(files, "s/one.tex") == ["s/one.tex:5: x=7"]


def test_roots() -> None:
    assert is_root("\\documentclass{article}")
    assert not is_root("% \\documentclass{article}")
    assert not is_root("\\documentclass[../main]{subfiles}")
    assert may_input(rb"\input{a}") and may_input(rb"\subfile{a}") and may_input(rb"\import{a}{b}")
    assert not may_input(rb"\includegraphics{a} $x$")


# --- where a document ends ------------------------------------------------------------------
def test_what_stands_after_the_end() -> None:
    text = f"\\begin{{document}}\n{EQ}\\end{{document}}\n{EQ}\n"
    (one, row) = checked({"main.tex": text})
    assert one == r"main.tex:3: x=\a"
    assert row == r"main.tex:5: the directive stands after \end{document}"
    files = {"main.tex": "\\input{a}\n" + EQ, "a.tex": "\\endinput\n" + EQ}
    assert checked(files) == [r"a.tex:2: the directive stands after \endinput", r"main.tex:3: x=\a"]
    files = {"main.tex": "\\input{a}\n" + EQ, "a.tex": "\\end{document}\n"}
    assert checked(files) == [r"main.tex:2: the directive stands after \end{document}"]
    assert checked({"main.tex": EQ + "\\end{document} notes"}) == [r"main.tex:2: x=\a"]


# --- files that cannot be followed ------------------------------------------------------------
@pytest.mark.parametrize(
    ("command", "says"),
    [
        (r"\input{none}", "the file none does not exist"),
        (r"\input{/etc/passwd}", "the absolute path /etc/passwd is not followed"),
        (r"\input{|ls}", "is not a file name"),
        (r"\input{\x}", "is not known"),
        (r"\input \x", "which file \\input means here is not known"),
        (r"\input{main}", "the file inputs itself: main.tex -> main.tex"),
        (r"\input{bad}", "bad.tex cannot be read"),
        (r"\begin{equation} \input{sec} \end{equation}", "inside a display"),
    ],
)
def test_a_file_that_cannot_be_followed_is_a_problem(command: str, says: str) -> None:
    def text(path: str) -> str | None:
        if path == "bad.tex":
            raise DocumentError("bad.tex cannot be read")
        return {"loop.tex": r"\input{main}", "sec.tex": EQ, "main.tex": ""}.get(path)

    found = read_document("main.tex", f"\n{command}\n" + EQ, "tex", text)
    (problem,) = found.problems
    assert says in problem.message and "\n" not in problem.message
    assert problem.place.line == (2 if problem.path == "main.tex" else 1)
    assert sum(isinstance(one, Marked) for one in found.items) == 1


@pytest.mark.parametrize(
    "command",
    [
        r"\usepackage{none}",
        r"\usepackage\x",
        r"\string\input\x",
        r"\InputIfFileExists{none}{}{}",
        r"\input{glyphtounicode}",
        r"\input{t1ptm.fd}",
        r"\newcommand{\go}[1]{\input{#1}}",
        r"\verb|\input{none}|",
        r"% \input{none}",
        r"\iffalse\input{none}\fi",
    ],
)
def test_what_need_not_be_there(command: str) -> None:
    assert checked({"main.tex": command + "\n" + EQ}) == [r"main.tex:3: x=\a"]


def test_limits() -> None:
    files = {"main.tex": r"\input{a0}" + EQ}
    files |= {f"a{k}.tex": rf"\input{{a{k + 1}}}" * 2 for k in range(60)}
    rows = checked(files)
    assert rows[0] == r"main.tex:2: x=\a"
    assert any("input one another" in row for row in rows)
    files = {"main.tex": r"\input{a}" * (MAX_FILES + 9) + "\n" + EQ, "a.tex": ""}
    assert any(f"more than {MAX_FILES} files" in row for row in checked(files))
    files = {"main.tex": r"\input{a}" * 20 + "\n" + EQ, "a.tex": " " * 5_000_000}
    assert any("characters" in row for row in checked(files))


def test_without_a_reader_no_file_is_followed() -> None:
    found = read_document("main.tex", r"\input{none}" + "\n" + EQ, "tex")
    assert len(found.items) == 1 and not found.problems

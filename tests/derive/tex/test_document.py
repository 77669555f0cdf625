r"""Directives and the displays under them, in LaTeX, Markdown and notebooks."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from dataclasses import replace

import pytest
from cltheory.derive.results import results
from cltheory.derive.tex.check import check_equation
from cltheory.derive.tex.directives import Directive, DirectiveError, directive
from cltheory.derive.tex.judge.lookup import BadTarget
from cltheory.derive.tex.text.commands import DISPLAYS, VERBATIM
from cltheory.derive.tex.text.document import (
    DocumentError,
    Kind,
    Marked,
    Problem,
    decode,
    find,
    read_document,
)

MARK = "% cltheory: a.x\n"
HTML = "<!-- cltheory: a.x -->\n"


def marked(text: str, kind: Kind = "tex") -> list[Marked]:
    found = find(text, kind)
    assert not [item for item in found if isinstance(item, Problem)], found
    return [item for item in found if isinstance(item, Marked)]


def sources(text: str, kind: Kind = "tex") -> list[str]:
    return [item.source for item in marked(text, kind)]


def problems(text: str, kind: Kind = "tex") -> list[tuple[int, str]]:
    return [(p.place.line, p.message) for p in find(text, kind) if isinstance(p, Problem)]


# --- letters of a file ----------------------------------------------------------------------
def letters(text: str, kind: Kind = "tex") -> list[dict[str, str]]:
    return [dict(item.directive.letters) for item in marked(text, kind)]


def test_letters_are_said_once_from_there_to_the_end_of_the_file() -> None:
    text = f"{MARK}$$a$$\n% cltheory: [T -> tau,\n%  k -> m - 1]  % ours\n{MARK}$$b$$\n"
    text += f"% cltheory: [T -> t]\n{MARK}$$c$$"
    assert letters(text) == [{}, {"T": "tau", "k": "m - 1"}, {"T": "t", "k": "m - 1"}]
    assert letters(f"<!-- cltheory: [T -> tau] -->\n{HTML}$$a$$", "md") == [{"T": "tau"}]
    inside = f"{MARK}\\begin{{align}} a \\\\\n% cltheory: [T -> tau]\n{MARK}b\\end{{align}}"
    assert sources(inside)[-1] == "b" and letters(inside)[-1] == {"T": "tau"}


def test_letters_of_the_main_file_are_those_of_its_parts() -> None:
    parts = {"a.tex": f"% cltheory: [T -> t]\n{MARK}$$a$$", "b.tex": f"{MARK}$$b$$"}
    main = "\\documentclass{article}\n% cltheory: [T -> tau]\n\\begin{document}\n"
    main += "\\input{a}\n\\input{b}\n\\end{document}"
    found = read_document("main.tex", main, "tex", parts.get).items
    said = [dict(item.directive.letters) for item in found if isinstance(item, Marked)]
    assert said == [{"T": "t"}, {"T": "tau"}]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("[T -> tau] more", "unexpected 'more' after the letters of a file"),
        (r"[\equiv -> =]", "a sign is declared for one equation"),
        ("[T tau]", "LATEX -> EXPRESSION"),
        ("[T -> tau", "is not closed"),
    ],
)
def test_letters_that_cannot_be_read_are_named(said: str, why: str) -> None:
    ((line, message),) = problems(f"\n% cltheory: {said}\n")
    assert line == 2 and why in message


def test_a_letter_of_the_file_that_the_result_has_itself_is_not_passed_over() -> None:
    text = rf"\alpha_{{\min}} = {results['supcl-threshold'].latex('alpha_min')}"
    said = replace(directive("supcl-threshold.alpha_min"), letters={"n": "k", "C": "q"})
    with pytest.raises(BadTarget, match=r"but no k: write \[n -> n\] in this directive"):
        check_equation(text, said)
    assert check_equation(text, replace(said, names={"n": "n"})).ok


@pytest.mark.parametrize("where", ["names", "letters"])
@pytest.mark.parametrize("meaning", [{r"\tau": "2*tau"}, {"m": "n", "n": "m"}, {"m": "2*m"}])
def test_a_letter_of_the_result_with_another_meaning_has_it(
    where: str, meaning: dict[str, str]
) -> None:
    """Also where the formula stands as the result writes it, which then says something else."""
    e = r"e^{m/((m-1)\tau)}"
    said = replace(directive("supcl-threshold.alpha_min"), **{where: meaning})
    right = rf"\alpha_{{\min}} = \frac{{mn - 1 + {e}}}{{n (m - 1 + {e})}}"
    own = rf"\alpha_{{\min}} = {results['supcl-threshold'].latex('alpha_min')}"
    for text in (right, own):
        assert check_equation(text, directive("supcl-threshold.alpha_min")).ok
        assert check_equation(text, said).verdict == "differs"


@pytest.mark.parametrize("meaning", ["2*tua", "2**", "1/0"])
def test_a_letter_of_the_result_never_keeps_its_meaning_in_silence(meaning: str) -> None:
    said = replace(directive("supcl-threshold.alpha_min_tau_0"), letters={r"\tau": meaning})
    with pytest.raises(BadTarget, match=r"\\tau -> "):
        check_equation("1/n", said)


def test_letters_of_a_file_mean_what_they_say_or_nothing() -> None:
    """What a result has no symbol for is passed over; the directive of an equation has the word."""
    said = directive("supcl-threshold.alpha_min_tau_0 [k -> n]")
    ours = replace(said, letters={"k": "m", "q": "quux"})
    assert check_equation("1/k", ours).ok
    assert not check_equation("1/k", replace(said, names={}, letters={"k": "m"})).ok
    assert check_equation("1/k", replace(said, names={}, letters={"k": "n"})).ok
    assert check_equation("1/q", ours).position >= 0 and not check_equation("1/q", ours).ok


# --- what a directive says ----------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (r"a.x [\tau -> tau, N^- -> n-2]", Directive("a", ("x",), {r"\tau": "tau", "N^-": "n-2"})),
        ("a.x allow-sampled (m = 1)", Directive("a", ("x",), {}, {"m": "1"}, True)),
        (r"a.x [\{x -> y]", Directive("a", ("x",), {r"\{x": "y"})),
    ],
)
def test_a_directive(text: str, meant: Directive) -> None:
    assert directive(text) == meant


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("alpha_min", "RESULT.QUANTITY"),
        ("a.x-y", "RESULT.QUANTITY"),
        ("a.x, b.y", "belong to one result"),
        ("a.x allow-sampling", "unexpected 'allow-sampling'"),
        ("a.x [m -> (n]", "unbalanced"),
        ("a.x [m n]", "'m n' is not of the form [LATEX -> EXPRESSION"),
        ("a.x [m -> n, m -> 2]", "'m' is given twice"),
    ],
)
def test_a_bad_directive_is_refused_in_one_line(text: str, says: str) -> None:
    with pytest.raises(DirectiveError) as refusal:
        directive(text)
    message = str(refusal.value)
    assert says in message
    assert "\n" not in message
    assert len(message) < 400


# --- LaTeX --------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", sorted(DISPLAYS))
def test_every_display_environment(name: str) -> None:
    argument = "{2}" if name.startswith("alignat") else "{rCl}" if "IEEE" in name else ""
    text = rf"{MARK}\begin{{{name}}}{argument} x &= 1 \end{{{name}}}"
    assert sources(text) == ["x &= 1"]


@pytest.mark.parametrize(
    ("text", "source"),
    [
        (r"\[ x = 1 \]", "x = 1"),
        ("\\begin\n  {equation} x = 1 \\end {equation}", "x = 1"),
        (r"\begin{equation} x \text{ if $y$} \end{equation}", r"x \text{ if $y$}"),
        ("\\begin{equation} x % = 2 \\end{equation}\n = 1 \\end{equation}", "x" + " " * 24 + "= 1"),
        (r"\verb|$$| \verb*+\[+ \lstinline[a]!$$! \mintinline{c}{$$} $$x$$", "x"),
    ],
)
def test_the_display_under_a_directive(text: str, source: str | None) -> None:
    if source is None:
        (problem,) = problems(MARK + text)
        assert "10 lines" in problem[1]
        return
    (found,) = marked(MARK + text)
    assert found.source.replace("\n", " ").split() == source.replace("\n", " ").split()
    assert found.whole
    assert found.directive == Directive("a", ("x",))


def test_places_are_those_of_the_file() -> None:
    text = "\ntext\n  % cltheory: a.x\n\\begin{equation}\n  \\label{e}\n  x\n\\end{equation}\n"
    (found,) = marked(text)
    assert (found.line, found.column) == (5, 3)
    assert (found.directive_place.line, found.directive_place.column) == (3, 3)
    assert text[found.offset :].startswith(found.source)
    at = found.where(found.source.index("x"))
    assert (at.line, at.column, str(at)) == (6, 3, "6:3")
    assert found.where(10**9).line == 6
    assert found.where(-1) == found.place


def test_rows() -> None:
    text = r"""
% cltheory: a.all
\begin{align}
  % cltheory: a.one
  x &= \substack{1 \\ 2} \\
  y &= 2 \label{y} \\[2pt]   % a comment
  % cltheory: a.two [u -> v,
  %   w -> v]
  z &= \begin{cases} 1 \\ 2 \end{cases} \nonumber \\*
  % cltheory: a.three

\end{align}
""".replace("\n\n", "\n")
    found = find(text, "tex")
    assert [str(m.directive.title) for m in found if isinstance(m, Marked)] == [
        "a.all",
        "a.one",
        "a.two",
    ]
    every, one, two, three = found
    assert isinstance(every, Marked) and isinstance(one, Marked) and isinstance(two, Marked)
    assert every.whole and not one.whole
    assert every.source.startswith("x &= ") or "x &= " in every.source
    assert "cltheory" not in every.source
    assert one.source == r"x &= \substack{1 \\ 2}"
    assert two.source == r"z &= \begin{cases} 1 \\ 2 \end{cases} \nonumber"
    assert two.directive.names == {"u": "v", "w": "v"}
    assert isinstance(three, Problem) and "empty" in three.message


@pytest.mark.parametrize(
    "after, taken",
    [
        (r"& + 1", True),
        (r"\quad &{}- 1", True),
        (r"&= 2", True),
        (r"&\text{for all } N \ge 2", True),
        (r"\left. + 1 \right)", True),
        (r"+ 1 &= c", True),
        (r"\sum_{i=1}^N c", True),
        (r"c, \quad m = 2", True),
        (r"b &= c", False),
        (r"\intertext{and} b &= c", False),
        ("", False),
    ],
)
@pytest.mark.parametrize("name", ["align", "split", "multline", "eqnarray*"])
def test_rows_that_go_on_are_read_with_the_marked_one(name: str, after: str, taken: bool) -> None:
    row = "\n% cltheory: a.x\na &= b \\\\\n"
    inside = rf"\begin{{{name}}}{row}{after} \\ z = w \end{{{name}}}"
    text = rf"\begin{{equation}}{inside}\end{{equation}}" if name == "split" else inside
    (found,) = sources(text)
    assert found == (r"a &= b \\" + "\n" + after if taken else "a &= b")


def test_a_row_goes_on_after_an_operator_at_its_end() -> None:
    (found,) = sources("\\[\\begin{split}% cltheory: a.x\na &= b + \\\\ c \\end{split}\\]")
    assert found == r"a &= b + \\ c"


def test_rows_of_an_inner_environment() -> None:
    text = r"""\begin{equation} \left\{ \begin{aligned}[t]
    % cltheory: a.x
    x &= 1 \\
    y &= 2 \\
    % cltheory: a.y
    z &= 3
  \end{aligned}, \end{equation}"""
    assert sources(text) == ["x &= 1", "z &= 3"]
    for beside in (text.replace("},", "} + 1"), text.replace("{equation} ", "{equation} 17 ")):
        assert len(problems(beside)) == 2


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (MARK + r"\begin{equation} x" + "\n\n" + r"\end{equation}", 1, "a blank line"),
        (MARK + r"\begin{equation} x \begin{align} y \end{align}", 1, "another display"),
        ("\\begin{align}\n x &= % cltheory: a.x\n 1 \\end{align}", 2, "middle of a row"),
        ("\\begin{align}\n% cltheory: a.x\n 1 \n\n\\end{align}", 2, "not closed"),
        ("\\newcommand{\\x}{\n% cltheory: a.x\n}", 2, "inside a definition"),
        ("\\begin{align}\n% cltheory: a.x\n" + MARK + "y \\end{align}", 2, "no row between"),
        ("% cltheory: " + "x" * 10**6 + "\n$$x$$", 1, "characters"),
        (MARK + "$$x", 1, "the text ends"),
        (MARK + r"\begin{align} x \end{document}", 1, "the document ends"),
        ("\\begin{verbatim}\n" + MARK + "$$x$$", 1, "directives stand after it"),
        ("\\ifcase1 x\n" + MARK + r"\or $$x$$ \fi", 2, "a conditional stands between"),
    ],
)
def test_a_directive_that_marks_nothing_is_an_error(text: str, line: int, says: str) -> None:
    found = problems(text)
    assert found, text[:100]
    assert found[0][0] == line
    assert says in found[0][1]
    assert "\n" not in found[0][1]


@pytest.mark.parametrize(
    "text",
    [
        r"50\% cltheory: a.x $$x$$",
        "% see cltheory: a.x",
        "% cltheory: a.x".replace("%", r"\%"),
        *(f"\\begin{{{name}}}\n{MARK}$$x$$\n\\end{{{name}}}" for name in sorted(VERBATIM)),
        r"\verb|% cltheory: a.x|",
        r"\verb[x]!!% cltheory: a.x [",
        r"\DeclarePairedDelimiter{\a}{(",
        r"\begin{verbatim} x",
        "",
    ],
)
def test_what_is_no_directive(text: str) -> None:
    assert find(text, "tex") == []


# --- Markdown -----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("```math\nx = 1\n```", "x = 1"),
        ("$$\n\\begin{align}\nx &= 1\n\\end{align}\n$$", "x &= 1"),
        ("$$ a + \\begin{align} x \\end{align} $$", "a + \\begin{align} x \\end{align}"),
        ("$$ a <!-- b --> c $$", "a" + " " * 12 + "c"),
        ("$$ a % b\n+ c $$", "a + c"),
        ("`$$` and ``a`$$`` $$x$$", "x"),
        ("<!-- a comment\n$$y$$\n-->\n$$x$$", "x"),
    ],
)
def test_the_display_under_a_directive_in_markdown(text: str, source: str | None) -> None:
    mark = "> " + HTML if text[0] == ">" else HTML
    if source is None:
        assert problems(mark + "\n" + text, "md") or not sources(mark + "\n" + text, "md") == ["y"]
        return
    (found,) = marked(mark + text, "md")
    assert found.source.split() == source.split()


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (HTML, 1, "no display follows"),
        (HTML + "```math\n" + "\\begin{a}\n% cltheory: a.x\n" * 99 + "```", 1, "more than 60"),
        (HTML + "$$ x\n```math\ny\n```", 1, "a blank line"),
        ("\n<!-- cltheory: a.x", 2, "not closed by -->"),
        ("\n<!-- cltheroy; ssem.same_class -->\n$$x$$", 2, "write it 'cltheory: ssem.QUANTITY'"),
    ],
)
def test_a_directive_that_marks_nothing_in_markdown(text: str, line: int, says: str) -> None:
    found = problems(text, "md")
    assert found[0][0] == line
    assert says in found[0][1]


# --- notebooks ----------------------------------------------------------------------------------
def notebook(*cells: tuple[str, object], indent: int | None = 1) -> str:
    rows = [{"cell_type": kind, "metadata": {}, "source": source} for kind, source in cells]
    return json.dumps({"cells": rows, "metadata": {}, "nbformat": 4}, indent=indent)


def test_a_notebook() -> None:
    text = notebook(
        ("code", ["# <!-- cltheory: a.no -->\n", "$$x$$"]),
        (
            "markdown",
            ["A “quoted” line\n", "<!-- cltheory: a.x -->\n", "$$\n", "\\alpha \\\\\n", "$$"],
        ),
        ("raw", HTML + "$$x$$"),
        ("markdown", HTML + "$$y$$"),
        ("markdown", ["<!-- cltheory: a.z -->"]),
    )
    first, second, third = find(text, "ipynb")
    assert isinstance(first, Marked) and isinstance(second, Marked) and isinstance(third, Problem)
    assert first.source == r"\alpha \\"
    place = first.place
    assert (place.cell, place.cell_line, place.column) == (2, 4, 0)
    assert r"\\alpha" in text.split("\n")[place.line - 1]
    assert str(place) == f"{place.line}: cell 2, line 4"
    assert (second.place.cell, second.place.cell_line) == (4, 2)
    assert '"<!-- cltheory: a.x -->\\n$$y$$"' in text.split("\n")[second.line - 1]
    assert third.place.cell == 5
    assert "a.z" in text.split("\n")[third.place.line - 1]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('["cltheory"]', "no list of cells"),
        ('{"cells": "cltheory"}', "no list of cells"),
        ('{"cells": [{"cell_type": "markdown", "source": [1, "cltheory"]}]}', "is not a string"),
        ('{"cltheory":' * 100_000, "too deeply"),
        ('"cltheory" ' + "1" * 100_000, "not JSON"),
    ],
)
def test_a_bad_notebook(text: str, says: str) -> None:
    (problem,) = find(text, "ipynb")
    assert isinstance(problem, Problem)
    assert says in problem.message
    assert "\n" not in problem.message


def test_huge_numbers_and_odd_cells_of_a_notebook_do_no_harm() -> None:
    text = (
        '{"a": '
        + "9" * 100_000
        + ', "b": NaN, "cells": [3, null, '
        + notebook(("markdown", HTML + "$$x$$")).split("[", 1)[1]
    )
    assert sources(text, "ipynb") == ["x"]


# --- encodings ------------------------------------------------------------------------------
def test_decoding() -> None:
    assert decode("é\r\na\rb\n".encode()) == "é\na\nb\n"
    assert decode(b"\xef\xbb\xbfx") == "x"
    assert decode(b"") == ""


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ("a\né".encode("latin-1"), "line 2 is not UTF-8 (byte 2)"),
        ("x".encode("utf-16"), "UTF-16"),
    ],
)
def test_what_cannot_be_decoded(data: bytes, says: str) -> None:
    with pytest.raises(DocumentError) as refusal:
        decode(data)
    assert says in str(refusal.value)
    assert "\n" not in str(refusal.value)


# --- hostile texts ----------------------------------------------------------------------------
BIG = 300_000
PIECES = [
    "\\begin{equation}", "\\begin{align}\n% cltheory: a.x\n", "\\end{align}", "\\[", "\\]", "$$",
    "$", "{", "}", "\\\\", "% cltheory: a.x [", "% cltheory: a.x\n", "\n", "\n\n", "`", "``",
    "```math\n", "```\n", "~~~~\n", "<!--", "-->", "<!-- cltheory: a.x -->", "\\newcommand{\\a}{",
    "\\newcommand{", "\\def\\a", "\\newenvironment{a}{", "\\verb|", "\\begin{verbatim}",
    "\\end{verbatim}", "\\label{", "\\begin", "\\begin    ", "[", "(", "%", "% ", "    ", "\t",
    ">", "> ", "- ", "\\", "x", "\\\\[", "cltheory", "\\begin{cases}", "\\end{cases}", "&",
    "\\lstinline", "\\mintinline{", "\0", "\ud800", "é", "\\%",
    r"\def\a{", r"\newcommand{\a}{", r"{\def\a{1}", r"\begingroup", r"\endgroup", r"\gdef\a{1}",
    r"{\gdef\a{1}}", r"\let\a\b", r"\csdef{a}{1}", r"\expandafter\def\csname a", r"\csname",
    r"\iftoggle{x}{", r"\iftoggle{x}{a}{b}", r"\ifx", r"\fi", r"\iffalse", r"\foreach \x in {",
    r"\newcommand{\a}[1]{\def#1{}}\a{", r"\def\a#1{\def#1{}}\a\b", r"\begin{a}", r"\end{a}",
    r"\def\a{\b}\def\b{\a}\a", r"\def\a{\a\a}\a", r"\def\a#1{\a{#1}\def\x{}}\a{b}",
    r"\ExplSyntaxOn",
    r"\newenvironment{a}{\begin{a}}{}\begin{a}", r"\input{a}", r"\catcode`\x=13", r"\@for\x:=",
    r"\(x=1", r"\)", "$x=1$ ", r"\expandafter\def\csname a#1\endcsname{}", r"\global", r"\long",
    r"\NewDocumentCommand{\a}{m}{", r"\patchcmd{\a}{", r"\def\a#1{#1}\a{\a{", "<pre>", "<code>",
    r"\newcommand{\a}[1]{}\a{", r"\def\a{\def\b{1}}\a", "%\n", r"\def\a###", r"\\[", r"\ddefloop",
    r"\def\a#1{\ifx#1\a\else\csdef{#1}{}\expandafter\a\fi}\a x", "\\include{", "\\global ",
]  # fmt: skip


@pytest.mark.sample(12)
@pytest.mark.parametrize("kind", ["tex", "md"])
@pytest.mark.parametrize("piece", PIECES)
def test_long_runs_end(piece: str, kind: Kind) -> None:
    """Quadratic work on a run of this length would take minutes."""
    mark = MARK if kind == "tex" else HTML
    found = find(mark + piece * (BIG // len(piece)) + "\n\n" + mark + "$$x$$", kind)
    assert found


@pytest.mark.parametrize("kind", ["tex", "md", "ipynb"])
def test_any_sequence_of_pieces_is_read(kind: Kind) -> None:
    chosen = random.Random(7)
    for _ in range(300):
        text = "".join(chosen.choices(PIECES, k=chosen.randrange(60)))
        whole = notebook(("markdown", text)) if kind == "ipynb" else text
        for item in find(whole, kind):
            assert item.place.line >= 1 if isinstance(item, Problem) else item.source.strip()
            if isinstance(item, Marked):
                assert not re.search(r"(?<!\\)% ?cltheory:", item.source) or kind == "tex"
                body = text.replace("\r", "\n")
                assert len(body[item.offset :]) >= len(item.source)
                kept = [c for c in zip(item.source, body[item.offset :]) if c[0] != " "]  # noqa: B905
                assert all(a == b for a, b in kept)


def test_finding_imports_no_sympy() -> None:
    code = (
        "import sys; from cltheory.derive.tex.text.document import find;"
        "assert len(find('% cltheory: a.x\\n$$x$$', 'tex')) == 1;"
        "print('sympy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]


# --- conditionals ---------------------------------------------------------------------------
SAID = "% cltheory: ssem.same_class\n"


@pytest.mark.parametrize(
    "text, source",
    [
        (r"\ifdraft" + "\n" + SAID + r"\[ a \] \else \[ b \] \fi", "a"),
        (r"\newif\ifdraft" + "\n" + SAID + r"\[ a \iff b \]", r"a \iff b"),
        (r"\ifdraft x \fi" + "\n" + SAID + r"\[ a \]", "a"),
        (SAID + r"\begin{empheq}[left=-]{align} a \end{empheq} \[ b \]", None),
        (r"\[x \\ \intertext{and $y$ \ref{a}}" + SAID + r"a \]", "a"),
    ],
)
def test_what_may_not_print_is_not_checked(text, source) -> None:
    if source is None:
        assert len(problems(text)) == 1 and not find(text, "tex")[1:]
    else:
        assert sources(text) == ([source] if source else [])


def test_an_open_iffalse_is_an_error() -> None:
    ((_, message),) = problems(r"\iffalse" + "\n" + SAID + r"\[ a \]")
    assert "no \\fi" in message

r"""What may have changed a name, or hidden an equation, in ways that are easily overlooked."""

from __future__ import annotations

import pytest
from cltheory.derive.language.statement import TexError
from cltheory.derive.language.tokens import tokenise
from cltheory.derive.tex.text.document import Kind, Marked, Problem, find, read_document
from cltheory.derive.tex.text.near_miss import near_miss

MARK = "\n% cltheory: ssem.delta_zero\n"
EQ = MARK + r"\begin{equation} \a \end{equation}" + "\n"
HTML = "<!-- cltheory: ssem.delta_zero -->"


def says(text: str, kind: Kind = "tex") -> list[str]:
    """What every marked equation prints; '?' if that is not known, '!' if it marks nothing."""
    found: list[str] = []
    for one in find(text, kind):
        if isinstance(one, Problem):
            found.append("!")
            continue
        try:
            tokens = one.macros.expand(tokenise(one.source))
            found.append("".join(token.text for token in tokens if token.kind != "space"))
        except TexError:
            found.append("?")
    return found


@pytest.mark.parametrize(
    "text",
    [
        # commands that take their argument from after the call
        r"\newcommand{\b}{\expandafter\def\expandafter\a}\b{2}",
        # definitions in definitions
        r"\def\b{\def\c{\gdef\a{2}}}\b\c",
        r"\ifx xy\newcommand{\b}{\gdef\a{2}}\fi\b",
        r"\newcommandx{\b}[2][1=x,2=y]{\gdef\a{2}}\b",
        # calls by a computed name
        r"\newcommand{\b}{\gdef\a{2}}\csname b\endcsname",
        # environments
        r"\newenvironment{b}{}{\gdef\a{2}}\begin{b}\end{b}",
        r"\newcommand{\b}{\gdef\a{2}}\begin{b}\end{b}",
        r"\NewDocumentEnvironment{b}{m}{\gdef\a{#1}}{}\begin{b}{2}\end{b}",
        r"\newtcolorbox[auto counter]{b}[1]{code={\gdef\a{2}}}\begin{b}{}\end{b}",
        # code that is added to what is there, and run later
        r"\newenvironment{b}{}{}\appto\b{\gdef\a{2}}\begin{b}\end{b}",
        r"\apptocmd{\maketitle}{\gdef\a{2}}{}{}\maketitle",
        r"\g@addto@macro\document{\def\a{2}}\begin{document}",
        r"\afterassignment\b\newcommand{\b}{\def\a{2}}",
        # code that runs by itself
        r"\AddToHook{cmd/a/before}{2}",
        "\\def\\par{\\gdef\\a{2}}\n\n",
        # everything, or characters
        r"{\globaldefs=1 \def\a{2}}",
        r"\^^64ef\a{2}",
        r"\def\^^61{2}",
        r"\useshorthands{x}\defineshorthand{x}{2}",
        r"\let\b\else \iffalse\b\def\a{2}\fi",
        r"\newcommand\ifone[2]{#1}\iffalse \ifone{}{} \fi \def\a{2}\iffalse\fi\fi",
        r"\newif\ifmine\def\a{2}\ifmine{x}{y}\def\a{1}\fi",
        # results that are left in a macro
        r"\pgfmathsetmacro{\a}{2}",
        # definitions that are not run, or end at once
        r"\toks0={\gdef\a{1}}\def\a{2}\toks0={\gdef\a{1}}",
        r"\newcommand\bg{\begingroup}\newcommand\eg{\endgroup}\def\a{2}\bg\def\a{1}\eg",
        r"\newenvironment{b}{\comment}{\endcomment}\def\a{2}\begin{b}\gdef\a{1}\end{b}",
        # text that seems hidden
        r"\newenvironment{comment}{}{}\begin{comment}\gdef\a{2}\end{comment}",
        "\\includecomment{comment}\\begin{comment}\n\\gdef\\a{2}\n\\end{comment}",
    ],
)
def test_a_name_that_may_have_changed(text: str) -> None:
    # What TeX prints is 2, or depends on more than is read; it is never 1.
    assert set(says(r"\newcommand{\a}{1}" + text + EQ)) <= {"2", "?", "!"}


@pytest.mark.parametrize(
    "text",
    [
        r"\newcommand{\nc}{\newcommand}\nc{\R}{\mathbb{R}}",
        r"\newcommand{\b}{{\aftergroup\ignorespaces}}\b",
        r"\ifdraft\newcommand{\note}[1]{\textbf{#1}}\else\newcommand{\note}[1]{}\fi\note{x}",
        r"\begin{tikzpicture}\pgfmathsetmacro\x{2}\def\y{3}\end{tikzpicture}",
        r"\begin{filecontents}{refs.bib}@book{a, title={\a}}\end{filecontents}",
        "\\iffalse % \\if\n\\fi",
        r"\newif\ifmine\iffalse \ifmine \fi \def\a{2}\fi",
        r"See \url{http://x.y/%20c}." + "\n" + r"\renewcommand{\a}{1}",
        r"\usepackage{comment}\begin{comment}\def\a{2}\fi\end{comment}",
    ],
)
def test_a_name_that_stays(text: str) -> None:
    assert says(r"\newcommand{\a}{1}" + text + EQ) == ["1"]


def test_another_name_of_a_defining_command() -> None:
    assert says(r"\newcommand{\nc}{\newcommand}\nc{\a}{1}" + EQ) == ["1"]
    assert says(r"\newcommand{\nc}{\renewcommand}\def\a{1}\nc{\a}{2}" + EQ) == ["2"]


@pytest.mark.parametrize(
    "makes",
    [
        r"\newenvironment{comment}{\color{red}}{}",
        r"\newtheorem{comment}{Comment}",
        r"\DefineVerbatimEnvironment{comment}{Verbatim}{}\renewenvironment{comment}{}{}",
        r"\let\comment\relax\let\endcomment\relax",
    ],
)
def test_an_environment_that_may_hide(makes: str) -> None:
    text = r"\def\a{1}" + makes + r"\begin{comment}" + EQ + r"\end{comment}" + EQ
    assert says(text) == ["!", "?"]


@pytest.mark.parametrize(
    "comment",
    [
        *("% clthoery: ssem.x", "% cltheroy: ssem.x", "% cl_theory: ssem.x", "% cl theory: ssem.x"),
        *("%! cltheory: ssem.x", "% TODO cltheory: ssem.x", "%- cltheory: not ssem.x"),
        *("%\u00a0cltheory: ssem.x", "%\u200bcltheory: ssem.x", "% cltheory\uff1a ssem.x"),
        *("% \u0441ltheory: ssem.x", "% CLTHEORY: ssem.x", "% cltheory ssem.x"),
        *("% a % cltheory: ssem.x", r"\% cltheory: ssem.x", r"\verb|%| %20 % cltheory: ssem.x"),
    ],
)
def test_comments_that_were_meant_as_directives(comment: str) -> None:
    assert says(r"\def\a{1}" + "\n" + comment + r"\begin{equation} \a \end{equation}") == ["!"]


@pytest.mark.parametrize(
    "comment",
    [
        "cltheory has ssem.x",
        "in theory: ssem.x",
        "clthoery: other.x",
        "",
    ],
)
def test_comments_that_were_not(comment: str) -> None:
    assert near_miss(comment) == ""


# --- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        r"\begin{filecontents*}{my.sty}\def\a{2}\end{filecontents*}\usepackage{my}",
        r"\begin{filecontents}[overwrite]{my.tex}\def\a{2}\end{filecontents}\input{my}",
        r"\makeatletter\def\input@path{{x/}{y/}}\usepackage{my}",
    ],
)
def test_files_that_are_written_or_searched_for(text: str) -> None:
    files = {"y/my.sty": r"\def\a{2}", "my.tex": ""}
    (one,) = read_document("main.tex", r"\def\a{1}" + text + EQ, "tex", files.get).items
    assert isinstance(one, Marked)
    assert one.meanings[r"\a"].problem


def test_an_input_of_what_is_not_known_is_an_error() -> None:
    text = r"\expandafter\input\csname name\endcsname"
    assert "is not known" in read_document("main.tex", text, "tex", {}.get).problems[0].message
    assert not read_document("main.tex", r"\texttt{\string\input}", "tex", {}.get).problems


def test_a_directive_in_a_package_is_an_error() -> None:
    files = {"my.sty": EQ}
    (one,) = read_document("main.tex", r"\usepackage{my}", "tex", files.get).items
    assert isinstance(one, Problem)
    assert one.path == "my.sty"


# --- Markdown and notebooks ----------------------------------------------------------------------
SHOWN = HTML + "\n$$x$$\n"
DEEP = "\n    " + SHOWN.replace("\n", "\n    ") + "\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("```{note}\n" + SHOWN + "```\n", ["x"]),
        ("````{note}\n```\n" + SHOWN + "```\n" + SHOWN + "````\n", ["x"]),
        ("```{code-cell}\n" + SHOWN + "```\n", []),
        ("!!! note\n" + DEEP, ["x"]),
        ("[^1]: abc\n" + DEEP, ["x"]),
        ("abc\n" + DEEP, []),
        ("<!--- cltheory: ssem.delta_zero --->\n$$x$$\n", ["x"]),
        ("<!-- old\n" + SHOWN + "-->\n", ["!"]),
        ("- a\n\n  ```\n  b\n\n  c\n  ```\n\n" + SHOWN, ["x"]),
        ("a\n\n    ```\n" + SHOWN + "\n    ```\n", ["x"]),
        ("```\na\n    ```\n" + SHOWN + "```\n", []),
    ],
)
def test_what_markdown_shows(text: str, found: list[str]) -> None:
    assert says(text, "md") == found


# --- the same file twice -------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("change", "formula"),
    [(r"\everydisplay{2}", "x"), (r"\renewcommand{\aligned}{2}", r"\begin{aligned}x\end{aligned}")],
)
def test_what_a_formula_depends_on(change: str, formula: str) -> None:
    text = "\\input{sec}" + change + "\\input{sec}"
    files = {"sec.tex": MARK + rf"\[ {formula} \]"}
    first, second = (one for one in read_document("main.tex", text, "tex", files.get).items)
    assert isinstance(first, Marked)
    assert isinstance(second, Marked)
    assert first.meanings != second.meanings


COLOURED = MARK + r"\begin{equation} \textcolor{red}{\a} τ \end{equation}" + "\n"


@pytest.mark.parametrize(
    "before",
    [
        r"\definecolor{red}{HTML}{FFFFFF}",
        r"\pagecolor{red}",
        r"\newunicodechar{τ}{\sigma}",
    ],
)
def test_a_colour_or_a_letter_that_is_given_a_meaning_is_not_read(before: str) -> None:
    assert says(rf"\def\a{{1}}{before}{COLOURED}") == ["?"]


@pytest.mark.parametrize(
    "before",
    [
        "",
        r"\definecolor{ink}{rgb}{0,0,1}",  # of which nothing is taken for visible
    ],
)
def test_other_colours_and_letters_do_not_matter(before: str) -> None:
    assert says(rf"\def\a{{1}}{before}{COLOURED}") == [r"\textcolor{red}{1}\tau"]

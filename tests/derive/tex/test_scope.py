r"""What a macro means at the place of an equation, and what may have changed it."""

from __future__ import annotations

import pickle

import pytest
from cltheory.derive.language.statement import TexError
from cltheory.derive.language.tokens import tokenise
from cltheory.derive.tex.text.document import Marked, find
from cltheory.derive.tex.text.macros import Macros

MARK = "\n% cltheory: a.x\n"
EQ = MARK + r"\[ x = \a \]" + "\n"


def expanded(text: str, kind: str = "tex") -> list[str]:
    """What every marked equation prints, or why that is not known."""
    found: list[str] = []
    for one in find(text, kind):  # type: ignore[arg-type]
        assert isinstance(one, Marked), one
        try:
            tokens = one.macros.expand(tokenise(one.source))
        except TexError as error:
            found.append("unread: " + str(error))
            continue
        found.append("".join(token.text for token in tokens if token.kind != "space"))
    return found


def meaning(text: str, name: str = r"\a") -> str:
    """What a name prints at the end of a text; '?' with the reason if that is not known."""
    (found,) = expanded(text + MARK + rf"\[ {name} \]")
    return found.replace("unread: ", "?")


# --- ways to define -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "call", "prints"),
    [
        (r"\newcommand{\a}[2][7]{#1#2}", r"\a{3}", "73"),
        (r"\newcommand{\a}[2][7]{#1#2}", r"\a[{]}]{3}", "{]}3"),
        (r"\let\a\sigma\renewcommand{\sigma}{\tau}", r"\a", r"\sigma"),
        (r"\DeclarePairedDelimiter{\a}{\lvert}{\rvert}", r"\a{x}", r"\lvertx\rvert"),
        (r"\DeclarePairedDelimiter{\a}{\lvert}{\rvert}", r"\a*{x}", r"\left\lvertx\right\rvert"),
        (r"\DeclarePairedDelimiter{\a}{(}{)}", r"\a[\big]{x}", "(x)"),
        (r"\DeclarePairedDelimiter{\a}{(}{)}", r"\a[2]{x}", "?the macro '\\a' with a size"),
        (r"\let\a\relax\newcommand{\a}[1]{#1}", r"\a{x}", "x"),
        (r"\newcommandx{\a}[2][1=7]{#1#2}", r"\a{3}", "?"),
        (r"\def\a(#1){#1}", r"\a(1)", "?"),
    ],
)
def test_macros_with_arguments(text: str, call: str, prints: str) -> None:
    assert meaning(text, call).startswith(prints)


@pytest.mark.parametrize(
    "text",
    [
        r"{\def\a{2}}",
        r"\newenvironment{e}{\def\a{2}}{}\begin{e} text \end{e}",
        r"\newcommand{\go}{\begin{center}\small}\go\def\a{2}\end{center}",
        r"$\def\a{2}$",
        r"\[ \def\a{2} \]",
        r"{\def\a{2}}\def\a{3}",
        r"\expandafter\def\csname a#1\endcsname{}\renewcommand{\a}{3}",
        MARK + r"\begin{align}\def\a{2} x &= \a \end{align}",
        MARK + r"\[ x = \a \def\a{2} \]",
    ],
)
def test_a_name_that_is_defined_in_a_group_is_not_read_any_more(text: str) -> None:
    assert expanded(r"\def\a{1}" + text + EQ)[-1].startswith("unread: the macro '\\a' may be")


def test_braces_that_seem_open_end_with_their_environment() -> None:
    text = "\\begin{center}{\\url{a%20c}}\n\\end{center}"
    assert meaning(text + r"\def\a{2}") == "2"


# --- names that LaTeX has ---------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "name", "prints"),
    [
        (r"\providecommand{\frac}{1}", r"\frac", "?the macro '\\frac' may be left as it was"),
        (r"\newcommand{\sigma}{\tau}", r"\sigma", "?the macro '\\sigma' is defined already"),
        (r"\newcommand{\a}{1}\newcommand{\a}{2}", r"\a", "?the macro '\\a' is defined already"),
        (r"\renewcommand{\epsilon}{\varepsilon}", r"\epsilon", r"\varepsilon"),
        (r"\renewenvironment{cases}{}{}", r"\begin{cases}1\end{cases}", "?the environment"),
    ],
)
def test_names_that_are_there_already(text: str, name: str, prints: str) -> None:
    assert meaning(text, name).startswith(prints)


# --- whatever else may touch a name -----------------------------------------------------------
TOUCHES = [
    r"\edef\sigma{x}",
    r"\expandafter\def\csname sigma\endcsname{x}",
    r"\expandafter\def\csname si\x\endcsname{x}",
    r"\makeatletter\@namedef{sigma}{x}",
    r"\cslet{sigma}{\tau}",
    r"\letcs{\sigma}{tau}",
    r"\scantokens{\def\sigma{x}}",
    r"\patchcmd{\sigma}{a}{b}{}{}",
    r"\futurelet\sigma\x\y",
    r"\DeclareMathSymbol{\sigma}{\mathord}{letters}{1C}",
    r"\newtheorem{sigma}{S}",
    r"\DeclareSomethingNew{\sigma}{x}",
    r"\safecommand{\sigma}{x}",
    r"\mycmd\sigma{x}",
    r"\mycs*\sigma{x}",
    r"\AtBeginDocument{\renewcommand{\sigma}{x}}",
    r"\ifdefined\x\else\def\sigma{x}\fi",
    r"\ifthenelse{\equal{a}{b}}{}{\renewcommand{\sigma}{x}}",
    r"\catcode`\|=13",
    r"\lccode`\~=`s \lowercase{\def~{x}}",
    r"\ExplSyntaxOn \cs_set:Npn \sigma {x} \ExplSyntaxOff",
    r"\newcommand{\go}{\def\sigma{x}}\go",
    r"\newcommand{\go}{\inner}\newcommand{\inner}{\renewcommand{\sigma}{x}}\go",
    r"\newcommand{\go}[1]{\def#1{x}}\go\sigma",
    r"\newcommand{\go}[1]{\expandafter\def\csname #1\endcsname{x}}\go{sigma}",
    r"\newcommand{\go}[1]{\let#1\tau}\newcommand{\twice}[2]{\go#1\go#2}\twice\sigma\rho",
    r"\let\mydef\def\mydef\sigma#1.{x}",
    r"\forcsvlist{\redo}{sigma,tau}\newcommand{\redo}[1]{\csdef{#1}{x}}\forcsvlist{\redo}{sigma}",
    r"\makeatletter\@for\x:=sigma,tau\do{\expandafter\def\csname\x\endcsname{x}}",
    r"\let\hole\read \hole\f to\x \x",
    r"\readarray*\data\sigma[-,3]",
    r"\def\go#1{\ifx\go#1\else\expandafter\def\csname#1igma\endcsname{}\expandafter\go\fi}"
    r"\go st\go",
    r"\newcommand{\go}{\go\go}\go \newcommand{\l}[1]{\def#1{}}\l\sigma",
]


@pytest.mark.parametrize("text", TOUCHES)
def test_a_name_that_may_have_been_touched_is_not_read(text: str) -> None:
    (found,) = expanded(text + MARK + r"\[ \sigma \]")
    assert found.startswith("unread: "), found
    assert "\n" not in found and "line 1" in found
    # Also where it is printed by a macro, and whatever the group was.
    (found,) = expanded(r"\def\a{\sigma}" + text + EQ)
    assert found.startswith("unread: "), found
    # What stands before it is not touched.
    (found,) = expanded(MARK + r"\[ \sigma \]" + text)
    assert found == r"\sigma"


@pytest.mark.parametrize(
    "text",
    [
        r"\expandafter\def\csname bb#1\endcsname{x}",
        r"\expandafter\def\csname foo\endcsname{x}",
        r"\ifx\a\b \fi\iftoggle{x}{a}{b}",
        r"\newcommand{\go}{\emph{a}}\go",
        r"\newpage\noindent\definecolor{sigma}{rgb}{0,0,0}",
        r"\newtheorem{lemma}{Lemma}\newcounter{c}\newlength{\len}\newif\ifa",
        r"\edef\x{\sigma}",
    ],
)
def test_what_touches_other_names_only(text: str) -> None:
    assert meaning(text, r"\sigma") == r"\sigma"


# --- what is not followed ---------------------------------------------------------------------
UNFOLLOWED = [
    r"\everymath{\neg}",
    r"\let\edp\everydisplay\edp{\neg}",
    r"\makeatletter\g@addto@macro\normalsize{\everydisplay{\neg}}\makeatother",
    r"\AddToHook{env/equation/end}{\infty}",
    r"\let\ea\expandafter\ea\let\ea\frac\ea\binom",
    r"\newcommand{\hide}{\iffalse\iftrue}\hide",
    r"\def\x{\tau}\expandafter\def\x{\sigma}",
    r"\newcommand{\go}{\expandafter}\def\x{\tau}\go\def\x{\sigma}",
    r"\newcommand{\load}[1]{\input{#1}}\load{other}",
    r"\iffalse \ifunknown \fi",
    r"\expandafter\def\csname\x\endcsname{}",
    r"\csname read\endcsname 1 to\x",
    r"\makeatletter\def\endmathdisplay@a{+1}",
    r"\DeclareUnicodeCharacter{03C4}{\sigma}",
    r"\begin{filecontents*}{a.tex}\end{filecontents*}",
    r"\begin{def}\tau{\sigma}",
]


@pytest.mark.parametrize("text", UNFOLLOWED)
def test_no_formula_is_read_after_what_is_not_followed(text: str) -> None:
    (before, after) = expanded(MARK + r"\[ x \]" + text + MARK + r"\[ x \]")
    assert before == "x"
    assert after.startswith("unread: what a formula prints may be changed by \\")
    assert after.endswith(" at line 3")
    # Comments and verbatim text do nothing.
    for shown in (f"% {text}\n", rf"\begin{{verbatim}}{text}\end{{verbatim}}", rf"\verb|{text}|"):
        assert expanded(shown + MARK + r"\[ x \]") == ["x"]


def test_many_touches_do_not_hide_an_earlier_one() -> None:
    many = "".join(rf"\expandafter\def\csname b{k}#1\endcsname{{}}" for k in range(300))
    text = r"\expandafter\def\csname sig#1\endcsname{}" + MARK + r"\[ \sigma \]" + many
    assert expanded(text)[0].startswith("unread: ")


# --- preambles ------------------------------------------------------------------------------
PREAMBLE = (
    r"""\documentclass[11pt]{article}
\usepackage[final]{neurips_2023}
\usepackage{amsmath,amssymb,amsthm,mathtools,bm,nicefrac,microtype,xcolor,graphicx}
\definecolor{mydarkblue}{rgb}{0,0.08,0.45}
\hypersetup{pdftitle={A}, citecolor=mydarkblue}
\newtheorem{theorem}{Theorem}[section]
\crefname{assumption}{Assumption}{Assumptions}
\DeclareMathOperator*{\argmax}{arg\,max}
\newcommand{\theHalgorithm}{\arabic{algorithm}}
\def\Secref#1{Section~\ref{#1}}
\def\1{\bm{1}}
\newcommand{\KL}{D_{\mathrm{KL}}}
\let\ab\allowbreak
\DeclareMathAlphabet{\mathsfit}{\encodingdefault}{\sfdefault}{m}{sl}
\newcommand{\tens}[1]{\bm{\mathsfit{#1}}}
\makeatletter
\newcommand{\@foo}{x}
\def\blfootnote{\gdef\@thefnmark{}\@footnotetext}
\@addtoreset{equation}{section}
\makeatother
\newif\ifdraft \drafttrue
\ifdraft \newcommand{\todo}[1]{\textcolor{red}{#1}} \else \newcommand{\todo}[1]{} \fi
\setlength{\parskip}{3pt} \renewcommand{\baselinestretch}{1.1}
\renewcommand{\theequation}{\thesection.\arabic{equation}}
\newcommand*\circled[1]{\tikz[baseline=(char.base)]{\node (char) {#1};}}
\NewDocumentCommand{\norm}{s m}{\lVert #2 \rVert}
\def\ddef#1{\expandafter\def\csname bb#1\endcsname{\ensuremath{\mathbb{#1}}}}
\ddef{A}\ddef{B}
\newcommand{\temp}{\tau}
\AtBeginDocument{\let\textlabel\label}
"""
    + "".join(f"\\def\\v{c}{{{{\\bm{{{c}}}}}}}\n" for c in "abcdefghijklmnopqrstuvwxyz")
    + "".join(f"\\def\\r{c}{{{{\\mathbf{{{c}}}}}}}\n" for c in "bcdfghjklmnpqrstvwxyz")
    + "".join(f"\\newcommand{{\\x{c}{d}}}{{x}}\n" for c in "abcdefghij" for d in "abcdefghijklmnop")
    + r"\begin{document}"
)
USED = (
    r"\sigma \tau \frac \log \min \max \exp \cdot \left \right \alpha \le \ge \in \cosh \chi \beta"
)


def test_an_ordinary_preamble_touches_nothing_that_is_used() -> None:
    (found,) = expanded(PREAMBLE + MARK + rf"\[ {USED} \bigl \vec \dfrac \temp \bm \]")
    assert found == f"{USED}\\bigl\\vec\\dfrac\\tau\\bm".replace(" ", "")


def test_too_many_macros_are_no_longer_known() -> None:
    from cltheory.derive.tex.text.scope import MAX_NAMES

    many = "".join(f"\\def\\{'xyz'[k % 3]}{'ab' * (k // 3 + 1)}{{m}}" for k in range(MAX_NAMES + 1))
    assert "more than" in meaning(many, r"\sigma")


def test_meanings_go_to_another_process() -> None:
    (one,) = find(r"\def\b{1}\def\a{\b}" + EQ + r"\def\a{2}", "tex")
    assert isinstance(one, Marked)
    there: Macros = pickle.loads(pickle.dumps(one.macros))
    assert [t.text for t in there.expand(tokenise(r"\a\sigma"))] == ["1", r"\sigma"]


# --- displays that macros make ----------------------------------------------------------------
@pytest.mark.parametrize(
    "text",
    [
        r"\newcommand{\be}{\begin{equation}}\newcommand{\ee}{\end{equation}}%",
        r"\def\be{\begin{align*}}\def\ee{\end{align*}}%",
        r"\newcommand{\be}{\[}\newcommand{\ee}{\]}%",
        r"\let\be\[ \let\ee\]%",
    ],
)
def test_other_names_of_a_display(text: str) -> None:
    assert expanded(text + MARK + r"\be x = 1 \ee") == ["x=1"]


@pytest.mark.parametrize(
    "text",
    [
        r"\renewenvironment{equation}{\begin{center}}{\end{center}}"
        + MARK
        + r"\begin{equation} x = 1 \end{equation}",
        r"\def\[#1\]{x}" + MARK + r"\[ x = 1 \]",
        r"\renewcommand{\[}{x}" + MARK + r"\[ x = 1 \]",
        r"\newcommand{\eqn}[1]{\begin{equation}#1\end{equation}}" + MARK + r"\eqn{x=1} \[ y \]",
        r"\newenvironment{e}{\begin{equation}}{\end{equation}}"
        + MARK
        + r"\begin{e} x = 1 \end{e} \[ y \]",
        r"\newenvironment{e}{\begin{equation}\begin{split}}{\end{split}\end{equation}}"
        + MARK
        + r"\begin{e} x = 1 \end{e} \[ y \]",
        r"\def\bal#1\eal{\begin{align}#1\end{align}}" + MARK + r"\bal x = 1 \eal \[ y \]",
        MARK + r"\equation x = 1 \endequation \[ y \]",
    ],
)
def test_a_display_that_is_not_what_it_seems_is_not_read(text: str) -> None:
    (found,) = find(text, "tex")
    assert not isinstance(found, Marked), found


# --- conditionals with arguments --------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        MARK + r"\iftoggle{x}{\[ x \]}{\[ y \]}",
        MARK + r"\ifdraft \[ x \] \else \[ y \] \fi",
        r"\newcommand{\note}[1]{}" + MARK + r"\note{\[ x \]} \[ y \]",
        r"\iftoggle{x}{" + MARK + r"}{\[ x \]}",
    ],
)
def test_what_a_conditional_may_leave_out_is_not_checked(text: str) -> None:
    (found,) = find(text, "tex")
    assert not isinstance(found, Marked)
    assert "a brace or a conditional stands between" in found.message


# --- Markdown ---------------------------------------------------------------------------------


def test_names_that_latex_has_are_known_where_an_edit_may_use_them() -> None:
    (one,) = find(r"\newcommand{\b}{1}\renewcommand{\cdot}{+}" + MARK + r"\[ x \]", "tex")
    assert isinstance(one, Marked) and list(one.meanings) == [r"\cdot"]

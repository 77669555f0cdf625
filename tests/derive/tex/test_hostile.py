"""Hostile and broken input ends in a TexError, soon, and nothing else happens."""

from __future__ import annotations

import random
import time
from itertools import pairwise

import pytest
from cltheory.derive.language.statement import TexError
from cltheory.derive.tex.formula.reader import canonical_name
from cltheory.derive.tex.formula.reader import read_formula as read
from cltheory.derive.tex.text.macros import Macros
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Symbol

NAMES = {
    "m": Symbol("m", integer=True, positive=True),
    "x": Symbol("x", positive=True),
    "y": Symbol("y", real=True),
    "z": Symbol("z"),
    "\\tau": Symbol("tau", positive=True),
    "N^{-}": Symbol("N"),
    "t_{B}": Symbol("t_B"),
    "q(z)": Symbol("q"),
}
SECONDS = 20  #: generous: each takes well under one


def ends(source: str, macros: Macros | None = None) -> str:
    """Read it; return the message if it is refused. Anything but a TexError gets through."""
    start = time.monotonic()
    refused: TexError | None = None
    try:
        read(source, NAMES, macros)
    except TexError as error:
        refused = error
    assert time.monotonic() - start < SECONDS
    if refused is None:
        return ""
    message = str(refused)
    assert message and len(message) < 1000 and message.isprintable()
    assert 0 <= refused.position <= len(source)
    return message


# --- Must be refused ------------------------------------------------------------------------
REFUSED = {
    "empty": "",
    "only punctuation": " . ",
    "open parentheses": "(" * 4900,
    "unbalanced": "\\frac{m}{x",
    "deep parentheses": "(" * 61 + "m" + ")" * 61,
    "a megabyte": "m" * 1_000_000,
    "many tokens": "m" * 5001,
    "NUL": "m\0",
    "backslash at the end": "m\\",
    "catcode": "\\catcode`\\^^M=13 m",
    "write18": "\\write18{touch m}",
    "directlua": "\\directlua{m}",
    "double hat": "m^^41",
    "text without end": "\\text{if $" * 50 + "m",
    "tower in a function": "\\sqrt{\\cosh(\\exp(\\exp(30)))-1}",
    "large number": "1" * 61,
    "large power": "10^{1001}",
    "nested roots": "\\sqrt{3+" * 50 + "2" + "}" * 50,
    "max of much": "\\max(" + ",".join(f"x+{k}y" for k in range(100)) + ")",
    "many cases": "\\begin{cases}"
    + "\\\\".join(f"{k} & y > {k}" for k in range(300))
    + "\\end{cases}",
    "many names of a condition": "m=x \\text{for }" + ",".join(["m"] * 2000) + "\\ge 2",
    "open colours": "\\color{" * 2400,
    "complex comparison": "\\begin{cases} 1 & z < \\log(-1) \\end{cases}",
    "not comparable": "\\max(z^{1/2}, (\\sqrt3-\\sqrt2)(\\sqrt3+\\sqrt2)-1) \\max",
    "hidden zero": "\\frac{1}{(\\sqrt3-\\sqrt2)(\\sqrt3+\\sqrt2)-1}",
    "two infinities": "\\infty - \\infty",
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    assert ends(REFUSED[name])


# --- May be read, but must end ----------------------------------------------------------------
BOUNDED = {
    "max of max": "\\max("
    + ",".join("\\max(" + ",".join(f"{k}x-{j}y" for k in range(12)) + ")" for j in range(12))
    + ")",
    "long sum": "+".join(["x"] * 2400),
    "long chain": "<".join(["x"] * 2000),
    "conditions of rows": "\\\\".join(["m=x \\text{for } m>2"] * 300),
    "exponentials of quotients": "+".join(f"e^{{\\frac{{m}}{{x+{k}}}}}" for k in range(15)),
    "many roots": "+".join(f"\\sqrt{{{k}}}" for k in range(1001, 1500)),
    "cancellation": "\\sqrt{\\exp(1000)\\cdot (1+10^{-50})-\\exp(1000)}",
    "equal": "\\max(\\sqrt{2}\\sqrt{3}+\\exp(\\log 7+1), \\sqrt 6 + 7\\cdot e^{1})",
    "symbolic tower": "x^{x^{x^{2^{2^{3}}}}}",
    **{
        f"nested {name} of {letter}": (before * 55 + letter + after * 55).replace("%", letter)
        for letter in "mxyz1"
        for name, before, after in (
            ("parentheses", "(1+", "+%)"),
            ("fractions", "\\frac{%}{1+", "}"),
            ("roots", "\\sqrt{1+", "}"),
            ("roots of differences", "\\sqrt{%-", "}"),
            ("exponentials", "\\exp(1+", ")"),
            ("logarithms", "\\log(%-", ")"),
            ("bars", "\\left|%-", "\\right|"),
            ("maxima", "\\max(2%,%-", ")"),
            ("powers", "%^{1+", "}"),
            ("bases", "(1-%-", ")^2"),
            ("cube roots", "(%-", ")^{-1/3}"),
            ("hyperbolic functions", "\\cosh(1+", ")"),
            ("products", "(1-%)(", "+%)"),
        )
    },
}


@pytest.mark.sample(30)
@pytest.mark.parametrize("name", BOUNDED)
def test_bounded(name: str) -> None:
    ends(BOUNDED[name])


# --- Macros ---------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "document",
    [
        r"\def\a{\a\a}",
        r"\def\a{m\b}\def\b{m\a}",
        r"\newcommand{\a}[2][\a]{#1 #2 \a}",
        "".join(f"\\def\\{c}{{" + f"\\{d}" * 3 + "}" for c, d in pairwise("abcdefghijk"))
        + r"\def\k{m}",
        r"\newcommand{\a}[1]{\frac#1",
        r"\newcommand{\a}{#1}",
        r"\newcommand{\a}{#}",
        r"\newcommand{\a}{" + "{" * 5000 + "}",
        r"\newcommand{\a}[",
        r"\def\a#1#3{m}",
        r"\edef\a{\input{/etc/passwd}}",
        r"\def\a{\begin{cases}}",
        "\\def\\a{\0}",
        "\\def\\a{\ud800}",
    ],
)
def test_macros_end(document: str) -> None:
    assert ends(r"m + \a + \b", Macros.from_document(document))


# --- Fuzzing ----------------------------------------------------------------------------------
PIECES = [
    *"mxyze0123456789+-/=<>()[]{}|^_'.,;:&!*~$#% \n",
    *"\\tau \\frac \\sqrt \\log \\exp \\max \\min \\left \\right \\big| \\{ \\}".split(),
    *"\\cdot \\times".split(),
    *"\\le \\ge \\in \\infty \\pi \\quad \\, \\\\ \\text{if} \\text{for} \\text{otherwise}".split(),
    *"\\begin{cases} \\end{cases} \\begin{aligned} \\end{aligned} \\over \\binom \\tilde".split(),
    *"\\mathbf \\mathcal \\mathrm{e} \\lvert \\rvert \\left| \\right| \\left( \\right)".split(),
    *"N^- t_B q(z) \\operatorname \\label{m} \\tag \\underbrace \\overset \\prime \\star".split(),
    *"{m} {x}^2 _{m} ^{2} ^{-1} 1/2 \\frac12 \\text{$ \\text{and} \\hspace \\forall ^*".split(),
    *"\\text{where} \\text{then} \\lim_ \\to \\boxed \\rm \\mathrel \\setminus \\dots".split(),
    *"\\langle \\rangle \\mathbb{N} \\in \\ne i j u_i ^\\top := ,\\quad \\xrightarrow".split(),
    *"\\sum \\input \\def \\right. \\left. \\ ".split(),
    "\\ ",
    "\\exp(x/\\tau)",
    "& \\text{if } m > 1 \\\\",
    "\\wedge",
]
FORMULAS = [
    r"\alpha \in \left( \frac{mn - 1 + \exp\left(\frac{m}{m-1}/\tau\right)}{mn - n}, 1 \right]",
    r"m := -\frac{x}{m} + \frac{1}{m}\sqrt{\frac{x^2 m(1-m) + (mx-1)}{m-1}}, \quad (15)",
    r"\beta^{\star} = \begin{cases} 0, & \text{if and only if } y > \frac{m-1}{m} \log (m-3) \\ "
    r"\infty, & \text{if } y < \frac{1}{2} \log \frac{m-2}{2}. \end{cases}",
    r"\begin{aligned} x &= \left( y \right. \\ &\quad \left. + z \right) \\ &= 1, \end{aligned}",
    r"\log^2\left|y\right| + \max\{m, N^-, t_B^2\} - e^{-1/\tau} \quad \text{for all } m \ge 2",
    r"u_i^\top v_j = m \quad \text{for real } m, x \ge 2,\; i,j = 1,\dots,m \text{ as } x \to 0",
    r"\text{For } x \in (0,1],\quad \lim_{y\to 0} m = q^2, \qquad q := e^{-m} \quad (m \ge 2).",
    r"q(z) + {m \over 2} - \binom{m}{2}\sqrt[3]{x} + 2.5\cdot 10^{-3}",
]


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=25))
def test_soup(pieces: list[str]) -> None:
    ends("".join(pieces))
    ends(" ".join(pieces))


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(FORMULAS),
    st.lists(
        st.tuples(st.floats(0, 1), st.integers(0, 6), st.sampled_from(["", *PIECES])), max_size=4
    ),
)
def test_mutated(formula: str, changes: list[tuple[float, int, str]]) -> None:
    for place, cut, piece in changes:
        at = int(place * len(formula))
        formula = formula[:at] + piece + formula[at + cut :]
    ends(formula)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_names_from_soup(pieces: list[str]) -> None:
    text = "".join(pieces)
    try:
        name = canonical_name(text)
    except TexError:
        return
    assert canonical_name(name) == name
    try:
        read("m", {text: NAMES["m"]})
    except TexError:
        pass


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from([*PIECES, "\\newcommand{\\a}", "\\def\\b#1", "[1]", "#1", "{#1\\a}"])),
)
def test_macros_from_soup(pieces: list[str]) -> None:
    macros = Macros.from_document("".join(pieces))
    ends(r"m + \a{m} + \b", macros)


def test_the_same_text_is_read_the_same() -> None:
    """Nothing stays behind in the parser from a formula that was refused in the middle."""
    shuffled = [*FORMULAS, *(REFUSED[k] for k in list(REFUSED)[:20]), "m + x / 2"]
    random.Random(1).shuffle(shuffled)
    assert [ends(f) for f in shuffled] == [ends(f) for f in shuffled]
    assert ends("m + x / 2") == ""


M = r"e^{\frac{m}{(m-1)\tau}}"


@pytest.mark.parametrize(
    "before",
    [
        rf"$$\newcommand{{\heat}}{{2}} \text{{\renewcommand{{\heat}}{{{M}}}}}$$",
        r"$$\newcommand{\heat}{2}\newcommand{\run}[1]{}$$ "
        rf"$$\run{{\renewcommand{{\heat}}{{{M}}}}}$$",
        rf"$$\newcommand{{\heat}}{{2}} x }} \renewcommand{{\heat}}{{{M}}}$$",
        rf"$$\newcommand{{\heat}}{{2}}$$ $x \text{{\gdef\heat{{{M}}}}}$",
        rf"$$\newcommand{{\heat}}{{2}}$$ $x }} \renewcommand{{\heat}}{{{M}}}$",
    ],
)
def test_in_markdown_what_is_printed_or_dropped_defines_nothing(tmp_path, before: str) -> None:
    r"""MathJax shows \text{...} as it stands: \heat is still 2, and the equation false."""
    from click.testing import CliRunner
    from cltheory.cli.check import check_command

    mark = "<!-- cltheory: supcl-threshold.alpha_min -->"
    equation = r"$$\alpha > \frac{mn - 1 + \heat}{n (m - 1 + \heat)}$$"
    path = tmp_path / "page.md"
    path.write_text(f"{before}\n\n{mark}\n{equation}\n", encoding="utf-8")
    said = CliRunner().invoke(check_command, [str(path)], standalone_mode=False).output
    assert "1 not read" in said or "1 different" in said, said
    path.write_text(f"$$\\newcommand{{\\heat}}{{{M}}}$$\n\n{mark}\n{equation}\n", encoding="utf-8")
    said = CliRunner().invoke(check_command, [str(path)], standalone_mode=False).output
    assert "1 equal" in said, said

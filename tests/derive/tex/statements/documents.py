# ruff: noqa: E501 - LaTeX is easier to read on one line
r"""Whole documents: what a macro means depends on the text around the statement.

``PIECE`` is what ``\heat`` has to stand for, ``WRONG`` something else of the same shape. In a
true document the statement says what was derived in every reading of the text that TeX could
have; in a false one TeX prints something else, or nobody can tell without running TeX.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from .false import slip, slips
from .printed import letter, misprint, places, printed, put, symbols, tex
from .statement import Maker, Written
from .targets import VARYING, Target, misstates
from .true import some

PREAMBLE = "\\documentclass{article}\n\\usepackage{amsmath}\n"
BEGIN, END = "\\begin{document}\n", "\\end{document}\n"
NEW = "\\newcommand{\\heat}{PIECE}\n"
WRONG = "\\newcommand{\\heat}{WRONG}\n"
RENEW = "\\renewcommand{\\heat}{WRONG}"
MARK = "% cltheory: DIRECTIVE\n\\[ STATEMENT \\]\n"

#: Name -> text of main.tex behind the class (BODY begins where % --- stands), or more files.
Template = str | dict[str, str]

FALSE_MACROS: dict[str, Template] = {
    "input without braces": {"main": NEW + "\\input extra\n---\n" + MARK, "extra.tex": RENEW},
    "subimport": {"main": NEW + "\\subimport{sub/}{extra}\n---\n" + MARK,
                  "sub/extra.tex": RENEW},
    "a local class": {"main": "CLASS{extra}\\providecommand{\\heat}{PIECE}\n---\n" + MARK,
                      "extra.cls": "\\LoadClass{article}\\newcommand{\\heat}{WRONG}"},
    "csname": NEW + "\\expandafter\\def\\csname heat\\endcsname{WRONG}\n---\n" + MARK,
    "let": NEW + "\\newcommand{\\cold}{WRONG}\\let\\heat\\cold\n---\n" + MARK,
    "patchcmd": NEW + "\\patchcmd{\\heat}{-}{+}{}{}\n---\n" + MARK,
    "RenewDocumentCommand": NEW + "\\RenewDocumentCommand{\\heat}{}{WRONG}\n---\n" + MARK,
    "a macro that renews": NEW + "\\newcommand{\\use}[1]{\\renewcommand{\\heat}{#1}}\n---\n"
    "\\use{WRONG}\n" + MARK,
    "AtBeginDocument": NEW + "\\AtBeginDocument{\\renewcommand{\\heat}{WRONG}}\n---\n" + MARK,
    "renewed before": NEW + "---\n\\renewcommand{\\heat}{WRONG}\n" + MARK,
    "defined too late": "\\newcommand{\\heat}{WRONG}\n---\n" + MARK + "\\renewcommand{\\heat}{PIECE}\n",
    "right one in a conditional": "\\newif\\iflong\n" + WRONG
    + "\\iflong\\renewcommand{\\heat}{PIECE}\\fi\n---\n" + MARK,
    "right one in verbatim": WRONG + "---\n\\begin{verbatim}\n\\renewcommand{\\heat}{PIECE}\n\\end{verbatim}\n"
    + MARK,
    "provided when there": WRONG + "\\providecommand{\\heat}{PIECE}\n---\n" + MARK,
    "only in another file": {"main": "\\newcommand{\\heat}{WRONG}\n---\n" + MARK,
                             "other.tex": "\\renewcommand{\\heat}{PIECE}"},
}  # fmt: skip

TRUE_MACROS: dict[str, Template] = {
    "newcommand": NEW + "---\n" + MARK,
    "def": "\\def\\heat{PIECE}\n---\n" + MARK,
    "in two steps": "\\newcommand{\\inner}{PIECE}\n\\newcommand{\\heat}{\\inner}\n---\n" + MARK,
    "an argument": "\\newcommand{\\kept}[1]{#1}\n\\newcommand{\\heat}{\\kept{PIECE}}\n---\n" + MARK,
    "in a file": {"main": "\\input{macros}\n---\n" + MARK, "macros.tex": NEW},
    "renewed behind": NEW + "---\n" + MARK + "\\renewcommand{\\heat}{WRONG}\n",
    "renewed in a group": NEW + "---\n{\\renewcommand{\\heat}{WRONG}}\n" + MARK,
    "wrong one in verbatim": NEW
    + "---\n\\begin{verbatim}\n\\renewcommand{\\heat}{WRONG}\n\\end{verbatim}\n" + MARK,
    "a toggle elsewhere": "\\newtoggle{a}\n" + NEW + "---\n\\iftoggle{a}{One}{Other}\n" + MARK,
    "theorem around": NEW + "\\newtheorem{theorem}{Theorem}\n---\n\\begin{theorem}\n" + MARK
    + "\\end{theorem}\n",
}  # fmt: skip

TRUE_TEXTS: dict[str, Template] = {
    "align": "---\n\\begin{align}\n% cltheory: DIRECTIVE\nFULL\n\\end{align}\n",
    "comment inside": "---\n% cltheory: DIRECTIVE\n\\[ FULL % here\n\\]\n",
    "label": "---\n% cltheory: DIRECTIVE\n\\begin{equation}\\label{eq:a}\nFULL\n\\end{equation}\n",
    "inline after a letter": "---\n% cltheory: DIRECTIVE inline\nFor $m$ we have $FULL$ here.\n",
    "macros of the root": {"main": "\\newcommand{\\same}[1]{#1}\n---\n\\input{sec1}\n",
                           "sec1.tex": "% cltheory: DIRECTIVE\n\\[ \\same{FULL} \\]\n"},
    "input of the display": {"main": "---\n% cltheory: DIRECTIVE\n\\input{eq}\n",
                             "eq.tex": "\\[ FULL \\]\n"},
    "markdown display": {"main.md": "Text.\n\n<!-- cltheory: DIRECTIVE -->\n$$\nFULL\n$$\n"},
    "gather": "---\n\\begin{gather}\n% cltheory: DIRECTIVE\nFULL \\notag\n\\end{gather}\n",
    "after a toggle": "---\n\\iftoggle{x}{a}{b}\n% cltheory: DIRECTIVE\n\\[ FULL \\]\n",
}  # fmt: skip

FALSE_TEXTS: dict[str, Template] = {
    "subfile": {"main": "---\n\\subfile{sec1}\n", "sec1.tex": "\\documentclass[main]{subfiles}\n"
                "\\begin{document}\n% cltheory: DIRECTIVE\n\\[ BAD \\]\n\\end{document}\n"},
    "nested": {"main": "---\n\\input{one}\n", "one.tex": "\\input{two}\n",
               "two.tex": "% cltheory: DIRECTIVE\n\\[ BAD \\]\n"},
    "behind a true one": {"main": "---\n% cltheory: DIRECTIVE\n\\[ FULL \\]\n\\input{sec1}\n",
                          "sec1.tex": "% cltheory: DIRECTIVE\n\\[ BAD \\]\n"},
    "display of an input": {"main": "---\n% cltheory: DIRECTIVE\n\\input{eq}\n\\[ FULL \\]\n",
                            "eq.tex": "\\[ BAD \\]\n"},
    "missing file": {"main": "---\n\\input{gone}\n% cltheory: DIRECTIVE\n\\[ FULL \\]\n"},
    "a cycle": {"main": "---\n\\input{one}\n% cltheory: DIRECTIVE\n\\[ FULL \\]\n",
                "one.tex": "\\input{main}\n"},
    "inline": "---\nThe value\n% cltheory: DIRECTIVE inline\nis $BAD$ and $FULL$ here.\n",
    "a letter renewed": "\\renewcommand{\\tau}{2\\sigma}\\renewcommand\\alpha{a}\\def\\delta{x}\n"
    "---\n% cltheory: DIRECTIVE\n\\[ GREEK \\]\n",
    "a letter renewed by another": "\\renewcommand{\\sigma}{\\tau}\\renewcommand{\\tau}{\\sigma}\n"
    "---\n% cltheory: DIRECTIVE\n\\[ TAU \\]\n",
    "frac turned": "\\renewcommand{\\frac}[2]{{#2 \\over #1}}\n---\n"
    "% cltheory: DIRECTIVE\n\\[ USESFRAC \\]\n",
    "frac in a package": {"main": "\\usepackage{extra}\n---\n% cltheory: DIRECTIVE\n\\[ USESFRAC \\]\n",
                          "extra.sty": "\\def\\frac#1#2{#1}"},
    "providecommand of frac": "\\providecommand{\\frac}[2]{{#2 \\over #1}}\n---\n"
    "% cltheory: DIRECTIVE\n\\[ TURNED \\]\n",
    "markdown details": {"main.md": "<details>\n<summary>more</summary>\n\n"
                         "<!-- cltheory: DIRECTIVE -->\n$$BAD$$\n\n</details>\n"},
}  # fmt: skip


def filled(template: Template, target: Target, **pieces: str) -> dict[str, str]:
    """The files of a document."""
    files = template if isinstance(template, dict) else {"main": template}
    out = {}
    for name, text in files.items():
        if name == "main":
            start = "\\documentclass{extra}\n" if text.startswith("CLASS{extra}") else PREAMBLE
            before, body = text.removeprefix("CLASS{extra}").split("---\n", 1)
            name, text = "main.tex", start + before + BEGIN + body + END
        for key, new in {**pieces, "DIRECTIVE": target.directive()}.items():
            text = text.replace(key, new)
        out[name] = text
    return out


def _with_macro(
    templates: dict[str, Template], chance: random.Random
) -> tuple[Template, Target, dict[str, str]] | None:
    template = templates[chance.choice(sorted(templates))]
    target = chance.choice(VARYING)
    node = printed(target.derived)
    found = [(at, p) for at, p in places(node) if p.kind in ("exp", "log", "sqrt", "sym") and at]
    if not found:
        return None
    at, part = chance.choice(found)
    wrong = chance.choice(list(slips(part, sorted(symbols(node)))))
    if not misstates(put(node, at, wrong), target, chance):
        return None
    whole = tex(put(node, at, letter("{\\heat}", part)))
    return template, target, {
        "PIECE": tex(part), "WRONG": tex(wrong), "STATEMENT": f"{target.symbol} = {whole}",
    }  # fmt: skip


def macros(templates: dict[str, Template]) -> Maker:
    def make(chance: random.Random) -> Written | None:
        found = _with_macro(templates, chance)
        if found is None:
            return None
        template, target, pieces = found
        return Written("", files=filled(template, target, **pieces))

    return make


def texts(templates: dict[str, Template]) -> Maker:
    def make(chance: random.Random) -> Written | None:
        template = templates[chance.choice(sorted(templates))]
        target = some(chance, VARYING)
        node = printed(target.derived)
        bad = slip(node, target, chance)
        turned = misprint(node)
        if bad is None or (any(k in str(template) for k in ("USESFRAC", "TURNED"))
                           and (turned == node or not misstates(turned, target, chance))):  # fmt: skip
            return None
        name = target.symbol
        greek = {"tau", "alpha", "delta"} if "GREEK" in str(template) else {"tau"}
        if ("GREEK" in str(template) or "TAU" in str(template)) and not symbols(node) & greek:
            return None
        files = filled(
            template, target, FULL=f"{name} = {tex(node)}", BAD=f"{name} = {tex(bad)}",
            USESFRAC=f"{name} = {tex(node)}",
            GREEK=f"{name} = {tex(node)}", TURNED=f"{name} = {tex(turned)}",
        )  # fmt: skip
        return Written("", files=files)

    return make


KINDS: dict[str, tuple[int, Callable[[random.Random], Written | None]]] = {
    "true/macro": (40, macros(TRUE_MACROS)),
    "true/document": (40, texts(TRUE_TEXTS)),
    "false/macro": (80, macros(FALSE_MACROS)),
    "false/document": (60, texts(FALSE_TEXTS)),
}

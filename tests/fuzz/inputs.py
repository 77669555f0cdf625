"""Strategies for hostile and unlucky input, of every kind that the command line takes.

Inputs are made from a grammar, by changing good ones, and from bytes that mean nothing.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from cltheory.cli.parameters import convention_names, parameter_names
from cltheory.derive.decide.exact import FUNCTIONS
from cltheory.derive.losses.literature import LITERATURE
from cltheory.derive.results import results
from cltheory.derive.write.lock import freeze
from harness import CANARY, Input
from hypothesis import strategies as st

DATA = Path(__file__).parent.parent / "data"
CODE = [
    f"__import__('os').system('touch {CANARY}')",
    f"open('{CANARY}','w')",
    f"().__class__.__base__.__subclasses__() or open('{CANARY}','w')",
    f"\\write18{{touch {CANARY}}}",
    f"\\input{{|touch {CANARY}}}",
    f"$(touch {CANARY})",
    f"`touch {CANARY}`",
]

# --- numbers and expressions -------------------------------------------------------------------
LEAVES = ["0", "1", "2", "3", "10", "0.1", "1/3", "oo", "pi", "E", "1e60", "1e-60", "10^6", "10^50"]
LEAVES += ["2^60", "9" * 60, "1/" + "9" * 60, "0.001", "32768", "1e-9", "7/2"]
ODD = "-oo inf nan 1e61 1e400000000 1e-400 0. .5 10^59 10^(10^6) --1 0x10 1_000".split()
ODD += ["9" * 190, "9" * 5000, "", " ", "\t1", "1\n", "sin(1)", *CODE]
ODD += "1e e +1 ٣ ½ zoo I 1j True None x m 1;2 1,2 [1] 1/0".split()


def mostly(usual: st.SearchStrategy[str], other: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """The other one in eight times."""
    return st.integers(0, 7).flatmap(lambda k: other if k == 7 else usual)


def _compound(
    inner: st.SearchStrategy[str], functions: list[str], more: bool
) -> st.SearchStrategy[str]:
    operators = st.sampled_from(["+", "-", "*", "/", "^", "**"] + [",", " "] * more)
    of_two = st.sampled_from(["max", "min"])
    ways = [
        st.builds("{}({})".format, st.sampled_from(functions), inner),
        st.builds("{}({})".format, st.sampled_from(functions), inner),
        st.builds("({}){}({})".format, inner, operators, inner),
        st.builds("{}{}{}".format, inner, operators, inner),
    ]
    return st.one_of(*ways, st.builds("{}({}, {})".format, of_two, inner, inner))


def _numbers(leaves: list[str], functions: list[str], more: bool) -> st.SearchStrategy[str]:
    def again(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        if more:
            return _compound(inner, functions, True)
        operators = st.sampled_from("+-*/^")
        return st.one_of(
            st.builds("{}({})".format, st.sampled_from(functions), inner),
            st.builds("({}){}({})".format, inner, operators, inner),
        )

    return st.recursive(st.sampled_from(leaves), again, max_leaves=4)


numbers = mostly(
    _numbers(LEAVES, ["exp", "log", "sqrt", "-", "1/"], False),
    _numbers(LEAVES + ODD, ["exp", "log", "sqrt", "-", "sin", "abs"], True),
)

names = st.sampled_from("xxxtb")
expressions = mostly(
    st.recursive(
        names | st.sampled_from(["1", "2", "3", "0.1", "1/2", "10", "1e6", "1e60", "pi"]),
        lambda inner: _compound(inner, [*FUNCTIONS[:-2], "-", "1/"], False),
        max_leaves=6,
    ),
    st.recursive(
        names | st.sampled_from(["0", "N", "c", "y", *ODD]),
        lambda inner: _compound(inner, [*FUNCTIONS, "sin"], True),
        max_leaves=6,
    ),
)

# What a user would write, more often than not of a shape that the theorem is about.
SLOPES = "1 2 t exp(t) 1/2 1e6 1e60 exp(100) sqrt(2) (t+1) t^2 b^2".split()
POWERS = ["2", "3", "3/2", "4", "20", "21", "1/2", "-1", "sqrt(2)", "t", "1e6", "(1+b^2)", "exp(t)"]
FALLING = ["-({k})*x", "exp(-({k})*x)", "softplus(-({k})*x+({e}))", "relu({k}-x)", "(3-x)^({p})"]
FALLING += ["-log(({k})+1+x)", "max(({k})-x, -x)", "1/(({k})+x)", "max(-x, -x^3, 1/(2+x))"]
FALLING += ["softplus(softplus(-({k})*x))", "log(1+exp(-({k})*x)+exp(-x))", "sqrt(({k})-x)"]
FALLING += ["exp(-({k})*x)^({p})", "(exp(-x)+exp(-({k})*x))^({p})", "-x^({p})", "exp(-x)+0*({e})"]


def _shaped(rising: bool) -> st.SearchStrategy[str]:
    templates = [f.replace("x", "(-x)").replace("ma(-x)", "max") for f in FALLING]
    templates = [t.replace("e(-x)p", "exp") for t in templates]
    return st.builds(
        lambda t, k, p, e: t.format(k=k, p=p, e=e),
        st.sampled_from(templates if rising else FALLING),
        mostly(st.sampled_from(SLOPES), numbers),
        st.sampled_from(POWERS),
        expressions,
    )


decreasing = st.one_of(
    _shaped(False),
    _shaped(False),
    st.sampled_from([k.lp for k in LITERATURE.values()]),
    expressions,
)
increasing = st.one_of(
    _shaped(True), _shaped(True), st.sampled_from([k.ln for k in LITERATURE.values()]), expressions
)

good = st.sampled_from(["2", "3", "4", "8", "10", "1/2", "0.1", "1", "0.7", "5", "oo", "32768"])


@st.composite
def parameters(draw: st.DrawFn) -> Input:
    """``derive`` with values for any parameters."""
    id = draw(st.sampled_from(list(results)))
    known = [n for n in parameter_names(id) if n not in ("lp", "ln", "loss")]
    args = ["derive", id, "--time", "10"]
    hard = draw(st.sampled_from(known))
    for name in known:
        if name == hard or draw(st.booleans()):
            whole = name in ("m", "n", "p", "N", "K")
            value = draw(numbers if name == hard and not whole else good)
            args.append(f"--{name}={draw(numbers) if draw(st.integers(0, 19)) == 0 else value}")
    args += draw(st.sampled_from([["--brief"], ["--brief"], ["--brief"], []]))
    style = draw(st.sampled_from(["text", "json", "latex", "markdown", "python"]))
    digits = draw(st.sampled_from(["15", "15", "1", "50", "1000"]))
    args += ["--format", style, "--digits", digits]
    if draw(st.integers(0, 5)) == 0:
        args += ["--convention", draw(st.sampled_from(convention_names()))]
    return Input(tuple(args))


@st.composite
def losses(draw: st.DrawFn) -> Input:
    """``derive pairwise-threshold`` for a loss of the user's own."""
    lp, ln = draw(decreasing), draw(increasing)
    args = ["derive", "pairwise-threshold", "--time", "10", f"--lp={lp}", f"--ln={ln}"]
    for name in draw(st.lists(st.sampled_from(["N", "t", "b"]), unique=True)):
        args.append(f"--{name}={draw(good | numbers)}")
    style = draw(st.sampled_from(["text", "text", "json", "latex", "python"]))
    return Input((*args, "--brief", "--format", style))


# --- papers -------------------------------------------------------------------------------------
TARGETS = ["supcl-threshold.alpha_min", "supcl-threshold.tau_max", "sigmoid-threshold.t_simplex"]
TARGETS += ["ccem.positive [c -> delta]", "supcl-threshold.alpha_min (m = 10, n = oo)"]
TARGETS += ["not supcl-threshold.alpha_min", "ssem.cross_class", "ssem.cross_class [k -> m^n]", ""]
TARGETS += ["supcl-optimum.x_star", "ccem.positive (N = 10^(10^6))", "no-such.thing"]
RIGHT = {
    "supcl-threshold.alpha_min": r"\alpha_{\min} = \frac{1 + (mn-1) e^{-\frac{m}{(m-1)\tau}}}"
    r"{n + n(m-1) e^{-\frac{m}{(m-1)\tau}}}",
    "sigmoid-threshold.t_simplex": r"t = \frac{N-1}{N}\log(N-3)",
}
LETTERS = ["m", "n", r"\tau", r"\alpha", "N", r"\delta", "k", "u_i", r"\alpha_{\min}", r"\infty"]
COUNTS = ["0", "1", "2", "10", "10^{6}", "1.0000001", "0.1", "27", "200", "10^{-6}", "9" * 40]
TEMPLATES = [r"\frac{%s}{%s}", r"(%s)(%s)", r"%s+%s", r"%s-%s", r"\left(%s\right)^{%s}"]
TEMPLATES += [r"e^{-\frac{%s}{%s}}", r"(%s)^{\frac12} \cdot %s", r"e^{%s}+e^{%s}", r"e^{%s e^{%s}}"]
TEMPLATES += [r"\log(1+%s)-\log(%s)", r"\sqrt{%s+\sqrt{%s}}", r"(%s+%s)^{27}", r"10^{%s}\cdot %s"]
STRANGE = [r"%s=%s", r"%s\le %s", r"%s,\quad %s", r"%s\\ &= %s", r"%s_{%s}", r"\overset{%s}{%s}"]
STRANGE += [r"\begin{cases}%s & n>2\\ %s&\text{otherwise}\end{cases}", r"\max(%s,%s)"]
STRANGE += [r"\sqrt[%s]{%s}", r"%s^%s", r"\binom{%s}{%s}", r"\lvert %s \rvert %s"]
JUNK = [*"{}\\$&^_%\0é", "\\left", "\\right)", "#1", "\ud800", "\\def", "\\\\", "\u202e"]
JUNK += [r"\csname a\endcsname", r"\input{a}", r"\end{equation}", r"\text{"]
MACROS = [r"\def\a{\a\a}", r"\newcommand{\a}[1]{#1#1}", r"\let\a\b\let\b\a", r"\input paper"]
MACROS += [r"\newcommand\x{" + "x" * 30 + "}", r"\renewcommand{\tau}{m}", r"\def\a#1{\a{#1#1}}"]


def _formulas(leaves: list[str], templates: list[str]) -> st.SearchStrategy[str]:
    return st.recursive(
        st.sampled_from(leaves),
        lambda inner: st.builds(
            lambda t, a, b: t % (a, b), st.sampled_from(templates), inner, inner
        ),
        max_leaves=8,
    )


formulas = mostly(
    _formulas(["m", "n", r"\tau", *COUNTS[1:]], TEMPLATES),
    _formulas(LETTERS + COUNTS, TEMPLATES + STRANGE),
)


def _spoilt(text: str, changes: list[tuple[float, int, str]]) -> str:
    for place, length, put in changes:
        at = int(place * len(text))
        text = text[:at] + put + text[at + length :]
    return text


junk = st.sampled_from(JUNK + LETTERS + COUNTS + CODE)
changes = st.lists(
    st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 4), junk), max_size=3
)
PAPERS = [(DATA / name).read_text(encoding="utf-8") for name in ("paper.tex", "broken.tex")]


@st.composite
def _document(draw: st.DrawFn) -> str:
    target = draw(mostly(st.just(TARGETS[0]), st.sampled_from(TARGETS)))
    formula = draw(formulas)
    if target in RIGHT and draw(st.booleans()):
        before = RIGHT[target]
        formula = before + draw(st.sampled_from(["+", r"\cdot ", "^", "-", " "])) + formula
    macros = draw(mostly(st.just(""), st.sampled_from(MACROS + CODE)))
    text = f"{macros}\n% cltheory: {target}\n\\[ {formula} \\]\n"
    return _spoilt(text, draw(changes)) if draw(st.integers(0, 3)) == 0 else text


@st.composite
def papers(draw: st.DrawFn) -> Input:
    """``check`` of a paper."""
    text = draw(
        st.one_of(
            _document(),
            st.builds("".join, st.lists(_document(), min_size=2, max_size=3)),
            st.builds(_spoilt, st.sampled_from(PAPERS), changes),
        )
    )
    kind = draw(st.sampled_from(["tex", "tex", "tex", "md", "ipynb"]))
    if kind == "md":
        text = text.replace("% cltheory: ", "<!-- cltheory: ").replace(r"\[", " -->\n$$")
        text = text.replace(r"\]", "$$")
    if kind == "ipynb":
        cell = {"cell_type": "markdown", "metadata": {}, "source": [text]}
        text = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
        text = _spoilt(text, draw(changes))
    data = text.encode("utf-8", "surrogatepass")
    if draw(st.integers(0, 9)) == 0:
        data = data[: len(data) // 2] + draw(st.binary(max_size=30)) + data[len(data) // 2 :]
    style = draw(st.sampled_from(["text", "json", "sarif", "github"]))
    name = f"paper.{kind}"
    return Input(("check", name, "--format", style, "--time", "1"), {name: data})


# --- locks ---------------------------------------------------------------------------------------
LOCKED = ["supcl-threshold", "ccem", "sigmoid-threshold", "sigmoid-optimum"]
values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.just(10**4299)
    | st.floats()
    | st.text()
    | numbers,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)
SYMBOLS = ["m", "n", "tau", "alpha", "N", "t", "b", "delta", "x_star"]
formulas_of_locks = st.recursive(
    st.sampled_from([*SYMBOLS, "1", "2", "10", "1e60", "1/3", "0", "oo"]),
    lambda inner: _compound(inner, [*FUNCTIONS[:-2], "-", "1/"], False),
    max_leaves=12,
)


@st.composite
def locks(draw: st.DrawFn) -> Input:
    """``check --frozen`` of a lock."""
    lock = json.loads(freeze([draw(st.sampled_from(LOCKED))]))
    for of in lock["quantities"].values():
        name = draw(st.sampled_from(sorted(of)))
        entry = of[name]
        way = draw(st.integers(0, 3))
        if way == 0:
            entry["expression"] = draw(formulas_of_locks)
        elif way == 1:
            put = draw(formulas_of_locks)
            entry["expression"] = f"({entry['expression']}) + 0*({put})"
        elif way == 2 and entry["roots"]:
            root = entry["roots"][draw(st.sampled_from(sorted(entry["roots"])))]
            root[draw(st.sampled_from(sorted(root)))] = draw(formulas_of_locks)
        else:
            entry[draw(st.sampled_from(sorted(entry)))] = draw(values)
        content = {k: v for k, v in entry.items() if k != "sha256"}
        text = json.dumps(content, sort_keys=True, separators=(",", ":"))
        if way < 3 or draw(st.booleans()):
            entry["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    text = json.dumps(lock)
    if draw(st.integers(0, 4)) == 0:
        text = _spoilt(text, draw(changes))
    data = text.encode("utf-8", "surrogatepass")
    return Input(("check", "--frozen", "a.lock", "--time", "1"), {"a.lock": data})


# --- words ---------------------------------------------------------------------------------------
PATHS = ["", " ", "a" * 300, "a/" * 3000, "a\0b", "\udcff", "a\nb.tex", *CODE]
PATHS += ". .. / - -- no/such/a.tex ~ é.tex /dev/null /dev/full paper.tex -x $HOME".split()
OPTIONS = {
    "check": ["--output", "--macros", "--frozen", "--format", "--time", "--memory", "--list"],
    "export": ["--latex", "--bib", "--python", "--rename"],
    "freeze": [],
    "show": [],
    "list": ["--format"],
    "claims": ["--only", "--format"],
    "completion": [],
    "diagnose": ["--arrays", "--labels", "--positives", "--temperature", "--out", "--format"]
    + ["--loss", "--alpha", "--set", "--dim", "--classifier", "--band", "--batch"],
    "derive": ["--digits", "--format", "--convention", "--time", "--memory", "--m"],
}
words = st.one_of(st.sampled_from(PATHS), numbers, st.sampled_from(["ssem", "ccem", "text"]))


@st.composite
def commands(draw: st.DrawFn) -> Input:
    """Any command with odd words, above all where a path is meant."""
    command = draw(st.sampled_from(sorted(OPTIONS)))
    args = [command]
    if command == "derive":
        args.append("ssem")
    if command == "export":
        args.append(draw(st.sampled_from(["ccem", "ssem", "nope", ""])))
    for _ in range(draw(st.integers(0, 3))):
        if OPTIONS[command] and draw(st.booleans()):
            args.append(draw(st.sampled_from(OPTIONS[command])))
        args.append(draw(words))
    files = {"paper.tex": PAPERS[1].encode()}
    # What stands after an option may be a file that was asked for.
    return Input(tuple(args), files, tuple(Path(a).name for a in args if a))


# --- tables --------------------------------------------------------------------------------------
@st.composite
def tables(draw: st.DrawFn) -> bytes:
    """The cells of a figure, as a file that a run would go on from."""
    from cltheory.numeric.figures.ssem_fig2 import COLUMNS

    names = list(COLUMNS)
    cell = st.one_of(
        st.sampled_from(["2", "1", "0.5", "converged", "nan", "inf", "-1", "", '"', "\0", "1e999"]),
        st.sampled_from(["9" * 5000, "x" * 140_000, "é", "\u2028", "'", ",", *CODE]),
        numbers,
    )
    rows = draw(st.lists(st.lists(cell, min_size=0, max_size=len(names) + 1), max_size=3))
    full = draw(st.lists(st.lists(cell, min_size=len(names), max_size=len(names)), max_size=2))
    lines = [",".join(names), *(",".join(r) for r in [*full, *rows])]
    ending = draw(st.sampled_from(["\n", "\r\n", "\r", "\n\n"]))
    text = _spoilt(ending.join(lines) + ending, draw(changes))
    return text.encode("utf-8", "surrogatepass") + draw(st.sampled_from([b"", b"\xff", b"\0"]))


KINDS = {
    "parameters": parameters(),
    "losses": losses(),
    "papers": papers(),
    "locks": locks(),
    "commands": commands(),
}

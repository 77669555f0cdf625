"""Render the report of a result as text, JSON, LaTeX, Markdown or Python."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any

from .tables import WIDTH, labelled
from .writing import json_text

if TYPE_CHECKING:
    from sympy import Expr, Symbol

    from ..derive.theorem.result import Result
    from ..derive.write.display import Writer

    Point = Mapping[Symbol, Expr]

LONGEST = 16  #: lines that a quantity has
SCREEN = 40  #: lines that all of them have
#: An integer or an array of integers, of which there is no decimal to show.
_INTEGERS = re.compile(r"[-0-9\[\], ]+")


def render(
    report: dict[str, Any],
    style: str,
    *,
    brief: bool,
    proof: bool = False,
    whole: bool = False,
    claims: bool = False,
    result: Result,
    point: Mapping[Symbol, Expr],
    renamed: Mapping[str, str] | None = None,
) -> str:
    """One of the formats of ``cltheory derive``."""
    if style == "json":
        return json_text(report)
    names = renamed or {}
    if style in ("python", "javascript"):
        from ..derive.write.javascript import javascript_source
        from ..derive.write.python import python_source

        sources = {"python": (python_source, "#"), "javascript": (javascript_source, "//")}
        write, mark = sources[style]
        steps = ["", f"Derivation{_terms(report)}", *_steps(result)] if proof else []
        told = (f"{mark} {line}".rstrip() for line in _retold(steps, names))
        return "\n".join([write(result, point, names), *told])
    if not whole:
        shown = {k: q for k, q in report["quantities"].items() if not result.quantity(k).detail}
        report = report | {"quantities": shown}
    if style == "text":
        return _retold([_text(report, brief, proof, whole, result, point, claims)], names)[0]
    from ..derive.write.display import Writer

    writer = Writer(result, names)
    head = _typeset_head(writer, point, style, brief)
    if not whole:
        report["quantities"] = {k: _without_entries(q) for k, q in report["quantities"].items()}
    return (_latex if style == "latex" else _markdown)(report, brief, head, writer)


def _retold(texts: list[str], names: Mapping[str, str]) -> list[str]:
    """Texts with other names for symbols."""
    if not names:
        return texts
    from ..derive.write.renaming import retold

    return retold(texts, names)


def _head(report: dict[str, Any]) -> str:
    given = ", ".join(f"{k} = {v}" for k, v in report["parameters"].items())
    return f" with {given}" if given else ""


def _terms(report: dict[str, Any]) -> str:
    """Whose terms a derivation is in, where the result is in others."""
    return ", in the terms of its source" if report["convention"] else ""


def head_lines(result: Result, point: Mapping[Symbol, Expr] | None = None) -> list[str]:
    """The loss or the structure of a result and the dimension it needs, as text."""
    from ..derive.theorem.about import head

    about = head(result, point=point)
    main = (*about.formula.split("\n"), *about.notes) if about.formula else about.notes
    rows = [("loss" if about.formula else "about", line) for line in main]
    rows += [("parameters", f"{s}: {what}") for s, what in about.parameters]
    rows.append(("dimension", about.dimension))
    if about.convention:
        rows.append(("convention", about.convention))
    if about.elsewhere:
        rows.append(("elsewhere", f"{about.elsewhere} (--convention NAME)"))
    lines: list[str] = []
    said = ""
    for label, text in rows:
        lines += _row("" if label == said else label, text)
        said = label
    return lines


def _text(
    report: dict[str, Any],
    brief: bool,
    proof: bool,
    whole: bool,
    result: Result,
    point: Point,
    claims: bool,
) -> str:
    """The answer, then what it is about, how it is known and how to see more."""
    from ..derive.theorem.kinds import Kind

    lines = [f"{report['id']}: {report['title']}{_head(report)}", ""]
    lines += [f"  {verdict}" for verdict in report["verdicts"]]
    said: set[str] = set()
    hidden = [] if whole else [k for k, q in result.quantities.items() if q.detail]
    shown: dict[str, list[str]] = {}
    for name, q in report["quantities"].items():
        quantity = result.quantity(name)
        is_open = quantity.kind is Kind.CONDITION and not q["value"]
        is_claim = quantity.bound is not None and " iff " in quantity.meaning
        shown[name] = _elided(_quantity(name, q, said, brief, is_open, is_claim), whole)
    if not whole and sum(map(len, shown.values())) > SCREEN + LONGEST:
        fits = [n <= SCREEN for n in accumulate(map(len, shown.values()))]
        hidden += [k for k, fit in zip(shown, fits, strict=True) if not fit]
    lines += chain(*(said_of for k, said_of in shown.items() if k not in hidden))
    if hidden:
        names = f"{hidden[0]} .. {hidden[-1]}" if hidden[1:] else hidden[0]
        lines.append(f"  and {len(hidden)} more (--all): {names}")
    lines.append("")
    graded = result.graded()
    if brief:
        lines += _row("dimension", report["loss"]["dimension"])
        return "\n".join([*lines, *(_row("evidence", graded) if graded != "exact" else [])])
    lines += head_lines(result, point)
    lines += _row("assuming", ", ".join(report["assumptions"]))
    more = "" if proof else " (--proof prints them)"
    count = len(result.derivation)
    lines += _row("evidence", f"{graded}, {count} checked steps{more}")
    lines += _claims(report, result, claims)
    if proof:
        lines += ["", f"Derivation{_terms(report)}", *_steps(result)]
    return "\n".join(lines)


def _steps(result: Result) -> list[str]:
    """Each step of the derivation: its title and evidence, what it says, and why."""
    from ..derive.decide.root import ClampedRoot, without_roots
    from ..derive.write.layout.lines import fold
    from ..derive.write.layout.statement import text_lines
    from ..derive.write.report import names_of_roots, roots_of

    lines: list[str] = []
    names = names_of_roots(result)
    for k, step in enumerate(result.derivation, 1):
        lines += wrapped(f"{k}. {step.title}  [{step.evidence.grade}]", 2, hang=5)
        has_root = step.statement.has(ClampedRoot)
        statement = without_roots(step.statement, names) if has_root else step.statement
        for line in text_lines(statement, step.says.domain):
            lines += fold(line, WIDTH, 8, 10)
        for root, how in roots_of(step.statement, result, names).items() if has_root else ():
            lines += root_lines(root, *how, 8)
        lines += wrapped(step.why, 5)
    return lines


def _row(label: str, text: str) -> list[str]:
    return labelled(label, text, hang=2)


def _elided(lines: list[str], whole: bool) -> list[str]:
    """The first and last lines of what is longer than a screen, such as a matrix of cosines."""
    if whole or len(lines) <= LONGEST:
        return lines
    left = len(lines) - LONGEST + 1
    return [*lines[: LONGEST - 5], f"      ... ({left} more lines: --all)", *lines[-4:]]


def _quantity(
    name: str, q: Mapping[str, Any], said: set[str], brief: bool, is_open: bool, is_claim: bool
) -> list[str]:
    """A quantity as text: its value or its formula, what it means, what roots in it are.

    ``is_open``: it is a condition on what is left open. ``is_claim``: what it means is what the
    theorem claims, "classes do not collapse iff alpha > alpha_min", which is said first if it is
    one line.
    """
    from ..derive.theorem.bounds import in_words
    from ..derive.write.layout.lines import fold

    claim, meaning, at = [], wrapped(q["meaning"], 6), 2
    if is_claim and len(meaning) == 1:
        claim, meaning, at = wrapped(q["meaning"], 2), [], 6
    if "refused" in q:
        return [*claim, f"{' ' * at}{name}: no value here, {q['refused']}", *meaning]
    formula, *where = q["shown"]
    value = _in_line(q["value"])
    plain = _INTEGERS.fullmatch(q["sympy"]) or value in (q["sympy"], q["sympy"].lower())
    shown = formula if plain else value or q.get("text") or formula
    new = {root: how for root, how in q["roots"].items() if root not in said}
    said.update(new)
    if shown in new and shown == name:
        lines = root_lines(shown, *new.pop(shown))
    else:
        joint = ":" if "text" in q else " iff" if is_open else " ="
        lines = fold(f"{name}{joint} {shown}", WIDTH, at, at + 6)
    if shown == formula:
        for part in where:
            lines += fold(f"where {part}", WIDTH, at + 4, at + 8)
    exact = not q["sympy"].endswith(("...", "EmptySet")) and formula not in q["roots"]
    if value and exact and not brief and not plain and len(formula) < WIDTH:
        lines += fold(f"exactly {q.get('text', formula)}", WIDTH, at + 4, at + 6)
    lines = [*claim, *lines, *meaning]
    if "bound" in q and not brief:
        lines += wrapped("; ".join(in_words(name, q["bound"])), 6)
    if not value or "text" in q:
        for root, (bracket, equation) in new.items():
            lines += root_lines(root, bracket, equation, at + 4)
    if q["beyond"] and q["beyond"] not in said:
        said.add(q["beyond"])
        lines += wrapped(f"for {q['beyond'].replace(' is an ', ' an ')}", at + 4)
    return lines


def root_lines(name: str, bracket: str, equation: str, indent: int = 2) -> list[str]:
    """What a root is, said once."""
    from ..derive.write.layout.lines import fold

    where = "" if indent == 2 else "where "
    return [
        *fold(f"{where}{name} in {bracket} solves", WIDTH, indent, indent + 8),
        *fold(f"{equation} = 0,", WIDTH, indent + 6, indent + 8),
        *wrapped("or is the end of the bracket nearest to a sign change", indent + 4),
    ]


def _claims(report: dict[str, Any], result: Result, all_of_them: bool) -> list[str]:
    """The printed claims that are settled: how many, or all of them with their verdicts."""
    if not all_of_them:
        counts = ", ".join(f"{k} of {paper}" for paper, k in result.claim_counts.items())
        return _row("claims", f"settles {counts} (--claims lists them)") if counts else []
    lines = ["", "Printed claims that this settles"] if report["claims"] else []
    for c in report["claims"]:
        note = f": {c['note']}" if c["note"] else ""
        lines += wrapped(f"{c['paper']} {c['label']} {c['verdict']}{note}", 2, hang=6)
    return lines


def _in_line(value: Any) -> str:
    """A decimal, or the nested lists of an array in brackets."""
    if isinstance(value, list):
        return f"[{', '.join(map(_in_line, value))}]"
    return value or ""


def _number_tex(q: Mapping[str, Any]) -> str:
    r"""``\approx value``; of an integer, a set, a condition or a name the formula says it all."""
    value = q["value"]
    text = q["sympy"]
    if not value or "text" in q or value in (text, text.lower()) or text.lstrip("-").isdigit():
        return ""
    return rf" \approx {_array_tex(value)}"


def _array_tex(value: Any) -> str:
    if not isinstance(value, list):
        return str(value)
    if any(isinstance(row, list) for row in value):
        rows = [row if isinstance(row, list) else [row] for row in value]
        body = r" \\ ".join(" & ".join(map(_array_tex, row)) for row in rows)
    else:
        body = " & ".join(value)
    return rf"\left[\begin{{matrix}}{body}\end{{matrix}}\right]"


def wrapped(text: str, indent: int, hang: int | None = None) -> list[str]:
    """Lines of a text that are indented, all but the first by ``hang``."""
    first, rest = " " * indent, " " * (indent if hang is None else hang)
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _without_entries(q: Mapping[str, Any]) -> Mapping[str, Any]:
    """A quantity in LaTeX; of an array that is longer than a page, how large it is."""
    value = q.get("value")
    if not isinstance(value, list) or len(value) <= LONGEST:
        return q
    size = f"{len(value)} x {len(value[0])}" if isinstance(value[0], list) else len(value)
    return {
        **q,
        "shown": [rf"\text{{an array of {size} numbers (all of them with --all)}}"],
        "value": None,
    }


def _typeset_head(writer: Writer, point: Point, style: str, brief: bool) -> list[str]:
    """The loss or the structure of a result and its dimension as LaTeX or Markdown."""
    from ..derive.losses.written import Tex
    from ..derive.theorem.about import head

    spell = Tex(writer.symbol, _tex if style == "latex" else str, writer.symbol_text)
    about = head(writer.result, spell, point)
    opened, closed = (r"\[ ", r" \]") if style == "latex" else ("$$", "$$")
    formula = [f"{opened}{about.formula}{closed}"] if about.formula and not brief else []
    said = [f"Dimension: {about.dimension}."] if brief else about.sentences()
    return [*formula, *said] if style == "latex" else [p for s in formula + said for p in (s, "")]


def _latex(report: dict[str, Any], brief: bool, head: list[str], writer: Writer) -> str:
    from ..derive.write.display import sentence
    from ..derive.write.wording import escape

    lines = [f"% {report['id']}: {report['title']}{_head(report)}"]
    lines += [f"{writer.prose(sentence(said), escape)}." for said in report["verdicts"]]
    lines += [*head, r"\begin{align}"]
    rows = [
        f"  {row}" for name, q in report["quantities"].items() for row in _equation(name, q, writer)
    ]
    lines += [" \\\\\n".join(rows), r"\end{align}"]
    lines += _roots_tex(report, r"\[ ", r" \]")
    if not brief:
        lines += [
            f"${_symbol(name, writer)}$: {writer.prose(said, escape)}.\n"
            for name, q in report["quantities"].items()
            if (said := _said_of_bound(q.get("bound")))
        ]
    return "\n".join(lines)


def _symbol(name: str, writer: Writer) -> str:
    return writer.symbol_text(writer.result.quantity(name).symbol)


def _equation(name: str, q: Mapping[str, Any], writer: Writer) -> list[str]:
    """The name of a quantity and its value, as rows that are aligned."""
    from ..derive.write.display import joint

    label, quantity = _symbol(name, writer), writer.result.quantity(name)
    if "refused" in q:
        return [rf"{label} &= \text{{no value here: {_tex(q['refused'])}}}"]
    if "text" in q:
        return [f"{label} &: {q['latex']}"]
    first, *more = q["shown"]
    found = [f"{label}{joint(quantity, '&')}{first}", *(rf"&\quad {{}} {row}" for row in more)]
    value = _number_tex(q)
    if quantity.expression in writer.roots:  # a root has no other name for what it is
        zero = value.partition("approx ")[2] or r"\text{the zero below}"
        return [f"{label} &= {zero}"]
    found[-1] += value
    return found


def _said_of_bound(bound: Mapping[str, Any] | None) -> str:
    """What is left to say of a bound where its name says what it bounds, and on which side."""
    from ..derive.theorem.bounds import in_words

    return "" if bound is None else "; ".join(in_words("", {**bound, "constants": {}})[1:])


def _roots_tex(report: dict[str, Any], opened: str, closed: str) -> list[str]:
    """What each root is, once; of those without a value."""
    found: dict[str, tuple[str, str]] = {}
    for q in report["quantities"].values():
        if not q["value"]:
            found |= q.get("roots", {})
    return [
        line
        for name, (bracket, equation) in found.items()
        for line in (
            f"Here ${name} \\in {bracket}$ solves",
            f"{opened}{equation} = 0,{closed}",
            "or is the end of the interval that is nearest to a sign change.",
        )
    ]


def _tex(text: str) -> str:
    for plain, escaped in (("_", r"\_"), ("&", r"\&"), ("%", r"\%"), ("<", "$<$"), (">", "$>$")):
        text = text.replace(plain, escaped)
    return text


def _markdown(report: dict[str, Any], brief: bool, head: list[str], writer: Writer) -> str:
    from ..derive.theorem.bounds import in_words
    from ..derive.write.display import sentence
    from ..derive.write.layout.statement import aligned

    def said(text: str) -> str:
        return writer.prose(text, str)

    lines = [f"# {report['title']}", "", f"`{report['id']}`{_head(report)}", ""]
    lines += [
        part for verdict in report["verdicts"] for part in (f"{said(sentence(verdict))}.", "")
    ]
    lines += head
    for name, q in report["quantities"].items():
        meaning = said(sentence(q["meaning"]))
        if "refused" in q:
            lines += [f"**`{name}`** {meaning}: no value here, {q['refused']}", ""]
            continue
        rows = aligned(_equation(name, q, writer))
        lines += [f"**`{name}`** {meaning}", "", f"$${rows}$$", ""]
        if "bound" in q and not brief:
            bound = "; ".join(in_words(name, q["bound"], lambda code: f"`{code}`"))
            lines += [f"{bound[0].upper()}{bound[1:]}.", ""]
        if q["beyond"]:
            lines += [f"For {said(q['beyond'])}.", ""]
    lines += [part for line in _roots_tex(report, "$$", "$$") for part in (line, "")]
    if brief:
        return "\n".join(lines)
    evidence = f"{report['evidence']}, {len(writer.result.derivation)} checked steps"
    lines += [f"Evidence: {evidence}.", ""]
    if report["steps"]:
        lines += [f"## Derivation{_terms(report)}", ""]
    for k, step in enumerate(report["steps"], 1):
        lines += [f"{k}. **{said(step['title'])}** ({step['evidence']})", ""]
        lines += [f"    $${step['latex']}$$", ""] if step["latex"] else []
        lines += [f"    {said(step['because'])}", ""]
    if report["claims"]:
        lines += ["## Printed claims", "", "| claim | verdict | note |", "| --- | --- | --- |"]
        lines += [
            f"| {c['paper']} {c['label']} | {c['verdict']} | {_cell(c['note'])} |"
            for c in report["claims"]
        ]
    return "\n".join(lines)


def _cell(text: str) -> str:
    """Words for a cell of a table in Markdown; what has commands of TeX in it as code."""
    words = text.replace("|", "/").split()
    return " ".join(
        f"`{word}`" if re.search(r"\\[A-Za-z]", word) else re.sub(r"([\\*_<`])", r"\\\1", word)
        for word in words
    )

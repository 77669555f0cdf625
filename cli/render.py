"""Render the report of a result as text, JSON, LaTeX, Markdown or Python."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sympy import Basic, Expr, Symbol

    from ..derive.theorem.result import Result

    Point = Mapping[Symbol, Expr]

WIDTH = 100


def render(
    report: dict[str, Any],
    style: str,
    *,
    brief: bool,
    result: Result,
    point: Mapping[Symbol, Expr],
) -> str:
    """One of the formats of ``cltheory derive``."""
    if style == "json":
        import json

        return json.dumps(report, indent=2)
    if style == "python":
        return _python(report, result, point)
    if style == "text":
        return _text(report, brief, result, point)
    head = [] if brief else _typeset_head(result, point, style)
    return {"latex": _latex, "markdown": _markdown}[style](report, brief, head)


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
    rows.append(("dimension", about.dimension))
    if about.convention:
        rows.append(("convention", about.convention))
    if about.elsewhere:
        rows.append(("elsewhere", f"{about.elsewhere} (derive --convention NAME)"))
    lines: list[str] = []
    said = ""
    for label, text in rows:
        first, *rest = _wrapped(text, 14, 16)
        lines += [first if label == said else f"  {label:<12}{first[14:]}", *rest]
        said = label
    return lines


def _text(report: dict[str, Any], brief: bool, result: Result, point: Point) -> str:
    lines = [f"{report['id']}: {report['title']}{_head(report)}", ""]
    if not brief:
        lines += [*head_lines(result, point), ""]
    said: set[str] = set()
    for name, q in report["quantities"].items():
        value = _in_line(q["value"])
        plain = q["sympy"].lstrip("-").isdigit() or value == q["sympy"].lower()
        shown = q["sympy"] if plain else value or q.get("text") or q["sympy"]
        condition = q["condition"]
        if "refused" in q:
            lines.append(f"  {name}: no value here, {q['refused']}")
            lines += _wrapped(q["meaning"], 6)
            continue
        if condition and shown.endswith("_star"):  # no closed form: the condition is the answer
            said.add(condition)
            lines += _wrapped(
                f"{name} = {shown}: {condition}" if shown != name else condition, 2, 8
            )
        else:
            lines += _wrapped(f"{name}{':' if 'text' in q else ' ='} {shown}", 2, 8)
        exact = not q["sympy"].endswith("...")
        if value and exact and not brief and not plain and len(q["sympy"]) < WIDTH:
            lines.append(f"      exactly {q['sympy']}")
        lines += _wrapped(q["meaning"], 6)
        if condition and condition not in said:
            said.add(condition)
            lines += _wrapped(f"for {condition}" if name != "x_star" else condition, 6)
    if brief:
        return "\n".join(lines)
    lines += ["", "Assumptions: " + ", ".join(report["assumptions"])]
    lines += ["", f"Derivation (weakest evidence: {report['evidence']}){_terms(report)}"]
    for k, step in enumerate(result.derivation, 1):
        lines += _wrapped(f"{k}. {step.title}  [{step.evidence.grade}]", 2, hang=5)
        for line in _plain(step.statement):
            lines += _wrapped(line, 8, hang=10)
        lines += _wrapped(f"because {step.because}", 5)
    if report["claims"]:
        lines += ["", "Printed claims that this settles"]
        for c in report["claims"]:
            note = f": {c['note']}" if c["note"] else ""
            lines += _wrapped(f"{c['paper']} {c['label']} {c['verdict']}{note}", 2, hang=6)
    return "\n".join(lines)


def _in_line(value: Any) -> str:
    """A decimal, or the nested lists of an array in brackets."""
    if isinstance(value, list):
        return f"[{', '.join(map(_in_line, value))}]"
    return value or ""


def _number_tex(q: Mapping[str, Any]) -> str:
    """``= value``; of a set, a condition or a name the formula says it all."""
    value = q["value"]
    if not value or "text" in q or q["sympy"].lower() == value:
        return ""
    return f" = {_array_tex(value)}"


def _array_tex(value: Any) -> str:
    if not isinstance(value, list):
        return str(value)
    if any(isinstance(row, list) for row in value):
        rows = [row if isinstance(row, list) else [row] for row in value]
        body = r" \\ ".join(" & ".join(map(_array_tex, row)) for row in rows)
    else:
        body = " & ".join(value)
    return rf"\left[\begin{{matrix}}{body}\end{{matrix}}\right]"


def _plain(statement: Basic) -> list[str]:
    """A statement in plain text: relations with their sign, tuples line by line."""
    if type(statement).__name__ == "Tuple":
        if not any(type(a).__name__ == "Tuple" or hasattr(a, "rel_op") for a in statement.args):
            return ["  ".join(str(a) for a in statement.args)]
        return [line for a in statement.args for line in _plain(a)]
    if type(statement).__name__ == "Iff":
        first, second = (" and ".join(_plain(a)) for a in statement.args)
        return [first, f"iff {second}"]
    sign = getattr(statement, "rel_op", None)
    if sign is None:
        return [str(statement)]
    return [f"{statement.args[0]} {'=' if sign == '==' else sign} {statement.args[1]}"]


def _wrapped(text: str, indent: int, hang: int | None = None) -> list[str]:
    first, rest = " " * indent, " " * (indent if hang is None else hang)
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False
    )


def _typeset_head(result: Result, point: Point, style: str) -> list[str]:
    """The loss or the structure of a result as LaTeX or Markdown."""
    from ..derive.losses.written import Tex
    from ..derive.theorem.about import head
    from ..derive.write.display import written

    about = head(result, Tex(written, _tex if style == "latex" else str), point)
    opened, closed = (r"\[ ", r" \]") if style == "latex" else ("$$", "$$")
    formula = [f"{opened}{about.formula}{closed}"] if about.formula else []
    said = about.sentences()
    return [*formula, *said] if style == "latex" else [p for s in formula + said for p in (s, "")]


def _latex(report: dict[str, Any], brief: bool, head: list[str]) -> str:
    lines = [f"% {report['id']}: {report['title']}{_head(report)}", *head, r"\begin{align}"]
    rows = []
    for name, q in report["quantities"].items():
        label = r"\mathtt{" + name.replace("_", r"\_") + "}"
        if "refused" in q:
            rows.append(f"  {label} &= \\text{{no value here: {_tex(q['refused'])}}}")
            continue
        rows.append(f"  {label} {'&:' if 'text' in q else '&='} {q['latex']}{_number_tex(q)}")
    lines += [" \\\\\n".join(rows), r"\end{align}"]
    if not brief:
        if terms := _terms(report):
            lines.append(f"The derivation is{terms.removeprefix(',')}.")
        lines.append(r"\begin{enumerate}")
        for step in report["steps"]:
            lines.append(f"  \\item {_tex(step['title'])} \\emph{{({step['evidence']})}}")
            lines.append(f"    \\[ {step['latex']} \\]")
            lines.append(f"    {_tex(step['because'])}.")
        lines.append(r"\end{enumerate}")
    return "\n".join(lines)


def _tex(text: str) -> str:
    for plain, escaped in (("_", r"\_"), ("&", r"\&"), ("%", r"\%"), ("<", "$<$"), (">", "$>$")):
        text = text.replace(plain, escaped)
    return text


def _markdown(report: dict[str, Any], brief: bool, head: list[str]) -> str:
    lines = [f"# {report['title']}", "", f"`{report['id']}`{_head(report)}", "", *head]
    for name, q in report["quantities"].items():
        if "refused" in q:
            lines += [f"**{name}** ({q['meaning']}): no value here, {q['refused']}", ""]
            continue
        value = _number_tex(q)
        lines += [f"**{name}** ({q['meaning']}): $${q['latex']}{value}$$", ""]
        if q["condition"]:
            lines += [f"For {q['condition']}.", ""]
    if brief:
        return "\n".join(lines)
    lines += [f"## Derivation (weakest evidence: {report['evidence']}){_terms(report)}", ""]
    for k, step in enumerate(report["steps"], 1):
        lines += [f"{k}. **{step['title']}** ({step['evidence']})", ""]
        lines += [f"    $${step['latex']}$$", "", f"    {step['because']}", ""]
    if report["claims"]:
        lines += ["## Printed claims", "", "| claim | verdict | note |", "| --- | --- | --- |"]
        lines += [
            f"| {c['paper']} {c['label']} | {c['verdict']} | {c['note']} |"
            for c in report["claims"]
        ]
    return "\n".join(lines)


def _python(report: dict[str, Any], result: Result, point: Mapping[Symbol, Expr]) -> str:
    from ..derive.write.python import python_source

    return python_source(result, point)

"""What a result states, as Markdown: first its sentence and its formula, then the rest of it."""

from __future__ import annotations

import re

from ..losses.written import Tex
from ..theorem.about import head
from ..theorem.bounds import Bounds, as_data, in_words
from ..theorem.dimensions import own_dimension
from ..theorem.quantity import Quantity
from ..theorem.result import Result
from ..theorem.written import written
from .display import Writer
from .layout.displays import expression
from .layout.statement import aligned
from .wording import inert


def lead(result: Result) -> str:
    """The sentence and the formula of what the result is known by."""
    writer = Writer(result)
    return _said(writer, known_by(result), heading=False)


def known_by(result: Result) -> str:
    """What is asked first: its threshold, else its minimum, else what it begins with."""
    every = result.quantities
    found = (name for name, q in every.items() if q.threshold or q.ends)
    return next(found, "loss" if "loss" in every else next(iter(every)))


def rest(result: Result, level: int = 2) -> str:
    """The loss, the other quantities, what defines their roots, and a table of limits.

    Parameters
    ----------
    level
        That of the headings.
    """
    mark = "#" * level
    writer = Writer(result)
    others = [name for name in result.quantities if name != known_by(result)]
    quantities = [name for name in others if result.quantities[name].limit_of is None]
    limits = [name for name in others if name not in quantities]
    parts = [f"{mark} The loss\n\n" + _loss(writer)]
    if quantities:
        said = [_said(writer, name, heading=True) for name in quantities]
        parts.append("\n\n".join([f"{mark} Further quantities", *said]))
    if limits:
        parts.append(f"{mark} Limits\n\n" + _table(writer, limits))
    return "\n\n".join(parts)


def _loss(writer: Writer) -> str:
    result = writer.result
    about = head(result, Tex(written, inert))
    integers, others = writer.assumptions(result.parameters, result.domain)
    ranges = [f"${r}$" for r in others]
    if integers:
        ranges.insert(0, f"integers ${', '.join(integers)}$")
    said = [f"$$\n{about.formula}\n$$"] if about.formula else []
    told = any(_dimension(writer, name) for name in result.quantities)
    said += [s for s in about.sentences() if not (told and s.startswith("Dimension: "))]
    return "\n\n".join([*said, *([f"For {', '.join(ranges)}."] if ranges else [])])


def _said(writer: Writer, name: str, *, heading: bool) -> str:
    """A quantity: what it means, its equation, where it holds, and the dimension it needs."""
    q = writer.result.quantity(name)
    meaning = _meaning(writer, name)
    text = f"**`{name}`** {meaning}" if heading else f"**{meaning}**"
    parts = [text, f"$$\n{_equation(writer, q)}\n$$", *_root(writer, q, every=not heading)]
    if isinstance(q, Bounds):
        bound = as_data(q, writer.result.id, name, {})
        words = "; ".join(in_words(name, bound, lambda c: f"`{c}`"))
        parts.append(f"{_upper(words)}.")
    where = ", ".join(filter(None, (_beyond(writer, q), _dimension(writer, name))))
    return "\n\n".join([*parts, *([f"For {where}."] if where else [])])


def _meaning(writer: Writer, name: str) -> str:
    return writer.meaning(name, inert).rstrip(".")


def _equation(writer: Writer, q: Quantity) -> str:
    """Name and value as rows that fit; of a root, what it is a zero of."""
    if q.expression in writer.roots or not q.is_number or q.symbol.endswith((r"\le", r"\ge")):
        return writer.quantity(q)
    own = q.domain or writer.result.domain
    laid = expression(writer.shown(q.expression), own, writer.symbol, writer.symbol_text(q.symbol))
    where = [row for part in laid.where for row in (rf"\text{{where }} {part[0]}", *part[1:])]
    return aligned([*laid.rows, *where])


def _root(writer: Writer, q: Quantity, *, every: bool) -> list[str]:
    """What the names of roots in a formula stand for, where it is no root itself.

    Of ``every`` one, or of those alone that are no quantity.
    """
    inside = [r for r in writer.roots if q.expression.has(r) and r != q.expression]
    known = {o.expression for o in writer.result.quantities.values()}
    return [
        f"Here\n\n$$\n{writer.where(root)}.\n$$" for root in inside if every or root not in known
    ]


def _beyond(writer: Writer, q: Quantity) -> str:
    return ", ".join(f"${c}$" for c in writer.beyond(q))


def _dimension(writer: Writer, name: str) -> str:
    """From which dimension on it is what it says."""
    own = own_dimension(writer.result, name)
    if own is None:
        return ""
    return f"$d \\ge {writer.expression(own.least)}$" + ("" if own.sharp else ", which suffices")


def _table(writer: Writer, names: list[str]) -> str:
    text = "| | limit | for |\n| --- | --- | --- |\n"
    for name in names:
        q = writer.result.quantity(name)
        tex = writer.quantity(q).replace("|", r"\vert ")
        where = ", ".join(filter(None, (_beyond(writer, q), _dimension(writer, name))))
        text += f"| `{name}` | $\\displaystyle {tex}$ | {where} |\n"
    return text


def _upper(text: str) -> str:
    return re.sub(r"\A[a-z]", lambda letter: letter[0].upper(), text)

"""Results as Python: functions of numpy arrays, in a module that needs numpy only."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sympy import Expr, Symbol

from ..decide.domain import DomainError
from ..papers.sources import MADE_BY, version
from ..theorem.about import head
from ..theorem.compile import NotNumpy, conditions_on, quantity_function
from ..theorem.quantity import Quantity
from ..theorem.result import Result
from .display import sentence, words
from .renaming import ExportError, names_in, retold


def python_source(
    result: Result, point: Mapping[Symbol, Expr], names: Mapping[str, str] | None = None
) -> str:
    """The quantities, with values put in and symbols renamed, as plain numpy functions."""
    return _module(*retold([titled(result, point), *_functions(result, "", point)], names or {}))


def titled(result: Result, point: Mapping[Symbol, Expr]) -> str:
    """What a module is called that has values put in."""
    at = ", ".join(f"{s} = {v}" for s, v in point.items())
    return f"{result.title}{f' with {at}' if at else ''} ({result.id}), written by cltheory"


def to_python(results: Sequence[Result], names: Mapping[str, str] | None = None) -> str:
    """Every quantity as a function of numpy arrays, in one module that needs numpy only.

    A function is named like its result and quantity: ``supcl_threshold_alpha_min(m, n, tau)``.
    What numpy has no counterpart for is left out, and a comment says so.

    Raises
    ------
    ExportError
        If two results would have functions of the same name, or as :func:`.renaming.retold` does.
    """
    body, wrapped = "", ""
    for result, prefix in zip(results, prefixes(results), strict=True):
        texts = (_about(result), *_functions(result, prefix, {}))
        about, functions, checks = retold(texts, names_in(result, names or {}))
        body += f"\n\n# --- {result.id}: {result.title}\n{about}{functions}"
        wrapped += checks
    return _module(f"{MADE_BY} {version()}: results of contrastive-learning theory", body, wrapped)


def prefixes(results: Sequence[Result]) -> list[str]:
    """What names of functions begin with, a prefix for each result."""
    called = [f"{result.id.replace('-', '_')}_" for result in results]
    if twice := [name for name in called if called.count(name) > 1]:
        raise ExportError(f"two results would be called {twice[0][:-1]}")
    return called


def _about(result: Result) -> str:
    """The loss and the dimension of a result, as comments."""
    about = head(result)
    lines = [*(about.formula.split("\n") if about.formula else []), *about.sentences()]
    wrapped = (textwrap.wrap(line, 98, subsequent_indent="    ") for line in lines)
    return "".join(f"# {row}\n" for rows in wrapped for row in rows)


def _functions(result: Result, prefix: str, point: Mapping[Symbol, Expr]) -> tuple[str, str]:
    """The functions of a result, and the lines that give them their domains and their checks."""
    body, wrapped = "", ""
    for name, found in sources(result, prefix, point).items():
        if isinstance(found, str):
            body += f"\n\n# Left out: {name}: {found}.\n"
        else:
            body, wrapped = body + found[0], wrapped + found[1]
    return body, wrapped


def sources(
    result: Result, prefix: str, point: Mapping[Symbol, Expr]
) -> dict[str, tuple[str, str] | str]:
    """Each function and the line that gives it its domain and its checks, or why it is left out."""
    found: dict[str, tuple[str, str] | str] = {}
    for name, q in result.quantities.items():
        try:
            expression = result.at(name, point) if point else q.expression
            shown = replace(q, expression=expression)
            found[prefix + name] = _function(result, prefix + name, shown, point)
        except (NotNumpy, DomainError) as refusal:
            found[prefix + name] = str(refusal)
    return found


def _function(
    result: Result, function: str, q: Quantity, point: Mapping[Symbol, Expr]
) -> tuple[str, str]:
    if spoken := sorted(s.name for s in words(q.expression)):
        raise NotNumpy(f"its values are words: {', '.join(spoken)}")
    free = q.expression.free_symbols
    order = [s for s in result.parameters if s in free]
    order += sorted(free - set(order), key=str)
    conditions = conditions_on(result.domain, q, order, point)
    return quantity_function(function, q, order, _doc(result, q, order), conditions)


def _doc(result: Result, q: Quantity, order: Sequence[Symbol]) -> str:
    ranges = {**result.domain.ranges, **(q.domain.ranges if q.domain is not None else {})}
    domain = [f"{s}: {ranges[s]}" for s in order if s in ranges]
    if q.needs is not None:
        domain.append(f"{q.needs[0]} > 0")
    lines = [f"{sentence(q.meaning)}.", ""]
    lines += [f"For {'; '.join(domain)}.", ""] if domain else []
    lines += [f"Source: {result.source} ({result.id}).", ""]
    text = "\n    ".join(lines)
    return text.replace("\\", r"\\").replace("\n    \n", "\n\n")


def _module(title: str, body: str, wrapped: str) -> str:
    """Functions as a module; below them, what they are evaluated with, and their domains."""
    from ..theorem import floats

    doc, imports, helpers = re.split(r"\n(?=from __f|#: )", inspect.getsource(floats), maxsplit=2)
    doc = doc.replace('"""', f'"""{title}.\n\n', 1)
    parts = [f"{doc}\n{imports.rstrip()}\n{body}", f"{_rule('how they are evaluated')}\n{helpers}"]
    return "\n\n".join(
        [*parts, f"{_rule('each function with its domain and its checks')}{wrapped}"]
    )


def _rule(heading: str) -> str:
    return f"# --- {heading} ".ljust(100, "-")

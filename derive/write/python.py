"""Results as Python: functions of numpy arrays, in a module that needs numpy only."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import replace

from sympy import Expr, Symbol

from ..decide.domain import DomainError
from ..theorem.compile import NotNumpy, conditions_on, quantity_function
from ..theorem.kinds import numbers_in
from ..theorem.number import number
from ..theorem.result import Result


def python_source(result: Result, point: Mapping[Symbol, Expr]) -> str:
    """The quantities, with values put in, as a module of plain numpy functions."""
    body, wrapped = "", ""
    for name, quantity in result.quantities.items():
        try:
            expression = result.at(name, point)
            for e in numbers_in(expression):
                if not e.free_symbols:
                    number(e, name, 15, extended=quantity.extended)
        except DomainError as refusal:
            body += f"\n\n# {name}: {refusal}\n"
            continue
        order = [s for s in result.parameters if s in expression.free_symbols]
        order += sorted(expression.free_symbols - set(order), key=str)
        meaning = f"{quantity.meaning[0].upper() + quantity.meaning[1:]}."
        conditions = conditions_on(result.domain, quantity, order, point)
        shown = replace(quantity, expression=expression)
        try:
            source, wrapper = quantity_function(name, shown, order, meaning, conditions)
        except NotNumpy as refusal:
            body += f"\n\n# Left out: {refusal}.\n"
            continue
        body, wrapped = body + source, wrapped + wrapper
    return python_module(f"{result.title} ({result.id}), written by cltheory", body, wrapped)


def python_module(title: str, body: str, wrapped: str) -> str:
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

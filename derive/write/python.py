"""Results as Python: functions of numpy arrays, in a module that needs numpy only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce

from sympy import Basic, Expr, Symbol
from sympy.printing.numpy import NumPyPrinter

from ..decide.domain import DomainError
from ..decide.root import ClampedRoot
from ..theorem.compile import (
    KINKED,
    conditions_on,
    membership,
    outermost_roots,
    without_fractions,
)
from ..theorem.kinds import Kind, numbers_in
from ..theorem.number import number
from ..theorem.quantity import Quantity
from ..theorem.result import Result

_HEADER = '''"""{title}. Needs numpy only."""

import numpy as np
'''

_ROOT = '''

def clamped_root(h, low, high, flat=False, steps=200):
    """Zero of a function that crosses from below, by bisection, clamped to the ends.

    It is the first one of a function that may be flat; else one at the far end is the only one.
    """
    low, high = np.asarray(low, float), np.asarray(high, float)
    low, high, _ = (np.array(v, float) for v in np.broadcast_arrays(low, high, h(low)))
    reach = np.ones_like(low)
    for _ in range(60):  # an open end: go out until the function is positive
        short = np.isinf(high) & (h(low + reach) <= 0)
        if not short.any():
            break
        reach = np.where(short, 2 * reach, reach)
    a, b = low, np.where(np.isinf(high), low + reach, high)
    none, all_below = h(a) >= 0, h(b) < 0 if flat else h(b) <= 0
    for _ in range(steps):
        x = (a + b) / 2
        below = h(x) < 0
        a, b = np.where(below, x, a), np.where(below, b, x)
    x = (a + b) / 2
    x = np.where(np.isnan(h(x)), np.nan, x)  # floats do not reach so far
    return np.where(none, low, np.where(all_below, high, x))
'''


class NotNumpy(ValueError):
    """The expression has no counterpart in numpy; the message says what it needs."""


def python_source(result: Result, point: Mapping[Symbol, Expr]) -> str:
    """The quantities, with values put in, as a module of plain numpy functions."""
    body, rooted = "", False
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
            body += quantity_function(name, shown, order, meaning, conditions)
        except NotNumpy as refusal:
            body += f"\n\n# Left out: {refusal}.\n"
            continue
        rooted |= bool(expression.atoms(ClampedRoot))
    return python_module(f"{result.title} ({result.id}), written by cltheory", body, rooted)


def python_module(title: str, body: str, rooted: bool) -> str:
    """Functions as a module, with the helper that finds roots if there are any."""
    return _HEADER.format(title=title) + (_ROOT if rooted else "") + body


def quantity_function(
    name: str,
    quantity: Quantity,
    order: Sequence[Symbol],
    doc: str,
    conditions: Sequence[Expr] = (),
) -> str:
    """The source of a numpy function of a quantity of any kind.

    Raises
    ------
    NotNumpy
        If numpy has no counterpart, or it is no number.
    """
    expression = quantity.expression
    if quantity.kind is Kind.NAME:
        raise NotNumpy(f"{name} is a name, {expression}")
    if quantity.kind is Kind.SET:
        expression, order = membership(quantity, order)
        doc = f"Whether {quantity.parameter} is there. {doc}"
    return python_function(name, expression, order, doc, conditions)


def python_function(
    name: str,
    expression: Basic,
    order: Sequence[Symbol],
    doc: str,
    conditions: Sequence[Expr] = (),
) -> str:
    """The source of a numpy function; every root is found once, before it is used.

    Where one of the :func:`conditions_on` the arguments fails, the value is nan.

    Raises
    ------
    NotNumpy
        If numpy has no function that the expression needs.
    """
    printer = _Printer({"fully_qualified_modules": False, "allow_unknown_functions": True})
    names = [s.name for s in order]
    lines = [f'"""{doc}"""']
    numbers = [s.name for s in order if s.is_extended_real]
    if len(numbers) == 1:
        lines.append(f"{numbers[0]} = np.asarray({numbers[0]}, float)")
    elif numbers:
        listed = ", ".join(numbers)
        lines.append(f"{listed} = (np.asarray(v, float) for v in ({listed}))")
    stand_ins = {}
    for k, root in enumerate(sorted(outermost_roots(expression), key=str), 1):
        stand_ins[root] = Symbol(f"root_{k}")
        lines.append(f"root_{k} = {printer.doprint(root)}")
    shown = expression.xreplace(stand_ins)
    shape = getattr(shown, "shape", ())
    value = printer.doprint(shown) if not shape else _stacked(printer, numbers_in(shown), shape)
    if conditions:
        first, *more = (f"({printer.doprint(condition)})" for condition in conditions)
        lines.append(f"inside = {first}")
        lines += [f"inside = inside & {condition}" for condition in more]
        held = f"np.asarray(inside)[..., {', '.join(['None'] * len(shape))}]" if shape else "inside"
        value = f"np.where({held}, {value}, np.nan)[()]"
    lines.append(f"return {value}")
    if conditions:  # what is computed outside is not used
        start = next(
            k for k, row in enumerate(lines) if row.startswith(("root_", "inside", "return"))
        )
        lines[start:] = [
            'with np.errstate(all="ignore"):',
            *(f"    {row}" for row in lines[start:]),
        ]
    source = f"\n\ndef {name}({', '.join(names)}):\n" + "".join(f"    {row}\n" for row in lines)
    _only_numpy(source, name)
    return source


def _stacked(printer: _Printer, entries: Sequence[Expr], shape: Sequence[int]) -> str:
    """An array whose own axes come last."""
    listed = ", ".join(map(printer.doprint, entries))
    parts = f"np.stack(np.broadcast_arrays({listed}), axis=-1)"
    return f"(lambda a: a.reshape(a.shape[:-1] + {tuple(shape)}))({parts})"


def _only_numpy(source: str, name: str) -> None:
    """Refuse a function that uses a name it neither defines nor has from numpy."""
    import ast

    import numpy as np

    known = {"np", "clamped_root", "float"}
    used: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.arg):
            known.add(node.arg)
        elif isinstance(node, ast.Name):
            (known if isinstance(node.ctx, ast.Store) else used).add(node.id)
        elif isinstance(node, ast.Attribute) and not hasattr(np, node.attr):
            raise NotNumpy(f"{name} needs {node.attr}, which numpy does not have")
    if used - known:
        raise NotNumpy(f"{name} needs {', '.join(sorted(used - known))}, which numpy does not have")


class _Printer(NumPyPrinter):  # type: ignore[misc]
    """NumPy code with ``np.`` and roots found by the helper above."""

    _module = "np"

    def _print_ClampedRoot(self, e: ClampedRoot) -> str:
        h, x = e.equation()
        own = Symbol(f"at_{x.name}")  # no parameter has this name
        flat = ", flat=True" if h.has(*KINKED) else ""
        h = without_fractions(h).xreplace({x: own})
        h, low, high = (self._print(part) for part in (h, e.low, e.high))
        return f"clamped_root(lambda {own}: {h}, {low}, {high}{flat})"

    def _print_Relational(self, e: Expr) -> str:
        return f"{self._print(e.lhs)} {e.rel_op} {self._print(e.rhs)}"

    def _print_And(self, e: Expr) -> str:
        return " & ".join(f"({self._print(a)})" for a in e.args)

    def _print_Or(self, e: Expr) -> str:
        return " | ".join(f"({self._print(a)})" for a in e.args)

    def _print_Not(self, e: Expr) -> str:
        return f"~({self._print(e.args[0])})"

    def _print_Max(self, e: Expr) -> str:
        return self._pairwise("np.maximum", e)

    def _print_Min(self, e: Expr) -> str:
        return self._pairwise("np.minimum", e)

    def _pairwise(self, function: str, e: Expr) -> str:
        first, *rest = map(self._print, e.args)
        return reduce(lambda a, b: f"{function}({a}, {b})", rest, first)

    def _module_format(self, fqn: str, register: bool = True) -> str:
        return "np." + str(fqn).rpartition(".")[2]

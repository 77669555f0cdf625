"""Results as JavaScript: the numpy functions of :mod:`.python`, in another syntax.

What they are evaluated in is ``numbers.mjs`` beside this file, the counterpart of
:mod:`..theorem.floats`; modules end with its text.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any

from sympy import Expr, Symbol

from ..decide.domain import Domain
from ..papers.sources import MADE_BY, version
from ..theorem.compile import conditions_on, quantity_function
from ..theorem.quantity import Quantity
from ..theorem.result import Result
from .python import prefixes, sources, titled
from .renaming import names_in, retold

OPERATORS: dict[type[ast.AST], str] = {
    **{ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow"},
    **{ast.BitAnd: "and", ast.BitOr: "or", ast.USub: "neg", ast.Invert: "not"},
    **{ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq"},
}
NAMES = {"minimum": "min", "maximum": "max"}
CONSTANTS = {"inf": "Infinity", "nan": "NaN"}


def javascript_source(
    result: Result, point: Mapping[Symbol, Expr], names: Mapping[str, str] | None = None
) -> str:
    """The quantities, with values put in and symbols renamed, as JavaScript functions."""
    return module(*retold([titled(result, point), functions(result, "", point)], names or {}))


def to_javascript(results: Sequence[Result], names: Mapping[str, str] | None = None) -> str:
    """Every quantity as a function, in one module: ``supcl_threshold_alpha_min({m, n, tau})``.

    Values are within 1e-12 of the exact ones, relatively. A RangeError says that arguments are
    outside of the domain; NaN, that twice the digits of a float are not enough, or that no float
    is as large. What has no counterpart is left out, and a comment says so.

    Raises
    ------
    ExportError
        If two results would have functions of the same name, or as :func:`.renaming.retold` does.
    """
    body = ""
    for result, prefix in zip(results, prefixes(results), strict=True):
        (told,) = retold([functions(result, prefix, {})], names_in(result, names or {}))
        body += f"\n// --- {result.id}: {_line(result.title)}\n{told}"
    return module(f"{MADE_BY} {version()}: results of contrastive-learning theory", body)


def module(title: str, body: str) -> str:
    """Functions as a module; below them, what they are evaluated in."""
    text = (files(__package__) / "numbers.mjs").read_text("utf-8")
    provided = ", ".join(dict.fromkeys(re.findall(r"\$\.(\w+)", body)))
    numbers = f"const $ = (() => {{\n{text}\nreturn {{ {provided} }};\n}})();\n"
    return f"// {_line(title)}.\n{body}\n{numbers}"


def _line(text: str) -> str:
    """A text on one line, in whatever way JavaScript ends lines."""
    return " ".join(text.split())


def functions(result: Result, prefix: str, point: Mapping[Symbol, Expr]) -> str:
    """The functions of a result, and why others are left out."""
    body = ""
    for name, found in sources(result, prefix, point).items():
        if isinstance(found, str):
            body += f"\n// Left out: {name}: {_line(found)}.\n"
        else:
            body += _function(*map(ast.parse, found))
    return body


def function(name: str, quantity: Quantity, order: Sequence[Symbol], domain: Domain) -> str:
    """A function of a quantity that belongs to no result."""
    order = [s for s in order if s in quantity.expression.free_symbols]
    conditions = conditions_on(domain, quantity, order)
    found = quantity_function(name, quantity, order, quantity.meaning, conditions)
    return _function(*map(ast.parse, found))


def _function(source: ast.Module, wrapper: ast.Module) -> str:
    """A numpy function, and the line that gives it its domain, as one of JavaScript."""
    (function,) = source.body
    assert isinstance(function, ast.FunctionDef)
    doc = inspect.cleandoc(ast.get_docstring(function) or "")
    # Texts of a file of one's own stay inside of comments.
    comment = "".join(f" * {line.replace('*/', '* /')}".rstrip() + "\n" for line in doc.split("\n"))
    order = [a.arg for a in function.args.args]
    head = f"\n/**\n{comment} */\nexport function {function.name}"
    body = function.body[bool(doc) :]
    if not order:
        return f"{head}() {{\n{''.join(_lines(body, '  '))}}}\n"
    inside, shape = "() => true", ""
    for node in ast.walk(wrapper):
        if isinstance(node, ast.Call) and _name(node.func) == "checked":
            inside = next((_js(a) for a in node.args if isinstance(a, ast.Lambda)), inside)
            shape = "".join(f", {list(ast.literal_eval(k.value))}" for k in node.keywords)
    ranges = re.search(r"^For (.+)\.$", doc, re.M)
    needs = ranges[1] if ranges else f"numbers {', '.join(order)}"
    given = f'"{function.name}", {json.dumps(_line(needs))}, {json.dumps(order)}, given'
    formula = f"({', '.join(order)}) => {{\n{''.join(_lines(body, '    '))}  }}"
    return f"{head}(given) {{\n  return $.value({given}, {inside}, {formula}{shape});\n}}\n"


def _lines(statements: Sequence[ast.stmt], indent: str) -> Iterator[str]:
    for s in statements:
        if isinstance(s, ast.FunctionDef):
            args = ", ".join(a.arg for a in s.args.args)
            yield f"{indent}const {s.name} = ({args}) => {{\n"
            yield from _lines(s.body, indent + "  ")
            yield f"{indent}}};\n"
        elif isinstance(s, ast.Assign):
            yield f"{indent}const {_js(s.targets[0])} = {_js(s.value)};\n"
        elif isinstance(s, ast.Return) and s.value is not None:
            yield f"{indent}return {_js(s.value)};\n"
        else:
            raise NotImplementedError(ast.unparse(s))


def _js(e: ast.expr) -> str:
    """An expression of a numpy function in the words of ``numbers.mjs``."""
    match e:
        case ast.Constant(bool() | int() | float() as value):
            return json.dumps(value)
        case ast.Name(name):
            return CONSTANTS.get(name, name)
        case ast.Attribute(_, name) if name in CONSTANTS:
            return CONSTANTS[name]
        case ast.UnaryOp(ast.USub(), ast.Constant() as value):
            return f"-{_js(value)}"
        case ast.UnaryOp(op, operand):
            return _call(OPERATORS[type(op)], operand)
        case ast.BinOp(left, op, right):
            return _call(OPERATORS[type(op)], left, right)
        case ast.Compare(left, [op], [right]):
            return _call(OPERATORS[type(op)], left, right)
        case ast.List(entries):
            return f"[{', '.join(map(_js, entries))}]"
        case ast.Lambda(ast.arguments(args=args), body):
            return f"({', '.join(a.arg for a in args)}) => {_js(body)}"
        case ast.Call(ast.Attribute(ast.Call(_, [ast.List(entries)]), "reshape"), [shape]):
            return _nested([_js(a) for a in entries], ast.literal_eval(shape))
        case ast.Call(ast.Name("clamped_root"), [condition, low, high, *args], flat):
            given = f"[{', '.join(map(_js, args))}], {json.dumps(bool(flat))}"
            return f"$.clamped_root({_js(condition)}, {_js(low)}, {_js(high)}, {given})"
        case ast.Call(function, args):
            return _call(_name(function), *args)
    raise NotImplementedError(ast.unparse(e))


def _call(name: str, *args: ast.expr) -> str:
    return f"$.{NAMES.get(name, name)}({', '.join(map(_js, args))})"


def _name(function: Any) -> str:
    """``exp`` of ``np.exp``, ``select`` of ``select``."""
    return str(function.attr if isinstance(function, ast.Attribute) else function.id)


def _nested(flat: Sequence[str], shape: Sequence[int]) -> str:
    if len(shape) < 2:
        return f"[{', '.join(flat)}]"
    step = len(flat) // shape[0]
    rows = (_nested(flat[k * step : (k + 1) * step], shape[1:]) for k in range(shape[0]))
    return f"[{', '.join(rows)}]"

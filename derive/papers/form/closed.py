"""A closed form that was read, as an expression of the engine; what is none is no answer."""

from __future__ import annotations

from sympy import Expr, Pow, Rational, Symbol, exp, log, oo, pi, sqrt

from .hypotheses import SYMBOLS
from .reader import Tree


def closed(tree: Tree) -> Expr | None:
    """The expression in the letters of hypotheses, or None."""
    try:
        return _closed(tree)
    except (KeyError, ZeroDivisionError):
        return None


def _closed(tree: Tree) -> Expr:
    kind, *rest = tree
    if kind == "num":
        return Rational(rest[0].numerator, rest[0].denominator)
    if kind == "inf":
        return oo
    if kind == "pi":
        return pi
    if kind == "name" and not rest[1] and not rest[2]:
        found: Symbol = SYMBOLS[rest[0]]
        return found
    if kind == "add":
        total: Expr = Rational(0)
        for sign, part in rest[0]:
            total = total - _closed(part) if sign == "-" else total + _closed(part)
        return total
    if kind == "mul":
        total = Rational(1)
        for operation, part in rest[0]:
            total = total / _closed(part) if operation == "/" else total * _closed(part)
        return total
    if kind == "frac":
        return _closed(rest[0]) / _closed(rest[1])
    if kind == "sqrt":
        return sqrt(_closed(rest[0]))
    if kind == "pow":
        if rest[0] == ("name", "e", (), ""):
            return exp(_closed(rest[1]))
        return Pow(_closed(rest[0]), _closed(rest[1]))
    if kind == "fun":
        return {"exp": exp, "log": log}[rest[0]](_closed(rest[1]))
    raise KeyError(kind)

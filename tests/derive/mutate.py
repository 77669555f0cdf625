"""Mutants of SymPy trees: one place changed, as a slip of the pen would change it."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Add, Expr, Mul, Pow, Symbol, exp, log
from sympy.functions.elementary.piecewise import ExprCondPair


def mutants(e: Expr, symbols: list[Symbol]) -> Iterator[tuple[str, Expr]]:
    """Change one place of a tree."""
    for at, part in positions(e):
        for what, new in changed(part, symbols):
            try:
                yield what, rebuilt(e, at, new)
            except (
                ValueError,
                TypeError,
            ):  # no complex numbers in a maximum, no sums as a limit's side
                continue


def positions(e: Expr, at: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Expr]]:
    if isinstance(e, Expr):
        yield at, e
    for i, a in enumerate(e.args):
        if isinstance(a, (Expr, ExprCondPair)):
            yield from positions(a, (*at, i))


def rebuilt(e: Expr, at: tuple[int, ...], new: Expr) -> Expr:
    if not at:
        return new
    args = list(e.args)
    args[at[0]] = rebuilt(args[at[0]], at[1:], new)
    return e.func(*args)


def changed(e: Expr, symbols: list[Symbol]) -> Iterator[tuple[str, Expr]]:
    if e.is_Symbol:
        for s in symbols:
            if s is not e:
                yield "swapped symbol", s
        yield "off by one", e - 1
        yield "off by one", e + 1
    elif e.is_Integer:
        yield "off by one", e + 1
        yield "off by one", e - 1
        yield "sign", -e
    elif isinstance(e, Add):
        for i, a in enumerate(e.args):
            rest = Add(*e.args[:i], *e.args[i + 1 :])
            yield "sign", rest - a
            yield "dropped term", rest
    elif isinstance(e, Mul):
        yield "sign", -e
        for i in range(len(e.args)):
            yield "dropped factor", Mul(*e.args[:i], *e.args[i + 1 :])
    elif isinstance(e, exp):
        yield "sign", exp(-e.args[0])
        yield "dropped function", e.args[0]
    elif isinstance(e, log):
        yield "sign", -e
        yield "dropped function", e.args[0]
    elif isinstance(e, Pow):
        yield "upside down", 1 / e
        yield "dropped power", e.base

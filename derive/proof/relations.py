"""Relations, built without SymPy's attempt to evaluate them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from sympy import Basic, Expr, Symbol, Tuple
from sympy import Eq as _Eq
from sympy import Ge as _Ge
from sympy import Gt as _Gt
from sympy import Le as _Le
from sympy import Lt as _Lt

#: The sign of a relation with its sides exchanged.
TURNED: dict[str, Literal["<", ">", "<=", ">="]] = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


def eq(left: object, right: object) -> Basic:
    """An equation; a string on the left names a symbol."""
    return _Eq(_named(left), _named(right), evaluate=False)


def gt(left: object, right: object) -> Basic:
    """left > right."""
    return _Gt(_named(left), _named(right), evaluate=False)


def ge(left: object, right: object) -> Basic:
    """left >= right."""
    return _Ge(_named(left), _named(right), evaluate=False)


def lt(left: object, right: object) -> Basic:
    """left < right."""
    return _Lt(_named(left), _named(right), evaluate=False)


def le(left: object, right: object) -> Basic:
    """left <= right."""
    return _Le(_named(left), _named(right), evaluate=False)


class Iff(Basic):
    """One relation holds where another does; SymPy's Equivalent would rewrite both."""

    def _sympystr(self, printer: Any) -> str:
        return " iff ".join(map(printer._print, self.args))

    def _latex(self, printer: Any) -> str:
        return r" \iff ".join(map(printer._print, self.args))


def put_in(shown: Basic, names: Mapping[Symbol, Expr]) -> Basic:
    """Relations with what the names stand for; none of them is evaluated."""
    if isinstance(shown, (Tuple, Iff)):
        return shown.func(*(put_in(part, names) for part in shown.args))
    sides = (side.xreplace(dict(names)) for side in shown.args)
    return shown.func(*sides, evaluate=False)


def _named(side: object) -> object:
    return Symbol(side) if isinstance(side, str) else side

"""Turn an expression into a vectorised numpy function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from sympy import Dummy, Expr, Piecewise, Symbol, lambdify, nan
from sympy.printing.numpy import NumPyPrinter

from .root import ClampedRoot, clamped_root

if TYPE_CHECKING:
    from .result import Result


def compile_numpy(expression: Expr, order: Sequence[Symbol], name: str) -> Callable[..., Any]:
    """Compile to float64 numpy, with roots found by a bracketed vectorised Newton method."""
    import numpy as np

    evaluate = _evaluator(expression, order)
    names = [s.name for s in order]

    def function(*args: Any, **kwargs: Any) -> Any:
        values = dict(zip(names, args, strict=False))
        values.update(kwargs)
        if len(args) > len(names) or set(values) != set(names):
            raise TypeError(f"{name} takes {', '.join(names)}, not {', '.join(values)}")
        arrays = [np.asarray(values[k], dtype=float) for k in names]
        return evaluate(arrays)

    function.__name__ = name
    function.__doc__ = f"{name} of {', '.join(names)}, vectorised over numpy arrays."
    return function


Evaluator = Callable[[Sequence[Any]], Any]


def _evaluator(expression: Expr, order: Sequence[Symbol]) -> Evaluator:
    """Evaluate an expression on arrays, its outermost roots first."""
    roots = sorted(_outermost_roots(expression), key=str)
    stand_ins = {root: Dummy(f"root{i}") for i, root in enumerate(roots)}
    outer = lambdify(
        [*order, *stand_ins.values()], expression.xreplace(stand_ins), "numpy", cse=True
    )
    solvers = [_solver(root, order) for root in roots]
    return lambda arrays: outer(*arrays, *(solve(arrays) for solve in solvers))


def _outermost_roots(e: Expr) -> set[ClampedRoot]:
    if isinstance(e, ClampedRoot):
        return {e}
    return set().union(*(_outermost_roots(a) for a in e.args)) if e.args else set()


def _solver(root: ClampedRoot, order: Sequence[Symbol]) -> Evaluator:
    h, x = root.equation()
    f = lambdify([x, *order], h, "numpy", cse=True)
    # A function with jumps is bisected: Newton steps need a slope.
    rate = nan if h.has(Piecewise) else h.diff(x)
    slope = lambdify([x, *order], rate, "numpy", cse=True)
    low, high = _evaluator(root.low, order), _evaluator(root.high, order)
    return lambda arrays: clamped_root(f, slope, low(arrays), high(arrays), *arrays)


_HEADER = '''"""{title} ({id}), written by cltheory. Needs numpy only."""

import numpy as np
'''

_ROOT = '''

def clamped_root(h, low, high, steps=200):
    """Zero of a function that crosses from below, by bisection, clamped to the ends."""
    low, high = np.broadcast_arrays(np.asarray(low, float), np.asarray(high, float))
    low = low + 0.0 * h(low)
    reach = np.ones_like(low)
    for _ in range(60):  # an open end: go out until the function is positive
        short = np.isinf(high) & (h(low + reach) <= 0)
        if not short.any():
            break
        reach = np.where(short, 2 * reach, reach)
    high = np.where(np.isinf(high), low + reach, high)
    a, b = low, high + 0.0 * h(high)
    none, all_below = h(a) >= 0, h(b) <= 0
    start, end = a, b
    for _ in range(steps):
        x = (a + b) / 2
        below = h(x) < 0
        a, b = np.where(below, x, a), np.where(below, b, x)
    return np.where(none, start, np.where(all_below, end, (a + b) / 2))
'''


def python_source(result: Result, point: Mapping[Symbol, Expr]) -> str:
    """The quantities, with values put in, as a module of plain numpy functions."""
    from .domain import DomainError

    printer = _Printer({"fully_qualified_modules": False, "allow_unknown_functions": True})
    body, rooted = "", False
    for name, quantity in result.quantities.items():
        try:
            expression = result.at(name, point)
        except DomainError as refusal:
            body += f"\n\n# {name}: {refusal}\n"
            continue
        rooted |= bool(expression.atoms(ClampedRoot))
        order = [s.name for s in result.parameters if s in expression.free_symbols]
        extra = sorted(s.name for s in expression.free_symbols if s not in result.parameters)
        body += f"\n\ndef {name}({', '.join(order + extra)}):\n"
        body += f'    """{quantity.meaning[0].upper() + quantity.meaning[1:]}."""\n'
        body += f"    return {printer.doprint(expression)}\n"
    return _HEADER.format(title=result.title, id=result.id) + (_ROOT if rooted else "") + body


class _Printer(NumPyPrinter):  # type: ignore[misc]
    """NumPy code with ``np.`` and roots found by the helper above."""

    _module = "np"

    def _print_ClampedRoot(self, e: ClampedRoot) -> str:
        h, x = e.equation()
        low, high = self._print(e.low), self._print(e.high)
        return f"clamped_root(lambda {self._print(x)}: {self._print(h)}, {low}, {high})"

    def _print_Max(self, e: Expr) -> str:
        return self._pairwise("np.maximum", e)

    def _print_Min(self, e: Expr) -> str:
        return self._pairwise("np.minimum", e)

    def _pairwise(self, function: str, e: Expr) -> str:
        first, *rest = map(self._print, e.args)
        return reduce(lambda a, b: f"{function}({a}, {b})", rest, first)

    def _module_format(self, fqn: str, register: bool = True) -> str:
        return "np." + str(fqn).rpartition(".")[2]

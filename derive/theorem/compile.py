"""Turn an expression into a vectorised numpy function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from math import lcm, prod
from typing import TYPE_CHECKING, Any

from sympy import (
    Abs,
    Add,
    Dummy,
    Eq,
    Expr,
    Float,
    Max,
    Min,
    Mul,
    Piecewise,
    Rational,
    S,
    Symbol,
    floor,
    lambdify,
    oo,
)
from sympy.printing.numpy import NumPyPrinter

from ..decide.root import ClampedRoot, clamped_root

if TYPE_CHECKING:
    from .result import Quantity, Result


#: By how much, relatively, a float64 may lie beyond an end that belongs to a range: such an end is
#: itself rounded where it is computed. It is a few units in the last place.
SLACK = Float("1e-15")


def compile_numpy(
    expression: Expr, order: Sequence[Symbol], name: str, conditions: Sequence[Expr] = ()
) -> Callable[..., Any]:
    """Compile to float64 numpy, with roots found by a bracketed vectorised Newton method.

    Where one of the :func:`conditions_on` the arguments fails, the value is nan.
    """
    import numpy as np

    evaluate = _evaluator(expression, order)
    plain = [_plain(s) for s in order]
    checks = [_evaluator(condition, plain) for condition in conditions]
    names = [s.name for s in order]

    def function(*args: Any, **kwargs: Any) -> Any:
        values = dict(zip(names, args, strict=False))
        values.update(kwargs)
        if len(args) > len(names) or set(values) != set(names):
            raise TypeError(f"{name} takes {', '.join(names)}, not {', '.join(values)}")
        arrays = [np.asarray(values[k], dtype=float) for k in names]
        with np.errstate(all="ignore"):  # what is computed outside is not used
            inside = reduce(np.logical_and, (check(arrays) for check in checks), np.True_)
            value = evaluate(arrays)
            return value if inside.all() else np.where(inside, value, np.nan)[()]

    function.__name__ = name
    function.__doc__ = f"{name} of {', '.join(names)}, vectorised over numpy arrays."
    return function


def _plain(s: Symbol) -> Symbol:
    """A symbol without assumptions, so that what they say is not taken as met."""
    return Symbol(s.name)


def conditions_on(
    result: Result,
    quantity: Quantity,
    order: Sequence[Symbol],
    point: Mapping[Symbol, Expr] | None = None,
) -> list[Expr]:
    """What the arguments must meet, the point being put in; in symbols without assumptions.

    That is the domain and what the quantity needs, as far as they are about arguments only.
    """
    put = {**{s: _plain(s) for s in order}, **(point or {})}
    ranges = {
        **result.domain.ranges,
        **(quantity.domain.ranges if quantity.domain is not None else {}),
    }
    found: list[Expr] = []
    for s, r in ranges.items():
        if s not in put:
            continue
        value, low, high = put[s], r.low.xreplace(put), r.high.xreplace(put)
        if r.integer:
            found.append(Eq(floor(value), value))
        exact_low, exact_high = (r.integer or end.is_Rational for end in (low, high))
        if low is not -oo:
            slack = S.Zero if exact_low or r.low_open else SLACK * Abs(low)
            found.append(value > low if r.low_open else value >= low - slack)
        if high is not oo:
            slack = S.Zero if exact_high or r.high_open else SLACK * Abs(high)
            found.append(value < high if r.high_open else value <= high + slack)
    if quantity.needs is not None:
        found.append(quantity.needs[0].xreplace(put) > 0)
    known = {_plain(s) for s in order}
    return [k for k in found if k.free_symbols and k.free_symbols <= known]


#: What makes a function jump, bend or lie flat.
KINKED = (Piecewise, Max, Min, Abs)

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


def _without_fractions(h: Expr) -> Expr:
    """A positive multiple with integers for coefficients: then flat parts are flat in float64."""
    return _times(h, _denominator(h))


def _denominator(e: Expr) -> int:
    if isinstance(e, Add):
        return lcm(*map(_denominator, e.args))
    if isinstance(e, Mul):
        return prod(map(_denominator, e.args))
    if isinstance(e, Piecewise):
        return lcm(*(_denominator(branch) for branch, _ in e.args))
    return int(e.q) if isinstance(e, Rational) else 1


def _times(e: Expr, k: int) -> Expr:
    """A multiple, multiplied out where that clears a denominator."""
    if k == 1:
        return e
    if isinstance(e, Add):
        return Add(*(_times(a, k) for a in e.args))
    if isinstance(e, Piecewise):
        return Piecewise(*((_times(branch, k), where) for branch, where in e.args))
    if isinstance(e, Mul):
        cleared = []
        for a in e.args:
            own = _denominator(a)
            cleared.append(_times(a, own))
            k //= own
        return Mul(k, *cleared)
    return k * e


def _solver(root: ClampedRoot, order: Sequence[Symbol]) -> Evaluator:
    h, x = root.equation()
    h = _without_fractions(h)
    f = lambdify([x, *order], h, "numpy", cse=True)
    # Newton steps need a slope, and stop anywhere on a flat part.
    slope = None if h.has(*KINKED) else lambdify([x, *order], h.diff(x), "numpy", cse=True)
    low, high = _evaluator(root.low, order), _evaluator(root.high, order)
    return lambda arrays: clamped_root(f, slope, low(arrays), high(arrays), *arrays)


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
    return np.where(none, low, np.where(all_below, high, (a + b) / 2))
'''


class NotNumpy(ValueError):
    """The expression has no counterpart in numpy; the message says what it needs."""


def python_source(result: Result, point: Mapping[Symbol, Expr]) -> str:
    """The quantities, with values put in, as a module of plain numpy functions."""
    from ..decide.domain import DomainError
    from .result import number

    body, rooted = "", False
    for name, quantity in result.quantities.items():
        try:
            expression = result.at(name, point)
            if not expression.free_symbols:
                number(expression, name, 15, extended=quantity.extended)
        except DomainError as refusal:
            body += f"\n\n# {name}: {refusal}\n"
            continue
        rooted |= bool(expression.atoms(ClampedRoot))
        order = [s for s in result.parameters if s in expression.free_symbols]
        extra = sorted(expression.free_symbols - set(order), key=str)
        order += extra
        meaning = f"{quantity.meaning[0].upper() + quantity.meaning[1:]}."
        conditions = conditions_on(result, quantity, order, point)
        body += python_function(name, expression, order, meaning, conditions)
    return python_module(f"{result.title} ({result.id}), written by cltheory", body, rooted)


def python_module(title: str, body: str, rooted: bool) -> str:
    """Functions as a module, with the helper that finds roots if there are any."""
    return _HEADER.format(title=title) + (_ROOT if rooted else "") + body


def python_function(
    name: str,
    expression: Expr,
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
    for k, root in enumerate(sorted(_outermost_roots(expression), key=str), 1):
        stand_ins[root] = Symbol(f"root_{k}")
        lines.append(f"root_{k} = {printer.doprint(root)}")
    value = printer.doprint(expression.xreplace(stand_ins))
    if conditions:
        first, *more = (f"({printer.doprint(condition)})" for condition in conditions)
        lines.append(f"inside = {first}")
        lines += [f"inside = inside & {condition}" for condition in more]
        value = f"np.where(inside, {value}, np.nan)[()]"
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
        h = _without_fractions(h).xreplace({x: own})
        h, low, high = (self._print(part) for part in (h, e.low, e.high))
        return f"clamped_root(lambda {own}: {h}, {low}, {high}{flat})"

    def _print_Relational(self, e: Expr) -> str:
        return f"{self._print(e.lhs)} {e.rel_op} {self._print(e.rhs)}"

    def _print_Max(self, e: Expr) -> str:
        return self._pairwise("np.maximum", e)

    def _print_Min(self, e: Expr) -> str:
        return self._pairwise("np.minimum", e)

    def _pairwise(self, function: str, e: Expr) -> str:
        first, *rest = map(self._print, e.args)
        return reduce(lambda a, b: f"{function}({a}, {b})", rest, first)

    def _module_format(self, fqn: str, register: bool = True) -> str:
        return "np." + str(fqn).rpartition(".")[2]

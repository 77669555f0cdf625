"""Turn an expression into a vectorised numpy function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from math import lcm, prod
from typing import Any

from sympy import (
    Abs,
    Add,
    Basic,
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

from ..decide.domain import Domain, DomainError
from ..decide.root import ClampedRoot, clamped_root
from .kinds import Kind, numbers_in
from .quantity import Quantity

#: By how much, relatively, a float64 may lie beyond an end that belongs to a range: such an end is
#: itself rounded where it is computed. It is a few units in the last place.
SLACK = Float("1e-15")


def compile_numpy(
    expression: Basic, order: Sequence[Symbol], name: str, conditions: Sequence[Expr] = ()
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


def compiled(
    quantity: Quantity, name: str, parameters: Sequence[Symbol], domain: Domain
) -> Callable[..., Any]:
    """A quantity compiled: the axes of an array come last, a set tells what is in it.

    Raises
    ------
    DomainError
        If it is a name.
    """
    expression = quantity.expression
    if quantity.kind is Kind.NAME:
        raise DomainError(f"{name} is {expression}, a name: there is no function of it")
    order = [s for s in parameters if s in expression.free_symbols]
    conditions = conditions_on(domain, quantity, order)
    if quantity.kind is Kind.SET:
        expression, order = membership(quantity, order)
    if quantity.kind is not Kind.ARRAY:
        return compile_numpy(expression, order, name, conditions)
    entries = [compile_numpy(e, order, name, conditions) for e in numbers_in(expression)]
    shape = expression.shape

    def function(*args: Any, **kwargs: Any) -> Any:
        import numpy as np

        found = np.stack(np.broadcast_arrays(*(f(*args, **kwargs) for f in entries)), axis=-1)
        return found.reshape(*found.shape[:-1], *shape)

    function.__name__, function.__doc__ = name, entries[0].__doc__
    return function


def membership(quantity: Quantity, order: Sequence[Symbol]) -> tuple[Basic, list[Symbol]]:
    """That the parameter of a set is in it, as a condition, and the order of its arguments."""
    parameter = quantity.parameter
    inside = quantity.expression.as_relational(parameter)
    return inside, [*(s for s in order if s != parameter), parameter]


def _plain(s: Symbol) -> Symbol:
    """A symbol without assumptions, so that what they say is not taken as met."""
    return Symbol(s.name)


def conditions_on(
    domain: Domain,
    quantity: Quantity,
    order: Sequence[Symbol],
    point: Mapping[Symbol, Expr] | None = None,
) -> list[Expr]:
    """What the arguments must meet, the point being put in; in symbols without assumptions.

    That is the domain and what the quantity needs, as far as they are about arguments only.
    """
    put = {**{s: _plain(s) for s in order}, **(point or {})}
    ranges = {
        **domain.ranges,
        **(quantity.domain.ranges if quantity.domain is not None else {}),
    }
    found: list[Expr] = []
    for s, r in ranges.items():
        if s not in put:
            continue
        value, low, high = put[s], r.low.xreplace(put), r.high.xreplace(put)
        room = r.rounding.xreplace(put)
        if r.integer:
            found.append(Eq(floor(value), value))
        exact_low, exact_high = (r.integer or end.is_Rational for end in (low, high))
        if low is not -oo:
            slack = S.Zero if exact_low or r.low_open else SLACK * Abs(low)
            slack += room
            found.append(value > low if r.low_open else value >= low - slack)
        if high is not oo:
            slack = S.Zero if exact_high or r.high_open else SLACK * Abs(high)
            slack += room
            found.append(value < high if r.high_open else value <= high + slack)
    if quantity.needs is not None:
        found.append(quantity.needs[0].xreplace(put) > 0)
    known = {_plain(s) for s in order}
    return [k for k in found if k.free_symbols and k.free_symbols <= known]


#: What makes a function jump, bend or lie flat.
KINKED = (Piecewise, Max, Min, Abs)

Evaluator = Callable[[Sequence[Any]], Any]


def _evaluator(expression: Basic, order: Sequence[Symbol]) -> Evaluator:
    """Evaluate an expression on arrays, its outermost roots first."""
    roots = sorted(outermost_roots(expression), key=str)
    stand_ins = {root: Dummy(f"root{i}") for i, root in enumerate(roots)}
    outer = lambdify(
        [*order, *stand_ins.values()], expression.xreplace(stand_ins), "numpy", cse=True
    )
    solvers = [_solver(root, order) for root in roots]
    return lambda arrays: outer(*arrays, *(solve(arrays) for solve in solvers))


def outermost_roots(e: Basic) -> set[ClampedRoot]:
    """Roots that are not in another."""
    if isinstance(e, ClampedRoot):
        return {e}
    return set().union(*(outermost_roots(a) for a in e.args)) if e.args else set()


def without_fractions(h: Expr) -> Expr:
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
    h = without_fractions(h)
    f = lambdify([x, *order], h, "numpy", cse=True)
    # Newton steps need a slope, and stop anywhere on a flat part.
    slope = None if h.has(*KINKED) else lambdify([x, *order], h.diff(x), "numpy", cse=True)
    low, high = _evaluator(root.low, order), _evaluator(root.high, order)
    return lambda arrays: clamped_root(f, slope, low(arrays), high(arrays), *arrays)

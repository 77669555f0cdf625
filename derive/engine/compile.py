"""Turn an expression into a vectorised numpy function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sympy import Dummy, Expr, Symbol, lambdify

from .root import ClampedRoot, clamped_root


def compile_numpy(expression: Expr, order: Sequence[Symbol], name: str) -> Callable[..., Any]:
    """Compile to float64 numpy, with roots found by a bracketed vectorised Newton method."""
    import numpy as np

    roots = sorted(expression.atoms(ClampedRoot), key=str)
    stand_ins = {root: Dummy(f"root{i}") for i, root in enumerate(roots)}
    outer = lambdify(
        [*order, *stand_ins.values()], expression.xreplace(stand_ins), "numpy", cse=True
    )
    solvers = [_solver(root, order) for root in roots]
    names = [s.name for s in order]

    def function(*args: Any, **kwargs: Any) -> Any:
        values = dict(zip(names, args, strict=False))
        values.update(kwargs)
        if len(args) > len(names) or set(values) != set(names):
            raise TypeError(f"{name} takes {', '.join(names)}, not {', '.join(values)}")
        arrays = [np.asarray(values[k], dtype=float) for k in names]
        return outer(*arrays, *(solve(arrays) for solve in solvers))

    function.__name__ = name
    function.__doc__ = f"{name} of {', '.join(names)}, vectorised over numpy arrays."
    return function


def _solver(root: ClampedRoot, order: Sequence[Symbol]) -> Callable[[Sequence[Any]], Any]:
    h, x = root.equation()
    f = lambdify([x, *order], h, "numpy", cse=True)
    slope = lambdify([x, *order], h.diff(x), "numpy", cse=True)
    ends = lambdify(list(order), [root.low, root.high], "numpy")

    def solve(arrays: Sequence[Any]) -> Any:
        low, high = ends(*arrays)
        return clamped_root(f, slope, low, high, *arrays)

    return solve

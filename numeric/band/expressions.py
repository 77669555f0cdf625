"""Bounds as torch code: an expression in the names of readings, differentiable and vectorised."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Any, Protocol

import torch
from sympy import Expr, Float, Function, Max, Min, Piecewise, Pow, Symbol, lambdify
from sympy.logic.boolalg import And, Boolean, Not, Or
from torch import Tensor

#: What is near 1 is written by its distance to 1, which readings know without cancellation.
NEAR_ONE = {"rho": "one_minus_rho", "mean_rho": "mean_one_minus_rho"}
#: What is read in the plane of the anchor and the positive loses its digits where these are near
#: each other or opposite. There <z, z+>^2 is written as 1 - sine^2, and <z, m> by its part beside
#: the positive: it is sine <u, m> + <z, z+><m, z+>, u being the unit vector beside the positive
#: towards the anchor, and <m, z+> is (epsilon + rho - 1)/epsilon. It is 1 - positive_gap, a number
#: also where epsilon underflows.
BESIDE = {"alignment", "similarity", "epsilon", "rho"}
GAP = Symbol("positive_gap")
#: Beyond this torch does not take a whole number.
LARGEST_INTEGER = 2**63 - 1
#: N participation is 1 + excess, which is next to 1 at high temperatures.
EVEN, EXCESS = {"participation", "n", "mean_norm"}, Symbol("participation_excess")
SINE, PART = Symbol("sine", positive=True), Symbol("similarity_beside")


class _Root(Function):  # type: ignore[misc]
    """The square root, whose slope is 0 where rounding left a number below 0."""


class _Largest(Function):  # type: ignore[misc]
    pass


class _Least(Function):  # type: ignore[misc]
    pass


class _Where(Function):  # type: ignore[misc]
    """Condition, value, condition, value, ..., as in Piecewise."""


def _tensor(x: Any) -> Tensor:
    return x if isinstance(x, Tensor) else torch.tensor(float(x), dtype=torch.float64)


def _beside(*values: Any) -> list[Tensor]:
    """On the device of those that are on one; constants are made on the CPU."""
    tensors = [_tensor(x) for x in values]
    device = next((t.device for t in tensors if t.device.type != "cpu"), torch.device("cpu"))
    return [t.to(device) for t in tensors]


def _root(x: Any) -> Tensor:
    x = _tensor(x)
    inside = x > 0
    return torch.where(inside, torch.where(inside, x, 1.0).sqrt(), 0.0)


def _largest(*values: Any) -> Tensor:
    return reduce(torch.maximum, torch.broadcast_tensors(*_beside(*values)))


def _least(*values: Any) -> Tensor:
    return reduce(torch.minimum, torch.broadcast_tensors(*_beside(*values)))


def _where(*pairs: Any) -> Tensor:
    found: Tensor = _tensor(float("nan"))
    for condition, value in reversed(list(zip(pairs[::2], pairs[1::2], strict=True))):
        is_met = torch.as_tensor(condition, dtype=torch.bool)
        condition_, value_, found_ = _beside(is_met, value, found)
        found = torch.where(condition_, value_, found_)
    return found


def _of_tensor(function: Callable[[Tensor], Tensor]) -> Callable[[Any], Tensor]:
    return lambda x: function(_tensor(x))


_TORCH: dict[str, Callable[..., Any]] = {
    "_Root": _root,
    "_Largest": _largest,
    "_Least": _least,
    "_Where": _where,
    "exp": _of_tensor(torch.exp),
    "log": _of_tensor(torch.log),
}


class Lookup(Protocol):
    """Readings by name: tensors, or numbers."""

    def __getitem__(self, name: str, /) -> Any: ...


@dataclass(frozen=True)
class Compiled:
    """An expression as torch code.

    Attributes
    ----------
    names
        Readings that it is a function of.
    """

    names: tuple[str, ...]
    _function: Callable[..., Any]

    def __call__(self, readings: Lookup) -> Tensor:
        """Its value, for readings by name."""
        return _tensor(self._function(*(readings[name] for name in self.names)))


def without_cancellation(expression: Expr) -> Expr:
    """The expression with what is near 1 written by its distance to 1.

    Symbols that are put in have no assumptions, which would let SymPy simplify what rounding makes
    false.
    """
    symbol = {s.name: s for s in expression.free_symbols}
    return expression.xreplace(
        {symbol[name]: 1 - Symbol(other) for name, other in NEAR_ONE.items() if name in symbol}
    )


@lru_cache(maxsize=256)
def compile_expression(expression: Expr) -> Compiled:
    """Compile an expression in readings.

    Raises
    ------
    ValueError
        If the expression has parts that torch cannot evaluate here.
    """
    symbol = {s.name: s for s in expression.free_symbols}
    form = without_cancellation(expression)
    if set(symbol) >= {"epsilon", "rho"}:
        share = symbol["epsilon"]
        form = form.xreplace({share - Symbol("one_minus_rho"): share * (1 - GAP)})
    if set(symbol) >= EVEN:
        form = form.xreplace({symbol["participation"]: (1 + EXCESS) / (symbol["n"] - 2)})
    if set(symbol) >= BESIDE:
        cosine = symbol["alignment"]
        form = _gathered(form.xreplace({symbol["similarity"]: SINE * PART + cosine * (1 - GAP)}))
        form = form.xreplace({cosine**2: 1 - SINE**2})
    form = _in_torch(form)
    strange = {type(f).__name__ for f in form.atoms(Function)} - set(_TORCH)
    if strange:
        raise ValueError(f"torch cannot evaluate {', '.join(sorted(strange))}")
    symbols = sorted(form.free_symbols, key=str)
    # Without cse: both branches of a condition are computed anyway, and expressions are small.
    function = lambdify(symbols, form, modules=[_TORCH])
    return Compiled(tuple(s.name for s in symbols), function)


def _gathered(e: Any) -> Any:
    """Sums in which the part beside the positive occurs, multiplied out so that others cancel."""
    if not e.args:
        return e
    e = e.func(*(_gathered(a) for a in e.args))
    opaque = (Piecewise, Max, Min, Function)
    return e.expand() if e.is_Add and e.has(PART) and not e.has(*opaque) else e


def _in_torch(e: Any) -> Any:
    """The same expression in the functions above."""
    if isinstance(e, Piecewise):
        return _Where(*(part for value, met in e.args for part in (_met(met), _in_torch(value))))
    if e.is_Integer and abs(e) > LARGEST_INTEGER:
        return Float(e, 20)
    if not e.args:
        return e
    args = [_in_torch(a) for a in e.args]
    if isinstance(e, Max):
        return _Largest(*args)
    if isinstance(e, Min):
        return _Least(*args)
    if isinstance(e, Pow) and e.exp.is_Rational and e.exp.q == 2:
        return _Root(args[0]) ** e.exp.p
    return e.func(*args)


def _met(condition: Boolean) -> Any:
    """A condition as a function of tensors: products and differences of steps."""
    if condition in (True, False):
        return condition
    if isinstance(condition, (And, Or, Not)):
        raise ValueError("torch cannot evaluate a condition with several parts")
    return condition.func(*(_in_torch(a) for a in condition.args))

r"""Compiles functions of one inner product to torch: values, slopes and second derivatives.

A pairwise loss is written as it is printed, ``log(1 + exp(-t*c + b))``. Read literally
that overflows for large ``t`` and loses every digit where it is small, so before
compiling

* :math:`\log(p + q e^z)` becomes :math:`\log p + \operatorname{softplus}(z + \log(q/p))`,
* :math:`(p + q e^z)^{-k}` becomes :math:`p^{-k} \operatorname{sigmoid}(-z - \log(q/p))^k`,
* maxima, minima and absolute values become ramps, whose slope at a kink is 0,

and the derivatives are taken of that form. They are then as accurate, relative to
themselves, as ``exp`` is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Any

import torch
from sympy import (
    Abs,
    Add,
    Expr,
    Function,
    Heaviside,
    Max,
    Min,
    Pow,
    S,
    Wild,
    exp,
    lambdify,
    log,
)
from torch import Tensor

from ...derive.losses.pairwise import c

# --- functions whose derivatives are known, so that they are never spelled out ------------


class _Sigmoid(Function):  # type: ignore[misc]
    def fdiff(self, argindex: int = 1) -> Expr:
        (z,) = self.args
        return _Sigmoid(z) * _Sigmoid(-z)


class _Softplus(Function):  # type: ignore[misc]
    def fdiff(self, argindex: int = 1) -> Expr:
        return _Sigmoid(self.args[0])


class _Step(Function):  # type: ignore[misc]
    def fdiff(self, argindex: int = 1) -> Expr:
        return S.Zero


class _Ramp(Function):  # type: ignore[misc]
    def fdiff(self, argindex: int = 1) -> Expr:
        return _Step(self.args[0])


def _torch_softplus(z: Tensor) -> Tensor:
    # From its threshold on torch takes z, which drops e^-20 by default. At 40 nothing is lost.
    return torch.nn.functional.softplus(z, threshold=40.0)


def _step(z: Tensor) -> Tensor:
    return (z > 0).to(z.dtype)


def _of_numbers_too(function: Callable[[Tensor], Tensor]) -> Callable[[Any], Tensor]:
    """Constants such as log(3/2) reach the compiled code as plain numbers."""

    def call(z: Any) -> Tensor:
        return function(z if isinstance(z, Tensor) else torch.tensor(float(z), dtype=torch.float64))

    return call


_TORCH: dict[str, Callable[..., Tensor]] = {
    "_Softplus": _torch_softplus,
    "_Sigmoid": torch.sigmoid,
    "_Ramp": torch.relu,
    "_Step": _step,
    **{
        name: _of_numbers_too(getattr(torch, name))
        for name in ("exp", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "atan")
    },
}


def stable(expression: Expr) -> Expr:
    """Rewrite an expression to one that neither overflows nor cancels, as said above."""
    z, q = Wild("z"), Wild("q")

    def parts(sum_: Expr) -> tuple[Expr, Expr, Expr] | None:
        """``p, q, z`` of ``p + q exp(z)`` with p and q positive."""
        if not (isinstance(sum_, Add) and len(sum_.args) == 2):
            return None
        for plain, grown in (sum_.args, sum_.args[::-1]):
            found = grown.match(q * exp(z))
            if found and plain.is_positive and found[q].is_positive and not plain.has(c):
                return plain, found[q], found[z]
        return None

    def logarithm(argument: Expr) -> Expr:
        found = parts(argument)
        if found is None:
            return log(argument)
        plain, factor, inner = found
        return log(plain) + _Softplus(inner + log(factor / plain))

    def power(base: Expr, exponent: Expr) -> Expr:
        found = parts(base) if exponent.is_negative and base is not S.Exp1 else None
        if found is None:
            return Pow(base, exponent)
        plain, factor, inner = found
        return plain**exponent * _Sigmoid(-inner - log(factor / plain)) ** (-exponent)

    def largest(*arguments: Expr) -> Expr:
        return reduce(lambda a, b: a + _Ramp(b - a), arguments)

    return (
        expression.replace(Max, largest)
        .replace(Min, lambda *arguments: -largest(*(-a for a in arguments)))
        .replace(Abs, lambda a: 2 * _Ramp(a) - a)
        .replace(Heaviside, lambda a, *rest: _Step(a))
        .replace(log, logarithm)
        .replace(lambda e: isinstance(e, Pow), lambda e: power(*e.args))
    )


# --- compiling ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scalar:
    """A function of an inner product, compiled.

    Attributes
    ----------
    names
        Names of its parameters, in the order in which they are passed.
    """

    names: tuple[str, ...]
    _orders: tuple[Callable[..., Any], ...]

    def expand(self, x: Tensor, *parameters: Tensor, order: int = 2) -> tuple[Tensor, ...]:
        """Value, slope and second derivative at every entry of ``x``; the first of them only
        for an ``order`` of 0 or 1."""
        return tuple(
            torch.as_tensor(part, dtype=x.dtype, device=x.device).expand_as(x)
            for part in self._orders[order](x, *parameters)
        )


@lru_cache(maxsize=128)
def compile_scalar(expression: Expr) -> Scalar:
    """Compile an expression in the symbol ``c`` and parameters.

    Raises
    ------
    ValueError
        If the expression has parts that torch cannot evaluate here.
    """
    form = stable(expression)
    derivatives = (form, form.diff(c), form.diff(c, 2))
    known = set(_TORCH)
    for e in derivatives:
        used = e.atoms(Function) | e.find(lambda g: g.is_Piecewise or g.is_Derivative)
        strange = {type(f).__name__ for f in used} - known
        if strange:
            raise ValueError(f"torch cannot evaluate {', '.join(sorted(strange))}")
    symbols = sorted(expression.free_symbols - {c}, key=lambda symbol: symbol.name)
    arguments = [c, *symbols]
    compiled = (
        lambdify(arguments, derivatives[: order + 1], modules=[_TORCH], cse=True)
        for order in range(3)
    )
    return Scalar(tuple(symbol.name for symbol in symbols), tuple(compiled))

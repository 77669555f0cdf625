"""Sizes and parameters by name: what a problem takes, and its numbers for each of a batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import torch
from sympy import Expr, lambdify
from torch import Tensor

from ...derive.losses.pairwise import c
from ...derive.losses.softmax import SoftmaxLoss
from ...derive.problems.problem import Problem
from ...derive.structures.arrangement import axis_names

#: A size or a parameter: one number for all problems, or a tensor with one for each.
Value = float | Tensor
Values = Mapping[str, Value]

_TORCH = {"exp": torch.exp, "log": torch.log, "sqrt": torch.sqrt, "tanh": torch.tanh}


@lru_cache(maxsize=256)
def compiled(expression: Expr) -> tuple[tuple[str, ...], Callable[..., Any]]:
    """A coefficient or a temperature: names of its symbols, and a torch function of them."""
    names = tuple(sorted(symbol.name for symbol in expression.free_symbols))
    return names, lambdify(names, expression, modules=[_TORCH])


def expressions(problem: Problem) -> list[Expr]:
    """Everything in a loss that depends on sizes and parameters."""
    loss = problem.loss
    if isinstance(loss, SoftmaxLoss):
        weights = (
            (term.coefficient, *term.weights, *term.denominator_weights) for term in loss.terms
        )
        return [loss.temperature, *(e for some in weights for e in some)]
    return [part for term in loss.terms for part in (term.weight, term.function)]


@lru_cache(maxsize=64)
def size_names(problem: Problem) -> tuple[str, ...]:
    """Names of the sizes of the structure that are left open, outermost first."""
    return axis_names(problem.structure)


@lru_cache(maxsize=64)
def parameter_names(problem: Problem) -> tuple[str, ...]:
    """Names of the parameters that the loss depends on, sorted; sizes are none of them."""
    found = {s.name for e in expressions(problem) for s in e.free_symbols if s != c}
    return tuple(sorted(found - set(size_names(problem))))


def split(problem: Problem, values: Values) -> tuple[dict[str, int], dict[str, Value]]:
    """Sizes and parameters of what is given by name.

    Raises
    ------
    ValueError
        If some are missing or unknown, or a size is not an integer.
    """
    sizes, parameters = size_names(problem), parameter_names(problem)
    if set(values) != {*sizes, *parameters}:
        raise ValueError(
            f"loss {problem.loss.name!r} takes the sizes {', '.join(sizes) or '(none)'} and the "
            f"parameters {', '.join(parameters) or '(none)'}; got {', '.join(values) or 'none'}"
        )
    for name in sizes:
        value = values[name]
        if isinstance(value, Tensor) or int(value) != value:
            raise ValueError(f"the size {name} must be one integer, got {value}")
    return {k: int(values[k]) for k in sizes}, {k: values[k] for k in parameters}


def per_problem(
    name: str, value: Value, batch: int, dtype: torch.dtype, device: torch.device | str
) -> Tensor:
    """A parameter as one number for each problem; an error where that is not what it is."""
    tensor = torch.as_tensor(value, dtype=dtype, device=device).flatten()
    if tensor.numel() not in (1, batch):
        raise ValueError(f"parameter {name!r} has {tensor.numel()} values for {batch} problems")
    if not bool(tensor.isfinite().all()):
        raise ValueError(f"parameter {name!r} is not finite")
    return tensor.expand(batch)

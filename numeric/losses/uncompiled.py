"""Functions that compilers leave alone, without importing a compiler."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import torch

P = ParamSpec("P")
R = TypeVar("R")


def uncompiled(function: Callable[P, R]) -> Callable[P, R]:
    """What ``torch.compiler.disable`` makes, once there is a compiler: importing it takes seconds.

    Compilers would trace tiles one by one, and buffers that are used again come to other values.
    """
    found = [function]

    @wraps(function)
    def call(*inputs: P.args, **named: P.kwargs) -> R:
        if len(found) == 1 and "torch._dynamo" in sys.modules:
            found.append(torch.compiler.disable(function))
        return found[-1](*inputs, **named)

    return call

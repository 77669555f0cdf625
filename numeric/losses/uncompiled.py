"""Functions that compilers leave alone, without importing a compiler."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import update_wrapper
from typing import Any, TypeVar

import torch

F = TypeVar("F", bound=Callable[..., Any])


class Uncompiled:
    """What ``torch.compiler.disable`` makes, once there is a compiler: importing it takes seconds.

    Compilers would trace the buffers that are used again, and come to other values; and the
    tiles one by one.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.plain, self.disabled = function, None
        update_wrapper(self, function)

    def __call__(self, *given: Any, **named: Any) -> Any:
        if self.disabled is None and "torch._dynamo" in sys.modules:
            self.disabled = torch.compiler.disable(self.plain)
        return (self.disabled or self.plain)(*given, **named)


def uncompiled(function: F) -> F:
    """A function that runs as it stands, also where what calls it is compiled."""
    made: Any = Uncompiled(function)
    return made

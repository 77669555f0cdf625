"""L-BFGS for functions of free points that torch differentiates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


def lowered(value: Callable[[Tensor], Tensor], x: Tensor, steps: int) -> Tensor:
    """Where a search from ``x`` ends; it need not be a minimum after so many steps."""
    x = x.clone().requires_grad_()
    search = torch.optim.LBFGS(
        [x],
        max_iter=steps,
        tolerance_grad=1e-11,
        tolerance_change=0,
        line_search_fn="strong_wolfe",
    )

    def again() -> Any:
        search.zero_grad()
        found: Any = value(x)
        found.backward()
        return found

    search.step(again)
    return x.detach()

"""What quantities say of themselves, read off embeddings."""

from __future__ import annotations

from collections.abc import Container, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from sympy import Expr, lambdify
from torch import Tensor

from ...derive.structures.arrangement import Arrangement
from ...derive.theorem.measure import LOSS, PRODUCT, SHARE
from ..problems.measure import inner_products, shares
from .checks import CLOSE, CLOSE_LOSS

Array = npt.NDArray[np.float64]
#: What readings are made of, and sizes, by the names of their symbols.
Numbers = Mapping[str, Any]


def numbers_of(arrangement: Arrangement, u: Tensor, loss: Tensor | None = None) -> dict[str, Any]:
    """All that readings are made of, for embeddings ``(B, *shape, d)``; ``(B,)`` each.

    A relation without pairs has no inner product, and an eigenspace without dimension no share.
    """
    means = inner_products(arrangement, u)
    found = {PRODUCT + r: means[r] for r, count in arrangement.counts.items() if count}
    found |= {SHARE + e: s for e, s in shares(arrangement, u).items()}
    if loss is not None:
        found[LOSS.name] = loss
    return {**arrangement.sizes, **{k: x.double().cpu().numpy() for k, x in found.items()}}


def numbers_at(arrangement: Arrangement, part: Array) -> dict[str, Any]:
    """The same for invariant Gram matrices with these shares, ``(B, eigenspaces)``."""
    found = {SHARE + e: part[:, k] for k, e in enumerate(arrangement.table)}
    occurring = [PRODUCT + r for r, count in arrangement.counts.items() if count]
    inner = dict(zip(occurring, arrangement.corners @ part.T, strict=True))
    return {**arrangement.sizes, **found, **inner}


def is_readable(reading: Expr, numbers: Container[str]) -> bool:
    """Whether every inner product in an expression exists: one view has no other view."""
    return all(
        s.name in numbers for s in reading.free_symbols if s.name.startswith(PRODUCT) or s == LOSS
    )


def evaluate(reading: Expr, numbers: Numbers) -> Array:
    """Value of a reading, ``(B,)``; what does not exist counts as zero."""
    symbols, function = _compiled(reading)
    with np.errstate(all="ignore"):
        found = function(*(numbers.get(name, 0.0) for name in symbols))
    return np.atleast_1d(np.asarray(found, dtype=float))


@lru_cache(maxsize=256)
def _compiled(reading: Expr) -> tuple[tuple[str, ...], Any]:
    symbols = sorted(reading.free_symbols, key=str)
    return tuple(s.name for s in symbols), lambdify(symbols, reading, "numpy")


def tolerance(reading: Expr, numbers: Numbers) -> Array:
    """What a reading may be off by when each number is off by what counts as agreement."""
    middle = evaluate(reading, numbers)
    found = np.zeros_like(middle)
    for name in (s.name for s in reading.free_symbols if s.name in numbers):
        if name == LOSS.name or name.startswith((PRODUCT, SHARE)):
            close = CLOSE_LOSS if name == LOSS.name else CLOSE
            for side in (close, -close):
                change = np.abs(evaluate(reading, {**numbers, name: numbers[name] + side}) - middle)
                found = np.maximum(found, np.nan_to_num(change))
    return found

"""What quantities say of themselves, read off embeddings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from sympy import Expr, lambdify
from torch import Tensor

from ...derive.structures.arrangement import Arrangement
from ...derive.theorem.measure import LOSS, PRODUCT, SHARE
from ..measure import inner_products, shares
from .checks import CLOSE, CLOSE_LOSS

Array = npt.NDArray[np.float64]
#: Numbers by the names of their symbols.
Numbers = Mapping[str, Any]


def numbers_of(arrangement: Arrangement, u: Tensor, loss: Tensor | None = None) -> dict[str, Array]:
    """All that readings are made of, for embeddings ``(B, *shape, d)``; ``(B,)`` each.

    A relation without pairs has no inner product, and an eigenspace without dimension no share.
    """
    means = inner_products(arrangement, u)
    found = {PRODUCT + r: means[r] for r, count in arrangement.counts.items() if count}
    found |= {SHARE + e: s for e, s in shares(arrangement, u).items()}
    if loss is not None:
        found[LOSS.name] = loss
    return {name: x.double().cpu().numpy() for name, x in found.items()}


def numbers_at(
    arrangement: Arrangement, part: Array, loss: Array | None = None
) -> dict[str, Array]:
    """The same for invariant Gram matrices with these shares, ``(B, eigenspaces)``."""
    found = {SHARE + e: part[:, k] for k, e in enumerate(arrangement.table)}
    there = [PRODUCT + r for r, count in arrangement.counts.items() if count]
    found |= dict(zip(there, arrangement.corners @ part.T, strict=True))
    return found if loss is None else found | {LOSS.name: loss}


def is_readable(of: Expr, numbers: Numbers) -> bool:
    """Whether every inner product in an expression exists: one view has no other view."""
    return all(
        s.name in numbers for s in of.free_symbols if s.name.startswith(PRODUCT) or s == LOSS
    )


def read(of: Expr, numbers: Numbers, sizes: Numbers) -> Array:
    """Value of a reading, ``(B,)``; what does not exist counts as zero."""
    symbols, function = _compiled(of)
    given = [sizes[name] if name in sizes else numbers.get(name, 0.0) for name in symbols]
    with np.errstate(all="ignore"):
        found = function(*given)
    return np.atleast_1d(np.asarray(found, dtype=float))


@lru_cache(maxsize=256)
def _compiled(of: Expr) -> tuple[tuple[str, ...], Any]:
    symbols = sorted(of.free_symbols, key=str)
    return tuple(s.name for s in symbols), lambdify(symbols, of, "numpy")


def tolerance(of: Expr, numbers: Numbers, sizes: Numbers) -> Array:
    """What a reading may be off by when each number is off by what counts as agreement."""
    middle = read(of, numbers, sizes)
    found = np.zeros_like(middle)
    for symbol in of.free_symbols:
        if symbol.name not in numbers:
            continue
        close = CLOSE_LOSS if symbol == LOSS else CLOSE
        for side in (close, -close):
            moved = {**numbers, symbol.name: numbers[symbol.name] + side}
            change = np.abs(read(of, moved, sizes) - middle)
            found = np.maximum(found, np.nan_to_num(change))
    return found

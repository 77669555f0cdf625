r"""A batch built one by one, each time by the sample that is least like those it has.

Greedy-m (ochieng2025diversity, Algorithm 2): of m candidates take the one with the least
``q(z) = (1/b) sum_u <z, u>^2`` over the b samples u chosen so far, which lowers
``tr(S^2) = (1/b^2) sum_uv <u, v>^2`` most. Both are sums of squared products, and are kept:

* ``sum_u <z, u>^2`` for every z of the pool: all squared products are computed at once, one row of
  them is added when a sample is chosen, and a candidate is looked up. (Of a pool that is too large
  for that the products of the candidates are formed each time.)
* ``sum_uv <u, v>^2`` grows by twice that sum and |z|^4 (the trace update, Lemma A.3, before its
  quotients are formed).

As printed the algorithm stops when the effective rank R = 1/tr(S^2) enters a window, however few
samples there are: R is at most their number, so that a window [20, 30] gives batches of some 20 to
30 whatever n is. It does not steer towards a window that it has passed: the least q is taken above
it as well. `greedy` does that when asked to (``stop_in_window``). By default it fills the batch and
holds R in the window: below it the least q is taken, above it the greatest, and inside the next
sample at random, which costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..losses.directions import directions

#: Numbers of the products of a pool that are computed at once.
LARGEST = 2**26
#: Differences in q that are rounding: the first of such candidates is taken.
TIES = {torch.float32: 1e-6, torch.float64: 1e-12}


@dataclass(frozen=True)
class Built:
    """A batch, in the order in which it was chosen.

    Attributes
    ----------
    indices
        Of rows of the pool.
    ranks
        The effective rank after the first seeds and after each further sample.
    """

    indices: np.ndarray
    ranks: np.ndarray


def greedy(
    pool: Tensor,
    size: int,
    *,
    probe: int = 64,
    seeds: int = 2,
    window: tuple[float, float] | None = None,
    stop_in_window: bool = False,
    random: int | np.random.Generator = 0,
) -> Built:
    """Build a batch out of a pool.

    Parameters
    ----------
    pool
        ``(P, d)``: embeddings, keys of a MoCo queue. Rows are scaled to unit length; those of zeros
        (samples of which nothing is known) are like no other, and are taken first.
    size
        Samples in the batch, at most P.
    probe
        m: how many candidates are looked at each time, drawn from those that are left.
    seeds
        How many are drawn at random to begin with.
    window
        Least and greatest effective rank; None is to go for the greatest.
    stop_in_window
        As printed: end as soon as the rank is in the window.
    random
        A seed or a generator of the draws.

    Raises
    ------
    ValueError
        If sizes do not fit, or the pool is not finite.
    """
    _check(pool, size, probe, seeds, window, stop_in_window)
    draw = np.random.default_rng(random)
    z = _unit(pool)
    sums = _Sums(z)
    lengths = torch.linalg.vecdot(z, z).double().cpu().numpy().round()  # 1, or 0 without a row
    least, most = window or (np.inf, np.inf)
    cap = min(size, z.shape[1])
    left = np.arange(len(z))
    tie = TIES[z.dtype]
    chosen: list[int] = []
    ranks: list[float] = []
    rank = total = square = 0.0
    while len(chosen) < size:
        b, count = len(chosen), len(z) - len(chosen)
        inside = b >= seeds and least <= rank <= most
        if inside and stop_in_window:
            break
        if b < seeds or inside:
            at = int(draw.integers(count))
        else:
            drawn = draw.choice(count, probe, replace=False) if probe < count else np.arange(count)
            lower = rank < least or stop_in_window
            values = sums.with_rows(left[drawn])
            at = int(drawn[_least(values if lower else -values, tie * b)])
        j = int(left[at])
        left[at] = left[count - 1]
        chosen.append(j)
        square += 2 * float(sums.with_rows(np.array([j]))[0]) + lengths[j]
        total += lengths[j]
        sums.add(j)
        rank = min(max(total**2 / square, 1.0), cap) if square else 1.0
        if b + 1 >= seeds:
            ranks.append(rank)
    return Built(np.array(chosen), np.array(ranks))


class _Sums:
    """Squared products of rows of a pool with those chosen, summed."""

    def __init__(self, z: Tensor) -> None:
        self.z = z.cpu().numpy()
        self.chosen: list[int] = []
        is_small = len(z) ** 2 <= LARGEST
        self.squared = (z @ z.T).square_().cpu().numpy() if is_small else None
        self.sums = np.zeros(len(z), dtype=self.z.dtype)

    def with_rows(self, rows: np.ndarray) -> np.ndarray:
        if self.squared is not None:
            return self.sums[rows]
        products = self.z[rows] @ self.z[self.chosen].T
        return np.einsum("ij,ij->i", products, products)

    def add(self, chosen: int) -> None:
        self.chosen.append(chosen)
        if self.squared is not None:
            self.sums += self.squared[chosen]


def _least(values: np.ndarray, tie: float) -> int:
    """The first that is least, but for rounding."""
    return int(np.argmax(values <= values.min() + tie))


def _unit(pool: Tensor) -> Tensor:
    z = pool.detach()
    return directions(z if z.dtype == torch.float64 else z.float())[0]


def _check(
    pool: Tensor,
    size: int,
    probe: int,
    seeds: int,
    window: tuple[float, float] | None,
    stop_in_window: bool,
) -> None:
    if pool.ndim != 2 or not pool.shape[1]:
        raise ValueError(f"a pool must be (P, d), not {tuple(pool.shape)}")
    if not pool.isfinite().all():
        row = int((~pool.isfinite().all(1)).nonzero()[0])
        raise ValueError(f"row {row} of the pool is not finite")
    if not 1 <= size <= len(pool):
        raise ValueError(f"a batch of {size} cannot be built out of a pool of {len(pool)}")
    check_options(size, pool.shape[1], probe, seeds, window, stop_in_window)


def check_options(
    size: int,
    d: int,
    probe: int,
    seeds: int,
    window: tuple[float, float] | None,
    stop_in_window: bool,
) -> None:
    """Refuse what no batch of that size can be built with."""
    if probe < 1:
        raise ValueError(f"probe must be 1 or more, not {probe}")
    if not 1 <= seeds <= size:
        raise ValueError(f"seeds must be from 1 to the batch size {size}, not {seeds}")
    if window is None:
        if stop_in_window:
            raise ValueError("stop_in_window needs a window")
        return
    least, most = window
    cap = min(size, d)
    if not 1 <= least <= most <= cap:
        raise ValueError(
            f"a window needs 1 <= least <= greatest <= min(n, d) = {cap}, not [{least}, {most}]"
        )

"""Samplers of batches for a `DataLoader`: ``DataLoader(data, batch_sampler=sampler)``.

They choose by the rows of an `EmbeddingCache` that the training loop writes. A loader without
workers asks for a batch right before it is used. With workers it asks some batches ahead
(``num_workers * prefetch_factor``), so that embeddings are that many steps older; the sampler
itself always runs in the main process.

Batches are a function of the seed, the epoch and what is in the cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
import torch
from torch.utils.data import Dataset, Sampler

from .builder import check_options, greedy
from .cache import EmbeddingCache
from .policies import Policy, policy_of, ranks_of

#: Part of a batch that must have a row in the cache; with less of it, batches are random.
ENOUGH = 0.5


@dataclass(frozen=True)
class Choice:
    """How the last batch came about.

    Attributes
    ----------
    rank
        Its effective rank by the cache; nan if it is random for want of rows.
    ranks
        Those of all candidates, or of all steps of a greedy batch.
    """

    rank: float
    ranks: tuple[float, ...]

    @property
    def random(self) -> bool:
        """Whether too little was known of the samples to choose by."""
        return self.rank != self.rank


class BatchSampler(Sampler[list[int]]):
    """What the samplers share.

    Parameters
    ----------
    indices
        The samples, or how many there are.
    cache
        With a row for each index.
    batch_size
        n.
    replacement
        True: each batch is chosen from all samples, as in the paper; some are in fewer batches than
        others, or in none. False: every sample is in one batch of an epoch, as in usual samplers.
        The choice is then among what is left, and what the first batches gain the last ones lose.
    drop_last
        Whether a last smaller batch is left out.
    seed
        Not negative.
    """

    def __init__(
        self,
        indices: int | Sequence[int],
        cache: EmbeddingCache,
        batch_size: int,
        *,
        replacement: bool = True,
        drop_last: bool = True,
        seed: int = 0,
    ) -> None:
        self.indices = np.arange(indices) if isinstance(indices, int) else np.asarray(indices)
        if self.indices.ndim != 1 or (self.indices.size and self.indices.dtype.kind not in "iu"):
            raise ValueError("indices must be a number of samples or a list of integers")
        if len(np.unique(self.indices)) != len(self.indices):
            raise ValueError("an index occurs twice")
        if batch_size < 1:
            raise ValueError(f"batch_size must be 1 or more, not {batch_size}")
        if seed < 0:
            raise ValueError(f"seed must not be negative, but is {seed}")
        if len(self.indices):
            cache.known(self.indices)  # refuses what it has no row for
        self.cache, self.batch_size, self.replacement = cache, batch_size, replacement
        self.drop_last, self.seed = drop_last, seed
        if len(self.indices) < (batch_size if drop_last or replacement else 1):
            raise ValueError(f"a batch of {batch_size} needs more than {len(self.indices)} samples")
        self.epoch = 0
        #: How the last batch came about; None before the first.
        self.last: Choice | None = None

    def __len__(self) -> int:
        """Batches of an epoch."""
        full = len(self.indices) / self.batch_size
        return int(full) if self.drop_last else ceil(full)

    def set_epoch(self, epoch: int) -> None:
        """Which epoch the next one is; without it they are counted."""
        if epoch < 0:
            raise ValueError(f"epoch must not be negative, but is {epoch}")
        self.epoch = epoch

    def __iter__(self) -> Iterator[list[int]]:
        left = np.random.default_rng([self.seed, self.epoch]).permutation(self.indices)
        draw = np.random.default_rng([self.seed, self.epoch, 0])
        self.epoch += 1
        for _ in range(len(self)):
            size = min(self.batch_size, len(left))
            places = self._choose(left, size, draw)
            yield left[places].tolist()
            if not self.replacement:
                left = _without(left, places)

    def _choose(self, left: np.ndarray, size: int, draw: np.random.Generator) -> np.ndarray:
        """Places in ``left`` of the next batch."""
        raise NotImplementedError

    def _enough(self, samples: np.ndarray) -> bool:
        """Whether enough of every batch, in the last direction, is known."""
        return bool((self.cache.known(samples).double().mean(-1) >= ENOUGH).all())


class PoolBatchSampler(BatchSampler):
    """Draws candidate batches and takes that which a policy asks for.

    Parameters
    ----------
    indices, cache, batch_size
        As for `BatchSampler`, and so are further options.
    policy
        ``"P1"``, ``"P2"``, ``"P3"``, or a policy of `cltheory.numeric.batches.policies`.
    candidates
        How many. They have no sample in common where there are enough.
    """

    def __init__(
        self,
        indices: int | Sequence[int],
        cache: EmbeddingCache,
        batch_size: int,
        policy: str | Policy = "P3",
        *,
        candidates: int = 10,
        **options: Any,
    ) -> None:
        super().__init__(indices, cache, batch_size, **options)
        if candidates < 1:
            raise ValueError(f"candidates must be 1 or more, not {candidates}")
        self.policy, self.candidates = policy_of(policy), candidates

    def _choose(self, left: np.ndarray, size: int, draw: np.random.Generator) -> np.ndarray:
        places = _disjoint(len(left), size, self.candidates, draw)
        samples = left[places]
        if not self._enough(samples):
            self.last = Choice(float("nan"), ())
            return places[0]
        # Only rows of the candidates are gathered, from where the cache is.
        rows = self.cache.rows(samples.reshape(-1))
        ranks = ranks_of(rows, torch.arange(samples.size).view(samples.shape))
        at = self.policy(ranks)
        self.last = Choice(float(ranks[at]), tuple(ranks.tolist()))
        return places[at]


class GreedyBatchSampler(BatchSampler):
    """Builds each batch one by one out of a pool drawn for it: see `greedy`.

    Parameters
    ----------
    indices, cache, batch_size
        As for `BatchSampler`, and so are further options.
    probe, seeds, window, stop_in_window
        As for `greedy`. With ``stop_in_window``, the algorithm as printed, batches may be smaller
        than ``batch_size``; there are not more of them for that.
    pool
        Samples in the pool; by default four times as many as in a batch.
    """

    def __init__(
        self,
        indices: int | Sequence[int],
        cache: EmbeddingCache,
        batch_size: int,
        *,
        probe: int = 64,
        pool: int | None = None,
        seeds: int = 2,
        window: tuple[float, float] | None = None,
        stop_in_window: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(indices, cache, batch_size, **options)
        check_options(batch_size, cache.vectors.shape[1], probe, seeds, window, stop_in_window)
        self.pool = 4 * batch_size if pool is None else pool
        if self.pool < batch_size:
            raise ValueError(f"a pool of {self.pool} is smaller than a batch of {batch_size}")
        self.probe, self.seeds = probe, seeds
        self.window, self.stop_in_window = window, stop_in_window

    def _choose(self, left: np.ndarray, size: int, draw: np.random.Generator) -> np.ndarray:
        places = draw.choice(len(left), min(self.pool, len(left)), replace=False)
        samples = left[places]
        if not self._enough(samples):
            self.last = Choice(float("nan"), ())
            return places[:size]
        window = self.window if size == self.batch_size else None  # a smaller one may not reach it
        built = greedy(
            self.cache.rows(samples),
            size,
            probe=self.probe,
            seeds=min(self.seeds, size),
            window=window,
            stop_in_window=self.stop_in_window and window is not None,
            random=draw,
        )
        self.last = Choice(float(built.ranks[-1]), tuple(built.ranks.tolist()))
        return places[built.indices]


class Indexed(Dataset[tuple[int, Any]]):
    """A data set whose items come with their index, which the cache is updated by."""

    def __init__(self, data: Any) -> None:
        self.data = data

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, index: int) -> tuple[int, Any]:
        return index, self.data[index]


def _disjoint(count: int, size: int, candidates: int, draw: np.random.Generator) -> np.ndarray:
    """Random sets of places, ``(k, size)``, without common ones as far as that goes.

    They are ``candidates`` in number, or one if there is only one.
    """
    if count == size:
        candidates = 1
    sets: list[np.ndarray] = []
    while (missing := candidates - len(sets)) > 0:
        some = min(missing, count // size)
        drawn = draw.choice(count, some * size, replace=False)
        sets.extend(drawn.reshape(some, size))
    return np.stack(sets)


def _without(left: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Take places out, in the time that takes the last ones to move into them."""
    kept = len(left) - len(places)
    holes = places[places < kept]
    tail = np.setdiff1d(np.arange(kept, len(left)), places, assume_unique=True)
    left[holes] = left[tail]
    return left[:kept]

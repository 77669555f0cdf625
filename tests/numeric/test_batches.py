"""Policies, the cache of embeddings, and the samplers that read it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
import torch
from cltheory.numeric.batches import (
    Balanced,
    EmbeddingCache,
    GreedyBatchSampler,
    Indexed,
    PoolBatchSampler,
    Stability,
    select,
)
from cltheory.numeric.batches.policies import policy_of
from cltheory.numeric.batches.samplers import BatchSampler
from cltheory.numeric.metrics import effective_rank
from torch import Tensor
from torch.nn.functional import normalize
from torch.utils.data import DataLoader

D = 6
Make = Callable[..., BatchSampler]
POOL: Make = lambda *a, **o: PoolBatchSampler(*a, **{"policy": "P1", "candidates": 5, **o})  # noqa: E731
GREEDY: Make = lambda *a, **o: GreedyBatchSampler(*a, **{"probe": 8, **o})  # noqa: E731
BOTH = pytest.mark.parametrize("make", [POOL, GREEDY], ids=["pool", "greedy"])


def drawn(seed: int, count: int, d: int = D) -> Tensor:
    random = torch.Generator().manual_seed(seed)
    return normalize(torch.randn(count, d, generator=random) * 0.7 ** torch.arange(d), dim=1)


def filled(count: int = 100, seed: int = 0) -> EmbeddingCache:
    cache = EmbeddingCache(count, D)
    cache.update(range(count), drawn(seed, count))
    return cache


def together(batches: Iterable[list[int]]) -> list[int]:
    return [index for batch in batches for index in batch]


# --- policies -------------------------------------------------------------------------------------
def test_each_policy_takes_what_it_is_for() -> None:
    batches = torch.stack([drawn(seed, 20) for seed in range(9)])
    ranks = effective_rank(batches)
    assert select(batches, "P1") == int(ranks.argmax())
    assert select(batches, "P2") == int(ranks.argmin())
    target = float(ranks.sort().values[3])
    assert select(batches, Balanced(target + 1e-4)) == int((ranks - target).abs().argmin())
    assert select(batches, Balanced(D)) == select(list(batches), "P1")
    assert select([batches[0], batches[1][:5]], "P1") in (0, 1)


def test_the_running_target_is_between_percentiles_of_all_candidates() -> None:
    policy = Balanced()
    assert policy.target != policy.target
    policy(torch.arange(1.0, 6.0))
    policy(torch.arange(6.0, 12.0))
    assert policy.target == pytest.approx((2 + 10) / 2)
    short = Balanced(memory=3)
    short(torch.arange(1.0, 12.0))
    assert short.target == 10
    other = Balanced()
    other.load_state_dict(policy.state_dict())
    assert other.target == policy.target


# --- the cache ------------------------------------------------------------------------------------
def test_rows_are_directions_without_a_graph(device: str) -> None:
    cache = EmbeddingCache(5, 3, device=device)
    z = torch.tensor([[3.0, 0, 4], [0, 1e-30, 0], [0, 0, -1e30]], device=device).requires_grad_()
    cache.update([4, 0, 2], z)
    assert not cache.vectors.requires_grad
    expected = [[0, 1, 0], [0, 0, 0], [0, 0, -1], [0, 0, 0], [0.6, 0, 0.8]]
    assert torch.allclose(cache.vectors.cpu(), torch.tensor(expected, dtype=torch.float32))
    assert cache.rows(torch.tensor([[4, 1], [0, 2]])).shape == (2, 2, 3)
    cache.update(torch.tensor([1], device=device), z[:1].to(torch.bfloat16))
    assert cache.vectors.dtype == torch.float32 and cache.vectors.device.type == device


def test_rows_grow_old() -> None:
    cache = EmbeddingCache(4, 2, max_age=2)
    one = torch.ones(1, 2)
    for at in (0, 1, 1, 2):
        cache.update([at], one)
    assert cache.age([0, 1, 2, 3]).tolist() == [3, 1, 0, torch.inf]
    assert cache.known([0, 1, 2, 3]).tolist() == [False, True, True, False]
    assert cache.rows([0, 1]).abs().sum(1).tolist() == pytest.approx([0, 2**0.5])
    cache.update([3], one, step=100)
    assert cache.known(range(4)).tolist() == [False, False, False, True]


def test_of_a_sample_that_is_there_twice_the_last_row_stays() -> None:
    cache = EmbeddingCache(2, 2)
    cache.update([1, 0, 1], torch.tensor([[1.0, 0], [0, 1], [-1, 0]]))
    assert cache.vectors.tolist() == [[0, 1], [-1, 0]]


def test_a_cache_goes_on_from_a_checkpoint() -> None:
    cache, other = filled(9), EmbeddingCache(9, D)
    other.load_state_dict(cache.state_dict())
    assert torch.equal(cache.vectors, other.vectors)
    assert torch.equal(cache.stamps, other.stamps) and cache.step == other.step
    with pytest.raises(ValueError, match=r"the checkpoint has the shape \(9, 6\)"):
        EmbeddingCache(8, D).load_state_dict(cache.state_dict())


def test_a_refused_update_changes_nothing() -> None:
    cache = filled(4)
    before = cache.vectors.clone(), cache.step
    with pytest.raises(ValueError):
        cache.update([0, 1], torch.tensor([[1.0] * D, [torch.nan] * D]))
    assert torch.equal(cache.vectors, before[0]) and cache.step == before[1]


# --- samplers -------------------------------------------------------------------------------------
@BOTH
@pytest.mark.parametrize("count, size", [(100, 20), (103, 20), (25, 25), (26, 25)])
@pytest.mark.parametrize("drop_last", [True, False])
def test_every_sample_is_in_one_batch(make: Make, count: int, size: int, drop_last: bool) -> None:
    sampler = make(count, filled(count), size, drop_last=drop_last, replacement=False)
    batches = list(sampler)
    assert len(batches) == len(sampler) == (count // size if drop_last else -(-count // size))
    assert all(len(batch) == size for batch in batches[: count // size])
    seen = together(batches)
    assert len(set(seen)) == len(seen)
    assert len(seen) == (count // size * size if drop_last else count)
    assert all(type(index) is int for index in seen)


@BOTH
@pytest.mark.parametrize("replacement", [True, False])
def test_batches_are_a_function_of_seed_and_epoch(make: Make, replacement: bool) -> None:
    def epochs(**options: Any) -> list[list[list[int]]]:
        sampler = make(60, filled(60), 10, replacement=replacement, **options)
        return [list(sampler) for _ in range(3)]

    first = epochs(seed=3)
    assert first == epochs(seed=3) != epochs(seed=4)
    assert first[0] != first[1] != first[2]
    again = make(60, filled(60), 10, seed=3, replacement=replacement)
    again.set_epoch(2)
    assert list(again) == first[2]


@pytest.mark.parametrize("policy, best", [("P1", max), ("P2", min)])
def test_the_choice_is_the_best_of_the_candidates(policy: str, best: Callable[..., float]) -> None:
    cache = filled(200)
    sampler = PoolBatchSampler(200, cache, 20, policy, candidates=5)
    for batch in sampler:
        assert sampler.last is not None and not sampler.last.random
        assert sampler.last.rank == best(sampler.last.ranks)
        assert sampler.last.rank == pytest.approx(float(effective_rank(cache.rows(batch))))


@BOTH
def test_what_was_never_seen_is_taken_at_random(make: Make) -> None:
    cache = EmbeddingCache(80, D)
    sampler = make(80, cache, 20, replacement=False)
    for batch in sampler:
        assert sampler.last is not None and sampler.last.random
        cache.update(batch, drawn(0, 20))
    for _ in sampler:
        assert sampler.last is not None and not sampler.last.random


class Squares:
    def __len__(self) -> int:
        return 40

    def __getitem__(self, index: int) -> int:
        return index**2


@BOTH
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # of forks beside threads
@pytest.mark.parametrize("workers", [0, pytest.param(2, marks=pytest.mark.slow)])
def test_a_loader_takes_them(make: Make, workers: int) -> None:
    def loaded(workers: int) -> Iterator[list[int]]:
        sampler = make(40, filled(40), 10, seed=1)
        options: dict[str, Any] = {"multiprocessing_context": "fork"} if workers else {}
        loader = DataLoader(
            Indexed(Squares()), batch_sampler=sampler, num_workers=workers, **options
        )
        assert len(loader) == 4
        for _ in range(2):
            for index, square in loader:
                assert torch.equal(square, index**2)
                yield index.tolist()

    batches = list(loaded(workers))
    assert len(batches) == 8
    sampler = make(40, filled(40), 10, seed=1)
    assert batches == [*sampler, *sampler]


@pytest.mark.parametrize(
    "bad, says",
    [
        (lambda: policy_of("P4"), "policy must be one of P1, P2, P3, not 'P4'"),
        (lambda: Balanced(0.5), "an effective rank is 1 or more"),
        (lambda: Balanced(memory=0), "memory must be 1 or more"),
        (lambda: Stability()(torch.tensor([1.0, torch.nan])), "candidate 1 has no effective rank"),
        (lambda: Stability()(torch.ones(0)), "ranks must be (k,)"),
        (lambda: select([], "P1"), "at least one candidate batch is needed"),
        (lambda: select([torch.zeros(2, 3)], "P1"), "a batch of zeros"),
        (lambda: EmbeddingCache(0, 3), "size must be 1 or more"),
        (lambda: EmbeddingCache(3, 2, max_age=-1), "max_age must not be negative"),
        (lambda: EmbeddingCache(3, 2, dtype=torch.float16), "dtype must be float32 or float64"),
        (lambda: filled().update([0], torch.ones(2, D)), "embeddings must be (1, 6), not (2, 6)"),
        (lambda: filled().update([100], torch.ones(1, D)), "indices run from 100 to 100"),
        (lambda: filled().rows([0.5]), "indices must be integers"),
        (lambda: filled().update([0], torch.zeros(1, D)), "embedding 0 is zero, which"),
        (lambda: filled().update([0], torch.full((1, D), torch.inf)), "embedding 0 is not finite"),
        (lambda: POOL(200, filled(100), 20), "indices run from 0 to 199"),
        (lambda: POOL(10, filled(), 20), "a batch of 20 needs more than 10 samples"),
        (lambda: POOL([], filled(), 1, drop_last=False), "a batch of 1 needs more than 0 samples"),
        (lambda: POOL(10, filled(), 2, seed=-1), "seed must not be negative"),
        (lambda: POOL([1, 1], filled(), 2), "an index occurs twice"),
        (lambda: POOL(10, filled(), 2).set_epoch(-1), "epoch must not be negative"),
        (lambda: GREEDY(10, filled(), 4, pool=3), "a pool of 3 is smaller than a batch of 4"),
        (lambda: GREEDY(10, filled(), 4, probe=0), "probe must be 1 or more"),
        (lambda: GREEDY(10, filled(), 4, window=(1, 5)), "min(n, d) = 4, not [1, 5]"),
    ],
)
def test_what_no_policy_cache_or_sampler_takes(bad: Callable[[], Any], says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)) as refusal:
        bad()
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("step", [-1, 4, "6", 6.5])
def test_steps_do_not_go_back(step: Any) -> None:
    """A stamp of -1 would be a row that was never written."""
    cache = EmbeddingCache(3, 2)
    row = torch.ones(1, 2)
    cache.update([0], row, step=5)
    with pytest.raises(ValueError, match="step must be a whole number, 5 or later"):
        cache.update([1], row, step=step)
    assert cache.step == 5 and not cache.known([1]).any()

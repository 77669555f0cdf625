"""Batches built one by one, against the algorithm without anything kept."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import torch
from cltheory.derive.results import results
from cltheory.numeric.batches import builder, greedy
from cltheory.numeric.metrics import effective_rank
from plain_batches import plain_greedy
from torch import Tensor
from torch.nn.functional import normalize


def drawn(seed: int, count: int, d: int, decay: float = 1.0) -> Tensor:
    """Unit vectors whose coordinates fade by ``decay``."""
    random = torch.Generator().manual_seed(seed)
    z = torch.randn(count, d, generator=random, dtype=torch.float64)
    return normalize(z * decay ** torch.arange(d), dim=1)


@pytest.fixture(params=["at once", "each time"])
def _kept(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Products of the whole pool, and of candidates alone."""
    monkeypatch.setattr(builder, "LARGEST", 10**6 if request.param == "at once" else 0)


# --- the choice -----------------------------------------------------------------------------------
@pytest.mark.usefixtures("_kept")
@pytest.mark.parametrize("dtype, tie", [(torch.float64, 1e-12), (torch.float32, 1e-6)])
@pytest.mark.parametrize(
    "count, size, d, probe", [(40, 40, 3, 8), (60, 17, 12, 6), (60, 17, 12, 100), (30, 1, 4, 3)]
)
def test_greedy_chooses_what_the_plain_algorithm_does(
    dtype: torch.dtype, tie: float, count: int, size: int, d: int, probe: int
) -> None:
    for seed in range(4):
        pool = drawn(seed, count, d, 0.8).to(dtype)
        seeds = min(2, size)
        found = greedy(pool, size, probe=probe, seeds=seeds, random=seed)
        expected = plain_greedy(pool, size, probe=probe, seeds=seeds, random=seed, tie=tie)
        assert found.indices.tolist() == expected.tolist()
        assert len(set(found.indices)) == size


@pytest.mark.usefixtures("_kept")
def test_copies_of_a_sample_are_ties_that_the_first_wins() -> None:
    pool = drawn(0, 12, 5).repeat(4, 1)
    for seed in range(4):
        found = greedy(pool, 20, probe=16, random=seed).indices
        assert found.tolist() == plain_greedy(pool, 20, probe=16, random=seed).tolist()


@pytest.mark.usefixtures("_kept")
def test_the_rank_kept_is_that_of_the_batch() -> None:
    pool = drawn(3, 50, 9, 0.7)
    found = greedy(pool, 30, probe=7, seeds=3, random=1)
    expected = [float(effective_rank(pool[found.indices[:b]])) for b in range(3, 31)]
    assert found.ranks.tolist() == pytest.approx(expected, rel=1e-12)


def test_the_rank_follows_the_trace_update() -> None:
    update = results["trace-update"].function("t_next")
    pool = drawn(3, 50, 9, 0.7)
    found = greedy(pool, 30, probe=7, random=1)
    z = pool[found.indices].numpy()
    for b in range(2, 30):
        q = float(np.mean((z[:b] @ z[b]) ** 2))
        expected = float(update(b=b, t=1 / found.ranks[b - 2], q=q))
        assert 1 / found.ranks[b - 1] == pytest.approx(expected, rel=1e-12)


def test_a_wrong_choice_would_be_noticed() -> None:
    pool = drawn(5, 25, 6, 0.7)
    found = greedy(-pool + 0.3, 12, probe=5, random=0).indices  # a mean that is not there
    assert found.tolist() != plain_greedy(pool, 12, probe=5, random=0).tolist()


def test_lengths_do_not_matter_but_rows_of_zeros_come_first() -> None:
    pool = drawn(2, 30, 6)
    stretched = pool * torch.logspace(-30, 30, 30, dtype=torch.float64)[:, None]
    assert greedy(stretched, 9, random=1).indices.tolist() == (
        greedy(pool, 9, random=1).indices.tolist()
    )
    pool[[4, 11]] = 0
    found = greedy(pool, 9, probe=30, seeds=2, random=1)
    assert {4, 11} <= set(found.indices[:4])
    assert found.ranks[-1] == pytest.approx(float(effective_rank(pool[found.indices])), rel=1e-12)
    assert greedy(torch.zeros(3, 2), 2).ranks.tolist() == [1.0]


def test_half_precision_and_another_device(device: str) -> None:
    pool = drawn(2, 60, 6)
    half = pool.to(device, torch.bfloat16)
    assert greedy(half, 20, random=1).indices.tolist() == (
        greedy(half.float().cpu(), 20, random=1).indices.tolist()
    )


# --- the window -----------------------------------------------------------------------------------
def test_as_printed_it_ends_in_the_window() -> None:
    pool = drawn(4, 300, 20)
    found = greedy(pool, 100, window=(6, 8), stop_in_window=True, random=0)
    assert 6 <= found.ranks[-1] <= 8
    assert (found.ranks[:-1] < 6).all()
    # The rank is at most the number of samples, and near it for a greedy choice.
    assert 6 <= len(found.indices) < 10


def test_as_printed_a_window_that_is_passed_is_not_found_again() -> None:
    pool = drawn(4, 300, 20)
    found = greedy(pool, 100, window=(1.05, 1.15), stop_in_window=True, random=0)
    assert len(found.indices) == 100 and (found.ranks > 1.15).all()
    best = greedy(pool, 100, random=0)
    assert found.indices.tolist() == best.indices.tolist()


@pytest.mark.parametrize("window", [(6, 8), (9, 9.5), (14, 15)])
def test_by_default_batches_are_full_and_end_in_the_window(window: tuple[float, float]) -> None:
    pool = drawn(4, 600, 20, 0.9)
    found = greedy(pool, 100, window=window, probe=64, random=0)
    assert len(found.indices) == 100
    assert window[0] - 0.1 <= found.ranks[-1] <= window[1] + 0.1  # one sample moves it by less


def test_a_window_below_what_the_pool_has_is_approached() -> None:
    pool = drawn(4, 600, 20, 0.9)
    found = greedy(pool, 100, window=(1.2, 2), random=0)
    fixed = torch.Generator().manual_seed(1)  # the least of other draws may be lower by a tenth
    random = [
        float(effective_rank(pool[torch.randperm(600, generator=fixed)[:100]])) for _ in range(20)
    ]
    assert found.ranks[-1] < 0.6 * min(random)


# --- bad input ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "pool, size, options, says",
    [
        (torch.ones(4), 2, {}, "a pool must be (P, d), not (4,)"),
        (torch.tensor([[1.0], [torch.nan]]), 2, {}, "row 1 of the pool is not finite"),
        (torch.ones(4, 2), 5, {}, "a batch of 5 cannot be built out of a pool of 4"),
        (torch.ones(4, 2), 2, {"probe": 0}, "probe must be 1 or more"),
        (torch.ones(4, 2), 2, {"seeds": 3}, "seeds must be from 1 to the batch size 2, not 3"),
        (torch.ones(4, 3), 2, {"window": (1, 3)}, "min(n, d) = 2, not [1, 3]"),
        (torch.ones(4, 3), 2, {"window": (0.5, 1)}, "a window needs 1 <= least"),
        (torch.ones(4, 3), 2, {"stop_in_window": True}, "stop_in_window needs a window"),
    ],
)
def test_what_cannot_be_built(pool: Tensor, size: int, options: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)) as refusal:
        greedy(pool, size, **options)
    assert "\n" not in str(refusal.value)

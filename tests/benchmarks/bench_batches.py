"""Batches chosen by their spectrum: what it costs, and how diverse they get.

    python tests/benchmarks/bench_batches.py                  all three parts, one thread
    python tests/benchmarks/bench_batches.py --part greedy    kept products against none kept
    python tests/benchmarks/bench_batches.py --part overhead  against a training step
    python tests/benchmarks/bench_batches.py --part rank      effective ranks that are reached

Processor time of one thread by turns, medians, for machines that are busy with other work. Both
ways of the greedy algorithm are compared in the same run: they must choose the same samples.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import mean, median, stdev
from time import process_time

import torch
from cltheory.numeric.batches import (
    EmbeddingCache,
    GreedyBatchSampler,
    InBatchWhitening,
    PoolBatchSampler,
    greedy,
)
from cltheory.numeric.digits import encoder
from cltheory.numeric.losses import SupCon
from cltheory.numeric.metrics import effective_rank
from torch import Tensor, nn
from torch.nn.functional import normalize

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "numeric"))
from plain_batches import plain_greedy

#: Batch, dimension, candidates of a step, pool.
SIZES = (
    (256, 128, 64, 1024),
    (256, 1024, 64, 1024),
    (256, 1024, 256, 1024),
    (512, 128, 64, 2048),
    (512, 128, 64, 5120),
    (512, 1024, 256, 2048),
    (512, 1024, 64, 5120),
)
TIE = 1e-6


def embeddings(count: int, d: int, seed: int = 0) -> Tensor:
    """Unit vectors with a spectrum that falls like 1/k, and a mean."""
    random = torch.Generator().manual_seed(seed)
    z = torch.randn(count, d, generator=random) * torch.arange(1, d + 1) ** -0.5
    return normalize(z + 0.5 * torch.randn(d, generator=random) / d**0.5, dim=1)


def timed(sides: dict[str, Callable[[], object]], runs: int) -> dict[str, float]:
    """Medians in milliseconds, by turns; the first run is not counted."""
    seconds: dict[str, list[float]] = {side: [] for side in sides}
    for run in range(runs + 1):
        for side, work in sides.items():
            start = process_time()
            work()
            if run:
                seconds[side].append(process_time() - start)
    return {side: 1e3 * median(of) for side, of in seconds.items()}


def bench_greedy(runs: int) -> None:
    print("| n | d | m | pool | kept | plain | ratio |\n|" + " --- |" * 7)
    for n, d, m, count in SIZES:
        pool = embeddings(count, d)
        for seed in range(3):
            kept = greedy(pool, n, probe=m, random=seed).indices
            plain = plain_greedy(pool, n, probe=m, random=seed, tie=TIE)
            assert kept.tolist() == plain.tolist(), "the two choose different samples"
        kept_products = partial(greedy, pool, n, probe=m, random=0)
        none_kept = partial(plain_greedy, pool, n, probe=m, random=0, tie=TIE)
        found = timed({"kept": kept_products, "plain": none_kept}, runs)
        ratio = found["plain"] / found["kept"]
        times = f"{found['kept']:.1f} ms | {found['plain']:.1f} ms"
        print(f"| {n} | {d} | {m} | {count} | {times} | {ratio:.1f} |")


def small_convolutions(d: int) -> nn.Module:
    """Some 0.6 million weights, on images of 32 x 32."""
    layers: list[nn.Module] = []
    for before, after in ((3, 32), (32, 64), (64, 128), (128, 256)):
        layers += [nn.Conv2d(before, after, 3, 2, 1), nn.BatchNorm2d(after), nn.ReLU()]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, d))


def bench_overhead(runs: int) -> None:
    n, d, count = 256, 128, 50_000
    cache = EmbeddingCache(count, d)
    cache.update(range(count), embeddings(count, d))
    fresh, views, loss = embeddings(n, d, 1), torch.randn(2 * n, d), SupCon(0.2)
    whiten = InBatchWhitening()

    def step(net: nn.Module, x: Tensor) -> Callable[[], object]:
        optimiser = torch.optim.AdamW(net.parameters())

        def work() -> None:
            optimiser.zero_grad()
            loss(net(x).unflatten(0, (n, 2))).backward()
            optimiser.step()

        return work

    def drawn(sampler: PoolBatchSampler | GreedyBatchSampler) -> Callable[[], object]:
        batches = iter(sampler)
        return lambda: next(batches)

    def whitened() -> None:
        z = views.clone().requires_grad_()
        whiten(z).square().sum().backward()

    random = torch.Generator().manual_seed(0)
    sides: dict[str, Callable[[], object]] = {
        "step of two hidden layers": step(encoder(64, d, random), torch.randn(2 * n, 64)),
        "step of four convolutions": step(small_convolutions(d), torch.randn(2 * n, 3, 32, 32)),
        "random batch": drawn(PoolBatchSampler(count, cache, n, "P1", candidates=1)),
        "P1, 10 candidates": drawn(PoolBatchSampler(count, cache, n, "P1")),
        "P3, 10 candidates": drawn(PoolBatchSampler(count, cache, n, "P3")),
        "greedy-16, pool of 4 n": drawn(GreedyBatchSampler(count, cache, n, probe=16)),
        "greedy-64, pool of 4 n": drawn(GreedyBatchSampler(count, cache, n)),
        "greedy-64, pool of 20 n": drawn(GreedyBatchSampler(count, cache, n, pool=20 * n)),
        "update of the cache": lambda: cache.update(range(n), fresh),
        "whitening, both passes": whitened,
    }
    found = timed(sides, runs)
    convolutions = found["step of four convolutions"]
    print("| | time | of a step of four convolutions |\n| --- | --- | --- |")
    for side, spent in found.items():
        print(f"| {side} | {spent:.2f} ms | {spent / convolutions:.1%} |")


def bench_rank(runs: int) -> None:
    n, d, count = 256, 128, 20_000
    cache = EmbeddingCache(count, d)
    cache.update(range(count), embeddings(count, d))
    samplers = {
        "random": PoolBatchSampler(count, cache, n, "P1", candidates=1),
        "P1, 10 candidates": PoolBatchSampler(count, cache, n, "P1"),
        "P1, 100 candidates": PoolBatchSampler(count, cache, n, "P1", candidates=100),
        "P2, 10 candidates": PoolBatchSampler(count, cache, n, "P2"),
        "P3, 10 candidates": PoolBatchSampler(count, cache, n, "P3"),
        **{
            f"greedy-{m}, pool of {times} n": GreedyBatchSampler(
                count, cache, n, probe=m, pool=times * n
            )
            for m, times in ((16, 4), (64, 4), (256, 4), (64, 20), (256, 20))
        },
    }
    print("| | effective rank | of a random batch's |\n| --- | --- | --- |")
    usual = float("nan")
    for name, sampler in samplers.items():
        batches = iter(sampler)
        ranks = [float(effective_rank(cache.rows(next(batches)))) for _ in range(runs)]
        usual = mean(ranks) if name == "random" else usual
        print(f"| {name} | {mean(ranks):.2f} (sd {stdev(ranks):.2f}) | {mean(ranks) / usual:.3f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--part", choices=("greedy", "overhead", "rank"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=15)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    parts = {"greedy": bench_greedy, "overhead": bench_overhead, "rank": bench_rank}
    for name, part in parts.items():
        if given.part in (None, name):
            print(f"\n{name}")
            part(given.runs)


if __name__ == "__main__":
    main()

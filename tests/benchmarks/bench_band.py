"""The band: all sigma_* of a batch against one eigendecomposition each; the monitor's overhead.

python tests/benchmarks/bench_band.py
python tests/benchmarks/bench_band.py --runs 3 --wall

Processor time of one thread (``--wall``: wall time), medians, by turns in one process.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import torch
from cltheory.numeric.band import BandMonitor, views
from cltheory.numeric.band.sigma import largest_without
from torch import Tensor
from torch.nn.functional import cross_entropy, normalize

Clock = Callable[[], float]


def by_turns(clock: Clock, runs: int, *sides: Callable[[], object]) -> list[float]:
    """Median seconds of each side."""
    for side in sides:
        side()
    spent: list[list[float]] = [[] for _ in sides]
    for _ in range(runs):
        for side, times in zip(sides, spent, strict=True):
            start = clock()
            side()
            times.append(clock() - start)
    return [statistics.median(times) for times in spent]


def batch(n: int, d: int, top: float, seed: int = 0) -> Tensor:
    """Two views of points whose second moment has about this share in one direction."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(n // 2, d, generator=generator, dtype=torch.float64)
    x = x * torch.tensor([top, *[(1 - top) / (d - 1)] * (d - 1)], dtype=torch.float64).sqrt()
    first = normalize(x, dim=1)
    other = normalize(torch.randn(n // 2, d, generator=generator, dtype=torch.float64), dim=1)
    return torch.cat([first, normalize(first + 0.5 * other, dim=1)])


# --- all sigma_* ----------------------------------------------------------------------------------
def one_each(z: Tensor, positive: Tensor, of: int | None = None, small: bool = True) -> Tensor:
    """An eigendecomposition for each anchor, of the smaller Gram matrix or of the moment."""
    found = []
    for i in range(len(z) if of is None else of):
        keep = torch.ones(len(z), dtype=torch.bool)
        keep[i] = keep[positive[i]] = False
        rest = z[keep]
        gram = rest @ rest.T if small and len(rest) < z.shape[1] else rest.T @ rest
        found.append(torch.linalg.eigvalsh(gram)[-1] / len(rest))
    return torch.stack(found)


def spectra(clock: Clock, runs: int) -> None:
    """Print the table of the first section."""
    print(
        "n, d, share on top | ours | smaller Gram, n times | ratio | d x d, n times | ratio | error"
    )
    for n, d, top in [
        (256, 1024, 1 / 1024),
        (256, 1024, 0.3),
        (256, 1024, 0.999),
        (256, 128, 1 / 128),
        (1024, 128, 1 / 128),
    ]:
        z, positive = batch(n, d, top), views(n)
        removed = torch.stack([torch.arange(n), positive], 1)
        found = largest_without(z, removed)
        expected = one_each(z, positive)
        error = float(((found.value - expected) / expected).abs().max())
        few = 8
        ours, theirs, moments = by_turns(
            clock,
            runs,
            lambda: largest_without(z, removed),  # noqa: B023
            lambda: one_each(z, positive),  # noqa: B023
            lambda: one_each(z, positive, few, small=False),  # noqa: B023
        )
        moments *= n / few
        print(
            f"{n}, {d}, {top:.3g} | {1e3 * ours:.0f} ms | {theirs:.2f} s | {theirs / ours:.0f} | "
            f"{moments:.1f} s | {moments / ours:.0f} | {error:.0e}"
        )


# --- the monitor ----------------------------------------------------------------------------------
def infonce(z: Tensor, positive: Tensor, tau: float) -> None:
    """The loss of every anchor and its gradient, as it is usually written."""
    z = z.detach().requires_grad_()
    logits = (z @ z.T / tau).fill_diagonal_(float("-inf"))
    cross_entropy(logits, positive).backward()


def overhead(clock: Clock, runs: int) -> None:
    """Print the table of the second section."""
    print("n, d | InfoNCE float32 | float64 | monitor | times float32 | per anchor | times float32")
    for n, d in [(256, 128), (256, 1024), (1024, 128), (4096, 128)]:
        z, positive = batch(n, d, 0.3), views(n)
        single = normalize(z.float(), dim=1)
        plain, each = BandMonitor(0.2), BandMonitor(0.2, per_anchor=True)
        low, double, shared, own = by_turns(
            clock,
            runs,
            lambda: infonce(single, positive, 0.2),  # noqa: B023
            lambda: infonce(z, positive, 0.2),  # noqa: B023
            lambda: plain(single, positive=positive),  # noqa: B023
            lambda: each(single, positive=positive),  # noqa: B023
        )
        print(
            f"{n}, {d} | {1e3 * low:.1f} ms | {1e3 * double:.1f} ms | {1e3 * shared:.1f} ms | "
            f"{shared / low:.1f} | {1e3 * own:.1f} ms | {own / low:.1f}"
        )


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--wall", action="store_true", help="wall time instead of the processor's")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    clock: Clock = time.perf_counter if options.wall else time.process_time
    overhead(clock, 3 * options.runs)
    print()
    spectra(clock, options.runs)


if __name__ == "__main__":
    main()

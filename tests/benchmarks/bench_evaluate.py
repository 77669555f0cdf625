"""``function("alpha_min")`` on a million points against the formula written by hand in numpy.

    python tests/benchmarks/bench_evaluate.py
    python tests/benchmarks/bench_evaluate.py --points 100000 --runs 51

The hand-written formula is that of lee2025ssem, equation (15), as printed: numerator and
denominator with exp(m/((m-1) tau)), the exponential taken once. Where tau is small it
overflows, so tau is drawn from [0.1, 2]. The two take turns, and their values are compared.
"""

from __future__ import annotations

import argparse
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from cltheory.derive.results import results


def by_hand(m: Any, n: Any, tau: Any) -> Any:
    hot = np.exp(m / (m - 1) / tau)
    return (m * n - 1 + hot) / (m * n - n + n * hot)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    draw = np.random.default_rng(options.seed)
    at = {
        "m": draw.integers(2, 1000, options.points).astype(float),
        "n": draw.integers(2, 1000, options.points).astype(float),
        "tau": draw.uniform(0.1, 2, options.points),
    }
    start = perf_counter()
    derived = results["supcl-threshold"].function("alpha_min")
    print(f"deriving and compiling, once: {perf_counter() - start:.3f} s")
    cases = {"written by hand": by_hand, "derived": derived}
    times: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(options.runs + 1):
        for name, function in cases.items():
            start = perf_counter()
            function(**at)
            times[name].append(perf_counter() - start)
    hand, ours = (median(times[name][1:]) for name in cases)
    apart = float(np.max(np.abs(derived(**at) / by_hand(**at) - 1)))
    print(f"{options.points} points, {options.runs} runs of each, by turns")
    print(f"written by hand  median {hand * 1e3:.1f} ms")
    print(f"derived          median {ours * 1e3:.1f} ms, {ours / hand:.2f} times")
    print(f"largest relative difference of the values {apart:.1e}")


if __name__ == "__main__":
    main()

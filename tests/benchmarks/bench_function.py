"""Time of ``function("alpha_min")`` on a million points, against the formula by hand in numpy.

    python tests/benchmarks/bench_function.py
    python tests/benchmarks/bench_function.py --against old_module.py

By turns, in processor time. The formula by hand checks no ranges, and knows no bound on its error.
``--against`` takes what ``derive supcl-threshold --format python`` of another version wrote.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from cltheory.derive.results import results
from turns import by_turns, load

POINTS = 10**6


def by_hand(m: Any, n: Any, tau: Any) -> Any:
    """As one types it: m n - 1 and m - 1 with the exponential, over n."""
    e = np.exp(m / ((m - 1) * tau))
    return (m * n - 1 + e) / (n * (m - 1 + e))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--against", type=Path)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    n, tau = rng.integers(2, 1000, POINTS).astype(float), rng.uniform(0.05, 2, POINTS)
    sides = {"by hand": by_hand, "function": results["supcl-threshold"].function("alpha_min")}
    if options.against:
        sides["against"] = load(options.against, "against").alpha_min
    for m, what in ((10.0, "m a number"), (np.full(POINTS, 10.0), "m, n and tau arrays")):
        calls = {k: lambda f=f, m=m: f(m, n, tau) for k, f in sides.items()}
        times = by_turns(calls, options.runs, process_time)
        print(what)
        for name, seconds in times.items():
            ratio = seconds / times["by hand"]
            print(f"  {name:10} {1000 * seconds:5.1f} ms, {ratio:.2f} times by hand")


if __name__ == "__main__":
    main()

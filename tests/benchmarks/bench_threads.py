"""``cltheory verify`` with the threads it chooses against as many as there are cores, by turns.

python tests/benchmarks/bench_threads.py
python tests/benchmarks/bench_threads.py --busy    with every core at work on something else

Threads given in the environment are kept, which is how the other side is run.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time

COMMAND = "verify supcl-threshold --m 10 --n 10 --p 2 --tau 0.2".split()
NAMES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


def seconds(threads: int | None) -> float:
    """Wall time of one run; None lets the command choose."""
    env = {k: v for k, v in os.environ.items() if k not in NAMES}
    if threads is not None:
        env["OMP_NUM_THREADS"] = str(threads)
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "cltheory.cli.main", *COMMAND],
        env=env,
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return time.perf_counter() - start


def main() -> None:
    """Print both medians and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--busy", action="store_true")
    options = parser.parse_args()
    cores = os.cpu_count() or 1
    loops = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"])
        for _ in range(cores if options.busy else 0)
    ]
    try:
        pairs = [(seconds(None), seconds(cores)) for _ in range(options.runs)]
    finally:
        for loop in loops:
            loop.kill()
    ours, all_cores = (statistics.median(side) for side in zip(*pairs, strict=True))
    print(f"chosen by the command  {ours:6.1f} s")
    print(f"{cores} threads              {all_cores:6.1f} s   ratio {all_cores / ours:.1f}")
    print("runs:", ", ".join(f"{a:.1f}/{b:.1f}" for a, b in pairs))


if __name__ == "__main__":
    main()

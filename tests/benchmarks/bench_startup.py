"""Whole-process time of ``cltheory derive supcl-threshold --m 10`` against ``import sympy``.

    python tests/benchmarks/bench_startup.py
    python tests/benchmarks/bench_startup.py --runs 31

Both are started as a user starts them, as a new process each, by turns, so that a machine
that slows down slows both. The first round fills the file cache and is not counted.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from statistics import median
from time import perf_counter

#: What the console script of the package does, without depending on where it is installed.
COMMAND = "from cltheory.cli.main import main; main()"
CASES = {
    "python -c 'import sympy'": [sys.executable, "-c", "import sympy"],
    "cltheory --help": [sys.executable, "-c", COMMAND, "--help"],
    "cltheory derive supcl-threshold --m 10": [
        *(sys.executable, "-c", COMMAND),
        *("derive", "supcl-threshold", "--m", "10"),
    ],
}


def wall(command: list[str]) -> float:
    start = perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    times: dict[str, list[float]] = {name: [] for name in CASES}
    for _ in range(runs + 1):
        for name, command in CASES.items():
            times[name].append(wall(command))
    base = median(times["python -c 'import sympy'"][1:])
    print(f"{runs} runs of each, by turns")
    for name, found in times.items():
        counted = found[1:]
        print(
            f"{name:40} median {median(counted):.3f} s, fastest {min(counted):.3f} s, "
            f"{median(counted) / base:.2f} times import sympy"
        )


if __name__ == "__main__":
    main()

"""Time of ``cltheory derive supcl-threshold --m 10``, the whole process, against ``import sympy``.

    python tests/benchmarks/bench_startup.py
    python tests/benchmarks/bench_startup.py --runs 31

Both are started as a user starts them, as a new process each, by turns, so that a machine
that slows down slows both. The first round fills the file cache, and writes the byte code that
an installed package has, and is not counted. Ratios are of processor time, which other work on
the machine changes least; those of wall time are printed as well.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from statistics import median
from time import perf_counter
from typing import NamedTuple

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


class Times(NamedTuple):
    processor: float
    wall: float


#: With byte code, as ``pip install`` leaves it: without, most of the time is spent compiling.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def _spent() -> float:
    """Processor time of all processes that ended so far and were waited for."""
    times = os.times()
    return times.children_user + times.children_system


def timed(command: list[str]) -> Times:
    start, before = perf_counter(), _spent()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    return Times(_spent() - before, perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    times: dict[str, list[Times]] = {name: [] for name in CASES}
    for _ in range(runs + 1):
        for name, command in CASES.items():
            times[name].append(timed(command))
    middle = {
        name: Times(*(median(column) for column in zip(*found[1:], strict=True)))
        for name, found in times.items()
    }
    base = middle["python -c 'import sympy'"]
    print(f"{runs} runs of each, by turns, medians")
    for name, found in middle.items():
        print(
            f"{name:40} processor {found.processor:.3f} s, "
            f"{found.processor / base.processor:.2f} times import sympy; "
            f"wall {found.wall:.3f} s, {found.wall / base.wall:.2f} times"
        )


if __name__ == "__main__":
    main()

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
from functools import partial
from resource import RUSAGE_CHILDREN, getrusage
from time import perf_counter

from turns import by_turns

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


#: With byte code, as ``pip install`` leaves it: without, most of the time is spent compiling.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def _spent() -> float:
    """Processor time of all processes that ended so far and were waited for."""
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(command: list[str]) -> None:
    """Run a command to its end."""
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    cases = {name: partial(run, command) for name, command in CASES.items()}
    base = "python -c 'import sympy'"
    for clock, what in ((_spent, "processor"), (perf_counter, "wall")):
        times = by_turns(cases, runs, clock)
        print(f"{what} time, medians of {runs} runs by turns")
        for name, found in times.items():
            print(f"{name:40} {found:.3f} s, {found / times[base]:.2f} times import sympy")


if __name__ == "__main__":
    main()

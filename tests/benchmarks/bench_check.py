"""Files per minute of ``cltheory check`` over many small papers.

    python tests/benchmarks/bench_check.py
    python tests/benchmarks/bench_check.py --against CHECKOUT    another commit, by turns

The files are made from the corpus of statements, true and false ones in turn, one marked
equation each, always the same ones. Each run is a process of its own; the time is that of the
command, after its imports.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from itertools import chain, islice, zip_longest
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "derive" / "tex"))

from statements.run import statements
from statements.statement import Written

#: Kinds that the files are made of; with those that are slow to refuse.
KINDS = ("true/algebra", "true/definition", "true/around", "true/bound", "true/chain",
         "true/condition", "false/value", "false/left", "false/defined", "false/condition",
         "false/bound")  # fmt: skip
PAPER = "\\documentclass{{article}}\n\\begin{{document}}\n% cltheory: {}\n\\[ {} \\]\n"
RUN = """
import os, sys
from time import perf_counter
from click.testing import CliRunner
from cltheory.cli.check import check_command
start, before = perf_counter(), sum(os.times()[:4])
done = CliRunner().invoke(check_command, sys.argv[1:])
seconds, busy = perf_counter() - start, sum(os.times()[:4]) - before
print(done.output.strip().splitlines()[-1])
print(seconds, busy)
"""


def chosen(number: int) -> list[Written]:
    """Statements of every kind in turn."""
    few = 2 + number // len(KINDS)
    kinds = [list(statements([kind], few)) for kind in KINDS]
    turns = chain.from_iterable(zip_longest(*kinds))
    return list(islice((w for w in turns if w is not None), number))


def seconds(folder: str, code: Path | None = None) -> float:
    """One run of the command, of this tree or of another checkout."""
    with tempfile.TemporaryDirectory() as packages:
        path = dict(os.environ)
        if code is not None:
            package = Path(packages, "cltheory")
            package.mkdir()
            for part in ("derive", "numeric", "cli"):
                (package / part).symlink_to(code.resolve() / part)
            path["PYTHONPATH"] = packages
        done = subprocess.run(
            [sys.executable, "-c", RUN, folder],
            env=path, capture_output=True, text=True, check=True,
        )  # fmt: skip
    said, times = done.stdout.splitlines()[-2:]
    wall, busy = map(float, times.split())
    where = "here" if code is None else code
    print(f"{where}: {said}; {wall:.1f} s, of the processor {busy:.1f} s", flush=True)
    return wall


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--files", type=int, default=345)
    parser.add_argument("--against", type=Path, help="a checkout of another commit")
    parser.add_argument("--turns", type=int, default=1)
    arguments = parser.parse_args()
    sides = [None] if arguments.against is None else [None, arguments.against]
    times: dict[Path | None, list[float]] = {side: [] for side in sides}
    with tempfile.TemporaryDirectory() as folder:
        for k, written in enumerate(chosen(arguments.files)):
            text = PAPER.format(written.directive, written.source) + "\\end{document}\n"
            Path(folder, f"paper{k:03}.tex").write_text(text, encoding="utf-8")
        for _ in range(arguments.turns):
            for side in sides:
                times[side].append(seconds(folder, side))
    here = median(times[None])
    print(f"{arguments.files} files in {here:.1f} s: {60 * arguments.files / here:.0f} a minute")
    if arguments.against is not None:
        print(f"{median(times[arguments.against]) / here:.2f} times as fast as the other one")


if __name__ == "__main__":
    main()

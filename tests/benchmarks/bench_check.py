"""Files per minute of ``cltheory check`` over many small papers.

    python tests/benchmarks/bench_check.py
    python tests/benchmarks/bench_check.py --files 50 --profile profile.txt

The files are made from the corpus of statements, true and false ones in turn, one marked
equation each, always the same ones; the command runs in this process, after its imports.
"""

from __future__ import annotations

import argparse
import cProfile
import io
import pstats
import sys
import tempfile
from itertools import chain, islice, zip_longest
from pathlib import Path
from time import perf_counter

from click.testing import CliRunner
from cltheory.cli.check import check_command

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "derive" / "tex"))

from statements.run import statements
from statements.statement import Written

#: Kinds that the files are made of; with those that are slow to refuse.
KINDS = ("true/algebra", "true/definition", "true/around", "true/bound", "true/chain",
         "true/condition", "false/value", "false/left", "false/defined", "false/condition",
         "false/bound")  # fmt: skip
PAPER = "\\documentclass{{article}}\n\\begin{{document}}\n% cltheory: {}\n\\[ {} \\]\n"


def chosen(number: int) -> list[Written]:
    """Statements of every kind in turn."""
    few = 2 + number // len(KINDS)
    kinds = [list(statements([kind], few)) for kind in KINDS]
    turns = chain.from_iterable(zip_longest(*kinds))
    return list(islice((w for w in turns if w is not None), number))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--files", type=int, default=345)
    parser.add_argument("--profile", help="write what takes the time there")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for k, written in enumerate(chosen(arguments.files)):
            text = PAPER.format(written.directive, written.source) + "\\end{document}\n"
            Path(folder, f"paper{k:03}.tex").write_text(text, encoding="utf-8")
        profile = cProfile.Profile()
        if arguments.profile:
            profile.enable()
        start = perf_counter()
        done = CliRunner().invoke(check_command, [folder])
        seconds = perf_counter() - start
        profile.disable()
    print(done.output.strip().splitlines()[-1])
    print(
        f"{arguments.files} files in {seconds:.1f} s: {60 * arguments.files / seconds:.0f} a minute"
    )
    if arguments.profile:
        out = io.StringIO()
        stats = pstats.Stats(profile, stream=out).strip_dirs()
        stats.sort_stats("cumulative").print_stats(60)
        stats.sort_stats("tottime").print_stats(40)
        Path(arguments.profile).write_text(out.getvalue(), encoding="utf-8")


if __name__ == "__main__":
    main()

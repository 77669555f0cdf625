"""Time to certified optima, old code and new by turns in one process.

    python tests/benchmarks/bench_search.py
    python tests/benchmarks/bench_search.py --against PATH_TO_CHECKOUT_OF_54b5c83

Without a checkout only this version is timed. In 54b5c83 the numeric layer existed three times,
for classes, for two towers and for several of them. Starts are the same random ones; ``cold``
cells are those in which a plain search ends at its limit of iterations.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

CLASSES = {"m": 10, "n": 10, "p": 2}
SMALL = {"m": 3, "n": 3, "p": 2}
#: name, id of a result, sizes, parameters, dimension, seeds, runs
CASES: list[tuple[str, str, dict[str, int], dict[str, float], int, int, int]] = [
    *(
        (f"classes, tau = {tau}", "supcl-optimum", CLASSES, {"alpha": 0.5, "tau": tau}, 100, 1, 7)
        for tau in (1.0, 0.5, 0.2)
    ),
    ("classes, small, 8 seeds", "supcl-optimum", SMALL, {"alpha": 0.7, "tau": 0.3}, 9, 8, 15),
    *(
        (f"two towers, t = b = {t}", "sigmoid-optimum", {"N": 10}, {"t": t, "b": t}, 10, 1, 15)
        for t in (0.5, 1.0, 2.5)
    ),
    ("two towers, N = 32", "sigmoid-optimum", {"N": 32}, {"t": 3.0, "b": 3.0}, 32, 1, 15),
    ("two towers, softmax", "infonce-optimum", {"N": 10}, {"t": 0.5}, 10, 1, 15),
    (
        "three towers of views",
        "towers-threshold",
        {"K": 3, "N": 6, "p": 2},
        {"t": 1.0, "b": 0.0, "w": 0.5},
        9,
        1,
        15,
    ),
    *(
        (f"cold, alpha = {a}", "supcl-optimum", CLASSES, {"alpha": a, "tau": 0.05}, 100, 1, 1)
        for a in (0.2, 0.5, 0.9)
    ),
]


def older(checkout: Path) -> Callable[..., Any]:
    """The search of the old code, loaded beside ours under another name."""
    place = Path(tempfile.mkdtemp())
    (place / "older").symlink_to(checkout.resolve())
    sys.path.insert(0, str(place))

    def part(name: str) -> Any:
        return importlib.import_module(f"older.{name}")

    def run(id: str, sizes: Any, params: Any, d: int, seeds: Any) -> Any:
        loss = part("derive.results").results[id].declared
        found = {"d": d, "seeds": seeds, "device": "cpu", **sizes}
        if "m" in sizes:
            return part("numeric.optimise").minimise(loss, params, **found)
        if "K" in sizes:
            return part("numeric.many_towers").minimise_many_towers(loss, params, **found)
        return part("numeric.tower_optimise").minimise_towers(loss, params, **found)

    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", type=Path, help="a checkout of 54b5c83")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", str(options.threads))
    import torch
    from cltheory.derive.results import results
    from cltheory.numeric.search.optimiser import minimise

    torch.set_num_threads(options.threads)

    def ours(id: str, sizes: Any, params: Any, d: int, seeds: Any) -> Any:
        problem = results[id].problem
        return minimise(problem, {**sizes, **params}, d=d, seeds=seeds, device="cpu")

    sides = {"new": ours} | ({"old": older(options.against)} if options.against else {})
    for name, id, sizes, params, d, seeds, runs in CASES:
        seconds: dict[str, list[float]] = {side: [] for side in sides}
        notes = {}
        for run in range(runs + (runs > 1)):  # the first of several loads libraries
            for side, search in sides.items():
                start = perf_counter()
                found = search(id, sizes, params, d, range(seeds))
                if run or runs == 1:
                    seconds[side].append(perf_counter() - start)
                stops = ",".join(sorted({code.value for code in found.stop}))
                notes[side] = f"{stops}, gap {float(found.certificate.gap.max()):.0e}"
        line = "; ".join(
            f"{side} {1e3 * median(seconds[side]):8.1f} ms ({notes[side]})" for side in sides
        )
        if "old" in sides:
            line += f"; ratio {median(seconds['new']) / median(seconds['old']):.2f}"
        print(f"{name:24} {line}", flush=True)


if __name__ == "__main__":
    main()

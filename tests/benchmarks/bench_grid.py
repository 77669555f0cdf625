"""Time and error of the paper's numeric check, here and in the authors' published script.

    python tests/benchmarks/bench_grid.py
    python tests/benchmarks/bench_grid.py --script PATH_TO_CHECKOUT_OF_ssem-supcl --cells 4

m = n = 10, p = 2, d = 100, over a grid of alpha in [0, 1] and tau in [0.05, 1]. Ours sweeps
the whole grid, certificates included; the script (github.com/leechungpa/ssem-supcl,
cifar/synthetic.py, 1000 steps of Adam) runs on a few cells spread over it, in the same
process and on the same threads. Errors are those of the mean within-class variance
against the derived formula.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

from turns import load

M, N, P, D = 10, 10, 2, 100


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--script", type=Path, help="a checkout of ssem-supcl to compare with")
    parser.add_argument("--cells", type=int, default=4, help="cells to run the script on")
    parser.add_argument("--grid", type=int, default=20, help="alphas, and taus, of the sweep")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cpu", help="cpu, cuda or auto, for the sweep")
    parser.add_argument("--cold", action="store_true", help="no continuation between cells")
    return parser.parse_args(arguments)


def spread(count: int, over: int) -> list[tuple[int, int]]:
    """Cells along a line that crosses the grid from large tau to small, all alphas."""
    places = [round((over - 1) * (i + 0.5) / count) for i in range(count)]
    return [(place, over - 1 - place) for place in places]


def main() -> None:
    options = parse()
    os.environ.setdefault("OMP_NUM_THREADS", str(options.threads))
    import torch
    from cltheory.derive.results import results
    from cltheory.derive.structures.arrangement import arrange
    from cltheory.numeric.figures.ssem_fig2 import CHAINS
    from cltheory.numeric.figures.ssem_fig2 import spread as measured
    from cltheory.numeric.problems.embeddings import normalise
    from cltheory.numeric.search.sweep import cells, sweep

    torch.set_num_threads(options.threads)
    theory = results["supcl-optimum"].function("within_class_variance")

    def expected(alpha: float, tau: float) -> float:
        return float(theory(m=M, n=N, alpha=alpha, tau=tau))

    # Processor time, which other work on the machine does not change; a GPU is waited for.
    clock = process_time if options.device == "cpu" else perf_counter
    k = options.grid
    alphas = [i / (k - 1) for i in range(k)]
    taus = [0.05 + 0.95 * i / (k - 1) for i in range(k)]
    problem = results["supcl-optimum"].problem
    assert problem is not None
    sizes = {"seed": options.seed, "m": M, "n": N, "p": P, "d": D}
    grid = cells(tau=taus[::-1], alpha=alphas, **sizes)
    kwargs: dict[str, Any] = {"measured": measured, "device": options.device}
    kwargs["chains"] = None if options.cold else CHAINS
    # The first calls load libraries; they belong to no cell.
    list(sweep(problem, cells(alpha=0.5, tau=0.5, **sizes), **kwargs))

    start = clock()
    rows = list(sweep(problem, grid, **kwargs))
    taken = clock() - start
    ours = taken / len(rows)
    errors = [abs(row["within"] - expected(row["alpha"], row["tau"])) for row in rows]
    worst = max(range(len(rows)), key=errors.__getitem__)
    codes = sorted({row["stop"] for row in rows})
    print(
        f"{rows[0]['device']}, {options.threads} thread(s), {len(rows)} cells, {', '.join(codes)}"
    )
    print(f"ours    per cell: mean {ours:.4f} s; all {taken:.1f} s")
    print(
        f"        error: median {median(errors):.1e}, largest {max(errors):.1e} at "
        f"alpha={rows[worst]['alpha']:.3f} tau={rows[worst]['tau']:.3f}; "
        f"largest certified gap {max(row['gap'] for row in rows):.1e}"
    )
    if options.script is None:
        return

    script = load(options.script / "cifar" / "synthetic.py", "synthetic")
    found = {(row["alpha"], row["tau"]): error for row, error in zip(rows, errors, strict=True)}
    times, their_errors = [], []
    print(f"\n{'alpha':>7} {'tau':>6} {'script s':>9} {'error':>8} {'our error':>9}")
    for i, j in spread(options.cells, k):
        alpha, tau = alphas[i], taus[j]
        start = clock()
        with contextlib.redirect_stdout(io.StringIO()):
            u, _ = script.train(
                n_for_each_class=[N] * M,
                p=P,
                d=D,
                alpha=alpha,
                temperature=tau,
                device=rows[0]["device"],
                seed=options.seed,
            )
        times.append(clock() - start)
        shape = arrange(problem.structure, {"m": M, "n": N, "p": P})
        within = float(measured(shape, normalise(u.double()).reshape(M, N, P, D))["within"])
        their_errors.append(abs(within - expected(alpha, tau)))
        print(
            f"{alpha:7.3f} {tau:6.3f} {times[-1]:9.2f} {their_errors[-1]:8.1e} "
            f"{found[alpha, tau]:9.1e}"
        )
    print(
        f"script  per cell: median {median(times):.2f} s; error: largest {max(their_errors):.1e}\n"
        f"ratio of the script's median to our mean: {median(times) / ours:.0f}"
    )


if __name__ == "__main__":
    main()

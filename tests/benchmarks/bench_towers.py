"""Time to the certified optimum of the sigmoid loss, and what the authors' script reaches.

    python tests/benchmarks/bench_towers.py
    python tests/benchmarks/bench_towers.py --script PATH_TO_CHECKOUT_OF_ccem-cl --steps 5000

N = 10, t = b in {0.5, 1.0, 2.5}: the antipodal structure, one in between, and the simplex.
By turns, in one process and on the same threads: free embeddings (certificate included), our
encoder (linear output, 4 d hidden units, trained to convergence), and the script
(github.com/leechungpa/ccem-cl, synthetic.py, SGD), whose encoder ends in a ReLU. Also
forward+backward time of the two losses against public implementations, where installed.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from types import ModuleType
from typing import Any


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--script", type=Path, help="a checkout of ccem-cl to compare with")
    parser.add_argument("--steps", type=int, default=5000, help="steps of the script")
    parser.add_argument("--N", type=int, default=10)
    parser.add_argument("--at", type=float, nargs="+", default=[0.5, 1.0, 2.5], help="t = b")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    return parser.parse_args(arguments)


def load(path: Path, name: str) -> ModuleType:
    if not path.is_file():
        sys.exit(f"{path} is not there")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    start = perf_counter()
    result = call()
    return perf_counter() - start, result


def optima(options: argparse.Namespace) -> None:
    from cltheory.derive.results import results
    from cltheory.derive.structures.arrangement import arrange
    from cltheory.numeric.figures.encoder import ENCODERS, train_encoders
    from cltheory.numeric.problems.measure import inner_products
    from cltheory.numeric.search.optimiser import minimise

    N, seed = options.N, options.seed
    problem = results["sigmoid-optimum"].problem
    towers = arrange(problem.structure, {"N": N})
    theory = results["sigmoid-optimum"].function("positive_similarity")
    script = load(options.script / "synthetic.py", "synthetic") if options.script else None

    def free(t: float) -> Any:
        values = {"N": N, "t": t, "b": t}
        return minimise(problem, values, d=N, seeds=seed, device=options.device)

    def encoder(t: float) -> Any:
        cell = {"encoder": ENCODERS[0].name, "N": N, "d": N, "t": t, "b": t, "seed": seed}
        (row,) = train_encoders(problem, [cell], device=options.device)
        return row

    def published(t: float) -> float:
        assert script is not None
        script.np.random.seed(seed)
        script.torch.manual_seed(seed)
        z = script.train(
            N=N, d=N, lr_full=0.5, num_steps=options.steps, loss_t=t, loss_b=t, device="cpu"
        )
        return float((1 + z.diagonal().mean()) / 2)

    free(1.0)  # libraries are loaded; that belongs to no cell
    print(f"N = d = {N}, {options.device}, {options.threads} thread(s), seed {seed}")
    print(f"{'t = b':>6} {'predicted s':>12} {'':>8} {'s':>12} {'|error|':>8} {'seconds':>8}  gap")
    for t in options.at:
        expected = float(theory(N=N, t=t, b=t))
        runs = [timed(lambda t=t: free(t)) for _ in range(options.repeat)]
        found = runs[0][1]
        s = (1 + float(inner_products(towers, found.embeddings)["positive"])) / 2
        gap, stop = float(found.certificate.gap), found.stop[0].value
        line(t, expected, "free", s, median(r[0] for r in runs), f"{gap:.1e} {stop}")
        seconds, row = timed(lambda t=t: encoder(t))
        ending = f"{row['gap']:.1e} {row['stop']}"
        line(t, expected, "encoder", row["similarity"], seconds, ending)
        if script is not None:
            seconds, s = timed(lambda t=t: published(t))
            line(t, expected, "script", s, seconds, "none")


def line(t: float, expected: float, name: str, s: float, seconds: float, gap: str) -> None:
    error = abs(s - expected)
    print(f"{t:6g} {expected:12.9f} {name:>8} {s:12.9f} {error:8.1e} {seconds:8.4f}  {gap}")


def losses(options: argparse.Namespace) -> None:
    """Forward and backward through autograd, and our hand-written gradient."""
    import torch
    from cltheory.derive.results import results
    from cltheory.derive.structures.arrangement import arrange
    from cltheory.numeric.problems import evaluate, value_and_gradient
    from cltheory.numeric.problems.embeddings import random_embeddings

    SIGMOID, INFONCE = (results[f"{name}-optimum"].problem for name in ("sigmoid", "infonce"))
    t, b = 10.0, 10.0
    rivals: list[tuple[str, Any, dict[str, float], Callable[..., Any]]] = []
    package = importlib.util.find_spec("open_clip")
    if package is not None and package.origin is not None:
        open_clip = load(Path(package.origin).with_name("loss.py"), "open_clip_loss")
        siglip, clip = open_clip.SigLipLoss(), open_clip.ClipLoss()
        rivals.append(("open_clip SigLipLoss", SIGMOID, {"t": t, "b": b},
                       lambda u, v: siglip(u, v, t, -b)))  # fmt: skip
        rivals.append(("open_clip ClipLoss", INFONCE, {"t": 1 / t},
                       lambda u, v: 2 * clip(u, v, t)))  # fmt: skip
    if importlib.util.find_spec("info_nce") is not None:
        from info_nce import info_nce

        rivals.append(("info_nce", INFONCE, {"t": 1 / t},
                       lambda u, v: info_nce(u, v, temperature=1 / t)
                       + info_nce(v, u, temperature=1 / t)))  # fmt: skip
    if not rivals:
        print("\nneither open_clip_torch nor info-nce-pytorch is installed: no times of losses")
        return

    print(f"\nforward+backward, float32, milliseconds, median of {4 * options.repeat}")
    print(
        f"{'N':>5} {'d':>4} {'':>22} {'theirs':>8} {'autograd':>8} {'by hand':>8}  "
        "largest difference"
    )
    for N, d in ((64, 128), (512, 256), (2048, 512)):
        towers = arrange(SIGMOID.structure, {"N": N})
        both = random_embeddings(towers, 0, d=d, dtype=torch.float32, device=options.device)
        u, v = both

        def gradients(call: Callable[..., Any], u: Any = u, v: Any = v) -> Any:
            a, c = u.clone().requires_grad_(), v.clone().requires_grad_()
            value = call(a, c)
            value.backward()
            return value.detach(), a.grad, c.grad

        def by_hand(loss: Any, both: Any, params: Any) -> Any:
            value, gradient = value_and_gradient(loss, both, params)
            return value, *gradient

        for name, loss, params, theirs in rivals:
            calls: list[Callable[[], Any]] = [
                lambda theirs=theirs: gradients(theirs),
                lambda loss=loss, params=params: gradients(
                    lambda a, c: evaluate(loss, torch.stack((a, c)), params)
                ),
                lambda loss=loss, params=params, both=both: by_hand(loss, both, params),
            ]
            seconds: list[list[float]] = [[], [], []]
            for _ in range(4 * options.repeat):  # by turns
                for k, call in enumerate(calls):
                    seconds[k].append(timed(call)[0])
            # Along the spheres: info_nce scales its input, so radial parts are not its own.
            first, *others = (along(call(), u, v) for call in calls)
            worst = max(
                float((x - y).abs().max()) for o in others for x, y in zip(first, o, strict=True)
            )
            times = " ".join(f"{1e3 * median(s):8.3f}" for s in seconds)
            print(f"{N:5} {d:4} {name:>22} {times}  {worst:.1e}")


def along(result: Any, u: Any, v: Any) -> tuple[Any, ...]:
    """The value, and the gradients without their radial parts."""
    value, du, dv = result
    return value, *(g - (g * x).sum(-1, keepdim=True) * x for g, x in ((du, u), (dv, v)))


def main() -> None:
    options = parse()
    os.environ.setdefault("OMP_NUM_THREADS", str(options.threads))
    import torch

    torch.set_num_threads(options.threads)
    optima(options)
    losses(options)


if __name__ == "__main__":
    main()

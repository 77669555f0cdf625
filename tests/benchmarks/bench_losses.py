"""The losses to train with against public packages, by turns in one process.

    python tests/benchmarks/bench_losses.py                      losses, two threads
    python tests/benchmarks/bench_losses.py --threads 1 --processor --sizes 64 512
    python tests/benchmarks/bench_losses.py --large SupCL        n = 65,536, with peak memory
    python tests/benchmarks/bench_losses.py --device cuda

Forward and backward pass in float32, d = 128, tau = 0.1, random embeddings. Values and gradients of
both sides are compared in the same run. With ``--processor`` processor time is measured, for one
thread on a machine that is busy with other work. Packages that are missing are left out.
"""

from __future__ import annotations

import argparse
import importlib.machinery
import importlib.util
import resource
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from types import ModuleType
from typing import Any

import torch
from cltheory.numeric.losses import (
    CLIP,
    DCL,
    SINCERE,
    XCLR,
    EuclideanWInfoNCE,
    MoCo,
    SigmoidLoss,
    SimCLR,
    SoftSupCon,
    SupCL,
    SupCon,
    WInfoNCE,
    YAware,
)
from torch import Tensor
from turns import Clock, by_turns, load

D, TAU = 128, 0.1
#: Seconds that the runs of a line should take in all, and least and most runs of each side.
SPEND, LEAST, MOST = 3.0, 3, 200
#: pytorch-metric-learning forms a matrix of pairs of pairs for NT-Xent.
LARGEST_PAIRS = 256


def file_of(package: str, path: str, empty: tuple[str, ...] = ()) -> ModuleType:
    """A file of a package alone; what it imports beside the file may be left empty."""
    found = importlib.util.find_spec(package)
    assert found is not None and found.origin is not None
    root = Path(found.origin).parent
    for name in empty:
        module = ModuleType(name)
        module.__path__ = [str(root.parent.joinpath(*name.split(".")))]
        module.__spec__ = importlib.machinery.ModuleSpec(name, None)
        sys.modules[name] = module
    module = load(root / path, f"{package}_alone")
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        del sys.modules[name]
    return module


def packages() -> dict[str, Any]:
    """The losses of packages, as far as they are installed."""
    found: dict[str, Any] = {}
    if importlib.util.find_spec("pytorch_metric_learning"):
        from pytorch_metric_learning import losses

        found["pytorch-metric-learning"] = losses
    if importlib.util.find_spec("lightly"):
        empty = ("lightly", "lightly.models", "lightly.models.modules", "lightly.models.utils")
        found["lightly"] = file_of("lightly", "loss/ntx_ent_loss.py", empty)
        found["lightly DCL"] = file_of("lightly", "loss/dcl_loss.py", empty)
    if importlib.util.find_spec("open_clip"):
        found["open_clip"] = file_of("open_clip", "loss.py")
    if importlib.util.find_spec("solo"):
        found["solo-learn"] = file_of("solo", "losses/moco.py")
    return found


def timed(losses: dict[str, Callable[[], Tensor]], z: Tensor, clock: Clock) -> str:
    """Medians by turns; how far values and gradients differ from those of the first side."""
    seen: dict[str, tuple[float, Tensor]] = {}

    def step(side: str) -> None:
        z.grad = None
        value = losses[side]()
        value.backward()
        if z.device.type == "cuda":
            torch.cuda.synchronize()
        assert z.grad is not None
        seen[side] = float(value.detach()), z.grad

    sides = {side: partial(step, side) for side in losses}
    once = sum(by_turns(sides, 1).values())
    runs = max(LEAST, min(MOST, int(SPEND / once)))
    times = by_turns(sides, runs, clock)
    (first, ours), *others = times.items()
    line = [f"{first} {1e3 * ours:8.2f} ms"]
    for side, theirs in others:
        value, grad = seen[side]
        off = abs(value / seen[first][0] - 1), float((grad - seen[first][1]).norm() / grad.norm())
        line.append(
            f"{side} {1e3 * theirs:8.2f} ms, ratio {theirs / ours:5.1f}, "
            f"value to {off[0]:.0e}, gradient to {off[1]:.0e}"
        )
    return "; ".join(line) + f"   ({runs} runs)"


def compare(sizes: list[int], device: str, clock: Clock) -> None:
    """Every loss that a package has too."""
    theirs = packages()
    generator = torch.Generator().manual_seed(0)

    def drawn(*shape: int) -> Tensor:
        unit = torch.nn.functional.normalize(torch.randn(*shape, generator=generator), dim=-1)
        return unit.to(device).requires_grad_()

    for n in sizes:
        z, labels = drawn(n, D), torch.randint(0, max(2, min(100, n // 8)), (n,)).to(device)
        sides = {"ours": lambda z=z, y=labels: SupCon(TAU)(z, y)}
        if "pytorch-metric-learning" in theirs:
            other = theirs["pytorch-metric-learning"].SupConLoss(TAU)
            sides["pytorch-metric-learning"] = lambda z=z, y=labels, f=other: f(z, y)
        print(f"SupCon   n = {n:5}  {timed(sides, z, clock)}", flush=True)
        # With alpha = 0 all classmates weigh the same: without views that is SupCon.
        supcl = SupCL(0, TAU, anchor="excluded", alone="skip")
        sides["ours"] = lambda z=z, y=labels, f=supcl: f(z, y)
        print(f"SupCL    n = {n:5}  {timed(sides, z, clock)}", flush=True)
        z = drawn(n // 2, 2, D)
        pairs = {
            "NT-Xent": (SimCLR(TAU), "lightly", "NTXentLoss"),
            "DCL": (DCL(TAU), "lightly DCL", "DCLLoss"),
        }
        for name, (ours, package, called) in pairs.items():
            sides = {"ours": lambda z=z, f=ours: f(z[:, 0], z[:, 1])}
            if package in theirs:
                other = getattr(theirs[package], called)(TAU)
                sides["lightly"] = lambda z=z, f=other: f(z[:, 0], z[:, 1])
            if "pytorch-metric-learning" in theirs and n <= LARGEST_PAIRS and name == "NT-Xent":
                other = theirs["pytorch-metric-learning"].NTXentLoss(TAU)
                same = torch.arange(n // 2).to(device).repeat_interleave(2)
                sides["pytorch-metric-learning"] = lambda z=z, y=same, f=other: f(
                    z.flatten(0, 1), y
                )
            print(f"{name:8} n = {n:5}  {timed(sides, z, clock)}", flush=True)
        z = drawn(n // 2, 2, D)
        scale = {"normalize": False, "check": False}
        towers = {
            "CLIP": (CLIP(TAU, **scale), "ClipLoss", (1 / TAU,)),
            "SigLIP": (SigmoidLoss(10, -10, learn=False, **scale), "SigLipLoss", (10, -10)),
        }
        for name, (ours, called, at) in towers.items():
            sides = {"ours": lambda z=z, f=ours: f(z[:, 0], z[:, 1])}
            if "open_clip" in theirs:
                other = getattr(theirs["open_clip"], called)()
                sides["open_clip"] = lambda z=z, f=other, a=at: f(z[:, 0], z[:, 1], *a)
            print(f"{name:8} n = {n:5}  {timed(sides, z, clock)}", flush=True)
        if n <= 1024:
            z = drawn(n, 2, D)
            moco = MoCo(TAU, 16384, D, **scale).to(device).eval()
            sides = {"ours": lambda z=z, f=moco: f(z[:, 0], z[:, 1].detach())}
            if "solo-learn" in theirs:
                other, queue = theirs["solo-learn"].moco_loss_func, moco.queue.T.contiguous()
                sides["solo-learn"] = lambda z=z, f=other, k=queue: f(
                    z[:, 0], z[:, 1].detach(), k.clone(), TAU
                )
            print(f"MoCo     n = {n:5}  {timed(sides, z, clock)}", flush=True)
        y = torch.randn(n, 2, generator=generator).to(device)
        w = torch.exp(-(torch.cdist(y, y) ** 2))
        z = drawn(n, D)
        sides = {
            "SINCERE": lambda z=z, y=labels: SINCERE(TAU)(z, y),
            "Soft SupCon": lambda z=z, y=labels: SoftSupCon(0.1, TAU)(z, y),
            "y-Aware": lambda z=z, y=y: YAware(TAU)(z, y),
            "any W": lambda z=z, w=w: WInfoNCE(TAU, symmetric=False)(z, w),
            "X-CLR": lambda z=z, y=y: XCLR(0.1, TAU)(z, y),
            "Euclidean": lambda z=z, y=y: EuclideanWInfoNCE()(z, y),
        }
        times = [timed({name: side}, z, clock).partition(" ms")[0] for name, side in sides.items()]
        print(f"others   n = {n:5}  {', '.join(' '.join(t.split()) for t in times)} ms", flush=True)


#: What a batch of many points is tried with, on z of two views and on labels.
LARGE: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "SupCon": lambda z, y: SupCon(TAU)(z, y),
    "SupCL": lambda z, y: SupCL(0.5, TAU)(z, y),
    "SimCLR": lambda z, y: SimCLR(TAU)(z),
    "SINCERE": lambda z, y: SINCERE(TAU)(z, y),
    "CLIP": lambda z, y: CLIP(TAU)(z),
    "SigLIP": lambda z, y: SigmoidLoss()(z),
}


def large(name: str, n: int, device: str) -> None:
    """One pass with many points, and what it needs beside them."""
    loss = LARGE[name]
    z = torch.randn(n // 2, 2, D, device=device).requires_grad_()
    labels = torch.randint(0, 1000, (n // 2,), device=device)
    if device == "cuda":
        # The first pass of a process loads the kernels, which takes seconds.
        loss(z, labels).backward()
    else:
        loss(z[:1024], labels[:1024]).backward()
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
    else:
        before = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start, used = perf_counter(), process_time()
    found = loss(z, labels)
    found.backward()
    value = float(found.detach())
    seconds, used = perf_counter() - start, process_time() - used
    if device == "cuda":
        after = torch.cuda.max_memory_allocated()
    else:
        after = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    points, matrix = 4 * n * D / 2**20, 4 * n**2 / 2**20
    print(
        f"{name} n = {n}: {seconds:.1f} s ({used:.1f} s of processors), loss {value:.6f}, "
        f"peak memory {(after - before) / 2**20:.0f} MiB more than before "
        f"(the points are {points:.0f} MiB, a matrix n x n is {matrix:.0f} MiB)"
    )


def main() -> None:
    """Print a line for each loss and size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[64, 256, 1024, 2048, 8192])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--processor", action="store_true", help="measure processor time")
    parser.add_argument("--large", choices=LARGE, help="one batch of 65,536 with this loss")
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(options.threads)
    if options.large:
        large(options.large, 65536, options.device)
    else:
        compare(options.sizes, options.device, process_time if options.processor else perf_counter)


if __name__ == "__main__":
    main()

"""The kernel losses against the authors' code, by turns in one process.

    python tests/benchmarks/bench_losses_kernel.py --script PATH_TO_CHECKOUT_OF_Kernel-InfoNCE
    python tests/benchmarks/bench_losses_kernel.py --script PATH --threads 1 --processor
    python tests/benchmarks/bench_losses_kernel.py --script PATH --differences

N samples of two views, unit embeddings with d = 128 (256 where halves are looked at), tau = 0.1,
forward and backward pass in float32. The other side is ``nt_xent_loss`` of simclr_module.py
(github.com/yifanzhang-pro/Kernel-InfoNCE) for each of its loss types; what that file imports beside
torch and numpy is left empty. With ``--differences`` values and gradients of both are set beside
the definition in float64, for temperatures and distances where they part.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from types import ModuleType, SimpleNamespace
from typing import Any

import torch
from cltheory.numeric.losses import (
    KernelInfoNCE,
    KernelSumInfoNCE,
    LossConcatenationInfoNCE,
    LossSumInfoNCE,
)
from torch import Tensor

TAU, LAM, D = 0.1, 0.4, 128
#: Seconds that the runs of a line should take in all, and least and most runs of each side.
SPEND, LEAST, MOST = 4.0, 3, 200
#: Modules that simclr_module.py imports and that its loss does not need.
EMPTY = (
    "pytorch_lightning",
    "pytorch_lightning.callbacks",
    "model_checkpoint",
    "cifar100_datamodule",
    "tiny_imagenet_datamodule",
    "pl_bolts.models.self_supervised.resnets",
    "pl_bolts.optimizers.lars",
    "pl_bolts.optimizers.lr_scheduler",
    "pl_bolts.transforms.dataset_normalizations",
    "pl_bolts.utils.stability",
)


class _Nothing(ModuleType):
    """A module in which every name is something that does nothing."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "under_review":  # a decorator that is called first
            return lambda: lambda made: made
        return object


def load(checkout: Path) -> Any:
    """The class with the loss."""
    path = checkout / "simclr_module.py"
    if not path.is_file():
        sys.exit(f"{path} is not there; --script takes a checkout of Kernel-InfoNCE")
    for name in EMPTY:
        parts = name.split(".")
        for i in range(1, len(parts) + 1):
            sys.modules.setdefault(".".join(parts[:i]), _Nothing(".".join(parts[:i])))
    spec = importlib.util.spec_from_file_location("simclr_module", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.SimCLR


def theirs(simclr: Any, kind: str, gamma: float, tau: float, d: int) -> Callable[..., Tensor]:
    """Their loss of two views, for a loss type."""
    of = SimpleNamespace(
        acos_order=0, loss_type=kind, gamma=gamma, gamma_lambd=LAM, temperature=tau,
        distance_p=2.0, feat_dim=d,
    )  # fmt: skip
    of.gamma_loss = partial(simclr.gamma_loss, of)
    return lambda a, b: simclr.nt_xent_loss(of, a, b, tau)


def sides(simclr: Any, tau: float) -> dict[str, tuple[Callable[..., Tensor], Any, int]]:
    """Ours, theirs and the dimension, for each loss of theirs; the last has none of theirs."""
    one = {"normalize": False}
    found: dict[str, tuple[Callable[..., Tensor], Any, int]] = {
        f"origin, gamma = {gamma:g}": (
            KernelInfoNCE(gamma, tau, **one), theirs(simclr, "origin", gamma, tau, D), D
        )
        for gamma in (0.5, 1.0, 2.0)
    }  # fmt: skip
    found["sum"] = LossSumInfoNCE(LAM, tau, tau, **one), theirs(simclr, "sum", 1.0, tau, D), D
    found["product"] = (
        LossConcatenationInfoNCE(LAM, tau, tau, **one),
        theirs(simclr, "product", 1.0, tau, 2 * D),
        2 * D,
    )
    found["sum of kernels (section 5.2)"] = KernelSumInfoNCE(LAM, tau, tau, **one), None, D
    return found


def drawn(n: int, d: int, apart: float = 1.0, seed: int = 0) -> tuple[Tensor, Tensor]:
    """Unit vectors; the second view is the first one moved by about ``apart``."""
    generator = torch.Generator().manual_seed(seed)
    a, b = (torch.randn(n, d, generator=generator, dtype=torch.float64) for _ in range(2))
    unit = partial(torch.nn.functional.normalize, dim=1)
    a = unit(a)
    return a, unit(a + apart * unit(b))


def pulled(loss: Callable[..., Tensor], views: tuple[Tensor, Tensor]) -> tuple[float, Tensor]:
    """Value and gradient."""
    a, b = (z.clone().requires_grad_() for z in views)
    value = loss(a, b)
    value.backward()
    assert a.grad is not None and b.grad is not None
    return float(value.detach()), torch.cat([a.grad, b.grad]).double()


def differences(simclr: Any) -> None:
    """Where values and gradients part, in float32, beside ours in float64."""
    for tau, apart in (
        (0.5, 10.0),
        (0.1, 10.0),
        (0.05, 10.0),
        (0.01, 10.0),
        (0.1, 1.0),
        (0.5, 1e-3),
    ):
        for name, (ours, other, d) in sides(simclr, tau).items():
            if other is None:
                continue
            views = tuple(z.float() for z in drawn(256, d, apart))
            wide = views[0].double(), views[1].double()
            value, grad = pulled(ours, wide)
            line = f"tau = {tau:g}, apart = {apart:g}, {name:19} {value:9.5f}"
            for side, loss in (("ours", ours), ("theirs", other)):
                found, pull = pulled(loss, views)
                error = float((pull - grad).norm() / grad.norm())
                line += f"; {side} {found:9.5f}, gradient off by {error:.0e}"
            print(line, flush=True)


def compare(simclr: Any, sizes: list[int], clock: Callable[[], float]) -> None:
    """Times by turns."""
    for n in sizes:
        for name, (ours, other, d) in sides(simclr, TAU).items():
            views = tuple(z.float() for z in drawn(n, d))
            losses = [ours] if other is None else [ours, other]
            seconds: list[list[float]] = [[] for _ in losses]
            runs, start = LEAST, perf_counter()
            for run in range(MOST + 1):  # the first is not counted
                for loss, times in zip(losses, seconds, strict=True):
                    a, b = (z.clone().requires_grad_() for z in views)
                    begin = clock()
                    loss(a, b).backward()
                    if run:
                        times.append(clock() - begin)
                if run == 0:
                    runs = max(LEAST, min(MOST, int(SPEND / (perf_counter() - start))))
                if run == runs:
                    break
            line = f"N = {n:5} {name:30} ours {1e3 * median(seconds[0]):8.2f} ms"
            if other is not None:
                ratio = median(seconds[1]) / median(seconds[0])
                line += f", theirs {1e3 * median(seconds[1]):8.2f} ms, ratio {ratio:.2f}"
            print(f"{line}   ({runs} runs)", flush=True)


def main() -> None:
    """Print a line for each loss and size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--script", type=Path, required=True, help="a checkout of Kernel-InfoNCE")
    parser.add_argument("--sizes", type=int, nargs="+", default=[64, 256, 1024])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--processor", action="store_true", help="measure processor time")
    parser.add_argument("--differences", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    simclr = load(options.script)
    if options.differences:
        differences(simclr)
    else:
        compare(simclr, options.sizes, process_time if options.processor else perf_counter)


if __name__ == "__main__":
    main()

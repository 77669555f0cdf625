"""One of two processes with half of a batch each; the test runs the first itself.

python two_processes.py FOLDER
"""

from __future__ import annotations

import sys
from datetime import timedelta

import torch
from cltheory.losses import CLIP, DCL, SINCERE, Contrastive, MoCo, SigmoidLoss, SimCLR, SupCL
from torch import Tensor, distributed, nn

BATCH, VIEWS, D = 8, 2, 5
GENERATOR = torch.Generator().manual_seed(0)
INPUTS = torch.randn(BATCH, VIEWS, 3, generator=GENERATOR).double()
START = torch.randn(D, 3, generator=GENERATOR).double()
#: Classes with instances in both processes, in one, and alone.
LABELS = torch.tensor([0, 0, 1, 2, 0, 1, 3, 3])
#: For the other process to be there; one that fails to start must not block the tests.
WAIT = timedelta(seconds=60)
NAMES = (
    "supcl",
    "supcl-excluded",
    "supcl-skip",
    "sincere",
    "simclr",
    "dcl",
    "clip",
    "siglip",
    "moco",
)


def made(name: str, gather: bool) -> Contrastive:
    """A loss by name."""
    torch.manual_seed(1)
    options = {"gather_distributed": gather, "learn": True}
    losses = {
        "supcl": lambda: SupCL(0.3, 0.4, **options),
        "supcl-excluded": lambda: SupCL(0.3, 0.4, anchor="excluded", **options),
        "supcl-skip": lambda: SupCL(0.3, 0.4, alone="skip", **options),
        "sincere": lambda: SINCERE(0.4, **options),
        "simclr": lambda: SimCLR(0.4, **options),
        "dcl": lambda: DCL(0.4, **options),
        "clip": lambda: CLIP(0.4, **options),
        "siglip": lambda: SigmoidLoss(2.0, -1.0, **options),
        "moco": lambda: MoCo(0.4, 10, D, **options).double(),
    }
    return losses[name]()


class Training(nn.Module):
    """An encoder and its loss."""

    def __init__(self, name: str, gather: bool) -> None:
        super().__init__()
        self.weight, self.loss = nn.Parameter(START.clone()), made(name, gather)

    def forward(self, inputs: Tensor, labels: Tensor) -> Tensor:
        """The loss of a batch."""
        z = inputs @ self.weight.T
        is_labelled = isinstance(self.loss, SupCL | SINCERE)
        found: Tensor = self.loss(z, labels) if is_labelled else self.loss(z)
        return found


def trained(
    training: nn.Module, inputs: Tensor, labels: Tensor
) -> tuple[Tensor, dict[str, Tensor]]:
    """The loss, and its gradient by the parameters."""
    value = training(inputs, labels)
    value.backward()
    names = training.named_parameters()
    return value.detach(), {k: p.grad for k, p in names if p.grad is not None}


def meeting(port: int) -> distributed.TCPStore:
    """Where the processes meet; the first opens a free port with 0."""
    return distributed.TCPStore("127.0.0.1", port, 2, port == 0, WAIT, wait_for_workers=False)


def take_part(
    rank: int, store: distributed.TCPStore
) -> dict[str, tuple[Tensor, dict[str, Tensor]]]:
    """What this process has for each loss."""
    distributed.init_process_group("gloo", store=store, rank=rank, world_size=2, timeout=WAIT)
    try:
        half = slice(rank * BATCH // 2, (rank + 1) * BATCH // 2)
        found = {}
        for name in NAMES:
            training = Training(name, gather=True)
            found[name] = trained(training, INPUTS[half], LABELS[half])
            for mean in (found[name][0], *found[name][1].values()):
                distributed.all_reduce(mean)  # of gradients: what DistributedDataParallel does
                mean /= 2
            if isinstance(training.loss, MoCo):
                found["queue"] = training.loss.queue.clone(), {}
        return found
    finally:
        distributed.destroy_process_group()


if __name__ == "__main__":
    take_part(1, meeting(int(sys.argv[1])))

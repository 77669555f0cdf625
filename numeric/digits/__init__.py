"""The digits of scikit-learn, and a small encoder of them.

1797 images of 8 x 8 pixels, which come with the package: nothing is fetched. A part of them, drawn
from the seed, is held out of training.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import torch
from torch import Tensor, nn

from ..losses.modules import Loss
from ..running.device import resolve_device, threads_for

CLASSES = 10
#: Units of the two hidden layers, and images that are held out.
HIDDEN, HELD_OUT = 128, 397
#: Steps of AdamW, images in each, and the first learning rate, which falls to 0.
STEPS, BATCH, RATE = 600, 256, 3e-3


@dataclass(frozen=True)
class Digits:
    """Images and what is known of each.

    Attributes
    ----------
    images
        ``(n, 64)``, from 0 to 1.
    classes
        ``(n,)``: which digit it is.
    ink
        ``(n,)``: the sum of its pixels, with mean 0 and variance 1.
    """

    images: Tensor
    classes: Tensor
    ink: Tensor


@cache
def load(dtype: torch.dtype = torch.float64) -> Digits:
    """All digits."""
    from sklearn.datasets import load_digits

    found = load_digits()
    images = torch.as_tensor(found.data / found.data.max(), dtype=dtype)
    ink = images.sum(1)
    ink = (ink - ink.mean()) / ink.std(correction=0)
    return Digits(images, torch.as_tensor(found.target), ink)


@dataclass(frozen=True)
class Embedded:
    """What an encoder makes of the digits.

    Attributes
    ----------
    embeddings
        ``(n, q)`` in float64, of all images.
    trained_on, held_out
        Which images were trained on, and which were not.
    """

    embeddings: Tensor
    trained_on: Tensor
    held_out: Tensor

    def parts(self) -> Sequence[tuple[str, Tensor]]:
        """Both by name."""
        return ("train", self.trained_on), ("test", self.held_out)


def embedded(
    digits: Digits,
    loss: Loss,
    labels: Tensor,
    q: int,
    seed: int,
    *,
    steps: int = STEPS,
    device: str | torch.device = "auto",
) -> Embedded:
    """Train an encoder, two hidden layers of ReLU, and embed all images.

    Parameters
    ----------
    digits
        Their precision is that of the encoder.
    loss, labels
        A module, and what it is given of each image.
    q
        Dimension.
    seed
        Of what is held out, the first weights, and the batches.
    steps
        Of AdamW.
    """
    where = resolve_device(device)
    random = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(digits.images), generator=random)
    held_out, trained_on = order[:HELD_OUT], order[HELD_OUT:]
    net = encoder(digits.images.shape[1], q, random).to(where, digits.images.dtype)
    x, y = digits.images.to(where), labels.to(where)
    descend = descent(net, steps)
    with threads_for(BATCH, HIDDEN):
        for _ in range(steps):
            drawn = torch.randperm(len(trained_on), generator=random)[:BATCH]
            batch = trained_on[drawn].to(where)
            descend(loss(net(x[batch]), y[batch]))
        with torch.no_grad():
            found = net(x).double().cpu()
    return Embedded(found, trained_on, held_out)


def descent(net: nn.Module, steps: int) -> Callable[[Tensor], float]:
    """A step of AdamW on a loss, to be taken so often; the rate falls to 0. It returns the loss."""
    optimiser = torch.optim.AdamW(net.parameters(), lr=RATE)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, max(steps, 1))

    def step(loss: Tensor) -> float:
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        return loss.item()

    return step


def encoder(inputs: int, outputs: int, random: torch.Generator) -> nn.Sequential:
    """Two hidden layers of ReLU; weights uniform within 1/sqrt(inputs), as is usual."""
    sizes = (inputs, HIDDEN, HIDDEN, outputs)
    layers: list[nn.Module] = []
    for before, after in pairwise(sizes):
        layer = nn.Linear(before, after)
        for part in (layer.weight, layer.bias):
            nn.init.uniform_(part, -(before**-0.5), before**-0.5, generator=random)
        layers += [layer, nn.ReLU()]
    return nn.Sequential(*layers[:-1])

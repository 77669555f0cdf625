"""The kernels of tan2024spectral compared on digits: same images, weights, views and steps.

A small encoder of the digits of scikit-learn is trained by Kernel-InfoNCE on two distorted views of
each image. What differs between the kernels is the loss: by ``seed`` they have the same split, the
same first weights and the same views in the same order. Frozen, the encoder is evaluated by a
linear fit to the classes.

Each kernel has the same temperatures to choose from, by ``validation`` images that neither the
encoder nor the linear fit has seen; only then are those looked at that were held out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import isclose, nan
from statistics import mean

import torch
from torch import Tensor
from torch.nn.functional import normalize

from ..losses import (
    KernelConcatenationInfoNCE,
    KernelInfoNCE,
    KernelLoss,
    KernelSumInfoNCE,
    LossConcatenationInfoNCE,
    LossSumInfoNCE,
)
from ..running.device import threads_for
from ..running.table import Row
from . import HELD_OUT, HIDDEN, Digits, descent, encoder, linear_accuracy, views
from .paired import error, holm, paired

#: The kernel of SimCLR, which others are compared with, and an encoder that is not trained.
GAUSSIAN, UNTRAINED = "gamma-2", "untrained"
#: Exponents 1 and 2 in equal parts, at one temperature as in the authors' code. A mixture of losses
#: is Table 2, of kernels Section 5.2; concatenation gives each exponent half of the features.
MIXTURES: dict[str, Callable[[float, float, float], KernelLoss]] = {
    "loss-sum": LossSumInfoNCE,
    "kernel-sum": KernelSumInfoNCE,
    "loss-concatenation": LossConcatenationInfoNCE,
    "kernel-concatenation": KernelConcatenationInfoNCE,
}
#: Images to choose a temperature by.
VALIDATION = 300
#: What the linear fit is given: the embedding, of unit length, or what the last layer is given.
LAYERS = ("embedding", "hidden")
MEASURED = tuple(f"{part}_{layer}" for layer in LAYERS for part in ("validation", "test"))


@dataclass(frozen=True)
class Setup:
    """What all kernels share.

    Attributes
    ----------
    steps
        Of AdamW.
    batch
        Images in a batch, each in two views.
    d
        Dimension of an embedding; even, for the halves of a concatenation.
    """

    steps: int = 300
    batch: int = 64
    d: int = 32


@dataclass(frozen=True)
class Split:
    """Which images are for what.

    Attributes
    ----------
    train, validation, test
        Indices: encoders and linear fits see the first alone.
    """

    train: Tensor
    validation: Tensor
    test: Tensor

    @classmethod
    def drawn(cls, images: int, random: torch.Generator) -> Split:
        """A random one: 397 to test, 300 to validate, the others to train."""
        order = torch.randperm(images, generator=random)
        test, validation = order[:HELD_OUT], order[HELD_OUT : HELD_OUT + VALIDATION]
        return cls(order[HELD_OUT + VALIDATION :], validation, test)


def gamma_of(kernel: str) -> float | None:
    """The exponent in the name of an exponential kernel, ``gamma-0.5``; None of others."""
    name, _, exponent = kernel.partition("-")
    if name != "gamma":
        return None
    try:
        return float(exponent)
    except ValueError:
        return None


def loss_of(kernel: str, tau: float) -> KernelLoss:
    """The loss of a kernel by its name.

    Raises
    ------
    ValueError
        If there is no such kernel, or an exponent or temperature is not positive.
    """
    if kernel in MIXTURES:
        return MIXTURES[kernel](0.5, tau, tau)
    gamma = gamma_of(kernel)
    if gamma is None:
        known = ", ".join(MIXTURES)
        raise ValueError(f"kernel must be gamma-G with an exponent G, or {known}, not {kernel!r}")
    return KernelInfoNCE(gamma, tau)


def run(
    kernel: str, tau: float, seed: int, setup: Setup, digits: Digits, where: torch.device
) -> Row:
    """Train an encoder, and evaluate it.

    Parameters
    ----------
    kernel, tau
        A name that `loss_of` knows, or ``"untrained"``, whose temperature is of no matter.
    seed
        Of the split, the first weights, and the views.
    setup, digits
        What kernels share. Digits are in the precision of the encoder.
    where
        The device.

    Returns
    -------
    Row
        The accuracies, on validation and test images, for both layers; and ``loss``, the mean of
        the last tenth of the steps, which is not comparable between kernels or temperatures.
    """
    random = torch.Generator().manual_seed(seed)
    split = Split.drawn(len(digits.images), random)
    images, train = digits.images.to(where), split.train.to(where)
    net = encoder(images.shape[1], setup.d, random).to(where, images.dtype)
    losses: list[float] = []
    with threads_for(2 * setup.batch, HIDDEN):
        if kernel != UNTRAINED:
            loss = loss_of(kernel, tau)
            descend = descent(net, setup.steps)
            for _ in range(setup.steps):
                drawn = torch.randperm(len(train), generator=random)[: setup.batch].to(where)
                losses.append(descend(loss(net(views(images[train[drawn]], random)))))
        row: Row = {"loss": mean(losses[-max(1, setup.steps // 10) :]) if losses else nan}
        with torch.no_grad():
            hidden = net[:-1](images)
            found = {"hidden": hidden, "embedding": normalize(net[-1](hidden), dim=1)}
        for layer in LAYERS:
            z = found[layer].double().cpu()
            for part in ("validation", "test"):
                right = linear_accuracy(z, digits.classes, split.train, getattr(split, part))
                row[f"{part}_{layer}"] = right
    return row


@dataclass(frozen=True)
class Told:
    """One kernel after its temperature was chosen, seed by seed.

    Attributes
    ----------
    kernel, layer
        Its name, and what was evaluated.
    accuracies
        On test images, by seed.
    mean, error
        Of them, with the standard error over seeds.
    taus
        The temperatures that were chosen, with the number of seeds; a seed with ties counts in
        equal parts.
    difference, difference_error
        From the Gaussian kernel with the same seeds.
    p, p_resampled
        Of paired t-tests, see `paired`: without and with regard to seeds sharing images.
    p_holm
        ``p_resampled`` by Holm's correction for as many kernels as are compared in this layer.
    above, below
        Seeds in which it is better and worse than the Gaussian kernel.
    """

    kernel: str
    layer: str
    accuracies: tuple[float, ...]
    mean: float
    error: float
    taus: dict[float, float]
    difference: float
    difference_error: float
    p: float
    p_resampled: float
    p_holm: float
    above: int
    below: int


def chosen(rows: Sequence[Row], layer: str) -> tuple[float, list[float]]:
    """The test accuracy at the temperature that is best on validation images, and which it is.

    Temperatures that are equally good on validation images count in equal parts.
    """
    most = max(float(row[f"validation_{layer}"]) for row in rows)
    best = [row for row in rows if isclose(float(row[f"validation_{layer}"]), most, abs_tol=1e-9)]
    accuracy = mean(float(row[f"test_{layer}"]) for row in best)
    return accuracy, sorted(float(row["tau"]) for row in best)


def compare(rows: Iterable[Row], layer: str, images: int) -> list[Told]:
    """What was found of every kernel.

    Parameters
    ----------
    rows
        Those of runs, with their ``kernel``, ``tau`` and ``seed``.
    layer
        ``"embedding"`` or ``"hidden"``.
    images
        How many there are in all.

    Raises
    ------
    ValueError
        If there are no runs with the Gaussian kernel, or kernels have not the same seeds.
    """
    by: dict[str, dict[int, list[Row]]] = {}
    for row in rows:
        by.setdefault(str(row["kernel"]), {}).setdefault(int(row["seed"]), []).append(row)
    if GAUSSIAN not in by:
        raise ValueError(f"no runs found of {GAUSSIAN!r} to compare with")
    seeds = sorted(by[GAUSSIAN])
    least = [chosen(by[GAUSSIAN][seed], layer)[0] for seed in seeds]
    held = HELD_OUT / (images - HELD_OUT - VALIDATION)
    found = []
    for kernel, of in by.items():
        if sorted(of) != seeds:
            raise ValueError(f"{kernel} and {GAUSSIAN} were not run with the same seeds")
        picked = [chosen(of[seed], layer) for seed in seeds]
        values = [accuracy for accuracy, _ in picked]
        taus: dict[float, float] = {}
        for _, among in picked:
            for tau in among:
                taus[tau] = taus.get(tau, 0.0) + 1 / len(among)
        found.append((kernel, values, dict(sorted(taus.items())), paired(values, least, held)))
    tested = [k for k, *_ in found if k not in (GAUSSIAN, UNTRAINED)]
    ps = holm([apart.p_resampled for kernel, *_, apart in found if kernel in tested])
    corrected = dict(zip(tested, ps, strict=True))
    return [
        Told(
            kernel,
            layer,
            tuple(values),
            mean(values),
            error(values),
            taus,
            apart.mean,
            apart.error,
            apart.p,
            apart.p_resampled,
            corrected.get(kernel, nan),
            apart.above,
            apart.below,
        )
        for kernel, values, taus, apart in found
    ]

"""What is predicted of training, and small runs on digits that it is compared with.

The theorems are about the least loss over all unit vectors. Ways to come there: free embeddings,
which only an optimiser stands between; an encoder of two views of each image that are drawn once;
and the same encoder with new views in every step, as in practice, measured on views that it was not
trained on. All have the same loss, steps and optimiser.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from math import nan
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from ...derive.results import results
from ...derive.theorem.number import as_float
from ..losses.contrastive import Contrastive, SupCL
from ..metrics.classes import class_variances
from ..running.table import Row
from . import CLASSES, descent, encoder, load

#: Images of each class.
IMAGES = 5
#: Length of free embeddings at first: the shorter, the faster they turn at the same rate.
START = 0.3


@dataclass(frozen=True)
class Way:
    """How embeddings come about.

    Attributes
    ----------
    says
        In words.
    noise
        Deviation of what is added to pixels, from 0 to 1, in a view.
    is_free, is_fresh
        Whether there is no encoder; whether views are new in every step.
    """

    says: str
    noise: float = 0.1
    is_free: bool = False
    is_fresh: bool = False


WAYS = {
    "free": Way("free embeddings", is_free=True),
    "fixed": Way("encoder, fixed views"),
    "fresh": Way("encoder, new views", is_fresh=True),
    "noisy": Way("encoder, new views, much noise", 0.4, is_fresh=True),
}
Cell = Mapping[str, Any]


class Study(ABC):
    """Cells that answer one question: their loss, and what is predicted and measured.

    Attributes
    ----------
    title, number
        What is varied, and what is measured.
    name, axis
        The column that is varied, and what stands on the horizontal axis.
    is_log, border
        Whether that axis is logarithmic; where a threshold stands upright in it, if one does.
    views
        Of each image.
    """

    title: str
    number: str
    name: str
    axis: str
    is_log = False
    border: float | None = None
    views = 2

    @abstractmethod
    def cells(self) -> list[dict[str, Any]]:
        """What is varied: ``alpha``, ``tau``, ``B`` (images in a batch), ``d`` and ``sizes``."""

    def loss(self, cell: Cell) -> Contrastive:
        """What is lowered."""
        return SupCL(cell["alpha"], cell["tau"], alone="term")

    @abstractmethod
    def predicted(self, cell: Cell) -> tuple[float, float, float]:
        """Threshold of alpha, what is measured, and the least loss; nan where nothing is said."""

    def place(self, row: Row) -> float:
        """Where a cell is on the axis."""
        return float(row[self.name])

    def measured(self, z: Tensor, labels: Tensor, loss: Tensor) -> Tensor:
        """The same of unit embeddings ``(images, views, d)``: within-class variance."""
        return class_variances(z.flatten(0, 1), labels.repeat_interleave(z.shape[1])).within


def _cell(**own: Any) -> dict[str, Any]:
    """A cell with classes of one size and all of them in a batch, unless something else is said."""
    usual = {"alpha": 0.5, "tau": 0.5, "B": CLASSES * IMAGES, "d": 64}
    return {**usual, "sizes": ":".join([str(IMAGES)] * CLASSES), **own}


def _optimum(cell: Cell) -> tuple[float, float, float]:
    """Threshold, within-class variance and loss of SupCL with all images in a batch."""
    at: Cell = {"m": CLASSES, "n": IMAGES, "p": Study.views, "tau": cell["tau"]}
    result, alpha = results["supcl-optimum"], cell["alpha"]
    return (
        as_float(results["supcl-threshold"].value("alpha_min", **at)),
        as_float(result.value("within_class_variance", **at, alpha=alpha)),
        as_float(result.value("loss", **at, alpha=alpha)),
    )


@dataclass(frozen=True)
class Collapse(Study):
    """SupCL over all images at once: how far the images of a class are apart."""

    title: str
    name: str
    axis: str
    alphas: tuple[float, ...]
    taus: tuple[float, ...]
    number = "within-class variance"

    def cells(self) -> list[dict[str, Any]]:
        return [_cell(alpha=a, tau=t) for a, t in product(self.alphas, self.taus)]

    def predicted(self, cell: Cell) -> tuple[float, float, float]:
        return _optimum(cell)


@dataclass(frozen=True)
class Batches(Study):
    """The same over random batches, of which the threshold is known, and what is below it."""

    title: str
    batches: tuple[int, ...]
    multiples: tuple[float, ...]
    tau: float
    axis = r"$\alpha$ / derived threshold"
    border = 1.0
    number = "within-class variance"

    def place(self, row: Row) -> float:
        return float(row["alpha"]) / float(row["threshold"])

    def cells(self) -> list[dict[str, Any]]:
        return [
            _cell(alpha=round(k * self.threshold(B), 4), tau=self.tau, B=B)
            for B in self.batches
            for k in self.multiples
        ]

    def threshold(self, B: int) -> float:
        """The largest alpha at which classes collapse."""
        at: Cell = {"m": CLASSES, "n": IMAGES, "p": self.views, "B": B, "tau": self.tau}
        return as_float(results["supcl-batches"].value("alpha_high_term", **at))

    def predicted(self, cell: Cell) -> tuple[float, float, float]:
        if cell["B"] == CLASSES * IMAGES:
            return _optimum(cell)
        threshold = self.threshold(cell["B"])
        return threshold, 0.0 if cell["alpha"] <= threshold else nan, nan


@dataclass(frozen=True)
class Dimensions(Study):
    """Instances apart in few dimensions: the loss, and bounds that no embeddings are below.

    They are that of the dimension and the minimum over all dimensions, which m n - 1 of them have.
    """

    title: str
    dimensions: tuple[int, ...]
    name = "d"
    axis = "dimension $d$"
    number = "loss"
    is_log = True

    def cells(self) -> list[dict[str, Any]]:
        return [_cell(alpha=1.0, d=d) for d in self.dimensions]

    def predicted(self, cell: Cell) -> tuple[float, float, float]:
        at: Cell = {"N": CLASSES * IMAGES * self.views, "d": cell["d"], "tau": cell["tau"]}
        bound = as_float(results["uniform-bound"].value("loss_at_least", **at))
        least = max(bound, _optimum(cell)[2])
        return nan, least, least

    def measured(self, z: Tensor, labels: Tensor, loss: Tensor) -> Tensor:
        return loss


@dataclass(frozen=True)
class Imbalance(Study):
    """SupCon on a large class beside two small ones: when these become one point."""

    title: str
    large: tuple[int, ...]
    tau: float
    small: int = 4
    views = 1
    axis = "large class / both small classes"
    number = "cosine of the small classes"
    is_log = True

    def place(self, row: Row) -> float:
        return int(str(row["sizes"]).split(":")[0]) / (2 * self.small)

    def cells(self) -> list[dict[str, Any]]:
        return [
            _cell(alpha=0.0, tau=self.tau, d=16, B=n + 2 * k, sizes=f"{n}:{k}:{k}")
            for n, k in product(self.large, [self.small])
        ]

    def loss(self, cell: Cell) -> Contrastive:
        return SupCL(0, cell["tau"], anchor="excluded")

    def predicted(self, cell: Cell) -> tuple[float, float, float]:
        sizes = cell["sizes"].replace(":", ",")
        result, at = results["supcon-imbalanced"], {"sizes": sizes, "tau": cell["tau"]}
        cosines: Any = result.value("cosines", **at)
        return nan, float(cosines[1][2]), as_float(result.value("loss", **at))

    def measured(self, z: Tensor, labels: Tensor, loss: Tensor) -> Tensor:
        one, other = (z[labels == k].flatten(0, 1).mean(0) for k in (1, 2))
        return torch.cosine_similarity(one, other, dim=0)


ALPHAS = (0.0, 0.2, 0.4, 0.6, 0.65, 0.7, 0.8, 0.9, 1.0)
TAUS = (0.1, 0.2, 0.3, 0.35, 0.4, 0.5, 1.0)
STUDIES: dict[str, Study] = {
    "alpha": Collapse(r"$\tau = 0.5$", "alpha", r"$\alpha$", ALPHAS, (0.5,)),
    "tau": Collapse(r"$\alpha = 0.5$", "tau", r"$\tau$", (0.5,), TAUS),
    "batch": Batches("random batches", (10, 25, 50), (0.5, 0.8, 1.2, 1.5, 2.0), 0.2),
    "d": Dimensions("few dimensions", (2, 3, 5, 9, 16, 32, 64)),
    "sizes": Imbalance("unequal classes", (4, 8, 16, 32, 64, 128), 1.0),
}


def trained(study: Study, cell: Cell, steps: int, dtype: torch.dtype, where: torch.device) -> Row:
    """What is measured of embeddings of all images of a cell, and of images held out.

    The gradient is that in the weights, times their size, so that it has no unit. What is drawn
    does not depend on the loss: all cells of a seed and sizes have the same images and views.
    """
    way, digits = WAYS[cell["by"]], load(dtype)
    random = torch.Generator().manual_seed(cell["seed"])
    sizes = [int(k) for k in cell["sizes"].split(":")]
    places = [(digits.classes == c).nonzero().flatten() for c in range(len(sizes))]
    places = [at[torch.randperm(len(at), generator=random)] for at in places]
    chosen = torch.cat([at[:k] for at, k in zip(places, sizes, strict=True)])
    others = torch.cat([at[k:] for at, k in zip(places, sizes, strict=True)])

    def seen(which: Tensor) -> Tensor:
        shape = len(which), study.views, digits.images.shape[1]
        noise = torch.randn(shape, generator=random, dtype=dtype)
        return (digits.images[which][:, None] + way.noise * noise).to(where)

    x, labels = seen(chosen), digits.classes[chosen].to(where)
    net: nn.Module = encoder(x.shape[-1], cell["d"], random)
    if way.is_free:  # a linear layer on which view it is
        x = torch.eye(x[..., 0].numel(), dtype=dtype, device=where).view(*x.shape[:2], -1)
        net = nn.Linear(x.shape[-1], cell["d"], bias=False)
        nn.init.normal_(net.weight, std=START * cell["d"] ** -0.5, generator=random)
    net.to(where, dtype)
    loss, descend = study.loss(cell), descent(net, steps)

    def lost(z: Tensor, classes: Tensor) -> Tensor:
        return loss(z if study.views > 1 else z[:, 0], classes)

    for _ in range(steps):
        batch = torch.randperm(len(chosen), generator=random)[: cell["B"]].to(where)
        descend(lost(net((seen(chosen) if way.is_fresh else x)[batch]), labels[batch]))
    z = net(seen(chosen) if way.is_fresh else x)
    value, weights = lost(z, labels), list(net.parameters())
    slopes = torch.autograd.grad(value, weights)
    size, slope = (
        sum(float(w.detach().square().sum()) for w in p) ** 0.5 for p in (weights, slopes)
    )
    row: Row = {"loss": value.item(), "gradient": size * slope, "held_out": nan}
    with torch.no_grad():
        row["measured"] = float(study.measured(normalize(z, dim=-1), labels, value))
        if not way.is_free:
            z, new = normalize(net(seen(others)), dim=-1), digits.classes[others].to(where)
            row["held_out"] = float(study.measured(z, new, torch.tensor(nan)))
    return row

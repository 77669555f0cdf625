r"""The synthetic experiments of ochieng2025diversity: vectors, and what the bounds say of them.

Vectors are :math:`A x / |A x|` with Gaussian x, where :math:`A A^\top` has the eigenvalue
``lambda_1`` and d - 1 equal ones, with sum 1. All that is measured is a function of inner products,
so the orthogonal matrix of the paper changes nothing and is left out. The normalisation moves the
spectrum: the second moment of the vectors has less than ``lambda_1`` on top.

Each vector is an anchor. Its positive is :math:`c z + \sqrt{1 - c^2} u` with a random unit vector
u at right angles to it, and stands beside the batch; its negatives are all other vectors.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan, sqrt
from typing import Any, ClassVar
from zlib import crc32

import numpy as np
import torch
from torch import Tensor
from torch.linalg import vecdot

from ..band.bounds import With, closest, proved
from ..band.measured import printed
from ..band.readings import Readings
from ..band.sigma import largest_without
from ..problems.embeddings import normalise
from ..running.device import resolve_device, threads_for
from ..running.table import Layout, Row, alike, key, layout
from .drawing import Experiment, Run
from .panels import Series

#: What the paper takes for its softmax-smoothness constant.
CONSTANT = 0.5
#: Rounding of squared gradients: of themselves, and where they cancel of the trivial bound.
RELATIVE, CANCELLED = 1e-9, 1e-13
#: Of ratios over the anchors, as parts.
QUANTILES = {"low": 0.05, "median": 0.5, "high": 0.95}
#: Upper bounds that are compared, by what they are called in a legend.
UPPERS = {
    "printed": "printed, $c = 1/2$",
    "trivial": r"$4\,\varepsilon^2/\tau^2$",
    "alignment": r"proved, by $\varepsilon$, $\rho$",
    "spectrum": r"proved, with $\sigma$",
    "closest": "closest of all proved",
}
#: Bands, by the anchors inside.
INSIDE = {
    "inside_plugged": r"printed, $\bar\rho$ of the batch",
    "inside_printed": r"printed, $\rho_i$ of the anchor",
    "inside_proved": "proved",
}


def gaussian(n: int, d: int, top: float, random: torch.Generator) -> Tensor:
    """Vectors ``(n, d)`` of unit length, of a Gaussian law with the largest eigenvalue ``top``."""
    x = torch.randn(n, d, dtype=torch.float64, generator=random)
    scale = torch.full((d,), sqrt((1 - top) / max(d - 1, 1)), dtype=torch.float64)
    scale[0] = sqrt(top)
    return normalise(x * scale)


def positives(z: Tensor, cosine: float, random: torch.Generator) -> Tensor:
    """Unit vectors at a cosine to each of ``z``, otherwise at random."""
    u = torch.randn(z.shape, dtype=z.dtype, generator=random)
    u = normalise(u - vecdot(u, z)[..., None] * z)
    return cosine * z + sqrt(1 - cosine**2) * u


class Batch:
    """Anchors with positives beside them, and all other anchors as negatives.

    Parameters
    ----------
    z, own
        ``(n, d)``: vectors, and the positive of each.
    device
        Where they are looked at.

    Attributes
    ----------
    sigma
        The largest eigenvalue of the second moment of the negatives, for each anchor.
    sigma_hat
        That of all vectors.
    """

    def __init__(self, z: Tensor, own: Tensor, device: str | torch.device = "auto") -> None:
        where = resolve_device(device)
        self.z, self.own = z.to(where), own.to(where)
        found = largest_without(self.z, torch.arange(len(z), device=where)[:, None])
        self.sigma, self.sigma_hat = found.value, float(found.spectrum[0]) / len(z)

    def at(self, tau: float) -> Found:
        """Measured and bounded, for every anchor, at a temperature."""
        keep = ~torch.eye(len(self.z), dtype=torch.bool, device=self.z.device)
        read = Readings(self.z, self.own, self.z, tau, keep)
        at = With(read.each, sigma=self.sigma)
        return Found(
            measured=read.squared_gradient,
            epsilon=read.epsilon,
            one_minus_rho=read.one_minus_rho,
            lowers={"lower": proved("lower", at), "low": closest("lower", at)},
            uppers={
                "printed": printed(at, CONSTANT),
                "trivial": proved("upper_trivial", at),
                "alignment": proved("upper_alignment", at),
                "spectrum": proved("upper", at),
                "closest": closest("upper", at),
            },
            tau=tau,
            sigma_hat=self.sigma_hat,
        )


@dataclass(frozen=True, eq=False)
class Found:
    """Numbers of every anchor of a batch, or of several: `together`.

    Of the lower bounds ``lower`` is by rho, and ``low`` the largest that is proved.
    """

    measured: Tensor
    epsilon: Tensor
    one_minus_rho: Tensor
    lowers: Mapping[str, Tensor]
    uppers: Mapping[str, Tensor]
    tau: float
    sigma_hat: float

    @property
    def plugged_in(self) -> Tensor:
        """The lower bound by the mean of rho over the batch, which the paper compares with."""
        mean = self.one_minus_rho.mean(-1, keepdim=True)
        return (mean.square() / self.tau**2).expand(self.measured.shape)

    @classmethod
    def together(cls, some: Sequence[Found]) -> Found:
        """Numbers of several batches at one temperature, ``(batches, n)``."""
        first = some[0]
        return cls(
            measured=torch.stack([found.measured for found in some]),
            epsilon=torch.stack([found.epsilon for found in some]),
            one_minus_rho=torch.stack([found.one_minus_rho for found in some]),
            lowers={k: torch.stack([found.lowers[k] for found in some]) for k in first.lowers},
            uppers={k: torch.stack([found.uppers[k] for found in some]) for k in first.uppers},
            tau=first.tau,
            sigma_hat=float(np.mean([found.sigma_hat for found in some])),
        )

    # --- containment ------------------------------------------------------------------------
    def above(self, lower: Tensor) -> Tensor:
        """Which are no less than a lower bound, up to rounding."""
        return self.measured >= lower * (1 - RELATIVE) - self._rounding

    def below(self, upper: Tensor) -> Tensor:
        """Which are no more than an upper bound, up to rounding."""
        return self.measured <= upper * (1 + RELATIVE) + self._rounding

    @property
    def _rounding(self) -> Tensor:
        return CANCELLED * self.uppers["trivial"]

    @property
    def coverage(self) -> Row:
        """Parts of the anchors in a band; ``mean_printed`` is of the means of batches.

        ``inside_plugged`` is the paper's band, with the lower bound by the mean of rho,
        ``inside_printed`` that with the rho of each anchor, ``inside_proved`` the proved one.
        """
        upper = self.below(self.uppers["printed"])
        means = self.measured.mean(-1)
        low, high = self.plugged_in[..., 0], self.uppers["printed"].mean(-1)
        slack = self._rounding.mean(-1)
        within = (means >= low * (1 - RELATIVE) - slack) & (means <= high * (1 + RELATIVE) + slack)
        parts = {
            "inside_plugged": self.above(self.plugged_in) & upper,
            "inside_printed": self.above(self.lowers["lower"]) & upper,
            "inside_proved": self.above(self.lowers["low"]) & self.below(self.uppers["closest"]),
            "over_printed": ~upper,
            "mean_printed": within,
        }
        return {name: float(part.double().mean()) for name, part in parts.items()}

    @property
    def looseness(self) -> Row:
        """Quantiles of bounds over the measured, or the inverse for lower ones.

        nan where the squared gradients are zero to rounding.
        """
        row: Row = {}
        zero = bool(self.measured.median() < 100 * self._rounding.median())
        ratios = {name: upper / self.measured for name, upper in self.uppers.items()}
        ratios |= {name: self.measured / lower for name, lower in self.lowers.items()}
        for name, ratio in ratios.items():
            for part, q in QUANTILES.items():
                found = nan if zero else float(ratio.flatten().quantile(q))
                row[f"{name}_{part}"] = found
        return row


#: Columns of `Found.coverage` and `Found.looseness`.
COVERAGE = ("inside_plugged", "inside_printed", "inside_proved", "over_printed", "mean_printed")
LOOSENESS = tuple(f"{name}_{part}" for name in (*UPPERS, "lower", "low") for part in QUANTILES)


def generator(*values: float | int) -> torch.Generator:
    """Random numbers of a cell, the same for the same values."""
    spelled = ",".join(f"{value:.12g}" for value in values)
    return torch.Generator().manual_seed(crc32(spelled.encode()))


@dataclass(frozen=True)
class Law(Experiment):
    """What the experiments share: temperatures, sizes, and how many batches of each law.

    Attributes
    ----------
    measures
        Columns of what is measured.
    joint
        Columns that tell batches apart: cells that differ in ``tau`` alone share theirs.
    """

    taus: tuple[float, ...]
    n: int = 256
    d: int = 1024
    batches: int = 5
    seeds: tuple[int, ...] = (0, 1, 2, 3)

    dtype: ClassVar[torch.dtype | None] = torch.float64
    measures: ClassVar[tuple[str, ...]]
    joint: ClassVar[tuple[str, ...]] = ("seed",)

    def __post_init__(self) -> None:
        if self.n < 3 or self.d < 2 or self.batches < 1:
            raise ValueError("a setting needs n > 2, d > 1 and a batch")

    def cells(self) -> list[dict[str, Any]]:
        """All cells, those with the same batches together."""
        return [{"tau": tau, "seed": seed} for seed in self.seeds for tau in self.taus]

    def law(self) -> dict[str, float]:
        """What all rows have in common: sizes, and what is fixed of the law."""
        return {"n": self.n, "d": self.d, "batches": self.batches}

    @property
    def columns(self) -> Layout:
        """The cell, what all rows have in common, and what was measured."""
        names = (*self.cells()[0], *self.law(), *self.measures, "dtype", "device")
        return layout(names, ("n", "batches"))

    def setup(self, run: Run) -> dict[str, float | str]:
        """The same for every temperature and precision."""
        return dict(self.law())

    @abstractmethod
    def told(self, found: Found) -> Row:
        """The columns :attr:`measures`, by what was found in all batches."""

    def solve(self, todo: list[dict[str, Any]], run: Run) -> Iterator[Row]:
        """A row of every cell: so many batches."""
        groups = alike(todo, self.joint)
        with threads_for(self.n, self.d):
            for cells in groups:
                random = generator(*(cells[0][name] for name in self.joint))
                at = {**self.law(), **cells[0]}
                seen = []
                for _ in range(self.batches):
                    z = gaussian(self.n, self.d, at["lambda_1"], random)
                    batch = Batch(z, positives(z, at["cosine"], random), run.where)
                    seen.append([batch.at(cell["tau"]) for cell in cells])
                for cell, found in zip(cells, zip(*seen, strict=True), strict=True):
                    told = self.told(Found.together(found))
                    yield {**cell, **told, "device": str(run.where)}


def over_seeds(
    cells: Sequence[Mapping[str, Any]],
    rows: Sequence[Row],
    names: Sequence[str],
    columns: Sequence[str],
) -> list[dict[str, float]]:
    """Means over the seeds, and ``_off``, their standard deviations, for cells alike in names."""
    by: dict[Any, list[Row]] = {}
    for row in rows:
        by.setdefault(key(row, names), []).append(row)
    found = []
    for cell in {key(cell, names): cell for cell in cells}.values():
        told = {c: [float(row[c]) for row in by[key(cell, names)]] for c in columns}
        means = {c: float(np.mean(values)) for c, values in told.items()}
        off = {f"{c}_off": float(np.std(values)) for c, values in told.items()}
        found.append({**{name: float(cell[name]) for name in names}, **means, **off})
    return found


def bars(
    x: np.ndarray, shown: Sequence[Mapping[str, float]], name: str, says: str = "", **style: Any
) -> Series:
    """Medians, with the range between the quantiles."""
    low, middle, high = (np.array([row[f"{name}_{part}"] for row in shown]) for part in QUANTILES)
    return Series(x, middle, says, [middle - low, high - middle], {"capsize": 1.5, **style})

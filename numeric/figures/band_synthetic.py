r"""The synthetic experiments of ochieng2025diversity: vectors, and what the bounds say of them.

Vectors are :math:`A x / |A x|` with Gaussian x, where :math:`A A^\top` has the eigenvalue
``lambda_1`` and d - 1 equal ones, with sum 1. All that is measured is a function of inner products,
so the orthogonal matrix of the paper changes nothing and is left out. The normalisation moves the
spectrum: the second moment of the vectors has less than ``lambda_1`` on top.

Each vector is an anchor. Its positive is :math:`c z + \sqrt{1 - c^2} u` with a random unit vector
u at right angles to it, and stands beside the batch; its negatives are all other vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from math import nan, sqrt
from typing import Any, ClassVar
from zlib import crc32

import numpy as np
import torch
from torch import Tensor
from torch.linalg import vecdot, vector_norm

from ..band.bounds import With, closest, proved
from ..band.measured import printed
from ..band.readings import Readings
from ..band.sigma import Sigmas, largest_without
from ..running.device import resolve_device, threads_for
from ..running.progress import reporting
from ..running.table import Layout, Row, layout
from ..search.sweep import alike, key
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
    return unit(x * scale)


def unit(x: Tensor) -> Tensor:
    """Rows of unit length."""
    found: Tensor = x / vector_norm(x, dim=-1, keepdim=True)
    return found


def positives(z: Tensor, cosine: float, random: torch.Generator) -> Tensor:
    """Unit vectors at a cosine to each of ``z``, otherwise at random."""
    u = torch.randn(z.shape, dtype=z.dtype, generator=random)
    u = unit(u - vecdot(u, z)[..., None] * z)
    return cosine * z + sqrt(1 - cosine**2) * u


class Batch:
    """Anchors with positives beside them, and all other anchors as negatives.

    Parameters
    ----------
    z, own
        ``(n, d)``: vectors, and the positive of each.
    device
        Where they are looked at.
    """

    def __init__(self, z: Tensor, own: Tensor, device: str | torch.device = "auto") -> None:
        where = resolve_device(device)
        self.z, self.own = z.to(where), own.to(where)

    @property
    def n(self) -> int:
        """How many anchors there are; N = n - 1."""
        return len(self.z)

    @cached_property
    def _sigmas(self) -> Sigmas:
        return largest_without(self.z, torch.arange(self.n, device=self.z.device)[:, None])

    @property
    def sigma(self) -> Tensor:
        """The largest eigenvalue of the second moment of the negatives, for each anchor."""
        return self._sigmas.value

    @property
    def facts(self) -> dict[str, float]:
        """Numbers of the batch, without a temperature.

        ``sigma`` is the mean over the anchors, ``sigma_hat`` that of all vectors, ``deviation``
        how far their second moment is from the identity over d, in percent of that, and
        ``correlation`` the mean inner product of two different vectors.
        """
        n, d = self.z.shape
        square = float(self._sigmas.spectrum.square().sum()) / n**2
        return {
            "sigma": float(self.sigma.mean()),
            "sigma_hat": float(self._sigmas.spectrum[0]) / n,
            "deviation": 100 * sqrt(max(d * square - 1, 0.0)),
            "correlation": (float(self.z.sum(0).square().sum()) / n - 1) / (n - 1),
        }

    def at(self, tau: float) -> Found:
        """Measured and bounded, for every anchor, at a temperature."""
        keep = ~torch.eye(self.n, dtype=torch.bool, device=self.z.device)
        read = Readings(self.z, self.own, self.z, tau, keep)
        at = With(read.each, sigma=self.sigma)
        return Found(
            measured=read.squared_gradient,
            lower=proved("lower", at),
            closest_lower=closest("lower", at),
            uppers={
                "printed": printed(at, CONSTANT),
                "trivial": proved("upper_trivial", at),
                "alignment": proved("upper_alignment", at),
                "spectrum": proved("upper", at),
                "closest": closest("upper", at),
            },
            epsilon=read.epsilon,
            one_minus_rho=read.one_minus_rho,
            mean_norm=read.mean_norm,
            tau=tau,
        )


@dataclass(frozen=True, eq=False)
class Found:
    """Numbers of every anchor of a batch, or of several: `together`."""

    measured: Tensor
    lower: Tensor
    closest_lower: Tensor
    uppers: Mapping[str, Tensor]
    epsilon: Tensor
    one_minus_rho: Tensor
    mean_norm: Tensor
    tau: float

    @property
    def plugged_in(self) -> Tensor:
        """The lower bound by the mean of rho over the batch, which the paper compares with."""
        mean = self.one_minus_rho.mean(-1, keepdim=True)
        return (mean.square() / self.tau**2).expand(self.measured.shape)

    @classmethod
    def together(cls, some: Sequence[Found]) -> Found:
        """Numbers of several batches, ``(batches, n)``."""
        (tau,) = {found.tau for found in some}

        def stacked(name: str) -> Tensor:
            return torch.stack([getattr(found, name) for found in some])

        names = ("measured", "lower", "closest_lower", "epsilon", "one_minus_rho", "mean_norm")
        uppers = {name: torch.stack([found.uppers[name] for found in some]) for name in UPPERS}
        return cls(uppers=uppers, tau=tau, **{name: stacked(name) for name in names})

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
            "inside_printed": self.above(self.lower) & upper,
            "inside_proved": self.above(self.closest_lower) & self.below(self.uppers["closest"]),
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
        ratios |= {"lower": self.measured / self.lower, "low": self.measured / self.closest_lower}
        for name, ratio in ratios.items():
            for part, q in QUANTILES.items():
                found = nan if zero else float(ratio.flatten().quantile(q))
                row[f"{name}_{part}"] = found
        return row


#: Columns of `Found.coverage` and `Found.looseness`.
COVERAGE = ("inside_plugged", "inside_printed", "inside_proved", "over_printed", "mean_printed")
LOOSENESS = tuple(f"{name}_{part}" for name in (*UPPERS, "lower", "low") for part in QUANTILES)


def generator(*of: float | int) -> torch.Generator:
    """Random numbers of a cell, the same for the same values."""
    spelled = ",".join(f"{value:.12g}" for value in of)
    return torch.Generator().manual_seed(crc32(spelled.encode()))


@dataclass(frozen=True)
class Law(Experiment):
    """What the experiments share: sizes, and how many batches of each law.

    Attributes
    ----------
    measures
        Columns of what is measured; numbers of `Batch.facts` and `Found` by their names, unless
        :meth:`tell` has others.
    same
        Columns that tell batches apart: cells that differ in ``tau`` alone share theirs.
    """

    part: ClassVar[str] = "batch"
    dtype: ClassVar[torch.dtype | None] = torch.float64
    measures: ClassVar[tuple[str, ...]]
    same: ClassVar[tuple[str, ...]] = ("seed",)

    @property
    def columns(self) -> Layout:
        """The cell, what all rows have in common, and what was measured."""
        names = dict.fromkeys((*self.cells()[0], *self.law()))
        return layout((*names, *self.measures, "dtype", "device"), ("N", "n", "batches"))

    def law(self) -> dict[str, float]:
        """What all rows have in common: sizes, and what is fixed of the law."""
        names = ("n", "d", "top", "cosine", "tau", "batches")
        own = {f.name: getattr(self, f.name) for f in fields(self)}
        return {{"top": "lambda_1"}.get(name, name): own[name] for name in names if name in own}

    def setup(self, run: Run) -> dict[str, float | str]:
        """The same for every temperature and precision."""
        return dict(self.law())

    def vectors(self, cell: dict[str, Any], random: torch.Generator) -> Tensor:
        """The anchors of a cell."""
        raise NotImplementedError

    def tell(self, found: Found, facts: Mapping[str, float]) -> Row:
        """What a row says, by the numbers of all anchors and the means of `Batch.facts`."""
        return {**facts, **found.coverage, **found.looseness}

    def solve(self, todo: list[dict[str, Any]], run: Run) -> Iterator[Row]:
        """A row of every cell: so many batches."""
        groups, fixed = alike(todo, self.same), self.law()
        count = int(fixed["batches"])
        size = (int(fixed.get("n", 0)) or max(cell.get("N", 0) for cell in todo), int(fixed["d"]))
        total = count * len(groups)
        with reporting(run.progress, total, self.part) as advance, threads_for(*size):
            for cells in groups:
                cosine = {**fixed, **cells[0]}["cosine"]
                random = generator(*(cells[0][name] for name in self.same))
                facts: list[dict[str, float]] = []
                found: list[list[Found]] = [[] for _ in cells]
                for _ in range(count):
                    z = self.vectors(cells[0], random)
                    batch = Batch(z, positives(z, cosine, random), run.where)
                    for cell, of in zip(cells, found, strict=True):
                        of.append(batch.at(cell["tau"]))
                    facts.append(batch.facts)
                    advance(1)
                means = {name: float(np.mean([fact[name] for fact in facts])) for name in facts[0]}
                for cell, of in zip(cells, found, strict=True):
                    told = self.tell(Found.together(of), means)
                    kept = {name: told[name] for name in self.measures}
                    yield {**cell, **kept, "device": str(run.where)}


def needs(is_met: bool, what: str) -> None:
    """Refuse sizes that an experiment cannot have.

    Raises
    ------
    ValueError
        With what is needed.
    """
    if not is_met:
        raise ValueError(what)


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

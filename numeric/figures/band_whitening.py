"""The variance of squared gradients, raw and whitened, as in section 2.4 of ochieng2025diversity.

A batch is n/2 vectors and their positives, n in all, each of them an anchor, so that N = n - 2. It
is looked at as it is and after in-batch whitening of all n.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from ...derive.results import results
from ..band.readings import BatchReadings, views
from ..band.sigma import largest_without
from ..batches import InBatchWhitening
from ..running.table import Row
from .band_synthetic import OneLaw, gaussian, over_seeds, positives
from .look import DASHES, Look
from .panels import Panel, Series, labelled, mark, plotted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = {"raw": "raw", "white": "whitened"}
#: Of batches, raw or whitened: variance of the squared gradient of an anchor, and of its mean over
#: a batch; the printed bound (V) on the first, and the proved one by mean and range.
OF_KIND = (
    *("mean_squared", "variance", "variance_of_mean", "printed", "proved"),
    *("sigma", "mean_epsilon_squared", "alignment"),
)


#: Readings of the anchors of a batch, by name.
Each = Mapping[str, Tensor]


@dataclass(frozen=True)
class Grid(OneLaw):
    """Temperatures, on the same batches."""

    taus: tuple[float, ...] = (0.05, 0.1, 0.2, 0.3, 0.5)
    n: int = 512
    d: int = 64
    batches: int = 50
    seeds: tuple[int, ...] = (0, 1)

    measures = tuple(f"{kind}_{name}" for kind in KINDS for name in OF_KIND)

    def __post_init__(self) -> None:
        if self.n < 4 or self.n % 2 or self.d < 2:
            raise ValueError("a batch is two pairs or more, in two dimensions or more")
        if self.batches < 2:
            raise ValueError("a variance needs two batches")

    def seen(
        self, cells: Sequence[dict[str, Any]], random: torch.Generator, where: torch.device
    ) -> list[dict[str, Each]]:
        """Readings of a batch, raw and whitened."""
        z = gaussian(self.n // 2, self.d, self.top, random)
        raw = torch.cat([z, positives(z, self.cosine, random)]).to(where)
        both = {"raw": raw, "white": InBatchWhitening()(raw)}
        index = views(self.n).to(where)
        removed = torch.stack([torch.arange(self.n, device=where), index], 1)
        sigma = {kind: largest_without(rows, removed).value for kind, rows in both.items()}
        found = []
        for cell in cells:
            read = {kind: BatchReadings(rows, index, cell["tau"]) for kind, rows in both.items()}
            names = ("squared_gradient", "epsilon", "alignment")
            found.append(
                {
                    kind: {**{name: read[kind].each(name) for name in names}, "sigma": sigma[kind]}
                    for kind in KINDS
                }
            )
        return found

    def told(self, tau: float, seen: Sequence[Mapping[str, Each]]) -> Row:
        """Numbers of all batches, raw and whitened."""
        return {
            f"{kind}_{name}": value
            for kind in KINDS
            for name, value in _told([of[kind] for of in seen], self.n, tau).items()
        }

    def drawn(self, rows: list[Row], look: Look) -> tuple[Figure, str, str]:
        """Variances, bounds, and what whitening does."""
        shown = over_seeds(self.cells(), rows, ("tau",), self.measures)
        shown.sort(key=lambda row: row["tau"])
        over = [
            f"{row['tau']:g}"
            for row in shown
            if any(row[f"{k}_variance"] > row[f"{k}_printed"] for k in KINDS)
        ]
        gains = {
            name: [row[f"raw_{name}"] / row[f"white_{name}"] for row in shown]
            for name in ("variance", "variance_of_mean", "mean_squared")
        }
        sigma = [np.mean([row[f"{kind}_sigma"] for row in shown]) for kind in KINDS]
        beyond = f"at tau {', '.join(over)}" if over else "nowhere"
        ends = {name: f"{min(of):.3g} to {max(of):.3g}" for name, of in gains.items()}
        says = (
            f"raw over whitened: variance of an anchor {ends['variance']}, of the mean of a batch "
            f"{ends['variance_of_mean']}, the mean itself {ends['mean_squared']}; the printed "
            f"bound is exceeded {beyond}"
        )
        caption = (
            f"{self.batches * len(self.seeds)} batches of $n = {self.n}$ embeddings, "
            rf"{self.n // 2} pairs at the cosine {self.cosine:g}, in $d = {self.d}$ dimensions, "
            rf"$\lambda_1 = {self.top:g}$, raw and whitened (mean $\sigma$ {sigma[0]:.3f} and "
            rf"{sigma[1]:.4f}). (a) Variance of the squared "
            "gradient of an anchor (filled), the printed bound (dashed), the derived one by its "
            f"mean and the largest $\\varepsilon$ (dotted). The printed bound is exceeded {beyond}."
            f" (b) Raw over whitened: the variance of an anchor ({ends['variance']}), of the mean "
            f"over a batch ({ends['variance_of_mean']}), and that mean itself "
            f"({ends['mean_squared']}); the paper measured 1.37 for the second, in a training."
        )
        return _picture(shown, gains, look), says, caption.replace("tau ", r"$\tau$ = ")


def _told(some: Sequence[Each], n: int, tau: float) -> dict[str, float]:
    """Numbers of all batches of a kind at a temperature."""
    all_of = {name: torch.stack([found[name] for found in some]) for name in some[0]}
    squared, error = all_of["squared_gradient"], all_of["epsilon"]
    of = results["gradient-variance"]
    sigma, mean = float(all_of["sigma"].mean()), float(squared.mean())
    root, most = sqrt(float(error.square().mean())), float(error.max())
    return {
        "mean_squared": mean,
        "variance": float(squared.var(correction=0)),
        "variance_of_mean": float(squared.mean(1).var()),
        "printed": float(of.function("variance_printed")(n=n, tau=tau, sigma=sigma, epsilon=root)),
        "proved": float(
            of.function("variance_by_mean")(tau=tau, epsilon_max=most, mean_squared_gradient=mean)
        ),
        "sigma": sigma,
        "mean_epsilon_squared": root**2,
        "alignment": float(all_of["alignment"].mean()),
    }


def _picture(
    shown: Sequence[Mapping[str, float]], gains: Mapping[str, Sequence[float]], look: Look
) -> Figure:
    x = np.array([row["tau"] for row in shown])
    left = []
    for k, (kind, says) in enumerate(KINDS.items()):
        for name, title, style in (
            ("variance", says, mark(look, k)),
            ("printed", "", {"color": look.palette()[k], "linestyle": DASHES[1]}),
            ("proved", "", {"color": look.palette()[k], "linestyle": DASHES[2]}),
        ):
            left.append(Series(x, [row[f"{kind}_{name}"] for row in shown], title, style=style))
    titles = {
        "variance": "variance, anchor",
        "variance_of_mean": "variance, mean of a batch",
        "mean_squared": "mean",
    }
    right = [
        Series(x, gains[name], f"ratio: {says}", style=mark(look, k))
        for k, (name, says) in enumerate(titles.items(), 2)
    ]
    axes = {"xscale": "log", "yscale": "log", "xlabel": r"temperature $\tau$"}
    panels = [
        Panel(
            "of an anchor, and bounds",
            r"variance of $\|g_i\|^2$",
            left,
            axes,
            ticks=labelled(x),
        ),
        Panel("what whitening does", "raw / whitened", right, axes, 0.5, ticks=labelled(x)),
    ]
    return plotted(look, panels, 0.7, 0.7, wide=1.8)

"""The variance of squared gradients, raw and whitened, as in section 2.4 of ochieng2025diversity.

A batch is n/2 vectors and their positives, n in all, each of them an anchor, so that N = n - 2. It
is looked at as it is and after in-batch whitening of all n.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from ...derive.results import results
from ..band.readings import BatchReadings, views
from ..band.sigma import largest_without
from ..batches import InBatchWhitening
from ..running.device import resolve_device, threads_for
from ..running.progress import Report, reporting
from ..running.table import Row, layout
from ..search.sweep import alike
from .band_synthetic import gaussian, generator, over_seeds, positives, setup_of
from .drawing import Drawing, in_table
from .look import DASHES, MARKERS, PLAIN, Look
from .panels import beneath, side_by_side

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TAUS = (0.05, 0.1, 0.2, 0.3, 0.5)
KINDS = {"raw": "raw", "white": "whitened"}
#: Of batches, raw or whitened: variance of the squared gradient of an anchor, and of its mean over
#: a batch; the printed bound (V) on the first, and the proved one by mean and range.
OF_KIND = (
    *("mean_squared", "variance", "variance_of_mean", "printed", "proved"),
    *("sigma", "mean_epsilon_squared", "alignment"),
)
MEASURED = tuple(f"{kind}_{name}" for kind in KINDS for name in OF_KIND)
COLUMNS = layout(
    ("tau", "seed", "n", "d", "lambda_1", "cosine", "batches", *MEASURED, "dtype", "device"),
    ("n", "batches"),
)


@dataclass(frozen=True)
class Grid:
    """Temperatures, and the law of the batches, which are the same for all of them."""

    taus: tuple[float, ...] = TAUS
    top: float = 0.3
    cosine: float = 0.75
    n: int = 512
    d: int = 64
    batches: int = 50
    seeds: tuple[int, ...] = (0, 1)

    def __post_init__(self) -> None:
        if self.n < 4 or self.n % 2 or self.d < 2:
            raise ValueError("a batch is two pairs or more, in two dimensions or more")
        if self.batches < 2:
            raise ValueError("a variance needs two batches")

    def cells(self) -> list[dict[str, Any]]:
        """All cells."""
        return [{"tau": tau, "seed": seed} for seed in self.seeds for tau in self.taus]


def measure(
    grid: Grid,
    path: Path,
    *,
    device: str | torch.device = "auto",
    progress: bool | Report = False,
) -> list[Row]:
    """Measure every cell that the table lacks."""
    where = resolve_device(device)
    whiten = InBatchWhitening()

    def solve(todo: list[dict[str, Any]]) -> Iterator[Row]:
        groups = alike(todo, ("seed",))
        size = (grid.n, grid.d)
        with reporting(progress, grid.batches * len(groups), "batch") as tell, threads_for(*size):
            for cells in groups:
                random = generator(cells[0]["seed"])
                seen: dict[tuple[float, str], list[dict[str, Tensor]]] = {}
                for _ in range(grid.batches):
                    z = gaussian(grid.n // 2, grid.d, grid.top, random)
                    raw = torch.cat([z, positives(z, grid.cosine, random)]).to(where)
                    for kind, rows in (("raw", raw), ("white", whiten(raw))):
                        for tau, found in _looked_at(rows, [cell["tau"] for cell in cells]):
                            seen.setdefault((tau, kind), []).append(found)
                    tell(1)
                for cell in cells:
                    row: Row = {**cell, "device": str(where)}
                    for kind in KINDS:
                        told = _told(seen[cell["tau"], kind], grid.n, cell["tau"])
                        row |= {f"{kind}_{name}": value for name, value in told.items()}
                    yield row

    setup = {**setup_of(grid, "n", "d", "cosine"), "lambda_1": grid.top}
    return in_table(path, COLUMNS, grid.cells(), solve, torch.float64, **setup)


def _looked_at(z: Tensor, taus: Sequence[float]) -> Iterator[tuple[float, dict[str, Tensor]]]:
    sigma: Tensor | None = None
    for tau in taus:
        read = BatchReadings(z, views(len(z)).to(z.device), tau)
        sigma = largest_without(z, read.removed).value if sigma is None else sigma
        found = {name: read.each(name) for name in ("squared_gradient", "epsilon", "alignment")}
        yield tau, {**found, "sigma": sigma}


def _told(some: Sequence[Mapping[str, Tensor]], n: int, tau: float) -> dict[str, float]:
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


def draw(grid: Grid, path: Path, *, look: Look = PLAIN, **options: Any) -> Drawing:
    """Measure what is missing, and draw it: variances, bounds, and what whitening does."""
    rows = measure(grid, path, **options)
    shown = over_seeds(grid.cells(), rows, ("tau",), MEASURED)
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
        f"{ends['variance_of_mean']}, the mean itself {ends['mean_squared']}; the printed bound "
        f"is exceeded {beyond}"
    )
    count = grid.batches * len(grid.seeds)
    caption = (
        f"{count} batches of $n = {grid.n}$ embeddings, {grid.n // 2} pairs at the cosine "
        rf"{grid.cosine:g}, in $d = {grid.d}$ dimensions, $\lambda_1 = {grid.top:g}$, raw and "
        rf"whitened (mean $\sigma$ {sigma[0]:.3f} and {sigma[1]:.4f}). (a) Variance of the squared "
        "gradient of an anchor (filled), the printed bound (dashed), the derived one by its mean "
        f"and the largest $\\varepsilon$ (dotted). The printed bound is exceeded {beyond}. (b) Raw "
        f"over whitened: the variance of an anchor ({ends['variance']}), of the mean over a batch "
        f"({ends['variance_of_mean']}), and that mean itself ({ends['mean_squared']}); the paper "
        "measured 1.37 for the second, in a training."
    )
    return Drawing(
        _drawn(shown, gains, look), look, rows, says, caption.replace("tau ", r"$\tau$ = ")
    )


def _drawn(
    shown: Sequence[Mapping[str, float]], gains: Mapping[str, Sequence[float]], look: Look
) -> Figure:
    x = np.array([row["tau"] for row in shown])
    colours, entries = look.palette(), []
    with look.applied():
        figure, axes = side_by_side(look, 2, 0.7, 0.7)
        left, right = axes
        for k, (kind, says) in enumerate(KINDS.items()):
            for name, style in (
                ("variance", {"marker": MARKERS[k]}),
                ("printed", {"linestyle": DASHES[1]}),
                ("proved", {"linestyle": DASHES[2]}),
            ):
                y = [row[f"{kind}_{name}"] for row in shown]
                (line,) = left.plot(x, y, color=colours[k], **style)
                if name == "variance":
                    entries.append((line, says))
        left.set(ylabel=r"variance of $\|g_i\|^2$")
        left.set_title("(a) of an anchor, and bounds", loc="left")
        titles = {
            "variance": "variance, anchor",
            "variance_of_mean": "variance, mean of a batch",
            "mean_squared": "mean",
        }
        for k, (name, says) in enumerate(titles.items(), 2):
            (line,) = right.plot(x, gains[name], color=colours[k], marker=MARKERS[k])
            entries.append((line, f"ratio: {says}"))
        right.axhline(1, color="black", linewidth=0.5)
        right.set(ylabel="raw / whitened")
        right.set_title("(b) what whitening does", loc="left")
        for ax in axes:
            ax.set(xscale="log", yscale="log", xlabel=r"temperature $\tau$")
            ax.minorticks_off()
            ax.set_xticks(x, [f"{tau:g}" for tau in x])
        beneath(figure, entries, "", max(1, look.columns(3, 1.8)))
    return figure

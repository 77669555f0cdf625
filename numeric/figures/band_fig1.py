"""Figure 1 of ochieng2025diversity: which gradients are in the band, and how wide it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from ..running.table import Row, layout
from .band_synthetic import (
    COVERAGE,
    INSIDE,
    LOOSENESS,
    UPPERS,
    Found,
    bars,
    gaussian,
    over_batches,
    over_seeds,
    positives,
    setup_of,
)
from .drawing import Drawing
from .look import MARKERS, PLAIN, Look
from .panels import beneath, spaced

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Of the paper; ``None`` is 1/d.
TAUS, TOPS = (0.05, 0.1, 0.2, 0.3), (None, 0.3, 0.6, 1.0)
ABOUT = ("mean_squared", "mean_epsilon", "sigma_hat")
COLUMNS = layout(
    (
        *("lambda_1", "tau", "cosine", "seed", "n", "d", "batches"),
        *(*COVERAGE, *LOOSENESS, *ABOUT, "dtype", "device"),
    ),
    ("n", "batches"),
)


@dataclass(frozen=True)
class Grid:
    """The settings of section 2.1, and batches of each for a seed."""

    taus: tuple[float, ...] = TAUS
    tops: tuple[float | None, ...] = TOPS
    n: int = 256
    d: int = 1024
    batches: int = 5
    seeds: tuple[int, ...] = (0, 1, 2, 3)

    def __post_init__(self) -> None:
        if self.n < 3 or self.d < 2 or self.batches < 1:
            raise ValueError("a setting needs n > 2, d > 1 and a batch")

    def cells(self) -> list[dict[str, Any]]:
        """All cells, those with the same batches together."""
        tops = [1 / self.d if top is None else top for top in self.tops]
        return [
            {"lambda_1": top, "tau": tau, "cosine": 0.6 + 0.4 * top, "seed": seed}
            for top in tops
            for seed in self.seeds
            for tau in self.taus
        ]


def measure(grid: Grid, path: Path, **options: Any) -> list[Row]:
    """Measure every cell that the table lacks."""

    def make(cell: dict[str, Any], random: torch.Generator) -> tuple[Tensor, Tensor]:
        z = gaussian(grid.n, grid.d, cell["lambda_1"], random)
        return z, positives(z, cell["cosine"], random)

    def tell(cell: dict[str, Any], facts: Mapping[str, float], found: Found) -> Row:
        return {
            **found.coverage,
            **found.looseness,
            "mean_squared": float(found.measured.mean()),
            "mean_epsilon": float(found.epsilon.mean()),
            "sigma_hat": facts["sigma_hat"],
        }

    same, setup = ("lambda_1", "cosine", "seed"), setup_of(grid, "n", "d")
    return over_batches(grid, path, COLUMNS, same, make, tell, setup, **options)


def settings(grid: Grid, rows: Sequence[Row]) -> list[dict[str, float]]:
    """A row for each setting: means over the seeds, and ``_off``, their standard deviations."""
    return over_seeds(grid.cells(), rows, ("lambda_1", "tau"), (*COVERAGE, *LOOSENESS, *ABOUT))


def draw(grid: Grid, path: Path, *, look: Look = PLAIN, **options: Any) -> Drawing:
    """Measure what is missing, and draw it: containment, and how loose the bounds are."""
    rows = measure(grid, path, **options)
    shown = settings(grid, rows)
    least = {name: 100 * min(row[name] for row in shown) for name in INSIDE}
    full = sum(row["inside_plugged"] >= 0.999 for row in shown)
    over = 100 * max(row["over_printed"] for row in shown)
    means = 100 * min(row["mean_printed"] for row in shown)
    spread = [row for row in shown if row["lambda_1"] < 1] or shown
    ends = {
        name: [end([row[f"{name}_median"] for row in spread]) for end in (np.nanmin, np.nanmax)]
        for name in UPPERS
    }
    anchors = grid.n * grid.batches * len(grid.seeds)
    says = (
        f"in the printed band {least['inside_plugged']:.1f} % of the anchors or more (with the "
        f"rho of each {least['inside_printed']:.1f} %), in the proved one "
        f"{least['inside_proved']:.1f} %; 99.9 % in {full} of {len(shown)} settings; medians of "
        f"upper bound over measured: printed {_range(ends['printed'])}, proved "
        f"{_range(ends['closest'])}"
    )
    printed, proved = (_range(ends[name], "$") for name in ("printed", "closest"))
    caption = (
        f"The settings of section 2.1 run again, $n = {grid.n}$, $d = {grid.d}$, {anchors} anchors "
        "of each. (a) Part of the squared gradients that are in a band. The band as printed, with "
        r"the mean $\bar\rho$ of the batch in its lower bound, holds 99.9\% of them in "
        f"{full} of {len(shown)} settings and {least['inside_plugged']:.1f}\\% at least; with "
        rf"$\rho_i$ it holds {least['inside_printed']:.1f}\% at least"
        + (f" (up to {over:.2g}\\% exceed the upper bound)" if over else "")
        + f", the derived and proved one {least['inside_proved']:.1f}\\%. Of the means of batches "
        rf"{means:.1f}\% at least are in the printed band. (b) Median of upper bound over "
        rf"measured, with the range from 5 to 95\%: printed {printed}, proved {proved} for "
        r"$\lambda_1 < 1$. (c) The same of measured over lower bound. For $\lambda_1 = 1$ "
        "positives equal their anchors and gradients all but vanish: what is off the axes, or "
        "where gradients are zero to rounding, is not drawn."
    )
    return Drawing(_drawn(grid, shown, look), look, rows, says, caption)


def _range(ends: Sequence[float], quote: str = "") -> str:
    low, high = (f"{value:.3g}" if value < 1e4 else f"{value:.0f}" for value in ends)
    return f"{quote}{low}{quote} to {quote}{high}{quote}"


def _drawn(grid: Grid, shown: Sequence[Mapping[str, float]], look: Look) -> Figure:
    from matplotlib.figure import Figure

    x = np.arange(len(shown)) + 0.6 * (np.arange(len(shown)) // len(grid.taus))
    colours, entries = look.palette(), []
    thin = {"linestyle": "", "markersize": 2.5, "linewidth": 0.8}
    with look.applied():
        figure = Figure(figsize=(look.width, 0.9 * look.width + 0.7), layout=spaced())
        inside, upper, lower = figure.subplots(3, 1, sharex=True)
        for k, (name, says) in enumerate(INSIDE.items()):
            y = [100 * row[name] for row in shown]
            (line,) = inside.plot(
                x + 0.15 * (k - 1), y, linestyle="", color=colours[k + 5], marker=MARKERS[k + 3]
            )
            entries.append((line, says))
        inside.set(ylabel="inside, %", ylim=(-5, 108))
        inside.set_title("(a) anchors in the band", loc="left")
        for k, (name, says) in enumerate(UPPERS.items()):
            bar = bars(
                upper, x + 0.16 * (k - 2), shown, name, color=colours[k], marker=MARKERS[k], **thin
            )
            entries.append((bar, says))
        upper.set(yscale="log", ylabel="upper / measured")
        upper.set_title("(b) looseness of upper bounds", loc="left")
        for k, name in zip((2, 4), ("lower", "low"), strict=True):
            bars(
                lower, x + 0.16 * (k - 3), shown, name, color=colours[k], marker=MARKERS[k], **thin
            )
        lower.set(yscale="log", ylabel="measured / lower")
        lower.set_title("(c) of the lower bounds by $\\rho_i$", loc="left")
        for ax, names in ((upper, UPPERS), (lower, ("lower", "low"))):
            ax.axhline(1, color="black", linewidth=0.5)
            spread = [row for row in shown if row["lambda_1"] < 1] or shown
            most = np.nanmax([row[f"{name}_high"] for row in spread for name in names])
            ax.set_ylim(0.8, 2 * most)
        lower.set_xticks(x, [f"{row['tau']:g}" for row in shown])
        lower.set_xlabel(r"temperature $\tau$, and the largest eigenvalue $\lambda_1$")
        for k in range(len(grid.tops)):
            at = x[k * len(grid.taus) : (k + 1) * len(grid.taus)]
            top = shown[k * len(grid.taus)]["lambda_1"]
            said = (
                rf"$\lambda_1 = 1/{grid.d}$" if grid.tops[k] is None else rf"$\lambda_1 = {top:g}$"
            )
            inside.text(float(at.mean()), 3, said, ha="center", va="bottom")
        beneath(figure, entries, "bands (a) and upper bounds (b)", max(1, look.columns(4, 1.6)))
    return figure

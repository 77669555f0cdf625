"""Figure 2 of ochieng2025diversity: the gradient over the temperature, on the same batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from ..running.table import Row, layout
from .band_synthetic import Found, gaussian, over_batches, over_seeds, positives, setup_of
from .drawing import Drawing
from .look import DASHES, MARKERS, PLAIN, Look
from .panels import beneath, side_by_side

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Of the paper.
TAUS = (0.04, 0.063, 0.1, 0.15, 0.2)
MEASURED = (
    *("mean_squared", "error", "mean_epsilon", "mean_epsilon_squared", "lower", "upper"),
    *("upper_printed", "sigma_hat"),
)
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
    n: int = 256
    d: int = 1024
    batches: int = 10
    seeds: tuple[int, ...] = (0, 1, 2, 3)

    def __post_init__(self) -> None:
        if self.n < 3 or self.d < 2 or self.batches < 1:
            raise ValueError("a temperature needs n > 2, d > 1 and a batch")
        if len(set(self.taus)) < 3:
            raise ValueError("a slope needs three temperatures or more")

    def cells(self) -> list[dict[str, Any]]:
        """All cells."""
        return [{"tau": tau, "seed": seed} for seed in self.seeds for tau in self.taus]


class Fit(NamedTuple):
    """A line through logarithms: its slope, the standard error of that, and R^2."""

    slope: float
    error: float
    r2: float
    constant: float


def fitted(taus: Sequence[float], values: Sequence[float]) -> Fit:
    """Least squares of the logarithm of values over that of 1/tau."""
    x, y = -np.log(np.asarray(taus)), np.log(np.asarray(values))
    dx = x - x.mean()
    slope = float(dx @ y / (dx @ dx))
    left = y - y.mean() - slope * dx
    error = float(np.sqrt(left @ left / (len(x) - 2) / (dx @ dx)))
    r2 = 1 - float(left @ left / ((y - y.mean()) @ (y - y.mean())))
    return Fit(slope, error, r2, float(y.mean() - slope * x.mean()))


def measure(grid: Grid, path: Path, **options: Any) -> list[Row]:
    """Measure every cell that the table lacks."""

    def make(cell: dict[str, Any], random: torch.Generator) -> tuple[Tensor, Tensor]:
        z = gaussian(grid.n, grid.d, grid.top, random)
        return z, positives(z, grid.cosine, random)

    def tell(cell: dict[str, Any], facts: Mapping[str, float], found: Found) -> Row:
        means = found.measured.mean(-1)
        alone = len(means) < 2
        return {
            "mean_squared": float(means.mean()),
            "error": 0.0 if alone else float(means.std() / len(means) ** 0.5),
            "mean_epsilon": float(found.epsilon.mean()),
            "mean_epsilon_squared": float(found.epsilon.square().mean()),
            "lower": float(found.closest_lower.mean()),
            "upper": float(found.uppers["closest"].mean()),
            "upper_printed": float(found.uppers["printed"].mean()),
            "sigma_hat": facts["sigma_hat"],
        }

    setup = {**setup_of(grid, "n", "d", "cosine"), "lambda_1": grid.top}
    return over_batches(grid, path, COLUMNS, ("seed",), make, tell, setup, **options)


def draw(grid: Grid, path: Path, *, look: Look = PLAIN, **options: Any) -> Drawing:
    """Measure what is missing, and draw it: the mean squared gradient, and epsilon."""
    rows = measure(grid, path, **options)
    shown = over_seeds(grid.cells(), rows, ("tau",), MEASURED)
    shown.sort(key=lambda row: -row["tau"])
    fit = fitted([row["tau"] for row in shown], [row["mean_squared"] for row in shown])
    sigma = float(np.mean([row["sigma_hat"] for row in shown]))
    change = max(row["mean_epsilon"] for row in shown) / min(row["mean_epsilon"] for row in shown)
    count = grid.batches * len(grid.seeds)
    caption = (
        f"Mean squared gradient of {count} batches at each temperature, the same ones, with "
        rf"$n = {grid.n}$, $d = {grid.d}$, $\lambda_1 = {grid.top:g}$ (measured: $\hat\sigma = "
        rf"{sigma:.2f}$), and positives at the cosine {grid.cosine:g}. (a) Measured, with standard "
        "errors, between the means of the derived bounds; the printed upper band; and a line of "
        rf"slope 2. The least-squares line has the slope ${fit.slope:.2f} \pm {fit.error:.2f}$ "
        rf"(standard error), $R^2 = {fit.r2:.2f}$. (b) Why: $\varepsilon$ depends on the "
        f"temperature, its mean changes by a factor of {change:.3g}."
    )
    says = (
        f"slope {fit.slope:.2f} +- {fit.error:.2f} (standard error), R2 {fit.r2:.2f}; the mean of "
        f"epsilon changes by a factor of {change:.3g}; sigma_hat {sigma:.2f}"
    )
    return Drawing(_drawn(shown, fit, look), look, rows, says, caption)


def _drawn(shown: Sequence[Mapping[str, float]], fit: Fit, look: Look) -> Figure:
    def column(name: str) -> np.ndarray:
        return np.array([row[name] for row in shown])

    x, colours = 1 / column("tau"), look.palette()
    with look.applied():
        figure, axes = side_by_side(look, 2, 0.7, 0.7)
        left, right = axes
        band = left.fill_between(
            x, column("lower"), column("upper"), color=colours[4], alpha=0.35, linewidth=0
        )
        off = np.sqrt(column("error") ** 2 + column("mean_squared_off") ** 2)
        points = left.errorbar(
            x, column("mean_squared"), off, linestyle="", color=colours[0], marker=MARKERS[0]
        )
        (line,) = left.plot(
            x, np.exp(fit.constant) * x**fit.slope, color=colours[1], linestyle=DASHES[0]
        )
        middle = float(np.exp(np.mean(np.log(column("mean_squared")))))
        square = middle * (x / np.exp(np.log(x).mean())) ** 2
        (two,) = left.plot(x, square, color=colours[2], linestyle=DASHES[1])
        (printed,) = left.plot(x, column("upper_printed"), color=colours[5], linestyle=DASHES[2])
        left.set_ylabel("mean squared gradient")
        left.set_title("(a) gradient", loc="left")
        handles = []
        for k, (name, says) in enumerate(
            {
                "mean_epsilon": r"mean of $\varepsilon$",
                "mean_epsilon_squared": r"mean of $\varepsilon^2$",
            }.items()
        ):
            (handle,) = right.plot(x, column(name), color=colours[(3, 6)[k]], marker=MARKERS[k + 1])
            handles.append((handle, says))
        right.set_ylabel("softmax error")
        right.set_title("(b) softmax error", loc="left")
        for ax in axes:
            ax.set(xscale="log", yscale="log", xlabel=r"$1/\tau$")
            ax.minorticks_off()
            ax.set_xticks(x, [f"{v:.3g}" for v in x])
        entries = [
            (points, "measured"),
            (band, "between the proved bounds"),
            (line, f"fitted, slope {fit.slope:.2f}"),
            (two, r"$1/\tau^2$"),
            (printed, "printed upper band, $c = 1/2$"),
            *handles,
        ]
        beneath(figure, entries, "", max(1, look.columns(3, 1.8)))
    return figure

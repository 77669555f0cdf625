"""Figure 2 of ochieng2025diversity: the gradient over the temperature, on the same batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..running.table import Row
from .band_synthetic import Found, Law, over_seeds
from .look import DASHES, Look
from .panels import Band, Panel, Series, labelled, mark, plotted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Of an anchor and its positive.
COSINE = 0.75


@dataclass(frozen=True)
class Grid(Law):
    """Temperatures, and the law of the batches, which are the same for all of them."""

    taus: tuple[float, ...] = (0.04, 0.063, 0.1, 0.15, 0.2)
    batches: int = 10
    top: float = 0.3

    measures = (
        *("mean_squared", "error", "mean_epsilon", "mean_epsilon_squared", "lower", "upper"),
        *("upper_printed", "sigma_hat"),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(set(self.taus)) < 3:
            raise ValueError("fitting a power needs at least three temperatures")

    def law(self) -> dict[str, float]:
        """With the largest eigenvalue, and the cosine of positives."""
        own = {"lambda_1": self.top, "cosine": COSINE}
        return {"n": self.n, "d": self.d, **own, "batches": self.batches}

    def told(self, found: Found) -> Row:
        """Means over the anchors, and the standard error of the first."""
        means = found.measured.mean(-1)
        return {
            "mean_squared": float(means.mean()),
            "error": 0.0 if len(means) < 2 else float(means.std() / len(means) ** 0.5),
            "mean_epsilon": float(found.epsilon.mean()),
            "mean_epsilon_squared": float(found.epsilon.square().mean()),
            "lower": float(found.lowers["low"].mean()),
            "upper": float(found.uppers["closest"].mean()),
            "upper_printed": float(found.uppers["printed"].mean()),
            "sigma_hat": found.sigma_hat,
        }

    def drawn(self, rows: list[Row], look: Look) -> tuple[Figure, str, str]:
        """The mean squared gradient, and epsilon."""
        shown = over_seeds(self.cells(), rows, ("tau",), self.measures)
        shown.sort(key=lambda row: -row["tau"])
        means = {name: np.array([row[name] for row in shown]) for name in shown[0]}
        fit = fitted(means["tau"], means["mean_squared"])
        sigma = float(means["sigma_hat"].mean())
        change = means["mean_epsilon"].max() / means["mean_epsilon"].min()
        count = self.batches * len(self.seeds)
        caption = (
            f"Mean squared gradient of {count} batches at each temperature, the same ones, with "
            rf"$n = {self.n}$, $d = {self.d}$, $\lambda_1 = {self.top:g}$ (measured: $\hat\sigma = "
            rf"{sigma:.2f}$), and positives at the cosine {COSINE:g}. (a) Measured, with "
            "standard errors, between the means of the derived bounds; the printed upper band; and "
            "a line of slope 2. The least-squares line has the slope "
            rf"${fit.slope:.2f} \pm {fit.error:.2f}$ "
            rf"(standard error), $R^2 = {fit.r2:.2f}$. (b) Why: $\varepsilon$ depends on the "
            f"temperature, its mean changes by a factor of {change:.3g}."
        )
        says = (
            f"slope {fit.slope:.2f} +- {fit.error:.2f} (standard error), R2 {fit.r2:.2f}; the mean "
            f"of epsilon changes by a factor of {change:.3g}; sigma_hat {sigma:.2f}"
        )
        return _picture(means, fit, look), says, caption


class Fit(NamedTuple):
    """A line through logarithms: its slope, the standard error of that, and R^2."""

    slope: float
    error: float
    r2: float
    constant: float


def fitted(taus: Sequence[float] | np.ndarray, values: Sequence[float] | np.ndarray) -> Fit:
    """Least squares of the logarithm of values over that of 1/tau."""
    x, y = -np.log(np.asarray(taus)), np.log(np.asarray(values))
    dx = x - x.mean()
    slope = float(dx @ y / (dx @ dx))
    left = y - y.mean() - slope * dx
    error = float(np.sqrt(left @ left / (len(x) - 2) / (dx @ dx)))
    r2 = 1 - float(left @ left / ((y - y.mean()) @ (y - y.mean())))
    return Fit(slope, error, r2, float(y.mean() - slope * x.mean()))


def _picture(means: Mapping[str, np.ndarray], fit: Fit, look: Look) -> Figure:
    x, colours = 1 / means["tau"], look.palette()
    off = np.sqrt(means["error"] ** 2 + means["mean_squared_off"] ** 2)
    power = np.exp(fit.constant) * x**fit.slope
    middle = float(np.exp(np.mean(np.log(means["mean_squared"]))))
    square = middle * (x / np.exp(np.log(x).mean())) ** 2

    def line(k: int, dash: int) -> dict[str, Any]:
        return {"color": colours[k], "linestyle": DASHES[dash]}

    left: list[Series | Band] = [
        Series(x, means["mean_squared"], "measured", off, {"linestyle": "", **mark(look, 0)}),
        Band(x, means["lower"], means["upper"], "between the proved bounds", colours[4]),
        Series(
            x,
            power,
            f"fitted, slope {fit.slope:.2f}",
            style=line(1, 0),
        ),
        Series(x, square, r"$1/\tau^2$", style=line(2, 1)),
        Series(x, means["upper_printed"], "printed upper band, $c = 1/2$", style=line(5, 2)),
    ]
    right = [
        Series(x, means["mean_epsilon"], r"mean of $\varepsilon$", style=mark(look, 3, 1)),
        Series(
            x, means["mean_epsilon_squared"], r"mean of $\varepsilon^2$", style=mark(look, 6, 2)
        ),
    ]
    axes = {"xscale": "log", "yscale": "log", "xlabel": r"$1/\tau$"}
    panels = [
        Panel("gradient", "mean squared gradient", left, axes, ticks=labelled(x, ".3g")),
        Panel("softmax error", "softmax error", right, axes, ticks=labelled(x, ".3g")),
    ]
    return plotted(look, panels, 0.7, 0.7, wide=1.8)

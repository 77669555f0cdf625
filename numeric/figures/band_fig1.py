"""Figure 1 of ochieng2025diversity: which gradients are in the band, and how wide it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..running.table import Row
from .band_synthetic import COVERAGE, INSIDE, LOOSENESS, UPPERS, Found, Law, bars, over_seeds
from .look import Look
from .panels import Panel, Series, beneath, mark, spaced

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Grid(Law):
    """The settings of section 2.1, and batches of each; a top of ``None`` is 1/d."""

    taus: tuple[float, ...] = (0.05, 0.1, 0.2, 0.3)
    tops: tuple[float | None, ...] = (None, 0.3, 0.6, 1.0)

    measures = (*COVERAGE, *LOOSENESS, "mean_squared", "mean_epsilon", "sigma_hat")
    joint = ("lambda_1", "cosine", "seed")

    def cells(self) -> list[dict[str, Any]]:
        """All cells, those with the same batches together."""
        tops = [1 / self.d if top is None else top for top in self.tops]
        return [
            {"lambda_1": top, "tau": tau, "cosine": 0.6 + 0.4 * top, "seed": seed}
            for top in tops
            for seed in self.seeds
            for tau in self.taus
        ]

    def told(self, found: Found) -> Row:
        """Parts of the anchors, ratios, and means over the anchors."""
        return {
            **found.coverage,
            **found.looseness,
            "mean_squared": float(found.measured.mean()),
            "mean_epsilon": float(found.epsilon.mean()),
            "sigma_hat": found.sigma_hat,
        }

    def settings(self, rows: Sequence[Row]) -> list[dict[str, float]]:
        """A row for each setting: means over the seeds, and ``_off``, their standard deviations."""
        return over_seeds(self.cells(), rows, ("lambda_1", "tau"), self.measures)

    def drawn(self, rows: list[Row], look: Look) -> tuple[Figure, str, str]:
        """Containment, and how loose the bounds are."""
        shown = self.settings(rows)
        least = {name: 100 * min(row[name] for row in shown) for name in INSIDE}
        full = sum(row["inside_plugged"] >= 0.999 for row in shown)
        over = 100 * max(row["over_printed"] for row in shown)
        means = 100 * min(row["mean_printed"] for row in shown)
        spread = [row for row in shown if row["lambda_1"] < 1] or shown
        ends = {
            name: [end([row[f"{name}_median"] for row in spread]) for end in (np.nanmin, np.nanmax)]
            for name in UPPERS
        }
        anchors = self.n * self.batches * len(self.seeds)
        says = (
            f"in the printed band {least['inside_plugged']:.1f} % of the anchors or more (with the "
            f"rho of each {least['inside_printed']:.1f} %), in the proved one "
            f"{least['inside_proved']:.1f} %; 99.9 % in {full} of {len(shown)} settings; medians "
            f"of upper bound over measured: printed {_range(ends['printed'])}, proved "
            f"{_range(ends['closest'])}"
        )
        printed, proved = (_range(ends[name], "$") for name in ("printed", "closest"))
        caption = (
            f"The settings of section 2.1 run again, $n = {self.n}$, $d = {self.d}$, {anchors} "
            "anchors of each. (a) Part of the squared gradients that are in a band. The band as "
            r"printed, with the mean $\bar\rho$ of the batch in its lower bound, holds 99.9\% of "
            f"them in {full} of {len(shown)} settings and {least['inside_plugged']:.1f}\\% at least"
            rf"; with $\rho_i$ it holds {least['inside_printed']:.1f}\% at least"
            + (f" (up to {over:.2g}\\% exceed the upper bound)" if over else "")
            + f", the derived and proved one {least['inside_proved']:.1f}\\%. Of the means of "
            rf"batches {means:.1f}\% at least are in the printed band. (b) Median of upper bound "
            rf"over measured, with the range from 5 to 95\%: printed {printed}, proved {proved} "
            r"for $\lambda_1 < 1$. (c) The same of measured over lower bound. For $\lambda_1 = 1$ "
            "positives equal their anchors and gradients all but vanish: what is off the axes, or "
            "where gradients are zero to rounding, is not drawn."
        )
        return self._picture(shown, spread, look), says, caption

    def _picture(
        self,
        shown: Sequence[Mapping[str, float]],
        spread: Sequence[Mapping[str, float]],
        look: Look,
    ) -> Figure:
        from matplotlib.figure import Figure

        x = np.arange(len(shown)) + 0.6 * (np.arange(len(shown)) // len(self.taus))
        thin: dict[str, Any] = {"linestyle": "", "markersize": 2.5, "linewidth": 0.8}
        inside = [
            Series(
                x + 0.15 * (k - 1),
                [100 * row[name] for row in shown],
                title,
                style={"linestyle": "", **mark(look, k + 5, k + 3)},
            )
            for k, (name, title) in enumerate(INSIDE.items())
        ]
        upper = [
            bars(x + 0.16 * (k - 2), shown, name, title, **mark(look, k), **thin)
            for k, (name, title) in enumerate(UPPERS.items())
        ]
        lower = [
            bars(x + 0.16 * (k - 3), shown, name, **mark(look, k), **thin)
            for k, name in ((2, "lower"), (4, "low"))
        ]

        def ratios(names: Sequence[str]) -> dict[str, Any]:
            most = np.nanmax([row[f"{name}_high"] for row in spread for name in names])
            return {"yscale": "log", "ylim": (0.8, 2 * most)}

        xlabel = r"temperature $\tau$, and the largest eigenvalue $\lambda_1$"
        low = ratios(("lower", "low")) | {"xlabel": xlabel}
        panels = [
            Panel("anchors in the band", "inside, %", inside, {"ylim": (-5, 108)}),
            Panel("looseness of upper bounds", "upper / measured", upper, ratios([*UPPERS]), 0.5),
            Panel("of the lower bounds by $\\rho_i$", "measured / lower", lower, low, 0.5),
        ]
        figure = Figure(figsize=(look.width, 0.9 * look.width + 0.7), layout=spaced())
        axes = figure.subplots(3, 1, sharex=True)
        drawn = zip("abc", axes, panels, strict=True)
        entries = [entry for letter, ax, panel in drawn for entry in panel.draw(ax, letter)]
        axes[-1].set_xticks(x, [f"{row['tau']:g}" for row in shown])
        for k, top in enumerate(self.tops):
            at = slice(k * len(self.taus), (k + 1) * len(self.taus))
            value = f"1/{self.d}" if top is None else f"{shown[at][0]['lambda_1']:g}"
            said = rf"$\lambda_1 = {value}$"
            axes[0].text(float(x[at].mean()), 3, said, ha="center", va="bottom")
        beneath(figure, entries, "bands (a) and upper bounds (b)", max(1, look.columns(4, 1.6)))
        return figure


def _range(ends: Sequence[float], quote: str = "") -> str:
    low, high = (f"{value:.3g}" if value < 1e4 else f"{value:.0f}" for value in ends)
    return f"{quote}{low}{quote} to {quote}{high}{quote}"

"""Kernels for InfoNCE compared on the digits of scikit-learn, as tan2024spectral does on CIFAR."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from statistics import mean
from typing import TYPE_CHECKING, Any

import torch

from ..digits import load
from ..digits.kernels import (
    GAUSSIAN,
    LAYERS,
    MEASURED,
    MIXTURES,
    UNTRAINED,
    Setup,
    Told,
    compare,
    gamma_of,
    loss_of,
)
from ..digits.kernels import run as trained
from ..running.table import Row, layout
from .drawing import Experiment, Run
from .look import DASHES, Look
from .panels import Panel, Series, compared, labelled, mark, plotted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Of the tests, after Holm's correction within a layer.
LEVEL = 0.05
TITLES = {
    "embedding": "linear fit of embeddings",
    "hidden": "linear fit of the last hidden layer",
}
#: Names under an axis; Laplacian is the name of the paper.
NAMES = {GAUSSIAN: "Gaussian", "gamma-1": "Laplacian"}
SHORT = {"sum": "sum", "concatenation": "halves"}
COLUMNS = {
    **layout(
        ("kernel", "tau", "seed", "steps", "batch", "loss", *MEASURED, "dtype", "device"),
        ("steps", "batch"),
    ),
    "kernel": str,
}


@dataclass(frozen=True)
class Grid(Experiment):
    """Kernels, temperatures and seeds, and how long each encoder is trained.

    Attributes
    ----------
    gammas
        Exponents of kernels, positive; 2, the Gaussian kernel, is what others are compared with.
    mixtures
        Of two kernels, or of two losses.
    taus
        That each kernel has to choose from, positive.
    seeds, steps, batch
        As of `Setup`.

    Raises
    ------
    ValueError
        If something is not as it says, or is repeated.
    """

    gammas: tuple[float, ...] = (2.0, 1.0, 0.5)
    mixtures: tuple[str, ...] = tuple(MIXTURES)
    taus: tuple[float, ...] = (0.025, 0.05, 0.1, 0.2, 0.4, 0.8)
    seeds: tuple[int, ...] = tuple(range(8))
    steps: int = 300
    batch: int = 64

    part = "run"
    dtype = torch.float32
    columns = COLUMNS

    def __post_init__(self) -> None:
        for name, many in (
            ("an exponent", self.gammas),
            ("a mixture", self.mixtures),
            ("a temperature", self.taus),
        ):
            if len(set(many)) != len(many):
                raise ValueError(f"{name} is repeated")
        if not self.taus:
            raise ValueError("choosing a temperature needs at least one")
        for kernel in self.kernels:  # a name, exponent or temperature that there is not
            for tau in self.taus:
                loss_of(kernel, tau)

    @property
    def kernels(self) -> tuple[str, ...]:
        """Their names, the Gaussian one first."""
        among = (2.0, *(g for g in self.gammas if g != 2))
        return (
            *(f"gamma-{str(float(gamma)).removesuffix('.0')}" for gamma in among),
            *self.mixtures,
        )

    @property
    def shared(self) -> Setup:
        """What the kernels share."""
        return Setup(self.steps, self.batch)

    def cells(self) -> list[dict[str, Any]]:
        """All cells, seed by seed, each with an encoder that is not trained."""
        return [
            {"kernel": kernel, "tau": tau, "seed": seed}
            for seed in self.seeds
            for kernel in (UNTRAINED, *self.kernels)
            for tau in (self.taus if kernel != UNTRAINED else (0.0,))
        ]

    def setup(self, run: Run) -> dict[str, float | str]:
        """How long encoders are trained, on how many images."""
        return {"steps": self.steps, "batch": self.batch}

    def measured(self, cell: dict[str, Any], run: Run) -> Row:
        """One training."""
        return trained(**cell, setup=self.shared, digits=load(torch.float32), where=run.where)

    def drawn(self, rows: list[Row], look: Look) -> tuple[Figure, str, str]:
        """Accuracies of both layers, and over temperature."""
        images = len(load().images)
        told = {layer: compare(rows, layer, images) for layer in LAYERS}
        found = says(self, told)
        among = ", ".join(f"{tau:g}" for tau in self.taus)
        mixed = (
            "Mixtures have the exponents 1 and 2 in equal parts, of the losses or of the kernels, "
            "on all features or on a half each. "
        ) * bool(self.mixtures)
        caption = (
            f"An encoder of the digits of scikit-learn, trained for {self.steps} steps on batches "
            f"of {self.batch} images in two views by InfoNCE with several kernels, then frozen. "
            f"{mixed}"
            "(a), (b) Measured: accuracy of a linear fit to the classes on "
            f"images held out. Small: a seed, of {len(self.seeds)}; large: the mean with its "
            "standard error; dotted: an encoder that is not trained. Each kernel has the "
            f"temperature among {among} that is best on other images, for each seed. (c) Means "
            "over the temperature, in the colours and marks of (a). "
            "Nothing here is derived but the kernels that are positive definite: those with "
            f"exponents up to 2{', and mixtures of them' * bool(self.mixtures)}. "
            f"By paired tests: {found.replace('p < ', '$p$ < ')}."
        )
        return _drawn(self, rows, told, look), found, caption


def says(grid: Grid, told: dict[str, list[Told]]) -> str:
    """What is told apart from the Gaussian kernel, for one line."""
    if len(grid.seeds) < 2:
        return "one seed, which tells no differences"
    tests = [one for of in told.values() for one in of if isfinite(one.p_holm)]
    apart = [
        f"{one.kernel} {one.layer} {100 * one.difference:+.2g} points"
        for one in tests
        if one.p_holm < LEVEL
    ]
    return (
        f"other than Gaussian at p < {LEVEL:g} in {len(apart)} of {len(tests)} comparisons"
        f"{': ' if apart else ''}{', '.join(apart)}"
    )


def name(kernel: str) -> str:
    """A kernel as mathematics, short enough for an axis."""
    gamma = gamma_of(kernel)
    if gamma is not None:
        return NAMES.get(kernel, rf"$\gamma = {gamma:g}$")
    what, _, how = kernel.partition("-")
    return f"{SHORT[how]}, {what}"


def _drawn(grid: Grid, rows: Sequence[Row], told: dict[str, list[Told]], look: Look) -> Figure:
    panels = []
    for layer in LAYERS:
        by = {one.kernel: one for one in told[layer]}
        values = [
            ([100 * x for x in by[k].accuracies], 100 * by[k].mean, 100 * by[k].error)
            for k in grid.kernels
        ]
        panel = compared(look, TITLES[layer], "accuracy in %", values, [*map(name, grid.kernels)])
        panels.append(replace(panel, level=100 * by[UNTRAINED].mean))
    return plotted(look, [*panels, _over_temperature(grid, rows, look)], 0.95, 0.3)


def _over_temperature(grid: Grid, rows: Sequence[Row], look: Look) -> Panel:
    taus = sorted(grid.taus)
    curves = []
    for k, kernel in enumerate(grid.kernels):
        means = [
            100 * mean(float(r["test_embedding"]) for r in rows if (r["kernel"], r["tau"]) == at)
            for at in ((kernel, tau) for tau in taus)
        ]
        style = mark(look, k, linestyle=DASHES[k % len(DASHES)], markersize=3)
        curves.append(Series(taus, means, style=style))
    axes = {"xscale": "log", "xlabel": r"temperature $\tau$"}
    title = "embeddings over temperature"
    return Panel(title, "accuracy in %", curves, axes, ticks=labelled(taus))

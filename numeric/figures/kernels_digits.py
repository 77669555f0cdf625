"""Kernels for InfoNCE compared on the digits of scikit-learn, as tan2024spectral does on CIFAR."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
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
    run,
)
from ..running.device import resolve_device
from ..running.progress import Report, reporting
from ..running.table import Row, layout
from .drawing import Drawing, in_table
from .look import DASHES, MARKERS, PLAIN, Look
from .panels import side_by_side

if TYPE_CHECKING:
    from matplotlib.axes import Axes
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
class Grid:
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
        If something is not as it says, or is named twice.
    """

    gammas: tuple[float, ...] = (2.0, 1.0, 0.5)
    mixtures: tuple[str, ...] = tuple(MIXTURES)
    taus: tuple[float, ...] = (0.025, 0.05, 0.1, 0.2, 0.4, 0.8)
    seeds: tuple[int, ...] = tuple(range(8))
    steps: int = 300
    batch: int = 64

    def __post_init__(self) -> None:
        for name, many in (
            ("an exponent", self.gammas),
            ("a mixture", self.mixtures),
            ("a temperature", self.taus),
        ):
            if len(set(many)) != len(many):
                raise ValueError(f"{name} is named twice")
        if not self.taus:
            raise ValueError("there is no temperature to choose")
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
    def setup(self) -> Setup:
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


def measure(
    grid: Grid,
    path: Path,
    *,
    device: str | torch.device = "auto",
    progress: bool | Report = False,
) -> list[Row]:
    """Train the encoder of every cell that the table lacks."""
    where = resolve_device(device)

    def solve(todo: list[dict[str, Any]]) -> Iterator[Row]:
        digits = load(torch.float32)
        with reporting(progress, len(todo), "run") as advance:
            for cell in todo:
                found = run(**cell, setup=grid.setup, digits=digits, where=where)
                yield {**cell, **found, "device": str(where)}
                advance(1)

    setup = {"steps": grid.steps, "batch": grid.batch}
    return in_table(path, COLUMNS, grid.cells(), solve, torch.float32, **setup)


def draw(grid: Grid, path: Path, *, look: Look = PLAIN, **options: Any) -> Drawing:
    """Measure what is missing, and draw it: accuracies of both layers, and over temperature."""
    rows = measure(grid, path, **options)
    images = len(load().images)
    told = {layer: compare(rows, layer, images) for layer in LAYERS}
    found = says(grid, told)
    among = ", ".join(f"{tau:g}" for tau in grid.taus)
    mixed = (
        "Mixtures have the exponents 1 and 2 in equal parts, of the losses or of the kernels, on "
        "all features or on a half each. "
    ) * bool(grid.mixtures)
    caption = (
        f"An encoder of the digits of scikit-learn, trained for {grid.steps} steps on batches of "
        f"{grid.batch} images in two views by InfoNCE with several kernels, then frozen. {mixed}"
        "(a), (b) Measured: accuracy of a linear fit to the classes on "
        f"images held out. Small: a seed, of {len(grid.seeds)}; large: the mean with its standard "
        "error; dotted: an encoder that is not trained. Each kernel has the temperature among "
        f"{among} that is best on other images, for each seed. (c) Means over the temperature, in "
        "the colours and marks of (a). "
        "Nothing here is derived but the kernels that are positive definite: those with exponents "
        f"up to 2{', and mixtures of them' * bool(grid.mixtures)}. "
        f"By paired tests: {found.replace('p < ', '$p$ < ')}."
    )
    return Drawing(_drawn(grid, rows, told, look), look, rows, found, caption)


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
    with look.applied():
        figure, axes = side_by_side(look, 3, 0.95, 0.3)
        for letter, ax, layer in zip("ab", axes, LAYERS, strict=False):
            _accuracies(ax, grid, {one.kernel: one for one in told[layer]}, look)
            ax.set_title(f"({letter}) {TITLES[layer]}", loc="left")
        _over_temperature(axes[2], grid, rows, look)
    return figure


def _style(look: Look, k: int) -> dict[str, Any]:
    colours = look.palette()
    return {"color": colours[k % len(colours)], "marker": MARKERS[k % len(MARKERS)]}


def _accuracies(ax: Axes, grid: Grid, told: dict[str, Told], look: Look) -> None:
    for k, kernel in enumerate(grid.kernels):
        one, style = told[kernel], _style(look, k)
        values = [100 * value for value in one.accuracies]
        ax.plot([k] * len(values), values, linestyle="", markersize=1.5, alpha=0.7, **style)
        ax.errorbar(k, 100 * one.mean, 100 * one.error, capsize=2, **style)
    ax.axhline(100 * told[UNTRAINED].mean, color="black", linestyle=":", linewidth=0.8)
    ax.set_xticks(range(len(grid.kernels)), map(name, grid.kernels), rotation=45, ha="right")
    ax.set_xlim(-0.5, len(grid.kernels) - 0.5)
    ax.set_ylabel("accuracy in %")


def _over_temperature(ax: Axes, grid: Grid, rows: Sequence[Row], look: Look) -> None:
    taus = sorted(grid.taus)
    for k, kernel in enumerate(grid.kernels):
        means = [
            100 * mean(float(r["test_embedding"]) for r in rows if (r["kernel"], r["tau"]) == at)
            for at in ((kernel, tau) for tau in taus)
        ]
        dash = DASHES[k % len(DASHES)]
        ax.plot(taus, means, linestyle=dash, markersize=3, **_style(look, k))
    ax.set_xscale("log")
    ax.set_xticks(taus, [f"{tau:g}" for tau in taus], minor=False)
    ax.set_xticks([], minor=True)
    ax.set(xlabel=r"temperature $\tau$", ylabel="accuracy in %")
    ax.set_title("(c) embeddings over temperature", loc="left")

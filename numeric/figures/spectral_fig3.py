"""Figure 3 of tan2024spectral: points moved by InfoNCE on a graph, and the graph's eigenvectors.

Appendix C does not say what the kernel is compared on, or what negatives are. By default points
are free in the plane and the kernel is the Gaussian one of the theorem, an anchor is compared
with all other points, and a batch is 50 of the edges of the subgraph that was drawn; once all its
edges have been used the next one is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from ..graphs.agreement import adjusted_rand, captured, centred, k_means, principal_angles
from ..graphs.draw import planted_labels, planted_partition
from ..graphs.energy import cross_entropy, entropy
from ..graphs.spectral import bottom_eigenvectors
from ..graphs.train import EARLY, Setup, minimised, sgd, start
from ..running.device import threads_for
from ..running.table import Layout, Row, layout
from .drawing import Experiment, Run, by_seeds, number, points, spelled
from .look import Look
from .panels import grid_of, mark

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Vertices that a matrix is made for: 128 MB each in float64.
MOST = 4000
#: Vertices of each cluster whose edges are drawn, as in the paper.
SHOWN = 10
PARTS = {"sgd": "SGD", "optimum": "exact optimum"}
#: What is measured of each part. Angles are in degrees: the least and the largest between the
#: span of the points and that of the bottom eigenvectors, one fewer than clusters; and the largest
#: to the span of as many of them as the points have dimensions.
AGREEMENT = (
    *("loss", "gradient", "captured", "angle_least", "angle_most", "angle_bottom"),
    *("ari_spectral", "ari_planted"),
)
ABOUT = ("entropy", "eigenvalue_last", "eigenvalue_next", "eigenvectors_ari")
POINTS = ("early", *PARTS)
TOLD = ("p", "q", "d", "seed")
MEASURED = (*ABOUT, *(f"{part}_{name}" for part in PARTS for name in AGREEMENT), "iterations")


@dataclass(frozen=True)
class Grid(Experiment):
    """Graphs, dimensions and seeds, and how points are trained."""

    pairs: tuple[tuple[float, float], ...] = ((1.0, 0.0), (0.75, 0.2))
    clusters: int = 6
    k: int = 100
    dimensions: tuple[int, ...] = (2,)
    training: Setup = field(default_factory=Setup)
    laplacian: str = "symmetrised"
    seeds: tuple[int, ...] = (0, 1, 2)

    dtype = torch.float64

    @property
    def columns(self) -> Layout:
        """The cell, how points are trained, what is measured, and points that are drawn."""
        drawn = [f"{k}_points" for k in POINTS]
        names = (*TOLD, *self.same, *MEASURED, "stop", "dtype", "device", *drawn)
        words = [*drawn, *(k for k, v in self.same.items() if isinstance(v, str))]
        whole = [k for k, v in self.same.items() if isinstance(v, int)]
        return {**layout(names, whole), **dict.fromkeys(words, str)}

    def __post_init__(self) -> None:
        if self.n > MOST:
            raise ValueError(f"a graph of {self.n} vertices is too large: {MOST} at most")
        low = 2 if self.training.sphere else 1
        if not all(low <= d < self.n for d in self.dimensions):
            raise ValueError(f"the dimension must be from {low} to {self.n - 1} here")

    @property
    def n(self) -> int:
        """Vertices."""
        return self.clusters * self.k

    @property
    def same(self) -> dict[str, Any]:
        """What all rows of a table have in common."""
        kernel = self.training.kernel
        return {
            "clusters": self.clusters,
            "k": self.k,
            "kernel": "gaussian"
            if kernel.gamma is None
            else f"exponential {str(kernel.gamma).removesuffix('.0')}",  # all digits: tables differ
            "tau": kernel.tau,
            "lr": self.training.lr,
            "batch": self.training.batch,
            "negatives": self.training.negatives,
            "surface": "sphere" if self.training.sphere else "free",
            "laplacian": self.laplacian,
            "most": self.training.most,
        }

    def cells(self) -> list[dict[str, Any]]:
        """All cells."""
        return [
            {"p": p, "q": q, "d": d, "seed": seed}
            for p, q in self.pairs
            for d in self.dimensions
            for seed in self.seeds
        ]

    def graph(self, p: float, q: float, seed: int) -> tuple[Tensor, torch.Generator]:
        """The graph of a cell, whatever the dimension; and what draws the start after it."""
        random = torch.Generator().manual_seed(seed)
        try:
            return planted_partition(self.clusters, self.k, p, q, random), random
        except ValueError as refusal:
            raise ValueError(f"p = {p:g}, q = {q:g}, seed {seed}: {refusal}") from None

    def setup(self, run: Run) -> dict[str, float | str]:
        """How points are trained."""
        return self.same

    def solve(self, todo: list[dict[str, Any]], run: Run) -> Iterator[Row]:
        """Train the points of each cell."""
        for cell in todo:  # a vertex without edges is refused before any work
            self.graph(cell["p"], cell["q"], cell["seed"])
        with threads_for(self.n, max(self.dimensions)):
            for cell in todo:
                found = _cell(self, cell, run.where)
                yield {**cell, **found, "device": str(run.where)}

    def drawn(self, rows: list[Row], look: Look) -> tuple[Figure, str, str]:
        """A line of panels for each graph and dimension."""
        settings = [
            (p, q, d, [row for row in rows if (row["p"], row["q"], row["d"]) == (p, q, d)])
            for p, q in self.pairs
            for d in self.dimensions
        ]
        says, tex = [], []
        for p, q, d, mine in settings:
            text = {}
            for quote in ("", "$"):
                angles, shares, index = (
                    [_number(means(mine, f"{part}_{name}"), digits, quote) for part in PARTS]
                    for name, digits in (("angle_most", 1), ("captured", 3), ("ari_spectral", 2))
                )
                text[quote] = (
                    f"angle {angles[0]} (optimum {angles[1]}), variance {shares[0]} ({shares[1]}), "
                    f"index {index[0]} ({index[1]})"
                )
            says.append(f"p = {p:g}, q = {q:g}, d = {d}: {text['']}")
            tex.append(f"$p = {p:g}$, $q = {q:g}$, $d = {d}$: {text['$']}")
        same, early = self.same, min(EARLY, self.training.most)
        surface = "on the unit sphere" if self.training.sphere else "free"
        worst = number(max(float(row["optimum_gradient"]) for row in rows))
        more = max(self.dimensions) > 2
        caption = (
            f"{self.clusters} clusters of {self.k} vertices, with edges of probability $p$ inside "
            f"and $q$ across. Points, {surface}, start from a normal law; in each iteration a "
            f"subgraph of out-degree one is drawn, and InfoNCE ({same['kernel']} kernel, "
            f"temperature {same['tau']:g}, negatives: {same['negatives']}) is lowered by SGD, "
            f"learning rate {same['lr']:g}, in batches of {same['batch']}. Each line: after "
            f"{early} iterations; at "
            "the end, with the edges among "
            f"{min(SHOWN, self.k)} vertices of each cluster; where the exact expectation over "
            f"subgraphs was minimised to, with no entry of the gradient above {worst}; and the two "
            f"lowest eigenvectors of the Laplacian ({self.laplacian}) that are not trivial. "
            f"{'Of more than two dimensions the axes of most variance are shown. ' if more else ''}"
            "Derived is only that no cross-entropy is below "
            "the entropy of the graph; all that is shown is measured, "
            f"{by_seeds(self.seeds, 'of which the first is drawn')}. Largest angle in degrees to "
            f"the {_lowest(self.clusters - 1)}, part of the variance in their span, and the "
            "adjusted Rand index of k-means of both, mean with standard error, at the end of SGD "
            f"(and where it was minimised to): {'; '.join(tex)}."
        )
        return _drawn(self, settings, look), "; ".join(says), caption


def _cell(grid: Grid, cell: dict[str, Any], where: torch.device) -> Row:
    """SGD from a normal start, and the lower of the minima that are below its end and its start."""
    setup, d = grid.training, cell["d"]
    pi, random = grid.graph(cell["p"], cell["q"], cell["seed"])
    pi, first = pi.to(where), start(grid.n, d, random, setup.sphere).to(where)
    # With the seed of the graph, positives would be drawn by the numbers that made its edges.
    draws = torch.Generator(where).manual_seed(int(torch.randint(2**31, (), generator=random)))
    trained = sgd(pi, first, setup, draws)
    minima = [minimised(pi, z, setup.kernel, setup.sphere) for z in (trained.points, first)]
    best = min(minima, key=lambda found: found.value)

    count = min(max(grid.clusters, d + 1), grid.n - 1)
    values, vectors = bottom_eigenvectors(pi, count, grid.laplacian)
    label = planted_labels(grid.clusters, grid.k)
    bottom = vectors[:, : grid.clusters - 1]
    spectral = k_means(bottom, grid.clusters)
    row: Row = {
        "entropy": entropy(pi),
        "eigenvalue_last": float(values[grid.clusters - 2]),
        "eigenvalue_next": float(values[grid.clusters - 1]),
        "eigenvectors_ari": adjusted_rand(spectral, label),
        "iterations": trained.iterations,
        "stop": trained.stop,
        "early_points": _along_axes(trained.early),
    }
    for part, z in (("sgd", trained.points), ("optimum", best.points)):
        value, gradient = cross_entropy(z, pi, setup.kernel)
        if setup.sphere:  # what a step along the sphere sees
            gradient -= (gradient * z).sum(1, keepdim=True) * z
        size = float(gradient.abs().max()) if part == "sgd" else best.gradient
        angles = principal_angles(centred(z), bottom)
        found = k_means(z, grid.clusters)
        told = (
            *(float(value), size, captured(z, bottom), float(angles[0]), float(angles[-1])),
            float(principal_angles(centred(z), vectors[:, :d])[-1]),
            *(adjusted_rand(found, spectral), adjusted_rand(found, label)),
        )
        row |= {f"{part}_{name}": v for name, v in zip(AGREEMENT, told, strict=True)}
        row[f"{part}_points"] = _along_axes(z)
    return row


def _along_axes(points: Tensor) -> str:
    """Points of the plane for a table; of more dimensions, along the axes of most variance."""
    if points.shape[1] > 2:
        about = centred(points)
        points = about @ torch.linalg.svd(about, full_matrices=False)[2][:2].T
    return spelled(points)


def means(rows: Sequence[Row], name: str) -> tuple[float, float]:
    """The mean of a column, and its standard error; nan of one row."""
    values = np.array([float(row[name]) for row in rows])
    error = values.std(ddof=1) / len(values) ** 0.5 if len(values) > 1 else np.nan
    return float(values.mean()), float(error)


def _lowest(count: int) -> str:
    return f"{count} lowest eigenvectors" if count > 1 else "lowest eigenvector"


def _number(found: tuple[float, float], digits: int, quote: str) -> str:
    """A mean with its standard error, where there is one."""
    mean, error = found
    sign = r" \pm " if quote else " +- "
    return f"{quote}{mean:.{digits}f}" + (
        quote if np.isnan(error) else f"{sign}{error:.{digits}f}{quote}"
    )


def _drawn(
    grid: Grid, settings: Sequence[tuple[float, float, int, list[Row]]], look: Look
) -> Figure:
    titles = {
        "early": f"{min(EARLY, grid.training.most)} iterations",
        **PARTS,
        "vectors": "eigenvectors",
    }
    columns = look.columns(4, 1.5)
    lines = -(-4 // columns)
    height = len(settings) * lines * ((look.width - 0.2) / columns + 0.25)
    figure, axes = grid_of(look, len(settings) * lines * columns, columns, height)
    for k, (p, q, d, rows) in enumerate(settings):
        first = next(row for row in rows if row["seed"] == grid.seeds[0])
        pi, _ = grid.graph(p, q, grid.seeds[0])
        count = min(2, grid.n - 1)
        panels = {name: points(first, f"{name}_points") for name in POINTS} | {
            "vectors": bottom_eigenvectors(pi, count, grid.laplacian)[1].numpy()
        }
        mine = axes[k * lines * columns : (k + 1) * lines * columns]
        for j, (ax, (name, at)) in enumerate(zip(mine, panels.items(), strict=False)):
            if name == "sgd":
                _edges(ax, _plane(at), pi.numpy(), grid)
            for c in range(grid.clusters):
                style = mark(look, c, linestyle="", markersize=2.0, markeredgewidth=0)
                ax.plot(*_plane(at)[c * grid.k : (c + 1) * grid.k].T, **style)
            ax.set_aspect("equal", adjustable="datalim")
            ax.set(xticks=[], yticks=[])
            ax.set_title(f"({'abcd'[j]}) {titles[name]}", loc="left")
            if j == 0:
                ax.set_ylabel(rf"$p = {p:g}$, $q = {q:g}$, $d = {d}$")
    return figure


def _plane(at: np.ndarray) -> np.ndarray:
    """Points of a line, in a plane."""
    return at if at.shape[1] > 1 else np.column_stack([at, np.zeros(len(at))])


def _edges(ax: Axes, at: np.ndarray, pi: np.ndarray, grid: Grid) -> None:
    """Edges among the first vertices of each cluster, which are no others than any: all alike."""
    from matplotlib.collections import LineCollection

    some = [c * grid.k + i for c in range(grid.clusters) for i in range(min(SHOWN, grid.k))]
    ends = [(at[i], at[j]) for i in some for j in some if i < j and pi[i, j] > 0]
    ax.add_collection(LineCollection(ends, colors="0.6", linewidths=0.15, zorder=0))

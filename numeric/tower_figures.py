"""The figures of lee2024sigmoid: theory beside optimised towers, and beside encoders."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import torch

from ..derive.losses.clip import SIGMOID
from ..derive.results import results
from .encoder import ENCODERS, Encoder, EncoderRow, encoder_key, train_encoders
from .figures import LOOSE
from .progress import Report
from .table import Table
from .tower_sweep import TowerRow, sweep_towers, tower_key

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.figure import Figure


R = TypeVar("R", TowerRow, EncoderRow)


@dataclass(frozen=True)
class TowerGrid:
    """The cells of a figure: numbers of items, temperatures, and the bias (None for b = t)."""

    items: tuple[int, ...] = (4, 6, 8, 10, 16, 24, 32, 48, 64)
    temperatures: tuple[float, ...] = tuple(round(0.25 * k, 12) for k in range(1, 21))
    bias: float | None = None
    seeds: tuple[int, ...] = (0, 1, 2, 3)

    @property
    def points(self) -> list[tuple[float, float]]:
        """Pairs (t, b)."""
        return [(t, t if self.bias is None else self.bias) for t in self.temperatures]


#: Where d is too small for the structure some starts end in local minima, hence the four seeds
#: above. Encoders take a second each, so Fig. 3 has fewer of them.
ENCODER_GRID = TowerGrid(
    items=(4, 6, 8, 10, 16),
    temperatures=tuple(round(0.4 * k, 12) for k in range(1, 11)),
    seeds=(0,),
)


def half(N: int) -> int:
    """The paper's smaller dimension."""
    return -(-N // 2)


def predicted_similarity(grid: TowerGrid) -> np.ndarray:
    """Derived s for d >= N, ``(temperatures, items)``."""
    f = results["sigmoid-optimum"].function("positive_similarity")
    t, b = (np.array(column)[:, None] for column in zip(*grid.points, strict=True))
    return np.asarray(f(N=np.array(grid.items)[None, :], t=t, b=b))


# --- Figure 2 ---------------------------------------------------------------------------------


def measure_towers(
    grid: TowerGrid,
    path: Path,
    *,
    dtype: torch.dtype = torch.float64,
    device: str = "auto",
    tolerance: float | None = None,
    progress: bool | Report = False,
) -> list[TowerRow]:
    """Optimise every cell that the table lacks, for d = N and d = N/2.

    Every finished row is on disk at once; raises as :func:`~cltheory.numeric.figures.measure`.
    """
    table = Table(path, _setup(dtype), TowerRow)
    wide = [(N, N) for N in grid.items]
    # Where d is too small the optima are flat in many directions; see LOOSE.
    tight = [(N, half(N)) for N in grid.items]
    for shapes, limit in ((wide, tolerance), (tight, tolerance or LOOSE)):
        rows = sweep_towers(
            SIGMOID,
            shapes=shapes,
            points=grid.points,
            seeds=grid.seeds,
            done=[r.key for r in table.rows],
            tolerance=limit,
            dtype=dtype,
            device=device,
            progress=progress,
        )
        for row in rows:
            table.append([row])
    wanted = {
        tower_key(N, d, t, b, seed)
        for N, d in wide + tight
        for t, b in grid.points
        for seed in grid.seeds
    }
    return [r for r in table.rows if r.key in wanted]


def measured_similarity(
    grid: TowerGrid, rows: Sequence[TowerRow], half_dimension: bool = False
) -> np.ndarray:
    """Measured s of the seed with the least loss, ``(temperatures, items)``."""
    best = _best(rows)
    return np.array(
        [
            [
                best[tower_key(N, half(N) if half_dimension else N, t, b, 0)[:-1]].similarity
                for N in grid.items
            ]
            for t, b in grid.points
        ]
    )


def ccem_fig2(grid: TowerGrid, rows: Sequence[TowerRow]) -> Figure:
    """Figure 2 of lee2024sigmoid: theory, towers with d = N, towers with d = N/2."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 9.6), layout="constrained")
    axes = figure.subplots(3, 1, sharex=True, sharey=True)
    gap = max(r.gap for r in rows if r.d == r.N)
    panels = {
        "derived (d >= N)": predicted_similarity(grid),
        f"optimised, d = N, largest certified gap {gap:.1g}": measured_similarity(grid, rows),
        "optimised, d = N/2": measured_similarity(grid, rows, half_dimension=True),
    }
    _panels(figure, list(axes), grid, panels)
    return figure


# --- Figure 3 ---------------------------------------------------------------------------------


def measure_encoders(
    grid: TowerGrid,
    path: Path,
    *,
    encoders: Sequence[Encoder] = ENCODERS,
    dtype: torch.dtype = torch.float64,
    device: str = "auto",
    progress: bool | Report = False,
) -> list[EncoderRow]:
    """Train the encoder of every cell that the table lacks, for d = N; else as above."""
    table = Table(path, _setup(dtype), EncoderRow)
    rows = train_encoders(
        results["sigmoid-optimum"].problem,
        shapes=[(N, N) for N in grid.items],
        points=grid.points,
        seeds=grid.seeds,
        encoders=encoders,
        done=[r.key for r in table.rows],
        dtype=dtype,
        device=device,
        progress=progress,
    )
    for row in rows:
        table.append([row])
    wanted = {
        encoder_key(encoder.name, N, N, t, b, seed)
        for encoder in encoders
        for N in grid.items
        for t, b in grid.points
        for seed in grid.seeds
    }
    return [r for r in table.rows if r.key in wanted]


def encoder_similarity(grid: TowerGrid, rows: Sequence[EncoderRow], name: str) -> np.ndarray:
    """Measured s of an encoder, of the seed with the least loss, ``(temperatures, items)``."""
    best = _best(rows)
    return np.array(
        [
            [best[encoder_key(name, N, N, t, b, 0)[:-1]].similarity for N in grid.items]
            for t, b in grid.points
        ]
    )


def ccem_fig3(grid: TowerGrid, rows: Sequence[EncoderRow]) -> Figure:
    """Figure 3 of lee2024sigmoid: theory, and encoders with d = N."""
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(r.encoder for r in rows))
    figure = Figure(figsize=(6.4, 3.2 * (1 + len(names))), layout="constrained")
    axes = figure.subplots(1 + len(names), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    panels = {"derived": predicted_similarity(grid)}
    for name in names:
        kind, _, hidden = name.partition("-")
        values = encoder_similarity(grid, rows, name)
        panels[f"{kind} output, {hidden} hidden units, s >= {values.min():.2g}"] = values
    _panels(figure, list(axes), grid, panels)
    return figure


# --- shared -----------------------------------------------------------------------------------


def _setup(dtype: torch.dtype) -> dict[str, str]:
    return {"dtype": str(dtype).removeprefix("torch.")}


def _best(rows: Sequence[R]) -> dict[Hashable, R]:
    """For each cell the seed with the least loss."""
    best: dict[Hashable, R] = {}
    for row in rows:
        cell = row.key[:-1]
        if cell not in best or row.loss < best[cell].loss:
            best[cell] = row
    return best


def _panels(
    figure: Figure, axes: Sequence[Axes], grid: TowerGrid, panels: dict[str, np.ndarray]
) -> None:
    mesh: QuadMesh | None = None
    for ax, (title, values) in zip(axes, panels.items(), strict=True):
        mesh = ax.pcolormesh(
            grid.items, grid.temperatures, values, vmin=0, vmax=1, shading="nearest", cmap="viridis"
        )
        _thresholds(ax, grid)
        ax.set_xscale("log")
        ax.set_xticks(grid.items, [str(N) for N in grid.items])
        ax.minorticks_off()
        ax.set_ylabel("t = b" if grid.bias is None else "t")
        ax.set_title(title)
    axes[-1].set_xlabel("N")
    assert mesh is not None
    figure.colorbar(mesh, ax=axes, label="normalised similarity s")
    bias = "" if grid.bias is None else f", b = {grid.bias:g}"
    figure.suptitle(f"sigmoid loss{bias}: simplex above the blue line, antipodal below the red")


def _thresholds(ax: Axes, grid: TowerGrid) -> None:
    """The two lines; at b = t they are functions of N, else level lines of b's thresholds."""
    r = results["sigmoid-threshold"]
    # Numbers of items are integers; elsewhere the thresholds are nan.
    items = np.unique(np.geomspace(max(4, min(grid.items)), max(grid.items), 400).round())
    low, high = min(grid.temperatures), max(grid.temperatures)
    if items[0] >= items[-1]:
        return  # no line for N = 2 and 3 alone
    t = np.linspace(low, high, 400)
    for name, colour in (("simplex", "blue"), ("antipodal", "red")):
        with np.errstate(divide="ignore", invalid="ignore"):
            if grid.bias is None:
                line = r.function(f"t_{name}")(N=items)
                ax.plot(items, line, color=colour, linestyle="--")
            else:
                edge = r.function(f"b_{name}")(N=items[None, :], t=t[:, None]) - grid.bias
                if edge.min() < 0 < edge.max():
                    ax.contour(items, t, edge, levels=[0.0], colors=colour, linestyles="--")
    ax.set_ylim(low, high)

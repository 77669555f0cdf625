"""Maps of a number from 0 to 1 side by side, with the same borders upon each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

import numpy as np

from .curves import Array, Curve
from .look import Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine
    from matplotlib.lines import Line2D

#: Height of a panel beside its width, and inches for what stands around panels.
RATIO, AROUND, LEGEND_LINE = 0.72, 0.42, 0.16
#: Inches between the middles of two labels of an axis.
APART = 0.17


@dataclass(frozen=True)
class Scale:
    """An axis of cells.

    Attributes
    ----------
    values
        In the middle of each cell, rising.
    label
        What they are.
    low, high
        Ends of the parameter's range: the first and the last cell do not go beyond.
    log
        Whether it is logarithmic, with a label at each value.
    """

    values: Sequence[float]
    label: str
    low: float = -inf
    high: float = inf
    log: bool = False

    @property
    def edges(self) -> Array:
        """Ends of the cells: half-way between values, and as far beyond the first and last."""
        at = np.log(self.values) if self.log else np.asarray(self.values, dtype=float)
        inner = (at[1:] + at[:-1]) / 2
        whole = np.concatenate([[2 * at[0] - inner[0]], inner, [2 * at[-1] - inner[-1]]])
        found: Array = np.clip(np.exp(whole) if self.log else whole, self.low, self.high)
        return found

    @property
    def ends(self) -> tuple[float, float]:
        """Where the axis begins and ends: with its cells."""
        return float(self.edges[0]), float(self.edges[-1])

    def labelled(self, inches: float) -> list[float]:
        """The values that there is room to write on an axis of this length."""
        at = np.log(self.values)
        place = (at - at[0]) / max(float(np.ptp(at)), 1e-9) * inches
        kept: list[int] = [0]
        for k in range(1, len(place)):
            if place[k] - place[kept[-1]] >= APART:
                kept.append(k)
        return [self.values[k] for k in kept]


def drawn(
    look: Look,
    x: Scale,
    y: Scale,
    panels: Mapping[str, Any],
    curves: Sequence[tuple[Curve, str]],
    about: str,
    number: str,
) -> Figure:
    """A panel for each title, lettered, with values by ``(y, x)``; a legend and a bar beside.

    ``curves`` come with their entries of the legend, whose title is ``about``; ``number`` says
    what the maps show.
    """
    from matplotlib.figure import Figure

    columns = look.columns(len(panels))
    rows = -(-len(panels) // columns)
    shown = [(curve, says) for curve, says in curves if curve.seen]
    beside = 2 if look.width >= 5 else 1
    lines = 1 + -(-len(shown) // beside)
    wide = (look.width - 0.95) / columns
    height = rows * (RATIO * wide + AROUND) + 0.15 + LEGEND_LINE * lines
    with look.applied():
        figure = Figure(figsize=(look.width, height), layout=spaced())
        axes = list(figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).flat)
        for letter, ax, (title, values) in zip(ascii_lowercase, axes, panels.items(), strict=False):
            ax.set_title(f"({letter}) {title}", loc="left")
            # Cells have an edge of their colour: viewers leave hairlines between them otherwise.
            mesh = ax.pcolormesh(
                x.edges, y.edges, values, vmin=0, vmax=1, edgecolors="face", linewidth=0.4
            )
            handles = [_line(ax, k, *entry) for k, entry in enumerate(shown)]
            _scaled(ax, x, y, wide)
        for k, ax in enumerate(axes):
            ax.set_visible(k < len(panels))
            if k % columns == 0:
                ax.set_ylabel(y.label)
            if k + columns >= len(panels):
                ax.set_xlabel(x.label)
                ax.tick_params(labelbottom=True)
        bar = figure.colorbar(mesh, ax=axes, label=number, pad=0.02, aspect=22 * rows)
        if bar.solids is not None:
            bar.solids.set_edgecolor("face")
        beneath(figure, [(line, str(line.get_label())) for line in handles], about, beside)
    return figure


def side_by_side(
    look: Look, panels: int, ratio: float, below: float, least: float = 1.9
) -> tuple[Figure, list[Axes]]:
    """Axes of panels, under each other where the width does not do.

    ``ratio`` is the height of one beside its width, and ``below`` are inches for a legend.
    """
    from matplotlib.figure import Figure

    columns = look.columns(panels, least)
    lines = -(-panels // columns)
    height = ratio * look.width / columns * lines + below
    figure = Figure(figsize=(look.width, height), layout=spaced())
    axes = list(figure.subplots(lines, columns, squeeze=False).flat)
    for ax in axes[panels:]:
        ax.set_visible(False)
    return figure, axes[:panels]


def spaced() -> ConstrainedLayoutEngine:
    """A layout in which labels of neighbours do not touch."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    return ConstrainedLayoutEngine(w_pad=0.03, h_pad=0.03, wspace=0.05, hspace=0.02)


def beneath(figure: Figure, entries: Sequence[tuple[Any, str]], about: str, columns: int) -> None:
    """A legend beneath all axes, under a line that says what is shown; entries with their text."""
    if not entries:  # no border is in the plane
        figure.supxlabel(about, size="medium")
        return
    legend = figure.legend(
        handles=[handle for handle, _ in entries],
        labels=[text for _, text in entries],
        title=about,
        loc="outside lower center",
        ncols=columns,
        borderaxespad=0.1,
        columnspacing=1.5,
    )
    legend.get_title().set_multialignment("center")


def _scaled(ax: Axes, x: Scale, y: Scale, inches: float) -> None:
    """The axes end where the cells do."""
    if x.log:
        ax.set_xscale("log")
        ax.minorticks_off()
        ax.set_xticks(x.labelled(0.8 * inches), [f"{v:g}" for v in x.labelled(0.8 * inches)])
    ax.set_xlim(*x.ends)
    ax.set_ylim(*y.ends)


def _line(ax: Axes, k: int, curve: Curve, says: str) -> Line2D:
    """A border that is seen on every colour, and in grey: white with a dark edge, then dashed."""
    from matplotlib.patheffects import withStroke

    ink, casing, dash = (("white", "black", "-"), ("black", "white", (0, (3, 1.5))))[k % 2]
    (line,) = ax.plot(curve.x, curve.y, color=ink, linestyle=dash, label=says)
    line.set_path_effects([withStroke(linewidth=line.get_linewidth() + 1.0, foreground=casing)])
    return line

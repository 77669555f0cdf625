"""Panels side by side: curves and points, or maps of a number with the same borders on each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

import numpy as np

from .curves import Array, Curve
from .look import MARKERS, Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine
    from matplotlib.lines import Line2D

#: Height of a panel beside its width, and inches for what stands around panels.
RATIO, AROUND, LEGEND_LINE = 0.72, 0.42, 0.16
DOTTED: dict[str, Any] = {"color": "black", "linestyle": ":", "linewidth": 0.8}
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
    columns = look.columns(len(panels))
    rows = -(-len(panels) // columns)
    shown = [(curve, says) for curve, says in curves if curve.seen]
    beside = 2 if look.width >= 5 else 1
    lines = 1 + -(-len(shown) // beside)
    wide = (look.width - 0.95) / columns
    height = rows * (RATIO * wide + AROUND) + 0.15 + LEGEND_LINE * lines
    figure, axes = grid_of(look, len(panels), columns, height, sharex=True, sharey=True)
    for k, (ax, (title, values)) in enumerate(zip(axes, panels.items(), strict=True)):
        ax.set_title(f"({ascii_lowercase[k]}) {title}", loc="left")
        # Cells have an edge of their colour: viewers leave hairlines between them otherwise.
        mesh = ax.pcolormesh(
            x.edges, y.edges, values, vmin=0, vmax=1, edgecolors="face", linewidth=0.4
        )
        handles = [_line(ax, j, *entry) for j, entry in enumerate(shown)]
        _scaled(ax, x, y, wide)
        if k % columns == 0:
            ax.set_ylabel(y.label)
        if k + columns >= len(panels):
            ax.set_xlabel(x.label)
            ax.tick_params(labelbottom=True)
    bar_beside(figure, mesh, axes, number, pad=0.02, aspect=22 * rows)
    beneath(figure, [(line, str(line.get_label())) for line in handles], about, beside)
    return figure


def bar_beside(figure: Figure, drawn: Any, axes: Sequence[Axes], label: str, **more: Any) -> None:
    """A bar of colours beside axes, without lines between its colours."""
    bar = figure.colorbar(drawn, ax=axes, label=label, **more)
    if bar.solids is not None:
        bar.solids.set_edgecolor("face")


@dataclass(frozen=True)
class Series:
    """A curve or points of a panel.

    Attributes
    ----------
    x, y
        Of the points.
    says
        Its entry in the legend; nothing for none.
    off
        Half of the length of error bars, or both parts of it.
    style
        How it is drawn, as matplotlib calls it.
    """

    x: Any
    y: Any
    says: str = ""
    off: Any = None
    style: Mapping[str, Any] = field(default_factory=dict)

    def draw(self, ax: Axes) -> Any:
        """Draw it, and return what stands for it in a legend."""
        if self.off is None:
            return ax.plot(self.x, self.y, **self.style)[0]
        return ax.errorbar(self.x, self.y, self.off, **self.style)


@dataclass(frozen=True)
class Band:
    """What is between two curves; see `Series`."""

    x: Any
    low: Any
    high: Any
    says: str
    colour: Any

    def draw(self, ax: Axes) -> Any:
        """Draw it, and return what stands for it in a legend."""
        return ax.fill_between(
            self.x, self.low, self.high, color=self.colour, alpha=0.35, linewidth=0
        )


@dataclass(frozen=True)
class Panel:
    """Curves and points in one pair of axes.

    Attributes
    ----------
    title, ylabel
        What is shown.
    series
        What is drawn, in this order.
    sets
        Other properties of the axes, as ``Axes.set`` takes them.
    one
        The width of a line at 1, or 0 for none.
    dotted
        Where a dotted line stands upright, if one does.
    ticks
        The labelled values of the horizontal axis, with their labels; all if None.
    whole
        Whether only integers are labelled.
    """

    title: str
    ylabel: str
    series: Sequence[Series | Band]
    sets: Mapping[str, Any] = field(default_factory=dict)
    one: float = 0.0
    dotted: float | None = None
    ticks: tuple[Sequence[float], Sequence[str]] | None = None
    whole: bool = False

    def draw(self, ax: Axes, letter: str) -> list[tuple[Any, str]]:
        """Draw it, and return the entries of a legend."""
        handles = [(series.draw(ax), series.says) for series in self.series]
        ax.set_title(f"({letter}) {self.title}", loc="left")
        ax.set(ylabel=self.ylabel, **self.sets)
        if self.one:
            ax.axhline(1, color="black", linewidth=self.one)
        if self.ticks is not None:
            ax.minorticks_off()
            ax.set_xticks(*self.ticks)
        if self.dotted is not None:
            ax.axvline(self.dotted, **DOTTED)
        if self.whole:
            ax.locator_params(axis="x", integer=True)
        return [entry for entry in handles if entry[1]]


def labelled(values: Iterable[float], digits: str = "g") -> tuple[list[float], list[str]]:
    """Values as ticks of an axis."""
    return list(values), [f"{value:{digits}}" for value in values]


def mark(look: Look, k: int, marker: int | None = None, **more: Any) -> dict[str, Any]:
    """The style of the k-th of several: its colour and its marker (or another one's)."""
    colours = look.palette()
    at = MARKERS[(k if marker is None else marker) % len(MARKERS)]
    return {"color": colours[k % len(colours)], "marker": at, **more}


def plotted(
    look: Look,
    panels: Sequence[Panel],
    ratio: float,
    below: float,
    about: str = "",
    wide: float = 0,
) -> Figure:
    """Panels, under each other where the width does not do, with one legend beneath.

    ``ratio`` is the height of one beside its width, ``below`` are inches for the legend, ``about``
    is its title, and ``wide`` are inches of one of its entries, 0 for all of them in a line.
    """
    figure, axes = side_by_side(look, len(panels), ratio, below)
    letters = zip(ascii_lowercase, axes, panels, strict=False)
    entries = [entry for letter, ax, panel in letters for entry in panel.draw(ax, letter)]
    if entries or about:
        count = min(len(entries), 4 if about else 3)
        columns = max(1, look.columns(count, wide)) if wide else len(entries)
        beneath(figure, entries, about, columns)
    return figure


def side_by_side(
    look: Look, panels: int, ratio: float, below: float, least: float = 1.9
) -> tuple[Figure, list[Axes]]:
    """Axes of panels, under each other where the width does not do.

    ``ratio`` is the height of one beside its width, and ``below`` are inches for a legend.
    """
    columns = look.columns(panels, least)
    lines = -(-panels // columns)
    height = ratio * look.width / columns * lines + below
    return grid_of(look, panels, columns, height)


def grid_of(
    look: Look, panels: int, columns: int, height: float, **shared: Any
) -> tuple[Figure, list[Axes]]:
    """Axes in so many columns, of a figure of this height."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(look.width, height), layout=spaced())
    lines = -(-panels // columns)
    axes = list(figure.subplots(lines, columns, squeeze=False, **shared).flat)
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

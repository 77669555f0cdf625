"""The picture of a map of structures: cells, borders between them, points that were measured."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...derive.results import results
from ..running.table import Row
from .cells import Cells
from .curves import axis
from .drawing import sizes
from .look import DASHES, HATCHES, MARKERS, Look
from .panels import LEGEND_LINE, beneath, spaced
from .plane import Face, Plane, face_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

#: How much white is in the colour of cells, and black in that of their hatches.
TINT, SHADE = 0.6, 0.15
#: Height of the axes beside the width.
RATIO, WIDE = 0.72, 4.5
#: Inches of a letter of the legend, and of what stands before a line of it.
LETTER, KEY = 0.056, 0.5


def about(on: Plane) -> str:
    """Sizes and parameters that are fixed, as mathematics, after a word."""
    fixed = _fixed(on)
    return f" with {fixed}" if fixed else ""


def _fixed(on: Plane) -> str:
    return sizes({**on.arrangement.sizes, **on.fixed}, on.problem.domain.ranges)


def picture(
    known: Cells, rows: Sequence[Row], untold: Sequence[bool], wrong: Sequence[bool], look: Look
) -> Figure:
    """The map, with optimised embeddings as points in the colour and shape of their structure.

    ``untold`` are rows of which floats do not tell the structure, and ``wrong`` those of another
    structure than the map.
    """
    from matplotlib.figure import Figure

    on = known.on
    told = [row for row, unsure in zip(rows, untold, strict=True) if not unsure]
    faces = list(known.fine[2])
    faces += [face for face in dict.fromkeys(map(face_of, told)) if face not in faces]
    looks = _looks(faces, look)
    figure = Figure(layout=spaced())
    ax = figure.subplots()
    cells = _cells(ax, known, looks)
    lines = _borders(ax, known)
    points = _points(ax, on, told, looks)
    entries: list[tuple[Any, str]] = [
        (tuple(of[face] for of in (cells, points) if face in of), _named(face)) for face in faces
    ]
    entries += [(line, str(line.get_label())) for line in lines]
    entries += _doubted(ax, on, rows, untold, wrong)
    of = results["phases"].with_inputs(loss=on.problem)
    ax.set_xlabel(axis(on.x, of))
    ax.set_ylabel(axis(on.y, of))
    ax.set_xlim(*on.x_range)
    ax.set_ylim(*on.y_range)
    longest = max(len(re.sub(r"\\\w+|[{}$\\_]", "", text)) for _, text in entries)
    columns = max(1, min(4, int(look.width / (LETTER * longest + KEY))))
    rows_of_legend = 2 + -(-len(entries) // columns)
    height = RATIO * min(look.width, WIDE) + 0.4 + LEGEND_LINE * rows_of_legend
    figure.set_size_inches(look.width, height)
    fixed = _fixed(on)
    what = f"{on.problem.loss.name}, {fixed}" if fixed else on.problem.loss.name
    what += f"\ncells: optimum; curves: derived; points: measured, $d = {on.d}$"
    beneath(figure, entries, what, columns)
    return figure


def _looks(faces: Sequence[Face], look: Look) -> dict[Face, tuple[Any, str, str]]:
    """Colour, hatch and marker of each structure; blank where none is known."""
    colours = look.palette()
    found = {
        face: (colours[k % len(colours)], HATCHES[k % len(HATCHES)], MARKERS[k % len(MARKERS)])
        for k, face in enumerate(face for face in faces if face)
    }
    return {**found, (): ("white", "", "o")}


def _cells(ax: Axes, known: Cells, looks: Mapping[Face, tuple[Any, str, str]]) -> dict[Face, Patch]:
    """A region for each structure, which ends where the axes do."""
    from matplotlib.patches import Patch

    xs, ys, faces, codes = known.fine
    # Out to the ends of the ranges, half a cell beyond the middles.
    xs, ys = (
        np.concatenate([[low], at, [high]])
        for (low, high), at in ((known.on.x_range, xs), (known.on.y_range, ys))
    )
    codes = np.pad(codes, 1, mode="edge")
    found: dict[Face, Patch] = {}
    for k, face in enumerate(faces):
        colour, hatch, _ = looks[face]
        tint, shade = _mixed(colour, 1.0, TINT), _mixed(_mixed(colour, 1.0, 0.2), 0.0, SHADE)
        part = (codes == k).astype(float)
        # The edge closes what three cells leave open between them.
        ax.contourf(xs, ys, part, [0.5, 2.0], colors=[tint]).set(edgecolor=tint, linewidth=0.5)
        if hatch:
            lines = ax.contourf(xs, ys, part, [0.5, 2.0], colors="none", hatches=[hatch])
            lines.set(edgecolor=shade, linewidth=0)
        found[face] = Patch(facecolor=tint, edgecolor=shade, hatch=hatch, lw=0)
    return found


def _borders(ax: Axes, known: Cells) -> list[Line2D]:
    """The derived borders, each with dashes of its own; pieces of one have one entry."""
    names = list(dict.fromkeys(curve.name for curve in known.borders))
    first: dict[str, Line2D] = {}
    for curve in known.borders:
        dash = DASHES[names.index(curve.name) % len(DASHES)]
        (line,) = ax.plot(curve.x, curve.y, color="black", linestyle=dash, label=curve.label)
        line.set_gid(curve.name)
        first.setdefault(curve.name, line)
    return list(first.values())


def _points(
    ax: Axes,
    on: Plane,
    rows: Sequence[Row],
    looks: Mapping[Face, tuple[Any, str, str]],
) -> dict[Face, Line2D]:
    """Measured points in the colour and shape of their structure."""
    found: dict[Face, Line2D] = {}
    for face in dict.fromkeys(map(face_of, rows)):
        colour, _, marker = looks[face]
        own = [row for row in rows if face_of(row) == face]
        (found[face],) = ax.plot(
            [float(row[on.x]) for row in own],
            [float(row[on.y]) for row in own],
            linestyle="",
            marker=marker,
            color=colour,
            markeredgecolor="black",
            markeredgewidth=0.5,
        )
    return found


def _doubted(
    ax: Axes, on: Plane, rows: Sequence[Row], untold: Sequence[bool], wrong: Sequence[bool]
) -> list[tuple[Any, str]]:
    """Points that are not as their cells, and those of which floats do not tell; with entries."""
    found: list[tuple[Any, str]] = []
    for chosen, marker, size, says in (
        (wrong, "x", 7.0, "measured is not derived"),
        (untold, "*", 5.0, "measured, not told in float64"),
    ):
        own = [row for row, marked in zip(rows, chosen, strict=True) if marked]
        if own:
            places = ([float(row[of]) for row in own] for of in (on.x, on.y))
            (marks,) = ax.plot(*places, linestyle="", marker=marker, color="black", markersize=size)
            found.append((marks, says))
    return found


def _named(face: Face) -> str:
    """A structure by its eigenspaces."""
    return " + ".join(face).replace("_", " ") if face else "not resolved"


def _mixed(colour: Any, other: float, part: float) -> tuple[float, float, float]:
    """A colour with a part of a grey in it; opaque, for formats that know nothing else."""
    from matplotlib.colors import to_rgb

    red, green, blue = ((1 - part) * c + part * other for c in to_rgb(colour))
    return red, green, blue

"""A matrix of similarities as a heat map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .look import Look

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Inches of the height that are no map: the ticks below it.
_FOOT = 0.3


def heat_map(similarity: np.ndarray[Any, Any], look: Look, label: str, rows: str) -> Figure:
    """Draw a square matrix; cosines keep one scale from -1 to 1, so that maps can be compared.

    Parameters
    ----------
    similarity, label
        The matrix, and what is in it.
    look
        Width and style.
    rows
        What its rows are.
    """
    from matplotlib.figure import Figure

    with look.applied():
        side = 0.8 * look.width
        figure = Figure(figsize=(look.width, side + _FOOT), layout="constrained")
        ax = figure.subplots()
        n = len(similarity)
        is_cosine = label == "cosine"
        image = ax.imshow(
            similarity,
            cmap="RdBu_r" if is_cosine else None,
            interpolation="nearest",
            extent=(0.5, n + 0.5, n + 0.5, 0.5),
            vmin=-1.0 if is_cosine else 0.0,
            vmax=1.0 if is_cosine else None,
        )
        ax.grid(False)
        ax.set(xlabel=rows, ylabel=rows)
        ax.locator_params(integer=True)
        figure.colorbar(image, ax=ax, label=label, shrink=0.9)
    return figure

"""Predictions beside training: free embeddings, and encoders of digits on views that are noisy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..digits import STEPS
from ..digits.studies import STUDIES, WAYS, Study, trained
from ..running.device import threads_for
from ..running.table import Layout, Row, layout
from .drawing import Experiment, Run, by_seeds, number
from .look import DASHES, Look
from .panels import Panel, Series, labelled, mark, plotted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TOLD = ("study", "by", "alpha", "tau", "B", "d", "sizes", "seed")
MEASURED = ("threshold", "predicted", "measured", "held_out", "least", "loss", "gradient")
COLUMNS: Layout = {
    **layout((*TOLD, "steps", *MEASURED, "dtype", "device"), ("B", "steps")),
    **dict.fromkeys(("study", "by", "sizes"), str),
}


@dataclass(frozen=True)
class Grid(Experiment):
    """The cells of some studies, each with embeddings that come about in every way."""

    studies: tuple[str, ...] = tuple(STUDIES)
    by: tuple[str, ...] = tuple(WAYS)
    seeds: tuple[int, ...] = (0,)
    steps: int = STEPS

    columns = COLUMNS

    def cells(self) -> list[dict[str, Any]]:
        """All cells."""
        return [
            {"study": study, "by": by, **cell, "seed": seed}
            for study in self.studies
            for by in self.by
            for cell in STUDIES[study].cells()
            for seed in self.seeds
        ]

    def setup(self, run: Run) -> dict[str, float | str]:
        """How long there is training."""
        return {"steps": self.steps}

    def measured(self, cell: dict[str, Any], run: Run) -> Row:
        """What is predicted, and what came out."""
        study = STUDIES[cell["study"]]
        with threads_for(cell["B"] * study.views, cell["d"]):
            found = trained(study, cell, self.steps, run.dtype, run.where)
        threshold, predicted, least = study.predicted(cell)
        return {"threshold": threshold, "predicted": predicted, "least": least, **found}

    def drawn(self, rows: list[Row], look: Look) -> tuple[Figure, str, str]:
        """A panel for each study: the prediction as a line, and what training led to."""
        off = {by: worst(rows, by) for by in self.by}
        panels = [_panel(name, rows, look, k == 0) for k, name in enumerate(self.studies)]
        return (
            plotted(look, panels, 0.72, 0.5, wide=1.9),
            "largest difference from what is predicted "
            + ", ".join(f"{off[by]:.2g} ({WAYS[by].says})" for by in self.by),
            f"Lines: what is derived. Points: measured after {self.steps} steps of AdamW on digits "
            f"of scikit-learn, {by_seeds(self.seeds, 'all of which are shown')}. Beyond the "
            "threshold over random batches nothing is derived (the line is that of all images), "
            "and for $d < 49$ the loss has a bound. Largest difference from what is derived: "
            + ", ".join(f"{number(off[by])} ({WAYS[by].says})" for by in self.by)
            + ".",
        )


def worst(rows: Sequence[Row], by: str) -> float:
    """The largest difference from a prediction, where there is one."""
    off = [abs(float(r["measured"]) - float(r["predicted"])) for r in rows if r["by"] == by]
    return float(np.nanmax(off))


def _panel(name: str, rows: list[Row], look: Look, first: bool) -> Panel:
    """The line of what is derived, and points for each way; ``first`` has the legend's entries."""
    study = STUDIES[name]
    own = sorted((r for r in rows if r["study"] == name), key=study.place)
    known = [r for r in own if np.isfinite(float(r["predicted"]))]
    line = {"color": "black", "linestyle": DASHES[0], "linewidth": 0.8}
    series = [_series(study, known, "predicted", "derived" * first, line)]
    for k, (by, way) in enumerate(WAYS.items()):
        some = [r for r in own if r["by"] == by]
        style = mark(look, k, linestyle="", markerfacecolor="none", markersize=4 + k)
        series.append(_series(study, some, "measured", way.says * first, style))
    sets = {"xlabel": study.axis, "xscale": "log" if study.is_log else "linear"}
    ticks = labelled(sorted({study.place(r) for r in own})) if study.is_log else None
    return Panel(study.title, study.number, series, sets, dotted=study.border, ticks=ticks)


def _series(
    study: Study, rows: Sequence[Row], column: str, says: str, style: Mapping[str, Any]
) -> Series:
    x, y = [study.place(r) for r in rows], [float(r[column]) for r in rows]
    return Series(x, y, says, style=style)

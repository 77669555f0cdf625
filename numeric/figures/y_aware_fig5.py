"""Figure 5 of vock2026unified: y-Aware on digits, and its correction by Euclidean distances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import normalize

from ..digits import STEPS, embedded, load
from ..losses import EuclideanWInfoNCE, YAware
from ..metrics import loss_gap, procrustes, procrustes_r2
from ..running.table import Row, layout
from .drawing import Experiment, Run, by_seeds, number, points, spelled
from .look import Look
from .panels import grid_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COSINE, EUCLIDEAN = "y-Aware", "Euclidean"
TITLES = {COSINE: "y-Aware, cosine", EUCLIDEAN: "y-Aware, Euclidean"}
#: Of the paper: the temperature of cosines; distances have none.
TAU = {COSINE: 0.1, EUCLIDEAN: 1.0}
GAMMA = 1.0
TOLD = ("scheme", "seed", "steps")
MEASURED = tuple(f"{part}_{name}" for part in ("train", "test") for name in ("loss_gap", "r2"))
#: The images that were held out are kept as ``label x y``, turned onto the label geometry.
COLUMNS = {
    **layout((*TOLD, *MEASURED, "dtype", "device", "points"), ("steps",)),
    "scheme": str,
    "points": str,
}


@dataclass(frozen=True)
class Grid(Experiment):
    """The cells: two losses for each seed; and how long each encoder is trained."""

    seeds: tuple[int, ...] = (0, 1, 2)
    steps: int = STEPS

    columns = COLUMNS

    def cells(self) -> list[dict[str, Any]]:
        """All cells."""
        return [{"scheme": scheme, "seed": seed} for scheme in TITLES for seed in self.seeds]

    def setup(self, run: Run) -> dict[str, float | str]:
        """How long encoders are trained."""
        return {"steps": self.steps}

    def measured(self, cell: dict[str, Any], run: Run) -> Row:
        """The metrics of a trained encoder, and where it puts the images that were held out."""
        digits = load(run.dtype)
        scheme, is_cosine = cell["scheme"], cell["scheme"] == COSINE
        loss = (YAware if is_cosine else EuclideanWInfoNCE)(TAU[scheme], gamma=GAMMA)
        options: dict[str, Any] = {"steps": self.steps, "device": run.device}
        found = embedded(digits, loss, digits.ink, 2, cell["seed"], **options)
        z, target = found.embeddings, geometry(scheme, digits.ink)
        z = normalize(z) if is_cosine else z
        row: Row = {}
        for part, which in found.parts():
            row[f"{part}_loss_gap"] = loss_gap(loss, z[which], digits.ink[which])
            row[f"{part}_r2"] = procrustes_r2(z[which], target[which])
        which = found.held_out
        turn = procrustes(z[which], target[which])
        shown = z[which] @ turn.omega + turn.b
        told = torch.cat([digits.ink[which, None].double(), shown], dim=1)
        return {**row, "points": spelled(told)}

    def drawn(self, rows: list[Row], look: Look) -> tuple[Figure, str, str]:
        """The labels, y-Aware, and its correction."""
        r2 = {
            scheme: np.array([float(row["test_r2"]) for row in rows if row["scheme"] == scheme])
            for scheme in TITLES
        }
        told = [f"1 - {1 - v.mean():.2g} for {TITLES[s]}" for s, v in r2.items()]
        short = {scheme: number(float(1 - values.mean())) for scheme, values in r2.items()}
        mean_of = " and averaged over seeds" if len(self.seeds) > 1 else ""
        seeds = by_seeds(self.seeds, "of which the first is drawn")
        return (
            _drawn(self, rows, r2, look),
            "Procrustes similarity to the labels " + ", ".join(told),
            "Embeddings in the plane of the digits of scikit-learn that were held out, by an "
            f"encoder trained with their ink, the sum of the pixels, as a continuous label, "
            f"{seeds}. (a) The "
            "geometry that attains the bound, derived from the label: a line. (b) y-Aware, with "
            "cosines: embeddings are on a circle. (c) With squared distances instead. The "
            f"Procrustes similarity to the line, measured{mean_of}, is less than 1 by "
            f"{short[COSINE]} in (b) and {short[EUCLIDEAN]} in (c).",
        )


def geometry(scheme: str, labels: Tensor) -> Tensor:
    """The points on a line whose similarities are the logarithms of the weights.

    Squared distances are -tau log w_ij; of unit vectors they are 2 - 2 cos, and twice that.
    """
    times = 2 if scheme == COSINE else 1
    return labels.double()[:, None] * (times * GAMMA * TAU[scheme]) ** 0.5


def _drawn(grid: Grid, rows: Sequence[Row], r2: dict[str, np.ndarray], look: Look) -> Figure:
    first = {
        scheme: points(next(row for row in rows if (row["scheme"], row["seed"]) == place))
        for scheme in TITLES
        for place in [(scheme, grid.seeds[0])]
    }
    label = first[EUCLIDEAN][:, 0]
    line = geometry(EUCLIDEAN, torch.as_tensor(label)).numpy()
    panels = {
        "label": np.column_stack([label, line, 0 * label]),
        **{f"{TITLES[s]}, $r^2 = {r2[s].mean():.2f}$": first[s] for s in TITLES},
    }
    columns = look.columns(len(panels), 2.0)
    side = min(2.0, (look.width - 0.6) / columns)
    height = -(-len(panels) // columns) * (side + 0.3)
    figure, axes = grid_of(look, len(panels), columns, height)
    ends = float(label.min()), float(label.max())
    for letter, ax, (title, at) in zip("abc", axes, panels.items(), strict=True):
        drawn = ax.scatter(at[:, 1], at[:, 2], c=at[:, 0], s=5, vmin=ends[0], vmax=ends[1])
        ax.set_title(f"({letter}) {title}", loc="left")
        ax.set_aspect("equal", adjustable="datalim")
    figure.colorbar(drawn, ax=axes, label="ink, standardised", pad=0.02, aspect=25)
    return figure

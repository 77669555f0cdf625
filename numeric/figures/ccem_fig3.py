"""Figure 3 of lee2024sigmoid: theory, and encoders with d = N."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

import numpy as np

from ..running.table import Row, layout
from .drawing import Run, by_seeds, number, problem_of
from .encoder import ENCODERS, train_encoders
from .look import Look
from .towers import ABOUT, Towers, draw_panels, measured_similarity, predicted_similarity, told

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TOLD = ("encoder", "N", "d", "t", "b", "seed")
MEASURED = ("similarity", "positive", "negative", "loss", "gap", "dead")
TRAINED = ("gradient_norm", "evaluations", "stop", "dtype", "device")


@dataclass(frozen=True)
class Grid(Towers):
    """Encoders take a second each, so there are fewer of them than of free embeddings."""

    items: tuple[int, ...] = (4, 6, 8, 10, 16)
    temperatures: tuple[float, ...] = tuple(round(0.4 * k, 12) for k in range(1, 11))
    seeds: tuple[int, ...] = (0,)

    columns = layout((*TOLD, *MEASURED, *TRAINED), "N")

    def cells(self) -> list[dict[str, Any]]:
        """All cells, for d = N."""
        return [
            {"encoder": encoder, "N": N, "d": N, "t": t, "b": b, "seed": seed}
            for encoder in ENCODERS
            for N in self.items
            for seed in self.seeds
            for t, b in self.points
        ]

    def solve(self, todo: list[dict[str, Any]], run: Run) -> Iterator[Row]:
        """Train the encoder of each cell."""
        options = {k: v for k, v in vars(run).items() if k != "tolerance"}
        return train_encoders(problem_of("sigmoid-optimum"), todo, **options)

    def drawn(self, rows: list[Row], look: Look) -> tuple[Figure, str, str]:
        """Theory, and a panel for each encoder."""
        theory = predicted_similarity(self)
        panels: dict[str, np.ndarray] = {"derived": theory}
        parts, letters = [], []
        names = dict.fromkeys(str(row["encoder"]) for row in rows)
        for letter, name in zip(ascii_lowercase[1:], names, strict=False):
            own = [row for row in rows if row["encoder"] == name]
            values = measured_similarity(self, own)
            kind, _, hidden = name.partition("-")
            output = {"relu": "ReLU"}.get(kind, kind)
            panels[f"{output} output, ${hidden}$ hidden units"] = values
            dead = sum(int(row["dead"]) > 0 for row in own)
            off = abs(values - theory).max()
            parts.append(f"{off:.2g} for {name}" + (f" ({dead} with dead outputs)" if dead else ""))
            letters.append(f"{number(off)} in ({letter})")
        return (
            draw_panels(self, panels, look),
            "largest difference of s from theory " + ", ".join(parts),
            f"Normalised similarity $s$ of positive pairs at the optimum of the {ABOUT}. "
            "(a) Derived. Other panels: measured on the outputs of trained encoders with $d = N$, "
            f"{by_seeds(self.seeds, 'of which the lowest loss is shown')}; the largest difference "
            f"from (a) is {', '.join(letters)}. A ReLU output has no negative entry, so that $s$ "
            f"is at least $1/2$.{told(self)}",
        )

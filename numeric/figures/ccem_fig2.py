"""Figure 2 of lee2024sigmoid: theory, towers with d = N, towers with d = N/2."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from torch import Tensor

from ...derive.structures.arrangement import Arrangement
from ...derive.structures.towers import NEGATIVE, POSITIVE
from ..problems.measure import inner_products, spreads
from ..running.table import Row, layout
from ..search.sweep import SEARCHED, sweep
from .drawing import LOOSE, Run, by_seeds, largest_gap, number, problem_of
from .look import Look
from .towers import (
    ABOUT,
    Towers,
    draw_panels,
    half,
    measured_similarity,
    predicted_similarity,
    told,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MEASURED = ("similarity", "positive", "negative", "positive_spread", "negative_spread")
COLUMNS = layout(
    ("N", "d", "t", "b", "seed", *MEASURED, *SEARCHED, "dtype", "device", "tolerance"), "N"
)


def aligned(arrangement: Arrangement, u: Tensor) -> dict[str, Tensor]:
    """The columns :data:`MEASURED`; the similarity is the paper's s."""
    means, off = inner_products(arrangement, u), spreads(arrangement, u)
    similarity = (1 + means[POSITIVE]) / 2
    found = (similarity, means[POSITIVE], means[NEGATIVE], off[POSITIVE], off[NEGATIVE])
    return dict(zip(MEASURED, found, strict=True))


@dataclass(frozen=True)
class Grid(Towers):
    """Where d is too small for the structure some starts end in local minima, hence four seeds."""

    columns = COLUMNS

    def cells(self) -> list[dict[str, Any]]:
        """All cells, those with d = N first."""
        return [
            {"N": N, "d": -(-N // 2) if small else N, "t": t, "b": b, "seed": seed}
            for small in (False, True)
            for N in self.items
            for seed in self.seeds
            for t, b in self.points
        ]

    def setup(self, run: Run) -> dict[str, float | str]:
        """How exact cells are."""
        return {"tolerance": run.limit}

    def solve(self, todo: list[dict[str, Any]], run: Run) -> Iterator[Row]:
        """Optimise each cell; where d is too small the optima are flat in many directions."""
        problem, options = problem_of("sigmoid-optimum"), vars(run)
        for small, limit in ((False, run.tolerance), (True, run.tolerance or LOOSE)):
            some = [cell for cell in todo if (cell["d"] < cell["N"]) == small]
            if some:
                yield from sweep(problem, some, measured=aligned, **options | {"tolerance": limit})

    def drawn(self, rows: list[Row], look: Look) -> tuple[Figure, str, str]:
        """Theory, towers with d = N, towers with d = N/2."""
        full = [row for row in rows if row["d"] == row["N"]]
        theory, wide = predicted_similarity(self), measured_similarity(self, full)
        tight = measured_similarity(self, [row for row in rows if row["d"] != row["N"]])
        gap, off, short = largest_gap(full), abs(wide - theory).max(), abs(tight - theory).max()
        panels = {
            r"derived, $d \geq N$": theory,
            "optimised, $d = N$": wide,
            f"optimised, {half(self)}": tight,
        }
        return (
            draw_panels(self, panels, look),
            f"largest difference of s from theory {off:.2g} for d = N (certified gap {gap:.2g}) "
            f"and {short:.2g} for d = N/2",
            f"Normalised similarity $s$ of positive pairs at the optimum of the {ABOUT}. "
            r"(a) Derived, for $d \geq N$. (b) Measured on embeddings in $d = N$ dimensions, "
            f"optimised {by_seeds(self.seeds, 'of which the lowest loss is shown')}; the largest "
            f"difference from (a) is {number(off)}, and every loss is certified to be within "
            f"{number(gap)} of the least one. (c) The same for {half(self)}, of which (a) says "
            f"nothing; they differ by up to {number(short)}.{told(self)}",
        )

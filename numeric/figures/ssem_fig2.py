"""Figure 2 of lee2025ssem: theory, optimised embeddings, and the threshold upon both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sympy import latex
from torch import Tensor

from ...derive.results import results
from ...derive.structures.arrangement import Arrangement
from ...derive.theorem.result import Result
from ..problems.measure import Variances, variances
from ..running.table import Row, layout
from ..search.sweep import SEARCHED, Cell, Chains, alike, cells, key, sweep
from .curves import POINTS, Curve, Frame, axis, solved
from .drawing import (
    LOOSE,
    Drawing,
    asked,
    by_seeds,
    in_table,
    largest_gap,
    number,
    problem_of,
    sizes,
)
from .look import PLAIN, Look
from .panels import Scale, drawn

COLUMNS = layout(
    ("alpha", "tau", "seed", *Variances._fields, *SEARCHED, "m", "n", "p", "d", "dtype", "device")
    + ("tolerance",),
    "mnp",
)
VARIANCE = "within-class variance"
#: How far from its limit a value is told from it after the rounding of a logarithm.
FAR = 1e-9
#: Chains of cells begin at an optimum that is the same for all temperatures, where it is easy to
#: find. (From random starts, temperatures of 0.05 and less are hard for every method: classes
#: barely feel each other, and the loss becomes a narrow bent valley.)
CHAINS = Chains("alpha", {"alpha": 1.0, "tau": 0.5})


@dataclass(frozen=True)
class Grid:
    """The cells of a figure and the sizes of its embeddings."""

    m: int = 10
    n: int = 10
    p: int = 2
    d: int = 100
    alphas: tuple[float, ...] = tuple(k / 19 for k in range(20))
    taus: tuple[float, ...] = tuple(0.05 * k for k in range(1, 21))
    seeds: tuple[int, ...] = (0,)

    @property
    def sizes(self) -> dict[str, int]:
        """Sizes and dimension."""
        return {"m": self.m, "n": self.n, "p": self.p, "d": self.d}

    def cells(self) -> list[dict[str, float | int]]:
        """All cells; the largest temperature, which is easiest, comes first."""
        falling = sorted(self.taus, reverse=True)
        return cells(tau=falling, seed=self.seeds, alpha=self.alphas, **self.sizes)


def spread(arrangement: Arrangement, u: Tensor) -> dict[str, Tensor]:
    """What is measured, by column."""
    return variances(arrangement, u)._asdict()


def measure(
    grid: Grid,
    path: Path,
    *,
    dtype: torch.dtype = torch.float64,
    cold: bool = False,
    tolerance: float | None = None,
    **options: Any,
) -> list[Row]:
    """Optimise every cell that the table lacks; ``options`` are those of a sweep."""
    setup: dict[str, float | str] = {**grid.sizes, "tolerance": asked(tolerance)}
    if tolerance is None and grid.d < grid.m * grid.n - 1:
        tolerance = LOOSE
    options |= {"chains": None if cold else CHAINS, "tolerance": tolerance, "dtype": dtype}
    problem = problem_of("supcl-optimum")

    def solve(todo: list[Cell]) -> Iterator[Row]:
        return sweep(problem, todo, measured=spread, **options)

    return in_table(path, COLUMNS, grid.cells(), solve, dtype, **setup)


def predicted(grid: Grid) -> np.ndarray:
    """Derived within-class variance, ``(taus, alphas)``."""
    f = results["supcl-optimum"].function("within_class_variance")
    alpha, tau = np.array(grid.alphas)[None, :], np.array(grid.taus)[:, None]
    return np.asarray(f(m=grid.m, n=grid.n, alpha=alpha, tau=tau))


def measured(grid: Grid, rows: Sequence[Row]) -> np.ndarray:
    """Measured within-class variance averaged over seeds, ``(taus, alphas)``."""
    place = ("tau", "alpha")
    found = {
        key(same[0], place): np.mean([float(row["within"]) for row in same])
        for same in alike(rows, place)
    }
    return np.array(
        [[found[key({"alpha": a, "tau": t}, place)] for a in grid.alphas] for t in grid.taus]
    )


def borders(grid: Grid, alpha: Scale, tau: Scale) -> list[Curve]:
    """The threshold in both readings, each from its own formula: alpha over tau, tau over alpha."""
    of, fixed = results["supcl-threshold"], {"m": grid.m, "n": grid.n, "p": grid.p}
    on = Frame("alpha", "tau", alpha.ends, tau.ends, fixed)
    least = solved(of, "alpha_min", on)
    # At small temperatures the curve is steep, and alpha is its limit to more digits than floats
    # have; elsewhere it is sampled as the other one is.
    steep = least.x[least.x > of.function("alpha_min_tau_0")(n=grid.n) + FAR]
    at = np.unique(np.concatenate([np.linspace(*alpha.ends, POINTS), steep]))
    return [least, solved(of, "tau_max", on, at)]


def draw(grid: Grid, path: Path, *, look: Look = PLAIN, **options: Any) -> Drawing:
    """Measure what is missing, and draw it: theory, embeddings, and the threshold."""
    rows = measure(grid, path, **options)
    theory, found, gap = predicted(grid), measured(grid, rows), largest_gap(rows)
    of = results["supcl-threshold"]
    alpha = Scale(grid.alphas, axis("alpha", of), 0, 1)
    tau = Scale(grid.taus, axis("tau", of), 0)
    curves = borders(grid, alpha, tau)
    about = f"SupCL loss, {sizes({'m': grid.m, 'n': grid.n, 'p': grid.p})}"
    derived = [f"derived {c.label}" for c in curves]
    panels = {"derived": theory, f"optimised, $d = {grid.d}$": found}
    worst = float(abs(found - theory).max())
    mean = by_seeds(grid.seeds, "averaged over")
    return Drawing(
        drawn(look, alpha, tau, panels, list(zip(curves, derived, strict=True)), about, VARIANCE),
        look,
        rows,
        f"largest difference from theory {worst:.2g}, largest certified gap {gap:.2g}",
        f"Within-class variance at the optimum of the {about}. (a) Derived. (b) Measured on "
        f"embeddings in $d = {grid.d}$ dimensions, optimised {mean}; the largest difference "
        f"from (a) is {number(worst)}{_spread(rows)}, and every loss is certified to be within "
        f"{number(gap)} of the least one. Curves: the derived threshold, in both readings; "
        r"classes collapse where $\alpha \leq \alpha_{\min}(\tau)$, that is where "
        r"$\tau \geq \tau_{\max}(\alpha)$; " + _always(of),
    )


def _always(of: Result) -> str:
    """Where there is no largest temperature, as the theorem says it."""
    domain = of.quantity("tau_max").domain
    (alpha,) = (s for s in of.parameters if s.name == "alpha")
    assert domain is not None
    least = latex(domain.ranges[alpha].low, fold_short_frac=True)
    return rf"for ${latex(alpha)} \leq {least}$ they do at every temperature."


def _spread(rows: Sequence[Row]) -> str:
    """How much seeds differ, if there are several."""
    same = [[float(row["within"]) for row in group] for group in alike(rows, ("tau", "alpha"))]
    most = max(max(values) - min(values) for values in same)
    return f", seeds differ by at most {number(most)}" if max(map(len, same)) > 1 else ""

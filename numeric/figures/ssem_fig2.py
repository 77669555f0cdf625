"""Figure 2 of lee2025ssem: theory, optimised embeddings, and the threshold upon both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sympy import latex
from torch import Tensor

from ...derive.results import results
from ...derive.structures.arrangement import Arrangement
from ...derive.theorem.result import Result
from ..problems.measure import Variances, variances
from ..running.table import Row, alike, key, layout
from ..search.sweep import SEARCHED, Chains, cells, sweep
from .curves import POINTS, Curve, Frame, axis, solved
from .drawing import (
    LOOSE,
    Experiment,
    Run,
    by_seeds,
    certified,
    largest_gap,
    number,
    problem_of,
    sizes,
)
from .look import Look
from .panels import Scale, drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
class Grid(Experiment):
    """The cells of a figure and the sizes of its embeddings; ``cold`` cells start from seeds."""

    m: int = 10
    n: int = 10
    p: int = 2
    d: int = 100
    alphas: tuple[float, ...] = tuple(k / 19 for k in range(20))
    taus: tuple[float, ...] = tuple(0.05 * k for k in range(1, 21))
    seeds: tuple[int, ...] = (0,)
    cold: bool = False

    columns = COLUMNS
    joint = ("tau", "seed")

    @property
    def sizes(self) -> dict[str, int]:
        """Sizes and dimension."""
        return {"m": self.m, "n": self.n, "p": self.p, "d": self.d}

    def cells(self) -> list[dict[str, Any]]:
        """All cells; the largest temperature, which is easiest, comes first."""
        falling = sorted(self.taus, reverse=True)
        return cells(tau=falling, seed=self.seeds, alpha=self.alphas, **self.sizes)

    def setup(self, run: Run) -> dict[str, float | str]:
        """Sizes, and how exact cells are."""
        return {**self.sizes, "tolerance": run.limit}

    def solve(self, todo: list[dict[str, Any]], run: Run) -> Iterator[Row]:
        """Optimise each cell, by default from its neighbours."""
        is_loose = run.tolerance is None and self.d < self.m * self.n - 1
        options = vars(run) | ({"tolerance": LOOSE} if is_loose else {})
        chains = None if self.cold else CHAINS
        problem = problem_of("supcl-optimum")
        return sweep(problem, todo, measured=spread, chains=chains, **options)

    def drawn(self, rows: list[Row], look: Look) -> tuple[Figure, str, str]:
        """Theory, embeddings, and the threshold."""
        theory, found, gap = predicted(self), measured(self, rows), largest_gap(rows)
        result = results["supcl-threshold"]
        alpha = Scale(self.alphas, axis("alpha", result), 0, 1)
        tau = Scale(self.taus, axis("tau", result), 0)
        curves = [(c, f"derived {c.label}") for c in borders(self, alpha, tau)]
        about = f"SupCL loss, {sizes({'m': self.m, 'n': self.n, 'p': self.p})}"
        panels = {"derived": theory, f"optimised, $d = {self.d}$": found}
        worst = float(abs(found - theory).max())
        mean = by_seeds(self.seeds, "averaged over")
        return (
            drawn(look, alpha, tau, panels, curves, about, VARIANCE),
            f"largest difference from theory {worst:.2g}, {certified(gap)}",
            f"Within-class variance at the optimum of the {about}. (a) Derived. (b) Measured on "
            f"embeddings in $d = {self.d}$ dimensions, optimised {mean}; the largest difference "
            f"from (a) is {number(worst)}{_spread(rows)}, and every loss is certified to be within "
            f"{number(gap)} of the least one. Curves: the derived threshold, in both readings; "
            r"classes collapse where $\alpha \leq \alpha_{\min}(\tau)$, that is where "
            r"$\tau \geq \tau_{\max}(\alpha)$; " + _always(result),
        )


def spread(arrangement: Arrangement, u: Tensor) -> dict[str, Tensor]:
    """What is measured, by column."""
    return variances(arrangement, u)._asdict()


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
    result, fixed = results["supcl-threshold"], {"m": grid.m, "n": grid.n, "p": grid.p}
    on = Frame("alpha", "tau", alpha.ends, tau.ends, fixed)
    least = solved(result, "alpha_min", on)
    # At small temperatures the curve is steep, and alpha is its limit to more digits than floats
    # have; elsewhere it is sampled as the other one is.
    steep = least.x[least.x > result.function("alpha_min_tau_0")(n=grid.n) + FAR]
    at = np.unique(np.concatenate([np.linspace(*alpha.ends, POINTS), steep]))
    return [least, solved(result, "tau_max", on, at)]


def _always(result: Result) -> str:
    """Where there is no largest temperature, as the theorem says it."""
    domain = result.quantity("tau_max").domain
    (alpha,) = (s for s in result.parameters if s.name == "alpha")
    assert domain is not None
    least = latex(domain.ranges[alpha].low, fold_short_frac=True)
    return rf"for ${latex(alpha)} \leq {least}$ they do at every temperature."


def _spread(rows: Sequence[Row]) -> str:
    """How much seeds differ, if there are several."""
    same = [[float(row["within"]) for row in group] for group in alike(rows, ("tau", "alpha"))]
    most = max(max(values) - min(values) for values in same)
    return f", seeds differ by at most {number(most)}" if max(map(len, same)) > 1 else ""

"""Figure 4 of vock2026unified: cosines of SupCon and Soft SupCon for classes of unequal sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

import numpy as np
from sympy import Expr, Rational, exp, latex

from ...derive.results import results
from ..running.table import Layout, Row, layout
from ..search import minimise
from .drawing import Experiment, Run, by_seeds, certified, largest_gap, number
from .look import Look
from .panels import bar_beside, grid_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Sizes = tuple[int, ...]
#: Ten classes: equal; two sizes; five; and all different, 1:2:...:10.
COLUMNS: tuple[Sizes, ...] = (
    (8,) * 10,
    (2,) * 5 + (10,) * 5,
    (2, 2, 4, 4, 6, 6, 8, 8, 10, 10),
    (2, 4, 6, 8, 10, 12, 14, 16, 18, 20),
)
#: Of the paper.
TAU, EPSILON = Rational(1, 10), exp(-1)
HARD, SOFT = "SupCon", "Soft SupCon"
#: Inches of a row of maps that are no map, and of the figure beside and beneath them.
_AROUND, _BAR = 0.62, 0.75


@dataclass(frozen=True)
class Grid(Experiment):
    """The cells: a column for each of the ``sizes``, a row for each loss.

    Attributes
    ----------
    sizes
        Samples of each class, two or more; all of as many classes.
    tau
        Of SupCon. Soft SupCon has its critical temperature.
    """

    sizes: tuple[Sizes, ...] = COLUMNS
    tau: Expr = TAU
    seeds: tuple[int, ...] = (0,)

    def __post_init__(self) -> None:
        counts = {len(some) for some in self.sizes}
        if len(counts) != 1:
            raise ValueError("all columns must have the same number of classes")
        if min(counts) < 2 or min(map(min, self.sizes)) < 2:
            raise ValueError("a column has two or more classes of two or more samples each")
        if len(set(self.sizes)) != len(self.sizes):
            raise ValueError("two columns have the same sizes")

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self.sizes[0])

    @property
    def tau_critical(self) -> Expr:
        """The temperature at which the simplex is optimal for any sizes, as derived."""
        result = results["soft-supcon"]
        found: Expr = result.at("tau_critical", result.point(C=self.classes, epsilon=EPSILON))
        return found

    def loss(self, scheme: object) -> tuple[Expr, Expr]:
        """Weight of pairs of different classes, and temperature."""
        return (Rational(0), self.tau) if scheme == HARD else (EPSILON, self.tau_critical)

    def cells(self) -> list[dict[str, Any]]:
        """A cell for each map and seed."""
        return [
            {
                "scheme": scheme,
                "sizes": spelled(sizes),
                "epsilon": float(self.loss(scheme)[0]),
                "tau": float(self.loss(scheme)[1]),
                "d": self.classes,
                "seed": seed,
            }
            for scheme in (HARD, SOFT)
            for sizes in self.sizes
            for seed in self.seeds
        ]

    @property
    def columns(self) -> Layout:
        """Columns of a table: the cell, how it was found, and means of cosines by classes."""
        told = ("scheme", "sizes", "epsilon", "tau", "d", "seed")
        found = ("loss", "gap", "difference", "spread", "gradient_norm", "evaluations", "stop")
        names = (*told, *found, "dtype", "device", "tolerance", *self.means())
        return {**layout(names, ()), "scheme": str, "sizes": str}

    def means(self) -> list[str]:
        """Columns of the means, first class by class, then a class with itself."""
        k = range(1, self.classes + 1)
        return [f"cos_{i}_{j}" for i in k for j in k if i <= j]

    def setup(self, run: Run) -> dict[str, float | str]:
        """How exact cells are."""
        return {"tolerance": run.limit}

    def measured(self, cell: dict[str, Any], run: Run) -> Row:
        """Embeddings of one cell, optimised."""
        expected = derived(self, cell["scheme"], cell["sizes"])
        sizes = parsed(cell["sizes"])
        soft = cell["scheme"] == SOFT
        problem = (
            results["soft-supcon" if soft else "supcon-imbalanced"].with_inputs(sizes=sizes).problem
        )
        assert problem is not None
        found = minimise(
            problem,
            {"tau": cell["tau"], **({"epsilon": cell["epsilon"]} if soft else {})},
            d=cell["d"],
            seeds=cell["seed"],
            tolerance=run.tolerance,
            straighten_after=None,  # which would bring it to an optimum that the engine found
            dtype=run.dtype,
            device=run.device,
        )
        u = found.embeddings[0].double().cpu().numpy()
        cosines = np.clip(u @ u.T, -1.0, 1.0)
        np.fill_diagonal(cosines, 1.0)
        # The orbits of points are the sizes, the smallest first.
        label = np.repeat(np.argsort(sizes, kind="stable"), np.sort(sizes))
        row: Row = {}
        off, spread = 0.0, 0.0
        for i in range(len(sizes)):
            for j in range(i, len(sizes)):
                block = cosines[np.ix_(label == i, label == j)]
                if i == j:  # a point with itself says nothing
                    block = block[~np.eye(len(block), dtype=bool)]
                row[f"cos_{i + 1}_{j + 1}"] = float(block.mean())
                spread = max(spread, float(np.ptp(block)))
                off = max(off, float(abs(block - expected[i, j]).max()))
        (searched,) = found.rows({})
        return {**row, "difference": off, "spread": spread, **searched}

    def drawn(self, rows: list[Row], look: Look) -> tuple[Figure, str, str]:
        """SupCon above, Soft SupCon beneath."""
        by_loss = sorted(rows, key=lambda row: float(row["loss"]), reverse=True)
        best = {(str(row["scheme"]), str(row["sizes"])): row for row in by_loss}
        shown = [best[scheme, spelled(sizes)] for scheme in (HARD, SOFT) for sizes in self.sizes]
        off = {
            s: max(float(r["difference"]) for r in shown if r["scheme"] == s) for s in (HARD, SOFT)
        }
        spread, most = max(float(row["spread"]) for row in shown), largest_gap(shown)
        beta = latex(Rational(-1, self.classes - 1), fold_short_frac=True)
        return (
            _drawn(self, shown, look),
            f"largest difference of cosines from theory {off[HARD]:.2g} for SupCon and "
            f"{off[SOFT]:.2g} for Soft SupCon, {certified(most)}",
            f"Cosines measured on embeddings of {self.classes} classes in $d = {self.classes}$ "
            "dimensions, optimised "
            f"{by_seeds(self.seeds, 'of which the lowest loss is shown')}, for sizes of classes in "
            f"the proportions of each column. Above: SupCon at $\\tau = {_told(self.tau)}$. "
            rf"Beneath: Soft SupCon with $\varepsilon = {_told(EPSILON)}$ at its derived "
            rf"critical temperature $\tau = {_told(self.tau_critical)}$. Grey is ${beta}$, the "
            "cosine of the regular simplex, black a class with itself. Every block has the colour "
            f"of its mean; cosines in it differ by at most {number(spread)}. The largest "
            f"difference from the derived cosines is {number(off[HARD])} above and "
            f"{number(off[SOFT])} beneath, and every loss is certified to be within "
            f"{number(most)} of the least one.",
        )


def spelled(sizes: Sequence[int]) -> str:
    """Sizes in a table."""
    return ":".join(map(str, sizes))


def parsed(sizes: object) -> list[int]:
    """And read again."""
    return [int(k) for k in str(sizes).split(":")]


@cache
def derived(grid: Grid, scheme: str, sizes: str) -> np.ndarray:
    """The derived cosines of classes, ``(C, C)``."""
    epsilon, tau = grid.loss(scheme)
    at = {"sizes": parsed(sizes), "tau": tau}
    if scheme == HARD:
        found = results["supcon-imbalanced"].value("cosines", **at)
    else:
        found = results["soft-supcon"].value("cosines", epsilon=epsilon, **at)
    return np.array(found, dtype=np.float64)


def blocks(grid: Grid, row: Row) -> np.ndarray:
    """The means of cosines by classes, ``(C, C)``."""
    k = grid.classes
    found = np.ones((k, k))
    for (i, j), name in zip(zip(*np.triu_indices(k), strict=True), grid.means(), strict=True):
        found[i, j] = found[j, i] = float(row[name])
    return found


def _told(value: Expr) -> str:
    return str(latex(value, fold_short_frac=True))


def _proportions(sizes: Sizes) -> str:
    """1:2:...:10, or 5 of 1, 5 of 5."""
    least = np.gcd.reduce(sizes)
    parts = [int(k // least) for k in sizes]
    if len(set(parts)) == 1:
        return "equal"
    if parts == [*range(1, len(parts) + 1)] and len(parts) > 3:
        return rf"$1:2:\cdots:{len(parts)}$"
    distinct = sorted(set(parts))
    times = {parts.count(k) for k in distinct}
    if len(times) == 1:
        told = map(str, distinct if len(distinct) < 6 else (*distinct[:2], r"\cdots", distinct[-1]))
        each = times.pop()
        return "$" + ":".join(told) + "$" + (f", {each} each" if each > 1 else "")
    return f"${min(parts)}$ to ${max(parts)}$"


def _drawn(grid: Grid, shown: Sequence[Row], look: Look) -> Figure:
    import matplotlib
    from matplotlib.colors import CenteredNorm

    # An odd number of colours: the simplex has the one in the middle, also when rounded.
    # A class with itself is off the scale, and black.
    colours = matplotlib.colormaps["coolwarm"].resampled(255).with_extremes(over="black")
    beta = -1 / (grid.classes - 1)
    maps = [blocks(grid, row) for row in shown]
    apart = ~np.eye(grid.classes, dtype=bool)
    # Between classes cosines differ by little.
    reach = max(0.02, *(float(abs(m[apart] - beta).max()) for m in maps))
    columns = look.columns(len(grid.sizes), 1.3)
    lines = -(-len(grid.sizes) // columns)
    side = (look.width - _BAR) / columns
    height = 2 * lines * (side + _AROUND - 0.2)
    figure, axes = grid_of(look, 2 * lines * columns, columns, height)
    for ax in axes:
        ax.set_visible(False)
    for k, (row, values) in enumerate(zip(shown, maps, strict=True)):
        below, at = divmod(k, len(grid.sizes))
        ax = axes[below * lines * columns + at]
        ax.set_visible(True)
        sizes = grid.sizes[at]
        ends = np.cumsum([0, *sizes])
        style: dict[str, Any] = {"cmap": colours, "norm": CenteredNorm(beta, reach)}
        image = ax.pcolormesh(ends, ends, values, edgecolors="face", linewidth=0.2, **style)
        ax.set(aspect="equal", xlim=(0, ends[-1]), ylim=(ends[-1], 0), xticks=[], yticks=[])
        ax.set_title(f"({ascii_lowercase[k % 26]}) {_proportions(sizes)}", loc="left")
        ax.set_xlabel(f"off by {number(float(row['difference']))}\ngap {number(float(row['gap']))}")
        if at % columns == 0:
            ax.set_ylabel(str(row["scheme"]))
    bar_beside(figure, image, axes, "cosine", extend="max", pad=0.02, aspect=30)
    return figure

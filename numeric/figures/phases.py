"""Which structure is optimal over two parameters of a loss, and embeddings optimised beneath."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
import torch
from sympy import Expr, Rational, Symbol
from torch import Tensor

from ...derive.decide.domain import DomainError, Range
from ...derive.decide.exact import exact
from ...derive.problems.problem import Problem
from ...derive.proof.derivation import StepFailed
from ...derive.results import results
from ...derive.structures.arrangement import Arrangement, arrange
from ..measure import shares
from ..problems import parameter_names
from ..problems.parameters import size_names
from ..reduced import InvariantLoss
from ..sweep import SEARCHED, Cell, sweep
from ..table import Layout, Row, layout
from ..verify.points import base_values, typical_sizes
from .drawing import Drawing, asked, in_table, largest_gap

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: A share of the trace that counts as occupied in optimised embeddings: right at a border they
#: are found to 1e-7 only (see TOLERANCE of the search), and elsewhere much better.
OCCUPIED = 1e-5
#: Cells of the map, in each direction, that are compared with the exact answer.
EXACT = 2


@dataclass(frozen=True)
class Plane:
    """Two parameters of a loss, with everything else fixed.

    Attributes
    ----------
    problem
        The loss.
    values
        Sizes and parameters by name, exact; those of ``x`` and ``y`` play no part.
    x, y
        Names of the parameters, and their ranges.
    points
        How many values of each have embeddings optimised.
    fine
        How many cells the map has in each direction.
    seeds
        Seeds of the embeddings.
    d
        Their dimension; by default two more than all structures need.
    """

    problem: Problem
    values: Mapping[str, Any]
    x: str
    y: str
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    points: tuple[int, int] = (8, 8)
    fine: int = 120
    seeds: tuple[int, ...] = (0,)
    given_d: int | None = None

    @cached_property
    def arrangement(self) -> Arrangement:
        """The structure at its sizes."""
        sizes = {k: int(exact(self.values[k])) for k in size_names(self.problem)}
        return arrange(self.problem.structure, sizes)

    @cached_property
    def loss(self) -> InvariantLoss:
        """The loss over shares."""
        return InvariantLoss(self.problem, self.arrangement)

    @property
    def fixed(self) -> dict[str, float]:
        """Parameters that are the same everywhere."""
        names = parameter_names(self.problem)
        return {k: float(exact(self.values[k])) for k in names if k not in (self.x, self.y)}

    def faces(self, xs: Sequence[float], ys: Sequence[float]) -> list[tuple[str, ...]]:
        """The optimal face at pairs of values."""
        at = {**self.fixed, self.x: np.asarray(xs), self.y: np.asarray(ys)}
        return self.loss.least(**at).faces()

    def axes(self, counts: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        """Values in the middle of cells, so that no end of a range is reached."""
        (a, b), (c, d), (m, n) = self.x_range, self.y_range, counts
        i, j = (np.arange(m) + 0.5) / m, (np.arange(n) + 0.5) / n
        return a + (b - a) * i, c + (d - c) * j

    @cached_property
    def map(self) -> list[tuple[str, ...]]:
        """Faces of the fine grid, row by row from the lowest y."""
        xs, ys = self.axes((self.fine, self.fine))
        x, y = np.meshgrid(xs, ys)
        return self.faces(x.ravel(), y.ravel())

    @property
    def d(self) -> int:
        """Dimension of the embeddings."""
        there = set().union(*self.map)
        rank = sum(k for e, k in self.arrangement.dimensions.items() if e in there)
        return self.given_d or max(rank + 2, 3)

    def cells(self) -> list[dict[str, float | int]]:
        """Where embeddings are optimised."""
        xs, ys = self.axes(self.points)
        return [
            {**self.arrangement.sizes, **self.fixed, self.x: float(f"{x:.12g}")}
            | {self.y: float(f"{y:.12g}"), "d": self.d, "seed": seed}
            for y in ys
            for x in xs
            for seed in self.seeds
        ]

    def columns(self) -> Layout:
        """Columns of the table: what tells cells apart, shares, and how searches went."""
        told = list(self.cells()[0])
        parts = [f"share_{e}" for e in self.arrangement.dimensions]
        names = [*told, *parts, *SEARCHED, "dtype", "device", "tolerance", "problem"]
        return layout(names, list(self.arrangement.sizes))


def plane(
    problem: Problem,
    given: Mapping[str, Any],
    x: str | None = None,
    y: str | None = None,
    ranges: Mapping[str, tuple[float, float] | None] | None = None,
    **more: Any,
) -> Plane:
    """The plane of two parameters of a loss; what is not given takes small defaults.

    ``ranges`` has those of the axes ``x`` and ``y``.

    Raises
    ------
    DomainError
        For a name that the loss does not have, or a value that it does not take; one line.
    """
    sizes, names = size_names(problem), parameter_names(problem)
    symbols = {s.name: s for s in problem.domain.ranges}
    for name in given:
        if name not in (*sizes, *names):
            takes = ", ".join((*sizes, *names))
            raise DomainError(f"{problem.loss.name} has no parameter {name}; it takes {takes}")
    free = [name for name in names if name not in given]
    chosen = [name for name in (x, y) if name is not None]
    for name in chosen:
        if name not in names:
            raise DomainError(
                f"{name} is no parameter of {problem.loss.name} to draw over; there are "
                f"{', '.join(names) or 'none'}"
            )
    chosen += [name for name in free if name not in chosen][: 2 - len(chosen)]
    for name in chosen:
        if name in given:
            raise DomainError(f"{name} is drawn over, so it takes no value of its own")
    if len(chosen) < 2 or chosen[0] == chosen[1]:
        raise DomainError(
            f"a map needs two parameters of {problem.loss.name}; there are "
            f"{', '.join(names) or 'none'}"
        )
    *_, (typical, _) = typical_sizes(sizes, given, problem.domain)
    values = {**typical, **base_values([symbols[k] for k in names], problem.domain, given)}
    at = {symbols[k]: exact(v) for k, v in values.items() if k in symbols}
    problem.domain.check(at)
    for symbol, v in at.items():
        if not v.is_finite:
            raise DomainError(f"embeddings are optimised at numbers: {symbol} cannot be {v}")
    limits = []
    for axis, name in zip("xy", chosen, strict=True):
        ends = _ends(problem.domain.ranges[symbols[name]], at, chosen)
        if ends.low.free_symbols | ends.high.free_symbols:
            raise DomainError(f"{name} must be {ends}: {' and '.join(chosen)} make no map")
        low, high = (ranges or {}).get(axis) or _range(ends, problem.domain.witness[symbols[name]])
        if not (ends.low <= low < high <= ends.high):
            raise DomainError(f"{name} must be {ends}, which {low:g}:{high:g} is not")
        limits.append((low, high))
    return Plane(problem, values, chosen[0], chosen[1], limits[0], limits[1], **more)


def _ends(r: Range, at: Mapping[Symbol, Expr], chosen: Sequence[str]) -> Range:
    """A range with its ends at what is fixed."""
    fixed = {s: v for s, v in at.items() if s.name not in chosen}
    return replace(r, low=r.low.xreplace(fixed), high=r.high.xreplace(fixed))


def _range(ends: Range, witness: Expr) -> tuple[float, float]:
    """What of a parameter is drawn when nothing is said."""
    low, high = float(ends.low), float(ends.high)
    if np.isfinite(high) or not np.isfinite(low):
        return (low, high) if np.isfinite([low, high]).all() else (-5.0, 5.0)
    return low, low + 2 * (float(witness) - low)


def shares_of(arrangement: Arrangement, u: Tensor) -> dict[str, Tensor]:
    """The columns of shares."""
    return {f"share_{e}": s for e, s in shares(arrangement, u).items()}


def face_of(row: Row) -> tuple[str, ...]:
    """The eigenspaces that are occupied in a row."""
    parts = {k.removeprefix("share_"): v for k, v in row.items() if k.startswith("share_")}
    return tuple(e for e, share in parts.items() if float(share) > OCCUPIED)


def _name(problem: Problem) -> str:
    """What tells a loss on a structure from all others, also from those of the same name."""
    loss, relations = problem.loss, problem.structure.relations
    told = [loss.terms, getattr(loss, "temperature", None), [(r.name, r.count) for r in relations]]
    return f"{loss.name} {crc32(repr(told).encode()):08x}"


def measure(
    on: Plane,
    path: Path,
    *,
    dtype: torch.dtype = torch.float64,
    tolerance: float | None = None,
    **options: Any,
) -> list[Row]:
    """Optimise every cell that the table lacks; ``options`` are those of a sweep."""
    options |= {"tolerance": tolerance, "dtype": dtype}

    def solve(todo: list[Cell]) -> Iterator[Row]:
        return sweep(on.problem, todo, measured=shares_of, **options)

    setup = {**on.arrangement.sizes, **on.fixed, "d": on.d}
    told = {"tolerance": asked(tolerance), "problem": _name(on.problem)}
    return in_table(path, on.columns(), on.cells(), solve, dtype, **setup, **told)


def mismatched(on: Plane, rows: Sequence[Row]) -> list[Row]:
    """Rows whose structure is not the one that is optimal there."""
    faces = on.faces([float(r[on.x]) for r in rows], [float(r[on.y]) for r in rows])
    return [row for row, face in zip(rows, faces, strict=True) if face_of(row) != face]


def against_exact(on: Plane, count: int = EXACT) -> tuple[int, int, int]:
    """Few cells of the map: at how many the exact answer is the same, is undecided; all of them."""
    whole = results["phases"].given(loss=on.problem)
    xs, ys = on.axes((count, count))
    right = undecided = 0
    for x in xs:
        for y in ys:
            at = {on.x: Rational(f"{x:.4g}"), on.y: Rational(f"{y:.4g}")}
            (face,) = on.faces([float(at[on.x])], [float(at[on.y])])
            try:
                exactly = whole.value("structure", **{**on.values, **at})
            except (DomainError, StepFailed):
                undecided += 1
            else:
                right += str(exactly) == "+".join(face)
    return right, undecided, count * count


def draw(on: Plane, path: Path, **options: Any) -> Drawing:
    """Measure what is missing; what there is to draw, and to say of it."""
    rows = measure(on, path, **options)
    wrong = mismatched(on, rows)
    right, undecided, tried = against_exact(on)
    unknown = f", and undecided at {undecided}" if undecided else ""
    return Drawing(
        figure(on, rows),
        rows,
        f"{len(wrong)} with another structure than the map, largest certified gap "
        f"{largest_gap(rows):.2g}; the exact answer is that of the map at {right} of {tried} "
        f"places{unknown}",
    )


def figure(on: Plane, rows: Sequence[Row]) -> Figure:
    """The map, and optimised embeddings as points in the colour of their structure."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    found = [face_of(row) for row in rows]
    faces = list(dict.fromkeys([*on.map, *found]))
    faces.sort(key=lambda face: (-on.map.count(face), face))
    number = {face: k for k, face in enumerate(faces)}
    colours = [colormaps["tab10"](k % 10) for k in range(len(faces))]
    xs, ys = on.axes((on.fine, on.fine))
    codes = np.array([number[face] for face in on.map]).reshape(on.fine, on.fine)
    figure = Figure(figsize=(7.2, 5.4), layout="constrained")
    ax = figure.subplots()
    ax.pcolormesh(
        xs,
        ys,
        codes,
        cmap=ListedColormap(colours),
        vmin=-0.5,
        vmax=len(faces) - 0.5,
        alpha=0.45,
        shading="nearest",
    )
    ax.scatter(
        [float(row[on.x]) for row in rows],
        [float(row[on.y]) for row in rows],
        c=[colours[number[face]] for face in found],
        edgecolors="black",
        s=28,
    )
    handles = [
        Line2D([], [], marker="o", linestyle="", color=colours[k], label=" + ".join(face))
        for k, face in enumerate(faces)
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=min(3, len(handles)))
    ax.set_xlabel(on.x)
    ax.set_ylabel(on.y)
    at = {k: v for k, v in on.values.items() if k not in (on.x, on.y)}
    where = ", ".join(f"{k} = {v}" for k, v in at.items())
    ax.set_title(f"{on.problem.loss.title}\n{where}; points: optimised, d = {on.d}")
    return figure

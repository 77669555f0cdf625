"""Which structure is optimal over two parameters of a loss, and embeddings optimised beneath."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
from sympy import Rational
from torch import Tensor

from ...derive.decide.domain import DomainError
from ...derive.problems.problem import Problem
from ...derive.proof.derivation import StepFailed
from ...derive.results import results
from ...derive.structures.arrangement import Arrangement
from ..problems.measure import shares
from ..running.table import Layout, Row, layout
from ..search.sweep import SEARCHED, sweep
from .cells import Cells
from .drawing import Experiment, Run, by_seeds, certified, largest_gap, number
from .look import Look
from .phase_map import about, picture
from .plane import OCCUPIED, Plane, face_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Cells of the map, in each direction, that are compared with the exact answer.
EXACT = 2


def shares_of(arrangement: Arrangement, u: Tensor) -> dict[str, Tensor]:
    """The columns of shares."""
    return {f"share_{e}": s for e, s in shares(arrangement, u).items()}


def _name(problem: Problem) -> str:
    """What tells a loss on a structure from all others, also from those of the same name."""
    loss, relations = problem.loss, problem.structure.relations
    told = [loss.terms, getattr(loss, "temperature", None), [(r.name, r.count) for r in relations]]
    return f"{loss.name} {crc32(repr(told).encode()):08x}"


@dataclass(frozen=True)
class Grid(Experiment):
    """The places of a plane at which embeddings are optimised."""

    on: Plane

    @property
    def columns(self) -> Layout:
        """What tells cells apart, shares, and how searches went."""
        told = list(self.on.cells()[0])
        parts = [f"share_{e}" for e in self.on.arrangement.dimensions]
        names = [*told, *parts, *SEARCHED, "dtype", "device", "tolerance", "problem"]
        return layout(names, list(self.on.arrangement.sizes))

    def cells(self) -> list[dict[str, Any]]:
        """All of them."""
        return self.on.cells()

    def setup(self, run: Run) -> dict[str, float | str]:
        """What is fixed, how exact cells are, and the loss."""
        at = {**self.on.arrangement.sizes, **self.on.fixed, "d": self.on.d}
        return {**at, "tolerance": run.limit, "problem": _name(self.on.problem)}

    def solve(self, todo: list[dict[str, Any]], run: Run) -> Iterator[Row]:
        """Optimise embeddings of each cell."""
        return sweep(self.on.problem, todo, measured=shares_of, **vars(run))

    def drawn(self, rows: list[Row], look: Look) -> tuple[Figure, str, str]:
        """The map with the optimised embeddings, and what agrees."""
        on, known = self.on, Cells(self.on)
        flat = known.flat(*_places(on, rows)).tolist()
        sure = [row for row, unsure in zip(rows, flat, strict=True) if not unsure]
        wrong = mismatched(on, sure)
        right, undecided, tried = against_exact(on)
        unknown = f", and undecided at {undecided}" if undecided else ""
        untold = len(rows) - len(sure)
        return (
            picture(known, rows, flat, [row in wrong for row in rows], look),
            f"{len(wrong)} with another structure than the map, {certified(largest_gap(rows))}"
            f"; the exact answer agrees with the map at {right} of {tried} "
            f"places{unknown}"
            + (f"; at {untold} points float64 does not tell structures apart" if untold else ""),
            caption(known, rows, len(wrong), untold),
        )


def mismatched(on: Plane, rows: Sequence[Row]) -> list[Row]:
    """Rows whose structure is not the one that is optimal there."""
    faces = on.faces([float(r[on.x]) for r in rows], [float(r[on.y]) for r in rows])
    return [row for row, face in zip(rows, faces, strict=True) if face_of(row) != face]


def against_exact(on: Plane, count: int = EXACT) -> tuple[int, int, int]:
    """Few cells of the map: at how many the exact answer is the same, is undecided; all of them."""
    whole = results["phases"].with_inputs(loss=on.problem)
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


def _places(on: Plane, rows: Sequence[Row]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([float(r[on.x]) for r in rows]), np.array([float(r[on.y]) for r in rows])


def caption(known: Cells, rows: Sequence[Row], wrong: int, untold: int) -> str:
    """What is derived and what is measured."""
    on = known.on
    closed, followed = (
        ", ".join(dict.fromkeys(c.label for c in known.borders if c.closed is kind))
        for kind in (True, False)
    )
    told = []
    if closed:
        told.append(f"in closed form ({closed})")
    if followed:
        told.append(
            f"where none is known, as zeros of the derived condition ({followed}; $\\theta$ are "
            "eigenvalues of the gradient, and $y$ that of the occupied eigenspaces)"
        )
    text = (
        f"Which eigenspaces of the Gram matrix are occupied at the optimum of the "
        f"{on.problem.loss.name} loss{about(on)}. Cells: the loss minimised over invariant Gram "
        f"matrices, and the derived conditions where float64 cannot tell. "
    )
    if told:
        text += f"Curves: the derived borders, {'; '.join(told)}. "
    text += (
        f"Points: embeddings in $d = {on.d}$ dimensions, optimised "
        f"{by_seeds(on.seeds, 'each a point')}, with the marker of the structure that was "
        f"measured, in which a share of the trace above {number(OCCUPIED)} counts as occupied; "
        f"{len(rows) - wrong - untold} of {len(rows)} agree with their cell"
    )
    text += f", and of {untold} float64 does not tell" if untold else ""
    return text + f". The largest certified gap of the loss is {number(largest_gap(rows))}."

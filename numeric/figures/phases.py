"""Which structure is optimal over two parameters of a loss, and embeddings optimised beneath."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import torch
from sympy import Rational
from torch import Tensor

from ...derive.decide.domain import DomainError
from ...derive.problems.problem import Problem
from ...derive.proof.derivation import StepFailed
from ...derive.results import results
from ...derive.structures.arrangement import Arrangement
from ..problems.measure import shares
from ..running.table import Row
from ..search.sweep import Cell, sweep
from .cells import Cells
from .drawing import Drawing, asked, by_seeds, in_table, largest_gap, number
from .look import PLAIN, Look
from .phase_map import about, picture
from .plane import OCCUPIED, Plane, face_of

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


def draw(on: Plane, path: Path, *, look: Look = PLAIN, **options: Any) -> Drawing:
    """Measure what is missing; what there is to draw, and to say of it."""
    rows = measure(on, path, **options)
    known = Cells(on)
    flat = known.flat(*_places(on, rows)).tolist()
    sure = [row for row, unsure in zip(rows, flat, strict=True) if not unsure]
    wrong = mismatched(on, sure)
    right, undecided, tried = against_exact(on)
    held, asked_at = known.held()
    unknown = f", and undecided at {undecided}" if undecided else ""
    lines = f"; both sides of the derived borders are as derived at {held} of {asked_at} places"
    untold = len(rows) - len(sure)
    return Drawing(
        picture(known, rows, flat, [row in wrong for row in rows], look),
        look,
        rows,
        f"{len(wrong)} with another structure than the map, largest certified gap "
        f"{largest_gap(rows):.2g}; the exact answer is that of the map at {right} of {tried} "
        f"places{unknown}{lines if asked_at else ''}"
        + (f"; at {untold} points float64 does not tell structures apart" if untold else ""),
        caption(known, rows, len(wrong), untold),
    )


def _places(on: Plane, rows: Sequence[Row]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([float(r[on.x]) for r in rows]), np.array([float(r[on.y]) for r in rows])


def caption(known: Cells, rows: Sequence[Row], wrong: int, untold: int) -> str:
    """What is derived and what is measured."""
    on = known.on
    closed, followed = (
        ", ".join(dict.fromkeys(c.label for c in known.drawn if c.closed is kind))
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
        f"matrices{known.resolved}. "
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

"""The cells of a map of structures, by minimising the loss, and the derived borders between them.

At small temperatures the loss changes along whole faces by less than rounding, so that which
eigenspaces are occupied is no matter of floats. Such cells are known by the curvature; there the
derived conditions decide, whose signs floats do tell.

A pure structure (a vertex) or the least point between two (an edge) is optimal iff some conditions
are >= 0, one for each eigenspace that may enter. Where one of them is zero and the others are not
negative, there is a border: the solution of the condition where it has one, else it is followed
along the map.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property, reduce
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from ...derive.decide.domain import DomainError
from ...derive.optimum.threshold import NoClosedForm
from ...derive.proof.derivation import StepFailed
from ...derive.results import results
from ...derive.theorem.result import Result
from ..problems.reduced import Optima
from .curves import Array, Condition, Curve, Frame, followed, solved
from .plane import Face, Plane

#: Curvature along a face, in units of the pulls, below which floats do not tell its points apart:
#: gradients are rounded to 1e-16, a share of 1e-6 matters, and pulls may differ by 1e4 in size.
FLAT = 1e-6
#: A cell of the coarse map is divided so often in each direction where its neighbours differ.
DIVIDED = 3


class Cells:
    """The structure at every place of a plane, and the borders between.

    Where nothing is derived for the loss, there are no borders.
    """

    def __init__(self, on: Plane) -> None:
        self.on = on
        self.frame = Frame(on.x, on.y, on.x_range, on.y_range, {**on.arrangement.sizes, **on.fixed})
        #: by structure, edges first, and by the eigenspace that may enter
        self.conditions: dict[Face, dict[str, tuple[str, Condition]]] = {}
        self.phases: Result | None = None
        try:
            at = {k: v for k, v in on.values.items() if k not in (on.x, on.y)}
            result = results["phases"].with_inputs(loss=on.problem, at=at)
            names = [name for name, q in result.quantities.items() if q.signed and q.is_number]
        except (DomainError, StepFailed, NoClosedForm):
            return
        self.phases = result
        known = tuple(on.arrangement.dimensions)
        for size in (2, 1):
            for *face, e in permutations(known, size + 1):
                name = "_".join((*face, e))
                if name in names:
                    condition = self.frame.function(result.quantity(name), name, result)
                    ordered = tuple(k for k in known if k in face)
                    self.conditions.setdefault(ordered, {})[e] = (name, condition)

    # --- structures -------------------------------------------------------------------------
    def optimal(self, face: Face, x: Array, y: Array, but: str = "") -> npt.NDArray[np.bool_]:
        """Where the derived conditions of a structure hold, but for one of them."""
        kept = [c(x, y) >= 0 for e, (_, c) in self.conditions[face].items() if e != but]
        return reduce(np.logical_and, kept, np.isfinite(x) & np.isfinite(y))

    def flat(self, x: Array, y: Array) -> npt.NDArray[np.bool_]:
        """Where floats do not tell which eigenspaces are occupied."""
        return self._flat(self.on.least(x, y), x, y) if len(x) else np.zeros(0, dtype=bool)

    def _flat(self, found: Optima, x: Array, y: Array) -> npt.NDArray[np.bool_]:
        loss, wrong = self.on.loss, np.zeros(len(x), dtype=bool)
        if len(loss.traces) > 1:  # of several orbits the answer is exact
            return wrong
        at = {**self.on.fixed, self.on.x: x, self.on.y: y}
        at = {k: np.broadcast_to(np.asarray(v, dtype=float), x.shape) for k, v in at.items()}
        with np.errstate(all="ignore"):
            even = np.full_like(found.shares, 1 / found.shares.shape[1])
            _, pulls, _ = loss.expand(even, at)
            _, _, bends = loss.expand(found.kept, at)
        unit = np.abs(pulls - pulls.mean(axis=1, keepdims=True)).max(axis=1)
        for row in np.unique(found.occupied, axis=0):
            face = row.nonzero()[0]
            if len(face) < 2:
                continue
            here = (found.occupied == row).all(axis=1)
            along = np.eye(len(row))[face[1:]] - np.eye(len(row))[face[0]]
            curvature = along @ bends[here] @ along.T / unit[here, None, None]
            sound = np.isfinite(curvature).all(axis=(1, 2))
            least = np.linalg.eigvalsh(np.where(sound[:, None, None], curvature, 0.0))[:, 0]
            wrong[here] = ~(least > FLAT)
        return wrong | ~found.occupied.any(axis=1)

    def faces(self, x: Array, y: Array) -> list[Face]:
        """The structure at places; () where it is not known."""
        return self._faces(x, y, self.on.least(x, y)) if len(x) else []

    def _faces(self, x: Array, y: Array, found: Optima) -> list[Face]:
        flat = self._flat(found, x, y)
        faces = [() if unsure else f for f, unsure in zip(found.faces(), flat, strict=True)]
        for face in self.conditions:
            for k in (flat & self.optimal(face, x, y)).nonzero()[0]:
                faces[k] = face
        return faces

    # --- cells ------------------------------------------------------------------------------
    @cached_property
    def fine(self) -> tuple[Array, Array, list[Face], npt.NDArray[np.int64]]:
        """Middles of the cells, the structures there are, and their numbers, ``(y, x)``.

        Cells of a coarse map whose neighbours differ are divided.
        """
        n = self.on.fine
        coarse = self._faces(*self.on.coarse)
        faces = list(dict.fromkeys(coarse))
        codes = np.array([faces.index(face) for face in coarse]).reshape(n, n)
        around = np.pad(codes, 1, mode="edge")
        shifted = [around[i : i + n, j : j + n] for i in range(3) for j in range(3)]
        mixed = np.any([codes != other for other in shifted], axis=0)
        xs, ys = self.on.axes((DIVIDED * n, DIVIDED * n))
        x, y = np.meshgrid(xs, ys)
        codes, mixed = (a.repeat(DIVIDED, 0).repeat(DIVIDED, 1) for a in (codes, mixed))
        for place, face in zip(np.argwhere(mixed), self.faces(x[mixed], y[mixed]), strict=True):
            if face not in faces:
                faces.append(face)
            codes[tuple(place)] = faces.index(face)
        order = sorted(range(len(faces)), key=lambda k: (-np.count_nonzero(codes == k), faces[k]))
        rank = np.argsort(order)
        return xs, ys, [faces[k] for k in order], rank[codes]

    # --- borders ----------------------------------------------------------------------------
    @cached_property
    def borders(self) -> list[Curve]:
        """The derived curves in the plane on which a structure stops being optimal.

        Raises
        ------
        InternalError
            If a curve is no border of its condition.
        """
        vertices_first = sorted(self.conditions.items(), key=lambda item: len(item[0]))
        found = [
            curve.where(self.optimal(face, curve.x, curve.y, but=e))
            for face, conditions in vertices_first
            for e, (name, condition) in conditions.items()
            for curve in self._curves(name, condition, self._between(face, e))
        ]
        return [curve for curve in found if curve.seen]

    def _curves(self, name: str, condition: Condition, rough: Iterable[Array]) -> Iterator[Curve]:
        assert self.phases is not None
        for parameter in (self.on.x, self.on.y):
            closed = f"{parameter}_{name}"
            if closed in self.phases.quantities:
                yield solved(self.phases, closed, self.frame)
                return
        label = f"${self.phases.quantity(name).symbol}=0$"
        yield from followed(name, label, condition, self.frame, rough, 2 / self.on.fine)

    def _between(self, face: Face, enters: str) -> Iterator[Array]:
        """Lines between the cells of a structure and those with another eigenspace as well."""
        from contourpy import contour_generator

        xs, ys, faces, codes = self.fine
        more = [k for k, other in enumerate(faces) if {*face, enters} <= set(other)]
        if face not in faces or not more:
            return
        own, beyond = codes == faces.index(face), np.isin(codes, more)
        sides = np.where(own, 1.0, np.where(beyond, 0.0, np.nan))
        lines: Any = contour_generator(xs, ys, np.ma.masked_invalid(sides)).lines(0.5)
        yield from lines

"""The cells of a map of structures: by minimising the loss, exactly where floats cannot tell.

At small temperatures the loss changes along whole faces by less than rounding, so that which
eigenspaces are occupied is no matter of floats. Such cells are known by the curvature; they are
decided by exact arithmetic at a few places, one for each way in which the derived conditions, whose
signs floats do tell, divide the plane.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from sympy import Rational

from ...derive.decide.domain import DomainError
from ...derive.proof.derivation import StepFailed
from ...derive.results import results
from ..problems.reduced import Optima
from .borders import Border, Derived
from .curves import Array, Curve
from .plane import Face, Plane

#: Curvature along a face, in units of the pulls, below which floats do not tell its points apart:
#: gradients are rounded to 1e-16, a share of 1e-6 matters, and pulls may differ by 1e4 in size.
FLAT = 1e-6
#: Exact decisions for each part of the plane, which must agree.
PLACES = 3
#: A cell of the coarse map is divided so often in each direction where its neighbours differ.
DIVIDED = 3
#: How far from a border structures are compared, as part of the range, and at how many places.
BESIDE, TRIED = 0.01, 24


class Cells:
    """The structure at every place of a plane, and the borders between."""

    def __init__(self, on: Plane) -> None:
        self.on = on
        self.derived = Derived(on)
        self._exactly: dict[tuple[int, ...], Face | None] = {}

    # --- structures -------------------------------------------------------------------------
    def flat(self, x: Array, y: Array) -> npt.NDArray[np.bool_]:
        """Where floats do not tell which eigenspaces are occupied."""
        if not len(x):
            return np.zeros(0, dtype=bool)
        return self._flat(self.on.least(x, y), x, y)

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
        faces = found.faces()
        (flat,) = self._flat(found, x, y).nonzero()
        for parts, members in self._parts(flat, x, y).items():
            for face in self._settled(parts, x[members], y[members]):
                for k in members:
                    faces[k] = face
        return faces

    def _parts(self, at: np.ndarray, x: Array, y: Array) -> dict[tuple[int, ...], list[int]]:
        """Places by the signs of the derived conditions of pure structures."""
        known = [c for of in self.derived.vertices.values() for _, c in of.values()]
        signs = np.array([np.sign(c(x[at], y[at])) for c in known]).reshape(len(known), len(at))
        found: dict[tuple[int, ...], list[int]] = {}
        for k, column in zip(at, signs.T, strict=True):
            found.setdefault(tuple(np.nan_to_num(column, nan=2).astype(int)), []).append(int(k))
        return found

    def _settled(self, parts: tuple[int, ...], x: Array, y: Array) -> list[Face]:
        """The structure of a part of the plane; nothing if what floats find has to do."""
        if parts not in self._exactly:
            vertex = self._vertex(parts)
            places = np.unique(np.linspace(0, len(x) - 1, PLACES).round().astype(int))
            answers = (
                {vertex} if vertex else {self._exact(float(x[k]), float(y[k])) for k in places}
            )
            answers -= {None}  # as where there are several optima, or nothing is derived
            self._exactly[parts] = None
            if answers:
                self._exactly[parts] = answers.pop() if len(answers) == 1 else ()
        face = self._exactly[parts]
        return [] if face is None else [face]

    def _vertex(self, parts: tuple[int, ...]) -> Face | None:
        """The pure structure that is optimal in a part of the plane, by its conditions."""
        signs = iter(parts)
        of = {face: [next(signs) for _ in found] for face, found in self.derived.vertices.items()}
        return next((face for face, own in of.items() if all(s == 1 for s in own)), None)

    def _exact(self, x: float, y: float) -> Face | None:
        at = {self.on.x: Rational(f"{x:.12g}"), self.on.y: Rational(f"{y:.12g}")}
        whole = results["phases"].given(loss=self.on.problem)
        try:
            return tuple(str(whole.value("structure", **{**self.on.values, **at})).split("+"))
        except (DomainError, StepFailed):
            return None

    @property
    def resolved(self) -> str:
        """For a caption: whether some cells were decided exactly."""
        if all(face is None for face in self._exactly.values()):
            return ""
        return "; where float64 cannot tell structures apart, exact arithmetic decides"

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
        many = (DIVIDED * n, DIVIDED * n)
        xs, ys = self.on.axes(many)
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
    def borders(self) -> list[Border]:
        """Those of the plane."""
        return list(self.derived.borders(self._between))

    @property
    def drawn(self) -> list[Curve]:
        """The curves of the borders."""
        return [border.curve for border in self.borders]

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

    def held(self) -> tuple[int, int]:
        """Beside derived borders: where the loss is least at the structure that is derived.

        Returns how many places are right, and of how many. A place counts if the derived
        conditions say that the structure is optimal there, or that it is not, and floats tell.
        """
        right = tried = 0
        for border in self.borders:
            for x, y in border.curve.beside(BESIDE * self.derived.frame.reach(border.curve.along)):
                (there,) = (np.isfinite(x) & self.derived.frame.inside(x, y)).nonzero()
                if not len(there):
                    continue
                some = there[np.unique(np.linspace(0, len(there) - 1, TRIED).round().astype(int))]
                x, y = x[some], y[some]
                told = ~self.flat(x, y)
                x, y = x[told], y[told]
                expected = self.derived.optimal(border.face, x, y)
                found = [face == border.face for face in self.on.faces(x, y)] if len(x) else []
                right += int((np.array(found, dtype=bool) == expected).sum())
                tried += len(x)
        return right, tried

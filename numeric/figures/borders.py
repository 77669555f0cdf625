"""The borders between structures in a plane, out of the derived phases of its loss.

A pure structure (a vertex) or the least point between two (an edge) is optimal iff some conditions
are >= 0, one for each eigenspace that may enter. Where one of them is zero and the others are not
negative, there is a border: the solution of the condition where it has one, else it is followed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import permutations

import numpy as np
import numpy.typing as npt

from ...derive.decide.domain import DomainError
from ...derive.optimum.threshold import NoClosedForm
from ...derive.proof.derivation import StepFailed
from ...derive.results import results
from ...derive.theorem.result import Result
from .curves import Array, Condition, Curve, Frame, followed, solved
from .plane import Face, Plane


@dataclass(frozen=True, eq=False)
class Border:
    """A curve, the structure that is optimal on one side, and the eigenspace that enters beyond."""

    curve: Curve
    face: Face
    enters: str


class Derived:
    """What is derived of the structures in a plane: conditions, and borders that they make.

    Where nothing is derived for the loss, there are none.
    """

    def __init__(self, on: Plane) -> None:
        self.on = on
        self.frame = Frame(on.x, on.y, on.x_range, on.y_range, {**on.arrangement.sizes, **on.fixed})
        #: by structure, and by the eigenspace that may enter
        self.conditions: dict[Face, dict[str, tuple[str, Condition]]] = {}
        self.of: Result | None = None
        try:
            at = {k: v for k, v in on.values.items() if k not in (on.x, on.y)}
            of = results["phases"].given(loss=on.problem, at=at)
            names = [name for name, q in of.quantities.items() if q.signed and q.is_number]
        except (DomainError, StepFailed, NoClosedForm):
            return
        self.of = of
        known = tuple(on.arrangement.dimensions)
        for size in (1, 2):
            for *face, e in permutations(known, size + 1):
                name = "_".join((*face, e))
                if name in names:
                    condition = self.frame.function(of.quantity(name), name, of)
                    ordered = tuple(k for k in known if k in face)
                    self.conditions.setdefault(ordered, {})[e] = (name, condition)

    @property
    def vertices(self) -> Mapping[Face, dict[str, tuple[str, Condition]]]:
        """Conditions of pure structures. They are formulas, and their signs are seen in floats."""
        return {face: found for face, found in self.conditions.items() if len(face) == 1}

    def optimal(self, face: Face, x: Array, y: Array, but: str = "") -> npt.NDArray[np.bool_]:
        """Where the conditions of a structure hold, but for one of them."""
        kept = [c(x, y) >= 0 for e, (_, c) in self.conditions[face].items() if e != but]
        return reduce(np.logical_and, kept, np.isfinite(x) & np.isfinite(y))

    def borders(self, between: Callable[[Face, str], Iterable[Array]]) -> Iterator[Border]:
        """All borders that are in the plane.

        What has no formula is followed along the map: ``between`` has the lines of it between the
        cells of a structure and those where another eigenspace is occupied as well.

        Raises
        ------
        InternalError
            If a curve is no border of its condition.
        """
        for face, conditions in self.conditions.items():
            for e, (name, condition) in conditions.items():
                for curve in self._curves(name, condition, between(face, e)):
                    kept = curve.where(self.optimal(face, curve.x, curve.y, but=e))
                    if kept.seen:
                        yield Border(kept, face, e)

    def _curves(self, name: str, condition: Condition, rough: Iterable[Array]) -> Iterator[Curve]:
        assert self.of is not None
        for parameter in (self.on.x, self.on.y):
            closed = f"{parameter}_{name}"
            if closed in self.of.quantities:
                yield solved(self.of, closed, self.frame)
                return
        label = f"${self.of.quantity(name).symbol}=0$"
        yield from followed(name, label, condition, self.frame, rough, 2 / self.on.fine)

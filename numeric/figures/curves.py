"""Borders as curves: derived expressions in the plane of a figure, put back before they are drawn.

A border is a condition that changes its sign. Where the condition was solved, the curve is the
solution; where no closed form is known it is followed numerically. Either way the condition, which
was derived first, must have different signs on both sides of every point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sympy import latex

from ...derive.decide.errors import InternalError
from ...derive.theorem.compile import compiled
from ...derive.theorem.quantity import Quantity
from ...derive.theorem.result import Result

Array = npt.NDArray[np.float64]
#: A condition over the plane: an array of values at arrays of x and y, nan where it is not meant.
Condition = Callable[[Array, Array], Array]

#: How far to both sides of a curve its condition is asked for, as part of the range. Rounding is
#: 1e-16 and conditions are of the order of one, so an error of the curve of 1e-6 is seen.
STEP = 1e-6
#: Points of a curve that is given by a formula.
POINTS = 601
#: Cells in each direction in which a curve without a formula is looked for, and halvings after.
CELLS = 160
HALVINGS = 45


@dataclass(frozen=True, eq=False)
class Curve:
    """A border in the plane.

    Attributes
    ----------
    name
        Of the quantity that it is.
    label
        Its symbol, as mathematics for a legend.
    x, y
        Its points in order; nan where it is interrupted.
    along
        The axis that it was solved for, ``x`` or ``y``.
    condition
        What it was solved from; it changes its sign on the curve.
    closed
        Whether a formula gives it.
    """

    name: str
    label: str
    x: Array
    y: Array
    along: str
    condition: Condition
    closed: bool = True

    @property
    def seen(self) -> bool:
        """Whether anything of it is in the plane."""
        return bool((np.isfinite(self.x) & np.isfinite(self.y)).any())

    def where(self, kept: npt.NDArray[np.bool_]) -> Curve:
        """The same curve, interrupted where it is not kept."""
        return replace(self, x=np.where(kept, self.x, np.nan), y=np.where(kept, self.y, np.nan))

    def beside(self, step: float) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        """The points on both sides, so far away on the axis that it was solved for."""
        dx, dy = (step, 0.0) if self.along == "x" else (0.0, step)
        return (self.x - dx, self.y - dy), (self.x + dx, self.y + dy)

    def checked(self, reach: float) -> Curve:
        """The same curve, put back into its condition; ``reach`` is the length of the axis.

        Raises
        ------
        InternalError
            If the condition has one sign on both sides of a point, or at no point a sign.
        """
        (x0, y0), (x1, y1) = self.beside(STEP * reach)
        with np.errstate(all="ignore"):
            below, above = (np.sign(self.condition(*at)) for at in ((x0, y0), (x1, y1)))
        there = np.isfinite(self.x) & np.isfinite(self.y)
        # At an end of the range one side is outside, and far out both may be zero to rounding.
        known = there & (np.nan_to_num(below) != 0) & (np.nan_to_num(above) != 0)
        wrong = known & (below == above)
        if wrong.any():
            k = int(np.argmax(wrong))
            raise InternalError(
                f"{self.name} is no border at ({self.x[k]:.6g}, {self.y[k]:.6g}): its condition "
                "has one sign on both sides"
            )
        if there.any() and known.sum() < there.sum() / 2:
            raise InternalError(f"{self.name} cannot be put back into its condition")
        return self


@dataclass(frozen=True)
class Frame:
    """The plane of a figure: names of its axes, their ranges, and what is fixed."""

    x: str
    y: str
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    fixed: Mapping[str, float]

    def reach(self, along: str) -> float:
        """Length of an axis, ``x`` or ``y``."""
        low, high = self.x_range if along == "x" else self.y_range
        return high - low

    def inside(self, x: Array, y: Array) -> npt.NDArray[np.bool_]:
        """Which points are in the plane."""
        (a, b), (c, d) = self.x_range, self.y_range
        with np.errstate(invalid="ignore"):
            found: npt.NDArray[np.bool_] = (a <= x) & (x <= b) & (c <= y) & (y <= d)
        return found

    def function(self, quantity: Quantity, name: str, of: Result) -> Condition:
        """A number of a result over the plane."""
        f = compiled(quantity, name, of.parameters, of.domain)
        needed = {s.name for s in quantity.expression.free_symbols} & {
            s.name for s in of.parameters
        }

        def at(x: Array, y: Array) -> Array:
            values = {**self.fixed, self.x: x, self.y: y}
            found = f(**{k: values[k] for k in needed})
            return np.asarray(np.broadcast_to(found, np.broadcast(x, y).shape), dtype=float)

        return at


def solved(of: Result, name: str, on: Frame, at: Array | None = None) -> Curve:
    """A threshold of a result as a curve, at values ``at`` of the other axis.

    Raises
    ------
    InternalError
        If it is no border of the condition that it was solved from.
    """
    quantity = of.quantity(name)
    threshold = quantity.threshold
    assert threshold is not None
    along = "x" if threshold.parameter.name == on.x else "y"
    low, high = on.y_range if along == "x" else on.x_range
    other = np.linspace(low, high, POINTS) if at is None else np.asarray(at, dtype=float)
    blank = np.full_like(other, np.nan)
    value = on.function(quantity, name, of)(*((blank, other) if along == "x" else (other, blank)))
    x, y = (value, other) if along == "x" else (other, value)
    condition = on.function(replace(quantity, expression=threshold.condition), name, of)
    whole = Curve(name, symbol(quantity), x, y, along, condition)
    return whole.where(on.inside(x, y)).checked(on.reach(along))


def followed(name: str, label: str, condition: Condition, on: Frame) -> Iterator[Curve]:
    """A border without a formula: its lines, each point halved down from a sign change.

    Raises
    ------
    InternalError
        If a line is no border of the condition.
    """
    from contourpy import contour_generator

    (a, b), (c, d) = on.x_range, on.y_range
    xs, ys = np.linspace(a, b, CELLS + 1)[1:-1], np.linspace(c, d, CELLS + 1)[1:-1]
    values = condition(*np.meshgrid(xs, ys))
    # Of sizes that have nothing to do with each other only the sign is of use.
    lines = contour_generator(xs, ys, np.ma.masked_invalid(np.arctan(values))).lines(0.0)
    for line in lines:
        steps = np.abs(np.diff(line, axis=0)).sum(axis=0)
        along = "x" if steps[1] * (b - a) > steps[0] * (d - c) else "y"
        rough = Curve(name, label, line[:, 0], line[:, 1], along, condition, closed=False)
        fine = _halved(rough, 1.5 * on.reach(along) / CELLS)
        if fine.seen:
            yield fine.where(on.inside(fine.x, fine.y)).checked(on.reach(along))


def _halved(curve: Curve, step: float) -> Curve:
    """Each point where the condition changes its sign; nan where it does not nearby."""
    (x0, y0), (x1, y1) = curve.beside(step)
    sign = np.sign(curve.condition(x0, y0))
    change = sign * np.sign(curve.condition(x1, y1)) < 0
    for _ in range(HALVINGS):
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        same = np.sign(curve.condition(x, y)) == sign
        x0, y0 = np.where(same, x, x0), np.where(same, y, y0)
        x1, y1 = np.where(same, x1, x), np.where(same, y1, y)
    return replace(curve, x=(x0 + x1) / 2, y=(y0 + y1) / 2).where(change)


def symbol(quantity: Quantity) -> str:
    """The name of a quantity as mathematics for a legend."""
    return f"${quantity.symbol}$"


def axis(name: str, of: Result) -> str:
    """A parameter as a label of an axis: what it is, if that is short, and its symbol."""
    found: Any = next((s for s in of.parameters if s.name == name), None)
    sign = latex(found) if found is not None else name
    says = next((text for s, text in of.meanings.items() if s.name == name), "")
    first = says.partition(",")[0]
    return f"{first} ${sign}$" if 0 < len(first) <= 20 else f"${sign}$"

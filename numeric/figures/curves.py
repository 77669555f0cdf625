"""Borders as curves: derived expressions in the plane of a figure, put back before they are drawn.

A border is a condition that changes its sign. Where the condition was solved, the curve is the
solution; where no closed form is known it is followed numerically. Either way the condition, which
was derived first, must have different signs on both sides of every point.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sympy import latex

from ...derive.errors import InternalError
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
#: Halvings towards a border without a formula: a cell of a map becomes a rounding error.
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

    def signs(self, step: float) -> tuple[Array, Array]:
        """Signs of the condition on both sides, 0 where there is none."""
        with np.errstate(all="ignore"):
            below, above = (np.sign(self.condition(*at)) for at in self.beside(step))
        return np.nan_to_num(below), np.nan_to_num(above)

    def changes(self, step: float) -> npt.NDArray[np.bool_]:
        """Where the condition has different signs on both sides."""
        below, above = self.signs(step)
        changes: npt.NDArray[np.bool_] = below * above < 0
        return changes

    def checked(self, reach: float) -> Curve:
        """The same curve, put back into its condition; ``reach`` is the length of the axis.

        Raises
        ------
        InternalError
            If the condition has the same sign on both sides of a point, or at no point a sign.
        """
        below, above = self.signs(STEP * reach)
        drawn = np.isfinite(self.x) & np.isfinite(self.y)
        # At an end of the range one side is outside, and far out both may be zero to rounding.
        known = drawn & (below != 0) & (above != 0)
        wrong = known & (below == above)
        if wrong.any():
            k = int(np.argmax(wrong))
            raise InternalError(
                f"{self.name} is not a border at ({self.x[k]:.6g}, {self.y[k]:.6g}): its condition "
                "has the same sign on both sides"
            )
        if drawn.any() and known.sum() < drawn.sum() / 2:
            raise InternalError(
                f"{self.name} could not be verified by substitution into its condition"
            )
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

    def function(self, quantity: Quantity, name: str, result: Result) -> Condition:
        """A number of a result over the plane."""
        f = compiled(quantity, name, result.parameters, result.domain)
        needed = {s.name for s in quantity.expression.free_symbols} & {
            s.name for s in result.parameters
        }

        def at(x: Array, y: Array) -> Array:
            values: dict[str, float | Array] = {**self.fixed, self.x: x, self.y: y}
            with warnings.catch_warnings():  # on a border a condition is zero to all digits
                warnings.simplefilter("ignore", RuntimeWarning)
                found = f(**{k: values[k] for k in needed})
            return np.asarray(np.broadcast_to(found, np.broadcast(x, y).shape), dtype=float)

        return at


def solved(result: Result, name: str, on: Frame, at: Array | None = None) -> Curve:
    """A threshold of a result as a curve, at values ``at`` of the other axis.

    Raises
    ------
    InternalError
        If it is no border of the condition that it was solved from.
    """
    quantity = result.quantity(name)
    threshold = quantity.threshold
    assert threshold is not None
    along = "x" if threshold.parameter.name == on.x else "y"
    low, high = on.y_range if along == "x" else on.x_range
    other = np.linspace(low, high, POINTS) if at is None else np.asarray(at, dtype=float)
    blank = np.full_like(other, np.nan)
    value = on.function(quantity, name, result)(
        *((blank, other) if along == "x" else (other, blank))
    )
    x, y = (value, other) if along == "x" else (other, value)
    condition = on.function(replace(quantity, expression=threshold.condition), name, result)
    whole = Curve(name, symbol(quantity), x, y, along, condition)
    return whole.where(on.inside(x, y)).checked(on.reach(along))


def followed(
    name: str, label: str, condition: Condition, on: Frame, rough: Iterable[Array], near: float
) -> Iterator[Curve]:
    """A border without a formula, from lines of points near it: halved down from sign changes.

    ``near`` is how far off the points ``(k, 2)`` may be, as part of the ranges.

    Raises
    ------
    InternalError
        If what is found is no border of the condition.
    """
    for line in rough:
        left = np.ones(len(line), dtype=bool)
        span = np.abs(np.diff(line, axis=0)).sum(axis=0) / (on.reach("x"), on.reach("y"))
        for along in ("x", "y") if span[1] > span[0] else ("y", "x"):
            reach = on.reach(along)
            start = Curve(name, label, line[:, 0], line[:, 1], along, condition, closed=False)
            fine = _halved(start.where(left), near * reach)
            # A root that is known to rounding only makes a condition change its sign at random.
            for step in (STEP, 30 * STEP, 1000 * STEP):
                fine = fine.where(fine.changes(step * reach))
            fine = fine.where(on.inside(fine.x, fine.y))
            left &= ~np.isfinite(fine.x)
            if fine.seen:
                yield fine.checked(reach)


def _halved(curve: Curve, step: float) -> Curve:
    """Each point where the condition changes its sign; nan where it does not nearby."""
    (x0, y0), (x1, y1) = curve.beside(step)
    change = curve.changes(step)
    sign, _ = curve.signs(step)
    for _ in range(HALVINGS):
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        same = np.sign(curve.condition(x, y)) == sign
        x0, y0 = np.where(same, x, x0), np.where(same, y, y0)
        x1, y1 = np.where(same, x1, x), np.where(same, y1, y)
    return replace(curve, x=(x0 + x1) / 2, y=(y0 + y1) / 2).where(change)


def symbol(quantity: Quantity) -> str:
    """The name of a quantity as mathematics for a legend."""
    return f"${quantity.symbol}$"


def axis(name: str, result: Result) -> str:
    """A parameter as a label of an axis: what it is, if that is short, and its symbol."""
    found: Any = next((s for s in result.parameters if s.name == name), None)
    sign = latex(found) if found is not None else name
    says = next((text for s, text in result.meanings.items() if s.name == name), "")
    first = says.partition(",")[0]
    return f"{first} ${sign}$" if 0 < len(first) <= 20 else f"${sign}$"

"""The metrics of Section 3.9, on exact points."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

from ...language.quantities import NoValue, mp, text
from ..records.points import ONE, ZERO, Rows, gaps
from ..records.run import Findings, Point, Values, named_check
from .supcon import (
    bound,
    loss,
    of_classes,
    spread,
)

#: What singular values in floating point are good for.
ROUNDING = 1e-9


@named_check("gap at the optimum of SupCon")
def gap_at_optimum(at: Point, C: int, ell: int, *, values: Values, own: bool) -> Findings:
    """The gap of SupCon is ``gap`` at its optimum on the sphere, the least loss being the entropic
    bound (``own`` 0) or the least on the sphere (``own`` 1)."""
    sizes, tau = (ell,) * C, Fraction(str(at["tau"]))
    regular = Fraction(-1, C - 1)
    rows = [[ONE if i == j else regular for j in range(C)] for i in range(C)]
    w = of_classes(sizes)
    with mpmath.workdps(150):
        found = loss(w, spread(sizes, rows, tau))
        least = found if own == 1 else bound(w)
        if least == 0:
            raise NoValue("division by zero: the minimum of the loss is 0")
        gap = found / least - 1
        same = abs(gap - mp(values["gap"])) < mpmath.mpf(10) ** -100
    yield same, f"the gap is {text(gap)}"


@named_check("small gap far from the optimum")
def small_gap(n: int, *, near: Any) -> Findings:
    """Labels in two groups, ten apart, and points in the same groups, twenty apart: the gap is less
    than ``near``, and the coefficient of similarity of the points negative."""
    yield 0 < near < 1, "what is small is positive"
    half = n // 2
    placed = [[[Fraction(k, n) + (far if k >= half else 0)] for k in range(n)] for far in (10, 20)]
    own, wanted = ([[-v for v in row] for row in gaps(points)] for points in placed[::-1])
    w = [[mpmath.exp(mp(v)) for v in row] for row in wanted]
    gap = loss(w, own) / bound(w) - 1
    yield gap < mp(near), f"the gap is {text(gap)}"
    pairs = [(a, b) for rows in zip(own, wanted, strict=True) for a, b in zip(*rows, strict=True)]
    mean = sum((b for _, b in pairs), ZERO) / len(pairs)
    missed = sum((a - b) ** 2 for a, b in pairs)
    yield missed > sum((b - mean) ** 2 for _, b in pairs), "the points are near"


def procrustes(z: Rows, target: Rows) -> float:
    """Definition 3.16.

    Raises
    ------
    NoValue
        Where the points of the target are all the same.
    """
    x, y = (np.array([[float(v) for v in row] for row in rows]) for rows in (z, target))
    x, y = x - x.mean(0), y - y.mean(0)
    if not y.any():
        raise NoValue("division by zero: the points of Z* are all the same")
    aligned = float(np.linalg.svd(x.T @ y, compute_uv=False).sum())
    return float(1 - ((x**2).sum() + (y**2).sum() - 2 * aligned) / (y**2).sum())


@named_check("Procrustes similarity")
def procrustes_is(at: Point, *, one: Any) -> Findings:
    """The similarity is ``one`` iff two sets are congruent."""
    z, y = (at["on"].points[k] for k in "zy")
    found = procrustes(z, y)
    near = abs(found - float(one)) <= ROUNDING
    yield near == (gaps(z) == gaps(y)), f"it is {found:.12g}"

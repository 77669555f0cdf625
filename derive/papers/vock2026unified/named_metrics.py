"""The metrics of Section 3.9, on exact points."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

from ...language.quantities import NoValue, compare, mp, text
from ..form.family import size
from ..form.points import ONE, ZERO
from ..form.run import Findings, Given, Point, named_check
from .supcon import (
    bound,
    loss,
    of_classes,
    spread,
)

Points = list[list[Fraction]]
#: Turns and reflections of the plane with rational entries.
TURNS = (
    ((Fraction(3, 5), Fraction(-4, 5)), (Fraction(4, 5), Fraction(3, 5))),
    ((Fraction(5, 13), Fraction(12, 13)), (Fraction(12, 13), Fraction(-5, 13))),
)
#: What singular values in floating point are good for.
ROUNDING = 1e-9


@named_check("gap at the optimum of SupCon")
def gap_at_optimum(at: Point, C: int, ell: int, *, given: Given, own: bool) -> Findings:
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
        same = abs(gap - mp(given["gap"])) < mpmath.mpf(10) ** -100
    yield same, f"the gap is {text(gap)}"


@named_check("small gap far from the optimum")
def small_gap(n: int, *, near: Any) -> Findings:
    """Labels in two groups, ten apart, and points in the same groups, twenty apart: the gap is less
    than ``near``, and the coefficient of similarity of the points negative."""
    yield 0 < near < 1, "what is small is positive"
    half = n // 2
    placed = [[[Fraction(k, n) + (far if k >= half else 0)] for k in range(n)] for far in (10, 20)]
    target, z = placed
    own, wanted = ([[similarity("distance", a, b) for b in y] for a in y] for y in (z, target))
    w = [[mpmath.exp(mp(v)) for v in row] for row in wanted]
    least = bound(w)
    gap = loss(w, own) / least - 1
    yield gap < mp(near), f"the gap is {text(gap)}"
    yield bool(coefficient("distance", z, target) < 0), "the points are near"


def targets(at: Point) -> list[Points]:
    """Points of the plane, of which N are different; one lies twice."""
    count = size(at, "N")
    drawn = random.Random(count)
    found = []
    for _ in range(3):
        some = [[Fraction(drawn.randint(-6, 6)), Fraction(k)] for k in range(count)]
        found.append([*some, list(some[-1])])
    return found


def on_circle(at: Point) -> list[Points]:
    """Points of the unit circle, of which N are different."""
    count = size(at, "N")
    places = [Fraction(3 * k + 1, k + 2) for k in range(count)]
    some = [[2 * t / (1 + t * t), (t * t - 1) / (1 + t * t)] for t in places]
    return [[*some, list(some[-1])]]


def similarity(kind: str, x: Sequence[Any], y: Sequence[Any]) -> Any:
    """Minus the squared distance, or the cosine of unit vectors."""
    if kind == "cos":
        return sum((a * b for a, b in zip(x, y, strict=True)), ZERO)
    return -sum(((a - b) ** 2 for a, b in zip(x, y, strict=True)), ZERO)


def coefficient(kind: str, z: Points, target: Points) -> Fraction:
    """Definition 3.15, over all pairs.

    Raises
    ------
    NoValue
        Where the similarities of the target are all the same.
    """
    pairs = [(i, j) for i in range(len(z)) for j in range(len(z))]
    own = [similarity(kind, z[i], z[j]) for i, j in pairs]
    wanted = [similarity(kind, target[i], target[j]) for i, j in pairs]
    mean = sum(wanted, ZERO) / len(pairs)
    variance = sum(((v - mean) ** 2 for v in wanted), ZERO) / len(pairs)
    if variance == 0:
        raise NoValue("division by zero: the similarities of Z* are all the same")
    error = sum(((a - b) ** 2 for a, b in zip(own, wanted, strict=True)), ZERO) / len(pairs)
    return ONE - error / variance


def procrustes(z: Points, target: Points) -> float:
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


def moved(points: Points, k: int, *, shift: bool) -> Points:
    """The same points, turned or reflected, and shifted."""
    turn, by = TURNS[k % 2], [Fraction(k + 1), Fraction(-2)] if shift else [ZERO, ZERO]
    return [
        [
            sum((a * v for a, v in zip(row, p, strict=True)), ZERO) + b
            for row, b in zip(turn, by, strict=True)
        ]
        for p in points
    ]


def others(points: Points, *, unit: bool) -> list[Points]:
    """Sets that are not congruent to the points: larger, or one of them elsewhere."""
    if unit:
        away = [[Fraction(-20, 29), Fraction(-21, 29)], *points[1:]]
        return [away]
    larger = [[2 * v for v in p] for p in points]
    away = [[points[0][0] + 1, points[0][1] + 7], *points[1:]]
    return [larger, away] if len({tuple(p) for p in points}) > 1 else [away]


@named_check("coefficient of similarity")
def coefficient_is(at: Point, *, given: Given, one: Any) -> Findings:
    """The coefficient is ``one`` iff two sets are congruent, for minus the squared distance
    (``kind`` 0) and, on the unit sphere, for the cosine (``kind`` 1)."""
    unit = given["kind"] == 1
    yield given["kind"] in (0, 1), "there are two kinds of similarity"
    kind = "cos" if unit else "distance"
    for target in on_circle(at) if unit else targets(at):
        for k in range(2):
            found = coefficient(kind, moved(target, k, shift=not unit), target)
            yield compare(found, one, "="), f"congruent sets have {text(found)}"
        for z in others(target, unit=unit):
            says = "sets that are not congruent have it too"
            yield not compare(coefficient(kind, z, target), one, "="), says


@named_check("Procrustes similarity")
def procrustes_is(at: Point, *, one: Any) -> Findings:
    """The similarity is ``one`` iff two sets are congruent."""
    for target in targets(at):
        for k in range(2):
            found = procrustes(moved(target, k, shift=True), target)
            yield abs(found - float(one)) <= ROUNDING, f"congruent sets have {found:.12g}"
        for z in others(target, unit=False):
            says = "sets that are not congruent have it too"
            yield abs(procrustes(z, target) - float(one)) > ROUNDING, says


@named_check("coefficient of similarity from moments")
def from_moments(at: Point, *, power: Any) -> Findings:
    """Sums of s(z_i, z_j) s(y_i, y_j) over all pairs are squared norms of a q x q matrix of
    moments for cosines on the sphere, to the ``power``: n times q^2 steps instead of n^2."""
    for z in on_circle(at):
        y = moved(z, 1, shift=False)
        pairs = [(i, j) for i in range(len(z)) for j in range(len(z))]
        direct = sum(
            (similarity("cos", z[i], z[j]) * similarity("cos", y[i], y[j]) for i, j in pairs), ZERO
        )
        moments = [
            [sum((a[r] * b[s] for a, b in zip(z, y, strict=True)), ZERO) for s in range(2)]
            for r in range(2)
        ]
        total = sum((v ** int(power) for row in moments for v in row), ZERO)
        yield total == direct, f"{text(direct)}, and from moments {text(total)}"

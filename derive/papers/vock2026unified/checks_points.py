"""What the paper says of points: dimensions, principal components, labels on a sphere, rounding."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from ...language.quantities import mp, text
from ..records.run import Findings, Point, Values, named_check
from .checks import close, shifts
from .supcon import Floats

#: What ranks and distances in floating point are good for.
ROUNDING = 1e-7


def rank_of_points(points: Floats) -> int:
    """The dimension that points span, from one of them."""
    return int(np.linalg.matrix_rank(points - points.mean(0), tol=ROUNDING))


@named_check("simplex and square fit")
def fit(C: int, q: int, *, values: Values, least: Any) -> Findings:
    """The simplex of C points at equal distances, times a unit square (``square`` 1) or alone,
    fits into q dimensions iff q is at least ``least``."""
    simplex = np.eye(C) / np.sqrt(2)
    square = [(0, 0), (0, 1), (1, 0), (1, 1)] if values["square"] == 1 else [(0, 0)]
    points = np.array([[*a, *b] for a, b in product(simplex, square)])
    needs = rank_of_points(points)
    yield values["square"] in (0, 1), "there is one square, or none"
    yield (q >= needs) == bool(q >= least), f"it needs {needs} dimensions"


@named_check("rounds to")
def rounds_to(*, value: Any, shown: Any) -> Findings:
    """A value is what is shown of it with three digits after the point."""
    gap = abs(mp(value) - mp(shown))
    yield bool(gap <= mp(Fraction(1, 2000))), f"it is {text(value)}"


def components(n: int, d: int, seed: int) -> tuple[Floats, Floats]:
    """Points of rank d, and what the principal components of their kernel are."""
    x = np.random.default_rng(seed).normal(size=(n, d))
    kernel = x @ x.T
    centre = np.eye(n) - 1 / n
    values, vectors = np.linalg.eigh(centre @ kernel @ centre)
    return x, vectors * np.sqrt(np.clip(values, 0, None))


def squares(z: Floats) -> Floats:
    """Squared distances."""
    g = z @ z.T
    found: Floats = np.diag(g)[:, None] + np.diag(g)[None, :] - 2 * g
    return found


@named_check("principal components are the optimum")
def are_optimum(at: Point, n: int, d: int, q: int, *, values: Values) -> Findings:
    """The principal components, times ``scale``, of n points of rank d have the squared distances
    of the points, over 2 t^2 if there is a t; and no other points of R^q have these but for a
    constant, which does not change the loss."""
    spread = float(at["t"]) if "t" in at else np.sqrt(0.5)
    for seed in range(3):
        x, found = components(n, d, seed)
        wanted = squares(x) / (2 * spread**2)
        off = np.abs(squares(found * float(mp(values["scale"]))) - wanted).max()
        says = "their distances are not those that attain the bound"
        yield off <= ROUNDING * max(1.0, wanted.max()), says
        solved = shifts(wanted, q)
        says = "so have others, whose squared distances differ by a constant"
        yield solved is not None and all(close(c, 0) for c in solved), says


@named_check("rank of kernel distances")
def rank_of_distances(n: int, d: int, *, most: Any) -> Findings:
    """The distances of a kernel whose centred matrix has rank d have d as dimension and at most
    ``most`` as rank."""
    for seed in range(3):
        x, found = components(n, d, seed)
        rank = int(np.linalg.matrix_rank(squares(x), tol=ROUNDING))
        says = f"the rank is {rank}, the dimension {rank_of_points(found)}"
        yield rank_of_points(found) == d and rank <= most, says

"""Checks of Sections 1 to 3 for what no formula says: minimisers, laws that have no total mass."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath

from ..form.batches import trace
from ..form.families import size
from ..form.graphs import cross_entropy, gaussian, laplacian, partition
from ..form.matrices import Matrix, mpf
from ..form.run import Answer, Point, named_check
from ..form.tables import Tables
from ..form.values import NoValue, Unknown, as_number, mp, text

Given = Mapping[str, Any]
Rows = tuple[tuple[Any, ...], ...]
#: Values this near are the same: sums of a few exponentials have some 45 digits.
NEAR = mpmath.mpf(10) ** -30
#: A step from the collapse so small that the second order decides.
STEP = mpmath.mpf(10) ** -6
ZERO, ONE = Fraction(0), Fraction(1)


def graph_of(at: Point) -> tuple[Rows, Rows]:
    """Weights and points of a set."""
    e = at["on"]
    assert isinstance(e, Tables)
    return e.numbers["pi"].rows, e.points["z"]


def shares(rows: Rows) -> Rows:
    """Every row without its diagonal, divided by its sum."""
    sums = [sum(v for j, v in enumerate(row) if j != i) for i, row in enumerate(rows)]
    if 0 in sums:
        raise NoValue("every subgraph of out-degree one has the weight zero")
    return tuple(
        tuple(ZERO if i == j else v / sums[i] for j, v in enumerate(row))
        for i, row in enumerate(rows)
    )


def infonce(weights: Rows, points: Sequence[Sequence[Any]], tau: Any) -> Any:
    """The sum over i and j != i of the weights times (1) of i with the positive j, where all others
    are candidates and the similarity is -|x - y|^2 / 2."""
    heat = gaussian(tuple(map(tuple, points)), tau)
    terms = []
    for i, row in enumerate(weights):
        whole = mpmath.fsum(mp(v) for k, v in enumerate(heat[i]) if k != i)
        terms += [
            mp(w) * (mpmath.log(whole) - mpmath.log(mp(heat[i][j])))
            for j, w in enumerate(row)
            if j != i and w != 0
        ]
    return mpmath.fsum(terms)


def attraction(weights: Rows, points: Sequence[Sequence[Any]]) -> Any:
    """tr(Z^T L Z)."""
    z = Matrix.of(points)
    lap = laplacian(None, Matrix.of(weights))  # type: ignore[arg-type]
    inner = lap.times(z)
    assert inner is not None
    whole = z.transposed.times(inner)
    return trace(whole)


def signs(n: int) -> list[tuple[tuple[Fraction], ...]]:
    """All n points on the unit sphere of R^1, the first of them at 1."""
    return [((ONE,), *((s,) for s in rest)) for rest in product((ONE, -ONE), repeat=n - 1)]


def minimisers(of: Callable[[Any], Any], among: Sequence[Any]) -> list[Any]:
    """Where a function is least."""
    values = [mp(of(z)) for z in among]
    least = min(values)
    return [z for z, v in zip(among, values, strict=True) if v <= least + NEAR * (1 + abs(least))]


def shown(z: Sequence[Sequence[Any]]) -> str:
    """Points on a line."""
    return "(" + ", ".join(str(x[0]) for x in z) + ")"


@named_check("same minimisers on two points")
def same_minimisers(at: Point, given: Given) -> Answer:
    """On the unit sphere of R^1 the loss and ``factor`` tr(Z^T L Z) + log R(Z) have the same
    minimisers; L is that of pi, or (``mean`` 1) that of the mean of W. All points there are tried;
    the loss is the cross entropy over all subgraphs."""
    rows, _ = graph_of(at)
    tau, weights = as_number(at["tau"]), shares(rows)
    if given["mean"] not in (0, 1):
        raise Unknown("mean is 0 or 1")
    weights = weights if given["mean"] == 1 else rows
    among = signs(len(rows))

    def program(z: Any) -> Any:
        repulsion = mpmath.log(mp(partition(gaussian(z, tau))))
        return mp(given["factor"]) * mp(attraction(weights, z)) + repulsion

    loss = minimisers(lambda z: cross_entropy(rows, gaussian(z, tau)), among)
    other = minimisers(program, among)
    says = f"the loss is least at {shown(loss[0])}, the program at {shown(other[0])}"
    return Answer(loss == other, says)


@named_check("collapse is no minimiser")
def collapse(at: Point, given: Given) -> Answer:
    """Some points have a cross entropy below ``level``, that of points which are all equal. Near
    them the second order is that of the Laplacian of the shares less that of even ones: the points
    are along its least eigenvector."""
    rows, _ = graph_of(at)
    n, tau = len(rows), as_number(at["tau"])
    p = shares(rows)
    even = Fraction(1, n - 1)

    def entry(i: int, j: int) -> Fraction:
        return ZERO if i == j else (p[i][j] + p[j][i]) / 2 - even

    gap = laplacian(None, Matrix.by(n, entry))  # type: ignore[arg-type]
    values, vectors = mpmath.eigsy(mpmath.matrix([[mpf(v) for v in row] for row in gap.rows]))
    step = STEP * mpmath.sqrt(mp(tau))
    z = tuple((step * vectors[i, 0],) for i in range(n))
    found = infonce_along(p, z, tau)
    below = bool(found < mp(given["level"]) * (1 - NEAR)) and bool(values[0] < -NEAR)
    same = abs(mp(given["level"]) - n * mpmath.log(n - 1)) <= NEAR
    if not same:
        return Answer(False, f"of equal points it is {text(n * mpmath.log(n - 1))}")
    return Answer(below, "points that are all equal are a minimiser")


def infonce_along(weights: Rows, z: Any, tau: Any) -> Any:
    """The loss of points on a line with coordinates of any kind."""
    total = mpmath.mpf(0)
    for i, row in enumerate(weights):
        squares = {j: (z[i][0] - z[j][0]) ** 2 / (2 * mp(tau)) for j in range(len(z)) if j != i}
        whole = mpmath.log(mpmath.fsum(mpmath.exp(-s) for s in squares.values()))
        total += mpmath.fsum(mp(row[j]) * (s + whole) for j, s in squares.items())
    return total


@named_check("mass of the joint law")
def mass(at: Point, given: Given) -> Answer:
    """The sum of f_k(Z, W) over all W of out-degree one and all n points Z among ``most`` + 1
    integers (of R^1) is at most ``most``, so that it may be divided by; it is not, as f_k does
    not change where all points are moved."""
    n = size(at, "n")
    if n < 2:
        raise NoValue("there is no subgraph of out-degree one")
    count = int(given["most"]) + 1
    least = count * (n - 1) ** n  # all points equal, at any of the integers
    return Answer(least <= given["most"], f"at equal points alone it is {least}")


@named_check("a problem is of one graph")
def one_graph(at: Point, given: Given) -> Answer:
    """A problem that is spectral clustering on pi is not spectral clustering on the graph with the
    edges 1 - 2 alone as well. Where the regulariser is ``free``, it may be whatever makes up the
    difference of the traces; else it is the same for both."""
    rows, points = graph_of(at)
    n = len(rows)
    if n < 2:
        return Answer(True)
    other = tuple(tuple(Fraction(int({i, j} == {0, 1})) for j in range(n)) for i in range(n))
    differ = False
    if given["free"] not in (0, 1):
        raise Unknown("free is 0 or 1")
    lines = [tuple((Fraction(c + k * k),) for k in range(n)) for c in (0, 1, -3)]
    for z in (points, *lines):
        first, second = attraction(rows, z), attraction(other, z)
        regulariser = first - second if given["free"] == 1 else ZERO
        differ = differ or second + regulariser != first
    same = Matrix.of(rows).equals(Matrix.of(other))
    return Answer(differ or same, "it is spectral clustering on the edge 1 - 2 as well")

"""Checks of Sections 1 to 3 for what no formula says: minimisers, laws that have no total mass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray

from ...language.matrices import Matrix, mpf
from ...language.quantities import NoValue, as_number, mp, text
from ..records.points import ONE, ZERO
from ..records.run import Findings, Point, Values, named_check
from ..records.tables import Tables
from .subgraphs import attraction, cross_entropy, gaussian, laplacian, partition

Rows = tuple[tuple[Any, ...], ...]
Floats = NDArray[np.float64]
#: Values this near are the same: sums of a few exponentials have some 45 digits.
NEAR = mpmath.mpf(10) ** -30
#: A step from the collapse so small that the second order decides.
STEP = mpmath.mpf(10) ** -6
#: A gap between losses that is no matter of digits.
MARGIN = mpmath.mpf(10) ** -4
#: Squares of lengths up to this are tried, over the temperature; then halvings of an interval.
FAR, HALVINGS = mpmath.mpf(2) ** 40, 80
#: Of a descent.
STEPS = 400


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


def signs(n: int) -> list[tuple[tuple[Fraction], ...]]:
    """All n points on the unit sphere of R^1, the first of them at 1."""
    return [((ONE,), *((s,) for s in rest)) for rest in product((ONE, -ONE), repeat=n - 1)]


def minimisers(function: Callable[[Any], Any], among: Sequence[Any]) -> list[Any]:
    """Where a function is least."""
    values = [mp(function(z)) for z in among]
    least = min(values)
    return [z for z, v in zip(among, values, strict=True) if v <= least + NEAR * (1 + abs(least))]


def shown(z: Sequence[Sequence[Any]]) -> str:
    """Points on a line."""
    return "(" + ", ".join(str(x[0]) for x in z) + ")"


@named_check("same minimisers on two points")
def same_minimisers(at: Point, tau: Any, *, mean: bool, factor: Any) -> Findings:
    """On the unit sphere of R^1 the loss and ``factor`` tr(Z^T L Z) + log R(Z) have the same
    minimisers; L is that of pi, or (``mean`` 1) that of the mean of W. All points there are tried;
    the loss is the cross entropy over all subgraphs."""
    rows, _ = graph_of(at)
    weights = shares(rows)
    weights = weights if mean == 1 else rows
    among = signs(len(rows))

    def program(z: Any) -> Any:
        repulsion = mpmath.log(mp(partition(gaussian(z, tau))))
        return mp(factor) * mp(attraction(weights, z)) + repulsion

    loss = minimisers(lambda z: cross_entropy(rows, gaussian(z, tau)), among)
    other = minimisers(program, among)
    says = f"the loss is least at {shown(loss[0])}, the program at {shown(other[0])}"
    yield loss == other, says


@named_check("collapse is no minimiser")
def collapse(at: Point, tau: Any, *, level: Any) -> Findings:
    """Some points have a cross entropy below ``level``, that of points which are all equal. Near
    them the second order is that of the Laplacian of the shares less that of even ones: the points
    are along its least eigenvector."""
    rows, _ = graph_of(at)
    n = len(rows)
    p = shares(rows)
    even = Fraction(1, n - 1)

    def entry(i: int, j: int) -> Fraction:
        return ZERO if i == j else (p[i][j] + p[j][i]) / 2 - even

    gap = laplacian(Matrix.by(n, entry))
    values, vectors = mpmath.eigsy(mpmath.matrix([[mpf(v) for v in row] for row in gap.rows]))
    step = STEP * mpmath.sqrt(mp(tau))
    z = tuple((step * vectors[i, 0],) for i in range(n))
    found = infonce(p, z, tau)
    below = bool(found < mp(level) * (1 - NEAR)) and bool(values[0] < -NEAR)
    same = abs(mp(level) - n * mpmath.log(n - 1)) <= NEAR
    yield same, f"of equal points it is {text(n * mpmath.log(n - 1))}"
    yield below, "points that are all equal are a minimiser"


@named_check("mass of the joint law")
def mass(n: int, *, most: Any) -> Findings:
    """The sum of f_k(Z, W) over all W of out-degree one and all n points Z among ``most`` + 1
    integers (of R^1) is at most ``most``, so that it may be divided by; it is not, as f_k does
    not change where all points are moved."""
    if n < 2:
        raise NoValue("a subgraph of out-degree one needs n >= 2")
    count = int(most) + 1
    least = count * (n - 1) ** n  # all points equal, at any of the integers
    yield least <= most, f"at equal points alone it is {least}"


@named_check("spectral embeddings are minimisers")
def spectral_embeddings(at: Point, tau: Any, *, values: Values) -> Findings:
    """No points on a line have less loss, by ``MARGIN``, than an eigenvector of the Laplacian of pi
    for the eigenvalue number ``which`` (from the least on, which is 1) has in its best length. The
    length 0, equal points, is allowed as well, so what fails here fails by a gap that no length
    makes up for. Tried beside it: descents from this and from all other eigenvectors."""
    rows, _ = graph_of(at)
    n = len(rows)
    p, which = shares(rows), int(values["which"])
    if not 1 <= which <= n:
        raise NoValue("the number of the eigenvalue is out of range")
    lap = laplacian(Matrix.from_rows(rows))
    eigenvalues, vectors = mpmath.eigsy(mpmath.matrix([[mpf(v) for v in row] for row in lap.rows]))
    alike = sum(abs(v - eigenvalues[which - 1]) < NEAR for v in eigenvalues)
    if alike > 1:
        if alike == n - 1:  # all points whose mean is 0 are eigenvectors, and others are no better
            return
        yield None, "the eigenvalue is not simple"
    columns = [[vectors[i, k] for i in range(n)] for k in range(n)]
    least, _ = in_any_length(p, columns[which - 1], tau)
    best, where = least, columns[which - 1]
    for column in columns:
        start = in_any_length(p, column, tau)[1]
        z = descent(p, [float(start * x) for x in column], float(tau))
        found = infonce(p, [(x,) for x in z], tau)
        if found < best:
            best, where = found, z
    points = "(" + ", ".join(map(str, where)) + ")"
    says = f"the loss is {text(best)} at {points}; the eigenvector has {text(least)} in its best"
    yield bool(least - best <= MARGIN * (1 + abs(least))), f"{says} length"


def in_any_length(weights: Rows, v: Sequence[Any], tau: Any) -> tuple[Any, Any]:
    """A number below the loss at c v for every c >= 0, and a c that comes near it. The loss is
    convex in the square of c: a slope and logarithms of sums of exponentials. So it is above its
    tangents on both sides of where it is least."""
    n = len(v)
    squares = [[(v[i] - v[j]) ** 2 / (2 * mp(tau)) for j in range(n) if j != i] for i in range(n)]
    pull = mpmath.fsum(
        mp(weights[i][j]) * (v[i] - v[j]) ** 2 / (2 * mp(tau))
        for i in range(n)
        for j in range(n)
        if j != i
    )

    def loss(s: Any) -> Any:
        sums = (mpmath.fsum(mpmath.exp(-s * d) for d in row) for row in squares)
        return s * pull + mpmath.fsum(map(mpmath.log, sums))

    def slope(s: Any) -> Any:
        found = pull
        for row in squares:
            heat = [mpmath.exp(-s * (d - min(row))) for d in row]
            found -= mpmath.fdot(heat, row) / mpmath.fsum(heat)
        return found

    low, high = mpmath.mpf(0), mp(tau)
    if slope(low) >= 0:
        return loss(low), low
    while slope(high) < 0:
        high *= 2
        if high > FAR * mp(tau):  # it falls for ever, to what it is here up to all digits
            return loss(high), mpmath.sqrt(high)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) < 0 else (low, middle)
    return loss(low) + slope(low) * (high - low), mpmath.sqrt(low)


def descent(weights: Rows, start: list[float], tau: float) -> list[Fraction]:
    """Points on a line with less loss, if there are some downhill: steps against the gradient,
    then rounded to hundredths."""
    p, z, step = np.array(weights, float), np.array(start), tau

    def loss_and_slope(x: Floats) -> tuple[float, Floats]:
        apart = x[:, None] - x
        gaps = apart**2 / (2 * tau)
        others = gaps + np.diag([np.inf] * len(x))
        near = others.min(1)[:, None]
        heat = np.exp(near - others)
        whole = heat.sum(1)[:, None]
        pull = (p - heat / whole) * apart / tau
        return float((np.log(whole) - near).sum() + (p * gaps).sum()), (pull.T - pull).sum(1)

    value, down = loss_and_slope(z)
    for _ in range(STEPS):
        moved = z + step * down
        reached, further = loss_and_slope(moved)
        step *= 1.5 if reached < value else 0.5
        if reached < value:
            z, value, down = moved, reached, further
    return [Fraction(round(100 * x), 100) for x in z.tolist()]


@named_check("loss of batches")
def batches(at: Point, N: int, tau: Any, *, times: Any) -> Findings:
    """The mean of (1) over pairs from pi and over all batches of N objects with the pair in it,
    whose others are the candidates, less the loss with all objects as candidates (times ``times``)
    is the same at the points and at equal points."""
    rows, points = graph_of(at)
    n = len(rows)
    p = shares(rows)

    def gap(z: Rows) -> Any:
        heat = gaussian(z, tau)
        total = mpmath.mpf(0)
        for i, j in product(range(n), repeat=2):
            if i == j or p[i][j] == 0:
                continue
            others = [k for k in range(n) if k not in (i, j)]
            drawn = list(combinations(others, N - 2))
            if not drawn:
                raise NoValue("a batch of this size does not exist")
            logs = [mpmath.log(mpmath.fsum(mp(heat[i][k]) for k in (j, *b))) for b in drawn]
            mean = mpmath.fsum(logs) / len(logs) - mpmath.log(mp(heat[i][j]))
            total += mp(p[i][j]) * mean
        return total - mp(times) * mp(infonce(p, z, tau))

    equal = tuple((ZERO,) for _ in range(n))
    here, of_equal = gap(points), gap(equal)
    same = abs(here - of_equal) <= NEAR * (1 + abs(of_equal))
    yield bool(same), f"the difference is {text(here)}, and {text(of_equal)} at equal points"


@named_check("components lie apart")
def components(m: int, tau: Any, *, weight: Any) -> Findings:
    """Of the graph of m separate pairs the least loss on the unit sphere of R^1 has a minimiser at
    which points of different pairs are different; all points there are tried. ``weight`` is that of
    an edge."""
    n = 2 * m
    rows = tuple(
        tuple(Fraction(int(i != j and i // 2 == j // 2)) * weight for j in range(n))
        for i in range(n)
    )
    yield weight == 1, "the rows are no distributions"
    found = minimisers(lambda z: infonce(rows, z, tau), signs(n))

    def apart(z: Any) -> bool:
        return all(z[i] != z[j] for i in range(n) for j in range(i) if i // 2 != j // 2)

    yield any(map(apart, found)), f"a minimiser is {shown(found[0])}"


@named_check("many points on the sphere")
def many_points(n: int, q: int, *, share: Any) -> Findings:
    """On the unit sphere of R^q there are n different points, and the matrix of the Gaussian kernel
    of any such has the rank n times ``share``: so the space of the kernel has that many
    dimensions."""
    yield q != 1 or n <= 2, "the unit sphere of R^1 has two points, and the space two dimensions"
    turns = [(Fraction(1 - k * k, 1 + k * k), Fraction(2 * k, 1 + k * k)) for k in range(n)]
    rows = [(x, y, *([ZERO] * (q - 2))) for x, y in turns] if q > 1 else [(ONE,), (-ONE,)][:n]
    found = Matrix.from_rows(gaussian(tuple(rows), ONE)).rank()
    yield found == n * share, f"the rank is {found}"


@named_check("reproducing kernel")
def reproducing(n: int, *, factor: Any) -> Findings:
    """On n points with the kernel matrix K, not negative and maybe singular, the functions
    K a with <K a, K b> = ``factor`` a^T K b are a space whose kernel K reproduces: the
    inner product depends on the functions alone, and <h, k_i> = h_i."""
    for rank in range(1, n + 1):
        root = Matrix.from_rows(
            [
                [Fraction((i + 2 * j * j + i * j) % 5 * (j < rank)) for j in range(n)]
                for i in range(n)
            ]
        )
        kernel = root.times(root.transposed)
        assert kernel is not None
        for k in range(n):
            a = [Fraction((k + 1) * i - 2) for i in range(n)]
            h = [sum((v * x for v, x in zip(row, a, strict=True)), ZERO) for row in kernel.rows]
            solved = kernel.solved(h)  # another a with the same function
            yield solved is not None, "it is not in the space"
            assert solved is not None
            for i in range(n):
                inner = factor * sum(
                    (s * v for s, v in zip(solved, kernel.rows[i], strict=True)), ZERO
                )
                yield inner == h[i], f"<h, k_{i + 1}> = {inner}, and h is {h[i]} there"


@named_check("a mixture is an exponential kernel")
def mixture(at: Point, *, square: Any) -> Findings:
    """The logarithm h of alpha exp(-x / tau) + (1 - alpha) exp(-x^2 / tau_prime) is a multiple of a
    power of x at the distances 1, 2, 4: so h(1) h(4) is the power ``square`` of h(2)."""
    alpha, tau, other = (mp(as_number(at[k])) for k in ("alpha", "tau", "tau_prime"))

    def h(x: int) -> Any:
        return mpmath.log(alpha * mpmath.exp(-x / tau) + (1 - alpha) * mpmath.exp(-(x**2) / other))

    left, right = h(1) * h(4), (-h(2)) ** int(square)
    same = abs(left - right) <= NEAR * (1 + abs(right))
    yield bool(same), f"{text(left)} = {text(right)}"

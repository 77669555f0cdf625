"""Checks of kernels, pair graphs and the experiments on synthetic data."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath

from ...language.quantities import as_number, compare, mp, text
from ..records.run import Findings, Point, named_check
from .checks_graphs import minimisers, signs
from .sets import adjacency
from .subgraphs import Rows, attraction, cross_entropy, gaussian, partition

ZERO = Fraction(0)
DIGITS = 80
INFINITE = "a negative power of a distance has no value where two points are the same"
#: Distances to the power gamma, over tau, at which three points on a line are tried.
GAPS = (1, Fraction(1, 10), *(Fraction(1, 10**k) for k in (2, 4, 8, 16)))


def _indefinite(kernel: Callable[[Any], Any], gaps: Iterable[tuple[Any, str]]) -> Findings:
    """The Gram matrices of a kernel of distances at points of a line: three at each of the gaps,
    with the coefficients (1, -2, 1), and five at other gaps, by Cholesky."""
    with mpmath.workdps(DIGITS):
        for gap, what in gaps:
            form = 6 * kernel(mpmath.mpf(0)) - 8 * kernel(gap) + 2 * kernel(2 * gap)
            yield form > 0, f"{what}: the form (1, -2, 1) is {text(form)}"
        places = [mpmath.mpf(k * k) / 8 for k in range(5)]
        gram = mpmath.matrix([[kernel(abs(x - y)) for y in places] for x in places])
        try:
            mpmath.cholesky(gram)
        except ValueError:
            yield False, "five points on a line: the Gram matrix is not positive definite"


@named_check("kernel is positive definite")
def kernel_is_positive_definite(*, power: Any) -> Findings:
    """exp(-|x - y|^power / tau) has positive forms on a line, where gaps are scaled with tau."""
    yield power >= 0, INFINITE
    with mpmath.workdps(DIGITS):
        gaps = [
            (mp(gap) ** (1 / mp(power)), f"points 0, h, 2h with h^gamma = {gap} tau")
            for gap in GAPS
            if power != 0
        ]
    yield from _indefinite(lambda x: mpmath.exp(-(x ** mp(power))), gaps)


@named_check("sum of kernels is positive definite")
def sum_of_kernels(tau_1: Any, tau_2: Any, *, first: Any, last: Any) -> Findings:
    """exp(-|x - y|^first / tau_2) + exp(-|x - y|^last / tau_1) has positive forms on a line."""
    powers = [(mp(first), mp(tau_2)), (mp(last), mp(tau_1))]
    yield min(first, last) >= 0, INFINITE
    with mpmath.workdps(DIGITS):
        gaps = [
            ((mp(gap) * tau) ** (1 / max(power, mpmath.mpf(1))), "points 0, h, 2h")
            for gap in GAPS
            for power, tau in powers
        ]
    yield from _indefinite(
        lambda x: mpmath.fsum(mpmath.exp(-(x**p) / tau) for p, tau in powers), gaps
    )


@named_check("concatenation on rectangles")
def concatenation_on_rectangles(at: Point, *, value: Any) -> Findings:
    """On the corners (x, y), (x', y), (x, y'), (x', y') the form of exp(-|x - x'|^2 / tau_2) +
    exp(-|y - y'| / tau_1) with the coefficients (1, -1, -1, 1) is ``value``."""
    with mpmath.workdps(DIGITS):
        one, other = (mp(as_number(at[k])) for k in ("tau_2", "tau_1"))
        for sides in ((1, 1), (Fraction(6, 5), Fraction(8, 5)), (Fraction(1, 7), 3)):
            corners = [(x, y) for y in (0, 1) for x in (0, 1)]
            form = mpmath.mpf(0)
            for c, (x, y) in zip((1, -1, -1, 1), corners, strict=True):
                for b, (v, w) in zip((1, -1, -1, 1), corners, strict=True):
                    far, wide = mp(sides[0]) * abs(x - v), mp(sides[1]) * abs(y - w)
                    form += b * c * (mpmath.exp(-(far**2) / one) + mpmath.exp(-wide / other))
            says = f"sides {sides[0]}, {sides[1]}: the form is {text(form)}"
            yield compare(form, value, "="), says


#: Edges between two images and two texts, by rows: all graphs in which every object has one.
SQUARES = [
    ((a, b), (c, d))
    for a, b, c, d in sorted(product((0, 1), repeat=4), key=lambda g: (sum(g), -g[0]))
    if (a or b) and (c or d) and (a or c) and (b or d)
]


@named_check("CLIP and spectral clustering have the same minimisers")
def clip_and_spectral_clustering(tau: Any, *, factor: Any) -> Findings:
    """Unit embeddings in R^1 are signs, so that all can be tried: for two images and two texts the
    cross-entropy between the pair graph and the Gaussian kernel, and ``factor`` times the trace of
    Z^T L Z plus the logarithm of R, are least at the same embeddings."""
    across = [[i // 2 != j // 2 for j in range(4)] for i in range(4)]

    def heat(z: Rows) -> Rows:
        """The Gaussian kernel between images and texts."""
        full = gaussian(z, tau)
        return tuple(
            tuple(v if a else ZERO for v, a in zip(*rows, strict=True))
            for rows in zip(full, across, strict=True)
        )

    with mpmath.workdps(DIGITS):
        for edges in SQUARES:
            full = adjacency(edges)
            weights = tuple(tuple(v / sum(row) for v in row) for row in full)

            def program(z: Rows, weights: Rows = weights) -> Any:
                repulsion = mpmath.log(mp(partition(heat(z))))
                return mp(factor) * mp(attraction(weights, z)) + repulsion

            def crossed(z: Rows, weights: Rows = weights) -> Any:
                return cross_entropy(weights, heat(z))

            loss, other = (minimisers(of, signs(4)) for of in (crossed, program))
            if loss != other:
                says = (
                    f"edges {edges[0]}, {edges[1]}: least at {_signs(loss[0])}, and as printed at "
                )
                yield False, says + f"{_signs(other[0])} (two images, two texts)"


def _signs(z: Rows) -> tuple[int, ...]:
    return tuple(int(x[0]) for x in z)


@named_check("clusters of the augmented pair graph")
def clusters_of_the_augmented_graph(N: int, m: int, n: int, *, least: Any) -> Findings:
    """N pairs, m further views of each image, n rewrites of each text, all views of an image joined
    with all texts of its pair: the number of components is ``least``, which the print says is more
    than N."""
    images, texts = m + 1, n + 1
    parent = list(range(N * (images + texts)))

    def top(v: int) -> int:
        while parent[v] != v:
            v = parent[v]
        return v

    for k in range(N):
        start = k * (images + texts)
        for i in range(images):
            for j in range(texts):
                parent[top(start + i)] = top(start + images + j)
    found = sum(parent[v] == v for v in range(len(parent)))
    yield found == least, f"{found} components"


#: Probabilities of an edge inside and across, in the two experiments.
SETTINGS = ((Fraction(1), Fraction(0)), (Fraction(3, 4), Fraction(1, 5)))


@named_check("bottom eigenvectors of the clusters")
def bottom_eigenvectors(m: int, n: int, *, dimension: Any) -> Findings:
    """Of the Laplacian of the mean graph of m clusters of n vertices, in both settings: after the
    first ``dimension`` eigenvalues beyond the constant vector comes a larger one, so that their
    eigenvectors are determined as a set, and the ones before are not larger than across."""
    for p, q in SETTINGS:
        # Contrasts between clusters, and inside of them.
        spectrum = sorted([m * n * q] * (m - 1) + [n * p + (m - 1) * n * q] * (m * (n - 1)))
        yield 0 < dimension < len(spectrum), "there are not so many"
        before, after = spectrum[int(dimension) - 1], spectrum[int(dimension)]
        if before == after:
            count = spectrum.count(before)
            says = f"p = {p}, q = {q}: the eigenvalue {before} is there {count} times"
            yield False, says + ", beyond the constant"


#: Mean accuracies, a row for each method: SimCLR (MoCo) first, the Laplacian kernel, gamma = 1/2
#: and the two mixtures (the Laplacian kernel and the sum). None is lost in the extraction.
TABLES: dict[int, list[list[str | None]]] = {
    1: [
        ["88.11", "90.60", "62.57", "66.29", "34.00", "37.83"],
        ["89.26", "91.03", "63.16", "66.09", "35.91", "38.71"],
        ["89.00", "91.23", "63.48", "65.81", "34.17", "38.75"],
        ["89.82", "91.72", "66.67", "68.62", "36.61", "39.38"],
        ["89.89", "91.28", "66.10", "68.57", "35.98", "38.77"],
    ],
    4: [
        ["76.41", "80.01", "84.45", "47.02", "52.50", "57.62"],
        ["78.09", "83.85", "88.34", None, "53.44", "59.10"],
        ["78.12", "83.23", "87.50", None, "53.62", "59.83"],
    ],
}


def _rows(table: Any) -> list[list[Fraction | None]]:
    """The numbers of a table; none if there is no such table."""
    return [[None if v is None else Fraction(v) for v in r] for r in TABLES.get(int(table), [])]


@named_check("better than the first row")
def better_than_the_first(*, table: Any, least: Any) -> Findings:
    """The rows that are above the first one in all columns that can be read are those from the row
    ``least`` on."""
    rows = _rows(table)
    yield rows, "there is no such table"
    better, says = [], ""
    for k, row in enumerate(rows[1:], 2):
        below = [v for v, w in zip(row, rows[0], strict=True) if v is not None and v <= (w or 0)]
        better += [k] if not below else []
        says = says or (f"row {k} has {float(below[0])}" if below else "")
    yield better == list(range(int(least), len(rows) + 1)), says


@named_check("best on average")
def best_on_average(*, row: Any) -> Findings:
    """Of the rows of Table 1 ``row`` has the largest mean over all columns."""
    sums = [sum((v for v in one if v is not None), Fraction(0)) for one in _rows(1)]
    best = sums.index(max(sums)) + 1
    yield best == row, f"it is row {best}"


@named_check("best of a column")
def best_of_a_column(*, column: int, value: Any) -> Findings:
    """``value`` is the largest number of a column of Table 4."""
    rows = _rows(4)
    yield 1 <= column <= len(rows[0]), "there is no such column"
    best = max(v for row in rows for v in [row[column - 1]] if v is not None)
    yield best == value, f"it is {float(best)}"

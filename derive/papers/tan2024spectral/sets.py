r"""The sets that statements of the paper are tried on: graphs with points, kernels, views.

A graph has weights ``\pi_{ij}``, of any kind: with loops, asymmetric, with rows of zeros.
``\mathbb{E}[...]`` is over the subgraph W under pi, ``P`` the mean of W under pi, ``Q`` that under
the Gaussian kernel ``K`` of the points at the temperature tau, ``H`` the cross entropy, ``R`` and
``T`` the sums over all W of the products of entries of K and of pi, ``\operatorname{pr}(W)`` and
``\operatorname{Pr}(W)`` the probabilities under pi and under K.

Letters of *similarities*: \psi_i, a distribution \alpha_i, its entropy H; P_1 and P_2 are the
largest values of two programs over all distributions, by their optimality conditions: of the
entropy where the mean similarity is at least \psi_1, and of tau H plus the mean less \psi_1.
Of *a query*: q and p_1..p_N; of *objects*: z_1..z_n with weights w_{ij}, and H, the mean
over all subgraphs of out-degree one of minus the log of their probability under a kernel k. Of
*graphs*: w_{ij}, and the probability P_{ij} of an edge in a subgraph drawn uniformly. Of *a
pair graph*: images x_1..x_m, texts y_1..y_n, all of them z_1..z_{m+n}, the edges e_{ij} between
them, out-degrees g_i, and w_{ij} = e_{ij} / g_i. Of *views*: z_1..z_{2N}.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import mpmath
from sympy import Expr, Rational, exp

from ...language.evaluate import OUTCOMES, OfScene, Scene, value
from ...language.matrices import Matrix
from ...language.nodes import Name, Number
from ...language.parser import Letters
from ...language.quantities import NoValue, Unknown, mp
from ...vectors.embeddings import Embeddings
from ..records.families import counted, unit_vector
from ..records.family import family
from ..records.points import OF_MATRICES, ONE, ZERO, axis, directions, gap, random_points, times
from ..records.tables import Tables, number
from .subgraphs import (
    Rows,
    as_matrix,
    cross_entropy,
    every_subgraph,
    gaussian,
    laplacian,
    law,
    marginals,
    partition,
)

#: Halvings of the interval of a multiplier.
HALVINGS = 220


# --- graphs and points ---------------------------------------------------------------------------
def _table(matrix_in: Callable[[Scene], Matrix]) -> OfScene:
    """A matrix, or an entry of it."""

    def found(scene: Scene, *indices: int, mark: str = "") -> Any:
        if not indices:
            return matrix_in(scene)
        i, j = indices
        rows = matrix_in(scene).rows
        return rows[counted(i, len(rows))][counted(j, len(rows))]

    return OfScene(found)


def _sine(scene: Scene, *_: Any) -> Any:
    raise NoValue("a sine has one argument")


def of_graph(e: Tables) -> dict[str, Any]:
    """What letters stand for on a graph with points."""
    rows = e.numbers["pi"].rows
    points = e.points["z"]
    n = len(points)

    def kernel(scene: Scene) -> Rows:
        if "tau" not in scene.numbers:
            raise Unknown("nothing says what tau is")
        return gaussian(points, scene.numbers["tau"])

    def probability(table: Rows, w: Matrix) -> Any:
        return dict(law(table))[tuple(row.index(ONE) for row in w.rows)]

    def query(scene: Scene) -> Any:
        """(1) of the first point, with the second as its positive, and all others."""
        gaps = [e.dot({(0, 0, 0): ONE}, {(0, k, 0): ONE, (0, 1, 0): -ONE}) for k in range(2, n)]
        heat = [mpmath.exp(mp(gap) / mp(scene.numbers["tau"])) for gap in gaps]
        return mpmath.log(1 + mpmath.fsum(heat))

    def drawn(matrix: Matrix) -> OfScene:
        return _table(lambda scene: matrix)

    def outcomes() -> list[tuple[Any, Embeddings, dict[str, Any]]]:
        return [(p, e, {**found, "W": drawn(as_matrix(target))}) for target, p in law(rows)]

    found: dict[str, Any] = {
        **e.named(),
        **OF_MATRICES,
        "pi": _table(lambda scene: e.numbers["pi"]),
        "K": _table(lambda scene: Matrix.from_rows(kernel(scene))),
        "P": _table(lambda scene: marginals(rows)),
        "Q": _table(lambda scene: marginals(kernel(scene))),
        "H": OfScene(lambda scene, mark="": cross_entropy(rows, kernel(scene))),
        "R": OfScene(lambda scene, mark="": partition(kernel(scene))),
        "T": OfScene(lambda scene, mark="": partition(rows)),
        "pr": lambda scene, w: probability(rows, w),
        "Pr": lambda scene, w: probability(kernel(scene), w),
        "Lap": lambda scene, w: laplacian(w),
        "L": query,
        "sim": lambda scene, one, other: e.dot(one, other),
        "sin": _sine,
        OUTCOMES: outcomes,
    }
    return found


def _circulant(n: int) -> list[list[Fraction]]:
    """Symmetric, without loops, each row a distribution; uneven where there is room."""
    raw = [
        [Fraction(0 if i == j else 1 + 2 * ((i - j) % n in (1, n - 1))) for j in range(n)]
        for i in range(n)
    ]
    return [[v / sum(row) for v in row] for row in raw]


def _triangles() -> list[list[Fraction]]:
    """Two triangles joined by an edge, each row a distribution. (2, 2, 1, -1, -2, -2) is an
    eigenvector of the Laplacian, for 2/13, its least eigenvalue but 0."""
    edges = {(0, 1): 9, (0, 2): 4, (1, 2): 4, (2, 3): 5, (3, 4): 4, (3, 5): 4, (4, 5): 9}
    return [
        [Fraction(edges.get((min(i, j), max(i, j)), 0), 13) for j in range(6)] for i in range(6)
    ]


@cache
def weights_on(n: int) -> dict[str, list[list[Fraction]]]:
    """Tables of weights by what they are."""

    def by(entry: Any) -> list[list[Fraction]]:
        return [[Fraction(entry(i, j)) for j in range(n)] for i in range(n)]

    half = Fraction(1, 2)
    found = {"a loop at every node": by(lambda i, j: int(i == j))}
    if n == 1:
        return {**found, "nothing": by(lambda i, j: 0)}
    even = by(lambda i, j: 0 if i == j else Fraction(1, n - 1))
    steps = by(lambda i, j: 0 if i == j else Fraction(1 + (2 * i + j) % 3, 2))
    shares = [[v / sum(row) for v in row] for row in steps]
    weights = by(lambda i, j: 0 if i == j else 1 + (i + 2 * j + min(i, j)) % 2 + (i * j) % 3)
    both = [[(weights[i][j] + weights[j][i]) / 2 for j in range(n)] for i in range(n)]
    return {
        "even": even,
        "a ring": _circulant(n),
        "even, with loops": by(lambda i, j: half if i == j else half / (n - 1)),
        "a directed ring": by(lambda i, j: int(j == (i + 1) % n)),
        "rows of shares": shares,
        "rows of shares, with loops": [
            [v / 2 + (half if i == j else 0) for j, v in enumerate(row)]
            for i, row in enumerate(shares)
        ],
        "symmetric weights": both,
        "weights": steps,
        "weights, with loops": [
            [v + (i + 1 if i == j else 0) for j, v in enumerate(row)] for i, row in enumerate(steps)
        ],
        "one edge only": by(lambda i, j: int((i, j) == (0, 1))),
        "a star": by(lambda i, j: int(i != j and 0 in (i, j))),
        **found,
        "a row of zeros": by(lambda i, j: int(i > 0 and i != j)),
        "a loop alone in its row": by(lambda i, j: int(i != j if i else j == 0)),
        **({"two triangles": _triangles()} if n == 6 else {}),
    }


@cache
def points_on(n: int, q: int) -> dict[str, list[list[Fraction]]]:
    """Points in R^q by what they are."""
    first = [ONE, *([ZERO] * (q - 1))]
    return {
        "any points": random_points(n, q, 0),
        "directions": directions(n, q, 1),
        "all points equal": [first] * n,
        "points at 0": [[ZERO] * q] * n,
    }


GRAPH = Letters(
    vectors=frozenset("z"),
    sets=frozenset(),
    functions=frozenset({"pr", "Pr", "Lap", "sim", "sin", *OF_MATRICES}),
    entries=frozenset({"pi"}),
    over="n",
)


@family("graphs and points", of_graph, GRAPH, most=14)
@cache
def graphs_of(n: int, q: int = 2) -> tuple[Embeddings, ...]:
    """All tables with all points."""
    return tuple(
        Tables({"pi": rows}, {"z": z}, f"{what}, {where}")
        for where, z in points_on(n, q).items()
        for what, rows in weights_on(n).items()
    )


# --- product laws --------------------------------------------------------------------------------
def _against(p: Sequence[Any], q: Sequence[Any]) -> Any:
    """A cross entropy; infinite where the second has not what the first has."""
    if any(a != 0 and b == 0 for a, b in zip(p, q, strict=True)):
        return mpmath.inf
    return mpmath.fsum(-mp(a) * mpmath.log(mp(b)) for a, b in zip(p, q, strict=True) if a != 0)


def _of_product_laws(e: Tables) -> dict[str, Any]:
    """``h_i`` is the cross entropy of two factors, ``h`` that of the products on all outcomes."""
    p, q = e.numbers["p"].rows, e.numbers["q"].rows

    def found(*indices: int, mark: str = "") -> Any:
        if indices:
            return _against(p[indices[0] - 1], q[indices[0] - 1])
        every = list(product(range(len(p[0])), repeat=len(p)))
        return _against(
            *([times(*(rows[i][j] for i, j in enumerate(x))) for x in every] for rows in (p, q))
        )

    return {**e.named(), "h": found}


@family(
    "product laws",
    _of_product_laws,
    Letters(vectors=frozenset(), sets=frozenset(), entries=frozenset("pqh"), over="n"),
    most=9,
)
@cache
def product_laws_of(m: int, n: int) -> tuple[Embeddings, ...]:
    """Two products of m laws on n outcomes: full, with zeros, with zeros in the second alone."""
    if n**m > 4**4:
        raise Unknown("there are too many outcomes")

    def shares(entry: Any) -> list[list[Fraction]]:
        rows = [[Fraction(entry(i, j)) for j in range(n)] for i in range(m)]
        return [[v / sum(row) for v in row] for row in rows]

    def some(i: int, j: int) -> int:
        return 1 + (i + 2 * j + i * j) % 5

    def other(i: int, j: int) -> int:
        return 1 + (3 * i + j) % 4

    def first_only(i: int, j: int) -> int:
        return int(j == 0)

    def not_last(i: int, j: int) -> int:
        return int(j < max(1, n - 1))

    pairs = [(some, other), (some, some), (first_only, other), (not_last, not_last)]
    pairs += [(some, not_last)] if n > 1 else []
    return tuple(Tables({"p": shares(p), "q": shares(q)}) for p, q in pairs)


# --- subgraphs of all kinds ----------------------------------------------------------------------
def _of_subgraph(e: Tables) -> dict[str, Any]:
    w, pi = (e.numbers[k] for k in ("w", "pi"))
    return {"W": _table(lambda scene: w), "pi": _table(lambda scene: pi)}


@family("subgraphs", _of_subgraph, replace(GRAPH, vectors=frozenset()), most=6)
def subgraphs(n: int) -> Iterator[Tables]:
    """All of them, beside one table of weights."""
    if n > 3:
        raise Unknown("all W are gone through for n <= 3")
    rows = weights_on(n)["a ring" if n > 1 else "nothing"]
    for w in every_subgraph(n):
        yield Tables({"w": w, "pi": rows})


# --- similarities and a distribution ---------------------------------------------------------
def tilted(psi: Sequence[Any], rate: Any) -> list[Any]:
    """Shares of exp(rate psi)."""
    top = max(rate * mp(v) for v in psi)
    heat = [mpmath.exp(rate * mp(v) - top) for v in psi]
    total = mpmath.fsum(heat)
    return [v / total for v in heat]


def entropy(alpha: Sequence[Any]) -> Any:
    """The entropy, with 0 log 0 = 0."""
    return -mpmath.fsum(a * mpmath.log(a) for a in map(mp, alpha) if a > 0)


@cache
def largest_entropy(psi: tuple[Any, ...]) -> Any:
    """The largest entropy of a distribution whose mean of psi is at least the first of them."""
    first, top = mp(psi[0]), max(map(mp, psi))
    if mpmath.fsum(map(mp, psi)) >= first * len(psi):
        return mpmath.log(len(psi))
    if first == top:  # only the largest may have a share
        return mpmath.log(sum(mp(v) == top for v in psi))
    low, high = mpmath.mpf(0), mpmath.mpf(1)

    def mean(rate: Any) -> Any:
        return mpmath.fsum(a * mp(v) for a, v in zip(tilted(psi, rate), psi, strict=True))

    while mean(high) < first:
        high *= 2
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if mean(middle) < first else (low, middle)
    return entropy(tilted(psi, high))


@cache
def largest_sum(psi: tuple[Any, ...], tau: Any) -> Any:
    """The largest tau H + mean of psi - psi_1. A distribution without zeros maximises this
    strictly concave function iff its derivatives psi_i - tau (log alpha_i + 1) are all the same."""
    numbers = [mp(v) for v in psi]

    def shares(level: Any) -> list[Any]:
        return [mpmath.exp((v - level) / tau - 1) for v in numbers]

    low, high = min(numbers) - 50 * tau - 1, max(numbers) + tau * len(psi) + 1
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if mpmath.fsum(shares(middle)) > 1 else (low, middle)
    alpha = shares(high)
    mean = mpmath.fsum(a * v for a, v in zip(alpha, numbers, strict=True))
    return tau * entropy(alpha) + mean - numbers[0]


def _of_similarities(e: Tables) -> dict[str, Any]:
    psi, alpha = (tuple(number(v) for v in e.entries[k][0]) for k in "sa")

    def program(scene: Scene, k: int, mark: str = "") -> Any:
        if k == 1:
            return largest_entropy(psi)
        if k != 2:
            raise Unknown("the programs are P_1 and P_2")
        return largest_sum(psi, mp(scene.numbers["tau"]))

    return {
        "psi": lambda k, mark="": psi[counted(k, len(psi))],
        "alpha": lambda k, mark="": alpha[counted(k, len(alpha))],
        "H": lambda mark="": entropy(alpha),
        "P": OfScene(program),
    }


@family(
    "similarities",
    _of_similarities,
    Letters(vectors=frozenset(), sets=frozenset(), entries=frozenset("sa")),
    most=24,
)
@cache
def similarities(n: int, tau: Expr = Rational(1)) -> tuple[Tables, ...]:
    """Similarities, among them ties, and distributions on them."""
    rng = random.Random(n)
    down = [Fraction(n - i, 2) for i in range(n)]
    kinds = {
        "the first largest": down,
        "the first least": down[::-1],
        "the first second": [ONE, *([2 * ONE] if n > 1 else []), *([ZERO] * (n - 2))][:n],
        "all equal": [ONE] * n,
        "a tie with the first": [ONE, ONE, *([ZERO] * n)][:n],
        "any": [Fraction(rng.randint(-4, 4), rng.randint(1, 3)) for _ in range(n)],
    }
    found = []
    for what, psi in kinds.items():
        top = max(psi)
        best = [i for i, v in enumerate(psi) if v == top]
        part = [Rational(rng.randint(1, 5)) for _ in range(n)]
        heat = [exp(Rational(v.numerator, v.denominator) / tau) for v in psi]
        ways: dict[str, list[Expr]] = {
            "at the first": [Rational(int(i == 0)) for i in range(n)],
            "uniform": [Rational(1, n)] * n,
            "on the largest": [Rational(int(i in best), len(best)) for i in range(n)],
            "at the last of the largest": [Rational(int(i == best[-1])) for i in range(n)],
            "on the least": [Rational(int(i == psi.index(min(psi)))) for i in range(n)],
            "any": [v / sum(part) for v in part],
            "exponential": [v / sum(heat) for v in heat],
        }
        found += [
            Tables({"s": [psi], "a": [a]}, note=f"{what}, alpha {how}") for how, a in ways.items()
        ]
    return tuple(found)


# --- a query and its candidates----------
def _of_query(e: Tables) -> dict[str, Any]:
    return {"q": e.point("q"), "p": e.point("p"), "f": lambda scene, v: v}


@family(
    "a query",
    _of_query,
    Letters(vectors=frozenset("qp"), sets=frozenset(), functions=frozenset({"f", "K"})),
    most=24,
)
@cache
def queries_of(N: int) -> tuple[Tables, ...]:
    """A query and its candidates."""
    rng = random.Random(N)
    on_line = [[Fraction(rng.randint(-3, 3), 2)] for _ in range(N + 1)]
    found = []
    for rows, note in (
        (directions(N + 1, 2, 3), "unit vectors in the plane"),
        (directions(N + 1, 3, 4), "unit vectors in space"),
        (on_line, "on a line"),
        ([axis(2)] * (N + 1), "all equal"),
        ([axis(2), *([axis(2, 1)] * N)], "all candidates equal"),
        ([axis(1), *([axis(1)] * (N - 1)), [Fraction(-1)]], "the last opposite, all others equal"),
    ):
        found.append(Tables({}, {"q": [rows[0]], "p": rows[1:]}, note))
    return tuple(found)


# --- objects and a kernel----------
def crossed(weights: Sequence[Sequence[Any]], compared: Callable[[int, int], bool]) -> OfScene:
    """The cross-entropy with the kernel k_{i,j} that the record defines, which is 0 for pairs that
    are not compared."""

    def found(scene: Scene, mark: str = "") -> Any:
        every = range(1, len(weights) + 1)

        def entry(i: int, j: int) -> Any:
            indices = tuple(Number(Fraction(v)) for v in (i, j))
            return mp(value(Name("k", indices), scene)) if compared(i, j) else ZERO

        kernel = tuple(tuple(entry(i, j) for j in every) for i in every)
        return cross_entropy(tuple(map(tuple, weights)), kernel)

    return OfScene(found)


def _of_objects(e: Tables) -> dict[str, Any]:
    return {**e.named(), "H": crossed(e.numbers["w"].rows, lambda i, j: i != j)}


@family(
    "objects",
    _of_objects,
    Letters(vectors=frozenset("z"), sets=frozenset(), entries=frozenset("w")),
    most=16,
)
@cache
def objects_of(n: int) -> tuple[Tables, ...]:
    """Weights with points."""
    rng = random.Random(n)
    some = [[Fraction(rng.randint(1, 5)) for _ in range(n)] for _ in range(n)]
    shares = [
        [v / (sum(row) - row[i]) if i != j else ZERO for j, v in enumerate(row)]
        for i, row in enumerate(some)
    ]
    following = [[Fraction(int(j == (i + 1) % n)) for j in range(n)] for i in range(n)]
    plane, line = directions(n, 2, 5), [[Fraction(i * i, 4)] for i in range(n)]
    return tuple(
        Tables({"w": w}, {"z": z}, f"{what}, {where}")
        for w, what in ((following, "each with the next"), (shares, "any shares"))
        for z, where in ((plane, "unit vectors"), (line, "on a line"), ([axis(2)] * n, "all equal"))
    )


# --- graphs of weights 0 and 1 -------------------------------------------------------------------
def _of_graphs(e: Tables) -> dict[str, Any]:
    rows = e.numbers["w"].rows
    return {**e.named(), "P": lambda i, j, mark="": marginals(rows).rows[i - 1][j - 1]}


@family(
    "graphs",
    _of_graphs,
    Letters(vectors=frozenset(), sets=frozenset(), entries=frozenset("w")),
    most=16,
)
def graphs(n: int) -> Iterator[Tables]:
    """Symmetric graphs: complete, a cycle, in pairs, without an edge at a vertex, any."""
    rng = random.Random(n)
    drawn = {(i, j): rng.randint(0, 1) for i in range(n) for j in range(i)}
    ways: dict[str, Callable[[int, int], bool]] = {
        "complete": lambda i, j: True,
        "a path": lambda i, j: i - j == 1,
        "in pairs": lambda i, j: i // 2 == j // 2,
        "a vertex without neighbours": lambda i, j: j > 0,
        "any": lambda i, j: bool(drawn[i, j]),
    }
    for note, way in ways.items():
        w = [
            [Fraction(int(i != j and way(max(i, j), min(i, j)))) for j in range(n)]
            for i in range(n)
        ]
        yield Tables({"w": w}, note=note)


# --- a pair graph --------------------
def adjacency(edges: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Of all objects, images first: both directions of every edge."""
    m, n = len(edges), len(edges[0])
    found = [[ZERO] * (m + n) for _ in range(m + n)]
    for i, row in enumerate(edges):
        for j, v in enumerate(row):
            found[i][m + j] = found[m + j][i] = Fraction(v)
    return found


def _of_pairs(e: Tables) -> dict[str, Any]:
    edges = e.entries["e"]
    m = len(edges)
    full = adjacency(edges)
    size = len(full)

    def degree(i: int, mark: str = "") -> Any:
        return sum(full[counted(i, size)], ZERO)

    def edge(i: int, j: int, mark: str = "") -> Any:
        return full[counted(i, size)][counted(j, size)]

    def weight(i: int, j: int, mark: str = "") -> Any:
        return edge(i, j) / degree(i) if degree(i) else ZERO

    def vertex(k: int, mark: str = "") -> Any:
        a = counted(k, size)
        return unit_vector(0, a, 0) if a < m else unit_vector(1, a - m, 0)

    every = range(1, size + 1)
    shares = [[weight(i, j) for j in every] for i in every]
    return {
        "e": lambda i, j, mark="": edge(i, m + j),
        "g": degree,
        "w": weight,
        "p": lambda i, j, mark="": weight(i, m + j),
        "r": lambda j, i, mark="": weight(m + j, i),
        "H": crossed(shares, lambda i, j: (i > m) != (j > m)),
        "x": e.point("x"),
        "y": e.point("y"),
        "z": vertex,
    }


@family(
    "a pair graph",
    _of_pairs,
    Letters(vectors=frozenset("xyz"), sets=frozenset(), entries=frozenset("e")),
    most=24,
)
@cache
def pairs_of(m: int, n: int) -> tuple[Tables, ...]:
    """Edges between m images and n texts; points on a circle, on a line, in one place."""
    rng = random.Random(10 * m + n)
    graphs = {
        "all edges": [[1] * n for _ in range(m)],
        "one text for each image": [[int(j == i % n) for j in range(n)] for i in range(m)],
        "a text with all images": [[int(j in (0, i % n)) for j in range(n)] for i in range(m)],
        "an image without edges": [[int(i > 0) for _ in range(n)] for i in range(m)],
        "any": [[rng.randint(0, 1) for _ in range(n)] for _ in range(m)],
    }
    circle = directions(m + n, 2, 6)
    line = [[Fraction(i + 1, 2)] for i in range(m + n)]
    found = []
    for what, rows in graphs.items():
        for z, where in ((circle, "unit vectors"), (line, "on a line"), ([axis(2)] * (m + n), "")):
            note = f"{what}, {where or 'all equal'}"
            edges = [[Fraction(v) for v in row] for row in rows]
            found.append(Tables({"e": edges}, {"x": z[:m], "y": z[m:]}, note))
    return tuple(found)


# --- views ---------------------------------------------------------------------------------------
@cache
def views_of(n: int) -> tuple[Tables, ...]:
    """z_1..z_{2N}, of which i and i + N are the views of one sample."""
    plane = directions(2 * n, 2, 7)
    kinds = [
        (plane, "unit vectors in the plane"),
        (directions(2 * n, 4, 9), "unit vectors in four dimensions"),
        ([axis(2, 0, (-1) ** i) for i in range(2 * n)], "signs in turn"),
        ([axis(2, i % 2) for i in range(2 * n)], "axes in turn"),
        ([axis(2)] * (2 * n), "all equal"),
    ]
    if n == 2:
        corners = [[Fraction(3 * s, 5), Fraction(4 * t, 5)] for t in (1, -1) for s in (1, -1)]
        kinds.append((corners, "a rectangle"))
    kinds += [([[v * (1 + i % 3) for v in x] for i, x in enumerate(plane)], "of other lengths")]
    kinds += [([[Fraction(i * i, 4), ONE] for i in range(2 * n)], "on a line")]
    return tuple(Tables({}, {"z": z}, note) for z, note in kinds)


def _of_views(e: Tables) -> dict[str, Any]:
    def distance(last: bool) -> Callable[..., Any]:
        """Of the first or the last half of the coordinates."""
        half = len(e.points["z"][0]) // 2
        rows = [r[half:] if last else r[:half] for r in e.points["z"]]
        return lambda i, j, mark="": gap(rows[i - 1], rows[j - 1])

    return {"z": e.point("z"), "a": distance(False), "b": distance(True)}


VIEWS = Letters(
    vectors=frozenset("z"), sets=frozenset(), functions=frozenset("l"), entries=frozenset("ab")
)


@family("views", _of_views, VIEWS, most=24)
def views(N: int) -> tuple[Tables, ...]:
    """Two views of each sample."""
    return views_of(N)

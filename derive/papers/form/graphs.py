r"""Families of weighted graphs with points, and of subgraphs.

A graph has weights ``\pi_{ij}``, of any kind: with loops, asymmetric, with rows of zeros. A
subgraph W of out-degree one has an edge i -> j, j \neq i, for every i. Its law under a table of
weights is found by going through all of them, as Definition 2.2 of tan2024spectral has it, and by
nothing else: ``\mathbb{E}[...]`` is over W under pi, ``P`` the mean of W under pi, ``Q`` that under
the Gaussian kernel ``K`` of the points at the temperature tau, ``H`` the cross entropy, ``R`` and
``T`` the sums over all W of the products of entries of K and of pi, ``\operatorname{pr}(W)`` and
``\operatorname{Pr}(W)`` the probabilities under pi and under K.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache
from itertools import product
from typing import Any

import mpmath

from ...vectors.embeddings import Embeddings
from ..digits import DIGITS
from .batches import OF_MATRICES, over
from .family import Family, of_sizes, size
from .matrices import Matrix
from .reader import Letters
from .tables import Tables
from .values import OUTCOMES, NoValue, OfScene, Scene, Unknown, mp
from .weighted import directions, random_points

ONE, ZERO = Fraction(1), Fraction(0)
Rows = tuple[tuple[Any, ...], ...]
Target = tuple[int, ...]  #: of every node the one that its edge goes to, counted from 0
MOST = 5  #: nodes, whose subgraphs are gone through


# --- subgraphs -----------------------------------------------------------------------------------
@cache
def every_subgraph(n: int) -> tuple[Rows, ...]:
    """All W in {0, 1}^(n x n) with a zero diagonal."""
    places = [(i, j) for i in range(n) for j in range(n) if i != j]
    found = []
    for bits in product((ZERO, ONE), repeat=len(places)):
        at = dict(zip(places, bits, strict=True))
        found.append(tuple(tuple(at.get((i, j), ZERO) for j in range(n)) for i in range(n)))
    return tuple(found)


def out_degree_one(n: int) -> Iterator[Target]:
    """All of them with one edge out of every node."""
    if n > MOST:
        raise Unknown(f"subgraphs are gone through for n <= {MOST}")
    return product(*([j for j in range(n) if j != i] for i in range(n)))


def as_matrix(target: Target) -> Matrix:
    """The adjacency matrix of a subgraph."""
    return Matrix.by(len(target), lambda i, j: Fraction(int(target[i] == j)))


def times(values: Sequence[Any]) -> Any:
    """A product, exact if all are."""
    if all(isinstance(v, Fraction) for v in values):
        found = ONE
        for v in values:
            found *= v
        return found
    return mpmath.fprod(map(mp, values))


def total(values: Sequence[Any]) -> Any:
    """A sum, exact if all are."""
    if all(isinstance(v, Fraction) for v in values):
        return sum(values, ZERO)
    return mpmath.fsum(map(mp, values))


@lru_cache(maxsize=512)
def weights_of(rows: Rows) -> tuple[tuple[Target, Any], ...]:
    """All subgraphs with the products of the weights of their edges."""
    return tuple(
        (target, times([rows[i][j] for i, j in enumerate(target)]))
        for target in out_degree_one(len(rows))
    )


def partition(rows: Rows) -> Any:
    """The sum of all of these."""
    return total([w for _, w in weights_of(rows)])


@lru_cache(maxsize=512)
def law(rows: Rows) -> tuple[tuple[Target, Any], ...]:
    """The law of the subgraph under a table of weights."""
    with mpmath.workdps(DIGITS):
        return _law(rows)


def _law(rows: Rows) -> tuple[tuple[Target, Any], ...]:
    whole = partition(rows)
    if whole == 0:
        raise NoValue("every subgraph of out-degree one has the weight zero")
    return tuple((target, over(w, whole)) for target, w in weights_of(rows) if w != 0)


@lru_cache(maxsize=512)
def marginals(rows: Rows) -> Matrix:
    """The mean of W."""
    found = law(rows)
    return Matrix.by(
        len(rows), lambda i, j: total([p for target, p in found if target[i] == j] or [ZERO])
    )


@lru_cache(maxsize=512)
def cross_entropy(rows: Rows, kernel: Rows) -> Any:
    """The mean under the one law of minus the logarithm of the other."""
    other = dict(law(kernel))
    if any(target not in other for target, _ in law(rows)):
        return mpmath.inf
    with mpmath.workdps(DIGITS):
        return mpmath.fsum(-mp(p) * mpmath.log(mp(other[target])) for target, p in law(rows))


@lru_cache(maxsize=512)
def gaussian(points: Rows, tau: Any) -> Rows:
    """exp(-|x - y|^2 / (2 tau)) of all pairs, 1 on the diagonal."""

    def one(x: Sequence[Fraction], y: Sequence[Fraction]) -> Any:
        square = sum(((a - b) ** 2 for a, b in zip(x, y, strict=True)), ZERO)
        return ONE if square == 0 else mpmath.exp(-mp(square) / (2 * mp(tau)))

    with mpmath.workdps(DIGITS):
        return tuple(tuple(one(x, y) for y in points) for x in points)


def laplacian(scene: Scene, w: Any) -> Matrix:
    """Minus the weights off the diagonal; on it the sums of the rows, as Definition 2.6 has it."""
    if not isinstance(w, Matrix):
        raise Unknown("the Laplacian is that of a matrix")
    return Matrix.by(
        len(w.rows), lambda i, j: total(list(w.rows[i])) if i == j else -1 * w.rows[i][j]
    )


# --- what letters stand for ----------------------------------------------------------------------
def _table(scene: Scene, found: Matrix, indices: Sequence[Any]) -> Any:
    """A matrix, or an entry of it."""
    if not indices:
        return found
    if len(indices) != 2:
        raise Unknown("an entry has two indices")
    i, j = indices
    if not (1 <= i <= len(found.rows) and 1 <= j <= len(found.rows)):
        raise NoValue("there is no such index")
    return found.rows[i - 1][j - 1]


def _constant(found: Matrix) -> OfScene:
    return OfScene(lambda scene, *indices, mark="": _table(scene, found, indices))


def _sine(scene: Scene, *_: Any) -> Any:
    raise NoValue("a sine has one argument")


def _psd(scene: Scene, a: Any) -> Fraction:
    if not isinstance(a, Matrix):
        raise Unknown("this is said of matrices")
    return Fraction(int(a.is_psd()))


def _rank(scene: Scene, a: Any) -> Fraction:
    if not isinstance(a, Matrix):
        raise Unknown("this is said of matrices")
    return Fraction(a.rank())


def of_graph(e: Embeddings) -> dict[str, Any]:
    """What letters stand for on a graph with points."""
    assert isinstance(e, Tables)
    rows = e.numbers["pi"].rows
    points = e.points["z"]
    n = len(points)

    def kernel(scene: Scene) -> Rows:
        if "tau" not in scene.numbers:
            raise Unknown("nothing says what tau is")
        key = ("kernel", scene.numbers["tau"])
        if key not in scene.known:
            scene.known[key] = gaussian(points, scene.numbers["tau"])
        found: Rows = scene.known[key]
        return found

    def probability(table: Rows, w: Matrix) -> Any:
        return dict(law(table))[tuple(row.index(ONE) for row in w.rows)]

    def similarity(scene: Scene, one: Any, other: Any) -> Any:
        return e.dot(one, other)

    def query(scene: Scene) -> Any:
        """(1) of the first point, with the second as its positive, and all others."""
        gaps = [e.dot({(0, 0, 0): ONE}, {(0, k, 0): ONE, (0, 1, 0): -ONE}) for k in range(2, n)]
        heat = [mpmath.exp(mp(gap) / mp(scene.numbers["tau"])) for gap in gaps]
        return mpmath.log(1 + mpmath.fsum(heat))

    def outcomes() -> list[tuple[Any, Embeddings, dict[str, Any]]]:
        return [(p, e, {**found, "W": _constant(as_matrix(target))}) for target, p in law(rows)]

    found: dict[str, Any] = {
        **e.named(),
        **OF_MATRICES,
        "pi": _constant(e.numbers["pi"]),
        "K": OfScene(lambda scene, *i, mark="": _table(scene, Matrix.of(kernel(scene)), i)),
        "P": OfScene(lambda scene, *i, mark="": _table(scene, marginals(rows), i)),
        "Q": OfScene(lambda scene, *i, mark="": _table(scene, marginals(kernel(scene)), i)),
        "H": OfScene(lambda scene, mark="": cross_entropy(rows, kernel(scene))),
        "R": OfScene(lambda scene, mark="": partition(kernel(scene))),
        "T": OfScene(lambda scene, mark="": partition(rows)),
        "pr": lambda scene, w: probability(rows, w),
        "Pr": lambda scene, w: probability(kernel(scene), w),
        "Lap": laplacian,
        "L": query,
        "sim": similarity,
        "sin": _sine,
        "psd": _psd,
        "rank": _rank,
        OUTCOMES: outcomes,
    }
    return found


# --- graphs and points ---------------------------------------------------------------------------
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


def _graphs(point: Mapping[str, Any]) -> list[Embeddings]:
    return list(graphs_of(size(point, "n"), size(point, "q", 2)))


@cache
def graphs_of(n: int, q: int) -> tuple[Embeddings, ...]:
    """All tables with all points."""
    return tuple(
        Tables({"pi": rows}, {"z": z}, f"{what}, {where}")
        for where, z in points_on(n, q).items()
        for what, rows in weights_on(n).items()
    )


# --- product laws --------------------------------------------------------------------------------
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


def _against(p: Sequence[Any], q: Sequence[Any]) -> Any:
    """A cross entropy; infinite where the second has not what the first has."""
    if any(a != 0 and b == 0 for a, b in zip(p, q, strict=True)):
        return mpmath.inf
    return mpmath.fsum(-mp(a) * mpmath.log(mp(b)) for a, b in zip(p, q, strict=True) if a != 0)


def _of_product_laws(e: Embeddings) -> dict[str, Any]:
    """``h_i`` is the cross entropy of two factors, ``h`` that of the products on all outcomes."""
    assert isinstance(e, Tables)
    p, q = e.numbers["p"].rows, e.numbers["q"].rows

    def found(*indices: int, mark: str = "") -> Any:
        if indices:
            return _against(p[indices[0] - 1], q[indices[0] - 1])
        every = list(product(range(len(p[0])), repeat=len(p)))
        return _against(
            *([times([rows[i][j] for i, j in enumerate(x)]) for x in every] for rows in (p, q))
        )

    return {**e.named(), "h": found}


# --- subgraphs of all kinds ----------------------------------------------------------------------
def _subgraphs(point: Mapping[str, Any]) -> list[Embeddings]:
    n = size(point, "n")
    if n > 3:
        raise Unknown("all W are gone through for n <= 3")
    rows = weights_on(n)["a ring" if n > 1 else "nothing"]
    return [Tables({"w": w, "pi": rows}) for w in every_subgraph(n)]


def _of_subgraph(e: Embeddings) -> dict[str, Any]:
    assert isinstance(e, Tables)
    return {"W": _constant(e.numbers["w"]), "pi": _constant(e.numbers["pi"])}


FUNCTIONS = frozenset({"pr", "Pr", "Lap", "sim", "sin", "psd", "rank", *OF_MATRICES})
SAID = Letters(
    vectors=frozenset("z"),
    sets=frozenset(),
    functions=FUNCTIONS,
    entries=frozenset({"pi"}),
    over="n",
)

GRAPHS: dict[str, Family] = {
    f.name: f
    for f in (
        Family(
            "graphs and points",
            "weights pi on n nodes, any, with loops, asymmetric, with empty rows; points in R^q",
            ("n",),
            _graphs,
            of_graph,
            SAID,
            most=14,
        ),
        Family(
            "product laws",
            "two products of m laws on n outcomes each",
            ("m", "n"),
            of_sizes(product_laws_of, "m", "n"),
            _of_product_laws,
            Letters(vectors=frozenset(), sets=frozenset(), entries=frozenset("pqh"), over="n"),
            most=9,
        ),
        Family(
            "subgraphs",
            "all W in {0, 1}^(n x n) with a zero diagonal",
            ("n",),
            _subgraphs,
            _of_subgraph,
            replace(SAID, vectors=frozenset()),
            most=6,
        ),
    )
}

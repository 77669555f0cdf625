r"""Families of kernel losses: similarities, a query, objects, graphs, a pair graph, views.

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
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import product
from typing import Any

import mpmath
from sympy import Expr, Rational, exp

from ...vectors.embeddings import Embeddings
from .batches import axis
from .family import Family, of_sizes, size
from .reader import Letters
from .tables import Tables, number
from .values import NoValue, OfScene, Scene, Unknown, mp, value
from .weighted import directions

ONE, ZERO = Fraction(1), Fraction(0)
Rows = Sequence[Sequence[Any]]
#: Halvings of the interval of a multiplier.
HALVINGS = 220


# --- similarities and a distribution ---------------------------------------------------------
def _similarities(point: Mapping[str, Any]) -> list[Embeddings]:
    tau = point.get("tau", Rational(1))
    return list(_similarities_of(size(point, "n"), tau))


@cache
def _similarities_of(n: int, tau: Any) -> tuple[Tables, ...]:
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


def _of_similarities(e: Embeddings) -> dict[str, Any]:
    assert isinstance(e, Tables)
    psi, alpha = (tuple(number(v) for v in e.entries[k][0]) for k in "sa")

    def at(row: Sequence[Any], k: int) -> Any:
        if not 1 <= k <= len(row):
            raise NoValue("there is no such index")
        return row[k - 1]

    def program(scene: Scene, k: int, mark: str = "") -> Any:
        if k == 1:
            return largest_entropy(psi)
        if k != 2:
            raise Unknown("there are two programs")
        return largest_sum(psi, mp(scene.numbers["tau"]))

    return {
        "psi": lambda k, mark="": at(psi, k),
        "alpha": lambda k, mark="": at(alpha, k),
        "H": lambda mark="": entropy(alpha),
        "P": OfScene(program),
    }


# --- a query and its candidates ----------------------------------------------------------------
@cache
def _queries_of(n: int) -> tuple[Tables, ...]:
    rng = random.Random(n)
    on_line = [[Fraction(rng.randint(-3, 3), 2)] for _ in range(n + 1)]
    found = []
    for rows, note in (
        (directions(n + 1, 2, 3), "unit vectors in the plane"),
        (directions(n + 1, 3, 4), "unit vectors in space"),
        (on_line, "on a line"),
        ([axis(2)] * (n + 1), "all equal"),
        ([axis(2), *([axis(2, 1)] * n)], "all candidates equal"),
        ([axis(1), *([axis(1)] * (n - 1)), [Fraction(-1)]], "the last opposite, all others equal"),
    ):
        found.append(Tables({}, {"q": [rows[0]], "p": rows[1:]}, note))
    return tuple(found)


def _of_query(e: Embeddings) -> dict[str, Any]:
    assert isinstance(e, Tables)
    return {"q": e.point("q"), "p": e.point("p"), "f": lambda scene, v: v}


# --- objects and a kernel ------------------------------------------------------------------------
@cache
def _objects_of(n: int) -> tuple[Tables, ...]:
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


def probabilities(weights: Rows) -> dict[tuple[int, ...], Any]:
    """Of each subgraph of out-degree one, in proportion to the product of its weights: for each
    vertex the one that its edge goes to."""
    allowed = [[j for j, v in enumerate(row) if v and j != i] for i, row in enumerate(weights)]
    if not all(allowed):
        raise NoValue("no subgraph of out-degree one has a weight")
    found: dict[tuple[int, ...], Any] = {}
    for to in product(*allowed):
        weight: Any = ONE
        for i, j in enumerate(to):
            factor = weights[i][j]
            weight = (weight if isinstance(factor, Fraction) else mp(weight)) * factor
        found[to] = weight
    total = sum(found.values())
    return {to: v / total for to, v in found.items()}


def cross_entropy(weights: Rows, kernel: Rows) -> Any:
    """Minus the mean of log P(W; kernel) over subgraphs W that are drawn from P(.; weights)."""
    drawn, other = probabilities(weights), probabilities(kernel)
    if any(p and not other.get(to) for to, p in drawn.items()):
        raise NoValue("the logarithm of the probability of a subgraph that is never drawn")
    return -mpmath.fsum(mp(p) * mpmath.log(mp(other[to])) for to, p in drawn.items() if p)


def crossed(weights: Rows, compared: Callable[[int, int], bool]) -> OfScene:
    """The cross-entropy with the kernel k_{i,j} that the record defines, which is 0 for pairs that
    are not compared."""

    def found(scene: Scene, mark: str = "") -> Any:
        every = range(1, len(weights) + 1)

        def entry(i: int, j: int) -> Any:
            indices = tuple(("num", Fraction(v)) for v in (i, j))
            return mp(value(("name", "k", indices, ""), scene)) if compared(i, j) else ZERO

        return cross_entropy(weights, [[entry(i, j) for j in every] for i in every])

    return OfScene(found)


def _of_objects(e: Embeddings) -> dict[str, Any]:
    assert isinstance(e, Tables)

    rows = e.numbers["w"].rows
    return {**e.named(), "H": crossed(rows, lambda i, j: i != j)}


# --- graphs ---------------------------------------------------------------------------------------
def _graphs(point: Mapping[str, Any]) -> list[Embeddings]:
    """Symmetric graphs: complete, a cycle, in pairs, without an edge at a vertex, any."""
    n = size(point, "n")
    rng = random.Random(n)
    drawn = {(i, j): rng.randint(0, 1) for i in range(n) for j in range(i)}
    ways: dict[str, Callable[[int, int], bool]] = {
        "complete": lambda i, j: True,
        "a path": lambda i, j: i - j == 1,
        "in pairs": lambda i, j: i // 2 == j // 2,
        "a vertex without neighbours": lambda i, j: j > 0,
        "any": lambda i, j: bool(drawn[i, j]),
    }
    found: list[Embeddings] = []
    for note, way in ways.items():
        w = [
            [Fraction(int(i != j and way(max(i, j), min(i, j)))) for j in range(n)]
            for i in range(n)
        ]
        found.append(Tables({"w": w}, note=note))
    return found


def _of_graphs(e: Embeddings) -> dict[str, Any]:
    assert isinstance(e, Tables)
    rows = e.numbers["w"].rows

    def probability(i: int, j: int, mark: str = "") -> Any:
        """Of the edge from i to j, in subgraphs that are drawn uniformly."""
        drawn = probabilities(rows)
        return sum((p for to, p in drawn.items() if to[i - 1] == j - 1), ZERO)

    return {**e.named(), "P": probability}


# --- a pair graph --------------------------------------------------------------------------------
@cache
def _pairs_of(m: int, n: int) -> tuple[Tables, ...]:
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


def adjacency(edges: Rows) -> list[list[Any]]:
    """Of all objects, images first: both directions of every edge."""
    m, n = len(edges), len(edges[0])
    found = [[ZERO] * (m + n) for _ in range(m + n)]
    for i, row in enumerate(edges):
        for j, v in enumerate(row):
            found[i][m + j] = found[m + j][i] = Fraction(v)
    return found


def _of_pairs(e: Embeddings) -> dict[str, Any]:
    assert isinstance(e, Tables)
    edges = e.entries["e"]
    m = len(edges)
    full = adjacency(edges)

    def checked(*indices: int) -> list[int]:
        if any(not 1 <= k <= len(full) for k in indices):
            raise NoValue("there is no such index")
        return [k - 1 for k in indices]

    def degree(i: int, mark: str = "") -> Any:
        return sum(full[checked(i)[0]], ZERO)

    def edge(i: int, j: int, mark: str = "") -> Any:
        a, b = checked(i, m + j)
        return full[a][b]

    def weight(i: int, j: int, mark: str = "") -> Any:
        a, b = checked(i, j)
        return full[a][b] / degree(i) if degree(i) else ZERO

    def vertex(k: int, mark: str = "") -> Any:
        (a,) = checked(k)
        return {(0, a, 0): ONE} if a < m else {(1, a - m, 0): ONE}

    every = range(1, len(full) + 1)
    shares = [[weight(i, j) for j in every] for i in every]
    return {
        "e": edge,
        "g": degree,
        "w": weight,
        "p": lambda i, j, mark="": weight(i, m + j),
        "r": lambda j, i, mark="": weight(m + j, i),
        "H": crossed(shares, lambda i, j: (i > m) != (j > m)),
        "x": e.point("x"),
        "y": e.point("y"),
        "z": vertex,
    }


# --- views ---------------------------------------------------------------------------------------
@cache
def _views_of(n: int, unit: bool) -> tuple[Tables, ...]:
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
    if not unit:
        kinds += [([[v * (1 + i % 3) for v in x] for i, x in enumerate(plane)], "of other lengths")]
        kinds += [([[Fraction(i * i, 4), ONE] for i in range(2 * n)], "on a line")]
    return tuple(Tables({}, {"z": z}, note) for z, note in kinds)


def _of_views(e: Embeddings) -> dict[str, Any]:
    assert isinstance(e, Tables)
    point = e.point("z")

    def part(k: int, last: bool) -> Any:
        """The first or the last half of the coordinates."""
        rows = [r[len(r) // 2 :] if last else r[: len(r) // 2] for r in e.points["z"]]
        return rows[k - 1]

    def distance(last: bool) -> Callable[..., Any]:
        def found(i: int, j: int, mark: str = "") -> Any:
            one, other = part(i, last), part(j, last)
            return sum(((a - b) ** 2 for a, b in zip(one, other, strict=True)), ZERO)

        return found

    return {"z": point, "a": distance(False), "b": distance(True)}


OF_VIEWS = Letters(
    vectors=frozenset("z"), sets=frozenset(), functions=frozenset("l"), entries=frozenset("ab")
)

KERNELS = {
    f.name: f
    for f in (
        Family(
            "similarities",
            "psi_1..psi_n and a distribution alpha",
            ("n",),
            _similarities,
            _of_similarities,
            Letters(vectors=frozenset(), sets=frozenset(), entries=frozenset("sa")),
            most=24,
        ),
        Family(
            "a query",
            "q and p_1..p_N, any and degenerate",
            ("N",),
            of_sizes(_queries_of, "N"),
            _of_query,
            Letters(vectors=frozenset("qp"), sets=frozenset(), functions=frozenset({"f", "K"})),
            most=24,
        ),
        Family(
            "objects",
            "z_1..z_n and weights w_ij, rows of which sum to 1, with a zero diagonal",
            ("n",),
            of_sizes(_objects_of, "n"),
            _of_objects,
            Letters(vectors=frozenset("z"), sets=frozenset(), entries=frozenset("w")),
            most=16,
        ),
        Family(
            "graphs",
            "symmetric weights w_ij that are 0 or 1, with a zero diagonal",
            ("n",),
            _graphs,
            _of_graphs,
            Letters(vectors=frozenset(), sets=frozenset(), entries=frozenset("w")),
            most=16,
        ),
        Family(
            "a pair graph",
            "images x_1..x_m and texts y_1..y_n with edges e_ij",
            ("m", "n"),
            of_sizes(_pairs_of, "m", "n"),
            _of_pairs,
            Letters(vectors=frozenset("xyz"), sets=frozenset(), entries=frozenset("e")),
            most=24,
        ),
        Family(
            "views",
            "z_1..z_{2N}, any and degenerate",
            ("N",),
            of_sizes(partial(_views_of, unit=False), "N"),
            _of_views,
            OF_VIEWS,
            most=24,
        ),
        Family(
            "unit views",
            "the same of length 1",
            ("N",),
            of_sizes(partial(_views_of, unit=True), "N"),
            _of_views,
            OF_VIEWS,
            most=24,
        ),
    )
}

r"""Families of weighted losses: weights and similarities, dissimilarities and points, labels.

Among them are always the degenerate ones, and those at which the entropic bound is attained; where
a record defines ``w_{ij}`` or ``s_{ij}``, the loss is that of what it defines.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache, partial
from typing import Any

import mpmath
from sympy import Expr, Integer, Rational, log

from ...vectors.embeddings import Embeddings
from .family import Family, of_sizes, size
from .matrices import Matrix, centring, dimension, identity, ones, squared_radius
from .reader import Letters
from .tables import Tables
from .values import NoValue, Scene, Unknown, as_number, mp, root, value

ONE = Fraction(1)
Rows = list[list[Any]]


# --- the loss, and its least value --------------------------------------------------------------
def entries(scene: Scene, letter: str) -> list[list[Any]]:
    """A table of the scene, as the record or else the family defines it, without its diagonal."""
    n = int(scene.numbers["n"])

    def one(i: int, j: int) -> Any:
        indices = tuple(("num", Fraction(k)) for k in (i, j))
        return value(("name", letter, indices, ""), scene)

    every = range(1, n + 1)
    return [[None if i == j else mp(one(i, j)) for j in every] for i in every]


def shares(rows: list[list[Any]]) -> list[list[Any]]:
    """Every row divided by its sum, without the diagonal."""
    found = []
    for i, row in enumerate(rows):
        total = mpmath.fsum(v for j, v in enumerate(row) if j != i)
        if len(row) > 1 and total == 0:
            raise NoValue("the weights of a row are all zero, and are divided by their sum")
        if any(v < 0 for j, v in enumerate(row) if j != i):
            raise NoValue("a weight is negative, and its share has no logarithm")
        found.append([v / total for j, v in enumerate(row) if j != i])
    return found


def loss(scene: Scene) -> Any:
    """Mean over the rows of the cross entropy of the shares of exp s against those of w."""
    weights = shares(entries(scene, "w"))
    heat = [[None if v is None else mpmath.exp(v) for v in row] for row in entries(scene, "s")]
    return _cross(weights, shares(heat))


def least(scene: Scene) -> Any:
    """Its entropic lower bound: the mean entropy of the rows of weights."""
    weights = shares(entries(scene, "w"))
    return _cross(weights, weights)


def _cross(one: list[list[Any]], other: list[list[Any]]) -> Any:
    terms = (
        -p * mpmath.log(x)
        for row, against in zip(one, other, strict=True)
        for p, x in zip(row, against, strict=True)
        if p != 0
    )
    return mpmath.fsum(terms) / len(one)


# --- what letters stand for ---------------------------------------------------------------------
def _of_tables(e: Embeddings) -> dict[str, Callable[..., Any]]:
    """Entries and points; the loss and its bound; matrices, and what is said of them."""
    assert isinstance(e, Tables)

    def matrix(found: Any) -> Matrix:
        if not isinstance(found, Matrix):
            raise Unknown("this is said of matrices")
        return found

    sizes = [len(t) for t in e.entries.values()] + [len(t) for t in e.points.values()]
    n = sizes[0]
    return {
        **({"D": lambda mark="": _distances_between(e.points["y"])} if "y" in e.points else {}),
        **e.named(),
        "L_NCEW": loss,
        "L_*": least,
        "E_n": lambda mark="": ones(n),
        "I_n": lambda mark="": identity(n),
        "J": lambda mark="": centring(n),
        "rank": lambda scene, a: Fraction(matrix(a).rank()),
        "dim": lambda scene, a: dimension(matrix(a)),
        "psd": lambda scene, a: Fraction(int(matrix(a).is_psd())),
        "radius": lambda scene, a: _radius(squared_radius(matrix(a))),
        "spherical": lambda scene, a: Fraction(int(_is_positive(squared_radius(matrix(a))))),
        "Z~widetilde": lambda mark="": _normalised(e.points["z"]),
    }


def _radius(square: Any) -> Any:
    return square if mpmath.isinf(mp(square)) else root(square)


def _is_positive(square: Any) -> bool:
    """Whether it is the square of a radius of a sphere, which a point is not."""
    return bool(mp(square) > 0) and not mpmath.isinf(mp(square))


def _distances_between(rows: Any) -> Matrix:
    """Squared distances of points."""
    return Matrix.of(gaps(rows))


def _normalised(rows: Any) -> Matrix:
    """Rows divided by their lengths."""
    lengths = [root(sum((v * v for v in row), Fraction(0))) for row in rows]
    if 0 in lengths:
        raise NoValue("the zero vector cannot be normalised")
    return Matrix.of(
        [[mp(v) / mp(length) for v in row] for row, length in zip(rows, lengths, strict=True)]
    )


FUNCTIONS = frozenset({"rank", "dim", "psd", "radius", "spherical"})
SAID = partial(Letters, sets=frozenset(), functions=FUNCTIONS, over="n")


# --- weights and similarities ---------------------------------------------------------------------
@cache
def _weights_of(n: int) -> tuple[Embeddings, ...]:
    """Symmetric positive weights, with any similarities and with those that attain the bound."""
    rng = random.Random(n)
    found: list[Embeddings] = []

    def symmetric(entry: Callable[[], Any], diagonal: Callable[[], Any]) -> Rows:
        rows: Rows = [[Integer(0)] * n for _ in range(n)]
        for i in range(n):
            rows[i][i] = diagonal()
            for j in range(i):
                rows[i][j] = rows[j][i] = entry()
        return rows

    def some() -> Expr:
        return Rational(rng.randint(1, 9), rng.randint(1, 4))

    def any_number() -> Expr:
        return Rational(rng.randint(-9, 9), rng.randint(1, 4))

    w = symmetric(some, some)
    flat = symmetric(lambda: Integer(1), lambda: Integer(0))
    zero = symmetric(lambda: Integer(0), lambda: Integer(0))
    found.append(Tables({"w": w, "s": symmetric(any_number, any_number)}, note="any"))
    for c in (0, Rational(-3, 2)):
        s = [[log(v) + c if i != j else c for j, v in enumerate(r)] for i, r in enumerate(w)]
        found.append(Tables({"w": w, "s": s}, note=f"s = log w + {c}"))
    found.append(Tables({"w": flat, "s": zero}, note="all weights 1, s = 0"))
    found.append(Tables({"w": flat, "s": symmetric(any_number, any_number)}, note="all weights 1"))
    found.append(Tables({"w": w, "s": zero}, note="s = 0"))
    small = symmetric(lambda: rng.choice([Rational(1, 1000), Integer(1)]), lambda: Integer(1))
    found.append(Tables({"w": small, "s": symmetric(any_number, any_number)}, note="small weights"))
    return tuple(found)


def _sparse(point: Mapping[str, Any]) -> list[Embeddings]:
    """The same, and weights some or all of which are zero."""
    n = size(point, "n")
    found = list(_weights_of(n))
    s = found[0].entries["s"]  # type: ignore[attr-defined]
    alone = [[Integer(int(min(i, j) > 0)) for j in range(n)] for i in range(n)]
    pairs = [[Integer(int(i // 2 == j // 2)) for j in range(n)] for i in range(n)]
    found.append(Tables({"w": alone, "s": s}, note="a row without weights"))
    found.append(Tables({"w": pairs, "s": s}, note="in pairs"))
    return found


# --- dissimilarities and points -----------------------------------------------------------------
def _points(point: Mapping[str, Any]) -> list[Embeddings]:
    tau = as_number(point["tau"]) if "tau" in point else None
    return list(_points_of(size(point, "n"), size(point, "q"), tau))


def random_points(n: int, d: int, seed: int) -> Rows:
    """Integer points, all different on their first axis, spanning what they can."""
    rng = random.Random(100 * n + 10 * d + seed)
    firsts = rng.sample(range(-n, n + 1), n)
    rest = [[Fraction(rng.randint(-3, 3)) for _ in range(d - 1)] for _ in range(n)]
    return [[Fraction(first), *others] for first, others in zip(firsts, rest, strict=True)]


def directions(n: int, d: int, seed: int) -> Rows:
    """Rational unit vectors."""
    rng = random.Random(1000 * n + 10 * d + seed)

    def unit() -> list[Fraction]:
        if d == 1:
            return [Fraction(rng.choice((-1, 1)))]
        t = [Fraction(rng.randint(-4, 4), rng.randint(1, 2)) for _ in range(d - 1)]
        square = sum((s * s for s in t), Fraction(0))
        return [2 * s / (square + 1) for s in t] + [(square - 1) / (square + 1)]

    return [unit() for _ in range(n)]


def gaps(points: Rows) -> Rows:
    """Squared distances."""
    return [
        [sum(((a - b) ** 2 for a, b in zip(x, y, strict=True)), Fraction(0)) for y in points]
        for x in points
    ]


def _off(rows: Rows, c: Any, diagonal: Any = 0) -> Rows:
    """The same with c added off the diagonal, and another diagonal."""
    return [
        [diagonal if i == j else v + c for j, v in enumerate(row)] for i, row in enumerate(rows)
    ]


@cache
def _points_of(n: int, q: int, tau: Any) -> tuple[Embeddings, ...]:
    """D and Z: solved exactly, up to a constant, with another diagonal, and not at all."""
    z = random_points(n, q, 0)
    flat = [[x[0], *([Fraction(0)] * (q - 1))] for x in z]
    same = [[ONE] + [Fraction(0)] * (q - 1)] * n
    two = [[Fraction(1 + i % 2), *([Fraction(0)] * (q - 1))] for i in range(n)]
    flipped = [[-v for v in x] for x in two]
    rng = random.Random(n)
    blank = [[Fraction(0)] * n for _ in range(n)]
    anything = [[Fraction(0)] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            anything[i][j] = anything[j][i] = Fraction(rng.randint(0, 9), 2)
    found: list[Embeddings] = [
        _pair(gaps(z), z, "D of Z"),
        _pair(gaps(two), two, "two clusters"),
        _pair(blank, same, "D = 0, all points equal"),
        _pair(blank, z, "D = 0"),
        _pair(gaps(z), flat, "D of Z, other points"),
        _pair(_off(blank, 1, 1), same, "D = E, all points equal"),
        _pair(_alone(blank), same, "one entry on the diagonal, all points equal"),
        _pair(_in_pairs(n, q + 2), z, "a projection to differences of pairs"),
        _pair(gaps(two), flipped, "two clusters, moved"),
        _pair(_off(gaps(z), 0, 3), z, "D of Z, another diagonal"),
        _pair(_off(gaps(z), 1), z, "D of Z + 1"),
        _pair(anything, z, "any D"),
        _pair(gaps([[*x, Fraction(i % 3)] for i, x in enumerate(flat)]), flat, "a dimension more"),
    ]
    if tau is not None:
        found += _on_sphere(n, q, tau)
    return tuple(found)


def _on_sphere(n: int, q: int, tau: Fraction) -> list[Embeddings]:
    """D = (c - cos) / tau of directions, the points of other lengths."""
    found: list[Embeddings] = []
    units = directions(n, q, 1)
    poles = [[Fraction(1 - 2 * (i % 2)), *([Fraction(0)] * (q - 1))] for i in range(n)]
    for x, what in ((units, "D of directions"), (poles, "D of two poles")):
        longer = [[v * (1 + i % 3) for v in row] for i, row in enumerate(x)]
        d = [[v / (2 * tau) for v in row] for row in gaps(x)]
        found.append(_pair(d, longer, what))
        found.append(_pair(_off(d, 1), longer, f"{what}, + 1"))
        found.append(_pair(_off(d, 0, 1), longer, f"{what}, another diagonal"))
        cosines = [[v - 1 / tau for v in row] for row in d]
        found.append(_pair(cosines, longer, f"{what}, the diagonal that of -cos / tau"))
    missing = [[Fraction(0)] * q, *units[1:]]
    found.append(_pair(gaps(units), missing, "a point is 0"))
    return found


def _in_pairs(n: int, rank: int) -> Rows:
    """The sum of as many (e_1 - e_2)(e_1 - e_2)^T, (e_3 - e_4)(e_3 - e_4)^T, ... as there is room
    for."""
    pairs = min(rank, n // 2)

    def entry(i: int, j: int) -> Fraction:
        inside = i // 2 == j // 2 < pairs
        return Fraction((1 if i == j else -1) if inside else 0)

    return [[entry(i, j) for j in range(n)] for i in range(n)]


def _alone(rows: Rows) -> Rows:
    """The same with 1 in the first place."""
    return [[ONE, *rows[0][1:]], *rows[1:]]


def _pair(d: Rows, z: Rows, note: str) -> Tables:
    return Tables({"d": d}, {"z": z}, note)


# --- labels ---------------------------------------------------------------------------------------
@cache
def _labels_of(n: int, ell: int, q: int) -> tuple[Embeddings, ...]:
    """Labels y in R^ell, an axis e across them, and points z in R^q; z is y where there is room."""
    room = max(ell, q)
    found: list[Embeddings] = []
    cases = {
        "any labels": random_points(n, ell, 3),
        "labels on a sphere": directions(n, ell, 4),
        "labels on a line": [[Fraction(i), *([Fraction(0)] * (ell - 1))] for i in range(n)],
        "labels equal": [[ONE] + [Fraction(0)] * (ell - 1)] * n,
        "two labels": [[Fraction(1 + i % 2)] + [Fraction(0)] * (ell - 1) for i in range(n)],
        "a label 0": [[Fraction(0)] * ell, *directions(n, ell, 4)[1:]],
    }
    axis = [*([Fraction(0)] * room), ONE]
    for what, y in cases.items():
        wide = [[*x, *([Fraction(0)] * (room + 1 - ell))] for x in y]
        other = [[*x, *([Fraction(0)] * (room + 1 - q))] for x in random_points(n, q, 5)]
        moved = [[-v for v in x] for x in wide]
        for z, how in ((wide, "z = y"), (other, "any z"), (moved, "z = -y")):
            if how == "any z" or ell <= q:
                found.append(Tables({}, {"y": wide, "z": z, "e": [axis]}, f"{what}, {how}"))
    return tuple(found)


# --- points on a sphere ---------------------------------------------------------------------------
def _spherical(point: Mapping[str, Any]) -> list[Embeddings]:
    return list(_spherical_of(size(point, "n"), size(point, "q"), as_number(point["rho"])))


@cache
def _spherical_of(n: int, q: int, rho: Any) -> tuple[Embeddings, ...]:
    """Points p in R^q, unit vectors times rho, and an axis e across."""
    axis = [*([Fraction(0)] * q), ONE]
    found: list[Embeddings] = []
    poles = [[Fraction(1 - 2 * (i % 2)), *([Fraction(0)] * (q - 1))] for i in range(n)]
    same = [[ONE] + [Fraction(0)] * (q - 1)] * n
    for x, what in ((directions(n, q, 6), "any"), (poles, "two poles"), (same, "all equal")):
        p = [[*(v * rho for v in row), Fraction(0)] for row in x]
        found.append(Tables({}, {"p": p, "e": [axis]}, what))
    return tuple(found)


# --- matrices ------------------------------------------------------------------------------------
def _distances(point: Mapping[str, Any]) -> list[Embeddings]:
    tau = as_number(point["tau"]) if "tau" in point else None
    return list(_distances_of(size(point, "n"), tau))


@cache
def _distances_of(n: int, tau: Any) -> tuple[Embeddings, ...]:
    """Hollow symmetric matrices: Euclidean of every dimension, spherical or not, and any."""
    blank = [[Fraction(0)] * n for _ in range(n)]
    found = [blank]
    spaces = sorted({d for d in (1, 2, 3, 4, n - 1) if 1 <= d < n})
    for d in spaces:
        found += [gaps(random_points(n, d, 7)), gaps(directions(n, d, 8))]
    if tau is not None:
        for d in spaces:
            of_units = gaps(directions(n, d, 9))
            for factor in (1, 2, 3):
                found.append([[v * factor / (4 * tau) for v in row] for row in of_units])
    found += [_off(blank, 1), _off(blank, -1)]
    rng = random.Random(n)
    anything = [list(row) for row in blank]
    for i in range(n):
        for j in range(i):
            anything[i][j] = anything[j][i] = Fraction(rng.randint(0, 9), 2)
    found.append(anything)
    found.append([[Fraction(abs(i - j)) for j in range(n)] for i in range(n)])
    return tuple(Tables({"d": d}) for d in found)


# --- classes --------------------------------------------------------------------------------------
@cache
def _classes_of(n: int, classes: int) -> tuple[Embeddings, ...]:
    """Which samples have the same class: k_ij is 1 or 0, for labels in [C] of all sorts; and
    similarities s_ij."""
    rng = random.Random(n)
    labels = {
        "in turn": [i % classes for i in range(n)],
        "one large class": [max(0, i - n + classes) for i in range(n)],
        "one class": [0] * n,
        "any": [rng.randrange(classes) for _ in range(n)],
    }
    s = [[Fraction(0)] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            s[i][j] = s[j][i] = Fraction(rng.randint(-6, 6), 3)
    return tuple(
        Tables(
            {"k": [[Fraction(int(a == b)) for b in y] for a in y], "s": s}, note=f"labels {what}"
        )
        for what, y in labels.items()
    )


WEIGHTED = (
    Family(
        "weights",
        "symmetric weights w_ij > 0 and similarities s_ij, any, and those that attain the bound",
        ("n",),
        of_sizes(_weights_of, "n"),
        _of_tables,
        SAID(vectors=frozenset(), entries=frozenset("ws")),
    ),
    Family(
        "sparse weights",
        "the same, and weights some of which are zero",
        ("n",),
        _sparse,
        _of_tables,
        SAID(vectors=frozenset(), entries=frozenset("ws")),
    ),
    Family(
        "dissimilarities and points",
        "D and points z in R^q, solved exactly, up to a constant, on the diagonal not, not at all",
        ("n", "q"),
        _points,
        _of_tables,
        SAID(vectors=frozenset("z"), entries=frozenset("dsw")),
        most=20,
    ),
    Family(
        "labels and points",
        "labels y in R^ell, points z in R^q, and an axis e across",
        ("n", "ell", "q"),
        of_sizes(_labels_of, "n", "ell", "q"),
        _of_tables,
        SAID(vectors=frozenset("yze"), entries=frozenset("dsw")),
        most=16,
    ),
    Family(
        "points on a sphere",
        "points p in R^q of length rho, and an axis e across",
        ("n", "q", "rho"),
        _spherical,
        _of_tables,
        SAID(vectors=frozenset("pze"), entries=frozenset("dsw")),
        most=12,
    ),
    Family(
        "distances",
        "hollow symmetric D: Euclidean of every dimension, spherical or not, and any",
        ("n",),
        _distances,
        _of_tables,
        SAID(vectors=frozenset(), entries=frozenset("d")),
        most=24,
    ),
    Family(
        "classes",
        "k_ij, which says whether two of n samples have the same of C labels; any s_ij",
        ("n", "C"),
        of_sizes(_classes_of, "n", "C"),
        _of_tables,
        SAID(vectors=frozenset(), entries=frozenset("wsk")),
        most=16,
    ),
)

r"""The sets that statements of the paper are tried on: weights and similarities, points, labels,
dissimilarities, and classes of unequal sizes.

Among them are always the degenerate ones, and those at which the entropic bound is attained; where
a record defines ``w_{ij}`` or ``s_{ij}``, the loss is that of what it defines.

In classes of unequal sizes the inner products of samples depend on their classes alone. Beside
the sizes ``\ell_c``, cosines have names: ``a_c`` inside class c, ``b_{cc'}`` between classes; and
so has the loss ``L`` of SupCon, of cosines over tau.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache, partial
from typing import Any

import mpmath
from sympy import Expr, Integer, Rational, log

from ...language.evaluate import Scene, value
from ...language.matrices import Matrix, centring, dimension, identity, ones, squared_radius
from ...language.nodes import Name, Number
from ...language.parser import Letters
from ...language.quantities import NoValue, mp, root
from ...vectors.embeddings import Embeddings, Index
from ..records.family import family
from ..records.points import (
    OF_MATRICES,
    ONE,
    ZERO,
    Rows,
    a_matrix,
    axis,
    directions,
    gaps,
    minus,
    random_points,
)
from ..records.tables import Tables
from .supcon import bound, loss, of_classes


# --- the loss, and its minimum -------------------------------------------------------------------
def _table(scene: Scene, letter: str) -> Rows:
    """A table of the scene, as the record or else the family defines it, 0 on its diagonal."""
    every = [Number(Fraction(k + 1)) for k in range(int(scene.numbers["n"]))]
    return [[ZERO if i == j else value(Name(letter, (i, j)), scene) for j in every] for i in every]


def _weights(scene: Scene) -> Rows:
    rows = _table(scene, "w")
    if any(v < 0 for row in rows for v in row):
        raise NoValue("a weight is negative, and its share has no logarithm")
    return rows


def _loss(scene: Scene) -> Any:
    """The loss of the weights and similarities; of one point it is 0."""
    return loss(_weights(scene), _table(scene, "s")) if scene.numbers["n"] > 1 else ZERO


def _least(scene: Scene) -> Any:
    """Its entropic lower bound."""
    return bound(_weights(scene)) if scene.numbers["n"] > 1 else ZERO


# --- what letters stand for ---------------------------------------------------------------------
def _of_tables(e: Tables) -> dict[str, Callable[..., Any]]:
    """Entries and points; the loss and its bound; matrices, and what is said of them."""
    n = len(next(iter({**e.entries, **e.points}.values())))
    return {
        **({"D": lambda mark="": Matrix.from_rows(gaps(e.points["y"]))} if "y" in e.points else {}),
        **e.named(),
        "L_NCEW": _loss,
        "L_*": _least,
        **OF_MATRICES,
        "E_n": lambda mark="": ones(n),
        "I_n": lambda mark="": identity(n),
        "J": lambda mark="": centring(n),
        "dim": lambda scene, a: dimension(a_matrix(a)),
        "radius": lambda scene, a: _radius(squared_radius(a_matrix(a))),
        "spherical": lambda scene, a: Fraction(int(_is_positive(squared_radius(a_matrix(a))))),
        **{f"{k.upper()}~widetilde": partial(_normalised, rows) for k, rows in e.points.items()},
    }


def _radius(square: Any) -> Any:
    return square if mpmath.isinf(mp(square)) else root(square)


def _is_positive(square: Any) -> bool:
    """Whether it is the square of a radius of a sphere, which a point is not."""
    return bool(mp(square) > 0) and not mpmath.isinf(mp(square))


def _normalised(rows: Any, mark: str = "") -> Matrix:
    """Rows divided by their lengths."""
    lengths = [root(sum((v * v for v in row), ZERO)) for row in rows]
    if 0 in lengths:
        raise NoValue("the zero vector cannot be normalised")
    return Matrix.from_rows(
        [[mp(v) / mp(length) for v in row] for row, length in zip(rows, lengths, strict=True)]
    )


FUNCTIONS = frozenset({"tr", "rank", "dim", "psd", "radius", "spherical"})
SAID = partial(Letters, sets=frozenset(), functions=FUNCTIONS, over="n")
WEIGHTS = SAID(vectors=frozenset(), entries=frozenset("ws"))


# --- weights and similarities ---------------------------------------------------------------------
@family("weights", _of_tables, WEIGHTS)
@cache
def weights(n: int) -> tuple[Tables, ...]:
    """Symmetric positive weights, with any similarities and with those that attain the bound."""
    rng = random.Random(n)
    found: list[Tables] = []

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


@family("sparse weights", _of_tables, WEIGHTS)
def sparse(n: int) -> Iterator[Tables]:
    """The same, and weights some or all of which are zero."""
    yield from weights(n)
    s = weights(n)[0].entries["s"]
    alone = [[Integer(int(min(i, j) > 0)) for j in range(n)] for i in range(n)]
    pairs = [[Integer(int(i // 2 == j // 2)) for j in range(n)] for i in range(n)]
    yield Tables({"w": alone, "s": s}, note="a row without weights")
    yield Tables({"w": pairs, "s": s}, note="in pairs")


# --- dissimilarities and points ------------------------------
def _off(rows: Rows, c: Any, diagonal: Any = 0) -> Rows:
    """The same with c added off the diagonal, and another diagonal."""
    return [
        [diagonal if i == j else v + c for j, v in enumerate(row)] for i, row in enumerate(rows)
    ]


@family(
    "dissimilarities and points",
    _of_tables,
    SAID(vectors=frozenset("z"), entries=frozenset("dsw")),
    most=20,
)
@cache
def dissimilarities(n: int, q: int, tau: Any = None) -> tuple[Tables, ...]:
    """D and Z: solved exactly, up to a constant, with another diagonal, and not at all."""
    z = random_points(n, q, 0)
    flat = [axis(q, 0, x[0]) for x in z]
    same = [axis(q)] * n
    two = [axis(q, 0, 1 + i % 2) for i in range(n)]
    flipped = [minus(x) for x in two]
    blank = [[ZERO] * n for _ in range(n)]
    found = [
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
        _pair(_anything(n), z, "any D"),
        _pair(gaps([[*x, Fraction(i % 3)] for i, x in enumerate(flat)]), flat, "a dimension more"),
    ]
    if tau is not None:
        found += _on_sphere(n, q, tau)
    return tuple(found)


def _anything(n: int) -> Rows:
    """Any hollow symmetric matrix."""
    rng = random.Random(n)
    found = [[ZERO] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            found[i][j] = found[j][i] = Fraction(rng.randint(0, 9), 2)
    return found


def _on_sphere(n: int, q: int, tau: Fraction) -> list[Tables]:
    """D = (c - cos) / tau of directions, the points of other lengths."""
    found = []
    units = directions(n, q, 1)
    poles = [axis(q, 0, (-1) ** i) for i in range(n)]
    for x, what in ((units, "D of directions"), (poles, "D of two poles")):
        longer = [[v * (1 + i % 3) for v in row] for i, row in enumerate(x)]
        d = [[v / (2 * tau) for v in row] for row in gaps(x)]
        found.append(_pair(d, longer, what))
        found.append(_pair(_off(d, 1), longer, f"{what}, + 1"))
        found.append(_pair(_off(d, 0, 1), longer, f"{what}, another diagonal"))
        cosines = [[v - 1 / tau for v in row] for row in d]
        found.append(_pair(cosines, longer, f"{what}, the diagonal that of -cos / tau"))
    missing = [[ZERO] * q, *units[1:]]
    found.append(_pair(gaps(units), missing, "a point is 0"))
    return found


def _alone(rows: Rows) -> Rows:
    """The same with 1 in the first place."""
    return [[ONE, *rows[0][1:]], *rows[1:]]


def _pair(d: Rows, z: Rows, note: str) -> Tables:
    return Tables({"d": d}, {"z": z}, note)


def _in_pairs(n: int, rank: int) -> Rows:
    """(e_1 - e_2)(e_1 - e_2)^T + (e_3 - e_4)(e_3 - e_4)^T + ..., of at most this rank."""
    pairs = min(rank, n // 2)

    def entry(i: int, j: int) -> Fraction:
        inside = i // 2 == j // 2 < pairs
        return Fraction((1 if i == j else -1) if inside else 0)

    return [[entry(i, j) for j in range(n)] for i in range(n)]


# --- labels ---------------------------------------------------------------------------------------
@family(
    "labels and points",
    _of_tables,
    SAID(vectors=frozenset("yze"), entries=frozenset("dsw")),
    most=16,
)
@cache
def labels(n: int, ell: int, q: int) -> tuple[Tables, ...]:
    """Labels y in R^ell, an axis e across them, and points z in R^q; z is y where there is room."""
    room = max(ell, q)
    found = []
    cases = {
        "any labels": random_points(n, ell, 3),
        "labels on a sphere": directions(n, ell, 4),
        "labels on a line": [axis(ell, 0, i) for i in range(n)],
        "labels equal": [axis(ell)] * n,
        "two labels": [axis(ell, 0, 1 + i % 2) for i in range(n)],
        "a label 0": [[ZERO] * ell, *directions(n, ell, 4)[1:]],
    }
    across = axis(room + 1, room)
    for what, y in cases.items():
        wide = [[*x, *([ZERO] * (room + 1 - ell))] for x in y]
        other = [[*x, *([ZERO] * (room + 1 - q))] for x in random_points(n, q, 5)]
        moved = [minus(x) for x in wide]
        for z, how in ((wide, "z = y"), (other, "any z"), (moved, "z = -y")):
            if how == "any z" or ell <= q:
                found.append(Tables({}, {"y": wide, "z": z, "e": [across]}, f"{what}, {how}"))
    return tuple(found)


# --- points on a sphere ---------------------------------------------------------------------------
@family(
    "points on a sphere",
    _of_tables,
    SAID(vectors=frozenset("pze"), entries=frozenset("dsw")),
    most=12,
)
@cache
def on_a_sphere(n: int, q: int, rho: Any) -> tuple[Tables, ...]:
    """Points p in R^q, unit vectors times rho, and an axis e across."""
    across = axis(q + 1, q)
    poles = [axis(q, 0, (-1) ** i) for i in range(n)]
    kinds = {"any": directions(n, q, 6), "two poles": poles, "all equal": [axis(q)] * n}
    return tuple(
        Tables({}, {"p": [[*(v * rho for v in row), ZERO] for row in x], "e": [across]}, what)
        for what, x in kinds.items()
    )


# --- matrices ------------------------------------------------------------------------------------
@family("distances", _of_tables, SAID(vectors=frozenset(), entries=frozenset("d")), most=24)
@cache
def distances(n: int, tau: Any = None) -> tuple[Tables, ...]:
    """Hollow symmetric matrices: Euclidean of every dimension, spherical or not, and any."""
    blank = [[ZERO] * n for _ in range(n)]
    found = [blank]
    spaces = sorted({d for d in (1, 2, 3, 4, n - 1) if 1 <= d < n})
    for d in spaces:
        found += [gaps(random_points(n, d, 7)), gaps(directions(n, d, 8))]
    for d in spaces if tau is not None else ():
        of_units = gaps(directions(n, d, 9))
        found += [[[v * k / (4 * tau) for v in r] for r in of_units] for k in (1, 2, 3)]
    found += [_off(blank, 1), _off(blank, -1), _anything(n)]
    found.append([[Fraction(abs(i - j)) for j in range(n)] for i in range(n)])
    return tuple(Tables({"d": d}) for d in found)


# --- classes --------------------------------------------------------------------------------------
@family("classes", _of_tables, SAID(vectors=frozenset(), entries=frozenset("wsk")), most=16)
@cache
def classes(n: int, C: int) -> tuple[Tables, ...]:
    """Which samples have the same class: k_ij is 1 or 0, for labels in [C] of all sorts; and
    similarities s_ij."""
    rng = random.Random(n)
    labels = {
        "in turn": [i % C for i in range(n)],
        "one large class": [max(0, i - n + C) for i in range(n)],
        "one class": [0] * n,
        "any": [rng.randrange(C) for _ in range(n)],
    }
    s = [[ZERO] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            s[i][j] = s[j][i] = Fraction(rng.randint(-6, 6), 3)
    return tuple(
        Tables(
            {"k": [[Fraction(int(a == b)) for b in y] for a in y], "s": s}, note=f"labels {what}"
        )
        for what, y in labels.items()
    )


# --- points and those that they should be ---------------------------------------------------------
#: A turn and a reflection of the plane.
TURNS = (
    ((Fraction(3, 5), Fraction(-4, 5)), (Fraction(4, 5), Fraction(3, 5))),
    ((Fraction(5, 13), Fraction(12, 13)), (Fraction(12, 13), Fraction(-5, 13))),
)


@family(
    "points and targets", _of_tables, SAID(vectors=frozenset("yz"), entries=frozenset()), most=8
)
@cache
def targets(N: int) -> tuple[Tables, ...]:
    """N different points y of the plane or of its circle, one of them twice; points z that are y
    turned or reflected, and shifted; larger; with one of them elsewhere."""
    drawn, found = random.Random(N), []
    plane = [[Fraction(drawn.randint(-6, 6)), Fraction(k)] for k in range(N)]
    places = [Fraction(3 * k + 1, k + 2) for k in range(N)]
    circle = [[2 * t / (1 + t * t), (t * t - 1) / (1 + t * t)] for t in places]
    for some, shift, away in (
        (plane, [ONE, Fraction(-2)], [Fraction(7), Fraction(9)]),
        (circle, [ZERO, ZERO], [Fraction(-20, 29), Fraction(-21, 29)]),
    ):
        y = [*some, some[-1]]
        found.append(Tables({}, {"y": y, "z": [away, *y[1:]]}, "one point elsewhere"))
        found.append(Tables({}, {"y": y, "z": [[2 * v for v in x] for x in y]}, "larger"))
        for turn in TURNS:
            rows = [[a * x[0] + b * x[1] for a, b in turn] for x in y]
            moved = [[v + s for v, s in zip(row, shift, strict=True)] for row in rows]
            found.append(Tables({}, {"y": y, "z": moved}, "congruent"))
    return tuple(found)


# --- classes of unequal sizes ----------------------------------------
#: How much of a sample is that of its class, in turn; 1 is a class that is a point.
SHARES = (Fraction(3, 5), Fraction(1), Fraction(1, 4))
#: Directions of classes in the plane, in turn.
DIRECTIONS: tuple[tuple[int | Fraction, int | Fraction], ...] = (
    (1, 0),
    (Fraction(-3, 5), Fraction(4, 5)),
    (Fraction(5, 13), Fraction(-12, 13)),
)


def _blocks(sizes: tuple[int, ...], shares: tuple[Fraction, ...], note: str) -> Embeddings:
    def inner(a: Index, b: Index) -> Fraction:
        if a == b:
            return Fraction(1)
        one, other = (DIRECTIONS[k[0] % 3] for k in (a, b))
        both = sum((Fraction(s) * t for s, t in zip(one, other, strict=True)), Fraction(0))
        return shares[a[0] % len(shares)] * shares[b[0] % len(shares)] * both

    order = [(c, k, 0) for c, ell in enumerate(sizes) for k in range(ell)]
    return Embeddings(len(sizes), max(sizes), 1, inner, only=order, note=note)


def supcon(e: Embeddings, tau: Any) -> Any:
    """The SupCon loss: of each sample the mean over the others of its class."""
    sizes = [len(e.of_class(c)) for c in range(e.m)]
    if 1 in sizes:
        raise NoValue("a class of one sample has no positives")
    every = [[mp(e.ip(a, b)) / mp(tau) for b in e.everything] for a in e.everything]
    return loss(of_classes(sizes), every)


def _of_blocks(e: Embeddings) -> dict[str, Callable[..., Any]]:
    def members(c: int) -> list[Index]:
        found = e.of_class(c - 1)
        if not found:
            raise NoValue("the number of the class is out of range")
        return found

    def ell(c: int, mark: str = "") -> Fraction:
        return Fraction(len(members(c)))

    def inside(c: int, mark: str = "") -> Fraction:
        some = members(c)
        if len(some) < 2:
            raise NoValue("a class of one sample has no pairs")
        return e.ip(some[0], some[1])

    def between(c: int, other: int, mark: str = "") -> Fraction:
        return e.ip(members(c)[0], members(other)[0])

    return {
        "n": lambda mark="": Fraction(len(e.everything)),
        "ell": ell,
        "a": inside,
        "b": between,
        "L": lambda scene: supcon(e, scene.numbers["tau"]),
    }


@family("blocks", _of_blocks)
def blocks(C: int, ell: int, p: int = 0) -> list[Embeddings]:
    """Sizes ell and p in turn, if there is a p; and classes that are points, and that are not."""
    sizes = tuple((ell, p or ell)[c % 2] for c in range(C))
    return [
        _blocks(sizes, SHARES, "classes of all sorts"),
        _blocks(sizes, SHARES[:1], "classes that are not points"),
        _blocks(sizes, (ONE,), "classes that are points"),
        _blocks(sizes, (ZERO,), "samples at right angles"),
    ]


@family("collapsed classes", _of_blocks)
def collapsed(C: int, ell: int, beta: Any) -> Iterator[Embeddings]:
    """The classes, where there are such."""
    if C == 1 or Fraction(-1, C - 1) <= beta <= 1:
        yield Embeddings.hierarchical(C, ell, 1, ONE, ONE, beta)

"""The sets of vectors on which a printed statement is tried, by name, at a point of its hypotheses.

A family makes sets of all sorts at the sizes of the point: the ones that a statement is about
(``ssem``, ``ccem``, ``simplex``), or any at all (``sets``, ``towers``), among which are always the
degenerate ones: all vectors equal, some equal, antipodal, centred, and those on a line.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache, partial
from itertools import product
from typing import Any

import mpmath

from ...losses.clip import INFONCE, SIGMOID
from ...losses.softmax import SoftmaxLoss
from ...losses.supcl import CNCE, SUPCL
from ...structures.towers import NEGATIVE, POSITIVE
from ...vectors.embeddings import Embeddings, Index
from .. import evaluate, towers
from .anchors import ANCHORS
from .family import Family, size
from .reader import Letters
from .values import AXES, NoValue, Scene, Unknown, as_number, mp
from .weighted import WEIGHTED

ONE = Fraction(1)
SEEDS = 2  #: random sets at every point


# --- views in instances in classes -----------------------------------------------------------
def _of_classes(e: Embeddings) -> dict[str, Callable[..., Any]]:
    def inside(*indices: int, mark: str = "") -> list[Index]:
        limits = (e.m, e.n, e.p)
        if any(not 1 <= k <= limit for k, limit in zip(indices, limits, strict=False)):
            raise NoValue("there is no such index")
        wanted = tuple(k - 1 for k in indices)
        return [a for a in e.everything if a[: len(wanted)] == wanted]

    def vector(*indices: int, mark: str = "") -> dict[Index, Fraction]:
        found = inside(*indices)
        if len(found) != 1:
            raise Unknown("indices that do not name one vector")
        return {found[0]: ONE}

    return {
        "U": inside,
        "u": vector,
        "v": vector,
        "w": vector,
        "L": lambda scene: loss(SUPCL, scene),
        "L_Sup": lambda scene: loss(SUPCL, scene, alpha=0),
        "L_Self": lambda scene: loss(SUPCL, scene, alpha=1),
        "L_cNCE": lambda scene: loss(CNCE, scene),
    }


def loss(declared: SoftmaxLoss, scene: Scene, **fixed: int) -> Any:
    """The declared loss on the set of a scene."""
    if scene.vectors is None:
        raise Unknown("there is no set of vectors here")
    numbers = {k: scene.numbers[k] for k in ("alpha", "tau") if k in scene.numbers}
    return declared_value(declared, scene.vectors, **{**numbers, **fixed})


def declared_value(declared: SoftmaxLoss, e: Embeddings, **numbers: Any) -> Any:
    """A declared loss on a set; one without a value raises NoValue."""
    try:
        return evaluate.value(declared, e, **numbers)
    except ZeroDivisionError:
        raise NoValue("the mean over no positives has no value") from None


def _ssem(point: Mapping[str, Any]) -> list[Embeddings]:
    m, n, p = size(point, "m"), size(point, "n"), size(point, "p", 1)
    return [ssem(m, n, p, as_number(point["delta"] ** 2))]


@cache
def ssem(m: int, n: int, p: int, delta_squared: Fraction) -> Embeddings:
    """The SSEM; one vector is one for every delta."""
    if m * n == 1:
        return Embeddings.hierarchical(1, 1, p, ONE, ONE, ONE)
    return Embeddings.ssem(m, n, p, delta_squared)


def _sets(point: Mapping[str, Any]) -> list[Embeddings]:
    m, n, p = size(point, "m"), size(point, "n"), size(point, "p", 1)
    if "d" in point:
        return list(sets_in(m, n, p, size(point, "d")))
    return [e for d in (1, 2, 3) for e in sets_in(m, n, p, d)]


@cache
def sets_in(m: int, n: int, p: int, d: int) -> tuple[Embeddings, ...]:
    """Unit vectors in R^d: any, and the degenerate ones."""
    count = m * n * p
    axis = [1] + [0] * (d - 1)
    back = [-1] + [0] * (d - 1)
    found = [Embeddings.random(m, n, p, d, seed) for seed in range(SEEDS)]
    found.append(Embeddings.from_vectors(m, n, p, [axis] * count, note="all equal"))
    signs = [axis if k % 2 == 0 else back for k in range(count)]
    found.append(Embeddings.from_vectors(m, n, p, signs, note="signs in turn"))
    by_class = [axis if a[0] % 2 == 0 else back for a in product(range(m), range(n), range(p))]
    found.append(Embeddings.from_vectors(m, n, p, by_class, note="classes opposite"))
    if d >= 2:
        turned = [0, 1] + [0] * (d - 2)
        away = [0, -1] + [0] * (d - 2)
        four = [axis, back, turned, away]
        cross = [four[k % 4] for k in range(count)]
        found.append(Embeddings.from_vectors(m, n, p, cross, note="a cross"))
        fan: list[list[Fraction | int]] = [[ONE, *([0] * (d - 1))]]
        fan += [[Fraction(3, 5), Fraction(s, 5), *([0] * (d - 2))] for s in (4, -4)]
        spread = [fan[k % 3] for k in range(count)]
        found.append(Embeddings.from_vectors(m, n, p, spread, note="a fan"))
        merged = [axis, axis, *([turned] * count)][:count]
        found.append(Embeddings.from_vectors(m, n, p, merged, note="two points"))
    if m * n >= 2:
        room = [Fraction(0), Fraction(1, 2), ONE]
        some = [ssem(m, n, p, q) for q in room]
        if n >= 2:
            some.append(ssem(m, n, p, Fraction(m * n - 1, m * (n - 1))))
        found += [e for e in some if e.rank <= d]
    return tuple(found)


def first_alone(order: list[Index]) -> list[Index]:
    """Of some indices, of the first class only the first."""
    return [a for a in order if a[0] > 0 or a == order[0]]


def _spheres(point: Mapping[str, Any]) -> list[Embeddings]:
    radius = as_number(point["r"])
    even = [e for d in (1, 2, 3) for e in sets_in(size(point, "m"), size(point, "n"), 1, d)]
    found = []
    for e in even:
        found.append(e.scaled(radius))
        if e.m > 1 and e.n > 1:
            few = e.restricted(first_alone(e.everything), "the first class has one vector")
            found.append(few.scaled(radius))
    return found


def _of_spheres(e: Embeddings) -> dict[str, Callable[..., Any]]:
    def nothing(*_: int, mark: str = "") -> Any:
        raise NoValue("there is no set W")

    return {**_of_classes(e), "W": nothing}


def _simplex(point: Mapping[str, Any]) -> list[Embeddings]:
    return [Embeddings.simplex(size(point, "m", 1), size(point, "n"))]


def _plain_simplex(point: Mapping[str, Any]) -> list[Embeddings]:
    return [Embeddings.simplex(size(point, "n" if "n" in point else "N"))]


def _of_simplex(e: Embeddings) -> dict[str, Callable[..., Any]]:
    """A simplex whose vectors have one index, or those of (class, instance)."""
    if e.n > 1 or e.m == 1:
        return _of_classes(e)

    def vector(*indices: int, mark: str = "") -> dict[Index, Fraction]:
        (k,) = indices
        if not 1 <= k <= e.m:
            raise NoValue("there is no such index")
        return {(k - 1, 0, 0): ONE}

    return {"U": lambda *_, mark="": list(e.everything), "u": vector, "w": vector, "v": vector}


def _with_axis(point: Mapping[str, Any]) -> list[Embeddings]:
    """A simplex w_1..w_N and a unit vector e across it."""
    items = size(point, "N")
    apart = Fraction(-1, items - 1) if items > 1 else Fraction(0)

    def inner(a: Index, b: Index) -> Fraction:
        if a == b:
            return ONE
        return Fraction(0) if items in (a[0], b[0]) else apart

    return [Embeddings(items + 1, 1, 1, inner)]


def _of_axis(e: Embeddings) -> dict[str, Callable[..., Any]]:
    return {
        "w": lambda k, mark="": {(k - 1, 0, 0): ONE},
        "e": lambda mark="": {(e.m - 1, 0, 0): ONE},
    }


# --- towers ----------------------------------------------------------------------------------
def _of_towers(found: Embeddings, parameter: str = "") -> dict[str, Callable[..., Any]]:
    e = _as_towers(found)

    def tower(view: int) -> Callable[..., Any]:
        def vector(*indices: int, mark: str = "") -> dict[Index, Fraction]:
            (k,) = indices
            if not 1 <= k <= e.m:
                raise NoValue("there is no such index")
            return {(k - 1, 0, view): ONE}

        return vector

    def softmax(scene: Scene) -> Any:
        return towers.softmax_value(INFONCE, e, t=scene.numbers["t"])  # type: ignore[arg-type]

    def sigmoid(scene: Scene) -> Any:
        numbers = {k: scene.numbers[k] for k in ("t", "b")}
        return towers.pairwise_value(SIGMOID, e, **numbers)  # type: ignore[arg-type]

    def side(view: int) -> Callable[..., Any]:
        def every(*_: int, mark: str = "") -> list[Index]:
            if "(" in mark and mark != parameter:
                raise Unknown(f"these sets have no parameter {mark}")
            return [a for a in e.everything if a[2] == view]

        return every

    def both(scene: Scene) -> Any:
        """The loss of any two functions: a sum over all pairs."""
        near, far = (scene.named.get(k) for k in ("l_p", "l_n"))
        if near is None or far is None:
            raise Unknown("nothing says what l_p and l_n are")
        with_near = [near(scene, g) for g in e.positives()]
        return total([*with_near, *(far(scene, g) for g in e.negatives())])

    def least(scene: Scene, alignment: Any) -> Any:
        """The sum over the negatives on the CCEM whose positives have this mean."""
        if not isinstance(alignment, Fraction):
            raise Unknown("the mean of the positives is rational")
        if not -1 <= alignment <= 1:
            raise NoValue(f"no unit vectors have {alignment} as the mean of their positives")
        return sum(ccem(e.m, towers.position(alignment)).negatives(), Fraction(0))

    return {
        "u": tower(0),
        "v": tower(1),
        "U": side(0),
        "V": side(1),
        "L": both,
        "h": least,
        "L_InfoNCE": softmax,
        "L_sig": sigmoid,
    }


def _as_towers(e: Embeddings) -> towers.Towers:
    if isinstance(e, towers.Towers):
        return e
    return towers.Towers(e.m, 1, 2, e.ip, note=e.note)  # of a witness


def total(values: list[Any]) -> Any:
    """A sum, exact if all are."""
    if all(isinstance(v, Fraction) for v in values):
        return sum(values, Fraction(0))
    return mpmath.fsum(map(mp, values))


def _anchor(point: Mapping[str, Any]) -> list[Embeddings]:
    items = size(point, "N")
    return [e for d in (1, 3) for e in sets_in(1, items + 2, 1, d)]


def _of_anchor(e: Embeddings) -> dict[str, Callable[..., Any]]:
    def v(sign: str, k: int = 0, mark: str = "") -> dict[Index, Fraction]:
        if sign == "-" and k == 0 and e.n > 3:
            raise Unknown("there are several negatives, and nothing says which")
        place = 1 if sign == "+" else 1 + (k or 1)
        if not 1 <= place < e.n:
            raise NoValue("there is no such index")
        return {(0, place, 0): ONE}

    def inner() -> tuple[Any, list[Any]]:
        return e.ip((0, 0, 0), (0, 1, 0)), [e.ip((0, 0, 0), (0, k, 0)) for k in range(2, e.n)]

    def softmax(scene: Scene) -> Any:
        near, far = inner()
        return mpmath.log(mpmath.fsum(mpmath.exp(mp(g)) for g in (near, *far))) - mp(near)

    def one(scene: Scene) -> Any:
        if e.n != 3:
            raise Unknown("NCE has one negative")
        return softmax(scene)

    def sigmoid(scene: Scene) -> Any:
        """The terms of the declared loss, without temperature and bias."""
        near, far = inner()
        known = {"t": Fraction(1), "b": Fraction(0)}
        values = {POSITIVE: [near], NEGATIVE: far}
        return towers.summed(SIGMOID, values, **known)

    return {
        "u": lambda mark="": {(0, 0, 0): ONE},
        "v": v,
        "V": lambda mark="": e.everything[1:],
        "L_NCE": one,
        "L_InfoNCE": softmax,
        "L_sig": sigmoid,
    }


def _ccem(point: Mapping[str, Any]) -> list[Embeddings]:
    squared = as_number(point["delta"] ** 2) if point["delta"].is_finite else float("inf")
    return [ccem(size(point, "N"), squared)]


@cache
def ccem(items: int, delta_squared: Any) -> towers.Towers:
    """The CCEM; of one item, whose simplex is one unit vector, too."""
    return towers.ccem(items, delta_squared)


def _towers(point: Mapping[str, Any]) -> list[Embeddings]:
    items = size(point, "N")
    return [e for d in ([size(point, "d")] if "d" in point else (1, 3)) for e in in_space(items, d)]


@cache
def in_space(items: int, d: int) -> tuple[Embeddings, ...]:
    """Two towers in R^d: any, and the degenerate ones."""
    axis = [1] + [0] * (d - 1)
    back = [-1] + [0] * (d - 1)
    signs = [axis if k % 2 == 0 else back for k in range(items)]
    found: list[Embeddings] = [towers.random(items, d, seed) for seed in range(SEEDS)]
    found.append(towers.of_vectors([axis] * items, [axis] * items, "all equal"))
    found.append(towers.of_vectors([axis] * items, [back] * items, "antipodal"))
    found.append(towers.of_vectors(signs, signs, "signs in turn"))
    if items - 1 <= d:
        found.append(towers.ccem(items, Fraction(0)))
    if items <= d:
        found += [towers.ccem(items, q) for q in (Fraction(1, 4), ONE, Fraction(4))]
    return tuple(found)


# --- non-negative weights and points -------------------------------------------------------------
def _weighted(point: Mapping[str, Any]) -> list[Embeddings]:
    """A vector a >= 0, points w_1..w_n, and the axes, on which all of these have coordinates."""
    n, d = size(point, "n", 2), size(point, "d")
    found = _positive(point)
    blank = [Fraction(0)] * d
    for seed in range(SEEDS):
        a, points = _drawn(n, d, seed)
        found.append(_on_axes([*a[:-1], Fraction(0)], points, "the last weight 0"))
    found.append(_on_axes(blank, _drawn(n, d, 0)[1], "all weights 0"))
    return found


def _positive(point: Mapping[str, Any]) -> list[Embeddings]:
    """The same with a > 0."""
    n, d = size(point, "n", 2), size(point, "d")
    found = [_on_axes(*_drawn(n, d, seed), f"seed {seed}") for seed in range(SEEDS)]
    a, points = _drawn(n, d, SEEDS)
    found.append(_on_axes(a, [points[0]] * n, "all points equal"))
    moved = [[c + k for c in points[0]] for k in range(n)]
    found.append(_on_axes(a, moved, "moved along (1, ..., 1)"))
    found.append(_on_axes([ONE] * d, [[Fraction(k)] * d for k in range(n)], "on the diagonal"))
    return found


@cache
def _drawn(n: int, d: int, seed: int) -> tuple[list[Fraction], list[list[Fraction]]]:
    rng = random.Random(seed)
    a = [Fraction(rng.randint(1, 9), rng.randint(1, 4)) for _ in range(d)]
    return a, [
        [Fraction(rng.randint(-9, 9), rng.randint(1, 4)) for _ in range(d)] for _ in range(n)
    ]


def _on_axes(a: list[Fraction], points: list[list[Fraction]], note: str) -> Embeddings:
    axes = [[ONE if i == k else Fraction(0) for i in range(len(a))] for k in range(len(a))]
    rows = [a, *points, *axes]
    return Embeddings.from_vectors(len(rows), 1, 1, rows, note=note)


def _of_weighted(e: Embeddings) -> dict[str, Callable[..., Any]]:
    """a, w_1, w_2, ..., of which w and v are the first two, coordinates w_{i,k}, and the axes."""
    axes = e.everything[-e.rank :]  # they span the space

    def point(*indices: int, mark: str = "") -> Any:
        if any(k < 1 for k in indices) or (indices and indices[0] > e.m - e.rank - 1):
            raise NoValue("there is no such index")
        here = e.everything[indices[0] if indices else 1]
        if len(indices) < 2:
            return {here: ONE}
        if indices[1] > e.rank:
            raise NoValue("there is no such index")
        return e.ip(here, axes[indices[1] - 1])

    return {
        "a": lambda mark="": {e.everything[0]: ONE},
        "w": point,
        "v": lambda mark="": {e.everything[2]: ONE},
        AXES: lambda: axes,
    }


FAMILIES: dict[str, Family] = {
    f.name: f
    for f in (
        *WEIGHTED,
        *ANCHORS,
        Family("sets", "unit vectors u_ijk, any and degenerate", ("m", "n"), _sets, _of_classes),
        Family("spheres", "vectors of length r, any", ("m", "n", "r"), _spheres, _of_spheres),
        Family("ssem", "the SSEM", ("m", "n", "delta"), _ssem, _of_classes),
        Family("simplex", "a simplex of mn vectors w_ij", ("m", "n"), _simplex, _of_classes),
        Family("one simplex", "a simplex of n (or N) vectors", (), _plain_simplex, _of_simplex),
        Family(
            "simplex and axis",
            "a simplex w_1..w_N, and e across it",
            ("N",),
            _with_axis,
            _of_axis,
            Letters(vectors=frozenset("uvwe")),
        ),
        Family(
            "weights and points",
            "a in R^d with a >= 0, and w_1..w_n, any and degenerate",
            ("d",),
            _weighted,
            _of_weighted,
            Letters(vectors=frozenset("avw")),
        ),
        Family(
            "positive weights and points",
            "a in R^d with a > 0, and w_1..w_n, any and degenerate",
            ("d",),
            _positive,
            _of_weighted,
            Letters(vectors=frozenset("avw")),
        ),
        Family(
            "towers",
            "u_1..u_N and v_1..v_N, any and degenerate",
            ("N",),
            _towers,
            _of_towers,
            Letters(functions=frozenset("h")),
        ),
        Family(
            "ccem",
            "the CCEM",
            ("N", "delta"),
            _ccem,
            partial(_of_towers, parameter="(delta)"),
            Letters(functions=frozenset("h")),
        ),
        Family(
            "anchor",
            "one u with v_+ and N negatives v_-^{(j)}, any and degenerate",
            ("N",),
            _anchor,
            _of_anchor,
        ),
    )
}

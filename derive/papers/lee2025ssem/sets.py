"""The sets that statements of the paper are tried on: classes of vectors, and weighted points."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from sympy import Expr

from ...language.evaluate import AXES, Scene
from ...language.parser import Letters
from ...language.quantities import NoValue, Unknown, as_number
from ...losses.softmax import SoftmaxLoss
from ...losses.supcl import CNCE, SUPCL
from ...vectors.embeddings import Embeddings, Index
from .. import evaluate
from ..records.families import RANKED, SEEDS, first_alone, sets_in, ssem, unit_vector
from ..records.family import family
from ..records.points import ONE, ZERO, Rows, unit_axes


# --- views in instances in classes -----------------------------------------------------------
def of_classes(e: Embeddings) -> dict[str, Callable[..., Any]]:
    """Sets by indices of classes, instances and views, vectors, and the losses."""

    def inside(*indices: int, mark: str = "") -> list[Index]:
        limits = (e.m, e.n, e.p)
        if any(not 1 <= k <= limit for k, limit in zip(indices, limits, strict=False)):
            raise NoValue("the index is out of range")
        wanted = tuple(k - 1 for k in indices)
        return [a for a in e.everything if a[: len(wanted)] == wanted]

    def vector(*indices: int, mark: str = "") -> dict[Index, Fraction]:
        found = inside(*indices)
        if len(found) != 1:
            raise Unknown("indices that do not name one vector")
        return {found[0]: ONE}

    def loss(declared: SoftmaxLoss, **fixed: int) -> Callable[[Scene], Any]:
        def at(scene: Scene) -> Any:
            numbers = {k: scene.numbers[k] for k in ("alpha", "tau") if k in scene.numbers}
            return declared_value(declared, e, **{**numbers, **fixed})

        return at

    return {
        "U": inside,
        "u": vector,
        "v": vector,
        "w": vector,
        "L": loss(SUPCL),
        "L_Sup": loss(SUPCL, alpha=0),
        "L_Self": loss(SUPCL, alpha=1),
        "L_cNCE": loss(CNCE),
        "rank": lambda scene, _: Fraction(e.rank),
    }


def declared_value(declared: SoftmaxLoss, e: Embeddings, **numbers: Any) -> Any:
    """A declared loss on a set; one without a value raises NoValue."""
    try:
        return evaluate.value(declared, e, **numbers)
    except ZeroDivisionError:
        raise NoValue("the mean over no positives has no value") from None


@family("sets", of_classes)
def sets(m: int, n: int, p: int = 1, d: int | None = None) -> list[Embeddings]:
    """Unit vectors in R^d, or in three spaces."""
    return [e for room in ([d] if d is not None else (1, 2, 3)) for e in sets_in(m, n, p, room)]


def _of_spheres(e: Embeddings) -> dict[str, Callable[..., Any]]:
    def nothing(*_: int, mark: str = "") -> Any:
        raise NoValue("W does not exist")

    return {**of_classes(e), "W": nothing}


@family("spheres", _of_spheres)
def spheres(m: int, n: int, r: Any) -> Iterator[Embeddings]:
    """Unit vectors times r, also with one vector only in the first class."""
    for e in sets(m, n):
        yield e.scaled(r)
        if m > 1 and n > 1:
            few = e.restricted(first_alone(e.everything), "the first class has one vector")
            yield few.scaled(r)


@family("ssem", of_classes, RANKED)
def one_ssem(m: int, n: int, delta: Expr, p: int = 1) -> Iterator[Embeddings]:
    """The SSEM at a point."""
    yield ssem(m, n, p, as_number(delta**2))


@family("simplex", of_classes, RANKED)
def simplex(m: int, n: int) -> Iterator[Embeddings]:
    """The simplex of classes of one vector."""
    yield Embeddings.simplex(m, n)


# --- non-negative weights and points -------------------------------------------------------------
POINTS = Letters(vectors=frozenset("avw"))


def _of_weighted(e: Embeddings) -> dict[str, Callable[..., Any]]:
    """a, w_1, w_2, ..., of which w and v are the first two, coordinates w_{i,k}, and the axes."""
    axes = e.everything[-e.rank :]  # they span the space

    def point(*indices: int, mark: str = "") -> Any:
        if any(k < 1 for k in indices) or (indices and indices[0] > e.m - e.rank - 1):
            raise NoValue("the index is out of range")
        here = e.everything[indices[0] if indices else 1]
        if len(indices) < 2:
            return {here: ONE}
        if indices[1] > e.rank:
            raise NoValue("the index is out of range")
        return e.ip(here, axes[indices[1] - 1])

    return {
        "a": lambda mark="": unit_vector(0, 0, 0),
        "w": point,
        "v": lambda mark="": unit_vector(2, 0, 0),
        AXES: lambda: axes,
    }


@family("positive weights and points", _of_weighted, POINTS)
def positive(d: int, n: int = 2) -> list[Embeddings]:
    """A vector a > 0, points w_1..w_n, and the axes, on which all of these have coordinates."""
    found = [_on_axes(*_drawn(n, d, seed), f"seed {seed}") for seed in range(SEEDS)]
    a, points = _drawn(n, d, SEEDS)
    found.append(_on_axes(a, [points[0]] * n, "all points equal"))
    moved = [[c + k for c in points[0]] for k in range(n)]
    found.append(_on_axes(a, moved, "moved along (1, ..., 1)"))
    found.append(_on_axes([ONE] * d, [[Fraction(k)] * d for k in range(n)], "on the diagonal"))
    return found


@family("weights and points", _of_weighted, POINTS)
def weighted(d: int, n: int = 2) -> list[Embeddings]:
    """The same with a >= 0."""
    found = positive(d, n)
    for seed in range(SEEDS):
        a, points = _drawn(n, d, seed)
        found.append(_on_axes([*a[:-1], ZERO], points, "the last weight 0"))
    return [*found, _on_axes([ZERO] * d, _drawn(n, d, 0)[1], "all weights 0")]


@cache
def _drawn(n: int, d: int, seed: int) -> tuple[list[Fraction], Rows]:
    rng = random.Random(seed)
    a = [Fraction(rng.randint(1, 9), rng.randint(1, 4)) for _ in range(d)]
    return a, [
        [Fraction(rng.randint(-9, 9), rng.randint(1, 4)) for _ in range(d)] for _ in range(n)
    ]


def _on_axes(a: Sequence[Fraction], points: Rows, note: str) -> Embeddings:
    rows = [list(a), *points, *unit_axes(len(a))]
    return Embeddings.from_vectors(len(rows), 1, 1, rows, note=note)

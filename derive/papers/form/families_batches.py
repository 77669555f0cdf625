r"""Families of batches of unit vectors, of laws of one anchor, and of sets with candidates.

Among the batches are the degenerate ones: all equal, antipodal pairs, a positive far from an anchor
whose negatives are all near, orthonormal vectors, few directions with copies. The partners are
in pairs where n is even, or each the next one, or all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from ...vectors.embeddings import Embeddings
from .batches import FUNCTIONS, OF_MATRICES, ONE, Batch, Row, moment, read_batch, unit_axes
from .family import Family, of_sizes
from .laws import MOST, Law, read_law
from .reader import Letters
from .tables import Tables
from .values import AXES, Unknown
from .weighted import directions

Rows = list[list[Fraction]]


# --- batches -------------------------------------------------------------------------------------
def in_pairs(n: int) -> list[int]:
    """Partners 1 and 2, 3 and 4, ...; of an odd number the last has the first."""
    return [min(k + 1, n) if k % 2 else k - 1 for k in range(1, n)] + [n - 1 if n % 2 == 0 else 1]


def next_ones(n: int) -> list[int]:
    """Of each the next one is the partner."""
    return [k % n + 1 for k in range(1, n + 1)]


def last_one(n: int) -> list[int]:
    """The last is the partner of all others, and the first its own."""
    return [n] * (n - 1) + [1]


def axis(d: int, k: int = 0, sign: int = 1) -> list[Fraction]:
    """A unit vector along an axis, or against it."""
    return [Fraction(sign * int(i == k % d)) for i in range(d)]


@cache
def batches_of(n: int, d: int) -> tuple[Batch, ...]:
    """Batches of n unit vectors in R^d."""
    e, back = axis(d), axis(d, 0, -1)
    found = [
        Batch(directions(n, d, 1), in_pairs(n), "any"),
        Batch(directions(n, d, 2), next_ones(n), "any, each with the next"),
        Batch([e] * n, in_pairs(n), "all equal"),
        Batch([e] * (n - 1) + [back], last_one(n), "all equal, and the positive opposite"),
        Batch([e if k % 2 else back for k in range(n)], in_pairs(n), "antipodal pairs"),
        Batch([e if k // 2 % 2 else back for k in range(n)], in_pairs(n), "pairs of signs"),
        Batch([axis(d, k) for k in range(n)], next_ones(n), "axes in turn"),
    ]
    if d > 1:
        found += [
            Batch([axis(d, k // 2) for k in range(n)], in_pairs(n), "pairs along the axes"),
            Batch(
                [axis(d, k // 2, (-1) ** k) for k in range(n)], in_pairs(n), "opposites on the axes"
            ),
            Batch([e] * (n - 1) + [axis(d, 1)], next_ones(n), "all equal but one"),
            Batch([e, axis(d, 1), *([axis(d, 1)] * (n - 2))], in_pairs(n), "all others equal"),
        ]
    return tuple(found)


def _of_batch(e: Embeddings) -> dict[str, Any]:
    assert isinstance(e, Batch)
    return e.named()


# --- laws ----------------------------------------------------------------------------------------
@cache
def laws_of(n: int, d: int) -> tuple[Law, ...]:
    """Laws of an anchor, its positive and n - 2 negatives in R^d."""
    e, back = axis(d), axis(d, 0, -1)
    half, some = Fraction(1, 2), Fraction(1, 5)
    sure = [(ONE, e, e)]
    opposed = [(ONE, e, back)]
    mixed: list[tuple[Fraction, Row, Row]] = [(some, e, back), (1 - some, e, e)]
    seldom: list[tuple[Fraction, Row, Row]] = [
        (Fraction(1, 100), e, back),
        (Fraction(99, 100), back, back),
    ]
    signs = [(half, e), (half, back)]
    offered: list[tuple[Any, Any, str]] = [
        (sure, signs, "positive equal, negatives of either sign"),
        (opposed, signs, "positive opposite, negatives of either sign"),
        (opposed, [(ONE, e)], "positive opposite, all negatives equal"),
        (sure, [(ONE, e)], "all equal"),
        (seldom, [(ONE, e)], "seldom far from the positive"),
        (mixed, [(some, e), (1 - some, back)], "positive of either sign, and negatives"),
    ]
    if d > 1:
        other = axis(d, 1)
        across = axis(d, 1, -1)
        share = Fraction(1, 4)
        cross = [(share, e), (share, back), (share, other), (share, across)]
        offered += [
            (sure, cross, "negatives on a cross"),
            ([(ONE, e, other)], cross, "positive across, negatives on a cross"),
            ([(half, e, e), (half, other, across)], [(half, e), (half, other)], "two anchors"),
        ]
        rare, often = Fraction(1, 200), Fraction(9, 10)
        rest = (1 - rare - often) / max(1, d - 1)
        apart = [(rest, axis(d, k)) for k in range(1, d)]
        offered.append((sure, [(rare, e), (often, back), *apart], "few near, most opposite"))
        drawn = directions(4, d, 3)
        thirds = [(Fraction(1, 3), row) for row in drawn[1:]]
        offered.append(([(ONE, drawn[0], drawn[1])], thirds, "any"))
    found = [Law(pairs, atoms, n, note) for pairs, atoms, note in offered]
    return tuple(e for e in found if len(e.shares[0]) * len(e.shares[1]) ** (n - 2) <= MOST)


def _of_law(e: Embeddings) -> dict[str, Any]:
    assert isinstance(e, Law)
    return {**e.named(), **OF_MATRICES}


# --- a set and candidates ------------------------------------------------------------------------
@cache
def sets_of(b: int, d: int) -> tuple[Tables, ...]:
    """A set B of b unit vectors, and a set C of candidates, in R^d."""
    e = axis(d)
    candidates = [*directions(3, d, 5), e, axis(d, 1)]
    sets: dict[str, Rows] = {
        "any": directions(b, d, 4),
        "all equal": [e] * b,
        "axes in turn": [axis(d, k) for k in range(b)],
        "either sign": [axis(d, 0, (-1) ** k) for k in range(b)],
    }
    return tuple(
        Tables({}, {"u": rows, "w": candidates, "e": unit_axes(d)}, note)
        for note, rows in sets.items()
    )


def _read_sets(tables: Mapping[str, Any]) -> Tables:
    rows = {k: [[Fraction(v) for v in row] for row in table] for k, table in tables.items()}
    return Tables({}, rows)


def _of_sets(e: Embeddings) -> dict[str, Any]:
    assert isinstance(e, Tables)
    groups = {letter: e.letters.index(letter) for letter in e.letters}

    def members(letter: str) -> Callable[..., Any]:
        return lambda *_, mark="": [a for a in e.everything if a[0] == groups[letter]]

    def second_moment(*indices: Any, mark: str = "") -> Any:
        if len(indices) != 1 or not isinstance(indices[0], tuple):
            raise Unknown("Sigma is of a set")
        return moment([e.points[e.letters[g]][k] for g, k, _ in indices[0]])

    return {
        AXES: members("e"),
        "b": lambda mark="": Fraction(len(e.points["u"])),
        "B": members("u"),
        "C": members("w"),
        "Sigma": second_moment,
        **OF_MATRICES,
    }


ANCHORS = Letters(
    vectors=frozenset("z"), sets=frozenset("NS"), functions=FUNCTIONS, over="n", entries=frozenset()
)

BATCHES: dict[str, Family] = {
    f.name: f
    for f in (
        Family(
            "batches",
            "n unit vectors in R^d, each with a partner",
            ("n", "d"),
            of_sizes(batches_of, "n", "d"),
            _of_batch,
            ANCHORS,
            most=40,
            again=read_batch,
        ),
        Family(
            "laws",
            "a law of an anchor, its positive, and n - 2 independent negatives in R^d",
            ("n", "d"),
            of_sizes(laws_of, "n", "d"),
            _of_law,
            ANCHORS,
            most=32,
            again=read_law,
        ),
        Family(
            "set and candidates",
            "a set B of b unit vectors and a set C of candidates, in R^d",
            ("b", "d"),
            of_sizes(sets_of, "b", "d"),
            _of_sets,
            Letters(
                vectors=frozenset("z"),
                sets=frozenset("BC"),
                functions=FUNCTIONS,
                over="b",
                subsets=frozenset("B"),
            ),
            most=16,
            again=_read_sets,
        ),
    )
}

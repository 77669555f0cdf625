r"""The sets that statements of the paper are tried on: anchors, finite laws of these, and batches.

An anchor is u, its positive v, its negatives z_1..z_N. In a law there are K outcomes with
probabilities w_k; the outcome k has the positive v_k and the negatives z_{k,1}..z_{k,N}, so that an
expectation is a finite sum. \sigma_k is the largest eigenvalue of the second moment of the
negatives of an outcome, \hat{\sigma}_k that of all n = N + 2 vectors. Of two negatives \eta_{j,i}
is the largest |x^T E[z_j z_i^T] x| over unit vectors x, \zeta_{j,i} the operator norm of that
matrix, and \xi_k that of the deviation of an outcome's second moment from the law's; d is the
dimension.

Among the batches are the degenerate ones: all equal, antipodal pairs, a positive far from an anchor
whose negatives are all near, orthonormal vectors, few directions with copies. The partners are
in pairs where n is even, or each the next one, or all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

from ...language.evaluate import AXES
from ...language.matrices import Matrix, identity, ones
from ...language.parser import Letters
from ...language.quantities import Unknown, root
from ...vectors.embeddings import Index
from ..records.families import counted, unit_vector
from ..records.family import family
from ..records.points import (
    OF_MATRICES,
    ONE,
    ZERO,
    Row,
    Rows,
    a_matrix,
    axis,
    directions,
    minus,
    moment,
    times,
    top_eigenvalue,
    unit_axes,
)
from ..records.tables import Tables, fractions, number
from .batch import Batch, Law, read_batch, read_law


# --- one anchor ----------------------------------------------------------------------------------
@cache
def anchors_in(n: int, d: int) -> tuple[Tables, ...]:
    """Unit vectors in R^d: any, and degenerate ones."""
    first, back = axis(d), axis(d, 0, -1)
    kinds: list[tuple[str, Row, Sequence[Row]]] = [
        ("negatives at the anchor", back, [first] * n),
        ("all equal", first, [first] * n),
        ("positive at the anchor", first, [back] * n),
        ("all others opposite", back, [back] * n),
        ("negatives in turn", first, [axis(d, 0, (-1) ** j) for j in range(n)]),
        ("one negative at the anchor, others opposite", back, [first] + [back] * (n - 1)),
    ]
    if d >= 2:
        few, other = max(1, n // 4), axis(d, 1)
        z = [first] * few + [other] * (n - few)
        kinds.append(("a part of the negatives at the anchor", minus(other), z))
        kinds.append(("negatives across", back, [other] * n))
    if 1 < n <= d:
        kinds.append(("one negative at the anchor, others across", back, list(unit_axes(d)[:n])))
    drawn = [(seed, directions(n + 2, d, seed)) for seed in (1, 2)]
    found = [one_anchor(u, v, z, f"any, seed {seed}") for seed, (u, v, *z) in drawn]
    return (*found, *(one_anchor(first, v, z, what) for what, v, z in kinds))


def one_anchor(u: Row, v: Row, z: Sequence[Row], note: str) -> Tables:
    """An anchor, its positive and its negatives."""
    return Tables({"w": [[ONE]]}, {"u": [u], "v": [v], "z": z}, note)


# --- laws ----------------------------------------------------------------------------------------
FIVE = Fraction(1, 5)
#: Unit vectors of mean zero.
CENTRED: tuple[tuple[str, Sequence[tuple[Row, Fraction]]], ...] = (
    ("signs", [(axis(2, 0, s), Fraction(1, 2)) for s in (1, -1)]),
    ("a cross", [(axis(2, k, s), Fraction(1, 4)) for k in (0, 1) for s in (1, -1)]),
    (
        "three points",
        [
            ([3 * FIVE, 4 * FIVE], Fraction(5, 16)),
            ([3 * FIVE, -4 * FIVE], Fraction(5, 16)),
            ([-ONE, ZERO], Fraction(3, 8)),
        ],
    ),
)
MOST = 30  #: outcomes


@cache
def independent_of(n: int) -> tuple[Tables, ...]:
    """N independent negatives of mean zero, and positives that depend on them or do not."""
    found = []
    for what, atoms in CENTRED:
        if len(atoms) ** n > MOST:
            continue
        outcomes = list(product(atoms, repeat=n))
        weights = [times(*(w for _, w in one)) for one in outcomes]
        z = [[x for x, _ in one] for one in outcomes]
        found += _with_positives(weights, z, what)
    return tuple(found)


@cache
def dependent_of(n: int) -> tuple[Tables, ...]:
    """N negatives each of mean zero, independent, equal, opposite or turned by right angles."""
    found = list(independent_of(n))
    for what, atoms in CENTRED:
        weights = [w for _, w in atoms]
        ways: dict[str, Callable[[Row, int], Row]] = {
            "equal": lambda x, j: x,
            "opposite in turn": lambda x, j: x if j % 2 == 0 else minus(x),
            "turned": lambda x, j: (x, [-x[1], x[0]], minus(x), [x[1], -x[0]])[j % 4],
        }
        for how, way in ways.items():
            z = [[way(x, j) for j in range(n)] for x, _ in atoms]
            found += _with_positives(weights, z, f"{what}, {how}")[:1]
    return tuple(found)


def _with_positives(
    weights: Sequence[Fraction], z: Sequence[Sequence[Row]], what: str
) -> list[Tables]:
    u = [ONE, ZERO]
    ways = {
        "positive at the anchor": [u for _ in z],
        "positive opposite": [minus(u) for _ in z],
        "positive opposite to a negative": [minus(one[0]) for one in z],
        "positive across": [[ZERO, ONE] for _ in z],
    }
    return [
        Tables({"w": [weights]}, {"u": [u], "v": v, "z": [x for one in z for x in one]}, note)
        for how, v in ways.items()
        for note in [f"{what}, {how}"]
    ]


# --- what letters stand for ----------------------------------------------------------------------
def _of_anchor(e: Tables) -> dict[str, Callable[..., Any]]:
    weights = [number(v) for v in e.entries["w"][0]]
    outcomes, wide = len(weights), len(e.points["z"][0])
    n = len(e.points["z"]) // outcomes

    def vector(letter: str, row: int) -> dict[Index, Fraction]:
        return unit_vector(e.letters.index(letter), row, 0)

    def negative(*indices: int, mark: str = "") -> dict[Index, Fraction]:
        if len(indices) == 1 and outcomes > 1:
            raise Unknown("nothing says which outcome is meant")
        k, j = indices if len(indices) == 2 else (1, *indices)
        return vector("z", counted(k, outcomes) * n + counted(j, n))

    def rows(k: int) -> Sequence[Row]:
        start = counted(k, outcomes) * n
        return e.points["z"][start : start + n]

    def of_all(k: int = 1, mark: str = "") -> Any:
        everyone = [e.points["u"][0], e.points["v"][counted(k, outcomes)], *rows(k)]
        return top_eigenvalue(moment(everyone))

    def crossed(j: int, i: int) -> Matrix:
        """E z_j z_i^T of two negatives."""
        one, other = (
            [rows(k)[counted(index, n)] for k in range(1, outcomes + 1)] for index in (j, i)
        )
        drawn = list(zip(weights, one, other, strict=True))
        return Matrix.by(wide, lambda a, b: sum((w * x[a] * y[b] for w, x, y in drawn), ZERO))

    def deviation(k: int = 1, mark: str = "") -> Any:
        """The norm of the difference of the second moments of an outcome and of the law."""
        gap = crossed(1, 1).plus(moment(rows(k)), -1)
        assert gap is not None
        return operator_norm(gap)

    return {
        "xi": deviation,
        "eta": lambda j, i, mark="": numerical_radius(crossed(j, i)),
        "zeta": lambda j, i, mark="": operator_norm(crossed(j, i)),
        "d": lambda mark="": Fraction(wide),
        "u": lambda mark="": vector("u", 0),
        "v": lambda k=1, mark="": vector("v", counted(k, outcomes)),
        "z": negative,
        "w": lambda k=1, mark="": weights[counted(k, outcomes)],
        "K": lambda mark="": Fraction(outcomes),
        "sigma": lambda k=1, mark="": top_eigenvalue(moment(rows(k))),
        "sigma~hat": of_all,
    }


def numerical_radius(c: Matrix) -> Any:
    """The largest absolute value of a form on unit vectors: that of the symmetric part."""
    twice = c.plus(c.transposed)
    assert twice is not None
    return max(
        top_eigenvalue(twice.map(lambda v: v / 2)), top_eigenvalue(twice.map(lambda v: -v / 2))
    )


def operator_norm(c: Matrix) -> Any:
    """The largest length of the image of a unit vector."""
    square = c.transposed.times(c)
    assert square is not None
    return root(top_eigenvalue(square))


ANCHOR = Letters(vectors=frozenset("uvz"), sets=frozenset(), entries=frozenset("w"))


@family("an anchor", _of_anchor, ANCHOR, most=24)
def anchors(N: int, d: int | None = None) -> list[Tables]:
    """An anchor in R^d, or in several spaces."""
    return [
        e for room in ([d] if d is not None else sorted({1, 2, 3, N})) for e in anchors_in(N, room)
    ]


@family("independent negatives", _of_anchor, ANCHOR, most=16)
def independent(N: int) -> tuple[Tables, ...]:
    """Laws of independent negatives."""
    return independent_of(N)


@family("dependent negatives", _of_anchor, ANCHOR, most=16)
def dependent(N: int) -> tuple[Tables, ...]:
    """Laws of any negatives."""
    return dependent_of(N)


# --- a batch and a candidate ---------------------------------------------------------------------
@cache
def batches_in(n: int, d: int) -> tuple[Tables, ...]:
    """z_1..z_n and a candidate y in R^d: any, degenerate, and of other lengths."""
    first, last = axis(d), axis(d, d - 1)
    drawn = [(seed, directions(n + 1, d, seed)) for seed in (3, 4)]
    kinds: list[tuple[str, Sequence[Row], Row]] = [
        *((f"any, seed {seed}", z, y) for seed, (y, *z) in drawn),
        ("all equal", [first] * n, first),
        ("the candidate opposite", [first] * n, minus(first)),
        ("axes in turn", [axis(d, i) for i in range(n)], last),
        ("signs in turn", [axis(d, 0, (-1) ** i) for i in range(n)], last),
        ("all equal, the candidate on the last axis", [first] * n, last),
    ]
    longer = [[v * Fraction(1 + i, 2) for v in x] for i, x in enumerate(directions(n, d, 5))]
    zero = [ZERO] * d
    kinds += [
        ("of different lengths", list(longer), [2 * v for v in last]),
        ("all zero", [zero] * n, last),
        ("all zero but one", [first, *([zero] * (n - 1))], last),
    ]
    return tuple(Tables({}, {"z": z, "y": [y]}, note) for note, z, y in kinds)


def _of_batch(e: Tables) -> dict[str, Callable[..., Any]]:
    rows = e.points["z"]

    def vector(k: int = 0, mark: str = "") -> dict[Index, Fraction]:
        return unit_vector(0, counted(k, len(rows)), 0) if k else unit_vector(1, 0, 0)

    return {
        "z": vector,
        "y": lambda mark="": unit_vector(1, 0, 0),
        "Z": lambda mark="": Matrix.from_rows(rows),
        "Y": lambda mark="": Matrix.from_rows(e.points["y"]),
        "I_d": lambda mark="": identity(len(rows[0])),
        "I_n": lambda mark="": identity(len(rows)),
        "E_n": lambda mark="": ones(len(rows)),
        **OF_MATRICES,
        "fro": lambda scene, a: sum((v * v for row in a_matrix(a).rows for v in row), ZERO),
        "top": OF_MATRICES["lambda_max"],
    }


BATCH = Letters(
    vectors=frozenset("zy"), sets=frozenset(), functions=frozenset({"tr", "fro", "rank", "top"})
)


@family("a batch", _of_batch, BATCH, most=24)
def batches(n: int = 0, b: int = 0, d: int | None = None) -> list[Tables]:
    """z_1..z_n (or z_1..z_b) and a candidate, in R^d or in several spaces."""
    count = n or b
    spaces = [d] if d is not None else sorted({1, 2, count})
    return [e for room in spaces for e in batches_in(count, room)]


# --- vectors with partners ------------------------------------------------------------------------
def in_pairs(n: int) -> list[int]:
    """Partners 1 and 2, 3 and 4, ...; of an odd number the last has the first."""
    return [min(k + 1, n) if k % 2 else k - 1 for k in range(1, n)] + [n - 1 if n % 2 == 0 else 1]


def next_ones(n: int) -> list[int]:
    """Of each the next one is the partner."""
    return [k % n + 1 for k in range(1, n + 1)]


FUNCTIONS = frozenset({"tr", "lambda_max"})
PARTNERS = Letters(
    vectors=frozenset("z"), sets=frozenset("NS"), functions=FUNCTIONS, over="n", entries=frozenset()
)


@family("batches", Batch.named, PARTNERS, most=40, again=read_batch)
@cache
def batches_of(n: int, d: int) -> tuple[Batch, ...]:
    """Batches of n unit vectors in R^d."""
    e, back = axis(d), axis(d, 0, -1)
    found = [
        Batch(directions(n, d, 1), in_pairs(n), "any"),
        Batch(directions(n, d, 2), next_ones(n), "any, each with the next"),
        Batch([e] * n, in_pairs(n), "all equal"),
        Batch([e] * (n - 1) + [back], [n] * (n - 1) + [1], "all equal, and the positive opposite"),
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


# --- laws ----------------------------------------------------------------------------------------
#: Most outcomes of a law that is tried.
OUTCOMES = 100


@family("laws", Law.named, PARTNERS, most=32, again=read_law)
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
    return tuple(e for e in found if len(e.shares[0]) * len(e.shares[1]) ** (n - 2) <= OUTCOMES)


# --- a set and candidates ------------------------------------------------------------------------
def _read_sets(tables: Mapping[str, Any]) -> Tables:
    return Tables({}, {k: fractions(table) for k, table in tables.items()})


def _of_sets(e: Tables) -> dict[str, Any]:
    groups = {letter: e.letters.index(letter) for letter in e.letters}

    def members(letter: str) -> Callable[..., Any]:
        return lambda *_, mark="": [a for a in e.everything if a[0] == groups[letter]]

    def second_moment(*indices: Any, mark: str = "") -> Any:
        if len(indices) != 1 or not isinstance(indices[0], tuple):
            raise Unknown("Sigma needs a set as its argument")
        return moment([e.points[e.letters[g]][k] for g, k, _ in indices[0]])

    return {
        AXES: members("e"),
        "b": lambda mark="": Fraction(len(e.points["u"])),
        "B": members("u"),
        "C": members("w"),
        "Sigma": second_moment,
        **OF_MATRICES,
    }


SUBSETS = Letters(
    vectors=frozenset("z"),
    sets=frozenset("BC"),
    functions=FUNCTIONS,
    over="b",
    subsets=frozenset("B"),
)


@family("set and candidates", _of_sets, SUBSETS, most=16, again=_read_sets)
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

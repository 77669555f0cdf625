r"""Families of an anchor with its positive and its negatives, of finite laws of these, of batches.

An anchor is u, its positive v, its negatives z_1..z_N. In a law there are K outcomes with
probabilities w_k; the outcome k has the positive v_k and the negatives z_{k,1}..z_{k,N}, so that an
expectation is a finite sum. \sigma_k is the largest eigenvalue of the second moment of the
negatives of an outcome, \hat{\sigma}_k that of all n = N + 2 vectors. Of two negatives \eta_{j,i}
is the largest |x^T E[z_j z_i^T] x| over unit vectors x, \zeta_{j,i} the operator norm of that
matrix, and \xi_k that of the deviation of an outcome's second moment from the law's; d is the
dimension.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import product
from typing import Any

from ...vectors.embeddings import Embeddings, Index
from .batches import axis, moment, top_eigenvalue
from .family import Family, of_sizes, size
from .matrices import Matrix
from .reader import Letters
from .tables import Tables, number
from .values import NoValue, Unknown, root
from .weighted import directions

ONE, ZERO = Fraction(1), Fraction(0)
Vector = Sequence[Fraction]
#: Atoms of the law of one negative, with their probabilities; an anchor.
Law = tuple[Sequence[tuple[Vector, Fraction]], Vector]


def minus(x: Vector) -> list[Fraction]:
    """The opposite vector."""
    return [-v for v in x]


# --- one anchor ----------------------------------------------------------------------------------
def _anchors(point: Mapping[str, Any]) -> list[Embeddings]:
    n = size(point, "N")
    spaces = [size(point, "d")] if "d" in point else sorted({1, 2, 3, n})
    return [e for d in spaces for e in anchors_in(n, d)]


@cache
def anchors_in(n: int, d: int) -> tuple[Tables, ...]:
    """Unit vectors in R^d: any, and degenerate ones."""
    first = axis(d)
    back = minus(first)
    signs = [first if j % 2 == 0 else back for j in range(n)]
    found = []
    for seed in (1, 2):
        u, v, *z = directions(n + 2, d, seed)
        found.append(one_anchor(u, v, z, f"any, seed {seed}"))
    found.append(one_anchor(first, back, [first] * n, "negatives at the anchor"))
    found.append(one_anchor(first, first, [first] * n, "all equal"))
    found.append(one_anchor(first, first, [back] * n, "positive at the anchor"))
    found.append(one_anchor(first, back, [back] * n, "all others opposite"))
    found.append(one_anchor(first, first, signs, "negatives in turn"))
    alone = [first] + [back] * (n - 1)
    found.append(one_anchor(first, back, alone, "one negative at the anchor, others opposite"))
    if d >= 2:
        few = max(1, n // 4)
        z = [first] * few + [axis(d, 1)] * (n - few)
        found.append(one_anchor(first, axis(d, 1, -1), z, "a part of the negatives at the anchor"))
        found.append(one_anchor(first, back, [axis(d, 1)] * n, "negatives across"))
    if 1 < n <= d:
        z = [axis(d, j) for j in range(n)]
        found.append(one_anchor(first, back, z, "one negative at the anchor, others across"))
    return tuple(found)


def one_anchor(u: Vector, v: Vector, z: Sequence[Vector], note: str) -> Tables:
    """An anchor, its positive and its negatives."""
    return Tables({"w": [[ONE]]}, {"u": [u], "v": [v], "z": z}, note)


# --- laws ----------------------------------------------------------------------------------------
FIVE = Fraction(1, 5)
#: Unit vectors of mean zero.
CENTRED: tuple[tuple[str, Sequence[tuple[Vector, Fraction]]], ...] = (
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
        weights = [_product([w for _, w in one]) for one in outcomes]
        z = [[x for x, _ in one] for one in outcomes]
        found += _with_positives(weights, z, what)
    return tuple(found)


@cache
def dependent_of(n: int) -> tuple[Tables, ...]:
    """N negatives each of mean zero, independent, equal, opposite or turned by right angles."""
    found = list(independent_of(n))
    for what, atoms in CENTRED:
        weights = [w for _, w in atoms]
        ways: dict[str, Callable[[Vector, int], Vector]] = {
            "equal": lambda x, j: x,
            "opposite in turn": lambda x, j: x if j % 2 == 0 else minus(x),
            "turned": lambda x, j: (x, [-x[1], x[0]], minus(x), [x[1], -x[0]])[j % 4],
        }
        for how, way in ways.items():
            z = [[way(x, j) for j in range(n)] for x, _ in atoms]
            found += _with_positives(weights, z, f"{what}, {how}")[:1]
    return tuple(found)


def _with_positives(
    weights: Sequence[Fraction], z: Sequence[Sequence[Vector]], what: str
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


def _product(values: Sequence[Fraction]) -> Fraction:
    found = ONE
    for v in values:
        found *= v
    return found


# --- what letters stand for ----------------------------------------------------------------------
def _of_anchor(e: Embeddings) -> dict[str, Callable[..., Any]]:
    assert isinstance(e, Tables)
    weights = [number(v) for v in e.entries["w"][0]]
    outcomes = len(weights)
    n = len(e.points["z"]) // outcomes
    places = {letter: e.letters.index(letter) for letter in "uvz"}

    def checked(k: int, most: int) -> int:
        if not 1 <= k <= most:
            raise NoValue("there is no such index")
        return k - 1

    def vector(letter: str, row: int) -> dict[Index, Fraction]:
        return {(places[letter], row, 0): ONE}

    def negative(*indices: int, mark: str = "") -> dict[Index, Fraction]:
        if len(indices) not in (1, 2):
            raise Unknown("a negative has an index, and in a law that of the outcome before it")
        if len(indices) == 1 and outcomes > 1:
            raise Unknown("nothing says which outcome is meant")
        k, j = indices if len(indices) == 2 else (1, indices[0])
        return vector("z", checked(k, outcomes) * n + checked(j, n))

    def positive(k: int = 1, mark: str = "") -> dict[Index, Fraction]:
        return vector("v", checked(k, outcomes))

    def rows(k: int) -> Sequence[Vector]:
        start = checked(k, outcomes) * n
        return e.points["z"][start : start + n]

    def spectral(k: int = 1, mark: str = "") -> Any:
        return top_eigenvalue(moment(rows(k)))

    def of_all(k: int = 1, mark: str = "") -> Any:
        everyone = [e.points["u"][0], e.points["v"][checked(k, outcomes)], *rows(k)]
        return top_eigenvalue(moment(everyone))

    def crossed(j: int, i: int) -> Matrix:
        """E z_j z_i^T of two negatives."""
        one, other = (
            [rows(k)[checked(index, n)] for k in range(1, outcomes + 1)] for index in (j, i)
        )
        wide = range(len(one[0]))
        return Matrix.of(
            [
                [
                    sum(
                        (w * x[a] * y[b] for w, x, y in zip(weights, one, other, strict=True)), ZERO
                    )
                    for b in wide
                ]
                for a in wide
            ]
        )

    def deviation(k: int = 1, mark: str = "") -> Any:
        """The norm of the difference of the second moments of an outcome and of the law."""
        gap = crossed(1, 1).plus(moment(rows(k)), -1)
        assert gap is not None
        return operator_norm(gap)

    return {
        "xi": deviation,
        "eta": lambda j, i, mark="": numerical_radius(crossed(j, i)),
        "zeta": lambda j, i, mark="": operator_norm(crossed(j, i)),
        "d": lambda mark="": Fraction(len(e.points["z"][0])),
        "u": lambda mark="": vector("u", 0),
        "v": positive,
        "z": negative,
        "w": lambda k=1, mark="": weights[checked(k, outcomes)],
        "K": lambda mark="": Fraction(outcomes),
        "sigma": spectral,
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


# --- batches --------------------------------------------------------------------------------------
def _batches(point: Mapping[str, Any], unit: bool) -> list[Embeddings]:
    n = size(point, "n" if "n" in point else "b")
    spaces = [size(point, "d")] if "d" in point else sorted({1, 2, n})
    return [e for d in spaces for e in batches_in(n, d, unit)]


@cache
def batches_in(n: int, d: int, unit: bool) -> tuple[Tables, ...]:
    """z_1..z_n and a candidate y in R^d: any, and degenerate ones; of other lengths if not unit."""
    first, last = axis(d), axis(d, d - 1)
    found = []
    for seed in (3, 4):
        y, *z = directions(n + 1, d, seed)
        found.append(_batch(z, y, f"any, seed {seed}"))
    found.append(_batch([first] * n, first, "all equal"))
    found.append(_batch([first] * n, minus(first), "the candidate opposite"))
    found.append(_batch([axis(d, i % d) for i in range(n)], last, "axes in turn"))
    found.append(_batch([axis(d, 0, (-1) ** i) for i in range(n)], last, "signs in turn"))
    found.append(_batch([first] * n, last, "all equal, the candidate on the last axis"))
    if not unit:
        longer = [[v * Fraction(1 + i, 2) for v in x] for i, x in enumerate(directions(n, d, 5))]
        found.append(_batch(longer, [2 * v for v in last], "of different lengths"))
        found.append(_batch([[ZERO] * d] * n, last, "all zero"))
        found.append(_batch([first, *([[ZERO] * d] * (n - 1))], last, "all zero but one"))
    return tuple(found)


def _batch(z: Sequence[Vector], y: Vector, note: str) -> Tables:
    return Tables({}, {"z": z, "y": [y]}, note)


def _of_batch(e: Embeddings) -> dict[str, Callable[..., Any]]:
    assert isinstance(e, Tables)
    rows = e.points["z"]

    def vector(*indices: int, mark: str = "") -> dict[Index, Fraction]:
        k = indices[0] if indices else 0
        if not 0 <= k <= len(rows):
            raise NoValue("there is no such index")
        return {(0, k - 1, 0) if k else (1, 0, 0): ONE}

    def matrix(found: Any) -> Matrix:
        if not isinstance(found, Matrix):
            raise Unknown("this is said of matrices")
        return found

    def trace(a: Matrix) -> Any:
        return sum((row[i] for i, row in enumerate(a.rows)), ZERO)

    wide = len(rows[0])
    return {
        "z": vector,
        "y": lambda mark="": {(1, 0, 0): ONE},
        "Z": lambda mark="": Matrix.of(rows),
        "Y": lambda mark="": Matrix.of(e.points["y"]),
        "I_d": lambda mark="": Matrix.by(wide, lambda i, j: ONE if i == j else ZERO),
        "I_n": lambda mark="": Matrix.by(len(rows), lambda i, j: ONE if i == j else ZERO),
        "E_n": lambda mark="": Matrix.by(len(rows), lambda i, j: ONE),
        "tr": lambda scene, a: trace(matrix(a)),
        "fro": lambda scene, a: sum((v * v for row in matrix(a).rows for v in row), ZERO),
        "rank": lambda scene, a: Fraction(matrix(a).rank()),
        "top": lambda scene, a: top_eigenvalue(matrix(a)),
    }


SAID = Letters(vectors=frozenset("uvz"), sets=frozenset(), entries=frozenset("w"))
OF_BATCHES = Letters(
    vectors=frozenset("zy"), sets=frozenset(), functions=frozenset({"tr", "fro", "rank", "top"})
)

ANCHORS = (
    Family(
        "an anchor",
        "u with the positive v and the negatives z_1..z_N, any and degenerate",
        ("N",),
        _anchors,
        _of_anchor,
        SAID,
        most=24,
    ),
    Family(
        "independent negatives",
        "u, and K outcomes of probability w_k with v_k and z_{k,1}..z_{k,N}, which are"
        " independent, of one law and of mean zero",
        ("N",),
        of_sizes(independent_of, "N"),
        _of_anchor,
        SAID,
        most=16,
    ),
    Family(
        "dependent negatives",
        "the same, each of mean zero, and any together",
        ("N",),
        of_sizes(dependent_of, "N"),
        _of_anchor,
        SAID,
        most=16,
    ),
    Family(
        "a batch",
        "z_1..z_n (or z_1..z_b) and a candidate y of any lengths, the rows of Z and Y",
        (),
        partial(_batches, unit=False),
        _of_batch,
        OF_BATCHES,
        most=24,
    ),
    Family(
        "a batch of unit vectors",
        "the same of length 1",
        (),
        partial(_batches, unit=True),
        _of_batch,
        OF_BATCHES,
        most=24,
    ),
)

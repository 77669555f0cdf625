"""What hypotheses and conditions may say of tables of numbers, by name."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

#: Cosines, as floats, are the same.
NEAR = 1e-9


@cache
def rank(e: Any) -> int:
    """The rank of D."""
    found: int = _of(e, "d").rank()
    return found


@cache
def _realised(e: Any) -> bool:
    """Whether D has the squared distances of the points z."""
    return all(
        v == sum((a - b) ** 2 for a, b in zip(x, y, strict=True))
        for row, x in zip(_rows(e, "d"), e.points["z"], strict=True)
        for v, y in zip(row, e.points["z"], strict=True)
    )


@cache
def _directed(e: Any) -> bool:
    """Whether D is hollow and proportional to 1 - cos of the points z."""
    rows, points = _rows(e, "d"), e.points["z"]
    lengths = [sum(v * v for v in x) for x in points]
    if not _of(e, "d").hollow or not all(lengths):
        return False
    pairs = [(i, j) for i in range(len(rows)) for j in range(i)]
    gaps = [
        1 - sum(a * b for a, b in zip(points[i], points[j], strict=True)) / _root(lengths, i, j)
        for i, j in pairs
    ]
    found = [rows[i][j] for i, j in pairs]
    if not any(gaps) or not any(found):
        return any(gaps) == any(found)
    top = max(range(len(pairs)), key=lambda k: gaps[k], default=0)
    return all(
        abs(float(v * gaps[top] - gap * found[top])) < NEAR
        for v, gap in zip(found, gaps, strict=True)
    )


def _root(lengths: Any, i: int, j: int) -> Any:
    return Fraction(math.sqrt(lengths[i] * lengths[j]))


def _of(e: Any, letter: str) -> Any:
    return getattr(e, "numbers", {}).get(letter)


def _uneven(rows: Any) -> bool:
    """Whether the shares of the other nodes, symmetrised, are not all the same; of a row without
    weights there are none."""
    n = len(rows)
    sums = [sum(v for j, v in enumerate(row) if j != i) for i, row in enumerate(rows)]
    if 0 in sums:
        return False
    return any(
        (rows[i][j] / sums[i] + rows[j][i] / sums[j]) * (n - 1) != 2
        for i in range(n)
        for j in range(i)
    )


def _rows(e: Any, letter: str) -> Any:
    found = _of(e, letter)
    return () if found is None else found.rows


def _joined(edges: Any) -> bool:
    """Whether every image and every text has an edge."""
    return all(map(any, edges)) and all(map(any, zip(*edges, strict=True)))


def _weights(e: Any) -> Any:
    """Rows of the weights pi of a graph."""
    return _rows(e, "pi")


def _symmetric(e: Any) -> bool:
    """Whether E[z_j z_i^T] of every two negatives of a law is a symmetric matrix."""
    weights, z = e.numbers["w"].rows[0], e.points["z"]
    n, wide = len(z) // len(weights), range(len(z[0]))

    def entry(j: int, i: int, a: int, b: int) -> Any:
        return sum(w * z[k * n + j][a] * z[k * n + i][b] for k, w in enumerate(weights))

    pairs = [(j, i) for j in range(n) for i in range(j)]
    return all(entry(*p, a, b) == entry(*p, b, a) for p in pairs for a in wide for b in range(a))


#: Whether a set has it; what is said of a table that a set does not have is false.
TABLES: dict[str, Callable[[Any], bool]] = {
    "hollow(D)": lambda e: _of(e, "d") is not None and _of(e, "d").hollow,
    "nonzero(D)": lambda e: any(v != 0 for row in _rows(e, "d") for v in row),
    "occupied(W)": lambda e: all(
        any(v != 0 for j, v in enumerate(row) if j != i) for i, row in enumerate(_rows(e, "w"))
    ),
    "hollow(pi)": lambda e: all(row[i] == 0 for i, row in enumerate(_weights(e))),
    "occupied(pi)": lambda e: all(
        any(v != 0 for j, v in enumerate(row) if j != i) for i, row in enumerate(_weights(e))
    ),
    "stochastic(pi)": lambda e: all(sum(row) == 1 for row in _weights(e)),
    "symmetric(pi)": lambda e: (
        [list(row) for row in _weights(e)] == [list(c) for c in zip(*_weights(e), strict=True)]
    ),
    "uneven(pi)": lambda e: _uneven(_weights(e)),
    "realised(D)": lambda e: _realised(e),
    "directed(D)": lambda e: _directed(e),
    "paired(K)": lambda e: all(sum(row) >= 2 for row in _rows(e, "k")),
    "unit(Z)": lambda e: all(sum(v * v for v in row) == 1 for row in e.points["z"]),
    "distinct(Z)": lambda e: len(set(map(tuple, e.points["z"]))) == len(e.points["z"]),
    "nonzero(Z)": lambda e: all(any(row) for row in getattr(e, "points", {}).get("z", ())),
    "unit(Y)": lambda e: all(sum(v * v for v in row) == 1 for row in e.points["y"]),
    "centred(Z)": lambda e: e.is_centred,  # the law of the negatives
    "symmetric(Z)": _symmetric,
    "ahead(Z)": lambda e: e.is_ahead,  # every positive, of all negatives
    "alone(S)": lambda e: all(v < e.numbers["s"].rows[0][0] for v in e.numbers["s"].rows[0][1:]),
    "spread(A)": lambda e: all(v > 0 for v in e.numbers["a"].rows[0]),
    "joined(E)": lambda e: _joined(e.numbers["e"].rows),
    "nonzero(Y)": lambda e: all(any(row) for row in getattr(e, "points", {}).get("y", ())),
}

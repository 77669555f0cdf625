"""Appendices A.3 to A.5 and B: witnesses by hand."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest
from cltheory.derive.vectors.embeddings import Embeddings

# --- the witnesses, redone in floats or by hand ------------------------------------------------
Vectors = list[tuple[float, ...]]


def dot(u: tuple[float, ...], v: tuple[float, ...]) -> float:
    return sum(a * b for a, b in zip(u, v, strict=True))


def supcl(u: Vectors, n: int, weight: float, tau: float) -> float:
    """SupCL for p = 1 and classes of n consecutive vectors."""
    found = 0.0
    for k, a in enumerate(u):
        pool = math.log(sum(math.exp(dot(a, w) / tau) for w in u))
        mates = [w for j, w in enumerate(u) if j // n == k // n and j != k]
        pull = sum(dot(a, w) for w in mates) / len(mates) / tau
        found += (1 - weight) * (pool - pull) + weight * (pool - dot(a, a) / tau)
    return found / len(u)


def ssem(delta_squared: str, p: int = 1) -> Embeddings:
    return Embeddings.ssem(2, 2, p, Fraction(delta_squared))


def test_equality_in_jensen_without_equal_vectors() -> None:
    # a = (1), w = 0 and 1: both sides are 1/2.
    left = (math.log(math.exp(0)) + math.log(math.exp(1))) / 2
    assert left == pytest.approx(math.log(math.exp(0.5)), abs=1e-15)


def test_one_class_in_the_plane_beats_every_ssem() -> None:
    c, s = -0.5, math.sqrt(0.75)
    better = supcl([(1, 0), (1, 0), (0, 1)], 3, 0.5, 1.0)
    assert better < supcl([(1, 0)] * 3, 3, 0.5, 1.0) - 1e-3
    assert better < supcl([(1, 0), (c, s), (c, -s)], 3, 0.5, 1.0) - 1e-3


def test_on_the_line_classes_collapse_above_the_threshold() -> None:
    threshold = (3 + math.exp(2)) / (2 + 2 * math.exp(2))
    assert threshold < 0.75
    losses = {
        signs: supcl([(s,) for s in signs], 2, 0.75, 1.0) for signs in product((1, -1), repeat=4)
    }
    best = min(losses.values())
    optimal = {signs for signs, value in losses.items() if value < best + 1e-12}
    assert optimal == {(1, 1, -1, -1), (-1, -1, 1, 1)}


def test_the_open_interval_misses_the_root_at_alpha_one() -> None:
    def h(at: float) -> float:
        return -math.exp(-at) + math.exp(-2 + at / 2)

    assert h(0) < 0
    assert h(4 / 3) == pytest.approx(0, abs=1e-15)


def test_cnce_minimum_needs_the_root() -> None:
    with pytest.raises(ValueError, match="positive semidefinite"):
        ssem(str(Fraction(3, 2) ** 2))
    u = ssem("3/2")
    assert sum(2 * u.ip((i, 0, 0), (i, 1, 0)) for i in (0, 1)) == -4


def test_collapsed_ssem_fits_in_nine_dimensions() -> None:
    assert Embeddings.ssem(10, 10, 1, Fraction(0)).rank == 9

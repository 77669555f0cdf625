"""Witnesses by hand in the proof of Theorem A.2 of lee2025ssem."""

from __future__ import annotations

import math
from fractions import Fraction

from cltheory.derive.papers.form.run import scenes, tried
from cltheory.derive.papers.lee2025ssem import LEDGER
from cltheory.derive.vectors.embeddings import Embeddings
from sympy import Integer, Rational


def test_equality_in_a50_needs_a47() -> None:
    # The axes with signs: of one class across, of different classes equal, opposite or across.
    def dot(u: tuple[int, int], v: tuple[int, int]) -> int:
        return u[0] * v[0] + u[1] * v[1]

    u, t = [(1, 0), (0, 1), (1, 0), (0, -1)], 3.5
    loss = sum(math.log(sum(math.exp((dot(a, w) - 1) / t) for w in u)) for a in u) / 4
    bound = math.log(2 * math.exp((0 - 1) / t) + 1 * math.exp((0 - 1) / t) + 1)
    assert loss > bound + 1e-3


def test_the_last_line_of_a42() -> None:
    u, t = Embeddings.ssem(2, 2, 1, Fraction(1, 2)), Fraction(7, 2)
    spread = sum(2 * u.mean_sq_dist([(i, 0, 0)], [(i, 1, 0)]) for i in (0, 1))
    before = -Fraction(1, 2) / t - Fraction(3, 8) * 4 / t + Fraction(3, 16) * spread / t
    assert before == -2 / t + Fraction(3, 16) * spread / t
    assert before != -2 / t - Fraction(3, 16) * spread / t


def test_one_class_meets_the_equality_conditions_at_delta_1_only() -> None:
    record = LEDGER["Theorem A.2, proof: SSEM satisfies the equality conditions"].record
    assert record is not None
    for size in (2, 3):
        for delta in (Rational(1, 2), Integer(1)):
            point = {"m": Integer(1), "n": Integer(size), "p": Integer(2), "delta": delta}
            (scene,) = scenes(record.printed, point)
            assert tried(record.printed.read(), scene, point).holds is (delta == 1)

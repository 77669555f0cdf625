"""Appendices A.3 to A.5 and B: witnesses by hand, and what checks refuse."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest
from cltheory.derive.losses.softmax import tau
from cltheory.derive.losses.supcl import alpha
from cltheory.derive.optimum.segment import x
from cltheory.derive.papers.lee2025ssem import _loss as loss_on_ssem
from cltheory.derive.papers.lee2025ssem import appendix_a3_on_ssem as on_ssem
from cltheory.derive.papers.lee2025ssem import appendix_a5 as a5
from cltheory.derive.papers.lee2025ssem._sums import means
from cltheory.derive.papers.verdict import Verdict
from cltheory.derive.structures.hierarchy import m, n, p
from cltheory.derive.vectors.embeddings import Embeddings
from sympy import exp, log, sqrt

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
    assert means(ssem("3/2")) == -4


def test_collapsed_ssem_fits_in_nine_dimensions() -> None:
    assert Embeddings.ssem(10, 10, 1, Fraction(0)).rank == 9


# --- the corrections that the notes give do pass -------------------------------------------------
CORRECTED: list[tuple[str, Callable[[], Verdict]]] = [
    ("A.6", lambda: a5.cnce_at(sqrt((m * n - 1) / (m * (n - 1))))),
]


@pytest.mark.parametrize(
    ("name", "check"), CORRECTED, ids=lambda v: v if isinstance(v, str) else ""
)
def test_corrections_agree(name: str, check: Callable[[], Verdict]) -> None:
    assert check().word == "agrees"


# --- corrupted formulas are refused --------------------------------------------------------------
H = loss_on_ssem.printed_slope()
WRONG: list[tuple[str, Callable[[], Verdict]]] = [
    ("A.56: p dropped", lambda: on_ssem.a56(on_ssem.PRINTED_G / p)),
    ("L_Sup: sign", lambda: on_ssem.sup_on_ssem(log(on_ssem.PRINTED_G) + 1 / tau)),
    ("L_Self: tau", lambda: on_ssem.self_on_ssem(log(on_ssem.PRINTED_G) - tau)),
    (
        "A.57: log p dropped",
        lambda: on_ssem.a57_next(log(on_ssem.PRINTED_SUM) + (1 - alpha) * x / tau),
    ),
    ("range: n for n-1", lambda: on_ssem.range_of_x((n + 1) / n)),
    ("A.58: sign", lambda: on_ssem.a58(lambda: -H)),
    ("h increases: sign", lambda: on_ssem.h_increases(lambda: -H)),
    ("h at the simplex", lambda: on_ssem.h_at_simplex(1 - alpha)),
    ("L_cNCE: sign", lambda: a5.cnce_loss(lambda u: -a5._printed_cnce(u))),
    (
        "A.64: too high",
        lambda: a5.a64(lambda u: [v + 1 for v in a5._a64_lines(u)]),
    ),
    (
        "L_cNCE on SSEM: p",
        lambda: a5.cnce_on_ssem(log((n - 1) * exp(-loss_on_ssem.X_OF_DELTA / tau) + 1)),
    ),
    ("decreases: sign", lambda: a5.cnce_decreases(-a5.PRINTED_CNCE)),
    # A bound that is true and loose is not the one that is used.
    ("A.64: too low", lambda: a5.a64(lambda u: [v - 1 for v in a5._a64_lines(u)])),
    # A root is compared by its square, and by its sign.
    ("A.6: end", lambda: a5.proposition_a6(lambda a, b: Fraction(1))),
    ("A.6: end, again", lambda: a5.cnce_conclusion(lambda a, b: Fraction(1))),
]


@pytest.mark.parametrize(("name", "check"), WRONG, ids=lambda v: v if isinstance(v, str) else "")
def test_corrupted_formulas_are_refused(name: str, check: Callable[[], Verdict]) -> None:
    verdict = check()
    assert verdict.word == "differs"
    assert verdict.witness

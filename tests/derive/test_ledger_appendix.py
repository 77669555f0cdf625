"""Appendices A.3 to A.5 and B: witnesses by hand, and what checks refuse."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from cltheory.derive.papers.lee2025ssem import appendix_a3_bound_self as bound_self
from cltheory.derive.papers.lee2025ssem import appendix_a3_bound_sup as bound_sup
from cltheory.derive.papers.lee2025ssem import appendix_b
from cltheory.derive.papers.lee2025ssem._sums import cross, means, spread, temperature
from cltheory.derive.papers.verdict import Verdict
from cltheory.derive.vectors.embeddings import Embeddings, Index

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


def test_the_last_line_of_a42() -> None:
    u = ssem("1/2")
    t = temperature(u)
    before = -Fraction(1, 2) / t - Fraction(3, 8) * 4 / t + Fraction(3, 16) * spread(u) / t
    assert before == -2 / t + Fraction(3, 16) * spread(u) / t
    assert before != -2 / t - Fraction(3, 16) * spread(u) / t


def test_equality_in_a50_needs_a47() -> None:
    u: Vectors = [(1, 0), (0, 1), (1, 0), (0, -1)]
    t = 3.5
    bound = math.log(2 * math.exp((0 - 1) / t) + 1 * math.exp((0 - 1) / t) + 1)
    assert supcl(u, 2, 1.0, t) > bound + 1e-3


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
def corrected_after_a44(u: Embeddings) -> list[Fraction]:
    t, size = temperature(u), u.m * u.n
    first, middle, _, _ = bound_sup.second_exponent_of_a40(u)
    shared = middle + means(u) / (size * (u.n - 1)) * t
    repaired = shared - means(u) / (size * (u.n - 1)) / t
    return [first, repaired, repaired]


CORRECTED: list[tuple[str, Callable[[], Verdict]]] = [
    (
        "A.42",
        lambda: bound_sup.a42_last(
            lambda u: -2 * Fraction(u.m, u.m - 1) / temperature(u) - bound_sup.a42_last_line(u)
        ),
    ),
    ("after A.44", lambda: bound_sup.after_a44(corrected_after_a44)),
    ("A.50", lambda: bound_self.a50_equality(bound_sup.GROUPS)),
    ("A.45", lambda: bound_sup.a45(bound_sup.a45_meant)),
    ("A.54", lambda: bound_self.a54(bound_self.a54_meant)),
    ("A.55", lambda: bound_self.a55(bound_self.a54_meant)),
]


@pytest.mark.parametrize(
    ("name", "check"), CORRECTED, ids=lambda v: v if isinstance(v, str) else ""
)
def test_corrections_agree(name: str, check: Callable[[], Verdict]) -> None:
    assert check().word == "agrees"


# --- corrupted formulas are refused --------------------------------------------------------------
meant, both_meant = bound_sup.a45_meant, bound_self.a54_meant


def off_at_one_pair(u: Embeddings, a: Index, b: Index, by: int = -1) -> Any:
    """The right-hand side of (A.34), off at the last anchor."""
    return bound_sup.jensen_inside(u, a, b) + (by if a == u.everything[-1] else 0)


def lower(label: str) -> Callable[[Embeddings], dict[str, Any]]:
    """One of the bounds on L_Self, a little too low."""
    return lambda u: {label: bound_self.self_bounds(u)[label] - Fraction(1, 9)}


WRONG: list[tuple[str, Callable[[], Verdict]]] = [
    ("A.38: too high", lambda: bound_sup.a38(lambda u: bound_sup.a38_bound(u) + Fraction(1, 9))),
    ("A.39: classes mixed", lambda: bound_sup.a39(bound_sup.a40_bound)),
    ("A.40: too high", lambda: bound_sup.a40(lambda u: bound_sup.a40_bound(u) + Fraction(1, 9))),
    (
        "A.42: sign",
        lambda: bound_sup.a42(lambda u: [*bound_sup._first_exponent(u)[:-1], Fraction(0)]),
    ),
    ("A.50: too high", lambda: bound_self.a50(lambda u: {"(A.50)": temperature(u) * 9})),
    (
        "A.53: sign",
        lambda: bound_self.a53(lambda u: {"(A.53)": -bound_self.self_bounds(u)["(A.53)"] + 9}),
    ),
    ("99: off by one", lambda: appendix_b.b_dimension(100)),
    # One pair at which the two sides of Jensen's inequality differ is enough to refuse equality.
    ("A.35: one pair", lambda: bound_sup.a35(off_at_one_pair)),
    ("A.36: one pair", lambda: bound_sup.a36(off_at_one_pair)),
    ("A.37: one pair", lambda: bound_sup.a37(off_at_one_pair)),
    ("A.47: one pair", lambda: bound_self.a47(off_at_one_pair)),
    ("A.48: one pair", lambda: bound_self.a48(off_at_one_pair)),
    ("A.49: one pair", lambda: bound_self.a49(off_at_one_pair)),
    ("A.34: too high", lambda: bound_sup.a34(lambda u, a, b: off_at_one_pair(u, a, b, 1))),
    # Real bounds: too high, too low, and one exponent wrong.
    ("A.45: too high", lambda: bound_sup.a45(lambda u, w: meant(u, w) + Fraction(1, 9))),
    ("A.45: too low", lambda: bound_sup.a45(lambda u, w: meant(u, w) - Fraction(1, 9))),
    ("A.45: trivial", lambda: bound_sup.a45(lambda u, w: -9)),
    ("A.54: too high", lambda: bound_self.a54(lambda u, w: both_meant(u, w) + Fraction(1, 9))),
    ("A.54: too low", lambda: bound_self.a54(lambda u, w: both_meant(u, w) - Fraction(1, 9))),
    ("A.54: weights", lambda: bound_self.a54(lambda u, w: both_meant(u, 1 - w))),
    ("A.55: of all of U", lambda: bound_self.a55(lambda u, w: both_meant(u, w) + cross(u))),
    # A bound that is true and loose is not the one that is used.
    ("A.38: too low", lambda: bound_sup.a38(lambda u: bound_sup.a38_bound(u) - Fraction(1, 9))),
    ("A.40: too low", lambda: bound_sup.a40(lambda u: bound_sup.a40_bound(u) - Fraction(1, 9))),
    ("A.46: too low", lambda: bound_self.a46(lower("(A.46)"))),
    ("A.50: too low", lambda: bound_self.a50(lower("(A.50)"))),
    ("A.51: too low", lambda: bound_self.a51(lower("(A.51)"))),
    ("A.52: too low", lambda: bound_self.a52(lower("(A.52)"))),
    ("A.53: too low", lambda: bound_self.a53(lower("(A.53)"))),
    # A root is compared by its square, and by its sign.
    ("l: sign", lambda: bound_self.chain_of_minima(lambda u, w: -both_meant(u, w))),
]


@pytest.mark.parametrize(("name", "check"), WRONG, ids=lambda v: v if isinstance(v, str) else "")
def test_corrupted_formulas_are_refused(name: str, check: Callable[[], Verdict]) -> None:
    verdict = check()
    assert verdict.word == "differs"
    assert verdict.witness

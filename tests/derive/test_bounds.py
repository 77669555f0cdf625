"""Bounds of all results: at configurations random and special, where met, and where violated.

Also their derivations: no step may say something else.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import mpmath
import pytest
from cltheory.derive.results import results
from cltheory.derive.theorem.bounds import About, Bounds
from cltheory.derive.vectors.anchor import Anchor, Batch
from cltheory.derive.vectors.measured import of_batch, of_law, of_logits
from sympy import Expr, Float, Integer, Rational

DERIVED = (
    "gradient-identity",
    "spectral-band",
    "spectral-band-printed",
    "projected-spectrum",
    "expected-gradient",
    "sample-spectrum",
    "effective-rank",
    "trace-update",
    "gradient-variance",
    "softmax-smoothness",
    "whitening-gain",
)
BOUNDS = {
    f"{id}: {name}": q
    for id in DERIVED
    for name, q in results[id].quantities.items()
    if isinstance(q, Bounds)
}
DIGITS = 50
#: What 50 digits lose: eigenvalues, and square roots of what is nearly zero.
CLOSE = mpmath.mpf(10) ** -20


def number(value: Any) -> Expr:
    return Integer(int(value)) if value == int(value) else Float(value, DIGITS)


def value(expression: Expr, of: Any) -> Any:
    """A bound at a configuration, to the digits at work."""
    point = {s: number(of[s.name]) for s in expression.free_symbols}
    for s, at in point.items():
        if s.name == "t" and at * of["d"] < 1:  # it is rounded below its least value
            point[s] = 1 / number(of["d"])
    # A square root of a number that is zero, but for rounding below it, may be complex.
    return mpmath.mpmathify(expression.xreplace(point).evalf(DIGITS).as_real_imag()[0])


def compared(q: Bounds, of: Any) -> tuple[Any, Any]:
    """What is to be no larger than what."""
    sides = of[q.bounded], value(q.expression, of)
    return sides if q.side == "upper" else sides[::-1]


def read(about: About, vectors: Any, tau: Any = None) -> Any:
    """The readings of a stored configuration."""
    if about is About.ANCHOR:
        return Anchor.read(vectors, tau)
    if about is About.BATCH:
        return Batch.read(vectors, tau)
    if about is About.LAW:
        return of_law(**vectors, tau=tau, digits=DIGITS)
    of = of_logits if about is About.SOFTMAX else of_batch
    return of(**vectors, digits=DIGITS)


# --- configurations ------------------------------------------------------------------------------
def direction(rng: random.Random, d: int) -> list[float]:
    return [rng.gauss(0, 1) for _ in range(d)]


def opposite(v: list[float]) -> list[float]:
    return [-x for x in v]


def anchors() -> Iterator[Anchor]:
    """Random ones, near and far, and the corners: N = 1, d = 1, antipodes, coincident points."""
    rng = random.Random(7)
    for N, d in [(1, 1), (5, 1), (1, 2), (2, 2), (8, 3), (3, 8)]:
        for tau in ("0.05", "0.7", "20"):
            z, z_plus = direction(rng, d), direction(rng, d)
            rows = [direction(rng, d) for _ in range(N)]
            yield Anchor(z, z_plus, rows, tau)
            near = [[x + rng.gauss(0, 0.1) for x in z] for _ in range(N)]
            yield Anchor(z, opposite(z), near, tau)
            yield Anchor(z, z_plus, [z_plus] * N, tau)
            yield Anchor(z, z_plus, [opposite(z_plus)] * N, tau)
            yield Anchor(z, z, [z, *[opposite(z)] * (N - 1)], tau)
            yield Anchor(z, z_plus, [*rows[:-1], z], tau)


def batches() -> Iterator[Batch]:
    rng = random.Random(8)
    for n, d in [(4, 1), (4, 2), (6, 2), (6, 4)]:
        for tau in ("0.2", "1", "10"):
            z = [direction(rng, d) for _ in range(n)]
            yield Batch(z, tau)
            yield Batch([z[0]] * n, tau)
            yield Batch([v for v in z[: n // 2] for v in (v, opposite(v))], tau)
            yield Batch([z[0]] * 2 + [opposite(z[0])] * (n - 2), tau)


def logits() -> Iterator[dict[str, Any]]:
    """Logits of all sizes: spread out, in two groups, one apart, three values, equal."""
    rng = random.Random(9)
    for size in (2, 3, 4, 5, 8):
        for scale in ("1/300", "1/10", "1", "7", "40"):
            for row in (
                [Rational(rng.randint(-99, 99), 100) for _ in range(size)],
                [rng.choice([0, 1]) for _ in range(size)],
                [1] + [0] * (size - 1),
                [rng.choice([-1, 0, 1]) for _ in range(size)],
            ):
                yield of_logits([x * Rational(scale) for x in row], DIGITS)


def row(rng: random.Random, d: int) -> list[int]:
    while True:
        found = [rng.randint(-3, 3) for _ in range(d)]
        if any(found):
            return found


def with_candidates() -> Iterator[dict[str, Any]]:
    rng = random.Random(10)
    for b in (1, 2, 3, 5):
        for d in (2, 3, 4):
            for batch in (
                [row(rng, d) for _ in range(b)],
                [[int(i == k % d) for i in range(d)] for k in range(b)],
                [[1] + [0] * (d - 1)] * b,
            ):
                yield of_batch(batch, row(rng, d), DIGITS)
                yield of_batch(batch, batch[0], DIGITS)


def laws() -> Iterator[dict[str, Any]]:
    rng = random.Random(11)
    for _ in range(40):
        atoms, d, size = rng.choice([1, 2, 3]), rng.choice([1, 2, 3]), rng.choice([1, 2, 4])
        yield of_law(
            [rng.randint(1, 5) for _ in range(atoms)],
            [row(rng, d) for _ in range(atoms)],
            [row(rng, d) for _ in range(atoms)],
            [[row(rng, d) for _ in range(size)] for _ in range(atoms)],
            Rational(rng.randint(1, 20), 10),
            DIGITS,
        )


KINDS = {
    About.ANCHOR: anchors,
    About.BATCH: batches,
    About.SOFTMAX: logits,
    About.VECTORS: with_candidates,
    About.LAW: laws,
}


@cache
def configurations(about: About) -> list[Any]:
    with mpmath.mp.workdps(DIGITS):
        return list(KINDS[about]())


# --- bounds --------------------------------------------------------------------------------------
def is_meant(q: Bounds, of: Any) -> bool:
    """Whether sizes are not below those that a bound is meant for."""
    sizes = {s: r.low for s, r in q.domain.ranges.items() if r.integer and r.low.is_Integer}
    return all(of[s.name] >= low for s, low in sizes.items())


@pytest.mark.parametrize("name", [k for k, q in BOUNDS.items() if not q.is_false and not q.printed])
def test_no_configuration_exceeds_a_bound(name: str) -> None:
    q = BOUNDS[name]
    with mpmath.mp.workdps(DIGITS):
        for of in configurations(q.about):
            if is_meant(q, of):
                less, more = compared(q, of)
                excess = less - more
                assert excess <= CLOSE * (1 + abs(more)), {s.name: of[s.name] for s in q.readings}


@pytest.mark.parametrize("name", [k for k, q in BOUNDS.items() if q.attained])
def test_the_case_of_equality_is_one(name: str) -> None:
    """And with a constant a hundredth off it is exceeded there: the check sees it."""
    q = BOUNDS[name]
    with mpmath.mp.workdps(DIGITS):
        less, more = compared(q, read(q.about, **q.attained))
        assert abs(less / more - 1) < CLOSE
        assert less > more * 99 / 100 > 0


def test_most_bounds_are_attained() -> None:
    open_ended = {k.partition(": ")[2] for k, q in BOUNDS.items() if not q.printed} - {
        k.partition(": ")[2] for k, q in BOUNDS.items() if q.attained
    }
    # Their cases of equality are those where both sides are zero, or there is none.
    assert all(k.startswith(("remainder", "deviation")) for k in open_ended), open_ended


@pytest.mark.parametrize("name", [k for k, q in BOUNDS.items() if q.violated])
def test_what_is_printed_is_violated_where_it_is_said_to_be(name: str) -> None:
    q = BOUNDS[name]
    with mpmath.mp.workdps(DIGITS):
        of = read(q.about, **q.violated)
        known = {s.name: of[s.name] for s in q.readings if s.name != "c"}
        less, more = compared(q, {**known, q.bounded: of[q.bounded], "c": mpmath.mpf(1) / 2})
        assert less > more * 101 / 100


# --- derivations ---------------------------------------------------------------------------------

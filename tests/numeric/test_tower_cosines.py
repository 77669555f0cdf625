"""Cosines of two towers: embeddings that are built or searched for, and a corrupted condition."""

from __future__ import annotations

import numpy as np
import pytest
from cltheory.derive.decide.evidence import Holds
from cltheory.derive.proof.relations import eq
from cltheory.derive.results import results
from scipy.optimize import brentq, minimize
from sympy import Tuple

RESULT = results["tower-cosines"]


def is_feasible(size: int, a: float, c: float) -> bool:
    return bool(RESULT.value("feasible", N=size, a=a, c=c))


def build(size: int, a: float, c: float) -> tuple[np.ndarray, np.ndarray]:
    """As in the proof: lengths r and 1/r on the contrasts, parallel on the mean, N dimensions."""
    g, total = a - c, a - c + size * c

    def left(r: float) -> float:
        one, other = (size - (size - 1) * abs(g) * k for k in (r, 1 / r))
        return max(one, 0.0) * other - total**2

    most = size / ((size - 1) * abs(g))
    r = brentq(left, 1.0, most) if left(1.0) > 0 else 1.0
    mean = np.full((size, size), 1 / size)
    one, other = (max(size - (size - 1) * abs(g) * k, 0.0) for k in (r, 1 / r))
    u = np.sqrt(abs(g) * r) * (np.eye(size) - mean) + np.sqrt(one) * mean
    v = np.sign(g) * np.sqrt(abs(g) / r) * (np.eye(size) - mean)
    return u, v + np.sign(total) * np.sqrt(other) * mean


@pytest.mark.parametrize("size", [3, 4])
def test_what_is_feasible_is_built_and_what_is_not_is_not_found(size: int) -> None:
    rng = np.random.default_rng(size)
    seen = set()
    for a, c in rng.uniform(-1, 1, (12, 2)):
        wanted = c + (a - c) * np.eye(size)
        feasible = is_feasible(size, a, c)
        seen.add(feasible)
        if feasible:
            u, v = build(size, a, c)
            assert np.allclose(u @ v.T, wanted, atol=1e-9)
            assert np.allclose([(u**2).sum(1), (v**2).sum(1)], 1, atol=1e-9)
            continue

        def off(z: np.ndarray, wanted: np.ndarray = wanted) -> float:
            u, v = z.reshape(2, size, -1)
            u, v = (w / np.linalg.norm(w, axis=1, keepdims=True) for w in (u, v))
            return float(((u @ v.T - wanted) ** 2).sum())

        found = minimize(off, rng.standard_normal(2 * size * size)).fun
        excess = (size - 1) * abs(a - c) + abs(a - c + size * c) - size
        # The sum of singular values is at most N: it is off by the excess over N of them at least.
        assert found >= excess**2 / size * (1 - 1e-6)
    assert seen == {True, False}


def test_the_largest_cosine_of_positives_is_at_the_border() -> None:
    for size, c in ((3, -0.9), (5, -0.4), (8, -0.2), (8, -0.1), (4, 0.5)):
        most = float(RESULT.value("positive_at_most", N=size, c=c))
        assert is_feasible(size, most - 1e-9, c)
        assert most == 1 or not is_feasible(size, most + 1e-9, c)
    # Of the simplex and a little closer.
    assert RESULT.value("positive_at_most", N=8, c="-1/7") == 1
    assert RESULT.value("positive_at_most", N=8, c="-1/6") < 1


def test_a_corrupted_sum_is_refused() -> None:
    for step in RESULT.derivation:
        assert isinstance(step.says.decide(), Holds)
        shown = list(step.says.shown.args)
        if not step.says.names:
            continue
        for k, one in enumerate(shown):
            wrong = [*shown[:k], eq(one.args[0], -one.args[1]), *shown[k + 1 :]]
            assert not isinstance(step.says.saying(Tuple(*wrong)).decide(), Holds)


def spread(u: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """The variance of the cosines of negative pairs, and its lower bound."""
    g = u @ v.T
    beside = g[~np.eye(len(g), dtype=bool)]
    a = float(np.clip(g[0, 0], -1, 1))
    at = {"N": len(u), "d": u.shape[1], "a": a, "c": float(beside.mean())}
    return float(beside.var()), float(RESULT.value("spread_at_least", **at))


@pytest.mark.parametrize("d", [2, 4])
def test_negative_pairs_spread_in_few_dimensions(d: int) -> None:
    """Towers that coincide, that differ by a rotation, and that are opposite; a search as well."""
    rng = np.random.default_rng(d)
    turn = np.kron(np.eye(d // 2), [[np.cos(1), -np.sin(1)], [np.sin(1), np.cos(1)]])
    for _ in range(20):
        u = rng.standard_normal((9, d))
        u /= np.linalg.norm(u, axis=1, keepdims=True)
        for v in (u, u @ turn, -u):
            found, bound = spread(u, v)
            assert found >= bound - 1e-12  # rounding

    def excess(x: np.ndarray) -> float:
        u = x.reshape(9, d) / np.linalg.norm(x.reshape(9, d), axis=1, keepdims=True)
        found, bound = spread(u, u @ turn)
        return found - bound

    assert minimize(excess, rng.standard_normal(9 * d), options={"maxiter": 3}).fun > -1e-12


def test_a_tight_frame_spreads_least() -> None:
    orthoplex = np.vstack([np.eye(3), -np.eye(3)])
    found, bound = spread(orthoplex, orthoplex)
    assert found == pytest.approx(bound, abs=1e-12) and bound == pytest.approx(0.16)
    assert RESULT.value("spread_at_least", N=6, d=5, a=1, c="-1/5") == 0
    step = next(s.says for s in RESULT.derivation if "variance" in s.title)
    assert isinstance(step.decide(), Holds)
    assert not isinstance(step.saying(eq(step.shown.lhs * 2, step.shown.rhs)).decide(), Holds)

"""Verdicts against the definition: embeddings attain the bound, or none do for any constant."""

from __future__ import annotations

import numpy as np
import pytest
from cltheory.derive.vectors.distance import euclidean
from cltheory.derive.vectors.sphere import spherical
from cltheory.numeric.realize.classes import of_sizes
from cltheory.numeric.realize.distances import of_distances
from cltheory.numeric.realize.pairs import Unfit
from cltheory.numeric.realize.points import of_points
from cltheory.numeric.realize.verdict import TOLERANCE, Wanted, at_least, at_most
from cltheory.numeric.realize.weights import checked, of_weights
from sympy import Rational


def squared(p: np.ndarray) -> np.ndarray:
    return np.sum((p[:, None] - p[None, :]) ** 2, axis=-1)


def sphere(rng: np.random.Generator, n: int, dims: int, radius: float) -> np.ndarray:
    y = rng.standard_normal((n, dims))
    return radius * y / np.linalg.norm(y, axis=1, keepdims=True)


def excess(z: np.ndarray, w: np.ndarray, tau: float | None) -> float:
    """Loss of embeddings above the entropic bound, as defined."""
    n = len(z)
    unit = z / np.linalg.norm(z, axis=1, keepdims=True) if tau else z
    s = unit @ unit.T / tau if tau else -squared(z)
    s, w = s.copy(), w.copy()
    s[np.diag_indices(n)] = -np.inf
    np.fill_diagonal(w, 0.0)
    t = w / w.sum(axis=1, keepdims=True)
    log_share = s - np.logaddexp.reduce(s, axis=1, keepdims=True)
    held = t > 0
    return float(np.sum(t[held] * (np.log(t[held]) - log_share[held]))) / n


def by_scan(d: np.ndarray, tau: float | None) -> float:
    """The least dimension of any constant that gives a Gram matrix, by trying them all."""
    n = len(d)
    j = np.eye(n) - 1 / n
    off = 1 - np.eye(n)

    def spectrum(c: float) -> np.ndarray:
        # Without a sphere the constant vector is always in the kernel: it is moved out of sight.
        gram = np.eye(n) + off * (c - tau * d) if tau else -j @ (d + c * off) @ j / 2
        return np.linalg.eigvalsh(gram + (0 if tau else 1e3 / n))[: n if tau else -1]

    def least(c: float) -> float:
        return float(spectrum(c)[0])

    grid = np.linspace(-6, 6, 401)
    signs = [least(c) for c in grid]
    # Rank falls where the least eigenvalue is 0: at changes of sign, and where it touches 0.
    candidates = [0.0, 1.0, *grid[::8]]
    for a, b, first, second in zip(grid, grid[1:], signs, signs[1:], strict=False):
        if first * second <= 0 and max(abs(first), abs(second)) > 1e-9:
            low, high = a, b
            for _ in range(50):
                middle = (low + high) / 2
                low, high = (middle, high) if least(middle) * first > 0 else (low, middle)
            candidates += [low, high]
    ranks = [int(np.sum(v > 1e-7)) for v in map(spectrum, candidates) if v[0] > -1e-9]
    return min(ranks, default=np.inf)


# --- distances of all kinds -----------------------------------------------------------------------
CASES = {
    "sphere": lambda rng: squared(sphere(rng, 7, 2, 0.8)),
    "line": lambda rng: squared(rng.uniform(0, 2, (7, 1))),
    "plane": lambda rng: squared(rng.standard_normal((7, 2))),
    "raised": lambda rng: squared(sphere(rng, 7, 2, 0.8)) + 0.3 * (1 - np.eye(7)),
    "lowered": lambda rng: squared(sphere(rng, 7, 2, 0.8)) - 0.1 * (1 - np.eye(7)),
    "any": lambda rng: (lambda a: (a + a.T) * (1 - np.eye(7)))(rng.uniform(0, 1, (7, 7))),
    "simplex": lambda rng: squared(rng.standard_normal((7, 6))),
}


@pytest.mark.parametrize("tau", [None, 0.2, 0.7, 2.0])
@pytest.mark.parametrize("kind", CASES)
def test_verdicts_are_those_of_trying_all_constants(kind: str, tau: float | None) -> None:
    d = CASES[kind](np.random.default_rng(3))
    needed = by_scan(d, tau)
    for q in range(1, 9):
        verdict = of_distances(d, Wanted(q, tau, "cosine" if tau else "euclidean", search=False))
        assert (verdict.word == "realisable") == (needed <= q), (q, verdict.reason)
        if verdict.word == "realisable":
            assert verdict.vectors is not None
            assert verdict.vectors.shape == (7, q)
            assert excess(verdict.vectors, np.exp(-d), tau) < 1e-11


#: Distances in fractions, so that the exact core decides on the same numbers.
EXACT = {
    "square": [[0, 1, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0]],
    "line": [[0, 1, 4, 9], [1, 0, 1, 4], [4, 1, 0, 1], [9, 4, 1, 0]],
    "none": [[0, 9, 1, 1], [9, 0, 1, 2], [1, 1, 0, 1], [1, 2, 1, 0]],
    "simplex": [[0, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]],
    "two places": [[0, 0, 1, 1], [0, 0, 1, 1], [1, 1, 0, 0], [1, 1, 0, 0]],
}


@pytest.mark.parametrize("kind", EXACT)
def test_verdicts_and_constants_are_those_of_the_exact_core(kind: str) -> None:
    d = np.array(EXACT[kind], dtype=float)
    for q in range(1, 6):
        exact, found = euclidean(EXACT[kind], q), of_distances(d, Wanted(q, None, "euclidean"))
        assert (found.word == "realisable") == exact.attained
        if exact.attained:
            assert found.certificate["c"] == pytest.approx(float(exact.c), abs=1e-9)
        for tau in ("1/10", "1/2", "1", "2", "10"):
            t = Rational(tau)
            sphere_ = spherical(EXACT[kind], t, q)
            numeric = of_distances(d, Wanted(q, float(t), "cosine", search=False))
            assert (numeric.word == "realisable") == sphere_.attained, (q, tau, numeric.reason)


@pytest.mark.parametrize("tau", [0.2, 0.7, 2.0])
def test_an_embedding_that_is_found_attains_no_bound_that_is_out_of_reach(tau: float) -> None:
    d = CASES["plane"](np.random.default_rng(3))
    verdict = of_distances(d, Wanted(7, 5.0 + tau, "cosine"))
    assert verdict.word == "inconsistent"
    assert verdict.vectors is not None
    assert verdict.excess == pytest.approx(excess(verdict.vectors, np.exp(-d), 5.0 + tau))
    assert verdict.excess > 1e-4
    assert verdict.gap < 1e-9


# --- points --------------------------------------------------------------------------------------
@pytest.mark.parametrize("q", [1, 2, 3, 4, 9])
@pytest.mark.parametrize("tau", [0.3, 0.5 / 0.9**2, 3.0])
@pytest.mark.parametrize("dims", [1, 2, 3])
def test_points_on_a_sphere_are_decided_as_their_distances_are(
    dims: int, tau: float, q: int
) -> None:
    p = sphere(np.random.default_rng(7), 14, dims, 0.9) + 5.0
    # 14 points span a circle's plane: its centre is in it, and the radius is the least one.
    wanted = Wanted(q, tau)
    few, all_ = of_points(p, wanted), of_distances(squared(p), wanted)
    assert few.word == all_.word
    assert few.bound == pytest.approx(all_.bound, abs=1e-12)
    if few.word == "realisable":
        assert few.vectors is not None
        assert excess(few.vectors, np.exp(-squared(p)), tau) < 1e-11
    elif "exceeds" in few.reason:
        assert few.certificate["tau_critical"] == pytest.approx(0.5 / 0.9**2)
        assert all_.certificate["tau_critical"] == pytest.approx(0.5 / 0.9**2)


def test_labels_nearly_on_a_sphere_are_told_by_the_tolerance() -> None:
    rng = np.random.default_rng(4)
    p = sphere(rng, 40, 3, 1.0)
    near = p * (1 + 1e-6 * rng.standard_normal((40, 1)))
    assert of_points(near, Wanted(8, 0.2, "cosine", search=False)).word == "inconsistent"
    assert of_points(near, Wanted(8, 0.2, "cosine", tolerance=1e-4)).word == "realisable"


# --- classes -------------------------------------------------------------------------------------
@pytest.mark.parametrize("tau", [0.3, 1.5 / np.log(10), 1.0])
@pytest.mark.parametrize("q", [1, 2, 3, 4, 10, 11])
@pytest.mark.parametrize("sizes", [[2, 3, 6], [1, 1, 9], [1, 2, 1], [1, 1, 1]])
def test_soft_classes_are_decided_as_their_distances_are(
    sizes: list[int], q: int, tau: float
) -> None:
    epsilon = 0.1
    labels = np.repeat(range(3), sizes)
    w = np.where(labels[:, None] == labels[None, :], 1.0, epsilon)
    few, all_ = of_sizes(sizes, Wanted(q, tau), epsilon), of_weights(w, Wanted(q, tau, "cosine"))
    assert few.word == all_.word
    assert few.bound == pytest.approx(all_.bound, abs=1e-12)
    if few.word == "realisable":
        assert few.vectors is not None
        assert excess(few.vectors[labels], w, tau) < 1e-11
    elif q >= 4:  # convex there, and both are certified
        assert few.loss == pytest.approx(all_.loss, abs=1e-9)


def test_hard_classes_are_degenerate_by_either_way() -> None:
    sizes, tau = [2, 2, 5], 0.6
    labels = np.repeat(range(3), sizes)
    w = (labels[:, None] == labels[None, :]).astype(float)
    few, all_ = of_sizes(sizes, Wanted(9, tau)), of_weights(w, Wanted(9, tau, search=True))
    assert few.word == all_.word == "degenerate"
    assert few.loss == pytest.approx(all_.loss, abs=1e-8)
    apart, all_apart = (
        of_sizes(sizes, Wanted(2, None, "euclidean")),
        of_weights(w, Wanted(2, None, "euclidean")),
    )
    assert apart.word == all_apart.word == "degenerate"


# --- what is no matrix of weights -----------------------------------------------------------------
@pytest.mark.parametrize(
    "w, why",
    [
        (np.ones((2, 3)), "square"),
        (np.ones(3), "square"),
        (np.array([["a", "b"], ["c", "d"]]), "real numbers"),
        (np.array([[0, 1.0], [np.nan, 0]]), "row 2, column 1 is nan"),
        (np.array([[0, 1.0, 2.0], [1.0, 0, -3.0], [2.0, -3.0, 0]]), "not be negative: row 2"),
        (np.array([[0, 1.0], [1.1, 0]]), "symmetric: row 1"),
        (np.array([[0, 1.0, 0], [1.0, 0, 0], [0, 0, 5.0]]), "row 3 has no positive weight"),
        (np.ones((1, 1)), "two rows"),
    ],
)
def test_bad_weights(w: np.ndarray, why: str) -> None:
    with pytest.raises(Unfit, match=why):
        checked(w)


def test_bounds_are_printed_on_the_side_that_holds() -> None:
    for x in (1.23456749, 1.23456751, 3.05902e-7, 99999.96, 1 / 3):
        assert float(at_most(x)) <= x <= float(at_least(x))
        assert float(at_least(x)) - float(at_most(x)) <= 1.1e-5 * x
    assert at_most(0.5) == at_least(0.5) == "0.5"
    assert TOLERANCE < 1e-6

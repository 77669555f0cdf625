"""Distance geometry: verdicts against floats, points against their distances, corners by hand."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.errors import InternalError
from cltheory.derive.vectors.algebraic import Algebraic, Root, eigenvalues, roots
from cltheory.derive.vectors.coordinates import in_balls, in_field, inertia
from cltheory.derive.vectors.distance import Dissimilarity, Euclidean, euclidean
from cltheory.derive.vectors.sphere import Circumscribed, Spherical, spherical
from flint import fmpq, fmpq_mat, fmpq_poly, fmpz_poly
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sympy import FiniteSet, Integer, Interval, Rational, S, log, oo, sqrt

SEED = 20261122
#: Eigenvalues of float64 matrices with entries up to 20: rounding is near 1e-14.
CLOSE = 1e-9

Rows = list[list[Any]]


def symmetric(size: int, entry: Any) -> Rows:
    """Rows with zeros on the diagonal."""
    found = [[0] * size for _ in range(size)]
    for i in range(size):
        for j in range(i):
            found[i][j] = found[j][i] = entry()
    return found


def of_points(points: Sequence[Sequence[int]]) -> Rows:
    """Squared distances."""
    return [[sum((a - b) ** 2 for a, b in zip(x, y, strict=True)) for y in points] for x in points]


def centred(rows: Rows) -> np.ndarray:
    d = np.array(rows, dtype=float)
    np.fill_diagonal(d, 0)
    j = np.eye(len(d)) - 1 / len(d)
    return -j @ d @ j / 2


def beside_ones(rows: Rows) -> np.ndarray:
    """Eigenvalues of the centred Gram matrix beside ones, by numpy on an orthonormal basis."""
    n = len(rows)
    basis = np.linalg.svd(np.eye(n) - 1 / n)[0][:, : n - 1]
    return np.linalg.eigvalsh(basis.T @ centred(rows) @ basis)


def squared(points: Any) -> np.ndarray:
    z = np.array([[float(e) for e in row] for row in points])
    return ((z[:, None] - z[None]) ** 2).sum(-1)


def off_diagonal(rows: Rows, c: float) -> np.ndarray:
    d = np.array(rows, dtype=float) + c
    np.fill_diagonal(d, 0)
    return d


matrices = st.integers(2, 6).flatmap(
    lambda n: st.lists(
        st.integers(-3, 6), min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2
    ).map(lambda flat, n=n: symmetric(n, iter(flat).__next__))
)


# --- algebraic numbers ---------------------------------------------------------------------------
@given(matrices)
@settings(max_examples=40, deadline=None)
def test_eigenvalues_are_those_of_numpy(rows: Rows) -> None:
    n = len(rows)
    found = eigenvalues(fmpq_mat(n, n, [fmpq(e) for row in rows for e in row]))
    flat = [float(e.number.expression) for e in found for _ in range(e.multiplicity)]
    assert np.allclose(flat, np.linalg.eigvalsh(np.array(rows, dtype=float)), atol=CLOSE)


def test_surds_are_written_as_such() -> None:
    (low, _), (high, _) = roots(fmpq_poly([-2, -2, 1]))
    assert (low.expression, high.expression) == (1 - sqrt(3), 1 + sqrt(3))
    assert (low.sign(), high.sign()) == (-1, 1)
    inverse = low.element(fmpq_poly([1]), fmpq_poly([0, 1])).expression
    assert (inverse * (1 - sqrt(3))).expand() == 1
    (down, _), _ = roots(fmpq_poly([2, 2, -1]))  # a leading coefficient below zero
    assert down.expression == 1 - sqrt(3)


def test_zero_is_decided_by_algebra() -> None:
    cubic = fmpz_poly([1, -3, 0, 1])  # 8 x^3 - 6 x + 1, doubled: cosines of 40 degrees
    for k in range(3):
        root = Root(cubic, k)
        assert Algebraic(root, fmpq_poly([1, -3, 0, 1])).is_zero()
        assert not Algebraic(root, fmpq_poly([Fraction(1, 10**40).numerator, 1])).is_zero()
    product = fmpq_poly([1, -3, 0, 1]) * fmpq_poly([-2, 0, 1])
    signs = [Algebraic(number.root, fmpq_poly([-2, 0, 1])).sign() for number, _ in roots(product)]
    assert signs.count(0) == 2 and signs[0] == 1


def test_a_ball_that_misses_its_root_is_refused() -> None:
    root = Root(fmpz_poly([-2, 0, 1]), 1)
    ball = root.ball(60)
    root._put_back(ball)
    with pytest.raises(InternalError, match="changes sign"):
        root._put_back(ball + 1)


@given(matrices)
@settings(max_examples=40, deadline=None)
def test_inertia_is_the_signs_of_eigenvalues(rows: Rows) -> None:
    exact = tuple(tuple(map(Integer, row)) for row in rows)
    values = np.linalg.eigvalsh(np.array(rows, dtype=float))
    counts = ((values > CLOSE).sum(), (values < -CLOSE).sum(), (abs(values) <= CLOSE).sum())
    assert inertia(exact) == counts


def test_vectors_of_another_rank_are_refused() -> None:
    root = Root(fmpz_poly([0, 1]), 0)
    gram = [[fmpq_poly([v]) for v in row] for row in ((1, 0), (0, 1))]
    assert in_field(gram, root, 2) == ((1, 0), (0, 1))
    with pytest.raises(InternalError):
        in_field(gram, root, 1)
    with pytest.raises(InternalError):
        in_field([[e * 0 for e in row] for row in gram], root, 1)
    exact = ((S.One, S.Zero), (S.Zero, S.One))
    with pytest.raises(InternalError):
        in_balls(exact, 1)[0][0].enclosure(60)


# --- Euclidean -----------------------------------------------------------------------------------
def attained_by_numpy(rows: Rows, q: int) -> bool:
    """A grid over c, refined at the one value where the rank can drop."""
    values = beside_ones(rows)
    tried = [-2 * values[0], -2 * values[0] + 1, *np.linspace(-20, 20, 81)]
    for c in tried:
        shifted = values + c / 2
        if shifted.min() > -CLOSE and (shifted > CLOSE).sum() <= q:
            return True
    return False


@given(matrices, st.integers(1, 6))
@settings(max_examples=80, deadline=None)
def test_the_verdict_is_that_of_floats(rows: Rows, q: int) -> None:
    verdict = euclidean(rows, q)
    assert verdict.attained == attained_by_numpy(rows, q)
    values = beside_ones(rows)
    assert np.allclose([float(e) for e in verdict.distances.eigenvalues], values, atol=CLOSE)
    assert verdict.distances.is_edm == (values[0] > -CLOSE)
    assert "\n" not in verdict.reason and verdict.reason
    if not verdict.attained:
        assert verdict.embedding is None and verdict.constants is S.EmptySet
        spread = values[len(rows) - 2 - q] - values[0]
        assert float(verdict.defect) == pytest.approx(spread / 2, abs=CLOSE)
        return
    points = verdict.embedding
    assert points is not None and all(len(row) == q for row in points)
    assert np.allclose(squared(points), off_diagonal(rows, float(verdict.c)), atol=CLOSE)
    assert verdict.unique == (q < len(rows) - 1)


@given(st.integers(1, 3), st.integers(2, 7), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_points_are_found_again(q: int, n: int, chance: random.Random) -> None:
    points = [[chance.randint(-4, 4) for _ in range(q)] for _ in range(n)]
    verdict = euclidean(of_points(points), q)
    assert verdict.attained and verdict.c == 0 and verdict.distances.is_edm
    assert np.allclose(squared(verdict.embedding), of_points(points), atol=CLOSE)
    z = np.array(points, dtype=float)
    assert verdict.distances.dimension_with(S.Zero) == np.linalg.matrix_rank(z - z.mean(0))


def test_corners() -> None:
    for d in (0, 3, -2):  # two points
        verdict = euclidean([[0, d], [d, 0]], 1)
        assert verdict.attained and verdict.constants == Interval(-d, oo, False, True)
        assert verdict.c == (0 if d >= 0 else -d)
    nothing = euclidean([[0] * 4] * 4, 1)  # all points coincide
    assert nothing.attained and nothing.c == 0 and nothing.dimension == 0 and nothing.unique
    assert nothing.embedding == ((0,),) * 4
    simplex = euclidean(symmetric(5, lambda: 1), 1)  # so with another constant
    assert (simplex.c, simplex.dimension) == (-1, 0)
    assert euclidean(symmetric(5, lambda: 1), 4).c == 0
    three = euclidean("0,1,5;1,0,1;5,1,0", 1)  # q = n - 2: one copy is enough
    assert three.attained and three.c == Rational(1, 3)
    assert three.embedding == ((2 * sqrt(3) / 3,), (0,), (-2 * sqrt(3) / 3,))


def test_the_diagonal_is_left_out() -> None:
    rows = [[7, 1, 4], [1, -2, 1], [4, 1, 0]]
    assert euclidean(rows, 1).embedding == euclidean("0,1,4;1,0,1;4,1,0", 1).embedding


def test_multiples_of_one_number_are_exact() -> None:
    scaled = euclidean([[0, log(2), log(4)], [log(2), 0, log(2)], [log(4), log(2), 0]], 1)
    plain = euclidean("0,1,2;1,0,1;2,1,0", 1)
    assert scaled.distances.scale == log(2)
    assert scaled.c == plain.c * log(2)
    assert scaled.embedding == tuple((row[0] * sqrt(log(2)),) for row in plain.embedding)
    below = Dissimilarity([[0, -log(2)], [-log(2), 0]])  # the scale is positive
    assert below.scale == log(2) and below.least == -log(2) / 2


@pytest.mark.parametrize("q", [1, 2, 3, 4])
def test_so_many_points_and_one_fewer(q: int) -> None:
    """The numbers of points from which the rank forces c = 0 are the right ones."""

    def holds(rows: Rows, points: int) -> bool:
        d = Dissimilarity(rows)
        assert d.size == points and d.fractions.rank() <= q + 2
        verdict = Euclidean(d, q)
        return verdict.attained is True and verdict.c != 0

    pairs = [[s * (k == i) for k in range(q + 1)] for i in range(q + 1) for s in (1, -1)]
    minus = [[-Fraction(e, 2) for e in row] for row in of_points(pairs)]
    assert holds(minus, 2 * q + 2)
    assert euclidean(minus, q).c == 2
    # Points 2 apart on a line; q - 1 of them are split in a dimension of their own.
    split = [
        [2 * i, *((s * (k == i)) for k in range(q - 1))] for i in range(q - 1) for s in (1, -1)
    ]
    line = split + [[2 * (q - 1 + i), *[0] * (q - 1)] for i in range(3)]
    rows = [[e - 4 * (i != j) for j, e in enumerate(row)] for i, row in enumerate(of_points(line))]
    assert min(min(row) for row in rows) >= 0
    assert holds(rows, 2 * q + 1)
    simplex = symmetric(q + 2, lambda: 1)
    assert Dissimilarity(simplex).is_edm and holds(simplex, q + 2)


def test_one_more_point_forces_the_constant() -> None:
    """Random small matrices of rank <= q + 2: none with more points has another constant."""
    chance = random.Random(SEED)
    found = {"signed": 0, "positive": 0}
    for _ in range(400):
        q = chance.choice([1, 1, 2])
        low = chance.choice([-2, 0])
        n = 2 * q + 3 if low < 0 else 2 * q + 2
        rows = symmetric(n, lambda low=low: chance.randint(low, 2))
        if np.linalg.matrix_rank(np.array(rows)) <= q + 2 and euclidean(rows, q).attained:
            found["signed" if low < 0 else "positive"] += 1
            assert euclidean(rows, q).c == 0
    assert found["positive"]


@pytest.mark.parametrize(
    "bad, says",
    [
        ("0,1;1,0;2,3", "D is 3 x 2, and must be square"),
        ("0,1;2,0", r"D is not symmetric: entry \(1, 2\) is 1 and \(2, 1\) is 2"),
        ("0", "D is for 1 point; it must be for at least two"),
        ("0,oo;oo,0", r"D must be finite, and entry \(1, 2\) is oo"),
        ("0,x;x,0", "D: 'x' is not a number"),
        ([[0, 1], [1]], "D: the rows have different lengths"),
        ([], "D: an empty list is not accepted"),
        (3, "D: '3' is not a list"),
        ([[0, float("nan")], [float("nan"), 0]], "D: 'nan' is not a number"),
    ],
)
def test_bad_matrices_are_refused(bad: Any, says: str) -> None:
    with pytest.raises(DomainError, match=says) as refusal:
        Dissimilarity(bad)
    assert "\n" not in str(refusal.value)


def test_entries_that_are_no_fractions_of_one_number_are_refused() -> None:
    with pytest.raises(DomainError, match="not rational multiples of one number") as refusal:
        _ = euclidean([[0, 1, sqrt(2)], [1, 0, 2], [sqrt(2), 2, 0]], 1).attained
    assert "\n" not in str(refusal.value)


# --- spherical -----------------------------------------------------------------------------------
def feasible(rows: Rows, tau: float) -> np.ndarray:
    """Constants c' of a fine grid for which the matrix is positive semidefinite, by floats."""
    n, d = len(rows), off_diagonal(rows, 0)
    best = minimize(
        lambda c: -np.linalg.eigvalsh(np.eye(n) + c[0] * (1 - np.eye(n)) - tau * d)[0],
        [0.5],
        method="Nelder-Mead",
        options={"xatol": 1e-10, "fatol": 1e-12},
    )
    return np.array([best.x[0], -best.fun])


@given(matrices, st.sampled_from([Rational(1, 20), Rational(1, 7), Rational(1, 3), S.One]))
@settings(max_examples=25, deadline=None)
def test_cosines_in_n_dimensions(rows: Rows, tau: Rational) -> None:
    n = len(rows)
    verdict = spherical(rows, tau, n)
    at, least = feasible(rows, float(tau))
    if abs(least) > 1e-7:  # on the border floats do not tell
        assert verdict.attained == (least > 0)
    if not verdict.attained:
        assert verdict.constants is S.EmptySet and verdict.cosines is None
        assert not Spherical(verdict.distances, n - 1, tau).attained
        return
    assert tau in verdict.temperatures
    check_cosines(verdict, rows)
    ends = [float(e) for e in (verdict.constants.inf, verdict.constants.sup)]
    assert ends[0] - 1e-6 <= at <= ends[1] + 1e-6
    for end in ends:
        gram = np.eye(n) + end * (1 - np.eye(n)) - float(tau) * off_diagonal(rows, 0)
        assert abs(np.linalg.eigvalsh(gram)[0]) < 1e-8
    one_less = Spherical(verdict.distances, n - 1, tau)
    assert one_less.attained and isinstance(one_less.constants, FiniteSet)
    check_cosines(one_less, rows)


def check_cosines(verdict: Spherical, rows: Rows) -> None:
    """The points are unit vectors with cosines c' - tau d, in q dimensions."""
    points = np.array([[float(e) for e in row] for row in verdict.embedding])
    tau, c = float(verdict.tau), float(verdict.c_prime)
    wanted = c - tau * off_diagonal(rows, 0)
    np.fill_diagonal(wanted, 1)
    assert points.shape == (len(rows), verdict.q)
    assert np.allclose(points @ points.T, wanted, atol=CLOSE)
    assert np.allclose(np.array(verdict.cosines, dtype=float), wanted, atol=CLOSE)
    assert verdict.c_prime in verdict.constants


@given(st.integers(2, 3), st.integers(4, 7), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_points_on_a_sphere_are_found_again(q: int, n: int, chance: random.Random) -> None:
    signs = [[chance.choice([-1, 1]) for _ in range(q)] for _ in range(n)]  # of radius sqrt(q)
    rows = of_points(signs)
    exactly = spherical(rows, Rational(1, 2 * q), q)
    z = np.array(signs, dtype=float)
    dimension = np.linalg.matrix_rank(z - z.mean(0))
    if dimension == q < n - 1:
        assert exactly.attained and exactly.c_prime == 1 and exactly.unique
        assert exactly.temperatures == FiniteSet(Rational(1, 2 * q))
        assert exactly.spheres.radius == sqrt(q)
        check_cosines(exactly, rows)
        assert not spherical(rows, Rational(1, 2 * q + 1), q).attained
        assert not spherical(rows, Rational(1, 2 * q - 1), q).attained
    colder = spherical(rows, Rational(1, 5 * q), q + 1)
    assert colder.attained
    check_cosines(colder, rows)


def test_classes_with_a_weight_between_them() -> None:
    """Soft SupCon: C = 3 classes of 2, weight 1/10 between them, at its critical temperature."""
    far = log(10)
    rows = [[far * int(i // 2 != j // 2) for j in range(6)] for i in range(6)]
    critical = Rational(2, 3) / far
    for q in (2, 3):
        verdict = spherical(rows, critical, q)
        assert verdict.temperatures.sup == 3 / (2 * far)
    assert spherical(rows, 3 / (2 * far), 2).attained
    regular = spherical(rows, 3 / (2 * far), 2)
    assert {e for row in regular.cosines for e in row} == {S.One, -S.Half}
    assert not spherical(rows, critical, 2).attained and spherical(rows, critical, 3).attained
    assert not spherical(rows, Rational(3, 2) / far + Rational(1, 10**20), 3).attained


def test_beta_is_twice_the_squared_radius() -> None:
    chance = random.Random(SEED)
    for _ in range(10):
        rows = symmetric(4, lambda: chance.randint(4, 6))  # a tetrahedron, whatever they are
        spheres = Circumscribed(Dissimilarity(rows))
        d = np.array(rows, dtype=float)
        assert float(spheres.radius) ** 2 * 2 == pytest.approx(1 / np.linalg.inv(d).sum())

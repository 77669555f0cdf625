"""Second moments of unit vectors: against matrices, and means against enumeration."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from cltheory.derive.vectors.measured import of_batch, of_law, of_logits
from cltheory.derive.vectors.moments import (
    Parts,
    UnitLaw,
    correlated,
    from_isotropy,
    gram_and_moment,
    joined,
    mean,
    partitions,
    trace_of,
)
from sympy import Expr, Rational, S, expand, symbols

SEED = 20261122
RNG = np.random.default_rng(SEED)


@pytest.fixture(autouse=True)
def _same_numbers_each_time() -> None:
    RNG.bit_generator.state = np.random.default_rng(SEED).bit_generator.state


def units(count: int, d: int) -> np.ndarray:
    rows = RNG.standard_normal((count, d))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


# --- a batch -------------------------------------------------------------------------------------
@pytest.mark.parametrize(("n", "d"), [(3, 1), (3, 2), (4, 2), (6, 5)])
def test_moments_of_parts_of_a_batch(n: int, d: int) -> None:
    z = units(n, d)
    u = RNG.standard_normal(d)
    batch = Parts(S(n), *symbols("rest x y"))
    at = {
        batch.rest: float(((z[2:] @ u) ** 2).sum()),
        batch.x: float(z[0] @ u),
        batch.y: float(z[1] @ u),
    }
    for part, rows in ((batch.all, z), (batch.others, z[1:]), (batch.negatives, z[2:])):
        direct = float(((rows @ u) ** 2).mean())
        assert float(batch.along(part).subs(at)) == pytest.approx(direct, rel=1e-12)
        assert batch.trace(part) == 1


@pytest.mark.parametrize(("b", "d"), [(1, 1), (1, 3), (3, 2), (5, 7)])
def test_a_vector_more(b: int, d: int) -> None:
    rows, z = units(b, d), units(1, d)[0]
    moment = rows.T @ rows / b
    t, q = symbols("t q")
    at = {t: np.trace(moment @ moment), q: z @ moment @ z}
    squared, apart = (float(e.subs(at)) for e in joined(S(b), t, q))
    after = (b * moment + np.outer(z, z)) / (b + 1)
    assert squared == pytest.approx(np.trace(after @ after), rel=1e-12)
    direct = np.linalg.norm(moment - np.outer(z, z)) ** 2
    assert apart == pytest.approx(direct, rel=1e-12, abs=1e-12)


def test_gram_and_moment_have_one_norm_and_isotropy() -> None:
    gram, moment = gram_and_moment()
    assert gram == moment != trace_of("Z Z Z' Z'")
    rows = units(7, 3)
    second = rows.T @ rows / 7
    t = float(np.trace(second @ second))
    direct = np.linalg.norm(second - np.eye(3) / 3) ** 2
    assert float(from_isotropy(S(3), t)) == pytest.approx(direct, rel=1e-12)


def test_means_of_polynomials() -> None:
    x, m1, m2 = symbols("x m1 m2")
    assert expand(mean((x - m1) ** 2, x, {1: m1, 2: m2}) - m2 + m1**2) == 0
    with pytest.raises(KeyError):
        mean(x**3, x, {1: m1, 2: m2})


# --- laws ----------------------------------------------------------------------------------------
def test_partitions_are_all_there_are() -> None:
    assert [len(list(partitions(range(k)))) for k in range(6)] == [1, 1, 2, 5, 15, 52]


def enumerated(size: int, axes: int, power: int) -> Fraction:
    """The mean of |mean|^power over all choices of vectors on both sides of some axes."""
    atoms = [(k, s) for k in range(axes) for s in (1, -1)]
    total = Fraction(0)
    for chosen in product(atoms, repeat=size):
        coordinates = [sum(s for k, s in chosen if k == axis) for axis in range(axes)]
        total += Fraction(sum(c * c for c in coordinates), size**2) ** (power // 2)
    return total / len(atoms) ** size


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_the_variance_of_a_mean_by_enumeration(size: int, axes: int) -> None:
    law = UnitLaw(Rational(1, axes))
    second, fourth = enumerated(size, axes, 2), enumerated(size, axes, 4)
    assert law.squared_mean(S(size)) == Rational(second.numerator, second.denominator)
    assert law.fourth_mean(S(size)) == Rational(fourth.numerator, fourth.denominator)
    spread = fourth - second**2
    assert law.variance(S(size)) == Rational(spread.numerator, spread.denominator)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_the_mean_of_correlated_vectors(size: int) -> None:
    """A common part with weight a, and parts of their own that are orthogonal."""
    a = Rational(2, 5)
    gram: list[list[Expr]] = [[S.One if i == j else a for j in range(size)] for i in range(size)]
    assert correlated(S(size), a) == sum(map(sum, gram)) / S(size) ** 2


# --- what is measured ----------------------------------------------------------------------------
@pytest.mark.parametrize("size", [1, 2, 5])
def test_measures_of_logits(size: int) -> None:
    logits = 3 * RNG.standard_normal(size)
    found = of_logits(list(logits), 30)
    q = np.exp(logits - logits.max())
    q /= q.sum()
    rest = q - 1 / size - (logits - logits.mean()) / size
    direct = {
        "curvature": np.linalg.eigvalsh(np.diag(q) - np.outer(q, q))[-1],
        "participation": q @ q,
        "remainder_2": np.linalg.norm(rest),
        "remainder_inf": abs(rest).max(),
        "remainder_below": (-rest).max(),
        "remainder_first": abs(rest[0]),
        "spread_2": np.linalg.norm(logits - logits.mean()),
        "deviation": np.linalg.norm(q - 1 / size),
    }
    for name, value in direct.items():
        assert float(found[name]) == pytest.approx(value, rel=1e-9, abs=1e-12), name


@pytest.mark.parametrize(("b", "d"), [(1, 1), (2, 3), (6, 2)])
def test_measures_of_a_batch(b: int, d: int) -> None:
    rows, z = units(b, d), units(1, d)[0]
    found = of_batch(rows.tolist(), z.tolist(), 30)
    moment = rows.T @ rows / b
    values = np.clip(np.linalg.eigvalsh(moment), 1e-300, None)
    direct = {
        "t": np.trace(moment @ moment),
        "sigma_hat": values[-1],
        "entropy_rank": np.exp(-(values * np.log(values)).sum()),
        "q": z @ moment @ z,
        "centroid": rows.mean(0) @ z,
    }
    for name, value in direct.items():
        assert float(found[name]) == pytest.approx(value, rel=1e-9, abs=1e-12), name


def test_measures_of_a_law() -> None:
    tau = 0.3
    z, y, rows = units(2, 3), units(2, 3), units(6, 3).reshape(2, 3, 3)
    weights = [0.25, 0.75]
    found = of_law(weights, z.tolist(), y.tolist(), rows.tolist(), tau, 30)
    gammas, errors, tops = [], [], []
    for i in range(2):
        keys = np.vstack([y[i], rows[i]])
        p = np.exp(keys @ z[i] / tau)
        p /= p.sum()
        gammas.append(float(((p @ keys - y[i]) ** 2).sum() / tau**2))
        errors.append(1 - p[0])
        tops.append(np.linalg.eigvalsh(rows[i].T @ rows[i] / 3)[-1])
    first = np.dot(weights, gammas)
    assert float(found["mean_squared_gradient"]) == pytest.approx(first, rel=1e-10)
    spread = np.dot(weights, (np.array(gammas) - first) ** 2)
    assert float(found["gradient_variance"]) == pytest.approx(spread, rel=1e-9)
    assert float(found["epsilon"]) == pytest.approx(np.sqrt(np.dot(weights, np.square(errors))))
    assert float(found["epsilon_max"]) == pytest.approx(max(errors))
    assert float(found["sigma"]) == pytest.approx(np.dot(weights, tops))


def test_a_vector_of_length_zero_has_no_direction() -> None:
    with pytest.raises(ValueError, match="a vector is zero"):
        of_batch([[0, 0]], [1, 0])


def test_decimals_are_read_exactly() -> None:
    found = of_logits(["0.1", "1/3"], 40)
    with mpmath.workdps(50):
        offset = (mpmath.mpf(1) / 3 - mpmath.mpf(1) / 10) / 2
        assert abs(found["spread_inf"] - offset) < mpmath.mpf(10) ** -40

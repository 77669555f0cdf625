"""SupCon and Soft SupCon on classes: against embeddings optimised by plain numpy, and by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from brute_force import over_vectors
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.decide.evidence import Grade, Holds
from cltheory.derive.optimum.blocks import TOLERANCE
from cltheory.derive.optimum.duality import Certificate
from cltheory.derive.optimum.value import FaceValue
from cltheory.derive.results import results
from cltheory.derive.results.weighted._of_sizes import table
from cltheory.derive.theorem.putback import Inconsistent
from sympy import Rational, Symbol

HARD, SOFT, BALANCED = (results[k] for k in ("supcon-imbalanced", "soft-supcon", "supcon-balanced"))
#: A search that stops at gradients of 1e-9 comes so near; losses err by the square.
NEAR, NEAR_LOSS = 2e-4, 1e-8


def slow(*values: object) -> object:
    return pytest.param(*values, marks=pytest.mark.slow)


def weights(sizes: tuple[int, ...], epsilon: float = 0.0) -> np.ndarray:
    labels = np.repeat(np.arange(len(sizes)), sizes)
    w = np.where(labels[:, None] == labels[None, :], 1.0, epsilon)
    np.fill_diagonal(w, 0)
    return w / w.sum(axis=1, keepdims=True)


def loss_of(gram: np.ndarray, w: np.ndarray, tau: float) -> tuple[float, np.ndarray]:
    """The loss of a Gram matrix, and its derivative in each entry."""
    s = gram / tau
    off = np.where(np.eye(len(s), dtype=bool), -np.inf, s)
    top = off.max(axis=1, keepdims=True)
    below = np.exp(off - top)
    total = below.sum(axis=1, keepdims=True)
    value = (np.log(total) + top - (w * s).sum(axis=1, keepdims=True)).mean()
    return float(value), (below / total - w) / tau / len(s)


def search(w: np.ndarray, tau: float, d: int, seed: int) -> tuple[float, np.ndarray]:
    """The least loss that a quasi-Newton method finds over unit vectors, and their Gram matrix."""
    return over_vectors(lambda gram: loss_of(gram, w, tau), len(w), d, seed, ftol=0)


def between(gram: np.ndarray, sizes: tuple[int, ...]) -> np.ndarray:
    """Mean inner products of the samples of two classes; of one class one."""
    ends = np.cumsum((0, *sizes))
    k = range(len(sizes))
    found = [[gram[ends[i] : ends[i + 1], ends[j] : ends[j + 1]].mean() for j in k] for i in k]
    return np.array(found)


def floats(rows: list) -> np.ndarray:
    return np.array([[float(v) for v in row] for row in rows])


# --- hard labels ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "sizes, tau",
    [
        ((2, 3), "1/2"),
        ((4, 2, 2), "1/2"),
        ((3, 2, 4), "1"),
        ((2, 7, 2), "4"),
        ((2, 2, 3, 3), "1/5"),
    ],
)
def test_optimised_embeddings_are_the_optimum(sizes: tuple[int, ...], tau: str) -> None:
    w = weights(sizes)
    best, gram = search(w, float(Rational(tau)), sum(sizes), 7)
    assert best == pytest.approx(float(HARD.value("loss", sizes=sizes, tau=tau)), abs=NEAR_LOSS)
    found = floats(HARD.value("cosines", sizes=sizes, tau=tau))
    np.testing.assert_allclose(between(gram, sizes), found, rtol=0, atol=NEAR)
    spectrum = np.linalg.eigvalsh(found)
    assert spectrum.min() > -1e-12
    assert (spectrum > 1e-9).sum() == int(HARD.value("rank", sizes=sizes, tau=tau))


def test_two_classes_have_the_relation_of_their_sizes() -> None:
    names = table((5, 2, 3), Symbol)
    assert (str(names[1][2]), str(names[2][0])) == ("cross_class_2_3", "cross_class_3_5")


def test_cosines_are_in_the_order_of_sizes() -> None:
    first = floats(HARD.value("cosines", sizes=(2, 3, 5), tau=1))
    for order in ((1, 2, 0), (2, 1, 0)):
        sizes = [(2, 3, 5)[k] for k in order]
        found = floats(HARD.value("cosines", sizes=sizes, tau=1))
        np.testing.assert_array_equal(found, first[np.ix_(order, order)])


@pytest.mark.parametrize("sizes", [(4, 2, 2), *(slow(s) for s in ((9, 2, 2, 2), (3, 5, 5)))])
def test_formulas_and_numbers_agree(sizes: tuple[int, ...]) -> None:
    """A root of one equation, and the face program on the blocks: other ways to the same."""
    for tau in ("1/7", "3"):
        given = {"C": len(sizes), "n1": sizes[0], "n2": sizes[1], "tau": tau}
        numbers = HARD.with_inputs(sizes=sizes, at={"tau": tau})
        assert numbers.evidence.grade == Grade.INTERVAL
        cosines = numbers.value("cosines", 25)
        for name, number in (
            ("cosine_apart", cosines[0][1]),
            ("cosine_among", cosines[1][2]),
            ("loss", numbers.value("loss", 25)),
        ):
            assert str(HARD.value(name, 25, **given)) == str(number)


@pytest.mark.parametrize(
    "sizes, said",
    [
        ((2, 1), "each of sizes must be an integer >= 2, not 1 .a sample alone"),
        ((3,), "two classes or more"),
        (("3/2", 2), "integer >= 2"),
        (" ", "empty list"),
        ("2,oo", "each of sizes must be finite, not oo"),
    ],
)
def test_sizes_that_are_refused(sizes: object, said: str) -> None:
    with pytest.raises(DomainError, match=said) as refused:
        HARD.value("cosines", sizes=sizes, tau=1)
    assert "\n" not in str(refused.value)


def test_a_corrupted_certificate_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    made = HARD.with_inputs(sizes=(2, 3, 4), at={"tau": "1/2"})
    (least,) = made.loss.atoms(FaceValue)
    optimum = least.optimum
    right = optimum.certificate
    assert isinstance(right.check(optimum.program, TOLERANCE), Holds)
    for k in range(len(right.shares)):
        shares = list(right.shares)
        shares[k] += Rational(1, 10**5)
        wrong = replace(right, shares=tuple(shares))
        assert not isinstance(wrong.check(optimum.program, TOLERANCE), Holds)
    for k in range(len(right.multipliers)):
        multipliers = list(right.multipliers)
        multipliers[k] += Rational(1, 10**5)
        wrong = replace(right, multipliers=tuple(multipliers))
        assert not isinstance(wrong.check(optimum.program, TOLERANCE), Holds)
    start = Certificate(tuple(optimum.program.start()), right.multipliers)
    monkeypatch.setattr(type(optimum), "written", lambda self, bits: (self.program, start))
    with pytest.raises(Inconsistent):
        HARD.value("cosines", sizes=(2, 3, 4), tau="1/2")


# --- one class apart ------------------------------------------------------------------------------


# --- one size -------------------------------------------------------------------------------------
@pytest.mark.parametrize("classes, n", [(2, 2), (2, 5), (3, 2), (4, 3)])
def test_classes_of_one_size_are_a_simplex(classes: int, n: int) -> None:
    w = weights((n,) * classes)
    best, gram = search(w, 0.5, classes * n, 3)
    given = {"C": classes, "n": n, "tau": "1/2"}
    assert best == pytest.approx(float(BALANCED.value("loss", **given)), abs=NEAR_LOSS)
    expected = float(BALANCED.value("cosine", **given))
    off = between(gram, (n,) * classes)[~np.eye(classes, dtype=bool)]
    np.testing.assert_allclose(off, expected, rtol=0, atol=NEAR)
    with pytest.raises(DomainError, match="one class"):
        BALANCED.value("cosine", C=1)
    with pytest.raises(DomainError, match="alone in its class"):
        BALANCED.value("loss", C=2, n=1, tau=1)


# --- soft labels ----------------------------------------------------------------------------------
def test_up_to_the_critical_temperature_sizes_do_not_matter() -> None:
    for sizes in ((2, 2), (1, 1, 1, 7)):
        k = len(sizes)
        critical = float(SOFT.value("tau_critical", sizes=sizes, epsilon="1/10"))
        assert critical == pytest.approx(k / (k - 1) / np.log(10), abs=1e-13)
        assert critical == float(SOFT.value("tau_critical", C=k, epsilon="1/10"))
        w = weights(sizes, 0.1)
        entropy = -(w * np.log(np.where(w > 0, w, 1))).sum(axis=1).mean()
        tau = Rational(str(round(critical * 0.8, 3)))
        given = {"sizes": sizes, "epsilon": "1/10", "tau": tau}
        assert float(SOFT.value("loss", **given)) == pytest.approx(entropy, abs=1e-13)
        found = floats(SOFT.value("cosines", **given))
        beta = 1 - float(tau) * np.log(10)
        np.testing.assert_allclose(found[~np.eye(k, dtype=bool)], beta, atol=1e-13)
        labels = np.repeat(np.arange(k), sizes)
        gram = found[np.ix_(labels, labels)]
        value, slope = loss_of(gram, w, float(tau))
        assert value == pytest.approx(entropy, abs=1e-12)
        np.testing.assert_allclose(slope, 0, atol=1e-12)
        assert np.linalg.eigvalsh(found).min() > 0


@pytest.mark.parametrize(
    "sizes, tau",
    [((2, 3, 4), "1"), ((2, 2), "3"), slow((1, 2, 4), "2"), slow((3, 3, 2), "7/10")],
)
def test_beyond_it_optimised_embeddings_are_the_optimum(sizes: tuple[int, ...], tau: str) -> None:
    given = {"sizes": sizes, "epsilon": "1/10", "tau": tau}
    best, gram = search(weights(sizes, 0.1), float(Rational(tau)), sum(sizes), 11)
    assert best == pytest.approx(float(SOFT.value("loss", **given)), abs=NEAR_LOSS)
    found = floats(SOFT.value("cosines", **given))
    np.testing.assert_allclose(between(gram, sizes), found, rtol=0, atol=NEAR)
    assert float(SOFT.value("excess", **given)) > 0
    if len(set(sizes)) > 1 and len(sizes) > 2:
        assert np.ptp(found[~np.eye(len(sizes), dtype=bool)]) > 1e-3  # no simplex


def test_beyond_it_classes_of_one_size_stay_a_simplex() -> None:
    for tau in ("7/10", 2, 10):
        given = {"C": 3, "n": 2, "epsilon": "1/10", "tau": tau}
        assert float(SOFT.value("cosine", **given)) == -0.5
        best, _ = search(weights((2, 2, 2), 0.1), float(Rational(tau)), 6, 2)
        assert best == pytest.approx(float(SOFT.value("loss", **given)), abs=NEAR_LOSS)
        with pytest.raises(DomainError, match="no unit vectors have this cosine"):
            SOFT.value("beta", **given)


def test_all_optima_differ_by_one_number_and_need_as_many_dimensions_as_samples() -> None:
    given = {"C": 3, "n": 4, "epsilon": "1/10", "tau": "1/2"}
    shift, tau = float(SOFT.value("shift", **given)), 0.5
    beta = float(SOFT.value("cosine", **given))
    labels = np.repeat(np.arange(3), 4)
    gram = np.where(labels[:, None] == labels[None, :], 1.0, beta)
    w, ones = weights((4, 4, 4), 0.1), np.ones((12, 12)) - np.eye(12)
    least = loss_of(gram, w, tau)[0]
    for part, rank in ((0, 3), (0.5, 12), (1, 11)):
        other = gram - part * shift * ones
        spectrum = np.linalg.eigvalsh(other)
        assert spectrum.min() > -1e-12 and (spectrum > 1e-9).sum() == rank
        assert loss_of(other, w, tau)[0] == pytest.approx(least, abs=1e-14)
    assert np.linalg.eigvalsh(gram - 1.01 * shift * ones).min() < -1e-4
    assert np.linalg.eigvalsh(gram + 0.01 * ones).min() < -1e-3
    assert int(SOFT.value("unique_up_to", **given)) == 10
    exact = {"sizes": (3, 1), "epsilon": "exp(-4)", "tau": "1/2"}  # at tau_critical
    assert int(SOFT.value("rank", **exact)) == 1
    assert int(SOFT.value("rank", **{**exact, "tau": "49/100"})) == 2
    assert int(SOFT.value("unique_up_to", sizes=(2, 3, 4), epsilon="1/10", tau="1/2")) == 7

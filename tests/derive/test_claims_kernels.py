"""Families of similarities, queries, pair graphs and views, and the named checks of kernels: each
against a recomputation with NumPy, and each check on wrong input."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from cltheory.derive.language.evaluate import Scene, value
from cltheory.derive.language.nodes import Name
from cltheory.derive.language.parser import expression
from cltheory.derive.language.quantities import NoValue, text
from cltheory.derive.papers.form.family import load
from cltheory.derive.papers.form.hypotheses import PREDICATES, SYMBOLS
from cltheory.derive.papers.form.run import CHECKS
from cltheory.derive.papers.tan2024spectral.sets import (
    adjacency,
    largest_entropy,
    largest_sum,
)
from cltheory.derive.papers.tan2024spectral.subgraphs import law
from records import family_named
from sympy import Integer, Rational

load("cltheory.derive.papers.tan2024spectral")
PSI = [
    (Fraction(1), Fraction(2), Fraction(0)),
    (Fraction(2), Fraction(1), Fraction(1, 2)),
    (Fraction(0), Fraction(1), Fraction(3)),
    (Fraction(1), Fraction(1), Fraction(1)),
    (Fraction(2), Fraction(2), Fraction(-1)),
]


def simplex(n: int, steps: int) -> np.ndarray:
    """All distributions on n points whose entries are multiples of 1 / steps."""
    every = [a for a in product(range(steps + 1), repeat=n) if sum(a) == steps]
    return np.array(every) / steps


def entropies(alpha: np.ndarray) -> np.ndarray:
    return -np.where(alpha > 0, alpha * np.log(np.where(alpha > 0, alpha, 1)), 0).sum(1)


@pytest.mark.parametrize("psi", PSI)
def test_the_programs_have_the_values_of_a_grid(psi: tuple[Fraction, ...]) -> None:
    # A grid of step 1/200 is within 0.01 of the largest value of either program.
    alpha, numbers = simplex(3, 200), np.array([float(v) for v in psi])
    inside = alpha[alpha @ numbers >= numbers[0] - 1e-12]
    best = entropies(inside).max()
    assert best - 1e-12 <= float(largest_entropy(psi)) <= best + 0.01
    for tau in (0.3, 2.0):
        best = (tau * entropies(alpha) + alpha @ numbers - numbers[0]).max()
        assert best - 1e-12 <= float(largest_sum(psi, mpmath.mpf(tau))) <= best + 0.01


def test_the_programs_of_one_candidate() -> None:
    assert largest_entropy((Fraction(3),)) == 0
    assert abs(largest_sum((Fraction(3),), mpmath.mpf(2))) < 1e-12


def test_subgraphs_are_drawn_in_proportion() -> None:
    weights = [[Fraction(v) for v in row] for row in ((0, 1, 2), (1, 0, 1), (5, 0, 0))]
    assert dict(law(tuple(map(tuple, weights)))) == {
        (1, 0, 0): Fraction(1, 6),
        (1, 2, 0): Fraction(1, 6),
        (2, 0, 0): Fraction(1, 3),
        (2, 2, 0): Fraction(1, 3),
    }
    with pytest.raises(NoValue):
        law(((0, 1), (0, 0)))


def test_weights_of_a_pair_graph() -> None:
    e = next(t for t in family_named("a pair graph").make({"m": 3, "n": 2}) if "any" in t.note)
    edges = np.array([[float(v) for v in row] for row in e.entries["e"]])  # type: ignore[attr-defined]
    full = np.block([[np.zeros((3, 3)), edges], [edges.T, np.zeros((2, 2))]])
    assert np.array_equal(full, np.array(adjacency(edges.astype(int).tolist()), dtype=float))
    named = family_named("a pair graph").named(e)
    for i, j in product(range(5), repeat=2):
        wanted = full[i, j] / max(full[i].sum(), 1)
        assert float(named["w"](i + 1, j + 1)) == pytest.approx(wanted)
    joined = edges.any(0).all() and edges.any(1).all()
    assert PREDICATES["joined(E)"](e) == joined


def test_halves_of_views() -> None:
    (e,) = [t for t in family_named("views").make({"N": 2}) if t.note == "a rectangle"]
    named = family_named("views").named(e)
    assert named["a"](1, 3) == named["b"](1, 2) == 0
    assert named["a"](1, 2) + named["b"](1, 2) == Fraction(36, 25)


def test_predicates_of_similarities() -> None:
    by_note = {t.note: t for t in family_named("similarities").make({"n": Integer(3)})}
    assert PREDICATES["alone(S)"](by_note["the first largest, alpha uniform"])
    assert not PREDICATES["alone(S)"](by_note["a tie with the first, alpha uniform"])
    assert PREDICATES["spread(A)"](by_note["all equal, alpha uniform"])
    assert not PREDICATES["spread(A)"](by_note["all equal, alpha at the first"])


def test_a_multiplier_is_a_letter_and_an_eigenvalue_is_none() -> None:
    assert expression(r"\lambda") == Name("lam")
    assert expression(r"\lambda_k").base == "lambda"
    half = Scene({"lam": Fraction(1, 2)})
    assert value(expression(r"1 - \lambda"), half) == Fraction(1, 2)


def test_a_derivative_that_is_not_real_has_no_value() -> None:
    # The rules give log(x - 1) at x = 1/2, which is a complex number.
    tree = expression(r"\frac{\partial}{\partial x} ((x - 1) \log (x - 1))")
    with pytest.raises(NoValue, match="no real number"):
        value(tree, Scene({"x": Fraction(1, 2)}, symbols=SYMBOLS))
    assert value(tree, Scene({"x": Fraction(2)}, symbols=SYMBOLS)) == 1


def test_a_rounded_zero_is_shown_as_zero() -> None:
    assert text(mpmath.mpf(10) ** -51) == "0.0"
    assert text(mpmath.mpf(10) ** -12) == "1.0e-12"


# --- named checks --------------------------------------------------------------------------------
def answer(name: str, at: dict[str, object], **given: object) -> bool:
    return bool(CHECKS[name](at, given).holds)


@pytest.mark.parametrize(
    ("power", "holds"),
    [("1/2", True), ("1", True), ("2", True), ("9/4", False), ("3", False), ("-1/2", False)],
)
def test_exponential_kernels_are_definite_up_to_two(power: str, holds: bool) -> None:
    assert answer("kernel is positive definite", {}, power=Fraction(power)) == holds


def test_a_sum_with_a_kernel_that_is_not_definite() -> None:
    at = {"tau_1": Rational(50), "tau_2": Rational(1, 50)}
    good = {"first": Fraction(2), "last": Fraction(1)}
    assert answer("sum of kernels is positive definite", at, **good)
    for wrong in (Fraction(3), Fraction(-1)):
        assert not answer("sum of kernels is positive definite", at, **{**good, "first": wrong})


def test_concatenation_vanishes_on_rectangles() -> None:
    at = {"tau_1": Rational(2), "tau_2": Rational(1, 3)}
    assert answer("concatenation on rectangles", at, value=Fraction(0))
    assert not answer("concatenation on rectangles", at, value=Fraction(1, 10**30))


def test_clip_has_other_minimisers_than_the_printed_objective() -> None:
    name = "CLIP and spectral clustering have the same minimisers"
    for tau in (Rational(1, 2), Integer(1), Integer(2)):
        here = {"tau": tau}
        assert answer(name, here, factor=Fraction(1) / Fraction(str(tau)))
        assert answer(name, here, factor=Fraction(1)) == (tau == 1)


def test_clusters_are_counted() -> None:
    at = {"N": Integer(3), "m": Integer(1), "n": Integer(2)}
    assert answer("clusters of the augmented pair graph", at, least=Fraction(3))
    assert not answer("clusters of the augmented pair graph", at, least=Fraction(4))


def test_eigenvalues_of_the_mean_graph() -> None:
    m, n = 3, 4
    at = {"m": Integer(m), "n": Integer(n)}
    assert answer("bottom eigenvectors of the clusters", at, dimension=Fraction(2))
    assert not answer("bottom eigenvectors of the clusters", at, dimension=Fraction(1))
    assert not answer("bottom eigenvectors of the clusters", at, dimension=Fraction(0))


def test_tables_of_the_experiments() -> None:
    better = {"table": Fraction(1), "least": Fraction(4)}
    assert answer("better than the first row", {}, **better)
    assert not answer("better than the first row", {}, **{**better, "least": Fraction(2)})
    assert not answer("better than the first row", {}, **{**better, "table": Fraction(2)})
    assert answer("best on average", {}, row=Fraction(4))
    assert not answer("best on average", {}, row=Fraction(5))
    assert answer("best of a column", {}, value=Fraction("83.85"), column=Fraction(2))
    assert not answer("best of a column", {}, value=Fraction("83.23"), column=Fraction(2))
    assert not answer("best of a column", {}, value=Fraction("83.85"), column=Fraction(7))

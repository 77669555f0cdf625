"""The entropic bound of a matrix of weights, and the results on distance geometry."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from cltheory.derive.decide.domain import Domain, DomainError
from cltheory.derive.decide.evidence import Holds, Refuted
from cltheory.derive.proof.derivation import Derivation, StepFailed
from cltheory.derive.proof.relations import eq
from cltheory.derive.results import results
from cltheory.derive.results._for_data import NUMBERS
from cltheory.derive.results.weighted import _distances, dgp_euclidean
from cltheory.derive.results.weighted._distances import (
    COSINE,
    DISTANCE,
    ENTRY,
    Eigenvalues,
    Placed,
    signs_of_sphere,
)
from cltheory.derive.vectors.distance import Dissimilarity
from sympy import Integer, Rational, S, Tuple, exp, sqrt

SEED = 20261122
PLANE, SPHERE = (results[id] for id in ("dgp-euclidean", "dgp-spherical"))
SQUARE = "0,1,2,1;1,0,1,2;2,1,0,1;1,2,1,0"


# --- distances -----------------------------------------------------------------------------------
def test_quantities_of_a_matrix() -> None:
    D = "0,1,5;1,0,1;5,1,0"
    assert PLANE.value("attained", D=D, q=1) is True
    assert PLANE.value("c", D=D, q=1, digits=20) == pytest.approx(1 / 3)
    assert str(PLANE.value("c_set", D=D, q=1)) == "c in {0.333333333333333}"
    assert PLANE.value("is_edm", D=D) is False
    assert PLANE.value("dimension", D=D) == 1
    assert [float(e) for e in PLANE.value("eigenvalues", D=D)] == pytest.approx([-1 / 6, 5 / 2])
    assert [row[0] for row in PLANE.value("embedding", D=D, q=1)][1] == 0
    z = np.array(PLANE.value("embedding", D=D, q=1), dtype=float)
    assert ((z[:, None] - z[None]) ** 2).sum(-1)[0, 2] == pytest.approx(5 + 1 / 3)
    assert (PLANE.value("points", q=2), PLANE.value("points_edm", q=2)) == (7, 5)
    assert PLANE.value("points_nonnegative", q=2) == 6


def test_what_is_missing_is_named() -> None:
    with pytest.raises(DomainError, match="attained is found for numerical values: give q"):
        PLANE.value("attained", D=SQUARE)
    with pytest.raises(DomainError, match="give tau"):
        SPHERE.value("attained", D=SQUARE, q=2)


# --- checkers ------------------------------------------------------------------------------------
def test_wrong_eigenvalues_are_refused() -> None:
    of, here = Dissimilarity("0,1,5;1,0,1;5,1,0"), Domain({}, {})

    def outcome(*rows: tuple[Any, int]) -> Any:
        shown = Tuple(*(Tuple(value, Integer(k)) for value, k in rows))
        return Eigenvalues(shown, here, of).decide()

    low, high = Rational(-1, 6), Rational(5, 2)
    assert isinstance(outcome((low, 1), (high, 1)), Holds)
    wrong: list[tuple[tuple[Any, int], ...]] = [
        ((low, 2),),
        ((low, 1),),
        ((low, 1), (high + 1, 1)),
        ((-low, 1), (high, 1)),
        ((low + Rational(1, 10**30), 1), (high, 1)),
        ((high, 1), (low, 1)),
    ]
    assert all(isinstance(outcome(*rows), Refuted) for rows in wrong)


def test_wrong_radii_are_told() -> None:
    square, simplex = Dissimilarity(SQUARE), Dissimilarity("0,1,1;1,0,1;1,1,0")
    assert signs_of_sphere(square, sqrt(2) / 2) == (2, 0, 2)
    assert signs_of_sphere(square, S.Half)[1]
    for larger in (S.One, sqrt(Rational(1, 2) + Rational(1, 10**30))):
        assert signs_of_sphere(square, larger) == (3, 0, 1)
    assert signs_of_sphere(simplex, 1 / sqrt(3)) == (2, 0, 1)
    assert SPHERE.value("radius", D="0,1,1;1,0,1;1,1,0") == pytest.approx(3**-0.5)


def test_misplaced_points_are_refused() -> None:
    D = Dissimilarity("0,1,9;1,0,4;9,4,0")
    right = Placed(eq(DISTANCE, ENTRY), NUMBERS, D, ((S.Zero,), (S.One,), (Integer(3),)))
    assert isinstance(right.decide(), Holds)
    assert isinstance(right.saying(eq(DISTANCE, ENTRY + 1)).decide(), Refuted)
    assert not isinstance(right.saying(eq("x", ENTRY)).decide(), Holds)
    for moved in (Integer(4), Integer(3) + exp(-100)):
        wrong = replace(right, rows=(*right.rows[:2], (moved,)))
        assert isinstance(wrong.decide(), Refuted)
    axes = ((S.One, S.Zero), (S.Zero, S.One))
    apart = Placed(eq(COSINE, 1 - ENTRY), NUMBERS, Dissimilarity("0,1;1,0"), axes)
    assert isinstance(apart.decide(), Holds)
    longer = replace(apart, rows=((S.One, S.Zero), (S.Zero, Integer(2))))
    assert isinstance(longer.decide(), Refuted)


def test_float_distances_are_near_and_not_attained() -> None:
    """Distances of points rounded to floats are none exactly; how near they are is said."""
    chance = random.Random(SEED)
    z = np.array([[chance.gauss(0, 1) for _ in range(2)] for _ in range(6)])
    D = ((z[:, None] - z[None]) ** 2).sum(-1)
    D = (D + D.T) / 2
    assert not PLANE.value("attained", D=D, q=2)
    assert 0 < PLANE.value("defect", D=D, q=2) < 1e-14


@pytest.mark.parametrize("off", [-1, 1])
def test_another_count_weights_is_refused(off: int, monkeypatch: pytest.MonkeyPatch) -> None:
    fewest = _distances.fewest
    monkeypatch.setattr(_distances, "fewest", lambda *of: fewest(*of) + off)
    with pytest.raises(StepFailed):
        dgp_euclidean.general(Derivation())

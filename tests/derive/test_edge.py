"""Edges: the root, what is asked of the others there, and wrong statements."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from cltheory.derive.decide.digits import sign
from cltheory.derive.decide.domain import Domain, DomainError
from cltheory.derive.decide.evidence import Grade, Holds
from cltheory.derive.decide.root import ClampedRoot
from cltheory.derive.losses.pairwise import PairTerm, PairwiseLoss, c
from cltheory.derive.losses.softmax import tau
from cltheory.derive.losses.supcl import alpha
from cltheory.derive.optimum.condition import OptimalIff
from cltheory.derive.optimum.edge import (
    Edge,
    edge,
)
from cltheory.derive.optimum.reduction import at_values
from cltheory.derive.optimum.segment_facts import Active
from cltheory.derive.problems.catalogue import CATALOGUE
from cltheory.derive.problems.problem import Problem
from cltheory.derive.proof.derivation import Derivation, StepFailed
from cltheory.derive.proof.relations import Iff, eq, ge, gt
from cltheory.derive.proof.same_sign import SameSign
from cltheory.derive.structures.hierarchy import m, n, p
from cltheory.derive.structures.towers import N, towers
from random_softmax import draw
from scipy.optimize import minimize_scalar
from sympy import Integer, Rational, S, Tuple, exp

EXCLUSIVE = CATALOGUE["supcl-exclusive"]
NUMBERS = {m: S(3), n: S(4), p: S(2), tau: Rational(1, 5), alpha: Rational(1, 2)}


def on(problem: Problem, names: tuple[str, str]) -> Edge:
    """The edge from the side from which an inner product falls."""
    for pair in (names, names[::-1]):
        try:
            return edge(problem, pair, Derivation())
        except DomainError as error:
            refused = error
    raise refused


# --- against brute force -------------------------------------------------------------------------
@pytest.mark.parametrize(
    "seed", [3, 4, *(pytest.param(k, marks=pytest.mark.slow) for k in range(3))]
)
def test_the_root_is_where_the_loss_is_least_on_the_edge(seed: int) -> None:
    drawn = draw(seed)
    for names in combinations(drawn.spaces, 2):
        found = on(drawn.problem, names)
        ends = [np.eye(len(drawn.spaces))[drawn.spaces.index(e)] for e in found.names]

        def along(share: float, ends: list[np.ndarray] = ends, drawn: object = drawn) -> float:
            return drawn.loss((1 - share) * ends[0] + share * ends[1])

        best = minimize_scalar(along, bounds=(0, 1), method="bounded", options={"xatol": 1e-9})
        least = min(best.fun, along(0), along(1))
        place = float(found.position.evalf(20)) / float(found.segment.length)
        assert along(place) == pytest.approx(least, abs=1e-9)
        assert float(found.loss.evalf(20)) == pytest.approx(least, abs=1e-9)
        shares = (1 - place) * ends[0] + place * ends[1]
        g = drawn.gram(shares)
        for r, value in found.inner.items():
            where = np.argwhere(drawn.table[0] == drawn.relations.index(r))[0][0]
            assert float(value.evalf(20)) == pytest.approx(g[0, where], abs=1e-9)


@pytest.mark.parametrize(
    "seed", [3, 4, *(pytest.param(k, marks=pytest.mark.slow) for k in range(3))]
)
def test_conditions_at_the_root_are_rates_of_the_loss(seed: int) -> None:
    """Towards another eigenspace the loss changes with the sign of the condition."""
    drawn = draw(seed)
    step = 1e-6  # rates that are compared are larger than 1e-4
    for names in combinations(drawn.spaces, 2):
        found = on(drawn.problem, names)
        ends = [np.eye(len(drawn.spaces))[drawn.spaces.index(e)] for e in found.names]
        place = float(found.position.evalf(20)) / float(found.segment.length)
        here = (1 - place) * ends[0] + place * ends[1]
        for other, condition in found.conditions.items():
            target = np.eye(len(drawn.spaces))[drawn.spaces.index(other)]
            rate = (drawn.loss((1 - step) * here + step * target) - drawn.loss(here)) / step
            if abs(rate) < 1e-4:
                continue
            at_root = condition.expression
            if found.along[other] is condition:  # it is decided for the whole edge
                at_root = at_root.xreplace({found.x: found.position})
            assert sign(at_root) == (1 if rate > 0 else -1), (names, other)


# --- on whole domains ----------------------------------------------------------------------------
def test_others_are_proved_zero_along_the_edge_where_they_are() -> None:
    found = on(CATALOGUE["supcl"], ("classes", "instances"))
    assert found.is_whole and found.verdict == "strict"
    assert found.along["views"].when == "for p >= 2"
    assert found.proof.evidence.grade is Grade.EXACT
    assert found.segment.coordinate == "same_class"


def test_an_edge_that_is_not_active_all_along_is_still_decided_at_its_root() -> None:
    found = on(EXCLUSIVE, ("classes", "instances"))
    assert not found.is_whole and found.along["views"].verdict == "open"
    assert found.conditions["views"].expression.has(ClampedRoot)
    at = on(at_values(EXCLUSIVE, NUMBERS), ("classes", "instances"))
    assert sign(at.conditions["views"].expression) == 1


def test_a_root_where_others_are_wanted_is_no_optimum() -> None:
    at = on(at_values(EXCLUSIVE, NUMBERS), ("mean", "instances"))
    there = at.along["classes"].expression.xreplace({at.x: at.position})
    assert sign(there) == -1


def test_a_slope_of_one_sign_has_its_least_point_at_an_end() -> None:
    found = on(CATALOGUE["supcon"], ("classes", "instances"))
    assert found.position == 0
    assert on(CATALOGUE["clip"], ("shared_contrasts", "differing_means")).position == 0


def test_a_straight_slope_is_solved() -> None:
    found = on(CATALOGUE["spectral"], ("shared_contrasts", "shared_mean"))
    assert found.position == 1 and not found.position.has(ClampedRoot)
    assert {r: found.inner[r] for r in ("positive", "negative")} == {"positive": 1, "negative": 0}


def test_what_is_no_edge_is_refused() -> None:
    for names in (("classes", "classes"), ("classes", "moons")):
        with pytest.raises(DomainError, match="are not two of the eigenspaces"):
            edge(EXCLUSIVE, names, Derivation())
    with pytest.raises(DomainError, match="no inner product is proved to fall"):
        edge(EXCLUSIVE, ("classes", "mean"), Derivation())
    with pytest.raises(DomainError, match="does not move"):
        edge(EXCLUSIVE, ("classes", "instances"), Derivation(), coordinate="same_instance")


# --- wrong statements ----------------------------------------------------------------------------
@pytest.fixture(scope="module")
def exclusive() -> Edge:
    return on(EXCLUSIVE, ("classes", "instances"))


def test_a_forgotten_eigenspace_is_refused(exclusive: Edge) -> None:
    says = next(s.says for s in exclusive.proof if isinstance(s.says, OptimalIff))
    assert isinstance(says.decide(), Holds)
    place, compared = says.shown.args
    for wrong in (
        Iff(place, Tuple(*compared.args[1:])),
        Iff(eq("share_views", 1), compared),
        Iff(place, Tuple(*(gt(*k.args) for k in compared.args))),
        Iff(place, Tuple(*compared.args, ge("theta_classes", "y"))),
        compared,
    ):
        assert not isinstance(says.saying(wrong).decide(), Holds)


def test_a_wrong_condition_is_refused(exclusive: Edge) -> None:
    says = next(s.says for s in exclusive.proof if isinstance(s.says, SameSign))
    compared, relation = says.shown.args
    right = relation.args[0]
    for wrong in (-right, 2 * right, right + exp(-1 / tau), right.subs(exclusive.x, 0)):
        assert not isinstance(says.saying(Iff(compared, ge(wrong, 0))).decide(), Holds), wrong
    for other in (gt(right, 0), ge(right, 1)):
        assert not isinstance(says.saying(Iff(compared, other)).decide(), Holds)
    assert not isinstance(says.saying(Iff(ge("theta_mean", "y"), relation)).decide(), Holds)
    turned = says.saying(Iff(compared, ge(-right, 0)))
    assert not isinstance(replace(turned, over=-says.over).decide(), Holds)


def test_what_is_not_zero_along_an_edge_is_not_said_to_be(exclusive: Edge) -> None:
    says = next(s.says for s in exclusive.proof if isinstance(s.says, Active))
    assert isinstance(says.decide(), Holds)
    assert not isinstance(says.saying(eq("lambda_views", 0)).decide(), Holds)
    wrong = Active.from_segment(exclusive.reduced, exclusive.segment, True, says.domain, ("views",))
    assert not isinstance(wrong.decide(), Holds)


def test_a_loss_that_is_not_convex_has_no_edge() -> None:
    loss = PairwiseLoss("hill", "", (PairTerm("positive", -(c**2), S.One),), "")
    problem = Problem(
        loss, towers(), Domain({N: CATALOGUE["siglip"].domain.ranges[N]}, {N: Integer(4)})
    )
    with pytest.raises(StepFailed, match="convex"):
        edge(problem, ("shared_contrasts", "differing_means"), Derivation())

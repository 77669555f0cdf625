"""Pure structures: when they are optimal, against brute force and against wrong statements."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from brute_force import gram
from cltheory.derive.decide.domain import POSITIVE, Domain, DomainError, at_least, between
from cltheory.derive.decide.evidence import Grade, Holds, Outcome
from cltheory.derive.losses.softmax import SoftmaxLoss, SoftmaxTerm, tau
from cltheory.derive.losses.supcl import alpha
from cltheory.derive.optimum.condition import OptimalIff, without_positive_factors
from cltheory.derive.optimum.phases import state_only
from cltheory.derive.optimum.reduce import ReducedLoss
from cltheory.derive.optimum.reduction import at_values, where_positive
from cltheory.derive.optimum.vertex import (
    Pure,
    UniqueGram,
    Vertex,
    vertex,
)
from cltheory.derive.problems.catalogue import CATALOGUE
from cltheory.derive.problems.problem import Problem
from cltheory.derive.proof.derivation import Derivation, StepFailed
from cltheory.derive.proof.relations import Iff, eq, ge, gt
from cltheory.derive.proof.same_sign import SameSign
from cltheory.derive.results import results
from cltheory.derive.structures.hierarchy import CLASSES, INSTANCES, VIEWS, hierarchy, m, n, p
from random_softmax import Drawn, draw
from sympy import Expr, Interval, Max, Rational, S, Symbol, Tuple, exp

EXCLUSIVE, PHASES = CATALOGUE["supcl-exclusive"], results["phases"]


def found(name: str, eigenspace: str) -> Vertex:
    return vertex(CATALOGUE[name], eigenspace, Derivation())


# --- against brute force -----------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(12))
def test_conditions_are_rates_of_the_loss(seed: int) -> None:
    """A condition has the sign of the loss's rate of change towards the other eigenspace."""
    drawn = draw(seed)
    step = 1e-6  # the rates that are compared are larger than 1e-4
    for k, space in enumerate(drawn.spaces):
        v = vertex(drawn.problem, space, Derivation())
        for other, condition in v.conditions.items():
            shares = np.zeros(len(drawn.spaces))
            shares[k], shares[drawn.spaces.index(other)] = 1 - step, step
            start = np.eye(len(drawn.spaces))[k]
            rate = (drawn.loss(shares) - drawn.loss(start)) / step
            if abs(rate) < 1e-4:
                continue
            assert np.sign(float(condition.expression)) == np.sign(rate), (space, other)
            assert condition.verdict == ("strict" if rate > 0 else "never")


@pytest.mark.parametrize("seed", range(6))
def test_the_loss_of_a_vertex_is_that_of_its_gram_matrix(seed: int) -> None:
    drawn = draw(seed)
    for k, space in enumerate(drawn.spaces):
        v = vertex(drawn.problem, space, Derivation())
        assert float(v.loss) == pytest.approx(drawn.loss(np.eye(len(drawn.spaces))[k]), abs=1e-10)


def test_the_interval_of_the_exclusive_loss_has_two_proved_borders() -> None:
    where = PHASES.with_inputs(loss="supcl-exclusive").quantity("classes_for_alpha").expression
    assert isinstance(where, Interval) and not (where.left_open or where.right_open)
    assert where.start.has(Max) and 0 in where.start.args
    point = {m: S(3), n: S(2), p: S(2), tau: Rational(1, 3)}
    low, high = (float(e.xreplace(point)) for e in (where.start, where.end))
    assert 0 < low < high < 1
    drawn = Drawn.of(EXCLUSIVE, {k.name: float(value) for k, value in point.items()})
    here = np.array([0.0, 0.0, 1.0, 0.0])
    for weight, inside in ((low - 1e-3, False), (low + 1e-3, True), (high + 1e-3, False)):
        at = drawn.with_values(alpha=weight)
        assert bool(at.least() > at.loss(here) - 1e-9) is inside


def test_the_interval_of_supcl_is_the_threshold_of_the_paper() -> None:
    where = PHASES.quantity("classes_for_alpha").expression
    printed = results["supcl-threshold"].quantity("alpha_min").expression
    point = {m: S(7), n: S(5), tau: Rational(2, 7)}
    assert (where.end - printed).xreplace(point).equals(0)
    assert where.start == 0 and not where.right_open


# --- what is decided everywhere ------------------------------------------------------------------
@pytest.mark.parametrize(
    "name, eigenspace, verdict",
    [
        ("supcon", "classes", "strict"),
        ("supcon", "instances", "never"),
        ("simclr", "instances", "strict"),
        ("dcl", "instances", "strict"),
        ("sincere", "classes", "strict"),
        ("supcl", "views", "never"),
        ("supcl", "classes", "open"),
        ("cnce", "instances", "strict"),
        ("clip", "shared_contrasts", "strict"),
        ("clip", "differing_means", "never"),
        ("siglip", "differing_contrasts", "never"),
    ],
)
def test_verdicts(name: str, eigenspace: str, verdict: str) -> None:
    v = found(name, eigenspace)
    assert v.verdict == verdict
    assert v.proof.evidence.grade is Grade.EXACT


def test_a_zero_condition_holds_but_is_not_strict() -> None:
    """With no pull and no push on other classes, they may lie anywhere."""
    own = ("self", "same_instance", "same_class")
    loss = SoftmaxLoss("own", "", (SoftmaxTerm(S.One, ("same_class",), own),), tau, "")
    problem = Problem(loss, hierarchy(), CATALOGUE["supcon"].domain)
    v = vertex(problem, "classes", Derivation())
    assert v.conditions["mean"].verdict == "holds"
    assert v.verdict == "holds"


def test_one_view_has_no_contrasts() -> None:
    v = found("supcl", "classes")
    assert v.conditions["views"].when == "for p >= 2" and v.conditions["instances"].when == ""
    alone = at_values(CATALOGUE["supcl"], {p: S.One})
    at_one = vertex(alone, "classes", Derivation())
    assert set(at_one.conditions) == {"instances", "mean"}
    assert "same_instance" not in at_one.inner
    with pytest.raises(DomainError, match="eigenspace 'views' does not exist"):
        vertex(alone, "views", Derivation())
    with pytest.raises(DomainError, match="p must be"):
        at_values(CATALOGUE["simclr"], {p: S.One})


def test_where_a_dimension_is_positive() -> None:
    domain = Domain({p: at_least(1), n: at_least(2)}, {p: 1, n: 2})
    part = where_positive(n * (p - 1), domain)
    assert part is not None and part.ranges[p] == at_least(2)
    assert where_positive(n - 1, domain) is domain
    assert where_positive(S.Zero, domain) is None
    with pytest.raises(DomainError, match="not known where"):
        where_positive((p - 1) * (p - 2), domain)


def unique(name: str, structure: str) -> Outcome:
    at = found(name, structure)
    return UniqueGram.from_loss(at.reduced, at.domain, at.inner).decide()


def test_uniqueness_needs_every_relation_felt() -> None:
    assert isinstance(unique("supcl", "classes"), Holds)
    assert isinstance(unique("simclr", "instances"), Holds)
    assert not isinstance(unique("cnce", "instances"), Holds)
    assert not isinstance(unique("siglip", "shared_contrasts"), Holds)


def test_four_levels() -> None:
    sups = Symbol("s", integer=True, positive=True)
    scheme = hierarchy(VIEWS, INSTANCES, CLASSES, (sups, "cross_superclass", "superclasses"))
    every = tuple(r.name for r in scheme.relations)
    loss = SoftmaxLoss("four", "", (SoftmaxTerm(S.One, ("cross_class",), every),), tau, "")
    domain = CATALOGUE["supcon"].domain.with_range(sups, at_least(2), 2)
    v = vertex(Problem(loss, scheme, domain), "superclasses", Derivation())
    assert v.verdict == "strict" and len(v.conditions) == 4


# --- wrong statements ---------------------------------------------------------------------------
def statement(kind: type) -> tuple[Vertex, object]:
    v = found("supcl-exclusive", "classes")
    return v, next(s.says for s in v.proof if isinstance(s.says, kind))


def test_wrong_inner_products_are_refused() -> None:
    _, says = statement(Pure)
    assert isinstance(says.decide(), Holds)
    first, *rest = says.shown.args
    for wrong in (
        Tuple(eq(first.args[0], first.args[1] + 1), *rest),
        Tuple(*rest),
        Tuple(first, *rest, eq("g_self", 2)),
    ):
        assert not isinstance(says.saying(wrong).decide(), Holds)
    assert not isinstance(replace(says, name="instances").decide(), Holds)


def test_a_forgotten_eigenspace_is_refused() -> None:
    _, says = statement(OptimalIff)
    assert isinstance(says.decide(), Holds)
    place, compared = says.shown.args
    for wrong in (
        Iff(place, Tuple(*compared.args[1:])),
        Iff(eq("share_views", 1), compared),
        Iff(place, Tuple(*compared.args, ge("theta_classes", "theta_views"))),
        Iff(place, Tuple(*(gt(*c.args) for c in compared.args))),
        place,
    ):
        assert not isinstance(says.saying(wrong).decide(), Holds)


@pytest.mark.parametrize("change", [-1, 2, S.Zero])
def test_a_wrong_condition_is_refused(change: Expr) -> None:
    _, says = statement(SameSign)
    compared, relation = says.shown.args
    right = relation.args[0]
    for wrong in (right * change, right + change * exp(-1 / tau) + change, right.subs(m, m + 1)):
        if wrong == right:
            continue
        outcome = says.saying(Iff(compared, ge(wrong, 0))).decide()
        assert not isinstance(outcome, Holds), wrong
    for wrong in (gt(right, 0), ge(right, 1), ge(0, right)):
        assert not isinstance(says.saying(Iff(compared, wrong)).decide(), Holds)
    assert not isinstance(
        says.saying(Iff(ge("theta_mean", "theta_views"), relation)).decide(), Holds
    )
    turned = says.saying(Iff(compared, ge(-right, 0)))
    assert not isinstance(replace(turned, over=-says.over).decide(), Holds)


def test_a_factor_that_may_change_sign_is_not_left_out() -> None:
    domain = Domain({alpha: between(0, 1), tau: POSITIVE}, {alpha: Rational(1, 3), tau: 1})
    for expression in (
        (alpha - Rational(1, 2)) * exp(-1 / tau),
        (alpha - 2) * (2 * alpha - 1) / tau,
        -(alpha + 1) * (1 - 3 * alpha) * exp(1 / tau),
    ):
        left, over = without_positive_factors(expression, domain)
        for point in domain.generic_points(8):
            values = [e.xreplace(point).evalf(20) for e in (expression, left, over)]
            assert values[2] > 0 and abs(values[0] - values[1] * values[2]) < 1e-15


def test_uniqueness_is_not_stated_of_what_is_left_out() -> None:
    v = found("cnce", "instances")
    says = UniqueGram.from_loss(v.reduced, v.domain)
    assert not isinstance(says.decide(), Holds)
    with pytest.raises(StepFailed):
        Derivation().add("unique", says, "")


def test_what_is_no_vertex_is_refused() -> None:
    with pytest.raises(DomainError, match="eigenspace 'moons' does not exist"):
        found("supcl", "moons")
    with pytest.raises(DomainError, match="has a kink"):
        found("hinge", "shared_contrasts")


def test_brute_force_agrees_with_the_blocks_of_ones() -> None:
    """The random losses are evaluated by other projections than those of the brute force."""
    drawn = Drawn.of(CATALOGUE["supcl"], {"m": 3, "n": 2, "p": 2})
    shares = np.array([0.1, 0.2, 0.4, 0.3])
    assert drawn.gram(shares) == pytest.approx(gram(3, 2, 2, shares), abs=1e-12)


def test_a_loss_that_is_not_convex_has_no_optimal_vertex() -> None:
    _, says = statement(OptimalIff)
    others = ("same_instance", "same_class", "cross_class")
    hill = SoftmaxLoss("hill", "", (SoftmaxTerm(-S.One, ("same_class",), others),), tau, "")
    wrong = replace(says, reduced=ReducedLoss(hill, says.reduced.scheme))
    with pytest.raises(DomainError, match="weight -1 of the logarithm"):
        wrong.decide()


def test_a_vertex_that_may_be_left_is_not_the_only_optimum() -> None:
    for name, eigenspace in (("supcl", "classes"), ("supcon", "instances")):
        proof = Derivation()
        assert not state_only(found(name, eigenspace), proof) and not list(proof.steps)
    assert state_only(found("supcon", "classes"), Derivation())

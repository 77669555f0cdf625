"""Faces as sizes go to infinity, borders between edges and faces, and zero at a root."""

from __future__ import annotations

from dataclasses import replace

import mpmath
import numpy as np
import pytest
from cltheory.derive.decide.at_root import vanishes_at_root
from cltheory.derive.decide.ball import NotEnclosed, enclosure
from cltheory.derive.decide.domain import DomainError, between
from cltheory.derive.decide.evidence import Grade, Holds
from cltheory.derive.decide.root import ClampedRoot
from cltheory.derive.losses.pairwise import PairTerm, PairwiseLoss, c
from cltheory.derive.losses.softmax import tau
from cltheory.derive.optimum.crossing import AtCrossing
from cltheory.derive.optimum.far import BOUND, EXCESS, FarLimits
from cltheory.derive.optimum.phases import optimum, optimum_far
from cltheory.derive.optimum.reduction import at_values
from cltheory.derive.problems.catalogue import CATALOGUE
from cltheory.derive.problems.domains import SIZES
from cltheory.derive.problems.domains import VIEWS as VIEWS_NEEDED
from cltheory.derive.problems.problem import Problem
from cltheory.derive.proof.derivation import Derivation
from cltheory.derive.proof.relations import eq
from cltheory.derive.results import results
from cltheory.derive.results.phases import OfLoss
from cltheory.derive.structures.hierarchy import CLASSES, INSTANCES, VIEWS, M, hierarchy, m, n, p
from scipy.optimize import brentq, minimize
from sympy import Expr, Integer, Lambda, Rational, S, Symbol, Tuple, exp, oo

from .explicit import MIXED

FOUR = hierarchy(VIEWS, INSTANCES, CLASSES, (M, "cross_super", "supers"))
WIDE = SIZES.with_range(M, SIZES.ranges[m], 3).with_range(
    tau, CATALOGUE["supcon"].domain.ranges[tau], S.Half
)
MIXED_PROBLEM = Problem(MIXED, FOUR, WIDE)
NUMBERS = {m: Integer(3), n: Integer(4), p: Integer(2), M: Integer(3), tau: Rational(1, 5)}


#: Of pairs of an instance, of a class, and across: three eigenspaces are needed for these.
TARGETS = (S.Half, Rational(9, 10), Rational(1, 4))
COUNTS = {"same_instance": p - 1, "same_class": p * (n - 1), "cross_class": n * p * (m - 1)}
TARGET = Problem(
    PairwiseLoss(
        "targets",
        "",
        tuple(
            PairTerm(r, (c - at) ** 2, 1 / k)
            for (r, k), at in zip(COUNTS.items(), TARGETS, strict=True)
        ),
        "",
    ),
    hierarchy(),
    SIZES.with_range(p, VIEWS_NEEDED, 2),
)
SMALL = {m: Integer(3), p: Integer(2)}


# --- sizes at oo ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "problem, size, numbers",
    [
        (TARGET, n, SMALL),
        (TARGET, m, {n: Integer(4), p: Integer(2)}),
        (MIXED_PROBLEM, n, NUMBERS),
        (MIXED_PROBLEM, M, NUMBERS),
    ],
)
def test_a_face_goes_where_large_sizes_go(
    problem: Problem, size: Symbol, numbers: dict[Symbol, Integer]
) -> None:
    """The distance to the limit falls like 1/size: a thousandth from 10^3 to 10^6."""
    others = {s: v for s, v in numbers.items() if s is not size}
    far = optimum_far(at_values(problem, others), Derivation())
    gaps = []
    for value in (10**3, 10**6):
        near = optimum(at_values(problem, {**others, size: Integer(value)}), Derivation())
        assert near.occupied == far.optimum.occupied
        both = [(near.inner[r], far.optimum.inner[r]) for r in near.inner]
        gaps.append(max(abs(mpmath.mpf(str((a - b).evalf(30)))) for a, b in both))
    # An optimum at a vertex may be there already.
    assert gaps[0] < 0.05 and gaps[1] <= gaps[0] / 500 + mpmath.mpf(10) ** -25


def test_the_limit_of_three_eigenspaces_is_the_least_of_the_limit() -> None:
    """The limiting program, written down by hand, by scipy."""
    far = optimum_far(at_values(TARGET, SMALL), Derivation())
    assert far.optimum.occupied == ("views", "classes", "mean")

    def inner(s: np.ndarray) -> np.ndarray:
        """As n goes to oo, of shares of views, instances, classes and mean; p = 2, m = 3."""
        views, instances, classes, mean = s
        return np.array([-views + instances + classes + mean, classes + mean, -classes / 2 + mean])

    wanted = np.array([float(at) for at in TARGETS])
    best = minimize(
        lambda s: float(((inner(s) - wanted) ** 2).sum()),
        np.full(4, 0.25),
        method="SLSQP",
        bounds=[(0, 1)] * 4,
        constraints={"type": "eq", "fun": lambda s: s.sum() - 1},
        options={"ftol": 1e-15},
    )
    for r, value in zip(COUNTS, inner(best.x), strict=True):
        assert float(far.optimum.inner[r].evalf(20)) == pytest.approx(value, abs=1e-5)
    # Beyond orthogonal vectors, of which all inner products are zero.
    at_zero = float((wanted**2).sum())
    assert float(far.excess.evalf(20)) == pytest.approx(best.fun - at_zero, abs=1e-9)
    assert float(far.optimum.loss.evalf(20)) == pytest.approx(best.fun, abs=1e-9)


def test_phases_take_infinite_sizes() -> None:
    result = OfLoss(TARGET)
    assert result.value("structure", n="oo", m=3, p=2) == "views+classes+mean"
    limit = result.value("same_class", 30, n="oo", m=3, p=2)
    near = result.value("same_class", 30, n=10**9, m=3, p=2)
    assert near == limit  # views, classes and mean have the same inner products for every n
    # The squares of what is wanted: the loss of orthogonal vectors.
    loss, excess = (result.value(k, 20, n="oo", m=3, p=2) for k in ("loss", "excess"))
    assert abs(loss - excess - mpmath.mpf("1.1225")) < 1e-15


@pytest.mark.slow
def test_infinite_sizes_of_a_softmax_loss() -> None:
    result = results["phases"].given(loss="supcl-exclusive")
    at = {"m": 10, "p": 2, "tau": "1/10", "alpha": "1/3"}
    assert result.value("structure", n="oo", **at) == "instances+classes"
    assert mpmath.isinf(result.value("loss", n="oo", **at))
    limit = result.value("same_class", 30, n="oo", **at)
    gaps = [abs(result.value("same_class", 30, n=10**k, **at) - limit) for k in (7, 8)]
    assert gaps[1] < gaps[0] / 9
    with pytest.raises(AttributeError, match="no excess"):  # of a finite size there is a loss
        result.value("excess", n=100, **at)


def test_a_limit_with_several_optima_is_refused() -> None:
    terms = (PairTerm("same_class", (c - S.Half) ** 2, 1 / (n * p)),)
    problem = Problem(PairwiseLoss("level", "", terms, ""), hierarchy(), SIZES)
    with pytest.raises(DomainError, match="may have other minimisers") as refused:
        optimum_far(at_values(problem, {m: S(3), p: S(2)}), Derivation())
    assert "\n" not in str(refused.value)


def test_a_loss_without_a_limit_is_refused() -> None:
    terms = (PairTerm("same_class", c**2, S.One), PairTerm("cross_class", -c, S.One))
    problem = Problem(PairwiseLoss("grows", "", terms, ""), hierarchy(), SIZES)
    with pytest.raises(DomainError, match="n -> oo"):
        optimum_far(at_values(problem, {m: S(3), p: S(2)}), Derivation())


def test_wrong_limits_are_refused() -> None:
    others = {s: v for s, v in NUMBERS.items() if s is not n}
    proof = Derivation()
    optimum_far(at_values(MIXED_PROBLEM, others), proof)
    says = next(step.says for step in proof if isinstance(step.says, FarLimits))
    assert isinstance(says.decide(), Holds)
    shown = {e.args[0]: e.args[1] for e in says.shown.args}
    for name, value in shown.items():
        wrong = {**shown, name: value + Rational(1, 100)}
        assert not isinstance(
            says.saying(Tuple(*(eq(k, v) for k, v in wrong.items()))).decide(), Holds
        ), name
    without = Tuple(*(eq(k, v) for k, v in shown.items() if k not in (EXCESS, BOUND)))
    assert not isinstance(says.saying(without).decide(), Holds)
    infinite = {**shown, BOUND: oo}
    shown_oo = Tuple(*(eq(k, v) for k, v in infinite.items()))
    assert not isinstance(says.saying(shown_oo).decide(), Holds)


# --- zero at a root -------------------------------------------------------------------------------
X = Symbol("x", nonnegative=True)


def test_what_vanishes_at_a_root_is_told_from_what_nearly_does() -> None:
    h = X**3 + X - 1
    root = ClampedRoot(Lambda(X, h), S.Zero, S.One)
    zero = (root**2 + 3) * (root**3 + root - 1)
    assert vanishes_at_root(zero.expand())
    assert not vanishes_at_root(zero.expand() + Rational(1, 10**200))
    assert not vanishes_at_root(root**2 + root - 1)
    # A common factor that is not zero at the root proves nothing.
    other = ClampedRoot(Lambda(X, h * (X + 2)), S.Zero, S.One)
    assert not vanishes_at_root(other + 2)
    assert vanishes_at_root((other**3 + other - 1) / (other + 5))
    grows = ClampedRoot(Lambda(X, exp(3 * X) + exp(X) - 5), S.Zero, S.One)
    assert vanishes_at_root(exp(5 * grows) + exp(3 * grows) - 5 * exp(2 * grows))
    assert not vanishes_at_root(exp(2 * grows) + exp(grows) - 5)


A = Symbol("a", positive=True)


def entering(pull: Expr = A, **values: Rational) -> Problem:
    """At pull = 1 the slack of a third eigenspace vanishes at a root of x^3 + x = 1 on an edge."""
    same, cross = 1 - c, (c + S.Half) * 3  # x along the edge of classes and instances: m = n = 3
    terms = (
        PairTerm("same_class", same**2 / 2 + same**4 / 4 - same, S.One),
        PairTerm("cross_class", cross**2 / 2 + cross**4 / 4 - pull * cross, S.One),
    )
    domain = SIZES.with_range(A, between(S.Half, 2), 1)
    loss = PairwiseLoss("entering", "", terms, "")
    problem = Problem(loss, hierarchy(INSTANCES, CLASSES), domain)
    given = {A: values["a"]} if values else {}
    return at_values(problem, {m: S(3), n: S(3), p: S(2), **given})


def test_a_border_inside_a_face_is_decided_exactly() -> None:
    found = optimum(entering(a=S.One), Derivation())
    assert set(found.occupied) == {"instances", "classes"}
    x = brentq(lambda v: v**3 + v - 1, 0, 1)
    assert float(found.inner["same_class"].evalf(20)) == pytest.approx(1 - x, abs=1e-12)


@pytest.mark.parametrize("sign", [1, -1])
def test_beside_the_border_it_is_one_or_the_other(sign: int) -> None:
    found = optimum(entering(a=1 + sign * Rational(1, 10**30)), Derivation())
    assert (len(found.occupied) == 3) is (sign > 0)


# --- borders at roots -----------------------------------------------------------------------------
def test_a_border_without_a_closed_form_is_a_number() -> None:
    result = OfLoss(entering())
    names = [k for k, q in result.quantities.items() if "no closed form is known, the" in q.meaning]
    assert names
    for name in names:
        value = result.value(name, digits=40)
        border = Rational(str(value))
        assert border == 1
        sides = [
            optimum(entering(a=border + s * Rational(1, 10**12)), Derivation()) for s in (-1, 1)
        ]
        counts = sorted(len(side.occupied) for side in sides)
        assert counts == [2, 3], (name, sides)
    says = [s.says for s in result.derivation if isinstance(s.says, AtCrossing)]
    assert len(says) == len(names)
    for statement in says:
        assert statement.decide().evidence.grade is Grade.INTERVAL  # type: ignore[union-attr]
        s, x = statement.shown.args
        for wrong in (
            Tuple(eq(s.args[0], s.args[1] + Rational(1, 10**20)), x),
            Tuple(s, eq(x.args[0], x.args[1] - Rational(1, 10**20))),
            Tuple(s),
        ):
            assert not isinstance(statement.saying(wrong).decide(), Holds)


def test_a_border_where_the_edge_is_left_otherwise_is_none() -> None:
    proof = OfLoss(entering()).derivation
    crossing = next(s.says.crossing for s in proof if isinstance(s.says, AtCrossing))
    with pytest.raises(NotEnclosed):
        replace(crossing, low=crossing.high, high=crossing.high + 1, _boxes=[]).box(64)
    assert enclosure(crossing.value, 200).rad() < 1e-50


def test_a_border_between_two_others_is_not_told_in_their_direction() -> None:
    """Three of them within the narrowest bracket: Newton's method may go to the one between."""
    apart = Rational(1, 2**32)
    middle = 1 + Rational(1234567, 2**29) + Rational(1, 2**30) + Rational(1, 2**36)
    pull = 1 + (A - middle) * (A - middle - apart) * (A - middle + apart)
    proof = OfLoss(entering(pull)).derivation
    for crossing in (s.says.crossing for s in proof if isinstance(s.says, AtCrossing)):
        place = enclosure((crossing.value - middle) / apart, 64)
        assert not abs(place) < 0.5
    # Far enough from each other all three are found, each in its direction.
    apart = Rational(1, 4)
    pull = 1 + (A - 1) * (A - 1 - apart) * (A - 1 + apart)
    proof = OfLoss(entering(pull)).derivation
    found = [s.says.crossing for s in proof if isinstance(s.says, AtCrossing)]
    assert [(c.rises, round(float(c.value.evalf(20)), 12)) for c in found] == [
        (False, 0.75),
        (True, 1.0),
        (False, 1.25),
    ]
    wrong = replace(found[0], rises=True, _boxes=[])
    with pytest.raises(NotEnclosed, match="in this direction"):
        wrong.box(64)

"""Thresholds: what is solved, on which side it holds, and what is refused."""

from __future__ import annotations

import pytest
from cltheory.derive.decide.domain import POSITIVE, Domain, Range, at_least, between
from cltheory.derive.decide.evidence import Holds, Refuted
from cltheory.derive.losses.clip import b, t
from cltheory.derive.losses.softmax import tau
from cltheory.derive.losses.supcl import alpha
from cltheory.derive.optimum import threshold as module
from cltheory.derive.optimum.threshold import (
    ChangesSign,
    Criterion,
    NoClosedForm,
    NoThreshold,
    concave_form,
    essential,
    solve,
    threshold,
)
from cltheory.derive.proof.derivation import Derivation, StepFailed
from cltheory.derive.proof.relations import Iff, ge, gt, le, lt
from cltheory.derive.structures.hierarchy import m, n
from sympy import Dummy, Expr, Rational, S, Symbol, exp, log, sqrt

D = Domain(
    {m: at_least(2), n: at_least(2), tau: POSITIVE, alpha: between(0, 1), b: Range(-S.Infinity)},
    {m: 3, n: 2, tau: 1, alpha: Rational(1, 2), b: 0},
)
POINT = {m: S(3), n: S(2), tau: Rational(2, 3), alpha: Rational(1, 3), b: Rational(-1, 5)}
Y = Symbol("y", real=True)


def decided(solved: object, relation: object, domain: Domain = D) -> object:
    return ChangesSign(Iff(solved, relation), domain).decide()


# --- what is decided about an equivalence ------------------------------------------------------
RISES = m * alpha - 1


def test_an_equivalence_is_read_to_the_letter() -> None:
    value = 1 / m
    assert isinstance(decided(gt(alpha, value), gt(RISES, 0)), Holds)
    assert isinstance(decided(lt(alpha, value), gt(-RISES, 0)), Holds)
    for solved, relation in (
        (ge(alpha, value), gt(RISES, 0)),  # weak for strict, which no point beside it shows
        (gt(alpha, value), ge(RISES, 0)),
        (lt(alpha, value), gt(RISES, 0)),
        (gt(alpha, value), gt(RISES, 1)),
        (gt(alpha, value), gt(RISES, m)),
        (gt(alpha, value + Rational(1, 10**12)), gt(RISES, 0)),  # nearer than it is tried
        (gt(alpha, 2 * value), gt(RISES, 0)),
        (gt(m * alpha, 1), gt(RISES, 0)),
    ):
        assert not isinstance(decided(solved, relation), Holds), (solved, relation)


def test_a_wrong_direction_is_seen_at_points(monkeypatch: pytest.MonkeyPatch) -> None:
    right = module._rate
    monkeypatch.setattr(module, "_rate", lambda *a: (*right(*a)[:2], not right(*a)[2]))
    assert isinstance(decided(lt(alpha, 1 / m), gt(RISES, 0)), Refuted)


@pytest.mark.parametrize("mirrored", [False, True])
def test_a_value_that_the_parameter_may_not_take_is_not_its_threshold(mirrored: bool) -> None:
    """y - y^2/4 - 1/2 rises on [0, 3/2] and vanishes at 2 - sqrt(2) there, and at 2 + sqrt(2)."""
    y = -Y if mirrored else Y
    condition = y - y**2 / 4 - S.Half
    inside = between(-Rational(3, 2), 0) if mirrored else between(0, Rational(3, 2))
    domain = Domain({Y: inside}, {Y: -1 if mirrored else 1})
    for root, holds in ((2 - sqrt(2), True), (2 + sqrt(2), False)):
        solved = lt(Y, -root) if mirrored else gt(Y, root)
        assert isinstance(decided(solved, gt(condition, 0), domain), Holds) is holds
        assert isinstance(decided(solved, gt(condition * (m + 1), 0), _with(m, domain)), Holds) is (
            holds
        )


def _with(symbol: Symbol, domain: Domain) -> Domain:
    return domain.with_range(symbol, at_least(2), 3)


# --- the essential factor ----------------------------------------------------------------------
@pytest.mark.parametrize(
    "condition",
    [
        -3 * RISES,
        (tau - m - n * tau - 1) * RISES,
        RISES / (1 - m),
        (1 - m) ** 2 * RISES * (alpha - 2),
        exp(-m / tau) * (1 - m * alpha) / (n + 1),
        (exp(alpha * tau) - m) * (1 - m),
        -(exp(alpha) - m / 2) / (alpha - 3),
    ],
)
def test_the_essential_factor_has_the_sign_of_the_condition(condition: Expr) -> None:
    factor = essential(condition, alpha, D)
    points = list(D.generic_points(12))
    signs = {(condition * factor).xreplace(p).evalf(30) >= 0 for p in points}
    assert signs == {True}
    assert not all(factor.xreplace(p).evalf(30) > 0 for p in points) or factor.has(exp)


@pytest.mark.parametrize(
    "condition",
    [
        (m - 10**6) * (exp(2 * alpha) + exp(alpha) - n),
        (exp(alpha) - n) / (m - 10**6),
        (alpha - S.Half) * RISES,
        b * (alpha**2 + alpha - 1),
        m - 10**6 + 0 * alpha,
    ],
)
def test_a_factor_of_unknown_sign_is_not_left_out(condition: Expr) -> None:
    with pytest.raises(NoClosedForm, match="factors of the condition may change sign"):
        essential(condition, alpha, D)


# --- what is solved ----------------------------------------------------------------------------
@pytest.mark.parametrize(
    "condition, parameter",
    [
        (m * tau - n, tau),
        (exp(-1 / tau) - 1 / m, tau),
        (exp(1 / tau) - m, tau),
        (exp(-2 * tau) * m - 1 / (n * m), tau),
        (exp(b) - m, b),
        (m * exp(-b) - 1, b),
        (exp(b + tau) - 1, b),
        (m * tau**2 + tau - n, tau),
        (-m * tau**2 + tau + n, tau),
        (n - tau - m * tau**2, tau),
        (exp(2 * b) + (m - 7) * exp(b) - n, b),
        (n - exp(2 * b) - (m - 7) * exp(b), b),
    ],
)
def test_a_solution_is_a_root_and_is_admissible(condition: Expr, parameter: Symbol) -> None:
    value = solve(condition, parameter, D).xreplace(POINT).evalf(40)
    assert abs(condition.xreplace({**POINT, parameter: value}).evalf(40)) < 1e-30
    assert D.contains({**POINT, parameter: value})


def test_the_logarithm_that_is_shown_is_positive() -> None:
    for condition in (exp(-1 / tau) - 1 / m, exp(1 / tau) - m, exp(-tau) - 1 / m):
        (shown,) = solve(condition, tau, D).atoms(log)
        assert shown == log(m)


@pytest.mark.parametrize(
    "condition, parameter",
    [
        (exp(tau) + m, tau),  # no exponential is negative
        (exp(b) - b, b),
        (exp(b) - (m - n), b),  # nor known to be m - n
        (tau**2 - 3 * tau + 1, tau),  # two positive roots
        (exp(2 * b) - m * exp(b) + 1, b),
        (tau**2 - tau + (m - n), tau),
        (exp(2 * b) + m * exp(b) + 1, b),  # and none
        (tau**3 - m, tau),
    ],
)
def test_what_has_no_one_solution_is_refused(condition: Expr, parameter: Symbol) -> None:
    with pytest.raises(NoClosedForm):
        solve(condition, parameter, D)


# --- thresholds --------------------------------------------------------------------------------
@pytest.mark.parametrize("relation", [lt, le, gt, ge])
@pytest.mark.parametrize(
    "condition, parameter",
    [(RISES, alpha), (-RISES * m, alpha), (exp(-1 / tau) - 1 / m, tau), (m - exp(b), b)],
)
def test_a_threshold_holds_on_the_side_it_says(relation, condition, parameter) -> None:
    found = threshold(Criterion("it", relation(condition, 0)), parameter, D, Derivation())
    at = found.value.xreplace(POINT).evalf(30)
    for step in (Rational(1, 10**9), -Rational(1, 10**9)):
        point = {**POINT, parameter: at + step}
        value = condition.xreplace(point).evalf(30)
        claimed = type(found.relation)(step, 0)
        assert bool(claimed) is bool(type(relation(m, 0))(value, 0))
        assert (found.side == ">") is (bool(step > 0) is bool(value < 0))


@pytest.mark.parametrize(
    "relation, says",
    [(lt, "at no"), (le, "at every"), (gt, "at no"), (ge, "at every")],
)
def test_a_condition_that_vanishes_has_no_threshold(relation, says: str) -> None:
    zero = exp(alpha) - exp(2 * alpha) / exp(alpha)
    condition = (m + 1) ** 2 - m**2 - 2 * m - 1 + zero
    with pytest.raises(NoThreshold, match=f"{says} alpha"):
        threshold(Criterion("it holds", relation(condition, 0)), alpha, D, Derivation())


def test_a_factor_that_may_vanish_leaves_no_threshold() -> None:
    """Where d = 0 the condition does not depend on alpha at all."""
    d = Dummy("d", nonnegative=True)
    domain = D.with_range(d, Range(low_open=False), 1)
    for condition in (d * RISES, d * exp(alpha) - m, d * (exp(alpha) - 1) - m):
        with pytest.raises((NoClosedForm, StepFailed)):
            threshold(Criterion("it", lt(condition, 0)), alpha, domain, Derivation())


def test_a_concave_form_is_concave() -> None:
    hot = Domain({t: POSITIVE, m: at_least(2)}, {t: 1, m: 3})
    for factor in (m - exp(t), exp(-t) * m - 1, 1 + m * exp(t) - exp(3 * t)):
        proof = Derivation()
        form = concave_form(factor, t, hot, proof)
        for point in hot.generic_points(8):
            assert form.diff(t, 2).xreplace(point).evalf(30) < 0
            assert (form * factor).xreplace(point).evalf(30) >= 0
        assert len(proof) == 1
    for factor in (m - n * exp(-t) + exp(t), t + m):
        with pytest.raises(NoClosedForm, match="concave"):
            concave_form(factor, t, _with(n, hot), Derivation())

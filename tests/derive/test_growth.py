"""The parts of limits, each by itself: growth, signs, what is followed, and where things go."""

from __future__ import annotations

import pytest
from cltheory.derive.decide.domain import POSITIVE, Domain, Range, at_least, between
from cltheory.derive.decide.evidence import Evidence, Grade, Holds, Refuted, Undecided
from cltheory.derive.decide.limits import limit as module
from cltheory.derive.decide.limits.faraway import Supported, compared
from cltheory.derive.decide.limits.follow import Follow, X
from cltheory.derive.decide.limits.growth import Growth
from cltheory.derive.decide.limits.limit import NoLimit, is_limit, joint_limit, limit
from cltheory.derive.decide.limits.signs import Signs, UnknownSign
from cltheory.derive.decide.limits.toward import image_of
from cltheory.derive.decide.root import ClampedRoot
from cltheory.derive.losses.clip import b
from cltheory.derive.losses.softmax import tau
from cltheory.derive.losses.supcl import alpha
from cltheory.derive.optimum.segment import delta, x
from cltheory.derive.structures.hierarchy import m, n
from sympy import (
    Expr,
    Lambda,
    Max,
    Min,
    Piecewise,
    Pow,
    Rational,
    S,
    Symbol,
    exp,
    log,
    oo,
    sin,
    sqrt,
)

D = Domain(
    {
        m: at_least(2),
        n: at_least(2),
        tau: POSITIVE,
        alpha: between(0, 1, "()"),
        b: Range(-oo, oo),
        delta: Range(low_open=False),
    },
    {m: 3, n: 2, tau: 1, alpha: Rational(1, 2), b: 0, delta: 1},
)


# --- growth ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "e, value",
    [
        (-exp(X) + exp(X / 2), -oo),
        (exp(-X) - exp(-2 * X) * X**9, S.Zero),
        (X - exp(X) / X**5, -oo),
        ((exp(X) - exp(-X)) / (exp(X) + exp(-X)), S.One),
        (exp(sqrt(log(X))) / X, S.Zero),
        ((1 - exp(-1 / X)) * X, S.One),
        (X * (X * (exp(1 / X) - 1) - 1), S.Half),
        (X**2 * ((1 + 1 / X) * exp(-1 / X) - 1), -S.Half),
        (exp(X + 1 / X) / exp(X) - 1, S.Zero),
        (exp(sqrt(X**2 + X) - X), exp(S.Half)),
        (X * (log(m * X + 1) - log(X) - log(m)), 1 / m),
        (log(exp(2 * X) + X) / X, S(2)),
        (X**2 * (log(1 + 1 / X) - 1 / X), -S.Half),
        (X**3 * (log(1 + 1 / X) - 1 / X + 1 / (2 * X**2)), Rational(1, 3)),
        (X * (log(6 * X) - log(2 * X) - log(3)), S.Zero),
        (X * (log(6 * X + 1) - log(2 * X) - log(3)), Rational(1, 6)),
    ],
)
def test_growth(e: Expr, value: Expr) -> None:
    """Without the comparison with values far out, which would stop what is wrong."""
    assert (Growth(X, Signs(D)).limit(e) - value).simplify() == 0 or (
        value in (oo, -oo) and Growth(X, Signs(D)).limit(e) == value
    )


@pytest.mark.parametrize("e", [sqrt(1 - X), log(1 / X - 1), (exp(-X) - exp(-X / 2)) ** S.Half])
def test_what_is_not_real_far_out_does_not_grow(e: Expr) -> None:
    with pytest.raises(NoLimit, match=r"negative|not positive"):
        Growth(X, Signs(D)).limit(e)


# --- signs -------------------------------------------------------------------------------------
def _root(h: Expr, low: object = 0, high: object = 1) -> ClampedRoot:
    return ClampedRoot(Lambda(x, h), low, high)


CLAMPED = _root(x**3 - alpha * 2 + S.Half)


@pytest.mark.parametrize(
    "constant, sign",
    [
        (log(alpha), -1),
        (log(m), 1),
        ((alpha - 1) ** 2, 1),
        ((alpha - 1) ** 3, -1),
        (delta + 1, 1),
        (Max(2, b) - 1, 1),
        (CLAMPED + 1, 1),
        (CLAMPED - 2, -1),
        (m - m, 0),
    ],
)
def test_signs_of_constants(constant: Expr, sign: int) -> None:
    assert Signs(D)(constant) == sign


@pytest.mark.parametrize(
    "constant",
    [
        delta,  # it may vanish
        Symbol("y", nonnegative=True),
        log(m - tau),
        log(1 + delta),
        Pow(alpha - 1, Rational(2, 3)),
        Max(0, b) - 1,
        Min(0, b) + 1,
        CLAMPED,  # the root may be at an end
        1 - CLAMPED,
        sqrt(2 + sqrt(3)) - (sqrt(6) + sqrt(2)) / 2,  # zero, which no precision shows
    ],
)
def test_signs_that_are_not_known(constant: Expr) -> None:
    with pytest.raises(NoLimit):
        Signs(D)(constant)
    assert issubclass(UnknownSign, NoLimit)


# --- what is followed --------------------------------------------------------------------------
@pytest.mark.parametrize(
    "e, value",
    [
        (Piecewise((X, log(X) > sqrt(X)), (1 / X, True)), S.Zero),
        (Piecewise((m, X < m), (tau, True)), tau),
        (Max(X, 2 * X, 3) / X, S(2)),
        (Min(X, 2 * X) / X, S.One),
        (Min(5, X), S(5)),
        (exp(Max(-m * X, -tau * X)), S.Zero),  # which is larger is not known, but both fall
        (_root(exp(X * (x - 1)) - exp(X * (1 - 2 * x))), Rational(2, 3)),
        (_root(exp(X * (x - 3)) - exp(X * (1 - 2 * x))), S.One),  # a tie beyond the end
        (_root(exp(X * (x + 1)) - exp(-2 * X * x)), S.Zero),
        (_root(X * exp(x) - 1), S.Zero),
        (_root(exp(x) - X), S.One),
        # A third exponential, which leads nowhere.
        (_root(exp(X * x) - exp(X * Rational(1, 5)) - exp(X * (1 - x))), S.Half),
    ],
)
def test_what_is_followed(e: Expr, value: Expr) -> None:
    assert Follow(D)(e) == value


def test_what_cannot_be_followed() -> None:
    grows = _root(exp(x) - X, 0, oo)
    for e in (grows / X, X / grows, X * (1 - _root(exp(x) - X)), 1 / (1 - _root(exp(x) - X))):
        with pytest.raises(NoLimit):
            Follow(D)(e)
    with pytest.raises(NoLimit):  # whether the tie is inside of the bracket is not known
        Follow(D)(_root(exp(X * x) - exp(X * alpha * Rational(3, 2))))
    assert Follow(D)(grows) is oo
    assert Follow(D)(exp(-grows)) == 0


# --- where things go ---------------------------------------------------------------------------
def test_the_way_to_a_point_is_inside_the_range() -> None:
    for symbol, point in (
        (n, oo),
        (b, oo),
        (b, -oo),
        (tau, S.Zero),
        (alpha, S.Zero),
        (alpha, S.One),
    ):
        image = image_of(X, symbol, point, D)
        near, nearer = (image.xreplace({X: S(10) ** k}) for k in (3, 6))
        assert D.contains({**D.witness, symbol: nearer})
        if point in (oo, -oo):
            assert bool(nearer > 0) is (point is oo) and abs(nearer) > abs(near)
        else:
            assert abs(nearer - point) < abs(near - point)
    for symbol, point in ((n, S(2)), (alpha, oo), (tau, -oo), (n, -oo), (tau, S.One)):
        with pytest.raises(NoLimit):
            image_of(X, symbol, point, D)


@pytest.mark.parametrize(
    "range_, e, value",
    [
        # Any fixed alpha > 0 is admissible from some n on, and alpha = 0 is not.
        (Range(1 / n, S.One, low_open=False), alpha * n, oo),
        (Range(S.Zero, 1 - 1 / n, high_open=False, low_open=False), (1 - alpha) * n, oo),
        # Here alpha = 0, or alpha = 1, is.
        (Range(-1 / n, S.One, low_open=False), (alpha + 1 / n) * n, None),
        (Range(S.Zero, 1 + 1 / n, high_open=False, low_open=False), (1 - alpha + 1 / n) * n, None),
    ],
)
def test_ends_of_ranges_that_move(range_: Range, e: Expr, value: Expr | None) -> None:
    y = Symbol("y", real=True)
    moving = Domain({n: at_least(2), y: range_}, {n: 3, y: range_.low.subs(n, 3) + Rational(1, 3)})
    e = e.xreplace({alpha: y}) * (1 + 1 / n)
    if value is None:
        with pytest.raises(NoLimit):
            limit(e, n, oo, moving)
    else:
        assert limit(e, n, oo, moving) == value


def test_a_range_that_runs_away_leaves_no_value() -> None:
    y = Symbol("y", real=True)
    for range_ in (Range(n, oo, low_open=False), Range(-oo, -n, high_open=False)):
        away = Domain({n: at_least(2), y: range_}, {n: 3, y: -5 if range_.low is -oo else 5})
        for e in (y / (n + 1), y**2 / (y**2 + n)):
            with pytest.raises(NoLimit, match="no fixed value"):
                limit(e, n, oo, away)


# --- values far out ----------------------------------------------------------------------------
@pytest.mark.parametrize(
    "e, value",
    [
        (1 / X, 0),
        (1 / log(X), 0),
        (X / (X + 1) * 10**9, 10**9),
        (-X, -oo),
        (Min(X, 3 + 1 / X), 3),
        (Max(1 / X, 2 - 1 / X), 2),
        (Piecewise((X, X < 7), (5 - 1 / X, True)), 5),
        (sqrt(X**2 + X) - X, S.Half),
        ((X + 10**60) / (X + 1), 1),
    ],
)
def test_right_limits_are_supported_and_wrong_ones_refuted(e: Expr, value: object) -> None:
    value = S(value)
    assert isinstance(compared(e, X, value), Supported)
    if value in (oo, -oo):
        wrong = [-value, S.Zero, S(10) ** 9]
    else:
        size = max(S.One, abs(value))
        wrong = [value + size / 10, value - size, value + size * Rational(1, 10**12), oo, -oo]
        wrong = wrong[:2] if e.has(log) else wrong  # too slow to be told from so near
    for other in wrong:
        assert isinstance(compared(e, X, other), Refuted), other


def test_other_symbols_have_values_beside_the_expression() -> None:
    e, at = m * X / (X + alpha) + exp(-X / tau), {m: S(7), alpha: Rational(1, 3), tau: S.Half}
    assert isinstance(compared(e, X, m, at), Supported)
    assert isinstance(compared(e, X, m + alpha, at), Refuted)
    assert isinstance(compared(log(alpha - 1) + 1 / X, X, S.Zero, at), Refuted)  # not real there
    assert not isinstance(compared(e, X, log(alpha - 1), at), (Supported, Refuted))
    # Nothing is left of the first term, which is seen only where the value is put in.
    third = (3 * alpha - 1) * exp(exp(exp(X))) + 1 / X
    assert not isinstance(compared(third, X, S.Zero, at), (Supported, Refuted))
    one = Domain({alpha: between(Rational(1, 3), Rational(1, 3))}, {alpha: Rational(1, 3)})
    one = one.with_range(n, at_least(2), 3)
    assert isinstance(module.approaches(third.xreplace({X: n}), n, oo, S.Zero, one), Supported)


def test_what_does_not_settle_is_not_supported() -> None:
    for e in (X, log(X), sin(X), (-1) ** S(3) * X):
        assert not isinstance(compared(e, X, S.Zero), Supported)
    # Which case applies takes more than the first precision, and is not guessed.
    close = Piecewise((S.Zero, sqrt(X**2 - exp(-X)) < X), (S.One, True))
    assert close.has(Piecewise)
    assert not isinstance(compared(close + 1 / X, X, S.One), Supported)


# --- limits ------------------------------------------------------------------------------------
def test_a_limit_without_a_comparison_does_not_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    module._limit.cache_clear()
    monkeypatch.setattr(module, "compared", lambda *a: Undecided("nothing is known"))
    with pytest.raises(NoLimit, match="could not be compared"):
        limit(1 / n, n, oo, D)
    monkeypatch.setattr(module, "compared", lambda *a: Refuted({}, "far off"))
    with pytest.raises(NoLimit, match="do not approach"):
        limit(1 / n, n, oo, D)


def test_only_a_proved_equality_proves_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    at_points = Holds(Evidence(Grade.SAMPLED, "at points"))
    with monkeypatch.context() as patch:
        patch.setattr(module, "equal", lambda *a: at_points)
        same = (m**2 + m) / (m + 1)  # written otherwise than what is found
        assert isinstance(is_limit(m * n / (n + 1), n, oo, same, D), Undecided)
    monkeypatch.setattr(module, "approaches", lambda *a: Supported(""))
    assert isinstance(is_limit(m * n, n, oo, oo, D), Holds)
    for other in (-oo, S.Zero):
        assert not isinstance(is_limit(m * n, n, oo, other, D), Holds)


def test_a_joint_limit_is_the_same_on_every_way() -> None:
    far = {m: oo, n: oo}
    for e in (m**2 * n / (m**4 + n**2), m * n / (m**2 + n**2), m / (m + n)):
        with pytest.raises(NoLimit):
            joint_limit(e, far, D)
    assert joint_limit(1 / (m + n), far, D) == 0
    # At tau = delta = 0 this has no value, and the limit depends on which goes there first.
    with pytest.raises(NoLimit, match="divides by zero"):
        joint_limit((tau - delta) / (tau + delta), {tau: S.Zero, delta: S.Zero}, D)

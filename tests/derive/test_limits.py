"""Limits: known ones, random ones against values far out, and wrong ones that are refused."""

from __future__ import annotations

import mpmath
import pytest
from cltheory.derive.decide.domain import POSITIVE, Domain, DomainError, Range, at_least, between
from cltheory.derive.decide.evidence import Evidence, Grade, Holds, Refuted, Undecided
from cltheory.derive.decide.limits import limit as module
from cltheory.derive.decide.limits.faraway import Supported, compared
from cltheory.derive.decide.limits.follow import Follow, X
from cltheory.derive.decide.limits.growth import Growth
from cltheory.derive.decide.limits.limit import NoLimit, approaches, is_limit, joint_limit, limit
from cltheory.derive.decide.limits.signs import Signs, UnknownSign
from cltheory.derive.decide.limits.toward import image_of
from cltheory.derive.decide.root import ClampedRoot
from cltheory.derive.losses.clip import b, t, w
from cltheory.derive.losses.softmax import tau
from cltheory.derive.losses.supcl import alpha
from cltheory.derive.optimum.segment import delta, x
from cltheory.derive.proof.derivation import Derivation
from cltheory.derive.proof.limiting import take_limit
from cltheory.derive.results import results
from cltheory.derive.structures.hierarchy import m, n
from cltheory.derive.structures.towers import N
from cltheory.derive.write.report import report
from hypothesis import given
from hypothesis import strategies as st
from sympy import (
    And,
    Expr,
    Integer,
    Lambda,
    Max,
    Min,
    Piecewise,
    Pow,
    Rational,
    S,
    Symbol,
    exp,
    factorial,
    lambdify,
    log,
    oo,
    pi,
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


KNOWN = [
    # rational functions, and powers
    ((2 * n + 1) / (n - 3), n, oo, S(2)),
    (n**2 / (n + m), n, oo, oo),
    ((m * n + 1) / (n + tau), n, oo, m),
    (((n + 1) ** 5 - n**5) / n**4, n, oo, S(5)),
    (n ** Rational(1, 3) / log(n), n, oo, oo),
    (n**tau / n ** (tau + m), n, oo, S.Zero),
    ((alpha * n + 1) ** 2 / n**2, n, oo, alpha**2),
    (n * (m - sqrt(m)), n, oo, oo),
    (log(n * exp(tau)) - log(n), n, oo, tau),
    # roots whose leading terms cancel
    (sqrt(n**2 + n) - n, n, oo, S.Half),
    (sqrt(n**2 + m * n) - sqrt(n**2 + tau * n), n, oo, (m - tau) / 2),
    ((n**3 + n**2) ** Rational(1, 3) - n, n, oo, Rational(1, 3)),
    (sqrt(n + sqrt(n)) - sqrt(n), n, oo, S.Half),
    # logarithms against powers, and against each other
    (log(n) ** 100 / n, n, oo, S.Zero),
    (tau * log(tau), tau, S.Zero, S.Zero),
    (log(tau), tau, S.Zero, -oo),
    (1 / log(log(n)), n, oo, S.Zero),
    (log(log(n)) / log(n), n, oo, S.Zero),
    (log(n * log(n)) / log(n), n, oo, S.One),
    (log(m * n) - log(n) - log(m), n, oo, S.Zero),
    (log((m * n + 1) / (n + 1)), n, oo, log(m)),
    (n * (log(n + m) - log(n)), n, oo, m),
    (1 / log((m + n) / n), n, oo, oo),
    (log(alpha) * n, n, oo, -oo),
    (log(n) / log(m * n**2 + 1), n, oo, S.Half),
    # exponentials
    (exp(-m / tau), tau, S.Zero, S.Zero),
    (exp(1 / tau) * tau**3, tau, S.Zero, oo),
    ((1 + exp(m / tau)) / (3 + 2 * exp(m / tau)), tau, S.Zero, Rational(1, 2)),
    ((exp(n) + exp(n**2)) / exp(n), n, oo, oo),
    ((exp((m + tau) * n) - exp(m * n)) / exp((m + tau) * n), n, oo, S.One),
    (exp(log(n) ** 2) / exp(n), n, oo, S.Zero),
    (n * exp(-sqrt(log(n))), n, oo, oo),
    (tau * (exp(1 / tau) - 1), tau, oo, S.One),
    (tau**2 * (exp(1 / tau) - 1 - 1 / tau), tau, oo, S.Half),
    # exponentials within exponentials
    (exp(n + exp(-n)) - exp(n), n, oo, S.One),
    (exp(exp(n + exp(-n))) / exp(exp(n)), n, oo, S.Exp1),
    (exp(exp(n)) / exp(exp(n) - n), n, oo, oo),
    (exp(n * exp(-n)), n, oo, S.One),
    (1 - 1 / (exp(n * (1 - 1 / (1 + S.Exp1))) + 1), n, oo, S.One),
    (log(exp(exp(n)) + 1) / exp(n), n, oo, S.One),
    (log(exp(m * n) + exp((m + 1) * n)) / n, n, oo, m + 1),
    (log(1 + exp(-n)) * exp(n), n, oo, S.One),
    # powers with the symbol in the exponent
    ((1 + m / n) ** n, n, oo, exp(m)),
    (n * (m ** (1 / n) - 1), n, oo, log(m)),
    (tau**tau, tau, S.Zero, S.One),
    # the ends of a range, from inside
    (1 / log(alpha), alpha, S.One, -oo),
    ((1 - alpha**2) / (1 - alpha), alpha, S.One, S(2)),
    (b + exp(b), b, -oo, -oo),
    # cases, maxima and other constants
    (Max(n, m * n) / n, n, oo, m),
    (Min(1 / tau, tau), tau, oo, S.Zero),
    (Max(1 + 1 / n, tau), n, oo, Max(1, tau)),
    (Piecewise((n, log(n) > sqrt(n)), (1 / n, True)), n, oo, S.Zero),
    (n / (n + pi), n, oo, S.One),
]


@pytest.mark.parametrize("expression, symbol, point, value", KNOWN)
def test_known_limits(expression: Expr, symbol: Symbol, point: Expr, value: Expr) -> None:
    found = limit(expression, symbol, point, D)
    assert found == value or (found - value).expand() == 0
    held = is_limit(expression, symbol, point, value, D)
    assert isinstance(held, Holds) and held.evidence.grade is Grade.EXACT


@pytest.mark.parametrize(
    "expression, symbol, point",
    [
        (m * n - n * tau, n, oo),  # the sign of m - tau is not known
        (exp((m - tau) * n), n, oo),
        (exp(m * n) - exp(tau * n), n, oo),
        (log(m - tau + 1 / n), n, oo),
        (1 / ((m - tau) ** 2 + 1 / n), n, oo),  # oo where m = tau
        (delta * n / (delta * n + 1), n, oo),  # another one at delta = 0
        (sqrt(1 - n), n, oo),  # not real far out
        (log(1 / n - 1), n, oo),
        (exp(n) / factorial(n), n, oo),
        (Max(n, (m - tau) * n), n, oo),
        (Piecewise((n, m > tau), (1 / n, True)), n, oo),
        (1 / (log(6 * n) - log(2 * n) - log(3)), n, oo),
        (n, n, S.One),  # an integer comes no closer
        (tau, tau, Rational(1, 2)),
    ],
)
def test_what_depends_on_the_parameters_is_refused(
    expression: Expr, symbol: Symbol, point: Expr
) -> None:
    with pytest.raises(NoLimit) as refusal:
        limit(expression, symbol, point, D)
    assert "\n" not in str(refusal.value)


def test_work_is_bounded() -> None:
    start = sum((n**-k / factorial(k) for k in range(40)), S.Zero)
    with pytest.raises(NoLimit, match="terms cancel"):
        limit(n**40 * (exp(1 / n) - start), n, oo, D)


# --- random expressions ---------------------------------------------------------------------
SMALL = st.integers(1, 3).map(Integer)


#: The root of a function in x with a constant that is larger than 10^200.
ROOT_FAR = ClampedRoot(Lambda(x, x - X / (X + exp(500))), S.Zero, S(2))


def _larger(parts: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    return st.one_of(
        st.builds(lambda a, c, k: a + k * c, parts, parts, st.integers(-2, 2)),
        st.builds(lambda a, c: a * c, parts, parts),
        st.builds(lambda a, c: a / (c + 2), parts, parts),
        st.builds(lambda a: sqrt(a**2 + 1), parts),
        st.builds(lambda a: log(a**2 + 2), parts),
        st.builds(lambda a, k: exp(k * log(X) / (1 + a**2)), parts, st.integers(-2, 2)),
        st.builds(lambda a: 1 - 1 / (1 + exp(a)), parts),
    )


EXPRESSIONS = st.recursive(
    st.one_of(SMALL, st.sampled_from([X, 1 / X, log(X), sqrt(X), exp(-X), X ** Rational(2, 3)])),
    _larger,
    max_leaves=5,
)


def _approaches_plainly(e: Expr, value: Expr) -> bool:
    """Values with 3000 digits, by mpmath alone, at 10^10 to 10^160."""
    function = lambdify([X], e, modules="mpmath")
    with mpmath.workdps(3000):
        values = [function(mpmath.mpf(10) ** k) for k in (10, 40, 160)]
        if value in (oo, -oo):
            sign = 1 if value is oo else -1
            return all(sign * v > 0 for v in values) and abs(values[2]) > abs(values[1])
        goal = mpmath.mpmathify(value.evalf(60))
        gaps = [abs(v - goal) for v in values]
        # The value itself has 60 digits; slow ones (a power of 1/log) fall by a factor.
        return gaps[2] < mpmath.mpf(10) ** -50 or gaps[2] < gaps[1] * mpmath.mpf("0.9")


@given(EXPRESSIONS)
def test_random_limits_are_approached(e: Expr) -> None:
    """The algorithm by itself, without the comparison that every limit goes through."""
    if X not in e.free_symbols:
        return
    try:
        value = Growth(X, Signs(Domain({}))).limit(e)
    except NoLimit:
        return
    assert _approaches_plainly(e, value)


# --- what is not a limit ---------------------------------------------------------------------
@pytest.mark.parametrize("expression, symbol, point, value", KNOWN[::2])
def test_wrong_values_are_refused(
    expression: Expr, symbol: Symbol, point: Expr, value: Expr
) -> None:
    wrong = {oo: [S.Zero, S(100), -oo], -oo: [S.Zero, oo]}
    for other in wrong.get(value, [value + Rational(1, 50), -value - 1, oo, -oo]):
        assert not isinstance(is_limit(expression, symbol, point, other, D), Holds)


@pytest.mark.parametrize(
    "expression, value, supported",
    [
        (1 / X, 0, True),
        (1 / X, Rational(1, 10**9), False),
        (1 / X, oo, False),
        (X, oo, True),
        (X, -oo, False),
        (X, 10**6, False),
        (1 / log(X), Rational(1, 100), False),
        (1 / log(X), -1, False),
        (1 / log(log(X)), 0, True),
        (log(log(log(X + 9))), oo, True),
        (sqrt(X**2 + X) - X, Rational(1, 2), True),  # cancels
        (sqrt(X**2 + X) - X, Rational(1, 2) + Rational(1, 10**12), False),
        ((X + 10**60) / (X + 1), 1, True),  # settles late
        (sqrt(1 - X), 0, False),  # not real
        (X / (X + exp(500)), 1, True),  # larger than the first far values
        (X / (X + exp(500)), 2, False),
        (ROOT_FAR, 1, True),
        (ROOT_FAR, Rational(3, 2), False),
        (2 / log((19 * X / 10 - 1) / (X / 10 - 1)), 2 / log(19), True),  # a pole at 10
        (X / (X + 1), 1 + Rational(1, 10**20), False),
        (-X, -oo, True),
        (Min(X, 3 + 1 / X), 3, True),
        (Max(1 / X, 2 - 1 / X), 2, True),
        (Max(1 / X, 2 - 1 / X), 2 + Rational(1, 10**12), False),
        (Piecewise((X, X < 7), (5 - 1 / X, True)), 5, True),
        (Piecewise((X, X < 7), (5 - 1 / X, True)), 6, False),
    ],
)
def test_the_comparison_far_out_tells_right_from_wrong(
    expression: Expr, value: Expr, supported: bool
) -> None:
    outcome = compared(expression, X, S(value))
    assert isinstance(outcome, Supported if supported else Refuted)


def test_a_comparison_alone_never_holds() -> None:
    assert isinstance(approaches(1 / n, n, oo, S.Zero, D), Supported)
    assert issubclass(Supported, Undecided)
    assert isinstance(approaches(m / n + m, n, oo, m + 1, D), Refuted)
    # No values can be had so far out that a tower of four exponentials settles.
    tower = exp(-exp(exp(exp(X))))
    assert isinstance(compared(1 / log(-log(tower)), X, S.Zero), Undecided)


def test_a_limit_is_shown_as_what_it_is_proved_to_be() -> None:
    assert isinstance(is_limit(m * n / (n + 1), n, oo, m, D), Holds)
    assert isinstance(is_limit(m * n / (n + 1), n, oo, 2 * m / 2, D), Holds)
    assert isinstance(is_limit(log(m * n) - log(n), n, oo, 2 * log(m) / 2, D), Holds)
    assert isinstance(is_limit(m * n / (n + 1), n, oo, m + tau, D), Refuted)
    assert isinstance(is_limit(n, n, oo, -oo, D), Refuted)
    assert not isinstance(is_limit(m * n - n * tau, n, oo, oo, D), Holds)  # not for tau > m
    assert isinstance(is_limit(factorial(n) / factorial(n + 1), n, oo, S.Zero, D), Undecided)
    proof = Derivation()
    assert take_limit("far", m * n / (n + 1), n, oo, D, proof) == m
    assert proof.evidence.grade is Grade.EXACT


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
        (m - m, 0),
        (sqrt(2 + sqrt(3)) - (sqrt(6) + sqrt(2)) / 2, 0),  # which no precision shows
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
        CLAMPED + 1,  # what a root or a maximum is part of
        Max(2, b) - 1,
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
        (
            Piecewise(
                (m, And(X < m, X > 1)), (1 / X, And(X > m, Min(X, 2 * X) < 3 * X)), (X, True)
            ),
            S.Zero,
        ),
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


def test_one_symbol_is_at_infinity_at_a_time() -> None:
    """Where there are several, the limit may depend on the way."""
    both = {m: oo, n: oo}
    assert joint_limit(tau * m / (m + 1), {**both, tau: S(2)}, D) == 2
    for e in (1 / (m + n), m * n / (m**2 + n**2), m / (m + n)):
        with pytest.raises(NoLimit, match="depends on m, n"):
            joint_limit(e, both, D)
    # At tau = delta = 0 this has no value, and the limit depends on which goes there first.
    with pytest.raises(NoLimit, match="divides by zero"):
        joint_limit((tau - delta) / (tau + delta), {tau: S.Zero, delta: S.Zero}, D)


# --- results at oo -----------------------------------------------------------------------------
def test_a_value_that_divides_by_zero_at_an_end_is_the_limit_from_inside() -> None:
    assert (
        joint_limit(1 / log(1 / alpha), {alpha: S.One}, D.with_range(alpha, between(0, 1), 1)) is oo
    )
    with pytest.raises(NoLimit):
        joint_limit(1 / (m - 3), {m: S(3)}, D)


@pytest.mark.parametrize(
    "result, far, values",
    [
        ("towers-threshold", w, {"N": 4, "K": 2, "p": 1, "t": 3}),
        ("towers-threshold", N, {"K": 3, "p": 2, "t": 1, "w": 2}),
        ("sigmoid-threshold", t, {"N": 6, "b": 1}),
        ("supcl-optimum", n, {"m": 3, "p": 2, "alpha": "3/4", "tau": "1/5"}),
        ("infonce-optimum", N, {"t": "1/5"}),
    ],
)
def test_results_at_infinity_agree_with_large_values(
    result: str, far: Symbol, values: dict[str, object]
) -> None:
    r = results[result]
    for name in r.quantities:
        try:
            value = r.value(name, digits=30, **values, **{far.name: "oo"})
            near, large = (r.value(name, digits=30, **values, **{far.name: 10**k}) for k in (6, 12))
        except DomainError:
            continue
        if mpmath.isinf(value):
            assert large * mpmath.sign(value) > near * mpmath.sign(value)
        else:  # a power of 1/10^12, or arrived
            assert abs(large - value) < 1e-8 * (1 + abs(value))


@pytest.mark.parametrize(
    "id, name, value",
    [
        ("sup-cnce-optimum", "x_star", "0"),
        ("tail-collapse", "cosine_tail", "-1/K"),
        ("supcon-imbalanced", "cosine_apart", "-1/(C - 1)"),
    ],
)
def test_roots_are_followed_to_where_two_exponentials_tie(id: str, name: str, value: str) -> None:
    assert str(results[id].limit(name, "tau", 0)) == value


def test_a_limit_says_that_it_is_meant_inside_the_ranges() -> None:
    """For m to oo classes collapse for every alpha < 1, and at alpha = 1 they do not."""
    r = results["supcl-optimum"]
    at = {"m": "oo", "n": 20, "tau": "1/2"}
    assert r.at("same_class", r.point(**at)) == 1
    assert r.at("same_class", r.point(**at, alpha=1)) == 0
    said = {
        end: report(r, r.point(**given), claims=False, typeset=False, steps=False)["assumptions"]
        for end, given in (("open", at), ("closed", {**at, "m": 3}), ("put in", {**at, "alpha": 1}))
    }
    assert "alpha in (0, 1)" in said["open"]
    assert "alpha in [0, 1]" in said["closed"] and "alpha in [0, 1]" in said["put in"]


def test_ranges_that_refer_to_the_same_values_are_put_in_together() -> None:
    k, low, other = (Symbol(x, positive=True) for x in ("k", "s", "p"))
    half = Rational(1, 2)
    domain = Domain(
        {k: POSITIVE, low: between(1 / (1 + k), 1), other: between(1 / (1 + k), 1)},
        {k: 1, low: half, other: half},
    )
    assert joint_limit(low * other / k, {k: oo}, domain) == 0


def test_an_end_of_a_range_with_maxima_goes_where_they_go() -> None:
    k = Symbol("k", real=True)
    limited = Domain(
        {n: at_least(2), m: at_least(2), k: Range(-1 / Max(1, n - 3), Min(m, n))},
        {n: 3, m: 2, k: 1},
    )
    assert limited.contains({n: oo, m: S(2), k: S(1)}) and limited.contains({n: oo, m: oo, k: S(9)})
    assert not limited.contains({n: oo, m: S(2), k: S(3)})
    assert not limited.contains({n: oo, m: S(2), k: Rational(-1, 9)})
    forced = Domain({n: at_least(2), k: Range(Max(n, 3), n**2, False, False)}, {n: 3, k: 4})
    assert forced.forced({n: oo}) == {n: oo}  # two ends at oo leave more than one value
    mixed = Domain({n: at_least(2), k: Range(Max(1, n - 3) / n)}, {n: 3, k: 1})
    with pytest.raises(DomainError, match="as n -> oo is not known"):
        mixed.check({n: oo, k: S(1)})

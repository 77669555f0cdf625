"""What does not satisfy its own condition does not leave: corrupted numbers are stopped."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import mpmath
import pytest
from cltheory.cli import main as command_line
from cltheory.derive.decide.domain import POSITIVE, Domain, DomainError, Range, at_least, between
from cltheory.derive.decide.root import ClampedRoot, argmin
from cltheory.derive.errors import InternalError
from cltheory.derive.losses.softmax import tau
from cltheory.derive.losses.supcl import alpha
from cltheory.derive.optimum.segment import x
from cltheory.derive.optimum.threshold import Threshold
from cltheory.derive.results import results
from cltheory.derive.structures.hierarchy import n
from cltheory.derive.theorem import result as module
from cltheory.derive.theorem.intervals import Intervals
from cltheory.derive.theorem.putback import Inconsistent, NotPutBack
from cltheory.derive.theorem.quantity import Quantity
from cltheory.derive.theorem.result import Result
from mpmath import iv
from sympy import (
    Abs,
    E,
    Expr,
    Max,
    Min,
    Piecewise,
    Rational,
    S,
    Symbol,
    exp,
    log,
    oo,
    pi,
    sqrt,
)

DOMAIN = Domain(
    {n: at_least(2), alpha: between(0, 1), tau: POSITIVE},
    {n: S(3), alpha: S.Half, tau: S.One},
)


def result(quantity: Quantity) -> Result:
    """A result with one quantity, derived by nobody."""
    return Result(
        "made-up",
        title="",
        source="",
        parameters=(n, alpha, tau),
        domain=DOMAIN,
        build=lambda proof: {"q": quantity},
    )


def quantity(value: object, **more: Any) -> Quantity:
    return Quantity(cast(Expr, S(value)), "q", "made up", **more)


def crossing(condition: Expr, parameter: Symbol, value: object, side: str) -> Threshold:
    stated = SimpleNamespace(condition=condition, parameter=parameter, value=S(value), side=side)
    return cast(Threshold, stated)


# --- roots -----------------------------------------------------------------------------------
ROOT = argmin(x**3 - tau * exp(-x), x, S.Zero, S(2))


def test_a_root_is_handed_out_and_a_number_beside_it_is_not(monkeypatch) -> None:
    r = result(quantity(ROOT))
    assert str(r.value("q", tau=2)) == "0.925478927750909"
    right = module.number
    for off in (1 + Rational(1, 10**12), 1 - Rational(1, 10**12), -1, 0):
        with monkeypatch.context() as patch:
            wrong = mpmath.mpf(off.p) / off.q if isinstance(off, Rational) else off
            patch.setattr(module, "number", lambda *a, by=wrong, **k: right(*a, **k) * by)
            with pytest.raises(Inconsistent, match=r"^q = .* changes sign$"):
                r.value("q", tau=3)


@pytest.mark.parametrize("share, end", [(0, S.Zero), (100, S(2)), (8 * exp(2), S(2))])
def test_a_root_at_an_end_is_put_back_too(monkeypatch, share: object, end: Expr) -> None:
    # Like the others, but for a parameter that may be zero.
    r = result(quantity(ROOT.xreplace({tau: alpha})))
    r.domain = DOMAIN.with_range(alpha, Range(low_open=False), 1)
    assert r.value("q", alpha=share) == end
    # The same end for a parameter at which the root is inside.
    monkeypatch.setattr(ClampedRoot, "settled", lambda self: self if self.free_symbols else end)
    with pytest.raises(Inconsistent):
        r.value("q", alpha=Rational(7, 5))


def test_the_roots_inside_a_quantity_are_put_back(monkeypatch) -> None:
    r = result(quantity(log(ROOT) + ROOT**2))
    assert str(r.value("q", tau=2))
    # Someone rewrites the function when values are put in.
    wrong = argmin(x**3 - 2 * exp(-x) * (1 + Rational(1, 10**12)), x, S.Zero, S(2))
    monkeypatch.setattr(module, "joint_limit", lambda *a: log(wrong) + wrong**2)
    monkeypatch.setattr(ClampedRoot, "xreplace", lambda self, rules: wrong)
    with pytest.raises(Inconsistent):
        r.value("q", tau=Rational(200, 100), digits=16)


def test_roots_at_jumps_flat_parts_and_open_ends() -> None:
    step = Piecewise((-1, x < tau), (1, True))
    assert result(quantity(argmin(step, x, S.Zero, S(2)))).value("q", tau=Rational(1, 2)) == 0.5
    flat = Piecewise((-1, x < tau), (0, True))
    assert result(quantity(argmin(flat, x, S.Zero, S(2)))).value("q", tau=Rational(1, 2)) == 0.5
    far = argmin(exp(x) - 10**40 * tau, x, S.Zero, oo)
    assert float(result(quantity(far)).value("q", tau=1)) == pytest.approx(92.1034037)
    near = argmin(exp(x) - 1 - tau, x, S.Zero, oo)
    tiny = result(quantity(near)).value("q", tau=Rational(1, 10**80))
    assert str(tiny) == "1.00000000000000e-80"


# --- thresholds ------------------------------------------------------------------------------
#: alpha > 1 - exp(-1/tau) makes the condition negative.
CONDITION = 1 - exp(-1 / tau) - alpha
EDGE = 1 - exp(-1 / tau)
SLIGHTLY = Rational(1, 10**12)


def test_a_threshold_changes_the_sign_of_its_condition() -> None:
    right = crossing(CONDITION, alpha, EDGE, ">")
    r = result(quantity(EDGE, threshold=right))
    for digits in (1, 15, 200):
        assert 0 < r.value("q", digits, tau=2) < 1
    # Steep and flat conditions alike.
    for factor in (exp(-1000 * alpha), exp(1000 / (1 + alpha)), S(10) ** -300):
        q = quantity(EDGE, threshold=crossing(CONDITION * factor, alpha, EDGE, ">"))
        assert result(q).value("q", tau=2)


@pytest.mark.parametrize(
    "value, condition, side",
    [
        (EDGE * (1 + SLIGHTLY), CONDITION, ">"),
        (EDGE * (1 - SLIGHTLY), CONDITION, ">"),
        (EDGE, CONDITION, "<"),
        (EDGE, -CONDITION, ">"),
        (EDGE, CONDITION**2, ">"),
        (EDGE, CONDITION - 3, ">"),
        (S.Half, CONDITION + 3, ">"),
    ],
)
def test_a_wrong_threshold_is_stopped(value: Expr, condition: Expr, side: str) -> None:
    q = quantity(value, threshold=crossing(condition, alpha, value, side))
    with pytest.raises(Inconsistent):
        result(q).value("q", tau=2)


@pytest.mark.parametrize("condition", [S.Zero, log(alpha - 2)])
def test_a_threshold_whose_condition_has_no_sign_is_refused(condition: Expr) -> None:
    q = quantity(EDGE, threshold=crossing(condition, alpha, EDGE, ">"))
    with pytest.raises(NotPutBack, match=r"^q = 0\.39\d* could not be verified"):
        result(q).value("q", tau=2)


def test_a_threshold_at_zero_and_at_the_border_of_its_parameter() -> None:
    def value(at: object, condition: Expr, side: str, parameter: Symbol = alpha) -> Any:
        return result(quantity(at, threshold=crossing(condition, parameter, at, side))).value(
            "q", tau=2
        )

    # Only one side of 0 and of 1 belongs to alpha; beyond, the condition may do as it likes.
    assert value(0, -alpha, ">") == 0
    assert value(1, alpha - 1, "<") == 1
    assert value(1, Min(alpha - 1, 1 - 2 * alpha), "<") == 1
    for at, condition, side in ((0, alpha, ">"), (1, 1 - alpha, "<"), (1, alpha - 2, ">")):
        with pytest.raises(Inconsistent):
            value(at, condition, side)
    # A value that the parameter never reaches: one sign on the whole range.
    assert value(3, 3 - alpha, ">") == 3
    assert value(-2, -2 - alpha, ">") == -2
    for at, condition, side in ((3, alpha - 3, ">"), (-2, alpha + 2, ">")):
        with pytest.raises(Inconsistent):
            value(at, condition, side)


def test_a_threshold_at_infinity_is_the_sign_far_out() -> None:
    def value(at: Expr, condition: Expr, side: str) -> Any:
        return result(quantity(at, threshold=crossing(condition, n, at, side))).value("q", tau=2)

    assert value(oo, 1 / n, ">") == mpmath.inf  # never negative
    assert value(oo, -1 / n, "<") == mpmath.inf  # always
    for condition, side in ((1 / n, "<"), (-1 / n, ">"), (100 - n, ">")):
        with pytest.raises(Inconsistent):
            value(oo, condition, side)


# --- limits ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "expression, symbol, point, value",
    [
        ((n + tau) / (2 * n), n, oo, S.Half),
        (1 / log(n), n, oo, S.Zero),
        (1 / log(log(n)), n, oo, S.Zero),
        (exp(-n) + tau, n, oo, tau),
        (tau * n / (n + 1), n, oo, tau),
        (S(3) + 0 * n, n, oo, S(3)),
        (sqrt(n**2 + n) - n, n, oo, S.Half),
        (tau * log(tau), tau, S.Zero, S.Zero),
        (log(n), n, oo, oo),
        (-n / log(n), n, oo, -oo),
    ],
)
def test_a_limit_is_approached(expression: Expr, symbol: Symbol, point: Expr, value: Expr) -> None:
    others = {} if symbol is tau else {"tau": 2}
    right = quantity(value, limit_of=(expression, symbol, point))
    assert result(right).value("q", **others) is not None
    if value in (oo, -oo):
        wrong = [-value, S.One]
    else:
        wrong = [value + SLIGHTLY, value - 1, 2 * value + 1, oo, -oo]
    slow = expression in (1 / log(n), 1 / log(log(n)))  # far out is not yet near
    for other in wrong[slow:]:
        q = quantity(other, limit_of=(expression, symbol, point))
        with pytest.raises(Inconsistent, match="far values"):
            result(q).value("q", **others)


def test_a_constant_may_be_larger_than_far_values() -> None:
    of = n / (n + exp(1000))
    assert result(quantity(S.One, limit_of=(of, n, oo))).value("q") == 1
    for other in (1 + SLIGHTLY, 2, oo):
        with pytest.raises(Inconsistent, match="far values"):
            result(quantity(other, limit_of=(of, n, oo))).value("q")


def test_what_is_infinite_before_its_limit_is_handed_out() -> None:
    assert results["sigmoid-optimum"].value("delta_star", N="oo", t=1, b="1/2") == mpmath.inf


def test_a_value_at_infinity_is_a_limit(monkeypatch) -> None:
    r = result(quantity((n + tau) / (2 * n)))
    assert r.value("q", n=oo, tau=2) == 0.5
    monkeypatch.setattr(module, "joint_limit", lambda *a: S.Half + SLIGHTLY)
    with pytest.raises(Inconsistent, match="far values"):
        r.value("q", n=oo, tau=2)


# --- the rest --------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "e",
    [
        Rational(1, 3) + pi * E,
        exp(-x) * log(2 + x) / (x + 3) ** 2,
        sqrt(x + 2) + x ** Rational(5, 3) + 1 / sqrt(x),
        Max(x, 2) - Min(x, 1) + Abs(-x),
        Piecewise((5, x < Rational(7, 5)), (x, True)),
        Piecewise((5, x >= Rational(7, 5)), (x, True)),
    ],
)
def test_intervals_hold_the_value(e: Expr) -> None:
    at = {x: Rational(7, 5)}
    found = Intervals(at)(e)
    with mpmath.workdps(30):
        exact = mpmath.mpmathify(e.xreplace(at).evalf(30))
        assert found.a <= exact + mpmath.mpf(10) ** -25
        assert found.b >= exact - mpmath.mpf(10) ** -25
    assert found.delta < 1e-12
    wider = Intervals({x: iv.mpf([1, 1.5])})
    if not e.has(Piecewise):
        assert wider(e).a <= found.b and found.a <= wider(e).b and wider(e).delta >= found.delta


def test_intervals_of_large_exponentials_and_of_powers_at_zero() -> None:
    huge, third = iv.mpf(2) ** 5000, Rational(1, 3)
    above, below = (Intervals({x: side * huge})(exp(x)) for side in (1, -1))
    assert above.a > iv.mpf(10) ** 1000
    assert above.b == mpmath.inf
    assert below.a == 0
    assert 0 < below.b < iv.mpf(10) ** -1000
    both = Intervals({x: iv.mpf([-1, 1]) * huge})(exp(x))
    assert (both.a, both.b) == (0, mpmath.inf)
    assert Intervals({x: iv.mpf(0)})(x**third) == 0
    found = Intervals({x: iv.mpf([0, 8])})(x**third)
    assert found.a == 0
    assert 2 <= found.b < 2.001
    for base, power in (([-2, -1], third), ([-1, 8], third), ([0, 1], -third), ([0, 1], -S.Half)):
        with pytest.raises(ValueError, match=str(power)):
            Intervals({x: iv.mpf(base)})(x**power)


def test_a_root_beside_a_power_of_zero_and_with_huge_exponents() -> None:
    # Past 6/7 the first function is zero, and so is the base of its slope.
    texts = {"lp": "max(0,6/7-x)^(3/2)", "ln": "(1+x)^(5/3)"}
    r = results["pairwise-threshold"].with_inputs(**texts)
    assert str(r.value("x_last", N=2)) == "0.142857142857143"
    at = {"N": 4, "t": "exp(1000)", "b": 1}
    assert str(results["sigmoid-optimum"].value("x_star", **at)) == "0.500000000000000"


def test_a_root_that_cannot_be_put_back_is_refused(monkeypatch) -> None:
    r = result(quantity(ROOT))
    monkeypatch.setattr("cltheory.derive.theorem.putback._sign", lambda *_: None)
    with pytest.raises(
        NotPutBack, match=r"^q = .* could not be verified by substitution into its condition$"
    ):
        r.value("q", tau=Rational(11, 5))
    assert not issubclass(NotPutBack, InternalError)
    assert issubclass(NotPutBack, DomainError)


@pytest.fixture
def cltheory_run(monkeypatch, capsys) -> Callable[..., Any]:
    def run(*args: str) -> tuple[int, str, str]:
        code = command_line.run(list(args))
        return code, *capsys.readouterr()

    return run


def test_an_internal_error_is_one_line_and_exit_code_1(monkeypatch, cltheory_run) -> None:
    def fail(*_: object) -> None:
        raise Inconsistent("x_star = 0.5 is not where its condition changes sign")

    monkeypatch.setattr(module, "put_back", fail)
    args = "--m 10 --n 10 --p 2 --alpha 1/2 --tau 0.2 --brief".split()
    code, out, err = cltheory_run("derive", "supcl-optimum", *args)
    assert (code, out) == (1, "")
    assert err == (
        "cltheory: internal check failed: x_star = 0.5 is not where its condition changes sign; "
        "please report\n"
    )
    assert issubclass(Inconsistent, InternalError)


def test_a_limit_in_an_exponent_is_put_back() -> None:
    # 3**(10**40) is no number that anyone writes out.
    at = {"gamma": "oo", "n": "4", "tau": "1"}
    assert results["kernel-infonce"].value("similarity", **at) == -oo

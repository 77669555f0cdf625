"""Every printed digit is right: roots near thresholds, roots at kinks, numbers that cancel."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from cltheory.derive.decide.digits import NotKnown, is_zero, rounded, sign
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.decide.root import ClampedRoot, Unsettled
from cltheory.derive.optimum.segment import x
from cltheory.derive.results import results
from cltheory.derive.theorem.number import decimal, number
from sympy import (
    Expr,
    Integer,
    Lambda,
    Max,
    Min,
    Rational,
    S,
    exp,
    log,
    oo,
    pi,
    sqrt,
    zoo,
)

SUPCL, EDGE = results["supcl-optimum"], results["supcl-threshold"]
SIGMOID = results["sigmoid-optimum"]


def root(h: Expr, low: object, high: object) -> ClampedRoot:
    return ClampedRoot(Lambda(x, h), low, high)


def written(e: Expr, digits: int) -> str:
    return decimal(number(e, "value", digits))


def by_mpmath(value, digits: int) -> str:
    """A number of mpmath at far more digits, written like ours."""
    return mpmath.nstr(value, digits, strip_zeros=False)


# --- roots near thresholds, against mpmath's own root finder ---------------------------------
def supcl_by_hand(gap: int, digits: int) -> dict[str, str]:
    """x, delta and within-class variance at alpha_min + 10^-gap, by Newton in mpmath.

    For m = n = 10, p = 2, tau = 1/5, from the condition as the paper has it:
    h(x) = 1 - alpha - alpha (n-1) e^(-x/tau) + (mn - 1 - alpha n (m-1)) e^E with
    E = (x(n-1)/n - m)/(tau(m-1)).
    """
    with mpmath.workdps(3 * (gap + digits) + 60):
        e = mpmath.exp(mpmath.mpf(-50) / 9)
        alpha = (1 + 99 * e) / (10 * (1 + 9 * e)) + mpmath.mpf(10) ** -gap

        def h(y):
            far = mpmath.exp((y * 9 / 10 - 10) * 5 / 9)
            return 1 - alpha - 9 * alpha * mpmath.exp(-5 * y) + (99 - 90 * alpha) * far

        slope = 45 * alpha + (99 - 90 * alpha) * e / 2
        position = mpmath.findroot(h, -h(mpmath.mpf(0)) / slope, solver="newton", maxsteps=60)
        return {
            "x_star": by_mpmath(position, digits),
            "delta_star": by_mpmath(mpmath.sqrt(position * 99 / 100), digits),
            "same_class": by_mpmath(1 - position, digits),
            "within_class_variance": by_mpmath(position * 9 / 10, digits),
        }


@pytest.mark.parametrize("gap", [1, 5, 25, 40, 300])
@pytest.mark.parametrize("digits", [1, 15, 60])
def test_optima_beside_the_collapse_have_all_their_digits(gap: int, digits: int) -> None:
    sizes = {"m": 10, "n": 10, "tau": Rational(1, 5)}
    edge = EDGE.at("alpha_min", EDGE.point(**sizes))
    at = {**sizes, "p": 2, "alpha": edge + Rational(1, 10**gap)}
    for name, expected in supcl_by_hand(gap, digits).items():
        assert str(SUPCL.value(name, digits, **at)) == expected, name


def test_at_the_threshold_itself_and_below_the_optimum_is_exactly_at_the_end() -> None:
    sizes = {"m": 10, "n": 10, "tau": Rational(1, 5)}
    edge = EDGE.at("alpha_min", EDGE.point(**sizes))
    for alpha in (edge, edge - Rational(1, 10**40)):
        point = SUPCL.point(**sizes, p=2, alpha=alpha)
        assert SUPCL.at("x_star", point) == 0
        assert SUPCL.value("delta_star", **sizes, p=2, alpha=alpha) == 0


def test_beside_the_antipodal_structure() -> None:
    edge = results["sigmoid-threshold"]
    b = edge.at("b_antipodal", edge.point(N=8, t=1)) + Rational(1, 10**50)
    point = {"N": 8, "t": 1, "b": b}
    # The distance to the end has all its digits: delta^2 = x/(2 - x).
    gap = SIGMOID.value("positive_similarity", 30, **point)
    assert 0 < gap < mpmath.mpf(10) ** -49
    with mpmath.workdps(40):
        delta = SIGMOID.value("delta_star", 30, **point)
        assert abs(delta**2 * gap - 1) < mpmath.mpf(10) ** -28
    assert SIGMOID.value("delta_star", N=8, t=1, b=b - Rational(1, 10**50)) == mpmath.inf


@pytest.mark.parametrize("digits", [2, 15, 100, 1000])
def test_long_numbers(digits: int) -> None:
    with mpmath.workdps(digits + 40):

        def slope(y):
            near, far = mpmath.exp(y), mpmath.exp(-(3 * y + 8) / 7)
            return near / (1 + near) - 3 * far / (1 + far)

        y = mpmath.findroot(slope, 0.48)
        loss = mpmath.log(1 + mpmath.exp(y)) + 7 * mpmath.log(1 + mpmath.exp(-(3 * y + 8) / 7))
        expected = {"x_star": y, "delta_star": mpmath.sqrt(y / (2 - y)), "loss": loss}
        texts = {k: by_mpmath(v, digits) for k, v in expected.items()}
    found = {k: str(SIGMOID.value(k, digits, N=8, t=1, b=1)) for k in texts}
    assert found == texts
    wrong = str(SIGMOID.value("x_star", digits, N=8, t=1, b=Rational(11, 10)))
    assert wrong != texts["x_star"]


def test_a_root_is_found_once_for_all_quantities(monkeypatch) -> None:
    from cltheory.derive.decide import root as module

    calls = []
    refine = module.Bracket._refine
    monkeypatch.setattr(
        module.Bracket, "_refine", lambda self, n: calls.append(n) or refine(self, n)
    )
    at = {"N": 9, "t": 2, "b": Rational(5, 4)}
    SIGMOID.value("x_star", 1000, **at)
    first = len(calls)
    assert 0 < first < 80  # the digits double: about 12 steps beyond the start
    for name in ("delta_star", "positive", "negative", "loss"):
        SIGMOID.value(name, 990, **at)
    assert len(calls) <= first + 2


# --- roots of all kinds ----------------------------------------------------------------------
TINY = Rational(1, 10**60)
ONE = (exp(1) - 1) * (exp(1) + 1) - exp(2) + 2


@pytest.mark.parametrize(
    "h, low, high, value",
    [
        (x**3 - 2, 0, 2, "1.25992104989487316476721060728"),
        (exp(x) - 1 - TINY, -1, 1, "1.00000000000000000000000000000e-60"),
        (exp(x) - 1 + TINY, -1, 1, "-1.00000000000000000000000000000e-60"),
        (exp(x) - 10**40, 0, oo, "92.1034037197618273607196581874"),
        (log(x), 0, 10, "1.00000000000000000000000000000"),  # no value at the lower end
        (log(2 - x) * -1 + log(x) - 1, 0, 2, "1.46211715726000975850231848364"),  # at neither
        (x**2 - 2, Rational(1, 3), sqrt(3), "1.41421356237309504880168872421"),
        (1 - exp(-x * 10**9) - S.Half, 0, 1, "6.93147180559945309417232121458e-10"),
        (-x / (1 + x**4) + x**3, Rational(1, 2), 2, "0.826031357654186955968987002"),
    ],
)
def test_roots(h: Expr, low: object, high: object, value: str) -> None:
    found = root(h, low, high)
    digits = len(value.lstrip("-").split("e")[0].replace(".", "").lstrip("0"))
    assert written(found, digits) == value
    assert written(found.settled(), digits) == value


def test_roots_that_are_simple_numbers_are_exact() -> None:
    assert root(exp(2 * x) - exp(Rational(6, 7)), 0, 2).settled() == Rational(3, 7)
    assert root(sqrt(x) - Rational(3, 2), 0, 10).settled() == Rational(9, 4)
    assert root(exp(x) - 1, -3, 2).settled() == 0
    # Near a simple number is not at it.
    near = root(exp(x) - exp(S.Half) * (1 + TINY), 0, 2)
    assert isinstance(near.settled(), ClampedRoot)
    assert sign(near - S.Half) == 1


def test_clamped_ends_are_decided_exactly() -> None:
    h = exp(x) - exp(sqrt(2))
    assert root(h, sqrt(2), 2).settled() == sqrt(2)
    assert root(h, 0, sqrt(2)).settled() == sqrt(2)
    assert root(h, 0, sqrt(2) - TINY).settled() == sqrt(2) - TINY
    inside = root(h, 0, sqrt(2) + TINY).settled()
    assert isinstance(inside, ClampedRoot)
    assert written(inside, 20) == "1.4142135623730950488"


def test_brackets_without_a_sign_are_refused() -> None:
    assert root(-exp(-x), 0, oo).settled() is oo  # proved: it is positive nowhere
    for bad in (root(log(x + 2) - x - 5, 0, oo), root(1 / x, 0, 1)):
        with pytest.raises(Unsettled):
            bad.enclosure(60)
        with pytest.raises(DomainError, match=r"^x: "):
            number(bad, "x", 15)


def test_values_of_wildly_different_size_do_no_harm() -> None:
    # At the ends h is about -1 and exp(10^25): the chord points nowhere that can be written.
    steep = root(exp(x * 10**25) - 2, 0, 1)
    assert written(steep, 10) == "6.931471806e-26"
    assert written(root(2 - exp((1 - x) * 10**25), 0, 1), 10) == "1.000000000"
    assert written(1 - root(2 - exp((1 - x) * 10**25), 0, 1), 10) == "6.931471806e-26"


def test_a_sign_that_is_not_decided_is_said_to_be(monkeypatch) -> None:
    from cltheory.derive.decide import digits

    monkeypatch.setattr(digits, "is_zero", lambda e: False)
    monkeypatch.setattr(digits, "LAST_BITS", 2**12)
    hidden = log(8) / log(2) - 3
    assert sign(hidden) is None
    assert root(exp(x) - exp(S.Half) + hidden + exp(S.Half) - 1, 0, 1).settled() != 0
    with pytest.raises(DomainError, match=r"q: it is smaller than 1e-\d+ in size; the 15 digits"):
        number(hidden, "q", 15)


# --- signs and digits of numbers -------------------------------------------------------------
def test_signs() -> None:
    assert [sign(S(k)) for k in (-2, 0, 3)] == [-1, 0, 1]
    assert sign(pi - Rational(355, 113)) == -1
    assert sign(exp(-(S(10) ** 9))) == 1
    assert sign(sqrt(2) * sqrt(3) - sqrt(6)) == 0
    assert sign(log(8) / log(2) - 3 - TINY) == -1
    for nothing in (
        log(4) - 2 * log(2),
        log(Rational(12, 5)) + log(5) - log(12),
        log(9) / log(3) - 2,
    ):
        assert is_zero(nothing) and not is_zero(nothing + TINY)
    assert not is_zero(log(12) - log(2) - log(3))
    assert is_zero((exp(1) - 1) * (exp(1) + 1) - exp(2) + 1)
    assert not is_zero((exp(1) - 1) * (exp(1) + 1) - exp(2) + 1 + TINY)


@pytest.mark.parametrize(
    "value, digits, text",
    [
        (Rational(1, 8), 2, "0.13"),  # halves go away from zero
        (Rational(-1, 8), 2, "-0.13"),
        (Rational(1249999999, 10**10), 2, "0.12"),
        (ONE / 8, 2, "0.13"),  # a half that only algebra sees
        (ONE / 8 - TINY, 2, "0.12"),
        (S(1) - TINY, 5, "1.0000"),
        (exp(1) ** 2 - exp(2), 5, "0.0"),
        (10**40 * pi, 6, "3.14159e+40"),
        (exp(-(S(10) ** 10)), 6, "9.27858e-4342944820"),
        (exp(1) * (1 + TINY) - exp(1) - TINY, 3, "1.72e-60"),
        (Max(pi, 3) - Min(pi, 3), 6, "0.141593"),
        (Rational(1, 10**5000), 3, "1.00e-5000"),
        (S(-10), 4, "-10.00"),
    ],
)
def test_numbers(value: Expr, digits: int, text: str) -> None:
    assert written(value, digits) == text


def test_the_float_is_right_to_a_few_digits_more() -> None:
    for value in (pi, -exp(Rational(1, 3)), sqrt(2) / 10**9):
        found, _ = rounded(value, 20)
        with mpmath.workdps(40):
            exact = mpmath.mpmathify(value.evalf(40))
            assert abs(found - exact) < abs(exact) * mpmath.mpf(10) ** -24
        assert float(number(value, "q", 15)) == pytest.approx(float(value), rel=1e-15)


def test_values_that_are_no_numbers() -> None:
    assert written(S.Zero, 5) == "0.0"
    assert decimal(number(oo, "q", 5)) == "oo" and decimal(number(-oo, "q", 5)) == "-oo"
    assert number(zoo, "q", 5, extended=True) == mpmath.inf
    for bad in (zoo, S.NaN, log(-pi), sqrt(-pi)):
        with pytest.raises(DomainError, match="q has no real value there"):
            number(bad, "q", 5)
    with pytest.raises(DomainError, match="still depends on x"):
        number(1 + x, "q", 5)
    with pytest.raises(NotKnown, match="exponent has more than 30 digits"):
        rounded(exp(-(Integer(10) ** 40)), 5)
    with pytest.raises(NotKnown, match="too near to halfway"):
        rounded((log(1 + sqrt(2)) + log(sqrt(2) - 1) + 1) / 8, 2)
    assert rounded(log(8) / log(2) / 24, 2)[1] == "0.13"


def test_random_roots_against_exact_arithmetic() -> None:
    """Cubics with one known rational root, moved by less than any float would notice."""
    for k in range(1, 30):
        at = Fraction((7 * k) % 23 + 1, k + 1)
        exact = Rational(at.numerator, at.denominator)
        h = ((x - exact) * (x**2 + x + k)).expand()
        assert root(h, 0, 30).settled() == exact
        # h' at the root is r^2 + r + k, so the root moves by that much less than h does.
        moved = root(h - TINY, 0, 30)
        shift = rounded(moved - exact, 12)[0]
        with mpmath.workdps(30):
            expected = mpmath.mpf(10) ** -60 / mpmath.mpmathify(exact**2 + exact + k)
            assert abs(shift / expected - 1) < 1e-12

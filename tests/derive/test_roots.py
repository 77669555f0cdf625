"""Roots and numbers by their properties: an enclosure holds the root, rounding is to nearest."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from cltheory.derive.decide.ball import enclosure, precision
from cltheory.derive.decide.digits import rounded, sign
from cltheory.derive.decide.domain import POSITIVE, Domain, at_least
from cltheory.derive.decide.root import ClampedRoot, last_point
from cltheory.derive.losses.softmax import tau
from cltheory.derive.optimum.segment import x
from cltheory.derive.structures.hierarchy import m
from cltheory.derive.theorem import floats
from cltheory.derive.theorem.intervals import Intervals, NoInterval
from cltheory.derive.theorem.number import decimal, number
from cltheory.derive.theorem.putback import _is_root
from mpmath import iv
from sympy import Expr, Lambda, Max, Piecewise, Rational, S, exp, log, oo, sqrt

D = Domain({m: at_least(2), tau: POSITIVE}, {m: 3, tau: 1})


def root(h: Expr, low: object, high: object) -> ClampedRoot:
    return ClampedRoot(Lambda(x, h), low, high)


# --- roots -----------------------------------------------------------------------------------
@pytest.mark.parametrize("bits", [20, 100, 700])
@pytest.mark.parametrize(
    "h, low, high",
    [
        (x**3 - 2, 0, 2),
        (x**3 + 2, -2, 0),
        (x**3 + 2, -2, 1),
        (exp(x) - exp(-Rational(1, 3)), -7, -Rational(1, 10)),
        (-log(-x) - 1, -10, 0),  # no value at the upper end, which is the nearer one to zero
        (log(x + 5) - 1, -5, 0),  # nor at the lower one, which is the farther one
        (-1 / x - 3, -10, 0),
        (1 - exp(50 * (Rational(1, 7) - x)), 0, 5),  # steep on one side, flat on the other
        (exp(50 * (x - Rational(34, 7))) - 1, 0, 5),
        ((x - sqrt(2)) ** 3, 0, 2),
        (((x - sqrt(2)) ** 3).expand(), 0, 2),  # two thirds of the bits cancel
    ],
)
def test_an_enclosure_holds_a_change_of_sign(h: Expr, low: object, high: object, bits: int) -> None:
    found = root(h, low, high).enclosure(bits)
    assert found.rel_accuracy_bits() >= bits - 2  # a fraction is divided out at this precision
    with precision(4 * bits + 200):
        width = abs(found.mid()) * enclosure(Rational(8, 2**bits), 4 * bits + 200)
        below, above = found.mid() - width, found.mid() + width
        at_below, at_above = (enclosure(h, 4 * bits + 200, {x: at}) for at in (below, above))
        assert at_below < 0 and at_above > 0


def test_ends_at_which_a_function_vanishes() -> None:
    for low, high in ((0, 2), (-2, 0), (-1, 1), (-3, 1), (-1, 3)):
        for end in (S(low), S(high)):
            h = exp(x) - exp(end)
            assert root(h, low, high).settled() == end
        assert root(exp(x) - 10**6, low, high).settled() == high
        assert root(exp(x) + 10, low, high).settled() == low


@pytest.mark.parametrize("root", [Rational(1, 1000), Rational(1, 5), Rational(4, 5)])
def test_both_ends_may_be_without_a_value(root: Rational) -> None:
    weight = (1 - root) / root
    h = 1 / (weight * (1 - x)) - 1 / (weight**2 * x)
    assert float(ClampedRoot(Lambda(x, h), 0, 1)) == pytest.approx(float(root), rel=1e-12)


def test_a_root_on_pieces_is_the_first_point_not_below_zero() -> None:
    third = Rational(1, 3)
    flat = Piecewise((-1, x < third), (0, x < 2 * third), (1, True))
    assert root(flat, 0, 1).settled() == third
    assert root(flat + 1, 0, 1).settled() == 0
    assert root(flat - 1, 0, 1).settled() == 2 * third
    assert root(flat - 2, 0, 1).settled() == 1
    late = Piecewise((x - 3, x < third), (x - Rational(1, 2), True))
    assert root(late, 0, 1).settled() == Rational(1, 2)
    never = Piecewise((-1, x < 5), (1, True))  # the change is beyond the bracket
    assert root(never, 0, 1).settled() == 1
    assert root(-never, 0, 1).settled() == 0
    bent = Max(x - 1, 2 * x - Rational(3, 2))
    assert root(bent, 0, 2).settled() == Rational(3, 4)


def test_the_last_point_is_the_first_from_the_far_end() -> None:
    third = Rational(1, 3)
    flat = Piecewise((-1, x <= third), (0, x <= 2 * third), (1, True))
    for h, first, last in (
        (flat, third, 2 * third),
        (flat + 1, S.Zero, third),
        (flat - 1, 2 * third, S.One),
        (x - third, third, third),
    ):
        found = last_point(h, x, S.Zero, S.One)
        (inner,) = found.atoms(ClampedRoot)
        assert found.xreplace({inner: inner.settled()}) == last
        assert root(h, 0, 1).settled() == first
    smooth = last_point(exp(x) - 2, x, S.Zero, S.One)
    assert abs(smooth.evalf(30) - log(2).evalf(30)) < S(10) ** -28


def test_a_closed_form_is_the_clamped_root() -> None:
    h = exp(tau * x) - m * exp(-x)
    for low, high in ((0, 2), (0, Rational(1, 10)), (3, 4), (-9, oo)):
        closed = root(h, low, high).closed_form(D)
        for at in ({m: 2, tau: Rational(1, 2)}, {m: 7, tau: 3}, {m: 10**9, tau: Rational(1, 9)}):
            value = root(h.subs(at), low, high)
            assert abs(closed.subs(at).evalf(30) - value.evalf(30)) < S(10) ** -25
    for never in (exp(x) + m * exp(-x), exp(x) - (m - 5) * exp(-x), exp(x) - m * x):
        assert root(never, 0, 2).closed_form(D) is None


def test_float64_roots_stay_inside_and_at_the_ends() -> None:
    levels = np.array([-3.0, 1e-9, 0.5, 1 - 1e-9, 1.0, 7.0])

    def steep(at, level):  # flat far from the root, where a chord goes astray
        return 1 - 2 / (np.exp(400 * (at - level)) + 1)

    @floats.checked
    def inside(level):
        return floats.clamped_root(steep, 0, 1, level)

    @floats.checked
    def from_zero_on(level):
        return floats.clamped_root(lambda at, k: at - k, 0, np.inf, level)

    found = inside(levels)
    np.testing.assert_array_equal(found[[0, 4, 5]], [0.0, 1.0, 1.0])
    np.testing.assert_allclose(found, np.clip(levels, 0, 1), rtol=1e-9)
    np.testing.assert_allclose(from_zero_on(levels), np.maximum(levels, 0), rtol=1e-9)


# --- numbers -----------------------------------------------------------------------------------
def test_numbers_are_rounded_to_nearest_and_halves_away_from_zero() -> None:
    def written(e: Expr, digits: int) -> Fraction:
        return Fraction(decimal(number(e, "q", digits)))

    # The same numbers once more in a form that only algebra knows to be rational.
    one = (exp(1) - 1) * (exp(1) + 1) - exp(2) + 2
    for p in (1, 5, 12, 13, 99, 995, 999, 125, 135):
        for digits in (1, 2, 3):
            for sign_ in (1, -1):
                exact = Fraction(sign_ * p, 8)
                for e in (Rational(exact), Rational(exact) * one):
                    found = written(e, digits)
                    unit = Fraction(10) ** (len(str(abs(p) // 8)) - digits)
                    unit = unit if abs(exact) >= 1 else Fraction(1, 10**digits)
                    assert abs(found - exact) <= unit / 2
                    if abs(found - exact) == unit / 2:
                        assert abs(found) > abs(exact)


@pytest.mark.parametrize("power", [20, 100, 160, 2000])
def test_the_sign_of_what_is_small_is_not_zero(power: int) -> None:
    one = (exp(1) - 1) * (exp(1) + 1) - exp(2) + 1
    tiny = Rational(1, 10**power)
    assert [sign(one + k * tiny) for k in (-1, 0, 1)] == [-1, 0, 1]
    value, text = rounded(one + tiny, 12)
    assert text == f"1.00000000000e-{power}"
    assert value > 0
    assert decimal(number(-(one + tiny) / 3, "q", 3)) == f"-3.33e-{power + 1}"


# --- putting back --------------------------------------------------------------------------------
def test_a_number_is_a_root_only_where_the_sign_changes() -> None:
    def back(h: Expr, value: object, low: object = 0, high: object = 2) -> bool:
        with mpmath.workdps(40):
            at = mpmath.mpf(value.p) / value.q if isinstance(value, Rational) else mpmath.mpf(value)
        return _is_root(root(h, low, high), (), at, 15)

    half = S.Half
    assert back(x - half, half)
    assert back(x - 3, 2) and back(x + 3, 0)
    for wrong in (half + Rational(1, 10**14), half - Rational(1, 10**14), 0, 2, 1):
        assert not back(x - half, wrong)
    assert not back(x - 3, 1) and not back(x + 3, 1)
    # A function that stays at zero before the number: the root came earlier.
    flat = Piecewise((-1, x < half), (0, True))
    assert back(flat, half) and not back(flat, 1)
    # One that stays below zero after it, though it is smooth there.
    assert not back(exp(x) - exp(S.One), Rational(9, 10))


def test_intervals_say_nothing_where_nothing_is_known() -> None:
    wide = Intervals({x: iv.mpf([1, 2])})
    half = Rational(3, 2)
    for e in (
        Piecewise((5, x < half), (7, True)),
        log(x - half),
        sqrt(x - half),
        (x - half) ** Rational(1, 3),
        1 / (x - half),
    ):
        with pytest.raises(NoInterval):
            wide(e)
    assert wide(Piecewise((5, x < 3), (7, True))) == 5
    assert wide(Piecewise((5, x > 3), (7, True))) == 7
    assert wide((x - half) ** 2).a >= 0

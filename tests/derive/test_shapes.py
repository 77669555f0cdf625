"""Functions of one variable: where they are defined, vanish, bend, and have a sign."""

from __future__ import annotations

from itertools import pairwise

import mpmath
import pytest
from cltheory.derive.decide.domain import Domain, at_least
from cltheory.derive.decide.evidence import Grade, Holds, Outcome
from cltheory.derive.decide.interval import (
    NoSign,
    a_rational,
    in_order,
    is_infinite,
    non_negative,
    sign,
)
from cltheory.derive.decide.kinks import NotBent, bent
from cltheory.derive.decide.pieces import pieces_of_slope
from cltheory.derive.decide.poles import NotDefined, check_defined
from cltheory.derive.decide.root import ClampedRoot
from cltheory.derive.decide.zeros import NotSolved, zeros
from cltheory.derive.losses.clip import b, t
from cltheory.derive.losses.pairwise import c
from cltheory.derive.optimum.segment import x
from cltheory.derive.optimum.shape import convex, convex_and_monotone
from cltheory.derive.proof.statement import every
from cltheory.derive.results import results
from cltheory.derive.structures.hierarchy import m
from sympy import (
    Abs,
    Expr,
    Lambda,
    Max,
    Min,
    Piecewise,
    Rational,
    S,
    exp,
    lambdify,
    log,
    sin,
    sqrt,
)

PLAIN = Domain({})
SIGMOID = results["pairwise-threshold"].domain.restricted([t, b])
GRID = [Rational(k, 61) for k in range(-60, 61)]


def value(e: Expr, at: Expr) -> float:
    with mpmath.workdps(40):
        return lambdify([c], e, "mpmath")(mpmath.mpf(at.p) / at.q)


# --- zeros -------------------------------------------------------------------------------------
SOLVED = [
    c**2 - Rational(1, 4),
    c**2 - c / 3 - Rational(1, 7),
    (c - Rational(1, 3)) ** 2,
    sqrt(2) * c - 1,
    c**3 - c / 4,
    exp(c) - 1,
    exp(2 * c) - 3 * exp(c) + 2,
    exp(2 * c) + exp(c) - 2,
    exp(c) + exp(-c) - Rational(5, 2),
    log(2 + c) - Rational(1, 3),
    sqrt(c + 1) - c,
    sqrt(c + 1) + c,
    c - sqrt(c + 1) + Rational(1, 4),
    sqrt(c + 1) + Rational(1, 2),
    sqrt(c + 1) - Rational(1, 2),
    c + 2 - 3 * sqrt(c + 1),
    exp(c) - exp(c) + 0 * c,
    1 - sqrt(2 - 2 * c),
    exp(c) - exp(exp(-1)),
    (3 + 5 * c) * exp(c),
    (c**2 - S.Half) * exp(c),
    exp(c) - c - S.Half,  # it keeps its sign
]


@pytest.mark.parametrize("function", SOLVED)
def test_zeros_are_all_inside_and_vanish(function: Expr) -> None:
    found = zeros(function, c, -S.One, S.One)
    assert all(sign(v + 1) > 0 and sign(1 - v) > 0 for v in found)
    assert all(sign(b_ - a) > 0 for a, b_ in pairwise(found))
    assert all(abs(function.xreplace({c: v}).evalf(30)) < 1e-25 for v in found)
    # Between them there is no change of sign.
    signs = [(p, value(function, p)) for p in GRID]
    for (p, at_p), (q, at_q) in pairwise(signs):
        if at_p * at_q < 0:
            assert any(sign(v - p) >= 0 and sign(q - v) >= 0 for v in found), (p, q)


def test_double_zeros_are_found() -> None:
    assert zeros((c - Rational(1, 3)) ** 2, c, -S.One, S.One) == [Rational(1, 3)]
    assert zeros(2 * c**2 - 2 * sqrt(2) * c + 1, c, -S.One, S.One) == [sqrt(2) / 2]


def test_zeros_that_are_not_found_are_not_passed_over() -> None:
    for function in (
        (exp(c) - 1) * (exp(c) + c - S.Half),
        exp(c) - c - Rational(3, 2),
        c**3 - c + Rational(1, 5),
        exp(c) + log(2 + c) - Rational(3, 2),
        exp(c) + sqrt(2 + c) - 2,
    ):
        with pytest.raises(NotSolved):
            zeros(function, c, -S.One, S.One)


# --- where functions are defined ---------------------------------------------------------------
@pytest.mark.parametrize(
    "e, place",
    [
        (log(1 + c), "infinite at x = -1"),
        (log(c), "not real"),
        (1 / sqrt(1 + c), "infinite at x = -1"),
        (1 / (1 - c), "infinite at x = 1"),
        (1 / c, "pole at x = 0"),
        (c ** Rational(1, 3), "not real"),
        (log(exp(c) - exp(-S.One)), "infinite at x = -1"),
        (1 / (exp(c) - 1 - c), "pole at x = 0|not proved"),
        (log(exp(c) - 1 - c), "x = 0|not proved"),
        (log((c - Rational(1, 3)) ** 2), "infinite at x = 1/3"),
        (exp(1 / (c + 2) + log(1 + c) ** 2), "infinite at x = -1"),
        (sin(c), "not made of"),
        (exp(1 / c), "pole"),
        (1 / (m - 3 + c), "not proved"),
    ],
)
def test_what_is_not_defined_on_the_whole_interval(e: Expr, place: str) -> None:
    with pytest.raises(NotDefined, match=place):
        check_defined(e, c, -S.One, S.One, Domain({m: at_least(2)}, {m: 3}))
    with pytest.raises(NotBent):
        bent(e, c, Domain({m: at_least(2)}, {m: 3}))


@pytest.mark.parametrize(
    "e",
    [
        log(2 + c) / (m + c),
        sqrt(1 + c) + sqrt(1 - c),
        (1 + c) ** Rational(3, 2) / (3 - c) ** 2,
        1 / (exp(c) + c**2 + c),
        log(exp(c) - c),
        1 / sqrt(c**2 - c + 1),
    ],
)
def test_what_is_defined_on_the_whole_interval(e: Expr) -> None:
    check_defined(e, c, -S.One, S.One, Domain({m: at_least(2)}, {m: 3}))


def test_the_sides_of_a_maximum_are_defined_where_it_is_not_they() -> None:
    for e in (Max(0, log(c)), Max(2, sqrt(c)), Max(5, 1 / c), Min(0, log(1 + c))):
        with pytest.raises(NotBent):
            bent(e, c, PLAIN)


# --- kinks -------------------------------------------------------------------------------------
BENT = [
    Max(0, c),
    Max(-c, c / 2, 2 * c - Rational(1, 2)),
    Max(c**2, Rational(1, 4)) + Max(0, -c),
    Max(0, Max(c, -c) - Rational(1, 3)),
    Min(c, Rational(1, 3)) + Abs(c + Rational(1, 5)),
    Max(exp(c), 1) - Min(0, 2 * c - 1),
    Max(0, 1 + c) + Max(0, c - 1),
    Max(-1, -2 * c, c - Rational(1, 2)) ** 2,
]


@pytest.mark.parametrize("function", BENT)
def test_pieces_are_the_function_and_slopes_are_one_sided(function: Expr) -> None:
    read = bent(function, c, PLAIN)
    ends = [p.low for p in read.pieces] + [read.pieces[-1].high]
    assert ends[0] == -1 and ends[-1] == 1
    assert all(sign(b_ - a) > 0 for a, b_ in pairwise(ends))
    for piece in read.pieces:
        assert not piece.smooth.has(Max, Min, Abs)
        for share in (0, Rational(1, 7), S.Half, 1):
            at = piece.low + share * (piece.high - piece.low)
            gap = (piece.smooth - function).xreplace({c: at})
            assert abs(gap.evalf(30)) < 1e-25
    # Each is the difference quotient on its own side.
    step = Rational(1, 10**15)
    for at in {*ends, S.Zero, Rational(1, 9)}:
        for side in (1, -1):
            if not -1 <= at + side * step <= 1:
                continue
            rise = function.xreplace({c: at + side * step}) - function.xreplace({c: at})
            slope = read.slope(side).xreplace({c: at})
            assert abs((side * rise / step - slope).evalf(30)) < 1e-10


def monotone(function: Expr, direction: int, domain: Domain) -> Outcome:
    read = bent(function, c, domain)
    return every(decide(direction * slope) for decide, slope in read.checked())


def test_a_slope_at_a_kink_rises_for_what_is_convex() -> None:
    for rises, domain in (
        (Max(0, c) + c, PLAIN),
        (2 * c + Max(c, c / 2), PLAIN),
        (t * Max(0, c - S.Half) + 2 * t * c, SIGMOID),
    ):
        assert isinstance(convex(rises, domain), Holds)
        assert not isinstance(convex(-rises, domain), Holds)
        assert isinstance(monotone(rises, 1, domain), Holds)
        assert isinstance(monotone(-rises, -1, domain), Holds)
        assert not isinstance(monotone(rises, -1, domain), Holds)
    # The jump is looked at where the kink is: here it would rise at 0.
    moved = exp(c) + Max(0, c - Rational(3, 4)) * (Rational(1, 2) - c)
    assert not isinstance(convex(moved, PLAIN), Holds)
    steep = Max(0, c) - sqrt(Max(0, c)) + 4 * c
    assert not isinstance(convex(steep, PLAIN), Holds)
    assert isinstance(convex(Max(0, c) + Max(0, c) ** Rational(3, 2), PLAIN), Holds)


def test_every_piece_is_looked_at() -> None:
    for wrong in (
        Max(c, 0) - Max(0, c - S.Half) * 2,  # the last piece falls
        Max(c, 0) - Max(0, -c - S.Half) + Max(0, -c - Rational(3, 4)) * 4,
    ):
        assert not isinstance(monotone(wrong, 1, PLAIN), Holds)
        assert not isinstance(convex_and_monotone([(wrong, 0)], PLAIN), Holds)


def test_the_grade_is_that_of_the_hardest_piece() -> None:
    hard = c**4 - c**2 + c / 2 + exp(c) / 3 + c**3 / 5  # its slope takes boxes
    slope = hard.diff(c)
    outcome = non_negative(slope, c, S.Zero, S.One)
    assert isinstance(outcome, Holds) and outcome.evidence.grade is Grade.INTERVAL
    # Left of the kink it is c/9 and a number, which algebra proves.
    mixed = hard.xreplace({c: Max(0, c)}) + c / 9
    assert isinstance(bent(mixed, c, PLAIN).pieces[0].smooth.diff(c), Rational)
    for outcome in (
        monotone(mixed, 1, PLAIN),
        convex_and_monotone([(c, 1), (c**6 / 30 - c**4 / 12 + c**2 * Rational(13, 100), 0)], PLAIN),
    ):
        assert isinstance(outcome, Holds) and outcome.evidence.grade is Grade.INTERVAL


def test_a_kink_outside_of_an_interval_does_not_cut_it() -> None:
    step = Piecewise((-1, x < 5), (1, True))
    (piece,) = pieces_of_slope(step + x, x, S.Zero, S(2))
    assert (piece.low, piece.high) == (0, 2) and piece.smooth == x - 1
    inside = pieces_of_slope(step + x, x, S.Zero, S(9))
    assert [(p.low, p.high) for p in inside] == [(0, 5), (5, 9)]
    assert ClampedRoot(Lambda(x, step), 0, 2).settled() == 2


# --- signs on an interval ----------------------------------------------------------------------
NARROW = (c - Rational(314159, 10**6)) ** 2 - Rational(1, 10**14)


@pytest.mark.parametrize(
    "e, a, z",
    [
        (NARROW, -1, 1),  # negative on a stretch of 2e-7 only
        ((1 - c**2) * NARROW, -1, 1),
        (NARROW * (1 - exp(-1 - c)), -1, 1),
        (exp(c) * NARROW * (1 - c), -1, 1),
        (exp(c) - 1 - c - c**2 / 2, -1, 1),
        (1 - exp(c - 1) - 2 * (1 - c), -1, 1),
        ((1 + c) * (c + Rational(999999, 10**6)) * exp(c), -1, 1),
        ((1 - c) * (Rational(999999, 10**6) - c) * exp(c), -1, 1),
        (-sqrt(1 - c) + (1 - c) / 2, -1, 1),
        (sqrt(1 - c) - Rational(1, 10**7), -1, 1),
        (1 / sqrt(1 - c) - 1, -1, 1),
        (-exp(c), 0, 1),
        (c - sqrt(2) + Rational(1, 10**15), sqrt(2) - Rational(1, 10**12), 2),
        ((c - sqrt(2)) * exp(c) * (c - sqrt(2) - Rational(1, 10**9)), sqrt(2), 2),
        ((sqrt(2) - c) * exp(c) * (sqrt(2) - Rational(1, 10**9) - c), 0, sqrt(2)),
    ],
)
def test_no_sign_is_proved_of_what_is_negative_somewhere(e: Expr, a: object, z: object) -> None:
    assert not isinstance(non_negative(e, c, S(a), S(z)), Holds)


@pytest.mark.parametrize(
    "e, a, z",
    [
        ((1 - c**2) * (c**2 - c + 1) * exp(c), -1, 1),
        (exp(c) - 1 - c, 0, 1),
        (exp(c - 1) - c, -1, 1),
        (1 - c - log(2 - c), -1, 1),
        (1 / sqrt(1 - c) - S.Half, -1, 1),
        (sqrt(1 - c) * exp(c), -1, 1),
        ((c - sqrt(2)) * exp(c), sqrt(2), 2),
        ((sqrt(2) - c) * (exp(c) - c), 0, sqrt(2)),
        (exp(sqrt(2)) - exp(c) + sqrt(2) - c, 0, sqrt(2)),
        (S.Zero, -1, 1),
    ],
)
def test_signs_that_are_proved(e: Expr, a: object, z: object) -> None:
    assert isinstance(non_negative(e, c, S(a), S(z)), Holds)


def test_numbers_in_order_count_once() -> None:
    same = {sqrt(2) * sqrt(3), sqrt(6), S(2), S(3), -S.One, log(8) / log(2), sqrt(2 + sqrt(3))}
    found = in_order(same)
    values = [float(v) for v in found]
    assert values == sorted(values) and len(found) == 5
    for v in (sqrt(2), -sqrt(2), exp(S.One)):
        assert sign(a_rational(v, above=True) - v) == 1
        assert sign(v - a_rational(v, above=False)) == 1
        assert abs(a_rational(v, above=True) - v).evalf(30) < 1e-19
    assert a_rational(S.Half, above=True) == S.Half


def test_infinite_terms_of_both_signs_are_not_added_up() -> None:
    assert is_infinite(1 / sqrt(1 + c) + c, c, -S.One)
    assert is_infinite(1 / sqrt(1 + c) + (1 + c) ** -Rational(1, 3), c, -S.One)
    assert not is_infinite(1 / sqrt(2 + c), c, -S.One)
    with pytest.raises(NoSign):
        is_infinite(1 / sqrt(1 + c) - (1 + c) ** -Rational(1, 3), c, -S.One)

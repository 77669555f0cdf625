"""The normal form, quotients, signs by coefficients and by digits: each against values."""

from __future__ import annotations

import random

import pytest
from cltheory.derive.decide.coefficients import proves, proves_largest, proves_nonzero
from cltheory.derive.decide.decide import any_positive, positive, zero
from cltheory.derive.decide.domain import Domain, Range, between
from cltheory.derive.decide.equal import equal, value_at
from cltheory.derive.decide.evidence import Grade, Holds, Refuted, Undecided
from cltheory.derive.decide.factors import proves_different_from_zero, proves_positive, surd
from cltheory.derive.decide.normal import ExpField, NotInField, _rational_basis, canonical, in_order
from cltheory.derive.decide.number import digits, sign
from cltheory.derive.decide.number import value_at as number_at
from cltheory.derive.decide.polynomial import Ring, to_sympy
from cltheory.derive.decide.ratio import NotRational, reader
from sympy import E, I, Max, Pow, Rational, S, Symbol, exp, log, nan, oo, pi, sqrt, zoo
from sympy.core.evalf import PrecisionExhausted

X, Y, Z = (Symbol(s, real=True) for s in "xyz")
AWAY = Domain({X: between(1, 2), Y: between(2, 3), Z: Range()}, {X: 1, Y: 2, Z: 1})
POINT = {X: Rational(13, 7), Y: Rational(29, 11), Z: Rational(3, 5)}


# --- exponents and roots ------------------------------------------------------------------
def test_exponents_are_combinations_of_the_basis() -> None:
    """With denominators, repeated rows, and rows that only vanish after two eliminations."""
    lists = [
        [X, 2 * X, X / 3],
        [X + Y, X - Y, X, Y],
        [X / Y, X / (2 * Y) + 1, S.One, X],
        [X, Y, Z, X + Y + Z, X - 2 * Y + 3 * Z],
        [1 / (X - 1), X / (X - 1), S.One],
        [X * Y + Z, X * Y - Z, Z, X * Y],
        [X / (Y + 1) ** 2, X / (Y + 1)],
        [X / (Y + 1) ** 2, X / (Y + 1), 1 / (Y + 1), X * Y / (Y + 1) ** 2],
    ]
    chance = random.Random(3)
    for _ in range(30):
        small = [sum(chance.randint(-2, 2) * s for s in (X, Y, Z, 1)) for _ in range(5)]
        lists.append([S(e) for e in small if e != 0])
    for exponents in lists:
        basis, rows = _rational_basis(exponents)
        assert set(rows) == set(range(len(exponents))) and len(basis) <= 4
        for i, e in enumerate(exponents):
            back = sum(to_sympy(c) * b for c, b in zip(rows[i], basis, strict=True))
            assert (back - e).xreplace(POINT) == 0


def test_products_of_exponentials_are_told_apart() -> None:
    same = [
        exp(X) * exp(Y) - exp(X + Y),
        exp(X / 3) ** 3 - exp(X),
        exp(X + Y) * exp(X - Y) - exp(X) ** 2,
        exp(X / 2 + Y / 3) ** 6 - exp(3 * X) * exp(2 * Y),
        exp(X + 1) - E * exp(X),
        exp((X**2 - 1) / (X + 1)) - exp(X) / E,
    ]
    for e in same:
        assert isinstance(zero(e, AWAY), Holds), e
    for e in (exp(X) * exp(Y) - exp(X - Y), exp(X / 3) ** 3 - exp(2 * X), exp(X + 2) - E * exp(X)):
        assert isinstance(zero(e, AWAY), Refuted)


def test_powers_of_roots_are_put_back() -> None:
    for e in (
        sqrt(X + 1) ** 3 - (X + 1) * sqrt(X + 1),
        sqrt(X + 1) ** 3 - X * sqrt(X + 1) - sqrt(X + 1),
        (sqrt(X) + 1) * (sqrt(X) - 1) - X + 1,
        (X + 1) ** Rational(2, 3) * (X + 1) ** Rational(4, 3) - (X + 1) ** 2,
        1 / sqrt(X) - sqrt(X) / X,
        (1 + sqrt(1 + 1 / X)) * (1 - sqrt(1 + 1 / X)) + 1 / X,
    ):
        assert isinstance(zero(e, AWAY), Holds), e
    for e in (
        sqrt(X + 1) ** 3 - (X + 2) * sqrt(X + 1),
        sqrt(X + 1) ** 3 - X - 1,
        (X + 1) ** Rational(2, 3) - (X + 1) ** Rational(1, 3),
        (sqrt(X) + 1) * (sqrt(X) - 1) - X - 1,
        (1 + sqrt(1 + 1 / X)) * (1 - sqrt(1 + 1 / X)) + X,
    ):
        assert isinstance(zero(e, AWAY), Refuted), e


def test_sums_of_nested_roots_of_numbers_that_vanish() -> None:
    third, two = Rational(1, 3), sqrt(2 + sqrt(9 + 4 * sqrt(2)))
    first = sqrt(5 + 2 * sqrt(6)) - sqrt(2) - sqrt(3)
    found = equal((X + Y) * first + exp(X), exp(X), AWAY)
    assert isinstance(found, Holds) and found.evidence.grade is Grade.EXACT
    for e in (
        first,
        1 / (sqrt(2) + sqrt(3)) - sqrt(5 - 2 * sqrt(6)),
        (2 + sqrt(5)) ** third - (sqrt(5) - 2) ** third - 1,
        (2**third - 1) ** third - (1 - 2**third + 4**third) / 9**third,
        sqrt(13 + 30 * two) - 5 - 3 * sqrt(2),
    ):
        assert isinstance(zero(e, AWAY), Holds), e
        # Next to zero, beyond the digits of values at points.
        for wrong in (e + Rational(1, 10**80), e * exp(X) + Y / 10**80):
            assert not isinstance(zero(wrong, AWAY), Holds), wrong
    one, other = (1 / (sqrt(10**20 + k) + sqrt(10**20 + k + 1)) for k in (0, 1))
    for wrong in (
        sqrt(10**20) + sqrt(10**20 + 2) - 2 * sqrt(10**20 + 1),
        sqrt(2 + one) - sqrt(2 + other),
    ):
        assert not isinstance(zero(wrong, AWAY), Holds), wrong


def test_logarithms_of_reciprocals() -> None:
    assert isinstance(zero(log(X / (X + 1)) + log((X + 1) / X), AWAY), Holds)
    assert isinstance(zero(log(X / (X + 1)) - log((X + 1) / X), AWAY), Refuted)
    assert isinstance(zero(log((X**2 - Y**2) / (X + Y) + 9) - log(X - Y + 9), AWAY), Holds)
    assert isinstance(zero(exp(2 * log(X + 1)) - (X + 1) ** 2, AWAY), Holds)


def test_generators_say_no_more_than_is_known() -> None:
    field = ExpField([exp(X) + sqrt(X + 1) + log(X)])
    known = {type(e).__name__: y for y, e in field.atoms.items()}
    assert known["exp"].is_positive
    assert known["Pow"].is_nonnegative and known["Pow"].is_positive is None
    assert known["log"].is_real and known["log"].is_nonnegative is None


def test_what_is_not_known_is_refused() -> None:
    for e in (Max(X, Y), (-1) ** Y, S(1.5) * X, X + I, oo + X * zoo, nan):
        with pytest.raises(NotInField):
            ExpField([e]).ratio(e)
    assert canonical((X**2 - 1) / (X - 1)) == X + 1


# --- quotients -----------------------------------------------------------------------------
def test_quotients_agree_with_values() -> None:
    ring = Ring([X, Y])
    read = reader(ring)
    chance = random.Random(5)

    def draw(depth: int):
        if depth == 0:
            return chance.choice([X, Y, X - 1, Y + 2, S(chance.randint(1, 3)), -X, X * Y])
        a, b = draw(depth - 1), draw(depth - 1)
        return chance.choice(
            [a + b, a - b, a * b, a / b if b != 0 else a, a**2, a + b**-2 if b != 0 else a]
        )

    tried = 0
    linear = (X + 1) ** 2 - X**2 - X  # X + 1 as a polynomial, but not as it is written
    for e in (
        linear / (X + 1) ** 2,
        linear / (X + 1),
        Y / linear**2,
        *(draw(3) for _ in range(150)),
    ):
        try:
            value = e.xreplace(POINT)
            ratio = read(e)
        except (NotRational, ZeroDivisionError):
            continue
        if not value.is_finite:
            continue
        below = S.One
        for f, k in ratio.denom.items():
            assert k > 0
            below *= f.as_expr().xreplace(POINT) ** k
        assert ratio.numer.as_expr().xreplace(POINT) / below == value
        assert ratio.cancelled().as_expr().xreplace(POINT) == value
        tried += 1
    assert tried > 100
    with pytest.raises(NotRational):
        read(1 / (X * Y - Y * X + S.Zero * X + (X - Y) * (X + Y) - X**2 + Y**2))


# --- signs ---------------------------------------------------------------------------------
REAL = Domain({X: Range(-oo), Y: Range(-oo)}, {X: 0, Y: 0})
HALF = Domain({X: Range(low_open=False), Y: Range()}, {X: 0, Y: 1})


def test_strict_needs_one_term_that_cannot_vanish() -> None:
    assert (
        proves(1 + X, HALF) and proves(Y, HALF) and proves(X + Y, HALF) and proves(X * Y + Y, HALF)
    )
    assert not proves(X, HALF) and not proves(X * Y, HALF) and not proves(X + X * Y, HALF)
    assert not proves(X**2 * Y, HALF)
    for e in (X, X * Y, X**2 * Y, X + X * Y):
        assert proves(e, HALF, strict=False)
    assert not proves(X - Y, HALF, strict=False) and not proves(-X, HALF, strict=False)
    assert proves(X - X + S.Zero, HALF, strict=False) and not proves(S.Zero, HALF)


def test_odd_powers_below_keep_their_sign_and_even_ones_lose_it() -> None:
    assert proves(1 / (-1 - X) ** 2, HALF) and not proves(1 / (-1 - X), HALF, strict=False)
    assert proves(-1 / (-1 - X), HALF) and proves(-1 / (-1 - X) ** 3, HALF)
    assert not proves(-1 / (1 + X) ** 2, HALF, strict=False)
    assert proves((X + Y) / (X + 1) ** 3, HALF) and proves(X / (Y + 1), HALF, strict=False)
    assert not proves(X / (Y + 1), HALF)
    assert proves(1 / (X - 5) ** 2, AWAY) and not proves(-1 / (X - 5) ** 2, AWAY, strict=False)
    assert proves(-1 / (X - 5) ** 3, AWAY) and not proves(1 / (X - 5), AWAY, strict=False)
    assert proves(exp(-1 / (X - 5)) - 1, AWAY) and proves(1 - exp(1 / (X - 5)), AWAY)
    assert proves(exp(1 / (X - 5) ** 2) - 1, AWAY)
    # A divisor that may vanish has no sign.
    assert not proves(Y / X, HALF) and not proves(1 / X, HALF, strict=False)
    assert not proves(1 / (X - Y) ** 2, HALF, strict=False)


def test_exponentials_above_and_below_one() -> None:
    assert proves(exp(Y) - 1, HALF) and not proves(exp(X) - 1, HALF)
    assert proves(exp(X) - 1, HALF, strict=False) and proves(1 - exp(-Y), HALF)
    assert not proves(1 - exp(-X), HALF) and proves(1 - exp(-X), HALF, strict=False)
    assert not proves(exp(X - Y) - 1, HALF, strict=False)
    assert not proves(1 - exp(X - Y), HALF, strict=False)
    assert proves(exp(X - Y), HALF) and proves(exp(Y / (1 + X)) - 1, HALF)
    assert not proves(exp(Y / (1 - X)) - 1, HALF) and not proves(exp(-Y) - 1, HALF, strict=False)
    assert proves(X * exp(X) + 1 - exp(-Y), HALF)


def test_both_halves_of_the_line_count() -> None:
    assert proves(X**2 + Y**2 + 1, REAL) and not proves(X + 1, REAL) and not proves(1 - X, REAL)
    assert not proves(X**2 + Y**2, REAL) and proves(X**2 + Y**2, REAL, strict=False)
    assert not proves(X * Y + 1, REAL, strict=False) and not proves(X**3 + 1, REAL, strict=False)
    assert not proves_nonzero(X, REAL) and proves_nonzero(X**2 + 1, REAL)
    assert not proves_nonzero(X + Y, REAL) and not proves_nonzero(X * Y + 1, REAL)


def test_what_vanishes_nowhere() -> None:
    assert proves_nonzero(-1 - X, HALF) and proves_nonzero((1 + X) * (-2 - Y) * (X + Y), HALF)
    assert proves_nonzero((X + 1) ** 2 - (X + Y + 2) ** 2, HALF)
    assert not proves_nonzero(X, HALF) and not proves_nonzero(X - Y, HALF)
    assert not proves_nonzero(S.Zero, HALF) and not proves_nonzero(X * (1 + Y), HALF)
    assert not proves_nonzero((X - 1) * (Y + 1), HALF) and proves_nonzero(sqrt(2) - 1, HALF)
    assert not proves_nonzero(sqrt(X), HALF) and proves_nonzero(sqrt(X + Y), HALF)
    assert not proves_nonzero(log(1 + X), HALF) and proves_nonzero(log(1 + Y), HALF)
    assert not proves_nonzero(sqrt(2) * sqrt(3) * X - sqrt(6) * X, HALF)


def test_surds_and_factors() -> None:
    root = sqrt(X**2 + Y)
    assert proves_positive(root - X, HALF) and proves_positive(X + Y + 1 - root, HALF)
    assert not proves_positive(root - X - Y, HALF) and not proves_positive(X - root, HALF)
    assert proves_positive(X + 1 - sqrt(X**2 + X), HALF) and not proves_positive(-X - root, HALF)
    assert not proves_positive(sqrt(X**2 + X) - X - 1, HALF)
    assert not proves_positive(sqrt(X**2 + 1) - 2 * X, HALF)
    assert proves_different_from_zero(X - root, HALF)
    assert not proves_different_from_zero(sqrt(X**2) - X, HALF)
    assert not proves_positive((X + 1) * (X - root), HALF)
    assert proves_positive((X + 1) * (root - X) * Y, HALF)
    assert surd(1 + 2 * root) == (1, 2, X**2 + Y) and surd(1 / root) is None
    assert not proves_positive((X - 1) ** 2, HALF) and proves_positive((X - 1) ** 2 + 1, HALF)


def test_the_largest_is_proved_case_by_case() -> None:
    assert proves_largest([X, -X], REAL, strict=False) and not proves_largest([X, -X], REAL)
    assert proves_largest([X + 1, 1 - X], REAL) and not proves_largest([X - 1, -X - 1], REAL)
    assert proves_largest([-X - 1, S.One], REAL) and not proves_largest([-X, -S.One], REAL)
    assert isinstance(any_positive([X + 1, 1 - X], REAL), Holds)
    assert isinstance(any_positive([X + 1, 1 - X, log(X)], REAL), Refuted)
    assert isinstance(any_positive([Symbol("q"), S.One], REAL), Undecided)
    assert isinstance(any_positive([X - 1, 2 - X], REAL), Undecided)  # true, but not proved


# --- numbers -------------------------------------------------------------------------------
def test_signs_of_numbers() -> None:
    tiny = exp(-(S(10) ** 3))
    assert sign(S(3)) == 1 and sign(Rational(-1, 7)) == -1 and sign(S.Zero) == 0
    assert sign(sqrt(2) - 1) == 1 and sign(log(2) - 1) == -1 and sign(tiny) == 1
    assert sign(pi - E) == 1 and sign(1 - exp(1)) == -1 and sign(2 ** sqrt(2) - 3) == -1
    assert sign((1 + tiny) ** 2 - 1 - 2 * tiny) is None  # out of reach, and not guessed
    assert sign((sqrt(2) - sqrt(3)) ** -3) == -1 and sign(S(2) ** Rational(-1, 2)) == 1
    assert sign(sqrt(2) + sqrt(3) - sqrt(5 + 2 * sqrt(6))) is None
    for e in (I, zoo, nan, oo, log(-2, evaluate=False), sqrt(-2, evaluate=False), X, I * pi):
        assert sign(e) is None
    assert sign(Pow(sqrt(2) + sqrt(3) - sqrt(5 + 2 * sqrt(6)), -2, evaluate=False)) is None


#: One.
LOST = (exp(X**4) + 1) ** 2 - exp(2 * X**4) - 2 * exp(X**4)


def test_digits_that_cancel_are_no_digits() -> None:
    with pytest.raises(PrecisionExhausted):
        digits(LOST.xreplace({X: S(17)}))
    with pytest.raises(PrecisionExhausted):  # nor where there are no balls
        digits(I * LOST.xreplace({X: S(17)}))


def test_digits_that_cancel_are_not_taken_for_a_value() -> None:
    assert number_at(LOST, {X: S(7)}) is None and value_at(LOST, {X: S(7)}) == S.One.n(50)
    assert value_at(LOST, {X: S(17)}) is nan
    assert number_at(LOST, {X: S(2)}) == S.One.n(50)
    assert isinstance(zero(LOST - 1, AWAY), Holds)
    wide = Domain({X: between(7, 9)}, {X: 7})
    for e in (LOST * log(X) - log(X), LOST - 1):
        assert not isinstance(zero(e, wide), Refuted)
    assert isinstance(positive(LOST, wide), (Holds, Undecided))
    # Zero, but not plainly: no digits of its own, and right to many digits beside one.
    nothing = sqrt(2) + sqrt(3) - sqrt(5 + 2 * sqrt(6))
    assert number_at(nothing + X - X, {}) is None and abs(digits(nothing)) < S(10) ** -45
    small = exp(S(10) ** -300, evaluate=False) - 1
    assert not isinstance(positive(small, Domain({})), Refuted)


def test_a_difference_in_the_fortieth_digit_is_seen() -> None:
    gap = S(10) ** -38
    assert isinstance(zero(exp(X) - exp(X) * (1 + gap), AWAY), Refuted)
    assert isinstance(equal(log(X + 1) + gap * 10**6, log(X + 1), AWAY), Refuted)
    assert isinstance(positive(-gap * X, AWAY), Refuted)
    assert isinstance(positive(Max(-gap, -X), AWAY), Refuted)
    held = equal(log(X + 1) * 2, log((X + 1) ** 2), AWAY)
    assert isinstance(held, Holds) and held.evidence.grade is Grade.EXACT


def test_powers_that_are_too_high_are_refused():
    x = Symbol("x", real=True)  # as polynomials of that degree they take gigabytes
    tiny = exp(x * Rational(1, 10**9))
    with pytest.raises(NotInField, match="a power above"):
        ExpField([tiny + exp(x)])
    assert ExpField([exp(1000 * x) - exp(x)]).vanishes(exp(1000 * x) - exp(x) ** 1000)


def test_numbers_that_python_does_not_print_are_put_in_order() -> None:
    long = [exp(k * Rational(10**5000 + 1, 3)) for k in (1, -1)]
    with pytest.raises(ValueError, match="4300 digits"):
        str(long[0])
    assert in_order(long) == in_order(long[::-1])

"""Powers with symbols in their exponents: what is the same is proved, what is not is refused."""

from __future__ import annotations

import pytest
from cltheory.derive.decide.domain import Domain, Range
from cltheory.derive.decide.equal import equal
from cltheory.derive.decide.evidence import Grade, Holds, Refuted
from cltheory.derive.decide.exact import NotANumber, expression
from cltheory.derive.decide.normal import ExpField, NotInField
from sympy import Expr, Integer, S, Symbol, exp, log, oo, sqrt

N = Symbol("n", integer=True, positive=True)
G, T = Symbol("gamma", positive=True), Symbol("tau", positive=True)
X = Symbol("x", real=True)
DOMAIN = Domain(
    {N: Range(S(2), oo, False, True, integer=True), G: Range(S(0)), T: Range(S(0))},
    {N: Integer(2), G: Integer(1), T: Integer(1)},
)
POWER = (2 * N / (N - 1)) ** (G / 2)
SAME = (
    2 ** (G / 2) * N ** (G / 2) * (N - 1) ** (-G / 2),
    sqrt(2 * N / (N - 1)) ** G,
    exp(G / 2 * log(2 * N / (N - 1))),
    exp(G / 2 * (log(2) + log(N) - log(N - 1))),
    (2 * N / (N - 1)) ** (G / 2 - 1) * 2 * N / (N - 1),
    ((N - 1) / (2 * N)) ** (-G / 2),
    sqrt((2 * N / (N - 1)) ** G),
)
OTHER = (
    (2 * N / (N - 1)) ** G,
    (2 * N / (N - 1)) ** (-G / 2),
    (2 * (N - 1) / N) ** (G / 2),
    (2 * N / (N + 1)) ** (G / 2),
    2 ** (G / 2) * N ** (G / 2) * (N - 1) ** (G / 2),
    N ** (G / 2) * (N - 1) ** (-G / 2),
    (2 * N / (N - 1)) ** (G / 2 - 1),
    -POWER,
)


def within(power: Expr) -> tuple[Expr, ...]:
    return power, exp(-power / T), log(1 + (N - 1) * exp(-power / T))


@pytest.mark.parametrize("power", SAME, ids=str)
def test_the_same_power_is_proved(power: Expr) -> None:
    for one, other in zip(within(power), within(POWER), strict=True):
        found = equal(one, other, DOMAIN)
        assert isinstance(found, Holds) and found.evidence.grade is Grade.EXACT, one


@pytest.mark.parametrize("power", OTHER, ids=str)
def test_another_power_is_refused(power: Expr) -> None:
    for one, other in zip(within(power), within(POWER), strict=True):
        assert isinstance(equal(one, other, DOMAIN), Refuted), one
        assert not ExpField([one - other]).vanishes(one - other)


def test_exponents_in_fractions_of_one_another() -> None:
    one, other = N ** (G / 2), N ** (G / 3)
    square = N**G - 2 * N ** (5 * G / 6) + N ** (2 * G / 3)
    assert isinstance(equal((one - other) ** 2, square, DOMAIN), Holds)
    for wrong in (one - other, one - 1, other - 1, one * other - N**G, one + other - 1 - N**G):
        assert not ExpField([wrong]).vanishes(wrong)
        assert isinstance(equal(wrong, S.Zero, DOMAIN), Refuted)
    assert not ExpField([one, other, N**G]).vanishes(one - other)


def test_a_base_must_be_positive() -> None:
    # For x < 0 the two sides are not the same: 1 and -1 at gamma = 1.
    anywhere = Domain({X: Range(-oo), G: Range(S(0))}, {X: Integer(1), G: Integer(1)})
    found = equal((X**2) ** G, X ** (2 * G), anywhere)
    assert not isinstance(found, Holds)
    with pytest.raises(NotInField):
        ExpField([(-2) ** N]).ratio((-2) ** N)


def test_symbols_in_exponents_are_read_where_they_are_allowed() -> None:
    names = {"n": N, "gamma": G}
    assert expression("(2*n/(n - 1))**(gamma/2)", names, powers=True) == POWER
    for text in ("2**n**n**n", "2**n**9", "2**(2**gamma)", "(0 - 2)**gamma", "2**(99*n)"):
        with pytest.raises(NotANumber):
            expression(text, names, powers=True)
    with pytest.raises(NotANumber):
        expression("n**gamma", names)

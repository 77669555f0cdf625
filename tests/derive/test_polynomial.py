"""Polynomials by FLINT: each operation against SymPy's own, on random ones."""

from __future__ import annotations

import random

import pytest
from cltheory.derive.decide import coefficients
from cltheory.derive.decide.domain import Domain, between
from cltheory.derive.decide.polynomial import Poly, Quotient, Ring, to_sympy
from cltheory.derive.decide.product import exponential, over, power, replaced, times
from sympy import E, I, Lambda, Mul, Rational, S, Symbol, exp, log, oo, pi, sqrt
from sympy.polys.domains import QQ
from sympy.polys.rings import PolyElement, ring

SYMBOLS = tuple(Symbol(s) for s in "xyz")
OURS = Ring(SYMBOLS)
THEIRS, *GENS = ring(SYMBOLS, QQ)


def drawn(chance: random.Random, terms: int = 4) -> tuple[Poly, PolyElement]:
    """The same polynomial twice."""
    monoms = {tuple(chance.randint(0, 2) for _ in SYMBOLS) for _ in range(terms)}
    found = {
        m: QQ(chance.choice([-3, -2, -1, 1, 2, 6]), chance.choice([1, 1, 2, 4])) for m in monoms
    }
    ours = OURS.from_dict({m: to_flint(c) for m, c in found.items()})
    return ours, THEIRS.from_dict(found)


def to_flint(c: object) -> object:
    from flint import fmpq

    number = QQ.to_sympy(c)
    return fmpq(number.p, number.q)


def test_polynomials_are_those_of_sympy() -> None:
    chance = random.Random(1)
    for _ in range(60):
        (a, sa), (b, sb) = drawn(chance), drawn(chance)
        for mine, its in ((a + b, sa + sb), (a - b, sa - sb), (a * b, sa * sb), (-a, -sa)):
            assert mine.as_expr() == its.as_expr()
        assert (a**3).as_expr() == (sa**3).as_expr() and a.diff(1).as_expr() == sa.diff(1).as_expr()
        assert a.monoms() == sa.monoms() and a.degrees() == sa.degrees()
        assert [to_sympy(c) for c in a.coeffs()] == [QQ.to_sympy(c) for c in sa.coeffs()]
        assert to_sympy(a.leading) == QQ.to_sympy(sa.LC) and len(a) == len(sa)
        content, rest = a.primitive()
        assert (to_sympy(content), rest.as_expr()) == (
            QQ.to_sympy(sa.content()),
            sa.primitive()[1].as_expr(),
        )
        assert (a * b).over(b) == a and hash(a + b) == hash(b + a)
        assert (a == b) is (sa == sb) and a != a + OURS.one and a != 1


def test_factors_come_as_sympy_writes_them() -> None:
    chance = random.Random(2)
    for _ in range(40):
        (a, sa), (b, sb), (c, sc) = (drawn(chance, 2) for _ in range(3))
        content, factors = (a * b**2 * c).factor_list()
        its_content, its = (sa * sb**2 * sc).factor_list()
        assert to_sympy(content) == QQ.to_sympy(its_content)
        assert [(f.as_expr(), k) for f, k in factors] == [(f.as_expr(), k) for f, k in its]


def test_quotients_are_in_lowest_terms() -> None:
    chance = random.Random(3)
    field = THEIRS.to_field()
    for _ in range(60):
        (a, sa), (b, sb), (c, sc) = drawn(chance), drawn(chance), drawn(chance, 2)
        mine, its = Quotient(a * c, b * c), field.new(sa * sc, sb * sc)
        assert mine.numer.as_expr() == its.numer.as_expr()
        assert mine.denom.as_expr() == its.denom.as_expr()
        assert (mine / Quotient(c, a)).as_expr() == (its / field.new(sc, sa)).as_expr()
    nothing = Quotient(OURS.zero, OURS.gens[0])
    assert not nothing.numer and nothing.denom == OURS.one
    with pytest.raises(ZeroDivisionError):
        Quotient(OURS.one, OURS.zero)


def test_numbers_and_no_symbols() -> None:
    none = Ring(())
    half = none.from_dict({(): to_flint(QQ(1, 2))})
    assert half.is_number and half.as_expr() == Rational(1, 2) and half.degrees() == ()
    assert half.factor_list()[1] == [] and half.primitive()[1] == none.one
    assert not none.zero and none.zero.leading == 0 and none.zero.primitive() == (0, none.zero)
    assert OURS.zero.degrees() == (-1, -1, -1) and not OURS.gens[0].is_number


def test_products_with_exponentials_are_those_of_sympy() -> None:
    x, y, z = SYMBOLS
    for factor in (
        x,
        x * y,
        x + 1,
        2 * x * (y - 1),
        S.One,
        S(-3),
        S.Zero,
        x / (y + exp(z)),
        exp(y),
    ):
        for exponent in (x, -z / (x * (y - 1)), (1 - x) / y):
            mine = times(factor, exp(exponent, evaluate=False))
            assert mine == factor * exp(exponent) and str(mine) == str(factor * exp(exponent))
    parts = [
        x,
        S(2),
        S.Half,
        sqrt(2),
        1 / x,
        x + 1,
        exp(x),
        exp(-x),
        E,
        2 * exp(y),
        x * exp(-y),
        -z,
    ]
    parts += [x**2 * exp(x), (x + 1) ** -2, sqrt(x) * y, -1 / (y + exp(z)), S.Zero, S.One, pi]
    for one in parts:
        for other in parts:
            assert times(one, other) == one * other, (one, other)
            assert times(one, other).args == (one * other).args
            if other != 0:
                assert over(one, other) == one / other, (one, other)
            for third in (x, -1 / y, exp(z), S.Half):
                found = times(one, third, other)
                assert (found, found.args) == ((whole := Mul(one, third, other)), whole.args)


def test_powers_and_what_is_put_in_are_those_of_sympy() -> None:
    x, y, z = SYMBOLS
    for base in (x + 1, x + exp(y), x * y, S(3), exp(x), sqrt(x), x + oo, S(2) + sqrt(2), S.One):
        for exponent in map(S, (-2, -1, 0, 1, 3, "1/2")):
            assert power(base, exponent) == base**exponent, (base, exponent)
    for exponent in (x, log(x), 2 * log(x) + y, x + 1, I * pi * x, S(0), S(2), x * oo, 3 * log(2)):
        assert exponential(exponent) == exp(exponent), exponent
    whole = x * exp(y / (x + 1)) / (y + exp(z)) ** 2 - log(x * z) * sqrt(y) + Lambda(x, x * y)(z)
    for values in ({x: y}, {y: S.Zero}, {x: S.One, z: log(y)}, {exp(z): -y}, {z: -z, y: 1 / x}):
        assert replaced(whole, values) == whole.xreplace(values), values


# --- how many terms there will be --------------------------------------------------------------
def test_no_more_terms_are_formed_than_are_foreseen() -> None:
    """With what a domain puts in: sums and quotients of variables, and powers of one."""
    chance = random.Random(7)
    u, v = Ring([Symbol("u"), Symbol("v")]).gens
    one = u.ring.one
    images = [(u, one), (one + v, one), (one, one + u), (u + v, one + u), (u * v, one + v)]
    for _ in range(200):
        (poly, _), rules = drawn(chance), {s: chance.choice(images) for s in SYMBOLS}
        found = coefficients.substituted(poly, u.ring, rules)
        assert len(found) <= coefficients.most_terms(poly, rules)


def test_a_polynomial_with_too_many_terms_is_not_formed(monkeypatch: pytest.MonkeyPatch) -> None:
    """In e = exp(x) and x the proof takes few terms at low powers, and a million at high ones."""
    longest = []

    def spy(poly: Poly, into: Ring, rules: coefficients.Rules) -> Poly:
        found = substituted(poly, into, rules)
        longest.append(len(found))
        return found

    substituted = coefficients.substituted
    monkeypatch.setattr(coefficients, "substituted", spy)
    x = Symbol("x", real=True)
    domain = Domain({x: between(0, 2)}, {x: S.One})
    low, high = ((x + 1) ** k * exp(2 * k * x) - x**k * exp((2 * k - 1) * x) for k in (2, 400))
    assert coefficients.proves(low, domain)
    assert not coefficients.proves(high, domain)
    assert 0 < max(longest) < coefficients.MOST_TERMS

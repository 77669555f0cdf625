"""Where an expression has a value, and that nothing is proved of one that has none."""

from __future__ import annotations

import pytest
from cltheory.derive.decide.decide import (
    all_zero,
    any_positive,
    is_proved_positive,
    positive,
    proof_of_positive,
    zero,
)
from cltheory.derive.decide.defined import conditions, defined
from cltheory.derive.decide.domain import POSITIVE, Domain, Range, at_least, between
from cltheory.derive.decide.evidence import Grade, Holds, Refuted, Undecided
from cltheory.derive.decide.wanting import wanting
from cltheory.derive.losses.clip import b
from cltheory.derive.losses.softmax import tau
from cltheory.derive.losses.supcl import alpha
from cltheory.derive.optimum.segment import x
from cltheory.derive.structures.hierarchy import m, n
from sympy import (
    Abs,
    Expr,
    Function,
    I,
    Max,
    Piecewise,
    Pow,
    Rational,
    S,
    Symbol,
    cos,
    exp,
    log,
    oo,
    sqrt,
    zoo,
)

D = Domain(
    {
        m: at_least(2),
        n: at_least(2),
        tau: POSITIVE,
        alpha: between(0, 1),
        b: Range(-oo),
        x: between(0, 2),
    },
    {m: 3, n: 2, tau: 1, alpha: Rational(1, 2), b: 0, x: 1},
)

HAVE_VALUES = [
    log(1 + x),
    log(m * n - 1),
    sqrt(x),
    sqrt(2 - x),
    (1 - alpha) ** Rational(3, 2),
    1 / (m * n - 1),
    1 / (x - 3),
    1 / ((x - 3) * (alpha + 1)),
    1 / (x**2 - 2 * x - 3),  # (x - 3)(x + 1): the factors have signs, the coefficients do not
    1 / (1 + exp(-b / tau)),
    1 / log(2 + x),
    1 / log(m / (m + 1)),
    1 / (n + log(4) - 2 * log(2)),
    log(log(3 + x)),
    1 / sqrt(1 + x),
    exp(-1 / tau),
    Max(0, b) + Abs(b) + cos(b),
    2**b,
    1 / (sqrt(x**2 + 1) + x),
    1 / (sqrt(x**2 + 1) - x),
    1 / (1 + x - sqrt(x**2 + 1 + x)),
    log(sqrt(b**2 + 1) - b),
    Piecewise((log(1 + x), x < 1), (1, True)),
]


@pytest.mark.parametrize("e", HAVE_VALUES)
def test_what_has_a_value_everywhere(e) -> None:
    outcome = defined(e, D)
    if e.has(sqrt(x**2 + x + 1)):  # at x = 0 it is 1/0
        assert isinstance(outcome, Refuted)
        return
    assert isinstance(outcome, Holds) and outcome.evidence.grade is Grade.EXACT


LACK_VALUES = [
    (log(x), {"x": 0}),
    (log(x - 1), None),
    (log(1 - alpha), {"alpha": 1}),
    (sqrt(x - 1), {"x": 0}),
    (sqrt(alpha - 2), None),
    ((alpha - 1) ** Rational(1, 3), None),
    (1 / x, {"x": 0}),
    (1 / (x - 1), {"x": 1}),
    (1 / (x - 1) ** 2, {"x": 1}),
    (1 / sqrt(x), {"x": 0}),
    (x ** Rational(-1, 3), {"x": 0}),
    (1 / log(1 + x), {"x": 0}),
    (1 / (n - 2 + log(4) - 2 * log(2)), {"n": 2}),
    (log(log(1 + x)), None),
    (exp(1 / (x - 1)), {"x": 1}),
    (1 / (1 - exp(b)), {"b": 0}),
    (x * (1 / (m - 2)), {"m": 2}),
    (Max(0, log(x - 1)), None),
    (Piecewise((log(x), x > 1), (0, True)), None),  # not followed into the case
]


@pytest.mark.parametrize("e, point", LACK_VALUES)
def test_what_lacks_a_value_somewhere_is_refuted_with_a_point(e, point) -> None:
    outcome = defined(e, D)
    assert isinstance(outcome, Refuted) and "has no value there" in outcome.note
    assert point is None or dict(outcome.witness) == point


@pytest.mark.parametrize("e, point", LACK_VALUES)
def test_nothing_is_proved_of_what_lacks_a_value(e, point) -> None:
    d = D
    for sign in (1, -1):
        for strict in (True, False):
            assert not isinstance(positive(sign * e, d, strict=strict), Holds)
            assert not isinstance(positive(sign * e + 10**6, d, strict=strict), Holds)
            assert proof_of_positive(sign * e, d, strict=strict) is None
            assert not is_proved_positive(e**7 + 10**6, d, strict=strict)
            assert not isinstance(any_positive([S.One + x, e], d, strict=strict), Holds)
    # Identities wherever there is a value, written so that SymPy does not cancel them.
    for residual in ((x + 1) * e - x * e - e, (e + 1) ** 2 - e**2 - 2 * e - 1):
        if residual != 0:
            assert not isinstance(zero(residual, d), Holds)
            assert not isinstance(all_zero([S.Zero, residual], d), Holds)


@pytest.mark.parametrize(
    "e",
    [
        (x**2 - 1) / (x - 1) - x - 1,
        (x - 1) * (x + 1) / (x**2 - 1) - 1,
        (log(m * n) - log(m) - log(n)) * x / (log(m * n) - log(m) - log(n) + x - x),
        (m - 2) * (m + 2) / (m**2 - 4) - 1,
        log(x - 5) * (x + 1) - x * log(x - 5) - log(x - 5),
        sqrt(alpha - 2) ** 3 - sqrt(alpha - 2) * (alpha - 2),
        (1 + 1 / x) * x - x - 1,
    ],
)
def test_a_zero_needs_a_value(e) -> None:
    if e != 0:
        assert not isinstance(zero(e, D), Holds)


def test_the_same_zeros_hold_where_there_is_a_value() -> None:
    away = D.with_range(x, between(2, 3), 2).with_range(m, at_least(3), 3)
    for e in (
        (x**2 - 1) / (x - 1) - x - 1,
        (x - 1) * (x + 1) / (x**2 - 1) - 1,
        (m - 2) * (m + 2) / (m**2 - 4) - 1,
        log(x - 1) * (x + 1) - x * log(x - 1) - log(x - 1),
        (1 + 1 / x) * x - x - 1,
    ):
        assert isinstance(zero(e, away), Holds)


def test_a_root_is_positive_only_where_its_base_is() -> None:
    assert isinstance(positive(sqrt(x), D), Refuted)
    assert isinstance(positive(sqrt(x), D, strict=False), Holds)
    assert isinstance(positive(sqrt(x) + 1, D), Holds)
    assert isinstance(positive(sqrt(x + 1), D), Holds)
    assert isinstance(positive(1 / sqrt(x + 1), D), Holds)
    assert isinstance(positive(sqrt(x) * exp(x), D), Refuted)
    # The same where x is only in the root, and the other symbols are outside of it.
    assert isinstance(positive(m * sqrt(x), D), Refuted)
    assert isinstance(positive(x**2 * sqrt(x + 1) - 1, D), Refuted)


def test_a_logarithm_has_the_sign_of_its_argument_against_one() -> None:
    assert isinstance(positive(log(1 + m), D), Holds)
    assert isinstance(positive(-log(m / (m + 1)), D), Holds)
    assert isinstance(positive(log(1 + x), D), Refuted)
    assert isinstance(positive(log(1 + x), D, strict=False), Holds)
    assert isinstance(positive(-log(1 - alpha / 2), D, strict=False), Holds)
    assert isinstance(positive(log(x + Rational(1, 2)), D), Refuted)
    assert not isinstance(positive(log(tau), D), Holds)
    assert not isinstance(positive(log(tau) ** 2, D), Holds)  # zero at tau = 1
    assert isinstance(positive(log(1 + exp(b)), D), Holds)
    assert isinstance(positive(-log(1 + x), D, strict=False), Refuted)
    assert isinstance(positive(log(3) - 1, D), Holds)
    assert isinstance(positive(log(2) - 1, D), Refuted)


def test_maxima_of_logarithms_are_not_resolved_by_a_free_sign() -> None:
    # Of log(1 + x) with x >= 0 SymPy itself knows the sign.
    for e in (Max(0, log(2 * x + 1)) - log(x + S.Half), Abs(log(tau)) - log(tau)):
        assert not isinstance(zero(e, D), Holds)
    assert isinstance(zero(Abs(log(tau)) - log(tau), D), Refuted)
    assert isinstance(zero(Max(0, exp(b)) - exp(b), D), Holds)


def test_dependent_roots_are_never_told_apart_by_a_proof() -> None:
    two, three = sqrt(1 + x), sqrt(1 + alpha)
    product = sqrt((1 + x) * (1 + alpha))
    assert not isinstance(positive(two * three - product, D), Holds)
    assert not isinstance(positive(product - two * three, D), Holds)
    assert not isinstance(positive((two * three - product) ** 2, D), Holds)
    assert not isinstance(positive(sqrt(b**2) - b, D), Holds)
    assert isinstance(positive(two * three + product, D), Holds)
    assert isinstance(zero(two**4 - (1 + x) ** 2, D), Holds)
    assert not isinstance(defined(1 / (two * three - product), D), Holds)


def test_what_is_not_a_real_number_is_undecided() -> None:
    strange = Symbol("z", imaginary=True)
    for e in (I * x, x + I, Function("f")(x), zoo * x, strange**2, oo * exp(x), x**b):
        assert not isinstance(defined(e, D), Holds)
        for outcome in (positive(e, D), positive(-e, D), positive(exp(e), D)):
            assert not isinstance(outcome, Holds)
    # Where values are complex or infinite, nothing breaks.
    wild = Pow(x - 1, b) + log(x - 1) * Max(0, 1 / (x - 1))
    assert isinstance(positive(wild, D), (Refuted, Undecided))
    assert isinstance(zero(wild, D), (Refuted, Undecided))
    assert isinstance(positive(Piecewise((1 / x, 1 / x > 2), (x, True)), D), (Refuted, Undecided))


def test_symbols_without_a_range_stand_for_any_real_number() -> None:
    g, h = Symbol("g", real=True), Symbol("h", positive=True)
    assert isinstance(defined(1 / (1 + exp(g / tau)), D), Holds)
    assert isinstance(defined(log(1 + h), D), Holds)
    assert isinstance(defined(1 / (1 + g), D), (Refuted, Undecided))
    assert not isinstance(defined(log(g), D), Holds)
    assert not isinstance(defined(1 / h - 1 / (h - 1), D), Holds)
    assert isinstance(zero((1 + g) * exp(g) - exp(g) - g * exp(g), D), Holds)
    assert not isinstance(zero((1 + g) * log(g) - log(g) - g * log(g), D), Holds)
    assert isinstance(positive(g**2 + 1, D), Undecided)


def test_conditions_come_from_the_inside_out() -> None:
    found = [(c.need, c.argument) for c in conditions(1 / log(sqrt(x) + 1))]
    assert found == [(">= 0", x), ("> 0", sqrt(x) + 1), ("!= 0", log(sqrt(x) + 1))]
    assert [c.need for c in conditions(x ** Rational(-1, 2))] == ["> 0"]
    assert [c.need for c in conditions(Piecewise((x, x > 0)))] == ["known"]


def test_what_is_printed_has_a_value_where_the_derived_one_has() -> None:
    def is_defined(printed: Expr, derived: Expr) -> bool:
        return not wanting(conditions(printed), derived, D)

    assert is_defined(log(1 + x), S.One)
    assert not is_defined(log(x - 1), S.One)
    assert is_defined(log(x - 1) + x, log(x - 1))
    assert is_defined(-log(1 / (x - 1)), log(x - 1))
    assert not is_defined(sqrt(x - 1), x)
    assert is_defined(sqrt(x), x)
    assert not is_defined(1 / sqrt(x), x)
    assert not is_defined((x**2 - 1) / (x - 1), x + 1)
    assert is_defined((x**2 - 1) / (x - 1), 1 / (2 - 2 * x))
    assert is_defined(1 / (log(x + 2) - log(x + 1)), x)
    assert not is_defined(1 / (log(x + 2) - log(2 * x + 1)), x)
    # Positive is more than not zero, and not the other way round.
    assert is_defined(1 / (x - 1), log(x - 1))
    assert not is_defined(log(x - 1), 1 / (x - 1))
    # Where the derived one has no value at an end nothing is asked there, and only there.
    closed = Domain({alpha: between(0, 1)}, {alpha: Rational(1, 2)})
    short = [*conditions(1 / (1 - alpha))]
    assert not wanting(short, 1 / (alpha - 1) + 1, closed)
    assert wanting(short, 1 / alpha, closed) and wanting(short, alpha, closed)

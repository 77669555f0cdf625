"""Equality on a domain: what is proved, by which means, and what is refused."""

from __future__ import annotations

import pytest
from cltheory.derive.decide.defined import Condition
from cltheory.derive.decide.domain import POSITIVE, Domain, at_least, between
from cltheory.derive.decide.equal import equal, same_root, value_at
from cltheory.derive.decide.evidence import Grade, Holds, Refuted, Undecided
from cltheory.derive.decide.factors import proves_different_from_zero
from cltheory.derive.decide.logarithms import primes
from cltheory.derive.decide.normal import positive_factors
from cltheory.derive.decide.splitting import split_roots
from cltheory.derive.losses.clip import t
from cltheory.derive.losses.softmax import tau
from cltheory.derive.losses.supcl import alpha
from cltheory.derive.optimum.segment import x
from cltheory.derive.results import results
from cltheory.derive.structures.hierarchy import m, n
from cltheory.derive.structures.towers import N
from sympy import Expr, I, Max, Min, Mul, Piecewise, Rational, S, cos, exp, log, nan, sqrt

THRESHOLD, SIGMOID, OPTIMUM = "supcl-threshold", "sigmoid-threshold", "supcl-optimum"
y = exp(m / ((m - 1) * tau))


def quantity(id, name):
    q = results[id].quantity(name)
    return q.expression, q.domain or results[id].domain


TMAX = m / (m - 1) / log(m * (1 - alpha) / alpha + 1)
FORMS = [
    # multiplied out with the reciprocal exponential
    (THRESHOLD, "alpha_min", (m * n - 1 + y) / (n * (m - 1 + y))),
    # the logarithm of a quotient, and of products
    (
        THRESHOLD,
        "tau_max",
        m / (m - 1) / (log(n * m * (1 - alpha) + alpha * n - 1) - log(alpha * n - 1)),
    ),
    (
        THRESHOLD,
        "tau_max",
        -m / (m - 1) / log((alpha * n - 1) / (m * n - 1 - alpha * n * (m - 1))),
    ),
    (THRESHOLD, "tau_max_n_oo", TMAX),
    (SIGMOID, "t_antipodal", log(N - 2) / 2 - log(2) / 2),
    (SIGMOID, "t_antipodal", log(sqrt(N / 2 - 1))),
    (SIGMOID, "t_antipodal", -log(2 / (N - 2)) / 2),
    # roots, under a logarithm, in other shapes and rationalised
    (
        SIGMOID,
        "b_simplex",
        log(2 * (N - 2))
        - log(
            sqrt((N - 4) ** 2 * exp(-2 * t) + 8 * (N - 2) * exp(-t + t / (N - 1)))
            - (N - 4) * exp(-t)
        ),
    ),
    (
        SIGMOID,
        "b_simplex",
        log(
            sqrt((N - 4) ** 2 * exp(-2 * t) + 8 * (N - 2) * exp(-t + t / (N - 1)))
            + (N - 4) * exp(-t)
        )
        - log(4)
        + t
        - t / (N - 1),
    ),
    # maxima and case distinctions
    (
        OPTIMUM,
        "within_class_variance_n_oo",
        Max(0, 1 - tau * (m - 1) / m * log(1 + m * (1 - alpha) / alpha)),
    ),
    (
        OPTIMUM,
        "within_class_variance_n_oo",
        Piecewise((1 - tau / TMAX, tau < TMAX), (0, True)),
    ),
    (
        OPTIMUM,
        "within_class_variance_n_oo",
        Piecewise((0, tau >= TMAX), (1 - tau / TMAX, True)),
    ),
]


@pytest.mark.parametrize("id, name, printed", FORMS)
def test_equivalent_forms_are_proved(id, name, printed) -> None:
    derived, domain = quantity(id, name)
    outcome = equal(printed, derived, domain)
    assert isinstance(outcome, Holds) and outcome.evidence.grade is Grade.EXACT


@pytest.mark.parametrize("id, name, printed", FORMS)
def test_wrong_forms_are_refuted(id, name, printed) -> None:
    derived, domain = quantity(id, name)
    smallest = domain.witness
    for wrong in (
        printed + Rational(1, 10**9),
        -printed,
        printed.xreplace({s: s + 1 for s in printed.free_symbols if s.is_integer}),
    ):
        outcome = equal(wrong, derived, domain)
        assert isinstance(outcome, Refuted), wrong
        point = {s: outcome.witness[s.name] for s in smallest if s.name in outcome.witness}
        assert domain.restricted(point).contains(point)
        one, other = value_at(wrong, point), value_at(derived, point)
        assert one is I or one != other


def test_logarithms_of_negative_numbers_do_not_count() -> None:
    derived, domain = quantity(THRESHOLD, "tau_max")
    # Equal if imaginary parts are left to cancel.
    printed = m / (m - 1) / (log(1 - n * m * (1 - alpha) - alpha * n) - log(1 - alpha * n))
    outcome = equal(printed, derived, domain)
    assert isinstance(outcome, Refuted) and "no real value" in outcome.note
    both = log((alpha * n - 1) ** 2) / 2
    assert isinstance(equal(log(1 - alpha * n), both, domain), Refuted)


def test_what_cancels_in_a_proof_needs_a_value_first() -> None:
    domain = Domain({m: at_least(2)}, {m: 2})
    # Equal at the few points that are looked at before a proof is tried.
    printed = (m + 1) * log(9 - m) - m * log(9 - m) - log(9 - m) + m
    outcome = equal(printed, m, domain)
    assert isinstance(outcome, Refuted) and "has no value" in outcome.note
    assert outcome.witness["m"] >= 9


def test_roots_are_split_over_factors_only_where_the_product_is_positive() -> None:
    domain = Domain({t: POSITIVE, x: between(0, 1)}, {t: 1, x: S.Half})
    assert split_roots(sqrt(t**2 * (1 + x)), domain) == t * sqrt(1 + x)
    assert split_roots(sqrt((2 - x) * (3 - x), evaluate=False), domain) == sqrt(2 - x) * sqrt(3 - x)
    for e in (sqrt(-t * (1 + x)), sqrt((x - 2) * t), sqrt(t * (1 - x)), sqrt(x * t)):
        assert split_roots(e, domain) == e


@pytest.mark.parametrize(
    "e", [sqrt(30) * (sqrt(7) - 9) / (2 - sqrt(7)), 7 / (sqrt(2) - 3) ** 3 * -1]
)
def test_negative_factors_below_a_fraction_are_factors(e: Expr) -> None:
    product = Mul(*(f**k for f, k in positive_factors(e)))
    assert abs((product / e - 1).evalf(30)) < 1e-25


def test_what_is_derived_needs_a_value_as_well() -> None:
    domain = Domain({t: POSITIVE}, {t: 1})
    for derived in (log(-t), sqrt(-t) * log(-t) / sqrt(-t), log(-2 * t) - log(2)):
        assert isinstance(equal(log(t), derived, domain), Undecided)
    assert isinstance(equal(log(2 * t) - log(2), log(t), domain), Holds)


def test_a_value_is_needed_in_its_own_case_only() -> None:
    domain = Domain({m: at_least(3), tau: POSITIVE}, {m: 3, tau: 1})
    rest = 1 - tau * (m - 1) / m
    for end, ok in ((m / (m - 1), True), (m, False)):
        printed = Piecewise((sqrt(rest), tau < end), (0, True))
        found = equal(printed, sqrt(Max(0, rest)), domain)
        assert isinstance(found, Holds if ok else Refuted)
        assert not ok or found.evidence.grade is Grade.EXACT


def test_logarithms_of_maxima_are_split() -> None:
    domain = Domain({t: POSITIVE}, {t: 1})
    for factor, ok in ((2, True), (3, False)):
        found = equal(log(2 * Max(1, t)), log(factor) + log(Max(1, t)), domain)
        assert isinstance(found, Holds if ok else Refuted)
        assert not ok or found.evidence.grade is Grade.EXACT


def test_numbers_with_large_primes_are_split_at_once() -> None:
    domain, (one, other, huge) = Domain({t: POSITIVE}, {t: 1}), (10**9 + 7, 3 * 10**9 + 19, 10**90)
    for factor, ok in ((other, True), (other + 2, False)):
        found = equal(t * log(one * other), t * (log(one) + log(factor)), domain)
        assert isinstance(found, Holds if ok else Refuted)
    # What is not factored is a number like any other; and zero is no product of nothing.
    assert primes(Rational(huge**2 + 1, 12))[-2:] == [(2, -2), (3, -1)]
    assert primes(S.Zero) == [(0, 1)] and not proves_different_from_zero(S.Zero, domain)


def test_a_wrong_case_is_refuted() -> None:
    derived, domain = quantity(OPTIMUM, "within_class_variance_n_oo")
    for wrong in (
        Piecewise((1 + tau / TMAX, tau < TMAX), (0, True)),
        Piecewise((1 - tau / TMAX, tau > TMAX), (0, True)),
        Piecewise((1 - tau / TMAX, tau < 2 * TMAX), (0, True)),
        Piecewise((1 - tau / TMAX, tau < TMAX), (Rational(1, 10), True)),
        Min(0, 1 - tau / TMAX),
    ):
        assert isinstance(equal(wrong, derived, domain), Refuted), wrong


def test_what_is_not_proved_is_only_sampled() -> None:
    domain = Domain({x: POSITIVE}, {x: 1})
    half = cos(x) ** 2 - cos(2 * x) / 2
    outcome = equal(half, S.Half, domain)
    assert isinstance(outcome, Holds) and outcome.evidence.grade is Grade.SAMPLED
    assert isinstance(equal(half + S(10) ** -12, S.Half, domain), Refuted)
    assert isinstance(equal(t, x, domain), Undecided)  # t is not bounded
    small = equal(cos(x), 1 + S(10) ** -30, domain)
    assert isinstance(small, Refuted)


def test_a_removable_singularity_is_named_and_accepted_only_if_allowed() -> None:
    domain = Domain({alpha: between(0, 1, "(]")}, {alpha: Rational(1, 2)})
    printed = (1 - alpha**2) / (1 - alpha)
    assert value_at(printed, {alpha: S.One}) is nan
    outcome = equal(printed, 1 + alpha, domain)
    assert isinstance(outcome, Refuted) and outcome.witness == {"alpha": 1}
    assert "removable singularity" in outcome.note
    allowed = equal(printed, 1 + alpha, domain, removable=True)
    assert isinstance(allowed, Holds) and "removable" in allowed.evidence.how
    # Past the end it needs no value; another value is no singularity; and a zero that fills
    # the domain is none either.
    inside = Domain({alpha: between(0, 1, "()")}, {alpha: Rational(1, 2)})
    assert isinstance(equal(printed, 1 + alpha, inside), Holds)
    assert isinstance(equal(printed + 1, 1 + alpha, domain, removable=True), Refuted)
    nothing = [Condition(1 / alpha, "!= 0", log(2 * alpha) - log(alpha) - log(2))]
    for removable in (False, True):
        found = equal(alpha, alpha, domain, nothing, removable=removable)
        assert isinstance(found, Refuted | Undecided)


def test_what_cancelled_when_it_was_read_is_asked_too() -> None:
    domain = Domain({m: at_least(2)}, {m: 2})
    lost = [Condition(log(20 - m), "> 0", 20 - m)]
    outcome = equal(m, m, domain, lost)
    assert isinstance(outcome, Refuted) and outcome.witness["m"] >= 20
    assert isinstance(equal(m, m, domain, [Condition(log(m), "> 0", m)]), Holds)
    place = equal(m, m, domain, [Condition(1 / (m - 40), "!= 0", m - 40)])
    assert isinstance(place, Refuted) and place.witness == {"m": 40}
    known = [Condition(log(m - 1), "> 0", m - 1)]
    assert isinstance(equal(log(m - 1), log(m - 1), Domain({m: at_least(1)}, {m: 2}), known), Holds)


def test_digits_that_cancel_are_followed() -> None:
    domain = Domain({m: at_least(2)}, {m: 2})
    printed = (exp(500 * m) + 1) ** 2 - exp(1000 * m) - 2 * exp(500 * m)
    assert isinstance(equal(printed, S.One, domain), Holds)
    assert isinstance(equal(printed, 1 + exp(-900 * m), domain), Refuted)
    assert value_at(printed, {m: S(2)}) == S.One.n(50)
    far = {m: S(10) ** 9}
    assert value_at(printed, far) is nan


def test_values() -> None:
    assert value_at(log(x - 1), {x: S.Half}) is I
    assert value_at(sqrt(x - 1), {x: S.Half}) is I
    assert value_at(1 / x, {x: S.Zero}) is nan
    assert value_at(x / 3, {x: S.One}) == Rational(1, 3)


def test_equations_for_a_root() -> None:
    q, domain = quantity(OPTIMUM, "x_star")
    h, variable = q.equation()
    assert isinstance(same_root(3 * h / tau, q, domain), Holds)
    assert isinstance(same_root(-h * exp(variable), q, domain), Holds)
    for wrong in (h + 1, h.xreplace({n: n + 1}), variable - 1, h * (variable - 1), S.Zero):
        assert not isinstance(same_root(wrong, q, domain), Holds)


def test_domains_with_few_points() -> None:
    domain = Domain({m: at_least(2)}, {m: 2})
    assert isinstance(equal((m + 1) ** 2, m**2 + 2 * m + 1, domain), Holds)
    assert isinstance(equal(S.One, S.One, Domain({})), Holds)
    assert isinstance(equal(S.One, S(2), Domain({})), Refuted)

"""Sums with any number of terms: equal ones are proved so, and unequal ones are not."""

from itertools import permutations

import pytest
from cltheory.derive.decide.domain import POSITIVE, Domain, at_least
from cltheory.derive.decide.evidence import Grade, Holds, Undecided
from cltheory.derive.decide.sums import NoSum, equal, is_positive, normal
from cltheory.derive.proof.indexed import SumsEqual
from cltheory.derive.proof.relations import eq, le
from sympy import (
    IndexedBase,
    Piecewise,
    Rational,
    S,
    Sum,
    Symbol,
    conjugate,
    exp,
    log,
    symbols,
)

tau = Symbol("tau", positive=True)
n = Symbol("n", integer=True, positive=True)
i, j, k = symbols("i j k", integer=True)
x, y = IndexedBase("x", real=True), IndexedBase("y", real=True)
a = IndexedBase("a", positive=True)
w = IndexedBase("w", nonnegative=True)
WHERE = Domain({tau: POSITIVE, n: at_least(2)}, {tau: 1, n: 3})
SHARES = {Sum(a[i], (i, 1, n)): S.One}
ROWS = {Sum(w[i, j], (j, 1, n)): S.One}
LIMITS = [(index, 1, n) for index in (i, j, k)]
total = Sum(exp(x[j] / tau), (j, 1, n))

EQUAL = [
    (Sum(x[i] + y[i], (i, 1, n)), Sum(y[j], (j, 1, n)) + Sum(x[k], (k, 1, n)), {}),
    (Sum(x[i], (i, 1, n)) ** 2, Sum(x[i] * x[j], (i, 1, n), (j, 1, n)), {}),
    (Sum(w[i, j] * x[i], (i, 1, n), (j, 1, n)), Sum(w[j, i] * x[j], (i, 1, n), (j, 1, n)), {}),
    (Sum(tau * x[1] + x[i], (i, 1, n)), n * tau * x[1] + Sum(x[i], (i, 1, n)), {}),
    (Sum(exp(x[i] / tau) / total, (i, 1, n)), S.One, {}),
    (Sum(exp((x[i] - x[1]) / tau), (i, 1, n)), total * exp(-x[1] / tau), {}),
    (
        Sum(a[i] * log(a[i] / total), (i, 1, n)),
        Sum(a[i] * log(a[i]), (i, 1, n)) - log(total),
        SHARES,
    ),
    (Sum(w[i, j] * x[i] ** 2, (i, 1, n), (j, 1, n)), Sum(x[i] ** 2, (i, 1, n)), ROWS),
    (Sum(a[i] / a[i], (i, 1, n)), n, {}),
    (Sum((x[i] - Sum(x[j], (j, 1, n)) / n), (i, 1, n)), S.Zero, {}),
]


@pytest.mark.parametrize("left, right, known", EQUAL)
def test_equal_sums_are_proved_equal(left, right, known):
    found = equal(left, right, WHERE, known)
    assert isinstance(found, Holds) and found.evidence.grade is Grade.EXACT


@pytest.mark.parametrize("left, right, known", EQUAL)
@pytest.mark.parametrize("factor, shift", [(2, 0), (-1, 0), (1, Rational(1, 7))])
def test_wrong_multiples_and_shifts_are_refused(left, right, known, factor, shift):
    wrong = factor * right + shift
    if right == 0 and not shift:
        wrong = x[1]
    assert isinstance(equal(left, wrong, WHERE, known), Undecided)


@pytest.mark.parametrize(
    "left, right, known",
    [
        (
            Sum(w[i, j] * x[j] ** 2, (i, 1, n), (j, 1, n)),
            Sum(x[j] ** 2, (j, 1, n)),
            ROWS,
        ),  # columns
        (Sum(x[i] ** 2, (i, 1, n)), Sum(x[i], (i, 1, n)) ** 2, {}),
        (Sum(x[i] * y[i], (i, 1, n)), Sum(x[i], (i, 1, n)) * Sum(y[i], (i, 1, n)), {}),
        (Sum(log(x[i] * x[i]), (i, 1, n)), 2 * Sum(log(x[i]), (i, 1, n)), {}),  # not positive
        (Sum(a[i] * log(total), (i, 1, n)), log(total), {}),  # what is not given
        (Sum(log(Sum(w[i, j], (j, 1, n))), (i, 1, n)), Sum(log(w[i, i]), (i, 1, n)), {}),
    ],
)
def test_what_is_not_so_is_not_proved(left, right, known):
    assert isinstance(equal(left, right, WHERE, known), Undecided)


@pytest.mark.parametrize("left, right, known", [e for e in EQUAL if not e[2]])
@pytest.mark.parametrize("size", [2, 3])
def test_the_normal_form_has_the_same_value(left, right, known, size):
    # The terms are written out, which shares no code with the normal form.
    numbers = {}
    for base in (x, y, a):
        numbers |= {base[p]: Rational(2 * p + len(str(base.label)), 3 + p) for p in range(1, 4)}
    numbers |= {w[p, q]: Rational(1 + p, 2 + p * q) for p in range(1, 4) for q in range(1, 4)}

    def value(e):
        return float(e.subs(n, size).subs(tau, Rational(1, 2)).doit().subs(numbers))

    values = [value(e) for e in (left, normal(left), right)]
    assert values == pytest.approx([values[0]] * 3, rel=1e-12)


def test_what_is_known_of_indices_is_not_said_of_others():
    for out in (n + 1, i + 1, tau):
        left = Sum(w[out, j] * x[1], (i, 1, n), (j, 1, n))
        assert isinstance(equal(left, n * x[1], WHERE, ROWS), Undecided)
    assert isinstance(equal(Sum(w[i, j], (j, 1, n)), S.One, WHERE, ROWS), Holds)
    assert isinstance(
        equal(Sum(log(Sum(w[k, j], (j, 1, n))), (k, 1, n)), S.Zero, WHERE, ROWS), Holds
    )


def test_nested_indices_are_not_mixed_up():
    nested = Sum(log(Sum(a[j] * a[i] + a[j] ** 2, (j, 1, n))), (i, 1, n))
    other = Sum(log(Sum(a[i] * a[j] + a[i] ** 2, (i, 1, n))), (j, 1, n))
    assert isinstance(equal(nested, other, WHERE), Holds)
    same = Sum(log(Sum(2 * a[i] ** 2, (i, 1, n))), (j, 1, n))
    assert isinstance(equal(nested, same, WHERE), Undecided)


def test_other_sums_are_refused():
    with pytest.raises(NoSum, match="from 1 on"):
        normal(Sum(x[i], (i, 2, n)))
    assert isinstance(equal(Sum(x[i], (i, 0, n)), S.Zero, WHERE), Undecided)


def test_signs():
    assert is_positive(total) and is_positive(a[1] * total) and is_positive(total**-1)
    assert not is_positive(Sum(x[i], (i, 1, n))) and not is_positive(a[1] - a[2])


def test_what_ends_or_is_given_may_depend_on_other_indices():
    # The sum of d_i g_i is not the product of the sums over n.
    count, apart = Sum(S.One, (j, 1, i)), Sum(y[k], (k, 1, n))
    triangle = Sum(n * count * y[i] - count * apart, (i, 1, n))
    assert isinstance(equal(triangle, S.Zero, WHERE), Undecided)
    row = Sum(w[i, j], (j, 1, n))
    given = {row: x[i]}
    false = Sum(n * row * y[i] - row * apart, (i, 1, n))
    assert isinstance(equal(false, S.Zero, WHERE, given), Undecided)
    assert isinstance(
        equal(Sum(row * y[i], (i, 1, n)), Sum(x[i] * y[i], (i, 1, n)), WHERE), Undecided
    )
    true = equal(Sum(row * y[i], (i, 1, n)), Sum(x[i] * y[i], (i, 1, n)), WHERE, given)
    assert isinstance(true, Holds)
    first = {Sum(w[1, j], (j, 1, n)): S.One}  # of the first row, and of no other
    assert isinstance(equal(Sum(w[1, j], (j, 1, n)), S.One, WHERE, first), Holds)
    assert isinstance(equal(Sum(w[2, j], (j, 1, n)), S.One, WHERE, first), Undecided)
    assert isinstance(equal(Sum(w[i, j], (j, 1, n), (i, 1, n)), n, WHERE, first), Undecided)


@pytest.mark.parametrize("name", ["i_1_0", "i_2_0", "i"])
def test_an_index_of_the_normal_form_captures_no_symbol(name):
    free = Symbol(name, integer=True)
    row = Sum(w[free, j], (j, 1, n))
    assert isinstance(equal(row, Sum(w[j, j], (j, 1, n)), WHERE), Undecided)
    assert isinstance(equal(row, Sum(w[free, k], (k, 1, n)), WHERE), Holds)


def test_an_index_that_stands_twice_belongs_to_the_inner_sum():
    m = Symbol("m", integer=True, positive=True)
    where, twice = WHERE.with_range(m, at_least(1), S(2)), Sum(x[i], (i, 1, n), (i, 1, m))
    assert isinstance(equal(twice, m * Sum(x[i], (i, 1, n)), where), Holds)
    assert isinstance(equal(twice, n * Sum(x[i], (i, 1, m)), where), Undecided)


@pytest.mark.parametrize("terms", [n - 2, n / 2, n - 7, S.Zero, S.Infinity])
def test_a_sum_has_a_term(terms):
    # For n = 2 the first is empty, and has no logarithm.
    inside = Sum(a[j], (j, 1, terms))
    split = equal(log(tau * inside), log(tau) + log(inside), WHERE)
    assert isinstance(split, Undecided)
    assert isinstance(equal(log(tau * total), log(tau) + log(total), WHERE), Holds)
    fewer = Sum(a[j], (j, 1, n - 1))
    assert isinstance(equal(log(tau * fewer), log(tau) + log(fewer), WHERE), Holds)


def test_only_real_entries_are_compared():
    c = IndexedBase("c")
    assert isinstance(equal(conjugate(c[1]), c[1], WHERE), Undecided)
    assert isinstance(equal(conjugate(x[1]), x[1], WHERE), Holds)


def test_the_logarithm_of_a_square_needs_the_sign():
    v = IndexedBase("v", real=True, nonzero=True)
    assert isinstance(equal(log(tau * v[1] ** 2), log(tau) + 2 * log(v[1]), WHERE), Undecided)
    assert isinstance(equal(log(tau * v[1] ** 2), log(tau) + log(v[1] ** 2), WHERE), Holds)


def test_the_logarithm_of_a_product_needs_the_signs():
    v = IndexedBase("v", real=True, nonzero=True)
    for one, other in ((v[1], v[2]), (v[1] ** 3, v[2] ** 3)):  # both may be negative
        split = log(one) + log(other)
        assert isinstance(equal(log(one * other), split, WHERE), Undecided)
    both = log(a[1]) + log(a[2]) * 3
    assert isinstance(equal(log(a[1] * a[2] ** 3), both, WHERE), Holds)


def test_a_sum_is_positive_only_where_its_terms_are():
    for base, outcome in ((a, Holds), (x, Undecided)):
        inside = Sum(base[i], (i, 1, n))
        assert isinstance(equal(log(inside**2), 2 * log(inside), WHERE), outcome)


def test_how_many_terms_may_not_depend_on_an_index():
    where = WHERE.with_range(j, at_least(1), S(2))
    triangle, row = Sum(x[i], (i, 1, j), (j, 1, n)), Sum(x[i], (i, 1, j))
    assert isinstance(equal(triangle, n * row, where), Undecided)


def test_what_is_known_of_a_sum_is_not_said_of_a_longer_one():
    m = Symbol("m", integer=True, positive=True)
    where = WHERE.with_range(m, at_least(1), S(2))
    for most, outcome in ((n, Holds), (m, Undecided)):
        inside = Sum(a[i], (i, 1, most))
        assert isinstance(equal(inside, S.One, where, SHARES), outcome)


@pytest.mark.parametrize("order", list(permutations((i, j, k))), ids=str)
def test_the_order_of_indices_does_not_matter(order):
    b = IndexedBase("b", real=True)
    one, other = Sum(b[i, j, k], *LIMITS), Sum(b[order], *LIMITS)
    assert isinstance(equal(one, other, WHERE), Holds)
    mixed = Sum(b[i, j, k] * b[j, k, i] * x[i], *LIMITS)
    names = dict(zip((i, j, k), order, strict=True))
    renamed = Sum(mixed.function.xreplace(names), *LIMITS)
    assert isinstance(equal(mixed, renamed, WHERE), Holds)
    wrong = Sum(b[i, j, k] * b[j, k, i] * x[k], *LIMITS)
    assert isinstance(equal(wrong, renamed, WHERE), Undecided)


def test_what_is_no_expression_is_left_alone():
    cases = Sum(Piecewise((x[i], i < 2), (S.Zero, True)), (i, 1, n))
    assert isinstance(equal(cases, x[1], WHERE), Undecided)
    assert isinstance(equal(2 * cases, cases + cases.xreplace({i: j}), WHERE), Holds)


def test_a_name_stands_outside_of_sums_that_would_bind_its_indices():
    shown = eq(Sum(Symbol("s"), (i, 1, n)), Sum(x[i], (i, 1, n)))
    assert isinstance(SumsEqual(shown, WHERE, names={Symbol("s"): x[i]}).decide(), Undecided)
    of_entry = eq(Sum(y[i], (i, 1, n)), Sum(x[i], (i, 1, n)))
    assert isinstance(SumsEqual(of_entry, WHERE, names={y[i]: x[i]}).decide(), Holds)


def test_a_statement_is_what_it_shows():
    sums = Sum(exp(x[i] / tau) / total, (i, 1, n))
    says = SumsEqual(eq("s", S.One), WHERE, names={Symbol("s"): sums})
    assert isinstance(says.decide(), Holds)
    for wrong in (eq("s", S(2)), le("s", S.One), S.true, eq("t", S.One)):
        assert not isinstance(says.saying(wrong).decide(), Holds)
    clash = SumsEqual(eq("n", S.One), WHERE, names={n: sums})
    assert isinstance(clash.decide(), Undecided)

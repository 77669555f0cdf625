"""Formulas laid out for reading: equal to what was derived, no longer, and as people write them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest
from cltheory.derive.decide.domain import POSITIVE, Domain, Range, at_least, between
from cltheory.derive.decide.exact import expression as read_text
from cltheory.derive.results import results
from cltheory.derive.tex.formula.reader import read_formula as read
from cltheory.derive.tex.text.macros import Macros
from cltheory.derive.write.display import root_names, written
from cltheory.derive.write.layout import forms, layout
from cltheory.derive.write.layout.displays import Letters, put_back
from cltheory.derive.write.layout.displays import expression as display
from cltheory.derive.write.layout.equations import has_same_sign
from cltheory.derive.write.layout.forms import as_derived
from cltheory.derive.write.layout.layout import is_same
from cltheory.derive.write.layout.layout import layout as laid_out
from cltheory.derive.write.layout.statement import aligned
from cltheory.derive.write.layout.tex import tex
from cltheory.derive.write.layout.tree import Node, Power, Sum, named
from cltheory.derive.write.layout.width import width
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import (
    And,
    Eq,
    Expr,
    Float,
    IndexedBase,
    Piecewise,
    Rational,
    S,
    Symbol,
    exp,
    log,
    sqrt,
)
from sympy import Sum as Total

m, n, alpha, tau = results["supcl-threshold"].parameters
SIZES = Domain(
    {m: at_least(2), n: at_least(2), alpha: between(0, 1), tau: POSITIVE},
    {m: S(4), n: S(5), alpha: Rational(1, 3), tau: S.One},
)
#: Results that are laid out here: numbers; the other kinds are made of them.
SOME = (
    *("supcl-threshold", "supcl-optimum", "ssem", "ccem", "sigmoid-threshold"),
    *("infonce-optimum", "variance-bound", "superclass-threshold", "simclr", "sincere"),
)


def formulas(id: str) -> list[str]:
    every = results[id].quantities.items()
    return [k for k, q in every if q.is_number and not isinstance(q.expression, Piecewise)]


@cache
def shown(id: str, name: str) -> tuple[Expr, Domain, Node]:
    """A quantity with its roots by name, its domain, and its layout."""
    result = results[id]
    q = result.quantity(name)
    e = q.expression.xreplace({root: n.symbol for root, n in root_names(result).items()})
    domain = q.domain or result.domain
    return e, domain, laid_out(e, domain)


# --- equal, and no longer --------------------------------------------------------------------
@pytest.mark.parametrize("id", SOME)
def test_a_layout_is_equal_and_costs_no_more(id: str) -> None:
    for e, domain, node in (shown(id, name) for name in formulas(id)):
        assert node.cost <= as_derived(e).cost
        assert is_same(node, e, domain) or node.key == as_derived(e).key


@pytest.mark.parametrize("id", SOME)
def test_text_and_latex_say_the_same(id: str) -> None:
    """Both are read by readers that know nothing of layouts."""
    for e, domain, node in (shown(id, name) for name in formulas(id)):
        _say_the_same(e, domain, node)


def _say_the_same(e: Expr, domain: Domain, node: Node) -> None:
    symbols = {s.name: s for s in e.free_symbols}
    text = node.text(named).replace("Max", "max").replace("Min", "min")
    from_text = read_text(text, symbols, max_length=1000)
    from_tex = read(tex(node, written), {written(s): s for s in e.free_symbols}, Macros()).sides[0]
    for point in domain.points(4):
        put = {s: point.get(s, Rational(1, 3)) for s in e.free_symbols}
        expected = e.xreplace(put).n(30)
        if not expected.is_real:
            continue
        for found in (from_text, from_tex):
            assert abs(found.xreplace(put).n(30) - expected) < Float("1e-20") * (1 + abs(expected))


x, y, t = Symbol("x", real=True), Symbol("y", positive=True), Symbol("t", positive=True)
k = Symbol("k", integer=True, positive=True)
RANDOM = Domain(
    {
        x: Range(-S.Infinity, S.Infinity, True, True),
        y: POSITIVE,
        t: POSITIVE,
        k: at_least(2),
    },
    {x: S.Zero, y: S.One, t: S(2), k: S(3)},
)
leaves = st.sampled_from([x, y, t, k, k - 1, S.One, S(2), S(3), Rational(1, 2)])


def grown(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    two = st.tuples(inner, inner)
    return st.one_of(
        two.map(lambda p: p[0] + p[1]),
        two.map(lambda p: p[0] - p[1]),
        two.map(lambda p: p[0] * p[1]),
        two.map(lambda p: p[0] / (1 + p[1] ** 2)),
        inner.map(lambda e: exp(-e / (y * (k - 1))) if e.count_ops() < 12 else e),
        inner.map(lambda e: log(1 + e**2)),
        inner.map(lambda e: sqrt(1 + e**2)),
    )


@settings(max_examples=25, deadline=None)
@given(st.recursive(leaves, grown, max_leaves=5))
def test_layouts_of_random_formulas(e: Expr) -> None:
    node = laid_out(e, RANDOM)
    assert node.cost <= as_derived(e).cost
    assert is_same(node, e, RANDOM) or node.key == as_derived(e).key
    put = {x: Rational(2, 7), y: Rational(3, 5), t: Rational(7, 4), k: S(3)}
    expected = e.xreplace(put).n(30)
    assert abs(node.meaning.xreplace(put).n(30) - expected) < Float("1e-20") * (1 + abs(expected))


# --- a wrong rule is refused -------------------------------------------------------------------
def _flipped(node: Node) -> Node:
    """A sum with the sign of its last term changed, wherever there is one."""
    if isinstance(node, Sum) and len(node.terms) > 1:
        *first, (minus, last) = node.terms
        return Sum((*first, (not minus, last)))
    return node.rebuilt(_flipped)


def _without_one(node: Node) -> Node:
    if isinstance(node, Sum) and len(node.terms) > 1:
        return Sum(node.terms[:-1])
    return node.rebuilt(_without_one)


@pytest.mark.parametrize("wrong", [_flipped, _without_one])
def test_a_corrupted_rule_is_refused(
    monkeypatch: pytest.MonkeyPatch, wrong: Callable[[Node], Node]
) -> None:
    e = results["supcl-threshold"].quantity("alpha_min").expression
    honest = forms.ordered
    monkeypatch.setattr(layout, "ordered", lambda e: tuple(map(wrong, honest(e))))
    layout._layout.cache_clear()
    try:
        assert not is_same(wrong(honest(e)[0]), e, SIZES)
        assert laid_out(e, SIZES).key == as_derived(e).key
    finally:
        layout._layout.cache_clear()


def test_a_form_that_lacks_a_value_is_refused() -> None:
    e = alpha + 1
    divided = as_derived((alpha**2 - 1) / (alpha - 1))
    assert not is_same(divided, e, SIZES)


def test_a_negative_factor_is_not_left_out_of_an_equation() -> None:
    assert has_same_sign((m - 1) * (alpha - tau), alpha - tau, SIZES)
    assert not has_same_sign((1 - m) * (alpha - tau), alpha - tau, SIZES)
    assert not has_same_sign(alpha * (alpha - tau), alpha - tau, SIZES)  # alpha may be zero


# --- as people write them ------------------------------------------------------------------------
GOLDEN = {
    ("supcl-threshold", "alpha_min"): (
        "(m*n - 1 + exp(m/((m - 1)*tau)))/(n*(m - 1 + exp(m/((m - 1)*tau))))",
        r"\frac{m n - 1 + e^{m/((m - 1) \tau)}}{n (m - 1 + e^{m/((m - 1) \tau)})}",
    ),
    ("ssem", "delta_max"): (
        "sqrt((m*n - 1)/(m*(n - 1)))",
        r"\sqrt{\frac{m n - 1}{m (n - 1)}}",
    ),
}


@pytest.mark.parametrize("id, name", GOLDEN)
def test_headline_formulas(id: str, name: str) -> None:
    _, _, node = shown(id, name)
    assert (node.text(named), tex(node, written)) == GOLDEN[id, name]


# --- lines and names -----------------------------------------------------------------------------
def test_repeated_parts_of_long_formulas_get_names() -> None:
    e, domain, node = shown("supcl-optimum", "loss")
    twice = Sum(((False, node), (False, laid_out(e * alpha, domain))))
    found = Letters([twice]).shorten()
    assert found.letters and found.nodes[0].cost < twice.cost
    assert put_back(found.nodes[0], dict(found.letters)).key == twice.key
    assert Letters([laid_out(alpha + 1, SIZES)]).shorten().letters == []


def test_a_power_of_an_exponential_is_latex() -> None:
    # Two superscripts on one base are an error of LaTeX.
    assert tex(as_derived((exp(1 / tau) + 1) ** 2 * m), str) == r"m (1 + e^{1/tau})^{2}"
    power = Power(as_derived(exp(1 / tau)), as_derived(S(3)))
    assert tex(power, str) == r"(e^{1/tau})^{3}"


def test_a_sum_over_an_index_is_held_where_something_follows() -> None:
    # Without brackets these are a sum of squares, and a sum of products.
    i, j = (Symbol(name, integer=True, positive=True) for name in ("i", "j"))
    u, v = IndexedBase("u", nonnegative=True), IndexedBase("v", nonnegative=True)
    one, other = Total(u[i], (i, 1, 3)), Total(v[j], (j, 1, 3))
    held = r"\left(\sum_{i=1}^{3} u_{i}\right)"
    assert tex(laid_out(one**2), str) == rf"{held}^{{2}}"
    squares = Total(u[i] ** 2, (i, 1, 3))
    assert tex(laid_out(squares), str) == r"\sum_{i=1}^{3} u_{i}^{2}"
    assert tex(laid_out(one * other), str) == rf"{held} \sum_{{j=1}}^{{3}} v_{{j}}"


def test_a_case_distinction_is_aligned_and_joins_its_conditions() -> None:
    """One row keeps the signs inside of it: they align the cases."""
    a, b = Symbol("a"), Symbol("b")
    e = Piecewise((a, And(Eq(a, 12), Eq(b, 3))), (b, True))
    shown = display(e, None, lambda s: s.name, "x", room=345.0)
    assert aligned(list(shown.rows)) == (
        r"x = \begin{cases} a & \text{if } a = 12 \text{ and } b = 3 \\"
        r"b & \text{otherwise} \end{cases}"
    )
    narrow = display(e, None, lambda s: s.name, "x", room=100.0)
    assert r"a \\ \quad \text{if } a = 12" in narrow.rows[0]


def test_what_fits_behind_no_left_side_of_a_column_gets_a_line_of_its_own() -> None:
    e = read_text(
        "p*(n - 1)*exp(-x/tau) + n*p*exp(-1/tau)*(a*(k*m - 1)*(m - 1)*(n - 1)*(p - 1)*x"
        " - b*(k*m - 1)*(m - 1)*(p - 1)*x + p*m*(k - 1)*(n - 1) + b*p*(k*m - 1)*(m*n - 1))",
        {s: Symbol(s, positive=True) for s in "a b k m n p x tau".split()},
    )
    found = display(e, None, named, r"\theta_{\mathrm{c}}-y", 170)
    assert len(found.where) > 1
    for row in [*found.rows, *(row for rows in found.where for row in rows)]:
        assert width(row) < 180, row  # a product that is one term may be a little too wide

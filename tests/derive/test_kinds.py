"""Quantities that are arrays, sets, conditions and names, in every format; names that collide."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import mpmath
import numpy as np
import pytest
from cltheory.cli.render import render
from cltheory.derive.decide.domain import POSITIVE, Domain, DomainError, at_least, between
from cltheory.derive.decide.root import argmin
from cltheory.derive.losses.clip import SIGMOID, b, t
from cltheory.derive.losses.conventions import CONVENTIONS
from cltheory.derive.proof.derivation import Derivation
from cltheory.derive.proof.relations import gt
from cltheory.derive.theorem.in_convention import _set
from cltheory.derive.theorem.kinds import interval, may_be_empty, rebuilt, without_empty
from cltheory.derive.theorem.listed import ListOf
from cltheory.derive.theorem.plain import plain
from cltheory.derive.theorem.putback import Inconsistent
from cltheory.derive.theorem.quantity import Quantity
from cltheory.derive.theorem.result import Result
from cltheory.derive.write.export import to_python
from cltheory.derive.write.report import report
from sympy import (
    And,
    FiniteSet,
    Ge,
    Interval,
    Lt,
    Matrix,
    Rational,
    S,
    Symbol,
    Union,
    exp,
    oo,
    sqrt,
)
from sympy.core.symbol import Str

m = Symbol("m", integer=True, positive=True)
tau = Symbol("tau", positive=True)
alpha = Symbol("alpha", nonnegative=True)
x = Symbol("x", nonnegative=True)
DOMAIN = Domain(
    {m: at_least(2), tau: POSITIVE, alpha: between(0, 1)}, {m: 3, tau: 1, alpha: Rational(1, 2)}
)
LOW, HIGH = exp(-m / tau), 1 / m
#: The position that exp(x) = 1 + tau defines.
ROOT = argmin(exp(x) - 1 - tau, x, S.Zero, oo)

FOUND = {
    "value": Quantity(m * tau, "V", "called like a method"),
    "domain": Quantity(LOW, "D", "called like an attribute"),
    "latex": Quantity(ROOT, r"\ell", "called like another method"),
    "cosines": Quantity(Matrix([[1, LOW], [LOW, ROOT]]), "C", "inner products"),
    "collapse": Quantity(
        Interval.Ropen(LOW, HIGH), "A", "values of alpha at which classes collapse", parameter=alpha
    ),
    "warm": Quantity(And(Lt(alpha, HIGH), Ge(tau, LOW)), "W", "whether it is warm"),
    "structure": Quantity("class-simplex", "S", "the optimal structure"),
}


def proved(proof: Derivation, quantities: dict[str, Quantity]) -> dict[str, Quantity]:
    proof.holds("A temperature is positive", gt(tau, 0), "it is said to be", DOMAIN)
    return quantities


def theorem(quantities: dict[str, Quantity] | None = None, **more: Any) -> Result:
    found = FOUND if quantities is None else quantities
    return Result(
        "of-all-kinds",
        title="A theorem with quantities of all kinds",
        source="nowhere",
        parameters=(m, tau, alpha),
        domain=DOMAIN,
        build=lambda proof: proved(proof, found),
        **more,
    )


R = theorem()


def test_names_of_quantities_do_not_collide() -> None:
    assert str(R["value"]) == "m*tau" and R.quantity("value").expression == m * tau
    assert R["domain"] == plain(LOW) and R.domain is DOMAIN
    assert R["latex"] == plain(ROOT) and callable(R.latex)
    assert R.value("value", m=2, tau=3) == 6
    assert R.latex("value") == r"m \tau"
    assert R.function("domain")(m=2, tau=1.0) == pytest.approx(np.exp(-2))
    with pytest.raises(KeyError, match="has no nothing; it has value, domain"):
        R["nothing"]


def test_an_array_has_proved_entries() -> None:
    found = R.value("cosines", m=2, tau=1, digits=30)
    assert [len(row) for row in found] == [2, 2]
    with mpmath.workdps(40):
        assert abs(found[0][1] - mpmath.exp(-2)) < mpmath.mpf(10) ** -29
        assert abs(found[1][1] - mpmath.log(2)) < mpmath.mpf(10) ** -29
    assert str(found[1][1]) == "0.693147180559945309417232121458"


def test_an_entry_that_is_no_root_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = argmin(exp(x) - 1 - tau * (1 + Rational(1, 10**9)), x, S.Zero, oo)
    monkeypatch.setattr(type(R), "at", lambda *_: FOUND["cosines"].expression.xreplace(
        {ROOT: wrong}).xreplace({m: S(2), tau: S(1)}))  # fmt: skip
    with pytest.raises(Inconsistent):
        R.value("cosines", m=2, tau=1)


def test_a_function_of_an_array_has_its_axes_last() -> None:
    found = R.function("cosines")(m=np.array([2, 3, 4]), tau=1.0)
    assert found.shape == (3, 2, 2)
    np.testing.assert_allclose(found[:, 0, 1], np.exp([-2.0, -3.0, -4.0]))
    np.testing.assert_allclose(found[:, 1, 1], np.log(2))


def test_a_set_knows_its_ends() -> None:
    found = R.value("collapse", m=2, tau=1, digits=5)
    assert str(found) == "alpha in [0.13534, 0.50000)"
    assert Rational(1, 2) not in found and 0.2 in found and 0.1 not in found
    # exp(-2/3) > 1/2: nothing is left, and that is proved.
    assert R.at("collapse", {m: S(2), tau: S(3)}) is S.EmptySet
    assert str(R.value("collapse", m=2, tau=3)) == "no alpha"
    inside = R.function("collapse")
    np.testing.assert_array_equal(
        inside(m=2, tau=1.0, alpha=np.array([0.1, 0.2, 0.5])), [False, True, False]
    )


def test_two_intervals_are_said_from_the_lowest_on() -> None:
    values = Union(Interval(sqrt(m), m), Interval.open(0, HIGH), evaluate=False)
    q = Quantity(values, "A", "two", parameter=alpha)
    found = theorem({"q": q}).value("q", m=4, digits=3)
    assert str(found) == "alpha in (0, 0.250) or in [2.00, 4.00]"
    assert [p.low_open for p in found.parts] == [True, False]


def test_ends_are_compared_by_proof() -> None:
    near = 1 + Rational(1, 10**60)
    assert interval(near, S.One) is S.EmptySet
    assert interval(S.One, sqrt(near**2)) == Interval(1, near)
    assert interval(sqrt(2) * sqrt(3), sqrt(6)) == FiniteSet(sqrt(6))
    assert interval(sqrt(6), sqrt(6), True) is S.EmptySet
    assert rebuilt(Lt(tau, sqrt(6)), lambda e: e.xreplace({tau: sqrt(2) * sqrt(3)})) is S.false


def test_an_interval_that_is_empty_for_all_symbols_is_nothing() -> None:
    n = Symbol("n", positive=True, integer=True)
    domain = Domain({n: at_least(2)}, {n: 3})
    empty, full, open_ = Interval(1 + 1 / n, 1), Interval(1 / n, 1), Interval(0, n - 3)
    assert [without_empty(one, domain) for one in (empty, full, open_)] == [S.EmptySet, full, open_]
    assert [may_be_empty(one, domain) for one in (full, open_)] == [False, True]
    assert without_empty(Interval(n, S.Infinity), domain) == Interval(n, S.Infinity)


def test_a_condition_is_decided() -> None:
    assert R.value("warm", m=2, tau=1, alpha="1/4") is True
    assert R.value("warm", m=2, tau=1, alpha="1/2") is False
    with pytest.raises(DomainError, match="still depends on alpha"):
        R.value("warm", m=2, tau=1)
    with pytest.raises(DomainError, match="limit case"):
        R.value("warm", m="oo", tau=1, alpha=0)
    assert R.function("warm")(m=2, tau=1.0, alpha=0.25)


def test_a_name_is_text() -> None:
    assert R.value("structure") == "class-simplex"
    assert R["structure"] == Str("class-simplex")
    with pytest.raises(DomainError, match="class-simplex, a name"):
        R.function("structure")


def test_what_is_no_quantity_is_refused() -> None:
    with pytest.raises(TypeError, match="whose values"):
        Quantity(Interval(0, 1), "A", "of what?")
    with pytest.raises(TypeError, match="not a quantity"):
        Quantity(S.Integers, "Z", "no intervals", parameter=alpha)


POINT = {m: S(2), tau: S(1)}


def test_json_has_nested_lists_sets_and_names() -> None:
    found = json.loads(json.dumps(report(R, POINT, 5)))["quantities"]
    assert found["value"]["value"] == "2.0000"
    assert found["cosines"]["value"] == [["1.0000", "0.13534"], ["0.13534", "0.69315"]]
    assert (
        found["cosines"]["sympy"] == "[[1, exp(-2)], [exp(-2), log(2)]]"
        or "_star" in (found["cosines"]["sympy"])
    )
    assert found["collapse"]["value"] == "alpha in [0.13534, 0.50000)"
    assert found["collapse"]["latex"] == r"\alpha \in \left[e^{-2}, \frac{1}{2}\right)"
    assert found["structure"]["value"] == found["structure"]["sympy"] == "class-simplex"
    assert found["warm"]["value"] is None
    settled = report(R, {**POINT, alpha: S.Zero}, 5)["quantities"]["warm"]
    assert settled["value"] == "true"


def run(source: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    exec(source, found)  # our own text
    return found


def test_python_computes_them() -> None:
    source = render(report(R, {}, 5), "python", brief=True, result=R, point={})
    assert "structure is a name, class-simplex" in source
    found = run(source)
    assert found["cosines"](m=np.array([2, 3]), tau=1.0).shape == (2, 2, 2)
    np.testing.assert_allclose(found["cosines"](2, 1.0)[1, 1], np.log(2))
    assert found["value"](m=2, tau=3.0) == 6
    assert not found["collapse"](2, 1.0, 0.5) and found["collapse"](2, 1.0, 0.2)
    assert found["warm"](2, 1.0, 0.25)
    exported = run(to_python([R]))
    assert exported["of_all_kinds_value"](m=2, tau=3.0) == 6
    np.testing.assert_allclose(exported["of_all_kinds_cosines"](2, 1.0)[1, 1], np.log(2))


# --- lists -------------------------------------------------------------------------------
SIZES = ListOf("sizes", at_least(1), "vectors in each class")


def of_sizes(sizes: tuple[Any, ...] = (S(1), S(1)), at: object = None) -> Result:
    """Cosines between means of classes of some sizes: nothing that a paper has said."""
    total = sum(sizes)
    table = Matrix(len(sizes), len(sizes), lambda i, j: 1 if i == j else -tau * sizes[j] / total)
    pairs = Matrix([[a * b for a, b in combinations(sizes, 2)]])
    return Result(
        "of-sizes",
        title="A theorem about sizes",
        source="nowhere",
        parameters=(tau,),
        domain=Domain({tau: POSITIVE}, {tau: 1}),
        build=lambda proof: proved(
            proof,
            {
                "cosines": Quantity(table, "C", "cosines"),
                "pairs": Quantity(pairs, "P", "pairs of vectors"),
            },
        ),
        lists=(SIZES,),
        read=of_sizes,
    )


@pytest.mark.parametrize("sizes", ["2,2,4", [2, 2, 4], (2, "2", 4.0), np.array([2, 2, 4]), "2 2 4"])
def test_a_list_is_a_parameter(sizes: object) -> None:
    found = of_sizes().value("cosines", sizes=sizes, tau="1/2")
    assert [float(v) for v in found[0]] == [1, -0.125, -0.25]
    assert len(found) == 3
    made = of_sizes().with_inputs(sizes=sizes)
    assert report(made, {tau: S.Half})["parameters"] == {"sizes": "2,2,4", "tau": "1/2"}


@pytest.mark.parametrize(
    "sizes, said",
    [
        ("2,,4", "comma in a list needs a number"),
        ([], "empty list"),
        ("2,0,4", "each of sizes must be an integer >= 1, not 0"),
        ("2,__import__('os')", "is not a number"),
        ("1," * 10_000 + "1", "too long"),
        (7, "is not a list"),
    ],
)
def test_what_is_no_list_is_refused_in_one_line(sizes: object, said: str) -> None:
    with pytest.raises(DomainError, match=said) as refused:
        of_sizes().value("cosines", sizes=sizes, tau=1)
    assert "\n" not in str(refused.value)


def test_a_set_under_a_convention_turns_round() -> None:
    """SigLIP's bias is minus ours: [1/t, 2) is then (-2, -1/t], and all below 0 all above."""
    reading = CONVENTIONS["siglip"].reading(SIGMOID)
    assert reading is not None and reading.falls(b)
    turned = _set(Interval.Ropen(1 / t, 2), b, reading)
    assert (turned.inf, turned.sup) == (-2, -1 / t)
    assert turned.left_open == True and turned.right_open == False  # noqa: E712
    below = _set(Interval.open(-oo, 0), b, reading)
    assert (below.inf, below.sup) == (0, oo)
    assert _set(FiniteSet(3), b, reading) == FiniteSet(-3)
    assert _set(Interval(1, 2), t, reading) == Interval(1, 2)

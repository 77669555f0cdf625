"""Numpy functions of quantities, and the same as exported, against the exact values."""

from __future__ import annotations

import random
from typing import Any

import mpmath
import numpy as np
import pytest
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.optimum.delsarte import PairBound
from cltheory.derive.results import results
from cltheory.derive.theorem import floats
from cltheory.derive.write import export
from cltheory.derive.write.display import words
from cltheory.derive.write.python import python_source
from sympy import Rational


@pytest.fixture(scope="module")
def exported() -> dict[str, Any]:
    space: dict[str, Any] = {}
    exec(export.to_python(list(results.values())), space)
    return space


def both(exported: dict[str, Any], id: str, name: str, **at: Any) -> list[Any]:
    function = exported[f"{id.replace('-', '_')}_{name}"]
    return [results[id].function(name)(**at), function(**at)]


@pytest.mark.parametrize(
    "id, name, at, inside",
    [
        ("sigmoid-threshold", "t_antipodal", {"N": 3}, False),  # N >= 4
        ("sigmoid-threshold", "t_antipodal", {"N": 4.5}, False),  # an integer
        ("towers-threshold", "w_simplex", {"N": 2, "K": 3, "t": 1, "b": 0}, False),  # N > K
        ("towers-threshold", "w_simplex", {"N": 4, "K": 3, "t": -1, "b": 0}, False),  # t > 0
        ("sigmoid-threshold", "t_antipodal_max", {"N": 3, "b": 3}, False),  # at no temperature
        ("sigmoid-threshold", "t_antipodal_max", {"N": 4, "b": 0}, False),  # that would be 0
        ("sigmoid-threshold", "t_antipodal_max", {"N": 4, "b": -1}, True),
        ("sigmoid-threshold", "t_simplex_max", {"N": 4, "b": 0}, False),  # b > b_simplex_min
        ("supcl-threshold", "tau_max", {"m": 3, "n": 10, "alpha": 0.1}, False),  # alpha > 1/n
        ("supcl-threshold", "tau_max", {"m": 3, "n": 10, "alpha": 0.2}, True),
    ],
)
def test_outside_its_domain_a_function_is_nan(exported, id, name, at, inside) -> None:
    for value in both(exported, id, name, **at):
        assert np.isfinite(value) == inside and np.ndim(value) == 0
    if not inside:
        with pytest.raises(DomainError):
            results[id].value(name, **at)


def test_only_the_points_outside_are_nan(exported) -> None:
    for value in both(exported, "sigmoid-threshold", "b_simplex", N=[[2], [3], [5]], t=[1, 0, 2.5]):
        np.testing.assert_array_equal(
            np.isnan(value), [[True] * 3, [False, True, False], [False, True, False]]
        )
    # The far end belongs to the range; in float64 it is rounded.
    far = np.sqrt(np.array([4 / 3, 4 / 3 + 1e-12]))
    for value in both(exported, "ssem", "same_class", m=3, n=3, delta=far):
        np.testing.assert_array_equal(np.isnan(value), [False, True])


def test_with_values_put_in_what_is_left_is_checked() -> None:
    r = results["supcl-threshold"]
    space: dict[str, Any] = {}
    exec(python_source(r, r.point(m=3, alpha="1/5")), space)
    found = space["tau_max"]([4, 5, 6, 6.5])  # alpha > 1/n
    np.testing.assert_array_equal(np.isnan(found), [True, True, False, True])
    assert found[2] == pytest.approx(float(r.value("tau_max", m=3, n=6, alpha="1/5")), rel=1e-13)


COUNTS = [2, 3, 4, 5, 9]
REALS = [Rational(k, 2) for k in (-3, -1, 0, 1, 2, 5)]


@pytest.mark.sample(10)
@pytest.mark.parametrize("id", list(results))
def test_functions_agree_with_values_inside_and_outside(exported, id) -> None:
    result, draw = results[id], random.Random(id)
    for name, q in result.quantities.items():
        order = [s for s in result.parameters if s in q.expression.free_symbols]
        if (
            not q.is_number
            or words(q.expression)
            or not order
            or q.expression.free_symbols - set(order)
            or q.expression.has(PairBound)  # no formula
        ):
            continue
        for _ in range(4):
            at = {s.name: draw.choice(COUNTS if s.is_integer else REALS) for s in order}
            fast = both(exported, id, name, **{k: float(v) for k, v in at.items()})
            try:
                value = float(result.value(name, **at))
            except DomainError:
                assert not np.isfinite(fast).any(), (name, at, fast)
                continue
            # A root is as exact as its function is steep: 1e-9 of float64's 1e-16.
            assert fast == pytest.approx([value, value], rel=1e-9, abs=1e-9), (name, at)


# --- what a quantity needs, and digits -------------------------------------------------------


@pytest.mark.parametrize("digits", [2.5, 0, -1, "5", None, True])
def test_digits_are_an_integer_from_one_on(digits) -> None:
    r = results["supcl-threshold"]
    with pytest.raises(DomainError, match="digits must be an integer from 1 on, not"):
        r.value("alpha_min", m=3, n=4, tau=1, digits=digits)
    assert str(r.value("alpha_min", m=3, n=4, tau=1, digits=np.int64(1))) == "0.6"


# --- extremes ---------------------------------------------------------------------------------
EXTREMES: list[tuple[str, str, dict[str, float]]] = [
    ("sigmoid-optimum", "positive", {"N": 7, "t": 3000, "b": 2.0**-10}),
    ("towers-threshold", "positive", {"N": 10, "t": 10000, "b": -10, "K": 5, "w": 0.0625}),
    ("kernel-threshold", "tau_clusters", {"k": 7, "q": 3, "gamma": 500}),
    ("supcon-balanced", "loss", {"C": 10, "n": 5, "tau": 2.0**-13}),
    ("supcl-exclusive", "loss", {"m": 3, "n": 4, "p": 3, "alpha": 0.5, "tau": 2.0**-10}),
    ("gradient-variance", "excess_of_sampling", {"tau": 10000}),
    ("infonce-optimum", "loss", {"N": 4, "t": 2.0**-5}),
    ("supcon-balanced", "loss", {"C": 3, "n": 2, "tau": 2.0**-8}),
    ("soft-supcon", "loss", {"C": 10**6, "n": 10**8, "epsilon": 2.0**-40, "tau": 2.0**-9}),
]


@pytest.mark.parametrize("id, name, at", EXTREMES)
def test_at_extremes_functions_agree_with_values(exported, id, name, at) -> None:
    names = {s.name for s in results[id].quantity(name).expression.free_symbols}
    at = {k: v for k, v in at.items() if k in names}
    exact = results[id].value(name, digits=20, **{k: Rational(v) for k, v in at.items()})
    for value in both(exported, id, name, **at):
        assert value == pytest.approx(float(exact), rel=1e-9)


def test_where_float64_is_not_enough_a_function_says_so(exported) -> None:
    # At the second point the root is exactly at its end 0, and the sign there is not known.
    at = {"N": [4, 4], "t": [1.0, 3.0], "b": [0.0, 1.0]}
    for function in (
        results["sigmoid-optimum"].function("x_star"),
        exported["sigmoid_optimum_x_star"],
    ):
        with pytest.warns(RuntimeWarning, match="x_star is nan at 1 of 2 points, where float64"):
            found = function(**at)
        np.testing.assert_array_equal(np.isnan(found), [False, True])


def test_where_all_digits_cancel_a_function_says_so() -> None:
    def f(x):
        return 1e20 * (np.exp(x) * np.exp(-x) - 1)

    with pytest.warns(RuntimeWarning, match="f is nan at 1 of 1 points"):
        assert np.isnan(floats.checked(f)(0.3))


# --- ends -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "id, name, at, value",
    [
        ("supcl-threshold", "tau_max", {"m": 3, "n": [4, 7], "alpha": 1}, [np.inf] * 2),
        ("x-clr", "extra_coordinate", {"tau": [0.1, 7], "tau_prime": [0.1, 7]}, [0] * 2),
        (
            "soft-supcon",
            "beta",
            {"epsilon": 1 / 11, "tau": 0.4170323914242463},
            6.854588539717057e-17,
        ),
        ("trace-update", "q_lower", {"d": [2, 3], "t": [1, 0.5]}, [0] * 2),
        ("supcl-threshold", "alpha_min", {"m": 2, "n": 4, "tau": 5e-324}, 0.25),
        pytest.param(
            *("pairwise-threshold", "x_star", {"N": 4, "t": 1e4, "b": 0}, 0.5),
            marks=pytest.mark.slow,
        ),
        ("supcl-optimum", "x_star", {"m": 3, "n": 2, "alpha": 1, "tau": 1e-3}, 1.2),
    ],
)
def test_at_ends_functions_have_their_values(exported, id, name, at, value) -> None:
    for found in both(exported, id, name, **at):
        np.testing.assert_allclose(found, value, rtol=1e-9)


def test_an_infinity_has_the_sign_that_its_neighbours_in_the_range_have() -> None:
    def f(x):
        return 1 / x

    for inside, value in [
        (lambda x: x >= 0, np.inf),
        (lambda x: x <= 0, -np.inf),
        (None, np.nan),
    ]:
        np.testing.assert_array_equal(floats.checked(f, inside)(0), value)


def test_bounds_on_errors_hold_and_are_needed() -> None:
    """What two kinds of numbers say of themselves, against 60 digits; no bound is no answer."""
    draw = np.random.default_rng(0)
    x, y = 10 ** draw.uniform(-8, 8, (2, 300)) * draw.choice([-1, 1], (2, 300))
    formulas = [
        lambda a, b, m: (a + b) * a - a * a - b / 3,
        lambda a, b, m: m.exp(a / (1 + a * a) - 1) - m.exp(-b / b),
        lambda a, b, m: m.log(1 + b * b / (1 + a * a)) / (m.sqrt(1 + b * b) - 1),
        lambda a, b, m: (1 + a * a) ** (b / (1 + b * b)) - 1,
        lambda a, b, m: (
            m.log(m.exp(36 - 36 / (1 + a * a)) + m.exp(1 / (1 + b * b))) - 36 + 36 / (1 + a * a)
        ),
    ]
    mpmath.mp.dps = 60
    try:
        for formula in formulas:
            exact = [
                formula(mpmath.mpf(a), mpmath.mpf(b), mpmath) for a, b in zip(x, y, strict=True)
            ]
            for kind in (floats.Fast, floats.Careful, floats.Wide):
                with np.errstate(all="ignore"):
                    value, sure = kind.value(formula(kind.lift(x), kind.lift(y), np))
                off = [abs(v - e) > 1e-9 * abs(e) for v, e in zip(value, exact, strict=True)]
                assert not (np.array(off) & sure).any()
                assert np.sum(sure) > 100
                if kind is floats.Fast and formula is formulas[0]:
                    assert (np.array(off) & ~sure).any()  # the check has something to refuse
    finally:
        mpmath.mp.dps = 15

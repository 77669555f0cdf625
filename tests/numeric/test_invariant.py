"""Least losses over invariant Gram matrices, smooth or with kinks."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from cltheory.derive.losses.clip import pairwise
from cltheory.derive.losses.pairwise import c
from cltheory.derive.problems.problem import Problem
from cltheory.derive.results import results
from cltheory.derive.structures.arrangement import arrange
from cltheory.derive.structures.towers import towers
from cltheory.derive.theorem.measure import LOSS, Reading, product
from cltheory.numeric.verify import verify
from cltheory.numeric.verify.kinked import compared, least, least_invariant
from mpmath import mpf
from sympy import Max, Rational

TOWERS = towers()


def polygon(items):
    """Corners of the positive and the negative inner product of two towers."""
    scheme = arrange(TOWERS, {"N": items})
    return [
        tuple(Fraction(row[r], scheme.counts[r]) for r in ("positive", "negative"))
        for row in scheme.table.values()
    ]


def least_of(lp, ln, items):
    """Every negative counts."""
    return least_invariant(lp, lambda x: (items - 1) * ln(x), polygon(items))


def over_invariant(loss, items, params, predicted):
    """Compare numbers with the least loss."""
    scheme = arrange(TOWERS, {"N": items})
    domain = results["sigmoid-optimum"].domain
    of = {
        "loss": Reading(LOSS),
        "x_star": Reading(1 - product("positive")),
        "x_last": Reading(1 - product("positive"), last=True),
    }
    read = {k: (v, of.get(k) or Reading(product(k))) for k, v in predicted.items()}
    return compared(least(Problem(loss, TOWERS, domain), scheme, params), read, scheme, "")


@pytest.mark.parametrize(("items", "at", "b"), [(2, 1, 1), (6, 1, -5), (10, 1, 0.625), (4, 20, 20)])
def test_the_sigmoid_loss(items, at, b):
    r = results["sigmoid-optimum"]
    wanted = {k: float(r.value(k, N=items, t=at, b=b)) for k in ("loss", "positive", "negative")}
    found = least_of(
        lambda x: mpmath.log1p(mpmath.exp(b - at * x)),
        lambda x: mpmath.log1p(mpmath.exp(at * x - b)),
        items,
    )
    # What is missed is less than the rounding of a float64.
    assert found.loss == pytest.approx(wanted["loss"], rel=1e-15)
    assert found.first == pytest.approx(wanted["positive"], abs=1e-12)
    assert found.first_last == pytest.approx(wanted["positive"], abs=1e-12)
    assert found.second == pytest.approx(wanted["negative"], abs=1e-12)


@pytest.mark.parametrize(
    ("lp", "ln", "items", "wanted"),
    [
        # loss, positives from and to, negative; by hand.
        (lambda x: max(0, 1 - x), lambda x: max(0, x), 4, (0, 1, 1, -1 / 3)),
        # Six items: the negatives reach -3/10 at x = 1/4, and further does not help.
        (lambda x: -x / 4, lambda x: max(0, x + mpf(3) / 10), 6, (-3 / 16, 3 / 4, 3 / 4, -3 / 10)),
        # Pulls balance along the segment: everything on it is optimal.
        (lambda x: -2 * x, lambda x: x, 6, (-3, 1, -1, -1 / 5)),
        # Two hinges that leave a whole interval at no loss.
        (lambda x: max(0, mpf(1) / 5 - x), lambda x: max(0, x), 6, (0, 1, 1 / 5, -1 / 5)),
        (lambda x: abs(1 - x), lambda x: 5 * abs(x + 1), 3, (2, -1, -1, -1)),
    ],
)
def test_kinks(lp, ln, items, wanted):
    found = least_of(lp, ln, items)
    seen = (found.loss, found.first, found.first_last, found.second)
    assert seen == pytest.approx(wanted, abs=1e-11)


HINGE = pairwise("hinge", "", -c / 4, Max(0, c + Rational(3, 10)), "")
RIGHT = {"positive": 0.75, "negative": -0.3, "loss": -3 / 16, "x_star": 0.25}


EVERY = "positive, that of every optimum"


def verdicts(checks):
    return {x.what: x.verdict for x in checks}


def test_a_hinge_is_compared():
    checks = over_invariant(HINGE, 6, {}, RIGHT)
    assert verdicts(checks) == dict.fromkeys([*RIGHT, EVERY], "agrees")
    assert {x.stop for x in checks} == {"over invariant Gram matrices"}
    assert {x.gap for x in checks} == {None}  # nothing was certified


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("positive", 1.0), ("negative", -0.2), ("loss", -0.1875001), ("x_star", 0.0), ("x_last", 1.0)],
)
def test_a_wrong_prediction_is_refused(name, wrong):
    assert verdicts(over_invariant(HINGE, 6, {}, {**RIGHT, name: wrong}))[name] == "disagrees"


def test_an_optimum_claimed_to_be_the_only_one_is_refused_where_it_is_not():
    loss = pairwise("balanced", "", -2 * c, c, "")
    claim = {"positive": 1.0, "negative": -0.2, "loss": -3.0, "x_star": 0.0}
    assert verdicts(over_invariant(loss, 6, {}, claim))[EVERY] == "disagrees"
    assert set(verdicts(over_invariant(loss, 6, {}, {**claim, "x_last": 2.0})).values()) == {
        "agrees"
    }


@pytest.mark.parametrize(
    ("lp", "ln", "values"),
    [
        ("max(0, 1-x)", "max(0, x+1/2)", {"N": 4}),
        ("log(1+exp(-t*x))", "relu(x+3/10)", {"N": 6, "t": 2}),
        ("-2*x", "abs(1+x)", {"N": 6}),
        ("relu(b-x)", "relu(x)^2", {"N": 6, "b": "1/2"}),
    ],
)
def test_the_cross_check_of_a_loss_with_kinks(lp, ln, values):
    checks = verify("pairwise-threshold", lp=lp, ln=ln, device="cpu", **values)
    assert {x.stop for x in checks} == {"over invariant Gram matrices"}
    assert set(verdicts(checks).values()) == {"agrees"}

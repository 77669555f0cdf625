"""Least losses over invariant Gram matrices, smooth or with kinks."""

from __future__ import annotations

import mpmath
import pytest
from cltheory.derive.results import results
from cltheory.derive.structures.arrangement import arrange
from cltheory.derive.structures.towers import towers
from cltheory.derive.theorem.result import Result
from cltheory.numeric.verify import verify
from cltheory.numeric.verify.kinked import least_of, lowest_at
from mpmath import mpf


def least(lp, ln, items):
    """The least loss of two towers; every negative counts."""
    at = arrange(towers(), {"N": items})
    corners = [
        tuple(mpf(row[r]) / at.counts[r] for r in ("positive", "negative"))
        for row in at.table.values()
    ]
    return float(least_of(lp, lambda x: (items - 1) * ln(x), corners))


def test_where_a_convex_function_is_least():
    with mpmath.workdps(30):
        assert float(lowest_at(lambda x: (x - 0.3) ** 2, -1, 1)) == pytest.approx(0.3, abs=1e-13)
        assert float(lowest_at(lambda x: abs(x + 0.7), -1, 1)) == pytest.approx(-0.7, abs=1e-13)
        assert lowest_at(lambda x: x, -1, 1) == -1
        assert lowest_at(lambda x: -x, -1, 1) == 1
        assert abs(lowest_at(lambda x: max(0, abs(x) - mpf("0.1")), -1, 1)) <= 0.1


@pytest.mark.parametrize(("items", "at", "b"), [(2, 1, 1), (6, 1, -5), (10, 1, 0.625), (4, 20, 20)])
def test_the_sigmoid_loss(items, at, b):
    found = least(
        lambda x: mpmath.log1p(mpmath.exp(b - at * x)),
        lambda x: mpmath.log1p(mpmath.exp(at * x - b)),
        items,
    )
    wanted = float(results["sigmoid-optimum"].value("loss", N=items, t=at, b=b))
    assert found == pytest.approx(wanted, rel=1e-13)


@pytest.mark.parametrize(
    ("lp", "ln", "items", "wanted"),
    [
        (lambda x: max(0, 1 - x), lambda x: max(0, x), 4, 0),
        # Six items: the negatives reach -3/10 at x = 1/4, and further does not help.
        (lambda x: -x / 4, lambda x: max(0, x + mpf(3) / 10), 6, -3 / 16),
        # Pulls balance along the segment: everything on it is optimal.
        (lambda x: -2 * x, lambda x: x, 6, -3),
        # Two hinges that leave a whole interval at no loss.
        (lambda x: max(0, mpf(1) / 5 - x), lambda x: max(0, x), 6, 0),
        (lambda x: abs(1 - x), lambda x: 5 * abs(x + 1), 3, 2),
    ],
)
def test_kinks(lp, ln, items, wanted):
    assert least(lp, ln, items) == pytest.approx(wanted, abs=1e-11)


def checked(lp, ln, **values):
    checks = verify("pairwise-threshold", lp=lp, ln=ln, device="cpu", **values)
    assert {x.stop for x in checks} == {"over invariant Gram matrices"}
    assert {x.gap for x in checks} == {None}  # nothing was certified
    return {x.what: x.verdict for x in checks}


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
    assert set(checked(lp, ln, **values).values()) == {"agrees"}


@pytest.mark.parametrize(
    ("name", "wrong", "what"),
    [
        ("positive", 1.0, "loss of the derived inner products"),
        ("negative", -0.2, "loss of the derived inner products"),
        ("loss", -0.1875001, "loss"),
    ],
)
def test_a_wrong_prediction_is_refused(monkeypatch, name, wrong, what):
    value = Result.value
    monkeypatch.setattr(
        Result, "value", lambda self, q, *a, **at: wrong if q == name else value(self, q, *a, **at)
    )
    found = checked("-x/4", "max(0, x+3/10)", N=6)
    assert [k for k, verdict in found.items() if verdict == "disagrees"] == [what]

"""Losses with kinks, against a linear program and by hand; interval proofs are replayed."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from cltheory.derive.engine.ball import non_negative
from cltheory.derive.engine.domain import Domain, DomainError
from cltheory.derive.engine.evidence import Holds, Refuted, Undecided
from cltheory.derive.engine.kinks import NotBent, bent
from cltheory.derive.engine.shape import convex_and_monotone
from cltheory.derive.losses.literature import LITERATURE
from cltheory.derive.report import report
from cltheory.derive.results import results
from cltheory.derive.symbols import b, c, t
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from sympy import Max, Min, Rational, S, exp

from ..replay import replays

R = results["pairwise-threshold"]


def hinges(n, positive, negative):
    """Least loss over invariant Gram matrices, as a linear program.

    ``positive`` and ``negative`` are lists of lines (slope, offset) whose largest is the
    function. Unknowns: four shares of the trace, and the two values from above.
    """
    # Inner products (of a positive pair, of a negative pair) with all of the trace in one
    # eigenspace: shared contrasts, shared mean, differing contrasts, differing means.
    p = np.array([1, 1, -1, -1.0])
    q = np.array([-1 / (n - 1), 1, 1 / (n - 1), -1])
    rows, offsets = [], []
    for lines, inner, column in ((positive, p, 4), (negative, q, 5)):
        for slope, offset in lines:
            row = np.zeros(6)
            row[:4], row[column] = slope * inner, -1
            rows.append(row)
            offsets.append(-offset)
    found = linprog(
        [0, 0, 0, 0, 1, n - 1],
        A_ub=rows,
        b_ub=offsets,
        A_eq=[[1, 1, 1, 1, 0, 0]],
        b_eq=[1],
        bounds=[(0, None)] * 4 + [(None, None)] * 2,
    )
    return found.fun


sizes = st.integers(2, 9)
slopes = st.integers(0, 6).map(lambda k: Rational(k, 3))
places = st.integers(-5, 5).map(lambda k: Rational(k, 4))


@settings(max_examples=40)
@given(sizes, slopes, slopes, places, slopes, slopes, places)
def test_piecewise_linear_losses(n, flat_p, more_p, at_p, flat_n, more_n, at_n) -> None:
    lp = -flat_p * c + more_p * Max(0, at_p - c)
    ln = flat_n * c + more_n * Max(0, c - at_n)
    r = R.given(lp=lp, ln=ln)
    positive = [(-flat_p, 0), (-flat_p - more_p, more_p * at_p)]
    negative = [(flat_n, 0), (flat_n + more_n, -more_n * at_n)]
    as_floats = [[(float(s), float(o)) for s, o in lines] for lines in (positive, negative)]
    least = hinges(n, *as_floats)
    assert float(r.value("loss", N=n)) == pytest.approx(least, abs=1e-9)
    first, last = r.at("x_star", r.point(N=n)), r.at("x_last", r.point(N=n))
    assert first.is_Rational and last.is_Rational and 0 <= first <= last <= 2
    # Both ends of the interval are optimal and nothing beyond is.
    along = r.quantity("loss").expression
    root = r.quantity("x_star").expression
    at = {s: n for s in along.free_symbols if s.name == "N"}
    loss = [along.xreplace({root: v}).xreplace(at) for v in (first, last)]
    assert loss[0] == loss[1]
    for beyond in (first - Rational(1, 1000), last + Rational(1, 1000)):
        if 0 <= beyond <= 2:
            assert along.xreplace({root: beyond}).xreplace(at) > loss[0]


def test_a_flat_loss_has_an_interval_of_optima() -> None:
    r = R.given(lp="-x", ln="max(0, x + 1/2)")
    # N = 4: until the negatives reach -1/2 the two pulls balance exactly.
    assert r.at("x_star", r.point(N=4)) == 0
    assert r.at("x_last", r.point(N=4)) == Rational(1, 2)
    assert r.at("x_star", r.point(N=3)) == r.at("x_last", r.point(N=3)) == 0
    assert r.at("x_star", r.point(N=6)) == r.at("x_last", r.point(N=6)) == Rational(3, 4)
    linear = R.given(lp="-x", ln="x")
    assert [linear.at(k, linear.point(N=4)) for k in ("x_star", "x_last")] == [0, 2]


def test_numpy_agrees_at_kinks() -> None:
    r = R.given(lp="max(0, 1 - 2*x)", ln="max(0, x + 1/3)^2")
    sizes_ = np.arange(3, 12)
    fast = r.function("x_star")(N=sizes_)
    slow = [float(r.value("x_star", N=int(n))) for n in sizes_]
    np.testing.assert_allclose(fast, slow, atol=1e-14)


def test_a_kink_that_moves_with_the_parameters() -> None:
    r = R.given(lp="max(0, b - t*x)", ln="max(0, b + t*x)")
    # At N = 3 a positive pulls as hard as two negatives push half as far.
    for t_, b_, expected in ((1, 2, 0), (2, 1, 0), (2, -3, 0)):
        assert r.value("x_star", N=3, t=t_, b=b_) == expected
    n, t_, b_ = 9, 2, 1
    lines = [(-2.0, 1.0), (0.0, 0.0)], [(2.0, 1.0), (0.0, 0.0)]
    assert float(r.value("loss", N=n, t=t_, b=b_)) == pytest.approx(hinges(n, *lines))


def test_shapes_with_kinks() -> None:
    plain, both = Domain({}), R.domain.restricted([t, b])

    def shape(function, direction, domain=plain):
        return convex_and_monotone([(function, direction)], domain)

    assert isinstance(shape(Max(0, 1 + c), 1), Holds)
    assert isinstance(shape(Max(0, c) ** 2 + exp(c), 1), Holds)
    assert isinstance(shape(Max(0, t * c - b) ** 2, 1, both), Holds)
    assert isinstance(shape(Max(0, c - b) + Max(0, c - 2 * b) ** 2, 1, both), Holds)
    # Each is wrong in one way: direction, bend at the kink, bend of a piece.
    for wrong, direction in (
        (Max(0, 1 + c), -1),
        (Min(0, c), 1),
        (c - Max(0, c - S.Half) / 2, 1),
        (c + Max(0, c) - Max(0, c) ** 2 / 4, 1),
    ):
        assert isinstance(shape(wrong, direction), Refuted), wrong
    assert isinstance(shape(Max(0, b - t * c), 1, both), Refuted)
    for unread in (Max(0, b * c), Max(0, c, t * c - S.Half), Max(0, exp(t * c) - 2)):
        with pytest.raises(NotBent):
            bent(unread, c, both)
        assert isinstance(shape(unread, 1, both), Undecided)


def test_one_sided_slopes() -> None:
    read = bent(Max(0, c - S.Half) ** 2 + 3 * Max(c, -c), c, Domain({}))
    for at, left, right in ((0, -3, 3), (S.Half, 3, 3), (1, 4, 4), (-1, -3, -3)):
        assert read.slope(-1).subs(c, at) == left
        assert read.slope(1).subs(c, at) == right


@pytest.mark.parametrize(
    "lp, ln, weaker",
    [
        ("-2*x", "x^2", r"every N: the least loss is -2, where"),
        ("-x", "(x+1/5)^2", r"every N <= 6.*all negatives -1/5"),
        ("-x", "abs(x+1/10)", r"every N <= 11.*all negatives -1/10"),
    ],
)
def test_the_weaker_statement(lp, ln, weaker) -> None:
    with pytest.raises(DomainError, match=weaker):
        R.given(lp=lp, ln=ln).quantities  # noqa: B018


def test_no_weaker_statement_where_none_holds() -> None:
    for lp, ln in (("x", "x^2"), ("-x", "-x^2"), ("-x^2", "x^2")):
        with pytest.raises(DomainError) as refusal:
            R.given(lp=lp, ln=ln).quantities  # noqa: B018
        assert "Weaker" not in str(refusal.value)


def test_losses_of_the_literature() -> None:
    accepted, refused = [], []
    for name in LITERATURE:
        try:
            accepted.append(R.given(loss=name).derivation)
        except DomainError as error:
            refused.append(str(error))
    assert len(accepted) == 9 and len(refused) == 2
    with pytest.raises(DomainError, match="no loss is called 'hing'; there are sigmoid"):
        R.given(loss="hing")
    with pytest.raises(DomainError, match="by name or both"):
        R.given(loss="hinge", lp="-x")


def test_interval_proofs_are_replayed_by_another_program() -> None:
    r = R.given(loss="focal")
    found = json.loads(json.dumps(report(r, r.point(N=8), claims=False, typeset=False)))
    assert found["evidence"] == "interval"
    records = {r["expression"]: r for s in found["steps"] for r in s["replay"]}
    assert len(records) == 2
    for record in records.values():
        assert replays(record, -1, 1)
        # A gap, a missing end, another sign, and a smaller value are all noticed.
        boxes = record["boxes"]
        assert not replays(record | {"boxes": boxes[:3] + boxes[4:]}, -1, 1)
        assert not replays(record | {"boxes": boxes[:-1]}, -1, 1)
        assert not replays(record | {"expression": f"-({record['expression']})"}, -1, 1)
        assert not replays(record | {"expression": f"{record['expression']} - 1"}, -1, 1)


def test_boxes_cover_the_interval() -> None:
    outcome = non_negative(c**4 - c**2 + 1, c, S(-1), S(1))
    assert isinstance(outcome, Holds)
    (record,) = outcome.evidence.replay
    ends = [(Fraction(a), Fraction(b_)) for a, b_ in record.boxes]
    assert ends[0][0] == -1 and ends[-1][1] == 1
    assert all(x[1] == y[0] for x, y in pairwise(ends))

"""Losses with kinks, against a linear program and by hand; interval proofs are replayed."""

from __future__ import annotations

import json

import numpy as np
import pytest
from cltheory.derive.decide.domain import Domain, DomainError
from cltheory.derive.decide.evidence import Holds, Refuted, Undecided
from cltheory.derive.decide.interval import NoSign, sign
from cltheory.derive.decide.kinks import NotBent, bent
from cltheory.derive.decide.pieces import pieces_of_slope
from cltheory.derive.decide.zeros import NotSolved, sign_between, zeros
from cltheory.derive.losses.clip import b, t
from cltheory.derive.losses.literature import LITERATURE
from cltheory.derive.losses.pairwise import c
from cltheory.derive.optimum.shape import convex_and_monotone
from cltheory.derive.results import results
from cltheory.derive.write.python import python_source
from cltheory.derive.write.report import report
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from sympy import Max, Min, Rational, S, exp, log

from ..replay import replays

R = results["pairwise-threshold"]
SMALL = Domain({}, {})


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
    r = R.with_inputs(lp=lp, ln=ln)
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


def written_out(r, name):
    """The quantity as exported, run."""
    space: dict = {}
    exec(python_source(r, {}), space)
    return space[name]


@pytest.mark.parametrize(
    "lp, ln, name, n, exact",
    [
        ("max(0, 1/2 - x)", "exp(2*x)", "x_last", 2, 0.5),  # flat up to the far end
        ("-x + x", "max(0, x + 1/2)", "x_star", 4, 0.5),  # flat from there to the far end
        ("-x", "max(0, x + 1/2)", "x_last", 4, 0.5),  # flat from the start
    ],
)
def test_numpy_finds_the_ends_of_flat_parts(lp, ln, name, n, exact) -> None:
    r = R.with_inputs(lp=lp, ln=ln)
    assert float(r.value(name, N=n)) == exact
    # Bisection stops at two units in the last place.
    assert r.function(name)(N=n) == pytest.approx(exact, rel=1e-15)
    assert written_out(r, name)(n) == pytest.approx(exact, rel=1e-15)


def test_shapes_with_kinks() -> None:
    plain, both = Domain({}), R.domain.restricted([t, b])

    def shape(function, direction, domain=plain):
        return convex_and_monotone([(function, direction)], domain)

    assert isinstance(shape(Max(0, 1 + c), 1), Holds)
    assert isinstance(shape(Max(0, c) ** 2 + exp(c), 1), Holds)
    assert isinstance(shape(t * Max(0, c - S.Half) ** 2 + exp(t * c), 1, both), Holds)
    # Each is wrong in one way: direction, bend at the kink, bend of a piece.
    for wrong, direction in (
        (Max(0, 1 + c), -1),
        (Min(0, c), 1),
        (c - Max(0, c - S.Half) / 2, 1),
        (c + Max(0, c) - Max(0, c) ** 2 / 4, 1),
    ):
        assert isinstance(shape(wrong, direction), Refuted), wrong
    assert isinstance(shape(t * Max(0, S.Half - c), 1, both), Refuted)
    assert isinstance(shape(c - t * Max(0, c) / (1 + t), 1, both), Refuted)
    for unread in (Max(0, b * c), Max(0, t * c - b), Max(0, exp(t * c) - 2)):
        with pytest.raises(NotBent):
            bent(unread, c, both)
        assert isinstance(shape(unread, 1, both), Undecided)


def test_one_sided_slopes() -> None:
    read = bent(Max(0, c - S.Half) ** 2 + 3 * Max(c, -c), c, Domain({}))
    for at, left, right in ((0, -3, 3), (S.Half, 3, 3), (1, 4, 4), (-1, -3, -3)):
        assert read.slope(-1).subs(c, at) == left
        assert read.slope(1).subs(c, at) == right


def test_losses_of_the_literature() -> None:
    accepted, refused = [], []
    for name in LITERATURE:
        try:
            accepted.append(R.with_inputs(loss=name).derivation)
        except DomainError as error:
            refused.append(str(error))
    assert len(accepted) == 9 and len(refused) == 2
    with pytest.raises(DomainError, match="no loss is called 'hing'; there are sigmoid"):
        R.with_inputs(loss="hing")
    with pytest.raises(DomainError, match="by name excludes lp and ln"):
        R.with_inputs(loss="hinge", lp="-x")


def test_interval_proofs_are_replayed_by_another_program() -> None:
    r = R.with_inputs(loss="focal")
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


# --- curved pieces, irrational kinks, infinite slopes ----------------------------------------
def at(lp, ln, *names, n):
    r = R.with_inputs(lp=lp, ln=ln)
    return [r.at(name, r.point(N=n)) for name in names]


def test_a_slope_between_kinks_may_be_curved() -> None:
    r = R.with_inputs(lp="max(0, 1/2 - x)", ln="exp(2*x)")
    # Before the kink of the positives at x = 3/2 nothing pulls them, and beyond it the slope is
    # 1 - 6 exp(-(2 + 6 x)/7), which is zero at (7 log 6 - 2)/6.
    assert float(r.value("x_star", N=8)) == pytest.approx((7 * np.log(6) - 2) / 6, abs=1e-15)
    assert float(r.value("loss", N=8)) == pytest.approx(2.42371938076606, abs=1e-14)
    assert r.value("x_last", 40, N=8) == r.value("x_star", 40, N=8)
    assert r.value("simplex_condition", N=8) < 0 < r.value("antipodal_condition", N=8)


def test_infinite_slopes_at_the_ends() -> None:
    r = R.with_inputs(lp="-sqrt(1+x)", ln="-sqrt(1-x)")
    assert r.at("x_star", r.point(N=6)) == r.at("x_last", r.point(N=6)) == Rational(17, 11)
    assert r["antipodal_condition"] is S.Infinity
    both = R.with_inputs(lp="-sqrt(1+x) - (1+x)^(1/3)", ln="x")
    assert 0 < both.value("x_star", N=10) < 2


@pytest.mark.parametrize(
    "lp, ln, n, expected",
    [
        # lp falls by 1 up to x = 1/2 (where 1 - c = 2 - 3 c) and by 3 beyond; ln pushes by 3/2.
        ("max(0, max(1-x, 2-3*x))", "x", 5, Rational(1, 2)),
        ("max(exp(-x), 1)", "exp(x)", 5, 1),
        # The kink of the positives is where the slope changes sign.
        ("max(0, sqrt(2)/2 - x)", "x/5", 9, 1 - 2 ** Rational(1, 2) / 2),
        ("max(log(2) - x, 1/3 - x/2)", "x*9/20", 4, 0),
        ("max(0, exp(-x) - 2)", "x/9", 5, 1 + log(2)),
        ("max(0, 1/2 - x) + max(0, log(2)/log(4) - x)", "x", 5, Rational(1, 2)),
        ("-x - abs(x - exp(-1))", "x", 7, 0),
        ("x^2 - 3*x", "max(0, 1 - sqrt(2 - 2*x))^2", 7, 0),
    ],
)
def test_kinks_at_exact_places(lp, ln, n, expected) -> None:
    if lp.startswith("-x - abs"):
        with pytest.raises(DomainError, match=r"not convex at its kink x = exp\(-1\)"):
            at(lp, ln, "x_star", n=n)
        return
    first, last = at(lp, ln, "x_star", "x_last" if "max" in lp else "x_star", n=n)
    assert (first - expected).simplify() == 0 and (last - first).evalf() >= 0


@pytest.mark.parametrize(
    "lp, ln, says",
    [
        ("-sqrt(x)", "x", r"sqrt\(x\) is not real at x = -1"),
        ("-x", "x + max(0,x)^(1/2)", "is not convex"),
        ("-log((1+x)/2)", "x", r"log\(x/2 \+ 1/2\) is infinite at x = -1"),
        ("1/x", "x", "1/x has a pole at x = 0"),
        ("-x", "-log(1/2 - x)", "not real at x = 1"),
        ("-x", "-log(t - x)", "is not real at "),
        ("-x", "-1/(1 + x)", "infinite at x = -1"),
        ("max(exp(-x), 3/2 + x/7)", "x", "not found exactly|not decreasing"),
        ("max(0, log(1 + sqrt(2)) + log(sqrt(2) - 1))", "x", "which of two numbers is larger"),
        ("max(0, log(1 + sqrt(2)) + log(sqrt(2) - 1) - x)", "x", "which of two numbers is larger"),
        ("max(1, log(-1 - x^2))", "x", "an argument of max, min, relu or abs is not real"),
        ("max(0, -x) + (log(4) - 2*log(2))*exp(-x)", "x", "no sign was found"),
        ("-x", "max(b*x, 0)", "write numbers in place of the parameters"),
    ],
)
def test_losses_are_refused_for_the_right_reason(lp, ln, says) -> None:
    with pytest.raises(DomainError, match=says) as refusal:
        R.with_inputs(lp=lp, ln=ln).quantities  # noqa: B018
    assert "\n" not in str(refusal.value)


def test_the_contrastive_loss_with_a_margin_is_convex() -> None:
    r = R.with_inputs(loss="distance-margin")
    assert r.value("x_star", N=5) == r.value("loss", N=5) == 0


def test_roots_that_are_not_roots_are_refused() -> None:
    for unknown in (c**b, (2 + c) ** c, Max(0, c) ** Max(0, c)):
        with pytest.raises(NotBent):
            bent(unknown, c, R.domain.restricted([b]))


# --- signs on an interval, and zeros -----------------------------------------------------------


def test_what_is_no_number_has_no_sign() -> None:
    for undefined in (log(-S.One), (-S.One) ** S.Half, S.ComplexInfinity):
        with pytest.raises(NoSign):
            sign(undefined)


def test_which_side_is_larger_is_proved_on_a_whole_piece() -> None:
    assert sign_between(c * (c - 2), c, -S.One, S.Zero) == 1
    assert sign_between(c * (c - 2), c, S.Zero, S.One) == -1
    assert sign_between((c + 1) ** 2 - c**2 - 2 * c - 1, c, -S.One, S.One) == 0
    for changing in (c, c * exp(c), c * (c - Rational(1, 2)), c**3 - c / 4):
        with pytest.raises(NotSolved):
            sign_between(changing, c, -S.One, S.One)


def test_hypotheses_are_asked_of_the_loss_at_the_given_values() -> None:
    texts = {"lp": "-t*x", "ln": "exp(b*x)"}
    with pytest.raises(DomainError, match="not increasing at b = "):
        _ = R.with_inputs(**texts)["x_star"]
    r = R.with_inputs(**texts, at={"N": 4, "t": 1, "b": 1})
    for n in (2, 4, 9):  # what is not part of the functions stays a parameter
        plain = R.with_inputs(lp="-x", ln="exp(x)").value("loss", N=n)
        assert float(r.value("loss", N=n, t=1, b=1)) == float(plain)
    # What was proved holds there only.
    with pytest.raises(DomainError, match="b must be"):
        r.value("loss", N=4, t=1, b=-1)
    found = R.with_inputs(**texts, at={"b": 1}).quantity("x_star").expression
    assert found.has(t) and not found.has(b)
    with pytest.raises(DomainError, match="t must be > 0"):
        R.with_inputs(**texts, at={"t": 0})


def test_only_kinks_whose_places_are_not_given_move() -> None:
    texts = {"lp": "max(0,t-x)+max(1,(1-x)^2)", "ln": "exp(x)"}
    with pytest.raises(DomainError, match=r"where Max\(.*\) bends depends on parameters"):
        _ = R.with_inputs(**texts)["x_star"]
    r = R.with_inputs(**texts, at={"t": "1/2"})
    assert r.at("x_star", r.point(N=4, t="1/2")) == S.Half


def test_sides_that_cross_where_a_pure_power_has_a_value() -> None:
    cube = zeros((1 + c) ** 3 - Rational(11, 12), c, -S.One, S.One)
    assert [sign(r + 1 - Rational(11, 12) ** Rational(1, 3)) for r in cube] == [0]
    assert zeros(Rational(3, 2) ** 3 + (c - 1) ** 3, c, -S.One, S.One) == [-S.Half]
    fourth = zeros((2 * c - 1) ** 4 - 3, c, -S.One, S.One)
    assert [sign(2 * r - 1 + 3 ** Rational(1, 4)) for r in fourth] == [0]
    assert zeros((2 * c - 1) ** 4 + 3, c, -S.One, S.One) == []
    # The negatives fall until the cube no longer counts, which is before its slope is 1/8.
    r = R.with_inputs(lp="-x/4", ln="max(1/12,(1+x)^3)")
    assert float(r.value("negative", N=3)) == pytest.approx((1 / 12) ** (1 / 3) - 1, abs=1e-14)
    steep = Max(2, 4 * (c + 1) ** Rational(3, 2))
    assert [float(k) for k in bent(steep, c, SMALL).kinks] == [pytest.approx(4 ** (-1 / 3) - 1)]


def test_branches_change_over_at_affine_places_only() -> None:
    # The difference of the sides is affine once it is multiplied out.
    bends = Max(c * (c - 3), c * (c - 4) + Rational(1, 3))
    pieces = pieces_of_slope(bends, c, -S.One, S.One)
    assert [p.high for p in pieces] == [Rational(1, 3), S.One]
    assert [p.smooth.xreplace({c: S.Zero}) for p in pieces] == [Rational(1, 3), S.Zero]
    with pytest.raises(NoSign, match="changes sign"):
        pieces_of_slope(Max(c, c**2), c, -S.One, S.One)


def test_a_side_of_a_maximum_may_be_the_root_of_a_square() -> None:
    larger = Max((3 - c) ** 2, (4 - c) ** 2 - 8) ** Rational(3, 2)
    read = bent(larger, c, SMALL)
    assert read.kinks == [-S.Half]
    assert [p.smooth.xreplace({c: S.Zero}) for p in read.pieces] == [8 ** Rational(3, 2), 27]

"""Optima with any number of occupied eigenspaces, against a conic solver and against themselves."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from cltheory.derive.decide.ball import enclosure, precision
from cltheory.derive.decide.digits import rounded
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.decide.evidence import Evidence, Grade, Holds
from cltheory.derive.losses.pairwise import PairTerm, PairwiseLoss, c
from cltheory.derive.losses.softmax import SoftmaxLoss, SoftmaxTerm, tau
from cltheory.derive.losses.supcl import SUPCL, alpha
from cltheory.derive.optimum.face import FaceOptimum, faces, least
from cltheory.derive.optimum.interior import Interior
from cltheory.derive.optimum.polish import Conditions, Face, NotProved
from cltheory.derive.optimum.program import Program
from cltheory.derive.optimum.reduce import ReducedLoss, ReducedPairwise
from cltheory.derive.optimum.solve import NotDecided, Solved
from cltheory.derive.optimum.value import FaceValue
from cltheory.derive.structures.hierarchy import CLASSES, INSTANCES, VIEWS, hierarchy, m, n, p
from sympy import Abs, Expr, Integer, Rational, S, Symbol, exp, log, oo

from .explicit import MIXED

cp = pytest.importorskip("cvxpy")

k = Symbol("k", integer=True, positive=True)
LEVELS = [VIEWS, INSTANCES, CLASSES, (k, "cross_super", "supers")]
KNOWN = Evidence(Grade.EXACT, "as is plain")
SUPCL_REDUCED = ReducedLoss(SUPCL, hierarchy())


def conic(reduced: ReducedLoss, point: dict[Symbol, Expr]) -> float:
    """The least loss by Clarabel: log-sum-exp over the simplex of shares."""
    scheme = reduced.scheme
    counts = {r.name: float(r.count.subs(point)) for r in scheme.relations}
    spaces = [e for e in scheme.eigenspaces if e.dimension.subs(point) > 0]
    present = [r for r in counts if counts[r] > 0]
    shares = cp.Variable(len(spaces), nonneg=True)
    g = {
        r: np.array([float(scheme.table[e.name][r].subs(point)) / counts[r] for e in spaces])
        @ shares
        for r in present
    }
    t = float(reduced.loss.temperature.subs(point))
    total = 0
    for term in reduced.loss.terms:
        members = [r for r in term.denominator if r in present]
        spread = cp.log_sum_exp(cp.hstack([g[r] / t + np.log(counts[r]) for r in members]))
        pairs = sum(counts[r] for r in term.positives)
        pull = sum(counts[r] * g[r] for r in term.positives if r in present) / pairs / t
        total = total + float(term.coefficient.subs(point)) * (spread - pull)
    problem = cp.Problem(cp.Minimize(total), [cp.sum(shares) == 1])
    return float(problem.solve(solver=cp.CLARABEL))


def drawn(seed: int, levels: int) -> tuple[ReducedLoss, dict[Symbol, Expr]]:
    """A random loss on a hierarchy: terms with different positives, denominators, weights."""
    rng = random.Random(seed)
    scheme = hierarchy(*LEVELS[:levels])
    relations = [r.name for r in scheme.relations]
    terms = tuple(
        SoftmaxTerm(
            Rational(rng.randint(1, 9), 10),
            tuple(rng.sample(relations[1:], rng.randint(1, min(2, levels)))),
            tuple(rng.sample(relations, rng.randint(2, len(relations)))),
        )
        for _ in range(rng.randint(2, 4))
    )
    heat = Rational(rng.choice([1, 2, 5, 10]), 10)
    sizes = {s: Integer(rng.randint(2, 6)) for s in (p, n, m, k)[:levels]}
    return ReducedLoss(SoftmaxLoss("drawn", "", terms, heat, ""), scheme), sizes


def number(value: Expr) -> float:
    return float(rounded(value, 15)[0])


def check(found: FaceOptimum, reduced: ReducedLoss, point: dict[Symbol, Expr]) -> None:
    # Clarabel stops at a relative gap of 1e-8; the least value is then right to a few of that.
    assert number(found.loss) == pytest.approx(conic(reduced, point), abs=1e-6)
    shares = {e: number(v) for e, v in found.shares.items()}
    assert sum(shares.values()) == pytest.approx(1, abs=1e-12)
    assert all((shares[e] > 0) == (e in found.occupied) for e in shares)
    assert all(number(found.slacks[e]) >= 0 for e in shares)


# --- against the conic solver ---------------------------------------
@pytest.mark.parametrize("levels", [2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_random_losses_have_the_optimum_of_the_conic_solver(seed: int, levels: int) -> None:
    reduced, point = drawn(seed, levels)
    check(least(reduced, point), reduced, point)


@pytest.mark.slow
def test_more_random_losses() -> None:
    """A slack that vanishes inside a face is a border, and refused as such; it is rare."""
    borders = 0
    for seed in range(4, 40):
        reduced, point = drawn(seed, 4)
        try:
            found = least(reduced, point)
        except NotDecided as error:
            borders += "may be a border" in str(error)
            continue
        check(found, reduced, point)
    assert borders <= 3


@pytest.mark.parametrize("heat", ["1/2", "1/5", "1/20", "1/100"])
def test_three_occupied_eigenspaces(heat: str) -> None:
    reduced = ReducedLoss(MIXED, hierarchy(*LEVELS))
    point = {m: Integer(3), n: Integer(4), p: Integer(2), k: Integer(3), tau: Rational(heat)}
    found = least(reduced, point)
    assert len(found.occupied) >= 3
    assert found.evidence.grade == Grade.INTERVAL
    if heat != "1/100":  # there the conic solver is less sure than we are
        check(found, reduced, point)


def test_two_occupied_eigenspaces_are_those_of_the_edge() -> None:
    """The optimum of SupCL by its closed-form condition."""
    from cltheory.derive.results import results

    point = {"m": 10, "n": 20, "p": 2, "alpha": "1/2", "tau": "1/10"}
    known = results["supcl-optimum"]
    exact = {s: Rational(str(point[s.name])) for s in known.parameters}
    found = least(SUPCL_REDUCED, exact, 40)
    for name, value in (("loss", found.loss), ("same_class", found.inner["same_class"])):
        assert rounded(value, 40)[1] == str(known.value(name, digits=40, **point))


# --- small temperatures ---------------------------------------
@pytest.mark.parametrize("inverse", [20, 400, 10_000])
def test_small_temperatures(inverse: int) -> None:
    """Slacks are as small as exp(-1/tau), and still told from zero."""
    at = {m: Integer(10), n: Integer(20), p: Integer(2), alpha: S.Half}
    found = least(SUPCL_REDUCED, {**at, tau: Rational(1, inverse)})
    assert found.occupied == ("instances", "classes")
    size = rounded(found.slacks["mean"], 5)[0]
    assert 0 < size < np.exp(-min(inverse, 600) / 2)


# --- vertices and borders ---------------------------------------
def test_a_vertex_is_exact() -> None:
    at = {m: Integer(10), n: Integer(20), p: Integer(2), alpha: S.Zero, tau: S.One}
    found = least(SUPCL_REDUCED, at)
    assert found.occupied == ("classes",)
    assert found.evidence.grade == Grade.EXACT and found.unique
    assert found.inner["cross_class"] == -Rational(1, 9)


def pairwise(**functions: Expr) -> ReducedPairwise:
    terms = tuple(PairTerm(r, f, S.One) for r, f in functions.items())
    loss = PairwiseLoss("pairs", "", terms, "")
    return ReducedPairwise(loss, hierarchy(*LEVELS[1:3]), Holds(KNOWN))


SIZES = {n: Integer(3), m: Integer(3)}


def test_a_tie_with_curvature_is_one_optimum_and_one_without_is_not() -> None:
    flat = pairwise(same_class=-c, cross_class=-c)  # only the mean counts: c = 1 everywhere
    assert least(flat, SIZES).occupied == ("mean",)
    level = pairwise(same_class=S.Zero * c, cross_class=S.Zero * c)
    found = least(level, SIZES)
    assert found.unique is False and "exactly zero" in found.note
    # Half of (c - 0)^2 in both: the least is at c = 0, inside; along an edge it is strict.
    curved = pairwise(same_class=(c - 1) ** 2, cross_class=(c + S.Half) ** 2)
    found = least(curved, SIZES)
    assert found.occupied == ("classes",) and found.unique is True
    assert "instances" in found.note and "mean" in found.note


def test_what_the_loss_does_not_feel_is_not_rounded() -> None:
    """Only same_class counts: shares of classes and mean can be exchanged."""
    found = least(pairwise(same_class=1 + (c - S.Half) ** 2), SIZES)
    assert found.unique is False
    assert "classes, mean" in found.note
    assert number(found.inner["same_class"]) == pytest.approx(0.5, abs=1e-15)
    assert number(found.loss) == pytest.approx(2, abs=1e-15)


# --- refusals ---------------------------------------
def test_refusals_are_one_line() -> None:
    at = {m: Integer(3), n: Integer(3), p: Integer(2), alpha: S.Half, tau: S.One}
    cases: Sequence[tuple[object, dict[Symbol, Expr], str]] = [
        (SUPCL_REDUCED, {s: v for s, v in at.items() if s != m}, "give m"),
        (SUPCL_REDUCED, {s: v for s, v in at.items() if s != tau}, "give tau"),
        (SUPCL_REDUCED, {**at, tau: -S.One}, "temperature"),
        (SUPCL_REDUCED, {**at, n: oo}, "give a finite n"),
        (SUPCL_REDUCED, {**at, n: S.One}, "pairs in the positives"),
        (pairwise(same_class=Abs(c), cross_class=c), SIZES, "kink"),
    ]
    for reduced, point, says in cases:
        with pytest.raises(DomainError, match=says) as error:
            least(reduced, point)  # type: ignore[arg-type]
        assert "\n" not in str(error.value)


def test_a_shape_that_is_not_proved_is_refused() -> None:
    from cltheory.derive.decide.evidence import Undecided

    reduced = replace(pairwise(same_class=-(c**2)), shape=Undecided("it is not so"))
    with pytest.raises(DomainError, match="not proved to be convex"):
        least(reduced, SIZES)


# --- the proof refuses what is wrong ---------------------------------------
def program() -> Program:
    at = {m: Integer(5), n: Integer(4), p: Integer(2), alpha: S.Half, tau: Rational(1, 5)}
    return Program(faces(SUPCL_REDUCED).function, at)


def test_a_wrong_face_is_not_proved() -> None:
    of = program()
    guess = Interior(of, 256).run()
    right = Face.from_guess(of, guess)
    for b in range(len(of.blocks)):
        wrong = right.changed(b)
        conditions = Conditions(of, wrong, 256)
        try:
            u = conditions.root(conditions.unknowns(guess.shares, guess.multipliers))
        except NotProved:
            continue
        assert not all(sign.right for sign in conditions.signs(u)), wrong
        assert any(sign.right is False for sign in conditions.signs(u)), wrong


def test_a_face_that_is_guessed_wrong_is_changed() -> None:
    of = program()
    guess = Interior(of, 256).run()
    right, start = Face.from_guess(of, guess), (guess.shares, guess.multipliers)
    for b in range(len(of.blocks)):
        try:
            found = Solved(of, (right.changed(b), start, 256)).found
        except NotDecided:
            continue
        assert found.face == right


def test_a_point_that_is_no_root_is_not_enclosed() -> None:
    of = program()
    guess = Interior(of, 256).run()
    conditions = Conditions(of, Face.from_guess(of, guess), 256)
    u = conditions.root(conditions.unknowns(guess.shares, guess.multipliers))
    with precision(256):
        middle = [v.mid() for v in u]
        inverse = conditions.inverse(middle)
        box = conditions.krawczyk(middle, inverse)
        assert all(b.rad() < 1e-60 for b in box)
        # A box around another point holds the root or is refused; a wrong inverse is refused.
        zero = [[0 * v for v in row] for row in inverse]
        with pytest.raises(NotProved, match="one root"):
            conditions.krawczyk(middle, zero)


def test_the_derivatives_are_those_of_the_value() -> None:
    of = program()
    z = [enclosure(Rational(x, 100), 512) for x in (10, 30, 40, 20)]
    value, down, curved = of.evaluate(z, 512)
    with precision(512):
        h = enclosure(Rational(1, 10**40), 512)
        for i in range(len(z)):
            moved = [v + h if j == i else v for j, v in enumerate(z)]
            there, down_there, _ = of.evaluate(moved, 512)
            # The difference quotient differs by h times a second (third) derivative, of size 1e3.
            assert abs((there - value) / h - down[i]).mid() < 1e-30
            for j in range(len(z)):
                assert abs((down_there[j] - down[j]) / h - curved[i][j]).mid() < 1e-30


# --- as an expression ---------------------------------------
def test_a_face_value_takes_its_symbols_one_by_one() -> None:
    value = FaceValue.from_optima(faces(SUPCL_REDUCED), "inner", "same_class")
    assert value.free_symbols == {alpha, m, n, p, tau}
    half = value.xreplace({m: Integer(10), n: Integer(20), p: Integer(2)})
    assert half.free_symbols == {alpha, tau}
    there = half.xreplace({alpha: S.Half, tau: Rational(1, 10)})
    assert there.free_symbols == set()
    assert rounded(there, 20)[1].startswith("0.70599948137")
    assert rounded(2 * there - exp(log(there)), 20)[1] == rounded(there, 20)[1]
    assert "same_class" in str(value)


def test_more_digits_are_the_same_digits() -> None:
    at = {m: Integer(10), n: Integer(20), p: Integer(2), alpha: S.Half, tau: Rational(1, 10)}
    found = least(SUPCL_REDUCED, at)
    few, many = (rounded(found.loss, d)[1] for d in (30, 400))
    assert many.startswith(few[:29])


def test_sizes_that_leave_something_out() -> None:
    """One view and one class: no contrasts of views, no pairs across classes."""
    loss = SoftmaxLoss(
        "one", "", (SoftmaxTerm(S.One, ("same_class",), ("self", "same_class")),), tau, ""
    )
    at = {m: S.One, n: Integer(4), p: S.One, tau: S.One}
    found = least(ReducedLoss(loss, hierarchy()), at)
    assert set(found.shares) == {"instances", "mean"}
    assert "cross_class" not in found.inner and "same_instance" not in found.inner
    assert found.occupied == ("mean",)

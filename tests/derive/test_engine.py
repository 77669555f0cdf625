"""The engine refuses what is not true: wrong tables, wrong losses, wrong steps."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, asdict, dataclass, field, replace
from inspect import signature
from typing import Any

import pytest
from cltheory.derive.decide.calculus import derivative
from cltheory.derive.decide.convexity import log_sum_exp_is_convex
from cltheory.derive.decide.evidence import Evidence, Grade, Holds, weakest
from cltheory.derive.frozen import Frozen, FrozenValue
from cltheory.derive.losses.softmax import SoftmaxLoss, SoftmaxTerm, tau
from cltheory.derive.losses.supcl import CNCE, SUP_CNCE, SUPCL, alpha
from cltheory.derive.optimum.on_segment import LossOnSegment
from cltheory.derive.optimum.reduce import ReducedLoss
from cltheory.derive.optimum.segment import cut_segment, x
from cltheory.derive.optimum.threshold import Criterion, threshold
from cltheory.derive.problems.domains import COMBINED
from cltheory.derive.proof.derivation import Derivation, StepFailed
from cltheory.derive.proof.relations import ge, lt
from cltheory.derive.results import results
from cltheory.derive.results.classes._supcl import SYMMETRY
from cltheory.derive.structures.hierarchy import m, n, p
from cltheory.derive.structures.scheme import Scheme
from sympy import Rational, S, exp, log, sqrt


def reduce(loss: SoftmaxLoss, scheme: Scheme = SYMMETRY) -> LossOnSegment:
    segment = cut_segment(scheme, ("views", "mean"), "instances", "same_class")
    return LossOnSegment(ReducedLoss(loss, scheme), segment, COMBINED, Derivation())


def wrong_table(change) -> Scheme:
    table = {e: dict(row) for e, row in SYMMETRY.table.items()}
    change(table)
    return replace(SYMMETRY, table=table)


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t["classes"].update(cross_class=-t["classes"]["cross_class"]),
        lambda t: t["classes"].update(cross_class=-(n - 1) * p),
        lambda t: t["instances"].update(same_class=-(p - 1)),
        lambda t: t["mean"].update(same_instance=p),
    ],
)
def test_a_wrong_table_stops_the_derivation(change) -> None:
    with pytest.raises(StepFailed):
        reduce(SUPCL, wrong_table(change))


def test_a_threshold_is_checked_by_putting_it_back(monkeypatch) -> None:
    from cltheory.derive.optimum import threshold as module

    right = module.solve
    condition = reduce(SUPCL).slope_at(S.Zero)
    for wrong in (
        lambda *a: -right(*a),
        lambda *a: right(*a).subs(n, n - 1),
        lambda *a: right(*a) * n,
    ):
        monkeypatch.setattr(module, "solve", wrong)
        with pytest.raises(StepFailed):
            threshold(Criterion("it falls", lt(condition, 0)), alpha, COMBINED, Derivation())


def test_there_are_positives_also_where_each_is_in_its_own_denominator() -> None:
    """With one view an anchor has no others of its instance; its denominator is not empty then."""
    term = SoftmaxTerm(S.One, ("same_instance",), ("cross_class",), own_positive=True)
    one = ReducedLoss(SoftmaxLoss("one", "One", (term,), tau, "here"), SYMMETRY)
    strict = {c.expression: c.strict for c in one.declaration() if "number" in c.says}
    assert strict == {p - 1: True, (m - 1) * n * p: False}


def test_the_weakest_link_is_shown() -> None:
    links = [Evidence(g, g.name) for g in (Grade.EXACT, Grade.OPTIMISED, Grade.SAMPLED)]
    assert weakest(links).grade is Grade.OPTIMISED
    proof = Derivation()
    for link in links:
        proof.holds("", ge(m, 1), "", COMBINED, premises=[Holds(link)])
    assert str(proof.evidence.grade) == "optimised"


def test_reduced_loss_against_the_declaration_by_hand() -> None:
    """Value at a point, from counts and inner products written out here."""
    sizes = {m: 3, n: 4, p: 2, tau: Rational(1, 3), alpha: Rational(2, 5)}
    g = {"self": 1, "same_instance": Rational(1, 2), "same_class": Rational(1, 5)}
    g["cross_class"] = Rational(-1, 4)
    inner = {k: S(v) for k, v in g.items()}
    k = {"self": 1, "same_instance": 1, "same_class": 6, "cross_class": 16}
    z = sum(k[r] * exp(3 * inner[r]) for r in k)
    zc = z - k["cross_class"] * exp(3 * inner["cross_class"])
    own = Rational(1, 2) * (1 + inner["same_instance"])
    expected = {
        SUPCL: log(z) - 3 * (Rational(3, 5) * inner["same_class"] + Rational(2, 5) * own),
        CNCE: log(zc) - 3 * own,
        SUP_CNCE: Rational(3, 5) * (log(z) - 3 * inner["same_class"])
        + Rational(2, 5) * (log(zc) - 3 * own),
    }
    for loss, value in expected.items():
        found = ReducedLoss(loss, SYMMETRY).value(inner).subs(sizes)
        assert float(found) == pytest.approx(float(value), rel=1e-14)


def test_log_sum_exp() -> None:
    for terms in (1, 2, 4, 5):
        assert isinstance(log_sum_exp_is_convex(terms), Holds)


def test_derivatives_agree_with_sympy() -> None:
    for e in (
        results["supcl-threshold"].quantity("alpha_min").expression,
        results["supcl-threshold"].quantity("tau_max").expression,
        sqrt(m * tau + exp(-x / tau)) / (1 + x) ** 3,
        log(1 + exp(x * tau)) * x**2,
    ):
        for s in e.free_symbols:
            gap = derivative(e, s) - e.diff(s)
            point = {m: 3, n: 4, tau: Rational(2, 3), alpha: Rational(3, 4), x: Rational(1, 5)}
            assert abs(gap.subs(point).evalf(40)) < 1e-35


# --- frozen dataclasses ------------------------------------------------------------------------
class Point(FrozenValue):
    at: int
    names: list[str] = field(default_factory=list)
    note: str = field(default="", compare=False, repr=False)


class Above(Point):
    high: float = 1.0


class Alone(Frozen):
    at: int


@dataclass(frozen=True)
class PointTwin:
    at: int
    names: list[str] = field(default_factory=list)
    note: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True)
class AboveTwin(PointTwin):
    high: float = 1.0


@pytest.mark.parametrize(("made", "twin"), [(Point, PointTwin), (Above, AboveTwin)])
def test_they_are_what_the_standard_library_makes_of_the_same_fields(made: Any, twin: Any) -> None:
    for args, given in (((1,), {}), ((1, ["a"]), {"note": "b"}), ((), {"at": 2, "names": ["a"]})):
        one, other = made(*args, **given), twin(*args, **given)
        assert (repr(one), asdict(one)) == (repr(other).replace("Twin", ""), asdict(other))
        assert made.__match_args__ == twin.__match_args__
        parameters, others = (signature(c).parameters for c in (made, twin))
        assert [*parameters] == [*others] and parameters["note"] == others["note"]
        assert one == replace(one, note="c") != replace(one, at=3) and one != other
    assert hash(made(1, (), "a")) == hash(made(1, ())) != hash(made(2, ()))
    assert made(1).names is not made(1).names


def test_some_are_equal_to_themselves_only() -> None:
    assert Point(1) != Above(1) and Alone(1) != Alone(1) and hash(Alone(1)) != hash(Alone(1))


@pytest.mark.parametrize(
    ("args", "given", "says"),
    [
        ((), {}, "missing a required argument: 'at'"),
        ((1, [], "", 2), {}, "too many positional arguments"),
        ((1,), {"at": 1}, "multiple values for argument 'at'"),
        ((1,), {"heigth": 1}, "unexpected keyword argument 'heigth'"),
    ],
)
def test_they_take_their_fields_once_and_nothing_else(args: Any, given: Any, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        Point(*args, **given)
    for change in (lambda one: setattr(one, "at", 2), lambda one: delattr(one, "at")):
        with pytest.raises(FrozenInstanceError, match=r"cannot .* field 'at'"):
            change(Point(1))

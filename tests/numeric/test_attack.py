"""The adversary: what is false is broken, what is true is not, and what it kept can be replayed."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
import torch
from cltheory.derive.decide.domain import DomainError, between
from cltheory.derive.theorem.bounds import About
from cltheory.numeric.attack import (
    Attack,
    BadRecord,
    NoTarget,
    Record,
    Target,
    attack,
    dump,
    load,
    replay,
)
from cltheory.numeric.attack.optimise import climb
from cltheory.numeric.attack.spaces import space
from mpmath import mp, mpf
from sympy import Integer, Rational
from toy_bounds import ALL, DOMAIN, FALSE, LOWER, TRUE, UPPER, bound, epsilon, rho, tau, toy

SMALL: dict[str, Any] = {"seeds": [0], "starts": 9, "steps": 25}


def short(name: str, **options: Any) -> Attack:
    """An attack of a tenth of a second or so."""
    return attack(ALL, name, **{**SMALL, "n": (4,), "d": (2,), **options})


def fixed(name: str = "upper", **changes: Any) -> Record:
    """An anchor that is its positive, and one negative opposite to both."""
    vectors = {"anchor": ["1", "0"], "positive": ["1", "0"], "negatives": [["-1", "0"]]}
    return replace(Record("toy", name, About.ANCHOR, vectors, "1", how="by hand"), **changes)


# --- verdicts ----------------------------------------------------------------------------------
@pytest.mark.parametrize("name", TRUE)
def test_what_is_true_is_not_broken_and_what_is_sharp_is_reached(name: str) -> None:
    found = short(name)
    assert not found.is_violated and found.smallest is None
    assert found.ratio == pytest.approx(1, abs=1e-12)
    assert found.record is not None and found.ended == "finished"


@pytest.mark.parametrize("name", FALSE)
def test_what_is_false_is_broken(name: str) -> None:
    found = short(name)
    assert found.is_violated and found.violated == ((4, 2),)
    assert found.ratio > 1
    assert found.smallest is not None
    # It is one still when it is read back, as short as it was written.
    (again,) = load(dump([found.smallest]))
    assert again == found.smallest
    sides = replay(found.target, again)
    assert sides.is_violated and sides.ratio is not None and sides.ratio > 1


@pytest.mark.parametrize("factor", [Rational(99, 100), 1 - Rational(1, 10**12)])
def test_a_sharp_constant_may_not_be_smaller(factor: Rational) -> None:
    corrupted = toy({"upper": bound(factor * UPPER), "lower": bound(LOWER / factor, "lower")})
    for name in corrupted.quantities:
        found = attack(corrupted, name, n=(3,), d=(1, 2), **SMALL)
        assert found.is_violated
        assert found.ratio == pytest.approx(float(1 / factor), rel=1e-13)


def test_a_violation_has_a_margin() -> None:
    broken = toy({k: bound((1 - Rational(1, 10**e)) * UPPER) for k, e in (("a", 34), ("b", 36))})
    assert replay(Target.from_result(broken, "a"), fixed("a")).is_violated
    assert not replay(Target.from_result(broken, "b"), fixed("b")).is_violated


def test_a_violation_that_no_start_shows_is_climbed_to() -> None:
    target = Target.from_result(toy({"b": bound(Rational(999, 1000) * UPPER)}), "b")
    there = space(About.ANCHOR, 8, 3)
    assert there is not None
    x = torch.randn(4, there.numbers, dtype=torch.float64, generator=torch.manual_seed(0))

    def score(y: torch.Tensor) -> torch.Tensor:
        return target.score(*there.unpack(y))

    assert score(x).max() < -0.1
    assert climb(score, x)[1].max() > 0


def test_the_smallest_violation_is_short() -> None:
    found = short("softmax_error", n=(3, 4), d=(1, 2))
    assert found.violated[0] == (3, 1)
    assert found.smallest is not None
    assert found.smallest.vectors == {"anchor": ["1"], "positive": ["1"], "negatives": [["-1"]]}
    assert found.smallest.tau == "1"


def test_hypotheses_are_met() -> None:
    # Among unit vectors rho is between -1 and 1; this bound is meant for rho above 0 only.
    inside = DOMAIN.with_range(rho, between(0, 1, "()"), Rational(1, 2))
    held = replace(bound(2 * epsilon / tau**2), domain=inside)
    found = attack(toy({"b": held}), "b", n=(3,), d=(2,), tau=[1.0], **SMALL)
    assert found.record is not None and not found.is_violated
    readings = replay(found.target, found.record).readings
    assert 0 < readings["rho"] < 1
    everywhere = toy({"b": bound(2 * epsilon / tau**2)})
    assert attack(everywhere, "b", n=(3,), d=(2,), tau=[1.0], **SMALL).is_violated


# --- runs --------------------------------------------------------------------------------------


def test_an_interruption_keeps_what_was_found() -> None:
    calls = count()

    def tell(_: str) -> None:
        if next(calls) == 1:
            raise KeyboardInterrupt

    found = short("upper", n=(3, 4, 6), tell=tell)
    assert found.ended == "interrupted"
    assert found.record is not None and len(found.sizes) == 2


def test_what_cannot_be_attacked_is_refused() -> None:
    with pytest.raises(NoTarget, match="toy has no nothing; its bounds are upper, lower"):
        short("nothing")
    with pytest.raises(NoTarget, match="number of toy is not a bound"):
        short("number")
    with pytest.raises(NoTarget, match=r"depends on c, .* give c=VALUE"):
        short("constant")
    assert not short("constant", constants={"c": 4}).is_violated
    assert short("constant", constants={"c": "399/100"}).is_violated
    with pytest.raises(DomainError, match="c must be > 0"):
        short("constant", constants={"c": -1})
    with pytest.raises(NoTarget, match="epsilon is computed from the configuration"):
        short("constant", constants={"epsilon": "1/2"})
    with pytest.raises(NoTarget, match="no size among those given"):
        short("batch", n=(3, 5))
    with pytest.raises(NoTarget, match="bounds nonsense, which no"):
        attack(toy({"b": bound(Integer(1), bounded="nonsense")}), "b")


# --- many digits ---------------------------------------------------------------------------------
def test_both_sides_are_found_to_all_digits() -> None:
    sides = replay(Target.from_result(ALL, "upper"), fixed())
    with mp.workdps(70):
        epsilon = 1 / (1 + mp.exp(mpf(2)))
        assert abs(sides.bounded / (4 * epsilon**2) - 1) < mpf(10) ** -50
    assert sides.ratio is not None and abs(sides.ratio - 1) < mpf(10) ** -50


def test_what_underflows_is_told_from_zero() -> None:
    sides = replay(Target.from_result(ALL, "softmax_error"), fixed("softmax_error", tau="0.0001"))
    # epsilon is exp(-20000); the ratio is 4 all the same.
    assert 0 < sides.bounded < mpf(10) ** -17000
    assert sides.ratio == pytest.approx(4) and sides.is_violated


def test_rows_are_normalised() -> None:
    vectors = {"anchor": ["3", "0"], "positive": ["0.1", "0"], "negatives": [["-7", "0"]]}
    assert replay(Target.from_result(ALL, "upper"), fixed(vectors=vectors)).ratio == pytest.approx(
        1
    )


# --- records -----------------------------------------------------------------------------------
def test_a_record_is_read_back() -> None:
    records = [fixed(), fixed("lower", seed=7, constants={"c": "1/2"})]
    assert load(dump(records)) == records
    assert load(dump(records[:1])) == records[:1]


def broken(**changes: Any) -> str:
    row = {**fixed().as_json(), **changes}
    return json.dumps({k: v for k, v in row.items() if v is not ...})


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "not JSON"),
        ("[]", "an empty list"),
        ("[" * 100_000, "nested too deeply|no JSON"),
        ('{"result": NaN}', "not a number|not JSON"),
        (broken(result=...), "'result' is missing"),
        (broken(about="POINT"), "not a kind of configuration"),
        (broken(vectors=...), "'vectors' is missing"),
        (broken(vectors={"anchor": [1.0]}), "must be a nested list of decimal"),
        (broken(vectors={"anchor": ["__import__('os')"]}), "not a decimal number"),
        (broken(vectors={"anchor": ["1e9999999"]}), "not a decimal number"),
        (broken(vectors={"negatives": [["1"], ["1", "2"]]}), "different lengths"),
        (broken(tau="-"), "'tau' has '-'"),
        (broken().replace('"tau"', '"tau": "9", "tau"'), "a key stands twice"),
        (broken(seed="x"), "'seed' must be an integer"),
        (broken(given={"c": 1}), "values of 'given' must be strings"),
    ],
)
def test_what_is_no_record_is_refused_in_a_line(text: str, why: str) -> None:
    with pytest.raises(BadRecord, match=why) as refusal:
        load(text)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    "changes, why",
    [
        ({"tau": None}, "'tau' must be a positive"),
        ({"vectors": {"anchor": ["1"], "positive": ["1"]}}, "'negatives' is missing"),
        (
            {"vectors": {"anchor": ["1", "2"], "positive": ["1"], "negatives": [["1"]]}},
            "'anchor' of a configuration",
        ),
        (
            {"vectors": {"anchor": ["0"], "positive": ["1"], "negatives": [["1"]]}},
            "'anchor' has a row of zeros",
        ),
        (
            {"vectors": {"anchor": ["1"], "positive": ["1"], "negatives": [["1"]], "x": ["1"]}},
            "has no 'x'",
        ),
    ],
)
def test_arrays_that_are_no_configuration_are_refused(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(BadRecord, match=why):
        replay(Target.from_result(ALL, "upper"), fixed(**changes))


# --- spaces ------------------------------------------------------------------------------------
@pytest.mark.parametrize("about", About, ids=lambda a: a.name)
@pytest.mark.parametrize("n,d", [(4, 1), (4, 2), (6, 3), (10, 8)])
def test_a_start_is_a_configuration(about: About, n: int, d: int) -> None:
    there = space(about, n, d)
    assert there is not None
    x, names = there.structured()
    assert len(x) == len(names) == len(set(names))
    arrays, tau = there.unpack(torch.cat([x, there.random(7, torch.Generator().manual_seed(0))]))
    for name, value in arrays.items():
        assert value.shape[1:] == there.shapes[name]
        if name not in ("weights", "logits"):
            assert torch.allclose(value.norm(dim=-1), torch.ones(()).to(value))
        if name == "weights":
            assert torch.allclose(value.sum(-1), torch.ones(()).to(value)) and value.min() >= 0
    assert (tau is not None) == there.has_tau
    assert tau is None or bool((tau > 0).all())


# --- the climb ---------------------------------------------------------------------------------
def test_it_reaches_the_top_of_a_narrow_ridge() -> None:
    def ridge(x: torch.Tensor) -> torch.Tensor:
        return -((1 - x[:, 0]) ** 2) - 100 * (x[:, 1] - x[:, 0] ** 2) ** 2

    starts = torch.tensor([[-1.2, 1.0], [0.0, 0.0], [2.0, -1.0]], dtype=torch.float64)
    _, found = climb(ridge, starts)
    assert found.min() > -1e-10

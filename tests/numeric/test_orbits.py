"""Classes of different sizes: losses, searches and certificates, against plain operations."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from cltheory.derive.certificate import Refused, replay
from cltheory.derive.decide.domain import Domain
from cltheory.derive.decide.exact import exact
from cltheory.derive.losses.softmax import SoftmaxLoss, SoftmaxTerm, tau
from cltheory.derive.losses.supcl import (
    OTHERS,
    SUPCL,
    SUPCON,
    alpha,
)
from cltheory.derive.optimum.blocks import BlockOptima, ReducedOnOrbits
from cltheory.derive.problems.catalogue import CATALOGUE
from cltheory.derive.problems.problem import Problem
from cltheory.derive.results import results
from cltheory.derive.structures.arrangement import arrange
from cltheory.derive.structures.classes import classes_of_sizes, two_sizes
from cltheory.derive.theorem.result import Result
from cltheory.numeric.problems import bind
from cltheory.numeric.problems.embeddings import structured_embeddings
from cltheory.numeric.problems.measure import inner_products
from cltheory.numeric.search.certificate import certify
from cltheory.numeric.search.certify import certificate_of
from cltheory.numeric.search.optimiser import minimise
from cltheory.numeric.verify import verify
from plain import ORBITS
from sympy import Expr, Integer, Rational, S, Symbol

NOTHING = Domain(ranges={}, witness={})
STRUCTURE = ORBITS.scheme


def _softmax(name: str, **of: Any) -> SoftmaxLoss:
    return SoftmaxLoss(name, name, (SoftmaxTerm(S.One, **of),), tau, "")


def test_what_cannot_be_bound_is_refused() -> None:
    with pytest.raises(ValueError, match="pairwise, and the points have several orbits"):
        bind(Problem(CATALOGUE["hinge"].loss, STRUCTURE, NOTHING), {})
    with pytest.raises(ValueError, match="no pairs"):  # a class of one instance, once
        bind(Problem(SUPCON, classes_of_sizes([1, 3]), NOTHING), {"tau": 1.0})
    with pytest.raises(ValueError, match="distinct names among"):
        bind(
            Problem(
                _softmax("wrong", positives=("positive",), denominator=OTHERS), STRUCTURE, NOTHING
            ),
            {"tau": 1.0},
        )


# --- optima ---------------------------------------------------------------------------------------
def derived(loss: SoftmaxLoss, structure: Any, point: dict[Symbol, Expr]) -> Any:
    return BlockOptima(ReducedOnOrbits(loss, structure), tuple(point)).at(point)


def compared(loss: SoftmaxLoss, structure: Any, point: dict[Symbol, Expr], d: int) -> None:
    """Embeddings from a random start, and what is derived there."""
    found = minimise(
        Problem(loss, structure, NOTHING), {s.name: float(v) for s, v in point.items()}, d=d
    )
    exact = derived(loss, structure, point)
    assert found.certificate is not None
    assert found.certificate.gap.item() < 1e-10
    assert abs(found.loss.item() - float(exact.loss)) < 1e-10
    at = arrange(structure, {s.name: int(v) for s, v in point.items() if s.is_integer})
    means = inner_products(at, found.embeddings)
    for r, inner in exact.inner.items():
        assert abs(means[r].item() - float(inner)) < 1e-6, r


@pytest.mark.parametrize("seed", range(6))
def test_brute_force_finds_the_derived_optimum(seed: int) -> None:
    draw = np.random.default_rng(seed)
    sizes = [int(k) for k in (*draw.integers(1, 4, 1), *draw.integers(2, 6, 1))]
    sizes += [
        int(k) for k in (*draw.integers(1, 4, 1), *draw.integers(2, 6, 1), draw.integers(1, 3))
    ]
    symbols = {s.name: s for s in two_sizes().meanings}
    point = {symbols[k]: Integer(v) for k, v in zip("m1 n1 m2 n2 p".split(), sizes, strict=True)}
    point[tau] = Rational(int(draw.integers(6, 40)), 20)
    loss = (SUPCON, SUPCL)[seed % 2]
    if loss is SUPCL:
        point[alpha] = Rational(int(draw.integers(0, 11)), 10)
    compared(loss, two_sizes(), point, 40)


def test_the_certificate_knows_an_optimum_from_another_structure() -> None:
    values = {"m1": 2, "n1": 3, "m2": 2, "n2": 2, "p": 1, "tau": 0.5}
    problem = results["supcon-two-sizes"].problem
    assert problem is not None
    at = arrange(problem.structure, {k: v for k, v in values.items() if k != "tau"})
    simplex = dict.fromkeys(at.counts, -1 / 3) | {"same_class_1": 1, "same_class_2": 1}
    u = structured_embeddings(at, {k: v for k, v in simplex.items() if not k.startswith("self")})
    assert certify(problem, u, values).gap.item() > 1e-3
    best = {
        r: float(results["supcon-two-sizes"].value(r, **values | {"tau": "1/2"}))
        for r, count in at.counts.items()
        if count and not r.startswith("self")
    }
    assert certify(problem, structured_embeddings(at, best), values).gap.item() < 1e-12


# --- verify ---------------------------------------------------------------------------------------
POINT = {"m1": 2, "n1": 3, "m2": 2, "n2": 2, "p": 1, "tau": "1/2"}


def test_embeddings_agree() -> None:
    checks = verify("supcon-two-sizes", seeds=[0, 1], device="cpu", **POINT)
    told = {c.what for c in checks}
    assert told == set(results["supcon-two-sizes"].with_inputs(at=POINT).measures())
    assert {c.verdict for c in checks} == {"agrees"}
    assert max(c.gap for c in checks if c.gap is not None) < 1e-11


@pytest.mark.parametrize("name", ["loss", "cross_class_1_2", "rank"])
def test_a_wrong_value_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    value = Result.number

    def lies(self: Result, asked: str, *args: Any) -> Any:
        return value(self, asked, *args) + (asked == name) * (1 if name == "rank" else 1e-5)

    monkeypatch.setattr(Result, "number", lies)
    checks = verify("supcon-two-sizes", seeds=[0], device="cpu", **POINT)
    assert {c.what for c in checks if c.verdict == "disagrees"} == {name}


# --- certificates ---------------------------------------------------------------------------------
def values_of(id: str, given: dict[str, Any]) -> tuple[Problem, dict[Symbol, Expr]]:
    problem = results[id].problem
    assert problem is not None
    symbols = {s.name: s for s in problem.domain.ranges}
    return problem, {symbols[k]: exact(v) for k, v in given.items()}


@pytest.fixture(scope="module")
def file() -> dict[str, Any]:
    problem, values = values_of("supcon-two-sizes", POINT)
    names = [
        r for r in results["supcon-two-sizes"].with_inputs(at=POINT).quantities if "class" in r
    ]
    value = results["supcon-two-sizes"].value
    inner = {r: str(value(r, 40, **POINT)) for r in names}
    return certificate_of(problem, values, inner=inner)


def test_a_derived_optimum_is_certified(file: dict[str, Any]) -> None:
    proved = replay(file)
    assert proved.gap < 1e-28
    loss = results["supcon-two-sizes"].value("loss", 30, **POINT)
    assert abs(exact(file["claim"]["loss"]) - exact(str(loss))) < Rational(1, 10**28)
    problem, values = values_of("supcon-two-sizes", POINT)
    numbers = {s.name: float(v) for s, v in values.items()}
    u = minimise(problem, numbers, d=10, seeds=[1]).embeddings[0].numpy()
    assert replay(certificate_of(problem, values, embeddings=u)).gap < 1e-11
    assert certify(problem, torch.tensor(u), numbers).loss.item() == pytest.approx(float(loss))


WRONG: dict[str, Callable[[dict[str, Any]], Any]] = {
    "one direction of a relation alone": lambda f: f["point"]["inner"].update(
        cross_class_1_2_back="0"
    ),
    "both directions": lambda f: f["point"]["inner"].update(
        cross_class_1_2_back="0", cross_class_1_2="0"
    ),
    "orbits in another order": lambda f: f["axes"].reverse(),
    "an orbit that is a size": lambda f: f["axes"].__setitem__(1, 2),
    "orbits as one": lambda f: f.update(axes=[10]),
    "points of two orbits that are one": lambda f: f["pattern"].update({"0 1": "self"}),
    "a pattern without them": lambda f: f["pattern"].pop("1 0"),
    "weights of another size": lambda f: f["loss"]["terms"][0]["positives"].update(
        same_class_2="1/2"
    ),
    "a denominator that leaves some out": lambda f: f["loss"]["terms"][0]["denominator"].remove(
        "cross_class_1_2_back"
    ),
}


@pytest.mark.parametrize("change", WRONG)
def test_what_is_wrong_is_refused(file: dict[str, Any], change: str) -> None:
    wrong = copy.deepcopy(file)
    WRONG[change](wrong)
    with pytest.raises(Refused):
        replay(wrong)


# --- towers ---------------------------------------------------------------------------------------
TOWERS = """
temperature = "tau"
[structure]
towers = 3
items = "N"
views = 2
[[terms]]
positives = ["positive", "positive_sibling"]
denominator = "others"
"""


@pytest.mark.slow
def test_three_towers_of_two_views_from_a_file(tmp_path: Any) -> None:
    (tmp_path / "towers.toml").write_text(TOWERS, encoding="utf-8")
    loss = str(tmp_path / "towers.toml")
    given = {"N": 4, "tau": "1/2"}
    checks = verify("phases", seeds=[0], device="cpu", loss=loss, **given)
    assert {c.verdict for c in checks} == {"agrees"}
    assert {"positive", "positive_sibling", "twin", "loss"} <= {c.what for c in checks}
    made = results["phases"].with_inputs(loss=loss)
    problem = made.problem
    assert problem is not None
    values = {s: exact(given[s.name]) for s in problem.domain.ranges}
    names = [r.name for r in problem.structure.relations[1:]]
    inner = {r: str(made.value(r, 40, **given)) for r in names}
    assert replay(certificate_of(problem, values, inner=inner)).gap < 1e-28

"""Certificates as files: what is written is replayed, and what is wrong is refused."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
import torch
from cltheory.derive import certificate
from cltheory.derive.certificate import Refused, is_convex, replay
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.decide.exact import exact
from cltheory.derive.losses.pairwise import c
from cltheory.derive.problems.catalogue import CATALOGUE, named
from cltheory.derive.results import results
from cltheory.numeric.problems import evaluate
from cltheory.numeric.search.certify import as_written, certificate_of
from cltheory.numeric.search.optimiser import minimise
from flint import arb
from sympy import Max

SUPCL = {"m": 3, "n": 2, "p": 2, "alpha": "3/4", "tau": "1/2"}
#: Problems small enough for a few tenths of a second each, of every kind there is.
SMALL = {
    "supcl": SUPCL,
    "supcon": {"m": 2, "n": 2, "p": 2, "tau": "1/5"},
    "supcl-exclusive": SUPCL | {"alpha": "1/2"},
    "simclr": {"n": 4, "p": 2, "tau": "1/2"},
    "dcl": {"n": 3, "p": 2, "tau": "1/2"},
    "sincere": {"m": 2, "n": 2, "p": 2, "tau": "1/2"},
    "siglip": {"N": 4, "t": "2", "b": "-1"},
    "clip": {"N": 4, "tau": "1/2"},
    "exponential": {"N": 4, "t": "2"},
    "spectral": {"N": 4},
}


def values_of(name: str, given: dict) -> dict:
    symbols = {s.name: s for s in CATALOGUE[name].domain.ranges}
    return {symbols[k]: exact(v) for k, v in given.items()}


def optimised(name: str, given: dict):
    sizes = {k: v if isinstance(v, int) else float(exact(v)) for k, v in given.items()}
    return minimise(CATALOGUE[name], sizes, d=8, seeds=[1])


@pytest.mark.parametrize("name", SMALL)
def test_optimised_embeddings_are_certified(name: str) -> None:
    found = optimised(name, SMALL[name])
    file = certificate_of(
        CATALOGUE[name], values_of(name, SMALL[name]), embeddings=found.embeddings[0].numpy()
    )
    proved = replay(json.loads(json.dumps(file)))
    # A converged search is this close; rounding of the rows enters with some 1e-14 per vector.
    assert proved.gap < 1e-9
    assert abs(float(proved.loss) - float(found.loss[0])) < 1e-12


def test_the_gap_holds_against_other_embeddings() -> None:
    # Of embeddings far from the optimum, and against some that are near: loss - gap is below.
    problem, values = CATALOGUE["supcl"], values_of("supcl", SUPCL)
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(3, 2, 2, 6))
    proved = replay(certificate_of(problem, values, embeddings=rows))
    best = optimised("supcl", SUPCL)
    assert float(proved.loss - proved.gap) < float(best.loss[0]) < float(proved.loss)


def test_digits_of_a_derived_optimum_give_as_many_digits_of_the_gap() -> None:
    result = results["supcl-optimum"]
    inner = {k: str(result.value(k, digits=40, **SUPCL)) for k in ("same_class", "cross_class")}
    file = certificate_of(
        CATALOGUE["supcl"], values_of("supcl", SUPCL), inner={"same_instance": "1"} | inner
    )
    proved = replay(file)
    assert proved.gap < 1e-28  # the shift of the Gram matrix, and of S, is 1e-30 or so
    digits = Fraction(str(result.value("loss", digits=30, **SUPCL)))
    assert abs(Fraction(file["claim"]["loss"]) - digits) < Fraction(1, 10**28)


@pytest.fixture(scope="module")
def file() -> dict:
    u = optimised("supcl", SUPCL).embeddings[0].numpy()
    return certificate_of(CATALOGUE["supcl"], values_of("supcl", SUPCL), embeddings=u)


WRONG = {
    "a gap ten times smaller": lambda f: f["claim"].update(gap="1e-20"),
    "another loss": lambda f: f["claim"].update(loss="1.7"),
    "no shift": lambda f: f.update(shift="-1"),
    "a smaller radius": lambda f: f.update(radius="1e-60"),
    "a negative radius": lambda f: f.update(radius="-1"),
    "an entry of S": lambda f: f["S"][3].__setitem__(1, "0.5"),
    "an entry of y": lambda f: f["y"].__setitem__(0, "0.5"),
    "one y less": lambda f: f["y"].pop(),
    "another vector": lambda f: f["point"]["embeddings"][0].__setitem__(0, "0.9"),
    "a vector of zeros": lambda f: f["point"]["embeddings"].__setitem__(0, ["0"] * 8),
    "a vector less": lambda f: f["point"]["embeddings"].pop(),
    "another temperature": lambda f: f["loss"].update(temperature="1/3"),
    "a negative temperature": lambda f: f["loss"].update(temperature="-1/2"),
    "a negative weight": lambda f: f["loss"]["terms"][0].update(coefficient="-1/4"),
    "another weight": lambda f: f["loss"]["terms"][0].update(coefficient="1/2"),
    "another size": lambda f: f["axes"].__setitem__(0, 4),
    "no size": lambda f: f.update(axes=[0, 2, 2]),
    "a huge size": lambda f: f.update(axes=[10**6, 1, 1]),
    "a number that is none": lambda f: f["y"].__setitem__(0, "nan"),
    "a float": lambda f: f["y"].__setitem__(0, 0.25),
    "a huge exponent": lambda f: f["y"].__setitem__(0, "1e999999999"),
    "code": lambda f: f["loss"].update(temperature="__import__('os').getpid()"),
    "an expression without end": lambda f: f["loss"].update(temperature="(" * 900),
    "another format": lambda f: f.update(format="something else"),
    "no pattern": lambda f: f.pop("pattern"),
    "another kind": lambda f: f["loss"].update(kind="eval"),
    "a y of no point, which pays for a gap": lambda f: f["y"].append("1"),
    "each vector twice, which halves the loss": lambda f: _twice(f),
    "a column more of S": lambda f: [row.append("0") for row in f["S"]],
    "a row more of S": lambda f: f["S"].append(f["S"][0]),
    "a denominator that is text": lambda f: _terms(f, "denominator", " ".join),
    "a relation of the denominator that there is not": lambda f: _terms(
        f, "denominator", lambda d: [*d, "same_clas"]
    ),
    "a positive that there is not": lambda f: _terms(
        f, "positives", lambda d: {**d, "same_clas": "1/2"}
    ),
    "a flag that is text": lambda f: _terms(f, "own_positive", lambda _: ""),
    "terms that are no list": lambda f: f["loss"].update(terms={}),
    "a huge size alone": lambda f: f.update(axes=[10**9]),
    "too many axes": lambda f: f.update(axes=[1] * 10**5),
    "a huge power of powers": lambda f: f["loss"].update(temperature="((((2)**63)**63)**63)**63"),
    "a loss at the edge of the gap": lambda f: _at_the_edge(f),
}


def _terms(f: dict, key: str, change: Callable[[Any], Any]) -> None:
    for term in f["loss"]["terms"]:
        term[key] = change(term[key])


def _twice(f: dict) -> None:
    f["point"]["embeddings"] *= 2
    f["y"] = [str(Fraction(v) / 2) for v in f["y"]]
    f["S"] = [[str(Fraction(v) / 2) for v in row] for row in f["S"]]
    f["claim"]["loss"] = str(Fraction(f["claim"]["loss"]) / 2)


def _at_the_edge(f: dict) -> None:
    """The gap that is proved and a loss that is off by as much: it is twice as far, then."""
    gap = Fraction(str(replay(f).gap.str(30, radius=False)))
    loss = Fraction(f["claim"]["loss"]) + gap
    f["claim"].update(gap=str(gap * 3 / 2), loss=str(loss))


@pytest.mark.parametrize("change", WRONG)
def test_what_is_wrong_is_refused(file: dict, change: str) -> None:
    replay(file)
    wrong = copy.deepcopy(file)
    WRONG[change](wrong)
    with pytest.raises(Refused):
        replay(wrong)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        # It would be refused for what follows from it as well, but not where it is alone.
        ("a vector of zeros", "a vector is zero"),
        ("no pattern", "'pattern' is missing or not known"),
        ("another kind", "'eval' is missing or not known"),
    ],
)
def test_what_is_wrong_is_named(file: dict, change: str, says: str) -> None:
    wrong = copy.deepcopy(file)
    WRONG[change](wrong)
    with pytest.raises(Refused, match=says):
        replay(wrong)


SHIFTS_OF_POINTS = ("-2", "1", "-1", "-1e-30")


@pytest.mark.parametrize("shift", SHIFTS_OF_POINTS)
def test_a_point_is_moved_by_little(shift: str) -> None:
    values = values_of("supcl", SUPCL)
    inner = {"same_instance": "0.9", "same_class": "0.5", "cross_class": "-0.1"}
    file = certificate_of(CATALOGUE["supcl"], values, inner=inner)
    replay(file)
    file["point"]["shift"] = shift
    with pytest.raises(Refused, match="not small"):
        replay(file)


def test_self_is_the_relation_of_a_point_with_itself_alone() -> None:
    pattern = {"==": "self", "=/": "self", "/=": "far", "//": "far"}
    pair = certificate.relations([2, 2], pattern)
    with pytest.raises(Refused, match="'self' is the relation"):
        certificate.of_inner({"far": "0"}, certificate.number("0"), pair)
    pattern |= {"==": "far", "=/": "far"}
    with pytest.raises(Refused, match="'self' is the relation"):
        certificate.of_inner({"far": "0"}, certificate.number("0"), pair)


@pytest.mark.parametrize("axes", [[0], [2, 0], [-3, -4], [True], [2.0], ["2"], "22", {2: 2}, None])
def test_sizes_are_sizes(axes: Any) -> None:
    pattern = {"=": "self", "/": "far", "==": "self", "=/": "far", "/=": "far", "//": "far"}
    assert certificate.relations([2], pattern) == [["self", "far"], ["far", "self"]]
    with pytest.raises(Refused, match="axes"):
        certificate.relations(axes, pattern)


TERMS = {
    "coefficient": "2/3",
    "positives": {"near": "1/3", "far": "1/7"},
    "denominator": ["self", "far"],
}
HOSTILE = {
    "own": {"kind": "softmax", "temperature": "1/3", "terms": [TERMS | {"own_positive": True}]},
    "common": {"kind": "softmax", "temperature": "1/3", "terms": [TERMS | {"own_positive": False}]},
    "two": {
        "kind": "softmax",
        "temperature": "exp(-1)",
        "terms": [
            TERMS | {"own_positive": True, "denominator": ["near"]},
            TERMS | {"own_positive": False, "positives": {"self": "2", "near": "1/2"}},
        ],
    },
    "pairs": {
        "kind": "pairwise",
        "terms": [
            {"relation": "near", "weight": "1/2", "function": "softplus(-2*c) - c/3"},
            {"relation": "far", "weight": "3", "function": "(c + 1)**3 - sqrt(2 - c) - log(3 + c)"},
        ],
    },
}


def _by_hand(y: str, diagonal: str, shift: str, beside: str = "1/2") -> dict[str, Any]:
    """Two vectors at 60 degrees under the mean of c^2: A has 1/2 beside its diagonal of zeros."""
    return {
        "format": certificate.FORMAT,
        "axes": [2],
        "pattern": {"=": "self", "/": "far"},
        "loss": {
            "kind": "pairwise",
            "terms": [{"relation": "far", "weight": "1", "function": "c**2"}],
        },
        "point": {"inner": {"far": "1/2"}, "shift": "0"},
        "y": [y, y],
        "S": [[diagonal, beside], [beside, diagonal]],
        "radius": "1e-30",
        "shift": shift,
        "claim": {"loss": "1/4", "gap": "1.5003"},
    }


@pytest.mark.parametrize(
    ("y", "diagonal", "shift"),
    [("1/4", "-1/4", "0.7501"), ("0", "0", "0.5001"), ("-1/4", "1/4", "0.2501")],
)
def test_the_gap_is_the_one_by_hand(y: str, diagonal: str, shift: str) -> None:
    # 2 (shift + 2 radius) + 1/2 - 2 y is 1.5002 each time: what one part gains the other loses.
    assert abs(float(replay(_by_hand(y, diagonal, shift)).gap) - 1.5002) < 1e-12
    for beside in ("0", "-1/2", "1"):
        with pytest.raises(Refused, match="not the gradient"):
            replay(_by_hand(y, diagonal, shift, beside))


@pytest.mark.parametrize(
    ("name", "change", "says"),
    [
        ("own", {"temperature": "-1/3"}, "temperature"),
        ("own", {"terms": [TERMS | {"own_positive": True, "coefficient": "-1"}]}, "coefficient"),
        ("own", {"terms": [TERMS | {"own_positive": True, "positives": {"far": "-1"}}]}, "weight"),
        ("pairs", {"terms": [{"relation": "far", "weight": "-1", "function": "c**2"}]}, "convex"),
        ("pairs", {"terms": [{"relation": "far", "weight": "1", "function": "-c**2"}]}, "convex"),
    ],
)
def test_a_loss_that_need_not_be_convex_is_refused(name: str, change: dict, says: str) -> None:
    pair = certificate.relations([2], {"=": "self", "/": "far"})
    g = [[arb(1), arb("0.3")], [arb("0.3"), arb(1)]]
    with pytest.raises(Refused, match=says):
        certificate.gradient(HOSTILE[name] | change, g, pair)


def _plain(loss: dict, g: np.ndarray, pair: list[list[str]]) -> float:
    """The loss once more: loops over anchors and their positives, as they are declared."""
    size = len(g)
    total = 0.0
    for term in loss["terms"]:
        for i in range(size):
            for j in range(size):
                if loss["kind"] == "pairwise":
                    if pair[i][j] == term["relation"]:
                        f = {"near": _near, "far": _far}[term["relation"]]
                        total += float(Fraction(term["weight"])) * f(g[i, j]) / size
                    continue
                if pair[i][j] not in term["positives"]:
                    continue
                tau = float(np.exp(-1)) if loss["temperature"] == "exp(-1)" else 1 / 3
                below = [k for k in range(size) if pair[i][k] in term["denominator"]]
                below += [j] if term["own_positive"] else []
                softmax = np.exp(g[i, j] / tau) / sum(np.exp(g[i, k] / tau) for k in below)
                weight = Fraction(term["coefficient"]) * Fraction(term["positives"][pair[i][j]])
                total -= float(weight) * float(np.log(softmax)) / size
    return total


def _near(x: float) -> float:
    return float(np.log1p(np.exp(-2 * x)) - x / 3)


def _far(x: float) -> float:
    return float((x + 1) ** 3 - np.sqrt(2 - x) - np.log(3 + x))


@pytest.mark.parametrize("name", HOSTILE)
def test_value_and_gradient_are_those_of_what_is_declared(name: str) -> None:
    loss = HOSTILE[name]
    pattern = {"==": "self", "=/": "near", "/=": "far", "//": "far"}
    pair = certificate.relations([3, 2], pattern)
    rng = np.random.default_rng(5)
    u = rng.normal(size=(6, 4))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    g = u @ u.T
    balls = [[certificate.number(repr(x)) for x in row] for row in g.tolist()]
    value, a = certificate.gradient(loss, balls, pair)
    assert abs(float(value) - _plain(loss, g, pair)) < 1e-13
    step = 1e-6
    for i in range(6):
        for j in range(i + 1):
            e = np.zeros((6, 6))
            e[i, j] = e[j, i] = step
            slope = (_plain(loss, g + e, pair) - _plain(loss, g - e, pair)) / (2 * step)
            # Both entries move, or the one of the diagonal; a difference errs by some 1e-9.
            assert abs(slope - float(a[i][j]) * (1 if i == j else 2)) < 1e-8


@pytest.mark.parametrize(
    "rows",
    [
        [["1", "2"], ["2", "1"]],
        [["1", "1"], ["1", "1"]],
        [["1", "-0.6", "-0.6"], ["-0.6", "1", "-0.6"], ["-0.6", "-0.6", "1"]],
        [["0"]],
        [["-1"]],
    ],
)
def test_a_matrix_that_is_not_positive_is_refused(rows: list[list[str]]) -> None:
    matrix = [[certificate.number(x) for x in row] for row in rows]
    with pytest.raises(Refused, match="not proved positive"):
        certificate.has_cholesky(matrix, "it")
    unknown = [[arb(0, 1)]]
    with pytest.raises(Refused, match="not proved positive"):
        certificate.has_cholesky(unknown, "it")
    certificate.has_cholesky(certificate.shifted(matrix, certificate.number("3")), "it")


def test_functions_have_their_derivatives() -> None:
    # Against differences in mpmath, at a point where none of them is special.
    for text in (
        "exp(c)",
        "log(c)",
        "softplus(c)",
        "sqrt(c)",
        "1/c",
        "c**5 - 3*c",
        "-c/(1 + c**2)",
    ):
        found = [float(part) for part in certificate.evaluated(text, arb("0.7")).parts]
        with mpmath.mp.workdps(40):
            f = PLAIN[text]
            wanted = [float(mpmath.diff(f, mpmath.mpf("0.7"), k)) for k in range(3)]
        assert found == pytest.approx(wanted, rel=1e-14)


PLAIN: dict[str, Callable[[Any], Any]] = {
    "exp(c)": mpmath.exp,
    "log(c)": mpmath.log,
    "softplus(c)": lambda x: mpmath.log(1 + mpmath.exp(x)),
    "sqrt(c)": mpmath.sqrt,
    "1/c": lambda x: 1 / x,
    "c**5 - 3*c": lambda x: x**5 - 3 * x,
    "-c/(1 + c**2)": lambda x: -x / (1 + x**2),
}


@pytest.mark.parametrize("tau", ["1/1000", "1/10000", "exp(1)"])
def test_temperatures_that_floats_or_fractions_cannot_hold(tau: str) -> None:
    # Softmax weights of e-1500 and less, and a number that is written as no fraction.
    values = values_of("simclr", {"n": 3, "p": 2, "tau": tau})
    inner = {"same_instance": "1", "negative": "-1/2"}
    file = certificate_of(CATALOGUE["simclr"], values, inner=inner)
    assert replay(json.loads(json.dumps(file))).gap < 1e-30
    assert file["parameters"]["tau"] == tau


def test_inner_products_that_no_vectors_have_are_refused() -> None:
    values = values_of("supcl", SUPCL)
    inner = {"same_instance": "1", "same_class": "1", "cross_class": "-0.7"}
    with pytest.raises(Refused, match="matrix of inner products"):
        certificate_of(CATALOGUE["supcl"], values, inner=inner)


def test_the_matrix_of_the_embeddings_is_the_one_that_is_scaled() -> None:
    rows = [["3", "4"], ["-5", "0"]]
    g = certificate.of_rows(rows)
    assert g[0][1].overlaps(certificate.number("-3/5")) and g[0][0] == 1


@pytest.mark.parametrize(
    "function, convex",
    [
        ("c**2", True),
        ("-2*c", True),
        ("softplus(-100*c + 50)", True),
        ("exp(-5*c)", True),
        ("-c**2", False),
        ("c**3", False),
        ("log(2 + c)", False),
        ("1/c", False),
        ("-log(c + 1/2)", False),
        ("-log(c - 3)", False),
        ("sqrt(c**2)", False),
        ("c**4 - c**2/1000", False),
        ("sqrt(1 + c)", False),
        ("max(0, c - 1/2)", True),
        ("max(0, c**2 - 1/2)**2", True),
        ("max(0, 1/2 - c**2)", False),
    ],
)
def test_convexity_is_proved_or_refused(function: str, convex: bool) -> None:
    assert is_convex(function) is convex


@pytest.mark.parametrize("function", ["-max(0, c)", "max(0, c)**3", "c - max(0, c - 1/2)"])
def test_a_kink_is_convex_only_where_it_is_all_of_a_function(function: str) -> None:
    with pytest.raises(Refused, match="has its kink"):
        is_convex(function)


def test_a_factor_of_a_kink_may_be_a_parameter(tmp_path: Path) -> None:
    file = tmp_path / "margin.toml"
    file.write_text(
        """
        structure = { towers = 2, items = 3 }
        terms = [
          { relation = "positive", function = "(1 - x)^2" },
          { relation = "negative", function = "k*max(0, x + 4/5)^2" },
        ]
        parameters = { k = { above = 0 } }
        """
    )
    problem = named(str(file))
    (k,) = problem.domain.ranges
    found = certificate_of(problem, {k: exact("2/3")}, embeddings=np.eye(6))
    assert found["loss"]["terms"][1]["weight"] == "2/3"


def test_a_kink_has_the_slope_of_its_side() -> None:
    def at(x: str) -> list[float]:
        return [float(part) for part in certificate.evaluated("max(0, c - 1/2)", arb(x)).parts]

    assert at("0.75") == [0.25, 1, 0] and at("0.25") == [0, 0, 0]
    with pytest.raises(Refused, match="has its kink"):
        at("0.5")


@pytest.fixture(scope="module")
def kinked() -> dict:
    """A certificate of an optimum that is exactly where a function has its kink."""
    loss = results["pairwise-threshold"].with_inputs(lp="2*max(0, 1/3 - x)", ln="exp(x/9)")
    (size,) = loss.problem.domain.ranges
    inner = {"within_modality": "0." + 40 * "1", "positive": "0." + 40 * "3"}
    inner["negative"] = f"-0.{39 * '5'}6"
    return certificate_of(loss.problem, {size: exact("4")}, inner=inner)


def test_on_a_kink_a_slope_between_its_sides_is_taken(kinked: dict) -> None:
    assert float(replay(kinked).gap) < 1e-25
    assert 0 < float(kinked["sides"][0]) < 1 and kinked["sides"][1] is None
    assert kinked["loss"]["terms"][0] | {"weight": "2"} == kinked["loss"]["terms"][0]


@pytest.mark.parametrize(
    ("sides", "why"),
    [
        (["1", None], "S is not the gradient"),
        (["0.06", None], "S is not the gradient"),
        (["2", None], "no kink with the side 2"),
        (["-1/2", None], "no kink with the side -1/2"),
        ([None, "1/2"], "no kink with the side 1/2"),
        ([None, None], "has its kink|S is not the gradient"),
        (["1/2"], "not a list of 2"),
        (None, "not a list of 2"),
        ([0.5, None], "not an exact number"),
    ],
    ids=str,
)
def test_another_side_of_a_kink_is_refused(kinked: dict, sides: Any, why: str) -> None:
    with pytest.raises(Refused, match=why):
        replay(kinked | {"sides": sides})


def test_what_a_side_is_beneath_the_loss_counts() -> None:
    term = {"relation": "b", "weight": "3", "function": "max(0, c + 1/2)"}
    pair = [["self", "b"], ["b", "self"]]

    def at(x: str, side: str) -> tuple[str, Any]:
        g = [[arb(1), arb(x)], [arb(x), arb(1)]]
        loss, less = certificate.beneath({"terms": [term]}, [side], g, pair)
        return loss["terms"][0]["function"], less

    text, less = at("-0.25", "0.25")
    assert text == "1/4 * (c + 1 / 2)" and float(less) == 3 * 0.75 * 0.25
    assert float(at("-0.75", "0.25")[1]) == 3 * 0.25 * 0.25
    near = at("-0.5 +/- 0.01", "0.25")[1]
    assert near.contains(arb(0)) and near.contains(arb("0.0225"))
    with pytest.raises(Refused, match="no kink with the side"):
        certificate.beneath({"terms": [term | {"function": "max(0, c)**2"}]}, ["1"], [], [])


def test_a_gap_is_that_of_the_loss_and_not_of_what_is_beneath_it(kinked: dict) -> None:
    loss = results["pairwise-threshold"].with_inputs(lp="2*max(0, 1/3 - x)", ln="exp(x/9)")
    (size,) = loss.problem.domain.ranges
    near = {"within_modality": "0.1", "positive": "0.3", "negative": "-0.5"}
    file = certificate_of(loss.problem, {size: exact("4")}, inner=near)
    off = Fraction(file["claim"]["loss"]) - Fraction(kinked["claim"]["loss"])
    assert (
        0 < float(off) < float(replay(file).gap)
    )  # it is above the minimum by so much, and says so


def test_a_maximum_is_smooth_only_where_it_is_one_line_on_all_of_the_range() -> None:
    assert as_written(Max(0, c + 1)) == "c + 1"
    for kinked in (Max(0, c), Max(0, c + 2, 3 - c), Max(0, c**2 - 1)):
        assert as_written(kinked).startswith("max(0, ")


def test_a_missing_value_is_named() -> None:
    values = {s: v for s, v in values_of("supcl", SUPCL).items() if s.name != "alpha"}
    with pytest.raises(DomainError, match="alpha"):
        certificate_of(CATALOGUE["supcl"], values, embeddings=np.eye(12))


def test_the_replay_needs_nothing_of_ours(file: dict, tmp_path: Path) -> None:
    alone = tmp_path / "alone.py"
    alone.write_text(Path(certificate.__file__).read_text(encoding="utf-8"), encoding="utf-8")
    stored = tmp_path / "c.json"
    stored.write_text(json.dumps(file), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-I", str(alone), str(stored)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0 and "above the least by at most" in run.stdout
    assert "were not compared" in run.stdout
    assert "cltheory" not in {
        line.split()[1].split(".")[0]
        for line in alone.read_text(encoding="utf-8").splitlines()
        if line.startswith(("import ", "from "))
    }
    file = json.loads(stored.read_text(encoding="utf-8"))
    stored.write_text(json.dumps(file | {"shift": "-1"}), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-I", str(alone), str(stored)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 1 and run.stderr.startswith("refused: ")


def test_a_loss_agrees_with_the_numeric_layer() -> None:
    # Random vectors, every kind of loss: value by balls against value by torch.
    rng = np.random.default_rng(1)
    for name, given in SMALL.items():
        problem, values = CATALOGUE[name], values_of(name, given)
        shape = [int(k.xreplace(values)) for k in problem.structure.axes]
        u = rng.normal(size=(*shape, 5))
        u /= np.linalg.norm(u, axis=-1, keepdims=True)
        file = certificate_of(problem, values, embeddings=u)
        numbers = {k: v if isinstance(v, int) else float(exact(v)) for k, v in given.items()}
        theirs = float(evaluate(problem, torch.from_numpy(u), numbers))
        assert abs(float(file["claim"]["loss"]) - theirs) < 1e-12, name

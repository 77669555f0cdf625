"""Results about labels: against embeddings optimised by scipy, at corners, and with wrong input."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from cltheory.cli.main import cli
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.decide.evidence import Holds
from cltheory.derive.proof.derivation import Derivation
from cltheory.derive.proof.relations import eq, gt, lt
from cltheory.derive.proof.statement import Relations, each
from cltheory.derive.results import results
from cltheory.derive.results._for_data import NUMBERS
from cltheory.derive.results.weighted._components import components
from cltheory.derive.results.weighted._distances import DISTANCE, ENTRY, Placed
from cltheory.derive.results.weighted._euclidean import between_rows, rows_of
from cltheory.derive.results.weighted._geometry import Directions
from cltheory.derive.results.weighted._targets import TargetCosines, state_verdict
from cltheory.derive.results.weighted._weights import InBalls
from cltheory.derive.vectors.distance import Dissimilarity
from numpy.typing import NDArray
from scipy.optimize import minimize
from sympy import Eq, Ge, Gt, Le, Lt, Rational, S, Symbol, oo, sqrt
from weighted_by_hand import loss

Floats = NDArray[np.float64]
#: What scipy's descents leave of a gap that is zero, and how near they get to one that is not.
FLAT, NEAR = 1e-8, 1e-6
LINE = [[0], [1], [2], [3]]
TRIANGLE = [[0, 0], [1, 0], [0, 2]]
#: On a circle of radius 5 around (1, 2).
CIRCLE = [[6, 2], [4, 6], [1, 7], [-2, 6], [1, -3]]


# --- the loss, written out once more -----------------------------------------------------------


def gap_of(log_weights: Floats, similarities: Floats) -> float:
    weights = np.exp(log_weights)
    return loss(weights, similarities) - loss(weights, log_weights)


def distances(rows: Any) -> Floats:
    y = np.array(rows, dtype=float)
    return ((y[:, None] - y) ** 2).sum(-1)


def cosines(rows: Any) -> Floats:
    y = np.array(rows, dtype=float)
    y /= np.linalg.norm(y, axis=1, keepdims=True)
    return y @ y.T


def best_gap(log_weights: Floats, q: int, tau: float | None, starts: int = 4) -> float:
    """The least gap of optimised embeddings: cosines over tau, or minus squared distances."""
    n = len(log_weights)

    def at(z: Floats) -> float:
        rows = z.reshape(n, q)
        s = -distances(rows) if tau is None else cosines(rows) / tau
        return gap_of(log_weights, s)

    found = []
    for seed in range(starts):
        start = np.random.default_rng(seed).normal(size=n * q)
        found.append(minimize(at, start, method="L-BFGS-B", options={"maxiter": 500}).fun)
    return min(found)


def value(id: str, name: str, **given: Any) -> Any:
    return results[id].value(name, **given)


# --- X-CLR --------------------------------------------------------------------------------------
def test_the_cosine_asked_for_by_x_clr() -> None:
    at = {"tau": "1/10", "tau_prime": "1/4"}
    assert float(value("x-clr", "cosine", **at, g="1/2")) == pytest.approx(1 - 0.4 * 0.5)
    assert float(value("x-clr", "c_prime", **at)) == pytest.approx(0.6)
    h = float(value("x-clr", "extra_coordinate", **at))
    y = np.array([[1, 2, 2], [2, 1, -2], [3, 0, 4]]) / np.array([[3], [3], [5]])
    rows = np.column_stack([y, np.full(3, h)])
    np.testing.assert_allclose(cosines(rows), 0.4 * y @ y.T + 0.6)
    assert gap_of(y @ y.T / 0.25, cosines(rows) / 0.1) == pytest.approx(0, abs=1e-14)


def test_beyond_tau_prime_nothing_is_said_without_labels() -> None:
    with pytest.raises(DomainError, match="depends on the labels"):
        value("x-clr", "cosine", tau=2, tau_prime=1, g=0)
    assert float(value("x-clr", "tau_max", tau_prime=1, rho="1/2")) == 4


@pytest.mark.parametrize("tau, q, attained", [("4/3", 2, True), ("4/3", 1, False), (1, 2, False),
                                              (1, 3, True), (2, 3, False)])  # fmt: skip
def test_x_clr_in_so_many_dimensions(tau: object, q: int, attained: bool) -> None:
    rows = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [2, 0, 0], [0, 3, 0]]  # rho^2 = 2/3
    tau = Rational(3, 2) if tau == "4/3" else tau
    made = results["x-clr"].with_inputs(Y=rows, at={"tau": tau, "tau_prime": 1, "q": q})
    assert made.value("attained") is attained
    if q > 1:  # a descent does not change signs
        gap = best_gap(cosines(rows), q, float(tau), starts=2)
        assert (gap < FLAT) == attained
        name = "gap" if "gap" in made.quantities else "gap_at_most"
        assert float(made.value(name)) == pytest.approx(gap, abs=NEAR)


# --- y-Aware --------------------------------------------------------------------------------------
def test_y_aware_on_a_circle() -> None:
    made = results["y-aware"].with_inputs(Y=CIRCLE)
    assert made.value("spherical") is True
    assert made.value("radius") == 5 and made["tau_max"] == Rational(1, 50)
    for tau, q, attained in (("1/50", 2, True), ("1/40", 2, False), ("1/100", 3, True)):
        made = results["y-aware"].with_inputs(Y=CIRCLE, at={"tau": tau, "q": q})
        assert made.value("attained") is attained
        if attained:
            found = np.array(made.value("cosines"), dtype=float)
            np.testing.assert_allclose(found, 1 - float(Rational(tau)) * distances(CIRCLE))
            z = np.array(made.value("embedding"), dtype=float)
            np.testing.assert_allclose(z @ z.T, found, atol=1e-12)


def test_labels_on_a_line_are_never_met_in_few_dimensions() -> None:
    for tau in ("1/10", 10):
        assert results["y-aware"].value("attained", Y=LINE, tau=tau, q=2) is False
    # With as many dimensions as points another constant will do, if tau is small.
    small = results["y-aware"].with_inputs(Y=LINE, at={"tau": "1/10", "q": 4})
    assert small.value("attained") is True and small.value("spherical") is False
    assert best_gap(-distances(LINE), 4, 0.1, starts=1) < FLAT


@pytest.mark.parametrize(
    "rows, tau, q", [(LINE, "1/2", 4), (TRIANGLE, 1, 2), ([[0, 0], [1, 3], [2, 1]], "1/2", 3)]
)
def test_the_best_gap_is_that_of_optimised_embeddings(rows: Any, tau: object, q: int) -> None:
    made = results["y-aware"].with_inputs(Y=rows, at={"tau": tau, "q": q})
    assert made.value("attained") is False
    found = best_gap(-distances(rows), q, float(Rational(tau)))
    assert found > FLAT
    assert float(made.value("gap", digits=20)) == pytest.approx(found, abs=NEAR)
    s = np.array(made.value("cosines"), dtype=float) / float(Rational(tau))
    assert gap_of(-distances(rows), s) == pytest.approx(float(made.value("gap")), abs=1e-12)


def test_between_two_bounds_where_the_rank_is_too_large() -> None:
    rows = [[0, 0], [1, 0], [0, 1], [2, 3], [3, 1], [1, 1]]
    made = results["y-aware"].with_inputs(Y=rows, at={"tau": "1/3", "q": 2})
    low, high = (float(made.value(name)) for name in ("gap_at_least", "gap_at_most"))
    assert 0 < low <= best_gap(-distances(rows), 2, 1 / 3) + NEAR
    assert low == pytest.approx(best_gap(-distances(rows), 6, 1 / 3), abs=NEAR)
    assert low <= high
    # In one dimension all choices of signs can be tried.
    made = results["y-aware"].with_inputs(Y=LINE, at={"tau": "1/2", "q": 1})
    signs = np.array(np.meshgrid(*[[1, -1]] * 4)).reshape(4, -1).T
    least = min(gap_of(-distances(LINE), 2.0 * np.outer(s, s)) for s in signs)
    assert float(made.value("gap_at_most")) == pytest.approx(least, abs=1e-9)


# --- squared distances ---------------------------------------------------------------------
def test_euclidean_optimum_is_the_labels() -> None:
    rows = [[0, 0], [1, 0], [0, 2], [3, 1], [1, 1]]
    made = results["euclidean-winfonce"].with_inputs(Y=rows, at={"q": 3})
    assert made.value("attained") and made.value("unique") and made.value("gap") == 0
    z = np.array(made.value("embedding"), dtype=float)
    np.testing.assert_allclose(distances(z), distances(rows), atol=1e-12)
    np.testing.assert_allclose(z[:, 2], 0)
    assert best_gap(-distances(rows), 2, None) < FLAT


def test_a_triangle_is_met_on_a_line_but_not_by_its_first_component() -> None:
    made = results["euclidean-winfonce"].with_inputs(Y=TRIANGLE, at={"q": 1})
    assert made.value("attained") is True and made.value("min_dimension") == 1
    z = np.array(made.value("embedding"), dtype=float)
    assert gap_of(-distances(TRIANGLE), -distances(z)) == pytest.approx(0, abs=1e-14)
    centred = np.array(TRIANGLE) - np.mean(TRIANGLE, axis=0)
    u, s, _ = np.linalg.svd(centred, full_matrices=False)
    assert gap_of(-distances(TRIANGLE), -distances(u[:, :1] * s[0])) == pytest.approx(
        float(made.value("pca_gap")), abs=1e-12
    )
    np.testing.assert_allclose(np.linalg.norm(z) ** 2, s[0] ** 2 - s[1] ** 2)


def test_equal_weights_let_all_points_collapse() -> None:
    made = results["kernel-pca"].with_inputs(K=np.eye(4, dtype=int).tolist(), at={"q": 1})
    assert made.value("attained") is True
    np.testing.assert_array_equal(np.array(made.value("embedding"), dtype=float), 0)
    assert made.value("c") == -2 and float(made.value("pca_gap")) > 0.01


def test_too_few_dimensions_and_the_first_components_are_beaten() -> None:
    rows = [[0, 0], [1, 0], [0, 2], [3, 1], [1, 1]]
    made = results["euclidean-winfonce"].with_inputs(Y=rows, at={"q": 1})
    assert made.value("attained") is False
    best = best_gap(-distances(rows), 1, None, starts=8)
    assert FLAT < best <= float(made.value("gap_at_most")) + NEAR < float(made.value("pca_gap"))


def test_kernel_principal_components() -> None:
    a = np.array([[1, 0, 2], [2, 1, 0], [0, 3, 1], [1, 1, 1], [2, 2, 5]])
    made = results["kernel-pca"].with_inputs(K=(a @ a.T).tolist(), at={"q": 3})
    z = np.array(made.value("embedding"), dtype=float)
    centred = a - a.mean(0)
    np.testing.assert_allclose(z @ z.T, centred @ centred.T, atol=1e-10)
    values = np.linalg.eigvalsh(centred @ centred.T)[::-1][:3]
    np.testing.assert_allclose(z.T @ z, np.diag(values), atol=1e-10)
    np.testing.assert_allclose(np.array(made.value("eigenvalues"), dtype=float), values)


# --- statements are refused when they are wrong --------------------------------------------
TURNED = {Ge: lt, Gt: lt, Le: gt, Lt: gt}


def holds(statement: Any) -> bool:
    return isinstance(statement.decide(), Holds)


def test_wrong_statements_do_not_hold() -> None:
    """The sphere of labels, their span, whether the bound is attained."""
    proof = Derivation()
    for rows, tau_max, tau, q, attained in (
        (CIRCLE, Rational(1, 50), "1/50", 2, True),
        (CIRCLE, Rational(1, 50), "1/40", 2, False),
        (CIRCLE, Rational(1, 50), "1/100", 2, False),
        (LINE, None, "1", 2, False),
        (LINE, None, "1/10", 4, True),
    ):
        D = between_rows([[S(e) for e in row] for row in rows], S.One)
        targets = TargetCosines(D, len(rows[0]), tau_max, Rational(tau))
        state_verdict(targets, q, attained, proof)
    labels = results["x-clr"].with_inputs(Y=[[3, 1], [2, 1], [1, 1]])
    triangle = results["euclidean-winfonce"].with_inputs(Y=TRIANGLE, at={"q": 1})
    made = (proof, labels.derivation, triangle.derivation)
    tried = 0
    for step in (step for derivation in made for step in derivation):
        assert holds(step.says)
        if type(step.says) is not Relations:
            continue
        for relation in each(step.statement):
            left, right = relation.args
            if isinstance(relation, Eq):
                wrong = Eq(left, right + 1, evaluate=False)
            else:
                wrong = TURNED[type(relation)](left, right)
            assert not holds(step.says.saying(wrong)), (step.title, wrong)
            tried += 1
    assert tried > 10


def test_what_is_put_back_is_checked() -> None:
    labels = Directions([[S(3), S.One], [S(2), S.One], [S.One, S.One]])
    assert labels.dimension == 2 and not labels.is_on_plane
    plane = Directions([[S.One, S.Zero], [S.Zero, S.One]])
    assert plane.off_plane() == 0 and plane.square_of_normal == 2
    plane._inverse[0, 0] += 1  # another vector than the normal
    assert plane.off_plane() == 1

    D = Dissimilarity(distances(TRIANGLE).tolist())
    parts = components(D, S.Zero, 2)
    assert parts is not None
    rows = rows_of(parts, 3, 2)
    back = Placed(eq(DISTANCE, ENTRY), NUMBERS, D, rows, principal=True)
    assert holds(back) and not holds(back.saying(eq(DISTANCE, ENTRY + 1)))
    assert not holds(replace(back, rows=rows[::-1]))
    turned = tuple(((3 * x - 4 * y) / 5, (4 * x + 3 * y) / 5) for x, y in rows)
    assert not holds(replace(back, rows=turned))
    assert holds(replace(back, rows=turned, principal=False))

    more = InBalls(gt("a", Symbol("b")), NUMBERS, names={Symbol("a"): sqrt(2), Symbol("b"): S.One})
    assert holds(more) and not holds(more.saying(gt("b", Symbol("a"))))
    assert not holds(more.saying(gt("a", Symbol("a"))))


# --- input ---------------------------------------------------------------------------------
@pytest.mark.parametrize("words, said", [
    ("x-clr --Y 1,0;0,0", "label 2 is zero"),
    ("y-aware --Y 1;2 --tau 0", "tau must be"),
    ("y-aware --Y 1", "two points"),
    ("kernel-pca --K 1,2;3,1", "not symmetric"),
    ("kernel-pca --K 1,2;2,1", "least eigenvalue is -1"),
    ("sne --X 1;2", "add sigma"),
])  # fmt: skip
def test_bad_input_is_explained_in_a_line(words: str, said: str) -> None:
    found = CliRunner().invoke(cli, ["derive", *words.split()])
    message = str(found.exception) if found.exception is not None else found.output
    assert said in message and "\n" not in message.strip()
    assert found.exit_code != 0


def test_corners() -> None:
    assert results["y-aware"].value("tau_max", Y=[[1, 2], [1, 2]]) == float("inf")
    assert (
        results["y-aware"].with_inputs(Y=[[1], [1]], at={"tau": 9, "q": 1}).value("attained")
        is True
    )
    two = results["y-aware"].with_inputs(Y=[[0], [1]], at={"tau": 5, "q": 1})
    assert two.value("attained") is True and two.value("gap") == 0  # one pair: nothing to compare
    made = results["euclidean-winfonce"].with_inputs(Y=[[0], [1], [3]], at={"q": 2})
    assert made.value("attained") is True and made.value("unique") is False  # q = n - 1
    assert results["x-clr"].with_inputs(Y=[[1, 1], [2, 2]])["tau_max"] is oo


@pytest.mark.parametrize("id, given", [
    ("euclidean-winfonce", {"Y": [[1], [1], [1]]}), ("kernel-pca", {"K": [[0, 0], [0, 0]]}),
    ("sne", {"X": [[1], [1]], "sigma": 1}),
])  # fmt: skip
def test_points_that_coincide_span_nothing(id: str, given: dict[str, Any]) -> None:
    for q in ({}, {"q": 2}):
        lists = {k: v for k, v in given.items() if k in results[id].lists}
        at = {k: v for k, v in (given | q).items() if k not in lists}
        made = results[id].with_inputs(**lists, at=at)
        assert made.value("dimension") == 0 and "eigenvalues" not in made.quantities
        assert not np.any(made.value("squared_distances"))
        words = [f"--{k}={v}" for k, v in at.items()]
        words += [f"--{k}={';'.join(','.join(map(str, e)) for e in v)}" for k, v in lists.items()]
        assert CliRunner().invoke(cli, ["derive", id, *words]).exit_code == 0


@pytest.mark.parametrize("rows, tau", [
    ([[2, 2], [-2, 1], [2, -1], [2, 2]], "1/2"),  # a label twice, at the largest temperature
    ([[-1, 2], [1, -2], [0, -1], [2, 1]], "1/2"),  # opposite labels
    ([[1, 1], [1, -1], [2, 1], [1, 1]], "1/10"),
])  # fmt: skip
def test_coordinates_that_are_zero_beside_roots(rows: Any, tau: str) -> None:
    made = results["x-clr"].with_inputs(Y=rows, at={"tau": tau, "tau_prime": "1/2", "q": 4})
    points = np.array(made.value("embedding"), dtype=float)
    found = 1 - 2 * float(Rational(tau)) * (1 - cosines(rows))
    np.testing.assert_allclose(points @ points.T, found, atol=1e-12)

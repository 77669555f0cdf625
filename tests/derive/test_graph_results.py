"""Cross-entropy of subgraphs as attraction and repulsion, against loops that share no code."""

import math
import random
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from cltheory.cli.main import run
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.proof.derivation import Derivation
from cltheory.derive.results import results
from cltheory.derive.results.graphs._partition import (
    NEAR,
    SIDES,
    WITNESS,
    first_order,
)
from cltheory.derive.structures.graph import Graph
from sympy import Indexed, S, oo, zeros

MRF, SPECTRAL = results["mrf"], results["spectral-clustering"]
#: Of float64, after a few sums of logarithms.
CLOSE = 1e-12


def random_graph(rng, n, symmetric=False):
    rows = [[0 if i == j else rng.randrange(4) for j in range(n)] for i in range(n)]
    for i in range(n):
        rows[i][(i + 1) % n] += 1
        if symmetric:
            for j in range(i):
                rows[i][j] = rows[j][i]
    if symmetric:
        rows[0][n - 1] = rows[n - 1][0] = 2
    return rows


def drawn(pi):
    """(targets, probability) of every subgraph of out-degree one."""
    n = len(pi)
    choices = list(product(*([j for j in range(n) if j != i] for i in range(n))))
    weights = [math.prod(Fraction(pi[i][j]) for i, j in enumerate(t)) for t in choices]
    return [(t, w / sum(weights)) for t, w in zip(choices, weights, strict=True)]


def infonce(pi, Z, tau):
    """InfoNCE summed over anchors, positives by their shares; plain loops."""
    n, total = len(pi), 0.0
    for i in range(n):

        def kernel(j, i=i):
            apart = sum((a - b) ** 2 for a, b in zip(Z[i], Z[j], strict=True))
            return math.exp(-apart / (2 * tau))

        below = sum(kernel(j) for j in range(n) if j != i)
        for j in range(n):
            if j != i:
                total -= pi[i][j] / sum(pi[i]) * math.log(kernel(j) / below)
    return total


# --- mrf -------------------------------------------------------------------------------------
@pytest.mark.parametrize("n, seed", [(2, 0), (3, 1), (4, 2)])
def test_the_distribution_over_subgraphs(n, seed):
    rng = random.Random(seed)
    pi = random_graph(rng, n)
    law = drawn(pi)
    made = MRF.with_inputs(pi=pi)
    assert made["subgraphs"] == len(law)
    for i, j in product(range(n), repeat=2):
        assert made["marginal"][i, j] == sum(p for t, p in law if t[i] == j)
    entropy = -sum(float(p) * math.log(p) for t, p in law if p)
    assert abs(float(made.value("entropy")) - entropy) < CLOSE


def test_the_mean_laplacian_is_that_of_the_subgraphs():
    pi = random_graph(random.Random(3), 3)
    mean = sum(float(p) * (np.eye(3) - np.eye(3)[list(t)]) for t, p in drawn(pi))
    found = np.array(MRF.with_inputs(pi=pi)["expected_laplacian"].tolist(), float)
    assert np.allclose(found, mean, atol=CLOSE)


def test_equal_weights_have_the_largest_entropy():
    largest = MRF.value("largest_entropy", n=3)
    assert abs(MRF.with_inputs(pi="0,2,2;1,0,1;5,5,0").value("entropy") - largest) < CLOSE
    assert MRF.with_inputs(pi="0,2,1;1,0,1;5,5,0").value("entropy") < largest


# --- spectral clustering ---------------------------------------------------------------------
@pytest.mark.sample(1)
@pytest.mark.parametrize("n, d, seed", [(2, 1, 0), (3, 2, 1), (4, 3, 2)])
def test_every_factor(n, d, seed):
    rng = random.Random(seed)
    pi = random_graph(rng, n)
    Z = [[Fraction(rng.randint(-5, 5), 3) for _ in range(d)] for _ in range(n)]
    tau = Fraction(3, 4)
    text = ";".join(",".join(map(str, row)) for row in Z)
    made = SPECTRAL.with_inputs(pi=pi, Z=text)
    at = {name: float(made.value(name, tau=str(tau))) for name in made.quantities if name in NAMES}
    P = np.array(pi, float)
    P /= P.sum(1, keepdims=True)
    z = np.array(Z, float)
    both = (P + P.T) / 2
    traced = np.trace(z.T @ (np.diag(both.sum(1)) - both) @ z)
    of_rows = np.trace(z.T @ (np.diag(P.sum(1)) - P) @ z)
    assert at["cross_entropy"] == pytest.approx(infonce(pi, Z, float(tau)), abs=CLOSE * 100)
    assert at["trace"] == pytest.approx(traced, abs=CLOSE * 100)
    assert at["trace_of_rows"] == pytest.approx(of_rows, abs=CLOSE * 100)
    assert at["attraction"] == pytest.approx(traced / float(tau), abs=CLOSE * 100)
    assert at["attraction"] + at["log_partition"] == pytest.approx(at["cross_entropy"])
    assert at["trace"] + at["log_partition"] == pytest.approx(at["printed"])
    lengths = (z**2).sum(1)
    assert traced - of_rows == pytest.approx(((P.sum(0) - P.sum(1)) * lengths).sum() / 2)


@pytest.mark.parametrize("tau", ["1/3", "2"])
def test_the_gradient_against_differences(tau):
    pi, Z = random_graph(random.Random(8), 4), [[1, 0], [0, 2], [-1, 1], [1, 1]]
    found = SPECTRAL.with_inputs(pi=pi, Z=Z).value("gradient", tau=tau)
    step, heat = 1e-5, float(Fraction(tau))
    for i, a in product(range(4), range(2)):
        ends = []
        for sign in (1, -1):
            moved = [[float(e) for e in row] for row in Z]
            moved[i][a] += sign * step
            ends.append(infonce(pi, moved, heat))
        # The error of the difference is of the order of step^2, and of rounding over the step.
        assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(float(found[i][a]), abs=1e-6)


NAMES = {
    "cross_entropy",
    "trace",
    "trace_of_rows",
    "attraction",
    "log_partition",
    "printed",
    "first_order",
}


def test_on_the_sphere_the_laplacian_need_not_be_symmetrised():
    made = SPECTRAL.with_inputs(pi="0,1,3;2,0,5;7,1,0", Z="1,0;3/5,4/5;0,-1")
    assert made["trace"] == made["trace_of_rows"]
    made = SPECTRAL.with_inputs(pi="0,1,3;2,0,5;7,1,0", Z="2,0;3/5,4/5;0,-1")
    assert made["trace"] != made["trace_of_rows"]


@pytest.mark.parametrize("tau", [1, 3, 10])
def test_what_the_first_order_leaves_out(tau):
    rng = np.random.default_rng(tau)
    for n, d in [(3, 1), (4, 2), (6, 3)]:
        pi = random_graph(random.Random(n), n)
        z = rng.normal(size=(n, d))
        z /= np.linalg.norm(z, axis=1, keepdims=True)
        P = np.array(pi, float)
        P /= P.sum(1, keepdims=True)
        S = (P + P.T) / 2
        M = np.diag(S.sum(1)) - S - (n * np.eye(n) - np.ones((n, n))) / (n - 1)
        left = infonce(pi, z.tolist(), tau) - n * math.log(n - 1) - np.trace(z.T @ M @ z) / tau
        most = float(SPECTRAL.value("left_out", n=n, tau=tau))
        assert -CLOSE <= left <= most


def test_clusters_that_are_not_joined():
    for C, k in [(2, 2), (2, 3)]:
        n = C * k
        pi = [[int(i != j and i // k == j // k) for j in range(n)] for i in range(n)]
        Z = [[1 if i < k else -1] for i in range(n)]
        least = SPECTRAL.with_inputs(pi=pi, Z=Z).value("cross_entropy", tau="1/3")
        assert abs(SPECTRAL.value("blocks", C=C, k=k, tau="1/3") - least) < CLOSE
        rng = np.random.default_rng(C + k)
        for _ in range(20):
            z = rng.normal(size=(n, 3))
            z /= np.linalg.norm(z, axis=1, keepdims=True)
            assert infonce(pi, z.tolist(), 1 / 3) > float(least)


# --- without 1/tau ---------------------------------------------------------------------------
def test_the_first_order_vanishes_for_a_directed_circle_of_three_as_well():
    circle = Graph([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    assert not circle.weights.is_symmetric()
    assert first_order(circle) == zeros(3, 3)


def two_pairs(c):
    t = math.acos(c) / 2
    one = [math.cos(t), math.sin(t)], [math.cos(t), -math.sin(t)]
    return [*one, *([-x for x in z] for z in one)]


PAIRS = [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]


@pytest.mark.parametrize("tau", [0.1, 0.5, 0.75])
def test_the_printed_program_is_least_elsewhere(tau):
    grid = np.linspace(-1, 1, 2001)
    losses = [infonce(PAIRS, two_pairs(c), tau) for c in grid]
    # Each of the four anchors has half the squared distance 1 - c to its positive.
    as_printed = [v - 4 * (1 - c) / tau + 4 * (1 - c) for c, v in zip(grid, losses, strict=True)]
    assert grid[np.argmin(losses)] == 1
    found = float(SPECTRAL.value("positives_printed", tau=str(tau)))
    assert abs(grid[np.argmin(as_printed)] - found) <= 1e-3
    assert found < 0.9


def test_from_one_temperature_on_it_agrees_on_pairs():
    border = float(SPECTRAL.value("tau_apart"))
    assert 0.79 < border < 0.8
    assert float(SPECTRAL.value("positives_printed", tau=f"{border + 0.01:.6f}")) == 1
    assert float(SPECTRAL.value("positives_printed", tau=f"{border - 0.01:.6f}")) < 1


# --- another partition -----------------------------------------------------------------------
def test_the_graph_of_eight_objects():
    W = np.array(WITNESS.weights, float)
    assert (W == W.T).all() and (W.sum(1) == 5).all()
    vector = np.linalg.eigh(np.diag(W.sum(1)) - W)[1][:, 1]
    spectral = [int(s) for s in np.sign(vector * vector[0])]
    assert spectral == SPECTRAL.quantity("clusters_of_laplacian").expression.tolist()
    assert list(SIDES) == SPECTRAL.quantity("clusters_of_loss").expression.tolist() != spectral
    assert [1 if v > 0 else -1 for v in NEAR] == spectral
    # Of all ways to put the objects on two points, at a temperature above the border.
    tau = float(SPECTRAL.value("tau_sides")) + 1
    rows = W.tolist()

    def loss(signs):
        return infonce(rows, [[s] for s in signs], tau)

    best = min(((1, *rest) for rest in product((1, -1), repeat=7)), key=loss)
    assert best == SIDES


def test_a_wrong_trace_is_not_put_back():
    from cltheory.derive.proof.derivation import StepFailed
    from cltheory.derive.results.graphs._attraction import (
        attraction,
        half_distances,
        state_trace_at,
    )
    from cltheory.derive.structures.graph import Graph

    graph, half = (
        Graph([[0, 1, 1], [1, 0, 2], [1, 1, 0]]),
        half_distances([[S.One], [S.Zero], [S(2)]]),
    )
    with pytest.raises(StepFailed):
        state_trace_at(attraction(graph, half), S(1), Derivation())


# --- bad input -------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "id, given, says",
    [
        ("mrf", {"pi": "0,1;0,0"}, "row 2 is all zero"),
        ("spectral-clustering", {"pi": "0,1;1,0", "Z": "1;oo"}, "finite"),
    ],
)
def test_bad_input_is_one_line(id, given, says):
    with pytest.raises(DomainError) as error:
        results[id].with_inputs(**given)
    assert says in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("n", ["1001", "1000000", "oo"])
def test_a_number_of_subgraphs_that_is_too_long_is_not_written_out(n, capsys):
    assert run(["derive", "mrf", "--n", n]) == 0
    printed = capsys.readouterr().out
    assert "subgraphs: no value here" in printed and "largest_entropy = " in printed


def test_numpy_functions_do_not_underflow_at_low_temperatures() -> None:
    """At tau = 1/1000 all of a row of the kernel is below the least float."""
    here = results["spectral-clustering"].with_inputs(pi="0,1,1;1,0,1;1,1,0", Z="1,0;0,1;-1,0")
    for name in ("cross_entropy", "log_partition", "printed", "model", "gradient"):
        exact = np.array(here.value(name, tau="1/1000"), float)
        np.testing.assert_allclose(here.function(name)(tau=1e-3), exact, rtol=1e-12)


# --- what the words of the steps assume ------------------------------------------------------
@pytest.mark.parametrize("of", [MRF, SPECTRAL])
def test_weights_and_shares_may_be_zero(of):
    # As on the diagonal; a step that is about positive ones only would not be about any graph.
    entries = {e for s in of.derivation for e in s.statement.atoms(Indexed)}
    weights = [e for e in entries if str(e.base) in ("w", "p", "P", "Q")]
    assert weights and not any(e.is_positive for e in weights)
    assert all(e.is_nonnegative for e in weights)


def test_the_expansion_is_at_every_temperature():
    # s is 1/tau: up to 1 only, the bound on what is left out would be for tau >= 1 alone.
    (step,) = (s for s in SPECTRAL.derivation if s.title.startswith("The second derivative of"))
    (s,) = (s for s in step.says.domain.ranges if s.name == "s")
    assert step.says.domain.ranges[s].high is oo


@pytest.mark.parametrize(
    "pi",
    [
        [[0, 1], [1, 0]],
        [[0, 1, 1], [1, 0, 1], [1, 1, 0]],
        [[0, 1, 0], [0, 0, 1], [1, 0, 0]],
        [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]],
        [[0, 1, 2, 0], [1, 0, 0, 1], [2, 0, 0, 1], [0, 1, 1, 0]],
    ],
)
def test_no_embedding_is_better_to_first_order_iff_all_eigenvalues_but_one_are_equal(pi):
    made = SPECTRAL.with_inputs(pi=pi, Z=[[k] for k in range(len(pi))])
    _, *others = (float(e) for e in made["eigenvalues"])
    is_nothing = first_order(Graph(pi)) == zeros(len(pi), len(pi))
    assert is_nothing == (max(others) - min(others) < CLOSE)
    assert is_nothing <= (made["first_order"] == 0)
    said = made.quantity("eigenvalues").meaning
    assert "if all but the first are equal, no Z is better than another" in said

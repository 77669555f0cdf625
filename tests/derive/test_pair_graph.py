"""The pair graph of CLIP against sums that are gone through one by one."""

import itertools

import numpy as np
import pytest
from cltheory.cli.main import run
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.results import results
from cltheory.derive.structures.pair_graph import PairGraph
from sympy import Rational

RESULT = results["clip-pair-graph"]
STAR = [(k, 1) for k in range(1, 11)]
PATH = [(1, 1), (2, 1), (2, 2), (3, 2), (3, 3)]
SQUARE = [(1, 1), (1, 2), (2, 1), (2, 2)]
TWO_PARTS = [(1, 1), *((a, b) for a in (2, 3) for b in (2, 3))]


def random_pairs(seed):
    """Pairs without gaps in the numbers."""
    rng = np.random.default_rng(seed)
    left, right = rng.integers(1, 5, size=2)
    while True:
        chosen = rng.random((left, right)) < 0.5
        if chosen.any(axis=0).all() and chosen.any(axis=1).all():
            return [(int(a) + 1, int(b) + 1) for a, b in zip(*np.nonzero(chosen), strict=True)]


GRAPHS = [STAR, PATH, SQUARE, TWO_PARTS, [(1, 1)], *map(random_pairs, range(8))]


def by_hand(pairs):
    """Weights as a numpy matrix, and what every object is paired with."""
    left, right = (max(e[side] for e in pairs) for side in (0, 1))
    joined = np.zeros((left + right, left + right))
    for a, b in pairs:
        joined[a - 1, left + b - 1] = joined[left + b - 1, a - 1] = 1
    return joined / joined.sum(axis=1, keepdims=True), joined, left


@pytest.mark.parametrize("pairs", GRAPHS)
def test_weights_laplacian_and_its_form(pairs):
    weights, joined, _ = by_hand(pairs)
    at = RESULT.with_inputs(edges=pairs)
    assert np.array(at.weights.tolist(), dtype=float) == pytest.approx(weights)
    assert np.array(at.laplacian.tolist(), dtype=float) == pytest.approx(
        np.eye(len(weights)) - weights
    )
    assert np.array(at.degrees.tolist(), dtype=float) == pytest.approx(joined.sum(axis=1))
    symmetric = np.allclose(weights, weights.T)
    least = np.linalg.eigvalsh(np.eye(len(weights)) - (weights + weights.T) / 2)[0]
    assert bool(at.symmetric) == symmetric
    # Positive semidefinite iff symmetric: the theorem, against eigenvalues.
    assert bool(at.semidefinite) == (least > -1e-12) == symmetric
    if not symmetric:
        x = np.array(at.witness.tolist(), dtype=float)
        assert x @ (np.eye(len(x)) - weights) @ x == pytest.approx(float(at.form))
        assert at.form < 0


def test_no_smaller_graph_than_two_pairs_has_a_negative_form():
    assert RESULT.with_inputs(edges=[(1, 1)]).semidefinite
    at = RESULT.with_inputs(edges=[(1, 1), (2, 1)])
    assert not at.semidefinite and at.form == Rational(-3, 16)
    # It need not be the least: t = 3/2 for B and 1 for A, as derived for the star.
    assert PairGraph([(1, 1), (2, 1)]).quadratic_form([1, 1, Rational(3, 2)]) == Rational(-1, 4)


@pytest.mark.parametrize("images", [2, 3, 10])
def test_the_least_form_of_a_star(images):
    graph = PairGraph([(k, 1) for k in range(1, images + 1)])
    tried = [graph.quadratic_form([1] * images + [Rational(t, 2)]) for t in range(2 * images + 2)]
    assert float(min(tried)) == float(RESULT.value("least_form_of_star", n_A=images))


@pytest.mark.parametrize("pairs", GRAPHS)
def test_sampling_gone_through(pairs):
    weights, joined, left = by_hand(pairs)
    n, count = len(weights), len(pairs)
    of_pairs, of_objects = np.zeros((n, n)), np.zeros((n, n))
    for a, b in pairs:  # a pair, then a direction
        of_pairs[a - 1, left + b - 1] += 1 / (2 * count)
        of_pairs[left + b - 1, a - 1] += 1 / (2 * count)
    for v in range(n):  # an object, then one of its pairs
        partners = np.nonzero(joined[v])[0]
        of_objects[v, partners] += 1 / (n * len(partners))
    tv = np.abs(of_pairs - of_objects).sum() / 2
    degrees = joined.sum(axis=1)
    at = RESULT.with_inputs(edges=pairs)
    assert float(at.total_variation) == pytest.approx(tv, abs=1e-15)
    assert tv == pytest.approx(np.abs(1 - degrees / degrees.mean()).sum() / (2 * n), abs=1e-15)
    assert float(at.total_variation_at_most) == pytest.approx(degrees.std() / degrees.mean() / 2)
    right = n - left
    assert float(at.total_variation_at_least) == pytest.approx(abs(left - right) / (2 * n))
    assert at.total_variation_at_least <= at.total_variation <= at.total_variation_at_most
    assert (at.total_variation == 0) == (len(set(degrees)) == 1)
    by_pairs = np.array(at.by_pairs.tolist(), dtype=float)
    assert by_pairs == pytest.approx(of_pairs.sum(axis=1)) and by_pairs.sum() == pytest.approx(1)
    if count > 1:
        two = list(itertools.permutations(pairs, 2))
        share = sum(e[0] == f[0] or e[1] == f[1] for e, f in two) / len(two)
        assert float(at.sharing) == pytest.approx(share)
    else:
        assert "sharing" not in at.quantities


def test_pairs_in_a_file(tmp_path, capsys):
    for name, text in (("a.txt", "1,1;2,1\n"), ("b.csv", "1,1\n2,1\n")):
        (tmp_path / name).write_text(text)
        assert run(["derive", "clip-pair-graph", "--edges", str(tmp_path / name)]) == 0
        assert "total_variation = 0.166666666666667" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words, said",
    [
        (["--edges", "1,1;1,1"], "the pair 1-1 is given 2 times"),
        (["--edges", "1,1;3,1"], "object 2 of A has no pair"),
        (["--edges", "1,1;1,3"], "object 2 of B has no pair"),
        (["--edges", "2,1"], "object 1 of A has no pair"),
        (["--edges", "0,1"], "integer >= 1"),
        (["--edges", "1/2,1"], "integer >= 1"),
        (["--edges", "1,2,3"], "a pair has two numbers"),
        (["--edges", ""], "empty"),
        (["--edges", "1,1", "--tau", "0"], "tau must be > 0"),
        (["--edges", "nowhere.txt"], "does not exist"),
        (["--n_A", "0"], "n_A must be"),
    ],
)
def test_bad_input_is_one_line(words, said, capsys):
    assert run(["derive", "clip-pair-graph", *words]) == 2
    told = capsys.readouterr().err
    assert said in told and "Traceback" not in told and len(told.strip().splitlines()) == 1


def test_pairs_that_are_no_integers_are_refused():
    for wrong in ([], [(1, True)], [(1, 1.0)], [(1, 2, 3)], [(0, 1)]):
        with pytest.raises(DomainError):
            PairGraph(wrong)

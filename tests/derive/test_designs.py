"""SimCLR over families of batches: the Fano plane, partitions, all batches; without the engine."""

from itertools import combinations
from math import exp, log

import numpy as np
import pytest
from brute_force import over_vectors
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.decide.evidence import Holds
from cltheory.derive.proof.lemmas import DESIGN, FREE_BLOCKS
from cltheory.derive.results import results
from sympy import Rational

T = 0.5
FANO = [(0, 1, 2), (0, 3, 4), (0, 5, 6), (1, 3, 5), (1, 4, 6), (2, 3, 6), (2, 4, 5)]
TRIPLES = list(combinations(range(7), 3))
PARTITION = [(0, 1, 2), (3, 4, 5)]


def over(gram, family, p):
    """Loss over a family, and its derivative; instance i has the points p i, ..., p i + p - 1."""
    value, slope, anchors = 0.0, np.zeros_like(gram), 0
    for batch in family:
        points = [p * i + v for i in batch for v in range(p)]
        for a in points:
            others = [b for b in points if b != a]
            views = [b for b in others if b // p == a // p]
            weights = np.array([exp(gram[a, b] / T) for b in others])
            value += log(weights.sum()) - np.mean([gram[a, b] for b in views]) / T
            slope[a, others] += weights / weights.sum() / T
            slope[a, views] -= 1 / T / len(views)
            anchors += 1
    return value / anchors, (slope + slope.T) / 2


def simplex(n, p):
    same = np.kron(np.eye(n), np.ones((p, p)))
    return same - (1 - same) / (n - 1)


def is_least(family, n, p):
    """Whether the simplex is: gradient - diag(y) >= 0 and zero on its range, for some y."""
    gram = simplex(n, p)
    _, slope = over(gram, family, p)
    y = np.diag(slope @ gram)  # what y has to be, as (A - diag(y)) G = 0 on the diagonal
    slack = slope - np.diag(y)
    return np.abs(slack @ gram).max() < 1e-12 and np.linalg.eigvalsh(slack).min() > -1e-12


@pytest.mark.parametrize("p", [2, 3])
def test_the_simplex_is_least_iff_every_pair_is_in_as_many_batches(p):
    assert is_least(TRIPLES, 7, p) and is_least(FANO, 7, p)
    assert not is_least(FANO[:-1], 7, p) and not is_least(PARTITION, 6, p)
    # A cyclic family in which every instance is in three batches, but pairs are not alike.
    assert not is_least([(i, (i + 1) % 7, (i + 2) % 7) for i in range(7)], 7, p)
    rng = np.random.default_rng(0)
    for size in rng.integers(5, 30, 20):
        family = [TRIPLES[i] for i in rng.choice(35, size, replace=False)]
        pairs = [sum({i, j} <= set(b) for b in family) for i, j in combinations(range(7), 2)]
        assert is_least(family, 7, p) == (len(set(pairs)) == 1)


def test_what_is_derived_is_so_for_the_fano_plane():
    at = {"n": 7, "B": 3, "p": 2, "tau": Rational(1, 2)}
    of = results["simclr-batches"]
    value, _ = over(simplex(7, 2), FANO, 2)
    assert float(of.value("loss", **at)) == pytest.approx(value, rel=1e-13)
    assert of.value("batches", **at) == len(FANO)
    assert float(of.value("pair_share", **at)) == pytest.approx(15 / 105)
    whole = of.value("loss", n=7, B=7, p=2, tau="1/2", digits=30)
    assert abs(whole - results["simclr"].value("loss", n=7, p=2, tau="1/2", digits=30)) < 1e-28


def test_batches_of_a_partition_turn_freely():
    # Each batch has its own simplex; of k batches the cross products of any two are free, a
    # (B - 1) x (B - 1) matrix each: k (k - 1)/2 (B - 1)^2 dimensions. Its rank, by differences.
    rng, k, size, d = np.random.default_rng(1), 3, 3, 8
    corners = np.linalg.svd(np.eye(size) - 1 / size)[0][:, : size - 1] * np.sqrt(size / (size - 1))
    frames = [np.linalg.qr(rng.normal(size=(d, size - 1)))[0] for _ in range(k)]

    def gram(frames):
        u = np.concatenate([corners @ f.T for f in frames])
        return u @ u.T

    start, moves = gram(frames), []
    for which in range(k):
        for i, j in combinations(range(d), 2):
            turn = np.eye(d)
            h = 1e-6
            turn[i, j], turn[j, i] = h, -h
            turned = [turn @ f if w == which else f for w, f in enumerate(frames)]
            moves.append(((gram(turned) - start) / h).ravel())
    assert np.linalg.matrix_rank(np.array(moves), tol=1e-3) == k * (k - 1) // 2 * (size - 1) ** 2
    # None of them changes the loss, which is below that of the simplex of all.
    values = [
        over(np.kron(gram(f), np.ones((2, 2))), [(0, 1, 2), (3, 4, 5), (6, 7, 8)], 2)[0]
        for f in (frames, frames[::-1])
    ]
    assert values[0] == pytest.approx(values[1], rel=1e-12)
    assert values[0] < over(simplex(9, 2), TRIPLES, 2)[0] - 0.01
    at = {"n": 9, "B": 3, "p": 2, "tau": Rational(1, 2)}
    of = results["simclr-batches"]
    assert of.value("partition_free", **at) == k * (k - 1) // 2 * (size - 1) ** 2
    assert float(of.value("partition_loss", **at)) == pytest.approx(values[0], rel=1e-12)
    with pytest.raises(DomainError, match="only if B divides n"):
        of.value("partition_free", **{**at, "n": 8})


def optimised(family, n, p, seed):
    """Embeddings with the smallest loss that is found, from random ones: loss and Gram matrix."""
    return over_vectors(lambda gram: over(gram, family, p), n * p, n + 1, seed, ftol=0)


def test_embeddings_find_the_simplex_from_the_fano_plane_and_not_from_part_of_it():
    # Losses are flat at an optimum: inner products to 1e-4 are losses to 1e-8.
    least, gram = optimised(FANO, 7, 2, 0)
    assert least == pytest.approx(over(simplex(7, 2), FANO, 2)[0], abs=1e-8)
    assert np.abs(gram - simplex(7, 2)).max() < 1e-4
    least, _ = optimised(FANO[:-1], 7, 2, 0)
    assert least < over(simplex(7, 2), FANO[:-1], 2)[0] - 1e-3


def test_embeddings_of_a_partition_have_a_simplex_in_each_batch_and_are_free_between_them():
    (least, one), (_, other) = (optimised(PARTITION, 6, 2, seed) for seed in (0, 1))
    at = {"n": 6, "B": 3, "p": 2, "tau": "1/2"}
    assert least == pytest.approx(float(results["simclr-batches"].value("partition_loss", **at)))
    for gram in (one, other):
        assert np.abs(gram[:6, :6] - simplex(3, 2)).max() < 1e-4
        # Each row between two batches sums to zero over instances: 2 x 2 numbers are left.
        assert np.linalg.matrix_rank(gram[:6, 6:], tol=1e-3) <= 2
    assert np.abs(one - other).max() > 0.1


def test_another_dimension_of_the_optimal_set_is_refused():
    (step,) = [s for s in results["simclr-batches"].derivation if s.lemma is FREE_BLOCKS]
    assert isinstance(step.says.decide(), Holds)
    shown = step.says.shown
    for wrong in (2 * shown.rhs, shown.rhs + 1, -shown.rhs):
        assert not isinstance(step.says.saying(shown.func(shown.lhs, wrong)).decide(), Holds)


def test_the_lemma_is_applied_to_a_gradient_that_is_positive():
    (step,) = [s for s in results["simclr-batches"].derivation if s.lemma is DESIGN]
    says = step.says
    assert isinstance(says.decide(), Holds)
    wrong = says.shown.func(-says.shown.args[0], 0, evaluate=False)
    assert not isinstance(says.saying(wrong).decide(), Holds)

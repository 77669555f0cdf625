"""Graphs and their subgraphs of out-degree one, against all 0/1 matrices gone through."""

from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.structures.graph import Graph, blocks
from sympy import I, Matrix, Rational, Symbol, exp, oo, simplify, sqrt, symbols

TRIANGLE = [[0, 1, 3], [2, 0, 5], [7, 1, 0]]
ONE_WAY = [[0, 0, 2, 1], [1, 0, 0, 0], [3, 1, 0, 2], [0, 4, 1, 0]]


def every_matrix(pi):
    """(W, product of weights) for all 0/1 matrices with zero diagonal, those filtered out as 0."""
    n = len(pi)
    places = [(i, j) for i in range(n) for j in range(n) if i != j]
    for bits in product((0, 1), repeat=len(places)):
        W = [[0] * n for _ in range(n)]
        for (i, j), bit in zip(places, bits, strict=True):
            W[i][j] = bit
        allowed = all(sum(row) == 1 for row in W)
        weight = prod(Fraction(pi[i][j]) ** W[i][j] for i, j in places)
        yield W, weight if allowed else Fraction(0)


@pytest.mark.parametrize("pi", [[[0, 3], [2, 0]], TRIANGLE, ONE_WAY])
def test_against_all_matrices(pi):
    graph = Graph(pi)
    found = list(every_matrix(pi))
    whole = sum(weight for _, weight in found)
    assert graph.partition == whole
    for i, j in product(range(len(pi)), repeat=2):
        through = sum(weight for W, weight in found if W[i][j])
        assert graph.transitions.weights[i, j] == through / whole
    assert graph.count == sum(all(sum(row) == 1 for row in W) for W, _ in found)


def test_laplacians_against_floats():
    graph = Graph(TRIANGLE)
    W = np.array(TRIANGLE, float)
    out = W.sum(1)
    assert np.allclose(np.array(graph.laplacian, float), np.diag(out) - W)
    both = graph.symmetrised
    S = (W + W.T) / 2
    assert both.weights.is_symmetric() and not graph.weights.is_symmetric()
    assert np.allclose(np.array(both.laplacian, float), np.diag(S.sum(1)) - S)
    assert graph.out_degrees == (4, 7, 8)


def test_the_laplacian_of_a_graph_that_is_not_symmetric_may_be_indefinite():
    L = np.array(Graph([[0, 9, 1], [1, 0, 1], [1, 1, 0]]).laplacian, float)
    assert np.linalg.eigvalsh((L + L.T) / 2)[0] < -0.1


def test_each_block_adds_one_dimension_to_where_the_laplacian_vanishes():
    for graph, parts in ((blocks([2, 3]), 2), (blocks([2, 3], 1, Rational(1, 10)), 1)):
        assert len(Matrix(graph.laplacian).nullspace()) == parts


def test_weights_may_be_symbols_or_exact_numbers():
    a, b = symbols("a b", positive=True)
    graph = Graph([[0, a, b], [b, 0, a], [a, exp(-1), 0]])
    every = (graph.weights[0, i] * graph.weights[1, j] * graph.weights[2, k]
             for i, j, k in product((1, 2), (0, 2), (0, 1)))  # fmt: skip
    assert simplify(sum(every) - graph.partition) == 0
    assert Graph([[0, sqrt(2) - 1], [1, 0]]).out_degrees[0] == sqrt(2) - 1


def test_the_diagonal_is_left_out_where_that_is_said():
    assert Graph.without_loops([[5, 1], [2, 7]]).weights == Matrix([[0, 1], [2, 0]])


@pytest.mark.parametrize(
    "rows, says",
    [
        ([[0, 1, 1], [1, 0, 1]], "2 x 3, and must be square"),
        ([[0]], "two rows or more"),
        ([[0, -1], [1, 0]], "weight (1, 2) is -1"),
        ([[0, Symbol("x")], [1, 0]], "weight (1, 2) is x"),
        ([[0, oo], [1, 0]], "must be >= 0"),
        ([[0, I], [1, 0]], "must be >= 0"),
        ([[0, 1], [1, 2]], "row 2 has a self-loop"),
        ([[0, 1, 0], [0, 0, 0], [1, 0, 0]], "row 2 is all zero"),
    ],
)
def test_what_is_refused(rows, says):
    with pytest.raises(DomainError) as error:
        Graph(rows)
    assert says in str(error.value) and "\n" not in str(error.value)


def test_a_kernel_alone_on_the_diagonal_is_a_row_of_zeros():
    with pytest.raises(DomainError, match="row 1 is all zero"):
        Graph.without_loops([[1, 0], [1, 1]])

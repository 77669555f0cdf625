"""The distribution over subgraphs of out-degree one (tan2024spectral, Lemmas 2.3 and 2.4).

The weight of a subgraph is the product of the weights of its edges. The sum over all subgraphs is,
by the distributive law, the product of the sums of rows; so rows are drawn one by one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Expr, Integer, S, Symbol, exp, log, oo

from ...decide.domain import POSITIVE, Domain, DomainError, Range, at_least
from ...proof.derivation import Derivation
from ...proof.limiting import take_limit
from ...structures.graph import Graph
from ...structures.hierarchy import n
from ...theorem.listed import ListOf
from ...theorem.quantity import Quantity
from .._for_data import NUMBERS, ForData
from ._fields import (
    cross_entropy,
    state_cross_entropy,
    state_partition,
)
from ._settings import FIELD, NOT_NEGATIVE, PI, graph_of, same_size

DOMAIN = Domain({n: at_least(2)}, {n: 4})
#: Where the number of subgraphs is written out; its logarithm is the largest entropy.
COUNTED = Range(
    Integer(2),
    Integer(1000),
    False,
    False,
    integer=True,
    why="for larger n it has thousands of digits",
)
MEANINGS = {n: "number of objects"}


def general(proof: Derivation) -> dict[str, Quantity]:
    """What holds for all weights."""
    state_partition(proof)
    state_cross_entropy(proof)
    share, other = (Symbol(s, positive=True) for s in ("p", "q"))
    of_shares = Domain({share: POSITIVE, other: POSITIVE}, {share: S.Half, other: S.Half})
    take_limit("of_one_draw", -share * log(other), other, S.Zero, of_shares, proof)
    alike = 1 / (n - 1)
    proof.equal(
        "Equal weights have the largest entropy",
        {"entropy": (-n * (n - 1) * alike * log(alike), n * log(n - 1))},
        "n rows with n - 1 equal probabilities each; no distribution on n - 1 points has a larger "
        "entropy",
        DOMAIN,
    )
    return {
        "subgraphs": Quantity(
            exp(n * log(n - 1)),  # (n - 1)^n, as a power that normal forms take
            r"|\{W : \Omega(W) = 1\}|",
            "number of subgraphs with one edge out of each vertex, (n - 1)^n; those through an "
            "edge of weight 0 have probability 0",
            Domain({n: COUNTED}, {n: 4}),
        ),
        "largest_entropy": Quantity(
            n * log(n - 1),
            r"\max_\pi H(\pi)",
            "largest entropy of the distribution, attained for equal weights; the smallest is 0",
        ),
    }


def derive(
    data: Mapping[str, Any], at: Mapping[Symbol, Expr], proof: Derivation
) -> dict[str, Quantity]:
    """What holds for all weights, and for these."""
    in_general = general(proof)
    if not data:
        return in_general
    graph: Graph = data["pi"]
    shares = graph.transitions
    found = {
        "subgraphs": Quantity(
            graph.count, "N", "number of subgraphs with one edge out of each vertex"
        ),
        "partition": Quantity(
            graph.partition,
            "Z",
            "sum of the weights of all these subgraphs: the product of the row sums",
        ),
        "marginal": Quantity(
            shares.weights.tolist(),
            "P_{ij}",
            "probability that the edge out of i leads to j; the mean of W",
        ),
        "expected_laplacian": Quantity(
            shares.laplacian.tolist(),
            r"\mathbb{E}\, L(W)",
            "mean of the Laplacian of W: the Laplacian of the marginals",
        ),
        "entropy": Quantity(
            cross_entropy(graph, graph),
            r"H(\pi)",
            "entropy of the distribution, the sum of those of the rows",
        ),
    }
    if "K" in data:
        found |= _against(graph, data["K"])
    if "W" in data:
        found |= _drawn(graph, data["W"], proof)
    return found


def _against(graph: Graph, other: Graph) -> dict[str, Quantity]:
    """Beside another distribution."""
    both, own = cross_entropy(graph, other), cross_entropy(graph, graph)
    return {
        "cross_entropy": Quantity(
            both,
            r"H(\pi, K)",
            "cross-entropy with the distribution of K, the sum of those of the rows; oo if K has "
            "weight 0 at an edge that may be drawn",
            extended=True,
        ),
        "divergence": Quantity(
            oo if both is oo else both - own,
            r"D(\pi, K)",
            "cross-entropy minus entropy, the Kullback-Leibler divergence; 0 iff K has the same "
            "marginals",
            extended=True,
        ),
    }


def _drawn(
    graph: Graph, subgraph: tuple[tuple[int, ...], ...], proof: Derivation
) -> dict[str, Quantity]:
    """The probability of one subgraph."""
    places = [[b for b, e in enumerate(row) if e == 1] for row in subgraph]
    if any(len(row) != 1 for row in places):
        probability = S.Zero
    else:
        targets = [row[0] for row in places]
        probability = graph.probability(targets)
        proof.equal(
            "The probability of this subgraph is its weight over the partition function",
            {"probability": (graph.weight(targets) / graph.partition, probability)},
            "the partition function is the product of the row sums, so this is the product of the "
            "probabilities of its edges",
            NUMBERS,
        )
    return {
        "probability": Quantity(
            probability,
            r"\mathbb{P}(W; \pi)",
            "probability of W; 0 unless each vertex has exactly one edge out",
        )
    }


def check(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """The graphs that were given.

    Raises
    ------
    DomainError
        If one is refused, or they do not fit together; one line.
    """
    graph = graph_of(given, "mrf")
    found: dict[str, Any] = {"pi": graph}
    for name in ("K", "W"):
        if name in given:
            same_size(given[name], name, graph)
    if "K" in given:
        found["K"] = Graph.without_loops(given["K"], "K")
    if "W" in given:
        rows = given["W"]
        same_size(list(zip(*rows, strict=True)), "the transpose of W", graph)
        if any(e not in (0, 1) for row in rows for e in row):
            raise DomainError("W: the entries of a subgraph are 0 and 1")
        if any(row[k] != 0 for k, row in enumerate(rows)):
            raise DomainError("W: a subgraph has zeros on the diagonal")
        found["W"] = rows
    return found


RESULT = ForData(
    "mrf",
    title="The distribution over subgraphs of out-degree one",
    source="tan2024spectral, Definition 2.2, Lemmas 2.3 and 2.4",
    parameters=(n,),
    with_data=(),
    lists=(
        PI,
        ListOf("K", NOT_NEGATIVE, "weights to compare with, such as of a kernel", rows=True),
        ListOf("W", NOT_NEGATIVE, "a subgraph: rows of 0 and 1", rows=True),
    ),
    domain=DOMAIN,
    meanings=MEANINGS,
    derive=derive,
    check=check,
    subject=FIELD,
)

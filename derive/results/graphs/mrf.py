"""The distribution over subgraphs of out-degree one (tan2024spectral, Lemmas 2.3 and 2.4).

The weight of a subgraph is the product of the weights of its edges. The sum over all subgraphs is,
by the distributive law, the product of the sums of rows; so rows are drawn one by one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Expr, Integer, S, Symbol, exp, log

from ...decide.domain import POSITIVE, Domain, Range, at_least
from ...proof.derivation import Derivation
from ...proof.limiting import take_limit
from ...structures.graph import Graph
from ...structures.hierarchy import n
from ...theorem.quantity import Quantity
from .._for_data import ForData
from ._fields import (
    cross_entropy,
    state_cross_entropy,
    state_partition,
)
from ._settings import FIELD, PI

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
    return {
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


RESULT = ForData(
    "mrf",
    title="The distribution over subgraphs of out-degree one",
    source="tan2024spectral, Definition 2.2, Lemmas 2.3 and 2.4",
    with_data=(),
    lists=(PI,),
    domain=DOMAIN,
    meanings=MEANINGS,
    derive=derive,
    check=lambda data: {"pi": Graph(data["pi"])},
    subject=FIELD,
)

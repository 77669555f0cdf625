"""CLIP on its pair graph, and how drawing pairs differs from drawing objects.

tan2024spectral, Definition 4.1, Theorem 4.2 and the discussion after it. Rows of the weights add up
to 1 but columns need not, so the Laplacian is that of no symmetric graph in general, and then it is
not positive semidefinite either.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from sympy import Abs, Expr, Integer, Rational, S, Symbol

from ...decide.domain import POSITIVE, Domain, Range, at_least
from ...losses.softmax import tau
from ...proof.derivation import Derivation
from ...proof.relations import ge, lt
from ...structures.pair_graph import PairGraph
from ...theorem.listed import ListOf
from ...theorem.quantity import Quantity
from .._for_data import NUMBERS, ForData
from ..weighted._weights import MOST_ROWS
from ._attraction import state_trace
from ._pairs import (
    state_batch,
    state_expected_loss,
    state_form,
    state_sampling,
)
from ._settings import PAIRS

n_A = Symbol("n_A", integer=True, positive=True)
n_B = Symbol("n_B", integer=True, positive=True)
DOMAIN = Domain(
    {n_A: at_least(1), n_B: at_least(1), tau: POSITIVE},
    {n_A: 10, n_B: 1, tau: Rational(1, 2)},
)
MEANINGS = {
    n_A: "number of objects of A, such as images",
    n_B: "number of objects of B, such as texts",
    tau: "temperature: the kernel is exp(-|x - y|^2/(2 tau))",
}
NOT_LESS = Range(n_B, low_open=False, integer=True, why="A is the larger of the two")
EDGES = ListOf(
    "edges",
    at_least(1),
    "pairs of an object of A and one of B, by their numbers; each pair once",
    rows=True,
)


def derive(
    data: Mapping[str, Any], at: Mapping[Symbol, Expr], proof: Derivation
) -> dict[str, Quantity]:
    """What holds for all pairs, and for these."""
    proof.steps += _of_all_pairs().steps
    if not data:
        return general()
    pairs: PairGraph = data["edges"]
    return of_weights(pairs, proof) | of_sampling(pairs, proof)


@cache
def _of_all_pairs() -> Derivation:
    proof = Derivation()
    state_form(proof)
    state_sampling(proof)
    state_expected_loss(proof)
    state_batch(proof)
    state_trace(proof)
    return proof


def general() -> dict[str, Quantity]:
    """What follows from the numbers of objects."""
    two = DOMAIN.restricted([n_A]).with_range(n_A, at_least(2), Integer(10))
    larger = Domain({n_B: at_least(1), n_A: NOT_LESS}, {n_A: 10, n_B: 1})
    return {
        "total_variation_at_least": Quantity(
            (n_A - n_B) / (2 * (n_A + n_B)),
            r"\mathrm{TV}_0",
            "lower bound of the total variation between drawing pairs and drawing objects, A "
            "being the modality with no fewer objects; attained if degrees are constant on A and "
            "on B",
            larger,
        ),
        "least_form_of_star": Quantity(
            -((n_A - 1) ** 2) / S(4),
            r"\min x^\top L x",
            "minimum of the quadratic form of the Laplacian among vectors that are 1 on A, for "
            "n_A objects all paired with one of B",
            two,
        ),
    }


# --- the graph -----------------------------------------------------------------------------------
def of_weights(pairs: PairGraph, proof: Derivation) -> dict[str, Quantity]:
    """Weights, and whether the Laplacian is positive semidefinite."""
    incoming, vector = pairs.in_weights, pairs.witness
    found = {
        "degrees": Quantity(
            list(pairs.degrees), "D", "number of pairs of every object, A before B"
        ),
        "incoming": Quantity(
            list(incoming), "r", "weight that enters every object: column sums of the weights"
        ),
        "symmetric": Quantity(
            _truth(pairs.is_symmetric),
            r"\text{symmetric}",
            "whether the weights are symmetric: whether paired objects have the same number "
            "of pairs",
        ),
        "semidefinite": Quantity(
            _truth(vector is None),
            r"L \succeq 0",
            "whether the quadratic form x'Lx of the Laplacian is never negative",
        ),
    }
    if pairs.size <= MOST_ROWS:
        graph = pairs.graph
        found["weights"] = Quantity(
            graph.weights.tolist(),
            r"\pi_{A,B}",
            "weights of the edges, 1 over the degree in each row, so that rows sum to 1",
        )
        found["laplacian"] = Quantity(
            graph.laplacian.tolist(), "L", "identity matrix minus the weights"
        )
    if vector is None:
        proof.equal(
            "The incoming weight is 1 at every object",
            {f"r_{pairs.name(v)}": (r, S.One) for v, r in enumerate(incoming)},
            "the columns of the weights sum to 1 as the rows do, so the quadratic form of the "
            "Laplacian is a sum of squares and the Laplacian positive semidefinite",
            NUMBERS,
        )
        return found
    value = pairs.quadratic_form(vector)
    proof.holds(
        "The quadratic form of the Laplacian is negative at the witness",
        lt("form", S.Zero),
        "the witness is 1 + s (r - 1), r being the vector of incoming weights and s the minimiser "
        "along this line",
        NUMBERS,
        names={Symbol("form"): value},
    )
    return found | {
        "witness": Quantity(list(vector), "x", "vector at which the quadratic form is negative"),
        "form": Quantity(value, r"x^\top L x", "value of the quadratic form at the witness"),
    }


# --- sampling ------------------------------------------------------------------------------------
def of_sampling(pairs: PairGraph, proof: Derivation) -> dict[str, Quantity]:
    """How drawing pairs differs from drawing objects."""
    total, spread = pairs.total_variation, pairs.variation
    first, second = pairs.sizes
    least = Rational(abs(first - second), 2 * pairs.size)
    mean = Rational(2 * pairs.count, pairs.size)
    by_degrees = sum((Abs(1 - d / mean) for d in pairs.degrees), S.Zero) / (2 * pairs.size)
    proof.equal(
        "The total variation between drawing pairs and drawing objects, for these pairs",
        {"over_edges": (total, by_degrees)},
        "over_edges is the sum over all directed edges; it lies between the two bounds of the "
        "steps before",
        NUMBERS,
        also=[
            ge(spread / 2 - Symbol("over_edges"), S.Zero),
            ge(Symbol("over_edges") - least, S.Zero),
        ],
    )
    found = {
        "by_pairs": Quantity(
            list(pairs.by_edges),
            r"\frac{D}{2M}",
            "probability of every anchor if a pair and one of its directions are drawn",
        ),
        "by_objects": Quantity(
            list(pairs.by_objects),
            r"\frac{1}{n}",
            "probability of every anchor if an object is drawn",
        ),
        "total_variation": Quantity(
            total,
            r"\mathrm{TV}",
            "total variation between by_pairs and by_objects; the same for anchors and for edges",
        ),
        "total_variation_at_least": Quantity(
            least, r"\mathrm{TV}_0", "lower bound on the total variation by the numbers of objects"
        ),
        "total_variation_at_most": Quantity(
            spread / 2, r"\mathrm{TV}_1", "half the coefficient of variation of all degrees"
        ),
    }
    if pairs.sharing is not None:
        found["sharing"] = Quantity(
            pairs.sharing,
            "p",
            "probability p that two different pairs share an object: in a batch of b pairs, each "
            "pair has on average (b - 1) p others that contain one of its objects",
        )
    return found


def _truth(holds: bool) -> Any:
    return S.true if holds else S.false


RESULT = ForData(
    "clip-pair-graph",
    title="The pair graph of CLIP: its Laplacian, its loss, and how pairs are drawn",
    source="tan2024spectral, Definition 4.1 and Theorem 4.2",
    with_data=(tau,),
    lists=(EDGES,),
    domain=DOMAIN,
    meanings=MEANINGS,
    derive=derive,
    check=lambda data: {"edges": PairGraph(data["edges"])},
    subject=PAIRS,
)

"""Weighted InfoNCE of squared distances: when points attain its bound (vock2026unified, 3.7).

The bound is attained iff D + c holds the squared distances of points in q dimensions, for some
constant c. That is decided by the least eigenvalue of the centred Gram matrix and its multiplicity.
"""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Expr, S, Symbol

from ...decide.domain import Range, at_least
from ...losses.weighted import WEIGHTED_EUCLIDEAN
from ...proof.derivation import Derivation
from ...proof.relations import eq, ge, le
from ...theorem.quantity import Quantity
from ...vectors.distance import Dissimilarity, Euclidean
from .._for_data import NUMBERS, Data, ForData
from ._distances import (
    DISSIMILARITIES,
    DISTANCE,
    ENTRY,
    MEANINGS,
    SCHOENBERG,
    Placed,
    enough_points,
    k,
    n,
    plane,
    points_needed,
    shift,
    spectrum,
    state_copies,
)
from ._weights import ATTAINED, q, quantities

DOMAIN = plane()


def general(proof: Derivation) -> dict[str, Quantity]:
    """What holds for all dissimilarities."""
    shift(proof)
    copies = plane((n, at_least(2), 5), (k, Range(S.One, n - 1, False, False, integer=True), 2))
    proof.equal(
        "If the smallest eigenvalue has multiplicity k, the points with the smallest "
        "constant span n - 1 - k dimensions",
        {"dimension": ((n - 1) - k, n - 1 - k)},
        SCHOENBERG,
        copies,
        also=[le(n - 1 - k, n - 2)],
    )
    enough = plane((n, Range(S(2), q + 2, False, False, integer=True), 4))
    proof.holds(
        "If q >= n - 2, the bound is attained for every D",
        ge(q, n - 1 - 1),
        "multiplicity 1 of the smallest eigenvalue is enough for q = n - 2; for q >= "
        "n - 1 every larger constant does as well",
        enough,
    )
    points, nonnegative, edm = enough_points(proof, "c = 0", "c > 0", q + 2, "2q + 4")
    proof.equal(
        "The numbers n_0 are sharp: with n_0 - 1 points there are counterexamples (q "
        "+ 1 pairs; q - 1 pairs and three more points; a simplex)",
        {
            "pairs": (2 * (q + 1), points - 1),
            "pairs_and_three": (2 * (q - 1) + 3, nonnegative - 1),
            "simplex": (q + 2, edm - 1),
            "two_pairs": (S(2) ** 2 + 1 + 1 - 4, 2),
            "pair_and_point": (S(2) ** 2 + 1 - 4, 1),
            "two_points": (S(2) ** 2 - 4, 0),
        },
        "half of minus the squared distances of pairs of opposite points, each pair 2 "
        "apart on an axis of its own, have c = 2 and points that coincide in twos; "
        "points 2 apart on a line, all but three of them split by 1 to both sides in "
        "a dimension of its own, have squared distances that, less 4, need c = 4; "
        "ones off the diagonal have c = -1 and points that all coincide",
        plane(),
    )
    attained = "attained iff, for some c, the d_ij + c are squared distances in q dimensions"
    return points_needed(points, nonnegative, edm, "rank D <= q + 2 implies c = 0", attained)


def for_matrix(data: Data, at: Mapping[Symbol, Expr], proof: Derivation) -> dict[str, Quantity]:
    """What holds for these dissimilarities."""
    found = general(proof)
    if not data:
        return found
    D: Dissimilarity = data["D"]
    found = spectrum(D, proof) | quantities(dimension=D.size - 1 - D.multiplicity)
    return found | for_dimensions(Euclidean(D, int(at[q])), proof) if q in at else found


def for_dimensions(verdict: Euclidean, proof: Derivation) -> dict[str, Quantity]:
    """The verdict, and the points."""
    c = verdict.c
    state_copies(verdict, proof)
    found = quantities(verdict=verdict.reason) | {
        "attained": Quantity(
            verdict.attained, ATTAINED, "whether points in q dimensions attain the entropic bound"
        ),
        "c_set": Quantity(
            verdict.constants,
            "c",
            "constants for which D + c holds squared distances of points in q dimensions",
            parameter=Symbol("c"),
        ),
        "defect": Quantity(
            verdict.defect,
            r"\delta",
            "spectral-norm distance of the centred Gram matrix to the nearest one for "
            "which the bound is attained",
        ),
    }
    if c is None or verdict.embedding is None:
        return found
    proof.add(
        "The points have the squared distances D + c",
        Placed(eq(DISTANCE, ENTRY + c), NUMBERS, verdict.distances, verdict.embedding),
        "the coordinates were found by elimination, and their squared distances are "
        "compared with D + c",
    )
    meaning = "constant c of the embedding shown: 0 if that is possible, else the smallest"
    return {
        **found,
        "c": Quantity(c, "c", meaning),
        **quantities(unique=verdict.unique, embedding=verdict.embedding),
    }


RESULT = ForData(
    "dgp-euclidean",
    title="When points attain the bound of weighted InfoNCE of squared distances",
    source="vock2026unified, Corollary 3.4 and Theorem 3.7",
    with_data=(q,),
    lists=(DISSIMILARITIES,),
    domain=DOMAIN,
    meanings=MEANINGS,
    derive=for_matrix,
    check=lambda data: {"D": Dissimilarity(data["D"])},
    subject=WEIGHTED_EUCLIDEAN,
)

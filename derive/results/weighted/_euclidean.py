"""Squared distances compared with squared distances: what the results on it share.

The loss asks for the squared distances of the data up to a constant off the diagonal, which adds
its half to all eigenvalues of the centred Gram matrix. So the optimum has the principal components
of the data, all of them; or in fewer dimensions, where the least eigenvalues are equal, the first
ones with that eigenvalue taken off.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from flint import fmpq_mat
from sympy import Expr, Ge, Integer, S, Symbol

from ...decide.ball import enclosure
from ...decide.domain import Domain, Range, at_least, between
from ...decide.present import solve_linear, tidy
from ...proof.derivation import Derivation
from ...proof.lemmas import RANK
from ...proof.relations import eq, gt
from ...theorem.listed import ListOf
from ...theorem.quantity import Quantity
from ...vectors.coordinates import Rows as Points
from ...vectors.coordinates import padded
from ...vectors.distance import Dissimilarity, Euclidean
from .._for_data import NUMBERS, Data, ForData
from ._components import components
from ._descent import euclidean_loss, lowest, rounded
from ._distances import DISTANCE, ENTRY, Placed, state_copies
from ._geometry import GIBBS
from ._weights import (
    ATTAINED,
    MOST_ROWS,
    REAL,
    Gap,
    InBalls,
    Rows,
    Weights,
    by_distances,
    q,
    quantities,
)

mu = Symbol("mu", nonnegative=True)
mu_min = Symbol("mu_min", nonnegative=True)
MEANINGS = {
    q: "dimension of the embeddings",
    mu: "an eigenvalue of the centred Gram matrix of the data",
    mu_min: "smallest of its n - 1 eigenvalues on vectors of sum zero",
}
SPECTRUM = {mu: Range(S.Zero, low_open=False), mu_min: between(0, mu)}
#: Bits at which sums over components are compared with entries.
BITS = 256
#: Embeddings are optimised for up to so many points.
MOST_OPTIMISED = 40

IN_Q = "whether embeddings in q dimensions attain the entropic bound"


def of_one_pair(squared: Expr, what: str, domain: Domain, proof: Derivation) -> dict[str, Quantity]:
    """What holds for all data: of one pair, and of one principal component."""
    wanted, c = Symbol("d_z", real=True), Symbol("c", real=True)
    proof.holds(
        "The entropic bound is attained iff the similarities are the log-weights plus one constant",
        eq(-wanted, -squared - c),
        GIBBS,
        domain.with_range(c, REAL, 0),
        names={wanted: squared + c},
    )
    shift = solve_linear(mu_min + c / 2, c)
    proof.equal(
        "Adding a constant c to all squared distances adds c/2 to every eigenvalue of "
        "the centred Gram matrix",
        {"shrunk": (mu - mu_min, (mu + c / 2).xreplace({c: shift}))},
        "-J (E - I) J/2 = J/2; the rank decreases only if the smallest eigenvalues, "
        "which are equal, become zero: mu_min + c/2 = 0",
        domain,
    )
    return {
        "squared_distance": Quantity(
            squared,
            r"\lVert z_i - z_j \rVert^2",
            f"optimal squared distance of two embeddings, {what}, if q is at least the "
            "dimension that the data span; the optimum is unique if q <= n - 2",
        ),
        "shrunk": Quantity(
            tidy(mu + shift / 2),
            r"\mu^\star",
            "eigenvalue of the centred Gram matrix at the optimum, if the data span n - 1 "
            "> q dimensions and the n - 1 - q smallest eigenvalues all equal mu_min: each "
            "principal component is shortened",
        ),
    }


def between_rows(rows: Rows, scale: Expr) -> Dissimilarity:
    """Squared distances of all pairs of rows, scaled."""
    n = range(len(rows))
    found = [[S.Zero for _ in n] for _ in n]
    for i in n:
        for j in range(i):
            pairs = zip(rows[i], rows[j], strict=True)
            found[i][j] = found[j][i] = scale * sum(((a - b) ** 2 for a, b in pairs), S.Zero)
    return Dissimilarity(found)


def rows_of(parts: Points, n: int, size: int) -> Points:
    """Points from their principal components, with zeros for those that are left out."""
    return padded(tuple(zip(*parts, strict=True)) or ((),) * n, size)


def squared_result(
    id: str,
    *,
    squared: Expr,
    pair: str,
    data: ListOf,
    things: str,
    distances: Callable[[Rows, Mapping[Symbol, Expr]], Dissimilarity],
    ranges: Mapping[Symbol, Range],
    witness: Mapping[Symbol, Any],
    meanings: Mapping[Symbol, str],
    with_data: tuple[Symbol, ...] = (q,),
    first: Mapping[str, Quantity] | None = None,
    **described: Any,
) -> ForData:
    """The theorem on a loss whose weights come from squared distances.

    Parameters
    ----------
    squared, pair
        The squared distance of a pair, by the symbols of ``ranges``, and what it is the one of.
    data, things
        The data, and what there are distances of.
    distances
        Squared distances of data, at values of parameters.
    first
        What else is derived for all data.
    """
    domain = Domain({**ranges, **SPECTRUM, q: at_least(1)}, {**witness, mu: 2, mu_min: 1, q: 2})

    def derive(given: Data, fixed: Mapping[Symbol, Expr], proof: Derivation) -> dict[str, Quantity]:
        if given:
            return of_distances(distances(given[data.name], fixed), fixed, things, proof)
        return {**(first or {}), **of_one_pair(squared, pair, domain, proof)}

    return ForData(
        id,
        parameters=(*with_data, *(s for s in ranges if s not in with_data), mu, mu_min),
        with_data=with_data,
        lists=(data,),
        domain=domain,
        meanings={**meanings, **MEANINGS},
        derive=derive,
        **described,
    )


# --- for given data --------------------------------------------------------------------------
def of_distances(
    D: Dissimilarity, fixed: Mapping[Symbol, Expr], data: str, proof: Derivation
) -> dict[str, Quantity]:
    """The optimum for squared distances D, which are those of points."""
    r = D.dimension_with(S.Zero)
    least = Euclidean(D, 1).dimension
    state_span(D, data, proof)
    found = quantities(dimension=r, min_dimension=least)
    if r:
        found["eigenvalues"] = Quantity(
            tuple(reversed(D.eigenvalues))[:r],
            r"\mu_k",
            "nonzero eigenvalues of the centred Gram matrix: squared lengths of the principal "
            "components",
        )
    if q not in fixed:
        found["attained"] = Quantity(Ge(q, Integer(least), evaluate=False), ATTAINED, IN_Q)
        return found | optimum(D, S.Zero, r, proof)
    size = int(fixed[q])
    verdict = Euclidean(D, size)
    state_copies(verdict, proof)
    found["attained"] = Quantity(verdict.attained, ATTAINED, IN_Q)
    if verdict.attained and verdict.c is not None:
        found |= quantities(unique=verdict.unique)
        found["c"] = Quantity(verdict.c, "c", "constant added to all squared distances")
        found |= optimum(D, verdict.c, size, proof) | quantities(gap=S.Zero)
    if size < r and D.size <= MOST_OPTIMISED:
        found |= against_components(D, size, verdict.attained, proof)
    return found


def optimum(D: Dissimilarity, c: Expr, size: int, proof: Derivation) -> dict[str, Quantity]:
    """Principal components, and squared distances, at the constant."""
    if D.size > MOST_ROWS:
        return {}
    found = quantities(squared_distances=D.with_constant(c))
    if not size:
        return found
    rows = rows_of(components(D, -c / 2, size), D.size, size)
    proof.add(
        "The principal components of the data have the optimal squared distances",
        Placed(eq(DISTANCE, ENTRY + c), NUMBERS, D, rows, principal=True),
        "the squared distances of all rows, computed from the coordinates, are these, "
        "and the columns are orthogonal",
    )
    return found | quantities(embedding=rows)


def against_components(
    D: Dissimilarity, size: int, attained: bool, proof: Derivation
) -> dict[str, Quantity]:
    """What the first q principal components, as they are, lose; and something better."""
    rows = rows_of(components(D, S.Zero, size), D.size, size)
    weights = Weights(D.log_weights())
    pca_gap = Gap(weights, by_distances(rows)).number
    found = quantities(pca_gap=pca_gap)
    names = {Symbol("pca_gap"): pca_gap}
    if attained:
        proof.add(
            "The first q principal components, not shortened, do not attain the entropic bound",
            InBalls(gt("pca_gap", S.Zero), NUMBERS, names=names),
            "their loss minus the bound is positive",
        )
        return found
    loss = euclidean_loss(np.array(weights.log, dtype=float))
    better = rounded(lowest(loss, np.array(rows, dtype=float)))
    at_most = Gap(weights, by_distances(better)).number
    if enclosure(pca_gap - at_most, BITS) > 0:
        names[Symbol("gap_at_most")] = at_most
        proof.add(
            "The first q principal components are not optimal: another embedding has a "
            "smaller loss",
            InBalls(gt("pca_gap", Symbol("gap_at_most")), NUMBERS, names=names),
            "both losses are computed at explicit coordinates",
        )
    return found | quantities(gap_at_most=at_most)


def state_span(D: Dissimilarity, data: str, proof: Derivation) -> None:
    """Record the dimension of the points with these squared distances.

    It is found by eigenvalues; the rank of the inner products as seen from the last point is it.
    """
    found, d, n = Integer(D.dimension_with(S.Zero)), D.fractions, D.size
    flat = [d[i, n - 1] + d[j, n - 1] - d[i, j] for i in range(n - 1) for j in range(n - 1)]
    rank = Integer(fmpq_mat(n - 1, n - 1, flat).rank())
    proof.equal(
        f"The affine hull of the {data} has dimension r", {"r": (rank, found)}, RANK, NUMBERS
    )

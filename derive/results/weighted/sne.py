"""SNE with one variance: squared distances over twice the variance against squared distances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Expr, S, Symbol, sqrt

from ...decide.domain import POSITIVE, Domain, DomainError, Range, at_least
from ...decide.present import tidy
from ...losses.weighted import S_EUCLIDEAN, Similarity, WeightedInfoNCE
from ...proof.derivation import Derivation
from ...theorem.listed import ListOf
from ...theorem.quantity import Quantity
from ._euclidean import (
    MEANINGS,
    REAL,
    SPECTRUM,
    between_rows,
    mu,
    mu_min,
    of_distances,
    of_one_pair,
)
from ._of_points import OfPoints, q, two_or_more

sigma = Symbol("sigma", positive=True)
d = Symbol("d", nonnegative=True)
DOMAIN = Domain(
    {sigma: POSITIVE, d: Range(S.Zero, low_open=False), **SPECTRUM, q: at_least(1)},
    {sigma: 1, d: 1, mu: 2, mu_min: 1, q: 2},
)
#: Minus the logarithm of the weight of a pair.
DISSIMILARITY = d / (2 * sigma**2)


def derive(
    data: Mapping[str, Any], fixed: Mapping[Symbol, Expr], proof: Derivation
) -> dict[str, Quantity]:
    if data:
        if sigma not in fixed:
            raise DomainError("sne is found at numbers: give sigma")
        scale = DISSIMILARITY.xreplace({d: S.One}).xreplace(dict(fixed))
        return of_distances(between_rows(data["X"], scale), fixed, "points", proof)
    found = of_one_pair(DISSIMILARITY, "of points with the squared distance d", DOMAIN, proof)
    scale = Quantity(
        sqrt(tidy(DISSIMILARITY / d)),
        "s",
        "distances of embeddings are those of the points, times this",
    )
    return {"scale": scale, **found}


WEIGHT = (
    "w_ij = exp(-|x_i - x_j|^2/(2 sigma^2))",
    r"w_{ij} = e^{-\|x_i - x_j\|^2/(2 \sigma^2)}",
)
LOSS = WeightedInfoNCE(
    "SNE with one variance",
    Similarity((S_EUCLIDEAN, WEIGHT), ("of points with q coordinates", "of points x_i")),
    "q, a parameter",
)

RESULT = OfPoints(
    "sne",
    title="SNE with one variance: the points themselves, scaled",
    source="vock2026unified, Appendix F.2",
    parameters=(sigma, q, d, mu, mu_min),
    with_data=(sigma, q),
    lists=(ListOf("X", REAL, "points, a row for each", rows=True),),
    domain=DOMAIN,
    meanings={
        sigma: "standard deviation in the weights exp(-d/(2 sigma^2))",
        d: "squared distance of two points",
        **MEANINGS,
    },
    derive=derive,
    check=two_or_more("X"),
    subject=LOSS,
)

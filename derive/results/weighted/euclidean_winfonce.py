"""Euclidean w-InfoNCE: labels and embeddings are both compared by their squared distance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Expr, S, Symbol

from ...decide.domain import Domain, Range, at_least
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

d = Symbol("d", nonnegative=True)
DOMAIN = Domain(
    {d: Range(S.Zero, low_open=False), **SPECTRUM, q: at_least(1)},
    {d: 1, mu: 2, mu_min: 1, q: 2},
)


def derive(
    data: Mapping[str, Any], fixed: Mapping[Symbol, Expr], proof: Derivation
) -> dict[str, Quantity]:
    if not data:
        return of_one_pair(d, "of labels with the squared distance d", DOMAIN, proof)
    return of_distances(between_rows(data["Y"], S.One), fixed, "labels", proof)


WEIGHT = ("w_ij = exp(-|y_i - y_j|^2)", r"w_{ij} = e^{-\|y_i - y_j\|^2}")
LOSS = WeightedInfoNCE(
    "Euclidean w-InfoNCE",
    Similarity((S_EUCLIDEAN, WEIGHT), ("of points with q coordinates", "of labels y_i")),
    "q, a parameter",
)

RESULT = OfPoints(
    "euclidean-winfonce",
    title="Euclidean w-InfoNCE: the optimum when both sides are compared by distances",
    source="vock2026unified, Theorem 3.10",
    parameters=(q, d, mu, mu_min),
    with_data=(q,),
    lists=(ListOf("Y", REAL, "labels, a row for each point", rows=True),),
    domain=DOMAIN,
    meanings={d: "squared distance of two labels", **MEANINGS},
    derive=derive,
    check=two_or_more("Y"),
    subject=LOSS,
)

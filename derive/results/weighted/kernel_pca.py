"""Kernel w-InfoNCE: distances of a kernel against squared distances, and its components."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from flint import fmpq_mat
from sympy import Expr, Symbol

from ...decide.domain import Domain, DomainError, at_least
from ...losses.weighted import S_EUCLIDEAN, Similarity, WeightedInfoNCE
from ...proof.derivation import Derivation
from ...theorem.listed import ListOf
from ...theorem.quantity import Quantity
from ...vectors.algebraic import as_flint, eigenvalues
from ...vectors.coordinates import inertia
from ...vectors.distance import Dissimilarity, check_square, check_symmetric, short
from ._euclidean import MEANINGS, REAL, SPECTRUM, mu, mu_min, of_distances, of_one_pair
from ._of_points import OfPoints, Rows, q

k_ii, k_jj, k_ij = (Symbol(s, real=True) for s in ("k_ii", "k_jj", "k_ij"))
DOMAIN = Domain(
    {k_ii: REAL, k_jj: REAL, k_ij: REAL, **SPECTRUM, q: at_least(1)},
    {k_ii: 1, k_jj: 1, k_ij: 0, mu: 2, mu_min: 1, q: 2},
)
#: Squared distance in the space of the kernel.
DISTANCE = k_ii + k_jj - 2 * k_ij


def of_kernel(rows: Rows) -> Dissimilarity:
    """Squared distances of a kernel.

    Raises
    ------
    DomainError
        If it is not symmetric and positive semidefinite; one line.
    """
    check_square(rows, "K")
    check_symmetric(rows, "K")
    counts = inertia(tuple(tuple(row) for row in rows))
    if counts is None:
        raise DomainError("K: whether it is positive semidefinite was not decided")
    if counts[1]:
        raise DomainError(
            f"K is not positive semidefinite: its least eigenvalue is {least_eigenvalue(rows)}"
        )
    n = range(len(rows))
    return Dissimilarity(
        [
            [DISTANCE.xreplace({k_ii: rows[i][i], k_jj: rows[j][j], k_ij: rows[i][j]}) for j in n]
            for i in n
        ]
    )


def least_eigenvalue(rows: Rows) -> str:
    """The least eigenvalue of a symmetric matrix, in words."""
    k = range(len(rows))
    if all(e.is_Rational for row in rows for e in row):
        flat = [as_flint(rows[i][j]) for i in k for j in k]
        return short(eigenvalues(fmpq_mat(len(rows), len(rows), flat))[0].number.expression)
    floats = [[float(e) for e in row] for row in rows]
    return f"{np.linalg.eigvalsh(floats)[0]:.4g}"


def derive(
    data: Mapping[str, Any], fixed: Mapping[Symbol, Expr], proof: Derivation
) -> dict[str, Quantity]:
    if not data:
        return of_one_pair(DISTANCE, "of points of the kernel", DOMAIN, proof)
    return of_distances(of_kernel(data["K"]), fixed, "points of the kernel", proof)


WEIGHT = (
    "w_ij = exp(-(k_ii + k_jj - 2 k_ij))",
    r"w_{ij} = e^{-(k_{ii} + k_{jj} - 2 k_{ij})}",
)
LOSS = WeightedInfoNCE(
    "Kernel w-InfoNCE",
    Similarity((S_EUCLIDEAN, WEIGHT), ("of points with q coordinates", "of a kernel")),
    "q, a parameter",
)

RESULT = OfPoints(
    "kernel-pca",
    title="Kernel w-InfoNCE: the optimum has the kernel principal components",
    source="vock2026unified, Theorem F.1",
    parameters=(q, k_ii, k_jj, k_ij, mu, mu_min),
    with_data=(q,),
    lists=(ListOf("K", REAL, "kernel matrix", rows=True),),
    domain=DOMAIN,
    meanings={
        k_ii: "kernel of a point with itself",
        k_jj: "kernel of another point with itself",
        k_ij: "kernel of the two",
        **MEANINGS,
    },
    derive=derive,
    subject=LOSS,
)

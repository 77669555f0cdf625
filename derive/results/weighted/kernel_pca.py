"""Kernel w-InfoNCE: distances of a kernel against squared distances, and its components."""

from flint import fmpq_mat
from sympy import Expr, Symbol

from ...decide.domain import DomainError
from ...losses.weighted import S_EUCLIDEAN, WeightedInfoNCE
from ...theorem.listed import ListOf
from ...vectors.algebraic import as_flint, eigenvalues
from ...vectors.distance import Dissimilarity, check_square, check_symmetric, short
from ._euclidean import squared_result
from ._weights import REAL, Rows

k_ii, k_jj, k_ij = (Symbol(s, real=True) for s in ("k_ii", "k_jj", "k_ij"))
#: Squared distance in the space of the kernel.
DISTANCE = k_ii + k_jj - 2 * k_ij
WEIGHT = (
    ("w_ij = exp(-(k_ii + k_jj - 2 k_ij))", r"w_{ij} = e^{-(k_{ii} + k_{jj} - 2 k_{ij})}"),
    "of a kernel",
)


def of_kernel(rows: Rows) -> Dissimilarity:
    """Squared distances of a kernel.

    Raises
    ------
    DomainError
        If it is not symmetric and positive semidefinite; one line.
    """
    check_square(rows, "K")
    check_symmetric(rows, "K")
    if not all(e.is_Rational for row in rows for e in row):
        raise DomainError("K: an entry is irrational; use fractions or decimals")
    size = len(rows)
    least = eigenvalues(fmpq_mat(size, size, [as_flint(e) for row in rows for e in row]))[0].number
    if least.sign() < 0:
        raise DomainError(
            f"K is not positive semidefinite: its least eigenvalue is {short(least.expression)}"
        )

    def distance(i: int, j: int) -> Expr:
        return DISTANCE.xreplace({k_ii: rows[i][i], k_jj: rows[j][j], k_ij: rows[i][j]})

    n = range(len(rows))
    return Dissimilarity([[distance(i, j) for j in n] for i in n])


RESULT = squared_result(
    "kernel-pca",
    title="Kernel w-InfoNCE: the optimum has the kernel principal components",
    source="vock2026unified, Theorem F.1",
    squared=DISTANCE,
    pair="of points of the kernel",
    data=ListOf("K", REAL, "kernel matrix", rows=True),
    things="points of the kernel",
    distances=lambda rows, fixed: of_kernel(rows),
    ranges=dict.fromkeys((k_ii, k_jj, k_ij), REAL),
    witness={k_ii: 1, k_jj: 1, k_ij: 0},
    meanings={
        k_ii: "kernel of a point with itself",
        k_jj: "kernel of another point with itself",
        k_ij: "kernel of the two",
    },
    subject=WeightedInfoNCE((S_EUCLIDEAN, WEIGHT)),
)

"""Kernel w-InfoNCE: distances of a kernel against squared distances, and its components."""

from sympy import Symbol

from ...losses.weighted import S_EUCLIDEAN, WeightedInfoNCE
from ._euclidean import squared_result
from ._weights import REAL

k_ii, k_jj, k_ij = (Symbol(s, real=True) for s in ("k_ii", "k_jj", "k_ij"))
#: Squared distance in the space of the kernel.
DISTANCE = k_ii + k_jj - 2 * k_ij
WEIGHT = "$w_{ij} = e^{-(k_{ii} + k_{jj} - 2 k_{ij})}$ of a kernel"


RESULT = squared_result(
    "kernel-pca",
    title="Kernel w-InfoNCE: the optimum has the kernel principal components",
    source="vock2026unified, Theorem F.1",
    squared=DISTANCE,
    pair="of points of the kernel",
    ranges=dict.fromkeys((k_ii, k_jj, k_ij), REAL),
    witness={k_ii: 1, k_jj: 1, k_ij: 0},
    meanings={
        k_ii: "kernel of a point with itself",
        k_jj: "kernel of another point with itself",
        k_ij: "kernel of the two",
    },
    subject=WeightedInfoNCE((S_EUCLIDEAN, WEIGHT)),
)

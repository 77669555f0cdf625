"""SNE with one variance: squared distances over twice the variance against squared distances."""

from sympy import S, Symbol, sqrt

from ...decide.domain import POSITIVE, Range
from ...decide.present import tidy
from ...losses.weighted import S_EUCLIDEAN, WeightedInfoNCE
from ...theorem.quantity import Quantity
from ._euclidean import squared_result

sigma = Symbol("sigma", positive=True)
d = Symbol("d", nonnegative=True)
#: Minus the logarithm of the weight of a pair.
DISSIMILARITY = d / (2 * sigma**2)
WEIGHT = r"$w_{ij} = e^{-\|x_i - x_j\|^2/(2 \sigma^2)}$ with points x_i"


RESULT = squared_result(
    "sne",
    title="SNE with one variance: the optimum is the scaled points themselves",
    source="vock2026unified, Appendix F.2",
    squared=DISSIMILARITY,
    pair="of points with the squared distance d",
    ranges={sigma: POSITIVE, d: Range(S.Zero, low_open=False)},
    witness={sigma: 1, d: 1},
    meanings={
        sigma: "standard deviation in the weights exp(-d/(2 sigma^2))",
        d: "squared distance of two points",
    },
    first={
        "scale": Quantity(
            sqrt(tidy(DISSIMILARITY / d)),
            "s",
            "ratio of the distances of the embeddings to those of the points",
        )
    },
    subject=WeightedInfoNCE((S_EUCLIDEAN, WEIGHT)),
)

"""SNE with one variance: squared distances over twice the variance against squared distances."""

from collections.abc import Mapping

from sympy import Expr, S, Symbol, sqrt

from ...decide.domain import POSITIVE, DomainError, Range
from ...decide.present import tidy
from ...losses.weighted import S_EUCLIDEAN, WeightedInfoNCE
from ...theorem.listed import ListOf
from ...theorem.quantity import Quantity
from ...vectors.distance import Dissimilarity
from ._euclidean import between_rows, squared_result
from ._weights import REAL, Rows, q, two_or_more

sigma = Symbol("sigma", positive=True)
d = Symbol("d", nonnegative=True)
#: Minus the logarithm of the weight of a pair.
DISSIMILARITY = d / (2 * sigma**2)
WEIGHT = (
    ("w_ij = exp(-|x_i - x_j|^2/(2 sigma^2))", r"w_{ij} = e^{-\|x_i - x_j\|^2/(2 \sigma^2)}"),
    "with points x_i",
)


def distances(rows: Rows, fixed: Mapping[Symbol, Expr]) -> Dissimilarity:
    """Squared distances of the points, over twice the variance."""
    if sigma not in fixed:
        raise DomainError("sne needs a numerical value of sigma: add sigma")
    return between_rows(rows, DISSIMILARITY.xreplace({d: S.One}).xreplace(dict(fixed)))


RESULT = squared_result(
    "sne",
    title="SNE with one variance: the optimum is the scaled points themselves",
    source="vock2026unified, Appendix F.2",
    squared=DISSIMILARITY,
    pair="of points with the squared distance d",
    data=ListOf("X", REAL, "points, a row for each", rows=True),
    things="points",
    distances=distances,
    ranges={sigma: POSITIVE, d: Range(S.Zero, low_open=False)},
    witness={sigma: 1, d: 1},
    meanings={
        sigma: "standard deviation in the weights exp(-d/(2 sigma^2))",
        d: "squared distance of two points",
    },
    with_data=(sigma, q),
    first={
        "scale": Quantity(
            sqrt(tidy(DISSIMILARITY / d)),
            "s",
            "ratio of the distances of the embeddings to those of the points",
        )
    },
    check=two_or_more,
    subject=WeightedInfoNCE((S_EUCLIDEAN, WEIGHT)),
)

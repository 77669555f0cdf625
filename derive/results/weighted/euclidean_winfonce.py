"""Euclidean w-InfoNCE: labels and embeddings are both compared by their squared distance."""

from sympy import S, Symbol

from ...decide.domain import Range
from ...losses.weighted import OF_LABELS, S_EUCLIDEAN, WeightedInfoNCE
from ._euclidean import squared_result

d = Symbol("d", nonnegative=True)
RESULT = squared_result(
    "euclidean-winfonce",
    title="Euclidean w-InfoNCE: the optimum for labels and embeddings compared by distances",
    source="vock2026unified, Theorem 3.10",
    squared=d,
    pair="of labels with the squared distance d",
    ranges={d: Range(S.Zero, low_open=False)},
    witness={d: 1},
    meanings={d: "squared distance of two labels"},
    subject=WeightedInfoNCE((S_EUCLIDEAN, OF_LABELS)),
)

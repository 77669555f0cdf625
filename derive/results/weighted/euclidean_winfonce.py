"""Euclidean w-InfoNCE: labels and embeddings are both compared by their squared distance."""

from sympy import S, Symbol

from ...decide.domain import Range
from ...losses.weighted import OF_LABELS, S_EUCLIDEAN, WeightedInfoNCE
from ...theorem.listed import ListOf
from ._euclidean import between_rows, squared_result
from ._weights import REAL, two_or_more

d = Symbol("d", nonnegative=True)
RESULT = squared_result(
    "euclidean-winfonce",
    title="Euclidean w-InfoNCE: the optimum for labels and embeddings compared by distances",
    source="vock2026unified, Theorem 3.10",
    squared=d,
    pair="of labels with the squared distance d",
    data=ListOf("Y", REAL, "labels, a row for each point", rows=True),
    things="labels",
    distances=lambda rows, fixed: between_rows(rows, S.One),
    ranges={d: Range(S.Zero, low_open=False)},
    witness={d: 1},
    meanings={d: "squared distance of two labels"},
    check=two_or_more,
    subject=WeightedInfoNCE((S_EUCLIDEAN, OF_LABELS)),
)

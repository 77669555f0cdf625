"""Measures of embeddings: spread, classes, pairs, collapse, and nearness to an optimum."""

from .classes import class_variances, neural_collapse, simplex_distance
from .collapse import Collapse, CollapseMonitor, Limits
from .pairs import alignment, modality_gap, uniformity
from .similarity import loss_gap, procrustes, procrustes_r2, similarity_r2
from .spectrum import effective_rank, rankme

__all__ = [
    "Collapse",
    "CollapseMonitor",
    "Limits",
    "alignment",
    "class_variances",
    "effective_rank",
    "loss_gap",
    "modality_gap",
    "neural_collapse",
    "procrustes",
    "procrustes_r2",
    "rankme",
    "similarity_r2",
    "simplex_distance",
    "uniformity",
]


def __dir__() -> list[str]:
    return __all__

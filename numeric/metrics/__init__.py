"""Measures of embeddings: spread, classes, pairs, collapse, and nearness to an optimum."""

from .classes import (
    ClassVariances,
    NeuralCollapse,
    class_variances,
    neural_collapse,
    simplex_distance,
)
from .collapse import Collapse, CollapseMonitor, Limits
from .pairs import alignment, modality_gap, uniformity
from .similarity import loss_gap, procrustes, procrustes_r2, similarity_r2
from .spectrum import effective_rank, perplexity, rankme, smaller_gram, spectrum

__all__ = [
    "ClassVariances",
    "Collapse",
    "CollapseMonitor",
    "Limits",
    "NeuralCollapse",
    "alignment",
    "class_variances",
    "effective_rank",
    "loss_gap",
    "modality_gap",
    "neural_collapse",
    "perplexity",
    "procrustes",
    "procrustes_r2",
    "rankme",
    "similarity_r2",
    "simplex_distance",
    "smaller_gram",
    "spectrum",
    "uniformity",
]

"""Metrics of embeddings: the names of :mod:`cltheory.numeric.metrics`. Needs torch."""

from cltheory.numeric.metrics import (
    effective_rank,
    loss_gap,
    procrustes_r2,
    similarity_r2,
)

__all__ = ["effective_rank", "loss_gap", "procrustes_r2", "similarity_r2"]

"""Batches chosen by their spectrum: policies, a greedy builder, whitening."""

from .builder import Built, greedy
from .cache import EmbeddingCache
from .policies import Balanced, Policy, Stability, UpdateMagnitude, select
from .samplers import Choice, GreedyBatchSampler, Indexed, PoolBatchSampler
from .whitening import InBatchWhitening

__all__ = [
    "Balanced",
    "Built",
    "Choice",
    "EmbeddingCache",
    "GreedyBatchSampler",
    "InBatchWhitening",
    "Indexed",
    "Policy",
    "PoolBatchSampler",
    "Stability",
    "UpdateMagnitude",
    "greedy",
    "select",
]


def __dir__() -> list[str]:
    return __all__
